/* The OpenCL backend with a device that fails on request.
 * Must not know: what is computed, how the engine reacts. */
#ifndef ORR_TESTS_FAILING_DEVICE_H
#define ORR_TESTS_FAILING_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    atomic_int launches; /* requested launches */
    atomic_int failures; /* failed calls */
    atomic_bool dead;    /* all calls fail; the content of its memory is void afterwards */
    atomic_bool kernels; /* only launches fail */
    atomic_int life;     /* launches before it is dead; < 0: unlimited */
    atomic_int slow;     /* additional µs of a copy from it */
} failing_device;

extern failing_device orr_test_device;

/* Called before the engine starts: launches then go through the device above, which works at first. */
void orr_test_device_use(void);

#endif
