/* Log lines to stderr, if ORRERY_LOG admits their level.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"

#include <stdarg.h>
#include <stdio.h>
#include "runtime/base/signals.h"

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
    fprintf(stderr, "%s\n", line);
}
