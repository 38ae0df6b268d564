/* Log lines of the JIT: one per cause.
 * Must not know: the causes. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"

#include <stdarg.h>
#include <stdio.h>

static atomic_uint said;

void orr__say(orr__cause c, const char *fmt, ...)
{
    char text[700];
    if (atomic_fetch_or(&said, 1u << c) >> c & 1u)
        return;
    va_list ap;
    va_start(ap, fmt);
    (void)orr__decimal_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    orr__log(1, "%s", text);
}

void orr__say_again(void)
{
    atomic_store(&said, 0);
}
