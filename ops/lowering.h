/* How an operation says what its elements are: instructions on registers, and affine maps from the places of an iteration
 * to elements of arrays. The fuser makes regions of them.
 * Must not know: how nodes are grouped, devices. */
#ifndef ORR_OPS_LOWERING_H
#define ORR_OPS_LOWERING_H

#include "runtime/graph/capture.h"

#define ORR__REGION_RANK (ORR_MAX_RANK + 1) /* a batched product of rank 8 iterates over 9 axes */

/* Affine index map over the iteration axes: offset + Σ stride[d]·i[d], in elements of the input. Stride 0 is a broadcast;
 * a negative one is a flip. */
typedef struct orr__access {
    int input; /* which region input; -1: the map is an index by itself (iota, random) */
    int64_t offset, stride[ORR__REGION_RANK];
    uint32_t box;                                       /* axes d where it holds for lo[d] ≤ i[d] < hi[d] alone */
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK]; /* of these; 0 of the others                            */
    bool placed;                                        /* of RI_PLACE or RI_GATHER, which read what follows    */
    int64_t by; /* PLACE: places on the axis; GATHER: elements from one to the next                               */
    const char *file;
    int line; /* PLACE: where the user took, for the error */
} orr__access;

typedef enum {
    ORR__RI_LOAD,   /* input access[a].input at access[a]; outside of its box 0, and nothing is read  */
    ORR__RI_INSIDE, /* bool: is the iteration inside the box of access[a]?                           */
    ORR__RI_SCALAR, /* scalar[slot]                                                                  */
    ORR__RI_IOTA,   /* scalar[slot] + scalar[slot+1]·(access[a] as an index)                          */
    ORR__RI_RANDOM, /* dist op, seed scalar[slot].u, parameters scalar[slot+1…], at index access[a]     */
    ORR__RI_PLACE,  /* register x, an index (i32, i64), as a place on axis `op`, i64: negative ones count from the end.
                       access[a] is the index's number, for the error when there is no such place    */
    ORR__RI_GATHER, /* input access[a].input at access[a] + access[a].by · register x, a place       */
    ORR__RI_CAST,   /* x from its dtype to dtype                                                     */
    ORR__RI_EW,     /* element-wise row `op` on registers x, y, z                                    */
    ORR__RI_FOLD,   /* register x folded by rop `op` over its row, the last axis, and seen by the whole row */
    ORR__RI_PRODUCT /* of a matmul, register 0: the element of the product                            */
} orr__rikind;

/* One instruction; its result is register number = its own index. `dtype` is the value's dtype; f16 and bf16 values
 * sit in f32 registers, rounded to their dtype by every instruction that makes one. A value of excess precision has dtype F32. */
typedef struct orr__rinstr {
    uint8_t kind, dtype;
    int16_t op;      /* EW: row id (≥ ORR__OP_EW); RANDOM: dist; PLACE: axis */
    int16_t x, y, z; /* operand registers, -1: none                      */
    int16_t a;       /* access, -1: none                                 */
    int32_t slot;    /* first scalar slot of the capture, -1: none       */
} orr__rinstr;

/* How the iteration sees a node: axis a of the node stands at off[a] + mul[a] · i[ax[a]] (ax −1: at off[a]). One
 * iteration axis per node axis is enough for every view. Axis `taken`, -1: none, stands at off + mul · register `place`.
 * The node is there for lo[d] ≤ i[d] < hi[d] alone, for axes d in `box` of the iteration. */
typedef struct orr__view {
    int8_t ax[ORR_MAX_RANK], taken;
    int16_t place;
    int64_t off[ORR_MAX_RANK], mul[ORR_MAX_RANK];
    int8_t too[ORR_MAX_RANK]; /* an overlapping axis moves along a second one: by more[a] · i[too[a]]; 0: it does not */
    int64_t more[ORR_MAX_RANK];
    uint32_t box;
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK];
} orr__view;

/* A region under construction, as an operation sees it. Registers and accesses are numbers from 0; where memory is short,
 * they are 0 and the region is given up later. */
typedef struct orr__lowering orr__lowering;
struct orr__lowering {
    const orr__capture *p;
    const int64_t *dim; /* the iteration                                           */
    const bool *excess; /* nodes of f16 and bf16 that keep the precision of f32; NULL: none */
    int (*node)(orr__lowering *c, int i, const orr__view *v); /* the register of node i as v sees it */
    int16_t (*access)(orr__lowering *c, orr__access a);       /* equal ones are one                  */
    int (*instr)(orr__lowering *c, orr__rinstr in);           /* equal ones without a slot are one   */
};

static inline int orr__arg(const orr__capture *p, int i, int k)
{
    return p->arg[p->arg0[i] + k];
}
/* Operand k of node i, as it sees the node. */
static inline int16_t orr__lower_operand(orr__lowering *c, int i, int k, const orr__view *v)
{
    return (int16_t)c->node(c, orr__arg(c->p, i, k), v);
}

/* v as seen by nothing: every axis where it is. */
orr__view orr__view_identity(int rank);
/* No axis of the result moves yet; the box is v's. */
orr__view orr__view_still(const orr__view *v);
/* Axis a of w is axis k of v. */
void orr__view_carry(orr__view *w, int a, const orr__view *v, int k);
/* The affine map of a row-major array of shape s seen through v. */
orr__access orr__view_access(const orr_shape *s, const orr__view *v, int input);
/* v holds where, besides, 0 ≤ axis a < n: false when that is nowhere. */
bool orr__view_narrow(const int64_t *dim, orr__view *v, int a, int64_t n);
bool orr__view_same_box(const orr__view *a, const orr__view *b);
/* Do both see the same elements of a node of that rank at every place? */
bool orr__view_equal(const orr__view *a, const orr__view *b, int rank);
/* The register that says whether the iteration is where v holds; x where it does, else other, as values of dtype. */
int16_t orr__lower_inside(orr__lowering *c, const orr__view *v);
int orr__lower_choose(orr__lowering *c, orr_dtype dtype, const orr__view *v, int x, int other);

/* The register of complex numbers whose parts, of dtype `part`, are in these registers. */
int orr__lower_complex(orr__lowering *c, orr_dtype part, int re, int im);

#endif
