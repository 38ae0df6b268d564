/* Turns one root and the nodes that vanish into it into a region: instructions and affine index maps.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/lower.h"

bool orr__lower_grow(orr__lowering *c, void *array, int *cap, int need, size_t size)
{
    if (need <= *cap)
        return true;
    int n = *cap ? *cap * 2 : 8;
    void *more = n >= need ? realloc(*(void **)array, (size_t)n * size) : NULL;
    if (!more) {
        c->oom = true;
        return false;
    }
    *(void **)array = more;
    *cap = n;
    return true;
}

int orr__lower_input(orr__lowering *c, int x)
{
    orr__region *r = c->r;
    for (int i = 0; i < r->nin; i++)
        if (r->in[i] == x)
            return i;
    int cap = c->in_cap;
    if (!orr__lower_grow(c, &r->in, &cap, r->nin + 1, sizeof *r->in) ||
        (cap = c->in_cap, !orr__lower_grow(c, &r->in_dtype, &cap, r->nin + 1, sizeof *r->in_dtype)) ||
        (cap = c->in_cap, !orr__lower_grow(c, &r->in_count, &cap, r->nin + 1, sizeof *r->in_count)))
        return 0;
    c->in_cap = cap;
    r->in[r->nin] = x;
    r->in_dtype[r->nin] = c->p->node[x]->dtype;
    r->in_count[r->nin] = orr__shape_count(&c->p->node[x]->shape);
    return r->nin++;
}

orr__access orr__lower_affine(const orr_shape *s, const orr__lview *v, int in)
{
    orr__access a = { .input = in };
    int64_t rm[ORR_MAX_RANK];
    orr__shape_strides(s, rm);
    for (int d = 0; d < s->rank; d++) {
        a.offset += v->off[d] * rm[d];
        if (v->ax[d] >= 0)
            a.stride[v->ax[d]] += v->mul[d] * rm[d];
    }
    a.box = v->box;
    memcpy(a.lo, v->lo, sizeof a.lo);
    memcpy(a.hi, v->hi, sizeof a.hi);
    a.placed = v->taken >= 0;
    a.by = a.placed ? v->mul[v->taken] * rm[v->taken] : 0;
    return a;
}

int16_t orr__lower_access(orr__lowering *c, orr__access a)
{
    orr__region *r = c->r;
    int first = r->kind == ORR__G_MATMUL ? 2 : 0; /* the operands' move along k */
    for (int i = first; i < r->naccess; i++)
        if (r->access[i].input == a.input && r->access[i].offset == a.offset && r->access[i].placed == a.placed &&
            r->access[i].by == a.by && r->access[i].box == a.box && !memcmp(r->access[i].lo, a.lo, sizeof a.lo) &&
            !memcmp(r->access[i].hi, a.hi, sizeof a.hi) && !memcmp(r->access[i].stride, a.stride, sizeof a.stride))
            return (int16_t)i;
    if (!orr__lower_grow(c, &r->access, &c->access_cap, r->naccess + 1, sizeof *r->access))
        return 0;
    r->access[r->naccess] = a;
    return (int16_t)r->naccess++;
}

int orr__lower_instr(orr__lowering *c, orr__rinstr in)
{
    orr__region *r = c->r;
    if (!orr__lower_grow(c, &r->instr, &c->instr_cap, r->ninstr + 1, sizeof *r->instr))
        return 0;
    r->instr[r->ninstr] = in;
    return r->ninstr++;
}

/* Axis a of w is axis k of v. */
static void carry(orr__lview *w, int a, const orr__lview *v, int k)
{
    w->ax[a] = v->ax[k];
    w->off[a] = v->off[k];
    w->mul[a] = v->mul[k];
    if (k == v->taken)
        w->taken = (int8_t)a;
}

orr__lview orr__lower_through(const orr__capture *p, int i, const orr__lview *v)
{
    const orr__node *n = p->node[i];
    const orr_shape *out = &n->shape, *in = &p->node[orr__arg(p, i, 0)]->shape;
    orr__lview w = *v;
    memset(w.off, 0, sizeof w.off);
    memset(w.mul, 0, sizeof w.mul);
    memset(w.ax, -1, sizeof w.ax);
    w.taken = -1;
    switch (n->op->id) {
    case ORR__OP_PERMUTE:
        for (int k = 0; k < out->rank; k++)
            carry(&w, n->attr.perm[k], v, k);
        break;
    case ORR__OP_BROADCAST:
        for (int a = 0; a < in->rank; a++) {
            int k = a + out->rank - in->rank;
            if (in->dim[a] == out->dim[k])
                carry(&w, a, v, k);
        }
        break;
    case ORR__OP_SLICE:
        for (int a = 0; a < in->rank; a++) {
            carry(&w, a, v, a);
            w.off[a] = n->attr.start[a] + n->attr.step[a] * v->off[a];
            w.mul[a] = n->attr.step[a] * v->mul[a];
        }
        break;
    default: /* a reshape that inserts or removes axes of length 1 */
        for (int a = 0, k = 0; a < in->rank; a++) {
            if (in->dim[a] == 1)
                continue;
            while (out->dim[k] == 1)
                k++;
            carry(&w, a, v, k++);
        }
    }
    return w;
}

static bool same_view(const orr__lview *a, const orr__lview *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->ax[d] != b->ax[d] || a->off[d] != b->off[d] || (a->ax[d] >= 0 && a->mul[d] != b->mul[d]))
            return false;
    return a->taken == b->taken && a->box == b->box && !memcmp(a->lo, b->lo, sizeof a->lo) &&
           !memcmp(a->hi, b->hi, sizeof a->hi) &&
           (a->taken < 0 || (a->place == b->place && a->mul[a->taken] == b->mul[b->taken]));
}

/* A reduction over the last axis inside its own region: the row's value, seen by all of the row. */
static int lower_fold(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    int last = n->shape.rank - 1;
    bool fits = v->off[last] == 0;
    for (int d = 0; d < last; d++)
        fits = fits && (n->shape.dim[d] == 1 || (v->ax[d] == d && v->off[d] == 0 && v->mul[d] == 1));
    if (!fits) {
        c->refused = i;
        return 0;
    }
    orr__lview whole = orr__lower_identity(n->shape.rank);
    int16_t x = (int16_t)orr__lower_node(c, orr__arg(p, i, 0), &whole);
    c->r->rows = true;
    return orr__lower_instr(c, (orr__rinstr){ ORR__RI_FOLD, n->dtype, (int16_t)n->attr.rop, x, -1, -1, -1, -1 });
}

static int lower_load(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__node *n = c->p->node[i];
    int base = orr__fuse_strip(c->p, i);
    int16_t a = orr__lower_access(c, orr__lower_affine(&n->shape, v, orr__lower_input(c, base)));
    orr__rinstr in = { ORR__RI_LOAD, n->dtype, 0, -1, -1, -1, a, -1 };
    if (v->taken >= 0) {
        in.kind = ORR__RI_GATHER;
        in.x = v->place;
    }
    return orr__lower_instr(c, in);
}

static int lower_compute(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    orr__rinstr in = { ORR__RI_EW, n->dtype, (int16_t)n->op->id, -1, -1, -1, -1, p->scalar0[i] };
    int nin = orr__capture_nin(p, i);
    int16_t *arg[3] = { &in.x, &in.y, &in.z };
    for (int k = 0; k < nin; k++)
        *arg[k] = (int16_t)orr__lower_node(c, orr__arg(p, i, k), v);
    orr__lview one = *v;
    switch (n->op->id) {
    case ORR__OP_CONST: in.kind = ORR__RI_SCALAR; break;
    case ORR__OP_CAST: in.kind = ORR__RI_CAST; break;
    case ORR__OP_RANDOM:
        in.kind = ORR__RI_RANDOM;
        in.op = (int16_t)n->attr.dist;
        in.a = orr__lower_access(c, orr__lower_affine(&n->shape, v, -1));
        break;
    case ORR__OP_IOTA: {
        orr__access a = { .input = -1, .offset = v->off[n->attr.axis] };
        if (one.ax[n->attr.axis] >= 0)
            a.stride[one.ax[n->attr.axis]] = one.mul[n->attr.axis];
        in.kind = ORR__RI_IOTA;
        in.a = orr__lower_access(c, a);
        break;
    }
    default: in.slot = -1;
    }
    if (in.kind == ORR__RI_CAST)
        in.slot = -1;
    return orr__lower_instr(c, in);
}

/* Is node i read from memory? Its own roots a region computes. */
static bool is_read(const orr__lowering *c, int i)
{
    return orr__op_of(c->p, i) == ORR__OP_LEAF || (c->g->root[i] && c->g->home[i] != c->home);
}

/* A view that is no buffer of its own: its elements are those of its operand, at other places. */
static bool sees_through(const orr__lowering *c, int i)
{
    int op = orr__op_of(c->p, i);
    return !is_read(c, i) && orr__is_view(op) && (op != ORR__OP_RESHAPE || orr__reshape_is_squeeze(c->p, i));
}

/* Depth is bounded: a region has a limited number of ops. Views count for none, so they are no depth. */
int orr__lower_node(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__capture *p = c->p;
    orr__lview w = *v;
    for (; sees_through(c, i); i = orr__arg(p, i, 0))
        w = orr__lower_through(p, i, &w);
    v = &w;
    for (int k = 0; k < c->nmemo; k++)
        if (c->memo[k].node == i && same_view(&c->memo[k].v, v, p->node[i]->shape.rank))
            return c->memo[k].reg;
    int op = orr__op_of(p, i);
    int reg = is_read(c, i) || op == ORR__OP_RESHAPE      ? lower_load(c, i, v)
              : op == ORR__OP_REDUCE                      ? lower_fold(c, i, v)
              : op == ORR__OP_MATMUL                      ? orr__lower_product(c, i, v)
              : op == ORR__OP_TAKE                        ? orr__lower_take(c, i, v)
              : op == ORR__OP_CONCAT || op == ORR__OP_PAD ? orr__lower_parts(c, i, v)
                                                          : lower_compute(c, i, v);
    if (orr__lower_grow(c, &c->memo, &c->memo_cap, c->nmemo + 1, sizeof *c->memo))
        c->memo[c->nmemo++] = (orr__memo){ i, reg, *v };
    return reg;
}

orr__lview orr__lower_identity(int rank)
{
    orr__lview v;
    memset(&v, 0, sizeof v);
    v.taken = -1;
    for (int d = 0; d < rank; d++) {
        v.ax[d] = (int8_t)d;
        v.mul[d] = 1;
    }
    return v;
}

void orr__lower_space(orr__region *r, const orr_shape *s)
{
    r->rank = s->rank;
    for (int d = 0; d < s->rank; d++)
        r->dim[d] = s->dim[d];
    if (!r->rank) {
        r->rank = 1;
        r->dim[0] = 1;
    }
}

void orr__lower_outputs(orr__lowering *c, const orr__lview *v)
{
    orr__region *r = c->r;
    for (int k = c->g->below[c->home]; k >= 0 && r->nout < ORR__REGION_OUTS; k = c->g->below[k])
        if (c->g->stored[k]) {
            int from = r->kind == ORR__G_REDUCE ? orr__arg(c->p, k, 0) : k;
            r->out[r->nout] = k;
            r->out_dtype[r->nout] = c->p->node[k]->dtype;
            r->rop[r->nout] = c->p->node[k]->attr.rop;
            r->out_reg[r->nout++] = orr__op_of(c->p, k) == ORR__OP_MATMUL ? 0 : (int16_t)orr__lower_node(c, from, v);
        }
}

/* One value a row of what is folded: such a node's last axis stands still. */
static void lower_rows(orr__lowering *c, int i)
{
    const orr_shape *s = &c->p->node[c->g->space[i]]->shape;
    orr__region *r = c->r;
    orr__lview v = orr__lower_identity(s->rank);
    int last = s->rank > 0 ? s->rank - 1 : 0;
    v.ax[last] = -1;
    v.mul[last] = 0;
    r->kind = ORR__G_MAP;
    r->per_row = true;
    orr__lower_space(r, s);
    r->out_reg[0] = (int16_t)orr__lower_node(c, i, &v);
    orr__lower_outputs(c, &v);
}

static void lower_map(orr__lowering *c, int i)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    orr__region *r = c->r;
    int op = n->op->id;
    bool fold = op == ORR__OP_REDUCE || op == ORR__OP_ARGREDUCE;
    int from = fold ? orr__arg(p, i, 0) : i;
    r->kind = op == ORR__OP_REDUCE ? ORR__G_REDUCE : op == ORR__OP_ARGREDUCE ? ORR__G_ARGREDUCE : ORR__G_MAP;
    r->rop[0] = n->attr.rop;
    r->rmask = op == ORR__OP_REDUCE ? n->attr.mask : op == ORR__OP_ARGREDUCE ? 1u << n->attr.axis : 0;
    orr__lower_space(r, &p->node[from]->shape);
    orr__lview v = orr__lower_identity(p->node[from]->shape.rank);
    r->out_reg[0] = (int16_t)orr__lower_node(c, from, &v);
    orr__lower_outputs(c, &v);
    if (r->kind == ORR__G_REDUCE && !r->rmask) { /* a reduction over no axes is a change of dtype at most */
        r->kind = ORR__G_MAP;
        if (p->node[from]->dtype != n->dtype)
            r->out_reg[0] = (int16_t)orr__lower_instr(
                c, (orr__rinstr){ ORR__RI_CAST, n->dtype, (int16_t)ORR__OP_CAST, r->out_reg[0], -1, -1, -1, -1 });
    }
}

/* What came from a user's definition goes by its name. */
static void name_parts(const orr__lowering *c)
{
    const char **as = calloc((size_t)c->r->ninstr + 1, sizeof *as);
    bool any = false;
    for (int k = 0; as && k < c->nmemo; k++) {
        const char *name = c->p->node[c->memo[k].node]->as;
        int kind = c->r->instr[c->memo[k].reg].kind;
        if (name && kind != ORR__RI_LOAD && kind != ORR__RI_GATHER) {
            as[c->memo[k].reg] = name;
            any = true;
        }
    }
    if (any)
        orr__region_relabel(c->r, as);
    free(as);
}

/* Is root i a kernel that moves elements, and does nothing else? */
static bool lowers_whole(const orr__group *g, int i)
{
    int op = orr__op_of(g->p, i);
    if (op != ORR__OP_TAKE && op != ORR__OP_CONCAT && op != ORR__OP_PAD)
        return false;
    return (op != ORR__OP_TAKE && !orr__is_choice(g, i)) || orr__takes_buffers(g, i);
}

/* Work on the tiles of a product does not see parts of axes. */
static void refuse_parts(orr__lowering *c)
{
    for (int a = 0; a < c->r->naccess; a++)
        if (c->r->access[a].box && c->g->product[c->home] >= 0)
            c->refused = c->g->product[c->home];
}

orr_status orr__lower(orr__site at, const orr__group *g, int root, orr__region *r)
{
    const orr__node *n = g->p->node[root];
    orr__lowering c = { .g = g, .p = g->p, .r = r, .home = root, .refused = -1 };
    memset(r, 0, sizeof *r);
    r->slot = -1;
    r->nout = 1;
    r->out[0] = root;
    r->out_dtype[0] = n->dtype;
    r->out_count = orr__shape_count(&n->shape);
    r->file = n->file;
    r->line = n->line;
    switch (orr__op_of(g->p, root)) {
    case ORR__OP_MATMUL: orr__lower_matmul(&c, root); break;
    case ORR__OP_SCATTER_ADD:
    case ORR__OP_USER:
    case ORR__OP_CHOLESKY:
    case ORR__OP_SOLVE: orr__lower_whole(&c, root); break;
    default:
        if (lowers_whole(g, root))
            orr__lower_whole(&c, root);
        else if (g->product[root] >= 0)
            orr__lower_matmul(&c, g->product[root]);
        else if (g->space[root] != root)
            lower_rows(&c, root);
        else
            lower_map(&c, root);
    }
    refuse_parts(&c);
    if (c.refused < 0 && !c.oom) {
        orr__region_finish(r);
        name_parts(&c);
    }
    free(c.memo);
    if (c.refused >= 0) {
        orr__region_free(r);
        g->apart[c.refused] = true;
        return ORR_OK;
    }
    if (c.oom) {
        orr__region_free(r);
        return orr__fail(at, ORR_ENOMEM, "no memory for a region");
    }
    return ORR_OK;
}
