/* IDX files, the format of the MNIST data sets: two zero bytes, type, rank, sizes and elements, all big-endian.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>
#include "runtime/api/npy.h"

#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

static bool element_type(unsigned code, orr_dtype *t)
{
    static const orr_dtype types[] = {
        [0x8] = ORR_U8, [0x9] = ORR_I8, [0xb] = ORR_I16, [0xc] = ORR_I32, [0xd] = ORR_F32, [0xe] = ORR_F64
    };
    if (code < 0x8 || code == 0xa || code > 0xe)
        return false;
    *t = types[code];
    return true;
}

static orr_status header(orr__source *s, orr__npy *h)
{
    unsigned char head[4], dims[4 * ORR_MAX_RANK];
    orr_status st = orr__source_exact(s, head, sizeof head, "the IDX header");
    if (st != ORR_OK)
        return st;
    if (head[0] || head[1] || !element_type(head[2], &h->dtype))
        return orr__source_fail(s, ORR_EFORMAT, "not an IDX file: it starts with %02x %02x %02x %02x", head[0], head[1],
                                head[2], head[3]);
    if (head[3] > ORR_MAX_RANK)
        return orr__source_fail(s, ORR_ESHAPE, "it has rank %d; tensors have at most %d", head[3], ORR_MAX_RANK);
    h->shape.rank = head[3];
    st = orr__source_exact(s, dims, 4u * head[3], "the IDX header");
    if (st != ORR_OK)
        return st;
    for (int k = 0; k < h->shape.rank; k++) {
        const unsigned char *d = dims + 4 * k;
        h->shape.dim[k] = (int64_t)d[0] << 24 | (int64_t)d[1] << 16 | (int64_t)d[2] << 8 | (int64_t)d[3];
    }
    if (!orr__shape_valid(&h->shape))
        return orr__source_fail(s, ORR_ESHAPE, "its shape %s has too many elements to count", orr__str(h->shape).s);
    h->swapped = orr_dtype_size(h->dtype) > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return ORR_OK;
}

orr_tensor *orr_load_idx_at(const char *file, int line, const char *path)
{
    orr__site at = ORR__SITE(file, line, "load_idx");
    orr__source *s;
    orr__npy h = { .dtype = ORR_U8 };
    orr__buffer *b = NULL;
    orr_status st = orr__source_open(at, path, true, &s);
    if (st != ORR_OK)
        return orr__handle_new(NULL);
    st = header(s, &h);
    if (st == ORR_OK)
        st = orr__npy_data(s, &h, &b);
    s->close(s);
    return orr__io_leaf(at, st, h.dtype, &h.shape, b);
}
