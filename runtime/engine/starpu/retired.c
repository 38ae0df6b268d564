/* Devices that failed: they rest for a while, longer each time, and then get another trial.
 * Must not know: what failed. */
#include "config.h"
#include <math.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"

/* Seconds. After long work a device begins with the shortest rest again. Successive failures of kernels may be those of a single kernel,
 * so several are needed for a rest. */
double orr__device_first_rest = 1, orr__device_longest_rest = 600;
#define LONG_WORK 60 /* limit of patience */
enum { IN_A_ROW = 3 };

static struct {
    double until, rest, since; /* end of the rest; its length; when it ended */
    bool out;                  /* rests, or is on trial                      */
    bool gone;                 /* rests for ever                             */
    int failures;              /* in a row                                   */
    uint64_t retired;          /* number of rests                            */
} device[STARPU_NMAXWORKERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int any_out; /* devices that rest or are on trial */
static atomic_bool ever, any_gone;

void orr__retired_start(void)
{
    memset(device, 0, sizeof device);
    atomic_store(&any_out, 0);
    atomic_store(&ever, false);
    atomic_store(&any_gone, false);
}

bool orr__devices_lost(void)
{
    return atomic_load_explicit(&ever, memory_order_relaxed);
}

bool orr__devices_gone(void)
{
    return atomic_load_explicit(&any_gone, memory_order_relaxed);
}

bool orr__device_is_gone(int worker)
{
    pthread_mutex_lock(&lock);
    bool gone = device[worker].gone;
    pthread_mutex_unlock(&lock);
    return gone;
}

bool orr__device_rests(int worker)
{
    if (atomic_load_explicit(&any_out, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&lock);
    bool rests = device[worker].out && orr__now() < device[worker].until;
    pthread_mutex_unlock(&lock);
    return rests;
}

static void retire(int worker, bool gone, const char *why)
{
    char name[64];
    double now = orr__now();
    double twice = 2 * device[worker].rest;
    bool fresh = device[worker].rest == 0 || (!device[worker].out && now - device[worker].since > LONG_WORK);
    device[worker].rest = fresh                              ? orr__device_first_rest
                          : twice < orr__device_longest_rest ? twice
                                                             : orr__device_longest_rest;
    device[worker].until = gone ? HUGE_VAL : now + device[worker].rest;
    device[worker].gone = gone;
    device[worker].failures = 0;
    device[worker].retired++;
    if (!device[worker].out)
        atomic_fetch_add(&any_out, 1);
    device[worker].out = true;
    starpu_worker_get_name(worker, name, sizeof name);
    if (gone)
        orr__log(1, "%s is retired until the process is started again, and its work is done elsewhere: %s", name, why);
    else
        orr__log(1, "%s is retired for %.3g s, and its work is done elsewhere: %s", name, device[worker].rest, why);
}

void orr__device_failed(int worker, orr__loss loss, const char *why)
{
    atomic_store(&ever, true);
    if (loss == ORR__DEVICE_GONE)
        atomic_store(&any_gone, true);
    pthread_mutex_lock(&lock);
    bool rests = device[worker].out && orr__now() < device[worker].until;
    if (loss == ORR__DEVICE_GONE
            ? !device[worker].gone
            : !rests && (loss == ORR__MEMORY_FAILED || device[worker].out || ++device[worker].failures >= IN_A_ROW))
        retire(worker, loss == ORR__DEVICE_GONE, why);
    pthread_mutex_unlock(&lock);
}

void orr__device_worked(int worker)
{
    char name[64];
    if (!orr__devices_lost())
        return;
    pthread_mutex_lock(&lock);
    bool back = device[worker].out && orr__now() >= device[worker].until;
    device[worker].failures = 0;
    if (back) {
        device[worker].out = false;
        device[worker].since = orr__now();
        atomic_fetch_sub(&any_out, 1);
        starpu_worker_get_name(worker, name, sizeof name);
        orr__log(1, "%s works again", name);
    }
    pthread_mutex_unlock(&lock);
}

void orr__star_device_state(int worker, orr__device_state *s)
{
    pthread_mutex_lock(&lock);
    double left = device[worker].until - orr__now();
    s->retired = device[worker].retired;
    s->rests = device[worker].out;
    s->rest = device[worker].rest;
    s->gone = device[worker].gone;
    s->seconds = device[worker].out && left > 0 && !s->gone ? left : 0;
    pthread_mutex_unlock(&lock);
}
