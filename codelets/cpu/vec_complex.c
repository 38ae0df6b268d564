/* Loops of the element-wise operations for complex numbers.
 * Must not know: other dtypes. */
#include "config.h"

#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"

#define EW_M_F32(n) vm_##n##_f32
#define EW_M_F64(n) vm_##n##_f64
#define EW_DTYPE EW_C64
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_C128
#include "codelets/cpu/vec_rows.h"
