/* Graphs on StarPU's CUDA workers: on a GPU, or, where there is none, on the double of CUDA's libraries (tests/double/),
 * which is loaded before StarPU's runtime library, too (LD_PRELOAD). Launches, allocations and compilations are made to
 * fail: the CPU then does the work, with the same results.
 * Must not know: planner, fuser, kernels. */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/base/clock.h"
#include "tests/harness/cuda_engine.h"

/* Softmax of a product with a bias, its mean, a gather, a sum of all: every form of kernel. `seen`: their values, by
 * elements with a simple formula. */
static orr_status work(double *seen)
{
    enum { N = 64, K = 32 };
    static float x[N * K], w[K * N], b[N], all[N * N];
    static const int32_t pick[4] = { 3, 0, -1, 2 };
    for (int i = 0; i < N * K; i++) {
        x[i] = (float)(i % 5) - 2;
        w[i] = (float)(i % 3) - 1;
    }
    for (int i = 0; i < N; i++)
        b[i] = (float)i / 64;
    orr_scope *s = orr_scope_begin();
    orr_tensor *tx = orr_from(ORR_F32, ORR_SHAPE(N, K), x), *tw = orr_from(ORR_F32, ORR_SHAPE(K, N), w);
    orr_tensor *tb = orr_from(ORR_F32, ORR_SHAPE(N), b), *ti = orr_from(ORR_I32, ORR_SHAPE(4), pick);
    orr_tensor *h = orr_relu(orr_add(orr_matmul(tx, tw), tb)), *p = orr_softmax(h, -1);
    orr_tensor *rows = orr_take(h, ti, 0), *sum = orr_sum(rows, ORR_ALL_AXES, false),
               *one = orr_sum(p, ORR_ALL_AXES, false);
    orr_status st = orr_eval_all(ORR_TENSORS(h, sum, one));
    if (st == ORR_OK)
        st = orr_read(h, all, sizeof all);
    if (st == ORR_OK) {
        double want = 0, off = 0, got;
        float v = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double d = b[j];
                for (int k = 0; k < K; k++)
                    d += (double)x[i * K + k] * w[k * N + j];
                d = d <= 0 ? 0 : d;
                off = fmax(off, fabs(d - all[i * N + j]));
                for (int q = 0; q < 4; q++)
                    want += (pick[q] < 0 ? N + pick[q] : pick[q]) == i ? d : 0;
            }
        st = orr_read(sum, &v, sizeof v);
        got = v;
        seen[0] = off;
        seen[1] = fabs(got - want);
        if (st == ORR_OK)
            st = orr_read(one, &v, sizeof v);
        seen[2] = fabs((double)v - N);
    }
    orr_scope_end(s);
    return st;
}

static void run_right(void)
{
    double off[3] = { 1, 1, 1 };
    orr_status st = work(off);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(off[0] <= 1e-5 && off[1] <= 1e-2 && off[2] <= 1e-4, "off by %g, %g, %g", off[0], off[1], off[2]);
}

/* -- tests ------------------------------------------------------------------------------------------------------------- */

static void a_backend_that_is_not_there_is_an_error(void)
{
    orr_config c = { .engine = "starpu", .backend = "cuda" };
    double best = 1e9;
    if (cu.ok && cu.real)
        ORR_SKIP("it is there");
    if (cu.state)
        cu.state->devices = 0;
    for (int i = 0; i < 10 && best >= 1; i++) { /* a single delay of the machine must not fail the test */
        double t0 = orr__now();
        orr__cu_look_again();
        ORR_CHECK(orr_init(&c) == ORR_EDEVICE);
        ORR_CHECK_MSG(strstr(orr_error_message(), "no CUDA device can be used: "), "%s", orr_error_message());
        best = orr__now() - t0 < best ? orr__now() - t0 : best;
    }
    ORR_CHECK_MSG(best < 1, "%g s", best);
    if (cu.state)
        cu.state->devices = 1;
    orr__cu_look_again();
}

static void graphs_run_on_the_device_alone(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr_stats_reset();
    for (int i = 0; i < 3; i++)
        run_right();
    ORR_CHECK_MSG(cuda_tasks() >= 9, "%llu tasks", (unsigned long long)cuda_tasks());
    ORR_CHECK(strstr(orr_engine_name(), "1 CUDA worker") != NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(cu.real || cu.state->loads == cu.state->unloads);
}

static void warming_up_leaves_nothing_to_compile(void)
{
    NEED(true);
    int removed;
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK && orr_cache_clear(&removed) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(50, 60));
    ORR_REQUIRE(orr_eval(x) == ORR_OK);
    orr_tensor *y = orr_sum(orr_softmax(orr_exp(x), 1), ORR_AXES(0), false);
    int compiles = cu.state->compiles;
    ORR_CHECK(orr_warmup(y) == ORR_OK && cu.state->compiles > compiles);
    compiles = cu.state->compiles;
    ORR_CHECK(orr_eval(y) == ORR_OK && cu.state->compiles == compiles);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A kernel without a C function, which only the device can run. */
static void kernels_of_programs_run_on_the_device(void)
{
    static const orr_kernel_def def = {
        .name = "cuda_scale",
        .n_inputs = 1,
        .n_params = 1,
        .rows = true,
        .cuda = "ORR_KERNEL cuda_scale(ORR_GLOBAL const ORR_IN0 *x, ORR_GLOBAL ORR_OUT *y, const orr_args a)\n"
                "{\n    orr_int i = ORR_ITEM, first = a.lo * (a.out.count / a.out.dim[0]);\n"
                "    if (i < a.items)\n        y[i] = (ORR_OUT)a.param[0] * x[first + i];\n}\n",
    };
    float x[300], y[300];
    int right = 0;
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("1") == ORR_OK);
    orr_op *op = orr_define_kernel(&def);
    ORR_REQUIRE(op != NULL);
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 300; i++)
        x[i] = (float)i;
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(100, 3), x);
    orr_tensor *u = orr_apply_with(op, ORR_TENSORS(t), ORR_PARAMS(2.5));
    ORR_CHECK_MSG(orr_read(u, y, sizeof y) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 300; i++)
        right += y[i] == 2.5f * (float)i;
    ORR_CHECK(right == 300);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void graphs_run_beside_the_cpu(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("1") == ORR_OK);
    for (int i = 0; i < 12; i++)
        run_right();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Captures stderr during f; returns the number of lines that contain `what`. */
static int lines_with(const char *what, void (*f)(void))
{
    char path[] = "/tmp/orr-said-XXXXXX", line[1024];
    int fd = mkstemp(path), old = dup(2), n = 0;
    if (fd < 0 || old < 0)
        return -1;
    (void)fflush(stderr);
    (void)dup2(fd, 2);
    f();
    (void)fflush(stderr);
    (void)dup2(old, 2);
    close(old);
    FILE *in = fdopen(fd, "r");
    rewind(in);
    while (in && fgets(line, sizeof line, in))
        n += strstr(line, what) != NULL;
    if (in)
        (void)fclose(in);
    (void)unlink(path);
    return n;
}

static void five_times(void)
{
    for (int i = 0; i < 5; i++)
        run_right();
}

static void a_launch_that_fails_is_done_again_on_the_host(void)
{
    NEED(true);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    cu.state->launch_code = 701;
    int launches = cu.state->launches, said = lines_with("done again on the host", five_times);
    cu.state->launch_code = 0;
    ORR_CHECK(cu.state->launches > launches);
    ORR_CHECK_MSG(said == 1, "%d lines", said);
    run_right();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void so_is_a_product_that_the_library_fails_at(void)
{
    NEED(true);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr__env.log = 0;
    cu.state->matmul_code = 13;
    run_right();
    cu.state->matmul_code = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void so_is_a_kernel_that_does_not_compile(void)
{
    NEED(true);
    int removed;
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK && orr_cache_clear(&removed) == ORR_OK);
    orr__env.log = 0;
    cu.state->compile_code = 6;
    int compiles = cu.state->compiles;
    run_right();
    run_right();
    ORR_CHECK(cu.state->compiles > compiles);
    cu.state->compile_code = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void so_is_a_device_without_memory(void)
{
    NEED(true);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr__env.log = 0;
    cu.state->launch_code = 2;
    cu.state->alloc_code = 2;
    cu.state->host_alloc_code = 2;
    run_right();
    cu.state->alloc_code = cu.state->host_alloc_code = cu.state->launch_code = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void without_fallback_failures_are_errors(void)
{
    double off[3];
    NEED(true);
    setenv("ORRERY_FALLBACK", "off", 1);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    cu.state->launch_code = 701;
    ORR_CHECK(work(off) == ORR_EDEVICE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"), "%s", orr_error_message());
    cu.state->launch_code = 0;
    run_right();
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_FALLBACK");
}

/* A device's task has each operand in one piece: where devices alone compute, steps are not cut for processors. */
static void without_fallback_operands_are_whole(void)
{
    NEED(true);
    setenv("ORRERY_FALLBACK", "off", 1);
    setenv("ORRERY_DETERMINISTIC", "1", 1);
    ORR_REQUIRE(cuda_engine_up("3") == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(20000, 64), 0.5);
    ORR_REQUIRE(orr_eval(x) == ORR_OK);
    orr_tensor *y = orr_exp(x), *p = orr_matmul(orr_swapaxes(y, 0, 1), orr_sub(y, orr_sum(y, ORR_AXES(0), true)));
    double v = 0, want = 20000 * exp(1) * (1 - 20000);
    ORR_CHECK_MSG(orr_item(orr_cast(orr_max(p, ORR_ALL_AXES, false), ORR_F64), &v) == ORR_OK, "%s",
                  orr_error_message());
    ORR_CHECK_MSG(fabs(v - want) < 1e-4 * -want, "%g, not %g", v, want);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_DETERMINISTIC");
    unsetenv("ORRERY_FALLBACK");
}

static void a_wrong_index_is_an_error(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr_scope *s = orr_scope_begin();
    float x[4] = { 1, 2, 3, 4 };
    int32_t i[2] = { 1, 7 };
    orr_tensor *t = orr_take(orr_from(ORR_F32, ORR_SHAPE(4), x), orr_from(ORR_I32, ORR_SHAPE(2), i), 0);
    ORR_CHECK(orr_eval(t) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(number 1)") != NULL, "%s", orr_error_message());
    orr_scope_end(s);
    run_right();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Only large arrays are pinned, each once while it has handles, and none remains pinned. */
static void host_memory_of_large_tensors_is_pinned(void)
{
    NEED(true);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    int before = cu.state->pins;
    run_right();
    ORR_CHECK(cu.state->pins == before);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(1 << 18), 2.0);
    double sum = 0;
    ORR_CHECK(orr_eval(x) == ORR_OK);
    int made = cu.state->pins;
    for (int i = 0; i < 3; i++)
        ORR_CHECK(orr_item(orr_sum(orr_mul(x, x), ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 4.0 * (1 << 18));
    ORR_CHECK_MSG(cu.state->pins > before && cu.state->pins <= made + 1, "%d, %d, %d", before, made, cu.state->pins);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(cu.state->pins == cu.state->unpins, "%d pinned, %d not any more", cu.state->pins, cu.state->unpins);
}

/* The thread that pins has no context of its own; CUDA would make one on device 0, in every rank. */
static void pinning_makes_no_context_on_another_device(void)
{
    NEED(true);
    enum { N = 1 << 20 };
    cu.state->devices = 2;
    setenv("STARPU_WORKERS_CUDAID", "1", 1);
    orr__cu_look_again();
    int strays = cu.state->strays, pins = cu.state->pins;
    ORR_REQUIRE(cuda_engine_up("1") == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(N));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    ORR_CHECK_MSG(orr_eval(orr_sum(orr_exp(x), ORR_ALL_AXES, false)) == ORR_OK, "%s", orr_error_message());
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("STARPU_WORKERS_CUDAID");
    cu.state->devices = 1;
    orr__cu_look_again();
    ORR_CHECK(cu.state->pins > pins);
    ORR_CHECK_MSG(cu.state->strays == strays, "%d calls", cu.state->strays - strays);
}

static void the_library_starts_again_and_again(void)
{
    NEED(false);
    for (int i = 0; i < 3; i++) {
        ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
        run_right();
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* -- */

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(a_backend_that_is_not_there_is_an_error),
        ORR_TEST(graphs_run_on_the_device_alone),
        ORR_TEST(warming_up_leaves_nothing_to_compile),
        ORR_TEST(kernels_of_programs_run_on_the_device),
        ORR_TEST(graphs_run_beside_the_cpu),
        ORR_TEST(a_launch_that_fails_is_done_again_on_the_host),
        ORR_TEST(so_is_a_product_that_the_library_fails_at),
        ORR_TEST(so_is_a_kernel_that_does_not_compile),
        ORR_TEST(so_is_a_device_without_memory),
        ORR_TEST(without_fallback_failures_are_errors),
        ORR_TEST(without_fallback_operands_are_whole),
        ORR_TEST(a_wrong_index_is_an_error),
        ORR_TEST(host_memory_of_large_tensors_is_pinned),
        ORR_TEST(pinning_makes_no_context_on_another_device),
        ORR_TEST(the_library_starts_again_and_again),
        { 0 },
    };
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda", tests);
}
