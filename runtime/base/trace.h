/* A record of events and their times, written as a trace for the viewers of Chrome and Perfetto.
 * Must not know: kernels, workers, graphs; it has names and times. */
#ifndef ORR_BASE_TRACE_H
#define ORR_BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

/* True while events are recorded: callers check it before they prepare an event. */
extern atomic_bool orr__trace_on;
static inline bool orr__tracing(void)
{
    return atomic_load_explicit(&orr__trace_on, memory_order_relaxed);
}

/* Opens the file; "%p" in its name becomes the process number. Does nothing for "" or while a trace runs. */
orr_status orr__trace_start(const char *path);
/* Writes the record and closes the file. Also called when the process exits. No thread may be recording. */
void orr__trace_stop(void);

/* An argument of a span: a word, or a number if the word is NULL. Both strings are literals. */
typedef struct orr__trace_arg {
    const char *name, *word;
    double value;
} orr__trace_arg;

/* A span of time on a track: kind is a literal, name is copied (63 bytes), file lives as long as the program or is NULL.
 * track: ORR__TRACE_SELF, the calling thread's own, else a number that orr__trace_track names. Times: orr__now().
 * arg: n of them, at most ORR__TRACE_ARGS, copied. */
enum { ORR__TRACE_SELF = -1, ORR__TRACE_ARGS = 6, ORR__TRACE_TRACKS = 1024 }; /* limit of memory */
typedef struct orr__trace_at {
    const char *file;
    int line, track;
    double t0, t1;
} orr__trace_at;
void orr__trace_span(const char *kind, const char *name, orr__trace_at at, const orr__trace_arg *arg, int n);
/* A number that changes with time; name is a literal. */
void orr__trace_count(const char *name, double t, double value);
void orr__trace_track(int track, const char *name);
/* A note on a source line, for orrery-explain: the seconds that a change would win, and its words. */
void orr__trace_note(const char *file, int line, double gain, const char *text);

#endif
