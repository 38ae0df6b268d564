/* Tasks on an OpenCL device: offsets of tiles, transfers, eviction, no CPU worker, devices that fail.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <unistd.h>
#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#include "tests/harness/engine_plans.h"

#ifdef HAVE_OPENCL

static atomic_int device_launches, device_fails;

static bool there(char *why, size_t size)
{
    (void)why;
    (void)size;
    return true;
}

static double *fetch(const orr__launch *l, cl_mem mem, size_t *bytes)
{
    double *p;

    if (clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *bytes, bytes, NULL) != CL_SUCCESS || !(p = malloc(*bytes)))
        return NULL;
    if (clEnqueueReadBuffer(l->queue, mem, CL_TRUE, 0, *bytes, p, 0, NULL, NULL) == CL_SUCCESS)
        return p;
    free(p);
    return NULL;
}

/* Runs the host kernel on copies of the memory objects, which needs no compiler. */
static orr_status device_launch(orr__kernel *k, const orr__launch *l)
{
    orr__launch copy = *l;
    void *in[FAKE_INS], *out[1];
    size_t bytes;
    orr_status st;

    atomic_fetch_add(&device_launches, 1);
    if (atomic_load(&device_fails))
        return orr__fail(HERE, ORR_EDEVICE, "the device is on strike");
    for (int i = 0; i < l->region->nin; i++)
        in[i] = fetch(l, l->in[i], &bytes);
    out[0] = fetch(l, l->out[0], &bytes);
    copy.in = in;
    copy.out = out;
    st = fake_launch(k, &copy);
    if (clEnqueueWriteBuffer(l->queue, l->out[0], CL_TRUE, 0, bytes, out[0], 0, NULL, NULL) != CL_SUCCESS)
        st = orr__fail(HERE, ORR_EDEVICE, "write");
    for (int i = 0; i < l->region->nin; i++)
        free(in[i]);
    free(out[0]);
    return st;
}

static orr__backend fake_opencl = { .name = "fake", .probe = there, .launch = device_launch };

static orr_status device_up(const char *ncpu, const char *limit)
{
    orr_config c = { .engine = "starpu", .backend = "opencl" };
    orr_status st;

    setenv("STARPU_NCPU", ncpu, 1);
    if (limit)
        setenv("STARPU_LIMIT_OPENCL_MEM", limit, 1);
    else
        unsetenv("STARPU_LIMIT_OPENCL_MEM");
    orr__exec_cpu = &fake_backend;
    fake_opencl.read = orr__opencl.read;
    fake_opencl.write = orr__opencl.write;
    fake_opencl.finish = orr__opencl.finish;
    orr__exec_opencl = &fake_opencl;
    device_launches = device_fails = 0;
    st = orr__env_load();
    return st == ORR_OK ? orr__engine_start(HERE, &c) : st;
}

#define NEED_DEVICE(ncpu, limit)                                                                                       \
    do {                                                                                                               \
        orr_status st_ = device_up(ncpu, limit);                                                                       \
        if (st_ == ORR_EDEVICE)                                                                                        \
            ORR_SKIP("no OpenCL device: %s", orr_error_message());                                                     \
        ORR_REQUIRE(st_ == ORR_OK);                                                                                    \
    } while (0)

static void drop(orr__buffer *const *two)
{
    orr__buffer_unref(two[0]);
    orr__buffer_unref(two[1]);
}

static hand *for_device(hand *h)
{
    for (int i = 0; i < h->plan.nstep; i++)
        h->step[i].opencl = (orr__kernel *)(void *)&h->kernel[i];
    return h;
}

/* x -> y, z = y + x in equal tiles, partial sums, their sum. */
static hand *steps(int64_t n, int tiles)
{
    hand *h = hand_new();
    int x = hand_leaf(h, n), y = hand_step(h, n, tiles, false, 1, &x);
    int z = hand_step(h, n, tiles, false, 2, (int[]){ y, x }), p = hand_step(h, n, tiles, true, 1, &z);

    hand_output(h, z);
    hand_output(h, tiles > 1 ? hand_step(h, tiles, 1, true, 1, &p) : p);
    return for_device(h);
}

static void run_and_check(hand *h, int64_t n, double c)
{
    orr__buffer *leaf = ramp(n, 0), *out[2];
    orr_status st = hand_run(h, &leaf, c, out);

    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st == ORR_OK) {
        ORR_CHECK(is_ramp(out[0], n, 2 * c, 2));
        drop(out);
    }
    orr__buffer_unref(leaf);
}

static void tiles_run_on_the_device_alone(void)
{
    hand *h = steps(1000, 4), *one = steps(50, 1);

    NEED_DEVICE("0", NULL);
    for (int k = 0; k < 4; k++) {
        run_and_check(h, 1000, k);
        run_and_check(one, 50, k);
    }
    ORR_CHECK(device_launches >= 4 * (12 + 3));
    orr__engine_stop();
    free(h);
    free(one);
}

static void without_cpu_workers_the_calling_thread_does_the_rest(void)
{
    hand *h = steps(1000, 4);

    h->step[1].opencl = NULL;
    NEED_DEVICE("0", NULL);
    for (int k = 0; k < 4; k++)
        run_and_check(h, 1000, k);
    orr__engine_stop();
    free(h);
}

static void tiles_that_meet_several_tiles_stay_on_the_host(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 1000), y = hand_step(h, 1000, 4, false, 1, &x);

    hand_output(h, hand_step(h, 1000, 3, false, 2, (int[]){ y, x }));
    for_device(h);
    for (int cpus = 0; cpus < 3; cpus++) {
        orr__buffer *leaf, *out;
        NEED_DEVICE(cpus == 0 ? "0" : cpus == 1 ? "1" : "2", NULL);
        leaf = ramp(1000, 0);
        for (int k = 0; k < 20; k++) {
            ORR_REQUIRE(hand_run(h, &leaf, 1, &out) == ORR_OK);
            ORR_CHECK(is_ramp(out, 1000, 2, 2));
            orr__buffer_unref(out);
        }
        orr__buffer_unref(leaf);
        orr__engine_stop();
    }
    free(h);
}

static void values_travel_between_device_and_inline_work(void)
{
    hand *big = steps(1000, 4), *small = steps(1000, 1);
    orr__buffer *leaf, *mid[2], *out[2];

    small->plan.us = 1;
    NEED_DEVICE("0", NULL);
    leaf = ramp(1000, 0);
    for (int k = 0; k < 5; k++) {
        ORR_REQUIRE(hand_run(big, &leaf, 1, mid) == ORR_OK);
        ORR_REQUIRE(hand_run(small, mid, 1, out) == ORR_OK);
        ORR_CHECK(is_ramp(out[0], 1000, 6, 4));
        drop(out);
        ORR_CHECK(orr__buffer_sync(mid[0]) == ORR_OK);
        ORR_REQUIRE(hand_run(small, mid, 1, out) == ORR_OK); /* on the calling thread this time */
        ORR_CHECK(is_ramp(out[0], 1000, 6, 4));
        drop(out);
        drop(mid);
    }
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(big);
    free(small);
}

/* If a copy costs less than a task, a device's result is copied to host memory, and the device's copy stays valid. */
static void little_data_comes_home_for_small_work(void)
{
    hand *big = steps(1000, 4), *small = steps(1000, 1);
    orr__buffer *leaf, *mid[2], *out[2];

    small->plan.us = 1;
    NEED_DEVICE("0", NULL);
    leaf = ramp(1000, 0);
    for (int cheap = 0; cheap < 2; cheap++) {
        orr__machine_here.copy_us = 1;
        orr__machine_here.copy_byte_us = cheap ? 1e-4 : 1;
        ORR_REQUIRE(hand_run(big, &leaf, 1, mid) == ORR_OK);
        for (int k = 0; k < 2; k++) {
            int before = device_launches;
            ORR_REQUIRE(hand_run(small, mid, 1, out) == ORR_OK);
            ORR_CHECK(is_ramp(out[0], 1000, 6, 4));
            ORR_CHECK_MSG((device_launches == before) == cheap, "%d launches", device_launches - before);
            drop(out);
        }
        ORR_REQUIRE(hand_run(big, mid, 1, out) == ORR_OK); /* tasks again */
        ORR_CHECK(is_ramp(out[0], 1000, 6, 4));
        drop(out);
        drop(mid);
    }
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(big);
    free(small);
}

/* Sleeping workers must wake for transfers, and need not for freeing. */
static void values_come_home_while_workers_sleep(void)
{
    hand *h = steps(1000, 4);
    orr__buffer *leaf, *out[2];

    NEED_DEVICE("0", NULL);
    leaf = ramp(1000, 0);
    for (int k = 0; k < 3; k++) {
        ORR_REQUIRE(hand_run(h, &leaf, 1, out) == ORR_OK);
        usleep(10000);
        ORR_CHECK(is_ramp(out[0], 1000, 2, 2));
        drop(out);
        usleep(10000);
        if (k == 1)
            ORR_CHECK(orr__engine_held() > 0 && orr__buffer_engine.press() && orr__engine_held() == 0);
    }
    usleep(10000);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

/* A chain of dead values, 8 MB each, several runs at once, through 12 MB of device memory. Early copies to host memory may
 * still be in progress when the workers sleep, and at the end. */
static void dead_values_leave_a_full_device(void)
{
    enum { N = 1 << 20, STEPS = 6, RUNS = 4 };
    hand *h = hand_new();
    int v = hand_leaf(h, N);
    orr__buffer *leaf, *out[RUNS];
    orr__scalar one = { .f = 1 };

    for (int i = 0; i < STEPS; i++)
        v = hand_step(h, N, 8, false, 1, &v);
    hand_output(h, v);
    h->plan.memory.all = (size_t)STEPS * N * sizeof(double);
    for_device(h);
    NEED_DEVICE("0", "12");
    leaf = ramp(N, 0);
    for (int k = 0; k < 2; k++) {
        orr__run *run[RUNS];
        for (int i = 0; i < RUNS; i++)
            ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &one, &out[i], &run[i]) == ORR_OK);
        for (int i = 0; i < RUNS; i++) {
            ORR_CHECK(orr__run_wait(run[i]) == ORR_OK);
            orr__run_unref(run[i]);
        }
        if (k > 0)
            usleep(10000);
        for (int i = 0; i < RUNS; i++) {
            ORR_CHECK(is_ramp(out[i], N, STEPS, 1));
            orr__buffer_unref(out[i]);
        }
    }
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

/* 8 MB arrays through 12 MB of device memory; tiles that do not fit are moved to the host. */
static void more_data_than_device_memory(void)
{
    hand *h = steps(1 << 20, 8), *whole = steps(1 << 20, 1);

    NEED_DEVICE("0", "12");
    for (int k = 0; k < 3; k++) {
        run_and_check(h, 1 << 20, k);
        run_and_check(whole, 1 << 20, k);
    }
    orr__engine_stop();
    free(h);
    free(whole);
}

static void a_failing_device_is_stood_in_for_by_the_host(void)
{
    hand *h = steps(1000, 4);

    NEED_DEVICE("0", NULL);
    orr__env.log = 0;
    device_fails = 1;
    for (int k = 0; k < 3; k++)
        run_and_check(h, 1000, k);
    ORR_CHECK(device_launches > 0);
    orr__engine_stop();
    free(h);
}

static void a_failing_device_is_an_error_without_fallback(void)
{
    hand *h = steps(1000, 1); /* an operand in several tiles could be read by a processor alone */
    orr__buffer *leaf, *out[2];

    NEED_DEVICE("0", NULL);
    orr__env.fallback = false;
    device_fails = 1;
    leaf = ramp(1000, 0);
    ORR_CHECK(hand_run(h, &leaf, 0, out) == ORR_EDEVICE);
    ORR_CHECK(strstr(orr_error_message(), "on strike") != NULL);
    device_fails = 0;
    run_and_check(h, 1000, 1);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

static void the_cpu_backend_keeps_devices_out(void)
{
    orr_config c = { .engine = "starpu", .backend = "cpu" };
    hand *h = steps(1000, 4);

    setenv("STARPU_NCPU", "2", 1);
    orr__exec_cpu = &fake_backend;
    orr__exec_opencl = &fake_opencl;
    device_launches = 0;
    ORR_REQUIRE(orr__env_load() == ORR_OK && orr__engine_start(HERE, &c) == ORR_OK);
    run_and_check(h, 1000, 1);
    ORR_CHECK(device_launches == 0 && !orr__machine_here.opencl);
    orr__engine_stop();
    free(h);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(tiles_run_on_the_device_alone),
        ORR_TEST(without_cpu_workers_the_calling_thread_does_the_rest),
        ORR_TEST(tiles_that_meet_several_tiles_stay_on_the_host),
        ORR_TEST(values_travel_between_device_and_inline_work),
        ORR_TEST(little_data_comes_home_for_small_work),
        ORR_TEST(values_come_home_while_workers_sleep),
        ORR_TEST(more_data_than_device_memory),
        ORR_TEST(dead_values_leave_a_full_device),
        ORR_TEST(a_failing_device_is_stood_in_for_by_the_host),
        ORR_TEST(a_failing_device_is_an_error_without_fallback),
        ORR_TEST(the_cpu_backend_keeps_devices_out),
        { 0 },
    };
    setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    int failed = orr_test_main(argc, argv, "engine.opencl", tests);

    orr__pool_trim();
    return failed;
}

#else

static void opencl_is_not_built_in(void)
{
    ORR_SKIP("built without OpenCL");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(opencl_is_not_built_in), { 0 } };
    return orr_test_main(argc, argv, "engine.opencl", tests);
}

#endif
