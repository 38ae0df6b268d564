/* Math functions for the loops of the rows, without branches, so that the loops become vector code.
 * Must not know: loops. */
#ifndef ORR_CPU_VMATH_H
#define ORR_CPU_VMATH_H

/* vm_<name>_f32 and vm_<name>_f64 stand for the C names of the value expressions. The interpreter's loops include them,
 * the text of compiled kernels holds them, in the order of this list and of Makefile.am's vmath_parts.
 *
 * Every step is one that IEEE 754 defines, so a function gives the same bits wherever it takes the same steps: in the
 * interpreter's v3 and v4 loops and in what -march=native compiles on such a processor, whatever the vectors' width. The
 * steps are others on a processor without fused multiply-adds (VM_FMA is 0: vmath_plain.h, and the C library where that
 * has nothing): results then differ within the rows' ulp. */
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
