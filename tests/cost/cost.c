/* Predicted times, beside measured ones of loops in cache (Zen 4 of 2022, AVX-512, gcc 12, one core); their order.
 * Must not know: how plans are made. */
#include "config.h"

#include "ops/ops.h"
#include "runtime/base/env.h"
#include "runtime/plan/passes.h"
#include "runtime/cost/profile.h"
#include "tests/harness/harness.h"
#include "tests/harness/region_build.h"

enum { N = 1 << 20 };
static rb b;

static int begin(orr_dtype t)
{
    const int64_t n = N;
    rb_begin(&b, RB_MAP, 1, &n);
    return rb_load(&b, rb_linear(&b, rb_input(&b, t, N)));
}

static int by(const char *name, int x, orr_dtype t, double s)
{
    return rb_ew(&b, name, x, rb_scalar(&b, t, (orr__scalar){ .f = s }), -1);
}

static double ns(orr_dtype t, int out)
{
    rb_out(&b, t, out);
    return orr__cost_predict(&b.r) * 1e3 / N;
}

static double poly6(orr_dtype t)
{
    int x = by("add", by("mul", begin(t), t, 1.5), t, 0.25);
    int q = by("add", rb_ew(&b, "mul", by("add", by("mul", x, t, 2), t, 3), x, -1), t, 1);
    return ns(t, by("prelu", q, t, 0.01));
}

static double chain32(orr_dtype t)
{
    int x = begin(t), v = x;
    for (int i = 0; i < 8; i++)
        v = by("sub", by("maximum", rb_ew(&b, "add", by("mul", v, t, 0.9), x, -1), t, -0.3), t, 0.1);
    return ns(t, v);
}

static double affine(const char *name, orr_dtype t)
{
    return ns(t, rb_ew(&b, name, by("add", by("mul", begin(t), t, 1.5), t, 0.25), -1, -1));
}

static double dropout(orr_dtype t)
{
    int x = begin(t), u = rb_random(&b, ORR__DUNIFORM, ORR_F32, rb_linear(&b, -1), 7, 0, 0);
    return ns(t, rb_ew(&b, "where", by("less", u, ORR_F32, 0.5), x, rb_scalar(&b, t, (orr__scalar){ .f = 0 })));
}

static void near(const char *what, double predicted, double measured)
{
    ORR_CHECK_MSG(predicted < 2 * measured && measured < 2 * predicted, "%s: %g ns predicted, %g measured", what,
                  predicted, measured);
}

static void predictions_are_near_what_was_measured(void)
{
    near("poly6 f32", poly6(ORR_F32), 0.09);
    near("poly6 f64", poly6(ORR_F64), 0.23);
    near("poly6 bf16", poly6(ORR_BF16), 0.57);
    near("chain of 32 ops", chain32(ORR_F32), 0.52);
    near("silu f32", affine("silu", ORR_F32), 0.34);
    near("silu f64", affine("silu", ORR_F64), 1.88);
    near("silu bf16", affine("silu", ORR_BF16), 0.65);
    near("gelu f32", affine("gelu_tanh", ORR_F32), 0.45);
    near("gelu f64", affine("gelu_tanh", ORR_F64), 3.15);
    near("dropout f32", dropout(ORR_F32), 0.5);
}

static void memory_bounds_what_is_easy(void)
{
    int x = begin(ORR_F32);
    rb_out(&b, ORR_F32, rb_ew(&b, "add", x, x, -1));
    b.r.bytes = 8.0 * N;
    double easy = orr__cost_predict(&b.r);
    b.r.bytes = 16.0 * N;
    double twice = orr__cost_predict(&b.r);
    ORR_CHECK(twice > 1.999 * easy && twice < 2.001 * easy);
}

static void small_chains_stay_inline(void)
{
    double each = chain32(ORR_F32) * 4096 / 1e3;
    ORR_CHECK_MSG(each < orr__inline_us() / 10, "%g us", each);
}

static void the_interpreter_is_slower(void)
{
    double compiled = chain32(ORR_F32);
    int jit = orr__env.jit;
    orr__env.jit = ORR__JIT_OFF;
    ORR_CHECK(orr__cost_predict(&b.r) * 1e3 / N > 4 * compiled);
    orr__env.jit = jit;
}

/* The number of tiles of a chain over 4096 rows at this ORRERY_TILE_US; < 0: auto. */
static int tiles(int64_t tile_us, double us)
{
    int64_t dims[2] = { 4096, 1024 }, before = orr__env.tile_us;
    int workers = orr__machine_here.workers;
    rb_begin(&b, RB_MAP, 2, dims);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 4096 * 1024)));
    rb_out(&b, ORR_F32, rb_ew(&b, "add", x, x, -1));
    orr__machine_here.workers = 2;
    orr__env.tile_us = tile_us;
    int n = orr__region_tiles(&b.r, us, false);
    orr__env.tile_us = before;
    orr__machine_here.workers = workers;
    return n;
}

/* A sweep of settings is one of tiles: bench/tile.c and orrery-tune depend on that. */
static void a_tile_setting_is_obeyed(void)
{
    static const int want[][2] = { { 50, 80 },  { 100, 40 }, { 200, 20 },   { 400, 10 },
                                   { 1000, 4 }, { 4000, 1 }, { 1000000, 1 } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ORR_CHECK_MSG(tiles(want[i][0], 4000) == want[i][1], "%d us: %d tiles", want[i][0], tiles(want[i][0], 4000));
    ORR_CHECK(tiles(0, 1e6) <= 128 && tiles(0, 1e6) >= 64);
    ORR_CHECK_MSG(tiles(-1, 4000) == 2, "%d", tiles(-1, 4000));
    orr__env.deterministic = true; /* for any setting */
    ORR_CHECK(tiles(50, 4000) == tiles(1000000, 4000));
    orr__env.deterministic = false;
}

/* The number of tiles of a plan's only step, with 50 us for a single task and 5 for each further one. */
static int tiles_alone(int workers, double us)
{
    int64_t dims[2] = { 4096, 64 };
    int before = orr__machine_here.workers;
    rb_begin(&b, RB_MAP, 2, dims);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 4096 * 64)));
    rb_out(&b, ORR_F32, rb_ew(&b, "add", x, x, -1));
    orr__machine_here.workers = workers;
    int n = orr__region_tiles(&b.r, us, true);
    orr__machine_here.workers = before;
    return n;
}

static void the_only_step_of_a_plan_is_cut_if_it_ends_sooner(void)
{
    static const int want[][3] = { { 2, 100, 1 }, { 2, 119, 1 }, { 2, 121, 2 },  { 2, 250, 2 },
                                   { 8, 60, 1 },  { 8, 250, 7 }, { 8, 1000, 8 }, { 1, 1000, 1 } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ORR_CHECK_MSG(tiles_alone(want[i][0], want[i][1]) == want[i][2], "%d workers, %d us: %d tiles", want[i][0],
                      want[i][1], tiles_alone(want[i][0], want[i][1]));
    orr__env.tile_us = 200; /* an explicit size of tiles is used as it is */
    ORR_CHECK(tiles_alone(2, 250) == 1);
    orr__env.tile_us = -1;
    orr__env.deterministic = true; /* with this setting, cuts depend on the work alone */
    ORR_CHECK(tiles_alone(2, 250) == tiles_alone(8, 250));
    orr__env.deterministic = false;
}

/* The number of tiles of a product of n rows that takes a second, for `workers` workers. */
static int panels(int64_t n, int workers)
{
    int64_t dims[3] = { n, n, n };
    int before = orr__machine_here.workers;
    rb_begin(&b, RB_MATMUL, 3, dims);
    orr__machine_here.workers = workers;
    int tiles = orr__region_tiles(&b.r, 1e6, false);
    orr__machine_here.workers = before;
    return tiles;
}

/* Each tile packs the whole other operand; 3 tiles do not divide among 2 workers. */
static void products_have_few_and_even_tiles(void)
{
    static const int want[][3] = {
        { 1536, 2, 2 },  { 2048, 2, 2 },  { 4096, 2, 2 },   { 6144, 2, 2 }, { 8192, 2, 4 },
        { 16384, 2, 8 }, { 65536, 2, 8 }, { 4096, 16, 16 }, { 6144, 3, 3 }, { 16384, 3, 6 }
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ORR_CHECK_MSG(panels(want[i][0], want[i][1]) == want[i][2], "%d rows, %d workers: %d tiles", want[i][0],
                      want[i][1], panels(want[i][0], want[i][1]));
}

/* The number of tiles of a recurrence of n sequences that takes `us`, for `workers` workers. */
static int sequences(int64_t n, int workers, double us)
{
    int64_t dims[2] = { n, 64 };
    int before = orr__machine_here.workers;
    rb_begin(&b, RB_MAP, 2, dims);
    b.r.call.op = &orr__op_recurrence;
    orr__machine_here.workers = workers;
    int tiles = orr__region_tiles(&b.r, us, false);
    orr__machine_here.workers = before;
    return tiles;
}

/* Each tile reads the packed weights at each step, for 16 sequences side by side at the cost of one. If there are more tiles
 * than workers, each has at least 16 sequences. */
static void recurrences_have_panels_of_sequences(void)
{
    static const int want[][3] = { { 1, 4, 1 },  { 3, 4, 3 },   { 32, 2, 2 },  { 48, 2, 2 },   { 64, 2, 4 },
                                   { 96, 2, 6 }, { 112, 2, 6 }, { 128, 2, 8 }, { 1000, 2, 8 }, { 32, 16, 16 },
                                   { 64, 3, 3 }, { 100, 3, 6 }, { 256, 3, 12 } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ORR_CHECK_MSG(sequences(want[i][0], want[i][1], 1e6) == want[i][2], "%d sequences, %d workers: %d tiles",
                      want[i][0], want[i][1], sequences(want[i][0], want[i][1], 1e6));
    ORR_CHECK(sequences(1000, 4, 1) == 1); /* too little work for a second task */
    orr__env.tile_us = 4000;
    ORR_CHECK_MSG(sequences(32, 2, 40000) == 10, "%d", sequences(32, 2, 40000)); /* as requested */
    orr__env.tile_us = -1;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(predictions_are_near_what_was_measured),
                                      ORR_TEST(memory_bounds_what_is_easy),
                                      ORR_TEST(small_chains_stay_inline),
                                      ORR_TEST(the_interpreter_is_slower),
                                      ORR_TEST(a_tile_setting_is_obeyed),
                                      ORR_TEST(products_have_few_and_even_tiles),
                                      ORR_TEST(recurrences_have_panels_of_sequences),
                                      ORR_TEST(the_only_step_of_a_plan_is_cut_if_it_ends_sooner),
                                      { 0 } };
    return orr__env_load() != ORR_OK ? 1 : orr_test_main(argc, argv, "cost.cost", tests);
}
