/* For tests of user-defined operations: engines by name, values read as doubles.
 * Must not know: what is defined. */
#ifndef ORR_TESTS_DEFINE_HELP_H
#define ORR_TESTS_DEFINE_HELP_H

#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/jit/jit.h"
#include "runtime/base/dtype.h"
#include "runtime/engine/engine.h"
#include "tests/harness/harness.h"

typedef struct {
    const char *name, *value;
} dh_setting;

#define DH_SERIAL                                                                                                      \
    { "ORRERY_ENGINE", "serial" },                                                                                     \
    {                                                                                                                  \
        "ORRERY_BACKEND", "cpu"                                                                                        \
    }

#define DH_STARPU                                                                                                      \
    { "ORRERY_ENGINE", "starpu" }, { "ORRERY_BACKEND", "cpu" }, { "ORRERY_INLINE_US", "0" }, { "STARPU_NCPU", "2" },   \
    {                                                                                                                  \
        "STARPU_NCUDA", "0"                                                                                            \
    }

#define DH_OPENCL                                                                                                      \
    { "ORRERY_ENGINE", "starpu" }, { "ORRERY_BACKEND", "opencl" }, { "ORRERY_INLINE_US", "0" },                        \
        { "STARPU_NCPU", "0" },                                                                                        \
    {                                                                                                                  \
        "STARPU_NCUDA", "0"                                                                                            \
    }

#define DH_CUDA                                                                                                        \
    { "ORRERY_ENGINE", "starpu" }, { "ORRERY_BACKEND", "cuda" }, { "ORRERY_INLINE_US", "0" },                          \
        { "STARPU_NCPU", "0" },                                                                                        \
    {                                                                                                                  \
        "STARPU_NCUDA", "1"                                                                                            \
    }

/* The device of a program of tests: CUDA if it was started with ORRERY_BACKEND=cuda, else OpenCL. */
bool dh_is_cuda(void);
#define DH_START_DEVICE() (dh_is_cuda() ? DH_START(DH_CUDA) : DH_START(DH_OPENCL))
#define DH_DEVICE_WORKED() dh_worked(dh_is_cuda() ? "CUDA" : "OpenCL")

/* Starts the library under these settings. False: skipped (no such engine or device) or failed; nothing runs then. */
bool dh_start(const dh_setting *s);

#define DH_START(...) dh_start((const dh_setting[]){ __VA_ARGS__, { NULL, NULL } })

/* True if workers with `word` in their name have computed something. */
bool dh_worked(const char *word);

/* Reads the elements of a float or bool tensor. False: a failed check. */
bool dh_read(orr_tensor *t, double *v, int64_t n);

orr_tensor *dh_leaf(orr_dtype d, const double *v, int64_t n);

/* Checks that op is NULL and that the error contains these words. */
void dh_refused(const orr_op *op, const char *words);

#endif
