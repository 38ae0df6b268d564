/* Functions of the program that hear of events: one for each kind, set at any time by any thread, called by one thread at a time.
 * Must not know: the events. */
#ifndef ORR_BASE_LISTENER_H
#define ORR_BASE_LISTENER_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum { ORR__HEARS_LOG, ORR__HEARS_PROGRESS, ORR__LISTENERS } orr__hears;

typedef void orr__heard(void); /* any function; each kind has its own type */

typedef struct {
    orr__heard *fn;
    void *user;
    const char *outer; /* the function of the program that this call interrupts */
} orr__listener;

extern atomic_bool orr__listens[ORR__LISTENERS];

static inline bool orr__someone_hears(orr__hears what)
{
    return atomic_load_explicit(&orr__listens[what], memory_order_relaxed);
}

/* From now on fn hears of it; NULL: nobody does. Waits for a call in progress, except inside that call. */
void orr__listener_set(orr__hears what, orr__heard *fn, void *user);
/* True: l->fn is to be called, until orr__listener_end. False: there is none, or it is running on this thread. */
bool orr__listener_begin(orr__hears what, orr__listener *l);
void orr__listener_end(orr__hears what, const orr__listener *l);

#endif
