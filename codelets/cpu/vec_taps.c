/* Sums of neighbours along a row, each by its weight, for f32 and f64.
 * Must not know: images, who asks. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/vec.h"

/* Sums side by side in registers: enough to hide the latency of an addition. */
enum { VECTOR = 32, VECTORS = 4 };

#define TAPS(T, name)                                                                                                  \
    typedef T lanes_##T __attribute__((vector_size(VECTOR)));                                                          \
    static inline void sums_##T(T *y, const T *const *x, int64_t at, int64_t rows, const T *w, int64_t taps,           \
                                int64_t apart, int vectors)                                                            \
    {                                                                                                                  \
        enum { N = VECTOR / sizeof(T) };                                                                               \
        lanes_##T sum[VECTORS];                                                                                        \
        memset(sum, 0, sizeof sum);                                                                                    \
        for (int64_t r = 0; r < rows; r++)                                                                             \
            for (int64_t t = 0; t < taps; t++) {                                                                       \
                const T *from = x[r] + at + t * apart;                                                                 \
                T a = w[r * taps + t];                                                                                 \
                for (int v = 0; v < vectors; v++) {                                                                    \
                    lanes_##T some;                                                                                    \
                    memcpy(&some, from + v * N, sizeof some);                                                          \
                    sum[v] += a * some;                                                                                \
                }                                                                                                      \
            }                                                                                                          \
        memcpy(y + at, sum, (size_t)vectors * sizeof *sum);                                                            \
    }                                                                                                                  \
    void ORR__V(name)(void *restrict y_, const void *const *x_, int64_t rows, const void *w_, int64_t taps,            \
                      int64_t apart, int64_t n)                                                                        \
    {                                                                                                                  \
        enum { ONE = VECTOR / sizeof(T), ALL = ONE * VECTORS };                                                        \
        T *y = y_;                                                                                                     \
        const T *const *x = (const T *const *)x_;                                                                      \
        const T *w = w_;                                                                                               \
        int64_t i = 0;                                                                                                 \
        for (; i + ALL <= n; i += ALL)                                                                                 \
            sums_##T(y, x, i, rows, w, taps, apart, VECTORS);                                                          \
        for (; i + ONE <= n; i += ONE)                                                                                 \
            sums_##T(y, x, i, rows, w, taps, apart, 1);                                                                \
        if (i < n && n >= ONE) { /* the last ones once more, with those before them */                                 \
            sums_##T(y, x, n - ONE, rows, w, taps, apart, 1);                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            T sum = 0;                                                                                                 \
            for (int64_t r = 0; r < rows; r++)                                                                         \
                for (int64_t t = 0; t < taps; t++)                                                                     \
                    sum += w[r * taps + t] * x[r][i + t * apart];                                                      \
            y[i] = sum;                                                                                                \
        }                                                                                                              \
    }
TAPS(float, orr__vec_taps_f32)
TAPS(double, orr__vec_taps_f64)

/* y[i] = Σ x[k][i] over k < count. */
#define BOX(T, name)                                                                                                   \
    static inline void add_##T(T *restrict y, const T *const *x, int64_t count, int64_t n)                             \
    {                                                                                                                  \
        const T *a = x[0], *b = x[count > 1], *c = x[count > 2 ? 2 : 0];                                               \
        if (count == 1)                                                                                                \
            memcpy(y, a, (size_t)n * sizeof *y);                                                                       \
        else if (count == 2)                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] = a[i] + b[i];                                                                                    \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] = a[i] + b[i] + c[i];                                                                             \
        for (int64_t k = 3; k < count; k++)                                                                            \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] += x[k][i];                                                                                       \
    }                                                                                                                  \
    void ORR__V(name)(void *restrict y, const void *const *x, int64_t rows, int64_t taps, int64_t by, int64_t n,       \
                      void *restrict room)                                                                             \
    {                                                                                                                  \
        T *restrict total = room, *restrict even, *restrict odd;                                                       \
        const T *from[ORR__BOX_TAPS] = { 0 };                                                                          \
        int64_t all = (n - 1) * by + taps, half = (all + 1) / 2;                                                       \
        add_##T(total, (const T *const *)x, rows, all);                                                                \
        even = total + all + 1;                                                                                        \
        odd = even + half;                                                                                             \
        if (by == 2) {                                                                                                 \
            total[all] = 0;                                                                                            \
            for (int64_t i = 0; i < half; i++) {                                                                       \
                even[i] = total[2 * i];                                                                                \
                odd[i] = total[2 * i + 1];                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t t = 0; t < taps; t++)                                                                             \
            from[t] = by == 1 ? total + t : (t % 2 ? odd : even) + t / 2;                                              \
        add_##T(y, from, taps, n);                                                                                     \
    }
BOX(float, orr__vec_box_f32)
BOX(double, orr__vec_box_f64)
