/* Planted secrets are in nothing that the library gives out: prints of all stages, explanations, logs, traces, messages of errors, kernels,
 * caches, files, and a core dump.
 * Must not know: how the secrets are used. */
#include "config.h"

#include <inttypes.h>
#include <orrery.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "ops/privacy/noise.h"
#include "runtime/base/secret.h"
#include "tests/harness/memory_search.h"

enum { MOST = 40 };

/* The folder of all outputs, and the secrets in each form that a text or a file might have. */
static char folder[2048];
static needle planted[MOST];
static int n_planted;

static void plant_bytes(const char *name, const void *bytes, size_t size)
{
    if (n_planted < MOST)
        planted[n_planted++] = needle_of(name, bytes, size);
}

/* A number of 64 bits: as bytes, in decimal and in hexadecimal. */
static void plant(const char *name, uint64_t x)
{
    char text[32];
    plant_bytes(name, &x, sizeof x);
    (void)snprintf(text, sizeof text, "%" PRIu64, x);
    plant_bytes(name, text, strlen(text));
    (void)snprintf(text, sizeof text, "%" PRIx64, x);
    plant_bytes(name, text, strlen(text));
    (void)snprintf(text, sizeof text, "%" PRIX64, x);
    plant_bytes(name, text, strlen(text));
    explicit_bzero(text, sizeof text);
}

static void nothing_is_found(void)
{
    (void)fflush(stderr);
    for (int i = 0; i < n_planted; i++) {
        long n = folder_count(&planted[i], folder);
        ORR_CHECK_MSG(n == 0, "%s (form %d) is in the outputs %ld times", planted[i].name, i, n);
    }
    n_planted = 0;
}

/* Prints, explains, evaluates and fails with a tensor. */
static void exercise(orr_tensor *t)
{
    FILE *f = fopen(orr_test_tmp("explained"), "ae");
    ORR_REQUIRE(f != NULL);
    (void)orr_explain(f, t);
    (void)orr_explain_dot(f, t, true);
    ORR_CHECK_MSG(orr_eval(t) == ORR_OK, "%s", orr_error_message());
    orr_tensor *wrong = orr_matmul(t, orr_zeros(ORR_F32, ORR_SHAPE(7, 7)));
    ORR_CHECK(orr_eval(wrong) != ORR_OK);
    (void)fprintf(f, "%s\n", orr_error_message());
    (void)fclose(f);
}

static void the_search_finds_a_secret_in_an_output(void)
{
    uint64_t key = 0x7a6f0e2d4c3b1958u;
    plant("a key", key);
    orr_scope *s = orr_scope_begin();
    FILE *f = fopen(orr_test_tmp("shown"), "we");
    ORR_REQUIRE(f != NULL);
    (void)fprintf(f, "key %" PRIu64 "\n", key);
    (void)fclose(f);
    ORR_CHECK(folder_count(&planted[1], folder) == 1 && folder_count(&planted[0], folder) == 0);
    ORR_CHECK(remove(orr_test_tmp("shown")) == 0);
    (void)orr_scope_end(s);
    nothing_is_found();
}

/* The key of noise in floats is a number in the graph. The same seed gives it to the test. */
static void keys_of_noise_are_in_no_output(void)
{
    uint64_t key[2] = { 0 };
    orr_dp_seed(77);
    for (int i = 0; i < 2; i++) {
        ORR_REQUIRE(orr__noise_key(ORR__SITE(NULL, 0, "test"), &key[i]) == ORR_OK && key[i]);
        plant("the key of noise", key[i]);
    }
    orr_dp_seed(77);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(3, 5));
    exercise(orr_dp_gaussian(x, 1, 1));
    exercise(orr_mul(orr_dp_laplace(x, 1, 1), orr_scalar(2)));
    orr_dp_unseed();
    (void)orr_scope_end(s);
    nothing_is_found();
}

static void shared_secrets_are_in_no_output(void)
{
    const uint64_t small = 0x0badc0de5ec12e7u, large = 0xfedcba9876543210u; /* large: no element of the field */
    unsigned char open[32], sign[64];
    plant("a shared secret", small);
    plant("a secret that is refused", large);
    if (orr_secagg_identity(open, sign) != ORR_OK)
        ORR_SKIP("built without libsodium");
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_U64, ORR_SHAPE(1), &small), *y = orr_from(ORR_U64, ORR_SHAPE(1), &large);
    FILE *f = fopen(orr_test_tmp("messages"), "ae");
    ORR_REQUIRE(f != NULL);
    ORR_CHECK(orr_eval(orr_additive_join(orr_additive_split(x, 3, ORR_MOD_P61), ORR_MOD_P61)) == ORR_OK);
    ORR_CHECK(orr_eval(orr_shamir_split(x, 2, 3)) == ORR_OK);
    ORR_CHECK(orr_eval(orr_shamir_split(y, 2, 3)) != ORR_OK);
    (void)fprintf(f, "%s\n", orr_error_message());
    ORR_CHECK(orr_eval(orr_additive_split(y, 3, ORR_MOD_P61)) != ORR_OK);
    (void)fprintf(f, "%s\n", orr_error_message());
    /* A vector beyond the encoding's limit, and a client with the wrong key */
    double far = 123456.789012;
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", far);
    plant_bytes("a number that is too large", text, strlen(text));
    plant_bytes("a number that is too large", "123456", 6);
    orr_fixed encoding = { ORR_MOD_2_32, 20, 100 };
    ORR_CHECK(orr_eval(orr_fixed_encode(orr_from(ORR_F64, ORR_SHAPE(1), &far), encoding)) != ORR_OK);
    (void)fprintf(f, "%s\n", orr_error_message());
    plant_bytes("a signing key", sign, 32);
    unsigned char identities[3 * 32] = { 0 };
    orr_secagg_config c = { .clients = 3, .threshold = 2, .length = 4, .encoding = { ORR_MOD_2_64, 12, 3 } };
    c.identities = identities;
    ORR_CHECK(!orr_secagg_client_new(&c, 0, sign));
    (void)fprintf(f, "%s\n", orr_error_message());
    memcpy(identities, open, sizeof open);
    orr_secagg_client *client = orr_secagg_client_new(&c, 0, sign);
    orr_bytes b = { 0 };
    ORR_CHECK(client && orr_secagg_advertise(client, &b) == ORR_OK && orr_secagg_advertise(client, &b) == ORR_ESTATE);
    (void)fprintf(f, "%s\n", orr_error_message());
    orr_bytes_free(&b);
    orr_secagg_client_free(client);
    (void)fclose(f);
    (void)orr_scope_end(s);
    nothing_is_found();
}

/* The private half of a key: its two primes follow n in the saved bytes. */
static void private_keys_are_in_no_output(void)
{
    orr_paillier *key = orr_paillier_generate(2048);
    if (!key && orr_error_status() == ORR_EDEVICE)
        ORR_SKIP("built without GMP");
    ORR_REQUIRE(key != NULL);
    orr_bytes b = { 0 };
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_paillier_save(key, true, &b) == ORR_OK && b.size > 3 * 128);
    plant_bytes("a prime", b.data + b.size - 64, 64);
    plant_bytes("a prime", b.data + b.size - 128 - 64, 64);
    double number = 41.0625, far = 98765.5;
    plant_bytes("a number", "41.06", 5);
    plant_bytes("a number that is too large", "98765", 5);
    orr_packing packing = { .fraction = 8, .most = 100, .headroom = 4 };
    orr_encrypted *e = orr_paillier_encrypt(key, orr_from(ORR_F64, ORR_SHAPE(1), &number), packing);
    ORR_CHECK(e && orr_eval(orr_paillier_decrypt(key, e, ORR_F64)) == ORR_OK);
    ORR_CHECK(!orr_paillier_encrypt(key, orr_from(ORR_F64, ORR_SHAPE(1), &far), packing));
    FILE *f = fopen(orr_test_tmp("messages"), "ae");
    ORR_REQUIRE(f != NULL);
    (void)fprintf(f, "%s\n", orr_error_message());
    b.data[b.size - 1] ^= 1; /* no prime any more */
    ORR_CHECK(!orr_paillier_load(&b));
    (void)fprintf(f, "%s\n", orr_error_message());
    (void)fclose(f);
    orr_bytes_free(&b);
    orr_encrypted_free(e);
    orr_paillier_free(key);
    (void)orr_scope_end(s);
    nothing_is_found();
}

/* A child with secrets in use ends by a signal that dumps its memory. */
static void crash(const unsigned char *secret, size_t size)
{
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    unsigned char *page = orr__secret_new(size);
    if (chdir(folder) != 0 || setrlimit(RLIMIT_CORE, &all) != 0 || !page)
        _exit(1);
    volatile unsigned char *to = page; /* the compiler sees no reader */
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)~secret[i];
    char *marker = strdup("this text is in a dump");
    abort();
    free(marker);
}

static void a_core_dump_has_no_secret(void)
{
    unsigned char turned[32];
    int how = 0;
    if (ORR_TEST_SANITIZED)
        ORR_SKIP("a sanitizer's memory is too large for a dump");
    ORR_REQUIRE(orr__secret_random(ORR__SITE(NULL, 0, "test"), turned, sizeof turned) == ORR_OK);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        crash(turned, sizeof turned);
    ORR_REQUIRE(child > 0 && waitpid(child, &how, 0) == child && WIFSIGNALED(how));
    needle marker = needle_of("the text", "this text is in a dump", 22),
           key = { .size = sizeof turned, .name = "a key" };
    memcpy(key.turned, turned, sizeof turned);
    if (!WCOREDUMP(how) || folder_count(&marker, folder) == 0)
        ORR_SKIP("this system writes no core file here");
    ORR_CHECK(folder_count(&key, folder) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(the_search_finds_a_secret_in_an_output),
        ORR_TEST(keys_of_noise_are_in_no_output),
        ORR_TEST(shared_secrets_are_in_no_output),
        ORR_TEST(private_keys_are_in_no_output),
        ORR_TEST(a_core_dump_has_no_secret),
        { 0 },
    };
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp(""));
    (void)setenv("ORRERY_CACHE_DIR", folder, 1);
    (void)setenv("ORRERY_TRACE", orr_test_tmp("trace.json"), 1);
    (void)setenv("ORRERY_PRINT", "graph,fuse,plan,passes", 1);
    (void)setenv("ORRERY_LOG", "debug", 1);
    (void)setenv("ORRERY_JIT", "wait", 1);
    if (!freopen(orr_test_tmp("stderr"), "w", stderr) || orr_init(NULL) != ORR_OK)
        return orr_error_print(stdout);
    int rc = orr_test_main(argc, argv, "share.outputs", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
