/* Slices of values as leaves of a capture: the slice is copied, so that its place is no part of the key. A loop over the places of a slice
 * then has one plan.
 * Must not know: plans. */
#ifndef ORR_GRAPH_SLICE_COPY_H
#define ORR_GRAPH_SLICE_COPY_H

#include "runtime/graph/capture.h"

/* True if n, which has no value, is a slice that can be copied: of a finished value in row-major order, and of a size that fits into the
 * caches of a core. */
bool orr__slice_is_copied(const orr__node *n);
/* True if the elements of the slice lie one after the other in the value. */
bool orr__slice_is_adjacent(const orr__node *n, const orr__node *of);
/* True if an element of the operation's result may depend on several elements of an operand. */
static inline bool orr__slice_copy_folds(const orr__op *op)
{
    int p = op->pattern;
    bool one =
        p == ORR__PATTERN_VIEW || p == ORR__PATTERN_ELEMENT || p == ORR__PATTERN_GATHER || p == ORR__PATTERN_CHOICE;
    return !one || op->flags & ORR__OP_SEVERAL;
}
/* True if the capture has such leaves, and its values are to the bit those of the graph: the order of a sum may depend on the distance of
 * its terms in memory. */
static inline bool orr__slices_agree(const orr__capture *p)
{
    return p->nslice > 0 && !(p->strided && p->folds);
}
/* Copies the slices, and makes them the buffers of their leaves. */
orr_status orr__slices_copy(orr__capture *p);

#endif
