/* The kernel of scatter_add: one work item per line along the axis, so that the order of additions is fixed.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"

/* The axis as (outer, length, inner), the number of indices, and the destinations of this launch. */
enum { LENGTH = ORR__CALL_OWN, INNER, INNER_BY, COUNT, COUNT_BY, LO, HI, END };

static bool can(const orr__region *r)
{
    return r->out_dtype[0] != ORR_BOOL && r->nin == 3;
}

static int words(const orr__region *r)
{
    (void)r;
    return END - ORR__CALL_OWN;
}

static void fill(const orr__launch *l, int64_t *word)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.in[0];
    int64_t inner = 1;
    for (int d = r->call.attr.axis + 1; d < s->rank; d++)
        inner *= s->dim[d];
    word[LENGTH] = s->dim[r->call.attr.axis];
    orr__emit_divide(word + INNER, inner);
    orr__emit_divide(word + COUNT, orr__shape_count(&r->call.in[1]));
    bool first = r->call.attr.axis == 0; /* axis 0: a launch is a range of destinations; else of lines */
    int64_t lines = inner;
    for (int d = 1; d < r->call.attr.axis; d++)
        lines *= s->dim[d];
    word[LO] = first ? l->lo : 0;
    word[HI] = first ? l->hi : s->dim[r->call.attr.axis];
    word[0] = first ? lines : (l->hi - l->lo) * lines;
    word[ORR__CALL_FIRST] = first ? 0 : l->lo * lines;
}

/* `index` := number j of input 1; `ok` := is it in range? If not, its number goes to the flag. */
static void index_of(orr__text *t, const orr__region *r, int in_at)
{
    orr_dtype type = (orr_dtype)r->in_dtype[1];
    orr__text_addf(t, "    const %s raw = in1[(orr_idx)W(%d) + j];\n", orr__emit_storage(type), in_at + 1);
    orr__text_add(t, type == ORR_U64 ? "    orr_i64 index = raw >> 63 ? -1 - (orr_i64)(raw >> 1) : (orr_i64)raw;\n"
                                     : "    orr_i64 index = (orr_i64)raw;\n");
    orr__text_addf(t, "    const int ok = index >= -W(%d) && index < W(%d)%s;\n", LENGTH, LENGTH,
                   type == ORR_U64 ? " && raw >> 63 == 0" : "");
    orr__text_add(t, "    if (!ok) {\n");
    orr__emit_wrong(t, 0, "j", type == ORR_U64 ? "(raw >> 63 ? (orr_i64)(~(orr_u64)0 >> 1) : index)" : "index");
    orr__text_add(t, "    }\n");
    orr__text_addf(t, "    if (index < 0)\n        index += W(%d);\n", LENGTH);
}

/* One line along the axis: a copy, then the additions in the order of the indices. */
static void text(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    const char *s = orr__emit_suffix(type);
    bool half = orr__is_half(type), wraps = orr__is_signed(type);
    orr__emit_quotient(t, "outer", "e", INNER);
    orr__text_addf(t, "    const orr_idx at = e - outer * (orr_idx)W(%d);\n", INNER);
    orr__text_addf(t, "    for (orr_idx k = (orr_idx)W(%d); k < (orr_idx)W(%d); k++) {\n", LO, HI);
    orr__text_addf(t, "        const orr_idx to = (outer * (orr_idx)W(%d) + k) * (orr_idx)W(%d) + at;\n", LENGTH,
                   INNER);
    orr__text_addf(t, "        out0[(orr_idx)W(%d) + to] = in0[(orr_idx)W(%d) + to];\n    }\n", l->out_at, in_at);
    orr__text_addf(t, "    for (orr_idx j = 0; j < (orr_idx)W(%d); j++) {\n", COUNT);
    index_of(t, r, in_at);
    orr__text_addf(t,
                   "    if (ok && index >= W(%d) && index < W(%d)) {\n"
                   "        const orr_idx to = (orr_idx)W(%d) + (outer * (orr_idx)W(%d) + (orr_idx)index) "
                   "* (orr_idx)W(%d) + at;\n",
                   LO, HI, l->out_at, LENGTH, INNER);
    orr__text_addf(
        t, "        const orr_idx from = (orr_idx)W(%d) + (outer * (orr_idx)W(%d) + j) * (orr_idx)W(%d) + at;\n",
        in_at + 2, COUNT, INNER);
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

const orr__emit_call orr__emit_kernel_scatter_add = {
    .flags = 1, .can = can, .words = words, .fill = fill, .text = text
};
