/* Facts of a new plan for ORRERY_NOTES: values that go through memory between two kernels, with the fuser's reason, and arrays of f64 that
 * come from f32.
 * Must not know: times, the engine. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "runtime/base/array.h"
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
