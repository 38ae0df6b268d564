/* Derivatives of the structural ops against central differences in f64, first and second order.
 * Must not know: how a derivative is made. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "tests/harness/ops_help.h"

#define MAX_X 3
#define MAX_ELEMENTS 64

typedef orr_tensor *(*function)(orr_tensor *const *x);

typedef struct {
    const char *name;
    function f;
    int nx;
    orr_shape shape[MAX_X];
    int order;  /* highest order tested */
    bool zeros; /* some elements are set to 0 */
} row;

#define F(name, expr)                                                                                                  \
    static orr_tensor *name(orr_tensor *const *x)                                                                      \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
static orr_tensor *indices(void)
{
    return orr_from(ORR_I64, ORR_SHAPE(2, 2), (int64_t[]){ 1, -1, 0, 1 });
}

F(f_sum, orr_sum(x[0], ORR_AXES(0, 2), false))
F(f_sum_all, orr_square(orr_sum(x[0], ORR_ALL_AXES, true)))
F(f_prod, orr_prod(x[0], ORR_AXES(1), false))
F(f_mean, orr_square(orr_mean(x[0], ORR_AXES(-1), true)))
F(f_var, orr_var(x[0], ORR_AXES(0), 1, false))
F(f_std, orr_std(x[0], ORR_ALL_AXES, 0, false))
F(f_norm, orr_norm(x[0], ORR_AXES(1), true))
F(f_logsumexp, orr_logsumexp(x[0], ORR_AXES(0, 1), false))
F(f_min, orr_min(x[0], ORR_AXES(1), false))
F(f_max, orr_square(orr_max(x[0], ORR_AXES(0, 1), true)))
F(f_reshape, orr_reshape(x[0], ORR_SHAPE(4, -1)))
F(f_permute, orr_permute(x[0], ORR_AXES(2, 0, 1)))
F(f_transpose, orr_transpose(x[0]))
F(f_broadcast, orr_square(orr_broadcast_to(x[0], ORR_SHAPE(2, 3, 4))))
F(f_squeeze, orr_squeeze(orr_expand_dims(x[0], 1), ORR_AXES(1)))
F(f_slice, orr_square(orr_slice(x[0], ORR_INDEX(1, ORR_END, -1), ORR_INDEX(3, ORR_END, ORR_END), ORR_INDEX(1, -1, -2))))
F(f_slice_steps, orr_slice_axis(orr_square(x[0]), 0, 1, ORR_END, 3))
F(f_slice_back, orr_slice_axis(orr_square(x[0]), 0, 6, 0, -2))
F(f_slice_none, orr_slice_axis(x[0], 0, 3, 3, 1))
F(f_select, orr_mul(orr_select(x[0], 1, -1), orr_select(x[0], 1, 0)))
F(f_flip, orr_flip(orr_exp(x[0]), ORR_AXES(0, 1)))
F(f_concat, orr_concat(ORR_TENSORS(x[0], orr_square(x[1]), x[0]), 0))
F(f_stack, orr_stack(ORR_TENSORS(x[0], orr_square(x[1])), -1))
F(f_pad, orr_pad(orr_square(x[0]), ORR_INDEX(1, 0), ORR_INDEX(0, 2), 3))
F(f_take, orr_square(orr_take(x[0], indices(), 1)))
F(f_take_flat, orr_take(orr_square(x[0]), indices(), ORR_FLAT))
F(f_scatter_add, orr_square(orr_scatter_add(x[0], indices(), x[1], 0)))
F(f_tril, orr_tril(orr_square(x[0]), 0))
F(f_triu, orr_triu(orr_square(x[0]), 1))
F(f_matmul, orr_matmul(x[0], x[1]))
F(f_matmul_t, orr_matmul(orr_transpose(x[0]), orr_transpose(x[1])))
F(f_matmul_self, orr_matmul(x[0], orr_transpose(x[0])))
/* A matrix that is symmetric positive definite for every x, and symmetric in its changes. */
static orr_tensor *positive(orr_tensor *x)
{
    int64_t n = orr_tensor_shape(x).dim[orr_tensor_shape(x).rank - 1];
    return orr_add(orr_matmul(x, orr_transpose(x)), orr_eye(ORR_F64, n, n, 0));
}

/* A triangular matrix that is not singular for any x, with other numbers where it is not read. */
static orr_tensor *triangle(orr_tensor *x)
{
    int64_t n = orr_tensor_shape(x).dim[orr_tensor_shape(x).rank - 1];
    return orr_add(x, orr_mul(orr_eye(ORR_F64, n, n, 0), orr_scalar(4)));
}

F(f_cholesky, orr_cholesky(positive(x[0])))
F(f_cholesky_square, orr_square(orr_cholesky(positive(x[0]))))
F(f_logdet, orr_logdet(positive(x[0])))
F(f_solve_cholesky, orr_solve_cholesky(orr_cholesky(positive(x[0])), x[1]))
F(f_solve_lower, orr_solve_triangular(triangle(x[0]), x[1], true, false, false))
F(f_solve_lower_t, orr_solve_triangular(triangle(x[0]), x[1], true, true, false))
F(f_solve_upper, orr_square(orr_solve_triangular(triangle(x[0]), x[1], false, false, false)))
F(f_solve_upper_unit, orr_solve_triangular(triangle(x[0]), x[1], false, true, true))
F(f_softmax, orr_softmax(x[0], 0))
F(f_log_softmax, orr_log_softmax(x[0], -1))
F(f_cross_entropy, orr_cross_entropy(x[0], orr_from(ORR_I32, ORR_SHAPE(3), (int32_t[]){ 0, 3, 1 })))
F(f_mse, orr_mse(x[0], x[1]))
F(f_shared, orr_mul(orr_add(x[0], x[0]), orr_sub(x[0], orr_exp(x[0]))))
F(f_where, orr_where(orr_greater(x[0], x[1]), orr_square(x[0]), orr_mul(x[1], x[0])))
F(f_layers, orr_cross_entropy(orr_matmul(orr_tanh(orr_add(orr_matmul(x[0], x[1]), x[2])), orr_transpose(x[1])),
                              orr_from(ORR_I64, ORR_SHAPE(3), (int64_t[]){ 1, 0, 3 })))
F(f_normalise, orr_div(orr_sub(x[0], orr_mean(x[0], ORR_AXES(0), true)), orr_std(x[0], ORR_AXES(0), 0, true)))

#define S ORR_SHAPE
static const row rows[] = {
    { "sum", f_sum, 1, { S(2, 3, 2) }, 1, false },
    { "sum of all", f_sum_all, 1, { S(2, 3) }, 2, false },
    { "prod", f_prod, 1, { S(2, 4) }, 2, false },
    { "prod with zeros", f_prod, 1, { S(2, 4) }, 1, true },
    { "mean", f_mean, 1, { S(2, 3) }, 2, false },
    { "var", f_var, 1, { S(4, 2) }, 2, false },
    { "std", f_std, 1, { S(4, 2) }, 2, false },
    { "norm", f_norm, 1, { S(2, 3) }, 2, false },
    { "logsumexp", f_logsumexp, 1, { S(2, 3, 2) }, 2, false },
    { "min", f_min, 1, { S(3, 3) }, 2, false },
    { "max", f_max, 1, { S(2, 3, 2) }, 2, false },
    { "reshape", f_reshape, 1, { S(2, 4) }, 2, false },
    { "permute", f_permute, 1, { S(2, 3, 2) }, 1, false },
    { "transpose", f_transpose, 1, { S(2, 3) }, 1, false },
    { "broadcast", f_broadcast, 1, { S(3, 1) }, 2, false },
    { "broadcast a scalar", f_broadcast, 1, { ORR_SHAPE_0D }, 2, false },
    { "squeeze", f_squeeze, 1, { S(2, 3) }, 1, false },
    { "slice", f_slice, 1, { S(3, 2, 5) }, 2, false },
    { "slice by steps", f_slice_steps, 1, { S(8, 2) }, 2, false },
    { "slice backwards", f_slice_back, 1, { S(8) }, 2, false },
    { "slice of nothing", f_slice_none, 1, { S(4) }, 1, false },
    { "select", f_select, 1, { S(2, 3) }, 2, false },
    { "flip", f_flip, 1, { S(2, 3) }, 2, false },
    { "concat", f_concat, 2, { S(1, 3), S(2, 3) }, 2, false },
    { "stack", f_stack, 2, { S(2, 3), S(2, 3) }, 2, false },
    { "pad", f_pad, 1, { S(2, 2) }, 2, false },
    { "take", f_take, 1, { S(2, 3) }, 2, false },
    { "take flat", f_take_flat, 1, { S(2, 3) }, 2, false },
    { "scatter_add", f_scatter_add, 2, { S(3, 2), S(2, 2, 2) }, 2, false },
    { "scatter_add broadcast", f_scatter_add, 2, { S(3, 2), S(2) }, 2, false },
    { "tril", f_tril, 1, { S(3, 3) }, 2, false },
    { "triu", f_triu, 1, { S(2, 2, 3) }, 1, false },
    { "matmul", f_matmul, 2, { S(2, 3), S(3, 2) }, 2, false },
    { "matmul of vectors", f_matmul, 2, { S(3), S(3) }, 2, false },
    { "matmul vector matrix", f_matmul, 2, { S(3), S(3, 2) }, 1, false },
    { "matmul matrix vector", f_matmul, 2, { S(2, 3), S(3) }, 1, false },
    { "matmul batches", f_matmul, 2, { S(2, 1, 2, 3), S(2, 3, 2) }, 2, false },
    { "matmul batch vector", f_matmul, 2, { S(2, 2, 3), S(3) }, 1, false },
    { "matmul vector batch", f_matmul, 2, { S(3), S(2, 3, 2) }, 1, false },
    { "matmul empty", f_matmul, 2, { S(2, 0), S(0, 2) }, 1, false },
    { "matmul transposed", f_matmul_t, 2, { S(3, 2), S(2, 3) }, 2, false },
    { "matmul with itself", f_matmul_self, 1, { S(2, 3) }, 2, false },
    { "cholesky", f_cholesky, 1, { S(3, 3) }, 2, false },
    { "cholesky of batches", f_cholesky_square, 1, { S(2, 2, 2) }, 2, false },
    { "cholesky of 1 x 1", f_cholesky, 1, { S(1, 1) }, 2, false },
    { "logdet", f_logdet, 1, { S(3, 3) }, 2, false },
    { "logdet of batches", f_logdet, 1, { S(2, 2, 2) }, 2, false },
    { "solve_cholesky", f_solve_cholesky, 2, { S(3, 3), S(3) }, 2, false },
    { "solve lower", f_solve_lower, 2, { S(3, 3), S(3, 2) }, 2, false },
    { "solve lower transposed", f_solve_lower_t, 2, { S(2, 2, 2), S(2) }, 2, false },
    { "solve upper, one matrix", f_solve_upper, 2, { S(2, 2), S(2, 2, 1) }, 2, false },
    { "solve upper transposed unit", f_solve_upper_unit, 2, { S(1, 3, 3), S(2, 3, 1) }, 2, false },
    { "softmax", f_softmax, 1, { S(3, 2) }, 2, false },
    { "log_softmax", f_log_softmax, 1, { S(2, 3) }, 2, false },
    { "cross_entropy", f_cross_entropy, 1, { S(3, 4) }, 2, false },
    { "mse", f_mse, 2, { S(2, 3), S(2, 3) }, 2, false },
    { "shared", f_shared, 1, { S(3) }, 2, false },
    { "where", f_where, 2, { S(2, 3), S(3) }, 2, false },
    { "layers", f_layers, 3, { S(3, 4), S(4, 2), S(2) }, 2, false },
    { "normalise", f_normalise, 1, { S(4, 2) }, 2, false },
};

static double uniform(unsigned long long *state)
{
    return (double)(orr_test_rand(state) >> 11) * 0x1p-53 * 2.4 - 1.2;
}

/* A constant of t's shape, the same for the same seed. */
static orr_tensor *weights(orr_tensor *t, unsigned long long seed)
{
    double v[4 * MAX_ELEMENTS];
    for (int i = 0; i < 4 * MAX_ELEMENTS; i++)
        v[i] = uniform(&seed);
    return orr_from(ORR_F64, orr_tensor_shape(t), v);
}

static orr_tensor *weighed(orr_tensor *t, unsigned long long seed)
{
    return orr_sum(orr_mul(t, weights(t, seed)), ORR_ALL_AXES, false);
}

/* A number that depends on every element of f (order 1) or of f's derivative (order 2). */
static orr_tensor *objective(const row *r, int order, orr_tensor *const *x)
{
    orr_tensor *y = weighed(r->f(x), 5), *g[MAX_X];
    if (order == 1)
        return y;
    if (orr_grad(y, x, r->nx, g) != ORR_OK)
        return g[0];
    y = weighed(g[0], 7);
    for (int k = 1; k < r->nx; k++)
        y = orr_add(y, weighed(g[k], 7 + (unsigned long long)k));
    return y;
}

static double value_at(const row *r, int order, double v[MAX_X][MAX_ELEMENTS])
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[MAX_X];
    for (int k = 0; k < r->nx; k++)
        x[k] = orr_from(ORR_F64, r->shape[k], v[k]);
    double *d = help_doubles(objective(r, order, x));
    double y = d ? d[0] : NAN;
    free(d);
    (void)orr_scope_end(s);
    return y;
}

static void against_differences(const row *r, int order, double v[MAX_X][MAX_ELEMENTS])
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[MAX_X], *g[MAX_X];
    for (int k = 0; k < r->nx; k++)
        x[k] = orr_from(ORR_F64, r->shape[k], v[k]);
    orr_status st = orr_grad(objective(r, order, x), x, r->nx, g);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", r->name, orr_error_message());
    for (int k = 0; k < r->nx && st == ORR_OK; k++) {
        double *d = help_doubles(g[k]), h = 1e-5;
        orr_shape gs = orr_tensor_shape(g[k]);
        ORR_CHECK_MSG(orr__shape_equal(&gs, &r->shape[k]), "%s: gradient of shape %s", r->name, orr__str(gs).s);
        for (int64_t i = 0; d && i < orr_tensor_size(x[k]); i++) {
            double keep = v[k][i];
            v[k][i] = keep + h;
            double up = value_at(r, order, v);
            v[k][i] = keep - h;
            double down = value_at(r, order, v), slope = (up - down) / (2 * h);
            v[k][i] = keep;
            ORR_CHECK_MSG(fabs(d[i] - slope) <= 1e-7 * (10 + fabs(slope)),
                          "%s, order %d: d/dx%d[%d] is %.12g, not %.12g", r->name, order, k, (int)i, d[i], slope);
        }
        free(d);
    }
    (void)orr_scope_end(s);
}

static void check_rows(int order)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v[MAX_X][MAX_ELEMENTS];
        unsigned long long state = 11;
        for (int k = 0; k < MAX_X; k++)
            for (int j = 0; j < MAX_ELEMENTS; j++)
                v[k][j] = uniform(&state);
        if (rows[i].zeros)
            v[0][1] = v[0][4] = v[0][6] = 0;
        if (rows[i].order >= order)
            against_differences(&rows[i], order, v);
    }
}

static void first_derivatives_agree_with_differences(void)
{
    check_rows(1);
}

static void second_derivatives_agree_with_differences(void)
{
    check_rows(2);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(first_derivatives_agree_with_differences),
                                      ORR_TEST(second_derivatives_agree_with_differences),
                                      { 0 } };
    return help_main(argc, argv, "ops.grad", tests);
}
