/* The field 2^61 − 1, products in it, and interpolation, beside GMP and galois; masks beside BLAKE2b and ChaCha20 of
 * Python.
 * Must not know: tensors, parties. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_GMP
#include <gmp.h>
#endif
#include "ops/share/p61.h"
#include "ops/share/secagg.h"
#include "tests/harness/harness.h"

enum { CASES = 100000 };

#ifdef HAVE_GMP
/* A random element, often near the ends, where carries occur. */
static uint64_t element(unsigned long long *seed)
{
    static const uint64_t ends[] = { 0, 1, 2, ORR__P61 - 1, ORR__P61 - 2, UINT64_C(1) << 60, ORR__P61 / 2 };
    uint64_t x = orr_test_rand(seed);
    return x % 16 == 0 ? ends[x / 16 % 7] : orr_test_rand(seed) % ORR__P61;
}

static void set(mpz_t z, uint64_t x)
{
    mpz_import(z, 1, 1, sizeof x, 0, 0, &x);
}

static bool is(const mpz_t z, uint64_t x)
{
    mpz_t y;
    mpz_init(y);
    set(y, x);
    bool same = mpz_cmp(z, y) == 0;
    mpz_clear(y);
    return same;
}

static void field_is_gmp(void)
{
    unsigned long long seed = 1;
    mpz_t a, b, p, r;
    mpz_inits(a, b, p, r, NULL);
    set(p, ORR__P61);
    for (int i = 0; i < CASES; i++) {
        uint64_t x = element(&seed), y = element(&seed);
        set(a, x);
        set(b, y);
        mpz_add(r, a, b);
        mpz_mod(r, r, p);
        ORR_REQUIRE(is(r, orr__p61_add(x, y)));
        mpz_sub(r, a, b);
        mpz_mod(r, r, p);
        ORR_REQUIRE(is(r, orr__p61_sub(x, y)));
        mpz_mul(r, a, b);
        mpz_mod(r, r, p);
        ORR_REQUIRE(is(r, orr__p61_mul(x, y)));
        if (x != 0) {
            ORR_REQUIRE(mpz_invert(r, a, p) != 0);
            ORR_REQUIRE(is(r, orr__p61_inverse(x)));
        }
        /* any 128 bits */
        uint64_t high = orr_test_rand(&seed), low = orr_test_rand(&seed);
        if (i % 8 == 0)
            high = UINT64_MAX, low = UINT64_MAX - (uint64_t)(i % 3);
        set(a, high);
        mpz_mul_2exp(a, a, 64);
        set(b, low);
        mpz_add(a, a, b);
        mpz_mod(r, a, p);
        ORR_REQUIRE(is(r, orr__p61_reduce((orr__u128)high << 64 | low)));
    }
    ORR_CHECK(orr__p61_inverse(0) == 0);
    mpz_clears(a, b, p, r, NULL);
}

static void products_are_gmp(void)
{
    enum { MOST = 260 };
    static uint64_t a[7 * MOST], b[MOST * 13], out[7 * 13];
    unsigned long long seed = 2;
    mpz_t x, y, p, r;
    mpz_inits(x, y, p, r, NULL);
    set(p, ORR__P61);
    int64_t sums = 0;
    const int64_t least = getenv("ORR_TEST_FULL") ? CASES : 0;
    for (int round = 0; round < 60 || sums < least; round++) {
        int m = 1 + (int)(orr_test_rand(&seed) % 7), n = 1 + (int)(orr_test_rand(&seed) % 13);
        int k = round < 20 ? 60 + round : 1 + (int)(orr_test_rand(&seed) % MOST);
        for (int i = 0; i < m * k; i++)
            a[i] = round % 3 ? element(&seed) : ORR__P61 - 1;
        for (int i = 0; i < k * n; i++)
            b[i] = round % 3 ? element(&seed) : ORR__P61 - 1;
        orr__p61_product(m, n, k, a, k, b, n, out, 13);
        sums += (int64_t)m * n;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                mpz_set_ui(r, 0);
                for (int l = 0; l < k; l++) {
                    set(x, a[i * k + l]);
                    set(y, b[l * n + j]);
                    mpz_addmul(r, x, y);
                }
                mpz_mod(r, r, p);
                ORR_REQUIRE(is(r, out[i * 13 + j]));
            }
    }
    mpz_clears(x, y, p, r, NULL);
}
#else
static void field_is_gmp(void)
{
    ORR_SKIP("built without GMP (libgmp-dev)");
}

static void products_are_gmp(void)
{
    ORR_SKIP("built without GMP (libgmp-dev)");
}
#endif

/* Files with more cases, as written by tests/golden/private/make_share.py. */
static bool more(void)
{
    return getenv("ORR_TEST_GOLDEN") != NULL;
}

enum { POINTS = 20 };

typedef struct {
    int t, k, bads, bad[POINTS];
    uint64_t secret, point[POINTS], value[POINTS];
} polynomial;

#ifdef HAVE_GMP
/* Polynomials by Horner's rule in GMP; some values are made wrong. */
static void polynomials_are_gmp(void)
{
    const int cases = getenv("ORR_TEST_FULL") ? CASES : 5000;
    unsigned long long seed = 4;
    mpz_t v, x, p;
    mpz_inits(v, x, p, NULL);
    set(p, ORR__P61);
    for (int n = 0; n < cases; n++) {
        polynomial f = { .t = 1 + (int)(orr_test_rand(&seed) % 12) };
        uint64_t c[POINTS], bary[POINTS], weight[POINTS], y = 0, secret = 0;
        bool wrong[POINTS], found[POINTS];
        f.k = f.t + (int)(orr_test_rand(&seed) % (unsigned)(POINTS - f.t + 1));
        for (int i = 0; i < f.t; i++)
            c[i] = element(&seed);
        for (int i = 0; i < f.k; i++) {
            uint64_t at = n % 3 ? 1 + orr_test_rand(&seed) % 40 : 1 + orr_test_rand(&seed) % (ORR__P61 - 1);
            for (int j = 0; j < i; j++)
                if (f.point[j] == at) { /* another one, again compared with all previous ones */
                    at = at % 60 + 1;
                    j = -1;
                }
            f.point[i] = at;
            set(x, at);
            mpz_set_ui(v, 0);
            for (int j = f.t - 1; j >= 0; j--) {
                mpz_t coefficient;
                mpz_init(coefficient);
                set(coefficient, c[j]);
                mpz_mul(v, v, x);
                mpz_add(v, v, coefficient);
                mpz_mod(v, v, p);
                mpz_clear(coefficient);
            }
            f.value[i] = (uint64_t)mpz_get_ui(v);
            wrong[i] = false;
        }
        orr__lagrange_prepare(f.point, f.t, bary);
        for (int i = f.t - 1; i < f.k; i++) { /* the secret, and the other points */
            const uint64_t at = i < f.t ? 0 : f.point[i], want = i < f.t ? c[0] : f.value[i];
            orr__lagrange_at(f.point, bary, f.t, at, weight);
            orr__p61_product(1, 1, f.t, weight, f.t, f.value, 1, &y, 1);
            ORR_CHECK_MSG(y == want, "case %d", n);
        }
        for (int i = (f.k - f.t) / 2; i > 0; i--) {
            int at = (int)(orr_test_rand(&seed) % (unsigned)f.k);
            if (!wrong[at])
                f.value[at] = orr__p61_add(f.value[at], 1 + orr_test_rand(&seed) % (ORR__P61 - 1));
            wrong[at] = true;
        }
        ORR_CHECK_MSG(orr__berlekamp_welch(f.point, f.value, f.k, f.t, &secret, found) == 1 && secret == c[0] &&
                          memcmp(wrong, found, (size_t)f.k * sizeof *wrong) == 0,
                      "case %d", n);
    }
    mpz_clears(v, x, p, NULL);
}
#else
static void polynomials_are_gmp(void)
{
    ORR_SKIP("built without GMP (libgmp-dev)");
}
#endif

static bool number(FILE *f, uint64_t *x)
{
    unsigned long long y;
    bool ok = fscanf(f, "%llu", &y) == 1;
    *x = y;
    return ok;
}

static bool read_polynomial(FILE *f, polynomial *p, bool wrong)
{
    bool ok = fscanf(f, "%d %d", &p->t, &p->k) == 2 && p->k <= POINTS && number(f, &p->secret);
    for (int i = 0; ok && i < p->k; i++)
        ok = number(f, &p->point[i]);
    for (int i = 0; ok && i < p->k; i++)
        ok = number(f, &p->value[i]);
    p->bads = 0;
    ok = ok && (!wrong || fscanf(f, "%d", &p->bads) == 1);
    for (int i = 0; ok && i < p->bads; i++)
        ok = fscanf(f, "%d", &p->bad[i]) == 1;
    return ok;
}

static void polynomials_are_those_of_galois(void)
{
    FILE *f = fopen(orr_test_golden("private/shamir.txt"), "re");
    ORR_REQUIRE(f);
    polynomial p;
    int n = 0;
    for (; read_polynomial(f, &p, false); n++) {
        uint64_t bary[POINTS], weight[POINTS], y;
        orr__lagrange_prepare(p.point, p.t, bary);
        orr__lagrange_at(p.point, bary, p.t, 0, weight);
        orr__p61_product(1, 1, p.t, weight, p.t, p.value, 1, &y, 1);
        ORR_CHECK_MSG(y == p.secret, "case %d", n);
        for (int i = 0; i < p.k; i++) {
            orr__lagrange_at(p.point, bary, p.t, p.point[i], weight);
            orr__p61_product(1, 1, p.t, weight, p.t, p.value, 1, &y, 1);
            ORR_CHECK_MSG(y == p.value[i], "case %d, point %d", n, i);
        }
    }
    ORR_CHECK_MSG(n == 120 || (more() && n > 120), "%d cases", n);
    (void)printf("  %d cases\n", n);
    (void)fclose(f);
}

static void wrong_values_of_galois_are_found(void)
{
    FILE *f = fopen(orr_test_golden("private/wrong.txt"), "re");
    ORR_REQUIRE(f);
    polynomial p;
    int n = 0;
    for (; read_polynomial(f, &p, true); n++) {
        uint64_t secret = 0;
        bool wrong[POINTS];
        ORR_CHECK_MSG(orr__berlekamp_welch(p.point, p.value, p.k, p.t, &secret, wrong) == 1, "case %d", n);
        ORR_CHECK_MSG(secret == p.secret, "case %d", n);
        for (int i = 0, b = 0; i < p.k; i++) {
            bool want = b < p.bads && p.bad[b] == i;
            b += want;
            ORR_CHECK_MSG(wrong[i] == want, "case %d, share %d", n, i);
        }
    }
    ORR_CHECK_MSG(n == 120 || (more() && n > 120), "%d cases", n);
    (void)printf("  %d cases\n", n);
    (void)fclose(f);
}

static void bytes_of(const char *hex, unsigned char *out)
{
    for (unsigned byte = 0; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        *out++ = (unsigned char)byte;
}

static void masks_are_those_of_python(void)
{
#ifndef HAVE_SODIUM
    ORR_SKIP("built without libsodium (libsodium-dev)");
#endif
    FILE *f = fopen(orr_test_golden("private/masks.txt"), "re");
    ORR_REQUIRE(f);
    char text[5][140];
    unsigned i, j;
    unsigned long long block;
    int n = 0;
    for (; fscanf(f, "%139s %139s %139s %u %u %139s %llu %139s", text[0], text[1], text[2], &i, &j, text[3], &block,
                  text[4]) == 8;
         n++) {
        unsigned char a[32], b[32], run[16], key[32], stream[64], pub[32], room[ORR__MASK_ROOM];
        orr__mask mine, theirs;
        uint64_t acc[16] = { 0 };
        uint32_t low[32] = { 0 };
        bytes_of(text[0], a);
        bytes_of(text[1], b);
        bytes_of(text[2], run);
        bytes_of(text[3], key);
        bytes_of(text[4], stream);
        orr__key_public(b, pub);
        ORR_CHECK(orr__pair_mask(a, pub, run, i, j, &mine));
        orr__key_public(a, pub);
        ORR_CHECK(orr__pair_mask(b, pub, run, j, i, &theirs));
        ORR_CHECK_MSG(memcmp(mine.key, key, 32) == 0 && memcmp(theirs.key, key, 32) == 0, "case %d", n);
        ORR_CHECK(i == j || mine.minus != theirs.minus);
        mine.minus = false;
        ORR_CHECK(orr__mask_add(ORR_MOD_2_64, acc, (int64_t)block * 8, 16, &mine, 1, room));
        ORR_CHECK(orr__mask_add(ORR_MOD_2_32, low, (int64_t)block * 16, 32, &mine, 1, room));
        ORR_CHECK_MSG(memcmp(acc, stream, 64) == 0 && memcmp(low, stream, 64) == 0, "case %d, block %llu", n, block);
        mine.minus = true;
        ORR_CHECK(orr__mask_add(ORR_MOD_2_64, acc, (int64_t)block * 8, 16, &mine, 1, room));
        for (int k = 0; k < 16; k++)
            ORR_CHECK(acc[k] == 0);
    }
    ORR_CHECK_MSG(n == 40 || (more() && n > 40), "%d cases", n);
    (void)printf("  %d cases\n", n);
    (void)fclose(f);
}

static void secrets_are_five_elements(void)
{
    unsigned long long seed = 3;
    for (int i = 0; i < 1000; i++) {
        unsigned char a[32], b[32];
        uint64_t words[ORR__WORDS];
        for (int k = 0; k < 32; k++)
            a[k] = i == 0 ? 0xff : (unsigned char)orr_test_rand(&seed);
        orr__secret_words(a, words);
        for (int k = 0; k < ORR__WORDS; k++)
            ORR_CHECK(words[k] < ORR__P61);
        ORR_CHECK(orr__words_secret(words, b) && memcmp(a, b, 32) == 0);
        words[i % ORR__WORDS] |= UINT64_C(1) << 60;
        ORR_CHECK(!orr__words_secret(words, b));
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(field_is_gmp),
        ORR_TEST(products_are_gmp),
        ORR_TEST(polynomials_are_gmp),
        ORR_TEST(polynomials_are_those_of_galois),
        ORR_TEST(wrong_values_of_galois_are_found),
        ORR_TEST(masks_are_those_of_python),
        ORR_TEST(secrets_are_five_elements),
        { 0 },
    };
    return orr_test_main(argc, argv, "share field", tests);
}
