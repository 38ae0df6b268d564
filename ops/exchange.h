/* Nodes by which ranks exchange values, and nodes that say how a value lies over them.
 * Must not know: how messages travel, the choice of distributions. */
#ifndef ORR_OPS_EXCHANGE_H
#define ORR_OPS_EXCHANGE_H

#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"

/* One exchange, as the attributes of a node say it. */
typedef struct orr__exchange_call {
    orr__exchange_kind kind;
    orr__reduction reduction;
    orr_grid *grid;
    unsigned mask; /* of the axes of the grid along which ranks exchange */
} orr__exchange_call;

/* x, a row, becomes a row of so many elements. `after` is an exchange that every rank posts earlier, or NULL: its value counts for
 * nothing, but ranks post their exchanges in one order. Takes over x alone. */
orr__node *orr__rec_exchange(orr__site at, const orr__exchange_call *c, orr__node *x, orr__node *after, int64_t count);
orr__exchange_call orr__exchange_call_of(const orr__attr *a);
bool orr__is_exchange(const orr__op *op);

/* The distribution that a node asks for its operand: false: it is no such node. `like` is set where it is that of operand 1. */
bool orr__distribute_asks(const orr__node *n, int *number, bool *like);
orr__node *orr__rec_distribute(orr__site at, orr__node *n, int number);

#endif
