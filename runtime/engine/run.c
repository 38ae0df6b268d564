/* Runs: one submission of a plan, its counters, the wait for its end, and its first error.
 * Must not know: who carries out its tasks. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/callback.h"
#include "runtime/base/clock.h"
#include "runtime/base/progress.h"
#include "runtime/engine/execution.h"
#include "runtime/ranks/joint.h"

double orr__run_patience = 60;

/* For runs and their parts: one reference for the waiter, one for the work. */
static void begin(orr__run *r, int left)
{
    atomic_init(&r->refs, 2);
    atomic_init(&r->left, left);
    atomic_init(&r->status, ORR_OK);
    atomic_init(&r->done, false);
    pthread_mutex_init(&r->lock, NULL);
    orr__cond_init(&r->cond);
}

orr__run *orr__run_new(orr__plan *plan, const orr__scalar *scalar)
{
    orr__run *r = orr__alloc(sizeof *r);

    if (!r)
        return NULL;
    r->value = orr__alloc_n((size_t)plan->nvalue + 1, sizeof *r->value);
    r->scalar = orr__alloc_n((size_t)plan->nscalar + 1, sizeof *r->scalar);
    r->known = plan->calls ? orr__alloc_n((size_t)plan->nvalue + 1, sizeof *r->known) : NULL;
    if (!r->value || !r->scalar || (plan->calls && !r->known)) {
        free(r->value);
        free(r->scalar);
        free(r->known);
        free(r);
        return NULL;
    }
    if (plan->nscalar > 0)
        memcpy(r->scalar, scalar, (size_t)plan->nscalar * sizeof *scalar);
    begin(r, 1);
    r->worker = -1;
    r->plan = orr__plan_ref(plan);
    r->safe = r->firm = plan->cannot_fail;
    r->stop = orr__stop_ref(orr__stop_mine);
    atomic_init(&r->votes, r->stop && r->stop->votes);
    return r;
}

orr__run *orr__run_ref(orr__run *r)
{
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

static void drop_before(orr__run *r)
{
    for (int i = 0; i < r->nbefore; i++)
        orr__run_unref(r->before[i]);
    free(r->before);
    r->before = NULL;
    r->nbefore = 0;
}

void orr__run_unref(orr__run *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    drop_before(r);
    orr__stop_unref(r->stop);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->cond);
    free(r);
}

void orr__run_fail(orr__run *r, orr_status st, const char *text)
{
    pthread_mutex_lock(&r->lock);
    if (atomic_load(&r->status) == ORR_OK) {
        snprintf(r->text, sizeof r->text, "%s", text);
        atomic_store(&r->status, (int)st);
    }
    pthread_mutex_unlock(&r->lock);
}

static void copy_text(orr__run *r, char *text)
{
    pthread_mutex_lock(&r->lock);
    memcpy(text, r->text, sizeof r->text);
    pthread_mutex_unlock(&r->lock);
}

/* A leaf whose run failed has no content, so values made from it are invalid. */
static void inherit_failure(orr__run *r)
{
    for (int i = 0; i < r->ndep && orr__run_status(r) == ORR_OK; i++)
        if (orr__run_status(r->dep[i]) != ORR_OK) {
            char text[sizeof r->text];
            copy_text(r->dep[i], text);
            orr__run_fail(r, orr__run_status(r->dep[i]), text);
        }
}

static void drop_leaf_runs(orr__run *r)
{
    for (int i = 0; i < r->ndep; i++)
        orr__run_unref(r->dep[i]);
    free(r->dep);
    r->dep = NULL;
    r->ndep = 0;
}

/* A task inherits a failure before it ends. Tasks that wait for its value run then, perhaps before this run or the failed one has ended. */
bool orr__run_is_over(orr__run *r)
{
    inherit_failure(r);
    if (orr__run_status(r) == ORR_OK && orr__stop_check(r->stop) != ORR_OK) {
        orr__run_fail(r, ORR_ECANCELLED, orr_error_message());
        orr_error_clear();
    }
    return orr__run_status(r) != ORR_OK;
}

static void count(orr__run *r, int by)
{
    for (int i = 0; i < r->plan->nvalue; i++)
        if (r->plan->value[i].output >= 0 && r->plan->value[i].leaf < 0 && r->value[i])
            atomic_fetch_add(&r->value[i]->ordered, orr__run_over_leaf(r, i) ? 2 * by : by);
}

void orr__run_count(orr__run *r)
{
    r->counted = true;
    count(r, 1);
}

struct orr__then {
    void (*f)(void *argument, orr_status st);
    void *argument;
    struct orr__then *next;
};

void orr__run_then(orr__run *r, void (*f)(void *argument, orr_status st), void *argument)
{
    struct orr__then *t = malloc(sizeof *t), **end = &r->then;
    pthread_mutex_lock(&r->lock);
    bool adds = t && !r->drained;
    if (adds) {
        *t = (struct orr__then){ f, argument, NULL };
        while (*end)
            end = &(*end)->next;
        *end = t;
    }
    pthread_mutex_unlock(&r->lock);
    if (adds)
        return;
    free(t);
    while (!orr__run_done(r)) /* without memory */
        orr__run_await(r);
    f(argument, orr__run_status(r));
}

static void call_then(orr__run *r)
{
    orr_status st = orr__run_status(r);
    pthread_mutex_lock(&r->lock);
    for (struct orr__then *t; (t = r->then);) {
        r->then = t->next;
        pthread_mutex_unlock(&r->lock);
        t->f(t->argument, st);
        free(t);
        pthread_mutex_lock(&r->lock);
    }
    r->drained = true;
    pthread_mutex_unlock(&r->lock);
}

/* Waiters are woken after the lock is released; otherwise they would block on it, at the cost of two more thread switches. Our reference
 * keeps the run until then. */
static void end(orr__run *r)
{
    call_then(r);
    pthread_mutex_lock(&r->lock);
    atomic_store(&r->done, true);
    pthread_mutex_unlock(&r->lock);
    pthread_cond_broadcast(&r->cond);
    orr__run_unref(r);
}

/* A failure of r so far is also a failure of its part; so is the failure of a leaf's run that was still under way. */
static void end_part(orr__run *r)
{
    char text[sizeof r->text];
    orr__run *failed = orr__run_status(r) != ORR_OK ? r : NULL;
    for (int i = 0; i < r->ndep && !failed; i++)
        failed = orr__run_status(r->dep[i]) != ORR_OK ? r->dep[i] : NULL;
    if (failed) {
        copy_text(failed, text);
        orr__run_fail(r->part, orr__run_status(failed), text);
    }
    end(r->part);
}

/* Everything except the status is released before waiters wake: a waiter may reuse the memory at once. */
static void finish(orr__run *r)
{
    if (r->part && atomic_load(&r->part->left) > 0) /* not all tasks were submitted */
        end_part(r);
    orr__run_unref(r->part);
    r->part = NULL;
    inherit_failure(r);
    drop_leaf_runs(r);
    if (r->counted)
        count(r, -1);
    if (orr__run_status(r) == ORR_OK) /* else a waiter may need them */
        drop_before(r);
    for (int i = 0; i < r->plan->nvalue; i++) {
        if (r->known && r->known[i].form)
            orr__form_leave(r->value[i]);
        orr__buffer_unref(r->value[i]);
    }
    for (int i = 0; i < r->nscratch; i++)
        orr__buffer_unref(r->scratch[i].buf);
    if (r->ended)
        r->ended(r);
    orr__plan_unref(r->plan);
    free(r->value);
    free(r->scratch);
    free(r->known);
    free(r->scalar);
    free(r->tasks);
    r->plan = NULL;
    r->value = NULL;
    r->scalar = NULL;
    r->tasks = NULL;
    r->scratch = NULL;
    end(r);
}

bool orr__run_divide(orr__run *r, int n)
{
    orr__run *p = orr__alloc(sizeof *p);
    if (!p)
        return false;
    begin(p, n);
    p->safe = r->safe;
    atomic_init(&p->planned, n);
    r->part = p;
    return true;
}

void orr__run_early_done(orr__run *r)
{
    if (r->part && atomic_fetch_sub_explicit(&r->part->left, 1, memory_order_acq_rel) == 1)
        end_part(r);
}

/* The verdict of all ranks replaces the failure of this one. */
static void voted(void *argument, orr_status st, const char *text)
{
    orr__run *r = argument;
    pthread_mutex_lock(&r->lock);
    if (st != ORR_OK) {
        snprintf(r->text, sizeof r->text, "%s", text);
        atomic_store(&r->status, (int)st);
    }
    pthread_mutex_unlock(&r->lock);
    atomic_store(&r->votes, false);
    finish(r);
}

/* All tasks have ended. A run that has read values of one on whose end the ranks still agree ends after that. */
static void tasks_ended(void *argument, orr_status unused)
{
    orr__run *r = argument;
    (void)unused;
    for (int i = 0; i < r->ndep; i++)
        if (atomic_load(&r->dep[i]->votes)) {
            orr__run_then(r->dep[i], tasks_ended, r);
            return;
        }
    inherit_failure(r);
    if (atomic_load(&r->votes))
        orr__joint_post(r->stop, orr__run_status(r), r->text, voted, r);
    else
        finish(r);
}

bool orr__run_task_done(orr__run *r)
{
    if (atomic_fetch_sub_explicit(&r->left, 1, memory_order_acq_rel) != 1)
        return false;
    tasks_ended(r, ORR_OK);
    return true;
}

bool orr__run_done(orr__run *r)
{
    return !r || atomic_load_explicit(&r->done, memory_order_acquire);
}

/* A request to stop comes from another thread, which does not know this wait, and progress has no event: both are looked for at
 * intervals. */
static orr_status wait_for_end(orr__run *r, const orr__stop *s)
{
    static const double interval = 0.01; /* limit of a promise */
    orr__progress progress = { 0 };
    orr_status st = ORR_OK;
    while (!orr__run_done(r) && (st = orr__may_wait(ORR__SITE(NULL, 0, NULL))) == ORR_OK &&
           (st = orr__stop_check(s)) == ORR_OK) {
        bool looks = s || orr__progress_wanted();
        double left = s ? s->until - orr__now() : interval;
        struct timespec until = orr__time_after(left > 0 && left < interval ? left : interval);
        pthread_mutex_lock(&r->lock);
        while (!looks && !atomic_load(&r->done))
            pthread_cond_wait(&r->cond, &r->lock);
        if (!atomic_load(&r->done))
            (void)pthread_cond_timedwait(&r->cond, &r->lock, &until);
        pthread_mutex_unlock(&r->lock);
        int planned = atomic_load(&r->planned);
        if (looks)
            orr__progress_tell(&progress, planned - atomic_load(&r->left), planned);
    }
    if (st == ORR_OK && orr__run_status(r) == ORR_OK)
        orr__progress_end(&progress, atomic_load(&r->planned));
    return st;
}

/* The text does not change once there is an error. */
static orr_status result(const orr__run *r)
{
    orr__engine_settle();
    orr_status st = (orr_status)atomic_load(&r->status);
    return st == ORR_OK ? ORR_OK : orr__fail_text(st, r->text);
}

orr_status orr__run_wait_within(orr__run *r)
{
    orr_status st = r ? wait_for_end(r, orr__stop_mine) : ORR_OK;
    return r && st == ORR_OK ? result(r) : st;
}

orr_status orr__run_wait(orr__run *r)
{
    orr_status st = r ? wait_for_end(r, NULL) : ORR_OK;
    return r && st == ORR_OK ? result(r) : st;
}

void orr__run_await(orr__run *r)
{
    if (r && wait_for_end(r, NULL) == ORR_OK)
        orr__engine_settle();
}
