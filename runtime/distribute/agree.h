/* Agreement: all ranks compute the same nodes in common, or each returns an error that shows two lines. A node that a rank computes alone may
 * have a value on one rank and none on another.
 * Must not know: how the graph is computed. */
#ifndef ORR_DISTRIBUTE_AGREE_H
#define ORR_DISTRIBUTE_AGREE_H

#include "runtime/graph/capture.h"

/* Hashes of a capture without scalars and values of leaves. */
typedef struct orr__structure {
    uint64_t a, b;   /* of all nodes: equal on all ranks for equal graphs */
    uint64_t common; /* of the common nodes, whose operands of the rank alone are values like others: must be equal */
    int64_t items;   /* the number of common nodes and of such operands */
} orr__structure;
/* p is a capture in full. ORR_ENOMEM: last error set. */
orr_status orr__agree_structure(const orr__capture *p, orr__structure *s);

/* The first rank whose graph differs from that of rank 0, and the number of items of rank 0's graph. rank 0: all graphs are equal.
 * allowed: the common nodes are equal. */
typedef struct orr__difference {
    int rank;
    bool allowed;
    int64_t items;
} orr__difference;

/* Collective: one message of a few bytes. `structure` is that of p, which may be a light capture. Scalars are
 * compared too. flags: on input, those of this rank, on return, of any. */
enum { ORR__AGREE_STOPS = 1, ORR__AGREE_NEW = 2 }; /* the rank may stop the evaluation; it has yet to prepare it */
orr_status orr__agree(orr__site at, orr__structure structure, const orr__capture *p, orr__difference *d, int *flags);
/* Collective, if there is a difference. Returns ORR_ERANK, with the first node that differs as two ranks have it, or ORR_OK: the ranks differ in
 * what each computes alone. Compares all numbers that are certain to be equal. p is a capture in full. mine: not ORR_OK, with the last error, if
 * this rank has none: it and the others have an error then, as after orr__ranks_can. */
orr_status orr__agree_tell(orr__site at, const orr__capture *p, const orr__difference *d, orr_status mine);

#endif
