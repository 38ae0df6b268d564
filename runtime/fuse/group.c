/* Decides which nodes of a capture get a buffer (roots) and which vanish into a region, from the outputs down.
 * Must not know: how a region's instructions look. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include "ops/ops.h"
#include "runtime/base/ablation.h"
#include "runtime/base/decimal.h"
#include "ops/instruction_cost.h"
#include "runtime/base/threshold.h"
#include "runtime/fuse/group.h"

/* Reasons that are kept of one root: a value may have as many readers as there are nodes. Limit of memory. */
#define REASONS_MOST 32

/* A value that is read twice by each of the values after it is counted 2^n times after n of them. */
static int more_loads(int a, int b)
{
    return a > INT_MAX - b ? INT_MAX : a + b;
}

bool orr__mixes_axes(const orr__capture *p, int i)
{
    orr__view v = orr__view_identity(p->node[i]->shape.rank), w;
    return orr__pattern_of(p, i) == ORR__PATTERN_VIEW &&
           !p->node[i]->op->see(p->node[i], &p->node[orr__arg(p, i, 0)]->shape, &v, &w);
}

int orr__fuse_strip(const orr__capture *p, int i)
{
    while (p->leaf_of[i] < 0 && p->node[i]->op->flags & ORR__OP_ORDERED)
        i = orr__arg(p, i, 0);
    return i;
}

void orr__group_reason(orr__group *g, int root, const char *fmt, ...)
{
    if (g->nreason == g->reason_cap) {
        int cap = g->reason_cap ? 2 * g->reason_cap : 16;
        struct orr__groupreason *more = realloc(g->reason, (size_t)cap * sizeof *more);
        if (!more)
            return; /* reasons are for people: a missing line is no error */
        g->reason = more;
        g->reason_cap = cap;
    }
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    orr__decimal_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    int told = 0;
    for (int i = g->root[root].told; i >= 0; i = g->reason[i].before)
        if (++told == REASONS_MOST || !strcmp(g->reason[i].text, text))
            return; /* enough, or merging was repeated */
    char *kept = strdup(text);
    if (!kept)
        return;
    g->reason[g->nreason] = (struct orr__groupreason){ kept, root, g->root[root].told };
    g->root[root].told = g->nreason++;
}

/* True if concat i joins pieces of rows so short that loops over each would compute over 1.5 times their elements. */
static bool cuts_rows(const orr__capture *p, int i)
{
    const orr_shape *s = &p->node[i]->shape;
    int axis = 0, parts = 0;
    double row = 0, computed = 0;
    for (int k = 0; k < orr__capture_nin(p, i); k++)
        for (int d = axis; d < s->rank; d++)
            axis = p->node[orr__arg(p, i, k)]->shape.dim[d] != s->dim[d] ? d : axis;
    for (int k = 0; k < orr__capture_nin(p, i); k++) {
        const orr_shape *part = &p->node[orr__arg(p, i, k)]->shape;
        double n = 1;
        for (int d = axis; d < part->rank; d++)
            n *= (double)part->dim[d];
        parts += n > 0;
        row += n;
        computed += ORR__VECTOR * ceil(n / ORR__VECTOR);
    }
    return axis > 0 && parts > 1 && computed > 1.5 * row && !orr__ablated(ORR__OFF_JOINED_ROWS);
}

bool orr__is_choice(const orr__group *g, int i)
{
    int nin = orr__capture_nin(g->p, i);
    return nin == 1 || (g->fuse && g->p->node[i]->shape.rank > 0 && nin * ORR__COST_CHOICE <= ORR__COST_STORE &&
                        !cuts_rows(g->p, i));
}

/* True if the region of choice i computes operand x. A compiled loop computes it inside of its border alone; where that is not known, at every
 * element, which must not cost more than storing it. */
static bool computes_part(const orr__group *g, int i, int x)
{
    return g->node[x].partial && g->node[x].loads > 0 &&
           (orr__capture_nin(g->p, i) == 1 || g->node[x].cost <= ORR__COST_STORE);
}

static void choice_cost(orr__group *g, int i)
{
    g->node[i].cost = 0;
    g->node[i].loads = 0;
    for (int k = 0; k < orr__capture_nin(g->p, i); k++) {
        int x = orr__arg(g->p, i, k);
        bool inside = computes_part(g, i, x);
        g->node[i].cost += ORR__COST_CHOICE + (inside ? g->node[x].cost : 0);
        g->node[i].loads = more_loads(g->node[i].loads, inside ? g->node[x].loads : 1);
    }
    g->node[i].read = g->node[i].loads <= 1 ? g->node[i].read : INFINITY;
    g->node[i].again = g->node[i].cost;
    g->node[i].movable = false;
    g->node[i].partial = true;
}

/* True if node i has few loads. Operands with at most an eighth of its elements, such as a mean, stay in the cache
 * and do not count. */
static bool reads_once(const orr__group *g, int i)
{
    double count = (double)orr__shape_count(&g->p->node[i]->shape);
    return g->node[i].loads <= 1 || g->node[i].read <= count + count / ORR__T_SMALL_OPERAND;
}

static bool is_cheap(const orr__group *g, int i)
{
    return g->node[i].again <= ORR__T_LIGHT && reads_once(g, i);
}

/* True if recomputing node i wherever regions read it costs less than storing it. Each reader has one load in both cases. */
static bool rather_again(const orr__group *g, int i)
{
    double once = (double)orr__shape_count(&g->p->node[i]->shape);
    return is_cheap(g, i) || (reads_once(g, i) &&
                              (double)g->node[i].again * (g->node[i].points - once) <= (double)ORR__COST_STORE * once);
}

/* True if take i computes each element that it reads instead of loading it: if that is less work, or cheap. */
static bool computes_taken(const orr__group *g, int i)
{
    const orr__capture *p = g->p;
    int x = orr__arg(p, i, 0);
    return g->fuse && g->node[x].movable &&
           (is_cheap(g, x) || orr__shape_count(&p->node[i]->shape) <= orr__shape_count(&p->node[x]->shape));
}

static void take_cost(orr__group *g, int i)
{
    int x = orr__arg(g->p, i, 0), index = orr__arg(g->p, i, 1);
    bool inside = computes_taken(g, i);
    g->node[i].cost = ORR__COST_TAKE + g->node[index].cost + (inside ? g->node[x].cost : 0);
    g->node[i].loads = more_loads(g->node[index].loads, inside ? g->node[x].loads : 1);
    g->node[i].read = g->node[i].loads <= 1 ? g->node[i].read : INFINITY;
    g->node[i].again = g->node[i].cost;
    g->node[i].movable = g->node[i].partial = false;
}

/* True if view i of x repeats each element along the last axis. Loops compute such an element once for all
 * repetitions. */
static bool repeats_innermost(const orr_shape *i, const orr_shape *x)
{
    return i->rank > 0 && i->dim[i->rank - 1] >= ORR__T_SMALL_OPERAND && (x->rank == 0 || x->dim[x->rank - 1] == 1) &&
           orr__shape_count(x) * ORR__T_SMALL_OPERAND <= orr__shape_count(i);
}

/* True if view i repeats a value whose recomputation costs more than a buffer; the value is then stored. */
static bool stored_below(const orr__group *g, int i)
{
    int x = orr__arg(g->p, i, 0);
    return orr__shape_count(&g->p->node[i]->shape) > orr__shape_count(&g->p->node[x]->shape) &&
           g->node[x].cost > ORR__T_LIGHT;
}

/* Adds the loads of operand x of node i. An operand with the same loads has no more. */
static void add_loads(orr__group *g, int i, int x)
{
    orr__groupnode *n = &g->node[i];
    const orr__groupnode *of = &g->node[x];
    if (of->loads == 0 || (n->loads > 0 && n->reads == of->reads))
        return;
    n->reads = n->loads > 0 ? i : of->reads;
    n->loads = more_loads(n->loads, of->loads);
    n->read += of->read;
}

/* Computes the cost of node i as an expression, from the costs of its inputs. Roots cost a load. Also correct for
 * nodes that become roots later, because their costs are used before that. */
static void expression_cost(orr__group *g, int i)
{
    const orr__capture *p = g->p;
    int pattern = orr__pattern_of(p, i), nin = orr__capture_nin(p, i);
    const orr__op *op = p->node[i]->op;
    g->node[i].cost = g->node[i].again = 0;
    g->node[i].loads = 1;
    g->node[i].reads = i;
    g->node[i].read = (double)orr__shape_count(&p->node[i]->shape);
    g->node[i].movable = g->node[i].partial = true;
    switch (pattern) {
    case ORR__PATTERN_GATHER: take_cost(g, i); return;
    case ORR__PATTERN_CHOICE:
        if (orr__is_choice(g, i))
            choice_cost(g, i);
        return;
    case ORR__PATTERN_ELEMENT:
    case ORR__PATTERN_VIEW: break;
    default: return;
    }
    g->node[i].cost = pattern == ORR__PATTERN_ELEMENT ? op->flops : 0;
    g->node[i].again = g->node[i].cost;
    g->node[i].loads = 0;
    g->node[i].read = 0;
    g->node[i].movable = g->node[i].partial = !(op->flags & ORR__OP_BY_PLACE);
    for (int k = 0; k < nin; k++) {
        int x = orr__arg(p, i, k);
        float times = op->flags & ORR__OP_SEVERAL ? orr__folded_count(p, i) : 1;
        float steps = (times - 1) * (op->flops + (g->node[x].loads > 0 ? ORR__T_LIGHT : 0)); /* each loads an element */
        g->node[i].cost += times * g->node[x].cost + steps;
        g->node[i].again += times * g->node[x].again + steps;
        add_loads(g, i, x);
        g->node[i].movable = g->node[i].movable && g->node[x].movable;
        g->node[i].partial = g->node[i].partial && g->node[x].partial;
    }
    if (pattern == ORR__PATTERN_VIEW) /* other elements of the same buffers */
        g->node[i].reads = i;
    if (pattern == ORR__PATTERN_VIEW && stored_below(g, i)) {
        g->node[i].cost = g->node[i].again = 0;
        g->node[i].loads = 1;
        g->node[i].read = (double)orr__shape_count(&p->node[orr__arg(p, i, 0)]->shape);
    }
    if (pattern == ORR__PATTERN_VIEW && repeats_innermost(&p->node[i]->shape, &p->node[orr__arg(p, i, 0)]->shape))
        g->node[i].again = 0;
}

/* Gives node i a buffer: a structural operation or an output reads it as a whole in row-major order. */
static void need_buffer(orr__group *g, int i)
{
    i = orr__fuse_strip(g->p, i);
    if (g->p->leaf_of[i] < 0)
        g->node[i].root = true;
}

/* True for a view that shows elements several times. It reads them from a buffer. */
static bool overlaps(const orr__capture *p, int i)
{
    return p->node[i]->op->flags & ORR__OP_OVERLAPS;
}

/* The node whose buffer is read where v sees node i: i itself, or a node below views, several of which may overlap. A view that shows at
 * most half of the elements of a computed node gets the buffer itself: the other elements are not computed. */
static int behind_views(orr__group *g, int i, orr__view v)
{
    const orr__capture *p = g->p;
    int least = i;
    orr__view w;
    while (!g->node[i].root && orr__pattern_of(p, i) == ORR__PATTERN_VIEW &&
           p->node[i]->op->see(p->node[i], &p->node[orr__arg(p, i, 0)]->shape, &v, &w)) {
        bool window = overlaps(p, i);
        v = w;
        i = orr__arg(p, i, 0);
        if (window || orr__shape_count(&p->node[i]->shape) < orr__shape_count(&p->node[least]->shape))
            least = i;
    }
    bool narrow = 2 * orr__shape_count(&p->node[least]->shape) <= orr__shape_count(&p->node[i]->shape);
    if (narrow && orr__computes(g, i) && !g->node[i].root && !orr__ablated(ORR__OFF_NARROW_READS)) {
        orr__group_reason(g, least, "%%%d %s: computed for itself, since %%%d %s has %lld elements", least,
                          p->node[least]->op->name, i, p->node[i]->op->name,
                          (long long)orr__shape_count(&p->node[i]->shape));
        i = least;
    }
    return i;
}

/* Gives a buffer to an operand that may be any affine view of it: a matmul's, or one that is read by computed index. */
static void need_affine(orr__group *g, int i)
{
    need_buffer(g, behind_views(g, i, orr__view_identity(g->p->node[i]->shape.rank)));
}

/* The same for the operand of an overlapping view c. */
static void need_overlapped(orr__group *g, int c)
{
    const orr__capture *p = g->p;
    const orr__node *n = p->node[c];
    int x = orr__arg(p, c, 0);
    orr__view v = orr__view_identity(n->shape.rank), w;
    if (n->op->see(n, &p->node[x]->shape, &v, &w))
        x = behind_views(g, x, w);
    int s = orr__fuse_strip(p, x);
    if (p->leaf_of[s] < 0 && !g->node[s].root)
        orr__group_reason(g, s, "%%%d %s -> %%%d: the view shows its elements several times", s, p->node[s]->op->name,
                          c);
    need_buffer(g, x);
}

/* Offers input x to the expression of consumer c, a root or a node inside a region. */
static void offer(orr__group *g, int c, int x)
{
    const orr__capture *p = g->p;
    int from = g->node[c].root ? c : g->node[c].owner;
    if (p->leaf_of[x] >= 0 || from == ORR__NO_OWNER)
        return;
    if (orr__pattern_of(p, c) == ORR__PATTERN_VIEW && overlaps(p, c)) {
        need_overlapped(g, c);
        return;
    }
    if (orr__mixes_axes(p, c)) {
        int s = orr__fuse_strip(p, c);
        if (p->leaf_of[s] < 0 && !g->node[s].root)
            orr__group_reason(g, s, "%%%d %s -> %%%d: the view mixes axes, so its input gets a buffer", s,
                              p->node[s]->op->name, c);
        need_buffer(g, c);
        return;
    }
    if (orr__pattern_of(p, c) == ORR__PATTERN_VIEW && stored_below(g, c) && !g->node[x].root) {
        int64_t n = orr__shape_count(&p->node[x]->shape);
        orr__group_reason(g, x, "%%%d %s -> %%%d: would be computed %lld times over by the view", x,
                          p->node[x]->op->name, c, (long long)(n ? orr__shape_count(&p->node[c]->shape) / n : 0));
        need_buffer(g, x);
        return;
    }
    if (g->node[x].owner == ORR__NO_OWNER)
        g->node[x].owner = from;
    else if (g->node[x].owner != from)
        g->node[x].owner = ORR__MANY_OWNERS;
}

/* Offers to take i the node that it reads by index, and the index. */
static void offer_taken(orr__group *g, int i)
{
    const orr__capture *p = g->p;
    int x = orr__arg(p, i, 0), s = orr__fuse_strip(p, x);
    if (computes_taken(g, i)) {
        offer(g, i, x);
    } else {
        if (g->fuse && p->leaf_of[s] < 0 && !g->node[s].root)
            orr__group_reason(g, s, "%%%d %s -> %%%d %s: its elements are read by number, in any order", s,
                              p->node[s]->op->name, i, p->node[i]->op->name);
        need_affine(g, x);
    }
    offer(g, i, orr__arg(p, i, 1));
}

static void offer_parts(orr__group *g, int i)
{
    for (int k = 0; k < orr__capture_nin(g->p, i); k++) {
        int x = orr__arg(g->p, i, k);
        if (computes_part(g, i, x))
            offer(g, i, x);
        else
            need_affine(g, x);
    }
}

/* Does a node other than choice i read one of its operands? */
static bool shares_operand(const orr__group *g, int i)
{
    bool any = false;
    for (int k = 0; k < orr__capture_nin(g->p, i); k++)
        any = any || g->node[orr__arg(g->p, i, k)].readers > 1;
    return any;
}

/* True if recomputing node i at each place where it is read costs more than a buffer. False for a border, a choice with one operand: its
 * operand decides, since it is read without a gap from row to row, and the choice costs nothing inside of the border. Also false for a
 * choice with an operand that has other readers. */
static bool repeats(const orr__group *g, int i)
{
    double once = (double)orr__shape_count(&g->p->node[i]->shape);
    bool choice = orr__pattern_of(g->p, i) == ORR__PATTERN_CHOICE;
    if (choice && (orr__capture_nin(g->p, i) == 1 || shares_operand(g, i)))
        return false;
    return g->node[i].nplace > 1 &&
           (double)g->node[i].cost * (g->node[i].points - once) > (double)ORR__COST_STORE * once &&
           !orr__ablated(ORR__OFF_REPEATED_READS);
}

/* True if all regions together read at most half of node i. Recomputation then costs less than a buffer. */
static bool reads_little(const orr__group *g, int i)
{
    return 2 * g->node[i].points <= (double)orr__shape_count(&g->p->node[i]->shape) &&
           !orr__ablated(ORR__OFF_NARROW_READS);
}

static bool many_compute(const orr__group *g, int i)
{
    return g->node[i].owner == ORR__MANY_OWNERS && !rather_again(g, i) && !reads_little(g, i);
}

static bool many_load(const orr__group *g, int i)
{
    return many_compute(g, i) && !reads_once(g, i) && g->node[i].again <= ORR__COST_STORE;
}

static bool is_full(const orr__group *g, int i)
{
    int own = g->node[i].owner;
    return own >= 0 && g->root[own].size >= ORR__T_REGION_OPS;
}

static bool has_inputs(const orr__group *g, int i)
{
    int own = g->node[i].owner;
    return own >= 0 && g->root[own].inputs + orr__capture_nin(g->p, i) > ORR__REGION_MAX_INPUTS;
}

static int again_of(const orr__group *g, int i)
{
    return (int)g->node[i].again;
}

static int loads_of(const orr__group *g, int i)
{
    return g->node[i].loads;
}

static int cost_of(const orr__group *g, int i)
{
    return (int)g->node[i].cost;
}

static int size_of(const orr__group *g, int i)
{
    return g->root[g->node[i].owner].size;
}

static int inputs_of(const orr__group *g, int i)
{
    return g->root[g->node[i].owner].inputs;
}

/* The tests that give a node inside of regions a buffer, in order; a reason has a number in it. */
static const struct {
    bool (*test)(const orr__group *g, int i);
    int (*number)(const orr__group *g, int i);
    const char *before, *after;
} stored_if[] = {
    { many_load, loads_of, "several regions read it, and would each read", "buffers" },
    { many_compute, again_of, "several regions read it, and", "flops per element are too many to compute again" },
    { repeats, cost_of, "read at several places, and", "flops per element are too many to compute at each" },
    { is_full, size_of, "the region is full, with", "instructions" },
    { has_inputs, inputs_of, "the region reads", "buffers already" },
};

/* True if node i, which regions compute, gets a buffer all the same. */
static bool is_stored(orr__group *g, int i)
{
    int own = g->node[i].owner;
    for (size_t k = 0; g->fuse && k < sizeof stored_if / sizeof *stored_if; k++) {
        if (!stored_if[k].test(g, i))
            continue;
        char reader[24] = "";
        if (own >= 0)
            (void)snprintf(reader, sizeof reader, " -> %%%d", own);
        orr__group_reason(g, i, "%%%d %s%s: %s %d %s", i, g->p->node[i]->op->name, reader, stored_if[k].before,
                          stored_if[k].number(g, i), stored_if[k].after);
        return true;
    }
    return !g->fuse;
}

/* Decides whether node i is a root, once all its consumers are decided, then offers its inputs. */
static void settle(orr__group *g, int i)
{
    const orr__capture *p = g->p;
    int pattern = orr__pattern_of(p, i), nin = orr__capture_nin(p, i), own = g->node[i].owner;
    if (pattern == ORR__PATTERN_NONE || !g->node[i].live)
        return;
    bool computes = orr__computes(g, i);
    bool again = nin == 0 && g->node[i].cost <= 1; /* as cheap as a load: computed wherever it is read */
    if (!g->node[i].root)
        g->node[i].root = computes ? own != ORR__NO_OWNER && !again && is_stored(g, i) : pattern != ORR__PATTERN_VIEW;
    int region = g->node[i].root ? i : own;
    if (region >= 0) {
        g->root[region].size += g->node[i].root || g->node[i].nplace < 1 ? 1 : g->node[i].nplace;
        for (int k = 0; k < nin; k++)
            g->root[region].inputs += g->node[orr__arg(p, i, k)].loads > 0;
        if (!g->node[i].root && nin && g->node[i].loads > 0)
            g->root[region].inputs--; /* node i itself counted as an input of the region before */
    }
    switch (pattern) {
    case ORR__PATTERN_PRODUCT:
        need_affine(g, orr__arg(p, i, 0));
        need_affine(g, orr__arg(p, i, 1));
        return;
    case ORR__PATTERN_GATHER:
        offer_taken(g, i);
        orr__places_of_operands(g, i);
        return;
    case ORR__PATTERN_CHOICE:
        if (computes) {
            offer_parts(g, i);
            orr__places_of_operands(g, i);
            return;
        }
        break;
    case ORR__PATTERN_KERNEL: break;
    default:
        for (int k = 0; k < nin; k++)
            offer(g, i, orr__arg(p, i, k));
        orr__places_of_operands(g, i);
        return;
    }
    for (int k = 0; k < nin; k++)
        need_buffer(g, orr__arg(p, i, k));
}

void orr__group_free(orr__group *g)
{
    orr__merge_undo(g);
    if (g->node)
        orr__places_free(g);
    free(g->node);
    free(g->root);
    free(g->excess);
    for (int i = 0; i < g->nreason; i++)
        free(g->reason[i].text);
    free(g->reason);
    memset(g, 0, sizeof *g);
}

orr_status orr__group_make(orr__site at, const orr__capture *p, int how, orr__group *g)
{
    size_t n = (size_t)p->n + 1;
    *g = (orr__group){ .p = p,
                       .fuse = how != ORR__FUSE_NONE,
                       .rows = how >= ORR__FUSE_ROWS && !orr__ablated(ORR__OFF_FUSE_ROWS),
                       .tiles = how >= ORR__FUSE_TILES && !orr__ablated(ORR__OFF_FUSE_EPILOGUES) };
    g->node = calloc(n, sizeof *g->node);
    g->root = calloc(n, sizeof *g->root);
    if (!g->node || !g->root) {
        orr__group_free(g);
        return orr__fail(at, ORR_ENOMEM, "no memory to group %d nodes", p->n);
    }
    for (int i = 0; i < p->n; i++) {
        g->node[i].owner = ORR__NO_OWNER;
        g->root[i].told = -1;
        expression_cost(g, i);
        for (int k = 0; k < orr__capture_nin(p, i); k++)
            g->node[orr__arg(p, i, k)].readers++;
    }
    for (int k = 0; k < p->nout; k++) {
        g->node[p->out[k]].live = true;
        need_buffer(g, p->out[k]);
    }
    for (int i = p->n; i-- > 0;) {
        for (int k = 0; g->node[i].live && k < orr__capture_nin(p, i); k++)
            g->node[orr__arg(p, i, k)].live = true;
        settle(g, i);
    }
    orr_status st = orr__merge(at, g);
    if (st != ORR_OK)
        orr__group_free(g);
    return st;
}
