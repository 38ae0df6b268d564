/* A growing text: append, then check once at the end whether memory and the steps of work that a text may take sufficed.
 * Must not know: the content. */
#include "config.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/text.h"
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"

size_t orr__text_steps = ORR__TEXT_STEPS;

bool orr__text_work(orr__text *t, size_t steps)
{
    t->steps += steps;
    t->endless = t->endless || t->steps > orr__text_steps;
    t->failed = t->failed || t->endless;
    return !t->failed;
}

static bool reserve(orr__text *t, size_t more)
{
    if (!orr__text_work(t, 1 + more / ORR__TEXT_BYTES))
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

static void addf(orr__text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = orr__decimal_vprint(NULL, 0, fmt, ap);
    if (n < 0)
        t->failed = true;
    else if (reserve(t, (size_t)n)) {
        (void)orr__decimal_vprint(t->s + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void orr__text_addf(orr__text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    addf(t, fmt, ap);
    va_end(ap);
}

void orr__text_define(orr__text *t, orr__text *undo, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr__text_addf(t, "#define %s ", name);
    addf(t, fmt, ap);
    orr__text_add(t, "\n");
    orr__text_addf(undo, "#undef %.*s\n", (int)strcspn(name, "("), name);
    va_end(ap);
}

void orr__text_undefine(orr__text *t, orr__text *undo)
{
    if (undo->s)
        orr__text_add(t, undo->s);
    t->failed = t->failed || undo->failed;
    free(undo->s);
    *undo = (orr__text){ 0 };
}

/* True for a region whose line was among the last ones: plans that are made anew emit the text again. */
static bool is_said(const char *file, int line, const char *name)
{
    enum { KEPT = 64 };
    static atomic_uint_least64_t said[KEPT];
    static atomic_uint next;
    uint64_t place[2] = { (uint64_t)(uintptr_t)file, (uint64_t)line }, h = orr__hash(name, strlen(name), 0);
    h = orr__hash(place, sizeof place, h);
    for (int i = 0; i < KEPT; i++)
        if (atomic_load_explicit(&said[i], memory_order_relaxed) == h)
            return true;
    atomic_store_explicit(&said[atomic_fetch_add(&next, 1) % KEPT], h, memory_order_relaxed);
    return false;
}

char *orr__text_end(orr__text *t, const char *file, int line, const char *name)
{
    if (!t->failed)
        return t->s;
    free(t->s);
    if (t->endless && !is_said(file, line, name))
        orr__log(1, "%s: no kernel is written, since its text takes more than %zu steps", name, orr__text_steps);
    else if (!t->endless)
        (void)orr__fail(ORR__SITE(file, line, name), ORR_ENOMEM, "no memory for a kernel's text");
    return NULL;
}
