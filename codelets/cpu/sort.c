/* Stable sorting: keys are sorted by the instruction set's loops or by radix, alone or with the places of their values.
 * Sorts rows, and merges the sorted chunks of a long row: a piece of their merged order is found by the ranks at which
 * it begins and ends.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/order.h"
#include "codelets/cpu/vqsort.h"
#include "codelets/variants.h"
#include "runtime/base/ablation.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum { BLOCK = 512 };

/* On little-endian machines, as one number of 64 bits, items are ordered by key and, among equal keys, by place. */
typedef struct {
    uint32_t place, key;
} item32;
typedef struct {
    uint64_t key, place;
} item64;

/* The steps of a radix sort: each pass goes over all keys and all values of a digit. */
static int64_t radix_steps(int64_t n, int bytes, int digit)
{
    return (8 * bytes + digit - 1) / digit * (n + (INT64_C(1) << digit));
}

/* True if insertion takes fewer steps, a quarter of n² comparisons and as many moves. */
static bool are_few(int64_t n, int bytes)
{
    return n <= INT32_MAX && n * n / 2 <= radix_steps(n, bytes, 8);
}

/* Radix sort from the last digit to the first; a digit that all keys share takes no pass. Returns the array with the
 * result, a or b. Long digits make fewer passes, but their counts pay only for many keys. */
#define PASSES(name, T, KEY, DIGIT, COUNT)                                                                             \
    static T *name(T *a, T *b, int64_t n, int bits)                                                                    \
    {                                                                                                                  \
        enum { VALUES = 1 << DIGIT, MOST = (64 + DIGIT - 1) / DIGIT };                                                 \
        COUNT count[MOST][VALUES];                                                                                     \
        int digits = (bits + DIGIT - 1) / DIGIT;                                                                       \
        memset(count, 0, (size_t)digits * sizeof *count);                                                              \
        for (int64_t k = 0; k < n; k++)                                                                                \
            for (int d = 0; d < digits; d++)                                                                           \
                count[d][(uint64_t)KEY(a[k]) >> (DIGIT * d) & (VALUES - 1)]++;                                         \
        for (int d = 0; d < digits; d++) {                                                                             \
            COUNT *at = count[d], sum = 0;                                                                             \
            if (at[(uint64_t)KEY(a[0]) >> (DIGIT * d) & (VALUES - 1)] == (COUNT)n)                                     \
                continue;                                                                                              \
            for (int v = 0; v < VALUES; v++) {                                                                         \
                COUNT more = at[v];                                                                                    \
                at[v] = sum;                                                                                           \
                sum += more;                                                                                           \
            }                                                                                                          \
            for (int64_t k = 0; k < n; k++)                                                                            \
                b[at[(uint64_t)KEY(a[k]) >> (DIGIT * d) & (VALUES - 1)]++] = a[k];                                     \
            T *other = a;                                                                                              \
            a = b;                                                                                                     \
            b = other;                                                                                                 \
        }                                                                                                              \
        return a;                                                                                                      \
    }
#define RADIX(name, T, KEY)                                                                                            \
    PASSES(name##_short, T, KEY, 8, int64_t)                                                                           \
    PASSES(name##_long, T, KEY, 11, uint32_t)                                                                          \
    static T *name(T *a, T *b, int64_t n, int bytes)                                                                   \
    {                                                                                                                  \
        if (!are_few(n, bytes))                                                                                        \
            return radix_steps(n, bytes, 8) <= radix_steps(n, bytes, 11) || n > UINT32_MAX                             \
                       ? name##_short(a, b, n, 8 * bytes)                                                              \
                       : name##_long(a, b, n, 8 * bytes);                                                              \
        for (int64_t k = 1; k < n; k++) {                                                                              \
            T v = a[k];                                                                                                \
            int64_t at = k;                                                                                            \
            for (; at > 0 && KEY(a[at - 1]) > KEY(v); at--)                                                            \
                a[at] = a[at - 1];                                                                                     \
            a[at] = v;                                                                                                 \
        }                                                                                                              \
        return a;                                                                                                      \
    }
#define ITSELF(v) (v)
#define OF_ITEM(v) ((v).key)
RADIX(radix_8, uint8_t, ITSELF)
RADIX(radix_16, uint16_t, ITSELF)
RADIX(radix_32, uint32_t, ITSELF)
RADIX(radix_64, uint64_t, ITSELF)
RADIX(radix_item32, item32, OF_ITEM)
RADIX(radix_item64, item64, OF_ITEM)

/* Highway's vqsort or our own loops, by measurement on this machine. Processors differ up to tenfold in the masked
 * store of lanes, on which the library's splits depend. The result is the same. */
enum { LIBRARY, LOOPS, WAYS };

static bool by_way(int way, const orr__vec *vec, int log, void *keys, int64_t n, void *scratch)
{
    if (way == LIBRARY && orr__vqsort(log, keys, n))
        return true;
    return vec->sort[log] && vec->sort[log](keys, n, scratch);
}

/* Sorts n keys of 1 << log bytes by vector lanes; the base instruction set cannot. scratch: space for n more keys, and
 * ORR__VQSORT_BEHIND bytes. False: not sorted; use radix sort. */
static bool by_lanes(const orr__vec *vec, int log, void *keys, int64_t n, void *scratch)
{
    /* A block of keys repays the call of the library; two-byte keys have few digits. */
    if (!vec->sort[3] || log < 2 || n < BLOCK || orr__ablated(ORR__OFF_HIGHWAY))
        return by_way(LOOPS, vec, log, keys, n, scratch);
    orr__variants *v =
        orr__variants_of(orr__hash(vec->isa, strlen(vec->isa), 0x5027 + (uint64_t)log), orr__octave(n), WAYS);
    orr__pick t = orr__variants_begin(v, (double)n);
    bool done = by_way(t.way, vec, log, keys, n, scratch);
    orr__variants_end(&t, done ? (double)n : 0);
    return done;
}

/* Values that share a key and differ in their bits, zeros and NaN, in the order of x, from sorted position `to` on. */
static void as_they_came(orr_dtype t, const void *x, void *y, int64_t n, int64_t to, uint64_t key, bool descending)
{
    size_t z = orr__dtype_size(t);
    for (int64_t k = 0; k < n; k++)
        if (orr__order_key(t, x, k, descending) == key)
            memcpy((char *)y + (size_t)to++ * z, (const char *)x + (size_t)k * z, z);
}

/* Sorts n values of x to y. scratch: 2·n keys, and ORR__VQSORT_BEHIND bytes. */
#define SORT_VALUES(name, T, log, radix)                                                                               \
    static void name(orr_dtype t, const orr__vec *vec, const void *x, void *y, int64_t n, bool descending,             \
                     void *scratch)                                                                                    \
    {                                                                                                                  \
        const T top = (T)((T)1 << (8 * sizeof(T) - 1)), all = (T) ~(T)0, zero = (T)(descending ? ~top : top);          \
        T *a = scratch;                                                                                                \
        int64_t minus = vec->keys[log](t, x, a, n, descending), nans = n, zeros = 0;                                   \
        const T *s = by_lanes(vec, log, a, n, a + n) ? a : radix(a, a + n, n, (int)sizeof(T));                         \
        vec->values[log](t, s, y, n, descending);                                                                      \
        if (!orr__is_float(t))                                                                                         \
            return;                                                                                                    \
        while (nans > 0 && s[nans - 1] == all)                                                                         \
            nans--;                                                                                                    \
        while (minus && s[zeros] < zero)                                                                               \
            zeros++;                                                                                                   \
        if (minus)                                                                                                     \
            as_they_came(t, x, y, n, zeros, zero, descending);                                                         \
        if (nans < n)                                                                                                  \
            as_they_came(t, x, y, n, nans, all, descending);                                                           \
    }
SORT_VALUES(values_8, uint8_t, 0, radix_8)
SORT_VALUES(values_16, uint16_t, 1, radix_16)
SORT_VALUES(values_32, uint32_t, 2, radix_32)
SORT_VALUES(values_64, uint64_t, 3, radix_64)

typedef void values_fn(orr_dtype t, const orr__vec *vec, const void *x, void *y, int64_t n, bool descending,
                       void *scratch);
static values_fn *values_of(orr_dtype t)
{
    size_t z = orr__dtype_size(t);
    return z == 1 ? values_8 : z == 2 ? values_16 : z == 4 ? values_32 : values_64;
}

/* Bytes of an item for n values. The next functions sort n items of keys and places. */
static size_t item_size(orr_dtype t, int64_t n)
{
    return orr__dtype_size(t) <= 4 && n <= UINT32_MAX ? sizeof(item32) : sizeof(item64);
}
static void item_set(void *items, size_t size, int64_t k, uint64_t key, int64_t place)
{
    if (size == sizeof(item32))
        ((item32 *)items)[k] = (item32){ .key = (uint32_t)key, .place = (uint32_t)place };
    else
        ((item64 *)items)[k] = (item64){ key, (uint64_t)place };
}

/* Sorts the items as numbers whose low half is the item's index: by the upper halves of the keys, then each run of
 * equal ones by the lower halves. number: space for 2·n, and ORR__VQSORT_BEHIND bytes. False: not sorted; use radix
 * sort. */
static bool by_halves(const orr__vec *vec, const item64 *items, uint64_t *number, int64_t n)
{
    if (!vec->sort[3] || n > UINT32_MAX)
        return false;
    for (int64_t k = 0; k < n; k++)
        number[k] = items[k].key >> 32 << 32 | (uint32_t)k;
    if (!by_lanes(vec, 3, number, n, number + n))
        return false;
    for (int64_t first = 0, end; first < n; first = end) {
        const uint64_t upper = number[first] >> 32;
        for (end = first + 1; end < n && number[end] >> 32 == upper;)
            end++;
        for (int64_t k = first; k < end && end - first > 1; k++)
            number[k] = items[(uint32_t)number[k]].key << 32 | (uint32_t)number[k];
        if (are_few(end - first, 8))
            (void)radix_64(number + first, NULL, end - first, 8);
        else if (!by_lanes(vec, 3, number + first, end - first, number + n))
            return false;
    }
    return true;
}

static void places(orr_dtype t, const orr__vec *vec, void *items, size_t size, int64_t n, int64_t *y)
{
    int digits = (int)orr__dtype_size(t);
    if (size == sizeof(item32)) {
        const item32 *s = by_lanes(vec, 3, items, n, (item32 *)items + n)
                              ? items
                              : radix_item32(items, (item32 *)items + n, n, digits);
        for (int64_t k = 0; k < n; k++)
            y[k] = s[k].place;
    } else {
        item64 *more = (item64 *)items + n;
        uint64_t *number = &more->key;
        bool halves = by_halves(vec, items, number, n);
        const item64 *s = halves ? items : radix_item64(items, more, n, digits);
        for (int64_t k = 0; k < n; k++)
            y[k] = (int64_t)s[halves ? (int64_t)(uint32_t)number[k] : k].place;
    }
}

/* -- rows ---------------------------------------------------------------------------------------------------------- */

orr_status orr__cpu_kernel_sort(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    size_t z = orr__dtype_size(t);
    int64_t n = r->dim[1];
    if (n < 1 || l->hi <= l->lo)
        return ORR_OK;
    void *scratch = orr__scratch(2 * (size_t)n * z + ORR__VQSORT_BEHIND);
    for (int64_t row = l->lo; scratch && row < l->hi; row++)
        values_of(t)(t, kernel->vec, (const char *)l->in[0] + (size_t)(row * n) * z,
                     (char *)l->out[0] + (size_t)(row * n) * z, n, r->call.attr.mask != 0, scratch);
    return scratch ? ORR_OK : ORR_ENOMEM;
}

/* -- sorted chunks --------------------------------------------------------------------------------------------------- */

/* One row: `chunks` sorted chunks of m elements. */
typedef struct {
    orr_dtype t;
    bool descending;
    const char *x;
    int64_t chunks, m;
} row_of_chunks;

static uint64_t key_at(const row_of_chunks *q, int64_t chunk, int64_t k)
{
    return orr__order_key(q->t, q->x, chunk * q->m + k, q->descending);
}

/* The first k in [low, high) of a chunk with a key above v, or not below v. */
static int64_t bound(const row_of_chunks *q, int64_t chunk, int64_t low, int64_t high, uint64_t v, bool above)
{
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        uint64_t key = key_at(q, chunk, mid);
        if (key < v || (above && key == v))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* at[]: how many elements of each chunk are among the first `rank` of all. Finds the value at that rank bit by bit;
 * elements equal to it are counted from the chunks in order. low, high: scratch. */
static void split(const row_of_chunks *q, int64_t rank, int64_t *at, int64_t *low, int64_t *high)
{
    int bits = (int)(8 * orr__dtype_size(q->t));
    uint64_t v = 0;
    for (int64_t j = 0; j < q->chunks; j++) {
        low[j] = 0;
        high[j] = q->m;
        at[j] = q->m;
    }
    if (rank >= q->chunks * q->m)
        return;
    for (int b = bits - 1; b >= 0; b--) { /* the greatest v such that at most `rank` elements are below it */
        uint64_t more = v | (uint64_t)1 << b;
        int64_t below = 0;
        for (int64_t j = 0; j < q->chunks; j++)
            below += at[j] = bound(q, j, low[j], high[j], more, false);
        bool fits = below <= rank;
        v = fits ? more : v;
        for (int64_t j = 0; j < q->chunks; j++)
            *(fits ? &low[j] : &high[j]) = at[j];
    }
    int64_t rest = rank;
    for (int64_t j = 0; j < q->chunks; j++)
        rest -= low[j]; /* low: number of elements below v */
    for (int64_t j = 0; j < q->chunks; j++) {
        int64_t equal = rest > 0 ? bound(q, j, low[j], q->m, v, true) - low[j] : 0;
        equal = ORR__MIN(equal, rest);
        at[j] = low[j] + equal;
        rest -= equal;
    }
}

/* Makes elements [from, to) of a chunk items number n, n + 1, … place: of each element in its row; NULL: as it is. */
static void items_set(const row_of_chunks *q, const int64_t *place, int64_t chunk, int64_t from, int64_t to,
                      void *items, size_t size, int64_t n)
{
    for (int64_t first = from; first < to; first += BLOCK) {
        int64_t more = to - first < BLOCK ? to - first : BLOCK, base = chunk * q->m;
        uint64_t key[BLOCK];
        orr__order_keys(q->t, q->x, base + first, more, q->descending, key);
        for (int64_t k = 0; k < more && place; k++)
            item_set(items, size, n + first - from + k, key[k], base + place[base + first + k]);
        for (int64_t k = 0; k < more && !place; k++)
            item_set(items, size, n + first - from + k, key[k], base + first + k);
    }
}

orr_status orr__cpu_kernel_argsort(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    int64_t n = r->dim[1];
    size_t size = item_size(t, n);
    if (n < 1 || l->hi <= l->lo)
        return ORR_OK;
    void *items = orr__scratch(2 * (size_t)n * size + ORR__VQSORT_BEHIND);
    for (int64_t row = l->lo; items && row < l->hi; row++) {
        row_of_chunks q = { t, r->call.attr.mask != 0, (const char *)l->in[0] + (size_t)(row * n) * orr__dtype_size(t),
                            1, n };
        items_set(&q, NULL, 0, 0, n, items, size, 0);
        places(t, kernel->vec, items, size, n, (int64_t *)l->out[0] + row * n);
    }
    return items ? ORR_OK : ORR_ENOMEM;
}

/* Pieces [lo, hi), each as long as a chunk: the elements of the chunks between two ranks, sorted. */
static orr_status merge(const orr__kernel *kernel, const orr__launch *l, bool by_place)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    int64_t chunks = r->call.attr.index, m = r->dim[1];
    size_t z = orr__dtype_size(t), size = by_place ? item_size(t, chunks * m) : z;
    if (m < 1 || l->hi <= l->lo)
        return ORR_OK;
    size_t ends = 4 * (size_t)chunks * sizeof(int64_t);
    char *scratch = orr__scratch(ends + 3 * (size_t)m * size + ORR__VQSORT_BEHIND);
    if (!scratch)
        return ORR_ENOMEM;
    int64_t *from = (int64_t *)(void *)scratch, *to = from + chunks, *low = to + chunks, *high = low + chunks;
    char *items = scratch + ends;
    for (int64_t piece = l->lo; piece < l->hi; piece++) {
        int64_t row = piece / chunks, n = 0;
        row_of_chunks q = { t, r->call.attr.mask != 0, (const char *)l->in[0] + (size_t)(row * chunks * m) * z, chunks,
                            m };
        const int64_t *place = by_place ? (const int64_t *)l->in[1] + row * chunks * m : NULL;
        if (piece == l->lo || piece % chunks == 0)
            split(&q, piece % chunks * m, from, low, high);
        else /* the previous piece ends here */
            memcpy(from, to, (size_t)chunks * sizeof *from);
        split(&q, (piece % chunks + 1) * m, to, low, high);
        for (int64_t j = 0; j < chunks; j++) {
            if (!by_place)
                memcpy(items + (size_t)n * z, q.x + (size_t)(j * m + from[j]) * z, (size_t)(to[j] - from[j]) * z);
            else
                items_set(&q, place, j, from[j], to[j], items, size, n);
            n += to[j] - from[j];
        }
        if (by_place)
            places(t, kernel->vec, items, size, n, (int64_t *)l->out[0] + piece * m);
        else
            values_of(t)(t, kernel->vec, items, (char *)l->out[0] + (size_t)(piece * m) * z, n, q.descending,
                         items + (size_t)m * z);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_merge(const orr__kernel *kernel, const orr__launch *l)
{
    return merge(kernel, l, false);
}

orr_status orr__cpu_kernel_merge_places(const orr__kernel *kernel, const orr__launch *l)
{
    return merge(kernel, l, true);
}
