/* The kernels of recurrences: one launch per step. A group multiplies the states of some sequences by the weights of
 * some units through shared memory, then computes their cells. No other group has these sums.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <string.h>
#include "codelets/emit/call.h"
#include "ops/nn/recurrence.h"

/* The text of the argument, which is code of the kernel, not of this program. */
#define TEXT(...) #__VA_ARGS__ "\n"

/* A tile has ROWS sequences and UNITS units; its sums are computed DEEP terms at a time. */
enum { ROWS = 8, UNITS = 32, DEEP = 16 };

/* step: the number of the launch's step, in the order in which states follow each other. −1: the cotangents of the
 * first states. */
#define WORDS(X) X(first) X(rows) X(steps) X(hidden) X(planes) X(step)
#define NAME(name) #name,
#define NUMBER(name) name##_,
static const char *const names[] = { WORDS(NAME) };
enum { WORDS(NUMBER) OWN };

static int words(const orr__region *r)
{
    (void)r;
    return OWN;
}

/* A gradient has the cotangents of all steps after its states; weights have two axes. */
static bool gradient(const orr__call *c)
{
    return c->in[1].rank == 3;
}

static orr__recur recur_of(const orr__call *c)
{
    orr_shape h = c->in[2];
    if (gradient(c))
        h = ORR_SHAPE(c->in[1].dim[0], c->in[1].dim[2]);
    return orr__recur_of(&c->attr, c->in[gradient(c)].dim[1], &h, gradient(c));
}

static bool can(const orr__region *r)
{
    return r->out_dtype[0] == ORR_F32 || r->out_dtype[0] == ORR_F64;
}

/* -- launches ---------------------------------------------------------------------------------------------- */

static void fill(const orr__launch *l, int64_t *word)
{
    orr__recur f = recur_of(&l->region->call);
    const int64_t own[OWN] = { l->lo,    l->hi - l->lo, f.steps,
                               f.hidden, f.planes,      gradient(&l->region->call) ? f.steps - 1 : 0 };
    memcpy(word + ORR__CALL_OWN, own, sizeof own);
    word[0] = l->hi > l->lo && f.hidden > 0;
}

static bool next(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    int64_t *own = word + ORR__CALL_OWN;
    if (!gradient(c))
        return ++own[step_] < own[steps_];
    return --own[step_] >= (recur_of(c).first ? -1 : 0);
}

static int64_t blocks(const orr__launch *l)
{
    orr__recur f = recur_of(&l->region->call);
    return (l->hi - l->lo + ROWS - 1) / ROWS * ((f.hidden + UNITS - 1) / UNITS);
}

/* Bytes per sequence: the part of its states' cotangents that goes to the step before; and the cotangents of the sums
 * of two steps, if they are not a result. */
static size_t scratch(const orr__launch *l)
{
    orr__recur f = recur_of(&l->region->call);
    size_t each = (size_t)f.states + (f.first ? 2 * (size_t)f.back : 0);
    return each * (size_t)(l->hi - l->lo) * (size_t)f.hidden *
           (l->region->out_dtype[0] == ORR_F64 ? sizeof(double) : sizeof(float));
}

/* -- text -------------------------------------------------------------------------------------------------- */

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    orr__recur f = recur_of(&r->call);
    orr__text_addf(t, "#define TYPE %s\ntypedef TYPE orr_part;\n", orr__emit_type(type));
    orr__text_addf(t, "#define ROWS %d\n#define UNITS %d\n#define DEEP %d\n", ROWS, UNITS, DEEP);
    orr__text_addf(t, "#define GATES %d\n#define KEPT %d\n#define BACK %d\n#define STATES %d\n", f.gates, f.kept,
                   f.back, f.states);
    orr__emit_mad(t, type, d);
    orr__text_add(t, d->math[type == ORR_F64]);
    orr__text_add(t, TEXT(ORR_FN TYPE orr_bend(TYPE x) { return tanh(x); }));
    orr__text_add(t, TEXT(ORR_FN TYPE orr_open(TYPE x) {
                      const TYPE e = exp(x >= 0 ? -x : x);
                      return (x >= 0 ? 1 : e) / (1 + e);
                  }));
    orr__text_add(t, d->unmath);
}

/* The words, and a macro for element `at` of each operand. */
static void begin(orr__text *t, const orr__region *r, const orr__layout *l, int in_at, const orr__recur *f)
{
    const struct {
        const char *name;
        int k;
    } in[] = { { "X", 0 },    { "G", 1 },    { "GC", f->c >= 0 ? 2 : -1 }, { "WEIGHT", f->w },
               { "H", f->h }, { "C", f->c }, { "BIAS", f->bias },          { "LENGTH", f->length } };
    for (int k = 0; k < OWN; k++)
        orr__text_addf(t, "    const orr_idx %s = (orr_idx)W(%d);\n", names[k], ORR__CALL_OWN + k);
    for (size_t k = 0; k < sizeof in / sizeof *in; k++)
        if (in[k].k >= 0)
            orr__text_addf(t, "#define %s(at) in%d[(orr_idx)W(%d) + (at)]\n", in[k].name, in[k].k, in_at + in[k].k);
    orr__text_addf(t, "#define OUT(at) out0[(orr_idx)W(%d) + (at)]\n#define TIME(s) %s\n", l->out_at,
                   f->reverse ? "(steps - 1 - (s))" : "(s)");
    orr__text_addf(t, "#define WITHIN %s\n", f->length >= 0 ? "t < LENGTH(b)" : "1");
    (void)r;
    orr__text_add(t,
                  TEXT(const orr_idx across = (hidden + UNITS - 1) / UNITS; const orr_idx row0 = block / across * ROWS;
                       const orr_idx unit0 = block % across * UNITS; const orr_idx t = TIME(step);
                       ORR_SHARE TYPE mine[ROWS * (DEEP + 1)]; ORR_SHARE TYPE many[PARTS * DEEP * (UNITS + 1)];
                       ORR_SHARE TYPE sum[PARTS * ROWS * UNITS]; (void)planes;
                       for (int x = me; x < PARTS * ROWS * UNITS; x += ORR_GROUP) sum[x] = 0; ORR_BARRIER;));
}

/* The sums of a tile, from A(row, term) and B(part, term, unit). Terms are added in parts, whose errors do not add
 * up. */
static const char product_text[] = TEXT(for (orr_idx deep0 = 0; deep0 < terms; deep0 += DEEP) {
    for (int x = me; x < ROWS * DEEP; x += ORR_GROUP) {
        const orr_idx row = row0 + x / DEEP;
        const orr_idx k = deep0 + x % DEEP;
        mine[x / DEEP * (DEEP + 1) + x % DEEP] = row < rows && k < terms ? A(row, k) : 0;
    }
    for (int x = me; x < PARTS * DEEP * UNITS; x += ORR_GROUP) {
        const int part = x / (DEEP * UNITS);
        const int u = TURNED ? x / DEEP % UNITS : x % UNITS;
        const int d = TURNED ? x % DEEP : x / UNITS % DEEP;
        const orr_idx k = deep0 + d;
        many[(part * DEEP + d) * (UNITS + 1) + u] = unit0 + u < hidden && k < terms ? B(part, k, unit0 + u) : 0;
    }
    ORR_BARRIER;
    for (int x = me; x < ROWS * UNITS; x += ORR_GROUP)
        for (int part = 0; part < PARTS; part++) {
            TYPE some = 0;
            for (int d = 0; d < DEEP; d++)
                some =
                    orr_mad(mine[x / UNITS * (DEEP + 1) + d], many[(part * DEEP + d) * (UNITS + 1) + x % UNITS], some);
            sum[part * ROWS * UNITS + x] += some;
        }
    ORR_BARRIER;
});

/* From h0 and c0, the previous states, s, the recurrent sums, and x, the weighted inputs: y, c, and the values kept for
 * training. */
static const char *const cell_text[] = {
    [ORR_CELL_RNN] = TEXT(y = orr_bend(x[0] + s[0]);),
    [ORR_CELL_RNN_RELU] = TEXT(y = x[0] + s[0]; y = y <= 0 ? 0 : y;),
    [ORR_CELL_LSTM] = TEXT(for (int g = 0; g < 4; g++) kept[g] = g == 2 ? orr_bend(x[g] + s[g]) : orr_open(x[g] + s[g]);
                           c = kept[1] * c0 + kept[0] * kept[2]; y = kept[3] * orr_bend(c);),
    [ORR_CELL_GRU] =
        TEXT(kept[0] = orr_open(x[0] + s[0]); kept[1] = orr_open(x[1] + s[1]);
             kept[2] = orr_bend(x[2] + kept[0] * s[2]); kept[3] = s[2]; y = kept[2] + kept[1] * (h0 - kept[2]);),
};

/* From y, the cotangent of h, and c, that of the state c: d, the cotangents of the sums; and y and c as passed to the
 * step before, without the product. */
static const char *const back_text[] = {
    [ORR_CELL_RNN] = TEXT(d[0] = y * ((1 - h) * (1 + h)); y = 0;),
    [ORR_CELL_RNN_RELU] = TEXT(d[0] = h > 0 ? y : 0; y = 0;),
    [ORR_CELL_LSTM] =
        TEXT(const TYPE by = orr_bend(now); c += y * g[3] * ((1 - by) * (1 + by)); d[0] = c * g[2] * g[0] * (1 - g[0]);
             d[1] = c * before * g[1] * (1 - g[1]); d[2] = c * g[0] * ((1 - g[2]) * (1 + g[2]));
             d[3] = y * by * g[3] * (1 - g[3]); c *= g[1]; y = 0;),
    [ORR_CELL_GRU] =
        TEXT(d[3] = y * (1 - g[1]) * ((1 - g[2]) * (1 + g[2])); d[2] = d[3] * g[0];
             d[1] = y * (before - g[2]) * g[1] * (1 - g[1]); d[0] = d[3] * g[3] * g[0] * (1 - g[0]); y *= g[1];),
};

/* For each cell of the tile: row r of the launch, sequence b, unit k, and `line`, the offset of its first plane. */
static const char cells_text[] = TEXT(for (int place = me; place < ROWS * UNITS; place += ORR_GROUP) {
    const orr_idx r = row0 + place / UNITS;
    const orr_idx k = unit0 + place % UNITS;
    const orr_idx b = first + r;
    const orr_idx line = b * planes * hidden + k;
    if (r >= rows || k >= hidden)
        continue;);

    static void text_forward(orr__text * t, const orr__region *r, const orr__layout *l, int in_at)
    {
        orr__recur f = recur_of(&r->call);
        orr__text_addf(t, "#define PARTS GATES\n#define TURNED 0\n");
        begin(t, r, l, in_at, &f);
        orr__text_add(t, "#define BEFORE(b, k) (step > 0 ? OUT(((b) * planes + TIME(step - 1)) * hidden + (k)) : "
                         "H((b) * hidden + (k)))\n"
                         "#define A(row, k) BEFORE(first + (row), k)\n"
                         "#define B(gate, k, u) WEIGHT(((k) * GATES + (gate)) * hidden + (u))\n"
                         "    const orr_idx terms = hidden;\n");
        orr__text_add(t, product_text);
        orr__text_add(t, cells_text);
        orr__text_add(t, TEXT(const TYPE h0 = BEFORE(b, k); TYPE y = h0; TYPE x[GATES]; TYPE s[GATES]; TYPE kept[4];
                              for (int g = 0; g < GATES; g++) {
                                  x[g] = X(((b * steps + t) * GATES + g) * hidden + k);
                                  s[g] = sum[g * ROWS * UNITS + place];
                              } for (int g = 0; g < 4; g++) kept[g] = 0;
                              (void)kept;));
        if (f.bias >= 0)
            orr__text_add(t, TEXT(for (int g = 0; g < GATES; g++) s[g] += BIAS(g * hidden + k);));
        if (f.c >= 0)
            orr__text_addf(t,
                           "    const TYPE c0 = step > 0 ? OUT(line + (steps + %s) * hidden) : C(b * hidden + k);\n"
                           "    TYPE c = c0;\n",
                           f.keeps ? "TIME(step - 1)" : "0");
        orr__text_addf(t, "    if (WITHIN) {\n%s    }\n    OUT(line + t * hidden) = y;\n", cell_text[f.cell]);
        if (f.c >= 0)
            orr__text_addf(t, "    OUT(line + (steps + %s) * hidden) = c;\n", f.keeps ? "t" : "0");
        if (f.keeps)
            orr__text_add(t, TEXT(for (int g = 0; g < KEPT; g++) OUT(line + (steps * STATES + KEPT * t + g) * hidden) =
                                      kept[g];));
        orr__text_add(t, "    }\n");
    }

    static void text_grad(orr__text * t, const orr__region *r, const orr__layout *l, int in_at)
    {
        orr__recur f = recur_of(&r->call);
        orr__text_addf(t, "#define PARTS 1\n#define TURNED 1\n");
        begin(t, r, l, in_at, &f);
        /* D: the cotangents of sequence r's sums at step s. */
        if (f.first)
            orr__text_add(
                t, "#define D(s, r, at) scratch[(STATES * (orr_i64)rows + ((s) & 1) * BACK * (orr_i64)rows + (r) * "
                   "BACK) * hidden + (at)]\n");
        else
            orr__text_add(t, "#define D(s, r, at) OUT(((first + (r)) * steps + TIME(s)) * BACK * hidden + (at))\n");
        orr__text_add(t, "#define CARRY(state) scratch[((state) * (orr_i64)rows + r) * hidden + k]\n"
                         "#define A(row, k) D(step + 1, row, k)\n"
                         "#define B(part, k, u) WEIGHT((u) * GATES * hidden + (k))\n"
                         "    const int last = step == steps - 1;\n"
                         "    const orr_idx terms = last ? 0 : GATES * hidden;\n");
        orr__text_add(t, product_text);
        orr__text_add(t, cells_text);
        orr__text_add(
            t, TEXT(TYPE y = last ? 0 : sum[place] + CARRY(0); TYPE d[4]; for (int g = 0; g < 4; g++) d[g] = 0;));
        if (f.c >= 0)
            orr__text_add(t, TEXT(TYPE c = last ? GC(b * hidden + k) : CARRY(1);));
        if (f.first) {
            orr__text_add(t, "    if (step < 0) {\n        OUT(b * STATES * hidden + k) = y;\n");
            if (f.c >= 0)
                orr__text_add(t, "        OUT((b * STATES + 1) * hidden + k) = c;\n");
            orr__text_add(t, "        continue;\n    }\n");
        }
        orr__text_add(
            t, TEXT(y += G((b * steps + t) * hidden + k); if (WITHIN) {));
                if (f.kept)
                    orr__text_add(t, TEXT(TYPE g[KEPT]; for (int q = 0; q < KEPT; q++) g[q] =
                                                            X(line + (steps * STATES + KEPT * t + q) * hidden);));
                else
                    orr__text_add(t, TEXT(const TYPE h = X(line + t * hidden);));
                if (f.c >= 0)
                    orr__text_add(t, TEXT(const TYPE now = X(line + (steps + t) * hidden);
                                          const TYPE before = step > 0 ? X(line + (steps + TIME(step - 1)) * hidden)
                                                                       : C(b * hidden + k);));
                else if (f.kept)
                    orr__text_add(
                        t, TEXT(const TYPE before = step > 0 ? X(line + TIME(step - 1) * hidden) : H(b * hidden + k);));
                orr__text_add(t, back_text[f.cell]);
    orr__text_add(t, TEXT(
            } for (int g = 0; g < BACK; g++) D(step, r, g * hidden + k) = d[g];
                    CARRY(0) = y;));
        if (f.c >= 0)
            orr__text_add(t, "    CARRY(1) = c;\n");
        orr__text_add(t, "    }\n");
    }

    const orr__emit_call orr__emit_kernel_recurrence = { .can = can,
                                                         .words = words,
                                                         .fill = fill,
                                                         .text = text_forward,
                                                         .blocks = blocks,
                                                         .functions = functions,
                                                         .next = next };
    const orr__emit_call orr__emit_kernel_recurrence_grad = { .can = can,
                                                              .words = words,
                                                              .fill = fill,
                                                              .text = text_grad,
                                                              .blocks = blocks,
                                                              .functions = functions,
                                                              .scratch = scratch,
                                                              .next = next };
