/* Counters without locks, quantiles from histograms whose bins grow by 2^(1/16), 4.4 %.
 * Must not know: how requests are answered. */
#include "config.h"
#include "serve/metrics.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "serve/ledger.h"

enum { PER_OCTAVE = 16, OCTAVES = 28, BINS = PER_OCTAVE * OCTAVES }; /* from 1 µs to 268 s */
enum { STATUSES = 24 };

static const int statuses[STATUSES] = { 200, 201, 202, 400, 401, 403, 404, 405, 406, 409, 410,
                                        413, 415, 422, 429, 500, 501, 503, 504, 507 };

typedef struct route_counts {
    atomic_ullong status[STATUSES]; /* the last: others */
    atomic_ullong bytes_in, bytes_out, nanoseconds, count;
    atomic_uint bin[BINS];
} route_counts;

static route_counts routes[SERVE_ROUTES_MOST];
static atomic_ullong evaluations, batched, cut;

static int bin_of(double seconds)
{
    double at = PER_OCTAVE * log2(seconds / 1e-6);
    return !(at > 0.0) ? 0 : at >= BINS ? BINS - 1 : (int)at;
}

/* The upper edge of a bin. */
static double edge(int bin)
{
    return 1e-6 * exp2((bin + 1) / (double)PER_OCTAVE);
}

void serve_count(int route, int status, double seconds, uint64_t bytes_in, uint64_t bytes_out)
{
    int s = 0;
    while (s < STATUSES - 1 && statuses[s] != status)
        s++;
    route_counts *r = &routes[route];
    atomic_fetch_add(&r->status[s], 1);
    atomic_fetch_add(&r->bytes_in, bytes_in);
    atomic_fetch_add(&r->bytes_out, bytes_out);
    atomic_fetch_add(&r->nanoseconds, (unsigned long long)(1e9 * seconds));
    atomic_fetch_add(&r->count, 1);
    atomic_fetch_add(&r->bin[bin_of(seconds)], 1);
}

void serve_count_batch(int n)
{
    atomic_fetch_add(&evaluations, 1);
    atomic_fetch_add(&batched, (unsigned long long)n);
}

void serve_count_cut(void)
{
    atomic_fetch_add(&cut, 1);
}

/* The q-quantile of the times of the requests. */
static double quantile(const route_counts *r, double q)
{
    unsigned long long all = 0, seen = 0;
    for (int i = 0; i < BINS; i++)
        all += r->bin[i];
    for (int i = 0; i < BINS; i++)
        if (r->bin[i] && (double)(seen += r->bin[i]) >= q * (double)all)
            return edge(i);
    return 0.0;
}

static double seconds(const route_counts *r)
{
    return 1e-9 * (double)r->nanoseconds;
}

/* The library's counters, from its own JSON. */
static json_t *library(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    orr_status st = f ? orr_metrics_json(f) : ORR_ENOMEM;
    if (!f || fclose(f) != 0 || st != ORR_OK) {
        free(text);
        return json_null();
    }
    json_t *o = json_loads(text, 0, NULL);
    free(text);
    return o ? o : json_null();
}

/* The holdings of each client; without tokens there is one, without a name. */
static json_t *clients(const serve_tokens *t)
{
    json_t *list = json_array();
    for (int i = t ? 0 : -1; list && i < serve_tokens_count(t); i++)
        (void)json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I}", "client", serve_tokens_name(t, i),
                                                    "memory", (json_int_t)serve_ledger_held(i, SERVE_MEMORY), "work",
                                                    (json_int_t)serve_ledger_held(i, SERVE_WORKS), "jobs",
                                                    (json_int_t)serve_ledger_held(i, SERVE_JOBS), "refused",
                                                    (json_int_t)serve_ledger_refused(i)));
    return list ? list : json_null();
}

json_t *serve_metrics_json(const char *const *names, const serve_gauges *g, const serve_tokens *t)
{
    json_t *list = json_array();
    for (int i = 0; names[i]; i++) {
        const route_counts *r = &routes[i];
        json_t *by = json_object();
        for (int s = 0; s < STATUSES; s++) {
            char key[16];
            (void)snprintf(key, sizeof key, "%d", statuses[s]);
            if (r->status[s])
                (void)json_object_set_new(by, statuses[s] ? key : "other", json_integer((json_int_t)r->status[s]));
        }
        json_t *one = json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:o}", "route", names[i], "requests",
                                (json_int_t)r->count, "seconds", seconds(r), "p50", quantile(r, 0.50), "p95",
                                quantile(r, 0.95), "p99", quantile(r, 0.99), "bytes_in", (json_int_t)r->bytes_in,
                                "bytes_out", (json_int_t)r->bytes_out, "status", by);
        (void)json_array_append_new(list, one);
    }
    return json_pack("{s:f, s:i, s:I, s:{s:i, s:I}, s:{s:i, s:i}, s:{s:i, s:i, s:i}, s:{s:I, s:I}, s:I, s:o, s:o, s:o}",
                     "uptime", g->uptime, "connections", g->connections, "body_bytes", (json_int_t)g->body_bytes,
                     "arrays", "kept", g->arrays, "bytes", (json_int_t)g->array_bytes, "work", "waiting", g->waiting,
                     "running", g->running, "jobs", "waiting", g->jobs_waiting, "running", g->jobs_running, "kept",
                     g->jobs_kept, "batches", "evaluations", (json_int_t)evaluations, "works", (json_int_t)batched,
                     "cut", (json_int_t)cut, "clients", clients(t), "routes", list, "library", library());
}

/* -- Prometheus -------------------------------------------------------------------------------------------- */

static void head(FILE *f, const char *name, const char *type, const char *help)
{
    (void)fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(FILE *f, const char *name, const char *help, double value)
{
    head(f, name, "gauge", help);
    (void)fprintf(f, "%s %.15g\n", name, value);
}

static void counter(FILE *f, const char *name, const char *help, unsigned long long value)
{
    head(f, name, "counter", help);
    (void)fprintf(f, "%s %llu\n", name, value);
}

static void histograms(FILE *f, const char *const *names)
{
    head(f, "orrery_request_seconds", "histogram", "Time from a request's arrival to its answer.");
    for (int i = 0; names[i]; i++) {
        const route_counts *r = &routes[i];
        unsigned long long n = 0;
        if (!r->count)
            continue;
        for (int b = 0; b < BINS; b++) { /* one bucket per two octaves */
            n += r->bin[b];
            if (b % (2 * PER_OCTAVE) == 2 * PER_OCTAVE - 1)
                (void)fprintf(f, "orrery_request_seconds_bucket{route=\"%s\",le=\"%.9g\"} %llu\n", names[i], edge(b),
                              n);
        }
        (void)fprintf(
            f,
            "orrery_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %llu\n"
            "orrery_request_seconds_sum{route=\"%s\"} %.9g\norrery_request_seconds_count{route=\"%s\"} %llu\n",
            names[i], n, names[i], seconds(r), names[i], n);
    }
}

static void put_clients(FILE *f, const serve_tokens *t)
{
    static const struct {
        const char *name, *help;
    } held[SERVE_RESOURCES] = { { "orrery_client_memory_bytes", "Memory that a client holds." },
                                { "orrery_client_work", "Requests of a client that wait or are computed." },
                                { "orrery_client_jobs", "Jobs of a client." } };
    for (int r = 0; r < SERVE_RESOURCES; r++) {
        head(f, held[r].name, "gauge", held[r].help);
        for (int i = t ? 0 : -1; i < serve_tokens_count(t); i++)
            (void)fprintf(f, "%s{client=\"%s\"} %lld\n", held[r].name, serve_tokens_name(t, i),
                          (long long)serve_ledger_held(i, (serve_resource)r));
    }
    head(f, "orrery_client_refused_total", "counter",
         "Requests that were refused because a client or all held too much.");
    for (int i = t ? 0 : -1; i < serve_tokens_count(t); i++)
        (void)fprintf(f, "orrery_client_refused_total{client=\"%s\"} %llu\n", serve_tokens_name(t, i),
                      (unsigned long long)serve_ledger_refused(i));
}

static void put(FILE *f, const char *const *names, const serve_gauges *g, const serve_tokens *t)
{
    orr_memory m = orr_memory_stats();
    head(f, "orrery_requests_total", "counter", "Requests that were answered.");
    for (int i = 0; names[i]; i++)
        for (int s = 0; s < STATUSES; s++)
            if (routes[i].status[s])
                (void)fprintf(f, "orrery_requests_total{route=\"%s\",status=\"%d\"} %llu\n", names[i], statuses[s],
                              (unsigned long long)routes[i].status[s]);
    histograms(f, names);
    head(f, "orrery_received_bytes_total", "counter", "Bytes of bodies received.");
    for (int i = 0; names[i]; i++)
        (void)fprintf(f, "orrery_received_bytes_total{route=\"%s\"} %llu\n", names[i],
                      (unsigned long long)routes[i].bytes_in);
    head(f, "orrery_sent_bytes_total", "counter", "Bytes of bodies sent.");
    for (int i = 0; names[i]; i++)
        (void)fprintf(f, "orrery_sent_bytes_total{route=\"%s\"} %llu\n", names[i],
                      (unsigned long long)routes[i].bytes_out);
    counter(f, "orrery_evaluations_total", "Evaluations; of equal small requests there is one for several.",
            evaluations);
    counter(f, "orrery_batched_works_total", "Works that these evaluations computed.", batched);
    counter(f, "orrery_cut_requests_total", "Requests that ended without an answer.", cut);
    gauge(f, "orrery_uptime_seconds", "Since the start.", g->uptime);
    gauge(f, "orrery_connections", "Open connections.", g->connections);
    gauge(f, "orrery_work_waiting", "Requests that wait to be computed.", g->waiting);
    gauge(f, "orrery_work_running", "Requests that are being computed.", g->running);
    gauge(f, "orrery_jobs_waiting", "Jobs that wait.", g->jobs_waiting);
    gauge(f, "orrery_jobs_running", "Jobs that are being computed.", g->jobs_running);
    gauge(f, "orrery_jobs_kept", "Jobs in whatever state.", g->jobs_kept);
    gauge(f, "orrery_body_bytes", "Bodies held.", (double)g->body_bytes);
    gauge(f, "orrery_arrays", "Arrays kept by name.", g->arrays);
    gauge(f, "orrery_array_bytes", "Bytes of these arrays.", (double)g->array_bytes);
    gauge(f, "orrery_memory_live_bytes", "Host memory of tensors in use.", (double)m.live);
    gauge(f, "orrery_memory_pooled_bytes", "Host memory held for reuse.", (double)m.pooled);
    gauge(f, "orrery_memory_peak_bytes", "The most that was in use.", (double)m.peak);
    put_clients(f, t);
}

char *serve_metrics_text(const char *const *names, const serve_gauges *g, const serve_tokens *t, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (!f)
        return NULL;
    put(f, names, g, t);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
