/* The calls by which ranks exchange messages: a table that the module of MPI fills.
 * Must not know: MPI's types, tensors, the meaning of a message. */
#ifndef ORR_RANKS_TRANSPORT_H
#define ORR_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message under way. */
typedef struct orr__request {
    uint64_t bits;
} orr__request;

/* Messages of one channel between two ranks arrive in the order in which both sides posted them. */
typedef enum { ORR__CHANNEL_FIRST, ORR__CHANNEL_SECOND, ORR__CHANNEL_CONTROL, ORR__CHANNELS } orr__channel;
enum { ORR__ANY_RANK = -1 };
/* The largest message: MPI counts bytes in an int. */
#define ORR__MESSAGE_MAX ((int64_t)1 << 30)

/* A text that is returned is an error, valid until the next one; NULL: all well. Safe from any thread once `start` returned. */
typedef struct orr__transport {
    int version; /* ORR__TRANSPORT_VERSION: module and library are of one build */
    const char *(*start)(int *rank, int *ranks);
    /* Ends MPI if `start` began it; else nothing. Collective. */
    void (*finish)(void);
    /* The bytes of all ranks in their order. Collective, blocking. */
    const char *(*gather)(const void *in, int bytes, void *out);
    const char *(*send)(const void *p, int bytes, int to, orr__channel channel, orr__request *request);
    const char *(*receive)(void *p, int bytes, int from, orr__channel channel, orr__request *request);
    /* Whether the message is done; then *request is free. */
    const char *(*test)(orr__request *request, bool *done);
    /* Takes back a receipt that has not begun; one that has goes on. `test` tells the end of both. */
    void (*cancel)(orr__request *request);
    /* A communicator of all ranks (MPI_Comm *) that nothing else uses: for StarPU-MPI. */
    void *(*communicator)(void);
} orr__transport;

enum { ORR__TRANSPORT_VERSION = 1 };
#define ORR__TRANSPORT_SYMBOL "orr__mpi_transport"

/* Whether a launcher of several processes started this one, or the program runs MPI itself. */
bool orr__ranks_launched(void);
/* Opens the module once; NULL and the reason in `why` where it is not there. */
const orr__transport *orr__transport_open(char *why, size_t size);
/* A function of the module's libraries (MPI, StarPU-MPI) by name; NULL: not there. */
void *orr__transport_symbol(const char *name);

#endif
