/* Explicit moves of values: prefetched, evicted, and unchanged; impossible moves are reported. The second memory is that of
 * OpenCL on the processor.
 * Must not know: StarPU. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { N = 100003 };

static int other; /* the id of the OpenCL device in use */

static orr_status up(const char *backend)
{
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    (void)setenv("STARPU_NCUDA", "0", 1);
    return orr_init(&(orr_config){ .engine = "starpu", .backend = backend });
}

/* Finds the device by trying: there may be others that StarPU does not use. */
static bool find_other(void)
{
    orr_device d[16];
    size_t total, left;
    int n = orr_devices(d, 16);
    for (other = 1; other < n && other < 16; other++)
        if (d[other].kind == ORR_DEVICE_OPENCL && orr_device_memory(other, &total, &left) == ORR_OK)
            return true;
    orr_error_clear();
    return false;
}

#define NEED_DEVICE()                                                                                                  \
    do {                                                                                                               \
        if (up("opencl") != ORR_OK)                                                                                    \
            ORR_SKIP("no OpenCL device: %s", orr_error_message());                                                     \
        ORR_CHECK(find_other());                                                                                       \
    } while (0)

static orr_tensor *numbers(void)
{
    float *v = malloc(N * sizeof *v);
    for (int i = 0; v && i < N; i++)
        v[i] = (float)(i % 1009) * 0.25f;
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(N), v);
    free(v);
    return t;
}

static bool unchanged(orr_tensor *t, float times)
{
    float *v = malloc(N * sizeof *v);
    bool same = v && orr_read(t, v, N * sizeof *v) == ORR_OK;
    for (int i = 0; same && i < N; i++)
        same = v[i] == (float)(i % 1009) * 0.25f * times;
    free(v);
    return same;
}

static bool on(orr_tensor *t, int device)
{
    bool answer = false;
    ORR_CHECK_MSG(orr_is_on(t, device, &answer) == ORR_OK, "%s", orr_error_message());
    return answer;
}

static void copy_to_returns_after_copy(void)
{
    NEED_DEVICE();
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = numbers();
    ORR_CHECK(on(t, 0) && !on(t, other));
    ORR_CHECK(orr_copy_to(t, other) == ORR_OK);
    ORR_CHECK(on(t, 0) && on(t, other) && unchanged(t, 1));
    ORR_CHECK(orr_evict(t) == ORR_OK);
    ORR_CHECK(on(t, 0) && !on(t, other) && unchanged(t, 1));
    ORR_CHECK(orr_evict(t) == ORR_OK); /* nothing to evict */
    ORR_CHECK(orr_copy_to(t, 0) == ORR_OK && unchanged(t, 1));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void prefetch_arrives_after_tensor_is_freed(void)
{
    NEED_DEVICE();
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = numbers();
    ORR_CHECK(orr_prefetch(t, other) == ORR_OK);
    for (int i = 0; i < 6000 && !on(t, other); i++)
        (void)usleep(10000);
    ORR_CHECK(on(t, other) && unchanged(t, 1));
    for (int i = 0; i < 200; i++) { /* freed during the copy */
        orr_scope *inner = orr_scope_begin();
        ORR_CHECK(orr_prefetch(numbers(), other) == ORR_OK);
        (void)orr_scope_end(inner);
    }
    ORR_CHECK(orr_prefetch(orr_mul(t, orr_scalar(2)), other) == ORR_OK); /* and in progress at the shutdown */
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void device_result_is_copied_home(void)
{
    NEED_DEVICE();
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = numbers();
    ORR_CHECK(orr_copy_to(t, other) == ORR_OK);
    orr_tensor *y = orr_mul(t, orr_scalar(4));
    ORR_CHECK(orr_copy_to(y, other) == ORR_OK && on(y, other));
    ORR_CHECK(orr_evict(y) == ORR_OK && on(y, 0) && !on(y, other) && unchanged(y, 4));
    orr_tensor *z = orr_mul(y, orr_scalar(0.5)); /* from a value in host memory */
    ORR_CHECK(unchanged(z, 2));
    (void)orr_scope_end(s);
    (void)unsetenv("ORRERY_INLINE_US");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void memory_is_counted(void)
{
    size_t total, left, after;
    (void)setenv("STARPU_LIMIT_OPENCL_MEM", "64", 1);
    NEED_DEVICE();
    (void)unsetenv("STARPU_LIMIT_OPENCL_MEM");
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = numbers();
    ORR_CHECK(orr_device_memory(other, &total, &left) == ORR_OK);
    ORR_CHECK_MSG(total == (size_t)64 << 20 && left <= total, "%zu of %zu", left, total);
    ORR_CHECK(orr_copy_to(t, other) == ORR_OK);
    ORR_CHECK(orr_device_memory(other, &total, &after) == ORR_OK);
    ORR_CHECK_MSG(left - after >= N * sizeof(float), "%zu, then %zu", left, after);
    orr_tensor *large = orr_eval(orr_ones(ORR_F32, ORR_SHAPE(32 << 20))) == ORR_OK
                            ? orr_add(orr_ones(ORR_F32, ORR_SHAPE(32 << 20)), orr_scalar(1))
                            : NULL;
    ORR_CHECK(large && orr_copy_to(large, other) == ORR_ENOMEM && strstr(orr_error_message(), "134217728 bytes"));
    ORR_CHECK(orr_device_memory(0, &total, &left) == ORR_OK && left > 0 && left < total);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void unsupported_device_request_is_reported(void)
{
    size_t total = 1, left = 1;
    bool answer;
    ORR_CHECK(orr_device_memory(0, &total, &left) == ORR_ESTATE);
    ORR_REQUIRE(orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = numbers(), *bad = orr_add(t, orr_ones(ORR_F32, ORR_SHAPE(3)));
    ORR_CHECK(orr_copy_to(t, 0) == ORR_OK && orr_evict(t) == ORR_OK && orr_prefetch(t, 0) == ORR_OK && on(t, 0));
    ORR_CHECK(orr_copy_to(t, -1) == ORR_EINVAL && orr_prefetch(t, 999) == ORR_EINVAL);
    ORR_CHECK(strstr(orr_error_message(), "tests/api/device_memory.c") && strstr(orr_error_message(), "no device 999"));
    ORR_CHECK(orr_is_on(t, 0, NULL) == ORR_EINVAL && orr_is_on(t, 999, &answer) == ORR_EINVAL && !answer);
    ORR_CHECK(orr_device_memory(0, NULL, &left) == ORR_EINVAL && orr_device_memory(999, &total, &left) == ORR_EINVAL);
    ORR_CHECK(orr_copy_to(bad, 0) == ORR_ESHAPE && orr_evict(bad) == ORR_ESHAPE); /* poison propagates */
    ORR_CHECK(orr_evict(NULL) != ORR_OK);
    if (orr_devices(NULL, 0) > 1)
        ORR_CHECK(orr_copy_to(t, 1) == ORR_EDEVICE && orr_device_memory(1, &total, &left) == ORR_EDEVICE);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(copy_to_returns_after_copy),
                                      ORR_TEST(prefetch_arrives_after_tensor_is_freed),
                                      ORR_TEST(device_result_is_copied_home),
                                      ORR_TEST(memory_is_counted),
                                      ORR_TEST(unsupported_device_request_is_reported),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.device_memory", tests);
}
