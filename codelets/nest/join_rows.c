/* Joined rows read an access that does not go on from row to row, such as one value per column or per row, from a small copy of a block. If all
 * rows that are read are parts of rows of one length, as those of a stencil, the loop walks the whole rows and drops the rest.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

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
    const char *at = orr__cloop_way(c->r, a) == ORR__ROWS_ANYWHERE
                         ? orr__cloop_element(&apart, orr__cloop_gatherer(c->r, a))
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
    orr__nest_copy(c->n,
                   "orr_to_rows((char *)(out%d + (orr_idx)W(%d) + at), (const char *)line%d_out, begun, phase, %s - q, "
                   "pitch, %s, %s, %d)",
                   k, c->lay.out_at + k, k, to, orr__cloop_size(c, last), orr__cloop_size(c, last - 1),
                   (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]));
}

/* The word with the distance of the rows: that of the first moving access, after those of the axes before. */
static int pitch_word(const orr__cloop *c)
{
    int a = 0, last = c->r->rank - 1;
    while (orr__cloop_way(c->r, a) != ORR__ROWS_APART)
        a++;
    return orr__cloop_step_word(c, a, last - 1);
}

void orr__cloop_join_repeat(const orr__cloop *c, const char *type, const char *name, int length, const char *column,
                            const char *value)
{
    const char *columns = orr__cloop_size(c, c->r->rank - 1);
    orr__nest_array(c->n, ORR__ARRAY_LOOSE, type, name, orr__nest_say(c->n, "%d", length + orr__cloop_join_most(c->r)));
    orr__nest_block(c->n);
    orr__nest_set(c->n, "orr_idx %s = 0", column);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "j", "0", orr__nest_say(c->n, "%d + %s", length, columns), NULL);
    orr__nest_copy(c->n, "%s[j] = %s", name, value);
    orr__nest_set(c->n, "%s = %s + 1 == %s ? 0 : %s + 1", column, column, columns, column);
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
        if (orr__cloop_way(c->r, a) == ORR__SAME_ROW)
            orr__cloop_join_repeat(c, join_type(c, a), orr__cloop_name(c, "again", a), length,
                                   orr__cloop_name(c, "i", last), element(c, a));
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
    orr__nest_copy(c->n, "join%d[k + l] = x", a);
    orr__nest_close(c->n, 2);
    orr__nest_set(c->n, "i%d++, i%d = %s", last - 1, last, columns);
    orr__nest_close(c->n, 1);
}

/* The elements of a block, row by row: the rows of one operand are often neighbours of those of another. */
static void copy_rows(const orr__cloop *c, int length)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    if (!orr__cloop_join_copies(c))
        return;
    for (int a = 0; a < r->naccess; a++)
        if (orr__cloop_join_copies_rows(r, a))
            orr__cloop_declare(c, ORR__ARRAY_LOOSE, join_type(c, a), "join", a, length + AT_ONCE);
    orr__nest_block(c->n);
    orr__nest_set(c->n, "orr_idx i%d = begun, i%d = phase", last - 1, last);
    orr__nest_loop(c->n, ORR__LOOP_JUMPS, "j", "0", "e - q", NULL)->at = "end";
    orr__nest_set(c->n, "const orr_idx left = %s - i%d, n = left < e - q - j ? left : e - q - j",
                  orr__cloop_size(c, last), last);
    places(c);
    for (int a = 0; a < r->naccess; a++)
        if (orr__cloop_join_copies_rows(r, a))
            orr__nest_copy(c->n, "orr_row((char *)(join%d + j), (const char *)&%s, n * %d)", a, element(c, a),
                           (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]));
    orr__nest_set(c->n, "end = j + n, i%d++, i%d = 0", last - 1, last);
    orr__nest_close(c->n, 2);
}

static void join_access(const orr__cloop *c, int a, int length)
{
    orr__way w = orr__cloop_way(c->r, a);
    const char *type = join_type(c, a), *name = orr__cloop_name(c, "join", a);
    if (w == ORR__SAME_ROW)
        orr__nest_address(c->n, orr__nest_say(c->n, "const %s", type), name, orr__nest_say(c->n, "again%d + phase", a));
    if (w != ORR__SAME_COLUMN)
        return;
    orr__cloop_declare(c, ORR__ARRAY_LOOSE, type, "join", a, length + AT_ONCE);
    orr__nest_block(c->n);
    copy_columns(c, a);
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
    orr__cloop_prefetch_joined(c, length);
    orr__nest_set(c->n, "const orr_idx begun = q / %s, phase = q - begun * %s", columns, columns);
    for (int a = 0; a < c->r->naccess; a++) {
        if (orr__cloop_first_column(c, a))
            orr__nest_address(c->n, orr__nest_say(c->n, "const %s", orr__cloop_mask_type(c)),
                              orr__cloop_name(c, "columns", c->lay.column[a]),
                              orr__nest_say(c->n, "allowed%d + phase", c->lay.column[a]));
        if (c->r->access[a].input >= 0 || orr__cloop_read_as(c->r, a, ORR__RI_IOTA))
            join_access(c, a, length);
    }
    copy_rows(c, length);
}
