/* Values that evaluations compute again and again, because a tensor that nobody requested holds them. From the third time on they become
 * outputs, if one more computation would cost more than their memory.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/base/shape.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/kept_again.h"
#include "runtime/graph/node.h"

/* Instructions that take the time of storing an element, which reads its cache line first, and of reading it later. */
#define STORE_FLOPS (3.0 * ORR__T_LIGHT)

typedef struct {
    int *inner; /* references from nodes of the capture */
    double *flops;
    bool *needed, *out;
} scratch;

/* The work of node i alone. A kernel or a product stores its result in any case. */
static double own_flops(const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    double count = (double)orr__shape_count(&n->shape);
    switch (n->op->pattern) {
    case ORR__PATTERN_VIEW: return 0;
    case ORR__PATTERN_FOLD:
    case ORR__PATTERN_SEARCH: return (double)orr__shape_count(&p->node[p->arg[p->arg0[i]]]->shape);
    case ORR__PATTERN_PRODUCT:
    case ORR__PATTERN_KERNEL: return 2 * STORE_FLOPS * count;
    default: return (double)n->op->flops * count;
    }
}

/* True if others than the nodes of the capture and the capture itself refer to node i. */
static bool is_held(const orr__capture *p, const int *inner, int i)
{
    return atomic_load_explicit(&p->node[i]->refs, memory_order_acquire) > inner[i] + 1;
}

/* The work of each node and of the longest of the ways to it from values. */
static void sum_flops(const orr__capture *p, double *flops)
{
    for (int i = 0; i < p->n; i++) {
        flops[i] = 0;
        for (int k = p->arg0[i]; k < p->arg0[i] + orr__capture_nin(p, i); k++)
            flops[i] = flops[p->arg[k]] > flops[i] ? flops[p->arg[k]] : flops[i];
        flops[i] = p->leaf_of[i] >= 0 ? 0 : flops[i] + own_flops(p, i);
    }
}

static bool is_worth_it(const orr__capture *p, const scratch *at, int i)
{
    const orr__node *n = p->node[i];
    return p->leaf_of[i] < 0 && n->computed == ORR__COMPUTED_OFTEN && is_held(p, at->inner, i) &&
           at->flops[i] > STORE_FLOPS * (double)orr__shape_count(&n->shape);
}

/* Looks from the outputs down to the first such value on each way: what is before it is then needed no more. */
static int choose(const orr__capture *p, size_t most, scratch *at, orr__node **chosen)
{
    int n = 0;
    sum_flops(p, at->flops);
    for (int k = 0; k < p->narg; k++)
        at->inner[p->arg[k]]++;
    for (int k = 0; k < p->nout; k++)
        at->needed[p->out[k]] = at->out[p->out[k]] = true;
    for (int i = p->n - 1; i >= 0; i--) {
        size_t bytes = orr__node_bytes(p->node[i]);
        if (!at->needed[i])
            continue;
        if (!at->out[i] && bytes <= most && is_worth_it(p, at, i)) {
            most -= bytes;
            chosen[n++] = orr__node_ref(p->node[i]);
            continue;
        }
        for (int k = p->arg0[i]; k < p->arg0[i] + orr__capture_nin(p, i); k++)
            at->needed[p->arg[k]] = true;
    }
    return n;
}

int orr__kept_again(const orr__capture *p, size_t most, orr__node ***chosen)
{
    size_t n = (size_t)p->n;
    scratch at = { calloc(n, sizeof *at.inner), malloc(n * sizeof *at.flops), calloc(n, 1), calloc(n, 1) };
    int found = 0;
    *chosen = malloc(n * sizeof **chosen);
    if (at.inner && at.flops && at.needed && at.out && *chosen && !orr__ablated(ORR__OFF_KEPT_AGAIN)) {
        orr__graph_lock();
        found = choose(p, most, &at, *chosen);
        orr__graph_unlock();
    }
    free(at.inner);
    free(at.flops);
    free(at.needed);
    free(at.out);
    if (found == 0) {
        free(*chosen);
        *chosen = NULL;
    }
    return found;
}
