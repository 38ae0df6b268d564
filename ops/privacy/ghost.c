/* Per-example gradients of one layer without a copy for each example: dense layers and convolutions.
 * Must not know: losses, clipping.
 *
 * A dense layer z = x·W + b has the per-example gradients xᵢᵀ·gᵢ and gᵢ, where g is the cotangent of z. Their norms
 * follow from those of xᵢ and gᵢ (Goodfellow, "Efficient per-example gradient computations", 2015), and their weighted
 * sum is (c·g)ᵀ times x, the product that a plain step computes, too (Bu, Wang, Zha, Karypis, "Differentially private
 * optimization on large model at small cost", 2023). Along a further axis of T positions the norm is Σ (x·xᵀ)∘(g·gᵀ)
 * over T × T (Li, Tramèr, Liang, Hashimoto 2022), or that of the product itself, whichever is smaller. A convolution
 * is a dense layer on the elements under the kernel at each position, with the same choice (Bu, Mao, Xu, "Scalable and
 * efficient training of large convolutional neural networks with differential privacy", 2022). */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include "ops/nn/module.h"
#include "ops/privacy/ghost.h"
#include "ops/record.h"
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

bool orr__ghost_knows(const orr_module *m)
{
    return orr__module_is_dense(m) || orr__module_conv(m) != NULL;
}

orr_tensor *orr__ghost_scaled(orr__site at, orr_tensor *f, orr_tensor *g)
{
    orr_shape s = orr_tensor_shape(g), one = { .rank = s.rank };
    one.dim[0] = -1;
    for (int i = 1; i < s.rank; i++)
        one.dim[i] = 1;
    f = orr_reshape_at(AT, f, one);
    return orr_where_at(AT, orr_greater_at(AT, f, orr_scalar_at(AT, 0.0)), orr_mul_at(AT, g, f),
                        orr_scalar_at(AT, 0.0));
}

/* Σ t² of each example. */
static orr_tensor *square_norms(orr__site at, orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    t = orr_reshape_at(AT, t, orr__shape_rows(&s));
    return orr_sum_at(AT, orr_square_at(AT, t), ORR_AXES(-1), false);
}

/* Σ over groups of ‖Σ over T positions of x·gᵀ‖², where x has D and g has p elements at each position. Both are (batch, groups,
 * T, …); xt and gt are their transposes. If the gradients (batch, groups, p, D) are computed and take no more than twice the
 * memory of x, they are kept for their sum; computing them again would take 2T flops per element. */
static orr_tensor *positions_square(orr__site at, orr__ghost *l, orr_tensor *xt, orr_tensor *x, orr_tensor *gt,
                                    orr_tensor *g)
{
    orr_shape sx = orr_tensor_shape(x), sg = orr_tensor_shape(g); /* (batch, groups, T, ·) */
    if (2 * sx.dim[2] * sx.dim[2] > sx.dim[3] * sg.dim[3]) {
        orr_tensor *each = orr_matmul_at(AT, gt, x);
        l->each = sg.dim[3] <= 2 * sx.dim[2] ? each : NULL;
        return square_norms(at, each);
    }
    orr_tensor *s = orr_mul_at(AT, orr_matmul_at(AT, x, xt), orr_matmul_at(AT, g, gt));
    s = orr_sum_at(AT, s, ORR_AXES(1, 2, 3), false);
    return orr_maximum_at(AT, s, orr_scalar_at(AT, 0.0)); /* rounding may make it negative */
}

/* g: the gradients by the bias, (batch, …). */
static orr_tensor *bias_square(orr__site at, orr__ghost *l, orr_tensor *g)
{
    orr_shape s = orr_tensor_shape(g);
    l->bias = orr_reshape_at(AT, g, orr__shape_rows(&s));
    return square_norms(at, g);
}

static orr_tensor *bias_sum(orr__site at, const orr__ghost *l, orr_tensor *f)
{
    return orr_sum_at(AT, orr__ghost_scaled(at, f, l->bias), ORR_AXES(0), false);
}

/* (groups·p, D) */
static orr_tensor *each_sum(orr__site at, const orr__ghost *l, orr_tensor *f)
{
    orr_shape s = orr_tensor_shape(l->each);
    orr_tensor *sum = orr_sum_at(AT, orr__ghost_scaled(at, f, l->each), ORR_AXES(0), false);
    return orr_reshape_at(AT, sum, ORR_SHAPE(s.dim[1] * s.dim[2], s.dim[3]));
}

/* -- dense layers ------------------------------------------------------------------------------------------------ */

/* (batch, 1, positions, width) */
static orr_tensor *by_position(orr__site at, orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    int64_t positions = orr__shape_count_of(&s, ((1u << (s.rank - 1)) - 1) & ~1u);
    return orr_reshape_at(AT, t, ORR_SHAPE(s.dim[0], 1, positions, s.dim[s.rank - 1]));
}

static orr_tensor *dense_square(orr__site at, orr__ghost *l)
{
    bool bias = l->m->nparam > 1;
    if (orr_tensor_shape(l->x).rank == 2) {
        orr_tensor *xx = square_norms(at, l->x), *gg = square_norms(at, l->g);
        return orr_mul_at(AT, gg, bias ? orr_add_at(AT, xx, orr_scalar_at(AT, 1.0)) : xx);
    }
    orr_tensor *x = by_position(at, l->x), *g = by_position(at, l->g);
    orr_tensor *s = positions_square(at, l, orr_transpose_at(AT, x), x, orr_transpose_at(AT, g), g);
    return bias ? orr_add_at(AT, s, bias_square(at, l, orr_sum_at(AT, g, ORR_AXES(1, 2), false))) : s;
}

static void dense_sums(orr__site at, const orr__ghost *l, orr_tensor *f, orr_tensor **sum)
{
    orr_tensor *g = orr__ghost_scaled(at, f, l->g);
    orr_shape sx = orr_tensor_shape(l->x), sg = orr_tensor_shape(g);
    orr_tensor *x = sg.rank > 2 ? orr_reshape_at(AT, l->x, ORR_SHAPE(orr__shape_count_of(&sx, (1u << (sx.rank - 1)) - 1), sx.dim[sx.rank - 1])) : l->x;
    if (sg.rank > 2)
        g = orr_reshape_at(AT, g, ORR_SHAPE(orr__shape_count_of(&sg, (1u << (sg.rank - 1)) - 1), sg.dim[sg.rank - 1]));
    sum[0] = l->each ? orr_transpose_at(AT, each_sum(at, l, f)) : orr_matmul_at(AT, orr_transpose_at(AT, x), g);
    if (l->m->nparam > 1)
        sum[1] = l->bias ? bias_sum(at, l, f) : orr_sum_at(AT, g, ORR_AXES(0), false);
}

/* -- convolutions ------------------------------------------------------------------------------------------------- */

/* (batch, groups, positions, elements under the kernel): the windows of the padded input. */
static orr_tensor *unfolded(orr__site at, const orr__ghost *l, const orr_conv_options *o)
{
    orr_shape x = orr_tensor_shape(l->x), w = orr_tensor_shape(l->m->param[0]), z = orr_tensor_shape(l->z);
    int axes = x.rank - 2;
    orr_index lo = { x.rank, { 0 } }, hi = lo;
    int64_t count = 1, positions = 1;
    for (int d = 0; d < axes; d++) {
        int64_t dilation = o->dilation[d] ? o->dilation[d] : 1, same = o->same ? dilation * (w.dim[d + 2] - 1) : 0;
        lo.v[d + 2] = o->padding[d] + o->before[d] + same / 2;
        hi.v[d + 2] = o->padding[d] + o->after[d] + same - same / 2;
        count *= w.dim[d + 2];
        positions *= z.dim[d + 2];
    }
    orr_shape each = x; /* groups count as examples here */
    each.dim[0] = x.dim[0] * (x.dim[1] / w.dim[1]);
    each.dim[1] = w.dim[1];
    orr_tensor *u = orr_pad_at(AT, orr_reshape_at(AT, l->x, each), lo, hi, 0.0);
    for (int d = 0; d < axes; d++) {
        int64_t dilation = o->dilation[d] ? o->dilation[d] : 1, reach = dilation * (w.dim[d + 2] - 1) + 1;
        u = orr_sliding_window_at(AT, u, d + 2, reach, o->stride[d] ? o->stride[d] : 1);
        u = orr_slice_axis_at(AT, u, -1, 0, reach, dilation);
    }
    orr_axes order = { x.rank + axes, { 0 } }; /* channels after the positions */
    for (int d = 1; d < order.n; d++)
        order.axis[d] = d <= axes ? d + 1 : d == axes + 1 ? 1 : d;
    u = orr_permute_at(AT, u, order);
    return orr_reshape_at(AT, u, ORR_SHAPE(x.dim[0], x.dim[1] / w.dim[1], positions, w.dim[1] * count));
}

static orr_tensor *conv_square(orr__site at, orr__ghost *l)
{
    orr_tensor *u = unfolded(at, l, orr__module_conv(l->m));
    orr_shape s = orr_tensor_shape(u);
    int64_t channels = s.dim[1] ? orr_tensor_shape(l->g).dim[1] / s.dim[1] : 0;
    orr_tensor *gt = orr_reshape_at(AT, l->g, ORR_SHAPE(s.dim[0], s.dim[1], channels, s.dim[2]));
    orr_tensor *square = positions_square(at, l, orr_transpose_at(AT, u), u, gt, orr_transpose_at(AT, gt));
    if (l->m->nparam > 1)
        square = orr_add_at(AT, square, bias_square(at, l, orr_sum_at(AT, gt, ORR_AXES(3), false)));
    return square;
}

static void conv_sums(orr__site at, const orr__ghost *l, orr_tensor *f, orr_tensor **sum)
{
    orr_shape w = orr_tensor_shape(l->m->param[0]), kernel = { w.rank - 2, { 0 } };
    for (int d = 2; d < w.rank; d++)
        kernel.dim[d - 2] = w.dim[d];
    sum[0] = l->each ? orr_reshape_at(AT, each_sum(at, l, f), w)
                     : orr_conv_weights_at(AT, l->x, orr__ghost_scaled(at, f, l->g), kernel, orr__module_conv(l->m));
    if (l->m->nparam > 1)
        sum[1] = bias_sum(at, l, f);
}

/* -- both --------------------------------------------------------------------------------------------------------- */

orr_tensor *orr__ghost_square(orr__site at, orr__ghost *l)
{
    return orr__module_is_dense(l->m) ? dense_square(at, l) : conv_square(at, l);
}

void orr__ghost_sums(orr__site at, const orr__ghost *l, orr_tensor *f, orr_tensor **sum)
{
    (orr__module_is_dense(l->m) ? dense_sums : conv_sums)(at, l, f, sum + l->param);
}
