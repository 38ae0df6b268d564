/* Nests of reductions and searches: of runs of reduced elements, or of rows of kept elements that are folded into a row. All outputs are
 * computed at once.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

int orr__cloop_fold_number(const orr__cloop *c, int k)
{
    return c->r->ninstr + k;
}

static orr_dtype wide_dtype(const orr__cloop *c, int number)
{
    orr__region fold = orr__emit_fold_of(c->r, number);
    return orr__emit_fold_dtype(&fold, true);
}

const char *orr__cloop_fold_type(const orr__cloop *c, int number)
{
    return orr__emit_type(wide_dtype(c, number));
}

/* Stores the value `fold`, or the place `where`, to element i of output k. */
void orr__cloop_fold_store(const orr__cloop *c, int k)
{
    bool search = c->r->search;
    orr__cloop_output_value(c, k, search ? ORR_I64 : wide_dtype(c, orr__cloop_fold_number(c, k)),
                            search ? "where" : "fold");
}

/* An empty fold reads no input. A search of no values is refused at recording. */
static void nothing(const orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__nest *n = c->n;
    orr__nest_set(n, "orr_idx cells = 1, points = 1");
    for (int d = 0; d < r->rank; d++)
        orr__nest_set(n, "%s *= %s", r->rmask >> d & 1u ? "points" : "cells", orr__cloop_size(c, d));
    for (int k = 0; k < r->nout && !r->search; k++) {
        (void)orr__nest_if(n, "points == 0");
        (void)orr__nest_loop(n, ORR__LOOP_STEPS, "i", "0", "cells", NULL);
        int number = orr__cloop_fold_number(c, k);
        orr__nest_set(n, "const %s fold = orr_first_%d()", orr__cloop_fold_type(c, number), number);
        orr__cloop_fold_store(c, k);
        orr__nest_close(n, 2);
    }
    (void)orr__nest_if(n, "points == 0 || cells == 0");
    orr__nest_set(n, "return 0");
    orr__nest_close(n, 1);
    orr__nest_set(n, "orr_idx at = 0");
}

/* True if the operand of output k's fold is one contiguous array in each iteration of the outer loops. */
bool orr__cloop_folds_array(const orr__cloop *c, int k)
{
    return c->outer == c->r->rank - 1 && orr__cloop_lies(c, c->r->out_reg[k]);
}

bool orr__cloop_is_first_fold(const orr__cloop *c, int k)
{
    bool first = true;
    for (int m = 0; m < k; m++)
        first = first && c->r->out_reg[m] != c->r->out_reg[k];
    return first;
}

/* Is output k the first that folds its register from a block? */
static bool has_block(const orr__cloop *c, int k)
{
    return orr__cloop_is_first_fold(c, k) && !orr__cloop_folds_array(c, k);
}

const char *orr__cloop_fold_array(const orr__cloop *c, int k)
{
    return orr__cloop_name(c, "block", c->r->out_reg[k]);
}

void orr__cloop_fold_arrays(const orr__cloop *c)
{
    const orr__region *r = c->r;
    for (int k = 0; k < r->nout; k++)
        if (has_block(c, k))
            orr__cloop_declare(c, ORR__ARRAY_LOOSE, orr__emit_type((orr_dtype)r->instr[r->out_reg[k]].dtype), "block",
                               r->out_reg[k], ORR__CLOOP_BLOCK + ORR__CLOOP_VECTOR);
}

/* Stores elements [q, e) of the innermost run to the blocks, from `fill` on. */
void orr__cloop_fold_values(const orr__cloop *c, const char *fill)
{
    int last = c->r->rank - 1;
    orr__nest_block(c->n);
    orr__part **mark = c->n->end;
    orr__cloop_inner(c, "q", "e");
    orr__cloop_values(c, last);
    for (int k = 0; k < c->r->nout; k++)
        if (has_block(c, k))
            orr__cloop_store(c, c->r->out_reg[k], orr__cloop_fold_array(c, k),
                             orr__nest_say(c->n, "%s(i%d - q)", fill, last));
    orr__nest_close(c->n, 1);
    orr__cloop_pieces(c, mark, "q", "e");
    orr__cloop_sure(c, mark);
    orr__cloop_draw(c, mark);
    orr__nest_close(c->n, 1);
}

void orr__cloop_reduce(const orr__cloop *c)
{
    nothing(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, c->outer);
    orr__nest_block(c->n);
    (c->r->rmask >> (c->r->rank - 1) & 1u ? orr__cloop_runs : orr__cloop_columns_of)(c);
    orr__nest_close(c->n, 1);
    orr__nest_close(c->n, c->outer);
}
