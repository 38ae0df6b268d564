/* The kernels of attention. A group computes a few rows of queries, or of keys, against the others tile by tile through shared memory, so
 * that only one tile of scores exists at a time. Sums have a fixed order, and no two groups write the same element.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include "codelets/emit/call.h"
#include "codelets/emit/matrix.h"
#include "ops/nn/attention.h"

/* A tile has MINE rows, which the group keeps, and MANY columns. Its dot products are computed DEEP terms at a time. Rows of shared memory
 * are padded by one element against bank conflicts. */
enum { MINE = 16, MANY = 64, DEEP = 16 };

static const char *const names[] = { "heads",  "kvs",    "queries", "keys",  "width", "value", "per",   "window",
                                     "causal", "batch_", "head_",   "query", "key",   "first", "behind" };
enum { WORDS = sizeof names / sizeof *names, SCALE = ORR__CALL_OWN + WORDS, KEEP, GROWN, WHOLE, END = WHOLE + 3 };

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
    const char *type, *as; /* of numbers; the function that reads an element of q, k or v */
} sizes;

static sizes sizes_of(const orr__region *r, int at)
{
    bool drops = r->nin > at + 3 && r->in_dtype[at + 3] == ORR_U64;
    orr_dtype dtype = (orr_dtype)r->out_dtype[0], of = (orr_dtype)r->in_dtype[at];
    return (sizes){ .at = at,
                    .drop = drops ? at + 3 : -1,
                    .mask = r->nin > at + 3 + 2 * drops ? at + 3 + 2 * drops : -1,
                    .dtype = dtype,
                    .type = orr__emit_type(dtype),
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

/* -- text -------------------------------------------------------------------------------------------------- */

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    const char *T = orr__emit_type(type);
    for (int i = 0; i < r->nin; i++)
        if (orr__is_half((orr_dtype)r->in_dtype[i])) {
            orr__emit_helpers(t, r->in_dtype[i] == ORR_F16 ? ORR__NEED_F16 : ORR__NEED_BF16);
            break;
        }
    orr__rinstr bits = { .kind = ORR__RI_RANDOM, .op = ORR__DBITS };
    orr__emit_random_helpers(t, &(orr__region){ .instr = &bits, .ninstr = 1 }, false);
    orr__emit_mad(t, type, d);
    orr__text_add(t, d->math[type == ORR_F64]);
    orr__text_addf(t,
                   "ORR_FN %s orr_exponential(%s x) { return exp(x); }\n"
                   "ORR_FN %s orr_logarithm(%s x) { return log(x); }\n",
                   T, T, T, T);
    orr__text_add(t, d->unmath);
    /* Query i sees the keys in [orr_sees, orr_blind). Key i + past is at the position of query i. */
    orr__text_add(t,
                  "ORR_FN orr_idx orr_sees(orr_idx i, orr_idx past, orr_idx keys, orr_idx window)\n{\n"
                  "    const orr_idx lo = window ? i + past - window + 1 : 0;\n"
                  "    return lo < 0 ? 0 : lo > keys ? keys : lo;\n}\n"
                  "ORR_FN orr_idx orr_blind(orr_idx i, orr_idx past, orr_idx keys, orr_idx window, orr_idx causal)\n{\n"
                  "    const orr_idx hi = causal ? i + past + 1 : window ? i + past + window : keys;\n"
                  "    return hi < 0 ? 0 : hi > keys ? keys : hi;\n}\n");
}

static void numbers(orr__text *t, const sizes *f)
{
    for (int k = 0; k < WORDS; k++)
        orr__text_addf(t, "    const orr_idx %s = (orr_idx)W(%d);\n", names[k], ORR__CALL_OWN + k);
    orr__text_addf(t, "    const orr_idx past = keys - queries;\n    const %s scale = ", f->type);
    orr__emit_word(t, f->dtype, SCALE, true);
    orr__text_addf(t, ", nothing = -(%s)orr_bits_f32(0x7f800000u);\n", f->type);
    orr__text_add(
        t, "    (void)kvs;\n    (void)per;\n    (void)batch_;\n    (void)head_;\n    (void)query;\n    (void)key;\n"
           "    (void)behind;\n    (void)past;\n");
}

static void begin(orr__text *t, const sizes *f)
{
    numbers(t, f);
    orr__text_addf(t, "    ORR_SHARE %s mine[%d], many[%d], cell[%d];\n", f->type, MINE * (DEEP + 1), MANY * (DEEP + 1),
                   MINE * (MANY + 1));
}

/* tile := A·Bᵀ. `mine` and `many` are expressions for elements in `row` and `deep`; the matrices have `rows` and `cols` rows. */
static void dot(orr__text *t, const sizes *f, const char *tile, const char *mine, const char *many, const char *length)
{
    orr__text_addf(t, "    for (orr_idx deep0 = 0; deep0 == 0 || deep0 < %s; deep0 += %d) {\n", length, DEEP);
    orr__text_addf(t,
                   "        for (int x = me; x < %d; x += ORR_GROUP) {\n"
                   "            const orr_idx row = x / %d, deep = deep0 + x %% %d;\n"
                   "            mine[x / %d * %d + x %% %d] = row < rows && deep < %s ? %s : 0;\n        }\n",
                   MINE * DEEP, DEEP, DEEP, DEEP, DEEP + 1, DEEP, length, mine);
    orr__text_addf(t,
                   "        for (int x = me; x < %d; x += ORR_GROUP) {\n"
                   "            const orr_idx row = x / %d, deep = deep0 + x %% %d;\n"
                   "            many[x / %d * %d + x %% %d] = row < cols && deep < %s ? %s : 0;\n        }\n"
                   "        ORR_BARRIER;\n",
                   MANY * DEEP, DEEP, DEEP, DEEP, DEEP + 1, DEEP, length, many);
    orr__text_addf(t,
                   "        ORR_ROLLED\n        for (int x = me; x < %d; x += ORR_GROUP) {\n"
                   "            const int r = x / %d, c = x %% %d;\n            %s sum = 0;\n"
                   "            for (int k = 0; k < %d; k++)\n"
                   "                sum = orr_mad(mine[r * %d + k], many[c * %d + k], sum);\n"
                   "            %s[r * %d + c] = (deep0 ? %s[r * %d + c] : 0) + sum;\n        }\n"
                   "        ORR_BARRIER;\n    }\n",
                   MINE * MANY, MANY, MANY, f->type, DEEP, DEEP + 1, DEEP + 1, tile, MANY + 1, tile, MANY + 1);
}

/* For each cell of the tile: r, c, `at` in shared memory, query i and key j of (b, head), and whether i sees j. Unrolled loops would need
 * more registers than there are. */
static void cells(orr__text *t, const char *i, const char *j)
{
    orr__text_addf(t,
                   "    ORR_ROLLED\n    for (int x = me; x < %d; x += ORR_GROUP) {\n"
                   "        const int r = x / %d, c = x %% %d, at = r * %d + c;\n"
                   "        const orr_idx i = %s, j = %s;\n"
                   "        const int seen = r < rows && c < cols && j >= orr_sees(i, past, keys, window) &&\n"
                   "                         j < orr_blind(i, past, keys, window, causal);\n",
                   MINE * MANY, MANY, MANY, MANY + 1, i, j);
}

/* The score of a visible cell. */
static void score(orr__text *t, const sizes *f, int in_at)
{
    orr__text_addf(t, "        %s s = cell[at] * scale;\n", f->type);
    if (f->mask >= 0)
        orr__text_addf(
            t,
            "        if (seen)\n"
            "            s += in%d[(orr_idx)W(%d) + b * batch_ + head %% heads * head_ + i * query + j * key];\n",
            f->mask, in_at + f->mask);
}

/* z: the dropout factor. */
static void factor(orr__text *t, const sizes *f, int in_at)
{
    if (f->drop < 0) {
        orr__text_addf(t, "        const %s z = 1;\n", f->type);
        return;
    }
    orr__text_addf(
        t,
        "        const orr_u64 line = (orr_u64)in%d[(orr_idx)W(%d) + head] * (orr_u64)queries + (orr_u64)i;\n"
        "        const orr_u64 number = line * (orr_u64)keys + (orr_u64)j;\n"
        "        const %s z = orr__u01_f32(orr__rand_bits32(in%d[(orr_idx)W(%d)], number)) < ",
        f->drop + 1, in_at + f->drop + 1, f->type, f->drop, in_at + f->drop);
    orr__emit_word(t, ORR_F32, KEEP, true);
    orr__text_add(t, " ? ");
    orr__emit_word(t, f->dtype, GROWN, true);
    orr__text_add(t, " : 0;\n");
}

/* for each x of this item: element `d` of row `r` of `from` … `to` rows of `length` elements. */
static void elements(orr__text *t, const char *from, const char *to, const char *length)
{
    orr__text_addf(t,
                   "    for (orr_idx x = (%s) * %s + me; x < (%s) * %s; x += ORR_GROUP) {\n"
                   "        const orr_idx r = x / %s, d = x - r * %s;\n",
                   from, length, to, length, length, length);
}

/* The online softmax (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018; T. Dao et al., "FlashAttention", 2022):
 * each row has a running maximum, a running sum and a result scaled by them, which the next tile corrects. */
static void forward(orr__text *t, const orr__region *r, const orr__layout *l, int in_at, int group)
{
    sizes f = sizes_of(r, 0);
    char q[160], k[160], y[160];
    begin(t, &f);
    orr__text_addf(t, "    ORR_SHARE %s top[%d], less[%d], total[%d];\n", f.type, MINE, MINE, MINE);
    orr__text_addf(
        t,
        "    const orr_idx each = (queries + %d) / %d, head = first / queries + block / each;\n"
        "    const orr_idx b = head / heads, kv = b * kvs + head %% heads / per;\n    (void)b;\n"
        "    for (orr_idx i0 = block %% each * %d; i0 < queries && i0 < (block %% each + 1) * %d; i0 += %d) {\n"
        "    const orr_idx row0 = head * queries + i0;\n"
        "    const orr_idx rows = queries - i0 < %d ? queries - i0 : %d;\n"
        "    const orr_idx from = first > row0 ? first - row0 : 0;\n"
        "    const orr_idx to = behind - row0 < rows ? behind - row0 : rows;\n"
        "    const orr_idx lo = orr_sees(i0, past, keys, window);\n"
        "    const orr_idx hi = orr_blind(i0 + rows - 1, past, keys, window, causal);\n",
        group - 1, group, group, group, MINE, MINE, MINE);
    (void)snprintf(q, sizeof q, "%s(in0[(orr_idx)W(%d) + (row0 + row) * width + deep])", f.as, in_at);
    (void)snprintf(k, sizeof k, "%s(in1[(orr_idx)W(%d) + (kv * keys + j0 + row) * width + deep])", f.as, in_at + 1);
    (void)snprintf(y, sizeof y, "out0[(orr_idx)W(%d) + (row0 + r) * (value + 1) + d]", l->out_at);
    orr__text_addf(
        t, "    for (int x = me; x < %d; x += ORR_GROUP) {\n        top[x] = nothing;\n        total[x] = 0;\n    }\n",
        MINE);
    elements(t, "from", "to", "value");
    orr__text_addf(t, "        %s = 0;\n    }\n    ORR_BARRIER;\n", y);
    orr__text_addf(t,
                   "    for (orr_idx j0 = lo; j0 < hi; j0 += %d) {\n"
                   "    const orr_idx cols = hi - j0 < %d ? hi - j0 : %d;\n",
                   MANY, MANY, MANY);
    dot(t, &f, "cell", q, k, "width");
    cells(t, "i0 + r", "j0 + c");
    score(t, &f, in_at);
    orr__text_add(t, "        cell[at] = seen ? s : nothing;\n    }\n    ORR_BARRIER;\n");
    orr__text_addf(t,
                   "    for (int x = me; x < %d; x += ORR_GROUP) {\n        %s most = top[x];\n"
                   "        for (int c = 0; c < %d; c++) {\n            const %s s = cell[x * %d + c];\n"
                   "            most = s > most || s != s ? s : most;\n        }\n"
                   "        less[x] = most == nothing ? 1 : orr_exponential(top[x] - most);\n"
                   "        top[x] = most;\n    }\n    ORR_BARRIER;\n",
                   MINE, f.type, MANY, f.type, MANY + 1);
    orr__text_addf(
        t,
        "    for (int x = me; x < %d; x += ORR_GROUP) {\n        const int r = x / %d, at = r * %d + x %% %d;\n"
        "        cell[at] = top[r] == nothing ? 0 : orr_exponential(cell[at] - top[r]);\n    }\n"
        "    ORR_BARRIER;\n",
        MINE * MANY, MANY, MANY + 1, MANY);
    orr__text_addf(t,
                   "    for (int x = me; x < %d; x += ORR_GROUP) {\n        %s sum = 0;\n"
                   "        for (int c = 0; c < %d; c++)\n            sum += cell[x * %d + c];\n"
                   "        total[x] = total[x] * less[x] + sum;\n    }\n",
                   MINE, f.type, MANY, MANY + 1);
    if (f.drop >= 0) {
        orr__text_add(t, "    ORR_BARRIER;\n");
        cells(t, "i0 + r", "j0 + c");
        factor(t, &f, in_at);
        orr__text_add(t, "        cell[at] = seen ? cell[at] * z : 0;\n    }\n");
        orr__text_add(t, "    ORR_BARRIER;\n");
    }
    elements(t, "from", "to", "value");
    orr__text_addf(t,
                   "        %s sum = %s * less[r];\n        for (orr_idx c = 0; c < cols; c++)\n"
                   "            sum = orr_mad(cell[r * %d + c], %s(in2[(orr_idx)W(%d) + (kv * keys + j0 + c) * value + "
                   "d]), sum);\n"
                   "        %s = sum;\n    }\n    ORR_BARRIER;\n    }\n",
                   f.type, y, MANY + 1, f.as, in_at + 2, y);
    elements(t, "from", "to", "value");
    orr__text_addf(t, "        %s *= total[r] == 0 ? 0 : 1 / total[r];\n    }\n", y);
    orr__text_addf(t,
                   "    for (orr_idx r = from + me; r < to; r += ORR_GROUP) {\n        const orr_idx d = value;\n"
                   "        %s = total[r] == 0 ? nothing : top[r] + orr_logarithm(total[r]);\n    }\n",
                   y);
    orr__text_add(t, group > MINE ? "    ORR_BARRIER;\n    }\n" : "    }\n");
}

static void text_forward(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    forward(t, r, l, in_at, MINE);
}

/* For each tile, the probabilities P are recomputed from the saved logarithms, and with them the slopes P·(g·vᵀ·z − mean) of the scores:
 * once for the gradients of the queries, once for those of the keys and values. */
static void text_grad(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    sizes f = sizes_of(r, 2);
    char a[320], b[320];
    begin(t, &f);
    orr__text_addf(t, "    ORR_SHARE %s slope[%d], mean[%d], whole[%d];\n", f.type, MINE * (MANY + 1), MANY, MANY);
    orr__text_addf(t,
                   "    const orr_idx tall = (queries + %d) / %d, each = per * tall + (keys + %d) / %d;\n"
                   "    const orr_idx kv = first + block / each, task = block %% each, b = kv / kvs;\n    (void)b;\n"
                   "    const int by_keys = task >= per * tall;\n"
                   "    const orr_idx mine0 = (by_keys ? task - per * tall : task %% tall) * %d;\n"
                   "    const orr_idx head0 = b * heads + kv %% kvs * per + (by_keys ? 0 : task / tall);\n"
                   "    const orr_idx left = (by_keys ? keys : queries) - mine0, rows = left < %d ? left : %d;\n"
                   "    const orr_idx dq = (orr_idx)W(%d) + kv * (per * queries * width + keys * (width + value));\n"
                   "    const orr_idx dk = dq + per * queries * width, dv = dk + keys * width;\n",
                   MINE - 1, MINE, MINE - 1, MINE, MINE, MINE, MINE, l->out_at);
    /* The range of rows on the other side that the group's rows see, or that see them. */
    orr__text_addf(t,
                   "    orr_idx lo = by_keys ? (causal ? mine0 - past : window ? mine0 - past - window + 1 : 0)\n"
                   "                         : orr_sees(mine0, past, keys, window);\n"
                   "    orr_idx hi = !by_keys ? orr_blind(mine0 + rows - 1, past, keys, window, causal)\n"
                   "                 : window ? mine0 + rows - 1 - past + window : queries;\n"
                   "    lo = lo < 0 ? 0 : lo;\n    hi = by_keys && hi > queries ? queries : hi;\n"
                   "    const orr_idx wide = hi > lo ? (hi - lo + %d) / %d : 0, steps = by_keys ? per * wide : wide;\n",
                   MANY - 1, MANY);
    elements(t, "0", "rows", "width");
    orr__text_add(t, "        out0[by_keys ? dk + (mine0 + r) * width + d\n"
                     "                     : dq + (task / tall * queries + mine0 + r) * width + d] = 0;\n    }\n");
    elements(t, "0", "by_keys ? rows : 0", "value");
    orr__text_add(t, "        out0[dv + (mine0 + r) * value + d] = 0;\n    }\n");
    orr__text_addf(t,
                   "    for (orr_idx step = 0; step < steps; step++) {\n"
                   "    const orr_idx head = head0 + (by_keys ? step / wide : 0), many0 = lo + step %% wide * %d;\n"
                   "    const orr_idx cols = hi - many0 < %d ? hi - many0 : %d;\n"
                   "    const orr_idx i0 = by_keys ? many0 : mine0, j0 = by_keys ? mine0 : many0;\n"
                   "    const orr_idx row0 = head * queries + i0, key0 = kv * keys + j0;\n",
                   MANY, MANY, MANY);
    /* For each query: the logarithm of its sum, and the mean of its slopes. */
    orr__text_addf(t,
                   "    for (orr_idx x = me; x < (by_keys ? cols : rows) && (by_keys || step == 0); x += ORR_GROUP) {\n"
                   "        const orr_idx o = (orr_idx)W(%d) + (row0 + x) * (value + 1);\n"
                   "        const orr_idx g = (orr_idx)W(%d) + (row0 + x) * (value + 1);\n"
                   "        %s sum = -in1[g + value];\n        for (orr_idx d = 0; d < value; d++)\n"
                   "            sum = orr_mad(in1[g + d], in0[o + d], sum);\n"
                   "        mean[x] = sum;\n        whole[x] = in0[o + value];\n    }\n",
                   in_at, in_at + 1, f.type);
    (void)snprintf(a, sizeof a,
                   "%s(by_keys ? in3[(orr_idx)W(%d) + (key0 + row) * width + deep]"
                   " : in2[(orr_idx)W(%d) + (row0 + row) * width + deep])",
                   f.as, in_at + 3, in_at + 2);
    (void)snprintf(b, sizeof b,
                   "%s(by_keys ? in2[(orr_idx)W(%d) + (row0 + row) * width + deep]"
                   " : in3[(orr_idx)W(%d) + (key0 + row) * width + deep])",
                   f.as, in_at + 2, in_at + 3);
    dot(t, &f, "cell", a, b, "width");
    (void)snprintf(a, sizeof a,
                   "(by_keys ? %s(in4[(orr_idx)W(%d) + (key0 + row) * value + deep])"
                   " : in1[(orr_idx)W(%d) + (row0 + row) * (value + 1) + deep])",
                   f.as, in_at + 4, in_at + 1);
    (void)snprintf(b, sizeof b,
                   "(by_keys ? in1[(orr_idx)W(%d) + (row0 + row) * (value + 1) + deep]"
                   " : %s(in4[(orr_idx)W(%d) + (key0 + row) * value + deep]))",
                   in_at + 1, f.as, in_at + 4);
    dot(t, &f, "slope", a, b, "value");
    cells(t, "i0 + (by_keys ? c : r)", "j0 + (by_keys ? r : c)");
    score(t, &f, in_at);
    factor(t, &f, in_at);
    orr__text_addf(t,
                   "        const int n = by_keys ? c : r;\n"
                   "        const %s p = seen && whole[n] != nothing ? orr_exponential(s - whole[n]) : 0;\n"
                   "        slope[at] = p > 0 || p != p ? p * (slope[at] * z - mean[n]) * scale : 0;\n"
                   "        cell[at] = p * z;\n    }\n    ORR_BARRIER;\n",
                   f.type);
    elements(t, "0", "rows", "width");
    orr__text_addf(
        t,
        "        const orr_idx at = by_keys ? dk + (mine0 + r) * width + d\n"
        "                                   : dq + (task / tall * queries + mine0 + r) * width + d;\n"
        "        %s sum = 0;\n        for (orr_idx c = 0; c < cols; c++)\n"
        "            sum = orr_mad(slope[r * %d + c], %s(by_keys ? in2[(orr_idx)W(%d) + (row0 + c) * width + d]\n"
        "                          : in3[(orr_idx)W(%d) + (key0 + c) * width + d]), sum);\n"
        "        out0[at] += sum;\n    }\n",
        f.type, MANY + 1, f.as, in_at + 2, in_at + 3);
    elements(t, "0", "by_keys ? rows : 0", "value");
    orr__text_addf(
        t,
        "        %s sum = 0;\n        for (orr_idx c = 0; c < cols; c++)\n"
        "            sum = orr_mad(cell[r * %d + c], in1[(orr_idx)W(%d) + (row0 + c) * (value + 1) + d], sum);\n"
        "        out0[dv + (mine0 + r) * value + d] += sum;\n    }\n    ORR_BARRIER;\n    }\n",
        f.type, MANY + 1, in_at + 1);
}

/* -- by matrix instructions ---------------------------------------------------------------------------------- */

/* Of q, k and v as halves. Each of eight warps has 16 queries of a group's, whose operand, scores and results are in registers. The group
 * copies tiles of keys and values, those of the next step during a step. Columns of a tile are halves of a row, padded by 16 bytes. */
enum { ROWS = 128, KEYS = 32, PAD = 8 };

static orr__tile tile(const orr__region *r)
{
    const orr_shape *q = &r->call.in[0], *v = &r->call.in[2];
    int64_t width = q->dim[3], value = v->dim[3], most = width > value ? width : value;
    if (!orr__is_half((orr_dtype)r->in_dtype[0]) || most > 128)
        return (orr__tile){ 0 };
    return (orr__tile){ .rows = ROWS,
                        .cols = most > 64 ? 128 : 64,
                        .resident = most > 64 || r->nin > 3 ? 1 : 2,
                        .ahead = true,
                        .matrix = true };
}

static int64_t blocks_by_matrix(const orr__launch *l)
{
    return blocks_of_rows(l, ROWS);
}

static void functions_by_matrix(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    functions(t, d, r);
    orr__emit_copies(t, (orr_dtype)r->in_dtype[0]);
    orr__emit_matrix(t, (orr_dtype)r->in_dtype[0]);
}

/* Copies `n` rows of input k, from number `first` of those of `whose` on, to `to`; elements behind the row's end, and rows from `most` on,
 * are 0. */
static void copy_rows(orr__text *t, const orr__tile *w, int k, int in_at, int n, const char *to, const char *whose,
                      const char *first, const char *most, const char *length)
{
    for (int run = 8; run > 0; run -= 7) {
        orr__text_addf(t, run > 1 ? "    if (W(%d)) {\n" : "    } else {\n        ORR_ROLLED\n", WHOLE + k);
        orr__text_addf(t,
                       "        for (int x = me; x < %d; x += ORR_GROUP) {\n"
                       "            const int row = x / %d, d = x %% %d * %d;\n"
                       "            const int inside = %s + row < %s && d < %s;\n"
                       "            const orr_idx at = inside ? (orr_idx)W(%d) + (%s + %s + row) * %s + d : 0;\n",
                       n * w->cols / run, w->cols / run, w->cols / run, run, first, most, length, in_at + k, whose,
                       first, length);
        if (run > 1)
            orr__text_addf(t, "            orr_copy(%s + row * %d + d, in%d + at, inside ? 16 : 0);\n        }\n", to,
                           w->cols + PAD, k);
        else
            orr__text_addf(t, "            (%s)[row * %d + d] = inside ? in%d[at] : 0;\n        }\n    }\n", to,
                           w->cols + PAD, k);
    }
}

/* The group's place, and a lane's: its two queries, and the keys that they see. */
static void seat_by_matrix(orr__text *t, const orr__tile *w)
{
    int row = w->cols + PAD, two = 4 * KEYS * row, all = two > ROWS * row ? two : ROWS * row;
    orr__text_addf(t,
                   "    ORR_SHARE orr_chunk memory[%d];\n    orr_u16 *const tiles = (orr_u16 *)memory;\n"
                   "    const int lane = me %% 32, mine0 = me / 32 * 16;\n"
                   "    const int straight = lane %% 16 * %d + lane / 16 * 8;\n"
                   "    const int turned = (lane %% 8 + lane / 16 * 8) * %d + lane / 8 %% 2 * 8;\n"
                   "    const orr_idx each = (queries + %d) / %d, head = first / queries + block / each;\n"
                   "    const orr_idx i0 = block %% each * %d, b = head / heads, kv = b * kvs + head %% heads / per;\n",
                   all / 8, row, row, ROWS - 1, ROWS, ROWS);
    orr__text_addf(
        t,
        "    const orr_idx rows = queries - i0 < %d ? queries - i0 : %d;\n"
        "    const orr_idx lo = orr_sees(i0, past, keys, window);\n"
        "    const orr_idx hi = orr_blind(i0 + rows - 1, past, keys, window, causal);\n"
        "    const orr_idx lo_warp = orr_sees(i0 + mine0, past, keys, window);\n"
        "    const orr_idx hi_warp = orr_blind(i0 + mine0 + 15, past, keys, window, causal);\n"
        "    const orr_idx i1 = i0 + mine0 + lane / 4;\n"
        "    orr_register q[%d][4];\n    orr_f32 o[%d][4], top[2], total[2];\n    orr_idx sees[2], blind[2];\n"
        "    (void)b;\n"
        "    ORR_UNROLLED\n    for (int r = 0; r < 2; r++) {\n        const orr_idx i = i1 + 8 * r;\n"
        "        top[r] = nothing;\n        total[r] = 0;\n"
        "        sees[r] = orr_sees(i, past, keys, window);\n"
        "        blind[r] = i < queries ? orr_blind(i, past, keys, window, causal) : 0;\n    }\n"
        "    ORR_UNROLLED\n    for (int n = 0; n < %d; n++)\n        ORR_UNROLLED\n"
        "        for (int e = 0; e < 4; e++)\n            o[n][e] = 0;\n",
        ROWS, ROWS, w->cols / 16, w->cols / 8, w->cols / 8);
}

/* s := q·kᵀ of the warp's queries and the step's keys, with hidden ones at −inf; `most`: the maxima of the lane's two queries so far. */
static void scores_by_matrix(orr__text *t, const sizes *f, const orr__tile *w, int in_at)
{
    int row = w->cols + PAD;
    orr__text_addf(t,
                   "    orr_f32 s[%d][4], most[2], less[2];\n    ORR_UNROLLED\n    for (int n = 0; n < %d; n++)\n"
                   "        ORR_UNROLLED\n        for (int e = 0; e < 4; e++)\n            s[n][e] = 0;\n"
                   "    ORR_UNROLLED\n    for (int d = 0; d < %d; d++)\n        ORR_UNROLLED\n"
                   "        for (int n = 0; n < %d; n++) {\n            orr_register k[4];\n"
                   "            orr_fragment(k, key_tile + straight + n * %d + d * 16, %d, 1, 0);\n"
                   "            orr_mma(s[2 * n], s[2 * n] + 2, q[d], k[0], k[2]);\n"
                   "            orr_mma(s[2 * n + 1], s[2 * n + 1] + 2, q[d], k[1], k[3]);\n        }\n",
                   KEYS / 8, KEYS / 8, w->cols / 16, KEYS / 16, 16 * row, row);
    orr__text_addf(
        t,
        "    ORR_UNROLLED\n    for (int r = 0; r < 2; r++)\n        most[r] = top[r];\n"
        "    ORR_UNROLLED\n    for (int x = 0; x < %d; x++) {\n        const int n = x / 4, e = x %% 4, r = e / 2;\n"
        "        const orr_idx i = i1 + 8 * r, j = j0 + 8 * n + lane %% 4 * 2 + e %% 2;\n"
        "        const int seen = j >= sees[r] && j < blind[r];\n        orr_f32 y = s[n][e] * scale;\n"
        "        (void)i;\n",
        KEYS / 2);
    if (f->mask >= 0)
        orr__text_addf(
            t,
            "        if (seen)\n"
            "            y += in%d[(orr_idx)W(%d) + b * batch_ + head %% heads * head_ + i * query + j * key];\n",
            f->mask, in_at + f->mask);
    orr__text_add(t, "        y = seen ? y : nothing;\n        s[n][e] = y;\n"
                     "        most[r] = y > most[r] || y != y ? y : most[r];\n    }\n"
                     "    ORR_UNROLLED\n    for (int x = 0; x < 4; x++) {\n"
                     "        const orr_f32 y = __shfl_xor_sync(0xffffffffu, most[x / 2], 1 + x % 2);\n"
                     "        most[x / 2] = y > most[x / 2] || y != y ? y : most[x / 2];\n    }\n");
}

/* The step's exponentials and sums; results so far are corrected in their registers. The exponentials are rounded to halves for the product
 * with the values, their sum is not. */
static void softmax_by_matrix(orr__text *t, const sizes *f, const orr__tile *w, int in_at)
{
    int row = w->cols + PAD;
    orr__text_add(t, "    ORR_UNROLLED\n    for (int r = 0; r < 2; r++) {\n"
                     "        less[r] = most[r] == nothing ? 1 : exp2f((top[r] - most[r]) * 1.44269504f);\n"
                     "        top[r] = most[r];\n        total[r] *= less[r];\n    }\n");
    orr__text_addf(
        t,
        "    ORR_UNROLLED\n    for (int x = 0; x < %d; x++) {\n        const int n = x / 4, e = x %% 4, r = e / 2;\n"
        "        const orr_idx i = i1 + 8 * r, j = j0 + 8 * n + lane %% 4 * 2 + e %% 2;\n        (void)i;\n        "
        "(void)j;\n"
        "        const orr_f32 y = top[r] == nothing ? 0 : exp2f((s[n][e] - top[r]) * 1.44269504f);\n"
        "        total[r] += y;\n",
        KEYS / 2);
    factor(t, f, in_at);
    orr__text_addf(
        t,
        "        s[n][e] = y * z;\n    }\n    ORR_UNROLLED\n    for (int x = 0; x < %d; x++)\n"
        "        o[x / 4][x %% 4] *= less[x %% 4 / 2];\n"
        "    ORR_UNROLLED\n    for (int k = 0; k < %d; k++) {\n"
        "        const orr_register p[4] = { orr_pair(s[2 * k][0], s[2 * k][1]), orr_pair(s[2 * k][2], s[2 * k][3]),\n"
        "                                    orr_pair(s[2 * k + 1][0], s[2 * k + 1][1]),\n"
        "                                    orr_pair(s[2 * k + 1][2], s[2 * k + 1][3]) };\n"
        "        ORR_UNROLLED\n        for (int n = 0; n < %d; n++) {\n            orr_register v[4];\n"
        "            orr_fragment(v, value_tile + turned + k * %d + n * 16, 1, %d, 1);\n"
        "            orr_mma(o[2 * n], o[2 * n] + 2, p, v[0], v[2]);\n"
        "            orr_mma(o[2 * n + 1], o[2 * n + 1] + 2, p, v[1], v[3]);\n        }\n    }\n",
        w->cols / 2, KEYS / 16, w->cols / 16, 16 * row, row);
}

static void store_by_matrix(orr__text *t, const orr__layout *l, const orr__tile *w)
{
    orr__text_addf(
        t,
        "    ORR_UNROLLED\n    for (int r = 0; r < 2; r++) {\n"
        "        const orr_idx i = i1 + 8 * r, row = head * queries + i;\n"
        "        const orr_idx to = (orr_idx)W(%d) + row * (value + 1);\n"
        "        total[r] += __shfl_xor_sync(0xffffffffu, total[r], 1);\n"
        "        total[r] += __shfl_xor_sync(0xffffffffu, total[r], 2);\n"
        "        const orr_f32 by = total[r] == 0 ? 0 : 1 / total[r];\n"
        "        if (i < queries && row >= first && row < behind) {\n"
        "            ORR_UNROLLED\n            for (int x = 0; x < %d; x++) {\n"
        "                const orr_idx d = x / 2 * 8 + lane %% 4 * 2 + x %% 2;\n                if (d < value)\n"
        "                    out0[to + d] = o[x / 2][2 * r + x %% 2] * by;\n            }\n"
        "            if (lane %% 4 == 0)\n"
        "                out0[to + value] = total[r] == 0 ? nothing : top[r] + orr_logarithm(total[r]);\n"
        "        }\n    }\n",
        l->out_at, w->cols / 4);
}

static void text_by_matrix(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    sizes f = sizes_of(r, 0);
    const orr__tile *w = &l->tile;
    int row = w->cols + PAD;
    orr__text_add(t, orr__emit_matrix_if((orr_dtype)r->in_dtype[0]));
    numbers(t, &f);
    seat_by_matrix(t, w);
    copy_rows(t, w, 0, in_at, ROWS, "tiles", "head * queries", "i0", "queries", "width");
    orr__text_addf(t,
                   "    orr_sent();\n    orr_sent(); /* an empty step */\n    orr_arrived();\n    ORR_BARRIER;\n"
                   "    ORR_UNROLLED\n    for (int d = 0; d < %d; d++)\n"
                   "        orr_fragment(q[d], tiles + mine0 * %d + straight + d * 16, %d, 1, 0);\n    ORR_BARRIER;\n"
                   "    int turn = 0;\n"
                   "    for (orr_idx next = lo; next < hi + %d; next += %d, turn ^= 1) {\n"
                   "    orr_u16 *const to = tiles + turn * %d;\n    if (next < hi) {\n",
                   w->cols / 16, row, row, KEYS, KEYS, 2 * KEYS * row);
    copy_rows(t, w, 1, in_at, KEYS, "to", "kv * keys", "next", "hi", "width");
    char values[32];
    (void)snprintf(values, sizeof values, "to + %d", KEYS * row);
    copy_rows(t, w, 2, in_at, KEYS, values, "kv * keys", "next", "hi", "value");
    orr__text_addf(
        t,
        "    }\n    orr_sent();\n    if (next == lo)\n        continue;\n    orr_arrived();\n    ORR_BARRIER;\n"
        "    const orr_u16 *const key_tile = tiles + (turn ^ 1) * %d, *const value_tile = key_tile + %d;\n"
        "    const orr_idx j0 = next - %d;\n    if (j0 < hi_warp && j0 + %d > lo_warp) {\n",
        2 * KEYS * row, KEYS * row, KEYS, KEYS);
    scores_by_matrix(t, &f, w, in_at);
    softmax_by_matrix(t, &f, w, in_at);
    orr__text_add(t, "    }\n    ORR_BARRIER;\n    }\n");
    store_by_matrix(t, l, w);
    orr__text_add(t, "#else\n");
    forward(t, r, l, in_at, ROWS);
    orr__text_add(t, "#endif\n");
}

static const orr__emit_call by_matrix = { .words = words,
                                          .fill = fill_forward,
                                          .blocks = blocks_by_matrix,
                                          .functions = functions_by_matrix,
                                          .text = text_by_matrix,
                                          .tile = tile };

const orr__emit_call orr__emit_kernel_attention = { .can = can,
                                                    .words = words,
                                                    .fill = fill_forward,
                                                    .blocks = blocks_forward,
                                                    .functions = functions,
                                                    .text = text_forward,
                                                    .by_matrix = &by_matrix };
const orr__emit_call orr__emit_kernel_attention_grad = {
    .can = can, .words = words, .fill = fill_grad, .blocks = blocks_grad, .functions = functions, .text = text_grad
};
