/* The serial engine: every step on the calling thread, one after the other.
 * Must not know: StarPU. */
#include "config.h"
#include <stdio.h>
#include "runtime/engine/exec.h"

static orr_status start(orr__site at, const orr_config *config)
{
    (void)config;
    orr__plan_machine = (orr__machine){ .workers = 1 };
    return orr__works_start(at, 0);
}

static void stop(void) {}

static orr_status execute(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                          orr__buf **out, orr__run **run)
{
    *run = NULL;
    return orr__exec_inline(at, plan, leaf, scalar, out);
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "serial");
}

const orr__engine_impl orr__engine_serial = { .start = start, .stop = stop, .execute = execute, .describe = describe };
