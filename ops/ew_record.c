/* Records element-wise rows: weak scalars, promotion, casts, broadcasts, the checks; and the public functions.
 * Must not know: the computation of values. */
#include "config.h"

#include <orrery/elementwise.h>
#include "ops/ew_id.h"
#include "ops/ew_record.h"
#include "ops/ops.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"

static const char *const operand_names[3] = { "x", "y", "z" };

/* The dtype's name as written in orr_cast. */
static const char *const constant[ORR_DTYPE_COUNT] = {
    "ORR_BOOL", "ORR_I8",   "ORR_I16", "ORR_I32", "ORR_I64", "ORR_U8",   "ORR_U16",   "ORR_U32",   "ORR_U64",
    "ORR_F16",  "ORR_BF16", "ORR_F32", "ORR_F64", "ORR_C64", "ORR_C128", "ORR_FR254", "ORR_FQ254",
};

/* The dtype to suggest if a and b have no promotion. *second: true if b should be cast to it. */
static orr_dtype common_dtype(orr_dtype a, orr_dtype b, bool *second)
{
    *second = false;
    if (orr__is_half(a) && orr__is_half(b))
        return ORR_F32;
    if (orr__is_complex(a) || orr__is_complex(b)) {
        *second = orr__is_complex(a);
        return *second ? a : b;
    }
    if (orr__is_float(a) || orr__is_float(b)) {
        *second = orr__is_float(a);
        return *second ? a : b;
    }
    if (a == ORR_BOOL || b == ORR_BOOL) {
        *second = b == ORR_BOOL;
        return *second ? a : b;
    }
    *second = orr__is_unsigned(b); /* uint64 with a signed one */
    return ORR_I64;
}

const char *orr__cast_words(orr_dtype a, orr_dtype b, orr_dtype *from)
{
    bool second;
    orr_dtype to = common_dtype(a, b, &second);
    *from = second ? b : a;
    return constant[to];
}

static bool promote(orr__site at, int first, int n, orr__node *const *node, orr_dtype *out)
{
    int i, j;
    bool second;
    if (orr__common_dtype(n - first, node + first, out, &i, &j))
        return true;
    orr_dtype d = (orr_dtype)node[first + j]->dtype;
    if (orr__is_field(*out) || orr__is_field(d)) {
        (void)orr__fail(at, ORR_EDTYPE,
                        "%s and %s do not promote: both operands must be of the same field, or one of them an "
                        "orr_scalar",
                        orr_dtype_name(*out), orr_dtype_name(d));
        return false;
    }
    orr_dtype to = common_dtype(*out, d, &second);
    (void)orr__fail(at, ORR_EDTYPE, "%s and %s do not promote; write orr_cast(%s, %s)", orr_dtype_name(*out),
                    orr_dtype_name(d), operand_names[first + (second ? j : i)], constant[to]);
    return false;
}

static const char *type_words(unsigned types)
{
    switch (types & ~(unsigned)(ORR__TCOMPLEX | ORR__TFIELD)) {
    case ORR__TFLOAT: return "a float dtype";
    case ORR__TWIDE: return "float32 or float64";
    case ORR__TINT: return "integers";
    case ORR__TBOOL: return "bool";
    case ORR__TINTBOOL: return "integers or bool";
    default: return "a numeric dtype";
    }
}

static bool takes(orr__site at, const orr__ewrow *row, orr_dtype t)
{
    if (orr__ew_takes(row, t))
        return true;
    if (orr__is_field(t)) {
        (void)orr__fail(at, ORR_EDTYPE, "needs %s, not %s: orrery/field.h lists the operations on fields",
                        type_words(row->types), orr_dtype_name(t));
        return false;
    }
    if (orr__is_complex(t)) {
        (void)orr__fail(at, ORR_EDTYPE, "needs %s, not %s; write orr_real(x), orr_imag(x) or orr_abs(x)",
                        type_words(row->types), orr_dtype_name(t));
        return false;
    }
    orr_dtype to = row->types & (ORR__TFLOAT | ORR__TWIDE) ? ORR_F32 : row->types & ORR__TINT ? ORR_I32 : ORR_BOOL;
    (void)orr__fail(at, ORR_EDTYPE, "needs %s, not %s; write orr_cast(x, %s)", type_words(row->types),
                    orr_dtype_name(t), constant[to]);
    return false;
}

static bool broadcast(orr__site at, int n, orr__node *const *node, orr_shape *out)
{
    *out = node[0]->shape;
    for (int i = 1; i < n; i++) {
        orr_shape s = *out;
        if (orr__shape_equal(&s, &node[i]->shape) || orr__shape_broadcast(&s, &node[i]->shape, out))
            continue;
        (void)orr__fail(at, ORR_ESHAPE, "shapes %s and %s do not broadcast", orr__str(s).s, orr__str(node[i]->shape).s);
        return false;
    }
    return true;
}

/* The value of a weak scalar as dtype; of a complex one, its real part. */
static bool strong(orr__site at, const orr__node *n, orr_dtype dtype, orr__scalar *v)
{
    ORR__IN_DEFAULT_FPMODE;
    const orr_dtype asked = dtype;
    if (!orr__weak_kind_fits(at, n, dtype))
        return false;
    dtype = orr__constant_dtype(dtype);
    bool whole = !orr__is_float(dtype);
    double f = n->s[0].f;
    if (!whole || orr__scalar_fits(f, dtype)) {
        *v = !whole                  ? orr__scalar_cast(n->s[0], ORR_F64, dtype)
             : orr__is_signed(dtype) ? (orr__scalar){ .i = (int64_t)f }
                                     : (orr__scalar){ .u = (uint64_t)f };
        return true;
    }
    if (orr__is_field(asked)) {
        (void)orr__fail(at, ORR_EDTYPE,
                        "the scalar %.17g is no integer of 64 bits, as beside %s; write orr_field_parse", f,
                        orr_dtype_name(asked));
        return false;
    }
    (void)orr__fail(at, ORR_EDTYPE, "the scalar %.17g is no value of %s; write orr_cast(x, %s)", f,
                    orr_dtype_name(dtype), dtype == ORR_BOOL ? "ORR_I32" : "ORR_F32");
    return false;
}

bool orr__scalar_fits(double f, orr_dtype t)
{
    static const struct {
        double low, end;
    } range[] = {
        /* low ≤ f < end */
        [ORR_BOOL] = { 0, 2 },           [ORR_I8] = { -0x1p7, 0x1p7 },    [ORR_I16] = { -0x1p15, 0x1p15 },
        [ORR_I32] = { -0x1p31, 0x1p31 }, [ORR_I64] = { -0x1p63, 0x1p63 }, [ORR_U8] = { 0, 0x1p8 },
        [ORR_U16] = { 0, 0x1p16 },       [ORR_U32] = { 0, 0x1p32 },       [ORR_U64] = { 0, 0x1p64 },
    };
    if (orr__is_inexact(t))
        return true;
    if (!(f >= range[t].low && f < range[t].end))
        return false;
    return f < 0 ? f == (double)(int64_t)f : f == (double)(uint64_t)f;
}

/* Returns a new reference to `n` in this dtype and shape. NULL: last error set. */
static orr__node *operand(orr__site at, orr__node *n, orr_dtype dtype, const orr_shape *shape)
{
    orr__scalar v;
    if (n->weak)
        return strong(at, n, dtype, &v) ? orr__rec_weak(at, n, dtype, shape, v) : NULL;
    n = orr__node_ref(n);
    if ((orr_dtype)n->dtype != dtype)
        n = orr__rec_cast(at, n, dtype);
    return orr__rec_broadcast(at, n, shape);
}

/* All operands are weak real numbers: the result is weak too, and is computed now, in f64. A truth value has the dtype bool. */
static orr__node *fold(orr__site at, const orr__ewrow *row, orr__node *const *node)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__scalar v[3] = { { 0 }, { 0 }, { 0 } };
    for (int i = 0; i < row->arity; i++)
        v[i] = node[i]->s[0];
    if (!takes(at, row, ORR_F64) || (row->cond && !strong(at, node[0], ORR_BOOL, &v[0])))
        return NULL;
    orr__scalar r = orr__ew_eval(row, ORR_F64, v[0], v[1], v[2]);
    orr__node *n = orr__rec_const(at, row->to_bool ? ORR_BOOL : ORR_F64, &node[0]->shape, r);
    if (n)
        n->weak = !row->to_bool;
    return n;
}

bool orr__ew_floats(orr__site at, int n, orr__node *const *node, orr__node **in)
{
    static const orr__ewrow any = { .types = ORR__TFLOAT };
    orr_dtype dtype;
    orr_shape shape;
    if (!promote(at, 0, n, node, &dtype) || !takes(at, &any, dtype) || !broadcast(at, n, node, &shape))
        return false;
    for (int i = 0; i < n; i++)
        if (!(in[i] = operand(at, node[i], dtype, &shape))) {
            while (i-- > 0)
                orr__node_unref(in[i]);
            return false;
        }
    return true;
}

static orr__node *general(orr__site at, const orr__ewrow *row, orr__node *const *node)
{
    int n = row->arity, real = 0, first = row->cond ? 1 : 0;
    orr__node *in[3] = { NULL, NULL, NULL };
    orr_dtype dtype;
    orr_shape shape;
    for (int i = 0; i < n; i++)
        real += node[i]->weak == ORR__WEAK_REAL;
    if (real == n && row->result != ORR__EW_PAIR)
        return fold(at, row, node);
    if (row->cond && !node[0]->weak && node[0]->dtype != ORR_BOOL) {
        (void)orr__fail(at, ORR_EDTYPE, "the condition x is %s; write orr_cast(x, ORR_BOOL)",
                        orr_dtype_name((orr_dtype)node[0]->dtype));
        return NULL;
    }
    if (!promote(at, first, n, node, &dtype) || !takes(at, row, dtype) || !broadcast(at, n, node, &shape))
        return NULL;
    for (int i = 0; i < n; i++)
        if (!(in[i] = operand(at, node[i], i < first ? ORR_BOOL : dtype, &shape)))
            break;
    return orr__node_of(at, &row->op, orr__ew_result(row, dtype), &shape, n, in);
}

/* A frequent case: a real number and a tensor, which determines dtype and shape. */
static orr__node *beside_number(orr__site at, const orr__ewrow *row, orr__node *const *node)
{
    int k = node[0]->weak ? 1 : 0;
    const orr__node *x = node[k];
    orr_dtype dtype = (orr_dtype)x->dtype;
    orr__node *in[2] = { NULL, NULL };
    if (!takes(at, row, dtype) || !(in[1 - k] = operand(at, node[1 - k], dtype, &x->shape)))
        return NULL;
    in[k] = orr__node_ref(node[k]);
    return orr__node_of(at, &row->op, orr__ew_result(row, dtype), &x->shape, 2, in);
}

/* The usual case: nothing to convert. */
static bool fits(const orr__ewrow *row, orr__node *const *node)
{
    const orr__node *last = node[row->arity - 1];
    for (int i = 0; i < row->arity; i++) {
        int want = i == 0 && row->cond ? ORR_BOOL : last->dtype;
        if (node[i]->weak || node[i]->dtype != want)
            return false;
        if (node[i] != last && !orr__shape_equal(&node[i]->shape, &last->shape))
            return false;
    }
    return orr__ew_takes(row, (orr_dtype)last->dtype);
}

/* False: the power of integers has an exponent that is known and negative, so its value is none of its dtype. */
static bool power_fits(orr__site at, orr__node *const *node)
{
    const orr__node *x = node[0], *y = node[1];
    bool integers = (x->weak || !orr__is_inexact((orr_dtype)x->dtype)) && !(x->weak && y->weak);
    if (!integers || y->op != &orr__op_const || (!y->weak && !orr__is_signed((orr_dtype)y->dtype)))
        return true;
    if (y->weak ? y->weak != ORR__WEAK_REAL || y->s[0].f >= 0 : y->s[0].i >= 0)
        return true;
    (void)orr__fail(at, ORR_EINVAL, "integers have no negative powers that are integers; write orr_cast(x, ORR_F64)");
    return false;
}

orr__node *orr__ew_node(orr__site at, const orr__ewrow *row, orr__node *const *node)
{
    const orr__node *last = node[row->arity - 1];
    if (row->op.id == ORR__EW_pow && !power_fits(at, node))
        return NULL;
    if (row->arity == 2 && node[0]->weak + node[1]->weak == ORR__WEAK_REAL)
        return beside_number(at, row, node);
    if (!fits(row, node))
        return general(at, row, node);
    return orr__node_new(at, &row->op, orr__ew_result(row, (orr_dtype)last->dtype), &last->shape, row->arity, node);
}

orr_tensor *orr__ew_record(orr__site at, const orr__ewrow *row, const orr_tensor *x, const orr_tensor *y,
                           const orr_tensor *z)
{
    const orr_tensor *t[3] = { x, y, z };
    orr__node *node[3];
    orr_tensor *bad;
    if (!orr__operands(at, row->arity, t, operand_names, node, &bad))
        return bad;
    return orr__handle_new(orr__ew_node(at, row, node));
}

/* -- the public functions ---------------------------------------------------------------------------- */

#define UNARY(name, ...)                                                                                               \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x)                                             \
    {                                                                                                                  \
        return orr__ew_record(ORR__SITE(file, line, #name), &orr__ew_rows[ORR__EW_##name - ORR__OP_EW], x, NULL,       \
                              NULL);                                                                                   \
    }
#define BINARY(name, ...)                                                                                              \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x, orr_tensor *y)                              \
    {                                                                                                                  \
        return orr__ew_record(ORR__SITE(file, line, #name), &orr__ew_rows[ORR__EW_##name - ORR__OP_EW], x, y, NULL);   \
    }
#define TERNARY(name, ...)                                                                                             \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_tensor *z)               \
    {                                                                                                                  \
        return orr__ew_record(ORR__SITE(file, line, #name), &orr__ew_rows[ORR__EW_##name - ORR__OP_EW], x, y, z);      \
    }
#include "ops/elementwise.def"
