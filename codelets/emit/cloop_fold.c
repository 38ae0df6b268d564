/* C loops of reductions: runs of reduced elements folded in columns, or rows of kept ones folded into a row.
 * Must not know: what the instructions compute. */
#include "config.h"

#include "codelets/emit/cloop_room.h"

/* As in codelets/cpu/vec_fold.c: a block is folded in LANES columns, then these in a fixed tree; few values in their
 * order. */
enum { LANES = 32 };

static orr_dtype folded(const orr__region *r)
{
    return (orr_dtype)r->instr[r->out_reg[0]].dtype;
}

static bool float_sum(const orr__region *r)
{
    return r->rop == ORR__RSUM && orr__is_float(folded(r));
}

/* *fold takes in x, one more value, as the dialects say it. */
static void step(orr__text *t, const orr__region *r, const char *fold, const char *type, const char *x)
{
    orr__text_addf(t, "    { orr_fold fold = %s; const %s r%d = %s;\n", fold, type, r->out_reg[0], x);
    orr__emit_fold_step(t, r, true);
    orr__text_addf(t, "    %s = fold; }\n", fold);
}

static void fold_type(orr__text *t, const orr__region *r)
{
    orr__emit_fold_begin(t, r, true);
    orr__text_add(t, "    typedef __typeof__(fold) orr_fold;\n");
}

/* Sums and products of blocks are joined with what was there, float sums with their rounding errors kept (Neumaier);
 * any other fold goes on from it. */
void orr__cloop_fold_function(orr__text *t, const orr__region *r)
{
    const char *type = orr__emit_type(folded(r));
    bool joins = r->rop == ORR__RSUM || r->rop == ORR__RPROD;
    int few = !joins ? LANES / 2 : float_sum(r) && folded(r) == ORR_F64 ? 2 * LANES : LANES;
    orr__text_addf(t, "static inline void orr_fold_block(void *was, orr_f64 *lost, const %s *x, orr_idx n)\n{\n", type);
    fold_type(t, r);
    orr__text_addf(t, "    (void)lost;\n    orr_fold *const acc = was, first = %s, total = first;\n",
                   joins ? "fold" : "*acc");
    orr__text_addf(t, "    if (n <= %d) {\n    for (orr_idx k = 0; k < n; k++)\n", few);
    step(t, r, "total", type, "x[k]");
    orr__text_addf(t, "    } else {\n    orr_fold lane[%d];\n    orr_idx k = 0;\n", LANES);
    orr__text_addf(t, "    for (int l = 0; l < %d; l++)\n        lane[l] = first;\n", LANES);
    orr__text_addf(t, "    for (; k + %d <= n; k += %d)\n    for (int l = 0; l < %d; l++)\n", LANES, LANES, LANES);
    step(t, r, "lane[l]", type, "x[k + l]");
    orr__text_add(t, "    for (int l = 0; k < n; k++, l++)\n");
    step(t, r, "lane[l]", type, "x[k]");
    orr__text_addf(t, "    for (int v = %d; v > 0; v /= 2)\n    for (int l = 0; l < v; l++)\n", LANES / 2);
    step(t, r, "lane[l]", "orr_fold", "lane[l + v]");
    orr__text_add(t, "    total = lane[0];\n    }\n");
    if (float_sum(r))
        orr__text_add(t, "    const orr_f64 s = *acc, sum = s + total, a = s < 0 ? -s : s, b = total < 0 ? -total : total;\n"
                         "    *lost += a >= b ? (s - sum) + total : (total - sum) + s;\n    *acc = sum;\n");
    else if (joins)
        step(t, r, "*acc", "orr_fold", "total");
    else
        orr__text_add(t, "    *acc = total;\n");
    orr__text_add(t, "}\n");
}

/* When nothing is folded, no input may be read either. */
static void nothing(orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__text_add(c->t, "    orr_idx cells = 1, points = 1;\n");
    for (int d = 0; d < r->rank; d++)
        orr__text_addf(c->t, "    %s *= W(%d);\n", r->rmask >> d & 1u ? "points" : "cells", orr__cloop_size_at(r, d));
    orr__text_add(c->t, "    if (points == 0) {\n    for (orr_idx i = 0; i < cells; i++) {\n");
    orr__emit_fold_end(c->t, r, &c->lay, true);
    orr__text_add(c->t, "    }\n    return 0;\n    }\n    if (cells == 0)\n        return 0;\n    orr_idx at = 0;\n");
}

/* Is the value what stands in memory, element after element? Its place then, else NULL. */
static bool lies(const orr__cloop *c)
{
    const orr__region *r = c->r;
    const orr__rinstr *in = &r->instr[r->out_reg[0]];
    return in->kind == ORR__RI_LOAD && !orr__is_half((orr_dtype)in->dtype) &&
           c->lay.move[in->a * ORR_MAX_RANK + r->rank - 1] == ORR__MOVE_UNIT;
}

static void runs(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last), reg = r->out_reg[0];
    orr__text_addf(c->t, "    orr_fold acc = fold;\n    orr_f64 lost = 0;\n");
    orr__cloop_open(c, c->outer, last);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    if (lies(c)) {
        /* the address of the first one: the load itself, with the loop's variable standing still */
        orr__text_addf(c->t, "    const orr_idx i%d = q;\n    const %s *const x = &in%d[", last,
                       orr__emit_type(folded(r)), r->access[r->instr[reg].a].input);
        orr__emit_index(c->t, r, &c->lay, r->instr[reg].a, false);
        orr__text_add(c->t, "];\n    orr_fold_block(&acc, &lost, x, e - q);\n    }\n");
    } else {
        orr__text_addf(c->t, "    %s block[%d];\n", orr__emit_type(folded(r)), ORR__CLOOP_BLOCK);
        orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = q; i%d < e; i%d++) {\n", last, last, last);
        orr__cloop_values(c, last);
        orr__text_addf(c->t, "    block[i%d - q] = r%d;\n    }\n", last, reg);
        orr__text_add(c->t, "    orr_fold_block(&acc, &lost, block, e - q);\n    }\n");
    }
    orr__cloop_close(c, c->outer, last);
    orr__text_add(c->t, "    { orr_fold fold = acc; const orr_idx i = at++;\n");
    if (float_sum(r))
        orr__text_add(c->t, "    fold = fold - fold == 0 && lost - lost == 0 ? fold + lost : fold;\n");
    orr__emit_fold_end(c->t, r, &c->lay, true);
    orr__text_add(c->t, "    }\n");
}

static void rows(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    orr_fold acc[%d];\n    for (orr_idx k = 0; k < e - q; k++)\n        acc[k] = fold;\n",
                   ORR__CLOOP_BLOCK);
    orr__cloop_open(c, c->outer, last);
    orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = q; i%d < e; i%d++) {\n", last, last, last);
    orr__text_addf(c->t, "    orr_fold fold = acc[i%d - q];\n", last);
    orr__cloop_values(c, last);
    orr__emit_fold_step(c->t, r, true);
    orr__text_addf(c->t, "    acc[i%d - q] = fold;\n    }\n", last);
    orr__cloop_close(c, c->outer, last);
    orr__text_add(c->t, "    for (orr_idx k = 0; k < e - q; k++) {\n    const orr_fold fold = acc[k];\n"
                        "    const orr_idx i = at + q + k;\n");
    orr__emit_fold_end(c->t, r, &c->lay, true);
    orr__text_addf(c->t, "    }\n    }\n    at += W(%d);\n", size);
}

void orr__cloop_reduce(orr__cloop *c)
{
    const orr__region *r = c->r;
    fold_type(c->t, r);
    nothing(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, c->outer);
    (r->rmask >> (r->rank - 1) & 1u ? runs : rows)(c);
    orr__cloop_close(c, 0, c->outer);
}
