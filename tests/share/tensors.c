/* Fixed point, additive and Shamir shares of tensors: every round trip, and a clear error for impossible requests.
 * Must not know: parties, keys. */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "ops/share/p61.h"
#include "tests/harness/harness.h"

#ifndef HAVE_SODIUM
#define NEED_SODIUM() ORR_SKIP("built without libsodium (libsodium-dev)")
#else
#define NEED_SODIUM() ((void)0)
#endif

enum { MANY = 100000 };

static bool says(orr_tensor *t, orr_status st, const char *part)
{
    bool same = orr_tensor_status(t) == st && strstr(orr_error_message(), part);
    ORR_CHECK_MSG(same, "%s instead of \"%s\": %s", orr_status_name(orr_tensor_status(t)), part, orr_error_message());
    return same;
}

static uint64_t *random_elements(orr_modulus m, unsigned long long *seed, int64_t n)
{
    uint64_t *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = m == ORR_MOD_P61 ? orr_test_rand(seed) % ORR__P61 : orr_test_rand(seed);
    return x;
}

/* -- fixed point ------------------------------------------------------------------------------------------- */

static void fixed_point_is_exact(void)
{
    static const orr_modulus all[] = { ORR_MOD_2_32, ORR_MOD_2_64, ORR_MOD_P61 };
    static const int64_t half[] = { INT32_MAX, INT64_MAX, (int64_t)(ORR__P61 / 2) };
    double *x = malloc(MANY * sizeof *x), *back = malloc(MANY * sizeof *back);
    uint64_t *e = malloc(MANY * sizeof *e);
    unsigned long long seed = 4;
    ORR_REQUIRE(x && back && e);
    for (int m = 0; m < 3; m++)
        for (int f = 0; f <= 24; f += 12) {
            orr_fixed format = { all[m], f, 7 };
            orr_scope *s = orr_scope_begin();
            double limit = orr_fixed_limit(format);
            ORR_CHECK(limit == ldexp((double)(half[m] / 7), -f));
            for (int i = 0; i < MANY; i++)
                x[i] = ((double)orr_test_rand(&seed) / 9223372036854775808.0 - 1.0) * limit * (i % 5 ? 0.999 : 1e-6);
            orr_tensor *t = orr_fixed_encode(orr_from(ORR_F64, ORR_SHAPE(MANY), x), format);
            size_t width = m == 0 ? 4 : 8;
            ORR_CHECK_MSG(orr_read(t, e, MANY * width) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(orr_read(orr_fixed_decode(t, format, ORR_F64), back, MANY * sizeof *back) == ORR_OK);
            for (int i = 0; i < MANY; i++) {
                int64_t v = (int64_t)nearbyint(ldexp(x[i], f));
                uint64_t want = m == 0   ? (uint32_t)v
                                : m == 1 ? (uint64_t)v
                                : v < 0  ? (uint64_t)v + ORR__P61
                                         : (uint64_t)v;
                uint64_t have = m == 0 ? ((uint32_t *)e)[i] : e[i];
                if (have != want || back[i] != ldexp((double)v, -f)) {
                    ORR_CHECK_MSG(false, "modulus %d, fraction %d, %.17g", m, f, x[i]);
                    break;
                }
            }
            (void)orr_scope_end(s);
        }
    free(x);
    free(back);
    free(e);
}

static void fixed_point_ends_are_its_limit(void)
{
    orr_scope *s = orr_scope_begin();
    static const int64_t ends[] = { INT64_MAX, -INT64_MAX, 0, -1 };
    int64_t back[4];
    orr_fixed format = { ORR_MOD_2_64, 0, 1 };
    orr_tensor *t = orr_fixed_encode(orr_from(ORR_I64, ORR_SHAPE(4), ends), format);
    ORR_CHECK(orr_read(orr_fixed_decode(t, format, ORR_I64), back, sizeof back) == ORR_OK);
    ORR_CHECK(memcmp(ends, back, sizeof ends) == 0);
    int64_t least = INT64_MIN;
    (void)says(orr_fixed_encode(orr_from(ORR_I64, ORR_SHAPE(1), &least), format), ORR_EINDEX, "element 0");
    uint64_t high = UINT64_MAX;
    (void)says(orr_fixed_encode(orr_from(ORR_U64, ORR_SHAPE(1), &high), format), ORR_EINDEX, "element 0");
    double halves[] = { 0.5, 1.5, -0.5, -2.5 }; /* ties to even */
    int64_t even[4];
    t = orr_fixed_encode(orr_from(ORR_F64, ORR_SHAPE(4), halves), format);
    ORR_CHECK(orr_read(orr_fixed_decode(t, format, ORR_I64), even, sizeof even) == ORR_OK);
    ORR_CHECK(even[0] == 0 && even[1] == 2 && even[2] == 0 && even[3] == -2);
    (void)orr_scope_end(s);
}

static void fixed_point_overflow_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_fixed format = { ORR_MOD_2_32, 16, 10 };
    double limit = orr_fixed_limit(format),
           bad[] = { limit * 1.001, -limit * 1.001, (double)NAN, (double)INFINITY, 1e300 };
    float *x = calloc(40000, sizeof *x);
    ORR_REQUIRE(x);
    for (int i = 0; i < 5; i++) {
        int at = i * 9000 + 123;
        x[at] = (float)bad[i];
        char place[40];
        (void)snprintf(place, sizeof place, "element %d ", at);
        orr_tensor *t = orr_fixed_encode(orr_from(ORR_F32, ORR_SHAPE(40000), x), format);
        (void)says(t, ORR_EINDEX, place);
        ORR_CHECK_MSG(!strstr(orr_error_message(), "1e+300"), "a value is told: %s", orr_error_message());
        x[at] = 0;
    }
    (void)says(orr_fixed_encode(orr_ones(ORR_BOOL, ORR_SHAPE(2)), format), ORR_EDTYPE, "bool");
    (void)says(orr_fixed_encode(NULL, format), ORR_EINVAL, "NULL");
    (void)says(orr_fixed_encode(orr_ones(ORR_F32, ORR_SHAPE(2)), (orr_fixed){ ORR_MOD_2_32, 61, 1 }), ORR_EINVAL, "61");
    (void)says(orr_fixed_encode(orr_ones(ORR_F32, ORR_SHAPE(2)), (orr_fixed){ ORR_MOD_2_32, 1, 0 }), ORR_EINVAL,
               "addend");
    (void)says(orr_fixed_encode(orr_ones(ORR_F32, ORR_SHAPE(2)), (orr_fixed){ (orr_modulus)9, 1, 1 }), ORR_EINVAL, "9");
    (void)says(orr_fixed_decode(orr_ones(ORR_U64, ORR_SHAPE(2)), format, ORR_F32), ORR_EDTYPE, "uint32");
    (void)says(orr_fixed_decode(orr_ones(ORR_U32, ORR_SHAPE(2)), format, ORR_I32), ORR_EDTYPE, "int32");
    uint64_t above = ORR__P61;
    (void)says(orr_fixed_decode(orr_from(ORR_U64, ORR_SHAPE(1), &above), (orr_fixed){ ORR_MOD_P61, 1, 1 }, ORR_F32),
               ORR_EINDEX, "modulus");
    ORR_CHECK(orr_fixed_limit((orr_fixed){ ORR_MOD_2_64, -1, 1 }) < 0.0);
    free(x);
    (void)orr_scope_end(s);
}

static void every_dtype_is_encoded(void)
{
    static const orr_dtype all[] = { ORR_I8,  ORR_I16, ORR_I32, ORR_I64,  ORR_U8,  ORR_U16,
                                     ORR_U32, ORR_U64, ORR_F16, ORR_BF16, ORR_F32, ORR_F64 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        orr_scope *s = orr_scope_begin();
        orr_fixed format = { ORR_MOD_P61, 8, 4 };
        double y = 0;
        orr_tensor *x = orr_full(all[i], ORR_SHAPE(3, 5), 42.0);
        orr_tensor *t = orr_fixed_decode(orr_fixed_encode(x, format), format, ORR_F32);
        ORR_CHECK_MSG(orr_item(orr_sum(t, ORR_ALL_AXES, false), &y) == ORR_OK && y == 42.0 * 15, "%s: %g, %s",
                      orr_dtype_name(all[i]), y, orr_error_message());
        ORR_CHECK(orr_tensor_shape(t).rank == 2 && orr_tensor_shape(t).dim[1] == 5);
        (void)orr_scope_end(s);
    }
}

/* -- additive ------------------------------------------------------------------------------------------------ */

static void additive_shares_add_up(void)
{
    NEED_SODIUM();
    static const orr_modulus all[] = { ORR_MOD_2_32, ORR_MOD_2_64, ORR_MOD_P61 };
    unsigned long long seed = 5;
    for (int m = 0; m < 3; m++)
        for (int n = 2; n < 9; n += 3) {
            orr_scope *s = orr_scope_begin();
            uint64_t *x = random_elements(all[m], &seed, MANY), *back = calloc(MANY, sizeof *back);
            ORR_REQUIRE(x && back);
            orr_dtype dtype = m == 0 ? ORR_U32 : ORR_U64;
            size_t bytes = MANY * orr_dtype_size(dtype);
            orr_tensor *secret = orr_from(dtype, ORR_SHAPE(MANY / 4, 4), x);
            orr_tensor *shares = orr_additive_split(secret, n, all[m]);
            ORR_CHECK(orr_tensor_shape(shares).rank == 3 && orr_tensor_shape(shares).dim[0] == n);
            ORR_CHECK_MSG(orr_read(orr_additive_join(shares, all[m]), back, bytes) == ORR_OK, "%s",
                          orr_error_message());
            ORR_CHECK(memcmp(x, back, bytes) == 0);
            /* twice the secret, from twice the shares */
            orr_tensor *again = orr_additive_split(secret, n, all[m]);
            ORR_CHECK(orr_read(orr_additive_join(orr_concat(ORR_TENSORS(shares, again), 0), all[m]), back, bytes) ==
                      ORR_OK);
            for (int i = 0; i < MANY; i++) {
                uint64_t want = m == 2 ? orr__p61_add(x[i], x[i]) : 2 * x[i];
                if (m == 0 ? ((uint32_t *)back)[i] != 2 * ((uint32_t *)x)[i] : back[i] != want) {
                    ORR_CHECK_MSG(false, "element %d", i);
                    break;
                }
            }
            free(x);
            free(back);
            (void)orr_scope_end(s);
        }
}

/* Each bit of a single share is 1 in half of the cases, for any secret: 10^5 elements, 5 standard deviations. */
static void single_shares_are_uniform(void)
{
    NEED_SODIUM();
    orr_scope *s = orr_scope_begin();
    uint64_t *one = malloc(3 * MANY * sizeof *one);
    ORR_REQUIRE(one);
    for (int kind = 0; kind < 2; kind++) {
        orr_tensor *zero = orr_zeros(ORR_U64, ORR_SHAPE(MANY));
        orr_tensor *t = kind ? orr_shamir_split(zero, 2, 3) : orr_additive_split(zero, 3, ORR_MOD_2_64);
        ORR_CHECK_MSG(orr_read(t, one, 3 * MANY * sizeof *one) == ORR_OK, "%s", orr_error_message());
        for (int share = 0; share < 3; share++)
            for (int bit = 0; bit < (kind ? 61 : 64); bit++) {
                int ones = 0;
                for (int i = 0; i < MANY; i++)
                    ones += (int)(one[share * MANY + i] >> bit & 1);
                ORR_CHECK_MSG(fabs(ones - MANY / 2.0) < 5 * sqrt(MANY / 4.0), "share %d, bit %d: %d", share, bit, ones);
            }
    }
    free(one);
    (void)orr_scope_end(s);
}

static void additive_says_what_is_wrong(void)
{
    NEED_SODIUM();
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_U64, ORR_SHAPE(4));
    (void)says(orr_additive_split(x, 1, ORR_MOD_2_64), ORR_EINVAL, "2 additive shares");
    (void)says(orr_additive_split(x, 2, ORR_MOD_2_32), ORR_EDTYPE, "uint32");
    (void)says(orr_additive_split(x, 2, (orr_modulus)5), ORR_EINVAL, "modulus");
    (void)says(orr_additive_join(orr_ones(ORR_U64, ORR_SHAPE_0D), ORR_MOD_2_64), ORR_ESHAPE, "no share");
    (void)says(orr_additive_join(orr_zeros(ORR_U64, ORR_SHAPE(0, 3)), ORR_MOD_2_64), ORR_ESHAPE, "no share");
    (void)says(orr_additive_split(orr_ones(ORR_U64, ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), 2, ORR_MOD_2_64), ORR_ESHAPE,
               "rank 8");
    orr_tensor *empty =
        orr_additive_join(orr_additive_split(orr_zeros(ORR_U64, ORR_SHAPE(0)), 3, ORR_MOD_P61), ORR_MOD_P61);
    ORR_CHECK_MSG(orr_tensor_size(empty) == 0, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

/* -- Shamir -------------------------------------------------------------------------------------------------- */

static void any_threshold_of_shares_join(void)
{
    NEED_SODIUM();
    static const int cases[][2] = { { 1, 1 }, { 1, 4 }, { 2, 3 }, { 3, 5 }, { 5, 5 }, { 7, 10 }, { 70, 100 } };
    unsigned long long seed = 6;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int t = cases[c][0], n = cases[c][1], elements = t > 10 ? 2000 : MANY;
        uint64_t *x = random_elements(ORR_MOD_P61, &seed, elements), *back = malloc((size_t)elements * sizeof *back);
        orr_scope *s = orr_scope_begin();
        ORR_REQUIRE(x && back);
        orr_tensor *shares = orr_shamir_split(orr_from(ORR_U64, ORR_SHAPE(elements), x), t, n);
        for (int round = 0; round < 4; round++) {
            int64_t order[100], points[100];
            int k = t + (int)(orr_test_rand(&seed) % (unsigned)(n - t + 1));
            for (int i = 0; i < n; i++)
                order[i] = i;
            for (int i = n - 1; i > 0; i--) {
                int j = (int)(orr_test_rand(&seed) % (unsigned)(i + 1));
                int64_t other = order[i];
                order[i] = order[j];
                order[j] = other;
            }
            for (int i = 0; i < k; i++)
                points[i] = order[i] + 1;
            orr_tensor *some = orr_take(shares, orr_from(ORR_I64, ORR_SHAPE(k), order), 0);
            orr_tensor *joined =
                round % 2 ? orr_shamir_correct(some, points, t, NULL) : orr_shamir_join(some, points, t);
            ORR_CHECK_MSG(orr_read(joined, back, (size_t)elements * sizeof *back) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK_MSG(memcmp(x, back, (size_t)elements * sizeof *back) == 0, "%d of %d, by %d", t, n, k);
        }
        (void)orr_scope_end(s);
        free(x);
        free(back);
    }
}

static void sums_of_shares_are_shares_of_sums(void)
{
    NEED_SODIUM();
    orr_scope *s = orr_scope_begin();
    static const int64_t points[] = { 2, 3, 5 };
    orr_fixed format = { ORR_MOD_P61, 20, 2 };
    double back[3], a[] = { 1.5, -2.25, 1e5 }, b[] = { -4.5, 0.125, 7 };
    orr_tensor *x = orr_shamir_split(orr_fixed_encode(orr_from(ORR_F64, ORR_SHAPE(3), a), format), 3, 5);
    orr_tensor *y = orr_shamir_split(orr_fixed_encode(orr_from(ORR_F64, ORR_SHAPE(3), b), format), 3, 5);
    orr_tensor *sum = orr_additive_join(orr_stack(ORR_TENSORS(x, y), 0), ORR_MOD_P61);
    orr_tensor *some = orr_take(sum, orr_from(ORR_I64, ORR_SHAPE(3), ((int64_t[]){ 1, 2, 4 })), 0);
    orr_tensor *t = orr_fixed_decode(orr_shamir_join(some, points, 3), format, ORR_F64);
    ORR_CHECK_MSG(orr_read(t, back, sizeof back) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(back[0] == -3.0 && back[1] == -2.125 && back[2] == 100007.0);
    (void)orr_scope_end(s);
}

/* Wrong rows, wrong elements in different patterns, and both. */
static void wrong_shares_are_corrected(void)
{
    NEED_SODIUM();
    enum { T = 4, N = 11, MOST = (N - T) / 2 };
    int elements = getenv("ORR_TEST_FULL") ? MANY : 3000;
    unsigned long long seed = 7;
    uint64_t *x = random_elements(ORR_MOD_P61, &seed, elements), *back = malloc((size_t)elements * sizeof *back);
    uint64_t *all = malloc((size_t)elements * N * sizeof *all);
    int64_t points[N], wrong[N], want[N];
    ORR_REQUIRE(x && back && all);
    for (int i = 0; i < N; i++)
        points[i] = i + 1;
    for (int kind = 0; kind < 3; kind++) {
        orr_scope *s = orr_scope_begin();
        memset(want, 0, sizeof want);
        orr_tensor *shares = orr_shamir_split(orr_from(ORR_U64, ORR_SHAPE(elements), x), T, N);
        ORR_REQUIRE(orr_read(shares, all, (size_t)elements * N * sizeof *all) == ORR_OK);
        for (int e = 0; e < elements; e++) {
            bool hit[N] = { false };
            if (kind != 1)
                hit[2] = hit[7] = true;
            for (int i = 0; kind > 0 && i < (kind == 1 ? MOST : 1); i++)
                hit[orr_test_rand(&seed) % N] = true;
            for (int i = 0; i < N; i++)
                if (hit[i]) {
                    want[i]++;
                    all[i * elements + e] =
                        orr__p61_add(all[i * elements + e], 1 + orr_test_rand(&seed) % (ORR__P61 - 1));
                }
        }
        orr_tensor *bad = orr_from(ORR_U64, ORR_SHAPE(N, elements), all);
        orr_tensor *joined = orr_shamir_correct(bad, points, T, wrong);
        ORR_CHECK_MSG(orr_read(joined, back, (size_t)elements * sizeof *back) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(memcmp(x, back, (size_t)elements * sizeof *back) == 0, "kind %d", kind);
        ORR_CHECK_MSG(memcmp(want, wrong, sizeof want) == 0, "kind %d", kind);
        (void)says(orr_shamir_join(bad, points, T), ORR_EFORMAT, "some are wrong");
        (void)orr_scope_end(s);
    }
    /* more than can be corrected */
    orr_scope *s = orr_scope_begin();
    orr_tensor *shares = orr_shamir_split(orr_from(ORR_U64, ORR_SHAPE(elements), x), T, N);
    ORR_REQUIRE(orr_read(shares, all, (size_t)elements * N * sizeof *all) == ORR_OK);
    for (int i = 0; i <= MOST; i++)
        all[i * elements + 1234] ^= 1;
    (void)says(orr_shamir_correct(orr_from(ORR_U64, ORR_SHAPE(N, elements), all), points, T, wrong), ORR_EFORMAT,
               "element 1234");
    (void)orr_scope_end(s);
    free(x);
    free(back);
    free(all);
}

static void shamir_says_what_is_wrong(void)
{
    orr_scope *s = orr_scope_begin();
    static const int64_t good[] = { 1, 2, 3 }, twice[] = { 1, 2, 1 }, zero[] = { 1, 0, 3 },
                         high[] = { 1, 2, INT64_MAX };
    orr_tensor *x = orr_ones(ORR_U64, ORR_SHAPE(3, 4));
    (void)says(orr_shamir_join(x, good, 4), ORR_EINVAL, "3 shares, and 4 are needed");
    (void)says(orr_shamir_join(x, twice, 2), ORR_EINVAL, "same point, 1");
    (void)says(orr_shamir_join(x, zero, 2), ORR_EINVAL, "point 1 is 0");
    (void)says(orr_shamir_join(x, high, 2), ORR_EINVAL, "point 2");
    (void)says(orr_shamir_join(x, NULL, 2), ORR_EINVAL, "NULL");
    (void)says(orr_shamir_join(x, good, 0), ORR_EINVAL, "threshold");
    (void)says(orr_shamir_join(orr_ones(ORR_F32, ORR_SHAPE(3)), good, 2), ORR_EDTYPE, "float32");
    (void)says(orr_shamir_join(orr_ones(ORR_U64, ORR_SHAPE_0D), good, 2), ORR_ESHAPE, "no share");
    (void)says(orr_shamir_join(orr_full(ORR_U64, ORR_SHAPE(3), 4e18), good, 2), ORR_EINDEX, "element 0");
    orr_tensor *poison = orr_matmul(orr_ones(ORR_F32, ORR_SHAPE(2, 3)), orr_ones(ORR_F32, ORR_SHAPE(2, 3)));
    ORR_CHECK(orr_tensor_status(orr_shamir_join(poison, good, 2)) == ORR_ESHAPE);
    ORR_CHECK(orr_tensor_status(orr_shamir_correct(NULL, good, 2, NULL)) == ORR_EINVAL);
    orr_tensor *elements = orr_ones(ORR_FR254, ORR_SHAPE(3, 4)); /* elements of another field */
    (void)says(orr_shamir_join(elements, good, 2), ORR_EDTYPE, "orr_field_limbs");
    (void)says(orr_fixed_encode(elements, (orr_fixed){ ORR_MOD_2_64, 1, 1 }), ORR_EDTYPE, "is fr254");
    (void)says(orr_additive_join(elements, ORR_MOD_2_64), ORR_EDTYPE, "is fr254");
#ifdef HAVE_SODIUM
    (void)says(orr_shamir_split(x, 4, 3), ORR_EINVAL, "threshold");
    (void)says(orr_shamir_split(x, 0, 3), ORR_EINVAL, "threshold");
    (void)says(orr_shamir_split(x, 1, 65536), ORR_EINVAL, "65535");
    (void)says(orr_shamir_split(orr_full(ORR_U64, ORR_SHAPE(3), 4e18), 2, 3), ORR_EINDEX, "modulus");
#else
    (void)says(orr_shamir_split(x, 2, 3), ORR_EDEVICE, "libsodium-dev");
#endif
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(fixed_point_is_exact),
        ORR_TEST(fixed_point_ends_are_its_limit),
        ORR_TEST(fixed_point_overflow_is_refused),
        ORR_TEST(every_dtype_is_encoded),
        ORR_TEST(additive_shares_add_up),
        ORR_TEST(single_shares_are_uniform),
        ORR_TEST(additive_says_what_is_wrong),
        ORR_TEST(any_threshold_of_shares_join),
        ORR_TEST(sums_of_shares_are_shares_of_sums),
        ORR_TEST(wrong_shares_are_corrected),
        ORR_TEST(shamir_says_what_is_wrong),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "share tensors", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
