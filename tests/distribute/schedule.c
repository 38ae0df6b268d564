/* The algorithms of exchanges, without messages: the schedules of all ranks are carried out in one process, and the results equal those of
 * plain loops over the data of all ranks; the algorithm that is chosen, for known speeds of messages.
 * Must not know: how a schedule is carried out between processes. */
#include "config.h"

#include <orrery.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/dtype.h"
#include "runtime/ranks/rates.h"
#include "runtime/ranks/reduce.h"
#include "runtime/ranks/schedule.h"
#include "tests/harness/harness.h"

enum { MOST = 17 };

/* -- ranks in one process ------------------------------------------------------------------------------------ */

typedef struct message {
    struct message *next;
    int64_t bytes;
    char data[];
} message;

typedef struct actor {
    orr__exchange x;
    orr__group group;
    orr__schedule s;
    char *memory[4];
    int at, waiting[MOST * 4], waits; /* actions that have not received yet */
} actor;

static message *queue[MOST][MOST];
static int64_t sent;

static int64_t size_in(const actor *a, orr__array array)
{
    bool wide = a->s.wide && (array == ORR__ARRAY_WORK || array == ORR__ARRAY_PEERS);
    return wide ? 4 : (int64_t)orr__dtype_size(a->x.dtype);
}

static char *address(const actor *a, orr__place p)
{
    return a->memory[p.array] + p.at * size_in(a, p.array);
}

static void send_now(const actor *a, const orr__action *c)
{
    int64_t bytes = c->count * size_in(a, c->place.array);
    message *m = malloc(sizeof *m + (size_t)bytes), **end = &queue[a->group.self][c->peer];
    ORR_REQUIRE(m);
    m->next = NULL;
    m->bytes = bytes;
    memcpy(m->data, address(a, c->place), (size_t)bytes);
    while (*end)
        end = &(*end)->next;
    *end = m;
    sent++;
}

/* Receives the first action that waits for the peer, if its message is there. */
static bool receive_one(actor *a, int i)
{
    const orr__action *c = &a->s.action[a->waiting[i]];
    message **first = &queue[c->peer][a->group.self], *m = *first;
    for (int k = 0; k < i; k++)
        if (a->s.action[a->waiting[k]].peer == c->peer)
            return false;
    if (!m)
        return false;
    ORR_CHECK(m->bytes == c->count * size_in(a, c->place.array));
    memcpy(address(a, c->place), m->data, (size_t)m->bytes);
    *first = m->next;
    free(m);
    memmove(a->waiting + i, a->waiting + i + 1, (size_t)(--a->waits - i) * sizeof *a->waiting);
    return true;
}

static void fold_now(const actor *a, const orr__action *c)
{
    const void *operand[MOST];
    for (int k = 0, other = 0; k < c->operands; k++)
        operand[k] =
            address(a, k == c->peer ? c->from : (orr__place){ ORR__ARRAY_PEERS, c->other + c->count * other++ });
    orr__reduce(a->s.wide ? ORR_F32 : a->x.dtype, a->x.reduction, operand, c->operands, c->count, address(a, c->place));
}

static void copy_now(const actor *a, const orr__action *c)
{
    bool to_wide = size_in(a, c->place.array) == 4, from_wide = size_in(a, c->from.array) == 4;
    if (a->s.wide && to_wide != from_wide)
        orr__reduce_convert(a->x.dtype, to_wide, address(a, c->from), c->count, address(a, c->place));
    else
        memmove(address(a, c->place), address(a, c->from), (size_t)(c->count * size_in(a, c->place.array)));
}

static bool advance(actor *a)
{
    bool moved = false;
    for (int i = 0; i < a->waits;)
        if (receive_one(a, i))
            moved = true;
        else
            i++;
    for (; a->at < a->s.n; a->at++, moved = true) {
        const orr__action *c = &a->s.action[a->at];
        if (c->act == ORR__ACT_SEND)
            send_now(a, c);
        else if (c->act == ORR__ACT_RECEIVE)
            a->waiting[a->waits++] = a->at;
        else if (a->waits > 0)
            return moved;
        else if (c->act == ORR__ACT_FOLD)
            fold_now(a, c);
        else if (c->act == ORR__ACT_COPY)
            copy_now(a, c);
    }
    return moved;
}

/* -- one exchange -------------------------------------------------------------------------------------------- */

static double value(int rank, int64_t i)
{
    return (double)((i * 7 + rank * 3 + i * rank) % 11 - 5);
}

static void *array_of(orr_dtype t, int rank, int64_t n)
{
    char *p = calloc((size_t)n + 1, orr__dtype_size(t));
    for (int64_t i = 0; p && i < n; i++)
        orr__scalar_store(p + (size_t)i * orr__dtype_size(t), t,
                          orr__scalar_cast((orr__scalar){ .f = value(rank, i) }, ORR_F64, t));
    return p;
}

typedef struct trial {
    orr__exchange x; /* without ranks and memory */
    orr__algorithm by;
    orr__layout layout;
    int ranks;
    bool in_place;
} trial;

static int64_t first_of(const trial *t, int rank)
{
    int64_t sum = 0;
    for (int k = 0; k < rank; k++)
        sum += t->x.part[k];
    return sum;
}

static void set_up(actor *a, const trial *t, int rank)
{
    static int all[MOST];
    int64_t total = t->x.kind == ORR__EXCHANGE_ALL_REDUCE || t->x.kind == ORR__EXCHANGE_BROADCAST
                        ? t->x.count
                        : first_of(t, t->ranks);
    bool gathers = t->x.kind == ORR__EXCHANGE_ALL_GATHER;
    *a = (actor){ .x = t->x, .group = { t->ranks, rank, all } };
    a->x.group = &a->group;
    ORR_REQUIRE(orr__schedule_make(&a->s, &a->x, t->by, &t->layout));
    size_t size = orr__dtype_size(t->x.dtype);
    a->memory[ORR__ARRAY_IN] = array_of(t->x.dtype, rank, gathers ? t->x.part[rank] : total);
    a->memory[ORR__ARRAY_OUT] = t->in_place ? a->memory[ORR__ARRAY_IN] : calloc((size_t)total + 1, size);
    a->memory[ORR__ARRAY_WORK] =
        a->s.work ? calloc((size_t)a->s.work, (size_t)size_in(a, ORR__ARRAY_WORK)) : a->memory[ORR__ARRAY_OUT];
    a->memory[ORR__ARRAY_PEERS] = calloc((size_t)a->s.peers + 1, (size_t)size_in(a, ORR__ARRAY_PEERS));
}

static void tear_down(actor *a, const trial *t)
{
    free(a->memory[ORR__ARRAY_IN]);
    free(t->in_place ? NULL : a->memory[ORR__ARRAY_OUT]);
    free(a->s.work ? a->memory[ORR__ARRAY_WORK] : NULL);
    free(a->memory[ORR__ARRAY_PEERS]);
    orr__schedule_free(&a->s);
}

static double expected(const trial *t, int rank, int64_t i)
{
    double acc = 0;
    if (t->x.kind == ORR__EXCHANGE_BROADCAST)
        return value(t->x.root, i);
    if (t->x.kind == ORR__EXCHANGE_ALL_GATHER) {
        int k = 0;
        for (; i >= t->x.part[k]; k++)
            i -= t->x.part[k];
        return value(k, i);
    }
    i += t->x.kind == ORR__EXCHANGE_REDUCE_SCATTER ? first_of(t, rank) : 0;
    for (int r = 0; r < t->ranks; r++)
        acc = t->x.reduction == ORR__REDUCTION_SUM ? acc + value(r, i) : r ? fmax(acc, value(r, i)) : value(r, i);
    return acc;
}

static void carry_out(const trial *t)
{
    static actor a[MOST];
    sent = 0;
    for (int r = 0; r < t->ranks; r++)
        set_up(&a[r], t, r);
    for (bool moved = true; moved;) {
        moved = false;
        for (int r = t->ranks; r-- > 0;)
            moved = advance(&a[r]) || moved;
    }
    int64_t wrong = 0;
    for (int r = 0; r < t->ranks; r++) {
        int64_t n = t->x.kind == ORR__EXCHANGE_REDUCE_SCATTER ? t->x.part[r]
                    : t->x.kind == ORR__EXCHANGE_ALL_GATHER   ? first_of(t, t->ranks)
                                                              : t->x.count;
        wrong += a[r].at != a[r].s.n || a[r].waits;
        for (int64_t i = 0; i < n; i++) {
            const char *p = a[r].memory[ORR__ARRAY_OUT] + (size_t)i * orr__dtype_size(t->x.dtype);
            wrong += orr__scalar_f64(orr__scalar_load(p, t->x.dtype), t->x.dtype) != expected(t, r, i);
        }
        for (int to = 0; to < t->ranks; to++)
            wrong += queue[r][to] != NULL;
    }
    ORR_CHECK_MSG(wrong == 0, "kind %d by %s, %d ranks, %lld elements of %s: %lld are wrong", (int)t->x.kind,
                  orr__algorithm_name(t->by), t->ranks, (long long)t->x.count, orr_dtype_name(t->x.dtype),
                  (long long)wrong);
    for (int r = 0; r < t->ranks; r++)
        tear_down(&a[r], t);
}

/* Nodes of `per_node` neighbours, or, if dealt, of ranks in turn. */
static orr__layout nodes_of(int ranks, int per_node, bool dealt, int node[MOST])
{
    int nodes = ranks / per_node;
    for (int k = 0; k < ranks; k++)
        node[k] = dealt ? k % nodes : k / per_node;
    return (orr__layout){ node, nodes, per_node };
}

static void every_size(trial *t)
{
    static const int64_t counts[] = { 0, 1, 3, 16, 199 };
    int64_t part[MOST];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        t->x.count = counts[c];
        t->x.part = part;
        for (int k = 0; k < t->ranks; k++)
            part[k] = k % 3 == 1 ? 0 : counts[c] / (k + 1);
        t->x.root = t->ranks / 2;
        carry_out(t);
    }
}

static void every_algorithm_gives_the_result(void)
{
    static const orr__exchange_kind kinds[] = { ORR__EXCHANGE_ALL_REDUCE, ORR__EXCHANGE_REDUCE_SCATTER,
                                                ORR__EXCHANGE_ALL_GATHER, ORR__EXCHANGE_BROADCAST };
    static const orr_dtype dtypes[] = { ORR_F32, ORR_BF16, ORR_I64 };
    trial t = { .layout = { 0 } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (t.by = ORR__BY_DIRECT; t.by < ORR__ALGORITHMS; t.by++)
            for (t.ranks = 2; orr__schedule_fits(kinds[k], t.by, &t.layout) && t.ranks <= MOST; t.ranks++)
                for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
                    for (int way = 0; way < 2; way++) {
                        t.x = (orr__exchange){ .kind = kinds[k], .dtype = dtypes[d] };
                        t.x.reduction = way ? ORR__REDUCTION_MAX : ORR__REDUCTION_SUM;
                        t.in_place = way && kinds[k] == ORR__EXCHANGE_ALL_REDUCE;
                        every_size(&t);
                    }
}

static void nodes_reduce_within_first(void)
{
    int node[MOST];
    for (int dealt = 0; dealt < 2; dealt++)
        for (int ranks = 4; ranks <= 16; ranks++)
            for (int per = 2; per < ranks; per++) {
                if (ranks % per)
                    continue;
                trial t = { .by = ORR__BY_NODES, .ranks = ranks, .layout = nodes_of(ranks, per, dealt, node) };
                t.x = (orr__exchange){ .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = per % 2 ? ORR_F32 : ORR_F16 };
                ORR_CHECK(orr__schedule_fits(t.x.kind, t.by, &t.layout));
                every_size(&t);
            }
    orr__layout uneven = { node, 2, 0 };
    ORR_CHECK(!orr__schedule_fits(ORR__EXCHANGE_ALL_REDUCE, ORR__BY_NODES, &uneven));
}

/* 1 + 2^-11 + 2^-11 is 1 in f16 if it is rounded after each addition, and 1 + 2^-10 if it is rounded once. */
static void halves_are_rounded_once(void)
{
    static actor a[8];
    trial t = { .x = { .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F16, .count = 40 }, .ranks = 7 };
    for (t.by = ORR__BY_DIRECT; t.by <= ORR__BY_RING; t.by++) {
        for (int r = 0; r < t.ranks; r++) {
            set_up(&a[r], &t, r);
            for (int i = 0; i < 40; i++)
                ((uint16_t *)a[r].memory[ORR__ARRAY_IN])[i] = orr__f32_to_f16(r == 3 ? 1.0f : 0x1p-11f);
        }
        for (bool moved = true; moved;) {
            moved = false;
            for (int r = 0; r < t.ranks; r++)
                moved = advance(&a[r]) || moved;
        }
        for (int r = 0; r < t.ranks; r++) {
            const uint16_t *out = (const uint16_t *)a[r].memory[ORR__ARRAY_OUT];
            for (int i = 0; i < 40; i++)
                ORR_CHECK(out[i] == orr__f32_to_f16(1.0f + 6 * 0x1p-11f));
            tear_down(&a[r], &t);
        }
    }
}

/* -- the choice ---------------------------------------------------------------------------------------------- */

static orr__algorithm chosen(const orr__rates *r, int ranks, int64_t bytes, const orr__layout *l)
{
    orr__group g = { .ranks = ranks };
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F32, .group = &g, .count = bytes / 4 };
    return orr__rates_choose(r, &x, l);
}

static void the_fastest_algorithm_is_chosen(void)
{
    const orr__layout one = { 0 };
    orr__rates r = { .start = { 1e-5, 1e-5 }, .byte = { 1e-10, 1e-10 }, .handle = 1e-6, .fold = 1e-11 };
    ORR_CHECK(chosen(&r, 2, 4, &one) == ORR__BY_WHOLE || chosen(&r, 2, 4, &one) == ORR__BY_DOUBLING);
    ORR_CHECK(chosen(&r, 1024, 4, &one) == ORR__BY_DOUBLING);
    ORR_CHECK(chosen(&r, 1024, 64 << 20, &one) == ORR__BY_HALVING);
    ORR_CHECK(chosen(&r, 1000, 64 << 20, &one) == ORR__BY_HALVING);
    /* A network that the ranks of a node share. */
    int node[64];
    for (int k = 0; k < 64; k++)
        node[k] = k / 16;
    orr__layout four = { node, 4, 16 };
    r.byte[ORR__FAR] = 1e-8;
    ORR_CHECK(chosen(&r, 64, 64 << 20, &four) == ORR__BY_NODES);
    r.fixed = true; /* the choice does not depend on the places of the ranks */
    ORR_CHECK(chosen(&r, 64, 64 << 20, &four) != ORR__BY_NODES);
}

/* On equal links without a cost of further messages, 2 P − 2 messages in sequence cost as many starts as a ring. */
static void predictions_are_those_by_hand(void)
{
    const orr__layout one = { 0 };
    orr__rates r = { .start = { 1e-5, 1e-5 }, .byte = { 1e-9, 1e-9 } };
    const orr__exchange_kind sum = ORR__EXCHANGE_ALL_REDUCE;
    double moved = 2 * 7.0 / 8 * 8000 * 1e-9;
    ORR_CHECK(fabs(orr__rates_seconds(&r, sum, ORR__BY_RING, 8, 8000, false, &one) - (14e-5 + moved)) < 1e-12);
    ORR_CHECK(fabs(orr__rates_seconds(&r, sum, ORR__BY_HALVING, 8, 8000, false, &one) - (6e-5 + moved)) < 1e-12);
    ORR_CHECK(fabs(orr__rates_seconds(&r, sum, ORR__BY_DIRECT, 8, 8000, false, &one) - (2e-5 + moved)) < 1e-12);
    ORR_CHECK(fabs(orr__rates_seconds(&r, sum, ORR__BY_DOUBLING, 8, 8000, false, &one) - 3 * (1e-5 + 8e-6)) < 1e-12);
    ORR_CHECK(fabs(orr__rates_seconds(&r, ORR__EXCHANGE_BROADCAST, ORR__BY_TREE, 9, 8000, false, &one) -
                   4 * (1e-5 + 8e-6)) < 1e-12);
}

/* Starts that take as long as 2.5 pieces make pieces of three. */
static void pieces_outlast_their_starts(void)
{
    const orr__layout one = { 0 };
    orr__rates r = { .start = { 1e-6, 1e-6 }, .byte = { 1e-9, 1e-9 } };
    ORR_CHECK(orr__rates_piece(&r, 8, &one, 1 << 20) == 1 << 20);
    r.start[ORR__NEAR] = 2.5 * 2 * 7.0 / 8 * (1 << 20) * 1e-9 / 6;
    ORR_CHECK(orr__rates_piece(&r, 8, &one, 1 << 20) == 3 << 20);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_algorithm_gives_the_result),
                                      ORR_TEST(nodes_reduce_within_first),
                                      ORR_TEST(halves_are_rounded_once),
                                      ORR_TEST(the_fastest_algorithm_is_chosen),
                                      ORR_TEST(predictions_are_those_by_hand),
                                      ORR_TEST(pieces_outlast_their_starts),
                                      { NULL, NULL } };
    return orr_test_main(argc, argv, "distribute/schedule", tests);
}
