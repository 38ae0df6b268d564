/* Threads that must not wait for the library's work: in a function of the program that this work calls, perhaps on a worker; and the
 * thread that exits, since workers have stopped.
 * Must not know: evaluations. */
#ifndef ORR_BASE_CALLBACK_H
#define ORR_BASE_CALLBACK_H

#include "runtime/base/status.h"

/* The program's function that the library is calling on this thread, for messages; NULL: none. */
extern _Thread_local const char *orr__callback __attribute__((tls_model("initial-exec")));

/* Returns the outer one, for orr__callback_ends. */
static inline const char *orr__callback_begins(const char *name)
{
    const char *outer = orr__callback;
    orr__callback = name;
    return outer;
}
static inline void orr__callback_ends(const char *outer)
{
    orr__callback = outer;
}

/* ORR_ESTATE if this thread must not wait. When another thread exits, it does not return. */
orr_status orr__may_wait(orr__site at);

#endif
