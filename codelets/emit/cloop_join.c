/* C loops over maps of short rows that lie one behind the other: all rows are one loop. An access that does not go on from row
 * to row, such as a value for each column, or for each row, is read from a small copy.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/emit/cloop_internal.h"
#include "runtime/base/ablation.h"

/* The longest row that is short; the fewest elements of all of them, for which copies are made. */
enum { MOST = 64, LEAST = 2048 };

typedef enum { GOES_ON, SAME_ROW, SAME_COLUMN, OTHER } way;

/* The way of an access from one row to the next. */
static way way_of(const orr__region *r, const orr__access *a)
{
    int last = r->rank - 1;
    int64_t down = a->stride[last - 1], along = a->stride[last];
    if (a->box || a->placed)
        return OTHER;
    if (down == along * r->dim[last] && (along == 0 || along == 1))
        return GOES_ON;
    return a->input < 0 ? OTHER : down == 0 ? SAME_ROW : along == 0 ? SAME_COLUMN : OTHER;
}

bool orr__cloop_joins(const orr__region *r)
{
    int last = r->rank - 1;
    bool any = false;
    if (!orr__region_is_map(r) || r->rows || r->search || r->rank < 2 || orr__ablated(ORR__OFF_SHORT_ROWS) ||
        r->dim[last] < 2 || r->dim[last] > MOST || r->dim[last] * r->dim[last - 1] < LEAST)
        return false;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || in->kind == ORR__RI_PLACE || in->kind == ORR__RI_GATHER ||
            in->kind == ORR__RI_INSIDE || in->kind == ORR__RI_FOLD)
            return false;
    }
    for (int a = 0; a < r->naccess; a++) {
        way w = way_of(r, &r->access[a]);
        if (w == OTHER)
            return false;
        any = any || w == GOES_ON;
    }
    return any;
}

bool orr__cloop_join_moves(const orr__region *r, int a)
{
    return way_of(r, &r->access[a]) != GOES_ON;
}

static const char *stored(const orr__cloop *c, int a)
{
    return orr__emit_storage((orr_dtype)c->r->in_dtype[c->r->access[a].input]);
}

/* Access a of the element at i<last - 1>, i<last>, in its array. */
static void element(orr__cloop *c, int a)
{
    bool *joined = c->lay.joined;
    c->lay.joined = NULL;
    orr__emit_array(c->t, c->r, &c->lay, a);
    orr__text_add(c->t, "[");
    orr__emit_index(c->t, c->r, &c->lay, a, false);
    orr__text_add(c->t, "]");
    c->lay.joined = joined;
}

void orr__cloop_join_begin(orr__cloop *c, int length)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    if (!c->joins)
        return;
    orr__text_addf(c->t, "    const orr_idx joined = W(%d) * W(%d), i%d = 0;\n", orr__cloop_size_at(c->r, last - 1),
                   columns, last - 1);
    for (int a = 0; a < c->r->naccess; a++) {
        if (way_of(c->r, &c->r->access[a]) != SAME_ROW)
            continue;
        orr__text_addf(c->t,
                       "    %s again%d[%d];\n    for (orr_idx j = 0, i%d = 0; j < %d + W(%d); j++) {\n"
                       "    again%d[j] = ",
                       stored(c, a), a, length + MOST, last, length, columns, a);
        element(c, a);
        orr__text_addf(c->t, ";\n    i%d = i%d + 1 == W(%d) ? 0 : i%d + 1;\n    }\n", last, last, columns, last);
    }
}

/* No row behind the last one is read. */
void orr__cloop_join_block(orr__cloop *c, int length)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    if (!c->joins)
        return;
    orr__text_addf(c->t, "    const orr_idx begun = q / W(%d), phase = q - begun * W(%d);\n", columns, columns);
    for (int a = 0; a < c->r->naccess; a++) {
        way w = way_of(c->r, &c->r->access[a]);
        if (w == SAME_ROW)
            orr__text_addf(c->t, "    const %s *const join%d = again%d + phase;\n", stored(c, a), a, a);
        if (w != SAME_COLUMN)
            continue;
        orr__text_addf(c->t,
                       "    %s join%d[%d];\n    for (orr_idx j = 0, i%d = begun, i%d = W(%d) - phase; j < e - q;) {\n"
                       "    const %s x = ",
                       stored(c, a), a, length, last - 1, last, columns, stored(c, a));
        element(c, a);
        orr__text_addf(
            c->t,
            ";\n    const orr_idx end = e - q - j < i%d ? e - q : j + i%d;\n    do\n        join%d[j++] = x;\n"
            "    while (j < end);\n    i%d++, i%d = W(%d);\n    }\n",
            last, last, a, last - 1, last, columns);
    }
}
