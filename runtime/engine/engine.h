/* Engines run plans: on StarPU, or one step after the other on the calling thread.
 * Must not know: how a graph is recorded. (starpu.h is seen only inside this room.) */
#ifndef ORR_ENGINE_ENGINE_H
#define ORR_ENGINE_ENGINE_H

#include <orrery/device.h>
#include <orrery/eval.h>
#include "runtime/plan/plan.h"

/* Starts the engine that config and orr__env choose (auto: StarPU, and when it cannot start: one log line, serial).
 * Sets orr__machine_here, orr__buffer_engine. */
orr_status orr__engine_start(orr__site at, const orr_config *config);
/* Whether the engine that it would start may take CUDA devices, if there are any. */
bool orr__engine_may_use_cuda(const orr_config *config);
void orr__engine_stop(void); /* waits for everything */
bool orr__engine_running(void);
bool orr__engine_orphaned(void); /* this process was forked from one in which it ran */
/* Waits for the machine's numbers; again: measures and keeps them. */
orr_status orr__engine_measure(orr__site at, bool again);
size_t orr__engine_held(void);      /* bytes of buffers kept with their handles for reuse */
size_t orr__engine_left(void);      /* bytes that the memory limit leaves, SIZE_MAX: there is none */
/* Whether steps of the plan run one after the other on the calling thread, each value with memory of its own time; else all values
 * have memory before the first task. now: for a caller that would wait, with workers that sleep or not, and other callers, as they are;
 * else in any such state. Where a run's leaves lie may change it too. */
bool orr__engine_in_turn(const orr__plan *plan, bool now);
const char *orr__engine_name(void); /* "starpu 1.3.10, 2 CPU workers, lws", "serial" */

/* Runs `plan`: leaf[i] are counted up as long as needed; out[i] gets a new reference (a leaf's own buffer when the
 * output is a leaf). *run is NULL when all is done on return, else a reference to wait on; run NULL: waits. On error nothing
 * is under way and no out is set. */
orr_status orr__engine_execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                               orr__buffer **out, orr__run **run);

orr__run *orr__run_ref(orr__run *r);
void orr__run_unref(orr__run *r);
orr_status orr__run_wait(orr__run *r); /* how it ended; on error sets the last error. Any thread. */
bool orr__run_done(orr__run *r);

/* A device's memory. handle: the cl_device_id of an OpenCL device. */
typedef struct {
    int id;
    orr_device_kind kind;
    int index;
    void *handle;
} orr__device_at;
/* A copy of finished b into that memory: waits for it, or only starts it. */
orr_status orr__engine_move(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait);
orr_status orr__engine_evict(orr__site at, orr__buffer *b); /* b is at home alone afterwards */
bool orr__engine_is_on(orr__buffer *b, const orr__device_at *where);
orr_status orr__engine_room(orr__site at, const orr__device_at *where, size_t *total, size_t *left);

/* The state of the i-th device that takes tasks; false: there are not so many. */
typedef struct {
    char name[64];
    bool rests;       /* it has failed: it gets no tasks, or the next one as a trial */
    double rest;      /* seconds of its latest rest, 0: it never had one             */
    double seconds;   /* until the trial, 0: none is needed                          */
    uint64_t retired; /* times since the start                                       */
    bool gone;        /* it rests as long as the process lives                       */
} orr__device_state;
bool orr__engine_device(int i, orr__device_state *s);

/* As orr_stats, orr_stats_reset and orr_metrics. */
int orr__engine_stats(orr_stat *out, int max);
void orr__engine_stats_reset(void);
int orr__engine_metrics(orr_metric *out, int max);

#endif
