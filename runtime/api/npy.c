/* .npy files, and the reading and writing of arrays that .npz shares.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>
#include "runtime/api/npy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ops/ops.h"
#include "ops/record.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/formats.h"
#include "runtime/api/stored.h"
#include "runtime/base/mapped_file.h"
#include "runtime/ranks/ranks.h"

/* Headers are a line of text; NumPy itself refuses more than 10,000 characters. */
enum { HEADER_MOST = 1 << 16 }; /* limit of memory */

orr_status orr__npy_header(orr__source *s, orr__npy *h)
{
    unsigned char head[12];
    orr_status st = orr__source_exact(s, head, 10, "the .npy header");
    if (st != ORR_OK)
        return st;
    if (memcmp(head, "\x93NUMPY", 6) != 0)
        return orr__source_fail(s, ORR_EFORMAT, "not a .npy array: the first bytes are wrong");
    unsigned version = head[6];
    if (version < 1 || version > 3 || head[7] != 0)
        return orr__source_fail(s, ORR_EFORMAT, ".npy version %u.%u is not known", version, (unsigned)head[7]);
    uint32_t n = head[8] | (uint32_t)head[9] << 8;
    if (version > 1) {
        st = orr__source_exact(s, head + 10, 2, "the .npy header");
        if (st != ORR_OK)
            return st;
        n |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
    }
    if (n > HEADER_MOST || n > s->most)
        return orr__source_fail(s, ORR_EFORMAT, "the .npy header claims %u bytes for itself: truncated or lying",
                                (unsigned)n);
    char *text = orr__alloc((size_t)n + 1);
    if (!text)
        return ORR_ENOMEM;
    *h = (orr__npy){ .dtype = ORR_F32 };
    st = orr__source_exact(s, text, n, "the .npy header");
    if (st == ORR_OK)
        st = orr__npy_dict(s, text, n, h);
    free(text);
    return st;
}

static orr_status new_buffer(orr__source *s, size_t bytes, orr__buffer **b)
{
    *b = orr__buffer_new(bytes);
    return *b ? ORR_OK : orr__source_fail(s, ORR_ENOMEM, "%s", orr_error_message());
}

orr_status orr__npy_data(orr__source *s, const orr__npy *h, orr__buffer **b)
{
    size_t size = orr_dtype_size(h->dtype), part = orr_dtype_size(orr__part_dtype(h->dtype));
    int64_t count = orr__shape_count(&h->shape);
    size_t bytes = (size_t)count * size; /* no overflow: a valid shape's count times 8 fits */
    if (bytes > s->most)
        return orr__source_fail(s, ORR_EFORMAT,
                                "its header claims %s of %s, %zu bytes, and there are at most %llu: truncated or lying",
                                orr__str(h->shape).s, orr_dtype_name(h->dtype), bytes, (unsigned long long)s->most);
    orr_status st = new_buffer(s, bytes, b);
    if (st != ORR_OK)
        return st;
    st = orr__source_exact(s, (*b)->host, bytes, "the array's data");
    if (st == ORR_OK)
        st = orr__source_end(s);
    if (st == ORR_OK && h->swapped)
        orr__swap_bytes((*b)->host, count * (int64_t)(size / part), part);
    if (st == ORR_OK && h->dtype == ORR_BOOL)
        for (int64_t i = 0; i < count; i++)
            ((uint8_t *)(*b)->host)[i] = ((uint8_t *)(*b)->host)[i] != 0;
    if (st == ORR_OK && h->fortran && h->shape.rank > 1) {
        orr__buffer *c;
        st = new_buffer(s, bytes, &c);
        if (st == ORR_OK) {
            orr__fortran_to_c((*b)->host, c->host, &h->shape, size);
            orr__buffer_unref(*b);
            *b = c;
        }
    }
    if (st != ORR_OK) {
        orr__buffer_unref(*b);
        *b = NULL;
    }
    return st;
}

orr_tensor *orr__io_leaf(orr__site at, orr_status st, orr_dtype dtype, const orr_shape *shape, orr__buffer *b)
{
    if (st != ORR_OK)
        return orr__handle_new(NULL);
    return orr__handle_new(orr__rec_leaf(at, dtype, shape, b));
}

orr_tensor *orr__npy_tensor(orr__source *s)
{
    orr__npy h = { .dtype = ORR_F32 };
    orr__buffer *b = NULL;
    orr__site at = s->at;
    orr_status st = orr__npy_header(s, &h);
    if (st == ORR_OK)
        st = orr__npy_data(s, &h, &b);
    s->close(s);
    return orr__io_leaf(at, st, h.dtype, &h.shape, b);
}

static orr_tensor *copied(orr__site at, const char *path)
{
    orr__source *s;
    if (orr__source_open(at, path, false, &s) != ORR_OK)
        return orr__handle_new(NULL);
    return orr__npy_tensor(s);
}

static orr_tensor *mapped(orr__site at, const char *path)
{
    int fd;
    int64_t size;
    if (orr__file_open(at, path, &fd, &size) != ORR_OK)
        return orr__handle_new(NULL);
    orr__mapping *m = size > 0 ? orr__map(fd, path, 0, (size_t)size) : NULL;
    (void)close(fd);
    if (!m) /* an empty file, or a system without mmap: the data is copied */
        return copied(at, path);
    orr_tensor *t = orr__npy_wrap(at, path, orr__mapping_base(m), (size_t)size, NULL, orr__unmap, m);
    if (orr_tensor_status(t) != ORR_OK)
        orr__unmap(NULL, m);
    return t;
}

/* Maps the file: each of several ranks may need only a part, and untouched pages are not read. */
orr_tensor *orr__npy_load(orr__site at, const char *path)
{
    return orr__ranks() > 1 ? mapped(at, path) : copied(at, path);
}

orr_tensor *orr_map_npy_at(const char *file, int line, const char *path)
{
    orr__site at = ORR__SITE(file, line, "map_npy");
    return path ? mapped(at, path) : orr__poison(at, ORR_EINVAL, "the path is NULL");
}

size_t orr__npy_format(orr__site at, orr_dtype dtype, const orr_shape *shape, char buf[ORR__NPY_HEADER])
{
    static const char kinds[] = {
        [ORR__KBOOL] = 'b', [ORR__KSIGNED] = 'i', [ORR__KUNSIGNED] = 'u', [ORR__KFLOAT] = 'f', [ORR__KCOMPLEX] = 'c'
    };
    size_t size = orr_dtype_size(dtype);
    if (dtype == ORR_BF16) {
        (void)orr__fail(at, ORR_EDTYPE, "bfloat16 has no NumPy type: save orr_cast(t, ORR_F32)");
        return 0;
    }
    if (orr__is_field(dtype)) {
        (void)orr__fail(at, ORR_EDTYPE, "%s has no NumPy type: save orr_field_limbs(t)", orr_dtype_name(dtype));
        return 0;
    }
    char order = size == 1 ? '|' : __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
    int n = 10 + snprintf(buf + 10, ORR__NPY_HEADER - 10, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': %s, }",
                          order, kinds[orr__dtype_kind(dtype)], size, orr__str(*shape).s);
    while ((n + 1) % 64) /* the data starts at a multiple of 64, for programs that map the file */
        buf[n++] = ' ';
    buf[n++] = '\n';
    memcpy(buf, "\x93NUMPY\x01\x00", 8);
    buf[8] = (char)((n - 10) & 0xff);
    buf[9] = (char)((n - 10) >> 8);
    return (size_t)n;
}

orr_status orr__npy_save(orr__site at, const char *path, orr_tensor *t)
{
    char head[ORR__NPY_HEADER];
    orr__stored v;
    orr__sink sink;
    orr_status st = orr__stored_of(at, t, &v);
    if (st != ORR_OK)
        return st;
    size_t n = orr__npy_format(at, v.what.dtype, &v.what.shape, head);
    st = n ? orr__sink_open(at, path, v.placed != 0, &sink) : ORR_EDTYPE;
    if (st == ORR_OK) {
        orr_status headed = orr__sink_write(&sink, head, n);
        st = orr__stored_write(&sink, &v); /* also after an error: other ranks send their parts */
        st = orr__sink_close(&sink, headed != ORR_OK ? headed : st);
    }
    orr__stored_free(&v);
    return st;
}
