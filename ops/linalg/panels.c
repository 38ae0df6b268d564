/* Factorisations of one large matrix as a graph of block columns: a panel is factored and then applied to each later block
 * separately, so that the next panel need not wait for all blocks (Buttari, Langou, Kurzak and Dongarra, "A class of parallel
 * tiled linear algebra algorithms for multicore architectures", Parallel Computing 35, 2009, with panels as high as the matrix,
 * which keeps partial pivoting). A block is a tensor whose rows are columns of the matrix, as LAPACK reads them.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/exchange.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"
#include "ops/matrix.h"
#include "runtime/base/threshold.h"

/* The width of a panel depends on the matrix alone, so that results are reproducible. The flops of panels are slow;
 * narrow panels make many tasks. */
enum {
    COUNT = ORR__T_FEW_LINES,
    GRAIN = ORR__T_TILE_ROWS,
    NARROW = 3 * GRAIN,
    WIDE = ORR__T_PART_ROWS,
    LEAST = 4 * NARROW, /* panels side by side are worth it from four on */
    BESIDE = ORR__LINE_CHUNKS,
    ROWS = 1 << 24 /* limit of arithmetic */
};

/* -- contracts ---------------------------------------------------------------------------------------------------------- */

static const char *verify_block(const orr__node *n, const orr__node *const *in, int nin)
{
    bool fits = n->shape.rank == 2 && nin > 0;
    for (int k = 0; k < nin && fits; k++)
        fits = in[k]->shape.rank == 2 && in[k]->dtype == n->dtype;
    return fits ? NULL : "block columns of another rank or dtype";
}

static const char *verify_det(const orr__node *n, const orr__node *const *in, int nin)
{
    for (int k = 0; k < nin; k++)
        if (in[k]->shape.rank != 2 || in[k]->dtype != n->dtype)
            return "panels of another rank or dtype";
    return n->shape.rank == 1 && n->shape.dim[0] == 3 && nin > 0 ? NULL : "a determinant is three numbers";
}

static orr__workload work_panel(const orr__call *c)
{
    double w = (double)c->out.dim[0], rows = (double)(c->out.dim[1] - c->attr.start[0]);
    return (orr__workload){ .flops = 3 * w * w * rows, .product = true };
}

static orr__workload work_apply(const orr__call *c)
{
    double w = (double)c->in[0].dim[0], rows = (double)(c->out.dim[1] - c->attr.start[0]);
    return (orr__workload){ .flops = 2 * w * (double)c->out.dim[0] * rows, .product = true };
}

/* Forward and backward substitution; for the unit matrix a third of the forward work. */
static orr__workload work_solve(const orr__call *c)
{
    double m = (double)c->out.dim[1], part = c->attr.mask & ORR__PANEL_UNIT ? 4.0 / 3 : 2;
    return (orr__workload){ .flops = part * m * m * (double)c->out.dim[0], .product = true };
}

/* -- reference: the same by plain loops ------------------------------------------------------------------------------------- */

/* Element (row, column) of block or matrix k. */
static orr__number block_get(const orr__reference *j, int k, int64_t c, int64_t r)
{
    const orr__node *n = j->node;
    bool fresh = (n->attr.mask & ORR__PANEL_FRESH) != 0;
    if (n->attr.mask & ORR__PANEL_UNIT)
        return r == n->attr.start[1] + c;
    int64_t cols = j->in[k].shape.dim[1];
    return orr__plain_get(&j->in[k], fresh ? r * cols + n->attr.start[1] + c : c * cols + r);
}

static orr__number *load_block(const orr__reference *j, int k, int64_t cols, int64_t m)
{
    orr__number *x = orr__plain(cols * m);
    for (int64_t i = 0; i < cols * m && x; i++)
        x[i] = block_get(j, k, i / m, i % m);
    return x;
}

static orr__number panel_get(const orr__array *a, int64_t c, int64_t r)
{
    return orr__plain_get(a, c * a->shape.dim[1] + r);
}

static void exchange(orr__number *x, int64_t i, int64_t k)
{
    orr__number was = x[i];
    x[i] = x[k];
    x[k] = was;
}

static orr_status lu_panel(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[0], ld = j->out.shape.dim[1], m = ld - 1, at = j->node->attr.start[0];
    orr__number *x = load_block(j, 0, cols, m);
    orr_status st = x ? ORR_OK : ORR_ENOMEM;
    for (int64_t c = 0; c < cols && st == ORR_OK; c++) {
        int64_t best = at + c;
        for (int64_t r = at + c; r < m; r++)
            if (fabsl(creall(x[c * m + r])) + fabsl(cimagl(x[c * m + r])) >
                fabsl(creall(x[c * m + best])) + fabsl(cimagl(x[c * m + best])))
                best = r;
        for (int64_t k = 0; k < cols; k++)
            exchange(x + k * m, at + c, best);
        orr__plain_set(&j->out, c * ld + m, (orr__number)best);
        orr__number d = x[c * m + at + c];
        if (d == 0 && j->node->attr.mask & ORR__PANEL_STRICT)
            st = orr__plain_fail(j, 0, "is singular");
        for (int64_t r = at + c + 1; r < m && d != 0; r++) {
            x[c * m + r] /= d;
            for (int64_t k = c + 1; k < cols; k++)
                x[k * m + r] -= x[c * m + r] * x[k * m + at + c];
        }
    }
    for (int64_t i = 0; i < cols * m && st == ORR_OK; i++)
        orr__plain_set(&j->out, i / m * ld + i % m, x[i]);
    free(x);
    return st;
}

static orr_status lu_apply(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[0], ld = j->out.shape.dim[1], m = ld - 1, at = j->node->attr.start[0];
    int64_t width = j->in[0].shape.dim[0];
    orr__number *x = load_block(j, 1, cols, m);
    for (int64_t k = 0; k < cols && x; k++) {
        for (int64_t c = 0; c < width; c++)
            exchange(x + k * m, at + c, (int64_t)creall(panel_get(&j->in[0], c, m)));
        for (int64_t c = 0; c < width; c++)
            for (int64_t r = at + c + 1; r < m; r++)
                x[k * m + r] -= panel_get(&j->in[0], c, r) * x[k * m + at + c];
        for (int64_t r = 0; r < ld; r++)
            orr__plain_set(&j->out, k * ld + r, r < m ? x[k * m + r] : 0);
    }
    free(x);
    return x ? ORR_OK : ORR_ENOMEM;
}

static const orr__array *operand(const orr__reference *j, int k)
{
    return &j->all[j->arg[k]];
}

static orr_status lu_join(const orr__reference *j)
{
    int64_t m = j->out.shape.dim[0], n = j->out.shape.dim[1] - 1;
    orr__number *x = orr__plain(m);
    for (int64_t c = 0; c <= n && x; c++) {
        int64_t first = 0;
        int k = 0;
        for (; k < j->nin && c < n && c >= first + operand(j, k)->shape.dim[0]; k++)
            first += operand(j, k)->shape.dim[0];
        for (int64_t r = 0; r < m; r++)
            x[r] = c == n ? (orr__number)r : panel_get(operand(j, k), c - first, r);
        first = 0;
        for (int q = 0; q < j->node->attr.index; first += operand(j, q++)->shape.dim[0])
            for (int64_t p = 0; p < operand(j, q)->shape.dim[0]; p++)
                if (q > k || c == n)
                    exchange(x, first + p, (int64_t)creall(panel_get(operand(j, q), p, m)));
        for (int64_t r = 0; r < m; r++)
            orr__plain_set(&j->out, r * (n + 1) + c, x[r]);
    }
    free(x);
    return x ? ORR_OK : ORR_ENOMEM;
}

/* The rows of a panel are in the order at its factorisation; later exchanges are not applied to it. With the unit matrix,
 * exchanges stop at the panel that has the row of the column's 1, and earlier panels do not change its zeros. */
static orr_status lu_solve(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[0], m = j->out.shape.dim[1];
    bool unit = (j->node->attr.mask & ORR__PANEL_UNIT) != 0;
    orr__number *x = orr__plain(m);
    for (int64_t c = 0; c < cols && x; c++) {
        for (int64_t r = 0; r < m; r++)
            x[r] = unit ? r == c : orr__plain_get(operand(j, 0), r * cols + c);
        int64_t at = 0;
        for (int k = !unit; k < j->nin; at += operand(j, k++)->shape.dim[0]) {
            for (int64_t p = 0; p < operand(j, k)->shape.dim[0] && (!unit || c < at); p++)
                exchange(x, at + p, (int64_t)creall(panel_get(operand(j, k), p, m)));
            for (int64_t p = 0; p < operand(j, k)->shape.dim[0]; p++)
                for (int64_t r = at + p + 1; r < m; r++)
                    x[r] -= panel_get(operand(j, k), p, r) * x[at + p];
        }
        for (int k = j->nin - 1; k >= !unit; k--) {
            at -= operand(j, k)->shape.dim[0];
            for (int64_t p = operand(j, k)->shape.dim[0] - 1; p >= 0; p--) {
                x[at + p] /= panel_get(operand(j, k), p, at + p);
                for (int64_t r = 0; r < at + p; r++)
                    x[r] -= panel_get(operand(j, k), p, r) * x[at + p];
            }
        }
        for (int64_t r = 0; r < m; r++)
            orr__plain_set(&j->out, c * m + r, x[r]);
    }
    free(x);
    return x ? ORR_OK : ORR_ENOMEM;
}

static orr_status lu_det(const orr__reference *j)
{
    orr__number det = 1, sign = 1;
    long double log = 0;
    for (int64_t k = 0, at = 0; k < j->nin; at += operand(j, (int)k++)->shape.dim[0])
        for (int64_t c = 0; c < operand(j, (int)k)->shape.dim[0]; c++) {
            const orr__array *panel = operand(j, (int)k);
            orr__number d = panel_get(panel, c, at + c);
            d = (int64_t)creall(panel_get(panel, c, panel->shape.dim[1] - 1)) != at + c ? -d : d;
            det *= d;
            sign *= cabsl(d) > 0 ? d / cabsl(d) : d;
            log += logl(cabsl(d));
        }
    orr__plain_set(&j->out, 0, det);
    orr__plain_set(&j->out, 1, sign);
    orr__plain_set(&j->out, 2, log);
    return ORR_OK;
}

/* x −= t·v·(vᴴ·x), where v is 1 in row `at` and is stored below that row. */
static void reflect(const orr__number *v, orr__number t, int64_t at, int64_t m, orr__number *x)
{
    orr__number vx = x[at];
    for (int64_t r = at + 1; r < m; r++)
        vx += conjl(v[r]) * x[r];
    x[at] -= t * vx;
    for (int64_t r = at + 1; r < m; r++)
        x[r] -= t * v[r] * vx;
}

/* The reference stores only the factor t of a reflection after its column, not the matrix T. */
static orr_status qr_panel(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[0], ld = j->out.shape.dim[1], m = ld - j->node->attr.index;
    orr__number *x = load_block(j, 0, cols, m);
    for (int64_t c = 0, at = j->node->attr.start[0]; c < cols && x; c++, at++) {
        orr__number *v = x + c * m, head = v[at];
        long double below = 0;
        for (int64_t r = at + 1; r < m; r++)
            below += creall(v[r] * conjl(v[r]));
        long double size = cabsl(head), beta = -copysignl(sqrtl(size * size + below), creall(head));
        bool done = !(below > 0) && cimagl(head) == 0;
        for (int64_t r = at + 1; r < m && !done; r++)
            v[r] /= head - beta;
        orr__number t = done ? 0 : (beta - head) / beta;
        v[at] = done ? head : beta;
        for (int64_t k = c + 1; k < cols; k++)
            reflect(v, conjl(t), at, m, x + k * m);
        for (int64_t i = m; i < ld; i++)
            orr__plain_set(&j->out, c * ld + i, i == m ? t : 0);
    }
    for (int64_t i = 0; i < cols * m && x; i++)
        orr__plain_set(&j->out, i / m * ld + i % m, x[i]);
    free(x);
    return x ? ORR_OK : ORR_ENOMEM;
}

static orr_status qr_apply(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[0], ld = j->out.shape.dim[1], m = ld - j->node->attr.index;
    int64_t width = j->in[0].shape.dim[0], at = j->node->attr.start[0];
    bool back = (j->node->attr.mask & ORR__PANEL_BACK) != 0;
    orr__number *x = load_block(j, 1, cols, m), *v = orr__plain(width * ld);
    for (int64_t i = 0; i < width * ld && v; i++)
        v[i] = orr__plain_get(&j->in[0], i);
    for (int64_t k = 0; k < cols && x && v; k++) {
        for (int64_t i = 0; i < width; i++) {
            int64_t c = back ? width - 1 - i : i;
            orr__number t = v[c * ld + m];
            reflect(v + c * ld, back ? t : conjl(t), at + c, m, x + k * m);
        }
        for (int64_t r = 0; r < ld; r++)
            orr__plain_set(&j->out, k * ld + r, r < m ? x[k * m + r] : 0);
    }
    orr_status st = x && v ? ORR_OK : ORR_ENOMEM;
    free(x);
    free(v);
    return st;
}

static orr_status qr_join(const orr__reference *j)
{
    int blocks = j->node->attr.index;
    int64_t n = 0, row = j->out.shape.dim[1];
    for (int k = 0; k < blocks; k++)
        n += operand(j, k)->shape.dim[0];
    for (int64_t i = 0, m = row - n; i < j->out.shape.dim[0]; i++) {
        int64_t first = 0, c = 0;
        int q = blocks;
        for (; m > 0 && i >= first + operand(j, q)->shape.dim[0]; q++)
            first += operand(j, q)->shape.dim[0];
        for (int64_t r = 0; r < m; r++)
            orr__plain_set(&j->out, i * row + r, panel_get(operand(j, q), i - first, r));
        for (int k = 0; k < blocks; k++)
            for (int64_t l = 0; l < operand(j, k)->shape.dim[0]; l++, c++)
                orr__plain_set(&j->out, i * row + m + c, i <= c ? panel_get(operand(j, k), l, i) : 0);
    }
    return ORR_OK;
}

#define BLOCKS(word, operands, rule, effort, ...)                                                                      \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = operands,                                                                \
                                     .kinds = ORR__TAKES_COMPLEX,                                                      \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_INDEX | ORR__ATTR_MASK | ORR__ATTR_START,                      \
                                     .verify = rule,                                                                   \
                                     .reference = word,                                                                \
                                     .work = effort,                                                                   \
                                     .flops = 1,                                                                       \
                                     __VA_ARGS__ }
static bool whole(const orr__call *c)
{
    (void)c;
    return false;
}
BLOCKS(lu_panel, 1, verify_block, work_panel, .flags = ORR__OP_MAY_FAIL, .cuts = whole, .donor = 1);
BLOCKS(lu_apply, 2, verify_block, work_apply, .cuts = whole, .donor = 2);
BLOCKS(lu_solve, -1, verify_block, work_solve, .inverse = ORR__PANEL_UNIT);
BLOCKS(lu_join, -1, verify_block, NULL, .cuts = NULL);
BLOCKS(lu_det, -1, verify_det, NULL, .cuts = whole);
BLOCKS(qr_panel, 1, verify_block, work_panel, .flags = ORR__OP_MAY_FAIL, .cuts = whole, .donor = 1);
BLOCKS(qr_apply, -1, verify_block, work_apply, .flags = ORR__OP_MAY_FAIL, .cuts = whole, .donor = 2);
BLOCKS(qr_join, -1, verify_block, NULL, .cuts = NULL);

/* -- a value in place of an operation's --------------------------------------------------------------------------------- */

static orr_tensor *vjp(const orr__back *b, int k)
{
    return k < b->nin - 1 ? orr__structural[b->node->attr.index - ORR__OP_ROLES]->vjp(b, k) : NULL;
}

const orr__op orr__op_stands_for = { .id = ORR__OP_stands_for,
                                     .name = "stands_for",
                                     .arity = -1,
                                     .attrs = ORR__ATTR_AXIS | ORR__ATTR_INDEX | ORR__ATTR_MASK,
                                     .kinds = ORR__TAKES_ANY,
                                     .role = ORR__ROLE_THROUGH,
                                     .vjp = vjp };

orr_tensor *orr__stands_for(orr__site at, const orr__op *op, int nin, orr__node *const *in, orr_tensor *value,
                            unsigned mask, orr__scalar s)
{
    orr__node *all[3] = { 0 };
    if (orr_tensor_status(value) != ORR_OK || !(all[nin] = orr__handle_node(value)))
        return value;
    for (int k = 0; k < nin; k++)
        all[k] = in[k];
    orr__node *r = orr__node_new(at, &orr__op_stands_for, (orr_dtype)all[nin]->dtype, &all[nin]->shape, nin + 1, all);
    if (r) {
        r->attr.index = op->id;
        r->attr.mask = mask;
        r->nscalar = 1;
        r->s[0] = s;
    }
    return orr__handle_new(r);
}

/* -- graphs ------------------------------------------------------------------------------------------------------------------ */

bool orr__panels_pay(const struct orr__extent *e, orr__node *a)
{
    /* f32 holds the numbers of rows exactly */
    return e->batch == 1 && e->k >= LEAST && e->m < ROWS && !(a && orr__lies_over_ranks(a));
}

static int64_t width_of(int64_t k)
{
    int64_t w = (k / COUNT + GRAIN - 1) / GRAIN * GRAIN;
    return w < NARROW ? NARROW : w > WIDE ? WIDE : w;
}

/* A node on nin blocks, with rows × cols elements. */
static orr_tensor *block(orr__site at, const orr__op *op, int nin, orr_tensor *const *in, int64_t rows, int64_t cols,
                         orr__attr attr)
{
    orr__node **node = orr__alloc_n((size_t)nin, sizeof *node);
    for (int k = 0; k < nin && node; k++) {
        orr__node *n = orr__handle_node(in[k]);
        if (orr_tensor_status(in[k]) != ORR_OK || !n) {
            free(node);
            return in[k];
        }
        node[k] = n;
    }
    orr__node *r = NULL;
    if (node)
        r = orr__node_new(at, op, (orr_dtype)node[0]->dtype, &ORR_SHAPE(rows, cols), nin, node);
    if (r) {
        r->attr = attr;
        r->as = op->flags & ORR__OP_MAY_FAIL ? at.op : NULL; /* errors name the user's function */
    }
    free(node);
    return orr__handle_new(r);
}

/* A factorisation under construction: the blocks of [A B], of which the first `panels` are factored. */
typedef struct {
    orr__site at;
    const orr__op *panel, *apply;
    orr_tensor *a, *b;     /* m × n, m × more; b may be NULL */
    int64_t m, n, k, more; /* k: columns that are factored   */
    int64_t width, wide;   /* of factored blocks, of the others */
    int64_t behind;        /* elements after each column of a panel      */
    unsigned mask;         /* of the panels */
    int panels, count;
    orr_tensor **block;
} columns;

/* Columns [from, to) of [A B] that are block number i. A block has only factored columns of A, only other columns of
 * A, or only columns of B. */
static void place(const columns *c, int i, int64_t *from, int64_t *to)
{
    int64_t at = 0, end = 0, edge[3] = { c->k, c->n, c->n + c->more };
    for (int k = -1; k < i; k++) {
        int part = 0;
        at = end;
        while (part < 2 && at >= edge[part])
            part++;
        end = at + (part ? c->wide : c->width);
        end = end < edge[part] ? end : edge[part];
    }
    *from = at;
    *to = end;
}

static bool count_blocks(columns *c)
{
    int64_t from, to = 0;
    for (; to < c->n + c->more; c->count++) {
        place(c, c->count, &from, &to);
        c->panels += from < c->k;
    }
    c->block = orr__alloc_n((size_t)c->count + 1, sizeof *c->block);
    return c->block != NULL;
}

/* Factors panel after panel and applies each to all later blocks. */
static void factorise(columns *c)
{
    for (int i = 0; i < c->panels; i++) {
        int64_t from, to;
        place(c, i, &from, &to);
        unsigned fresh = i == 0 ? ORR__PANEL_FRESH : 0;
        orr__attr attr = { .mask = c->mask | fresh, .start = { from, from }, .index = (int32_t)c->behind };
        orr_tensor *in[2] = { c->block[i] = block(c->at, c->panel, 1, fresh ? &c->a : &c->block[i], to - from,
                                                  c->m + c->behind, attr) };
        for (int j = i + 1; j < c->count; j++) {
            int64_t first, last;
            place(c, j, &first, &last);
            bool beside = first >= c->n;
            orr__attr of = { .mask = fresh,
                             .start = { from, fresh ? first - (beside ? c->n : 0) : 0 },
                             .index = (int32_t)c->behind };
            in[1] = !fresh ? c->block[j] : beside ? c->b : c->a;
            c->block[j] = block(c->at, c->apply, 2, in, last - first, c->m + c->behind, of);
        }
    }
}

static bool start(columns *c, orr__site at, orr_tensor *a, orr_tensor *b)
{
    orr_shape s = orr_tensor_shape(a), t = b ? orr_tensor_shape(b) : ORR_SHAPE(0, 0);
    orr__extent e = orr__extent_of(&s), of = orr__extent_of(&t);
    c->at = at;
    c->a = orr_reshape_at(at.file, at.line, a, ORR_SHAPE(e.m, e.n));
    c->b = b ? orr_reshape_at(at.file, at.line, b, ORR_SHAPE(of.m, of.n)) : NULL;
    c->m = e.m;
    c->n = e.n;
    c->k = e.k;
    c->more = of.n;
    c->width = width_of(e.k);
    c->wide = (e.n - e.k + of.n) / BESIDE > c->width ? (e.n - e.k + of.n) / BESIDE : c->width;
    return count_blocks(c);
}

static bool lu_of(columns *c, orr__site at, orr_tensor *a, unsigned mask)
{
    *c = (columns){ .panel = &orr__op_lu_panel, .apply = &orr__op_lu_apply, .behind = 1, .mask = mask };
    if (!start(c, at, a, NULL))
        return false;
    factorise(c);
    return true;
}

static orr_tensor *handle_of(orr__node *n)
{
    return orr__handle_new(orr__node_ref(n));
}

/* x, flat, as the packed row of the single matrix `like`. */
static orr_tensor *as_row(orr__site at, const orr__node *like, orr_tensor *x)
{
    orr_shape s = like->shape;
    s.dim[s.rank - 2] = orr_tensor_size(x);
    s.dim[--s.rank] = 0;
    return orr_reshape_at(at.file, at.line, x, s);
}

orr_tensor *orr__panels_lu(orr__site at, orr__node *a)
{
    columns c;
    if (!lu_of(&c, at, handle_of(a), 0))
        return orr__handle_new(NULL);
    orr_tensor *all = block(at, &orr__op_lu_join, c.count, c.block, c.m, c.n + 1, (orr__attr){ .index = c.panels });
    orr_shape s = a->shape;
    free(c.block);
    s.dim[s.rank - 1]++;
    all = orr_reshape_at(at.file, at.line, all, s);
    return orr__stands_for(at, &orr__op_lu, 1, &a, all, 0, (orr__scalar){ 0 });
}

orr_tensor *orr__panels_det(orr__site at, orr__node *a)
{
    columns c;
    if (!lu_of(&c, at, handle_of(a), 0))
        return orr__handle_new(NULL);
    orr__node **panel = orr__alloc_n((size_t)c.panels, sizeof *panel), *r = NULL;
    bool all = panel != NULL;
    for (int k = 0; k < c.panels && all; k++)
        all = orr_tensor_status(c.block[k]) == ORR_OK && (panel[k] = orr__handle_node(c.block[k])) != NULL;
    if (all)
        r = orr__node_new(at, &orr__op_lu_det, (orr_dtype)a->dtype, &ORR_SHAPE(3), c.panels, panel);
    free(panel);
    free(c.block);
    orr_tensor *row = orr__handle_new(r);
    return r ? orr__stands_for(at, &orr__op_det, 1, &a, as_row(at, a, row), 0, (orr__scalar){ 0 }) : row;
}

/* X by columns, from the panels of A and from B; b NULL: the unit matrix. */
static orr_tensor *of_panels(const columns *c, orr_tensor *b, int64_t more)
{
    orr_tensor **in = orr__alloc_n((size_t)c->panels + 1, sizeof *in), *x = NULL;
    int n = 0;
    if (!in)
        return orr__handle_new(NULL);
    if (b)
        in[n++] = b;
    for (int k = 0; k < c->panels; k++)
        in[n++] = c->block[k];
    x = block(c->at, &orr__op_lu_solve, n, in, more, c->m, (orr__attr){ .mask = b ? 0 : ORR__PANEL_UNIT });
    free(in);
    return x;
}

orr_tensor *orr__panels_solve(orr__site at, orr_tensor *a, orr_tensor *b)
{
    columns c;
    orr_shape s = orr_tensor_shape(b);
    orr__extent e = orr__extent_of(&s);
    if (!lu_of(&c, at, a, ORR__PANEL_STRICT))
        return orr__handle_new(NULL);
    orr_tensor *x = of_panels(&c, orr_reshape_at(at.file, at.line, b, ORR_SHAPE(e.m, e.n)), e.n);
    free(c.block);
    return orr_reshape_at(at.file, at.line, orr_transpose_at(at.file, at.line, x), s);
}

/* If A[p] = L·U, column i of U⁻¹·L⁻¹ is column p[i] of the inverse. */
orr_tensor *orr__panels_inv(orr__site at, orr_tensor *a)
{
    columns c;
    orr_shape s = orr_tensor_shape(a);
    if (!lu_of(&c, at, a, ORR__PANEL_STRICT))
        return orr__handle_new(NULL);
    orr_tensor *x = of_panels(&c, NULL, c.n);
    orr_tensor *p = block(at, &orr__op_lu_join, c.count, c.block, c.m, 1, (orr__attr){ .index = c.panels });
    free(c.block);
    p = orr_reshape_at(at.file, at.line, p, ORR_SHAPE(c.m));
    if (orr__is_complex(orr_tensor_dtype(p)))
        p = orr_real_at(at.file, at.line, p);
    p = orr_argsort_at(at.file, at.line, p, -1, false);
    x = orr_take_at(at.file, at.line, x, p, 0);
    return orr_reshape_at(at.file, at.line, orr_transpose_at(at.file, at.line, x), s);
}

static bool qr_of(columns *c, orr__site at, orr_tensor *a, orr_tensor *b)
{
    *c = (columns){ .panel = &orr__op_qr_panel, .apply = &orr__op_qr_apply, .behind = GRAIN };
    if (!start(c, at, a, b))
        return false;
    factorise(c);
    return true;
}

/* Columns [from, to) of Q: the reflections of the panels, from the last to the first. Panels after these columns do
 * not change them. */
static orr_tensor *q_block(const columns *c, int64_t from, int64_t to)
{
    orr_tensor *x = NULL;
    for (int i = c->panels - 1; i >= 0; i--) {
        int64_t first, last;
        place(c, i, &first, &last);
        if (first >= to)
            continue;
        orr__attr attr = { .mask = ORR__PANEL_BACK | (x ? 0u : ORR__PANEL_UNIT),
                           .start = { first, x ? 0 : from },
                           .index = (int32_t)c->behind };
        x = block(c->at, c->apply, x ? 2 : 1, (orr_tensor *[]){ c->block[i], x }, to - from, c->m + c->behind, attr);
    }
    return x;
}

orr_tensor *orr__panels_qr(orr__site at, orr__node *a, bool complete)
{
    columns c;
    if (!qr_of(&c, at, handle_of(a), NULL))
        return orr__handle_new(NULL);
    int64_t w = complete ? c.m : c.k;
    int count = c.count, all = count + (int)((w + c.width - 1) / c.width);
    orr_tensor **blocks = orr__alloc_n((size_t)all, sizeof *blocks);
    for (int i = 0; i < all && blocks; i++) {
        int64_t from = (i - count) * c.width, to = from + c.width < w ? from + c.width : w;
        blocks[i] = i < count ? c.block[i] : q_block(&c, from, to);
    }
    orr_tensor *row = blocks ? block(at, &orr__op_qr_join, all, blocks, w, c.m + c.n, (orr__attr){ .index = count })
                             : orr__handle_new(NULL);
    free(blocks);
    free(c.block);
    return orr__stands_for(at, &orr__op_qr, 1, &a, as_row(at, a, row), complete, (orr__scalar){ 0 });
}

orr_tensor *orr__panels_triangle(orr__site at, orr_tensor *a, orr_tensor *b)
{
    columns c;
    if (!qr_of(&c, at, a, b))
        return orr__handle_new(NULL);
    orr_tensor *row = block(at, &orr__op_qr_join, c.count, c.block, c.k, c.n + c.more, (orr__attr){ .index = c.count });
    free(c.block);
    return row;
}
