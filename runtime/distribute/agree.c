/* Agreement: all ranks evaluate the same graph, or each returns an error that shows two lines. Ranks compare a hash of 128 bits. Only if it
 * differs do they search for the node.
 * Must not know: how the graph is computed. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/base/hash.h"
#include "runtime/base/pool.h"
#include "runtime/distribute/agree.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/structure_key.h"
#include "runtime/ranks/ranks.h"

typedef orr__structure wide;

static wide mix(wide h, const void *data, size_t size)
{
    return (wide){ orr__hash(data, size, h.a), orr__hash(data, size, h.b ^ 0x9e3779b97f4a7c15u) };
}

static wide mix_text(wide h, const char *s)
{
    return mix(h, s, strlen(s) + 1);
}

/* Hashes the content of a distribution, since its number is local to the process. */
static wide mix_distribution(wide h, int number)
{
    char text[256];
    orr__distribution d = orr__distribution_of(number);
    if (number < 0)
        return mix_text(h, "like");
    h = mix_text(h, orr__distribution_text(&d, text, sizeof text));
    return d.grid ? mix(h, d.grid->extent, sizeof d.grid->extent) : h;
}

/* Adds the structure of node i to the hash h of all nodes before it. */
static wide mix_node(wide h, const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    uint8_t key[ORR__KEY_NODE];
    int number;
    bool like;
    h = mix_text(h, p->leaf_of[i] >= 0 ? "value" : n->op->name);
    h = mix(h, &n->dtype, sizeof n->dtype);
    h = mix(h, n->shape.dim, (size_t)n->shape.rank * sizeof *n->shape.dim);
    if (p->leaf_of[i] >= 0)
        return mix_distribution(h, p->placed[p->leaf_of[i]]);
    if (orr__distribute_asks(n, &number, &like))
        h = mix_distribution(h, number);
    else
        h = mix(h, key, (size_t)(orr__key_attr(key, n) - key));
    return mix(h, &p->arg[p->arg0[i]], (size_t)orr__capture_nin(p, i) * sizeof *p->arg);
}

orr__structure orr__agree_structure(const orr__capture *p)
{
    wide h = { 1, 2 };
    for (int i = 0; i < p->n; i++)
        h = mix_node(h, p, i);
    return mix(h, p->out, (size_t)p->nout * sizeof *p->out);
}

/* Hashes each prefix of the capture: structure and scalars. */
static void hash_beginnings(const orr__capture *p, wide *beginning)
{
    wide h = { 1, 2 }, s = { 3, 4 };
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        h = mix_node(h, p, i);
        s = mix(s, n->s, n->nscalar * sizeof *n->s);
        beginning[i] = (wide){ h.a + s.a, h.b + s.b };
    }
}

/* -- the ranks together ------------------------------------------------------------------------------------------------------ */

static orr_status all_gather(orr__site at, const void *mine, size_t bytes, void *all)
{
    const orr__group *g = orr__group_all();
    int64_t *part = orr__alloc_n((size_t)g->ranks, sizeof *part);
    if (!part)
        return ORR_ENOMEM;
    for (int r = 0; r < g->ranks; r++)
        part[r] = (int64_t)bytes;
    orr_status st = orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_ALL_GATHER,
                                                             .dtype = ORR_U8,
                                                             .group = g,
                                                             .in = mine,
                                                             .out = all,
                                                             .part = part,
                                                             .name = "agreement" });
    free(part);
    return st;
}

typedef struct {
    char text[512];
} line;

/* Node i as a person knows it: "train.c:41: sum rop=0 mask=1 (128, 10) float32". */
static line line_of(const orr__capture *p, int64_t i)
{
    line l;
    if (i >= p->n) {
        (void)snprintf(l.text, sizeof l.text, "no further node, or only other outputs");
        return l;
    }
    const orr__node *n = p->node[i];
    char way[128], number[40] = "", attr[ORR__ATTR_TEXT] = "";
    bool leaf = p->leaf_of[i] >= 0;
    int placed = leaf ? p->placed[p->leaf_of[i]] : 0;
    orr__distribution d = orr__distribution_of(placed);
    if (!leaf && n->nscalar && orr__is_float((orr_dtype)n->dtype))
        (void)snprintf(number, sizeof number, " of %.9g", p->scalar[p->scalar0[i]].f);
    else if (!leaf && n->nscalar && orr__is_int((orr_dtype)n->dtype))
        (void)snprintf(number, sizeof number, " of %lld", (long long)p->scalar[p->scalar0[i]].i);
    (void)snprintf(l.text, sizeof l.text, "%s:%d: %s%s%s %s %s%s%s", n->file ? n->file : "?", n->line,
                   leaf ? "value" : n->op->name, number, leaf ? "" : orr__attr_text(n, attr, sizeof attr), orr__str(n->shape).s, orr_dtype_name((orr_dtype)n->dtype),
                   placed ? ", " : "", placed ? orr__distribution_text(&d, way, sizeof way) : "");
    return l;
}

/* Sends rank 0's hashes of all prefixes of its graph to all ranks. Each rank finds its first node that differs. */
static orr_status first_difference(orr__site at, const orr__capture *p, int64_t nodes, int64_t *first)
{
    wide *mine = orr__alloc_n((size_t)p->n + 1, sizeof *mine),
         *theirs = orr__alloc_n((size_t)nodes + 1, sizeof *theirs);
    orr_status st = mine && theirs ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        hash_beginnings(p, mine);
        if (orr__rank() == 0)
            memcpy(theirs, mine, (size_t)nodes * sizeof *mine);
        st = orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_BROADCAST,
                                                      .dtype = ORR_U64,
                                                      .group = orr__group_all(),
                                                      .in = theirs,
                                                      .out = theirs,
                                                      .count = 2 * nodes,
                                                      .name = "agreement" });
    }
    *first = 0;
    while (st == ORR_OK && *first < nodes && *first < p->n && mine[*first].a == theirs[*first].a &&
           mine[*first].b == theirs[*first].b)
        ++*first;
    free(mine);
    free(theirs);
    return st;
}

orr_status orr__agree_tell(orr__site at, const orr__capture *p, const orr__difference *d)
{
    int ranks = orr__ranks(), other = d->rank;
    int64_t first, *firsts = orr__alloc_n((size_t)ranks, sizeof *firsts);
    line *lines = orr__alloc_n((size_t)ranks, sizeof *lines);
    orr_status st = firsts && lines ? first_difference(at, p, d->nodes, &first) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = all_gather(at, &first, sizeof first, firsts);
    if (st == ORR_OK) {
        line mine = line_of(p, firsts[other]);
        st = all_gather(at, &mine, sizeof mine, lines);
    }
    if (st == ORR_OK)
        st = orr__fail(at, ORR_ERANK,
                       "the ranks evaluate different graphs: as node %lld, rank 0 has %s; rank %d has %s. All ranks "
                       "must record the same operations in the same order",
                       (long long)firsts[other], lines[0].text, other, lines[other].text);
    free(firsts);
    free(lines);
    return st;
}

orr_status orr__agree(orr__site at, orr__structure structure, const orr__capture *p, orr__difference *d, bool *stops)
{
    int ranks = orr__ranks(), other = 0;
    wide h = mix(structure, p->scalar, (size_t)p->nscalar * sizeof *p->scalar);
    orr__meeting *all = orr__alloc_n((size_t)ranks, sizeof *all);
    orr_status st = all ? orr__ranks_meet(at, (orr__meeting){ 0, h.a, h.b, p->n, *stops }, all) : ORR_ENOMEM;
    while (st == ORR_OK && other < ranks && all[other].a == all[0].a && all[other].b == all[0].b)
        other++;
    for (int r = 0; r < ranks && st == ORR_OK; r++)
        *stops = *stops || all[r].stops;
    *d = (orr__difference){ 0, 0 };
    if (st == ORR_OK && other < ranks)
        *d = (orr__difference){ other, all[0].n };
    free(all);
    return st;
}
