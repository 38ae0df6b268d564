/* For tests of the CUDA backend: the machine's own device, or the double of CUDA's libraries (tests/double/).
 * Must not know: what is launched. */
#ifndef ORR_TESTS_CUDA_HELP_H
#define ORR_TESTS_CUDA_HELP_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/env.h"
#include "tests/double/double.h"
#include "tests/harness/harness.h"

typedef struct {
    bool ok, real;
    char why[400];
    void *stream;
    cuda_double_state *state; /* of the double */
} cuda_of_test;
extern cuda_of_test cu;

/* The double's file; "" if it was not built. */
const char *cuda_double_path(void);

bool cuda_use_double(void);

/* True if there is g++, by which the double compiles kernels. */
bool cuda_has_gxx(void);

void cuda_enter_double(void);

void cuda_start(void);

/* Device memory with the content of p. Never NULL: a failure aborts the program. */
void *cuda_buffer(const void *p, size_t bytes);

bool cuda_fetch(void *to, const void *from, size_t bytes);

void cuda_drop(void *p);

#endif
