/* The kernels of attention. A group computes a few rows of queries, or of keys, against the others tile by tile through shared memory, so
 * that only one tile of scores exists at a time. Sums have a fixed order, and no two groups write the same element.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <math.h>
#include "codelets/emit/call.h"
#include "codelets/emit/matrix.h"
#include "ops/nn/attention.h"

/* Rows of queries of a group, and of the others: an item has CELLS scores of 256. */
enum { DEEP = ORR__EMIT_TERMS, MINE = DEEP, MANY = ORR__EMIT_CELLS * ORR__EMIT_GROUP / MINE };

static const char *const names[] = { "heads",  "kvs",    "queries", "keys",  "width", "value", "per",    "window",
                                     "causal", "batch_", "head_",   "query", "key",   "first", "behind", NULL };
enum { WORDS = sizeof names / sizeof *names - 1, SCALE = ORR__CALL_OWN + WORDS, KEEP, GROWN, WHOLE, END = WHOLE + 3 };

static int words(const orr__region *r)
{
    (void)r;
    return END - ORR__CALL_OWN;
}

/* q, k and v are inputs `at`, `at` + 1 and `at` + 2. The key of a random stream, the numbers of the heads, and a mask follow where the call
 * has them. */
typedef struct {
    int at, drop, mask; /* inputs; −1: none */
    orr_dtype dtype;
    const char *as; /* the function that reads an element of q, k or v */
} sizes;

static sizes sizes_of(const orr__region *r, int at)
{
    bool drops = r->nin > at + 3 && r->in_dtype[at + 3] == ORR_U64;
    orr_dtype dtype = (orr_dtype)r->out_dtype[0], of = (orr_dtype)r->in_dtype[at];
    return (sizes){ .at = at,
                    .drop = drops ? at + 3 : -1,
                    .mask = r->nin > at + 3 + 2 * drops ? at + 3 + 2 * drops : -1,
                    .dtype = dtype,
                    .as = of == ORR_F16    ? "orr_f16_to_f32"
                          : of == ORR_BF16 ? "orr_bf16_to_f32"
                                           : "" };
}

static bool can(const orr__region *r)
{
    return r->out_dtype[0] == ORR_F32 || r->out_dtype[0] == ORR_F64;
}

/* -- words ------------------------------------------------------------------------------------------------- */

static orr__attend attend_of(const orr__call *c, const sizes *f)
{
    return orr__attend_of(&c->attr, &c->in[f->at], &c->in[f->at + 1], &c->in[f->at + 2],
                          f->mask >= 0 ? &c->in[f->mask] : NULL);
}

static int64_t real_word(orr_dtype t, double x)
{
    int64_t w = 0;
    float f = (float)x;
    memcpy(&w, t == ORR_F64 ? (const void *)&x : (const void *)&f, t == ORR_F64 ? sizeof x : sizeof f);
    return w;
}

/* Are the rows of an operand of halves runs of 16 bytes? */
static bool runs(const orr__launch *l, int k, int64_t length)
{
    int64_t first = l->in_off ? l->in_off[k] : 0;
    return l->in && length % 8 == 0 && (uintptr_t)l->in[k] % 16 == 0 && first % 8 == 0;
}

static void fill(const orr__launch *l, int64_t *word, int at)
{
    sizes f = sizes_of(l->region, at);
    orr__attend a = attend_of(&l->region->call, &f);
    int64_t reach = a.queries + a.keys + 1, window = a.window < reach ? a.window : reach;
    const int64_t own[WORDS] = { a.heads,  a.kv,      a.queries, a.keys,    a.width,   a.value, a.group, window,
                                 a.causal, a.step[0], a.step[1], a.step[2], a.step[3], l->lo,   l->hi };
    memcpy(word + ORR__CALL_OWN, own, sizeof own);
    word[SCALE] = real_word(f.dtype, a.scale);
    word[KEEP] = real_word(ORR_F32, (double)(float)(1.0 - a.drop));
    word[GROWN] = real_word(f.dtype, 1.0 / (1.0 - a.drop));
    for (int k = 0; k < 3; k++)
        word[WHOLE + k] = runs(l, f.at + k, k == 2 ? a.value : a.width);
    word[0] = l->hi > l->lo;
}

static void fill_forward(const orr__launch *l, int64_t *word)
{
    fill(l, word, 0);
}

static void fill_grad(const orr__launch *l, int64_t *word)
{
    fill(l, word, 2);
}

static int64_t tiles(int64_t n, int rows)
{
    return (n + rows - 1) / rows;
}

/* One group for each `rows` queries of each head with a row in the launch. */
static int64_t blocks_of_rows(const orr__launch *l, int rows)
{
    sizes f = sizes_of(l->region, 0);
    orr__attend a = attend_of(&l->region->call, &f);
    int64_t heads = l->hi > l->lo && a.queries > 0 ? (l->hi - 1) / a.queries - l->lo / a.queries + 1 : 0;
    return heads * tiles(a.queries, rows);
}

static int64_t blocks_forward(const orr__launch *l)
{
    return blocks_of_rows(l, MINE);
}

/* For each head of k and v: one group per tile of queries, which writes their gradients, and one group per tile of keys. */
static int64_t blocks_grad(const orr__launch *l)
{
    sizes f = sizes_of(l->region, 2);
    orr__attend a = attend_of(&l->region->call, &f);
    return (l->hi - l->lo) * (a.group * tiles(a.queries, MINE) + tiles(a.keys, MINE));
}

/* -- by matrix instructions ---------------------------------------------------------------------------------- */

/* A warp has the rows of one instruction, and the terms of two; rows of shared memory are a run of 16 bytes longer, against bank conflicts. */
enum { ROWS = ORR__EMIT_GROUP / ORR__EMIT_WARP * ORR__EMIT_MATRIX_ROWS, KEYS = 2 * ORR__EMIT_MATRIX_ROWS, PAD = 8 };

static orr__tile tile(const orr__region *r)
{
    const orr_shape *q = &r->call.in[0], *v = &r->call.in[2];
    int64_t width = q->dim[3], value = v->dim[3], most = width > value ? width : value;
    if (!orr__is_half((orr_dtype)r->in_dtype[0]) || most > ROWS)
        return (orr__tile){ 0 };
    return (orr__tile){ .rows = ROWS,
                        .cols = most > ROWS / 2 ? ROWS : ROWS / 2,
                        .resident = most > ROWS / 2 || r->nin > 3 ? 1 : 2,
                        .ahead = true,
                        .matrix = true };
}

static int64_t blocks_by_matrix(const orr__launch *l)
{
    return blocks_of_rows(l, ROWS);
}

/* -- text -------------------------------------------------------------------------------------------------- */

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    (void)d;
    for (int i = 0; i < r->nin; i++)
        if (orr__is_half((orr_dtype)r->in_dtype[i])) {
            orr__emit_helpers(t, r->in_dtype[i] == ORR_F16 ? ORR__NEED_F16 : ORR__NEED_BF16);
            break;
        }
    orr__rinstr bits = { .kind = ORR__RI_RANDOM, .op = ORR__DBITS };
    orr__emit_random_helpers(t, &(orr__region){ .instr = &bits, .ninstr = 1 }, false);
}

static void real(orr__text *t, orr__text *undo, const char *name, orr_dtype type, int word)
{
    bool wide = type == ORR_F64;
    orr__text_define(t, undo, name, "orr_bits_%s((%s)W(%d))", wide ? "f64" : "f32", wide ? "orr_u64" : "orr_u32", word);
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l, int at, int group)
{
    sizes f = sizes_of(r, at);
    const struct {
        const char *name;
        int number; /* −1: not defined */
    } in[] = { { "Q(at)", at },
               { "K(at)", at + 1 },
               { "V(at)", at + 2 },
               { "KEY(at)", f.drop },
               { "HEAD_NUMBER(at)", f.drop < 0 ? -1 : f.drop + 1 } },
      is[] = { { "MINE", MINE }, { "MANY", MANY },         { "DEEP", DEEP }, { "ROWS", ROWS },
               { "KEYS", KEYS }, { "COLS", l->tile.cols }, { "PAD", PAD },   { "GROUP", group } };
    for (size_t k = 0; k < sizeof in / sizeof *in; k++)
        if (in[k].number >= 0)
            orr__text_define(t, undo, in[k].name, "IN%d(at)", in[k].number);
    for (size_t k = 0; k < sizeof is / sizeof *is; k++)
        orr__text_define(t, undo, is[k].name, "%d", is[k].number);
    if (f.mask >= 0) {
        orr__text_define(t, undo, "MASK", "in%d", f.mask);
        orr__text_define(t, undo, "MASK_AT(at)", "AT%d(at)", f.mask);
    }
    orr__text_define(t, undo, "AS(x)", "%s(x)", f.as);
    real(t, undo, "SCALE", f.dtype, SCALE);
    real(t, undo, "KEPT", ORR_F32, KEEP);
    real(t, undo, "GROWN", f.dtype, GROWN);
    orr__text_define(t, undo, "Q_RUNS", "W(%d)", WHOLE);
    orr__text_define(t, undo, "K_RUNS", "W(%d)", WHOLE + 1);
    orr__text_define(t, undo, "V_RUNS", "W(%d)", WHOLE + 2);
    orr__text_define(t, undo, "MATRIX_ARCH", "%d", orr__emit_matrix_arch((orr_dtype)r->in_dtype[at]));
}

static void parameters_forward(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    parameters(t, undo, r, l, 0, l->tile.matrix ? ROWS : MINE);
}

static void parameters_grad(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    parameters(t, undo, r, l, 2, MINE);
}

static const char helpers[] =
#include "codelets/emit/kernels/attention_functions.ctext"
    ;
static const char text[] =
#include "codelets/emit/kernels/attention.ctext"
    ;
static const char text_by_matrix[] = "#if __CUDA_ARCH__ >= MATRIX_ARCH\n"
#include "codelets/emit/kernels/attention_matrix.ctext"
                                     "#else\n"
#include "codelets/emit/kernels/attention.ctext"
                                     "#endif\n";

static void functions_by_matrix(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    functions(t, d, r);
    orr__emit_copies(t, (orr_dtype)r->in_dtype[0]);
    orr__emit_matrix(t, (orr_dtype)r->in_dtype[0]);
}

static const orr__emit_call by_matrix = { .words = words,
                                          .names = names,
                                          .fill = fill_forward,
                                          .blocks = blocks_by_matrix,
                                          .functions = functions_by_matrix,
                                          .mad = true,
                                          .helpers = helpers,
                                          .body = text_by_matrix,
                                          .parameters = parameters_forward,
                                          .tile = tile };
const orr__emit_call orr__emit_kernel_attention = { .can = can,
                                                    .words = words,
                                                    .names = names,
                                                    .fill = fill_forward,
                                                    .blocks = blocks_forward,
                                                    .functions = functions,
                                                    .mad = true,
                                                    .helpers = helpers,
                                                    .body = text,
                                                    .parameters = parameters_forward,
                                                    .by_matrix = &by_matrix };
const orr__emit_call orr__emit_kernel_attention_grad = { .can = can,
                                                         .words = words,
                                                         .names = names,
                                                         .fill = fill_grad,
                                                         .blocks = blocks_grad,
                                                         .functions = functions,
                                                         .mad = true,
                                                         .helpers = helpers,
                                                         .body = text,
                                                         .which = "GRAD",
                                                         .parameters = parameters_grad };
