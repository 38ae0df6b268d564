/* Math functions for the loops of operations, without branches, so that the loops vectorise.
 * Must not know: loops. */
#ifndef ORR_CPU_VMATH_H
#define ORR_CPU_VMATH_H

/* vm_<name>_f32 and vm_<name>_f64 replace the C names of the value expressions. The interpreter's loops include them,
 * and the text of compiled kernels contains them, in the order of this list and of vmath_parts in codelets/sources.am.
 *
 * Every step is defined by IEEE 754, so a function gives the same bits wherever it takes the same steps: in the
 * interpreter's v3 and v4 loops and in code compiled by -march=native for such a processor, with any vector width.
 * Without fused multiply-adds the steps differ (VM_FMA is 0: vmath_plain.h, and the C library for the other functions),
 * and results differ within the rows' ulp. */
#include "codelets/cpu/vmath_base.h"
#include "codelets/cpu/vmath_normal.h"
#include "codelets/cpu/vmath_f32.h"
#include "codelets/cpu/vmath_f64.h"
#include "codelets/cpu/vmath_inverse.h"
#include "codelets/cpu/vmath_pow.h"
#include "codelets/cpu/vmath_trig.h"
#include "codelets/cpu/vmath_near.h"
#include "codelets/cpu/vmath_wide.h"
#include "codelets/cpu/vmath_plain.h"
#include "codelets/cpu/vmath_libc.h"

#endif
