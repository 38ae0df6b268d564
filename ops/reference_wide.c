/* The plain meaning of the operations in wider reals. Views move elements of 16 bytes as they move those of complex numbers.
 * Must not know: engines, plans. */
#include "config.h"
#include "ops/reference_wide.h"

#include <math.h>
#include <stdlib.h>
#include "ops/ew_id.h"

typedef void (*eval_fn)(void *r, const void *x, const void *y, const void *z);

typedef struct {
    orr__real re, im;
} ew_wide_pair;
#define EW_WIDE
#define EW_M_F64(n) ORR__REAL(n)
#define EW_DTYPE EW_F64
#include "ops/ew_begin.h"
#include "ops/ew_eval_rows.h"
#include "ops/ew_end.h"

double orr__wide_roundoff(orr_dtype t)
{
    return t == ORR_F16 ? 0x1p-11 : t == ORR_BF16 ? 0x1p-8 : t == ORR_F32 ? 0x1p-24 : 0x1p-53;
}

orr__real orr__wide_round(orr__real x, orr_dtype t)
{
    return t == ORR_F64 ? (orr__real)(double)x
                        : (orr__real)orr__scalar_cast((orr__scalar){ .f = (double)x }, ORR_F64, t).f;
}

static void own_value(orr__wide *out)
{
    for (int64_t i = 0; i < out->own.count; i++)
        out->wide[i] = orr__reference_get(&out->own, i);
}

/* Element i of an operand. */
static orr__real number(const orr__wide *x, int64_t i)
{
    return x->wide ? x->wide[i] : (orr__real)orr__scalar_f64(orr__array_get(&x->own, i), x->own.dtype);
}

static bool row(const orr__node *n, const orr__wide *const *in, orr__wide *out)
{
    const orr__ewrow *r = orr__ew(n->op->id);
    eval_fn f = r ? rows_wide[n->op->id - ORR__OP_EW] : NULL;
    if (!f || r->result == ORR__EW_PAIR)
        return false;
    for (int k = 0; k < r->arity; k++)
        if (!in[k]->wide && !(r->cond && k == 0))
            return false;
    for (int64_t i = 0; i < out->own.count; i++) {
        orr__real v[3] = { 0, 0, 0 };
        uint8_t chosen = r->cond ? *(const uint8_t *)orr__array_at(&in[0]->own, i) : 0;
        for (int k = r->cond; k < r->arity; k++)
            v[k] = in[k]->wide[i];
        f(&out->wide[i], r->cond ? (const void *)&chosen : &v[0], &v[1], &v[2]);
    }
    return true;
}

static bool fold(const orr__node *n, const orr__wide *x, orr__wide *out)
{
    int rop = n->attr.rop;
    for (int64_t i = 0; i < out->own.count; i++)
        out->wide[i] = rop == ORR__RSUM ? 0 : rop == ORR__RPROD ? 1 : rop == ORR__RMAX ? -INFINITY : INFINITY;
    for (int64_t i = 0; i < x->own.count; i++) {
        int64_t at[ORR_MAX_RANK];
        orr__array_unravel(&x->own.shape, i, at);
        for (int d = 0; d < n->shape.rank; d++)
            at[d] = (n->attr.mask >> d & 1u) ? 0 : at[d];
        orr__real v = number(x, i), *to = &out->wide[orr__array_ravel(&n->shape, at)];
        *to = rop == ORR__RSUM    ? *to + v
              : rop == ORR__RPROD ? *to * v
              : v != v            ? v
              : rop == ORR__RMAX  ? (v > *to ? v : *to)
                                  : (v < *to ? v : *to);
    }
    return true;
}

/* The unevaluated sum hi + lo of two doubles, of about 106 bits: 20 times as fast as reals in software. T. J. Dekker, "A floating-point technique
 * for extending the available precision", 1971; the products are exact by fma. */
typedef struct {
    double hi, lo;
} two;

static two two_of(orr__real x)
{
    double hi = (double)x;
    return (two){ hi, isfinite(hi) ? (double)(x - (orr__real)hi) : 0 };
}

static two *twos_of(const orr__wide *x)
{
    two *t = orr__alloc_n((size_t)x->own.count + 1, sizeof *t);
    for (int64_t i = 0; t && i < x->own.count; i++)
        t[i] = two_of(x->wide[i]);
    return t;
}

/* s + a·b */
static two two_fma(two s, two a, two b)
{
    double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi);
    double sum = s.hi + p, back = sum - s.hi;
    double lo = (s.hi - (sum - back)) + (p - back) + s.lo + e;
    double hi = sum + lo;
    return isfinite(hi) ? (two){ hi, lo - (hi - sum) } : (two){ sum, 0 };
}

static bool product(const orr__node *node, const orr__wide *x, const orr__wide *y, orr__wide *out)
{
    const orr_shape *s = &node->shape;
    int64_t m = s->dim[s->rank - 2], n = s->dim[s->rank - 1], k = x->own.shape.dim[s->rank - 1];
    two *a = twos_of(x), *b = twos_of(y);
    bool ok = a && b;
    for (int64_t at = 0; at < out->own.count && ok; at++) {
        int64_t batch = at / (m * n), r = at / n % m, c = at % n;
        two sum = { 0, 0 };
        for (int64_t i = 0; i < k; i++)
            sum = two_fma(sum, a[(batch * m + r) * k + i], b[(batch * k + i) * n + c]);
        out->wide[at] = (orr__real)sum.hi + (orr__real)sum.lo;
    }
    free(a);
    free(b);
    return ok;
}

/* The operation's own reference on other arrays: `dtype` with memory given for each operand that is wide and for the result. */
static bool reference(const orr__node *n, int nin, const orr__wide *const *in, orr_dtype dtype, void *const *data,
                      void *result)
{
    orr__array *all = orr__alloc_n((size_t)nin + 1, sizeof *all);
    int32_t *arg = orr__alloc_n((size_t)nin + 1, sizeof *arg);
    orr__node twin;
    orr__reference j = { .node = &twin, .s = n->s, .nin = nin, .all = all, .arg = arg };
    bool ok = all && arg;
    memcpy((void *)&twin, (const void *)n, sizeof twin);
    twin.dtype = (uint8_t)dtype;
    for (int k = 0; k < nin && ok; k++) {
        all[k] = in[k]->own;
        if (data[k]) {
            all[k].dtype = dtype;
            all[k].data = data[k];
        }
        arg[k] = k;
        if (k < 3)
            j.in[k] = all[k];
    }
    if (ok) {
        j.out = (orr__array){ dtype, n->shape, orr__shape_count(&n->shape), result };
        ok = n->op->reference && n->op->reference(&j) == ORR_OK;
    }
    free(all);
    free(arg);
    return ok;
}

/* Elements at other places. */
static bool move(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out)
{
    void **data = orr__alloc_n((size_t)nin + 1, sizeof *data);
    bool ok = data && sizeof(orr__real) == orr__dtype_size(ORR_C128) && n->nscalar == 0;
    for (int k = 0; k < nin && ok; k++)
        data[k] = in[k]->wide;
    ok = ok && reference(n, nin, in, ORR_C128, data, out->wide);
    free(data);
    return ok;
}

/* In f64, from operands that are rounded to it. */
static bool rounded(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out)
{
    void **data = orr__alloc_n((size_t)nin + 1, sizeof *data);
    double *result = orr__alloc_n((size_t)out->own.count + 1, sizeof *result);
    bool ok = data && result;
    for (int k = 0; k < nin && ok; k++) {
        double *d = in[k]->wide ? orr__alloc_n((size_t)in[k]->own.count + 1, sizeof *d) : NULL;
        ok = d || !in[k]->wide;
        for (int64_t i = 0; d && i < in[k]->own.count; i++)
            d[i] = (double)in[k]->wide[i];
        data[k] = d;
    }
    ok = ok && reference(n, nin, in, ORR_F64, data, result);
    for (int64_t i = 0; i < out->own.count && ok; i++)
        out->wide[i] = (orr__real)result[i];
    for (int k = 0; k < nin && data; k++)
        free(data[k]);
    free(data);
    free(result);
    return ok;
}

static bool evaluate(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out)
{
    bool floats = true;
    for (int k = 0; k < nin; k++)
        floats = floats && in[k]->wide;
    if (n->op == &orr__op_cast && orr__is_float(in[0]->own.dtype)) {
        memcpy(out->wide, in[0]->wide, (size_t)out->own.count * sizeof *out->wide);
        return true;
    }
    switch (n->op->pattern) {
    case ORR__PATTERN_ELEMENT: return row(n, in, out);
    case ORR__PATTERN_FOLD: return fold(n, in[0], out);
    case ORR__PATTERN_PRODUCT: return floats && product(n, in[0], in[1], out);
    case ORR__PATTERN_VIEW:
    case ORR__PATTERN_GATHER:
    case ORR__PATTERN_CHOICE: return move(n, nin, in, out) || rounded(n, nin, in, out);
    case ORR__PATTERN_KERNEL: return floats && rounded(n, nin, in, out);
    default: return false;
    }
}

orr_status orr__wide_eval(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out)
{
    bool compound = false;
    for (int k = 0; k < nin; k++)
        compound = compound || orr__is_compound(in[k]->own.dtype);
    if (nin == 0 || compound || !evaluate(n, nin, in, out))
        own_value(out);
    orr_error_clear();
    return ORR_OK;
}
