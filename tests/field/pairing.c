/* The pairing check, by the properties of a pairing: e(a p, b q) is e(p, q)^(a b), and e(p, q) is not 1. The exponents
 * are GMP's.
 * Must not know: how it is computed. Every bilinear map of these groups that is not 1 everywhere is a power of every
 * other one, so a product of such values is 1 for one of them exactly if it is for all. */
#include "config.h"

#ifndef HAVE_GMP
#include "tests/harness/harness.h"

static void pairings(void)
{
    ORR_SKIP("built without GMP");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(pairings), { 0 } };
    return orr_test_main(argc, argv, "field.pairing", tests);
}

#else

#include "codelets/field/constants.h"
#include "tests/field/field_help.h"

static unsigned long long seed = 12;

static mpz_t r;

static orr__fe draw(mpz_t x)
{
    do
        field_random(x, r, &seed);
    while (mpz_sgn(x) == 0);
    return field_from(ORR__FR, x);
}

static void one_pair_is_not_1(void)
{
    FIELD_EACH_KIT(k)
    {
        orr__g1 none1 = { { { 0 } }, { { 0 } } };
        orr__g2 none2;
        memset(&none2, 0, sizeof none2);
        ORR_CHECK(!k->pairing(&orr__g1_generator, &orr__g2_generator, 1));
        ORR_CHECK(k->pairing(&none1, &orr__g2_generator, 1));
        ORR_CHECK(k->pairing(&orr__g1_generator, &none2, 1));
        ORR_CHECK(k->pairing(NULL, NULL, 0));
    }
}

static void products_of_pairs(void)
{
    const int cases = field_cases(60);
    mpz_t x, y, sum;
    mpz_inits(r, x, y, sum, NULL);
    field_prime(r, ORR__FR);
    for (int n = 0; n < cases; n++) {
        enum { PAIRS = 4 };
        const orr__fieldkit *k = NULL;
        for (int i = n / PAIRS % 3; !(k = orr__fieldkit_named(field_kit_name[i])); i--)
            ;
        orr__fe a[PAIRS], b[PAIRS], s;
        orr__g1 p[PAIRS + 1];
        orr__g2 q[PAIRS + 1];
        const int pairs = 1 + n % PAIRS;
        mpz_set_ui(sum, 0); /* e(a1 p, b1 q) … e(-(a1 b1 + …) p, q) */
        for (int i = 0; i < pairs; i++) {
            a[i] = draw(x);
            b[i] = draw(y);
            mpz_submul(sum, x, y);
        }
        mpz_mod(sum, sum, r);
        s = field_from(ORR__FR, sum);
        k->g1->multiply(p, &orr__g1_generator, 0, a, 1, pairs);
        k->g2->multiply(q, &orr__g2_generator, 0, b, 1, pairs);
        k->g1->multiply(p + pairs, &orr__g1_generator, 0, &s, 1, 1);
        q[pairs] = orr__g2_generator;
        ORR_CHECK_MSG(k->pairing(p, q, pairs + 1), "%s, %d pairs", k->name, pairs);
        k->g1->neg(p, p, 1);
        ORR_CHECK_MSG(!k->pairing(p, q, pairs + 1), "%s, %d pairs", k->name, pairs);
    }
    mpz_clears(r, x, y, sum, NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_pair_is_not_1), ORR_TEST(products_of_pairs), { 0 } };
    return orr_test_main(argc, argv, "field.pairing", tests);
}

#endif
