/* Integers of GMP beside field elements, for the tests of finite fields.
 * Must not know: which operation is tested. */
#ifndef ORR_TESTS_FIELD_HELP_H
#define ORR_TESTS_FIELD_HELP_H

#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/field/field.h"
#include "tests/harness/harness.h"

static const char *const field_prime_text[2] = {
    "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
    "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
};
static const char *const field_kit_name[] = { "portable", "mulx", "ifma" };

/* The kits that run on this processor, in sequence; NULL after the last. */
#define FIELD_EACH_KIT(k)                                                                                              \
    for (int kit_ = 0; kit_ < 3; kit_++)                                                                               \
        for (const orr__fieldkit *k = orr__fieldkit_named(field_kit_name[kit_]); k; k = NULL)

static inline void field_prime(mpz_t p, orr__field f)
{
    mpz_set_str(p, field_prime_text[f], 16);
}

static inline void field_bytes(unsigned char out[32], const mpz_t x)
{
    size_t n;
    memset(out, 0, 32);
    (void)mpz_export(out, &n, -1, 1, 0, 0, x);
}

static inline orr__fe field_from(orr__field f, const mpz_t x)
{
    unsigned char b[32];
    orr__fe z;
    field_bytes(b, x);
    (void)orr__fieldkit_named("portable")->read(f, &z, b, 1);
    return z;
}

static inline void field_to(mpz_t x, orr__field f, const orr__fe *v)
{
    unsigned char b[32];
    orr__fieldkit_named("portable")->write(f, b, v, 1);
    mpz_import(x, 32, -1, 1, 0, 0, b);
}

static inline bool field_is(orr__field f, const orr__fe *v, const mpz_t want)
{
    mpz_t x;
    mpz_init(x);
    field_to(x, f, v);
    bool same = mpz_cmp(x, want) == 0;
    mpz_clear(x);
    return same;
}

/* Random cases of an operation: 100,000 with ORR_TEST_FULL=1. */
static inline int field_cases(int few)
{
    return getenv("ORR_TEST_FULL") ? 100000 : few;
}

/* A random number below p; one in eight is near 0, p or a border between limbs. */
static inline void field_random(mpz_t x, const mpz_t p, unsigned long long *seed)
{
    uint64_t l[5];
    for (int i = 0; i < 5; i++)
        l[i] = orr_test_rand(seed);
    if (l[4] % 8) {
        mpz_import(x, 5, -1, 8, 0, 0, l);
    } else {
        mpz_set_ui(x, l[0] % 3);
        if (l[1] % 3 == 1)
            mpz_sub(x, p, x);
        if (l[1] % 3 == 2) {
            mpz_setbit(x, (mp_bitcnt_t)(l[2] % 4 * 64));
            mpz_sub_ui(x, x, l[3] % 2 * 2);
        }
        if (mpz_sgn(x) < 0)
            mpz_set_ui(x, 0);
    }
    mpz_mod(x, x, p);
}

#endif
