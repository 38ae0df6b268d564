/* The speed of messages between the ranks at hand, and the algorithm of an exchange that takes the least time by it.
 * Must not know: the content of messages, how an algorithm works. */
#ifndef ORR_RANKS_RATES_H
#define ORR_RANKS_RATES_H

#include "runtime/ranks/schedule.h"
#include "runtime/ranks/transport.h"

/* Bytes that MPI sends before its receiver asks for them: the usual limit within a node, 4,096, less MPI's header. */
enum { ORR__MESSAGE_SHORT = 4096 - 128 };           /* limit of a library */
typedef enum { ORR__NEAR, ORR__FAR } orr__distance; /* within a node, between nodes */

/* Seconds. Messages of all ranks are under way at the same time. */
typedef struct orr__rates {
    double start[2], byte[2]; /* of a message between two ranks that send to each other: its start, a byte of it */
    double start_long[2];     /* more for the start of a message of more than ORR__MESSAGE_SHORT bytes */
    double handle;            /* of each further message of a round */
    double fold;              /* of a byte that is reduced */
    bool fixed;               /* not measured: the choice is the same on every machine */
} orr__rates;

/* The numbers of ORRERY_DETERMINISTIC. */
extern const orr__rates orr__rates_fixed;
/* Measures the rates and agrees on the slowest of all ranks, so that all choose alike. The fixed ones if a rank has ORRERY_DETERMINISTIC.
 * Collective, blocking. node: of each rank; memory: of orr__rates_memory. Returns an error message or NULL. */
const char *orr__rates_measure(const orr__transport *t, int rank, int ranks, const int *node, void *memory,
                               orr__rates *out);
void *orr__rates_memory(int ranks); /* to be freed; NULL: none */
/* The predicted time of an exchange of `bytes` bytes (of the whole array); wide: partial results are twice as long. */
double orr__rates_seconds(const orr__rates *r, orr__exchange_kind kind, orr__algorithm by, int ranks, int64_t bytes,
                          bool wide, const orr__layout *l);
/* The algorithm for such an exchange with the least predicted time. */
orr__algorithm orr__rates_choose(const orr__rates *r, const orr__exchange *x, const orr__layout *l);
/* The bytes of a piece of a long all-reduction, for pieces of which several are under way: `least`, or as many as take as long as the starts
 * of the piece's messages. */
int64_t orr__rates_piece(const orr__rates *r, int ranks, const orr__layout *l, int64_t least);

#endif
