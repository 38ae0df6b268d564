/* For tests of StarPU's CUDA workers: on a GPU, or, where there is none, on the double of CUDA's libraries, which must
 * be loaded before StarPU's own library.
 * Must not know: what is computed. */
#ifndef ORR_TESTS_CUDA_ENGINE_H
#define ORR_TESTS_CUDA_ENGINE_H

#include <unistd.h>
#include <orrery.h>
#include "tests/harness/cuda_help.h"

/* True if the test can run: there is a device, and with `injection` one that fails on request. */
bool cuda_engine_need(bool injection);

#define NEED(injection)                                                                                                \
    do {                                                                                                               \
        if (!cuda_engine_need(injection))                                                                              \
            ORR_SKIP("%s", cu.ok ? "a GPU does not fail on request" : cu.why);                                         \
    } while (0)

orr_status cuda_engine_up(const char *ncpu);

uint64_t cuda_tasks(void);

void cuda_engine_start(char **argv);

#endif
