/* Facts of a new plan for ORRERY_NOTES: values that go through memory between two kernels, with the fuser's reason, operands that are read
 * across their rows, and arrays of f64 that come from f32. Of each evaluation: kernels whose inputs are those of the evaluation before.
 * Must not know: times, the engine. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/notes.h"
#include "runtime/plan/passes.h"

/* Arrays below this many elements are too small to matter. */
enum { LARGE = 4096 };

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
                        .bytes = 2.0 * (double)orr__node_bytes(p->node[node]) };
        (void)snprintf(f.text, sizeof f.text, "%s",
                       orr__plan_fusion() == ORR__FUSE_NONE ? "ORRERY_FUSE=off" : orr__fuse_why(rs, node, from, k));
        orr__notes_add(&f);
    }
}

/* A large operand of an element-wise kernel, of which the innermost loop reads elements of different rows. */
static void note_turned(const orr__region *r)
{
    double turned = 0;
    int last = r->rank - 1;
    for (int a = 0; a < r->naccess && orr__region_is_map(r) && last > 0; a++) {
        const orr__access *x = &r->access[a];
        bool along = false; /* an outer axis goes along the rows */
        if (x->input < 0)   /* computed from the place: a random number */
            continue;
        for (int d = 0; d < last; d++)
            along = along || (r->dim[d] > 1 && (x->stride[d] == 1 || x->stride[d] == -1));
        int64_t step = x->stride[last] < 0 ? -x->stride[last] : x->stride[last];
        if (!x->placed && along && step > 1 && r->dim[last] > 1 && r->in_count[x->input] >= LARGE)
            turned += (double)r->in_count[x->input] * (double)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    }
    if (turned > 0)
        orr__notes_add(&(orr__note){ .kind = ORR__NOTE_TURNED,
                                     .file = r->file,
                                     .line = r->line,
                                     .n = 1,
                                     .bytes = r->bytes,
                                     .a = turned < r->bytes ? turned : r->bytes });
}

/* The node that widened the elements of a large array that the region reads or writes; −1: none. */
static int32_t widens(const orr__region *r, const int32_t *wide)
{
    for (int k = 0; k < r->nout; k++)
        if (r->out_count >= LARGE && r->out_dtype[k] == ORR_F64 && wide[r->out[k]] >= 0)
            return wide[r->out[k]];
    for (int k = 0; k < r->nin; k++)
        if (r->in_count[k] >= LARGE && r->in_dtype[k] == ORR_F64 && wide[r->in[k]] >= 0)
            return wide[r->in[k]];
    return -1;
}

/* A large value, and its largest operand that has fewer elements. */
static void note_grown(const orr__region *r)
{
    orr__note f = {
        .kind = ORR__NOTE_GROWN, .file = r->file, .line = r->line, .n = 1, .content = (uint64_t)r->out_count
    };
    for (int k = 0; k < r->nin; k++)
        if (r->in_count[k] < r->out_count && (uint64_t)r->in_count[k] > f.reads)
            f.reads = (uint64_t)r->in_count[k];
    if (r->file && r->out_count >= LARGE && f.reads)
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
    for (int i = 0; i < p->n && s.wide && s.maker; i++) {
        s.wide[i] = widened(p, s.wide, i);
        s.maker[i] = -1;
    }
    note_inside(p, rs);
    for (int k = 0; k < rs->n && s.wide && s.maker; k++) {
        const orr__region *r = &rs->region[k];
        for (int o = 0; o < r->nout; o++)
            s.maker[r->out[o]] = k;
        note_apart(p, rs, &s, k);
        note_turned(r);
        note_grown(r);
        int32_t w = widens(r, s.wide);
        if (w >= 0)
            orr__notes_add(&(orr__note){ .kind = ORR__NOTE_WIDE,
                                         .file = p->node[w]->file,
                                         .line = p->node[w]->line,
                                         .of = r->file,
                                         .of_line = r->line,
                                         .n = 1 });
    }
    free(s.wide);
    free(s.maker);
}

/* The content of a step's inputs; 0: not known, or none. */
static uint64_t content_in(const orr__step *s, const uint64_t *content, uint64_t scalars)
{
    uint64_t h = orr__hash(&s->region->key, sizeof s->region->key, scalars);
    for (int k = 0; k < s->region->nin; k++) {
        if (!content[s->in[k]])
            return 0;
        h = orr__hash(&content[s->in[k]], sizeof *content, h);
    }
    return h | 1;
}

void orr__plan_note_same(const orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar)
{
    uint64_t scalars = orr__hash(scalar, (size_t)plan->nscalar * sizeof *scalar, 1);
    uint64_t *content = orr__alloc_n((size_t)plan->nvalue + 1, sizeof *content);
    for (int i = 0; i < plan->nvalue && content; i++)
        content[i] = plan->value[i].leaf >= 0 ? orr__buffer_number(leaf[plan->value[i].leaf]) : 0;
    for (int i = 0; i < plan->nstep && content; i++) {
        const orr__step *s = &plan->step[i];
        uint64_t in = content_in(s, content, scalars);
        for (int k = 0; k < s->region->nout; k++)
            content[s->out[k]] = in ? in + (uint64_t)k : 0;
        orr__note f = {
            .kind = ORR__NOTE_SAME, .file = s->region->file, .line = s->region->line, .n = 1, .content = in
        };
        (void)snprintf(f.text, sizeof f.text, "%s", s->region->label);
        if (in && f.file)
            orr__notes_add(&f);
    }
    free(content);
}
