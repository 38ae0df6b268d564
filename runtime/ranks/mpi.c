/* The transport by MPI: a separate module, opened only by processes that an MPI launcher started, so that others do not load MPI.
 * Must not know: tensors, exchanges, the library that opens it. */
#include "config.h"

#include <mpi.h>
#ifdef HAVE_STARPUMPI
#include <starpu_mpi.h>
#endif
#include <stdio.h>
#include <string.h>
#include "runtime/ranks/transport.h"

_Static_assert(sizeof(MPI_Request) <= sizeof(orr__request), "a request of MPI fits into ours");

static MPI_Comm messages = MPI_COMM_NULL, starpu = MPI_COMM_NULL;
static bool ours;
/* Starts of the library so far, the same on all ranks. It is part of the tags, so that a message that a failed session left unsent or
 * unread is not matched in the next one. Tags are 32767 at most in every MPI. */
static int session;
enum { SESSIONS = 32767 / ORR__CHANNELS };
static _Thread_local char text[MPI_MAX_ERROR_STRING + 64];

static const char *error_of(const char *call, int rc)
{
    if (rc == MPI_SUCCESS)
        return NULL;
    char why[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    (void)MPI_Error_string(rc, why, &n);
    (void)snprintf(text, sizeof text, "%s: %s", call, why);
    return text;
}

static const char *start(int *rank, int *ranks)
{
    int began = 0, ended = 0, level = MPI_THREAD_SINGLE, rc = MPI_SUCCESS;
    (void)MPI_Finalized(&ended);
    if (ended)
        return "MPI has ended in this process, and cannot begin again: call orr_init before MPI_Finalize";
    (void)MPI_Initialized(&began);
    if (began)
        (void)MPI_Query_thread(&level);
    else {
        rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        ours = rc == MPI_SUCCESS;
    }
    if (rc != MPI_SUCCESS)
        return error_of("MPI_Init_thread", rc);
    if (level < MPI_THREAD_MULTIPLE)
        return began ? "MPI runs without MPI_THREAD_MULTIPLE: ask MPI_Init_thread for it, or let orr_init start MPI"
                     : "this MPI has no MPI_THREAD_MULTIPLE";
    if (messages == MPI_COMM_NULL && (rc = MPI_Comm_dup(MPI_COMM_WORLD, &messages)) != MPI_SUCCESS)
        return error_of("MPI_Comm_dup", rc);
    if (starpu == MPI_COMM_NULL && (rc = MPI_Comm_dup(MPI_COMM_WORLD, &starpu)) != MPI_SUCCESS)
        return error_of("MPI_Comm_dup", rc);
    (void)MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
    session++;
    if ((rc = MPI_Allreduce(MPI_IN_PLACE, &session, 1, MPI_INT, MPI_MAX, messages)) != MPI_SUCCESS)
        return error_of("MPI_Allreduce", rc);
    (void)MPI_Comm_rank(messages, rank);
    (void)MPI_Comm_size(messages, ranks);
    return NULL;
}

/* Communicators are not freed before MPI's finalisation: their number is fixed. */
static void finish(void)
{
    int ended = 0;
    (void)MPI_Finalized(&ended);
    if (ours && !ended)
        (void)MPI_Finalize();
}

static const char *gather(const void *in, int bytes, void *out)
{
    return error_of("MPI_Allgather", MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, messages));
}

static orr__request wrap(MPI_Request r)
{
    orr__request q = { 0 };
    memcpy(&q.bits, &r, sizeof r);
    return q;
}

static MPI_Request unwrap(const orr__request *q)
{
    MPI_Request r;
    memcpy(&r, &q->bits, sizeof r);
    return r;
}

static int tag_of(orr__channel channel)
{
    return session % SESSIONS * ORR__CHANNELS + (int)channel;
}

static const char *send(const void *p, int bytes, int to, orr__channel channel, orr__request *request)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int rc = MPI_Isend(p, bytes, MPI_BYTE, to, tag_of(channel), messages, &r);
    *request = wrap(r);
    return error_of("MPI_Isend", rc);
}

static const char *receive(void *p, int bytes, int from, orr__channel channel, orr__request *request)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int rc =
        MPI_Irecv(p, bytes, MPI_BYTE, from == ORR__ANY_RANK ? MPI_ANY_SOURCE : from, tag_of(channel), messages, &r);
    *request = wrap(r);
    return error_of("MPI_Irecv", rc);
}

static const char *test(orr__request *request, bool *done)
{
    MPI_Request r = unwrap(request);
    int flag = 0, rc = MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    *request = wrap(r);
    *done = flag != 0;
    return error_of("MPI_Test", rc);
}

static void cancel(orr__request *request)
{
    MPI_Request r = unwrap(request);
    if (r != MPI_REQUEST_NULL)
        (void)MPI_Cancel(&r);
}

static void *communicator(void)
{
    return &starpu;
}

#ifdef HAVE_STARPUMPI
/* References StarPU-MPI, so that linkers do not drop it: its functions are found by name. */
extern int (*const orr__mpi_starpu)(int *, char ***, int, MPI_Comm, struct starpu_conf *);
__attribute__((visibility("default"))) int (*const orr__mpi_starpu)(int *, char ***, int, MPI_Comm,
                                                                    struct starpu_conf *) = starpu_mpi_init_conf;
#endif

extern const orr__transport orr__mpi_transport;
__attribute__((visibility("default"))) const orr__transport orr__mpi_transport = {
    .version = ORR__TRANSPORT_VERSION,
    .start = start,
    .finish = finish,
    .gather = gather,
    .send = send,
    .receive = receive,
    .test = test,
    .cancel = cancel,
    .communicator = communicator,
};
