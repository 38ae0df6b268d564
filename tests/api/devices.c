/* The registry of devices: JSON, the file, its reader, notifications of changes.
 * Must not know: how a device is found. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <orrery.h>
#include "codelets/devices.h"
#include "tests/harness/harness.h"
#include "tests/harness/json.h"

enum { MOST = 64 };

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-8 * fabs(a);
}

static bool identical(const orr_device *a, const orr_device *b)
{
    bool same = a->id == b->id && a->kind == b->kind && a->index == b->index && !strcmp(a->name, b->name) &&
                !strcmp(a->address, b->address) && !strcmp(a->capability, b->capability);
    /* Readings that change between two calls may differ, but both calls know them or neither does. */
    for (int m = 0; m < ORR_MEASURE_COUNT; m++) {
        const orr_reading *x = &a->reading[m], *y = &b->reading[m];
        bool fixed = m == ORR_MEASURE_MEMORY_TOTAL || m == ORR_MEASURE_COMPUTE_UNITS;
        if (m == ORR_MEASURE_UTILISATION || m == ORR_MEASURE_POWER)
            continue;
        same = same && x->status == y->status && (!fixed || same_number(x->value, y->value));
    }
    return same;
}

static void device_file_is_private_and_reads_back(void)
{
    static orr_device d[MOST], back[MOST];
    struct stat sb;
    int n = orr_devices(d, MOST), count = 0;
    const char *path = orr_test_tmp("devices.json");
    ORR_REQUIRE(n >= 1 && n <= MOST);
    ORR_REQUIRE(orr_devices_save(path) == ORR_OK);
    ORR_CHECK(stat(path, &sb) == 0 && (sb.st_mode & 0777) == 0600);
    ORR_CHECK(orr_devices_load(path, back, MOST, &count) == ORR_OK && count == n);
    for (int i = 0; i < n; i++)
        ORR_CHECK_MSG(identical(&d[i], &back[i]), "device %d", i);
    ORR_CHECK(orr_devices_load(path, NULL, 0, &count) == ORR_OK && count == n);
    size_t size;
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK(text && is_json(text) && strstr(text, "\"memory_total\""));
    free(text);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ORR_REQUIRE(f);
    ORR_CHECK(fputs(text, f) >= 0 && fclose(f) == 0);
}

static void foreign_device_file_is_refused(void)
{
    static const char *const bad[] = { "",
                                       "[]",
                                       "{}",
                                       "{\"devices\": [}",
                                       "{\"devices\": [{\"id\": 0}]} x",
                                       "{\"devices\": [{\"id\": -1}]}",
                                       "{\"devices\": [{\"kind\": \"abacus\"}]}",
                                       "{\"devices\": [{\"name\": \"x]}",
                                       "{\"devices\": [{\"id\": 0},]}",
                                       "{\"devices\": [{\"clock\": 3}]}",
                                       "{\"devices\": [{\"name\": \"\\u12\"}]}",
                                       "{\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" };
    const char *path = orr_test_tmp("bad.json");
    orr_device d;
    int n = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(path, bad[i]);
        ORR_CHECK_MSG(orr_devices_load(path, &d, 1, &n) == ORR_EFORMAT && n == 0, "%s", bad[i]);
    }
    write_text(
        path,
        "{\"new\": {\"x\": [1, true, null, \"\\\"\"]}, \"devices\": [\n{\"id\": 3, \"kind\": \"cuda\", \"later\": {}, "
        "\"power\": {\"error\": \"ORR_EIO\", \"why\": \"w\"}, \"clock\": {\"value\": 2e9}}]}\n");
    ORR_CHECK(orr_devices_load(path, &d, 1, &n) == ORR_OK && n == 1);
    ORR_CHECK(d.id == 3 && d.kind == ORR_DEVICE_CUDA && d.reading[ORR_MEASURE_CLOCK].value == 2e9);
    ORR_CHECK(d.reading[ORR_MEASURE_POWER].status == ORR_EIO && !strcmp(d.reading[ORR_MEASURE_POWER].why, "w"));
    ORR_CHECK(d.reading[ORR_MEASURE_TEMPERATURE].status == ORR_EDEVICE &&
              isnan(d.reading[ORR_MEASURE_TEMPERATURE].value));
    ORR_CHECK(orr_devices_load(orr_test_tmp("none.json"), &d, 1, &n) == ORR_EIO);
    ORR_CHECK(orr_devices_load(NULL, &d, 1, &n) == ORR_EINVAL && orr_devices_load(path, &d, 1, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_devices_save("/nowhere/at/all") == ORR_EIO && orr_devices_save("") == ORR_EINVAL);
    ORR_CHECK(orr_devices_json(NULL) == ORR_EINVAL);
}

/* -- notifications ------------------------------------------------------------------------------------------- */

static atomic_int calls, moved_calls, wrong;
static atomic_uint bits;

static void told(const orr_device *d, int n, unsigned changed, void *user)
{
    if (n < 1 || d[0].kind != ORR_DEVICE_CPU || user != &calls || orr_devices_watch(1, told, user) != ORR_ESTATE)
        atomic_store(&wrong, 1);
    orr_error_clear();
    if (d[0].reading[ORR_MEASURE_CLOCK].status == ORR_OK && d[0].reading[ORR_MEASURE_CLOCK].value == 3e9)
        atomic_fetch_add(&moved_calls, 1);
    atomic_fetch_or(&bits, changed);
    atomic_fetch_add(&calls, 1);
}

static bool until(atomic_int *what, int n)
{
    for (int i = 0; i < 6000 && atomic_load(what) < n; i++)
        (void)usleep(10000);
    return atomic_load(what) >= n;
}

static void set_clock(const char *root, const char *khz)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", root);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            (void)mkdir(path, 0700);
            *p = '/';
        }
    char whole[1100];
    (void)snprintf(whole, sizeof whole, "%s.new", path); /* the watcher may read at any time */
    write_text(whole, khz);
    ORR_CHECK(rename(whole, path) == 0);
}

static void device_watch_reports_and_writes_change(void)
{
    char root[512], path[1024];
    orr_device d;
    int n;
    (void)snprintf(root, sizeof root, "%s", orr_test_tmp("sys"));
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("kept.json"));
    ORR_CHECK(orr_devices_watch(1, told, &calls) == ORR_ESTATE);
    ORR_CHECK(setenv("ORRERY_DEVICE_FILE", path, 1) == 0);
    set_clock(root, "2000000\n");
    orr__sysroot = root;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(orr_devices_load(path, &d, 1, &n) == ORR_OK && d.reading[ORR_MEASURE_CLOCK].value == 2e9);
    ORR_CHECK(orr_devices_watch(0, told, &calls) == ORR_EINVAL);
    ORR_REQUIRE(orr_devices_watch(0.02, told, &calls) == ORR_OK);
    ORR_CHECK(until(&calls, 1) && (atomic_load(&bits) & ORR_CHANGED_SET));
    set_clock(root, "3000000\n");
    ORR_CHECK(until(&moved_calls, 1) && (atomic_load(&bits) & ORR_CHANGED_READING));
    ORR_CHECK(orr_devices_watch(0, NULL, NULL) == ORR_OK);
    int before = atomic_load(&calls);
    set_clock(root, "4000000\n");
    (void)usleep(100000);
    ORR_CHECK(atomic_load(&calls) == before && !atomic_load(&wrong));
    ORR_CHECK(orr_devices_load(path, &d, 1, &n) == ORR_OK && d.reading[ORR_MEASURE_CLOCK].value >= 3e9);
    ORR_CHECK(orr_devices_watch(0.02, told, &calls) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK); /* ends the watcher */
    before = atomic_load(&calls);
    (void)usleep(60000);
    ORR_CHECK(atomic_load(&calls) == before);
    orr__sysroot = "";
    ORR_CHECK(setenv("ORRERY_DEVICE_FILE", "/nowhere/at/all", 1) == 0);
    ORR_CHECK(orr_init(NULL) == ORR_EIO && strstr(orr_error_message(), "/nowhere"));
    ORR_CHECK(unsetenv("ORRERY_DEVICE_FILE") == 0);
    ORR_CHECK(orr_init(NULL) == ORR_OK && orr_shutdown() == ORR_OK);
}

/* -- a reader never sees half a file -------------------------------------------------------------------------- */

static atomic_bool enough;
static char shared[1024];

static void *writer(void *unused)
{
    while (!atomic_load(&enough))
        if (orr_devices_save(shared) != ORR_OK)
            atomic_store(&wrong, 1);
    return unused;
}

static void device_file_is_never_partial(void)
{
    pthread_t t[2];
    int n, good = 0;
    orr_device d;
    (void)snprintf(shared, sizeof shared, "%s", orr_test_tmp("shared.json"));
    ORR_REQUIRE(orr_devices_save(shared) == ORR_OK);
    for (int i = 0; i < 2; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, writer, NULL) == 0);
    for (int i = 0; i < 300; i++)
        good += orr_devices_load(shared, &d, 1, &n) == ORR_OK && n >= 1;
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(t[i], NULL);
    ORR_CHECK_MSG(good == 300 && !atomic_load(&wrong), "%d of 300", good);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(device_file_is_private_and_reads_back),
                                      ORR_TEST(foreign_device_file_is_refused),
                                      ORR_TEST(device_watch_reports_and_writes_change),
                                      ORR_TEST(device_file_is_never_partial),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.devices", tests);
}
