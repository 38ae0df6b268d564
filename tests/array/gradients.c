/* Gradients of the functions of array.h beside central differences.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include "tests/harness/ops_help.h"

enum { ROWS = 4, COLS = 6, COUNT = ROWS * COLS };

static orr_tensor *indices(const int64_t *v, orr_shape s)
{
    return orr_from(ORR_I64, s, v);
}

#define CASE(name, expr)                                                                                               \
    static orr_tensor *name(orr_tensor *x)                                                                             \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
CASE(diag, orr_diag(x, 1))
CASE(diagonal, orr_diagonal(x, -1))
CASE(moveaxis, orr_moveaxis(x, ORR_AXES(0), ORR_AXES(1)))
CASE(repeat, orr_repeat(x, 3, 1))
CASE(repeat_each, orr_repeat_each(x, indices((int64_t[]){ 2, 0, 1, 3 }, ORR_SHAPE(4)), 0))
CASE(roll, orr_roll(x, ORR_INDEX(2, -1), ORR_AXES(1, 0)))
CASE(rot90, orr_rot90(x, 1, 0, 1))
CASE(tile, orr_tile(x, ORR_INDEX(2, 1, 3)))
CASE(take_along_axis, orr_take_along_axis(x, indices((int64_t[]){ 0, 0, -1, 5, 3, 2, 1, 1 }, ORR_SHAPE(4, 2)), 1))
CASE(gather_nd, orr_gather_nd(x, indices((int64_t[]){ 0, 0, -1, 5, 3, 5 }, ORR_SHAPE(3, 2))))

CASE(scatter_set, orr_scatter(x, indices((int64_t[]){ 1, 3, 1 }, ORR_SHAPE(3)),
                              orr_slice_axis(orr_mul(x, x), 1, 0, 3, 1), 1, ORR_SCATTER_SET))
CASE(scatter_mul, orr_scatter(x, indices((int64_t[]){ 1, 3, 1 }, ORR_SHAPE(3)),
                              orr_slice_axis(orr_mul(x, x), 1, 0, 3, 1), 1, ORR_SCATTER_MUL))
CASE(scatter_min, orr_scatter(x, indices((int64_t[]){ 1, 3, 1 }, ORR_SHAPE(3)),
                              orr_slice_axis(orr_mul(x, x), 1, 0, 3, 1), 1, ORR_SCATTER_MIN))
CASE(scatter_max, orr_scatter(x, indices((int64_t[]){ 1, 3, 1 }, ORR_SHAPE(3)),
                              orr_slice_axis(orr_mul(x, x), 1, 0, 3, 1), 1, ORR_SCATTER_MAX))
CASE(scatter_nd, orr_scatter_nd(x, indices((int64_t[]){ 0, 1, 3, 5, 0, 1 }, ORR_SHAPE(3, 2)),
                                orr_slice_axis(orr_select(x, 1, 0), 0, 0, 3, 1), ORR_SCATTER_MUL))
CASE(mask_select, orr_mask_select(x, orr_greater(orr_detach(x), orr_scalar(0))))
CASE(diff, orr_diff(x, 1, 2, x, NULL))
CASE(bincount, orr_bincount(indices((int64_t[]){ 0, 2, 2, 1 }, ORR_SHAPE(4)), orr_select(x, 1, 0), 4))
CASE(quantile, orr_quantile(x, (double[]){ 0.3, 1 }, 2, ORR_AXES(1), false))
CASE(median, orr_median(x, ORR_ALL_AXES, false))
CASE(covariance, orr_covariance(x, 1))
CASE(correlation, orr_correlation(orr_slice_axis(x, 1, 0, 3, 1)))
CASE(zeros_in_products,
     orr_cumulative_prod(orr_mul(x, orr_from(ORR_F64, ORR_SHAPE(6), (double[]){ 1, 2, 0, 1, 0, 1 })), 1, false))

CASE(einsum, orr_einsum("ij,kj,kl,ii->il", ORR_TENSORS(x, orr_sin(x), orr_cos(x), orr_slice_axis(x, 1, 0, 4, 1))))
CASE(tensordot, orr_tensordot(x, orr_exp(x), ORR_AXES(1), ORR_AXES(1)))
CASE(vecdot, orr_vecdot(x, orr_exp(x), -2))
CASE(outer, orr_outer(orr_select(x, 0, 0), orr_select(x, 1, 0)))
CASE(kron, orr_kron(x, orr_slice_axis(x, 1, 0, 2, 1)))

static orr_tensor *unique(orr_tensor *x)
{
    orr_tensor *values, *indices_of;
    (void)orr_unique_all(x, &values, &indices_of, NULL, NULL);
    return values;
}

static orr_tensor *topk(orr_tensor *x)
{
    orr_tensor *v, *p;
    (void)orr_topk(x, 3, 1, true, &v, &p);
    return v;
}

static orr_tensor *meshgrid(orr_tensor *x)
{
    orr_tensor *g[2];
    (void)orr_meshgrid(ORR_TENSORS(orr_select(x, 0, 1), orr_select(x, 1, 2)), false, g);
    return orr_mul(g[0], orr_square(g[1]));
}

static orr_tensor *cut(orr_tensor *x)
{
    orr_tensor *p[3];
    (void)orr_cut(x, (int64_t[]){ 1, -2 }, 2, 1, p);
    return orr_mul(orr_sum(p[0], ORR_AXES(1), true), p[1]);
}

static const struct {
    const char *name;
    orr_tensor *(*of)(orr_tensor *x);
} cases[] = {
    { "diag", diag },
    { "diagonal", diagonal },
    { "moveaxis", moveaxis },
    { "repeat", repeat },
    { "repeat_each", repeat_each },
    { "roll", roll },
    { "rot90", rot90 },
    { "tile", tile },
    { "take_along_axis", take_along_axis },
    { "gather_nd", gather_nd },
    { "scatter_set", scatter_set },
    { "scatter_mul", scatter_mul },
    { "scatter_min", scatter_min },
    { "scatter_max", scatter_max },
    { "scatter_nd", scatter_nd },
    { "mask_select", mask_select },
    { "unique", unique },
    { "diff", diff },
    { "bincount", bincount },
    { "quantile", quantile },
    { "median", median },
    { "covariance", covariance },
    { "correlation", correlation },
    { "zeros_in_products", zeros_in_products },
    { "einsum", einsum },
    { "tensordot", tensordot },
    { "vecdot", vecdot },
    { "outer", outer },
    { "kron", kron },
    { "topk", topk },
    { "meshgrid", meshgrid },
    { "cut", cut },
};

/* The sum of w · f(x), where w has a different value for each element. */
static orr_tensor *weighted(int i, orr_tensor *x)
{
    orr_tensor *y = cases[i].of(x);
    orr_shape s = orr_tensor_shape(y);
    orr_tensor *w = orr_sin(orr_reshape(orr_arange(ORR_F64, 1, (double)orr__shape_count(&s) + 1, 1), s));
    return orr_sum(orr_mul(y, w), ORR_ALL_AXES, false);
}

static double value(int i, const double *at)
{
    double v = NAN;
    ORR_CHECK_MSG(orr_item(weighted(i, orr_from(ORR_F64, ORR_SHAPE(ROWS, COLS), at)), &v) == ORR_OK, "%s: %s",
                  cases[i].name, orr_error_message());
    return v;
}

static void every_gradient_agrees_with_differences(void)
{
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        double at[COUNT], got[COUNT], step = 1e-6;
        orr_scope *s = orr_scope_begin();
        for (int e = 0; e < COUNT; e++)
            at[e] = 1.5 * cos(3.0 * e + i); /* no two are equal */
        orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(ROWS, COLS), at), *g = NULL;
        ORR_CHECK(orr_grad(weighted(i, x), &x, 1, &g) == ORR_OK);
        bool read = orr_read(g, got, sizeof got) == ORR_OK;
        ORR_CHECK_MSG(read, "%s: %s", cases[i].name, orr_error_message());
        for (int e = 0; read && e < COUNT; e++) {
            double here = at[e];
            at[e] = here + step;
            double up = value(i, at);
            at[e] = here - step;
            double down = value(i, at), want = (up - down) / (2 * step);
            at[e] = here;
            ORR_CHECK_MSG(fabs(got[e] - want) < 1e-6 * (1 + fabs(want)), "%s, element %d: %g, not %g", cases[i].name, e,
                          got[e], want);
        }
        (void)orr_scope_end(s);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_gradient_agrees_with_differences), { 0 } };
    return help_main(argc, argv, "array.gradients", tests);
}
