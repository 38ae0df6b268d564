/* Reads a registry of devices back, from a file that is not trusted.
 * Must not know: how a device is found. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery/device.h>
#include "codelets/devices.h"
#include "runtime/api/json.h"
#include "runtime/api/file_source.h"
#include "runtime/base/buffer.h"
#include "runtime/base/decimal.h"

enum { MOST_BYTES = 16 << 20 }; /* limit of memory */

/* The file's text, terminated by 0. NULL: last error set. */
static char *slurp(orr__site at, const char *path)
{
    int fd;
    int64_t size;

    if (orr__file_open(at, path, &fd, &size) != ORR_OK)
        return NULL;
    char *text = NULL;
    if (size > MOST_BYTES)
        (void)orr__fail(at, ORR_EFORMAT, "%s: no registry of devices: not a file of at most %d MiB", path,
                        MOST_BYTES >> 20);
    else if ((text = orr__alloc((size_t)size + 1)) && orr__file_read(fd, text, (size_t)size, 0) != size) {
        (void)orr__fail(at, ORR_EIO, "%s: cannot be read", path);
        free(text);
        text = NULL;
    }
    (void)close(fd);
    return text;
}

static void read_reading(orr__json *j, orr_reading *r)
{
    char name[32], error[32];

    orr__reading_lack(r, "not in the file");
    orr__json_want(j, '{');
    while (orr__json_member(j, name, sizeof name)) {
        if (strcmp(name, "value") == 0) {
            orr__reading_set(r, orr__json_number(j));
        } else if (strcmp(name, "error") == 0) {
            orr__json_string(j, error, sizeof error);
            for (int s = ORR_EINVAL; s <= ORR_EINTERNAL; s++)
                if (strcmp(error, orr_status_name((orr_status)s)) == 0)
                    r->status = (orr_status)s;
        } else if (strcmp(name, "why") == 0) {
            orr__json_string(j, r->why, sizeof r->why);
        } else {
            orr__json_skip(j);
        }
    }
}

static void read_kind(orr__json *j, orr_device_kind *kind)
{
    char text[16];
    int k = ORR_DEVICE_CPU;

    orr__json_string(j, text, sizeof text);
    while (k <= ORR_DEVICE_OPENCL && strcmp(text, orr_device_kind_name((orr_device_kind)k)) != 0)
        k++;
    j->bad = j->bad || k > ORR_DEVICE_OPENCL;
    *kind = (orr_device_kind)k;
}

static int read_int(orr__json *j)
{
    double v = orr__json_number(j);

    if (!(v >= 0 && v <= 1e6)) /* limit of a promise */
        j->bad = true;
    return j->bad ? 0 : (int)v;
}

static void read_device(orr__json *j, orr_device *d)
{
    char name[32];

    memset(d, 0, sizeof *d);
    for (int m = 0; m < ORR_MEASURE_COUNT; m++)
        orr__reading_lack(&d->reading[m], "not in the file");
    orr__json_want(j, '{');
    while (orr__json_member(j, name, sizeof name)) {
        int m = 0;
        while (m < ORR_MEASURE_COUNT && strcmp(name, orr_measure_name((orr_measure)m)) != 0)
            m++;
        if (m < ORR_MEASURE_COUNT)
            read_reading(j, &d->reading[m]);
        else if (strcmp(name, "id") == 0)
            d->id = read_int(j);
        else if (strcmp(name, "index") == 0)
            d->index = read_int(j);
        else if (strcmp(name, "kind") == 0)
            read_kind(j, &d->kind);
        else if (strcmp(name, "name") == 0)
            orr__json_string(j, d->name, sizeof d->name);
        else if (strcmp(name, "address") == 0)
            orr__json_string(j, d->address, sizeof d->address);
        else if (strcmp(name, "capability") == 0)
            orr__json_string(j, d->capability, sizeof d->capability);
        else
            orr__json_skip(j);
    }
}

/* Returns the number of devices; found: the file has a list of them. */
static int read_all(orr__json *j, orr_device *devices, int max, bool *found)
{
    char name[32];
    orr_device spare;
    int n = 0;

    orr__json_want(j, '{');
    while (orr__json_member(j, name, sizeof name)) {
        if (strcmp(name, "devices") != 0 || *found) {
            orr__json_skip(j);
            continue;
        }
        *found = true;
        orr__json_want(j, '[');
        for (; orr__json_element(j); n++)
            read_device(j, n < max ? &devices[n] : &spare);
    }
    orr__json_want(j, 0); /* nothing may follow */
    return n;
}

orr_status orr_devices_load(const char *path, orr_device *devices, int max, int *count)
{
    orr__site at = ORR__SITE(NULL, 0, "devices_load");
    bool found = false;

    if (!path || !count)
        return orr__fail(at, ORR_EINVAL, "the %s is NULL", path ? "place for the count" : "path");
    *count = 0;
    char *text = slurp(at, path);
    if (!text)
        return orr_error_status();
    orr__json j = { text, false };
    locale_t before = orr__point_begin();
    int n = read_all(&j, devices, devices && max > 0 ? max : 0, &found);
    orr__point_end(before);
    if (!j.bad && found)
        *count = n;
    else if (j.bad)
        (void)orr__fail(at, ORR_EFORMAT, "%s is no file of orr_devices_save: invalid JSON at byte %ld", path,
                        (long)(j.at - text));
    else
        (void)orr__fail(at, ORR_EFORMAT, "%s is no file of orr_devices_save: \"devices\" is missing", path);
    free(text);
    return !j.bad && found ? ORR_OK : ORR_EFORMAT;
}
