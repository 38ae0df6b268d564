/* C loops of reductions and searches: runs of reduced elements are folded block by block, or rows of kept elements are
 * folded into a row. All outputs are computed at once.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_internal.h"

/* Output k as a separate reduction. The next function returns its number. */
static orr__region fold_of(const orr__cloop *c, int k)
{
    return orr__emit_fold_of(c->r, c->r->ninstr + k);
}

static int number(const orr__cloop *c, int k)
{
    return c->r->ninstr + k;
}

static orr_dtype wide_dtype(const orr__cloop *c, int k)
{
    orr__region fold = fold_of(c, k);
    return orr__emit_fold_dtype(&fold, true);
}

static const char *wide(const orr__cloop *c, int k)
{
    return orr__emit_type(wide_dtype(c, k));
}

/* The type of the state that a run of output k is folded into. */
static const char *state(const orr__cloop *c, int k)
{
    return c->r->search ? "orr_found" : wide(c, k);
}

/* Stores the value `fold`, or the place `where`, to element i of output k. */
static void store(const orr__cloop *c, int k)
{
    bool search = c->r->search;
    orr__emit_store(c->t, c->r, &c->lay, k, search ? ORR_I64 : wide_dtype(c, k), search ? "where" : "fold", true);
}

/* An empty fold reads no input. */
static void nothing(const orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__text_add(c->t, "    orr_idx cells = 1, points = 1;\n");
    for (int d = 0; d < r->rank; d++)
        orr__text_addf(c->t, "    %s *= W(%d);\n", r->rmask >> d & 1u ? "points" : "cells", orr__cloop_size_at(r, d));
    for (int k = 0; k < r->nout; k++) {
        orr__text_addf(c->t, "    const %s none%d = orr_first_%d();\n", state(c, k), k, number(c, k));
        if (r->search) /* a search of no values is refused at recording */
            continue;
        orr__text_addf(c->t,
                       "    if (points == 0)\n    for (orr_idx i = 0; i < cells; i++) {\n    const %s fold = none%d;\n",
                       wide(c, k), k);
        store(c, k);
        orr__text_add(c->t, "    }\n");
    }
    orr__text_add(c->t, "    if (points == 0 || cells == 0)\n        return 0;\n    orr_idx at = 0;\n");
}

/* -- runs ------------------------------------------------------------------------------------------------------- */

/* True if the operand of output k's fold is one contiguous array in each iteration of the outer loops. */
static bool folds_array(const orr__cloop *c, int k)
{
    return c->outer == c->r->rank - 1 && orr__cloop_lies(c, c->r->out_reg[k]);
}

/* Is output k the first that folds its register from a block? */
static bool has_block(const orr__cloop *c, int k)
{
    bool first = !folds_array(c, k);
    for (int m = 0; m < k; m++)
        first = first && c->r->out_reg[m] != c->r->out_reg[k];
    return first;
}

static bool any_block(const orr__cloop *c)
{
    bool any = false;
    for (int k = 0; k < c->r->nout; k++)
        any = any || !folds_array(c, k);
    return any;
}

static void declare_blocks(const orr__cloop *c)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++)
        if (has_block(c, k))
            orr__text_addf(c->t, "    %s block%d[%d];\n", orr__emit_type((orr_dtype)r->instr[r->out_reg[k]].dtype),
                           r->out_reg[k], ORR__CLOOP_BLOCK + ORR__CLOOP_VECTOR);
}

static void block_values(const orr__cloop *c, void *fill)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    orr__cloop_values(c, last);
    for (int k = 0; k < r->nout; k++)
        if (has_block(c, k))
            orr__text_addf(c->t, "    block%d[%s(i%d - q)] = r%d;\n", r->out_reg[k], (const char *)fill, last,
                           r->out_reg[k]);
}

static void fill_loops(const orr__cloop *c, void *fill)
{
    orr__cloop_pieces(c, "q", "e", block_values, fill);
}

/* Stores elements [q, e) of the innermost run to the blocks, from `fill` on. */
static void fill_blocks(const orr__cloop *c, char *fill)
{
    orr__cloop in = orr__cloop_all_ahead(c);
    orr__text_add(c->t, "    {\n");
    orr__cloop_sure(&in, fill_loops, fill);
    orr__text_add(c->t, "    }\n");
}

/* An operand in memory is read in place, in the same steps as the blocks. */
static void fold_each(const orr__cloop *c)
{
    const orr__region *r = c->r;
    if (any_block(c))
        fill_blocks(c, (char[]){ "" });
    for (int k = 0; k < r->nout; k++) {
        int n = number(c, k), a = r->instr[r->out_reg[k]].a;
        orr__text_addf(c->t, "    orr_block_%d(&acc%d, &lost%d, ", n, n, n);
        if (folds_array(c, k)) {
            orr__emit_array(c->t, r, &c->lay, &c->around, a);
            orr__text_add(c->t, " + (");
            orr__emit_element(c->t, r, &c->lay, &c->around, &r->instr[r->out_reg[k]]);
            orr__text_add(c->t, ")");
        } else {
            orr__text_addf(c->t, "block%d", r->out_reg[k]);
        }
        orr__text_add(c->t, ", e - q);\n");
    }
}

/* True if values may go to the columns as they are computed. Expensive values are computed several vectors side by
 * side, and the columns would leave no registers for them. */
static bool can_fold_at_once(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool can = !orr__cloop_split(c) && orr__cloop_work(c) <= ORR__T_FOLD_WORK;
    for (int k = 0; k < r->nout; k++)
        can = can && (r->rop[k] == ORR__RSUM || r->rop[k] == ORR__RPROD);
    for (int i = 0; i < r->ninstr; i++)
        can = can && !orr__cloop_draws(c, i);
    return can;
}

static void one_lane(const orr__cloop *c, void *unused)
{
    (void)unused;
    orr__cloop_values(c, c->r->rank - 1);
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_lane_step(c, number(c, k));
}

/* A block without an array: inputs are read while values are folded, not before. */
static void fold_at_once(const orr__cloop *c)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++)
        orr__cloop_lane(c, number(c, k));
    orr__cloop_by_lanes(c, true, one_lane, NULL);
    for (int k = 0; k < r->nout; k++)
        orr__cloop_lane_join(c, number(c, k));
}

static void straight(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    bool at_once = can_fold_at_once(c);
    const orr__cloop in = orr__cloop_parts(c);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d, i%d = q;\n    (void)i%d;\n", size,
                   ORR__CLOOP_BLOCK, size, ORR__CLOOP_BLOCK, last, last);
    if (at_once) {
        orr__cloop_if_lanes(&in);
        fold_at_once(&in);
        orr__text_add(c->t, "    continue;\n    }\n");
    }
    fold_each(&in);
    orr__text_add(c->t, "    }\n");
}

static void fold_blocks(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++) {
        int n = number(c, k);
        orr__text_addf(c->t, "    orr_block_%d(&acc%d, &lost%d, block%d, fill);\n", n, n, n, c->r->out_reg[k]);
    }
    orr__text_add(c->t, "    fill = 0;\n    }\n");
}

/* Blocks continue across the ends of runs, as the interpreter's do. */
static void by_blocks(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    orr__text_add(c->t, "    orr_idx fill = 0;\n");
    orr__cloop_open(c, c->outer, last);
    const orr__cloop in = orr__cloop_parts(c);
    orr__text_addf(c->t, "    for (orr_idx q = 0, e; q < W(%d); q = e) {\n", size);
    orr__text_addf(c->t, "    e = W(%d) - q < %d - fill ? W(%d) : q + %d - fill;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    fill_blocks(&in, (char[]){ "fill + " });
    orr__text_addf(c->t, "    fill += e - q;\n    if (fill == %d) {\n", ORR__CLOOP_BLOCK);
    fold_blocks(c);
    orr__text_add(c->t, "    }\n");
    orr__cloop_close(c, c->outer, last);
    orr__text_add(c->t, "    if (fill > 0) {\n");
    fold_blocks(c);
}

static void join_lanes(const orr__cloop *c, bool again)
{
    for (int k = 0; k < c->r->nout; k++) {
        int n = number(c, k);
        orr__cloop_lane_join(c, n);
        if (again)
            orr__text_addf(c->t, "    for (int l = 0; l < %d; l++)\n        lane%d[l] = orr_first_%d();\n",
                           ORR__CLOOP_LANES, n, n);
    }
}

/* Columns continue across the ends of runs: the rest of a run goes to the first columns. The columns are joined after a
 * block's worth of values. */
static void by_columns(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    for (int k = 0; k < r->nout; k++)
        orr__cloop_lane(c, number(c, k));
    orr__text_add(c->t, "    orr_idx seen = 0;\n");
    orr__cloop_open(c, c->outer, last);
    orr__text_addf(c->t, "    for (orr_idx q = 0, e; q < W(%d); q = e) {\n", size);
    orr__text_addf(c->t, "    e = W(%d) - q < %d ? W(%d) : q + %d;\n    seen += e - q;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    orr__cloop_by_lanes(c, true, one_lane, NULL);
    orr__text_addf(c->t, "    ORR_LOOP\n    for (int l = 0; l < (int)(e - j); l++) {\n    const orr_idx i%d = j + l;\n",
                   last);
    one_lane(c, NULL);
    orr__text_addf(c->t, "    }\n    if (seen >= %d) {\n", ORR__CLOOP_BLOCK);
    join_lanes(c, true);
    orr__text_add(c->t, "    seen = 0;\n    }\n    }\n");
    orr__cloop_close(c, c->outer, last);
    join_lanes(c, false);
}

static void runs(const orr__cloop *c)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++)
        orr__text_addf(c->t, "    %s acc%d = none%d;\n    orr_f64 lost%d = 0;\n", state(c, k), number(c, k), k,
                       number(c, k));
    if (r->search && r->rmask & 1u)
        orr__text_addf(c->t, "    acc%d.seen = W(0);\n", number(c, 0));
    bool straight_on = c->outer == r->rank - 1,
         columns = !straight_on && can_fold_at_once(c) && r->dim[r->rank - 1] >= 2 * ORR__CLOOP_LANES;
    if (!columns)
        declare_blocks(c);
    (straight_on ? straight : columns ? by_columns : by_blocks)(c);
    orr__text_add(c->t, "    const orr_idx i = at++;\n");
    for (int k = 0; k < r->nout; k++) {
        orr__region fold = fold_of(c, k);
        orr__text_addf(c->t, "    {\n    const %s %s = ", r->search ? "orr_i64" : wide(c, k),
                       r->search ? "where" : "fold");
        if (r->search)
            orr__text_addf(c->t, "acc%d.where", number(c, k));
        else
            orr__cloop_outcome(c->t, &fold, number(c, k));
        orr__text_add(c->t, ";\n");
        store(c, k);
        orr__text_add(c->t, "    }\n");
    }
}

/* -- rows ------------------------------------------------------------------------------------------------------- */

static bool float_sum(const orr__cloop *c, int k)
{
    return c->r->rop[k] == ORR__RSUM && orr__is_float((orr_dtype)c->r->instr[c->r->out_reg[k]].dtype);
}

static bool any_float_sum(const orr__cloop *c)
{
    bool any = false;
    for (int k = 0; k < c->r->nout; k++)
        any = any || float_sum(c, k);
    return any;
}

/* One step of each output's fold<k>, with the values of the current point. */
static void fold_steps(const orr__cloop *c)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++) {
        orr__region fold = fold_of(c, k);
        orr__text_addf(c->t, "    {\n    %s fold = fold%d;\n", wide(c, k), k);
        if (r->search)
            orr__text_addf(c->t, "    orr_i64 where = where%d;\n    const orr_i64 at = i%d%s;\n", k,
                           c->order[r->rank - 2], r->rmask & 1u ? " + W(0)" : "");
        orr__emit_fold_step(c->t, &fold, true);
        orr__text_addf(c->t, "    fold%d = fold;\n%s", k, r->search ? "" : "    }\n");
        if (r->search)
            orr__text_addf(c->t, "    where%d = where;\n    }\n", k);
    }
}

/* Loads fold<k> from column `at`, and stores it back. */
static void begin_steps(const orr__cloop *c, const char *at)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__text_addf(c->t, "    %s fold%d = acc%d[%s];\n", wide(c, k), k, k, at);
    if (c->r->search)
        orr__text_addf(c->t, "    orr_i64 where0 = place0[%s];\n", at);
}

static void end_steps(const orr__cloop *c, const char *at)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__text_addf(c->t, "    acc%d[%s] = fold%d;\n", k, at, k);
    if (c->r->search)
        orr__text_addf(c->t, "    place0[%s] = where0;\n", at);
}

static const char *column(const orr__cloop *c, char at[24])
{
    (void)snprintf(at, 24, "i%d - q", c->r->rank - 1);
    return at;
}

/* True if the values of row p, or of several rows from p on, are computed into blocks before they are folded: expensive
 * values, values with boxes, and joined rows. */
static bool has_values_first(const orr__cloop *c)
{
    return c->joins || orr__cloop_split(c) || orr__cloop_work(c) > ORR__T_FOLD_WORK;
}

static void block_again(const orr__cloop *c, const char *at)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++) {
        bool first = true;
        for (int m = 0; m < k; m++)
            first = first && r->out_reg[m] != r->out_reg[k];
        if (first)
            orr__text_addf(c->t, "    const %s r%d = block%d[%s];\n",
                           orr__emit_type((orr_dtype)r->instr[r->out_reg[k]].dtype), r->out_reg[k], r->out_reg[k], at);
    }
}

/* Adds row p from its blocks. */
static void add_row_of_blocks(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    char at[24];
    (void)column(c, at);
    orr__text_addf(c->t, "    const orr_idx i%d = p;\n", c->order[last - 1]);
    orr__cloop_values(c, last - 1);
    const orr__cloop in = orr__cloop_parts(c);
    fill_blocks(&in, (char[]){ "" });
    orr__cloop_inner(c, "q", "e");
    begin_steps(c, at);
    block_again(c, at);
    fold_steps(c);
    end_steps(c, at);
    orr__text_add(c->t, "    }\n");
}

/* Short rows [p, to) as one block; the folds of its columns follow. */
static void add_joined_rows(const orr__cloop *c)
{
    int size = orr__cloop_size_at(c->r, c->r->rank - 1);
    orr__text_addf(c->t, "    {\n    const orr_idx q = p * W(%d), e = to * W(%d);\n", size, size);
    orr__cloop_join_block(c, ORR__CLOOP_BLOCK);
    fill_blocks(c, (char[]){ "" });
    orr__text_addf(c->t,
                   "    for (orr_idx j = 0; j < e - q; j += W(%d)) {\n    ORR_LOOP\n"
                   "    for (orr_idx k = 0; k < W(%d); k++) {\n",
                   size, size);
    begin_steps(c, "k");
    block_again(c, "j + k");
    fold_steps(c);
    end_steps(c, "k");
    orr__text_add(c->t, "    }\n    }\n    }\n    p = to;\n");
}

/* One point of each of `n` rows of the innermost reduced axis, from row p on. */
static void point_of_rows(const orr__cloop *c, void *n)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, d = c->order[last - 1];
    char at[24];
    begin_steps(c, column(c, at));
    for (int row = 0; row < *(const int *)n; row++) {
        orr__text_addf(c->t, "    {\n    const orr_idx i%d = p + %d;\n", d, row);
        orr__cloop of_row = *c;
        of_row.wide_copy = row;
        orr__cloop_values(&of_row, last - 1);
        orr__cloop_values(&of_row, last);
        fold_steps(c);
        orr__text_add(c->t, "    }\n");
    }
    end_steps(c, at);
}

/* acc<k>[i] := acc<k>[i] combined with elements i of [from, to), at most `most`, of `n` rows. */
static void add_rows(const orr__cloop *c, int n, const char *from, const char *to, int most)
{
    orr__text_add(c->t, "    {\n");
    const orr__cloop in = orr__cloop_widen_rows(c, from, to, most, c->order[c->r->rank - 2], n);
    orr__cloop_run(&in, from, to, point_of_rows, &n);
    orr__text_add(c->t, "    }\n");
}

/* The float sums of ROWS rows are added to the total, whose rounding errors are kept. A sum of at most ROWS rows is the
 * total itself. */
static void join(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++)
        if (float_sum(c, k))
            orr__text_addf(
                c->t,
                "    ORR_LOOP\n    for (orr_idx k = 0; k < many; k++) {\n"
                "    const orr_f64 s = sum%d[k], x = acc%d[k], y = s + x, a = s < 0 ? -s : s, b = x < 0 ? -x : x;\n"
                "    lost%d[k] += a >= b ? (s - y) + x : (x - y) + s;\n    sum%d[k] = y;\n    acc%d[k] = 0;\n    }\n",
                k, k, k, k, k);
}

/* Adds a few cache lines at a time of several rows, so that the lines of the next rows are prefetched in between. */
static void add_together(const orr__cloop *c)
{
    orr__text_addf(c->t,
                   "    for (; to - p >= %d; p += %d)\n    for (orr_idx b = q; b < e; b += %d) {\n"
                   "    const orr_idx f = e - b < %d ? e : b + %d;\n",
                   ORR__T_ROWS_TOGETHER, ORR__T_ROWS_TOGETHER, ORR__T_COLUMNS_TOGETHER, ORR__T_COLUMNS_TOGETHER,
                   ORR__T_COLUMNS_TOGETHER);
    orr__cloop_prefetch_rows(c, "b", "f", c->order[c->r->rank - 2], ORR__T_ROWS_TOGETHER);
    add_rows(c, ORR__T_ROWS_TOGETHER, "b", "f", ORR__T_COLUMNS_TOGETHER);
    orr__text_add(c->t, "    }\n");
}

static void add_all_rows(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, d = c->order[last - 1], size = orr__cloop_size_at(r, d);
    bool sum = any_float_sum(c), first = has_values_first(c);
    orr__cloop_open(c, c->outer, last - 1);
    if (c->joins) { /* as many rows as fit into a block and divide ROWS */
        orr__text_addf(c->t, "    orr_idx together = %d;\n    while (together * W(%d) > %d)\n        together /= 2;\n",
                       ORR__CLOOP_ROWS, orr__cloop_size_at(r, last), ORR__CLOOP_BLOCK);
        orr__cloop_join_begin(c, ORR__CLOOP_BLOCK);
    }
    orr__text_addf(c->t, "    for (orr_idx p = 0, to; p < W(%d);) {\n    to = W(%d);\n", size, size);
    if (c->joins)
        orr__text_add(c->t, "    to = to - p < together ? to : p + together;\n");
    if (sum)
        orr__text_addf(c->t, "    to = to - p < %d - seen ? to : p + (%d - seen);\n    seen += to - p;\n",
                       ORR__CLOOP_ROWS, ORR__CLOOP_ROWS);
    if (!first && r->ninstr + r->nout <= ORR__T_FOLD_WORK)
        add_together(c);
    if (c->joins) {
        add_joined_rows(c);
    } else {
        orr__text_add(c->t, "    for (; p < to; p++) {\n");
        if (first)
            add_row_of_blocks(c);
        else
            add_rows(c, 1, "q", "e", ORR__CLOOP_BLOCK);
        orr__text_add(c->t, "    }\n");
    }
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

static void begin_row(const orr__cloop *c, int k, int block)
{
    int over = ORR__CLOOP_VECTOR; /* elements of the last vector beyond the last column */
    orr__text_addf(c->t, "    %s acc%d[%d];\n", wide(c, k), k, block + over);
    orr__text_addf(c->t, "    for (orr_idx k = 0; k < e - q + %d; k++)\n        acc%d[k] = none%d%s;\n", over, k, k,
                   c->r->search ? ".value" : "");
    if (c->r->search)
        orr__text_addf(
            c->t, "    orr_i64 place0[%d];\n    for (orr_idx k = 0; k < e - q + %d; k++)\n        place0[k] = -1;\n",
            block + over, over);
    if (float_sum(c, k))
        orr__text_addf(c->t,
                       "    orr_f64 sum%d[%d], lost%d[%d];\n    for (orr_idx k = 0; k < many; k++)\n"
                       "        sum%d[k] = lost%d[k] = 0;\n",
                       k, block, k, block, k, k);
}

static void end_row(const orr__cloop *c, int k)
{
    if (float_sum(c, k))
        orr__text_addf(c->t,
                       "    for (orr_idx k = 0; k < many; k++)\n        acc%d[k] = sum%d[k] - sum%d[k] == 0 && "
                       "lost%d[k] - lost%d[k] == 0 ? sum%d[k] + lost%d[k] : sum%d[k];\n",
                       k, k, k, k, k, k, k, k);
    orr__text_add(c->t, "    for (orr_idx k = 0; k < e - q; k++) {\n");
    if (c->r->search)
        orr__text_add(c->t, "    const orr_i64 where = place0[k];\n");
    else
        orr__text_addf(c->t, "    const %s fold = acc%d[k];\n", wide(c, k), k);
    orr__text_add(c->t, "    const orr_idx i = at + q + k;\n");
    store(c, k);
    orr__text_add(c->t, "    }\n");
}

/* Processes as many columns at a time as make a page of input: processors prefetch within pages. The accumulators then
 * fit into the second cache, at least. */
static void rows(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last), block = ORR__CLOOP_BLOCK;
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, block);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n", size, block, size, block);
    if (any_float_sum(c))
        orr__text_addf(c->t, "    const orr_idx many = points > %d ? e - q : 0;\n    orr_idx seen = 0;\n",
                       ORR__CLOOP_ROWS);
    for (int k = 0; k < r->nout; k++)
        begin_row(c, k, block);
    if (has_values_first(c))
        declare_blocks(c);
    add_all_rows(c);
    for (int k = 0; k < r->nout; k++)
        end_row(c, k);
    orr__text_addf(c->t, "    }\n    at += W(%d);\n", size);
}

void orr__cloop_reduce(const orr__cloop *c)
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
