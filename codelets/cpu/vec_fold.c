/* Folds of blocks: sums, products, extremes, any, all, positions of extremes.
 * Must not know: the meaning of a block. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/vec.h"

/* A block is folded in LANES columns, which a fixed tree joins: the same result with any vector width. One of up to SOME values has SOME_LANES
 * columns, and up to FEW values are folded in order (codelets/nest/fold.c). */
enum { LANES = 32, SOME = 128, SOME_LANES = 8, FEW = 16 };

/* total := the fold in this many columns. */
#define COLUMNS(T, A, first, op, columns)                                                                              \
    {                                                                                                                  \
        A lane[columns];                                                                                               \
        int64_t i = 0;                                                                                                 \
        for (int j = 0; j < (columns); j++)                                                                            \
            lane[j] = (first);                                                                                         \
        for (; i + (columns) <= n; i += (columns))                                                                     \
            for (int j = 0; j < (columns); j++)                                                                        \
                lane[j] = op(lane[j], (A)x[i + j]);                                                                    \
        for (int j = 0; i < n; i++, j++)                                                                               \
            lane[j] = op(lane[j], (A)x[i]);                                                                            \
        for (int w = (columns) / 2; w > 0; w /= 2)                                                                     \
            for (int j = 0; j < w; j++)                                                                                \
                lane[j] = op(lane[j], lane[j + w]);                                                                    \
        total = lane[0];                                                                                               \
    }

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
/* A NaN in the accumulator stays: no comparison with it holds. */
#define MAXI(a, b) ((b) > (a) ? (b) : (a))
#define MINI(a, b) ((b) < (a) ? (b) : (a))
#define MAXF(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define MINF(a, b) ((((b) < (a)) | ((b) != (b))) ? (b) : (a))

#define TOTAL(T, A, first, op)                                                                                         \
    A total = (first);                                                                                                 \
    if (n <= FEW) {                                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                                                \
            total = op(total, (A)x[i]);                                                                                \
    } else if (n <= SOME)                                                                                              \
        COLUMNS(T, A, first, op, SOME_LANES)                                                                           \
    else                                                                                                               \
        COLUMNS(T, A, first, op, LANES)

/* Few values are added in order. */
#define FOLD(name, T, A, member, first, op)                                                                            \
    static void name(orr__acc *acc, const void *x_, int64_t n)                                                         \
    {                                                                                                                  \
        const T *x = x_;                                                                                               \
        TOTAL(T, A, first, op)                                                                                         \
        acc->v.member = (A)op(acc->v.member, total);                                                                   \
    }
#define ROW(name, T, A, op)                                                                                            \
    static void name(void *restrict acc_, const void *restrict x_, int64_t n)                                          \
    {                                                                                                                  \
        A *restrict acc = acc_;                                                                                        \
        const T *restrict x = x_;                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            acc[i] = (A)op(acc[i], (A)x[i]);                                                                           \
    }
#define INT_SUMS(t, T, A, member)                                                                                      \
    FOLD(sum_##t, T, A, member, 0, ADD)                                                                                \
    ROW(sumrow_##t, T, A, ADD) FOLD(prod_##t, T, A, member, 1, MUL) ROW(prodrow_##t, T, A, MUL)

INT_SUMS(bool8, uint8_t, uint64_t, u)
INT_SUMS(i8, int8_t, int64_t, i)
INT_SUMS(i16, int16_t, int64_t, i)
INT_SUMS(i32, int32_t, int64_t, i)
INT_SUMS(i64, int64_t, int64_t, i)
INT_SUMS(u8, uint8_t, uint64_t, u)
INT_SUMS(u16, uint16_t, uint64_t, u)
INT_SUMS(u32, uint32_t, uint64_t, u)
INT_SUMS(u64, uint64_t, uint64_t, u)

/* Block totals are added, and their rounding errors are kept (Neumaier). */
#define FLOAT_SUM(name, T)                                                                                             \
    static void name(orr__acc *acc, const void *x_, int64_t n)                                                         \
    {                                                                                                                  \
        const T *x = x_;                                                                                               \
        TOTAL(T, double, 0, ADD)                                                                                       \
        double s = acc->v.f, t = s + total;                                                                            \
        acc->lost += fabs(s) >= fabs(total) ? (s - t) + total : (total - t) + s;                                       \
        acc->v.f = t;                                                                                                  \
    }
FLOAT_SUM(sum_f32, float)
FLOAT_SUM(sum_f64, double)
ROW(sumrow_f32, float, double, ADD)
ROW(sumrow_f64, double, double, ADD)
FOLD(prod_f32, float, double, f, 1, MUL)
FOLD(prod_f64, double, double, f, 1, MUL)
ROW(prodrow_f32, float, double, MUL)
ROW(prodrow_f64, double, double, MUL)

/* The accumulator's first bytes hold a T. */
#define EXTREME(name, t, T, op)                                                                                        \
    static T name##_of_##t(const T *x, int64_t n, T from)                                                              \
    {                                                                                                                  \
        TOTAL(T, T, from, op)                                                                                          \
        return total;                                                                                                  \
    }                                                                                                                  \
    static void name##_##t(orr__acc *acc, const void *x, int64_t n)                                                    \
    {                                                                                                                  \
        T v;                                                                                                           \
        memcpy(&v, acc, sizeof v);                                                                                     \
        v = name##_of_##t(x, n, v);                                                                                    \
        memcpy(acc, &v, sizeof v);                                                                                     \
    }                                                                                                                  \
    ROW(name##row_##t, T, T, op)

/* v and x: is x better? A NaN is better than any other value */
#define ARG(name, t, T, better)                                                                                        \
    static void arg##name##_##t(void *value, int64_t *at, const void *x_, int64_t n, int64_t first)                    \
    {                                                                                                                  \
        const T *x = x_;                                                                                               \
        if (n < 1)                                                                                                     \
            return;                                                                                                    \
        T a, b = name##_of_##t(x, n, x[0]);                                                                            \
        memcpy(&a, value, sizeof a);                                                                                   \
        if (*at >= 0 && !(better(a, b)))                                                                               \
            return;                                                                                                    \
        int64_t i = 0;                                                                                                 \
        while (i < n - 1 && !(x[i] == b || (b != b && x[i] != x[i])))                                                  \
            i++;                                                                                                       \
        memcpy(value, &b, sizeof b);                                                                                   \
        *at = first + i;                                                                                               \
    }                                                                                                                  \
    static void arg##name##row_##t(void *restrict value, int64_t *restrict at, const void *restrict x_, int64_t n,     \
                                   int64_t k)                                                                          \
    {                                                                                                                  \
        T *restrict v = value;                                                                                         \
        const T *restrict x = x_;                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            int yes = (at[i] < 0) | (better(v[i], x[i]));                                                              \
            v[i] = yes ? x[i] : v[i];                                                                                  \
            at[i] = yes ? k : at[i];                                                                                   \
        }                                                                                                              \
    }
#define MORE(v, x) ((x) > (v))
#define LESS(v, x) ((x) < (v))
#define MOREF(v, x) (((x) > (v)) | (((x) != (x)) & ((v) == (v))))
#define LESSF(v, x) (((x) < (v)) | (((x) != (x)) & ((v) == (v))))

#define EXTREMES(t, T, MAX, MIN, MORE_, LESS_)                                                                         \
    EXTREME(max, t, T, MAX) EXTREME(min, t, T, MIN) ARG(max, t, T, MORE_) ARG(min, t, T, LESS_)

EXTREMES(bool8, uint8_t, MAXI, MINI, MORE, LESS)
EXTREMES(i8, int8_t, MAXI, MINI, MORE, LESS)
EXTREMES(i16, int16_t, MAXI, MINI, MORE, LESS)
EXTREMES(i32, int32_t, MAXI, MINI, MORE, LESS)
EXTREMES(i64, int64_t, MAXI, MINI, MORE, LESS)
EXTREMES(u8, uint8_t, MAXI, MINI, MORE, LESS)
EXTREMES(u16, uint16_t, MAXI, MINI, MORE, LESS)
EXTREMES(u32, uint32_t, MAXI, MINI, MORE, LESS)
EXTREMES(u64, uint64_t, MAXI, MINI, MORE, LESS)
EXTREMES(f32, float, MAXF, MINF, MOREF, LESSF)
EXTREMES(f64, double, MAXF, MINF, MOREF, LESSF)

#define ALL(f)                                                                                                         \
    {                                                                                                                  \
        NUMBERS(f)                                                                                                     \
    }
#define NUMBERS(f)                                                                                                     \
    [ORR_BOOL] = f##_bool8, [ORR_I8] = f##_i8, [ORR_I16] = f##_i16, [ORR_I32] = f##_i32, [ORR_I64] = f##_i64,          \
    [ORR_U8] = f##_u8, [ORR_U16] = f##_u16, [ORR_U32] = f##_u32, [ORR_U64] = f##_u64, [ORR_F32] = f##_f32,             \
    [ORR_F64] = f##_f64
#define FIELDS(f) [ORR_FR254] = orr__vec_##f##_fr254, [ORR_FQ254] = orr__vec_##f##_fq254

/* For bool, any is the maximum and all the minimum. */
orr__foldfn *const ORR__V(orr__vec_fold)[ORR__ROPS][ORR_DTYPE_COUNT] = {
    [ORR__RSUM] = { NUMBERS(sum), FIELDS(sum) },
    [ORR__RPROD] = { NUMBERS(prod), FIELDS(product) },
    [ORR__RMAX] = ALL(max),
    [ORR__RMIN] = ALL(min),
    [ORR__RANY] = { [ORR_BOOL] = max_bool8 },
    [ORR__RALL] = { [ORR_BOOL] = min_bool8 },
};
orr__foldrowfn *const ORR__V(orr__vec_foldrow)[ORR__ROPS][ORR_DTYPE_COUNT] = {
    [ORR__RSUM] = { NUMBERS(sumrow), FIELDS(sumrow) },
    [ORR__RPROD] = { NUMBERS(prodrow), FIELDS(productrow) },
    [ORR__RMAX] = ALL(maxrow),
    [ORR__RMIN] = ALL(minrow),
    [ORR__RANY] = { [ORR_BOOL] = maxrow_bool8 },
    [ORR__RALL] = { [ORR_BOOL] = minrow_bool8 },
};
orr__argfn *const ORR__V(orr__vec_arg)[2][ORR_DTYPE_COUNT] = { ALL(argmax), ALL(argmin) };
orr__argrowfn *const ORR__V(orr__vec_argrow)[2][ORR_DTYPE_COUNT] = { ALL(argmaxrow), ALL(argminrow) };
