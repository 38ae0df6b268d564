/* Inside the StarPU engine: handles of buffers, tasks, codelets, the workers' sleep.
 * Must not know: how a graph is recorded, how a kernel computes. */
#ifndef ORR_ENGINE_STARPU_H
#define ORR_ENGINE_STARPU_H

#include <starpu.h>
#include "runtime/engine/execution.h"

#if defined(STARPU_USE_OPENCL) && defined(HAVE_OPENCL)
#define ORR__STAR_OPENCL 1
#endif
#ifdef STARPU_USE_CUDA
#define ORR__STAR_CUDA 1
#endif

/* The facts of this start of StarPU. Written only by start and stop. */
typedef struct {
    int cpus, opencls, cudas; /* workers; of devices 0 if the backend choice excludes them */
    int wanted;               /* CPU workers that the user asks for                              */
    bool hybrid;              /* processors and devices, none of them requested by name       */
    int urgencies;            /* priorities that the policy distinguishes, less one             */
    bool guards_cuda;         /* a lost CUDA context ends no process: tasks and copies end before StarPU checks       */
    bool thieves;             /* the policy's workers steal each other's tasks                  */
    bool opencl_on_cpus;      /* OpenCL's devices may be processors                             */
    const char *shy;          /* the policy, if it gives devices none of our tasks, else NULL */
    bool one_memory;          /* all workers see host memory                                */
    size_t device_bytes;      /* memory of the smallest device, 0: unknown                  */
    int blas_threads;         /* as found, for stop                                         */
    int lends;                /* threads that BLAS may use in a step that borrows            */
} orr__star_state;
extern orr__star_state orr__star;

/* -- handles (tile_handles.c, handle_pool.c) ------------------------------------------------------------------ */

typedef struct orr__recipe orr__recipe;
/* A buffer's handles, one per tile of `bytes` bytes of its contiguous host memory, home node 0. A tile is written as a whole, by one
 * task, or not at all. */
typedef struct orr__tiles {
    orr__buffer *buf;
    size_t bytes;
    int n;
    bool pinned;              /* CUDA copies from and to its memory directly       */
    atomic_bool away;         /* a device wrote it: host memory may be stale       */
    const char *maker, *file; /* the step that wrote it on a device, and its call's file */
    int line;
    int output;                               /* of the recipe's plan                                 */
    _Atomic(orr__recipe *) recipe;            /* NULL: the value cannot be recomputed, or need not be */
    atomic_bool leaving;                      /* copies to the host may be under way, without a waiter */
    struct orr__tiles *prev, *next;           /* all registered ones                               */
    struct orr__tiles *older, *newer;         /* the pool by age                                   */
    struct orr__tiles *same_prev, *same_next; /* the pool, one bucket of sizes                     */
    starpu_data_handle_t handle[];
} orr__tiles;

static inline orr__tiles *orr__buffer_tiles(orr__buffer *b)
{
    return __atomic_load_n((orr__tiles **)&b->tiles, __ATOMIC_ACQUIRE);
}
/* Registers handles for b, in tiles of tile_bytes, unless it has handles already. false: last error set. Not in tasks. */
bool orr__tiles_register(orr__buffer *b, size_t tile_bytes);
/* A buffer of that size with such tiles, recycled or new, one reference. NULL: last error set. Not in tasks. */
orr__buffer *orr__tiles_new(size_t bytes, size_t tile_bytes);
/* Releases the handles; fetch: the content is needed in host memory. Not in tasks. */
void orr__tiles_unregister(orr__tiles *t, bool fetch);
void orr__tiles_unregister_all(void);
void orr__tiles_drop_recipes(void);

orr__buffer *orr__tilepool_take(size_t bytes, size_t tile_bytes); /* NULL: none */
/* Before a buffer of `bytes` is made from fresh memory: a pooled one that is large enough goes back to host memory, and those beyond the
 * bound of all memory do. Does nothing in tasks. */
void orr__tilepool_release(size_t bytes);
void orr__tilepool_tick(bool idle); /* as the hook of buffers: releases what is beyond the bound; idle: everything */
bool orr__tilepool_drop(orr__buffer *b); /* the drop hook, any thread */
void orr__tilepool_settle(void);         /* does postponed releases, keeps the pool's bounds. Not in tasks */
bool orr__tilepool_trim(void);           /* releases all of the pool's memory; false: it was empty */
size_t orr__tilepool_held(void);
void orr__tilepool_stop(void);
orr_status orr__tiles_host_read(orr__buffer *b);

/* -- devices that fail (tile_data.c, retired.c) ------------------------------------------------------------------------ */

/* A tile in one memory node. The first field is accessed by macros of StarPU. */
typedef struct {
    struct starpu_variable_interface at;
    void *host; /* stands in for a device's memory; NULL: nothing does */
    bool lost;  /* the content was in a device's memory only, and cannot be read */
} orr__tile_data;

void orr__tile_data_start(void); /* StarPU runs */
void orr__tile_data_register(starpu_data_handle_t *handle, void *host, size_t bytes);
size_t orr__tile_data_size(void); /* bytes of a handle */
/* Makes `host` the content from now on; it is malloc'ed and becomes d's. NULL: the content is in the device's memory. */
void orr__tile_stand_in(orr__tile_data *d, void *host);
/* Allocates memory on the worker's device for a tile that got none at its allocation. On that worker, in a task with the tile. false: no
 * memory. */
bool orr__tile_get_memory(orr__tile_data *d, int worker);
bool orr__tile_is_lost(starpu_data_handle_t handle); /* in host memory, after a copy to it */
const void *orr__tile_at_home(starpu_data_handle_t handle);
/* To be called before a task's work: true if all operands exist. Tiles that the task overwrites are no longer lost. */
bool orr__tile_operands(void *buffers[]);
/* recipe.c: keeps the leaves of a submitted run, so that its outputs can be recomputed, until the outputs are known to be in host
 * memory. */
void orr__recipe_keep(orr__plan *p, orr__buffer *const *leaf, const orr__scalar *scalar, orr__buffer *const *out);
void orr__recipe_drop(orr__tiles *t);
/* The value of t was lost: recomputes it, into host memory. false: impossible; the last error may be set. Not in tasks. */
bool orr__recipe_follow(orr__tiles *t);
/* Marks a tile that has just been written in host memory as not lost. */
void orr__tile_is_found(starpu_data_handle_t handle);
/* The error of a value that was lost. */
orr_status orr__tiles_fail_lost(orr__site at, const orr__tiles *t);

void orr__retired_start(void);
bool orr__devices_lost(void); /* true if any has ever failed */
/* True if the device gets no work now. A device whose rest is over is on trial with the next task. */
bool orr__device_rests(int worker);
/* A kernel has failed, and others may work; memory cannot be read or written; nothing will work in this process any more. */
typedef enum { ORR__KERNEL_FAILED, ORR__MEMORY_FAILED, ORR__DEVICE_GONE } orr__loss;
void orr__device_failed(int worker, orr__loss loss, const char *why);
bool orr__device_is_gone(int worker);
bool orr__devices_gone(void); /* true if any is gone */
void orr__device_worked(int worker);
void orr__star_device_state(int worker, orr__device_state *s);
extern double orr__device_first_rest, orr__device_longest_rest; /* seconds; for tests */

/* transfers.c: as orr__engine_move and the functions after it. */
orr_status orr__star_move(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait);
orr_status orr__star_evict(orr__site at, orr__buffer *b);
bool orr__star_is_on(orr__buffer *b, const orr__device_at *where);
orr_status orr__star_room(orr__site at, const orr__device_at *where, size_t *total, size_t *left);

/* environment.c: ORR_EENV if a variable of StarPU has a value that StarPU would end the process for; sets Orrery's defaults. */
orr_status orr__star_environment(orr__site at);
/* Logs wishes for more workers than StarPU has started. `workers`: of orr_config, 0: no wish; `devices`: they
 * are not excluded by a backend. */
void orr__star_environment_met(int workers, bool devices);
/* "; set are …", with the variables that may leave no worker. */
const char *orr__star_environment_none(char *text, size_t size);
/* homes.c: binds workers to cores of all memory nodes; looks where they are; restricts the task of one of equal parts to the workers
 * beside its home. */
void orr__star_homes_configure(struct starpu_conf *conf);
void orr__star_homes_start(void);
void orr__star_go_home(struct starpu_task *task, int part, int parts);
/* limits.c: ORR_EDEVICE if this process cannot get the resources that StarPU needs. */
orr_status orr__star_limits(orr__site at);
/* directory.c: sets STARPU_PERF_MODEL_DIR if StarPU cannot write to its own directory. */
orr_status orr__star_home(orr__site at);
void orr__star_home_look(void);
/* To be called around StarPU's start: among the processes of a host that share a home, one starts at a time. Otherwise StarPU may read
 * files that another process is still writing, and end the process. -1: no lock. The lock ends with the process in any case. */
int orr__star_home_lock(void);
void orr__star_home_unlock(int lock);

/* cuda_guard.c: sets orr__star.guards_cuda. */
void orr__star_guard_cuda(struct starpu_conf *conf);

/* -- policies (policy.c) ------------------------------------------------------------------------------ */

orr_status orr__star_policy_check(orr__site at); /* STARPU_SCHED names an existing policy */
void orr__star_policy_configure(struct starpu_conf *conf);
/* To be called after the workers are counted. True if plans may be kept from processors or from devices, to see which are faster. The
 * name must stay valid. */
bool orr__star_policy_begin(const char *policy);
/* The priority of a task for the workers `where`; most policies use `otherwise`. */
int orr__star_policy_priority(int32_t where, int otherwise);
/* The priority of a task of this plan. way_us: the least time from its beginning to the plan's end. */
int orr__star_urgency(const orr__plan *p, double way_us);

/* -- sleep (worker_sleep.c) --------------------------------------------------------------------------------- */

orr_status orr__star_idle_start(orr__site at);
void orr__star_idle_stop(void); /* workers are awake afterwards */
/* Between these calls workers must not sleep. A run waits while too many are under way. */
bool orr__star_paused(void);
void orr__star_pause(bool begins); /* as orr__engine_pause */
bool orr__star_rested(void); /* workers sleep, or calls do not follow each other closely enough for them to spin */
bool orr__star_sleeps(void);
bool orr__star_wake(bool is_run); /* true if no other run is under way */
void orr__star_rest(bool is_run); /* any thread, tasks too */
/* To be called around the submission of a run's tasks. The second function: around posted work. */
void orr__star_submits(bool begins);
void orr__star_posting(bool begins);
/* In a task's callback: if only posted work is left, workers sleep until there is more. Spinning workers would keep the thread of posted
 * work from its core. */
void orr__star_doze(bool was_posted);
/* worker_nap.c: workers that find no task nap. The call comes after tasks have become ready, and wakes workers if there are more tasks than
 * workers awake. own: tasks that end in the call and still count as ready; named: a task is for one worker only. */
void orr__star_nap_start(void);
void orr__star_nap_stop(void);
void orr__star_nap_begin(bool naps); /* of a run that follows a rest, or is beside a compiler: workers nap */
void orr__star_call(int own, bool named);
/* As the callback of orr__engine_impl. */
void orr__star_borrow(int more);
/* True if `us` µs of work should become tasks for a waiting caller: such callers must follow each other closely. */
bool orr__star_share(double us, bool naps);
bool orr__star_would_share(double us, bool naps); /* the same, without counting the request */
/* True if workers sleep, and work of `us` µs would end before they could help: it runs on the caller's thread, unless orr__star_share. */
bool orr__star_sleeps_through(double us);
void orr__star_wait_runs(int but); /* waits until at most `but` runs are under way */

/* trace.c: transfers in the trace, if one is recorded. StarPU must be running. */
void orr__star_trace_start(void);
void orr__star_trace_copy(unsigned from, unsigned to, size_t bytes, double t0, int answer);

/* measure_task.c: costs of tasks. */
void orr__star_measure(orr__profile *p, const atomic_bool *stop);

/* -- tasks (bind.c, submit.c, codelet.c, cpu_task.c, bundle.c, device_task.c) ------------ */

typedef struct orr__task {
    orr__run *run;
    const orr__step *step; /* the first of a bundle */
    orr__work *work;       /* NULL: a bundle          */
    int tile;
    atomic_int state; /* ORR__TASK_WAITS, _DONE, _RUNS + worker + 1; 0: not submitted yet */
    bool sent;        /* StarPU has accepted it */
    int worker;       /* of a device's task that has begun, else -1 */
    double began;
    orr__after after;         /* facts known after the device's launch has ended */
    struct starpu_task *task; /* of a task on no worker                     */
    int turn;                 /* … its number among those of the run        */
    struct orr__task *parked; /* … the next one that waits for its turn     */
} orr__task;

enum { ORR__TASK_WAITS = 1, ORR__TASK_DONE, ORR__TASK_RUNS };
static inline void orr__task_state(orr__task *a, int state)
{
    atomic_store_explicit(&a->state, state, memory_order_release);
}
static inline void orr__task_runs(orr__task *a) /* on the thread that runs it */
{
    orr__task_state(a, ORR__TASK_RUNS + starpu_worker_get_id() + 1);
}

/* stall.c: logs the outstanding tasks when no task of the watched runs ends for long. */
void orr__stall_watch(orr__run *r);   /* after its tasks are made */
void orr__stall_unwatch(orr__run *r); /* before they are freed; r may be unwatched */
void orr__stall_look(void);           /* to be called now and then */

/* The tiles of one operand. Operand j of tile t of a step: outputs first, then inputs. n = 0: no bytes, no handle. */
typedef struct {
    orr__tiles *tiles;
    int first, n;
    size_t elem;
} orr__span;
orr__span orr__star_span(const orr__run *r, const orr__step *s, int t, int j);
/* True if output k of tile t consists of whole tiles (p: its span). A task overwrites its tiles, so StarPU would lose the rest. */
bool orr__star_fits(const orr__run *r, const orr__step *s, int t, int k, const orr__span *p);
/* Binds the buffers of the leaves and, unless the run is metered, of all other values. */
orr_status orr__star_bind(orr__run *r, orr__buffer *const *leaf);
orr__buffer *orr__star_buffer(const orr__run *r, int v); /* a new one for value v; NULL: last error set */

/* Elements [first, end) of value v as tiles of its buffer; n = 0 also if no task has to be waited for. */
orr__span orr__star_range(const orr__run *r, int v, int64_t first, int64_t end);
bool orr__star_scratch(orr__run *r); /* memory of bundles' local values; false: last error set */

/* throttle.c: for runs that are limited to `budget` bytes, at least the plan's peak; for other runs these do nothing. One such run
 * submits at a time. */
bool orr__meter_begin(orr__run *r, size_t budget);           /* false: last error set                           */
orr_status orr__meter_bind(orr__run *r, const orr__step *s); /* buffers for the outputs of s, once there is memory */
void orr__meter_started(orr__run *r);                        /* around each task                                */
void orr__meter_done(orr__run *r, const orr__step *s, bool ran);
void orr__meter_end(orr__run *r);

/* Part of the names of models that StarPU keeps: must be raised when the components of their footprints change. */
#define ORR__STAR_MODEL(kind) "orr2_" kind
/* While StarPU records its own trace (STARPU_FXT_TRACE): the kernel and its source line. NULL: the codelet's name will do. */
const char *orr__star_task_name(const orr__region *r);
struct starpu_codelet *orr__star_codelet(orr__work *w, const orr__step *s); /* NULL: no memory */
/* Selects whether tasks are measured for their performance models, which is superfluous for a policy that uses none. No task may be
 * under way. */
void orr__star_models(bool use);
/* cholesky.c: submits all tasks of a step that is a graph by itself; models as above. */
orr_status orr__star_cholesky(orr__site at, orr__run *r, const orr__step *s);
void orr__star_cholesky_models(bool use);
#ifdef HAVE_STARPUMPI
/* block_cyclic.c: operations over ranks; models as above. mpi.c: ends StarPU-MPI if it ran; then collective. */
extern const struct orr__block_cyclic_impl orr__star_block_cyclic;
void orr__star_block_cyclic_models(bool use);
void orr__star_mpi_stop(void);
#endif
orr_status orr__star_submit(orr__site at, orr__run *r); /* submit.c: all tasks of a run that is bound */
/* eviction.c: true if a device's memory is too small for the run. Then the second function, called after the submission of a step's
 * tasks, tells StarPU which values no later task reads. */
bool orr__star_is_full(const orr__run *r);
void orr__star_last(const orr__run *r, int step);
/* True if all inputs of the task exist; otherwise its run has failed. */
bool orr__star_complete(orr__task *a, void *buffers[]);
void orr__star_cpu(void *buffers[], void *arg);
void orr__star_bundle(void *buffers[], void *arg);
/* True if this process may use more cores than it has workers. */
bool orr__star_core_is_left(void);
/* True if a step's work is posted: the second function posts it on the thread that completes the operands, and it ends without a worker. */
bool orr__star_posts(const orr__step *s);
/* True if input k of step i, which posts, expresses only the order of posts, which tasks on no worker keep by themselves. */
bool orr__star_only_order(const orr__run *r, const orr__step *s, int k);
void orr__star_post(void *task);
extern struct starpu_codelet orr__star_posted;
/* device_post.c: True if the device of the first CUDA worker does the posted work of a task, on operands in its memory. No task of
 * StarPU is then made: `ended` is called instead of its callback, on any thread, perhaps before the post returns. */
enum { ORR__STAR_POST_OPERANDS = 8 };
typedef void (*orr__star_ended)(void *task);
bool orr__star_posts_on_device(const orr__task *a);
orr_status orr__star_post_on_device(orr__task *a, int n, const starpu_data_handle_t *handle,
                                    const enum starpu_data_access_mode *mode, orr__star_ended ended);
void orr__star_opencl(void *buffers[], void *arg);
void orr__star_cuda(void *buffers[], void *arg);
/* device_tile.c: an operation on the tiles in the task's buffers, on CUDA's stream, or on the host if the device fails. */
struct orr__tilejob;
orr_status orr__star_tile(struct orr__tilejob *j, void *buffers[]);
/* Counts a device worker's task that began at `began` and has ended; returns the seconds that it took. */
double orr__star_device_took(orr__work *w, const orr__step *s, int tile, int worker, double began);
/* The device has finished the task: reports errors and times that were not known before. On its worker. */
void orr__star_device_done(orr__task *a);
orr_status orr__star_execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                             void *const *into, orr__buffer **out, orr__run **run, bool wait, bool little);
/* crew_tasks.c: runs the plan on the caller and the CPU workers together, and after `most` seconds on the caller alone; its leaves must be
 * at home. false: nothing was begun, since another caller leads the crew, or the last call was long ago. */
bool orr__star_crew(double most, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                    void *const *into, orr__buffer **out, orr_status *st);
bool orr__star_crew_is_formed(void);     /* true if workers wait for the next such plan */
bool orr__star_crew_is_ready(double us); /* … and spin, or a plan of `us` µs is worth waking them */
bool orr__star_crew_is_worth(double us);
unsigned orr__star_crew_wakes(void); /* the number of times that sleeping members were woken for work */
/* A caller waits for a plan on any lane: the time between such calls says how long workers sleep in between. */
void orr__star_crew_asked(void);
/* Sends the helpers, if any, back to their tasks; idle_ones: only if they have waited for long. Any thread. */
void orr__star_crew_dismiss(bool idle_ones);
/* True if others should be able to overtake a plan of `us` µs: another caller's work had to wait for a crew lately. */
bool orr__star_crew_is_in_the_way(double us);
bool orr__star_in_turn(const orr__plan *plan, bool now); /* as orr__engine_in_turn */
/* lane.c: a call of a plan. leaf NULL: its operands are at home. little: less work than a task is worth. others: callers in addition to
 * this one. share: whether waking the workers pays. */
typedef struct {
    const orr__plan *plan;
    orr__buffer *const *leaf;
    bool wait, little;
    int others;
    bool (*share)(double us, bool naps);
} orr__wish;
/* The offer of each lane; returns the lane of the least time. orr__star_offers_now: as orr__engine_offers. */
orr__lane orr__star_offers(const orr__wish *w, orr__offer offer[ORR__LANES]);
void orr__star_offers_now(const orr__plan *plan, orr__offer offer[ORR__LANES]);

#endif
