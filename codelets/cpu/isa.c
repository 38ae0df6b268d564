/* Selects the loops that this processor can run; threads and name of the BLAS library.
 * Must not know: loops, kernels. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
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

/* The compiler's library reports the vector features, and whether the system saves the registers. The processor reports
 * the small features that came with them. */
#if defined(__x86_64__)
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

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static void choose(void)
{
    for (int i = 0; i <= ORR__ISA_AVX512; i++)
        best[i] = &orr__vec_base;
#if defined(__x86_64__) && defined(HAVE_ISA_V3)
    if (has_v3())
        best[ORR__ISA_AUTO] = best[ORR__ISA_AVX2] = best[ORR__ISA_AVX512] = &orr__vec_v3;
#endif
#if defined(__x86_64__) && defined(HAVE_ISA_V4)
    if (has_v4())
        best[ORR__ISA_AUTO] = best[ORR__ISA_AVX512] = &orr__vec_v4;
#endif
}

const orr__vec *orr__cpu_vec(void)
{
    const orr__vec *f = forced;
    if (f)
        return f;
    (void)pthread_once(&once, choose);
    return best[orr__env.isa];
}

bool orr__cpu_use(const char *isa)
{
    (void)pthread_once(&once, choose);
    const orr__vec *v = isa ? NULL : best[orr__env.isa];
    if (isa && !strcmp(isa, "base"))
        v = &orr__vec_base;
#if defined(__x86_64__) && defined(HAVE_ISA_V3)
    if (isa && !strcmp(isa, "v3") && has_v3())
        v = &orr__vec_v3;
#endif
#if defined(__x86_64__) && defined(HAVE_ISA_V4)
    if (isa && !strcmp(isa, "v4") && has_v4())
        v = &orr__vec_v4;
#endif
    if (!v)
        return false;
    forced = isa ? v : NULL;
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
    static atomic_int known; /* 1: no, 2: yes */
    int now = atomic_load_explicit(&known, memory_order_relaxed), major, minor, patch;
    if (now)
        return now == 2;
    bool there = sscanf(openblas_get_config(), "%*s %d.%d.%d", &major, &minor, &patch) == 3 &&
                 (major > 0 || minor > 3 || (minor == 3 && patch >= 17));
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
    const char *isa = orr__cpu_vec()->isa;
    (void)snprintf(text, sizeof text, "%s, kernels %s", blas,
                   !strcmp(isa, "v4")   ? "avx512"
                   : !strcmp(isa, "v3") ? "avx2"
                                        : "baseline");
}

const char *orr__cpu_describe(void)
{
    static pthread_once_t described = PTHREAD_ONCE_INIT;
    (void)pthread_once(&described, describe);
    return text;
}
