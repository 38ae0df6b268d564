/* Numbers with a decimal point, in every locale of the program.
 * Must not know: whose numbers they are. */
#ifndef ORR_BASE_POINT_H
#define ORR_BASE_POINT_H

#include <locale.h>

/* Sets the calling thread's locale to "C" and returns the former one, which orr__point_end restores. */
locale_t orr__point_begin(void);
void orr__point_end(locale_t before);

#endif
