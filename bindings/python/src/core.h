/* Shared by the generated functions: arguments to C, results to Python, errors, the caller's file and line.
 * Must not know: any function of the library. */
#ifndef ORRERY_PYTHON_CORE_H
#define ORRERY_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdbool.h>
#include <orrery.h>

enum { MOST_ARGS = 24, MOST_TEMPS = 32 };

/** One call of a Python function: the caller's place, and what is freed at its end. */
typedef struct call {
    const char *name; /**< of the function, for messages */
    const char *file;
    int line;
    int n_temps, n_memory;
    orr_tensor *temp[MOST_TEMPS]; /**< tensors made of numbers and arrays among the arguments */
    void *memory[MOST_TEMPS];     /**< lists                                                  */
    orr_scope *scope;             /**< of what the program's own functions return to the library */
    PyObject *const *args;        /**< all arguments: a number takes the dtype of a tensor beside it */
    int n_args;
    const struct signature *signature; /**< NULL: operands x and y                     */
    unsigned operands;                 /**< a bit for each argument that takes the common dtype     */
    bool floats;                       /**< which the function wants to be one of floats            */
    PyObject *extra;                   /**< fields of an option struct, given as keywords          */
    PyObject *views;                   /**< views of the program's memory, or NULL                 */
    struct slot *slot;                 /**< whose function is replaced                             */
    struct post *next;                 /**< the new one                                            */
} call;

/** The arguments of a function, in order. */
typedef struct signature {
    const char *name;
    int n, required;
    int options;       /**< the argument that takes unknown keywords as fields; −1: none */
    unsigned operands; /**< a bit for each argument of the common dtype */
    bool floats;
    const char *const *names;
} signature;

/** A kind of handle: a module, an optimiser, a graph. */
typedef struct handle_kind {
    const char *name, *doc;
    void (*free)(void *p);
    bool exclusive; /**< one thread at a time */
    PyMethodDef *methods;
    PyTypeObject *type;
} handle_kind;

typedef struct handle {
    PyObject_HEAD void *p;
    handle_kind *kind;
    PyObject *keep; /**< what must live as long */
    bool owned, busy;
} handle;

bool begin(call *c, const signature *s, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames, PyObject **v);
/** Frees what the call holds and returns NULL. */
PyObject *failed(call *c);
void ended(call *c);
/** Opens a scope until the call has ended: the results of functions of the program that it calls belong to it. */
void open_scope(call *c);
/** Raises the library's last error. */
PyObject *raise(call *c, orr_status s);
bool ok(call *c, orr_status s);

bool to_tensor(call *c, PyObject *v, const char *name, orr_tensor **t);
bool to_tensor_or_null(call *c, PyObject *v, const char *name, orr_tensor **t);
bool to_tensors(call *c, PyObject *v, const char *name, orr_tensor ***t, int64_t *n);
bool to_int(call *c, PyObject *v, const char *name, int64_t *to);
bool to_ints(call *c, PyObject *v, const char *name, int64_t **to, int64_t *n);
bool to_i32(call *c, PyObject *v, const char *name, int *to);
bool to_u64(call *c, PyObject *v, const char *name, uint64_t *to);
bool to_real(call *c, PyObject *v, const char *name, double *to);
bool to_reals(call *c, PyObject *v, const char *name, double **to, int64_t *n);
bool to_bool(call *c, PyObject *v, const char *name, bool *to);
bool to_text(call *c, PyObject *v, const char *name, const char **to);
bool to_texts(call *c, PyObject *v, const char *name, const char ***to, int64_t *n);
bool to_bytes(call *c, PyObject *v, const char *name, orr_bytes *to);
bool to_bytes_list(call *c, PyObject *v, const char *name, orr_bytes **to, int64_t *n);
/** Memory of an object that can be written, such as a bytearray or an array of NumPy. *v becomes a view, which lives until
 * the call has ended, or as long as an object that keeps it. */
bool to_buffer(call *c, PyObject **v, const char *name, orr_buffer *to);
bool to_buffers(call *c, PyObject *v, const char *name, orr_buffer **to, int64_t *n);
/** An integer of n words of 64 bits, the lowest first. */
bool to_words(call *c, PyObject *v, const char *name, uint64_t *to, int n);
/** The handle keeps the object. */
bool kept_by(PyObject *handle, PyObject *v);
bool to_axis(call *c, PyObject *v, const char *name, int *to);
bool to_shape(call *c, PyObject *v, const char *name, orr_shape *to);
bool to_axes(call *c, PyObject *v, const char *name, orr_axes *to);
bool to_index(call *c, PyObject *v, const char *name, orr_index *to);
bool to_number(call *c, PyObject *v, const char *name, orr_number *to);
bool to_dtype(call *c, PyObject *v, const char *name, orr_dtype *to);
bool to_dtypes(call *c, PyObject *v, const char *name, orr_dtype **to, int64_t *n);
bool to_enum(call *c, PyObject *v, const char *name, const char *const *names, int n, int *to);
bool to_handle(call *c, PyObject *v, const char *name, handle_kind *k, void **to);
bool to_handles(call *c, PyObject *v, const char *name, handle_kind *k, void ***to, int64_t *n);
/** A field of a dict of options; NULL without an error: it is not given. */
PyObject *field(PyObject *options, const char *name);
bool only_fields(call *c, PyObject *options, const char *const *names);
bool to_numbers_field(call *c, PyObject *v, const char *name, int64_t *to, int n);

PyObject *from_tensor(call *c, orr_tensor *t); /**< raises for poison */
PyObject *from_borrowed(call *c, orr_tensor *t, PyObject *keep);
PyObject *from_tensors(call *c, orr_tensor **t, int64_t n);
PyObject *from_handle(call *c, void *p, handle_kind *k, PyObject *const *v, int n, bool owned);
PyObject *from_dtype(orr_dtype t);
PyObject *from_shape(orr_shape s);
PyObject *from_bytes_made(orr_bytes *b); /**< takes the bytes */
PyObject *from_text(const char *s);
PyObject *from_record(PyTypeObject *type, PyObject **values, int n);
PyObject *from_pair(PyObject *a, PyObject *b);
PyObject *from_list(PyObject **values, int n);
PyTypeObject *record_type(const char *name, const char *doc, const char *const *fields, int n);
void *memory(call *c, size_t bytes);
void consume(PyObject *v, PyObject *owner);
bool consumable(call *c, PyObject *v);
void busy(PyObject *const *v, int n, bool on);
typedef PyObject *keyword_fn(PyObject *self, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames);
PyObject *method(keyword_fn *f, PyObject *self, PyObject *const *argv, Py_ssize_t argc, PyObject *kwnames);

/** Calls a function of Python from one of the library: owned arguments in, a tensor of the current scope out; NULL on an
 * exception, which the function that the program has called raises. */
orr_tensor *called(PyObject *fn, PyObject **values, int n);
PyObject *argument_tensor(orr_tensor *t);
PyObject *argument_tensors(orr_tensor *const *t, int n);
bool callable(call *c, PyObject *v, const char *name);
/** The same for a function that returns a list of tensors: their number, at most `most`; −1 on an exception. */
int called_for_all(PyObject *fn, PyObject **values, int n, orr_tensor **out, int most);

/* later.c: functions of the program that threads of the library call at any time. Such a thread must not wait for the
 * interpreter's lock, whose holder may wait for a lock of the library, so it posts the call to a thread of Python. */
typedef struct slot {
    struct post *now;
} slot;
typedef struct posted {
    struct posted *next;
    struct post *to;
    PyObject *(*values)(const struct posted *p); /**< the arguments as a tuple */
    int64_t number[4];
    void *memory[2]; /**< malloc */
} posted;
posted *posted_new(void *post, PyObject *(*values)(const posted *p)); /**< NULL: no memory, or nobody listens */
void post(posted *p);
/** Prepares the function, NULL for none, as c->next. */
bool slot_next(call *c, slot *s, PyObject *fn);
/** The call has ended: the next function is that of the slot; false: it has failed, and the former one stays. */
void slot_set(call *c, bool done);
PyObject *deliver(PyObject *self, PyObject *unused);
PyObject *listen_no_more(PyObject *self, PyObject *unused);
extern slot *const slots[];

/** The elements of a list, each by a function. */
#define LIST(function, T, one)                                                                                         \
    bool function(call *c, PyObject *v, const char *name, T **to, int64_t *n)                                          \
    {                                                                                                                  \
        PyObject *s = sequence(c, v, name);                                                                            \
        if (!s)                                                                                                        \
            return false;                                                                                              \
        *n = PyTuple_Size(s);                                                                                          \
        *to = memory(c, (size_t)*n * sizeof **to);                                                                     \
        bool fine = *to != NULL;                                                                                       \
        for (int64_t k = 0; fine && k < *n; k++)                                                                       \
            fine = one(c, PyTuple_GetItem(s, (Py_ssize_t)k), name, *to + k);                                           \
        Py_DECREF(s); /* the caller's list keeps the elements */                                                       \
        return fine;                                                                                                   \
    }
/** A list or a tuple as a new reference to a tuple. */
PyObject *sequence(call *c, PyObject *v, const char *name);

/* Shared by core.c, exchange.c and objects.c. */
typedef struct {
    PyObject_HEAD orr_tensor *t;
    orr_dtype dtype; /**< of t, which each operator reads of its operands */
    PyObject *keep;  /**< the owner of a borrowed tensor */
    PyObject *weak;
    int changes;    /**< by item assignment */
    PyObject *base; /**< NULL, or of a part: (the whole, the function that makes the part of it) */
    int seen;       /**< changes of the whole when the part was made */
} tensor;

typedef struct {
    PyObject_HEAD orr_dtype code;
} dtype;

extern PyTypeObject *tensor_type, *dtype_type;
enum { STATUSES = 64 };
extern PyObject *dtypes[ORR_DTYPE_COUNT], *errors[STATUSES], *files, *package;
extern bool started;
/* Calls the brief form of a method without arguments. True: nothing is left to do; so the place of the call is not looked for. */
static inline bool briefly(PyObject *self, bool (*brief)(const char *file, int line, orr_tensor *t))
{
    const tensor *o = (const tensor *)self;
    return started && o->t && !o->base && brief("python", 0, o->t);
}
/* Lets other threads of Python run while t is read; NULL: its value is there at once, and to let them run would take longer. */
static inline PyThreadState *reading(const call *c, orr_tensor *t)
{
    return orr_eval_brief_at(c->file, c->line, t) ? NULL : PyEval_SaveThread();
}
static inline void has_read(PyThreadState *state)
{
    if (state)
        PyEval_RestoreThread(state);
}
extern PyMethodDef exchange_functions[], exchange_methods[];
void places_begin(void);
bool begin_plain(call *c, const char *name);
void blank(call *c, const char *name);
bool temporary(call *c, orr_tensor *t, orr_tensor **to);
bool of_buffer(call *c, PyObject *v, orr_tensor **t);
/** The dtype of an array of another library; ORR_DTYPE_COUNT: it is none. */
orr_dtype buffer_dtype(PyObject *v);
int get_buffer(PyObject *self, Py_buffer *view, int flags);
void release_buffer(PyObject *self, Py_buffer *view);
void tensor_dealloc(PyObject *self);
void handle_dealloc(PyObject *self);
void plain_dealloc(PyObject *self);
PyObject *dtype_repr(PyObject *self);
PyObject *dtype_name(PyObject *self, void *unused);
PyObject *dtype_itemsize(PyObject *self, void *unused);
PyObject *dtype_reduce(PyObject *self, PyObject *unused);

/* The generated part. */
bool fill_orr_config(call *c, PyObject *options, orr_config *to);
extern PyMethodDef functions[], tensor_methods[];
extern const char *const dtype_enumerators[]; /* ORR_F32, by code */
extern PyType_Slot operator_slots[];
extern handle_kind *const handle_kinds[];
typedef struct {
    int status;
    const char *name, *near;
} status_row;
extern const status_row status_rows[];
extern const int status_count;
bool make_records(PyObject *module);
PyObject *add_constants(PyObject *module);

typedef orr_tensor *unary_fn(const char *file, int line, orr_tensor *x);
typedef orr_tensor *binary_fn(const char *file, int line, orr_tensor *x, orr_tensor *y);
PyObject *unary(const char *name, unary_fn *f, PyObject *x);
/** Whether both operands are truth values. */
bool truths(PyObject *x, PyObject *y);
PyObject *binary(const char *name, binary_fn *f, PyObject *x, PyObject *y, bool floats);
/** A comparison, which is exact for a tensor of integers and any real number. op: Py_LT … */
PyObject *comparison(const char *name, binary_fn *f, PyObject *x, PyObject *y, int op);
/** pow, which refuses negative exponents of integers; the value of an exponent that is a signed tensor is computed for it. */
PyObject *power(const char *name, binary_fn *f, PyObject *x, PyObject *y);

#endif
