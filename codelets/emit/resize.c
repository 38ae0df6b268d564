/* The kernels of resizing along an axis, forward and backward: one work item per element of the result. Positions are
 * integers, and their fraction is rounded once, so that f32 is precise enough.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/resize.h"

/* Lengths of the axis before and after, elements behind it. */
static const char *const names[] = { "elements", "results", "inner", "orr_i64 inner_by", "mode", "corners", NULL };
enum { FROM = ORR__CALL_OWN, TO, INNER, INNER_BY, MODE, CORNERS };

static void fill(int64_t *word, const orr__resize *v)
{
    word[FROM] = v->from;
    word[TO] = v->to;
    orr__emit_divide(word + INNER, v->inner);
    word[MODE] = v->mode;
    word[CORNERS] = v->corners;
}

static void fill_to(const orr__launch *l, int64_t *word)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    fill(word, &v);
}

static void fill_from(const orr__launch *l, int64_t *word)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.out, &l->region->call.in[0]);
    fill(word, &v);
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    (void)r, (void)l;
    orr__text_define(t, undo, "NEAREST", "%d", ORR_RESIZE_NEAREST);
    orr__text_define(t, undo, "NEAREST_CENTRE", "%d", ORR_RESIZE_NEAREST_CENTRE);
    orr__text_define(t, undo, "LINEAR", "%d", ORR_RESIZE_LINEAR);
    orr__text_define(t, undo, "CUBIC", "%d", ORR_RESIZE_CUBIC);
    orr__text_define(t, undo, "AREA", "%d", ORR_RESIZE_AREA);
}

static const char text[] =
#include "codelets/emit/kernels/resize.ctext"
    ;
const orr__emit_call orr__emit_kernel_resize = {
    .names = names, .fill = fill_to, .body = text, .parameters = parameters
};
const orr__emit_call orr__emit_kernel_resize_back = {
    .names = names, .fill = fill_from, .body = text, .which = "BACK", .parameters = parameters
};
