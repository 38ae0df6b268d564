/* Names of the tensors in a file that holds several: checked before they are written, listed for the caller.
 * Must not know: any format. */
#ifndef ORR_API_NAMED_H
#define ORR_API_NAMED_H

#include <orrery/tensor.h>
#include "runtime/base/status.h"

/* Checks names beside n tensors: as many, and none may be empty, too long or repeated. */
orr_status orr__names_check(orr__site at, const char *const *names, int n_names, orr_tensor *const *t, int n);
/* A copy in one block: the pointers, then the text; orr_npz_names_free frees it. NULL: no memory. */
char **orr__names_copy(const char *const *names, int n);
/* Writes as many names as fit, separated by commas; "none" if there are none. */
void orr__names_text(const char *const *names, int n, char *to, size_t size);

#endif
