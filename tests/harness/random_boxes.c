/* Random graphs of boxes: arrays that are rolled, joined, bordered, cut with steps, compared with their neighbours, combined and folded, of
 * rows of 1 to 70 and longer ones, of every dtype, and gradients through all this.
 * Must not know: engines. */
#include "config.h"

#include <orrery/array.h>
#include "tests/harness/random_graph.h"

enum {
    ROLL,
    HALVES,
    SHIFT,
    DIFF,
    CUT,
    FLIPPED,
    STACKED,
    TRIANGLE,
    ADD,
    MOST,
    WHERE,
    NEGATED,
    CAST,
    FOLD,
    FOLD_MOST,
    PLACE,
    ROWS,
    GRADIENT,
    MOVES
};

static const char *const names[MOVES] = { "roll",    "halves",   "shift",     "diff",  "cut",   "flipped",
                                          "stacked", "triangle", "add",       "most",  "where", "negated",
                                          "cast",    "fold",     "fold_most", "place", "rows",  "gradient" };

static int64_t length(orr_tensor *x, int axis)
{
    return orr_tensor_shape(x).dim[axis];
}

/* Rows [0, cut) of a, then rows [cut, n) of b. */
static orr_tensor *halves(orr_tensor *a, orr_tensor *b, int axis, int64_t cut)
{
    orr_tensor *first = orr_slice_axis(a, axis, 0, cut, 1);
    return orr_concat(ORR_TENSORS(first, orr_slice_axis(b, axis, cut, length(b, axis), 1)), axis);
}

/* x moved by `by` places, with a border of `value`. */
static orr_tensor *shifted(orr_tensor *x, int axis, int64_t by, double value)
{
    orr_index lo = { axis + 1, { 0 } }, hi = lo;
    int64_t n = length(x, axis);
    lo.v[axis] = by > 0 ? by : 0;
    hi.v[axis] = by < 0 ? -by : 0;
    return orr_pad(orr_slice_axis(x, axis, by > 0 ? 0 : -by, by > 0 ? n - by : n, 1), lo, hi, value);
}

/* The derivative of what a program does with neighbours, by x. */
static orr_tensor *gradient(orr_tensor *x, const rg_param *p)
{
    orr_tensor *g = NULL, *y = NULL;
    int64_t by = p->a.v[0];
    switch (p->b.v[0]) {
    case 0: y = orr_mul(orr_roll(x, p->a, p->axes), x); break;
    case 1: y = orr_mul(shifted(x, p->axis, by, 1), orr_roll(x, p->a, p->axes)); break;
    case 2: y = orr_mul(orr_sub(orr_roll(x, p->a, p->axes), x), orr_flip(x, ORR_AXES(p->axis))); break;
    default: y = orr_maximum(halves(x, orr_roll(x, p->a, p->axes), p->axis, by < 0 ? -by : by), x); break;
    }
    orr_status st = orr_grad(y, &x, 1, &g);
    ORR_CHECK_MSG(st == ORR_OK, "gradient: %s", orr_error_message());
    return g;
}

static orr_tensor *apply(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *x = in[0], *y = in[n - 1];
    int64_t by = p->a.v[0];
    orr_axes one = ORR_AXES(p->axis);
    switch ((int)p->x) {
    case ROLL: return orr_roll(x, p->a, p->axes);
    case HALVES: return halves(x, y, p->axis, by < 0 ? -by : by);
    case SHIFT: return shifted(x, p->axis, by, p->y);
    case DIFF: {
        orr_tensor *first = orr_slice_axis(x, p->axis, 0, 1, 1), *last = orr_slice_axis(x, p->axis, -1, ORR_END, 1);
        orr_tensor *d = orr_diff(x, p->axis, 1, p->keep ? last : first, p->b.v[0] ? first : NULL);
        return orr_slice_axis(d, p->axis, 0, length(x, p->axis), 1);
    }
    case CUT: return orr_slice_axis(x, p->axis, p->a.v[0], p->b.v[0], p->c.v[0]);
    case FLIPPED: return p->keep ? orr_transpose(x) : orr_flip(x, p->axes);
    case STACKED: return orr_stack(in, n, p->axis);
    case TRIANGLE: return p->keep ? orr_tril(x, by) : orr_triu(x, by);
    case ADD: return p->keep ? orr_sub(x, y) : orr_add(x, y);
    case MOST: return p->keep ? orr_maximum(x, y) : orr_minimum(x, y);
    case WHERE: return orr_where(orr_less(x, y), orr_roll(x, p->a, p->axes), y);
    case NEGATED: return p->keep ? orr_abs(x) : orr_neg(x);
    case CAST: return orr_cast(x, p->d);
    case FOLD: return orr_sum(x, one, p->keep);
    case FOLD_MOST: return orr_tensor_dtype(x) == ORR_BOOL ? orr_any(x, one, p->keep) : orr_max(x, one, p->keep);
    case PLACE: return p->keep ? orr_argmin(x, p->axis, false) : orr_argmax(x, p->axis, false);
    case ROWS: return orr_sub(x, orr_max(x, ORR_AXES(-1), true));
    default: return gradient(x, p);
    }
}

/* A value of x's shape and dtype, a new one if there is none. */
static int beside(rg_graph *g, int x)
{
    orr_shape s = orr_tensor_shape(g->v[x].t);
    orr_dtype d = orr_tensor_dtype(g->v[x].t);
    for (int tries = 0; tries < 8; tries++) {
        int i = rg_pick(g, g->n);
        orr_shape other = orr_tensor_shape(g->v[i].t);
        if (i != x && orr_tensor_dtype(g->v[i].t) == d && orr__shape_equal(&s, &other))
            return i;
    }
    return rg_pick(g, 2) ? x : rg_leaf(g, d, s);
}

static bool fits(const rg_graph *g, int kind, int x, orr_dtype d, int rank)
{
    bool is_complex = orr__is_complex(d), floats = orr__is_float(d);
    switch (kind) {
    case DIFF:
    case ADD:
    case NEGATED: return d != ORR_BOOL;
    case TRIANGLE: return rank >= 2;
    case STACKED: return rank <= 4;
    case FLIPPED: return rank >= 1;
    case MOST:
    case FOLD: return d != ORR_BOOL && !is_complex;
    case FOLD_MOST: return !is_complex;
    case PLACE:
    case WHERE: return !is_complex && d != ORR_BOOL && !g->v[x].err;
    case CAST: return !is_complex && (!floats || !g->v[x].err);
    case ROWS: return floats;
    case GRADIENT: return floats && !g->v[x].err;
    default: return true;
    }
}

/* Chooses the numbers of a step on axis p->axis of n elements. */
static void numbers(rg_graph *g, rg_step *s, int rank, int n)
{
    rg_param *p = &s->p;
    int far = rg_pick(g, 3) ? rg_pick(g, n < 4 ? n : 4) : rg_pick(g, n);
    p->a = (orr_index){ 1, { rg_pick(g, 2) ? far : -far } };
    p->b = (orr_index){ 1, { rg_pick(g, 4) } };
    p->axes = ORR_AXES(p->axis);
    int kind = (int)p->x, other = rg_pick(g, rank);
    if (kind == ROLL && other != p->axis && rg_pick(g, 2)) {
        p->a = ORR_INDEX(p->a.v[0], rg_pick(g, 7) - 3);
        p->axes = ORR_AXES(p->axis, other);
    } else if (kind == CUT) {
        static const int step[] = { 1, 1, -1, 2, -2, 3, -3 };
        p->c.v[0] = step[rg_pick(g, 7)];
        bool back = p->c.v[0] < 0;
        p->a.v[0] = back ? n - 1 - rg_pick(g, 2) : rg_pick(g, 3);
        p->b.v[0] = back ? (rg_pick(g, 2) ? ORR_END : 0) : n - rg_pick(g, 3);
    }
}

/* Chooses a move and suitable operands. False: none this time. */
static bool choose(rg_graph *g, rg_step *s)
{
    int x = rg_pick(g, 2) ? g->n - 1 : rg_pick(g, g->n), kind = rg_pick(g, MOVES);
    orr_shape shape = orr_tensor_shape(g->v[x].t);
    orr_dtype d = orr_tensor_dtype(g->v[x].t);
    kind = rg_pick(g, 4) ? kind : rg_pick(g, 3) ? ADD : ROLL; /* programs that add what they move are the most usual */
    if (shape.rank == 0 || orr__shape_count(&shape) == 0 || !fits(g, kind, x, d, shape.rank))
        return false;
    *s = (rg_step){ .name = names[kind], .apply = apply, .nin = 1, .in = { x }, .smooth = kind != PLACE };
    s->p.x = kind;
    s->p.y = rg_pick(g, d == ORR_BOOL ? 2 : 3);
    s->p.keep = rg_pick(g, 2) && (kind != FLIPPED || shape.rank >= 2);
    s->p.axis = rg_pick(g, shape.rank + (kind == STACKED));
    s->p.d = (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES);
    s->p.keep = s->p.keep && !(kind == NEGATED && orr__is_complex(d));
    if (kind == HALVES || kind == STACKED || kind == ADD || kind == MOST || kind == WHERE)
        s->in[s->nin++] = beside(g, x);
    if (kind == STACKED && rg_pick(g, 2))
        s->in[s->nin++] = beside(g, x);
    for (int k = 0; k < s->nin; k++)
        if (s->in[k] < 0)
            return false;
    if (kind != STACKED)
        numbers(g, s, shape.rank, (int)shape.dim[s->p.axis]);
    if (kind == FOLD && orr__is_float(d))
        s->terms = (double)shape.dim[s->p.axis];
    return true;
}

void rg_boxes(rg_graph *g, unsigned long long seed, int ops)
{
    rg_begin(g, seed);
    int rank = 1 + rg_pick(g, 3), left = RG_ELEMENTS / 4;
    orr_shape s = { rank, { 0 } };
    for (int d = rank - 1; d >= 0; d--) {
        int n = rg_pick(g, 4) ? 1 + rg_pick(g, 70) : 1 + rg_pick(g, 3000);
        s.dim[d] = n < left ? n : left;
        left /= (int)s.dim[d];
    }
    orr_dtype d = (orr_dtype)rg_pick(g, ORR_C128 + 1);
    (void)rg_leaf(g, d, s);
    (void)rg_leaf(g, rg_pick(g, 3) ? d : (orr_dtype)rg_pick(g, ORR_C128 + 1), s);
    for (int want = 4 + rg_pick(g, 14); want > 0 && ops > 0 && g->n < RG_VALUES; want--, ops--) {
        rg_step step;
        for (int tries = 0; tries < 50 && !(choose(g, &step) && rg_commit(g, &step)); tries++)
            continue;
    }
}
