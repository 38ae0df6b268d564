/* Reports when nothing makes progress: the tasks that run, with their workers, and the tasks that wait.
 * Must not know: what a task computes, who waits. */
#include "config.h"
#include <stdio.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__run *watched;
static uint64_t begun; /* runs so far; together with the number of tasks left it shows progress */
static uint64_t seen;
static double since, next; /* since: no progress since; next: time of the next check                     */

void orr__stall_watch(orr__run *r)
{
    pthread_mutex_lock(&lock);
    r->next = watched;
    watched = r;
    begun++;
    pthread_mutex_unlock(&lock);
}

void orr__stall_unwatch(orr__run *r)
{
    pthread_mutex_lock(&lock);
    for (orr__run **at = &watched; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* The outstanding tasks: some by name, and the number of all others. */
typedef struct {
    char running[480];
    size_t length;
    int runs, waits, others;
    const orr__step *first; /* first waiting step of the oldest run */
} outstanding;

static size_t name_step(char *text, size_t size, const orr__step *s)
{
    const orr__region *r = s->region;
    int n = r->file ? snprintf(text, size, "\"%.60s\" (%.80s:%d)", r->label, r->file, r->line)
                    : snprintf(text, size, "\"%.60s\"", r->label);

    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static void add_running(outstanding *o, const orr__step *s, int worker)
{
    char where[48], *text = o->running + o->length;
    size_t room = sizeof o->running - o->length, n = o->runs > 0 ? (size_t)snprintf(text, room, ", ") : 0;

    if (o->runs++ >= 3)
        return;
    orr__engine_worker(worker, where, sizeof where);
    n += name_step(text + n, room - n, s);
    o->length += n + (size_t)snprintf(text + n, room - n, " on %s", worker > 0 ? where : "the calling thread");
}

static void look_at(outstanding *o, const orr__run *r)
{
    const orr__task *a = r->tasks;
    bool graph = false, first = true;

    for (int i = 0; i < r->ntasks; i++) {
        int state = atomic_load_explicit(&a[i].state, memory_order_acquire);
        if (state >= ORR__TASK_RUNS)
            add_running(o, a[i].step, state - ORR__TASK_RUNS);
        if (state != ORR__TASK_WAITS)
            continue;
        o->waits++;
        o->first = first ? a[i].step : o->first;
        first = false;
    }
    for (int i = 0; i < r->plan->nstep; i++)
        graph = graph || r->plan->step[i].graph;
    o->others += graph ? atomic_load(&r->left) : 0;
}

static void say(double seconds, const outstanding *o)
{
    char waiting[320] = "", first[200] = "", others[80] = "";

    if (o->first)
        first[name_step(first, sizeof first, o->first)] = '\0';
    if (o->waits > 0)
        (void)snprintf(waiting, sizeof waiting, ", %d waiting, the first is %s", o->waits, first);
    if (o->others > 0)
        (void)snprintf(others, sizeof others, ", %d left in runs with factorisations", o->others);
    orr__log(1,
             "no task has ended for %.3g s (%s): %d running%s%s%s%s. %s; see \"An evaluation does not end\" in "
             "docs/troubleshooting.md",
             seconds, orr__engine_name(), o->runs, o->runs > 0 ? ", " : "", o->running, waiting, others,
             o->runs > 0 ? "A task is long, or the machine is busy with other work" : "StarPU hands none out");
}

void orr__stall_look(void)
{
    static double patience;
    double now = orr__now();
    uint64_t here;
    outstanding o = { .runs = 0 };
    bool stalled = false;

    pthread_mutex_lock(&lock);
    here = begun << 32;
    for (const orr__run *r = watched; now >= next && r; r = r->next)
        here += (uint64_t)atomic_load(&r->left);
    if (now >= next && (here != seen || !watched)) {
        seen = here;
        since = now;
        patience = orr__run_patience;
    } else if (now >= next && now - since >= patience) {
        stalled = true;
        for (const orr__run *r = watched; r; r = r->next)
            look_at(&o, r);
        patience *= 2; /* reported less and less often */
    }
    next = now >= next ? now + orr__run_patience / 16 : next;
    pthread_mutex_unlock(&lock);
    if (stalled)
        say(now - since, &o);
}
