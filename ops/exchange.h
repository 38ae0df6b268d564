/* Nodes by which ranks exchange values, and nodes that set the distribution of a value.
 * Must not know: how messages travel, the choice of distributions. */
#ifndef ORR_OPS_EXCHANGE_H
#define ORR_OPS_EXCHANGE_H

#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"

/* One exchange, as encoded in the attributes of a node. */
typedef struct orr__exchange_call {
    orr__exchange_kind kind;
    orr__reduction reduction;
    orr_grid *grid;
    unsigned mask; /* of the axes of the grid along which ranks exchange */
} orr__exchange_call;

/* Records an exchange of x, a row, whose result is a row of `count` elements. `after` is an exchange that every rank posts
 * earlier, or NULL. Its value is not used; it makes all ranks post their exchanges in the same order. Takes over x, not
 * `after`. */
orr__node *orr__rec_exchange(orr__site at, const orr__exchange_call *c, orr__node *x, orr__node *after, int64_t count);
orr__exchange_call orr__exchange_call_of(const orr__attr *a);
/* The same as an exchange of values, without arrays, whose result has `count` elements. */
orr__exchange orr__exchange_of_call(const orr__attr *a, orr_dtype dtype, int64_t count);
bool orr__is_exchange(const orr__op *op);

/* Returns the number of the distribution that a node requests for its operand; false if the node is no such node. *like is
 * set where it is that of operand 1. */
bool orr__distribute_asks(const orr__node *n, int *number, bool *like);
/* The elements of t as a row of (ranks, count), whose other rows are 0. Of a t that is a partial sum over `ranks` ranks of a grid each
 * rank has its term as its row, and nothing is sent. */
orr_tensor *orr__terms(orr__site at, orr_tensor *t, int64_t ranks);
/* True if the value of n is, or is computed from, a value over several ranks, as far as the nearest nodes show: a guess for the choice
 * between two ways to record a computation. */
bool orr__lies_over_ranks(orr__node *n);
orr__node *orr__rec_distribute(orr__site at, orr__node *n, int number);

#endif
