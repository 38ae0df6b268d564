/* Inside of the CPU backend: a region lowered to a program of block operations, and how one launch runs it.
 * Must not know: StarPU, plans. */
#ifndef ORR_CPU_CPU_H
#define ORR_CPU_CPU_H

#include <pthread.h>
#include "codelets/codelet.h"
#include "codelets/emit/cloop.h"
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
    bool per_row;        /* one value a row: folds, and what is made of them */
    bool still;          /* of a take: its place is the same all along the last axis */
    bool once;           /* the same in every block: computed before the first one             */
    int16_t reg, x, y, z;
    int16_t slot;         /* the scratch block that holds the result, -1: none                  */
    int16_t out;          /* the output that is the result's place, or a store's, -1: none      */
    int16_t access, dist; /* dist: of a fold, its rop; of a place, its axis                                           */
    int32_t scalar;
    orr__vecfn *row;
    orr__roundfn *round; /* f16, bf16: the result to its dtype                                 */
} orr__vop;

/* Data that the function of an operation keeps between the launches of one kernel. */
typedef struct orr__own {
    pthread_mutex_t lock;
    void *data;
    void (*forget)(void *data);
    orr__value_form *form; /* of launches of `rows` rows; NULL: none */
    int64_t rows;          /* 0: not asked for yet                   */
} orr__own;

struct orr__kernel {
    orr__own *own;                /* of an operation on whole arrays, else NULL */
    struct orr__kernel *epilogue; /* … its region's; NULL: it has none    */
    struct orr__jit *jit;         /* tier 1; NULL: never compiled */
    int64_t *word;                /* … of a launch of all rows: its words, but for scalars; NULL: it packs */
    int nword, nscalar;           /* … so many, and so many of scalars behind them */
    bool packs;                   /* tier 1 reads copies of some operands */
    size_t keeps;                 /* … has memory for values of long rows: bytes */
    bool halves;                  /* f16 is computed: which tier is faster is measured */
    atomic_bool interpreted;      /* tier 0 is, at the last launch's size */
    struct orr__tail *tail;       /* of a product: the map over its elements; NULL: none */
    bool small;                   /* of a product: orr__product_is_small */
    const orr__vec *vec;
    /* Iteration, axes in the order in which blocks walk; `first`: where the region's axis 0 is, -1: it has none. */
    int rank, first;
    int64_t dim[ORR__REGION_RANK];
    int naccess;
    orr__access *access;  /* strides in that order */
    int64_t block;        /* elements in a block; whole rows of the last axis where that is short */
    int nreg, nop, nslot; /* operations that run once stand first */
    int nonce;
    size_t slot_bytes;
    orr__vop *op;
    int nout;                         /* of a fold or search: for each output, */
    int result[ORR__REGION_OUTS];     /* … the register that is folded        */
    uint8_t folded[ORR__REGION_OUTS]; /* … its dtype                          */
    int rop[ORR__REGION_OUTS];
    bool rows; /* axes are kept…, reduced…, kept…: rows are folded into a row; else kept…, reduced… */
    int nouter, nreduced; /* axes of the first and of the second group      */
    int across;           /* of a map: the axis along which a load has its neighbours, other than the last one; -1 */
};

/* A launch under way. */
typedef struct {
    const orr__kernel *k;
    const orr__launch *l;
    int64_t dim[ORR__REGION_RANK], total;
    int64_t origin[ORR__REGION_RANK]; /* where this launch, or box of it, begins */
    char *out[ORR__REGION_OUTS];      /* where iteration 0 of this launch writes */
    orr__vec_view *view;
    const void **reg;
    char *slot;
    int64_t *index; /* room for one block each */
    void *wide;
    uint16_t *half;
    orr_status st; /* ORR_EINDEX once an index was out of range */
    void *more;    /* the memory that the caller of orr__vrun_begin asked for */
    bool in_place; /* the output lies over an input: blocks of inputs are copied before it is written */
} orr__vrun;

/* isa.c: does BLAS multiply what is small without packing it first? */
bool orr__cpu_blas_small(void);
/* program.c: operations, registers' places, block size. */
orr_status orr__program(const orr__region *r, orr__kernel *k);
/* program_run.c: memory of this thread, views, what is computed once. `more` bytes for the caller. */
orr_status orr__vrun_begin(orr__vrun *v, const orr__kernel *k, const orr__launch *l, size_t more);
/* The box of v->dim at v->origin from now on: views, and what is computed once. */
void orr__vrun_box(orr__vrun *v);
/* Iterations p … p+n, n ≤ k->block, to be asked for while v->st is ORR_OK; p a multiple of the last axis when that is shorter than half a block. */
void orr__vrun_block(orr__vrun *v, int64_t p, int64_t n);

/* gather.c: operations of these kinds. */
void orr__vrun_place(orr__vrun *v, const orr__vop *op, int64_t *dst, int64_t p, int64_t n);
void orr__vrun_take(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n);

/* box.c: operations of these kinds: a load of what is there in a box alone, and where that is. */
void orr__vrun_part(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n);
void orr__vrun_inside(const orr__vrun *v, const orr__vop *op, bool *dst, int64_t p, int64_t n);

/* reduce.c: in which dtype values of t are accumulated, what changes nothing, and the outcome as that dtype. */
orr_dtype orr__fold_dtype(int rop, orr_dtype t);
orr__accroom orr__fold_identity(int rop, orr_dtype t);
void orr__fold_end(orr__acc *a, int rop, orr_dtype t);
/* n values of dtype `from`, as stored, into a register of dtype `to`. */
void orr__into_register(const orr__vrun *v, orr_dtype from, orr_dtype to, void *dst, const void *src, int64_t n);

orr_status orr__cpu_map(const orr__kernel *k, const orr__launch *l);
orr_status orr__cpu_reduce(const orr__kernel *k, const orr__launch *l);
orr_status orr__cpu_argreduce(const orr__kernel *k, const orr__launch *l);
orr_status orr__cpu_matmul(const orr__kernel *k, const orr__launch *l);
/* The kernel of an operation on whole arrays: orr__cpu_kernel_<operation>. */
typedef orr_status orr__cpu_call(const orr__kernel *k, const orr__launch *l);
typedef uint32_t orr__cpu_blocks(const orr__region *r, int block);
/* Adds what a launch, which has no addresses, reads of the input that may lie in a form; the last one of the call completes it. *f: NULL
 * before the first. False: it is not taken so. */
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

/* jit_tier.c: tier 1. With k->jit only: a launch through the compiled function (false: interpret; *trial is set if the time of that is wanted
 * beside the function's), time spent without. */
orr_status orr__cpu_tier_prepare(orr__kernel *k, const orr__region *r);
bool orr__cpu_tier_launch(orr__kernel *k, const orr__launch *l, orr__variants **trial);
/* Counts a launch in tier 0; for how many launches its time stands. 0: it is not taken. */
uint32_t orr__cpu_tier_counts(const orr__kernel *k);
void orr__cpu_tier_spent(orr__kernel *k, double seconds);
void orr__cpu_tier_tried(orr__variants *trial, const orr__launch *l, double seconds);
void orr__cpu_tier_release(orr__kernel *k);
/* pack.c: a launch of the compiled function that reads copies; room for its words. False: tier 0 has to do it. */
bool orr__cpu_packed_launch(orr__cfn *fn, const orr__launch *l, int64_t *word);

/* isa.c: the loops for this processor. */
const orr__vec *orr__cpu_vec(void);
/* For tests: "base", "v3", "v4", or NULL for what the processor has; false when it cannot. Kernels keep the loops with
 * which they were prepared. */
bool orr__cpu_use(const char *isa);

/* scratch.c: at least `bytes` of this thread's memory, 64-byte aligned, content undefined, until the next call. NULL:
 * last error. It is freed when the thread ends. */
void *orr__scratch(size_t bytes);
/* The same, another memory: for copies of operands, while a kernel of which this is a part uses the first. */
void *orr__scratch_for_copies(size_t bytes);
/* A third one: for copies of the factors of a product, whatever it is a part of. */
void *orr__scratch_for_factors(size_t bytes);
/* A fourth one: for part of a call's result, which its epilogue reads. */
void *orr__scratch_for_results(size_t bytes);
/* A fifth one: for values of long rows. */
void *orr__scratch_for_rows(size_t bytes);

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
