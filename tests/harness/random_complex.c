/* Random graphs: complex values, made of real ones or leaves, and ops that lead back to real values.
 * Must not know: engines. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/fft.h>
#include "tests/harness/random_graph.h"

enum { NEG, CONJ, SQUARE, SIN, EXP, ADD, SUB, MUL, DIV, EQUAL, CHOICE, ELEMENTS };
enum { TRANSPOSED = ELEMENTS, FLIPPED, FLAT, HALF, JOINED, TAKEN, PADDED, MOVES };
enum { SUM = MOVES, MEAN, PRODUCT, CUMULATIVE, CUMULATIVE_PRODUCT, MATMUL, DOT, SPECTRUM, SPECTRA, FOLDS };
enum { REAL = FOLDS, IMAG, SIZE, NORM, COUNT, KINDS };

static orr_tensor *apply_complex(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *z = in[0], *w = n > 1 ? in[1] : z;
    orr_shape s = orr_tensor_shape(z);
    int last = s.rank - 1;
    switch (p->axis) {
    case NEG: return orr_neg(z);
    case CONJ: return orr_conj(z);
    case SQUARE: return orr_square(z);
    case SIN: return orr_sin(z);
    case EXP: return orr_exp(z);
    case ADD: return orr_add(z, w);
    case SUB: return orr_sub(z, w);
    case MUL: return orr_mul(z, w);
    case DIV: return orr_div(z, orr_add(w, orr_scalar(5))); /* away from the pole */
    case EQUAL: return orr_equal(z, p->keep ? w : z);
    case CHOICE: return orr_where(orr_greater(orr_imag(w), orr_scalar(0)), z, w);
    case TRANSPOSED: return orr_transpose(z);
    case FLIPPED: return orr_flip(z, ORR_AXES(last));
    case FLAT: return orr_reshape(z, ORR_SHAPE(1, -1));
    case HALF: return orr_slice_axis(z, last, p->keep, ORR_END, 2);
    case JOINED: return orr_concat(ORR_TENSORS(z, w), p->keep ? 0 : last);
    case TAKEN: return orr_take(z, orr_from(ORR_I64, ORR_SHAPE(3), (int64_t[]){ 0, -1, 0 }), last);
    case PADDED: return orr_pad(z, ORR_INDEX(1, 0), ORR_INDEX(0, 2), 3);
    case SUM: return orr_sum(z, ORR_AXES(last), p->keep);
    case MEAN: return orr_mean(z, ORR_AXES(0), p->keep);
    case PRODUCT: return orr_prod(orr_sin(z), ORR_AXES(last), p->keep);
    case CUMULATIVE: return orr_cumulative_sum(z, last, p->keep);
    case CUMULATIVE_PRODUCT: return orr_cumulative_prod(orr_sin(z), 0, p->keep);
    case MATMUL: return orr_matmul(z, p->keep ? orr_conj(orr_transpose(w)) : orr_transpose(w));
    case DOT: return orr_vecdot(z, w, -1);
    case SPECTRUM: return p->keep ? orr_fft(z, 0, -1, ORR_FFT_ORTHO) : orr_ifft(z, 0, 0, ORR_FFT_BACKWARD);
    case SPECTRA: return orr_fftshift(orr_fftn(z, ORR_NO_INDEX, ORR_ALL_AXES, ORR_FFT_FORWARD), ORR_ALL_AXES);
    case REAL: return orr_real(z);
    case IMAG: return orr_imag(z);
    case SIZE: return orr_abs(z);
    case NORM: return orr_norm(z, ORR_AXES(0), p->keep);
    default: return orr_count_nonzero(z, ORR_AXES(last), p->keep);
    }
}

static orr_tensor *apply_pair(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    (void)p;
    return orr_complex(in[0], in[1]);
}

/* Makes a complex value of the latest real value and a leaf, or a complex leaf. */
static bool choose_new(rg_graph *g, rg_step *s)
{
    int i = g->last;
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    orr_shape shape = orr_tensor_shape(g->v[i].t);
    if ((d != ORR_F32 && d != ORR_F64) || shape.rank < 2 || !g->v[i].finite || rg_pick(g, 3) == 0) {
        g->last_complex =
            rg_leaf(g, rg_pick(g, 2) ? ORR_C64 : ORR_C128, ORR_SHAPE(1 + rg_pick(g, 6), 1 + rg_pick(g, 6)));
        return false; /* the caller chooses another step */
    }
    s->in[0] = i;
    s->in[1] = rg_leaf(g, d, shape);
    s->nin = 2;
    s->apply = apply_pair;
    s->name = "complex";
    return s->in[1] >= 0;
}

static bool is_one_of(int kind, const int *of, int n)
{
    for (int i = 0; i < n; i++)
        if (of[i] == kind)
            return true;
    return false;
}

bool rg_choose_complex(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "z_neg",
                                         "z_conj",
                                         "z_square",
                                         "z_sin",
                                         "z_exp",
                                         "z_add",
                                         "z_sub",
                                         "z_mul",
                                         "z_div",
                                         "z_equal",
                                         "z_where",
                                         "z_transpose",
                                         "z_flip",
                                         "z_reshape",
                                         "z_slice",
                                         "z_concat",
                                         "z_take",
                                         "z_pad",
                                         "z_sum",
                                         "z_mean",
                                         "z_prod",
                                         "z_cumulative_sum",
                                         "z_cumulative_prod",
                                         "z_matmul",
                                         "z_vecdot",
                                         "z_fft",
                                         "z_fftn",
                                         "real",
                                         "imag",
                                         "z_abs",
                                         "z_norm",
                                         "z_count_nonzero" };
    static const int exact[] = { NEG, CONJ, ADD, SUB, CHOICE, REAL, IMAG, EQUAL, COUNT };
    static const int two[] = { ADD, SUB, MUL, DIV, EQUAL, CHOICE, JOINED, MATMUL, DOT };
    int i = g->last_complex, kind = rg_pick(g, KINDS);
    if (i < 0 || rg_pick(g, 5) == 0)
        return choose_new(g, s);
    orr_shape shape = orr_tensor_shape(g->v[i].t);
    int64_t count = orr__shape_count(&shape), length = shape.rank ? shape.dim[shape.rank - 1] : 0;
    if (shape.rank != 2 || !count || !g->v[i].finite)
        return choose_new(g, s);
    s->in[0] = i;
    s->nin = 1;
    if (is_one_of(kind, two, sizeof two / sizeof *two))
        s->in[s->nin++] = rg_leaf(g, orr_tensor_dtype(g->v[i].t), shape);
    s->p.axis = kind;
    s->p.keep = rg_pick(g, 2);
    s->apply = apply_complex;
    s->name = names[kind];
    s->smooth = kind != EQUAL && kind != COUNT;
    bool moves = kind >= ELEMENTS && kind < MOVES;
    if (moves || is_one_of(kind, exact, sizeof exact / sizeof *exact))
        return s->in[s->nin - 1] >= 0;
    s->sums = true;
    s->ulps = 32;
    s->square = kind == MATMUL || kind == DOT || kind == MUL || kind == SQUARE;
    s->slack =
        kind < ELEMENTS ? 16 : 16 * (double)(kind == SPECTRUM || kind == SPECTRA ? count : length + shape.dim[0]);
    return s->in[s->nin - 1] >= 0;
}
