/* Turns one root and the nodes that vanish into it into a region: instructions and affine index maps.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/lower.h"

bool orr__lower_grow(orr__builder *c, void *array, int *cap, int need, size_t size)
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

int orr__lower_input(orr__builder *c, int x)
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
    r->in_dtype[r->nin] = c->g->p->node[x]->dtype;
    r->in_count[r->nin] = orr__shape_count(&c->g->p->node[x]->shape);
    return r->nin++;
}

static int16_t lower_access(orr__builder *c, orr__access a)
{
    orr__region *r = c->r;
    int first = r->loops == ORR__LOOPS_PRODUCT ? 2 : 0; /* the accesses of a product's operands move along k */
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

int orr__lower_instr(orr__builder *c, orr__rinstr in)
{
    orr__region *r = c->r;
    for (int i = 0; i < r->ninstr && in.slot < 0; i++)
        if (!memcmp(&r->instr[i], &in, sizeof in))
            return i;
    if (!orr__lower_grow(c, &r->instr, &c->instr_cap, r->ninstr + 1, sizeof *r->instr))
        return 0;
    r->instr[r->ninstr] = in;
    return r->ninstr++;
}

/* The callbacks of operations. */
static orr__builder *builder(orr__lowering *c)
{
    return (orr__builder *)c;
}

static int face_node(orr__lowering *c, int i, const orr__view *v)
{
    return orr__lower_node(builder(c), i, v);
}

static int16_t face_access(orr__lowering *c, orr__access a)
{
    return lower_access(builder(c), a);
}

static int face_instr(orr__lowering *c, orr__rinstr in)
{
    return orr__lower_instr(builder(c), in);
}

bool orr__lower_through(const orr__capture *p, int i, const orr__view *v, orr__view *w)
{
    const orr__node *n = p->node[i];
    return orr__pattern_of(p, i) == ORR__PATTERN_VIEW && n->op->see(n, &p->node[orr__arg(p, i, 0)]->shape, v, w);
}

/* A reduction over the last axis inside its own region: all elements of a row see its value. */
static int lower_fold(orr__builder *c, int i, const orr__view *v)
{
    const orr__capture *p = c->g->p;
    const orr__node *n = p->node[i];
    int last = n->shape.rank - 1;
    bool fits = v->off[last] == 0;
    for (int d = 0; d < last; d++)
        fits = fits && (n->shape.dim[d] == 1 || (v->ax[d] == d && v->off[d] == 0 && v->mul[d] == 1 && v->more[d] == 0));
    if (!fits) {
        c->refused = i;
        return 0;
    }
    orr__view whole = orr__view_identity(n->shape.rank);
    int16_t x = (int16_t)orr__lower_node(c, orr__arg(p, i, 0), &whole);
    c->r->loops = c->r->loops == ORR__LOOPS_MAP ? ORR__LOOPS_ROWS : c->r->loops;
    return orr__lower_instr(c, (orr__rinstr){ ORR__RI_FOLD, n->dtype, (int16_t)n->attr.rop, x, -1, -1, -1, -1 });
}

static int lower_load(orr__builder *c, int i, const orr__view *v)
{
    const orr__node *n = c->g->p->node[i];
    int base = orr__fuse_strip(c->g->p, i);
    int16_t a = lower_access(c, orr__view_access(&n->shape, v, orr__lower_input(c, base)));
    orr__rinstr in = { ORR__RI_LOAD, n->dtype, 0, -1, -1, -1, a, -1 };
    if (v->taken >= 0) {
        in.kind = ORR__RI_GATHER;
        in.x = v->place;
    }
    return orr__lower_instr(c, in);
}

/* True if the region reads node i from memory. A region computes its own roots. */
static bool is_read(const orr__builder *c, int i)
{
    return orr__pattern_of(c->g->p, i) == ORR__PATTERN_NONE || (c->g->node[i].root && c->g->root[i].home != c->home);
}

/* Passes views between node i and a node that this region computes. One view may mix axes where all together do not: (1, 9) as (3, 3) as
 * (9). Returns the node below the views. */
static int pass_ordered(orr__builder *c, int i, orr__view *v)
{
    const orr__capture *p = c->g->p;
    int base = orr__fuse_strip(p, i);
    orr__view w;
    if (base == i || is_read(c, i) || is_read(c, base))
        return i;
    if (!p->node[i]->op->see(p->node[i], &p->node[base]->shape, v, &w)) {
        c->refused = base;
        return i;
    }
    *v = w;
    return base;
}

/* The recursion is bounded by the most operations of a region. Views do not count as operations, so a loop follows
 * them. */
int orr__lower_node(orr__builder *c, int i, const orr__view *v)
{
    const orr__capture *p = c->g->p;
    orr__view w = *v, next;
    for (; !is_read(c, i) && orr__lower_through(p, i, &w, &next); i = orr__arg(p, i, 0))
        w = next;
    i = pass_ordered(c, i, &w);
    v = &w;
    for (int k = 0; k < c->nmemo; k++)
        if (c->memo[k].node == i && orr__view_equal(&c->memo[k].v, v, p->node[i]->shape.rank))
            return c->memo[k].reg;
    int pattern = orr__pattern_of(p, i);
    int reg = is_read(c, i) || pattern == ORR__PATTERN_VIEW ? lower_load(c, i, v)
              : pattern == ORR__PATTERN_FOLD                ? lower_fold(c, i, v)
              : pattern == ORR__PATTERN_PRODUCT             ? orr__lower_product(c, i, v)
                                                            : p->node[i]->op->lower(&c->face, i, v);
    if (orr__lower_grow(c, &c->memo, &c->memo_cap, c->nmemo + 1, sizeof *c->memo))
        c->memo[c->nmemo++] = (orr__memo){ i, reg, *v };
    return reg;
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

void orr__lower_outputs(orr__builder *c, const orr__view *v)
{
    orr__region *r = c->r;
    for (int k = c->g->root[c->home].below; k >= 0 && r->nout < ORR__REGION_OUTS; k = c->g->root[k].below)
        if (c->g->root[k].stored) {
            int from = r->rmask ? orr__arg(c->g->p, k, 0) : k;
            r->out[r->nout] = k;
            r->out_dtype[r->nout] = c->g->p->node[k]->dtype;
            r->rop[r->nout] = c->g->p->node[k]->attr.rop;
            r->out_reg[r->nout++] =
                orr__pattern_of(c->g->p, k) == ORR__PATTERN_PRODUCT ? 0 : (int16_t)orr__lower_node(c, from, v);
        }
}

/* Lowers a region with one value per row of the folded node: its view does not move along the last axis. */
static void lower_rows(orr__builder *c, int i)
{
    const orr_shape *s = &c->g->p->node[c->g->root[i].space]->shape;
    orr__region *r = c->r;
    orr__view v = orr__view_identity(s->rank);
    int last = s->rank > 0 ? s->rank - 1 : 0;
    v.ax[last] = -1;
    v.mul[last] = 0;
    r->loops = ORR__LOOPS_PER_ROW;
    orr__lower_space(r, s);
    r->out_reg[0] = (int16_t)orr__lower_node(c, i, &v);
    orr__lower_outputs(c, &v);
}

static void lower_map(orr__builder *c, int i)
{
    const orr__capture *p = c->g->p;
    const orr__node *n = p->node[i];
    orr__region *r = c->r;
    bool fold = n->op->pattern == ORR__PATTERN_FOLD;
    r->search = n->op->pattern == ORR__PATTERN_SEARCH;
    int from = fold || r->search ? orr__arg(p, i, 0) : i;
    r->rop[0] = n->attr.rop;
    r->rmask = fold ? n->attr.mask : r->search ? 1u << n->attr.axis : 0;
    orr__lower_space(r, &p->node[from]->shape);
    orr__view v = orr__view_identity(p->node[from]->shape.rank);
    r->out_reg[0] = (int16_t)orr__lower_node(c, from, &v);
    orr__lower_outputs(c, &v);
    if (fold && !r->rmask && p->node[from]->dtype != n->dtype) /* over no axes: a change of dtype at most */
        r->out_reg[0] =
            (int16_t)orr__lower_instr(c, (orr__rinstr){ ORR__RI_CAST, n->dtype, 0, r->out_reg[0], -1, -1, -1, -1 });
}

/* Labels the instructions of a user's definition by its name. */
static void name_parts(const orr__builder *c)
{
    const char **as = calloc((size_t)c->r->ninstr + 1, sizeof *as);
    bool any = false;
    for (int k = 0; as && k < c->nmemo; k++) {
        const char *name = c->g->p->node[c->memo[k].node]->as;
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

/* Refuses a product in a region with boxes: work on its tiles does not support them. */
static void refuse_parts(orr__builder *c)
{
    for (int a = 0; a < c->r->naccess; a++)
        if (c->r->access[a].box && c->g->root[c->home].product >= 0)
            c->refused = c->g->root[c->home].product;
}

orr_status orr__lower(orr__site at, const orr__group *g, int root, orr__region *r)
{
    const orr__node *n = g->p->node[root];
    orr__builder c = { .face = { .p = g->p,
                                 .dim = r->dim,
                                 .excess = g->excess,
                                 .node = face_node,
                                 .access = face_access,
                                 .instr = face_instr },
                       .g = g,
                       .r = r,
                       .home = root,
                       .refused = -1 };
    memset(r, 0, sizeof *r);
    r->call.slot = -1;
    r->nout = 1;
    r->out[0] = root;
    r->out_dtype[0] = n->dtype;
    r->out_count = orr__shape_count(&n->shape);
    r->file = n->file;
    r->line = n->line;
    r->as = n->as;
    if (g->root[root].product >= 0) {
        const orr__node *product = g->p->node[g->root[root].product];
        r->file = product->file ? product->file : r->file;
        r->line = product->file ? product->line : r->line;
        orr__lower_matmul(&c, g->root[root].product);
    } else if (n->op->pattern == ORR__PATTERN_PRODUCT)
        orr__lower_matmul(&c, root);
    else if (orr__has_kernel(g, root))
        orr__lower_call(&c, root);
    else if (g->root[root].space != root)
        lower_rows(&c, root);
    else
        lower_map(&c, root);
    refuse_parts(&c);
    if (c.refused < 0 && !c.oom) {
        orr__region_finish(r);
        name_parts(&c);
        orr__region_fit(r);
    }
    free(c.memo);
    if (c.refused >= 0) {
        orr__region_free(r);
        g->root[c.refused].apart = true;
        return ORR_OK;
    }
    if (c.oom) {
        orr__region_free(r);
        return orr__fail(at, ORR_ENOMEM, "no memory for a region");
    }
    return ORR_OK;
}
