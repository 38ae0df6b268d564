/* The libraries of ranges, opened at run time. ITT is that of a collector, whose functions have the names of Intel's ittnotify.h.
 * Must not know: StarPU. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/library.h"
#include "runtime/base/text.h"
#include "runtime/engine/ranges.h"

atomic_bool orr__ranges_on;

/* -- NVTX: ranges of a thread are nested ------------------------------------------------------------------- */

static int (*nvtx_push)(const char *name);
static int (*nvtx_pop)(void);
static const orr__symbol nvtx_symbols[] = { { "nvtxRangePushA", &nvtx_push }, { "nvtxRangePop", &nvtx_pop } };
static orr__library nvtx = ORR__LIBRARY("libnvToolsExt.so.1", nvtx_symbols);

/* -- ITT: tasks of a thread are nested --------------------------------------------------------------------- */

typedef struct {
    unsigned long long d1, d2, d3;
} itt_id;
static void *(*itt_domain)(const char *name);
static void *(*itt_string)(const char *name);
static void (*itt_begin)(const void *domain, itt_id task, itt_id parent, void *name);
static void (*itt_end)(const void *domain);
static const orr__symbol itt_symbols[] = { { "__itt_domain_create", &itt_domain },
                                           { "__itt_string_handle_create", &itt_string },
                                           { "__itt_task_begin", &itt_begin },
                                           { "__itt_task_end", &itt_end } };
static orr__library itt = ORR__LIBRARY("libittnotify.so", itt_symbols);
static void *domain;

void orr__ranges_start(void)
{
    static const char *const name[] = { "off", "nvtx", "itt" };
    const char *why = NULL;
    if (orr__env.ranges == ORR__RANGES_OFF)
        return;
    if (orr__env.ranges == ORR__RANGES_ITT) {
        const char *collector = getenv("INTEL_LIBITTNOTIFY64"); /* set by the profiler */
        if (collector && *collector && !itt.state.tried)
            itt.file = collector;
        why = orr__library_open(&itt);
        domain = why ? NULL : itt_domain("orrery");
        why = why || domain ? why : "it has no domain for us";
    } else {
        why = orr__library_open(&nvtx);
    }
    if (why)
        orr__log(1, "ORRERY_RANGES=%s: no ranges, since the library cannot be used: %s", name[orr__env.ranges], why);
    atomic_store(&orr__ranges_on, !why);
}

void orr__ranges_stop(void)
{
    atomic_store(&orr__ranges_on, false);
}

void orr__range_push(const orr__region *r)
{
    char name[256], file[160];
    (void)snprintf(name, sizeof name, "%s %s:%d", r->label, orr__text_line(file, sizeof file, r->file ? r->file : "?"),
                   r->line);
    if (orr__env.ranges == ORR__RANGES_NVTX)
        (void)nvtx_push(name);
    else
        itt_begin(domain, (itt_id){ 0, 0, 0 }, (itt_id){ 0, 0, 0 }, itt_string(name));
}

void orr__range_pop(void)
{
    if (orr__env.ranges == ORR__RANGES_NVTX)
        (void)nvtx_pop();
    else
        itt_end(domain);
}
