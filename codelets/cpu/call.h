/* Helpers shared by kernels on whole arrays.
 * Must not know: StarPU, plans. */
#ifndef ORR_CPU_CALL_H
#define ORR_CPU_CALL_H

#include "codelets/codelet.h"

static inline orr__site orr__cpu_site(const orr__launch *l)
{
    const orr__region *r = l->region;
    return orr__region_site(r);
}
/* "the matrix", or "matrix (1, 2) of the batch": number q of the matrices in the first input. */
typedef struct {
    char s[128];
} orr__which;
orr__which orr__cpu_which(const orr__region *r, int64_t q);
/* Call around a call of BLAS. Returns 0 if there is no memory for it, else the argument of orr__cpu_blas_leave. kept:
 * BLAS has allocated its buffer and keeps it for the next call. */
int orr__cpu_blas_enter(void);
void orr__cpu_blas_leave(int n, bool kept);

#endif
