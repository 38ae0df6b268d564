/* orr_shard, orr_replicate and orr_redistribute: a tensor over the ranks of a grid. Also the exchange, which only partitions
 * record.
 * Must not know: devices, fusion, plans; how messages travel. */
#include "config.h"

#include <orrery/distribute.h>
#include "ops/back.h"
#include "ops/exchange.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/base/array.h"
#include "runtime/graph/thread_state.h"

/* -- the node: the operand and its new distribution. Operand 1, if there is one, has that distribution already ---------- */

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->dtype == in[0]->dtype ? NULL
                                                                                  : "distribute changes shape or dtype";
}

/* On one rank the node is its operand. */
static int identity(const orr__capture *p, int i)
{
    return orr__arg(p, i, 0);
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    return k ? NULL : b->g;
}

static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    (void)n;
    *w = orr__view_still(v);
    for (int a = 0; a < in->rank; a++)
        orr__view_carry(w, a, v, a);
    return true;
}

const orr__op orr__op_distribute = {
    .id = ORR__OP_distribute,
    .name = "distribute",
    .arity = -1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .attrs = ORR__ATTR_INDEX,
    .flags = ORR__OP_ORDERED | ORR__OP_PLACES,
    .verify = verify,
    .identity = identity,
    .reference = orr__reference_copy,
    .vjp = vjp,
    .see = see,
};

orr__node *orr__rec_distribute(orr__site at, orr__node *n, int number)
{
    orr__node *r = n ? orr__rec_one(at, &orr__op_distribute, (orr_dtype)n->dtype, &n->shape, n) : NULL;
    if (r)
        r->attr.index = number;
    return r;
}

bool orr__distribute_asks(const orr__node *n, int *number, bool *like)
{
    if (n->op != &orr__op_distribute)
        return false;
    *number = n->attr.index;
    *like = *number < 0;
    return true;
}

/* -- the exchange -------------------------------------------------------------------------------------------------- */

static const char *verify_exchange(const orr__node *n, const orr__node *const *in, int nin)
{
    return (nin == 1 || nin == 2) && n->shape.rank == 1 && in[0]->shape.rank == 1 && n->dtype == in[0]->dtype
               ? NULL
               : "an exchange is of a row";
}

static orr_status reference_exchange(const orr__reference *j)
{
    return orr__fail(ORR__SITE(j->node->file, j->node->line, "exchange"), ORR_EINTERNAL,
                     "a single process has nothing to exchange");
}

static bool whole(const orr__call *c)
{
    (void)c;
    return false;
}

const orr__op orr__op_exchange = {
    .id = ORR__OP_exchange,
    .name = "exchange",
    .arity = -1,
    .kinds = ORR__TAKES_FIELD,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_AXIS | ORR__ATTR_INDEX | ORR__ATTR_ROP | ORR__ATTR_DIST,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_ORIGIN | ORR__OP_STOPS | ORR__OP_POSTS,
    .flops = 1,
    .verify = verify_exchange,
    .reference = reference_exchange,
    .cuts = whole,
};

orr__node *orr__rec_exchange(orr__site at, const orr__exchange_call *c, orr__node *x, orr__node *after, int64_t count)
{
    orr__node *in[2] = { x, after ? orr__node_ref(after) : NULL };
    int grid = orr__grid_number(at, c->grid);
    if (!x || grid < 0) {
        orr__node_unref(x);
        orr__node_unref(in[1]);
        return NULL;
    }
    orr__node *n = orr__node_of(at, &orr__op_exchange, (orr_dtype)x->dtype, &ORR_SHAPE(count), after ? 2 : 1, in);
    if (n) {
        n->attr.axis = (int32_t)c->mask;
        n->attr.index = grid;
        n->attr.rop = (uint8_t)c->reduction;
        n->attr.dist = (uint8_t)c->kind;
    }
    return n;
}

bool orr__is_exchange(const orr__op *op)
{
    return op == &orr__op_exchange;
}

orr__exchange_call orr__exchange_call_of(const orr__attr *a)
{
    return (orr__exchange_call){ (orr__exchange_kind)a->dist, (orr__reduction)a->rop, orr__grid_of(a->index),
                                 (unsigned)a->axis };
}

orr__exchange orr__exchange_of_call(const orr__attr *a, orr_dtype dtype, int64_t count)
{
    orr__exchange_call c = orr__exchange_call_of(a);
    return (orr__exchange){ .kind = c.kind,
                            .reduction = c.reduction,
                            .dtype = dtype,
                            .group = orr__grid_group(c.grid, c.mask),
                            .count = count,
                            .values = true };
}

/* -- the public functions ------------------------------------------------------------------------------------------- */

/* Cuts axis `axis` of the tensor, unless it is cut already. */
static bool cut(orr__site at, const orr__node *n, orr__distribution *d, int g, int axis, int64_t block,
                orr_tensor **bad)
{
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0) {
        *bad = orr__axis_poison(at, axis, &n->shape);
        return false;
    }
    for (int before = 0; before < g; before++)
        if (d->along[before].kind == ORR__SHARDED && d->along[before].axis == k) {
            *bad = orr__poison(at, ORR_EAXIS, "axis %d of %s lies along two axes of the grid", k, orr__str(n->shape).s);
            return false;
        }
    if (block < 0) {
        *bad = orr__poison(at, ORR_EINVAL, "blocks of %lld places", (long long)block);
        return false;
    }
    int64_t length = n->shape.dim[k], extent = d->grid->extent[g], even = (length + extent - 1) / extent;
    if (extent > 1)
        d->along[g] = (orr__spread){ .kind = ORR__SHARDED,
                                     .axis = (int8_t)k,
                                     .block = block  ? block
                                              : even ? even
                                                     : 1 };
    return true;
}

static orr_tensor *shard(orr__site at, const orr_tensor *t, orr_grid *grid, const orr_axes *axes,
                         const orr_index *blocks)
{
    orr__node *n;
    orr_tensor *bad;
    orr__distribution d = { .grid = grid };
    if (!orr__operand(at, t, "the tensor", &n, &bad))
        return bad;
    if (!grid)
        return orr__poison(at, ORR_EINVAL, "grid is NULL");
    if (axes->n < 1 || axes->n > grid->axes || (blocks && blocks->n != axes->n))
        return orr__poison(at, ORR_EINVAL,
                           "%d axes and %d block lengths for a grid of %d axes: one of each per axis of the grid",
                           axes->n, blocks ? blocks->n : axes->n, grid->axes);
    for (int g = 0; g < axes->n; g++)
        if (axes->axis[g] != ORR_WHOLE && !cut(at, n, &d, g, axes->axis[g], blocks ? blocks->v[g] : 0, &bad))
            return bad;
    int number = orr__distribution_number(at, &d);
    if (number <= 0)
        return orr__handle_new(number < 0 ? NULL : orr__node_ref(n));
    return orr__handle_new(orr__rec_distribute(at, orr__node_ref(n), number));
}

/* A failure on one rank alone is told to the others when the ranks evaluate. */
static orr_tensor *over_ranks(orr_tensor *t)
{
    return orr__ranks() > 1 && orr_tensor_status(t) != ORR_OK ? orr__poison_in_common(t) : t;
}

orr_tensor *orr_shard_at(const char *file, int line, orr_tensor *t, orr_grid *grid, orr_axes axes)
{
    return over_ranks(shard(ORR__SITE(file, line, "shard"), t, grid, &axes, NULL));
}

orr_tensor *orr_shard_cyclic_at(const char *file, int line, orr_tensor *t, orr_grid *grid, orr_axes axes,
                                orr_index blocks)
{
    return over_ranks(shard(ORR__SITE(file, line, "shard_cyclic"), t, grid, &axes, &blocks));
}

orr_tensor *orr_replicate_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "replicate");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, t, "the tensor", &n, &bad))
        return over_ranks(bad);
    return orr__handle_new(orr__distributions_exist() ? orr__rec_distribute(at, orr__node_ref(n), 0)
                                                      : orr__node_ref(n));
}

orr_tensor *orr_redistribute_at(const char *file, int line, orr_tensor *t, orr_tensor *like)
{
    orr__site at = ORR__SITE(file, line, "redistribute");
    orr__node *n[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ t, like }, (const char *const[]){ "the tensor", "like" }, n,
                       &bad))
        return over_ranks(bad);
    if (!orr__shape_equal(&n[0]->shape, &n[1]->shape))
        return over_ranks(orr__poison(at, ORR_ESHAPE, "%s cannot lie as %s: the shapes must be equal",
                                      orr__str(n[0]->shape).s, orr__str(n[1]->shape).s));
    if (!orr__distributions_exist())
        return orr__handle_new(orr__node_ref(n[0]));
    orr__node *r = orr__node_new(at, &orr__op_distribute, (orr_dtype)n[0]->dtype, &n[0]->shape, 2, n);
    if (r)
        r->attr.index = -1;
    return orr__handle_new(r);
}

/* left: nodes that are looked at. */
static bool lies_over_ranks(orr__node *n, int *left)
{
    int number;
    bool like, lies = false;
    if (--*left < 0)
        return false;
    if (orr__node_value(n))
        return n->placed != 0;
    if (orr__distribute_asks(n, &number, &like) && !like)
        return number != 0;
    for (int k = n->nin - 1; k >= 0 && !lies; k--)
        lies = lies_over_ranks(n->in[k], left);
    return lies;
}

bool orr__lies_over_ranks(orr__node *n)
{
    int left = 64;
    if (!n || !orr__distributions_exist())
        return false;
    orr__graph_lock();
    bool lies = lies_over_ranks(n, &left);
    orr__graph_unlock();
    return lies;
}

const char *orr_distribution(const orr_tensor *t)
{
    enum { TEXT = 256 }; /* limit of memory */
    const orr__node *n = orr__handle_node(t);
    int number = -1;
    bool like = false;
    if (n && orr__node_value(n))
        number = n->placed;
    else if (n && (!orr__distribute_asks(n, &number, &like) || like))
        number = -1;
    orr__distribution d = orr__distribution_of(number);
    char *text = number < 0 ? NULL : orr__own_memory_of(ORR__OWN_TEXT, TEXT);
    return number < 0 ? "not evaluated" : text ? orr__distribution_text(&d, text, TEXT) : "no memory";
}
