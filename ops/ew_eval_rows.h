/* The element-wise rows as functions on register values, for the dtype that ops/ew_begin.h has set up. No include guard.
 * Must not know: which dtype. */
#define FUNCTION(stem, result, value, using)                                                               \
    static void EW_PASTE(stem, EW_NAME)(void *r, const void *a, const void *b, const void *c)              \
    {                                                                                                       \
        EW_IN_##result x = *(const EW_IN_##result *)a;                                                      \
        const T *ys = b, *zs = c;                                                                           \
        (void)x;                                                                                            \
        using;                                                                                              \
        *(EW_OUT_##result *)r = EW_AS_##result(value);                                                      \
    }
#define FUNCTION1(stem, result, value) FUNCTION(stem, result, value, (void)ys; (void)zs)
#define FUNCTION2(stem, result, value) FUNCTION(stem, result, value, T y = *ys; (void)zs)
#define FUNCTION3(stem, result, value) FUNCTION(stem, result, value, T y = *ys; T z = *zs)

#define UNARY(name, types, result, flops, value, ...) EW_ON_##types(FUNCTION1(name##_, result, value))
#define BINARY(name, types, result, flops, value, ...) EW_ON_##types(FUNCTION2(name##_, result, value))
#define TERNARY(name, types, result, flops, value, ...) EW_ON_##types(FUNCTION3(name##_, result, value))
#define UNARY_C(name, types, result, flops, value, dx, cresult, cvalue, ...)                               \
    EW_ON_##types(FUNCTION1(name##_, result, value)) EW_ON_COMPLEX(FUNCTION1(name##_, cresult, cvalue))
#define BINARY_C(name, types, result, flops, value, dx, dy, cresult, cvalue, ...)                          \
    EW_ON_##types(FUNCTION2(name##_, result, value)) EW_ON_COMPLEX(FUNCTION2(name##_, cresult, cvalue))
#define TERNARY_C(name, types, result, flops, value, dx, dy, dz, cresult, cvalue, ...)                     \
    EW_ON_##types(FUNCTION3(name##_, result, value)) EW_ON_COMPLEX(FUNCTION3(name##_, cresult, cvalue))
#define UNARY_CF(name, types, result, flops, value, dx, cresult, cvalue, cdx, fvalue, ...)                 \
    EW_ON_##types(FUNCTION1(name##_, result, value)) EW_ON_COMPLEX(FUNCTION1(name##_, cresult, cvalue))   \
    EW_ON_FIELD(FUNCTION1(name##_, result, fvalue))
#define BINARY_CF(name, types, result, flops, value, dx, dy, cresult, cvalue, cdx, cdy, fvalue, ...)       \
    EW_ON_##types(FUNCTION2(name##_, result, value)) EW_ON_COMPLEX(FUNCTION2(name##_, cresult, cvalue))   \
    EW_ON_FIELD(FUNCTION2(name##_, result, fvalue))
#define TERNARY_CF(name, types, result, flops, value, dx, dy, dz, cresult, cvalue, cdx, cdy, cdz, fvalue, ...) \
    EW_ON_##types(FUNCTION3(name##_, result, value)) EW_ON_COMPLEX(FUNCTION3(name##_, cresult, cvalue))   \
    EW_ON_FIELD(FUNCTION3(name##_, result, fvalue))
#include "ops/elementwise.def"

/* By id - ORR__OP_EW; NULL where a row does not take the dtype. */
static const eval_fn EW_PASTE(rows_, EW_NAME)[ORR__EW_END - ORR__OP_EW] = {
#define ENTRY(id, stem, types)      EW_ON_##types([id - ORR__OP_EW] = EW_PASTE(stem, EW_NAME), )
#define UNARY(name, types, ...)     ENTRY(ORR__EW_##name, name##_, types)
#define BINARY(name, types, ...)    ENTRY(ORR__EW_##name, name##_, types)
#define TERNARY(name, types, ...)   ENTRY(ORR__EW_##name, name##_, types)
#define UNARY_C(name, types, ...)   ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#define BINARY_C(name, types, ...)  ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#define TERNARY_C(name, types, ...) ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)
#define UNARY_CF(name, types, ...)                                                                          \
    ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)                           \
    ENTRY(ORR__EW_##name, name##_, FIELD)
#define BINARY_CF(name, types, ...)                                                                          \
    ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)                           \
    ENTRY(ORR__EW_##name, name##_, FIELD)
#define TERNARY_CF(name, types, ...)                                                                          \
    ENTRY(ORR__EW_##name, name##_, types) ENTRY(ORR__EW_##name, name##_, COMPLEX)                           \
    ENTRY(ORR__EW_##name, name##_, FIELD)
#include "ops/elementwise.def"
};

#undef FUNCTION
#undef FUNCTION1
#undef FUNCTION2
#undef FUNCTION3
#undef ENTRY
