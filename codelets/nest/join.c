/* C loops over maps with short, contiguous rows: one loop walks all rows. An access that does not continue from row to row, such as one
 * value per column or per row, is read from a small copy. A box becomes a range of all elements, and a mask of the columns inside of it. If
 * all rows that are read are parts of rows of one length, as those of a stencil, the loop walks the whole rows and drops the rest.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include "codelets/nest/internal.h"
#include "ops/ops.h"
#include "runtime/base/ablation.h"

typedef enum { GOES_ON, SAME_ROW, SAME_COLUMN, ROWS_APART, ROWS_ANYWHERE, PLACES, OTHER } way;

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
        if (in->x != n && in->y != n && in->z != n)
            continue;
        any = true;
        if (in->kind != ORR__RI_GATHER && !orr__cloop_is_place(r, i))
            return false;
    }
    return any;
}

/* The instruction that gathers rows by access a, if it is the only reader, and all that leads to its places serves them alone; else -1. */
static int gatherer_of(const orr__region *r, int a)
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

/* Is access a itself the value that is read, the index of an iota? */
static bool is_index(const orr__region *r, int a)
{
    bool any = false;
    for (int i = 0; i < r->ninstr; i++)
        any = any || (r->instr[i].a == a && r->instr[i].kind == ORR__RI_IOTA);
    return any;
}

/* How an access moves from one row to the next. */
static way way_of(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int last = r->rank - 1;
    int64_t down = a->stride[last - 1], along = a->stride[last];
    if (is_of_places(r, number))
        return PLACES;
    if (a->placed)
        return gatherer_of(r, number) >= 0 && !a->box && along == 1 ? ROWS_ANYWHERE : OTHER;
    if (down == along * r->dim[last] && (along == 0 || along == 1))
        return GOES_ON;
    return a->box || (a->input < 0 && !is_index(r, number)) ? OTHER
           : down == 0                                      ? SAME_ROW
           : along == 0                                     ? SAME_COLUMN
           : along == 1 && a->input >= 0                    ? ROWS_APART
                                                            : OTHER;
}

static bool has_columns(const orr__region *r)
{
    bool any = false;
    for (int a = 0; a < r->naccess; a++)
        any = any || r->access[a].box >> (r->rank - 1) & 1u;
    return any;
}

/* True if the columns of short rows are folded from blocks of several rows: their values must be expensive enough. */
static bool folds_rows(const orr__region *r)
{
    int last = r->rank - 1, flops = 0;
    for (int i = 0; i < r->ninstr; i++)
        flops += r->instr[i].kind == ORR__RI_EW ? orr__ew(r->instr[i].op)->flops : 0;
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].box)
            return false;
    return orr__region_loops(r) && last > 0 && (r->rmask >> (last - 1) & 3u) == 1 && flops > ORR__COST_STORE;
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
    if (r->dim[last] < 2 || r->dim[last] > ORR__T_SHORT_ROW)
        return "they are not short";
    if (r->dim[last] * r->dim[last - 1] < (r->rmask || has_columns(r) ? ORR__BLOCK_ELEMENTS : ORR__T_SIDE_BLOCK))
        return "they are few";
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || in->kind == ORR__RI_FOLD || (in->kind == ORR__RI_GATHER && r->rmask))
            return "they draw or gather numbers";
        if (in->kind == ORR__RI_LOAD && r->access[in->a].box && orr__is_compound((orr_dtype)in->dtype))
            return "pairs of numbers are chosen by place";
    }
    for (int a = 0; a < r->naccess; a++) {
        way w = way_of(r, a);
        if (w == OTHER)
            return "an operand does not go on from row to row";
        any = any || ((w == GOES_ON || w == ROWS_APART || w == ROWS_ANYWHERE) && r->access[a].input >= 0);
    }
    return any ? NULL : "no operand goes on from row to row";
}

bool orr__cloop_joins(const orr__region *r)
{
    return !orr__cloop_joins_not(r) && orr__cloop_chooses(r, ORR__NEST_JOINED);
}

/* Elements between two rows are up to half of a row. */
bool orr__cloop_pitched(const orr__region *r)
{
    int last = r->rank - 1;
    int64_t pitch = 0;
    if (!orr__cloop_joins(r) || !orr__region_is_map(r))
        return false;
    for (int a = 0; a < r->naccess; a++) {
        int64_t down = r->access[a].stride[last - 1];
        way w = way_of(r, a);
        if (r->access[a].box || w == ROWS_ANYWHERE || w == PLACES || (w == ROWS_APART && pitch && down != pitch) ||
            (w != ROWS_APART && !(w == GOES_ON && down == 0)))
            return false;
        pitch = w == ROWS_APART ? down : pitch;
    }
    return pitch >= r->dim[last] && 2 * pitch <= 3 * r->dim[last];
}

/* Boxes with the same columns share an array. */
void orr__cloop_join_number(const orr__region *r, int16_t *column)
{
    int last = r->rank - 1, n = 0;
    for (int a = 0; a < r->naccess; a++) {
        const orr__access *x = &r->access[a];
        bool boxed = x->box >> last & 1u;
        column[a] = -1;
        for (int b = 0; b < a && boxed; b++)
            if (column[b] >= 0 && r->access[b].lo[last] == x->lo[last] && r->access[b].hi[last] == x->hi[last])
                column[a] = column[b];
        if (boxed && column[a] < 0)
            column[a] = (int16_t)n++;
    }
}

/* The word with the first column of access a's box. */
static int columns_word(const orr__cloop *c, int a)
{
    return orr__emit_by(c->r, &c->lay, a) + orr__emit_box_words(&c->r->access[a]) - 2;
}

/* Is access a the first that reads its columns<n>? */
static bool first_column(const orr__cloop *c, int a)
{
    bool first = c->lay.column[a] >= 0;
    for (int b = 0; b < a; b++)
        first = first && c->lay.column[b] != c->lay.column[a];
    return first;
}

/* Integers as wide as the widest value, so that a vector of them masks a vector of values. */
static const char *mask_type(const orr__cloop *c)
{
    return orr__emit_type(orr__cloop_widest(c) > 4 ? ORR_I64 : ORR_I32);
}

void orr__cloop_join_columns(const orr__cloop *c, int length)
{
    const char *columns = orr__cloop_size(c, c->r->rank - 1);
    for (int a = 0; c->joins && a < c->r->naccess; a++)
        if (first_column(c, a)) {
            const char *allowed = orr__cloop_name(c, "allowed", c->lay.column[a]);
            int word = columns_word(c, a);
            orr__nest_array(c->n, ORR__ARRAY_LOOSE, mask_type(c), allowed,
                            orr__nest_say(c->n, "%d", length + ORR__T_SHORT_ROW));
            orr__nest_block(c->n);
            orr__nest_set(c->n, "orr_idx k = 0");
            (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "j", "0", orr__nest_say(c->n, "%d + %s", length, columns),
                                 NULL);
            orr__nest_copy(c->n, a, "%s[j] = k >= W(%d) && k < W(%d) ? -1 : 0", allowed, word, word + 1);
            orr__nest_set(c->n, "k = k + 1 == %s ? 0 : k + 1", columns);
            orr__nest_close(c->n, 2);
        }
}

/* The range from the first element inside to the last, so that every element of it can be read. */
void orr__cloop_join_part(const orr__cloop *c, int a, int word)
{
    int last = c->r->rank - 1;
    const char *columns = orr__cloop_size(c, last), *from = "0", *to = "joined";
    if (c->r->access[a].box >> (last - 1) & 1u) {
        from = orr__nest_say(c->n, "W(%d) * %s", word, columns);
        to = orr__nest_say(c->n, "W(%d) * %s", word + 1, columns);
    }
    if (c->r->access[a].box >> last & 1u) {
        from = orr__nest_say(c->n, "%s + W(%d)", from, columns_word(c, a));
        to = orr__nest_say(c->n, "%s - %s + W(%d)", to, columns, columns_word(c, a) + 1);
    }
    orr__nest_set(c->n, "const orr_idx lo%d = %s, hi%d = part%d ? %s : lo%d", a, from, a, a, to, a);
}

bool orr__cloop_join_moves(const orr__region *r, int a)
{
    way w = way_of(r, a);
    return w != GOES_ON && w != PLACES;
}

/* The type of elements in join<a>. Ints wrap: those of 32 bits are computed from as many bits of an index. */
static const char *join_type(const orr__cloop *c, int a)
{
    const orr__region *r = c->r;
    bool narrow = true;
    for (int i = 0; i < r->ninstr; i++)
        narrow = narrow && (r->instr[i].a != a || (orr__is_int((orr_dtype)r->instr[i].dtype) &&
                                                   orr_dtype_size((orr_dtype)r->instr[i].dtype) <= 4));
    return r->access[a].input >= 0 ? orr__cloop_stored(c, a) : orr__emit_type(narrow ? ORR_I32 : ORR_I64);
}

/* The element of access a at i<last - 1>, i<last>, in its array; an index itself. */
static const char *element(const orr__cloop *c, int a)
{
    orr__cloop apart = *c;
    apart.lay.joined = NULL;
    if (c->r->access[a].input < 0)
        return orr__cloop_index(&apart, a, true);
    const char *at = way_of(c->r, a) == ROWS_ANYWHERE ? orr__cloop_element(&apart, gatherer_of(c->r, a))
                                                      : orr__cloop_index(&apart, a, false);
    return orr__nest_say(c->n, "%s[%s]", orr__cloop_array(&apart, a), at);
}

/* The places of the rows i<last - 1>. */
static void places(const orr__cloop *c)
{
    for (int n = 0; n < c->r->ninstr; n++)
        if (c->at[n] == c->r->rank - 2 && orr__cloop_is_place(c->r, n))
            orr__cloop_value(c, n);
}

/* A row is copied by pieces of a constant size, of which the last may reach into the next row, which is copied later. */
static const char rows_text[] =
    "ORR_FN void orr_to_rows(char *out, const char *line, orr_idx row, orr_idx column, orr_idx n, orr_idx pitch, "
    "orr_idx columns, orr_idx rows, orr_idx size)\n{\n"
    "    for (orr_idx j = 0; j < n; j += pitch - column, column = 0, row++) {\n"
    "        const orr_idx left = columns - column < n - j ? columns - column : n - j;\n"
    "        const orr_idx bytes = left > 0 ? left * size : 0, from = (row * columns + column) * size;\n"
    "        if (from + (bytes + 63) / 64 * 64 <= rows * columns * size)\n"
    "            for (orr_idx k = 0; k < bytes; k += 64)\n"
    "                __builtin_memcpy(out + from + k, line + j * size + k, 64);\n"
    "        else\n"
    "            __builtin_memcpy(out + from, line + j * size, bytes);\n"
    "    }\n}\n";

/* A row is copied by moves of a constant size, the last of which overlaps the one before. */
static const char row_text[] =
    "#define ORR_ENDS(size) __builtin_memcpy(out, in, size), __builtin_memcpy(out + n - size, in + n - size, size)\n"
    "ORR_FN void orr_row(char *out, const char *in, orr_idx n)\n{\n"
    "    for (; n > 64; out += 32, in += 32, n -= 32)\n"
    "        __builtin_memcpy(out, in, 32);\n"
    "    if (n >= 32)\n        ORR_ENDS(32);\n    else if (n >= 16)\n        ORR_ENDS(16);\n"
    "    else if (n >= 8)\n        ORR_ENDS(8);\n    else if (n >= 4)\n        ORR_ENDS(4);\n"
    "    else if (n >= 2)\n        ORR_ENDS(2);\n    else if (n == 1)\n        *out = *in;\n}\n";

bool orr__cloop_join_copies(const orr__cloop *c)
{
    bool copies = false;
    for (int a = 0; a < c->r->naccess && c->joins && !c->pitched; a++) {
        way w = way_of(c->r, a);
        copies = copies || w == ROWS_APART || w == ROWS_ANYWHERE;
    }
    return copies;
}

void orr__cloop_join_functions(const orr__cloop *c, orr__text *t)
{
    if (c->pitched)
        orr__text_add(t, rows_text);
    if (orr__cloop_join_copies(c))
        orr__text_add(t, row_text);
}

void orr__cloop_join_rows(const orr__cloop *c, int k, const char *to)
{
    int last = c->r->rank - 1;
    orr__nest_copy(c->n, k,
                   "orr_to_rows((char *)(out%d + (orr_idx)W(%d) + at), (const char *)line%d_out, begun, phase, %s - q, "
                   "pitch, %s, %s, %d)",
                   k, c->lay.out_at + k, k, to, orr__cloop_size(c, last), orr__cloop_size(c, last - 1),
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]));
}

/* The word with the distance of the rows: that of the first moving access, after those of the axes before. */
static int pitch_word(const orr__cloop *c)
{
    int a = 0, last = c->r->rank - 1;
    while (way_of(c->r, a) != ROWS_APART)
        a++;
    return orr__cloop_step_word(c, a, last - 1);
}

/* The values of a row, as often as they are read. */
static void repeat_row(const orr__cloop *c, int a, int length)
{
    int last = c->r->rank - 1;
    const char *columns = orr__cloop_size(c, last), *again = orr__cloop_name(c, "again", a);
    orr__nest_array(c->n, ORR__ARRAY_LOOSE, join_type(c, a), again,
                    orr__nest_say(c->n, "%d", length + ORR__T_SHORT_ROW));
    orr__nest_block(c->n);
    orr__nest_set(c->n, "orr_idx i%d = 0", last);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "j", "0", orr__nest_say(c->n, "%d + %s", length, columns), NULL);
    orr__nest_copy(c->n, a, "%s[j] = %s", again, element(c, a));
    orr__nest_set(c->n, "i%d = i%d + 1 == %s ? 0 : i%d + 1", last, last, columns, last);
    orr__nest_close(c->n, 2);
}

void orr__cloop_join_begin(const orr__cloop *c, int length)
{
    int last = c->r->rank - 1;
    const char *columns = orr__cloop_size(c, last), *rows = c->joins ? orr__cloop_size(c, last - 1) : "";
    if (!c->joins)
        return;
    if (c->pitched)
        orr__nest_set(c->n, "const orr_idx pitch = W(%d), joined = (%s - 1) * pitch + %s, i%d = 0", pitch_word(c), rows,
                      columns, last - 1);
    else
        orr__nest_set(c->n, "const orr_idx joined = %s * %s, i%d = 0", rows, columns, last - 1);
    orr__nest_set(c->n, "(void)i%d", last - 1);
    for (int a = 0; a < c->r->naccess && !c->pitched; a++)
        if (way_of(c->r, a) == SAME_ROW)
            repeat_row(c, a, length);
}

/* The elements of a block, row by row. */
static void copy_rows(const orr__cloop *c, int a)
{
    int last = c->r->rank - 1;
    orr__nest_set(c->n, "orr_idx i%d = begun, i%d = phase", last - 1, last);
    orr__nest_loop(c->n, ORR__LOOP_JUMPS, "j", "0", "e - q", NULL)->at = "end";
    orr__nest_set(c->n, "const orr_idx left = %s - i%d, n = left < e - q - j ? left : e - q - j",
                  orr__cloop_size(c, last), last);
    if (way_of(c->r, a) == ROWS_ANYWHERE)
        places(c);
    orr__nest_copy(c->n, a, "orr_row((char *)(join%d + j), (const char *)&%s, n * %d)", a, element(c, a),
                   (int)orr_dtype_size((orr_dtype)c->r->in_dtype[c->r->access[a].input]));
    orr__nest_set(c->n, "end = j + n, i%d++, i%d = 0", last - 1, last);
    orr__nest_close(c->n, 1);
}

/* The elements of a row's value that are stored at once, also beyond the row, where the next row's follow. */
enum { AT_ONCE = 8 };

/* One value per row. No row after the last one is read. */
static void copy_columns(const orr__cloop *c, int a)
{
    int last = c->r->rank - 1;
    const char *columns = orr__cloop_size(c, last);
    orr__nest_set(c->n, "orr_idx i%d = begun, i%d = %s - phase", last - 1, last, columns);
    orr__nest_loop(c->n, ORR__LOOP_JUMPS, "j", "0", "e - q", NULL)->at = "end";
    orr__nest_set(c->n, "const %s x = %s", join_type(c, a), element(c, a));
    orr__nest_set(c->n, "end = e - q - j < i%d ? e - q : j + i%d", last, last);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "k", "j", "end", orr__nest_say(c->n, "%d", AT_ONCE));
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "l", "0", orr__nest_say(c->n, "%d", AT_ONCE), NULL);
    orr__nest_copy(c->n, a, "join%d[k + l] = x", a);
    orr__nest_close(c->n, 2);
    orr__nest_set(c->n, "i%d++, i%d = %s", last - 1, last, columns);
    orr__nest_close(c->n, 1);
}

static void join_access(const orr__cloop *c, int a, int length)
{
    way w = way_of(c->r, a);
    const char *type = join_type(c, a), *name = orr__cloop_name(c, "join", a);
    if (w == SAME_ROW)
        orr__nest_address(c->n, orr__nest_say(c->n, "const %s", type), name, orr__nest_say(c->n, "again%d + phase", a));
    if (w != ROWS_APART && w != ROWS_ANYWHERE && w != SAME_COLUMN)
        return;
    orr__nest_array(c->n, ORR__ARRAY_LOOSE, type, name, orr__nest_say(c->n, "%d", length + AT_ONCE));
    orr__nest_block(c->n);
    (w == SAME_COLUMN ? copy_columns : copy_rows)(c, a);
    orr__nest_close(c->n, 1);
}

void orr__cloop_join_block(const orr__cloop *c, int length)
{
    const char *columns = orr__cloop_size(c, c->r->rank - 1);
    if (!c->joins)
        return;
    if (c->pitched) {
        orr__nest_set(c->n, "const orr_idx begun = q / pitch, phase = q - begun * pitch");
        return;
    }
    orr__nest_set(c->n, "const orr_idx begun = q / %s, phase = q - begun * %s", columns, columns);
    for (int a = 0; a < c->r->naccess; a++) {
        if (first_column(c, a))
            orr__nest_address(c->n, orr__nest_say(c->n, "const %s", mask_type(c)),
                              orr__cloop_name(c, "columns", c->lay.column[a]),
                              orr__nest_say(c->n, "allowed%d + phase", c->lay.column[a]));
        if (c->r->access[a].input >= 0 || is_index(c->r, a))
            join_access(c, a, length);
    }
}
