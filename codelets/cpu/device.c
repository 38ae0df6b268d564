/* The processor as a device: its data from /proc and /sys.
 * Must not know: kernels; other devices. */
#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "codelets/codelet.h"
#include "codelets/devices.h"
#include "runtime/base/clock.h"
#include "runtime/base/decimal.h"

const char *orr__sysroot = "";

/* Reads the first line of a file below the system's root. */
static bool read_line(char *to, size_t size, const char *fmt, ...) ORR_PRINTF(3, 4);
static bool read_line(char *to, size_t size, const char *fmt, ...)
{
    char path[600];
    va_list args;
    int n = snprintf(path, sizeof path, "%s", orr__sysroot);

    va_start(args, fmt);
    n += orr__decimal_vprint(path + n, sizeof path - (size_t)n, fmt, args);
    va_end(args);
    FILE *f = (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    bool ok = f && fgets(to, (int)size, f);
    if (f)
        (void)fclose(f);
    if (ok)
        to[strcspn(to, "\n")] = 0;
    return ok;
}

static bool read_number(double *to, const char *folder, const char *entry, const char *file)
{
    char text[64], *end;

    if (!read_line(text, sizeof text, "%s/%s/%s", folder, entry, file))
        return false;
    *to = orr__decimal(text, &end);
    return end != text;
}

/* Calls f for each entry of a folder that begins with `prefix`. */
static void each(const char *folder, const char *prefix, void (*f)(const char *folder, const char *entry, void *arg),
                 void *arg)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", orr__sysroot, folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
            f(folder, e->d_name, arg);
    if (d)
        (void)closedir(d);
}

/* -- memory ------------------------------------------------------------------------------------------------ */

static void memory(orr_device *d)
{
    char path[512], line[128];
    unsigned long long kib;
    (void)snprintf(path, sizeof path, "%s/proc/meminfo", orr__sysroot);
    FILE *f = fopen(path, "re");

    for (int m = ORR_MEASURE_MEMORY_TOTAL; m <= ORR_MEASURE_MEMORY_FREE; m++)
        orr__reading_lack(&d->reading[m], "/proc/meminfo does not say");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemTotal: %llu kB", &kib) == 1) /* NOLINT(cert-err34-c): the kernel's own number */
            orr__reading_set(&d->reading[ORR_MEASURE_MEMORY_TOTAL], 1024.0 * (double)kib);
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) /* NOLINT(cert-err34-c) */
            orr__reading_set(&d->reading[ORR_MEASURE_MEMORY_FREE], 1024.0 * (double)kib);
    }
    if (f)
        (void)fclose(f);
}

/* -- temperature, clock ------------------------------------------------------------------------------------ */

typedef struct {
    double most;
    bool any;
} peak;

static void note_most(peak *p, double value)
{
    p->most = !p->any || value > p->most ? value : p->most;
    p->any = true;
}

enum { HOTTEST = 150, SENSORS = 32 }; /* limit of a measurement */

/* Sensors report thousandths of a degree. A value outside of 1 … 150 °C belongs to a sensor that is not connected. */
static void sensor(peak *p, const char *folder, const char *entry, const char *file)
{
    double milli;

    if (read_number(&milli, folder, entry, file) && 1e-3 * milli >= 1 && 1e-3 * milli <= HOTTEST)
        note_most(p, milli * 1e-3);
}

static bool is_cpu_sensor(const char *name)
{
    static const char *const known[] = { "coretemp",    "k10temp",      "zenpower",    "cpu_thermal",
                                         "cpu-thermal", "x86_pkg_temp", "soc_thermal", "via_cputemp" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return strncmp(name, "cpu", 3) == 0;
}

static void hwmon(const char *folder, const char *entry, void *arg)
{
    char name[64], file[32];

    if (!read_line(name, sizeof name, "%s/%s/name", folder, entry) || !is_cpu_sensor(name))
        return;
    for (int i = 1; i <= SENSORS; i++) {
        (void)snprintf(file, sizeof file, "temp%d_input", i);
        sensor(arg, folder, entry, file);
    }
}

static void zone(const char *folder, const char *entry, void *arg)
{
    char type[64];

    if (read_line(type, sizeof type, "%s/%s/type", folder, entry) && is_cpu_sensor(type))
        sensor(arg, folder, entry, "temp");
}

static void temperature(orr_reading *r)
{
    peak p = { 0, false };

    each("/sys/class/hwmon", "hwmon", hwmon, &p);
    each("/sys/class/thermal", "thermal_zone", zone, &p);
    if (p.any)
        orr__reading_set(r, p.most);
    else
        orr__reading_lack(r, "no processor sensor in /sys/class/hwmon or /sys/class/thermal");
}

static void frequency(const char *folder, const char *entry, void *arg)
{
    double khz;

    if (entry[3] >= '0' && entry[3] <= '9' && read_number(&khz, folder, entry, "cpufreq/scaling_cur_freq") && khz > 0)
        note_most(arg, khz * 1e3);
}

static void clock_rate(orr_reading *r)
{
    peak p = { 0, false };

    each("/sys/devices/system/cpu", "cpu", frequency, &p);
    if (p.any)
        orr__reading_set(r, p.most);
    else
        orr__reading_lack(r, "no cpufreq in /sys/devices/system/cpu");
}

/* -- means since the last reading -------------------------------------------------------------------------- */

/* /proc/stat: user nice system idle iowait irq softirq steal, in ticks. */
static void utilisation(orr_reading *r)
{
    static double busy_before, all_before;
    static bool looked;
    char line[256];
    uint64_t t[8] = { 0 };
    double all = 0;

    if (!read_line(line, sizeof line, "/proc/stat") ||
        sscanf(line, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4) { /* NOLINT(cert-err34-c) */
        orr__reading_lack(r, "/proc/stat cannot be read");
        return;
    }
    for (int i = 0; i < 8; i++)
        all += (double)t[i];
    double busy = all - (double)t[3] - (double)t[4];
    if (looked && all > all_before && busy >= busy_before)
        orr__reading_set(r, (busy - busy_before) / (all - all_before));
    else
        orr__reading_lack(r, "a mean since the last look, and this is the first (or no tick has passed)");
    if (!looked || all > all_before) {
        busy_before = busy;
        all_before = all;
    }
    looked = true;
}

typedef struct {
    double joule;
    bool any;
} energy;

/* Packages are named intel-rapl:N; a name with a second colon is a part of a package. */
static void package(const char *folder, const char *entry, void *arg)
{
    energy *e = arg;
    double micro;
    const char *colon = strchr(entry, ':');

    if (!colon || strchr(colon + 1, ':') || !read_number(&micro, folder, entry, "energy_uj"))
        return;
    e->joule += micro * 1e-6;
    e->any = true;
}

static void power(orr_reading *r)
{
    static double joule_before, time_before;
    energy e = { 0, false };
    double now = orr__now();

    each("/sys/class/powercap", "intel-rapl:", package, &e);
    if (!e.any)
        orr__reading_lack(r, "no energy counter that this user may read in /sys/class/powercap");
    else if (time_before > 0 && now > time_before && e.joule >= joule_before)
        orr__reading_set(r, (e.joule - joule_before) / (now - time_before));
    else
        orr__reading_lack(r, "a mean since the last look, and this is the first (or the counter has wrapped)");
    if (e.any) {
        joule_before = e.joule;
        time_before = now;
    }
}

/* -- the device -------------------------------------------------------------------------------------------- */

static void name(char *to, size_t size)
{
    char path[512], line[512];
    (void)snprintf(path, sizeof path, "%s/proc/cpuinfo", orr__sysroot);
    FILE *f = fopen(path, "re");

    (void)snprintf(to, size, "processor");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        (void)snprintf(to, size, "%s", colon);
        break;
    }
    if (f)
        (void)fclose(f);
}

int orr__cpu_devices(orr_device *d, void **handle, int max)
{
    cpu_set_t set;

    (void)handle;
    if (max < 1)
        return 1;
    d->kind = ORR_DEVICE_CPU;
    name(d->name, sizeof d->name);
    const char *kernels = strstr(orr__cpu_describe(), "kernels ");
    (void)snprintf(d->capability, sizeof d->capability, "%s", kernels ? kernels + 8 : "");
    memory(d);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        orr__reading_set(&d->reading[ORR_MEASURE_COMPUTE_UNITS], CPU_COUNT(&set));
    else if (sysconf(_SC_NPROCESSORS_ONLN) > 0)
        orr__reading_set(&d->reading[ORR_MEASURE_COMPUTE_UNITS], (double)sysconf(_SC_NPROCESSORS_ONLN));
    temperature(&d->reading[ORR_MEASURE_TEMPERATURE]);
    power(&d->reading[ORR_MEASURE_POWER]);
    utilisation(&d->reading[ORR_MEASURE_UTILISATION]);
    clock_rate(&d->reading[ORR_MEASURE_CLOCK]);
    orr__reading_lack(&d->reading[ORR_MEASURE_MEMORY_CLOCK], "the system does not say");
    return 1;
}
