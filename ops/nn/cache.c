/* Keys and values of earlier places. Each is a variable with the length of the capacity, so that every step has the same
 * shapes and the same plan. The place is a number in the graph.
 * Must not know: layers. */
#include "config.h"

#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/nn/cache.h"
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

typedef struct {
    const orr_module *m;
    orr_tensor *k, *v; /* variables, made at the first application */
} entry;

struct orr_kv_cache {
    const orr_module *m;
    int64_t batch, capacity, length;
    int n;
    entry *e;
};

static _Thread_local struct {
    orr_kv_cache *cache;
    int64_t places; /* of the application */
} now;

/* Checks that the module can be applied to some places after others. */
static orr_status check(orr__site at, const orr_module *m)
{
    char path[64];
    const orr_module *layer = orr__module_mixes(m, path, sizeof path);
    if (!layer)
        return ORR_OK;
    const char *part = path[0] ? "layer " : "the module";
    if (layer->least > 1)
        return orr__fail(at, ORR_EINVAL,
                         "%s%s (%s) takes %d inputs at least, and an application with a cache has one: apply it in a "
                         "module of your own (orr_module_new), which has the others",
                         part, path, layer->kind, layer->least);
    return orr__fail(at, ORR_EINVAL,
                     "%s%s (%s) mixes the places of a sequence: a cache needs layers that treat each place by itself, "
                     "and self-attention with .causal = true",
                     part, path, layer->kind);
}

static const orr__object_kind kind = { "cache", sizeof(orr_kv_cache) };

orr_kv_cache *orr_kv_cache_new_at(const char *file, int line, const orr_module *m, int64_t batch, int64_t capacity)
{
    orr__site at = ORR__SITE(file, line, "kv_cache_new");
    if (orr__module_check(at, m) != ORR_OK)
        return NULL;
    if (batch < 1 || capacity < 1) {
        (void)orr__fail(at, ORR_ESHAPE, "batch %lld and capacity %lld must be at least 1", (long long)batch,
                        (long long)capacity);
        return NULL;
    }
    if (check(at, m) != ORR_OK)
        return NULL;
    orr_kv_cache *c = orr__object_new(&kind);
    if (c) {
        c->m = m;
        c->batch = batch;
        c->capacity = capacity;
    }
    return c;
}

void orr_kv_cache_free(orr_kv_cache *c)
{
    if (!orr__object_there("kv_cache_free", &kind, c))
        return;
    for (int i = 0; i < c->n; i++) {
        orr__nn_drop(c->e[i].k);
        orr__nn_drop(c->e[i].v);
    }
    free(c->e);
    orr__object_end(&kind, c);
}

int64_t orr_kv_cache_length(const orr_kv_cache *c)
{
    return orr__object_there("kv_cache_length", &kind, c) ? c->length : 0;
}

void orr_kv_cache_clear(orr_kv_cache *c)
{
    if (orr__object_there("kv_cache_clear", &kind, c))
        c->length = 0; /* older places are overwritten before they are read */
}

orr_tensor *orr_forward_cached_at(const char *file, int line, orr_kv_cache *c, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "forward_cached");
    if (orr__object_check(at, &kind, c) != ORR_OK || orr__module_check(at, c->m) != ORR_OK)
        return orr__handle_new(NULL);
    if (orr_module_training(c->m))
        return orr__poison(at, ORR_EINVAL, "the module trains: write orr_module_train(m, false)");
    if (orr_tensor_status(x) != ORR_OK)
        return orr_forward_at(AT, c->m, x);
    orr_shape s = orr_tensor_shape(x);
    if (s.rank < 2 || s.dim[0] != c->batch || s.dim[1] < 1)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s is not (batch, places, …) with the cache's batch of %lld",
                           orr__str(s).s, (long long)c->batch);
    if (s.dim[1] > c->capacity - c->length)
        return orr__poison(at, ORR_ESHAPE, "%lld places of x %s are more than the %lld that the cache has left of %lld",
                           (long long)s.dim[1], orr__str(s).s, (long long)(c->capacity - c->length),
                           (long long)c->capacity);
    orr_kv_cache *before = now.cache;
    int64_t places = now.places;
    now.cache = c;
    now.places = s.dim[1];
    orr_tensor *y = orr_forward_at(AT, c->m, x);
    now.cache = before;
    now.places = places;
    if (orr_tensor_status(y) == ORR_OK)
        c->length += s.dim[1];
    return y;
}

int64_t orr__cache_place(void)
{
    return now.cache ? now.cache->length : -1;
}

static orr_tensor *empty(orr__site at, const orr_kv_cache *c, orr_tensor *like)
{
    orr_shape s = orr_tensor_shape(like);
    s.dim[2] = c->capacity;
    return orr__nn_variable(at, orr_zeros_at(AT, orr_tensor_dtype(like), s));
}

static entry *entry_of(orr__site at, orr_kv_cache *c, const orr_module *m, orr_tensor *k, orr_tensor *v)
{
    for (int i = 0; i < c->n; i++)
        if (c->e[i].m == m)
            return &c->e[i];
    entry *more = orr__realloc_n(c->e, (size_t)c->n + 1, sizeof *more);
    if (!more)
        return NULL;
    c->e = more;
    entry e = { m, empty(at, c, k), empty(at, c, v) };
    if (!e.k || !e.v) {
        orr__nn_drop(e.k);
        orr__nn_drop(e.v);
        return NULL;
    }
    c->e[c->n] = e;
    return &c->e[c->n++];
}

/* `variable` with its n places from the cache's length on replaced by `new`. */
static orr_tensor *put(orr__site at, const orr_kv_cache *c, orr_tensor *variable, orr_tensor *new, int64_t n)
{
    orr_tensor *place = orr_arange_at(AT, ORR_I64, (double)-c->length, (double)(c->capacity - c->length), 1);
    orr_tensor *inside = orr_logical_and_at(AT, orr_greater_equal_at(AT, place, orr_scalar_at(AT, 0)),
                                            orr_less_at(AT, place, orr_scalar_at(AT, (double)n)));
    if (n > 1) { /* a single place is repeated by broadcasting */
        orr_tensor *near = orr_maximum_at(AT, place, orr_scalar_at(AT, 0));
        new = orr_take_at(AT, new, orr_minimum_at(AT, near, orr_scalar_at(AT, (double)(n - 1))), 2);
    }
    return orr_where_at(AT, orr_expand_dims_at(AT, inside, -1), new, variable);
}

orr_status orr__cache_extend(orr__site at, const orr_module *m, int64_t window, orr_tensor **k, orr_tensor **v,
                             orr_tensor **mask)
{
    orr_kv_cache *c = now.cache;
    orr_shape s = orr_tensor_shape(*k);
    if (s.rank != 4 || s.dim[2] != now.places)
        return orr__fail(at, ORR_ESHAPE, "keys of shape %s are not of the %lld places of the application",
                         orr__str(s).s, (long long)now.places);
    entry *e = entry_of(at, c, m, *k, *v);
    if (!e)
        return orr_error_status();
    orr_tensor *all[2] = { put(at, c, e->k, *k, s.dim[2]), put(at, c, e->v, *v, s.dim[2]) };
    orr_status st = orr_assign_all_at(AT, (orr_tensor *[]){ e->k, e->v }, all, 2);
    if (st != ORR_OK)
        return st;
    *k = all[0];
    *v = all[1];
    orr_tensor *key = orr_arange_at(AT, ORR_I64, 0, (double)c->capacity, 1);
    orr_tensor *query =
        orr_expand_dims_at(AT, orr_arange_at(AT, ORR_I64, (double)c->length, (double)(c->length + s.dim[2]), 1), 1);
    *mask = orr_less_equal_at(AT, key, query);
    if (window > 0) {
        orr_tensor *far = orr_sub_at(AT, query, key);
        *mask = orr_logical_and_at(AT, *mask, orr_less_at(AT, far, orr_scalar_at(AT, (double)window)));
    }
    return ORR_OK;
}
