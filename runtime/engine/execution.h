/* Inside the engine room: runs, the binding of a plan's values to buffers, the callbacks of an engine.
 * Must not know: starpu.h. */
#ifndef ORR_ENGINE_EXECUTION_H
#define ORR_ENGINE_EXECUTION_H

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include "runtime/engine/crew.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/histogram.h"
#include "runtime/base/stop.h"
#include "runtime/cost/model.h"
#include "runtime/cost/profile.h"

/* One engine. All callbacks may be called from any thread; start and stop from one thread at a time. */
typedef struct orr__engine_impl {
    orr_status (*start)(orr__site at, const orr_config *config);
    void (*stop)(void);
    /* into: as orr__engine_execute_into, or NULL. wait: the caller waits at once. little: predicted below orr__inline_us. */
    orr_status (*execute)(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                          void *const *into, orr__buffer **out, orr__run **run, bool wait, bool little);
    void (*describe)(char *text, size_t size);      /* for orr__engine_name                              */
    void (*worker)(int w, char *text, size_t size); /* name of worker w ≥ 1 (0 is the calling thread)  */
    void (*settle)(void); /* after a wait, on the waiting thread: work that tasks must not do; may be NULL */
    void (*measure)(orr__profile *p, const atomic_bool *stop); /* measures the costs of tasks; NULL: there are none */
    /* As orr__engine_move and the functions after it; NULL: there is host memory only. */
    orr_status (*move)(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait);
    orr_status (*evict)(orr__site at, orr__buffer *b);
    bool (*is_on)(orr__buffer *b, const orr__device_at *where);
    orr_status (*room)(orr__site at, const orr__device_at *where, size_t *total, size_t *left);
    bool (*device)(int i, orr__device_state *s); /* as orr__engine_device; NULL: there are none          */
    size_t (*held)(void); /* bytes of buffers kept for reuse; may be NULL                              */
    bool (*in_turn)(const orr__plan *plan, bool now); /* as orr__engine_in_turn; NULL: always true                 */
    void (*offers)(const orr__plan *plan,
                   orr__offer offer[ORR__LANES]); /* as orr__engine_offers; NULL: there is one lane */
    /* Around a step that borrows (plan.h), on its thread: 1 and -1. 0: the number of callers has changed. NULL: steps never borrow. */
    void (*borrow)(int more);
    void (*pause)(bool begins); /* as orr__engine_pause; NULL: there are no workers                    */
    const struct orr__block_cyclic_impl *block_cyclic; /* matrices over ranks; NULL: not supported        */
} orr__engine_impl;

extern const orr__engine_impl orr__engine_serial;
extern const orr__engine_impl orr__engine_starpu; /* only with HAVE_STARPU */

const orr__engine_impl *orr__engine_now(void); /* the running engine; NULL: none */
/* The backend in force, ORR__BACKEND_…: that of the environment, else the caller's. ORR_EINVAL: unknown name. */
orr_status orr__engine_backend(orr__site at, const orr_config *config, int *choice);
int orr__exec_callers(void);                             /* threads that evaluate and wait, except small evaluations */
void orr__engine_settle(void);                           /* calls the engine's settle */
void orr__engine_worker(int w, char *text, size_t size); /* its name; 0 is "inline"    */

/* True if the user named a device's backend and ORRERY_FALLBACK=off: no work runs on the CPU that the device cannot do. */
bool orr__exec_on_device_alone(void);
/* The backends that launches use. Tests replace them. */
extern const orr__backend *orr__exec_cpu, *orr__exec_opencl, *orr__exec_cuda;

/* True if devices may take part in the factorisation of the step: it is large, they have the libraries, and the process need not survive
 * their loss (StarPU's own copies of the tiles do not survive it). */
bool orr__exec_shares(const orr__step *s);

/* -- kinds of work: names for people, counters ----------------------------------------------------------- */

typedef struct orr__tally {
    atomic_uint_least64_t tasks, ns;
} orr__tally;
/* One per region key, until the process ends. */
typedef struct orr__work {
    uint64_t key;
    char label[64];
    orr__tally *tally;     /* one per worker, 0 = the calling thread; NULL if memory was short */
    orr__histogram spread; /* of the tasks' times, all workers                                  */
    void *_Atomic codelet; /* the StarPU engine's                                               */
    struct orr__work *next;
} orr__work;

/* Never NULL: without memory the kind "other" is returned. */
orr__work *orr__work_of(const orr__region *r);
/* The same for a step, cached in the plan's state. */
orr__work *orr__work_of_step(const orr__plan *p, const orr__step *s);
/* While notes are taken: looks at the operands of a launch: those of a product may be zeros but for a few, numbers those of a slice. */
void orr__work_look(const orr__step *s, const orr__launch *l);
/* Counts, and traces, tile t of a step (< 0: all of it) that worker (0: the calling thread) began at t0 and has just ended; returns the
 * current time. To be called before orr__exec_took, whose update would change the predictions in the trace. */
double orr__work_done(orr__work *k, const orr__step *s, int t, orr__on on, int worker, double t0);
/* The same in two parts, for steps on the CPU that may be shorter than two readings of the clock. The first counts a step that begins,
 * and returns the number of steps that its time stands for (0: it need not be timed). The second records the time, for that number of
 * steps. */
uint32_t orr__work_begin(orr__work *k, int worker);
double orr__work_end(orr__work *k, const orr__step *s, int t, int worker, double t0, uint32_t stands_for);
void orr__works_guard(void); /* guards their lock against forks */
int orr__works_workers(void);
orr_status orr__works_start(orr__site at, int workers); /* sizes the tallies for workers 0…workers */
void orr__works_each(void (*f)(orr__work *k, void *arg), void *arg);

/* -- state of a plan's execution --------------------------------------------------------------------------- */

/* The kinds of workers that run a plan's tasks, and the times of each placement in the plan's first runs (device_choice.c). */
typedef enum { ORR__MIXED, ORR__CPU_ALONE, ORR__DEVICES_ALONE, ORR__PLACEMENTS } orr__placement;
typedef struct {
    orr__placement placement;
    bool decided;
    int starts, n[ORR__PLACEMENTS]; /* runs; of those, runs with a time of their own */
    double best[ORR__PLACEMENTS];   /* seconds                              */
} orr__trial;
/* The times of a plan's runs in each lane (lane_choice.c). */
typedef struct {
    int n[ORR__LANES];
    double expected[ORR__LANES]; /* seconds; 0: no run yet */
    double seen[ORR__LANES];     /* of the last run        */
    int compiled;                /* steps whose kernels are final: others' end the times above */
    bool cold, again; /* the lane's last run was cold; it has been no sample, so the next run is by the lane too */
    double then;      /* what the lane was expected to take when the caller alone ran last */
    int since, wait;  /* runs by the lane since then, and those after which the caller's turn comes */
} orr__lane_times;
typedef struct {
    orr__work *_Atomic work;
    atomic_uint_least64_t n[ORR__ON_COUNT], ns[ORR__ON_COUNT]; /* launches, and their time: for people */
    atomic_uint_least64_t constant; /* the content number, in the previous run, of the leaf that may have a form */
} orr__step_state;
/* Made at a plan's first execution, freed with the plan. */
typedef struct {
    orr__trial trial;
    orr__lane_times lane;
    orr__step_state step[];
} orr__plan_state;
/* NULL: no memory, or never executed; then nothing is recorded. */
orr__plan_state *orr__plan_state_make(orr__plan *p);
static inline orr__plan_state *orr__plan_state_of(const orr__plan *p)
{
    return (orr__plan_state *)atomic_load_explicit(&p->state, memory_order_acquire);
}

/* -- one run of a plan ------------------------------------------------------------------------------------- */

struct orr__run {
    atomic_int refs, status;
    atomic_bool done;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    char text[640];     /* of the first error; under the lock */
    atomic_int left;    /* tasks under way or not submitted yet, plus one during submission; written by all
                                    * workers, hence in another cache line than the fields that they read */
    atomic_int planned; /* tasks of all, begun or not, for people */
    orr__run *part;     /* ends with the first plan->waited_tasks tasks, when the awaited outputs are complete; has
                                    * only a status and an end. NULL: all outputs end together */
    char apart[128];
    orr__plan *plan;
    orr__scalar *scalar;
    orr__buffer **value;   /* one per plan value, referenced until the run ends */
    orr__known *known;     /* … of a leaf: its number, and its form; NULL: not requested */
    atomic_bool lost;      /* it failed because a device lost a value: another try may succeed */
    atomic_bool votes;     /* the ranks agree on its end, and have not done so yet; values are none before that */
    bool safe, firm;       /* the data cannot make it fail; nor can the data of the runs that it waits for */
    atomic_bool overwrote; /* a leaf that is a donor                                     */
    orr__run **before;     /* by value, of outputs with a leaf as donor: until success, the run that wrote it */
    int nbefore;
    bool counted;   /* the references to the outputs' buffers are counted as `ordered` */
    orr__run **dep; /* runs that make our leaves: their failure is ours       */
    int ndep;
    struct orr__scratch {
        orr__buffer *buf;
        atomic_flag taken;
    } * scratch; /* as many as bundles can run at once */
    int nscratch;
    void *tasks;              /* of the engine, one block                               */
    struct orr__task *parked; /* of the engine: a list of tasks that wait for their turn to post, under the lock */
    int posters, turn;        /* … the number of tasks that post; the next one                                  */
    bool posting;             /* … a task is posting                                                            */
    int ntasks;
    struct orr__run *next;    /* in the engine's list of watched runs                   */
    int worker;               /* of the engine: runs all of the tasks, -1: any worker   */
    void *meter;              /* of the engine: meters memory during submission; NULL: no metering */
    void *const *into;        /* as in execute, until the submission ends; NULL: none           */
    orr__stop *stop;          /* a reference; NULL: the run cannot be stopped                   */
    orr__placement placement; /* of device_choice.c, with the next three                        */
    orr__plan *trial;         /* NULL: the time of this run is not used                 */
    int chosen;
    double began;
    bool
        tries; /* the placement is not the best known one; excess: what the ledger of regret reserves for it, seconds */
    double excess;
    struct orr__lane_run {
        orr__lane by;
        bool measured, trial, first; /* first: in this lane, predicted to be faster than alone */
        int compiled;                /* at the run's begin                                     */
        bool cold;                   /* the lane's workers slept then                          */
        double expected;             /* excess of the trial, seconds */
        double against;              /* … over these seconds; 0: not known yet */
        double most;                 /* seconds after which the rest is done by the calling thread; infinite: never */
    } lane;
    double lane_began;
    void (*ended)(orr__run *r); /* called by the run's end, before waiters wake; may be NULL */
    struct orr__then *then;     /* of orr__run_then, in order, under the lock               */
    bool drained;               /* … all have been called: it adds no more                   */
};

/* One reference is for the caller, one for the work under way (orr__run_finish drops it); left = 1. Copies the scalars; value[] exists
 * and is empty. NULL: last error set. */
orr__run *orr__run_new(orr__plan *plan, const orr__scalar *scalar);
/* True if value v uses the memory of its donor in this run. */
static inline bool orr__run_donated(const orr__run *r, int v)
{
    int donor = r->plan->value[v].donor;
    return donor >= 0 && r->value[donor] && r->value[donor] == r->value[v];
}
/* … and the donor is a leaf. */
static inline bool orr__run_over_leaf(const orr__run *r, int v)
{
    return orr__run_donated(r, v) && orr__leaf_donor(r->plan, &r->plan->value[v]) >= 0;
}
/* Declares that StarPU knows all accesses to the outputs: until the run ends, its references to them do not prevent their use as donors. */
void orr__run_count(orr__run *r);
void orr__run_fail(orr__run *r, orr_status st, const char *text); /* the first failure counts */
bool orr__run_task_done(orr__run *r);                             /* left − 1; true: zero, the run ends */
/* True if a task that has not begun does nothing: the run has failed, or must stop, which then is its failure. Other ranks do not wait for its
 * exchanges, since the end of the evaluation makes up for them (joint.h). */
bool orr__run_is_over(orr__run *r);
/* Gives the run a part that ends after n tasks, each of which calls orr__run_early_done before orr__run_task_done. */
bool orr__run_divide(orr__run *r, int n);
void orr__run_early_done(orr__run *r);
extern double orr__run_patience; /* seconds without the end of a task before the log reports it; for tests */
static inline orr_status orr__run_status(orr__run *r)
{
    return (orr_status)atomic_load(&r->status);
}

/* lane_choice.c: the lane for a run of which the wished lane is predicted to be the fastest: that one, or ALONE. Then the time of the run is
 * reported; or the run does not take place. */
typedef struct orr__lane_run orr__lane_run;
orr__lane_run orr__lane_begin(const orr__plan *p, orr__lane wish);
void orr__lane_end(const orr__plan *p, const orr__lane_run *run, double seconds);
/* A run in that lane, of which nothing is measured, and which is not cut off. */
static inline orr__lane_run orr__lane_plain(orr__lane by)
{
    return (orr__lane_run){ .by = by, .most = HUGE_VAL };
}
void orr__lane_drop(const orr__lane_run *run);
/* µs of the plan on the calling thread: as its runs have shown, or as predicted. */
double orr__lane_alone_us(const orr__plan *p);

/* device_choice.c: chooses the run's placement, and records its time. hybrid: there are both kinds of workers, and neither was requested
 * by name. */
void orr__placement_begin(orr__run *r, bool hybrid);
void orr__placement_end(orr__run *r);
void orr__placement_describe(const orr__plan *p, char *text, size_t size); /* "": no choice, or none yet */

/* -- pieces of execution ------------------------------------------------------------------------------------ */

/* Tests whether the plan fits into the memory that ORRERY_MEMORY_LIMIT leaves, with one task after another. ORR_ENOMEM with all the
 * numbers: it does not fit, and nothing has begun. */
orr_status orr__exec_admit(orr__site at, const orr__plan *plan);
/* The run has failed and ended. Leaves that are donors become invalid if the run has overwritten one; otherwise they are as before. */
void orr__exec_spoil(orr__run *r, const orr__plan *plan, orr__buffer *const *leaf);
/* True if no data of this run can make the plan fail. A plan with indices qualifies if these exist and are in range. */
bool orr__exec_is_firm(const orr__plan *plan, orr__buffer *const *leaf);
/* Checks that every leaf exists and is large enough. */
orr_status orr__exec_check(orr__site at, const orr__plan *plan, orr__buffer *const *leaf);
/* The program's memory for value v, by into[] of an execution; NULL: none. */
static inline void *orr__exec_into(const orr__plan *plan, void *const *into, int v)
{
    int output = plan->value[v].leaf < 0 ? plan->value[v].output : -1;
    return into && output >= 0 ? into[output] : NULL;
}
/* out[k] = a new reference to the buffer of output k. */
void orr__exec_outputs(const orr__plan *plan, orr__buffer *const *value, orr__buffer **out);
/* The rows [lo, hi) of axis 0 that tile t of a step iterates over. */
void orr__step_rows(const orr__step *s, int t, int64_t *lo, int64_t *hi);
/* The output range of tile t of a step, in elements of output k. */
void orr__step_writes(const orr__step *s, int t, int k, int64_t *first, int64_t *end);
/* known: by plan value, from the buffers of the leaves. NULL: not requested. */
void orr__exec_number(const orr__plan *plan, orr__buffer *const *leaf, orr__known *known);
enum { ORR__KNOWN_MOST = 16 }; /* limit of memory: inputs of a call with known facts, at most */
/* forms.c: gives the leaves the forms that the run reads. known[] receives the form of each, until orr__form_leave for each that has
 * one. The run has a reference to each leaf that is worth a form, and known[] has the numbers. */
orr_status orr__exec_enter(const orr__plan *plan, orr__buffer *const *leaf, orr__known *known, bool tasks);
/* Rows of one launch of step s: of a task, or of the calling thread for the whole step. */
int64_t orr__exec_rows(const orr__step *s, bool tasks);
/* One launch of tile t on the calling thread. in, out: element 0 of the whole arrays, in host memory. known: by plan value, or NULL. */
orr_status orr__exec_launch(const orr__step *s, int t, void *const *in, void *const *out, const orr__scalar *scalar,
                            const orr__known *known);
/* One launch of a whole step of ORR__OP_POSTS; after ORR_OK `ending` is called at the end. */
orr_status orr__exec_post(const orr__step *s, void *const *in, void *const *out, const orr__scalar *scalar,
                          const orr__known *known, const orr__ending *ending);
/* True if the step's kernel is final, compiled or never to be. The backends of tests have none. */
static inline bool orr__step_compiled(const orr__step *s)
{
    return orr__exec_cpu != &orr__cpu || orr__cpu_settled(s->cpu);
}
/* Records the time of tile t of a step (< 0: all of it) in the models; a time that is no sample of its kernel is left out, such as one that
 * was not `compiled` when it began. */
void orr__exec_took(const orr__plan *p, const orr__step *s, int t, orr__on on, double seconds, bool compiled);
/* A crew, the number of its members, and the time (of orr__now) from which on the caller goes on without it. */
typedef struct {
    orr__crew *crew;
    int members;
    double until;
} orr__crew_of;
/* Runs tile `tile` of step s, -1: all of it. host[v]: element 0 of value v, in host memory. worker as in orr__work_done. crew: does
 * shared steps together, led by the calling thread; NULL: there is no crew. */
orr_status orr__exec_step(const orr__plan *plan, const orr__step *s, int tile, void *const *host,
                          const orr__scalar *scalar, const orr__known *known, int worker, const orr__crew_of *crew);
/* The same with element 0 of each input and output of the step. */
orr_status orr__exec_step_at(const orr__plan *plan, const orr__step *s, int tile, void *const *in, void *const *out,
                             const orr__scalar *scalar, const orr__known *known, int worker, const orr__crew_of *crew);
/* direct.c: runs a direct plan that is predicted to be short on the calling thread, as every engine would, but without a lane's choice and
 * places for values. False: it is no such plan, or its leaves are not at hand, and nothing is done. */
bool orr__exec_direct(const orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar, orr__buffer **out,
                      orr_status *st);
/* Tile t is done: releases the memory of its pages that are mapped from files. value: buffers by value. */
void orr__exec_rest(const orr__step *s, int t, orr__buffer *const *value);
/* Runs the whole plan on the calling thread (inline.c), which is the worker of that number. into as in execute, crew as above. Leaves must
 * be valid in host memory. */
orr_status orr__exec_inline(orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar, void *const *into,
                            orr__buffer **out, int worker, const orr__crew_of *crew);

#endif
