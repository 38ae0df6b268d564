/* The plan and the leaves of values that may exist on a device only: if the device loses a value, it is recomputed on the calling
 * thread.
 * Must not know: how a device is lost, who reads a value. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "runtime/base/env.h"
#include "runtime/base/pool.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/ranks/ranks.h"

/* Bytes of leaves that are kept, and their limit: results that are never read would keep all of their inputs. */
static atomic_size_t kept;
static const size_t most_kept = (size_t)1 << 30;

/* One for all outputs of a run. */
struct orr__recipe {
    atomic_int refs;
    size_t bytes; /* of the leaves */
    orr__plan *plan;
    orr__scalar *scalar;
    int nleaf;
    orr__buffer *leaf[];
};

static void unref(orr__recipe *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    atomic_fetch_sub(&kept, c->bytes);
    for (int i = 0; i < c->nleaf; i++)
        orr__buffer_unref(c->leaf[i]);
    orr__plan_unref(c->plan);
    free(c->scalar);
    free(c);
}

void orr__recipe_drop(orr__tiles *t)
{
    if (atomic_load_explicit(&t->recipe, memory_order_relaxed))
        unref(atomic_exchange(&t->recipe, NULL));
}

/* True if the leaf can be kept for recomputation. Memory of the user may have changed by then. A leaf on a device only is no safer than
 * the values made from it; a leaf in host memory needs no recipe of its own. */
static bool stays(orr__buffer *b)
{
    orr__tiles *t = orr__buffer_tiles(b);
    if (b->bytes > 0 && (b->cap == 0 || b->spilled || !orr__run_done(b->run)))
        return false;
    if (t && atomic_load_explicit(&t->away, memory_order_acquire))
        return false;
    if (t)
        orr__recipe_drop(t);
    return true;
}

/* If memory is limited, leaves are released as early as possible. */
static bool may_be_kept(const orr__plan *p, orr__buffer *const *leaf)
{
    bool may = !orr__star.one_memory && !orr__ablated(ORR__OFF_RECIPES) && !orr__env.device_copies &&
               !orr__pool_limited() && orr__ranks() <= 1;
    for (int i = 0; may && i < p->nstep; i++)
        may = !orr__region_needs_device(p->step[i].region);
    for (int i = 0; may && i < p->nleaf; i++)
        may = stays(leaf[i]);
    return may;
}

static size_t bytes_of(const orr__plan *p, orr__buffer *const *leaf)
{
    size_t bytes = 0;
    for (int i = 0; i < p->nleaf; i++)
        bytes += leaf[i]->bytes;
    return bytes;
}

static orr__recipe *make(orr__plan *p, orr__buffer *const *leaf, const orr__scalar *scalar)
{
    size_t bytes = bytes_of(p, leaf);
    if (atomic_load(&kept) + bytes > most_kept) /* approximate, since runs begin in several threads */
        return NULL;
    orr__recipe *c = calloc(1, sizeof *c + (size_t)p->nleaf * sizeof *c->leaf);
    if (c && p->nscalar > 0 && !(c->scalar = calloc((size_t)p->nscalar, sizeof *c->scalar))) {
        free(c);
        return NULL;
    }
    if (!c)
        return NULL;
    if (p->nscalar > 0)
        memcpy(c->scalar, scalar, (size_t)p->nscalar * sizeof *scalar);
    atomic_init(&c->refs, 1);
    atomic_fetch_add(&kept, c->bytes = bytes);
    c->plan = orr__plan_ref(p);
    c->nleaf = p->nleaf;
    for (int i = 0; i < p->nleaf; i++)
        c->leaf[i] = orr__buffer_ref(leaf[i]);
    return c;
}

void orr__recipe_keep(orr__plan *p, orr__buffer *const *leaf, const orr__scalar *scalar, orr__buffer *const *out)
{
    orr__recipe *c = may_be_kept(p, leaf) ? make(p, leaf, scalar) : NULL;
    for (int k = 0; c && k < p->nout; k++) {
        orr__tiles *t = p->value[p->out[k]].leaf < 0 ? orr__buffer_tiles(out[k]) : NULL;
        if (!t)
            continue;
        atomic_fetch_add(&c->refs, 1);
        t->output = k;
        unref(atomic_exchange(&t->recipe, c));
    }
    unref(c);
}

/* Writes the value to host memory, from which devices get it again. */
static bool replace(orr__tiles *t, const orr__buffer *by)
{
    bool ok = true;
    for (int i = 0; i < t->n && ok; i++) {
        size_t at = (size_t)i * t->bytes, left = t->buf->bytes - at;
        if (!(ok = starpu_data_acquire(t->handle[i], STARPU_W) == 0))
            break;
        memcpy((char *)t->buf->host + at, (const char *)by->host + at, left < t->bytes ? left : t->bytes);
        orr__tile_is_found(t->handle[i]);
        starpu_data_release(t->handle[i]);
    }
    return ok;
}

bool orr__recipe_follow(orr__tiles *t)
{
    orr__recipe *c = atomic_exchange(&t->recipe, NULL);
    orr__site at = ORR__SITE(t->file, t->line, t->maker ? t->maker : "value");
    orr_status st = c ? ORR_OK : ORR_EDEVICE;
    for (int i = 0; st == ORR_OK && i < c->nleaf; i++)
        st = orr__tiles_host_read(c->leaf[i]);
    orr__buffer **out = st == ORR_OK ? calloc((size_t)c->plan->nout, sizeof(orr__buffer *)) : NULL;
    bool ok = out && orr__exec_inline(c->plan, c->leaf, c->scalar, NULL, out, 0, NULL) == ORR_OK;
    if (ok) {
        ok = replace(t, out[t->output]);
        for (int k = 0; k < c->plan->nout; k++)
            orr__buffer_unref(out[k]);
        orr__log(2, "%s: computed again, since a device lost it", at.op);
    }
    free(out);
    unref(c);
    return ok;
}
