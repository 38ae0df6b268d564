/* Reductions inside a work item: accumulator, one step, result.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/emit.h"
#include "ops/ops.h"
#include "runtime/base/element.h"

bool orr__emit_folds(const orr__region *r, int number)
{
    bool reduces = r->rmask != 0;
    return number < r->ninstr ? r->instr[number].kind == ORR__RI_FOLD : reduces && number < r->ninstr + r->nout;
}

orr__region orr__emit_fold_of(const orr__region *r, int number)
{
    orr__region fold = *r;
    int k = number - r->ninstr;
    fold.rop[0] = k < 0 ? r->instr[number].op : r->rop[k];
    fold.out_reg[0] = k < 0 ? r->instr[number].x : r->out_reg[k];
    return fold;
}

int16_t orr__emit_fold_row(const orr__region *r)
{
    return orr__fold_row(r->rop[0]);
}

/* Sums and products use f64, i64 or u64; without f64, f32. Other folds keep the value's own type. */
orr_dtype orr__emit_fold_dtype(const orr__region *r, bool fp64)
{
    orr_dtype t = (orr_dtype)r->instr[r->out_reg[0]].dtype;
    if (r->search || orr__is_field(t) || r->rop[0] == ORR__RMAX || r->rop[0] == ORR__RMIN)
        return t;
    if (r->rop[0] == ORR__RANY || r->rop[0] == ORR__RALL)
        return ORR_BOOL;
    if (orr__is_float(t))
        return fp64 ? ORR_F64 : ORR_F32;
    return orr__is_signed(t) ? ORR_I64 : ORR_U64;
}

/* The initial value of a fold. */
static const char *extreme(orr_dtype t, bool max)
{
    static const char *const least[ORR_DTYPE_COUNT] = {
        [ORR_BOOL] = "0",
        [ORR_I8] = "-128",
        [ORR_I16] = "-32768",
        [ORR_I32] = "(-2147483647 - 1)",
        [ORR_I64] = "(-9223372036854775807L - 1)",
        [ORR_U8] = "0",
        [ORR_U16] = "0",
        [ORR_U32] = "0",
        [ORR_U64] = "0",
        [ORR_F16] = "-orr_bits_f32(0x7f800000u)",
        [ORR_BF16] = "-orr_bits_f32(0x7f800000u)",
        [ORR_F32] = "-orr_bits_f32(0x7f800000u)",
        [ORR_F64] = "-orr_bits_f32(0x7f800000u)",
    };
    static const char *const most[ORR_DTYPE_COUNT] = {
        [ORR_BOOL] = "1",
        [ORR_I8] = "127",
        [ORR_I16] = "32767",
        [ORR_I32] = "2147483647",
        [ORR_I64] = "9223372036854775807L",
        [ORR_U8] = "255",
        [ORR_U16] = "65535",
        [ORR_U32] = "4294967295u",
        [ORR_U64] = "18446744073709551615UL",
        [ORR_F16] = "orr_bits_f32(0x7f800000u)",
        [ORR_BF16] = "orr_bits_f32(0x7f800000u)",
        [ORR_F32] = "orr_bits_f32(0x7f800000u)",
        [ORR_F64] = "orr_bits_f32(0x7f800000u)",
    };
    return max ? least[t] : most[t];
}

void orr__emit_fold_begin(orr__text *t, const orr__region *r, bool fp64)
{
    orr_dtype f = orr__emit_fold_dtype(r, fp64);
    const char *init = "0";
    if (orr__is_field(f)) {
        orr__fe first = orr__element_of(f, r->rop[0] == ORR__RPROD);
        orr__text_add(t, "    orr_element fold;\n");
        for (int i = 0; i < 2 * ORR__LIMBS; i++)
            orr__text_addf(t, "    fold.l[%d] = %uu;\n", i, (unsigned)(first.l[i / 2] >> i % 2 * 32 & UINT32_MAX));
        return;
    }
    if (r->search)
        orr__text_add(t, "    orr_i64 where = -1;\n");
    else if (r->rop[0] == ORR__RMAX || r->rop[0] == ORR__RMIN)
        init = extreme(f, r->rop[0] == ORR__RMAX);
    else if (r->rop[0] == ORR__RPROD || r->rop[0] == ORR__RALL)
        init = "1";
    orr__text_addf(t, "    %s fold = %s;\n", orr__emit_type(f), init);
}

/* `at`: the place of the value. */
static void step_arg(orr__text *t, const orr__region *r, int reg)
{
    orr__text_addf(t, "        if (where < 0 || r%d %c fold", reg, r->rop[0] == ORR__RMAX ? '>' : '<');
    if (orr__is_float((orr_dtype)r->instr[reg].dtype))
        orr__text_addf(t, " || (r%d != r%d && fold == fold)", reg, reg);
    orr__text_addf(t, ") {\n            fold = r%d;\n            where = at;\n        }\n", reg);
}

/* A NaN in `fold` stays: no comparison with it holds. */
static void step_extreme(orr__text *t, const orr__region *r, int reg)
{
    orr__text_addf(t, "        fold = r%d %c fold", reg, r->rop[0] == ORR__RMAX ? '>' : '<');
    if (orr__is_float((orr_dtype)r->instr[reg].dtype))
        orr__text_addf(t, " || r%d != r%d", reg, reg);
    orr__text_addf(t, " ? r%d : fold;\n", reg);
}

void orr__emit_fold_step(orr__text *t, const orr__region *r, bool fp64)
{
    int reg = r->out_reg[0];
    const char *type = orr__emit_type(orr__emit_fold_dtype(r, fp64));
    /* Signed sums and products wrap, so they are computed unsigned. */
    bool wraps = orr__emit_fold_dtype(r, fp64) == ORR_I64;
    if (r->search)
        step_arg(t, r, reg);
    else if (r->rop[0] == ORR__RMAX || r->rop[0] == ORR__RMIN)
        step_extreme(t, r, reg);
    else if (r->rop[0] == ORR__RANY)
        orr__text_addf(t, "        fold |= r%d != 0;\n", reg);
    else if (r->rop[0] == ORR__RALL)
        orr__text_addf(t, "        fold &= r%d != 0;\n", reg);
    else if (orr__is_field(orr__emit_fold_dtype(r, fp64)))
        orr__text_addf(t, "        fold = orr_%s_%s(fold, r%d);\n", orr__ew(orr__emit_fold_row(r))->op.name,
                       orr__emit_suffix(orr__emit_fold_dtype(r, fp64)), reg);
    else if (wraps)
        orr__text_addf(t, "        fold = (orr_i64)((orr_u64)fold %c (orr_u64)(orr_i64)r%d);\n",
                       r->rop[0] == ORR__RSUM ? '+' : '*', reg);
    else
        orr__text_addf(t, "        fold = fold %c (%s)r%d;\n", r->rop[0] == ORR__RSUM ? '+' : '*', type, reg);
}
