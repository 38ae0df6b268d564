/* The serial engine: every step on the calling thread, one after another.
 * Must not know: StarPU. */
#include "config.h"
#include <stdio.h>
#include "runtime/base/env.h"
#include "runtime/engine/core_lease.h"
#include "runtime/engine/execution.h"

static orr_status start(orr__site at, const orr_config *config)
{
    (void)config;
    if (orr__env.deterministic) /* the number of threads decides how a product is cut, hence the order of its sums */
        orr__cpu_blas_threads(1);
    orr__machine_here = (orr__machine){ .workers = 1, .one_memory = true };
    return orr__works_start(at, 0);
}

static void stop(void)
{
    orr__cpu_blas_threads(0);
}

static orr_status execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                          void *const *into, orr__buffer **out, orr__run **run, bool wait, bool little)
{
    orr_status st = orr__exec_admit(at, plan);

    (void)wait; /* all is done on return */
    (void)little;
    *run = NULL;
    if (st != ORR_OK)
        return st;
    uint64_t lease = orr__lease_begin(orr__exec_callers(), plan->us);
    st = orr__exec_inline(plan, leaf, scalar, into, out, 0, NULL);
    orr__lease_end(lease);
    return st;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "serial");
}

const orr__engine_impl orr__engine_serial = { .start = start, .stop = stop, .execute = execute, .describe = describe };
