/* An item's loop over elements becomes one over spans: all loads of a span come before its arithmetic, and move 16 bytes at a time where the
 * span is contiguous in memory.
 * Must not know: devices, the meaning of instructions. */
#include "config.h"

#include "codelets/emit/span.h"
#include "codelets/nest/internal.h"

/* The place of the span's element u. Elements beyond the end are the last one again. */
static void point(const orr__cloop *c, const orr__elements *e, bool first)
{
    if (first)
        orr__nest_set(c->n, "const orr_idx %s = head", e->index);
    else
        orr__nest_set(c->n, "const orr_idx at = head + u * gap, %s = at < %s ? at : %s - 1", e->index, e->end, e->end);
    orr__cloop_axes(c, e->axes, e->index);
}

static void each(const orr__cloop *c, const char *from)
{
    (void)orr__nest_loop(c->n, ORR__LOOP_INT | ORR__LOOP_UNROLLED, "u", from, "ORR_SPAN", NULL);
}

static const char *element(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a;
    bool box = c->r->access[a].box != 0;
    return orr__nest_say(c->n, "%s%s%s[%s]%s", box ? orr__cloop_inside(c, a) : "", box ? " ? " : "",
                         orr__cloop_array(c, a), orr__cloop_index(c, a, false), box ? " : 0" : "");
}

typedef enum { TOGETHER, ONCE, EACH } way;

/* A whole span moves at once, a value that is the same for the span is read once. */
static way way_of(const orr__cloop *c, int n)
{
    int a = c->r->instr[n].a;
    return orr__emit_span_runs(c->r, &c->lay, a)                                       ? TOGETHER
           : !c->r->access[a].box && orr__emit_span_move(&c->lay, a) == ORR__MOVE_NONE ? ONCE
                                                                                       : EACH;
}

static bool loads(const orr__cloop *c, const orr__part *body, int n)
{
    return c->r->instr[n].kind == ORR__RI_LOAD && orr__nest_has(body, ORR__PART_LOAD, n);
}

static const char *type_of(const orr__cloop *c, orr_dtype t)
{
    return orr__nest_say(c->n, "orr_span_%s", orr__emit_suffix(t));
}

static const char *type_of_load(const orr__cloop *c, int n)
{
    return type_of(c, (orr_dtype)c->r->in_dtype[c->r->access[c->r->instr[n].a].input]);
}

static void elements(const orr__cloop *c, const orr__elements *e, const orr__part *body, bool whole)
{
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++) {
        if (!loads(c, body, n) || (whole && way_of(c, n) != EACH))
            continue;
        if (!any) {
            each(c, "0");
            point(c, e, false);
        }
        any = true;
        orr__nest_copy(c->n, "ld%d.v[u] = %s", n, element(c, n));
    }
    orr__nest_close(c->n, any);
}

static void together(const orr__cloop *c, int n)
{
    if (way_of(c, n) == TOGETHER) {
        orr__nest_copy(c->n, "ld%d = *(const %s *)(in%d + (%s))", n, type_of_load(c, n),
                       c->r->access[c->r->instr[n].a].input, orr__cloop_index(c, c->r->instr[n].a, false));
    } else if (way_of(c, n) == ONCE) {
        orr__nest_copy(c->n, "ld%d.v[0] = %s", n, element(c, n));
        each(c, "1");
        orr__nest_copy(c->n, "ld%d.v[u] = ld%d.v[0]", n, n);
        orr__nest_close(c->n, 1);
    }
}

static void load_span(const orr__cloop *c, const orr__elements *e, const orr__part *body)
{
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        if (loads(c, body, n)) {
            orr__nest_array(c->n, 0, type_of_load(c, n), orr__cloop_name(c, "ld", n), NULL);
            any = true;
        }
    if (!any)
        return;
    (void)orr__nest_if(c->n, "whole");
    point(c, e, true);
    for (int n = 0; n < c->r->ninstr; n++)
        if (loads(c, body, n))
            together(c, n);
    elements(c, e, body, true);
    orr__nest_else(c->n);
    elements(c, e, body, false);
    orr__nest_close(c->n, 1);
}

static void store_span(const orr__cloop *c, const orr__elements *e)
{
    const orr__region *r = c->r;
    (void)orr__nest_if(c->n, "whole");
    for (int k = 0; k < r->nout; k++)
        orr__nest_copy(c->n, "*(%s *)(out%d + ((orr_idx)W(%d) + %shead)) = st%d",
                       type_of(c, (orr_dtype)r->out_dtype[k]), k, c->lay.out_at + k, e->base, k);
    orr__nest_else(c->n);
    each(c, "0");
    orr__nest_set(c->n, "const orr_idx at = head + u * gap");
    (void)orr__nest_if(c->n, "at < %s", e->end);
    for (int k = 0; k < r->nout; k++)
        orr__nest_copy(c->n, "out%d[(orr_idx)W(%d) + %sat] = st%d.v[u]", k, c->lay.out_at + k, e->base, k);
    orr__nest_close(c->n, 3);
}

/* Loads are from the span, and stores to it. */
static bool hold(orr__part *part, void *arg)
{
    const orr__cloop *c = arg;
    bool load = part->kind == ORR__PART_LET && c->r->instr[part->n].kind == ORR__RI_LOAD;
    if (!load && part->kind != ORR__PART_STORE)
        return true;
    if (load)
        part->how = ORR__LOAD_STORED;
    part->kind = load ? ORR__PART_LOAD : ORR__PART_STORE;
    part->name = orr__nest_say(c->n, load ? "ld%d.v" : "st%d.v", part->n);
    part->at = "u";
    return true;
}

void orr__cloop_span(const orr__cloop *c, const orr__elements *e, orr__part **mark)
{
    orr__cloop in = *c;
    if (c->lay.span <= 1)
        return;
    orr__part *body = orr__nest_take(c->n, mark);
    orr__nest_each(&body, hold, &in);
    bool stores = orr__nest_has(body, ORR__PART_STORE, 0);
    load_span(c, e, body);
    for (int k = 0; k < c->r->nout && stores; k++)
        orr__nest_array(c->n, 0, type_of(c, (orr_dtype)c->r->out_dtype[k]), orr__cloop_name(c, "st", k), NULL);
    each(c, "0");
    point(c, e, false);
    orr__nest_put(c->n, body);
    orr__nest_close(c->n, 1);
    if (stores)
        store_span(c, e);
}
