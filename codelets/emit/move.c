/* Kernels of take, scatter_add, concat and pad: elements moved as they are stored, one work item each; scatter_add one
 * for each line along its axis, so that additions have one order.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include "codelets/emit/emit.h"

/* Words: 0 work items, 1 the first element of the launch in the output, then each kind's own, sizes with what divides by
 * them; where the inputs and outputs start stands last. */
enum { FIRST = 1, OWN = 2 };
enum {
    LENGTH = OWN,
    INNER,
    INNER_BY,
    COUNT,
    COUNT_BY,
    INDEX_WORDS
};                                 /* take, scatter_add: the axis (outer, length, inner) */
enum { ROW = OWN, ROW_BY, SPANS }; /* concat: then the span of each input          */
enum { FILL = OWN, AXES };         /* pad: the value; then, of each axis:          */
enum { AXIS_SIZE, AXIS_BY, AXIS_START, AXIS_INNER, AXIS_WORDS };

enum { MOST_INPUTS = 96 }; /* pointers that fit beside a struct of words, or a pointer to it */

bool orr__emit_is_whole(const orr__region *r)
{
    return r->kind == ORR__G_TAKE || r->kind == ORR__G_SCATTER_ADD || r->kind == ORR__G_CONCAT || r->kind == ORR__G_PAD;
}

bool orr__emit_whole_can(const orr__region *r, bool fp64)
{
    if (r->nin < 1 || r->nin > MOST_INPUTS || r->nout != 1 || !r->in_shape || r->shape.rank > ORR_MAX_RANK)
        return false;
    /* What is only moved needs no arithmetic, but the type must be there. */
    if (r->out_dtype[0] >= ORR_DTYPE_COUNT || (r->out_dtype[0] == ORR_F64 && !fp64))
        return false;
    if (r->kind == ORR__G_SCATTER_ADD)
        return r->out_dtype[0] != ORR_BOOL && r->nin == 3;
    return r->kind != ORR__G_TAKE || r->nin == 2;
}

static int in_at(const orr__region *r)
{
    switch (r->kind) {
    case ORR__G_CONCAT: return SPANS + r->nin;
    case ORR__G_PAD: return AXES + AXIS_WORDS * r->shape.rank;
    default: return INDEX_WORDS;
    }
}

void orr__emit_whole_layout(const orr__region *r, orr__layout *l)
{
    l->out_at = in_at(r) + r->nin;
    l->scalar_at = l->nword = l->out_at + 1;
}

/* -- text --------------------------------------------------------------------------------------------------------- */

static void quotient(orr__text *t, const char *q, const char *n, int size)
{
    orr__text_addf(t, "    const orr_idx %s = orr_quotient(%s, (orr_idx)W(%d), W(%d));\n", q, n, size, size + 1);
}

/* `index` := what stands at number j of input 1, `ok` := is it one? Else its number goes to the flag. */
static void index_of(orr__text *t, const orr__region *r)
{
    orr_dtype type = (orr_dtype)r->in_dtype[1];
    orr__text_addf(t, "    const %s raw = in1[(orr_idx)W(%d) + j];\n", orr__emit_storage(type), in_at(r) + 1);
    orr__text_add(t, type == ORR_U64 ? "    orr_i64 index = raw >> 63 ? -1 - (orr_i64)(raw >> 1) : (orr_i64)raw;\n"
                                     : "    orr_i64 index = (orr_i64)raw;\n");
    orr__text_addf(t, "    const int ok = index >= -W(%d) && index < W(%d)%s;\n", LENGTH, LENGTH,
                   type == ORR_U64 ? " && raw >> 63 == 0" : "");
    orr__text_add(t, "    if (!ok) {\n");
    orr__emit_wrong(t, 0, "j", type == ORR_U64 ? "(raw >> 63 ? (orr_i64)(~(orr_u64)0 >> 1) : index)" : "index");
    orr__text_add(t, "    }\n");
    orr__text_addf(t, "    if (index < 0)\n        index += W(%d);\n", LENGTH);
}

static void take(orr__text *t, const orr__region *r, const orr__layout *l)
{
    quotient(t, "whole", "e", INNER);
    quotient(t, "outer", "whole", COUNT);
    orr__text_addf(t, "    const orr_idx at = e - whole * (orr_idx)W(%d), j = whole - outer * (orr_idx)W(%d);\n", INNER,
                   COUNT);
    index_of(t, r);
    orr__text_addf(t,
                   "    if (ok)\n        out0[(orr_idx)W(%d) + e] = in0[(orr_idx)W(%d) + "
                   "(outer * (orr_idx)W(%d) + (orr_idx)index) * (orr_idx)W(%d) + at];\n",
                   l->out_at, in_at(r), LENGTH, INNER);
}

/* One line along the axis: copied, then added to in the order of the indices. */
static void scatter_add(orr__text *t, const orr__region *r, const orr__layout *l)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    const char *s = orr__emit_suffix(type);
    bool half = orr__is_half(type), wraps = orr__is_signed(type);
    quotient(t, "outer", "e", INNER);
    orr__text_addf(t, "    const orr_idx at = e - outer * (orr_idx)W(%d);\n", INNER);
    orr__text_addf(t, "    for (orr_idx k = 0; k < (orr_idx)W(%d); k++) {\n", LENGTH);
    orr__text_addf(t, "        const orr_idx to = (outer * (orr_idx)W(%d) + k) * (orr_idx)W(%d) + at;\n", LENGTH,
                   INNER);
    orr__text_addf(t, "        out0[(orr_idx)W(%d) + to] = in0[(orr_idx)W(%d) + to];\n    }\n", l->out_at, in_at(r));
    orr__text_addf(t, "    for (orr_idx j = 0; j < (orr_idx)W(%d); j++) {\n", COUNT);
    index_of(t, r);
    orr__text_addf(
        t,
        "    if (ok) {\n        const orr_idx to = (orr_idx)W(%d) + (outer * (orr_idx)W(%d) + (orr_idx)index) "
        "* (orr_idx)W(%d) + at;\n",
        l->out_at, LENGTH, INNER);
    orr__text_addf(
        t, "        const orr_idx from = (orr_idx)W(%d) + (outer * (orr_idx)W(%d) + j) * (orr_idx)W(%d) + at;\n",
        in_at(r) + 2, COUNT, INNER);
    if (half)
        orr__text_addf(t, "        out0[to] = orr_f32_to_%s(orr_%s_to_f32(out0[to]) + orr_%s_to_f32(in2[from]));\n", s,
                       s, s);
    else if (wraps)
        orr__text_addf(t, "        out0[to] = (%s)((orr_u64)out0[to] + (orr_u64)in2[from]);\n",
                       orr__emit_storage(type));
    else
        orr__text_addf(t, "        out0[to] = (%s)(out0[to] + in2[from]);\n", orr__emit_storage(type));
    orr__text_add(t, "    }\n    }\n");
}

static void concat(orr__text *t, const orr__region *r, const orr__layout *l)
{
    quotient(t, "outer", "e", ROW);
    orr__text_addf(t, "    orr_idx at = e - outer * (orr_idx)W(%d);\n", ROW);
    for (int k = 0; k < r->nin; k++) {
        orr__text_addf(t, "    if (at >= 0 && at < (orr_idx)W(%d))\n", SPANS + k);
        orr__text_addf(t, "        out0[(orr_idx)W(%d) + e] = in%d[(orr_idx)W(%d) + outer * (orr_idx)W(%d) + at];\n",
                       l->out_at, k, in_at(r) + k, SPANS + k);
        orr__text_addf(t, "    at -= (orr_idx)W(%d);\n", SPANS + k);
    }
}

static void pad(orr__text *t, const orr__region *r, const orr__layout *l)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    const char *rest = "e";
    char name[ORR_MAX_RANK][16];
    orr__text_add(t, "    int inside = 1;\n    orr_idx from = 0, below = 1;\n");
    for (int d = r->shape.rank - 1; d >= 0; d--) {
        int at = AXES + AXIS_WORDS * d;
        (void)snprintf(name[d], sizeof name[d], "rest%d", d);
        quotient(t, name[d], rest, at + AXIS_SIZE);
        orr__text_addf(t, "    const orr_idx i%d = %s - rest%d * (orr_idx)W(%d) - (orr_idx)W(%d);\n", d, rest, d,
                       at + AXIS_SIZE, at + AXIS_START);
        orr__text_addf(t, "    inside = inside && i%d >= 0 && i%d < (orr_idx)W(%d);\n", d, d, at + AXIS_INNER);
        orr__text_addf(t, "    from += i%d * below;\n    below *= (orr_idx)W(%d);\n", d, at + AXIS_INNER);
        rest = name[d];
    }
    orr__text_addf(t, "    if (inside)\n        out0[(orr_idx)W(%d) + e] = in0[(orr_idx)W(%d) + from];\n    else\n    ",
                   l->out_at, in_at(r));
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = ", l->out_at);
    if (orr__is_half(type))
        orr__text_addf(t, "(orr_u16)W(%d)", FILL);
    else
        orr__emit_word(t, type, FILL, true);
    orr__text_add(t, ";\n");
}

void orr__emit_whole(orr__text *t, const orr__region *r, const orr__layout *l)
{
    orr__text_addf(t, "    const orr_idx e = (orr_idx)W(%d) + i;\n", FIRST);
    switch (r->kind) {
    case ORR__G_TAKE: take(t, r, l); break;
    case ORR__G_SCATTER_ADD: scatter_add(t, r, l); break;
    case ORR__G_CONCAT: concat(t, r, l); break;
    default: pad(t, r, l);
    }
}

/* -- words -------------------------------------------------------------------------------------------------------- */

static void divide(int64_t *word, int64_t n)
{
    word[0] = n;
    word[1] = orr__emit_divider(n);
}

static void index_words(const orr__region *r, int64_t *word)
{
    const orr_shape *s = &r->in_shape[0];
    int64_t inner = 1;
    for (int d = r->attr.axis + 1; d < s->rank; d++)
        inner *= s->dim[d];
    word[LENGTH] = s->dim[r->attr.axis];
    divide(word + INNER, inner);
    divide(word + COUNT, orr__shape_count(&r->in_shape[1]));
    if (r->kind != ORR__G_SCATTER_ADD)
        return;
    word[0] = inner; /* scatter_add is launched as a whole: work items are lines */
    for (int d = 0; d < r->attr.axis; d++)
        word[0] *= s->dim[d];
    word[FIRST] = 0;
}

static void concat_words(const orr__region *r, int64_t *word)
{
    int64_t inner = 1;
    for (int d = r->attr.axis + 1; d < r->shape.rank; d++)
        inner *= r->shape.dim[d];
    divide(word + ROW, r->shape.dim[r->attr.axis] * inner);
    for (int k = 0; k < r->nin; k++)
        word[SPANS + k] = r->in_shape[k].dim[r->attr.axis] * inner;
}

static void pad_words(const orr__launch *l, int64_t *word)
{
    const orr__region *r = l->region;
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    word[FILL] = 0; /* in the low bytes: hosts and devices are little-endian */
    orr__scalar_store(&word[FILL], type, l->scalar[r->slot]);
    for (int d = 0; d < r->shape.rank; d++) {
        int64_t *w = word + AXES + AXIS_WORDS * d;
        divide(w + AXIS_SIZE, r->shape.dim[d]);
        w[AXIS_START] = r->attr.start[d];
        w[AXIS_INNER] = r->in_shape[0].dim[d];
    }
}

bool orr__emit_whole_words(const orr__launch *l, const orr__layout *lay, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t per = r->dim[0] > 0 ? r->out_count / r->dim[0] : 0, most = r->out_count;
    word[0] = (l->hi - l->lo) * per;
    word[FIRST] = l->lo * per;
    if (r->kind == ORR__G_CONCAT)
        concat_words(r, word);
    else if (r->kind == ORR__G_PAD)
        pad_words(l, word);
    else
        index_words(r, word);
    for (int k = 0; k < r->nin; k++) {
        word[in_at(r) + k] = l->in_off ? -l->in_off[k] : 0;
        most = r->in_count[k] > most ? r->in_count[k] : most;
    }
    word[lay->out_at] = l->out_off ? -l->out_off[0] : 0;
    return most <= INT32_MAX - 65536;
}
