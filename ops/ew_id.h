/* Numbers of the element-wise rows: ORR__EW_add and so on, the op ids of their nodes.
 * Must not know: what a row means. */
#ifndef ORR_OPS_EW_ID_H
#define ORR_OPS_EW_ID_H

#include "runtime/graph/node.h"

enum {
    ORR__EW_BEFORE = ORR__OP_EW - 1,
#define UNARY(name, ...) ORR__EW_##name,
#define BINARY(name, ...) ORR__EW_##name,
#define TERNARY(name, ...) ORR__EW_##name,
#include "ops/elementwise.def"
    ORR__EW_END
};

#endif
