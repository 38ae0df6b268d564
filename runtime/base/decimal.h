/* Numbers with a decimal point, whatever locale the program has chosen.
 * Must not know: whose numbers they are. */
#ifndef ORR_BASE_POINT_H
#define ORR_BASE_POINT_H

#include <locale.h>

/* Sets the calling thread's locale to "C" until orr__point_end restores the result, the former locale. */
locale_t orr__point_begin(void);
void orr__point_end(locale_t before);

#endif
