/* Kernels of matrix products: a group computes one tile, step by step along k through shared memory, then the epilogue
 * on the tile's elements.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/emit.h"
#include "runtime/base/dtype.h"

/* An item has CELLS × CELLS elements of the tile, `side` items apart; side² is the number of items of a group. A step
 * has DEEP terms of k. */
enum { CELLS = 4, DEEP = 16 };

/* Words. Each batch axis then has its size, its divider, and the strides of a and b. */
enum {
    ROWS = 1,
    COLS,
    DEPTH,
    TILES_N,
    TILES_N_BY,
    TILES,
    TILES_BY,
    A_AT,
    A_ROW,
    A_DEEP,
    B_AT,
    B_DEEP,
    B_COL,
    GROUP,
    BATCH = GROUP + ORR__GROUP_WORDS
};
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
    if (r->naccess < 2 || r->nout < 1 || r->rank < 3 || r->nin < 1 || !orr__is_float(t) || (t == ORR_F64 && !fp64))
        return false;
    for (int k = 0; k < 2; k++)
        if (r->access[k].input < 0 || r->in_dtype[r->access[k].input] != t)
            return false;
    if (r->ninstr > 0 && (r->rank > ORR_MAX_RANK || r->instr[0].kind != ORR__RI_PRODUCT))
        return false;
    for (int i = 1; i < r->ninstr; i++)
        if (!orr__emit_instr_can(r, &r->instr[i], fp64))
            return false;
    for (int k = 0; k < r->nout; k++)
        if (r->out_dtype[k] == ORR_F64 && !fp64)
            return false;
    return true;
}

void orr__emit_product_layout(const orr__region *r, orr__layout *l)
{
    int word = BATCH + B_WORDS * (r->rank - 3);
    l->group_at = GROUP;
    word = orr__layout_accesses(r, l, 2, word);
    l->out_at = word;
    l->scalar_at = word += r->nout;
    for (int i = 0; i < r->ninstr; i++)
        word += orr__emit_scalars(&r->instr[i]);
    l->nword = word;
}

/* A product is rounded once together with its sum where that is fast. */
void orr__emit_mad(orr__text *t, orr_dtype type, const orr__dialect *d)
{
    int k = type == ORR_F64;
    orr__text_add(t, d->math[k]);
    orr__text_addf(t,
                   "#if %s\n#define ORR_MAD(x, y, z) fma(x, y, z)\n#else\n#define ORR_MAD(x, y, z) ((x) * (y) + (z))\n"
                   "#endif\nORR_FN %s orr_mad(%s x, %s y, %s z) { return ORR_MAD(x, y, z); }\n",
                   d->fma[k], orr__emit_type(type), orr__emit_type(type), orr__emit_type(type), orr__emit_type(type));
    orr__text_add(t, d->unmath);
}

void orr__emit_product_helpers(orr__text *t, const orr__region *r, const orr__dialect *d)
{
    orr__emit_mad(t, orr__compute_dtype(made(r)), d);
}

/* Fills a shared tile. The group's items go first along `near`, the axis along which the operand's elements are
 * contiguous. */
static void fetch(orr__text *t, const orr__region *r, int group, char name, int input, int rows_at, int row_stride,
                  int deep_stride)
{
    orr_dtype type = made(r);
    int edge = CELLS * side_of(group), cells = edge * DEEP;
    bool half = orr__is_half(type);
    const char *first = name == 'a' ? "row0" : "col0";
    orr__text_addf(t, "        for (int s = me; s < %d; s += %d) {\n", cells, group);
    orr__text_addf(t, "            const int d = %c_deep ? s %% %d : s / %d, x = %c_deep ? s / %d : s %% %d;\n", name,
                   DEEP, edge, name, DEEP, edge);
    orr__text_addf(t, "            const orr_idx at = %s + x, k = k0 + d;\n", first);
    orr__text_addf(t, "            %c_[d][x] = at < (orr_idx)W(%d) && k < (orr_idx)W(%d) ? ", name, rows_at, DEPTH);
    if (half)
        orr__text_addf(t, "orr_%s_to_f32(", orr__emit_suffix(type));
    orr__text_addf(t, "in%d[%c_at + at * (orr_idx)W(%d) + k * (orr_idx)W(%d)]%s : 0;\n        }\n", input, name,
                   row_stride, deep_stride, half ? ")" : "");
}

/* The tile's batch and position, and the offsets of its operands. */
static void place(orr__text *t, const orr__region *r, int edge)
{
    orr__text_addf(t, "    const orr_idx batch = orr_quotient(block, (orr_idx)W(%d), W(%d));\n", TILES, TILES_BY);
    orr__text_addf(t, "    const orr_idx tile = block - batch * (orr_idx)W(%d);\n", TILES);
    orr__text_addf(t, "    const orr_idx down = orr_quotient(tile, (orr_idx)W(%d), W(%d));\n", TILES_N, TILES_N_BY);
    orr__text_addf(t, "    const orr_idx row0 = down * %d, col0 = (tile - down * (orr_idx)W(%d)) * %d;\n", edge,
                   TILES_N, edge);
    orr__text_addf(t, "    orr_idx a_at = (orr_idx)W(%d), b_at = (orr_idx)W(%d), rest = batch;\n", A_AT, B_AT);
    for (int d = r->rank - 4; d >= 0; d--) {
        int w = BATCH + B_WORDS * d;
        orr__text_addf(t, "    const orr_idx rest%d = orr_quotient(rest, (orr_idx)W(%d), W(%d));\n", d, w + B_SIZE,
                       w + B_BY);
        orr__text_addf(t, "    const orr_idx i%d = rest - rest%d * (orr_idx)W(%d);\n", d, d, w + B_SIZE);
        orr__text_addf(t, "    a_at += i%d * (orr_idx)W(%d);\n    b_at += i%d * (orr_idx)W(%d);\n    rest = rest%d;\n",
                       d, w + B_OF_A, d, w + B_OF_B, d);
    }
    orr__text_addf(t, "    const int a_deep = W(%d) == 1, b_deep = W(%d) == 1;\n", A_DEEP, B_DEEP);
}

/* Sums of DEEP products are added to the total: the chain of roundings is shorter than the number of products. */
static void multiply(orr__text *t, const char *type, int side)
{
    orr__text_addf(t, "        %s part[%d][%d];\n", type, CELLS, CELLS);
    orr__text_addf(t, "        for (int y = 0; y < %d; y++)\n            for (int x = 0; x < %d; x++)\n", CELLS, CELLS);
    orr__text_addf(t, "                part[y][x] = 0;\n        for (int d = 0; d < %d; d++)\n", DEEP);
    orr__text_addf(t, "            for (int y = 0; y < %d; y++)\n                for (int x = 0; x < %d; x++)\n", CELLS,
                   CELLS);
    orr__text_addf(t, "                    part[y][x] = orr_mad(a_[d][my + y * %d], b_[d][mx + x * %d], part[y][x]);\n",
                   side, side);
    orr__text_addf(t, "        for (int y = 0; y < %d; y++)\n            for (int x = 0; x < %d; x++)\n", CELLS, CELLS);
    orr__text_add(t, "                sum[y][x] += part[y][x];\n");
}

/* The element of the product, and the values computed from it, as in any map. */
static void values(orr__text *t, const orr__region *r, const orr__layout *l, bool fp64)
{
    orr_dtype type = made(r);
    int scalar = l->scalar_at;
    char name[16] = "total";
    orr__text_addf(t, "            const %s total = ", orr__emit_type(type));
    orr__emit_cast(t, orr__compute_dtype(type), type, "sum[y][x]", fp64);
    orr__text_add(t, ";\n");
    if (r->ninstr > 0)
        orr__text_addf(t, "    const %s r0 = total;\n", orr__emit_type(type));
    for (int i = 1; i < r->ninstr; i++)
        orr__emit_value(t, r, l, &(orr__around){ 0 }, i, &scalar, fp64);
    for (int k = 0; k < r->nout; k++) {
        if (r->ninstr > 0)
            (void)snprintf(name, sizeof name, "r%d", r->out_reg[k]);
        orr__emit_store(t, r, l, k, r->ninstr > 0 ? (orr_dtype)r->instr[r->out_reg[k]].dtype : type, name, fp64);
    }
}

static void store(orr__text *t, const orr__region *r, const orr__layout *l, int side, bool fp64)
{
    int nb = r->rank - 3;
    orr__text_addf(t, "    for (int y = 0; y < %d; y++)\n        for (int x = 0; x < %d; x++) {\n", CELLS, CELLS);
    orr__text_addf(t, "            const orr_idx i%d = row0 + my + y * %d, i%d = col0 + mx + x * %d;\n", nb, side,
                   nb + 1, side);
    orr__text_addf(t, "            if (i%d >= (orr_idx)W(%d) || i%d >= (orr_idx)W(%d))\n                continue;\n",
                   nb, ROWS, nb + 1, COLS);
    orr__text_addf(t, "            const orr_idx i = (batch * (orr_idx)W(%d) + i%d) * (orr_idx)W(%d) + i%d;\n", ROWS,
                   nb, COLS, nb + 1);
    values(t, r, l, fp64);
    orr__text_add(t, "        }\n");
}

void orr__emit_product(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    const char *type = orr__emit_type(orr__compute_dtype(made(r)));
    int side = side_of(d->group), edge = CELLS * side;
    orr__text_addf(t, "#define ORR_BLOCKS W(%d)\n", l->group_at + ORR__GROUP_BLOCKS);
    orr__text_addf(t, "    %s%s a_[%d][%d], b_[%d][%d];\n%s", d->share, type, DEEP, edge + 1, DEEP, edge + 1, d->seat);
    orr__text_addf(t, "    const int my = me / %d, mx = me %% %d;\n", side, side);
    place(t, r, edge);
    orr__text_addf(t, "    %s sum[%d][%d];\n    for (int y = 0; y < %d; y++)\n        for (int x = 0; x < %d; x++)\n",
                   type, CELLS, CELLS, CELLS, CELLS);
    orr__text_addf(t, "            sum[y][x] = 0;\n    for (orr_idx k0 = 0; k0 < (orr_idx)W(%d); k0 += %d) {\n", DEPTH,
                   DEEP);
    fetch(t, r, d->group, 'a', r->access[0].input, ROWS, A_ROW, A_DEEP);
    fetch(t, r, d->group, 'b', r->access[1].input, COLS, B_COL, B_DEEP);
    orr__text_add(t, "        ORR_BARRIER;\n");
    multiply(t, type, side);
    orr__text_add(t, "        ORR_BARRIER;\n    }\n");
    store(t, r, l, side, fp64);
}

bool orr__emit_product_words(const orr__launch *l, const orr__layout *lay, int64_t *word)
{
    const orr__region *r = l->region;
    const orr__access *a = &r->access[0], *b = &r->access[1];
    int nb = r->rank - 3, edge = CELLS * side_of(lay->group);
    int64_t rows = l->hi - l->lo, m = nb ? r->dim[nb] : rows, n = r->dim[nb + 1], batches = 1;
    for (int d = 0; d < nb; d++) {
        int64_t *w = word + BATCH + B_WORDS * d;
        w[B_SIZE] = d == 0 ? rows : r->dim[d];
        w[B_BY] = orr__emit_divider(w[B_SIZE]);
        w[B_OF_A] = a->stride[d];
        w[B_OF_B] = b->stride[d];
        batches *= w[B_SIZE];
    }
    int64_t across = (n + edge - 1) / edge, tiles = (m + edge - 1) / edge * across, items = batches * m * n;
    int64_t out = r->dim[0] > 0 ? l->lo * (r->out_count / r->dim[0]) : 0;
    bool fits = items <= INT32_MAX - 65536 && r->dim[nb + 2] < INT32_MAX - DEEP;
    word[0] = items;
    word[ROWS] = m;
    word[COLS] = n;
    word[DEPTH] = r->dim[nb + 2];
    word[TILES_N] = across;
    word[TILES_N_BY] = orr__emit_divider(across);
    word[TILES] = tiles;
    word[TILES_BY] = orr__emit_divider(tiles);
    word[A_AT] = a->offset + l->lo * a->stride[0] - (l->in_off ? l->in_off[a->input] : 0);
    word[A_ROW] = a->stride[nb];
    word[A_DEEP] = a->stride[nb + 2];
    word[B_AT] = b->offset + l->lo * b->stride[0] - (l->in_off ? l->in_off[b->input] : 0);
    word[B_DEEP] = b->stride[nb + 2];
    word[B_COL] = b->stride[nb + 1];
    for (int k = 0; k < r->nout; k++) {
        int64_t offset = word[lay->out_at + k] = out - (l->out_off ? l->out_off[k] : 0);
        fits = fits && offset >= INT32_MIN && offset + items <= INT32_MAX;
    }
    word[GROUP + ORR__GROUP_BLOCKS] = batches * tiles;
    for (int k = ORR__GROUP_SHAPE; k < ORR__GROUP_WORDS; k++)
        word[GROUP + k] = 0;
    for (int k = 0; k < 2; k++)
        fits = fits && orr__emit_narrow(r, &r->access[k], word[k ? B_AT : A_AT], rows);
    return orr__emit_access_words(l, lay, 2, word) && fits;
}
