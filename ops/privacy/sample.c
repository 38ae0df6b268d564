/* Poisson samples of the records.
 * Must not know: the records. */
#include "config.h"
#include <math.h>
#include <orrery/privacy.h>
#include "ops/privacy/secret.h"
#include "runtime/base/fpmode.h"

orr_status orr_dp_poisson_at(const char *file, int line, int64_t n, double q, int64_t *index, int64_t *count)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_poisson");
    if (n < 0)
        return orr__fail(at, ORR_EINVAL, "there are %lld records", (long long)n);
    if (!(q >= 0.0 && q <= 1.0))
        return orr__fail(at, ORR_EINVAL, "the sampling probability q must be in [0, 1], not %g", q);
    if (!count || (!index && n > 0))
        return orr__fail(at, ORR_EINVAL, "the %s NULL", count ? "list of indices is" : "place for their number is");
    orr__secret s;
    orr__secret_begin(&s);
    orr__wide_uint share = q == 1.0 ? (orr__wide_uint)1 << 64 : (orr__wide_uint)ldexp(q, 64);
    int64_t taken = 0;
    for (int64_t i = 0; i < n; i++)
        if (orr__draw_ratio(&s, share, (orr__wide_uint)1 << 64))
            index[taken++] = i;
    orr_status st = orr__secret_end(at, &s);
    *count = st == ORR_OK ? taken : 0;
    return st;
}
