/* Lines of the log, if ORRERY_LOG admits their level: to stderr, or to the program's function.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"

#include <stdarg.h>
#include <stdio.h>
#include "runtime/base/listener.h"
#include "runtime/base/signals.h"

void orr_log_to(orr_log_fn fn, void *user)
{
    orr__listener_set(ORR__HEARS_LOG, (orr__heard *)fn, user);
}

/* False: there is no function, or it logs itself. */
static bool told(int level, const char *text)
{
    orr__listener l;
    if (!orr__listener_begin(ORR__HEARS_LOG, &l))
        return false;
    ((orr_log_fn)l.fn)((orr_log_level)level, text, l.user);
    orr__listener_end(ORR__HEARS_LOG, &l);
    return true;
}

void orr__log(int level, const char *fmt, ...)
{
    static const char *const names[] = { "error", "warning", "info", "debug" };
    if (level > orr__env.log || level < 0 || level > 3)
        return;
    ORR__GUARD_WRITES;
    char line[1024]; /* one write per line, so that lines of several threads do not mix */
    int n = snprintf(line, sizeof line, "orrery: %s: ", names[level]);
    va_list ap;
    va_start(ap, fmt);
    orr__decimal_vprint(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    if (!told(level, line + n))
        fprintf(stderr, "%s\n", line);
}
