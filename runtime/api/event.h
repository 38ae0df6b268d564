/* Inside the API room: events of evaluations under way, and the time limits of calls.
 * Must not know: devices, StarPU. */
#ifndef ORR_API_EVENT_H
#define ORR_API_EVENT_H

#include <orrery/eval.h>
#include "runtime/base/stop.h"
#include "runtime/engine/engine.h"

/* Makes an event without a run, which counts as done, with a stop of that limit (HUGE_VAL: none). NULL on ENOMEM. Afterwards the event
 * either receives a reference to `run` (may be NULL), or is dropped. */
orr_event *orr__event_new(orr__site at, double seconds);
/* The evaluation of the event begins on this thread, which orr_cancel can stop; until orr__stop_ends, which gets the result. */
orr__stop *orr__event_enter(orr_event *event);
void orr__event_adopt(orr_event *event, orr__run *run);
/* Makes the event of an evaluation wait for another run, or for the run that writes b, too. Both may be NULL. */
orr_status orr__event_awaits_run(orr_event *event, orr__run *run);
orr_status orr__event_awaits(orr_event *event, const orr__buffer *b);
/* orr_wait will bring the content of b, a reference of which it takes, to `to`: n elements. Without a copy if b is over that memory. The
 * event has space for it (orr__event_reserve), so that nothing fails once the work is under way. */
void orr__event_lands(orr_event *event, orr__buffer *b, orr_dtype dtype, int64_t n, void *to);
bool orr__event_reserve(orr_event *event, int more);
/* The same at once, for a finished buffer, which stays the caller's. */
orr_status orr__land(orr__buffer *b, orr_dtype dtype, int64_t n, void *to);
void orr__event_drop(orr_event *event);
/* At the shutdown: a line of log for events that the program did not end. */
void orr__events_report(void);

/* A stop for a call with a time limit. ORR_EINVAL: the limit is negative or no number. */
orr_status orr__limit_new(orr__site at, double seconds, orr__stop **limit);

#endif
