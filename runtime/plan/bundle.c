/* Puts small steps side by side, and makes bundles of them: several steps, one task.
 * Must not know: where values lie in memory, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/plan/make.h"

/* An order of all steps in which every bundle is a run of neighbours: then what depends on a bundle stands behind it,
 * and bundles cannot wait for each other in a circle. */
typedef struct {
    orr__plan *pl;
    int *producer;          /* value -> step, -1                       */
    bool *small, *need;     /* by step                                 */
    int *order, *where;     /* position -> step, step -> position      */
    int *members;           /* by position: as orr__step's             */
    int *pending, npending; /* small steps that nobody has needed yet  */
    double pending_us;
    int norder;
    struct item *item;
} joiner;

/* A small step of one run of neighbours. */
typedef struct item {
    int step, parent, late; /* of a root: the last position before the run that its component waits for */
    double us, path, all;   /* its own, that of the longest way to its end, of a root: its component's  */
} item;

/* What an inner product of one element costs, all told. */
static double cost(const orr__step *s)
{
    return s->us > 0.2 ? s->us : 0.2;
}

static double worth(void)
{
    return orr__env.tile_us > 0 ? (double)orr__env.tile_us : 1;
}

/* -- the order: large steps as they come, small ones when a large one needs them, the rest together ------------- */

static void mark_inputs(joiner *j, int i)
{
    const orr__step *s = &j->pl->step[i];
    for (int k = 0; k < s->region->nin; k++)
        if (j->producer[s->in[k]] >= 0)
            j->need[j->producer[s->in[k]]] = true;
}

static void emit_pending(joiner *j, bool all)
{
    int kept = 0;
    for (int k = 0; k < j->npending; k++) {
        int i = j->pending[k];
        if (all || j->need[i]) {
            j->order[j->norder++] = i;
            j->pending_us -= cost(&j->pl->step[i]);
        } else {
            j->pending[kept++] = i;
        }
    }
    j->npending = kept;
}

/* Not too much is put off: it keeps its inputs in memory, and could have filled idle workers. */
static void find_order(joiner *j)
{
    double most = 2 * worth() * orr__plan_machine.workers;
    for (int i = 0; i < j->pl->nstep; i++) {
        if (j->small[i]) {
            j->pending[j->npending++] = i;
            j->pending_us += cost(&j->pl->step[i]);
            if (j->pending_us >= most || j->npending >= 1024)
                emit_pending(j, true);
            continue;
        }
        mark_inputs(j, i);
        for (int k = j->npending; k-- > 0;)
            if (j->need[j->pending[k]])
                mark_inputs(j, j->pending[k]);
        emit_pending(j, false);
        j->order[j->norder++] = i;
    }
    emit_pending(j, true);
    for (int k = 0; k < j->norder; k++)
        j->where[j->order[k]] = k;
}

/* -- bundles in a run of small neighbours ------------------------------------------------------------------- */

static int root(item *it, int i)
{
    while (it[i].parent != i)
        i = it[i].parent = it[it[i].parent].parent;
    return i;
}

/* Components are steps that feed one another; a root is its component's first step. */
static void find_components(joiner *j, int a, int n)
{
    item *it = j->item;
    for (int i = 0; i < n; i++) {
        const orr__step *s = &j->pl->step[j->order[a + i]];
        double before = 0;
        it[i] = (item){ .step = j->order[a + i], .parent = i, .late = -1, .us = cost(s) };
        for (int k = 0; k < s->region->nin; k++) {
            int p = j->producer[s->in[k]], at = p < 0 ? -1 : j->where[p];
            if (at < a) {
                it[i].late = at > it[i].late ? at : it[i].late;
                continue;
            }
            before = it[at - a].path > before ? it[at - a].path : before;
            int x = root(it, i), y = root(it, at - a);
            it[x > y ? x : y].parent = x < y ? x : y;
        }
        it[i].path = before + it[i].us;
    }
    for (int i = 0; i < n; i++) {
        item *r = &it[root(it, i)];
        r->all += it[i].us;
        r->late = it[i].late > r->late ? it[i].late : r->late;
    }
    for (int i = 0; i < n; i++) /* everybody knows his component's */
        it[i].parent = root(it, i), it[i].all = it[it[i].parent].all, it[i].late = it[it[i].parent].late;
}

/* Components that can begin early come first, each in one piece and in its own order. */
static int earlier(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->late != b->late)
        return a->late < b->late ? -1 : 1;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

/* What a bundle should take: as much as is worth a task, yet work for all workers where there is enough to share. */
static double target(const item *it, int n)
{
    double sum = 0, path = 0, least = worth() / 8;
    int workers = orr__plan_machine.workers;
    for (int i = 0; i < n; i++) {
        sum += it[i].us;
        path = it[i].path > path ? it[i].path : path;
    }
    double side_by_side = sum / path;
    int parts = (int)(sum / worth()) + (sum > worth() * (int)(sum / worth()));
    int wish = (int)(sum / least) < workers ? (int)(sum / least) : workers;
    wish = wish < (int)side_by_side ? wish : (int)side_by_side;
    parts = wish > parts ? wish : parts;
    int even = (parts + workers - 1) / workers * workers;
    if (parts > 1 && even <= (int)side_by_side && sum / even >= least)
        parts = even;
    return sum / (parts > 1 ? parts : 1);
}

static void bundle_run(joiner *j, int a, int n)
{
    item *it = j->item;
    find_components(j, a, n);
    double aim = target(it, n), sum = 0;
    qsort(it, (size_t)n, sizeof *it, earlier);
    int head = a;
    double next = aim;
    for (int i = 0; i < n; i++) {
        bool first = i == 0 || it[i].parent != it[i - 1].parent, large = it[i].all > 1.5 * aim;
        double ahead = large ? it[i].us : it[i].all;
        if (i > 0 && (first || large) && sum + ahead / 2 > next) {
            head = a + i;
            while (sum + ahead / 2 > next)
                next += aim;
        }
        j->order[a + i] = it[i].step;
        j->members[a + i] = 0;
        j->members[head]++;
        sum += it[i].us;
    }
}

static void find_bundles(joiner *j)
{
    for (int a = 0, n; a < j->norder; a += n) {
        for (n = 0; a + n < j->norder && j->small[j->order[a + n]]; n++)
            ;
        if (n > 1)
            bundle_run(j, a, n);
        else
            j->members[a] = n = 1;
    }
}

/* -- carrying it out ---------------------------------------------------------------------------------------- */

/* Values are counted as steps meet them, inputs first, as plans are made. */
static orr_status renumber_values(orr__site at, orr__plan *pl, int *renumber)
{
    orr__value *value = malloc(((size_t)pl->nvalue + 1) * sizeof *value);
    int n = 0;
    if (!value)
        return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", pl->nstep);
    for (int i = 0; i < pl->nvalue; i++)
        renumber[i] = -1;
    for (int i = 0; i < pl->nstep; i++) {
        orr__step *s = &pl->step[i];
        for (int k = 0; k < s->region->nin + s->region->nout; k++) {
            int *v = k < s->region->nin ? &s->in[k] : &s->out[k - s->region->nin];
            if (renumber[*v] < 0) {
                value[n] = pl->value[*v];
                renumber[*v] = n++;
            }
            *v = renumber[*v];
        }
    }
    for (int i = 0; i < pl->nvalue; i++) /* what no step touches */
        if (renumber[i] < 0) {
            value[n] = pl->value[i];
            renumber[i] = n++;
        }
    memcpy(pl->value, value, (size_t)n * sizeof *value);
    free(value);
    return ORR_OK;
}

static orr_status reorder(orr__site at, joiner *j, int *renumber)
{
    orr__plan *pl = j->pl;
    orr__step *step = malloc((size_t)pl->nstep * sizeof *step);
    if (!step)
        return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", pl->nstep);
    for (int i = 0; i < pl->nstep; i++) {
        step[i] = pl->step[j->order[i]];
        step[i].members = j->members[i];
    }
    memcpy(pl->step, step, (size_t)pl->nstep * sizeof *step);
    free(step);
    return renumber_values(at, pl, renumber);
}

orr_status orr__plan_bundle(orr__site at, orr__plan *p, int *renumber)
{
    size_t n = (size_t)p->nstep + 1;
    for (int i = 0; i < p->nvalue; i++)
        renumber[i] = i;
    if (!orr__env.fuse || !orr__plan_machine.bundles || p->nstep < 2)
        return ORR_OK;
    int *block = malloc((4 * n + (size_t)p->nvalue) * sizeof *block);
    bool *flags = calloc(2 * n, sizeof *flags);
    joiner j = { .pl = p, .item = malloc(n * sizeof *j.item) };
    orr_status st = ORR_OK;
    if (!block || !flags || !j.item) {
        st = orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
    } else {
        j.order = block, j.where = block + n, j.members = block + 2 * n, j.pending = block + 3 * n;
        j.producer = block + 4 * n;
        j.small = flags, j.need = flags + n;
        for (int i = 0; i < p->nvalue; i++)
            j.producer[i] = -1;
        for (int i = 0; i < p->nstep; i++) {
            const orr__step *s = &p->step[i];
            /* what a user's kernel costs is a guess: it keeps its own performance model */
            j.small[i] = s->ntiles == 1 && !s->opencl && s->us < worth() && s->region->kind != ORR__G_USER;
            for (int k = 0; k < s->region->nout; k++)
                j.producer[s->out[k]] = i;
        }
        find_order(&j);
        find_bundles(&j);
        st = reorder(at, &j, renumber);
    }
    free(block);
    free(flags);
    free(j.item);
    return st;
}
