/* Loops of the element-wise operations for integers and bool.
 * Must not know: other dtypes. */
#include "config.h"

#include "codelets/cpu/vec.h"

#define EW_DTYPE EW_BOOL8
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_I8
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_I16
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_I32
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_I64
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_U8
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_U16
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_U32
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"

#define EW_DTYPE EW_U64
#include "ops/ew_begin.h"
#include "codelets/cpu/vec_rows.h"
#include "ops/ew_end.h"
