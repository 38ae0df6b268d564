/* Numbers with a decimal point, in every locale of the program.
 * Must not know: whose numbers they are. */
#ifndef ORR_BASE_DECIMAL_H
#define ORR_BASE_DECIMAL_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* Sets the calling thread's locale to "C" and returns the former one, which orr__point_end restores. */
locale_t orr__point_begin(void);
void orr__point_end(locale_t before);

/* The same until the end of the enclosing block, on every exit. */
static inline void orr__point_leave(const locale_t *before)
{
    orr__point_end(*before);
}
#define ORR__WITH_POINT                                                                                                \
    const locale_t orr__point_was __attribute__((cleanup(orr__point_leave), unused)) = orr__point_begin()

/* strtod and vsnprintf with a decimal point, rounded to nearest. All numbers that the library reads, and all text that it writes into
 * buffers, pass through them; text that goes to a stream is written with ORR__WITH_POINT. */
double orr__decimal(const char *text, char **end);
int orr__decimal_vprint(char *to, size_t size, const char *fmt, va_list ap);

#endif
