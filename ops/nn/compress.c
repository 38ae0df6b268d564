/* Sums of gradients over ranks that travel as bf16, with the rounding errors fed back (F. Seide et al., 2014; S. P. Karimireddy et al., 2019):
 * a rank adds to its next gradient all that earlier roundings have left out, so that nothing is lost for good. Both halves of a sum round:
 * the terms, and, unless the optimiser's state is in parts, the sums (H. Tang et al., 2019). Sums are computed in the dtype of the optimiser's arithmetic, in the
 * order of the ranks.
 * Must not know: update rules, how values travel. */
#include "config.h"

#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/exchange.h"
#include "ops/nn/data_parallel.h"
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/base/threshold.h"

#define AT c->at.file, c->at.line

enum { BUCKET = 2 * ORR__T_CORE_CACHES /* elements of the gradients that share an exchange */ };

typedef struct call {
    orr__site at;
    const orr_optim *o;
    int64_t ranks;
    orr_tensor **g, **unsent; /* by slot */
} call;

/* The layout of a gradient: `count` elements, as rows that are cut into `length` elements for each rank. */
typedef struct layout {
    orr_shape shape;
    int64_t count, length;
} layout;

static layout layout_of(const call *c, int i)
{
    layout l = { .shape = orr_tensor_shape(c->o->slot[i].variable) };
    l.count = orr__shape_count(&l.shape);
    int64_t rows = c->o->shard_state && l.shape.rank > 0 ? l.shape.dim[0] : l.count;
    l.length = l.count ? (rows + c->ranks - 1) / c->ranks * (l.count / rows) : 0;
    return l;
}

static orr_tensor *without_infinities(const call *c, orr_tensor *x)
{
    return orr_where_at(AT, orr_isfinite_at(AT, x), x, orr_scalar_at(AT, 0.0));
}

/* x as bf16; *error: that which the rounding leaves out. */
static orr_tensor *rounded(const call *c, orr_tensor *x, orr_tensor **error)
{
    orr_tensor *y = orr_cast_at(AT, x, ORR_BF16);
    *error = orr_sub_at(AT, x, orr_cast_at(AT, y, orr_tensor_dtype(x)));
    return y;
}

/* Elements first … first + length − 1 of axis 1. */
static orr_tensor *columns(const call *c, orr_tensor *x, int64_t first, int64_t length)
{
    return orr_slice_axis_at(AT, x, 1, first, first + length, 1);
}

/* -- a bucket ------------------------------------------------------------------------------------------------ */

/* The term of gradient i as bf16, (ranks, ranks, length): row r is of rank r, column k goes to rank k. */
static orr_tensor *term(const call *c, int i)
{
    const orr__slot *slot = &c->o->slot[i];
    layout l = layout_of(c, i);
    orr_tensor *x = orr_cast_at(AT, orr__terms(c->at, c->g[i], c->ranks), slot->work), *error;
    x = rounded(c, orr_add_at(AT, x, slot->unsent), &error);
    c->unsent[i] = error;
    x = orr_pad_at(AT, x, ORR_NO_INDEX, ORR_INDEX(0, c->ranks * l.length - l.count), 0.0);
    return orr_reshape_at(AT, x, ORR_SHAPE(c->ranks, c->ranks, l.length));
}

/* Adds to what rank r has not sent the error of the sums that rank r rounds. error: (ranks, length). */
static orr_tensor *with_own_error(const call *c, orr_tensor *unsent, orr_tensor *error, const layout *l)
{
    orr_tensor *rank = orr_arange_at(AT, ORR_I64, 0, (double)c->ranks, 1);
    orr_tensor *own = orr_equal_at(AT, orr_reshape_at(AT, rank, ORR_SHAPE(c->ranks, 1, 1)),
                                   orr_reshape_at(AT, rank, ORR_SHAPE(1, c->ranks, 1)));
    error = orr_reshape_at(AT, error, ORR_SHAPE(c->ranks, 1, l->length));
    error = orr_where_at(AT, own, error, orr_scalar_at(AT, 0.0));
    error = orr_reshape_at(AT, error, ORR_SHAPE(c->ranks, c->ranks * l->length));
    return orr_add_at(AT, unsent, columns(c, error, 0, l->count));
}

/* Sums gradients first, first − 1, …, `n` of them, in one exchange, or two. */
static orr_status bucket(const call *c, int first, int n)
{
    orr_tensor **x = orr__alloc_n((size_t)n, sizeof *x), *error = NULL;
    if (!x)
        return ORR_ENOMEM;
    for (int k = 0; k < n; k++)
        x[k] = term(c, first - k);
    orr_dtype work = c->o->slot[first].work;
    orr_tensor *sum = orr_shard_at(AT, orr_concat_at(AT, x, n, 2), c->o->grid, ORR_AXES(1));
    free(x);
    sum = orr_sum_at(AT, orr_cast_at(AT, sum, work), ORR_AXES(0), false);
    if (!c->o->shard_state)
        sum = orr_cast_at(AT, orr_replicate_at(AT, rounded(c, sum, &error)), work);
    int64_t at = 0;
    for (int k = 0; k < n; k++) {
        int i = first - k;
        layout l = layout_of(c, i);
        if (error)
            c->unsent[i] = with_own_error(c, c->unsent[i], columns(c, error, at, l.length), &l);
        c->unsent[i] = without_infinities(c, c->unsent[i]);
        orr_tensor *g = orr_reshape_at(AT, columns(c, sum, at, l.length), ORR_SHAPE(c->ranks * l.length));
        c->g[i] = orr_reshape_at(AT, orr_slice_axis_at(AT, g, 0, 0, l.count, 1), l.shape);
        at += l.length;
    }
    return orr__nn_check(c->at, c->g[first]);
}

/* Among one rank nothing travels: what more ranks have left in a checkpoint is added. */
static void alone(const call *c, int i)
{
    const orr__slot *slot = &c->o->slot[i];
    orr_tensor *left = orr_reshape_at(AT, slot->unsent, orr_tensor_shape(slot->variable));
    c->g[i] = orr_add_at(AT, orr_cast_at(AT, c->g[i], slot->work), left);
    c->unsent[i] = orr_zeros_at(AT, slot->work, orr_tensor_shape(slot->unsent));
}

/* -- all gradients --------------------------------------------------------------------------------------------- */

orr_status orr__optim_compress(orr__site at, const orr_optim *o, orr_tensor **g, orr_tensor **unsent)
{
    const call c = { at, o, o->grid ? o->grid->extent[0] : 1, g, unsent };
    orr_status st = ORR_OK;
    for (int i = 0; i < o->n; i++)
        unsent[i] = NULL;
    if (!o->compress)
        return ORR_OK;
    for (int i = o->n - 1; st == ORR_OK && i >= 0;) { /* in the order of the backward pass */
        int64_t elements = 0;
        int n = 0;
        for (; i - n >= 0 && o->slot[i - n].unsent && o->slot[i - n].work == o->slot[i].work; n++) {
            elements += c.ranks * layout_of(&c, i - n).length;
            if (n > 0 && elements > BUCKET)
                break;
        }
        if (n == 0) /* without elements */
            n = 1;
        else if (c.ranks == 1)
            alone(&c, i), n = 1;
        else
            st = bucket(&c, i, n);
        i -= n;
    }
    return st;
}

orr_status orr__optim_compress_start(orr__site at, orr_optim *o)
{
    orr_status st = ORR_OK;
    int64_t ranks = o->grid ? o->grid->extent[0] : 1;
    for (int i = 0; st == ORR_OK && i < o->n; i++) {
        orr_shape s = orr_tensor_shape(o->slot[i].variable);
        int64_t count = orr__shape_count(&s);
        if (!count || o->slot[i].unsent)
            continue;
        orr_tensor *zero = orr_zeros_at(at.file, at.line, o->slot[i].work, ORR_SHAPE(ranks, count));
        o->slot[i].unsent = orr__nn_variable(at, zero);
        st = o->slot[i].unsent ? ORR_OK : orr_error_status();
        if (st == ORR_OK && ranks > 1)
            st = orr_assign_at(at.file, at.line, o->slot[i].unsent,
                               orr_shard_at(at.file, at.line, zero, o->grid, ORR_AXES(0)));
    }
    o->compress = st == ORR_OK;
    return st;
}

orr_tensor *orr__optim_fit(orr__site at, const orr_optim *o, const orr_tensor *variable, orr_tensor *t)
{
    bool is = false;
    for (int i = 0; o && i < o->n; i++)
        is = is || (variable && o->slot[i].unsent == variable);
    orr_shape have = orr_tensor_shape(t);
    if (!is || !t || have.rank != 2 || have.dim[0] == orr_tensor_shape(variable).dim[0])
        return t;
    int64_t more = orr_tensor_shape(variable).dim[0] - 1;
    t = orr_sum_at(at.file, at.line, t, ORR_AXES(0), true);
    return orr_pad_at(at.file, at.line, t, ORR_NO_INDEX, ORR_INDEX(more, 0), 0.0);
}
