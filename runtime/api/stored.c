/* Values for files: a value that lies over ranks is gathered on rank 0 piece by piece, so that no rank needs memory for all of it.
 * Must not know: formats. */
#include "config.h"
#include "runtime/api/stored.h"

#include <string.h>

orr_status orr__stored_of(orr__site at, orr_tensor *t, orr__stored *v)
{
    *v = (orr__stored){ .placed = 0 };
    return orr__part_of(at, t, &v->part, &v->what, &v->placed);
}

void orr__stored_free(orr__stored *v)
{
    orr__buffer_unref(v->part);
    v->part = NULL;
}

size_t orr__stored_bytes(const orr__stored *v)
{
    return (size_t)orr__shape_count(&v->what.shape) * orr_dtype_size(v->what.dtype);
}

orr_status orr__stored_each(orr__site at, const orr__stored *v, orr__take_piece *take, void *to)
{
    orr__distribution d = orr__distribution_of(v->placed);
    size_t size = orr_dtype_size(v->what.dtype);
    if (!orr__distribution_whole(&d))
        return orr__collect(at, &d, &v->what.shape, size, v->part->host, take, to);
    size_t bytes = orr__stored_bytes(v);
    return bytes ? take(to, v->part->host, bytes) : ORR_OK;
}

/* The address of the next piece; NULL: no memory. */
typedef struct {
    char *at;
} place;

static orr_status put_piece(void *to, const void *data, size_t bytes)
{
    place *p = to;
    if (!p->at)
        return ORR_ENOMEM;
    memcpy(p->at, data, bytes);
    p->at += bytes;
    return ORR_OK;
}

orr_status orr__stored_whole(orr__site at, const orr__stored *v, orr__buffer **whole)
{
    orr__distribution d = orr__distribution_of(v->placed);
    *whole = NULL;
    if (orr__distribution_whole(&d)) {
        *whole = orr__buffer_ref(v->part);
        return ORR_OK;
    }
    if (orr__rank() == 0)
        *whole = orr__buffer_new(orr__stored_bytes(v));
    place to = { *whole ? (*whole)->host : NULL };
    orr_status st = orr__stored_each(at, v, put_piece, &to); /* also without memory: other ranks send their parts */
    if (st == ORR_OK && orr__rank() == 0 && !*whole)
        st = ORR_ENOMEM;
    if (st != ORR_OK) {
        orr__buffer_unref(*whole);
        *whole = NULL;
    }
    return st;
}

static orr_status write_piece(void *sink, const void *data, size_t bytes)
{
    return orr__sink_write(sink, data, bytes);
}

orr_status orr__stored_write(orr__sink *s, const orr__stored *v)
{
    return orr__stored_each(s->at, v, write_piece, s);
}
