/* Ranks: the processes that run one program together; groups of them, process grids, exchanges of arrays.
 * Must not know: tensors, graphs, plans; MPI's types. */
#ifndef ORR_RANKS_RANKS_H
#define ORR_RANKS_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <orrery/distribute.h>
#include <orrery/dtype.h>
#include "runtime/base/status.h"
#include "runtime/ranks/ranks_of.h"

/* -- ranks ------------------------------------------------------------------------------------------------- */

/* Opens MPI if `of` names a communicator, a launcher started several processes or the program runs MPI, and ORRERY_RANKS is not `off`; else
 * this is rank 0 of 1, at no cost. Collective over the ranks. MPI stays open until the process ends, since it cannot be initialised
 * twice. */
orr_status orr__ranks_start(orr__site at, orr__ranks_of of);
/* This rank cannot start, for the reason of the last error, whose status is st. The other ranks of `of`, which start, hear the reason.
 * Collective. Returns st and keeps the reason; a session that runs goes on. */
orr_status orr__ranks_refuse(orr__ranks_of of, orr_status st);
/* Before orr__ranks_start: f ends the session, on the thread that calls MPI_Finalize during it. */
void orr__ranks_at_end(void (*f)(void));
/* Waits until all ranks have called it, then ends the threads. Collective. */
void orr__ranks_stop(void);
/* Leaves the communicators, after the end of StarPU-MPI, which uses one. Collective. */
void orr__ranks_leave(void);
int orr__rank(void);
int orr__ranks(void);
/* "rank 2 of 4 (process 71 on node3)". Lives as long as the program. */
const char *orr__rank_name(int rank);
/* The ranks of this machine that may use the same cores as this one, itself included. */
int orr__ranks_on_cores(void);

/* The devices of rank `local` of `ranks` ranks on one machine, out of `devices` devices: *count of them from number *first on, wrapping
 * around the end. asked: this many for each rank; -1: an equal share, where neighbours share a device if there are more ranks than
 * devices. */
void orr__rank_devices(int devices, int ranks, int local, int64_t asked, int *first, int *count);

/* Reports a failure of this rank that the others cannot see, such as that of an evaluation. From now on every exchange of every rank
 * ends with ORR_ERANK and a message that names this rank and `why`, until orr_shutdown. */
void orr__ranks_fail(const char *why);
/* ORR_OK, or ORR_ERANK and the message in `text` if a rank has failed so. */
orr_status orr__ranks_failed(char *text, size_t size);

/* For StarPU-MPI: a private communicator of all ranks (MPI_Comm *), and functions by name. NULL without MPI. */
void *orr__ranks_communicator(void);
void *orr__ranks_symbol(const char *name);
bool orr__ranks_are_world(void); /* true if they are all processes of MPI */
/* True if MPI may not be called by any thread at any time (MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED): exchanges make progress only in
 * orr__exchange_wait, and one cannot be posted without a wait. */
bool orr__ranks_in_calls(void);

/* -- groups and grids -------------------------------------------------------------------------------------- */

/* Some ranks in an order: a list without a communicator, so that making a group is local. */
typedef struct orr__group {
    int ranks;       /* in the group                                       */
    int self;        /* this rank's place in it                            */
    const int *rank; /* their numbers among all ranks                     */
} orr__group;

enum { ORR__GRID_AXES = ORR_GRID_AXES };
/* A grid in row-major order over all ranks. Grids of equal extents are the same object, so pointers can be compared. */
struct orr_grid {
    int axes;
    int64_t extent[ORR__GRID_AXES];
    int rank;                           /* the rank from whose view the grid is described              */
    int64_t coordinate[ORR__GRID_AXES]; /* of that rank                                              */
    orr__group
        group[1 << ORR__GRID_AXES]; /* [mask]: ranks that differ from it along the axes of mask only, row-major */
    int *list;                      /* the memory of the groups' lists                             */
    int users;
    struct orr_grid *next;
};

orr_grid *orr__grid_make(orr__site at, int axes, const int64_t *extent);
void orr__grid_free(orr_grid *g);
/* The grid as seen by rank `rank`, with as many ranks as the grid has places: for partitions that are computed and not run. */
orr_grid *orr__grid_as_rank(orr__site at, int axes, const int64_t *extent, int rank);
/* The ranks along the axes of `mask` (bit k: axis k); all bits: all ranks. */
const orr__group *orr__grid_group(const orr_grid *g, unsigned mask);
const orr__group *orr__group_all(void);

/* -- exchanges --------------------------------------------------------------------------------------------- */

/* Arrays are contiguous; n is the group's size, counts are elements.
 *  ALL_REDUCE      in, out: count                           out = the reduction over the group
 *  REDUCE_SCATTER  in: Σ part[i], out: part[self]           the reduction of this rank's part
 *  ALL_GATHER      in: part[self], out: Σ part[i]           the parts in the group's order
 *  ALL_TO_ALL      in: Σ part[i], out: Σ from[i]            part[i] goes to i, from[i] comes from i
 *  BROADCAST       in: count at the root, out: count        of the root
 * A reduction adds in an order that depends on the algorithm, the number of ranks and the count only, f16 and bf16 in f32 with one
 * rounding at the end: the same bits on every rank. The algorithm is the one with the least time by the measured speed of messages; with
 * ORRERY_DETERMINISTIC it depends on the number of ranks and the count only. */
typedef enum {
    ORR__EXCHANGE_ALL_REDUCE,
    ORR__EXCHANGE_REDUCE_SCATTER,
    ORR__EXCHANGE_ALL_GATHER,
    ORR__EXCHANGE_ALL_TO_ALL,
    ORR__EXCHANGE_BROADCAST
} orr__exchange_kind;
typedef enum { ORR__REDUCTION_SUM, ORR__REDUCTION_MAX, ORR__REDUCTION_MIN } orr__reduction;

typedef struct orr__exchange {
    orr__exchange_kind kind;
    orr__reduction reduction;
    orr_dtype dtype;
    const orr__group *group;
    const void *in; /* NULL: an empty part; may be `out` in ALL_REDUCE, BROADCAST                     */
    void *out;
    int64_t count;
    const int64_t *part, *from; /* copied */
    int root;                   /* BROADCAST: the root's place in the group                           */
    const char *name;           /* in traces, a literal; NULL: the name of the kind                   */
    bool values;                /* of a tensor, in equal parts: devices may exchange it. The same on all ranks */
    bool on_device;             /* in and out are in the memory of the device that exchanges           */
    /* Called once when `out` is complete and `in` is free, on the thread of exchanges, on one that waits for another exchange, or before
     * the post returns; text: of an error. */
    void (*done)(void *argument, orr_status st, const char *text);
    void *argument;
} orr__exchange;

/* Posts an exchange and returns; any number may be under way. Every rank of the group posts the same exchanges in the same order. Errors
 * are reported to `done`, and to the other ranks. */
void orr__exchange_post(const orr__exchange *x);
/* ORR_OK, or ORR_ESTATE if this thread may not wait for exchanges, since it may not call MPI. */
orr_status orr__exchange_here(orr__site at);
/* Posts the exchange without `done` and waits for its end. */
orr_status orr__exchange_wait(orr__site at, const orr__exchange *x);
/* An exchange of values, in equal parts: posts it, or without `done` waits for its end. */
orr_status orr__exchange_values(orr__site at, const orr__exchange *x);
/* The number of those that have been posted since the start. */
uint64_t orr__exchanges_of_values(void);
/* The bytes that this rank sends in the exchange at least. */
int64_t orr__exchange_bytes(const orr__exchange *x);
/* Traces a span: an exchange that began at t0 and ends now, in which this rank sent so many bytes. */
void orr__exchange_trace(const orr__exchange *x, double t0, int64_t sent);

/* Exchanges of values among devices, without copies in host memory: the service of a device library (codelets/cuda/exchange.c). */
typedef struct orr__device_exchanges {
    /* True if devices carry such an exchange: the same answer on all ranks. */
    bool (*takes)(const orr__exchange *x);
    /* As orr__exchange_post. Operands in host memory are copied to a device and back. */
    void (*post)(const orr__exchange *x);
    void (*stop)(void);
} orr__device_exchanges;
/* Installs the exchanges of devices until the ranks stop. All ranks have them. */
void orr__exchanges_on_devices(const orr__device_exchanges *d);
/* True if devices carry the exchange `x`, which needs only its kind, reduction, dtype and `values`. */
bool orr__exchange_on_devices(const orr__exchange *x);

/* -- one call of all ranks ------------------------------------------------------------------------------------ */

/* The announcement of a rank at a call that all ranks make. */
typedef struct orr__meeting {
    uint64_t call; /* 0: an evaluation */
    uint64_t a, b;
    int64_t n;
    int32_t flags;  /* of the caller; ORR__MEETING_TOLD          */
    int32_t status; /* not ORR_OK: the rank cannot make the call */
    uint64_t common;
} orr__meeting;
/* Of a rank that cannot make the call, for a reason that its program has heard. If this holds on all ranks, none has an error, and they make
 * the call without what has failed. */
enum { ORR__MEETING_TOLD = 4 }; /* beside those of agree.h */
uint64_t orr__ranks_call(const char *name);
/* Waits until no evaluation is under way whose exchanges may be posted yet: calls of all ranks that are none, and have exchanges, begin after it
 * on each rank. A meeting with a name waits by itself. */
void orr__ranks_take_turn(void);
/* The function that does so; NULL: there are no evaluations. */
void orr__ranks_turn_by(void (*f)(void));
/* Collective: the announcements of all orr__ranks() ranks. If a rank cannot make the call, that rank returns its own error, and each other
 * ORR_ERANK (ORR_ECANCELLED after a cancellation) with the rank and its message. If the ranks are at different calls, each gets ORR_ERANK with
 * the call sites. all NULL: this rank has no memory, and cannot make the call. */
orr_status orr__ranks_meet(orr__site at, orr__meeting mine, orr__meeting *all);
/* Collective: the same without a call of a name. st: ORR_OK, or this rank cannot make the call, for the reason of the last error. flags: of the
 * meeting. */
orr_status orr__ranks_can(orr__site at, orr_status st, int32_t flags);

/* -- one status of all ranks --------------------------------------------------------------------------------- */

/* Collective: ORR_OK if all ranks pass ORR_OK. Otherwise a rank's own error, or, if only others have one, ORR_ERANK with a failed rank
 * and its message. */
orr_status orr__ranks_agree(orr__site at, orr_status st);
/* Collective: the status and the message of rank 0; if that is ORR_OK, a rank's own status. */
orr_status orr__ranks_first(orr__site at, orr_status st);

#endif
