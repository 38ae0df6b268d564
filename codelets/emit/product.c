/* Kernels of matrix products: a group computes one tile, step by step along k through shared memory, then the epilogue
 * on the tile's elements.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/matrix.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"
#include "runtime/base/threshold.h"

/* Where matrix instructions do not compute, an item has CELLS × CELLS elements of the tile, or twice as many columns; a step has DEEP terms
 * of k. Else eight warps, two of them along the rows, share the tile. */
enum { CELLS = 4, DEEP = 16, WARP = 32, DOWN = 2, ACROSS = 4, SLOTS = 16 };

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
    A_WHOLE, /* runs of orr_copy are contiguous and aligned */
    B_WHOLE,
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

int64_t orr__emit_large_tiles = ORR__T_DEVICE_GROUPS / 8;

/* The edge of a tile of matrix instructions: a large one reads less of the operands, a small one has more groups. */
static int edge_of(const orr__region *r)
{
    enum { SMALL = 64, LARGE = 128 };
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

/* An operand: its rows, or columns, and their first one, and its words. */
typedef struct {
    char name;
    const char *first;
    int input, edge, most, across, deep, whole;
} operand;

static operand operand_of(const orr__region *r, const plan *p, int k)
{
    return k ? (operand){ 'b', "col0", r->access[1].input, p->tile.cols, COLS, B_COL, B_DEEP, B_WHOLE }
             : (operand){ 'a', "row0", r->access[0].input, p->tile.rows, ROWS, A_ROW, A_DEEP, A_WHOLE };
}

static const char *convert(orr_dtype t)
{
    return t == ORR_F16 ? "orr_f16_to_f32" : t == ORR_BF16 ? "orr_bf16_to_f32" : "";
}

/* Fills a shared tile, `run` elements at a time. The group's items go first along the axis along which the operand's elements are
 * contiguous. */
static void copies(orr__text *t, const plan *p, const operand *o, int group, int run)
{
    int size = (int)orr_dtype_size(p->type);
    char n = o->name;
    orr__text_addf(t, "        %sfor (int s = me; s < %d; s += %d) {\n",
                   p->turns && run == 1 ? "ORR_ROLLED\n        " : "", o->edge * p->deep / run, group);
    orr__text_addf(t,
                   "            const int d = %c_deep ? s %% %d * %d : s / %d, x = %c_deep ? s / %d : s %% %d * %d;\n",
                   n, p->deep / run, run, o->edge / run, n, p->deep / run, o->edge / run, run);
    orr__text_addf(t, "            const orr_idx at = %s + x, k = next + d;\n", o->first);
    orr__text_addf(t, "            const int inside = at < (orr_idx)W(%d) && k < (orr_idx)W(%d);\n", o->most, DEPTH);
    orr__text_addf(t,
                   "            const orr_idx from = inside ? %c_at + at * (orr_idx)W(%d) + k * (orr_idx)W(%d) : 0;\n",
                   n, o->across, o->deep);
    if (run > 1)
        orr__text_addf(t,
                       "            const orr_idx left = %c_deep ? (orr_idx)W(%d) - k : (orr_idx)W(%d) - at;\n"
                       "            orr_copy(%c_to + x * %c_x + d * %c_d, in%d + from,\n"
                       "                     inside ? (int)(left < %d ? left : %d) * %d : 0);\n        }\n",
                       n, DEPTH, o->most, n, n, n, o->input, run, run, size);
    else if (p->tile.ahead && !orr__is_half(p->type))
        orr__text_addf(t,
                       "            orr_copy(%c_to + x * %c_x + d * %c_d, in%d + from, inside ? %d : 0);\n        }\n",
                       n, n, n, o->input, size);
    else
        orr__text_addf(t, "            %c_to[x * %c_x + d * %c_d] = inside ? %s(in%d[from]) : 0;\n        }\n", n, n, n,
                       convert(p->tile.matrix ? ORR_F32 : p->type), o->input);
}

/* The tiles of the terms from `next` on. */
static void fetch(orr__text *t, const orr__region *r, const plan *p, int group)
{
    int run = orr__emit_matrix_run(p->type);
    for (int k = 0; k < 2; k++) {
        operand o = operand_of(r, p, k);
        if (p->tile.matrix && run > 1) {
            orr__text_addf(t, "        if (W(%d)) {\n", o.whole);
            copies(t, p, &o, group, run);
            orr__text_add(t, "        } else {\n");
            copies(t, p, &o, group, 1);
            orr__text_add(t, "        }\n");
        } else {
            copies(t, p, &o, group, 1);
        }
    }
}

/* The tile's batch and position, and the offsets of its operands. */
static void place(orr__text *t, const orr__region *r, const orr__tile *tile)
{
    orr__text_addf(t, "    const orr_idx batch = orr_quotient(block, (orr_idx)W(%d), W(%d));\n", TILES, TILES_BY);
    orr__text_addf(t, "    const orr_idx tile = block - batch * (orr_idx)W(%d);\n", TILES);
    orr__text_addf(t, "    const orr_idx down = orr_quotient(tile, (orr_idx)W(%d), W(%d));\n", TILES_N, TILES_N_BY);
    orr__text_addf(t, "    const orr_idx row0 = down * %d, col0 = (tile - down * (orr_idx)W(%d)) * %d;\n", tile->rows,
                   TILES_N, tile->cols);
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

/* The item's own place: of its first row `my` and column `mx`, and where slots of rows pass through shared memory, its slot. Where the
 * elements of the shared tiles are, and a lane's own ones. */
static void seat(orr__text *t, const plan *p)
{
    if (!p->tile.matrix) {
        orr__text_addf(t, "    const int seat = me / %d, my = seat * %d, mx = me %% %d * %d;\n", p->col.seats,
                       p->row.run, p->col.seats, p->col.run);
    } else {
        orr__text_addf(t,
                       "    const int lane = me %% %d, seat = me / %d * 8 + lane / 4;\n"
                       "    const int warp_row = me / %d * %d, warp_col = me / %d %% %d * %d;\n"
                       "    const int my = warp_row + lane / 4, mx = warp_col + lane %% 4 * 2;\n",
                       WARP, WARP * ACROSS, WARP * ACROSS, p->tile.rows / DOWN, WARP, ACROSS, p->tile.cols / ACROSS);
    }
}

static void steps(orr__text *t, const plan *p)
{
    for (int k = 0; k < 2; k++) {
        char n = k ? 'b' : 'a';
        const char *first = k ? "warp_col" : "warp_row";
        int edge = k ? p->tile.cols : p->tile.rows, row = edge + p->pad, terms = p->deep + p->pad;
        if (p->turns)
            orr__text_addf(t, "    const int %c_x = %c_deep ? %d : 1, %c_d = %c_deep ? 1 : %d;\n", n, n, terms, n, n,
                           row);
        else
            orr__text_addf(t, "    const int %c_x = 1, %c_d = %d;\n", n, n, row);
        if (!p->tile.matrix)
            continue;
        if (p->turns)
            orr__text_addf(t,
                           "    const int %c_lane = %c_deep ? (%s + lane %% 16) * %c_x + lane / 16 * 8\n"
                           "                       : %s + lane / 8 %% 2 * 8 + (lane %% 8 + lane / 16 * 8) * %c_d;\n",
                           n, n, first, n, first, n);
        else
            orr__text_addf(t, "    const int %c_lane = %s + lane / 4 + lane %% 4 * %c_d;\n", n, first, n);
    }
}

/* The expression of the item's row y, or column x, of the tile. */
static void position(orr__text *t, const share *s, char i)
{
    if (s->run == 1)
        orr__text_addf(t, "m%c + %c * %d", i, i, s->seats);
    else
        orr__text_addf(t, "m%c + %c %% %d + %c / %d * %d", i, i, s->run, i, s->run, s->run * s->seats);
}

/* Sums of a step's products are added to the total: the chain of roundings is shorter than the number of products. */
static void multiply(orr__text *t, const plan *p, const char *type)
{
    const char *as = convert(p->tile.matrix ? p->type : ORR_F32);
    orr__text_addf(t, "        %s part[%d][%d];\n", type, p->row.count, p->col.count);
    orr__text_addf(t, "        for (int y = 0; y < %d; y++)\n            for (int x = 0; x < %d; x++)\n", p->row.count,
                   p->col.count);
    orr__text_addf(t, "                part[y][x] = 0;\n        for (int d = 0; d < %d; d++)\n", p->deep);
    orr__text_addf(t, "            for (int y = 0; y < %d; y++)\n                for (int x = 0; x < %d; x++)\n",
                   p->row.count, p->col.count);
    orr__text_addf(t, "                    part[y][x] = orr_mad(%s(a_[(", as);
    position(t, &p->row, 'y');
    orr__text_addf(t, ") * a_x + d * a_d]), %s(b_[(", as);
    position(t, &p->col, 'x');
    orr__text_add(t, ") * b_x + d * b_d]), part[y][x]);\n");
    orr__text_addf(t, "        for (int y = 0; y < %d; y++)\n            for (int x = 0; x < %d; x++)\n", p->row.count,
                   p->col.count);
    orr__text_add(t, "                sum[y][x] += part[y][x];\n");
}

/* Fragments of 16 rows and of 16 columns, and the products of all pairs. */
static void multiply_matrices(orr__text *t, const plan *p)
{
    int rows = p->row.count / 2, cols = p->col.count / 4, deep = orr__emit_matrix_deep(p->type);
    orr__text_addf(t,
                   "        ORR_UNROLLED\n        for (int k = 0; k < %d; k += %d) {\n"
                   "            orr_register a[%d][4], b[%d][4];\n",
                   p->deep, deep, rows, cols);
    for (int k = 0; k < 2; k++) {
        char n = k ? 'b' : 'a';
        orr__text_addf(
            t,
            "            ORR_UNROLLED\n            for (int i = 0; i < %d; i++)\n"
            "                orr_fragment(%c[i], %c_ + %c_lane + i * 16 * %c_x + k * %c_d, %c_x, %c_d, !%c_deep);\n",
            k ? cols : rows, n, n, n, n, n, n, n, n);
    }
    orr__text_addf(t,
                   "            ORR_UNROLLED\n            for (int y = 0; y < %d; y++)\n                ORR_UNROLLED\n"
                   "                for (int x = 0; x < %d; x++) {\n"
                   "                    orr_mma(sum[2 * y] + 4 * x, sum[2 * y + 1] + 4 * x, a[y], b[x][0], b[x][2]);\n"
                   "                    orr_mma(sum[2 * y] + 4 * x + 2, sum[2 * y + 1] + 4 * x + 2, a[y], b[x][1], "
                   "b[x][3]);\n                }\n        }\n",
                   rows, cols);
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

/* Element (row, col) of the tile. */
static void element(orr__text *t, const orr__region *r, const orr__layout *l, const char *sum, bool fp64)
{
    int nb = r->rank - 3;
    orr__text_addf(t, "            if (i%d >= (orr_idx)W(%d) || i%d >= (orr_idx)W(%d))\n                continue;\n",
                   nb, ROWS, nb + 1, COLS);
    orr__text_addf(t, "            const orr_idx i = (batch * (orr_idx)W(%d) + i%d) * (orr_idx)W(%d) + i%d;\n", ROWS,
                   nb, COLS, nb + 1);
    values(t, r, l, sum, fp64);
    orr__text_add(t, "        }\n");
}

static void store(orr__text *t, const orr__region *r, const orr__layout *l, const plan *p, bool fp64)
{
    int nb = r->rank - 3;
    orr__text_addf(t, "    for (int y = 0; y < %d; y++)\n        for (int x = 0; x < %d; x++) {\n", p->row.count,
                   p->col.count);
    orr__text_addf(t, "            const orr_idx i%d = row0 + ", nb);
    position(t, &p->row, 'y');
    orr__text_addf(t, ", i%d = col0 + ", nb + 1);
    position(t, &p->col, 'x');
    orr__text_add(t, ";\n");
    element(t, r, l, "sum[y][x]", fp64);
}

/* A row of each item passes through the tiles' memory, so that neighbouring items store neighbours, and the text of the values is there
 * once. */
static void store_slots(orr__text *t, const orr__region *r, const orr__layout *l, const plan *p, const char *type,
                        bool fp64)
{
    int nb = r->rank - 3, row = p->tile.cols + 8;
    orr__text_addf(t,
                   "    %s *const slot = (%s *)tiles;\n    ORR_ROLLED\n    for (int y = 0; y < %d; y++) {\n"
                   "        ORR_UNROLLED\n        for (int v = 0; v < %d; v++)\n            if (v == y) {\n"
                   "                ORR_UNROLLED\n                for (int x = 0; x < %d; x++)\n"
                   "                    slot[seat * %d + ",
                   type, type, p->row.count, p->row.count, p->col.count, row);
    position(t, &p->col, 'x');
    orr__text_addf(t,
                   "] = sum[v][x];\n            }\n        ORR_BARRIER;\n        ORR_ROLLED\n"
                   "        for (int s = me; s < %d; s += %d) {\n            const int n = s / %d, x = s %% %d;\n",
                   SLOTS * p->tile.cols, l->group, p->tile.cols, p->tile.cols);
    if (p->tile.matrix)
        orr__text_addf(t, "            const int my = n / 8 * %d + n %% 8;\n", p->tile.rows / DOWN);
    else
        orr__text_addf(t, "            const int my = n * %d;\n", p->row.run);
    orr__text_addf(t, "            const orr_idx i%d = row0 + ", nb);
    position(t, &p->row, 'y');
    orr__text_addf(t, ", i%d = col0 + x;\n            const %s whole = slot[n * %d + x];\n", nb + 1, type, row);
    element(t, r, l, "whole", fp64);
    orr__text_add(t, "        ORR_BARRIER;\n    }\n");
}

static void memory(orr__text *t, const plan *p, const orr__dialect *d)
{
    int a = tile_size(p, p->tile.rows), b = tile_size(p, p->tile.cols), size = (int)orr_dtype_size(p->type);
    if (p->tile.ahead)
        orr__text_addf(
            t,
            "    %sorr_chunk tiles[%d];\n    %s *const a_tiles = (%s *)tiles, *const b_tiles = a_tiles + %d;\n"
            "    int turn = 0;\n",
            d->share, 2 * (a + b) * size / 16, p->element, p->element, 2 * a);
    else
        orr__text_addf(t, "    %s%s a_[%d], b_[%d];\n", d->share, p->element, a, b);
    orr__text_add(t, d->seat);
}

/* One step: the tiles, and their product. `ahead`: those of the next step are on their way during the product, and the step before the
 * first one has no product. */
static void step(orr__text *t, const orr__region *r, const plan *p, const orr__dialect *d, const char *type)
{
    int a = tile_size(p, p->tile.rows), b = tile_size(p, p->tile.cols);
    if (p->tile.ahead) {
        orr__text_addf(
            t,
            "    for (orr_idx next = 0; next < (orr_idx)W(%d) + %d; next += %d, turn ^= 1) {\n"
            "        %s *const a_to = a_tiles + turn * %d, *const b_to = b_tiles + turn * %d;\n"
            "        const %s *const a_ = a_tiles + (turn ^ 1) * %d, *const b_ = b_tiles + (turn ^ 1) * %d;\n",
            DEPTH, p->deep, p->deep, p->element, a, b, p->element, a, b);
        orr__text_addf(t, "        if (next < (orr_idx)W(%d)) {\n", DEPTH);
        fetch(t, r, p, d->group);
        orr__text_add(
            t,
            "        }\n        orr_sent();\n        if (next == 0)\n            continue;\n        orr_arrived();\n");
    } else {
        orr__text_addf(t,
                       "    for (orr_idx next = 0; next < (orr_idx)W(%d); next += %d) {\n"
                       "        %s%s *const a_to = a_, *const b_to = b_;\n",
                       DEPTH, p->deep, d->share, p->element);
        fetch(t, r, p, d->group);
    }
    orr__text_add(t, "        ORR_BARRIER;\n");
    if (p->tile.matrix) {
        orr__text_add(t, orr__emit_matrix_if(p->type));
        multiply_matrices(t, p);
        orr__text_add(t, "#else\n");
    }
    multiply(t, p, type);
    orr__text_add(t, p->tile.matrix ? "#endif\n" : "");
    orr__text_add(t, "        ORR_BARRIER;\n    }\n");
}

void orr__emit_product(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    const char *type = orr__emit_type(orr__compute_dtype(made(r)));
    plan p = plan_of(r, l);
    orr__text_addf(t, "#define ORR_BLOCKS W(%d)\n", l->group_at + ORR__GROUP_BLOCKS);
    memory(t, &p, d);
    seat(t, &p);
    place(t, r, &p.tile);
    steps(t, &p);
    orr__text_addf(t, "    %s sum[%d][%d];\n    for (int y = 0; y < %d; y++)\n        for (int x = 0; x < %d; x++)\n",
                   type, p.row.count, p.col.count, p.row.count, p.col.count);
    orr__text_add(t, "            sum[y][x] = 0;\n");
    step(t, r, &p, d, type);
    if (p.tile.ahead)
        store_slots(t, r, l, &p, type, fp64);
    else
        store(t, r, l, &p, fp64);
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
    word[A_WHOLE] = runs(l, 0, nb, word[A_AT]);
    word[B_WHOLE] = runs(l, 1, nb + 1, word[B_AT]);
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
