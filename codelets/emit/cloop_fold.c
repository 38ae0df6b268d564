/* C functions that fold a block of values as codelets/cpu/vec_fold.c does, so that sums have the same bits.
 * Must not know: loops around blocks. */
#include "config.h"

#include "codelets/emit/cloop_room.h"

/* A block is folded in LANES columns, then these in a fixed tree; few values in their order. */
enum { LANES = 32 };

static orr_dtype folded(const orr__region *r)
{
    return (orr_dtype)r->instr[r->out_reg[0]].dtype;
}

static bool float_sum(const orr__region *r)
{
    return r->rop[0] == ORR__RSUM && orr__is_float(folded(r));
}

/* What was lost of an infinite sum is NaN. */
void orr__cloop_outcome(orr__text *t, const orr__region *r, int number)
{
    if (float_sum(r))
        orr__text_addf(t, "acc%d - acc%d == 0 && lost%d - lost%d == 0 ? acc%d + lost%d : ", number, number, number,
                       number, number, number);
    orr__text_addf(t, "acc%d", number);
}

/* *fold takes in x, one more value, as the dialects say it. */
static void step(orr__text *t, const orr__region *r, const char *fold, const char *type, const char *x)
{
    const char *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    orr__text_addf(t, "    { %s fold = %s; const %s r%d = %s;\n", wide, fold, type, r->out_reg[0], x);
    orr__emit_fold_step(t, r, true);
    orr__text_addf(t, "    %s = fold; }\n", fold);
}

/* lane[l] takes in x[k + l]; a maximum or minimum of floats without asking for NaN, which a sum of the same values shows
 * afterwards: two instructions instead of four. */
static void lanes(orr__text *t, const orr__region *r, bool extreme)
{
    const char *type = orr__emit_type(folded(r));
    if (!extreme) {
        step(t, r, "lane[l]", type, "x[k + l]");
        return;
    }
    orr__text_addf(t,
                   "    {\n    lane[l] = x[k + l] %c lane[l] ? x[k + l] : lane[l];\n    sum[l] += x[k + l];\n    }\n",
                   r->rop[0] == ORR__RMAX ? '>' : '<');
}

/* The sum of numbers is NaN for infinities of both signs, too: then, at the latest, values are asked one by one. */
static void look_for_nan(orr__text *t)
{
    orr__text_addf(
        t, "    for (int v = %d; v > 0; v /= 2)\n    for (int l = 0; l < v; l++)\n        sum[l] += sum[l + v];\n",
        LANES / 2);
    orr__text_add(t, "    for (orr_idx at = 0; sum[0] != sum[0] && at < n; at++)\n        if (x[at] != x[at]) {\n"
                     "            lane[0] = x[at];\n            sum[0] = 0;\n        }\n");
}

/* total := the fold of n values, beginning from `first` */
static void total(orr__text *t, const orr__region *r, int few)
{
    const char *type = orr__emit_type(folded(r)), *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    bool extreme = (r->rop[0] == ORR__RMAX || r->rop[0] == ORR__RMIN) && orr__is_float(folded(r));
    orr__text_addf(t, "    if (n <= %d) {\n    for (orr_idx k = 0; k < n; k++)\n", few);
    step(t, r, "total", type, "x[k]");
    orr__text_addf(t, "    } else {\n    %s lane[%d]%s;\n    orr_idx k = 0;\n", wide, LANES,
                   extreme ? ", sum[32]" : "");
    orr__text_addf(t, "    for (int l = 0; l < %d; l++)\n        %slane[l] = first;\n", LANES,
                   extreme ? "sum[l] = 0, " : "");
    orr__text_addf(t, "    for (; k + %d <= n; k += %d)\n    for (int l = 0; l < %d; l++)\n", LANES, LANES, LANES);
    lanes(t, r, extreme);
    orr__text_addf(t, "    for (int l = 0; k < n; k++, l++)\n    {\n%s", extreme ? "    sum[l] += x[k];\n" : "");
    step(t, r, "lane[l]", type, "x[k]");
    orr__text_addf(t, "    }\n    for (int v = %d; v > 0; v /= 2)\n    for (int l = 0; l < v; l++)\n", LANES / 2);
    step(t, r, "lane[l]", wide, "lane[l + v]");
    if (extreme)
        look_for_nan(t);
    orr__text_add(t, "    total = lane[0];\n    }\n");
}

/* Sums and products of blocks are joined with what was there, float sums with their rounding errors kept (Neumaier);
 * any other fold goes on from it. */
void orr__cloop_fold_functions(orr__text *t, const orr__region *r, int number)
{
    const char *type = orr__emit_type(folded(r)), *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    bool joins = r->rop[0] == ORR__RSUM || r->rop[0] == ORR__RPROD, sum = float_sum(r);
    orr__text_addf(t, "ORR_FN %s orr_first_%d(void)\n{\n", wide, number);
    orr__emit_fold_begin(t, r, true);
    orr__text_addf(t,
                   "    return fold;\n}\nORR_FN void orr_block_%d(%s *acc, orr_f64 *lost, const %s *x, orr_idx n)\n{\n",
                   number, wide, type);
    if (joins)
        orr__text_addf(t, "    (void)lost;\n    const %s first = orr_first_%d();\n", wide, number);
    else
        orr__text_addf(t, "    (void)lost;\n    const %s first = *acc;\n", wide);
    orr__text_addf(t, "    %s total = first;\n", wide);
    total(t, r, !joins ? LANES / 2 : sum && folded(r) == ORR_F64 ? 2 * LANES : LANES);
    if (sum)
        orr__text_add(
            t, "    const orr_f64 s = *acc, sum = s + total, a = s < 0 ? -s : s, b = total < 0 ? -total : total;\n"
               "    *lost += a >= b ? (s - sum) + total : (total - sum) + s;\n    *acc = sum;\n");
    else if (joins)
        step(t, r, "*acc", wide, "total");
    else
        orr__text_add(t, "    *acc = total;\n");
    orr__text_add(t, "}\n");
}
