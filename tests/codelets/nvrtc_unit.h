/* Kernels in CUDA C, many in one compilation by NVRTC. A kernel that does not compile is a failed check of the
 * running test.
 * Must not know: what the kernels compute. */
#ifndef ORR_TESTS_NVRTC_UNIT_H
#define ORR_TESTS_NVRTC_UNIT_H

#include <stdbool.h>
#include "runtime/fuse/region.h"

typedef struct {
    int compilations, kernels;
} nvrtc_unit_counts;
extern nvrtc_unit_counts nvrtc_unit_made; /* since the program began */

/* True if this NVRTC can compile for the architecture. */
bool nvrtc_unit_knows(int arch);
/* Sets the architecture of the sources that are added from here on; machine: down to machine code; wide: with 64-bit
 * indices. */
void nvrtc_unit_for(int arch, bool machine, bool wide);
/* Adds a kernel; `what` names it in the compiler's errors. */
void nvrtc_unit_add(const orr__region *r, const char *what);
/* Are all sources compiled from here on, not a part of them that is drawn? */
void nvrtc_unit_all(bool on);
/* Compiles the added sources that are not compiled yet. */
void nvrtc_unit_compile(void);

/* The assembler's report on a kernel that was compiled to machine code. */
typedef struct {
    char what[80];
    int number;        /* in its compilation */
    int arch, threads; /* of a block         */
    bool wide;
    int registers, shared; /* bytes */
    int stack, spills;     /* bytes of local memory */
    int load, store;       /* bytes of the widest access to global memory */
    int matrix, ahead;     /* instructions of tensor cores; copies to shared memory that run ahead */
} nvrtc_kernel;
const nvrtc_kernel *nvrtc_unit_facts(int *n); /* of all, since the program began */

#endif
