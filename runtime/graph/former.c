/* Former values of variables, from the first assignment after an evaluation of the thread on. They are listed beside the pending variables.
 * Must not know: how a value is computed, why an evaluation ends. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/fork.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/former.h"
#include "runtime/graph/thread_state.h"

/* The list of a thread. A shutdown empties the lists of all threads, before the engine ends that holds the values. */
struct orr__former_list {
    pthread_mutex_t lock;
    orr__node **old; /* by place of the variable among the pending ones; NULL: none */
    int n, cap;
    struct orr__former_list *next, **link;
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct orr__former_list *all;
static atomic_int under_way; /* evaluations that undo their assignments if they fail */

void orr__formers_guard(void)
{
    orr__fork_guard(&all_lock);
}

static struct orr__former_list *list_of(orr__tls *tls)
{
    struct orr__former_list *l = tls->formers;
    if (l || !(l = calloc(1, sizeof *l)))
        return l;
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_lock(&all_lock);
    l->next = all;
    l->link = &all;
    if (all)
        all->link = &l->next;
    all = l;
    pthread_mutex_unlock(&all_lock);
    return tls->formers = l;
}

/* The release of a value may call a function of the program: without the locks. The memory of the list stays for the next values. */
static void empty(struct orr__former_list *l)
{
    bool more = true;
    while (more) {
        pthread_mutex_lock(&l->lock);
        more = l->n > 0;
        orr__node *old = more ? l->old[--l->n] : NULL;
        pthread_mutex_unlock(&l->lock);
        orr__node_unref(old);
    }
}

void orr__former_keep(orr__tls *tls, size_t place, orr__node *old)
{
    struct orr__former_list *l = list_of(tls);
    int at = (int)place;
    if (l) {
        pthread_mutex_lock(&l->lock);
        orr__node **more = orr__array_reserve(l->old, &l->cap, at + 1, sizeof(orr__node *));
        l->old = more ? more : l->old;
        for (; more && l->n <= at; l->n++)
            l->old[l->n] = NULL;
        if (more && !l->old[at]) {
            l->old[at] = old;
            old = NULL;
        }
        pthread_mutex_unlock(&l->lock);
    }
    orr__node_unref(old);
}

void orr__former_move(orr__tls *tls, size_t from, size_t to, bool stays)
{
    struct orr__former_list *l = tls->formers;
    orr__node *drop = NULL;
    if (!l || (stays && from == to))
        return;
    pthread_mutex_lock(&l->lock);
    if (from < (size_t)l->n) { /* else a shutdown has emptied it */
        orr__node *old = l->old[from];
        l->old[from] = NULL;
        drop = stays ? NULL : old;
        if (stays)
            l->old[to] = old;
    }
    pthread_mutex_unlock(&l->lock);
    orr__node_unref(drop);
}

orr__node *orr__former_at(const orr__tls *tls, size_t place)
{
    const struct orr__former_list *l = tls->formers; /* only this thread adds to it */
    return l && place < (size_t)l->n ? l->old[place] : NULL;
}

void orr__formers_drop(orr__tls *tls)
{
    if (tls->formers && tls->formers->n) /* no other thread adds to it */
        empty(tls->formers);
}

/* Threads do not end during a shutdown: the lists stay. */
static struct orr__former_list *first_full(void)
{
    pthread_mutex_lock(&all_lock);
    struct orr__former_list *l = all;
    for (bool full = false; l && !full; l = full ? l : l->next) {
        pthread_mutex_lock(&l->lock);
        full = l->n > 0;
        pthread_mutex_unlock(&l->lock);
    }
    pthread_mutex_unlock(&all_lock);
    return l;
}

void orr__formers_thread_exit(orr__tls *tls)
{
    struct orr__former_list *l = tls->formers;
    if (!l)
        return;
    pthread_mutex_lock(&all_lock);
    *l->link = l->next;
    if (l->next)
        l->next->link = l->link;
    pthread_mutex_unlock(&all_lock);
    empty(l);
    pthread_mutex_destroy(&l->lock);
    free(l->old);
    free(l);
    tls->formers = NULL;
}

void orr__pending_final(void)
{
    orr__tls *tls = orr__tls_get();
    const struct orr__former_list *l = tls->formers;
    bool stay = atomic_load(&under_way) > 0;
    if (!l || !l->n)
        return;
    orr__graph_lock();
    for (int i = 0; i < l->n && !stay; i++)
        stay = l->old[i] && l->old[i]->undone;
    orr__graph_unlock();
    if (!stay)
        orr__formers_drop(tls);
}

/* The last value before those that were undone. Under the lock. */
static orr__node *standing(orr__node *n)
{
    while (n->undone)
        n = n->in[0];
    return n;
}

/* Marks n, whose variable has the value `old` again. n has a value from now on, so that its only input is not computed. */
static void undo(orr__node *n, orr__node *old)
{
    orr__node *few[3], **in = few;
    orr__graph_lock();
    int nin = n->nin;
    memcpy(few, n->in3, sizeof few);
    in = n->in == n->in3 ? few : n->in;
    n->undone = true;
    n->nin = 1;
    n->in = n->in3;
    n->in3[0] = old;
    orr__graph_unlock();
    for (int i = 0; i < nin; i++)
        orr__node_unref(in[i]);
    if (in != few)
        free(in);
}

static void revert(orr__node *n, orr__node *former)
{
    orr__graph_lock();
    orr__node *old = n->undone ? NULL : orr__node_ref(standing(former));
    orr__graph_unlock();
    orr__buffer *b = old ? orr__node_value(old) : NULL;
    if (!b) {
        orr__node_unref(old);
        return;
    }
    if (!orr__node_value(n)) { /* nothing was published */
        n->placed = old->placed;
        (void)orr__node_publish(n, orr__buffer_ref(b), ORR__PUBLISH_ASKED, true);
    }
    undo(n, orr__node_ref(old));
    orr__node_unref(orr__slot_restore(n->var, n, old));
}

void orr__formers_revert(const orr__former *f, int n)
{
    for (int i = 0; i < n; i++)
        revert(f[i].node, f[i].old);
}

/* -- the assignments of an evaluation ---------------------------------------------------------------------------------- */

static orr__undo *failed; /* over ranks, in the order of their ends, under the lock */

orr__undo *orr__undo_new(orr__node *const *pending, int n)
{
    orr__undo *u = orr__alloc(sizeof *u);
    if (u && !(u->former = orr__alloc_n((size_t)n, sizeof *u->former))) {
        free(u);
        return NULL;
    }
    if (u) {
        u->n = orr__formers(pending, n, u->former);
        atomic_fetch_add(&under_way, 1);
    }
    return u;
}

void orr__undo_free(orr__undo *u)
{
    for (int i = 0; i < u->n; i++) {
        orr__node_unref(u->former[i].node);
        orr__node_unref(u->former[i].old);
    }
    atomic_fetch_sub(&under_way, 1);
    free(u->former);
    free(u);
}

static void undo_now(orr__undo *u)
{
    orr__formers_revert(u->former, u->n);
    orr__undo_free(u);
}

void orr__undo_failed(orr__undo *u)
{
    orr__undo **end = &failed;
    if (orr__ranks() == 1) {
        undo_now(u);
        return;
    }
    u->next = NULL;
    pthread_mutex_lock(&all_lock);
    while (*end)
        end = &(*end)->next;
    *end = u;
    pthread_mutex_unlock(&all_lock);
}

/* Takes one out of the list: the first, if that of `of` (NULL: any) is in it. */
static orr__undo *take_failed(const void *of)
{
    pthread_mutex_lock(&all_lock);
    orr__undo *u = failed, *last = failed;
    while (last && of && last->of != of)
        last = last->next;
    if (last)
        failed = u->next;
    pthread_mutex_unlock(&all_lock);
    return last ? u : NULL;
}

void orr__undo_settle(const void *of)
{
    for (orr__undo *u = take_failed(of); u; u = take_failed(of))
        undo_now(u);
}

void orr__formers_drop_all(void)
{
    for (struct orr__former_list *l = first_full(); l; l = first_full())
        empty(l);
    for (orr__undo *u = take_failed(NULL); u; u = take_failed(NULL))
        orr__undo_free(u);
}
