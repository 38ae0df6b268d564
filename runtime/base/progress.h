/* Reports of progress to the program's function.
 * Must not know: what the work is. */
#ifndef ORR_BASE_PROGRESS_H
#define ORR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/base/listener.h"

/* One piece of work, begun as { 0 }; belongs to one thread. */
typedef struct {
    double next; /* time of the next report; 0: the work has just begun */
    bool told;
} orr__progress;

static inline bool orr__progress_wanted(void) /* the program has set a function */
{
    return orr__someone_hears(ORR__HEARS_PROGRESS);
}
/* Reports if it is due: a tenth of a second after the beginning or the last report. */
void orr__progress_tell(orr__progress *p, int64_t done, int64_t planned);
/* All is done: reports so if the program has heard of the work. */
void orr__progress_end(orr__progress *p, int64_t planned);

#endif
