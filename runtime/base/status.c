/* The thread's last error: formatted when it happens, kept until the next one.
 * Must not know: tensors, graphs, devices. */
#include "config.h"
#include "runtime/base/status.h"

#include <stdarg.h>
#include <string.h>

static _Thread_local struct {
    orr_status status;
    char text[1024];
} last;

const char *orr_status_name(orr_status s)
{
    static const char *const names[] = {
        "ORR_OK",      "ORR_EINVAL", "ORR_ESHAPE",  "ORR_EDTYPE",  "ORR_EAXIS",
        "ORR_EINDEX",  "ORR_ENOMEM", "ORR_EIO",     "ORR_EFORMAT", "ORR_ESTATE",
        "ORR_EHANDLE", "ORR_EGRAPH", "ORR_EDEVICE", "ORR_EENV",    "ORR_ENUMERIC",
        "ORR_EINTERNAL",
    };
    size_t i = (size_t)s;
    return i < sizeof names / sizeof *names ? names[i] : "unknown status";
}

const char *orr_error_message(void)
{
    return last.text;
}

orr_status orr_error_status(void)
{
    return last.status;
}

void orr_error_clear(void)
{
    last.status = ORR_OK;
    last.text[0] = '\0';
}

int orr_error_print(FILE *to)
{
    if (to)
        fprintf(to, "%s\n", last.text[0] ? last.text : orr_status_name(last.status));
    return 1;
}

/* Arguments may point into the last message, so the new one is made beside it. */
orr_status orr__fail(orr__site at, orr_status st, const char *fmt, ...)
{
    char text[sizeof last.text];
    int n = 0;
    if (at.file)
        n = snprintf(text, sizeof text, "%s:%d: ", at.file, at.line);
    if (n < 0 || (size_t)n >= sizeof text)
        n = 0;
    if (at.op) {
        int m = snprintf(text + n, sizeof text - (size_t)n, "%s: ", at.op);
        if (m > 0 && (size_t)(n + m) < sizeof text)
            n += m;
    }
    text[n] = '\0';
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    return orr__fail_text(st, text);
}

orr_status orr__fail_text(orr_status st, const char *line)
{
    size_t n = strnlen(line, sizeof last.text - 1);
    memmove(last.text, line, n);
    last.text[n] = '\0';
    last.status = st;
    return st;
}

orr_status orr__fail_place(orr__site at, orr_status st)
{
    const char *name = st == ORR_ENOMEM ? "memory: " : st == ORR_EENV ? "environment: " : NULL;
    if (!at.file || !name || st != last.status || strncmp(last.text, name, strlen(name)) != 0)
        return st;
    return orr__fail(at, st, "%s", last.text + strlen(name));
}
