/* Loops of the element-wise rows for f64.
 * Must not know: other dtypes. */
#include "config.h"

/* These passes turn a choice between values into jumps, and loops with jumps do not become vector code. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps")
#endif

#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"

#define EW_M_F32(n) vm_##n##_f32
#define EW_M_F64(n) vm_##n##_f64
#define EW_DTYPE EW_F64
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"
