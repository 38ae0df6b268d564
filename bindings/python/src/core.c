/* Tensors, dtypes and handles as Python objects; conversions of arguments and results; errors.
 * Must not know: any operation of the library; those are generated. */
#include "core.h"
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *tensor_type, *dtype_type;
PyObject *dtypes[ORR_DTYPE_COUNT], *errors[STATUSES], *files, *package;
bool started;
static int scopes; /* open ones; an object of Python owns its tensor, whatever scope is open */

/* -- the caller's place ------------------------------------------------------------------------------------------ */

/* Places in programs whose file and line are known. A line is found by a walk through the code's table of lines, which
 * costs more than to record an operation, and in a long function much more. */
enum { PLACES = 1024 };
static struct {
    PyCodeObject *code; /* owned, so that its address is not another one's */
    int instruction, line;
    const char *file;
    bool inside; /* of this package */
} places[PLACES];
/* Of Python 3.11, but not of its stable ABI; NULL: unknown. */
static int (*instruction_of)(PyFrameObject *frame);
static PyFrameObject *(*caller_of)(PyFrameObject *frame); /* a new reference */

void places_begin(void)
{
    instruction_of = (int (*)(PyFrameObject *))(uintptr_t)dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
    caller_of = (PyFrameObject * (*)(PyFrameObject *))(uintptr_t)dlsym(RTLD_DEFAULT, "PyFrame_GetBack");
}

/* A copy of a file's name that lives for ever, as tensors need it. */
static const char *lasting(PyObject *name)
{
    PyObject *bytes = PyDict_GetItemWithError(files, name);
    if (!bytes) {
        bytes = PyUnicode_AsUTF8String(name);
        if (!bytes || PyDict_SetItem(files, name, bytes) < 0) {
            Py_XDECREF(bytes);
            PyErr_Clear();
            return "python";
        }
        Py_DECREF(bytes); /* the table keeps it */
    }
    return PyBytes_AsString(bytes);
}

/* The place in the table of the frame's current line; −1: it has no file. */
static int place_of(PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    int at = instruction_of ? instruction_of(frame) : -1;
    int k = (int)(((uintptr_t)code / 64 + (unsigned)at / 2) % PLACES);
    if (places[k].code == code && places[k].instruction == at) {
        Py_DECREF((PyObject *)code); /* the table keeps it */
        return k;
    }
    PyObject *name = PyObject_GetAttrString((PyObject *)code, "co_filename");
    if (!name || !PyUnicode_Check(name)) {
        PyErr_Clear();
        Py_XDECREF(name);
        Py_DECREF((PyObject *)code);
        return -1;
    }
    Py_XDECREF((PyObject *)places[k].code);
    places[k].code = code;
    places[k].instruction = at;
    places[k].line = PyFrame_GetLineNumber(frame);
    places[k].file = lasting(name);
    places[k].inside = package && PyUnicode_Tailmatch(name, package, 0, PY_SSIZE_T_MAX, -1) == 1;
    Py_DECREF(name);
    return k;
}

static void find_place(call *c)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame(), *owned = NULL;
    c->file = "python";
    c->line = 0;
    while (frame && frame != Py_None) {
        int k = place_of((PyFrameObject *)frame);
        if (k >= 0 && !places[k].inside) {
            c->file = places[k].file;
            c->line = instruction_of ? places[k].line : PyFrame_GetLineNumber((PyFrameObject *)frame);
            break;
        }
        PyObject *back =
            caller_of ? (PyObject *)caller_of((PyFrameObject *)frame) : PyObject_GetAttrString(frame, "f_back");
        Py_XDECREF(owned);
        frame = owned = back;
    }
    if (!frame)
        PyErr_Clear();
    Py_XDECREF(owned);
}

/* -- calls ------------------------------------------------------------------------------------------------------------ */

static bool start(call *c)
{
    if (started)
        return true;
    orr_status s;
    Py_BEGIN_ALLOW_THREADS s = orr_init_at(c->file, c->line, ORR_HEADERS, NULL);
    Py_END_ALLOW_THREADS started =
        s == ORR_OK || s == ORR_ESTATE; /* another thread, or another user of the library in this process */
    return started || ok(c, s);
}

static bool unknown_keyword(call *c, const signature *s, PyObject *name, PyObject *value)
{
    if (s->options < 0) {
        PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", s->name, name);
        return false;
    }
    if (!c->extra && !(c->extra = PyDict_New()))
        return false;
    return PyDict_SetItem(c->extra, name, value) == 0;
}

static bool keywords(call *c, const signature *s, PyObject *const *values, PyObject *kwnames, PyObject **v)
{
    Py_ssize_t n = PyTuple_Size(kwnames);
    for (Py_ssize_t j = 0; j < n; j++) {
        PyObject *name = PyTuple_GetItem(kwnames, j);
        int k = 0;
        while (k < s->n && PyUnicode_CompareWithASCIIString(name, s->names[k]) != 0)
            k++;
        if (k == s->n) {
            if (!unknown_keyword(c, s, name, values[j]))
                return false;
        } else if (v[k]) {
            PyErr_Format(PyExc_TypeError, "%s() gets the argument '%s' twice", s->name, s->names[k]);
            return false;
        } else {
            v[k] = values[j];
        }
    }
    return true;
}

void blank(call *c, const char *name)
{
    c->name = name;
    c->n_temps = c->n_memory = c->n_args = 0;
    c->signature = NULL;
    c->operands = 0;
    c->floats = false;
    c->scope = NULL;
    c->extra = c->views = NULL;
    c->slot = NULL;
    c->next = NULL;
}

/* "f() needs the argument 'b': f(a, b, c)". Always false. */
static bool missing(const signature *s, int k)
{
    PyObject *all = PyUnicode_FromString("");
    for (int i = 0; all && i < s->n; i++)
        PyUnicode_AppendAndDel(&all,
                               PyUnicode_FromFormat("%s%s%s", i ? ", " : "", s->names[i], i < s->required ? "" : "=…"));
    if (all)
        PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s': %s(%U)", s->name, s->names[k], s->name, all);
    Py_XDECREF(all);
    return false;
}

bool begin(call *c, const signature *s, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames, PyObject **v)
{
    blank(c, s->name);
    find_place(c);
    if (!start(c))
        return false;
    if (argc > s->n) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d arguments at most, not %zd", s->name, s->n, argc);
        return false;
    }
    for (int k = 0; k < s->n; k++)
        v[k] = k < argc ? argv[k] : NULL;
    c->args = v;
    c->n_args = s->n;
    c->signature = s;
    c->operands = s->operands;
    c->floats = s->floats;
    if (kwnames && !keywords(c, s, argv + argc, kwnames, v)) {
        Py_CLEAR(c->extra);
        return false;
    }
    for (int k = 0; k < s->n; k++) {
        if (!v[k] && k < s->required) {
            Py_CLEAR(c->extra);
            return missing(s, k);
        }
        if (v[k] == Py_None && k >= s->required)
            v[k] = NULL;
    }
    if (c->extra && v[s->options]) {
        PyErr_Format(PyExc_TypeError, "%s() gets options as '%s' and as keywords", s->name, s->names[s->options]);
        Py_CLEAR(c->extra);
        return false;
    }
    if (c->extra)
        v[s->options] = c->extra;
    return true;
}

void ended(call *c)
{
    for (int k = 0; k < c->n_temps; k++)
        (void)orr_free_at(c->file, c->line, c->temp[k]);
    for (int k = 0; k < c->n_memory; k++)
        PyMem_Free(c->memory[k]);
    c->n_temps = c->n_memory = 0;
    if (c->scope) {
        (void)orr_scope_end_at(c->file, c->line, c->scope);
        scopes--;
    }
    c->scope = NULL;
    Py_CLEAR(c->extra);
    Py_CLEAR(c->views);
    slot_set(c, false);
}

void open_scope(call *c)
{
    c->scope = orr_scope_begin();
    scopes += c->scope != NULL;
}

PyObject *failed(call *c)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    ended(c);
    PyErr_Restore(type, value, trace);
    return NULL;
}

/* The name of Python for the `n` bytes of a name of C; NULL: it has none. */
static const char *python_name(const char *name, size_t n)
{
    for (int k = 0; k < ORR_DTYPE_COUNT; k++)
        if (strlen(dtype_enumerators[k]) == n && strncmp(name, dtype_enumerators[k], n) == 0)
            return orr_dtype_name((orr_dtype)k);
    for (const PyMethodDef *m = functions; m->ml_name && strncmp(name, "orr_", 4) == 0; m++)
        if (strlen(m->ml_name) == n - 4 && strncmp(name + 4, m->ml_name, n - 4) == 0)
            return m->ml_name;
    return NULL;
}

/* A message of the library, with orrery.cast for orr_cast and orrery.float32 for ORR_F32. */
static PyObject *in_python(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    PyObject *all = PyUnicode_FromString("");
    while (all && *text) {
        size_t n = strspn(text, letters), rest = n + strcspn(text + n, letters);
        const char *own = n > 4 ? python_name(text, n) : NULL;
        PyObject *more =
            own ? PyUnicode_FromFormat("orrery.%s", own) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "replace");
        PyUnicode_AppendAndDel(&all, more);
        PyUnicode_AppendAndDel(&all, PyUnicode_DecodeUTF8(text + n, (Py_ssize_t)(rest - n), "replace"));
        text += rest;
    }
    return all;
}

PyObject *raise(call *c, orr_status s)
{
    if (PyErr_Occurred()) /* of a function that the library has called */
        return NULL;
    if ((unsigned)s >= STATUSES || !errors[s])
        s = ORR_EINTERNAL;
    const char *text = orr_error_message();
    PyObject *message = in_python(*text ? text : orr_status_name(s));
    if (message)
        PyErr_SetObject(errors[s], message);
    Py_XDECREF(message);
    (void)c;
    return NULL;
}

bool ok(call *c, orr_status s)
{
    if (s == ORR_OK && !PyErr_Occurred())
        return true;
    (void)raise(c, s);
    return false;
}

void *memory(call *c, size_t bytes)
{
    void *m = c->n_memory < MOST_TEMPS ? PyMem_Calloc(1, bytes ? bytes : 1) : NULL;
    if (m)
        c->memory[c->n_memory++] = m;
    else
        PyErr_NoMemory();
    return m;
}

static bool wrong(call *c, const char *name, PyObject *v, const char *want)
{
    PyObject *type = PyType_GetName(Py_TYPE(v));
    PyErr_Format(PyExc_TypeError, "%s(): '%s' is %s, not of type %S", c->name, name, want, type ? type : Py_None);
    Py_XDECREF(type);
    return false;
}

/* -- tensors ------------------------------------------------------------------------------------------------------------ */

/* Memory of tensors that are gone: most programs make and drop them all the time. */
enum { SPARES = 64 };
static tensor *spare[SPARES];
static int spares;

/* A tensor's object without its tensor. */
static tensor *object(void)
{
    static allocfunc alloc;
    if (spares) {
        tensor *o = spare[--spares];
        *o = (tensor){ .t = NULL };
        return (tensor *)PyObject_Init((PyObject *)o, tensor_type);
    }
    if (!alloc)
        alloc = (allocfunc)PyType_GetSlot(tensor_type, Py_tp_alloc);
    return (tensor *)alloc(tensor_type, 0);
}

static PyObject *new_tensor(orr_tensor *t, orr_dtype is)
{
    tensor *o = object();
    if (!o)
        return (void)orr_free_at("python", 0, t), NULL;
    o->t = scopes ? orr_keep_at("python", 0, t) : t;
    o->dtype = is;
    return (PyObject *)o;
}

PyObject *from_tensor(call *c, orr_tensor *t)
{
    orr_dtype is = t ? orr_tensor_dtype(t) : ORR_DTYPE_COUNT; /* of poison: ORR_DTYPE_COUNT */
    if (is != ORR_DTYPE_COUNT && !PyErr_Occurred())
        return new_tensor(t, is);
    orr_status s = t ? orr_tensor_status(t) : orr_error_status();
    (void)raise(c, s == ORR_OK ? ORR_EINTERNAL : s);
    if (t)
        (void)orr_free_at(c->file, c->line, t);
    return NULL;
}

PyObject *from_borrowed(call *c, orr_tensor *t, PyObject *keep)
{
    if (!t && orr_error_status() != ORR_OK)
        return raise(c, orr_error_status());
    if (!t)
        Py_RETURN_NONE;
    tensor *o = object();
    if (o) {
        o->t = t;
        o->dtype = orr_tensor_dtype(t);
        Py_XINCREF(keep);
        o->keep = keep;
    }
    return (PyObject *)o;
}

PyObject *from_tensors(call *c, orr_tensor **t, int64_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t k = 0; k < n; k++) {
        PyObject *o = list ? from_tensor(c, t[k]) : NULL;
        if (o) {
            (void)PyList_SetItem(list, (Py_ssize_t)k, o);
        } else {
            for (int64_t j = list ? k + 1 : 0; j < n; j++)
                if (t[j])
                    (void)orr_free_at(c->file, c->line, t[j]);
            Py_XDECREF(list);
            return NULL;
        }
    }
    return list;
}

void tensor_dealloc(PyObject *self)
{
    tensor *o = (tensor *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (o->weak)
        PyObject_ClearWeakRefs(self);
    if (o->t && !o->keep)
        (void)orr_free_at("python", 0, o->t);
    Py_XDECREF(o->keep);
    Py_XDECREF(o->base);
    if (type == tensor_type && spares < SPARES)
        spare[spares++] = o;
    else
        ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

bool temporary(call *c, orr_tensor *t, orr_tensor **to)
{
    if (c->n_temps == MOST_TEMPS) {
        (void)orr_free_at(c->file, c->line, t);
        PyErr_Format(PyExc_TypeError,
                     "%s(): more than %d numbers, arrays of others and integers beside floats among the tensors: write "
                     "orrery.asarray or orrery.astype first",
                     c->name, MOST_TEMPS);
        return false;
    }
    orr_status s = orr_tensor_status(t);
    if (s != ORR_OK)
        return (void)raise(c, s), (void)orr_free_at(c->file, c->line, t), false;
    *to = c->temp[c->n_temps++] = t;
    return true;
}

/* -- numbers beside tensors ---------------------------------------------------------------------------------------------- */

/* The dtype of the first tensor among the arguments that is no condition; ORR_BOOL: there is none. */
static orr_dtype beside(const call *c)
{
    for (int k = 0; k < c->n_args; k++)
        if (c->args[k] && PyObject_TypeCheck(c->args[k], tensor_type) && ((tensor *)c->args[k])->t) {
            orr_dtype t = ((tensor *)c->args[k])->dtype;
            if (t != ORR_BOOL)
                return t;
        }
    return ORR_BOOL;
}

static bool is_integer(orr_dtype t)
{
    return t > ORR_BOOL && t <= ORR_U64;
}

/* Whether the integer, if it is one of 64 bits, is a value of the dtype of integers or bools; −1, 1: it is below, above. */
static int place_in(PyObject *v, orr_dtype t, orr_number *to)
{
    int over = 0, bits = (int)orr_dtype_size(t) * 8;
    bool is_signed = t >= ORR_I8 && t <= ORR_I64;
    long long i = PyLong_AsLongLongAndOverflow(v, &over);
    *to = ORR_INTEGER(i);
    if (is_signed)
        return over ? over : bits < 64 && i < -(1LL << (bits - 1)) ? -1 : bits < 64 && i >= 1LL << (bits - 1) ? 1 : 0;
    if (over < 0 || (!over && i < 0))
        return -1;
    unsigned long long u = over ? PyLong_AsUnsignedLongLong(v) : (unsigned long long)i;
    if (over && PyErr_Occurred())
        return PyErr_Clear(), 1;
    *to = ORR_UNSIGNED(u);
    return u > (t == ORR_BOOL ? 1 : bits < 64 ? (1ULL << bits) - 1 : UINT64_MAX) ? 1 : 0;
}

static bool real_scalar(call *c, double x, orr_tensor **t)
{
    return temporary(c, orr_scalar_at(c->file, c->line, x), t);
}

/* An integer that a float does not hold exactly. Beside floats it is rounded, beside integers it is one of their dtype. */
static bool of_large(call *c, PyObject *v, orr_tensor **t)
{
    orr_dtype kind = beside(c);
    orr_number n;
    if (c->floats || (kind != ORR_BOOL && !is_integer(kind))) {
        double x = PyLong_AsDouble(v);
        return !PyErr_Occurred() && real_scalar(c, x, t);
    }
    int place = place_in(v, kind == ORR_BOOL ? ORR_I64 : kind, &n);
    if (place && kind == ORR_BOOL)
        place = place_in(v, kind = ORR_U64, &n);
    if (place) {
        PyErr_Format(errors[ORR_EDTYPE], "%s(): %S is no value of %s", c->name, v, orr_dtype_name(kind));
        return false;
    }
    kind = kind == ORR_BOOL ? ORR_I64 : kind;
    return temporary(c, orr_full_number_at(c->file, c->line, kind, ORR_SHAPE_0D, n), t);
}

static bool of_integer(call *c, PyObject *v, orr_tensor **t)
{
    int over = 0;
    long long i = PyLong_AsLongLongAndOverflow(v, &over);
    return !over && i >= -(1LL << 53) && i <= 1LL << 53 ? real_scalar(c, (double)i, t) : of_large(c, v, t);
}

/* A number of Python; *is false: it is none. */
static bool of_number(call *c, PyObject *v, orr_tensor **t, bool *is)
{
    *is = true;
    if (PyFloat_Check(v))
        return real_scalar(c, PyFloat_AsDouble(v), t);
    if (PyLong_Check(v))
        return of_integer(c, v, t);
    if (PyComplex_Check(v))
        return temporary(
            c, orr_scalar_complex_at(c->file, c->line, PyComplex_RealAsDouble(v), PyComplex_ImagAsDouble(v)), t);
    *is = false;
    return true;
}

/* -- integers and truth values beside others, as in NumPy ------------------------------------------------------------ */

static orr_dtype dtype_of(PyObject *v)
{
    if (!PyObject_TypeCheck(v, tensor_type))
        return buffer_dtype(v);
    return ((tensor *)v)->t ? ((tensor *)v)->dtype : ORR_DTYPE_COUNT;
}

/* The operands of a call, by what they say of the common dtype. ORR_DTYPE_COUNT: there is none of them. */
typedef struct {
    orr_dtype whole, other; /* the first tensor of integers; the first of floats, complex numbers or a field */
    bool real, integer;     /* numbers of Python                                                              */
} operands;

static void look(operands *o, PyObject *v)
{
    orr_dtype t = dtype_of(v);
    if (t == ORR_DTYPE_COUNT) {
        o->real = o->real || PyFloat_Check(v);
        o->integer = o->integer || (PyLong_Check(v) && !PyBool_Check(v));
    } else if (is_integer(t)) {
        o->whole = o->whole == ORR_DTYPE_COUNT ? t : o->whole;
    } else if (t != ORR_BOOL && o->other == ORR_DTYPE_COUNT) {
        o->other = t;
    }
}

/* The dtype as which an operand of integers or truth values takes part: ORR_DTYPE_COUNT, as it is. Beside floats one of floats
 * that has all its values, where there is one; where a float is wanted and none is there, float64. */
static orr_dtype part_as(const call *c, const operands *o, orr_dtype t)
{
    if (o->other > ORR_C128 && o->other != ORR_DTYPE_COUNT) /* a field */
        return ORR_DTYPE_COUNT;
    if (o->other != ORR_DTYPE_COUNT)
        return orr_dtype_size(t) > 2   ? ORR_F64
               : orr_dtype_size(t) > 1 ? ORR_F32
               : o->other == ORR_BF16  ? ORR_BF16
                                       : ORR_F16;
    if (o->real || c->floats)
        return ORR_F64;
    if (t == ORR_BOOL && o->whole != ORR_DTYPE_COUNT)
        return o->whole;
    return t == ORR_BOOL && o->integer ? ORR_I64 : ORR_DTYPE_COUNT;
}

/* Whether the argument of that name is one of the operands that take the common dtype. */
static bool is_operand(const call *c, const char *name)
{
    if (!c->operands)
        return false;
    for (int k = 0; c->signature && k < c->signature->n; k++)
        if (c->signature->names[k] == name || strcmp(c->signature->names[k], name) == 0)
            return c->operands >> k & 1;
    return !c->signature;
}

/* Casts a tensor of integers or truth values among the operands `v`. */
static bool take_part(call *c, PyObject *const *v, int n, unsigned which, orr_dtype is, orr_tensor **t)
{
    operands o = { .whole = ORR_DTYPE_COUNT, .other = ORR_DTYPE_COUNT };
    for (int k = 0; k < n; k++)
        if (v[k] && (k >= 32 || which >> k & 1))
            look(&o, v[k]);
    orr_dtype as = part_as(c, &o, is);
    return as == ORR_DTYPE_COUNT || as == is || temporary(c, orr_cast_at(c->file, c->line, *t, as), t);
}

static bool takes_part(call *c, const char *name, orr_dtype is, orr_tensor **t)
{
    return !c->operands || is > ORR_U64 || !is_operand(c, name) || take_part(c, c->args, c->n_args, c->operands, is, t);
}

/* Makes a part anew whose whole was assigned to. */
static bool renew(tensor *o)
{
    tensor *whole = (tensor *)PyTuple_GetItem(o->base, 0);
    if (whole->changes == o->seen)
        return true;
    o->seen = whole->changes;
    tensor *now = (tensor *)PyObject_CallFunctionObjArgs(PyTuple_GetItem(o->base, 1), (PyObject *)whole, NULL);
    if (!now)
        return false;
    orr_tensor *t = now->t;
    now->t = o->t;
    o->t = t;
    o->dtype = now->dtype;
    Py_DECREF(now);
    return true;
}

bool to_tensor(call *c, PyObject *v, const char *name, orr_tensor **t)
{
    bool number;
    if (Py_TYPE(v) == tensor_type || PyObject_TypeCheck(v, tensor_type)) {
        if (((tensor *)v)->base && !renew((tensor *)v))
            return false;
        *t = ((tensor *)v)->t;
        if (!*t)
            return PyErr_Format(errors[ORR_EHANDLE], "%s(): '%s' is a tensor without a value", c->name, name), false;
        return takes_part(c, name, ((tensor *)v)->dtype, t);
    }
    if (!of_number(c, v, t, &number))
        return false;
    if (number)
        return true;
    if (PyObject_CheckBuffer(v) && !PyBytes_Check(v))
        return of_buffer(c, v, t) && takes_part(c, name, orr_tensor_dtype(*t), t);
    return wrong(c, name, v, "a tensor, a number or an array");
}

bool to_tensor_or_null(call *c, PyObject *v, const char *name, orr_tensor **t)
{
    *t = NULL;
    return !v || v == Py_None || to_tensor(c, v, name, t);
}

PyObject *sequence(call *c, PyObject *v, const char *name)
{
    if (PyTuple_Check(v)) {
        Py_INCREF(v);
        return v;
    }
    if (PyList_Check(v))
        return PyList_AsTuple(v);
    (void)wrong(c, name, v, "a list or a tuple");
    return NULL;
}

bool to_tensors(call *c, PyObject *v, const char *name, orr_tensor ***t, int64_t *n)
{
    PyObject *s = sequence(c, v, name);
    if (!s)
        return false;
    *n = PyTuple_Size(s);
    *t = memory(c, (size_t)*n * sizeof **t);
    PyObject **items = PyMem_Calloc((size_t)*n + 1, sizeof *items);
    bool fine = *t && (items || PyErr_NoMemory());
    for (int64_t k = 0; fine && k < *n; k++)
        items[k] = PyTuple_GetItem(s, (Py_ssize_t)k);
    for (int64_t k = 0; fine && k < *n; k++)
        fine = to_tensor(c, PyTuple_GetItem(s, (Py_ssize_t)k), name, *t + k);
    for (int64_t k = 0; fine && k < *n && is_operand(c, name); k++) {
        orr_dtype is = orr_tensor_dtype((*t)[k]);
        fine = is > ORR_U64 || take_part(c, items, (int)*n, ~0U, is, *t + k);
    }
    PyMem_Free(items);
    Py_DECREF(s); /* the caller's list keeps the elements */
    return fine;
}

/* -- numbers and texts ------------------------------------------------------------------------------------------------------ */

bool to_int(call *c, PyObject *v, const char *name, int64_t *to)
{
    if (PyFloat_Check(v) || !PyIndex_Check(v))
        return wrong(c, name, v, "an integer");
    PyObject *i = PyNumber_Index(v);
    if (!i)
        return false;
    *to = PyLong_AsLongLong(i);
    Py_DECREF(i);
    return !PyErr_Occurred();
}

bool to_i32(call *c, PyObject *v, const char *name, int *to)
{
    int64_t i = 0;
    if (!to_int(c, v, name, &i))
        return false;
    if (i < INT_MIN || i > INT_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s(): '%s' does not fit into 32 bits", c->name, name);
        return false;
    }
    *to = (int)i;
    return true;
}

bool to_u64(call *c, PyObject *v, const char *name, uint64_t *to)
{
    if (!PyLong_Check(v))
        return wrong(c, name, v, "an integer");
    *to = PyLong_AsUnsignedLongLong(v);
    return !PyErr_Occurred();
}

bool to_real(call *c, PyObject *v, const char *name, double *to)
{
    *to = PyFloat_AsDouble(v);
    if (!PyErr_Occurred())
        return true;
    if (!PyErr_ExceptionMatches(PyExc_TypeError) || PyObject_TypeCheck(v, tensor_type))
        return false;
    PyErr_Clear();
    return wrong(c, name, v, "a number");
}

bool to_bool(call *c, PyObject *v, const char *name, bool *to)
{
    int is = PyBool_Check(v) || PyLong_Check(v) ? PyObject_IsTrue(v) : -2;
    if (is == -2)
        return wrong(c, name, v, "True or False");
    *to = is == 1;
    return is >= 0;
}

bool to_text(call *c, PyObject *v, const char *name, const char **to)
{
    if (PyUnicode_Check(v)) {
        *to = PyUnicode_AsUTF8AndSize(v, NULL);
        return *to != NULL;
    }
    if (!PyObject_HasAttrString(v, "__fspath__"))
        return wrong(c, name, v, "a text");
    PyObject *path = PyOS_FSPath(v);
    if (!path || !PyUnicode_Check(path)) {
        Py_XDECREF(path);
        return PyErr_Occurred() ? false : wrong(c, name, v, "a text");
    }
    Py_ssize_t n = 0;
    const char *s = PyUnicode_AsUTF8AndSize(path, &n);
    char *copy = s ? memory(c, (size_t)n + 1) : NULL;
    if (copy)
        memcpy(copy, s, (size_t)n + 1);
    Py_DECREF(path);
    *to = copy;
    return copy != NULL;
}

LIST(to_ints, int64_t, to_int)
LIST(to_reals, double, to_real)
LIST(to_texts, const char *, to_text)
LIST(to_dtypes, orr_dtype, to_dtype)

bool to_bytes(call *c, PyObject *v, const char *name, orr_bytes *to)
{
    char *data = NULL;
    Py_ssize_t n = 0;
    if (!PyBytes_Check(v))
        return wrong(c, name, v, "bytes");
    if (PyBytes_AsStringAndSize(v, &data, &n) < 0)
        return false;
    *to = (orr_bytes){ (unsigned char *)data, (size_t)n };
    return true;
}

LIST(to_bytes_list, orr_bytes, to_bytes)

/* A view of memory keeps its object from moving it; the view itself ends with the call, or with the object that keeps it. */
static PyObject *view_of(call *c, PyObject *v)
{
    PyObject *view = PyMemoryView_FromObject(v);
    if (!c->views)
        c->views = PyList_New(0);
    if (view && (!c->views || PyList_Append(c->views, view) < 0))
        Py_CLEAR(view);
    Py_XDECREF(view); /* the list keeps it */
    return view;
}

bool to_buffer(call *c, PyObject **v, const char *name, orr_buffer *to)
{
    Py_buffer b;
    if (!PyObject_CheckBuffer(*v) || PyObject_TypeCheck(*v, tensor_type))
        return wrong(c, name, *v, "memory that can be written");
    if (!(*v = view_of(c, *v)) || PyObject_GetBuffer(*v, &b, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return false;
    *to = (orr_buffer){ b.buf, (size_t)b.len };
    PyBuffer_Release(&b);
    return true;
}

static bool to_buffer_of_list(call *c, PyObject *v, const char *name, orr_buffer *to)
{
    return to_buffer(c, &v, name, to);
}
LIST(to_buffers, orr_buffer, to_buffer_of_list)

bool kept_by(PyObject *owner, PyObject *v)
{
    return PyList_Append(((handle *)owner)->keep, v) == 0;
}

bool to_words(call *c, PyObject *v, const char *name, uint64_t *to, int n)
{
    if (!PyLong_Check(v))
        return wrong(c, name, v, "an integer");
    PyObject *bytes = PyObject_CallMethod(v, "to_bytes", "is", 8 * n, "little");
    if (!bytes)
        return false;
    memcpy(to, PyBytes_AsString(bytes), 8 * (size_t)n);
    Py_DECREF(bytes);
    return true;
}

PyObject *from_bytes_made(orr_bytes *b)
{
    PyObject *o = PyBytes_FromStringAndSize((const char *)b->data, (Py_ssize_t)b->size);
    orr_bytes_free(b);
    return o;
}

bool to_axis(call *c, PyObject *v, const char *name, int *to)
{
    if (!v || v == Py_None)
        return *to = ORR_FLAT, true;
    return to_i32(c, v, name, to);
}

/* Up to 8 integers, of one or of a list. A longer list keeps its length, and the library refuses it. */
static bool few(call *c, PyObject *v, const char *name, int64_t *to, int *n)
{
    if (!PyTuple_Check(v) && !PyList_Check(v)) {
        *n = 1;
        return to_int(c, v, name, to);
    }
    Py_ssize_t length = PySequence_Size(v);
    *n = length > INT_MAX ? INT_MAX : (int)length;
    for (int k = 0; k < *n && k < ORR_MAX_RANK; k++) {
        PyObject *e = PySequence_GetItem(v, k);
        bool fine = e && to_int(c, e, name, to + k);
        Py_XDECREF(e);
        if (!fine)
            return false;
    }
    return true;
}

bool to_shape(call *c, PyObject *v, const char *name, orr_shape *to)
{
    return few(c, v, name, to->dim, &to->rank);
}

bool to_index(call *c, PyObject *v, const char *name, orr_index *to)
{
    *to = ORR_NO_INDEX;
    return !v || v == Py_None || few(c, v, name, to->v, &to->n);
}

bool to_axes(call *c, PyObject *v, const char *name, orr_axes *to)
{
    int64_t wide[ORR_MAX_RANK] = { 0 };
    *to = ORR_ALL_AXES;
    if (!v || v == Py_None)
        return true;
    if (!few(c, v, name, wide, &to->n))
        return false;
    for (int k = 0; k < ORR_MAX_RANK; k++)
        to->axis[k] = wide[k] < INT_MIN || wide[k] > INT_MAX ? INT_MAX : (int)wide[k];
    return true;
}

bool to_number(call *c, PyObject *v, const char *name, orr_number *to)
{
    int over = 0;
    *to = ORR_REAL(0);
    if (!PyLong_Check(v))
        return to_real(c, v, name, &to->f);
    *to = ORR_INTEGER(PyLong_AsLongLongAndOverflow(v, &over));
    if (over)
        *to = ORR_UNSIGNED(PyLong_AsUnsignedLongLong(v));
    return !PyErr_Occurred();
}

bool to_enum(call *c, PyObject *v, const char *name, const char *const *names, int n, int *to)
{
    if (PyLong_Check(v))
        return to_i32(c, v, name, to);
    const char *s = PyUnicode_Check(v) ? PyUnicode_AsUTF8AndSize(v, NULL) : NULL;
    for (int k = 0; s && k < n; k++)
        if (strcmp(s, names[2 * k]) == 0)
            return *to = atoi(names[2 * k + 1]), true;
    if (PyErr_Occurred())
        return false;
    PyObject *all = PyList_New(0);
    for (int k = 0; all && k < n; k++) {
        PyObject *one = PyUnicode_FromString(names[2 * k]);
        (void)PyList_Append(all, one ? one : Py_None);
        Py_XDECREF(one);
    }
    PyErr_Format(PyExc_ValueError, "%s(): '%s' is one of %S, not %R", c->name, name, all ? all : Py_None, v);
    Py_XDECREF(all);
    return false;
}

PyObject *field(PyObject *options, const char *name)
{
    PyObject *v = PyDict_GetItemString(options, name);
    return v == Py_None ? NULL : v;
}

bool only_fields(call *c, PyObject *options, const char *const *names)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(options))
        return wrong(c, "options", options, "a dict");
    while (PyDict_Next(options, &at, &key, &value)) {
        int k = 0;
        while (names[k] && !(PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, names[k]) == 0))
            k++;
        if (!names[k]) {
            PyErr_Format(PyExc_TypeError, "%s() has no argument and no option '%S'", c->name, key);
            return false;
        }
    }
    return true;
}

bool to_numbers_field(call *c, PyObject *v, const char *name, int64_t *to, int n)
{
    int64_t wide[ORR_MAX_RANK] = { 0 };
    int given = 0;
    if (!few(c, v, name, wide, &given))
        return false;
    if (given > n) {
        PyErr_Format(PyExc_ValueError, "%s(): '%s' has %d numbers at most, not %d", c->name, name, n, given);
        return false;
    }
    bool one = !PyTuple_Check(v) && !PyList_Check(v);
    for (int k = 0; k < n; k++)
        to[k] = one ? wide[0] : wide[k];
    return true;
}

static void set_tuple(PyObject *o, Py_ssize_t k, PyObject *v)
{
    (void)PyTuple_SetItem(o, k, v);
}

/* -- dtypes ---------------------------------------------------------------------------------------------------------------------- */

PyObject *from_dtype(orr_dtype t)
{
    PyObject *o = t >= 0 && t < ORR_DTYPE_COUNT ? dtypes[t] : Py_None;
    Py_INCREF(o);
    return o;
}

PyObject *from_shape(orr_shape s)
{
    PyObject *values[ORR_MAX_RANK];
    for (int k = 0; k < s.rank; k++)
        values[k] = PyLong_FromLongLong(s.dim[k]);
    return from_record(NULL, values, s.rank < 0 ? 0 : s.rank);
}

static bool named_dtype(const char *s, orr_dtype *to)
{
    for (int k = 0; s && k < ORR_DTYPE_COUNT; k++)
        if (strcmp(s, orr_dtype_name((orr_dtype)k)) == 0)
            return *to = (orr_dtype)k, true;
    return false;
}

/* NumPy's short names: a kind and the number of bytes, "f4", "<i8"; Python's "float". The order of bytes is the machine's, or no dtype. */
static bool short_dtype(const char *s, orr_dtype *to)
{
    static const char *const plain[][2] = {
        { "int", "int64" }, { "float", "float64" }, { "complex", "complex128" }, { "?", "bool" },
        { "b1", "bool" },   { "half", "float16" },  { "single", "float32" },     { "double", "float64" }
    };
    for (int k = 0; s && k < 8; k++)
        if (strcmp(s, plain[k][0]) == 0)
            return named_dtype(plain[k][1], to);
    s += s && *s && strchr(PY_BIG_ENDIAN ? "=|>" : "=|<", *s) ? 1 : 0;
    static const char letters[] = "iufc";
    const char *kind = s && *s ? strchr(letters, *s) : NULL;
    if (!kind || s[1] < '1' || s[1] > '9' || strlen(s) > 3)
        return false;
    static const char *const kinds[] = { "int", "uint", "float", "complex" };
    char name[24];
    PyOS_snprintf(name, sizeof(name), "%s%d", kinds[kind - letters], 8 * atoi(s + 1));
    return named_dtype(name, to);
}

/* The name of a dtype of another library: numpy.dtype("f4").name, numpy.float32.__name__. */
static bool foreign_dtype(PyObject *v, orr_dtype *to)
{
    static const char *const attributes[] = { "name", "__name__" };
    for (int k = 0; k < 2; k++) {
        PyObject *name = PyObject_GetAttrString(v, attributes[k]);
        bool found = name && PyUnicode_Check(name) && named_dtype(PyUnicode_AsUTF8AndSize(name, NULL), to);
        Py_XDECREF(name);
        PyErr_Clear();
        if (found)
            return true;
    }
    return false;
}

bool to_dtype(call *c, PyObject *v, const char *name, orr_dtype *to)
{
    static const struct {
        PyTypeObject *type;
        orr_dtype code;
    } plain[] = {
        { &PyFloat_Type, ORR_F64 }, { &PyLong_Type, ORR_I64 }, { &PyBool_Type, ORR_BOOL }, { &PyComplex_Type, ORR_C128 }
    };
    if (PyObject_TypeCheck(v, dtype_type))
        return *to = ((dtype *)v)->code, true;
    for (int k = 0; k < 4; k++)
        if (v == (PyObject *)plain[k].type)
            return *to = plain[k].code, true;
    const char *text = PyUnicode_Check(v) ? PyUnicode_AsUTF8AndSize(v, NULL) : NULL;
    if (text ? named_dtype(text, to) || short_dtype(text, to) : foreign_dtype(v, to))
        return true;
    if (PyErr_Occurred() || !PyUnicode_Check(v))
        return !PyErr_Occurred() && wrong(c, name, v, "a dtype");
    PyObject *all = PyTuple_New(ORR_DTYPE_COUNT);
    for (int k = 0; all && k < ORR_DTYPE_COUNT; k++)
        set_tuple(all, k, PyUnicode_FromString(orr_dtype_name((orr_dtype)k)));
    if (all)
        PyErr_Format(PyExc_TypeError, "%s(): '%s' is one of %S, not %R", c->name, name, all, v);
    Py_XDECREF(all);
    return false;
}

PyObject *dtype_repr(PyObject *self)
{
    return PyUnicode_FromFormat("orrery.%s", orr_dtype_name(((dtype *)self)->code));
}

PyObject *dtype_name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(orr_dtype_name(((dtype *)self)->code));
}

PyObject *dtype_itemsize(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(orr_dtype_size(((dtype *)self)->code));
}

PyObject *dtype_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return dtype_name(self, NULL); /* a name of this module */
}

void plain_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* -- handles ---------------------------------------------------------------------------------------------------------------------- */

PyObject *from_handle(call *c, void *p, handle_kind *k, PyObject *const *v, int n, bool owned)
{
    if (!p) {
        orr_status s = orr_error_status();
        if (s != ORR_OK)
            return raise(c, s);
        Py_RETURN_NONE;
    }
    PyObject *keep = PyList_New(0);
    allocfunc alloc = (allocfunc)PyType_GetSlot(k->type, Py_tp_alloc);
    handle *h = keep ? (handle *)alloc(k->type, 0) : NULL;
    if (!h) {
        Py_XDECREF(keep);
        if (owned && k->free)
            k->free(p);
        return NULL;
    }
    for (int j = 0; j < n; j++)
        if (v[j] && PyList_Append(keep, v[j]) < 0)
            PyErr_Clear();
    h->p = p;
    h->kind = k;
    h->keep = keep;
    h->owned = owned;
    return (PyObject *)h;
}

void handle_dealloc(PyObject *self)
{
    handle *h = (handle *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (h->p && h->owned && h->kind->free)
        h->kind->free(h->p);
    Py_XDECREF(h->keep);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

bool to_handle(call *c, PyObject *v, const char *name, handle_kind *k, void **to)
{
    if (!v)
        return *to = NULL, true;
    if (!PyObject_TypeCheck(v, k->type))
        return wrong(c, name, v, k->name);
    handle *h = (handle *)v;
    if (!h->p || h->busy) {
        PyErr_Format(errors[h->p ? ORR_ESTATE : ORR_EHANDLE], "%s(): '%s' is %s", c->name, name,
                     h->p ? "in use by another thread" : "gone: the call that took it has failed");
        return false;
    }
    *to = h->p;
    return true;
}

bool to_handles(call *c, PyObject *v, const char *name, handle_kind *k, void ***to, int64_t *n)
{
    PyObject *s = sequence(c, v, name);
    if (!s)
        return false;
    *n = PyTuple_Size(s);
    *to = memory(c, (size_t)*n * sizeof **to);
    bool fine = *to != NULL;
    for (int64_t i = 0; fine && i < *n; i++)
        fine = to_handle(c, PyTuple_GetItem(s, (Py_ssize_t)i), name, k, *to + i);
    Py_DECREF(s);
    return fine;
}

static bool is_handle(PyObject *v)
{
    for (int k = 0; handle_kinds[k]; k++)
        if (PyObject_TypeCheck(v, handle_kinds[k]->type))
            return true;
    return false;
}

static bool consumable_one(call *c, PyObject *v)
{
    if (is_handle(v) && !((handle *)v)->owned) {
        PyErr_Format(errors[ORR_EINVAL], "%s(): the module belongs to another one already", c->name);
        return false;
    }
    return true;
}

bool consumable(call *c, PyObject *v)
{
    bool list = PyList_Check(v) || PyTuple_Check(v), fine = true;
    Py_ssize_t n = list ? PySequence_Size(v) : 1;
    for (Py_ssize_t k = 0; fine && k < n; k++) {
        PyObject *e = list ? PySequence_GetItem(v, k) : (Py_INCREF(v), v);
        fine = e && consumable_one(c, e);
        for (Py_ssize_t j = 0; fine && list && j < k; j++) {
            PyObject *other = PySequence_GetItem(v, j);
            if (other == e) {
                PyErr_Format(errors[ORR_EINVAL], "%s(): a module occurs twice", c->name);
                fine = false;
            }
            Py_XDECREF(other);
        }
        Py_XDECREF(e);
    }
    return fine;
}

/* The module has a new owner, which frees it; NULL: it is freed already. */
static void consume_one(PyObject *v, PyObject *owner)
{
    handle *h = (handle *)v;
    if (!is_handle(v))
        return;
    h->owned = false;
    if (!owner) {
        h->p = NULL;
        return;
    }
    if (is_handle(owner) && h->keep)
        (void)PyList_Append(((handle *)owner)->keep, h->keep);
    Py_XDECREF(h->keep);
    h->keep = PyList_New(0);
    if (h->keep)
        (void)PyList_Append(h->keep, owner);
}

void consume(PyObject *v, PyObject *owner)
{
    if (!PyList_Check(v) && !PyTuple_Check(v)) {
        consume_one(v, owner);
        return;
    }
    for (Py_ssize_t k = 0; k < PySequence_Size(v); k++) {
        PyObject *e = PySequence_GetItem(v, k);
        consume_one(e, owner);
        Py_XDECREF(e);
    }
}

void busy(PyObject *const *v, int n, bool on)
{
    for (int k = 0; k < n; k++)
        if (v[k] && is_handle(v[k]) && ((handle *)v[k])->kind->exclusive)
            ((handle *)v[k])->busy = on;
}

/* -- other results ------------------------------------------------------------------------------------------------------------------ */

PyObject *from_text(const char *s)
{
    if (!s)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace");
}

static PyObject *fill(PyObject *o, PyObject **values, int n, void (*set)(PyObject *, Py_ssize_t, PyObject *))
{
    bool whole = o != NULL;
    for (int k = 0; k < n; k++)
        whole = whole && values[k];
    for (int k = 0; k < n; k++)
        if (whole)
            set(o, k, values[k]);
        else
            Py_XDECREF(values[k]);
    if (whole)
        return o;
    Py_XDECREF(o);
    return NULL;
}

static void set_record(PyObject *o, Py_ssize_t k, PyObject *v)
{
    PyStructSequence_SetItem(o, k, v);
}

static void set_list(PyObject *o, Py_ssize_t k, PyObject *v)
{
    (void)PyList_SetItem(o, k, v);
}

PyObject *from_record(PyTypeObject *type, PyObject **values, int n)
{
    return fill(type ? PyStructSequence_New(type) : PyTuple_New(n), values, n, type ? set_record : set_tuple);
}

PyObject *from_list(PyObject **values, int n)
{
    return fill(PyList_New(n), values, n, set_list);
}

PyObject *from_pair(PyObject *a, PyObject *b)
{
    return from_record(NULL, (PyObject *[]){ a, b }, 2);
}

PyTypeObject *record_type(const char *name, const char *doc, const char *const *fields, int n)
{
    PyStructSequence_Field f[MOST_ARGS + 1] = { { 0 } };
    for (int k = 0; k < n && k < MOST_ARGS; k++)
        f[k].name = fields[k];
    PyStructSequence_Desc d = { name, doc, f, n };
    return PyStructSequence_NewType(&d);
}

PyObject *method(keyword_fn *f, PyObject *self, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames)
{
    PyObject *v[2 * MOST_ARGS];
    Py_ssize_t n = argc + (kwnames ? PyTuple_Size(kwnames) : 0);
    if (n + 1 > 2 * MOST_ARGS) {
        PyErr_SetString(PyExc_TypeError, "too many arguments");
        return NULL;
    }
    v[0] = self;
    for (Py_ssize_t k = 0; k < n; k++)
        v[k + 1] = argv[k];
    return f(NULL, v, argc + 1, kwnames);
}

bool begin_plain(call *c, const char *name)
{
    blank(c, name);
    find_place(c);
    return start(c);
}

PyObject *unary(const char *name, unary_fn *f, PyObject *x)
{
    call c;
    orr_tensor *t;
    if (!begin_plain(&c, name))
        return NULL;
    if (!to_tensor(&c, x, "x", &t))
        return failed(&c);
    PyObject *r = from_tensor(&c, f(c.file, c.line, t));
    ended(&c);
    return r;
}

static bool operand(PyObject *v)
{
    return PyObject_TypeCheck(v, tensor_type) || PyFloat_Check(v) || PyLong_Check(v) || PyComplex_Check(v) ||
           (PyObject_CheckBuffer(v) && !PyBytes_Check(v));
}

static bool is_list(PyObject *v)
{
    return PyList_Check(v) || PyTuple_Check(v);
}

bool truths(PyObject *x, PyObject *y)
{
    return (PyBool_Check(x) || dtype_of(x) == ORR_BOOL) && (PyBool_Check(y) || dtype_of(y) == ORR_BOOL);
}

PyObject *binary(const char *name, binary_fn *f, PyObject *x, PyObject *y, bool floats)
{
    call c;
    orr_tensor *a, *b;
    PyObject *const both[] = { x, y };
    if (is_list(x) || is_list(y)) { /* else == would be False */
        PyErr_Format(PyExc_TypeError, "%s(): a list or tuple is no operand; write orrery.asarray of it", name);
        return NULL;
    }
    if (!operand(x) || !operand(y))
        Py_RETURN_NOTIMPLEMENTED;
    if (!begin_plain(&c, name))
        return NULL;
    c.args = both;
    c.n_args = 2;
    c.operands = 3;
    c.floats = floats;
    if (!to_tensor(&c, x, "x", &a) || !to_tensor(&c, y, "y", &b))
        return failed(&c);
    PyObject *r = from_tensor(&c, f(c.file, c.line, a, b));
    ended(&c);
    return r;
}

/* A comparison with a number that no element has on its other side. */
static PyObject *same_everywhere(const char *name, PyObject *x, bool value)
{
    call c;
    orr_tensor *t;
    if (!begin_plain(&c, name))
        return NULL;
    if (!to_tensor(&c, x, "x", &t))
        return failed(&c);
    orr_shape s = orr_tensor_shape(t);
    PyObject *r = from_tensor(&c, orr_full_number_at(c.file, c.line, ORR_BOOL, s, ORR_INTEGER(value)));
    ended(&c);
    return r;
}

/* The integer with which a comparison has the same results as with the float: ⌈f⌉ or ⌊f⌋. NULL without an error: there is
 * none, and *side is that of all integers, −1 below f, 1 above, 2 neither (f is no integer, or NaN). */
static PyObject *whole_bound(double f, int op, int *side)
{
    double low = floor(f);
    *side = f != f || (isfinite(f) && low != f && (op == Py_EQ || op == Py_NE)) ? 2 : isinf(f) ? (f > 0 ? -1 : 1) : 0;
    return *side ? NULL : PyLong_FromDouble(op == Py_LT || op == Py_GE ? ceil(f) : low);
}

PyObject *comparison(const char *name, binary_fn *f, PyObject *x, PyObject *y, int op)
{
    bool is_float = PyFloat_Check(y);
    if ((!is_float && !PyLong_Check(y)) || !((tensor *)x)->t)
        return binary(name, f, x, y, false);
    orr_dtype t = ((tensor *)x)->dtype;
    if (t != ORR_BOOL && !is_integer(t))
        return binary(name, f, x, y, false);
    int side = 0;
    orr_number unused;
    PyObject *bound = is_float ? whole_bound(PyFloat_AsDouble(y), op, &side) : Py_NewRef(y);
    if (!bound && !side)
        return NULL;
    if (bound)
        side = -place_in(bound, t, &unused);
    bool below = op == Py_LT || op == Py_LE || op == Py_NE, above = op == Py_GT || op == Py_GE || op == Py_NE;
    PyObject *r = !side ? binary(name, f, x,
                                 t != ORR_BOOL            ? bound
                                 : PyObject_IsTrue(bound) ? Py_True
                                                          : Py_False,
                                 false)
                        : same_everywhere(name, x,
                                          side == 2  ? op == Py_NE
                                          : side < 0 ? below
                                                     : above);
    Py_XDECREF(bound);
    return r;
}

/* An array of another library as a tensor, other operands as they are; a new reference. */
static PyObject *as_operand(const char *name, PyObject *v)
{
    call c;
    orr_tensor *t;
    if (PyObject_TypeCheck(v, tensor_type) || PyLong_Check(v) || PyFloat_Check(v) || PyComplex_Check(v) || !operand(v))
        return Py_NewRef(v);
    if (!begin_plain(&c, name))
        return NULL;
    if (!of_buffer(&c, v, &t))
        return failed(&c);
    c.n_temps = 0; /* the object has the tensor */
    return from_tensor(&c, t);
}

static bool of_integers(PyObject *v)
{
    return PyObject_TypeCheck(v, tensor_type) ? ((tensor *)v)->dtype <= ORR_U64 : PyLong_Check(v);
}

/* Whether a tensor has a negative element; −1: an exception. */
static int any_negative(PyObject *y)
{
    PyObject *zero = PyLong_FromLong(0), *is = zero ? PyObject_RichCompare(y, zero, Py_LT) : NULL;
    PyObject *any = is ? PyObject_CallMethod(is, "any", NULL) : NULL;
    int r = any ? PyObject_IsTrue(any) : -1;
    Py_XDECREF(any);
    Py_XDECREF(is);
    Py_XDECREF(zero);
    return r;
}

PyObject *power(const char *name, binary_fn *f, PyObject *x, PyObject *y)
{
    PyObject *base = as_operand(name, x), *exponent = base ? as_operand(name, y) : NULL, *r = NULL;
    bool tells = exponent && of_integers(base) && of_integers(exponent) && !PyLong_Check(exponent);
    int negative = tells && ((tensor *)exponent)->dtype <= ORR_I64 ? any_negative(exponent) : 0;
    if (negative > 0)
        PyErr_Format(errors[ORR_EINVAL],
                     "%s(): integers have no negative powers that are integers: write orrery.astype(x, 'float64')",
                     name);
    else if (exponent && !negative)
        r = binary(name, f, base, exponent, false);
    Py_XDECREF(base);
    Py_XDECREF(exponent);
    return r;
}

/* -- functions of the program ---------------------------------------------------------------------------------- */

bool callable(call *c, PyObject *v, const char *name)
{
    return PyCallable_Check(v) || wrong(c, name, v, "a function");
}

PyObject *argument_tensor(orr_tensor *t)
{
    call c = { .name = "callback" };
    orr_error_clear();
    return from_borrowed(&c, t, Py_None);
}

PyObject *argument_tensors(orr_tensor *const *t, int n)
{
    PyObject *list = PyList_New(n);
    for (int k = 0; list && k < n; k++) {
        PyObject *o = argument_tensor(t[k]);
        if (o)
            (void)PyList_SetItem(list, k, o);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* The result as a tensor of its own, since Python may free the object that has it. */
static orr_tensor *result_of(PyObject *v)
{
    call c;
    orr_tensor *t, *own = NULL;
    if (!begin_plain(&c, "callback") || !to_tensor(&c, v, "result", &t))
        return NULL;
    own = orr_reshape_at(c.file, c.line, t, orr_tensor_shape(t));
    ended(&c);
    return own;
}

/* The value of fn(values…), a new reference; NULL on an exception, which is pending. */
static PyObject *value_of(PyObject *fn, PyObject **values, int n)
{
    PyObject *args = from_record(NULL, values, n);
    PyObject *v = args && !PyErr_Occurred() ? PyObject_Call(fn, args, NULL) : NULL;
    for (int k = 0; args && k < n; k++)
        if (is_handle(PyTuple_GetItem(args, k)))
            ((handle *)PyTuple_GetItem(args, k))->p = NULL; /* lent for the call */
    Py_XDECREF(args);
    return v;
}

orr_tensor *called(PyObject *fn, PyObject **values, int n)
{
    PyObject *v = value_of(fn, values, n);
    orr_tensor *t = v ? result_of(v) : NULL;
    Py_XDECREF(v);
    return t;
}

int called_for_all(PyObject *fn, PyObject **values, int n, orr_tensor **out, int most)
{
    call c;
    blank(&c, "callback");
    PyObject *v = value_of(fn, values, n), *s = v ? sequence(&c, v, "result") : NULL;
    Py_ssize_t count = s ? PyTuple_Size(s) : -1;
    if (count > most)
        PyErr_Format(PyExc_ValueError, "callback(): %zd tensors, and %d are possible", count, most);
    for (Py_ssize_t k = 0; k < count && !PyErr_Occurred(); k++)
        out[k] = result_of(PyTuple_GetItem(s, k));
    Py_XDECREF(s);
    Py_XDECREF(v);
    return PyErr_Occurred() ? -1 : (int)count;
}
