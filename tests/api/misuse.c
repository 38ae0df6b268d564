/* The mistakes of an impatient user: events and graphs used twice, forks, wrong numbers in the environment, assignments
 * that cannot be computed. Each is an error, and later calls work.
 * Must not know: what runs where. */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include <orrery/array.h>
#include <orrery/nn.h>
#include "tests/harness/harness.h"

static bool says(const char *part)
{
    return strstr(orr_error_message(), part) != NULL;
}

/* A product large enough for tasks. */
static orr_tensor *product(void)
{
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(300, 300), 0.5);
    return orr_sum(orr_matmul(orr_matmul(x, x), x), ORR_ALL_AXES, false);
}

/* Runs in a child process whose address space may grow by only 64 MiB. */
static int life_in_a_corner(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    int got = f ? fscanf(f, "%lu", &pages) : 0;
    if (f)
        (void)fclose(f);
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)64 << 20);
    alarm(240);
    if (got != 1 || orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK ||
        setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }) != 0)
        return 1;
    orr_status st = orr_eval(product());
    return st == ORR_OK || st == ORR_ENOMEM ? 0 : 2;
}

/* OpenBLAS retries for ever to allocate its buffers. This is the first test, since later ones leave buffers behind. */
static void product_without_blas_memory_fails_without_hang(void)
{
#if ORR_TEST_SANITIZED
    ORR_SKIP("sanitizers need the address space");
#endif
    int status = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(life_in_a_corner());
    ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

static void event_is_waited_for_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = product();
    orr_event *e = NULL;
    ORR_CHECK(orr_eval_async(&y, 1, &e) == ORR_OK && e);
    ORR_CHECK(orr_wait(e) == ORR_OK);
    ORR_CHECK(orr_wait(e) == ORR_EHANDLE && says("tests/api/misuse.c:"));
    ORR_CHECK(orr_event_done(e));
    ORR_CHECK(orr_wait((orr_event *)(void *)&s) == ORR_EHANDLE);
    (void)orr_scope_end(s);
}

static void freed_graph_is_recognised(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_placeholder(ORR_F32, ORR_SHAPE(3)), *y = orr_mul(p, p), *r = NULL;
    orr_tensor *v = orr_arange(ORR_F32, 0, 3, 1);
    orr_graph *g = orr_graph_build(&p, 1, &y, 1);
    ORR_REQUIRE(g != NULL);
    ORR_CHECK(orr_graph_submit(g, &v, 1, &r, 1, NULL) == ORR_OK);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    ORR_CHECK(orr_graph_submit(g, &v, 1, &r, 1, NULL) == ORR_EHANDLE);
    ORR_CHECK(orr_graph_free(g) == ORR_EHANDLE);
    ORR_CHECK(orr_graph_submit((orr_graph *)(void *)&s, &v, 1, &r, 1, NULL) == ORR_EHANDLE);
    ORR_CHECK(orr_graph_free(NULL) == ORR_OK);
    (void)orr_scope_end(s);
}

static void wrong_assignment_affects_its_variable_only(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *bad = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(2)));
    orr_tensor *good = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(2))), *x = orr_add(good, good);
    double v;
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK(orr_assign(good, orr_mul(good, orr_scalar(3))) == ORR_OK);
    ORR_CHECK(orr_assign(bad, orr_take(bad, orr_full(ORR_I64, ORR_SHAPE(2), 7), 0)) == ORR_OK);
    ORR_CHECK(orr_eval(x) == ORR_EINDEX);
    ORR_CHECK(orr_eval(x) == ORR_OK); /* reported once */
    ORR_CHECK(orr_item(orr_max(good, ORR_ALL_AXES, false), &v) == ORR_OK && v == 3);
    ORR_CHECK(orr_eval(bad) == ORR_EINDEX);
    ORR_CHECK(orr_assign(bad, orr_placeholder(ORR_F32, ORR_SHAPE(2))) == ORR_OK);
    ORR_CHECK(orr_item(orr_max(x, ORR_ALL_AXES, false), &v) == ORR_EGRAPH);
    ORR_CHECK(orr_item(orr_max(x, ORR_ALL_AXES, false), &v) == ORR_OK && v == 2);
    ORR_CHECK(orr_assign(bad, orr_ones(ORR_F32, ORR_SHAPE(2))) == ORR_OK && orr_eval(bad) == ORR_OK);
    (void)orr_scope_end(s);
}

static void *make_variable(void *to)
{
    *(orr_tensor **)to = orr_keep(orr_variable(orr_full(ORR_F64, ORR_SHAPE(2), 5)));
    return NULL;
}

static void graph_reads_variables_of_other_threads(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = NULL, *p = orr_placeholder(ORR_F64, ORR_SHAPE(2)), *zero = orr_zeros(ORR_F64, ORR_SHAPE(2)), *r;
    double d = 0;
    pthread_t t;
    ORR_REQUIRE(pthread_create(&t, NULL, make_variable, &v) == 0 && pthread_join(t, NULL) == 0);
    orr_tensor *y = orr_add(p, v);
    orr_graph *g = orr_graph_build(&p, 1, &y, 1);
    ORR_CHECK(g && orr_assign(v, orr_full(ORR_F64, ORR_SHAPE(2), 100)) == ORR_OK);
    ORR_CHECK(orr_graph_submit(g, &zero, 1, &r, 1, NULL) == ORR_OK);
    ORR_CHECK(orr_item(orr_max(r, ORR_ALL_AXES, false), &d) == ORR_OK);
    ORR_CHECK_MSG(d == 100, "%g", d);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    (void)orr_free(v);
    (void)orr_scope_end(s);
}

/* Runs in a child process; 0 if all is well. */
static int life_of_a_child(orr_tensor *y, orr_event *e)
{
    alarm(240); /* a hang ends the child, not the test */
    if (orr_eval(product()) != ORR_ESTATE)
        return 1;
    if (!orr_event_done(e) && orr_wait(e) != ORR_ESTATE)
        return 2;
    double v;
    if (orr_item(y, &v) != ORR_ESTATE || !says("forked after orr_init"))
        return 3;
    if (orr_init(NULL) != ORR_ESTATE || !says("forked after orr_init") || says("running already"))
        return 5;
    return orr_shutdown() == ORR_OK ? 0 : 4;
}

static void forked_child_gets_errors(void)
{
    int status = 0;
    orr_event *e = NULL;
    if (strncmp(orr_engine_name(), "starpu", 6) != 0)
        ORR_SKIP("the engine is not StarPU");
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = product();
    ORR_REQUIRE(orr_eval_async(&y, 1, &e) == ORR_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(life_of_a_child(y, e));
    ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    ORR_CHECK(orr_wait(e) == ORR_OK);
    double v;
    ORR_CHECK(orr_item(y, &v) == ORR_OK && fabs(v - 300.0 * 300 * 300 * 300 / 8) < 1e3);
    (void)orr_scope_end(s);
}

/* A start that waits in its first line of the log, which it writes for a spill directory without a limit. */
static struct {
    pthread_t starter;
    int begun[2], go_on[2];
    orr_status status;
} paused_start;

static void wait_in_log(orr_log_level level, const char *text, void *unused)
{
    char c = 0;
    (void)level, (void)text, (void)unused;
    if (!pthread_equal(pthread_self(), paused_start.starter) || paused_start.begun[1] < 0)
        return;
    (void)!write(paused_start.begun[1], &c, 1);
    (void)!read(paused_start.go_on[0], &c, 1);
    paused_start.begun[1] = -1;
}

static void *start(void *unused)
{
    paused_start.starter = pthread_self();
    paused_start.status = orr_init(NULL);
    return unused;
}

static int life_of_a_child_of_a_start(void)
{
    alarm(240); /* a hang ends the child, not the test */
    if (orr_init(NULL) != ORR_ESTATE || !says("starting or ending"))
        return 1;
    if (orr_shutdown() != ORR_ESTATE || orr_pause() != ORR_ESTATE || orr_resume() != ORR_ESTATE)
        return 2;
    return orr_eval(orr_ones(ORR_F32, ORR_SHAPE(3))) == ORR_ESTATE ? 0 : 3;
}

static void fork_during_a_start_gives_errors(void)
{
    pthread_t thread;
    int status = -1;
    char c = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    if (getenv("ORRERY_MEMORY_LIMIT") || getenv("ORRERY_SPILL_DIR")) {
        ORR_CHECK(orr_init(NULL) == ORR_OK);
        ORR_SKIP("the environment sets a limit");
    }
    char folder[] = "/tmp/orr-test-XXXXXX";
    ORR_REQUIRE(mkdtemp(folder) && pipe(paused_start.begun) == 0 && pipe(paused_start.go_on) == 0);
    int begun = paused_start.begun[1];
    setenv("ORRERY_SPILL_DIR", folder, 1);
    setenv("ORRERY_LOG", "info", 1);
    orr_log_to(wait_in_log, NULL);
    ORR_REQUIRE(pthread_create(&thread, NULL, start, NULL) == 0);
    ORR_CHECK(read(paused_start.begun[0], &c, 1) == 1);
    pid_t child = fork();
    if (child == 0)
        _exit(life_of_a_child_of_a_start());
    ORR_CHECK(write(paused_start.go_on[1], &c, 1) == 1);
    ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    ORR_CHECK(pthread_join(thread, NULL) == 0 && paused_start.status == ORR_OK);
    orr_log_to(NULL, NULL);
    unsetenv("ORRERY_LOG");
    unsetenv("ORRERY_SPILL_DIR");
    (void)close(begun);
    (void)close(paused_start.begun[0]);
    (void)close(paused_start.go_on[0]);
    (void)close(paused_start.go_on[1]);
    ORR_CHECK(orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
    ORR_CHECK(rmdir(folder) == 0);
}

static void refusals_name_the_line(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    orr_config config = { .workers = -1 };
    ORR_CHECK(orr_init(&config) == ORR_EINVAL && says("tests/api/misuse.c:"));
    setenv("ORRERY_FUSE", "perhaps", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EENV && says("tests/api/misuse.c:") && says("on off"));
    unsetenv("ORRERY_FUSE");
    config = (orr_config){ .memory_limit = 100000 };
    ORR_REQUIRE(orr_init(&config) == ORR_OK);
    orr_tensor *x = orr_ones(ORR_F64, ORR_SHAPE(1000, 1000));
    ORR_CHECK(orr_eval(x) == ORR_ENOMEM && says("tests/api/misuse.c:") && says("8000000 bytes"));
    ORR_CHECK(orr_data(x) == NULL && says("tests/api/misuse.c:"));
    (void)orr_free(x);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

/* As with ORRERY_BACKEND: a request for a device is never satisfied by one core. */
static void named_backend_exists_or_init_fails(void)
{
    if (getenv("ORRERY_BACKEND") || getenv("ORRERY_ENGINE"))
        ORR_SKIP("the environment chooses");
    ORR_CHECK(orr_shutdown() == ORR_OK);
    orr_status st = orr_init(&(orr_config){ .backend = "cuda" });
    ORR_CHECK_MSG(st == ORR_OK ? strstr(orr_engine_name(), "CUDA") != NULL : st == ORR_EDEVICE && says("CUDA"),
                  "%s: %s, %s", orr_status_name(st), orr_error_message(), orr_engine_name());
    if (st == ORR_OK)
        ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_init(&(orr_config){ .engine = "serial", .backend = "gpu" }) == ORR_EINVAL && says("auto, cpu, cuda"));
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

static void unknown_policy_error_lists_policies(void)
{
    if (strncmp(orr_engine_name(), "starpu", 6) != 0)
        ORR_SKIP("the engine is not StarPU");
    const char *now = getenv("STARPU_SCHED");
    char *before = now ? strdup(now) : NULL;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    setenv("STARPU_SCHED", "fastest", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EENV && says("STARPU_SCHED=fastest") && says("lws") && says("dmdas"));
    setenv("STARPU_SCHED", "eager", 1);
    ORR_CHECK(orr_init(NULL) == ORR_OK && strstr(orr_engine_name(), "eager") && orr_shutdown() == ORR_OK);
    unsetenv("STARPU_SCHED");
    if (before)
        setenv("STARPU_SCHED", before, 1);
    free(before);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

static void invalid_starpu_number_is_error(void)
{
    static const char *const wrong[] = { "-3", "two", "99999999999999999999" };
    if (strncmp(orr_engine_name(), "starpu", 6) != 0)
        ORR_SKIP("the engine is not StarPU");
    const char *now = getenv("STARPU_NCPU");
    char *before = now ? strdup(now) : NULL;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    for (int i = 0; i < 3; i++) {
        setenv("STARPU_NCPU", wrong[i], 1);
        ORR_CHECK(orr_init(NULL) == ORR_EENV && says("STARPU_NCPU") && says(wrong[i]));
    }
    setenv("STARPU_NCPU", "", 1); /* as if it were not set; not 0 workers */
    ORR_CHECK_MSG(orr_init(NULL) == ORR_OK && !strstr(orr_engine_name(), "serial"), "%s", orr_engine_name());
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("STARPU_NCPU");
    if (before)
        setenv("STARPU_NCPU", before, 1);
    free(before);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

static void random_range_outside_dtype_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_tensor_status(orr_arange(ORR_U8, 0, 300, 1)) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_arange(ORR_I8, 0, -129.5, -1)) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_arange(ORR_U8, 255, -1, -1)) == ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_arange(ORR_U8, 0, 256, 1)) == ORR_OK);
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3));
    ORR_CHECK(orr_tensor_status(orr_permute(x, (orr_axes){ -5, { 0 } })) == ORR_EAXIS);
    (void)orr_scope_end(s);
}

/* StarPU reads its performance models by the locale; they were written without a decimal comma. */
static void define_ignores_decimal_comma_locale(void)
{
    if (!orr_test_comma())
        ORR_SKIP("localedef is missing");
    for (int life = 0; life < 3; life++) {
        double v = 0;
        orr_tensor *y = product();
        ORR_CHECK(orr_item(y, &v) == ORR_OK && v > 0);
        char text[64] = "";
        FILE *f = fmemopen(text, sizeof text, "w");
        ORR_CHECK(f && orr_print(f, orr_full(ORR_F64, ORR_SHAPE(1), 1.5)) == ORR_OK);
        if (f)
            (void)fclose(f);
        ORR_CHECK_MSG(strstr(text, "[1.5]") != NULL, "%s", text);
        ORR_CHECK(orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
        (void)(life ? orr_test_comma() : setlocale(LC_ALL, "C") != NULL);
    }
    (void)setlocale(LC_ALL, "C");
}

static void refused_memory_does_not_raise_the_peak(void)
{
    orr_tensor *x = orr_ones(ORR_F64, ORR_SHAPE((int64_t)1 << 44)); /* 128 TiB: beyond any address space */
    ORR_CHECK(orr_eval(x) == ORR_ENOMEM);
    ORR_CHECK(orr_memory_stats().peak < (size_t)1 << 40);
    (void)orr_free(x);
}

static orr_tensor *no_tensor(orr_tensor *x, void *user)
{
    (void)x, (void)user;
    return NULL;
}

/* The evaluation gives `st`, with a message that begins with this file and the user's function, and has `part` in it. */
static void mistaken(orr_tensor *t, orr_status st, const char *op, const char *part)
{
    char head[80];
    (void)snprintf(head, sizeof head, ": %s: ", op);
    ORR_CHECK_MSG(orr_eval(t) == st, "%s: %s", op, orr_error_message());
    ORR_CHECK_MSG(says("misuse.c:") && says(head) && says(part), "%s", orr_error_message());
}

/* Mistakes of a tired programmer: NULL lists, sizes that overflow, axes and indices out of range, dtypes that do not fit, foreign
 * pointers. The message names the function, the argument and what is possible. */
static void mistakes_say_what_is_wrong(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_reshape(orr_arange(ORR_F32, 0, 6, 1), ORR_SHAPE(2, 3)), *b = orr_ones(ORR_F64, ORR_SHAPE(4, 5));
    orr_tensor *f = orr_ones(ORR_F32, ORR_SHAPE(3)), *out[4], *minus = orr_full(ORR_F32, ORR_SHAPE(3), -1);
    orr_tensor *i = orr_arange(ORR_I64, 0, 3, 1);
    mistaken((orr_tensor *)(void *)&s, ORR_EHANDLE, "eval", "no live tensor");
    mistaken(orr_ones(ORR_F32, ORR_SHAPE(-5, 3)), ORR_ESHAPE, "ones", "negative dimension");
    mistaken(orr_ones(ORR_F64, ORR_SHAPE((int64_t)1 << 40, (int64_t)1 << 40)), ORR_ESHAPE, "ones", "overflows");
    mistaken(orr_ones(ORR_F32, (orr_shape){ .rank = 1000000 }), ORR_ESHAPE, "ones", "rank 1000000");
    mistaken(orr_ones((orr_dtype)99, ORR_SHAPE(2)), ORR_EDTYPE, "ones", "99 is no dtype");
    mistaken(orr_reshape(a, ORR_SHAPE(-1, -1)), ORR_ESHAPE, "reshape", "more than one -1");
    mistaken(orr_reshape(a, ORR_SHAPE(INT64_MAX, INT64_MAX)), ORR_ESHAPE, "reshape", "overflows");
    mistaken(orr_tile(a, ORR_INDEX((int64_t)1 << 40, (int64_t)1 << 40)), ORR_ESHAPE, "tile", "overflows");
    mistaken(orr_repeat(a, INT64_MAX, 0), ORR_ESHAPE, "repeat", "too many");
    mistaken(orr_pad(a, ORR_INDEX(INT64_MAX, 0), ORR_INDEX(INT64_MAX, 0), 0), ORR_ESHAPE, "pad", "overflow");
    mistaken(orr_arange(ORR_F32, 0, 10, 0), ORR_EINVAL, "arange", "by 0");
    mistaken(orr_full(ORR_I8, ORR_SHAPE(2), 300), ORR_EDTYPE, "full", "300 is no value of int8");
    mistaken(orr_from(ORR_F32, ORR_SHAPE(3), NULL), ORR_EINVAL, "from", "data is NULL");
    mistaken(orr_add(a, b), ORR_ESHAPE, "add", "(2, 3) and (4, 5)");
    mistaken(orr_matmul(a, a), ORR_ESHAPE, "matmul", "inner dimensions differ");
    mistaken(orr_sum(a, ORR_AXES(0, -2), false), ORR_EAXIS, "sum", "there twice");
    mistaken(orr_sum(a, (orr_axes){ .n = 500 }, false), ORR_EAXIS, "sum", "500 axes");
    mistaken(orr_expand_dims(a, 7), ORR_EAXIS, "expand_dims", "-3 to 2");
    mistaken(orr_concat(NULL, 3, 0), ORR_EINVAL, "concat", "is NULL");
    mistaken(orr_concat(ORR_TENSORS(a, NULL), 0), ORR_EINVAL, "concat", "operand 1 is NULL");
    mistaken(orr_take(a, f, 0), ORR_EDTYPE, "take", "orr_cast(indices, ORR_I64)");
    mistaken(orr_take(a, orr_full(ORR_I64, ORR_SHAPE(1), 7), 0), ORR_EINDEX, "take", "index 7");
    mistaken(orr_slice_axis(a, 0, 0, 2, 0), ORR_EINVAL, "slice_axis", "step of axis 0 is 0");
    mistaken(orr_select(a, 0, INT64_MIN), ORR_EINDEX, "select", "out of range");
    mistaken(orr_cholesky(a), ORR_ESHAPE, "cholesky", "not square");
    mistaken(orr_div(i, i), ORR_EDTYPE, "div", "orr_cast(x, ORR_F32)");
    mistaken(orr_einsum(NULL, ORR_TENSORS(a)), ORR_EINVAL, "einsum", "the text is NULL");
    mistaken(orr_einsum("ij,jk->ik", ORR_TENSORS(a)), ORR_EINVAL, "einsum", "fewer operands than terms");
    mistaken(orr_einsum("ij->%s%n", ORR_TENSORS(a)), ORR_EINVAL, "einsum", "%s%n");
    mistaken(orr_quantile(a, NULL, 3, ORR_AXES(0), false), ORR_EINVAL, "quantile", "list of quantiles is NULL");
    mistaken(orr_gamma(ORR_F32, ORR_SHAPE(3), minus, orr_scalar(1)), ORR_EINVAL, "gamma", "a shape above 0");
    mistaken(orr_poisson(ORR_F32, ORR_SHAPE(3), minus), ORR_EINVAL, "poisson", "rate is -1 (number 0): a rate of 0");
    mistaken(orr_forward(orr_function(no_tensor, NULL), a), ORR_EINVAL, "forward", "returned NULL");
    mistaken(orr_load("/nonexistent/%s%n.npy"), ORR_EIO, "load", "%s%n.npy: No such file");
    ORR_CHECK(orr_meshgrid(NULL, 2, true, out) == ORR_EINVAL && says("list of lines is NULL"));
    ORR_CHECK(orr_split(a, 4, 1, out) == ORR_ESHAPE && says("no 4 equal pieces"));
    ORR_CHECK(orr_topk(a, 2, 1, true, NULL, NULL) == ORR_EINVAL && says("is NULL"));
    ORR_CHECK(orr_read(a, (float[1]){ 0 }, 4) == ORR_EINVAL && says("needs 24"));
    ORR_CHECK(orr_item(a, &(double){ 0 }) == ORR_ESHAPE && says("has 6 elements"));
    ORR_CHECK(orr_eval_all(ORR_TENSORS(a, NULL)) == ORR_EINVAL && says("tensor 1 is NULL"));
    ORR_CHECK(orr_device_memory(99, NULL, NULL) == ORR_EINVAL && says("device_memory: "));
    ORR_CHECK(!orr_dense((int64_t)1 << 40, (int64_t)1 << 40, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT) &&
              says("overflows"));
    ORR_CHECK(orr_scope_end(s) == ORR_OK && orr_scope_end(s) == ORR_EINVAL);
    mistaken(orr_neg(a), ORR_EHANDLE, "neg", "no live tensor");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(product_without_blas_memory_fails_without_hang),
                                      ORR_TEST(event_is_waited_for_once),
                                      ORR_TEST(freed_graph_is_recognised),
                                      ORR_TEST(wrong_assignment_affects_its_variable_only),
                                      ORR_TEST(graph_reads_variables_of_other_threads),
                                      ORR_TEST(forked_child_gets_errors),
                                      ORR_TEST(fork_during_a_start_gives_errors),
                                      ORR_TEST(refusals_name_the_line),
                                      ORR_TEST(named_backend_exists_or_init_fails),
                                      ORR_TEST(unknown_policy_error_lists_policies),
                                      ORR_TEST(invalid_starpu_number_is_error),
                                      ORR_TEST(random_range_outside_dtype_is_refused),
                                      ORR_TEST(define_ignores_decimal_comma_locale),
                                      ORR_TEST(refused_memory_does_not_raise_the_peak),
                                      ORR_TEST(mistakes_say_what_is_wrong),
                                      { 0 } };
    setenv("ORRERY_INLINE_US", "0", 1); /* tasks, and not the inline lane */
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.misuse", tests);
    (void)orr_shutdown();
    return rc;
}
