/* .npy arrays in memory: reading, and the header for writing.
 * Must not know: where the bytes come from. */
#include "config.h"
#include <orrery/io.h>
#include <stdint.h>
#include <string.h>
#include "ops/ops.h"
#include "runtime/api/npy.h"

typedef struct {
    orr__source s;
    const unsigned char *at;
} memory_source;

static orr_status memory_read(orr__source *s, void *to, size_t n, size_t *got)
{
    memory_source *m = (memory_source *)s;
    *got = n < s->most ? n : (size_t)s->most;
    if (*got)
        memcpy(to, m->at, *got);
    m->at += *got;
    s->most -= *got;
    return ORR_OK;
}

static void memory_close(orr__source *s)
{
    (void)s;
}

/* Ends the source at the end of the array, for a caller that uses the bytes after it. */
static void cut(memory_source *m, const orr__npy *h)
{
    uint64_t bytes = (uint64_t)orr__shape_count(&h->shape) * orr_dtype_size(h->dtype);
    if (bytes < m->s.most)
        m->s.most = bytes;
}

static memory_source source_of(orr__site at, const char *path, const void *data, size_t bytes)
{
    return (memory_source){ .s = { .read = memory_read, .close = memory_close, .most = bytes, .at = at, .path = path },
                            .at = data };
}

/* Copies the elements that follow the header. */
static orr_tensor *copied(memory_source *m, orr_status st, const orr__npy *h, const void *data, size_t *used)
{
    orr__site at = m->s.at;
    orr__buffer *b = NULL;
    if (st == ORR_OK && used)
        cut(m, h);
    if (st == ORR_OK)
        st = orr__npy_data(&m->s, h, &b);
    if (st == ORR_OK && used)
        *used = (size_t)(m->at - (const unsigned char *)data);
    return orr__io_leaf(at, st, h->dtype, &h->shape, b);
}

orr_tensor *orr_load_bytes_at(const char *file, int line, const void *data, size_t bytes, size_t *used)
{
    orr__site at = ORR__SITE(file, line, "load_bytes");
    memory_source m = source_of(at, "npy", data, bytes);
    orr__npy h = { .dtype = ORR_F32 };
    if (used)
        *used = 0;
    if (!data)
        return orr__poison(at, ORR_EINVAL, "the bytes are NULL");
    orr_status st = orr__npy_header(&m.s, &h);
    return copied(&m, st, &h, data, used);
}

/* True if the elements can be used in place; a bool may be any byte in a file. */
static bool lies_well(const memory_source *m, const orr__npy *h)
{
    size_t size = orr_dtype_size(h->dtype);
    return !h->swapped && (!h->fortran || h->shape.rank < 2) && h->dtype != ORR_BOOL && (uintptr_t)m->at % size == 0 &&
           (uint64_t)orr__shape_count(&h->shape) * size <= m->s.most;
}

orr_tensor *orr__npy_wrap(orr__site at, const char *path, void *data, size_t bytes, size_t *used,
                          void (*release)(void *elements, void *user), void *user)
{
    memory_source m = source_of(at, path, data, bytes);
    orr__npy h = { .dtype = ORR_F32 };
    orr_status st = orr__npy_header(&m.s, &h);
    char *elements = (char *)data + (m.at - (const unsigned char *)data);
    if (st == ORR_OK && lies_well(&m, &h)) {
        size_t n = (size_t)orr__shape_count(&h.shape) * orr_dtype_size(h.dtype);
        if (!used && n < m.s.most)
            return orr__poison(at, ORR_EFORMAT, "%s: bytes follow the array: the header does not tell its size", path);
        orr_tensor *t = orr_wrap_at(at.file, at.line, h.dtype, h.shape, elements, release, user);
        if (used && orr_tensor_status(t) == ORR_OK)
            *used = (size_t)(elements - (char *)data) + n;
        return t;
    }
    orr_tensor *t = copied(&m, st, &h, data, used);
    if (orr_tensor_status(t) == ORR_OK)
        release(elements, user);
    return t;
}

orr_tensor *orr_wrap_bytes_at(const char *file, int line, void *data, size_t bytes, size_t *used,
                              void (*release)(void *elements, void *user), void *user)
{
    orr__site at = ORR__SITE(file, line, "wrap_bytes");
    if (used)
        *used = 0;
    return data && release ? orr__npy_wrap(at, "npy", data, bytes, used, release, user)
                           : orr__poison(at, ORR_EINVAL, "the %s NULL", data ? "release function is" : "bytes are");
}

size_t orr_npy_header_at(const char *file, int line, orr_dtype dtype, orr_shape shape, char buf[ORR_NPY_HEADER])
{
    orr__site at = ORR__SITE(file, line, "npy_header");
    if (!buf) {
        (void)orr__fail(at, ORR_EINVAL, "the buffer is NULL");
        return 0;
    }
    if ((unsigned)dtype >= ORR_DTYPE_COUNT) {
        (void)orr__fail(at, ORR_EDTYPE, "%d is no dtype", (int)dtype);
        return 0;
    }
    if (!orr__shape_valid(&shape)) {
        (void)orr__fail(at, ORR_ESHAPE, "this is no valid shape: rank %d", shape.rank);
        return 0;
    }
    return orr__npy_format(at, dtype, &shape, buf);
}
