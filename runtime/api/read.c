/* Reading values back: orr_read, orr_data, orr_item.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/tensor.h>

#include <string.h>
#include "runtime/api/eval.h"
#include "runtime/base/fpmode.h"

orr_status orr_read_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes)
{
    orr__site at = ORR__SITE(file, line, "read");
    orr__buffer *b;
    orr_shape shape = orr_tensor_shape(t);
    size_t need = shape.rank < 0 ? 0 : (size_t)orr_tensor_size(t) * orr_dtype_size(orr_tensor_dtype(t));
    if (!buf && (need || shape.rank < 0))
        return orr__fail(at, ORR_EINVAL, "the buffer is NULL");
    if (bytes < need) /* before anything is computed for it */
        return orr__fail(at, ORR_EINVAL, "the buffer has %zu bytes; %s of %s needs %zu", bytes, orr__str(shape).s,
                         orr_dtype_name(orr_tensor_dtype(t)), need);
    orr_status st = orr__value_of(at, t, &b, NULL);
    if (st != ORR_OK)
        return st;
    if (b->bytes)
        memcpy(buf, b->host, b->bytes);
    orr__buffer_unref(b);
    return ORR_OK;
}

/* The node keeps the buffer: the pointer lives as long as the tensor. */
const void *orr_data_at(const char *file, int line, orr_tensor *t)
{
    orr__buffer *b;
    if (orr__value_of(ORR__SITE(file, line, "data"), t, &b, NULL) != ORR_OK)
        return NULL;
    atomic_fetch_add_explicit(&b->readers, 1, memory_order_relaxed);
    const void *p = b->host;
    orr__buffer_unref(b);
    return p;
}

orr_status orr_item_at(const char *file, int line, orr_tensor *t, double *value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "item");
    orr__content what;
    orr__buffer *b;
    orr_shape shape = orr_tensor_shape(t);
    if (!value)
        return orr__fail(at, ORR_EINVAL, "the place for the value is NULL");
    if (shape.rank >= 0 && orr_tensor_size(t) != 1)
        return orr__fail(at, ORR_ESHAPE, "a tensor of shape %s has %lld elements, not one", orr__str(shape).s,
                         (long long)orr_tensor_size(t));
    orr_status st = orr__value_of(at, t, &b, &what);
    if (st != ORR_OK)
        return st;
    *value = orr__scalar_f64(orr__scalar_load(b->host, what.dtype), what.dtype);
    orr__buffer_unref(b);
    return ORR_OK;
}
