/* The libraries of ranges, opened at run time. ITT is that of a collector, whose functions have the names of Intel's ittnotify.h. PAPI is its
 * high-level interface (papi.h of version 6 on), which counts PAPI_EVENTS by region and thread, and writes a report when the process ends.
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

/* -- PAPI: regions of a thread are nested ------------------------------------------------------------------ */

static int (*papi_begin)(const char *region);
static int (*papi_end)(const char *region);
static const orr__symbol papi_symbols[] = { { "PAPI_hl_region_begin", &papi_begin },
                                            { "PAPI_hl_region_end", &papi_end } };
/* The name without a version belongs to PAPI's development files. */
static orr__library papi[] = { ORR__LIBRARY("libpapi.so", papi_symbols), ORR__LIBRARY("libpapi.so.7.2", papi_symbols),
                               ORR__LIBRARY("libpapi.so.7.1", papi_symbols),
                               ORR__LIBRARY("libpapi.so.7.0", papi_symbols),
                               ORR__LIBRARY("libpapi.so.6.0", papi_symbols) };

static const char *open_papi(void)
{
    const char *why = "there is none";
    for (size_t i = 0; i < sizeof papi / sizeof *papi && why; i++)
        why = orr__library_open(&papi[i]);
    return why;
}

/* Counters that the system refuses are one line of the log, and no more ranges. */
static void papi_said(int code)
{
    if (code != 0 && atomic_exchange(&orr__ranges_on, false))
        orr__log(1,
                 "ORRERY_RANGES=papi: no more ranges, since PAPI refuses one with the error %d (papi_avail and "
                 "PAPI_EVENTS say which events there are)",
                 code);
}

void orr__ranges_start(void)
{
    static const char *const name[] = { "off", "nvtx", "itt", "papi" };
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
        why = orr__env.ranges == ORR__RANGES_PAPI ? open_papi() : orr__library_open(&nvtx);
    }
    if (why)
        orr__log(1, "ORRERY_RANGES=%s: no ranges, since the library cannot be used: %s", name[orr__env.ranges], why);
    atomic_store(&orr__ranges_on, !why);
}

void orr__ranges_stop(void)
{
    atomic_store(&orr__ranges_on, false);
}

enum { NAME = 256 };
static const char *name_of(const orr__region *r, char name[NAME])
{
    char file[160];
    (void)snprintf(name, NAME, "%s %s:%d", r->label, orr__text_line(file, sizeof file, r->file ? r->file : "?"),
                   r->line);
    return name;
}

void orr__range_push(const orr__region *r)
{
    char name[NAME];
    (void)name_of(r, name);
    if (orr__env.ranges == ORR__RANGES_NVTX)
        (void)nvtx_push(name);
    else if (orr__env.ranges == ORR__RANGES_PAPI)
        papi_said(papi_begin(name));
    else
        itt_begin(domain, (itt_id){ 0, 0, 0 }, (itt_id){ 0, 0, 0 }, itt_string(name));
}

void orr__range_pop(const orr__region *r)
{
    char name[NAME];
    if (orr__env.ranges == ORR__RANGES_NVTX)
        (void)nvtx_pop();
    else if (orr__env.ranges == ORR__RANGES_PAPI)
        papi_said(papi_end(name_of(r, name)));
    else
        itt_end(domain);
}
