/* The table of StarPU's environment variables, of versions 1.3 and 1.4: name, kind, range, meaning. StarPU ends the process at a value
 * that it cannot read, so each is checked before StarPU starts.
 * Must not know: StarPU's functions. */
#ifndef ORR_BASE_STARPU_VARIABLES_H
#define ORR_BASE_STARPU_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

typedef struct {
    const char *name;    /* # stands for the number of a device or a step */
    const char *meaning; /* NULL: in StarPU's manual alone */
} orr__starpu_row;

/* The ranges that only the machine and StarPU's build tell. */
typedef struct {
    int processors, cores; /* those that StarPU counts */
    int workers;           /* the most that StarPU was built for */
} orr__starpu_machine;

/* Checks all variables that are set, and unsets empty ones: a batch script leaves them so, and StarPU reads them as 0. A wrong value gives
 * ORR_EENV and a message with the right ones. A name that differs by a typing mistake from one of the table is reported in the log. */
orr_status orr__starpu_variables_check(orr__site at, const orr__starpu_machine *machine);
/* Row i of the table, with the values that it takes written to buf if it is not NULL; NULL at the end. */
const orr__starpu_row *orr__starpu_variable(size_t i, char *buf, size_t size);
/* True for a name of the table. */
bool orr__starpu_variable_known(const char *name);

#endif
