/* Lists the ancestors of a node in topological order, without recursion.
 * Must not know: derivatives. */
#include "config.h"

#include <stdlib.h>
#include "ops/grad_walk.h"
#include "runtime/base/dtype.h"
#include "runtime/graph/donation.h"

typedef struct {
    orr__node *node;
    int next;
} frame;
typedef struct {
    frame *at;
    int n, cap;
} stack;

static bool grow(void *array, int *cap, int need, size_t size)
{
    if (need <= *cap)
        return true;
    int c = *cap ? *cap : 64;
    while (c < need)
        c *= 2;
    void *more = realloc(*(void **)array, (size_t)c * size);
    if (!more)
        return false;
    *(void **)array = more;
    *cap = c;
    return true;
}

/* The slot of a node, or the free slot for it. nslot > 0. */
static uint32_t slot_of(const orr__ancestry *a, const orr__node *n)
{
    uint32_t i = (uint32_t)(((uintptr_t)n >> 4) * 0x9E3779B97F4A7C15u >> 32) & (a->nslot - 1);
    while (a->slot[i] >= 0 && a->node[a->slot[i]] != n)
        i = (i + 1) & (a->nslot - 1);
    return i;
}

int orr__ancestry_find(const orr__ancestry *a, const orr__node *n)
{
    return a->nslot ? a->slot[slot_of(a, n)] : -1;
}

/* Keeps the table at most half full. */
static bool rehash(orr__ancestry *a)
{
    uint32_t size = a->nslot ? 2 * a->nslot : 128;
    int32_t *slot = malloc(size * sizeof *slot);
    if (!slot)
        return false;
    free(a->slot);
    a->slot = slot;
    a->nslot = size;
    for (uint32_t i = 0; i < size; i++)
        slot[i] = -1;
    for (int i = 0; i < a->n; i++)
        slot[slot_of(a, a->node[i])] = i;
    return true;
}

/* The walk visits inputs through which a gradient may flow to a node that is younger than `oldest`, or, with `former`, to a value that a
 * variable had before. A node is younger than all of its ancestors. */
typedef struct {
    uint64_t oldest;
    bool all;   /* every input instead */
    bool whole; /* through whole numbers and truth values, too, but into no node of a derivative */
    bool former;
} reach;

static int inputs(const orr__node *n, reach r)
{
    bool stops = (n->op->flags & ORR__OP_STOPS) || (r.whole ? n->derived : !orr__is_inexact((orr_dtype)n->dtype)) ||
                 (n->born <= r.oldest && !(r.former && (n->tracked & ORR__FLOWS)));
    return !r.all && stops ? 0 : n->nin;
}

static bool grow_nodes(orr__ancestry *a, int need)
{
    int c = a->cap;
    if (need <= c)
        return true;
    if (!grow(&a->node, &c, need, sizeof *a->node) || !(c = a->cap, grow(&a->lost, &c, need, sizeof *a->lost)) ||
        !(c = a->cap, grow(&a->arg0, &c, need, sizeof *a->arg0)))
        return false;
    a->cap = c;
    return true;
}

/* Numbers n, all of whose nin inputs are numbered. */
static bool number(orr__ancestry *a, orr__node *n, int nin)
{
    if (!grow_nodes(a, a->n + 2))
        return false;
    if (!grow(&a->arg, &a->arg_cap, a->narg + nin, sizeof *a->arg))
        return false;
    if (2 * (uint32_t)(a->n + 1) > a->nslot && !rehash(a))
        return false;
    a->arg0[a->n] = a->narg;
    for (int k = 0; k < nin; k++)
        a->arg[a->narg++] = orr__ancestry_find(a, n->in[k]);
    a->slot[slot_of(a, n)] = a->n;
    a->lost[a->n] = n->value && n->nin == 0 && n->op->arity != 0 && !(n->op->flags & ORR__OP_STOPS);
    a->node[a->n++] = orr__node_ref(n);
    a->arg0[a->n] = a->narg;
    return true;
}

static bool push(stack *s, orr__node *n)
{
    if (!grow(&s->at, &s->cap, s->n + 1, sizeof *s->at))
        return false;
    s->at[s->n++] = (frame){ n, 0 };
    return true;
}

/* Runs under the graph lock, since an evaluation on another thread removes the inputs of a node. False: no memory, or
 * another thread overwrites a value that a gradient would read. */
static bool walk(orr__ancestry *a, stack *s, orr__node *y, reach r, orr__donor_state *take)
{
    if (!push(s, y))
        return false;
    while (s->n) {
        frame *f = &s->at[s->n - 1];
        orr__node *n = f->node;
        if (orr__donors_exist && n->value && (*take = orr__donor_state_of(orr__node_value(n))) != ORR__DONOR_FREE)
            return false;
        int nin = inputs(n, r);
        if (f->next < nin) {
            orr__node *x = n->in[f->next++];
            if (orr__ancestry_find(a, x) < 0 && !push(s, x))
                return false;
            continue;
        }
        s->n--;
        if (orr__ancestry_find(a, n) < 0 && !number(a, n, nin))
            return false;
    }
    return true;
}

static orr_status make(orr__site at, orr__node *const *y, int n, reach r, orr__ancestry *a)
{
    stack s = { NULL, 0, 0 };
    orr_status st = ORR_OK;
    for (bool again = true; again && st == ORR_OK;) {
        orr__donor_state take = ORR__DONOR_FREE;
        bool ok = true;
        memset(a, 0, sizeof *a);
        s.n = 0;
        orr__graph_lock();
        uint64_t ended = orr__donors_released();
        for (int i = 0; i < n && ok; i++)
            ok = orr__ancestry_find(a, y[i]) >= 0 || walk(a, &s, y[i], r, &take);
        orr__graph_unlock();
        again = take != ORR__DONOR_FREE;
        if (!ok)
            orr__ancestry_free(a);
        if (again)
            st = orr__donor_wait(at, take, ended);
        else if (!ok)
            st = orr__fail(at, ORR_ENOMEM, "no memory to walk the graph");
    }
    free(s.at);
    return st;
}

static uint64_t oldest_of(orr__node *const *x, int nx)
{
    uint64_t oldest = UINT64_MAX;
    for (int k = 0; k < nx; k++)
        oldest = x[k]->born < oldest ? x[k]->born : oldest;
    return oldest;
}

orr_status orr__ancestry_make(orr__site at, orr__node *y, orr__node *const *x, int nx, orr__ancestry *a)
{
    reach r = { .oldest = oldest_of(x, nx) };
    for (int k = 0; k < nx; k++)
        r.former = r.former || x[k]->var;
    return make(at, &y, 1, r, a);
}

orr_status orr__ancestry_whole(orr__site at, orr__node *y, orr__node *const *x, int nx, orr__ancestry *a)
{
    return make(at, &y, 1, (reach){ .oldest = oldest_of(x, nx), .whole = true }, a);
}

orr_status orr__ancestry_all(orr__site at, orr__node *const *y, int n, orr__ancestry *a)
{
    return make(at, y, n, (reach){ .all = true }, a);
}

void orr__ancestry_free(orr__ancestry *a)
{
    for (int i = 0; i < a->n; i++)
        orr__node_unref(a->node[i]);
    free(a->node);
    free(a->arg0);
    free(a->arg);
    free(a->lost);
    free(a->slot);
    memset(a, 0, sizeof *a);
}
