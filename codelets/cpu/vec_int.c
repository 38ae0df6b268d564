/* Loops of the element-wise operations for integers and bool.
 * Must not know: other dtypes. */
#include "config.h"

#include "codelets/cpu/vec.h"

#define EW_DTYPE EW_BOOL8
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_I8
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_I16
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_I32
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_I64
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_U8
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_U16
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_U32
#include "codelets/cpu/vec_rows.h"
#define EW_DTYPE EW_U64
#include "codelets/cpu/vec_rows.h"
