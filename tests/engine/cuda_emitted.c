/* The emitted kernels on the double of CUDA, beyond what g++ makes of their text: NVIDIA's own compilation of them, executed (real NVRTC makes
 * PTX, tests/double/ptx makes it run on the processor), and races of threads within a block, found by ThreadSanitizer. The kernels are those of
 * tests of other rooms, which compare with the processors' values. By default a test or two of a third of the families of kernels (orr_test_due), for one architecture;
 * with ORR_TEST_FULL=1 all of them, for the architectures of ORR_TEST_PTX ("75 80 90 100"). These are hours on few cores, which can be divided:
 * ORR_TEST_PTX_ONLY has words of the programs to run, ORR_TEST_PTX_DONE names a file of the tests that have passed, to which those of this run are
 * added; they are not run again.
 * Must not know: what is computed. */
#include "config.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "tests/harness/cuda_engine.h"

enum { SECONDS = 3000, RACE = 66 /* the exit status of a race */ };

/* A program, and its tests of the short form ("": all, NULL: none). SHARED ones are not strict: fields link points in lists by atomics, in the
 * order of the threads. */
typedef struct {
    const char *program, *tests;
    enum {
        DIRECT,
        WHOLE,
        SHARED
    } engine; /* it needs StarPU's workers: devices alone; with processors for some operations */
} family;

static const family families[] = {
    { "codelets/cuda", /* maps, folds, rows, products, moves, attention, CTC */
      "strided_broadcast_and_negative_accesses reductions_over_any_axes chains_into_reductions "
      "special_values_stay_in_their_row sequences_are_aligned_together",
      DIRECT },
    { "codelets/cuda_product", "missing_library_uses_our_kernel", DIRECT },
    { "codelets/cuda_attention", "attention_of_halves_is_the_processors", DIRECT },
    { "codelets/cuda_recurrence", NULL, DIRECT },
    { "codelets/cuda_conv", "by_cudnn_and_without_it_values_are_the_same", DIRECT },
    { "ops/conv", "maxima_of_windows_are_the_first_in_order", WHOLE }, /* convolutions, pools, resizing */
    { "nn/devices", "wrong_sequences_are_refused", WHOLE }, /* attention, recurrences, CTC, resizing, and gradients */
    { "field/devices", NULL, SHARED },                      /* elements, transforms, points, hashes */
    { "api/define_device", "a_device_runs_its_text", WHOLE },
};

static char keep[1024], script[1024]; /* the folder of objects; tests/double/ptx */

/* Kernels that differ in more than their target, so far. */
static int kernels(void)
{
    int n = 0;
    DIR *d = opendir(keep);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += strstr(e->d_name, ".so") != NULL;
    if (d)
        (void)closedir(d);
    return n;
}

/* Runs a program under settings of the shell; *text, which the caller frees, is its output, *passed the number of its tests that passed. */
static int run(const char *settings, const char *program, const char *tests, int engine, char **text, int *passed)
{
    char line[6000], log[600];
    const char *build = getenv("ORR_BUILDDIR");
    size_t size;
    (void)snprintf(log, sizeof log, "%.500s", orr_test_tmp("log"));
    (void)snprintf(line, sizeof line,
                   "cd '%.900s' && unset LD_PRELOAD ORR_TEST_DOUBLE && export ORRERY_CACHE_DIR='%.900s' %.900s && "
                   "timeout -k 5 %d %s'%.900s'%s tests/%.60s %.900s >'%s' 2>&1",
                   build ? build : ".", orr_test_tmp("cache"), settings, SECONDS,
                   engine == WHOLE    ? "env CUDA_DOUBLE_LIBRARIES= ORRERY_FALLBACK=off sh "
                   : engine == SHARED ? "env CUDA_DOUBLE_LIBRARIES= CUDA_DOUBLE_STRICT=0 sh "
                                      : "",
                   engine ? orr_test_golden("../double/run") : "/usr/bin/env",
                   strstr(settings, "CUDA_DOUBLE_RACES") ? " setarch -R env LD_PRELOAD=\"$TSAN\"" : "", program, tests,
                   log);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    *text = (char *)orr_test_slurp(log, &size);
    const char *said = *text ? strstr(*text, "orr-test: ") : NULL;
    *passed = 0;
    if (said)
        (void)sscanf(said, "orr-test: %d", passed); /* NOLINT(cert-err34-c) */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool built(const family *f)
{
    char path[1200];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%.900s/tests/%.60s", build ? build : ".", f->program);
    return access(path, X_OK) == 0;
}

/* True if the program's name contains one of the words of ORR_TEST_PTX_ONLY, or there are none. */
static bool chosen(const family *f)
{
    char words[256], *rest = NULL;
    const char *given = getenv("ORR_TEST_PTX_ONLY");
    (void)snprintf(words, sizeof words, "%s", given ? given : f->program);
    for (const char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        if (strstr(f->program, w))
            return true;
    return false;
}

/* Runs the tests of a family; `what` names the variant. */
static bool check(const family *f, const char *what, const char *settings, const char *tests)
{
    char *text;
    int passed, before = kernels();
    double began = orr__now();
    int status = run(settings, f->program, tests, f->engine, &text, &passed);
    size_t length = text ? strlen(text) : 0;
    printf("    %s: %s: %d tests, %d kernels, %.1f s\n", what, f->program, passed, kernels() - before,
           orr__now() - began);
    bool ok = status == 0 && passed > 0, skips = status == 77;
    ORR_CHECK_MSG(ok || (skips && getenv("ORR_TEST_PTX_DONE")), "%s: %s %s: exit status %d:\n%s", what, f->program,
                  tests, status, text ? text + (length > 3000 ? length - 3000 : 0) : "no output");
    free(text);
    return ok;
}

/* All tests of a family, one by one, but those that the file has. */
static void check_rest(const family *f, const char *what, const char *settings, const char *file)
{
    char *all, *rest = NULL, line[400];
    int none;
    size_t size;
    (void)run(settings, f->program, "--list", f->engine, &all, &none);
    for (const char *test = all ? strtok_r(all, "\n", &rest) : NULL; test; test = strtok_r(NULL, "\n", &rest)) {
        (void)snprintf(line, sizeof line, "%s %s %s\n", what, f->program, test);
        if (test[strspn(test, "abcdefghijklmnopqrstuvwxyz_0123456789")] != '\0') /* a message */
            continue;
        char *done = (char *)orr_test_slurp(file, &size);
        bool before = done && strstr(done, line);
        free(done);
        FILE *to = !before && check(f, what, settings, test) ? fopen(file, "ae") : NULL;
        if (to)
            ORR_CHECK(fputs(line, to) >= 0 && fclose(to) == 0);
    }
    free(all);
}

static int begun; /* families */

/* Runs the tests of a family that are due. */
static void check_family(const family *f, const char *what, const char *settings)
{
    const char *file = getenv("ORR_TEST_PTX_DONE");
    bool full = orr_test_full();
    if (!built(f) || (f->engine != DIRECT && !cu.ok) || (!f->tests && !full) || !chosen(f))
        return;
    begun++;
    if (full && file)
        check_rest(f, what, settings, file);
    else
        (void)check(f, what, settings, full ? "" : f->tests);
}

/* Compiles a text by tests/double/ptx to `object`, with its messages in `log`. */
static bool translated(const char *text, char object[1100], char log[1100])
{
    char line[6000], source[1100];
    (void)snprintf(source, sizeof source, "%.1000s/k.cu", keep);
    (void)snprintf(object, 1100, "%.1000s/k.object", keep);
    (void)snprintf(log, 1100, "%.1000s/k.log", keep);
    FILE *f = fopen(source, "we");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        return false;
    (void)snprintf(line, sizeof line, "env -u LD_PRELOAD -u CUDA_DOUBLE_KEEP '%s' 90 '%s' '%s' >'%s' 2>&1", script,
                   source, object, log);
    return system(line) == 0; /* NOLINT(cert-env33-c): a test */
}

/* The script finds NVRTC and a compiler. */
static bool ready(void)
{
    char object[1100], log[1100];
    return translated("extern \"C\" __global__ void orr_kernel(int *p) { *p = 1; }\n", object, log);
}

static void begin(void)
{
    if (cu.real)
        ORR_SKIP("a GPU is here: the other tests use it");
    const char *kept = getenv("CUDA_DOUBLE_KEEP");
    (void)snprintf(keep, sizeof keep, "%s", kept ? kept : orr_test_tmp("objects"));
    (void)snprintf(script, sizeof script, "%s", orr_test_golden("../double/ptx"));
    (void)mkdir(keep, 0700);
    setenv("CUDA_DOUBLE_KEEP", keep, 1);
    setenv("CUDA_DOUBLE_TRANSLATOR", script, 1);
}

static void ptx_of_every_kernel_computes_the_processors_values(void)
{
    char archs[64], what[32], settings[64];
    const char *given = getenv("ORR_TEST_PTX");
    begin();
    if (!ready())
        ORR_SKIP("no NVRTC, python3 or gcc");
    (void)snprintf(archs, sizeof archs, "%s", given ? given : orr_test_full() ? "75 80 90 100" : "90");
    char *rest = NULL;
    for (const char *a = strtok_r(archs, " ", &rest); a; a = strtok_r(NULL, " ", &rest)) {
        (void)snprintf(what, sizeof what, "sm_%.8s", a);
        (void)snprintf(settings, sizeof settings, "CUDA_DOUBLE_PTX=%.8s", a);
        for (size_t i = 0; i < sizeof families / sizeof *families; i++)
            if (getenv("ORR_TEST_PTX_ONLY") || orr_test_due((unsigned)i, 3))
                check_family(&families[i], what, settings);
    }
    if (begun == 0)
        ORR_SKIP("none of the programs whose turn it is are built: make check-build builds them");
    ORR_CHECK(kernels() > 0 || getenv("ORR_TEST_PTX_DONE"));
    printf("    %d kernels that differ in more than their target\n", kernels());
}

/* Warps exchange numbers, which emitted kernels do not do yet; and an instruction that is not known is named. */
static void warps_exchange_numbers_and_unknown_instructions_are_named(void)
{
    enum { N = 64 };
    static const char warps[] =
        "extern \"C\" __global__ void orr_kernel(unsigned *p)\n{\n"
        "    unsigned i = threadIdx.x, x = p[i];\n"
        "    p[64 + i] = __shfl_xor_sync(~0u, x, 5);\n    p[128 + i] = __shfl_down_sync(~0u, x, 3);\n"
        "    p[192 + i] = __shfl_up_sync(~0u, x, 2, 8);\n    p[256 + i] = __shfl_sync(~0u, x, 7, 16);\n"
        "    p[320 + i] = __ballot_sync(~0u, x % 3 == 0);\n}\n",
                      strange[] = "extern \"C\" __global__ void orr_kernel(unsigned *p)\n{\n"
                                  "    asm(\"activemask.b32 %0;\" : \"=r\"(*p));\n}\n";
    char object[1100], log[1100];
    uint32_t v[6 * N] = { 0 }, *p = v, votes[2] = { 0, 0 };
    void *param[] = { &p }, *handle = NULL;
    size_t size;
    begin();
    if (!ready())
        ORR_SKIP("no NVRTC, python3 or gcc");
    ORR_REQUIRE(!translated(strange, object, log));
    char *said = (char *)orr_test_slurp(log, &size);
    ORR_CHECK_MSG(said && strstr(said, "instruction activemask.b32"), "%s", said ? said : "");
    free(said);
    ORR_REQUIRE(translated(warps, object, log) && (handle = dlopen(object, RTLD_NOW | RTLD_LOCAL)) != NULL);
    int (*launch)(unsigned grid, unsigned block, void **given, int from);
    void *f = dlsym(handle, "emu_launch");
    memcpy(&launch, &f, sizeof f);
    for (uint32_t i = 0; i < N; i++) {
        v[i] = 100 + 7 * i;
        votes[i / 32] |= (uint32_t)(v[i] % 3 == 0) << i % 32;
    }
    ORR_REQUIRE(launch && launch(1, N, param, 0) == 0);
    for (uint32_t i = 0; i < N; i++) {
        ORR_CHECK(v[64 + i] == v[i ^ 5] && v[128 + i] == v[i % 32 < 29 ? i + 3 : i]);
        ORR_CHECK(v[192 + i] == v[i % 8 >= 2 ? i - 2 : i] && v[256 + i] == v[i / 16 * 16 + 7]);
        ORR_CHECK(v[320 + i] == votes[i / 32]);
    }
    (void)dlclose(handle);
}

static const char racing[] = "CUDA_DOUBLE_RACES=1 CUDA_DOUBLE_STRICT=0 TSAN=\"$(g++ -print-file-name=libtsan.so)\" "
                             "TSAN_OPTIONS=\"exitcode=66 halt_on_error=1\"";

/* A planted race is found by its line; with the barrier there is none. */
static bool a_race_is_found(void)
{
    char *text;
    int passed, status = run(racing, "codelets/cuda_strict", "ordered_threads_do_not_race", DIRECT, &text, &passed);
    free(text);
    if (status != 0 || passed != 1)
        return false;
    status = run(racing, "codelets/cuda_strict", "threads_without_a_barrier_race", DIRECT, &text, &passed);
    ORR_CHECK_MSG(status == RACE && text && strstr(text, "kernel.cu:4") && strstr(text, "kernel.cu:6"), "status %d: %s",
                  status, text ? text : "");
    free(text);
    return true;
}

static void threads_of_a_block_do_not_race(void)
{
    begin();
    if (!a_race_is_found())
        ORR_SKIP("no libtsan, or no setarch");
    for (size_t i = 0; orr_test_full() && i < sizeof families / sizeof *families; i++)
        if (families[i].engine == DIRECT)
            check_family(&families[i], "races", racing);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(warps_exchange_numbers_and_unknown_instructions_are_named),
                                      ORR_TEST(ptx_of_every_kernel_computes_the_processors_values),
                                      ORR_TEST(threads_of_a_block_do_not_race),
                                      { 0 } };
    (void)orr__env_load();
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_emitted", tests);
}
