/* Peers that take turns with a case: the programs given by --peer, each a process that is stopped while it is not asked.
 * Must not know: their work. */
#ifndef ORR_BENCH_SIDE_H
#define ORR_BENCH_SIDE_H

#include "bench/bench.h"
#include "bench/fusion.h"

typedef struct side_peers {
    int n, rounds;
    fusion_child child[BENCH_MOST_PEERS];
    const char *name[BENCH_MOST_PEERS];
    bool there[BENCH_MOST_PEERS];   /* it is prepared for the last question, and has answered in every round */
    double *time[BENCH_MOST_PEERS]; /* of each round, seconds */
} side_peers;

/* Those that can be started, on so many workers, with the vectors of `isa` (fusion_start_peer). 0, or 1: no memory. */
int side_start(side_peers *p, const char *isa, int workers, int rounds);
void side_end(side_peers *p);
/* "prepare CASE float32 N"; a side that cannot is reported and left out until the next time. `expected` is what their checksum must
 * be within `tolerance` (relative; < 0: any). */
void side_prepare(side_peers *p, const char *what, int n, double expected, double tolerance);
/* Their turn in round r: the median of calls that fill `seconds`. */
void side_round(side_peers *p, int r, double seconds);
/* Their medians, multiplied by `scale`, into the record. */
void side_add(const side_peers *p, bench_record *r, double scale);

#endif
