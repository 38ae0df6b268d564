/* CUDA graphs of bundles that repeat, on a GPU or on the double of CUDA's libraries: the same bits as launches one by one, for random plans
 * beside each other, new inputs, sizes that change, scalars that change and variables that are updated; memory that grows; each failure of a
 * capture; counts and memory.
 * Must not know: planner, fuser, kernels. */
#include "config.h"

#include <stdlib.h>
#include <orrery.h>
#include <orrery/conv.h>
#include <orrery/fft.h>
#include "runtime/base/held.h"
#include "tests/harness/cuda_engine.h"

enum { PLANS = 3, ROUNDS = 8, OPERATIONS = 5, COLUMNS = 16, VALUES = 2 * PLANS * ROUNDS };

static unsigned state;

static unsigned draw(unsigned of)
{
    state = state * 1664525U + 1013904223U;
    return (state >> 16) % of;
}

static orr_tensor *input(int64_t rows, int seed)
{
    float x[64 * COLUMNS];
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        x[i] = (float)((i * 37 + seed * 11) % 101) / 50 - 1;
    return orr_from(ORR_F32, ORR_SHAPE(rows, COLUMNS), x);
}

/* One operation of a random plan; products keep (rows, COLUMNS). */
static orr_tensor *grow(orr_tensor *h, orr_tensor *x, orr_tensor *w, double scalar)
{
    switch (draw(8)) {
    case 0: return orr_tanh(h);
    case 1: return orr_add(orr_mul(h, orr_scalar(scalar)), x);
    case 2: return orr_softmax(h, -1);
    case 3: return orr_matmul(h, w);
    case 4: return orr_sub(h, orr_mean(h, ORR_AXES(0), true));
    case 5: return orr_matmul(orr_matmul(h, orr_swapaxes(x, 0, 1)), x);
    case 6: return orr_relu(orr_add(orr_matmul(h, w), orr_sum(x, ORR_AXES(0), true)));
    default: return orr_mul(h, orr_sigmoid(x));
    }
}

/* Round k of a plan: its variable gets a new value that depends on the result. */
static orr_status round_of(int plan, int k, orr_tensor *w, double *value)
{
    int64_t rows = plan == 1 && k % 3 == 2 ? 8 : 24;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = input(rows, k + 3 * plan), *h = x;
    state = 77U + (unsigned)plan;
    for (int i = 0; i < OPERATIONS; i++)
        h = grow(h, x, w, 0.5 + 0.01 * k);
    orr_tensor *loss = orr_mean(orr_square(h), ORR_ALL_AXES, false);
    orr_tensor *step = orr_matmul(orr_swapaxes(x, 0, 1), orr_tanh(h));
    orr_status st = orr_assign(w, orr_sub(w, orr_mul(step, orr_scalar(0.001 * (k + 1)))));
    st = st == ORR_OK ? orr_item(loss, &value[0]) : st;
    st = st == ORR_OK ? orr_item(orr_sum(w, ORR_ALL_AXES, false), &value[1]) : st;
    orr_scope_end(s);
    return st;
}

/* All rounds of all plans in turns, each value. */
static orr_status rounds(double *value)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w[PLANS];
    orr_status st = ORR_OK;
    for (int p = 0; p < PLANS; p++)
        w[p] = orr_variable(input(COLUMNS, p));
    for (int k = 0; k < ROUNDS && st == ORR_OK; k++)
        for (int p = 0; p < PLANS && st == ORR_OK; p++)
            st = round_of(p, k, w[p], &value[2 * (k * PLANS + p)]);
    orr_scope_end(s);
    return st;
}

typedef struct {
    double value[VALUES];
    uint64_t launches, graphs, captures;
} result;

static bool up(const char *graphs)
{
    setenv("ORRERY_CUDA_GRAPHS", graphs, 1);
    bool is = cuda_engine_up("0") == ORR_OK;
    unsetenv("ORRERY_CUDA_GRAPHS");
    return is;
}

static void run(result *r)
{
    const orr__device_counts *d = &orr__device_did;
    r->launches = d->launches, r->graphs = d->graphs, r->captures = d->captures;
    ORR_CHECK_MSG(rounds(r->value) == ORR_OK, "%s", orr_error_message());
    r->launches = d->launches - r->launches;
    r->graphs = d->graphs - r->graphs;
    r->captures = d->captures - r->captures;
}

static void check_same(const result *a, const result *b)
{
    for (int i = 0; i < VALUES; i++)
        ORR_CHECK_MSG(a->value[i] == b->value[i], "value %d: %.17g, not %.17g", i, b->value[i], a->value[i]);
}

/* The values without graphs, computed once. */
static const result *plain(void)
{
    static result r;
    static bool there;
    if (!there) {
        ORR_CHECK(up("off"));
        run(&r);
        ORR_CHECK(r.graphs == 0 && r.captures == 0);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    there = true;
    return &r;
}

/* -- tests ------------------------------------------------------------------------------------------------------------- */

static void graphs_give_the_same_bits_and_launches(void)
{
    static result r;
    orr_stat row[64];
    uint64_t counted = 0;
    NEED(false);
    const result *right = plain();
    ORR_REQUIRE(up("on"));
    run(&r);
    check_same(right, &r);
    ORR_CHECK_MSG(r.graphs >= 2 * (uint64_t)PLANS && r.captures > 0, "%d launches of graphs, %d captures",
                  (int)r.graphs, (int)r.captures);
    ORR_CHECK_MSG(r.launches == right->launches, "%d launches, not %d", (int)r.launches, (int)right->launches);
    int rows = orr_stats(row, 64);
    for (int i = 0; i < rows && i < 64; i++)
        counted += strcmp(row[i].kind, "CUDA graphs: launches") == 0 ? row[i].tasks : 0;
    ORR_CHECK(counted == r.graphs);
    ORR_CHECK(orr__held(ORR_MEMORY_LIBRARIES) > 0);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr__held(ORR_MEMORY_LIBRARIES) == 0 && (cu.real || cu.state->execs == 0));
}

/* The same graph again: one call; with another scalar: and new arguments of the kernels that have it. */
static void the_same_places_need_one_call(void)
{
    NEED(true);
    ORR_REQUIRE(up("on"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = input(24, 1);
    double v[2] = { 0 };
    int untouched = 0, renewed = 0; /* runs; a slow machine may move values meanwhile, but not each time */
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < 40; i++) {
        orr_scope *inner = orr_scope_begin();
        int graphs = cu.state->graphs, set = cu.state->nodes_set, captures = cu.state->captures;
        double now = 0;
        orr_tensor *h = orr_matmul(orr_tanh(orr_mul(x, orr_scalar(i % 4 < 2 ? 1.5 : 2.5))), orr_swapaxes(x, 0, 1));
        ORR_CHECK(orr_item(orr_max(orr_softmax(h, -1), ORR_ALL_AXES, false), &now) == ORR_OK);
        ORR_CHECK(i % 2 == 1 || i < 4 || now == v[i / 2 % 2]);
        bool known = cu.state->captures == captures && cu.state->graphs > graphs;
        untouched += known && i % 2 == 1 && cu.state->nodes_set == set;
        renewed += known && i % 2 == 0 && cu.state->nodes_set > set;
        v[i / 2 % 2] = now;
        orr_scope_end(inner);
    }
    ORR_CHECK(v[0] != v[1]);
    ORR_CHECK_MSG(untouched > 0 && renewed > 0, "%d runs without a change, %d with", untouched, renewed);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Memory of the stream moves under graphs that exist: a fold with more parts than any before it. */
static void memory_that_grows_is_followed(void)
{
    double first = 0, v = 0;
    NEED(false);
    ORR_REQUIRE(up("on"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = input(64, 1), *wide = orr_rand(ORR_F32, ORR_SHAPE(64, 1 << 12), 0.0, 1.0);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, wide)) == ORR_OK);
    for (int i = 0; i < 10; i++) {
        orr_scope *inner = orr_scope_begin();
        ORR_CHECK(orr_item(orr_sum(orr_softmax(orr_mul(x, orr_sum(x, ORR_AXES(0), true)), -1), ORR_ALL_AXES, false),
                           i == 0 ? &first : &v) == ORR_OK);
        ORR_CHECK(i == 0 || v == first);
        if (i == 5)
            ORR_CHECK(orr_eval(orr_sum(orr_softmax(orr_matmul(orr_swapaxes(wide, 0, 1), x), 0), ORR_AXES(0), false)) ==
                      ORR_OK);
        orr_scope_end(inner);
    }
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The absolute values of two transforms and of a convolution, summed. */
static orr_tensor *by_libraries(orr_tensor *x, orr_tensor *w, double scalar)
{
    orr_tensor *h = orr_tanh(orr_mul(x, orr_scalar(scalar)));
    orr_tensor *image = orr_reshape(h, ORR_SHAPE(1, 1, 24, COLUMNS));
    orr_tensor *y = orr_conv(image, w, NULL, &(orr_conv_options){ .same = true });
    orr_tensor *real = orr_rfft(orr_reshape(y, ORR_SHAPE(24, COLUMNS)), 0, -1, ORR_FFT_BACKWARD);
    return orr_sum(orr_abs(orr_fft(real, 0, 0, ORR_FFT_BACKWARD)), ORR_ALL_AXES, false);
}

/* Ten transforms of other lengths, so that the plans of earlier ones end. */
static void other_transforms(orr_tensor *x)
{
    for (int n = 4; n < 24; n += 2)
        ORR_CHECK(orr_eval(orr_rfft(x, n, -1, ORR_FFT_BACKWARD)) == ORR_OK);
}

enum { LIBRARY_RUNS = 24 };

static void runs_of_libraries(double value[LIBRARY_RUNS])
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_rand(ORR_F32, ORR_SHAPE(1, 1, 3, 3), -1.0, 1.0), *x = input(24, 1);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(w, x)) == ORR_OK);
    for (int i = 0; i < LIBRARY_RUNS; i++) {
        orr_scope *inner = orr_scope_begin();
        ORR_CHECK_MSG(orr_item(by_libraries(x, w, i / 2 % 2 ? 1.5 : 0.5), &value[i]) == ORR_OK, "%s",
                      orr_error_message());
        if (i == LIBRARY_RUNS / 2)
            other_transforms(x);
        orr_scope_end(inner);
    }
    orr_scope_end(s);
}

/* Convolutions by cuDNN and transforms by cuFFT are calls of a graph; the end of a transform's plan ends the graph. */
static void calls_of_libraries_are_in_graphs(void)
{
    double right[LIBRARY_RUNS], v[LIBRARY_RUNS];
    NEED(false);
    for (int graphs = 0; graphs < 2; graphs++) {
        orr_seed(5);
        ORR_REQUIRE(up(graphs ? "on" : "off"));
        uint64_t before = orr__device_did.graphs, redone = orr__device_did.redone;
        int transforms = cu.real ? 0 : cu.state->factors;
        runs_of_libraries(graphs ? v : right);
        ORR_CHECK(cu.real || cu.state->factors > transforms); /* transforms are cuFFT's */
        ORR_CHECK(orr__device_did.redone == redone);
        ORR_CHECK_MSG((orr__device_did.graphs > before + 4) == graphs, "%d launches of graphs",
                      (int)(orr__device_did.graphs - before));
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    for (int i = 0; i < LIBRARY_RUNS; i++)
        ORR_CHECK_MSG(v[i] == right[i] && v[i] > 0, "run %d: %.17g, not %.17g", i, v[i], right[i]);
    ORR_CHECK(v[0] != v[2]);
}

/* The launches of a sequence whose capture fails are made one by one. */
static void failures_of_captures_lead_to_plain_launches(void)
{
    static result r;
    NEED(true);
    const result *right = plain();
    int *const code[] = { &cu.state->capture_code, &cu.state->capture_end_code, &cu.state->graph_code,
                          &cu.state->update_code };
    for (int i = 0; i < 4; i++) {
        ORR_REQUIRE(up("on"));
        orr__env.log = 0;
        *code[i] = 999;
        run(&r);
        *code[i] = 0;
        check_same(right, &r);
        ORR_CHECK_MSG(i == 3 || r.graphs == 0, "fault %d: %d launches of graphs", i, (int)r.graphs);
        ORR_CHECK_MSG(i == 3 || r.launches == right->launches, "fault %d: %d launches, not %d", i, (int)r.launches,
                      (int)right->launches);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* A launch of a graph that fails is work that the host does again. */
static void a_graph_that_fails_is_done_by_the_host(void)
{
    static result r;
    NEED(true);
    ORR_REQUIRE(up("on"));
    orr__env.log = 0;
    uint64_t redone = orr__device_did.redone;
    double value[2];
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(input(COLUMNS, 0));
    for (int k = 0; k < 8; k++) {
        cu.state->launch_code = k == 6 ? 719 - 18 : 0; /* out of resources */
        ORR_CHECK_MSG(round_of(0, k, w, value) == ORR_OK, "%s", orr_error_message());
    }
    cu.state->launch_code = 0;
    orr_scope_end(s);
    ORR_CHECK(orr__device_did.redone > redone);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_REQUIRE(up("on"));
    run(&r);
    check_same(plain(), &r);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(graphs_give_the_same_bits_and_launches),
        ORR_TEST(the_same_places_need_one_call),
        ORR_TEST(memory_that_grows_is_followed),
        ORR_TEST(calls_of_libraries_are_in_graphs),
        ORR_TEST(failures_of_captures_lead_to_plain_launches),
        ORR_TEST(a_graph_that_fails_is_done_by_the_host),
        { 0 },
    };
    setenv("ORRERY_TILE_US", "1000000", 0); /* steps are small, however slow the machine is */
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_graphs", tests);
}
