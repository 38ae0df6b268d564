/* Selects the loops that this processor can run; threads and name of the BLAS library.
 * Must not know: loops, kernels. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#ifdef HAVE_ISA_V3
#include <cpuid.h>
#endif
#ifdef HAVE_ISA_SVE
#include <sys/auxv.h>
#endif
#include "codelets/cpu/cpu.h"
#include "runtime/base/env.h"

#ifdef HAVE_OPENBLAS
int openblas_get_parallel(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const orr__vec *best[ORR__ISA_AVX512 + 1]; /* within each limit of ORRERY_ISA */
static const orr__vec *_Atomic forced;

static bool has_base(void)
{
    return true;
}

/* The compiler's library reports the vector features, and whether the system saves the registers. The processor reports
 * the small features that came with them. */
#ifdef HAVE_ISA_V3
static bool small_ones(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA) || !(c & bit_MOVBE) || !(c & bit_F16C))
        return false;
    return __get_cpuid(0x80000001u, &a, &b, &c, &d) && (c & (1u << 5)); /* lzcnt */
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           small_ones();
}
#endif

#ifdef HAVE_ISA_V4
static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

#ifdef HAVE_ISA_SVE
static bool has_sve(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}
#endif

#if defined(__aarch64__)
#define BASE "neon"
#else
#define BASE "baseline"
#endif

/* Narrowest first. `least`: the least limit of ORRERY_ISA that permits it. */
static const struct {
    const orr__vec *vec;
    const char *title;
    bool (*has)(void);
    orr__isa_choice least;
} sets[] = {
    { &orr__vec_base, BASE, has_base, ORR__ISA_SSE2 },
#ifdef HAVE_ISA_V3
    { &orr__vec_v3, "avx2", has_v3, ORR__ISA_AVX2 },
#endif
#ifdef HAVE_ISA_V4
    { &orr__vec_v4, "avx512", has_v4, ORR__ISA_AVX512 },
#endif
#ifdef HAVE_ISA_SVE
    { &orr__vec_sve, "sve", has_sve, ORR__ISA_AVX2 },
#endif
};
enum { SETS = sizeof sets / sizeof *sets };

static void choose(void)
{
    for (int s = 0; s < SETS; s++)
        for (int limit = ORR__ISA_AUTO; sets[s].has() && limit <= ORR__ISA_AVX512; limit++)
            if (limit == ORR__ISA_AUTO || (int)sets[s].least <= limit)
                best[limit] = sets[s].vec;
}

const orr__vec *orr__cpu_vec(void)
{
    const orr__vec *f = forced;
    if (f)
        return f;
    (void)pthread_once(&once, choose);
    return best[orr__env.isa];
}

bool orr__cpu_finite(orr_dtype t, const void *x, int64_t n)
{
    return orr__cpu_vec()->finite[t](x, n);
}

bool orr__cpu_use(const char *isa)
{
    const orr__vec *v = NULL;
    for (int s = 0; isa && s < SETS; s++)
        if (!strcmp(isa, sets[s].vec->isa) && sets[s].has())
            v = sets[s].vec;
    if (isa && !v)
        return false;
    forced = v;
    return true;
}

/* 1: BLAS has persistent threads of its own, and reads their number once per call. With OpenMP a smaller number frees
 * buffers that a call may be using. */
bool orr__cpu_blas_threads_change(void)
{
#ifdef HAVE_OPENBLAS
    return openblas_get_parallel() == 1;
#else
    return false;
#endif
}

/* "OpenBLAS 0.3.21 NO_AFFINITY …". Its AVX-512 cores have kernels for small products since 0.3.17. */
bool orr__cpu_blas_small(void)
{
#ifdef HAVE_OPENBLAS
    static const char *const cores[] = { "SkylakeX", "Cooperlake", "SapphireRapids" };
    enum { SINCE = 17 };     /* limit of a library */
    static atomic_int known; /* 1: no, 2: yes */
    int now = atomic_load_explicit(&known, memory_order_relaxed), major, minor, patch;
    if (now)
        return now == 2;
    bool there = sscanf(openblas_get_config(), "%*s %d.%d.%d", &major, &minor, &patch) == 3 &&
                 (major > 0 || minor > 3 || (minor == 3 && patch >= SINCE));
    now = 1;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        now = there && !strcmp(openblas_get_corename(), cores[i]) ? 2 : now;
    atomic_store_explicit(&known, now, memory_order_relaxed);
    return now == 2;
#else
    return false;
#endif
}

static char text[160];

static void describe(void)
{
    char blas[96] = "BLAS";
#ifdef HAVE_OPENBLAS
    /* "OpenBLAS 0.3.21 NO_AFFINITY …" */
    char name[32] = "OpenBLAS", version[32] = "";
    if (sscanf(openblas_get_config(), "%31s %31s", name, version) == 2 && version[0] >= '0' && version[0] <= '9')
        (void)snprintf(blas, sizeof blas, "openblas %s (%s)", version, openblas_get_corename());
    else
        (void)snprintf(blas, sizeof blas, "openblas (%s)", openblas_get_corename());
#endif
    const char *title = BASE;
    for (int s = 0; s < SETS; s++)
        title = sets[s].vec == orr__cpu_vec() ? sets[s].title : title;
    (void)snprintf(text, sizeof text, "%s, kernels %s", blas, title);
}

const char *orr__cpu_describe(void)
{
    static pthread_once_t described = PTHREAD_ONCE_INIT;
    (void)pthread_once(&described, describe);
    return text;
}
