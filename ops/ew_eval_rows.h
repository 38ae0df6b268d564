/* The element-wise rows as functions on register values, for the dtype that ops/ew_begin.h has set up. No include guard.
 * Must not know: which dtype. */
#if EW_FLOAT
#define GET(s) ((T)(s).f)
#define PUT(v) ((orr__scalar){ .f = (double)(T)(v) })
#elif EW_SIGNED
#define GET(s) ((T)(s).i)
#define PUT(v) ((orr__scalar){ .i = (int64_t)(T)(v) })
#else
#define GET(s) ((T)(s).u)
#define PUT(v) ((orr__scalar){ .u = (uint64_t)(T)(v) })
#endif
#define X_SAME(s)    GET(s)
#define X_TRUTH(s)   GET(s)
#define X_COND(s)    ((uint8_t)(s).u)
#define PUT_SAME(v)  PUT(v)
#define PUT_COND(v)  PUT(v)
#define PUT_TRUTH(v) ((orr__scalar){ .u = (v) ? 1u : 0u })

#define FUNCTION(stem, result, value, using)                                                               \
    static orr__scalar EW_PASTE(stem, EW_NAME)(orr__scalar a, orr__scalar b, orr__scalar c)              \
    {                                                                                                       \
        EW_IN_##result x = X_##result(a);                                                                   \
        T y = GET(b), z = GET(c);                                                                           \
        using;                                                                                              \
        return PUT_##result(value);                                                                         \
    }
#define UNARY(name, types, result, flops, value, ...) \
    EW_ON_##types(FUNCTION(name##_, result, value, (void)y; (void)z))
#define BINARY(name, types, result, flops, value, ...) EW_ON_##types(FUNCTION(name##_, result, value, (void)z))
#define TERNARY(name, types, result, flops, value, ...) EW_ON_##types(FUNCTION(name##_, result, value, ))
#include "ops/elementwise.def"

/* By id - ORR__OP_EW; NULL where a row does not take the dtype. */
static const eval_fn EW_PASTE(rows_, EW_NAME)[ORR__EW_END - ORR__OP_EW] = {
#define ENTRY(id, stem, types)    EW_ON_##types([id - ORR__OP_EW] = EW_PASTE(stem, EW_NAME), )
#define UNARY(name, types, ...)   ENTRY(ORR__EW_##name, name##_, types)
#define BINARY(name, types, ...)  ENTRY(ORR__EW_##name, name##_, types)
#define TERNARY(name, types, ...) ENTRY(ORR__EW_##name, name##_, types)
#include "ops/elementwise.def"
};

#undef GET
#undef PUT
#undef X_SAME
#undef X_TRUTH
#undef X_COND
#undef PUT_SAME
#undef PUT_COND
#undef PUT_TRUTH
#undef FUNCTION
#undef ENTRY
