/* Partitions of a graph for all ranks of a grid, run in this process one at a time; exchanges are done here.
 * Must not know: which graph. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/api/eval.h"
#include "runtime/distribute/partition.h"
#include "runtime/ranks/reduce.h"
#include "tests/harness/simulate.h"

enum { MOST_RANKS = 16 };
#define HERE ORR__SITE(__FILE__, __LINE__, "simulate")

int sim_exchanges;
bool sim_lay[ORR__OP_EW + 256];

static void note(const orr__capture *p)
{
    orr__choice c;
    if (orr__choose(HERE, p, false, &c) != ORR_OK)
        return;
    for (int i = 0; i < p->n; i++)
        if (p->leaf_of[i] < 0 && !orr__distribution_whole(&c.version[c.own[i]].as) &&
            p->node[i]->op->id < ORR__OP_EW + 256)
            sim_lay[p->node[i]->op->id] = true;
    orr__choice_free(&c);
}

static orr__distribution lies_so(const sim_lies *s, orr_grid *g)
{
    orr__distribution d = { .grid = g };
    for (int a = 0; a < g->axes; a++)
        if (s->axis[a] >= 0 && g->extent[a] > 1)
            d.along[a] = (orr__spread){ .kind = ORR__SHARDED, .axis = (int8_t)s->axis[a], .block = s->block[a] };
    return d;
}

/* The global index of place `local` along an axis on a rank. */
static int64_t global_place(const orr__distribution *d, int axis, int64_t local)
{
    for (int g = 0; d->grid && g < d->grid->axes; g++)
        if (d->along[g].kind == ORR__SHARDED && d->along[g].axis == axis) {
            int64_t b = d->along[g].block;
            return (local / b * d->grid->extent[g] + d->grid->coordinate[g]) * b + local % b;
        }
    return local;
}

/* Copies between the whole array and a rank's elements of it. */
static void copy(const orr__distribution *d, const orr_shape *global, size_t size, char *all, char *mine, bool to_rank)
{
    orr_shape s = orr__distribution_local(d, global);
    for (int64_t i = 0, n = orr__shape_count(&s); i < n; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int a = s.rank - 1; a >= 0; a--) {
            at += global_place(d, a, rest % s.dim[a]) * step;
            rest /= s.dim[a];
            step *= global->dim[a];
        }
        char *x = all + (size_t)at * size, *y = mine + (size_t)i * size;
        memcpy(to_rank ? y : x, to_rank ? x : y, size);
    }
}

static orr__partition parts[MOST_RANKS];
static int ranks;

/* Makes the partition of a rank. Meanwhile the distributions are set to those of the grid as this rank sees it. */
static bool partition(const orr__capture *p, orr_grid *g, const sim_lies *lies, int n, orr__partition *q)
{
    orr__buffer **had = malloc(((size_t)p->nleaf + 1) * sizeof(orr__buffer *));
    memcpy(had, p->leaf, (size_t)p->nleaf * sizeof *had);
    bool ok = true;
    for (int k = 0; k < n; k++) {
        orr__node *x = lies[k].node;
        orr__distribution d = lies_so(&lies[k], g);
        int number = orr__distribution_number(HERE, &d);
        ok = ok && number >= 0;
        if (!orr__node_value(x)) {
            x->attr.index = number;
            continue;
        }
        for (int l = 0; l < p->nleaf; l++)
            if (p->node[p->leaf_node[l]] == x && p->leaf[l] == had[l]) {
                orr_shape s = orr__distribution_local(&d, &x->shape);
                size_t size = orr_dtype_size((orr_dtype)x->dtype);
                orr__buffer *mine = orr__buffer_new((size_t)orr__shape_count(&s) * size + 1);
                copy(&d, &x->shape, size, p->leaf[l]->host, mine->host, true);
                p->leaf[l] = mine;
                p->placed[l] = (uint16_t)number;
            }
    }
    note(p);
    ok = ok && orr__partition_make(HERE, p, false, q) == ORR_OK;
    if (ok)
        orr__partition_fill(q, p);
    for (int l = 0; l < p->nleaf; l++) {
        p->placed[l] = 0;
        if (p->leaf[l] != had[l]) {
            orr__buffer_unref(p->leaf[l]);
            p->leaf[l] = had[l];
        }
    }
    free(had);
    return ok;
}

/* Checks the local graph against the rules on which later rooms rely. */
static bool verify(orr__partition *q)
{
    orr__capture local;
    if (orr__capture_make(HERE, q->root, q->nroot, &local) != ORR_OK)
        return false;
    bool ok = orr__capture_verify(&local) == ORR_OK;
    if (!ok || getenv("ORR_TEST_PRINT"))
        orr__capture_print(stdout, &local);
    orr__capture_free(&local);
    return ok;
}

static const void *content(orr__node *n)
{
    orr__buffer *b = orr__node_value(n);
    return orr__buffer_sync(b) == ORR_OK ? b->host : NULL;
}

static bool alike(const orr__node *a, const orr__node *b)
{
    return a->attr.axis == b->attr.axis && a->attr.rop == b->attr.rop && a->attr.dist == b->attr.dist &&
           a->dtype == b->dtype;
}

/* Performs exchange number k for all ranks of one group; other groups follow with their own first rank. */
static bool exchange_group(int k, const orr__group *group)
{
    const orr__node *x = parts[group->rank[0]].exchanges.node[k];
    orr__exchange_call c = orr__exchange_call_of(&x->attr);
    size_t size = orr_dtype_size((orr_dtype)x->dtype);
    int64_t in = orr__shape_count(&x->in[0]->shape), out = orr__shape_count(&x->shape), n = group->ranks;
    const char *from[MOST_RANKS];
    orr__buffer *to[MOST_RANKS];
    for (int i = 0; i < n; i++) {
        const orr__node *y = parts[group->rank[i]].exchanges.node[k];
        if (!alike(x, y) || orr__shape_count(&y->in[0]->shape) != in || orr__shape_count(&y->shape) != out || in < 1 ||
            out < 1)
            return false;
        from[i] = content(y->in[0]);
        to[i] = orr__buffer_new((size_t)out * size);
    }
    for (int i = 0; i < n; i++) {
        char *y = to[i]->host;
        const void *piece[MOST_RANKS];
        for (int j = 0; j < n; j++)
            piece[j] = from[j] + (c.kind == ORR__EXCHANGE_REDUCE_SCATTER ? (size_t)(i * out) * size : 0);
        switch (c.kind) {
        case ORR__EXCHANGE_ALL_REDUCE:
        case ORR__EXCHANGE_REDUCE_SCATTER: orr__reduce((orr_dtype)x->dtype, c.reduction, piece, (int)n, out, y); break;
        case ORR__EXCHANGE_ALL_GATHER:
            for (int j = 0; j < n; j++)
                memcpy(y + (size_t)(j * in) * size, from[j], (size_t)in * size);
            break;
        default:
            for (int j = 0; j < n; j++)
                memcpy(y + (size_t)(j * (in / n)) * size, from[j] + (size_t)(i * (in / n)) * size,
                       (size_t)(in / n) * size);
        }
    }
    for (int i = 0; i < n; i++)
        (void)orr__node_publish(parts[group->rank[i]].exchanges.node[k], to[i], ORR__PUBLISH_ASKED, false);
    return true;
}

static bool exchange(int k)
{
    for (int r = 0; r < ranks; r++)
        if (orr__eval_nodes(HERE, &parts[r].exchanges.node[k]->in[0], 1, NULL) != ORR_OK)
            return false;
    for (int r = 0; r < ranks; r++) {
        orr__node *x = parts[r].exchanges.node[k];
        orr__exchange_call c = orr__exchange_call_of(&x->attr);
        if (!orr__node_value(x) && !exchange_group(k, orr__grid_group(c.grid, c.mask)))
            return false;
    }
    return true;
}

/* Assembles output o. Replicas must be equal. */
static bool assemble(int o, const orr__node *global, void **value)
{
    size_t size = orr_dtype_size((orr_dtype)global->dtype), bytes = orr__node_bytes(global);
    char *all = calloc(bytes + 1, 1), *again = malloc(bytes + 1);
    bool ok = all && again;
    *value = all;
    for (int r = 0; ok && r < ranks; r++) {
        orr__distribution d = orr__distribution_of(parts[r].placed[o]);
        char *mine = (char *)(uintptr_t)content(parts[r].root[o]);
        memcpy(again, all, bytes);
        copy(&d, &global->shape, size, all, mine, false);
        if (r && orr__distribution_whole(&d))
            ok = memcmp(all, again, bytes) == 0;
    }
    free(again);
    return ok;
}

static bool run(const orr__capture *p, orr__node *const *out, int nout, void **value)
{
    sim_exchanges = parts[0].exchanges.n;
    for (int r = 0; r < ranks; r++)
        if (parts[r].exchanges.n != sim_exchanges || !verify(&parts[r])) {
            printf("rank %d: %d exchanges, not %d; %s\n", r, parts[r].exchanges.n, sim_exchanges, orr_error_message());
            return false;
        }
    for (int k = 0; k < sim_exchanges; k++)
        if (!exchange(k)) {
            printf("exchange %d: %s\n", k, orr_error_message());
            return false;
        }
    for (int r = 0; r < ranks; r++)
        if (orr__eval_nodes(HERE, parts[r].root, parts[r].nroot, NULL) != ORR_OK) {
            printf("rank %d: %s\n", r, orr_error_message());
            return false;
        }
    for (int o = 0; o < nout; o++)
        if (!assemble(o, out[o], &value[o])) {
            printf("output %d: replicas differ\n", o);
            return false;
        }
    (void)p;
    return true;
}

bool sim_run(orr__node *const *out, int nout, const sim_grid *g, const sim_lies *lies, int nlies, void **value)
{
    orr__capture p;
    bool ok = orr__capture_make(HERE, out, nout, &p) == ORR_OK;
    int made = 0;
    ranks = 1;
    if (ok && getenv("ORR_TEST_PRINT"))
        orr__capture_print(stdout, &p);
    for (int a = 0; a < g->axes; a++)
        ranks *= (int)g->extent[a];
    for (int o = 0; o < nout; o++)
        value[o] = NULL;
    if (!ok)
        return false;
    for (; ok && made < ranks; made += ok) {
        orr_grid *grid = orr__grid_as_rank(HERE, g->axes, g->extent, made);
        ok = grid && partition(&p, grid, lies, nlies, &parts[made]);
        orr__grid_free(grid);
    }
    if (!ok)
        printf("partition for rank %d: %s\n", made, orr_error_message());
    ok = ok && run(&p, out, nout, value);
    for (int r = 0; r < made; r++)
        orr__partition_free(&parts[r]);
    orr__capture_free(&p);
    return ok;
}
