/* C loops over maps with short, contiguous rows: one loop walks all rows. An access that does not continue from row to row, such as one
 * value per column or per row, is read from a small copy. A box becomes a range of all elements, and a mask of the columns inside of it. If
 * all rows that are read are parts of rows of one length, as those of a stencil, the loop walks the whole rows and drops the rest.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_internal.h"
#include "ops/ops.h"
#include "runtime/base/ablation.h"

typedef enum { GOES_ON, SAME_ROW, SAME_COLUMN, ROWS_APART, OTHER } way;

/* How an access moves from one row to the next. */
static way way_of(const orr__region *r, const orr__access *a)
{
    int last = r->rank - 1;
    int64_t down = a->stride[last - 1], along = a->stride[last];
    if (a->placed)
        return OTHER;
    if (down == along * r->dim[last] && (along == 0 || along == 1))
        return GOES_ON;
    return a->input < 0 || a->box ? OTHER
           : down == 0            ? SAME_ROW
           : along == 0           ? SAME_COLUMN
           : along == 1           ? ROWS_APART
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
    return orr__region_loops(r) && last > 0 && (r->rmask >> (last - 1) & 3u) == 1 && flops > ORR__T_FOLD_WORK;
}

bool orr__cloop_joins(const orr__region *r)
{
    int last = r->rank - 1;
    bool any = false;
    if (r->rank < 2 || r->rows || r->search || !(orr__region_is_map(r) || folds_rows(r)) ||
        orr__ablated(ORR__OFF_SHORT_ROWS) || r->dim[last] < 2 || r->dim[last] > ORR__T_SHORT_ROW ||
        r->dim[last] * r->dim[last - 1] < (r->rmask || has_columns(r) ? ORR__T_JOINED_BORDERS : ORR__T_JOINED))
        return false;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || in->kind == ORR__RI_PLACE || in->kind == ORR__RI_GATHER ||
            in->kind == ORR__RI_FOLD)
            return false;
        if (in->kind == ORR__RI_LOAD && r->access[in->a].box && orr__is_compound((orr_dtype)in->dtype))
            return false;
    }
    for (int a = 0; a < r->naccess; a++) {
        way w = way_of(r, &r->access[a]);
        if (w == OTHER)
            return false;
        any = any || ((w == GOES_ON || w == ROWS_APART) && r->access[a].input >= 0);
    }
    return any;
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
        way w = way_of(r, &r->access[a]);
        if (r->access[a].box || (w == ROWS_APART && pitch && down != pitch) ||
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
    int columns = orr__cloop_size_at(c->r, c->r->rank - 1);
    for (int a = 0; c->joins && a < c->r->naccess; a++)
        if (first_column(c, a)) {
            int word = columns_word(c, a);
            orr__text_addf(c->t,
                           "    %s allowed%d[%d];\n    for (orr_idx j = 0, k = 0; j < %d + W(%d); j++) {\n"
                           "    allowed%d[j] = k >= W(%d) && k < W(%d) ? -1 : 0;\n    k = k + 1 == W(%d) ? 0 : k + 1;\n"
                           "    }\n",
                           mask_type(c), c->lay.column[a], length + ORR__T_SHORT_ROW, length, columns, c->lay.column[a],
                           word, word + 1, columns);
        }
}

/* The range from the first element inside to the last, so that every element of it can be read. */
void orr__cloop_join_part(const orr__cloop *c, int a, int word)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    bool rows = c->r->access[a].box >> (last - 1) & 1u, some = c->r->access[a].box >> last & 1u;
    char from[64] = "0", to[64] = "joined";
    if (rows) {
        (void)snprintf(from, sizeof from, "W(%d) * W(%d)", word, columns);
        (void)snprintf(to, sizeof to, "W(%d) * W(%d)", word + 1, columns);
    }
    orr__text_addf(c->t, "%s", from);
    if (some)
        orr__text_addf(c->t, " + W(%d)", columns_word(c, a));
    orr__text_addf(c->t, ", hi%d = part%d ? %s", a, a, to);
    if (some)
        orr__text_addf(c->t, " - W(%d) + W(%d)", columns, columns_word(c, a) + 1);
    orr__text_addf(c->t, " : lo%d;\n", a);
}

bool orr__cloop_join_moves(const orr__region *r, int a)
{
    return way_of(r, &r->access[a]) != GOES_ON;
}

static const char *stored(const orr__cloop *c, int a)
{
    return orr__emit_storage((orr_dtype)c->r->in_dtype[c->r->access[a].input]);
}

/* The element of access a at i<last - 1>, i<last>, in its array. */
static void element(const orr__cloop *c, int a)
{
    orr__layout apart = c->lay;
    apart.joined = NULL;
    orr__emit_array(c->t, c->r, &apart, &c->around, a);
    orr__text_add(c->t, "[");
    orr__emit_index(c->t, c->r, &apart, a, false);
    orr__text_add(c->t, "]");
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

void orr__cloop_join_functions(const orr__cloop *c)
{
    if (c->pitched)
        orr__text_add(c->t, rows_text);
}

void orr__cloop_join_rows(const orr__cloop *c, int k, const char *to)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    orr__text_addf(
        c->t,
        "    orr_to_rows((char *)(out%d + (orr_idx)W(%d) + at), (const char *)line%d_out, begun, phase, %s - q, "
        "pitch, W(%d), W(%d), %d);\n",
        k, c->lay.out_at + k, k, to, columns, columns - 1, (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]));
}

/* The word with the distance of the rows: that of the first moving access, after those of the axes before. */
static int pitch_word(const orr__cloop *c)
{
    int a = 0, last = c->r->rank - 1;
    while (way_of(c->r, &c->r->access[a]) != ROWS_APART)
        a++;
    return orr__cloop_step_word(c, a, last - 1);
}

void orr__cloop_join_begin(const orr__cloop *c, int length)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    if (!c->joins)
        return;
    if (c->pitched) {
        orr__text_addf(
            c->t, "    const orr_idx pitch = W(%d), joined = (W(%d) - 1) * pitch + W(%d), i%d = 0;\n    (void)i%d;\n",
            pitch_word(c), columns - 1, columns, last - 1, last - 1);
        return;
    }
    orr__text_addf(c->t, "    const orr_idx joined = W(%d) * W(%d), i%d = 0;\n", orr__cloop_size_at(c->r, last - 1),
                   columns, last - 1);
    for (int a = 0; a < c->r->naccess; a++) {
        if (way_of(c->r, &c->r->access[a]) != SAME_ROW)
            continue;
        orr__text_addf(c->t,
                       "    %s again%d[%d];\n    for (orr_idx j = 0, i%d = 0; j < %d + W(%d); j++) {\n"
                       "    again%d[j] = ",
                       stored(c, a), a, length + ORR__T_SHORT_ROW, last, length, columns, a);
        element(c, a);
        orr__text_addf(c->t, ";\n    i%d = i%d + 1 == W(%d) ? 0 : i%d + 1;\n    }\n", last, last, columns, last);
    }
}

/* The elements of a block, row by row. */
static void copy_rows(const orr__cloop *c, int a, int length)
{
    int last = c->r->rank - 1;
    orr__text_addf(
        c->t,
        "    %s join%d[%d];\n    for (orr_idx j = 0, i%d = begun, i%d = phase; j < e - q; i%d++, i%d = 0) {\n"
        "    const orr_idx left = W(%d) - i%d, n = left < e - q - j ? left : e - q - j;\n    const %s *const from = &",
        stored(c, a), a, length, last - 1, last, last - 1, last, orr__cloop_size_at(c->r, last), last, stored(c, a));
    element(c, a);
    orr__text_addf(c->t,
                   ";\n    for (orr_idx k = 0; k < n; k++)\n        join%d[j + k] = from[k];\n    j += n;\n    }\n", a);
}

/* No row after the last one is read. */
void orr__cloop_join_block(const orr__cloop *c, int length)
{
    int last = c->r->rank - 1, columns = orr__cloop_size_at(c->r, last);
    if (!c->joins)
        return;
    if (c->pitched) {
        orr__text_add(c->t, "    const orr_idx begun = q / pitch, phase = q - begun * pitch;\n");
        return;
    }
    orr__text_addf(c->t, "    const orr_idx begun = q / W(%d), phase = q - begun * W(%d);\n", columns, columns);
    for (int a = 0; a < c->r->naccess; a++) {
        way w = way_of(c->r, &c->r->access[a]);
        if (first_column(c, a))
            orr__text_addf(c->t, "    const %s *const columns%d = allowed%d + phase;\n", mask_type(c), c->lay.column[a],
                           c->lay.column[a]);
        if (w == SAME_ROW)
            orr__text_addf(c->t, "    const %s *const join%d = again%d + phase;\n", stored(c, a), a, a);
        if (w == ROWS_APART)
            copy_rows(c, a, length);
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
