/* Every operation of the library has a rule, which a case here uses, or is replicated: the test walks the table. The values have
 * the same bits as those of the engine without ranks, except for sums.
 * Must not know: how a value moves. */
#include "config.h"

#include <math.h>
#include <orrery/array.h>
#include <orrery/define.h>
#include <orrery/fft.h>
#include <orrery/field.h>
#include <orrery/linalg.h>
#include <orrery/loss.h>
#include <orrery/nn.h>
#include <orrery/recurrent.h>
#include <orrery/random.h>
#include <orrery/sequence.h>
#include <orrery/train.h>
#include <stdlib.h>
#include <string.h>
#include "ops/exchange.h"
#include "ops/ops.h"
#include "ops/record.h"
#include "tests/harness/simulate.h"

enum { MOST = 4 };

/* Leaves of f64 with values in [low, high], the same in every call. */
static orr_tensor *leaf_between(orr_shape s, double low, double high)
{
    int64_t n = orr__shape_count(&s);
    double *v = calloc((size_t)n + 1, sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = low + (high - low) * (0.5 + 0.5 * sin(1.7 * (double)i + 0.3));
    orr_tensor *t = orr_from(ORR_F64, s, v);
    free(v);
    return t;
}

static orr_tensor *leaf(orr_shape s)
{
    return leaf_between(s, -2, 2);
}

/* A batch of symmetric positive definite matrices. */
static orr_tensor *spd(orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    return orr_add(orr_matmul(x, orr_transpose(x)), orr_mul(orr_eye(ORR_F64, s.dim[1], s.dim[1], 0), orr_scalar(3)));
}

static orr_tensor *index_leaf(int64_t n, int64_t end)
{
    int64_t v[16];
    for (int64_t i = 0; i < n; i++)
        v[i] = (3 * i + 1) % end;
    return orr_from(ORR_I64, ORR_SHAPE(n), v);
}

/* -- cases: a graph for each operation without `record`. in: operands to shard over ranks. Returns their number ------------------- */

typedef int graph(orr_tensor **in, orr_tensor **out);

#define UNARY_CASE(name, shape, expression)                                                                            \
    static int name(orr_tensor **in, orr_tensor **out)                                                                 \
    {                                                                                                                  \
        orr_tensor *x = in[0] = leaf(shape);                                                                           \
        *out = (expression);                                                                                           \
        return 1;                                                                                                      \
    }
UNARY_CASE(of_cast, ORR_SHAPE(5, 3), orr_cast(x, ORR_F32))
UNARY_CASE(of_reshape, ORR_SHAPE(6, 4), orr_reshape(orr_exp(orr_reshape(x, ORR_SHAPE(3, 2, 4))), ORR_SHAPE(24)))
UNARY_CASE(of_permute, ORR_SHAPE(3, 4, 2), orr_exp(orr_permute(x, ORR_AXES(2, 0, 1))))
UNARY_CASE(of_broadcast, ORR_SHAPE(4, 1), orr_exp(orr_broadcast_to(x, ORR_SHAPE(2, 4, 3))))
UNARY_CASE(of_slice, ORR_SHAPE(5, 6), orr_exp(orr_slice_axis(x, 1, 1, 6, 2)))
UNARY_CASE(of_pad, ORR_SHAPE(5, 3), orr_pad(x, ORR_INDEX(0, 1), ORR_INDEX(0, 2), 7))
UNARY_CASE(of_longer, ORR_SHAPE(5, 3), orr_exp(orr_pad(x, ORR_NO_INDEX, ORR_INDEX(4, 2), 7)))
UNARY_CASE(of_first, ORR_SHAPE(7, 6), orr_exp(orr_slice(x, ORR_INDEX(0, 1), ORR_INDEX(3, 5), ORR_NO_INDEX)))
UNARY_CASE(of_terms, ORR_SHAPE(5, 3),
           orr_sum(orr__terms((orr__site){ ORR_HERE, "terms" }, orr_sum(x, ORR_AXES(0), false), 2), ORR_AXES(0), false))
UNARY_CASE(of_sum, ORR_SHAPE(4, 5), orr_exp(orr_sum(x, ORR_AXES(1), false)))
UNARY_CASE(of_prod, ORR_SHAPE(4, 5), orr_prod(x, ORR_AXES(0), false))
UNARY_CASE(of_max, ORR_SHAPE(4, 5), orr_max(x, ORR_AXES(0), false))
UNARY_CASE(of_min, ORR_SHAPE(2, 5), orr_min(x, ORR_AXES(0), false))
UNARY_CASE(of_any, ORR_SHAPE(4, 5), orr_any(orr_less(x, orr_scalar(-1.9)), ORR_AXES(0), false))
UNARY_CASE(of_all, ORR_SHAPE(4, 5), orr_all(orr_less(x, orr_scalar(1.5)), ORR_AXES(0), false))
UNARY_CASE(of_argmax, ORR_SHAPE(4, 5), orr_argmax(x, 1, false))
UNARY_CASE(of_take, ORR_SHAPE(4, 5), orr_take(x, index_leaf(3, 4), 0))
UNARY_CASE(of_labels, ORR_SHAPE(4, 5), orr_one_hot(orr_cast(x, ORR_I64), 3, ORR_F64))
UNARY_CASE(of_cumulative_sum, ORR_SHAPE(2, 3), orr_cumulative_sum(x, 1, false))
UNARY_CASE(of_softmax, ORR_SHAPE(4, 5), orr_softmax(x, -1))
UNARY_CASE(of_cholesky, ORR_SHAPE(4, 3, 3), orr_cholesky(spd(x)))
UNARY_CASE(of_det, ORR_SHAPE(4, 3, 3), orr_det(spd(x)))
UNARY_CASE(of_lu, ORR_SHAPE(4, 3, 3), orr_lu(x).l)
UNARY_CASE(of_qr, ORR_SHAPE(4, 3, 3), orr_qr(x, false).r)
UNARY_CASE(of_svd, ORR_SHAPE(4, 3, 3), orr_svd(x, false).s)
UNARY_CASE(of_eigh, ORR_SHAPE(4, 3, 3), orr_eigh(spd(x)).w)
UNARY_CASE(of_eig, ORR_SHAPE(4, 3, 3), orr_abs(orr_eig(spd(x)).w))
UNARY_CASE(of_expm, ORR_SHAPE(4, 3, 3), orr_expm(x))
UNARY_CASE(of_fft, ORR_SHAPE(4, 6), orr_abs(orr_fft(x, 0, -1, ORR_FFT_BACKWARD)))
UNARY_CASE(of_real_fft, ORR_SHAPE(4, 6), orr_irfft(orr_rfft(x, 0, -1, ORR_FFT_BACKWARD), 6, -1, ORR_FFT_ORTHO))

#define BINARY_CASE(name, shape_x, shape_y, expression)                                                                \
    static int name(orr_tensor **in, orr_tensor **out)                                                                 \
    {                                                                                                                  \
        orr_tensor *x = in[0] = leaf(shape_x), *y = in[1] = leaf(shape_y);                                             \
        *out = (expression);                                                                                           \
        return 2;                                                                                                      \
    }
BINARY_CASE(of_matmul, ORR_SHAPE(4, 5), ORR_SHAPE(5, 3), orr_matmul(x, y))
BINARY_CASE(of_batches, ORR_SHAPE(3, 4, 5), ORR_SHAPE(3, 5, 2), orr_matmul(x, y))
BINARY_CASE(of_concat, ORR_SHAPE(4, 2), ORR_SHAPE(4, 3), orr_concat(((orr_tensor *const[]){ x, y }), 2, 1))
BINARY_CASE(of_scatter_add, ORR_SHAPE(4, 5), ORR_SHAPE(3, 5), orr_scatter_add(x, index_leaf(3, 4), y, 0))
BINARY_CASE(of_scatter, ORR_SHAPE(5, 4), ORR_SHAPE(5, 3), orr_scatter(x, index_leaf(3, 4), y, 1, ORR_SCATTER_SET))
BINARY_CASE(of_searchsorted, ORR_SHAPE(6), ORR_SHAPE(4, 3), orr_searchsorted(orr_sort(x, 0, false), y, false))
BINARY_CASE(of_solve, ORR_SHAPE(4, 3, 3), ORR_SHAPE(4, 3, 2), orr_solve(spd(x), y))
BINARY_CASE(of_triangular, ORR_SHAPE(4, 3, 3), ORR_SHAPE(4, 3, 2),
            orr_solve_triangular(orr_cholesky(spd(x)), y, true, false, false))
BINARY_CASE(of_lstsq, ORR_SHAPE(4, 5, 3), ORR_SHAPE(4, 5, 2), orr_lstsq(x, y, -1).x)

/* -- attention: q, k, v; options. gradient: of a sum of the result, by all three ------------------------------------------- */

static int attention(orr_tensor **in, orr_tensor **out, int64_t kv, bool causal, bool masked, bool gradient,
                     double dropout)
{
    orr_attention_options o = { .causal = causal, .dropout = dropout };
    orr_seed(5);
    in[0] = leaf(ORR_SHAPE(3, 4, 5, 2));
    in[1] = leaf_between(ORR_SHAPE(3, kv, 6, 2), -1, 1);
    in[2] = leaf_between(ORR_SHAPE(3, kv, 6, 3), -3, 1);
    in[3] = masked ? leaf_between(ORR_SHAPE(3, 1, 5, 6), -1, 0) : NULL;
    orr_tensor *y = orr_attention(in[0], in[1], in[2], in[3], &o), *g[3];
    if (gradient) {
        ORR_CHECK(orr_grad(orr_sum(orr_mul(y, y), ORR_ALL_AXES, false), in, 3, g) == ORR_OK);
        y = orr_add(orr_add(orr_sum(g[0], ORR_AXES(1, 2, 3), false), orr_sum(g[1], ORR_AXES(1, 2, 3), false)),
                    orr_sum(g[2], ORR_AXES(1, 2, 3), false));
    }
    *out = y;
    return 3 + masked;
}

#define ATTENTION_CASE(name, ...)                                                                                      \
    static int name(orr_tensor **in, orr_tensor **out)                                                                 \
    {                                                                                                                  \
        return attention(in, out, __VA_ARGS__);                                                                        \
    }
ATTENTION_CASE(of_attention, 4, false, false, false, 0)
ATTENTION_CASE(of_attention_in_groups, 2, true, false, false, 0)
ATTENTION_CASE(of_attention_of_one_head, 1, false, true, false, 0)
ATTENTION_CASE(of_attention_grad, 4, false, true, true, 0)
ATTENTION_CASE(of_attention_grad_in_groups, 2, true, false, true, 0)
ATTENTION_CASE(of_attention_with_dropout, 2, false, false, false, 0.4)
ATTENTION_CASE(of_attention_with_dropout_masked, 4, false, true, false, 0.4)
ATTENTION_CASE(of_attention_grad_with_dropout, 2, true, true, true, 0.4)

/* Batches of 4 sequences of up to 6 steps and 5 classes, and the gradient. */
static int ctc(orr_tensor **in, orr_tensor **out, bool gradient)
{
    static const int64_t target[] = { 1, 2, 3, 2, 2, 0, 4, 1, 1, 3, 0, 0 }, steps[] = { 6, 6, 5, 4 },
                         lengths[] = { 3, 2, 3, 1 };
    in[0] = leaf(ORR_SHAPE(6, 4, 5));
    in[1] = orr_from(ORR_I64, ORR_SHAPE(4, 3), target);
    in[2] = orr_from(ORR_I64, ORR_SHAPE(4), steps);
    in[3] = orr_from(ORR_I64, ORR_SHAPE(4), lengths);
    orr_tensor *l = orr_ctc_loss(orr_log_softmax(in[0], -1), in[1], in[2], in[3], 0, false, ORR_REDUCTION_NONE);
    *out = l;
    if (gradient)
        ORR_CHECK(orr_grad(orr_sum(orr_mul(l, l), ORR_ALL_AXES, false), in, 1, out) == ORR_OK);
    return 4;
}

static int of_ctc(orr_tensor **in, orr_tensor **out)
{
    return ctc(in, out, false);
}

static int of_ctc_grad(orr_tensor **in, orr_tensor **out)
{
    return ctc(in, out, true);
}

/* Sequences through cells: their states, or the gradient of these. */
static int recurrent(orr_tensor **in, orr_tensor **out, orr_cell cell, bool gradient)
{
    static orr_module *m[ORR_CELL_GRU + 1];
    if (!m[cell])
        m[cell] = orr_recurrent(cell, 5, 3, NULL);
    in[0] = leaf(ORR_SHAPE(4, 6, 5));
    *out = orr_forward(m[cell], orr_cast(in[0], ORR_F32));
    if (gradient) {
        ORR_CHECK(orr_grad(orr_sum(orr_mul(*out, *out), ORR_ALL_AXES, false), in, 1, out) == ORR_OK);
        *out = orr_cast(*out, ORR_F32); /* as exact as the layer */
    }
    return 1;
}

static int of_lstm(orr_tensor **in, orr_tensor **out)
{
    return recurrent(in, out, ORR_CELL_LSTM, false);
}

static int of_lstm_grad(orr_tensor **in, orr_tensor **out)
{
    return recurrent(in, out, ORR_CELL_LSTM, true);
}

static int of_gru(orr_tensor **in, orr_tensor **out)
{
    return recurrent(in, out, ORR_CELL_GRU, false);
}

static int of_gru_grad(orr_tensor **in, orr_tensor **out)
{
    return recurrent(in, out, ORR_CELL_GRU, true);
}

/* A gradient that computes a layer again. */
static int of_recompute(orr_tensor **in, orr_tensor **out)
{
    static orr_module *m;
    if (!m)
        m = orr_dense(5, 3, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT);
    in[0] = leaf(ORR_SHAPE(4, 5));
    orr_tensor *y = orr_recompute(m, orr_cast(in[0], ORR_F32));
    ORR_CHECK(orr_grad(orr_sum(orr_mul(y, y), ORR_ALL_AXES, false), in, 1, out) == ORR_OK);
    *out = orr_cast(*out, ORR_F32); /* as exact as the layer */
    return 1;
}

/* A line so long that sums of its chunks are computed first. */
static int of_long_line(orr_tensor **in, orr_tensor **out)
{
    in[0] = leaf(ORR_SHAPE(2, 1 << 18));
    *out = orr_cumulative_sum(in[0], 1, false);
    return 1;
}

/* Sorting, in chunks. */
static int of_long_lines_in_order(orr_tensor **in, orr_tensor **out)
{
    in[0] = leaf(ORR_SHAPE(2, 1 << 18));
    *out = orr_add(orr_sort(in[0], 1, true), orr_cast(orr_argsort(in[0], 1, false), ORR_F64));
    return 1;
}

/* A transform in halves, of complex numbers, of real ones, and its inverse. */
static int of_long_fft(orr_tensor **in, orr_tensor **out)
{
    in[0] = leaf(ORR_SHAPE(2, 1 << 16));
    *out = orr_abs(orr_fft(in[0], 0, -1, ORR_FFT_ORTHO));
    return 1;
}

/* A prime length. */
static int of_chirped_fft(orr_tensor **in, orr_tensor **out)
{
    in[0] = leaf(ORR_SHAPE(2, 65537));
    *out = orr_abs(orr_fft(in[0], 0, -1, ORR_FFT_ORTHO));
    return 1;
}

static int of_long_real_fft(orr_tensor **in, orr_tensor **out)
{
    in[0] = leaf(ORR_SHAPE(2, 1 << 17));
    *out = orr_irfft(orr_rfft(in[0], 0, -1, ORR_FFT_ORTHO), 1 << 17, -1, ORR_FFT_ORTHO);
    return 1;
}

/* -- random numbers with parameters ------------------------------------------------------------------------------------------ */

static int of_variates(orr_tensor **in, orr_tensor **out)
{
    orr_seed(5);
    in[0] = leaf_between(ORR_SHAPE(4, 5), 0.5, 9);
    in[1] = leaf_between(ORR_SHAPE(5), 0.1, 0.9);
    *out = orr_add(orr_gamma(ORR_F64, ORR_SHAPE(4, 5), in[0], in[1]),
                   orr_binomial(ORR_F64, ORR_SHAPE(4, 5), orr_round(in[0]), in[1]));
    return 2;
}

static int of_multinomial(orr_tensor **in, orr_tensor **out)
{
    orr_seed(5);
    in[0] = leaf_between(ORR_SHAPE(4, 5), 0.1, 0.9);
    *out = orr_multinomial(ORR_SHAPE(4), 100, in[0]);
    return 1;
}

/* -- fields ---------------------------------------------------------------------------------------------------------------- */

/* Elements made of integers, which are sharded over ranks. */
static orr_tensor *elements(orr_tensor **in, orr_shape s)
{
    int64_t n = orr__shape_count(&s), *v = calloc((size_t)n + 1, sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = 3 + (7 * i) % 101;
    *in = orr_from(ORR_I64, s, v);
    free(v);
    return orr_cast(*in, ORR_FR254);
}

#define FIELD_CASE(name, shape, expression)                                                                            \
    static int name(orr_tensor **in, orr_tensor **out)                                                                 \
    {                                                                                                                  \
        orr_tensor *x = elements(in, shape);                                                                           \
        *out = orr_field_limbs(expression);                                                                            \
        return 1;                                                                                                      \
    }
FIELD_CASE(of_field_elements, ORR_SHAPE(4, 3), orr_field_from_limbs(ORR_FR254, orr_field_limbs(orr_field_inverse(x))))
FIELD_CASE(of_field_sum, ORR_SHAPE(4, 5), orr_sum(x, ORR_AXES(1), false))
FIELD_CASE(of_field_hash, ORR_SHAPE(5, 3), orr_poseidon(x))
FIELD_CASE(of_field_transform, ORR_SHAPE(4, 8), orr_field_ntt(x, NULL))
FIELD_CASE(of_field_transform_shifted, ORR_SHAPE(4, 8), orr_field_ntt_inverse(x, orr_full(ORR_FR254, ORR_SHAPE_0D, 5)))
FIELD_CASE(of_long_field_transform, ORR_SHAPE(2, 1 << 15), orr_field_ntt(x, NULL))
FIELD_CASE(of_field_values, ORR_SHAPE(4), orr_field_poly_eval(orr_full(ORR_FR254, ORR_SHAPE(6), 3), x))
FIELD_CASE(of_long_polynomial, ORR_SHAPE(1 << 14), orr_field_poly_eval(x, orr_full(ORR_FR254, ORR_SHAPE(1), 3)))
FIELD_CASE(of_field_division, ORR_SHAPE(6), orr_field_poly_divide(x, orr_full(ORR_FR254, ORR_SHAPE(3), 2)).remainder)

static orr_tensor *points(orr_tensor *k)
{
    return orr_curve_multiply(ORR_G1, orr_curve_generator(ORR_G1), k);
}
FIELD_CASE(of_field_points, ORR_SHAPE(5), orr_curve_add(ORR_G1, points(x), orr_curve_double(ORR_G1, points(x))))
FIELD_CASE(of_field_multiples, ORR_SHAPE(6), orr_curve_msm(ORR_G1, points(orr_full(ORR_FR254, ORR_SHAPE(6), 4)), x))

static int of_field_product(orr_tensor **in, orr_tensor **out)
{
    orr_tensor *x = elements(&in[0], ORR_SHAPE(2, 4, 5)), *y = elements(&in[1], ORR_SHAPE(2, 5, 3));
    *out = orr_field_limbs(orr_matmul(x, y));
    return 2;
}

/* -- a user-defined kernel: row i of the result is row i of x, times all of w -------------------------------------------------- */

static int scale_rows(const orr_kernel_args *a)
{
    int64_t n = a->out_shape.dim[1];
    const double *x = a->in[0].data, *w = a->in[1].data;
    double *y = a->out;
    for (int64_t i = a->lo * n; i < a->hi * n; i++) {
        y[i] = 0;
        for (int64_t k = 0; k < a->in[1].shape.dim[0]; k++)
            y[i] += x[i] * w[k];
    }
    return 0;
}

static int of_user(orr_tensor **in, orr_tensor **out)
{
    static const orr_kernel_def k = {
        .name = "scale_rows", .n_inputs = 2, .rows = true, .row_inputs = 1, .cpu = scale_rows
    };
    in[0] = leaf(ORR_SHAPE(4, 3));
    in[1] = leaf(ORR_SHAPE(4));
    *out = orr_apply(orr_define_kernel(&k), ORR_TENSORS(in[0], in[1]));
    return 2;
}

static graph *const cases[] = { of_cast,
                                of_reshape,
                                of_permute,
                                of_broadcast,
                                of_slice,
                                of_pad,
                                of_longer,
                                of_first,
                                of_terms,
                                of_sum,
                                of_prod,
                                of_max,
                                of_min,
                                of_any,
                                of_all,
                                of_argmax,
                                of_take,
                                of_labels,
                                of_softmax,
                                of_cholesky,
                                of_det,
                                of_lu,
                                of_qr,
                                of_svd,
                                of_eigh,
                                of_eig,
                                of_expm,
                                of_fft,
                                of_real_fft,
                                of_matmul,
                                of_batches,
                                of_concat,
                                of_scatter_add,
                                of_scatter,
                                of_searchsorted,
                                of_solve,
                                of_triangular,
                                of_lstsq,
                                of_long_line,
                                of_cumulative_sum,
                                of_attention,
                                of_attention_in_groups,
                                of_attention_of_one_head,
                                of_attention_grad,
                                of_attention_grad_in_groups,
                                of_ctc,
                                of_ctc_grad,
                                of_lstm,
                                of_lstm_grad,
                                of_gru,
                                of_gru_grad,
                                of_recompute,
                                of_attention_with_dropout,
                                of_attention_with_dropout_masked,
                                of_attention_grad_with_dropout,
                                of_long_lines_in_order,
                                of_long_fft,
                                of_chirped_fft,
                                of_long_real_fft,
                                of_variates,
                                of_multinomial,
                                of_field_elements,
                                of_field_sum,
                                of_field_hash,
                                of_field_transform,
                                of_field_transform_shifted,
                                of_long_field_transform,
                                of_field_values,
                                of_long_polynomial,
                                of_field_division,
                                of_field_points,
                                of_field_multiples,
                                of_field_product,
                                of_user };

/* -- the comparison -------------------------------------------------------------------------------------------------------- */

static bool close_enough(orr_dtype d, orr__scalar got, orr__scalar want)
{
    if (!orr__is_float(d) || !isfinite(want.f))
        return orr__is_float(d) && isnan(want.f) ? isnan(got.f) : orr__is_float(d) ? got.f == want.f : got.u == want.u;
    return fabs(got.f - want.f) <= (d == ORR_F64 ? 1e-11 : 1e-5) * (1 + fabs(want.f));
}

static void compare(const char *what, orr_tensor *out, const sim_grid *grid, const sim_lies *lies,
                    const orr__scalar *want)
{
    orr__node *node = orr__handle_node(out);
    void *value = NULL;
    orr_dtype d = orr_tensor_dtype(out);
    bool ok = sim_run(&node, 1, grid, lies, 1, &value);
    for (int64_t i = 0; ok && i < orr_tensor_size(out); i++)
        ok = close_enough(d, orr__scalar_load((const char *)value + (size_t)i * orr_dtype_size(d), d), want[i]);
    ORR_CHECK_MSG(ok, "%s with operand axis %d over %lld ranks in blocks of %lld", what, lies->axis[0],
                  (long long)grid->extent[0], (long long)lies->block[0]);
    free(value);
}

/* Checks each operand along each axis, over 2 and 3 ranks. */
static void check(const char *what, graph *make, int (*generic)(orr_tensor **, orr_tensor **, const void *),
                  const void *with)
{
    orr_tensor *in[MOST], *out = NULL;
    orr_scope *s = orr_scope_begin();
    int n = make ? make(in, &out) : generic(in, &out, with);
    orr__scalar *want = help_engine(out);
    for (int k = 0; want && k < n; k++)
        for (int c = 0, rank = orr_tensor_shape(in[k]).rank; c < 3 * rank; c++) {
            orr_tensor *lying[MOST];
            sim_grid grid = { 1, { c % 3 ? 2 : 3 } };
            orr_scope *one = orr_scope_begin();
            (void)(make ? make(lying, &out) : generic(lying, &out, with));
            int64_t length = orr_tensor_shape(in[k]).dim[c / 3], even = (length + grid.extent[0] - 1) / grid.extent[0];
            sim_lies lies = { orr__handle_node(lying[k]), { c / 3 }, { c % 3 == 2 ? 1 : even } };
            compare(what, out, &grid, &lies, want);
            (void)orr_scope_end(one);
        }
    free(want);
    (void)orr_scope_end(s);
}

/* -- by the contract's own call ------------------------------------------------------------------------------------------------ */

static int recorded(orr_tensor **in, orr_tensor **out, const void *with)
{
    const orr__op *op = with;
    orr__attr a = { .axis = 1 };
    for (int d = 0; d < ORR_MAX_RANK; d++)
        a.start[d] = a.step[d] = 1;
    for (int k = 0; k < op->arity; k++)
        in[k] = leaf(ORR_SHAPE(4, 5));
    *out = op->record(ORR_HERE, in, &a);
    return op->arity;
}

static void every_operation_has_a_rule_or_replicates(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "case %zu", i);
        check(name, cases[i], NULL, NULL);
    }
    for (int i = 0; i < orr__structural_count(); i++)
        if (orr__structural[i]->record && orr__structural[i]->arity > 0 && orr__structural[i]->arity <= MOST)
            check(orr__structural[i]->name, NULL, recorded, orr__structural[i]);
    int rules = 0;
    for (int i = 0; i < orr__structural_count(); i++) {
        const orr__op *op = orr__structural[i];
        ORR_CHECK_MSG(!op->distribute || sim_lay[op->id], "%s has a rule that no case uses", op->name);
        rules += op->distribute != NULL;
    }
    printf("    %d of %d operations have rules, the others replicate\n", rules, orr__structural_count());
}

/* The page's sentence that names the operations which every rank computes as a whole. */
static const char *named(void)
{
    static char text[2048];
    size_t size;
    char *page = (char *)orr_test_slurp(orr_test_golden("../../docs/distributed-tensors.md"), &size);
    const char *from = page ? strstr(page, "Operations without a rule: ") : NULL,
               *to = from ? strstr(from, ".\n") : NULL;
    (void)snprintf(text, sizeof text, "%.*s", to ? (int)(to - from) : 0, from ? from : "");
    free(page);
    return text;
}

/* Operations without operands are computed where they are read; pure stand-ins are not computed at all. */
static void page_names_the_operations_that_replicate(void)
{
    const char *text = named();
    char name[64];
    ORR_REQUIRE(text[0]);
    for (int i = 0; i < orr__structural_count(); i++) {
        const orr__op *op = orr__structural[i];
        bool computed = op->role == ORR__ROLE_COMPUTED && op->arity != 0 && op->pattern != ORR__PATTERN_NONE;
        if (!computed || op->id == ORR__OP_distribute || op->id == ORR__OP_exchange)
            continue;
        (void)snprintf(name, sizeof name, "`%s`", op->name);
        ORR_CHECK_MSG(!op->distribute == (strstr(text, name) != NULL), "%s %s", op->name,
                      op->distribute ? "has a rule" : "has none");
    }
}

/* -- element-wise rows ------------------------------------------------------------------------------------------------------------ */

static int row_of(orr_tensor **in, orr_tensor **out, const void *with)
{
    const orr__ewrow *row = with;
    orr_dtype d = orr__ew_takes(row, ORR_F64) ? ORR_F64 : orr__ew_takes(row, ORR_I32) ? ORR_I32 : ORR_BOOL;
    double low = row->lo < -5 ? -5 : row->lo, high = row->hi > 5 ? 5 : row->hi;
    orr_tensor *x[3] = { NULL };
    for (int k = 0; k < row->arity; k++) {
        in[k] = leaf_between(ORR_SHAPE(3, 4), low, high);
        x[k] = orr_cast(in[k], row->cond && k == 0 ? ORR_BOOL : d);
    }
    *out = orr__ew_record(ORR__SITE(__FILE__, __LINE__, row->op.name), row, x[0], x[1], x[2]);
    if (orr__is_complex(orr_tensor_dtype(*out)))
        *out = orr_abs(*out);
    return row->arity;
}

/* Rows on partial sums of the ranks: only linear operations may continue on partial values. */
static int row_of_sums(orr_tensor **in, orr_tensor **out, const void *with)
{
    const orr__ewrow *row = with;
    double low = row->lo < -5 ? -5 : row->lo, high = row->hi > 5 ? 5 : row->hi;
    orr_tensor *x[3] = { NULL };
    for (int k = 0; k < row->arity; k++) {
        in[k] = leaf_between(ORR_SHAPE(3, 4), low / 3, high / 3);
        x[k] = orr_sum(in[k], ORR_AXES(0), true);
        if (row->cond && k == 0)
            x[k] = orr_cast(leaf(ORR_SHAPE(1, 4)), ORR_BOOL);
    }
    *out = orr__ew_record(ORR__SITE(__FILE__, __LINE__, row->op.name), row, x[0], x[1], x[2]);
    if (orr__is_complex(orr_tensor_dtype(*out)))
        *out = orr_abs(*out);
    return row->arity;
}

static void every_row_has_its_rule(void)
{
    for (int i = 0; i < orr__ew_count(); i++) {
        check(orr__ew_rows[i].op.name, NULL, row_of, &orr__ew_rows[i]);
        if (orr__ew_takes(&orr__ew_rows[i], ORR_F64))
            check(orr__ew_rows[i].op.name, NULL, row_of_sums, &orr__ew_rows[i]);
        ORR_CHECK_MSG(sim_lay[orr__ew_rows[i].op.id], "%s", orr__ew_rows[i].op.name);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_operation_has_a_rule_or_replicates),
                                      ORR_TEST(every_row_has_its_rule),
                                      ORR_TEST(page_names_the_operations_that_replicate),
                                      { 0 } };
    return help_main(argc, argv, "distribute.rules", tests);
}
