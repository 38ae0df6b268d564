/* Random numbers: published vectors, ranges, moments, bijections.
 * Must not know: streams, tensors. */
#include "config.h"
#include "runtime/base/philox.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

/* philox4x32, 10 rounds, from the known-answer file of the Random123 distribution. */
static void philox_gives_the_published_answers(void)
{
    static const struct {
        uint64_t key, lo, hi;
        uint32_t want[4];
    } kat[] = {
        { 0, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { UINT64_MAX, UINT64_MAX, UINT64_MAX, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { 0x299f31d0a4093822u,
          0x85a308d3243f6a88u,
          0x0370734413198a2eu,
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t w[4];
        orr__philox(kat[i].key, kat[i].lo, kat[i].hi, w);
        ORR_CHECK_MSG(memcmp(w, kat[i].want, sizeof w) == 0, "vector %zu: %08x %08x %08x %08x", i, w[0], w[1], w[2],
                      w[3]);
    }
}

static void elements_are_words_of_the_blocks(void)
{
    uint32_t w[4];
    for (uint64_t i = 0; i < 100; i++) {
        orr__philox(77, i / 4, 0, w);
        ORR_CHECK(orr__rand_bits32(77, i) == w[i % 4]);
        orr__philox(77, i / 2, 1, w);
        ORR_CHECK(orr__rand_bits64(77, i) == ((uint64_t)w[2 * (i % 2) + 1] << 32 | w[2 * (i % 2)]));
    }
}

enum { N = 1 << 18 };

static void check_moments(const char *what, double (*draw)(uint64_t), double mean, double variance)
{
    double s = 0, s2 = 0, lag = 0, last = 0;
    for (uint64_t i = 0; i < N; i++) {
        double x = draw(i) - mean;
        s += x;
        s2 += x * x;
        lag += x * last;
        last = x;
    }
    double sigma = sqrt(variance / N);
    ORR_CHECK_MSG(fabs(s / N) < 5 * sigma, "%s: mean off by %g", what, s / N);
    ORR_CHECK_MSG(fabs(s2 / N - variance) < 0.02 * variance, "%s: variance %g", what, s2 / N);
    ORR_CHECK_MSG(fabs(lag / N) < 5 * variance / sqrt(N), "%s: neighbours correlate: %g", what, lag / N);
}

static double u32f(uint64_t i)
{
    return (double)orr__u01_f32(orr__rand_bits32(5, i));
}
static double u64f(uint64_t i)
{
    return orr__u01_f64(orr__rand_bits64(6, i));
}
static double n64f(uint64_t i)
{
    return orr__rand_normal_f64(7, i);
}

static void random_moments_are_right(void)
{
    check_moments("u01_f32", u32f, 0.5, 1.0 / 12);
    check_moments("u01_f64", u64f, 0.5, 1.0 / 12);
    check_moments("normal", n64f, 0, 1);
}

static void uniform_stays_below_one(void)
{
    static const orr_dtype types[] = { ORR_F16, ORR_BF16, ORR_F32, ORR_F64 };
    orr__scalar zero = { .u = 0 };
    for (size_t t = 0; t < 4; t++) {
        double top = 0;
        for (uint64_t i = 0; i < N; i++) {
            double x = orr__rand_value(ORR__DUNIFORM, types[t], 3, zero, zero, i).f;
            uint64_t bits;
            orr__scalar_store(&bits, types[t], (orr__scalar){ .f = x });
            ORR_REQUIRE(x >= 0 && x < 1 && orr__scalar_load(&bits, types[t]).f == x);
            top = x > top ? x : top;
        }
        ORR_CHECK(top > 0.99);
    }
}

/* Kolmogorov-Smirnov against the normal distribution; 1.95/sqrt(n) is exceeded by one seed in 1000. */
static void normal_has_its_distribution(void)
{
    static int bins[2001];
    memset(bins, 0, sizeof bins);
    for (uint64_t i = 0; i < N; i++) {
        double x = orr__rand_normal_f64(11, i);
        ORR_REQUIRE(isfinite(x) && fabs(x) < 9);
        double b = ceil((x + 5) * 200);
        bins[b < 0 ? 0 : b > 2000 ? 2000 : (int)b]++;
    }
    double seen = 0, worst = 0;
    for (int b = 0; b < 2000; b++) {
        seen += bins[b];
        double d = fabs(seen / N - 0.5 * erfc(-(b / 200.0 - 5) / sqrt(2.0)));
        worst = d > worst ? d : worst;
    }
    ORR_CHECK_MSG(worst < 1.95 / sqrt(N), "distance %g", worst);
}

static void integers_fill_their_range(void)
{
    int seen[10] = { 0 };
    for (uint64_t i = 0; i < 100000; i++) {
        int64_t x = orr__rand_integers(9, i, -3, 10);
        ORR_REQUIRE(x >= -3 && x < 7);
        seen[x + 3]++;
    }
    for (int k = 0; k < 10; k++)
        ORR_CHECK_MSG(abs(seen[k] - 10000) < 500, "%d came %d times", k - 3, seen[k]);
    bool low = false, high = false;
    for (uint64_t i = 0; i < 100; i++) {
        int64_t x = orr__rand_integers(9, i, INT64_MIN, 0);
        low |= x < 0;
        high |= x > 0;
        ORR_CHECK(orr__rand_integers(9, i, 42, 1) == 42);
    }
    ORR_CHECK(low && high);
}

static void permutation_is_a_bijection(void)
{
    static unsigned char hit[70000];
    static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 100, 1000, 1023, 1024, 1025, 60000, 65536 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        memset(hit, 0, sizeof hit);
        int64_t n = sizes[k], fixed = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t x = orr__rand_permutation(123, (uint64_t)n, (uint64_t)i);
            ORR_REQUIRE(x >= 0 && x < n && !hit[x]);
            hit[x] = 1;
            fixed += x == i;
        }
        ORR_CHECK_MSG(n < 9 || fixed < 9, "%lld fixed points of %lld", (long long)fixed, (long long)n);
    }
    ORR_CHECK(orr__rand_permutation(1, INT64_MAX, 5) >= 0);
}

/* All 24 orders of 4 are about equally frequent (chi squared with 23 degrees of freedom: 49.7 is exceeded by one in
 * 1000). */
static void small_permutations_are_uniform(void)
{
    static int seen[256];
    memset(seen, 0, sizeof seen);
    enum { TRIES = 24000 };
    for (uint64_t s = 0; s < TRIES; s++) {
        unsigned code = 0;
        uint64_t seed = orr__rand_mix(1, s);
        for (uint64_t i = 0; i < 4; i++)
            code = code << 2 | (unsigned)orr__rand_permutation(seed, 4, i);
        seen[code]++;
    }
    int kinds = 0;
    double chi = 0;
    for (int c = 0; c < 256; c++) {
        if (seen[c]) {
            kinds++;
            chi += (seen[c] - 1000.0) * (seen[c] - 1000.0) / 1000.0;
        }
    }
    ORR_CHECK_MSG(kinds == 24 && chi < 49.7, "%d orders, chi squared %g", kinds, chi);
}

static void random_value_equals_inline_functions(void)
{
    orr__scalar lo = { .i = -5 }, range = { .u = 11 }, n = { .i = 99 }, zero = { .u = 0 };
    for (uint64_t i = 0; i < 99; i++) {
        ORR_CHECK(orr__rand_value(ORR__DBITS, ORR_U32, 8, zero, zero, i).u == orr__rand_bits32(8, i));
        ORR_CHECK(orr__rand_value(ORR__DBITS, ORR_U64, 8, zero, zero, i).u == orr__rand_bits64(8, i));
        ORR_CHECK(orr__rand_value(ORR__DUNIFORM, ORR_F32, 8, zero, zero, i).f ==
                  (double)orr__u01_f32(orr__rand_bits32(8, i)));
        ORR_CHECK(orr__rand_value(ORR__DNORMAL, ORR_F32, 8, zero, zero, i).f ==
                  (double)(float)orr__rand_normal_f64(8, i));
        ORR_CHECK(orr__rand_value(ORR__DNORMAL, ORR_F64, 8, zero, zero, i).f == orr__rand_normal_f64(8, i));
        ORR_CHECK(orr__rand_value(ORR__DINTEGERS, ORR_I64, 8, lo, range, i).i == orr__rand_integers(8, i, -5, 11));
        ORR_CHECK(orr__rand_value(ORR__DPERMUTATION, ORR_I64, 8, n, zero, i).i == orr__rand_permutation(8, 99, i));
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(philox_gives_the_published_answers),
        ORR_TEST(elements_are_words_of_the_blocks),
        ORR_TEST(random_moments_are_right),
        ORR_TEST(uniform_stays_below_one),
        ORR_TEST(normal_has_its_distribution),
        ORR_TEST(integers_fill_their_range),
        ORR_TEST(permutation_is_a_bijection),
        ORR_TEST(small_permutations_are_uniform),
        ORR_TEST(random_value_equals_inline_functions),
        { 0 },
    };
    return orr_test_main(argc, argv, "base.philox", tests);
}
