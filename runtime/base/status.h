/* How the rooms report an error: one thread-local message, a status that travels up.
 * Must not know: tensors, graphs, devices. */
#ifndef ORR_BASE_STATUS_H
#define ORR_BASE_STATUS_H

#include <stdbool.h>
#include <orrery/status.h>

/* Of a function that is called when something went wrong: compilers put the ways to its calls apart from the code that runs as a rule,
 * which then takes fewer lines of the cache of instructions. */
#if defined(__GNUC__)
#define ORR__COLD __attribute__((cold))
#else
#define ORR__COLD
#endif

/* The user's call that is being served: file, line and the op's public name. file may be NULL. */
typedef struct {
    const char *file;
    int line;
    const char *op;
} orr__site;

#define ORR__SITE(f, l, o) ((orr__site){ (f), (l), (o) })

/* Records "file:line: op: message" as this thread's last error and returns `st`. */
orr_status orr__fail(orr__site at, orr_status st, const char *fmt, ...) ORR__COLD ORR_PRINTF(3, 4);
/* Records an already formatted line (a poison's message, an error carried over from a worker). */
orr_status orr__fail_text(orr_status st, const char *line) ORR__COLD;
/* Where memory or the environment was refused far below the call, the last error gets the call's place. Returns st. */
orr_status orr__fail_place(orr__site at, orr_status st);

#endif
