/* The watch over the other ranks: one thread sends heartbeats, and ends this process when a rank has died or is silent, so that no rank
 * waits for ever for a message.
 * Must not know: exchanges of arrays. */
#include "config.h"
#include "runtime/ranks/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/ranks/exchange.h"
#include "runtime/ranks/joint.h"

/* Calls that are newer than some systems' headers have the same number on every processor. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* limit of the machine */
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424 /* limit of the machine */
#endif

#define TICK 0.1  /* limit of patience: seconds between polls of messages       */
#define GRACE 0.3 /* limit of patience: seconds; a notice may arrive after its sender's end */

typedef enum { BEAT, LEAVES, STOPPED, FAILED, ENDED } notice_kind;
typedef struct notice {
    int kind, from;
    uint64_t stopped; /* the last evaluation that the sender has stopped */
    char text[368];
} notice;

/* Heartbeats go round a ring: a rank sends them to its successor and listens to its predecessor, until all ranks are in orr_shutdown. A
 * rank that arrives there early waits for others that still have work. */
typedef struct peer {
    int fd;                    /* of the process if it is on this machine; −1: none              */
    atomic_bool left;          /* the rank has announced its leave                               */
    _Atomic double dead_since; /* 0: alive                                               */
    orr__request sent;         /* the last notice to the rank                                    */
    bool sending;
    notice out;
} peer;

static struct {
    const orr__transport *transport;
    const orr__identity *who;
    peer *peer;
    int rank, ranks, signal_fd;
    pthread_t thread;
    bool running, beats; /* beats: the watch's thread sends and receives the notices */
    atomic_bool leaving, terminated;
    atomic_uint_least64_t stopped; /* the last evaluation that this rank has stopped */
    uint64_t told;                 /* … of which the others know */
    notice in;
    orr__request receipt;
    atomic_bool heard; /* from the predecessor, since the watch's thread looked last */
    double silence, leaving_since;

    pthread_mutex_t lock;
    bool failed, tell; /* a rank has failed; it is this one, and the others do not know  */
    char failure[376];
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER, .signal_fd = -1 };

/* -- the end ----------------------------------------------------------------------------------------------- */

/* Sends a notice to one rank, in the background. If the last one is still under way, the notice is not sent, so that a heartbeat may be
 * missing. */
static bool tell(int rank, notice_kind kind, const char *text)
{
    peer *p = &watch.peer[rank];
    bool done = true;
    if (p->sending && (watch.transport->test(&p->sent, &done) || !done))
        return false;
    p->out = (notice){ .kind = (int32_t)kind, .from = watch.rank, .stopped = atomic_load(&watch.stopped) };
    (void)snprintf(p->out.text, sizeof p->out.text, "%s", text);
    p->sending = !watch.transport->send(&p->out, (int)sizeof p->out, rank, ORR__CHANNEL_CONTROL, &p->sent);
    return p->sending;
}

static bool is_there(int rank)
{
    return rank != watch.rank && !watch.peer[rank].left && watch.peer[rank].dead_since == 0;
}

static void progress(double seconds)
{
    for (double until = orr__now() + seconds; orr__now() < until;) {
        bool open = false;
        for (int i = 0; i < watch.ranks; i++) {
            bool done = true;
            if (watch.peer[i].sending && !watch.transport->test(&watch.peer[i].sent, &done) && done)
                watch.peer[i].sending = false;
            open = open || watch.peer[i].sending;
        }
        if (!open)
            return;
        struct timespec nap = { 0, 1000000 };
        (void)nanosleep(&nap, NULL);
    }
}

_Noreturn static void end_process(const char *text)
{
    char line[640];
    int n = snprintf(line, sizeof line, "orrery: %s; %s ends too\n", text, orr__rank_name(watch.rank));
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        _exit(1);
    _exit(1);
}

/* Tells the other ranks, although most detect the death themselves. A rank that is merely stopped is killed, since its launcher would
 * wait for it. */
_Noreturn static void end_for(int rank, const char *what)
{
    char text[sizeof watch.failure];
    (void)snprintf(text, sizeof text, "%s %s", orr__rank_name(rank), what);
    for (int i = 0; i < watch.ranks && watch.beats; i++)
        if (i != rank && is_there(i))
            (void)tell(i, ENDED, text);
    if (watch.beats)
        progress(GRACE);
    if (watch.peer[rank].fd >= 0)
        (void)syscall(SYS_pidfd_send_signal, watch.peer[rank].fd, SIGKILL, NULL, 0);
    end_process(text);
}

/* -- observation ------------------------------------------------------------------------------------------- */

static void note_failure(const char *text)
{
    pthread_mutex_lock(&watch.lock);
    if (!watch.failed)
        (void)snprintf(watch.failure, sizeof watch.failure, "%s", text);
    watch.failed = true;
    pthread_mutex_unlock(&watch.lock);
    orr__exchanges_fail();
}

static int before(int rank)
{
    return (rank + watch.ranks - 1) % watch.ranks;
}

static int after(int rank)
{
    return (rank + 1) % watch.ranks;
}

static bool listen(void)
{
    return !watch.transport->receive(&watch.in, (int)sizeof watch.in, ORR__ANY_RANK, ORR__CHANNEL_CONTROL,
                                     &watch.receipt);
}

static void read_notices(void)
{
    bool done = false;
    while (!watch.transport->test(&watch.receipt, &done) && done) {
        notice n = watch.in;
        n.text[sizeof n.text - 1] = '\0';
        (void)listen();
        if (n.from < 0 || n.from >= watch.ranks)
            continue;
        if (n.from == before(watch.rank))
            atomic_store(&watch.heard, true);
        orr__joint_hear(n.stopped, n.from);
        if (n.kind == LEAVES) {
            watch.peer[n.from].left = true;
            orr__exchanges_left(n.from);
        } else if (n.kind == FAILED)
            note_failure(n.text);
        else if (n.kind == ENDED)
            end_process(n.text);
    }
}

static void look_at_processes(double seconds)
{
    struct pollfd fd[1 + 64] = { { .fd = watch.signal_fd, .events = POLLIN } };
    int rank[1 + 64], n = 1;
    for (int i = 0; i < watch.ranks && n < 65; i++)
        if (watch.peer[i].fd >= 0 && watch.peer[i].dead_since == 0) {
            fd[n] = (struct pollfd){ .fd = watch.peer[i].fd, .events = POLLIN };
            rank[n++] = i;
        }
    if (poll(fd, (nfds_t)n, (int)(seconds * 1e3)) <= 0)
        return;
    uint64_t drained;
    if (fd[0].revents && read(watch.signal_fd, &drained, sizeof drained) < 0)
        return;
    for (int i = 1; i < n; i++)
        if (fd[i].revents)
            watch.peer[rank[i]].dead_since = orr__now();
}

/* A rank that has announced its leave may end; the others then have as much time as a silent rank. */
static void judge(void)
{
    double now = orr__now(), limit = (double)orr__env.rank_timeout;
    char text[160];
    for (int i = 0; i < watch.ranks; i++) {
        const peer *p = &watch.peer[i];
        if (p->dead_since > 0 && now - p->dead_since > (p->left ? (limit > 0 ? limit : 1e9) : GRACE)) {
            (void)snprintf(text, sizeof text,
                           "has ended after orr_shutdown, and %.0f s later (ORRERY_RANK_TIMEOUT) not all ranks are in "
                           "orr_shutdown",
                           limit);
            end_for(i, p->left ? text : "has ended without orr_shutdown: killed, crashed, or by an exit of its own");
        }
    }
    int listened = before(watch.rank);
    if (watch.beats && limit > 0 && watch.silence > limit && listened != watch.rank &&
        watch.peer[listened].dead_since == 0) {
        (void)snprintf(
            text, sizeof text,
            "has been silent for %.0f s (ORRERY_RANK_TIMEOUT): stopped, or its machine or its network is down", limit);
        end_for(listened, text);
    }
}

/* A launcher that sees a rank die ends the others by SIGTERM; before that they print the reason. */
static void on_terminate(int number)
{
    (void)number;
    int was = errno;
    atomic_store(&watch.terminated, true);
    uint64_t one = 1;
    if (write(watch.signal_fd, &one, sizeof one) < 0)
        errno = was;
    errno = was;
}

static void terminate(void)
{
    look_at_processes(0);
    if (watch.beats)
        read_notices();
    for (int i = 0; i < watch.ranks; i++)
        if (watch.peer[i].dead_since > 0 && !watch.peer[i].left)
            end_for(i, "has ended without orr_shutdown: killed, crashed, or by an exit of its own");
    (void)signal(SIGTERM, SIG_DFL);
    (void)kill(getpid(), SIGTERM);
}

/* A rank that has left listens until this one leaves, and must know at its next start. */
static void tell_failure(void)
{
    char text[sizeof watch.failure];
    pthread_mutex_lock(&watch.lock);
    bool mine = watch.tell;
    watch.tell = false;
    memcpy(text, watch.failure, sizeof text);
    pthread_mutex_unlock(&watch.lock);
    if (!mine)
        return;
    progress(GRACE);
    for (int i = 0; i < watch.ranks; i++)
        if (is_there(i) || (i != watch.rank && watch.peer[i].left && watch.leaving_since == 0))
            (void)tell(i, FAILED, text);
}

static void tell_stop(void)
{
    uint64_t stopped = atomic_load(&watch.stopped);
    if (stopped == watch.told)
        return;
    progress(GRACE);
    for (int i = 0; i < watch.ranks; i++)
        if (is_there(i))
            (void)tell(i, STOPPED, "");
    watch.told = stopped;
}

/* Announces the leave once; true: all others have announced theirs. */
static bool take_leave(void)
{
    if (watch.leaving_since == 0) {
        progress(GRACE);
        for (int i = 0; i < watch.ranks; i++)
            if (i != watch.rank)
                (void)tell(i, LEAVES, "");
        watch.leaving_since = orr__now();
    }
    for (int i = 0; i < watch.ranks; i++)
        if (i != watch.rank && !watch.peer[i].left)
            return false;
    progress(10 * GRACE);
    return true;
}

static void *serve(void *unused)
{
    (void)unused;
    double limit = (double)orr__env.rank_timeout, beat = limit > 0 && limit < 8 ? limit / 8 : 1;
    double tick = beat < TICK ? beat : TICK, last = orr__now(), sent = 0;
    for (;;) {
        bool leaving = atomic_load(&watch.leaving);
        look_at_processes(leaving ? tick / 20 : tick);
        orr__work_begins(ORR__WORK_DEVICE); /* MPI was opened at run time */
        double now = orr__now();
        /* A process that was suspended has not listened itself; that time does not count as silence. */
        watch.silence += now - last < 4 * tick ? now - last : tick;
        last = now;
        if (watch.beats)
            read_notices();
        if (atomic_exchange(&watch.heard, false))
            watch.silence = 0;
        if (atomic_exchange(&watch.terminated, false))
            terminate();
        if (watch.beats) {
            tell_stop();
            tell_failure();
        }
        int next = after(watch.rank);
        if (watch.beats && now - sent >= beat && next != watch.rank) {
            (void)tell(next, BEAT, "");
            sent = now;
        }
        bool left = leaving && (!watch.beats || take_leave());
        if (!left)
            judge();
        orr__work_ends(ORR__WORK_DEVICE);
        if (left)
            return NULL;
    }
}

/* -- start and end ----------------------------------------------------------------------------------------- */

static void wake_up(void)
{
    uint64_t one = 1;
    if (write(watch.signal_fd, &one, sizeof one) < 0)
        return; /* the thread wakes by itself within a tick */
}

static void take_sigterm(void)
{
    struct sigaction was;
    if (sigaction(SIGTERM, NULL, &was) == 0 && !(was.sa_flags & SA_SIGINFO) && was.sa_handler == SIG_DFL) {
        struct sigaction ours = { .sa_handler = on_terminate, .sa_flags = SA_RESTART };
        (void)sigaction(SIGTERM, &ours, NULL);
    }
}

static void give_sigterm_back(void)
{
    struct sigaction was;
    if (sigaction(SIGTERM, NULL, &was) == 0 && !(was.sa_flags & SA_SIGINFO) && was.sa_handler == on_terminate)
        (void)signal(SIGTERM, SIG_DFL);
}

static int open_process(int rank)
{
    bool here = rank != watch.rank && strcmp(watch.who[rank].machine, watch.who[watch.rank].machine) == 0;
    return here ? (int)syscall(SYS_pidfd_open, watch.who[rank].pid, 0) : -1;
}

static void close_processes(void)
{
    for (int i = 0; watch.peer && i < watch.ranks; i++)
        if (watch.peer[i].fd >= 0)
            (void)close(watch.peer[i].fd);
    free(watch.peer);
    watch.peer = NULL;
}

void orr__watch_attend(void)
{
    read_notices();
    tell_stop();
    tell_failure();
}

orr_status orr__watch_start(const orr__transport *transport, orr__callers callers, const orr__identity *who)
{
    orr__site at = ORR__SITE(NULL, 0, "init");
    close_processes();
    watch.transport = transport;
    watch.who = who;
    watch.rank = orr__rank();
    watch.ranks = orr__ranks();
    watch.beats = callers == ORR__CALLERS_ANY;
    watch.silence = watch.leaving_since = 0;
    watch.failed = watch.tell = false;
    watch.told = 0;
    atomic_store(&watch.stopped, 0);
    atomic_store(&watch.leaving, false);
    if (watch.signal_fd < 0)
        watch.signal_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch.peer = calloc((size_t)watch.ranks, sizeof *watch.peer);
    if (!watch.peer || watch.signal_fd < 0)
        return orr__fail(at, ORR_ENOMEM, "no memory or no descriptor for the watch over %d ranks", watch.ranks);
    for (int i = 0; i < watch.ranks; i++)
        watch.peer[i].fd = open_process(i);
    if (!listen())
        return orr__fail(at, ORR_EDEVICE, "the watch over the ranks cannot listen");
    sigset_t all, was;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    watch.running = pthread_create(&watch.thread, NULL, serve, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    if (!watch.running)
        return orr__fail(at, ORR_ENOMEM, "no thread for the watch over the ranks");
    take_sigterm();
    return ORR_OK;
}

void orr__watch_stop(void)
{
    if (!watch.running)
        return;
    while (!watch.beats && !take_leave()) {
        orr__watch_attend();
        (void)nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    }
    atomic_store(&watch.leaving, true);
    wake_up();
    pthread_join(watch.thread, NULL);
    watch.running = false;
    give_sigterm_back();
    watch.transport->cancel(&watch.receipt);
    for (bool done = false; !done && !watch.transport->test(&watch.receipt, &done);)
        continue;
}

/* MPI's finalisation ends on all ranks together; a rank that was killed before never reaches it. */
static void *wait_for_end(void *unused)
{
    (void)unused;
    double limit = orr__env.rank_timeout > 0 ? (double)orr__env.rank_timeout : 1e9;
    for (;;) {
        look_at_processes(TICK);
        for (int i = 0; i < watch.ranks; i++)
            if (watch.peer[i].dead_since > 0 && orr__now() - watch.peer[i].dead_since > limit) {
                char text[sizeof watch.failure];
                (void)snprintf(text, sizeof text,
                               "%s has ended, and MPI_Finalize has not returned %.0f s later (ORRERY_RANK_TIMEOUT)",
                               orr__rank_name(i), limit);
                end_process(text);
            }
        struct timespec nap = { 0, 50000000 };
        (void)nanosleep(&nap, NULL);
    }
    return NULL;
}

void orr__watch_finish(void)
{
    pthread_t thread;
    if (watch.peer && pthread_create(&thread, NULL, wait_for_end, NULL) == 0)
        (void)pthread_detach(thread);
}

/* -- failures ---------------------------------------------------------------------------------------------- */

void orr__ranks_fail(const char *why)
{
    if (!watch.running)
        return;
    char text[sizeof watch.failure];
    (void)snprintf(text, sizeof text, "%s has failed: %s", orr__rank_name(watch.rank), why);
    note_failure(text);
    pthread_mutex_lock(&watch.lock);
    watch.tell = strcmp(watch.failure, text) == 0;
    pthread_mutex_unlock(&watch.lock);
    wake_up();
    orr__exchanges_attend();
}

void orr__watch_stopped(uint64_t number)
{
    if (atomic_exchange(&watch.stopped, number) == number)
        return;
    wake_up();
    orr__exchanges_attend();
}

orr_status orr__ranks_failed(char *text, size_t size)
{
    pthread_mutex_lock(&watch.lock);
    bool failed = watch.failed;
    (void)snprintf(text, size, "%s", failed ? watch.failure : "");
    pthread_mutex_unlock(&watch.lock);
    return failed ? ORR_ERANK : ORR_OK;
}
