/* Memory by lifetime: the peaks of chains and diamonds, in place and in slots; limits, refusals, files.
 * Must not know: how a kernel computes. */
#include "config.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { N = 512 };
#define SIZE (N * N * sizeof(float))

typedef struct {
    const char *name, *value;
} setting;

/* Starts the library with these settings, a NULL name at the end; `down` removes them. */
static bool up(const setting *env)
{
    for (int i = 0; env[i].name; i++)
        ORR_CHECK(setenv(env[i].name, env[i].value, 1) == 0);
    orr_status st = orr_init(NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    return st == ORR_OK;
}

static void down(const setting *env)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    for (; env->name; env++)
        ORR_CHECK(unsetenv(env->name) == 0);
}

#define ENV(...)                                                                                                       \
    (const setting[])                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            NULL, NULL                                                                                                 \
        }                                                                                                              \
    }
#define SERIAL                                                                                                         \
    {                                                                                                                  \
        "ORRERY_ENGINE", "serial"                                                                                      \
    }
#define TASKS                                                                                                          \
    { "ORRERY_INLINE_US", "0" }, { "ORRERY_BACKEND", "cpu" },                                                          \
    {                                                                                                                  \
        "STARPU_NCPU", "2"                                                                                             \
    }

/* x, scaled so that products of many stay small. */
static orr_tensor *square(void)
{
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(N, N), 1.0 / N);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    return x;
}

static bool all_are(orr_tensor *t, double want, double within)
{
    double low = 0, high = 0;
    return orr_item(orr_cast(orr_min(t, ORR_ALL_AXES, false), ORR_F64), &low) == ORR_OK &&
           orr_item(orr_cast(orr_max(t, ORR_ALL_AXES, false), ORR_F64), &high) == ORR_OK && low >= want - within &&
           high <= want + within;
}

/* The peak of bytes during the evaluation of t, above those before. */
static size_t peak_of(orr_tensor *t)
{
    orr_memory_trim();
    orr_memory_peak_reset();
    size_t before = orr_memory_stats().live;
    ORR_CHECK_MSG(orr_eval(t) == ORR_OK, "%s", orr_error_message());
    return orr_memory_stats().peak - before;
}

/* -- lifetimes ------------------------------------------------------------------------------------------------- */

static void chain(const setting *env)
{
    if (!up(env))
        return;
    orr_tensor *x = square(), *y = x;
    for (int i = 0; i < 9; i++)
        y = orr_matmul(y, x);
    size_t peak = peak_of(y);
    ORR_CHECK_MSG(peak >= 2 * SIZE && peak < 3 * SIZE, "%zu bytes, %g buffers", peak, (double)peak / SIZE);
    ORR_CHECK(all_are(y, 1.0 / N, 1e-5));
    down(env);
}

static void a_chain_needs_two_buffers_inline(void)
{
    chain(ENV(SERIAL));
}

static void a_chain_needs_two_buffers_as_tasks(void)
{
    chain(ENV(TASKS));
}

/* Each step is a kernel of its own, so that there are values between them. */
static void in_place(const setting *env)
{
    if (!up(env))
        return;
    orr_tensor *y = square();
    for (int i = 0; i < 9; i++)
        y = orr_add(orr_mul(y, orr_scalar(0.5)), orr_scalar(1.0));
    size_t peak = peak_of(y);
    ORR_CHECK_MSG(peak >= SIZE && peak < 3 * SIZE / 2, "%zu bytes, %g buffers", peak, (double)peak / SIZE);
    ORR_CHECK(all_are(y, 2.0, 0.01));
    down(env);
}

static void element_wise_steps_work_in_place_inline(void)
{
    in_place(ENV(SERIAL, { "ORRERY_FUSE", "off" }));
}

static void element_wise_steps_work_in_place_as_tasks(void)
{
    in_place(ENV(TASKS, { "ORRERY_FUSE", "off" }));
}

/* h is read by a product, and by work on another product that is written over it; every other reader of h runs first. */
static void behind_products(const setting *env, double want)
{
    if (!up(env))
        return;
    orr_tensor *x = square(), *h = orr_add(orr_matmul(x, x), orr_scalar(1.0)), *t = orr_matmul(h, x);
    orr_tensor *g = orr_mul(orr_matmul(t, x), h), *other = orr_sum(orr_matmul(h, h), ORR_ALL_AXES, false);
    orr_memory_trim();
    orr_memory_peak_reset();
    size_t before = orr_memory_stats().live;
    ORR_CHECK_MSG(orr_eval_all(ORR_TENSORS(g, other)) == ORR_OK, "%s", orr_error_message());
    double peak = (double)(orr_memory_stats().peak - before) / SIZE, sum = 0, h0 = 1.0 + 1.0 / N;
    ORR_CHECK_MSG(peak >= 2 && peak < want, "%g buffers", peak);
    ORR_CHECK(all_are(g, h0 * h0, 1e-4) && orr_item(other, &sum) == ORR_OK);
    double right = h0 * h0 * N * (double)N * N;
    ORR_CHECK_MSG(sum > right * 0.9999 && sum < right * 1.0001, "%g, not %g", sum, right);
    down(env);
}

static void products_with_work_behind_them_write_in_place(void)
{
    behind_products(ENV(SERIAL, { "ORRERY_JIT", "off" }), 3.1);
    behind_products(ENV(SERIAL, { "ORRERY_JIT", "wait" }), 3.1);
    behind_products(ENV(TASKS, { "ORRERY_TILE_US", "50" }), 4.1);
}

/* An input with another reader, now or later, and an output are not overwritten. */
static void values_in_use_are_not_overwritten(void)
{
    const setting *env[] = { ENV(SERIAL, { "ORRERY_FUSE", "off" }), ENV(TASKS, { "ORRERY_FUSE", "off" }),
                             ENV(SERIAL, { "ORRERY_FUSE", "off" }, { "ORRERY_JIT", "off" }),
                             ENV(TASKS, { "ORRERY_FUSE", "off" }, { "ORRERY_JIT", "wait" }) };
    for (size_t i = 0; i < sizeof env / sizeof *env; i++) {
        static float got[3][100];
        if (!up(env[i]))
            return;
        orr_tensor *x = orr_arange(ORR_F32, 0, 10000, 1), *a = orr_neg(orr_reshape(x, ORR_SHAPE(100, 100)));
        orr_tensor *b = orr_sqrt(orr_abs(a)), *turned = orr_transpose(orr_add(a, orr_scalar(1.0)));
        orr_tensor *c = orr_add(turned, orr_add(turned, b)), *d = orr_add(orr_exp(orr_mul(a, orr_scalar(0.0))), a);
        orr_tensor *row[3] = { orr_slice(c, ORR_INDEX(7, 0), ORR_INDEX(8, 100), ORR_NO_INDEX),
                               orr_slice(d, ORR_INDEX(7, 0), ORR_INDEX(8, 100), ORR_NO_INDEX),
                               orr_slice(b, ORR_INDEX(7, 0), ORR_INDEX(8, 100), ORR_NO_INDEX) };
        ORR_CHECK_MSG(orr_eval_all(ORR_TENSORS(row[0], row[1], row[2], d)) == ORR_OK, "%s", orr_error_message());
        for (int k = 0; k < 3; k++)
            ORR_CHECK(orr_read(row[k], got[k], sizeof got[k]) == ORR_OK);
        for (int k = 0; k < 100; k++) {
            float root = __builtin_sqrtf(700.0f + (float)k), turn = 1.0f - (float)(100 * k + 7);
            ORR_CHECK_MSG(got[0][k] == turn + (turn + root) && got[1][k] == 1.0f - (700.0f + (float)k) &&
                              got[2][k] == root,
                          "%zu: %d: %g %g %g", i, k, (double)got[0][k], (double)got[1][k], (double)got[2][k]);
        }
        down(env[i]);
    }
}

/* -- limits ------------------------------------------------------------------------------------------------------ */

/* Products of different sizes, each read only by the next: their sum is far larger than the peak in sequence. */
static orr_tensor *funnel(orr_tensor *x, int steps)
{
    for (int i = 0; i < steps; i++) {
        int64_t wide = N + 64 * (i % 5) + 64;
        orr_tensor *w =
            orr_full(ORR_F32, ORR_SHAPE(orr_tensor_shape(x).dim[1], wide), 1.0 / (double)orr_tensor_shape(x).dim[1]);
        x = orr_matmul(x, w);
    }
    return x;
}

static void steps_that_fit_only_one_by_one_run_one_by_one(void)
{
    const setting *env[] = { ENV(SERIAL, { "ORRERY_MEMORY_LIMIT", "8M" }), ENV(TASKS, { "ORRERY_MEMORY_LIMIT", "8M" }),
                             ENV(TASKS, { "ORRERY_MEMORY_LIMIT", "8M" }, { "STARPU_SCHED", "dmdas" }) };
    for (size_t i = 0; i < sizeof env / sizeof *env; i++) {
        if (!up(env[i]))
            return;
        orr_tensor *x = square(), *y = funnel(x, 20);
        size_t peak = peak_of(y);
        ORR_CHECK_MSG(peak < (size_t)8 << 20, "%zu bytes", peak);
        ORR_CHECK_MSG(orr_memory_stats().live <= (size_t)8 << 20, "%zu", orr_memory_stats().live);
        ORR_CHECK(all_are(y, 1.0 / N, 1e-5));
        down(env[i]);
    }
}

static void plans_beyond_the_limit_are_refused_with_numbers(void)
{
    const setting *env[] = { ENV(SERIAL, { "ORRERY_MEMORY_LIMIT", "4M" }),
                             ENV(TASKS, { "ORRERY_MEMORY_LIMIT", "4M" }) };
    for (size_t i = 0; i < sizeof env / sizeof *env; i++) {
        if (!up(env[i]))
            return;
        orr_tensor *x = square(), *y = orr_matmul(orr_matmul(x, x), orr_matmul(x, orr_matmul(x, x)));
        orr_stats_reset();
        ORR_CHECK(orr_eval(orr_matmul(y, funnel(x, 2))) == ORR_ENOMEM);
        const char *m = orr_error_message();
        ORR_CHECK_MSG(strstr(m, "was not started") && strstr(m, "tests/plan/memory.c") && strstr(m, "4194304") &&
                          strstr(m, "ORRERY_SPILL_DIR") && strstr(m, "matmul"),
                      "%s", m);
        ORR_CHECK_MSG(orr_stats(NULL, 0) == 0, "%d kinds of task ran", orr_stats(NULL, 0));
        orr_tensor *small = orr_sum(x, ORR_ALL_AXES, false);
        double sum = 0;
        ORR_CHECK(orr_item(small, &sum) == ORR_OK && sum == N); /* the next call works */
        down(env[i]);
    }
}

/* 32 MB on a device of 24: other workers, or the calling thread, compute what does not fit on it. */
static void a_device_that_is_too_small_is_passed_by(void)
{
    for (int cpus = 0; cpus < 2; cpus++) {
        const setting *env = ENV({ "ORRERY_BACKEND", "opencl" }, { "STARPU_LIMIT_OPENCL_MEM", "24" },
                                 { "STARPU_NCPU", cpus ? "1" : "0" }, { "ORRERY_INLINE_US", "0" });
        for (int i = 0; env[i].name; i++)
            ORR_CHECK(setenv(env[i].name, env[i].value, 1) == 0);
        orr_status st = orr_init(NULL);
        if (st == ORR_OK) {
            orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(8 << 20), 0.5);
            (void)alarm(120);
            ORR_CHECK(orr_eval(x) == ORR_OK && all_are(orr_mul(x, orr_add(x, x)), 0.5, 0));
            (void)alarm(0);
            ORR_CHECK(orr_shutdown() == ORR_OK);
        }
        for (int i = 0; env[i].name; i++)
            ORR_CHECK(unsetenv(env[i].name) == 0);
        if (st != ORR_OK)
            ORR_SKIP("no OpenCL device: %s", orr_error_message());
    }
}

/* -- files ------------------------------------------------------------------------------------------------------- */

static char spill_dir[] = "/var/tmp/orrery-test-XXXXXX";

static int entries(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        (void)closedir(d);
    return d ? n : -1;
}

/* Every element is the number of its row. */
static orr_tensor *rows(int64_t m, int64_t n)
{
    return orr_add(orr_reshape(orr_arange(ORR_F32, 0, (double)m, 1), ORR_SHAPE(m, 1)),
                   orr_full(ORR_F32, ORR_SHAPE(1, n), 0.0));
}

/* 64 MB of data under a limit of 16 MB. */
static void four_times_the_limit(const setting *env)
{
    enum { M = 2048 };
    if (!up(env))
        return;
    orr_tensor *x = rows(2 * M, M), *sum = NULL;
    orr_tensor *y = orr_add(x, orr_scalar(1.0)), *z = orr_transpose(orr_reshape(y, ORR_SHAPE(M, 2 * M)));
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
    sum =
        orr_sum(orr_cast(orr_sub(orr_matmul(orr_full(ORR_F32, ORR_SHAPE(2, 2 * M), 1.0), z), orr_scalar(0.0)), ORR_F64),
                ORR_ALL_AXES, false);
    double got = 0;
    ORR_CHECK_MSG(orr_item(sum, &got) == ORR_OK, "%s", orr_error_message());
    /* twice the sum over 4096 rows of 2048 elements 1 + row */
    double want = 2.0 * M * (2.0 * M * (2.0 * M + 1) / 2);
    ORR_CHECK_MSG(got > want * (1 - 1e-6) && got < want * (1 + 1e-6), "%.17g, not %.17g", got, want);
    orr_memory m = orr_memory_stats();
    ORR_CHECK_MSG(m.peak <= ((size_t)17 << 20) && m.spilled_peak >= (size_t)48 << 20, "%zu live, %zu spilled", m.peak,
                  m.spilled_peak);
    ORR_CHECK(entries(spill_dir) == 0); /* no named file, even during the run */
    down(env);
    ORR_CHECK(orr_memory_stats().spilled == 0);
}

static void data_of_four_times_the_limit_goes_to_files(void)
{
    four_times_the_limit(ENV(SERIAL, { "ORRERY_MEMORY_LIMIT", "16M" }, { "ORRERY_SPILL_DIR", spill_dir }));
    four_times_the_limit(ENV(TASKS, { "ORRERY_MEMORY_LIMIT", "16M" }, { "ORRERY_SPILL_DIR", spill_dir }));
}

static void refuses(const char *dir, const char *limit, const char *why)
{
    ORR_CHECK(setenv("ORRERY_SPILL_DIR", dir, 1) == 0 && setenv("ORRERY_MEMORY_LIMIT", limit, 1) == 0);
    ORR_CHECK(orr_init(NULL) == ORR_EENV);
    ORR_CHECK_MSG(strstr(orr_error_message(), why), "%s", orr_error_message());
    ORR_CHECK(unsetenv("ORRERY_SPILL_DIR") == 0 && unsetenv("ORRERY_MEMORY_LIMIT") == 0);
}

static void directories_that_will_not_do_are_refused(void)
{
    refuses("/nowhere/at/all", "1M", "No such file");
    refuses("/dev/null", "1M", "Not a directory");
    refuses(geteuid() == 0 ? "/tmp" : "/", "1M", geteuid() == 0 ? "can be written by others" : "another user");
    if (geteuid() == 0)
        return; /* this user may write everywhere */
    ORR_CHECK(chmod(spill_dir, 0500) == 0);
    refuses(spill_dir, "1M", "Permission denied");
    ORR_CHECK(chmod(spill_dir, 0700) == 0);
}

/* A file may not grow beyond a bound, as on a full disk. */
static void full_disk_is_error(void)
{
    const setting *env = ENV(SERIAL, { "ORRERY_MEMORY_LIMIT", "1M" }, { "ORRERY_SPILL_DIR", spill_dir });
    struct rlimit before, small;
    ORR_REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = (struct rlimit){ 1 << 20, before.rlim_max };
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    if (!up(env))
        return;
    ORR_CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(1000, 1000), 1.0), *y = orr_full(ORR_F32, ORR_SHAPE(400, 400), 1.0);
    ORR_CHECK(orr_eval(x) == ORR_ENOMEM);
    ORR_CHECK_MSG(strstr(orr_error_message(), spill_dir) && strstr(orr_error_message(), "4000000 bytes"), "%s",
                  orr_error_message());
    ORR_CHECK(orr_eval(y) == ORR_OK); /* work that fits goes on */
    ORR_CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    ORR_CHECK(orr_eval(x) == ORR_OK && all_are(x, 1, 0));
    down(env);
    (void)signal(SIGXFSZ, handler);
}

int main(int argc, char **argv)
{
    /* The device's test is first: StarPU counts devices once in a process. */
    static const orr_test tests[] = { ORR_TEST(a_device_that_is_too_small_is_passed_by),
                                      ORR_TEST(a_chain_needs_two_buffers_inline),
                                      ORR_TEST(a_chain_needs_two_buffers_as_tasks),
                                      ORR_TEST(element_wise_steps_work_in_place_inline),
                                      ORR_TEST(element_wise_steps_work_in_place_as_tasks),
                                      ORR_TEST(products_with_work_behind_them_write_in_place),
                                      ORR_TEST(values_in_use_are_not_overwritten),
                                      ORR_TEST(steps_that_fit_only_one_by_one_run_one_by_one),
                                      ORR_TEST(plans_beyond_the_limit_are_refused_with_numbers),
                                      ORR_TEST(data_of_four_times_the_limit_goes_to_files),
                                      ORR_TEST(directories_that_will_not_do_are_refused),
                                      ORR_TEST(full_disk_is_error),
                                      { 0 } };
    if (!mkdtemp(spill_dir))
        return 1;
    int rc = orr_test_main(argc, argv, "plan.memory", tests);
    (void)rmdir(spill_dir);
    return rc;
}
