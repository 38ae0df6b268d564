/* The description of an operation's elements: instructions on registers, and affine maps from the places of an iteration
 * to elements of arrays. The fuser builds regions from them.
 * Must not know: how nodes are grouped, devices. */
#ifndef ORR_OPS_LOWERING_H
#define ORR_OPS_LOWERING_H

#include "runtime/graph/capture.h"

#define ORR__REGION_RANK (ORR_MAX_RANK + 1) /* a batched product of rank 8 iterates over 9 axes */

/* Affine index map over the iteration axes: offset + Σ stride[d]·i[d], in elements of the input. Stride 0 is a broadcast;
 * a negative one is a flip. */
typedef struct orr__access {
    int input; /* region input; -1: the map is itself the index (iota, random) */
    int64_t offset, stride[ORR__REGION_RANK];
    uint32_t box; /* mask of axes d that are restricted to lo[d] ≤ i[d] < hi[d] */
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK]; /* bounds for axes in box, else 0                       */
    bool placed;                                        /* of RI_PLACE or RI_GATHER; the fields below are theirs */
    int64_t by; /* PLACE: length of the axis; GATHER: stride of the axis                                          */
    const char *file, *as;
    int line; /* PLACE: the user's call, for the error; as NULL: a take; RANDOM's call */
} orr__access;

typedef enum {
    ORR__RI_LOAD,   /* input access[a].input at access[a]; outside of its box 0, without a read       */
    ORR__RI_INSIDE, /* bool: is the iteration inside the box of access[a]?                           */
    ORR__RI_SCALAR, /* scalar[slot]                                                                  */
    ORR__RI_IOTA,   /* scalar[slot] + scalar[slot+1]·(access[a] as an index)                          */
    ORR__RI_RANDOM, /* dist op, seed scalar[slot].u, parameters scalar[slot+1…], at index access[a]     */
    ORR__RI_PLACE,  /* register x, an index (i32, i64), as a place on axis `op`, i64: negative ones count from the end.
                       access[a] is the number of the index, for the error if it is out of range     */
    ORR__RI_GATHER, /* input access[a].input at access[a] + access[a].by · register x, a place       */
    ORR__RI_CAST,   /* x from its dtype to dtype                                                     */
    ORR__RI_EW,     /* element-wise row `op` on registers x, y, z                                    */
    ORR__RI_FOLD,   /* register x folded by rop `op` over its row, the last axis, and broadcast along the row */
    ORR__RI_PRODUCT /* register 0 of a matmul: the element of the product                             */
} orr__rikind;

/* One instruction; its index is the number of its result register. `dtype` is the dtype of the value. f16 and bf16 values are
 * in f32 registers; every instruction that makes one rounds it to its dtype. A value of excess precision has dtype F32. */
typedef struct orr__rinstr {
    uint8_t kind, dtype;
    int16_t op;      /* EW: row id (≥ ORR__OP_EW); RANDOM: dist; PLACE: axis */
    int16_t x, y, z; /* operand registers, -1: none                      */
    int16_t a;       /* access, -1: none                                 */
    int32_t slot;    /* first scalar slot of the capture, -1: none       */
} orr__rinstr;

/* The map from the iteration to a node: the index on axis a of the node is off[a] + mul[a] · i[ax[a]] (ax −1:
 * off[a]). One iteration axis per node axis is enough, except on axes with `too`. On axis `taken`, -1: none, the
 * index is off + mul · register `place`. The node exists only where lo[d] ≤ i[d] < hi[d] for all axes d in `box` of
 * the iteration. */
typedef struct orr__view {
    int8_t ax[ORR_MAX_RANK], taken;
    int16_t place;
    int64_t off[ORR_MAX_RANK], mul[ORR_MAX_RANK];
    int8_t too[ORR_MAX_RANK]; /* second iteration axis of an overlapping axis: + more[a] · i[too[a]]; more 0: none */
    int64_t more[ORR_MAX_RANK];
    uint32_t box;
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK];
} orr__view;

/* A region under construction, as an operation sees it. Registers and accesses are numbers from 0. When memory runs
 * out, the functions return 0 and the region is discarded later. */
typedef struct orr__lowering orr__lowering;
struct orr__lowering {
    const orr__capture *p;
    const int64_t *dim; /* the iteration                                           */
    const bool *excess; /* nodes of f16 and bf16 with excess precision (f32); NULL: none */
    int (*node)(orr__lowering *c, int i, const orr__view *v); /* the register of node i, seen through v */
    int16_t (*access)(orr__lowering *c, orr__access a);       /* equal accesses share a number       */
    int (*instr)(orr__lowering *c, orr__rinstr in);           /* equal instructions without a slot share a register */
};

static inline int orr__arg(const orr__capture *p, int i, int k)
{
    return p->arg[p->arg0[i] + k];
}
/* The register of operand k of node i, for the operand seen through v. */
static inline int16_t orr__lower_operand(orr__lowering *c, int i, int k, const orr__view *v)
{
    return (int16_t)c->node(c, orr__arg(c->p, i, k), v);
}

/* The dtype in which a fold `rop` of values of dtype t accumulates. */
orr_dtype orr__fold_dtype(int rop, orr_dtype t);

/* The identity view: node axis a is iteration axis a. */
orr__view orr__view_identity(int rank);
/* A view in which no axis moves yet, with the box of v. */
orr__view orr__view_still(const orr__view *v);
/* Sets axis a of w to axis k of v. */
void orr__view_carry(orr__view *w, int a, const orr__view *v, int k);
/* The affine map of a row-major array of shape s seen through v. */
orr__access orr__view_access(const orr_shape *s, const orr__view *v, int input);
/* Restricts v to places where 0 ≤ axis a < n; false if there is none. */
bool orr__view_narrow(const int64_t *dim, orr__view *v, int a, int64_t n);
bool orr__view_same_box(const orr__view *a, const orr__view *b);
/* True if both views map every place to the same element of a node of that rank. */
bool orr__view_equal(const orr__view *a, const orr__view *b, int rank);
/* inside: the register that is true where the iteration is in the box of v. choose: x there, else other, as values
 * of dtype. */
int16_t orr__lower_inside(orr__lowering *c, const orr__view *v);
int orr__lower_choose(orr__lowering *c, orr_dtype dtype, const orr__view *v, int x, int other);

/* The register of the complex numbers with these parts, registers of dtype `part`. */
int orr__lower_complex(orr__lowering *c, orr_dtype part, int re, int im);

#endif
