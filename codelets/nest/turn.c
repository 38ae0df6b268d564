/* Copies of blocks of rows side by side: accesses whose neighbouring rows are apart in memory, and all outputs, are transposed.
 * Must not know: what is computed from them. */
#include "config.h"

#include "codelets/nest/internal.h"

/* Transposes of elements of 4 and of 8 bytes, as on processors elsewhere. */
static const char turn_text[] = "#define REAL orr_i32\n#define LANE orr_i32\n#define F(name) orr_##name##_4\n"
#include "codelets/nest/turn_text.h"
                                "#undef REAL\n#undef LANE\n#undef F\n"
                                "#define REAL orr_i64\n#define LANE orr_i64\n#define F(name) orr_##name##_8\n"
#include "codelets/nest/turn_text.h"
                                "#undef REAL\n#undef LANE\n#undef F\n";

void orr__cloop_turn_functions(const orr__cloop *c, orr__text *t)
{
    if (c->side >= 0)
        orr__text_add(t, turn_text);
}

static int last_of(const orr__cloop *c)
{
    return c->r->rank - 1;
}

static const char *place(const orr__cloop *c, int n)
{
    return c->at[n] == last_of(c) ? orr__cloop_side_place(c) : orr__cloop_row_place(c);
}

/* -- in -------------------------------------------------------------------------------------------------------------- */

/* True if access a is transposed as a block. Other accesses have stride 1 or 0 along the rows side by side. */
static bool is_turned(const orr__cloop *c, int a)
{
    return c->r->access[a].box || c->lay.move[a * ORR_MAX_RANK + c->side] == ORR__MOVE_ANY;
}

/* True if n gathers elements at places that are known before the passes. */
static bool gathers(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[n] == last_of(c) && c->at[in->x] < last_of(c) && c->pass[in->x] == 0;
}

bool orr__cloop_is_turned(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return gathers(c, n) || (in->kind == ORR__RI_LOAD && c->at[n] >= last_of(c) - 1 && is_turned(c, in->a));
}

/* The instruction whose block n reads: the first with the same access, or with the same access and places. */
static int block_of(const orr__cloop *c, int n)
{
    int first = n;
    for (int i = n - 1; i >= 0; i--)
        first =
            orr__cloop_is_turned(c, i) && c->r->instr[i].a == c->r->instr[n].a && c->r->instr[i].x == c->r->instr[n].x
                ? i
                : first;
    return first;
}

void orr__cloop_turned(const orr__cloop *c, int n)
{
    orr__cloop_load(c, ORR__LOAD_STORED, n, orr__cloop_name(c, "turned", block_of(c, n)), place(c, n));
}

/* A stride that the compiler knows: rows in reverse order are copied vector by vector. */
static void turn_reversed(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a, s = c->side;
    orr__nest_set(c->n, "const orr_idx i%d = 0", s);
    orr__nest_address(c->n, orr__nest_say(c->n, "const %s", orr__cloop_stored(c, a)), "from",
                      orr__nest_say(c->n, "%s + (%s)", orr__cloop_array(c, a), orr__cloop_index(c, a, false)));
    orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
    orr__nest_copy(c->n, a, "turned%d[%s] = from[-i%d]", n, place(c, n), s);
    orr__nest_close(c->n, 1);
}

/* The element size, 4 or 8 bytes, if the elements of a row are contiguous; else 0. */
static int squares(const orr__cloop *c, int n)
{
    const orr__access *a = &c->r->access[c->r->instr[n].a];
    int size = (int)orr_dtype_size((orr_dtype)c->r->in_dtype[a->input]);
    return (size == 4 || size == 8) && c->at[n] == last_of(c) && !a->box && !a->placed && !gathers(c, n) &&
                   a->stride[last_of(c)] == 1
               ? size
               : 0;
}

static void turn_squares(const orr__cloop *c, int n, int size)
{
    int a = c->r->instr[n].a, last = last_of(c);
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = q, i%d = 0", c->side, last);
    orr__nest_copy(c->n, a, "orr_turn_%d((void *)turned%d, %d, (const void *)(%s + (%s)), W(%d), e - q, %s)", size, n,
                   c->width, orr__cloop_array(c, a), orr__cloop_index(c, a, false), orr__cloop_step_word(c, a, c->side),
                   orr__cloop_size(c, last));
    orr__nest_close(c->n, 1);
}

static void turn_each(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    bool gathered = gathers(c, n), boxed = !gathered && c->r->access[in->a].box;
    orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
    if (gathered && orr__cloop_is_of_row(c, in->x))
        orr__cloop_row_again(c, in->x);
    const char *outside = boxed ? orr__nest_say(c->n, "!(%s) ? 0 : ", orr__cloop_inside(c, in->a)) : "";
    orr__nest_copy(c->n, in->a, "turned%d[%s] = %s%s[%s]", n, place(c, n), outside, orr__cloop_array(c, in->a),
                   orr__cloop_element(c, n));
    orr__nest_close(c->n, 1);
}

/* A block of transposed elements, as they are in memory. */
static void turn(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a;
    bool row = c->at[n] < last_of(c), gathered = gathers(c, n);
    orr__cloop_side_array(c, orr__cloop_stored(c, a), "turned", n, row ? c->width : ORR__T_SIDE_BLOCK);
    if (!gathered && squares(c, n)) {
        turn_squares(c, n, squares(c, n));
        return;
    }
    if (row)
        orr__nest_block(c->n);
    else
        orr__cloop_along_row(c);
    if (gathered || c->r->access[a].box) {
        turn_each(c, n);
    } else {
        (void)orr__nest_if(c->n, "W(%d) == -1", orr__cloop_step_word(c, a, c->side));
        turn_reversed(c, n);
        orr__nest_else(c->n);
        turn_each(c, n);
        orr__nest_close(c->n, 1);
    }
    orr__nest_close(c->n, 1);
}

void orr__cloop_turn_in(const orr__cloop *c, bool gathered)
{
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_is_turned(c, n) && gathers(c, n) == gathered && block_of(c, n) == n)
            turn(c, n);
}

/* -- out ------------------------------------------------------------------------------------------------------------- */

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
    return any && c->side == last_of(c) - 1 && orr__cloop_most_reach(c) == ORR__CLOOP_PAST;
}

/* made<k> to `to`, with `gap` elements from one row to the next. */
static void squares_out(const orr__cloop *c, int k, const char *to, const char *gap)
{
    orr__nest_copy(c->n, k, "orr_turn_%d((void *)(%s), %s, (void *)made%d, %d, %s, e - q)",
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]), to, gap, k, c->width,
                   orr__cloop_size(c, last_of(c)));
}

/* The block past the caches, if it is so for this output. */
static void begin_past(const orr__cloop *c, int k, const char *place)
{
    const char *line = orr__nest_say(c->n, is_row(c) ? "made%d" : "line%d_out", k),
               *length = is_row(c) ? "1" : orr__cloop_size(c, last_of(c));
    (void)orr__nest_if(c->n, "past%d", k);
    if (!is_row(c))
        squares_out(c, k, line, length);
    orr__nest_copy(c->n, k, "orr_past(%s, %s, (e - q) * %s * %d)", place, line, length,
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]));
    orr__nest_else(c->n);
}

static void elements_out(const orr__cloop *c, int k)
{
    const char *length = orr__cloop_size(c, last_of(c));
    if (is_row(c))
        orr__nest_block(c->n);
    else
        orr__cloop_along_row(c);
    orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
    const char *to = is_row(c) ? orr__nest_say(c->n, "at + i%d * step", c->side)
                               : orr__nest_say(c->n, "(at + i%d * step) * %s + i%d", c->side, length, last_of(c));
    orr__nest_copy(c->n, k, "out%d[(orr_idx)W(%d) + %s] = made%d[%s]", k, c->lay.out_at + k, to, k,
                   is_row(c) ? orr__cloop_row_place(c) : orr__cloop_side_place(c));
    orr__nest_close(c->n, 2);
}

void orr__cloop_turn_out(const orr__cloop *c, int k)
{
    const char *length = is_row(c) ? "1" : orr__cloop_size(c, last_of(c));
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
