/* Facts about dtypes: kinds, promotion, limits.
 * Must not know: tensors. */
#include "config.h"

#include <float.h>
#include <math.h>
#include "ops/array/array.h"

static bool is_dtype(orr_dtype t)
{
    return (int)t >= 0 && (int)t < ORR_DTYPE_COUNT;
}

bool orr_isdtype(orr_dtype t, unsigned kinds)
{
    if (!is_dtype(t))
        return false;
    unsigned kind = t == ORR_BOOL         ? ORR_KIND_BOOL
                    : orr__is_signed(t)   ? ORR_KIND_SIGNED
                    : orr__is_unsigned(t) ? ORR_KIND_UNSIGNED
                    : orr__is_float(t)    ? ORR_KIND_FLOAT
                    : orr__is_complex(t)  ? ORR_KIND_COMPLEX
                                          : 0;
    return (kinds & kind) != 0;
}

orr_status orr_result_type_at(const char *file, int line, const orr_dtype *t, int n, orr_dtype *result)
{
    orr__site at = ORR__SITE(file, line, "result_type");
    if (!t || !result || n < 1)
        return orr__fail(at, ORR_EINVAL, "%d dtypes: one at least is needed", n);
    for (int i = 0; i < n; i++) {
        orr_dtype both = t[i];
        if (!is_dtype(t[i]))
            return orr__fail(at, ORR_EDTYPE, "%d is no dtype", (int)t[i]);
        if (i && !orr__promote(*result, t[i], &both))
            return orr__fail(at, ORR_EDTYPE, "%s and %s have no common dtype", orr_dtype_name(*result),
                             orr_dtype_name(t[i]));
        *result = both;
    }
    return ORR_OK;
}

bool orr_can_cast(orr_dtype from, orr_dtype to)
{
    orr_dtype both;
    return is_dtype(from) && is_dtype(to) && orr__promote(from, to, &both) && both == to;
}

orr_status orr_finfo_at(const char *file, int line, orr_dtype t, orr_float_facts *facts)
{
    orr__site at = ORR__SITE(file, line, "finfo");
    if (!facts)
        return orr__fail(at, ORR_EINVAL, "facts is NULL");
    if (is_dtype(t))
        t = orr__part_dtype(t);
    if (!is_dtype(t) || !orr__is_float(t))
        return orr__fail(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(t));
    /* Bits of the fraction, and the exponents of the least normal and the greatest number. */
    int fraction = t == ORR_F64 ? 52 : t == ORR_F32 ? 23 : t == ORR_F16 ? 10 : 7;
    int least = t == ORR_F64 ? -1022 : t == ORR_F16 ? -14 : -126;
    double max = ldexp(2 - ldexp(1, -fraction), -least + 1);
    *facts = (orr_float_facts){ 8 * (int)orr_dtype_size(t), ldexp(1, -fraction), -max, max, ldexp(1, least) };
    return ORR_OK;
}

orr_status orr_iinfo_at(const char *file, int line, orr_dtype t, orr_integer_facts *facts)
{
    orr__site at = ORR__SITE(file, line, "iinfo");
    if (!facts)
        return orr__fail(at, ORR_EINVAL, "facts is NULL");
    if (!is_dtype(t) || !orr__is_int(t))
        return orr__fail(at, ORR_EDTYPE, "%s is no integer dtype", orr_dtype_name(t));
    int bits = 8 * (int)orr_dtype_size(t), sign = orr__is_signed(t);
    *facts = (orr_integer_facts){ bits, sign ? (int64_t)(-1) * ((int64_t)1 << (bits - 2)) * 2 : 0,
                                  UINT64_MAX >> (64 - bits + sign) };
    return ORR_OK;
}
