/* Poseidon in every instruction set, beside published hashes and those of a script.
 * Must not know: trees. */
#include "config.h"

#ifndef HAVE_GMP
#include "tests/harness/harness.h"

static void hashes(void)
{
    ORR_SKIP("built without GMP");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(hashes), { 0 } };
    return orr_test_main(argc, argv, "field.hash", tests);
}

#else

#include <stdio.h>
#include "tests/field/field_help.h"

static void check(const orr__fieldkit *k, const orr__fe *x, int count, const char *want, const char *what)
{
    mpz_t w;
    orr__fe z;
    mpz_init_set_str(w, want, 10);
    const orr__poseidon *p = orr__poseidon_get(count + 1);
    ORR_REQUIRE(p);
    k->poseidon(p, &z, x, count, NULL, 1);
    ORR_CHECK_MSG(field_is(ORR__FR, &z, w), "%s, %s of %d", k->name, what, count);
    mpz_clear(w);
}

static orr__fe small(unsigned long v)
{
    mpz_t x;
    mpz_init_set_ui(x, v);
    orr__fe z = field_from(ORR__FR, x);
    mpz_clear(x);
    return z;
}

/* From the tests of circomlib and of its ports. */
static void published_hashes(void)
{
    static const struct {
        int count;
        unsigned long x[8];
        const char *want;
    } known[] = {
        { 1, { 1 }, "18586133768512220936620570745912940619677854269274689475585506675881198879027" },
        { 2, { 1, 2 }, "7853200120776062878684798364095072458815029376092732009249414926327459813530" },
        { 3, { 1, 2, 3 }, "6542985608222806190361240322586112750744169038454362455181422643027100751666" },
        { 4, { 1, 2, 3, 4 }, "18821383157269793795438455681495246036402687001665670618754263018637548127333" },
        { 5, { 1, 2, 3, 4, 5 }, "6183221330272524995739186171720101788151706631170188140075976616310159254464" },
        { 5, { 1, 2, 0, 0, 0 }, "1018317224307729531995786483840663576608797660851238720571059489595066344487" },
        { 5, { 3, 4, 0, 0, 0 }, "5811595552068139067952687508729883632420015185677766880877743348592482390548" },
        { 6, { 1, 2, 3, 4, 5, 6 }, "20400040500897583745843009878988256314335038853985262692600694741116813247201" },
        { 8,
          { 1, 2, 3, 4, 5, 6, 7, 8 },
          "18604317144381847857886385684060986177838410221561136253933256952257712543953" },
    };
    FIELD_EACH_KIT(k)
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        orr__fe x[8];
        for (int j = 0; j < known[i].count; j++)
            x[j] = small(known[i].x[j]);
        check(k, x, known[i].count, known[i].want, "published hash");
    }
}

static void every_width(void)
{
    FILE *f = fopen(orr_test_golden("field/poseidon.txt"), "r");
    char line[512], first[100], second[100];
    int t, seen = 0;
    ORR_REQUIRE(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d %99s %99s", &t, first, second) != 3)
            continue;
        seen++;
        FIELD_EACH_KIT(k)
        {
            orr__fe x[16], y[16];
            for (int i = 0; i < t - 1; i++)
                x[i] = small((unsigned long)i + 1);
            k->map(ORR__FR, ORR__FNEG, y, x, 1, x, 1, t - 1);
            check(k, x, t - 1, first, "hash");
            check(k, y, t - 1, second, "hash of negatives");
        }
    }
    (void)fclose(f);
    ORR_CHECK_MSG(seen == 16, "%d widths", seen);
    ORR_CHECK(!orr__poseidon_get(1) && !orr__poseidon_get(18));
}

/* Rows that overlap, one value for all, and a first lane that is not 0. */
static void many_at_once(void)
{
    enum { N = 50 };
    unsigned long long seed = 3;
    orr__fe x[N + 2], z[N], one;
    mpz_t p, v;
    mpz_inits(p, v, NULL);
    field_prime(p, ORR__FR);
    for (int i = 0; i < N + 2; i++) {
        field_random(v, p, &seed);
        x[i] = field_from(ORR__FR, v);
    }
    FIELD_EACH_KIT(k)
    for (int n = 0; n <= N; n++) {
        const orr__poseidon *h = orr__poseidon_get(3);
        k->poseidon(h, z, x, 1, n % 2 ? &x[N] : NULL, n);
        for (int i = 0; i < n; i++) {
            k->poseidon(h, &one, x + i, 2, n % 2 ? &x[N] : NULL, 1);
            ORR_CHECK(memcmp(&one, z + i, sizeof one) == 0);
        }
    }
    FIELD_EACH_KIT(k)
    {
        orr__fe other[N];
        orr__fieldkit_named("portable")->poseidon(orr__poseidon_get(2), z, x, 1, NULL, N);
        k->poseidon(orr__poseidon_get(2), other, x, 1, NULL, N);
        ORR_CHECK_MSG(memcmp(z, other, sizeof z) == 0, "%s", k->name);
    }
    mpz_clears(p, v, NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(published_hashes), ORR_TEST(every_width), ORR_TEST(many_at_once), { 0 }
    };
    return orr_test_main(argc, argv, "field.hash", tests);
}

#endif
