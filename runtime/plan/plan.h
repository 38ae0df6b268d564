/* Plans: the steps of an evaluation in order, with tiles, lifetimes and memory. Each pass of the planner (passes.c) has its result in
 * a struct of its own.
 * Must not know: StarPU, how a kernel computes. */
#ifndef ORR_PLAN_PLAN_H
#define ORR_PLAN_PLAN_H

#include "codelets/codelet.h"
#include "runtime/base/memory_nodes.h"
#include "runtime/cost/cost.h"
#include "runtime/cost/machine.h"
#include "runtime/cost/model.h"
#include "runtime/fuse/region.h"

/* A value of the plan: a leaf, an output, or a temporary. Its array is cut into `ntiles` runs of `tile` elements. */
typedef struct orr__value {
    orr_dtype dtype;
    int64_t count; /* elements                                                              */
    int64_t tile;  /* elements per tile (the last may be shorter); unspecified for a leaf   */
    int ntiles;
    int leaf;             /* capture leaf number, -1: computed here                       */
    int output;           /* number among the requested outputs, -1: temporary or leaf    */
    bool awaited;         /* an output that is waited for before all of the plan is done  */
    int first, last;      /* lifetimes: the step that writes it and the last that reads it */
    int donor, recipient; /* donation: the value whose memory it uses, the value that uses its; -1: none */
    int form_step;        /* forms: the only step that reads the leaf, and may read it in a form; -1: none */
    bool local;           /* bundle_memory: written and read by one bundle alone           */
    size_t scratch;       /* … its offset in the scratch memory of a task of that bundle   */
    int slot; /* memory_slots: values of equal slot share memory; -1: a leaf, a local value, an output without */
} orr__value;

/* Elements [first, end) of a value that a task of a bundle reads or writes; local values are not listed. */
typedef struct orr__use {
    int value;
    bool write;
    int64_t first, end;
} orr__use;

typedef struct orr__step {
    orr__region *region; /* owned by the plan                                               */
    int *in, *out;       /* value numbers: region->nin inputs, region->nout outputs         */
    orr__kernel *cpu;    /* prepared, never NULL                                            */
    orr__kernel *opencl; /* NULL: OpenCL devices cannot run it                              */
    orr__kernel *cuda;   /* NULL: CUDA devices cannot run it                                */
    int ntiles;          /* tasks: tile t is rows [t·rows, min((t+1)·rows, dim[0]))         */
    int64_t rows;
    bool graph;     /* its tasks are not its tiles: a factorisation (codelets/cholesky.h)    */
    bool partial;   /* split_reduction: tile t folds its rows into row t of each output      */
    bool borrows;   /* one long call of a library, which may use the cores of idle workers   */
    bool shared;    /* lanes: a crew's workers may do it together                            */
    orr__cost cost; /* of the whole step                                                     */
    struct {        /* split_k: it multiplies part `part` of `parts` of the terms; parts 0 or 1: all terms */
        int part, parts;
        bool adds; /* … and adds the sum of the parts before, its first input without a node */
    } terms;
    struct {         /* bundles, bundle_memory                                               */
        int members; /* > 1: steps of the bundle that begins here, of one tile each; < 0: offset of its first step */
        orr__use *use;
        int nuse;
        double us[ORR__ON_COUNT]; /* of a member: predicted when the plan was made; 0: it cannot run there */
    } bundle;
    uint8_t results; /* lifetimes: a bit for each output that is one of the plan                   */
    bool waited;     /* waited_outputs: the step, or the bundle that it begins, writes an awaited value */
    struct {         /* urgency: µs of the longest path to the end of the plan                   */
        double from_start, from_end; /* … from the start of the task, from its end           */
    } urgency;
} orr__step;

/* The elements of a leaf must be places on an axis of this length: from −length to length − 1. */
typedef struct {
    int value;
    int64_t length;
} orr__index_check;

enum { ORR__DIRECT_MOST = 32 }; /* limit of memory: inputs, or outputs, of a direct plan's step */

typedef struct orr__plan {
    atomic_int refs;
    int nstep, nvalue, nout, nleaf, nscalar, ntasks;
    orr__step *step;
    orr__value *value;
    int *out;          /* value number of each requested output; a leaf is possible           */
    _Atomic double us; /* on one core: predicted, and by measurements since (renewal)         */
    bool cannot_fail;  /* for any data                                                        */
    int nchecks;       /* index_checks: otherwise it cannot fail if these are in range; 0: this is not known */
    orr__index_check *check;
    bool calls;       /* a step is a call of an operation's kernel, which may ask for the number of a leaf's content */
    int waited_tasks; /* waited_outputs: tasks that write awaited values; 0: all outputs end with the plan */
    struct {          /* urgency */
        bool chain;   /* each task needs the one before it: no two ever run at once          */
        double longest;
    } urgency;
    struct {                           /* lanes: predicted µs, as in the steps' costs                              */
        double alone, together, tasks; /* on one thread; by a crew that is there; as tasks      */
        bool direct; /* one step for the calling thread, from leaves to outputs: no other value needs memory */
    } lanes;
    int ndonors; /* donation: leaves that have a recipient                                   */
    int nforms;  /* forms: leaves that may be in a form                                      */
    struct {
        int nslot;
        size_t *slot_bytes;   /* memory_slots                                                */
        size_t scratch_bytes; /* bundle_memory: of the task that needs most                  */
        int nscratch;         /* … tasks that need any                                       */
        size_t all;           /* bytes of temporaries and outputs, all at once               */
        size_t peak;          /* the same from first step to last, one task after the other  */
        int peak_step;
        size_t stepwise; /* … one step after the other: values of a bundle live no longer   */
        size_t in_place; /* … with all outputs that have a leaf as donor in its memory       */
    } memory;
    struct { /* the fuser's refusals, for people */
        int n;
        char **text;
    } reason;
    struct {              /* renewal */
        bool alone;       /* the plan was one region when its tiles were chosen              */
        int count;        /* plans of the same structure that this one replaced              */
        atomic_uint news; /* orr__models_news when the plan was last found good              */
    } renewal;
    struct { /* the plan cache's */
        uint8_t *key;
        size_t key_size;
        uint64_t hash;
        struct orr__plan *next;
        atomic_uint_least64_t used;
    } cache;
    void *_Atomic state; /* the engine's state of execution: one block, freed with the plan  */
    size_t bytes;        /* of its blocks, as counted; with the state, which is counted apart */
} orr__plan;

/* The plan for a capture: from the cache, or made and put there. One reference for the caller. */
orr_status orr__plan_get(orr__site at, const orr__capture *p, orr__plan **plan);
/* The same; if that plan needs more than `space` bytes at once, a plan for low memory if it needs less. */
orr_status orr__plan_get_within(orr__site at, const orr__capture *p, size_t space, orr__plan **plan);
/* The same if it is cached, needs at most `space` bytes and is not overtaken, else NULL. A light capture is enough. */
orr__plan *orr__plan_known(const orr__capture *p, size_t space);
/* Counts requests for a capture whose plan is unknown, all threads together; true from the fourth on. */
bool orr__plan_repeats(const orr__capture *p);
/* True if measurements since the plan was made would cut it differently. orr__plan_get then makes another in its place, at most
 * ORR__PLAN_RENEWALS times. Costs one comparison while nothing new was measured. */
enum { ORR__PLAN_RENEWALS = 4 };
bool orr__plan_overtaken(orr__plan *p);
/* Moves the caller's reference to the plans that this thread used last, where orr__plan_known finds it without a lock. */
void orr__plan_done(orr__plan *p);
/* While notes are taken: notes the kernels of an evaluation with the content of their inputs, if it is known. Returns the contents of all
 * values, 0: not known, for orr__plan_note_results or free; NULL: no memory. */
uint64_t *orr__plan_note_inputs(orr__site at, const orr__plan *plan, orr__buffer *const *leaf,
                                const orr__scalar *scalar);
/* … after it: of its results, of which a later evaluation may be the only reader. Frees the contents. */
void orr__plan_note_results(orr__site at, const orr__plan *plan, const orr__capture_roots *roots, uint64_t *content);
orr__plan *orr__plan_ref(orr__plan *p);
void orr__plan_unref(orr__plan *p);
void orr__plan_cache_clear(void);
void orr__plan_cache_guard(void); /* protects its lock across forks */
typedef struct {
    uint64_t hits, misses, evicted;
    int size;
} orr__plan_stats;
orr__plan_stats orr__plan_get_stats(void);
int orr__plan_fusion(void); /* how far this machine's plans are fused */

orr_status orr__plan_verify(const orr__plan *p);
void orr__plan_print(FILE *to, const orr__plan *p);

/* -- steps ---------------------------------------------------------------------------------------------------------- */

/* The number of steps in the bundle that s begins; 1: no bundle. */
static inline int orr__bundle_size(const orr__step *s)
{
    return s->bundle.members > 1 ? s->bundle.members : 1;
}
/* The first step of the bundle that step i is in, else i. */
static inline int orr__plan_head(const orr__plan *p, int i)
{
    return p->step[i].bundle.members < 0 ? i + p->step[i].bundle.members : i;
}
static inline bool orr__step_bundled(const orr__plan *p, int i)
{
    return orr__bundle_size(&p->step[orr__plan_head(p, i)]) > 1;
}
/* The predicted µs of a step where a bundle with it would run: on a CUDA device if that can run it, else on a processor. */
double orr__bundled_us(const orr__step *s);
/* The µs that a bundle aims at. */
double orr__bundle_worth(bool on_device);
/* True if its work may go on while later steps are computed. */
static inline bool orr__step_posts(const orr__step *s)
{
    return s->region->call.op && s->region->call.op->flags & ORR__OP_POSTS;
}
static inline size_t orr__value_bytes(const orr__value *v)
{
    return (size_t)v->count * orr__dtype_size((orr_dtype)v->dtype);
}
/* The memory node where part i of n equal parts of an array is at home, and the workers of the task that computes it (runtime/base/memory_nodes.h). */
static inline int orr__home(int64_t i, int64_t n)
{
    return orr__node_in(i, n, orr__machine_here.nodes > 1 ? orr__machine_here.nodes : 1);
}
/* The leaf, or (below) the temporary, whose memory v uses; -1: none. A leaf's memory is used only if the evaluation may overwrite it. */
static inline int orr__leaf_donor(const orr__plan *p, const orr__value *v)
{
    return v->donor >= 0 && p->value[v->donor].leaf >= 0 ? v->donor : -1;
}
static inline int orr__temporary_donor(const orr__plan *p, const orr__value *v)
{
    return v->donor >= 0 && p->value[v->donor].leaf < 0 ? v->donor : -1;
}
/* Tasks with scratch memory that may run at a time: one on each worker, and one on the submitting thread. */
static inline int orr__plan_scratches(const orr__plan *p)
{
    int most = orr__machine_here.workers + 1;
    return p->memory.nscratch < most ? p->memory.nscratch : most;
}
/* The number of tasks of step i: its own tiles, one for its bundle, or those of a graph; 0 for a bundle's other
 * members. */
int orr__plan_tasks(const orr__plan *p, int i);
/* True if the step adds in place to a sum, as others of its kind do: these may run in any order, one at a time. */
bool orr__step_commutes(const orr__plan *p, const orr__step *s);
/* True if the step runs in the tiles of the plan on every lane, since its bits depend on them. */
bool orr__step_by_tiles(const orr__step *s);
/* True if the rows of a launch can be divided among launches. A line is cut at whole vectors. */
bool orr__step_by_rows(const orr__step *s);
/* The elements [first, end) of input i that tile t of a step can read; for a whole-array reader all of them. */
void orr__step_reads(const orr__step *s, int t, int i, int64_t *first, int64_t *end);
bool orr__step_can(const orr__step *s, orr__on on);
/* Predicts a task of tile t (< 0: the whole step) on each kind of device; us < 0: the device cannot run it. Returns
 * the least. */
double orr__step_guesses(const orr__step *s, int t, orr__guess g[ORR__ON_COUNT]);

#endif
