/* Engines run plans: on StarPU, or step by step on the calling thread.
 * Must not know: how a graph is recorded. (starpu.h is seen only inside this room.) */
#ifndef ORR_ENGINE_ENGINE_H
#define ORR_ENGINE_ENGINE_H

#include <orrery/device.h>
#include <orrery/eval.h>
#include "runtime/plan/plan.h"

/* Starts the engine that config and orr__env choose (auto: StarPU; if that cannot start, one log line and the serial engine). Sets
 * orr__machine_here, orr__buffer_engine. */
orr_status orr__engine_start(orr__site at, const orr_config *config);
/* True if the engine that would be started may use CUDA devices, should there be any. */
bool orr__engine_may_use_cuda(const orr_config *config);
void orr__engine_stop(void); /* waits for all work */
bool orr__engine_running(void);
/* Workers that find no task nap while a run is under way, instead of looking on. Set before the start. A chain of short tasks takes a tenth to a
 * half more time, so it is for processes that run side by side, as the suite's programs do. */
extern bool orr__engine_naps;
/* Between a begin and its end, workers sleep, and evaluations run on their callers; those that need workers wake them until they end.
 * begins: waits for the work under way. */
void orr__engine_pause(bool begins);
bool orr__engine_orphaned(void); /* this process was forked from one in which the engine ran */
/* Waits for the machine's profile; again: measures and stores it. */
orr_status orr__engine_measure(orr__site at, bool again);
size_t orr__engine_held(void); /* bytes of buffers kept with their handles for reuse */
size_t orr__engine_left(void); /* bytes that the memory limit leaves; SIZE_MAX: no limit */
/* True if the steps of the plan run one after another on the calling thread, where each value has memory only for its lifetime;
 * otherwise all values have memory before the first task. now: for a caller that would wait, in the current state of workers (asleep or
 * not) and of other callers; otherwise in any such state. The location of a run's leaves may change the answer. */
bool orr__engine_in_turn(const orr__plan *plan, bool now);
/* The ways to run a plan: the calling thread alone; all workers together on one step after another; tasks. */
typedef enum { ORR__ALONE, ORR__TOGETHER, ORR__TASKS, ORR__LANES } orr__lane;
/* The predicted µs of a run in a lane; infinite where it is not possible, for the reason `no`. */
typedef struct {
    double us;
    const char *no;
} orr__offer;
/* The offers for a caller that would wait now. false: there is one lane, the calling thread alone. */
bool orr__engine_offers(const orr__plan *plan, orr__offer offer[ORR__LANES]);
const char *orr__engine_name(void); /* "starpu 1.3.10, 2 CPU workers, lws", "serial" */

/* Runs `plan`. leaf[i] are referenced as long as needed; out[i] receives a new reference (to a leaf's own buffer if the output is a
 * leaf). *run is NULL if all is done on return, else a reference to wait on; with run NULL the call waits. On error nothing is under way
 * and no out is set. */
orr_status orr__engine_execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                               orr__buffer **out, orr__run **run);

/* The same, if the plan is one small step that the calling thread runs at once; false: nothing was done, or the step failed. */
bool orr__engine_briefly(orr__site at, const orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                         orr__buffer **out);

/* The same, but output k is written to into[k], the program's memory of the output's bytes, aligned as an element; NULL: memory of the
 * library. An output that is a leaf, or a value that is an output before, has its buffer all the same. */
orr_status orr__engine_execute_into(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                                    void *const *into, orr__buffer **out, orr__run **run);

/* True if no data can make the plan fail on these leaves. */
bool orr__engine_certain(const orr__plan *plan, orr__buffer *const *leaf);

orr__run *orr__run_ref(orr__run *r);
void orr__run_unref(orr__run *r);
orr_status orr__run_wait(orr__run *r); /* the status of the ended run; on error sets the last error. Any thread. */
/* The same for the run of another evaluation: ORR_ECANCELLED once this thread's own work must end (runtime/base/stop.h). */
orr_status orr__run_wait_within(orr__run *r);
/* Waits for its end, however it ends; leaves the last error alone. */
void orr__run_await(orr__run *r);
bool orr__run_done(orr__run *r);
/* Calls f with the status of the run at its end, before waiters wake, after the functions that were given before; at once if the run has
 * ended, or without memory for this after its end. Any thread. */
void orr__run_then(orr__run *r, void (*f)(void *argument, orr_status st), void *argument);

/* The memory of a device. handle: the cl_device_id of an OpenCL device. */
typedef struct {
    int id;
    orr_device_kind kind;
    int index;
    void *handle;
} orr__device_at;
/* Copies the finished buffer b into that memory: waits for the copy, or only starts it. */
orr_status orr__engine_move(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait);
orr_status orr__engine_evict(orr__site at, orr__buffer *b); /* afterwards b is at home only */
bool orr__engine_is_on(orr__buffer *b, const orr__device_at *where);
orr_status orr__engine_room(orr__site at, const orr__device_at *where, size_t *total, size_t *left);

/* The state of the i-th device that runs tasks; false: there is no i-th device. */
typedef struct {
    char name[64];
    bool rests;       /* it has failed: it gets no tasks, or only the next one as a trial */
    double rest;      /* seconds of its latest rest, 0: it has never rested          */
    double seconds;   /* until the trial, 0: none is needed                          */
    uint64_t retired; /* number of rests since the start                             */
    bool gone;        /* it rests until the process ends                             */
} orr__device_state;
bool orr__engine_device(int i, orr__device_state *s);

/* As orr_stats, orr_stats_reset and orr_metrics. */
int orr__engine_stats(orr_stat *out, int max);
void orr__engine_stats_reset(void);
int orr__engine_metrics(orr_metric *out, int max);

#endif
