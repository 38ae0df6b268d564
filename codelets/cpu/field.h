/* Shared by the kernels of BN254 on processors: the instruction set's table, the field of an operand.
 * Must not know: plans, StarPU. */
#ifndef ORR_CPU_FIELD_H
#define ORR_CPU_FIELD_H

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/field/kit.h"
#include "ops/field/field.h"

/* The table of this processor. */
const orr__fieldkit *orr__cpu_fieldkit(void);
/* The field of the dtype of an operand. */
orr__field orr__cpu_field_of(const orr__launch *l, int operand);

#endif
