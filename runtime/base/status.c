/* The thread's last error: formatted when it occurs, kept until the next one or the thread's end.
 * Must not know: tensors, graphs, devices. */
#include "config.h"
#include "runtime/base/decimal.h"
#include "runtime/base/error_site.h"
#include "runtime/base/status.h"
#include "runtime/base/signals.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };
/* The text is allocated at the thread's first error: a program that opens the library at run time (dlopen) has some hundred bytes for
 * thread-local data. */
static _Thread_local struct {
    orr_status status;
    int line; /* of the call that failed; 0: unknown */
    const char *file;
    char *text; /* TEXT bytes; NULL: no error so far, or no memory: the name of the status is used instead */
} last;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void thread_exit(void *p)
{
    free(p);
    last.text = NULL;
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, thread_exit) == 0;
}

static bool text_begin(void)
{
    if (last.text)
        return true;
    pthread_once(&once, make_key);
    last.text = calloc(1, TEXT);
    /* Without a key the text of a thread that ends leaks; nothing worse. */
    if (last.text && have_key)
        (void)pthread_setspecific(key, last.text);
    return last.text;
}

const char *orr_status_name(orr_status s)
{
    static const char *const names[] = {
        "ORR_OK",      "ORR_EINVAL", "ORR_ESHAPE",   "ORR_EDTYPE", "ORR_EAXIS",      "ORR_EINDEX",
        "ORR_ENOMEM",  "ORR_EIO",    "ORR_EFORMAT",  "ORR_ESTATE", "ORR_EHANDLE",    "ORR_EGRAPH",
        "ORR_EDEVICE", "ORR_EENV",   "ORR_ENUMERIC", "ORR_ERANK",  "ORR_ECANCELLED", "ORR_EINTERNAL",
    };
    size_t i = (size_t)s;
    return i < sizeof names / sizeof *names ? names[i] : "unknown status";
}

const char *orr_error_message(void)
{
    return last.text ? last.text : last.status ? orr_status_name(last.status) : "";
}

orr_status orr_error_status(void)
{
    return last.status;
}

void orr_error_clear(void)
{
    last.status = ORR_OK;
    if (last.text)
        last.text[0] = '\0';
}

int orr_error_print(FILE *to)
{
    ORR__GUARD_WRITES;
    if (to)
        fprintf(to, "%s\n", *orr_error_message() ? orr_error_message() : orr_status_name(last.status));
    return 1;
}

/* Arguments may point into the last message, so the new one is formatted beside it. */
orr_status orr__fail(orr__site at, orr_status st, const char *fmt, ...)
{
    char text[TEXT];
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
    orr__decimal_vprint(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    (void)orr__fail_text(st, text);
    last.file = at.file;
    last.line = at.line;
    return st;
}

orr_status orr__fail_text(orr_status st, const char *line)
{
    last.status = st;
    last.file = NULL;
    last.line = 0;
    if (!text_begin())
        return st;
    size_t n = strnlen(line, TEXT - 1);
    memmove(last.text, line, n);
    last.text[n] = '\0';
    return st;
}

orr__site orr__error_site(const char *op)
{
    return ORR__SITE(last.file, last.line, op);
}

const char *orr__fail_words(orr__site at, const char *line)
{
    char place[TEXT];
    int n = at.file ? snprintf(place, sizeof place, "%s:%d: ", at.file, at.line) : 0;
    return n > 0 && strncmp(line, place, (size_t)n) == 0 ? line + n : line;
}

orr_status orr__fail_as(orr__site at, orr_status st)
{
    if (!last.text || st == ORR_OK || st != last.status)
        return st;
    const char *words = orr__fail_words(at, last.text);
    size_t name = strspn(words, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if ((at.file && words == last.text) || strncmp(words + name, ": ", 2) != 0)
        return st;
    return orr__fail(at, st, "%s", words + name + 2);
}

orr_status orr__fail_place(orr__site at, orr_status st)
{
    const char *name = st == ORR_ENOMEM ? "memory: " : st == ORR_EENV || st == ORR_EIO ? "environment: " : NULL;
    if (!at.file || !name || !last.text || st != last.status || strncmp(last.text, name, strlen(name)) != 0)
        return st;
    return orr__fail(at, st, "%s", last.text + strlen(name));
}
