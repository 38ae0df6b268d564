/* Attention of several heads between dense layers.
 * Must not know: how attention is computed, other layers than dense ones. */
#include "config.h"

#include <math.h>
#include <orrery/elementwise.h>
#include <orrery/layer.h>
#include <orrery/ops.h>
#include <orrery/sequence.h>
#include "ops/nn/cache.h"
#include "ops/nn/module.h"
#include "ops/nn/position.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* Numbers of the layer. whole: heads, heads of keys, causal, window, alibi; real: dropout, base of rotations. */
enum { QUERY, KEY, VALUE, OUTPUT };

/* (batch, length, heads·width) as (batch, heads, length, width). */
static orr_tensor *split(orr__site at, orr_tensor *x, int64_t heads)
{
    orr_shape s = orr_tensor_shape(x);
    if (s.rank != 3)
        return s.rank < 0
                   ? x
                   : orr__poison(at, ORR_ESHAPE, "an input of shape %s is not (batch, length, width)", orr__str(s).s);
    orr_tensor *y = orr_reshape_at(AT, x, ORR_SHAPE(s.dim[0], s.dim[1], heads, s.dim[2] / heads));
    return orr_permute_at(AT, y, ORR_AXES(0, 2, 1, 3));
}

static orr_tensor *join(orr__site at, orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    if (s.rank != 4)
        return x;
    return orr_reshape_at(AT, orr_permute_at(AT, x, ORR_AXES(0, 2, 1, 3)),
                          ORR_SHAPE(s.dim[0], s.dim[2], s.dim[1] * s.dim[3]));
}

/* The mask plus linear biases, with the first query at place `first`. */
static orr_tensor *biased(orr__site at, orr_tensor *q, orr_tensor *k, int64_t first, orr_tensor *mask)
{
    orr_shape queries = orr_tensor_shape(q), keys = orr_tensor_shape(k);
    if (queries.rank != 4 || keys.rank != 4)
        return mask;
    orr_tensor *bias = orr__alibi(at, orr_tensor_dtype(q), queries.dim[1], first, queries.dim[2], keys.dim[2]);
    if (!mask)
        return bias;
    return orr_tensor_dtype(mask) == ORR_BOOL ? orr_where_at(AT, mask, bias, orr_scalar_at(AT, -INFINITY))
                                              : orr_add_at(AT, mask, bias);
}

static orr_tensor *heads_forward(orr__site at, const orr_module *m, orr_tensor *const *in, int n)
{
    if (!in[0])
        return orr__poison(at, ORR_EINVAL, "q is NULL");
    orr_scope *s = orr_scope_begin();
    orr_tensor *q = in[0], *k = n > 1 && in[1] ? in[1] : q, *v = n > 2 && in[2] ? in[2] : k,
               *mask = n > 3 ? in[3] : NULL;
    bool self = k == q;
    int64_t place = self ? orr__cache_place() : -1;
    orr_attention_options o = { .causal = self && m->whole[2],
                                .window = m->whole[3],
                                .dropout = m->training ? m->real[0] : 0.0 };
    q = split(at, orr_forward_at(AT, m->part[QUERY], q), m->whole[0]);
    k = split(at, orr_forward_at(AT, m->part[KEY], k), m->whole[1]);
    v = split(at, orr_forward_at(AT, m->part[VALUE], v), m->whole[1]);
    if (m->real[1] > 0.0) {
        int64_t first = place > 0 ? place : 0;
        q = orr_rotary_at(AT, q, first, m->real[1], false);
        k = orr_rotary_at(AT, k, first, m->real[1], false);
    }
    orr_status st = orr__nn_check(at, k);
    if (st == ORR_OK && place >= 0) {
        if (mask)
            st = orr__fail(at, ORR_EINVAL, "an application with a cache makes its own mask");
        else if (!m->whole[2])
            st = orr__fail(at, ORR_EINVAL, "self-attention in an application with a cache must be causal: set .causal");
        if (st == ORR_OK)
            st = orr__cache_extend(at, m, m->whole[3], &k, &v, &mask);
        o.causal = false;
        o.window = 0;
    }
    if (st == ORR_OK && self && m->whole[4])
        mask = biased(at, q, k, place > 0 ? place : 0, mask);
    orr_tensor *y = st == ORR_OK ? orr_attention_at(AT, q, k, v, mask, &o) : orr__handle_new(NULL);
    y = orr_scope_return_at(AT, s, orr_forward_at(AT, m->part[OUTPUT], join(at, y)));
    (void)orr_scope_end(s);
    return y;
}

static orr_status check(orr__site at, int64_t width, int64_t heads, const orr_heads_options *o)
{
    int64_t kv = o->kv_heads ? o->kv_heads : heads;
    if (width < 1 || heads < 1 || width % heads != 0 || kv < 1 || heads % kv != 0)
        return orr__fail(at, ORR_ESHAPE, "%lld heads must divide the width %lld, and %lld heads of keys the heads",
                         (long long)heads, (long long)width, (long long)kv);
    if (!(o->dropout >= 0.0 && o->dropout < 1.0) || o->window < 0 || !(o->rotary >= 0.0))
        return orr__fail(at, ORR_EINVAL, "dropout %g must be in [0, 1), window %lld and rotary %g ≥ 0", o->dropout,
                         (long long)o->window, o->rotary);
    if (o->alibi && !o->causal)
        return orr__fail(at, ORR_EINVAL, "alibi is of causal attention: causal must be set with it");
    if (o->rotary > 0.0 && width / heads % 2 != 0)
        return orr__fail(at, ORR_ESHAPE, "rotations need heads of an even width, not %lld", (long long)(width / heads));
    return ORR_OK;
}

orr_module *orr_multi_head_attention_at(const char *file, int line, int64_t width, int64_t heads,
                                        const orr_heads_options *options)
{
    static const char *const name[] = { "query", "key", "value", "output" };
    orr__site at = ORR__SITE(file, line, "multi_head_attention");
    orr_heads_options o = options ? *options : (orr_heads_options){ 0 };
    if (check(at, width, heads, &o) != ORR_OK)
        return NULL;
    int64_t kv = o.kv_heads ? o.kv_heads : heads, narrow = width / heads * kv;
    orr_module *m = orr__module_of("multi_head_attention", NULL, heads_forward, 1, 4);
    orr_status st = m ? ORR_OK : ORR_ENOMEM;
    if (m) {
        m->whole[0] = heads;
        m->whole[1] = kv;
        m->whole[2] = o.causal;
        m->whole[3] = o.window;
        m->whole[4] = o.alibi;
        m->apart = o.causal;
        m->real[0] = o.dropout;
        m->real[1] = o.rotary;
    }
    for (int i = 0; st == ORR_OK && i < 4; i++) {
        orr_initialiser bias = o.no_bias ? ORR_INITIALISER_NONE : ORR_INITIALISER_ZEROS;
        orr_initialiser weight = i == OUTPUT ? ORR_INITIALISER_DEFAULT : ORR_INITIALISER_GLOROT_UNIFORM;
        int64_t out = i == KEY || i == VALUE ? narrow : width;
        st = orr__module_add_part(at, m, name[i],
                                  orr_dense_with_at(AT, ORR_F32, width, out, ORR_ACTIVATION_LINEAR, weight, bias));
    }
    return orr__module_end(m, st);
}
