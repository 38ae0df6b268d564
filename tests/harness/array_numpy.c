/* The calls of array.h that the cases of tests/golden/numpy name.
 * Must not know: how a value is computed. */
#include "config.h"

#include <orrery/array.h>
#include "tests/harness/numpy_case.h"

#define X c->in[0]
#define Y c->in[1]
#define I(k) (int64_t) c->p[k]
#define AXIS(k) (int)c->p[k]
#define CASE(name, expr)                                                                                               \
    static orr_tensor *run_##name(const numpy_case *c)                                                                 \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }

/* One axis, or all: the goldens have ORR_FLAT for them. */
static orr_axes axes_or_all(int axis)
{
    return axis == ORR_FLAT ? ORR_ALL_AXES : ORR_AXES(axis);
}

/* The n numbers from parameter `at` on. */
static orr_index index_of(const numpy_case *c, int at, int n)
{
    orr_index x = { n, { 0 } };
    for (int i = 0; i < n; i++)
        x.v[i] = (int64_t)c->p[at + i];
    return x;
}

static orr_axes axes_of(const numpy_case *c, int at, int n)
{
    orr_axes a = { n, { 0 } };
    for (int i = 0; i < n; i++)
        a.axis[i] = (int)c->p[at + i];
    return a;
}

/* Result `which` of a function with several. */
static orr_tensor *pick(orr_status st, orr_tensor **results, int64_t which)
{
    (void)st;
    return results[which];
}

CASE(zeros_like, orr_zeros_like(X))
CASE(ones_like, orr_ones_like(X))
CASE(full_like, orr_full_like(X, c->p[0]))
CASE(diag, orr_diag(X, I(0)))
CASE(diagonal, orr_diagonal(X, I(0)))
CASE(moveaxis, orr_moveaxis(X, axes_of(c, 0, c->np / 2), axes_of(c, c->np / 2, c->np / 2)))
CASE(swapaxes, orr_swapaxes(X, AXIS(0), AXIS(1)))
CASE(repeat, orr_repeat(X, I(0), AXIS(1)))
CASE(repeat_each, orr_repeat_each(X, Y, AXIS(0)))
CASE(roll, orr_roll(X, index_of(c, 0, c->np / 2), axes_of(c, c->np / 2, c->np / 2)))
CASE(rot90, orr_rot90(X, I(0), AXIS(1), AXIS(2)))
CASE(tile, orr_tile(X, index_of(c, 0, c->np)))
CASE(take_along_axis, orr_take_along_axis(X, Y, AXIS(0)))
CASE(gather_nd, orr_gather_nd(X, Y))

CASE(scatter, orr_scatter(X, Y, c->in[2], AXIS(0), (orr_scatter_mode)c->p[1]))
CASE(scatter_nd, orr_scatter_nd(X, Y, c->in[2], (orr_scatter_mode)c->p[0]))
CASE(mask_select, orr_mask_select(X, Y))
CASE(argwhere, orr_argwhere(X))
CASE(count_nonzero, orr_count_nonzero(X, axes_of(c, 1, c->np - 1), c->p[0] != 0))
CASE(searchsorted, orr_searchsorted(X, Y, c->p[0] != 0))
CASE(diff, orr_diff(X, AXIS(0), (int)c->p[1], c->nin > 1 ? Y : NULL, c->nin > 2 ? c->in[2] : NULL))
CASE(bincount, orr_bincount(X, c->nin > 1 ? Y : NULL, I(0)))
CASE(histogram, orr_histogram(X, Y, c->nin > 2 ? c->in[2] : NULL))
CASE(quantile, orr_quantile(X, c->p + 2, c->np - 2, axes_or_all(AXIS(0)), c->p[1] != 0))
CASE(median, orr_median(X, axes_or_all(AXIS(0)), c->p[1] != 0))
CASE(covariance, orr_covariance(X, c->p[0]))
CASE(correlation, orr_correlation(X))

CASE(einsum, orr_einsum(c->text, c->in, c->nin))
CASE(tensordot, orr_tensordot(X, Y, axes_of(c, 0, c->np / 2), axes_of(c, c->np / 2, c->np / 2)))
CASE(vecdot, orr_vecdot(X, Y, AXIS(0)))
CASE(outer, orr_outer(X, Y))
CASE(kron, orr_kron(X, Y))

static orr_tensor *run_nonzero(const numpy_case *c)
{
    orr_tensor *place[8];
    return pick(orr_nonzero(X, place, orr_tensor_shape(X).rank), place, I(0));
}

static orr_tensor *run_topk(const numpy_case *c)
{
    orr_tensor *r[2];
    return pick(orr_topk(X, I(0), AXIS(1), c->p[2] != 0, &r[0], &r[1]), r, 0);
}

static orr_tensor *run_unique(const numpy_case *c)
{
    orr_tensor *r[4];
    return pick(orr_unique_all(X, &r[0], &r[1], &r[2], &r[3]), r, I(0));
}

static orr_tensor *run_meshgrid(const numpy_case *c)
{
    orr_tensor *g[8];
    return pick(orr_meshgrid(c->in, c->nin, c->p[0] != 0, g), g, I(1));
}

static orr_tensor *run_split(const numpy_case *c)
{
    orr_tensor *piece[16];
    return pick(orr_split(X, (int)c->p[0], AXIS(1), piece), piece, I(2));
}

static orr_tensor *run_cut(const numpy_case *c)
{
    orr_tensor *piece[16];
    orr_index place = index_of(c, 2, c->np - 2);
    return pick(orr_cut(X, place.v, place.n, AXIS(0), piece), piece, I(1));
}

static orr_tensor *run_unstack(const numpy_case *c)
{
    orr_tensor *item[16];
    return pick(orr_unstack(X, AXIS(0), item, (int)c->p[1]), item, I(2));
}

static orr_tensor *run_broadcast_arrays(const numpy_case *c)
{
    orr_tensor *r[NUMPY_MAX_IN];
    return pick(orr_broadcast_arrays(c->in, c->nin, r), r, I(0));
}

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
const numpy_row numpy_array_rows[] = {
    ROW(zeros_like),       ROW(ones_like),    ROW(full_like),   ROW(diag),        ROW(diagonal),    ROW(moveaxis),
    ROW(swapaxes),         ROW(repeat),       ROW(repeat_each), ROW(roll),        ROW(rot90),       ROW(tile),
    ROW(take_along_axis),  ROW(gather_nd),    ROW(meshgrid),    ROW(split),       ROW(cut),         ROW(unstack),
    ROW(broadcast_arrays), ROW(scatter),      ROW(scatter_nd),  ROW(mask_select), ROW(argwhere),    ROW(nonzero),
    ROW(count_nonzero),    ROW(searchsorted), ROW(topk),        ROW(unique),      ROW(diff),        ROW(bincount),
    ROW(histogram),        ROW(quantile),     ROW(median),      ROW(covariance),  ROW(correlation), ROW(einsum),
    ROW(tensordot),        ROW(vecdot),       ROW(outer),       ROW(kron),        { NULL, NULL },
};
