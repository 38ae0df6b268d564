/* The table of the structural operations. Each contract is in a file of its own.
 * Must not know: how a value is computed, devices. */
#include "config.h"

#include "ops/ops.h"

const orr__op *const orr__structural[] = {
#define OP(name, cpu, emit, doc) [ORR__OP_##name - ORR__OP_ROLES] = &orr__op_##name,
#include "ops/structural.def"
};
_Static_assert((int)ORR__OP_END <= (int)ORR__OP_EW, "element-wise rows have ids of their own");
