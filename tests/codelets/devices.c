/* Readings of devices: the processor from an artificial /proc and /sys, NVIDIA's GPUs from doubles of the driver's
 * libraries that are opened by the real names, OpenCL's beside clGetDeviceInfo.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "codelets/devices.h"
#include "tests/harness/harness.h"

enum { MOST = 64 };

/* -- the processor ----------------------------------------------------------------------------------------- */

static char tree[512];

static void put(const char *path, const char *text)
{
    char full[1024];
    (void)snprintf(full, sizeof full, "%s%s", tree, path);
    for (char *p = full + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            (void)mkdir(full, 0700);
            *p = '/';
        }
    FILE *f = fopen(full, "w");
    ORR_REQUIRE(f);
    ORR_CHECK(fputs(text, f) >= 0 && fclose(f) == 0);
}

static void plant(void)
{
    (void)snprintf(tree, sizeof tree, "%s", orr_test_tmp("root"));
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Paper Mill 3000\n");
    put("/proc/meminfo", "MemTotal:       2048 kB\nMemFree:         100 kB\nMemAvailable:   1024 kB\n");
    put("/proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1\n");
    put("/sys/class/hwmon/hwmon0/name", "nvme\n");
    put("/sys/class/hwmon/hwmon0/temp1_input", "90000\n");
    put("/sys/class/hwmon/hwmon1/name", "coretemp\n");
    put("/sys/class/hwmon/hwmon1/temp1_input", "55500\n");
    put("/sys/class/hwmon/hwmon1/temp2_input", "0\n");
    put("/sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    put("/sys/class/thermal/thermal_zone0/temp", "57250\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2100000\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3400000\n");
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "5000000\n");
    put("/sys/class/powercap/intel-rapl:0:0/energy_uj", "4000000\n");
    orr__sysroot = tree;
}

static bool is(const orr_reading *r, double value)
{
    return r->status == ORR_OK && fabs(r->value - value) <= 1e-9 * fabs(value) && !r->why[0];
}

/* True if the reading is unknown: a status, a reason, and no number. */
static bool lacks(const orr_reading *r, const char *why)
{
    return r->status == ORR_EDEVICE && isnan(r->value) && strstr(r->why, why);
}

static void cpu_device_reads_proc_and_sys(void)
{
    orr_device d[1];
    plant();
    ORR_REQUIRE(orr__devices_look(d, NULL, 1) >= 1);
    ORR_CHECK(d->id == 0 && d->kind == ORR_DEVICE_CPU && !strcmp(d->name, "Paper Mill 3000"));
    ORR_CHECK(is(&d->reading[ORR_MEASURE_MEMORY_TOTAL], 2048 * 1024.0));
    ORR_CHECK(is(&d->reading[ORR_MEASURE_MEMORY_FREE], 1024 * 1024.0));
    ORR_CHECK(is(&d->reading[ORR_MEASURE_TEMPERATURE], 57.25));
    ORR_CHECK(is(&d->reading[ORR_MEASURE_CLOCK], 3.4e9));
    ORR_CHECK(d->reading[ORR_MEASURE_COMPUTE_UNITS].status == ORR_OK &&
              d->reading[ORR_MEASURE_COMPUTE_UNITS].value >= 1);
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_UTILISATION], "first"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_POWER], "first"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_MEMORY_CLOCK], "does not say"));
    put("/proc/stat", "cpu  130 10 120 830 10 0 0 0 0 0\n"); /* 60 ticks busy of 100 */
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "7000000\n");
    (void)usleep(20000);
    ORR_REQUIRE(orr__devices_look(d, NULL, 1) >= 1);
    ORR_CHECK(is(&d->reading[ORR_MEASURE_UTILISATION], 0.6));
    ORR_CHECK(d->reading[ORR_MEASURE_POWER].status == ORR_OK && d->reading[ORR_MEASURE_POWER].value > 0 &&
              d->reading[ORR_MEASURE_POWER].value <= 2 / 0.02);
    orr__sysroot = "";
}

static void hidden_reading_is_nan(void)
{
    orr_device d[1];
    (void)snprintf(tree, sizeof tree, "%s", orr_test_tmp("empty"));
    orr__sysroot = tree;
    ORR_REQUIRE(orr__devices_look(d, NULL, 1) >= 1);
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_MEMORY_TOTAL], "/proc/meminfo"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_TEMPERATURE], "/sys/class/hwmon"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_CLOCK], "cpufreq"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_UTILISATION], "/proc/stat"));
    ORR_CHECK(lacks(&d->reading[ORR_MEASURE_POWER], "powercap"));
    orr__sysroot = "";
}

/* -- the driver's libraries -------------------------------------------------------------------------------- */

static int find(const orr_device *d, int n, orr_device_kind kind, int index)
{
    for (int i = 0; i < n && i < MOST; i++)
        if (d[i].kind == kind && d[i].index == index)
            return i;
    return -1;
}

/* Runs in a process that finds the doubles first. Exits with the line of the failed check. */
static void want(bool ok, int line)
{
    if (!ok)
        _exit(line % 250 + 1);
}

static void on_paper(void)
{
    static orr_device d[MOST];
    int n = orr__devices_look(d, NULL, MOST), a = find(d, n, ORR_DEVICE_CUDA, 0), b = find(d, n, ORR_DEVICE_CUDA, 1);
    want(a == 1 && b == 2 && d[a].id == 1, __LINE__);
    want(!strcmp(d[a].name, "Paper 0") && !strcmp(d[a].address, "0000:40:00.0"), __LINE__);
    want(!strcmp(d[a].capability, "9.0"), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_MEMORY_TOTAL], 1073741824.0), __LINE__); /* the driver's number precedes NVML's */
    want(is(&d[a].reading[ORR_MEASURE_MEMORY_FREE], 85e9), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_COMPUTE_UNITS], 132), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_TEMPERATURE], 41), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_POWER], 123.456), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_UTILISATION], 0.37), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_CLOCK], 1.98e9), __LINE__);
    want(is(&d[a].reading[ORR_MEASURE_MEMORY_CLOCK], 2.619e9), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_MEMORY_TOTAL], "GPU is lost"), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_MEMORY_FREE], "GPU is lost"), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_TEMPERATURE], "Not Supported"), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_POWER], "Insufficient Permissions"), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_UTILISATION], "Not Supported"), __LINE__);
    want(lacks(&d[b].reading[ORR_MEASURE_CLOCK], "Not Supported"), __LINE__);
    _exit(0);
}

static void nvml_is_read_in_its_units_and_errors_keep_their_names(void)
{
    char path[2048];
    const char *build = getenv("ORR_BUILDDIR"), *others = getenv("LD_LIBRARY_PATH");
    (void)snprintf(path, sizeof path, "%s/tests/driver/libnvidia-ml.so.1", build ? build : ".");
    if (access(path, R_OK) != 0)
        ORR_SKIP("%s has not been built", path);
    (void)snprintf(path, sizeof path, "%s/tests/driver%s%s", build ? build : ".", others ? ":" : "",
                   others ? others : "");
    pid_t child = fork();
    if (child == 0) {
        (void)setenv("LD_LIBRARY_PATH", path, 1);
        (void)execl("/proc/self/exe", "devices", "--on-paper", (char *)NULL);
        _exit(255);
    }
    int status = -1;
    ORR_REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "line %d of this file", WEXITSTATUS(status) - 1);
}

/* -- all together ------------------------------------------------------------------------------------------ */

static void devices_are_numbered_by_kind(void)
{
    static orr_device d[MOST];
    void *handle[MOST];
    int n = orr__devices_look(d, handle, MOST), of_kind[3] = { 0 };
    ORR_REQUIRE(n >= 1 && n <= MOST);
    for (int i = 0; i < n; i++) {
        ORR_CHECK(d[i].id == i && d[i].index == of_kind[d[i].kind]++ && d[i].name[0]);
        ORR_CHECK(i == 0 || d[i].kind >= d[i - 1].kind);
        ORR_CHECK((handle[i] != NULL) == (d[i].kind == ORR_DEVICE_OPENCL));
        for (int m = 0; m < ORR_MEASURE_COUNT; m++) {
            const orr_reading *r = &d[i].reading[m];
            ORR_CHECK_MSG(r->status == ORR_OK ? isfinite(r->value) && !r->why[0] : isnan(r->value) && r->why[0],
                          "device %d, %s", i, orr_measure_name((orr_measure)m));
        }
    }
    ORR_CHECK(orr__devices_look(NULL, NULL, 0) == n);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cpu_device_reads_proc_and_sys),
                                      ORR_TEST(hidden_reading_is_nan),
                                      ORR_TEST(nvml_is_read_in_its_units_and_errors_keep_their_names),
                                      ORR_TEST(devices_are_numbered_by_kind),
                                      { 0 } };
    if (argc > 1 && strcmp(argv[1], "--on-paper") == 0)
        on_paper();
    return orr_test_main(argc, argv, "codelets.devices", tests);
}
