/* Poseidon in every instruction set, beside published hashes, the hashes of a script, and GMP.
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

/* Overlapping rows, one value for all, and a first lane that is not 0. */
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

/* -- the rounds as the paper has them, by GMP ------------------------------------------------------------------------ */

enum { WIDEST = ORR__POSEIDON_MAX, FULL_ROUNDS = 8, ROUNDS = 80 };

/* The bits of the paper's script: an 80-bit register; of each two bits, the second is used if the first is 1. */
typedef struct {
    int bit[80];
} grain;

static int grain_step(grain *g)
{
    int b = g->bit[62] ^ g->bit[51] ^ g->bit[38] ^ g->bit[23] ^ g->bit[13] ^ g->bit[0];
    memmove(g->bit, g->bit + 1, sizeof g->bit - sizeof *g->bit);
    return g->bit[79] = b;
}

static void grain_begin(grain *g, int t, int partial)
{
    const int value[] = { 1, 0, 254, t, FULL_ROUNDS, partial }, width[] = { 2, 4, 12, 12, 10, 10 };
    int n = 0;
    for (int i = 0; i < 6; i++)
        for (int k = width[i] - 1; k >= 0; k--)
            g->bit[n++] = value[i] >> k & 1;
    while (n < 80)
        g->bit[n++] = 1;
    for (int i = 0; i < 160; i++)
        (void)grain_step(g);
}

static void grain_integer(grain *g, mpz_t x)
{
    mpz_set_ui(x, 0);
    for (int n = 0; n < 254;) {
        int keep = grain_step(g), b = grain_step(g);
        if (keep) {
            mpz_mul_2exp(x, x, 1);
            mpz_add_ui(x, x, (unsigned long)b);
            n++;
        }
    }
}

static mpz_t prime, constant[ROUNDS * WIDEST], matrix[WIDEST][WIDEST], state[WIDEST], mixed[WIDEST];

/* Constants of the rounds, then the Cauchy matrix 1/(x_i + y_j). */
static void plain_begin(int t, int partial)
{
    static bool made;
    mpz_t x[2 * WIDEST];
    grain g;
    for (int i = 0; !made && i < ROUNDS * WIDEST; i++)
        mpz_init(constant[i]);
    for (int i = 0; !made && i < WIDEST; i++) {
        mpz_inits(state[i], mixed[i], NULL);
        for (int j = 0; j < WIDEST; j++)
            mpz_init(matrix[i][j]);
    }
    made = true;
    grain_begin(&g, t, partial);
    for (int i = 0; i < (FULL_ROUNDS + partial) * t; i++)
        do
            grain_integer(&g, constant[i]);
        while (mpz_cmp(constant[i], prime) >= 0);
    for (int i = 0; i < 2 * t; i++) {
        mpz_init(x[i]);
        grain_integer(&g, x[i]);
    }
    for (int i = 0; i < t; i++)
        for (int j = 0; j < t; j++) {
            mpz_add(matrix[i][j], x[i], x[t + j]);
            ORR_CHECK(mpz_invert(matrix[i][j], matrix[i][j], prime));
        }
    for (int i = 0; i < 2 * t; i++)
        mpz_clear(x[i]);
}

/* Applies the rounds to state; the hash is state[0]. */
static void plain_rounds(int t, int partial)
{
    for (int round = 0; round < FULL_ROUNDS + partial; round++) {
        const bool full = round < FULL_ROUNDS / 2 || round >= FULL_ROUNDS / 2 + partial;
        for (int i = 0; i < t; i++) {
            mpz_add(state[i], state[i], constant[round * t + i]);
            if (full || i == 0)
                mpz_powm_ui(state[i], state[i], 5, prime);
        }
        for (int i = 0; i < t; i++) {
            mpz_set_ui(mixed[i], 0);
            for (int j = 0; j < t; j++)
                mpz_addmul(mixed[i], matrix[i][j], state[j]);
            mpz_mod(mixed[i], mixed[i], prime);
        }
        for (int i = 0; i < t; i++)
            mpz_swap(state[i], mixed[i]);
    }
}

static void random_hashes(void)
{
    unsigned long long seed = 91;
    const int each = field_cases(160) / (WIDEST - 1);
    mpz_init(prime);
    field_prime(prime, ORR__FR);
    for (int t = 2; t <= WIDEST; t++) {
        const orr__poseidon *p = orr__poseidon_get(t);
        ORR_REQUIRE(p);
        plain_begin(t, p->partial);
        for (int n = 0; n < each; n++) {
            orr__fe x[WIDEST], z;
            mpz_set_ui(state[0], 0);
            for (int i = 1; i < t; i++) {
                field_random(state[i], prime, &seed);
                x[i - 1] = field_from(ORR__FR, state[i]);
            }
            plain_rounds(t, p->partial);
            FIELD_EACH_KIT(k)
            {
                k->poseidon(p, &z, x, t - 1, NULL, 1);
                ORR_CHECK_MSG(field_is(ORR__FR, &z, state[0]), "%s, %d elements", k->name, t - 1);
            }
        }
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(published_hashes), ORR_TEST(every_width), ORR_TEST(many_at_once), ORR_TEST(random_hashes), { 0 }
    };
    return orr_test_main(argc, argv, "field.hash", tests);
}

#endif
