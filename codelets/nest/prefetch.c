/* Loops over more data than caches hold prefetch their next input.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* True if access x, at other places of the iteration, reads the lines of the elements that are `offset` further on. */
static bool reaches(const orr__region *r, const orr__access *x, int64_t offset)
{
    int64_t of_line = ORR__CACHE_LINE / (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    int64_t before = INT64_MAX;
    for (bool any = true; any;) { /* the axes by descending strides */
        int next = 0;
        any = false;
        for (int d = 0; d < r->rank; d++)
            if (x->stride[d] && r->dim[d] > 1 && llabs(x->stride[d]) < before &&
                (!any || llabs(x->stride[d]) > llabs(x->stride[next]))) {
                next = d;
                any = true;
            }
        if (any) {
            before = llabs(x->stride[next]);
            offset -= offset / before * before;
        }
    }
    return offset == 0 || before < of_line;
}

/* True if access b reads, element after element, the data that access a reads at most NEAR bytes later. The lines are then in a cache. */
static bool follows(const orr__region *r, int a, int b)
{
    const orr__access *x = &r->access[a], *y = &r->access[b];
    bool forward = true;
    if (a == b || x->input != y->input || x->placed || y->placed || memcmp(x->stride, y->stride, sizeof x->stride))
        return false;
    for (int d = 0; d < r->rank; d++)
        forward = forward && x->stride[d] >= 0;
    int64_t bytes = (y->offset - x->offset) * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    if (bytes == 0)
        return b < a;
    return forward ? bytes > 0 && bytes < ORR__CACHE_SHARE && reaches(r, x, y->offset - x->offset)
                   : llabs(bytes) < ORR__CACHE_LINE && b < a;
}

int64_t orr__cloop_leads(const orr__region *r)
{
    int64_t leads = -1;
    for (int a = 0; a < r->naccess && a < ORR__CLOOP_LEADS && !orr__ablated(ORR__OFF_SHARED_STREAMS); a++)
        for (int b = 0; b < r->naccess && r->access[a].input >= 0; b++)
            if (follows(r, a, b))
                leads &= ~(INT64_C(1) << a);
    return leads;
}

enum { AHEAD_ROWS = 8 };

/* Is access a read, and contiguous or by small steps, in the innermost loop? */
static bool runs(const orr__cloop *c, int a)
{
    const orr__region *r = c->r;
    int move = c->lay.move[a * ORR_MAX_RANK + r->rank - 1];
    if (r->access[a].input < 0 || c->lay.packed[a] || (c->lay.joined && c->lay.joined[a]) || move == ORR__MOVE_NONE ||
        move == ORR__MOVE_ANY)
        return false;
    if (orr__emit_reading(r, &c->lay, &c->around, a) == ORR__READ_NEVER ||
        (r->access[a].box && c->around.boxed == ORR__BOXED_TESTED))
        return false;
    return orr__cloop_read_as(r, a, ORR__RI_LOAD);
}

/* May another access read the lines of access a? */
static bool shared(const orr__cloop *c, int a)
{
    bool any = false;
    for (int b = 0; b < c->r->naccess; b++)
        any = any || (a != b && c->r->access[b].input == c->r->access[a].input && runs(c, b));
    return any;
}

/* The axis of the loop around the innermost one, if most of what is between short rows along it is not read, by no other access either; else -1. */
static int apart(const orr__cloop *c, int a)
{
    const orr__access *x = &c->r->access[a];
    int last = c->r->rank - 1, d = last > 0 && !c->joins ? c->order[last - 1] : -1;
    int64_t row = c->r->dim[last], read = 0;
    for (int b = 0; b < c->r->naccess; b++)
        read += c->r->access[b].input == x->input ? row : 0;
    bool gaps = d >= 0 && llabs(x->stride[d]) >= 2 * read;
    return gaps && row * (int64_t)orr_dtype_size((orr_dtype)c->r->in_dtype[x->input]) < ORR__T_AHEAD ? d : -1;
}

bool orr__cloop_rows_apart(const orr__cloop *c)
{
    bool any = false;
    for (int a = 0; a < c->r->naccess; a++)
        any = any || (runs(c, a) && apart(c, a) >= 0);
    return any;
}

/* Prefetches elements [from, to) of the input that the innermost loop reads in order, `ahead` bytes further on. row: an axis along which
 * accesses that do not move are already in cache, or -1. */
static void prefetch(const orr__cloop *c, const char *from, const char *to, int ahead, int cache, int row)
{
    const orr__region *r = c->r;
    for (int a = 0; a < r->naccess; a++) {
        if (!runs(c, a) || (row >= 0 && c->lay.move[a * ORR_MAX_RANK + row] == ORR__MOVE_NONE))
            continue;
        int size = (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]), d = ahead ? apart(c, a) : -1;
        if (d >= 0) {
            orr__nest_block(c->n);
            orr__nest_set(c->n, "const orr_idx later = i%d + %d", d, AHEAD_ROWS);
            orr__nest_block(c->n);
            orr__nest_set(c->n, "const orr_idx i%d = later", d);
        }
        orr__part *part = orr__nest_add(c->n, ORR__PART_PREFETCH, cache, a);
        if (a < ORR__CLOOP_LEADS && shared(c, a))
            part->at = orr__nest_say(c->n, "W(%d) >> %d & 1", ORR__CLOOP_LEADS_AT, a);
        part->row = r->rank - 1;
        part->from = from;
        part->to = to;
        part->step = orr__nest_say(c->n, "%d", d >= 0 ? 0 : ahead / size);
        orr__nest_close(c->n, d >= 0 ? 2 : 0);
    }
}

/* The second cache accepts more outstanding requests than the first, whose few are also needed by the stores past the caches. Maps with
 * such stores prefetch the line into the first cache soon after; compute-bound maps need neither. A reduction, which only reads, is fast
 * enough without the second prefetch. Processors follow rows by themselves, unless most vectors are masked, whose loads not all of them
 * follow (Zen 5). */
void orr__cloop_prefetch(const orr__cloop *c, const char *from, const char *to, bool masked)
{
    bool later = orr__region_is_map(c->r) && orr__cloop_work(c) <= ORR__COST_FUNCTION && !masked;
    if (orr__region_rows(c->r) || (c->block >= 0 && c->lay.joined)) /* tiles are */
        return;
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, later ? ORR__CLOOP_PAST : ORR__CLOOP_FAR);
    if (c->r->rmask && !c->r->search) {
        prefetch(c, from, to, ORR__T_AHEAD, ORR__IN_L2, -1);
    } else if (orr__cloop_pays(c)) {
        prefetch(c, from, to, ORR__T_AHEAD, ORR__IN_L2, -1);
        prefetch(c, from, to, ORR__T_AHEAD / 4, ORR__IN_L1, -1);
    } else {
        prefetch(c, from, to, ORR__T_AHEAD, ORR__IN_L1, -1);
    }
    orr__nest_close(c->n, 1);
}

void orr__cloop_prefetch_rows(const orr__cloop *c, const char *from, const char *to, int d, int rows, int apart)
{
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", d), orr__nest_say(c->n, "p + %d", rows),
                         orr__nest_say(c->n, "p + %d", 2 * rows), apart > 1 ? orr__nest_say(c->n, "%d", apart) : NULL);
    prefetch(c, from, to, 0, ORR__IN_L1, d);
    orr__nest_close(c->n, 2);
}

int orr__cloop_of_line(const orr__region *r, int a, int axis)
{
    const orr__access *x = &r->access[a];
    int64_t bytes = x->stride[axis] * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    return (int)ORR__MAX(ORR__CACHE_LINE / ORR__MAX(llabs(bytes), 1), 1);
}
