/* A program with threads of its own: the library's threads use no core while they have no work, nor between orr_pause and orr_resume,
 * where evaluations go on. Time is the processor's, read of each thread.
 * Must not know: how threads sleep. */
#include "config.h"

#include <orrery.h>
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

/* Seconds that a thread of this process has run. */
static double ran(const char *thread)
{
    char path[300];
    unsigned long long ns = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%llu", &ns) != 1) /* NOLINT(cert-err34-c): a file of the kernel */
            ns = 0;
        (void)fclose(f);
    }
    return 1e-9 * (double)ns;
}

/* … all threads but this one, which must be the same at both ends of a measurement. */
static double others_ran(void)
{
    char self[32];
    double sum = 0;
    (void)snprintf(self, sizeof self, "%ld", (long)syscall(SYS_gettid));
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, self) != 0)
            sum += ran(e->d_name);
    if (d)
        (void)closedir(d);
    return sum;
}

static void rest(double seconds)
{
    struct timespec t = { 0, (long)(seconds * 1e9) };
    (void)nanosleep(&t, NULL);
}

static double used_in(double seconds)
{
    double before = others_ran();
    rest(seconds);
    return others_ran() - before;
}

static bool up(void)
{
    (void)setenv("STARPU_NCPU", "2", 1);
    bool ok = orr_init(NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

/* Σ over n² elements of (i mod 4) · k, in several steps that workers share if they are awake. */
static void work(int64_t n, double k)
{
    double sum = -1;
    orr_scope *s = orr_scope_begin();
    orr_tensor *row = orr_remainder(orr_arange(ORR_F64, 0.0, (double)n, 1.0), orr_scalar(4.0));
    orr_tensor *x = orr_mul(orr_add(row, orr_zeros(ORR_F64, ORR_SHAPE(n, n))), orr_scalar(k));
    orr_tensor *y = orr_sum(orr_matmul(x, orr_eye(ORR_F64, n, n, 0)), ORR_ALL_AXES, false);
    ORR_CHECK_MSG(orr_item(y, &sum) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(sum == (double)(n * n) * 1.5 * k, "%g", sum);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

enum { LONG = 600, SHORT = 64 };
#define SPAN 0.3    /* seconds of a measurement; one spinning thread would run through most of it on an idle machine */
#define LITTLE 0.02 /* seconds of ticks and clean-up */

static void idle_threads_sleep(void)
{
    ORR_REQUIRE(up());
    for (int i = 0; i < 20; i++)
        work(i % 2 ? LONG : SHORT, i);
    (void)orr_warmup(orr_scalar(1.0));
    double used = SPAN;
    for (int i = 0; i < 20 && used > LITTLE; i++) /* compilers may still be at work, and memory is given back once */
        used = used_in(SPAN);
    ORR_CHECK_MSG(used <= LITTLE, "%g s of %g", used, SPAN);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* At once after the call, and while short evaluations follow each other. */
static void paused_threads_sleep_while_the_program_computes(void)
{
    ORR_REQUIRE(up());
    ORR_CHECK(orr_resume() == ORR_ESTATE);
    for (int i = 0; i < 20; i++)
        work(i % 2 ? LONG : SHORT, i);
    for (int round = 0; round < 3; round++) {
        ORR_REQUIRE(orr_pause() == ORR_OK);
        double used = used_in(SPAN);
        ORR_CHECK_MSG(used <= LITTLE, "at rest: %g s of %g", used, SPAN);
        double before = others_ran(), mine = (double)clock() / CLOCKS_PER_SEC;
        for (int i = 0; i < 20; i++)
            work(i % 4 ? SHORT : LONG, round + i);
        used = others_ran() - before;
        mine = (double)clock() / CLOCKS_PER_SEC - mine; /* of the process */
        ORR_CHECK_MSG(used <= LITTLE + 0.1 * mine, "in evaluations: %g s of %g", used, mine);
        ORR_CHECK(orr_resume() == ORR_OK);
        work(LONG, 3);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void pauses_are_counted(void)
{
    ORR_CHECK(orr_pause() == ORR_ESTATE);
    ORR_REQUIRE(up());
    ORR_CHECK(orr_pause() == ORR_OK && orr_pause() == ORR_OK && orr_resume() == ORR_OK);
    orr_event *event = NULL;
    orr_tensor *t = orr_mul(orr_ones(ORR_F64, ORR_SHAPE(300, 300)), orr_scalar(2.0));
    ORR_CHECK(orr_eval_async(ORR_TENSORS(t), &event) == ORR_OK && orr_event_done(event));
    ORR_CHECK(orr_wait(event) == ORR_OK);
    ORR_CHECK(orr_resume() == ORR_OK && orr_resume() == ORR_ESTATE);
    ORR_CHECK(orr_pause() == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK); /* ends the pause */
    ORR_REQUIRE(up());
    ORR_CHECK(orr_resume() == ORR_ESTATE);
    work(LONG, 2);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* With ORRERY_JIT=wait each new kernel is awaited, in a pause too. */
static void awaited_kernels_are_compiled_in_a_pause(void)
{
    (void)setenv("ORRERY_JIT", "wait", 1);
    ORR_REQUIRE(up());
    ORR_CHECK(orr_pause() == ORR_OK);
    work(LONG, 2);
    work(SHORT, 2);
    ORR_CHECK(orr_resume() == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_JIT");
}

/* -- BLAS, which the program calls too ------------------------------------------------------------------------- */

static void multiply(int64_t n)
{
    double sum = 0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_add(orr_arange(ORR_F64, 0.0, (double)n, 1.0), orr_zeros(ORR_F64, ORR_SHAPE(n, n)));
    orr_tensor *y = orr_sum(orr_matmul(a, orr_transpose(a)), ORR_ALL_AXES, false);
    double dot = (double)n * (double)(n - 1) * (double)(2 * n - 1) / 6; /* Σ i², in each of n² elements */
    ORR_CHECK_MSG(orr_item(y, &sum) == ORR_OK && sum == dot * (double)(n * n), "%g", sum);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void blas_has_the_programs_number_of_threads_between_calls(void)
{
    int (*get)(void) = NULL;
    void (*set)(int) = NULL;
    void *g = dlsym(RTLD_DEFAULT, "openblas_get_num_threads"), *p = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (!g || !p)
        ORR_SKIP("BLAS is not OpenBLAS");
    memcpy(&get, &g, sizeof get);
    memcpy(&set, &p, sizeof set);
    int before = get();
    set(3);
    ORR_REQUIRE(up());
    ORR_CHECK_MSG(get() == 3, "after orr_init: %d", get());
    for (int i = 0; i < 4; i++) {
        int threads = 2 + i % 2;
        set(threads);
        multiply(i < 2 ? 64 : 300);
        ORR_CHECK_MSG(get() == threads, "after an evaluation: %d", get());
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(get() == 3, "after orr_shutdown: %d", get());
    set(before);
}

/* -- threads that evaluate while others pause ------------------------------------------------------------------ */

static void *evaluate(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        work(i % 4 ? SHORT : LONG, i);
    return NULL;
}

static void threads_evaluate_through_pauses(void)
{
    pthread_t t[3];
    ORR_REQUIRE(up());
    for (int i = 0; i < 3; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, evaluate, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        ORR_CHECK(orr_pause() == ORR_OK);
        work(SHORT, 1);
        ORR_CHECK(orr_resume() == ORR_OK);
        rest(1e-3);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int workers_with(const char *threads, const orr_config *config)
{
    int n = -1;
    (void)setenv("OMP_NUM_THREADS", threads, 1);
    ORR_CHECK_MSG(orr_init(config) == ORR_OK, "%s", orr_error_message());
    const char *at = strstr(orr_engine_name(), ", ");
    if (at)
        n = atoi(at + 2);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    return n;
}

/* The bound of other libraries; the program's own number and STARPU_NCPU have precedence. */
static void openmps_threads_bound_the_workers(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2)
        ORR_SKIP("there is one core");
    (void)unsetenv("STARPU_NCPU");
    ORR_CHECK(workers_with("1", NULL) == 1);
    ORR_CHECK(workers_with("1,4", NULL) == 1); /* by level of nesting */
    int all = workers_with("100000", NULL);
    ORR_CHECK(all >= 2 && workers_with("0", NULL) == all && workers_with("x", NULL) == all);
    ORR_CHECK(workers_with("1", &(orr_config){ .workers = 2 }) == 2);
    (void)setenv("STARPU_NCPU", "2", 1);
    ORR_CHECK(workers_with("1", NULL) == 2);
    (void)unsetenv("OMP_NUM_THREADS");
}

/* The bytes of the library's variables of threads; 0: the file cannot be read. */
static size_t bytes_of_each_thread(void)
{
    const char *build = getenv("ORR_BUILDDIR");
    char path[4096];
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    size_t bytes = 0;
    (void)snprintf(path, sizeof path, "%s/.libs/liborrery.so", build ? build : ".");
    FILE *f = fopen(path, "rbe");
    if (!f)
        return 0;
    bool read = fread(&head, sizeof head, 1, f) == 1 && fseek(f, (long)head.e_phoff, SEEK_SET) == 0;
    for (int k = 0; read && k < head.e_phnum && fread(&part, sizeof part, 1, f) == 1; k++)
        bytes = part.p_type == PT_TLS ? part.p_memsz : bytes;
    (void)fclose(f);
    return bytes;
}

/* glibc keeps 1664 bytes for all libraries that a program opens while it runs; PyTorch and scikit-learn in one interpreter leave less than
 * 900. */
static void the_variables_of_threads_leave_room_for_other_libraries(void)
{
    size_t bytes = bytes_of_each_thread();
    if (bytes == 0 || ORR_TEST_SANITIZED)
        ORR_SKIP("no shared library, or a sanitizer's variables");
    ORR_CHECK_MSG(bytes <= 800, "%zu bytes", bytes);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(the_variables_of_threads_leave_room_for_other_libraries),
        ORR_TEST(idle_threads_sleep),
        ORR_TEST(paused_threads_sleep_while_the_program_computes),
        ORR_TEST(pauses_are_counted),
        ORR_TEST(awaited_kernels_are_compiled_in_a_pause),
        ORR_TEST(blas_has_the_programs_number_of_threads_between_calls),
        ORR_TEST(threads_evaluate_through_pauses),
        ORR_TEST(openmps_threads_bound_the_workers),
        { 0 },
    };
    return orr_test_main(argc, argv, "api.guest", tests);
}
