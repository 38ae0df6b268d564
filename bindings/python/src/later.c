/* Functions of the program that threads of the library call at any time: calls are posted, and made by a thread of Python.
 * Must not know: which functions. */
#include "core.h"
#include <pthread.h>
#include <stdlib.h>

/* A function that is listened to; one reference is the slot's, one each posted call's. */
typedef struct post {
    PyObject *fn;
    int refs;
    bool heard; /* false: it was replaced, and hears no more */
} post_of;
enum { MOST_POSTED = 10000 }; /* a program that never lets its threads run loses the later ones */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static posted *first, **last = &first;
static int waiting;
static bool threaded;

/* A thread of the library may have held the lock at a fork, and what was posted is the parent's. */
static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    more = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    first = NULL;
    last = &first;
    waiting = 0;
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

static void hush(struct post *p)
{
    (void)pthread_mutex_lock(&lock);
    p->heard = false;
    (void)pthread_mutex_unlock(&lock);
}

static void release(struct post *p)
{
    (void)pthread_mutex_lock(&lock);
    bool gone = --p->refs == 0;
    (void)pthread_mutex_unlock(&lock);
    if (gone) {
        Py_XDECREF(p->fn);
        free(p);
    }
}

posted *posted_new(void *to, PyObject *(*values)(const posted *p))
{
    posted *p = calloc(1, sizeof *p);
    if (p) {
        p->to = to;
        p->values = values;
    }
    return p;
}

static void drop(posted *p)
{
    free(p->memory[0]);
    free(p->memory[1]);
    free(p);
}

void post(posted *p)
{
    (void)pthread_mutex_lock(&lock);
    bool taken = waiting < MOST_POSTED && p->to->heard;
    if (taken) {
        p->to->refs++;
        waiting++;
        *last = p;
        last = &p->next;
        (void)pthread_cond_signal(&more);
    }
    (void)pthread_mutex_unlock(&lock);
    if (!taken)
        drop(p);
}

static posted *next_one(void)
{
    (void)pthread_mutex_lock(&lock);
    while (!first)
        (void)pthread_cond_wait(&more, &lock);
    posted *p = first;
    first = p->next;
    if (!first)
        last = &first;
    waiting--;
    (void)pthread_mutex_unlock(&lock);
    return p;
}

static void make_call(posted *p)
{
    PyObject *values = p->to->heard ? p->values(p) : NULL;
    PyObject *r = values ? PyObject_Call(p->to->fn, values, NULL) : NULL;
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(p->to->fn);
    Py_XDECREF(values);
    Py_XDECREF(r);
    release(p->to);
    drop(p);
}

/* The body of the thread of Python, a daemon. */
PyObject *deliver(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    for (;;) {
        posted *p;
        Py_BEGIN_ALLOW_THREADS p = next_one();
        Py_END_ALLOW_THREADS make_call(p);
    }
}

static bool start_thread(void)
{
    if (threaded)
        return true;
    PyObject *module = PyImport_ImportModule("orrery._convert");
    PyObject *r = module ? PyObject_CallMethod(module, "_start_delivery", NULL) : NULL;
    threaded = r != NULL;
    Py_XDECREF(r);
    Py_XDECREF(module);
    return threaded;
}

bool slot_next(call *c, slot *s, PyObject *fn)
{
    c->slot = s;
    if (!fn)
        return true;
    if (!start_thread() || !(c->next = calloc(1, sizeof *c->next)))
        return PyErr_Occurred() ? false : (PyErr_NoMemory(), false);
    Py_INCREF(fn);
    *c->next = (struct post){ fn, 1, true };
    return true;
}

void slot_set(call *c, bool done)
{
    struct post *gone = c->next;
    if (done && c->slot) {
        gone = c->slot->now;
        c->slot->now = c->next;
    }
    c->slot = NULL;
    c->next = NULL;
    if (!gone)
        return;
    hush(gone);
    release(gone);
}

/* At the end of the interpreter. */
PyObject *listen_no_more(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    for (int k = 0; slots[k]; k++)
        if (slots[k]->now)
            hush(slots[k]->now);
    Py_RETURN_NONE;
}
