/* Devices that are lost while they work: work continues elsewhere, lost values are computed again or reported, and the device is tried
 * again. PoCL is the device; its calls fail on request.
 * Must not know: how a device is lost. */
#include "config.h"
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"
#include "runtime/engine/execution.h"
#include "tests/harness/failing_device.h"
#include "tests/harness/harness.h"
#include "tests/harness/watch.h"

#if defined HAVE_STARPU && defined HAVE_OPENCL

extern double orr__device_first_rest;
static atomic_long moves;
enum { N = 1 << 16, SOME = 30 /* evaluations, enough for the device to get some */ };

static orr_status up(const char *ncpu, const char *copies)
{
    (void)setenv("STARPU_NCPU", ncpu, 1);
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    (void)setenv("STARPU_SCHED", "random", 1); /* the device does its share, although it is slower */
    (void)setenv("ORRERY_DEVICE_COPIES", copies, 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    orr_test_device_use();
    orr_status st = orr_init(&(orr_config){ .engine = "starpu", .backend = "opencl" });
    if (st == ORR_OK)
        orr__env.log = 0;
    return st;
}

#define NEED_DEVICE(ncpu, copies)                                                                                      \
    do {                                                                                                               \
        orr_status st_ = up(ncpu, copies);                                                                             \
        if (st_ == ORR_EDEVICE)                                                                                        \
            ORR_SKIP("no OpenCL device: %s", orr_error_message());                                                     \
        ORR_REQUIRE(st_ == ORR_OK);                                                                                    \
    } while (0)

static orr_tensor *line(double first)
{
    return orr_add(orr_arange(ORR_F32, 0, N, 1), orr_scalar(first));
}

/* A sum, then a map that reads it: 2 (x − mean x), independent of a constant added to x. */
static orr_tensor *work(orr_tensor *x)
{
    orr_tensor *mean = orr_mean(x, ORR_ALL_AXES, false);
    return orr_mul(orr_sub(x, mean), orr_scalar(2));
}

static bool right(orr_tensor *y, double *worst)
{
    float *v = malloc(N * sizeof *v);
    bool ok = v && orr_read(y, v, N * sizeof *v) == ORR_OK;
    *worst = 0;
    for (int i = 0; ok && i < N; i++) {
        double e = (double)v[i] - 2 * (i - (N - 1) / 2.0);
        *worst = e > *worst ? e : -e > *worst ? -e : *worst;
    }
    free(v);
    return ok && *worst < 0.1;
}

static orr__device_state state(void)
{
    orr__device_state s;
    memset(&s, 0, sizeof s);
    ORR_CHECK(orr__engine_device(0, &s));
    return s;
}

/* The device is lost at each of its first launches in turn. */
static void work_goes_on_elsewhere(const char *ncpu)
{
    static const int lives[] = { 0, 1, 4 };
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        int life = lives[i];
        NEED_DEVICE(ncpu, "off");
        orr_scope *s = orr_scope_begin();
        atomic_store(&orr_test_device.life, life);
        for (int k = 0; k < 4; k++) {
            double worst;
            orr_tensor *x = line(k), *y = work(x);
            bool ok = orr_eval(y) == ORR_OK && right(y, &worst);
            /* The value that it has just computed may be lost once after its evaluation. */
            if (!ok && orr_error_status() == ORR_EDEVICE && strstr(orr_error_message(), "lost")) {
                orr_error_clear();
                y = work(line(k));
                ok = orr_eval(y) == ORR_OK && right(y, &worst);
            }
            ORR_CHECK_MSG(ok, "life %d, evaluation %d: %s", life, k, orr_error_message());
        }
        if (atomic_load(&orr_test_device.dead))
            ORR_CHECK(state().retired > 0 && state().rests);
        orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

static void beside_a_processor_work_goes_on(void)
{
    work_goes_on_elsewhere("1");
}

static void without_a_worker_on_a_processor_work_goes_on(void)
{
    work_goes_on_elsewhere("0");
}

/* A value that one evaluation computes and a later one reads; the device is lost between the two. of: computed from a value of that
 * device. ORR_ESTATE: there is no device. */
static orr_status value_after_loss(const char *copies, bool of, char *message, size_t size, bool *is_right)
{
    double worst;
    orr_status st = up("0", copies);
    if (st != ORR_OK)
        return ORR_ESTATE;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = line(1);
    st = of ? orr_eval(x) : ORR_OK;
    orr_tensor *y = work(x);
    st = st == ORR_OK ? orr_eval(y) : st;
    usleep(100000); /* copies are made */
    atomic_store(&orr_test_device.dead, true);
    *is_right = st == ORR_OK && right(y, &worst);
    st = orr_error_status();
    (void)snprintf(message, size, "%s", orr_error_message());
    orr_error_clear();
    orr_tensor *z = work(line(5)); /* the library still works */
    ORR_CHECK(orr_eval(z) == ORR_OK && right(z, &worst));
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    return st;
}

static void a_lost_value_is_reported_by_name(void)
{
    char message[700] = "";
    bool is_right = false;
    orr_status st = value_after_loss("off", true, message, sizeof message, &is_right);
    if (st == ORR_ESTATE)
        ORR_SKIP("no OpenCL device");
    ORR_CHECK_MSG(st == ORR_EDEVICE && !is_right, "%s, %d", orr_status_name(st), is_right);
    ORR_CHECK_MSG(strstr(message, "lost") && strstr(message, "mul") && strstr(message, "device_loss.c"), "%s", message);
}

static void a_value_whose_leaves_are_in_host_memory_is_computed_again(void)
{
    char message[700] = "";
    bool is_right = false;
    orr_status st = value_after_loss("off", false, message, sizeof message, &is_right);
    if (st == ORR_ESTATE)
        ORR_SKIP("no OpenCL device");
    ORR_CHECK_MSG(st == ORR_OK && is_right, "%s", message);
}

/* The lost value is a leaf of the evaluation that meets the loss; the program has dropped the leaf that it was computed from, which is
 * kept for it. */
static void so_is_one_that_an_evaluation_reads(void)
{
    static float v[N];
    double worst;
    NEED_DEVICE("0", "off");
    for (int i = 0; i < N; i++)
        v[i] = (float)(i + 3);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(N), v), *y = orr_mul(x, orr_scalar(1));
    ORR_CHECK(orr_eval(y) == ORR_OK);
    orr_free(x);
    atomic_store(&orr_test_device.dead, true);
    for (int k = 0; k < 2; k++) {
        orr_tensor *z = work(y);
        ORR_CHECK_MSG(orr_eval(z) == ORR_OK && right(z, &worst), "%s", orr_error_message());
    }
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The leaf is released with the value, or when the value is known to be in host memory. */
static void leaves_are_kept_no_longer_than_needed(void)
{
    enum { MANY = 40 };
    float first = 0;
    NEED_DEVICE("1", "off");
    size_t most = 0;
    for (int k = 0; k < MANY; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(N), k);
        ORR_CHECK(orr_eval(x) == ORR_OK);
        orr_tensor *y = orr_add(x, orr_scalar(1));
        ORR_CHECK(orr_eval(y) == ORR_OK &&
                  orr_read(orr_slice(y, ORR_INDEX(0), ORR_INDEX(1), ORR_INDEX(1)), &first, sizeof first) == ORR_OK);
        ORR_CHECK(first == (float)(k + 1));
        orr_scope_end(s);
        size_t live = (size_t)orr_memory_stats().live;
        most = k == MANY / 4 ? live : most;
        ORR_CHECK_MSG(k < MANY / 4 || live <= most + 8 * sizeof(float) * N, "%zu bytes, then %zu", most, live);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void with_copies_no_value_is_lost(void)
{
    char message[700] = "";
    bool is_right = false;
    orr_status st = value_after_loss("on", true, message, sizeof message, &is_right);
    if (st == ORR_ESTATE)
        ORR_SKIP("no OpenCL device");
    ORR_CHECK_MSG(st == ORR_OK && is_right, "%s", message);
}

/* Memory is requested while copies of a task's outputs are in progress. The worker that makes them sleeps after the first, and must be
 * woken. */
static void memory_is_released_while_copies_are_under_way(void)
{
    enum { MANY = 4, MOST = 30 /* s */ };
    NEED_DEVICE("0", "on");
    orr_test_watch(&moves, MOST);
    for (int round = 0; round < 3; round++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = line(round), *y[MANY];
        ORR_CHECK(orr_eval(x) == ORR_OK);
        for (int i = 0; i < MANY; i++)
            y[i] = orr_mul(i ? y[i - 1] : x, orr_scalar(i + 2)); /* outputs of one kernel */
        atomic_store(&orr_test_device.slow, 20000);
        ORR_CHECK(orr_eval_all(y, MANY) == ORR_OK);
        orr_scope_end(s);
        usleep(50000);
        atomic_store(&orr_test_device.slow, 0);
        ORR_CHECK(orr__buffer_engine.press());
        atomic_fetch_add(&moves, 1);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    atomic_store(&moves, -1);
}

static int launches_of(int evaluations)
{
    double worst;
    int before = atomic_load(&orr_test_device.launches);
    for (int k = 0; k < evaluations; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = work(line(k));
        ORR_CHECK_MSG(orr_eval(y) == ORR_OK && right(y, &worst), "%s", orr_error_message());
        orr_scope_end(s);
    }
    return atomic_load(&orr_test_device.launches) - before;
}

static void a_retired_device_rests_longer_each_time_and_comes_back(void)
{
    orr__device_first_rest = 0.1;
    NEED_DEVICE("1", "on");
    ORR_CHECK(launches_of(SOME) > 0);
    atomic_store(&orr_test_device.dead, true);
    for (uint64_t want = 1; want <= 3; want++) {
        for (int tries = 0; tries < 400 && state().retired < want; tries++)
            (void)launches_of(1);
        orr__device_state d = state();
        ORR_CHECK_MSG(d.retired >= want && d.rests, "retired %d times", (int)d.retired);
        ORR_CHECK_MSG(d.rest == orr__device_first_rest * (double)(1U << (d.retired - 1)), "%d times: %.3g s",
                      (int)d.retired, d.rest);
        int n = launches_of(1); /* none, unless the pause has ended meanwhile */
        ORR_CHECK(n == 0 || state().seconds == 0 || state().retired > d.retired);
        usleep((useconds_t)(1e6 * state().seconds) + 10000);
    }
    atomic_store(&orr_test_device.dead, false);
    for (int tries = 0; tries < 200 && state().rests; tries++)
        (void)launches_of(1);
    ORR_CHECK(!state().rests);
    ORR_CHECK(launches_of(SOME) > 0);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    orr__device_first_rest = 1;
}

/* Tiles that were allocated during its pause have no memory on the device: they get some, and that is no failure. A value of that time
 * is read as well. */
static void a_device_that_works_again_gets_the_tiles_of_its_rest(void)
{
    double worst;
    orr__device_first_rest = 0.05;
    NEED_DEVICE("0", "on");
    orr_scope *s = orr_scope_begin();
    atomic_store(&orr_test_device.dead, true);
    (void)launches_of(SOME);
    orr_tensor *x = line(3);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    ORR_CHECK(state().rests);
    atomic_store(&orr_test_device.dead, false);
    usleep((useconds_t)(1e6 * state().seconds) + 10000);
    uint64_t retired = state().retired;
    for (int k = 0; k < 3; k++) {
        orr_tensor *y = work(x);
        ORR_CHECK_MSG(orr_eval(y) == ORR_OK && right(y, &worst), "%s", orr_error_message());
    }
    ORR_CHECK(launches_of(SOME) > 0);
    ORR_CHECK_MSG(state().retired == retired && !state().rests, "retired %d times, then %d", (int)retired,
                  (int)state().retired);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    orr__device_first_rest = 1;
}

/* The state is in the metrics, and among the facts that orrery-info prints. */
static void tell(bool retired)
{
    char *text = NULL, want[40];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    ORR_REQUIRE(to != NULL);
    ORR_CHECK(orr_metrics_json(to) == ORR_OK && fclose(to) == 0);
    (void)snprintf(want, sizeof want, "\"retired\": %s", retired ? "true" : "false");
    ORR_CHECK_MSG(strstr(text, want) != NULL, "%s", text);
    free(text);
}

static void kernels_that_fail_in_a_row_retire_their_device(void)
{
    NEED_DEVICE("1", "off");
    tell(false);
    atomic_store(&orr_test_device.kernels, true);
    (void)launches_of(SOME);
    ORR_CHECK_MSG(state().retired > 0 && state().rests, "retired %d times", (int)state().retired);
    ORR_CHECK(atomic_load(&orr_test_device.failures) >= 3);
    tell(true);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(beside_a_processor_work_goes_on),
                                      ORR_TEST(without_a_worker_on_a_processor_work_goes_on),
                                      ORR_TEST(a_lost_value_is_reported_by_name),
                                      ORR_TEST(a_value_whose_leaves_are_in_host_memory_is_computed_again),
                                      ORR_TEST(so_is_one_that_an_evaluation_reads),
                                      ORR_TEST(leaves_are_kept_no_longer_than_needed),
                                      ORR_TEST(with_copies_no_value_is_lost),
                                      ORR_TEST(memory_is_released_while_copies_are_under_way),
                                      ORR_TEST(a_retired_device_rests_longer_each_time_and_comes_back),
                                      ORR_TEST(a_device_that_works_again_gets_the_tiles_of_its_rest),
                                      ORR_TEST(kernels_that_fail_in_a_row_retire_their_device),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.device_loss", tests);
}

#else

int main(void)
{
    return 77;
}

#endif
