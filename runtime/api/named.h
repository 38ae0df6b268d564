/* Names of the tensors in a file that holds several: checked before they are written, listed for the caller.
 * Must not know: any format. */
#ifndef ORR_API_NAMED_H
#define ORR_API_NAMED_H

#include <orrery/tensor.h>
#include "runtime/base/status.h"

/* n names, none empty, too long or twice, beside n tensors. */
orr_status orr__names_check(orr__site at, const char *const *names, orr_tensor *const *t, int n);
/* A copy in one block, to be freed by orr_npz_names_free: the pointers, then the text. NULL: no memory. */
char **orr__names_copy(const char *const *names, int n);
/* Writes the names, as many as fit, one behind the other with commas; "none" where there are none. */
void orr__names_text(const char *const *names, int n, char *to, size_t size);

#endif
