/* Copies of blocks of rows side by side: accesses whose neighbouring rows are apart in memory are transposed.
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
    if (c->side >= 0 || (c->block >= 0 && c->lay.joined))
        orr__text_add(t, turn_text);
}

static int last_of(const orr__cloop *c)
{
    return c->r->rank - 1;
}

static const char *place(const orr__cloop *c, int n)
{
    return orr__cloop_side_place(c, c->at[n] == last_of(c));
}

/* True if access a is transposed as a block. Other accesses have stride 1 or 0 along the rows side by side. */
static bool is_turned(const orr__cloop *c, int a)
{
    return c->r->access[a].box || c->lay.move[a * ORR_MAX_RANK + c->side] == ORR__MOVE_ANY;
}

/* Is n a place along the row, or what leads to it, that is the same for all rows side by side? */
static bool is_found_along(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    if (in->kind == ORR__RI_LOAD)
        return !is_turned(c, in->a) && c->lay.move[in->a * ORR_MAX_RANK + c->side] == ORR__MOVE_NONE;
    return (in->kind == ORR__RI_PLACE || in->kind == ORR__RI_CAST) && is_found_along(c, in->x);
}

bool orr__cloop_finds_along(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return c->side >= 0 && in->kind == ORR__RI_GATHER && c->at[n] == last_of(c) && c->at[in->x] == last_of(c) &&
           !c->r->access[in->a].box && is_found_along(c, in->x);
}

/* True if n gathers elements at places that are known before the passes, or that are found while it is copied. */
static bool gathers(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return (in->kind == ORR__RI_GATHER && c->at[n] == last_of(c) && c->at[in->x] < last_of(c) && c->pass[in->x] == 0) ||
           orr__cloop_finds_along(c, n);
}

static void find_along(const orr__cloop *c, int n)
{
    if (c->r->instr[n].x >= 0)
        find_along(c, c->r->instr[n].x);
    orr__cloop_value(c, n);
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
    orr__nest_copy(c->n, "turned%d[%s] = from[-i%d]", n, place(c, n), s);
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
    orr__nest_copy(c->n, "orr_turn_%d((void *)turned%d, %d, (const void *)(%s + (%s)), W(%d), e - q, %s)", size, n,
                   c->width, orr__cloop_array(c, a), orr__cloop_index(c, a, false), orr__cloop_step_word(c, a, c->side),
                   orr__cloop_size(c, last));
    orr__nest_close(c->n, 1);
}

static void turn_element(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    bool gathered = gathers(c, n), boxed = !gathered && c->r->access[in->a].box;
    if (gathered && orr__cloop_is_of_row(c, in->x))
        orr__cloop_row_again(c, in->x);
    const char *outside = boxed ? orr__nest_say(c->n, "!(%s) ? 0 : ", orr__cloop_inside(c, in->a)) : "";
    orr__nest_copy(c->n, "turned%d[%s] = %s%s[%s]", n, place(c, n), outside, orr__cloop_array(c, in->a),
                   orr__cloop_element(c, n));
}

/* By elements, the rows of each side by side. */
static void turn_by_element(const orr__cloop *c, int n, bool known)
{
    int a = c->r->instr[n].a;
    if (known) {
        (void)orr__nest_if(c->n, "W(%d) == -1", orr__cloop_step_word(c, a, c->side));
        turn_reversed(c, n);
        orr__nest_else(c->n);
    }
    orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
    turn_element(c, n);
    orr__nest_close(c->n, known ? 2 : 1);
}

/* Do elements of a row share lines that those of rows do not, in an operand that no cache holds? Each line is then read once. */
static bool goes_by_row(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a, last = last_of(c);
    return c->at[n] == last && c->r->access[a].stride[last] != 0 && orr__cloop_of_line(c->r, a, last) > 1 &&
           orr__cloop_of_line(c->r, a, c->side) == 1 && orr__cloop_most_reach(c) != ORR__CLOOP_NEAR;
}

/* A block of transposed elements, as they are in memory. */
static void turn(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a;
    bool row = c->at[n] < last_of(c), plain = !gathers(c, n) && !c->r->access[a].box;
    orr__cloop_declare(c, 0, orr__cloop_stored(c, a), "turned", n, row ? c->width : ORR__T_SIDE_BLOCK);
    if (plain && squares(c, n)) {
        turn_squares(c, n, squares(c, n));
    } else if (plain && goes_by_row(c, n)) {
        orr__cloop_side_by_side(c, ORR__LOOP_STEPS);
        orr__cloop_along_row(c, true);
        turn_element(c, n);
        orr__nest_close(c->n, 2);
    } else {
        orr__cloop_along_row(c, !row);
        if (orr__cloop_finds_along(c, n))
            find_along(c, c->r->instr[n].x);
        turn_by_element(c, n, plain);
        orr__nest_close(c->n, 1);
    }
}

void orr__cloop_turn_in(const orr__cloop *c, bool gathered)
{
    for (int n = 0; n < c->r->ninstr; n++)
        if (orr__cloop_is_turned(c, n) && gathers(c, n) == gathered && block_of(c, n) == n)
            turn(c, n);
}
