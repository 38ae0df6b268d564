/* Recording of element-wise rows: dtypes, shapes, weak scalars, messages; the resulting graph.
 * Must not know: evaluation. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include <orrery/tensor.h>
#include "ops/ew_id.h"
#include "ops/ops.h"
#include "runtime/base/clock.h"
#include "tests/harness/harness.h"

static const int64_t zeros[64];

static orr_tensor *of(orr_dtype t, orr_shape s)
{
    return orr_from(t, s, zeros);
}

static bool is(orr_tensor *t, orr_dtype d, orr_shape want)
{
    orr_shape s = orr_tensor_shape(t);
    bool ok = orr_tensor_dtype(t) == d && orr__shape_equal(&s, &want);
    if (!ok)
        printf("    %s %s; %s\n", orr_dtype_name(orr_tensor_dtype(t)), orr__str(s).s, orr_error_message());
    return ok;
}

/* Checks that expr is a poison with this status whose message ends in `text` and names this line. */
#define REFUSES(expr, status, text)                                                                                    \
    do {                                                                                                               \
        char where_[64];                                                                                               \
        orr_error_clear();                                                                                             \
        orr_tensor *t_ = (expr);                                                                                       \
        (void)snprintf(where_, sizeof where_, "tests/ops/elementwise_record.c:%d: ", __LINE__);                        \
        ORR_CHECK_MSG(orr_tensor_status(t_) == (status), "%s", orr_error_message());                                   \
        ORR_CHECK_MSG(strstr(orr_error_message(), where_) && strstr(orr_error_message(), (text)), "%s",                \
                      orr_error_message());                                                                            \
    } while (0)

static void operands_promote_and_broadcast(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(3, 1)), *b = of(ORR_F64, ORR_SHAPE(4)), *c = of(ORR_BOOL, ORR_SHAPE_0D);
    ORR_CHECK(is(orr_add(a, b), ORR_F64, ORR_SHAPE(3, 4)));
    ORR_CHECK(is(orr_add(a, a), ORR_F32, ORR_SHAPE(3, 1)));
    ORR_CHECK(is(orr_less(a, b), ORR_BOOL, ORR_SHAPE(3, 4)));
    ORR_CHECK(is(orr_where(c, a, b), ORR_F64, ORR_SHAPE(3, 4)));
    ORR_CHECK(is(orr_add(of(ORR_I8, ORR_SHAPE_0D), of(ORR_U8, ORR_SHAPE_0D)), ORR_I16, ORR_SHAPE_0D));
    ORR_CHECK(is(orr_fma(a, b, a), ORR_F64, ORR_SHAPE(3, 4)));
    ORR_CHECK(is(orr_add(of(ORR_F32, ORR_SHAPE(0, 1)), of(ORR_F32, ORR_SHAPE(5))), ORR_F32, ORR_SHAPE(0, 5)));
    ORR_CHECK(is(orr_exp(of(ORR_F16, ORR_SHAPE(2))), ORR_F16, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_isnan(of(ORR_I32, ORR_SHAPE(2))), ORR_BOOL, ORR_SHAPE(2)));
    (void)orr_scope_end(s);
}

static void weak_scalars_take_the_other_dtype(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *h = of(ORR_F16, ORR_SHAPE(2)), *i = of(ORR_U8, ORR_SHAPE(2)), *b = of(ORR_BOOL, ORR_SHAPE(2));
    ORR_CHECK(is(orr_mul(h, orr_scalar(0.1)), ORR_F16, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_mul(orr_scalar(255), i), ORR_U8, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_equal(b, orr_scalar(1)), ORR_BOOL, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_where(b, h, orr_scalar(0)), ORR_F16, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_where(b, orr_scalar(1), orr_scalar(0)), ORR_F64, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_clip(i, orr_scalar(1), orr_scalar(7)), ORR_U8, ORR_SHAPE(2)));
    ORR_CHECK(is(orr_add(orr_scalar(1), orr_scalar(2)), ORR_F64, ORR_SHAPE_0D));
    ORR_CHECK(is(orr_mul(h, orr_add(orr_scalar(1), orr_scalar(2))), ORR_F16, ORR_SHAPE(2)));
    orr__node *n = orr__handle_node(orr_mul(h, orr_scalar(0.1)));
    ORR_CHECK(n->op->id == ORR__EW_mul && n->in[1]->op == &orr__op_const && n->in[1]->dtype == ORR_F16);
    ORR_CHECK(n->in[1]->s[0].f == (double)orr__f16_to_f32(orr__f64_to_f16(0.1)) && n->in[1]->shape.rank == 1);
    REFUSES(orr_add(i, orr_scalar(0.5)), ORR_EDTYPE,
            "add: the scalar 0.5 is no value of uint8; write orr_cast(x, ORR_F32)");
    REFUSES(orr_add(i, orr_scalar(256)), ORR_EDTYPE, "add: the scalar 256 is no value of uint8");
    REFUSES(orr_add(i, orr_scalar(-1)), ORR_EDTYPE, "no value of uint8");
    REFUSES(orr_add(of(ORR_I64, ORR_SHAPE_0D), orr_scalar(0x1p63)), ORR_EDTYPE, "no value of int64");
    REFUSES(orr_add(i, orr_scalar(0.0 / 0.0)), ORR_EDTYPE, "no value of uint8");
    REFUSES(orr_equal(b, orr_scalar(2)), ORR_EDTYPE, "no value of bool");
    (void)orr_scope_end(s);
}

static void undefined_promotion_names_the_cast(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *i = of(ORR_I32, ORR_SHAPE(2)), *f = of(ORR_F32, ORR_SHAPE(2)), *b = of(ORR_BOOL, ORR_SHAPE(2));
    REFUSES(orr_add(i, f), ORR_EDTYPE, "add: int32 and float32 do not promote; write orr_cast(x, ORR_F32)");
    REFUSES(orr_add(f, i), ORR_EDTYPE, "float32 and int32 do not promote; write orr_cast(y, ORR_F32)");
    REFUSES(orr_mul(b, f), ORR_EDTYPE, "bool and float32 do not promote; write orr_cast(x, ORR_F32)");
    REFUSES(orr_mul(i, b), ORR_EDTYPE, "int32 and bool do not promote; write orr_cast(y, ORR_I32)");
    REFUSES(orr_add(of(ORR_U64, ORR_SHAPE_0D), of(ORR_I8, ORR_SHAPE_0D)), ORR_EDTYPE, "write orr_cast(x, ORR_I64)");
    REFUSES(orr_add(of(ORR_F16, ORR_SHAPE_0D), of(ORR_BF16, ORR_SHAPE_0D)), ORR_EDTYPE, "write orr_cast(x, ORR_F32)");
    REFUSES(orr_where(b, f, i), ORR_EDTYPE, "write orr_cast(z, ORR_F32)");
    (void)orr_scope_end(s);
}

static void wrong_dtypes_name_the_cast(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *i = of(ORR_I32, ORR_SHAPE(2)), *f = of(ORR_F32, ORR_SHAPE(2)), *b = of(ORR_BOOL, ORR_SHAPE(2));
    REFUSES(orr_exp(i), ORR_EDTYPE, "exp: needs a float dtype, not int32; write orr_cast(x, ORR_F32)");
    REFUSES(orr_div(i, i), ORR_EDTYPE, "div: needs a float dtype, not int32");
    REFUSES(orr_add(b, b), ORR_EDTYPE, "add: needs a numeric dtype, not bool");
    REFUSES(orr_bitwise_and(f, f), ORR_EDTYPE, "needs integers or bool, not float32; write orr_cast(x, ORR_I32)");
    REFUSES(orr_logical_not(i), ORR_EDTYPE, "needs bool, not int32; write orr_cast(x, ORR_BOOL)");
    REFUSES(orr_where(i, f, f), ORR_EDTYPE, "where: the condition x is int32; write orr_cast(x, ORR_BOOL)");
    REFUSES(orr_nextafter(of(ORR_F16, ORR_SHAPE_0D), of(ORR_F16, ORR_SHAPE_0D)), ORR_EDTYPE, "float32 or float64");
    (void)orr_scope_end(s);
}

static void shapes_that_do_not_fit_are_both_named(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(2, 3)), *b = of(ORR_F32, ORR_SHAPE(4));
    REFUSES(orr_sub(a, b), ORR_ESHAPE, "sub: shapes (2, 3) and (4,) do not broadcast");
    REFUSES(orr_clip(a, a, b), ORR_ESHAPE, "clip: shapes (2, 3) and (4,) do not broadcast");
    (void)orr_scope_end(s);
}

static void null_and_stale_operands_are_named(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(2)), *b = of(ORR_F32, ORR_SHAPE(2));
    (void)orr_free(b);
    REFUSES(orr_add(a, NULL), ORR_EINVAL, "add: y is NULL");
    REFUSES(orr_exp(NULL), ORR_EINVAL, "exp: x is NULL");
    REFUSES(orr_add(b, a), ORR_EHANDLE, "x ");
    (void)orr_scope_end(s);
}

static void poison_passes_through_unchanged(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(2)), *bad = orr_exp(NULL);
    ORR_CHECK(orr_tensor_status(orr_tanh(orr_add(a, orr_mul(bad, a)))) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

static void equal_operands_cost_one_node(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(2, 3)), *b = of(ORR_F32, ORR_SHAPE(2, 3)), *row = of(ORR_F32, ORR_SHAPE(3));
    orr__node *n = orr__handle_node(orr_add(a, b));
    ORR_CHECK(n->in[0] == orr__handle_node(a) && n->in[1] == orr__handle_node(b));
    n = orr__handle_node(orr_add(a, row));
    ORR_CHECK(n->in[0] == orr__handle_node(a) && n->in[1]->op == &orr__op_broadcast);
    n = orr__handle_node(orr_add(a, of(ORR_F64, ORR_SHAPE(3))));
    ORR_CHECK(n->in[0]->op == &orr__op_cast && n->in[1]->op == &orr__op_broadcast);
    (void)orr_scope_end(s);
}

static void cotangents_have_the_operands_dtype_and_shape(void)
{
    orr__site at = ORR__SITE(__FILE__, __LINE__, "grad");
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        orr_scope *s = orr_scope_begin();
        for (int k = 0; k < row->arity; k++) {
            orr_tensor *t = of(ORR_F32, ORR_SHAPE(2, 3)), *c = of(ORR_BOOL, ORR_SHAPE(2, 3));
            orr_tensor *g =
                orr__ew_vjp(at, row, k, row->cond ? c : t, row->arity > 1 ? t : NULL, row->arity > 2 ? t : NULL, t, t);
            ORR_CHECK_MSG((g == NULL) == !row->deriv[k][0], "%s", row->op.name);
            ORR_CHECK_MSG(!g || (g != t && is(g, ORR_F32, ORR_SHAPE(2, 3))), "%s: %s", row->op.name,
                          orr_error_message());
        }
        (void)orr_scope_end(s);
    }
}

static void recording_is_fast(void)
{
    double best = 1;
    orr_tensor *a = of(ORR_F32, ORR_SHAPE(2, 3));
    for (int rep = 0; rep < 20; rep++) {
        orr_scope *s = orr_scope_begin();
        double t0 = orr__now();
        orr_tensor *x = a;
        for (int i = 0; i < 1000; i++)
            x = orr_add(x, a);
        double t = (orr__now() - t0) / 1000;
        best = t < best ? t : best;
        (void)orr_scope_end(s);
    }
    (void)orr_free(a);
    printf("    %.0f ns a node\n", best * 1e9);
    ORR_CHECK_MSG(best < 20e-6, "%.0f ns a node", best * 1e9); /* holds with sanitizers and on busy machines, too */
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(operands_promote_and_broadcast),
                                      ORR_TEST(weak_scalars_take_the_other_dtype),
                                      ORR_TEST(undefined_promotion_names_the_cast),
                                      ORR_TEST(wrong_dtypes_name_the_cast),
                                      ORR_TEST(shapes_that_do_not_fit_are_both_named),
                                      ORR_TEST(null_and_stale_operands_are_named),
                                      ORR_TEST(poison_passes_through_unchanged),
                                      ORR_TEST(equal_operands_cost_one_node),
                                      ORR_TEST(cotangents_have_the_operands_dtype_and_shape),
                                      ORR_TEST(recording_is_fast),
                                      { 0 } };
    return orr_test_main(argc, argv, "ops.elementwise_record", tests);
}
