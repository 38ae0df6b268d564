/* The operations whose meaning is the graph's own: values, placeholders, errors, and the end of a gradient.
 * Must not know: ops/. */
#include "config.h"

#include "runtime/graph/node.h"

enum { LEAF, PLACEHOLDER, POISON, DETACH, RESULT };
_Static_assert(RESULT + 1 == ORR__OP_ROLES, "ops/structural.def follows");

const orr__op orr__op_leaf = { .id = LEAF, .name = "leaf", .role = ORR__ROLE_VALUE, .flags = ORR__OP_ORIGIN };
const orr__op orr__op_placeholder = {
    .id = PLACEHOLDER, .name = "placeholder", .role = ORR__ROLE_PLACEHOLDER, .flags = ORR__OP_ORIGIN
};
const orr__op orr__op_poison = { .id = POISON, .name = "poison", .role = ORR__ROLE_POISON };
const orr__op orr__op_detach = { .id = DETACH,
                                 .name = "detach",
                                 .arity = 1,
                                 .role = ORR__ROLE_THROUGH,
                                 .flags = ORR__OP_STOPS,
                                 .kinds = ORR__TAKES_ANY };
/* The value of a function that ran elsewhere: a leaf that descends from the function's arguments, which it does not hold. */
const orr__op orr__op_result = {
    .id = RESULT, .name = "result", .arity = -1, .role = ORR__ROLE_VALUE, .flags = ORR__OP_ORIGIN, .kinds = ORR__TAKES_ANY
};
