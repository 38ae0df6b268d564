/* How a tensor lies along one axis of a process grid, and the struct by which an operation gives its rule.
 * Must not know: any single operation, grids, ranks. */
#ifndef ORR_GRAPH_SPREAD_H
#define ORR_GRAPH_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct orr__node;

typedef enum {
    ORR__WHOLE,   /* every rank has all of it                                            */
    ORR__SHARDED, /* blocks of places of an axis go to the ranks in turn (block-cyclic) */
    ORR__PARTIAL  /* the values of the ranks combine by a reduction                      */
} orr__spread_kind;

typedef struct orr__spread {
    uint8_t kind;
    uint8_t rop;   /* PARTIAL: ORR__RSUM, ORR__RMAX, ORR__RMIN */
    int8_t axis;   /* SHARDED: of the tensor                   */
    int64_t block; /* SHARDED: places                          */
} orr__spread;

static inline bool orr__spread_equal(orr__spread a, orr__spread b)
{
    return a.kind == b.kind && a.rop == b.rop && a.axis == b.axis && a.block == b.block;
}

/* The question: operand k lies as `from`, sharded or partial. The answer: `need`, how the operands must lie so that each rank can
 * compute the node from its own pieces, by the same operation with the same attributes; and `out`, how the result then lies. Shapes are
 * global. */
typedef struct orr__spread_rule {
    const struct orr__node *node;
    const struct orr__node *const *in;
    int nin, k;
    bool empty;    /* a rank has no element of operand k   */
    int64_t ranks; /* along this axis of the grid          */
    orr__spread from;
    orr__spread *need; /* of each operand: whole, but from of operand k */
    orr__spread out;   /* whole                                         */
    double work;       /* operations of the node on all ranks together; default: one per element of the result */
} orr__spread_rule;

#endif
