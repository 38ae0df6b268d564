/* The optional mechanisms. ORRERY_ABLATE switches each one off by its name, so that its gain can be measured. Results stay correct.
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
    X(CUT_ALONE,        "cut_alone")        /* tiles: the only step of a plan is cut if that ends sooner */ \
    X(MADE_FACTORS,     "made_factors")     /* split_k: factors are computed for one partial product at a time */ \
    X(DEVICE_PARTS,     "device_parts")     /* split_k: products whose factors a device cannot hold    */ \
    X(RECENT_PLANS,     "recent_plans")     /* each thread finds its latest plans without a lock       */ \
    X(RENEWAL,          "renewal")          /* a plan is replaced when measured times would cut it otherwise  */ \
    /* the graph */ \
    X(LEAF_DONATION,    "leaf_donation")    /* old values of variables are donors                      */ \
    X(PILES,            "piles")            /* pending work is submitted when it is worth a plan       */ \
    X(RETAINED_OUTPUTS, "retained_outputs") /* held values become outputs, so that leaves are donors   */ \
    X(KEPT_AGAIN,       "kept_again")       /* held values that are computed often become outputs      */ \
    X(SLICE_COPIES,     "slice_copies")     /* slices whose places vary are copied, not planned         */ \
    /* the fuser */ \
    X(FUSE_ROWS,        "fuse_rows")        \
    X(LONG_ROWS,        "long_rows")        /* also rows that exceed the second-level cache            */ \
    X(FUSE_EPILOGUES,   "fuse_epilogues")   \
    X(FUSE_SIBLINGS,    "fuse_siblings")    \
    X(SIMPLIFY,         "simplify")         \
    X(MOVE_RESHAPES,    "move_reshapes")    /* reshapes move below element-wise work                   */ \
    X(UNROLL_FOLDS,     "unroll_folds")     /* folds of few elements become chains of instructions     */ \
    X(REPEATED_READS,   "repeated_reads")   /* a value read at several places is stored, depending on cost */ \
    X(JOINED_ROWS,      "joined_rows")      /* short parts of rows are computed separately, then joined   */ \
    X(NARROW_READS,     "narrow_reads")     /* of a value that is read in part, only that part is computed */ \
    /* kernels */ \
    X(ONEDNN,           "onednn")           /* convolutions by the library, not by BLAS and loops      */ \
    X(HIGHWAY,          "highway")          /* keys are sorted by the library, not by loops of our own  */ \
    /* compiled loops */ \
    X(STREAMING,        "streaming")        /* stores that bypass the caches, prefetched loads         */ \
    X(BORDERS,          "borders")          /* rows are cut into pieces, one of which is inside all boxes */ \
    X(SHORT_ROWS,       "short_rows")       /* short rows are computed side by side                    */ \
    X(NEAR,             "near")             /* near forms for blocks whose arguments are not large    */ \
    X(PACKING,          "packing")          /* strided operands are copied first                       */ \
    X(HALVES,           "halves")           /* elements of f16 are converted in separate loops         */ \
    X(GATHERS,          "gathers")          /* elements are gathered before they are computed with     */ \
    X(SHARED_STREAMS,   "shared_streams")   /* accesses at a constant distance are one stream of memory */ \
    X(VARIANTS,         "variants")         /* alternative ways to compute a kernel are timed          */ \
    X(JIT,              "jit")              \
    /* the engine */ \
    X(INLINE_LANE,      "inline_lane")      \
    X(SLEEP,            "sleep")            /* idle workers are paused                                 */ \
    X(SHARE,            "share")            /* short plans become tasks if evaluations follow each other        */ \
    X(CREW,             "crew")             /* workers do the steps of a plan together                  */ \
    X(CORE_LEASES,      "core_leases")      /* of more callers than cores a few compute at a time         */ \
    X(ONE_WORKER,       "one_worker")       /* a chain of tasks stays on one worker                    */ \
    X(BORROW,           "borrow")           /* a long call that runs alone uses the cores of idle workers */ \
    X(TRIAL,            "trial")            /* the first runs of a plan choose processors or devices   */ \
    X(HANDLE_POOL,      "handle_pool")      /* buffers are reused with their handles                   */ \
    X(RECIPES,          "recipes")          /* leaves of values on devices are kept, to recompute lost values */
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
