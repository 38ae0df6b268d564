/* Rules that many operations share: what follows from how one operand lies over ranks.
 * Must not know: any single operation, grids. */
#ifndef ORR_OPS_RULE_H
#define ORR_OPS_RULE_H

#include "runtime/graph/node.h"

/* The axes of all operands and of the result are the same: each may be cut. */
bool orr__rule_elements(orr__spread_rule *r);
/* The same but for one axis, the last one, the last two, all but the first: an operation along it, on rows, on matrices, on
 * images. */
bool orr__rule_but_axis(orr__spread_rule *r); /* attr.axis */
bool orr__rule_rows(orr__spread_rule *r);
bool orr__rule_matrices(orr__spread_rule *r);
bool orr__rule_first(orr__spread_rule *r);
/* The first two axes of all, images and channels, may be cut. */
bool orr__rule_images(orr__spread_rule *r);
/* The axes before `end` of operand 0, which are those of the result; of the other operands every rank has all. */
bool orr__rule_beside(orr__spread_rule *r, int end);
/* A product of two operands by the letters of their axes `base` and base + 1, and of the result's: "mk", "kn", "mn". A letter that
 * the result lacks is summed over. The axes before are those of a batch. */
bool orr__rule_product(orr__spread_rule *r, int base, const char *a, const char *b, const char *out);
/* A view: the result is cut along axis `to` where the operand is cut along its own, if the blocks are of as many places; partial
 * operands give partial results, since a view only moves elements. */
bool orr__rule_view(orr__spread_rule *r, int to);

#endif
