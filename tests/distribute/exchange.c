/* Ranks, process grids and exchanges of arrays, with 1 to 4 ranks: the results equal those of plain loops over the data
 * of all ranks. The data are functions of rank and place, so that each rank knows those of all.
 * Must not know: tensors. */
#include "config.h"

#include <orrery.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/dtype.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/ranks.h"

static const orr__site here = { NULL, 0, "test" };

static bool up(void)
{
    orr_config c = { .engine = "serial" };
    bool ok = orr_init(&c) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void ranks_are_those_of_the_launcher(void)
{
    ORR_CHECK(orr_rank() == 0 && orr_ranks() == 1);
    ORR_REQUIRE(up());
    ORR_CHECK(orr_rank() == orr_test_rank() && orr_ranks() == orr_test_ranks());
    ORR_CHECK(orr_barrier() == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_rank() == 0 && orr_ranks() == 1);
}

static void grids_have_groups(void)
{
    ORR_REQUIRE(up());
    int64_t n = orr_ranks();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ 1, -1 }));
    ORR_REQUIRE(g);
    ORR_CHECK(orr_grid_place(g, 0) == 0 && orr_grid_place(g, 1) == orr_rank() && orr_grid_place(g, 2) == -1);
    ORR_CHECK(orr_grid_make(2, ((int64_t[]){ 1, n })) == g);
    ORR_CHECK(!orr_grid_make(1, ((int64_t[]){ n + 1 })) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_grid_make(4, ((int64_t[]){ 1, 1, 1, n })) && orr_error_status() == ORR_EINVAL);
    orr_grid_free(g);
    orr_grid_free(g);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The groups of a 2 × 3 × 2 grid, for ranks that do not run here. */
static void grids_of_other_ranks_have_groups(void)
{
    for (int r = 0; r < 12; r++) {
        orr_grid *g = orr__grid_as_rank(here, 3, (int64_t[]){ 2, 3, 2 }, r);
        ORR_REQUIRE(g);
        ORR_CHECK(g->coordinate[0] == r / 6 && g->coordinate[1] == r / 2 % 3 && g->coordinate[2] == r % 2);
        const orr__group *middle = orr__grid_group(g, 2), *outer = orr__grid_group(g, 5), *all = orr__grid_group(g, 7);
        ORR_CHECK(middle->ranks == 3 && outer->ranks == 4 && all->ranks == 12 && all->self == r);
        for (int i = 0; i < 3; i++)
            ORR_CHECK(middle->rank[i] == r / 6 * 6 + i * 2 + r % 2);
        for (int i = 0; i < 4; i++)
            ORR_CHECK(outer->rank[i] == i / 2 * 6 + r / 2 % 3 * 2 + i % 2);
        ORR_CHECK(middle->rank[middle->self] == r && outer->rank[outer->self] == r);
        orr__grid_free(g);
    }
}

/* Small integers, so that sums are exact in every dtype; an occasional NaN where the dtype has one. */
static orr__scalar value(orr_dtype t, int rank, int64_t i)
{
    int v = (int)((i * 7 + rank * 3 + i * rank) % 11) - (orr__is_unsigned(t) || t == ORR_BOOL ? 0 : 5);
    double f = orr__is_float(t) && i % 97 == 5 && rank == 1 ? (double)NAN : (double)v;
    return orr__scalar_cast((orr__scalar){ .f = f }, ORR_F64, t);
}

static void *array(orr_dtype t, int rank, int64_t n)
{
    char *p = malloc((size_t)(n ? n : 1) * orr__dtype_size(t));
    for (int64_t i = 0; p && i < n; i++)
        orr__scalar_store(p + (size_t)i * orr__dtype_size(t), t, value(t, rank, i));
    return p;
}

static double at(const void *p, orr_dtype t, int64_t i)
{
    return orr__scalar_f64(orr__scalar_load((const char *)p + (size_t)i * orr__dtype_size(t), t), t);
}

static double expected(orr_dtype t, orr__reduction reduction, int64_t i)
{
    double acc = orr__scalar_f64(value(t, 0, i), t);
    for (int r = 1; r < orr_ranks(); r++) {
        double v = orr__scalar_f64(value(t, r, i), t);
        if (reduction == ORR__REDUCTION_SUM)
            acc = t == ORR_BOOL ? acc != 0 || v != 0 : acc + v;
        else if (isnan(acc) || isnan(v))
            acc = NAN;
        else
            acc = reduction == ORR__REDUCTION_MAX ? fmax(acc, v) : fmin(acc, v);
    }
    return acc;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void reductions_of_every_dtype(void)
{
    ORR_REQUIRE(up());
    static const int64_t size[] = { 0, 1, 5, 1000, 20011 };
    for (orr_dtype t = ORR_BOOL; t < ORR_C64; t++)
        for (int reduction = ORR__REDUCTION_SUM; reduction <= ORR__REDUCTION_MIN; reduction++)
            for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
                int64_t n = size[s], wrong = 0;
                void *p = array(t, orr_rank(), n);
                orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                                    .reduction = (orr__reduction)reduction,
                                    .dtype = t,
                                    .group = orr__group_all(),
                                    .in = p,
                                    .out = p,
                                    .count = n };
                ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
                for (int64_t i = 0; i < n; i++)
                    wrong += !same(at(p, t, i), expected(t, (orr__reduction)reduction, i));
                ORR_CHECK_MSG(wrong == 0, "%s, reduction %d: %lld of %lld", orr_dtype_name(t), reduction,
                              (long long)wrong, (long long)n);
                free(p);
            }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* 1 + n·2^-11 in f16: rounding after each addition loses every term, one rounding at the end loses none that matters. */
static void halves_round_once(void)
{
    ORR_REQUIRE(up());
    enum { N = 10000 };
    uint16_t *p = malloc(N * sizeof *p);
    ORR_REQUIRE(p);
    for (int i = 0; i < N; i++)
        p[i] = orr__f32_to_f16(orr_rank() == 0 ? 1.0f : 0x1p-11f);
    orr__exchange x = {
        .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F16, .group = orr__group_all(), .in = p, .out = p, .count = N
    };
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    uint16_t want = orr__f32_to_f16(1.0f + (float)(orr_ranks() - 1) * 0x1p-11f);
    ORR_CHECK(p[0] == want && p[N - 1] == want);
    free(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Uneven shares, including empty ones. */
static void parts_arrive(void)
{
    ORR_REQUIRE(up());
    int n = orr_ranks(), me = orr_rank();
    int64_t part[8] = { 0 }, to[8] = { 0 }, from[8] = { 0 }, sum = 0, total_from = 0, total_to = 0;
    for (int k = 0; k < n; k++) {
        part[k] = k == 1 ? 0 : 3000 * k + 11;
        sum += part[k];
        to[k] = (me + 2 * k) % 3 * 1000;
        from[k] = (k + 2 * me) % 3 * 1000;
        total_to += to[k];
        total_from += from[k];
    }
    float *all = array(ORR_F32, me, sum), *out = malloc((size_t)(sum + total_from + 1) * sizeof *out);
    orr__exchange scatter = { .kind = ORR__EXCHANGE_REDUCE_SCATTER,
                              .dtype = ORR_F32,
                              .group = orr__group_all(),
                              .in = all,
                              .out = out,
                              .part = part };
    ORR_CHECK(orr__exchange_wait(here, &scatter) == ORR_OK);
    int64_t first = 0, wrong = 0;
    for (int k = 0; k < me; k++)
        first += part[k];
    for (int64_t i = 0; i < part[me]; i++)
        wrong += !same((double)out[i], expected(ORR_F32, ORR__REDUCTION_SUM, first + i));
    ORR_CHECK_MSG(wrong == 0, "reduce-scatter: %lld", (long long)wrong);

    float *mine = array(ORR_F32, me, part[me]);
    orr__exchange gather = { .kind = ORR__EXCHANGE_ALL_GATHER,
                             .dtype = ORR_F32,
                             .group = orr__group_all(),
                             .in = mine,
                             .out = out,
                             .part = part };
    ORR_CHECK(orr__exchange_wait(here, &gather) == ORR_OK);
    wrong = 0;
    for (int64_t k = 0, i = 0; k < n; k++)
        for (int64_t j = 0; j < part[k]; j++, i++)
            wrong += !same((double)out[i], orr__scalar_f64(value(ORR_F32, (int)k, j), ORR_F32));
    ORR_CHECK_MSG(wrong == 0, "all-gather: %lld", (long long)wrong);

    float *send = malloc((size_t)(total_to + 1) * sizeof *send);
    for (int64_t k = 0, i = 0; send && k < n; k++)
        for (int64_t j = 0; j < to[k]; j++)
            send[i++] = (float)(me * 100000 + k * 10000 + j);
    orr__exchange swap = { .kind = ORR__EXCHANGE_ALL_TO_ALL,
                           .dtype = ORR_F32,
                           .group = orr__group_all(),
                           .in = send,
                           .out = out,
                           .part = to,
                           .from = from };
    ORR_CHECK(orr__exchange_wait(here, &swap) == ORR_OK);
    wrong = 0;
    for (int64_t k = 0, i = 0; k < n; k++)
        for (int64_t j = 0; j < from[k]; j++)
            wrong += out[i++] != (float)(k * 100000 + me * 10000 + j);
    ORR_CHECK_MSG(wrong == 0, "all-to-all: %lld", (long long)wrong);

    double root[3000];
    for (int i = 0; i < 3000; i++)
        root[i] = me == n - 1 ? i : -1;
    orr__exchange cast = { .kind = ORR__EXCHANGE_BROADCAST,
                           .dtype = ORR_F64,
                           .group = orr__group_all(),
                           .in = root,
                           .out = root,
                           .count = 3000,
                           .root = n - 1 };
    ORR_CHECK(orr__exchange_wait(here, &cast) == ORR_OK && root[0] == 0 && root[2999] == 2999);
    free(all);
    free(out);
    free(mine);
    free(send);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

typedef struct counter {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    int left, wrong, order[256];
} counter;
typedef struct posted {
    counter *c;
    int number;
} posted;

static void count_down(void *argument, orr_status st, const char *text)
{
    posted *p = argument;
    pthread_mutex_lock(&p->c->lock);
    p->c->wrong += st != ORR_OK || text;
    p->c->left--;
    pthread_cond_signal(&p->c->cond);
    pthread_mutex_unlock(&p->c->lock);
}

/* Short and long exchanges of the rows, the columns and all of a grid, all in progress at once. */
static void many_exchanges_at_once(void)
{
    ORR_REQUIRE(up());
    enum { N = 200 };
    int n = orr_ranks();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ n % 2 ? 1 : 2, -1 }));
    ORR_REQUIRE(g);
    counter c = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER, .left = N };
    static float *data[N];
    static posted argument[N];
    for (int i = 0; i < N; i++) {
        int64_t count = i % 3 ? 40 * i + 1 : 9000 + i;
        data[i] = malloc((size_t)count * sizeof(float));
        for (int64_t k = 0; k < count; k++)
            data[i][k] = (float)(orr_rank() + 1);
        argument[i] = (posted){ &c, i };
        orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                            .dtype = ORR_F32,
                            .group = orr__grid_group(g, (unsigned)(1 + i % 3)),
                            .in = data[i],
                            .out = data[i],
                            .count = count,
                            .done = count_down,
                            .argument = &argument[i] };
        orr__exchange_post(&x);
    }
    pthread_mutex_lock(&c.lock);
    while (c.left)
        pthread_cond_wait(&c.cond, &c.lock);
    pthread_mutex_unlock(&c.lock);
    ORR_CHECK(c.wrong == 0);
    for (int i = 0; i < N; i++) {
        const orr__group *group = orr__grid_group(g, (unsigned)(1 + i % 3));
        float want = 0;
        for (int k = 0; k < group->ranks; k++)
            want += (float)(group->rank[k] + 1);
        ORR_CHECK(data[i][0] == want && data[i][40 * (i % 3 ? i : 1)] == want);
        free(data[i]);
    }
    orr_grid_free(g);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A failure of one rank ends the exchanges of all with an error that names it, and no session can follow. */
static void a_failure_is_told(void)
{
    ORR_REQUIRE(up());
    if (orr_ranks() > 1) {
        double began = orr__now();
        if (orr_rank() == 1)
            orr__ranks_fail("out of memory (test)");
        orr_status st = orr_rank() == 1 ? ORR_ERANK : orr_barrier();
        ORR_CHECK(st == ORR_ERANK);
        if (orr_rank() != 1)
            ORR_CHECK_MSG(strstr(orr_error_message(), "rank 1 of") && strstr(orr_error_message(), "memory (test)"),
                          "%s", orr_error_message());
        ORR_CHECK(orr_barrier() == ORR_ERANK);
        ORR_CHECK(orr__now() - began < 10);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_ranks() == 1 || orr_init(NULL) == ORR_ERANK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(ranks_are_those_of_the_launcher),
        ORR_TEST(grids_have_groups),
        ORR_TEST(grids_of_other_ranks_have_groups),
        ORR_TEST(reductions_of_every_dtype),
        ORR_TEST(halves_round_once),
        ORR_TEST(parts_arrive),
        ORR_TEST(many_exchanges_at_once),
        ORR_TEST(a_failure_is_told),
        { 0 },
    };
    return orr_test_ranks_main(argc, argv, "exchange", tests, (const int[]){ 1, 2, 3, 4, 5, 0 });
}
