/* C loops over short rows. Neighbours along another axis are computed side by side: a vector holds one element each of several rows, and a
 * fold of a row is a loop of vector instructions. A block of rows is transposed on its way in and out.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/emit/cloop_internal.h"
#include "ops/instruction_cost.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* The number of rows side by side. */
static int side_of(const orr__region *r)
{
    return ORR__T_SIDE_BLOCK / (r->dim[r->rank - 1] <= ORR__T_SIDE_ROW ? ORR__T_SIDE_ROW : ORR__T_SHORT_ROW);
}

/* -- which rows ----------------------------------------------------------------------------------------------- */

static bool can(const orr__region *r)
{
    int last = r->rank - 1;
    int64_t bytes = 0;
    bool ok = r->rank >= 2 && !r->product && !r->call.op && (!r->rmask || r->rmask == 1u << last) &&
              !orr__ablated(ORR__OFF_SHORT_ROWS);
    for (int d = 0; d < r->rank; d++)
        ok = ok && r->dim[d] > 0;
    if (!ok || r->dim[last] < 2 || r->dim[last] > ORR__T_SHORT_ROW || orr__cloop_joins(r))
        return false;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        ok = ok && in->kind != ORR__RI_RANDOM && !orr__is_compound((orr_dtype)in->dtype);
        bool read = in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER;
        if (read && (r->access[in->a].stride[last] != 0 || r->access[in->a].box))
            bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
    }
    for (int k = 0; k < r->nout; k++)
        bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[k]);
    return ok && bytes <= ORR__T_KEPT;
}

/* True if a vector at the end of a row of a map can be masked (orr__cloop_maskable), so that no element is computed as a scalar. */
static bool masked(const orr__region *r)
{
    bool all = true;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        all = all && in->kind != ORR__RI_GATHER && in->kind != ORR__RI_PLACE;
        if (in->kind == ORR__RI_LOAD) {
            int64_t along = r->access[in->a].stride[r->rank - 1];
            all = all && !r->access[in->a].box && (along == 0 || along == 1);
        }
    }
    return all;
}

static int folds_of(const orr__region *r)
{
    int folds = r->rmask ? r->nout : 0;
    for (int i = 0; i < r->ninstr; i++)
        folds += r->instr[i].kind == ORR__RI_FOLD;
    return folds;
}

/* Longer rows of several folds are transposed because each fold of a single row ends in a tree. For a map: true if the loop over each row, with the remainder that does not fill a vector, is more work than transposing the block. */
static bool pays(const orr__region *r)
{
    int64_t work = 0, turned = r->nout, length = r->dim[r->rank - 1], rest = length % ORR__CLOOP_VECTOR;
    if (length > ORR__T_SIDE_ROW)
        return length < ORR__T_SHORT_ROW && folds_of(r) > 1;
    if (r->rows || r->rmask)
        return true;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        work += orr__instruction_cost(in);
        turned += in->kind == ORR__RI_LOAD;
    }
    int64_t empty = rest ? ORR__CLOOP_VECTOR - rest : 0; /* lanes of the masked vector */
    return ORR__COST_LOOP + (masked(r) ? work * empty / ORR__CLOOP_VECTOR : work * rest) >
           ORR__COST_TURN * turned * length;
}

/* The axis with the most rows side by side, up to a block; axes with neighbours in memory are preferred. */
int orr__cloop_side(const orr__region *r)
{
    int side = -1;
    int64_t best = 0;
    if (!can(r) || !pays(r))
        return -1;
    for (int d = r->rank - 2; d >= 0; d--) {
        int64_t worth = ORR__MIN(r->dim[d], side_of(r));
        for (int a = 0; a < r->naccess; a++)
            worth += r->access[a].stride[d] == 1 ? side_of(r) / 2 : 0;
        if (r->dim[d] >= ORR__CLOOP_VECTOR && worth > best) {
            side = d;
            best = worth;
        }
    }
    return side;
}

bool orr__cloop_as_rows(const orr__region *r, orr__region *rows)
{
    *rows = *r;
    rows->instr = orr__alloc_n((size_t)(r->ninstr + r->nout), sizeof *rows->instr);
    if (!rows->instr)
        return false;
    for (int i = 0; i < r->ninstr; i++)
        rows->instr[i] = r->instr[i];
    for (int k = 0; k < r->nout; k++) {
        int n = rows->ninstr++;
        rows->instr[n] = (orr__rinstr){ ORR__RI_FOLD, 0, (int16_t)r->rop[k], r->out_reg[k], -1, -1, -1, -1 };
        orr__region fold = orr__emit_fold_of(rows, n);
        rows->instr[n].dtype = (uint8_t)(fold.search ? ORR_I64 : orr__emit_fold_dtype(&fold, true));
        rows->out_reg[k] = (int16_t)n;
    }
    rows->rmask = 0;
    rows->rows = rows->per_row = true;
    return true;
}

/* -- text ------------------------------------------------------------------------------------------------------ */

typedef orr__rowplan rows;

/* to[c · tld + r] = from[r · fld + c] for elements of 4 or 8 bytes, in squares of four by four. The last squares overlap those before. For
 * 8 bytes, elements are exchanged within 16 bytes first, then between halves of vectors. Copies by memcpy would be split into halves on
 * AVX2, and the load of a vector would wait for both. */
static const char turn_text[] =
    "#ifdef __clang__\n"
    "#define ORR_PICK(a, b, lanes, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#else\n"
    "#define ORR_PICK(a, b, lanes, ...) __builtin_shuffle(a, b, (lanes){ __VA_ARGS__ })\n"
    "#endif\n"
    "#define ORR_LOW_4(a, b) ORR_PICK(a, b, orr_four_4, 0, 4, 1, 5)\n"
    "#define ORR_HIGH_4(a, b) ORR_PICK(a, b, orr_four_4, 2, 6, 3, 7)\n"
    "#define ORR_LOW_8(a, b) ORR_PICK(a, b, orr_four_8, 0, 4, 2, 6)\n"
    "#define ORR_HIGH_8(a, b) ORR_PICK(a, b, orr_four_8, 1, 5, 3, 7)\n"
    "#define ORR_TURN(size, type, four, second, third) \\\n"
    "typedef type four __attribute__((vector_size(4 * size))); \\\n"
    "typedef type four##_at __attribute__((vector_size(4 * size), aligned(size), may_alias)); \\\n"
    "ORR_FN void orr_turn_##size(void *to, orr_idx tld, const void *from, orr_idx fld, orr_idx rows, orr_idx cols) \\\n"
    "{ \\\n"
    "    for (orr_idx c = 0; c < cols; c += 4) \\\n"
    "        for (orr_idx r = 0; r < rows; r += 4) { \\\n"
    "            const orr_idx i = r + 4 <= rows ? r : rows - 4, j = c + 4 <= cols ? c : cols - 4; \\\n"
    "            if (i < 0 || j < 0) { \\\n"
    "                for (orr_idx y = c; y < cols && y < c + 4; y++) \\\n"
    "                    for (orr_idx x = r; x < rows && x < r + 4; x++) \\\n"
    "                        __builtin_memcpy((char *)to + (y * tld + x) * size, (const char *)from + (x * fld + y) * "
    "size, size); \\\n"
    "                continue; \\\n"
    "            } \\\n"
    "            const char *const x = (const char *)from + (i * fld + j) * size; \\\n"
    "            char *const y = (char *)to + (j * tld + i) * size; \\\n"
    "            const four v0 = *(const four##_at *)x, v1 = *(const four##_at *)(x + fld * size); \\\n"
    "            const four v2 = *(const four##_at *)(x + 2 * fld * size), v3 = *(const four##_at *)(x + 3 * fld * "
    "size); "
    "\\\n"
    "            const four a = ORR_LOW_##size(v0, v1), b = ORR_HIGH_##size(v0, v1); \\\n"
    "            const four p = ORR_LOW_##size(v2, v3), q = ORR_HIGH_##size(v2, v3); \\\n"
    "            *(four##_at *)y = ORR_PICK(a, p, four, 0, 1, 4, 5); \\\n"
    "            *(four##_at *)(y + second * tld * size) = ORR_PICK(a, p, four, 2, 3, 6, 7); \\\n"
    "            *(four##_at *)(y + third * tld * size) = ORR_PICK(b, q, four, 0, 1, 4, 5); \\\n"
    "            *(four##_at *)(y + 3 * tld * size) = ORR_PICK(b, q, four, 2, 3, 6, 7); \\\n"
    "        } \\\n"
    "}\n"
    "ORR_TURN(4, orr_i32, orr_four_4, 1, 2)\n"
    "ORR_TURN(8, orr_i64, orr_four_8, 2, 1)\n";

void orr__cloop_short_functions(const orr__cloop *c)
{
    if (orr__cloop_side(c->r) >= 0)
        orr__text_add(c->t, turn_text);
}

static int width(const rows *w)
{
    return side_of(w->c->r);
}

static int last_of(const rows *w)
{
    return w->c->r->rank - 1;
}

/* True if n has one value per row. */
static bool of_row(const rows *w, int n)
{
    return w->c->at[n] == last_of(w) - 1;
}

/* True if access a is transposed as a block. Other accesses have stride 1 or 0 along the rows side by side. */
static bool is_turned(const rows *w, int a)
{
    const orr__cloop *c = w->c;
    return c->r->access[a].box || c->lay.move[a * ORR_MAX_RANK + c->side] == ORR__MOVE_ANY;
}

/* True if n gathers elements at places that are known before the passes. */
static bool gathers(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[n] == last_of(w) && c->at[in->x] < last_of(w) && c->pass[in->x] == 0;
}

static bool loads(const rows *w, int n)
{
    const orr__rinstr *in = &w->c->r->instr[n];
    return gathers(w, n) || (in->kind == ORR__RI_LOAD && w->c->at[n] >= last_of(w) - 1 && is_turned(w, in->a));
}

/* The instruction whose block n reads: the first with the same access, or with the same access and places. */
static int block_of(const rows *w, int n)
{
    int first = n;
    for (int i = n - 1; i >= 0; i--)
        first = loads(w, i) && w->c->r->instr[i].a == w->c->r->instr[n].a && w->c->r->instr[i].x == w->c->r->instr[n].x
                    ? i
                    : first;
    return first;
}

/* Opens the loop over rows side by side. */
static void side_by_side(const rows *w)
{
    int s = w->c->side;
    orr__text_addf(w->c->t, "    for (orr_idx i%d = q; i%d < e; i%d++) {\n", s, s, s);
}

/* Opens that loop for computed values. */
static void begin_values(const rows *w)
{
    orr__text_add(w->c->t, "    ORR_LOOP\n");
    side_by_side(w);
}

static void along(const rows *w)
{
    int last = last_of(w);
    orr__text_addf(w->c->t, "    for (orr_idx i%d = 0; i%d < W(%d); i%d++) {\n", last, last,
                   orr__cloop_size_at(w->c->r, last), last);
}

/* The position of a value in the current block: of a row, or of an element. */
static const char *place(const rows *w, int n, char to[64])
{
    if (w->c->at[n] == last_of(w))
        (void)snprintf(to, 64, "i%d * %d + i%d - q", last_of(w), width(w), w->c->side);
    else
        (void)snprintf(to, 64, "i%d - q", w->c->side);
    return to;
}

static void row_again(const rows *w, int n)
{
    char from[64];
    (void)snprintf(from, sizeof from, "row%d[i%d - q]", n, w->c->side);
    orr__cloop_keep_again(w->c, n, from);
}

/* A stride that the compiler knows: rows in reverse order are copied vector by vector. */
static void turn_reversed(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    char at[64];
    int a = c->r->instr[n].a, s = c->side;
    orr__text_addf(c->t, "    if (W(%d) == -1) {\n    const orr_idx i%d = 0;\n    const %s *const from = ",
                   orr__cloop_step_word(c, a, c->side), s,
                   orr__emit_storage((orr_dtype)c->r->in_dtype[c->r->access[a].input]));
    orr__emit_array(c->t, c->r, &c->lay, &c->around, a);
    orr__text_add(c->t, " + (");
    orr__emit_index(c->t, c->r, &c->lay, a, false);
    orr__text_add(c->t, ");\n");
    side_by_side(w);
    orr__text_addf(c->t, "    turned%d[%s] = from[-i%d];\n    }\n    } else\n", n, place(w, n, at), s);
}

/* The element size, 4 or 8 bytes, if the elements of a row are contiguous; else 0. */
static int squares(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__access *a = &c->r->access[c->r->instr[n].a];
    int size = (int)orr_dtype_size((orr_dtype)c->r->in_dtype[a->input]);
    return (size == 4 || size == 8) && c->at[n] == last_of(w) && !a->box && !a->placed && !gathers(w, n) &&
                   a->stride[last_of(w)] == 1
               ? size
               : 0;
}

static void turn_squares(const rows *w, int n, int size)
{
    const orr__cloop *c = w->c;
    int a = c->r->instr[n].a, s = c->side, last = last_of(w);
    orr__text_addf(c->t, "    {\n    const orr_idx i%d = q, i%d = 0;\n    orr_turn_%d(turned%d, %d, ", s, last, size, n,
                   width(w));
    orr__emit_array(c->t, c->r, &c->lay, &c->around, a);
    orr__text_add(c->t, " + (");
    orr__emit_index(c->t, c->r, &c->lay, a, false);
    orr__text_addf(c->t, "), W(%d), e - q, W(%d));\n    }\n", orr__cloop_step_word(c, a, c->side),
                   orr__cloop_size_at(c->r, last));
}

/* Fills the blocks of transposed accesses, as they are in memory; of gathered ones or of the others. */
static void turn_in(const rows *w, bool gathered)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    char at[64];
    for (int n = 0; n < r->ninstr; n++) {
        if (!loads(w, n) || gathers(w, n) != gathered || block_of(w, n) != n)
            continue;
        int a = r->instr[n].a;
        bool row = c->at[n] < last_of(w);
        orr__text_addf(c->t, "    %s turned%d[%d] __attribute__((aligned(64)));\n",
                       orr__emit_storage((orr_dtype)r->in_dtype[r->access[a].input]), n,
                       row ? width(w) : ORR__T_SIDE_BLOCK);
        if (!gathered && squares(w, n)) {
            turn_squares(w, n, squares(w, n));
            continue;
        }
        if (row)
            orr__text_add(c->t, "    {\n");
        else
            along(w);
        if (!gathered && !r->access[a].box)
            turn_reversed(w, n);
        side_by_side(w);
        if (gathered && of_row(w, r->instr[n].x))
            row_again(w, r->instr[n].x);
        orr__text_addf(c->t, "    turned%d[%s] = ", n, place(w, n, at));
        if (!gathered && r->access[a].box) {
            orr__text_add(c->t, "!(");
            orr__emit_inside(c->t, r, &c->lay, &c->around, a);
            orr__text_add(c->t, ") ? 0 : ");
        }
        orr__emit_array(c->t, r, &c->lay, &c->around, a);
        orr__text_add(c->t, "[");
        orr__emit_element(c->t, r, &c->lay, &c->around, &r->instr[n]);
        orr__text_add(c->t, "];\n    }\n    }\n");
    }
}

static void value(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__rinstr *in = &c->r->instr[n];
    char at[64];
    if (!loads(w, n)) {
        orr__cloop_value(c, n);
        return;
    }
    orr_dtype from = (orr_dtype)c->r->in_dtype[c->r->access[in->a].input];
    bool half = orr__is_half(from);
    orr__text_addf(c->t, "    const %s r%d = ", orr__emit_type((orr_dtype)in->dtype), n);
    if (half)
        orr__text_addf(c->t, "orr_%s_to_f32(", orr__emit_suffix(from));
    orr__text_addf(c->t, "turned%d[%s]%s;\n", block_of(w, n), place(w, n, at), half ? ")" : "");
}

/* Declares row<n>: values of rows that other loops read. */
static void declare(const rows *w)
{
    const orr__cloop *c = w->c;
    for (int n = 0; n < c->r->ninstr; n++) {
        if (of_row(w, n))
            orr__text_addf(c->t, "    %s row%d[%d] __attribute__((aligned(64)));\n", orr__cloop_kept(c, n), n,
                           width(w));
        if (w->kept[n])
            orr__text_addf(c->t, "    %s keep%d[%d] __attribute__((aligned(64)));\n", orr__cloop_kept(c, n), n,
                           ORR__T_SIDE_BLOCK);
    }
}

static bool reads(const orr__rinstr *in, int n)
{
    return in->x == n || in->y == n || in->z == n;
}

/* Is row value n read by an instruction of the element loop that the pass needs? */
static bool wanted_by_elements(const rows *w, int n, int pass)
{
    const orr__region *r = w->c->r;
    bool any = false;
    for (int i = n + 1; i < r->ninstr; i++)
        any = any || (w->wanted[i] && orr__rowplan_inner(w, i) && reads(&r->instr[i], n)) ||
              (orr__cloop_folds_in(w->c, i, pass) && pass < w->passes && r->instr[i].x == n);
    for (int k = 0; k < r->nout; k++)
        any = any || (pass == w->passes && r->out_reg[k] == n);
    return any;
}

/* The values of the element loop that the pass needs. */
static void elements(rows *w, int pass)
{
    const orr__cloop *c = w->c;
    char at[64], from[96];
    orr__rowplan_want(w, pass, false);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (of_row(w, n) && wanted_by_elements(w, n, pass))
            row_again(w, n);
        if (!w->wanted[n] || !orr__rowplan_inner(w, n))
            continue;
        if (w->kept[n] && w->first[n] < pass) {
            (void)snprintf(from, sizeof from, "keep%d[%s]", n, place(w, n, at));
            orr__cloop_keep_again(c, n, from);
            continue;
        }
        value(w, n);
        if (w->kept[n])
            orr__text_addf(c->t, "    keep%d[%s] = r%d;\n", n, place(w, n, at), n);
    }
}

static int columns_of(const rows *w, const orr__region *fold)
{
    return orr__cloop_columns(fold, w->c->r->dim[last_of(w)]);
}

static void place_of_column(const rows *w, const orr__region *fold, char to[64])
{
    int columns = columns_of(w, fold), n = 0;
    if (columns > 1)
        n = snprintf(to, 64, "i%d %% %d * %d + ", last_of(w), columns, width(w));
    (void)snprintf(to + n, 64 - (size_t)n, "i%d - q", w->c->side);
}

/* Joins the columns of the rows side by side, those of a vector of rows in registers. */
static void join_columns(const rows *w, int n, const orr__region *fold)
{
    const char *wide = orr__emit_type(orr__emit_fold_dtype(fold, true));
    int columns = columns_of(w, fold);
    if (columns == 1)
        return;
    orr__text_addf(w->c->t, "    ORR_LOOP\n    for (int l = 0; l < %d; l++) {\n", width(w));
    for (int k = 0; k < columns; k++)
        orr__text_addf(w->c->t, "    %s c%d = acc%d[l + %d];\n", wide, k, n, k * width(w));
    for (int v = columns / 2; v > 0; v /= 2)
        for (int k = 0; k < v; k++) {
            orr__text_addf(w->c->t, "    { %s fold = c%d; const %s r%d = c%d;\n", wide, k, wide, fold->out_reg[0],
                           k + v);
            orr__emit_fold_step(w->c->t, fold, true);
            orr__text_addf(w->c->t, "    c%d = fold; }\n", k);
        }
    orr__text_addf(w->c->t, "    acc%d[l] = c0;\n    }\n", n);
}

static void fold_elements(rows *w, int pass)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, pass)) {
            orr__region fold = orr__emit_fold_of(r, n);
            int columns = columns_of(w, &fold);
            orr__text_addf(c->t, "    %s acc%d[%d] __attribute__((aligned(64)));\n",
                           orr__emit_type(orr__emit_fold_dtype(&fold, true)), n, columns * width(w));
            if (columns == 1)
                orr__text_addf(c->t, "    for (int l = 0; l < %d; l++)\n        acc%d[l] = orr_first_%d()%s;\n",
                               width(w), n, n, fold.search ? ".value" : "");
            if (fold.search)
                orr__text_addf(
                    c->t,
                    "    orr_i32 where%d[%d] __attribute__((aligned(64)));\n    for (int l = 0; l < %d; l++)\n"
                    "        where%d[l] = -1;\n",
                    n, width(w), width(w), n);
        }
    along(w);
    begin_values(w);
    elements(w, pass);
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, pass)) {
            orr__region fold = orr__emit_fold_of(r, n);
            char at[64];
            place_of_column(w, &fold, at);
            orr__text_addf(c->t, "    {\n    %s fold = ", orr__emit_type(orr__emit_fold_dtype(&fold, true)));
            if (columns_of(w, &fold) > 1) /* the first value of a column */
                orr__text_addf(c->t, "i%d < %d ? orr_first_%d() : ", last_of(w), columns_of(w, &fold), n);
            orr__text_addf(c->t, "acc%d[%s];\n", n, at);
            if (fold.search)
                orr__text_addf(c->t, "    orr_i32 where = where%d[i%d - q];\n    const orr_i32 at = (orr_i32)i%d;\n", n,
                               c->side, last_of(w));
            orr__emit_fold_step(c->t, &fold, true);
            if (fold.search)
                orr__text_addf(c->t, "    where%d[i%d - q] = where;\n", n, c->side);
            orr__text_addf(c->t, "    acc%d[%s] = fold;\n    }\n", n, at);
        }
    orr__text_add(c->t, "    }\n    }\n");
    for (int n = 0; n < r->ninstr; n++)
        if (orr__cloop_folds_in(c, n, pass)) {
            orr__region fold = orr__emit_fold_of(r, n);
            join_columns(w, n, &fold);
        }
}

/* The outcome is rounded to its dtype, as any value. */
static void conclude(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    orr__region fold = orr__emit_fold_of(c->r, n);
    orr_dtype wide = orr__emit_fold_dtype(&fold, true), to = (orr_dtype)c->r->instr[n].dtype;
    char name[24];
    if (fold.search) {
        orr__text_addf(c->t, "    const orr_i64 r%d = where%d[i%d - q];\n", n, n, c->side);
        return;
    }
    (void)snprintf(name, sizeof name, "fold%d", n);
    orr__text_addf(c->t, "    const %s fold%d = acc%d[i%d - q];\n    const %s r%d = ", orr__emit_type(wide), n, n,
                   c->side, orr__emit_type(to), n);
    orr__emit_cast(c->t, wide, to, name, true);
    orr__text_add(c->t, ";\n");
}

static bool read_by_row(const rows *w, int n, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int i = n + 1; i < c->r->ninstr; i++)
        any = any ||
              (of_row(w, i) && c->pass[i] == pass && c->r->instr[i].kind != ORR__RI_FOLD && reads(&c->r->instr[i], n));
    return any;
}

/* The values of rows that are known after `pass` folds. */
static void row_values(const rows *w, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || (of_row(w, n) && c->pass[n] == pass);
    if (!any)
        return;
    begin_values(w);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (!of_row(w, n) || c->pass[n] > pass)
            continue;
        if (c->pass[n] < pass) {
            if (read_by_row(w, n, pass))
                row_again(w, n);
            continue;
        }
        if (c->r->instr[n].kind == ORR__RI_FOLD)
            conclude(w, n);
        else
            value(w, n);
        orr__text_addf(c->t, "    row%d[i%d - q] = r%d;\n", n, c->side, n);
    }
    orr__text_add(c->t, "    }\n");
}

static const char *place_of_output(const rows *w, char to[64])
{
    const orr__cloop *c = w->c;
    (void)snprintf(to, 64, c->r->per_row ? "i%d - q" : "i%d - q + i%d * %d", c->side, last_of(w), width(w));
    return to;
}

static void declare_outputs(const rows *w)
{
    const orr__region *r = w->c->r;
    for (int k = 0; k < r->nout; k++)
        orr__text_addf(w->c->t, "    %s made%d[%d] __attribute__((aligned(64)));\n",
                       orr__emit_storage((orr_dtype)r->out_dtype[k]), k, r->per_row ? width(w) : ORR__T_SIDE_BLOCK);
}

static void outputs(rows *w)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    char place_of[64];
    if (r->per_row)
        orr__text_add(c->t, "    {\n");
    else
        along(w);
    begin_values(w);
    elements(w, w->passes);
    for (int k = 0; k < r->nout; k++) {
        char reg[16];
        (void)snprintf(reg, sizeof reg, "r%d", r->out_reg[k]);
        orr__text_addf(c->t, "    made%d[%s] = ", k, place_of_output(w, place_of));
        orr__emit_stored(c->t, r, k, (orr_dtype)r->instr[r->out_reg[k]].dtype, reg, true);
    }
    orr__text_add(c->t, "    }\n    }\n");
}

static void turn_out(const rows *w)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    int last = last_of(w);
    char place_of[64];
    (void)place_of_output(w, place_of);
    for (int k = 0; k < r->nout; k++) {
        size_t size = orr_dtype_size((orr_dtype)r->out_dtype[k]);
        if (!r->per_row && (size == 4 || size == 8)) {
            orr__text_addf(c->t,
                           "    orr_turn_%zu(out%d + ((orr_idx)W(%d) + (at + q * step) * W(%d)), step * W(%d), made%d, "
                           "%d, W(%d), e - q);\n",
                           size, k, c->lay.out_at + k, orr__cloop_size_at(r, last), orr__cloop_size_at(r, last), k,
                           width(w), orr__cloop_size_at(r, last));
            continue;
        }
        if (!r->per_row)
            along(w);
        side_by_side(w);
        if (r->per_row)
            orr__text_addf(c->t, "    out%d[(orr_idx)W(%d) + at + i%d * step] = made%d[%s];\n    }\n", k,
                           c->lay.out_at + k, c->side, k, place_of);
        else
            orr__text_addf(c->t,
                           "    out%d[(orr_idx)W(%d) + (at + i%d * step) * W(%d) + i%d] = made%d[%s];\n    }\n    }\n",
                           k, c->lay.out_at + k, c->side, orr__cloop_size_at(r, last), last, k, place_of);
    }
}

static void block_loops(const orr__cloop *c, void *arg)
{
    rows w = *(const rows *)arg;
    w.c = c;
    declare(&w);
    row_values(&w, 0);
    turn_in(&w, true);
    for (int p = 0; p < w.passes; p++) {
        fold_elements(&w, p);
        row_values(&w, p + 1);
    }
    outputs(&w);
}

/* Row-major numbers of rows: that of the first row side by side, and the step from one row to the next. */
static void number_rows(const rows *w)
{
    const orr__cloop *c = w->c;
    const orr__region *r = c->r;
    orr__text_add(c->t, "    orr_idx at = 0, step = 1;\n");
    for (int d = 0; d < r->rank - 1; d++) {
        int size = orr__cloop_size_at(r, d);
        if (d > c->side)
            orr__text_addf(c->t, "    step *= W(%d);\n", size);
        if (d == c->side)
            orr__text_addf(c->t, "    at *= W(%d);\n", size);
        else
            orr__text_addf(c->t, "    at = at * W(%d) + i%d;\n", size, d);
    }
}

static void blocks(rows *w)
{
    const orr__cloop *c = w->c;
    int outer = last_of(w) - 1, size = orr__cloop_size_at(c->r, c->side);
    orr__cloop_nothing(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, outer);
    number_rows(w);
    orr__text_addf(
        c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n",
        size, width(w), size, width(w), size, width(w));
    turn_in(w, false);
    declare_outputs(w);
    orr__cloop_sure(c, block_loops, w);
    turn_out(w);
    orr__text_add(c->t, "    }\n");
    orr__cloop_close(c, 0, outer);
}

void orr__cloop_short(const orr__cloop *c)
{
    rows w;
    if (orr__rowplan_make(&w, c, ORR__T_SIDE_BLOCK, ORR__T_KEPT, false))
        blocks(&w);
    else
        c->t->failed = true;
    orr__rowplan_free(&w);
}
