/* Binds a plan's values to buffers with handles, and computes the tiles that a task accesses.
 * Must not know: how tasks are submitted, what they compute. */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/graph/donation.h"

/* True if no task needs the handle of leaf v: there is one memory only, and a finished leaf does not change while it is referenced. */
static bool settled(const orr__run *r, int v)
{
    return orr__star.one_memory && r->plan->value[v].leaf >= 0 && orr__run_done(r->value[v]->run) &&
           !orr__donor_mine(r->value[v]);
}

orr__span orr__star_range(const orr__run *r, int v, int64_t first, int64_t end)
{
    orr__span p = { .elem = orr_dtype_size(r->plan->value[v].dtype) };
    orr__tiles *tiles = end > first && !settled(r, v) ? orr__buffer_tiles(r->value[v]) : NULL;
    int64_t tile;

    if (!tiles)
        return p;
    p.tiles = tiles;
    if (tiles->n == 1) {
        p.n = 1;
        return p;
    }
    tile = (int64_t)(tiles->bytes / p.elem);
    p.first = (int)(first / tile);
    p.n = (int)((end - 1) / tile) + 1 - p.first;
    if (p.first + p.n > tiles->n) /* the buffer of a leaf may be larger than the value */
        p.n = tiles->n - p.first;
    return p;
}

/* The output of the step that is written over value v in this run; -1: none. */
static int written_over(const orr__run *r, const orr__step *s, int v)
{
    for (int k = 0; k < s->region->nout; k++)
        if (r->plan->value[v].recipient == s->out[k] && orr__run_donated(r, s->out[k]))
            return k;
    return -1;
}

/* A task reads of a donor the elements that it writes over it (runtime/plan/donation.c), also where a call's accesses would allow any: tasks
 * that held the tiles of each other would wait for ever. */
orr__span orr__star_span(const orr__run *r, const orr__step *s, int t, int j)
{
    int nout = s->region->nout, v = j < nout ? s->out[j] : s->in[j - nout];
    orr__tiles *tiles = orr__buffer_tiles(r->value[v]);
    int64_t first, end;

    if (!tiles || settled(r, v))
        return (orr__span){ .elem = orr_dtype_size(r->plan->value[v].dtype) };
    if (tiles->n == 1) /* whatever the elements are; a superfluous dependency is harmless */
        return (orr__span){ .tiles = tiles, .n = 1, .elem = orr_dtype_size(r->plan->value[v].dtype) };
    int out = j < nout ? j : written_over(r, s, v);
    if (out >= 0)
        orr__step_writes(s, t, out, &first, &end);
    else
        orr__step_reads(s, t, j - nout, &first, &end);
    return orr__star_range(r, v, first, end);
}

bool orr__star_fits(const orr__run *r, const orr__step *s, int t, int k, const orr__span *p)
{
    const orr__value *v = &r->plan->value[s->out[k]];
    int64_t first, end, tile = p->n > 0 ? (int64_t)(p->tiles->bytes / p->elem) : 1;

    if (p->n == 0 || s->ntiles == 1) /* the task writes all of it */
        return true;
    orr__step_writes(s, t, k, &first, &end);
    return first % tile == 0 && (end % tile == 0 || end == v->count);
}

static size_t tile_bytes(const orr__value *v)
{
    size_t all = orr__value_bytes(v), tile = (size_t)v->tile * orr_dtype_size(v->dtype);

    return v->ntiles > 1 && tile > 0 && tile < all ? tile : all;
}

/* The number of elements of input j that one task of the step reads, if the tasks of the step, or of the partial products beside it,
 * read one such piece after another; else 0. */
static int64_t piece_of(const orr__step *s, int j, int64_t count)
{
    const orr__region *r = s->region;
    int64_t first, end, pieces = s->ntiles;

    orr__step_reads(s, 0, j, &first, &end);
    if (s->terms.parts > 1 && s->terms.part == 0) { /* rows with all terms, or terms with all columns */
        bool left = r->access[0].input == j;
        end = left && r->access[0].stride[0] != 1 ? s->rows * r->access[0].stride[0]
                                                  : r->dim[2] * r->access[!left].stride[2];
        pieces = left && r->access[0].stride[0] != 1 ? s->ntiles : s->terms.parts;
    }
    return pieces > 1 && first == 0 && end > 0 && (count + end - 1) / end == pieces ? end : 0;
}

/* In host memory a single handle is the cheapest. On a device a tile should be the piece that one task reads. */
static size_t leaf_tile_bytes(const orr__plan *plan, int v)
{
    int64_t count = plan->value[v].count, piece = 0;

    if (plan->value[v].recipient >= 0)
        return tile_bytes(&plan->value[plan->value[v].recipient]);
    for (int i = 0; orr__star.opencls + orr__star.cudas > 0 && i < plan->nstep && !piece; i++)
        for (int j = 0; j < plan->step[i].region->nin && !piece; j++)
            if (plan->step[i].in[j] == v)
                piece = piece_of(&plan->step[i], j, count);
    return (size_t)(piece ? piece : count) * orr_dtype_size(plan->value[v].dtype);
}

static orr__buffer *over_memory(void *memory, size_t bytes, size_t tile)
{
    orr__buffer *b = orr__buffer_wrap(memory, bytes, NULL, NULL);

    if (b && orr__tiles_register(b, tile))
        return b;
    orr__buffer_unref(b);
    return NULL;
}

orr__buffer *orr__star_buffer(const orr__run *r, int v)
{
    const orr__value *val = &r->plan->value[v];
    size_t bytes = orr__value_bytes(val);
    void *memory = bytes ? orr__exec_into(r->plan, r->into, v) : NULL;

    if (memory)
        return over_memory(memory, bytes, tile_bytes(val));
    return bytes ? orr__tiles_new(bytes, tile_bytes(val)) : orr__buffer_new(0);
}

/* True if value v may use its donor's memory in this run. A temporary donor always qualifies. A leaf qualifies if the evaluation owns
 * it, if its tiles are those that v would have, and if the caller waits for the whole run after a failure. */
static bool donor_is_free(const orr__run *r, int v)
{
    const orr__value *val = &r->plan->value[v];

    if (val->donor < 0 || r->plan->value[val->donor].leaf < 0)
        return val->donor >= 0;
    orr__buffer *b = r->value[val->donor];
    orr__tiles *t = orr__buffer_tiles(b);
    return t && r->firm && !(r->part && val->awaited) && orr__star.one_memory && orr__donor_mine(b) &&
           b->bytes == orr__value_bytes(val) && t->bytes == tile_bytes(val);
}

/* The buffer of a value that a step writes: that of its donor, or that of the slot's previous occupant if it has the same tiles and no
 * more readers. With other tiles, the same memory would have a second set of handles, whose order StarPU cannot know. */
static orr__buffer *written(const orr__run *r, int v, int *occupant)
{
    const orr__value *val = &r->plan->value[v];

    if (orr__exec_into(r->plan, r->into, v))
        return orr__star_buffer(r, v);
    if (donor_is_free(r, v)) {
        if (val->slot >= 0 && orr__temporary_donor(r->plan, val) >= 0)
            occupant[val->slot] = v + 1;
        return orr__buffer_ref(r->value[val->donor]);
    }
    if (val->slot >= 0) {
        int o = occupant[val->slot] - 1;
        const orr__value *old = &r->plan->value[o < 0 ? v : o];
        occupant[val->slot] = v + 1;
        if (o >= 0 && old->last < val->first && orr__value_bytes(old) == orr__value_bytes(val) &&
            tile_bytes(old) == tile_bytes(val))
            return orr__buffer_ref(r->value[o]);
    }
    return orr__star_buffer(r, v);
}

/* Gives a leaf that may be overwritten the tiles of its recipient: an earlier plan may have cut it differently. */
static void cut_donor_anew(const orr__run *r, int v)
{
    orr__buffer *b = r->value[v];
    orr__tiles *t = orr__buffer_tiles(b);
    if (t && r->plan->value[v].recipient >= 0 && r->firm && orr__star.one_memory && orr__donor_mine(b) &&
        orr__run_done(b->run) && t->bytes != leaf_tile_bytes(r->plan, v))
        orr__tiles_unregister(t, false);
}

orr_status orr__star_bind(orr__run *r, orr__buffer *const *leaf)
{
    const orr__plan *plan = r->plan;
    int few[64] = { 0 };
    orr_status st = ORR_OK;

    if (r->known)
        orr__exec_number(plan, leaf, r->known);
    for (int i = 0; i < plan->nvalue; i++)
        if (plan->value[i].leaf >= 0)
            (void)atomic_fetch_add(&(r->value[i] = leaf[plan->value[i].leaf])->refs, 1);
    if ((st = orr__exec_enter(plan, leaf, r->known, true)) != ORR_OK)
        return st;
    if (plan->ndonors > 0 && !(r->before = orr__alloc_n((size_t)plan->nvalue, sizeof(orr__run *))))
        return ORR_ENOMEM;
    r->nbefore = r->before ? plan->nvalue : 0;
    int *occupant = orr__array_begin(few, sizeof few, (size_t)plan->memory.nslot, sizeof *occupant);
    if (!occupant)
        return ORR_ENOMEM;
    for (int i = 0; i < plan->nvalue && st == ORR_OK; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf >= 0) {
            cut_donor_anew(r, i);
            if (!settled(r, i) && !orr__buffer_tiles(r->value[i]) && r->value[i]->bytes > 0) {
                size_t tile = leaf_tile_bytes(plan, i), all = r->value[i]->bytes;
                st = orr__tiles_register(r->value[i], tile > 0 && tile < orr__value_bytes(v) ? tile : all) ? ORR_OK
                                                                                                           : ORR_ENOMEM;
            }
        } else if (!v->local && !r->meter && !(r->value[i] = written(r, i, occupant))) {
            st = ORR_ENOMEM;
        }
    }
    orr__array_end(occupant, few);
    if (st == ORR_OK && !r->meter)
        orr__run_count(r);
    return st == ORR_OK && !orr__star_scratch(r) ? ORR_ENOMEM : st;
}
