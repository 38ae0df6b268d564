/* The optional mechanisms: each can be switched off by its name in ORRERY_ABLATE, to measure what it gains. Results stay right.
 * Must not know: how a mechanism works. */
#ifndef ORR_BASE_ABLATION_H
#define ORR_BASE_ABLATION_H

#include "runtime/base/env.h"

/* clang-format off */
#define ORR__MECHANISMS(X) \
    /* passes of the planner (runtime/plan/passes.c) */ \
    X(LAYOUTS,          "layouts")          \
    X(EPILOGUES,        "epilogues")        \
    X(SPLIT_REDUCTION,  "split_reduction")  \
    X(SPLIT_K,          "split_k")          \
    X(LOW_MEMORY_ORDER, "low_memory_order") \
    X(READERS_FIRST,    "readers_first")    \
    X(BUNDLES,          "bundles")          \
    X(RECOMPUTE,        "recompute")        \
    X(WAITED_OUTPUTS,   "waited_outputs")   \
    X(INDEX_CHECKS,     "index_checks")     \
    X(URGENCY,          "urgency")          \
    X(DONATION,         "donation")         \
    X(FORMS,            "forms")            \
    /* decisions inside passes */ \
    X(CUT_ALONE,        "cut_alone")        /* tiles: a plan's only step is cut where that ends sooner */ \
    X(MADE_FACTORS,     "made_factors")     /* split_k: factors that are made for one part at a time   */ \
    X(DEVICE_PARTS,     "device_parts")     /* split_k: factors that a device cannot hold              */ \
    X(RECENT_PLANS,     "recent_plans")     /* each thread's latest plans are found without a lock     */ \
    X(RENEWAL,          "renewal")          /* a plan is made anew when measured times would cut it otherwise */ \
    /* the graph */ \
    X(LEAF_DONATION,    "leaf_donation")    /* old values of variables are donors                      */ \
    X(RETAINED_OUTPUTS, "retained_outputs") /* held values become outputs, so that leaves are donors   */ \
    /* the fuser */ \
    X(FUSE_ROWS,        "fuse_rows")        \
    X(LONG_ROWS,        "long_rows")        /* rows that the second-level cache does not hold, too     */ \
    X(FUSE_EPILOGUES,   "fuse_epilogues")   \
    X(FUSE_SIBLINGS,    "fuse_siblings")    \
    X(SIMPLIFY,         "simplify")         \
    X(MOVE_RESHAPES,    "move_reshapes")    /* reshapes move below element-wise work                   */ \
    X(UNROLL_FOLDS,     "unroll_folds")     /* folds of few elements are chains of instructions        */ \
    X(REPEATED_READS,   "repeated_reads")   /* a value read at several places is stored, by cost      */ \
    X(JOINED_ROWS,      "joined_rows")      /* short parts of rows are computed apart, then joined        */ \
    X(NARROW_READS,     "narrow_reads")     /* of values that are read in part, that is computed alone */ \
    /* kernels */ \
    X(ONEDNN,           "onednn")           /* convolutions by the library, not by BLAS and loops      */ \
    X(HIGHWAY,          "highway")          /* keys are sorted by the library, not by loops of our own  */ \
    /* compiled loops */ \
    X(STREAMING,        "streaming")        /* stores past the caches, prefetched loads                */ \
    X(BORDERS,          "borders")          /* rows in pieces, of which one is inside of all boxes     */ \
    X(SHORT_ROWS,       "short_rows")       /* short rows are computed side by side                    */ \
    X(NEAR,             "near")             /* blocks whose arguments are not large by near forms     */ \
    X(PACKING,          "packing")          /* operands that stand apart are copied first              */ \
    X(HALVES,           "halves")           /* elements of f16 are converted in loops of their own     */ \
    X(GATHERS,          "gathers")          /* elements are gathered before they are computed with     */ \
    X(SHARED_STREAMS,   "shared_streams")   /* accesses a constant apart are one stream of memory      */ \
    X(VARIANTS,         "variants")         /* ways of computing the same are timed                    */ \
    X(JIT,              "jit")              \
    /* the engine */ \
    X(INLINE_LANE,      "inline_lane")      \
    X(SLEEP,            "sleep")            /* idle workers are paused                                 */ \
    X(SHARE,            "share")            /* work that is cut to end sooner becomes tasks in a row of callers */ \
    X(CREW,             "crew")             /* workers do the steps of a plan together                  */ \
    X(ONE_WORKER,       "one_worker")       /* a chain of tasks stays on one worker                    */ \
    X(BORROW,           "borrow")           /* a long call that runs alone uses the cores of idle workers */ \
    X(TRIAL,            "trial")            /* a plan's first runs choose processors or devices        */ \
    X(HANDLE_POOL,      "handle_pool")      /* buffers are reused with their handles                   */ \
    X(RECIPES,          "recipes")          /* leaves of values on devices are kept: lost values are computed again */
/* clang-format on */

#define ORR__MECHANISM(upper, name) ORR__OFF_##upper,
typedef enum { ORR__MECHANISMS(ORR__MECHANISM) ORR__MECHANISM_COUNT } orr__mechanism;
#undef ORR__MECHANISM

/* Is the mechanism switched off? */
static inline bool orr__ablated(orr__mechanism m)
{
    return orr__env.ablated >> m & 1u;
}

#endif
