/* Nests of element-wise regions.
 * Must not know: reductions, the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

/* A map in the loops of a row or of a part of one. */
typedef struct {
    orr__cloop c;
    int stages, length; /* of a full block */
} map;

/* The loop of a stage over [q, to). */
static void stage_loop(const map *m, int stage, const char *to, bool full)
{
    const orr__cloop *c = &m->c;
    orr__part **mark = c->n->end;
    bool paced = full && orr__cloop_is_paced(c);
    orr__cloop_inner(c, "q", to);
    if (paced && *mark)
        (*mark)->how |= ORR__LOOP_PACED;
    if (paced)
        orr__nest_set(c->n, "ORR_STEP(i%d - q)", c->r->rank - 1);
    orr__cloop_stage_values(c, stage, m->stages);
    if (stage == m->stages - 1)
        orr__cloop_past_stores(c);
    orr__nest_close(c->n, 1);
    if (paced)
        orr__nest_set(c->n, "ORR_PACED");
    if (!full)
        orr__cloop_vectorise(c, mark, "q", to);
}

/* The loops of a block, up to element `to`. All loads precede all stores, and pointers are not restrict: an output may share the memory of
 * an input that is read in the same element (runtime/plan/donation.c). */
static void whole_block(const map *m, const char *to, bool full)
{
    const orr__cloop *c = &m->c;
    orr__cloop_prefetch(c, "q", to, !full);
    orr__part **mark = c->n->end;
    for (int s = 0; s < m->stages; s++)
        stage_loop(m, s, to, full);
    orr__cloop_sure(c, mark);
    orr__cloop_narrow(c, mark, "q", to, ORR__BLOCK_ELEMENTS);
    orr__cloop_widen(c, mark, "q", to, ORR__BLOCK_ELEMENTS);
    orr__cloop_past_copy(c, to);
}

/* True if random numbers are drawn for several elements at a time. */
static bool draws(const orr__cloop *c)
{
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || orr__cloop_draws(c, n);
    return any;
}

/* Unrolls over several vectors (ORR_PACE). A compiler that vectorises by the narrowest type writes each instruction once per vector of the
 * wider types. One byte stored per element therefore makes four vectors of f32, and two bytes four vectors of f64. The processor's
 * scheduler then holds four dependency chains instead of the distant end of one. */
static void full_block(const map *m)
{
    if (orr__cloop_is_paced(&m->c))
        orr__cloop_pace(&m->c, m->length);
    whole_block(m, orr__nest_say(m->c.n, "q + %d", m->length), true);
}

/* A row without functions and with little work is one loop, unless it is long: starting loops over blocks takes longer than such a row.
 * Compilers handle its end best, but for that of a vector of bytes or halves, which has up to 15 elements. */
static bool has_row_loop(const map *m)
{
    const orr__cloop *c = &m->c;
    bool light = orr__cloop_work(c) <= ORR__T_LOOP_WORK;
    for (int n = 0; n < c->r->ninstr; n++)
        light = light && orr__cloop_flops(c, n) < ORR__COST_FUNCTION;
    return light && c->r->rank > 1 && m->stages == 1 && !c->joins && c->around.boxed != ORR__BOXED_TESTED &&
           !draws(c) && !orr__cloop_has_near(c);
}

static void row_loop(const map *m, const char *from, const char *to)
{
    const orr__cloop *c = &m->c;
    orr__nest_set(c->n, "const orr_idx q = 0");
    orr__cloop_tile_block(c);
    orr__cloop_past_block(c);
    orr__part **mark = c->n->end;
    orr__cloop_inner(c, from, to);
    orr__cloop_stage_values(c, 0, 1);
    orr__cloop_past_stores(c);
    orr__nest_close(c->n, 1);
    if (orr__cloop_moves_narrow(c) || orr__cloop_is_paced(c))
        orr__cloop_vectorise(c, mark, from, to);
    orr__cloop_narrow(c, mark, from, to, ORR__T_ROW_LOOP);
    orr__cloop_widen(c, mark, from, to, ORR__T_ROW_LOOP);
}

/* Blocks of [from, to). The compiler knows the length of full blocks. The remainder, and short rows, are computed vector by vector. */
static void block_loop(const map *m, const char *from, const char *to)
{
    const orr__cloop *c = &m->c;
    orr__cloop_blocks(c, "q", "e", from, to, m->length);
    orr__cloop_past_block(c);
    orr__cloop_join_block(c, m->length);
    orr__cloop_tile_block(c);
    orr__part **mark = c->n->end;
    if (c->around.boxed == ORR__BOXED_TESTED) {
        whole_block(m, "e", false);
    } else {
        (void)orr__nest_if(c->n, "e - q == %d", m->length);
        full_block(m);
        orr__nest_else(c->n);
        whole_block(m, "e", false);
        orr__nest_close(c->n, 1);
    }
    orr__cloop_draw(c, mark);
    orr__nest_close(c->n, 1);
}

static void blocks(const map *m, const char *from, const char *to)
{
    orr__nest *n = m->c.n;
    if (!has_row_loop(m)) {
        block_loop(m, from, to);
        return;
    }
    (void)orr__nest_if(n, "W(%d) < %d && %s - %s <= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR, to, from,
                       ORR__T_ROW_LOOP);
    row_loop(m, from, to);
    orr__nest_else(n);
    block_loop(m, from, to);
    orr__nest_close(n, 1);
}

static void piece(const orr__cloop *c, void *of)
{
    map in = *(const map *)of;
    in.c = *c;
    blocks(&in, "begins", "ends");
}

/* Is a block of the last axis computed for all rows, before the next one? Some operand's neighbours along the row are in lines of their own,
 * which rows beside share, and which caches do not hold for a whole row. */
static bool is_block_outside(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    bool any = false;
    for (int a = 0; a < r->naccess && !c->joins && !orr__cloop_split(c); a++) {
        const orr__access *x = &r->access[a];
        if (x->input < 0 || c->lay.packed[a] || x->placed || orr__cloop_of_line(r, a, last) > 1 ||
            r->dim[last] * ORR__CACHE_LINE < ORR__T_CORE_CACHES)
            continue;
        for (int d = 0; d < last; d++)
            any = any || (x->stride[d] != 0 && orr__cloop_of_line(r, a, d) > 1);
    }
    return any;
}

/* The outputs are contiguous: the innermost loop writes elements at, at + 1, … */
void orr__cloop_map(const orr__cloop *c)
{
    map m = { .stages = orr__cloop_stages(c) };
    int last = c->r->rank - 1, loops = c->joins ? last - 1 : last;
    m.length = draws(c) || orr__cloop_join_is_long(c) ? ORR__BLOCK_ELEMENTS : ORR__T_MAP_BLOCK / orr__cloop_widest(c);
    const char *size = orr__cloop_length(c);
    orr__cloop_nothing(c);
    orr__cloop_join_columns(c, m.length);
    orr__nest_set(c->n, "orr_idx at = 0");
    orr__cloop_past_begin(c, ORR__BLOCK_ELEMENTS);
    orr__cloop_stage_begin(c, m.stages);
    orr__cloop_values(c, -1);
    bool outside = c->block < 0 && is_block_outside(c), parts = outside || (c->block >= 0 && c->lay.joined);
    if (outside) {
        orr__cloop_blocks(c, "b", "f", "0", size, ORR__BLOCK_ELEMENTS);
        orr__nest_set(c->n, "at = 0");
    }
    if (c->block >= 0)
        loops = orr__cloop_open_blocks(c);
    else
        orr__cloop_open(c, 0, loops);
    if (!c->joins)
        orr__cloop_prefetch_gathered(c);
    orr__cloop_join_begin(c, m.length);
    m.c = orr__cloop_parts(c);
    if (orr__cloop_split(c))
        orr__cloop_each_piece(&m.c, "0", size, piece, &m);
    else
        blocks(&m, parts ? "b" : "0", parts ? "f" : size);
    if (c->pitched)
        orr__nest_set(c->n, "at += %s * %s", orr__cloop_size(c, last - 1), orr__cloop_size(c, last));
    else if (c->block < 0)
        orr__nest_set(c->n, "at += %s", size);
    orr__nest_close(c->n, loops + outside);
    orr__cloop_past_end(c);
}
