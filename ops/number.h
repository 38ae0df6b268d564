/* The value of an orr_number, and the test whether a dtype can hold it.
 * Must not know: nodes. */
#ifndef ORR_OPS_NUMBER_H
#define ORR_OPS_NUMBER_H

#include "runtime/base/dtype.h"
#include "runtime/base/status.h"

/* Holds every difference of two 64-bit integers, and every step from one. */
__extension__ typedef __int128 orr__int128;

static inline bool orr__number_integer(orr_number n, orr__int128 *v)
{
    *v = n.dtype == ORR_U64 ? (orr__int128)n.u : (orr__int128)n.i;
    return n.dtype == ORR_I64 || n.dtype == ORR_U64;
}

static inline bool orr__number_ok(orr__site at, orr_number n)
{
    if (n.dtype == ORR_F64 || n.dtype == ORR_I64 || n.dtype == ORR_U64)
        return true;
    (void)orr__fail(at, ORR_EINVAL,
                    "the number's dtype is none of ORR_F64, ORR_I64, ORR_U64; write ORR_REAL(…), "
                    "ORR_INTEGER(…) or ORR_UNSIGNED(…)");
    return false;
}

static inline double orr__number_real(orr_number n)
{
    return n.dtype == ORR_F64 ? n.f : n.dtype == ORR_U64 ? (double)n.u : (double)n.i;
}

static inline bool orr__number_fits(orr__site at, orr_dtype dtype, orr__int128 v)
{
    int bits = dtype == ORR_BOOL ? 1 : 8 * (int)orr_dtype_size(dtype);
    orr__int128 end = (orr__int128)1 << (orr__is_signed(dtype) ? bits - 1 : bits),
                low = orr__is_signed(dtype) ? -end : 0;
    if (v >= low && v < end)
        return true;
    (void)orr__fail(at, ORR_EDTYPE, "%s%llu is no value of %s", v < 0 ? "−" : "", (unsigned long long)(v < 0 ? -v : v),
                    orr_dtype_name(dtype));
    return false;
}

#endif
