/* Nests of maps that read folds of their rows: for each row one pass per level of dependent folds, then the outputs.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "ops/ops.h"

typedef orr__rowplan rows;

/* Fold n's operand: "in0 + (…)", "keep3 + q", or "block5", each from element q of the row on. */
static const char *source(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    int x = c->r->instr[n].x;
    if (orr__cloop_lies(c, x))
        return orr__cloop_address(c, x);
    return w->kept[x] ? orr__nest_say(c->n, "keep%d + q", x) : orr__cloop_name(c, "block", n);
}

static bool has_block(const rows *w, int n)
{
    int x = w->c->r->instr[n].x;
    return !orr__cloop_lies(w->c, x) && !w->kept[x];
}

static void declare(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    (void)orr__cloop_fold(c, ORR__FOLD_BEGIN, n);
    if (has_block(w, n))
        orr__cloop_declare(c, ORR__ARRAY_LOOSE, orr__emit_type((orr_dtype)c->r->instr[c->r->instr[n].x].dtype), "block",
                           n, ORR__CLOOP_BLOCK);
}

static void values(rows *w, int pass)
{
    orr__rowplan_values(w, pass, orr__cloop_name(w->c, "i", w->c->r->rank - 1));
}

static bool fills(rows *w, int number)
{
    bool any = false;
    orr__rowplan_want(w, number, false);
    for (int n = 0; n < w->c->r->ninstr; n++)
        any = any || w->wanted[n];
    return any;
}

/* The values of block [q, e), those of folds into their blocks. */
static void fill_blocks(rows *w, int number)
{
    const orr__cloop *c = w->c;
    orr__part **mark = c->n->end;
    if (!fills(w, number))
        return;
    orr__nest_block(c->n);
    orr__part **loop = c->n->end;
    orr__cloop_inner(c, "q", "e");
    values(w, number);
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number) && has_block(w, n))
            orr__cloop_store(c, c->r->instr[n].x, orr__cloop_name(c, "block", n),
                             orr__nest_say(c->n, "i%d - q", c->r->rank - 1));
    orr__nest_close(c->n, 1);
    orr__cloop_pieces(c, loop, "q", "e");
    orr__nest_close(c->n, 1);
    orr__cloop_sure(c, mark);
    orr__cloop_draw(c, mark);
}

/* May values of the pass go to the columns as they are computed? */
static bool can_fold_at_once(rows *w, int number)
{
    const orr__region *r = w->c->r;
    bool can = fills(w, number) && !orr__cloop_split(w->c);
    int flops = 0;
    for (int n = 0; n < r->ninstr; n++) {
        bool computed = w->wanted[n] && !(w->kept[n] && w->first[n] < number);
        can = can && !(computed && orr__cloop_draws(w->c, n));
        if (computed)
            flops += orr__cloop_flops(w->c, n);
        if (orr__cloop_folds_in(w->c, n, number))
            can = can && !orr__cloop_lies(w->c, r->instr[n].x) &&
                  (r->instr[n].op == ORR__RSUM || r->instr[n].op == ORR__RPROD);
    }
    return can && flops <= ORR__COST_STORE;
}

static void pass(rows *w, int number)
{
    const orr__cloop *c = w->c;
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            declare(w, n);
    orr__cloop_run_blocks(c);
    if (can_fold_at_once(w, number)) { /* without an array */
        orr__part **mark = c->n->end;
        values(w, number);
        orr__cloop_fold_at_once(c, number, mark);
    }
    fill_blocks(w, number);
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, number))
            orr__cloop_fold_block(c, n, source(w, n), "e - q");
    orr__nest_close(c->n, 1);
    orr__cloop_folds(c, number, ORR__FOLD_VALUE);
}

static bool is_long(const orr__region *r)
{
    return orr__region_rows(r) && r->dim[r->rank - 1] > ORR__NEAR_ROW;
}

size_t orr__emit_c_keeps(const orr__region *r)
{
    return is_long(r) ? ORR__KEPT_OF_LONG + ORR__CACHE_LINE * (size_t)r->ninstr : 0;
}

static void keep_in_memory(const rows *w)
{
    const orr__cloop *c = w->c;
    orr__nest_set(c->n, "char *keep = in[%d]", c->r->nin);
    for (int n = 0; n < c->r->ninstr; n++)
        if (w->kept[n]) {
            orr__nest_address(c->n, orr__cloop_kept(c, n), orr__cloop_name(c, "keep", n), "(void *)keep");
            orr__nest_set(c->n, "keep += (%s * sizeof *keep%d + %d) / %d * %d", orr__cloop_size(c, c->r->rank - 1), n,
                          ORR__CACHE_LINE - 1, ORR__CACHE_LINE, ORR__CACHE_LINE);
        }
    orr__nest_set(c->n, "(void)keep");
}

/* Rows that are too long are left to the interpreter before any output is written. */
static void keep_on_stack(const rows *w)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || w->kept[n];
    if (any) {
        (void)orr__nest_if(c->n, "%s > %d", orr__cloop_size(c, c->r->rank - 1), ORR__NEAR_ROW);
        orr__nest_set(c->n, "return 1");
        orr__nest_close(c->n, 1);
    }
    for (int n = 0; n < c->r->ninstr; n++)
        if (w->kept[n])
            orr__cloop_declare(c, ORR__ARRAY_LOOSE, orr__cloop_kept(c, n), "keep", n, ORR__NEAR_ROW);
}

static void outputs(rows *w)
{
    const orr__cloop *c = w->c;
    orr__cloop_blocks(c, "q", "e", "0", orr__cloop_size(c, c->r->rank - 1), ORR__BLOCK_ELEMENTS);
    orr__cloop_past_block(c);
    orr__part **mark = c->n->end;
    orr__cloop_inner(c, "q", "e");
    values(w, w->passes);
    orr__cloop_past_stores(c);
    orr__nest_close(c->n, 1);
    orr__cloop_pieces(c, mark, "q", "e");
    orr__cloop_narrow(c, mark, "q", "e", ORR__BLOCK_ELEMENTS);
    orr__cloop_sure(c, mark);
    orr__cloop_draw(c, mark);
    orr__cloop_past_copy(c, "e");
    orr__nest_close(c->n, 1);
}

static void loops(rows *w)
{
    const orr__cloop *c = w->c;
    int last = c->r->rank - 1;
    orr__cloop_nothing(c);
    (is_long(c->r) ? keep_in_memory : keep_on_stack)(w);
    orr__nest_set(c->n, "orr_idx at = 0");
    if (c->r->loops != ORR__LOOPS_PER_ROW)
        orr__cloop_past_begin(c, ORR__BLOCK_ELEMENTS);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, last);
    orr__cloop_prefetch_gathered(c);
    const orr__cloop parts = orr__cloop_parts(c);
    w->c = &parts;
    for (int p = 0; p < w->passes; p++) {
        pass(w, p);
        orr__cloop_passes(c, last - 1, p + 1, p + 1);
    }
    if (c->r->loops == ORR__LOOPS_PER_ROW) {
        orr__nest_set(c->n, "const orr_idx i = at++");
        orr__cloop_outputs(c);
    } else {
        outputs(w);
        orr__nest_set(c->n, "at += %s", orr__cloop_size(c, last));
    }
    orr__nest_close(c->n, last);
    if (c->r->loops != ORR__LOOPS_PER_ROW)
        orr__cloop_past_end(c);
}

void orr__cloop_rows(const orr__cloop *c)
{
    bool far = is_long(c->r);
    orr__rowplan_nest((rows){ .c = c,
                              .length = far ? c->r->dim[c->r->rank - 1] : ORR__NEAR_ROW,
                              .left = far ? ORR__KEPT_OF_LONG : ORR__KEPT_BYTES,
                              .in_place = true },
                      loops);
}
