/* A record of what happened when, written as a trace that Chrome's and Perfetto's viewers read.
 * Must not know: what a kernel, a worker or a graph is; it has names and times. */
#ifndef ORR_BASE_TRACE_H
#define ORR_BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

/* Whether anything is recorded: callers ask before they prepare an event. */
extern atomic_bool orr__trace_on;
static inline bool orr__tracing(void)
{
    return atomic_load_explicit(&orr__trace_on, memory_order_relaxed);
}

/* Opens the file; "%p" in its name becomes the process number. "" or a trace that runs already: nothing happens. */
orr_status orr__trace_start(const char *path);
/* Writes what was recorded and closes. Also called when the process exits. Nobody may be recording. */
void orr__trace_stop(void);

/* A span of time on a track: kind is a literal, name is copied (63 bytes), file lives as long as the program or is NULL.
 * track: ORR__TRACE_SELF, the calling thread's own, else a number that orr__trace_track names. Times: orr__now(). */
enum { ORR__TRACE_SELF = -1 };
void orr__trace_span(const char *kind, const char *name, const char *file, int line, int track, double t0, double t1);
/* A number that changes with time; name is a literal. */
void orr__trace_count(const char *name, double t, double value);
void orr__trace_track(int track, const char *name);

#endif
