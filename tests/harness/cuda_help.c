/* For tests of the CUDA backend: the machine's own device, or the double of CUDA's libraries (tests/double/).
 * Must not know: what is launched. */
#include "config.h"

#include "tests/harness/cuda_help.h"

cuda_of_test cu;

const char *cuda_double_path(void)
{
    static char path[1024];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%s/tests/.libs/libcudadouble.so", build ? build : ".");
    return path;
}

bool cuda_use_double(void)
{
    const char *path = cuda_double_path();
    (void)setenv("CUDA_DOUBLE_STRICT", "1", 0); /* read at its first allocation */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    orr__cu_dnn_path = orr__cu_fft_path = orr__cu_nccl_path = path;
    orr__cu_path = orr__cu_nvrtc_path = orr__cu_lt_path = orr__cu_blas_path = orr__cu_solver_path = path;
    orr__cu_forget();
    orr__cu_look_again();
    cu.state = handle ? dlsym(handle, "cuda_double") : NULL;
    cu.real = false;
    if (!cu.state)
        (void)snprintf(cu.why, sizeof cu.why, "no double of CUDA: %s", dlerror());
    return cu.state != NULL;
}

bool cuda_has_gxx(void)
{
    bool there = system("g++ --version >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c): a test */
    if (!there)
        (void)snprintf(cu.why, sizeof cu.why, "no CUDA device, and no g++ for the double of one");
    return there;
}

void cuda_enter_double(void)
{
    void *current = NULL;
    cu.ok = orr__cu_look()->devices > 0 && orr__cu(NULL)->context(&current) == ORR__CU_OK &&
            (current || orr__cu(NULL)->push(NULL) == ORR__CU_OK);
    cu.stream = cu.state;
}

/* Uses the first real device, with the context of the runtime API. */
static bool cuda_use_device(void)
{
    int (*retain)(void **context, int device) = NULL, (*stream)(void **s, unsigned flags) = NULL;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context, *p;
    if (!handle || !orr__cuda.probe(cu.why, sizeof cu.why))
        return false;
    p = dlsym(handle, "cuDevicePrimaryCtxRetain");
    memcpy(&retain, &p, sizeof p);
    p = dlsym(handle, "cuStreamCreate");
    memcpy(&stream, &p, sizeof p);
    cu.real =
        retain && stream && retain(&context, 0) == 0 && orr__cu(NULL)->push(context) == 0 && stream(&cu.stream, 1) == 0;
    return cu.ok = cu.real;
}

void cuda_start(void)
{
    if (getenv("CUDA_DOUBLE_RACES")) /* ThreadSanitizer's library is for this process, not for compilers */
        (void)unsetenv("LD_PRELOAD");
    (void)orr__env_load();
    if (!cuda_use_device() && cuda_has_gxx() && cuda_use_double())
        cuda_enter_double();
}

void *cuda_buffer(const void *p, size_t bytes)
{
    orr__cu_address a = 0;
    if (orr__cu(NULL)->alloc(&a, bytes ? bytes : 1) != ORR__CU_OK)
        abort();
    if (bytes && (orr__cu(NULL)->to_device(a, p, bytes, cu.stream) != ORR__CU_OK ||
                  orr__cu(NULL)->wait(cu.stream) != ORR__CU_OK))
        abort();
    return (void *)(uintptr_t)a;
}

bool cuda_fetch(void *to, const void *from, size_t bytes)
{
    return (bytes == 0 || orr__cu(NULL)->to_host(to, (orr__cu_address)(uintptr_t)from, bytes, cu.stream) == 0) &&
           orr__cu(NULL)->wait(cu.stream) == 0;
}

void cuda_drop(void *p)
{
    (void)orr__cu(NULL)->free((orr__cu_address)(uintptr_t)p);
}
