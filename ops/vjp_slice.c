/* Derivative of a slice: zeros with g in the places that were picked.
 * Must not know: how a graph is walked. */
#include "config.h"

#include "ops/vjp.h"

#define AT b->at.file, b->at.line

/* g with step−1 zeros between its elements along one axis: length (n−1)·step + 1. */
static orr_tensor *spread(const orr__back *b, orr_tensor *g, int axis, int64_t step)
{
    orr_shape s = orr_tensor_shape(g), to = s, split = { 4, { 1, s.dim[axis], 1, 1 } };
    for (int i = 0; i < s.rank; i++)
        split.dim[i < axis ? 0 : 3] *= i == axis ? 1 : s.dim[i];
    g = orr_reshape_at(AT, g, split);
    g = orr_pad_at(AT, g, ORR_NO_INDEX, ORR_INDEX(0, 0, step - 1), 0);
    to.dim[axis] = s.dim[axis] * step;
    g = orr_reshape_at(AT, g, to);
    return orr_slice_axis_at(AT, g, axis, 0, to.dim[axis] - (step - 1), 1);
}

orr_tensor *orr__vjp_slice(const orr__back *b)
{
    const orr_shape *from = &b->node->shape;
    orr_shape to = orr_tensor_shape(b->in[0]);
    orr_index lo = { to.rank, { 0 } }, hi = { to.rank, { 0 } };
    orr_tensor *g = b->g;
    if (!orr__shape_count(from))
        return orr_zeros_at(AT, orr_tensor_dtype(b->in[0]), to);
    for (int i = 0; i < to.rank; i++) {
        int64_t step = b->node->attr.step[i], n = from->dim[i];
        int64_t first = b->node->attr.start[i], last = first + (n - 1) * step;
        if (step < 0) {
            g = orr_flip_at(AT, g, ORR_AXES(i));
            step = -step;
            lo.v[i] = last;
            hi.v[i] = to.dim[i] - 1 - first;
        } else {
            lo.v[i] = first;
            hi.v[i] = to.dim[i] - 1 - last;
        }
        if (step > 1 && n > 1)
            g = spread(b, g, i, step);
    }
    return orr_pad_at(AT, g, lo, hi, 0);
}
