/* Structural operations by their contracts: goldens of NumPy, gradients beside differences, refusals.
 * Must not know: any single operation. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/ops.h"
#include "tests/harness/ops_help.h"

static void every_operation_agrees_with_numpy(void)
{
    for (int i = 0; i < orr__structural_count(); i++)
        if (orr__structural[i]->record && orr__structural[i]->arity == 1)
            help_numpy("numpy/along.txt", (const char *const[]){ orr__structural[i]->name, NULL });
}

enum { ROWS = 4, COLS = 5, STEPS = 3, MOST = 3 /* operands */ };

/* Attributes number k of the few that are tested. */
static orr__attr attr_of(const orr__op *op, int k)
{
    orr__attr a = { .axis = k % 2 ? -1 : 0, .mask = (uint32_t)(k % (1 << op->options)) };
    for (int d = 0; d < 2; d++) {
        a.start[d] = 1 + k % ROWS;
        a.step[d] = 1 + k % STEPS;
    }
    return a;
}

/* The sum of w · op(in), where w has a different value for each element; g: its derivatives by the operands, as new
 * nodes. */
static orr_tensor *weighted(const orr__op *op, const orr__attr *a, orr_tensor *const *in, orr_tensor **g)
{
    orr_tensor *y = op->record(ORR_HERE, in, a);
    orr_shape s = orr_tensor_shape(y);
    orr_tensor *w = orr_sin(orr_reshape(orr_arange(ORR_F64, 1, (double)orr__shape_count(&s) + 1, 1), s));
    orr_tensor *sum = orr_sum(orr_mul(y, w), ORR_ALL_AXES, false);
    if (g)
        ORR_CHECK(orr_grad(sum, in, op->arity, g) == ORR_OK);
    return sum;
}

/* Makes all operands from `at`, in sequence. */
static void operands(const orr__op *op, const double *at, orr_tensor **in)
{
    for (int m = 0; m < op->arity; m++)
        in[m] = orr_from(ORR_F64, ORR_SHAPE(ROWS, COLS), at + m * ROWS * COLS);
}

static double value(const orr__op *op, const orr__attr *a, const double *at)
{
    orr_tensor *in[MOST];
    operands(op, at, in);
    double *v = help_doubles(weighted(op, a, in, NULL)), r = v ? v[0] : NAN;
    free(v);
    return r;
}

static void gradient_agrees_with_differences(const orr__op *op, int k)
{
    orr__attr a = attr_of(op, k);
    double at[MOST * ROWS * COLS], step = 1e-6;
    orr_scope *s = orr_scope_begin();
    for (int e = 0; e < op->arity * ROWS * COLS; e++)
        at[e] = cos(3.0 * e + k); /* no two are equal */
    orr_tensor *in[MOST], *g[MOST] = { 0 };
    operands(op, at, in);
    (void)weighted(op, &a, in, g);
    for (int m = 0; m < op->arity; m++) {
        double *got = help_doubles(g[m]);
        for (int e = m * ROWS * COLS; got && e < (m + 1) * ROWS * COLS; e++) {
            double here = at[e], by = got[e - m * ROWS * COLS];
            at[e] = here + step;
            double up = value(op, &a, at);
            at[e] = here - step;
            double down = value(op, &a, at);
            at[e] = here;
            ORR_CHECK_MSG(fabs(by - (up - down) / (2 * step)) < 1e-6, "%s, attributes %d, element %d: %g, %g", op->name,
                          k, e, by, (up - down) / (2 * step));
        }
        free(got);
    }
    (void)orr_scope_end(s);
}

static void every_gradient_agrees_with_differences(void)
{
    for (int i = 0; i < orr__structural_count(); i++)
        for (int k = 0; orr__structural[i]->record && orr__structural[i]->vjp && k < 12; k++)
            gradient_agrees_with_differences(orr__structural[i], k);
}

static void wrong_operands_and_axes_are_refused(void)
{
    for (int i = 0; i < orr__structural_count(); i++) {
        const orr__op *op = orr__structural[i];
        if (!op->record)
            continue;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(ROWS, COLS)), *in[MOST] = { x, x, x }, *none[MOST] = { NULL };
        orr__attr a = attr_of(op, 0);
        ORR_CHECK(orr_tensor_status(op->record(ORR_HERE, none, &a)) == ORR_EINVAL);
        for (int axis = -3; axis < 3; axis += 5) {
            a.axis = axis;
            HELP_POISON(op->record(ORR_HERE, in, &a), ORR_EAXIS, "axis");
        }
        (void)orr_scope_end(s);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_operation_agrees_with_numpy),
                                      ORR_TEST(every_gradient_agrees_with_differences),
                                      ORR_TEST(wrong_operands_and_axes_are_refused),
                                      { 0 } };
    return help_main(argc, argv, "ops.structural", tests);
}
