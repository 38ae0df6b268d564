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

/* Of two vectors one behind the other every second element. */
#ifdef __clang__
#define EVEN_OF(a, b, places, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define EVEN_OF(a, b, places, ...) __builtin_shuffle(a, b, (places){ __VA_ARGS__ })
#endif

/* y[i] = Σ x[k][i·by] over k < count, by 1 or 2. A row is a few vectors long: its end is a vector that begins earlier, not a loop of single
 * elements. With by 2 the element behind the last one is read. */
#define BOX(T, PLACE, name, ...)                                                                                       \
    typedef PLACE places_##T __attribute__((vector_size(VECTOR)));                                                     \
    static inline                                                                                                      \
        __attribute__((always_inline)) void sum_##T(T *y, const T *const *x, int64_t count, int64_t at, const int by)  \
    {                                                                                                                  \
        enum { N = VECTOR / sizeof(T) };                                                                               \
        lanes_##T sum = { 0 }, low, high;                                                                              \
        for (int64_t k = 0; k < count; k++) {                                                                          \
            memcpy(&low, x[k] + at * by, sizeof low);                                                                  \
            if (by == 2) {                                                                                             \
                memcpy(&high, x[k] + at * by + N, sizeof high);                                                        \
                low = EVEN_OF(low, high, places_##T, __VA_ARGS__);                                                     \
            }                                                                                                          \
            sum = k ? sum + low : low;                                                                                 \
        }                                                                                                              \
        memcpy(y + at, &sum, sizeof sum);                                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void add_##T(T *restrict y, const T *const *x, int64_t count,         \
                                                              int64_t n, const int by)                                 \
    {                                                                                                                  \
        enum { N = VECTOR / sizeof(T) };                                                                               \
        int64_t i = 0;                                                                                                 \
        for (; count == 3 && i + N <= n; i += N)                                                                       \
            sum_##T(y, x, 3, i, by);                                                                                   \
        for (; i + N <= n; i += N)                                                                                     \
            sum_##T(y, x, count, i, by);                                                                               \
        if (i < n && n >= N) {                                                                                         \
            sum_##T(y, x, count, n - N, by);                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            T sum = x[0][i * by];                                                                                      \
            for (int64_t k = 1; k < count; k++)                                                                        \
                sum += x[k][i * by];                                                                                   \
            y[i] = sum;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    void ORR__V(name)(void *restrict y, const void *const *x, int64_t rows, int64_t taps, int64_t by, int64_t n,       \
                      void *restrict room)                                                                             \
    {                                                                                                                  \
        T *restrict total = room;                                                                                      \
        const T *from[ORR__BOX_TAPS] = { 0 };                                                                          \
        int64_t all = (n - 1) * by + taps;                                                                             \
        add_##T(total, (const T *const *)x, rows, all, 1);                                                             \
        total[all] = 0;                                                                                                \
        for (int64_t t = 0; t < taps; t++)                                                                             \
            from[t] = total + t;                                                                                       \
        if (by == 1)                                                                                                   \
            add_##T(y, from, taps, n, 1);                                                                              \
        else                                                                                                           \
            add_##T(y, from, taps, n, 2);                                                                              \
    }
BOX(float, int32_t, orr__vec_box_f32, 0, 2, 4, 6, 8, 10, 12, 14)
BOX(double, int64_t, orr__vec_box_f64, 0, 2, 4, 6)
