/* The floating-point mode of kernels and recorded constants: rounding to nearest, gradual underflow, no traps,
 * whatever the program has set for its own arithmetic. On processors that are not named here it is the program's.
 * Must not know: kernels. */
#ifndef ORR_BASE_FPMODE_H
#define ORR_BASE_FPMODE_H

#include <stdint.h>
#if defined __SSE2__
#include <xmmintrin.h>
#endif

/* The bits of the register that matter, and their default. The flags of past exceptions are the program's. */
#if defined __SSE2__
#define ORR__FPMODE_MASK 0xffc0u
#define ORR__FPMODE_DEFAULT 0x1f80u
static inline uint64_t orr__fpmode_get(void)
{
    return _mm_getcsr();
}
static inline void orr__fpmode_set(uint64_t mode)
{
    _mm_setcsr((unsigned)mode);
}
#elif defined __aarch64__
#define ORR__FPMODE_MASK UINT64_MAX
#define ORR__FPMODE_DEFAULT 0u
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
static inline uint64_t orr__fpmode_get(void)
{
    return 0;
}
static inline void orr__fpmode_set(uint64_t mode)
{
    (void)mode;
}
#endif

/* Sets the default mode for the calling thread and the threads that it starts, until orr__fpmode_end restores the result,
 * the former mode. */
static inline uint64_t orr__fpmode_begin(void)
{
    uint64_t was = orr__fpmode_get();
    if ((was & ORR__FPMODE_MASK) != ORR__FPMODE_DEFAULT)
        orr__fpmode_set(ORR__FPMODE_DEFAULT);
    return was;
}

static inline void orr__fpmode_end(uint64_t was)
{
    if ((was & ORR__FPMODE_MASK) != ORR__FPMODE_DEFAULT)
        orr__fpmode_set(was);
}

/* The same from here to the end of the block, however it is left. For what computes with numbers of the program's on its threads:
 * constants that are recorded, plans. */
static inline void orr__fpmode_leave(const uint64_t *was)
{
    orr__fpmode_end(*was);
}
#define ORR__IN_DEFAULT_FPMODE                                                                                         \
    const uint64_t orr__fpmode_was __attribute__((cleanup(orr__fpmode_leave), unused)) = orr__fpmode_begin()

#endif
