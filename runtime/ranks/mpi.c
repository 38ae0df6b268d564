/* The transport by MPI: a separate module, opened only by processes that an MPI launcher started, so that others do not load MPI.
 * Must not know: tensors, exchanges, the library that opens it. */
#include "config.h"

#include <mpi.h>
#ifdef HAVE_STARPUMPI
#include <starpu_mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runtime/ranks/transport.h"

_Static_assert(sizeof(MPI_Request) <= sizeof(orr__request), "a request of MPI fits into ours");

/* The private communicators of one communicator of the program. They are an attribute of it: each start on it finds them again, and they are
 * freed with it. */
typedef struct copies {
    MPI_Comm messages, starpu;
    bool used, orphaned; /* between start and stop; its communicator is freed meanwhile */
} copies;
static copies none = { MPI_COMM_NULL, MPI_COMM_NULL, false, false };
static copies *in_use = &none;
static int attribute = MPI_KEYVAL_INVALID;
static bool ours, world, threads; /* threads: any may call MPI */
static void (*ends)(void);        /* if the program ends MPI during a session */
/* Starts of the library so far, the same on all ranks. It is part of the tags, so that a message that a failed session left unsent or
 * unread is not matched in the next one. Tags are 32767 at most in every MPI. */
static int session;
enum { SESSIONS = 32767 / ORR__CHANNELS };
static _Thread_local char text[MPI_MAX_ERROR_STRING + 256];

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

static void free_copies(copies *c)
{
    if (c->messages != MPI_COMM_NULL)
        (void)MPI_Comm_free(&c->messages);
    if (c->starpu != MPI_COMM_NULL)
        (void)MPI_Comm_free(&c->starpu);
    free(c);
}

/* MPI calls this on all ranks of a communicator that the program frees. Those that MPI itself makes end with MPI, and the copies with them. */
static int communicator_is_freed(MPI_Comm of, int key, void *value, void *unused)
{
    copies *c = value;
    (void)key;
    (void)unused;
    bool ends_with_mpi = of == MPI_COMM_WORLD || of == MPI_COMM_SELF;
    if (c->used)
        c->orphaned = !ends_with_mpi;
    else if (ends_with_mpi)
        free(c);
    else
        free_copies(c);
    return MPI_SUCCESS;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while MPI can still be called. */
static int mpi_ends(MPI_Comm of, int key, void *value, void *unused)
{
    (void)of;
    (void)key;
    (void)value;
    (void)unused;
    if (in_use != &none && ends)
        ends();
    return MPI_SUCCESS;
}

static const char *note_end(void)
{
    static int key = MPI_KEYVAL_INVALID;
    int rc = MPI_SUCCESS;
    if (key == MPI_KEYVAL_INVALID &&
        (rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_ends, &key, NULL)) == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return error_of("MPI_Comm_set_attr", rc);
}

/* Those of an earlier start, or new ones that open_copies opens. */
static const char *copies_of(MPI_Comm of, copies **out)
{
    int rc = MPI_SUCCESS, found = 0;
    copies *c = NULL;
    if (attribute == MPI_KEYVAL_INVALID)
        rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_is_freed, &attribute, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_get_attr(of, attribute, &c, &found);
    if (rc != MPI_SUCCESS)
        return error_of("MPI_Comm_get_attr", rc);
    if (!found) {
        if (!(c = malloc(sizeof *c)))
            return "no memory for a communicator";
        *c = none;
    }
    *out = c;
    return NULL;
}

/* Duplicates the communicator at its first use. */
static const char *open_copies(MPI_Comm of, copies *c)
{
    int rc;
    if (c->messages != MPI_COMM_NULL)
        return NULL;
    if ((rc = MPI_Comm_dup(of, &c->messages)) == MPI_SUCCESS && (rc = MPI_Comm_dup(of, &c->starpu)) == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(of, attribute, c);
    if (rc != MPI_SUCCESS) {
        free_copies(c);
        return error_of("MPI_Comm_dup", rc);
    }
    (void)MPI_Comm_set_errhandler(c->messages, MPI_ERRORS_RETURN);
    return NULL;
}

/* The program's communicator, or the one of all processes. */
static const char *choose(orr__ranks_of of, MPI_Comm *out)
{
    int between = 0;
    *out = of.communicator ? *(const MPI_Comm *)of.communicator
           : of.fortran    ? MPI_Comm_f2c(*of.fortran)
                           : MPI_COMM_WORLD;
    if (*out == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL: processes outside of it do not call orr_init";
    (void)MPI_Comm_test_inter(*out, &between);
    return between ? "the communicator is one between two groups: give one of a single group (MPI_Intercomm_merge)"
                   : NULL;
}

static bool may_call(int level)
{
    int main_thread = 0;
    return level >= MPI_THREAD_SERIALIZED || MPI_Is_thread_main(&main_thread) != MPI_SUCCESS || main_thread;
}

/* The threads that may exchange messages. One rank sends none. */
static const char *callers_of(int level, bool began, orr__callers *callers)
{
    *callers = level == MPI_THREAD_MULTIPLE     ? ORR__CALLERS_ANY
               : level == MPI_THREAD_SERIALIZED ? ORR__CALLERS_IN_TURN
                                                : ORR__CALLERS_MAIN;
    if (level < MPI_THREAD_FUNNELED)
        return began
                   ? "the program has started MPI with MPI_THREAD_SINGLE (MPI_Init), and the library has threads: ask "
                     "MPI_Init_thread for MPI_THREAD_FUNNELED or more, or let orr_init start MPI, or let each "
                     "process work alone (ORRERY_RANKS=off, or a communicator of one process)"
                   : "this MPI gives MPI_THREAD_SINGLE, and several ranks need MPI_THREAD_FUNNELED or more: use an MPI "
                     "that is built with threads, or let each process work alone (ORRERY_RANKS=off)";
    if (!may_call(level))
        return "orr_init is called by another thread than the one that has started MPI with MPI_THREAD_FUNNELED: call "
               "it "
               "there, or ask MPI_Init_thread for MPI_THREAD_SERIALIZED or more";
    return NULL;
}

/* -- the agreement to begin ------------------------------------------------------------------------------------- */

/* The first exchange of a start, on the program's communicator. The number of the session and the threads are those of the rank that has
 * the most sessions, and the fewest threads. */
typedef struct word {
    int here, refuses, session, callers;
} word;
typedef struct first {
    char why[sizeof text - 40]; /* of the first rank that refuses */
    word of[];                  /* of each rank                   */
} first;
/* Of a start to which not all ranks came. MPI may still write it, and has the communicator's next exchange begin after it. */
static first *lost;

/* Waits with naps, which do not count the time of a process that is stopped. False: the patience has ended. */
static bool all_come(MPI_Request *r, double patience, int *rc)
{
    int done = 0;
    double waited = 0;
    while ((*rc = MPI_Test(r, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done) {
        double nap = waited < 8e-3 ? 1e-5 + waited / 8 : 1e-3; /* limit of patience */
        if (patience > 0 && waited > patience)
            return false;
        (void)nanosleep(&(struct timespec){ 0, (long)(nap * 1e9) }, NULL);
        waited += nap;
    }
    return true;
}

/* MPI may have written the words of those that came. */
static const char *tell_missing(first *f, int ranks, double patience)
{
    int missing = 0, which = -1;
    for (int i = ranks - 1; i >= 0; i--)
        if (!*(volatile int *)&f->of[i].here) {
            missing++;
            which = i;
        }
    lost = f;
    int n = which < 0 ? snprintf(text, sizeof text, "not all of %d ranks have", ranks)
                      : snprintf(text, sizeof text, "rank %d of %d%s not", which, ranks,
                                 missing > 1 ? " and others, as far as this rank knows, have" : " has");
    (void)snprintf(text + n, sizeof text - (size_t)n,
                   " come to orr_init within %.0f s (ten times ORRERY_RANK_TIMEOUT; 0: for ever): all processes of a "
                   "communicator call it",
                   patience);
    return text;
}

/* All ranks begin, or none. *heard: the error is one of other ranks. */
static const char *agree(MPI_Comm all, const char *refusal, double patience, int self, int ranks, orr__callers *callers,
                         bool *heard)
{
    MPI_Request r;
    int rc, by = ranks, next = session + 1;
    char host[64] = "";
    first *f = calloc(1, sizeof *f + (size_t)ranks * sizeof *f->of);
    if (!f)
        return refusal ? refusal : "no memory for the start of the ranks";
    f->of[self] = (word){ 1, refusal != NULL, next, (int)*callers };
    if ((rc = MPI_Iallgather(MPI_IN_PLACE, 0, MPI_BYTE, f->of, (int)sizeof *f->of, MPI_BYTE, all, &r)) == MPI_SUCCESS) {
        *heard = !all_come(&r, patience, &rc);
        if (*heard)
            return tell_missing(f, ranks, patience);
    }
    for (int i = ranks - 1; rc == MPI_SUCCESS && i >= 0; i--) {
        by = f->of[i].refuses ? i : by;
        next = f->of[i].session > next ? f->of[i].session : next;
        *callers = f->of[i].callers > (int)*callers ? (orr__callers)f->of[i].callers : *callers;
    }
    if (by == self) {
        (void)gethostname(host, sizeof host - 1);
        (void)snprintf(f->why, sizeof f->why, "(process %d on %s) has failed: %s", (int)getpid(), host, refusal);
    }
    /* A late rank does not begin without those that have lost their patience meanwhile. */
    if (rc == MPI_SUCCESS && (rc = by < ranks ? MPI_Ibcast(f->why, (int)sizeof f->why, MPI_CHAR, by, all, &r)
                                              : MPI_Ibarrier(all, &r)) == MPI_SUCCESS) {
        *heard = !all_come(&r, patience, &rc);
        if (*heard)
            return tell_missing(f, ranks, patience);
    }
    *heard = rc == MPI_SUCCESS && by < ranks && !refusal;
    if (*heard)
        (void)snprintf(text, sizeof text, "rank %d of %d %s", by, ranks, f->why);
    if (rc == MPI_SUCCESS && by == ranks) /* a session that runs keeps its number */
        session = next;
    free(f);
    return refusal ? refusal : *heard ? text : error_of("MPI_Iallgather", rc);
}

static const char *start(orr__ranks_of of, int *rank, int *ranks, orr__callers *callers, bool *heard)
{
    const char *error, *refusal;
    MPI_Comm all;
    copies *c = NULL;
    int began = 0, ended = 0, level = MPI_THREAD_SINGLE, rc = MPI_SUCCESS, same = MPI_UNEQUAL;
    *heard = false;
    (void)MPI_Finalized(&ended);
    if (ended)
        return "MPI has ended in this process, and cannot begin again: call orr_init before MPI_Finalize";
    (void)MPI_Initialized(&began);
    if (began)
        (void)MPI_Query_thread(&level);
    else if (of.communicator || of.fortran)
        return "the program gives a communicator and has not started MPI: call MPI_Init_thread before orr_init";
    else {
        rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        ours = rc == MPI_SUCCESS;
    }
    if (rc != MPI_SUCCESS)
        return error_of("MPI_Init_thread", rc);
    if ((error = choose(of, &all)))
        return error;
    (void)MPI_Comm_rank(all, rank);
    (void)MPI_Comm_size(all, ranks);
    if (*ranks == 1) /* no messages, any level of threads */
        return of.refusal;
    error = callers_of(level, began, callers);
    refusal = of.refusal ? of.refusal : error;
    if (!may_call(level))
        return refusal;
    if ((*heard = lost != NULL))
        return "not all ranks came to an earlier orr_init, and MPI still waits for them: start the program again";
    if (of.refusal && in_use != &none && MPI_Comm_compare(all, in_use->messages, &same) == MPI_SUCCESS &&
        same != MPI_UNEQUAL)
        return refusal; /* the ranks of one session all refuse */
    if (!refusal && ((error = note_end()) || (error = copies_of(all, &c))))
        refusal = error;
    error = agree(all, refusal, of.patience, *rank, *ranks, callers, heard);
    if (error && c && c->messages == MPI_COMM_NULL)
        free(c);
    if (error || (error = open_copies(all, c)))
        return error;
    (void)MPI_Comm_compare(all, MPI_COMM_WORLD, &same);
    world = same != MPI_UNEQUAL;
    threads = *callers == ORR__CALLERS_ANY;
    in_use = c;
    in_use->used = true;
    return NULL;
}

static void stop(void)
{
    copies *c = in_use;
    int ended = 0;
    (void)MPI_Finalized(&ended);
    in_use = &none;
    c->used = false;
    if (c->orphaned && !ended)
        free_copies(c);
}

static void finish(void)
{
    int ended = 0;
    (void)MPI_Finalized(&ended);
    if (ours && !ended)
        (void)MPI_Finalize();
}

static const char *gather(const void *in, int bytes, void *out)
{
    return error_of("MPI_Allgather", MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, in_use->messages));
}

static const char *first_error(bool mine, char *error, int bytes, int *rank)
{
    int self = 0, ranks = 0;
    (void)MPI_Comm_rank(in_use->messages, &self);
    (void)MPI_Comm_size(in_use->messages, &ranks);
    *rank = mine ? self : ranks;
    int rc = MPI_Allreduce(MPI_IN_PLACE, rank, 1, MPI_INT, MPI_MIN, in_use->messages);
    *rank = rc == MPI_SUCCESS && *rank < ranks ? *rank : -1;
    if (*rank >= 0)
        rc = MPI_Bcast(error, bytes, MPI_BYTE, *rank, in_use->messages);
    return error_of("MPI_Allreduce", rc);
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
    int rc = MPI_Isend(p, bytes, MPI_BYTE, to, tag_of(channel), in_use->messages, &r);
    *request = wrap(r);
    return error_of("MPI_Isend", rc);
}

static const char *receive(void *p, int bytes, int from, orr__channel channel, orr__request *request)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int rc = MPI_Irecv(p, bytes, MPI_BYTE, from == ORR__ANY_RANK ? MPI_ANY_SOURCE : from, tag_of(channel),
                       in_use->messages, &r);
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

/* MPI_Testall looks for messages and then tests again, in one call; MPI_Testsome returns between the two. */
enum { MOST = 32 };
static const char *test_all(orr__request *request, int n, bool *done)
{
    MPI_Request r[MOST];
    *done = true;
    for (int at = 0; at < n; at += MOST) {
        int of = n - at < MOST ? n - at : MOST, ended = 0;
        for (int i = 0; i < of; i++)
            r[i] = unwrap(&request[at + i]);
        int rc = MPI_Testall(of, r, &ended, MPI_STATUSES_IGNORE);
        for (int i = 0; i < of; i++)
            request[at + i] = wrap(r[i]);
        *done = *done && ended;
        if (rc != MPI_SUCCESS)
            return error_of("MPI_Testall", rc);
    }
    return NULL;
}

static void cancel(orr__request *request)
{
    MPI_Request r = unwrap(request);
    if (r != MPI_REQUEST_NULL)
        (void)MPI_Cancel(&r);
}

static void *communicator(void)
{
    return threads ? &in_use->starpu : NULL;
}

static void at_end(void (*f)(void))
{
    ends = f;
}

static bool is_world(void)
{
    return world;
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
    .stop = stop,
    .finish = finish,
    .gather = gather,
    .first_error = first_error,
    .send = send,
    .receive = receive,
    .test = test,
    .test_all = test_all,
    .cancel = cancel,
    .communicator = communicator,
    .at_end = at_end,
    .is_world = is_world,
};
