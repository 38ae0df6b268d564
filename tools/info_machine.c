/* orrery-info --machine, --measure, --models, --clear-models: the numbers by which plans choose devices.
 * Must not know: anything but the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include <orrery/info.h>
#include "tools/info.h"

static void print_date(const orr_machine_number *m)
{
    time_t at = (time_t)m->value;
    struct tm day;
    char text[24] = "never";
    if (at > 0 && gmtime_r(&at, &day))
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M", &day);
    printf("%-12s %25s  %-9s of the measurement (UTC)\n", m->name, text, "");
}

/* Large arrays are divided among them. */
static void print_nodes(void)
{
    enum { MOST = 512 };
    static orr_fact f[MOST];
    int n = orr_info(f, MOST);
    for (int i = 0; i < n && i < MOST; i++)
        if (!strcmp(f[i].group, "machine") && !strncmp(f[i].name, "NUMA", 4))
            printf("%s: %s\n", f[i].name, f[i].value);
}

int info_machine(void)
{
    enum { MOST = 32 };
    static orr_machine_number m[MOST];
    if (orr_machine_measure(false) != ORR_OK)
        return orr_error_print(stderr);
    int n = orr_machine_list(m, MOST);
    printf("%-12s %12s %12s  %-9s %s\n", "number", "in force", "fixed", "unit", "of");
    for (int i = 0; i < n && i < MOST; i++)
        if (!strcmp(m[i].name, "date"))
            print_date(&m[i]);
        else
            printf("%-12s %12.6g %12.6g  %-9s %s\n", m[i].name, m[i].value, m[i].fixed, m[i].unit, m[i].meaning);
    print_nodes();
    return ferror(stdout) ? 1 : 0;
}

int info_measure(void)
{
    return orr_machine_measure(true) == ORR_OK ? info_machine() : orr_error_print(stderr);
}

static int by_kernel(const void *a, const void *b)
{
    const orr_perfmodel *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);
    if (order == 0)
        order = strcmp(x->device, y->device);
    return order ? order : (x->size_us > y->size_us) - (x->size_us < y->size_us);
}

int info_models(void)
{
    int n = 0, max;
    if (orr_perfmodel_list(NULL, 0, &n) != ORR_OK)
        return orr_error_print(stderr);
    max = n;
    orr_perfmodel *m = calloc((size_t)max + 1, sizeof *m);
    if (!m || orr_perfmodel_list(m, max, &n) != ORR_OK) {
        free(m);
        return m ? orr_error_print(stderr) : 1;
    }
    n = n < max ? n : max;
    qsort(m, (size_t)n, sizeof *m, by_kernel);
    printf("%-40s %-7s %10s %8s %12s %12s %12s\n", "kernel", "device", "size us", "samples", "mean us", "deviation",
           "predicted");
    for (int i = 0; i < n; i++)
        printf("%-40.40s %-7s %10.4g %8llu %12.4g %12.4g %12.4g\n", m[i].kernel, m[i].device, m[i].size_us,
               (unsigned long long)m[i].samples, m[i].mean_us, m[i].deviation_us, m[i].predicted_us);
    printf("%d model%s\n", n, n == 1 ? "" : "s");
    free(m);
    return ferror(stdout) ? 1 : 0;
}

int info_clear_models(void)
{
    int n = 0;
    if (orr_perfmodel_clear(&n) != ORR_OK)
        return orr_error_print(stderr);
    return printf("%d model%s forgotten\n", n, n == 1 ? "" : "s") < 0;
}
