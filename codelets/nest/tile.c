/* The rows of a map in blocks along the axis whose neighbours are neighbours in an operand. If the operand lies across the rows, tiles of a few rows
 * by a run of elements are transposed before the rows are computed: each line is read once, and loops read contiguous elements.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* Rows of a tile, a line of f32; their elements, a block of f32; elements of the largest tile. */
enum { ROWS = ORR__VECTOR, LENGTH = ORR__T_MAP_BLOCK / 4, TILE = 2 * ROWS * LENGTH };

/* The axis with the neighbours in memory of an operand whose elements along a row are in lines of their own; -1: none, or one that a tile cannot
 * transpose. */
static int axis_of(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int last = r->rank - 1, axis = -1;
    int64_t size = a->input < 0 ? 0 : (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[a->input]);
    if ((size != 4 && size != 8) || a->placed || a->box || a->stride[last] == 0 ||
        orr__cloop_of_line(r, number, last) > 1 || !orr__cloop_read_as(r, number, ORR__RI_LOAD))
        return -1;
    for (int d = 0; d < last; d++)
        axis = a->stride[d] == 1 && r->dim[d] >= ROWS ? d : axis;
    return axis;
}

static int64_t elements(const orr__region *r)
{
    int64_t n = 1;
    for (int d = 0; d < r->rank; d++)
        n *= r->dim[d];
    return n;
}

/* A map whose rows are computed in any order. */
static bool is_plain(const orr__region *r)
{
    bool plain =
        orr__region_is_map(r) && !orr__region_rows(r) && orr__region_loops(r) && r->loops != ORR__LOOPS_PER_ROW;
    for (int n = 0; n < r->ninstr; n++)
        plain = plain && r->instr[n].kind != ORR__RI_GATHER && r->instr[n].kind != ORR__RI_RANDOM;
    return plain;
}

int orr__cloop_may_tile(const orr__region *r)
{
    int axis = -1, last = r->rank - 1;
    int64_t bytes = 0;
    if (!is_plain(r) || last < 1 || r->dim[last] < ROWS || elements(r) < ORR__T_SIDE_BLOCK ||
        orr__ablated(ORR__OFF_PACKING))
        return -1;
    for (int a = 0; a < r->naccess; a++) {
        int d = axis_of(r, a);
        if (r->access[a].box || (d >= 0 && axis >= 0 && d != axis))
            return -1;
        axis = d >= 0 ? d : axis;
        bytes += d >= 0 ? TILE * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]) : 0;
    }
    return bytes <= ORR__KEPT_BYTES ? axis : -1;
}

bool orr__cloop_tiles(const orr__region *r, int a)
{
    int axis = orr__cloop_may_tile(r);
    return axis >= 0 && axis_of(r, a) == axis && orr__cloop_side(r) < 0 && !orr__cloop_joins(r);
}

/* -- the order of rows ------------------------------------------------------------------------------------------------ */

/* The axis along which access a's rows are neighbours in memory, if that is not the one of the innermost loop over rows, no cache holds what is
 * read, and the rows are so short that a processor does not follow one by itself; else -1. */
static int axis_of_rows(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int last = r->rank - 1, near = -1, inner = -1;
    if (a->input < 0 || a->placed || (a->stride[last] != 0 && a->stride[last] != 1))
        return -1;
    int64_t size = (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[a->input]), bytes = size;
    for (int d = 0; d <= last; d++) {
        bool moves = a->stride[d] != 0 && r->dim[d] > 1;
        bytes *= moves ? r->dim[d] : 1;
        inner = moves && d < last ? d : inner;
        near = inner == d && (near < 0 || llabs(a->stride[d]) < llabs(a->stride[near])) ? d : near;
    }
    return near != inner && bytes >= ORR__T_CORE_CACHES && llabs(a->stride[near]) * size < ORR__T_AHEAD ? near : -1;
}

int orr__cloop_block(const orr__region *r)
{
    int axis = orr__cloop_may_tile(r);
    if (!is_plain(r) || orr__cloop_side(r) >= 0 || orr__cloop_joins(r) || orr__ablated(ORR__OFF_SHORT_ROWS))
        return -1;
    for (int a = 0; a < r->naccess && axis < 0; a++)
        axis = axis_of_rows(r, a);
    return axis;
}

/* Are all rows in one tile? */
static bool is_one(const orr__cloop *c)
{
    return c->lay.joined && c->r->dim[c->block] < 2 * ROWS;
}

/* Rows of a block: those of a tile, or of short rows as many as the processor reads ahead. */
static int rows_of(const orr__cloop *c)
{
    int64_t row = c->r->dim[c->r->rank - 1] * orr__cloop_widest(c);
    return c->lay.joined ? ROWS * (1 + is_one(c)) : (int)ORR__MAX(ORR__T_AHEAD / row, ROWS);
}

/* -- loops ------------------------------------------------------------------------------------------------------------ */

/* The next tile's lines of an operand that moves along both axes. */
static void prefetch(const orr__cloop *c, int a, bool one)
{
    const orr__access *x = &c->r->access[a];
    int last = c->r->rank - 1;
    if (x->input < 0 || x->stride[last] == 0 || x->stride[c->block] == 0)
        return;
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", last), one ? "f" : "b",
                         one ? orr__nest_say(c->n, "f + %d", LENGTH) : "f",
                         orr__nest_say(c->n, "%d", orr__cloop_of_line(c->r, a, last)));
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, orr__cloop_name(c, "i", c->block), one ? "g" : "h",
                         one ? "h" : orr__nest_say(c->n, "h + %d", ROWS),
                         orr__nest_say(c->n, "%d", orr__cloop_of_line(c->r, a, c->block)));
    orr__nest_set(c->n, "ORR_PREFETCH(in%d + (%s), %d)", x->input, orr__cloop_index(c, a, false), ORR__IN_L1);
    orr__nest_close(c->n, 2);
}

static void copy(const orr__cloop *c, int a)
{
    int last = c->r->rank - 1, size = (int)orr_dtype_size((orr_dtype)c->r->in_dtype[c->r->access[a].input]);
    orr__cloop_declare(c, 0, orr__cloop_stored(c, a), "tile", a, TILE);
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = g, i%d = b", c->block, last);
    orr__nest_copy(c->n, "orr_turn_%d((void *)tile%d, %d, (const void *)(in%d + (%s)), W(%d), f - b, h - g)", size, a,
                   LENGTH, c->r->access[a].input, orr__cloop_index(c, a, false), orr__cloop_step_word(c, a, last));
    orr__nest_close(c->n, 1);
}

/* The number of a row's first element, row after row. */
static void number_row(const orr__cloop *c)
{
    const char *at = "0";
    for (int d = 0; d < c->r->rank - 1; d++)
        at = orr__nest_say(c->n, "(%s) * %s + i%d", at, orr__cloop_size(c, d), d);
    orr__nest_set(c->n, "const orr_idx at = (%s) * %s", at, orr__cloop_size(c, c->r->rank - 1));
}

static void tiles(const orr__cloop *c)
{
    orr__cloop whole = *c; /* its operands are in memory */
    whole.lay.joined = NULL;
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
    for (int a = 0; a < c->r->naccess; a++)
        prefetch(&whole, a, is_one(c));
    orr__nest_close(c->n, 1);
    for (int a = 0; a < c->r->naccess; a++)
        if (c->lay.joined[a])
            copy(&whole, a);
}

int orr__cloop_open_blocks(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    bool tiled = c->lay.joined;
    if (tiled)
        orr__cloop_blocks(c, "b", "f", "0", orr__cloop_size(c, last), LENGTH);
    orr__cloop_open(c, 0, c->block);
    orr__cloop_blocks(c, "g", "h", "0", orr__cloop_size(c, c->block), rows_of(c));
    orr__cloop_open(c, c->block, last - 1);
    if (tiled)
        tiles(c);
    orr__cloop_along(c, ORR__LOOP_STEPS, c->block, "g", "h");
    orr__cloop_values(c, last - 1);
    number_row(c);
    return last + 1 + tiled;
}

void orr__cloop_tile_block(const orr__cloop *c)
{
    for (int a = 0; a < c->r->naccess && c->block >= 0 && c->lay.joined; a++)
        if (c->lay.joined[a])
            orr__nest_address(c->n, orr__nest_say(c->n, "const %s", orr__cloop_stored(c, a)),
                              orr__cloop_name(c, "join", a),
                              orr__nest_say(c->n, "tile%d + (i%d - g) * %d + (q - b)", a, c->block, LENGTH));
}
