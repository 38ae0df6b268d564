/* Reductions composed of others: mean, var, std, norm, logsumexp. f16 and bf16 are computed in f32 and rounded once.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/record.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/threshold.h"

/* The checked arguments of one of these functions, and its scope. */
typedef struct {
    orr__site at;
    orr_scope *scope;
    orr_tensor *x;   /* wide                                  */
    orr_dtype dtype; /* the result's                          */
    orr_shape shape; /* the result's                          */
    orr_shape of;    /* x's                                   */
    orr_axes axes;
    uint32_t mask; /* the axes, of x */
    double count;  /* elements per element of the result */
} frame;

static bool begin(frame *f, const char *file, int line, const char *op, orr_tensor *x, orr_axes axes, bool keepdims,
                  orr_tensor **bad)
{
    orr__site at = ORR__SITE(file, line, op);
    orr__node *n;
    *f = (frame){ .at = at, .axes = axes };
    if (!orr__operand_float(at, x, "x", &n, bad))
        return false;
    if (!orr__axes_mask(axes, n->shape.rank, &f->mask)) {
        *bad = orr__axes_poison(at, axes, &n->shape);
        return false;
    }
    f->dtype = (orr_dtype)n->dtype;
    f->of = n->shape;
    f->shape = orr__shape_reduced(&n->shape, f->mask, keepdims);
    f->count = (double)orr__shape_count_of(&n->shape, f->mask);
    f->scope = orr_scope_begin();
    f->x = orr_cast_at(file, line, x, orr__wide(f->dtype));
    return true;
}

static orr_tensor *end(frame *f, orr_tensor *r)
{
    /* The axes of length 1 are removed last: with them the result fuses into the kernel of its rows. */
    r = orr_cast_at(f->at.file, f->at.line, r, f->dtype);
    return orr__compose_end(f->at, f->scope, orr_reshape_at(f->at.file, f->at.line, r, f->shape));
}

/* The site of the user's call. */
#define AT f.at.file, f.at.line

static orr_tensor *sum_over(const frame *p, orr_tensor *x, double divisor)
{
    frame f = *p;
    return orr_div_at(AT, orr_sum_at(AT, x, f.axes, true), orr_scalar_at(AT, divisor));
}

/* Sums over complex x, part by part. Variance and norm are sums of real terms over both parts. */
typedef struct {
    orr_axes axes;
    double ddof;
    bool keepdims;
} reduction;

static bool is_complex(const orr_tensor *x)
{
    return x && orr__is_complex(orr_tensor_dtype(x));
}

static orr_tensor *mean_of_part(orr__site at, orr_tensor *part, const void *with)
{
    const reduction *r = with;
    return orr_mean_at(at.file, at.line, part, r->axes, r->keepdims);
}

static orr_tensor *complex_variance(orr__site at, orr_tensor *x, const reduction *r)
{
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *re = orr_var_at(at.file, at.line, orr_real_at(at.file, at.line, x), r->axes, r->ddof, r->keepdims);
    orr_tensor *im = orr_var_at(at.file, at.line, orr_imag_at(at.file, at.line, x), r->axes, r->ddof, r->keepdims);
    return orr__compose_end(at, s, orr_add_at(at.file, at.line, re, im));
}

orr_tensor *orr_mean_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    frame f;
    orr_tensor *bad;
    if (is_complex(x))
        return orr__by_parts(ORR__SITE(file, line, "mean"), x, mean_of_part, &(reduction){ axes, 0, keepdims });
    if (!begin(&f, file, line, "mean", x, axes, keepdims, &bad))
        return bad;
    return end(&f, sum_over(&f, f.x, f.count));
}

static bool near_by(const frame *f)
{
    if (orr__shape_count(&f->of) <= ORR__NEAR_ALL)
        return true;
    return f->mask == 1u << (f->of.rank - 1) && f->count <= ORR__NEAR_ROW;
}

/* In f64, like the single pass: the rounding error of a mean in f32 may be as large as the differences of the
 * elements. */
static orr_tensor *in_two_passes(const frame *p, double divisor)
{
    frame f = *p;
    orr_tensor *x = orr_cast_at(AT, f.x, orr__is_half(f.dtype) ? ORR_F32 : ORR_F64),
               *d = orr_sub_at(AT, x, sum_over(&f, x, f.count));
    return sum_over(&f, orr_square_at(AT, d), divisor);
}

/* The first of the elements that are reduced to each element of the result. */
static orr_tensor *first_of(const frame *p)
{
    frame f = *p;
    orr_tensor *c = f.x;
    for (int d = 0; d < f.of.rank; d++)
        if (f.mask >> d & 1u)
            c = orr_slice_axis_at(AT, c, d, 0, 1, 1);
    return orr_detach_at(AT, c);
}

/* Σ (x − mean)² = Σ d² − (Σ d)²/n for d = x − c with any c (T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for
 * computing the sample variance", The American Statistician 37, 1983: shifted data). If c is one of the elements,
 * cancellation loses at most a factor of n, since n·var ≥ (c − mean)²·(n−1)/n; enough of f64's 53 bits are left for an
 * f32. */
static orr_tensor *in_one_pass(const frame *p, double divisor)
{
    frame f = *p;
    orr_tensor *d = orr_sub_at(AT, orr_cast_at(AT, f.x, ORR_F64), orr_cast_at(AT, first_of(&f), ORR_F64));
    orr_tensor *sum = orr_sum_at(AT, d, f.axes, true), *squares = orr_sum_at(AT, orr_square_at(AT, d), f.axes, true);
    orr_tensor *off = orr_sub_at(AT, squares, orr_div_at(AT, orr_square_at(AT, sum), orr_scalar_at(AT, f.count)));
    off = orr_maximum_at(AT, off, orr_scalar_at(AT, 0));
    return orr_div_at(AT, off, orr_scalar_at(AT, divisor));
}

static orr_tensor *variance(const frame *f, double ddof)
{
    ORR__IN_DEFAULT_FPMODE;
    double divisor = fmax(f->count - ddof, 0);
    bool two = f->dtype == ORR_F64 || near_by(f);
    return two ? in_two_passes(f, divisor) : in_one_pass(f, divisor);
}

/* √s with the derivative 0, and not inf, at 0: the root of 1 replaces it where s = 0. */
static orr_tensor *root(const frame *p, orr_tensor *s)
{
    frame f = *p;
    orr_tensor *zero = orr_equal_at(AT, s, orr_scalar_at(AT, 0));
    orr_tensor *r = orr_sqrt_at(AT, orr_where_at(AT, zero, orr_scalar_at(AT, 1), s));
    return orr_where_at(AT, zero, orr_scalar_at(AT, 0), r);
}

orr_tensor *orr_var_at(const char *file, int line, orr_tensor *x, orr_axes axes, double ddof, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    frame f;
    orr_tensor *bad;
    if (is_complex(x))
        return complex_variance(ORR__SITE(file, line, "var"), x, &(reduction){ axes, ddof, keepdims });
    if (!begin(&f, file, line, "var", x, axes, keepdims, &bad))
        return bad;
    return end(&f, variance(&f, ddof));
}

orr_tensor *orr_std_at(const char *file, int line, orr_tensor *x, orr_axes axes, double ddof, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    frame f;
    orr_tensor *bad;
    if (is_complex(x)) {
        orr__site at = ORR__SITE(file, line, "std");
        orr_scope *s = orr__compose_begin(at);
        orr_tensor *v = complex_variance(at, x, &(reduction){ axes, ddof, keepdims });
        f = (frame){ .at = at };
        return orr__compose_end(at, s, root(&f, v));
    }
    if (!begin(&f, file, line, "std", x, axes, keepdims, &bad))
        return bad;
    return end(&f, root(&f, variance(&f, ddof)));
}

orr_tensor *orr_norm_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    frame f;
    orr_tensor *bad;
    if (is_complex(x)) {
        orr_scope *s = orr__compose_begin(ORR__SITE(file, line, "norm"));
        orr_tensor *r = orr_norm_at(file, line, orr_abs_at(file, line, x), axes, keepdims);
        return orr__compose_end(ORR__SITE(file, line, "norm"), s, r);
    }
    if (!begin(&f, file, line, "norm", x, axes, keepdims, &bad))
        return bad;
    orr_tensor *wide = orr_cast_at(AT, f.x, ORR_F64); /* no square of an f32 overflows f64 */
    return end(&f, root(&f, orr_sum_at(AT, orr_square_at(AT, wide), f.axes, true)));
}

orr_tensor *orr_logsumexp_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)
{
    frame f;
    orr_tensor *bad;
    if (!begin(&f, file, line, "logsumexp", x, axes, keepdims, &bad))
        return bad;
    if (f.count == 0)
        return end(&f, orr_full_at(AT, orr__wide(f.dtype), f.shape, -INFINITY));
    /* An infinite maximum is not subtracted, since inf − inf is NaN; log Σ eˣ is right without it. */
    orr_tensor *m = orr_max_at(AT, f.x, f.axes, true);
    m = orr_detach_at(AT, orr_where_at(AT, orr_isfinite_at(AT, m), m, orr_scalar_at(AT, 0)));
    orr_tensor *e = orr_exp_at(AT, orr_sub_at(AT, f.x, m));
    return end(&f, orr_add_at(AT, orr_log_at(AT, orr_sum_at(AT, e, f.axes, true)), m));
}
