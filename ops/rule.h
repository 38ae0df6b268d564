/* Rules that many operations share: the consequences of the distribution of one operand.
 * Must not know: any single operation, grids. */
#ifndef ORR_OPS_RULE_H
#define ORR_OPS_RULE_H

#include "runtime/graph/node.h"

/* Operands and result have the same axes, each of which may be cut. */
bool orr__rule_elements(orr__spread_rule *r);
/* As orr__rule_elements, except for one axis (an operation along it), the last axis (on rows), the last two axes (on
 * matrices), or all axes but the first (on images). */
bool orr__rule_but_axis(orr__spread_rule *r); /* attr.axis */
bool orr__rule_rows(orr__spread_rule *r);
bool orr__rule_matrices(orr__spread_rule *r);
bool orr__rule_first(orr__spread_rule *r);
/* The first two axes, images and channels, of all operands and the result may be cut. */
bool orr__rule_images(orr__spread_rule *r);
/* The axes of operand 0 before `end`, which are also axes of the result, may be cut. The other operands are whole. */
bool orr__rule_beside(orr__spread_rule *r, int end);
/* A product of two operands. Letters name axes `base` and base + 1 of the operands and of the result: "mk", "kn", "mn". A
 * letter that the result lacks is summed over. The axes before `base` are a batch. */
bool orr__rule_product(orr__spread_rule *r, int base, const char *a, const char *b, const char *out);
/* A view: axis `to` of the result is cut as the operand's axis is, if blocks have as many places; `to` < 0: no such axis.
 * Partial operands give partial results, since a view only moves elements. */
bool orr__rule_view(orr__spread_rule *r, int to);

#endif
