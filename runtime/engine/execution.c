/* The parts of execution that every engine needs.
 * Must not know: StarPU, how a kernel computes. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/notes.h"
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/held.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/denormals.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finite.h"
#include "runtime/engine/ranges.h"
#include "runtime/graph/donation.h"

const orr__backend *orr__exec_cpu = &orr__cpu, *orr__exec_opencl = &orr__opencl, *orr__exec_cuda = &orr__cuda;

orr_status orr__exec_check(orr__site at, const orr__plan *plan, orr__buffer *const *leaf)
{
    for (int i = 0; i < plan->nvalue; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf < 0)
            continue;
        if (!leaf || !leaf[v->leaf])
            return orr__fail(at, ORR_EGRAPH, "leaf %d has no value", v->leaf);
        if (leaf[v->leaf]->bytes < orr__value_bytes(v))
            return orr__fail(at, ORR_EINTERNAL, "leaf %d has %zu bytes where the plan needs %zu", v->leaf,
                             leaf[v->leaf]->bytes, orr__value_bytes(v));
    }
    return ORR_OK;
}

#define IN_RANGE(T)                                                                                                    \
    static bool in_range_##T(const T *x, int64_t n, int64_t length)                                                    \
    {                                                                                                                  \
        bool all = true;                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                                                \
            all &= x[i] >= -length && x[i] < length;                                                                   \
        return all;                                                                                                    \
    }
IN_RANGE(int64_t)
IN_RANGE(int32_t)

static bool indices_in_range(const orr__value *v, const orr__buffer *b, int64_t length)
{
    if (b->run && (!orr__run_done(b->run) || orr__run_status(b->run) != ORR_OK))
        return false;
    return v->dtype == ORR_I64   ? in_range_int64_t(b->host, v->count, length)
           : v->dtype == ORR_I32 ? in_range_int32_t(b->host, v->count, length)
                                 : false;
}

bool orr__engine_certain(const orr__plan *plan, orr__buffer *const *leaf)
{
    bool all = plan->cannot_fail || (plan->nchecks > 0 && orr__machine_here.one_memory);
    for (int i = 0; i < plan->nchecks && all && !plan->cannot_fail; i++) {
        const orr__value *v = &plan->value[plan->check[i].value];
        all = indices_in_range(v, leaf[v->leaf], plan->check[i].length);
    }
    return all;
}

/* The indices are checked for donors alone. */
bool orr__exec_is_firm(const orr__plan *plan, orr__buffer *const *leaf)
{
    return plan->cannot_fail || (plan->ndonors > 0 && orr__engine_certain(plan, leaf));
}

void orr__exec_spoil(orr__run *r, const orr__plan *plan, orr__buffer *const *leaf)
{
    for (int i = 0; r && r->before && i < plan->nvalue; i++) {
        int donor = orr__leaf_donor(plan, &plan->value[i]);
        orr__buffer *b = donor >= 0 ? leaf[plan->value[donor].leaf] : NULL;
        if (!b || !orr__donor_mine(b))
            continue;
        if (atomic_load(&r->overwrote))
            atomic_store(&b->overwritten, true);
        if (b->run == r) {
            orr__run_unref(b->run);
            b->run = r->before[i];
            r->before[i] = NULL;
        }
    }
}

orr__plan_state *orr__plan_state_make(orr__plan *p)
{
    void *have = orr__plan_state_of(p);
    orr__plan_state *made = have ? NULL : calloc(1, sizeof *made + (size_t)p->nstep * sizeof *made->step);

    if (!made)
        return have;
    if (atomic_compare_exchange_strong(&p->state, &have, made)) {
        if (p->bytes)
            (void)orr__hold(ORR_MEMORY_PLANS, made);
        return made;
    }
    free(made); /* another thread was first */
    return have;
}

void orr__exec_outputs(const orr__plan *plan, orr__buffer *const *value, orr__buffer **out)
{
    for (int k = 0; k < plan->nout; k++)
        out[k] = orr__buffer_ref(value[plan->out[k]]);
}

bool orr__exec_shares(const orr__step *s)
{
    return s->graph && orr__machine_here.cuda > 0 && s->region->dim[s->region->rank - 1] >= ORR__T_PANEL_ROWS &&
           !orr__env.deterministic && !orr__env.device_copies && orr__exec_cuda->tiles && orr__exec_cuda->tiles();
}

void orr__step_rows(const orr__step *s, int t, int64_t *lo, int64_t *hi)
{
    int64_t dim = s->region->dim[0];

    *lo = s->ntiles > 1 ? t * s->rows : 0;
    *lo = *lo < dim ? *lo : dim;
    *hi = s->ntiles > 1 && s->rows < dim - *lo ? *lo + s->rows : dim;
}

void orr__step_writes(const orr__step *s, int t, int k, int64_t *first, int64_t *end)
{
    int64_t count = s->region->out_count, dim = s->region->dim[0];

    (void)k; /* all outputs of a region have the same extent */
    if (s->partial) {
        *first = t * count;
        *end = *first + count;
    } else if (s->ntiles == 1 || dim == 0) {
        *first = 0;
        *end = count;
    } else {
        int64_t lo, hi;
        orr__step_rows(s, t, &lo, &hi);
        *first = lo * (count / dim);
        *end = hi * (count / dim);
    }
}

/* Prepares the launch of step s in host memory, except for its rows. Field by field: an assignment of the whole struct would clear it by
 * an instruction whose start-up time is that of a small kernel. */
static inline void on_host(orr__launch *l, const orr__step *s, void *const *in, void *const *out,
                           const orr__scalar *scalar, const orr__known *known)
{
    l->region = s->region;
    l->in = in;
    l->out = out;
    l->in_off = l->out_off = NULL;
    l->scalar = scalar;
    l->known = known;
    l->queue = l->device = l->context = NULL;
    l->after = NULL;
    l->ending = NULL;
    l->seen = NULL;
}

void orr__exec_number(const orr__plan *plan, orr__buffer *const *leaf, orr__known *known)
{
    for (int i = 0; i < plan->nvalue; i++)
        known[i] =
            (orr__known){ .content = plan->value[i].leaf >= 0 ? orr__buffer_number(leaf[plan->value[i].leaf]) : 0 };
}

/* The facts of a call's inputs, if there are few inputs. */
enum { NUMBERED = ORR__KNOWN_MOST };
static const orr__known *known_of(const orr__step *s, const orr__known *known, orr__known of[NUMBERED])
{
    if (!known || !s->region->call.op || s->region->nin > NUMBERED)
        return NULL;
    for (int i = 0; i < s->region->nin; i++)
        of[i] = known[s->in[i]];
    return of;
}

/* The rows of shares and parts are a multiple of this: a line is cut at whole vectors. */
static int64_t whole_rows(const orr__region *r)
{
    return r->rank == 1 ? ORR__T_MAP_BLOCK : 1;
}

/* A stop ends work that has begun within some 10 ms (include/orrery/eval.h). */
enum { STOP_US = 10000 }; /* limit of a promise */

/* Launches the kernel; in parts if its work may be stopped, so that it ends soon. */
static orr_status launch_parts(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    int64_t rows = l->hi - l->lo, even = whole_rows(r);
    if (!orr__stop_mine || !orr__step_by_rows(s) || s->cost.us <= STOP_US)
        return orr__exec_cpu->launch(s->cpu, l);

    double us = s->cost.us * (double)rows / (double)r->dim[0];
    int64_t each = (int64_t)((double)rows / fmax(us / STOP_US, 1) / (double)even) * even;
    orr__launch part = *l;
    orr_status st = ORR_OK;
    each = each > even ? each : even;
    for (part.lo = l->lo; st == ORR_OK && part.lo < l->hi; part.lo = part.hi) {
        part.hi = l->hi - part.lo > each ? part.lo + each : l->hi;
        if ((st = orr__stop_check(orr__stop_mine)) == ORR_OK)
            st = orr__exec_cpu->launch(s->cpu, &part);
    }
    return st;
}

/* Runs every step on processors, except for steps that post. */
static orr_status compute(const orr__step *s, orr__launch *l)
{
    orr__seen seen = { .region = s->region };
    const orr__engine_impl *e = s->borrows ? orr__engine_now() : NULL;
    bool borrows = e && e->borrow;

    if (borrows)
        e->borrow(1);
    orr__work_begins(ORR__WORK_COMPUTES);
    bool range = orr__range_begins(s->region);
    uint64_t mode = orr__denormals_begin();
    l->seen = orr__finite_watched() ? &seen : NULL;
    orr_status st = launch_parts(s, l);
    orr__denormals_end(mode);
    orr__range_ends(range, s->region);
    orr__work_ends(ORR__WORK_COMPUTES);
    if (st == ORR_OK && orr__denormals_counted())
        orr__denormals_count(l);
    if (st == ORR_OK && l->seen)
        orr__finite_look(s, l);
    if (st == ORR_OK && l->lo == 0 && orr__noting()) {
        double t0 = orr__now();
        orr__work_look(s, l);
        (void)orr__notes_took(orr__now() - t0, true);
    }
    if (borrows)
        e->borrow(-1);
    return st;
}

orr_status orr__exec_launch(const orr__step *s, int t, void *const *in, void *const *out, const orr__scalar *scalar,
                            const orr__known *known)
{
    const orr__region *r = s->region;
    void *row[ORR__REGION_OUTS];
    orr__known of[NUMBERED];
    orr__launch l;

    on_host(&l, s, in, out, scalar, known_of(s, known, of));
    orr__step_rows(s, t, &l.lo, &l.hi);
    if (s->partial) {
        for (int k = 0; k < r->nout; k++)
            row[k] = (char *)out[k] + (size_t)(t * r->out_count) * orr_dtype_size((orr_dtype)r->out_dtype[k]);
        l.out = row;
    }
    return compute(s, &l);
}

orr_status orr__exec_post(const orr__step *s, void *const *in, void *const *out, const orr__scalar *scalar,
                          const orr__known *known, const orr__ending *ending)
{
    orr__known of[NUMBERED];
    orr__launch l;

    on_host(&l, s, in, out, scalar, known_of(s, known, of));
    l.lo = 0;
    l.hi = s->region->dim[0];
    l.ending = ending;
    orr__finite_unseen(s);
    return orr__exec_cpu->launch(s->cpu, &l);
}

int64_t orr__exec_rows(const orr__step *s, bool tasks)
{
    return s->ntiles > 1 && (tasks || orr__step_by_tiles(s)) ? s->rows : s->region->dim[0];
}

/* The whole step s; in, out as in orr__exec_launch. */
static orr_status launch_whole(const orr__step *s, void *const *in, void *const *out, const orr__scalar *scalar,
                               const orr__known *known)
{
    orr__known of[NUMBERED];
    orr__launch l;
    orr_status st = ORR_OK;

    on_host(&l, s, in, out, scalar, known_of(s, known, of));
    l.lo = 0;
    l.hi = s->region->dim[0];
    if (!orr__step_by_tiles(s))
        return compute(s, &l);
    for (int t = 0; t < s->ntiles && st == ORR_OK; t++)
        if ((st = orr__stop_check(orr__stop_mine)) == ORR_OK)
            st = orr__exec_launch(s, t, in, out, scalar, known);
    return st;
}

/* A step that a crew does: by shares of rows, or by the plan's tiles, or by parts of these. */
typedef struct {
    const orr__step *s;
    void *const *in, *const *out;
    const orr__scalar *scalar;
    const orr__known *known;
    int shares; /* number of shares, of rows in multiples of `even`; 0: a share is a tile */
    int parts;  /* of a tile, each a share; 1: the tile                                   */
    int64_t even;
    orr__stop *stop; /* of the leader */
    bool timed;
    atomic_uint_least64_t ns; /* of all shares */
} shared;

/* Row `lo`, and k of n parts of the rows from there to `hi`. */
static int64_t part_begins(int64_t lo, int64_t hi, int64_t even, int k, int n)
{
    return k < n ? lo + (hi - lo) / even * k / n * even : hi;
}

static orr_status launch_rows(const shared *j, int64_t lo, int64_t hi)
{
    orr__known of[NUMBERED];
    orr__launch l;
    on_host(&l, j->s, j->in, j->out, j->scalar, known_of(j->s, j->known, of));
    l.lo = lo;
    l.hi = hi;
    return compute(j->s, &l);
}

static orr_status launch_share(void *job, int k)
{
    shared *j = job;
    const orr__step *s = j->s;
    double t0 = j->timed ? orr__now() : 0;
    orr_status st = orr__stop_check(j->stop);
    int64_t lo = 0, hi = s->region->dim[0];
    int of = j->shares;

    if (st != ORR_OK)
        return st;
    orr__stop *outer = orr__stop_begins(j->stop);
    if (j->parts > 1) {
        orr__step_rows(s, k / j->parts, &lo, &hi);
        of = j->parts;
        k %= of;
    }
    st = of == 0 ? orr__exec_launch(s, k, j->in, j->out, j->scalar, j->known)
                 : launch_rows(j, part_begins(lo, hi, j->even, k, of), part_begins(lo, hi, j->even, k + 1, of));
    orr__stop_ends(outer);
    if (j->timed)
        atomic_fetch_add_explicit(&j->ns, (uint64_t)((orr__now() - t0) * 1e9), memory_order_relaxed);
    return st;
}

/* Shares for each member while one is late or slow: it delays the others by one of them, within the doubt of a prediction. */
enum { SMALL = 100 / ORR__T_DOUBT };

/* The parts of a product's tile, if they have its bits. Each copies the right factor. */
static int parts_of_tile(const orr__step *s)
{
    int64_t least = orr__exec_cpu->least_rows && !s->partial ? orr__exec_cpu->least_rows(s->region) : 0;
    int64_t n = s->rows / ORR__T_TILE;
    n = n < SMALL ? n : SMALL;
    return least > 0 && least <= ORR__T_TILE && n > 1 && n * s->ntiles <= ORR__CREW_SHARES ? (int)n : 1;
}

/* Cuts a step into two shares for each member, so that the wait for a late member is short; fewer if the shares would be too small. One
 * share for each member if the step is a call, which may read the whole of an input for each share, and whose bits may depend on its rows. A
 * product has the tiles of its plan. More of the others while members are late. Shares of a one-dimensional step consist of whole vectors. */
static int cut_shares(shared *j, int members, bool uneven)
{
    const orr__step *s = j->s;
    int64_t n = s->region->call.op ? members : 2 * members;
    n = uneven && !s->region->call.op ? SMALL * members : n;
    n = n < ORR__CREW_SHARES ? n : ORR__CREW_SHARES;

    j->shares = 0;
    j->parts = 1;
    if (orr__step_by_tiles(s)) {
        j->parts = uneven ? parts_of_tile(s) : 1;
        j->even = ORR__T_TILE_ROWS;
        return s->ntiles * j->parts;
    }
    if (s->cost.us < (double)(ORR__T_SHARE * n))
        n = 1 + (int64_t)(s->cost.us / ORR__T_SHARE);
    j->even = whole_rows(s->region);
    n = n < s->region->dim[0] / j->even ? n : s->region->dim[0] / j->even;
    j->shares = n > 1 ? (int)n : 1;
    return j->shares;
}

/* Step s by a crew. seconds: the sum over all shares; NULL: they are not timed. */
static orr_status launch_together(const orr__crew_of *c, const orr__step *s, void *const *in, void *const *out,
                                  const orr__scalar *scalar, const orr__known *known, double *seconds)
{
    shared j = {
        .s = s, .in = in, .out = out, .scalar = scalar, .known = known, .stop = orr__stop_mine, .timed = seconds
    };
    int shares = cut_shares(&j, c->members, orr__crew_is_uneven(c->crew));
    orr_status st = orr__crew_do(c->crew, shares, s->cost.us / c->members, launch_share, &j);

    if (seconds)
        *seconds = 1e-9 * (double)atomic_load(&j.ns);
    return st;
}

void orr__exec_took(const orr__plan *p, const orr__step *s, int t, orr__on on, double seconds, bool compiled)
{
    int64_t lo = 0, hi = s->region->dim[0];

    if (on == ORR__ON_CPU && s->cost.us < 2 * ORR__T_SHARE && 1e6 * seconds < 2 * ORR__T_SHARE)
        return;
    orr__plan_state *state = orr__plan_state_of(p);
    if (state) {
        orr__step_state *of = &state->step[s - p->step];
        atomic_fetch_add_explicit(&of->n[on], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&of->ns[on], (uint64_t)(seconds * 1e9), memory_order_relaxed);
    }
    if (!s->cost.class || orr__exec_cpu != &orr__cpu || !compiled)
        return;
    if (t >= 0)
        orr__step_rows(s, t, &lo, &hi);
    orr__model_add(s->cost.class, orr__task_size(&s->cost, hi - lo, s->region->dim[0]), on, seconds * 1e6);
}

void orr__exec_rest(const orr__step *s, int t, orr__buffer *const *value)
{
    const orr__region *r = s->region;
    int64_t first, end;

    for (int k = 0; orr__spill_on() && k < r->nin + r->nout; k++) {
        bool in = k < r->nin;
        size_t size = orr_dtype_size((orr_dtype)(in ? r->in_dtype[k] : r->out_dtype[k - r->nin]));
        if (in)
            orr__step_reads(s, t, k, &first, &end);
        else
            orr__step_writes(s, t, k - r->nin, &first, &end);
        orr__spill_rest(value[in ? s->in[k] : s->out[k - r->nin]], (size_t)first * size, (size_t)end * size);
    }
}

orr_status orr__exec_step_at(const orr__plan *plan, const orr__step *s, int tile, void *const *in, void *const *out,
                             const orr__scalar *scalar, const orr__known *known, int worker, const orr__crew_of *crew)
{
    orr__work *k = orr__work_of_step(plan, s);
    uint32_t stands_for = orr__work_begin(k, worker);
    bool compiled = stands_for && orr__step_compiled(s);
    bool together = crew && s->shared && tile < 0 && s->ntiles <= ORR__CREW_SHARES;
    double t0 = stands_for ? orr__now() : 0, took = 0;
    orr_status st = together   ? launch_together(crew, s, in, out, scalar, known, stands_for ? &took : NULL)
                    : tile < 0 ? launch_whole(s, in, out, scalar, known)
                               : orr__exec_launch(s, tile, in, out, scalar, known);
    double t1 = stands_for ? orr__work_end(k, s, tile, worker, t0, stands_for) : 0;
    if (st == ORR_OK && stands_for)
        orr__exec_took(plan, s, tile, ORR__ON_CPU, together ? took : t1 - t0, compiled);
    return st;
}

orr_status orr__exec_step(const orr__plan *plan, const orr__step *s, int tile, void *const *host,
                          const orr__scalar *scalar, const orr__known *known, int worker, const orr__crew_of *crew)
{
    int nin = s->region->nin, n = nin + s->region->nout;
    void *few[32], **p = orr__array_begin(few, sizeof few, (size_t)n, sizeof *p);

    if (!p)
        return ORR_ENOMEM;
    for (int i = 0; i < nin; i++)
        p[i] = host[s->in[i]];
    for (int i = nin; i < n; i++)
        p[i] = host[s->out[i - nin]];
    orr_status st = orr__exec_step_at(plan, s, tile, p, p + nin, scalar, known, worker, crew);
    orr__array_end(p, few);
    return st;
}
