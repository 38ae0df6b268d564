/* Plans for little memory: steps in an order in which few values live at once; cheap values that would have to wait long
 * for a reader are computed again instead. Must not know: tiles, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/make.h"

/* Computing again is worth it up to so many flops for each byte that need not be held. */
enum { CHEAP = 8, ROUNDS = 256 };
static const double WORK = 1e8; /* of looking for more of it: steps × values × rounds */

static orr_status enomem(orr__site at, const orr__plan *p)
{
    return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
}

static double bytes_of(const orr__value *v)
{
    return (double)v->count * (double)orr_dtype_size(v->dtype);
}

/* -- order ----------------------------------------------------------------------------------------------------- */

typedef struct {
    orr__plan *p;
    int *producer;       /* value -> step, -1                       */
    double *need, *size; /* by step: its whole subtree, its results */
    int *child, *child0; /* producers of each step's inputs, what needs most beyond its result first */
    int *order, norder, *stack, *next;
    bool *seen;
} sorter;

/* A tree is computed in the least memory when subtrees come in the order of what they need beyond their results (Sethi,
 * Ullman, "The generation of optimal code for arithmetic expressions", 1970). A graph with sharing is treated alike. */
static void sort_children(sorter *s, int i)
{
    int *c = s->child + s->child0[i], n = s->child0[i + 1] - s->child0[i];
    double held = 0, need = 0;
    for (int a = 1; a < n; a++)
        for (int b = a; b > 0 && s->need[c[b]] - s->size[c[b]] > s->need[c[b - 1]] - s->size[c[b - 1]]; b--) {
            int swap = c[b];
            c[b] = c[b - 1];
            c[b - 1] = swap;
        }
    for (int a = 0; a < n; a++) {
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
            s->size[i] += bytes_of(&s->p->value[st->out[k]]);
        for (int k = 0; k < st->region->nin; k++) {
            int from = s->producer[st->in[k]];
            bool again = from < 0;
            for (int c = s->child0[i]; c < n; c++)
                again = again || s->child[c] == from;
            if (!again)
                s->child[n++] = from;
        }
        s->child0[i + 1] = n;
        sort_children(s, i);
    }
}

/* Everything below step `root`, then it. */
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
    list_children(s);
    for (int c = 0; read && c < s->child0[s->p->nstep]; c++)
        read[s->child[c]] = true;
    for (int i = 0; i < s->p->nstep; i++)
        if (!read || !read[i])
            emit(s, i);
    for (int i = 0; i < s->p->nstep; i++) /* whoever is only read by what read[] was too short for */
        emit(s, i);
    free(read);
}

orr_status orr__plan_lean_order(orr__site at, orr__plan *p, int *renumber)
{
    size_t n = (size_t)p->nstep + 1, nin = 0;
    for (int i = 0; i < p->nstep; i++)
        nin += (size_t)p->step[i].region->nin;
    sorter s = { .p = p,
                 .producer = malloc(((size_t)p->nvalue + 1) * sizeof(int)),
                 .need = calloc(2 * n, sizeof(double)),
                 .child = malloc((nin + 5 * n) * sizeof(int)),
                 .seen = calloc(n, sizeof(bool)) };
    orr__step *step = malloc(n * sizeof *step);
    bool ok = s.producer && s.need && s.child && s.seen && step;
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
    free(step);
    return ok ? orr__plan_renumber(at, p, renumber) : enomem(at, p);
}

/* -- computing again --------------------------------------------------------------------------------------------- */

static int next_use(const orr__plan *p, int v, int after)
{
    for (int i = after + 1; i < p->nstep; i++)
        for (int k = 0; k < p->step[i].region->nin; k++)
            if (p->step[i].in[k] == v)
                return i;
    return p->nstep;
}

static double peak_of(const orr__plan *p, int *where)
{
    double peak = -1;
    for (int i = 0; i < p->nstep; i++) {
        double live = 0;
        for (int v = 0; v < p->nvalue; v++)
            if (p->value[v].leaf < 0 && p->value[v].first >= 0 && p->value[v].first <= i &&
                (p->value[v].last >= i || p->value[v].output >= 0))
                live += bytes_of(&p->value[v]);
        if (live > peak) {
            peak = live;
            *where = i;
        }
    }
    return peak;
}

/* What reads v after step `peak` may compute it anew: cheap, from what is there then all the same. */
static bool again_is_cheap(const orr__plan *p, int v, int use)
{
    const orr__step *s = &p->step[p->value[v].first];
    const orr__region *r = s->region;
    if (!orr__region_is_map(r) || r->rows || r->nout != 1 || r->flops > CHEAP * bytes_of(&p->value[v]))
        return false;
    for (int k = 0; k < r->nin; k++) {
        const orr__value *in = &p->value[s->in[k]];
        if (in->leaf < 0 && in->output < 0 && in->last < use)
            return false;
    }
    return true;
}

static int choose(const orr__plan *p, int peak, int *use)
{
    int best = -1;
    for (int v = 0; v < p->nvalue; v++) {
        const orr__value *a = &p->value[v];
        if (a->leaf >= 0 || a->output >= 0 || a->first < 0 || a->first >= peak || a->last <= peak ||
            next_use(p, v, peak - 1) == peak || (best >= 0 && bytes_of(a) <= bytes_of(&p->value[best])))
            continue;
        int u = next_use(p, v, peak);
        if (u < p->nstep && again_is_cheap(p, v, u)) {
            best = v;
            *use = u;
        }
    }
    return best;
}

/* Puts a copy of v's step in front of step `use`; that and those behind it read its result. */
static orr_status repeat(orr__site at, orr__plan *p, int v, int use)
{
    orr__value *value = realloc(p->value, ((size_t)p->nvalue + 1) * sizeof *value);
    p->value = value ? value : p->value;
    orr__step *step = value ? realloc(p->step, ((size_t)p->nstep + 1) * sizeof *step) : NULL;
    if (!step)
        return enomem(at, p);
    p->step = step;
    orr__step twin = step[p->value[v].first];
    const orr__step *from = &step[p->value[v].first];
    int w = p->nvalue;
    twin.region = orr__region_copy(from->region);
    twin.in = malloc(((size_t)from->region->nin + 1) * sizeof *twin.in);
    twin.out = malloc(sizeof *twin.out);
    twin.cpu = twin.opencl = twin.cuda = NULL;
    twin.work = NULL;
    if (!twin.region || !twin.in || !twin.out || orr__step_prepare(&twin) != ORR_OK) {
        if (twin.region)
            orr__region_free(twin.region);
        free(twin.region);
        free(twin.in);
        free(twin.out);
        return enomem(at, p);
    }
    memcpy(twin.in, from->in, (size_t)from->region->nin * sizeof *twin.in);
    twin.out[0] = w;
    p->value[p->nvalue++] = p->value[v];
    memmove(step + use + 1, step + use, (size_t)(p->nstep - use) * sizeof *step);
    step[use] = twin;
    p->nstep++;
    for (int i = use + 1; i < p->nstep; i++)
        for (int k = 0; k < step[i].region->nin; k++)
            if (step[i].in[k] == v)
                step[i].in[k] = w;
    orr__plan_lifetimes(p);
    return ORR_OK;
}

orr_status orr__plan_recompute(orr__site at, orr__plan *p)
{
    int where = 0, use = 0;
    orr__plan_lifetimes(p);
    double peak = peak_of(p, &where), work = (double)p->nstep * (double)p->nvalue;
    int rounds = work > WORK / ROUNDS ? (int)(WORK / work) : ROUNDS;
    orr_status st = ORR_OK;
    for (int n = 0, v; n < rounds && st == ORR_OK && (v = choose(p, where, &use)) >= 0; n++) {
        if ((st = repeat(at, p, v, use)) != ORR_OK)
            break;
        double now = peak_of(p, &where);
        if (now > peak)
            break;
        peak = now;
    }
    int *renumber = malloc(((size_t)p->nvalue + 1) * sizeof *renumber);
    if (st == ORR_OK)
        st = renumber ? orr__plan_renumber(at, p, renumber) : enomem(at, p);
    for (int k = 0; st == ORR_OK && k < p->nout; k++)
        p->out[k] = renumber[p->out[k]];
    free(renumber);
    return st;
}
