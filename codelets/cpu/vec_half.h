/* f16 and bf16 to f32 and back, as loops over arrays.
 * Must not know: the callers. */
#ifndef ORR_CPU_VEC_HALF_H
#define ORR_CPU_VEC_HALF_H

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#include "codelets/cpu/half.h"

static inline void vh_all_from_f16(float *restrict d, const uint16_t *restrict x, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(d + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(x + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i))));
#elif defined(__aarch64__) && defined(__ARM_NEON)
    for (; i + 4 <= n; i += 4)
        vst1q_f32(d + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x + i))));
#endif
    for (; i < n; i++)
        d[i] = vh_from_f16(x[i]);
}

static inline void vh_all_to_f16(uint16_t *restrict d, const float *restrict x, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((void *)(d + i), _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((void *)(d + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__aarch64__) && defined(__ARM_NEON)
    for (; i + 4 <= n; i += 4)
        vst1_u16(d + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x + i))));
#endif
    for (; i < n; i++)
        d[i] = vh_to_f16(x[i]);
}

static inline void vh_all_round_f16(float *x, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(x + i, _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT)));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(x + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT)));
#elif defined(__aarch64__) && defined(__ARM_NEON)
    for (; i + 4 <= n; i += 4)
        vst1q_f32(x + i, vcvt_f32_f16(vcvt_f16_f32(vld1q_f32(x + i))));
#endif
    for (; i < n; i++)
        x[i] = vh_round_f16(x[i]);
}

static inline void vh_all_from_bf16(float *restrict d, const uint16_t *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = vh_from_bf16(x[i]);
}

static inline void vh_all_to_bf16(uint16_t *restrict d, const float *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = vh_to_bf16(x[i]);
}

#endif
