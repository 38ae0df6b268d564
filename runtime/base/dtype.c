/* Facts about element types: size, name, kind, promotion.
 * Must not know: tensors, devices. */
#include "config.h"
#include "runtime/base/dtype.h"

const uint8_t orr__dtype_bytes[ORR_DTYPE_COUNT] = {
    [ORR_BOOL] = 1, [ORR_I8] = 1,  [ORR_I16] = 2,   [ORR_I32] = 4,    [ORR_I64] = 8,    [ORR_U8] = 1,
    [ORR_U16] = 2,  [ORR_U32] = 4, [ORR_U64] = 8,   [ORR_F16] = 2,    [ORR_BF16] = 2,   [ORR_F32] = 4,
    [ORR_F64] = 8,  [ORR_C64] = 8, [ORR_C128] = 16, [ORR_FR254] = 32, [ORR_FQ254] = 32,
};

static const struct {
    const char *name;
    unsigned char kind;
} rows[ORR_DTYPE_COUNT] = {
    [ORR_BOOL] = { "bool", ORR__KBOOL },          [ORR_I8] = { "int8", ORR__KSIGNED },
    [ORR_I16] = { "int16", ORR__KSIGNED },        [ORR_I32] = { "int32", ORR__KSIGNED },
    [ORR_I64] = { "int64", ORR__KSIGNED },        [ORR_U8] = { "uint8", ORR__KUNSIGNED },
    [ORR_U16] = { "uint16", ORR__KUNSIGNED },     [ORR_U32] = { "uint32", ORR__KUNSIGNED },
    [ORR_U64] = { "uint64", ORR__KUNSIGNED },     [ORR_F16] = { "float16", ORR__KFLOAT },
    [ORR_BF16] = { "bfloat16", ORR__KFLOAT },     [ORR_F32] = { "float32", ORR__KFLOAT },
    [ORR_F64] = { "float64", ORR__KFLOAT },       [ORR_C64] = { "complex64", ORR__KCOMPLEX },
    [ORR_C128] = { "complex128", ORR__KCOMPLEX }, [ORR_FR254] = { "fr254", ORR__KFIELD },
    [ORR_FQ254] = { "fq254", ORR__KFIELD },
};

static bool known(orr_dtype t)
{
    return (unsigned)t < ORR_DTYPE_COUNT;
}

size_t orr_dtype_size(orr_dtype t)
{
    return known(t) ? orr__dtype_bytes[t] : 0;
}

const char *orr_dtype_name(orr_dtype t)
{
    return known(t) ? rows[t].name : "?";
}

orr__kind orr__dtype_kind(orr_dtype t)
{
    return known(t) ? (orr__kind)rows[t].kind : ORR__KBOOL;
}

/* Within a kind the wider dtype wins (the enum is in order of width). u + i is the narrowest signed type that holds both. A float with a
 * complex dtype is complex, with parts wide enough for both. Other kinds do not mix. */
bool orr__promote(orr_dtype a, orr_dtype b, orr_dtype *out)
{
    if (!known(a) || !known(b))
        return false;
    if (a == b) {
        *out = a;
        return true;
    }
    if (a > b) {
        orr_dtype t = a;
        a = b;
        b = t;
    }
    orr__kind ka = orr__dtype_kind(a), kb = orr__dtype_kind(b);
    if (ka == ORR__KFIELD || kb == ORR__KFIELD)
        return false;
    if (ka == kb) {
        if (a == ORR_F16 && b == ORR_BF16)
            return false;
        *out = b;
        return true;
    }
    if (ka == ORR__KFLOAT && kb == ORR__KCOMPLEX) {
        *out = a == ORR_F64 ? ORR_C128 : b;
        return true;
    }
    if (ka != ORR__KSIGNED || kb != ORR__KUNSIGNED || b == ORR_U64)
        return false;
    *out = orr__dtype_bytes[a] > orr__dtype_bytes[b] ? a : (orr_dtype)(ORR_I8 + (b - ORR_U8) + 1);
    return true;
}
