/* Shared by the kernels of BN254 on processors: the instruction set's table, elements in and out of Montgomery's form, refusals.
 * Must not know: plans, StarPU. */
#ifndef ORR_CPU_FIELD_H
#define ORR_CPU_FIELD_H

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/field/kit.h"
#include "ops/field/field.h"

/* The table of this processor. */
const orr__fieldkit *orr__cpu_fieldkit(void);
/* Refuses n elements of an operand that are not all below the modulus; they are elements first, first + 1, … of it. */
orr_status orr__cpu_field_check(const orr__launch *l, orr__field f, int operand, const orr__fe *x, int64_t first,
                                int64_t n);
/* z = x·2^256, z = x/2^256. z may be x. */
void orr__cpu_field_enter(orr__field f, orr__fe *z, const orr__fe *x, int64_t n);
void orr__cpu_field_leave(orr__field f, orr__fe *z, const orr__fe *x, int64_t n);

#endif
