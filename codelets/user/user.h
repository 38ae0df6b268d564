/* User-defined kernels: the arguments of a launch, and the device texts for the compilers.
 * Must not know: StarPU, plans, devices. */
#ifndef ORR_USER_USER_H
#define ORR_USER_USER_H

#include "codelets/codelet.h"
#include "ops/define.h"

/* The arguments of the user's functions in a launch. `in`, `param` and the rest live as long as this struct. The data
 * pointers of `args` are set for launches on the host only. */
typedef struct {
    orr_kernel_args args;
    orr_kernel_array in[ORR_MAX_KERNEL_INPUTS];
    double param[ORR_MAX_KERNEL_PARAMS];
    char message[320];
} orr__user_view;
void orr__user_see(const orr__launch *l, bool host, orr__user_view *v);

/* The text for OpenCL C, or CUDA C: our names, then the user's text. The kernel is named orr_kernel; its parameters are
 * the inputs, the output from row lo on, and an orr_args by value. The caller frees the text; NULL: last error set. */
char *orr__user_text(const orr__region *r, bool cuda, bool fp64);
/* Can the device text compute the region? */
bool orr__user_text_can(const orr__region *r, bool cuda, bool fp64);

/* The orr_args of a launch, and its number of work items (0: no work), in groups of `group` (0: any size). */
enum { ORR__USER_WORDS = 6 + 10 * (ORR_MAX_KERNEL_INPUTS + 1) };
int orr__user_words(const orr__launch *l, bool fp64, int64_t *word); /* returns the number of words */
int64_t orr__user_items(const orr__launch *l);
/* On a device: does each array begin at the address that the text assumes? */
bool orr__user_in_place(const orr__launch *l);

#endif
