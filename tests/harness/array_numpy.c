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

/* n numbers from parameter `at` on. */
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

/* Result number `which` of a function with several. */
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
    ROW(zeros_like),       ROW(ones_like), ROW(full_like),   ROW(diag),  ROW(diagonal), ROW(moveaxis),
    ROW(swapaxes),         ROW(repeat),    ROW(repeat_each), ROW(roll),  ROW(rot90),    ROW(tile),
    ROW(take_along_axis),  ROW(gather_nd), ROW(meshgrid),    ROW(split), ROW(cut),      ROW(unstack),
    ROW(broadcast_arrays), { NULL, NULL },
};
