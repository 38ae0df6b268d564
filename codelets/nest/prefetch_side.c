/* A block of rows side by side prefetches the next one. Gathered rows are prefetched in the nests of all rows.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "runtime/base/minmax.h"

/* In a block of rows side by side, the next block's lines of access a, along the axis with the nearer elements for every place on the other. The
 * other axes have the same lines again. */
static void next_block(const orr__cloop *c, int a)
{
    const orr__access *x = &c->r->access[a];
    const char *end = orr__nest_say(c->n, "e + %d", c->width), *size = orr__cloop_size(c, c->r->rank - 1);
    int last = c->r->rank - 1;
    int64_t across = llabs(x->stride[c->side]), along = llabs(x->stride[last]);
    bool by_row = along == 0 || across < along;
    int axis = by_row ? c->side : last, other = by_row ? last : c->side;
    orr__nest_block(c->n);
    for (int d = 0; d < last; d++)
        if (d != c->side && x->stride[d] != 0 && orr__cloop_of_line(c->r, a, d) > 1)
            (void)orr__nest_if(c->n, "i%d %% %d == 0", d, orr__cloop_of_line(c->r, a, d));
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", other), by_row ? "0" : "e",
                         along == 0 ? "1"
                         : by_row   ? size
                                    : end,
                         orr__nest_say(c->n, "%d", orr__cloop_of_line(c->r, a, other)));
    orr__part *part = orr__nest_add(c->n, ORR__PART_PREFETCH, ORR__IN_L2, a);
    part->row = axis;
    part->from = by_row ? "e" : "0";
    part->to = by_row ? end : size;
    part->step = "0";
    orr__nest_close(c->n, 2);
    for (int d = 0; d < last; d++)
        orr__nest_close(c->n, d != c->side && x->stride[d] != 0 && orr__cloop_of_line(c->r, a, d) > 1);
}

static int64_t row_bytes(const orr__cloop *c, int n)
{
    return c->r->dim[c->r->rank - 1] * (int64_t)orr_dtype_size((orr_dtype)c->r->instr[n].dtype);
}

/* The load of an index for each row, from which gather n has its places; -1: there is none. */
static int index_of(const orr__cloop *c, int n)
{
    const orr__rinstr *in = c->r->instr;
    int place = in[n].kind == ORR__RI_GATHER ? in[n].x : -1;
    int index = place >= 0 && in[place].kind == ORR__RI_PLACE ? in[place].x : -1;
    return index >= 0 && in[index].kind == ORR__RI_LOAD && orr__cloop_is_of_row(c, index) &&
                   !c->r->access[in[index].a].box
               ? index
               : -1;
}

/* Does n gather rows by such an index, and no earlier instruction the same ones? */
static bool is_gathered(const orr__cloop *c, int n)
{
    const orr__rinstr *in = c->r->instr;
    bool is = index_of(c, n) >= 0;
    for (int i = 0; i < n; i++)
        is = is && !(in[i].kind == ORR__RI_GATHER && in[i].a == in[n].a && in[i].x == in[n].x);
    return is;
}

/* The rows [from, to) that instruction n gathers, row after row, the first elements of long ones: they may be anywhere, and a processor waits for
 * few of them at a time. */
static void gathered(const orr__cloop *c, int n, int axis, const char *from, const char *to, int cache)
{
    const orr__region *r = c->r;
    int index = r->instr[index_of(c, n)].a, a = r->instr[n].a, last = r->rank - 1;
    const char *size = row_bytes(c, n) > ORR__T_AHEAD
                           ? orr__nest_say(c->n, "%d", ORR__T_AHEAD / (int)orr_dtype_size((orr_dtype)r->instr[n].dtype))
                           : orr__cloop_size(c, last);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", axis), from, to, NULL);
    orr__nest_set(c->n, "const orr_idx next = (orr_idx)%s[%s]", orr__cloop_array(c, index),
                  orr__cloop_index(c, index, false));
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", last), "0",
                         r->access[a].stride[last] ? size : "1",
                         orr__nest_say(c->n, "%d", orr__cloop_of_line(r, a, last)));
    orr__nest_set(c->n, "ORR_PREFETCH(&%s[%s + next * (orr_idx)W(%d)], %d)", orr__cloop_array(c, a),
                  orr__cloop_index(c, a, false), orr__emit_by(r, &c->lay, a), cache);
    orr__nest_close(c->n, 2);
}

/* The row that instruction n gathers `ahead` rows later. */
static void row_ahead(const orr__cloop *c, int n, int64_t ahead, int cache)
{
    int axis = c->r->rank - 2;
    const char *row = orr__nest_say(c->n, "here + %d", (int)ORR__MAX(ahead, 1)), *size = orr__cloop_size(c, axis);
    gathered(c, n, axis, row, orr__nest_say(c->n, "(%s < %s ? %s + 1 : 0)", row, size, row), cache);
}

/* Gathered rows that are computed one by one. A processor follows long rows by itself. The second cache takes more requests; a load that
 * misses the first one waits for stores past the caches. */
void orr__cloop_prefetch_gathered(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    if (last < 1 || orr__cloop_most_reach(c) == ORR__CLOOP_NEAR)
        return;
    for (int n = 0; n < c->r->ninstr; n++) {
        int64_t bytes = row_bytes(c, n);
        if (!is_gathered(c, n))
            continue;
        (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
        orr__nest_set(c->n, "const orr_idx here = i%d", last - 1);
        row_ahead(c, n, ORR__T_AHEAD / bytes, ORR__IN_L2);
        if (bytes <= ORR__T_AHEAD)
            row_ahead(c, n, ORR__T_AHEAD / 2 / bytes, ORR__IN_L1);
        orr__nest_close(c->n, 1);
    }
}

void orr__cloop_prefetch_joined(const orr__cloop *c, int length)
{
    orr__cloop apart = *c;
    int last = c->r->rank - 1;
    const char *rows = orr__cloop_size(c, last - 1), *row = orr__cloop_size(c, last);
    apart.lay.joined = NULL;
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || is_gathered(c, n);
    if (!any || orr__cloop_most_reach(c) == ORR__CLOOP_NEAR)
        return;
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
    orr__nest_set(c->n, "const orr_idx after = (e + %d) / %s + 1", length, row);
    for (int n = 0; n < c->r->ninstr; n++)
        if (is_gathered(c, n))
            gathered(&apart, n, last - 1, orr__nest_say(c->n, "e / %s", row),
                     orr__nest_say(c->n, "(after < %s ? after : %s)", rows, rows), ORR__IN_L2);
    orr__nest_close(c->n, 1);
}

void orr__cloop_prefetch_side(const orr__cloop *c)
{
    const char *size = orr__cloop_size(c, c->side);
    if (orr__cloop_most_reach(c) == ORR__CLOOP_NEAR)
        return;
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
    for (int a = 0; a < c->r->naccess; a++)
        if (c->r->access[a].input >= 0 && !c->r->access[a].placed && c->r->access[a].stride[c->side] != 0)
            next_block(c, a);
    for (int n = 0; n < c->r->ninstr; n++)
        if (is_gathered(c, n))
            gathered(c, n, c->side, "e",
                     orr__nest_say(c->n, "(%s - e < %d ? %s : e + %d)", size, c->width, size, c->width), ORR__IN_L2);
    orr__nest_close(c->n, 1);
}
