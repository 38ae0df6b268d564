/* The double's captures and graphs: work that is enqueued in a stream under capture becomes a node; a launch of the executable graph enqueues
 * all nodes, in their order. Calls that a capture forbids, and uses of graphs that have ended, end the process in strict mode.
 * Must not know: Orrery, the work. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/double/double.h"

enum {
    OK = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    UNSUPPORTED = 900,
    INVALIDATED = 901,
    ILLEGAL = 401,
    WRONG_THREAD = 908,
    NO_UPDATE = 910
};
enum { CAPTURES = 16 };

typedef struct graph graph;

typedef struct node {
    struct node *next;
    graph *of;
    cuda_double_work *work;
    const void *module; /* of a kernel, else NULL */
    uint64_t *arg;
    size_t bytes;
} node;

/* A graph, or an executable one, whose `from` it was made of. They stay allocated, so that a use after the end is seen. */
struct graph {
    graph *next, *from;
    node *first, *last;
    bool ended, executable;
};

typedef struct {
    void *stream;
    graph *g;
    pthread_t thread;
    bool broken;
} capture;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static capture captures[CAPTURES];
static int under_way;
static graph *all;

static void fault(const char *what)
{
    if (!cuda_double_strict())
        return;
    (void)fprintf(stderr, "cuda double: %s\n", what);
    _exit(99);
}

static graph *make(bool executable)
{
    graph *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->executable = executable;
    pthread_mutex_lock(&lock);
    g->next = all;
    all = g;
    pthread_mutex_unlock(&lock);
    return g;
}

static void set(node *n, const void *arg, size_t bytes)
{
    free(n->arg);
    n->arg = calloc(1, bytes + sizeof *n->arg);
    n->bytes = bytes;
    if (n->arg)
        memcpy(n->arg, arg, bytes);
}

static node *add(graph *g, cuda_double_work *work, const void *module, const void *arg, size_t bytes)
{
    node *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->of = g;
    n->work = work;
    n->module = module;
    set(n, arg, bytes);
    if (g->last)
        g->last->next = n;
    else
        g->first = n;
    g->last = n;
    return n;
}

static void empty(graph *g)
{
    for (node *n = g->first, *next; n; n = next) {
        next = n->next;
        free(n->arg);
        free(n);
    }
    g->first = g->last = NULL;
}

static capture *capture_of(const void *stream)
{
    for (int i = 0; stream && i < CAPTURES; i++)
        if (captures[i].stream == stream)
            return &captures[i];
    return NULL;
}

bool cuda_double_capturing(const void *stream)
{
    if (__atomic_load_n(&under_way, __ATOMIC_SEQ_CST) == 0)
        return false;
    pthread_mutex_lock(&lock);
    bool is = capture_of(stream) != NULL;
    pthread_mutex_unlock(&lock);
    return is;
}

int cuda_double_add_node(void *stream, cuda_double_work *work, const void *module, const void *arg, size_t bytes)
{
    pthread_mutex_lock(&lock);
    capture *c = capture_of(stream);
    int code = !c ? INVALID : c->broken ? INVALIDATED : add(c->g, work, module, arg, bytes) ? OK : NO_MEMORY;
    pthread_mutex_unlock(&lock);
    return code;
}

int cuda_double_forbidden(const char *call)
{
    char what[120];
    bool mine = false;
    if (__atomic_load_n(&under_way, __ATOMIC_SEQ_CST) == 0)
        return OK;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CAPTURES; i++)
        if (captures[i].stream && pthread_equal(captures[i].thread, pthread_self()))
            mine = captures[i].broken = true;
    pthread_mutex_unlock(&lock);
    if (!mine)
        return OK;
    (void)snprintf(what, sizeof what, "%s in a capture of this thread", call);
    fault(what);
    return UNSUPPORTED;
}

static graph *whole(void *p, bool executable, const char *what)
{
    graph *g = p;
    if (g && !g->ended && g->executable == executable)
        return g;
    fault(what);
    return NULL;
}

int cuda_double_kernels(void *exec, int *calls)
{
    graph *g = whole(exec, true, "a graph is launched after its end");
    int n = 0;
    *calls = 0;
    for (node *k = g ? g->first : NULL; k; k = k->next) {
        n += k->module != NULL;
        *calls += k->module == NULL;
        if (k->module && !cuda_double_loaded(k->module))
            fault("a graph launches a kernel whose module was unloaded");
    }
    return g ? n : -1;
}

typedef struct {
    cuda_double_work *work;
    uint64_t arg[];
} step;

static _Thread_local bool in_graph;
bool cuda_double_in_graph(void)
{
    return in_graph;
}

static int compute(void *arg)
{
    step *s = arg;
    in_graph = true;
    int code = s->work(s->arg);
    in_graph = false;
    return code;
}

int cuda_double_run_graph(void *exec, void *stream)
{
    graph *g = exec;
    int code = OK;
    for (node *n = g->first; n && code == OK; n = n->next) {
        step *s = calloc(1, sizeof *s + n->bytes + sizeof *s->arg);
        if (!s)
            return NO_MEMORY;
        s->work = n->work;
        memcpy(s->arg, n->arg, n->bytes);
        code = cuda_double_enqueue(stream, compute, s, sizeof *s + n->bytes);
        free(s);
    }
    return code;
}

int cuda_double_set_node(void *exec, void *p, const void *module, const void *arg, size_t bytes)
{
    graph *g = whole(exec, true, "a node is set in a graph that has ended");
    node *n = p, *mine = g ? g->first : NULL;
    if (!g)
        return INVALID;
    if (n->of != g->from || g->from->ended) {
        fault(n->of == g->from ? "a node is set whose graph has ended" : "a node is set that belongs to another graph");
        return INVALID;
    }
    for (const node *k = n->of->first; k && k != n && mine; k = k->next)
        mine = mine->next;
    if (!mine || !mine->module)
        return INVALID;
    mine->module = module;
    set(mine, arg, bytes);
    __atomic_add_fetch(&cuda_double.nodes_set, 1, __ATOMIC_RELAXED);
    return OK;
}

/* -- the driver's functions ---------------------------------------------------------------------------------------------- */

API int cuStreamBeginCapture_v2(void *stream, int mode)
{
    int code = ILLEGAL;
    if (cuda_double.lost_code || cuda_double.capture_code)
        return cuda_double.lost_code ? cuda_double.lost_code : cuda_double.capture_code;
    if (!stream)
        return UNSUPPORTED;
    if (mode < 0 || mode > 2)
        return INVALID;
    graph *g = make(false);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CAPTURES && g && code == ILLEGAL && !capture_of(stream); i++)
        if (!captures[i].stream) {
            captures[i] = (capture){ .stream = stream, .g = g, .thread = pthread_self() };
            code = OK;
        }
    under_way += code == OK;
    pthread_mutex_unlock(&lock);
    return code;
}

API int cuStreamEndCapture(void *stream, void **out)
{
    int code = ILLEGAL;
    *out = NULL;
    pthread_mutex_lock(&lock);
    capture *c = capture_of(stream);
    if (c) {
        code = cuda_double.capture_end_code                ? cuda_double.capture_end_code
               : !pthread_equal(c->thread, pthread_self()) ? WRONG_THREAD
               : c->broken                                 ? INVALIDATED
                                                           : OK;
        *out = code == OK ? c->g : NULL;
        c->stream = NULL;
        under_way--;
    }
    pthread_mutex_unlock(&lock);
    cuda_double.captures += code == OK;
    return code;
}

API int cuStreamGetCaptureInfo_v3(void *stream, int *status, uint64_t *id, void **g, void *const **last, void **edges,
                                  size_t *n)
{
    pthread_mutex_lock(&lock);
    capture *c = capture_of(stream);
    *status = !c ? 0 : c->broken ? 2 : 1;
    if (id)
        *id = 1;
    if (c && g)
        *g = c->g;
    if (edges)
        *edges = NULL;
    *n = c && c->g->last ? 1 : 0;
    *last = c ? (void *const *)&c->g->last : NULL;
    pthread_mutex_unlock(&lock);
    return OK;
}

API int cuGraphInstantiateWithFlags(void **exec, void *p, unsigned long long flags)
{
    graph *from = whole(p, false, "a graph is instantiated after its end"), *g = from && flags == 0 ? make(true) : NULL;
    *exec = NULL;
    if (cuda_double.graph_code || !g)
        return cuda_double.graph_code ? cuda_double.graph_code : INVALID;
    g->from = from;
    for (const node *n = from->first; n; n = n->next)
        if (!add(g, n->work, n->module, n->arg, n->bytes))
            return NO_MEMORY;
    cuda_double.execs++;
    *exec = g;
    return OK;
}

/* Kernels keep their function, as where the driver may not change it. */
API int cuGraphExecUpdate_v2(void *exec, void *p, void *result)
{
    graph *g = whole(exec, true, "a graph is updated after its end"),
          *from = whole(p, false, "an update is of a graph that has ended");
    memset(result, 0, 3 * sizeof(void *));
    if (!g || !from)
        return INVALID;
    node *a = g->first, *b = from->first;
    while (a && b && a->work == b->work && a->module == b->module) {
        a = a->next;
        b = b->next;
    }
    if (a || b || cuda_double.update_code)
        return cuda_double.update_code ? cuda_double.update_code : NO_UPDATE;
    for (a = g->first, b = from->first; a; a = a->next, b = b->next)
        set(a, b->arg, b->bytes);
    cuda_double.updates++;
    return OK;
}

API int cuGraphExecDestroy(void *exec)
{
    graph *g = whole(exec, true, "a graph is ended twice");
    if (!g)
        return INVALID;
    g->ended = true;
    empty(g);
    cuda_double.execs--;
    return OK;
}

API int cuGraphDestroy(void *p)
{
    graph *g = whole(p, false, "a graph is ended twice");
    if (!g)
        return INVALID;
    g->ended = true; /* its nodes stay: a later use of one is seen */
    return OK;
}
