/* Counts the launches that wrote a result which is not finite, or which no processor has seen.
 * Must not know: the line to blame, StarPU. */
#include "config.h"

#include "runtime/base/element.h"
#include "runtime/engine/finite.h"

atomic_int orr__finite_asked;
static atomic_uint_least64_t doubts;

uint64_t orr__finite_doubts(void)
{
    return atomic_load(&doubts);
}

/* Results that the kernel has not seen are read while they are in a cache. */
void orr__finite_look(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    bool whole = l->lo == 0 && l->hi == r->dim[0], finite = true;
    int64_t row = whole || r->dim[0] == 0 ? 0 : r->out_count / r->dim[0];
    if (!s->results)
        return;
    bool seen = l->seen->elements > 0 && l->seen->elements == (whole ? r->out_count : (l->hi - l->lo) * row);
    finite = !(seen && l->seen->odd & s->results);
    for (int k = 0; k < r->nout && finite && !seen; k++) {
        orr_dtype t = (orr_dtype)r->out_dtype[k], part = orr__part_dtype(t);
        int64_t n = whole ? r->out_count : (l->hi - l->lo) * row, parts = part == t ? 1 : 2;
        if (s->results & 1u << k && orr__is_float(part))
            finite =
                orr__cpu_finite(part, (const char *)l->out[k] + (size_t)(l->lo * row) * orr_dtype_size(t), n * parts);
    }
    if (!finite)
        atomic_fetch_add(&doubts, 1);
}

void orr__finite_unseen(const orr__step *s)
{
    if (s->results && orr__finite_watched())
        atomic_fetch_add(&doubts, 1);
}
