/* Which values an evaluation may write over: found by counting references, and kept from other threads until it ends.
 * Must not know: how a value is computed. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/graph/donation_search.h"
#include "runtime/graph/thread_state.h"

bool orr__takes_matter;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER; /* with the graph lock, as all here */
static uint64_t ended;
static int under_way;

typedef orr__search search;
typedef orr__place place;

/* What other threads were writing over stays half written here. */
static void in_child(void)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    memcpy(&moved, &fresh, sizeof moved);
    under_way = 0;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

orr__take_state orr__take_of(const orr__buffer *b)
{
    const void *taker = atomic_load_explicit(&b->taker, memory_order_relaxed);
    if (taker && taker != orr__tls_get())
        return under_way > 0 ? ORR__TAKE_BUSY : ORR__TAKE_SPOILED;
    return !taker && atomic_load(&b->overwritten) ? ORR__TAKE_SPOILED : ORR__TAKE_NONE;
}

bool orr__take_mine(const orr__buffer *b)
{
    const void *taker = atomic_load_explicit(&b->taker, memory_order_relaxed);
    return taker && taker == orr__tls_get();
}

uint64_t orr__takes_ended(void)
{
    return ended;
}

static orr_status spoiled(orr__site at)
{
    return orr__fail(at, ORR_ESTATE,
                     "a variable's old value was written over by its new one, and that evaluation failed or "
                     "stayed behind in the parent of a fork: assign the variable anew");
}

orr_status orr__takes_wait(orr__site at, orr__take_state state, uint64_t seen)
{
    if (state == ORR__TAKE_SPOILED)
        return spoiled(at);
    orr__graph_lock();
    while (state == ORR__TAKE_BUSY && ended == seen && under_way > 0)
        orr__graph_wait(&moved);
    orr__graph_unlock();
    return ORR_OK;
}

orr_status orr__take_ref(orr__site at, const orr__node *n, orr__buffer **buf)
{
    orr__buffer *b = *buf = orr__node_value(n);
    (void)atomic_fetch_add(&b->refs, 1); /* in order: a taker looks at it afterwards, or we see the taker */
    if (!atomic_load(&b->taker) && !atomic_load(&b->overwritten))
        return ORR_OK;
    orr__graph_lock();
    orr__take_state state;
    while ((state = orr__take_of(b)) == ORR__TAKE_BUSY)
        orr__graph_wait(&moved);
    orr__graph_unlock();
    if (state != ORR__TAKE_SPOILED)
        return ORR_OK;
    orr__buffer_unref(b);
    *buf = NULL;
    return spoiled(at);
}

/* -- the search, under the lock -------------------------------------------------------------------------------- */

/* The node's number; it gets one when it is met first. -1: no memory. */
static int meet(search *s, orr__node *n)
{
    if (n->mark == s->epoch)
        return n->index;
    if (s->n == s->cap) {
        int cap = s->cap ? 2 * s->cap : 256;
        place *more = realloc(s->at, (size_t)cap * sizeof *more);
        if (!more) {
            s->oom = true;
            return -1;
        }
        s->at = more;
        s->cap = cap;
    }
    n->mark = s->epoch;
    s->at[s->n] = (place){ .node = n };
    return n->index = s->n++;
}

/* The node that gets the same value as a DETACH in front of it. */
const orr__node *orr__search_behind(const orr__node *n)
{
    while (!orr__node_value(n) && n->nin > 0 && n->op->role == ORR__ROLE_THROUGH)
        n = n->in[n->nin - 1];
    return n;
}

/* Everything that the outputs are made from, and how often each node is referred to from within. */
static void spread(search *s, orr__node *const *out, int nout)
{
    for (int i = 0, k; i < nout && (k = meet(s, out[i])) >= 0; i++) {
        s->at[k].inner++;
        s->at[k].out = true;
    }
    for (int i = 0; i < s->n && !s->oom; i++) {
        orr__node *n = s->at[i].node;
        const orr__buffer *b = orr__takes_matter ? orr__node_value(n) : NULL;
        orr__take_state state = b ? orr__take_of(b) : ORR__TAKE_NONE;
        s->state = state > s->state ? state : s->state;
        for (int k = 0, j; k < n->nin && (j = meet(s, n->in[k])) >= 0; k++)
            s->at[j].inner++;
    }
    for (int i = 0; i < nout && !s->oom; i++)
        s->at[orr__search_behind(out[i])->index].out = true;
}

/* Who is held from outside and gets no value will be computed from what it is made of: that stays. */
static void flood(search *s, int from)
{
    int depth = 0;
    s->stack[depth++] = from;
    s->at[from].wanted = true;
    while (depth > 0) {
        const orr__node *n = s->at[s->stack[--depth]].node;
        for (int k = 0; k < n->nin; k++) {
            place *p = &s->at[n->in[k]->index];
            if (!p->wanted && !p->out)
                s->stack[depth++] = n->in[k]->index;
            p->wanted = true;
        }
    }
}

void orr__search_wanted(search *s)
{
    for (int i = 0; i < s->n; i++)
        s->at[i].wanted = false;
    for (int i = 0; i < s->n; i++) {
        const place *p = &s->at[i];
        if (!p->out && !p->wanted && orr__place_held(p))
            flood(s, i);
    }
}

bool orr__take_could(const orr__buffer *b)
{
    return b && b->cap > 0 && !b->spilled && b->bytes >= ORR__TAKE_LEAST && !atomic_load(&b->taker);
}

/* Ours, of nobody else, and of no run but one that tells StarPU of all that it does to it. */
static bool take(orr__buffer *b)
{
    if (!orr__take_could(b))
        return false;
    atomic_store(&b->taker, (const void *)orr__tls_get());
    int refs = atomic_load(&b->refs); /* before `ordered`, which goes down first */
    if (refs - atomic_load(&b->ordered) == 1 && atomic_load(&b->readers) == 0)
        return true;
    atomic_store(&b->taker, NULL);
    return false;
}

static void take_all(search *s, orr__takes *t)
{
    for (int i = 0; i < s->n; i++) {
        const place *p = &s->at[i];
        if (!p->out && !p->wanted && take(orr__node_value(p->node)))
            t->leaf[t->n++] = orr__node_ref(p->node);
    }
}

static void give_back(orr__takes *t, int from)
{
    for (int i = from; i < t->n; i++) {
        atomic_store(&orr__node_value(t->leaf[i])->taker, NULL);
        orr__node_unref(t->leaf[i]); /* the graph has others */
    }
    t->n = from;
}

/* What nobody wants; then what nobody would want who got the value of something that is computed anyway, if that is less. */
static void find_takes(search *s, orr__takes *t)
{
    orr__search_wanted(s);
    take_all(s, t);
    t->nfree = t->n;
    if (orr__keep_choose(s, t)) {
        size_t kept = 0, taken = 0;
        take_all(s, t);
        for (int i = 0; i < t->nkept; i++)
            kept += orr__node_bytes(t->kept[i]);
        for (int i = t->nfree; i < t->n; i++)
            taken += orr__node_bytes(t->leaf[i]);
        if (kept >= taken) {
            give_back(t, t->nfree);
            orr__keep_drop(t);
        }
    }
    under_way += t->n > 0;
    orr__takes_matter = orr__takes_matter || t->n > 0;
}

/* One look at the graph. BUSY: another thread has taken what we need, so that we must wait, with nothing ours, and look again. */
static orr__take_state look(orr__node *const *out, int nout, orr__takes *t, uint64_t *seen)
{
    search s = { 0 };
    orr__graph_lock();
    *seen = ended;
    s.epoch = orr__walk_epoch();
    spread(&s, out, nout);
    if (s.state == ORR__TAKE_NONE && !s.oom && (s.stack = malloc((size_t)s.n * sizeof *s.stack)) &&
        (t->leaf = malloc((size_t)s.n * sizeof(orr__node *)))) {
        find_takes(&s, t);
    }
    orr__graph_unlock();
    free(s.at);
    free(s.stack);
    return s.state;
}

/* Some variable is large enough. */
static bool worth_it(orr__node *const *out, int nout)
{
    for (int i = 0; i < nout; i++)
        if (out[i]->var && orr__node_bytes(out[i]) >= ORR__TAKE_LEAST)
            return true;
    return false;
}

void orr__takes_begin(orr__node *const *out, int nout, orr__takes *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t seen;
    *t = (orr__takes){ 0 };
    if (!worth_it(out, nout))
        return;
    (void)pthread_once(&once, watch_forks);
    while (look(out, nout, t, &seen) == ORR__TAKE_BUSY)
        (void)orr__takes_wait(ORR__SITE(NULL, 0, "eval"), ORR__TAKE_BUSY, seen);
}

/* Who waits for one of these goes on. */
static void let_go(orr__takes *t, int from, bool all)
{
    orr__graph_lock();
    for (int i = from; i < t->n; i++)
        atomic_store(&orr__node_value(t->leaf[i])->taker, NULL);
    ended++;
    under_way -= all;
    (void)pthread_cond_broadcast(&moved);
    orr__graph_unlock();
    for (int i = from; i < t->n; i++)
        orr__node_unref(t->leaf[i]);
    t->n = from;
}

void orr__takes_part(orr__takes *t)
{
    if (t->n > t->nfree)
        let_go(t, t->nfree, t->nfree == 0);
    orr__keep_drop(t);
}

void orr__takes_end(orr__takes *t)
{
    if (t->n > 0)
        let_go(t, 0, true);
    orr__keep_drop(t);
    free(t->leaf);
    *t = (orr__takes){ 0 };
}
