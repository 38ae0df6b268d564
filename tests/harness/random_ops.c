/* Random graphs: the ops, and the choice of suitable operands and arguments.
 * Must not know: engines. */
#include "config.h"

#include "tests/harness/random_graph.h"

static orr_dtype dtype_of(const rg_graph *g, int i)
{
    return orr_tensor_dtype(g->v[i].t);
}

static orr_shape shape_of(const rg_graph *g, int i)
{
    return orr_tensor_shape(g->v[i].t);
}

static int float_value(rg_graph *g)
{
    for (int tries = 0; tries < 20; tries++) {
        int i = rg_any(g);
        if (orr__is_float(dtype_of(g, i)))
            return i;
    }
    return rg_leaf(g, ORR_F32, ORR_SHAPE(1 + rg_pick(g, 4), 1 + rg_pick(g, 5)));
}

static orr_axes some_axes(rg_graph *g, int rank)
{
    orr_axes a = { 0, { 0 } };
    if (rg_pick(g, 4) == 0)
        return ORR_ALL_AXES;
    for (int i = 0; i < rank; i++)
        if (rg_pick(g, 2))
            a.axis[a.n++] = rg_pick(g, 2) ? i : i - rank;
    return a;
}

/* A shape that broadcasts against s. */
static orr_shape partner_shape(rg_graph *g, orr_shape s)
{
    int drop = rg_pick(g, 3) ? 0 : rg_pick(g, s.rank + 1);
    orr_shape r = { s.rank - drop, { 0 } };
    for (int i = 0; i < r.rank; i++)
        r.dim[i] = rg_pick(g, 3) ? s.dim[i + drop] : 1;
    return r;
}

/* An operand for an element-wise op with value i: an existing value or a new leaf. */
static int partner(rg_graph *g, int i, orr_dtype d)
{
    orr_shape a = shape_of(g, i), both;
    for (int tries = 0; tries < 6; tries++) {
        int j = rg_any(g);
        orr_shape b = shape_of(g, j);
        if (dtype_of(g, j) == d && orr__shape_broadcast(&a, &b, &both) && orr__shape_count(&both) <= RG_ELEMENTS)
            return j;
    }
    return rg_leaf(g, d, partner_shape(g, a));
}

/* -- element-wise -- */

static orr_tensor *apply_row(orr_tensor *const *in, int n, const rg_param *p)
{
    return orr__ew_record(ORR__SITE(__FILE__, __LINE__, p->row->op.name), p->row, in[0], n > 1 ? in[1] : NULL,
                          n > 2 ? in[2] : NULL);
}

/* True for rows with a jump or a pole that their derivative does not show. */
static bool jumps(const orr__ewrow *row)
{
    static const char *const names[] = { "copysign", "atan2", "remainder", "pow", "nextafter", "floor_divide", NULL };
    for (int i = 0; names[i]; i++)
        if (!strcmp(row->op.name, names[i]))
            return true;
    for (int k = row->cond ? 1 : 0; k < row->arity; k++)
        if (!row->deriv[k] || !row->deriv[k][0])
            return true;
    return false;
}

static bool choose_row(rg_graph *g, rg_step *s)
{
    const orr__ewrow *row = orr__ew(ORR__OP_EW + rg_pick(g, orr__ew_count()));
    int i = rg_any(g);
    for (int tries = 0; tries < 12 && !(orr__ew_takes_scalars(row, dtype_of(g, i)) && (!g->v[i].err || !jumps(row)));
         tries++)
        i = rg_any(g);
    orr_dtype d = dtype_of(g, i);
    if (!orr__ew_takes_scalars(row, d))
        return false;
    s->nin = row->arity;
    int first = row->cond ? 1 : 0;
    s->in[first] = i;
    if (row->arity > first + 1)
        s->in[first + 1] = partner(g, i, d);
    if (row->arity == 3) /* a third operand that broadcasts with both */
        s->in[row->cond ? 0 : 2] = rg_leaf(g, row->cond ? ORR_BOOL : d, partner_shape(g, shape_of(g, i)));
    for (int k = 0; k < s->nin; k++)
        if (s->in[k] < 0)
            return false;
    s->apply = apply_row;
    s->name = row->op.name;
    s->p.row = row;
    s->ulps = row->ulp;
    s->cancels = !strcmp(row->op.name, "logaddexp"); /* as documented in its row */
    s->smooth = !jumps(row);
    return true;
}

/* Chooses operands of two dtypes, which promote. */
static bool choose_mixed(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "add", "mul", "maximum", "less", "equal", "where" };
    const orr__ewrow *row = orr__ew_find(names[rg_pick(g, 6)]);
    int i = rg_any(g);
    orr_dtype d = dtype_of(g, i), e = (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES), both;
    if (!orr__promote(d, e, &both) || !orr__ew_takes_scalars(row, both))
        return false;
    int j = partner(g, i, e);
    s->nin = row->arity;
    s->in[0] = row->cond ? rg_leaf(g, ORR_BOOL, partner_shape(g, shape_of(g, i))) : i;
    s->in[1] = row->cond ? i : j;
    s->in[row->cond ? 2 : 1] = j;
    s->apply = apply_row;
    s->name = row->op.name;
    s->p.row = row;
    s->smooth = !jumps(row);
    return j >= 0 && s->in[0] >= 0;
}

static orr_tensor *apply_scalar(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return p->keep ? orr_mul(in[0], orr_scalar(p->x)) : orr_clip(in[0], orr_scalar(-p->x), orr_scalar(p->x));
}

static bool choose_scalar(rg_graph *g, rg_step *s)
{
    s->in[0] = rg_any(g);
    s->nin = 1;
    s->apply = apply_scalar;
    s->name = "scalar";
    s->p.keep = rg_pick(g, 2);
    s->p.x = 1 + rg_pick(g, 3);
    s->smooth = true;
    return dtype_of(g, s->in[0]) != ORR_BOOL && !orr__is_unsigned(dtype_of(g, s->in[0]));
}

static orr_tensor *apply_cast(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return orr_cast(in[0], p->d);
}

static bool choose_cast(rg_graph *g, rg_step *s)
{
    s->in[0] = rg_any(g);
    s->nin = 1;
    s->p.d = (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES);
    s->apply = apply_cast;
    s->name = "cast";
    s->smooth = orr__is_float(s->p.d);
    return true;
}

/* -- reductions and matmul -- */

static orr_tensor *apply_reduce(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    orr_tensor *x = in[0];
    orr_axes a = p->axes;
    bool k = p->keep;
    switch (p->axis) {
    case 0: return orr_sum(x, a, k);
    case 1: return orr_prod(x, a, k);
    case 2: return orr_max(x, a, k);
    case 3: return orr_min(x, a, k);
    case 4: return orr_any(x, a, k);
    case 5: return orr_all(x, a, k);
    case 6: return orr_mean(x, a, k);
    case 7: return orr_var(x, a, 0, k);
    case 8: return orr_norm(x, a, k);
    default: return orr_logsumexp(x, a, k);
    }
}

static int64_t reduced(orr_shape s, orr_axes a)
{
    uint32_t mask;
    int64_t n = 1;
    for (int i = 0; orr__axes_mask(a, s.rank, &mask) && i < s.rank; i++)
        n *= mask >> i & 1 ? s.dim[i] : 1;
    return n;
}

static bool choose_reduce(rg_graph *g, rg_step *s)
{
    static const char *const names[] = {
        "sum", "prod", "max", "min", "any", "all", "mean", "var", "norm", "logsumexp"
    };
    int i = rg_any(g), r = rg_pick(g, 10);
    orr_shape shape = shape_of(g, i);
    bool is_float = orr__is_float(dtype_of(g, i));
    s->in[0] = i;
    s->nin = 1;
    s->p.axes = some_axes(g, shape.rank);
    s->p.keep = rg_pick(g, 2);
    s->p.axis = r;
    s->apply = apply_reduce;
    s->name = names[r];
    s->smooth = r != 4 && r != 5;
    int64_t n = reduced(shape, s->p.axes);
    if (is_float && r == 0)
        s->terms = (double)n;
    if (is_float && r == 1)
        s->ulps = (double)n + 1;
    s->sums = is_float && r == 1;
    if (r >= 6)
        s->slack = 64;
    s->square = r == 7;
    return (n > 0 || r < 2) && (is_float || r < 6) && (r < 6 || g->v[i].finite);
}

static orr_tensor *apply_arg(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return p->x > 0 ? orr_argmax(in[0], p->axis, p->keep) : orr_argmin(in[0], p->axis, p->keep);
}

static bool choose_arg(rg_graph *g, rg_step *s)
{
    s->in[0] = rg_any(g);
    s->nin = 1;
    orr_shape shape = shape_of(g, s->in[0]);
    s->p.axis = shape.rank && rg_pick(g, 3) ? rg_pick(g, shape.rank) : ORR_FLAT;
    s->p.keep = rg_pick(g, 2);
    s->p.x = rg_pick(g, 2);
    s->apply = apply_arg;
    s->name = "argreduce";
    return orr__shape_count(&shape) > 0;
}

static orr_tensor *apply_matmul(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *b = in[n - 1];
    return orr_matmul(in[0], p->keep ? orr_transpose(b) : b);
}

static bool choose_matmul(rg_graph *g, rg_step *s)
{
    int i = rg_pick(g, 5) ? float_value(g) : rg_any(g);
    if (i < 0 || dtype_of(g, i) == ORR_BOOL || !g->v[i].finite)
        return false;
    orr_shape a = shape_of(g, i), b = a;
    if (!a.rank || a.rank > 4)
        return false;
    int64_t k = a.dim[a.rank - 1], n = 1 + rg_pick(g, 9);
    s->p.keep = rg_pick(g, 2);
    s->nin = 1;
    s->in[0] = i;
    if (a.rank == 1 || rg_pick(g, 4) || !s->p.keep) { /* else: a product with its own transpose */
        b.rank = rg_pick(g, 3) && a.rank > 2 ? a.rank : 2;
        b.dim[b.rank - 2] = s->p.keep ? n : k;
        b.dim[b.rank - 1] = s->p.keep ? k : n;
        s->in[s->nin++] = rg_leaf(g, dtype_of(g, i), b);
    }
    s->apply = apply_matmul;
    s->name = "matmul";
    s->smooth = true;
    s->terms = orr__is_float(dtype_of(g, i)) ? (double)k + 1 : 0;
    return s->in[s->nin - 1] >= 0;
}

static orr_tensor *apply_soft(orr_tensor *const *in, int n, const rg_param *p)
{
    switch (n > 1 ? p->axes.n : p->keep) {
    case 0: return orr_softmax(in[0], p->axis);
    case 1: return orr_log_softmax(in[0], p->axis);
    case 2: return orr_cross_entropy(in[0], in[1]);
    default: return orr_mse(in[0], in[1]);
    }
}

static bool choose_soft(rg_graph *g, rg_step *s)
{
    int i = float_value(g), kind = rg_pick(g, 4);
    if (i < 0 || !g->v[i].finite)
        return false;
    orr_shape a = shape_of(g, i), batch = a;
    if (!a.rank || !orr__shape_count(&a))
        return false;
    s->in[0] = i;
    s->nin = kind < 2 ? 1 : 2;
    s->p.axis = rg_pick(g, a.rank) - a.rank;
    s->p.keep = kind == 1;
    s->p.axes.n = kind;
    batch.rank--;
    if (kind == 2)
        s->in[1] = rg_leaf(g, ORR_U8, batch);
    if (kind == 3)
        s->in[1] = rg_leaf(g, dtype_of(g, i), a);
    s->apply = apply_soft;
    s->name = kind == 0 ? "softmax" : kind == 1 ? "log_softmax" : kind == 2 ? "cross_entropy" : "mse";
    s->slack = 64;
    s->ulps = 16;
    s->square = kind == 3;
    s->smooth = true;
    return kind < 2 || s->in[1] >= 0;
}

/* -- structural operations by their contracts -- */

static orr_tensor *apply_structural(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    return p->op->record(__FILE__, __LINE__, in, &p->attr);
}

static bool choose_structural(rg_graph *g, rg_step *s)
{
    const orr__op *op = orr__structural[rg_pick(g, orr__structural_count())];
    s->in[0] = rg_any(g);
    s->nin = op->arity;
    orr_shape a = shape_of(g, s->in[0]);
    bool floats = orr__is_float(dtype_of(g, s->in[0])) && g->v[s->in[0]].finite;
    if (!op->record || !a.rank || (op->flags & ORR__OP_FLOATS && !floats))
        return false;
    if (op->attrs & ORR__ATTR_START && orr__shape_count(&a) == 0)
        return false; /* no length fits */
    for (int k = 1; k < s->nin; k++)
        s->in[k] = rg_leaf(g, dtype_of(g, s->in[0]), a);
    s->p.op = op;
    s->p.attr.axis = rg_pick(g, 2 * a.rank) - a.rank;
    s->p.attr.mask = (uint32_t)rg_pick(g, 1 << op->options);
    for (int d = 0; d < a.rank; d++) {
        s->p.attr.start[d] = 1 + rg_pick(g, a.dim[d] ? (int)a.dim[d] : 1);
        s->p.attr.step[d] = 1 + rg_pick(g, 3);
    }
    s->apply = apply_structural;
    s->name = op->name;
    s->smooth = op->vjp != NULL;
    int64_t most = 1;
    for (int d = 0; d < a.rank; d++)
        most = a.dim[d] > most ? a.dim[d] : most;
    most *= op->arity > 1 ? orr__shape_count(&a) : 1;
    s->terms = op->flags & ORR__OP_SUMS && orr__is_float(dtype_of(g, s->in[0])) ? (double)most : 0;
    return s->in[s->nin - 1] >= 0;
}

bool rg_choose(rg_graph *g, rg_step *s)
{
    memset(s, 0, sizeof *s);
    int r = rg_pick(g, 100);
    if (r < 27)
        return choose_row(g, s);
    if (r < 34)
        return choose_mixed(g, s);
    if (r < 37)
        return choose_scalar(g, s);
    if (r < 42)
        return choose_cast(g, s);
    if (r < 50)
        return choose_reduce(g, s);
    if (r < 52)
        return choose_arg(g, s);
    if (r < 58)
        return choose_matmul(g, s);
    if (r < 61)
        return choose_soft(g, s);
    if (r < 64)
        return rg_choose_own(g, s);
    if (r < 69)
        return choose_structural(g, s);
    if (r < 75)
        return rg_choose_complex(g, s);
    if (r < 79)
        return rg_choose_science(g, s);
    if (r < 87)
        return rg_choose_network(g, s);
    return rg_choose_move(g, s);
}
