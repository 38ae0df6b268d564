/* Stops the library's threads when the process ends without orr_shutdown.
 * exit() calls handlers in the reverse order of their registration, then destructors of libraries, each before those of the libraries
 * that it was linked to. The handler here asks all threads to stop, and waits until none is at work: the usual case, some milliseconds.
 * A thread that is still at work after the limit of time is in a kernel that takes long, which nothing can interrupt. The program's
 * other handlers then run beside it, and the library's destructor ends the process, with the program's own status, before the libraries
 * that the kernel uses are taken down.
 * Must not know: the work of the threads. */
#include "config.h"
#include "runtime/base/exit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"

enum { ASKED_MOST = 8 };
/* Seconds of patience. Removal of files takes long only if the disk is busy. */
static const double patience[ORR__WORK_KINDS] = { 1, 1, 10 };

atomic_bool orr__exit_begun;
_Thread_local orr__work_slot *orr__work_mine __attribute__((tls_model("initial-exec")));

static orr__work_slot *_Atomic slots; /* never freed; a slot of an ended thread serves another */
static orr__work_slot nobody;         /* of threads for which there was no memory: they are not waited for */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;
static void (*_Atomic asked[ASKED_MOST])(void);
static atomic_int owner; /* the process that registered the handler */
static pthread_t exiting;
static int status;

static void thread_ends(void *p)
{
    orr__work_slot *s = p;
    orr__work_mine = NULL;
    atomic_store(&s->taken, false);
}

/* A fork copies the calling thread alone. */
static void in_child(void)
{
    for (orr__work_slot *s = atomic_load(&slots); s; s = s->next) {
        if (s == orr__work_mine)
            continue;
        for (int k = 0; k < ORR__WORK_KINDS; k++)
            atomic_store(&s->depth[k], 0);
        atomic_store(&s->taken, false);
    }
    atomic_store(&orr__exit_begun, false);
    atomic_store(&owner, 0);
}

static void begin_once(void)
{
    have_key = pthread_key_create(&key, thread_ends) == 0;
    (void)pthread_atfork(NULL, NULL, in_child);
}

orr__work_slot *orr__work_slot_new(void)
{
    (void)pthread_once(&once, begin_once);
    orr__work_slot *s = atomic_load(&slots);
    bool taken = false;
    while (s && !atomic_compare_exchange_strong(&s->taken, &taken, true)) {
        taken = false;
        s = s->next;
    }
    if (!s && (s = calloc(1, sizeof *s))) {
        atomic_init(&s->taken, true);
        s->next = atomic_load(&slots);
        while (!atomic_compare_exchange_weak(&slots, &s->next, s))
            ;
    }
    if (!s)
        return &nobody;
    if (have_key)
        (void)pthread_setspecific(key, s);
    return orr__work_mine = s;
}

/* -- threads other than the exiting one ------------------------------------------------------------------------ */

static _Noreturn void rest_for_ever(void)
{
    for (;;)
        (void)pause();
}

bool orr__exit_is_here(void)
{
    if (!orr__exit_has_begun())
        return false;
    if (!pthread_equal(pthread_self(), exiting))
        rest_for_ever();
    return true;
}

void orr__exit_rest(orr__work_slot *s, orr__work_kind kind)
{
    if (pthread_equal(pthread_self(), exiting))
        return;
    atomic_fetch_sub(&s->depth[kind], 1);
    for (int k = 0; k < ORR__WORK_KINDS; k++)
        if (s != &nobody && atomic_load(&s->depth[k]) > 0) { /* work inside other work, which ends by itself */
            atomic_fetch_add(&s->depth[kind], 1);
            return;
        }
    rest_for_ever();
}

/* -- the exiting thread ------------------------------------------------------------------------------------------ */

/* The exiting thread may itself be at work, in a function of the program that a kernel has called. */
static bool at_work(orr__work_kind kind)
{
    bool any = false;
    for (orr__work_slot *s = atomic_load(&slots); s && !any; s = s->next)
        any = s != orr__work_mine && atomic_load_explicit(&s->depth[kind], memory_order_acquire) > 0;
    return any;
}

static void *flush(void *ended)
{
    (void)fflush(NULL);
    atomic_store((atomic_bool *)ended, true);
    return NULL;
}

/* As exit would end, but without the destructors. A thread that reads from a stream holds the stream's lock, perhaps for ever, hence the
 * flush by another thread. */
static _Noreturn void leave(void)
{
    static atomic_bool ended;
    pthread_t thread;
    double end = orr__now() + 1;
    if (pthread_create(&thread, NULL, flush, &ended) == 0)
        while (!atomic_load(&ended) && orr__now() < end)
            (void)nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    _exit(status);
}

static bool remains(double since, const orr__work_kind *kind, int n)
{
    bool any = false;
    for (int k = 0; k < n; k++)
        any = any || (at_work(kind[k]) && orr__now() - since < patience[kind[k]]);
    return any;
}

static void stop(int with, const orr__work_kind *kind, int n)
{
    if (atomic_load(&owner) != (int)getpid() || orr__exit_has_begun())
        return;
    status = with;
    exiting = pthread_self();
    atomic_store(&orr__exit_begun, true);
    orr__fence_heavy();
    double since = orr__now();
    for (long nap = 20000;; nap += nap < 1000000 ? nap : 0) { /* ns */
        for (int i = 0; i < ASKED_MOST && atomic_load(&asked[i]); i++)
            (*atomic_load(&asked[i]))();
        if (!remains(since, kind, n))
            break;
        (void)nanosleep(&(struct timespec){ .tv_nsec = nap }, NULL);
    }
    if (n == ORR__WORK_KINDS && at_work(ORR__WORK_DEVICE))
        leave();
}

static void at_exit(int with, void *unused)
{
    static const orr__work_kind every[] = { ORR__WORK_COMPUTES, ORR__WORK_DEVICE, ORR__WORK_FILES };
    (void)unused;
    stop(with, every, ORR__WORK_KINDS);
}

#ifndef HAVE_ON_EXIT
static void at_exit_unknown(void)
{
    at_exit(EXIT_FAILURE, NULL);
}
#endif

/* quick_exit takes nothing down. */
static void at_quick(void)
{
    static const orr__work_kind files[] = { ORR__WORK_FILES };
    stop(0, files, 1);
}

__attribute__((destructor)) static void at_last(void)
{
    if (orr__exit_has_begun() && atomic_load(&owner) == (int)getpid() && at_work(ORR__WORK_COMPUTES))
        leave();
}

void orr__exit_asks(void (*f)(void))
{
    for (int i = 0; i < ASKED_MOST; i++) {
        void (*none)(void) = NULL;
        if (atomic_load(&asked[i]) == f || atomic_compare_exchange_strong(&asked[i], &none, f))
            return;
    }
}

static void watch_quick(void)
{
    (void)at_quick_exit(at_quick);
}

static void watch_exit(void)
{
#ifdef HAVE_ON_EXIT
    (void)on_exit(at_exit, NULL); /* unlike atexit, it tells the status */
#else
    (void)atexit(at_exit_unknown);
#endif
}

void orr__exit_watch_beyond(orr__cpp_library l)
{
    static atomic_bool done[ORR__LIBRARIES];
    if (!atomic_exchange(&done[l], true))
        watch_exit();
}

void orr__exit_watch(void)
{
    static pthread_once_t quick = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, begin_once);
    (void)pthread_once(&quick, watch_quick);
    atomic_store(&owner, (int)getpid());
    watch_exit();
}
