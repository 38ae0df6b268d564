/* The kernel of scatter_add: one work item per line along the axis, so that the order of additions is fixed.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"

/* The axis as (outer, length, inner), the number of indices, and the destinations of this launch. */
static const char *const names[] = { "length", "inner", "orr_i64 inner_by", "count", "lo", "hi", NULL };
enum { LENGTH = ORR__CALL_OWN, INNER, INNER_BY, COUNT, LO, HI };

static bool can(const orr__region *r)
{
    return r->out_dtype[0] != ORR_BOOL && r->nin == 3;
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
    word[COUNT] = orr__shape_count(&r->call.in[1]);
    bool first = r->call.attr.axis == 0; /* axis 0: a launch is a range of destinations; else of lines */
    int64_t lines = inner;
    for (int d = 1; d < r->call.attr.axis; d++)
        lines *= s->dim[d];
    word[LO] = first ? l->lo : 0;
    word[HI] = first ? l->hi : s->dim[r->call.attr.axis];
    word[0] = first ? lines : (l->hi - l->lo) * lines;
    word[ORR__CALL_FIRST] = first ? 0 : l->lo * lines;
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    const char *s = orr__emit_suffix(type), *stored = orr__emit_storage(type);
    (void)l;
    if (r->in_dtype[1] == ORR_U64)
        orr__text_define(t, undo, "UNSIGNED_64", "1");
    if (orr__is_half(type))
        orr__text_define(t, undo, "ADD(x, y)", "orr_f32_to_%s(orr_%s_to_f32(x) + orr_%s_to_f32(y))", s, s, s);
    else if (orr__is_signed(type)) /* wraps */
        orr__text_define(t, undo, "ADD(x, y)", "((%s)((orr_u64)(x) + (orr_u64)(y)))", stored);
    else
        orr__text_define(t, undo, "ADD(x, y)", "((%s)((x) + (y)))", stored);
}

static const char text[] =
#include "codelets/emit/kernels/scatter_add.ctext"
    ;
const orr__emit_call orr__emit_kernel_scatter_add = {
    .flags = 1, .can = can, .names = names, .fill = fill, .body = text, .parameters = parameters
};
