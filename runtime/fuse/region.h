/* Regions: groups of nodes that become one kernel. The fuser makes them, the planner orders them, codelets compute
 * them.
 * Must not know: tiles, buffers, devices. */
#ifndef ORR_FUSE_REGION_H
#define ORR_FUSE_REGION_H

#include "ops/lowering.h"
#include "runtime/base/hash.h"
#include "runtime/graph/capture.h"

#define ORR__REGION_OUTS 4

/* LOOPS(name, text): what the loops of a region compute; the text is for people.
 * MAP: an element of each output for each iteration; with axes in rmask, folds.
 * ROWS: a map with RI_FOLD. The last axis is a row, and stays whole. PER_ROW: the same, whose outputs have one element per row.
 * PRODUCT: access[0] · access[1] over batch…, m, n, k. With instructions: a map over batch…, m, n whose register 0 is the product
 * (RI_PRODUCT); the other accesses do not move along k. */
#define ORR__LOOPS(LOOPS) LOOPS(MAP, "map") LOOPS(ROWS, "map") LOOPS(PER_ROW, "map") LOOPS(PRODUCT, "product")
#define LOOPS(name, text) ORR__LOOPS_##name,
typedef enum { ORR__LOOPS(LOOPS) } orr__loops;
#undef LOOPS

/* The largest step of an operand along the last axis that kernels load as vectors, whose elements they then choose among. */
enum { ORR__STEP_NEAR = 4 }; /* limit of search */

typedef struct orr__region {
    orr__call call; /* with an operation: its kernel, on whole arrays; without: loops, which the next fields describe */
    orr__loops loops;
    bool search; /* the index along the one axis in rmask of the max or min of register out_reg[0]         */
    int rank;    /* iteration axes, adjacent ones merged where every access allows; ≥ 1   */
    int64_t dim[ORR__REGION_RANK]; /* (product: batch…, m, n, k)                                             */
    uint32_t rmask;                /* axes over which register out_reg[k] is folded by rop[k]; 0: a map          */
    int rop[ORR__REGION_OUTS];     /* of a search: max or min */
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
    struct orr__region
        *epilogue;       /* of a call: a map that writes the output, from the call's result, its last input, and from
                                     inputs that follow those of the call; NULL: the result is the output           */
    double flops, bytes; /* whole region                                                          */
    int nest;            /* of compiled loops: n + 1 is the nest n of orr__cloop_offers; 0: the one that costs least */
    uint64_t key;        /* content: kind, instructions, dtypes, access classes; no sizes         */
    char label[64];      /* "mul+add+relu", for people                                            */
    const char *file;
    const char *as; /* the function that a call is named after in messages; NULL: its label */
    int line;
} orr__region;

/* The place that errors name: the user's call. */
static inline orr__site orr__region_site(const orr__region *r)
{
    return ORR__SITE(r->file, r->line, r->as ? r->as : r->label);
}

typedef struct orr__regions {
    int n;
    orr__region *region; /* in an executable order */
    int32_t *home;       /* capture node -> the region that computes it; -1: none, or several */
    int nreason;
    char **reason; /* why an edge was not fused, for people */
} orr__regions;

/* Loops whose outputs have an element for each iteration. */
static inline bool orr__region_is_map(const orr__region *r)
{
    return !r->call.op && r->loops != ORR__LOOPS_PRODUCT && !r->rmask;
}
static inline bool orr__region_rows(const orr__region *r)
{
    return r->loops == ORR__LOOPS_ROWS || r->loops == ORR__LOOPS_PER_ROW;
}
/* True for loops that the fuser made, products included: accesses describe all reads. */
static inline bool orr__region_loops(const orr__region *r)
{
    return !r->call.op;
}
/* The class of a region, a small number. Regions of one class take similar times for similar sizes. */
enum { ORR__REGION_CLASSES = 4 + ORR__OP_EW };
static inline int orr__region_class(const orr__region *r)
{
    return r->call.op ? 4 + r->call.op->id : r->loops == ORR__LOOPS_PRODUCT ? 3 : r->search ? 2 : r->rmask != 0;
}

/* The node whose buffer holds node i's elements in row-major order: i itself, or the node that i reshapes. */
int orr__fuse_strip(const orr__capture *p, int i);
/* How far orr__fuse groups the nodes of a capture, after simplifying it (its arg and out arrays change, its meaning
 * does not). FUSE_NONE: one region per node; views still cost nothing. FUSE_ROWS: also folds rows in place
 * (RI_FOLD). FUSE_TILES: also makes products with instructions, which not every backend supports. */
enum { ORR__FUSE_NONE, ORR__FUSE_MAPS, ORR__FUSE_ROWS, ORR__FUSE_TILES };
/* move_reshapes.c: a capture with the meaning, leaves and scalars of p, in which reshapes that mix axes are below element-wise work. It
 * borrows from p. `any`: it differs from p. */
typedef struct {
    orr__capture q;
    bool any;
    orr__node **made;
    int nmade;
} orr__moved;
orr_status orr__move_reshapes(orr__site at, const orr__capture *p, orr__moved *k);
void orr__moved_free(orr__moved *k);
orr_status orr__fuse(orr__site at, const orr__capture *p, int how, orr__regions *out);
void orr__regions_free(orr__regions *r);
void orr__region_free(orr__region *r);               /* its arrays, not r itself */
orr__region *orr__region_copy(const orr__region *r); /* without an epilogue; NULL: no memory */
/* Calls f for each of these arrays, which may be NULL, and may free them. */
void orr__region_blocks(orr__region *r, void (*f)(void *block, void *arg), void *arg);
/* The most elements of input i that are read: a slice of a large array counts as the slice. */
double orr__region_touched(const orr__region *r, int i);
/* The axis along which neighbours lie side by side in the operand; −1: none. */
int orr__region_row_axis(const orr__region *r, const orr__access *x);
/* The axis of the innermost loop: the last, or of a fold, which goes over its axes in any order, one along which far more bytes lie. */
int orr__region_inner_axis(const orr__region *r);
/* The effort of a region, an estimate, in additions of f32: its arithmetic, and the bytes that it reads and writes. Parts of it, between 0 and 1:
 * of instruction i; of its reads beyond their bytes, in an order of places far apart; of what arithmetic in f64 takes longer than in f32. */
#define ORR__WRITTEN 1.5 /* limit of a measurement: a byte that is written, in bytes that are read */
double orr__region_effort(const orr__region *r);
double orr__region_part(const orr__region *r, int i);
double orr__region_part_beyond(const orr__region *r, int i);
double orr__region_part_wide(const orr__region *r);
/* Fills in flops and bytes. */
void orr__region_cost(orr__region *r);
/* Merges axes, then fills in label, key, flops, bytes. */
void orr__region_finish(orr__region *r);
/* Returns memory that its arrays do not use. */
void orr__region_fit(orr__region *r);
/* Makes the label again. as[i], if not NULL, is the name of the user's definition that instruction i belongs to. */
void orr__region_relabel(orr__region *r, const char *const *as);
/* The reason, in words, why `node`, stored by region `from`, was not computed inside region `to`, which reads it.
 * The regions own the text. */
const char *orr__fuse_why(const orr__regions *r, int node, int from, int to);
orr_status orr__regions_verify(const orr__capture *p, const orr__regions *r);
void orr__regions_print(FILE *to, const orr__regions *r);
/* The key of a place that notes know of a region, for a kind of fact and a set of its inputs. It is that of its parts, too (split_reduction.c). */
static inline uint64_t orr__region_notes_key(const orr__region *r, int kind, uint64_t inputs)
{
    const uint64_t is[] = { (uint64_t)(uintptr_t)r->file, (uint64_t)r->line, (uint64_t)r->nin, inputs };
    uint64_t h = orr__hash(is, sizeof is, (uint64_t)kind);
    for (int i = 0; i < r->ninstr; i++)
        h = orr__hash(&r->instr[i].op, sizeof r->instr[i].op, h + r->instr[i].kind);
    return h | 1;
}
/* Instruction i as "r3 = mul r1 r2 : f32". */
void orr__region_print_instr(FILE *to, const orr__region *r, int i);

#endif
