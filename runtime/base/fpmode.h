/* The floating-point mode of kernels and recorded constants: rounding to nearest, gradual underflow, no traps, independent of the mode
 * that the program has set. On processors that are not named here it is the program's mode.
 * Must not know: kernels. */
#ifndef ORR_BASE_FPMODE_H
#define ORR_BASE_FPMODE_H

#include <stdint.h>
#if defined __SSE2__
#include <xmmintrin.h>
#endif

/* The relevant bits of the register, and their default. The flags of past exceptions belong to the program. On x86 there are
 * two registers: that of vectors, and, from bit 32 on, that of the older unit, in which long double and norms of BLAS are
 * computed. */
#if defined __SSE2__ && defined __x86_64__
#define ORR__FPMODE_MASK 0x0f3f0000ffc0u
#define ORR__FPMODE_DEFAULT 0x033f00001f80u
#define ORR__FPMODE_FLUSHES (ORR__FPMODE_DEFAULT | 0x8040u) /* FTZ, DAZ */
static inline uint64_t orr__fpmode_get(void)
{
    uint16_t old;
    __asm__ volatile("fnstcw %0" : "=m"(old));
    return (uint64_t)old << 32 | _mm_getcsr();
}
static inline void orr__fpmode_set(uint64_t mode)
{
    uint16_t old = (uint16_t)(mode >> 32 | 0x40);
    _mm_setcsr((unsigned)mode);
    if ((old & 0x3f) != 0x3f) /* an old exception would trap late */
        __asm__ volatile("fnclex");
    __asm__ volatile("fldcw %0" : : "m"(old));
}
#elif defined __aarch64__
#define ORR__FPMODE_MASK UINT64_MAX
#define ORR__FPMODE_DEFAULT 0u
#define ORR__FPMODE_FLUSHES (UINT64_C(1) << 24) /* FZ */
static inline uint64_t orr__fpmode_get(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
static inline void orr__fpmode_set(uint64_t mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#define ORR__FPMODE_MASK 0u
#define ORR__FPMODE_DEFAULT 0u
#define ORR__FPMODE_FLUSHES 0u
static inline uint64_t orr__fpmode_get(void)
{
    return 0;
}
static inline void orr__fpmode_set(uint64_t mode)
{
    (void)mode;
}
#endif

/* Sets a mode for the calling thread and the threads that it starts, and returns the former mode, which orr__fpmode_end restores. */
static inline uint64_t orr__fpmode_begin(uint64_t mode)
{
    uint64_t was = orr__fpmode_get();
    if ((was & ORR__FPMODE_MASK) != mode)
        orr__fpmode_set(mode);
    return was;
}

static inline void orr__fpmode_end(uint64_t mode, uint64_t was)
{
    if ((was & ORR__FPMODE_MASK) != mode)
        orr__fpmode_set(was);
}

/* The default mode until the end of the enclosing block, on every exit. For code that runs on the program's threads and computes with its
 * numbers: recorded constants, plans. */
static inline void orr__fpmode_leave(const uint64_t *was)
{
    orr__fpmode_end(ORR__FPMODE_DEFAULT, *was);
}
#define ORR__IN_DEFAULT_FPMODE                                                                                         \
    const uint64_t orr__fpmode_was __attribute__((cleanup(orr__fpmode_leave), unused)) =                               \
        orr__fpmode_begin(ORR__FPMODE_DEFAULT)

#endif
