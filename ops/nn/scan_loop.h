/* The history of a scan that ran in a loop.
 * Must not know: cells, how the loop runs. */
#ifndef ORR_OPS_NN_SCAN_LOOP_H
#define ORR_OPS_NN_SCAN_LOOP_H

#include <orrery/recurrent.h>
#include "runtime/base/status.h"
#include "runtime/graph/node.h"

enum { ORR__SCAN_MOST = 64 }; /* carries, inputs and captured variables of a scan whose gradient can be recorded */

/* Nodes that a scan reads: its first carries, its inputs, and the tracked leaves of its body, a reference each. */
typedef struct {
    int n;
    orr__node *node[ORR__SCAN_MOST];
    bool tracked; /* one of them is a variable's value, or comes from one */
    bool full;    /* there are more                                       */
} orr__scan_reads;
/* Adds the next operand. */
void orr__scan_reads_operand(orr__scan_reads *r, orr_tensor *t);
/* Adds the leaves of the results of one step. */
orr_status orr__scan_reads_body(orr__site at, orr__scan_reads *r, orr_tensor *const *result, int n);
void orr__scan_reads_free(orr__scan_reads *r);

/* Gives the results of a scan in a loop, values, a history: their gradient records the steps again, by fn. random: the state of the random
 * streams before the scan. Without a tracked operand there is nothing to do. */
orr_status orr__scan_remember(orr__site at, orr_scan_fn *fn, const orr_scan_lists *lists, void *user, bool reverse,
                              int64_t steps, const orr__scan_reads *reads, const uint64_t random[2]);

#endif
