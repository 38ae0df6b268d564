/* Keeps events in chunks of memory, one chunk per thread at a time, and writes them as JSON at the end.
 * Must not know: the meaning of the names. */
#include "config.h"
#include "runtime/base/trace.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/decimal.h"
#include "runtime/base/signals.h"
#include "runtime/base/text.h"

/* The format: "Trace Event Format", Google, 2016: X spans, C counters, M names of tracks, i notes; times in µs. */

typedef struct {
    double t0, t1; /* t1 < t0: a counter, whose number is `value` */
    double value;
    const char *kind, *file;
    int line, track, nargs;
    char name[64];
    orr__trace_arg arg[ORR__TRACE_ARGS];
} event;

enum { CHUNK = 512, TRACKS = ORR__TRACE_TRACKS, SELF0 = 10000 }; /* limit of memory */
/* Chunks in memory before full ones are written early: 64 MiB. */
enum { MOST_CHUNKS = 480 }; /* limit of memory */

typedef struct chunk {
    struct chunk *next;
    atomic_int n;
    event e[CHUNK];
} chunk;

atomic_bool orr__trace_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static pid_t owner;
static char path_now[1100];
static chunk *chunks;
static int nchunks;
static atomic_int nthreads; /* threads with a track of their own */
static unsigned long lost;
static double start_time;
static bool first;
static char *track_name[TRACKS];
static atomic_uint generation; /* of the trace; a thread's chunk of another generation is gone */

static _Thread_local struct {
    chunk *c;
    unsigned generation;
    int track;
} mine;

static void put_word(const char *s)
{
    (void)putc('"', out);
    orr__text_json(out, s);
    (void)putc('"', out);
}

/* Writes a literal, then a number to thousandths. By hand, since printf takes a microsecond for each. */
static void put_number(const char *before, double v)
{
    char text[32], *p = text + sizeof text;
    unsigned long long n = fabs(v) < 1e15 ? (unsigned long long)(fabs(v) * 1000 + 0.5) : 0; /* limit of arithmetic */
    (void)fputs(before, out);
    if (!(fabs(v) < 1e15)) { /* limit of arithmetic */
        if (isfinite(v))
            (void)fprintf(out, "%.17g", v);
        else
            (void)fputs("null", out);
        return;
    }
    bool whole = n % 1000 == 0;
    n = whole ? n / 1000 : n;
    for (int i = 0; n > 0 || i == 0 || (!whole && i < 4); i++, n /= 10) {
        *--p = (char)('0' + n % 10);
        if (!whole && i == 2)
            *--p = '.';
    }
    if (v < 0)
        *--p = '-';
    (void)fwrite(p, 1, (size_t)(text + sizeof text - p), out);
}

static void begin(char kind, int track)
{
    (void)fputs(first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"", out);
    (void)putc(kind, out);
    put_number("\",\"pid\":", owner);
    put_number(",\"tid\":", track);
    first = false;
}

static void put_args(const event *e)
{
    const char *before = ",\"args\":{";
    if (e->file) {
        (void)fputs(before, out);
        (void)fputs("\"at\":\"", out);
        orr__text_json(out, e->file);
        put_number(":", e->line);
        (void)putc('"', out);
        before = ",";
    }
    for (int i = 0; i < e->nargs; i++, before = ",") {
        const orr__trace_arg *a = &e->arg[i];
        (void)fputs(before, out);
        put_word(a->name);
        (void)putc(':', out);
        if (a->word)
            put_word(a->word);
        else
            put_number("", a->value);
    }
    if (e->file || e->nargs)
        (void)putc('}', out);
}

static void write_event(const event *e)
{
    if (e->t1 < e->t0) {
        begin('C', 0);
        (void)fputs(",\"name\":", out);
        put_word(e->kind);
        put_number(",\"ts\":", 1e6 * (e->t0 - start_time));
        put_number(",\"args\":{\"value\":", e->value);
        (void)fputs("}}", out);
        return;
    }
    begin('X', e->track);
    (void)fputs(",\"cat\":", out);
    put_word(e->kind);
    put_number(",\"ts\":", 1e6 * (e->t0 - start_time));
    put_number(",\"dur\":", 1e6 * (e->t1 - e->t0));
    (void)fputs(",\"name\":", out);
    put_word(e->name);
    put_args(e);
    (void)putc('}', out);
}

/* Under the lock. Writes full chunks only, or all. keep: a thread may still be recording into one. */
static void flush(bool all, bool keep)
{
    ORR__GUARD_WRITES;
    locale_t before = orr__point_begin();
    for (chunk **p = &chunks; *p;) {
        chunk *c = *p;
        int n = atomic_load_explicit(&c->n, memory_order_acquire);
        if (!all && n < CHUNK) {
            p = &c->next;
            continue;
        }
        for (int i = 0; i < n; i++)
            write_event(&c->e[i]);
        *p = c->next;
        nchunks--;
        if (!keep)
            free(c);
    }
    (void)fflush(out); /* a forked child must not inherit a half-filled output buffer */
    orr__point_end(before);
}

/* The calling thread's chunk with space in it; NULL: no memory. */
static chunk *chunk_with_space(void)
{
    unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
    if (mine.c && mine.generation == now)
        return mine.c;
    if (getpid() != owner) { /* a forked child records nothing: the file belongs to its parent */
        atomic_store(&orr__trace_on, false);
        return NULL;
    }
    chunk *c = malloc(sizeof *c);
    (void)pthread_mutex_lock(&lock);
    if (mine.generation != now)
        mine.track = -1;
    mine.generation = now;
    mine.c = NULL;
    if (c) {
        atomic_init(&c->n, 0);
        if (nchunks >= MOST_CHUNKS)
            flush(false, false);
        c->next = chunks;
        chunks = c;
        nchunks++;
        mine.c = c;
    } else {
        lost++;
    }
    (void)pthread_mutex_unlock(&lock);
    return c;
}

/* Event n of c is complete. From here on another thread may write and free a full chunk, so its own thread forgets it. */
static void done(chunk *c, int n)
{
    if (n + 1 == CHUNK)
        mine.c = NULL;
    atomic_store_explicit(&c->n, n + 1, memory_order_release);
}

void orr__trace_span(const char *kind, const char *name, orr__trace_at at, const orr__trace_arg *arg, int nargs)
{
    chunk *c = orr__tracing() ? chunk_with_space() : NULL;
    if (!c)
        return;
    int n = atomic_load_explicit(&c->n, memory_order_relaxed);
    event *e = &c->e[n];
    e->t0 = at.t0;
    e->t1 = at.t1 < at.t0 ? at.t0 : at.t1;
    e->kind = kind;
    e->file = at.file;
    e->line = at.line;
    if (at.track == ORR__TRACE_SELF && mine.track < 0)
        mine.track = SELF0 + atomic_fetch_add(&nthreads, 1);
    e->track = at.track == ORR__TRACE_SELF ? mine.track : at.track;
    e->nargs = nargs < ORR__TRACE_ARGS ? nargs : ORR__TRACE_ARGS;
    for (int i = 0; i < e->nargs; i++)
        e->arg[i] = arg[i];
    size_t size = strnlen(name, sizeof e->name - 1);
    memcpy(e->name, name, size);
    e->name[size] = '\0';
    done(c, n);
}

void orr__trace_count(const char *name, double t, double value)
{
    chunk *c = orr__tracing() ? chunk_with_space() : NULL;
    if (!c)
        return;
    int n = atomic_load_explicit(&c->n, memory_order_relaxed);
    c->e[n] = (event){ .t0 = t, .t1 = t - 1, .value = value, .kind = name };
    done(c, n);
}

void orr__trace_track(int track, const char *name)
{
    if (!orr__tracing() || track < 0 || track >= TRACKS)
        return;
    (void)pthread_mutex_lock(&lock);
    free(track_name[track]);
    track_name[track] = strdup(name); /* only for people: a missing name is not an error */
    (void)pthread_mutex_unlock(&lock);
}

void orr__trace_note(const char *file, int line, double gain, const char *text)
{
    if (!orr__tracing() || getpid() != owner)
        return;
    ORR__GUARD_WRITES;
    (void)pthread_mutex_lock(&lock);
    begin('i', 0);
    (void)fputs(",\"s\":\"g\",\"name\":\"note\",\"ts\":0,\"args\":{\"at\":\"", out);
    orr__text_json(out, file);
    put_number(":", line);
    put_number("\",\"won_us\":", 1e6 * gain);
    (void)fputs(",\"text\":", out);
    put_word(text);
    (void)fputs("}}", out);
    (void)pthread_mutex_unlock(&lock);
}

static void name_tracks(void)
{
    for (int t = 0; t < TRACKS; t++) {
        if (!track_name[t])
            continue;
        begin('M', t);
        (void)fputs(",\"name\":\"thread_name\",\"args\":{\"name\":\"", out);
        orr__text_json(out, track_name[t]);
        (void)fputs("\"}}", out);
        free(track_name[t]);
        track_name[t] = NULL;
    }
    for (int t = 0; t < atomic_load(&nthreads); t++) {
        begin('M', SELF0 + t);
        (void)fprintf(out, ",\"name\":\"thread_name\",\"args\":{\"name\":\"thread %d\"}}", t);
    }
}

static void finish(bool keep)
{
    if (!out)
        return;
    atomic_store(&orr__trace_on, false);
    if (getpid() != owner) { /* a forked child: the file belongs to its parent */
        out = NULL;
        return;
    }
    ORR__GUARD_WRITES;
    (void)pthread_mutex_lock(&lock);
    flush(true, keep);
    name_tracks();
    (void)fputs("\n]}\n", out);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    out = NULL;
    (void)pthread_mutex_unlock(&lock);
    if (bad)
        orr__log(1, "trace: %s could not be written whole: is the disk full?", path_now);
    if (lost)
        orr__log(1, "trace: %lu events are missing for want of memory", lost);
}

void orr__trace_stop(void)
{
    finish(false);
}

/* A program that ends without orr_shutdown still has running workers. */
static void at_end(void)
{
    finish(true);
}

orr_status orr__trace_start(const char *path)
{
    static bool at_exit;
    orr__site at = { NULL, 0, "environment" };
    if (!*path || out)
        return ORR_OK;
    if (!orr__text_path(path_now, sizeof path_now, path))
        return orr__fail(at, ORR_EENV, "the name of the trace is too long");
    if (!(out = fopen(path_now, "we")))
        return orr__fail(at, ORR_EIO, "ORRERY_TRACE=%s: %s; it names the file to write", path_now, strerror(errno));
    ORR__GUARD_WRITES;
    (void)fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
    (void)fflush(out);
    owner = getpid();
    first = true;
    lost = 0;
    atomic_store(&nthreads, 0);
    start_time = orr__now();
    if (!at_exit) {
        at_exit = atexit(at_end) == 0;
        orr__fork_guard(&lock);
    }
    atomic_fetch_add(&generation, 1);
    atomic_store(&orr__trace_on, true);
    return ORR_OK;
}
