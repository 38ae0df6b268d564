/* The program's function of progress, and the times of its calls.
 * Must not know: what the work is. */
#include "config.h"
#include "runtime/base/progress.h"

#include <orrery/eval.h>
#include "runtime/base/clock.h"

static const double interval = 0.1; /* limit of a promise */

void orr_progress_to(orr_progress_fn *fn, void *user)
{
    orr__listener_set(ORR__HEARS_PROGRESS, (orr__heard *)fn, user);
}

static void tell(int64_t done, int64_t planned)
{
    orr__listener l;
    if (!orr__listener_begin(ORR__HEARS_PROGRESS, &l))
        return;
    ((orr_progress_fn *)l.fn)(done, planned, l.user);
    orr__listener_end(ORR__HEARS_PROGRESS, &l);
}

void orr__progress_tell(orr__progress *p, int64_t done, int64_t planned)
{
    if (!orr__progress_wanted())
        return;
    double now = orr__now();
    bool begun = p->next > 0, due = begun && now >= p->next;
    if (!begun || due)
        p->next = now + interval;
    if (!due)
        return;
    p->told = true;
    tell(done < 0 ? 0 : done > planned ? planned : done, planned);
}

void orr__progress_end(orr__progress *p, int64_t planned)
{
    if (p->told)
        tell(planned, planned);
}
