/* Outputs of rows side by side: a block is transposed on its way to memory, or stored past the caches.
 * Must not know: what is computed. */
#include "config.h"

#include "codelets/nest/internal.h"

static bool is_row(const orr__cloop *c)
{
    return c->r->loops == ORR__LOOPS_PER_ROW;
}

static bool has_squares(const orr__cloop *c, int k)
{
    int size = (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]);
    return !is_row(c) && (size == 4 || size == 8);
}

bool orr__cloop_goes_past(const orr__cloop *c)
{
    bool any = false;
    for (int k = 0; k < c->r->nout; k++)
        any = any || is_row(c) || has_squares(c, k);
    return any && c->side == c->r->rank - 2 && orr__cloop_most_reach(c) == ORR__CLOOP_PAST;
}

/* made<k> to `to`, with `gap` elements from one row to the next. */
static void squares_out(const orr__cloop *c, int k, const char *to, const char *gap)
{
    orr__nest_copy(c->n, "orr_turn_%d((void *)(%s), %s, (void *)made%d, %d, %s, e - q)",
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]), to, gap, k, c->width,
                   orr__cloop_size(c, c->r->rank - 1));
}

/* The block past the caches, if it is so for this output. */
static void begin_past(const orr__cloop *c, int k, const char *place)
{
    const char *line = orr__nest_say(c->n, is_row(c) ? "made%d" : "line%d_out", k),
               *length = is_row(c) ? "1" : orr__cloop_size(c, c->r->rank - 1);
    (void)orr__nest_if(c->n, "past%d", k);
    if (!is_row(c))
        squares_out(c, k, line, length);
    orr__nest_copy(c->n, "orr_past(%s, %s, (e - q) * %s * %d)", place, line, length,
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]));
    orr__nest_else(c->n);
}

static void elements_out(const orr__cloop *c, int k)
{
    const char *length = orr__cloop_size(c, c->r->rank - 1);
    orr__cloop_along_row(c, !is_row(c));
    orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
    const char *to = is_row(c) ? orr__nest_say(c->n, "at + i%d * step", c->side)
                               : orr__nest_say(c->n, "(at + i%d * step) * %s + i%d", c->side, length, c->r->rank - 1);
    orr__nest_copy(c->n, "out%d[(orr_idx)W(%d) + %s] = made%d[%s]", k, c->lay.out_at + k, to, k,
                   orr__cloop_side_place(c, !is_row(c)));
    orr__nest_close(c->n, 2);
}

void orr__cloop_turn_out(const orr__cloop *c, int k)
{
    const char *length = is_row(c) ? "1" : orr__cloop_size(c, c->r->rank - 1);
    const char *place =
        orr__nest_say(c->n, "out%d + ((orr_idx)W(%d) + (at + q * step) * %s)", k, c->lay.out_at + k, length);
    bool past = orr__cloop_goes_past(c) && (is_row(c) || has_squares(c, k));
    if (past)
        begin_past(c, k, place);
    if (has_squares(c, k))
        squares_out(c, k, place, orr__nest_say(c->n, "step * %s", length));
    else
        elements_out(c, k);
    orr__nest_close(c->n, past);
}
