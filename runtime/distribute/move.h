/* Moves: a value from one distribution to another, as ordinary nodes around exchanges.
 * Must not know: the graph that a value belongs to, the choice of distributions. */
#ifndef ORR_DISTRIBUTE_MOVE_H
#define ORR_DISTRIBUTE_MOVE_H

#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"

/* The exchanges of one partition in their order: each has the one before it as an operand, so that all ranks post them alike. */
typedef struct orr__exchanges {
    orr__node **node; /* references */
    int n, cap;
    double bytes; /* that a rank sends */
} orr__exchanges;
void orr__exchanges_free(orr__exchanges *e);

/* Bytes that a rank sends when a value of so many goes from a to b along an axis of so many ranks; INFINITY: there is no such move. */
double orr__spread_bytes(orr__spread a, orr__spread b, double bytes, int64_t ranks);
/* The same of a distribution. */
double orr__move_bytes(const orr__distribution *a, const orr__distribution *b, double bytes);
/* Does it take an exchange? Else every rank has its operands. */
bool orr__move_exchanges(const orr__distribution *a, const orr__distribution *b);
/* The axes of the grid along which a value that is partial becomes whole, where that is all that the move does; else 0. */
unsigned orr__move_reduces(const orr__distribution *a, const orr__distribution *b, int *rop);

/* The local value x of a tensor of shape `global`, taken over, in its new distribution. NULL: no memory. */
orr__node *orr__move(orr__site at, orr__node *x, const orr_shape *global, const orr__distribution *a,
                     const orr__distribution *b, orr__exchanges *e);
/* The reduction of n values of one dtype along the axes of `mask` in one exchange; x[i] is taken over and becomes the result. */
bool orr__move_reduce(orr__site at, orr__node **x, int n, orr_grid *grid, unsigned mask, int rop, orr__exchanges *e);

#endif
