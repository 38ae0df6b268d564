/* Element-wise rows applied to single values: the plain definition that every engine is measured against.
 * Must not know: arrays, engines. */
#include "config.h"

#include "ops/ew_id.h"
#include "ops/ops.h"

typedef void (*eval_fn)(void *r, const void *x, const void *y, const void *z);

#define EW_EACH "ops/ew_eval_rows.h"
#include "ops/ew_each.h"

static const eval_fn *const by_dtype[ORR_DTYPE_COUNT] = {
    [ORR_BOOL] = rows_bool8,  [ORR_I8] = rows_i8,   [ORR_I16] = rows_i16,   [ORR_I32] = rows_i32,
    [ORR_I64] = rows_i64,     [ORR_U8] = rows_u8,   [ORR_U16] = rows_u16,   [ORR_U32] = rows_u32,
    [ORR_U64] = rows_u64,     [ORR_F16] = rows_f32, [ORR_BF16] = rows_f32,  [ORR_F32] = rows_f32,
    [ORR_F64] = rows_f64,     [ORR_C64] = rows_c64, [ORR_C128] = rows_c128, [ORR_FR254] = rows_fr254,
    [ORR_FQ254] = rows_fq254,
};

void orr__ew_eval_at(const orr__ewrow *row, orr_dtype dtype, void *r, const void *x, const void *y, const void *z)
{
    by_dtype[dtype][row->op.id - ORR__OP_EW](r, x, y, z);
}

orr__scalar orr__ew_eval(const orr__ewrow *row, orr_dtype dtype, orr__scalar x, orr__scalar y, orr__scalar z)
{
    const orr__scalar v[3] = { x, y, z };
    uint64_t in[3] = { 0, 0, 0 }, out = 0;
    orr_dtype sits = orr__compute_dtype(dtype);
    if (!orr__ew_takes_scalars(row, dtype)) /* recording refuses this; an internal caller that does not gets a zero */
        return (orr__scalar){ .u = 0 };
    for (int k = 0; k < row->arity; k++)
        orr__scalar_store(&in[k], row->cond && k == 0 ? ORR_BOOL : sits, v[k]);
    orr__ew_eval_at(row, dtype, &out, &in[0], &in[1], &in[2]);
    orr__scalar r = orr__scalar_load(&out, row->to_bool ? ORR_BOOL : sits);
    if (orr__is_half(dtype) && !row->to_bool)
        r = orr__scalar_cast(r, ORR_F32, dtype);
    return r;
}
