/* Plans: regions in order, cut into tiles, with the buffers that they need.
 * Must not know: StarPU, how a kernel computes. */
#ifndef ORR_PLAN_PLAN_H
#define ORR_PLAN_PLAN_H

#include "codelets/codelet.h"
#include "runtime/cost/cost.h"
#include "runtime/cost/machine.h"
#include "runtime/cost/model.h"
#include "runtime/fuse/region.h"

/* A value of the plan: a leaf, an output, or a temporary. Its array is cut into `ntiles` runs of `tile` elements. */
typedef struct orr__value {
    orr_dtype dtype;
    int64_t count; /* elements                                              */
    int64_t tile;  /* elements per tile (the last may be shorter); for a leaf: unspecified */
    int ntiles;
    int leaf;        /* capture leaf number, -1: computed here                */
    int output;      /* number among the requested outputs, -1: temporary     */
    bool asked;      /* an output, known before they are numbered              */
    bool awaited;    /* of those that are waited for before all is done       */
    int first, last; /* steps that write it first and read it last            */
    int over;        /* in place: the input of step `first` whose memory it takes over, -1 */
    bool given;      /* another value takes over its memory                    */
    int into,
        heir;   /* of an output: the leaf whose memory it may have, where nobody else sees that; the other way; -1 */
    int slot;   /* values with equal slot share memory, else -1: leaves, and outputs that no memory is free for */
    bool local; /* written and read by one bundle alone: no slot, but bytes of its scratch memory */
    size_t scratch; /* where in that                                          */
} orr__value;

/* What a bundle touches of a value, local ones apart: elements [first, end). */
typedef struct orr__use {
    int value;
    bool write;
    int64_t first, end;
} orr__use;

typedef struct orr__step {
    orr__region *region; /* owned by the plan    */
    orr__kernel *cpu;    /* prepared, never NULL */
    orr__kernel *opencl; /* NULL: cannot         */
    orr__kernel *cuda;   /* NULL: cannot         */
    int ntiles;          /* launches: [t·rows, min((t+1)·rows, dim[0])) */
    int64_t rows;
    bool graph;      /* its tasks are not its tiles: a Cholesky factorisation (codelets/cholesky.h)  */
    bool partial;    /* tile t folds its rows into row t of each output (count = ntiles · region->out_count) */
    int part, parts; /* parts > 1: it multiplies terms number `part` of a product that is cut along them */
    bool adds;       /* … and adds the sum of those before, its first input that is no node's            */
    int *in, *out;   /* value numbers, region->nin and region->nout of them */
    orr__cost cost;  /* of the whole step */
    int members;     /* > 1: a bundle begins here, this step and those behind it, run one after the other by one task
                            * on a CPU; each has one tile, or (strips) as many as the others, of which a task runs the same.
                            * 0 or 1: a step by itself. < 0: a member that far behind the first. */
    orr__use *use;
    int nuse;   /* of the bundle: each value once, what it writes first; as many again for each further tile */
    bool early; /* of a step by itself or the first of a bundle: makes what is awaited */
    double way_us,
        rest_us; /* of the same: from its task's beginning, and from its end, to the plan's on the longest way */
    void *work;  /* the engine's                                        */
    uint64_t took_n[3], took_ns[3]; /* launches per orr__on, and their time: for people  */
} orr__step;

/* Which kinds of workers take a plan's tasks, and what was found of each way in its first runs. The engine's. */
typedef enum { ORR__MIXED, ORR__CPU_ALONE, ORR__DEVICES_ALONE, ORR__WAYS } orr__way;
typedef struct orr__trial {
    orr__way way;
    bool decided;
    int starts, n[ORR__WAYS]; /* runs; those with a time of their own */
    double best[ORR__WAYS];   /* seconds                              */
} orr__trial;

typedef struct orr__plan {
    atomic_int refs;
    int nstep;
    orr__step *step;
    int nvalue;
    orr__value *value;
    int nout;
    int *out; /* value number of each requested output (a leaf is possible) */
    int nslot;
    size_t *slot_bytes;
    size_t scratch_bytes; /* of the bundle that needs most */
    int nscratch;         /* bundles that need any         */
    int nleaf, nscalar;
    int ntasks; /* as orr__plan_tasks of all steps */
    bool safe;  /* nothing in the data can make it fail                 */
    int nheirs; /* outputs that may have a leaf's memory                */
    int nkept;  /* of the capture's last outputs: its nkept, or 0 if it does without */
    size_t kept_bytes,
        spared_bytes;  /* what these take, and leaves written over thanks to them; both 0: there were none */
    int nearly;        /* the same of early ones, 0: all outputs are waited for */
    bool chain;        /* each task needs the one before it: no two are ever under way */
    double us;         /* predicted, one core                                */
    double way_us;     /* the longest way_us of its steps                    */
    size_t bytes_all;  /* of temporaries and outputs, all there from the beginning */
    size_t bytes_peak; /* the same, each from its first step to its last, one task after the other */
    int peak_step;     /* when */
    orr__trial trial;
    int nreason;
    char **reason; /* the fuser's, for people */
    uint8_t *key;
    size_t key_size;
    uint64_t hash;
    struct orr__plan *next;
    atomic_uint_least64_t used; /* the cache's */
} orr__plan;

/* The plan for a capture: from the cache, or made and put there. One reference for the caller. */
orr_status orr__plan_get(orr__site at, const orr__capture *p, orr__plan **plan);
/* The same; where that needs more than `room` bytes at once, one that needs less if there is one. */
orr_status orr__plan_get_within(orr__site at, const orr__capture *p, size_t room, orr__plan **plan);
/* The same if it is there already, for which a light capture will do; else NULL. */
orr__plan *orr__plan_known(const orr__capture *p, size_t room);
/* Gives the caller's reference back, to be found by this thread's next orr__plan_known at no cost. */
void orr__plan_done(orr__plan *p);
orr__plan *orr__plan_ref(orr__plan *p);
void orr__plan_unref(orr__plan *p);
void orr__plan_cache_clear(void);
void orr__plan_cache_guard(void); /* its lock, against forks */
typedef struct {
    uint64_t hits, misses, evicted;
    int size;
} orr__plan_stats;
orr__plan_stats orr__plan_get_stats(void);
int orr__plan_fusion(void); /* how far this machine's plans are fused */
/* Tasks that step i stands for: tiles, its own or a bundle's, or those of a graph; 0 for its members behind the first. */
int orr__plan_tasks(const orr__plan *p, int i);
orr_status orr__plan_verify(const orr__plan *p);
void orr__plan_print(FILE *to, const orr__plan *p);
/* Adds in place to a sum to which others of its kind do the same: they may come in any order, one at a time. */
bool orr__step_commutes(const orr__plan *p, const orr__step *s);
/* The elements of input i (first, last+1) that tile t of a step can touch; for a whole-array reader all of them. */
void orr__step_reads(const orr__step *s, int t, int i, int64_t *first, int64_t *end);

/* -- steps and the models (step_cost.c) -------------------------------------------------------------------------- */

void orr__step_classify(orr__step *s); /* after its rows are known: under what its tasks are measured */
bool orr__step_can(const orr__step *s, orr__on on);
/* A task of tile t (< 0: the whole step) on each kind of device; us < 0 where that cannot do it. The least of them. */
double orr__step_guesses(const orr__step *s, int t, orr__guess g[ORR__ON_COUNT]);

#endif
