/* Programs that start with a cold cache of kernels, beside writers that wait for the disk: no evaluation waits for
 * long with nothing to do, for the disk or for a wake that is lost.
 * Each is a process of its own, under one of StarPU's policies, with and without the inline lane. ORR_TEST_STARTS=n runs n of them.
 * Must not know: what a start does. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* An evaluation takes tens of milliseconds. A lost wake, or a wait for the disk, takes seconds. */
enum { SIDE = 1000, EVALUATIONS = 8, WRITERS = 2, RATIO = 10 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Products, rows, shifts and maps; new kernels in the first evaluation only. */
static orr_tensor *work(orr_tensor *x, int k)
{
    orr_tensor *y = x;
    for (int i = 0; i < 6; i++) {
        y = orr_softmax(orr_tanh(orr_matmul(y, x)), -1);
        y = orr_add(y, orr_mul(x, orr_scalar(0.5 + k)));
        y = orr_add(y, orr_roll(y, ORR_INDEX(1), ORR_AXES(0)));
    }
    return y;
}

/* Milliseconds in which the threads of this process ran, or waited for a core of a busy machine. */
static double busy_ms(void)
{
    double ms = 0;
    DIR *d = opendir("/proc/self/task");
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[300];
        unsigned long long ran = 0, delayed = 0;
        (void)snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%llu %llu", &ran, &delayed) == 2)
            ms += 1e-6 * (double)(ran + delayed);
        if (f)
            (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return ms;
}

/* Prints the usual time of an evaluation, the least; the longest one; and the longest time in which no thread ran or could have run. */
static int program(void)
{
    double least = 1e9, most = 0, idle = 0;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_tensor *x = orr_keep(orr_rand(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1e-3));
    if (orr_eval(x) != ORR_OK)
        return orr_error_print(stderr);
    for (int k = 0; k < EVALUATIONS; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = work(x, k);
        double busy = busy_ms(), begun = now_ms();
        if (orr_eval(y) != ORR_OK)
            return orr_error_print(stderr);
        double ms = now_ms() - begun, waited = ms - (busy_ms() - busy);
        least = ms < least ? ms : least;
        most = ms > most ? ms : most;
        idle = waited > idle ? waited : idle;
        (void)orr_scope_end(s);
    }
    (void)orr_free(x);
    printf("%g %g %g", least, most, idle);
    return orr_shutdown() != ORR_OK;
}

/* Writes to a file for ever, each block to the disk. */
static pid_t begin_writer(const char *folder, int number)
{
    static char block[1 << 20];
    char path[400];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    (void)snprintf(path, sizeof path, "%s/written.%d", folder, number);
    for (;;) {
        int f = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_SYNC, 0600);
        for (int i = 0; i < 64; i++)
            if (f < 0 || write(f, block, sizeof block) < 0)
                _exit(1);
        (void)close(f);
    }
}

static bool run(const char *folder, int i, double ms[3])
{
    static const char *const policy[] = { "lws", "dmda", "eager", "ws", "prio" };
    char command[1400], self[300], said[100] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    (void)snprintf(command, sizeof command,
                   "ORRERY_CACHE_DIR='%s/cache.%d' STARPU_SCHED=%s %s '%s' --program; rm -rf '%s/cache.%d'", folder, i,
                   policy[i % 5], i % 2 ? "ORRERY_INLINE_US=0" : "", self, folder, i);
    FILE *f = popen(command, "re");
    bool ok = f && fgets(said, sizeof said, f) && sscanf(said, "%lf %lf %lf", &ms[0], &ms[1], &ms[2]) == 3;
    return f && pclose(f) == 0 && ok;
}

static void no_evaluation_waits(void)
{
    const char *times = getenv("ORR_TEST_STARTS");
    int n = times && atoi(times) > 0 ? atoi(times) : 5;
    double worst = 0;
    pid_t writer[WRITERS];
    char folder[300], command[400];
    (void)snprintf(folder, sizeof folder, "%s/orrery-starts.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    ORR_REQUIRE(mkdtemp(folder) != NULL);
    for (int w = 0; w < WRITERS; w++)
        writer[w] = begin_writer(folder, w);
    for (int i = 0; i < n; i++) {
        if (!times && !orr_test_due((unsigned)i, 2))
            continue;
        double ms[3] = { 1, 0, 0 };
        bool ran = run(folder, i, ms);
        ORR_CHECK_MSG(ran && ms[2] < RATIO * ms[0], "start %d: %s, idle for %.1f ms of %.1f, usually %.1f", i,
                      ran ? "ended" : "failed", ms[2], ms[1], ms[0]);
        worst = ms[1] / ms[0] > worst ? ms[1] / ms[0] : worst;
    }
    for (int w = 0; w < WRITERS; w++) {
        (void)kill(writer[w], SIGKILL);
        (void)waitpid(writer[w], NULL, 0);
    }
    printf("    %d starts; the longest evaluation takes %.1f times the least of its program\n", n, worst);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ORR_CHECK(system(command) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(no_evaluation_waits), { 0 } };
    if (argc > 1 && strcmp(argv[1], "--program") == 0)
        return program();
    return orr_test_main(argc, argv, "api.starts", tests);
}
