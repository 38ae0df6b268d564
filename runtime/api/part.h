/* Parts of a graph: the elements of a node in a box, computed from those parts of its operands that they need. */
#ifndef ORR_API_PART_H
#define ORR_API_PART_H

#include "runtime/graph/capture.h"

/* The elements from `start` on, as many as the shape has; the rank is that of the node. */
typedef struct {
    int64_t start[ORR_MAX_RANK];
    orr_shape shape;
} orr__box;

enum { ORR__PARTS_WHOLE = 8 };
typedef struct {
    const orr__capture *p;
    orr__site at;
    int depth;
    orr__box *box;    /* by node: the last part of it */
    orr__node **made; /* …, NULL: none               */
    int whole
        [ORR__PARTS_WHOLE]; /* folds that a part needs whole, nodes of p; with their values other parts need less work */
    int nwhole;
} orr__parts;

bool orr__parts_begin(orr__parts *a, orr__site at, const orr__capture *p);
void orr__parts_end(orr__parts *a);

/* The box of element e of an array. */
orr__box orr__box_of_element(const orr_shape *of, int64_t e);
/* The place of element e of a box in an array of shape `of`. */
int64_t orr__box_place(const orr__box *b, const orr_shape *of, int64_t e);
/* The elements of operand k from which the box of node i, an element-wise operation, a fold or a product, is computed. */
orr__box orr__box_of_operand(const orr__capture *p, int i, int k, const orr__box *b);
/* The place in the operand that element e of node i shows, a view; −1: it is not known. */
int64_t orr__part_source(const orr__capture *p, int i, int64_t e);
/* The part of node i, a reference; NULL: no memory. Element-wise operations, views, folds and products compute what it needs
 * alone; other nodes are computed whole. */
orr__node *orr__part_in_box(orr__parts *a, int i, const orr__box *b);

#endif
