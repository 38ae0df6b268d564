/* The machine's profile at start: from its file, or measured by a thread beside the program's own work.
 * Must not know: what a number is for. */
#include "config.h"
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "runtime/base/callback.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/machine_profile.h"

static pthread_t thread;
static bool measuring; /* the thread exists; used by start and stop only, one at a time */
static atomic_bool stopping;
static const orr__engine_impl *engine;
static orr__profile earlier; /* measured while the machine was busy; date 0: none */

static orr_status measure(orr__profile *p)
{
    double t0 = orr__now();
    *p = orr__profile_fixed;
    p->date = (double)time(NULL);
    orr__profile_measure(p, &stopping);
    if (engine->measure && !atomic_load(&stopping))
        engine->measure(p, &stopping);
    if (atomic_load(&stopping))
        return ORR_ESTATE;
    orr__log(2, "the machine was measured in %.0f ms, quality %.2g", (orr__now() - t0) * 1e3, p->quality);
    if (!orr__profile_plausible(p)) {
        orr__log(2, "its numbers make no sense, fixed ones stay in force");
        return ORR_EINTERNAL;
    }
    return ORR_OK;
}

static void *run(void *unused)
{
    orr__profile p;

    (void)unused;
    if (measure(&p) == ORR_OK) {
        if (earlier.date > 0)
            orr__profile_join(&p, &earlier);
        orr__profile_use(&p);
        orr__work_begins(ORR__WORK_FILES);
        (void)orr__profile_store(&p);
        orr__work_ends(ORR__WORK_FILES);
    }
    return NULL;
}

static void ask_to_stop(void)
{
    atomic_store(&stopping, true);
}

void orr__profile_start(const orr__engine_impl *e)
{
    orr__profile p;

    engine = e;
    atomic_store(&stopping, false);
    orr__exit_asks(ask_to_stop);
    orr__profile_use(NULL);
    orr__models_load();
    if (orr__env.machine == ORR__MACHINE_FIXED)
        return;
    bool known = orr__profile_load(&p);
    if (known)
        orr__profile_use(&p);
    earlier = known ? p : (orr__profile){ .date = 0 };
    if ((!known || orr__profile_due(&p, (double)time(NULL))) &&
        e->measure) /* the serial engine has no placement, hence no need for a profile */
        measuring = pthread_create(&thread, NULL, run, NULL) == 0;
}

void orr__profile_stop(void)
{
    atomic_store(&stopping, true);
    orr__profile_wait();
}

void orr__profile_wait(void)
{
    if (measuring)
        (void)pthread_join(thread, NULL);
    measuring = false;
}

void orr__profile_orphan(void)
{
    measuring = false;
}

/* Other work on the machine may disturb one measurement. */
enum { TRIES = 3 };

orr_status orr__engine_measure(orr__site at, bool again)
{
    orr__profile p;
    orr_status st = ORR_OK;

    if (!orr__engine_running())
        return orr__fail(at, ORR_ESTATE, "the library is not started: call orr_init first");
    if ((st = orr__may_wait(at)) != ORR_OK)
        return st;
    orr__profile_wait();
    if (!again)
        return ORR_OK;
    if (!engine->measure)
        return orr__fail(at, ORR_EDEVICE,
                         "the serial engine does not measure the machine: run with ORRERY_ENGINE=starpu");
    for (int i = 0; i < TRIES && (i == 0 || st == ORR_EINTERNAL); i++)
        st = measure(&p);
    if (st != ORR_OK)
        return orr__fail(at, ORR_EINTERNAL,
                         "the measured numbers make no sense together, %d times: measure again while the machine rests",
                         (int)TRIES);
    orr__profile_use(&p);
    if (!orr__profile_store(&p))
        return orr__fail(at, ORR_EIO, "the measured profile is not kept: ORRERY_LOG=info names the reason");
    return ORR_OK;
}
