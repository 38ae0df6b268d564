/* orr_plan_memory and orr_optimal_batch: the memory of a plan in numbers, and the batch that fits.
 * Must not know: how plans are made. */
#include "config.h"
#include <orrery/place.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/api/eval.h"
#include "runtime/base/clock.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/pool.h"

enum { OUTPUTS = 64, CANDIDATES = 65 };

static bool on_device(const orr__step *s)
{
    return s->cuda || s->opencl;
}

static void touch(int64_t *change, bool *touched, const orr__plan *p, int v)
{
    const orr__value *x = &p->value[v];
    if (touched[v])
        return;
    touched[v] = true;
    int64_t bytes = (int64_t)orr__value_bytes(x);
    change[x->leaf >= 0 || x->first < 0 ? 0 : x->first] += bytes;
    if (x->leaf < 0 && x->output < 0)
        change[x->last + 1] -= bytes;
}

/* The peak of the bytes of values that steps with a device's kernel access; −1: no memory. */
static int64_t device_peak(const orr__plan *p)
{
    int64_t *change = orr__alloc_n((size_t)p->nstep + 2, sizeof *change), now = 0, peak = 0;
    bool *touched = orr__alloc_n((size_t)p->nvalue + 1, sizeof *touched);
    for (int i = 0; change && touched && i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        for (int k = 0; on_device(s) && k < s->region->nin; k++)
            touch(change, touched, p, s->in[k]);
        for (int k = 0; on_device(s) && k < s->region->nout; k++)
            touch(change, touched, p, s->out[k]);
    }
    for (int i = 0; change && touched && i < p->nstep; i++) {
        now += change[i];
        peak = now > peak ? now : peak;
    }
    if (!change || !touched)
        peak = -1;
    free(change);
    free(touched);
    return peak;
}

/* Bytes of outputs that have a leaf as donor. */
static size_t over_leaves(const orr__plan *p)
{
    size_t bytes = 0;
    for (int i = 0; i < p->nvalue; i++)
        bytes += orr__leaf_donor(p, &p->value[i]) >= 0 ? orr__value_bytes(&p->value[i]) : 0;
    return bytes;
}

/* Bytes in addition to the inputs: for steps in turn, for tasks one after another if the limit requires it, or for tasks. *over: of
 * results that use a leaf's memory; *scratch: the part that is scratch memory of tasks. If only some of the leaves can be donors, the
 * steps are counted with all of their memory. */
static size_t used(const orr__plan *p, bool in_turn, size_t *over, size_t *scratch)
{
    bool tight = p->memory.all > orr__engine_left();
    *scratch = p->memory.scratch_bytes * (size_t)(in_turn || tight ? 1 : orr__plan_scratches(p));
    if (in_turn)
        return *over > 0 && *over == over_leaves(p) ? p->memory.in_place : p->memory.stepwise;
    *over = tight ? 0 : *over;
    return (tight ? p->memory.peak : p->memory.all) - *over;
}

static orr_status describe(const orr__plan *p, size_t over, orr_memory_plan *out)
{
    size_t scratch, over_most = over, scratch_most;
    size_t most = used(p, orr__engine_in_turn(p, false), &over_most, &scratch_most);
    size_t all = used(p, orr__engine_in_turn(p, true), &over, &scratch);
    orr_memory_plan m = { .steps = p->nstep,
                          .tasks = p->ntasks,
                          .work = (int64_t)(all - scratch),
                          .scratch = (int64_t)scratch,
                          .seconds = 1e-6 * p->us };
    for (int v = 0; v < p->nvalue; v++) {
        const orr__value *x = &p->value[v];
        m.inputs += x->leaf >= 0 ? (int64_t)orr__value_bytes(x) : 0;
        m.results += x->leaf < 0 && x->output >= 0 ? (int64_t)orr__value_bytes(x) : 0;
    }
    m.results -= (int64_t)over;
    m.host = m.inputs + m.work + m.scratch;
    m.most = m.inputs + (int64_t)(most > all ? most : all);
    m.device = device_peak(p);
    if (m.device < 0)
        return ORR_ENOMEM;
    *out = m;
    return ORR_OK;
}

static orr_status plan_memory(orr__site at, orr_tensor *const *t, int n, orr_memory_plan *out)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__plan *plan;
    size_t over;
    if (!t || !out || n < 1)
        return orr__fail(at, ORR_EINVAL, n < 1 ? "there is no tensor" : "the %s is NULL",
                         t ? "result" : "list of tensors");
    orr__calls_over();
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__eval_plan(at, t, n, &plan, &over);
    if (st != ORR_OK)
        return st;
    if (!plan) {
        *out = (orr_memory_plan){ 0 };
        return ORR_OK;
    }
    st = describe(plan, over, out);
    orr__plan_unref(plan);
    return st;
}

orr_status orr_plan_memory_at(const char *file, int line, orr_tensor *const *t, int n, orr_memory_plan *out)
{
    return plan_memory(ORR__SITE(file, line, "plan_memory"), t, n, out);
}

/* -- batches ----------------------------------------------------------------------------------------------- */

typedef struct {
    orr__site at;
    orr_batch_fn *fn;
    void *user;
    int64_t bytes;
} trial;

static orr_status compile(orr__site at, orr_tensor *const *t, int n)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__plan *plan;
    size_t over;
    orr_status st = orr__eval_plan(at, t, n, &plan, &over);
    if (st == ORR_OK && plan) {
        orr__plan_compile(plan);
        orr__plan_unref(plan);
    }
    return st;
}

/* Plans a batch (m), or evaluates it and measures the time (seconds); without both: compiles its kernels. */
static orr_status try(const trial *t, int64_t batch, orr_memory_plan *m, double *seconds)
{
    orr_tensor *out[OUTPUTS];
    orr_scope *s = orr_scope_begin();
    if (!s)
        return ORR_ENOMEM;
    int n = t->fn(batch, out, OUTPUTS, t->user);
    orr_status st = ORR_OK;
    if (n < 0 || n > OUTPUTS) {
        st = orr_error_status();
        if (n > OUTPUTS || st == ORR_OK)
            st = orr__fail(t->at, ORR_EINVAL,
                           "the function of batch %lld returned %d, which is no number of tensors up to %d",
                           (long long)batch, n, OUTPUTS);
    } else if (m) {
        st = plan_memory(t->at, out, n, m);
    } else if (!seconds) {
        st = compile(t->at, out, n);
    } else {
        double t0 = orr__now();
        st = orr_eval_all_at(t->at.file, t->at.line, out, n);
        *seconds = orr__now() - t0;
    }
    (void)orr_scope_end(s);
    return st;
}

static int64_t default_limit(void)
{
    size_t left = orr__engine_left();
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return left != SIZE_MAX ? (int64_t)left : pages > 0 && page > 0 ? (int64_t)pages * page / 2 : INT64_MAX;
}

/* The largest batch that fits: doubles until one does not fit, then bisects. */
static orr_status find_largest(const trial *t, int64_t most, int64_t *largest)
{
    int64_t fits = 0, low, high;
    orr_memory_plan m;
    for (high = 1;; high = high <= most / 2 ? 2 * high : most) {
        orr_status st = try(t, high, &m, NULL);
        if (st != ORR_OK)
            return st;
        if (m.most > t->bytes)
            break;
        fits = high;
        if (high == most) {
            *largest = most;
            return ORR_OK;
        }
    }
    if (fits == 0)
        return orr__fail(t->at, ORR_ENOMEM, "a batch of 1 needs %lld bytes, and %lld are the limit", (long long)m.most,
                         (long long)t->bytes);
    for (low = fits; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        orr_status st = try(t, middle, &m, NULL);
        if (st != ORR_OK)
            return st;
        if (m.most > t->bytes)
            high = middle;
        else
            low = middle;
    }
    *largest = low;
    return ORR_OK;
}

typedef struct {
    int64_t batch, peak;
    double each;  /* predicted seconds per sample                */
    double least; /* measured seconds of an evaluation; infinite: none */
} candidate;

/* The powers of two, and the largest batch. */
static orr_status predict(const trial *t, int64_t largest, candidate c[CANDIDATES], int *n)
{
    *n = 0;
    for (int64_t batch = 1; *n < CANDIDATES; batch = batch <= largest / 2 ? 2 * batch : largest) {
        orr_memory_plan m;
        orr_status st = try(t, batch, &m, NULL);
        if (st != ORR_OK)
            return st;
        c[(*n)++] = (candidate){ batch, m.most, m.seconds / (double)batch, HUGE_VAL };
        if (batch == largest)
            break;
    }
    return ORR_OK;
}

/* Keeps the candidates whose predictions are near the best, since predictions omit the fixed costs of an evaluation. Of those that take
 * long, only the first is kept. */
static int keep_near(candidate *c, int n)
{
    static const double near = 2, lengthy = 0.5; /* limit of a measurement: s */
    double least = HUGE_VAL;
    int kept = 0;
    for (int i = 0; i < n; i++)
        least = fmin(least, c[i].each);
    for (int i = 0; i < n; i++)
        if (c[i].each <= near * least && (kept == 0 || c[i].each * (double)c[i].batch <= lengthy))
            c[kept++] = c[i];
    return kept;
}

/* One turn of a candidate: evaluations for some milliseconds. */
static orr_status evaluate(const trial *t, candidate *c)
{
    static const double turn = 3e-3; /* limit of a measurement: s */
    orr_status st = ORR_OK;
    for (double all = 0, seconds; st == ORR_OK && all < turn; all += seconds) {
        if ((st = try(t, c->batch, NULL, &seconds)) == ORR_OK)
            c->least = fmin(c->least, seconds);
    }
    return st;
}

/* Candidates take turns, so that a slow phase of the machine affects all of them. */
static orr_status measure(const trial *t, candidate *c, int n)
{
    enum { ROUNDS = 3, MOST_ROUNDS = 60 }; /* limit of a measurement */
    static const double enough = 0.2;      /* limit of a measurement: s a candidate */
    orr_status st = ORR_OK;
    double began, ignored;
    for (int i = 0; i < n && st == ORR_OK; i++)
        if ((st = try(t, c[i].batch, NULL, NULL)) == ORR_OK)
            st = try(t, c[i].batch, NULL, &ignored);
    began = orr__now();
    for (int r = 0; st == ORR_OK && (r < ROUNDS || (r < MOST_ROUNDS && orr__now() - began < enough * n)); r++)
        for (int i = 0; i < n && st == ORR_OK; i++)
            st = evaluate(t, &c[i]);
    return st;
}

/* Among equals the smallest batch is chosen. */
static orr_status find_fastest(const trial *t, orr_batch_choice *choice)
{
    static const double equal = 0.98; /* limit of a measurement */
    candidate c[CANDIDATES];
    int n;
    double best = HUGE_VAL;
    orr_status st = predict(t, choice->largest, c, &n);
    n = st == ORR_OK ? keep_near(c, n) : 0;
    if (st == ORR_OK)
        st = measure(t, c, n);
    for (int i = 0; i < n && st == ORR_OK; i++)
        if (c[i].least / (double)c[i].batch < equal * best) {
            best = c[i].least / (double)c[i].batch;
            choice->fastest = c[i].batch;
            choice->peak = c[i].peak;
            choice->seconds = c[i].least;
        }
    return st;
}

orr_status orr_optimal_batch_at(const char *file, int line, orr_batch_fn *fn, void *user, int64_t most, int64_t bytes,
                                orr_batch_choice *out)
{
    orr__site at = ORR__SITE(file, line, "optimal_batch");
    if (!fn || !out || most < 1 || bytes < 0)
        return orr__fail(at, ORR_EINVAL,
                         !fn || !out ? "the function or the result is NULL"
                                     : "the batch is below 1 or the bytes are below 0");
    trial t = { at, fn, user, bytes ? bytes : default_limit() };
    orr_batch_choice c = { .seconds = HUGE_VAL };
    orr_status st = find_largest(&t, most, &c.largest);
    if (st == ORR_OK)
        st = find_fastest(&t, &c);
    if (st == ORR_OK)
        *out = c;
    return st;
}
