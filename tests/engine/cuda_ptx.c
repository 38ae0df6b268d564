/* NVIDIA's compilation of the emitted kernels, executed: tests of other rooms on the double of CUDA, whose kernels real NVRTC compiles to PTX
 * that tests/double/ptx makes run on the processor. They compare with values of the processors' own code. By default a test or two of each
 * family of kernels, for one architecture; with ORR_TEST_FULL=1 all of them for four, or for those of ORR_TEST_PTX ("75 80").
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

enum { SECONDS = 3000 };

/* A program, and its tests of the short form ("": all). */
typedef struct {
    const char *program, *tests;
    bool engine; /* it needs StarPU's workers */
} family;

static const family families[] = {
    { "codelets/cuda", /* maps, folds, rows, products, moves, attention, CTC */
      "strided_broadcast_and_negative_accesses reductions_over_any_axes chains_into_reductions "
      "special_values_stay_in_their_row sequences_are_aligned_together",
      false },
    { "codelets/cuda_product", "missing_library_uses_our_kernel", false },
    { "codelets/cuda_recurrence", "", false },
    { "codelets/cuda_conv", "", false },
    { "ops/conv", "pooling_and_resizing_agree_with_pytorch", true },
    { "nn/devices", "wrong_sequences_are_refused", true }, /* attention, recurrences, CTC, resizing, and gradients */
    { "field/devices", "", true },                         /* elements, transforms, points, hashes */
    { "api/define_device", "a_device_runs_its_text", true },
};

static const char *keep; /* the folder of objects */

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

static void check(const family *f, const char *arch)
{
    char line[6000], log[600];
    const char *build = getenv("ORR_BUILDDIR");
    size_t size;
    int passed = 0, before = kernels();
    double began = orr__now();
    (void)snprintf(log, sizeof log, "%.500s", orr_test_tmp("ptx.log"));
    (void)snprintf(line, sizeof line,
                   "cd '%.900s' && export CUDA_DOUBLE_PTX=%.8s && unset LD_PRELOAD ORR_TEST_DOUBLE && "
                   "timeout -k 5 %d %s'%.900s' tests/%.60s %.900s >'%s' 2>&1",
                   build ? build : ".", arch, SECONDS,
                   f->engine ? "env CUDA_DOUBLE_LIBRARIES= ORRERY_FALLBACK=off sh " : "",
                   f->engine ? orr_test_golden("../double/run") : "/usr/bin/env", f->program,
                   orr_test_full() ? "" : f->tests, log);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    char *text = (char *)orr_test_slurp(log, &size);
    const char *said = text ? strstr(text, "orr-test: ") : NULL;
    if (said)
        (void)sscanf(said, "orr-test: %d", &passed); /* NOLINT(cert-err34-c) */
    printf("    sm_%s: %s: %d tests, %d kernels, %.1f s\n", arch, f->program, passed, kernels() - before,
           orr__now() - began);
    size_t length = text ? strlen(text) : 0;
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0 && passed > 0, "sm_%s: %s:\n%s", arch, f->program,
                  text ? text + (length > 2000 ? length - 2000 : 0) : "no output");
    free(text);
}

static bool built(const family *f)
{
    char path[1200];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%.900s/tests/%.60s", build ? build : ".", f->program);
    return access(path, X_OK) == 0;
}

/* The script finds NVRTC and a compiler, and computes: asked by a text without a kernel's work. */
static bool ready(void)
{
    char line[3000];
    const char *text = orr_test_tmp("k.cu");
    FILE *f = fopen(text, "we");
    if (!f || fputs("extern \"C\" __global__ void orr_kernel(int *p) { *p = 1; }\n", f) < 0 || fclose(f) != 0)
        return false;
    (void)snprintf(line, sizeof line, "'%.900s' 90 '%.900s' '%.900s' 2>/dev/null", orr_test_golden("../double/ptx"),
                   text, orr_test_tmp("k.so"));
    return system(line) == 0; /* NOLINT(cert-env33-c): a test */
}

static void ptx_of_every_kernel_computes_the_processors_values(void)
{
    char arch[64];
    const char *given = getenv("ORR_TEST_PTX");
    if (cu.real)
        ORR_SKIP("a GPU is here: the other tests use it");
    if (!ready())
        ORR_SKIP("no NVRTC, python3 or gcc");
    keep = orr_test_tmp("objects");
    ORR_REQUIRE(mkdir(keep, 0700) == 0);
    setenv("CUDA_DOUBLE_KEEP", keep, 1);
    setenv("CUDA_DOUBLE_TRANSLATOR", orr_test_golden("../double/ptx"), 1);
    (void)snprintf(arch, sizeof arch, "%s", given ? given : orr_test_full() ? "75 80 90 100" : "90");
    char *rest = NULL;
    for (const char *a = strtok_r(arch, " ", &rest); a; a = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof families / sizeof *families; i++)
            if (built(&families[i]) && (cu.ok || !families[i].engine))
                check(&families[i], a);
    ORR_CHECK(kernels() > 0);
    printf("    %d kernels that differ in more than their target\n", kernels());
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(ptx_of_every_kernel_computes_the_processors_values), { 0 } };
    (void)orr__env_load();
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_ptx", tests);
}
