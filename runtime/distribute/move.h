/* Moves: a value from one distribution to another, by ordinary nodes around exchanges.
 * Must not know: the graph that a value belongs to, the choice of distributions. */
#ifndef ORR_DISTRIBUTE_MOVE_H
#define ORR_DISTRIBUTE_MOVE_H

#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"

/* The exchanges of one partition in their order. Each has the one before it as an operand, so that all ranks post them in the same
 * order. */
typedef struct orr__exchanges {
    orr__node **node; /* references */
    int n, cap;
    double bytes; /* sent by a rank */
} orr__exchanges;
void orr__exchanges_free(orr__exchanges *e);
/* The list of what each rank exchanges in them, without arrays; to be freed. NULL: no memory, last error set. */
orr__exchange *orr__exchanges_list(const orr__exchanges *e);

/* The bytes that a rank sends to move a value of `bytes` bytes from a to b along an axis of `ranks` ranks; INFINITY: there is no such
 * move. */
double orr__spread_bytes(orr__spread a, orr__spread b, double bytes, int64_t ranks);
/* The same for all axes of a distribution. */
double orr__move_bytes(const orr__distribution *a, const orr__distribution *b, double bytes);
/* True if the move needs an exchange. Otherwise every rank has all that it needs. */
bool orr__move_exchanges(const orr__distribution *a, const orr__distribution *b);
/* The mask of grid axes along which a partial value becomes whole, if the move does nothing else, with *rop as the reduction; else 0. */
unsigned orr__move_reduces(const orr__distribution *a, const orr__distribution *b, int *rop);

/* Moves the local value x, taken over, of a tensor of shape `global` from distribution a to b. NULL: no memory. */
orr__node *orr__move(orr__site at, orr__node *x, const orr_shape *global, const orr__distribution *a,
                     const orr__distribution *b, orr__exchanges *e);
/* Reduces n values of one dtype along the axes of `mask` in one exchange. x[i] is taken over and becomes the result. False: no memory. */
bool orr__move_reduce(orr__site at, orr__node **x, int n, orr_grid *grid, unsigned mask, int rop, orr__exchanges *e);

#endif
