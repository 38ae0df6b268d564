/* Weighted sums of neighbours along a row, for f32 and f64.
 * Must not know: images, the callers. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/vec.h"

/* Sums in registers, enough to hide the latency of an addition. */
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
        if (i < n && n >= ONE) { /* a last vector that overlaps those before */                                        \
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

/* Windows of at most this many elements along a row are summed directly from the rows; longer ones from the sum of the rows. */
enum { DIRECT = 4 };

/* y[i] = Σ Σ x[k][i·by + t] over k < rows and t < taps, by 1 or 2. A row is a few vectors long: its end is a vector that begins earlier,
 * not a scalar loop. With by 2, two neighbours come from the same two vectors. For a last single one, these begin an element earlier, so
 * that nothing beyond the last element is read. */
#define BOX(T, PLACE, name)                                                                                            \
    typedef PLACE places_##T __attribute__((vector_size(VECTOR)));                                                     \
    static inline                                                                                                      \
        __attribute__((always_inline)) void rows_##T(lanes_##T *to, const T *const *x, int64_t rows, int64_t at)       \
    {                                                                                                                  \
        lanes_##T sum, one;                                                                                            \
        memcpy(&sum, x[0] + at, sizeof sum);                                                                           \
        for (int64_t k = 1; k < rows; k++) {                                                                           \
            memcpy(&one, x[k] + at, sizeof one);                                                                       \
            sum += one;                                                                                                \
        }                                                                                                              \
        *to = sum;                                                                                                     \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void sum_##T(T *y, const T *const *x, int64_t rows, int64_t taps,     \
                                                              int64_t at, const int by)                                \
    {                                                                                                                  \
        enum { N = VECTOR / sizeof(T) };                                                                               \
        lanes_##T sum = { 0 }, low, high;                                                                              \
        for (int64_t t = 0; t < taps; t += by) {                                                                       \
            rows_##T(&low, x, rows, at *by + t);                                                                       \
            if (by == 2) {                                                                                             \
                rows_##T(&high, x, rows, at *by + t + N - (t + 1 == taps));                                            \
                if (t + 1 < taps) {                                                                                    \
                    sum += VEC_PICK(low, high, places_##T, EVEN_##T);                                                  \
                    low = VEC_PICK(low, high, places_##T, ODD_##T);                                                    \
                } else {                                                                                               \
                    low = VEC_PICK(low, high, places_##T, LAST_##T);                                                   \
                }                                                                                                      \
            }                                                                                                          \
            sum += low;                                                                                                \
        }                                                                                                              \
        memcpy(y + at, &sum, sizeof sum);                                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void add_##T(T *restrict y, const T *const *x, int64_t rows,          \
                                                              int64_t taps, int64_t n, const int by)                   \
    {                                                                                                                  \
        enum { N = VECTOR / sizeof(T) };                                                                               \
        int64_t i = 0;                                                                                                 \
        for (; rows == 3 && taps == 3 && i + N <= n; i += N)                                                           \
            sum_##T(y, x, 3, 3, i, by);                                                                                \
        for (; i + N <= n; i += N)                                                                                     \
            sum_##T(y, x, rows, taps, i, by);                                                                          \
        if (i < n && n >= N) {                                                                                         \
            sum_##T(y, x, rows, taps, n - N, by);                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            T sum = 0;                                                                                                 \
            for (int64_t t = 0; t < taps; t++) {                                                                       \
                T column = x[0][i * by + t];                                                                           \
                for (int64_t k = 1; k < rows; k++)                                                                     \
                    column += x[k][i * by + t];                                                                        \
                sum += column;                                                                                         \
            }                                                                                                          \
            y[i] = sum;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    void ORR__V(name)(void *restrict y, const void *const *x, int64_t rows, int64_t taps, int64_t by, int64_t n,       \
                      void *restrict total_)                                                                           \
    {                                                                                                                  \
        const T *const *from = (const T *const *)x, *total = total_;                                                   \
        if (taps > DIRECT) {                                                                                           \
            add_##T(total_, from, rows, 1, (n - 1) * by + taps, 1);                                                    \
            from = &total;                                                                                             \
            rows = 1;                                                                                                  \
        }                                                                                                              \
        if (by == 1)                                                                                                   \
            add_##T(y, from, rows, taps, n, 1);                                                                        \
        else                                                                                                           \
            add_##T(y, from, rows, taps, n, 2);                                                                        \
    }
#define EVEN_float 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_float 1, 3, 5, 7, 9, 11, 13, 15
#define LAST_float 0, 2, 4, 6, 9, 11, 13, 15
#define EVEN_double 0, 2, 4, 6
#define ODD_double 1, 3, 5, 7
#define LAST_double 0, 2, 5, 7
BOX(float, int32_t, orr__vec_box_f32)
BOX(double, int64_t, orr__vec_box_f64)
