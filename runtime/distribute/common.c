/* Finds the nodes of a capture that the ranks compute in common.
 * Must not know: how values move, how nodes are computed. */
#include "config.h"

#include "runtime/distribute/common.h"

void orr__common_find(const orr__capture *p, bool *common)
{
    for (int i = 0; i < p->n; i++) {
        bool leaf = p->leaf_of[i] >= 0;
        common[i] = leaf ? p->placed[p->leaf_of[i]] != 0 : p->node[i]->op->flags & ORR__OP_PLACES;
        for (int k = 0; !leaf && !common[i] && k < orr__capture_nin(p, i); k++)
            common[i] = common[p->arg[p->arg0[i] + k]];
    }
}
