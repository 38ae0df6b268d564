/* An order of steps in which few values live at once.
 * Must not know: tiles, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/minmax.h"
#include "runtime/plan/passes.h"

typedef struct child child;
typedef struct {
    orr__plan *p;
    int *producer;       /* value -> step, -1                       */
    double *need, *size; /* by step: bytes of its whole subtree, of its results */
    int *child, *child0; /* producers of each step's inputs, first the one that needs most beyond its result */
    int *order, norder, *stack, *next;
    bool *seen;
    child *sorted; /* of one step */
} sorter;

struct child {
    double beyond; /* bytes that the subtree needs beyond its results */
    int child, place;
};

static int by_need(const void *x, const void *y)
{
    const child *a = x, *b = y;
    return a->beyond > b->beyond ? -1 : a->beyond < b->beyond ? 1 : a->place - b->place;
}

/* A tree is computed in the least memory when subtrees come in the order of their needs beyond their results (Sethi,
 * Ullman, "The generation of optimal code for arithmetic expressions", 1970). A graph with sharing is treated alike. */
static void sort_children(sorter *s, int i)
{
    int *c = s->child + s->child0[i], n = s->child0[i + 1] - s->child0[i];
    double held = 0, need = 0;
    for (int a = 0; a < n; a++)
        s->sorted[a] = (child){ s->need[c[a]] - s->size[c[a]], c[a], a };
    qsort(s->sorted, (size_t)n, sizeof *s->sorted, by_need);
    for (int a = 0; a < n; a++) {
        c[a] = s->sorted[a].child;
        need = held + s->need[c[a]] > need ? held + s->need[c[a]] : need;
        held += s->size[c[a]];
    }
    s->need[i] = held + s->size[i] > need ? held + s->size[i] : need;
}

static void list_children(sorter *s)
{
    int n = 0;
    s->child0[0] = 0;
    for (int i = 0; i < s->p->nstep; i++) {
        const orr__step *st = &s->p->step[i];
        s->child0[i] = n;
        s->child0[i + 1] = n;
        for (int k = 0; k < st->region->nout; k++)
            s->size[i] += (double)orr__value_bytes(&s->p->value[st->out[k]]);
        for (int k = 0; k < st->region->nin; k++) {
            int from = s->producer[st->in[k]];
            if (from < 0 || s->next[from] == i)
                continue;
            s->next[from] = i; /* until `emit`, the last step that has it as a child */
            s->child[n++] = from;
        }
        s->child0[i + 1] = n;
        sort_children(s, i);
    }
}

/* Emits all steps below step `root`, then `root`. */
static void emit(sorter *s, int root)
{
    int depth = 0;
    if (s->seen[root])
        return;
    s->seen[root] = true;
    s->stack[depth] = root;
    s->next[depth++] = s->child0[root];
    while (depth > 0) {
        int i = s->stack[depth - 1], *at = &s->next[depth - 1];
        if (*at == s->child0[i + 1]) {
            s->order[s->norder++] = i;
            depth--;
            continue;
        }
        int c = s->child[(*at)++];
        if (s->seen[c])
            continue;
        s->seen[c] = true;
        s->stack[depth] = c;
        s->next[depth++] = s->child0[c];
    }
}

static void find_order(sorter *s)
{
    bool *read = calloc((size_t)s->p->nstep + 1, sizeof *read);
    for (int i = 0; i < s->p->nvalue; i++)
        s->producer[i] = -1;
    for (int i = 0; i < s->p->nstep; i++)
        for (int k = 0; k < s->p->step[i].region->nout; k++)
            s->producer[s->p->step[i].out[k]] = i;
    for (int i = 0; i < s->p->nstep; i++)
        s->next[i] = -1;
    list_children(s);
    for (int c = 0; read && c < s->child0[s->p->nstep]; c++)
        read[s->child[c]] = true;
    for (int i = 0; i < s->p->nstep; i++)
        if (!read || !read[i])
            emit(s, i);
    for (int i = 0; i < s->p->nstep; i++) /* steps that were not reached: there was no memory for read[] */
        emit(s, i);
    free(read);
}

orr_status orr__pass_low_memory_order(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nstep + 1, nin = 0;
    size_t most = 1;
    for (int i = 0; i < p->nstep; i++) {
        nin += (size_t)p->step[i].region->nin;
        most = ORR__MAX((size_t)p->step[i].region->nin, most);
    }
    sorter s = { .p = p,
                 .producer = malloc(((size_t)p->nvalue + 1) * sizeof(int)),
                 .need = calloc(2 * n, sizeof(double)),
                 .child = malloc((nin + 5 * n) * sizeof(int)),
                 .seen = calloc(n, sizeof(bool)),
                 .sorted = malloc(most * sizeof(child)) };
    orr__step *step = malloc(n * sizeof *step);
    bool ok = s.producer && s.need && s.child && s.seen && s.sorted && step;
    if (ok) {
        s.size = s.need + n;
        s.child0 = s.child + nin;
        s.order = s.child0 + n;
        s.stack = s.order + n;
        s.next = s.stack + n;
        find_order(&s);
        for (int i = 0; i < p->nstep; i++)
            step[i] = p->step[s.order[i]];
        memcpy(p->step, step, (size_t)p->nstep * sizeof *step);
    }
    free(s.producer);
    free(s.need);
    free(s.child);
    free(s.seen);
    free(s.sorted);
    free(step);
    return ok ? ORR_OK : orr__plan_enomem(planner);
}
