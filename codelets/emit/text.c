/* A growing text: append, then check once at the end whether memory sufficed.
 * Must not know: the content. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/text.h"

static bool reserve(orr__text *t, size_t more)
{
    if (t->failed)
        return false;
    if (t->len + more + 1 <= t->cap)
        return true;
    size_t cap = t->cap ? t->cap : 4096;
    while (cap < t->len + more + 1)
        cap *= 2;
    char *s = realloc(t->s, cap);
    if (!s) {
        t->failed = true;
        return false;
    }
    t->s = s;
    t->cap = cap;
    return true;
}

void orr__text_add(orr__text *t, const char *s)
{
    size_t n = strlen(s);
    if (!reserve(t, n))
        return;
    memcpy(t->s + t->len, s, n + 1);
    t->len += n;
}

void orr__text_addf(orr__text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        t->failed = true;
    else if (reserve(t, (size_t)n)) {
        (void)vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}
