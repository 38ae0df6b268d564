/* Five hospitals average their measurements; the company that computes the average sees only ciphertexts.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>

enum { HOSPITALS = 5, PATIENTS = 200 };

/* The company's side: it has the public key and encrypted columns. Returns the weighted mean of each column: Σ w·x, w
 * in steps of 2^−16. */
static orr_encrypted *average(orr_encrypted *const *column, const double *weight)
{
    orr_encrypted *sum = NULL;
    for (int i = 0; i < HOSPITALS; i++) {
        orr_encrypted *part = orr_paillier_mul_plain(column[i], orr_scalar(weight[i]), 16);
        orr_encrypted *next = sum && part ? orr_paillier_add(sum, part) : part;
        if (next != part)
            orr_encrypted_free(part);
        if (next != sum)
            orr_encrypted_free(sum);
        sum = next;
    }
    return sum;
}

static int run(void)
{
    static const double weight[HOSPITALS] = { 0.1, 0.15, 0.2, 0.25, 0.3 };
    double most = 0.0;
    orr_paillier *key = orr_paillier_generate(2048); /* held by the hospitals */
    orr_paillier *public_key = orr_paillier_public(key);
    /* Weights are below 1 and add up to 1. The headroom is Σ|w| · 2^16, and a little for rounding. */
    orr_packing packing = { .fraction = 12, .most = 300.0, .headroom = 65536 + HOSPITALS };
    orr_encrypted *column[HOSPITALS] = { NULL }, *mean = NULL;
    orr_tensor *clear = orr_zeros(ORR_F64, ORR_SHAPE(PATIENTS));
    for (int i = 0; i < HOSPITALS; i++) {
        orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(PATIENTS), 60.0, 220.0);
        column[i] = orr_paillier_encrypt(public_key, x, packing);
        clear = orr_add(clear, orr_mul(x, orr_scalar(weight[i])));
    }
    mean = average(column, weight);
    orr_encrypted *fresh = orr_paillier_rerandomize(public_key, mean);
    orr_tensor *result = orr_paillier_decrypt(key, fresh, ORR_F64);
    orr_status st = orr_item(orr_max(orr_abs(orr_sub(result, clear)), ORR_ALL_AXES, false), &most);
    if (st == ORR_OK) {
        printf("%d numbers a ciphertext of %d bits\n", orr_encrypted_slots(fresh), 2 * orr_paillier_bits(key));
        (void)orr_print(stdout, orr_slice_axis(result, 0, 0, 5, 1));
        printf("the encrypted average differs by at most %.1e\n", most);
    }
    for (int i = 0; i < HOSPITALS; i++)
        orr_encrypted_free(column[i]);
    orr_encrypted_free(mean);
    orr_encrypted_free(fresh);
    orr_paillier_free(public_key);
    orr_paillier_free(key);
    return st == ORR_OK && most < 0.01 ? 0 : 1;
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    int rc = run();
    if (rc != 0 && orr_error_status() != ORR_OK)
        (void)orr_error_print(stderr);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
