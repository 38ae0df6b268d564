/* Loops of the element-wise operations for f64.
 * Must not know: other dtypes. */
#include "config.h"

/* These passes turn a choice between values into jumps, and loops with jumps do not vectorise. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps")
#endif

#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"

#define EW_M_F32(n) vm_##n##_f32
#define EW_M_F64(n) vm_##n##_f64
/* Replacements in the loops of operations with one operand. */
#define vm_sin_f64(x) (near ? (far |= vm_is_far_f64(x), vm_near_sin_f64(x)) : (vm_sin_f64)(x))
#define vm_cos_f64(x) (near ? (far |= vm_is_far_f64(x), vm_near_cos_f64(x)) : (vm_cos_f64)(x))
#define EW_DTYPE EW_F64
#include "codelets/cpu/vec_rows.h"
