/* The choice of a distribution for each node of a capture.
 * Must not know: how values move, how nodes are computed. */
#ifndef ORR_DISTRIBUTE_CHOICE_H
#define ORR_DISTRIBUTE_CHOICE_H

#include "runtime/graph/capture.h"
#include "runtime/graph/distribution.h"

/* A value of a node in one distribution: as the node computes it, or moved from another version of it. */
typedef struct orr__version {
    int node;
    int from;   /* -1: the node computes it                                       */
    int next;   /* next version of the node, -1: none                             */
    int level;  /* number of moves with exchanges on the longest path to it       */
    bool moves; /* by an exchange                                                */
    bool joint; /* the ranks compute it together, by no node of their own graphs */
    bool needed;
    orr__distribution as;
    orr__node *local; /* this rank's piece      */
} orr__version;

typedef struct orr__choice {
    const orr__capture *p;
    bool jointly; /* may ranks compute nodes together? */
    orr__version *version;
    int n, cap, levels;
    int *own;   /* by node: the version that it computes, or is        */
    int *need;  /* by operand (capture's arg): the version; -1: unread */
    int *root;  /* by output                                           */
    int *depth; /* by node: the longest path from a value over ranks, in nodes; -1: a rank computes it alone */
} orr__choice;

/* jointly: the engine has the operations that ranks compute together. */
orr_status orr__choose(orr__site at, const orr__capture *p, bool jointly, orr__choice *c);
void orr__choice_free(orr__choice *c);

#endif
