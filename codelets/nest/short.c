/* Nests of short rows side by side. Neighbours along another axis are computed together: a vector holds one element each of several rows, and
 * a fold of a row is a loop of vector instructions.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

typedef orr__rowplan rows;

static int last_of(const rows *w)
{
    return w->c->r->rank - 1;
}

/* Declares row<n>: values of rows that other loops read. */
static void declare(const rows *w)
{
    const orr__cloop *c = w->c;
    for (int n = 0; n < c->r->ninstr; n++) {
        if (orr__cloop_is_of_row(c, n))
            orr__cloop_declare(c, 0, orr__cloop_kept(c, n), "row", n, c->width);
        if (w->kept[n])
            orr__cloop_declare(c, 0, orr__cloop_kept(c, n), "keep", n, ORR__T_SIDE_BLOCK);
    }
}

/* The values of the element loop that the pass needs. */
static void elements(rows *w, int pass)
{
    orr__rowplan_want(w, pass, false);
    for (int n = 0; n < w->c->r->ninstr; n++)
        if (orr__cloop_is_of_row(w->c, n) && w->wanted[n])
            orr__cloop_row_again(w->c, n);
    orr__rowplan_values(w, pass, orr__cloop_side_place(w->c, true));
}

/* -- folds ------------------------------------------------------------------------------------------------------- */

static void fold_elements(rows *w, int pass)
{
    orr__cloop_each_fold(w->c, pass, orr__cloop_side_begin);
    orr__cloop_along_row(w->c, true);
    orr__cloop_side_by_side(w->c, ORR__LOOP_VECTOR);
    elements(w, pass);
    orr__cloop_each_fold(w->c, pass, orr__cloop_side_step);
    orr__nest_close(w->c->n, 2);
    orr__cloop_each_fold(w->c, pass, orr__cloop_side_join);
}

static bool read_by_row(const rows *w, int n, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int i = n + 1; i < c->r->ninstr; i++)
        any = any || (orr__cloop_is_of_row(w->c, i) && c->pass[i] == pass && c->r->instr[i].kind != ORR__RI_FOLD &&
                      orr__cloop_reads(&c->r->instr[i], n));
    return any;
}

static void row_value(const rows *w, int n)
{
    if (w->c->r->instr[n].kind == ORR__RI_FOLD)
        orr__cloop_fold(w->c, ORR__FOLD_VALUE, n)->at = orr__cloop_side_place(w->c, false);
    else
        orr__cloop_value(w->c, n);
    orr__cloop_store(w->c, n, orr__cloop_name(w->c, "row", n), orr__cloop_side_place(w->c, false));
}

/* The values of rows that are known after `pass` folds. */
static void row_values(const rows *w, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || (orr__cloop_is_of_row(w->c, n) && c->pass[n] == pass);
    if (!any)
        return;
    orr__cloop_side_by_side(w->c, ORR__LOOP_VECTOR);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (orr__cloop_is_of_row(w->c, n) && c->pass[n] < pass && read_by_row(w, n, pass))
            orr__cloop_row_again(w->c, n);
        if (orr__cloop_is_of_row(w->c, n) && c->pass[n] == pass)
            row_value(w, n);
    }
    orr__nest_close(c->n, 1);
}

/* -- outputs ------------------------------------------------------------------------------------------------------ */

static void declare_outputs(const rows *w)
{
    const orr__region *r = w->c->r;
    for (int k = 0; k < r->nout; k++)
        orr__cloop_declare(w->c, 0, orr__emit_storage((orr_dtype)r->out_dtype[k]), "made", k,
                           r->loops == ORR__LOOPS_PER_ROW ? w->c->width : ORR__T_SIDE_BLOCK);
}

static void outputs(rows *w)
{
    const orr__cloop *c = w->c;
    bool whole = c->r->loops != ORR__LOOPS_PER_ROW;
    orr__cloop_along_row(c, whole);
    orr__cloop_side_by_side(c, ORR__LOOP_VECTOR);
    elements(w, w->passes);
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_output_register(c, k, orr__cloop_name(c, "made", k), orr__cloop_side_place(c, whole));
    orr__nest_close(c->n, 2);
}

/* Row-major numbers of rows: that of the first row side by side, and the step from one row to the next. */
static void number_rows(const rows *w)
{
    const orr__cloop *c = w->c;
    orr__nest_set(c->n, "orr_idx at = 0, step = 1");
    for (int d = 0; d < last_of(w); d++) {
        const char *size = orr__cloop_size(c, d);
        if (d > c->side)
            orr__nest_set(c->n, "step *= %s", size);
        if (d == c->side)
            orr__nest_set(c->n, "at *= %s", size);
        else
            orr__nest_set(c->n, "at = at * %s + i%d", size, d);
    }
}

static void block(rows *w)
{
    declare(w);
    row_values(w, 0);
    orr__cloop_turn_in(w->c, true);
    for (int p = 0; p < w->passes; p++) {
        fold_elements(w, p);
        row_values(w, p + 1);
    }
    outputs(w);
}

/* Is a block of rows side by side computed for all of the outer axes, before the next one? Their rows are then neighbours in the output, or
 * their elements share lines of an input. */
static bool is_block_outside(const orr__cloop *c)
{
    bool any = false;
    for (int d = 0; d < c->r->rank - 1; d++) {
        any = any || d > c->side;
        for (int a = 0; a < c->r->naccess && d != c->side; a++) {
            const orr__access *x = &c->r->access[a];
            int64_t bytes =
                x->input < 0 ? 0 : x->stride[d] * (int64_t)orr_dtype_size((orr_dtype)c->r->in_dtype[x->input]);
            any = any || (bytes != 0 && bytes < ORR__CACHE_LINE && -bytes < ORR__CACHE_LINE);
        }
    }
    return any;
}

static void open_blocks(const rows *w)
{
    orr__cloop_blocks(w->c, "q", "e", "0", orr__cloop_size(w->c, w->c->side), w->c->width);
}

static void blocks(rows *w)
{
    const orr__cloop *c = w->c;
    int outer = last_of(w) - 1;
    bool outside = is_block_outside(c);
    orr__cloop_nothing(c);
    if (orr__cloop_goes_past(c))
        orr__cloop_past_begin(c, ORR__T_SIDE_BLOCK);
    orr__cloop_values(c, -1);
    if (outside)
        open_blocks(w);
    orr__cloop_open(c, 0, outer);
    number_rows(w);
    if (!outside)
        open_blocks(w);
    orr__cloop_prefetch_side(c);
    orr__cloop_turn_in(w->c, false);
    declare_outputs(w);
    orr__part **mark = c->n->end;
    block(w);
    orr__cloop_sure(c, mark);
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_turn_out(w->c, k);
    orr__nest_close(c->n, 1);
    orr__nest_close(c->n, outer);
    if (orr__cloop_goes_past(c))
        orr__cloop_past_end(c);
}

void orr__cloop_short(const orr__cloop *c)
{
    orr__rowplan_nest((rows){ .c = c, .length = ORR__T_SIDE_BLOCK, .left = ORR__KEPT_BYTES }, blocks);
}
