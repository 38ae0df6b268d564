/* A thread that reads the devices at intervals, writes the registry's file and calls the watcher.
 * Must not know: how a device is found, how a file looks. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runtime/api/devices.h"
#include "runtime/base/buffer.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/engine/engine.h"

static const double file_period = 1.0; /* seconds between polls for the file only */

/* `turn` is held while the thread starts or ends; `lock` guards the other variables. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell;
static pthread_t thread;
static pid_t owner; /* the process in which the thread runs, 0: none */
static bool stopping;
static _Thread_local bool on_watcher;
static struct {
    orr_devices_fn *fn;
    void *user;
    double seconds;
    const char *file; /* NULL: none */
} task;

static bool moved(orr_measure m, double a, double b)
{
    double d = fabs(a - b);

    if (m == ORR_MEASURE_TEMPERATURE)
        return d >= 1.0;
    return m == ORR_MEASURE_UTILISATION ? d >= 0.05 : d > 0.05 * fabs(a); /* limit of a promise */
}

/* The bits of the properties in which b differs from a. */
static unsigned compare(const orr_device *a, int na, const orr_device *b, int nb)
{
    unsigned bits = na != nb ? ORR_CHANGED_SET : 0;

    for (int i = 0; i < na && i < nb; i++) {
        if (a[i].kind != b[i].kind || strcmp(a[i].name, b[i].name) != 0 || strcmp(a[i].address, b[i].address) != 0)
            bits |= ORR_CHANGED_SET;
        for (int m = 0; m < ORR_MEASURE_COUNT; m++) {
            const orr_reading *x = &a[i].reading[m], *y = &b[i].reading[m];
            if (x->status != y->status)
                bits |= ORR_CHANGED_KNOWN;
            else if (x->status == ORR_OK && moved((orr_measure)m, x->value, y->value))
                bits |= ORR_CHANGED_READING;
        }
    }
    return bits;
}

static void rest(double seconds)
{
    struct timespec t = orr__time_after(seconds);

    while (!stopping && pthread_cond_timedwait(&bell, &lock, &t) != ETIMEDOUT)
        ;
}

static void tell(const orr_device *d, int n, unsigned bits)
{
    static bool complained;

    if (task.file && orr__devices_write(ORR__SITE(NULL, 0, "ORRERY_DEVICE_FILE"), task.file, d, n) != ORR_OK) {
        orr__log(complained ? 3 : 1, "%s", orr_error_message());
        complained = true;
        orr_error_clear();
    }
    if (task.fn)
        task.fn(d, n, bits, task.user);
}

/* task does not change while the thread runs. */
static void *watch(void *unused)
{
    orr_device *old = NULL;
    int n_old = 0;

    (void)unused;
    on_watcher = true;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        int n;
        pthread_mutex_unlock(&lock);
        orr__work_begins(ORR__WORK_DEVICE);
        orr_device *now = orr__devices_now(&n);
        orr__work_ends(ORR__WORK_DEVICE);
        unsigned bits = !now   ? 0
                        : !old ? ORR_CHANGED_SET | ORR_CHANGED_KNOWN | ORR_CHANGED_READING
                               : compare(old, n_old, now, n);
        if (bits) {
            tell(now, n, bits);
            free(old);
            old = now;
            n_old = n;
        } else {
            free(now);
            orr_error_clear(); /* no memory now: the next poll tries again */
        }
        pthread_mutex_lock(&lock);
        rest(task.seconds);
    }
    pthread_mutex_unlock(&lock);
    free(old);
    return NULL;
}

/* Both under `turn`. */
static void end(void)
{
    if (owner == getpid()) {
        pthread_mutex_lock(&lock);
        stopping = true;
        pthread_cond_signal(&bell);
        pthread_mutex_unlock(&lock);
        (void)pthread_join(thread, NULL);
        pthread_cond_destroy(&bell);
    }
    owner = 0;
}

static orr_status begin(orr__site at)
{
    if (!task.fn && !task.file)
        return ORR_OK;
    orr__cond_init(&bell);
    stopping = false;
    int err = pthread_create(&thread, NULL, watch, NULL);
    if (err != 0) {
        pthread_cond_destroy(&bell);
        return orr__fail(at, ORR_EDEVICE, "no thread can be started (error %d)", err);
    }
    owner = getpid();
    return ORR_OK;
}

orr_status orr_devices_watch(double seconds, orr_devices_fn *fn, void *user)
{
    orr__site at = ORR__SITE(NULL, 0, "devices_watch");

    if (fn && !(seconds >= 0.01 && seconds <= 86400.0)) /* limit of a promise */
        return orr__fail(at, ORR_EINVAL, "%g seconds between two looks; it takes 0.01 to 86400", seconds);
    if (on_watcher)
        return orr__fail(at, ORR_ESTATE, "the watching function cannot call orr_devices_watch");
    if (!orr__engine_running())
        return orr__fail(at, ORR_ESTATE, "Orrery is not running: call orr_init first");
    pthread_mutex_lock(&turn);
    end();
    task.fn = fn;
    task.user = user;
    task.seconds = fn ? seconds : file_period;
    orr_status st = begin(at);
    pthread_mutex_unlock(&turn);
    return st;
}

orr_status orr__devices_start(orr__site at)
{
    orr_status st = ORR_OK;

    if (!orr__env.device_file[0])
        return ORR_OK;
    int n;
    orr_device *d = orr__devices_now(&n);
    if (!d)
        st = orr__fail_place(at, ORR_ENOMEM);
    else if (orr__devices_write(ORR__SITE(NULL, 0, NULL), orr__env.device_file, d, n) != ORR_OK)
        st = orr__fail(at, orr_error_status(), "ORRERY_DEVICE_FILE=%s", orr_error_message());
    free(d);
    if (st != ORR_OK)
        return st;
    pthread_mutex_lock(&turn);
    task.file = orr__env.device_file;
    task.seconds = file_period;
    st = begin(at);
    pthread_mutex_unlock(&turn);
    return st;
}

void orr__devices_stop(void)
{
    pthread_mutex_lock(&turn);
    end();
    memset(&task, 0, sizeof task);
    pthread_mutex_unlock(&turn);
}
