/* Paillier's arithmetic beside GMP's mpz functions and python-phe: primes, noise, encryption, decryption, packing.
 * Must not know: tensors. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

#ifdef HAVE_GMP
#include "ops/paillier/paillier.h"
#include "runtime/base/secret.h"

static const orr__site here = { NULL, 0, "test" };

static int cases(int full, int quick)
{
    return getenv("ORR_TEST_FULL") ? full : quick;
}

static void set(mpz_t z, const mp_limb_t *x, mp_size_t n)
{
    mpz_import(z, (size_t)n, -1, sizeof *x, 0, 0, x);
}

static void get(mp_limb_t *x, mp_size_t n, const mpz_t z)
{
    mpn_zero(x, n);
    mpz_export(x, NULL, -1, sizeof *x, 0, 0, z);
}

/* A key from GMP's p and q. */
static orr_paillier *key_of(const mpz_t p, const mpz_t q, int bits)
{
    orr_paillier *k = orr__paillier_generate(here, 256); /* memory for it */
    k->priv->half = bits / 128;
    get(k->priv->p, k->priv->half, p);
    get(k->priv->q, k->priv->half, q);
    orr__public size = { .limbs = bits / 64 };
    mp_limb_t *room = malloc(orr__paillier_room(&size) * sizeof *room);
    bool ok = room && orr__paillier_finish(k->priv, k->pub, room);
    free(room);
    if (ok)
        return k;
    orr_paillier_free(k);
    return NULL;
}

static void random_below(mpz_t z, const mpz_t n, unsigned long long *seed)
{
    uint64_t w[64];
    for (int i = 0; i < 64; i++)
        w[i] = orr_test_rand(seed);
    mpz_import(z, 64, -1, 8, 0, 0, w);
    mpz_mod(z, z, n);
}

static void keys_are_two_primes(void)
{
    static const int sizes[] = { 256, 512, 1024, 2048 };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < cases(20, i == 3 ? 1 : 3); k++) {
            orr_paillier *key = orr__paillier_generate(here, sizes[i]);
            ORR_REQUIRE(key);
            mpz_t p, q, n, g;
            mpz_inits(p, q, n, g, NULL);
            set(p, key->priv->p, key->priv->half);
            set(q, key->priv->q, key->priv->half);
            set(n, key->pub->n, key->pub->limbs);
            ORR_CHECK(mpz_probab_prime_p(p, 30) > 0 && mpz_probab_prime_p(q, 30) > 0 && mpz_cmp(p, q) != 0);
            mpz_mul(g, p, q);
            ORR_CHECK(mpz_cmp(g, n) == 0 && mpz_sizeinbase(n, 2) == (size_t)sizes[i] && key->pub->bits == sizes[i]);
            mpz_sub_ui(p, p, 1);
            mpz_sub_ui(q, q, 1);
            mpz_mul(g, p, q);
            mpz_gcd(g, g, n);
            ORR_CHECK(mpz_cmp_ui(g, 1) == 0);
            mpz_clears(p, q, n, g, NULL);
            orr_paillier_free(key);
        }
}

static void composites_are_no_primes(void)
{
    mp_limb_t *room = malloc(1 << 16), p[4];
    unsigned long long seed = 12;
    mpz_t z;
    mpz_init(z);
    int primes = 0;
    for (int i = 0; i < cases(100000, 20000); i++) {
        for (int k = 0; k < 4; k++)
            p[k] = orr_test_rand(&seed);
        p[3] |= UINT64_C(3) << 62;
        p[0] |= 3;
        if (i % 50 == 0) { /* a residue, times 1 */
            set(z, p, 4);
            do
                mpz_nextprime(z, z);
            while (mpz_tdiv_ui(z, 4) != 3);
            get(p, 4, z);
        }
        set(z, p, 4);
        bool want = mpz_probab_prime_p(z, 25) > 0;
        primes += want;
        ORR_CHECK(orr__is_prime(here, p, 4, 4, room) == want);
    }
    ORR_CHECK(primes > 300);
    mpz_clear(z);
    free(room);
}

/* encrypt, multiply, decrypt and the noise of each key, beside formulas in mpz. */
static void arithmetic_is_gmp(void)
{
    unsigned long long seed = 13;
    mpz_t n, n2, a, b, c, want, lambda, p, q;
    mpz_inits(n, n2, a, b, c, want, lambda, p, q, NULL);
    for (int round = 0; round < cases(100, 10); round++) {
        int bits = round % 10 == 9 ? 1024 : round % 2 ? 512 : 256;
        orr_paillier *key = orr__paillier_generate(here, bits);
        ORR_REQUIRE(key);
        mp_size_t l = key->pub->limbs;
        mp_limb_t *room = malloc(orr__paillier_room(key->pub) * sizeof *room), m[64], noise[128], x[128], y[128];
        set(n, key->pub->n, l);
        mpz_mul(n2, n, n);
        set(p, key->priv->p, key->priv->half);
        set(q, key->priv->q, key->priv->half);
        mpz_sub_ui(p, p, 1);
        mpz_sub_ui(q, q, 1);
        mpz_lcm(lambda, p, q);
        int each = cases(1000, 100);
        for (int i = 0; i < each; i++) {
            random_below(a, n, &seed);
            if (i % 10 == 0)
                mpz_set_ui(a, (unsigned long)i / 10 % 3);
            if (i % 25 == 0)
                mpz_sub_ui(a, n, 1);
            get(m, l, a);
            ORR_CHECK(orr__paillier_noise(here, key->pub, i % 2 ? key->priv : NULL, noise, room) == ORR_OK);
            /* an n-th residue: its λ-th power is 1 */
            set(b, noise, 2 * l);
            mpz_powm(c, b, lambda, n2);
            ORR_CHECK(mpz_cmp_ui(c, 1) == 0 && mpz_cmp(b, n2) < 0);
            orr__paillier_encrypt(key->pub, m, noise, x, room);
            mpz_mul(want, a, n);
            mpz_add_ui(want, want, 1);
            mpz_mul(want, want, b);
            mpz_mod(want, want, n2);
            set(c, x, 2 * l);
            ORR_CHECK(mpz_cmp(c, want) == 0);
            orr__paillier_decrypt(key->pub, key->priv, x, m, room);
            set(b, m, l);
            ORR_CHECK_MSG(mpz_cmp(a, b) == 0, "%d bits, case %d", bits, i);
            orr__paillier_mul(key->pub, y, x, noise, room);
            set(a, noise, 2 * l);
            mpz_mul(want, c, a);
            mpz_mod(want, want, n2);
            set(b, y, 2 * l);
            ORR_CHECK(mpz_cmp(b, want) == 0);
        }
        free(room);
        orr_paillier_free(key);
    }
    mpz_clears(n, n2, a, b, c, want, lambda, p, q, NULL);
}

static void numbers_are_those_of_phe(void)
{
    FILE *f = fopen(orr_test_golden("private/paillier.txt"), "re");
    ORR_REQUIRE(f);
    static char line[3][2100];
    char name[40];
    int bits, keys = 0, numbers = 0;
    mpz_t n, p, q, r, c, have;
    mpz_inits(n, p, q, r, c, have, NULL);
    while (fscanf(f, " key %d %2099s %2099s %2099s %39s", &bits, line[0], line[1], line[2], name) == 5) {
        (void)mpz_set_str(n, line[0], 16);
        (void)mpz_set_str(p, line[1], 16);
        (void)mpz_set_str(q, line[2], 16);
        orr_paillier *key = key_of(p, q, bits);
        ORR_REQUIRE(key);
        keys++;
        set(have, key->pub->n, key->pub->limbs);
        ORR_CHECK(mpz_cmp(have, n) == 0);
        char id[33] = "";
        for (int i = 0; i < 16; i++)
            (void)snprintf(id + 2 * i, 3, "%02x", key->pub->id[i]);
        ORR_CHECK_MSG(!strcmp(id, name), "%s, not %s", id, name);
        mp_size_t l = key->pub->limbs;
        mp_limb_t *room = malloc(orr__paillier_room(key->pub) * sizeof *room), m[64], x[128], noise[128];
        while (fscanf(f, "%2099s %2099s %2099s", line[0], line[1], line[2]) == 3 && strcmp(line[0], "end") != 0) {
            (void)mpz_set_str(r, line[0], 16);
            mpz_t n2;
            mpz_init(n2);
            mpz_mul(n2, n, n);
            mpz_powm(r, r, n, n2);
            mpz_clear(n2);
            get(noise, 2 * l, r);
            (void)mpz_set_str(have, line[1], 16);
            get(m, l, have);
            (void)mpz_set_str(c, line[2], 16);
            orr__paillier_encrypt(key->pub, m, noise, x, room);
            set(r, x, 2 * l);
            ORR_CHECK(mpz_cmp(r, c) == 0);
            orr__paillier_decrypt(key->pub, key->priv, x, m, room);
            set(r, m, l);
            ORR_CHECK(mpz_cmp(r, have) == 0);
            numbers++;
        }
        free(room);
        orr_paillier_free(key);
    }
    ORR_CHECK_MSG(keys == 3 && numbers == 95, "%d keys, %d numbers", keys, numbers);
    mpz_clears(n, p, q, r, c, have, NULL);
    (void)fclose(f);
}

/* Packed numbers are Σ v·2^(i·s) modulo n, and are unpacked correctly, alone and summed. */
static void packing_is_gmp(void)
{
    orr_paillier *key = orr__paillier_generate(here, 512);
    ORR_REQUIRE(key);
    unsigned long long seed = 14;
    mp_limb_t m[8], room[64];
    mpz_t n, want, v, have;
    mpz_inits(n, want, v, have, NULL);
    set(n, key->pub->n, 8);
    for (int i = 0; i < cases(100000, 20000); i++) {
        int bits = 2 + (int)(orr_test_rand(&seed) % (i % 3 ? 70 : 509)), fit = 510 / bits;
        int slots = 1 + (int)(orr_test_rand(&seed) % (unsigned)fit),
            count = 1 + (int)(orr_test_rand(&seed) % (unsigned)slots);
        int64_t x[256];
        int low = bits > 64 ? 0 : 64 - bits;
        mpz_set_ui(want, 0);
        for (int k = 0; k < count; k++) {
            x[k] = (int64_t)orr_test_rand(&seed) >> low;
            if (x[k] == INT64_MIN >> low)
                x[k]++;
            mpz_set_si(v, (long)x[k]);
            mpz_mul_2exp(v, v, (mp_bitcnt_t)k * (mp_bitcnt_t)bits);
            mpz_add(want, want, v);
        }
        mpz_mod(want, want, n);
        orr__pack(key->pub, x, count, slots, bits, m, room);
        set(have, m, 8);
        ORR_CHECK_MSG(mpz_cmp(have, want) == 0, "case %d: %d slots of %d bits", i, slots, bits);
        ORR_CHECK(orr__unpack_begin(key->pub, slots, bits, m, room));
        for (int k = 0; k < slots; k++) {
            int64_t y = 1, z = k < count ? x[k] : 0;
            ORR_CHECK(orr__unpack_integer(m, k, bits, &y) && y == z);
            ORR_CHECK(orr__unpack_double(m, k, bits, 3) == ldexp((double)z, -3));
        }
    }
    /* numbers above 64 bits: doubles beside mpz_get_d, which truncates: within one unit; ties by hand */
    for (int i = 0; i < 2000; i++) {
        int exponent = 1 + (int)(orr_test_rand(&seed) % 400);
        random_below(v, n, &seed);
        mpz_fdiv_r_2exp(v, v, (mp_bitcnt_t)exponent);
        if (i % 2)
            mpz_neg(v, v);
        mpz_mod(want, v, n);
        get(m, 8, want);
        ORR_CHECK(orr__unpack_begin(key->pub, 1, 510, m, room));
        double near = orr__unpack_double(m, 0, 510, 0), cut = mpz_get_d(v);
        mpz_set_d(have, near);
        mpz_sub(have, have, v);
        double off = fabs(mpz_get_d(have)), unit = nextafter(fabs(cut), INFINITY) - fabs(cut);
        ORR_CHECK_MSG(off <= unit / 2 * (1 + 1e-15), "case %d: %g off %g", i, cut, off);
    }
    mpz_clears(n, want, v, have, NULL);
    orr_paillier_free(key);
}
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_GMP
    static const orr_test tests[] = {
        ORR_TEST(keys_are_two_primes),      ORR_TEST(composites_are_no_primes), ORR_TEST(arithmetic_is_gmp),
        ORR_TEST(numbers_are_those_of_phe), ORR_TEST(packing_is_gmp),           { 0 },
    };
    return orr_test_main(argc, argv, "paillier numbers", tests);
#else
    (void)argc;
    (void)argv;
    printf("built without GMP (libgmp-dev)\norr-test: 0 0 1\n");
    return 77;
#endif
}
