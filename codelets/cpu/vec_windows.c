/* The greatest element of each of neighbouring windows, and its place, for f32 and f64; and the backward pass to that
 * place.
 * Must not know: images, the callers. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/vec.h"

/* Windows [i, i + N) in N lanes, all elements of a window in order: the first of the greatest, of NaN the last. EVEN:
 * every second element of two consecutive vectors, of which the second begins one element early. */
#define LANES(T, PLACE, N, EVEN)                                                                                       \
    typedef T lanes_##T##N __attribute__((vector_size(sizeof(T) * N)));                                                \
    typedef PLACE places_##T##N __attribute__((vector_size(sizeof(T) * N)));                                           \
    static inline void load_##T##N(lanes_##T##N *v, const T *x, int64_t step)                                          \
    {                                                                                                                  \
        lanes_##T##N low, high;                                                                                        \
        if (step > 2) {                                                                                                \
            T some[N];                                                                                                 \
            for (int k = 0; k < N; k++)                                                                                \
                some[k] = x[k * step];                                                                                 \
            memcpy(v, some, sizeof *v);                                                                                \
        } else {                                                                                                       \
            memcpy(v, x, sizeof *v);                                                                                   \
        }                                                                                                              \
        if (step == 2) {                                                                                               \
            low = *v;                                                                                                  \
            memcpy(&high, x + N - 1, sizeof high);                                                                     \
            *v = VEC_PICK(low, high, places_##T##N, EVEN);                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void some_##T##N(T *best_, PLACE *at_, const T *x, const int64_t *off, int64_t terms, int64_t step,  \
                                   int64_t i)                                                                          \
    {                                                                                                                  \
        lanes_##T##N best, v;                                                                                          \
        places_##T##N at, first, more, place;                                                                          \
        for (int k = 0; k < N; k++)                                                                                    \
            first[k] = (PLACE)((i + k) * step);                                                                        \
        load_##T##N(&best, x + i * step + off[0], step);                                                               \
        at = first + (PLACE)off[0];                                                                                    \
        for (int64_t t = 1; t < terms; t++) {                                                                          \
            load_##T##N(&v, x + i * step + off[t], step);                                                              \
            place = first + (PLACE)off[t];                                                                             \
            more = (places_##T##N)(v > best) | (places_##T##N)(v != v);                                                \
            at = (more & place) | (~more & at);                                                                        \
            best = (lanes_##T##N)((more & (places_##T##N)v) | (~more & (places_##T##N)best));                          \
        }                                                                                                              \
        memcpy(best_ + i, &best, sizeof best);                                                                         \
        memcpy(at_ + i, &at, sizeof at);                                                                               \
    }

/* A remainder is computed together with windows before it. */
#define WINDOWS(T, PLACE, WIDE, HALF, name)                                                                            \
    void ORR__V(name)(void *best_, void *at_, const void *x_, const int64_t *off, int64_t terms, int64_t step,         \
                      int64_t n)                                                                                       \
    {                                                                                                                  \
        T *best = best_;                                                                                               \
        PLACE *at = at_;                                                                                               \
        const T *x = x_;                                                                                               \
        int64_t i = 0;                                                                                                 \
        for (; i + WIDE <= n; i += WIDE)                                                                               \
            some_##T##WIDE(best, at, x, off, terms, step, i);                                                          \
        if (i < n && n >= WIDE) {                                                                                      \
            some_##T##WIDE(best, at, x, off, terms, step, n - WIDE);                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        if (n >= HALF) {                                                                                               \
            some_##T##HALF(best, at, x, off, terms, step, 0);                                                          \
            some_##T##HALF(best, at, x, off, terms, step, n - HALF);                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            best[i] = x[i * step + off[0]];                                                                            \
            at[i] = (PLACE)(i * step + off[0]);                                                                        \
            for (int64_t t = 1; t < terms; t++) {                                                                      \
                T v = x[i * step + off[t]];                                                                            \
                if (v > best[i] || v != v) {                                                                           \
                    best[i] = v;                                                                                       \
                    at[i] = (PLACE)(i * step + off[t]);                                                                \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#define EIGHT 0, 2, 4, 6, 9, 11, 13, 15
#define FOUR 0, 2, 5, 7
#define TWO 0, 3
LANES(float, int32_t, 4, FOUR)
LANES(double, int64_t, 2, TWO)
#ifdef __AVX2__
LANES(float, int32_t, 8, EIGHT)
LANES(double, int64_t, 4, FOUR)
WINDOWS(float, int32_t, 8, 4, orr__vec_windows_f32)
WINDOWS(double, int64_t, 4, 2, orr__vec_windows_f64)
#else
WINDOWS(float, int32_t, 4, 4, orr__vec_windows_f32)
WINDOWS(double, int64_t, 2, 2, orr__vec_windows_f64)
#endif

/* Windows of two elements, [i, i + N): each place and each element is duplicated, in two vectors; elements are handled
 * as bits. */
#define TWICE(T, PLACE, N, LOW, HIGH, NUMBERS)                                                                         \
    static inline void twice_##T(PLACE *to, const PLACE *at_, const PLACE *h_, PLACE from, int64_t i)                  \
    {                                                                                                                  \
        places_##T##N at, h, number = { NUMBERS }, first = number + (from + 2 * (PLACE)i);                             \
        memcpy(&at, at_ + i, sizeof at);                                                                               \
        memcpy(&h, h_ + i, sizeof h);                                                                                  \
        places_##T##N low = (VEC_PICK(at, at, places_##T##N, LOW) == first) & VEC_PICK(h, h, places_##T##N, LOW);      \
        places_##T##N high =                                                                                           \
            (VEC_PICK(at, at, places_##T##N, HIGH) == first + N) & VEC_PICK(h, h, places_##T##N, HIGH);                \
        memcpy(to + 2 * i, &low, sizeof low);                                                                          \
        memcpy(to + 2 * i + N, &high, sizeof high);                                                                    \
    }

/* A remainder is computed together with windows before it. */
#define SPREAD(T, PLACE, N, name)                                                                                      \
    void ORR__V(name)(void *restrict to_, const void *restrict at_, const void *restrict h_, int64_t first,            \
                      int64_t step, int64_t n)                                                                         \
    {                                                                                                                  \
        PLACE *to = to_;                                                                                               \
        const PLACE *at = at_, *h = h_, from = (PLACE)first;                                                           \
        if (step == 2 && n >= N) {                                                                                     \
            for (int64_t i = 0; i + N <= n; i += N)                                                                    \
                twice_##T(to, at, h, from, i);                                                                         \
            twice_##T(to, at, h, from, n - N);                                                                         \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t t = 0; t < step; t++)                                                                             \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i * step + t] = at[i] == from + (PLACE)(i * step + t) ? h[i] : 0;                                   \
    }
#define LOW8 0, 0, 1, 1, 2, 2, 3, 3
#define HIGH8 4, 4, 5, 5, 6, 6, 7, 7
#define NUMBERS8 0, 1, 2, 3, 4, 5, 6, 7
#define LOW4 0, 0, 1, 1
#define HIGH4 2, 2, 3, 3
#define NUMBERS4 0, 1, 2, 3
#define LOW2 0, 0
#define HIGH2 1, 1
#define NUMBERS2 0, 1
#ifdef __AVX2__
TWICE(float, int32_t, 8, LOW8, HIGH8, NUMBERS8)
TWICE(double, int64_t, 4, LOW4, HIGH4, NUMBERS4)
SPREAD(float, int32_t, 8, orr__vec_spread_f32)
SPREAD(double, int64_t, 4, orr__vec_spread_f64)
#else
TWICE(float, int32_t, 4, LOW4, HIGH4, NUMBERS4)
TWICE(double, int64_t, 2, LOW2, HIGH2, NUMBERS2)
SPREAD(float, int32_t, 4, orr__vec_spread_f32)
SPREAD(double, int64_t, 2, orr__vec_spread_f64)
#endif
