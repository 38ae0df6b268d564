/* Measures messages between ranks, and predicts the time of exchanges by each algorithm.
 * Must not know: the content of messages, how an algorithm works. */
#include "config.h"
#include "runtime/ranks/rates.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"
#include "runtime/base/pool.h"
#include "runtime/ranks/reduce.h"

/* A node of today with a network of 100 Gbit/s. */
const orr__rates orr__rates_fixed = {
    .start = { 1e-6, 3e-6 }, .byte = { 0.1e-9, 0.1e-9 }, .handle = 0.3e-6, .fold = 0.1e-9, .fixed = true
};

/* -- predictions --------------------------------------------------------------------------------------------- */

static double rounds_of(int ranks)
{
    double n = 0;
    for (int reach = 1; reach < ranks; reach *= 2)
        n++;
    return n;
}

/* One half of an all-reduction that moves each byte once: its rounds, and the part of the array that a rank sends. */
static double half(double rounds, double start, double byte, double ranks, double bytes)
{
    return rounds * start + byte * bytes * (ranks - 1) / ranks;
}

/* A message of so many bytes begins with a question to its receiver if it is long. */
static double start_of(const orr__rates *r, orr__distance d, double bytes)
{
    return r->start[d] + (bytes > ORR__MESSAGE_SHORT ? r->start_long[d] : 0);
}

/* wide: partial results are that many times as long as results. */
static double by_nodes(const orr__rates *r, double bytes, double wide, const orr__layout *l)
{
    double near = l->per_node, far = l->nodes;
    double begins = start_of(r, ORR__NEAR, bytes / near);
    double inside = half(rounds_of(l->per_node), begins, r->byte[ORR__NEAR], near, (1 + wide) * bytes) +
                    rounds_of(l->per_node) * begins;
    double between = half(2 * rounds_of(l->nodes), start_of(r, ORR__FAR, bytes / near / far), r->byte[ORR__FAR], far,
                          (1 + wide) * bytes / near);
    return inside + between + wide * bytes * r->fold;
}

static double all_reduce(const orr__rates *r, orr__algorithm by, int ranks, double bytes, double wide,
                         const orr__layout *l)
{
    orr__distance d = l->nodes > 1 ? ORR__FAR : ORR__NEAR;
    double p = ranks, start = start_of(r, d, bytes), each = start_of(r, d, bytes / p), byte = r->byte[d],
           q = rounds_of(ranks), more = (p - 2) * r->handle;
    double fold = bytes * r->fold, part = (p - 1) / p;
    bool power = (ranks & (ranks - 1)) == 0;
    switch (by) {
    case ORR__BY_WHOLE: return start + more + (p - 1) * (byte * bytes + fold);
    case ORR__BY_DIRECT: return 2 * (half(1, each, byte, p, bytes) + more) + part * fold;
    case ORR__BY_DOUBLING: return (power ? q : q + 1) * (start + wide * (byte * bytes + fold));
    case ORR__BY_HALVING: return half(2 * q, each, byte, p, (1 + wide) * bytes) + wide * part * fold;
    case ORR__BY_RING: /* one rank of a node sends to another node at a time */
        byte = l->per_node > 1 && d == ORR__FAR ? fmax(byte / l->per_node, r->byte[ORR__NEAR]) : byte;
        return half(2 * (p - 1), each, byte, p, (1 + wide) * bytes) + wide * part * fold;
    default: return by_nodes(r, bytes, wide, l);
    }
}

double orr__rates_seconds(const orr__rates *r, orr__exchange_kind kind, orr__algorithm by, int ranks, int64_t size,
                          bool wide, const orr__layout *l)
{
    orr__distance d = l->nodes > 1 ? ORR__FAR : ORR__NEAR;
    double p = ranks, bytes = (double)size, start = start_of(r, d, bytes), each = start_of(r, d, bytes / p),
           byte = r->byte[d], q = rounds_of(ranks);
    double more = (p - 2) * r->handle, part = (p - 1) / p, longer = wide ? 2 : 1;
    if (kind == ORR__EXCHANGE_ALL_REDUCE)
        return all_reduce(r, by, ranks, bytes, longer, l);
    if (kind == ORR__EXCHANGE_BROADCAST)
        return by == ORR__BY_TREE      ? q * (start + byte * bytes)
               : by == ORR__BY_HALVING ? half(1 + q, each, byte, p, 2 * bytes) + more
                                       : start + more + (p - 1) * byte * bytes;
    bool reduces = kind == ORR__EXCHANGE_REDUCE_SCATTER;
    double fold = reduces ? part * bytes * r->fold : 0;
    if (by == ORR__BY_DIRECT)
        return half(1, each, byte, p, bytes) + more + fold;
    return half(by == ORR__BY_RING ? p - 1 : q, each, byte, p, longer * bytes) + longer * fold;
}

orr__algorithm orr__rates_choose(const orr__rates *r, const orr__exchange *x, const orr__layout *l)
{
    int64_t count = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_BROADCAST ? x->count : 0;
    for (int k = 0;
         x->part && x->kind != ORR__EXCHANGE_ALL_REDUCE && x->kind != ORR__EXCHANGE_BROADCAST && k < x->group->ranks;
         k++)
        count += x->part[k];
    bool half = x->dtype == ORR_F16 || x->dtype == ORR_BF16;
    int64_t bytes = count * (int64_t)orr__dtype_size(x->dtype);
    orr__algorithm best = ORR__BY_DIRECT;
    double least = INFINITY;
    for (orr__algorithm by = ORR__BY_DIRECT; by < ORR__ALGORITHMS; by++) {
        /* The sums on a machine with fixed rates do not depend on the places of the ranks. */
        if (!orr__schedule_fits(x->kind, by, l) || (r->fixed && by == ORR__BY_NODES))
            continue;
        double t =
            orr__rates_seconds(r, x->kind, by, x->group->ranks, bytes, half && x->reduction == ORR__REDUCTION_SUM, l);
        if (t < least) {
            least = t;
            best = by;
        }
    }
    return best;
}

int64_t orr__rates_piece(const orr__rates *r, int ranks, const orr__layout *l, int64_t least)
{
    const orr__exchange_kind sum = ORR__EXCHANGE_ALL_REDUCE;
    double starts = orr__rates_seconds(r, sum, ORR__BY_HALVING, ranks, 0, false, l);
    double all = orr__rates_seconds(r, sum, ORR__BY_HALVING, ranks, least, false, l);
    double pieces = all > starts ? starts / (all - starts) : 1;
    return pieces > 1 ? least * (int64_t)fmin(ceil(pieces), 64) : least;
}

/* -- measurements -------------------------------------------------------------------------------------------- */

enum { SHORT = 8, MIDDLE = 2 * ORR__MESSAGE_SHORT, LONG = 64 << 10, BURST = 8, TURNS = 6 }; /* limit of a measurement */

typedef struct meter {
    const orr__transport *t;
    char *out, *in;
    const char *error;
} meter;

/* Sends `messages` messages of `bytes` to a rank that sends as many. Returns the seconds. */
static double swap(meter *m, int with, int messages, int bytes)
{
    orr__request request[2 * BURST];
    int open = 0;
    double t0 = orr__now();
    for (int i = 0; i < messages && !m->error; i++) {
        m->error = m->t->receive(m->in + i * bytes, bytes, with, ORR__CHANNEL_FIRST, &request[open++]);
        if (!m->error)
            m->error = m->t->send(m->out + i * bytes, bytes, with, ORR__CHANNEL_FIRST, &request[open++]);
    }
    while (open > 0 && !m->error)
        for (int i = 0; i < open && !m->error;) {
            bool done = false;
            m->error = m->t->test(&request[i], &done);
            if (done)
                request[i] = request[--open];
            else
                i++;
            if (!done)
                (void)sched_yield();
        }
    return orr__now() - t0;
}

static double least(meter *m, int with, int messages, int bytes)
{
    double t = INFINITY;
    for (int i = 0; i < TURNS; i++)
        t = fmin(t, swap(m, with, messages, bytes));
    return t;
}

static void measure_with(meter *m, int with, orr__distance d, orr__rates *r)
{
    double one = least(m, with, 1, SHORT), burst = least(m, with, BURST, SHORT), middle = least(m, with, 1, MIDDLE),
           all = least(m, with, 1, LONG);
    r->start[d] = one;
    r->byte[d] = fmax(all - middle, 1e-9) / (LONG - MIDDLE);
    r->start_long[d] = fmax(middle - one - MIDDLE * r->byte[d], 0);
    r->handle = fmax(fmax(r->handle, 0), (burst - one) / (BURST - 1));
}

static void measure_fold(meter *m, orr__rates *r)
{
    double took = INFINITY;
    for (int i = 0; i < TURNS; i++) {
        const void *in[2] = { m->in, m->out };
        double t0 = orr__now();
        orr__reduce(ORR_F32, ORR__REDUCTION_SUM, in, 2, LONG / (int64_t)sizeof(float), m->in);
        took = fmin(took, orr__now() - t0);
    }
    r->fold = took / LONG;
}

/* A partner at the distance: the neighbour of an even or odd number, or the rank half of all ranks further on. −1: none. */
static int partner(int rank, int ranks, const int *node, orr__distance d)
{
    int with = d == ORR__NEAR ? rank ^ 1 : (rank + ranks / 2) % ranks;
    bool exists = with < ranks && (d == ORR__NEAR || ranks % 2 == 0);
    return exists && (node[with] == node[rank]) == (d == ORR__NEAR) ? with : -1;
}

/* The slowest of all ranks; a number that no rank has measured is that of the other distance, or the fixed one. */
static void agree(orr__rates *out, const orr__rates *all, int ranks)
{
    *out = (orr__rates){ 0 };
    for (int i = 0; i < ranks; i++) {
        for (int d = ORR__NEAR; d <= ORR__FAR; d++) {
            out->start[d] = fmax(out->start[d], all[i].start[d]);
            out->byte[d] = fmax(out->byte[d], all[i].byte[d]);
            out->start_long[d] = fmax(out->start_long[d], all[i].start_long[d]);
        }
        out->handle = fmax(out->handle, all[i].handle);
        out->fold = fmax(out->fold, all[i].fold);
        out->fixed = out->fixed || all[i].fixed;
    }
    for (int d = ORR__NEAR; d <= ORR__FAR; d++)
        if (out->start[d] == 0) {
            out->start[d] = out->start[!d] > 0 ? out->start[!d] : orr__rates_fixed.start[d];
            out->start_long[d] = out->start_long[!d];
            out->byte[d] = out->byte[!d] > 0 ? out->byte[!d] : orr__rates_fixed.byte[d];
        }
    if (out->fixed)
        *out = orr__rates_fixed;
}

void *orr__rates_memory(int ranks)
{
    return orr__alloc_n(2 * LONG + (size_t)ranks * sizeof(orr__rates), 1);
}

const char *orr__rates_measure(const orr__transport *t, int rank, int ranks, const int *node, void *memory,
                               orr__rates *out)
{
    meter m = { .t = t, .out = memory, .in = (char *)memory + LONG };
    orr__rates mine = { .fixed = orr__env.deterministic }, *all = (orr__rates *)(void *)(m.in + LONG);
    for (orr__distance d = ORR__NEAR; d <= ORR__FAR && !m.error; d++) {
        int with = partner(rank, ranks, node, d);
        if (with >= 0)
            measure_with(&m, with, d, &mine);
    }
    if (!m.error)
        measure_fold(&m, &mine);
    if (!m.error)
        m.error = t->gather(&mine, (int)sizeof mine, all);
    if (!m.error)
        agree(out, all, ranks);
    return m.error;
}
