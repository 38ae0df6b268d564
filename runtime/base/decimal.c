/* Numbers with a decimal point, in every locale of the program.
 * Must not know: whose numbers they are. */
#include "config.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain; /* 0: not available, and nothing is changed */

static void make(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t orr__point_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make);
    return plain ? uselocale(plain) : (locale_t)0;
}

void orr__point_end(locale_t before)
{
    if (before)
        (void)uselocale(before);
}

double orr__decimal(const char *text, char **end)
{
    ORR__IN_DEFAULT_FPMODE;
    locale_t before = orr__point_begin();
    double v = strtod(text, end);
    orr__point_end(before);
    return v;
}

int orr__decimal_vprint(char *to, size_t size, const char *fmt, va_list ap)
{
    ORR__IN_DEFAULT_FPMODE;
    locale_t before = orr__point_begin();
    int n = vsnprintf(to, size, fmt, ap);
    orr__point_end(before);
    return n;
}
