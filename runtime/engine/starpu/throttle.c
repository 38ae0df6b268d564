/* A run in limited memory: a buffer is allocated when its first task is submitted and released after its last task; submission waits in
 * between. Must not know: what a task computes. */
#include "config.h"
#include <stdlib.h>
#include "runtime/engine/starpu/starpu.h"

typedef struct {
    pthread_cond_t moved; /* with the run's lock: signalled after each task */
    size_t budget, held;
    int going;         /* tasks under way                                  */
    uint64_t done;     /* finished tasks                                   */
    atomic_int left[]; /* by value: operands of unfinished tasks */
} meter;

/* Calls f(v) for each operand of the step or bundle; a repeated operand counts repeatedly. */
static void each_operand(orr__run *r, const orr__step *s, void (*f)(orr__run *r, int v, void *arg), void *arg)
{
    int n = orr__bundle_size(s);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < s[i].region->nin + s[i].region->nout; k++) {
            int v = k < s[i].region->nin ? s[i].in[k] : s[i].out[k - s[i].region->nin];
            if (!r->plan->value[v].local)
                f(r, v, arg);
        }
}

static void count(orr__run *r, int v, void *arg)
{
    meter *m = r->meter;

    atomic_fetch_add_explicit(&m->left[v], *(const int *)arg, memory_order_relaxed);
}

bool orr__meter_begin(orr__run *r, size_t budget)
{
    const orr__plan *plan = r->plan;
    meter *m = orr__alloc(sizeof *m + (size_t)plan->nvalue * sizeof *m->left);

    if (!m)
        return false;
    m->budget = budget;
    m->held = plan->memory.scratch_bytes;
    (void)pthread_cond_init(&m->moved, NULL);
    r->meter = m;
    for (int i = 0; i < plan->nstep; i++) {
        int tasks = orr__plan_tasks(plan, i);
        if (tasks > 0)
            each_operand(r, &plan->step[i], count, &tasks);
    }
    return true;
}

void orr__meter_end(orr__run *r)
{
    meter *m = r->meter;

    if (m)
        (void)pthread_cond_destroy(&m->moved);
    free(m);
    r->meter = NULL;
}

/* An output is kept; for a donor, its recipient accounts for the memory. */
static void read_by_one(orr__run *r, int v, void *arg)
{
    meter *m = r->meter;
    const orr__value *val = &r->plan->value[v];
    size_t *freed = arg;

    if (atomic_fetch_sub_explicit(&m->left[v], 1, memory_order_acq_rel) != 1 || val->output >= 0)
        return;
    *freed += val->leaf < 0 && val->recipient < 0 ? orr__value_bytes(val) : 0;
    orr__buffer_unref(r->value[v]);
    r->value[v] = NULL;
}

void orr__meter_started(orr__run *r)
{
    meter *m = r->meter;

    if (!m)
        return;
    pthread_mutex_lock(&r->lock);
    m->going++;
    pthread_mutex_unlock(&r->lock);
}

void orr__meter_done(orr__run *r, const orr__step *s, bool ran)
{
    meter *m = r->meter;
    size_t freed = 0;

    if (!m)
        return;
    if (ran)
        each_operand(r, s, read_by_one, &freed);
    pthread_mutex_lock(&r->lock);
    m->going--;
    m->done++;
    m->held -= freed;
    pthread_cond_signal(&m->moved);
    pthread_mutex_unlock(&r->lock);
}

/* Waits for the end of one more task; false: no task is under way. */
static bool wait_for_one(orr__run *r)
{
    meter *m = r->meter;

    starpu_do_schedule();
    pthread_mutex_lock(&r->lock);
    bool some = m->going > 0;
    for (uint64_t before = m->done; some && m->done == before;)
        pthread_cond_wait(&m->moved, &r->lock);
    pthread_mutex_unlock(&r->lock);
    return some;
}

static bool over_budget(orr__run *r, size_t bytes)
{
    meter *m = r->meter;

    pthread_mutex_lock(&r->lock);
    bool over = m->held + bytes > m->budget;
    pthread_mutex_unlock(&r->lock);
    return over;
}

/* Waits for our own tasks first, which release their last inputs; then for other runs, which end without us. */
static bool get(orr__run *r, int v)
{
    meter *m = r->meter;
    size_t bytes = orr__value_bytes(&r->plan->value[v]);
    bool others = false;

    while (over_budget(r, bytes) && wait_for_one(r))
        ;
    orr__tilepool_settle();
    while (!(r->value[v] = orr__star_buffer(r, v))) {
        if (wait_for_one(r))
            continue;
        if (others)
            return false;
        orr__star_wait_runs(1);
        others = true;
    }
    pthread_mutex_lock(&r->lock);
    m->held += bytes;
    pthread_mutex_unlock(&r->lock);
    orr_error_clear();
    return true;
}

orr_status orr__meter_bind(orr__run *r, const orr__step *s)
{
    const orr__plan *plan = r->plan;

    for (int i = 0; r->meter && i < (orr__bundle_size(s)); i++)
        for (int k = 0; k < s[i].region->nout; k++) {
            int v = s[i].out[k],
                donor = orr__exec_into(plan, r->into, v) ? -1 : orr__temporary_donor(plan, &plan->value[v]);
            if (plan->value[v].local)
                continue;
            if (donor >= 0)
                r->value[v] = orr__buffer_ref(r->value[donor]);
            else if (!get(r, v))
                return ORR_ENOMEM;
        }
    return ORR_OK;
}
