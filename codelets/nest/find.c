/* C functions that find the first largest or smallest value of a run, block by block, as the interpreter does. The
 * first NaN counts as the value sought.
 * Must not know: loops around blocks. */
#include "config.h"

#include "codelets/nest/internal.h"

/* Values compared at once: MANY, then SOME, as many as a mask has bits; the rest one by one. */
enum { MANY = 64, SOME = 16 }; /* limit of memory */

/* The values x[k, end), one by one. */
static void one_by_one(orr__text *t, const orr__region *r, const char *end)
{
    const char *type = orr__emit_type(orr__emit_fold_dtype(r, true));
    orr__text_addf(t, "    for (; k < %s; k++) {\n    const %s r%d = x[k];\n    const orr_i64 at = seen + k;\n", end,
                   type, r->out_reg[0]);
    orr__emit_fold_step(t, r, true);
    orr__text_add(t, "    }\n");
}

/* `count` values at a time: their extreme first, then its place if it is better than the previous one. */
static void chunks(orr__text *t, const orr__region *r, int count)
{
    orr_dtype value = orr__emit_fold_dtype(r, true);
    const char *type = orr__emit_type(value);
    char better = r->rop[0] == ORR__RMAX ? '>' : '<';
    bool nan = orr__is_float(value);
    orr__text_addf(
        t,
        "    while (k + %d <= n) {\n    %s lane[%d];\n    int nan = 0;\n    for (int l = 0; l < %d; l++)\n"
        "        lane[l] = x[k + l];\n    for (int b = %d; b < %d; b += %d)\n    for (int l = 0; l < %d; l++)\n"
        "        lane[l] = x[k + b + l] %c lane[l] ? x[k + b + l] : lane[l];\n",
        count, type, SOME, SOME, SOME, count, SOME, SOME, better);
    if (nan)
        orr__text_addf(t, "    for (int l = 0; l < %d; l++)\n        nan |= x[k + l] != x[k + l];\n", count);
    for (int v = SOME / 2; v > 0; v /= 2)
        orr__text_addf(
            t,
            "    for (int l = 0; l < %d; l++)\n        lane[l] = lane[l + %d] %c lane[l] ? lane[l + %d] : lane[l];\n",
            v, v, better, v);
    orr__text_addf(t, "    const orr_idx end = k + %d;\n    if (nan) {\n", count);
    one_by_one(t, r, "end");
    orr__text_addf(t,
                   "    } else if (where < 0 || lane[0] %c fold) {\n    fold = lane[0];\n    unsigned hit = 0;\n"
                   "    for (; !hit; k += %d)\n    for (int l = 0; l < %d; l++)\n"
                   "        hit |= (unsigned)(x[k + l] == fold) << l;\n"
                   "    where = seen + k - %d + __builtin_ctz(hit);\n    }\n    k = end;\n    }\n",
                   better, SOME, SOME, SOME);
}

void orr__cloop_find_functions(orr__text *t, const orr__region *r, int number)
{
    const char *type = orr__emit_type(orr__emit_fold_dtype(r, true));
    orr__text_addf(t,
                   "typedef struct {\n    %s value;\n    orr_i64 where, seen;\n} orr_found;\n"
                   "ORR_FN orr_found orr_first_%d(void)\n{\n",
                   type, number);
    orr__emit_fold_begin(t, r, true);
    orr__text_addf(t,
                   "    const orr_found none = { fold, where, 0 };\n    return none;\n}\n"
                   "ORR_FN void orr_block_%d(orr_found *acc, orr_f64 *lost, const %s *x, orr_idx n)\n{\n"
                   "    (void)lost;\n    %s fold = acc->value;\n    orr_i64 where = acc->where;\n"
                   "    const orr_i64 seen = acc->seen;\n    orr_idx k = 0;\n",
                   number, type, type);
    chunks(t, r, MANY);
    chunks(t, r, SOME);
    one_by_one(t, r, "n");
    orr__text_add(t, "    acc->value = fold;\n    acc->where = where;\n    acc->seen = seen + n;\n}\n");
}
