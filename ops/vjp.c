/* Derivatives of the primitives.
 * Must not know: how a graph is walked. */
#include "config.h"

#include "ops/define.h"

#define AT b->at.file, b->at.line

static orr_tensor *vjp_broadcast(const orr__back *b)
{
    orr_shape to = orr_tensor_shape(b->in[0]), from = b->node->shape;
    orr_axes axes = { 0, { 0 } };
    for (int i = 0, lead = from.rank - to.rank; i < from.rank; i++)
        if (i < lead || (to.dim[i - lead] == 1 && from.dim[i] != 1))
            axes.axis[axes.n++] = i;
    return orr_reshape_at(AT, orr_sum_at(AT, b->g, axes, true), to);
}

static orr_tensor *vjp_permute(const orr__back *b)
{
    orr_axes inverse = { b->node->shape.rank, { 0 } };
    for (int i = 0; i < inverse.n; i++)
        inverse.axis[b->node->attr.perm[i]] = i;
    return orr_permute_at(AT, b->g, inverse);
}

static orr_tensor *vjp_pad(const orr__back *b)
{
    orr_shape s = orr_tensor_shape(b->in[0]);
    orr_index start = { s.rank, { 0 } }, stop = { s.rank, { 0 } };
    for (int i = 0; i < s.rank; i++) {
        start.v[i] = b->node->attr.start[i];
        stop.v[i] = start.v[i] + s.dim[i];
    }
    return orr_slice_at(AT, b->g, start, stop, ORR_NO_INDEX);
}

static orr_tensor *vjp_matmul(const orr__back *b, int k)
{
    orr_tensor *other = orr_transpose_at(AT, b->in[1 - k]);
    return k ? orr_matmul_at(AT, other, b->g) : orr_matmul_at(AT, b->g, other);
}

static orr_tensor *vjp_concat(const orr__back *b, int k)
{
    int axis = b->node->attr.axis;
    int64_t start = 0;
    for (int i = 0; i < k; i++)
        start += orr_tensor_shape(b->in[i]).dim[axis];
    return orr_slice_axis_at(AT, b->g, axis, start, start + orr_tensor_shape(b->in[k]).dim[axis], 1);
}

static orr_tensor *vjp_take(const orr__back *b, int k)
{
    if (k)
        return NULL;
    orr_tensor *zero = orr_zeros_at(AT, orr_tensor_dtype(b->in[0]), orr_tensor_shape(b->in[0]));
    return orr_scatter_add_at(AT, zero, b->in[1], b->g, b->node->attr.axis);
}

static orr_tensor *vjp_scatter_add(const orr__back *b, int k)
{
    return k == 0 ? b->g : k == 2 ? orr_take_at(AT, b->g, b->in[1], b->node->attr.axis) : NULL;
}

static orr_tensor *vjp_elementwise(const orr__back *b, int k)
{
    orr_tensor *x = b->in[0], *y = b->nin > 1 ? b->in[1] : NULL, *z = b->nin > 2 ? b->in[2] : NULL;
    return orr__ew_vjp(b->at, orr__ew(b->node->op->id), k, x, y, z, b->out, b->g);
}

orr_tensor *orr__vjp(const orr__back *b, int k)
{
    switch (b->node->op->id) {
    case ORR__OP_CAST: return orr_cast_at(AT, b->g, orr_tensor_dtype(b->in[0]));
    case ORR__OP_RESHAPE: return orr_reshape_at(AT, b->g, orr_tensor_shape(b->in[0]));
    case ORR__OP_PERMUTE: return vjp_permute(b);
    case ORR__OP_BROADCAST: return vjp_broadcast(b);
    case ORR__OP_SLICE: return orr__vjp_slice(b);
    case ORR__OP_PAD: return vjp_pad(b);
    case ORR__OP_REDUCE: return orr__vjp_reduce(b);
    case ORR__OP_MATMUL: return vjp_matmul(b, k);
    case ORR__OP_TAKE: return vjp_take(b, k);
    case ORR__OP_SCATTER_ADD: return vjp_scatter_add(b, k);
    case ORR__OP_CONCAT: return vjp_concat(b, k);
    case ORR__OP_CHOLESKY: return orr__vjp_cholesky(b);
    case ORR__OP_SOLVE: return orr__vjp_solve(b, k);
    case ORR__OP_DEFINED: return orr__define_vjp(b, k);
    case ORR__OP_USER: return orr__user_vjp(b, k);
    default: return b->node->op->id >= ORR__OP_EW ? vjp_elementwise(b, k) : NULL;
    }
}
