/* Nodes: allocation from recycled blocks, reference counts, publication of values.
 * Must not know: what an op means. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/base/held.h"
#include "runtime/base/pool.h"
#include "runtime/graph/census.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"
#include "runtime/graph/thread_state.h"

enum { BLOCK = 64, BATCH = 256 }; /* limit of memory: nodes allocated together; free nodes passed on together */
enum { FEW_DIMS = 4 };            /* at least the rank of nearly all tensors */

/* Blocks are never freed: a loop that records as much as it frees runs in constant memory. */
static struct {
    pthread_mutex_t lock;
    orr__node *batches; /* lists of free nodes; in3[0] of a list's first node is the next list */
    struct block {
        orr__node node[BLOCK];
        struct block *next;
    } * blocks;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;

void orr__nodes_guard(void)
{
    orr__fork_guard(&graph_lock);
    orr__fork_guard(&pool.lock);
}

void orr__graph_lock(void)
{
    pthread_mutex_lock(&graph_lock);
}

void orr__graph_unlock(void)
{
    pthread_mutex_unlock(&graph_lock);
}

void orr__graph_wait(pthread_cond_t *c)
{
    (void)pthread_cond_wait(c, &graph_lock);
}

static void put_batch(orr__node *first)
{
    if (!first)
        return;
    pthread_mutex_lock(&pool.lock);
    first->in3[0] = pool.batches;
    pool.batches = first;
    pthread_mutex_unlock(&pool.lock);
}

static orr__node *new_block(void)
{
    struct block *b = orr__pool_must_fail() ? NULL : aligned_alloc(_Alignof(struct block), sizeof *b);
    if (!b)
        return NULL;
    memset((void *)b, 0, sizeof *b);
    (void)orr__hold(ORR_MEMORY_GRAPHS, b);
    for (int i = 0; i + 1 < BLOCK; i++)
        b->node[i].next = &b->node[i + 1];
    pthread_mutex_lock(&pool.lock);
    b->next = pool.blocks;
    pool.blocks = b;
    pthread_mutex_unlock(&pool.lock);
    return b->node;
}

/* Refills the thread's empty list of free nodes: from its second list, a batch of the pool, or a new block. NULL: no
 * memory. */
static orr__node *refill(orr__tls *tls)
{
    orr__node *n = tls->more_nodes;
    tls->more_nodes = NULL;
    tls->free_count = BATCH;
    orr__census_begin(tls);
    if (n)
        return n;
    pthread_mutex_lock(&pool.lock);
    n = pool.batches;
    if (n)
        pool.batches = n->in3[0];
    pthread_mutex_unlock(&pool.lock);
    if (!n && (n = new_block()))
        tls->free_count = BLOCK;
    return n;
}

/* Returns the node that was freed last, which is in the cache. */
static inline orr__node *node_take(orr__tls *tls)
{
    orr__node *n = tls->free_nodes ? tls->free_nodes : refill(tls);
    if (n) {
        tls->free_nodes = n->next;
        tls->free_count--;
    }
    return n;
}

/* Clears the fields that are zero in free nodes. */
static inline void clean(orr__node *n)
{
    unsigned attrs = n->op->attrs;
    if (n->shape.rank > FEW_DIMS)
        memset(&n->shape.dim[FEW_DIMS], 0, sizeof n->shape - offsetof(orr_shape, dim[FEW_DIMS]));
    if (attrs)
        memset(&n->attr, 0, attrs & (ORR__ATTR_START | ORR__ATTR_STEP) ? sizeof n->attr : offsetof(orr__attr, start));
}

/* A thread keeps up to two lists: one of a batch, and one that grows and shrinks. */
static inline void node_recycle(orr__tls *tls, orr__node *n)
{
    clean(n);
    if (tls->free_count >= BATCH) {
        put_batch(tls->more_nodes);
        tls->more_nodes = tls->free_nodes;
        tls->free_nodes = NULL;
        tls->free_count = 0;
    }
    n->next = tls->free_nodes;
    tls->free_nodes = n;
    tls->free_count++;
}

void orr__nodes_thread_exit(orr__tls *tls)
{
    put_batch(tls->free_nodes);
    put_batch(tls->more_nodes);
    free(tls->census);
    tls->census = NULL;
    tls->free_nodes = tls->more_nodes = NULL;
    tls->free_count = 0;
}

/* An input that was common may have a whole value by now, and a leaf's value may lie over ranks. */
static ORR__COLD uint8_t commonly(const orr__node *n, uint8_t tracked)
{
    bool common = n->op->flags & ORR__OP_PLACES;
    for (int i = 0; i < n->nin && !common; i++)
        common = orr__node_is_common(n->in[i]);
    return (uint8_t)(common ? tracked | ORR__COMMON : tracked & ~ORR__COMMON);
}

/* Sets the inputs, and records from which nodes n may be computed, which stays known when its inputs are dropped. Dates of different
 * threads are compared only along edges. Of leaves that share a bit, one may pass for the other's ancestor, which is safe. False: an
 * input is missing. */
static inline bool connect(orr__tls *tls, orr__node *n, int nin, orr__node *const *in)
{
    uint64_t last = tls->born, kin = 0;
    uint8_t tracked = 0;
    for (int i = 0; i < nin; i++) {
        orr__node *x = n->in[i] = in[i];
        if (!x)
            return false;
        last = x->born > last ? x->born : last;
        kin |= x->kin;
        tracked |= x->tracked;
    }
    if (n->op->flags & ORR__OP_ORIGIN)
        kin = (uint64_t)1 << (tls->leaves++ & 63);
    if (n->op->flags & ORR__OP_STOPS)
        kin = 0; /* no gradient flows through it */
    if (tracked && ((n->op->flags & ORR__OP_STOPS) || !orr__is_inexact((orr_dtype)n->dtype)))
        tracked &= (uint8_t)~ORR__FLOWS;
    if (orr__distributions_exist())
        tracked = commonly(n, tracked);
    n->kin = kin;
    n->tracked = tracked;
    n->born = tls->born = last + 1;
    return true;
}

bool orr__node_deriving(bool derives)
{
    orr__tls *tls = orr__tls_get();
    bool before = tls->deriving;
    tls->deriving = derives;
    return before;
}

void orr__node_descends(orr__node *n, const orr__node *x)
{
    orr__tls *tls = orr__tls_get();
    n->kin |= x->kin;
    n->tracked |= x->tracked;
    if (n->born <= x->born)
        n->born = x->born + 1;
    tls->born = tls->born > n->born ? tls->born : n->born;
}

/* Releases the references to the inputs of a node that was not made. */
static orr__node *no_node(int nin, orr__node *const *in)
{
    for (int i = 0; i < nin; i++)
        orr__node_unref(in[i]);
    return NULL;
}

static inline void set_shape(orr__node *n, const orr_shape *shape)
{
    if (shape->rank > FEW_DIMS)
        n->shape = *shape;
    else
        memcpy(&n->shape, shape, offsetof(orr_shape, dim[FEW_DIMS]));
}

/* Returns an unused node to the free ones. */
static void discard(orr__tls *tls, orr__node *n)
{
    if (n->in != n->in3)
        free(n->in);
    node_recycle(tls, n);
}

/* True if op has operands of dtype t. Compound numbers are refused unless the operation allows them. */
static bool takes(orr__site at, const orr__op *op, orr_dtype t)
{
    if (op->kinds & (orr__is_field(t) ? ORR__TAKES_FIELD : ORR__TAKES_COMPLEX))
        return true;
    if (orr__is_field(t))
        (void)orr__fail(at, ORR_EDTYPE, "%s takes no elements of %s: orrery/field.h lists the operations on fields",
                        op->name, orr_dtype_name(t));
    else
        (void)orr__fail(at, ORR_EDTYPE, "%s takes no complex numbers: write orr_real, orr_imag or orr_abs", op->name);
    return false;
}

/* The user's call of which the operation is a part; NULL: the user called it. */
static const char *composed(const orr__tls *tls, const orr__op *op)
{
    const char *call = tls->scope ? tls->scope->call : NULL;
    return call && strcmp(call, op->name) != 0 ? call : NULL;
}

void (*_Atomic orr__node_first)(void);

orr__node *orr__node_of(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, int nin,
                        orr__node *const *in)
{
    orr__tls *tls = orr__tls_get();
    void (*first)(void) = atomic_load_explicit(&orr__node_first, memory_order_relaxed);
    if (first)
        first();
    for (int i = 0; i < nin; i++)
        if (in[i] && orr__is_compound((orr_dtype)in[i]->dtype) && !takes(at, op, (orr_dtype)in[i]->dtype))
            return no_node(nin, in);
    orr__node *n = node_take(tls);
    if (!n) {
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a graph node");
        return no_node(nin, in);
    }
    /* Setting each field takes half the time of clearing the whole node first. */
    atomic_init(&n->refs, 1);
    n->dtype = (uint8_t)dtype;
    n->nscalar = n->weak = 0;
    n->nin = nin;
    n->index = 0;
    n->op = op;
    atomic_init(&n->value, NULL);
    n->mark = 0;
    n->in = n->in3;
    n->poison = NULL;
    n->file = at.file;
    n->as = op->flags & ORR__OP_MAY_FAIL ? composed(tls, op) : NULL;
    n->var = 0;
    n->line = at.line;
    n->placed = 0;
    n->kept = false;
    n->once = false;
    n->computed = 0;
    n->undone = false;
    n->derived = tls->deriving;
    set_shape(n, shape);
    if (nin > 3 && !(n->in = malloc((size_t)nin * sizeof *n->in))) {
        discard(tls, n);
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a graph node");
        return no_node(nin, in);
    }
    if (!connect(tls, n, nin, in)) {
        discard(tls, n);
        return no_node(nin, in);
    }
    if (tls->census)
        orr__census_add(tls, n);
    return n;
}

void orr__node_free(orr__node *n)
{
    orr__tls *tls = orr__tls_get();
    n->next = NULL;
    while (n) { /* a list of dead nodes: chains of any length need no recursion */
        orr__node *dead = n;
        n = dead->next;
        for (int i = 0; i < dead->nin; i++) {
            orr__node *x = dead->in[i];
            if (orr__node_last_ref(x)) {
                x->next = n;
                n = x;
            }
        }
        if (dead->in != dead->in3)
            free(dead->in);
        if (orr__node_value(dead))
            orr__buffer_unref(orr__node_value(dead));
        if (dead->poison)
            free(dead->poison);
        node_recycle(tls, dead);
    }
}

bool orr__node_publish(orr__node *n, orr__buffer *b, orr__publishing how, bool again)
{
    orr__node *in3[3] = { NULL, NULL, NULL };
    orr__node **in = in3;
    orr__graph_lock();
    if (n->value) { /* another thread was first; both values are the same */
        orr__graph_unlock();
        orr__buffer_unref(b);
        return false;
    }
    bool stays = how == ORR__PUBLISH_EARLY && !(n->op->flags & ORR__OP_STOPS);
    int nin = stays ? 0 : n->nin;
    if (!stays) {
        if (n->in == n->in3)
            memcpy(in3, n->in3, sizeof in3);
        else
            in = n->in;
        n->nin = 0;
        n->in = n->in3;
        n->kept = how == ORR__PUBLISH_KEPT;
    }
    if (!again)
        orr__buffer_renew(b);
    atomic_store_explicit(&n->value, b, memory_order_release);
    orr__graph_unlock();
    for (int i = 0; i < nin; i++)
        orr__node_unref(in[i]);
    if (in != in3)
        free(in);
    return true;
}
