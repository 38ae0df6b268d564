/* CUDA contexts that are lost while they work (ECC errors, launch failures): with copies in host memory, no value is lost and the
 * process continues. Runs on the double of CUDA's libraries, whose calls all fail from some launch on.
 * Must not know: how a device is lost. */
#include "config.h"
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"
#include "tests/harness/cuda_engine.h"

enum { N = 1 << 16 };

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

static bool right(orr_tensor *y)
{
    static float v[N];
    double worst = 0;
    bool ok = orr_read(y, v, sizeof v) == ORR_OK;
    for (int i = 0; ok && i < N; i++) {
        double e = (double)v[i] - 2 * (i - (N - 1) / 2.0);
        worst = e > worst ? e : -e > worst ? -e : worst;
    }
    return ok && worst < 0.1;
}

static bool up(const char *ncpu)
{
    (void)setenv("ORRERY_DEVICE_COPIES", "on", 1);
    (void)setenv("STARPU_SCHED", "random", 1); /* the device does its share */
    cu.state->lost_code = 0;
    cu.state->life = -1;
    bool ok = cuda_engine_up(ncpu) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    orr__env.log = 0;
    return ok;
}

static void down(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    cu.state->lost_code = 0;
    cu.state->life = -1;
    (void)unsetenv("ORRERY_DEVICE_COPIES");
    (void)unsetenv("STARPU_SCHED");
}

static orr__device_state state(void)
{
    orr__device_state d;
    memset(&d, 0, sizeof d);
    ORR_CHECK(orr__engine_device(0, &d));
    return d;
}

static void evaluate(int times)
{
    for (int k = 0; k < times; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = work(line(k));
        bool ok = orr_eval(y) == ORR_OK && right(y);
        ORR_CHECK_MSG(ok, "evaluation %d: %s", k, orr_error_message());
        orr_scope_end(s);
    }
}

/* The context is lost at each of its first launches in turn, and stays lost. */
static void work_goes_on_elsewhere(const char *ncpu)
{
    static const int lives[] = { 0, 1, 2, 5, 9 };
    NEED(true);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        ORR_REQUIRE(up(ncpu));
        cu.state->life = lives[i];
        evaluate(20);
        ORR_CHECK_MSG(cu.state->lost_code == 214, "%d launches", cu.state->launches);
        orr__device_state d = state();
        ORR_CHECK_MSG(d.gone && d.rests && d.retired == 1, "gone %d, retired %d times", d.gone, (int)d.retired);
        int launches = cu.state->launches;
        evaluate(5);
        ORR_CHECK(cu.state->launches == launches);
        down();
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

static void with_copies_no_value_is_lost(void)
{
    NEED(true);
    ORR_REQUIRE(up("0"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = work(line(1));
    ORR_CHECK(orr_eval(y) == ORR_OK);
    usleep(200000); /* copies are made */
    cu.state->lost_code = 719;
    ORR_CHECK_MSG(right(y), "%s", orr_error_message());
    orr_tensor *z = orr_sum(y, ORR_ALL_AXES, false);
    double sum = 1;
    ORR_CHECK_MSG(orr_item(z, &sum) == ORR_OK && sum < 100 && sum > -100, "%g: %s", sum, orr_error_message());
    ORR_CHECK(state().gone);
    orr_scope_end(s);
    down();
}

/* StarPU meets the loss before the library does: in an allocation. */
static void so_it_does_when_memory_is_asked_for(void)
{
    NEED(true);
    ORR_REQUIRE(up("0"));
    cu.state->lost_code = 214;
    evaluate(4);
    ORR_CHECK(state().gone);
    down();
}

static void one_line_of_the_log_reports_it(void)
{
    char path[] = "/tmp/orr-said-XXXXXX", text[1024];
    NEED(true);
    ORR_REQUIRE(up("1"));
    int fd = mkstemp(path), old = dup(2), n = 0;
    ORR_REQUIRE(fd >= 0 && old >= 0);
    cu.state->life = 3;
    orr__env.log = 1;
    (void)fflush(stderr);
    (void)dup2(fd, 2);
    evaluate(20);
    (void)fflush(stderr);
    (void)dup2(old, 2);
    (void)close(old);
    orr__env.log = 0;
    FILE *in = fdopen(fd, "r");
    rewind(in);
    while (in && fgets(text, sizeof text, in))
        n += strstr(text, "retired until the process is started again") != NULL;
    if (in)
        (void)fclose(in);
    (void)unlink(path);
    ORR_CHECK_MSG(n == 1, "%d lines", n);
    down();
}

static void a_new_start_works_on_the_device_again(void)
{
    NEED(true);
    ORR_REQUIRE(up("0"));
    int launches = cu.state->launches;
    evaluate(3);
    ORR_CHECK(cu.state->launches > launches && !state().gone);
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(beside_a_processor_work_goes_on),
                                      ORR_TEST(without_a_worker_on_a_processor_work_goes_on),
                                      ORR_TEST(with_copies_no_value_is_lost),
                                      ORR_TEST(so_it_does_when_memory_is_asked_for),
                                      ORR_TEST(one_line_of_the_log_reports_it),
                                      ORR_TEST(a_new_start_works_on_the_device_again),
                                      { 0 } };
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_loss", tests);
}
