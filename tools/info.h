/* The functions of orrery-info that have a file of their own. Each returns the exit status.
 * Must not know: anything but the public headers. */
#ifndef ORR_TOOLS_INFO_H
#define ORR_TOOLS_INFO_H

#include <stdbool.h>

int info_devices(bool json);
int info_startup(void);

/* called while the library runs */
int info_machine(void);
int info_measure(void);
/* called without the library */
int info_models(void);
int info_clear_models(void);

#endif
