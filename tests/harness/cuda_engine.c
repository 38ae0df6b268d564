/* For tests of StarPU's CUDA workers: on a GPU, or, where there is none, on the double of CUDA's libraries, which must
 * be loaded before StarPU's own library.
 * Must not know: what is computed. */
#include "config.h"

#include "tests/harness/cuda_engine.h"

bool cuda_engine_need(bool injection)
{
    return cu.ok && (!injection || !cu.real);
}

orr_status cuda_engine_up(const char *ncpu)
{
    orr_config c = { .engine = "starpu", .backend = "cuda" };
    setenv("STARPU_NCPU", ncpu, 1);
    setenv("ORRERY_INLINE_US", "0", 1);
    return orr_init(&c);
}

uint64_t cuda_tasks(void)
{
    orr_stat row[64];
    uint64_t n = 0;
    int rows = orr_stats(row, 64);
    for (int i = 0; i < rows && i < 64; i++)
        n += strncmp(row[i].worker, "CUDA", 4) == 0 ? row[i].tasks : 0;
    return n;
}

/* True if this StarPU was built with CUDA, as shown by its error for a missing backend. */
static bool starpu_has_cuda(void)
{
    orr_config c = { .engine = "starpu", .backend = "cuda" };
    if (orr_init(&c) == ORR_OK) {
        (void)orr_shutdown();
        return true;
    }
    bool there = !strstr(orr_error_message(), "without CUDA") && !strstr(orr_error_message(), "built without StarPU");
    (void)snprintf(cu.why, sizeof cu.why, there ? "no CUDA device" : "no StarPU with CUDA");
    return there;
}

/* Loads the double; it must precede StarPU's own library. */
static void with_double(char **argv)
{
    const char *path = cuda_double_path();
    if (getenv("ORR_TEST_DOUBLE") || access(path, R_OK) != 0)
        return;
    setenv("ORR_TEST_DOUBLE", "1", 1);
    setenv("CUDA_DOUBLE_STRICT", "1", 0);
    setenv("LD_PRELOAD", path, 1);
    (void)execv("/proc/self/exe", argv);
}

void cuda_engine_start(char **argv)
{
    if (!getenv("ORR_TEST_DOUBLE") && starpu_has_cuda()) {
        cu.ok = cu.real = orr__cu_look()->devices > 0;
        if (!cu.ok && cuda_has_gxx())
            with_double(argv);
    } else if (getenv("ORR_TEST_DOUBLE")) {
        cu.ok = cuda_use_double() && orr__cu_look()->devices > 0;
    }
}
