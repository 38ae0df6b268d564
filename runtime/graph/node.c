/* Nodes: allocation from recycled blocks, reference counts, publication of values.
 * Must not know: what an op means. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/graph/node.h"
#include "runtime/graph/tls.h"

#define BLOCK 64      /* nodes allocated together               */
#define CACHE_MAX 512 /* free nodes that a thread keeps to itself */

/* Blocks are never given back: a loop that records as much as it frees runs in flat memory. */
static struct {
    pthread_mutex_t lock;
    orr__node *free;
    struct block { struct block *next; orr__node node[BLOCK]; } *blocks;
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

/* Moves up to a block's worth of free nodes from the pool (or a new block) to the thread. */
static bool refill(orr__tls *tls)
{
    pthread_mutex_lock(&pool.lock);
    for (int i = 0; i < BLOCK && pool.free; i++) {
        orr__node *n = pool.free;
        pool.free = n->next;
        n->next = tls->free_nodes;
        tls->free_nodes = n;
        tls->free_count++;
    }
    if (!tls->free_nodes) {
        struct block *b = calloc(1, sizeof *b);
        if (b) {
            b->next = pool.blocks;
            pool.blocks = b;
            for (int i = 0; i < BLOCK; i++) {
                b->node[i].next = tls->free_nodes;
                tls->free_nodes = &b->node[i];
            }
            tls->free_count += BLOCK;
        }
    }
    pthread_mutex_unlock(&pool.lock);
    return tls->free_nodes != NULL;
}

static orr__node *node_alloc(void)
{
    orr__tls *tls = orr__tls_get();
    if (!tls->free_nodes && !refill(tls))
        return NULL;
    orr__node *n = tls->free_nodes;
    tls->free_nodes = n->next;
    tls->free_count--;
    return n;
}

static void node_recycle(orr__tls *tls, orr__node *n)
{
    if (n->op->id == ORR__OP_SLICE || n->op->id == ORR__OP_PAD) {
        memset(n->attr.start, 0, sizeof n->attr.start);
        memset(n->attr.step, 0, sizeof n->attr.step);
    }
    if (tls->free_count < CACHE_MAX) {
        n->next = tls->free_nodes;
        tls->free_nodes = n;
        tls->free_count++;
        return;
    }
    pthread_mutex_lock(&pool.lock);
    n->next = pool.free;
    pool.free = n;
    pthread_mutex_unlock(&pool.lock);
}

void orr__nodes_thread_exit(orr__tls *tls)
{
    pthread_mutex_lock(&pool.lock);
    while (tls->free_nodes) {
        orr__node *n = tls->free_nodes;
        tls->free_nodes = n->next;
        n->next = pool.free;
        pool.free = n;
    }
    tls->free_count = 0;
    pthread_mutex_unlock(&pool.lock);
}

/* Where a node may come from stays known when its inputs are forgotten. Dates of different threads are compared only
 * along edges. Of leaves that share a bit one may be taken for the other's ancestor, which is on the safe side. */
static void date(orr__node *n)
{
    orr__tls *tls = orr__tls_get();
    int id = n->op->id;
    uint64_t last = tls->born;
    n->kin = 0;
    if (id == ORR__OP_LEAF || id == ORR__OP_RANDOM || id == ORR__OP_PLACEHOLDER)
        n->kin = (uint64_t)1 << (tls->leaves++ & 63);
    for (int i = 0; i < n->nin; i++) {
        last = n->in[i]->born > last ? n->in[i]->born : last;
        n->kin |= n->in[i]->kin;
    }
    if (id == ORR__OP_DETACH)
        n->kin = 0; /* no gradient flows through it */
    n->born = tls->born = last + 1;
}

orr__node *orr__node_new(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, int nin,
                         orr__node *const *in)
{
    orr__node *n = node_alloc();
    orr__node **many = NULL;
    if (n && nin > 3 && !(many = malloc((size_t)nin * sizeof *many))) {
        n->op = op;
        node_recycle(orr__tls_get(), n);
        n = NULL;
    }
    if (!n) {
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a graph node");
        return NULL;
    }
    /* Field by field: that is half the time of clearing it as a whole first. */
    atomic_init(&n->refs, 1);
    n->dtype = (uint8_t)dtype;
    n->nscalar = n->weak = n->tracked = 0;
    n->nin = nin;
    n->op = op;
    n->as = NULL;
    n->in = many ? many : n->in3;
    n->in3[0] = n->in3[1] = n->in3[2] = NULL;
    n->shape = *shape;
    memset(n->s, 0, sizeof n->s);
    memset(&n->attr, 0, offsetof(orr__attr, start));
    n->poison = NULL;
    atomic_init(&n->value, NULL);
    n->mark = n->var = 0;
    n->index = 0;
    n->file = at.file;
    n->line = at.line;
    n->next = NULL;
    for (int i = 0; i < nin; i++) {
        n->in[i] = orr__node_ref(in[i]);
        n->tracked |= (uint8_t)(in[i]->tracked | (in[i]->var != 0));
    }
    date(n);
    return n;
}

/* Who has the only reference needs no locked instruction to give it up: nobody is there to count up meanwhile. */
static bool last_ref(orr__node *n)
{
    if (atomic_load_explicit(&n->refs, memory_order_acquire) == 1)
        return true;
    return atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) == 1;
}

void orr__node_unref(orr__node *n)
{
    if (!n || !last_ref(n))
        return;
    orr__tls *tls = orr__tls_get();
    n->next = NULL;
    while (n) { /* a list of the dead, so that chains of any length need no stack */
        orr__node *dead = n;
        n = dead->next;
        for (int i = 0; i < dead->nin; i++) {
            orr__node *x = dead->in[i];
            if (last_ref(x)) {
                x->next = n;
                n = x;
            }
        }
        if (dead->in != dead->in3)
            free(dead->in);
        orr__buf_unref(orr__node_value(dead));
        free(dead->poison);
        node_recycle(tls, dead);
    }
}

void orr__node_publish(orr__node *n, orr__buf *b)
{
    orr__node *in3[3] = { NULL, NULL, NULL };
    orr__node **in = in3;
    orr__graph_lock();
    if (n->value) { /* another thread was first; both values are the same */
        orr__graph_unlock();
        orr__buf_unref(b);
        return;
    }
    int nin = n->nin;
    if (n->in == n->in3)
        memcpy(in3, n->in3, sizeof in3);
    else
        in = n->in;
    n->nin = 0;
    n->in = n->in3;
    atomic_store_explicit(&n->value, b, memory_order_release);
    orr__graph_unlock();
    for (int i = 0; i < nin; i++)
        orr__node_unref(in[i]);
    if (in != in3)
        free(in);
}
