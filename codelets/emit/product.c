/* Kernels of matrix products: a group computes one tile, step by step along k through shared memory, then the epilogue
 * on the tile's elements.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/matrix.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"
#include "runtime/base/threshold.h"

/* Where matrix instructions do not compute, an item has CELLS × CELLS elements of the tile, or twice as many columns; a step has DEEP terms
 * of k. Else the warps, DOWN of them along the rows, share the tile. SLOTS: rows of the items of a group. */
enum { CELLS = ORR__EMIT_CELLS, DEEP = ORR__EMIT_TERMS, DOWN = 2, ACROSS = ORR__EMIT_GROUP / ORR__EMIT_WARP / DOWN };
enum { SLOTS = ORR__EMIT_GROUP / DEEP };

/* Words, and parameters of the text by the same names; a_RUNS: runs of orr_copy are contiguous and aligned. Each batch axis then has its size,
 * its divider, and the strides of a and b. */
#define WORDS(X)                                                                                                       \
    X(ROWS)                                                                                                            \
    X(COLS)                                                                                                            \
    X(DEPTH)                                                                                                           \
    X(TILES_N) X(TILES_N_BY) X(TILES) X(TILES_BY) X(a_FIRST) X(a_ACROSS) X(a_DEEP) X(b_FIRST) X(b_DEEP) X(b_ACROSS)    \
        X(a_RUNS) X(b_RUNS)
#define NUMBER(name) name,
#define NAME(name) [name] = #name,
enum { ITEMS, WORDS(NUMBER) GROUP, BATCH = GROUP + ORR__GROUP_WORDS };
static const char *const names[GROUP] = { WORDS(NAME) };
enum { B_SIZE, B_BY, B_OF_A, B_OF_B, B_WORDS };

static int side_of(int group)
{
    int side = 1;
    while (side * side < group)
        side *= 2;
    return side;
}

static orr_dtype made(const orr__region *r)
{
    return (orr_dtype)(r->ninstr > 0 ? r->instr[0].dtype : r->out_dtype[0]);
}

bool orr__emit_product_can(const orr__region *r, bool fp64)
{
    orr_dtype t = made(r);
    if (r->naccess < 2 || r->rank < 3 || r->nin < 1 || !orr__is_float(t) || (t == ORR_F64 && !fp64))
        return false;
    for (int k = 0; k < 2; k++)
        if (r->access[k].input < 0 || r->in_dtype[r->access[k].input] != t)
            return false;
    return r->ninstr == 0 || (r->rank <= ORR_MAX_RANK && r->instr[0].kind == ORR__RI_PRODUCT);
}

int64_t orr__emit_large_tiles = ORR__EMIT_MULTIPROCESSORS;

/* The edge of a tile of matrix instructions: a large one reads less of the operands, a small one has more groups. An item has CELLS × CELLS
 * sums of the small one, and four times as many of the large one. */
static int edge_of(const orr__region *r)
{
    enum { SMALL = CELLS * SLOTS, LARGE = 2 * SMALL };
    int nb = r->rank - 3;
    int64_t m = r->dim[nb], n = r->dim[nb + 1], tiles = ((m + LARGE - 1) / LARGE) * ((n + LARGE - 1) / LARGE);
    for (int d = 0; d < nb; d++)
        tiles *= r->dim[d];
    bool fits = made(r) != ORR_F64 && m > SMALL && n > SMALL; /* of f64, the sums need the registers */
    return fits && tiles >= orr__emit_large_tiles ? LARGE : SMALL;
}

void orr__emit_product_layout(const orr__region *r, const orr__dialect *d, orr__layout *l)
{
    int word = BATCH + B_WORDS * (r->rank - 3), side = CELLS * side_of(d->group);
    bool matrix = d->matrix && (made(r) != ORR_F32 || orr__env.tf32);
    l->tile = (orr__tile){ .rows = matrix ? edge_of(r) : side,
                           .cols = matrix      ? edge_of(r)
                                   : d->matrix ? 2 * side
                                               : side,
                           .resident = 2,
                           .ahead = d->matrix,
                           .matrix = matrix };
    l->group_at = GROUP;
    word = orr__layout_accesses(r, l, 2, word);
    l->out_at = word;
    l->scalar_at = word += r->nout;
    for (int i = 0; i < r->ninstr; i++)
        word += orr__emit_scalars(&r->instr[i]);
    l->nword = word;
}

void orr__emit_mad(orr__text *t, orr_dtype type, const orr__dialect *d)
{
    static const char text[] =
#include "codelets/emit/kernels/mad.ctext"
        ;
    orr__text undo = { 0 };
    int k = type == ORR_F64;
    orr__text_define(t, &undo, "TYPE", "%s", orr__emit_type(type));
    orr__text_define(t, &undo, "FMA", "%s", d->fma[k]);
    orr__text_add(t, d->math[k]);
    orr__text_add(t, text);
    orr__text_add(t, d->unmath);
    orr__text_undefine(t, &undo);
}

void orr__emit_product_helpers(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l)
{
    orr__emit_mad(t, orr__compute_dtype(made(r)), d);
    if (l->tile.ahead)
        orr__emit_copies(t, made(r));
    if (l->tile.matrix)
        orr__emit_matrix(t, made(r));
}

/* -- a tile ---------------------------------------------------------------------------------------------------- */

/* An item has `count` rows of the tile, or columns: runs of `run` neighbours, each run · seats behind the one before. */
typedef struct {
    int count, run, seats;
} share;

typedef struct {
    orr__tile tile;
    share row, col;
    int deep, pad;       /* terms of a step; elements behind a row of shared memory, against bank conflicts */
    bool turns;          /* a tile's rows or its terms are contiguous, as in the operand; else its rows     */
    orr_dtype type;      /* of the operands                                                            */
    const char *element; /* in shared memory */
} plan;

static plan plan_of(const orr__region *r, const orr__layout *l)
{
    plan p = { .tile = l->tile, .deep = DEEP, .pad = 1, .type = made(r) };
    int side = side_of(l->group);
    if (p.tile.matrix) {
        p.row = (share){ p.tile.rows / DOWN / 8, 1, 8 };
        p.col = (share){ p.tile.cols / ACROSS / 4, 2, 4 };
        p.turns = orr__is_half(p.type);
        p.deep = p.turns ? 2 * DEEP : DEEP;
    } else {
        int run = p.tile.ahead ? CELLS : 1;
        p.row = (share){ p.tile.rows / side, run, side };
        p.col = (share){ p.tile.cols / side, run, side };
    }
    if (p.tile.ahead)
        p.pad = p.turns || p.type == ORR_F32 ? 8 : 4;
    p.element = p.tile.matrix ? orr__emit_storage(p.type) : orr__emit_type(orr__compute_dtype(p.type));
    return p;
}

/* Elements of an operand's tile of `edge` rows or columns. */
static int tile_size(const plan *p, int edge)
{
    int rows = p->deep * (edge + p->pad), terms = edge * (p->deep + p->pad);
    return p->turns && terms > rows ? terms : rows;
}

static const char *convert(orr_dtype t)
{
    return t == ORR_F16 ? "orr_f16_to_f32" : t == ORR_BF16 ? "orr_bf16_to_f32" : "";
}

static void number(orr__text *t, orr__text *undo, const char *prefix, const char *name, int value)
{
    char whole[32];
    (void)snprintf(whole, sizeof whole, "%s%s", prefix, name);
    orr__text_define(t, undo, whole, "%d", value);
}

/* The batch axes, the last of which moves fastest. */
static void axes(orr__text *t, orr__text *undo, int n)
{
    orr__text list = { 0 };
    for (int d = n - 1; d >= 0; d--) {
        int w = BATCH + B_WORDS * d;
        orr__text_addf(&list, "AXIS(%d, W(%d), W(%d), W(%d), W(%d)) ", d, w + B_SIZE, w + B_BY, w + B_OF_A, w + B_OF_B);
    }
    orr__text_define(t, undo, "AXES", "%s", list.s ? list.s : "");
    t->failed = t->failed || list.failed;
    free(list.s);
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__dialect *d, const plan *p)
{
    const share *of[] = { &p->row, &p->col };
    static const char *const side[] = { "ROW_", "COL_" };
    const int edge[] = { p->tile.rows, p->tile.cols };
    const struct {
        const char *name;
        int value;
    } numbers[] = { { "STEP", p->deep },
                    { "PAD", p->pad },
                    { "GROUP", d->group },
                    { "DOWN", DOWN },
                    { "ACROSS", ACROSS },
                    { "SLOTS", SLOTS },
                    { "RUN", orr__emit_matrix_run(p->type) },
                    { "SIZE", (int)orr_dtype_size(p->type) },
                    { "FRAGMENT", orr__emit_matrix_deep(p->type) },
                    { "MATRIX_ARCH", orr__emit_matrix_arch(p->type) } };
    for (int k = 0; k < 2; k++) {
        number(t, undo, "TILE_", k ? "COLS" : "ROWS", edge[k]);
        number(t, undo, k ? "b_" : "a_", "SIZE", tile_size(p, edge[k]));
        orr__text_define(t, undo, k ? "b_IN" : "a_IN", "in%d", r->access[k].input);
        number(t, undo, side[k], "COUNT", of[k]->count);
        number(t, undo, side[k], "RUN", of[k]->run);
        number(t, undo, side[k], "SEATS", of[k]->seats);
        orr__text_define(t, undo, k ? "I_COL" : "I_ROW", "i%d", r->rank - 3 + k);
    }
    for (int k = ROWS; k < GROUP; k++)
        orr__text_define(t, undo, names[k], "W(%d)", k);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        number(t, undo, "", numbers[k].name, numbers[k].value);
    axes(t, undo, r->rank - 3);
    orr__text_define(t, undo, "ORR_SHARE", "%s", d->share);
    orr__text_define(t, undo, "TYPE", "%s", orr__emit_type(orr__compute_dtype(p->type)));
    orr__text_define(t, undo, "SHARED", "%s", p->element);
    orr__text_define(t, undo, "LOADED(x)", "%s(x)", convert(p->tile.matrix ? ORR_F32 : p->type));
    orr__text_define(t, undo, "OPERAND(x)", "%s(x)", convert(p->tile.matrix ? p->type : ORR_F32));
    if (p->tile.ahead)
        orr__text_define(t, undo, "AHEAD", "1");
    if (p->tile.matrix)
        orr__text_define(t, undo, "MATRIX", "1");
    if (p->turns)
        orr__text_define(t, undo, "TURNS", "1");
}

/* The element of the product, and the values computed from it, as in any map. */
static void values(orr__text *t, const orr__region *r, const orr__layout *l, const char *sum, bool fp64)
{
    orr_dtype type = made(r);
    int scalar = l->scalar_at;
    char name[16] = "total";
    orr__text_addf(t, "            const %s total = ", orr__emit_type(type));
    orr__emit_cast(t, orr__compute_dtype(type), type, sum, fp64);
    orr__text_add(t, ";\n");
    if (r->ninstr > 0)
        orr__text_addf(t, "    const %s r0 = total;\n", orr__emit_type(type));
    for (int i = 1; i < r->ninstr; i++)
        orr__emit_value(t, r, l, &(orr__around){ 0 }, i, &scalar, fp64);
    for (int k = 0; k < r->nout; k++) {
        if (r->ninstr > 0)
            (void)snprintf(name, sizeof name, "r%d", r->out_reg[k]);
        orr__text_addf(t, "    out%d[(orr_idx)W(%d) + i] = ", k, l->out_at + k);
        orr__emit_stored(t, r, k, r->ninstr > 0 ? (orr_dtype)r->instr[r->out_reg[k]].dtype : type, name, fp64);
    }
}

void orr__emit_product(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    static const char text[] =
#include "codelets/emit/kernels/product.ctext"
        ;
    static const char mark[] = "VALUES\n";
    char *before = strdup(text), *at = before ? strstr(before, mark) : NULL;
    plan p = plan_of(r, l);
    orr__text undo = { 0 };
    orr__text_addf(t, "#define ORR_BLOCKS W(%d)\n%s", l->group_at + ORR__GROUP_BLOCKS, d->seat);
    parameters(t, &undo, r, d, &p);
    t->failed = t->failed || !at;
    if (at) {
        *at = '\0';
        orr__text_add(t, before);
        values(t, r, l, "whole", fp64);
        orr__text_add(t, at + sizeof mark - 1);
    }
    orr__text_undefine(t, &undo);
    free(before);
}

/* Are the runs of access k, of which `axis` is the axis besides the terms, contiguous and aligned to 16 bytes? */
static bool runs(const orr__launch *l, int k, int axis, int64_t first)
{
    const orr__region *r = l->region;
    const orr__access *a = &r->access[k];
    int deep = r->rank - 1, along = a->stride[deep] == 1 ? deep : axis;
    int64_t run = orr__emit_matrix_run(made(r));
    bool fits = a->stride[along] == 1 && l->in && (uintptr_t)l->in[a->input] % 16 == 0 && first % run == 0;
    for (int d = 0; d < r->rank; d++)
        fits = fits && (d == along || r->dim[d] == 1 || a->stride[d] % run == 0);
    return fits;
}

bool orr__emit_product_words(const orr__launch *l, const orr__layout *lay, int64_t *word)
{
    const orr__region *r = l->region;
    const orr__access *a = &r->access[0], *b = &r->access[1];
    int nb = r->rank - 3, tall = lay->tile.rows, wide = lay->tile.cols;
    int64_t rows = l->hi - l->lo, m = nb ? r->dim[nb] : rows, n = r->dim[nb + 1], batches = 1;
    for (int d = 0; d < nb; d++) {
        int64_t *w = word + BATCH + B_WORDS * d;
        w[B_SIZE] = d == 0 ? rows : r->dim[d];
        w[B_BY] = orr__emit_divider(w[B_SIZE]);
        w[B_OF_A] = a->stride[d];
        w[B_OF_B] = b->stride[d];
        batches *= w[B_SIZE];
    }
    int64_t across = (n + wide - 1) / wide, tiles = (m + tall - 1) / tall * across, items = batches * m * n;
    int64_t out = r->dim[0] > 0 ? l->lo * (r->out_count / r->dim[0]) : 0;
    bool fits = items <= INT32_MAX - 65536 && r->dim[nb + 2] < INT32_MAX - 4 * DEEP;
    word[ITEMS] = items;
    word[ROWS] = m;
    word[COLS] = n;
    word[DEPTH] = r->dim[nb + 2];
    word[TILES_N] = across;
    word[TILES_N_BY] = orr__emit_divider(across);
    word[TILES] = tiles;
    word[TILES_BY] = orr__emit_divider(tiles);
    word[a_FIRST] = a->offset + l->lo * a->stride[0] - (l->in_off ? l->in_off[a->input] : 0);
    word[a_ACROSS] = a->stride[nb];
    word[a_DEEP] = a->stride[nb + 2];
    word[b_FIRST] = b->offset + l->lo * b->stride[0] - (l->in_off ? l->in_off[b->input] : 0);
    word[b_DEEP] = b->stride[nb + 2];
    word[b_ACROSS] = b->stride[nb + 1];
    word[a_RUNS] = runs(l, 0, nb, word[a_FIRST]);
    word[b_RUNS] = runs(l, 1, nb + 1, word[b_FIRST]);
    for (int k = 0; k < r->nout; k++) {
        int64_t offset = word[lay->out_at + k] = out - (l->out_off ? l->out_off[k] : 0);
        fits = fits && offset >= INT32_MIN && offset + items <= INT32_MAX;
    }
    word[GROUP + ORR__GROUP_BLOCKS] = batches * tiles;
    for (int k = ORR__GROUP_SHAPE; k < ORR__GROUP_WORDS; k++)
        word[GROUP + k] = 0;
    for (int k = 0; k < 2; k++)
        fits = fits && orr__emit_narrow(r, &r->access[k], word[k ? b_FIRST : a_FIRST], rows);
    return orr__emit_access_words(l, lay, 2, word) && fits;
}
