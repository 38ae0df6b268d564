/* Short rows that are computed side by side: which ones, along which axis, how many at a time.
 * Must not know: what is computed. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

int orr__cloop_side_of(const orr__region *r)
{
    int length = ORR__CLOOP_LANES;
    while (length < r->dim[r->rank - 1] && length < ORR__T_SIDE_BLOCK)
        length *= 2;
    return ORR__T_SIDE_BLOCK / length;
}

/* The axis with the most rows side by side, up to a block; axes with neighbours in memory are preferred. */
int orr__cloop_side_axis(const orr__region *r)
{
    int side = -1;
    int64_t best = 0;
    for (int d = r->rank - 2; d >= 0; d--) {
        int64_t worth = ORR__MIN(r->dim[d], orr__cloop_side_of(r));
        for (int a = 0; a < r->naccess; a++)
            worth += r->access[a].stride[d] == 1 ? orr__cloop_side_of(r) / 2 : 0;
        if (r->dim[d] >= ORR__CLOOP_VECTOR && worth > best) {
            side = d;
            best = worth;
        }
    }
    return side;
}

const char *orr__cloop_side_not(const orr__region *r)
{
    int last = r->rank - 1;
    int64_t bytes = 0;
    if (r->rank < 2 || r->loops == ORR__LOOPS_PRODUCT || r->call.op || (r->rmask && r->rmask != 1u << last))
        return r->rank < 2 ? "there is one row" : "no rows are folded";
    if (orr__ablated(ORR__OFF_SHORT_ROWS))
        return "it is switched off";
    for (int d = 0; d < r->rank; d++)
        if (r->dim[d] <= 0)
            return "they are empty";
    if (r->dim[last] < 2 || orr__cloop_side_of(r) < ORR__CLOOP_VECTOR)
        return "they are not short";
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || orr__is_compound((orr_dtype)in->dtype))
            return "they draw numbers, or pairs of them";
        bool read = in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER;
        if (read && (in->kind == ORR__RI_GATHER || r->access[in->a].stride[last] != 0 || r->access[in->a].box))
            bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
    }
    for (int k = 0; k < r->nout; k++)
        bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[k]);
    return bytes > ORR__KEPT_BYTES       ? "a block of rows is larger than its share of the caches"
           : orr__cloop_side_axis(r) < 0 ? "no axis has the rows of a vector"
                                         : NULL;
}

int orr__cloop_side(const orr__region *r)
{
    return orr__cloop_side_not(r) || !orr__cloop_chooses(r, ORR__NEST_SIDE) ? -1 : orr__cloop_side_axis(r);
}

bool orr__cloop_as_rows(const orr__region *r, orr__region *rows)
{
    *rows = *r;
    rows->instr = orr__alloc_n((size_t)(r->ninstr + r->nout), sizeof *rows->instr);
    if (!rows->instr)
        return false;
    for (int i = 0; i < r->ninstr; i++)
        rows->instr[i] = r->instr[i];
    for (int k = 0; k < r->nout; k++) {
        int n = rows->ninstr++;
        rows->instr[n] = (orr__rinstr){ ORR__RI_FOLD, 0, (int16_t)r->rop[k], r->out_reg[k], -1, -1, -1, -1 };
        orr__region fold = orr__emit_fold_of(rows, n);
        rows->instr[n].dtype = (uint8_t)(fold.search ? ORR_I64 : orr__emit_fold_dtype(&fold, true));
        rows->out_reg[k] = (int16_t)n;
    }
    rows->rmask = 0;
    rows->loops = ORR__LOOPS_PER_ROW;
    rows->nest = ORR__NEST_SIDE + 1; /* chosen, by costs that the folds as instructions would change */
    return true;
}

/* -- rows side by side ----------------------------------------------------------------------------------------------- */

bool orr__cloop_is_of_row(const orr__cloop *c, int n)
{
    return c->at[n] == c->r->rank - 2;
}

void orr__cloop_side_by_side(const orr__cloop *c, int how)
{
    orr__cloop_along(c, how, c->side, "q", "e");
}

void orr__cloop_along_row(const orr__cloop *c, bool elements)
{
    if (elements)
        orr__cloop_along(c, ORR__LOOP_STEPS, c->r->rank - 1, "0", orr__cloop_size(c, c->r->rank - 1));
    else
        orr__nest_block(c->n);
}

const char *orr__cloop_side_place(const orr__cloop *c, bool elements)
{
    return elements ? orr__nest_say(c->n, "i%d - q + i%d * %d", c->side, c->r->rank - 1, c->width)
                    : orr__nest_say(c->n, "i%d - q", c->side);
}

void orr__cloop_row_again(const orr__cloop *c, int n)
{
    orr__cloop_load(c, ORR__LOAD_KEPT, n, orr__cloop_name(c, "row", n), orr__cloop_side_place(c, false));
}
