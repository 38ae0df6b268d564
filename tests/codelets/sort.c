/* Sorts of keys by each instruction set and by Highway, beside qsort: sizes around those of registers, patterns that are hard for
 * quicksort.
 * Must not know: which instruction set this processor has. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/vqsort.h"
#include "tests/harness/harness.h"

enum { MOST = 70001, PATTERNS = 9, GUARD = 8 };

static uint64_t key_of(int pattern, int64_t i, int64_t n, unsigned long long *r)
{
    switch (pattern) {
    case 0: return orr_test_rand(r);
    case 1: return 5;
    case 2: return orr_test_rand(r) % 3;
    case 3: return (uint64_t)i;
    case 4: return (uint64_t)(n - i);
    case 5: return (uint64_t)(i < n / 2 ? i : n - i);
    case 6: return orr_test_rand(r) % 2 ? UINT64_MAX : 0;
    case 7: return (uint64_t)(i % 431) << 40 | (uint64_t)(i % 431); /* sorted pieces in sequence */
    default: return (uint64_t)INT64_MAX + orr_test_rand(r) % 4 - 1;
    }
}

static int compare_32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Checks keys of 1 << log bytes, with a guard after them and after the scratch memory. */
static void check(orr__sortfn *sort, int log, int64_t n, int pattern, const char *isa)
{
    static uint64_t got[MOST + 1 + ORR__VQSORT_BEHIND / 8], want[MOST + 1], scratch[MOST + 1];
    static int (*const compare[])(const void *, const void *) = { NULL, NULL, compare_32, compare_64 };
    unsigned long long r = (unsigned long long)(n * PATTERNS + pattern);
    size_t z = (size_t)1 << log;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = key_of(pattern, i, n, &r);
        key >>= pattern == 8 ? 64 - 8 * z : 0;
        memcpy((char *)got + (size_t)i * z, &key, z); /* the low bytes come first */
        memcpy((char *)want + (size_t)i * z, &key, z);
    }
    memset((char *)got + (size_t)n * z, 77, GUARD);
    memset((char *)scratch + (size_t)n * z, 77, 4);
    bool done = sort(got, n, scratch);
    qsort(want, (size_t)n, z, compare[log]);
    if (!done) /* too many bad pivots: still the same keys */
        qsort(got, (size_t)n, z, compare[log]);
    ORR_CHECK_MSG(done || pattern == 5, "%s, %d bytes, %lld keys, pattern %d: not sorted", isa, (int)z, (long long)n,
                  pattern);
    ORR_CHECK_MSG(memcmp(got, want, (size_t)n * z) == 0, "%s, %d bytes, %lld keys, pattern %d", isa, (int)z,
                  (long long)n, pattern);
    for (size_t k = 0; k < GUARD; k++)
        ORR_CHECK_MSG(((char *)got)[(size_t)n * z + k] == 77 && ((char *)scratch)[(size_t)n * z + k % 4] == 77,
                      "%s, %d bytes, %lld keys: beyond its end", isa, (int)z, (long long)n);
}

static void check_sizes(orr__sortfn *sort, int log, const char *isa)
{
    static const int64_t more[] = { 1000, 4095, 4096, 30011, MOST - 1 };
    for (int p = 0; p < PATTERNS; p++) {
        for (int64_t n = 0; n < 600; n++)
            check(sort, log, n, p, isa);
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            check(sort, log, more[k], p, isa);
    }
}

static void keys_are_sorted_like_qsort(void)
{
    static const char *const isa[] = { "v3", "v4" };
    int tried = 0;
    for (int s = 0; s < 2; s++) {
        if (!orr__cpu_use(isa[s]))
            continue;
        for (int wide = 0; wide < 2; wide++) {
            orr__sortfn *sort = orr__cpu_vec()->sort[2 + wide];
            if (!sort)
                continue;
            tried++;
            check_sizes(sort, 2 + wide, isa[s]);
        }
    }
    (void)orr__cpu_use(NULL);
    if (!tried)
        ORR_SKIP("no instruction set that sorts lanes");
}

static bool by_highway_32(void *keys, int64_t n, void *scratch)
{
    (void)scratch;
    return orr__vqsort(2, keys, n);
}
static bool by_highway_64(void *keys, int64_t n, void *scratch)
{
    (void)scratch;
    return orr__vqsort(3, keys, n);
}

static void highway_sorts_like_qsort(void)
{
    uint64_t one = 1;
    if (!orr__vqsort(3, &one, 1))
        ORR_SKIP("built without Highway");
    check_sizes(by_highway_32, 2, "Highway");
    check_sizes(by_highway_64, 3, "Highway");
}

static void the_base_leaves_it_to_digits(void)
{
    ORR_CHECK(orr__cpu_use("base") && !orr__cpu_vec()->sort[2] && !orr__cpu_vec()->sort[3]);
    (void)orr__cpu_use(NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(keys_are_sorted_like_qsort),
                                      ORR_TEST(highway_sorts_like_qsort),
                                      ORR_TEST(the_base_leaves_it_to_digits),
                                      { 0 } };
    return orr_test_main(argc, argv, "codelets.sort", tests);
}
