/* The elements that a task of a step reads, and whether its writes commute with those of other steps.
 * Must not know: memory, StarPU. */
#include "config.h"

#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/plan/plan.h"

void orr__step_reads(const orr__step *s, int t, int i, int64_t *first, int64_t *end)
{
    const orr__region *r = s->region;
    *first = 0;
    *end = r->in_count[i];
    if (!orr__region_loops(r))
        return;
    int64_t rows0 = t * s->rows, rows1 = rows0 + s->rows < r->dim[0] ? rows0 + s->rows : r->dim[0];
    int64_t lo = INT64_MAX, hi = -1;
    for (int k = 0; k < r->naccess; k++) {
        const orr__access *a = &r->access[k];
        if (a->input != i)
            continue;
        if (a->placed)
            return; /* an index may select any element */
        int64_t from = a->offset, to = from;
        bool none = false;
        int axes = r->loops == ORR__LOOPS_PRODUCT && k >= 2 ? r->rank - 1 : r->rank; /* not along k */
        for (int d = 0; d < axes; d++) {
            int64_t begin = d ? 0 : rows0, stop = d ? r->dim[d] : rows1;
            if (a->box >> d & 1u) {
                begin = ORR__MAX(a->lo[d], begin);
                stop = ORR__MIN(a->hi[d], stop);
            }
            int64_t first_at = a->stride[d] * begin, last_at = a->stride[d] * (stop - 1);
            none = none || begin >= stop; /* nothing is iterated, nothing is read */
            from += ORR__MIN(first_at, last_at);
            to += ORR__MAX(last_at, first_at);
        }
        lo = !none && from < lo ? from : lo;
        hi = !none && to > hi ? to : hi;
    }
    if (hi < lo) {
        *end = 0;
        return;
    }
    *first = lo;
    *end = hi + 1;
}

bool orr__step_commutes(const orr__plan *p, const orr__step *s)
{
    return s->terms.adds && s->terms.part < s->terms.parts - 1 && orr__bundle_size(s) == 1 &&
           orr__temporary_donor(p, &p->value[s->out[0]]) >= 0 && !orr__env.deterministic;
}
