/* Distances from exact values; the measured rows and their documented bounds.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ops/accuracy.h"

const orr_dtype acc_dtype[4] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };

static bool wanted(const char *name)
{
    const char *list = getenv("ORR_ACC_ROWS");
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && !strncmp(p, name, n))
            return true;
    return !list;
}

const orr__ewrow *acc_row(int i)
{
    for (int k = 0; k < orr__ew_count(); k++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + k);
        if (orr__ew_takes_scalars(row, ORR_F32) && !row->to_bool && !row->cond && acc_knows(row) &&
            wanted(row->op.name) && i-- == 0)
            return row;
    }
    return NULL;
}

bool acc_takes(const orr__ewrow *row, orr_dtype dtype)
{
    const char *part = getenv(ACC_PART);
    bool due = !part || (row->op.id + (int)dtype + atoi(part)) % ACC_PARTS == 0;
    return due && orr__ew_takes_scalars(row, dtype);
}

double acc_scale(const orr__ewrow *row, const double in[3])
{
    bool both = !strcmp(row->op.name, "logaddexp") && isfinite(in[0]) && isfinite(in[1]);
    return both ? fmax(fabs(in[0]), fabs(in[1])) : 0;
}

double acc_bound(const orr__ewrow *row, orr_dtype dtype)
{
    int ulp = dtype == ORR_F32 && row->ulp > 4 ? 4 : row->ulp; /* f32 is more accurate than some rows document */
    return orr__is_half(dtype) ? 1 : ulp ? ulp : 0.5;
}

typedef struct {
    int digits, emin, emax;
} format;

static format format_of(orr_dtype t)
{
    switch (t) {
    case ORR_F64: return (format){ 53, -1022, 1023 };
    case ORR_F32: return (format){ 24, -126, 127 };
    case ORR_F16: return (format){ 11, -14, 15 };
    default: return (format){ 8, -126, 127 };
    }
}

double acc_ulps(orr_dtype dtype, double got, const acc_exact *want, double scale)
{
    format f = format_of(dtype);
    long double x = want->hi, g = got, top = ldexpl(1, f.emax + 1);
    double lo = want->lo;
    int e = f.emin;
    if (isnan(x) || isnan(got))
        return isnan(x) && isnan(got) ? 0 : INFINITY;
    if (isinf(x))
        return g == x ? 0 : INFINITY;
    if (x == 0 && scale == 0)
        return got == 0 && !signbit(got) == !signbit(x) ? 0 : INFINITY;
    if (scale == 0 && !signbit(got) != !signbit(x))
        return INFINITY;
    if (isinf(got))
        g = got > 0 ? top : -top;
    if (fabsl(x) >= top) {
        x = x > 0 ? top : -top;
        lo = 0;
    }
    long double m = fmaxl(fabsl(x), fabsl((long double)scale));
    if (m > 0)
        e = ilogbl(m);
    e = e < f.emin ? f.emin : e > f.emax ? f.emax : e;
    return (double)(fabsl((g - x) - lo) / ldexpl(1, e - f.digits + 1));
}
