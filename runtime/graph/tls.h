/* What this room keeps per thread: free nodes, free handles, the scope stack, pending assignments.
 * Must not know: anything outside the room. */
#ifndef ORR_GRAPH_TLS_H
#define ORR_GRAPH_TLS_H

#include "runtime/graph/node.h"

#define ORR__SLOT_CACHE 128

struct orr_scope {
    orr_scope *outer;
    uint64_t *item; /* handles made here; those that moved or were freed are recognised and skipped */
    size_t n, cap;
};

typedef struct orr__tls {
    bool registered;          /* thread-exit hook is set                         */
    orr__node *free_nodes;
    int free_count;
    uint32_t slot[ORR__SLOT_CACHE];
    int nslot;
    orr_scope *scope;         /* innermost                                       */
    unsigned epoch;           /* of the handle table when `scope` was last used  */
    uint64_t *pending;        /* variables assigned and not evaluated            */
    size_t npending, pending_cap;
    orr__node **pending_nodes;
    size_t pending_nodes_cap;
} orr__tls;

orr__tls *orr__tls_get(void);
void orr__nodes_thread_exit(orr__tls *tls);   /* node.c   */
void orr__handles_thread_exit(orr__tls *tls); /* handle.c */
void orr__scopes_thread_exit(orr__tls *tls);  /* scope.c  */

/* handle.c, for scope.c and variable.c */
bool orr__slot_owned_by(uint64_t handle, const orr_scope *s); /* live and owned by s */
void orr__slot_set_scope(uint64_t handle, orr_scope *s);
bool orr__slot_free(uint64_t handle);                         /* false: was not live */
bool orr__slot_live(uint64_t handle);
unsigned orr__handles_epoch(void);
bool orr__scope_add(orr_scope *s, uint64_t handle);           /* false: no memory    */
orr_scope *orr__scope_current(void);
uint64_t orr__handle_bits(const orr_tensor *t);
orr__node *orr__slot_swap(uint64_t handle, orr__node *n);     /* variable's new value; returns the old, reference and all */
void orr__slot_make_variable(uint64_t handle);
bool orr__pending_add(uint64_t handle);

#endif
