/* Refusals of the functions of array.h: status, message, place of the call.
 * Must not know: how a value is computed. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <orrery/array.h>
#include <orrery/fft.h>
#include "tests/harness/ops_help.h"

#define REFUSED(status, call, part)                                                                                    \
    do {                                                                                                               \
        ORR_CHECK((call) == (status));                                                                                 \
        ORR_CHECK_MSG(strstr(orr_error_message(), part), "no \"%s\" in \"%s\"", part, orr_error_message());            \
        orr_error_clear();                                                                                             \
    } while (0)

static void wrong_shapes_and_axes_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 6)), *v = orr_ones(ORR_F32, ORR_SHAPE(3)), *t[4];
    HELP_POISON(orr_diagonal(v, 0), ORR_ESHAPE, "(3,)");
    HELP_POISON(orr_diag(orr_ones(ORR_F32, ORR_SHAPE_0D), 0), ORR_ESHAPE, "one to 7 axes");
    HELP_POISON(orr_diag(v, INT64_MAX), ORR_ESHAPE, "too many");
    HELP_POISON(orr_diag(v, INT64_MIN), ORR_ESHAPE, "too many");
    HELP_POISON(orr_moveaxis(x, ORR_AXES(0), ORR_AXES(0, 1)), ORR_EINVAL, "1 axes move to 2");
    HELP_POISON(orr_moveaxis(x, ORR_AXES(0, 0), ORR_AXES(0, 1)), ORR_EAXIS, "axis");
    HELP_POISON(orr_swapaxes(x, 0, 2), ORR_EAXIS, "axis 2");
    HELP_POISON(orr_repeat(x, -1, 0), ORR_EINVAL, "-1 copies");
    HELP_POISON(orr_repeat(x, INT64_MAX, 0), ORR_ESHAPE, "too many");
    HELP_POISON(orr_repeat(x, 2, 2), ORR_EAXIS, "axis 2");
    HELP_POISON(orr_tile(x, ORR_INDEX(1, -2)), ORR_EINVAL, "-2 copies");
    HELP_POISON(orr_roll(x, ORR_INDEX(1), ORR_AXES(0, 1)), ORR_EINVAL, "1 shifts for 2 axes");
    HELP_POISON(orr_roll(x, ORR_INDEX(1), ORR_AXES(5)), ORR_EAXIS, "axis 5");
    HELP_POISON(orr_rot90(x, 1, 0, -2), ORR_EAXIS, "axis");
    REFUSED(ORR_ESHAPE, orr_split(x, 4, 1, t), "no 4 equal pieces");
    ORR_CHECK(orr_tensor_status(t[3]) == ORR_ESHAPE);
    REFUSED(ORR_EINVAL, orr_cut(x, (int64_t[]){ 3, 2 }, 2, 1, t), "before the one before it");
    REFUSED(ORR_EINDEX, orr_cut(x, (int64_t[]){ 7 }, 1, 1, t), "place 7");
    REFUSED(ORR_ESHAPE, orr_unstack(x, 0, t, 3), "2 elements");
    REFUSED(ORR_ESHAPE, orr_meshgrid(ORR_TENSORS(v, x), true, t), "line 1");
    REFUSED(ORR_ESHAPE, orr_broadcast_arrays(ORR_TENSORS(v, x), t), "(2, 6)");
    REFUSED(ORR_EINVAL, orr_broadcast_arrays(NULL, 0, t), "one at least");
    (void)orr_scope_end(s);
}

static void wrong_indices_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3)), *f = orr_ones(ORR_F32, ORR_SHAPE(2, 3));
    int64_t minus[] = { 1, -1 }, far[] = { 0, 3, 1, 0 };
    float v[8];
    HELP_POISON(orr_take_along_axis(x, f, 0), ORR_EDTYPE, "float32");
    HELP_POISON(orr_take_along_axis(x, orr_zeros(ORR_I64, ORR_SHAPE(2)), 0), ORR_ESHAPE, "(2,)");
    HELP_POISON(orr_gather_nd(x, orr_zeros(ORR_I64, ORR_SHAPE(2, 3))), ORR_ESHAPE, "1 to 2");
    HELP_POISON(orr_repeat_each(x, orr_from(ORR_I64, ORR_SHAPE(2), minus), 0), ORR_EINVAL, "count 1 is -1");
    HELP_POISON(orr_repeat_each(x, orr_from(ORR_I64, ORR_SHAPE(2), minus), 1), ORR_ESHAPE, "(3) is needed");
    orr_tensor *i = orr_from(ORR_I64, ORR_SHAPE(2, 2), far);
    ORR_CHECK(orr_read(orr_take_along_axis(x, i, 1), v, 4 * sizeof *v) == ORR_EINDEX);
    ORR_CHECK(orr_read(orr_gather_nd(x, i), v, 2 * sizeof *v) == ORR_EINDEX);
    (void)orr_scope_end(s);
}

static void wrong_calls_of_searching_and_statistics_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3)), *i = orr_zeros(ORR_I64, ORR_SHAPE(2)), *t[4];
    int64_t v[8], minus[] = { 2, -1 };
    HELP_POISON(orr_scatter(x, i, orr_scalar(1), 0, (orr_scatter_mode)9), ORR_EINVAL, "no mode");
    HELP_POISON(orr_scatter(x, i, orr_ones(ORR_F32, ORR_SHAPE(7)), 0, ORR_SCATTER_SET), ORR_ESHAPE, "(7,)");
    HELP_POISON(orr_scatter(orr_zeros(ORR_BOOL, ORR_SHAPE(2)), i, orr_ones(ORR_BOOL, ORR_SHAPE_0D), 0, ORR_SCATTER_ADD),
                ORR_EDTYPE, "bool does not add");
    ORR_CHECK(orr_read(orr_scatter(x, orr_full(ORR_I64, ORR_SHAPE(1), 2), orr_scalar(1), 0, ORR_SCATTER_MAX), v,
                       6 * sizeof(float)) == ORR_EINDEX);
    orr_tensor *z = orr_cast(x, ORR_C64), *zero = orr_zeros(ORR_C64, ORR_SHAPE_0D);
    for (int mode = ORR_SCATTER_MUL; mode <= ORR_SCATTER_MAX; mode++)
        HELP_POISON(orr_scatter(z, i, zero, 0, (orr_scatter_mode)mode), ORR_EDTYPE, "complex64");
    HELP_POISON(orr_searchsorted(orr_select(z, 0, 0), z, false), ORR_EDTYPE, "complex64");
    HELP_POISON(orr_mask_select(x, i), ORR_EDTYPE, "int64");
    HELP_POISON(orr_mask_select(x, orr_ones(ORR_BOOL, ORR_SHAPE(3))), ORR_ESHAPE, "beginning of (2, 3)");
    REFUSED(ORR_ESHAPE, orr_nonzero(x, t, 1), "one for each axis");
    REFUSED(ORR_ESHAPE, orr_nonzero(orr_scalar(1), t, 0), "one axis at least");
    HELP_POISON(orr_searchsorted(x, x, false), ORR_ESHAPE, "one axis is needed");
    HELP_POISON(orr_top_places(x, 4, 1, true), ORR_EINVAL, "k is 4: it must be 0 to 3");
    HELP_POISON(orr_top_places(x, 1, 2, true), ORR_EAXIS, "axis 2");
    HELP_POISON(orr_diff(x, 0, -1, NULL, NULL), ORR_EINVAL, "-1 differences");
    HELP_POISON(orr_diff(orr_ones(ORR_BOOL, ORR_SHAPE(2)), 0, 1, NULL, NULL), ORR_EDTYPE, "bool does not subtract");
    HELP_POISON(orr_bincount(x, NULL, -1), ORR_EDTYPE, "float32");
    HELP_POISON(orr_bincount(orr_from(ORR_I64, ORR_SHAPE(2), minus), NULL, -1), ORR_EINVAL, "the element -1");
    ORR_CHECK(orr_read(orr_bincount(orr_from(ORR_I64, ORR_SHAPE(2), minus), NULL, 5), v, 5 * sizeof *v) == ORR_EINDEX);
    ORR_CHECK(orr_read(orr_bincount(orr_from(ORR_I64, ORR_SHAPE(2), minus), NULL, 2), v, 2 * sizeof *v) == ORR_EINDEX);
    HELP_POISON(orr_bincount(i, x, 5), ORR_ESHAPE, "weights of shape (2, 3)");
    HELP_POISON(orr_histogram(x, orr_ones(ORR_F32, ORR_SHAPE(1)), NULL), ORR_ESHAPE, "edges of shape (1,)");
    HELP_POISON(orr_quantile(x, (double[]){ 0.5, 1.5 }, 2, ORR_AXES(0), false), ORR_EINVAL, "q[1] is 1.5");
    HELP_POISON(orr_quantile(i, (double[]){ 0.5 }, 1, ORR_AXES(0), false), ORR_EDTYPE, "float");
    HELP_POISON(orr_median(orr_ones(ORR_F32, ORR_SHAPE(0, 2)), ORR_AXES(0), false), ORR_ESHAPE, "no elements");
    HELP_POISON(orr_covariance(orr_ones(ORR_F32, ORR_SHAPE(3)), 1), ORR_ESHAPE, "(3,)");
    (void)orr_scope_end(s);
}

/* Edges and points are values, so evaluation finds the wrong ones. The last of many edges is seen, too, whichever task finds it. */
static void lines_that_fall_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    enum { MANY = 5000 };
    static double edge[MANY];
    double bad[] = { 0, 2, 1, 3 }, nan[] = { 0, NAN, 1 }, end[] = { 0, 1, NAN }, y[4];
    int64_t count[MANY], down[] = { 3, 1 };
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(100000), 0, 3), *f = orr_ones(ORR_F64, ORR_SHAPE(4));
    REFUSED(ORR_EINVAL,
            orr_read(orr_histogram(x, orr_from(ORR_F64, ORR_SHAPE(4), bad), NULL), count, 3 * sizeof *count),
            "histogram: element 2 of the line is below the one before it");
    REFUSED(ORR_EINVAL,
            orr_read(orr_histogram(x, orr_from(ORR_F64, ORR_SHAPE(3), nan), NULL), count, 2 * sizeof *count),
            "element 2 of the line");
    REFUSED(ORR_EINVAL,
            orr_read(orr_histogram(orr_zeros(ORR_I64, ORR_SHAPE(9)), orr_from(ORR_I64, ORR_SHAPE(2), down), NULL),
                     count, sizeof *count),
            "element 1 of the line");
    REFUSED(
        ORR_EINVAL,
        orr_read(orr_sum(orr_interp(x, orr_from(ORR_F64, ORR_SHAPE(4), bad), f), ORR_ALL_AXES, false), y, sizeof *y),
        "interp: element 2 of the line is below the one before it");
    for (int i = 0; i < MANY; i++)
        edge[i] = i == MANY - 1 ? 0 : i * 1e-3;
    REFUSED(
        ORR_EINVAL,
        orr_read(orr_histogram(x, orr_from(ORR_F64, ORR_SHAPE(MANY), edge), NULL), count, (MANY - 1) * sizeof *count),
        "element 4999 of the line");
    /* NaN is the greatest, equal edges make an empty bin, and a search in any line is no error. */
    ORR_CHECK(orr_read(orr_histogram(x, orr_from(ORR_F64, ORR_SHAPE(3), end), NULL), count, 2 * sizeof *count) ==
              ORR_OK);
    bad[2] = 2;
    ORR_CHECK(orr_read(orr_histogram(x, orr_from(ORR_F64, ORR_SHAPE(4), bad), NULL), count, 3 * sizeof *count) ==
              ORR_OK);
    ORR_CHECK(count[1] == 0 && count[0] + count[2] == 100000);
    ORR_CHECK(
        orr_read(orr_searchsorted(orr_from(ORR_I64, ORR_SHAPE(2), down), orr_full(ORR_I64, ORR_SHAPE(1), 2), false),
                 count, sizeof *count) == ORR_OK);
    (void)orr_scope_end(s);
}

static void wrong_texts_and_products_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_ones(ORR_F32, ORR_SHAPE(2, 3)), *b = orr_ones(ORR_F32, ORR_SHAPE(4, 5));
    HELP_POISON(orr_einsum("ij,jk->ik", ORR_TENSORS(a, b)), ORR_ESHAPE, "'j' has length 3 and 4");
    HELP_POISON(orr_einsum("ij->ij", ORR_TENSORS(a, b)), ORR_EINVAL, "more operands");
    HELP_POISON(orr_einsum("ij,kl,m->i", ORR_TENSORS(a, b)), ORR_EINVAL, "fewer operands");
    HELP_POISON(orr_einsum("ij,k->i", ORR_TENSORS(a, b)), ORR_ESHAPE, "number of axes");
    HELP_POISON(orr_einsum("ij->x", ORR_TENSORS(a)), ORR_EINVAL, "in no operand");
    HELP_POISON(orr_einsum("ij->ii", ORR_TENSORS(a)), ORR_EINVAL, "twice");
    HELP_POISON(orr_einsum("i1", ORR_TENSORS(a)), ORR_EINVAL, "only letters");
    HELP_POISON(orr_einsum("ij-", ORR_TENSORS(a)), ORR_EINVAL, "no part");
    HELP_POISON(orr_einsum("ij->i,", ORR_TENSORS(a)), ORR_EINVAL, "follows");
    HELP_POISON(orr_einsum("....", ORR_TENSORS(a)), ORR_EINVAL, "only letters");
    HELP_POISON(orr_einsum("abcdefghi", ORR_TENSORS(a)), ORR_ESHAPE, "8 axes");
    HELP_POISON(orr_einsum(NULL, ORR_TENSORS(a)), ORR_EINVAL, "text");
    HELP_POISON(orr_einsum("i", ORR_TENSORS(orr_zeros(ORR_BOOL, ORR_SHAPE(2)))), ORR_EDTYPE, "bool");
    HELP_POISON(orr_tensordot(a, b, ORR_AXES(1), ORR_AXES(0)), ORR_ESHAPE, "other lengths");
    HELP_POISON(orr_tensordot(a, b, ORR_AXES(1, 0), ORR_AXES(0)), ORR_EINVAL, "2 axes of a and 1");
    HELP_POISON(orr_tensordot(a, b, ORR_AXES(2), ORR_AXES(0)), ORR_EAXIS, "axis");
    HELP_POISON(orr_vecdot(a, b, 0), ORR_EAXIS, "axis 0");
    HELP_POISON(orr_vecdot(a, b, INT_MIN), ORR_EAXIS, "axis -2147483648"); /* has no negative */
    HELP_POISON(orr_vecdot(a, b, -1), ORR_ESHAPE, "other lengths");
    HELP_POISON(orr_outer(a, b), ORR_ESHAPE, "one axis each");
    HELP_POISON(orr_kron(orr_ones(ORR_F32, ORR_SHAPE(1, 1, 1, 1, 1)), a), ORR_ESHAPE, "4 axes");
    (void)orr_scope_end(s);
}

/* (1 + 2i) · conj(1 + 2i) + … */
static void products_of_complex_numbers_conjugate_the_first(void)
{
    orr_scope *s = orr_scope_begin();
    double v[4] = { 1, 2, 3, -1 }, sum[2];
    orr_tensor *z = orr_from(ORR_C128, ORR_SHAPE(2), v);
    ORR_CHECK(orr_read(orr_vecdot(z, z, -1), sum, sizeof sum) == ORR_OK && sum[0] == 15 && sum[1] == 0);
    ORR_CHECK(orr_read(orr_einsum("i,i->", ORR_TENSORS(z, z)), sum, sizeof sum) == ORR_OK);
    ORR_CHECK_MSG(sum[0] == 5 && sum[1] == -2, "%g %g", sum[0], sum[1]); /* −3 + 4i + 8 − 6i */
    (void)orr_scope_end(s);
}

/* A result that is the operand as it is has a life of its own. */
static void results_are_freed_apart_from_operands(void)
{
    double v[2] = { 0, 0 };
    orr_tensor *x = orr_keep(orr_from(ORR_F64, ORR_SHAPE(2, 1), ((double[]){ 3, 4 })));
    orr_scope *s = orr_scope_begin();
    orr_tensor *same[] = { orr_rot90(x, 4, 0, 1), orr_diff(x, 0, 0, NULL, NULL) };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        ORR_CHECK(same[k] != x && orr_read(same[k], v, sizeof v) == ORR_OK && v[1] == 4);
        ORR_CHECK(orr_free(same[k]) == ORR_OK);
    }
    (void)orr_rot90(x, 0, 0, 1);
    (void)orr_scope_end(s);
    ORR_CHECK_MSG(orr_read(x, v, sizeof v) == ORR_OK && v[0] == 3, "%s", orr_error_message());
    ORR_CHECK(orr_free(x) == ORR_OK);
}

static void null_and_poison_travel(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *bad = orr_reshape(orr_ones(ORR_F32, ORR_SHAPE(2)), ORR_SHAPE(3)), *t[2];
    ORR_CHECK(orr_tensor_status(orr_zeros_like(NULL)) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_roll(bad, ORR_INDEX(1), ORR_AXES(0))) == ORR_ESHAPE);
    ORR_CHECK(orr_split(bad, 2, 0, t) == ORR_ESHAPE && orr_tensor_status(t[1]) == ORR_ESHAPE);
    ORR_CHECK(orr_split(bad, 2, 0, NULL) == ORR_EINVAL);
    orr_error_clear();
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(wrong_shapes_and_axes_are_refused),
                                      ORR_TEST(wrong_indices_are_refused),
                                      ORR_TEST(wrong_calls_of_searching_and_statistics_are_refused),
                                      ORR_TEST(lines_that_fall_are_refused),
                                      ORR_TEST(wrong_texts_and_products_are_refused),
                                      ORR_TEST(products_of_complex_numbers_conjugate_the_first),
                                      ORR_TEST(results_are_freed_apart_from_operands),
                                      ORR_TEST(null_and_poison_travel),
                                      { 0 } };
    return help_main(argc, argv, "array.misuse", tests);
}
