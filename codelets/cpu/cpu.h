/* Internals of the CPU backend: a region lowered to a program of block operations, and the execution of a launch.
 * Must not know: StarPU, plans. */
#ifndef ORR_CPU_CPU_H
#define ORR_CPU_CPU_H

#include <pthread.h>
#include "codelets/codelet.h"
#include "codelets/nest/cloop.h"
#include "codelets/cpu/vec.h"
#include "codelets/variants.h"

/* One operation on a block. Its result is the register of the same number (stores have none). */
typedef enum {
    ORR__VLOAD,
    ORR__VSCALAR,
    ORR__VIOTA,
    ORR__VRANDOM,
    ORR__VCAST,
    ORR__VROW,
    ORR__VSTORE,
    ORR__VFOLD,
    ORR__VSPREAD,
    ORR__VPICK,
    ORR__VPLACE,
    ORR__VTAKE,
    ORR__VPART,
    ORR__VINSIDE
} orr__vkind;
typedef struct {
    uint8_t kind;
    uint8_t dtype, from; /* of the value; of a cast's or store's operand                       */
    bool per_row;        /* one value per row: folds, and values computed from them */
    bool still;          /* of a take: the place is constant along the last axis */
    bool once;           /* equal in every block: computed once, before the first block        */
    int16_t reg, x, y, z;
    int16_t slot;         /* scratch block of the result, -1: none                              */
    int16_t out;          /* output that receives the result directly, or a store's output, -1: none */
    int16_t access, dist; /* dist: of a fold, its rop; of a place, its axis                                           */
    int32_t scalar;
    orr__vecfn *row;
    orr__roundfn *round; /* f16, bf16: rounds the result to its dtype                          */
} orr__vop;

/* Data that an operation's function keeps between the launches of a kernel. */
typedef struct orr__own {
    pthread_mutex_t lock;
    void *data;
    void (*forget)(void *data);
    orr__value_form *form; /* for launches of `rows` rows; NULL: none */
    int64_t rows;          /* 0: not yet requested                   */
} orr__own;

/* The compiled form of a region by one nest. */
typedef struct orr__tier1 {
    struct orr__jit *jit;
    int nest;           /* 0: the one that costs least; n + 1: nest n of orr__cloop_offers */
    int64_t *word;      /* the words of a launch of all rows, without scalars; NULL: it packs */
    int nword, nscalar; /* their number, and the number of scalar words after them */
    bool packs;         /* it reads copies of some operands */
    size_t keeps;       /* bytes of its memory for values of long rows */
    bool watches;       /* it looks at its outputs */
} orr__tier1;

/* Regions of equal content, but for the numbers of their scalars, share a kernel unless it is an operation's on whole arrays. */
struct orr__kernel {
    int refs;                       /* under the lock of the table                               */
    size_t held;                    /* bytes, as counted                                          */
    unsigned char content[32];      /* of the region's content; unspecified without being shared */
    bool shared;                    /* in the table                                               */
    struct orr__kernel *next_known; /* … the next one of its bucket                               */
    orr__own *own;                  /* of an operation on whole arrays, else NULL */
    struct orr__kernel *epilogue;   /* … the kernel of its epilogue; NULL: none */
    orr__tier1 compiled[ORR__NEST_OFFERS]; /* by the nest that costs least, then those that cost little more */
    int ncompiled;                  /* 0: never compiled */
    atomic_int nest;                /* … the one of the last launch, of these */
    bool halves;                    /* it computes f16: the faster tier is found by measurement */
    atomic_bool interpreted;        /* tier 0 is the faster one, at the last launch's size */
    struct orr__tail *tail;         /* of a product: the map over its elements; NULL: none */
    bool small;                     /* of a product: orr__product_is_small */
    const orr__vec *vec;
    /* The iteration, axes in the order in which blocks walk. `first`: the position of the region's axis 0, -1: none. */
    int rank, first;
    int64_t dim[ORR__REGION_RANK];
    int naccess;
    orr__access *access;  /* strides in that order */
    int64_t block;        /* elements in a block; whole rows of the last axis if that is short */
    int nreg, nop, nslot; /* operations that run once come first */
    int nonce;
    size_t slot_bytes;
    orr__vop *op;
    int nout;                         /* of a fold or search, for each output: */
    int result[ORR__REGION_OUTS];     /* … the register that is folded        */
    uint8_t folded[ORR__REGION_OUTS]; /* … its dtype                          */
    int rop[ORR__REGION_OUTS];
    bool rows;            /* axes are kept…, reduced…, kept…: rows are folded into a row; else kept…, reduced… */
    int nouter, nreduced; /* axes of the first and of the second group      */
    int across;           /* of a map: an axis other than the last along which a load has its neighbours; -1 */
    int64_t few;          /* of a map: all its elements, if orr__vrun_few computes it; 0: blocks do */
};

/* The number of a region's first scalar in instructions; 0: there is none. Programs number scalars from it. */
static inline int32_t orr__first_scalar(const orr__region *r)
{
    for (int i = 0; i < r->ninstr; i++)
        if (r->instr[i].slot >= 0)
            return r->instr[i].slot;
    return 0;
}

/* A launch under way. */
typedef struct {
    const orr__kernel *k;
    const orr__launch *l;
    const orr__scalar *scalar; /* the region's first one */
    int64_t dim[ORR__REGION_RANK], total;
    int64_t origin[ORR__REGION_RANK]; /* the origin of this launch, or of the current box */
    char *out[ORR__REGION_OUTS];      /* the address of iteration 0 of this launch */
    orr__vec_view *view;
    const void **reg;
    char *slot;
    size_t slot_bytes; /* from a slot to the next */
    int64_t *index;    /* scratch of one block each */
    void *wide;
    uint16_t *half;
    orr_status st; /* ORR_EINDEX once an index was out of range */
    void *more;    /* the `more` bytes requested from orr__vrun_begin */
    bool in_place; /* the output shares memory with an input: blocks of inputs are copied before it is written */
} orr__vrun;

/* kernels.c: the table of shared kernels. content: a digest of the region; false: no memory. find: one more reference, NULL: there is none.
 * share: puts k there and returns it, or returns the one that is there with a further reference. drop: true if the last reference is
 * gone, and k is no longer in the table. */
bool orr__kernel_content(const orr__region *r, unsigned char content[32]);
orr__kernel *orr__kernel_find(const unsigned char content[32]);
orr__kernel *orr__kernel_share(orr__kernel *k, const unsigned char content[32]);
bool orr__kernel_drop(orr__kernel *k);
/* isa.c: does BLAS multiply small matrices without packing? */
bool orr__cpu_blas_small(void);
/* program.c: operations, locations of registers, block size. */
orr_status orr__program(const orr__region *r, orr__kernel *k);
/* program_run.c: this thread's memory, views, and values computed once. `more`: bytes for the caller. */
orr_status orr__vrun_begin(orr__vrun *v, const orr__kernel *k, const orr__launch *l, size_t more);
/* Moves to the box of v->dim at v->origin: updates views and values computed once. */
void orr__vrun_box(orr__vrun *v);
/* Computes iterations [p, p + n), n ≤ k->block. Call it only while v->st is ORR_OK. p must be a multiple of the last
 * axis if that is shorter than half a block. */
void orr__vrun_block(orr__vrun *v, int64_t p, int64_t n);
/* A map of a few elements of whole arrays: views, and memory of this thread, would take longer than the elements. may_few: the number
 * of its elements, 0 if it is another map. */
int64_t orr__vrun_may_few(const orr__kernel *k, const orr__region *r);
orr_status orr__vrun_few(const orr__kernel *k, const orr__launch *l);
/* True if an output shares memory with an input. The input is then copied first: no operation may see its operand change. */
bool orr__vrun_overlaid(const orr__launch *l);

/* gather.c: operations of kinds PLACE and TAKE. */
void orr__vrun_place(orr__vrun *v, const orr__vop *op, int64_t *dst, int64_t p, int64_t n);
void orr__vrun_take(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n);

/* box.c: operations with boxes: a load that is zero outside of its box, and the test whether a point is inside. */
void orr__vrun_part(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n);
void orr__vrun_inside(const orr__vrun *v, const orr__vop *op, bool *dst, int64_t p, int64_t n);

/* reduce.c: the neutral element, and the outcome in the dtype of accumulators. */
orr__accroom orr__fold_identity(int rop, orr_dtype t);
void orr__fold_end(orr__acc *a, int rop, orr_dtype t);
/* Converts n stored values of dtype `from` to a register of dtype `to`. */
void orr__into_register(const orr__vrun *v, orr_dtype from, orr_dtype to, void *dst, const void *src, int64_t n);

orr_status orr__cpu_map(const orr__kernel *k, const orr__launch *l);
/* True for a map that reads across the rows of a file. */
bool orr__cpu_map_crosses(const orr__kernel *k, const orr__launch *l);
orr_status orr__cpu_reduce(const orr__kernel *k, const orr__launch *l);
orr_status orr__cpu_matmul(const orr__kernel *k, const orr__launch *l);
/* The kernel of an operation on whole arrays: orr__cpu_kernel_<operation>. */
typedef orr_status orr__cpu_call(const orr__kernel *k, const orr__launch *l);
typedef uint32_t orr__cpu_blocks(const orr__region *r, int block);
/* Adds the parts of the form input that a launch reads; the launch has no addresses. The last launch of the call
 * completes the form. *f: NULL before the first. False: the input is not read in a form. */
typedef bool orr__cpu_form(const orr__kernel *k, const orr__launch *l, orr__value_form **f);
#define OP_NONE(name)
#define OP_KERNEL(name) orr__cpu_call orr__cpu_kernel_##name;
#define OP_BLOCKED(name)                                                                                               \
    orr__cpu_call orr__cpu_kernel_##name;                                                                              \
    orr__cpu_blocks orr__cpu_blocks_##name;                                                                            \
    orr__cpu_form orr__cpu_form_##name;
#define OP(name, cpu, emit, doc) OP_##cpu(name)
#include "ops/structural.def"
#undef OP_BLOCKED
#undef OP_KERNEL
#undef OP_NONE

/* tier1.c: the form of a region by a nest. prepare: jit is NULL if it is never compiled. launch: false if tier 0 must do it. */
orr_status orr__tier1_prepare(orr__tier1 *c, const orr__region *r, int nest);
bool orr__tier1_launch(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l);
void orr__tier1_release(orr__tier1 *c);
/* The variants of a compiled form at the size of a launch. `of` and `apart` tell choices of several kinds and places of data apart. */
orr__variants *orr__tier1_ways(const orr__tier1 *c, const orr__launch *l, uint64_t of, int64_t apart, int n);
/* A variant's turn for *l. If it is a trial, *l may become its first rows; *more: others follow, in *rest. */
orr__pick orr__tier1_turn(orr__variants *v, orr__launch *l, orr__launch *rest, bool *more);

/* jit_tier.c: tier 1. The next calls require k->ncompiled. orr__cpu_tier_launch runs the compiled function; false: interpret.
 * orr__cpu_tier_parts is for kernels of which the interpreter may be the faster tier (k->halves): it begins a turn for the rows of *l; false:
 * interpret what it has left there, end the turn, and call it again for *rest. */
orr_status orr__cpu_tier_prepare(orr__kernel *k, const orr__region *r);
bool orr__cpu_tier_launch(orr__kernel *k, const orr__launch *l);
bool orr__cpu_tier_parts(orr__kernel *k, orr__launch *l, orr__launch *rest, orr__pick *turn);
/* The choice between the nests of a kernel at the size of a launch. */
orr__variants *orr__cpu_nests(const orr__kernel *k, const orr__launch *l);
/* Counts a launch without this compiled form. Returns the number of launches for which its time stands; 0: do not measure the time. */
uint32_t orr__cpu_tier_counts(const orr__tier1 *c);
void orr__cpu_tier_spent(const orr__tier1 *c, double seconds);
void orr__cpu_tier_release(orr__kernel *k);
/* pack.c: a launch of the compiled function that reads copies. word: space for its words. False: tier 0 has to compute
 * the launch. */
bool orr__cpu_packed_launch(orr__cfn *fn, const orr__launch *l, int64_t *word);

/* isa.c: the loops for this processor. */
const orr__vec *orr__cpu_vec(void);
/* For tests: "base", "v3", "v4", "sve", or NULL for the processor's best; false if the processor cannot. Kernels keep the
 * loops with which they were prepared. */
bool orr__cpu_use(const char *isa);

/* scratch.c: at least `bytes` of this thread's memory, 64-byte aligned, contents undefined, valid until the next call.
 * NULL: last error. Freed when the thread ends. */
void *orr__scratch(size_t bytes);
/* The same, which is the memory of a kernel's blocks, and further ones: for copies of operands of a kernel that may run while blocks are in
 * use; copies of factors of a product that is a step of either; a part of a call's result, which its epilogue reads; values of long rows. */
typedef enum {
    ORR__FOR_BLOCKS,
    ORR__FOR_COPIES,
    ORR__FOR_FACTORS,
    ORR__FOR_RESULTS,
    ORR__FOR_ROWS,
    ORR__SCRATCHES
} orr__scratch_kind;
void *orr__scratch_for(orr__scratch_kind kind, size_t bytes);

static inline int orr__size_log2(orr_dtype t)
{
    size_t s = orr_dtype_size(t);
    return s == 32 ? 5 : s == 16 ? 4 : s == 8 ? 3 : s == 4 ? 2 : s == 2 ? 1 : 0;
}

static inline orr__castfn *orr__cast_of(const orr__vec *v, orr_dtype from, orr_dtype to)
{
    return v->cast[(int)from * ORR_DTYPE_COUNT + (int)to];
}

#endif
