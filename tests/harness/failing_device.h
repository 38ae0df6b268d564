/* The OpenCL backend with a device that fails as a test asks.
 * Must not know: what is computed, what the engine does about it. */
#ifndef ORR_TESTS_FAILING_DEVICE_H
#define ORR_TESTS_FAILING_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    atomic_int launches; /* that were asked for */
    atomic_int failures; /* calls that failed   */
    atomic_bool dead;    /* all calls fail, and what its memory had is void when it is back */
    atomic_bool kernels; /* launches alone fail */
    atomic_int life;     /* launches until it is dead; < 0: for ever */
    atomic_int slow;     /* µs that a copy from it takes longer */
} failing_device;

extern failing_device orr_test_device;

/* Before the engine starts: launches go through the device above, which works. */
void orr_test_device_use(void);

#endif
