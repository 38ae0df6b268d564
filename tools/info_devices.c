/* orrery-info --devices: every device and its readings; unknown readings with the reason.
 * Must not know: anything but the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "tools/info.h"

static void print_reading(orr_measure m, const orr_reading *r)
{
    double v = r->value;

    printf("  %-18s ", orr_measure_name(m));
    if (r->status != ORR_OK)
        printf("- (%s)\n", r->why);
    else if (m == ORR_MEASURE_MEMORY_TOTAL || m == ORR_MEASURE_MEMORY_FREE)
        printf("%.1f GiB\n", v / (1 << 30));
    else if (m == ORR_MEASURE_CLOCK || m == ORR_MEASURE_MEMORY_CLOCK)
        printf("%.0f MHz\n", v * 1e-6);
    else if (m == ORR_MEASURE_UTILISATION)
        printf("%.0f %%\n", v * 100);
    else
        printf("%.*f%s%s\n", m == ORR_MEASURE_COMPUTE_UNITS ? 0 : 1, v, *orr_measure_unit(m) ? " " : "",
               orr_measure_unit(m));
}

static int print_all(void)
{
    int n = orr_devices(NULL, 0), max = n + 8;
    orr_device *d = calloc((size_t)max, sizeof *d);

    if (!d)
        return 1;
    n = orr_devices(d, max);
    for (int i = 0; i < n && i < max; i++) {
        printf("%s%d  %s %d  %s%s%s%s\n", i ? "\n" : "", d[i].id, orr_device_kind_name(d[i].kind), d[i].index,
               d[i].name, d[i].address[0] ? " (" : "", d[i].address, d[i].address[0] ? ")" : "");
        printf("  %-18s %s\n", "capability", d[i].capability);
        for (int m = 0; m < ORR_MEASURE_COUNT; m++)
            print_reading((orr_measure)m, &d[i].reading[m]);
    }
    free(d);
    return ferror(stdout) ? 1 : 0;
}

int info_devices(bool json)
{
    (void)orr_devices(NULL, 0);
    orr_device first;
    (void)orr_devices(&first, 1); /* the first reading: the processor's means count from it */
    (void)nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    if (json)
        return orr_devices_json(stdout) == ORR_OK ? 0 : orr_error_print(stderr);
    return print_all();
}
