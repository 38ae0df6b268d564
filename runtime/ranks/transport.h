/* The calls by which ranks exchange messages: a table that the module of MPI fills.
 * Must not know: MPI's types, tensors, the meaning of a message. */
#ifndef ORR_RANKS_TRANSPORT_H
#define ORR_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/ranks/ranks_of.h"

/* A message under way. */
typedef struct orr__request {
    uint64_t bits;
} orr__request;

/* Messages of one channel between two ranks arrive in the order in which both sides posted them. */
enum { ORR__CHANNELS_OF_EXCHANGES = 16 }; /* limit of a library */
typedef enum {
    ORR__CHANNEL_CONTROL,
    ORR__CHANNEL_FIRST,
    ORR__CHANNELS = ORR__CHANNEL_FIRST + ORR__CHANNELS_OF_EXCHANGES
} orr__channel;
enum { ORR__ANY_RANK = -1 };
/* The largest message: MPI counts bytes in an int. */
#define ORR__MESSAGE_MAX ((int64_t)1 << 30)

/* The threads that may call MPI. With less than MPI_THREAD_MULTIPLE, the program calls MPI too, so that these are threads of the program
 * inside a call of the library; with MPI_THREAD_FUNNELED its main thread alone. */
typedef enum { ORR__CALLERS_ANY, ORR__CALLERS_IN_TURN, ORR__CALLERS_MAIN } orr__callers;

/* A returned text is an error message, valid until the next one; NULL: success. Safe from the threads of `callers` after `start` has
 * returned. */
typedef struct orr__transport {
    int version; /* ORR__TRANSPORT_VERSION: module and library are of one build */
    /* Opens private communicators of the ranks of `of`, which a later start on the same ranks finds again. Collective over these ranks: if one
     * cannot begin, none does. *heard: true if the error is one of other ranks. A rank with a refusal returns that error, and starts nothing. */
    const char *(*start)(orr__ranks_of of, int *rank, int *ranks, orr__callers *callers, bool *heard);
    /* Leaves the communicators of `start`. Collective over their ranks. */
    void (*stop)(void);
    /* Ends MPI if `start` began it; else does nothing. Collective. */
    void (*finish)(void);
    /* Gathers `bytes` bytes of every rank, in the order of the ranks. Collective, blocking. */
    const char *(*gather)(const void *in, int bytes, void *out);
    /* *rank: the first rank with an error, whose text all receive, or -1. Collective, blocking, in memory of its own. */
    const char *(*first_error)(bool mine, char *error, int bytes, int *rank);
    const char *(*send)(const void *p, int bytes, int to, orr__channel channel, orr__request *request);
    const char *(*receive)(void *p, int bytes, int from, orr__channel channel, orr__request *request);
    /* True in *done if the message has ended; then *request is free. */
    const char *(*test)(orr__request *request, bool *done);
    /* True in *done if all n messages have ended. */
    const char *(*test_all)(orr__request *request, int n, bool *done);
    /* Cancels a receive that has not begun; one that has begun continues. `test` reports the end of both. */
    void (*cancel)(orr__request *request);
    /* A private communicator of all ranks (MPI_Comm *), for StarPU-MPI; NULL: its thread may not call MPI. */
    void *(*communicator)(void);
    /* f ends the session of the library if the program ends MPI during it. MPI calls f before it ends. */
    void (*at_end)(void (*f)(void));
    /* True if the ranks are all processes of MPI. */
    bool (*is_world)(void);
} orr__transport;

enum { ORR__TRANSPORT_VERSION = 9 };
#define ORR__TRANSPORT_SYMBOL "orr__mpi_transport"

/* True if a launcher of several processes started this one, or the program runs MPI itself. */
bool orr__ranks_launched(void);
/* Opens the module once. NULL: not available, with the reason in `why`. */
const orr__transport *orr__transport_open(char *why, size_t size);
/* A function of the module's libraries (MPI, StarPU-MPI) by name; NULL: not found. */
void *orr__transport_symbol(const char *name);

#endif
