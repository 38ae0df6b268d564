/* orrery-serve: starts the service, watches over its time limits, ends it in good order.
 * Must not know: what it computes. */
#include "config.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "serve/budget.h"
#include "serve/log.h"
#include "serve/service.h"

serve_service serve_the;

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

/* The checks before the start. NULL, or the reason of a refusal. */
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
        (void)snprintf(why, size, "--listen %s: on an address that others reach --tokens is needed", s->o.listen);
        return why;
    }
    s->most = (serve_array_limits){ (int)s->o.max_rank, s->o.max_result, s->o.max_json };
    serve_budget_limit(s->o.max_memory);
    return NULL;
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

static const char *start(char *why, size_t size)
{
    serve_service *s = &serve_the;
    int workers = s->o.workers ? (int)s->o.workers : cores();
    serve_batching batching = { (int)s->o.batch, 1e-6 * (double)s->o.batch_window };
    orr_device first;
    if (orr_init(NULL) != ORR_OK) {
        (void)snprintf(why, size, "%s", orr_error_message());
        return why;
    }
    (void)orr_devices(&first, 1); /* the first look takes longest */
    if (!(s->models = serve_models_load(s->o.models, why, size)))
        return why;
    s->queue = serve_queue_new(workers, (int)s->o.max_work, s->o.timeout, batching);
    s->jobs = serve_jobs_new((int)s->o.max_jobs, s->o.job_bytes, s->o.job_keep, s->o.job_timeout);
    if (!s->queue || !s->jobs) {
        (void)snprintf(why, size, "no thread can be started");
        return why;
    }
    atomic_store(&s->ready, true);
    s->http = serve_http_start(&s->o, s->tokens, serve_routes, why, size);
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

static void look(void)
{
    double now = serve_now();
    serve_http_expire(serve_the.http, now);
    serve_queue_expire(serve_the.queue, now);
    serve_jobs_expire(serve_the.jobs, now);
}

/* Until SIGTERM or SIGINT comes; `most` seconds, unless that is less than 0. */
static int attend(const sigset_t *set, double most)
{
    const struct timespec tick = { .tv_nsec = 50000000 };
    double until = serve_now() + most;
    while (most < 0.0 || (serve_now() < until && serve_http_busy(serve_the.http) > 0)) {
        int sig = sigtimedwait(set, NULL, &tick);
        if (sig > 0)
            return sig;
        look();
    }
    return 0;
}

/* Requests under way are answered; jobs are not waited for. */
static void drain(const sigset_t *set, int sig)
{
    char name[64];
    atomic_store(&serve_the.ready, false);
    serve_log(SERVE_LOG_EVENT, "draining", "\"signal\": %s, \"requests\": %d",
              serve_quote(name, sizeof name, strsignal(sig)), serve_http_busy(serve_the.http));
    serve_http_quiesce(serve_the.http);
    serve_jobs_close(serve_the.jobs);
    (void)attend(set, serve_the.o.drain); /* a second signal ends the wait */
}

/* Requests that still wait are answered; then no connection is suspended, as a stop of libmicrohttpd requires. */
static void stop(void)
{
    serve_service *s = &serve_the;
    if (s->queue)
        serve_queue_stop(s->queue);
    if (s->jobs)
        serve_jobs_stop(s->jobs);
    if (s->http)
        serve_http_stop(s->http);
    serve_queue_free(s->queue);
    serve_jobs_free(s->jobs);
    serve_models_free(s->models);
    (void)orr_shutdown();
    serve_tokens_free(s->tokens);
}

int main(int argc, char **argv)
{
    char why[1024];
    sigset_t set;
    int rc = serve_options_read(&serve_the.o, argc, argv);
    if (rc >= 0)
        return fflush(stdout) == 0 ? rc : 1;
    const char *wrong = prepare(why, sizeof why);
    if (wrong)
        return fail(wrong);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL); /* in all threads that are started from here on */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* bodies come and go: their pages stay, within limits */
    (void)mallopt(M_TRIM_THRESHOLD, 128 << 20);
    serve_the.began = serve_now();
    wrong = start(why, sizeof why);
    if (wrong) {
        rc = fail(wrong);
    } else {
        announce();
        drain(&set, attend(&set, -1.0));
        rc = 0;
    }
    stop();
    if (rc == 0)
        serve_log(SERVE_LOG_EVENT, "stopped", "\"uptime\": %.3f", serve_now() - serve_the.began);
    serve_log_close();
    return rc;
}
