/* The element-wise operations as loops over blocks, for the dtype EW_DTYPE (ops/ew_begin.h). No include guard.
 * Must not know: which dtype. */
#include "ops/ew_begin.h"

/* A function that has a near form for arguments that are not large (codelets/cpu/vmath_near.h) uses it where `near` is
 * 1, and sets `far` if the block has to be computed again. For other operations the second loop is never reached. */
#define LOOP1(stem, result, value)                                                                                     \
    static void EW_PASTE(stem, EW_NAME)(void *restrict d_, const void *x_, const void *y_, const void *z_, int64_t n)  \
    {                                                                                                                  \
        EW_OUT_##result *restrict d = d_;                                                                              \
        const EW_IN_##result *xs = x_;                                                                                 \
        int far = 0;                                                                                                   \
        (void)y_;                                                                                                      \
        (void)z_;                                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            enum { near = 1 };                                                                                         \
            EW_IN_##result x = xs[i];                                                                                  \
            (void)x;                                                                                                   \
            d[i] = EW_AS_##result(value);                                                                              \
        }                                                                                                              \
        for (int64_t i = 0; far && i < n; i++) {                                                                       \
            enum { near = 0 };                                                                                         \
            EW_IN_##result x = xs[i];                                                                                  \
            (void)x;                                                                                                   \
            d[i] = EW_AS_##result(value);                                                                              \
        }                                                                                                              \
    }
#define LOOP2(stem, result, value)                                                                                     \
    static void EW_PASTE(stem, EW_NAME)(void *restrict d_, const void *x_, const void *y_, const void *z_, int64_t n)  \
    {                                                                                                                  \
        EW_OUT_##result *restrict d = d_;                                                                              \
        const EW_IN_##result *xs = x_;                                                                                 \
        const T *ys = y_;                                                                                              \
        (void)z_;                                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            EW_IN_##result x = xs[i];                                                                                  \
            T y = ys[i];                                                                                               \
            d[i] = EW_AS_##result(value);                                                                              \
        }                                                                                                              \
    }
#define LOOP3(stem, result, value)                                                                                     \
    static void EW_PASTE(stem, EW_NAME)(void *restrict d_, const void *x_, const void *y_, const void *z_, int64_t n)  \
    {                                                                                                                  \
        EW_OUT_##result *restrict d = d_;                                                                              \
        const EW_IN_##result *xs = x_;                                                                                 \
        const T *ys = y_, *zs = z_;                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            EW_IN_##result x = xs[i];                                                                                  \
            T y = ys[i], z = zs[i];                                                                                    \
            d[i] = EW_AS_##result(value);                                                                              \
        }                                                                                                              \
    }

#define UNARY(name, types, result, flops, value, ...)   EW_ON_##types(LOOP1(name##_, result, value))
#define BINARY(name, types, result, flops, value, ...)  EW_ON_##types(LOOP2(name##_, result, value))
#define TERNARY(name, types, result, flops, value, ...) EW_ON_##types(LOOP3(name##_, result, value))
#define UNARY_C(name, types, result, flops, value, dx, cresult, cvalue, ...)                                           \
    EW_ON_##types(LOOP1(name##_, result, value)) EW_ON_COMPLEX(LOOP1(name##_, cresult, cvalue))
#define BINARY_C(name, types, result, flops, value, dx, dy, cresult, cvalue, ...)                                      \
    EW_ON_##types(LOOP2(name##_, result, value)) EW_ON_COMPLEX(LOOP2(name##_, cresult, cvalue))
#define TERNARY_C(name, types, result, flops, value, dx, dy, dz, cresult, cvalue, ...)                                 \
    EW_ON_##types(LOOP3(name##_, result, value)) EW_ON_COMPLEX(LOOP3(name##_, cresult, cvalue))
#include "ops/elementwise.def"

/* By id - ORR__OP_EW; NULL where an operation does not accept the dtype. */
orr__vecfn *const ORR__V(EW_PASTE(orr__vec_rows_, EW_NAME))[ORR__ROWS] = {
#define ENTRY(id, stem, types)    EW_ON_##types([id - ORR__OP_EW] = EW_PASTE(stem, EW_NAME), )
#define UNARY(name, types, ...)   ENTRY(ORR__EW_##name, name##_, types)
#define BINARY(name, types, ...)  ENTRY(ORR__EW_##name, name##_, types)
#define TERNARY(name, types, ...) ENTRY(ORR__EW_##name, name##_, types)
#define UNARY_C(name, types, ...)   ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#define BINARY_C(name, types, ...)  ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#define TERNARY_C(name, types, ...) ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#include "ops/elementwise.def"
};

#undef LOOP1
#undef LOOP2
#undef LOOP3
#undef ENTRY
#include "ops/ew_end.h"
