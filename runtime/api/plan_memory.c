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

enum { OUTPUTS = 64, TIMED = 3 };

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

/* The most bytes at once of values that steps with a device's kernel touch; −1: no memory. */
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

static orr_status describe(const orr__plan *p, orr_memory_plan *out)
{
    size_t work = p->memory.all <= orr__engine_left() ? p->memory.all : p->memory.peak;
    orr_memory_plan m = { .steps = p->nstep, .tasks = p->ntasks, .work = (int64_t)work, .seconds = 1e-6 * p->us };
    for (int v = 0; v < p->nvalue; v++) {
        const orr__value *x = &p->value[v];
        if (x->leaf >= 0)
            m.inputs += (int64_t)orr__value_bytes(x);
        else if (x->output >= 0 && !(x->donor >= 0 && p->value[x->donor].leaf >= 0))
            m.results += (int64_t)orr__value_bytes(x);
    }
    int tasks = p->memory.nscratch, workers = orr__machine_here.workers;
    m.scratch = (int64_t)p->memory.scratch_bytes * (tasks < workers ? tasks : workers);
    m.host = m.inputs + m.work + m.scratch;
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
    if (!t || !out || n < 1)
        return orr__fail(at, ORR_EINVAL, n < 1 ? "there is no tensor" : "the %s is NULL",
                         t ? "result" : "list of tensors");
    orr__calls_over();
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__eval_plan(at, t, n, &plan);
    if (st != ORR_OK)
        return st;
    if (!plan) {
        *out = (orr_memory_plan){ 0 };
        return ORR_OK;
    }
    st = describe(plan, out);
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

/* Plans a batch, or evaluates it and takes the time. */
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

/* The largest batch that fits: doubled until one does not, then between the last two. */
static orr_status find_largest(const trial *t, int64_t most, int64_t *largest)
{
    int64_t fits = 0, low, high;
    orr_memory_plan m;
    for (high = 1;; high = high <= most / 2 ? 2 * high : most) {
        orr_status st = try(t, high, &m, NULL);
        if (st != ORR_OK)
            return st;
        if (m.host > t->bytes)
            break;
        fits = high;
        if (high == most) {
            *largest = most;
            return ORR_OK;
        }
    }
    if (fits == 0)
        return orr__fail(t->at, ORR_ENOMEM, "a batch of 1 needs %lld bytes, and %lld are the limit", (long long)m.host,
                         (long long)t->bytes);
    for (low = fits; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        orr_status st = try(t, middle, &m, NULL);
        if (st != ORR_OK)
            return st;
        if (m.host > t->bytes)
            high = middle;
        else
            low = middle;
    }
    *largest = low;
    return ORR_OK;
}

/* Predictions leave out what an evaluation costs beside its work, so batches whose predictions are near the best are timed. */
static orr_status timed(const trial *t, int64_t batch, double *least)
{
    enum { MOST_TIMED = 30 };
    double all = 0;
    *least = HUGE_VAL;
    for (int i = 0; i <= TIMED || (i <= MOST_TIMED && all < 0.1); i++) { /* the first one compiles */
        double seconds;
        orr_status st = try(t, batch, NULL, &seconds);
        if (st != ORR_OK)
            return st;
        *least = i > 0 && seconds < *least ? seconds : *least;
        all += i > 0 ? seconds : 0;
    }
    return ORR_OK;
}

/* Doubling, and the largest. Of equals the smaller one stays. */
static orr_status find_fastest(const trial *t, orr_batch_choice *c)
{
    enum { BATCHES = 65 };
    static const double near = 2, equal = 0.98, lengthy = 0.5; /* s */
    struct {
        int64_t batch, peak;
        double each;
    } at[BATCHES];
    int n = 0;
    double least = HUGE_VAL, best = HUGE_VAL;
    for (int64_t batch = 1; n < BATCHES; batch = batch <= c->largest / 2 ? 2 * batch : c->largest) {
        orr_memory_plan m;
        orr_status st = try(t, batch, &m, NULL);
        if (st != ORR_OK)
            return st;
        at[n].batch = batch;
        at[n].peak = m.host;
        at[n].each = m.seconds / (double)batch;
        least = at[n].each < least ? at[n].each : least;
        n++;
        if (batch == c->largest)
            break;
    }
    for (int i = 0; i < n; i++) {
        double seconds;
        bool is_long = at[i].each * (double)at[i].batch > lengthy;
        if (at[i].each > near * least || (is_long && best < HUGE_VAL))
            continue;
        orr_status st = timed(t, at[i].batch, &seconds);
        if (st != ORR_OK)
            return st;
        if (seconds / (double)at[i].batch < equal * best) {
            best = seconds / (double)at[i].batch;
            c->fastest = at[i].batch;
            c->peak = at[i].peak;
            c->seconds = seconds;
        }
    }
    return ORR_OK;
}

orr_status orr_optimal_batch_at(const char *file, int line, orr_batch_fn *fn, void *user, int64_t most, int64_t bytes,
                                orr_batch_choice *out)
{
    orr__site at = ORR__SITE(file, line, "optimal_batch");
    if (!fn || !out || most < 1 || bytes < 0)
        return orr__fail(at, ORR_EINVAL,
                         !fn || !out ? "the function or the result is NULL" : "a limit is below what is possible");
    trial t = { at, fn, user, bytes ? bytes : default_limit() };
    orr_batch_choice c = { .seconds = HUGE_VAL };
    orr_status st = find_largest(&t, most, &c.largest);
    if (st == ORR_OK)
        st = find_fastest(&t, &c);
    if (st == ORR_OK)
        *out = c;
    return st;
}
