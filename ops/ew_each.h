/* Includes the file EW_EACH once per dtype, between ops/ew_begin.h and ops/ew_end.h. No include guard.
 * Must not know: what EW_EACH does. */
/* #define EW_EACH "codelets/cpu/vec_rows.h"
 * #include "ops/ew_each.h"                    (EW_EACH is undefined again afterwards) */
#define EW_DTYPE EW_BOOL8
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_I8
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_I16
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_I32
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_I64
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_U8
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_U16
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_U32
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_U64
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_F32
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_F64
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_C64
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_C128
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_FR254
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#define EW_DTYPE EW_FQ254
#include "ops/ew_begin.h"
#include EW_EACH
#include "ops/ew_end.h"
#undef EW_EACH
