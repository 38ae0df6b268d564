/* Local graphs: the capture of what this rank computes of a partition, and the origins of its leaves and scalars. The last used ones are
 * kept, under all facts on which a partition depends: the key of the global capture, how its leaves lie, and which scalars are zero. So a
 * step of a loop is partitioned once.
 * Must not know: how nodes are computed, how messages travel. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/hash.h"
#include "runtime/base/pool.h"
#include "runtime/distribute/local_graph.h"

/* The loops of a program hardly ever have more graphs over ranks. */
enum { KEPT = 32 };

static struct {
    orr__local_graph *graph[KEPT]; /* the one used last is the first */
    int n;
    orr__local_graph_stats count;
} kept;

/* -- keys ------------------------------------------------------------------------------------------------------------------ */

static size_t key_size(const orr__capture *p)
{
    return p->key_size + (size_t)p->nleaf * sizeof *p->placed + (size_t)p->nscalar;
}

static void write_key(const orr__capture *p, uint8_t *to)
{
    size_t placed = (size_t)p->nleaf * sizeof *p->placed;
    memcpy(to, p->key, p->key_size);
    to += p->key_size;
    if (placed)
        memcpy(to, p->placed, placed);
    to += placed;
    for (int k = 0; k < p->nscalar; k++)
        *to++ = p->scalar[k].u == 0;
}

static void destroy(orr__local_graph *g)
{
    if (!g)
        return;
    orr__capture_free(&g->p);
    free(g->exchange);
    free(g->placed);
    free(g->leaf);
    free(g->slot);
    free(g->key);
    free(g);
}

/* Moves graph i to the front. */
static const orr__local_graph *first(int i)
{
    orr__local_graph *g = kept.graph[i];
    memmove(&kept.graph[1], &kept.graph[0], (size_t)i * sizeof g);
    return kept.graph[0] = g;
}

const orr__local_graph *orr__local_graph_find(const orr__capture *p)
{
    size_t size = key_size(p);
    uint8_t few[2048], *key = size <= sizeof few ? few : orr__alloc(size);
    const orr__local_graph *found = NULL;
    if (!key)
        return NULL;
    write_key(p, key);
    uint64_t hash = orr__hash(key, size, 0);
    for (int i = 0; i < kept.n && !found; i++) {
        const orr__local_graph *g = kept.graph[i];
        if (g->hash == hash && g->key_size == size && !memcmp(g->key, key, size))
            found = first(i);
    }
    if (key != few)
        free(key);
    kept.count.found += found != NULL;
    return found;
}

/* -- the graph of a partition ---------------------------------------------------------------------------------------------- */

/* Captures the outputs of p and, after them, the last exchange: other ranks may wait for an exchange that no output
 * of this rank needs. */
static orr_status capture(orr__site at, const orr__capture *p, const orr__partition *q, orr__local_graph *g)
{
    int n = q->nroot, last = q->exchanges.n - 1;
    orr__node **all = orr__alloc_n((size_t)n + 1, sizeof(orr__node *));
    if (!all)
        return ORR_ENOMEM;
    memcpy(all, q->root, (size_t)n * sizeof(orr__node *));
    if (last >= 0)
        all[n] = q->exchanges.node[last];
    orr__capture_roots roots = ORR__ROOTS(all, n + (last >= 0), p->nfirst);
    if (p->nfirst == n)
        roots.nfirst = roots.nout;
    orr_status st = orr__capture_make_roots(at, &roots, &g->p);
    free(all);
    return st;
}

/* The nodes belong to the partition alone, so they still have their numbers. */
static bool connect(const orr__partition *q, orr__local_graph *g)
{
    g->leaf = orr__alloc_n((size_t)g->p.nleaf + 1, sizeof *g->leaf);
    g->slot = orr__alloc_n((size_t)g->p.nscalar + 1, sizeof *g->slot);
    for (int k = 0; g->leaf && k < g->p.nleaf; k++)
        g->leaf[k] = -1; /* a value that a move made */
    for (int k = 0; g->slot && k < g->p.nscalar; k++)
        g->slot[k] = -1;
    for (int t = 0; g->leaf && g->slot && t < q->ntaker; t++) {
        const orr__taker *x = &q->taker[t];
        int i = x->node->index;
        if (i < 0 || i >= g->p.n || g->p.node[i] != x->node) /* no output needs it */
            continue;
        if (x->leaf >= 0)
            g->leaf[g->p.leaf_of[i]] = x->leaf;
        for (int k = 0; x->slot >= 0 && k < x->node->nscalar; k++)
            g->slot[g->p.scalar0[i] + k] = x->slot + k;
    }
    return g->leaf && g->slot;
}

static void keep(orr__local_graph *g)
{
    if (kept.n == KEPT)
        destroy(kept.graph[--kept.n]);
    kept.graph[kept.n] = g;
    (void)first(kept.n++);
    kept.count.made++;
}

const orr__local_graph *orr__local_graph_keep(orr__site at, const orr__capture *p, orr__structure structure,
                                              const orr__partition *q)
{
    orr__local_graph *g = orr__alloc(sizeof *g);
    bool ok = g && capture(at, p, q, g) == ORR_OK && connect(q, g);
    if (ok) {
        g->nout = q->nroot;
        g->structure = structure;
        g->key_size = key_size(p);
        g->key = orr__alloc(g->key_size);
        g->placed = orr__alloc_n((size_t)q->nroot + 1, sizeof *g->placed);
        g->exchange = orr__exchanges_list(&q->exchanges);
        g->exchanges = q->exchanges.n;
        ok = g->key && g->placed && g->exchange;
    }
    if (!ok) {
        destroy(g);
        (void)orr__fail(at, ORR_ENOMEM, "no memory to distribute the graph");
        return NULL;
    }
    write_key(p, g->key);
    g->hash = orr__hash(g->key, g->key_size, 0);
    memcpy(g->placed, q->placed, (size_t)q->nroot * sizeof *g->placed);
    keep(g);
    return g;
}

void orr__local_graph_bind(const orr__local_graph *g, const orr__capture *p, orr__buffer **leaf, orr__scalar *scalar)
{
    for (int k = 0; k < g->p.nleaf; k++)
        leaf[k] = g->leaf[k] >= 0 ? p->leaf[g->leaf[k]] : g->p.leaf[k];
    for (int k = 0; k < g->p.nscalar; k++)
        scalar[k] = g->slot[k] >= 0 ? p->scalar[g->slot[k]] : g->p.scalar[k];
}

void orr__local_graphs_clear(void)
{
    while (kept.n)
        destroy(kept.graph[--kept.n]);
}

orr__local_graph_stats orr__local_graph_count(void)
{
    return kept.count;
}
