/* Per-example gradients of one layer without a copy for each example: dense layers and convolutions.
 * Must not know: losses, clipping.
 *
 * A dense layer z = x·W + b has the per-example gradients xᵢᵀ·gᵢ and gᵢ, g the cotangent of z: their norms follow from those of
 * xᵢ and gᵢ (Goodfellow, "Efficient per-example gradient computations", 2015), and their weighted sum is (c·g)ᵀ times x, the
 * product that a plain step has, too (Bu, Wang, Zha, Karypis, "Differentially private optimization on large model at small
 * cost", 2023). Along a further axis of T positions the norm is Σ (x·xᵀ)∘(g·gᵀ) over T × T (Li, Tramèr, Liang, Hashimoto 2022),
 * or that of the product itself, whichever is smaller. A convolution is a dense layer at each position, of the elements under
 * the kernel: the same choice (Bu, Mao, Xu, "Scalable and efficient training of large convolutional neural networks with
 * differential privacy", 2022). */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include "ops/nn/module.h"
#include "ops/privacy/ghost.h"
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

bool orr__ghost_knows(const orr_module *m)
{
    return orr__module_is_dense(m) || orr__module_conv(m) != NULL;
}

/* Σ t² of each example. */
static orr_tensor *square_norms(orr__site at, orr_tensor *t)
{
    t = orr_reshape_at(AT, t, ORR_SHAPE(orr_tensor_shape(t).dim[0], -1));
    return orr_sum_at(AT, orr_square_at(AT, t), ORR_AXES(-1), false);
}

/* Of T positions with x of D and g of p elements each: Σ ‖Σ over the positions of x·gᵀ‖². Both are (batch, groups, …); x has its
 * positions along axis 2 or 3, g along axis 3 or 2. */
static orr_tensor *positions_square(orr__site at, orr_tensor *xt, orr_tensor *x, orr_tensor *gt, orr_tensor *g)
{
    orr_shape sx = orr_tensor_shape(x), sg = orr_tensor_shape(g); /* (batch, groups, T, ·) */
    if (2 * sx.dim[2] * sx.dim[2] > sx.dim[3] * sg.dim[3])
        return square_norms(at, orr_matmul_at(AT, gt, x));
    orr_tensor *s = orr_mul_at(AT, orr_matmul_at(AT, x, xt), orr_matmul_at(AT, g, gt));
    s = orr_sum_at(AT, s, ORR_AXES(1, 2, 3), false);
    return orr_maximum_at(AT, s, orr_scalar_at(AT, 0.0)); /* rounding may leave it below */
}

/* -- dense layers ------------------------------------------------------------------------------------------------ */

/* (batch, 1, positions, width) */
static orr_tensor *by_position(orr__site at, orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    return orr_reshape_at(AT, t, ORR_SHAPE(s.dim[0], 1, -1, s.dim[s.rank - 1]));
}

static orr_tensor *dense_square(orr__site at, const orr__ghost *l)
{
    bool bias = l->m->nparam > 1;
    if (orr_tensor_shape(l->x).rank == 2) {
        orr_tensor *xx = square_norms(at, l->x), *gg = square_norms(at, l->g);
        return orr_mul_at(AT, gg, bias ? orr_add_at(AT, xx, orr_scalar_at(AT, 1.0)) : xx);
    }
    orr_tensor *x = by_position(at, l->x), *g = by_position(at, l->g);
    orr_tensor *s = positions_square(at, orr_transpose_at(AT, x), x, orr_transpose_at(AT, g), g);
    return bias ? orr_add_at(AT, s, square_norms(at, orr_sum_at(AT, g, ORR_AXES(2), false))) : s;
}

static void dense_sums(orr__site at, const orr__ghost *l, orr_tensor *g, orr_tensor **sum)
{
    orr_shape sx = orr_tensor_shape(l->x), sg = orr_tensor_shape(g);
    orr_tensor *x = sg.rank > 2 ? orr_reshape_at(AT, l->x, ORR_SHAPE(-1, sx.dim[sx.rank - 1])) : l->x;
    if (sg.rank > 2)
        g = orr_reshape_at(AT, g, ORR_SHAPE(-1, sg.dim[sg.rank - 1]));
    sum[0] = orr_matmul_at(AT, orr_transpose_at(AT, x), g);
    if (l->m->nparam > 1)
        sum[1] = orr_sum_at(AT, g, ORR_AXES(0), false);
}

/* -- convolutions ------------------------------------------------------------------------------------------------- */

/* (batch, groups, elements under the kernel, positions): a slice of the padded input for each place of the kernel. */
static orr_tensor *unfolded(orr__site at, const orr__ghost *l, const orr_conv_options *o)
{
    orr_shape x = orr_tensor_shape(l->x), w = orr_tensor_shape(l->m->param[0]), z = orr_tensor_shape(l->z);
    orr_index lo = { x.rank, { 0 } }, hi = lo;
    int64_t count = 1, positions = 1, place[3] = { 0 };
    for (int d = 0; d < x.rank - 2; d++) {
        int64_t dilation = o->dilation[d] ? o->dilation[d] : 1, same = o->same ? dilation * (w.dim[d + 2] - 1) : 0;
        lo.v[d + 2] = o->padding[d] + o->before[d] + same / 2;
        hi.v[d + 2] = o->padding[d] + o->after[d] + same - same / 2;
        count *= w.dim[d + 2];
        positions *= z.dim[d + 2];
    }
    orr_tensor *padded = orr_pad_at(AT, l->x, lo, hi, 0.0), **slice = orr__alloc_n((size_t)count, sizeof *slice);
    if (!slice)
        return orr__poison(at, ORR_ENOMEM, "no memory for %lld slices", (long long)count);
    for (int64_t k = 0; k < count; k++) {
        orr_index start = { x.rank, { 0 } }, stop = start, step = start;
        for (int d = 0; d < x.rank; d++) {
            int64_t stride = d > 1 && o->stride[d - 2] ? o->stride[d - 2] : 1;
            start.v[d] = d > 1 ? place[d - 2] * (o->dilation[d - 2] ? o->dilation[d - 2] : 1) : 0;
            stop.v[d] = d > 1 ? start.v[d] + (z.dim[d] - 1) * stride + 1 : x.dim[d];
            step.v[d] = stride;
        }
        slice[k] = orr_slice_at(AT, padded, start, stop, step);
        for (int d = x.rank - 3; d >= 0 && ++place[d] == w.dim[d + 2]; d--)
            place[d] = 0;
    }
    orr_tensor *u = orr_stack_at(AT, slice, (int)count, 2);
    free(slice);
    return orr_reshape_at(AT, u, ORR_SHAPE(x.dim[0], x.dim[1] / w.dim[1], w.dim[1] * count, positions));
}

static orr_tensor *conv_square(orr__site at, const orr__ghost *l)
{
    orr_tensor *ut = unfolded(at, l, orr__module_conv(l->m));
    orr_shape s = orr_tensor_shape(ut);
    orr_tensor *gt = orr_reshape_at(AT, l->g, ORR_SHAPE(s.dim[0], s.dim[1], -1, s.dim[3]));
    orr_tensor *square = positions_square(at, ut, orr_transpose_at(AT, ut), gt, orr_transpose_at(AT, gt));
    if (l->m->nparam > 1)
        square = orr_add_at(AT, square, square_norms(at, orr_sum_at(AT, gt, ORR_AXES(3), false)));
    return square;
}

static void conv_sums(orr__site at, const orr__ghost *l, orr_tensor *g, orr_tensor **sum)
{
    orr_shape w = orr_tensor_shape(l->m->param[0]), kernel = { w.rank - 2, { 0 } };
    orr_axes rest = { w.rank - 1, { 0 } };
    for (int d = 2; d < w.rank; d++) {
        kernel.dim[d - 2] = w.dim[d];
        rest.axis[d - 1] = d;
    }
    sum[0] = orr_conv_weights_at(AT, l->x, g, kernel, orr__module_conv(l->m));
    if (l->m->nparam > 1)
        sum[1] = orr_sum_at(AT, g, rest, false);
}

/* -- both --------------------------------------------------------------------------------------------------------- */

orr_tensor *orr__ghost_square(orr__site at, const orr__ghost *l)
{
    return orr__module_is_dense(l->m) ? dense_square(at, l) : conv_square(at, l);
}

void orr__ghost_sums(orr__site at, const orr__ghost *l, orr_tensor *g, orr_tensor **sum)
{
    (orr__module_is_dense(l->m) ? dense_sums : conv_sums)(at, l, g, sum + l->param);
}
