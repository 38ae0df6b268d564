/* The call whose error is the thread's last one.
 * Must not know: tensors, graphs, devices. */
#ifndef ORR_BASE_ERROR_SITE_H
#define ORR_BASE_ERROR_SITE_H

#include "runtime/base/status.h"

/* Its file and line, as a call of `op`; NULL and 0 if the error was passed on as a line. */
orr__site orr__error_site(const char *op) ORR__COLD;

#endif
