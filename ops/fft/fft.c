/* Discrete Fourier transforms: the operation on the last axis, and all transforms composed of it.
 * Must not know: devices, plans of transforms. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include <orrery/fft.h>
#include "ops/fft/fft.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->dtype == in[0]->dtype && n->shape.rank > 0 &&
                   orr__is_complex((orr_dtype)n->dtype)
               ? NULL
               : "fft changes the shape or dtype, or has no complex row";
}

static long double part_of(const char *p, orr_dtype part, int which)
{
    return (long double)orr__scalar_load(p + (size_t)which * orr__dtype_size(part), part).f;
}

/* e^(∓2πi·t/n) for each t below n, since the definitions below use each of them n times; the caller frees them. NULL: no memory. */
static orr__number *turns(int64_t n, bool inverse)
{
    orr__number *w = malloc((size_t)(n + 1) * sizeof *w);
    for (int64_t t = 0; w && t < n; t++) {
        long double angle =
            (inverse ? 2 : -2) * 3.14159265358979323846264338327950288L * (long double)t / (long double)n;
        w[t] = CMPLXL(cosl(angle), sinl(angle));
    }
    return w;
}

/* The definition. */
static orr_status reference(const orr__reference *j)
{
    int64_t n = j->out.shape.dim[j->out.shape.rank - 1];
    orr_dtype part = orr__part_dtype(j->out.dtype);
    orr__number *turn = turns(n, j->node->attr.mask & 1u);
    if (!turn)
        return ORR_ENOMEM;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t row = i / n, k = i % n;
        long double re = 0, im = 0;
        for (int64_t t = 0; t < n; t++) {
            const char *p = orr__array_at(&j->in[0], row * n + t);
            long double x = part_of(p, part, 0), y = part_of(p, part, 1);
            long double c = creall(turn[t * k % n]), s = cimagl(turn[t * k % n]);
            re += x * c - y * s;
            im += x * s + y * c;
        }
        char *p = orr__array_at(&j->out, i);
        orr__scalar_store(p, part, (orr__scalar){ .f = (double)re });
        orr__scalar_store(p + orr__dtype_size(part), part, (orr__scalar){ .f = (double)im });
    }
    free(turn);
    return ORR_OK;
}

/* (lines, elements of the last axis) */
static orr_shape flat(const orr_shape *s)
{
    int64_t n = s->dim[s->rank - 1];
    return ORR_SHAPE(n ? orr__shape_count(s) / n : 0, n);
}

static orr_tensor *stands(orr__site at, const orr__op *op, orr__node *n, orr_tensor *y, orr_shape s, bool inverse)
{
    y = orr_reshape_at(AT, y, s);
    return orr__stands_for(at, op, 1, &n, y, inverse, (orr__scalar){ 0 });
}

orr_tensor *orr__fft_last(orr__site at, orr_tensor *x, bool inverse)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_shape rows = flat(&n->shape);
    if (orr__fft_is_long(rows.dim[0], rows.dim[1])) {
        orr_scope *s = orr__compose_begin(at);
        orr_tensor *y = orr__fft_long(at, orr_reshape_at(AT, x, rows), inverse, false);
        return orr__compose_end(at, s, stands(at, &orr__op_fft, n, y, n->shape, inverse));
    }
    orr__node *r = orr__rec_one(at, &orr__op_fft, (orr_dtype)n->dtype, &n->shape, orr__node_ref(n));
    if (r)
        r->attr.mask = inverse;
    return orr__handle_new(r);
}

/* The matrix of the transform is symmetric. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    return orr__fft_last(b->at, b->g, (b->node->attr.mask & 1u) != 0);
}

static orr__workload work(const orr__call *c)
{
    double n = (double)c->out.dim[c->out.rank - 1];
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * 2 * log2(n + 2) };
}

static int space(const orr__call *c, int64_t *dim)
{
    dim[1] = c->out.dim[c->out.rank - 1];
    dim[0] = 1;
    for (int d = 0; d < c->out.rank - 1; d++)
        dim[0] *= c->out.dim[d];
    return 2;
}

const orr__op orr__op_fft = {
    .id = ORR__OP_fft,
    .name = "fft",
    .arity = 1,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_rows,
    .vjp = vjp,
    .work = work,
    .space = space,
};

/* -- 2h real numbers, as h pairs: half the work -------------------------------------------------------------------- */

static const char *verify_real(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape;
    (void)nin;
    bool fits = s->rank > 0 && s->rank == n->shape.rank && orr__is_float((orr_dtype)in[0]->dtype) &&
                n->dtype == orr__complex_of((orr_dtype)in[0]->dtype);
    for (int d = 0; fits && d < s->rank - 1; d++)
        fits = s->dim[d] == n->shape.dim[d];
    return fits && s->dim[s->rank - 1] == 2 * (n->shape.dim[s->rank - 1] - 1) && s->dim[s->rank - 1] > 0
               ? NULL
               : "half a transform of 2h real numbers has h + 1 complex ones";
}

static const char *verify_real_inverse(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return verify_real(in[0], &n, 1);
}

static orr_status reference_real(const orr__reference *j)
{
    int64_t n = j->in[0].shape.dim[j->in[0].shape.rank - 1], m = n / 2 + 1;
    orr__number *turn = turns(n, false);
    if (!turn)
        return ORR_ENOMEM;
    for (int64_t i = 0; i < j->out.count; i++) {
        orr__number sum = 0;
        for (int64_t t = 0; t < n; t++)
            sum += orr__plain_get(&j->in[0], i / m * n + t) * turn[t * (i % m) % n];
        orr__plain_set(&j->out, i, sum);
    }
    free(turn);
    return ORR_OK;
}

static orr_status reference_real_inverse(const orr__reference *j)
{
    int64_t n = j->out.shape.dim[j->out.shape.rank - 1], m = n / 2 + 1;
    orr__number *turn = turns(n, false);
    if (!turn)
        return ORR_ENOMEM;
    for (int64_t i = 0; i < j->out.count; i++) {
        long double sum = 0;
        for (int64_t k = 0; k < m; k++)
            sum += (k == 0 || k == n / 2 ? 1 : 2) *
                   creall(orr__plain_get(&j->in[0], i / n * m + k) * conjl(turn[k * (i % n) % n]));
        orr__plain_set(&j->out, i, sum);
    }
    free(turn);
    return ORR_OK;
}

/* x · (1, by, …, by, 1) along the last axis of h + 1 elements. Each one in the middle represents two of the full
 * transform. */
static orr_tensor *middle_times(orr__site at, orr_tensor *x, double by)
{
    orr_shape s = orr_tensor_shape(x);
    orr_dtype t = orr_tensor_dtype(x);
    if (s.rank < 1)
        return x;
    double h = (double)(s.dim[s.rank - 1] - 1);
    orr_tensor *k = orr_arange_at(AT, ORR_F64, 0, h + 1, 1);
    orr_tensor *end =
        orr_equal_at(AT, orr_abs_at(AT, orr_sub_at(AT, k, orr_scalar_at(AT, h / 2))), orr_scalar_at(AT, h / 2));
    orr_tensor *w = orr_where_at(AT, end, orr_scalar_at(AT, 1), orr_scalar_at(AT, by));
    return orr_mul_at(AT, x, orr_cast_at(AT, w, orr__part_dtype(t)));
}

static orr_tensor *vjp_real(const orr__back *b, int k)
{
    (void)k;
    return orr__fft_real_inverse(b->at, middle_times(b->at, orr_conj_at(b->at.file, b->at.line, b->g), 0.5));
}

static orr_tensor *vjp_real_inverse(const orr__back *b, int k)
{
    (void)k;
    return middle_times(b->at, orr_conj_at(b->at.file, b->at.line, orr__fft_real(b->at, b->g)), 2);
}

static orr__workload work_real(const orr__call *c)
{
    double n = (double)c->in[0].dim[c->in[0].rank - 1];
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * 2 * log2(n + 2) };
}

#define REAL_OP(word, rule, meaning, derivative)                                                                       \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = 1,                                                                       \
                                     .kinds = ORR__TAKES_COMPLEX,                                                      \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .verify = rule,                                                                   \
                                     .reference = meaning,                                                             \
                                     .distribute = orr__rule_rows,                                                     \
                                     .vjp = derivative,                                                                \
                                     .work = work_real,                                                                \
                                     .space = space }
REAL_OP(rfft, verify_real, reference_real, vjp_real);
REAL_OP(irfft, verify_real_inverse, reference_real_inverse, vjp_real_inverse);

orr_tensor *orr__fft_real(orr__site at, orr_tensor *x)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_shape s = n->shape, rows = flat(&s);
    int64_t h = s.dim[s.rank - 1] / 2;
    s.dim[s.rank - 1] = h + 1;
    if (!orr__fft_is_long(rows.dim[0], h))
        return orr__handle_new(
            orr__rec_one(at, &orr__op_rfft, orr__complex_of((orr_dtype)n->dtype), &s, orr__node_ref(n)));
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = orr__fft_long(at, orr_reshape_at(AT, x, rows), false, false);
    return orr__compose_end(at, scope, stands(at, &orr__op_rfft, n, orr__fft_half(at, y, false), s, false));
}

orr_tensor *orr__fft_real_inverse(orr__site at, orr_tensor *x)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_shape s = n->shape, rows = flat(&s);
    int64_t h = s.dim[s.rank - 1] - 1;
    s.dim[s.rank - 1] = 2 * h;
    if (!orr__fft_is_long(rows.dim[0], h))
        return orr__handle_new(
            orr__rec_one(at, &orr__op_irfft, orr__part_dtype((orr_dtype)n->dtype), &s, orr__node_ref(n)));
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = orr__fft_half(at, orr_reshape_at(AT, x, rows), true);
    return orr__compose_end(at, scope, stands(at, &orr__op_irfft, n, orr__fft_long(at, y, true, true), s, false));
}

/* -- one axis ------------------------------------------------------------------------------------------------- */

/* The axis and length of a transform of x. *n: the given length, or else that of the axis. */
static bool operand(orr__site at, orr_tensor *x, int64_t *n, int axis, int *k, orr_tensor **bad)
{
    orr__node *node;
    if (!orr__operand_inexact(at, x, "x", &node, bad))
        return false;
    if (orr__is_half((orr_dtype)node->dtype)) {
        *bad = orr__poison(at, ORR_EDTYPE, "x is %s, and float32 or wider is needed: write orr_cast(x, ORR_F32)",
                           orr_dtype_name((orr_dtype)node->dtype));
        return false;
    }
    *k = orr__axis(axis, node->shape.rank);
    if (*k < 0) {
        *bad = orr__axis_poison(at, axis, &node->shape);
        return false;
    }
    *n = *n == 0 ? node->shape.dim[*k] : *n;
    if (*n >= 1)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "a transform of %lld points along axis %d of %s: one at least is needed",
                       (long long)*n, *k, orr__str(node->shape).s);
    return false;
}

/* x with axis k cut or padded to n. */
static orr_tensor *fitted(orr__site at, orr_tensor *x, int k, int64_t n)
{
    orr_shape s = orr_tensor_shape(x);
    if (s.rank < 0 || s.dim[k] == n)
        return x;
    if (s.dim[k] > n)
        return orr_slice_axis_at(AT, x, k, 0, n, 1);
    orr_index hi = { s.rank, { 0 } };
    hi.v[k] = n - s.dim[k];
    return orr_pad_at(AT, x, ORR_NO_INDEX, hi, 0);
}

static orr_tensor *scaled(orr__site at, orr_tensor *x, int64_t n, bool inverse, orr_fft_norm norm)
{
    ORR__IN_DEFAULT_FPMODE;
    if (norm == ORR_FFT_ORTHO)
        return orr_mul_at(AT, x, orr_scalar_at(AT, 1 / sqrt((double)n)));
    return inverse == (norm == ORR_FFT_BACKWARD) ? orr_mul_at(AT, x, orr_scalar_at(AT, 1 / (double)n)) : x;
}

enum { FORWARD, INVERSE, REAL, REAL_INVERSE };

/* Transforms axis k of x to or from n points. */
static orr_tensor *along(orr__site at, orr_tensor *x, int k, int64_t n, int how, orr_fft_norm norm)
{
    orr_shape s = orr_tensor_shape(x);
    if (s.rank < 0)
        return x;
    orr_axes swap = { s.rank, { 0 } };
    for (int d = 0; d < s.rank; d++)
        swap.axis[d] = d == k ? s.rank - 1 : d == s.rank - 1 ? k : d;
    bool last = k == s.rank - 1;
    x = last ? x : orr_permute_at(AT, x, swap);
    x = how == REAL           ? orr__fft_real(at, x)
        : how == REAL_INVERSE ? orr__fft_real_inverse(at, x)
                              : orr__fft_last(at, x, how == INVERSE);
    x = last ? x : orr_permute_at(AT, x, swap);
    return scaled(at, x, n, how == INVERSE || how == REAL_INVERSE, norm);
}

static orr_tensor *complex_of(orr__site at, orr_tensor *x)
{
    orr_dtype t = orr_tensor_dtype(x);
    return orr__is_complex(t) ? x : orr_cast_at(AT, x, orr__complex_of(t));
}

static bool norm_ok(orr__site at, orr_fft_norm norm, orr_tensor **bad)
{
    if ((unsigned)norm <= ORR_FFT_FORWARD)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "%d is no norm: ORR_FFT_BACKWARD, ORTHO or FORWARD", (int)norm);
    return false;
}

static orr_fft_norm other_way(orr_fft_norm norm)
{
    return norm == ORR_FFT_BACKWARD ? ORR_FFT_FORWARD : norm == ORR_FFT_FORWARD ? ORR_FFT_BACKWARD : norm;
}

static orr_tensor *one(orr__site at, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm, bool inverse)
{
    orr_tensor *bad;
    int k;
    if (!norm_ok(at, norm, &bad) || !operand(at, x, &n, axis, &k, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    x = complex_of(at, fitted(at, x, k, n));
    return orr__compose_end(at, s, along(at, x, k, n, inverse ? INVERSE : FORWARD, norm));
}

static orr_tensor *real_forward(orr__site at, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    orr_tensor *bad;
    orr__node *node;
    int k;
    if (!norm_ok(at, norm, &bad) || !orr__operand_float(at, x, "x", &node, &bad) || !operand(at, x, &n, axis, &k, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    x = fitted(at, x, k, n);
    if (n % 2 == 0)
        return orr__compose_end(at, s, along(at, x, k, n, REAL, norm));
    orr_tensor *all = along(at, complex_of(at, x), k, n, FORWARD, norm);
    return orr__compose_end(at, s, orr_slice_axis_at(AT, all, k, 0, n / 2 + 1, 1));
}

static orr_tensor *real_inverse(orr__site at, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    orr_tensor *bad;
    int64_t have = 0;
    int k;
    if (!norm_ok(at, norm, &bad) || !operand(at, x, &have, axis, &k, &bad))
        return bad;
    n = n == 0 ? 2 * (have - 1) : n;
    if (n < 1)
        return orr__poison(at, ORR_EINVAL, "an inverse transform to %lld points: one at least is needed", (long long)n);
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *half = complex_of(at, fitted(at, x, k, n / 2 + 1));
    if (n % 2 == 0)
        return orr__compose_end(at, s, along(at, half, k, n, REAL_INVERSE, norm));
    if (n > 2) {
        orr_tensor *rest = orr_slice_axis_at(AT, half, k, 1, (n - 1) / 2 + 1, 1);
        rest = orr_conj_at(AT, orr_flip_at(AT, rest, ORR_AXES(k)));
        half = orr_concat_at(AT, (orr_tensor *const[]){ half, rest }, 2, k);
    }
    return orr__compose_end(at, s, orr_real_at(AT, along(at, half, k, n, INVERSE, norm)));
}

orr_tensor *orr_fft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    return one(ORR__SITE(file, line, "fft"), x, n, axis, norm, false);
}

orr_tensor *orr_ifft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    return one(ORR__SITE(file, line, "ifft"), x, n, axis, norm, true);
}

orr_tensor *orr_rfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    return real_forward(ORR__SITE(file, line, "rfft"), x, n, axis, norm);
}

orr_tensor *orr_irfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    return real_inverse(ORR__SITE(file, line, "irfft"), x, n, axis, norm);
}

orr_tensor *orr_hfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    orr__site at = ORR__SITE(file, line, "hfft");
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, real_inverse(at, orr_conj_at(AT, x), n, axis, other_way(norm)));
}

orr_tensor *orr_ihfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm)
{
    orr__site at = ORR__SITE(file, line, "ihfft");
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, orr_conj_at(AT, real_forward(at, x, n, axis, other_way(norm))));
}

/* -- several axes --------------------------------------------------------------------------------------------- */

enum { COMPLEX, TO_HALF, FROM_HALF };

/* The axes in the given order; all axes if none are given. */
static bool axes_of(orr__site at, orr_tensor *x, orr_index n, orr_axes *axes, orr_tensor **bad)
{
    orr__node *node;
    uint32_t mask;
    if (!orr__operand(at, x, "x", &node, bad))
        return false;
    int rank = node->shape.rank;
    if (axes->n < 0) {
        int count = n.n > 0 && n.n <= rank ? n.n : rank;
        axes->n = count;
        for (int i = 0; i < count; i++)
            axes->axis[i] = rank - count + i;
    }
    if (!orr__axes_mask(*axes, rank, &mask)) {
        *bad = orr__axes_poison(at, *axes, &node->shape);
        return false;
    }
    if (axes->n >= 1 && (n.n == 0 || n.n == axes->n))
        return true;
    *bad = orr__poison(at, ORR_EAXIS, "%d lengths for %d axes", n.n, axes->n);
    return false;
}

static orr_tensor *several(orr__site at, orr_tensor *x, orr_index n, orr_axes axes, orr_fft_norm norm, bool inverse,
                           int how)
{
    orr_tensor *bad;
    if (!axes_of(at, x, n, &axes, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    int last = axes.n - 1;
    if (how == TO_HALF)
        x = real_forward(at, x, n.n ? n.v[last] : 0, axes.axis[last], norm);
    for (int i = how == COMPLEX ? last : last - 1; i >= 0; i--)
        x = one(at, x, n.n ? n.v[i] : 0, axes.axis[i], norm, inverse);
    if (how == FROM_HALF)
        x = real_inverse(at, x, n.n ? n.v[last] : 0, axes.axis[last], norm);
    return orr__compose_end(at, s, x);
}

#define SEVERAL(name, inverse, how)                                                                                    \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes,                 \
                                orr_fft_norm norm)                                                                     \
    {                                                                                                                  \
        return several(ORR__SITE(file, line, #name), x, n, axes, norm, inverse, how);                                  \
    }
SEVERAL(fftn, false, COMPLEX)
SEVERAL(ifftn, true, COMPLEX)
SEVERAL(rfftn, false, TO_HALF)
SEVERAL(irfftn, true, FROM_HALF)

/* -- frequencies ---------------------------------------------------------------------------------------------- */

static orr_tensor *frequencies(orr__site at, orr_dtype dtype, int64_t n, double d, bool half)
{
    if (n < 1 || !(d != 0) || !isfinite(d))
        return orr__poison(at, ORR_EINVAL, "no frequencies of %lld samples %g apart", (long long)n, d);
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *k = orr_arange_at(AT, ORR_F64, 0, (double)(half ? n / 2 + 1 : n), 1);
    orr_tensor *count = orr_scalar_at(AT, (double)n);
    if (!half)
        k = orr_where_at(AT, orr_less_at(AT, k, orr_scalar_at(AT, (double)((n + 1) / 2))), k, orr_sub_at(AT, k, count));
    k = orr_div_at(AT, k, orr_scalar_at(AT, (double)n * d));
    return orr__compose_end(at, s, orr_cast_at(AT, k, dtype));
}

orr_tensor *orr_fftfreq_at(const char *file, int line, orr_dtype dtype, int64_t n, double d)
{
    ORR__IN_DEFAULT_FPMODE;
    return frequencies(ORR__SITE(file, line, "fftfreq"), dtype, n, d, false);
}

orr_tensor *orr_rfftfreq_at(const char *file, int line, orr_dtype dtype, int64_t n, double d)
{
    ORR__IN_DEFAULT_FPMODE;
    return frequencies(ORR__SITE(file, line, "rfftfreq"), dtype, n, d, true);
}

static orr_tensor *shifted(orr__site at, orr_tensor *x, orr_axes axes, bool back)
{
    orr_tensor *bad;
    if (!axes_of(at, x, ORR_NO_INDEX, &axes, &bad))
        return bad;
    orr_shape s = orr_tensor_shape(x);
    orr_index by = { axes.n, { 0 } };
    for (int i = 0; i < axes.n; i++) {
        int64_t n = s.dim[orr__axis(axes.axis[i], s.rank)];
        by.v[i] = back ? -(n / 2) : n / 2;
    }
    return orr_roll_at(AT, x, by, axes);
}

orr_tensor *orr_fftshift_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    return shifted(ORR__SITE(file, line, "fftshift"), x, axes, false);
}

orr_tensor *orr_ifftshift_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    return shifted(ORR__SITE(file, line, "ifftshift"), x, axes, true);
}
