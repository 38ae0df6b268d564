/* Nests of the kernels of devices. Loops are bound to work items; the items of a group fold together, each its share of the elements.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "runtime/base/minmax.h"

/* -- points ------------------------------------------------------------------------------------------------------ */

void orr__cloop_axes(const orr__cloop *c, uint32_t axes, const char *from)
{
    for (int d = c->r->rank - 1; d >= 0; d--) {
        if (!(axes >> d & 1u))
            continue;
        if (!(axes & ((1u << d) - 1))) { /* the outermost: the remaining quotient */
            orr__nest_set(c->n, "const orr_idx i%d = %s", d, from);
            continue;
        }
        orr__nest_set(c->n, "const orr_idx rest%d = orr_quotient(%s, (orr_idx)W(%d), W(%d))", d, from, 2 + d,
                      2 + c->r->rank + d);
        orr__nest_set(c->n, "const orr_idx i%d = %s - rest%d * (orr_idx)W(%d)", d, from, d, 2 + d);
        from = orr__cloop_name(c, "rest", d);
    }
}

/* The loop over all points, or over all groups, of which each item or group has one. */
static void bind(const orr__cloop *c, const char *index, const char *head)
{
    orr__nest_loop(c->n, ORR__LOOP_BOUND, index, NULL, "W(0)", NULL)->at = head;
}

/* Spans that are not whole have their elements at a distance, so that neighbouring items read neighbours. */
static void bind_spans(const orr__cloop *c)
{
    bind(c, "head", c->device->seat);
    orr__nest_set(c->n, "const int size = %s, whole = (int)W(%d), gap = whole ? 1 : size", c->device->size,
                  c->lay.span_at);
    orr__nest_set(c->n, "const orr_idx count = (orr_idx)W(0), head = block * (size * ORR_SPAN) + "
                        "(whole ? me * ORR_SPAN : me)");
    (void)orr__nest_if(c->n, "head >= count");
    orr__nest_set(c->n, "return");
    orr__nest_close(c->n, 1);
}

static void bind_groups(const orr__cloop *c)
{
    orr__text head = { 0 };
    orr__emit_group_begin(&head, c->device, &c->lay);
    bind(c, "line", orr__cloop_said(c, &head));
}

/* -- elements of an item -------------------------------------------------------------------------------------------- */

/* Opens the loop of an item over its elements; returns the mark from which on they are one element. */
static orr__part **begin_elements(const orr__cloop *c, const orr__elements *e)
{
    if (c->lay.span > 1) {
        (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "head", e->head, e->end, "(orr_idx)(lanes * ORR_SPAN)");
    } else {
        (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, e->index, e->first, e->end, "(orr_idx)lanes");
        orr__cloop_axes(c, e->axes, e->index);
    }
    return c->n->end;
}

static void end_elements(const orr__cloop *c, const orr__elements *e, orr__part **mark)
{
    orr__cloop_span(c, e, mark);
    orr__nest_close(c->n, 1);
}

static void every_value(const orr__cloop *c)
{
    for (int i = 0; i < c->r->ninstr; i++)
        orr__cloop_value(c, i);
}

static void map(const orr__cloop *c)
{
    const orr__elements e = { .index = "i", .end = "count", .base = "", .axes = c->lay.linear ? 0 : ~0u };
    if (c->lay.span > 1)
        bind_spans(c);
    else
        bind(c, "i", c->device->begin);
    orr__part **mark = c->n->end;
    if (c->lay.span <= 1)
        orr__cloop_axes(c, e.axes, e.index);
    every_value(c);
    orr__cloop_outputs(c);
    end_elements(c, &e, mark);
}

/* -- folds of a group ---------------------------------------------------------------------------------------------- */

static void step(const orr__cloop *c, int number)
{
    const orr__region *r = c->r;
    if (c->lay.span > 1)
        (void)orr__nest_if(c->n, "at < end");
    orr__cloop_fold(c, ORR__FOLD_STEP, number)->to = !r->search      ? NULL
                                                     : r->rmask & 1u ? "(orr_i64)q + W(1)"
                                                                     : "(orr_i64)q";
    orr__nest_close(c->n, c->lay.span > 1);
}

static void join_part(const orr__cloop *c, int number)
{
    orr__cloop_fold(c, ORR__FOLD_JOIN, number)->from = orr__nest_say(c->n, "scratch[line * count + q].a%d", number);
}

/* The parts of an element that several groups folded. */
static void second_stage(const orr__cloop *c)
{
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "q", "(orr_idx)lane", "end", "(orr_idx)lanes");
    orr__cloop_each_fold(c, 0, join_part);
    orr__nest_close(c->n, 1);
}

static void end_fold(const orr__cloop *c, int number)
{
    orr__region fold = orr__emit_fold_of(c->r, number);
    orr__nest *n = c->n;
    (void)orr__cloop_fold(c, ORR__FOLD_END, number);
    (void)orr__nest_if(n, "live && lane == 0 && stage == 1");
    orr__nest_copy(n, "scratch[(line << parts) + part].a%d = acc%d", number, number);
    orr__nest_else(n);
    (void)orr__nest_if(n, "live && lane == 0");
    orr__cloop_output_value(c, number - c->r->ninstr, fold.search ? ORR_I64 : orr__emit_fold_dtype(&fold, c->fp64),
                            orr__cloop_name(c, "fold", number));
    orr__nest_close(n, 2);
}

static void declare_share(const orr__cloop *c)
{
    bool spans = c->lay.span > 1;
    int at = c->lay.group_at;
    orr__nest_set(c->n, "const orr_idx count = (orr_idx)W(%d), stage = (orr_idx)W(%d)", at + ORR__GROUP_COUNT,
                  at + ORR__GROUP_STAGE);
    orr__nest_set(c->n, "const orr_idx some = ((count + (((orr_idx)1 << parts) - 1)) >> parts%s, first = part * some",
                  spans ? ") + (ORR_SPAN - 1) & ~(orr_idx)(ORR_SPAN - 1)" : ")");
    orr__nest_set(c->n, "const orr_idx end = !live ? 0 : stage == 2 || count - first < some ? count : first + some");
    orr__nest_set(c->n, "const orr_idx i = line");
    if (spans)
        orr__nest_set(c->n, "const int whole = (int)W(%d), gap = across ? lanes : 1", c->lay.span_at);
}

/* Spans of one element are contiguous, those of neighbouring elements go from lane to lane. */
static void reduce(const orr__cloop *c)
{
    const orr__elements e = { .index = "q",
                              .first = "first + (orr_idx)lane",
                              .head = "first + (orr_idx)(across ? lane : lane * ORR_SPAN)",
                              .end = "end",
                              .axes = c->r->rmask };
    bind_groups(c);
    orr__cloop_axes(c, ~c->r->rmask, "line");
    orr__cloop_folds(c, 0, ORR__FOLD_BEGIN);
    declare_share(c);
    (void)orr__nest_if(c->n, "stage == 2");
    second_stage(c);
    orr__nest_else(c->n);
    orr__part **mark = begin_elements(c, &e);
    every_value(c);
    orr__cloop_each_fold(c, 0, step);
    end_elements(c, &e, mark);
    orr__nest_close(c->n, 1);
    orr__cloop_each_fold(c, 0, end_fold);
    orr__nest_close(c->n, 1);
}

/* -- rows: a pass for each level of dependent folds, then the outputs --------------------------------------------------- */

static void pass(orr__rowplan *w, const orr__elements *e, int number)
{
    const orr__cloop *c = w->c;
    orr__cloop_folds(c, number, ORR__FOLD_BEGIN);
    orr__part **mark = begin_elements(c, e);
    orr__rowplan_values(w, number, NULL);
    orr__cloop_each_fold(c, number, step);
    end_elements(c, e, mark);
    orr__cloop_folds(c, number, ORR__FOLD_VALUE);
    orr__cloop_passes(c, c->r->rank - 2, number + 1, number + 1);
}

static void last_pass(orr__rowplan *w, const orr__elements *e)
{
    const orr__cloop *c = w->c;
    if (c->r->loops == ORR__LOOPS_PER_ROW) {
        (void)orr__nest_if(c->n, "live && lane == 0");
        orr__nest_set(c->n, "const orr_idx i = line");
        orr__cloop_outputs(c);
        orr__nest_close(c->n, 1);
        return;
    }
    orr__part **mark = begin_elements(c, e);
    orr__rowplan_values(w, w->passes, NULL);
    if (c->lay.span <= 1)
        orr__nest_set(c->n, "const orr_idx i = %s%s", e->base, e->index);
    orr__cloop_outputs(c);
    end_elements(c, e, mark);
}

static void passes(orr__rowplan *w)
{
    const orr__cloop *c = w->c;
    int last = c->r->rank - 1;
    const orr__elements e = { .index = orr__cloop_name(c, "i", last),
                              .first = "(orr_idx)lane",
                              .head = "(orr_idx)(lane * ORR_SPAN)",
                              .end = "end",
                              .base = orr__nest_say(c->n, "line * (orr_idx)W(%d) + ", 2 + last) };
    bind_groups(c);
    if (c->lay.span > 1)
        orr__nest_set(c->n, "const int whole = (int)W(%d), gap = 1", c->lay.span_at);
    orr__nest_set(c->n, "const orr_idx end = live ? (orr_idx)W(%d) : 0", 2 + last);
    orr__cloop_axes(c, (1u << last) - 1, "line");
    orr__cloop_passes(c, last - 1, 0, 0);
    for (int p = 0; p < w->passes; p++)
        pass(w, &e, p);
    last_pass(w, &e);
    orr__nest_close(c->n, 1);
}

/* One group has all axes before the last. No value is kept. */
static void rows(const orr__cloop *c)
{
    for (int n = 0; n < c->r->ninstr; n++)
        c->at[n] = (int16_t)ORR__MAX(c->at[n], c->r->rank - 2);
    orr__rowplan_nest((orr__rowplan){ .c = c, .length = 1 }, passes);
}

bool orr__emit_loops(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    orr__nest nest;
    orr__cloop c = { .n = &nest, .r = r, .lay = *l, .side = -1, .block = -1, .device = d, .fp64 = fp64 };
    orr__nest_begin(&nest, t);
    for (int p = 0; p < r->rank; p++)
        c.order[p] = p;
    bool sound = orr__cloop_place(&c) == ORR_OK;
    if (sound) {
        (orr__region_rows(r) ? rows : l->group ? reduce : map)(&c);
        sound = t->failed || orr__cloop_is_sound(&c);
    }
    if (sound)
        orr__cloop_write(&c, t);
    c.lay = (orr__layout){ 0 }; /* the caller's */
    orr__cloop_end(&c);
    orr__nest_free(&nest);
    return sound;
}
