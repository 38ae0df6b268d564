/* Programs that end without orr_shutdown, with work in flight, from any thread: the exit status and the output are their own, no child
 * process and no temporary file is left, and none of them waits for long. Each is a process of its own. ORR_TEST_EXITS=n runs each n
 * times, from n = 2 on with all settings. A signal ends the process as its default action does: a compiler that is under way ends by itself.
 * Must not know: how threads are stopped. */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/base/clock.h"
#include "tests/harness/harness.h"

/* -- the programs ------------------------------------------------------------------------------------------------ */

static void nap(double seconds)
{
    struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) };
    while (nanosleep(&t, &t) != 0)
        continue;
}

static orr_tensor *random_matrix(int64_t n)
{
    return orr_rand(ORR_F32, ORR_SHAPE(n, n), -1.0, 1.0);
}

/* Tens of milliseconds of products and of a kernel that is worth a compilation. */
static orr_tensor *work(void)
{
    orr_tensor *x = random_matrix(512);
    for (int i = 0; i < 12; i++)
        x = orr_tanh(orr_matmul(x, orr_add(x, orr_scalar(i))));
    return x;
}

static int start(void)
{
    if (orr_init(NULL) != ORR_OK)
        exit(99);
    printf("begun"); /* complete only if the stream is flushed */
    return 0;
}

static int early_error(void)
{
    start();
    orr_tensor *x = orr_matmul(random_matrix(3), random_matrix(4));
    return orr_eval(x) == ORR_OK ? 0 : orr_error_print(stderr);
}

static int checkpoint_error(void)
{
    start();
    orr_tensor *x = work();
    return orr_eval(x) == ORR_OK && orr_save("/nonexistent/x.npy", x) == ORR_OK ? 0 : orr_error_print(stderr);
}

static int submitted(void)
{
    orr_event *e[4];
    start();
    for (int i = 0; i < 4; i++) {
        orr_tensor *x = work();
        if (orr_eval_async(&x, 1, &e[i]) != ORR_OK)
            return 98;
    }
    return 5;
}

/* The threads that compile kernels have jobs. */
static int compiling(void)
{
    start();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(1000, 1000), 0.0, 1.0);
    for (int i = 0; i < 8; i++) {
        x = i % 2 ? orr_tanh(orr_mul(orr_exp(x), orr_scalar(0.3))) : orr_sin(orr_add(orr_sqrt(orr_abs(x)), x));
        if (orr_eval(x) != ORR_OK)
            return 98;
    }
    return 6;
}

static void *evaluate(void *unused)
{
    (void)unused;
    for (;;)
        if (orr_eval(work()) != ORR_OK)
            _exit(97);
    return NULL;
}

static void *ends(void *status)
{
    nap(0.03);
    exit((int)(intptr_t)status);
}

static int from_other_thread(void)
{
    pthread_t t;
    start();
    if (pthread_create(&t, NULL, ends, (void *)7) != 0)
        return 98;
    (void)evaluate(NULL);
    return 96;
}

static int beside_other_threads(void)
{
    pthread_t t;
    start();
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t, NULL, evaluate, NULL) != 0)
            return 98;
    nap(0.03);
    return 8;
}

static int after_main(void)
{
    pthread_t t;
    start();
    if (pthread_create(&t, NULL, ends, (void *)9) != 0)
        return 98;
    (void)orr_eval(work());
    pthread_exit(NULL);
}

/* -- kernels of the program -- */

static int leaves(const orr_kernel_args *a)
{
    (void)a;
    exit(10);
}

static int sleeps(const orr_kernel_args *a)
{
    (void)a;
    nap(60);
    return 0;
}

static orr_tensor *own(int (*f)(const orr_kernel_args *a), bool rows)
{
    orr_kernel_def def = { .name = "own", .n_inputs = 1, .rows = rows, .cpu = f };
    orr_op *op = orr_define_kernel(&def);
    return orr_apply(op, ORR_TENSORS(random_matrix(64)));
}

static int from_kernel(void)
{
    start();
    (void)orr_eval(own(leaves, false));
    return 96;
}

static int from_kernel_in_task(void)
{
    orr_event *e;
    start();
    orr_tensor *x = own(leaves, true);
    (void)(orr_eval_async(&x, 1, &e) == ORR_OK && orr_wait(e));
    nap(60); /* the process ends meanwhile */
    return 96;
}

static void say_last(void)
{
    printf(", last");
}

/* A kernel that nothing can interrupt, beside a thread that holds a stream's lock. */
static void *read_input(void *unused)
{
    (void)unused;
    (void)getchar();
    return NULL;
}

static int long_kernel(void)
{
    pthread_t t;
    int ends_of[2];
    orr_event *e;
    if (atexit(say_last) != 0 || pipe(ends_of) != 0 || dup2(ends_of[0], 0) != 0 ||
        pthread_create(&t, NULL, read_input, NULL) != 0)
        return 98;
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    start();
    orr_tensor *x = own(sleeps, false);
    if (orr_eval_async(&x, 1, &e) != ORR_OK)
        return 98;
    nap(0.05);
    return 11;
}

/* -- handlers, and other ways to end -- */

static orr_tensor *settled, *open_work;

static void use_late(void)
{
    float v[4] = { 0 };
    bool ok = orr_read(settled, v, sizeof v) == ORR_OK && v[3] == 3 && orr_eval(open_work) == ORR_ESTATE &&
              orr_free(open_work) == ORR_OK && orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_ESTATE;
    printf(ok ? ", late" : ", %s", orr_error_message());
}

static void use_early(void)
{
    double sum = 0;
    bool ok = orr_item(orr_sum(settled, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 6;
    printf(ok ? ", early" : ", %s", orr_error_message());
}

static int in_handlers(void)
{
    orr_event *e;
    if (atexit(use_late) != 0)
        return 98;
    start();
    if (atexit(use_early) != 0)
        return 98;
    settled = orr_keep(orr_arange(ORR_F32, 0, 4, 1));
    open_work = orr_keep(work());
    orr_tensor *x = work();
    return orr_eval(settled) == ORR_OK && orr_eval_async(&x, 1, &e) == ORR_OK ? 12 : 98;
}

static void shut_down(void)
{
    printf(orr_shutdown() == ORR_OK ? ", down" : ", %s", orr_error_message());
}

static int shutdown_in_handler(void)
{
    orr_event *e;
    start();
    orr_tensor *x = work();
    return atexit(shut_down) == 0 && orr_eval_async(&x, 1, &e) == ORR_OK ? 13 : 98;
}

static int quickly(void)
{
    (void)compiling();
    (void)fflush(stdout);
    quick_exit(14);
}

/* A child of fork ends while its parent computes, and must not disturb it. */
static int forked(void)
{
    orr_event *e;
    int how = 0;
    start();
    (void)fflush(stdout);
    orr_tensor *x = work();
    if (orr_eval_async(&x, 1, &e) != ORR_OK)
        return 98;
    pid_t pid = fork();
    if (pid == 0)
        exit(3);
    if (pid < 0 || waitpid(pid, &how, 0) != pid || WEXITSTATUS(how) != 3 || !WIFEXITED(how))
        return 97;
    return orr_wait(e) == ORR_OK ? 15 : 96;
}

/* StarPU's OpenCL workers, if any. */
static int on_device(void)
{
    (void)setenv("ORRERY_BACKEND", "opencl", 1);
    if (orr_init(NULL) != ORR_OK)
        return 16;
    for (int i = 0; i < 3; i++) {
        orr_event *e;
        orr_tensor *x = orr_tanh(orr_mul(orr_rand(ORR_F32, ORR_SHAPE(1000, 500), 0.0, 1.0), orr_scalar(i)));
        if (orr_eval_async(&x, 1, &e) != ORR_OK)
            return 98;
    }
    return 16;
}

/* The default action of a signal, with work in flight. */
static int terminated(void)
{
    (void)submitted();
    (void)fflush(stdout);
    (void)raise(SIGTERM);
    return 96;
}

/* A function of a library that the program has opened. */
typedef union {
    void *p;
    __typeof__(orr_init_at) *init;
    __typeof__(orr_rand_at) *rand;
    __typeof__(orr_matmul_at) *matmul;
    __typeof__(orr_eval_async_at) *async;
} opened;

/* As a binding or a plug-in that is closed with work in flight; the program goes on. */
static int closed(void)
{
    char path[4096];
    const char *build = getenv("ORR_BUILDDIR");
    orr_event *e;
    printf("begun");
    (void)snprintf(path, sizeof path, "%s/.libs/liborrery.so", build ? build : ".");
    if (access(path, R_OK) != 0)
        return 17; /* built without a shared library */
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return 98;
    opened init = { dlsym(lib, "orr_init_at") }, make = { dlsym(lib, "orr_rand_at") },
           product = { dlsym(lib, "orr_matmul_at") }, async = { dlsym(lib, "orr_eval_async_at") };
    if (!init.p || !make.p || !product.p || !async.p || init.init(ORR_HERE, ORR_HEADERS, NULL) != ORR_OK)
        return 97;
    orr_tensor *x = make.rand(ORR_HERE, ORR_F32, ORR_SHAPE(512, 512), -0.1, 0.1);
    for (int i = 0; i < 12; i++)
        x = product.matmul(ORR_HERE, x, x);
    if (async.async(ORR_HERE, &x, 1, &e) != ORR_OK || dlclose(lib) != 0)
        return 96;
    nap(0.05);
    return 17;
}

static const struct {
    const char *name;
    int (*run)(void);
    int status; /* −n: ended by signal n */
    const char *output;
} program[] = {
    { "early_error", early_error, 1, "begun" },
    { "checkpoint_error", checkpoint_error, 1, "begun" },
    { "submitted", submitted, 5, "begun" },
    { "compiling", compiling, 6, "begun" },
    { "from_other_thread", from_other_thread, 7, "begun" },
    { "beside_other_threads", beside_other_threads, 8, "begun" },
    { "after_main", after_main, 9, "begun" },
    { "from_kernel", from_kernel, 10, "begun" },
    { "from_kernel_in_task", from_kernel_in_task, 10, "begun" },
    { "long_kernel", long_kernel, 11, "begun, last" },
    { "in_handlers", in_handlers, 12, "begun, early, late" },
    { "shutdown_in_handler", shutdown_in_handler, 13, "begun, down" },
    { "quickly", quickly, 14, "begun" },
    { "forked", forked, 15, "begun" },
    { "on_device", on_device, 16, "" },
    { "terminated", terminated, -SIGTERM, "begun" },
    { "closed", closed, 17, "begun" },
};
enum { PROGRAMS = sizeof program / sizeof *program };

/* -- the tests ----------------------------------------------------------------------------------------------------- */

enum { LONG = 60 }; /* seconds that no program takes */

/* Seconds, which pass more slowly on a busy machine, as those of build-aux/run-tests. */
static double passed(double seconds)
{
    double load, cores = 4 * (double)sysconf(_SC_NPROCESSORS_ONLN);
    return getloadavg(&load, 1) == 1 && load > cores ? seconds * cores / load : seconds;
}

static void remove_all(const char *folder)
{
    char command[400];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        printf("%s stays\n", folder);
}

/* Only parts of a name that the library gives to what it will remove. */
static int leftovers(const char *folder, char *name, size_t size)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, "tmp") || strstr(e->d_name, ".lock")) {
            n++;
            (void)snprintf(name, size, "%.100s", e->d_name);
        }
    if (d)
        (void)closedir(d);
    return n;
}

static pid_t begin(int p, const char *cache, const char *tmp, const char *jit, int out)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    (void)setpgid(0, 0);
    (void)setenv("ORRERY_CACHE_DIR", cache, 1);
    (void)setenv("TMPDIR", tmp, 1);
    (void)setenv("ORRERY_JIT", jit, 1);
    (void)setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* nothing is freed */
    (void)unsetenv("ORRERY_MACHINE");                  /* the measuring thread runs */
    int null = open("/dev/null", O_RDWR);
    (void)dup2(null, 0);
    (void)dup2(out, 1);
    (void)dup2(null, 2);
    (void)execl("/proc/self/exe", "exit", "--program", program[p].name, (char *)NULL);
    _exit(95);
}

/* A process that the program has left becomes a child of ours. One that was killed may still be about to end. */
static bool none_is_left(void)
{
    int how = 0;
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    while (pid > 0)
        pid = waitpid(-1, NULL, WNOHANG);
    bool none = pid < 0;
    while (waitpid(-1, &how, 0) > 0)
        none = none || WIFSIGNALED(how);
    return none;
}

/* The threads of a late program: name, state, where they wait in the kernel, clock ticks of processor time. */
static void say_threads(pid_t pid, char *to, size_t size)
{
    char path[100];
    size_t n = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && n < size && (e = readdir(d));) {
        size_t bytes = 0;
        char stat[400], wait[400];
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(stat, sizeof stat, "%s/%.20s/stat", path, e->d_name);
        (void)snprintf(wait, sizeof wait, "%s/%.20s/wchan", path, e->d_name);
        char *s = (char *)orr_test_slurp(stat, &bytes), *w = (char *)orr_test_slurp(wait, &bytes);
        char *name = s ? strchr(s, '(') : NULL, *end = name ? strchr(name, ')') : NULL;
        unsigned long user = 0, system = 0;
        if (end && sscanf(end + 3, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) == 2)
            n += (size_t)snprintf(to + n, size - n, "; %.*s %c %s %lu", (int)(end + 1 - name), name, end[2], w ? w : "",
                                  user + system);
        free(s);
        free(w);
    }
    if (d)
        (void)closedir(d);
}

/* True if the program ends in time, by exit, with its own status and output. */
static bool run(int p, const char *cache, const char *tmp, const char *jit)
{
    int ends_of[2], how = 0;
    char said[400] = "", name[120] = "", threads[2000] = "";
    size_t n = 0;
    if (pipe2(ends_of, O_CLOEXEC) != 0)
        return false;
    pid_t pid = begin(p, cache, tmp, jit, ends_of[1]);
    (void)close(ends_of[1]);
    double since = orr__now(), spent = 0;
    pid_t got;
    while ((got = waitpid(pid, &how, WNOHANG)) == 0 && spent < LONG) {
        nap(0.005);
        double now = orr__now();
        spent += passed(now - since);
        since = now;
    }
    bool late = got != pid;
    if (late) {
        say_threads(pid, threads, sizeof threads);
        (void)kill(-pid, SIGKILL);
        (void)waitpid(pid, &how, 0);
    }
    for (ssize_t m; n < sizeof said - 1 && (m = read(ends_of[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)m;
    (void)close(ends_of[0]);
    bool alone = none_is_left();
    int files = leftovers(tmp, name, sizeof name);
    files = files ? files : leftovers(cache, name, sizeof name);
    int status = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
    bool by_signal = program[p].status < 0;
    bool ok = !late && status == program[p].status && strcmp(said, program[p].output) == 0 &&
              (by_signal || (alone && files == 0));
    ORR_CHECK_MSG(ok, "%s, kernels %s: %s status %d, output \"%s\", %s, %d files left %s%s", program[p].name, jit,
                  late ? "late," : "", status, said, alone ? "no child" : "a child", files, name, threads);
    if (files)
        remove_all(tmp);
    return ok;
}

/* Half of the programs (orr_test_due), or of each of `step`, with a cold cache, then with a warm one. */
static void run_all(const char *jit, int step)
{
    const char *times = getenv("ORR_TEST_EXITS");
    int n = times && atoi(times) > 0 ? atoi(times) : 1, failed = 0;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int p = 0; p<PROGRAMS; p += n> 1 ? 1 : step)
        for (int i = 0; i < n && (n > 1 || orr_test_due((unsigned)(p / step), 2)); i++) {
            char cache[300], tmp[300];
            (void)snprintf(cache, sizeof cache, "%.250s", orr_test_tmp("cache"));
            (void)snprintf(tmp, sizeof tmp, "%.250s", orr_test_tmp("files"));
            remove_all(cache);
            remove_all(tmp);
            (void)mkdir(tmp, 0700);
            for (int warm = 0; warm < 2; warm++)
                failed += !run(p, cache, tmp, jit);
        }
    ORR_CHECK_MSG(failed == 0, "%d runs", failed);
}

static void status_is_the_programs_own(void)
{
    run_all("on", 1);
}

static void status_is_the_programs_own_while_kernels_are_awaited(void)
{
    run_all("wait", 4);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(status_is_the_programs_own),
                                      ORR_TEST(status_is_the_programs_own_while_kernels_are_awaited),
                                      { NULL, NULL } };
    for (int p = 0; argc == 3 && strcmp(argv[1], "--program") == 0 && p < PROGRAMS; p++)
        if (strcmp(argv[2], program[p].name) == 0)
            return program[p].run();
    return orr_test_main(argc, argv, "exit", tests);
}
