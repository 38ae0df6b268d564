/* The state of a thread: free nodes, free handles, the scope stack, pending assignments.
 * Must not know: anything outside the room. */
#ifndef ORR_GRAPH_THREAD_STATE_H
#define ORR_GRAPH_THREAD_STATE_H

#include <pthread.h>
#include "runtime/base/thread_cache.h"
#include "runtime/graph/capture.h"

#define ORR__SLOT_CACHE 128                       /* limit of memory */
enum { ORR__KEEPERS = 1024, ORR__NO_KEEPER = 0 }; /* limit of memory: the number of a keeper identifies its thread */

/* The user holds the serial as a pointer, which is never dereferenced and never used twice. */
typedef struct orr__scope {
    struct orr__scope *outer;
    uint64_t serial;
    uint64_t *item; /* handles made here; those that moved or were freed are recognised and skipped */
    size_t n, cap;
    uint64_t born;    /* the thread's latest node when it began */
    size_t lent;      /* number of lent handles when it began     */
    bool borrowing;   /* the thread was borrowing when it began */
    const char *call; /* the user's call whose composition this is, NULL: a user's scope */
} orr__scope;

/* Memory of the thread for a purpose of a higher room, freed when the thread ends. */
typedef enum { ORR__OWN_GRADIENTS, ORR__OWN_TEXT, ORR__OWN_COUNT } orr__own_memory;

/* Small: a program that opens the library at run time (dlopen) has some hundred bytes for it. */
typedef struct orr__tls {
    orr__stash *stash;                  /* NULL: no memory for a stash; the pool is used */
    orr__node *free_nodes, *more_nodes; /* lists by `next`; the second is full, or empty */
    int free_count, nslot;              /* the most nodes in free_nodes; slots in slot        */
    uint32_t *slot;                     /* ORR__SLOT_CACHE free slots; NULL until needed      */
    unsigned keeper;                    /* keeper of its handles; ORR__NO_KEEPER until the first */
    bool borrowing;                     /* copy of its keeper's `borrowing`                   */
    bool have_spare;                    /* `spare` is not lent to a capture                   */
    bool pile_off;                      /* of pile.h: no submission before the next evaluation */
    bool common;                        /* the call under way has operands that the ranks compute in common */
    orr__scope *scope;                  /* innermost                                       */
    orr__scope *free_scopes;            /* ended scopes with their lists, for reuse        */
    int nfree_scopes;
    bool deriving;            /* a derivative records its nodes                  */
    size_t kept_items;        /* total capacity of their lists                   */
    uint64_t serial, serials; /* the next scope's serial; serials left           */
    orr__capture spare;       /* arrays of the last capture, for reuse           */
    void *stack;              /* of a capture's walk */
    int stack_cap;
    unsigned epoch;        /* of the handle table when `scope` was last used  */
    uint64_t born, leaves; /* the latest node's date; leaves made              */
    uint64_t *pending;     /* variables assigned and not evaluated            */
    size_t npending, pending_cap;
    uint64_t *pending_at; /* a hash table of places in `pending`, each with the age of the table; others are free */
    uint32_t pending_age;
    uint32_t met;                     /* agreements of the ranks in which the thread has taken part */
    struct orr__former_list *formers; /* former values of the pending variables; NULL: none yet */
    uint64_t pile_lead; /* of pile.h: the variable that was assigned first since the last evaluation, 0: none */
    uint64_t pile_born; /* … `born` at that evaluation                                          */
    orr__node **pending_nodes;
    size_t pending_nodes_cap;
    struct orr__census *census; /* under way; NULL: none                                      */
    uint64_t census_next;       /* the nodes without an evaluation that begin the next one    */
    uint64_t *lent;             /* handles of nodes that calls under way read */
    size_t nlent, lent_cap;
    void *own[ORR__OWN_COUNT]; /* NULL until needed */
} orr__tls;

/* The calling thread's state, NULL before its first call. It is one pointer at a fixed offset: reading it needs no
 * function call. */
extern _Thread_local orr__tls *orr__tls_mine __attribute__((tls_model("initial-exec")));
orr__tls *orr__tls_begin(void);
/* Zeroed at first; of the same size in each call. NULL: no memory. */
void *orr__own_memory_of(orr__own_memory what, size_t size);
static inline orr__tls *orr__tls_get(void)
{
    return orr__tls_mine ? orr__tls_mine : orr__tls_begin();
}
/* orr__tls_now is the same, but after a shutdown the thread's first call drops its scopes from before. */
extern atomic_uint orr__shutdowns; /* number of shutdowns so far */
static inline unsigned orr__handles_epoch(void)
{
    return atomic_load_explicit(&orr__shutdowns, memory_order_relaxed);
}
void orr__tls_renew(orr__tls *tls);
static inline orr__tls *orr__tls_now(void)
{
    orr__tls *tls = orr__tls_get();
    if (tls->epoch != orr__handles_epoch())
        orr__tls_renew(tls);
    return tls;
}
void orr__nodes_thread_exit(orr__tls *tls);    /* node.c   */
void orr__handles_thread_exit(orr__tls *tls);  /* handle.c */
void orr__scopes_thread_exit(orr__tls *tls);   /* scope.c  */
void orr__captures_thread_exit(orr__tls *tls); /* capture.c   */
void orr__scopes_drop(orr__tls *tls);          /* ends all scopes */
void orr__formers_thread_exit(orr__tls *tls);  /* former.c */
/* Keeps the value that a variable had before its assignment, unless one from before an earlier assignment is kept. Takes over old. */
void orr__former_keep(orr__tls *tls, size_t place, orr__node *old);
/* Moves a former value to another place, or drops it. */
void orr__former_move(orr__tls *tls, size_t from, size_t to, bool stays);
orr__node *orr__former_at(const orr__tls *tls, size_t place); /* borrowed, or NULL */
void orr__formers_drop(orr__tls *tls);
void orr__formers_drop_all(void); /* of all threads */
void orr__formers_guard(void);
void orr__nodes_guard(void); /* protects their locks across forks */
void orr__handles_guard(void);
void orr__graph_wait(pthread_cond_t *c); /* with the graph lock, which it releases while waiting */
uint64_t orr__walk_epoch(void);          /* a new mark for a walk, under the lock (capture.c)   */

/* handle.c, for scope.c and variable.c */
bool orr__slot_owned_by(uint64_t handle, const orr__scope *s);  /* live and owned by s */
void orr__slots_free_owned(orr__tls *tls, const orr__scope *s); /* frees these, the latest first */
bool orr__slot_set_scope(uint64_t handle, orr__scope *s);       /* false: was not live */
bool orr__slot_free(uint64_t handle);                           /* false: was not live */
bool orr__slot_live(uint64_t handle);
bool orr__scope_grow(orr__scope *s); /* makes space for one more; false: no memory */
static inline bool orr__scope_add(orr__scope *s, uint64_t handle)
{
    if (s->n == s->cap && !orr__scope_grow(s))
        return false;
    s->item[s->n++] = handle;
    return true;
}
orr__node *orr__poison_node(void); /* of the last error, made by its call; NULL: no memory */
uint64_t orr__handle_bits(const orr_tensor *t);
orr_tensor *orr__handle_oom(void); /* the poison of last resort, of no scope; sets the last error */
/* Sets a variable's node to `before` if it is n, from any thread; returns the reference that is left over. */
orr__node *orr__slot_restore(uint64_t handle, const orr__node *n, orr__node *before);
orr__node *orr__slot_swap(uint64_t handle, orr__node *n); /* sets a variable's node; returns the old one, with
                                                             reference */
void orr__slot_make_variable(uint64_t handle);
uint64_t
orr__handle_hold(orr__node *n); /* a handle of no scope, until orr__slot_free or the shutdown; 0: none is free */
void orr__lent_drop(orr__tls *tls, size_t keep); /* drops all but the first `keep` */
void orr__borrow_end(orr__tls *tls);             /* the thread reads no node of its handles any more */

#endif
