/* The donors of an evaluation: found by counting references, and exclusive to its thread until it ends.
 * Must not know: how a value is computed. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/array.h"
#include "runtime/base/ablation.h"
#include "runtime/base/callback.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/donation_search.h"
#include "runtime/graph/former.h"
#include "runtime/graph/thread_state.h"

bool orr__donors_exist;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER; /* with the graph lock, as all state of this file */
static uint64_t ended;
static int under_way;

typedef orr__search search;
typedef orr__reached reached;

/* In the child of a fork, donors of other threads stay half written. */
static void in_child(void)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    memcpy(&released, &fresh, sizeof released);
    under_way = 0;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

orr__donor_state orr__donor_state_of(const orr__buffer *b)
{
    const void *thread = atomic_load_explicit(&b->exclusive_to, memory_order_relaxed);
    if (thread && thread != orr__tls_get())
        return under_way > 0 ? ORR__DONOR_BUSY : ORR__DONOR_LOST;
    return !thread && atomic_load(&b->overwritten) ? ORR__DONOR_LOST : ORR__DONOR_FREE;
}

bool orr__donor_mine(const orr__buffer *b)
{
    const void *thread = atomic_load_explicit(&b->exclusive_to, memory_order_relaxed);
    return thread && thread == orr__tls_get();
}

uint64_t orr__donors_released(void)
{
    return ended;
}

static orr_status lost(orr__site at)
{
    return orr__fail(at, ORR_ESTATE,
                     "a variable has no value: its new value was computed in the memory of the old one, and that "
                     "evaluation failed or runs only in the parent of a fork. Call orr_assign again");
}

orr_status orr__donor_wait(orr__site at, orr__donor_state state, uint64_t seen)
{
    if (state == ORR__DONOR_LOST)
        return lost(at);
    orr_status st = state == ORR__DONOR_BUSY ? orr__may_wait(at) : ORR_OK;
    if (st != ORR_OK)
        return st;
    orr__graph_lock();
    while (state == ORR__DONOR_BUSY && ended == seen && under_way > 0)
        orr__graph_wait(&released);
    orr__graph_unlock();
    return ORR_OK;
}

orr_status orr__node_value_ref(orr__site at, const orr__node *n, orr__buffer **buf)
{
    orr__buffer *b = *buf = orr__node_value(n);
    (void)atomic_fetch_add(&b->refs,
                           1); /* sequentially consistent: a thread that acquires b counts later, or is seen below */
    if (!atomic_load(&b->exclusive_to) && !atomic_load(&b->overwritten))
        return ORR_OK;
    orr__graph_lock();
    orr__donor_state state = orr__donor_state_of(b);
    orr__graph_unlock();
    orr_status st = state == ORR__DONOR_BUSY ? orr__may_wait(at) : ORR_OK;
    orr__graph_lock();
    while (st == ORR_OK && (state = orr__donor_state_of(b)) == ORR__DONOR_BUSY)
        orr__graph_wait(&released);
    orr__graph_unlock();
    if (state == ORR__DONOR_FREE)
        return ORR_OK;
    orr__buffer_unref(b);
    *buf = NULL;
    return st == ORR_OK ? lost(at) : st;
}

/* -- the search, under the lock -------------------------------------------------------------------------------- */

/* The number of n, which it gets at the first visit. -1: no memory. */
static int meet(search *s, orr__node *n)
{
    if (n->mark == s->epoch)
        return n->index;
    if (s->n == s->cap) {
        reached *more = orr__array_reserve(s->at, &s->cap, s->n + 1, sizeof *more);
        if (!more) {
            s->oom = true;
            return -1;
        }
        s->at = more;
    }
    n->mark = s->epoch;
    s->at[s->n] = (reached){ .node = n };
    return n->index = s->n++;
}

/* The node that computes the value of n: n itself, or the node below a chain of DETACH. */
const orr__node *orr__search_behind(const orr__node *n)
{
    while (!orr__node_value(n) && n->nin > 0 && n->op->role == ORR__ROLE_THROUGH)
        n = n->in[n->nin - 1];
    return n;
}

void orr__search_spread(search *s, orr__node *const *out, int nout)
{
    for (int i = 0, k; i < nout && (k = meet(s, out[i])) >= 0; i++) {
        s->at[k].inner++;
        s->at[k].out = true;
    }
    for (int i = 0; i < nout && !s->oom; i++) { /* a former value stays only until the new one exists */
        orr__node *old = out[i]->var ? orr__former_of(out[i]) : NULL;
        int k = old ? meet(s, old) : -1;
        if (k >= 0)
            s->at[k].inner++;
    }
    for (int i = 0; i < s->n && !s->oom; i++) {
        orr__node *n = s->at[i].node;
        const orr__buffer *b = orr__donors_exist ? orr__node_value(n) : NULL;
        orr__donor_state state = b ? orr__donor_state_of(b) : ORR__DONOR_FREE;
        s->state = state > s->state ? state : s->state;
        for (int k = 0, j; k < orr__node_needs(n) && (j = meet(s, n->in[k])) >= 0; k++)
            s->at[j].inner++;
    }
    for (int i = 0; i < nout && !s->oom; i++)
        s->at[orr__search_behind(out[i])->index].out = true;
}

/* Marks the inputs of node `from`, which is held from outside and gets no value. It will be computed from them, so
 * they stay. */
static void flood(search *s, int from)
{
    int depth = 0;
    s->stack[depth++] = from;
    s->at[from].needed = true;
    while (depth > 0) {
        const orr__node *n = s->at[s->stack[--depth]].node;
        for (int k = 0; k < orr__node_needs(n); k++) {
            reached *p = &s->at[n->in[k]->index];
            if (!p->needed && !p->out)
                s->stack[depth++] = n->in[k]->index;
            p->needed = true;
        }
    }
}

void orr__search_needed(search *s)
{
    for (int i = 0; i < s->n; i++)
        s->at[i].needed = false;
    for (int i = 0; i < s->n; i++) {
        const reached *p = &s->at[i];
        if (!p->out && !p->needed && orr__reached_held(p))
            flood(s, i);
    }
}

bool orr__donor_possible(const orr__buffer *b)
{
    return b && b->cap > 0 && !b->spilled && b->bytes >= ORR__LARGE_VALUE && !atomic_load(&b->exclusive_to);
}

/* Makes b exclusive to this thread. False: others hold references, or a run uses b by accesses that StarPU does not
 * know. */
static bool acquire(orr__buffer *b)
{
    if (!orr__donor_possible(b))
        return false;
    atomic_store(&b->exclusive_to, (const void *)orr__tls_get());
    int refs = atomic_load(&b->refs); /* read before `ordered`, which is decremented first */
    if (refs - atomic_load(&b->ordered) == 1 && atomic_load(&b->readers) == 0)
        return true;
    atomic_store(&b->exclusive_to, NULL);
    return false;
}

static void acquire_all(search *s, orr__donors *d)
{
    for (int i = 0; i < s->n; i++) {
        const reached *p = &s->at[i];
        if (!p->out && !p->needed && acquire(orr__node_value(p->node)))
            d->leaf[d->n++] = orr__node_ref(p->node);
    }
}

static void release(orr__node *leaf)
{
    atomic_store(&orr__node_value(leaf)->exclusive_to, NULL);
    orr__node_unref(leaf); /* the graph holds further references */
}

static void release_from(orr__donors *d, int from)
{
    for (int i = from; i < d->n; i++)
        release(d->leaf[i]);
    d->n = from;
}

static bool is_element_wise(const orr__node *n)
{
    return n->op->pattern == ORR__PATTERN_ELEMENT && !(n->op->flags & ORR__OP_BY_PLACE);
}

/* Releases the donors that other operations than element-wise ones read, themselves or values computed from them. */
static void keep_elements(search *s, orr__donors *d)
{
    int kept = 0;
    for (int i = 0; i < s->n; i++)
        s->at[i].needed = false;
    for (int i = 0; i < s->n; i++)
        if (!orr__node_value(s->at[i].node) && !is_element_wise(s->at[i].node))
            flood(s, i);
    for (int i = 0; i < d->n; i++)
        if (s->at[d->leaf[i]->index].needed)
            release(d->leaf[i]);
        else
            d->leaf[kept++] = d->leaf[i];
    d->n = kept;
}

/* Finds the leaves without a reader. Then finds leaves that lose their readers if values that are computed anyway are published to their
 * holders, and keeps these if the published values are fewer bytes. */
static void find_donors(search *s, bool retain, orr__donation may, orr__donors *d)
{
    orr__search_needed(s);
    acquire_all(s, d);
    int free_ones = d->n;
    if (retain && !orr__ablated(ORR__OFF_RETAINED_OUTPUTS) && orr__retained_choose(s, d)) {
        size_t retained = 0, donated = 0;
        acquire_all(s, d);
        for (int i = 0; i < d->nretained; i++)
            retained += orr__node_bytes(d->retained[i]);
        for (int i = free_ones; i < d->n; i++)
            donated += orr__node_bytes(d->leaf[i]);
        if (retained >= donated) {
            release_from(d, free_ones);
            orr__retained_drop(d);
        }
    }
    if (may == ORR__DONATE_ELEMENTS)
        keep_elements(s, d);
    if (may == ORR__DONATE_NONE)
        release_from(d, 0);
    under_way += d->n > 0;
    orr__donors_exist = orr__donors_exist || d->n > 0;
}

/* Searches the graph once. BUSY: another thread has a donor that this evaluation needs. The caller has none, must wait, and searches
 * again. */
static orr__donor_state find(orr__node *const *out, int nout, bool retain, orr__donation may, orr__donors *d,
                             uint64_t *seen)
{
    search s = { 0 };
    orr__graph_lock();
    *seen = ended;
    s.epoch = orr__walk_epoch();
    orr__search_spread(&s, out, nout);
    if (s.state == ORR__DONOR_FREE && !s.oom && (s.stack = malloc((size_t)s.n * sizeof *s.stack)) &&
        (d->leaf = malloc((size_t)s.n * sizeof(orr__node *)))) {
        find_donors(&s, retain, may, d);
    }
    orr__graph_unlock();
    free(s.at);
    free(s.stack);
    return s.state;
}

/* True if a variable among the outputs is large enough. */
static bool worth_it(orr__node *const *out, int nout)
{
    for (int i = 0; i < nout && !orr__ablated(ORR__OFF_LEAF_DONATION); i++)
        if (out[i]->var && orr__node_bytes(out[i]) >= ORR__LARGE_VALUE)
            return true;
    return false;
}

void orr__donors_find(orr__node *const *out, int nout, bool retain, orr__donation may, orr__donors *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t seen;
    *d = (orr__donors){ 0 };
    if (!worth_it(out, nout))
        return;
    (void)pthread_once(&once, watch_forks);
    while (find(out, nout, retain, may, d, &seen) == ORR__DONOR_BUSY)
        (void)orr__donor_wait(ORR__SITE(NULL, 0, "eval"), ORR__DONOR_BUSY, seen);
}

void orr__donors_release(orr__donors *d)
{
    int n = d->n;
    if (n > 0) {
        orr__graph_lock();
        for (int i = 0; i < n; i++)
            atomic_store(&orr__node_value(d->leaf[i])->exclusive_to, NULL);
        ended++;
        under_way--;
        (void)pthread_cond_broadcast(&released);
        orr__graph_unlock();
        for (int i = 0; i < n; i++)
            orr__node_unref(d->leaf[i]);
    }
    orr__retained_drop(d);
    free(d->leaf);
    *d = (orr__donors){ 0 };
}
