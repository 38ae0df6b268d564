/* orrery-serve: starts the service, enforces its time limits, shuts it down in order.
 * Must not know: what it computes. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "serve/budget.h"
#include "serve/ledger.h"
#include "serve/log.h"
#include "serve/precedence.h"
#include "serve/service.h"

serve_service serve_the;
enum { WHY = 1024 }; /* characters of a reason */

static int fail(const char *why)
{
    char text[1024];
    (void)fprintf(stderr, "orrery-serve: %s\n", why);
    serve_log(SERVE_LOG_ERROR, "failed", "\"why\": %s", serve_quote(text, sizeof text, why));
    return 1;
}

static bool loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* The checks before the start. NULL, or the reason for a refusal. */
static const char *prepare(char *why, size_t size)
{
    serve_service *s = &serve_the;
    if (!serve_log_open(s->o.log, s->o.log_level)) {
        (void)snprintf(why, size, "%s: %s", s->o.log, strerror(errno));
        return why;
    }
    if (s->o.tokens && !(s->tokens = serve_tokens_load(s->o.tokens, why, size)))
        return why;
    if (!s->tokens && !loopback(s->o.listen)) {
        (void)snprintf(why, size, "--listen %s: an address other than loopback requires --tokens FILE", s->o.listen);
        return why;
    }
    s->most = (serve_array_limits){ (int)s->o.max_rank, s->o.max_result, s->o.max_json };
    serve_ledger_open(s->tokens && serve_tokens_count(s->tokens) > 1);
    serve_ledger_limit(SERVE_MEMORY, s->o.max_memory, "--max-memory");
    serve_ledger_limit(SERVE_WORKS, s->o.max_work, "--max-work");
    serve_ledger_limit(SERVE_JOBS, s->o.max_jobs, "--max-jobs");
    serve_block_limit(s->o.max_memory);
    if (s->o.jobs_dir && !(s->journal = serve_journal_open(s->o.jobs_dir, why, size)))
        return why;
    return NULL;
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* Starts the threads that compute, which get less of the processor than the caller's if there are several clients: the long work of one then
 * does not delay the receipt of another's requests. Threads inherit the priority of the one that starts them. */
static void *start_to_compute(void *user)
{
    serve_service *s = &serve_the;
    int workers = s->o.workers ? (int)s->o.workers : cores();
    serve_batching batching = { (int)s->o.batch, 1e-6 * (double)s->o.batch_window };
    orr_device first;
    char *why = user;
    if (serve_ledger_shared())
        serve_precedence_low();
    if (orr_init(NULL) != ORR_OK) {
        (void)snprintf(why, WHY, "%s", orr_error_message());
        return why;
    }
    (void)orr_devices(&first, 1); /* the first reading is the slowest */
    if (!(s->models = serve_models_load(s->o.models, why, WHY)))
        return why;
    s->store = serve_store_new((int)s->o.max_arrays, s->o.array_bytes, s->o.max_memory / 2, s->o.array_keep);
    s->queue = serve_queue_new(workers, true, s->o.timeout, batching);
    s->jobs = serve_jobs_new(s->o.job_bytes, s->o.job_keep, s->o.job_timeout);
    if (s->store && s->queue && s->jobs) {
        serve_jobs_restore(s->jobs, s->journal, s->tokens);
        return NULL;
    }
    (void)snprintf(why, WHY, "there is no memory, or no thread can be started");
    return why;
}

static const char *start(char *why)
{
    serve_service *s = &serve_the;
    pthread_t thread;
    void *wrong = why;
    (void)snprintf(why, WHY, "no thread can be started");
    if (pthread_create(&thread, NULL, start_to_compute, why) != 0 || pthread_join(thread, &wrong) != 0 || wrong)
        return why;
    serve_precedence_prompt();
    if (serve_ledger_shared() && !serve_queue_reserve(s->queue))
        return why;
    atomic_store(&s->ready, true);
    s->http = serve_http_start(&s->o, s->tokens, serve_routes, why, WHY);
    return s->http ? NULL : why;
}

static void announce(void)
{
    const serve_service *s = &serve_the;
    bool v6 = strchr(s->o.listen, ':') != NULL;
    char listen[128], engine[256];
    printf("orrery-serve: http%s://%s%s%s:%d/docs\n", s->o.key ? "s" : "", v6 ? "[" : "", s->o.listen, v6 ? "]" : "",
           serve_http_port(s->http));
    (void)fflush(stdout);
    serve_log(SERVE_LOG_EVENT, "started", "\"listen\": %s, \"port\": %d, \"tls\": %s, \"tokens\": %s, \"engine\": %s",
              serve_quote(listen, sizeof listen, s->o.listen), serve_http_port(s->http), s->o.key ? "true" : "false",
              s->tokens ? "true" : "false", serve_quote(engine, sizeof engine, orr_engine_name()));
    if (!loopback(s->o.listen) && !s->o.key)
        serve_log(SERVE_LOG_EVENT, "warning",
                  "\"why\": \"tokens travel unencrypted: give --tls-certificate and --tls-key\"");
}

/* Returns the seconds until the next look. Paused connections go on one after the other, not many at a time: the requests of other clients would
 * wait for them. The rest is looked at less often: it holds locks. */
static double look(void)
{
    static const double often = 0.05, next = 0.001; /* seconds; to the next paused connection */
    static double looked;
    static bool much;
    double now = serve_now();
    int paused = serve_http_resume(serve_the.http, now);
    much = much || paused > 0;
    if (now - looked >= often) {
        serve_precedence_look(much, now);
        serve_http_expire(serve_the.http, now);
        serve_queue_expire(serve_the.queue, now);
        serve_jobs_expire(serve_the.jobs, now);
        serve_store_expire(serve_the.store, now);
        serve_block_shed();
        looked = now;
        much = false;
    }
    return paused ? next : often;
}

/* Signals arrive through a pipe. A mask would not suffice: libraries start threads when they are loaded, before main()
 * can block a signal for them, and the signal then ends the process in such a thread. */
static int signals[2] = { -1, -1 };

static void on_signal(int sig)
{
    int was = errno;
    unsigned char byte = (unsigned char)sig;
    ssize_t written = write(signals[1], &byte, 1); /* a full pipe already holds a signal */
    (void)written;
    errno = was;
}

static void on_alarm(int sig)
{
    (void)sig;
    _exit(0);
}

/* Ends the process after this time, whatever it does then: libraries may wait for a compiler, for instance. Records on disk are whole at any
 * time. */
static void end_within(double seconds)
{
    struct itimerval at = { .it_value = { .tv_sec = (time_t)seconds } };
    at.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - (double)at.it_value.tv_sec));
    (void)setitimer(ITIMER_REAL, &at, NULL);
}

/* Installs the handlers of SIGTERM and SIGINT, which then do not end the process by themselves. */
static const char *take_signals(char *why, size_t size)
{
    struct sigaction on = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    struct sigaction off = { .sa_handler = SIG_IGN }, alarm = { .sa_handler = on_alarm };
    (void)sigemptyset(&on.sa_mask);
    (void)sigemptyset(&off.sa_mask);
    (void)sigemptyset(&alarm.sa_mask);
    if (pipe2(signals, O_CLOEXEC | O_NONBLOCK) == 0 && sigaction(SIGTERM, &on, NULL) == 0 &&
        sigaction(SIGINT, &on, NULL) == 0 && sigaction(SIGPIPE, &off, NULL) == 0 &&
        sigaction(SIGALRM, &alarm, NULL) == 0)
        return NULL;
    (void)snprintf(why, size, "signals cannot be taken: %s", strerror(errno));
    return why;
}

/* A signal that arrives within these seconds; 0: none. */
static int next_signal(double within)
{
    struct pollfd in = { .fd = signals[0], .events = POLLIN };
    unsigned char byte = 0;
    return poll(&in, 1, (int)(1e3 * within)) > 0 && read(signals[0], &byte, 1) == 1 ? byte : 0;
}

/* Attends to the time limits until SIGTERM or SIGINT arrives; after the time `until` (0: none), or when no request is under way, it ends
 * by itself. */
static int attend(double until)
{
    double wait = 0.05;
    while (until == 0.0 || (serve_now() < until && serve_http_busy(serve_the.http) > 0)) {
        int sig = next_signal(wait);
        if (sig > 0)
            return sig;
        wait = look();
    }
    return 0;
}

/* Waits for the answers of current requests, but not for jobs. Returns the time at which the service must have ended. */
static double drain(int sig)
{
    char name[64];
    const double grace = 0.5; /* seconds for the end itself */
    double until = serve_now() + serve_the.o.drain;
    end_within(serve_the.o.drain + grace);
    atomic_store(&serve_the.ready, false);
    serve_log(SERVE_LOG_EVENT, "draining", "\"signal\": %s, \"requests\": %d",
              serve_quote(name, sizeof name, strsignal(sig)), serve_http_busy(serve_the.http));
    serve_http_quiesce(serve_the.http);
    serve_jobs_close(serve_the.jobs);
    if (attend(until) > 0) { /* a second signal ends the wait */
        until = serve_now();
        end_within(grace);
    }
    return until;
}

/* An evaluation cannot be cut in the middle. Its request has its answer by now; the process ends with it. */
static void end_at_once(void)
{
    double until = serve_now() + 0.2; /* seconds for the last answers to leave */
    while (serve_now() < until && serve_http_busy(serve_the.http) > 0)
        (void)poll(NULL, 0, 10);
    serve_log(SERVE_LOG_EVENT, "stopped", "\"uptime\": %.3f, \"why\": \"work was still running when --drain was over\"",
              serve_now() - serve_the.began);
    serve_log_close();
    _exit(0);
}

/* Answers the waiting requests, until the time `until` also the running ones. No connection is suspended afterwards, as libmicrohttpd
 * requires before its stop. */
static void stop(double until)
{
    serve_service *s = &serve_the;
    bool over = !s->queue || serve_queue_stop(s->queue, until);
    over = (!s->jobs || serve_jobs_stop(s->jobs, 0.0)) && over;
    if (!over)
        end_at_once();
    if (s->http) {
        (void)serve_http_resume(s->http, INFINITY);
        serve_http_stop(s->http);
    }
    serve_queue_free(s->queue);
    serve_jobs_free(s->jobs);
    serve_journal_close(s->journal);
    serve_store_free(s->store);
    serve_models_free(s->models);
    (void)orr_shutdown();
    serve_tokens_free(s->tokens);
}

int main(int argc, char **argv)
{
    char why[WHY];
    int rc = serve_options_read(&serve_the.o, argc, argv);
    if (rc >= 0)
        return fflush(stdout) == 0 ? rc : 1;
    const char *wrong = prepare(why, sizeof why);
    if (!wrong)
        wrong = take_signals(why, sizeof why);
    if (wrong)
        return fail(wrong);
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* bodies come and go: keep their pages, within limits */
    (void)mallopt(M_TRIM_THRESHOLD, 128 << 20);
    serve_the.began = serve_now();
    double until = 0.0;
    wrong = start(why);
    if (wrong) {
        rc = fail(wrong);
    } else {
        announce();
        until = drain(attend(0.0));
        rc = 0;
    }
    stop(until);
    if (rc == 0)
        serve_log(SERVE_LOG_EVENT, "stopped", "\"uptime\": %.3f", serve_now() - serve_the.began);
    serve_log_close();
    return rc;
}
