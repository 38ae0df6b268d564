/* Maps with short, contiguous rows that one loop walks as one, and how each access moves from row to row.
 * Must not know: parts of nests, the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "ops/ops.h"
#include "runtime/base/ablation.h"

/* -- gathered rows: their places are computed where they are copied ------------------------------------------------- */

/* Is register n one number per row, a load or a cast or place of one? */
static bool is_number_of_row(const orr__region *r, int n)
{
    const orr__rinstr *in = &r->instr[n];
    if (in->kind == ORR__RI_LOAD)
        return r->access[in->a].stride[r->rank - 1] == 0 && !r->access[in->a].box;
    return (in->kind == ORR__RI_PLACE || in->kind == ORR__RI_CAST) && is_number_of_row(r, in->x);
}

/* Is register n such a number, and read for places of gathered rows alone? */
bool orr__cloop_is_place(const orr__region *r, int n)
{
    bool any = false;
    if (!is_number_of_row(r, n))
        return false;
    for (int k = 0; k < r->nout; k++)
        if (r->out_reg[k] == n)
            return false;
    for (int i = n + 1; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (!orr__cloop_reads(in, n))
            continue;
        any = true;
        if (in->kind != ORR__RI_GATHER && !orr__cloop_is_place(r, i))
            return false;
    }
    return any;
}

/* The instruction that gathers rows by access a, if it is the only reader, and all that leads to its places serves them alone; else -1. */
int orr__cloop_gatherer(const orr__region *r, int a)
{
    int n = -1;
    for (int i = 0; i < r->ninstr; i++)
        if (r->instr[i].a == a) {
            if (n >= 0 || r->instr[i].kind != ORR__RI_GATHER)
                return -1;
            n = i;
        }
    for (int i = n >= 0 ? r->instr[n].x : -1; i >= 0; i = r->instr[i].x)
        if (!orr__cloop_is_place(r, i))
            return -1;
    return n;
}

static bool is_of_places(const orr__region *r, int a)
{
    bool all = true;
    for (int i = 0; i < r->ninstr; i++)
        all = all && (r->instr[i].a != a || orr__cloop_is_place(r, i));
    return all;
}

/* How an access moves from one row to the next. */
orr__way orr__cloop_way(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int last = r->rank - 1;
    int64_t down = a->stride[last - 1], along = a->stride[last];
    if (is_of_places(r, number))
        return ORR__PLACES;
    if (a->placed)
        return orr__cloop_gatherer(r, number) >= 0 && !a->box && along == 1 ? ORR__ROWS_ANYWHERE : ORR__OTHER;
    if (down == along * r->dim[last] && (along == 0 || along == 1))
        return ORR__GOES_ON;
    return a->box || (a->input < 0 && !orr__cloop_read_as(r, number, ORR__RI_IOTA)) ? ORR__OTHER
           : down == 0                                                              ? ORR__SAME_ROW
           : along == 0                                                             ? ORR__SAME_COLUMN
           : along == 1 && a->input >= 0                                            ? ORR__ROWS_APART
                                                                                    : ORR__OTHER;
}

bool orr__cloop_has_columns(const orr__region *r)
{
    bool any = false;
    for (int a = 0; a < r->naccess; a++)
        any = any || r->access[a].box >> (r->rank - 1) & 1u;
    return any;
}

/* True if short rows, or their columns, are folded from blocks of several rows. Either their values are expensive enough, or boxes cut the rows,
 * or several rows are folded beside each other. */
static bool folds_rows(const orr__region *r)
{
    int last = r->rank - 1, flops = 0;
    bool rows = r->rmask == 1u << last, boxed = false;
    for (int i = 0; i < r->ninstr; i++)
        flops += r->instr[i].kind == ORR__RI_EW ? orr__ew(r->instr[i].op)->flops : 0;
    for (int a = 0; a < r->naccess; a++)
        boxed = boxed || r->access[a].box;
    return orr__region_loops(r) && last > 0 && (rows || (r->rmask >> (last - 1) & 3u) == 1) &&
           (flops > ORR__COST_STORE || boxed || orr__cloop_narrow_columns(r));
}

const char *orr__cloop_joins_not(const orr__region *r)
{
    int last = r->rank - 1;
    bool any = false;
    if (r->rank < 2)
        return "there is one row";
    if (orr__region_rows(r) || r->search || !(orr__region_is_map(r) || folds_rows(r)))
        return "they are folded";
    if (orr__ablated(ORR__OFF_SHORT_ROWS))
        return "it is switched off";
    if (r->dim[last] < 2 || r->dim[last] > orr__cloop_join_most(r))
        return "they are not short";
    if (r->dim[last] * r->dim[last - 1] <
        (r->rmask || orr__cloop_has_columns(r) ? ORR__BLOCK_ELEMENTS : ORR__T_SIDE_BLOCK))
        return "they are few";
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || in->kind == ORR__RI_FOLD || (in->kind == ORR__RI_GATHER && r->rmask))
            return "they draw or gather numbers";
        if (in->kind == ORR__RI_LOAD && r->access[in->a].box && orr__is_compound((orr_dtype)in->dtype))
            return "pairs of numbers are chosen by place";
    }
    for (int a = 0; a < r->naccess; a++) {
        orr__way w = orr__cloop_way(r, a);
        if (w == ORR__OTHER)
            return "an operand does not go on from row to row";
        any =
            any || ((w == ORR__GOES_ON || w == ORR__ROWS_APART || w == ORR__ROWS_ANYWHERE) && r->access[a].input >= 0);
    }
    return any ? NULL : "no operand goes on from row to row";
}

bool orr__cloop_joins(const orr__region *r)
{
    return !orr__cloop_joins_not(r) && orr__cloop_chooses(r, ORR__NEST_JOINED);
}

/* Elements between two rows are up to half of a row. */
bool orr__cloop_join_pitched(const orr__region *r)
{
    int last = r->rank - 1;
    int64_t pitch = 0;
    if (!orr__region_is_map(r))
        return false;
    for (int a = 0; a < r->naccess; a++) {
        int64_t down = r->access[a].stride[last - 1];
        orr__way w = orr__cloop_way(r, a);
        if (r->access[a].box || w == ORR__ROWS_ANYWHERE || w == ORR__PLACES ||
            (w == ORR__ROWS_APART && pitch && down != pitch) ||
            (w != ORR__ROWS_APART && !(w == ORR__GOES_ON && down == 0)))
            return false;
        pitch = w == ORR__ROWS_APART ? down : pitch;
    }
    return pitch >= r->dim[last] && 2 * pitch <= 3 * r->dim[last];
}

bool orr__cloop_pitched(const orr__region *r)
{
    return orr__cloop_joins(r) && orr__cloop_join_pitched(r);
}

bool orr__cloop_join_moves(const orr__region *r, int a)
{
    orr__way w = orr__cloop_way(r, a);
    return w != ORR__GOES_ON && w != ORR__PLACES;
}

bool orr__cloop_join_copies_rows(const orr__region *r, int a)
{
    orr__way w = orr__cloop_way(r, a);
    return w == ORR__ROWS_APART || w == ORR__ROWS_ANYWHERE;
}

bool orr__cloop_join_copies(const orr__cloop *c)
{
    bool copies = false;
    for (int a = 0; a < c->r->naccess && c->joins && !c->pitched; a++)
        copies = copies || orr__cloop_join_copies_rows(c->r, a);
    return copies;
}

bool orr__cloop_join_is_long(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool fills = orr__cloop_has_columns(r);
    int64_t elements = 1;
    for (int d = 0; d < r->rank; d++)
        elements *= r->dim[d];
    for (int a = 0; a < r->naccess && c->joins; a++)
        fills = fills || orr__cloop_way(r, a) == ORR__SAME_COLUMN;
    return c->pitched || orr__cloop_join_copies(c) ||
           (c->joins && fills && elements >= ORR__T_RARE_SET * ORR__BLOCK_ELEMENTS);
}
