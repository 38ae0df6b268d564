/* Error reporting of the rooms: one thread-local message, and a status that is returned upwards.
 * Must not know: tensors, graphs, devices. */
#ifndef ORR_BASE_STATUS_H
#define ORR_BASE_STATUS_H

#include <stdbool.h>
#include <orrery/status.h>

/* For a function that is called after errors only: compilers move the paths to its calls out of the hot code, which then takes fewer
 * lines of the instruction cache. */
#if defined(__GNUC__)
#define ORR__COLD __attribute__((cold))
#else
#define ORR__COLD
#endif

/* The user's call that is being served: file, line and the operation's public name. file may be NULL. */
typedef struct {
    const char *file;
    int line;
    const char *op;
} orr__site;

#define ORR__SITE(f, l, o) ((orr__site){ (f), (l), (o) })

/* Records "file:line: op: message" as this thread's last error and returns `st`. */
orr_status orr__fail(orr__site at, orr_status st, const char *fmt, ...) ORR__COLD ORR_PRINTF(3, 4);
/* Records an already formatted line (the message of a poison, an error passed on from a worker). */
orr_status orr__fail_text(orr_status st, const char *line) ORR__COLD;
/* A message of a call at `at` without its file and line; `line` itself if it does not begin with them. */
const char *orr__fail_words(orr__site at, const char *line) ORR__COLD;
/* For an error of a public operation that the call `at` is made of: the last error names the call in the place of that operation.
 * Returns st. */
orr_status orr__fail_as(orr__site at, orr_status st) ORR__COLD;
/* If memory or the environment was refused far below the call, adds the call site to the last error. Returns st. */
orr_status orr__fail_place(orr__site at, orr_status st);

#endif
