/* Bad input to ops: poison that names the error and the place in the user's file; never a crash.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include "tests/harness/ops_help.h"

#define X23 orr_ones(ORR_F32, ORR_SHAPE(2, 3))
#define X45 orr_ones(ORR_F32, ORR_SHAPE(4, 5))
#define I3 orr_zeros(ORR_I64, ORR_SHAPE(3))
#define B3 orr_zeros(ORR_BOOL, ORR_SHAPE(3))
#define HUGE_DIM ((int64_t)1 << 40)

static void creation_rejects_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    float v[4] = { 0 };
    HELP_POISON(orr_from(ORR_F32, ORR_SHAPE(4), NULL), ORR_EINVAL, "from: data is NULL");
    HELP_POISON(orr_from((orr_dtype)99, ORR_SHAPE(4), v), ORR_EDTYPE, "99 is no dtype");
    HELP_POISON(orr_from((orr_dtype)-1, ORR_SHAPE(4), v), ORR_EDTYPE, "no dtype");
    HELP_POISON(orr_from(ORR_F32, ORR_SHAPE(-4), v), ORR_ESHAPE, "negative dimension in shape (-4,)");
    HELP_POISON(orr_from(ORR_F32, ORR_SHAPE(HUGE_DIM, HUGE_DIM), v), ORR_ESHAPE, "overflow");
    HELP_POISON(orr_from(ORR_F32, ((orr_shape){ 9, { 0 } }), v), ORR_ESHAPE, "rank 9");
    HELP_POISON(orr_from(ORR_F32, ((orr_shape){ -1, { 0 } }), v), ORR_ESHAPE, "rank -1");
    HELP_POISON(orr_wrap(ORR_F32, ORR_SHAPE(2), (char *)v + 1, NULL, NULL), ORR_EINVAL, "aligned");
    HELP_POISON(orr_wrap(ORR_F32, ORR_SHAPE(2), NULL, NULL, NULL), ORR_EINVAL, "wrap: data is NULL");
    HELP_POISON(orr_zeros(ORR_F32, ORR_SHAPE(2, -1)), ORR_ESHAPE, "zeros: negative");
    HELP_POISON(orr_full(ORR_I32, ORR_SHAPE(2), 0.5), ORR_EDTYPE, "0.5 is no value of int32");
    HELP_POISON(orr_full(ORR_U8, ORR_SHAPE(2), 256), ORR_EDTYPE, "256 is no value of uint8");
    HELP_POISON(orr_full(ORR_U8, ORR_SHAPE(2), -1), ORR_EDTYPE, "uint8");
    HELP_POISON(orr_full(ORR_I64, ORR_SHAPE(2), NAN), ORR_EDTYPE, "int64");
    HELP_POISON(orr_full(ORR_BOOL, ORR_SHAPE(2), 2), ORR_EDTYPE, "bool");
    HELP_POISON(orr_arange(ORR_F32, 0, 1, 0), ORR_EINVAL, "arange: no range");
    HELP_POISON(orr_arange(ORR_F32, NAN, 1, 1), ORR_EINVAL, "arange");
    HELP_POISON(orr_arange(ORR_F32, 0, INFINITY, 1), ORR_ESHAPE, "too many");
    HELP_POISON(orr_arange(ORR_I32, 0, 1, 0.25), ORR_EDTYPE, "0.25");
    HELP_POISON(orr_arange(ORR_BOOL, 0, 2, 1), ORR_EDTYPE, "bool");
    HELP_POISON(orr_linspace(ORR_I32, 0, 1, 3), ORR_EDTYPE, "float");
    HELP_POISON(orr_linspace(ORR_F32, 0, 1, -3), ORR_ESHAPE, "linspace");
    HELP_POISON(orr_eye(ORR_F32, -1, 2, 0), ORR_ESHAPE, "eye");
    (void)orr_scope_end(s);
}

static void views_reject_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x8 = orr_ones(ORR_F32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1));
    HELP_POISON(orr_cast(X23, (orr_dtype)50), ORR_EDTYPE, "cast: 50");
    HELP_POISON(orr_reshape(X23, ORR_SHAPE(7)), ORR_ESHAPE, "reshape: (2, 3) has 6 elements, which do not make (7,)");
    HELP_POISON(orr_reshape(X23, ORR_SHAPE(-1, -1)), ORR_ESHAPE, "more than one -1");
    HELP_POISON(orr_reshape(X23, ORR_SHAPE(-1, 4)), ORR_ESHAPE, "6 elements");
    HELP_POISON(orr_reshape(X23, ORR_SHAPE(-2, 3)), ORR_ESHAPE, "negative");
    HELP_POISON(orr_reshape(orr_zeros(ORR_F32, ORR_SHAPE(0)), ORR_SHAPE(-1, 0)), ORR_ESHAPE, "0 elements");
    HELP_POISON(orr_reshape(X23, ORR_SHAPE(HUGE_DIM, HUGE_DIM)), ORR_ESHAPE, "overflow");
    HELP_POISON(orr_reshape(X23, ((orr_shape){ 12, { 0 } })), ORR_ESHAPE, "rank 12");
    HELP_POISON(orr_permute(X23, ORR_AXES(0)), ORR_EAXIS, "permute: 1 axes");
    HELP_POISON(orr_permute(X23, ORR_AXES(0, 0)), ORR_EAXIS, "twice");
    HELP_POISON(orr_permute(X23, ORR_AXES(0, 2)), ORR_EAXIS, "(2, 3)");
    HELP_POISON(orr_permute(X23, ((orr_axes){ 100, { 0 } })), ORR_EAXIS, "100 axes");
    HELP_POISON(orr_transpose(orr_ones(ORR_F32, ORR_SHAPE(3))), ORR_ESHAPE, "transpose: shape (3,)");
    HELP_POISON(orr_broadcast_to(X23, ORR_SHAPE(2, 4)), ORR_ESHAPE, "(2, 3) does not broadcast to (2, 4)");
    HELP_POISON(orr_broadcast_to(X23, ORR_SHAPE(3)), ORR_ESHAPE, "broadcast");
    HELP_POISON(orr_broadcast_to(X23, ORR_SHAPE(-1, 3)), ORR_ESHAPE, "negative");
    HELP_POISON(orr_broadcast_to(orr_ones(ORR_F32, ORR_SHAPE(1, 1)), ORR_SHAPE(HUGE_DIM, HUGE_DIM)), ORR_ESHAPE,
                "overflow");
    HELP_POISON(orr_squeeze(X23, ORR_AXES(0)), ORR_ESHAPE, "axis 0 of (2, 3) is not of length 1");
    HELP_POISON(orr_squeeze(X23, ORR_AXES(2)), ORR_EAXIS, "squeeze");
    HELP_POISON(orr_expand_dims(X23, 3), ORR_EAXIS, "axis 3 is not in -3 to 2");
    HELP_POISON(orr_expand_dims(X23, INT_MIN), ORR_EAXIS, "expand_dims");
    HELP_POISON(orr_expand_dims(x8, 0), ORR_ESHAPE, "8 axes already");
    HELP_POISON(orr_slice(X23, ORR_INDEX(0), ORR_INDEX(1, 1), ORR_NO_INDEX), ORR_EINVAL, "slice: 1 starts, 2 stops");
    HELP_POISON(orr_slice(X23, ORR_INDEX(0, 0, 0), ORR_INDEX(1, 1, 1), ORR_NO_INDEX), ORR_EAXIS, "3 starts");
    HELP_POISON(orr_slice(X23, ORR_INDEX(0), ORR_INDEX(1), ORR_INDEX(0)), ORR_EINVAL, "the step of axis 0 is 0");
    HELP_POISON(orr_slice(X23, ((orr_index){ -1, { 0 } }), ((orr_index){ -1, { 0 } }), ORR_NO_INDEX), ORR_EAXIS,
                "-1 starts");
    HELP_POISON(orr_slice_axis(X23, 2, 0, 1, 1), ORR_EAXIS, "axis 2 is out of range for shape (2, 3)");
    HELP_POISON(orr_slice_axis(X23, 0, 0, 1, 0), ORR_EINVAL, "step");
    HELP_POISON(orr_select(X23, 1, 3), ORR_EINDEX, "index 3 is out of range for axis 1 of (2, 3)");
    HELP_POISON(orr_select(X23, 1, -4), ORR_EINDEX, "-4");
    HELP_POISON(orr_select(X23, 1, INT64_MIN), ORR_EINDEX, "select");
    HELP_POISON(orr_select(orr_scalar(1), 0, 0), ORR_EAXIS, "select");
    HELP_POISON(orr_flip(X23, ORR_AXES(-3)), ORR_EAXIS, "flip");
    (void)orr_scope_end(s);
}

static void reductions_reject_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *none = orr_zeros(ORR_F32, ORR_SHAPE(2, 0));
    HELP_POISON(orr_sum(X23, ORR_AXES(2), false), ORR_EAXIS, "sum: axis 2 is out of range for shape (2, 3)");
    HELP_POISON(orr_prod(X23, ORR_AXES(0, -2), false), ORR_EAXIS,
                "prod: axis 0 is there twice, as 0 and -2, for shape (2, 3)");
    HELP_POISON(orr_any(X23, ((orr_axes){ 9, { 0 } }), false), ORR_EAXIS, "any");
    HELP_POISON(orr_max(none, ORR_AXES(1), false), ORR_ESHAPE,
                "max: shape (2, 0): the reduced axes have no elements, so the result is undefined");
    HELP_POISON(orr_min(none, ORR_ALL_AXES, false), ORR_ESHAPE, "min");
    HELP_POISON(orr_argmax(none, 1, false), ORR_ESHAPE, "argmax");
    HELP_POISON(orr_argmin(none, ORR_FLAT, false), ORR_ESHAPE, "argmin");
    HELP_POISON(orr_argmax(X23, 2, false), ORR_EAXIS, "argmax");
    HELP_POISON(orr_mean(I3, ORR_ALL_AXES, false), ORR_EDTYPE,
                "mean: x is int64, and a float dtype is needed: write orr_cast(x, ORR_F32)");
    HELP_POISON(orr_var(I3, ORR_ALL_AXES, 0, false), ORR_EDTYPE, "var");
    HELP_POISON(orr_std(X23, ORR_AXES(7), 0, false), ORR_EAXIS, "std");
    HELP_POISON(orr_norm(B3, ORR_ALL_AXES, false), ORR_EDTYPE, "norm: x is bool");
    HELP_POISON(orr_logsumexp(I3, ORR_ALL_AXES, false), ORR_EDTYPE, "logsumexp");
    (void)orr_scope_end(s);
}

static void powers_of_integers_reject_a_negative_constant(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *minus = orr_full(ORR_I64, ORR_SHAPE(3), -2);
    HELP_POISON(orr_pow(I3, orr_scalar(-1)), ORR_EINVAL, "pow: integers have no negative powers");
    HELP_POISON(orr_pow(I3, minus), ORR_EINVAL, "write orr_cast(x, ORR_F64)");
    HELP_POISON(orr_pow(orr_scalar(2), minus), ORR_EINVAL, "pow");
    ORR_CHECK(orr_tensor_status(orr_pow(I3, orr_scalar(0))) == ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_pow(X23, orr_scalar(-1))) == ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_pow(orr_scalar(2), orr_scalar(-1))) == ORR_OK);
    (void)orr_scope_end(s);
}

static void matmul_rejects_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_ones(ORR_F32, ORR_SHAPE(128, 784)), *b = orr_ones(ORR_F32, ORR_SHAPE(748, 10));
    HELP_POISON(orr_matmul(a, b), ORR_ESHAPE, "matmul: inner dimensions differ: (128, 784) · (748, 10)");
    HELP_POISON(orr_matmul(X23, orr_ones(ORR_F32, ORR_SHAPE(2))), ORR_ESHAPE, "inner dimensions differ: (2, 3) · (2,)");
    HELP_POISON(orr_matmul(X23, orr_ones(ORR_F32, ORR_SHAPE_0D)), ORR_ESHAPE, "an axis at least");
    HELP_POISON(orr_matmul(orr_scalar(2), X23), ORR_ESHAPE, "an axis at least");
    HELP_POISON(orr_matmul(orr_ones(ORR_F32, ORR_SHAPE(2, 3, 3)), orr_ones(ORR_F32, ORR_SHAPE(4, 3, 3))), ORR_ESHAPE,
                "batch dimensions do not broadcast");
    HELP_POISON(orr_matmul(B3, B3), ORR_EDTYPE, "bool");
    HELP_POISON(orr_matmul(orr_ones(ORR_I64, ORR_SHAPE(3)), orr_ones(ORR_F32, ORR_SHAPE(3))), ORR_EDTYPE,
                "int64 and float32");
    HELP_POISON(orr_matmul(orr_zeros(ORR_F32, ORR_SHAPE(HUGE_DIM, 0)), orr_zeros(ORR_F32, ORR_SHAPE(0, HUGE_DIM))),
                ORR_ESHAPE, "overflow");
    HELP_POISON(orr_matmul(orr_zeros(ORR_I8, ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), orr_zeros(ORR_I8, ORR_SHAPE(1))),
                ORR_ESHAPE, "5 batch axes");
    (void)orr_scope_end(s);
}

static void indexing_rejects_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x8 = orr_ones(ORR_F32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), *i22 = orr_zeros(ORR_I32, ORR_SHAPE(2, 2));
    HELP_POISON(orr_take(X23, I3, 2), ORR_EAXIS, "take: axis 2 is out of range for shape (2, 3)");
    HELP_POISON(orr_take(X23, X23, 0), ORR_EDTYPE, "indices are float32, and integers are needed");
    HELP_POISON(orr_take(X23, B3, 0), ORR_EDTYPE, "indices are bool");
    HELP_POISON(orr_take(x8, i22, 0), ORR_ESHAPE, "more than 8 axes");
    HELP_POISON(orr_take(orr_scalar(1), I3, 0), ORR_EAXIS, "take");
    HELP_POISON(orr_scatter_add(X23, I3, X45, 0), ORR_ESHAPE, "updates of shape (4, 5) do not broadcast to (3, 3)");
    HELP_POISON(orr_scatter_add(X23, X23, X45, 0), ORR_EDTYPE, "scatter_add: indices");
    HELP_POISON(orr_scatter_add(X23, I3, I3, 0), ORR_EDTYPE, "float32 and int64 have no common dtype");
    HELP_POISON(orr_scatter_add(B3, I3, B3, 0), ORR_EDTYPE, "bool does not add");
    HELP_POISON(orr_one_hot(X23, 3, ORR_F32), ORR_EDTYPE, "one_hot");
    HELP_POISON(orr_one_hot(I3, -1, ORR_F32), ORR_ESHAPE, "one_hot: negative");
    HELP_POISON(orr_one_hot(I3, INT64_MAX / 2, ORR_F32), ORR_ESHAPE, "overflow");
    HELP_POISON(orr_one_hot(orr_cast(x8, ORR_I32), 2, ORR_F32), ORR_ESHAPE, "8 axes already");
    HELP_POISON(orr_tril(I3, 0), ORR_ESHAPE, "tril: shape (3,) has no two axes");
    HELP_POISON(orr_triu(orr_scalar(1), 0), ORR_ESHAPE, "triu");
    (void)orr_scope_end(s);
}

static void joining_rejects_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *both[2] = { X23, X45 }, *kinds[2] = { X23, orr_ones(ORR_I64, ORR_SHAPE(2, 3)) };
    orr_tensor *gap[2] = { X23, NULL };
    HELP_POISON(orr_concat(NULL, 2, 0), ORR_EINVAL, "concat: the list of tensors is NULL");
    HELP_POISON(orr_concat(both, 0, 0), ORR_EINVAL, "n is 0");
    HELP_POISON(orr_concat(both, -3, 0), ORR_EINVAL, "n is -3");
    HELP_POISON(orr_concat(both, 2, 0), ORR_ESHAPE, "operand 1 of shape (4, 5) does not join (2, 3) along axis 0");
    HELP_POISON(orr_concat(both, 2, 2), ORR_EAXIS, "axis 2");
    HELP_POISON(orr_concat(kinds, 2, 0), ORR_EDTYPE, "float32 and int64");
    HELP_POISON(orr_concat(gap, 2, 0), ORR_EINVAL, "operand 1 is NULL");
    HELP_POISON(orr_stack(both, 2, 0), ORR_ESHAPE, "stack: operand 1 has shape (4, 5)");
    HELP_POISON(orr_stack(both, 1, 4), ORR_EAXIS, "stack");
    HELP_POISON(orr_pad(X23, ORR_INDEX(-1), ORR_NO_INDEX, 0), ORR_EINVAL, "negative padding");
    HELP_POISON(orr_pad(X23, ORR_INDEX(0, 0, 0), ORR_NO_INDEX, 0), ORR_EAXIS, "pad");
    HELP_POISON(orr_pad(X23, ORR_INDEX(INT64_MAX), ORR_INDEX(1), 0), ORR_ESHAPE, "overflow");
    HELP_POISON(orr_pad(X23, ORR_INDEX(INT64_MAX / 2), ORR_NO_INDEX, 0), ORR_ESHAPE, "overflow");
    HELP_POISON(orr_pad(I3, ORR_INDEX(1), ORR_NO_INDEX, 0.5), ORR_EDTYPE, "0.5 is no value of int64");
    (void)orr_scope_end(s);
}

static void losses_and_random_reject_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    HELP_POISON(orr_softmax(I3, 0), ORR_EDTYPE, "softmax: x is int64");
    HELP_POISON(orr_softmax(X23, 2), ORR_EAXIS, "softmax");
    HELP_POISON(orr_log_softmax(orr_scalar(1), 0), ORR_EAXIS, "log_softmax");
    HELP_POISON(orr_cross_entropy(X23, X23), ORR_EDTYPE, "labels are float32");
    HELP_POISON(orr_cross_entropy(X23, I3), ORR_ESHAPE, "logits of shape (2, 3)");
    HELP_POISON(orr_cross_entropy(orr_scalar(1), orr_zeros(ORR_I64, ORR_SHAPE_0D)), ORR_ESHAPE, "cross_entropy");
    HELP_POISON(orr_mse(X23, X45), ORR_ESHAPE, "mse: shapes differ: (2, 3) and (4, 5)");
    HELP_POISON(orr_mse(I3, I3), ORR_EDTYPE, "mse");
    HELP_POISON(orr_rand(ORR_I32, ORR_SHAPE(2), 0, 1), ORR_EDTYPE, "rand: int32");
    HELP_POISON(orr_rand(ORR_F32, ORR_SHAPE(2), 1, 0), ORR_EINVAL, "rand");
    HELP_POISON(orr_rand(ORR_F32, ORR_SHAPE(-2), 0, 1), ORR_ESHAPE, "rand");
    HELP_POISON(orr_randn(ORR_F32, ORR_SHAPE(2), NAN, 1), ORR_EINVAL, "randn");
    HELP_POISON(orr_randn(ORR_F32, ORR_SHAPE(2), 0, -1), ORR_EINVAL, "randn");
    HELP_POISON(orr_randint(ORR_F32, ORR_SHAPE(2), 0, 1), ORR_EDTYPE, "randint");
    HELP_POISON(orr_randint(ORR_I32, ORR_SHAPE(2), 1, 1), ORR_EINVAL, "randint");
    HELP_POISON(orr_randint(ORR_U8, ORR_SHAPE(2), -1, 1), ORR_EDTYPE, "uint8 does not hold -1 to 0");
    HELP_POISON(orr_randint(ORR_I8, ORR_SHAPE(2), 0, 200), ORR_EDTYPE, "int8");
    HELP_POISON(orr_permutation(-1), ORR_ESHAPE, "permutation");
    HELP_POISON(orr_bernoulli(ORR_SHAPE(2), 1.5), ORR_EINVAL, "1.5 is no probability");
    HELP_POISON(orr_bernoulli(ORR_SHAPE(2), NAN), ORR_EINVAL, "bernoulli");
    (void)orr_scope_end(s);
}

static void gradients_reject_bad_input(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = X23, *g = NULL, *ints = I3, *null = NULL;
    ORR_CHECK(orr_grad(NULL, &x, 1, &g) == ORR_EINVAL && orr_tensor_status(g) == ORR_EINVAL);
    ORR_CHECK(orr_grad(x, &null, 1, &g) == ORR_EINVAL && orr_tensor_status(g) == ORR_EINVAL);
    ORR_CHECK(strstr(orr_error_message(), "grad: x[0] is NULL") != NULL);
    ORR_CHECK(orr_grad(x, NULL, 1, &g) == ORR_EINVAL);
    ORR_CHECK(orr_grad(x, &x, 1, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_grad(x, &x, -1, &g) == ORR_EINVAL);
    ORR_CHECK(orr_grad(x, &ints, 1, &g) == ORR_EDTYPE && orr_tensor_status(g) == ORR_EDTYPE);
    ORR_CHECK(orr_grad(ints, &x, 1, &g) == ORR_EDTYPE);
    ORR_CHECK(orr_grad(orr_transpose(orr_scalar(1)), &x, 1, &g) == ORR_ESHAPE);
    ORR_CHECK(orr_vjp(x, X45, &x, 1, &g) == ORR_ESHAPE && orr_tensor_status(g) == ORR_ESHAPE);
    ORR_CHECK(orr_vjp(x, orr_ones(ORR_F64, ORR_SHAPE(2, 3)), &x, 1, &g) == ORR_EDTYPE);
    ORR_CHECK(orr_grad(x, NULL, 0, NULL) == ORR_OK);
    HELP_POISON(orr_detach(NULL), ORR_EINVAL, "detach: t is NULL");
    (void)orr_scope_end(s);
}

/* Every op that reads a tensor, with an invalid one. */
enum { SINGLE = 24, SEVERAL = 20 };

static void ops_on_one(orr_tensor *b, orr_tensor **t)
{
    *t++ = orr_cast(b, ORR_F32);
    *t++ = orr_reshape(b, ORR_SHAPE(6));
    *t++ = orr_permute(b, ORR_ALL_AXES);
    *t++ = orr_transpose(b);
    *t++ = orr_broadcast_to(b, ORR_SHAPE(6));
    *t++ = orr_squeeze(b, ORR_ALL_AXES);
    *t++ = orr_expand_dims(b, 0);
    *t++ = orr_slice(b, ORR_INDEX(0), ORR_INDEX(1), ORR_NO_INDEX);
    *t++ = orr_slice_axis(b, 0, 0, 1, 1);
    *t++ = orr_select(b, 0, 0);
    *t++ = orr_flip(b, ORR_ALL_AXES);
    *t++ = orr_sum(b, ORR_ALL_AXES, true);
    *t++ = orr_prod(b, ORR_ALL_AXES, true);
    *t++ = orr_mean(b, ORR_ALL_AXES, true);
    *t++ = orr_var(b, ORR_ALL_AXES, 0, true);
    *t++ = orr_std(b, ORR_ALL_AXES, 0, true);
    *t++ = orr_norm(b, ORR_ALL_AXES, true);
    *t++ = orr_logsumexp(b, ORR_ALL_AXES, true);
    *t++ = orr_min(b, ORR_ALL_AXES, true);
    *t++ = orr_max(b, ORR_ALL_AXES, true);
    *t++ = orr_any(b, ORR_ALL_AXES, true);
    *t++ = orr_all(b, ORR_ALL_AXES, true);
    *t++ = orr_argmax(b, 0, true);
    *t++ = orr_argmin(b, 0, true);
}

static void ops_on_several(orr_tensor *b, orr_tensor **t)
{
    orr_tensor *x = X23, *i = I3;
    *t++ = orr_matmul(b, x);
    *t++ = orr_matmul(x, b);
    *t++ = orr_take(b, i, 0);
    *t++ = orr_take(x, b, 0);
    *t++ = orr_scatter_add(b, i, x, 0);
    *t++ = orr_scatter_add(x, b, x, 0);
    *t++ = orr_scatter_add(x, i, b, 0);
    *t++ = orr_one_hot(b, 3, ORR_F32);
    *t++ = orr_tril(b, 0);
    *t++ = orr_triu(b, 0);
    *t++ = orr_concat(&b, 1, 0);
    *t++ = orr_stack(&b, 1, 0);
    *t++ = orr_pad(b, ORR_NO_INDEX, ORR_NO_INDEX, 0);
    *t++ = orr_softmax(b, 0);
    *t++ = orr_log_softmax(b, 0);
    *t++ = orr_cross_entropy(b, i);
    *t++ = orr_cross_entropy(x, b);
    *t++ = orr_mse(b, x);
    *t++ = orr_mse(x, b);
    *t++ = orr_detach(b);
}

static void every_op_takes_null_and_stale_tensors(void)
{
    orr_scope *inner = orr_scope_begin();
    orr_tensor *stale = X23;
    (void)orr_scope_end(inner);
    orr_tensor *bad[] = { NULL, stale, (orr_tensor *)(uintptr_t)0xdeadbeefcafe };
    for (int k = 0; k < 3; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t[SINGLE + SEVERAL];
        ops_on_one(bad[k], t);
        ops_on_several(bad[k], t + SINGLE);
        for (int n = 0; n < SINGLE + SEVERAL; n++)
            ORR_CHECK_MSG(orr_tensor_status(t[n]) == (k ? ORR_EHANDLE : ORR_EINVAL), "op %d on bad tensor %d: %s", n, k,
                          orr_status_name(orr_tensor_status(t[n])));
        (void)orr_scope_end(s);
    }
}

static void poison_travels_with_its_first_message(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_matmul(X23, X45);
    int line = __LINE__ - 1;
    orr_error_clear();
    orr_tensor *y = orr_softmax(orr_mean(orr_concat(ORR_TENSORS(orr_add(p, X23), X23), 0), ORR_AXES(9), false), 4);
    float v[6];
    char place[32];
    snprintf(place, sizeof place, ":%d: matmul: inner", line);
    ORR_CHECK(orr_tensor_status(y) == ORR_ESHAPE);
    ORR_CHECK(orr_read(y, v, sizeof v) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), place) != NULL, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(creation_rejects_bad_input),
                                      ORR_TEST(views_reject_bad_input),
                                      ORR_TEST(reductions_reject_bad_input),
                                      ORR_TEST(powers_of_integers_reject_a_negative_constant),
                                      ORR_TEST(matmul_rejects_bad_input),
                                      ORR_TEST(indexing_rejects_bad_input),
                                      ORR_TEST(joining_rejects_bad_input),
                                      ORR_TEST(losses_and_random_reject_bad_input),
                                      ORR_TEST(gradients_reject_bad_input),
                                      ORR_TEST(every_op_takes_null_and_stale_tensors),
                                      ORR_TEST(poison_travels_with_its_first_message),
                                      { 0 } };
    return help_main(argc, argv, "ops.errors", tests);
}
