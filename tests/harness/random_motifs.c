/* Random graphs: frequent patterns of programs, as several ops on existing values: normalised rows, products with
 * epilogues, gathered rows, masks, updates of parameters, statistics, frames and joined arrays.
 * Must not know: engines. */
#include "config.h"

#include "tests/harness/random_graph.h"

typedef orr_tensor *apply_fn(orr_tensor *const *in, int n, const rg_param *p);

static orr_dtype dtype_of(const rg_graph *g, int i)
{
    return orr_tensor_dtype(g->v[i].t);
}

static orr_shape shape_of(const rg_graph *g, int i)
{
    return orr_tensor_shape(g->v[i].t);
}

/* -- single ops; -1 in, -1 out: a motif ends where an op does not fit --------------------------------------- */

static int commit(rg_graph *g, rg_step *s, apply_fn *apply, const char *name)
{
    for (int k = 0; k < s->nin; k++)
        if (s->in[k] < 0)
            return -1;
    s->apply = apply;
    s->name = name;
    s->smooth = true;
    return rg_commit(g, s) ? g->n - 1 : -1;
}

static orr_tensor *apply_row(orr_tensor *const *in, int n, const rg_param *p)
{
    return orr__ew_record(ORR__SITE(__FILE__, __LINE__, p->row->op.name), p->row, in[0], n > 1 ? in[1] : NULL,
                          n > 2 ? in[2] : NULL);
}

static int row(rg_graph *g, const char *name, int a, int b, int c)
{
    const orr__ewrow *r = orr__ew_find(name);
    rg_step s = { .nin = r->arity, .in = { a, b, c }, .ulps = r->ulp, .p.row = r };
    return commit(g, &s, apply_row, name);
}

static orr_tensor *apply_scaled(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_add(orr_mul(in[0], orr_scalar(p->x)), orr_scalar(p->y));
}

/* x·by + plus, with scalars of x's dtype */
static int scaled(rg_graph *g, int x, double by, double plus)
{
    rg_step s = { .nin = 1, .in = { x }, .p = { .x = by, .y = plus } };
    return commit(g, &s, apply_scaled, "scaled");
}

static orr_tensor *apply_fold(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    switch (p->axis) {
    case 0: return orr_sum(in[0], ORR_AXES(-1), true);
    case 1: return orr_max(in[0], ORR_AXES(-1), true);
    case 2: return orr_mean(in[0], ORR_AXES(-1), true);
    case 3: return orr_var(in[0], ORR_AXES(-1), 0, true);
    default: return orr_logsumexp(in[0], ORR_AXES(-1), true);
    }
}

/* A fold over the last axis, which remains with length 1. */
static int fold(rg_graph *g, int kind, int x)
{
    static const char *const names[] = { "row_sum", "row_max", "row_mean", "row_var", "row_logsumexp" };
    rg_step s = { .nin = 1, .in = { x }, .p.axis = kind, .sums = kind != 1, .square = kind == 3 };
    if (x < 0)
        return -1;
    orr_shape shape = shape_of(g, x);
    s.terms = kind == 0 ? (double)shape.dim[shape.rank - 1] : 0;
    s.slack = kind >= 2 ? 64 : 0;
    return commit(g, &s, apply_fold, names[kind]);
}

static orr_tensor *apply_statistic(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    switch (p->axis) {
    case 0: return orr_sum(in[0], p->axes, p->keep);
    case 1: return orr_max(in[0], p->axes, p->keep);
    case 2: return orr_min(in[0], p->axes, p->keep);
    default: return orr_mean(in[0], p->axes, p->keep);
    }
}

static int statistic(rg_graph *g, int kind, int x, orr_axes axes)
{
    static const char *const names[] = { "sum_of", "max_of", "min_of", "mean_of" };
    bool sums = kind == 0 || kind == 3;
    rg_step s = { .nin = 1, .in = { x }, .p = { .axis = kind, .axes = axes, .keep = rg_pick(g, 2) }, .sums = sums };
    if (x < 0)
        return -1;
    orr_shape shape = shape_of(g, x);
    s.terms = kind ? 0 : (double)orr__shape_count(&shape);
    s.slack = kind == 3 ? 64 : 0;
    return commit(g, &s, apply_statistic, names[kind]);
}

static orr_tensor *apply_concat(orr_tensor *const *in, int n, const rg_param *p)
{
    return orr_concat(in, n, p->axis);
}

static orr_tensor *apply_frame(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_pad(in[0], p->a, p->b, p->y);
}

static int frame(rg_graph *g, int x, int before, int behind)
{
    rg_step s = { .nin = 1,
                  .in = { x },
                  .p = { .a = ORR_INDEX(before, behind), .b = ORR_INDEX(behind, before), .y = 3 } };
    return commit(g, &s, apply_frame, "frame");
}

static orr_tensor *apply_window(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_slice(in[0], p->a, p->b, p->c);
}

/* Rows and columns of `framed` from (row, col) on, of the shape of x, which has rank 2. */
static int window(rg_graph *g, int framed, int x, int row, int col)
{
    rg_step s = { .nin = 1, .in = { framed } };
    if (framed < 0 || x < 0)
        return -1;
    orr_shape shape = shape_of(g, x);
    s.p.a = ORR_INDEX(row, col);
    s.p.b = ORR_INDEX(row + shape.dim[0], col + shape.dim[1]);
    s.p.c = ORR_INDEX(1, 1);
    return commit(g, &s, apply_window, "window");
}

static orr_tensor *apply_product(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_matmul(in[0], p->keep ? orr_transpose(in[1]) : in[1]);
}

static int product(rg_graph *g, int a, int b, bool turned)
{
    rg_step s = { .nin = 2, .in = { a, b }, .p.keep = turned, .sums = true };
    if (a < 0 || b < 0)
        return -1;
    orr_shape shape = shape_of(g, a);
    s.terms = (double)shape.dim[shape.rank - 1] + 1;
    return commit(g, &s, apply_product, "product");
}

static orr_tensor *apply_rows_of(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_take(in[0], orr_remainder(in[1], orr_full(orr_tensor_dtype(in[1]), ORR_SHAPE_0D, p->y)), 0);
}

/* Rows of a table by index. */
static int rows_of(rg_graph *g, int table, int which)
{
    rg_step s = { .nin = 2, .in = { table, which } };
    if (table < 0 || which < 0)
        return -1;
    int64_t rows = shape_of(g, table).dim[0];
    s.p.y = (double)(rows < 100 ? rows : 100);
    return commit(g, &s, apply_rows_of, "rows_of");
}

static orr_tensor *apply_dropout(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    orr_shape shape = orr_tensor_shape(in[0]);
    orr_seed(p->seed);
    if (p->keep)
        return orr_where(orr_bernoulli(shape, 0.75), orr_mul(in[0], orr_scalar(1.25)), orr_scalar(0));
    orr_tensor *mask = orr_less(orr_rand(ORR_F32, shape, 0, 1), orr_scalar(0.75));
    return orr_mul(in[0], orr_cast(mask, orr_tensor_dtype(in[0])));
}

static int dropout(rg_graph *g, int x)
{
    rg_step s = { .nin = 1, .in = { x }, .p = { .keep = rg_pick(g, 2), .seed = orr_test_rand(&g->state) } };
    return commit(g, &s, apply_dropout, "dropout");
}

/* -- operands ------------------------------------------------------------------------------------------------ */

static orr_dtype some_float(rg_graph *g)
{
    static const orr_dtype some[] = { ORR_F32, ORR_F32, ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
    return some[rg_pick(g, 6)];
}

/* Rows to fold: an existing value or a new one; some rows are longer than a block of the interpreter. */
static int some_rows(rg_graph *g)
{
    for (int tries = 0; tries < 4; tries++) {
        int i = rg_any(g);
        orr_shape s = shape_of(g, i);
        if (orr__is_float(dtype_of(g, i)) && s.rank >= 2 && s.rank <= 4 && g->v[i].finite && s.dim[s.rank - 1] > 1 &&
            orr__shape_count(&s))
            return i;
    }
    int r = rg_pick(g, 12);
    if (r == 0)
        return rg_leaf(g, some_float(g), ORR_SHAPE(1 + rg_pick(g, 4), 1000 + rg_pick(g, 300)));
    if (r == 1)
        return rg_leaf(g, some_float(g), ORR_SHAPE(30 + rg_pick(g, 60), 30 + rg_pick(g, 60)));
    if (r < 5)
        return rg_leaf(g, some_float(g), ORR_SHAPE(1 + rg_pick(g, 3), 1 + rg_pick(g, 4), 2 + rg_pick(g, 7)));
    return rg_leaf(g, some_float(g), ORR_SHAPE(1 + rg_pick(g, 7), 2 + rg_pick(g, 12)));
}

static int64_t last_dim(const rg_graph *g, int i)
{
    orr_shape s = shape_of(g, i);
    return s.dim[s.rank - 1];
}

/* A leaf for an op with x: of its shape, or of one of its rows. */
static int leaf_for(rg_graph *g, int x, bool one_row)
{
    if (x < 0)
        return -1;
    return rg_leaf(g, dtype_of(g, x), one_row ? ORR_SHAPE(last_dim(g, x)) : shape_of(g, x));
}

/* Notes the motif's results, which a test may evaluate together. */
static void together(rg_graph *g, int a, int b, int c)
{
    const int v[3] = { a, b, c };
    g->ntogether = 0;
    for (int k = 0; k < 3; k++)
        if (v[k] >= 0)
            g->together[g->ntogether++] = v[k];
}

/* -- motifs ---------------------------------------------------------------------------------------------------- */

static int activation(rg_graph *g, int x)
{
    static const char *const names[] = { "relu", "gelu_tanh", "silu", "tanh", "sigmoid", "exp", "square", "abs" };
    return row(g, names[rg_pick(g, 8)], x, -1, -1);
}

static int normalised(rg_graph *g, int x)
{
    int d = row(g, "sub", x, fold(g, 2, x), -1);
    int v = rg_pick(g, 2) ? fold(g, 3, x) : fold(g, 2, row(g, "square", d, -1, -1));
    int y = row(g, "mul", d, row(g, "rsqrt", scaled(g, v, 1, 0.125), -1, -1), -1);
    if (rg_pick(g, 2))
        y = row(g, "add", row(g, "mul", y, leaf_for(g, y, true), -1), leaf_for(g, y, true), -1);
    together(g, y, v, rg_pick(g, 2) ? d : -1);
    return y;
}

static int softmax_rows(rg_graph *g, int x)
{
    int m = fold(g, 1, x), e = row(g, "exp", row(g, "sub", x, m, -1), -1, -1), s = fold(g, 0, e);
    int y = row(g, "div", e, s, -1);
    together(g, y, s, m);
    return y;
}

static void rms_or_logsumexp(rg_graph *g, int x)
{
    if (rg_pick(g, 2)) {
        int l = fold(g, 4, x);
        together(g, row(g, "sub", x, l, -1), l, -1);
        return;
    }
    int s = fold(g, 2, row(g, "square", x, -1, -1));
    together(g, row(g, "mul", x, row(g, "rsqrt", scaled(g, s, 1, 0.125), -1, -1), -1), s, -1);
}

/* act(x·w + b), scaled, with a residual; two ops read the result */
static void layer(rg_graph *g, int x)
{
    int n = 1 + rg_pick(g, rg_pick(g, 8) ? 9 : 90);
    int w = rg_leaf(g, dtype_of(g, x), ORR_SHAPE(last_dim(g, x), n));
    int y = scaled(g, product(g, x, w, false), 0.25, 0), pre = -1;
    if (rg_pick(g, 4))
        y = row(g, "add", y, leaf_for(g, y, true), -1);
    if (rg_pick(g, 3) == 0)
        pre = y;
    y = activation(g, y);
    if (rg_pick(g, 3) == 0)
        y = dropout(g, y);
    if (rg_pick(g, 2))
        y = row(g, "add", y, leaf_for(g, y, false), -1);
    together(g, y, pre, rg_pick(g, 4) || y < 0 ? -1 : fold(g, 0, y));
}

static void attention(rg_graph *g, int q)
{
    int64_t d = last_dim(g, q), s = 1 + rg_pick(g, 8);
    int k = rg_leaf(g, dtype_of(g, q), ORR_SHAPE(s, d)), v = rg_leaf(g, dtype_of(g, q), ORR_SHAPE(s, 3));
    int p = softmax_rows(g, scaled(g, product(g, q, k, true), 0.25, 0));
    if (p >= 0 && rg_pick(g, 2))
        p = dropout(g, p);
    together(g, product(g, p, v, false), p, -1);
}

static void gathered(rg_graph *g)
{
    static const orr_dtype kinds[] = { ORR_I64, ORR_I32, ORR_U8, ORR_I16 };
    int rows = 1 + rg_pick(g, 20), wide = 1 + rg_pick(g, 9), many = 1 + rg_pick(g, 12);
    int table = rg_leaf(g, some_float(g), ORR_SHAPE(rows, wide));
    int which = rg_leaf(g, kinds[rg_pick(g, 4)], ORR_SHAPE(many));
    if (rg_pick(g, 3) == 0)
        table = activation(g, table);
    int x = rows_of(g, table, which);
    if (rg_pick(g, 2))
        x = row(g, "mul", x, leaf_for(g, x, true), -1);
    int y = activation(g, row(g, "add", x, leaf_for(g, x, false), -1));
    if (rg_pick(g, 3) == 0 && y >= 0)
        y = row(g, "add", y, rows_of(g, table, which), -1);
    together(g, y, y >= 0 ? fold(g, 0, y) : -1, rg_pick(g, 3) ? -1 : x);
}

/* Parameters and moments, all updated in one evaluation. */
static void update(rg_graph *g)
{
    int x = rg_leaf(g, some_float(g), ORR_SHAPE(1 + rg_pick(g, 9), 1 + rg_pick(g, rg_pick(g, 6) ? 9 : 900)));
    int grad = leaf_for(g, x, false), m = leaf_for(g, x, false), v = row(g, "abs", leaf_for(g, x, false), -1, -1);
    int m1 = row(g, "add", scaled(g, m, 0.875, 0), scaled(g, grad, 0.125, 0), -1);
    int g2 = row(g, "square", grad, -1, -1);
    int v1 = row(g, "add", scaled(g, v, 0.96875, 0), scaled(g, g2, 0.03125, 0), -1);
    int root = scaled(g, row(g, "sqrt", v1, -1, -1), 1, 0.125);
    int step = scaled(g, row(g, "div", m1, root, -1), 0.0625, 0);
    together(g, row(g, "sub", x, step, -1), m1, v1);
}

/* Folds of the same elements side by side, of one expression or several. */
static void statistics(rg_graph *g, int x)
{
    int of = rg_pick(g, 3), first = rg_pick(g, 4);
    orr_axes axes = of == 0 ? ORR_AXES(0) : of == 1 ? ORR_AXES(-1) : ORR_ALL_AXES;
    int y = rg_pick(g, 2) ? activation(g, x) : x, z = rg_pick(g, 2) ? row(g, "square", x, -1, -1) : y;
    int a = statistic(g, first, y, axes), b = statistic(g, (first + 1) % 4, y, axes),
        c = statistic(g, rg_pick(g, 4), z, axes);
    together(g, a, b, c);
}

/* Concatenations, and ops on the result. */
static void joined(rg_graph *g, int x)
{
    orr_shape s = shape_of(g, x);
    int axis = rg_pick(g, s.rank);
    s.dim[axis] = rg_pick(g, 6);
    int other = rg_leaf(g, dtype_of(g, x), s), third = rg_pick(g, 2) ? activation(g, x) : -1;
    rg_step c = { .nin = third < 0 ? 2 : 3,
                  .in = { rg_pick(g, 2) ? activation(g, x) : x, other, third },
                  .p.axis = axis };
    int y = commit(g, &c, apply_concat, "concat_of");
    int z = row(g, "mul", rg_pick(g, 2) ? activation(g, y) : y, leaf_for(g, y, rg_pick(g, 2)), -1);
    together(g, z, z < 0 || rg_pick(g, 2) ? -1 : fold(g, rg_pick(g, 4), z), rg_pick(g, 4) ? -1 : y);
}

/* A frame, and a sum over neighbours. */
static void stencil(rg_graph *g)
{
    int x = rg_leaf(g, some_float(g), ORR_SHAPE(1 + rg_pick(g, 9), 1 + rg_pick(g, rg_pick(g, 6) ? 12 : 1200)));
    int before = rg_pick(g, 3), behind = rg_pick(g, 3),
        framed = frame(g, rg_pick(g, 2) ? activation(g, x) : x, before, behind);
    int y = window(g, framed, x, 0, 0), all = before + behind;
    y = row(g, "add", y, window(g, framed, x, rg_pick(g, all + 1), rg_pick(g, all + 1)), -1);
    y = row(g, "maximum", y, scaled(g, window(g, framed, x, all, all), 0.5, 0), -1);
    together(g, y, rg_pick(g, 2) || y < 0 ? -1 : fold(g, 0, y), rg_pick(g, 4) ? -1 : framed);
}

/* A call that was recorded; its result is the last value. False: none fits. */
static bool call(rg_graph *g, rg_step *s)
{
    for (int tries = 0; tries < 20; tries++) {
        memset(s, 0, sizeof *s);
        int kind = rg_pick(g, 4);
        bool chosen = kind == 3   ? rg_choose_wide_convolution(g, s)
                      : kind == 0 ? rg_choose_convolution(g, s)
                      : kind == 1 ? rg_choose_network(g, s)
                                  : rg_choose_science(g, s);
        if (chosen && rg_commit(g, s))
            return true;
    }
    return false;
}

/* The same call of another last operand. */
static int call_again(rg_graph *g, rg_step *s)
{
    int *last = &s->in[s->nin - 1];
    *last = leaf_for(g, *last, false);
    return commit(g, s, s->apply, s->name);
}

void rg_over(rg_graph *g)
{
    static const char *const joins[] = { "add", "sub", "mul", "maximum", "minimum" };
    rg_step s;
    if (!call(g, &s))
        return;
    int y = g->n - 1, u = -1;
    for (int n = 1 + rg_pick(g, 2); n > 0 && y >= 0; n--) {
        u = orr__is_float(dtype_of(g, y)) && rg_pick(g, 2) ? activation(g, y) : y;
        y = row(g, joins[rg_pick(g, 5)], call_again(g, &s), u, -1);
    }
    together(g, y, rg_pick(g, 4) ? -1 : u, -1);
}

void rg_motif(rg_graph *g)
{
    int kind = rg_pick(g, 12), x = kind < 9 ? some_rows(g) : 0;
    if (x < 0)
        return;
    switch (kind) {
    case 0: (void)normalised(g, x); break;
    case 1: (void)softmax_rows(g, x); break;
    case 2: rms_or_logsumexp(g, x); break;
    case 3: attention(g, x); break;
    case 4: (void)normalised(g, row(g, "add", dropout(g, x), leaf_for(g, x, false), -1)); break;
    case 5:
    case 6: layer(g, x); break;
    case 7: statistics(g, x); break;
    case 8: joined(g, x); break;
    case 9: gathered(g); break;
    case 10: stencil(g); break;
    default: update(g); break;
    }
}
