/* The devices' field kernels: compiled by NVRTC for every architecture, and run by OpenCL beside the processor's.
 * Must not know: StarPU, regions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_NVRTC
#include <nvrtc.h>
#endif
#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#include "codelets/field/constants.h"
#include "tests/harness/harness.h"

#ifdef HAVE_NVRTC
static void compile(orr__field f, int arch)
{
    char option[48], *log = NULL, *text = orr__field_device_text(f, true);
    const char *options[] = { option };
    nvrtcProgram p = NULL;
    size_t size = 0;
    (void)snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
    ORR_REQUIRE(text && nvrtcCreateProgram(&p, text, "field.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
    nvrtcResult code = nvrtcCompileProgram(p, 1, options);
    if (code != NVRTC_SUCCESS && nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS && (log = calloc(size + 1, 1)))
        (void)nvrtcGetProgramLog(p, log);
    ORR_CHECK_MSG(code == NVRTC_SUCCESS, "sm_%d: %s: %.1500s", arch, nvrtcGetErrorString(code), log ? log : "");
    size = 0;
    ORR_CHECK(code != NVRTC_SUCCESS || (nvrtcGetCUBINSize(p, &size) == NVRTC_SUCCESS && size > 1000));
    free(log);
    free(text);
    (void)nvrtcDestroyProgram(&p);
}

static void cuda_text_compiles_for_every_architecture(void)
{
    int n = 0;
    ORR_REQUIRE(nvrtcGetNumSupportedArchs(&n) == NVRTC_SUCCESS && n > 0);
    int *arch = malloc((size_t)n * sizeof *arch);
    ORR_REQUIRE(arch && nvrtcGetSupportedArchs(arch) == NVRTC_SUCCESS);
    for (int i = 0; i < n; i++)
        for (int f = 0; f < 2; f++)
            compile((orr__field)f, arch[i]);
    printf("  %d architectures\n", n);
    free(arch);
}
#else
static void cuda_text_compiles_for_every_architecture(void)
{
    ORR_SKIP("built without NVRTC");
}
#endif

#ifdef HAVE_OPENCL
enum { N = 1024 };
static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
} cl;

static bool start(void)
{
    cl_platform_id platform;
    cl_int code;
    return clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS &&
           clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL) == CL_SUCCESS &&
           (cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code)) &&
           (cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &code));
}

static bool build(orr__field f)
{
    char *text = orr__field_device_text(f, false), log[2000] = "";
    const char *source = text;
    cl_int code;
    cl.program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    bool ok = cl.program && clBuildProgram(cl.program, 1, &cl.device, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS;
    if (!ok)
        (void)clGetProgramBuildInfo(cl.program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    ORR_CHECK_MSG(ok, "%s", log);
    free(text);
    return ok;
}

static cl_mem memory(const orr__fe *x)
{
    cl_int code;
    return clCreateBuffer(cl.context, x ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                          N * sizeof(orr__fe), (void *)(uintptr_t)x, &code);
}

/* An argument is a memory object, or a number where `object` is NULL. */
typedef struct {
    cl_mem object;
    cl_long number;
} argument;

static void launch(const char *name, int n, const argument *a)
{
    cl_int code;
    size_t items = N;
    cl_kernel k = clCreateKernel(cl.program, name, &code);
    ORR_REQUIRE(k);
    for (int i = 0; i < n; i++)
        code |= clSetKernelArg(k, (cl_uint)i, a[i].object ? sizeof a[i].object : sizeof a[i].number,
                               a[i].object ? (const void *)&a[i].object : (const void *)&a[i].number);
    code |= clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &items, NULL, 0, NULL, NULL);
    ORR_CHECK_MSG(code == CL_SUCCESS, "%s: %d", name, (int)code);
    (void)clReleaseKernel(k);
}

static void check(cl_mem z, const orr__fe *want, int64_t n, const char *what)
{
    static orr__fe got[N];
    ORR_CHECK(clEnqueueReadBuffer(cl.queue, z, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL) == CL_SUCCESS);
    ORR_CHECK_MSG(memcmp(got, want, (size_t)n * sizeof *got) == 0, "%s", what);
}

static void draw(orr__field f, orr__fe *x)
{
    static unsigned long long seed = 32;
    static unsigned char b[N * 32];
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (unsigned char)(orr_test_rand(&seed) % (i % 32 == 31 ? 0x30 : 256));
    memset(b, 0, 32);
    ORR_CHECK(orr__fieldkit_best()->read(f, x, b, N) == -1);
    orr__fieldkit_best()->map(f, ORR__FSUB, x + 1, x, 1, f == ORR__FR ? &orr__fr.one : &orr__fq.one, 1, 1); /* p - 1 */
}

static void opencl_kernels_agree_with_the_processor(void)
{
    static const char *const name[] = { "orr_field_add", "orr_field_sub", "orr_field_mul", "orr_field_neg",
                                        "orr_field_square" };
    static orr__fe x[N], y[N], want[N];
    const orr__fieldkit *kit = orr__fieldkit_best();
    if (!start())
        ORR_SKIP("there is no OpenCL device");
    for (int f = 0; f < 2; f++) {
        ORR_REQUIRE(build((orr__field)f));
        draw((orr__field)f, x);
        draw((orr__field)f, y);
        cl_mem dx = memory(x), dy = memory(y), dz = memory(NULL);
        for (int op = ORR__FADD; op <= ORR__FSQUARE; op++) {
            const bool two = op <= ORR__FMUL;
            kit->map((orr__field)f, (orr__field_op)op, want, x, 1, y, 1, N);
            launch(name[op], two ? 6 : 4,
                   two ? (argument[]){ { dz, 0 }, { dx, 0 }, { NULL, 1 }, { dy, 0 }, { NULL, 1 }, { NULL, N } }
                       : (argument[]){ { dz, 0 }, { dx, 0 }, { NULL, 1 }, { NULL, N } });
            check(dz, want, N, name[op]);
        }
        kit->map((orr__field)f, ORR__FMUL, want, x, 3, y, 0, N / 3);
        launch(name[ORR__FMUL], 6,
               (argument[]){ { dz, 0 }, { dx, 0 }, { NULL, 3 }, { dy, 0 }, { NULL, 0 }, { NULL, N / 3 } });
        check(dz, want, N / 3, "strides");
        memcpy(want, y, sizeof want);
        kit->axpy((orr__field)f, want, x + 5, x, N);
        cl_mem da = memory(x), db = memory(y);
        (void)clEnqueueWriteBuffer(cl.queue, da, CL_TRUE, 0, sizeof *x, x + 5, 0, NULL, NULL);
        launch("orr_field_axpy", 4, (argument[]){ { db, 0 }, { da, 0 }, { dx, 0 }, { NULL, N } });
        check(db, want, N, "axpy");
        (void)clReleaseMemObject(da), (void)clReleaseMemObject(db);
        (void)clReleaseMemObject(dx), (void)clReleaseMemObject(dy), (void)clReleaseMemObject(dz);
        (void)clReleaseProgram(cl.program);
    }
}

static void opencl_transform(void)
{
    static orr__fe x[N], w[N], want[N];
    const orr__fieldkit *kit = orr__fieldkit_best();
    orr__ntt t;
    if (!start())
        ORR_SKIP("there is no OpenCL device");
    ORR_REQUIRE(build(ORR__FR));
    draw(ORR__FR, x);
    ORR_REQUIRE(orr__ntt_make(&t, 10, false, NULL));
    kit->powers(ORR__FR, w, &orr__fr.one, &t.w, N / 2);
    void *work = aligned_alloc(64, orr__ntt_work(&t));
    kit->ntt_columns(&t, want, (int64_t)1 << t.kb, x, 0, (int64_t)1 << t.kb, work);
    static orr__fe middle[N];
    memcpy(middle, want, sizeof want);
    kit->ntt_rows(&t, want, (int64_t)1 << t.ka, middle, (int64_t)1 << t.kb, 0, (int64_t)1 << t.ka, work);
    cl_mem from = memory(x), to = memory(NULL), dw = memory(w);
    for (int64_t s = 1; s < N; s *= 2) {
        launch("orr_field_ntt_stage", 5, (argument[]){ { to, 0 }, { from, 0 }, { dw, 0 }, { NULL, s }, { NULL, N } });
        cl_mem swap = from;
        from = to;
        to = swap;
    }
    check(from, want, N, "transform");
    (void)clReleaseMemObject(from), (void)clReleaseMemObject(to), (void)clReleaseMemObject(dw);
    (void)clReleaseProgram(cl.program);
    orr__ntt_free(&t);
    free(work);
}
#else
static void opencl_kernels_agree_with_the_processor(void)
{
    ORR_SKIP("built without OpenCL");
}

static void opencl_transform(void)
{
    ORR_SKIP("built without OpenCL");
}
#endif

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cuda_text_compiles_for_every_architecture),
                                      ORR_TEST(opencl_kernels_agree_with_the_processor),
                                      ORR_TEST(opencl_transform),
                                      { 0 } };
    return orr_test_main(argc, argv, "field.device", tests);
}
