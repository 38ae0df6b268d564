/* Peers that take turns with a case: the programs given by --peer, each a process that is stopped between requests.
 * Must not know: their work. */
#ifndef ORR_BENCH_SIDE_H
#define ORR_BENCH_SIDE_H

#include "bench/bench.h"
#include "bench/fusion.h"

typedef struct side_peers {
    int n, rounds;
    fusion_child child[BENCH_MOST_PEERS];
    const char *name[BENCH_MOST_PEERS];
    bool there[BENCH_MOST_PEERS];   /* it is prepared for the present case and has answered in every round */
    double *time[BENCH_MOST_PEERS]; /* of each round, seconds */
} side_peers;

/* Starts the available peers on `workers` workers, with the vectors of `isa` (fusion_start_peer). 0, or 1: no memory. */
int side_start(side_peers *p, const char *isa, int workers, int rounds);
void side_end(side_peers *p);
/* Sends "prepare CASE float32 N". A peer that cannot compute it is reported and left out until the next case. expected: the
 * checksum that a peer must match within `tolerance` (relative; < 0: any). */
void side_prepare(side_peers *p, const char *what, int n, double expected, double tolerance);
/* Runs the peers' turn in round r: the median of calls that fill `seconds`. */
void side_round(side_peers *p, int r, double seconds);
/* Adds their medians, multiplied by `scale`, to the record. */
void side_add(const side_peers *p, bench_record *r, double scale);

#endif
