/* C loops of reductions: runs of reduced elements folded block by block, or rows of kept ones folded into a row.
 * Must not know: what the instructions compute. */
#include "config.h"

#include "codelets/emit/cloop_room.h"

static const char *wide(const orr__cloop *c)
{
    return orr__emit_type(orr__emit_fold_dtype(c->r, true));
}

/* When nothing is folded, no input may be read either. */
static void nothing(orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__text_add(c->t, "    orr_idx cells = 1, points = 1;\n");
    for (int d = 0; d < r->rank; d++)
        orr__text_addf(c->t, "    %s *= W(%d);\n", r->rmask >> d & 1u ? "points" : "cells", orr__cloop_size_at(r, d));
    orr__text_addf(c->t, "    const %s first = orr_first_%d();\n", wide(c), r->ninstr);
    orr__text_addf(
        c->t, "    if (points == 0)\n    for (orr_idx i = 0; i < cells; i++) {\n    const %s fold = first;\n", wide(c));
    orr__emit_fold_end(c->t, r, &c->lay, true);
    orr__text_add(c->t, "    }\n    if (points == 0 || cells == 0)\n        return 0;\n    orr_idx at = 0;\n");
}

/* Is what is folded one array, element after element? */
static bool lies(const orr__cloop *c)
{
    const orr__region *r = c->r;
    const orr__rinstr *in = &r->instr[r->out_reg[0]];
    return c->outer == r->rank - 1 && in->kind == ORR__RI_LOAD && !orr__is_half((orr_dtype)in->dtype) &&
           c->lay.move[in->a * ORR_MAX_RANK + r->rank - 1] == ORR__MOVE_UNIT;
}

static void in_place(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last), a = r->instr[r->out_reg[0]].a;
    orr__text_addf(c->t, "    for (orr_idx i%d = 0; i%d < W(%d); i%d += %d)\n", last, last, size, last,
                   ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    orr_block_%d(&acc%d, &lost%d, in%d + (", r->ninstr, r->ninstr, r->ninstr,
                   r->access[a].input);
    orr__emit_index(c->t, r, &c->lay, a, false);
    orr__text_addf(c->t, "), W(%d) - i%d < %d ? W(%d) - i%d : %d);\n", size, last, ORR__CLOOP_BLOCK, size, last,
                   ORR__CLOOP_BLOCK);
}

/* Blocks go on over the ends of runs, as the interpreter's do. */
static void by_blocks(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last), reg = r->out_reg[0];
    orr__text_addf(c->t, "    %s block[%d];\n    orr_idx fill = 0;\n", orr__emit_type((orr_dtype)r->instr[reg].dtype),
                   ORR__CLOOP_BLOCK);
    orr__cloop_open(c, c->outer, last);
    orr__text_addf(c->t, "    for (orr_idx q = 0, e; q < W(%d); q = e) {\n", size);
    orr__text_addf(c->t, "    e = W(%d) - q < %d - fill ? W(%d) : q + %d - fill;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    orr__cloop_all_ahead(c);
    orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = q; i%d < e; i%d++) {\n", last, last, last);
    orr__cloop_values(c, last);
    orr__text_addf(c->t, "    block[fill + (i%d - q)] = r%d;\n    }\n    fill += e - q;\n", last, reg);
    orr__text_addf(
        c->t, "    if (fill == %d) {\n    orr_block_%d(&acc%d, &lost%d, block, fill);\n    fill = 0;\n    }\n    }\n",
        ORR__CLOOP_BLOCK, r->ninstr, r->ninstr, r->ninstr);
    orr__cloop_close(c, c->outer, last);
    orr__text_addf(c->t, "    if (fill > 0)\n        orr_block_%d(&acc%d, &lost%d, block, fill);\n", r->ninstr,
                   r->ninstr, r->ninstr);
}

static void runs(orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__text_addf(c->t, "    %s acc%d = first;\n    orr_f64 lost%d = 0;\n", wide(c), r->ninstr, r->ninstr);
    (lies(c) ? in_place : by_blocks)(c);
    orr__text_addf(c->t, "    const %s fold = ", wide(c));
    orr__cloop_outcome(c->t, r, r->ninstr);
    orr__text_add(c->t, ";\n    const orr_idx i = at++;\n");
    orr__emit_fold_end(c->t, r, &c->lay, true);
}

/* Several rows at a time, while the accumulators are in registers; heavy values by themselves. */
enum { TOGETHER = 4, LIGHT = 12 };

static bool float_sum(const orr__region *r)
{
    return r->rop == ORR__RSUM && orr__is_float((orr_dtype)r->instr[r->out_reg[0]].dtype);
}

/* acc[k] takes in element k of `n` rows of the innermost reduced axis, from row p on. */
static void add_rows(orr__cloop *c, int n)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, d = c->order[last - 1];
    orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = q; i%d < e; i%d++) {\n", last, last, last);
    orr__text_addf(c->t, "    %s fold = acc[i%d - q];\n", wide(c), last);
    for (int row = 0; row < n; row++) {
        orr__text_addf(c->t, "    {\n    const orr_idx i%d = p + %d;\n", d, row);
        orr__cloop_values(c, last - 1);
        orr__cloop_values(c, last);
        orr__emit_fold_step(c->t, r, true);
        orr__text_add(c->t, "    }\n");
    }
    orr__text_addf(c->t, "    acc[i%d - q] = fold;\n    }\n", last);
}

/* What a float sum of at least ROWS rows has come to goes to the others', whose rounding errors are kept. */
static void join(orr__cloop *c)
{
    orr__text_add(c->t,
                  "    ORR_LOOP\n    for (orr_idx k = 0; k < e - q; k++) {\n"
                  "    const orr_f64 s = sum[k], x = acc[k], y = s + x, a = s < 0 ? -s : s, b = x < 0 ? -x : x;\n"
                  "    lost[k] += a >= b ? (s - y) + x : (x - y) + s;\n    sum[k] = y;\n    acc[k] = 0;\n    }\n");
}

static void add_all_rows(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, d = c->order[last - 1], size = orr__cloop_size_at(r, d);
    bool sum = float_sum(r), light = r->ninstr <= LIGHT;
    orr__cloop_open(c, c->outer, last - 1);
    orr__text_addf(c->t, "    for (orr_idx p = 0, to; p < W(%d);) {\n    to = W(%d);\n", size, size);
    if (sum)
        orr__text_addf(c->t, "    to = to - p < %d - seen ? to : p + (%d - seen);\n    seen += to - p;\n",
                       ORR__CLOOP_ROWS, ORR__CLOOP_ROWS);
    if (light) {
        orr__text_addf(c->t, "    for (; to - p >= %d; p += %d) {\n", TOGETHER, TOGETHER);
        add_rows(c, TOGETHER);
        orr__text_add(c->t, "    }\n");
    }
    orr__text_add(c->t, "    for (; p < to; p++) {\n");
    add_rows(c, 1);
    orr__text_add(c->t, "    }\n");
    if (sum) {
        orr__text_addf(c->t, "    if (seen == %d) {\n", ORR__CLOOP_ROWS);
        join(c);
        orr__text_add(c->t, "    seen = 0;\n    }\n");
    }
    orr__text_add(c->t, "    }\n");
    orr__cloop_close(c, c->outer, last - 1);
    if (sum)
        join(c);
}

static void rows(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    bool sum = float_sum(r);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    %s acc[%d];\n", wide(c), ORR__CLOOP_BLOCK);
    if (sum)
        orr__text_addf(c->t, "    orr_f64 sum[%d], lost[%d];\n    orr_idx seen = 0;\n", ORR__CLOOP_BLOCK,
                       ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    for (orr_idx k = 0; k < e - q; k++)\n        %sacc[k] = first;\n",
                   sum ? "sum[k] = lost[k] = 0, " : "");
    add_all_rows(c);
    if (sum)
        orr__text_add(c->t,
                      "    for (orr_idx k = 0; k < e - q; k++)\n"
                      "        acc[k] = sum[k] - sum[k] == 0 && lost[k] - lost[k] == 0 ? sum[k] + lost[k] : sum[k];\n");
    orr__text_addf(c->t, "    for (orr_idx k = 0; k < e - q; k++) {\n    const %s fold = acc[k];\n", wide(c));
    orr__text_add(c->t, "    const orr_idx i = at + q + k;\n");
    orr__emit_fold_end(c->t, r, &c->lay, true);
    orr__text_addf(c->t, "    }\n    }\n    at += W(%d);\n", size);
}

void orr__cloop_reduce(orr__cloop *c)
{
    const orr__region *r = c->r;
    nothing(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, c->outer);
    orr__text_add(c->t, "    {\n");
    (r->rmask >> (r->rank - 1) & 1u ? runs : rows)(c);
    orr__text_add(c->t, "    }\n");
    orr__cloop_close(c, 0, c->outer);
}
