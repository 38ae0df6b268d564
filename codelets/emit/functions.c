/* Element-wise operations as functions of the kernel: the text of ops, once per register type.
 * Must not know: the operations' formulas, devices. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include "codelets/emit/emit.h"
#include "ops/ops.h"
#include "runtime/base/element.h"

/* The dtype that selects the function of an instruction: that of its operands in registers. */
orr_dtype orr__emit_operand(const orr__region *r, const orr__rinstr *in)
{
    const orr__ewrow *row = orr__ew(in->op);
    int reg = row->cond ? in->y : in->x;
    return orr__compute_dtype((orr_dtype)r->instr[reg].dtype);
}

/* Does an instruction before n have the same operation on the same type? Its function is then already written. */
static bool seen(const orr__region *r, int n, orr_dtype t)
{
    for (int i = 0; i < n; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_EW && in->op == r->instr[n].op && orr__emit_operand(r, in) == t)
            return true;
    }
    return false;
}

/* The macros that ops/ew_prelude.h requires. */
static void begin(orr__text *t, const orr__dialect *d, orr_dtype dtype, bool fp64)
{
    static const char *const unsigned_of[] = { [ORR_BOOL] = "orr_u8", [ORR_I8] = "orr_u8",   [ORR_I16] = "orr_u16",
                                               [ORR_I32] = "orr_u32", [ORR_I64] = "orr_u64", [ORR_U8] = "orr_u8",
                                               [ORR_U16] = "orr_u16", [ORR_U32] = "orr_u32", [ORR_U64] = "orr_u64" };
    orr_dtype part = orr__part_dtype(dtype);
    const char *kind = dtype == ORR_BOOL        ? "BOOL"
                       : orr__is_complex(dtype) ? "COMPLEX"
                       : orr__is_field(dtype)   ? "FIELD"
                       : orr__is_float(dtype)   ? "FLOAT"
                       : orr__is_signed(dtype)  ? "SIGNED"
                                                : "UNSIGNED";
    orr__text_addf(t, "#define T %s\n#define EW_%s 1\n#define EW_N(n) n##_%s\n", orr__emit_type(dtype), kind,
                   orr__emit_suffix(dtype));
    if (orr__is_inexact(dtype)) {
        bool wide = part == ORR_F64;
        orr__text_addf(t, "#define P %s\n#define EW_PAIR orr_%s\n", orr__emit_type(part), wide ? "c128" : "c64");
        orr__text_addf(t, "#define EW_DOUBLE %d\n#define EW_INF ((P)orr_bits_f32(0x7f800000u))\n", wide);
        orr__text_addf(t, "#define EW_FMA %s\n", d->fma[wide]);
        orr__text_add(t, fp64 ? "#define K(c) ((P)(c))\n" : "#define K(c) c##f\n");
        orr__text_add(t, d->math[wide]);
    } else if (orr__is_field(dtype)) {
        const orr__mod *m = orr__modulus(dtype);
        orr__text_add(t, "#define EW_W orr_u32\n#define EW_D orr_u64\n#define EW_PRIME { ");
        for (int i = 0; i < 8; i++)
            orr__text_addf(t, "%uu%s", (unsigned)(m->p.l[i / 2] >> i % 2 * 32 & UINT32_MAX), i < 7 ? ", " : " }\n");
        orr__text_addf(t, "#define EW_INVERSE %uu\n", (unsigned)(m->inverse & UINT32_MAX));
    } else {
        orr__text_addf(t, "#define U %s\n", unsigned_of[dtype]);
        orr__text_add(t, "#define K(c) ((T)(c))\n");
    }
}

static const char end_text[] =
    "#undef EW_FIELD\n#undef EW_W\n#undef EW_D\n#undef EW_PRIME\n#undef EW_INVERSE\n"
    "#undef T\n#undef P\n#undef EW_PAIR\n#undef EW_COMPLEX\n#undef U\n#undef K\n#undef EW_N\n#undef EW_FLOAT\n"
    "#undef EW_SIGNED\n#undef EW_UNSIGNED\n#undef EW_BOOL\n#undef EW_DOUBLE\n#undef EW_INF\n#undef EW_FMA\n";

void orr__emit_field_helpers(orr__text *t, const orr__dialect *d, orr_dtype field)
{
    orr__text_add(t, "#undef EW_FN\n#define EW_FN ORR_CALL\n");
    begin(t, d, field, false);
    orr__text_add(t, orr__ew_prelude());
    orr__text_add(t, end_text);
}

static void row_function(orr__text *t, const orr__ewrow *row, orr_dtype dtype)
{
    const char *s = orr__emit_suffix(dtype);
    orr_dtype to = orr__ew_result(row, dtype);
    const char *type = orr__emit_type(to);
    orr__text_addf(t, "EW_FN %s orr_%s_%s(%s x%s%s) { return ", type, row->op.name, s, row->cond ? "orr_u8" : "T",
                   row->arity > 1 ? ", T y" : "", row->arity > 2 ? ", T z" : "");
    if (orr__is_compound(to)) /* a struct is not cast */
        orr__text_addf(t, "%s; }\n", orr__ew_value(row, dtype));
    else
        orr__text_addf(t, "(%s)(%s); }\n", type, orr__ew_value(row, dtype));
}

/* Is there a fold of field elements by this operation, without an instruction that has it? */
static bool folds_by(const orr__region *r, int16_t row, orr_dtype dtype)
{
    bool yes = false;
    for (int n = 0; orr__is_field(dtype) && n < r->ninstr + r->nout; n++)
        if (orr__emit_folds(r, n)) {
            orr__region fold = orr__emit_fold_of(r, n);
            yes = yes || ((orr_dtype)r->instr[fold.out_reg[0]].dtype == dtype && orr__emit_fold_row(&fold) == row);
        }
    for (int i = 0; i < r->ninstr; i++)
        yes = yes &&
              !(r->instr[i].kind == ORR__RI_EW && r->instr[i].op == row && orr__emit_operand(r, &r->instr[i]) == dtype);
    return yes;
}

static void rows_of(orr__text *t, const orr__dialect *d, const orr__region *r, orr_dtype dtype, bool fp64)
{
    const int16_t by[] = { orr__fold_row(ORR__RSUM), orr__fold_row(ORR__RPROD) };
    bool any = false;
    for (int i = 0; i < r->ninstr + 2; i++) {
        const orr__rinstr *in = i < r->ninstr ? &r->instr[i] : NULL;
        bool wanted = in ? in->kind == ORR__RI_EW && orr__emit_operand(r, in) == dtype && !seen(r, i, dtype)
                         : folds_by(r, by[i - r->ninstr], dtype);
        if (wanted && !any) {
            begin(t, d, dtype, fp64);
            orr__text_add(t, orr__ew_prelude());
        }
        any = any || wanted;
        if (wanted)
            row_function(t, orr__ew(in ? in->op : by[i - r->ninstr]), dtype);
    }
    if (any) {
        orr__text_add(t, end_text);
        if (orr__is_inexact(dtype))
            orr__text_add(t, d->unmath);
    }
}

void orr__emit_functions(orr__text *t, const orr__dialect *d, const orr__region *r, bool fp64)
{
    orr__text_add(t, "#ifndef ORR_ROW_FN\n#define ORR_ROW_FN ORR_FN\n#endif\n#define EW_FN ORR_ROW_FN\n");
    for (int dtype = 0; dtype < ORR_DTYPE_COUNT; dtype++)
        rows_of(t, d, r, (orr_dtype)dtype, fp64);
}
