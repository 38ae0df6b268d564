/* Planning before a run: measured memory, the batch that fits, placements beside GLPK's optima.
 * Must not know: how plans are made. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* -- placements -------------------------------------------------------------------------------------------- */

enum { SHARDS = 24, DEVICES = 6 };
typedef struct {
    orr_shard shard[SHARDS];
    orr_place_device device[DEVICES];
    int n, m;
} instance;

static int64_t draw(unsigned long long *seed, unsigned n)
{
    return (int64_t)(orr_test_rand(seed) % n);
}

/* As in tests/golden/place/make_place.py. */
static instance make(unsigned long long seed)
{
    instance x = { 0 };
    int64_t total = 0;
    x.n = (int)(4 + draw(&seed, 21));
    x.m = (int)(2 + draw(&seed, 5));
    for (int i = 0; i < x.n; i++) {
        x.shard[i].bytes = 1 + draw(&seed, 100);
        x.shard[i].flops = (double)(1 + draw(&seed, 1000));
        x.shard[i].out_bytes = draw(&seed, 50);
        total += x.shard[i].bytes;
    }
    for (int d = 0; d < x.m; d++) {
        x.device[d].bytes = total * (90 + draw(&seed, 110)) / (100 * x.m);
        x.device[d].flops_per_second = (double)(1 + draw(&seed, 8));
        x.device[d].bytes_per_second = (double)(1 + draw(&seed, 4));
        x.device[d].latency = (double)draw(&seed, 5);
    }
    return x;
}

/* The time of a placement by its definition; −1: it breaks a limit. */
static double time_of(const instance *x, const int *at, orr_place_goal goal)
{
    double load[DEVICES] = { 0 }, sum = 0.0, most = 0.0;
    int64_t room[DEVICES];
    for (int d = 0; d < x->m; d++)
        room[d] = x->device[d].bytes;
    for (int i = 0; i < x->n; i++) {
        const orr_place_device *d = &x->device[at[i]], *b = &x->device[at[i > 0 ? i - 1 : 0]];
        double t = x->shard[i].flops / d->flops_per_second;
        if (i > 0 && d != b)
            t += fmax(d->latency, b->latency) +
                 (double)x->shard[i - 1].out_bytes / fmin(d->bytes_per_second, b->bytes_per_second);
        load[at[i]] += t;
        sum += t;
        if ((room[at[i]] -= x->shard[i].bytes) < 0)
            return -1.0;
    }
    for (int d = 0; d < x->m; d++)
        most = fmax(most, load[d]);
    return goal == ORR_PLACE_LATENCY ? sum : most;
}

static bool runs_are_single(const instance *x, const int *at)
{
    for (int i = 1; i < x->n; i++)
        for (int k = 0; k < i - 1 && at[i] != at[i - 1]; k++)
            if (at[k] == at[i])
                return false;
    return true;
}

static struct {
    int asked, optimal, none;
    double gap;
} tally;

static void compare(unsigned long long seed, bool contiguous, orr_place_goal goal, const char *text)
{
    instance x = make(seed);
    int at[SHARDS];
    orr_placement p = { 0 };
    if (strcmp(text, "?") == 0)
        return;
    double want = strtod(text, NULL);
    orr_status st = orr_place(x.shard, x.n, x.device, x.m, contiguous, goal, at, &p);
    tally.asked++;
    if (want < 0.0) {
        tally.none++;
        ORR_CHECK_MSG(st == ORR_ENOMEM, "seed %llu: %s", seed, orr_status_name(st));
        return;
    }
    if (st != ORR_OK) {
        ORR_CHECK_MSG(false, "seed %llu: %s", seed, orr_error_message());
        return;
    }
    double is = time_of(&x, at, goal);
    ORR_CHECK_MSG(fabs(is - p.seconds) <= 1e-9 * is, "seed %llu: %g is said, %g it is", seed, p.seconds, is);
    ORR_CHECK(!contiguous || runs_are_single(&x, at));
    ORR_CHECK_MSG(p.bound <= want * (1.0 + 1e-6), "seed %llu: bound %g, optimum %g", seed, p.bound, want);
    if (p.optimal) {
        tally.optimal++;
        ORR_CHECK_MSG(fabs(is - want) <= 1e-6 * want, "seed %llu: %.9g, GLPK %.9g", seed, is, want);
    } else {
        tally.gap = fmax(tally.gap, is / want - 1.0);
    }
}

static void placements_equal_glpk(void)
{
    FILE *f = fopen(orr_test_golden("place/place.txt"), "re");
    unsigned long long seed;
    char latency[64], busy[64], runs[64];
    int most = getenv("ORR_TEST_FULL") ? 1000000 : 150;
    ORR_REQUIRE(f);
    memset(&tally, 0, sizeof tally);
    for (int i = 0; i < most && fscanf(f, "%llu %63s %63s %63s", &seed, latency, busy, runs) == 4; i++) {
        compare(seed, false, ORR_PLACE_LATENCY, latency);
        compare(seed, false, ORR_PLACE_THROUGHPUT, busy);
        compare(seed, true, ORR_PLACE_LATENCY, runs);
    }
    (void)fclose(f);
    printf("    %d placements: %d proved optimal, %d impossible, largest gap of the others %.2f %%\n", tally.asked,
           tally.optimal, tally.none, 100.0 * tally.gap);
    ORR_CHECK(tally.asked > 100 && tally.none > 0 && tally.gap < 0.05);
}

static void short_limit_is_named(void)
{
    orr_shard s[3] = { { "first", 10, 1.0, 1 }, { "second", 30, 1.0, 1 }, { "third", 10, 1.0, 1 } };
    orr_place_device d[2] = { { "left", 20, 1.0, 1.0, 0.0 }, { "right", 20, 1.0, 1.0, 0.0 } };
    int at[3];
    orr_placement p;
    ORR_CHECK(orr_place(s, 3, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_ENOMEM);
    ORR_CHECK(strstr(orr_error_message(), "part second needs 30 bytes") && strstr(orr_error_message(), "20"));
    s[1].bytes = 20;
    d[0].bytes = d[1].bytes = 20;
    s[0].bytes = 15;
    ORR_CHECK(orr_place(s, 3, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_ENOMEM &&
              strstr(orr_error_message(), "5 are short"));
    s[0].bytes = 12;
    s[1].bytes = 12;
    s[2].bytes = 12;
    ORR_CHECK(orr_place(s, 3, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_ENOMEM &&
              strstr(orr_error_message(), "in pieces"));
    ORR_CHECK(orr_place(s, 0, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_EINVAL);
    d[0].flops_per_second = 0.0;
    ORR_CHECK(orr_place(s, 3, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_EINVAL &&
              strstr(orr_error_message(), "left"));
    ORR_CHECK(orr_place(NULL, 3, d, 2, false, ORR_PLACE_LATENCY, at, &p) == ORR_EINVAL);
}

/* -- memory ------------------------------------------------------------------------------------------------ */

/* A layer of a network and its gradient, with the memory of a step. */
static int layer(int64_t batch, orr_tensor **out, int max, void *user)
{
    orr_tensor *const *v = user;
    (void)max;
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(batch, 512), 0.0, 1.0);
    orr_tensor *h = orr_relu(orr_matmul(x, v[0])), *y = orr_matmul(h, v[1]);
    orr_tensor *loss = orr_mean(orr_mul(y, y), ORR_ALL_AXES, false);
    out[0] = loss;
    return orr_grad(loss, v, 2, out + 1) == ORR_OK ? 3 : -1;
}

static void predicted_memory_is_measured(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[2] = { orr_variable(orr_randn(ORR_F32, ORR_SHAPE(512, 1024), 0.0, 0.1)),
                         orr_variable(orr_randn(ORR_F32, ORR_SHAPE(1024, 256), 0.0, 0.1)) };
    ORR_REQUIRE(orr_eval_all(v, 2) == ORR_OK);
    for (int64_t batch = 256; batch <= 4096; batch *= 4) {
        orr_scope *in = orr_scope_begin();
        orr_tensor *out[3];
        orr_memory_plan m;
        ORR_REQUIRE(layer(batch, out, 3, v) == 3 && orr_plan_memory(out, 3, &m) == ORR_OK);
        orr_memory_trim();
        size_t before = orr_memory_stats().live;
        orr_memory_peak_reset();
        ORR_CHECK(orr_eval_all(out, 3) == ORR_OK);
        double grown = (double)orr_memory_stats().peak - (double)before, said = (double)(m.work + m.scratch);
        ORR_CHECK_MSG(fabs(grown - said) <= 0.05 * grown + 65536, "batch %lld: %g bytes predicted, %g measured",
                      (long long)batch, said, grown);
        ORR_CHECK(m.inputs == (512 + 256) * 1024 * 4 && m.results >= m.inputs &&
                  m.host == m.inputs + m.work + m.scratch);
        ORR_CHECK(m.steps > 0 && m.tasks > 0 && m.seconds > 0.0);
        (void)orr_scope_end(in);
    }
    orr_memory_plan none;
    ORR_CHECK(orr_plan_memory(v, 2, &none) == ORR_OK && none.host == 0 && none.steps == 0);
    ORR_CHECK(orr_plan_memory(NULL, 2, &none) == ORR_EINVAL && orr_plan_memory(v, 0, &none) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

static int refusing(int64_t batch, orr_tensor **out, int max, void *user)
{
    (void)batch;
    (void)max;
    (void)user;
    out[0] = orr_ones(ORR_F32, ORR_SHAPE(-3));
    return -1;
}

static void largest_batch_fits_and_the_next_does_not(void)
{
    orr_scope *s = orr_scope_begin();
    orr_batch_choice c;
    orr_memory_plan m, next;
    orr_tensor *v[2] = { orr_variable(orr_randn(ORR_F32, ORR_SHAPE(512, 1024), 0.0, 0.1)),
                         orr_variable(orr_randn(ORR_F32, ORR_SHAPE(1024, 256), 0.0, 0.1)) },
               *out[3];
    ORR_REQUIRE(orr_eval_all(v, 2) == ORR_OK);
    int64_t limit = 40 << 20;
    ORR_REQUIRE(orr_optimal_batch(layer, v, 100000, limit, &c) == ORR_OK);
    ORR_REQUIRE(layer(c.largest, out, 3, v) == 3 && orr_plan_memory(out, 3, &m) == ORR_OK);
    ORR_REQUIRE(layer(c.largest + 1, out, 3, v) == 3 && orr_plan_memory(out, 3, &next) == ORR_OK);
    ORR_CHECK_MSG(m.most <= limit && next.most > limit, "%lld: %lld and %lld bytes", (long long)c.largest,
                  (long long)m.most, (long long)next.most);
    ORR_CHECK(m.host <= m.most);
    ORR_CHECK(c.fastest >= 1 && c.fastest <= c.largest && c.peak <= limit && c.seconds > 0.0 && c.seconds < 60.0);
    ORR_CHECK(orr_optimal_batch(layer, v, 64, limit, &c) == ORR_OK && c.largest == 64);
    ORR_CHECK(orr_optimal_batch(layer, v, 64, 1000, &c) == ORR_ENOMEM &&
              strstr(orr_error_message(), "a batch of 1 needs"));
    ORR_CHECK(orr_optimal_batch(NULL, v, 64, 0, &c) == ORR_EINVAL &&
              orr_optimal_batch(layer, v, 0, 0, &c) == ORR_EINVAL);
    ORR_CHECK(orr_optimal_batch(refusing, NULL, 8, 0, &c) == ORR_ESHAPE);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(placements_equal_glpk),
        ORR_TEST(short_limit_is_named),
        ORR_TEST(predicted_memory_is_measured),
        ORR_TEST(largest_batch_fits_and_the_next_does_not),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.place", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
