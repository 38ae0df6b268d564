/* Spans: several elements for each work item. Their length, and whether they move as a whole.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/span.h"
#include "ops/instruction_cost.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* -- the length of a span -------------------------------------------------------------------------------------- */

int orr__emit_span_move(const orr__layout *l, int a)
{
    return l->move[(size_t)a * ORR_MAX_RANK + (size_t)l->span_axis];
}

bool orr__emit_span_runs(const orr__region *r, const orr__layout *l, int a)
{
    return r->access[a].input >= 0 && !r->access[a].box && !r->access[a].placed &&
           orr__emit_span_move(l, a) == ORR__MOVE_UNIT;
}

static bool stores_span(const orr__region *r)
{
    return !r->rmask && r->loops != ORR__LOOPS_PER_ROW;
}

/* The innermost axis along which an access moves; 0 where all accesses are linear. */
static int axis_of(const orr__region *r, const orr__layout *l)
{
    int d = orr__region_rows(r) ? r->rank - 1 : l->linear ? 0 : r->rank - 1;
    for (bool moves = orr__region_rows(r) || l->linear; d > 0 && !moves; d -= !moves)
        for (int a = 0; a < r->naccess; a++)
            moves =
                moves || (r->access[a].input >= 0 && l->move[(size_t)a * ORR_MAX_RANK + (size_t)d] != ORR__MOVE_NONE);
    return d;
}

typedef struct {
    int narrow, bytes, work; /* of an element: its narrowest access, all of them; additions */
} weight;

static void weigh_access(weight *w, orr_dtype t, bool moves)
{
    int size = (int)orr_dtype_size(t);
    if (!moves)
        return;
    w->narrow = w->bytes == 0 ? size : ORR__MIN(w->narrow, size);
    w->bytes += size;
}

static weight weigh(const orr__region *r, const orr__layout *l)
{
    weight w = { 0 };
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        w.work += in->kind == ORR__RI_FOLD ? ORR__COST_FOLD : orr__instruction_cost(in);
        if (in->kind == ORR__RI_LOAD)
            weigh_access(&w, (orr_dtype)r->in_dtype[r->access[in->a].input],
                         orr__emit_span_move(l, in->a) != ORR__MOVE_NONE);
    }
    for (int k = 0; k < r->nout; k++) {
        weigh_access(&w, (orr_dtype)r->out_dtype[k], stores_span(r) && w.bytes == 0);
        w.work += r->rmask ? ORR__COST_FOLD : 0;
    }
    return w;
}

static bool plain(const orr__region *r)
{
    bool all = true;
    for (int i = 0; i < r->nin; i++)
        all = all && r->in_dtype[i] < ORR__SCALAR_DTYPES;
    for (int k = 0; k < r->nout; k++)
        all = all && r->out_dtype[k] < ORR__SCALAR_DTYPES;
    return all;
}

void orr__emit_span_layout(const orr__region *r, const orr__dialect *d, orr__layout *l)
{
    l->span = 1;
    l->span_bytes = d->wide;
    l->span_axis = axis_of(r, l);
    weight w = weigh(r, l);
    int most = l->group ? d->wide / 2 : d->wide; /* accumulators, too, are in registers */
    if (d->wide == 0 || !plain(r) || w.bytes == 0)
        return;
    while ((l->span * w.narrow < d->wide || l->span * w.bytes < ORR__T_DEVICE_FLIGHT) && 2 * l->span <= most &&
           2 * l->span * w.work <= ORR__T_DEVICE_UNROLLED)
        l->span *= 2;
}

/* -- the one test of the arguments ------------------------------------------------------------------------------------ */

static bool aligned(const orr__layout *lay, const void *array, int64_t element, orr_dtype t)
{
    size_t size = orr_dtype_size(t), whole = ORR__MIN((size_t)lay->span * size, (size_t)lay->span_bytes);
    return ((uintptr_t)array + (uintptr_t)element * size) % whole == 0;
}

static bool access_aligned(const orr__launch *l, const orr__layout *lay, int a, int64_t offset)
{
    const orr__region *r = l->region;
    const orr__access *c = &r->access[a];
    orr_dtype t = (orr_dtype)r->in_dtype[c->input];
    bool fits = aligned(lay, l->in ? l->in[c->input] : NULL, offset, t);
    for (int d = 0; d < r->rank && !lay->linear; d++)
        if (d != lay->span_axis && r->dim[d] != 1)
            fits = fits && aligned(lay, NULL, c->stride[d], t);
    return fits;
}

static bool axis_whole(const orr__launch *l, const orr__layout *lay, const int64_t *word)
{
    const orr__region *r = l->region;
    int last = r->rank - 1;
    if (lay->linear)
        return word[0] % lay->span == 0;
    while (last > 0 && r->dim[last] == 1 && !orr__region_rows(r))
        last--;
    return last == lay->span_axis && word[2 + last] % lay->span == 0 && (!r->rmask || (r->rmask >> last & 1u));
}

bool orr__emit_span_whole(const orr__launch *l, const orr__layout *lay, const int64_t *word)
{
    const orr__region *r = l->region;
    bool whole = axis_whole(l, lay, word);
    for (int a = 0; a < r->naccess && whole; a++)
        whole = !orr__emit_span_runs(r, lay, a) || access_aligned(l, lay, a, word[lay->at[a]]);
    for (int k = 0; k < r->nout && whole && stores_span(r); k++)
        whole = aligned(lay, l->out ? l->out[k] : NULL, word[lay->out_at + k], (orr_dtype)r->out_dtype[k]);
    return whole;
}

/* -- text --------------------------------------------------------------------------------------------------------- */

void orr__emit_span_types(orr__text *t, const orr__region *r, const orr__layout *l)
{
    uint64_t done = 0;
    orr__text_addf(t, "enum { ORR_SPAN = %d };\n", l->span);
    for (int i = 0; i < r->nin + r->nout; i++) {
        orr_dtype d = (orr_dtype)(i < r->nin ? r->in_dtype[i] : r->out_dtype[i - r->nin]);
        int bytes = ORR__MIN(l->span * (int)orr_dtype_size(d), l->span_bytes);
        if (!(done >> d & 1u))
            orr__text_addf(t, "typedef struct alignas(%d) { %s v[ORR_SPAN]; } orr_span_%s;\n", bytes,
                           orr__emit_storage(d), orr__emit_suffix(d));
        done |= (uint64_t)1 << d;
    }
}
