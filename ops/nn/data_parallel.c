/* orr_data_parallel: one value of the parameters on all ranks, the optimiser's state in parts.
 * Must not know: how gradients travel, which rule an optimiser has. */
#include "config.h"
#include <orrery/data_parallel.h>

#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include "ops/nn/data_parallel.h"
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"
#include "runtime/ranks/ranks.h"

#define AT at.file, at.line

/* -- parameters --------------------------------------------------------------------------------------------- */

/* The value of rank 0, in new memory that the tensor frees. */
static void release(void *data, void *user)
{
    (void)user;
    free(data);
}

static orr_tensor *of_rank_0(orr__site at, orr_tensor *v)
{
    orr_shape s = orr_tensor_shape(v);
    orr_dtype d = orr_tensor_dtype(v);
    size_t bytes = (size_t)orr__shape_count(&s) * orr_dtype_size(d);
    char *data = malloc(bytes + 1);
    orr_status st = data ? orr_read_at(AT, v, data, bytes) : orr__fail(at, ORR_ENOMEM, "no memory for a parameter");
    if ((st = orr__ranks_agree(at, st)) == ORR_OK) {
        orr__exchange x = { .kind = ORR__EXCHANGE_BROADCAST,
                            .dtype = ORR_U8,
                            .group = orr__group_all(),
                            .in = data,
                            .out = data,
                            .count = (int64_t)bytes,
                            .name = "parameters" };
        st = orr__exchange_wait(at, &x);
    }
    if (st == ORR_OK)
        return orr_wrap_at(AT, d, s, data, release, NULL);
    free(data);
    return NULL;
}

static orr_status spread_parameters(orr__site at, orr_module *m)
{
    int n;
    orr_parameter *p = orr__module_list(m, &n);
    orr_tensor **v = orr__alloc_n(2 * (size_t)n + 1, sizeof *v), **value = v ? v + n : NULL;
    orr_status st = orr__ranks_agree(at, p && v ? ORR_OK : ORR_ENOMEM);
    for (int i = 0; st == ORR_OK && i < n; i++) {
        v[i] = p[i].variable;
        value[i] = of_rank_0(at, v[i]);
        st = value[i] ? orr__nn_check(at, value[i]) : orr_error_status();
    }
    if (st == ORR_OK)
        st = orr_assign_all_at(AT, v, value, n);
    free(v);
    free(p);
    return st;
}

/* -- state -------------------------------------------------------------------------------------------------- */

orr_tensor *orr__optim_part(orr__site at, const orr_optim *o, orr_tensor *t)
{
    return o->shard_state && orr_tensor_shape(t).rank > 0 ? orr_shard_at(AT, t, o->grid, ORR_AXES(0)) : t;
}

orr_tensor *orr__optim_whole(orr__site at, const orr_optim *o, orr_tensor *t)
{
    return o->shard_state ? orr_replicate_at(AT, t) : t;
}

static orr_status spread_state(orr__site at, orr_optim *o)
{
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < o->n; i++)
        for (int k = 0; st == ORR_OK && k < o->nstate; k++) {
            orr_tensor *v = o->slot[i].state[k];
            st = orr_assign_at(AT, v, orr__optim_part(at, o, v));
        }
    return st;
}

/* All ranks must have the same options, since each of them sends what the others expect. */
static orr_status check_alike(orr__site at, const orr_data_parallel_options *o)
{
    orr__meeting few[16], *all = few;
    int ranks = orr__ranks(), odd = 0;
    if (ranks > 16) /* limit of memory */
        all = orr__alloc_n((size_t)ranks, sizeof *all);
    orr__meeting mine = { .call = orr__ranks_call(at.op), .a = o->shard_state, .b = o->compress };
    mine.n = o->grid ? o->grid->extent[0] : ranks;
    orr_status st = orr__ranks_meet(at, mine, all);
    for (int r = 1; st == ORR_OK && r < ranks && !odd; r++)
        odd = all[r].a != all[0].a || all[r].b != all[0].b || all[r].n != all[0].n ? r : 0;
    if (odd)
        st = orr__fail(at, ORR_ERANK,
                       "the options differ: rank 0 has shard_state %d, compress %d and %lld ranks along axis 0 of the "
                       "grid, rank %d has %d, %d and %lld",
                       (int)all[0].a, (int)all[0].b, (long long)all[0].n, odd, (int)all[odd].a, (int)all[odd].b,
                       (long long)all[odd].n);
    if (all != few)
        free(all);
    return st;
}

/* A grid of the optimiser's own, equal to that of the options, so that it lives as long as the optimiser. */
static orr_grid *grid_of(orr__site at, const orr_data_parallel_options *options)
{
    static const int64_t all[] = { -1 };
    const orr_grid *g = options->grid;
    return orr__grid_make(at, g ? g->axes : 1, g ? g->extent : all);
}

static orr_status spread(orr__site at, orr_module *m, orr_optim *o, const orr_data_parallel_options *options)
{
    orr_status st = spread_parameters(at, m);
    if (st == ORR_OK && !o->grid && (options->shard_state || options->compress)) {
        o->grid = grid_of(at, options);
        st = o->grid ? ORR_OK : orr_error_status();
    }
    if (st == ORR_OK && options->shard_state && !o->shard_state) {
        o->shard_state = true;
        st = spread_state(at, o);
    }
    return st;
}

orr_status orr_data_parallel_at(const char *file, int line, orr_module *m, orr_optim *o,
                                const orr_data_parallel_options *options)
{
    orr__site at = ORR__SITE(file, line, "data_parallel");
    orr_status st = orr__module_check(at, m);
    if (st == ORR_OK)
        st = orr__object_check(at, &orr__kind_optim, o);
    orr_data_parallel_options want = { .grid = NULL };
    if (options)
        want = *options;
    if (st == ORR_OK && orr__ranks() > 1)
        st = check_alike(at, &want);
    if (st != ORR_OK || (orr__ranks() == 1 && !want.compress))
        return st;
    orr_scope *s = orr_scope_begin();
    st = s ? ORR_OK : ORR_ENOMEM;
    if (orr__ranks() > 1)
        st = spread(at, m, o, &want);
    if (st == ORR_OK && want.compress)
        st = orr__optim_compress_start(at, o);
    (void)orr_scope_end(s);
    return st;
}

/* -- batches ------------------------------------------------------------------------------------------------- */

void orr__grid_part(const orr_grid *g, int64_t length, int64_t *first, int64_t *count)
{
    int64_t even = g ? (length + g->extent[0] - 1) / g->extent[0] : length, from = g ? g->coordinate[0] * even : 0;
    *first = from < length ? from : length;
    *count = length - *first < even ? length - *first : even;
}

orr_tensor *orr__of_part(orr__site at, orr_tensor *part, orr_grid *g, int64_t length)
{
    orr_shape s = orr_tensor_shape(part);
    orr__node *n = orr__handle_node(part);
    s.dim[0] = length;
    int64_t even = (length + g->extent[0] - 1) / g->extent[0];
    orr__distribution d = { .grid = g };
    d.along[0] = (orr__spread){ .kind = ORR__SHARDED, .axis = 0, .block = even };
    int number = g->extent[0] > 1 ? orr__distribution_number(at, &d) : 0;
    if (number != 0 && n && n->poison)
        return orr__poison_in_common(part);
    if (number == 0 || !n)
        return part;
    orr__node *whole = number > 0 ? orr__node_new(at, &orr__op_result, (orr_dtype)n->dtype, &s, 0, NULL) : NULL;
    if (whole) {
        orr__node_descends(whole, n);
        whole->as = at.op;
        whole->placed = (uint16_t)number;
        atomic_store(&whole->value, orr__buffer_ref(atomic_load(&n->value)));
    }
    return orr__handle_new(whole);
}
