/* Marks for other tools: ranges of NVTX and ITT, StarPU's names of tasks, perf's map, energy. Doubles of the libraries, compiled here, write
 * down their calls. A missing library is one line of the log.
 * Must not know: how marks are made. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static char text[1 << 16];

static const char *slurp(const char *path)
{
    size_t size = 0;
    char *all = (char *)orr_test_slurp(path, &size);
    (void)snprintf(text, sizeof text, "%s", all ? all : "");
    free(all);
    return text;
}

static void spit(const char *path, const char *content)
{
    FILE *f = fopen(path, "w");
    ORR_REQUIRE(f);
    ORR_CHECK(fputs(content, f) >= 0 && fclose(f) == 0);
}

/* -- the program under the tools --------------------------------------------------------------------------- */

enum { N = 1 << 18, LINE = __LINE__ + 9 };

static int work(void)
{
    double total = 0;
    const char *energy = getenv("ORRERY_ENERGY");
    char path[1200];
    orr_status st = orr_init(NULL);
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_tanh(orr_mul(orr_arange(ORR_F32, 0, N, 1), orr_scalar(0)));
    st = st == ORR_OK ? orr_item(orr_sum(orr_add(y, orr_scalar(1)), ORR_ALL_AXES, false), &total) : st;
    (void)orr_scope_end(s);
    (void)snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", energy ? energy : "");
    FILE *f = energy ? fopen(path, "w") : NULL; /* the counter has begun anew: 5 J have been used */
    if (f) {
        (void)fputs("2000000\n", f);
        (void)fclose(f);
    }
    st = st == ORR_OK ? orr_shutdown() : st;
    return st == ORR_OK && total == N ? 0 : 1;
}

/* Runs this program with more environment; its log is in `log`. Returns its process number. */
static long run(const char *environment, const char *log)
{
    char self[1024] = "", command[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    ORR_CHECK(n > 0);
    (void)snprintf(
        command, sizeof command,
        "ORRERY_CACHE_DIR='%s' ORRERY_JIT=wait %s '%s' work > '%s' 2>&1 & p=$!; wait $p && echo $p > '%s.pid'",
        orr_test_kernels(), environment, self, log, log);
    int status = system(command);
    char path[1100];
    (void)snprintf(path, sizeof path, "%s.pid", log);
    long pid = strtol(slurp(path), NULL, 10);
    bool ran = status == 0 && pid > 0;
    ORR_CHECK_MSG(ran, "%s: %s", command, slurp(log));
    return pid;
}

/* Compiles a double; false: there is no compiler. */
static bool compiled(const char *source, const char *to)
{
    char command[4096], c[1100];
    (void)snprintf(c, sizeof c, "%s.c", to);
    spit(c, source);
    (void)snprintf(command, sizeof command, "${CC:-cc} -shared -fPIC -o '%s' '%s' -ldl 2> '%s.err'", to, c, to);
    return system(command) == 0;
}

#define RECORD                                                                                                         \
    "#include <stdio.h>\n#include <stdlib.h>\n"                                                                        \
    "static void record(const char *what, const char *name)\n"                                                         \
    "{\n    FILE *f = fopen(getenv(\"DOUBLE_LOG\"), \"a\");\n"                                                         \
    "    if (f) { fprintf(f, \"%s %s\\n\", what, name); fclose(f); }\n}\n"

static bool has_line(const char *all, const char *begin, const char *end)
{
    for (const char *at = strstr(all, begin); at; at = strstr(at + 1, begin)) {
        const char *stop = strchr(at, '\n'), *found = strstr(at, end);
        if (stop && found && found + strlen(end) == stop)
            return true;
    }
    return false;
}

static int count(const char *all, const char *word)
{
    int n = 0;
    for (const char *at = all; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* -- ranges ------------------------------------------------------------------------------------------------ */

static void ranges_have_the_names_of_kernels_and_lines(void)
{
    char dir[900], library[1100], environment[3000], log[1000], end[64];
    const char *before = getenv("LD_LIBRARY_PATH");
    (void)snprintf(dir, sizeof dir, "%s", orr_test_tmp("nvtx"));
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("ranges"));
    ORR_CHECK(mkdir(dir, 0700) == 0 || access(dir, X_OK) == 0);
    (void)snprintf(library, sizeof library, "%s/libnvToolsExt.so.1", dir);
    if (!compiled(RECORD "int nvtxRangePushA(const char *n) { record(\"push\", n); return 0; }\n"
                         "int nvtxRangePop(void) { record(\"pop\", \"\"); return 0; }\n",
                  library))
        ORR_SKIP("no C compiler");
    (void)remove(log);
    (void)snprintf(environment, sizeof environment, "ORRERY_RANGES=nvtx DOUBLE_LOG='%s' LD_LIBRARY_PATH='%s:%s'", log,
                   dir, before ? before : "");
    (void)run(environment, orr_test_tmp("log"));
    (void)snprintf(end, sizeof end, "interop.c:%d", LINE + 1);
    const char *all = slurp(log);
    ORR_CHECK_MSG(has_line(all, "push sum", end), "%s should have a range of sum, %s", all, end);
    ORR_CHECK(count(all, "push ") == count(all, "pop ") && count(all, "pop ") > 0);

    (void)snprintf(library, sizeof library, "%s/collector.so", dir);
    ORR_CHECK(compiled(RECORD "typedef struct { unsigned long long a, b, c; } id;\n"
                              "void *__itt_domain_create(const char *n) { record(\"domain\", n); return &record; }\n"
                              "void *__itt_string_handle_create(const char *n) { return (void *)n; }\n"
                              "void __itt_task_begin(const void *d, id t, id p, void *n)\n"
                              "{ record(d == &record && !t.a && !p.c ? \"begin\" : \"bad\", n); }\n"
                              "void __itt_task_end(const void *d) { record(\"end\", \"\"); }\n",
                       library));
    (void)remove(log);
    (void)snprintf(environment, sizeof environment, "ORRERY_RANGES=itt DOUBLE_LOG='%s' INTEL_LIBITTNOTIFY64='%s'", log,
                   library);
    (void)run(environment, orr_test_tmp("log"));
    all = slurp(log);
    ORR_CHECK_MSG(has_line(all, "begin sum", end) && strstr(all, "domain orrery\n"), "%s", all);
    ORR_CHECK(count(all, "begin ") == count(all, "end ") && !strstr(all, "bad"));
}

static void counters_have_regions_of_kernels_and_lines(void)
{
    char dir[900], library[1100], environment[3000], log[1000], end[64];
    const char *before = getenv("LD_LIBRARY_PATH");
    (void)snprintf(dir, sizeof dir, "%s", orr_test_tmp("papi"));
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("regions"));
    ORR_CHECK(mkdir(dir, 0700) == 0 || access(dir, X_OK) == 0);
    (void)snprintf(library, sizeof library, "%s/libpapi.so", dir);
    (void)snprintf(end, sizeof end, "interop.c:%d", LINE + 1);
    for (int refuses = 0; refuses <= 1; refuses++) {
        char source[2000];
        (void)snprintf(source, sizeof source, "#define CODE %d\n%s", refuses ? -7 : 0,
                       RECORD "int PAPI_hl_region_begin(const char *n) { record(\"begin\", n); return CODE; }\n"
                              "int PAPI_hl_region_end(const char *n) { record(\"end\", n); return 0; }\n");
        if (!compiled(source, library))
            ORR_SKIP("no C compiler");
        (void)remove(log);
        (void)snprintf(environment, sizeof environment, "ORRERY_RANGES=papi DOUBLE_LOG='%s' LD_LIBRARY_PATH='%s:%s'",
                       log, dir, before ? before : "");
        (void)run(environment, orr_test_tmp("log"));
        const char *all = slurp(orr_test_tmp("log"));
        ORR_CHECK_MSG(count(all, "the error -7") == refuses, "%s", all);
        all = slurp(log);
        ORR_CHECK_MSG(refuses || (has_line(all, "begin sum", end) && has_line(all, "end sum", end)), "%s", all);
        ORR_CHECK(count(all, "begin ") == count(all, "end ") && count(all, "begin ") > 0);
    }
}

static void a_missing_library_is_one_line(void)
{
    char log[1000];
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("log"));
    (void)run("ORRERY_RANGES=itt INTEL_LIBITTNOTIFY64=/nowhere/collector.so", log);
    const char *all = slurp(log);
    ORR_CHECK_MSG(count(all, "\n") == 1 && strstr(all, "ORRERY_RANGES=itt: no ranges") && strstr(all, "/nowhere/"),
                  "%s", all);
    (void)run("ORRERY_ENERGY=/nowhere ORRERY_NOTES=/dev/null", log);
    all = slurp(log);
    ORR_CHECK_MSG(count(all, "\n") == 1 && strstr(all, "no joules: /nowhere/intel-rapl:0/energy_uj"), "%s", all);
}

/* -- perf, energy, StarPU ---------------------------------------------------------------------------------- */

static void perf_finds_the_names_of_compiled_kernels(void)
{
    char map[64], log[1000];
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("log"));
    if (system("${CC:-cc} --version > /dev/null 2>&1") != 0)
        ORR_SKIP("no C compiler");
    long pid = run("ORRERY_PERF_MAP=on", log);
    (void)snprintf(map, sizeof map, "/tmp/perf-%ld.map", pid);
    const char *all = slurp(map);
    unsigned long long from, bytes;
    ORR_CHECK_MSG(sscanf(all, "%llx %llx orrery: ", &from, &bytes) == 2 && from && bytes && strstr(all, "sum"),
                  "%s: %s", map, all);
    (void)remove(map);
}

/* NVML with `n` devices, each of which has used 3 J more at every call. */
#define NVML                                                                                                           \
    "int nvmlInit_v2(void) { return 0; }\nconst char *nvmlErrorString(int c) { return c ? \"bad\" : \"good\"; }\n"     \
    "#define STUB(name) int name(void *a, void *b, void *c) { return 1 + !a + !b + !c; }\n"                            \
    "STUB(nvmlDeviceGetHandleByPciBusId_v2) STUB(nvmlDeviceGetMemoryInfo) STUB(nvmlDeviceGetTemperature)\n"            \
    "STUB(nvmlDeviceGetPowerUsage) STUB(nvmlDeviceGetUtilizationRates) STUB(nvmlDeviceGetClockInfo)\n"                 \
    "int nvmlDeviceGetCount_v2(unsigned *n) { *n = DEVICES; return 0; }\nstatic unsigned long long used[2];\n"         \
    "int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = &used[i]; return 0; }\n"                           \
    "int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj)\n"                                       \
    "{ *mj = *(unsigned long long *)d += 3000; return 0; }\n"

/* The sum of the joules of all lines. */
static double joules_of(const char *notes)
{
    double sum = 0;
    for (const char *at = slurp(notes); (at = strstr(at, "% of the time")); at++) {
        const char *end = strstr(at, " J"), *stop = strchr(at, '\n');
        ORR_CHECK(end && stop && end < stop);
        while (end && end > at && end[-1] != ' ')
            end--;
        sum += end ? strtod(end, NULL) : 0;
    }
    return sum;
}

static void notes_have_the_joules_of_each_line(void)
{
    char dir[900], path[1100], environment[4000], notes[1000];
    (void)snprintf(dir, sizeof dir, "%s", orr_test_tmp("powercap"));
    (void)snprintf(notes, sizeof notes, "%s", orr_test_tmp("notes"));
    (void)snprintf(path, sizeof path, "%s/intel-rapl:0", dir);
    ORR_CHECK((mkdir(dir, 0700) == 0 || access(dir, X_OK) == 0) && (mkdir(path, 0700) == 0 || access(path, X_OK) == 0));
    (void)snprintf(path, sizeof path, "%s/intel-rapl:0/max_energy_range_uj", dir);
    spit(path, "100000000\n");
    for (int devices = 0; devices <= 2; devices += 2) {
        char source[3000];
        double want = 5 + 3 * devices;
        (void)snprintf(source, sizeof source, "#define DEVICES %d\n" NVML, devices);
        (void)snprintf(path, sizeof path, "%s/libnvidia-ml.so.1", dir);
        if (!compiled(source, path))
            ORR_SKIP("no C compiler");
        (void)snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", dir);
        spit(path, "97000000\n");
        (void)snprintf(environment, sizeof environment,
                       "LD_LIBRARY_PATH='%s'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ORRERY_ENERGY='%s' ORRERY_NOTES='%s'",
                       dir, dir, notes);
        (void)run(environment, orr_test_tmp("log"));
        double sum = joules_of(notes);
        ORR_CHECK_MSG(sum > 0.9 * want && sum < 1.02 * want, "%g of %g J: %s", sum, want, text);
    }
}

static void tasks_have_the_names_of_kernels_and_lines(void)
{
#ifdef HAVE_STARPU
    char library[1000], environment[3000], log[1000], end[64];
    (void)snprintf(library, sizeof library, "%s", orr_test_tmp("starpu.so"));
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("tasks"));
    if (getenv("LD_PRELOAD"))
        ORR_SKIP("LD_PRELOAD is set");
    if (ORR_TEST_SANITIZED)
        ORR_SKIP("a sanitizer's library comes first");
    if (!compiled("#define _GNU_SOURCE\n#include <dlfcn.h>\n" RECORD "const char *starpu_task_get_name(void *);\n"
                  "int starpu_task_submit(void *t)\n"
                  "{\n    int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, \"starpu_task_submit\");\n"
                  "    const char *n = starpu_task_get_name(t);\n    record(\"task\", n ? n : \"\");\n"
                  "    return real(t);\n}\n",
                  library))
        ORR_SKIP("no C compiler");
    (void)remove(log);
    (void)snprintf(environment, sizeof environment,
                   "STARPU_FXT_TRACE=1 ORRERY_INLINE_US=0 ORRERY_ABLATE=bundles DOUBLE_LOG='%s' LD_PRELOAD='%s'", log,
                   library);
    (void)run(environment, orr_test_tmp("log"));
    (void)snprintf(end, sizeof end, "interop.c:%d", LINE + 1);
    const char *all = slurp(log);
    ORR_CHECK_MSG(has_line(all, "task sum", end), "%s should have a task of sum, %s", all, end);
#else
    ORR_SKIP("built without StarPU");
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(ranges_have_the_names_of_kernels_and_lines),
                                      ORR_TEST(counters_have_regions_of_kernels_and_lines),
                                      ORR_TEST(a_missing_library_is_one_line),
                                      ORR_TEST(perf_finds_the_names_of_compiled_kernels),
                                      ORR_TEST(notes_have_the_joules_of_each_line),
                                      ORR_TEST(tasks_have_the_names_of_kernels_and_lines),
                                      { 0 } };
    if (argc == 2 && strcmp(argv[1], "work") == 0)
        return work();
    return orr_test_main(argc, argv, "tools.interop", tests);
}
