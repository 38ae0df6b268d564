/* The files of power capping: PACKAGE/energy_uj and PACKAGE/max_energy_range_uj, in microjoules.
 * Must not know: the work that uses the energy. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "runtime/base/energy.h"

static bool number(const char *directory, int package, const char *file, double *joules)
{
    char path[1200];
    unsigned long long v;
    (void)snprintf(path, sizeof path, "%s/intel-rapl:%d/%s", directory, package, file);
    FILE *f = fopen(path, "re");
    bool ok = f && fscanf(f, "%llu", &v) == 1;
    int error = errno;
    if (f)
        (void)fclose(f);
    errno = error;
    if (ok)
        *joules = 1e-6 * (double)v;
    return ok;
}

bool orr__energy_read(const char *directory, orr__energy *e, char *why, size_t size)
{
    *e = (orr__energy){ 0 };
    while (e->n < ORR__ENERGY_PACKAGES && number(directory, e->n, "energy_uj", &e->joules[e->n])) {
        (void)number(directory, e->n, "max_energy_range_uj", &e->range[e->n]);
        e->n++;
    }
    if (e->n == 0)
        (void)snprintf(why, size, "%s/intel-rapl:0/energy_uj cannot be read: %s", directory, strerror(errno));
    return e->n > 0;
}

double orr__energy_between(const orr__energy *before, const orr__energy *after)
{
    double sum = 0;
    for (int i = 0; i < before->n && i < after->n; i++) {
        double d = after->joules[i] - before->joules[i];
        sum += d < 0 ? d + before->range[i] : d;
    }
    return sum;
}
