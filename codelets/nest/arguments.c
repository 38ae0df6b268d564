/* The argument words of a C loop: their positions, and the values of a launch.
 * Must not know: the text. */
#include "config.h"

#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "runtime/base/minmax.h"

/* The class depends on the stride alone, also for axes of size 1, so that the text depends only on data of the region's
 * key. A copy is in iteration order. */
static uint8_t move_along(const orr__region *r, const orr__access *a, bool packed, int d)
{
    bool last = d == r->rank - 1, unit = packed ? last : a->stride[d] == 1;
    bool near = last && a->input >= 0 && a->stride[d] > 1 && a->stride[d] <= ORR__STEP_NEAR;
    return (uint8_t)(a->stride[d] == 0 ? ORR__MOVE_NONE
                     : unit            ? ORR__MOVE_UNIT
                     : near && !packed ? ORR__MOVE_ANY + a->stride[d]
                                       : ORR__MOVE_ANY);
}

static int access_words(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    bool packed = orr__cloop_packs(r, number);
    int n = 1;
    for (int d = 0; d < r->rank; d++)
        n += move_along(r, a, packed, d) == ORR__MOVE_ANY;
    return n + a->placed + orr__emit_box_words(a);
}

int orr__emit_c_words(const orr__region *r)
{
    int n = orr__cloop_size_at(r, r->rank);
    for (int a = 0; a < r->naccess; a++)
        n += access_words(r, a);
    for (int i = 0; i < r->ninstr; i++)
        n += orr__emit_scalars(&r->instr[i]);
    return n;
}

static orr_status make_layout(const orr__region *r, orr__layout *l)
{
    size_t n = r->naccess > 0 ? (size_t)r->naccess : 1;
    l->at = orr__alloc_n(n, sizeof *l->at);
    l->move = orr__alloc_n(n, ORR_MAX_RANK);
    l->packed = orr__alloc_n(n, sizeof *l->packed);
    if (!l->at || !l->move || !l->packed)
        return ORR_ENOMEM;
    int word = orr__cloop_size_at(r, r->rank);
    for (int a = 0; a < r->naccess; a++) {
        l->at[a] = word;
        l->packed[a] = orr__cloop_packs(r, a);
        word += access_words(r, a);
        for (int d = 0; d < r->rank; d++)
            l->move[a * ORR_MAX_RANK + d] = move_along(r, &r->access[a], l->packed[a], d);
    }
    if (orr__cloop_joins(r)) {
        l->joined = orr__alloc_n(n, sizeof *l->joined);
        l->column = orr__alloc_n(n, sizeof *l->column);
        if (!l->joined || !l->column)
            return ORR_ENOMEM;
        for (int a = 0; a < r->naccess; a++)
            l->joined[a] = !orr__cloop_pitched(r) && orr__cloop_join_moves(r, a);
        orr__cloop_join_number(r, l->column);
    } else if (orr__cloop_block(r) >= 0 && orr__cloop_may_tile(r) >= 0) {
        l->joined = orr__alloc_n(n, sizeof *l->joined);
        if (!l->joined)
            return ORR_ENOMEM;
        for (int a = 0; a < r->naccess; a++)
            l->joined[a] = orr__cloop_tiles(r, a);
    }
    l->out_at = ORR__CLOOP_OUT_AT;
    l->scalar_at = word;
    l->nword = orr__emit_c_words(r);
    l->no_nan = true;
    return ORR_OK;
}

int orr__cloop_step_word(const orr__cloop *c, int a, int axis)
{
    int word = c->lay.at[a] + 1;
    for (int d = 0; d < axis; d++)
        word += c->lay.move[a * ORR_MAX_RANK + d] == ORR__MOVE_ANY;
    return word;
}

/* Kept axes go outside of reduced ones, except that a kept last axis is always the innermost. */
static void order_loops(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, n = 0, inner = ORR__MAX(c->side, c->block);
    for (int d = 0; d < last; d++)
        if (!(r->rmask >> d & 1u) && d != inner)
            c->order[n++] = d;
    if (inner >= 0)
        c->order[n++] = inner;
    c->outer = n - (c->joins && r->rmask >> last & 1u);
    for (int d = 0; d < last; d++)
        if (r->rmask >> d & 1u)
            c->order[n++] = d;
    c->order[n] = last;
}

int orr__cloop_most(const orr__rinstr *in, const int16_t *of, int least)
{
    const int16_t operand[3] = { in->x, in->y, in->z };
    for (int k = 0; k < 3; k++)
        least = operand[k] >= 0 && of[operand[k]] > least ? of[operand[k]] : least;
    return least;
}

bool orr__cloop_read_as(const orr__region *r, int a, int kind)
{
    bool any = false;
    for (int i = 0; i < r->ninstr; i++)
        any = any || (r->instr[i].a == a && r->instr[i].kind == kind);
    return any;
}

orr_status orr__cloop_place(orr__cloop *c)
{
    const orr__region *r = c->r;
    size_t most = (size_t)r->ninstr + 1;
    c->at = orr__alloc_n(most, sizeof *c->at);
    c->scalar = orr__alloc_n(most, sizeof *c->scalar);
    c->pass = orr__alloc_n(most, sizeof *c->pass);
    if (!c->at || !c->scalar || !c->pass)
        return ORR_ENOMEM;
    int scalar = c->lay.scalar_at;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        int at = orr__cloop_most(in, c->at, -1), pass = orr__cloop_most(in, c->pass, 0);
        if (in->kind == ORR__RI_FOLD) {
            at = r->rank - 2;
            pass++;
        }
        bool reads = in->a >= 0 && (in->kind != ORR__RI_PLACE || c->lay.flag); /* a place's number serves its report */
        for (int p = 0; reads && p < r->rank; p++) {
            bool part = r->access[in->a].box >> c->order[p] & 1u;
            if ((part || c->lay.move[in->a * ORR_MAX_RANK + c->order[p]] != ORR__MOVE_NONE) && p > at)
                at = p;
        }
        if (c->joins && at == r->rank - 2 && !orr__cloop_is_place(r, i))
            at = r->rank - 1;
        if (in->kind == ORR__RI_INSIDE && r->loops != ORR__LOOPS_PER_ROW && !c->device) /* uniform masks vectorise */
            at = r->rank - 1;
        c->at[i] = (int16_t)at;
        c->pass[i] = (int16_t)pass;
        c->scalar[i] = scalar;
        scalar += orr__emit_scalars(in);
    }
    return ORR_OK;
}

orr_status orr__cloop_begin(orr__cloop *c, const orr__region *r)
{
    c->r = r;
    c->side = orr__cloop_side(r);
    c->width = c->side >= 0 ? orr__cloop_side_of(r) : 0;
    c->block = orr__cloop_block(r);
    c->joins = orr__cloop_joins(r);
    c->pitched = orr__cloop_pitched(r);
    if (make_layout(r, &c->lay) != ORR_OK || orr__cloop_find_sets(c) != ORR_OK)
        return ORR_ENOMEM;
    order_loops(c);
    return orr__cloop_place(c) == ORR_OK ? orr__cloop_leave_rounding(c) : ORR_ENOMEM;
}

void orr__cloop_end(orr__cloop *c)
{
    orr__layout_free(&c->lay);
    free(c->at);
    free(c->scalar);
    free(c->pass);
}

int64_t *orr__emit_c_places(const orr__launch *l, bool packs, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t row = 1, reach = orr__cloop_reach(l);
    *word++ = l->lo;
    *word++ = reach;
    *word++ = 0;
    *word++ = reach == ORR__CLOOP_NEAR ? -1 : orr__cloop_leads(r); /* no access prefetches for near data */
    for (int d = 1; d < r->rank; d++)
        row *= (r->rmask >> d & 1u) || (r->loops == ORR__LOOPS_PER_ROW && d == r->rank - 1) ? 1 : r->dim[d];
    for (int k = 0; k < r->nout; k++)
        *word++ = (r->rmask & 1u ? 0 : l->lo * row) - (l->out_off ? l->out_off[k] : 0);
    for (int d = 0; d < r->rank; d++)
        *word++ = d == 0 ? l->hi - l->lo : r->dim[d];
    for (int a = 0; a < r->naccess; a++) {
        const orr__access *c = &r->access[a];
        orr__packed p;
        if (packs && orr__emit_c_packed(r, a, &p)) {
            *word++ = 0;
            for (int d = 0; d < r->rank - 1; d++)
                if (c->stride[d])
                    *word++ = p.stride[d];
            continue;
        }
        *word++ = c->offset + l->lo * c->stride[0] - (c->input >= 0 && l->in_off ? l->in_off[c->input] : 0);
        for (int d = 0; d < r->rank; d++)
            if (move_along(r, c, false, d) == ORR__MOVE_ANY)
                *word++ = c->stride[d];
        if (c->placed)
            *word++ = c->by;
        word = orr__emit_box_fill(c, l->lo, word);
    }
    return word;
}

void orr__emit_c_args(const orr__launch *l, bool packs, int64_t *word)
{
    (void)orr__emit_scalar_words(l, true, orr__emit_c_places(l, packs, word));
}
