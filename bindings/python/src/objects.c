/* The extension module: its types, exceptions and names.
 * Must not know: any operation. */
#include "core.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* -- a tensor's facts ------------------------------------------------------------------------------------------ */

static PyObject *get_shape(PyObject *self, void *unused)
{
    (void)unused;
    return from_shape(orr_tensor_shape(((tensor *)self)->t));
}

static PyObject *get_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return from_dtype(orr_tensor_dtype(((tensor *)self)->t));
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(orr_tensor_shape(((tensor *)self)->t).rank);
}

static PyObject *get_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(orr_tensor_size(((tensor *)self)->t));
}

static Py_ssize_t length(PyObject *self)
{
    orr_shape s = orr_tensor_shape(((tensor *)self)->t);
    if (s.rank > 0)
        return (Py_ssize_t)s.dim[0];
    PyErr_SetString(PyExc_TypeError, "a tensor without axes has no length");
    return -1;
}

/* The one element as a Python number. */
static PyObject *item(PyObject *self, PyObject *unused)
{
    call c;
    orr_tensor *t;
    (void)unused;
    if (!begin_plain(&c, "item") || !to_tensor(&c, self, "self", &t))
        return NULL;
    orr_dtype d = orr_tensor_dtype(t);
    orr_number v = ORR_REAL(0);
    double re = 0, im = 0;
    bool complex = d == ORR_C64 || d == ORR_C128;
    PyThreadState *state = reading(&c, t);
    orr_status s =
        complex ? orr_item_complex_at(c.file, c.line, t, &re, &im) : orr_item_number_at(c.file, c.line, t, &v);
    has_read(state);
    if (s != ORR_OK)
        return raise(&c, s);
    if (complex)
        return PyComplex_FromDoubles(re, im);
    if (v.dtype == ORR_F64)
        return PyFloat_FromDouble(v.f);
    if (v.dtype == ORR_U64)
        return PyLong_FromUnsignedLongLong(v.u);
    return d == ORR_BOOL ? PyBool_FromLong(v.i != 0) : PyLong_FromLongLong(v.i);
}

/* The element at places of the axes, or at one place of all elements in order. */
static PyObject *item_at(PyObject *self, PyObject *places)
{
    if (PyTuple_Size(places) == 0)
        return item(self, NULL);
    if (PyTuple_Size(places) == 1 && PyTuple_Check(PyTuple_GetItem(places, 0)))
        places = PyTuple_GetItem(places, 0);
    PyObject *flat = PyTuple_Size(places) == 1 ? PyObject_CallMethod(self, "reshape", "i", -1) : Py_NewRef(self);
    PyObject *one = flat ? PyObject_GetItem(flat, places) : NULL, *v = one ? item(one, NULL) : NULL;
    Py_XDECREF(one);
    Py_XDECREF(flat);
    return v;
}

static int truth(PyObject *self)
{
    int64_t n = orr_tensor_size(((tensor *)self)->t);
    if (n != 1) {
        PyErr_Format(errors[ORR_ESHAPE], "a tensor of %lld elements is neither true nor false: use any() or all()",
                     (long long)n);
        return -1;
    }
    PyObject *v = item(self, NULL);
    int is = v ? PyObject_IsTrue(v) : -1;
    Py_XDECREF(v);
    return is;
}

/* The one element as a number of Python; of more, a TypeError, as of NumPy's arrays. */
static PyObject *as_number(PyObject *self)
{
    const orr_tensor *t = ((tensor *)self)->t;
    if (!t || orr_tensor_size(t) == 1)
        return item(self, NULL);
    PyErr_Format(PyExc_TypeError, "a tensor of %lld elements is no number", (long long)orr_tensor_size(t));
    return NULL;
}

static PyObject *by(PyObject *self, PyObject *(*to)(PyObject *))
{
    PyObject *v = as_number(self), *r = v ? to(v) : NULL;
    Py_XDECREF(v);
    return r;
}

static PyObject *as_int(PyObject *self)
{
    return by(self, PyNumber_Long);
}

static PyObject *as_float(PyObject *self)
{
    return by(self, PyNumber_Float);
}

static PyObject *as_index(PyObject *self)
{
    orr_tensor *t = ((tensor *)self)->t;
    if (orr_tensor_dtype(t) == ORR_BOOL || orr_tensor_shape(t).rank > 0) {
        PyErr_SetString(PyExc_TypeError, "an index is an integer, or a tensor of an integer dtype without axes");
        return NULL;
    }
    return by(self, PyNumber_Index);
}

static PyObject *as_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *v = as_number(self);
    if (!v)
        return NULL;
    double re = PyComplex_RealAsDouble(v), im = PyComplex_ImagAsDouble(v);
    Py_DECREF(v);
    return PyErr_Occurred() ? NULL : PyComplex_FromDoubles(re, im);
}

/* The text of orr_print, without the line's end. */
static PyObject *as_text(PyObject *self)
{
    call c;
    orr_tensor *t;
    char *text = NULL;
    size_t size = 0;
    if (!begin_plain(&c, "print") || !to_tensor(&c, self, "self", &t))
        return NULL;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return PyErr_NoMemory();
    orr_status s;
    Py_BEGIN_ALLOW_THREADS s = orr_print_at(c.file, c.line, f, t);
    Py_END_ALLOW_THREADS(void) fclose(f);
    while (size && text[size - 1] == '\n')
        text[--size] = '\0';
    PyObject *r = s == ORR_OK ? from_text(text) : raise(&c, s);
    free(text);
    return r;
}

/* Gives the object the value of another one: a variable is assigned, so that it stays one for optimisers and modules; else the objects
 * exchange their tensors, if they `may`. *is: the object has the value. */
static bool take_value(PyObject *self, PyObject *other, bool may, bool *is)
{
    call c;
    orr_tensor *t;
    tensor *o = (tensor *)self, *from = (tensor *)other;
    if (!begin_plain(&c, "__setitem__") || !to_tensor(&c, other, "value", &t))
        return false;
    if (c.n_temps || from->keep || Py_TYPE(other) != tensor_type) {
        ended(&c);
        PyErr_SetString(errors[ORR_EINVAL], "the new value is a tensor of its own");
        return false;
    }
    orr_status s = orr_assign_at(c.file, c.line, o->t, t);
    *is = s == ORR_OK || (s == ORR_EINVAL && may);
    if (s != ORR_OK && *is) {
        from->t = o->t;
        from->keep = o->keep;
        o->t = t;
        orr_dtype is = from->dtype;
        from->dtype = o->dtype;
        o->dtype = is;
        o->keep = NULL;
    }
    if (*is)
        o->changes = (o->changes + 1) & INT_MAX;
    return s == ORR_OK || s == ORR_EINVAL || raise(&c, s);
}

/* The object gets another tensor's value. Returns the number of changes. */
static PyObject *become(PyObject *self, PyObject *other)
{
    bool is;
    return take_value(self, other, true, &is) ? PyLong_FromLong(((tensor *)self)->changes) : NULL;
}

/* A variable gets another tensor's value. False: the object is none. */
static PyObject *assign(PyObject *self, PyObject *other)
{
    bool is;
    return take_value(self, other, false, &is) ? PyBool_FromLong(is) : NULL;
}

/* Makes the object a part: (the whole, the function that makes the part of it). */
static PyObject *tie(PyObject *self, PyObject *base)
{
    tensor *o = (tensor *)self;
    PyObject *whole = PyTuple_Check(base) && PyTuple_Size(base) == 2 ? PyTuple_GetItem(base, 0) : Py_None;
    if (!PyObject_TypeCheck(whole, tensor_type) || whole == self || o->keep) {
        PyErr_SetString(PyExc_TypeError, "a part has a whole, and a function");
        return NULL;
    }
    Py_INCREF(base);
    Py_XDECREF(o->base);
    o->base = base;
    o->seen = ((tensor *)whole)->changes;
    Py_RETURN_NONE;
}

/* -- types ------------------------------------------------------------------------------------------------------- */

static PyObject *initialise(PyObject *self, PyObject *args, PyObject *options)
{
    call c;
    orr_config config = { 0 };
    (void)self;
    if (!PyArg_ParseTuple(args, "")) /* keywords only */
        return NULL;
    c = (call){ .name = "init", .file = "python" };
    if (options && !fill_orr_config(&c, options, &config))
        return failed(&c);
    orr_status s;
    Py_BEGIN_ALLOW_THREADS s = orr_init_at(c.file, c.line, ORR_HEADERS, &config);
    Py_END_ALLOW_THREADS started = started || s == ORR_OK;
    if (!ok(&c, s))
        return failed(&c);
    ended(&c);
    Py_RETURN_NONE;
}

static PyObject *set_package(PyObject *self, PyObject *folder)
{
    (void)self;
    Py_INCREF(folder);
    Py_XDECREF(package);
    package = folder;
    Py_RETURN_NONE;
}

static PyObject *new_refused(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    (void)args, (void)kw;
    PyObject *name = PyType_GetName(type);
    PyErr_Format(PyExc_TypeError, "%S is made by functions, such as orrery.asarray", name ? name : Py_None);
    Py_XDECREF(name);
    return NULL;
}

static bool make_types(PyObject *module)
{
    static PyGetSetDef facts[] = { { "shape", get_shape, NULL, "The lengths of the axes.", NULL },
                                   { "dtype", get_dtype, NULL, "The element type.", NULL },
                                   { "ndim", get_ndim, NULL, "The number of axes.", NULL },
                                   { "size", get_size, NULL, "The number of elements.", NULL },
                                   { NULL, NULL, NULL, NULL, NULL } };
    static PyMemberDef members[] = { { "__weaklistoffset__", T_PYSSIZET, offsetof(tensor, weak), READONLY, NULL },
                                     { "_base", T_OBJECT, offsetof(tensor, base), READONLY, NULL },
                                     { NULL, 0, 0, 0, NULL } };
    static PyMethodDef more[] = { { "item", item_at, METH_VARARGS,
                                    "The one element, or that at a place, as a number. Evaluates the tensor." },
                                  { "__complex__", as_complex, METH_NOARGS, NULL },
                                  { "_become", become, METH_O, NULL },
                                  { "_assign", assign, METH_O, NULL },
                                  { "_tie", tie, METH_O, NULL } };
    static PyMethodDef methods[512];
    int n = 0;
    for (PyMethodDef *m = exchange_methods; m->ml_name; m++)
        methods[n++] = *m;
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        methods[n++] = more[k];
    for (PyMethodDef *m = tensor_methods; m->ml_name && n < 511; m++)
        methods[n++] = *m;
    PyType_Slot slots[64] = { { Py_tp_dealloc, tensor_dealloc },
                              { Py_tp_getset, facts },
                              { Py_tp_members, members },
                              { Py_tp_methods, methods },
                              { Py_tp_new, new_refused },
                              { Py_mp_length, length },
                              { Py_nb_bool, truth },
                              { Py_nb_int, as_int },
                              { Py_nb_float, as_float },
                              { Py_nb_index, as_index },
                              { Py_tp_str, as_text },
                              { Py_bf_getbuffer, get_buffer },
                              { Py_bf_releasebuffer, release_buffer },
                              { Py_tp_doc,
                                (void *)"A tensor: a value of elements of one type, computed when it is read." } };
    int at = 14;
    for (PyType_Slot *s = operator_slots; s->slot && at < 63; s++)
        slots[at++] = *s;
    PyType_Spec spec = { "orrery.Tensor", sizeof(tensor), 0, Py_TPFLAGS_DEFAULT, slots };
    tensor_type = (PyTypeObject *)PyType_FromSpec(&spec);
    static PyGetSetDef dtype_facts[] = { { "name", dtype_name, NULL, "As in the array API standard.", NULL },
                                         { "itemsize", dtype_itemsize, NULL, "Bytes of an element.", NULL },
                                         { NULL, NULL, NULL, NULL, NULL } };
    static PyMethodDef dtype_methods[] = { { "__reduce__", dtype_reduce, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL } };
    PyType_Slot dtype_slots[] = { { Py_tp_dealloc, plain_dealloc }, { Py_tp_repr, dtype_repr },
                                  { Py_tp_getset, dtype_facts },    { Py_tp_methods, dtype_methods },
                                  { Py_tp_new, new_refused },       { 0, NULL } };
    PyType_Spec dtype_spec = { "orrery.DType", sizeof(dtype), 0, Py_TPFLAGS_DEFAULT, dtype_slots };
    dtype_type = (PyTypeObject *)PyType_FromSpec(&dtype_spec);
    return tensor_type && dtype_type && PyModule_AddObjectRef(module, "Tensor", (PyObject *)tensor_type) == 0 &&
           PyModule_AddObjectRef(module, "DType", (PyObject *)dtype_type) == 0;
}

static bool make_dtypes(PyObject *module)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(dtype_type, Py_tp_alloc);
    for (int k = 0; k < ORR_DTYPE_COUNT; k++) {
        dtype *o = (dtype *)alloc(dtype_type, 0);
        if (!o)
            return false;
        o->code = (orr_dtype)k;
        dtypes[k] = (PyObject *)o;
        if (PyModule_AddObjectRef(module, orr_dtype_name((orr_dtype)k), dtypes[k]) < 0)
            return false;
    }
    return true;
}

static bool make_handles(PyObject *module)
{
    for (int k = 0; handle_kinds[k]; k++) {
        handle_kind *h = handle_kinds[k];
        char name[80];
        (void)snprintf(name, sizeof name, "orrery.%s", h->name);
        PyType_Slot slots[] = { { Py_tp_dealloc, handle_dealloc },
                                { Py_tp_methods, h->methods },
                                { Py_tp_new, new_refused },
                                { Py_tp_doc, (void *)(uintptr_t)h->doc },
                                { 0, NULL } };
        PyType_Spec spec = { name, sizeof(handle), 0, Py_TPFLAGS_DEFAULT, slots };
        h->type = (PyTypeObject *)PyType_FromSpec(&spec);
        if (!h->type || PyModule_AddObjectRef(module, h->name, (PyObject *)h->type) < 0)
            return false;
    }
    return true;
}

/* Error and the named classes of Python, at most two. */
static PyObject *bases_of(PyObject *base, const char *near)
{
    PyObject *builtins = PyImport_ImportModule("builtins");
    const char *second = strchr(near, ' ');
    PyObject *name = PyUnicode_FromStringAndSize(near, second ? second - near : (Py_ssize_t)strlen(near));
    PyObject *one = builtins && name ? PyObject_GetAttr(builtins, name) : NULL;
    PyObject *two = one && second ? PyObject_GetAttrString(builtins, second + 1) : NULL;
    PyObject *bases = two ? Py_BuildValue("(OOO)", base, one, two) : one ? Py_BuildValue("(OO)", base, one) : NULL;
    Py_XDECREF(two);
    Py_XDECREF(one);
    Py_XDECREF(name);
    Py_XDECREF(builtins);
    return bases;
}

/* An exception for each status: Error, and the classes of Python that are nearest. */
static bool make_errors(PyObject *module)
{
    PyObject *base = PyErr_NewExceptionWithDoc("orrery.Error", "An error of the library.", NULL, NULL);
    bool whole = base && PyModule_AddObjectRef(module, "Error", base) == 0;
    for (int k = 0; whole && k < status_count; k++) {
        const status_row *row = &status_rows[k];
        char name[80];
        (void)snprintf(name, sizeof name, "orrery.%s", row->name);
        PyObject *bases = bases_of(base, row->near);
        PyObject *e =
            bases ? PyErr_NewExceptionWithDoc(name, orr_status_name((orr_status)row->status), bases, NULL) : NULL;
        Py_XDECREF(bases);
        whole = e && row->status < STATUSES && PyModule_AddObjectRef(module, row->name, e) == 0;
        if (whole)
            errors[row->status] = e;
    }
    errors[ORR_OK] = errors[ORR_EINTERNAL];
    return whole;
}

static PyMethodDef own[] = { { "init", (PyCFunction)(void (*)(void))initialise, METH_VARARGS | METH_KEYWORDS,
                               "init(**config): starts the library with settings; else the first call starts it." },
                             { "_set_package", set_package, METH_O, NULL },
                             { "_deliver", deliver, METH_NOARGS, NULL },
                             { "_listen_no_more", listen_no_more, METH_NOARGS, NULL },
                             { NULL, NULL, 0, NULL } };

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    static struct PyModuleDef def = { PyModuleDef_HEAD_INIT,
                                      "orrery._core",
                                      "Generated from include/orrery/api.json.",
                                      -1,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL };
    PyObject *m = PyModule_Create(&def);
    files = PyDict_New();
    places_begin();
    if (!m || !files || PyModule_AddFunctions(m, own) < 0 || PyModule_AddFunctions(m, exchange_functions) < 0 ||
        PyModule_AddFunctions(m, functions) < 0 || !make_types(m) || !make_dtypes(m) || !make_handles(m) ||
        !make_errors(m) || !make_records(m) || !add_constants(m)) {
        Py_XDECREF(m);
        return NULL;
    }
    return m;
}
