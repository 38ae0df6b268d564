/* Regions: groups of nodes that become one kernel. What the fuser makes, codelets compute and the planner orders.
 * Must not know: tiles, buffers, devices. */
#ifndef ORR_FUSE_REGION_H
#define ORR_FUSE_REGION_H

#include "runtime/graph/capture.h"

typedef enum {
    ORR__G_MAP,       /* element-wise: out[k][i] = value of register out_reg[k] at i                 */
    ORR__G_REDUCE,    /* out[k]: the value of register out_reg[k], reduced by rop[k] over the axes in rmask */
    ORR__G_ARGREDUCE, /* index along the one axis in rmask of the max/min of register out_reg[0]     */
    ORR__G_MATMUL,    /* access[0] · access[1]; dims: batch…, m, n, k. With instructions: a map over
                           (batch…, m, n), whose register 0 is the product (RI_PRODUCT); the other accesses do not
                           move along k */
    ORR__G_TAKE,
    ORR__G_SCATTER_ADD,
    ORR__G_CONCAT,
    ORR__G_PAD, /* on contiguous inputs; `node` facts below */
    ORR__G_CHOLESKY,
    ORR__G_SOLVE, /* likewise; dims: (batch,) m, n, all batch axes in one */
    ORR__G_USER,  /* a user's kernel, on contiguous inputs; dims: the result's                    */
    ORR__G_KINDS
} orr__gkind;

/* Affine index map over the region's iteration axes: offset + Σ stride[d]·i[d], in elements of the input. stride 0 is a
 * broadcast; negative is a flip. */
#define ORR__REGION_RANK (ORR_MAX_RANK + 1) /* a batched matmul of rank 8 iterates over 9 axes */
typedef struct orr__access {
    int input; /* which region input; -1: the map is an index by itself (iota, random) */
    int64_t offset, stride[ORR__REGION_RANK];
    uint32_t box; /* axes d where it is there for lo[d] ≤ i[d] < hi[d] alone (of concat, pad) */
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK]; /* of these; 0 of the others                           */
    bool placed; /* of RI_PLACE or RI_GATHER, which read what follows                    */
    int64_t by;  /* PLACE: places on the axis; GATHER: elements from one to the next     */
    const char *file;
    int line; /* PLACE: where the user took, for the error                            */
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
 * sit in f32 registers, rounded to their dtype by every instruction that makes one. */
typedef struct orr__rinstr {
    uint8_t kind, dtype;
    int16_t op;      /* EW: row id (≥ ORR__OP_EW); RANDOM: dist; PLACE: axis */
    int16_t x, y, z; /* operand registers, -1: none                      */
    int16_t a;       /* access, -1: none                                 */
    int32_t slot;    /* first scalar slot of the capture, -1: none       */
} orr__rinstr;

#define ORR__REGION_OUTS 4

typedef struct orr__region {
    orr__gkind kind;
    int rank;                      /* iteration axes, adjacent ones merged where every access allows; ≥ 1   */
    int64_t dim[ORR__REGION_RANK]; /* (matmul: batch…, m, n, k)                                              */
    bool rows;                     /* a map with RI_FOLD: the last axis is a row, and stays whole              */
    bool per_row;                  /* … whose outputs have one element a row                                 */
    uint32_t rmask;                /* reduced iteration axes                                                */
    int rop[ORR__REGION_OUTS];     /* an ARGREDUCE's: max or min */
    int ninstr;
    orr__rinstr *instr;
    int naccess;
    orr__access *access;
    int nin;
    int32_t *in;
    uint8_t *in_dtype;
    int64_t *in_count; /* capture node, dtype, elements */
    int nout;
    int32_t out[ORR__REGION_OUTS];
    int16_t out_reg[ORR__REGION_OUTS];
    uint8_t out_dtype[ORR__REGION_OUTS];
    int64_t out_count; /* elements of each output; contiguous, row-major over the kept axes in order */
    /* TAKE … USER: shapes and attributes of the one node */
    orr__attr attr;
    orr_shape shape;
    orr_shape *in_shape;
    int32_t slot;
    const struct orr__define *user; /* USER: its definition                                                  */
    double flops, bytes;            /* whole region                                                          */
    uint64_t key;                   /* content: kind, instructions, dtypes, access classes; no sizes         */
    char label[64];                 /* "mul+add+relu", for people                                            */
    const char *file;
    int line;
} orr__region;

typedef struct orr__regions {
    int n;
    orr__region *region; /* in an order that can be run */
    int32_t *home;       /* capture node -> region it is computed in; -1: none, or several */
    int nreason;
    char **reason; /* why an edge was not fused, for people */
} orr__regions;

/* A node in row-major order is its own buffer whatever its shape: the node whose buffer holds node i's elements in
 * order, i itself or what i reshapes. */
int orr__fuse_strip(const orr__capture *p, int i);
/* Groups the nodes of a capture, after simplifying it (its arg and out arrays change, its meaning does not).
 * With FUSE_NONE one node is one region (views still cost nothing). FUSE_ROWS also folds rows in place (RI_FOLD),
 * FUSE_TILES also has products with instructions, which not every backend can. */
enum { ORR__FUSE_NONE, ORR__FUSE_MAPS, ORR__FUSE_ROWS, ORR__FUSE_TILES };
orr_status orr__fuse(orr__site at, const orr__capture *p, int how, orr__regions *out);
void orr__regions_free(orr__regions *r);
void orr__region_free(orr__region *r); /* its arrays, not r itself */
/* Fills in flops and bytes. */
void orr__region_cost(orr__region *r);
/* Merges axes, then fills in label, key, flops, bytes. */
void orr__region_finish(orr__region *r);
/* The label anew: as[i], where not NULL, names what instruction i is part of. */
void orr__region_relabel(orr__region *r, const char *const *as);
/* Why `node`, stored by region `from`, was not computed inside region `to`, which reads it. In words; the regions own
 * the text. */
const char *orr__fuse_why(const orr__regions *r, int node, int from, int to);
orr_status orr__regions_verify(const orr__capture *p, const orr__regions *r);
void orr__regions_print(FILE *to, const orr__regions *r);

#endif
