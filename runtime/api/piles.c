/* Submissions of piles: of the pending work of a thread, when it is worth a plan.
 * Must not know: how a pile is found, devices. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/api/eval.h"
#include "runtime/api/piles.h"
#include "runtime/base/ablation.h"
#include "runtime/base/stop.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/former.h"
#include "runtime/graph/pile.h"
#include "runtime/ranks/ranks.h"

/* The latest submissions of a thread, the next to be replaced at `at`. */
typedef struct {
    orr__run *run[ORR__PILES];
    int at;
} flights;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void thread_exit(void *p)
{
    flights *f = p;
    for (int i = 0; i < ORR__PILES; i++)
        orr__run_unref(f->run[i]);
    free(f);
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, thread_exit) == 0;
}

/* NULL: this thread has submitted nothing, or there is no memory. */
static flights *mine(bool make)
{
    (void)pthread_once(&once, make_key);
    flights *f = have_key ? pthread_getspecific(key) : NULL;
    if (f || !make || !have_key || !(f = calloc(1, sizeof *f)))
        return f;
    if (pthread_setspecific(key, f) == 0)
        return f;
    free(f);
    return NULL;
}

orr_status orr__piles_wait(void)
{
    flights *f = mine(false);
    orr_status st = ORR_OK;
    for (int i = 0; f && i < ORR__PILES; i++) {
        orr__run *r = f->run[i];
        orr_status one = orr__run_done(r) || orr__engine_running() ? orr__run_wait(r) : ORR_OK; /* else a parent's */
        st = st == ORR_OK ? one : st;
        orr__run_unref(r);
        f->run[i] = NULL;
    }
    return st;
}

void orr__piles_under_way(orr__run *run[ORR__PILES])
{
    const flights *f = mine(false);
    for (int i = 0; i < ORR__PILES; i++)
        run[i] = f && f->run[i] ? orr__run_ref(f->run[i]) : NULL;
}

/* The most bytes of held values that depend on no variable. */
static size_t most_held(void)
{
    enum { PART = 8, MOST = 256 << 20 }; /* limit of memory */
    size_t left = orr__engine_left() / PART;
    return left < MOST ? left : MOST;
}

static orr_status submit_now(orr__site at, flights *f)
{
    orr__node **pending;
    orr__pile pile;
    int n = orr__pending(&pending);
    if (n <= 0 || !orr__pile_find(pending, n, most_held(), &pile))
        return ORR_ENOMEM;
    orr__run **run = &f->run[f->at];
    orr_status st = orr__run_wait(*run); /* its error reaches the readers of its values */
    orr__run_unref(*run);
    *run = NULL;
    if (st == ORR_OK && pile.n > 0)
        st = orr__evaluate_early(at, pile.node, pile.n, run);
    f->at = (f->at + 1) % ORR__PILES;
    orr__pile_free(&pile);
    return st;
}

/* After an error the pile stays as it is, and the next evaluation of the program reports the error at its own line. The last error
 * stays what it was. */
static void submit(orr__site at)
{
    char text[1024];
    orr_status before = orr_error_status();
    flights *f = orr__engine_running() && orr__ranks() <= 1 && !orr__distributions_exist() ? mine(true) : NULL;
    if (!f)
        return;
    (void)snprintf(text, sizeof text, "%s", before != ORR_OK ? orr_error_message() : "");
    orr__stop *outer = orr__stop_begins(NULL); /* the program asked for no evaluation that could report a stop */
    orr__pending_final();
    if (submit_now(at, f) == ORR_OK)
        orr__pending_clear();
    else
        orr__pile_refuse();
    orr__stop_ends(outer);
    if (before == ORR_OK)
        orr_error_clear();
    else
        (void)orr__fail_text(before, text);
}

void orr__piles_start(void)
{
    atomic_store(&orr__pile_submit, orr__ablated(ORR__OFF_PILES) ? NULL : submit);
}

void orr__piles_stop(void)
{
    atomic_store(&orr__pile_submit, NULL);
}
