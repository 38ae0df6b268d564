/* C loops of maps that read folds of their rows: for each row one pass per level of dependent folds, then the outputs.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_internal.h"
#include "ops/ops.h"

typedef orr__rowplan rows;

/* The rows in the loops of c. */
static rows in_loops(const rows *w, const orr__cloop *c)
{
    rows in = *w;
    in.c = c;
    return in;
}

/* -- text ------------------------------------------------------------------------------------------------------ */

/* The text of fold n's operand: "in0 + (…)", "keep3", or "block5 - q". Each is indexed from the row's beginning. */
static void source(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    int x = c->r->instr[n].x;
    if (orr__cloop_lies(c, x)) {
        orr__emit_array(c->t, c->r, &c->lay, &c->around, c->r->instr[x].a);
        orr__text_add(c->t, " + (");
        orr__emit_element(c->t, c->r, &c->lay, &c->around, &c->r->instr[x]);
        orr__text_add(c->t, ")");
    } else if (w->kept[x]) {
        orr__text_addf(c->t, "keep%d + q", x);
    } else {
        orr__text_addf(c->t, "block%d", n);
    }
}

static bool has_block(const rows *w, int n)
{
    int x = w->c->r->instr[n].x;
    return !orr__cloop_lies(w->c, x) && !w->kept[x];
}

static void declare(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    orr__region fold = orr__emit_fold_of(c->r, n);
    orr__text_addf(c->t, "    %s acc%d = orr_first_%d();\n    orr_f64 lost%d = 0;\n",
                   orr__emit_type(orr__emit_fold_dtype(&fold, true)), n, n, n);
    if (has_block(w, n))
        orr__text_addf(c->t, "    %s block%d[%d];\n", orr__emit_type((orr_dtype)c->r->instr[c->r->instr[n].x].dtype), n,
                       ORR__CLOOP_BLOCK);
}

/* The outcome is rounded to its dtype, as any value. */
static void conclude(const orr__cloop *c, int n)
{
    orr__region fold = orr__emit_fold_of(c->r, n);
    orr_dtype wide = orr__emit_fold_dtype(&fold, true), to = (orr_dtype)c->r->instr[n].dtype;
    char name[16];
    (void)snprintf(name, sizeof name, "fold%d", n);
    orr__text_addf(c->t, "    const %s %s = ", orr__emit_type(wide), name);
    orr__cloop_outcome(c->t, &fold, n);
    orr__text_addf(c->t, ";\n    const %s r%d = ", orr__emit_type(to), n);
    orr__emit_cast(c->t, wide, to, name, true);
    orr__text_add(c->t, ";\n");
}

/* The values of the inner loop that the pass needs. */
static void values(rows *w, int pass)
{
    const orr__cloop *c = w->c;
    orr__rowplan_want(w, pass, false);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (!w->wanted[n] || !orr__rowplan_inner(w, n))
            continue;
        if (w->kept[n] && w->first[n] < pass) {
            char from[48];
            (void)snprintf(from, sizeof from, "keep%d[i%d]", n, c->r->rank - 1);
            orr__cloop_keep_again(c, n, from);
            continue;
        }
        orr__cloop_value(c, n);
        if (w->kept[n])
            orr__text_addf(c->t, "    keep%d[i%d] = r%d;\n", n, c->r->rank - 1, n);
    }
}

/* Is random number n drawn in the current pass? */
static bool drawn(const rows *w, int n, int pass)
{
    return w->wanted[n] && orr__cloop_draws(w->c, n) && !(w->kept[n] && w->first[n] < pass);
}

/* Draws these; returns the loops after it. */
static orr__cloop draw(const rows *w, int pass)
{
    orr__cloop in = *w->c;
    in.drawn = true;
    for (int n = 0; n < w->c->r->ninstr; n++)
        if (drawn(w, n, pass))
            orr__cloop_ahead(w->c, n);
    return in;
}

static bool fills(rows *w, int number)
{
    bool any = false;
    orr__rowplan_want(w, number, false);
    for (int n = 0; n < w->c->r->ninstr; n++)
        any = any || w->wanted[n];
    return any;
}

typedef struct {
    rows *w;
    int number;
} fill;

static void block_values(const orr__cloop *c, void *arg)
{
    const fill *f = arg;
    rows in = in_loops(f->w, c);
    values(&in, f->number);
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, f->number) && has_block(&in, n))
            orr__text_addf(c->t, "    block%d[i%d - q] = r%d;\n", n, c->r->rank - 1, c->r->instr[n].x);
}

/* The last pass before the outputs prefetches the next row, a little at a time: memory is read while this pass
 * computes. */
static void fill_loops(const orr__cloop *c, void *arg)
{
    const fill *f = arg;
    bool prefetches = f->number == f->w->passes - 1;
    if (prefetches) {
        orr__cloop_parts_of_block(c);
        orr__cloop_prefetch(c, "b", "f");
    } else
        orr__text_add(c->t, "    {\n");
    orr__cloop in = *c;
    in.wanted = f->w->wanted;
    orr__cloop_pieces(&in, prefetches ? "b" : "q", prefetches ? "f" : "e", block_values, arg);
    orr__text_add(c->t, "    }\n");
}

static void fill_blocks(rows *w, int number)
{
    const orr__cloop *c = w->c;
    bool prefetches = number == w->passes - 1;
    if (!fills(w, number)) {
        if (prefetches)
            orr__cloop_prefetch(c, "q", "e");
        return;
    }
    const orr__cloop in = draw(w, number);
    orr__cloop_sure(&in, fill_loops, &(fill){ w, number });
}

/* May values of the pass go to the columns as they are computed? */
static bool can_fold_at_once(rows *w, int number)
{
    const orr__region *r = w->c->r;
    bool can = fills(w, number) && !orr__cloop_split(w->c);
    int flops = 0;
    for (int n = 0; n < r->ninstr; n++) {
        can = can && !drawn(w, n, number);
        if (w->wanted[n] && !(w->kept[n] && w->first[n] < number))
            flops += orr__cloop_flops(w->c, n);
        if (orr__cloop_folds_in(w->c, n, number))
            can = can && !orr__cloop_lies(w->c, r->instr[n].x) &&
                  (r->instr[n].op == ORR__RSUM || r->instr[n].op == ORR__RPROD);
    }
    return can && flops <= ORR__T_FOLD_WORK;
}

static void one_lane(const orr__cloop *c, void *arg)
{
    const fill *f = arg;
    rows in = in_loops(f->w, c);
    values(&in, f->number);
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, f->number))
            orr__cloop_lane_step(c, n);
}

/* A block without an array: the next row is prefetched while values are folded, not before. */
static void fold_at_once(rows *w, int number)
{
    const orr__cloop *c = w->c;
    int ninstr = c->r->ninstr;
    orr__cloop_if_lanes(c);
    for (int n = 0; n < ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            orr__cloop_lane(c, n);
    orr__rowplan_want(w, number, false);
    orr__cloop in = *c;
    in.wanted = w->wanted;
    orr__cloop_by_lanes(&in, number == w->passes - 1, one_lane, &(fill){ w, number });
    for (int n = 0; n < ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            orr__cloop_lane_join(c, n);
    orr__text_add(c->t, "    continue;\n    }\n");
}

static void pass(rows *w, int number)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            declare(w, n);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d, i%d = q;\n", size, ORR__CLOOP_BLOCK,
                   size, ORR__CLOOP_BLOCK, last);
    orr__text_addf(c->t, "    (void)i%d;\n", last);
    if (can_fold_at_once(w, number))
        fold_at_once(w, number);
    fill_blocks(w, number);
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number)) {
            orr__text_addf(c->t, "    orr_block_%d(&acc%d, &lost%d, ", n, n, n);
            source(w, n);
            orr__text_add(c->t, ", e - q);\n");
        }
    orr__text_add(c->t, "    }\n");
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            conclude(c, n);
}

static bool is_long(const orr__region *r)
{
    return r->rows && r->dim[r->rank - 1] > ORR__T_NEAR_ROW;
}

size_t orr__emit_c_keeps(const orr__region *r)
{
    return is_long(r) ? ORR__T_KEPT_OF_LONG + ORR__T_CACHE_LINE * (size_t)r->ninstr : 0;
}

static void keep_in_memory(const rows *w)
{
    const orr__cloop *c = w->c;
    orr__text_addf(c->t, "    char *keep = in[%d];\n", c->r->nin);
    for (int n = 0; n < c->r->ninstr; n++)
        if (w->kept[n])
            orr__text_addf(
                c->t, "    %s *const keep%d = (void *)keep;\n    keep += (W(%d) * sizeof *keep%d + %d) / %d * %d;\n",
                orr__cloop_kept(c, n), n, orr__cloop_size_at(c->r, c->r->rank - 1), n, ORR__T_CACHE_LINE - 1,
                ORR__T_CACHE_LINE, ORR__T_CACHE_LINE);
    orr__text_add(c->t, "    (void)keep;\n");
}

/* Rows that are too long are left to the interpreter before any output is written. */
static void keep_on_stack(const rows *w)
{
    const orr__cloop *c = w->c;
    int size = orr__cloop_size_at(c->r, c->r->rank - 1);
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || w->kept[n];
    if (any)
        orr__text_addf(c->t, "    if (W(%d) > %d)\n        return 1;\n", size, ORR__T_NEAR_ROW);
    for (int n = 0; n < c->r->ninstr; n++)
        if (w->kept[n])
            orr__text_addf(c->t, "    %s keep%d[%d];\n", orr__cloop_kept(c, n), n, ORR__T_NEAR_ROW);
}

static void output_values(const orr__cloop *c, void *arg)
{
    rows in = in_loops(arg, c);
    values(&in, in.passes);
    orr__cloop_stream_stores(c);
}

static void output_loops(const orr__cloop *c, void *arg)
{
    const rows *w = arg;
    orr__cloop in = orr__cloop_narrow_begin(c, "q", ORR__T_OUT_BLOCK);
    in.wanted = w->wanted;
    orr__cloop_pieces(&in, "q", "e", output_values, arg);
    orr__cloop_narrow(&in, "e");
}

static void outputs(rows *w)
{
    const orr__cloop *c = w->c;
    char size[16];
    (void)snprintf(size, sizeof size, "W(%d)", orr__cloop_size_at(c->r, c->r->rank - 1));
    orr__rowplan_want(w, w->passes, false);
    orr__cloop_blocks(c, "0", size, ORR__T_OUT_BLOCK);
    orr__cloop_stream_block(c);
    const orr__cloop in = draw(w, w->passes);
    orr__cloop_sure(&in, output_loops, w);
    orr__cloop_stream_pass(c, "e");
    orr__text_add(c->t, "    }\n");
}

static void output_of_row(const orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__text_add(c->t, "    const orr_idx i = at++;\n");
    for (int k = 0; k < r->nout; k++) {
        char reg[16];
        (void)snprintf(reg, sizeof reg, "r%d", r->out_reg[k]);
        orr__emit_store(c->t, r, &c->lay, k, (orr_dtype)r->instr[r->out_reg[k]].dtype, reg, true);
    }
}

static void loops(const rows *w)
{
    const orr__cloop *c = w->c;
    int last = c->r->rank - 1, size = orr__cloop_size_at(c->r, last);
    orr__cloop_nothing(c);
    (is_long(c->r) ? keep_in_memory : keep_on_stack)(w);
    orr__text_add(c->t, "    orr_idx at = 0;\n");
    if (!c->r->per_row)
        orr__cloop_stream_begin(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, last);
    const orr__cloop parts = orr__cloop_parts(c);
    rows in = in_loops(w, &parts);
    for (int p = 0; p < w->passes; p++) {
        pass(&in, p);
        orr__cloop_passes(c, last - 1, p + 1, p + 1);
    }
    if (c->r->per_row) {
        output_of_row(c);
    } else {
        outputs(&in);
        orr__text_addf(c->t, "    at += W(%d);\n", size);
    }
    orr__cloop_close(c, 0, last);
    if (!c->r->per_row)
        orr__cloop_stream_end(c);
}

void orr__cloop_rows(const orr__cloop *c)
{
    rows w;
    bool far = is_long(c->r);
    int64_t length = far ? c->r->dim[c->r->rank - 1] : ORR__T_NEAR_ROW;
    if (orr__rowplan_make(&w, c, length, far ? ORR__T_KEPT_OF_LONG : ORR__T_KEPT, true))
        loops(&w);
    else
        c->t->failed = true;
    orr__rowplan_free(&w);
}
