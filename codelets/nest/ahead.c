/* Separate loops before the innermost loop, for work that compilers do not vectorise: contiguous elements of f16 are converted by the
 * processor's instructions, and elements are gathered.
 * Must not know: loops, the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

/* Parts that are changed. `done`: registers in wide<n>_<row>, from element `from` on; places: their elements were gathered. */
typedef struct {
    const orr__cloop *c;
    const char *from;
    bool *done;
} change;

/* Registers are loaded. */
static bool read_wide(orr__part *part, void *arg)
{
    const change *ch = arg;
    const orr__cloop *c = ch->c;
    if (part->kind != ORR__PART_LET || !ch->done[part->n])
        return true;
    part->kind = ORR__PART_LOAD;
    part->how = ORR__LOAD_PLAIN;
    part->name = orr__nest_say(c->n, "wide%d_%d", part->n, part->row);
    part->at = orr__nest_say(c->n, "i%d - %s", c->r->rank - 1, ch->from);
    return c->r->instr[part->n].kind != ORR__RI_PLACE;
}

static void change_nodes(change *ch, orr__part *list)
{
    orr__nest_each(&list, read_wide, ch);
    orr__nest_put(ch->c->n, list);
}

/* -- f16 ------------------------------------------------------------------------------------------------------------ */

static bool widens(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    int last = c->r->rank - 1;
    bool reads = in->kind == ORR__RI_LOAD || (in->kind == ORR__RI_GATHER && c->at[in->x] < last);
    if (!reads || in->dtype != ORR_F16 || c->at[n] != last || orr__ablated(ORR__OFF_HALVES))
        return false;
    const orr__access *a = &c->r->access[in->a];
    return c->r->in_dtype[a->input] == ORR_F16 && c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_UNIT &&
           orr__emit_reading(c->r, &c->lay, &c->around, in->a) == ORR__READ_ALWAYS;
}

/* Declares wide<n>_<row>. With `axis` ≥ 0, it holds row p + row · apart of that axis. */
static void widen(const change *ch, int n, int most, const char *to, int row, int axis, int apart)
{
    const orr__cloop *c = ch->c;
    int last = c->r->rank - 1;
    orr__nest_array(c->n, 0, "orr_f32", orr__nest_say(c->n, "wide%d_%d", n, row), orr__nest_say(c->n, "%d", most));
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = %s", last, ch->from);
    if (axis >= 0)
        orr__nest_set(c->n, "const orr_idx i%d = p + %d", axis, row * apart);
    orr__nest_copy(c->n, "orr_widen(wide%d_%d, %s, %s - i%d)", n, row, orr__cloop_address(c, n), to, last);
    orr__nest_close(c->n, 1);
}

void orr__cloop_widen_rows(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most, int axis,
                           int rows, int apart)
{
    bool *done = calloc((size_t)c->r->ninstr + 1, sizeof *done);
    if (!done) {
        c->n->t->failed = true;
        return;
    }
    change ch = { c, from, done };
    orr__part *list = orr__nest_take(c->n, mark);
    for (int n = 0; n < c->r->ninstr; n++) {
        done[n] = widens(c, n) && (axis < 0 || c->r->instr[n].kind != ORR__RI_GATHER) &&
                  orr__nest_has(list, ORR__PART_LET, n);
        for (int row = 0; row < rows && done[n]; row++)
            widen(&ch, n, most, to, row, axis, apart);
    }
    change_nodes(&ch, list);
    free(done);
}

/* -- gathers -------------------------------------------------------------------------------------------------------- */

static bool gathers(const orr__cloop *c, const orr__part *list, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[in->x] == c->r->rank - 1 && orr__nest_has(list, ORR__PART_LET, n);
}

/* Marks the gathers of the loop and all the registers that they need. Returns false if there are no gathers, or if they
 * need random numbers. */
static bool find_gathers(const orr__cloop *c, const orr__part *list, bool *needed)
{
    const orr__region *r = c->r;
    bool any = false, drawn = false;
    for (int n = r->ninstr - 1; n >= 0; n--) {
        const orr__rinstr *in = &r->instr[n];
        needed[n] = needed[n] || gathers(c, list, n);
        any = any || needed[n];
        const int16_t from[3] = { in->x, in->y, in->z };
        for (int k = 0; k < 3; k++)
            if (needed[n] && from[k] >= 0)
                needed[from[k]] = true;
        drawn = drawn || (needed[n] && in->kind == ORR__RI_RANDOM);
    }
    return any && !drawn;
}

/* Leaves those registers marked that the list no longer computes. */
static void gather(const change *ch, const orr__part *list, const char *to, int most)
{
    const orr__cloop *c = ch->c;
    const orr__region *r = c->r;
    int last = r->rank - 1;
    for (int n = 0; n < r->ninstr; n++)
        if (gathers(c, list, n))
            orr__nest_array(c->n, 0, orr__emit_type((orr_dtype)r->instr[n].dtype), orr__nest_say(c->n, "wide%d_0", n),
                            orr__nest_say(c->n, "%d", most));
    orr__cloop_along(c, ORR__LOOP_STEPS, last, ch->from, to);
    for (int n = 0; n < r->ninstr; n++) {
        bool gathered = gathers(c, list, n);
        if (ch->done[n] && c->at[n] == last)
            orr__cloop_value(c, n);
        if (gathered)
            orr__cloop_store(c, n, orr__nest_say(c->n, "wide%d_0", n), orr__nest_say(c->n, "i%d - %s", last, ch->from));
        ch->done[n] = gathered || (ch->done[n] && r->instr[n].kind == ORR__RI_PLACE && c->at[n] == last);
    }
    orr__nest_close(c->n, 1);
}

/* Elements are gathered by a separate loop if the work on them is that of a function. */
static void gather_list(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most)
{
    bool *needed = calloc((size_t)c->r->ninstr + 1, sizeof *needed);
    change ch = { c, from, needed };
    if (!needed) {
        c->n->t->failed = true;
    } else if (orr__cloop_work(c) >= ORR__COST_FUNCTION && find_gathers(c, *mark, needed) &&
               !orr__ablated(ORR__OFF_GATHERS)) {
        orr__part *list = orr__nest_take(c->n, mark);
        gather(&ch, list, to, most);
        change_nodes(&ch, list);
    }
    free(needed);
}

void orr__cloop_widen(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most)
{
    gather_list(c, mark, from, to, most);
    orr__cloop_widen_rows(c, mark, from, to, most, -1, 1, 1);
}
