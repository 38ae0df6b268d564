/* NVRTC's double: g++ compiles the CUDA C to a shared object; threads of a block that wait for each other are
 * fibres. Or (CUDA_DOUBLE_PTX=90: for sm_90) NVRTC itself compiles it to PTX, which the program that CUDA_DOUBLE_TRANSLATOR names,
 * tests/double/ptx, turns into a shared object.
 * Must not know: Orrery. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/double/double.h"

extern char **environ;

enum { OPTIONS = 16, VARIABLES = 1000 };

typedef struct {
    char *text, *log, *code;
    size_t size;
} program;

/* CUDA C's keywords, and the overloaded functions of its mathematics. */
static const char before[] =
    "#include <ucontext.h>\n#include <stddef.h>\n#include <stdlib.h>\n"
    "struct emu_place { int x, y, z; };\n"
    "static thread_local emu_place threadIdx, blockIdx, blockDim;\n"
    "static void emu_wait(int at);\n"
    "#define __device__\n#define __global__\n#define __forceinline__ inline\n#define __launch_bounds__(n, ...)\n"
    "#define __shared__ static thread_local\n#define __syncthreads() emu_wait(__COUNTER__)\n"
    "namespace emu {\n"
    "#define E1(n) inline float n(float x) { return __builtin_##n##f(x); } "
    "inline double n(double x) { return __builtin_##n(x); }\n"
    "#define E2(n) inline float n(float x, float y) { return __builtin_##n##f(x, y); } "
    "inline double n(double x, double y) { return __builtin_##n(x, y); }\n"
    "E1(fabs) E1(exp) E1(expm1) E1(log) E1(log1p) E1(log2) E1(log10) E1(sin) E1(cos) E1(tan) E1(asin) E1(acos)\n"
    "E1(atan) E1(sinh) E1(cosh) E1(tanh) E1(asinh) E1(acosh) E1(atanh) E1(sqrt) E1(floor) E1(ceil) E1(trunc) E1(rint)\n"
    "E1(erf) E1(erfc) E2(atan2) E2(hypot) E2(pow) E2(fmod) E2(copysign) E2(nextafter) E2(fmin) E2(fmax)\n"
    "inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }\n"
    "inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }\n"
    "template <class T, class U> inline T emu_bits(U u) { T t; __builtin_memcpy(&t, &u, sizeof t); return t; }\n"
    "inline unsigned __float_as_uint(float x) { return emu_bits<unsigned, float>(x); }\n"
    "inline float __uint_as_float(unsigned x) { return emu_bits<float, unsigned>(x); }\n"
    "inline long long __double_as_longlong(double x) { return emu_bits<long long, double>(x); }\n"
    "inline double __longlong_as_double(long long x) { return emu_bits<double, long long>(x); }\n"
    "#define __umul64hi(x, y) ((unsigned long long)((unsigned __int128)(x) * (y) >> 64))\n"
    "#define __clzll(x) __builtin_clzll((unsigned long long)(x))\n"
    "inline int atomicMin(int *p, int v) { int o = __atomic_load_n(p, 0);\n"
    "  while (v < o && !__atomic_compare_exchange_n(p, &o, v, 0, 0, 0)) {} return o; }\n"
    "#line 1 \"kernel.cu\"\n";

/* The kernel's own prototype gives its parameters. A block with barriers runs each thread as a fibre, in turn from
 * barrier to barrier, in ascending or in descending order: a kernel that relies on an order without a barrier fails
 * in one of the two (`from`: 0 or 1, which also reverses the order of blocks; < 0: in turn). A launch fails if threads of a block wait at different barriers, or some have ended. */
static const char after[] =
    "\n}\n"
    "template <class... A> struct emu_types { static int sizes(size_t *s) { size_t a[] = { sizeof(A)... };"
    " for (size_t i = 0; i < sizeof...(A); i++) s[i] = a[i]; return (int)sizeof...(A); } };\n"
    "template <int...> struct emu_seq {};\n"
    "template <int N, int... S> struct emu_gen : emu_gen<N - 1, N - 1, S...> {};\n"
    "template <int... S> struct emu_gen<0, S...> { typedef emu_seq<S...> type; };\n"
    "template <class T> struct emu_bare { typedef T type; };\n"
    "template <class T> struct emu_bare<const T> { typedef T type; };\n"
    "template <class... A> static int emu_sizes(void (*)(A...), size_t *s) { return emu_types<A...>::sizes(s); }\n"
    "template <class... A, int... S> static void emu_call(void (*f)(A...), void **p, emu_seq<S...>)"
    " { f(*(typename emu_bare<A>::type *)p[S]...); }\n"
    "template <class... A> static void emu_run(void (*f)(A...), void **p)"
    " { emu_call(f, p, typename emu_gen<sizeof...(A)>::type()); }\n"
    "static thread_local ucontext_t emu_home, emu_fibre[1024];\n"
    "static thread_local char *emu_stack; static thread_local bool emu_ended[1024];\n"
    "static thread_local void **emu_param; static thread_local int emu_me, emu_at[1024];\n"
    "#ifdef EMU_RACES\n"
    "extern \"C\" { void *__tsan_get_current_fiber(void); void *__tsan_create_fiber(unsigned);\n"
    "void __tsan_destroy_fiber(void *); void __tsan_switch_to_fiber(void *, unsigned);\n"
    "void __tsan_acquire(void *); void __tsan_release(void *); }\n"
    "#define EMU_UNSEEN __attribute__((no_sanitize(\"thread\")))\n"
    "static thread_local void *emu_main, *emu_thread[1024]; static thread_local unsigned emu_barriers[1024];\n"
    "static thread_local char emu_met[2], emu_begun, emu_over;\n"
    "#define EMU_SAY(place) __tsan_release(place)\n#define EMU_HEAR(place) __tsan_acquire(place)\n"
    "#define EMU_TURN(to) __tsan_switch_to_fiber(to, 1)\n"
    "EMU_UNSEEN static void emu_fibres(unsigned n) { emu_main = __tsan_get_current_fiber();\n"
    "  for (unsigned i = 0; i < n; i++) emu_thread[i] = __tsan_create_fiber(0); }\n"
    "EMU_UNSEEN static void emu_no_fibres(unsigned n) {"
    " for (unsigned i = 0; i < n; i++) __tsan_destroy_fiber(emu_thread[i]); }\n"
    "#else\n"
    "#define EMU_UNSEEN\n#define EMU_SAY(place)\n#define EMU_HEAR(place)\n#define EMU_TURN(to)\n"
    "#define emu_fibres(n)\n#define emu_no_fibres(n)\n"
    "#endif\n"
    "EMU_UNSEEN static void emu_wait(int at) { emu_at[emu_me] = at;\n"
    "#ifdef EMU_RACES\n  char *met = &emu_met[emu_barriers[emu_me]++ % 2];\n#endif\n"
    "  EMU_SAY(met); EMU_TURN(emu_main); swapcontext(&emu_fibre[emu_me], &emu_home); EMU_HEAR(met); }\n"
    "EMU_UNSEEN static void emu_body() { EMU_HEAR(&emu_begun); emu_run(emu::orr_kernel, emu_param);\n"
    "  emu_ended[emu_me] = true; EMU_SAY(&emu_over); EMU_TURN(emu_main); }\n"
    "static thread_local unsigned emu_turn;\n"
    "EMU_UNSEEN static bool emu_block(unsigned threads) {\n"
    "  enum { STACK = 65536 };\n"
    "  if (!emu_stack) emu_stack = (char *)malloc((size_t)1024 * STACK);\n"
    "  for (unsigned i = 0; i < threads; i++) { getcontext(&emu_fibre[i]);\n"
    "    emu_fibre[i].uc_stack.ss_sp = emu_stack + (size_t)i * STACK; emu_fibre[i].uc_stack.ss_size = STACK;\n"
    "    emu_fibre[i].uc_link = &emu_home; emu_ended[i] = false; makecontext(&emu_fibre[i], emu_body, 0); }\n"
    "  unsigned round = emu_turn++; EMU_SAY(&emu_begun);\n"
    "  for (unsigned left = threads; left > 0; round++) {\n"
    "    for (unsigned j = 0; j < threads; j++) { unsigned i = round % 2 ? threads - 1 - j : j; if (emu_ended[i]) "
    "continue;\n"
    "      emu_me = (int)i; threadIdx.x = (int)i; EMU_TURN(emu_thread[i]); swapcontext(&emu_home, &emu_fibre[i]);\n"
    "      left -= emu_ended[i]; }\n"
    "    for (unsigned i = 1; i < threads && left > 0; i++)\n"
    "      if (emu_ended[i] != emu_ended[0] || emu_at[i] != emu_at[0]) return false;\n"
    "  }\n  EMU_HEAR(&emu_over); return true;\n}\n"
    "extern \"C\" int emu_params(size_t *size) { return emu_sizes(emu::orr_kernel, size); }\n"
    "extern \"C\" EMU_UNSEEN int emu_launch(unsigned grid, unsigned block, void **param, int from) {\n"
    "  blockDim.x = (int)block; blockDim.y = blockDim.z = 1; emu_param = param; if (from >= 0) emu_turn = from;\n"
    "  if (EMU_FIBRES) emu_fibres(block);\n"
    "  for (unsigned b = 0; b < grid; b++) { blockIdx.x = (int)(from == 1 ? grid - 1 - b : b);\n"
    "    if (EMU_FIBRES) { if (from >= 0) emu_turn = from; if (!emu_block(block)) return 719; }\n"
    "    else for (unsigned t = 0; t < block; t++) { threadIdx.x = (int)(from == 1 ? block - 1 - t : t);\n"
    "      emu_run(emu::orr_kernel, param); } }\n"
    "  if (EMU_FIBRES) emu_no_fibres(block);\n"
    "  return 0;\n}\n";

bool cuda_double_races(void)
{
    const char *on = getenv("CUDA_DOUBLE_RACES");
    return on && strcmp(on, "1") == 0;
}

API int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = cuda_double_ptx()     ? 78
             : cuda_double_races() ? 79
                                   : 77; /* not NVRTC's: the cache must keep their code distinct */
    return 0;
}

API const char *nvrtcGetErrorString(int code)
{
    return code == 6 ? "NVRTC_ERROR_COMPILATION" : code ? "NVRTC_ERROR_OF_THE_DOUBLE" : "NVRTC_SUCCESS";
}

API int nvrtcGetNumSupportedArchs(int *n)
{
    *n = cuda_double.archs;
    return 0;
}

API int nvrtcGetSupportedArchs(int *arch)
{
    memcpy(arch, cuda_double.arch, (size_t)cuda_double.archs * sizeof *arch);
    return 0;
}

API int nvrtcCreateProgram(void **p, const char *text, const char *name, int n, const char *const *headers,
                           const char *const *names)
{
    program *q = calloc(1, sizeof *q);
    (void)name;
    (void)headers;
    (void)names;
    if (!q || n != 0 || !(q->text = strdup(text)))
        return 1;
    *p = q;
    return 0;
}

API int nvrtcDestroyProgram(void **p)
{
    program *q = *p;
    free(q->text);
    free(q->log);
    free(q->code);
    free(q);
    *p = NULL;
    return 0;
}

static char *slurp(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *p = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && (p = calloc((size_t)st.st_size + 1, 1)) != NULL) {
        *size = (size_t)st.st_size;
        if (read(fd, p, *size) != (ssize_t)*size) {
            free(p);
            p = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return p;
}

static bool write_source(const char *path, const program *q)
{
    const char *kernel = strstr(q->text, " orr_kernel(");
    bool meet =
        kernel && (strstr(kernel, "ORR_BARRIER") || strstr(kernel, "ORR_FENCE") || strstr(kernel, "__syncthreads()"));
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    bool ok = fprintf(f, "#define EMU_FIBRES %d\n%s%s%s", meet || cuda_double_races(), before, q->text, after) > 0;
    return fclose(f) == 0 && ok;
}

/* Runs a compiler, whose messages go to the file `log`. It must not load the double, which has the names of NVIDIA's libraries. */
static int run(char *const *argv, const char *log)
{
    char *variable[VARIABLES + 1] = { NULL };
    pid_t pid;
    int status, n = 0;
    for (char **e = environ; *e && n < VARIABLES; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "LD_LIBRARY_PATH=", 16) != 0)
            variable[n++] = *e;
    posix_spawn_file_actions_t act;
    (void)posix_spawn_file_actions_init(&act);
    (void)posix_spawn_file_actions_addopen(&act, 2, log, O_WRONLY | O_CREAT, 0600);
    int rc = posix_spawnp(&pid, argv[0], &act, NULL, argv, variable);
    (void)posix_spawn_file_actions_destroy(&act);
    if (rc != 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 6;
}

/* Hundreds of kernels that run once each: two thirds of the time of -O1 and all of C++'s library. */
static int by_gxx(const program *q, bool wide, char *source, char *object, const char *log)
{
    bool races = cuda_double_races();
    char *argv[] = { (char *)"g++",
                     (char *)(races ? "-O1" : "-Og"),
                     (char *)"-w",
                     (char *)"-fPIC",
                     (char *)"-shared",
                     (char *)"-ffp-contract=off",
                     (char *)"-fwrapv",
                     (char *)"-fno-strict-aliasing",
                     (char *)(wide ? "-DORR_WIDE" : "-DORR_NARROW"),
                     (char *)"-o",
                     object,
                     source,
                     (char *)(races ? "-fsanitize=thread" : "-fno-exceptions"),
                     (char *)(races ? "-g" : "-nostdlib"),
                     (char *)(races ? "-DEMU_RACES" : "-lm"),
                     races ? NULL : (char *)"-lc",
                     (char *)"-lgcc",
                     NULL };
    return write_source(source, q) ? run(argv, log) : 1;
}

int cuda_double_ptx(void)
{
    const char *arch = getenv("CUDA_DOUBLE_PTX");
    return arch ? (int)strtol(arch, NULL, 10) : 0;
}

/* In a process of its own: the double has the names of the real libraries here. */
static int by_ptx(const program *q, int n, const char *const *option, char *source, char *object, const char *log)
{
    char *argv[OPTIONS + 5] = { getenv("CUDA_DOUBLE_TRANSLATOR"), getenv("CUDA_DOUBLE_PTX"), source, object };
    FILE *f = argv[0] && n <= OPTIONS ? fopen(source, "we") : NULL;
    bool ok = f && fputs(q->text, f) >= 0;
    for (int i = 0; i < n && i < OPTIONS; i++)
        argv[4 + i] = (char *)(uintptr_t)option[i];
    return f && fclose(f) == 0 && ok ? run(argv, log) : 1;
}

API int nvrtcCompileProgram(void *p, int n, const char *const *option)
{
    program *q = p;
    bool wide = false;
    char dir[] = "/tmp/orr-double-XXXXXX", source[64], object[64], log[64];
    cuda_double.options[0] = '\0';
    for (int i = 0; i < n; i++) {
        size_t at = strlen(cuda_double.options);
        (void)snprintf(cuda_double.options + at, sizeof cuda_double.options - at, "%s ", option[i]);
        wide = wide || strcmp(option[i], "-DORR_WIDE") == 0;
    }
    __atomic_add_fetch(&cuda_double.compiles, 1, __ATOMIC_RELAXED);
    if (cuda_double.compile_code) {
        q->log = strdup("kernel.cu(1): error: the double does not compile");
        return cuda_double.compile_code;
    }
    if (!mkdtemp(dir))
        return 1;
    (void)snprintf(source, sizeof source, "%s/k.cpp", dir);
    (void)snprintf(object, sizeof object, "%s/k.so", dir);
    (void)snprintf(log, sizeof log, "%s/k.log", dir);
    int code = cuda_double_ptx() ? by_ptx(q, n, option, source, object, log) : by_gxx(q, wide, source, object, log);
    size_t size = 0;
    q->log = slurp(log, &size);
    if (code == 0) {
        q->code = slurp(object, &q->size);
        free(q->log);
        q->log = strdup("ptxas info    : Used 40 registers, used 1 barriers, 160 bytes cumulative stack size, 1024 "
                        "bytes smem\n");
    }
    (void)unlink(source);
    (void)unlink(object);
    (void)unlink(log);
    (void)rmdir(dir);
    return code == 0 && !q->code ? 1 : code;
}

API int nvrtcGetProgramLogSize(void *p, size_t *size)
{
    program *q = p;
    *size = q->log ? strlen(q->log) + 1 : 1;
    return 0;
}

API int nvrtcGetProgramLog(void *p, char *log)
{
    program *q = p;
    strcpy(log, q->log ? q->log : "");
    return 0;
}

API int nvrtcGetCUBINSize(void *p, size_t *size)
{
    *size = ((program *)p)->size;
    return 0;
}

API int nvrtcGetCUBIN(void *p, char *to)
{
    program *q = p;
    memcpy(to, q->code, q->size);
    return 0;
}

API int nvrtcGetPTXSize(void *p, size_t *size)
{
    return nvrtcGetCUBINSize(p, size);
}

API int nvrtcGetPTX(void *p, char *to)
{
    return nvrtcGetCUBIN(p, to);
}
