/* DLPack: our values shared with other libraries, and theirs with ours.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/dlpack.h>

#include <stdlib.h>
#include <string.h>
#include "ops/ops.h"
#include "runtime/api/eval.h"
#include "runtime/api/npy.h"
#include "runtime/base/notes.h"

/* Our version: 1.0, whose fields later minor versions keep. */
enum { MAJOR = 1, MINOR = 0 };

static const struct {
    orr_dtype dtype;
    uint8_t code, bits;
} types[] = {
    { ORR_BOOL, ORR_DLPACK_BOOL, 8 },  { ORR_I8, ORR_DLPACK_INT, 8 },       { ORR_I16, ORR_DLPACK_INT, 16 },
    { ORR_I32, ORR_DLPACK_INT, 32 },   { ORR_I64, ORR_DLPACK_INT, 64 },     { ORR_U8, ORR_DLPACK_UINT, 8 },
    { ORR_U16, ORR_DLPACK_UINT, 16 },  { ORR_U32, ORR_DLPACK_UINT, 32 },    { ORR_U64, ORR_DLPACK_UINT, 64 },
    { ORR_F16, ORR_DLPACK_FLOAT, 16 }, { ORR_BF16, ORR_DLPACK_BFLOAT, 16 }, { ORR_F32, ORR_DLPACK_FLOAT, 32 },
    { ORR_F64, ORR_DLPACK_FLOAT, 64 }, { ORR_C64, ORR_DLPACK_COMPLEX, 64 }, { ORR_C128, ORR_DLPACK_COMPLEX, 128 },
};
enum { TYPES = sizeof types / sizeof *types };

/* -- out --------------------------------------------------------------------------------------------------------------- */

/* A value in use by a consumer, which holds one of the structs. */
typedef struct {
    orr_dlpack_versioned versioned;
    orr_dlpack_unversioned unversioned;
    orr__buffer *buffer;
    int64_t shape[ORR_MAX_RANK], strides[ORR_MAX_RANK];
} shared;

static void let_go(shared *s)
{
    atomic_fetch_sub_explicit(&s->buffer->readers, 1, memory_order_relaxed);
    orr__buffer_unref(s->buffer);
    free(s);
}

static void delete_versioned(orr_dlpack_versioned *self)
{
    let_go(self->manager);
}

static void delete_unversioned(orr_dlpack_unversioned *self)
{
    let_go(self->manager);
}

static orr_status share(orr__site at, orr_tensor *t, shared **out, orr_dlpack_array *array)
{
    orr__content what;
    shared *s = orr__alloc(sizeof *s);
    if (!s)
        return ORR_ENOMEM;
    orr_status st = orr__value_of(at, t, &s->buffer, &what);
    int k = 0;
    while (st == ORR_OK && k < TYPES && types[k].dtype != what.dtype)
        k++;
    if (st == ORR_OK && k == TYPES) {
        orr__buffer_unref(s->buffer);
        st = orr__fail(at, ORR_EDTYPE, "%s has no DLPack type", orr_dtype_name(what.dtype));
    }
    if (st != ORR_OK) {
        free(s);
        return st;
    }
    atomic_fetch_add_explicit(&s->buffer->readers, 1, memory_order_relaxed);
    if (orr__noting())
        orr__note_taken(at, s->buffer, s->buffer->host, s->buffer->bytes);
    int64_t stride = 1;
    for (int d = what.shape.rank - 1; d >= 0; d--) {
        s->shape[d] = what.shape.dim[d];
        s->strides[d] = stride;
        stride *= what.shape.dim[d];
    }
    *array = (orr_dlpack_array){ .data = s->buffer->host,
                                 .device_type = ORR_DLPACK_CPU,
                                 .ndim = what.shape.rank,
                                 .code = types[k].code,
                                 .bits = types[k].bits,
                                 .lanes = 1,
                                 .shape = s->shape,
                                 .strides = s->strides };
    *out = s;
    return ORR_OK;
}

orr_status orr_to_dlpack_at(const char *file, int line, orr_tensor *t, orr_dlpack_versioned **out)
{
    orr__site at = ORR__SITE(file, line, "to_dlpack");
    orr_dlpack_versioned v = {
        .major = MAJOR, .minor = MINOR, .flags = ORR_DLPACK_READ_ONLY, .deleter = delete_versioned
    };
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place for the array is NULL");
    *out = NULL;
    orr_status st = share(at, t, (shared **)&v.manager, &v.array);
    if (st == ORR_OK) {
        shared *s = v.manager;
        s->versioned = v;
        *out = &s->versioned;
    }
    return st;
}

orr_status orr_to_dlpack_unversioned_at(const char *file, int line, orr_tensor *t, orr_dlpack_unversioned **out)
{
    orr__site at = ORR__SITE(file, line, "to_dlpack_unversioned");
    orr_dlpack_unversioned v = { .deleter = delete_unversioned };
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place for the array is NULL");
    *out = NULL;
    orr_status st = share(at, t, (shared **)&v.manager, &v.array);
    if (st == ORR_OK) {
        shared *s = v.manager;
        s->unversioned = v;
        *out = &s->unversioned;
    }
    return st;
}

/* -- in ------------------------------------------------------------------------------------------------------------------ */

static orr_status check(orr__site at, const orr_dlpack_array *a, orr_dtype *t, orr_shape *s)
{
    int k = 0;
    if (a->device_type != ORR_DLPACK_CPU && a->device_type != ORR_DLPACK_CUDA_HOST)
        return orr__fail(at, ORR_EDEVICE,
                         "the array is in the memory of a device (type %d%s): copy it to host memory first",
                         (int)a->device_type, a->device_type == ORR_DLPACK_CUDA ? ", CUDA" : "");
    if (a->lanes != 1)
        return orr__fail(at, ORR_EINVAL, "elements of %d lanes do not exist here", (int)a->lanes);
    while (k < TYPES && (types[k].code != a->code || types[k].bits != a->bits))
        k++;
    if (k == TYPES)
        return orr__fail(at, ORR_EDTYPE, "elements of type code %d with %d bits do not exist here", (int)a->code,
                         (int)a->bits);
    *t = types[k].dtype;
    if (a->ndim < 0 || a->ndim > ORR_MAX_RANK || (a->ndim && !a->shape))
        return orr__fail(at, ORR_ESHAPE, "the array has %d axes%s; 0 to %d are possible", (int)a->ndim,
                         a->ndim > 0 && !a->shape ? " without lengths" : "", ORR_MAX_RANK);
    *s = (orr_shape){ a->ndim, { 0 } };
    for (int d = 0; d < a->ndim; d++)
        if ((s->dim[d] = a->shape[d]) < 0)
            return orr__fail(at, ORR_ESHAPE, "axis %d has the length %lld", d, (long long)s->dim[d]);
    int64_t count = orr__shape_count(s);
    if (count < 0)
        return orr__fail(at, ORR_ESHAPE, "shape %s has too many elements", orr__str(*s).s);
    return count && !a->data ? orr__fail(at, ORR_EINVAL, "the array's data is NULL") : ORR_OK;
}

/* True if the elements are row-major; strides of axes of length 1 do not matter. */
static bool row_major(const orr_dlpack_array *a, const orr_shape *s)
{
    int64_t stride = 1;
    for (int d = s->rank - 1; a->strides && d >= 0; d--) {
        if (s->dim[d] != 1 && a->strides[d] != stride)
            return orr__shape_count(s) == 0;
        stride *= s->dim[d];
    }
    return true;
}

static void gather(const orr_dlpack_array *a, const orr_shape *s, const char *from, size_t size, char *to)
{
    int64_t index[ORR_MAX_RANK] = { 0 }, count = orr__shape_count(s), at = 0;
    for (int64_t i = 0; i < count; i++, to += size) {
        memcpy(to, from + at * (int64_t)size, size);
        for (int d = s->rank - 1; d >= 0; d--) {
            at += a->strides[d];
            if (++index[d] < s->dim[d])
                break;
            at -= s->dim[d] * a->strides[d];
            index[d] = 0;
        }
    }
}

static orr_tensor *copied(orr__site at, const orr_dlpack_array *a, orr_dtype t, const orr_shape *s, const char *from)
{
    size_t size = orr_dtype_size(t);
    int64_t count = orr__shape_count(s);
    orr__buffer *b = orr__buffer_new((size_t)count * size);
    if (!b)
        return orr__handle_new(NULL);
    if (!row_major(a, s))
        gather(a, s, from, size, b->host);
    else if (count)
        memcpy(b->host, from, (size_t)count * size);
    for (int64_t i = 0; t == ORR_BOOL && i < count; i++)
        ((uint8_t *)b->host)[i] = ((uint8_t *)b->host)[i] != 0;
    return orr__io_leaf(at, ORR_OK, t, s, b);
}

/* release(…, user) is called once if the result is not poison. A bool of another library may be any byte, so bools are copied. */
static orr_tensor *take_over(orr__site at, const orr_dlpack_array *a, void (*release)(void *data, void *user),
                             void *user)
{
    orr_dtype t = ORR_F32;
    orr_shape s;
    if (check(at, a, &t, &s) != ORR_OK)
        return orr__handle_new(NULL);
    char *data = a->data ? (char *)a->data + a->byte_offset : NULL;
    if (data && t != ORR_BOOL && row_major(a, &s) && (uintptr_t)data % orr_dtype_size(t) == 0)
        return orr_wrap_at(at.file, at.line, t, s, data, release, user);
    orr_tensor *r = copied(at, a, t, &s, data);
    if (orr_tensor_status(r) == ORR_OK)
        release(data, user);
    return r;
}

static void release_versioned(void *data, void *user)
{
    orr_dlpack_versioned *v = user;
    (void)data;
    if (v->deleter)
        v->deleter(v);
}

static void release_unversioned(void *data, void *user)
{
    orr_dlpack_unversioned *v = user;
    (void)data;
    if (v->deleter)
        v->deleter(v);
}

orr_tensor *orr_from_dlpack_at(const char *file, int line, orr_dlpack_versioned *array)
{
    orr__site at = ORR__SITE(file, line, "from_dlpack");
    if (!array)
        return orr__poison(at, ORR_EINVAL, "the array is NULL");
    if (array->major != MAJOR)
        return orr__poison(at, ORR_EINVAL, "the array is of DLPack %u.%u, and %d.x is needed", array->major,
                           array->minor, MAJOR);
    return take_over(at, &array->array, release_versioned, array);
}

orr_tensor *orr_from_dlpack_unversioned_at(const char *file, int line, orr_dlpack_unversioned *array)
{
    orr__site at = ORR__SITE(file, line, "from_dlpack_unversioned");
    return array ? take_over(at, &array->array, release_unversioned, array)
                 : orr__poison(at, ORR_EINVAL, "the array is NULL");
}
