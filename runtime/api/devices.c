/* The devices and their readings: as a list, as JSON, as a file.
 * Must not know: how a device is found; its watchers. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <orrery/eval.h>
#include "codelets/devices.h"
#include "runtime/api/devices.h"
#include "runtime/api/json.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/buffer.h"
#include "runtime/base/decimal.h"
#include "runtime/base/signals.h"

int orr_devices(orr_device *devices, int max)
{
    orr__signals signals;
    orr__signals_note(&signals);
    int n = orr__devices_look(devices, NULL, devices && max > 0 ? max : 0);
    orr__signals_restore(&signals);
    return n;
}

orr_device *orr__devices_now(int *n)
{
    for (int capacity = 8;;) {
        orr_device *d = orr__alloc_n((size_t)capacity, sizeof *d);
        if (!d || (*n = orr__devices_look(d, NULL, capacity)) <= capacity)
            return d;
        capacity = *n; /* there are more devices than the array holds */
        free(d);
    }
}

/* -- writing ----------------------------------------------------------------------------------------------- */

static void put_device(FILE *to, const orr_device *d)
{
    (void)fprintf(to, "{\"id\": %d, \"kind\": \"%s\", \"index\": %d, \"name\": ", d->id, orr_device_kind_name(d->kind),
                  d->index);
    orr__json_put(to, d->name);
    (void)fputs(", \"address\": ", to);
    orr__json_put(to, d->address);
    (void)fputs(", \"capability\": ", to);
    orr__json_put(to, d->capability);
    for (int m = 0; m < ORR_MEASURE_COUNT; m++) {
        const orr_reading *r = &d->reading[m];
        if (r->status == ORR_OK) {
            (void)fprintf(to, ",\n  \"%s\": {\"value\": %.9g}", orr_measure_name((orr_measure)m), r->value);
        } else {
            (void)fprintf(to, ",\n  \"%s\": {\"error\": \"%s\", \"why\": ", orr_measure_name((orr_measure)m),
                          orr_status_name(r->status));
            orr__json_put(to, r->why);
            (void)putc('}', to);
        }
    }
    (void)putc('}', to);
}

static void put_all(FILE *to, const orr_device *d, int n)
{
    locale_t before = orr__point_begin();

    (void)fprintf(to, "{\"orrery\": \"%s\", \"written\": %lld, \"pid\": %ld,\n\"devices\": [", orr_version(),
                  (long long)time(NULL), (long)getpid());
    for (int i = 0; i < n; i++) {
        (void)fputs(i ? ",\n" : "\n", to);
        put_device(to, &d[i]);
    }
    (void)fputs("]}\n", to);
    orr__point_end(before);
}

orr_status orr_devices_json(FILE *to)
{
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(NULL, 0, "devices_json");
    int n;

    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    orr_device *d = orr__devices_now(&n);
    if (!d)
        return orr__fail_place(at, ORR_ENOMEM);
    put_all(to, d, n);
    free(d);
    return orr__printed(at, to);
}

orr_status orr__devices_write(orr__site at, const char *path, const orr_device *d, int n)
{
    char *text = NULL;
    size_t size = 0;
    orr__sink s;
    FILE *f = open_memstream(&text, &size);

    if (f)
        put_all(f, d, n);
    if (!f || fclose(f) != 0) {
        free(text);
        return orr__fail(at, ORR_ENOMEM, "no memory for the text of %d devices", n);
    }
    orr_status st = orr__sink_open(at, path, false, &s);
    if (st == ORR_OK) {
        if (s.tmp && fchmod(s.fd, 0600) != 0)
            st = orr__fail(at, ORR_EIO, "%s: its permissions cannot be set", path);
        if (st == ORR_OK)
            st = orr__sink_write(&s, text, size);
        st = orr__sink_close(&s, st);
    }
    free(text);
    return st;
}

orr_status orr_devices_save(const char *path)
{
    orr__site at = ORR__SITE(NULL, 0, "devices_save");
    int n;
    orr_device *d = orr__devices_now(&n);

    if (!d)
        return orr__fail_place(at, ORR_ENOMEM);
    orr_status st = orr__devices_write(at, path, d, n);
    free(d);
    return st;
}
