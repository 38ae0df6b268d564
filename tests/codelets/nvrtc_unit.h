/* Kernels in CUDA C, many in one compilation by NVRTC: what does not compile is a failed check of the running test.
 * Must not know: what the kernels compute. */
#ifndef ORR_TESTS_NVRTC_UNIT_H
#define ORR_TESTS_NVRTC_UNIT_H

#include <stdbool.h>
#include "runtime/fuse/region.h"

typedef struct {
    int compilations, kernels;
} nvrtc_unit_counts;
extern nvrtc_unit_counts nvrtc_unit_made; /* since the program began */

/* Can this NVRTC compile for it? */
bool nvrtc_unit_knows(int arch);
/* Texts added from here on are for that architecture; machine: down to machine code; wide: with 64-bit indices. */
void nvrtc_unit_for(int arch, bool machine, bool wide);
/* One more kernel; `what` is where the compiler says its errors are. */
void nvrtc_unit_add(const orr__region *r, const char *what);
/* Number of added texts that are not compiled yet. */
void nvrtc_unit_compile(void);

#endif
