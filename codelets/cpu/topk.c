/* The places of the first k of a row in the order of sorting: a heap of the k best so far, whose worst is at the root.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/order.h"

typedef struct {
    uint64_t key;
    int64_t place;
} item;

static bool behind(item a, item b)
{
    return a.key > b.key || (a.key == b.key && a.place > b.place);
}

/* v goes down from the root of a heap of n items. */
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

orr_status orr__cpu_kernel_top_places(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    const orr_shape *in = &r->call.in[0];
    int64_t n = in->dim[in->rank - 1], k = r->dim[1];
    bool largest = r->call.attr.mask != 0;
    if (k < 1 || l->hi <= l->lo)
        return ORR_OK;
    item *heap = orr__scratch((size_t)k * sizeof *heap);
    if (!heap)
        return ORR_ENOMEM;
    for (int64_t row = l->lo; row < l->hi; row++) {
        int64_t *y = (int64_t *)l->out[0] + row * k;
        for (int64_t i = 0; i < n; i++) {
            item v = { orr__order_key(t, l->in[0], row * n + i, largest), i };
            if (i < k) {
                heap[i] = v;
                up(heap, i);
            } else if (v.key < heap[0].key) { /* a later place of an equal key stands behind */
                sift(heap, k, v);
            }
        }
        for (int64_t left = k; left > 0; left--) {
            y[left - 1] = heap[0].place;
            sift(heap, left - 1, heap[left - 1]);
        }
    }
    return ORR_OK;
}
