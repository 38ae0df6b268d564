/* The algorithms of exchanges, as lists of actions.
 * Must not know: how a message travels, which algorithm is the fastest. */
#include "config.h"
#include "runtime/ranks/schedule.h"

#include <stdlib.h>
#include "runtime/ranks/reserve.h"

/* Some places of the group in an order, and the parts of the array that they have: part k is elements bound[k] … bound[k + 1] − 1. */
typedef struct team {
    int64_t *bound; /* and the memory of both */
    int *place;
    int n, self;
} team;

typedef struct builder {
    orr__schedule *s;
    const orr__exchange *x;
    orr__array from; /* the array with the contributions that are not reduced yet */
} builder;

static orr__place in(orr__array array, int64_t at)
{
    return (orr__place){ array, at };
}

static void add(orr__schedule *s, orr__action a)
{
    if (s->n == s->room && !s->lacks_memory) {
        int room = s->room ? 2 * s->room : 16;
        orr__action *more = orr__reserve_realloc(s->action, (size_t)room * sizeof *more);
        s->lacks_memory = !more;
        s->action = more ? more : s->action;
        s->room = more ? room : s->room;
    }
    if (!s->lacks_memory)
        s->action[s->n++] = a;
}

static void send_to(orr__schedule *s, int peer, orr__place p, int64_t count)
{
    if (count > 0)
        add(s, (orr__action){ .act = ORR__ACT_SEND, .peer = peer, .place = p, .count = count });
}

static void receive(orr__schedule *s, int peer, orr__place p, int64_t count)
{
    if (p.array == ORR__ARRAY_PEERS && p.at + count > s->peers)
        s->peers = p.at + count;
    if (count > 0)
        add(s, (orr__action){ .act = ORR__ACT_RECEIVE, .peer = peer, .place = p, .count = count });
}

static void wait_for_all(orr__schedule *s)
{
    add(s, (orr__action){ .act = ORR__ACT_WAIT });
}

static void fold(orr__schedule *s, orr__place to, orr__place own, int64_t other, int64_t count, int operands, int place)
{
    if (count > 0)
        add(s, (orr__action){ .act = ORR__ACT_FOLD,
                              .peer = place,
                              .operands = operands,
                              .place = to,
                              .from = own,
                              .other = other,
                              .count = count });
}

static void copy(orr__schedule *s, orr__place to, orr__place from, int64_t count)
{
    if (count > 0)
        add(s, (orr__action){ .act = ORR__ACT_COPY, .place = to, .from = from, .count = count });
}

/* -- teams --------------------------------------------------------------------------------------------------- */

/* `n` places (NULL: 0, 1, …) with equal parts of elements lo … hi − 1, up to one element. */
static bool team_of(team *t, builder *b, const int *place, int n, int self, int64_t lo, int64_t hi)
{
    *t =
        (team){ .bound = orr__reserve_alloc((size_t)n + 1, sizeof *t->bound + sizeof *t->place), .n = n, .self = self };
    if (!t->bound) {
        b->s->lacks_memory = true;
        return false;
    }
    t->place = (int *)(t->bound + n + 1);
    int64_t each = (hi - lo) / n, more = (hi - lo) % n;
    for (int k = 0; k <= n; k++)
        t->bound[k] = lo + each * k + (k < more ? k : more);
    for (int k = 0; k < n; k++)
        t->place[k] = place ? place[k] : k;
    return true;
}

/* The whole group, with the parts of the exchange. */
static bool everyone(team *t, builder *b)
{
    const orr__exchange *x = b->x;
    bool equal = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_BROADCAST;
    if (!team_of(t, b, NULL, x->group->ranks, x->group->self, 0, equal ? x->count : 0))
        return false;
    for (int k = 0; !equal && k < t->n; k++)
        t->bound[k + 1] = t->bound[k] + x->part[k];
    return true;
}

static int64_t length(const team *t, int k)
{
    return t->bound[k + 1] - t->bound[k];
}

/* The parts first … first + parts − 1, modulo the size of the team: one range of elements, or two. */
typedef struct range {
    int64_t at, count;
} range;

static int ranges(const team *t, int first, int parts, range r[2])
{
    first %= t->n;
    int end = first + parts, wraps = end > t->n;
    r[0] = (range){ t->bound[first], t->bound[wraps ? t->n : end] - t->bound[first] };
    if (wraps)
        r[1] = (range){ t->bound[0], t->bound[end - t->n] - t->bound[0] };
    return 1 + wraps;
}

static int part_after(const team *t, int steps)
{
    return (t->self + steps) % t->n;
}

static int part_before(const team *t, int steps)
{
    return (t->self + t->n - steps % t->n) % t->n;
}

/* -- halves of a reduction ----------------------------------------------------------------------------------- */

/* The partial results of all parts that are not folded yet come from b->from, and those folded are in WORK. */
static void fold_received(builder *b, orr__array from, range r, int64_t *other)
{
    fold(b->s, in(ORR__ARRAY_WORK, r.at), in(from, r.at), *other, r.count, 2, 0);
    *other += r.count;
}

/* Every rank reduces its own part: it has partial results of the parts after it, first of all of them, then of half as many in each
 * round, since it sends the rest to a rank that keeps them. */
static void reduce_by_halving(builder *b, const team *t)
{
    range r[2];
    for (int has = t->n; has > 1;) {
        int keeps = (has + 1) / 2, given = has - keeps;
        int64_t other = 0;
        int to = t->place[part_after(t, keeps)], from = t->place[part_before(t, keeps)];
        int n = ranges(t, part_after(t, 0), given, r);
        for (int i = 0; i < n; i++) {
            receive(b->s, from, in(ORR__ARRAY_PEERS, other), r[i].count);
            other += r[i].count;
        }
        n = ranges(t, part_after(t, keeps), given, r);
        for (int i = 0; i < n; i++)
            send_to(b->s, to, in(b->from, r[i].at), r[i].count);
        other = 0;
        n = ranges(t, part_after(t, 0), given, r);
        for (int i = 0; i < n; i++)
            fold_received(b, b->from, r[i], &other);
        n = keeps > given ? ranges(t, part_after(t, given), 1, r) : 0;
        if (n && b->from != ORR__ARRAY_WORK)
            copy(b->s, in(ORR__ARRAY_WORK, r[0].at), in(b->from, r[0].at), r[0].count);
        b->from = ORR__ARRAY_WORK;
        has = keeps;
    }
}

/* The reverse: every rank has its own part of OUT, and receives as many parts as it has in each round. */
static void gather_by_doubling(builder *b, const team *t)
{
    int want[32], rounds = 0;
    range r[2];
    for (int n = t->n; n > 1; n = (n + 1) / 2)
        want[rounds++] = n;
    for (int k = rounds; k-- > 0;) {
        int has = (want[k] + 1) / 2, more = want[k] - has;
        int n = ranges(t, part_after(t, has), more, r);
        for (int i = 0; i < n; i++)
            receive(b->s, t->place[part_after(t, has)], in(ORR__ARRAY_OUT, r[i].at), r[i].count);
        n = ranges(t, part_after(t, 0), more, r);
        for (int i = 0; i < n; i++)
            send_to(b->s, t->place[part_before(t, has)], in(ORR__ARRAY_OUT, r[i].at), r[i].count);
        wait_for_all(b->s);
    }
}

static void reduce_by_ring(builder *b, const team *t)
{
    for (int i = 1; i < t->n; i++) {
        int out = part_before(t, i), back = part_before(t, i + 1);
        int64_t other = 0;
        range r = { t->bound[back], length(t, back) };
        receive(b->s, t->place[part_before(t, 1)], in(ORR__ARRAY_PEERS, 0), r.count);
        send_to(b->s, t->place[part_after(t, 1)], in(i == 1 ? b->from : ORR__ARRAY_WORK, t->bound[out]),
                length(t, out));
        fold_received(b, b->from, r, &other);
    }
    b->from = ORR__ARRAY_WORK;
}

static void gather_by_ring(builder *b, const team *t)
{
    for (int i = 0; i + 1 < t->n; i++) {
        int out = part_before(t, i), back = part_before(t, i + 1);
        receive(b->s, t->place[part_before(t, 1)], in(ORR__ARRAY_OUT, t->bound[back]), length(t, back));
        send_to(b->s, t->place[part_after(t, 1)], in(ORR__ARRAY_OUT, t->bound[out]), length(t, out));
        wait_for_all(b->s);
    }
}

/* Every rank begins with its successor, so that not all send to the same rank. */
static void reduce_directly(builder *b, const team *t, orr__place to)
{
    int64_t own = length(t, t->self);
    for (int i = 1; i < t->n; i++) {
        int from = part_before(t, i), slot = from < t->self ? from : from - 1;
        receive(b->s, t->place[from], in(ORR__ARRAY_PEERS, slot * own), own);
    }
    for (int i = 1; i < t->n; i++) {
        int k = part_after(t, i);
        send_to(b->s, t->place[k], in(ORR__ARRAY_IN, t->bound[k]), length(t, k));
    }
    fold(b->s, to, in(ORR__ARRAY_IN, t->bound[t->self]), 0, own, t->n, t->self);
}

static void gather_directly(builder *b, const team *t)
{
    for (int i = 1; i < t->n; i++) {
        int k = part_before(t, i);
        receive(b->s, t->place[k], in(ORR__ARRAY_OUT, t->bound[k]), length(t, k));
    }
    for (int i = 1; i < t->n; i++)
        send_to(b->s, t->place[part_after(t, i)], in(ORR__ARRAY_OUT, t->bound[t->self]), length(t, t->self));
}

/* -- all-reductions ------------------------------------------------------------------------------------------ */

/* Messages are sent before others are received, here and in `swap`: other ranks wait for them. */
static void all_reduce_whole(builder *b, const team *t)
{
    int64_t n = b->x->count;
    for (int i = 1; i < t->n; i++)
        send_to(b->s, part_after(t, i), in(ORR__ARRAY_IN, 0), n);
    for (int i = 1; i < t->n; i++) {
        int from = part_before(t, i);
        receive(b->s, from, in(ORR__ARRAY_PEERS, (from < t->self ? from : from - 1) * n), n);
    }
    fold(b->s, in(ORR__ARRAY_OUT, 0), in(ORR__ARRAY_IN, 0), 0, n, t->n, t->self);
}

/* Sends and receives the whole array; folds in the order of the ranks. */
static void swap(builder *b, int with, bool first)
{
    int64_t n = b->x->count;
    send_to(b->s, with, in(b->from, 0), n);
    receive(b->s, with, in(ORR__ARRAY_PEERS, 0), n);
    fold(b->s, in(ORR__ARRAY_WORK, 0), in(b->from, 0), 0, n, 2, first ? 0 : 1);
    b->from = ORR__ARRAY_WORK;
}

/* Of the first 2·(P − 2^k) ranks those with odd numbers take part for their predecessors too. */
static void all_reduce_by_doubling(builder *b, const team *t)
{
    int power = 1, me = t->self;
    while (2 * power <= t->n)
        power *= 2;
    int pairs = t->n - power;
    int64_t n = b->x->count;
    bool paired = me < 2 * pairs, stands_in = paired && me % 2;
    if (paired && !stands_in) {
        send_to(b->s, me + 1, in(b->from, 0), n);
        wait_for_all(b->s); /* WORK may be IN's memory */
        receive(b->s, me + 1, in(ORR__ARRAY_OUT, 0), n);
        return;
    }
    if (stands_in) {
        receive(b->s, me - 1, in(ORR__ARRAY_PEERS, 0), n);
        fold(b->s, in(ORR__ARRAY_WORK, 0), in(b->from, 0), 0, n, 2, 1);
        b->from = ORR__ARRAY_WORK;
    }
    int number = paired ? me / 2 : me - pairs;
    for (int far = 1; far < power; far *= 2) {
        int with = number ^ far;
        swap(b, with < pairs ? 2 * with + 1 : with + pairs, number < with);
    }
    copy(b->s, in(ORR__ARRAY_OUT, 0), in(ORR__ARRAY_WORK, 0), n);
    if (stands_in)
        send_to(b->s, me - 1, in(ORR__ARRAY_OUT, 0), n);
}

/* Takes over the result of the own part, which is rounded here if it is wide. */
static void settle(builder *b, const team *t)
{
    int64_t at = t->bound[t->self];
    copy(b->s, in(ORR__ARRAY_OUT, at), in(b->from, at), length(t, t->self));
}

static void all_reduce_by_parts(builder *b, const team *t, bool ring)
{
    (ring ? reduce_by_ring : reduce_by_halving)(b, t);
    settle(b, t);
    (ring ? gather_by_ring : gather_by_doubling)(b, t);
}

/* The places on this rank's node in `near`, and those with this rank's number on their nodes in `far`, in the order of the group. */
typedef struct crossing {
    int *near, *far, *seen;
    int nears, fars, me, my_node;
} crossing;

static bool cross(crossing *c, builder *b, const orr__layout *l)
{
    const orr__group *g = b->x->group;
    *c = (crossing){ .near = orr__reserve_alloc(2 * (size_t)g->ranks + (size_t)l->nodes, sizeof *c->near) };
    if (!c->near) {
        b->s->lacks_memory = true;
        return false;
    }
    c->far = c->near + g->ranks;
    c->seen = c->far + g->ranks;
    for (int k = 0; k < g->ranks; k++)
        if (l->node[k] == l->node[g->self]) {
            c->me = k == g->self ? c->nears : c->me;
            c->near[c->nears++] = k;
        }
    for (int k = 0; k < g->ranks; k++)
        if (c->seen[l->node[k]]++ == c->me) {
            c->my_node = k == g->self ? c->fars : c->my_node;
            c->far[c->fars++] = k;
        }
    return true;
}

static void all_reduce_by_nodes(builder *b, const orr__layout *l)
{
    crossing c;
    team inside, between;
    if (!cross(&c, b, l))
        return;
    if (team_of(&inside, b, c.near, c.nears, c.me, 0, b->x->count)) {
        if (team_of(&between, b, c.far, c.fars, c.my_node, inside.bound[c.me], inside.bound[c.me + 1])) {
            reduce_by_halving(b, &inside);
            all_reduce_by_parts(b, &between, false);
            gather_by_doubling(b, &inside);
        }
        free(between.bound);
    }
    free(inside.bound);
    free(c.near);
}

static void all_reduce(builder *b, const team *t, orr__algorithm by, const orr__layout *l)
{
    switch (by) {
    case ORR__BY_WHOLE: all_reduce_whole(b, t); break;
    case ORR__BY_DOUBLING: all_reduce_by_doubling(b, t); break;
    case ORR__BY_HALVING:
    case ORR__BY_RING: all_reduce_by_parts(b, t, by == ORR__BY_RING); break;
    case ORR__BY_NODES: all_reduce_by_nodes(b, l); break;
    default: reduce_directly(b, t, in(ORR__ARRAY_OUT, t->bound[t->self])); gather_directly(b, t);
    }
}

/* -- other exchanges ----------------------------------------------------------------------------------------- */

static void reduce_scatter(builder *b, const team *t, orr__algorithm by)
{
    if (by == ORR__BY_DIRECT) {
        reduce_directly(b, t, in(ORR__ARRAY_OUT, 0));
        return;
    }
    b->s->work = t->bound[t->n];
    (by == ORR__BY_RING ? reduce_by_ring : reduce_by_halving)(b, t);
    copy(b->s, in(ORR__ARRAY_OUT, 0), in(ORR__ARRAY_WORK, t->bound[t->self]), length(t, t->self));
}

static void all_gather(builder *b, const team *t, orr__algorithm by)
{
    copy(b->s, in(ORR__ARRAY_OUT, t->bound[t->self]), in(ORR__ARRAY_IN, 0), length(t, t->self));
    (by == ORR__BY_HALVING ? gather_by_doubling : by == ORR__BY_RING ? gather_by_ring : gather_directly)(b, t);
}

static void all_to_all(builder *b, const team *t)
{
    const orr__exchange *x = b->x;
    int64_t own = 0;
    for (int k = 0; k < t->self; k++)
        own += x->from[k];
    copy(b->s, in(ORR__ARRAY_OUT, own), in(ORR__ARRAY_IN, t->bound[t->self]), length(t, t->self));
    int64_t at = own + x->from[t->self];
    for (int i = 1; i < t->n; i++) {
        int k = part_after(t, i);
        at = k == 0 ? 0 : at;
        receive(b->s, k, in(ORR__ARRAY_OUT, at), x->from[k]);
        at += x->from[k];
    }
    for (int i = 1; i < t->n; i++) {
        int k = part_after(t, i);
        send_to(b->s, k, in(ORR__ARRAY_IN, t->bound[k]), length(t, k));
    }
}

/* Ranks are numbered from the root on. A rank receives from the one whose number lacks its lowest bit. */
static void broadcast_by_tree(builder *b, const team *t)
{
    const orr__exchange *x = b->x;
    int me = (t->self + t->n - x->root) % t->n, reach = 1;
    while (reach < t->n && !(me & reach))
        reach *= 2;
    if (me > 0) {
        receive(b->s, (me - reach + x->root) % t->n, in(ORR__ARRAY_OUT, 0), x->count);
        wait_for_all(b->s);
    }
    while ((reach /= 2) > 0)
        if (me + reach < t->n)
            send_to(b->s, (me + reach + x->root) % t->n, in(ORR__ARRAY_OUT, 0), x->count);
}

static void broadcast(builder *b, const team *t, orr__algorithm by)
{
    const orr__exchange *x = b->x;
    bool root = t->self == x->root, parts = by == ORR__BY_HALVING;
    if (root)
        copy(b->s, in(ORR__ARRAY_OUT, 0), in(ORR__ARRAY_IN, 0), x->count);
    if (by == ORR__BY_TREE) {
        broadcast_by_tree(b, t);
        return;
    }
    for (int i = 1; root && i < t->n; i++) {
        int k = part_after(t, i);
        send_to(b->s, k, in(ORR__ARRAY_OUT, parts ? t->bound[k] : 0), parts ? length(t, k) : x->count);
    }
    if (!root)
        receive(b->s, x->root, in(ORR__ARRAY_OUT, parts ? t->bound[t->self] : 0),
                parts ? length(t, t->self) : x->count);
    if (parts) {
        wait_for_all(b->s);
        gather_by_doubling(b, t);
    }
}

/* -- the schedule -------------------------------------------------------------------------------------------- */

bool orr__schedule_fits(orr__exchange_kind kind, orr__algorithm by, const orr__layout *l)
{
    bool reduces = kind == ORR__EXCHANGE_ALL_REDUCE, casts = kind == ORR__EXCHANGE_BROADCAST;
    switch (by) {
    case ORR__BY_DIRECT: return true;
    case ORR__BY_WHOLE:
    case ORR__BY_DOUBLING: return reduces;
    case ORR__BY_HALVING: return kind != ORR__EXCHANGE_ALL_TO_ALL;
    case ORR__BY_RING: return kind != ORR__EXCHANGE_ALL_TO_ALL && !casts;
    case ORR__BY_NODES: return reduces && l->nodes > 1 && l->per_node > 1;
    case ORR__BY_TREE: return casts;
    default: return false;
    }
}

/* Sums of halves whose partial results travel. */
static bool is_wide(const orr__exchange *x, orr__algorithm by)
{
    bool reduces = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_REDUCE_SCATTER;
    return reduces && x->reduction == ORR__REDUCTION_SUM && (x->dtype == ORR_F16 || x->dtype == ORR_BF16) &&
           by != ORR__BY_DIRECT && by != ORR__BY_WHOLE;
}

bool orr__schedule_make(orr__schedule *s, const orr__exchange *x, orr__algorithm by, const orr__layout *l)
{
    builder b = { s, x, ORR__ARRAY_IN };
    team t;
    *s = (orr__schedule){ .wide = is_wide(x, by) };
    if (!everyone(&t, &b))
        return false;
    if (s->wide) {
        s->work = t.bound[t.n];
        copy(s, in(ORR__ARRAY_WORK, 0), in(ORR__ARRAY_IN, 0), s->work);
        b.from = ORR__ARRAY_WORK;
    }
    switch (x->kind) {
    case ORR__EXCHANGE_ALL_REDUCE: all_reduce(&b, &t, by, l); break;
    case ORR__EXCHANGE_REDUCE_SCATTER: reduce_scatter(&b, &t, by); break;
    case ORR__EXCHANGE_ALL_GATHER: all_gather(&b, &t, by); break;
    case ORR__EXCHANGE_ALL_TO_ALL: all_to_all(&b, &t); break;
    case ORR__EXCHANGE_BROADCAST: broadcast(&b, &t, by); break;
    }
    free(t.bound);
    return !s->lacks_memory;
}

void orr__schedule_free(orr__schedule *s)
{
    free(s->action);
    s->action = NULL;
    s->n = s->room = 0;
}

const char *orr__algorithm_name(orr__algorithm by)
{
    static const char *const name[ORR__ALGORITHMS] = {
        "direct", "whole", "doubling", "halving", "ring", "nodes", "tree"
    };
    return name[by];
}
