/* Layouts: values between calls whose kernels accept blocks of channels are stored as (n, c / block, …, block) instead of (n, c, …), and
 * the loops between these calls iterate in that order. A chain is reordered at its begin and its end, not at each call.
 * Must not know: the operations, the kernels, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/fuse/group.h"
#include "runtime/plan/passes.h"

/* A value as images, channels, places. */
typedef struct {
    int64_t n, c, places;
} dims;

typedef struct {
    const orr__capture *p;
    orr__regions *rs;
    int block;
    bool *lies;      /* by node: stored in blocks, as far as is known */
    bool *useful;    /* by node: … and connected to a call that takes blocks */
    uint32_t *takes; /* by region: orr__call.blocked of its kernel */
    bool changed;
} layouts;

static dims dims_of(const orr_shape *s)
{
    dims f = { s->dim[0], s->dim[1], 1 };
    for (int d = 2; d < s->rank; d++)
        f.places *= s->dim[d];
    return f;
}

static bool same_dims(dims a, dims b)
{
    return a.n == b.n && a.c == b.c && a.places == b.places;
}

static dims node_dims(const layouts *k, int node)
{
    return dims_of(&k->p->node[node]->shape);
}

static bool may_lie(const layouts *k, int node)
{
    const orr__node *n = k->p->node[node];
    return n->dtype == ORR_F32 && n->shape.rank >= 3 && n->shape.rank <= 5 && n->shape.dim[1] % k->block == 0 &&
           orr__shape_count(&n->shape) > 0;
}

static void refuse(layouts *k, int node)
{
    k->changed |= k->lies[node];
    k->lies[node] = false;
}

/* -- loops ------------------------------------------------------------------------------------------------------------- */

/* The axes of a region in the order in which a value in blocks is stored. */
typedef struct {
    int8_t axis[ORR__REGION_RANK];
} order;

static bool moves_along_all(const orr__region *r, const orr__access *a)
{
    bool all = true;
    for (int d = 0; d < r->rank; d++)
        all = all && (a->stride[d] || r->dim[d] == 1);
    return all;
}

/* The axes of a fold, from the largest stride in the input to the smallest: lead_with_kept (runtime/fuse/region.c) may have moved them.
 * The axes of a map are in the order of its outputs. */
static order order_of(const orr__region *r, int input)
{
    order o = { { 0 } };
    const orr__access *a = NULL;
    for (int i = 0; i < r->naccess && !a; i++)
        a = r->rmask && r->access[i].input == input && moves_along_all(r, &r->access[i]) ? &r->access[i] : NULL;
    for (int d = 0; d < r->rank; d++) {
        int at = d;
        for (; a && at > 0 && a->stride[o.axis[at - 1]] < a->stride[d]; at--)
            o.axis[at] = o.axis[at - 1];
        o.axis[at] = (int8_t)d;
    }
    return o;
}

/* True if the axes that a fold keeps, whose order is that of its result, stay in order. */
static bool keeps_rows(const orr__region *r, const order *o)
{
    int last = -1;
    for (int d = 0; d < r->rank; d++) {
        bool kept = !(r->rmask >> o->axis[d] & 1u);
        if (kept && o->axis[d] < last)
            return false;
        last = kept ? o->axis[d] : last;
    }
    return true;
}

/* True if the access, with its axes in order o, reads its own place, or the same place along some axes. */
static bool is_place(const orr__region *r, const orr__access *a, const order *o)
{
    int64_t step = 1;
    for (int d = r->rank - 1; d >= 0; step *= r->dim[o->axis[d--]]) {
        int64_t stride = a->stride[o->axis[d]];
        if (r->dim[o->axis[d]] != 1 && stride != step && stride != 0)
            return false;
    }
    return !a->box && !a->placed && (a->offset == 0 || !moves_along_all(r, a));
}

static bool reads_in_order(const orr__region *r, int input, const order *o)
{
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].input == input && !is_place(r, &r->access[a], o))
            return false;
    return true;
}

/* Puts the axes in order o. No access has a box. */
static void put_in_order(orr__region *r, const order *o)
{
    orr__region was = *r;
    r->rmask = 0;
    for (int d = 0; d < r->rank; d++) {
        r->dim[d] = was.dim[o->axis[d]];
        r->rmask |= (was.rmask >> o->axis[d] & 1u) << d;
    }
    for (int i = 0; i < r->naccess; i++) {
        orr__access a = r->access[i];
        for (int d = 0; d < r->rank; d++)
            r->access[i].stride[d] = a.stride[o->axis[d]];
    }
}

/* Splits axis d in two, of which the first has `outer` places. */
static void split_axis(orr__region *r, int d, int64_t outer)
{
    int64_t inner = r->dim[d] / outer;
    uint32_t low = (1u << (d + 1)) - 1;
    for (int e = r->rank++; e > d; e--)
        r->dim[e] = r->dim[e - 1];
    r->dim[d] = outer;
    r->dim[d + 1] = inner;
    r->rmask = (r->rmask & low) | (r->rmask >> d & 1u) << (d + 1) | (r->rmask & ~low) << 1;
    for (int i = 0; i < r->naccess; i++) {
        orr__access *a = &r->access[i];
        for (int e = r->rank - 1; e > d; e--)
            a->stride[e] = a->stride[e - 1];
        a->stride[d] *= inner;
    }
}

/* Splits axes so that one begins after `before` places. False: impossible, and nothing has changed. */
static bool split_at(orr__region *r, int64_t before)
{
    int64_t at = 1;
    for (int d = 0; d < r->rank && at < before; at *= r->dim[d++]) {
        if (at * r->dim[d] <= before)
            continue;
        if (before % at || r->dim[d] % (before / at) || r->rank == ORR__REGION_RANK)
            return false;
        split_axis(r, d, before / at);
    }
    return at == before;
}

/* The axis, longer than 1, that ends with the channels; -1: none. */
static int channel_axis(const orr__region *r, dims f)
{
    int64_t at = 1;
    for (int d = 0; d < r->rank; d++) {
        at *= r->dim[d];
        if (at == f.n * f.c && r->dim[d] > 1)
            return d;
        if (at > f.n * f.c)
            break;
    }
    return -1;
}

/* Makes axis d the innermost one. */
static void move_last(orr__region *r, int d)
{
    int last = r->rank - 1;
    int64_t n = r->dim[d];
    uint32_t bit = r->rmask >> d & 1u, low = (1u << d) - 1;
    memmove(&r->dim[d], &r->dim[d + 1], (size_t)(last - d) * sizeof *r->dim);
    r->dim[last] = n;
    r->rmask = (r->rmask & low) | (r->rmask >> (d + 1)) << d | bit << last;
    for (int i = 0; i < r->naccess; i++) {
        int64_t *s = r->access[i].stride, of = s[d];
        memmove(&s[d], &s[d + 1], (size_t)(last - d) * sizeof *s);
        s[last] = of;
    }
}

/* True if a reduction keeps the channels or the places, not both. Its result is then row-major as before. */
static bool leaves_rows(const orr__region *r, dims f)
{
    int64_t at = 1;
    bool channels = false, places = false;
    for (int d = 0; d < r->rank; at *= r->dim[d++])
        if (!(r->rmask >> d & 1u) && r->dim[d] > 1) {
            channels |= at >= f.n && at < f.n * f.c;
            places |= at >= f.n * f.c;
        }
    return !(channels && places);
}

/* True if the loops can iterate over blocks; tested on the lengths of axes alone. */
static bool try_loops(const layouts *k, const orr__region *r, dims f, const order *o)
{
    int64_t all = 1;
    if (!orr__region_loops(r) || r->loops == ORR__LOOPS_PRODUCT || r->search || orr__region_rows(r) ||
        r->rank + 3 > ORR__REGION_RANK)
        return false;
    for (int d = 0; d < r->rank; d++)
        all *= r->dim[d];
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].box)
            return false;
    if (all != f.n * f.c * f.places || !keeps_rows(r, o))
        return false;
    orr__region copy = *r;
    copy.naccess = 0;
    put_in_order(&copy, o);
    if (!split_at(&copy, f.n) || !split_at(&copy, f.n * f.c))
        return false;
    int c = channel_axis(&copy, f);
    return c >= 0 && copy.dim[c] % k->block == 0 && (!r->rmask || leaves_rows(&copy, f));
}

/* Makes the region iterate in the order of blocks. */
static void reorder_loops(const layouts *k, orr__region *r, int input)
{
    char label[sizeof r->label];
    dims f = node_dims(k, r->in[input]);
    order o = order_of(r, input);
    memcpy(label, r->label, sizeof label);
    put_in_order(r, &o);
    (void)split_at(r, f.n);
    (void)split_at(r, f.n * f.c);
    int c = channel_axis(r, f);
    split_axis(r, c, r->dim[c] / k->block);
    move_last(r, c + 1);
    for (int a = 0; a < r->naccess; a++) {
        orr__access *to = &r->access[a];
        int64_t step = 1, at = to->offset, place = at % f.places, channel = at / f.places % f.c;
        if (to->input < 0 || !k->lies[r->in[to->input]])
            continue;
        for (int d = r->rank - 1; d >= 0; step *= r->dim[d--])
            to->stride[d] = to->stride[d] ? step : 0;
        to->offset +=
            (channel / k->block * f.places + place) * k->block + channel % k->block - channel * f.places - place;
    }
    orr__region_finish(r);
    memcpy(r->label, label, sizeof label);
}

/* -- values in blocks -------------------------------------------------------------------------------------------------- */

static void settle_call(layouts *k, const orr__region *r, uint32_t takes)
{
    for (int i = 0; i < r->nin; i++)
        if (k->lies[r->in[i]] &&
            (!(takes >> i & 1u) || !orr__shape_equal(&r->call.in[i], &k->p->node[r->in[i]]->shape)))
            refuse(k, r->in[i]);
    if (k->lies[r->out[0]] && !(takes & ORR__CALL_RESULT))
        refuse(k, r->out[0]);
}

static void refuse_all(layouts *k, const orr__region *r)
{
    for (int i = 0; i < r->nin; i++)
        refuse(k, r->in[i]);
    for (int i = 0; i < r->nout; i++)
        refuse(k, r->out[i]);
}

/* A map that reads blocks writes all of its outputs in blocks. A reduction writes row-major outputs. */
static void settle_loops(layouts *k, const orr__region *r)
{
    bool reads = false, writes = true;
    dims f = { 0, 0, 0 };
    order o = { { 0 } };
    for (int i = 0; i < r->nin; i++)
        if (k->lies[r->in[i]]) {
            dims of = node_dims(k, r->in[i]);
            if (!reads) {
                f = of;
                o = order_of(r, i);
            }
            reads = true;
            if (!same_dims(f, of) || !reads_in_order(r, i, &o)) {
                refuse_all(k, r);
                return;
            }
        }
    for (int i = 0; i < r->nout; i++)
        writes = writes && k->lies[r->out[i]] && reads && same_dims(f, node_dims(k, r->out[i]));
    if (r->rmask)
        for (int i = 0; i < r->nout; i++)
            refuse(k, r->out[i]);
    if (!reads || !try_loops(k, r, f, &o) || (!r->rmask && !writes))
        refuse_all(k, r);
}

/* The sweeps of a search for a state that no region changes. Two suffice for a chain of any length, since every other one is backward. */
enum { SWEEPS = 64 }; /* limit of search */

static int in_sweep(const layouts *k, int sweep, int j)
{
    return sweep % 2 ? k->rs->n - 1 - j : j;
}

/* Past the bound all values stay row-major. */
static void settle(layouts *k)
{
    k->changed = true;
    for (int sweep = 0; sweep < SWEEPS && k->changed; sweep++) {
        k->changed = false;
        for (int at = 0; at < k->rs->n; at++) {
            int j = in_sweep(k, sweep, at);
            const orr__region *r = &k->rs->region[j];
            if (r->call.op)
                settle_call(k, r, k->takes[j]);
            else
                settle_loops(k, r);
        }
    }
    if (!k->changed)
        return;
    orr__log(2, "plan: the layouts of %d regions are not settled after %d sweeps, and all stay row-major", k->rs->n,
             SWEEPS);
    memset(k->lies, 0, (size_t)k->p->n * sizeof *k->lies);
}

/* Removes the values in blocks that are not connected to a call that takes blocks. */
static void find_useful(layouts *k)
{
    k->changed = true;
    for (int sweep = 0; sweep < SWEEPS && k->changed; sweep++) {
        k->changed = false;
        for (int at = 0; at < k->rs->n; at++) {
            int j = in_sweep(k, sweep, at);
            const orr__region *r = &k->rs->region[j];
            bool some = k->takes[j] != 0;
            for (int i = 0; i < r->nin + r->nout; i++)
                some = some || k->useful[i < r->nin ? r->in[i] : r->out[i - r->nin]];
            for (int i = 0; i < r->nin + r->nout && some; i++) {
                int node = i < r->nin ? r->in[i] : r->out[i - r->nin];
                k->changed |= k->lies[node] && !k->useful[node];
                k->useful[node] |= k->lies[node];
            }
        }
    }
    for (int i = 0; i < k->p->n; i++)
        k->lies[i] = k->lies[i] && k->useful[i];
}

/* -- the pass ------------------------------------------------------------------------------------------------------------- */

static void apply_call(const layouts *k, orr__region *r)
{
    orr__call *c = &r->call;
    for (int i = 0; i < r->nin; i++)
        c->blocked |= k->lies[r->in[i]] ? 1u << i : 0;
    c->blocked |= k->lies[r->out[0]] ? ORR__CALL_RESULT : 0;
    if (!c->blocked)
        return;
    c->block = k->block;
    if (c->op->space)
        r->rank = c->op->space(c, r->dim);
    r->key ^= (uint64_t)c->blocked * 0x9e3779b97f4a7c15u;
}

static void apply(const layouts *k)
{
    for (int j = 0; j < k->rs->n; j++) {
        orr__region *r = &k->rs->region[j];
        int input = -1;
        for (int i = 0; i < r->nin && input < 0; i++)
            input = k->lies[r->in[i]] ? i : -1;
        if (r->call.op)
            apply_call(k, r);
        else if (input >= 0)
            reorder_loops(k, r, input);
    }
}

/* Finds the arrays that each call takes in blocks of k->block. False: no call takes any. */
static bool ask(layouts *k)
{
    bool any = false;
    for (int j = 0; j < k->rs->n; j++) {
        const orr__region *r = &k->rs->region[j];
        k->takes[j] = r->call.op ? orr__cpu.blocks(r, k->block) : 0;
        any = any || k->takes[j];
    }
    return any;
}

static void choose(layouts *k)
{
    for (int j = 0; j < k->rs->n; j++) {
        const orr__region *r = &k->rs->region[j];
        for (int i = 0; i < r->nout; i++)
            k->lies[r->out[i]] = may_lie(k, r->out[i]);
    }
    for (int i = 0; i < k->p->nout; i++)
        k->lies[orr__fuse_strip(k->p, k->p->out[i])] = false;
    settle(k);
    find_useful(k);
    settle(k);
    apply(k);
}

/* Not with devices, which take row-major arrays. */
orr_status orr__pass_layouts(orr__planner *p)
{
    static const int blocks[] = { 16, 8 }; /* lanes of a vector; wide ones, which not every processor has, come first */
    bool any = false;
    for (int j = 0; j < p->regions.n; j++)
        any = any || p->regions.region[j].call.op;
    if (!any || p->regions.n < 2 || orr__machine_here.devices > 0 || !orr__cpu.blocks)
        return ORR_OK;
    size_t n = (size_t)p->capture->n + 1;
    layouts k = { .p = p->capture, .rs = &p->regions };
    k.lies = calloc(2 * n, sizeof *k.lies);
    k.takes = calloc((size_t)p->regions.n, sizeof *k.takes);
    orr_status st = k.lies && k.takes ? ORR_OK : orr__plan_enomem(p);
    k.useful = k.lies + n;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks && st == ORR_OK; b++) {
        k.block = blocks[b];
        if (ask(&k)) {
            choose(&k);
            break;
        }
    }
    free(k.lies);
    free(k.takes);
    return st;
}
