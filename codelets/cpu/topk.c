/* The places of the first k of a row in sorting order: by a heap of the k best so far, with the worst at the root; for
 * a row that is not much longer than k, by the key of rank k.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/order.h"
#include "ops/instruction_cost.h"

typedef struct {
    uint64_t key;
    int64_t place;
} item;

static bool behind(item a, item b)
{
    return a.key > b.key || (a.key == b.key && a.place > b.place);
}

/* Sifts v down from the root of a heap of n items. */
static void sift(item *heap, int64_t n, item v)
{
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && behind(heap[child + 1], heap[child]);
        if (!behind(heap[child], v))
            break;
        heap[at] = heap[child];
    }
    heap[at] = v;
}

static void up(item *heap, int64_t at)
{
    item v = heap[at];
    for (int64_t parent; at > 0 && behind(v, heap[parent = (at - 1) / 2]); at = parent)
        heap[at] = heap[parent];
    heap[at] = v;
}

enum { BLOCK = 512, DIGIT = 8, VALUES = 1 << DIGIT };

/* In a row that is much longer than k, few elements ever enter the heap. */
static void by_heap(orr_dtype t, const void *x, int64_t first, int64_t n, int64_t k, bool largest, item *heap)
{
    for (int64_t i = 0; i < n; i += BLOCK) {
        uint64_t key[BLOCK];
        int64_t more = n - i < BLOCK ? n - i : BLOCK;
        orr__order_keys(t, x, first + i, more, largest, key);
        for (int64_t j = 0; j < more; j++) {
            item v = { key[j], i + j };
            if (i + j < k) {
                heap[i + j] = v;
                up(heap, i + j);
            } else if (v.key < heap[0].key) { /* of equal keys, the later place comes after */
                sift(heap, k, v);
            }
        }
    }
}

/* Finds the leading digits of the k-th least key, one by one, until exactly as many elements share them as are still
 * needed. */
static void by_digits(orr_dtype t, const void *x, int64_t first, int64_t n, int64_t k, bool largest, item *heap,
                      uint64_t *key)
{
    uint64_t digits = 0, mask = 0;
    int64_t rest = k, at = 0;
    bool done = false;
    orr__order_keys(t, x, first, n, largest, key);
    for (int d = (int)orr__dtype_size(t) - 1; d >= 0 && !done; d--) {
        int64_t count[VALUES] = { 0 };
        int v = 0;
        for (int64_t i = 0; i < n; i++)
            count[key[i] >> (DIGIT * d) & (VALUES - 1)] += (key[i] & mask) == digits;
        for (; count[v] < rest; v++)
            rest -= count[v];
        digits |= (uint64_t)v << (DIGIT * d);
        mask |= (uint64_t)(VALUES - 1) << (DIGIT * d);
        done = count[v] == rest;
    }
    for (int64_t i = 0; i < n; i++) {
        bool equal = (key[i] & mask) == digits && rest > 0;
        rest -= equal;
        if (equal || (key[i] & mask) < digits) {
            heap[at] = (item){ key[i], i };
            up(heap, at++);
        }
    }
}

/* Element i of a random row enters the heap with a probability of k/i, and each step of its path waits for the former one. Digits take two
 * passes over the keys. */
static bool heap_is_faster(double n, double k)
{
    return ORR__COST_FOLD * k * (1 + log(n / k)) * log2(k + 1) <= 2 * n;
}

orr_status orr__cpu_kernel_top_places(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    const orr_shape *in = &r->call.in[0];
    int64_t n = in->dim[in->rank - 1], k = r->dim[1];
    bool largest = r->call.attr.mask != 0, far = heap_is_faster((double)n, (double)k);
    if (k < 1 || l->hi <= l->lo)
        return ORR_OK;
    item *heap = orr__scratch((size_t)k * sizeof *heap + (far ? 0 : (size_t)n * sizeof(uint64_t)));
    if (!heap)
        return ORR_ENOMEM;
    for (int64_t row = l->lo; row < l->hi; row++) {
        int64_t *y = (int64_t *)l->out[0] + row * k;
        if (far)
            by_heap(t, l->in[0], row * n, n, k, largest, heap);
        else
            by_digits(t, l->in[0], row * n, n, k, largest, heap, (uint64_t *)(heap + k));
        for (int64_t left = k; left > 0; left--) {
            y[left - 1] = heap[0].place;
            sift(heap, left - 1, heap[left - 1]);
        }
    }
    return ORR_OK;
}
