/* Random graphs: real values that go through complex numbers and come back.
 * Must not know: engines. */
#include "config.h"

#include "tests/harness/random_graph.h"

enum { DIFFERENCE, TURNED, JOINED, SQUARE, SIZE, SUM, KINDS };

static orr_tensor *apply_complex(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    orr_tensor *z = orr_complex(in[0], in[1]);
    switch (p->axis) {
    case DIFFERENCE: return orr_sub(orr_real(z), orr_imag(orr_conj(z)));
    case TURNED: return orr_imag(orr_flip(orr_transpose(z), ORR_AXES(-1)));
    case JOINED: return orr_real(orr_concat(ORR_TENSORS(orr_neg(z), orr_conj(z)), -1));
    case SQUARE: return orr_real(orr_square(z));
    case SIZE: return orr_abs(z);
    default: return orr_imag(orr_sum(z, ORR_AXES(-1), p->keep));
    }
}

bool rg_choose_complex(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "difference", "turned", "joined", "square", "size", "sum" };
    int i = g->last, kind = rg_pick(g, KINDS);
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    orr_shape shape = orr_tensor_shape(g->v[i].t);
    if ((d != ORR_F32 && d != ORR_F64) || shape.rank < 2 || !g->v[i].finite)
        return false;
    s->p.axis = kind;
    s->p.keep = rg_pick(g, 2);
    s->in[0] = i;
    s->in[1] = rg_leaf(g, d, shape);
    s->nin = 2;
    s->apply = apply_complex;
    s->name = names[kind];
    s->smooth = true;
    s->slack = kind == SQUARE || kind == SIZE ? 8 : 0;
    s->square = kind == SQUARE;
    s->terms = kind == SUM ? (double)shape.dim[shape.rank - 1] : 0;
    return s->in[1] >= 0;
}
