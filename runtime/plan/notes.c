/* Facts of a new plan for ORRERY_NOTES: values that go through memory between two kernels, with the fuser's reason, operands that are read
 * across their rows, and arrays of f64 that come from f32. Of each evaluation: kernels whose inputs are those of the evaluation before.
 * Must not know: times, the engine. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ops/ops.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/notes.h"
#include "runtime/plan/passes.h"

/* Arrays below this many elements are too small to matter. */
enum { NOTED = 4096 }; /* limit of a promise */
/* Inputs, of which a word has a bit each, and instructions of a kernel in which values are looked for that do not change. */
enum { INPUTS = 64, INSTRUCTIONS = 64 }; /* limit of memory */

/* By node: the node that widens the numbers from which it is computed, −1: none; the region that stores it, −1: none. */
typedef struct {
    int32_t *wide, *maker;
} sources;

static int32_t widened(const orr__capture *p, const int32_t *wide, int i)
{
    int nin = orr__capture_nin(p, i);
    const int32_t *arg = p->arg + p->arg0[i];
    if (p->leaf_of[i] >= 0 || p->node[i]->dtype != ORR_F64)
        return -1;
    if (nin == 1 && p->node[arg[0]]->dtype == ORR_F32)
        return i;
    for (int k = 0; k < nin; k++)
        if (wide[arg[k]] >= 0)
            return wide[arg[k]];
    return -1;
}

/* The elements of the value `node` that all kernels read, the number of these kernels, and one of them. */
typedef struct {
    double read;
    int n, reader;
} reading;

static reading read_of(const orr__capture *p, const orr__regions *rs, int32_t node)
{
    reading of = { 0, 0, -1 };
    for (int k = 0; k < rs->n; k++)
        for (int i = 0; i < rs->region[k].nin; i++)
            if (rs->region[k].in[i] == node) {
                of.read += orr__region_touched(&rs->region[k], i);
                of.reader = k;
                of.n++;
            }
    for (int i = 0; i < p->nout; i++)
        of.n += p->out[i] == node ? 2 : 0;
    return of;
}

static void note_apart(const orr__capture *p, const orr__regions *rs, const sources *s, int k)
{
    const orr__region *r = &rs->region[k];
    for (int i = 0; i < r->nin; i++) {
        int node = r->in[i], from = s->maker[node];
        if (from < 0)
            continue;
        orr__note f = { .kind = ORR__NOTE_APART,
                        .file = r->file,
                        .line = r->line,
                        .of = rs->region[from].file,
                        .of_line = rs->region[from].line,
                        .part = read_of(p, rs, node).n > 1,
                        .bytes = 2.0 * (double)orr__node_bytes(p->node[node]) };
        (void)snprintf(f.text, sizeof f.text, "%s",
                       orr__plan_fusion() == ORR__FUSE_NONE ? "ORRERY_FUSE=off" : orr__fuse_why(rs, node, from, k));
        orr__notes_add(&f);
    }
}

/* A change at this place would save that part of the kernel's time. */
static void note_part(orr__note_kind kind, orr__site at, const orr__region *r, double part)
{
    if (at.file && part > 0)
        orr__notes_add(&(orr__note){ .kind = kind,
                                     .kernel = r->key,
                                     .file = at.file,
                                     .line = at.line,
                                     .of = r->file,
                                     .of_line = r->line,
                                     .n = 1,
                                     .a = part });
}

static bool is_permuted(const orr__capture *p, int i)
{
    return (p->node[i]->op->attrs & ORR__ATTR_PERM) != 0;
}

static int64_t elements_read(const orr__capture *p, int i)
{
    return orr__shape_count(&p->node[p->arg[p->arg0[i]]]->shape);
}

/* The view repeats over what a fold before it goes: it is that fold's gradient, and no call of the program's. */
static bool undoes_fold(const orr__capture *p, int i)
{
    for (int j = 0; j < i; j++)
        if (p->node[j]->op->pattern == ORR__PATTERN_FOLD &&
            elements_read(p, j) == orr__shape_count(&p->node[i]->shape) &&
            elements_read(p, i) == orr__shape_count(&p->node[j]->shape))
            return true;
    return false;
}

static bool is_wider(const orr__capture *p, int i)
{
    return orr__shape_count(&p->node[i]->shape) > elements_read(p, i) && !undoes_fold(p, i);
}

static bool is_view(const orr__capture *p, int i)
{
    return p->leaf_of[i] < 0 && orr__capture_nin(p, i) == 1 && p->node[i]->op->pattern == ORR__PATTERN_VIEW;
}

/* True if a node of region k reads node i, through views. */
static bool reads(const orr__capture *p, const orr__regions *rs, int k, int i)
{
    for (int j = i + 1; j < p->n; j++)
        for (int a = 0; a < orr__capture_nin(p, j) && rs->home[j] == k; a++) {
            int x = p->arg[p->arg0[j] + a];
            while (x > i && is_view(p, x))
                x = p->arg[p->arg0[x]];
            if (x == i)
                return true;
        }
    return rs->home[i] == k;
}

/* The user's call by which region k sees its input in this way: a view of `input` (−1: of any), that of one of its nodes if it can be. Else
 * the region; of any: none. */
static orr__site view_of(const orr__capture *p, const orr__regions *rs, int k, int32_t input,
                         bool (*is)(const orr__capture *p, int i))
{
    const orr__node *best = NULL;
    for (int i = p->n - 1; i >= 0; i--) {
        if (!is_view(p, i) || !is(p, i) || !p->node[i]->file)
            continue;
        int from = i;
        while (is_view(p, from) && from != input)
            from = p->arg[p->arg0[from]];
        if (input >= 0 && from != input)
            continue;
        if (reads(p, rs, k, i))
            return ORR__SITE(p->node[i]->file, p->node[i]->line, NULL);
        best = input >= 0 && !best ? p->node[i] : best;
    }
    if (input < 0)
        return ORR__SITE(NULL, 0, NULL);
    return best ? ORR__SITE(best->file, best->line, NULL) : orr__region_site(&rs->region[k]);
}

/* Large operands of a kernel of loops, of which the innermost loop reads elements of different rows. One that the plan itself computes would
 * have to be copied each time, which costs as much. */
static void note_turned(const orr__capture *p, const orr__regions *rs, const int32_t *maker, int k)
{
    const orr__region *r = &rs->region[k];
    double part = 0;
    int64_t most = 0;
    int inner = orr__region_inner_axis(r);
    int32_t input = -1;
    for (int i = 0; i < r->ninstr && orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT && r->rank > 1; i++) {
        const orr__access *x = r->instr[i].kind == ORR__RI_LOAD ? &r->access[r->instr[i].a] : NULL;
        if (!x || x->input < 0 || maker[r->in[x->input]] >= 0 || x->placed || r->in_count[x->input] < NOTED ||
            r->dim[inner] < 2)
            continue;
        int row = orr__region_row_axis(r, x);
        int64_t step = x->stride[inner] < 0 ? -x->stride[inner] : x->stride[inner];
        if (row < 0 || row == inner || step <= 1)
            continue;
        part += orr__region_part_beyond(r, i);
        if (r->in_count[x->input] > most) {
            most = r->in_count[x->input];
            input = r->in[x->input];
        }
    }
    if (part > 0)
        note_part(ORR__NOTE_TURNED, view_of(p, rs, k, input, is_permuted), r, part);
}

/* The cast is that of the operation at this line, not one that the program wrote before. */
static bool is_here(const orr__node *n, const orr__node *cast)
{
    return n->line == cast->line && n->file == cast->file;
}

/* A node of the region at which an array that is widened for it meets an operand that came as f64, and that operand; −1: none. */
static int32_t meets_f64(const orr__capture *p, const orr__regions *rs, const int32_t *wide, int k, int32_t *operand)
{
    for (int i = 0; i < p->n; i++) {
        bool widened_one = false;
        int32_t other = -1;
        for (int j = 0; j < orr__capture_nin(p, i) && rs->home[i] == k; j++) {
            int x = p->arg[p->arg0[i] + j];
            widened_one = widened_one || (wide[x] >= 0 && is_here(p->node[i], p->node[wide[x]]));
            other = wide[x] < 0 && p->node[x]->dtype == ORR_F64 ? x : other;
        }
        if (other >= 0 && widened_one && orr__shape_count(&p->node[i]->shape) >= NOTED) {
            *operand = other;
            return i;
        }
    }
    return -1;
}

/* The node from which i comes by other shapes alone. */
static int source_of(const orr__capture *p, int i)
{
    while (p->leaf_of[i] < 0 && orr__capture_nin(p, i) == 1 && p->node[i]->op->pattern == ORR__PATTERN_VIEW)
        i = p->arg[p->arg0[i]];
    return i;
}

/* The key of the place by which a region's results were widened. */
static uint64_t wide_key(const orr__region *r)
{
    return orr__hash(&r->line, sizeof r->line, (uint64_t)(uintptr_t)r->file ^ ORR__NOTE_WIDE);
}

/* True if the region stores or folds f64. */
static bool keeps_f64(const orr__region *r)
{
    bool keeps = false;
    for (int i = 0; i < r->nout; i++)
        keeps = keeps || r->out_dtype[i] == ORR_F64 || (r->rmask && r->instr[r->out_reg[i]].dtype == ORR_F64);
    for (int i = 0; i < r->ninstr; i++)
        keeps = keeps || (r->instr[i].kind == ORR__RI_FOLD && r->instr[i].dtype == ORR_F64);
    return keeps;
}

/* The cast by which loops over f32 compute in f64 what they store or fold as f32; −1: none. A fold in f64 is meant. */
static int32_t widened_within(const orr__capture *p, const orr__regions *rs, int k)
{
    const orr__region *r = &rs->region[k];
    int32_t by = -1;
    if (!orr__region_loops(r) || r->loops == ORR__LOOPS_PRODUCT || keeps_f64(r))
        return -1;
    for (int i = 0; i < r->nin; i++)
        if (r->in_dtype[i] == ORR_F64)
            return -1;
    for (int i = 0; i < p->n; i++)
        if (rs->home[i] == k && p->leaf_of[i] < 0 && orr__capture_nin(p, i) == 1 && p->node[i]->dtype == ORR_F64 &&
            p->node[p->arg[p->arg0[i]]]->dtype == ORR_F32 && orr__shape_count(&p->node[i]->shape) >= NOTED)
            by = i;
    return by;
}

/* The least gain of a loop in f32 alone: with f64 it has half as many lanes, for its other operations, too. */
#define HALF_LANES 0.4 /* limit of a measurement */

/* Half of the bytes that f64 moves are saved, and arithmetic; the latter is no accident where all operands were cast. */
static void note_wide(const orr__capture *p, const orr__regions *rs, const int32_t *wide, int k)
{
    const orr__region *r = &rs->region[k];
    double bytes = 0;
    int32_t by = -1, operand = -1, meets = meets_f64(p, rs, wide, k, &operand);
    for (int o = 0; o < r->nout; o++)
        if (r->out_count >= NOTED && r->out_dtype[o] == ORR_F64 && wide[r->out[o]] >= 0) {
            bytes += ORR__WRITTEN * 8.0 * (double)r->out_count;
            by = wide[r->out[o]];
        }
    for (int i = 0; i < r->nin; i++)
        if (r->in_count[i] >= NOTED && r->in_dtype[i] == ORR_F64 && (wide[r->in[i]] >= 0 || meets >= 0)) {
            bytes += 8.0 * orr__region_touched(r, i);
            by = wide[r->in[i]] >= 0 ? wide[r->in[i]] : by;
        }
    by = meets >= 0 ? meets : by;
    if (by < 0)
        by = widened_within(p, rs, k);
    bool within = by >= 0 && bytes == 0 && meets < 0;
    double all = orr__region_effort(r), part = all > 0 ? 0.5 * bytes / all : 0;
    if ((meets >= 0 || within) && orr__region_loops(r))
        part += orr__region_part_wide(r);
    if ((meets >= 0 || within) && orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT && part < HALF_LANES)
        part = HALF_LANES;
    const orr__node *at = by >= 0 ? p->node[by] : NULL, *from = operand >= 0 ? p->node[source_of(p, operand)] : at;
    if (at && at->file && part > 0) {
        orr__note f = { ORR__NOTE_WIDE, .kernel = r->key,    .of = r->file, .of_line = r->line,
                        .by = at->file, .by_line = at->line, .n = 1 };
        orr__notes_place origin = { from->file ? from->file : at->file, from->line, 0 };
        int from_leaf = operand >= 0 ? p->leaf_of[source_of(p, operand)] : -1;
        orr__buffer *leaf = from_leaf >= 0 ? p->leaf[from_leaf] : NULL;
        orr__notes_value v;
        if (leaf && orr__notes_value_of(orr__buffer_number(leaf), &v) && v.wide.file)
            origin = v.wide; /* an evaluation before has widened it */
        f.a = part < 1 ? part : 1;
        f.file = origin.file;
        f.line = origin.line;
        orr__notes_add(&f);
        (void)orr__notes_met(wide_key(r), origin, false, &origin);
    }
}

/* Elements that are equal along an axis, which a kernel of loops computes, stores or folds one by one. True: all of its elements are. */
static bool note_tiled(const orr__capture *p, const orr__regions *rs, int k)
{
    const orr__region *r = &rs->region[k];
    double all = 1;
    for (int d = 0; d < r->rank; d++)
        all *= (double)r->dim[d];
    for (int d = 0;
         d < r->rank && orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT && r->naccess > 0 && all >= NOTED; d++) {
        bool equal = r->dim[d] > 1;
        for (int a = 0; a < r->naccess; a++) {
            const orr__access *x = &r->access[a];
            equal = equal && x->input >= 0 && !x->placed && x->stride[d] == 0 && !(x->box >> d & 1);
        }
        if (equal) {
            note_part(ORR__NOTE_TILED, view_of(p, rs, k, -1, is_wider), r, 1 - 1 / (double)r->dim[d]);
            return true;
        }
    }
    return false;
}

/* The elements of a node: the axes along which they are equal, and the view that repeats them, −1: none does. */
typedef struct {
    uint32_t axes;
    int32_t view, counted; /* counted, of the view: 1 + the last kernel with work on its elements */
} repetition;

/* The axes of view i along which its elements are equal, by those of its operand. */
static uint32_t axes_through(const orr__capture *p, int i, uint32_t axes)
{
    const orr_shape *to = &p->node[i]->shape, *from = &p->node[p->arg[p->arg0[i]]]->shape;
    uint32_t result = 0;
    for (int d = 0; d < to->rank && is_permuted(p, i); d++)
        result |= (axes >> p->node[i]->attr.perm[d] & 1) << d;
    if (is_permuted(p, i) || !(p->node[i]->op->flags & ORR__OP_ORDERED))
        return is_permuted(p, i) ? result : to->rank == from->rank ? axes : 0;
    for (int d = 0, k = 0; d < to->rank && k < from->rank;) { /* the least groups with as many elements on both sides */
        int d0 = d, k0 = k;
        int64_t new = to->dim[d++], old = from->dim[k++];
        while (new != old && (new < old ? d < to->rank : k < from->rank))
            if (new < old)
                new *= to->dim[d++];
            else
                old *= from->dim[k++];
        bool all = true;
        for (; k0 < k; k0++)
            all = all && (from->dim[k0] == 1 || axes >> k0 & 1);
        for (; d0 < d && all; d0++)
            result |= 1U << d0;
    }
    return result;
}

static repetition repetition_of(const orr__capture *p, const repetition *of, int i)
{
    const orr__node *n = p->node[i];
    const int32_t *arg = p->arg + p->arg0[i];
    repetition r = { ~0U, -1, 0 };
    if (n->op->flags & ORR__OP_UNIFORM || orr__shape_count(&n->shape) == 1)
        return r;
    if (orr__capture_nin(p, i) == 0 || p->leaf_of[i] >= 0 || (n->op->pattern != ORR__PATTERN_ELEMENT && !is_view(p, i)))
        return (repetition){ 0, -1, 0 };
    if (is_view(p, i) && is_wider(p, i)) {
        const orr_shape *from = &p->node[arg[0]]->shape;
        int lead = n->shape.rank - from->rank;
        bool one = of[arg[0]].axes == ~0U;
        r = (repetition){ one ? ~0U : 0, one ? -1 : i, 0 };
        for (int d = 0; d < n->shape.rank && !one && lead >= 0; d++)
            if (d < lead || n->shape.dim[d] != from->dim[d - lead] || of[arg[0]].axes >> (d - lead) & 1)
                r.axes |= n->shape.dim[d] > 1 ? 1U << d : 0;
        return r;
    }
    if (is_view(p, i))
        return of[arg[0]].axes == ~0U ? of[arg[0]]
                                      : (repetition){ axes_through(p, i, of[arg[0]].axes), of[arg[0]].view, 0 };
    for (int k = 0; k < orr__capture_nin(p, i); k++) {
        r.axes &= of[arg[k]].axes;
        r.view = of[arg[k]].axes != ~0U ? of[arg[k]].view : r.view;
    }
    return r;
}

/* Element-wise operations on values that are repeated already, inside of a kernel that has others. */
static void note_repeated(const orr__capture *p, const orr__regions *rs, repetition *of, int k)
{
    const orr__region *r = &rs->region[k];
    double effort = orr__region_effort(r);
    for (int i = 0; i < p->n && orr__region_loops(r) && effort > 0; i++) {
        const orr__node *n = p->node[i];
        double all = (double)orr__shape_count(&n->shape), same = 1;
        if (rs->home[i] != k || n->op->pattern != ORR__PATTERN_ELEMENT || of[i].view < 0 || of[i].axes == ~0U ||
            all < NOTED)
            continue;
        for (int d = 0; d < n->shape.rank; d++)
            same *= of[i].axes >> d & 1 ? (double)n->shape.dim[d] : 1;
        const orr__node *view = p->node[of[i].view];
        double part = (double)n->op->flops * all / effort * (1 - 1 / same);
        bool first = of[of[i].view].counted != k + 1;
        of[of[i].view].counted = k + 1;
        if (view->file && part > 0)
            orr__notes_add(&(orr__note){ .kind = ORR__NOTE_TILED,
                                         .kernel = r->key,
                                         .file = view->file,
                                         .line = view->line,
                                         .of = r->file,
                                         .of_line = r->line,
                                         .n = first,
                                         .a = part < 1 ? part : 1,
                                         .b = first });
    }
}

/* The node of which the elements of i are some, in any order. */
static int elements_of(const orr__capture *p, int i)
{
    while (p->leaf_of[i] < 0 &&
           (p->node[i]->op->pattern == ORR__PATTERN_VIEW || p->node[i]->op->pattern == ORR__PATTERN_GATHER ||
            p->node[i]->op->pattern == ORR__PATTERN_CHOICE))
        i = p->arg[p->arg0[i]];
    return i;
}

/* A product with an inverse costs the inverse, where a system of equations costs half of it: a third of the arithmetic, which is slower. */
static void note_inverse(const orr__capture *p, const orr__regions *rs, int k)
{
    for (int i = 0; i < p->n; i++)
        for (int a = 0; a < 2 && rs->home[i] == k && p->node[i]->op->pattern == ORR__PATTERN_PRODUCT; a++) {
            int x = elements_of(p, p->arg[p->arg0[i] + a]);
            const orr__node *n = p->node[x];
            const orr_shape *other = &p->node[p->arg[p->arg0[i] + 1 - a]]->shape, *own = &n->shape;
            bool wide = 2 * orr__shape_count(other) > orr__shape_count(own);
            if (p->leaf_of[x] >= 0 || !(n->op->inverse & n->attr.mask) || wide || rs->home[x] < 0)
                continue;
            note_part(ORR__NOTE_INVERSE, ORR__SITE(n->file, n->line, NULL), &rs->region[rs->home[x]], 0.5);
        }
}

/* Numbers by which elements are read, and which another kernel of the plan computes: no change of the program makes them a slice. */
static void note_computed_numbers(const orr__region *r, const int32_t *maker)
{
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *place = &r->instr[i], *number = place->kind == ORR__RI_PLACE ? &r->instr[place->x] : NULL;
        const orr__access *at = number ? &r->access[place->a] : NULL;
        if (at && at->file && number->kind == ORR__RI_LOAD && maker[r->in[r->access[number->a].input]] >= 0)
            orr__notes_add(&(orr__note){ .kind = ORR__NOTE_RUN,
                                         .file = at->file,
                                         .line = at->line,
                                         .of = r->file,
                                         .of_line = r->line,
                                         .part = 1 });
    }
}

/* Sums and products of elements cost no more than to read the result. */
static bool is_costly(const orr__op *op)
{
    enum { COSTLY = 4 }; /* limit of a promise */
    return op->pattern == ORR__PATTERN_PRODUCT || (op->pattern == ORR__PATTERN_ELEMENT && op->flops >= COSTLY);
}

/* A number for what this operation, NULL: a product, computes from these inputs. */
static uint64_t of_inputs(uint64_t inputs, const orr__op *op)
{
    int id = !op || op->pattern == ORR__PATTERN_PRODUCT ? 0 : op->id;
    return orr__hash(&id, sizeof id, inputs);
}

/* The places of values that a kernel computes from some of its inputs alone. */
static void note_inputs_of_values(const orr__capture *p, const orr__regions *rs, uint64_t *from, int k)
{
    const orr__region *r = &rs->region[k];
    if (!orr__region_loops(r) || r->nin < 1 || r->nin > INPUTS)
        return;
    for (int i = 0; i < p->n; i++)
        from[i] = 0;
    for (int i = 0; i < r->nin; i++)
        from[r->in[i]] |= UINT64_C(1) << i;
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        for (int a = 0; a < orr__capture_nin(p, i) && !from[i]; a++)
            for (int b = 0; b < orr__capture_nin(p, i); b++)
                from[i] |= from[p->arg[p->arg0[i] + b]];
        orr__notes_place place = { n->file, n->line, 0 }, before;
        if (n->file && n->op->pattern == ORR__PATTERN_ELEMENT &&
            rs->home[i] == k) /* one of its operands may be a mask */
            for (int b = 0; b < orr__capture_nin(p, i); b++)
                (void)orr__notes_met(orr__region_notes_key(r, ORR__NOTE_MASKED, from[p->arg[p->arg0[i] + b]]), place,
                                     true, &before);
        if (from[i] && is_costly(n->op) && n->file &&
            (rs->home[i] == k || rs->home[i] < 0)) /* < 0: in several kernels */
            (void)orr__notes_met(orr__region_notes_key(r, ORR__NOTE_FIXED, of_inputs(from[i], n->op)), place, false,
                                 &before);
    }
}

/* A product of a product: its terms, and those with the other two matrices first. */
static void note_order(const orr__region *q, const orr__region *r, const orr__node *at)
{
    if (!at || q->loops != ORR__LOOPS_PRODUCT || r->loops != ORR__LOOPS_PRODUCT || q->rank != r->rank || q->ninstr > 1)
        return;
    double batch = 1;
    for (int d = 0; d < r->rank - 3; d++)
        batch *= (double)r->dim[d];
    const int64_t *a = q->dim + q->rank - 3, *b = r->dim + r->rank - 3;
    int64_t common = b[2], outer = common == a[1] ? a[0] : a[1], third = b[0] == outer ? b[1] : b[0];
    if ((common != a[0] && common != a[1]) || (outer != b[0] && outer != b[1]))
        return;
    double k = (double)a[2], c = (double)common, o = (double)outer, t = (double)third;
    double now = batch * (k * c * o + c * o * t), other = batch * (k * c * t + k * o * t);
    if (2 * other < now) {
        orr__site place = ORR__SITE(at->file, at->line, NULL);
        note_part(ORR__NOTE_ORDER, place, r, 1 - other / now);
        note_part(ORR__NOTE_ORDER, place, q, 1 - other / now);
    }
}

/* The node of the product that region k computes; NULL: it computes none. */
static const orr__node *product_of(const orr__capture *p, const orr__regions *rs, int k)
{
    for (int i = 0; i < p->n; i++)
        if (rs->home[i] == k && p->node[i]->op->pattern == ORR__PATTERN_PRODUCT)
            return p->node[i];
    return NULL;
}

/* A sum of nothing but a product, over one of its axes, is a product of sums. */
static void note_summed(const orr__capture *p, const orr__regions *rs, const orr__region *product,
                        const orr__region *sum)
{
    const orr__node *at = product_of(p, rs, (int)(product - rs->region));
    if (!at || product->loops != ORR__LOOPS_PRODUCT || product->ninstr > 1 || sum->ninstr != 1 || !sum->rmask ||
        sum->nout != 1 || sum->search || sum->rop[0] != ORR__RSUM)
        return;
    orr__site place = ORR__SITE(at->file, at->line, NULL);
    double folded = (double)sum->out_count / (double)product->out_count; /* of both kernels' work, this part is left */
    note_part(ORR__NOTE_ORDER, place, product, 1 - folded);
    note_part(ORR__NOTE_ORDER, place, sum, 1 - folded);
}

/* A result that stays inside of the plan: the part that no kernel reads, and the order of products. */
static void note_inner(const orr__capture *p, const orr__regions *rs, const orr__region *r)
{
    reading of = r->nout == 1 && r->out_count >= NOTED ? read_of(p, rs, r->out[0]) : (reading){ 0 };
    bool asked = false;
    for (int i = 0; i < p->nout && r->nout == 1; i++)
        asked = asked || p->out[i] == r->out[0];
    if (of.n > 0 && !asked && 2 * of.read < (double)r->out_count)
        note_part(ORR__NOTE_UNREAD, orr__region_site(r), r, 1 - of.read / (double)r->out_count);
    if (of.n == 1) {
        note_order(r, &rs->region[of.reader], product_of(p, rs, of.reader));
        note_summed(p, rs, r, &rs->region[of.reader]);
    }
}

/* A large value, and its largest operand that has fewer elements. */
static void note_grown(const orr__region *r)
{
    orr__note f = { .kind = ORR__NOTE_GROWN,
                    .kernel = r->key,
                    .file = r->file,
                    .line = r->line,
                    .n = 1,
                    .content = (uint64_t)r->out_count };
    double size = r->nout ? (double)orr_dtype_size((orr_dtype)r->out_dtype[0]) : 0;
    for (int k = 0; k < r->nin; k++)
        if (r->in_count[k] < r->out_count && (uint64_t)r->in_count[k] > f.reads)
            f.reads = (uint64_t)r->in_count[k];
    f.bytes = size * (double)(f.content - f.reads);
    if (r->file && r->out_count >= NOTED && f.reads)
        orr__notes_add(&f);
}

/* Lines of which the kernel of another line computes the values. */
static void note_inside(const orr__capture *p, const orr__regions *rs)
{
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        const orr__region *r = rs->home[i] >= 0 ? &rs->region[rs->home[i]] : NULL;
        if (r && n->file && (n->line != r->line || n->file != r->file))
            orr__notes_add(&(orr__note){ .kind = ORR__NOTE_INSIDE,
                                         .file = n->file,
                                         .line = n->line,
                                         .of = r->file,
                                         .of_line = r->line,
                                         .n = 1 });
    }
}

void orr__plan_note(const orr__capture *p, const orr__regions *rs)
{
    sources s = { orr__alloc_n((size_t)p->n + 1, sizeof *s.wide), orr__alloc_n((size_t)p->n + 1, sizeof *s.maker) };
    repetition *repeated = orr__alloc_n((size_t)p->n + 1, sizeof *repeated);
    uint64_t *from = orr__alloc_n((size_t)p->n + 1, sizeof *from);
    bool ok = s.wide && s.maker && repeated && from;
    for (int i = 0; i < p->n && ok; i++) {
        s.wide[i] = widened(p, s.wide, i);
        s.maker[i] = -1;
        repeated[i] = repetition_of(p, repeated, i);
    }
    note_inside(p, rs);
    for (int k = 0; k < rs->n && ok; k++) {
        const orr__region *r = &rs->region[k];
        for (int o = 0; o < r->nout; o++)
            s.maker[r->out[o]] = k;
        note_apart(p, rs, &s, k);
        note_turned(p, rs, s.maker, k);
        note_grown(r);
        if (!note_tiled(p, rs, k))
            note_repeated(p, rs, repeated, k);
        note_inverse(p, rs, k);
        note_computed_numbers(r, s.maker);
        note_inputs_of_values(p, rs, from, k);
        note_inner(p, rs, r);
        note_wide(p, rs, s.wide, k);
    }
    free(repeated);
    free(from);
    free(s.wide);
    free(s.maker);
}

/* A node has up to three scalars; those of the next node may be among them. */
static uint64_t hash_scalars(const orr__plan *plan, const orr__scalar *scalar, int slot, int most, uint64_t h)
{
    int n = slot < 0 ? 0 : plan->nscalar - slot < most ? plan->nscalar - slot : most;
    return n > 0 ? orr__hash(&scalar[slot], (size_t)n * sizeof *scalar, h) : h;
}

static int scalars_of(const orr__rinstr *in)
{
    return in->kind == ORR__RI_SCALAR ? 1 : in->kind == ORR__RI_IOTA ? 2 : 3;
}

/* The content of a step's inputs and scalars; 0: not known. */
static uint64_t content_in(const orr__plan *plan, const orr__step *s, const uint64_t *content,
                           const orr__scalar *scalar)
{
    const orr__region *r = s->region;
    uint64_t h = orr__hash(&r->key, sizeof r->key, (uint64_t)s->terms.part);
    h = orr__hash(r->dim, (size_t)r->rank * sizeof *r->dim, h);
    for (int a = 0; a < r->naccess; a++) {
        h = orr__hash(&r->access[a].offset, sizeof r->access[a].offset, h);
        h = orr__hash(r->access[a].stride, (size_t)r->rank * sizeof *r->access[a].stride, h);
    }
    if (r->call.op)
        h = hash_scalars(plan, scalar, r->call.slot, 3, orr__hash(&r->call.attr, sizeof r->call.attr, h));
    for (int i = 0; i < r->ninstr; i++)
        h = hash_scalars(plan, scalar, r->instr[i].slot, scalars_of(&r->instr[i]), h);
    for (int k = 0; k < r->nin; k++) {
        if (!content[s->in[k]])
            return 0;
        h = orr__hash(&content[s->in[k]], sizeof *content, h);
    }
    return h | 1;
}

/* The number of an evaluation: of all, and of those at its line. */
enum { LINE_BITS = 20 }; /* limit of memory */
static uint64_t number_of_evaluation(orr__site at)
{
    static atomic_uint_least64_t evaluations;
    uint64_t now = atomic_fetch_add_explicit(&evaluations, 1, memory_order_relaxed) + 1;
    uint64_t key = orr__hash(&at.line, sizeof at.line, (uint64_t)(uintptr_t)at.file ^ ORR__NOTE_CALL);
    orr__notes_place before = { 0 };
    (void)orr__notes_met(key | 1, (orr__notes_place){ 0 }, false, &before);
    (void)orr__notes_met(key | 1, (orr__notes_place){ at.file, at.line, before.at + 1 }, false, &before);
    return now << LINE_BITS | ((before.at + 1) & ((1 << LINE_BITS) - 1));
}

/* True if few evaluations lie between, or few of those at one line, which may have others between them. */
static bool is_recent(uint64_t now, uint64_t before)
{
    enum { RECENT = 16, MASK = (1 << LINE_BITS) - 1 }; /* limit of memory */
    return (now >> LINE_BITS) - (before >> LINE_BITS) <= RECENT || ((now & MASK) - (before & MASK)) <= RECENT;
}

/* The same kernel with the same inputs as in an evaluation before: one of the last ones, or one with much arithmetic. True: it is. */
static bool note_same(orr__site at, const orr__region *r, uint64_t in, uint64_t evaluation)
{
    orr__note f = {
        .kind = ORR__NOTE_SAME, .file = r->file, .line = r->line, .by = at.file, .by_line = at.line, .n = 1
    };
    orr__notes_place before = { 0 };
    bool known = orr__notes_met(in, (orr__notes_place){ r->file, r->line, evaluation }, false, &before);
    f.part = known && before.at != evaluation && (is_recent(evaluation, before.at) || 4 * r->flops > r->bytes);
    if (f.part && (before.line != r->line || before.file != r->file)) {
        f.of = before.file;
        f.of_line = before.line;
    }
    (void)snprintf(f.text, sizeof f.text, "%s", r->label);
    orr__notes_add(&f);
    return f.part > 0;
}

/* Random numbers of a kernel that an evaluation before drew: their part of its arithmetic. */
static void note_drawn(const orr__plan *plan, const orr__region *r, const orr__scalar *scalar, uint64_t evaluation)
{
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind != ORR__RI_RANDOM)
            continue;
        const orr__access *x = &r->access[in->a];
        uint64_t h = orr__hash(r->dim, (size_t)r->rank * sizeof *r->dim, (uint64_t)in->op << 8 | in->dtype);
        h = hash_scalars(plan, scalar, in->slot, 3, orr__hash(x->stride, (size_t)r->rank * sizeof *x->stride, h));
        orr__notes_place before = { 0 };
        bool again = orr__notes_met(h | 1, (orr__notes_place){ x->file, x->line, evaluation }, false, &before) &&
                     before.at != evaluation;
        bool first = true;
        for (int j = 0; j < i; j++)
            first = first && !(r->instr[j].kind == ORR__RI_RANDOM && r->access[r->instr[j].a].line == x->line);
        orr__notes_add(&(orr__note){ .kind = ORR__NOTE_DRAWN,
                                     .kernel = r->key,
                                     .file = x->file,
                                     .line = x->line,
                                     .of = r->file,
                                     .of_line = r->line,
                                     .n = first,
                                     .part = again,
                                     .a = again ? orr__region_part(r, i) : 0 });
    }
}

/* The content of instruction i of a step, by those of its operands; 0: not known, or not of arrays alone. *inputs: bits of those that it
 * reads. */
static uint64_t content_of_instr(const orr__plan *plan, const orr__step *s, const uint64_t *content,
                                 const orr__scalar *scalar, uint64_t *of, uint64_t *inputs, int i)
{
    const orr__region *r = s->region;
    const orr__rinstr *in = &r->instr[i];
    const int16_t operand[] = { in->x, in->y, in->z };
    const uint64_t is[] = { (uint64_t)in->kind << 32 | in->dtype, (uint64_t)in->op };
    uint64_t h = orr__hash(is, sizeof is, 1);
    inputs[i] = 0;
    if (in->kind == ORR__RI_RANDOM)
        return 0;
    for (int a = in->kind == ORR__RI_PRODUCT ? 0 : in->a; a >= 0 && a < (in->kind == ORR__RI_PRODUCT ? 2 : in->a + 1);
         a++) {
        const orr__access *x = &r->access[a];
        h = orr__hash(x->stride, (size_t)r->rank * sizeof *x->stride, orr__hash(&x->offset, sizeof x->offset, h));
        if (x->input >= 0) {
            inputs[i] |= UINT64_C(1) << (x->input % INPUTS);
            if (!content[s->in[x->input]])
                return 0;
            h = orr__hash(&content[s->in[x->input]], sizeof *content, h);
        }
    }
    h = hash_scalars(plan, scalar, in->slot, scalars_of(in), h);
    for (int k = 0; k < 3 && in->kind != ORR__RI_LOAD; k++) {
        if (operand[k] >= 0 && !of[operand[k]])
            return 0;
        h = operand[k] >= 0 ? orr__hash(&of[operand[k]], sizeof *of, h) : h;
        inputs[i] |= operand[k] >= 0 ? inputs[operand[k]] : 0;
    }
    return h | 1;
}

/* Values that a kernel computes with others, from inputs that have not changed: their part of its arithmetic, if they are more than sums and
 * products, which cost no more than to read them. */
static void note_fixed(const orr__plan *plan, const orr__step *s, const uint64_t *content, const orr__scalar *scalar,
                       uint64_t evaluation)
{
    const orr__region *r = s->region;
    uint64_t of[INSTRUCTIONS], inputs[INSTRUCTIONS], last = 0;
    double part = 0, all = 1, others = 0;
    for (int d = 0; d < r->rank; d++)
        all *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr && r->loops == ORR__LOOPS_PRODUCT; i++)
        others += r->instr[i].kind == ORR__RI_PRODUCT ? 0 : orr__region_part(r, i);
    if (!orr__region_loops(r) || r->ninstr > INSTRUCTIONS || r->nin < 1 || r->nin > INPUTS || all < NOTED)
        return;
    for (int i = 0; i < r->ninstr; i++) {
        of[i] = content_of_instr(plan, s, content, scalar, of, inputs, i);
        bool product = r->instr[i].kind == ORR__RI_PRODUCT;
        if (!of[i] || !inputs[i] ||
            !(product || (r->instr[i].kind == ORR__RI_EW && is_costly(&orr__ew(r->instr[i].op)->op))))
            continue;
        uint64_t key = orr__hash(r->dim, (size_t)r->rank * sizeof *r->dim, of[i]);
        orr__notes_place before = { 0 };
        if (orr__notes_met(key | 1, (orr__notes_place){ r->file, r->line, evaluation }, false, &before) &&
            before.at != evaluation && is_recent(evaluation, before.at) && before.line == r->line &&
            before.file == r->file) { /* else another kernel of the step has computed it */
            part += product ? 1 - others : orr__region_part(r, i);
            last = of_inputs(inputs[i], product ? NULL : &orr__ew(r->instr[i].op)->op);
        }
    }
    orr__notes_place place = { r->file, r->line, 0 };
    if (last)
        (void)orr__notes_met(orr__region_notes_key(r, ORR__NOTE_FIXED, last), (orr__notes_place){ 0 }, true, &place);
    if (part > 0 && place.file)
        orr__notes_add(&(orr__note){ .kind = ORR__NOTE_FIXED,
                                     .kernel = r->key,
                                     .file = place.file,
                                     .line = place.line,
                                     .of = r->file,
                                     .of_line = r->line,
                                     .n = 1,
                                     .a = part,
                                     .b = 1 });
}

/* The content of a leaf: a number that no other content has, or a hash of the program's data. */
static uint64_t content_of_leaf(orr__buffer *leaf)
{
    orr__notes_value v;
    uint64_t number = orr__buffer_number(leaf);
    return orr__notes_value_of(number, &v) && v.content ? v.content : number;
}

/* A kernel reads a value that an evaluation before may have computed. */
static void note_read(orr__buffer *leaf, const orr__region *r, int input, orr__site at, orr__notes_place here)
{
    orr__notes_value v;
    uint64_t number = orr__buffer_number(leaf);
    if (orr__notes_value_of(number, &v) && v.kernel.file && r->file)
        orr__notes_add(&(orr__note){
            .kind = ORR__NOTE_AFTER, .file = r->file, .line = r->line, .of = v.kernel.file, .of_line = v.kernel.line });
    orr__notes_used(number, r->file && !r->call.op && r->loops != ORR__LOOPS_PRODUCT ? &here : NULL,
                    (orr__notes_place){ at.file, at.line, here.at },
                    r->in_count[input] > 0 ? orr__region_touched(r, input) / (double)r->in_count[input] : 1);
}

uint64_t *orr__plan_note_inputs(orr__site at, const orr__plan *plan, orr__buffer *const *leaf,
                                const orr__scalar *scalar)
{
    uint64_t now = number_of_evaluation(at);
    uint64_t *content = orr__alloc_n((size_t)plan->nvalue + 1, sizeof *content);
    for (int i = 0; i < plan->nvalue && content; i++)
        content[i] = plan->value[i].leaf >= 0 ? content_of_leaf(leaf[plan->value[i].leaf]) : 0;
    for (int i = 0; i < plan->nstep && content; i++) {
        const orr__step *s = &plan->step[i];
        const orr__region *r = s->region;
        uint64_t in = content_in(plan, s, content, scalar);
        orr__notes_place here = { r->file, r->line, now };
        for (int k = 0; k < r->nout; k++)
            content[s->out[k]] = in ? in + (uint64_t)k : 0;
        bool fill = r->nin == 0 && 4 * r->flops <= r->bytes; /* of numbers, for operations that need an array */
        bool same = in && r->file && !fill && note_same(at, r, in, now);
        if (!same) {
            note_drawn(plan, r, scalar, now);
            note_fixed(plan, s, content, scalar, now);
        }
        for (int k = 0; k < r->nin; k++)
            if (plan->value[s->in[k]].leaf >= 0)
                note_read(leaf[plan->value[s->in[k]].leaf], r, k, at, here);
    }
    return content;
}

void orr__plan_note_results(orr__site at, const orr__plan *plan, const orr__capture_roots *roots, uint64_t *content)
{
    int32_t *result = orr__alloc_n((size_t)plan->nvalue + 1, sizeof *result);
    for (int i = 0; i < plan->nvalue && result; i++)
        result[i] = -1;
    for (int i = 0; i < plan->nout && result; i++)
        result[plan->out[i]] = i;
    for (int i = 0; i < plan->nstep && result; i++) {
        const orr__region *r = plan->step[i].region;
        for (int k = 0; k < r->nout && r->out_count >= NOTED && r->file; k++) {
            int o = result[plan->step[i].out[k]];
            orr__buffer *b = o >= 0 ? orr__node_value(roots->out[o]) : NULL;
            if (!b)
                continue;
            orr__notes_value v = { .number = orr__buffer_number(b),
                                   .key = r->key,
                                   .content = content ? content[plan->step[i].out[k]] : 0,
                                   .kernel = { r->file, r->line, 0 },
                                   .call = { at.file, at.line, 0 },
                                   .bytes = (double)r->out_count * (double)orr_dtype_size((orr_dtype)r->out_dtype[k]),
                                   .joins = (!r->call.op || r->epilogue) && !r->rmask && r->nout == 1 };
            if (r->out_dtype[k] == ORR_F64)
                (void)orr__notes_met(wide_key(r), (orr__notes_place){ 0 }, true, &v.wide);
            orr__notes_made(&v);
        }
    }
    free(result);
    free(content);
}
