/* First and second derivatives of every element-wise row beside differences, in f64 and c128.
 * Must not know: any single row. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/ops.h"
#include "tests/harness/differences.h"

/* The row under test, and the range of its operands: offset ± scale. */
static const orr__ewrow *row;
static double offset, scale;

static orr_tensor *apply(orr_tensor *const *x)
{
    orr_tensor *in[3] = { NULL };
    for (int k = 0; k < row->arity; k++)
        in[k] = orr_add(orr_mul(x[k], orr_scalar(scale)), orr_scalar(offset));
    return orr__ew_record(ORR__SITE(__FILE__, __LINE__, row->op.name), row, in[0], in[1], in[2]);
}

/* Between −1 and 1 some rows are undefined at some points; chooses the first interval without such a point. */
static bool settle(orr_dtype dtype)
{
    static const double places[][2] = { { 0, 1.5 }, { 1.1, 0.9 }, { 0.5, 0.4 }, { 2.5, 1 } };
    static const double samples[] = { -1, -0.7, -0.3, 0.1, 0.4, 0.8, 1 };
    enum { N = sizeof samples / sizeof *samples };
    bool ok = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !ok; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(N), samples), dtype), *in[3];
        offset = places[i][0];
        scale = places[i][1];
        for (int k = 0; k < 3; k++) /* every pair occurs */
            in[k] = orr_reshape(x, k == 0 ? ORR_SHAPE(N, 1, 1) : k == 1 ? ORR_SHAPE(1, N, 1) : ORR_SHAPE(1, 1, N));
        orr_tensor *y = apply(in), *tame = orr_less(orr_add(orr_abs(orr_real(y)), orr_abs(orr_imag(y))), orr_scalar(8));
        orr_tensor *all = orr_all(tame, ORR_ALL_AXES, false); /* not near a pole either */
        double v = 0;
        ok = orr_item(orr_cast(all, ORR_F64), &v) == ORR_OK && v != 0;
        (void)orr_scope_end(s);
    }
    return ok;
}

/* False for "": no gradient flows, for any value. */
static bool flows(orr_dtype dtype)
{
    for (int k = 0; k < row->arity; k++) {
        const char *own = row->cderiv[k],
                   *text = orr__is_complex(dtype) && own && strcmp(own, "=") != 0 ? own : row->deriv[k];
        if (text && text[0])
            return true;
    }
    return false;
}

static int differentiate(orr_dtype dtype)
{
    int n = 0;
    for (int i = 0; i < orr__ew_count(); i++) {
        row = orr__ew(ORR__OP_EW + i);
        if (row->cond || !orr__ew_takes(row, dtype) || !flows(dtype) || !orr__is_inexact(orr__ew_result(row, dtype)))
            continue;
        differences_row d = { row->op.name, apply, row->arity, { ORR_SHAPE(5), ORR_SHAPE(5), ORR_SHAPE(5) }, 2 };
        ORR_CHECK_MSG(settle(dtype), "%s has no interval where it has a value", row->op.name);
        help_differences(&d, dtype);
        n++;
    }
    printf("    %d rows in %s\n", n, orr_dtype_name(dtype));
    return n;
}

static void derivatives_agree_with_differences(void)
{
    ORR_CHECK(differentiate(ORR_F64) > 50);
}

static void derivatives_of_complex_rows_agree_with_differences(void)
{
    ORR_CHECK(differentiate(ORR_C128) > 30);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(derivatives_agree_with_differences),
                                      ORR_TEST(derivatives_of_complex_rows_agree_with_differences),
                                      { 0 } };
    return help_main(argc, argv, "ops.row_derivatives", tests);
}
