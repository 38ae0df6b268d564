/* Matrix instructions (orr_mma) and copies to shared memory without waiting (orr_copy), as functions of a kernel.
 * Must not know: regions, the size of a tile. */
#ifndef ORR_EMIT_MATRIX_H
#define ORR_EMIT_MATRIX_H

#include "codelets/emit/emit.h"

/* The least __CUDA_ARCH__ that has the instruction: f16, bf16, f32 (its operands rounded to 10 bits: TF32), f64. */
int orr__emit_matrix_arch(orr_dtype t);
/* A line that is true where copies run ahead, and large tiles have matrix instructions. */
const char *orr__emit_ahead_if(void);
/* Terms of a sum that one instruction adds. */
int orr__emit_matrix_deep(orr_dtype t);
/* Elements that orr_copy moves at once. */
int orr__emit_matrix_run(orr_dtype t);
/* orr_chunk, 16 bytes; orr_copy(to, from, bytes), orr_sent() behind those of a step, orr_arrived(): all but the last step's are there. */
void orr__emit_copies(orr__text *t, orr_dtype stored);
/* orr_register; orr_fragment(registers, p, across, along, turned) loads 16 rows of the terms, whose elements are `across` apart along the
 * rows, `along` along the terms; p is the lane's own place. orr_mma(c0, c1, a, b0, b1) adds a product to a sum.
 * orr_pair(x, y): two halves as a register. */
void orr__emit_matrix(orr__text *t, orr_dtype stored);

#endif
