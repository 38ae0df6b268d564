/* The GPU's own libraries as peers: matrix products by cuBLASLt, a Cholesky factor by cuSOLVER, copies by the driver, opened at run
 * time.
 * Prints "time<TAB>case<TAB>who<TAB>seconds" for the cases of bench/gpu_ours.c.
 * Must not know: Orrery. Names, numbers and layouts are those of NVIDIA's documentation. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 4096, PRODUCTS = 8, ROUNDS = 5, CHOICES = 8 };
enum { R32 = 0, BF16 = 14, COMPUTE_32F = 68, COMPUTE_TF32 = 77, WORKSPACE = 1, ORDER = 8192 };
#define WORKSPACE_BYTES ((size_t)32 << 20)

typedef uint64_t address;
typedef struct {
    uint64_t algo[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} choice;

static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*set)(void *);
    int (*alloc)(address *, size_t);
    int (*free)(address);
    int (*fill)(address, unsigned, size_t);
    int (*copy)(address, address, size_t, void *);
    int (*wait)(void);
} cu;
static struct {
    int (*create)(void **);
    int (*desc)(void **, int, int);
    int (*layout)(void **, int, uint64_t, uint64_t, int64_t);
    int (*pref)(void **);
    int (*pref_set)(void *, int, const void *, size_t);
    int (*heuristic)(void *, void *, void *, void *, void *, void *, void *, int, choice *, int *);
    int (*matmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                  void *, void *, void *, const void *, void *, size_t, void *);
} lt;

typedef struct {
    const char *name;
    void *place;
} wanted;

static int open_all(const char *const *file, const wanted *w)
{
    void *lib = NULL;
    for (; *file && !lib; file++)
        lib = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
    for (; lib && w->name; w++) {
        void *p = dlsym(lib, w->name);
        if (!p)
            return 1;
        memcpy(w->place, &p, sizeof p);
    }
    return !lib;
}

static int open_cuda(void)
{
    const wanted w[] = { { "cuInit", &cu.init },
                         { "cuDeviceGet", &cu.device },
                         { "cuDevicePrimaryCtxRetain", &cu.retain },
                         { "cuCtxSetCurrent", &cu.set },
                         { "cuMemAlloc_v2", &cu.alloc },
                         { "cuMemFree_v2", &cu.free },
                         { "cuMemsetD32_v2", &cu.fill },
                         { "cuMemcpyDtoDAsync_v2", &cu.copy },
                         { "cuCtxSynchronize", &cu.wait },
                         { NULL, NULL } };
    int device;
    void *context;
    return open_all((const char *const[]){ "libcuda.so.1", NULL }, w) || cu.init(0) || cu.device(&device, 0) ||
           cu.retain(&context, device) || cu.set(context);
}

static int open_lt(void)
{
    const wanted w[] = { { "cublasLtCreate", &lt.create },
                         { "cublasLtMatmulDescCreate", &lt.desc },
                         { "cublasLtMatrixLayoutCreate", &lt.layout },
                         { "cublasLtMatmulPreferenceCreate", &lt.pref },
                         { "cublasLtMatmulPreferenceSetAttribute", &lt.pref_set },
                         { "cublasLtMatmulAlgoGetHeuristic", &lt.heuristic },
                         { "cublasLtMatmul", &lt.matmul },
                         { NULL, NULL } };
    return open_all((const char *const[]){ "libcublasLt.so.13", "libcublasLt.so.12",
                                           "/usr/local/cuda/lib64/libcublasLt.so.13",
                                           "/usr/local/cuda/lib64/libcublasLt.so.12", NULL },
                    w);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of one computation; a call of f computes `each` times and does not wait. < 0: failed. */
static double measure(int (*f)(void *), void *user, int each)
{
    double round[ROUNDS], begin = now();
    int calls = 0, bad = 0;
    for (; !bad && (calls < 3 || now() - begin < 0.3); calls++)
        bad = f(user) || cu.wait();
    int n = (int)(0.2 * calls / (now() - begin)) + 1;
    for (int r = 0; !bad && r < ROUNDS; r++) {
        begin = now();
        for (int i = 0; !bad && i < n; i++)
            bad = f(user) || cu.wait();
        round[r] = (now() - begin) / n / each;
    }
    if (bad)
        return -1;
    qsort(round, ROUNDS, sizeof *round, ascending);
    return round[ROUNDS / 2];
}

typedef struct {
    void *handle, *desc, *layout;
    choice algo;
    address x, w, y[2], workspace;
} product;

static int products(void *user)
{
    const product *p = user;
    const float one = 1, zero = 0;
    address from = p->x;
    for (int i = 0; i < PRODUCTS; i++) {
        /* column-major: y' = w'·x' */
        if (lt.matmul(p->handle, p->desc, &one, (const void *)(uintptr_t)p->w, p->layout, (const void *)(uintptr_t)from,
                      p->layout, &zero, (const void *)(uintptr_t)p->y[i & 1], p->layout, (void *)(uintptr_t)p->y[i & 1],
                      p->layout, &p->algo, (void *)(uintptr_t)p->workspace, WORKSPACE_BYTES, NULL))
            return 1;
        from = p->y[i & 1];
    }
    return 0;
}

/* Fills memory with hashed values in -1 … 1, scaled to keep products in range: zeros would draw less power and run faster. */
static int fill(address to, int type, float scale)
{
    size_t n = (size_t)N * N, size = type == BF16 ? 2 : 4;
    static int (*put)(address, const void *, size_t);
    void *host = malloc(n * size);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *f = lib ? dlsym(lib, "cuMemcpyHtoD_v2") : NULL;
    memcpy(&put, &f, sizeof f);
    for (size_t i = 0; host && i < n; i++) {
        uint32_t h = (uint32_t)i * 0x9E3779B1u;
        h = (h ^ h >> 16) * 0x7feb352du;
        h ^= h >> 15;
        float v = scale * ((float)(h >> 8) * 0x1p-23f - 1.0f);
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (type == BF16)
            ((uint16_t *)host)[i] = (uint16_t)(bits >> 16);
        else
            ((float *)host)[i] = v;
    }
    int bad = !host || !put || put(to, host, n * size);
    free(host);
    return bad;
}

/* Chooses the fastest algorithm of cuBLASLt, as a careful user would. */
static double best_of(product *p, void *pref)
{
    choice c[CHOICES];
    int got = 0;
    double best = -1;
    if (lt.heuristic(p->handle, p->desc, p->layout, p->layout, p->layout, p->layout, pref, CHOICES, c, &got))
        return -1;
    for (int i = 0; i < got && i < 3; i++) {
        p->algo = c[i];
        double t = measure(products, p, PRODUCTS);
        if (t > 0 && (best < 0 || t < best))
            best = t;
    }
    return best;
}

static void gemm(const char *label, int type, int compute)
{
    product p;
    void *pref;
    size_t bytes = (size_t)N * N * (type == BF16 ? 2 : 4), workspace = WORKSPACE_BYTES;
    memset(&p, 0, sizeof p);
    double t = -1;
    if (!lt.create(&p.handle) && !lt.desc(&p.desc, compute, R32) && !lt.layout(&p.layout, type, N, N, N) &&
        !lt.pref(&pref) && !lt.pref_set(pref, WORKSPACE, &workspace, sizeof workspace) && !cu.alloc(&p.x, bytes) &&
        !cu.alloc(&p.w, bytes) && !cu.alloc(&p.y[0], bytes) && !cu.alloc(&p.y[1], bytes) &&
        !cu.alloc(&p.workspace, WORKSPACE_BYTES) && !fill(p.x, type, 1.0f) && !fill(p.w, type, 1.7f / 64))
        t = best_of(&p, pref);
    if (t > 0)
        printf("time\tgemm%d %s\tcuBLASLt\t%.9g\n", N, label, t);
    else
        printf("no\tgemm%d %s\tcuBLASLt\ta call of cuBLASLt or the driver failed\n", N, label);
    (void)fflush(stdout);
    const address all[] = { p.x, p.w, p.y[0], p.y[1], p.workspace };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            (void)cu.free(all[i]);
}

typedef struct {
    address from, to;
    size_t bytes;
} copying;

static int copy(void *user)
{
    const copying *c = user;
    return cu.copy(c->to, c->from, c->bytes, NULL);
}

/* Copies that read and write as many bytes as the chains. */
static void copies(void)
{
    copying c = { 0, 0, (size_t)4 << 28 };
    double t = -1;
    if (!cu.alloc(&c.from, c.bytes) && !cu.alloc(&c.to, c.bytes) && !cu.fill(c.from, 0x3f800000u, c.bytes / 4))
        t = measure(copy, &c, 1);
    for (int ops = 6; ops <= 12; ops += 6) {
        if (t > 0)
            printf("time\tchain%d 2^28 f32\tdevice copy\t%.9g\n", ops, t);
        else
            printf("no\tchain%d 2^28 f32\tdevice copy\ta call of the driver failed\n", ops);
    }
    (void)cu.free(c.from);
    (void)cu.free(c.to);
}

/* potrf of the matrix diag(n) + 1 on the device; its copy is in the time, as in Orrery's. */
static struct {
    int (*create)(void **);
    int (*workspace)(void *, int, int, double *, int, int *);
    int (*potrf)(void *, int, int, double *, int, double *, int, int *);
} solver;

typedef struct {
    void *handle;
    address a, l, workspace, info;
    int elements;
} factoring;

static int factor(void *user)
{
    const factoring *f = user;
    return cu.copy(f->l, f->a, sizeof(double) * ORDER * ORDER, NULL) ||
           solver.potrf(f->handle, 1, ORDER, (double *)(uintptr_t)f->l, ORDER, (double *)(uintptr_t)f->workspace,
                        f->elements, (int *)(uintptr_t)f->info);
}

static int fill_spd(address to)
{
    int (*put)(address, const void *, size_t);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *f = lib ? dlsym(lib, "cuMemcpyHtoD_v2") : NULL;
    double *a = malloc(sizeof *a * ORDER * ORDER);
    memcpy(&put, &f, sizeof put);
    for (size_t i = 0; a && i < (size_t)ORDER * ORDER; i++)
        a[i] = i % (ORDER + 1) == 0 ? 1 + ORDER : 1;
    int bad = !a || !put || put(to, a, sizeof *a * ORDER * ORDER);
    free(a);
    return bad;
}

static void cholesky(void)
{
    const wanted w[] = { { "cusolverDnCreate", &solver.create },
                         { "cusolverDnDpotrf_bufferSize", &solver.workspace },
                         { "cusolverDnDpotrf", &solver.potrf },
                         { NULL, NULL } };
    factoring f = { 0 };
    double t = -1;
    size_t bytes = sizeof(double) * ORDER * ORDER;
    int closed = open_all((const char *const[]){ "libcusolver.so.12", "libcusolver.so.11",
                                                 "/usr/local/cuda/lib64/libcusolver.so.12",
                                                 "/usr/local/cuda/lib64/libcusolver.so.11", NULL },
                          w);
    if (!closed && !solver.create(&f.handle) && !cu.alloc(&f.a, bytes) && !cu.alloc(&f.l, bytes) && !fill_spd(f.a) &&
        !solver.workspace(f.handle, 1, ORDER, (double *)(uintptr_t)f.l, ORDER, &f.elements) &&
        !cu.alloc(&f.workspace, sizeof(double) * (size_t)f.elements) && !cu.alloc(&f.info, sizeof(int)))
        t = measure(factor, &f, 1);
    if (t > 0)
        printf("time\tcholesky%d f64\tcuSOLVER\t%.9g\n", ORDER, t);
    else
        printf("no\tcholesky%d f64\tcuSOLVER\t%s\n", ORDER,
               closed ? "libcusolver.so cannot be opened" : "a call failed");
    const address all[] = { f.a, f.l, f.workspace, f.info };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            (void)cu.free(all[i]);
}

int main(void)
{
    if (open_cuda()) {
        (void)fputs("gpu_peers: no CUDA driver or no device\n", stderr);
        return 77;
    }
    copies();
    if (open_lt()) {
        printf("no\tgemm%d\tcuBLASLt\tlibcublasLt.so cannot be opened\n", N);
        return 0;
    }
    gemm("f32", R32, COMPUTE_32F);
    gemm("tf32", R32, COMPUTE_TF32);
    gemm("bf16", BF16, COMPUTE_32F);
    cholesky();
    return 0;
}
