/* Kernels that users define: the arguments of a launch, and their device texts as the compilers see them.
 * Must not know: StarPU, plans, devices. */
#ifndef ORR_USER_USER_H
#define ORR_USER_USER_H

#include "codelets/codelet.h"
#include "ops/define.h"

/* The arguments of the user's functions in a launch. `in`, `param` and the rest live as long as this. The pointers of `args` to
 * data are set for launches on the host only. */
typedef struct {
    orr_kernel_args args;
    orr_kernel_array in[ORR_MAX_KERNEL_INPUTS];
    double param[ORR_MAX_KERNEL_PARAMS];
    char message[320];
} orr__user_view;
void orr__user_see(const orr__launch *l, bool host, orr__user_view *v);

/* The text for OpenCL C, or CUDA C: our names, then the user's. The kernel is called orr_kernel; its parameters are the
 * inputs, the output from row lo on, and an orr_args by value. The caller frees it; NULL: last error set. */
char *orr__user_text(const orr__region *r, bool cuda, bool fp64);
/* Can this text compute it? */
bool orr__user_text_can(const orr__region *r, bool cuda, bool fp64);

/* The orr_args of a launch, and how many work items it has (none: nothing is to be done), in groups of `group` (0: any). */
enum { ORR__USER_WORDS = 6 + 10 * (ORR_MAX_KERNEL_INPUTS + 1) };
int orr__user_words(const orr__launch *l, bool fp64, int64_t *word); /* returns how many */
int64_t orr__user_items(const orr__launch *l);
/* On a device: does each array begin where the text takes it to begin? */
bool orr__user_in_place(const orr__launch *l);

#endif
