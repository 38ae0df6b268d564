/* Moves: a value from one distribution to another, by ordinary nodes around exchanges. The messages of all ranks have the same length:
 * blocks that a rank lacks are padding, which is removed on arrival.
 * Must not know: the graph that a value belongs to, the choice of distributions. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/exchange.h"
#include "ops/record.h"
#include "runtime/distribute/move.h"

/* -- cost -------------------------------------------------------------------------------------------------------------- */

double orr__spread_bytes(orr__spread a, orr__spread b, double bytes, int64_t ranks)
{
    double others = (double)(ranks - 1) / (double)ranks;
    if (orr__spread_equal(a, b) || a.kind == ORR__WHOLE)
        return b.kind == ORR__PARTIAL && a.kind != ORR__PARTIAL ? INFINITY : 0;
    if (b.kind == ORR__PARTIAL)
        return INFINITY;
    if (a.kind == ORR__PARTIAL)
        return (b.kind == ORR__WHOLE ? 2 : 1) * others * bytes;
    return others * bytes / (b.kind == ORR__SHARDED && a.axis != b.axis ? (double)ranks : 1);
}

static orr__spread along(const orr__distribution *d, int g)
{
    return d->grid ? d->along[g] : (orr__spread){ .kind = ORR__WHOLE };
}

double orr__move_bytes(const orr__distribution *a, const orr__distribution *b, double bytes)
{
    const orr__distribution *d = orr__distribution_whole(b) ? a : b;
    double sum = 0;
    if (!orr__distribution_whole(a) && !orr__distribution_whole(b) && a->grid != b->grid)
        return orr__move_bytes(a, &(orr__distribution){ .grid = NULL }, bytes) +
               orr__move_bytes(&(orr__distribution){ .grid = NULL }, b, bytes);
    for (int g = 0; d->grid && g < d->grid->axes; g++)
        sum += orr__spread_bytes(along(a, g), along(b, g), bytes, d->grid->extent[g]);
    return sum;
}

bool orr__move_exchanges(const orr__distribution *a, const orr__distribution *b)
{
    for (int g = 0; a->grid && g < a->grid->axes; g++)
        if (a->along[g].kind != ORR__WHOLE && !(b->grid == a->grid && orr__spread_equal(a->along[g], b->along[g])))
            return true;
    return false;
}

unsigned orr__move_reduces(const orr__distribution *a, const orr__distribution *b, int *rop)
{
    unsigned mask = 0;
    for (int g = 0; a->grid && g < a->grid->axes; g++) {
        orr__spread to = along(b, g);
        if (orr__spread_equal(a->along[g], to))
            continue;
        if (a->along[g].kind != ORR__PARTIAL || to.kind != ORR__WHOLE || (mask && *rop != a->along[g].rop))
            return 0;
        *rop = a->along[g].rop;
        mask |= 1u << g;
    }
    return b->grid == a->grid || orr__distribution_whole(b) ? mask : 0;
}

/* -- exchanges -------------------------------------------------------------------------------------------------------------- */

void orr__exchanges_free(orr__exchanges *e)
{
    for (int i = 0; i < e->n; i++)
        orr__node_unref(e->node[i]);
    free(e->node);
    *e = (orr__exchanges){ .n = 0 };
}

orr__exchange *orr__exchanges_list(const orr__exchanges *e)
{
    orr__exchange *x = orr__alloc_n((size_t)e->n + 1, sizeof *x);
    for (int i = 0; x && i < e->n; i++) {
        const orr__node *n = e->node[i];
        x[i] = orr__exchange_of_call(&n->attr, (orr_dtype)n->dtype, orr__shape_count(&n->shape));
    }
    return x;
}

/* Passes the row x through an exchange that makes a row of `count` elements. */
static orr__node *exchange(orr__site at, orr__exchanges *e, orr__exchange_kind kind, int rop, orr_grid *grid,
                           unsigned mask, orr__node *x, int64_t count)
{
    static const orr__reduction by[] = {
        [ORR__RSUM] = ORR__REDUCTION_SUM, [ORR__RMAX] = ORR__REDUCTION_MAX, [ORR__RMIN] = ORR__REDUCTION_MIN
    };
    if (x && e->n == e->cap) {
        int cap = e->cap ? 2 * e->cap : 16;
        orr__node **more = realloc(e->node, (size_t)cap * sizeof *more);
        if (!more) {
            orr__node_unref(x);
            (void)orr__fail(at, ORR_ENOMEM, "no memory for the exchanges of an evaluation");
            return NULL;
        }
        e->node = more;
        e->cap = cap;
    }
    int64_t ranks = orr__grid_group(grid, mask)->ranks;
    double in = x ? (double)orr__node_bytes(x) : 0, others = (double)(ranks - 1) / (double)ranks;
    orr__node *r = orr__rec_exchange(at, &(orr__exchange_call){ kind, by[rop], grid, mask }, x,
                                     e->n ? e->node[e->n - 1] : NULL, count);
    if (r) {
        e->node[e->n++] = orr__node_ref(r);
        e->bytes += in * (kind == ORR__EXCHANGE_ALL_REDUCE   ? 2 * others
                          : kind == ORR__EXCHANGE_ALL_GATHER ? (double)(ranks - 1)
                                                             : others);
    }
    return r;
}

/* -- shapes ------------------------------------------------------------------------------------------------------------------ */

static int64_t product(const orr_shape *s, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++)
        n *= s->dim[d];
    return n;
}

/* Reshapes x to `dim`. */
static orr__node *as(orr__site at, orr__node *x, int rank, const int64_t *dim)
{
    orr_shape s = { rank, { 0 } };
    memcpy(s.dim, dim, (size_t)rank * sizeof *dim);
    return orr__rec_reshape(at, x, &s);
}

static orr__node *as_row(orr__site at, orr__node *x)
{
    return x ? as(at, x, 1, (int64_t[]){ orr__shape_count(&x->shape) }) : NULL;
}

/* Pads x with zeros at the end of `axis`, to shape s. Fields have no pad. */
static orr__node *behind_it(orr__site at, orr__node *x, const orr_shape *s, int axis)
{
    static const int64_t start[ORR_MAX_RANK] = { 0 };
    orr_shape more = *s;
    orr_dtype t = (orr_dtype)x->dtype;
    if (!orr__is_field(t))
        return orr__rec_pad(at, x, s, start, (orr__scalar){ .u = 0 });
    if (x->shape.dim[axis] == 0) {
        orr__node_unref(x);
        return orr__rec_const(at, t, s, (orr__scalar){ .u = 0 });
    }
    more.dim[axis] -= x->shape.dim[axis];
    return orr__rec_concat(at, t, s, axis, 2,
                           (orr__node *[]){ x, orr__rec_const(at, t, &more, (orr__scalar){ .u = 0 }) });
}

static orr__node *with_length(orr__site at, orr__node *x, int axis, int64_t length)
{
    static const int64_t start[ORR_MAX_RANK] = { 0 }, step[ORR_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    if (!x)
        return NULL;
    orr_shape s = x->shape;
    bool more = s.dim[axis] < length;
    s.dim[axis] = length;
    return more ? behind_it(at, x, &s, axis) : orr__rec_slice(at, x, &s, start, step);
}

/* A block-cyclic axis of the tensor: cycles × ranks × block, the last cycle padded. */
typedef struct {
    int axis;
    int64_t length, cycles, ranks, block;
} round_of;

static round_of rounds(orr__spread s, int64_t length, int64_t ranks)
{
    return (round_of){ s.axis, length, (length + s.block * ranks - 1) / (s.block * ranks), ranks, s.block };
}

/* -- moves along one axis of a grid ----------------------------------------------------------------------------------------- */

typedef struct {
    orr__site at;
    orr__exchanges *e;
    orr_grid *grid;
    int g;
    const orr_shape *global;
} move;

/* For a value without elements: zeros of shape s. An exchange of one element takes place all the same, so that all ranks have the same
 * list: others may have elements. */
static orr__node *nothing(const move *m, orr__node *x, orr_shape s, orr__exchange_kind kind)
{
    int64_t ranks = m->grid->extent[m->g], in = kind == ORR__EXCHANGE_ALL_GATHER ? 1 : ranks;
    orr_dtype t = (orr_dtype)x->dtype;
    orr__node_unref(x);
    x = orr__rec_const(m->at, t, &ORR_SHAPE(in), (orr__scalar){ .u = 0 });
    x = exchange(m->at, m->e, kind, 0, m->grid, 1u << m->g, x, kind == ORR__EXCHANGE_REDUCE_SCATTER ? 1 : ranks);
    bool ok = x != NULL;
    orr__node_unref(x);
    return ok ? orr__rec_const(m->at, t, &s, (orr__scalar){ .u = 0 }) : NULL;
}

/* Cuts this rank's blocks out of a whole value. */
static orr__node *cut(const move *m, orr__node *x, orr__spread to)
{
    if (!x)
        return NULL;
    int a = to.axis;
    int64_t p = m->grid->extent[m->g], c = m->grid->coordinate[m->g];
    orr_shape s = x->shape, mine = s;
    round_of r = rounds(to, s.dim[a], p);
    mine.dim[a] = orr__spread_places(to, s.dim[a], c, p);
    if (r.cycles == 1) {
        int64_t start[ORR_MAX_RANK] = { 0 }, step[ORR_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
        start[a] = c * r.block;
        return orr__rec_slice(m->at, x, &mine, start, step);
    }
    x = with_length(m->at, x, a, r.cycles * p * r.block);
    x = as(m->at, x, 5, (int64_t[]){ product(&s, 0, a), r.cycles, p, r.block, product(&s, a + 1, s.rank) });
    if (!x)
        return NULL;
    orr_shape one = x->shape;
    one.dim[2] = 1;
    x = orr__rec_slice(m->at, x, &one, (int64_t[ORR_MAX_RANK]){ 0, 0, c },
                       (int64_t[ORR_MAX_RANK]){ 1, 1, 1, 1, 1, 1, 1, 1 });
    s.dim[a] = r.cycles * r.block;
    return with_length(m->at, orr__rec_reshape(m->at, x, &s), a, mine.dim[a]);
}

static orr__node *gather(const move *m, orr__node *x, orr__spread from)
{
    if (!x)
        return NULL;
    int a = from.axis;
    orr_shape s = x->shape, all = s;
    round_of r = rounds(from, m->global->dim[a], m->grid->extent[m->g]);
    int64_t before = product(&s, 0, a), behind = product(&s, a + 1, s.rank),
            count = before * r.cycles * r.block * behind;
    all.dim[a] = r.length;
    if (!count)
        return nothing(m, x, all, ORR__EXCHANGE_ALL_GATHER);
    x = as_row(m->at, with_length(m->at, x, a, r.cycles * r.block));
    x = exchange(m->at, m->e, ORR__EXCHANGE_ALL_GATHER, 0, m->grid, 1u << m->g, x, r.ranks * count);
    x = as(m->at, x, 5, (int64_t[]){ r.ranks, before, r.cycles, r.block, behind });
    x = orr__rec_permute(m->at, x, (int[]){ 1, 2, 0, 3, 4 });
    all.dim[a] = r.cycles * r.ranks * r.block;
    return with_length(m->at, x ? orr__rec_reshape(m->at, x, &all) : NULL, a, r.length);
}

static orr__node *reduce_scatter(const move *m, orr__node *x, int rop, orr__spread to)
{
    if (!x)
        return NULL;
    int a = to.axis;
    orr_shape s = x->shape;
    round_of r = rounds(to, s.dim[a], m->grid->extent[m->g]);
    int64_t before = product(&s, 0, a), behind = product(&s, a + 1, s.rank),
            count = before * r.cycles * r.block * behind;
    int64_t mine = orr__spread_places(to, s.dim[a], m->grid->coordinate[m->g], r.ranks);
    if (!count) {
        s.dim[a] = mine;
        return nothing(m, x, s, ORR__EXCHANGE_REDUCE_SCATTER);
    }
    x = with_length(m->at, x, a, r.cycles * r.ranks * r.block);
    x = as(m->at, x, 5, (int64_t[]){ before, r.cycles, r.ranks, r.block, behind });
    x = as_row(m->at, orr__rec_permute(m->at, x, (int[]){ 2, 0, 1, 3, 4 }));
    x = exchange(m->at, m->e, ORR__EXCHANGE_REDUCE_SCATTER, rop, m->grid, 1u << m->g, x, count);
    s.dim[a] = r.cycles * r.block;
    return with_length(m->at, x ? orr__rec_reshape(m->at, x, &s) : NULL, a, mine);
}

/* Blocks of one axis become blocks of another: each rank cuts its piece, and gets its blocks from all. */
static orr__node *all_to_all(const move *m, orr__node *x, orr__spread from, orr__spread to)
{
    if (!x)
        return NULL;
    orr_shape s = x->shape;
    int a = from.axis, b = to.axis, low = a < b ? a : b, high = a < b ? b : a;
    int64_t p = m->grid->extent[m->g];
    round_of f = rounds(from, m->global->dim[a], p), t = rounds(to, s.dim[b], p);
    int64_t before = product(&s, 0, low), middle = product(&s, low + 1, high), behind = product(&s, high + 1, s.rank);
    int64_t have = f.cycles * f.block, get = t.cycles * t.block, count = before * have * middle * p * get * behind;
    int64_t mine = orr__spread_places(to, s.dim[b], m->grid->coordinate[m->g], p);
    if (!count) {
        s.dim[a] = f.length;
        s.dim[b] = mine;
        return nothing(m, x, s, ORR__EXCHANGE_ALL_TO_ALL);
    }
    x = with_length(m->at, with_length(m->at, x, a, have), b, p * get);
    if (a < b) {
        x = as(m->at, x, 7, (int64_t[]){ before, have, middle, t.cycles, p, t.block, behind });
        x = orr__rec_permute(m->at, x, (int[]){ 4, 0, 1, 2, 3, 5, 6 });
    } else {
        x = as(m->at, x, 7, (int64_t[]){ before, t.cycles, p, t.block, middle, have, behind });
        x = orr__rec_permute(m->at, x, (int[]){ 2, 0, 1, 3, 4, 5, 6 });
    }
    x = exchange(m->at, m->e, ORR__EXCHANGE_ALL_TO_ALL, 0, m->grid, 1u << m->g, as_row(m->at, x), count);
    if (a < b) {
        x = as(m->at, x, 7, (int64_t[]){ p, before, f.cycles, f.block, middle, get, behind });
        x = orr__rec_permute(m->at, x, (int[]){ 1, 2, 0, 3, 4, 5, 6 });
    } else {
        x = as(m->at, x, 7, (int64_t[]){ p, before, get, middle, f.cycles, f.block, behind });
        x = orr__rec_permute(m->at, x, (int[]){ 1, 2, 3, 4, 0, 5, 6 });
    }
    s.dim[a] = p * have;
    s.dim[b] = get;
    x = x ? orr__rec_reshape(m->at, x, &s) : NULL;
    return with_length(m->at, with_length(m->at, x, a, f.length), b, mine);
}

bool orr__move_reduce(orr__site at, orr__node **x, int n, orr_grid *grid, unsigned mask, int rop, orr__exchanges *e)
{
    static const int64_t step[ORR_MAX_RANK] = { 1 };
    orr_shape shape = { 0, { 0 } };
    orr__node **row = orr__alloc_n((size_t)n, sizeof(orr__node *));
    int64_t all = 0, from = 0;
    int rows = 0;
    if (!row)
        return false;
    for (int i = 0; i < n; i++) {
        int64_t count = x[i] ? orr__shape_count(&x[i]->shape) : 0;
        all += count;
        if (count)
            row[rows++] = as_row(at, orr__node_ref(x[i]));
    }
    orr__node *sum = NULL;
    if (!rows) { /* as in nothing() */
        row[rows++] = orr__rec_const(at, (orr_dtype)x[0]->dtype, &ORR_SHAPE(1), (orr__scalar){ .u = 0 });
        all = 1;
    }
    if ((sum = orr__rec_concat(at, (orr_dtype)x[0]->dtype, &ORR_SHAPE(all), 0, rows, row)))
        sum = exchange(at, e, ORR__EXCHANGE_ALL_REDUCE, rop, grid, mask, sum, all);
    bool ok = sum != NULL;
    for (int i = 0; i < n; i++) {
        if (!x[i] || !(shape = x[i]->shape, orr__shape_count(&shape)))
            continue;
        int64_t count = orr__shape_count(&shape), start[ORR_MAX_RANK] = { from };
        orr__node *mine = sum ? orr__rec_slice(at, orr__node_ref(sum), &ORR_SHAPE(count), start, step) : NULL;
        orr__node_unref(x[i]);
        x[i] = mine ? orr__rec_reshape(at, mine, &shape) : NULL;
        ok = ok && x[i];
        from += count;
    }
    orr__node_unref(sum);
    free(row);
    return ok;
}

/* -- a move ------------------------------------------------------------------------------------------------------------------ */

/* True if another axis of the grid shards the axis of the tensor. */
static bool taken(const orr__distribution *d, int g, int axis)
{
    for (int o = 0; o < d->grid->axes; o++)
        if (o != g && d->along[o].kind == ORR__SHARDED && d->along[o].axis == axis)
            return true;
    return false;
}

/* Removes the sums and shards that b does not have: sums first, then shards. If the new axis of the tensor is not
 * free yet, the value is whole in between. */
static orr__node *leave(const move *with, orr__node *x, orr__distribution *now, const orr__distribution *b)
{
    for (int rop = ORR__RSUM; rop <= ORR__RMIN; rop++) {
        unsigned mask = 0;
        for (int g = 0; g < now->grid->axes; g++)
            if (now->along[g].kind == ORR__PARTIAL && now->along[g].rop == rop &&
                (along(b, g).kind == ORR__WHOLE ||
                 (along(b, g).kind == ORR__SHARDED && taken(now, g, along(b, g).axis))))
                mask |= 1u << g;
        if (mask && x && !orr__move_reduce(with->at, &x, 1, now->grid, mask, rop, with->e))
            return NULL;
        for (int g = 0; g < now->grid->axes; g++)
            if (mask >> g & 1)
                now->along[g] = (orr__spread){ .kind = ORR__WHOLE };
    }
    for (int g = 0; g < now->grid->axes; g++) {
        orr__spread a = now->along[g], to = along(b, g);
        move m = *with;
        m.g = g;
        if (a.kind == ORR__WHOLE || orr__spread_equal(a, to))
            continue;
        if (a.kind == ORR__PARTIAL) {
            x = reduce_scatter(&m, x, a.rop, to);
            now->along[g] = to;
        } else if (to.kind == ORR__SHARDED && to.axis != a.axis && !taken(now, g, to.axis)) {
            x = all_to_all(&m, x, a, to);
            now->along[g] = to;
        } else {
            x = gather(&m, x, a);
            now->along[g] = (orr__spread){ .kind = ORR__WHOLE };
        }
    }
    return x;
}

static orr__node *move_real(orr__site at, orr__node *x, const orr_shape *global, const orr__distribution *a,
                            const orr__distribution *b, orr__exchanges *e)
{
    orr__distribution now = *a, none = { .grid = NULL };
    bool other = a->grid && b->grid != a->grid;
    if (a->grid && !orr__distribution_whole(a))
        x = leave(&(move){ at, e, a->grid, 0, global }, x, &now, other ? &none : b);
    for (int g = 0; x && b->grid && g < b->grid->axes; g++)
        if (b->along[g].kind == ORR__SHARDED && (other || !a->grid || now.along[g].kind == ORR__WHOLE))
            x = cut(&(move){ at, e, b->grid, g, global }, x, b->along[g]);
    return x;
}

orr__node *orr__move(orr__site at, orr__node *x, const orr_shape *global, const orr__distribution *a,
                     const orr__distribution *b, orr__exchanges *e)
{
    if (!x || !orr__is_complex((orr_dtype)x->dtype))
        return move_real(at, x, global, a, b, e);
    orr__node *re = move_real(at, orr__rec_part(at, orr__node_ref(x), false), global, a, b, e);
    orr__node *im = move_real(at, orr__rec_part(at, x, true), global, a, b, e);
    return orr__rec_complex(at, re, im);
}
