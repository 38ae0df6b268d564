/* Agreement: all ranks compute the same nodes in common, or each returns an error that shows two lines. Ranks compare a hash of all nodes. If it
 * differs, they compare the nodes that they compute in common, and of the others those that no rank has evaluated.
 * Must not know: how the graph is computed. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/base/hash.h"
#include "runtime/base/pool.h"
#include "runtime/distribute/agree.h"
#include "runtime/distribute/common.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/structure_key.h"
#include "runtime/ranks/ranks.h"

typedef struct {
    uint64_t a, b;
} wide;

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

/* Adds node i to the hash h, without its operands. */
static wide mix_itself(wide h, const orr__capture *p, int i)
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
        return mix_distribution(h, number);
    return mix(h, key, (size_t)(orr__key_attr(key, n) - key));
}

static int arg_of(const orr__capture *p, int i, int k)
{
    return p->arg[p->arg0[i] + k];
}

/* -- items ------------------------------------------------------------------------------------------------------------------ */

/* The common nodes and their operands that a rank computes alone, each before the first common node that reads it. The order is that of the
 * common nodes, so it is the same on all ranks. */
typedef struct {
    const orr__capture *p;
    bool *common;
    int *item, *node; /* by node: the number of its item, or -1; by item */
    int n;
} items;

static void items_free(items *t)
{
    free(t->common);
    free(t->item);
    free(t->node);
    *t = (items){ .p = NULL };
}

static void number(items *t, int i)
{
    if (t->item[i] >= 0)
        return;
    t->item[i] = t->n;
    t->node[t->n++] = i;
}

/* False: no memory. */
static bool items_of(const orr__capture *p, items *t)
{
    size_t n = (size_t)p->n + 1;
    *t = (items){ p, orr__alloc_n(n, sizeof *t->common), orr__alloc_n(n, sizeof *t->item),
                  orr__alloc_n(n, sizeof *t->node), 0 };
    if (!t->common || !t->item || !t->node) {
        items_free(t);
        return false;
    }
    orr__common_find(p, t->common);
    for (int i = 0; i < p->n; i++)
        t->item[i] = -1;
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; t->common[i] && k < orr__capture_nin(p, i); k++)
            number(t, arg_of(p, i, k));
        if (t->common[i])
            number(t, i);
    }
    return true;
}

/* Adds item k to the hash h. Of a node of a rank alone: no more than of a value. */
static wide mix_item(wide h, const items *t, int k)
{
    const orr__capture *p = t->p;
    int i = t->node[k];
    const orr__node *n = p->node[i];
    if (!t->common[i]) {
        h = mix(mix_text(h, "alone"), &n->dtype, sizeof n->dtype);
        return mix(h, n->shape.dim, (size_t)n->shape.rank * sizeof *n->shape.dim);
    }
    h = mix_itself(h, p, i);
    for (int j = 0; j < orr__capture_nin(p, i); j++)
        h = mix(h, &t->item[arg_of(p, i, j)], sizeof *t->item);
    return h;
}

static wide mix_scalars(wide h, const orr__capture *p, int i)
{
    size_t n = p->leaf_of[i] < 0 ? p->node[i]->nscalar : 0;
    return n ? mix(h, &p->scalar[p->scalar0[i]], n * sizeof *p->scalar) : h;
}

/* Hashes of the nodes that depend on no value and so are equal on all ranks that compute them; else 0. */
static void hash_constants(const orr__capture *p, uint64_t *of)
{
    for (int i = 0; i < p->n; i++) {
        bool constant = p->leaf_of[i] < 0;
        wide h = mix_scalars(mix_itself((wide){ 5, 6 }, p, i), p, i);
        for (int k = 0; constant && k < orr__capture_nin(p, i); k++) {
            uint64_t below = of[arg_of(p, i, k)];
            constant = below != 0;
            h = mix(h, &below, sizeof below);
        }
        of[i] = constant ? h.a | 1 : 0;
    }
}

/* Hashes of the items with their scalars; 0: a value, of which this rank knows no more. */
static bool hash_items(const items *t, uint64_t *of)
{
    uint64_t *constant = orr__alloc_n((size_t)t->p->n + 1, sizeof *constant);
    if (!constant)
        return false;
    hash_constants(t->p, constant);
    for (int k = 0; k < t->n; k++) {
        int i = t->node[k];
        of[k] = t->common[i] ? mix_scalars((wide){ 7, 8 }, t->p, i).a | 1 : constant[i];
    }
    free(constant);
    return true;
}

orr_status orr__agree_structure(const orr__capture *p, orr__structure *s)
{
    items t;
    wide h = { 1, 2 }, c = { 3, 4 };
    if (!items_of(p, &t))
        return ORR_ENOMEM;
    for (int i = 0; i < p->n; i++)
        h = mix(mix_itself(h, p, i), &p->arg[p->arg0[i]], (size_t)orr__capture_nin(p, i) * sizeof *p->arg);
    h = mix(h, p->out, (size_t)p->nout * sizeof *p->out);
    for (int k = 0; k < t.n; k++)
        c = mix_item(c, &t, k);
    for (int o = 0; o < p->nout; o++)
        if (t.common[p->out[o]])
            c = mix(c, &t.item[p->out[o]], sizeof *t.item);
    *s = (orr__structure){ h.a, h.b, c.a, t.n };
    items_free(&t);
    return ORR_OK;
}

/* Hashes each prefix of the items. */
static void hash_beginnings(const items *t, wide *beginning)
{
    wide h = { 1, 2 };
    for (int k = 0; k < t->n; k++)
        beginning[k] = h = mix_item(h, t, k);
}

/* -- the ranks together ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char text[512];
} line;

/* A search for a difference, with all its memory: a rank without has an error before the ranks begin, since the others would wait for it. */
typedef struct {
    items t;
    wide *mine, *theirs;   /* of the prefixes of the items; of rank 0 */
    uint64_t *known, *all; /* of the items; by rank */
    int64_t *first, *part; /* by rank */
    line *lines;           /* by rank */
} search;

static void search_end(search *s)
{
    items_free(&s->t);
    free(s->mine);
    free(s->theirs);
    free(s->known);
    free(s->all);
    free(s->first);
    free(s->part);
    free(s->lines);
}

static orr_status search_begin(const orr__capture *p, const orr__difference *d, search *s)
{
    size_t ranks = (size_t)orr__ranks();
    *s = (search){ .mine = NULL };
    if (!items_of(p, &s->t))
        return ORR_ENOMEM;
    size_t n = (size_t)s->t.n + 1;
    s->mine = orr__alloc_n(n, sizeof *s->mine);
    s->theirs = orr__alloc_n((size_t)d->items + 1, sizeof *s->theirs);
    s->known = orr__alloc_n(n, sizeof *s->known);
    s->all = orr__alloc_n(n * ranks, sizeof *s->all);
    s->first = orr__alloc_n(ranks, sizeof *s->first);
    s->part = orr__alloc_n(ranks, sizeof *s->part);
    s->lines = orr__alloc_n(ranks, sizeof *s->lines);
    bool well = s->mine && s->theirs && s->known && s->all && s->first && s->part && s->lines;
    return well && hash_items(&s->t, s->known) ? ORR_OK : ORR_ENOMEM;
}

static orr_status all_gather(orr__site at, const search *s, const void *mine, size_t bytes, void *all)
{
    for (int r = 0; r < orr__ranks(); r++)
        s->part[r] = (int64_t)bytes;
    return orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_ALL_GATHER,
                                                    .dtype = ORR_U8,
                                                    .group = orr__group_all(),
                                                    .in = mine,
                                                    .out = all,
                                                    .part = s->part,
                                                    .name = "agreement" });
}

/* Item k as a person knows it: "train.c:41: sum rop=0 mask=1 (128, 10) float32". Of an operand that repeats another: the other. */
static line line_of(const items *t, int64_t k)
{
    const orr__capture *p = t->p;
    line l;
    if (k >= t->n) {
        (void)snprintf(l.text, sizeof l.text, "no further node, or only other outputs");
        return l;
    }
    int i = t->node[k];
    while (!t->common[i] && p->leaf_of[i] < 0 && orr__capture_nin(p, i) == 1)
        i = arg_of(p, i, 0);
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
                   leaf ? "value" : n->op->name, number, leaf ? "" : orr__attr_text(n, attr, sizeof attr),
                   orr__str(n->shape).s, orr_dtype_name((orr_dtype)n->dtype), placed ? ", " : "",
                   placed ? orr__distribution_text(&d, way, sizeof way) : "");
    return l;
}

/* Sends rank 0's hashes of all prefixes of its items to all ranks. Each rank finds its first item that differs. */
static orr_status first_difference(orr__site at, const search *s, int64_t theirs, int64_t *first)
{
    hash_beginnings(&s->t, s->mine);
    if (orr__rank() == 0)
        memcpy(s->theirs, s->mine, (size_t)theirs * sizeof *s->mine);
    orr_status st = orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_BROADCAST,
                                                             .dtype = ORR_U64,
                                                             .group = orr__group_all(),
                                                             .in = s->theirs,
                                                             .out = s->theirs,
                                                             .count = 2 * theirs,
                                                             .name = "agreement" });
    *first = 0;
    while (st == ORR_OK && *first < theirs && *first < s->t.n && s->mine[*first].a == s->theirs[*first].a &&
           s->mine[*first].b == s->theirs[*first].b)
        ++*first;
    return st;
}

/* The first item of which two ranks know different hashes, and these ranks; *first < 0: none. */
static orr_status first_unequal(orr__site at, const search *s, int64_t *first, int rank[2])
{
    size_t n = (size_t)s->t.n;
    orr_status st = all_gather(at, s, s->known, n * sizeof *s->known, s->all);
    *first = -1;
    for (size_t k = 0; st == ORR_OK && k < n && *first < 0; k++) {
        int known = -1;
        for (int r = 0; r < orr__ranks() && *first < 0; r++) {
            uint64_t h = s->all[(size_t)r * n + k];
            if (known >= 0 && h && h != s->all[(size_t)known * n + k]) {
                *first = (int64_t)k;
                rank[0] = known;
                rank[1] = r;
            }
            known = known < 0 && h ? r : known;
        }
    }
    return st;
}

static orr_status tell(orr__site at, const search *s, int64_t first, const int rank[2])
{
    line mine = line_of(&s->t, first);
    orr_status st = all_gather(at, s, &mine, sizeof mine, s->lines);
    if (st != ORR_OK)
        return st;
    return orr__fail(at, ORR_ERANK,
                     "the ranks evaluate different graphs: as node %lld, rank %d has %s; rank %d has %s. All ranks "
                     "must record the same operations in the same order",
                     (long long)first, rank[0], s->lines[rank[0]].text, rank[1], s->lines[rank[1]].text);
}

/* The common nodes differ. */
static orr_status tell_structure(orr__site at, const search *s, const orr__difference *d)
{
    int64_t first;
    orr_status st = first_difference(at, s, d->items, &first);
    if (st == ORR_OK)
        st = all_gather(at, s, &first, sizeof first, s->first);
    return st == ORR_OK ? tell(at, s, s->first[d->rank], (const int[]){ 0, d->rank }) : st;
}

orr_status orr__agree_tell(orr__site at, const orr__capture *p, const orr__difference *d, orr_status mine)
{
    search s = { .mine = NULL };
    int rank[2];
    int64_t first = -1;
    orr_status st = orr__ranks_can(at, mine == ORR_OK ? search_begin(p, d, &s) : mine, 0);
    if (st == ORR_OK)
        st = d->allowed ? first_unequal(at, &s, &first, rank) : tell_structure(at, &s, d);
    if (st == ORR_OK && first >= 0)
        st = tell(at, &s, first, rank);
    search_end(&s);
    return st;
}

orr_status orr__agree(orr__site at, orr__structure s, const orr__capture *p, orr__difference *d, int *flags)
{
    int ranks = orr__ranks(), other = 0;
    wide h = mix((wide){ s.a, s.b }, p->scalar, (size_t)p->nscalar * sizeof *p->scalar);
    orr__meeting *all = orr__alloc_n((size_t)ranks, sizeof *all);
    orr__meeting mine = { .a = h.a, .b = h.b, .n = s.items, .flags = *flags, .common = s.common };
    orr_status st = orr__ranks_meet(at, mine, all);
    *d = (orr__difference){ .allowed = true };
    for (int r = 1; r < ranks && st == ORR_OK; r++) {
        bool same = all[r].common == all[0].common && all[r].n == all[0].n;
        bool equal = same && all[r].a == all[0].a && all[r].b == all[0].b;
        other = !same && d->allowed ? r : other ? other : !equal ? r : 0;
        d->allowed = d->allowed && same;
    }
    for (int r = 0; r < ranks && st == ORR_OK; r++)
        *flags |= all[r].flags;
    d->rank = other;
    d->items = st == ORR_OK ? all[0].n : 0;
    free(all);
    return st;
}
