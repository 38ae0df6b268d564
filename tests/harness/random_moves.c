/* Random graphs: ops that move elements, and ops that make tensors without operands.
 * Must not know: engines. */
#include "config.h"

#include "tests/harness/random_graph.h"

static orr_shape shape_of(const rg_graph *g, int i)
{
    return orr_tensor_shape(g->v[i].t);
}

/* -- views -- */

enum { RESHAPE, PERMUTE, TRANSPOSE, BROADCAST, EXPAND, SQUEEZE, SLICE, SELECT, FLIP, PAD, TRIL, TRIU, VIEWS };

static orr_tensor *apply_view(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *x = in[0];
    (void)n;
    switch ((int)p->x) {
    case RESHAPE: return orr_reshape(x, p->shape);
    case PERMUTE: return orr_permute(x, p->axes);
    case TRANSPOSE: return orr_transpose(x);
    case BROADCAST: return orr_broadcast_to(x, p->shape);
    case EXPAND: return orr_expand_dims(x, p->axis);
    case SQUEEZE: return orr_squeeze(x, ORR_ALL_AXES);
    case SLICE: return orr_slice(x, p->a, p->b, p->c);
    case SELECT: return orr_select(x, p->axis, p->a.v[0]);
    case FLIP: return orr_flip(x, p->axes);
    case PAD: return orr_pad(x, p->a, p->b, p->y);
    case TRIL: return orr_tril(x, p->a.v[0]);
    default: return orr_triu(x, p->a.v[0]);
    }
}

/* Other dimensions with the same count: two axes joined, or one split. */
static orr_shape reshaped(rg_graph *g, orr_shape s)
{
    if (s.rank > 1 && rg_pick(g, 2)) {
        int k = rg_pick(g, s.rank - 1);
        s.dim[k] *= s.dim[k + 1];
        for (int i = k + 1; i + 1 < s.rank; i++)
            s.dim[i] = s.dim[i + 1];
        s.rank--;
    } else if (s.rank && s.rank < 5) {
        int k = rg_pick(g, s.rank);
        int64_t part = s.dim[k] % 3 == 0 && s.dim[k] ? 3 : s.dim[k] % 2 == 0 && s.dim[k] ? 2 : 1;
        for (int i = s.rank++; i > k; i--)
            s.dim[i] = s.dim[i - 1];
        s.dim[k] = part;
        s.dim[k + 1] /= part;
    } else if (!s.rank) {
        s = ORR_SHAPE(1, 1);
    }
    return s;
}

static orr_shape broadcasted(rg_graph *g, orr_shape s)
{
    for (int i = 0; i < s.rank; i++)
        if (s.dim[i] == 1 && rg_pick(g, 2))
            s.dim[i] = rg_pick(g, 6);
    if (s.rank < 4 && rg_pick(g, 2)) {
        for (int i = s.rank++; i > 0; i--)
            s.dim[i] = s.dim[i - 1];
        s.dim[0] = 1 + rg_pick(g, 3);
    }
    return s;
}

static orr_axes shuffled(rg_graph *g, int rank)
{
    orr_axes a = { rank, { 0, 1, 2, 3, 4, 5, 6, 7 } };
    for (int i = rank - 1; i > 0; i--) {
        int j = rg_pick(g, i + 1), t = a.axis[i];
        a.axis[i] = a.axis[j];
        a.axis[j] = t;
    }
    return a;
}

static void choose_slice(rg_graph *g, rg_param *p, orr_shape shape)
{
    p->a.n = p->b.n = p->c.n = shape.rank;
    for (int i = 0; i < shape.rank; i++) {
        int n = (int)shape.dim[i];
        p->c.v[i] = rg_pick(g, 2) ? 1 : (int64_t[]){ -1, 2, -2, 3, 1, -3 }[rg_pick(g, 6)];
        p->a.v[i] = rg_pick(g, 2) ? ORR_END : rg_pick(g, n + 1) - (rg_pick(g, 2) ? n : 0);
        p->b.v[i] = rg_pick(g, 2) ? ORR_END : rg_pick(g, n + 2) - (rg_pick(g, 2) ? n : 0);
    }
}

static bool choose_view(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "reshape", "permute", "transpose", "broadcast_to", "expand_dims", "squeeze",
                                         "slice",   "select",  "flip",      "pad",          "tril",        "triu" };
    int i = rg_any(g), kind = rg_pick(g, VIEWS);
    orr_shape shape = shape_of(g, i);
    rg_param *p = &s->p;
    s->in[0] = i;
    s->nin = 1;
    s->apply = apply_view;
    s->name = names[kind];
    s->smooth = true;
    p->x = kind;
    p->shape = kind == RESHAPE ? reshaped(g, shape) : broadcasted(g, shape);
    p->axes = shuffled(g, shape.rank);
    if (kind == FLIP && shape.rank)
        p->axes.n = 1 + rg_pick(g, shape.rank);
    int places = shape.rank + (kind == EXPAND);
    p->axis = places ? rg_pick(g, places) - (rg_pick(g, 2) ? places : 0) : 0;
    if (kind == SLICE)
        choose_slice(g, p, shape);
    else
        p->a = p->b = (orr_index){ shape.rank, { rg_pick(g, 3), rg_pick(g, 2), rg_pick(g, 2), 0, 1 } };
    p->y = rg_pick(g, 2);
    if (kind == SELECT)
        return shape.rank && shape.dim[p->axis < 0 ? p->axis + shape.rank : p->axis] > p->a.v[0];
    if (kind == TRIL || kind == TRIU || kind == TRANSPOSE)
        return shape.rank >= 2;
    return kind != PAD || shape.rank <= 4;
}

/* -- by index, joined -- */

static orr_tensor *apply_index(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *remain = n > 1 ? orr_remainder(in[1], orr_full(orr_tensor_dtype(in[1]), ORR_SHAPE_0D, p->y)) : NULL;
    switch ((int)p->x) {
    case 0: return orr_take(in[0], remain, p->axis);
    case 1: return orr_scatter_add(in[0], remain, in[2], p->axis);
    default: return orr_one_hot(in[0], p->a.v[0], p->d);
    }
}

static bool choose_index(rg_graph *g, rg_step *s)
{
    static const orr_dtype kinds[] = { ORR_I64, ORR_I32, ORR_U8, ORR_I16 };
    int i = rg_any(g), kind = rg_pick(g, 3);
    orr_shape shape = shape_of(g, i), to = shape;
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    s->in[0] = i;
    s->nin = kind == 2 ? 1 : 2 + kind;
    s->apply = apply_index;
    s->name = kind == 0 ? "take" : kind == 1 ? "scatter_add" : "one_hot";
    s->p.x = kind;
    s->p.a.v[0] = rg_pick(g, 6);
    s->p.d = (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES);
    s->smooth = true;
    if (kind == 2)
        return orr__is_int(d) && shape.rank < 5;
    if (!shape.rank || !orr__shape_count(&shape) || d == ORR_BOOL)
        return false;
    s->p.axis = rg_pick(g, shape.rank);
    s->p.y = (double)(shape.dim[s->p.axis] > 100 ? 100 : shape.dim[s->p.axis]);
    int many = 1 + rg_pick(g, 5);
    s->in[1] = rg_leaf(g, kinds[rg_pick(g, 4)], ORR_SHAPE(many));
    to.dim[s->p.axis] = many;
    if (kind == 1) {
        s->in[2] = rg_leaf(g, d, to);
        s->terms = orr__is_float(d) ? many : 0;
    }
    return s->in[1] >= 0 && (kind == 0 || s->in[2] >= 0);
}

static orr_tensor *apply_join(orr_tensor *const *in, int n, const rg_param *p)
{
    return p->keep ? orr_stack(in, n, p->axis) : orr_concat(in, n, p->axis);
}

static bool choose_join(rg_graph *g, rg_step *s)
{
    int i = rg_any(g);
    orr_shape shape = shape_of(g, i);
    if (!shape.rank || shape.rank > 4)
        return false;
    s->p.keep = rg_pick(g, 2);
    s->p.axis = rg_pick(g, shape.rank);
    s->nin = 1 + rg_pick(g, 4);
    s->in[rg_pick(g, s->nin)] = i;
    for (int k = 0; k < s->nin; k++) {
        orr_shape one = shape;
        if (!s->p.keep)
            one.dim[s->p.axis] = rg_pick(g, 4);
        s->in[k] = rg_pick(g, 2) ? i : rg_leaf(g, orr_tensor_dtype(g->v[i].t), one);
        if (s->in[k] < 0)
            return false;
    }
    s->apply = apply_join;
    s->name = s->p.keep ? "stack" : "concat";
    s->smooth = true;
    return true;
}

/* -- from nothing -- */

static orr_tensor *apply_make(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)in;
    (void)n;
    orr_seed(p->seed);
    switch (p->axis) {
    case 0: return orr_full(p->d, p->shape, 1);
    case 1: return orr_arange(p->d, p->x, p->x + 7, 2);
    case 2: return orr_linspace(p->d, -p->x, 2, 1 + (int64_t)p->y);
    case 3: return orr_eye(p->d, 3, 1 + (int64_t)p->y, (int64_t)p->x - 2);
    case 4: return orr_rand(p->d, p->shape, 0, 1);
    case 5: return orr_randint(p->d, p->shape, 0, 100);
    case 6: return orr_permutation((int64_t)p->y);
    case 7: return orr_bernoulli(p->shape, 0.4);
    default: return orr_randn(p->d, p->shape, 0, 1);
    }
}

static bool choose_make(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "full",    "arange",      "linspace",  "eye",  "rand",
                                         "randint", "permutation", "bernoulli", "randn" };
    int kind = rg_pick(g, 9);
    orr_dtype d = (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES);
    s->nin = 0;
    s->apply = apply_make;
    s->name = names[kind];
    s->p.axis = kind;
    s->p.d = d;
    s->p.shape = ORR_SHAPE(1 + rg_pick(g, 5), rg_pick(g, 8));
    s->p.x = rg_pick(g, 5);
    s->p.y = rg_pick(g, 9);
    s->p.seed = orr_test_rand(&g->state);
    if (kind == 8)
        s->ulps = 8;
    if (kind == 1)
        return d != ORR_BOOL;
    if (kind == 5)
        return orr__is_int(d);
    return (kind != 2 && kind != 4 && kind != 8) || orr__is_float(d);
}

bool rg_choose_move(rg_graph *g, rg_step *s)
{
    int r = rg_pick(g, 31);
    if (r < 17)
        return choose_view(g, s);
    if (r < 22)
        return choose_index(g, s);
    if (r < 26)
        return choose_join(g, s);
    return choose_make(g, s);
}
