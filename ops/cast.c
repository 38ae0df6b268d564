/* orr_cast.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

orr_tensor *orr_cast_at(const char *file, int line, orr_tensor *x, orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "cast");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad) || !orr__dtype_ok(at, dtype, &bad))
        return bad;
    return orr__handle_new(orr__rec_cast(at, orr__node_ref(n), dtype));
}
