/* Nests of runs of reduced elements, which are folded block by block.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

static bool any_block(const orr__cloop *c)
{
    bool any = false;
    for (int k = 0; k < c->r->nout; k++)
        any = any || !orr__cloop_folds_array(c, k);
    return any;
}

/* An operand in memory is read in place, in the same steps as the blocks. */
static void fold_each(const orr__cloop *c)
{
    const orr__region *r = c->r;
    if (any_block(c))
        orr__cloop_fold_values(c, "");
    for (int k = 0; k < r->nout; k++) {
        int n = r->out_reg[k];
        orr__cloop_fold_block(c, orr__cloop_fold_number(c, k),
                              orr__cloop_folds_array(c, k) ? orr__cloop_address(c, n) : orr__cloop_fold_array(c, k),
                              "e - q");
    }
}

/* True if values may go to the columns as they are computed. Expensive values are computed several vectors side by
 * side, and the columns would leave no registers for them. */
static bool can_fold_at_once(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool can = !orr__cloop_split(c) && orr__cloop_work(c) <= ORR__COST_STORE;
    for (int k = 0; k < r->nout; k++)
        can = can && (r->rop[k] == ORR__RSUM || r->rop[k] == ORR__RPROD);
    for (int i = 0; i < r->ninstr; i++)
        can = can && !orr__cloop_draws(c, i);
    return can;
}

static void straight(const orr__cloop *c)
{
    const orr__cloop in = orr__cloop_parts(c);
    orr__cloop_run_blocks(c);
    if (c->r->dim[c->r->rank - 1] < ORR__CLOOP_LANES || orr__cloop_rows_apart(c)) /* all loads are masked, … */
        orr__cloop_prefetch(c, "q", "e", true);
    if (can_fold_at_once(c)) { /* without an array: inputs are read while values are folded, not before */
        orr__part **mark = c->n->end;
        orr__cloop_values(&in, c->r->rank - 1);
        orr__cloop_fold_at_once(&in, 0, mark);
    }
    fold_each(&in);
    orr__nest_close(c->n, 1);
}

/* The loop over parts [q, e) of a run. */
static void parts_of_run(const orr__cloop *c, const char *most)
{
    const char *size = orr__cloop_size(c, c->r->rank - 1);
    orr__nest_loop(c->n, ORR__LOOP_JUMPS, "q", "0", size, NULL)->at = "e";
    orr__nest_set(c->n, "e = %s - q < %s ? %s : q + %s", size, most, size, most);
}

static void fold_blocks(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_fold_block(c, orr__cloop_fold_number(c, k), orr__cloop_fold_array(c, k), "fill");
    orr__nest_set(c->n, "fill = 0");
}

/* Blocks continue across the ends of runs, as the interpreter's do. */
static void by_blocks(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    orr__nest_set(c->n, "orr_idx fill = 0");
    orr__cloop_open(c, c->outer, last);
    const orr__cloop in = orr__cloop_parts(c);
    parts_of_run(c, orr__nest_say(c->n, "%d - fill", ORR__CLOOP_BLOCK));
    if (orr__cloop_rows_apart(c))
        orr__cloop_prefetch(c, "q", "e", false);
    orr__cloop_fold_values(&in, "fill + ");
    orr__nest_set(c->n, "fill += e - q");
    (void)orr__nest_if(c->n, "fill == %d", ORR__CLOOP_BLOCK);
    fold_blocks(c);
    orr__nest_close(c->n, 2);
    orr__nest_close(c->n, last - c->outer);
    (void)orr__nest_if(c->n, "fill > 0");
    fold_blocks(c);
    orr__nest_close(c->n, 1);
}

/* Columns continue across the ends of runs: the rest of a run goes to the first columns. The columns are joined after a
 * block's worth of values. */
static void by_columns(const orr__cloop *c)
{
    orr__nest *n = c->n;
    int last = c->r->rank - 1;
    orr__cloop_each_fold(c, 0, orr__cloop_lane);
    orr__nest_set(n, "orr_idx seen = 0");
    orr__cloop_open(c, c->outer, last);
    parts_of_run(c, orr__nest_say(n, "%d", ORR__CLOOP_BLOCK));
    orr__nest_set(n, "seen += e - q");
    orr__part **mark = n->end;
    orr__cloop_values(c, last);
    const orr__part *body = orr__cloop_into_lanes(c, 0, mark);
    orr__cloop_by_lanes(c, body);
    (void)orr__nest_loop(n, ORR__LOOP_VECTOR | ORR__LOOP_INT, "l", "0", "(int)(e - j)", NULL);
    orr__nest_set(n, "const orr_idx i%d = j + l", last);
    orr__nest_put(n, orr__nest_clone(n, body));
    orr__nest_close(n, 1);
    (void)orr__nest_if(n, "seen >= %d", ORR__CLOOP_BLOCK);
    orr__cloop_each_fold(c, 0, orr__cloop_lane_join);
    orr__cloop_each_fold(c, 0, orr__cloop_lane_clear);
    orr__nest_set(n, "seen = 0");
    orr__nest_close(n, 2);
    orr__nest_close(c->n, last - c->outer);
    orr__cloop_each_fold(c, 0, orr__cloop_lane_join);
}

/* The results of a run whose values are folded. */
static void end_run(const orr__cloop *c)
{
    orr__nest_set(c->n, "const orr_idx i = at++");
    for (int k = 0; k < c->r->nout; k++) {
        orr__nest_block(c->n);
        (void)orr__cloop_fold(c, ORR__FOLD_END, orr__cloop_fold_number(c, k));
        orr__cloop_fold_store(c, k);
        orr__nest_close(c->n, 1);
    }
}

/* The values of as many joined rows as a block holds are computed as one row, then the rows are folded. */
static void joined(const orr__cloop *c)
{
    orr__nest *n = c->n;
    int last = c->r->rank - 1;
    const char *size = orr__cloop_size(c, last), *rows = orr__cloop_size(c, last - 1);
    orr__cloop_fold_arrays(c);
    orr__cloop_join_columns(c, ORR__CLOOP_BLOCK);
    orr__nest_set(n, "const orr_idx together = %d / %s", ORR__CLOOP_BLOCK, size);
    orr__cloop_join_begin(c, ORR__CLOOP_BLOCK);
    const orr__cloop in = orr__cloop_parts(c);
    orr__nest_loop(n, ORR__LOOP_JUMPS, "p", "0", rows, NULL)->at = "to";
    orr__nest_set(n, "to = %s - p < together ? %s : p + together", rows, rows);
    orr__nest_set(n, "const orr_idx q = p * %s, e = to * %s", size, size);
    orr__cloop_join_block(c, ORR__CLOOP_BLOCK);
    orr__cloop_fold_values(&in, "");
    (void)orr__nest_loop(n, ORR__LOOP_STEPS, "j", "q", "e", size);
    orr__cloop_folds(c, 0, ORR__FOLD_BEGIN);
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_fold_block(c, orr__cloop_fold_number(c, k),
                              orr__nest_say(n, "%s + (j - q)", orr__cloop_fold_array(c, k)), size);
    end_run(c);
    orr__nest_close(n, 2);
}

void orr__cloop_runs(const orr__cloop *c)
{
    const orr__region *r = c->r;
    if (c->joins) {
        joined(c);
        return;
    }
    orr__cloop_folds(c, 0, ORR__FOLD_BEGIN);
    if (r->search && r->rmask & 1u)
        orr__nest_set(c->n, "acc%d.seen = W(0)", orr__cloop_fold_number(c, 0));
    bool straight_on = c->outer == r->rank - 1,
         columns = !straight_on && can_fold_at_once(c) && r->dim[r->rank - 1] >= 2 * ORR__CLOOP_LANES;
    if (!columns)
        orr__cloop_fold_arrays(c);
    (straight_on ? straight : columns ? by_columns : by_blocks)(c);
    end_run(c);
}
