/* C functions that fold a block of values as codelets/cpu/vec_fold.c does, so that sums have the same bits.
 * Must not know: loops around blocks. */
#include "config.h"

#include <stdio.h>
#include "codelets/nest/internal.h"

static orr_dtype folded(const orr__region *r)
{
    return (orr_dtype)r->instr[r->out_reg[0]].dtype;
}

static bool float_sum(const orr__region *r)
{
    return r->rop[0] == ORR__RSUM && orr__is_float(folded(r));
}

/* The compensation of an infinite sum is NaN; that of one block is 0. */
void orr__cloop_outcome(orr__text *t, const orr__region *r, int number)
{
    if (float_sum(r) && orr__cloop_of_cell(r) > ORR__CLOOP_BLOCK)
        orr__text_addf(t, "acc%d - acc%d == 0 && lost%d - lost%d == 0 ? acc%d + lost%d : ", number, number, number,
                       number, number, number);
    orr__text_addf(t, "acc%d", number);
}

/* Text: *fold := *fold combined with x, one more value, in the dialects' words. */
static void step(orr__text *t, const orr__region *r, const char *fold, const char *type, const char *x)
{
    const char *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    orr__text_addf(t, "    { %s fold = %s; const %s r%d = %s;\n", wide, fold, type, r->out_reg[0], x);
    orr__emit_fold_step(t, r, true);
    orr__text_addf(t, "    %s = fold; }\n", fold);
}

/* Text: lane[l] := lane[l] combined with x[k + l]. A maximum or minimum of floats does not test for NaN, which a sum of
 * the same values reveals afterwards: two instructions instead of four. */
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

/* The sum is NaN also for infinities of both signs. In either case the values are tested one by one. */
static void look_for_nan(orr__text *t, int columns)
{
    for (int v = columns / 2; v > 0; v /= 2)
        orr__text_addf(t, "    for (int l = 0; l < %d; l++)\n        sum[l] += sum[l + %d];\n", v, v);
    orr__text_add(t, "    for (orr_idx at = 0; sum[0] != sum[0] && at < n; at++)\n        if (x[at] != x[at]) {\n"
                     "            lane[0] = x[at];\n            sum[0] = 0;\n        }\n");
}

static bool joins(const orr__region *r)
{
    return r->rop[0] == ORR__RSUM || r->rop[0] == ORR__RPROD;
}

int orr__cloop_columns(const orr__region *r, int64_t n)
{
    return !joins(r) || !orr__is_float(folded(r)) || n <= ORR__CLOOP_FEW ? 1
           : n <= ORR__CLOOP_SOME                                        ? ORR__CLOOP_SOME_LANES
                                                                         : ORR__CLOOP_LANES;
}

/* lane[0] := the fold of this many lanes. Each level is a separate loop of constant length. As one loop nest, the length is
 * computed at run time, and the tree of a block costs as much as half of its values; unrolled, the tree does not
 * vectorise. A maximum or minimum of floats needs no test for NaN here, either. */
static void tree(orr__text *t, const orr__region *r, int columns, bool extreme)
{
    for (int v = columns / 2; v > 0; v /= 2) {
        char other[24];
        (void)snprintf(other, sizeof other, "lane[l + %d]", v);
        orr__text_addf(t, "%s    for (int l = 0; l < %d; l++)\n", v > 1 ? "    ORR_VECTOR_LOOP\n" : "", v);
        if (extreme)
            orr__text_addf(t, "        lane[l] = %s %c lane[l] ? %s : lane[l];\n", other,
                           r->rop[0] == ORR__RMAX ? '>' : '<', other);
        else
            step(t, r, "lane[l]", orr__emit_type(orr__emit_fold_dtype(r, true)), other);
    }
}

/* *acc := *acc combined with the fold of a block, or of columns of one. Float sums keep the rounding error (Neumaier); a sum with zero has
 * none. */
static void join_functions(orr__text *t, const orr__region *r, int number)
{
    static const int columns[2] = { ORR__CLOOP_SOME_LANES, ORR__CLOOP_LANES };
    const char *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    orr__text_addf(t, "ORR_FN void orr_add_%d(%s *acc, orr_f64 *lost, %s total)\n{\n    (void)lost;\n", number, wide,
                   wide);
    if (float_sum(r))
        orr__text_add(
            t, "    if (*acc == 0) {\n    *acc += total;\n    return;\n    }\n"
               "    const orr_f64 s = *acc, sum = s + total, a = s < 0 ? -s : s, b = total < 0 ? -total : total;\n"
               "    *lost += a >= b ? (s - sum) + total : (total - sum) + s;\n    *acc = sum;\n");
    else
        step(t, r, "*acc", wide, "total");
    orr__text_add(t, "}\n");
    for (int k = 0; k < 2; k++) {
        orr__text_addf(t, "ORR_FN %s orr_tree%d_%d(%s *lane)\n{\n", wide, columns[k], number, wide);
        tree(t, r, columns[k], false);
        orr__text_add(t, "    return lane[0];\n}\n");
    }
}

/* Compilers take a loop over few columns apart before they vectorise it. */
static const char *few_columns(int columns)
{
    return columns < ORR__CLOOP_LANES ? "    ORR_VECTOR_LOOP\n" : "";
}

/* The last values, fewer than the columns, as a partial vector. A column without a value folds the first value once more, which changes
 * nothing. Float extremes, whose first value may be infinite, leave such a column as it is: its sum would be infinite, too. */
static void rest(orr__text *t, const orr__region *r, int columns, bool extreme)
{
    const char *type = orr__emit_type(folded(r)), *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    if (orr__is_compound(folded(r)))
        return;
    orr__text_addf(t, "#if ORR_VECTOR >= %d\n",
                   orr_dtype_size(folded(r)) < 4 && folded(r) != ORR_F16 && folded(r) != ORR_BF16 ? 64 : 32);
    const char *lane = orr__emit_lane((int)orr__dtype_size(orr__compute_dtype(folded(r))));
    orr__text_addf(t,
                   "    const %s left = (%s)(n - k);\n    %s live = left;\n    __asm__(\"\" : \"+r\"(live));\n"
                   "    if (k < n)\n%s    for (int l = 0; l < %d; l++) {\n"
                   "    const %s r%d = (%s)l < left ? x[k + l] : (%s)%s;\n    %s fold = lane[l];\n",
                   lane, lane, lane, *few_columns(columns) ? few_columns(columns) : "    ORR_LOOP\n", columns, type,
                   r->out_reg[0], lane, type, extreme ? "0" : "first", wide);
    if (extreme)
        orr__text_addf(
            t,
            "    sum[l] += r%d;\n    fold = r%d %c fold ? r%d : fold;\n    lane[l] = (%s)l < live ? fold : lane[l];\n",
            r->out_reg[0], r->out_reg[0], r->rop[0] == ORR__RMAX ? '>' : '<', r->out_reg[0], lane);
    else {
        orr__emit_fold_step(t, r, true);
        orr__text_add(t, "    lane[l] = fold;\n");
    }
    orr__text_add(t, "    }\n    k = n;\n#endif\n");
}

/* Folds n values from `first` on into lane[0 … columns). */
static void by_columns(orr__text *t, const orr__region *r, int columns, bool extreme)
{
    const char *type = orr__emit_type(folded(r)), *apart = few_columns(columns);
    orr__text_addf(t, "%s    for (int l = 0; l < %d; l++)\n        %slane[l] = first;\n", apart, columns,
                   extreme ? "sum[l] = 0, " : "");
    orr__text_addf(t, "    for (; k + %d <= n; k += %d)\n%s    for (int l = 0; l < %d; l++)\n", columns, columns, apart,
                   columns);
    lanes(t, r, extreme);
    rest(t, r, columns, extreme);
    orr__text_addf(t, "    for (int l = 0; k < n; k++, l++)\n    {\n%s", extreme ? "    sum[l] += x[k];\n" : "");
    step(t, r, "lane[l]", type, "x[k]");
    orr__text_add(t, "    }\n");
}

/* Folds n values from `first` on into `total`: a few in order, more in columns. */
static void block(orr__text *t, const orr__region *r, int number, const int columns[2], bool extreme)
{
    const char *type = orr__emit_type(folded(r)), *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    /* Sums of bytes in order are sums of vectors, too. */
    int in_order = joins(r) && columns[0] == ORR__CLOOP_LANES ? ORR__CLOOP_LANES : ORR__CLOOP_FEW;
    orr__text_addf(
        t, "    %s total = first, lane[%d]%s;\n    orr_idx k = 0;\n    if (n <= %d) {\n    for (; k < n; k++)\n", wide,
        ORR__CLOOP_LANES, extreme ? ", sum[32]" : "", in_order);
    step(t, r, "total", type, "x[k]");
    for (int c = 0; c < 2 && columns[c]; c++) {
        orr__text_addf(t, c || !columns[1] ? "    } else {\n" : "    } else if (n <= %d) {\n", ORR__CLOOP_SOME);
        by_columns(t, r, columns[c], extreme);
        if (joins(r)) {
            orr__text_addf(t, "    total = orr_tree%d_%d(lane);\n", columns[c], number);
            continue;
        }
        tree(t, r, columns[c], extreme);
        if (extreme)
            look_for_nan(t, columns[c]);
        orr__text_add(t, "    total = lane[0];\n");
    }
    orr__text_add(t, "    }\n");
}

/* Sums and products of blocks are joined with the result so far. Any other fold continues from the result so far. */
void orr__cloop_fold_functions(orr__text *t, const orr__region *r, int number)
{
    const char *type = orr__emit_type(folded(r)), *wide = orr__emit_type(orr__emit_fold_dtype(r, true));
    bool extreme = (r->rop[0] == ORR__RMAX || r->rop[0] == ORR__RMIN) && orr__is_float(folded(r));
    bool narrow = orr__dtype_size(orr__compute_dtype(folded(r))) < sizeof(float); /* fills vectors of bytes */
    bool some = orr__cloop_lanes(r) < ORR__CLOOP_LANES;
    const int columns[2] = { narrow ? ORR__CLOOP_LANES : ORR__CLOOP_SOME_LANES, some || narrow ? 0 : ORR__CLOOP_LANES };
    orr__text_addf(t, "ORR_FN %s orr_first_%d(void)\n{\n", wide, number);
    orr__emit_fold_begin(t, r, true);
    orr__text_add(t, "    return fold;\n}\n");
    if (joins(r))
        join_functions(t, r, number);
    orr__text_addf(t, "ORR_FN void orr_block_%d(%s *acc, orr_f64 *lost, const %s *x, orr_idx n)\n{\n    (void)lost;\n",
                   number, wide, type);
    if (joins(r))
        orr__text_addf(t, "    const %s first = orr_first_%d();\n", wide, number);
    else
        orr__text_addf(t, "    const %s first = *acc;\n", wide);
    block(t, r, number, columns, extreme);
    if (joins(r))
        orr__text_addf(t, "    orr_add_%d(acc, lost, total);\n}\n", number);
    else
        orr__text_add(t, "    *acc = total;\n}\n");
}
