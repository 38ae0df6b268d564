/* The numbers of one recurrence: cell, shapes, planes of the results. The reference and the kernels read them.
 * Must not know: layers, how a step is computed. */
#ifndef ORR_OPS_NN_RECURRENCE_H
#define ORR_OPS_NN_RECURRENCE_H

#include <orrery/recurrent.h>
#include "runtime/base/status.h"
#include "runtime/graph/operation.h"

/* Bits of attr.mask; attr.index is the orr_cell. FIRST: a gradient is that of the first states. */
enum {
    ORR__RECUR_REVERSE = 1,
    ORR__RECUR_KEEPS = 2,
    ORR__RECUR_BIAS = 4,
    ORR__RECUR_LENGTHS = 8,
    ORR__RECUR_FIRST = 16
};

/* Operands: x (batch, steps, gates·hidden), the weighted inputs; w (hidden, gates·hidden); h (batch, hidden); for an LSTM c; if
 * the bits are set, a bias of the product h·w (gates·hidden) and lengths (batch), i64. From its length on the states of a
 * sequence stay.
 * Result: (batch, planes, hidden): h after each step, in the order of x; for an LSTM c after the last step or, with KEEPS, after
 * each; with KEEPS `kept` planes for each step: i f g o, for a GRU r z n and the biased product of n.
 * Operands of a gradient: a result with KEEPS, the cotangents of h (batch, steps, hidden) and, of an LSTM, of the last c; w; h;
 * c; lengths. Its result: (batch, steps, back·hidden), the cotangents of the sums: i f g o; for a GRU r z, the product of n, n.
 * With FIRST: (batch, states, hidden), the cotangents of the first states. */
typedef struct orr__recur {
    int cell, gates, kept, back, states;
    int64_t batch, steps, hidden, planes;
    bool keeps, reverse, first;
    int h, c, bias, length; /* operands, −1: none */
    int w;
} orr__recur;

/* h: the shape of the first state. */
orr__recur orr__recur_of(const orr__attr *a, int64_t steps, const orr_shape *h, bool gradient);

/* The time of step number s. */
static inline int64_t orr__recur_step(const orr__recur *r, int64_t s)
{
    return r->reverse ? r->steps - 1 - s : s;
}

/* A recurrence to be recorded. c, bias, lengths may be NULL. */
typedef struct orr__recurs {
    orr_cell cell;
    bool reverse, keeps;
    orr_tensor *x, *w, *h, *c, *bias, *lengths;
} orr__recurs;

/* Returns h after each step, (batch, steps, hidden); last[] receives the last states. */
orr_tensor *orr__recurrence(orr__site at, const orr__recurs *r, orr_tensor **last);

#endif
