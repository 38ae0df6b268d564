/* Random graphs: linear algebra, transforms, sorting and statistics of real values, with complex intermediate values.
 * Must not know: engines. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/fft.h>
#include <orrery/linalg.h>
#include <stdlib.h>
#include "tests/harness/random_graph.h"

enum { SOLVE, INV, LOGDET, LU, QR, SVD, EIGH, EIG, EXPM, LSTSQ, CHOLESKY, MATRICES };
enum { FFT, REAL_FFT, THERE_AND_BACK, CONVOLVE, CUMULATIVE, VARIANCES, MEDIAN, NORMS, LINES };
enum { SORT, PLACES, TOP, SEARCH, ORDERS };
enum { MOST = 8 /* the order of a matrix */ };

/* Twice the unit matrix plus elements of size 1/n at most: well conditioned, and no two pivots are close. */
static orr_tensor *tame(orr_tensor *x, int64_t n, orr_tensor *imaginary)
{
    orr_dtype t = orr_tensor_dtype(x);
    orr_shape s = orr_tensor_shape(x);
    double size = 1.0 / (double)n;
    orr_index lo = { s.rank, { 0 } }, hi = { s.rank, { 0 } }, step = { s.rank, { 0 } };
    for (int d = 0; d < s.rank; d++) {
        hi.v[d] = d < s.rank - 2 ? s.dim[d] : n;
        step.v[d] = 1;
    }
    orr_tensor *a = orr_mul(orr_sin(orr_slice(x, lo, hi, step)), orr_scalar(size));
    orr_tensor *two = orr_mul(orr_eye(t, n, n, 0), orr_scalar(2));
    a = orr_add(a, two);
    return imaginary ? orr_complex(a, orr_mul(orr_sin(orr_slice(imaginary, lo, hi, step)), orr_scalar(size))) : a;
}

static orr_tensor *real_of(orr_tensor *x)
{
    return orr__is_complex(orr_tensor_dtype(x)) ? orr_add(orr_real(x), orr_imag(x)) : x;
}

static orr_tensor *adjoint(orr_tensor *x)
{
    return orr__is_complex(orr_tensor_dtype(x)) ? orr_conj(orr_transpose(x)) : orr_transpose(x);
}

/* Functions of a decomposition that depend neither on the phases of vectors nor on the order of eigenvalues. */
static orr_tensor *apply_matrix(orr_tensor *const *in, int count, const rg_param *p)
{
    int64_t n = p->shape.dim[0];
    orr_tensor *a = tame(in[0], n, p->keep ? in[1] : NULL), *b = tame(in[1], n, NULL);
    (void)count;
    switch (p->axis) {
    case SOLVE: return real_of(orr_solve(a, b));
    case INV: return real_of(orr_inv(a));
    case LOGDET: return orr_slogdet(a).logabsdet;
    case LU: return real_of(orr_lu(a).u);
    case QR: return real_of(orr_qr(a, false).r);
    case SVD: return orr_svdvals(a);
    case EIGH: return orr_eigvalsh(orr_add(a, adjoint(a)));
    case EIG: return orr_real(orr_sum(orr_square(orr_eigvals(a)), ORR_AXES(-1), false));
    case EXPM: return real_of(orr_expm(a));
    case LSTSQ:
        return real_of(orr_lstsq(orr_concat(ORR_TENSORS(a, orr_mul(a, orr_scalar(0.5))), -2),
                                 orr_concat(ORR_TENSORS(b, b), -2), -1)
                           .x);
    default: return real_of(orr_cholesky(orr_matmul(a, adjoint(a))));
    }
}

static bool choose_matrix(rg_graph *g, rg_step *s, orr_dtype d, orr_shape shape)
{
    static const char *const names[] = { "solve",    "inv",     "logdet", "lu",    "qr",      "svdvals",
                                         "eigvalsh", "eigvals", "expm",   "lstsq", "cholesky" };
    int64_t m = shape.dim[shape.rank - 2], n = shape.dim[shape.rank - 1], order = m < n ? m : n;
    order = order < MOST ? order : MOST;
    if (order < 1)
        return false;
    s->p.axis = rg_pick(g, MATRICES);
    s->p.keep = rg_pick(g, 2);
    s->p.shape = ORR_SHAPE(order);
    s->in[1] = rg_leaf(g, d, shape);
    s->nin = 2;
    s->apply = apply_matrix;
    s->name = names[s->p.axis];
    s->slack = s->p.axis == EXPM || s->p.axis == EIG ? 4000 : 400;
    return s->in[1] >= 0;
}

static orr_tensor *apply_line(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *x = in[0];
    (void)n;
    switch (p->axis) {
    case FFT: return real_of(orr_fft(orr_complex(x, in[1]), 0, -1, ORR_FFT_BACKWARD));
    case REAL_FFT: return real_of(orr_rfft(x, 0, -1, ORR_FFT_ORTHO));
    case THERE_AND_BACK: return orr_irfft(orr_rfft(x, 0, -1, ORR_FFT_BACKWARD), p->shape.dim[0], -1, ORR_FFT_BACKWARD);
    case CONVOLVE: return orr_convolve(x, orr_slice_axis(in[1], -1, 0, 2, 1), ORR_CONV_FULL, ORR_CONV_ZERO);
    case CUMULATIVE: return orr_cumulative_sum(x, -1, p->keep);
    case VARIANCES: return orr_var(x, ORR_AXES(-1), 0, p->keep);
    case MEDIAN: return orr_median(x, ORR_AXES(-1), p->keep);
    default: return orr_vector_norm(orr_complex(x, in[1]), ORR_AXES(-1), p->keep, 1);
    }
}

static bool choose_line(rg_graph *g, rg_step *s, orr_dtype d, orr_shape shape)
{
    static const char *const names[] = {
        "fft", "rfft", "irfft", "convolve", "cumulative_sum", "var", "median", "norm"
    };
    double n = (double)shape.dim[shape.rank - 1];
    s->p.axis = rg_pick(g, LINES);
    s->p.keep = rg_pick(g, 2);
    s->p.shape = ORR_SHAPE(shape.dim[shape.rank - 1]);
    if (n < 2 || n > 300)
        return false;
    s->in[1] = rg_leaf(g, d, s->p.axis == CONVOLVE ? ORR_SHAPE(3) : shape);
    s->nin = 2;
    s->apply = apply_line;
    s->name = names[s->p.axis];
    s->square = s->p.axis == VARIANCES || s->p.axis == CONVOLVE;
    s->slack = s->p.axis == MEDIAN ? 2 : 16 * n;
    return s->in[1] >= 0;
}

static orr_tensor *apply_order(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *values = NULL, *places = NULL;
    (void)n;
    switch (p->axis) {
    case SORT: return orr_sort(in[0], -1, p->keep);
    case PLACES: return orr_argsort(in[0], -1, p->keep);
    case TOP:
        (void)orr_topk(in[0], 1, -1, p->keep, &values, &places);
        (void)orr_free(p->keep ? places : values);
        return p->keep ? values : places;
    default:
        return orr_searchsorted(orr_sort(orr_reshape(in[0], p->shape), 0, false), orr_reshape(in[0], p->shape),
                                p->keep);
    }
}

/* Ops with discontinuous results: only exact operands. */
static bool choose_order(rg_graph *g, rg_step *s, orr_shape shape)
{
    static const char *const names[] = { "sort", "argsort", "topk", "searchsorted" };
    s->p.axis = rg_pick(g, ORDERS);
    s->p.keep = rg_pick(g, 2);
    s->p.shape = ORR_SHAPE(orr__shape_count(&shape));
    s->nin = 1;
    s->apply = apply_order;
    s->name = names[s->p.axis];
    s->smooth = false;
    return shape.dim[shape.rank - 1] > 0;
}

bool rg_choose_science(rg_graph *g, rg_step *s)
{
    int i = g->last, kind = rg_pick(g, 5);
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    orr_shape shape = orr_tensor_shape(g->v[i].t);
    if ((d != ORR_F32 && d != ORR_F64) || shape.rank < 2 || !orr__shape_count(&shape) || !g->v[i].finite ||
        (kind == 4 && g->v[i].err)) { /* a value that fits */
        d = rg_pick(g, 2) ? ORR_F32 : ORR_F64;
        shape = ORR_SHAPE(2 + rg_pick(g, 6), 2 + rg_pick(g, 9));
        if (getenv("ORR_TEST_LARGE")) /* several tiles */
            shape = ORR_SHAPE(20 + rg_pick(g, 60), shape.dim[0], shape.dim[1]);
        i = rg_leaf(g, d, shape);
    }
    if (i < 0)
        return false;
    s->in[0] = i;
    s->smooth = true;
    return kind < 2   ? choose_matrix(g, s, d, shape)
           : kind < 4 ? choose_line(g, s, d, shape)
                      : choose_order(g, s, shape);
}
