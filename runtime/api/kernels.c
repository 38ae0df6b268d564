/* The kernel cache on disk, for people: list, clear.
 * Must not know: the format of its files. */
#include "config.h"
#include <stdio.h>
#include <orrery/info.h>
#include "codelets/jit/jit.h"
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"

typedef struct list {
    orr_cache_entry *entry;
    int n, max;
} list;

static void add(const orr__cache_info *e, void *arg)
{
    list *l = arg;
    if (l->n < l->max) {
        orr_cache_entry *to = &l->entry[l->n];
        *to = (orr_cache_entry){ .bytes = e->bytes, .seconds = e->seconds, .used = e->used, .site = e->site };
        (void)snprintf(to->key, sizeof to->key, "%s", e->key);
        (void)snprintf(to->label, sizeof to->label, "%s", e->label);
        (void)snprintf(to->compiler, sizeof to->compiler, "%s", e->compiler);
        (void)snprintf(to->facts, sizeof to->facts, "%s", e->facts);
    }
    l->n++;
}

static orr_status settings(void)
{
    return orr__engine_running() ? ORR_OK : orr__env_load();
}

orr_status orr_cache_list(orr_cache_entry *entries, int max, int *count)
{
    list l = { entries, 0, entries ? max : 0 };
    if (!count)
        return orr__fail(ORR__SITE(NULL, 0, "cache_list"), ORR_EINVAL, "count is NULL");
    orr_status st = settings();
    if (st == ORR_OK) {
        orr__jit_written();
        st = orr__cache_each(add, &l);
    }
    *count = l.n;
    return st;
}

orr_status orr_cache_clear(int *removed)
{
    orr_status st = settings();
    orr__jit_written();
    int n = st == ORR_OK ? orr__cache_clear() : 0;
    if (removed)
        *removed = n > 0 ? n : 0;
    return st != ORR_OK ? st : n < 0 ? ORR_EIO : ORR_OK;
}
