/* Arrays of other libraries: the buffer protocol and DLPack, both ways.
 * Must not know: any operation. */
#include "core.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* -- release without the interpreter's lock --------------------------------------------------------------------- */

/* Memory with which the library has finished. It tells so from any thread, perhaps with a lock of its own held, so the
 * interpreter's lock must not be waited for there: the memory is listed, and released by the next call from Python. */
typedef struct finished {
    struct finished *next;
    Py_buffer *buffer;
    orr_dlpack_versioned *versioned;
    orr_dlpack_unversioned *unversioned;
} finished;

static _Atomic(finished *) list;

static void push(finished *f)
{
    f->next = atomic_load(&list);
    while (!atomic_compare_exchange_weak(&list, &f->next, f))
        ;
}

static int release_finished(void *unused)
{
    (void)unused;
    for (finished *f = atomic_exchange(&list, NULL), *next; f; f = next) {
        next = f->next;
        if (f->buffer) {
            PyBuffer_Release(f->buffer);
            PyMem_Free(f->buffer);
        }
        if (f->versioned && f->versioned->deleter)
            f->versioned->deleter(f->versioned);
        if (f->unversioned && f->unversioned->deleter)
            f->unversioned->deleter(f->unversioned);
        free(f);
    }
    return 0;
}

static void buffer_released(void *data, void *user)
{
    (void)data;
    push(user);
    (void)Py_AddPendingCall(release_finished, NULL); /* sooner, if there is room */
}

/* -- buffers ------------------------------------------------------------------------------------------------------- */

/* int64 has the name that NumPy's int64 has: code in C compares these. */
#define WIDE(same, other) (sizeof(long) == 8 ? same : other)
static const struct {
    orr_dtype dtype;
    const char *format;
} formats[] = { { ORR_BOOL, "?" },           { ORR_I8, "b" },   { ORR_I16, "h" }, { ORR_I32, "i" },
                { ORR_I64, WIDE("l", "q") }, { ORR_U8, "B" },   { ORR_U16, "H" }, { ORR_U32, "I" },
                { ORR_U64, WIDE("L", "Q") }, { ORR_F16, "e" },  { ORR_F32, "f" }, { ORR_F64, "d" },
                { ORR_C64, "Zf" },           { ORR_C128, "Zd" } };
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *format_of(orr_dtype t)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].dtype == t)
            return formats[k].format;
    return NULL;
}

/* By kind and size, since "l" has different sizes on different systems. */
static bool dtype_of(const Py_buffer *b, orr_dtype *to)
{
    const char *f = b->format ? b->format : "B";
    if (*f == '@' || *f == '=' || *f == '<')
        f++;
    if (*f && strchr("lnq", *f))
        f = b->itemsize == 8 ? format_of(ORR_I64) : "i";
    else if (*f && strchr("LNQ", *f))
        f = b->itemsize == 8 ? format_of(ORR_U64) : "I";
    for (int k = 0; k < FORMATS; k++)
        if (strcmp(formats[k].format, f) == 0 && (Py_ssize_t)orr_dtype_size(formats[k].dtype) == b->itemsize)
            return *to = formats[k].dtype, true;
    return false;
}

static bool facts_of(call *c, const Py_buffer *b, orr_dtype *t, orr_shape *shape)
{
    if (!dtype_of(b, t)) {
        PyErr_Format(PyExc_TypeError, "%s(): there is no dtype for elements of format '%s'", c->name,
                     b->format ? b->format : "B");
        return false;
    }
    *shape = (orr_shape){ .rank = b->ndim };
    for (int k = 0; k < b->ndim && k < ORR_MAX_RANK; k++)
        shape->dim[k] = b->shape[k];
    return true;
}

static orr_tensor *copied(call *c, Py_buffer *b)
{
    orr_dtype t;
    orr_shape shape;
    if (!facts_of(c, b, &t, &shape))
        return NULL;
    if (PyBuffer_IsContiguous(b, 'C') || b->len == 0)
        return orr_from_at(c->file, c->line, t, shape, b->len ? b->buf : (const void *)b);
    char *rows = PyMem_Malloc((size_t)b->len);
    if (!rows || PyBuffer_ToContiguous(rows, b, b->len, 'C') < 0) {
        PyMem_Free(rows);
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return NULL;
    }
    orr_tensor *r = orr_from_at(c->file, c->line, t, shape, rows);
    PyMem_Free(rows);
    return r;
}

bool of_buffer(call *c, PyObject *v, orr_tensor **t)
{
    Py_buffer b;
    if (PyObject_GetBuffer(v, &b, PyBUF_RECORDS_RO) < 0)
        return false;
    orr_tensor *r = copied(c, &b);
    PyBuffer_Release(&b);
    return r && temporary(c, r, t);
}

orr_dtype buffer_dtype(PyObject *v)
{
    Py_buffer b;
    orr_dtype t = ORR_DTYPE_COUNT;
    if (!PyObject_CheckBuffer(v) || PyBytes_Check(v))
        return t;
    if (PyObject_GetBuffer(v, &b, PyBUF_RECORDS_RO) < 0)
        return PyErr_Clear(), t;
    if (!dtype_of(&b, &t))
        t = ORR_DTYPE_COUNT;
    PyBuffer_Release(&b);
    return t;
}

static orr_tensor *shared(call *c, Py_buffer *b)
{
    orr_dtype t;
    orr_shape shape;
    finished *f = calloc(1, sizeof *f);
    if (!f)
        return (orr_tensor *)PyErr_NoMemory();
    f->buffer = b;
    orr_tensor *r =
        facts_of(c, b, &t, &shape) ? orr_wrap_at(c->file, c->line, t, shape, b->buf, buffer_released, f) : NULL;
    if (!r || orr_tensor_status(r) != ORR_OK) {
        free(f);
        PyBuffer_Release(b);
        PyMem_Free(b);
    }
    return r;
}

static PyObject *from_buffer(PyObject *self, PyObject *args)
{
    PyObject *v;
    int share = 0;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(args, "O|p", &v, &share) || !begin_plain(&c, "asarray"))
        return NULL;
    (void)release_finished(NULL);
    Py_buffer *b = PyMem_Calloc(1, sizeof *b);
    if (!b)
        return PyErr_NoMemory();
    if (PyObject_GetBuffer(v, b, share ? PyBUF_C_CONTIGUOUS | PyBUF_FORMAT : PyBUF_RECORDS_RO) < 0) {
        PyMem_Free(b);
        return NULL;
    }
    orr_tensor *t = share ? shared(&c, b) : copied(&c, b);
    if (!share) {
        PyBuffer_Release(b);
        PyMem_Free(b);
    }
    return t ? from_tensor(&c, t) : NULL;
}

/* Elements in memory of the dtype that is named: for pickled tensors, of any dtype. */
static PyObject *from_bytes(PyObject *self, PyObject *args)
{
    PyObject *type, *dims;
    Py_buffer b;
    call c;
    orr_dtype t;
    orr_shape shape = { 0 };
    (void)self;
    if (!PyArg_ParseTuple(args, "OOy*", &type, &dims, &b))
        return NULL;
    PyObject *r = NULL;
    if (begin_plain(&c, "from_bytes") && to_dtype(&c, type, "dtype", &t) && to_shape(&c, dims, "shape", &shape)) {
        int64_t n = (int64_t)orr_dtype_size(t);
        for (int k = 0; k < shape.rank && k < ORR_MAX_RANK && n >= 0; k++)
            n = __builtin_mul_overflow(n, shape.dim[k], &n) ? -1 : n;
        if (n != b.len)
            PyErr_Format(PyExc_ValueError, "from_bytes(): %zd bytes for a shape of %lld", b.len, (long long)n);
        else
            r = from_tensor(&c, orr_from_at(c.file, c.line, t, shape, n ? b.buf : (const void *)&b));
    }
    PyBuffer_Release(&b);
    return r;
}

static PyObject *tobytes(PyObject *self, PyObject *unused)
{
    call c;
    orr_tensor *t;
    (void)unused;
    if (!begin_plain(&c, "tobytes") || !to_tensor(&c, self, "self", &t))
        return NULL;
    int64_t n = orr_tensor_size(t) * (int64_t)orr_dtype_size(orr_tensor_dtype(t));
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n);
    if (!bytes)
        return NULL;
    char *to = PyBytes_AsString(bytes);
    orr_status s;
    Py_BEGIN_ALLOW_THREADS s = orr_read_at(c.file, c.line, t, to, (size_t)n);
    Py_END_ALLOW_THREADS if (s == ORR_OK) return bytes;
    Py_DECREF(bytes);
    return raise(&c, s);
}

typedef struct {
    orr_dlpack_versioned *value;
    Py_ssize_t shape[ORR_MAX_RANK], strides[ORR_MAX_RANK];
} exported;

int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    call c;
    orr_tensor *t;
    exported *e = PyMem_Calloc(1, sizeof *e);
    view->obj = NULL;
    if (!e || !begin_plain(&c, "memoryview") || !to_tensor(&c, self, "self", &t)) {
        PyMem_Free(e);
        return -1;
    }
    const char *format = format_of(orr_tensor_dtype(t));
    if (!format || (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_Format(PyExc_BufferError,
                     format ? "a tensor is a value: its memory cannot be written"
                            : "other libraries have no elements of type %s",
                     orr_dtype_name(orr_tensor_dtype(t)));
        PyMem_Free(e);
        return -1;
    }
    PyThreadState *state = reading(&c, t);
    orr_status s = orr_to_dlpack_at(c.file, c.line, t, &e->value);
    has_read(state);
    if (s != ORR_OK) {
        PyMem_Free(e);
        (void)raise(&c, s);
        return -1;
    }
    const orr_dlpack_array *a = &e->value->array;
    Py_ssize_t size = (Py_ssize_t)a->bits / 8, length = 1;
    for (int k = 0; k < a->ndim; k++) {
        e->shape[k] = (Py_ssize_t)a->shape[k];
        length *= e->shape[k];
    }
    for (Py_ssize_t k = a->ndim - 1, step = size; k >= 0; step *= e->shape[k--])
        e->strides[k] = step;
    static char nothing[16];
    *view = (Py_buffer){ .buf = length ? (char *)a->data + a->byte_offset : nothing,
                         .len = length * size,
                         .itemsize = size,
                         .readonly = 1,
                         .ndim = (flags & PyBUF_ND) == PyBUF_ND ? a->ndim : 1,
                         .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
                         .shape = (flags & PyBUF_ND) == PyBUF_ND ? e->shape : NULL,
                         .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL,
                         .internal = e };
    Py_INCREF(self);
    view->obj = self;
    return 0;
}

void release_buffer(PyObject *self, Py_buffer *view)
{
    (void)self;
    exported *e = view->internal;
    e->value->deleter(e->value);
    PyMem_Free(e);
}

/* -- DLPack --------------------------------------------------------------------------------------------------------- */

static void versioned_unused(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned"))
        return;
    orr_dlpack_versioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    m->deleter(m);
}

static void unversioned_unused(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return;
    orr_dlpack_unversioned *m = PyCapsule_GetPointer(capsule, "dltensor");
    m->deleter(m);
}

/* dlpack(versioned, copied); a copy, which nobody else reads, may be written by the consumer. */
static PyObject *to_dlpack(PyObject *self, PyObject *args)
{
    int versioned = 0, copied = 0;
    call c;
    orr_tensor *t;
    if (!PyArg_ParseTuple(args, "pp", &versioned, &copied) || !begin_plain(&c, "__dlpack__") ||
        !to_tensor(&c, self, "self", &t))
        return NULL;
    orr_dlpack_versioned *new = NULL;
    orr_dlpack_unversioned *old = NULL;
    PyThreadState *state = reading(&c, t);
    orr_status s =
        versioned ? orr_to_dlpack_at(c.file, c.line, t, &new) : orr_to_dlpack_unversioned_at(c.file, c.line, t, &old);
    has_read(state);
    if (s != ORR_OK)
        return raise(&c, s);
    if (new &&copied)
        new->flags = (new->flags & ~(uint64_t)ORR_DLPACK_READ_ONLY) | ORR_DLPACK_IS_COPIED;
    PyObject *o = versioned ? PyCapsule_New(new, "dltensor_versioned", versioned_unused)
                            : PyCapsule_New(old, "dltensor", unversioned_unused);
    if (!o && new)
        new->deleter(new);
    if (!o && old)
        old->deleter(old);
    return o;
}

static void array_released(orr_dlpack_versioned *m)
{
    push(m->manager);
    (void)Py_AddPendingCall(release_finished, NULL);
    free(m);
}

/* A manager of ours around that of another library, whose deleter wants the interpreter's lock. */
static PyObject *from_manager(call *c, orr_dlpack_array array, uint64_t flags, orr_dlpack_versioned *new,
                              orr_dlpack_unversioned *old)
{
    finished *f = calloc(1, sizeof *f);
    orr_dlpack_versioned *m = calloc(1, sizeof *m);
    if (!f || !m) {
        free(f);
        free(m);
        return PyErr_NoMemory();
    }
    *f = (finished){ .versioned = new, .unversioned = old };
    *m = (orr_dlpack_versioned){ .major = 1, .manager = f, .deleter = array_released, .flags = flags, .array = array };
    PyObject *o = from_tensor(c, orr_from_dlpack_at(c->file, c->line, m));
    if (!o) {
        free(f);
        free(m);
    }
    return o;
}

static PyObject *from_capsule(PyObject *self, PyObject *capsule)
{
    call c;
    PyObject *o;
    (void)self;
    if (!begin_plain(&c, "from_dlpack"))
        return NULL;
    (void)release_finished(NULL);
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        orr_dlpack_versioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (m->major != 1) {
            PyErr_Format(PyExc_BufferError, "from_dlpack(): DLPack version %u.%u is not 1.x", m->major, m->minor);
            return NULL;
        }
        if ((o = from_manager(&c, m->array, m->flags, m, NULL)))
            (void)PyCapsule_SetName(capsule, "used_dltensor_versioned");
        return o;
    }
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        orr_dlpack_unversioned *m = PyCapsule_GetPointer(capsule, "dltensor");
        if ((o = from_manager(&c, m->array, 0, NULL, m)))
            (void)PyCapsule_SetName(capsule, "used_dltensor");
        return o;
    }
    PyErr_SetString(PyExc_TypeError, "from_dlpack(): the capsule is used, or none of DLPack");
    return NULL;
}

PyMethodDef exchange_functions[] = {
    { "from_buffer", from_buffer, METH_VARARGS, "from_buffer(object, share=False): a tensor of a buffer's elements." },
    { "from_bytes", from_bytes, METH_VARARGS, "from_bytes(dtype, shape, bytes): a tensor of elements in memory." },
    { "from_capsule", from_capsule, METH_O, "from_capsule(capsule): a tensor on an array of another library." },
    { NULL, NULL, 0, NULL }
};
PyMethodDef exchange_methods[] = { { "tobytes", tobytes, METH_NOARGS,
                                     "The elements' bytes, row-major. Evaluates the tensor." },
                                   { "_dlpack", to_dlpack, METH_VARARGS, "_dlpack(versioned): a capsule of DLPack." },
                                   { NULL, NULL, 0, NULL } };
