/* Start and end of the ranks: their identities, and the two threads that serve them.
 * Must not know: the content of messages. */
#include "config.h"
#include "runtime/ranks/ranks.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/pool.h"
#include "runtime/base/signals.h"
#include "runtime/ranks/exchange.h"
#include "runtime/ranks/joint.h"
#include "runtime/ranks/transport.h"
#include "runtime/ranks/watch.h"

static struct {
    const orr__transport *transport; /* NULL: MPI was not opened */
    orr__callers callers;
    orr__identity *who;
    char (*name)[128];
    int *all;
    int rank, ranks, pid;
    bool joined;  /* between the start and the stop of the transport */
    bool running; /* several ranks, between start and stop */
    void (*at_end)(void);
} now = { .ranks = 1 };
static int only_rank;
static orr__group everyone = { 1, 0, &only_rank };

int orr__rank(void)
{
    return now.running ? now.rank : 0;
}

int orr__ranks(void)
{
    return now.running ? now.ranks : 1;
}

const orr__group *orr__group_all(void)
{
    return &everyone;
}

const char *orr__rank_name(int rank)
{
    return now.running && rank >= 0 && rank < now.ranks ? now.name[rank] : "rank 0 of 1";
}

int orr__ranks_on_cores(void)
{
    int n = now.running ? 0 : 1;
    for (int i = 0; now.running && i < now.ranks; i++)
        n += !strcmp(now.who[i].host, now.who[now.rank].host) && now.who[i].cores == now.who[now.rank].cores;
    return n;
}

void *orr__ranks_communicator(void)
{
    return now.running ? now.transport->communicator() : NULL;
}

void *orr__ranks_symbol(const char *name)
{
    return now.running ? orr__transport_symbol(name) : NULL;
}

bool orr__ranks_in_calls(void)
{
    return now.running && now.callers != ORR__CALLERS_ANY;
}

bool orr__ranks_are_world(void)
{
    return !now.running || now.transport->is_world();
}

static void first_line(const char *path, char *to, size_t size)
{
    *to = '\0';
    FILE *f = fopen(path, "re");
    if (f) {
        if (!fgets(to, (int)size, f))
            *to = '\0';
        (void)fclose(f);
    }
    to[strcspn(to, "\n")] = '\0';
}

/* Process numbers can be compared between processes of one boot and one PID namespace. */
static orr__identity identity(void)
{
    orr__identity me = { .pid = (int)getpid() };
    char boot[48], space[40] = "", value[256];
    for (size_t i = 0; orr__env_shared(i, value, sizeof value); i++)
        me.setting[i] = orr__hash(value, strlen(value), 0);
    (void)gethostname(me.host, sizeof me.host - 1);
    first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    (void)snprintf(me.machine, sizeof me.machine, "%s %s", boot, space);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        me.cores = orr__hash(&set, sizeof set, 0);
    return me;
}

/* MPI cannot be initialised twice, so it ends with the process. If a rank ends without orr_shutdown, the others must notice that. */
static void end_of_process(void)
{
    if (now.pid != (int)getpid() || now.running)
        return;
    orr__watch_finish();
    now.transport->finish();
}

/* Collective: this rank's own error, or that of the first rank that has one, so that no rank waits for one that has failed. */
static orr_status all_well(orr__site at, orr_status st)
{
    enum { TEXT = 512 };
    char text[TEXT] = "";
    int rank = -1;
    if (st != ORR_OK)
        (void)snprintf(text, TEXT, "%s", orr_error_message());
    const char *error = now.transport->first_error(st != ORR_OK, text, TEXT, &rank);
    if (st != ORR_OK)
        return st;
    if (error)
        return orr__fail(at, ORR_EDEVICE, "the ranks cannot meet: %s", error);
    return rank < 0 ? ORR_OK : orr__fail(at, ORR_ERANK, "rank %d of %d has failed: %s", rank, now.ranks, text);
}

/* All ranks find the same difference. */
static orr_status compare_settings(orr__site at)
{
    enum { VALUE = 64 };
    char value[256];
    for (size_t i = 0; orr__env_shared(i, value, sizeof value); i++)
        for (int r = 1; r < now.ranks; r++) {
            if (now.who[r].setting[i] == now.who[0].setting[i])
                continue;
            char mine[VALUE], (*all)[VALUE] = orr__alloc_n((size_t)now.ranks, sizeof *all);
            const char *name = orr__env_shared(i, value, sizeof value);
            (void)snprintf(mine, sizeof mine, "%.63s", *value ? value : "nothing");
            orr_status st = all_well(at, all ? ORR_OK : ORR_ENOMEM);
            const char *error = st == ORR_OK ? now.transport->gather(mine, VALUE, all) : NULL;
            if (st == ORR_OK)
                st = error ? orr__fail(at, ORR_EDEVICE, "the ranks cannot meet: %s", error)
                           : orr__fail(at, ORR_EENV,
                                       "%s is %s on %s and %s on %s: the ranks evaluate together what it asks for, so "
                                       "give all of them the same (mpirun -x %s)",
                                       name, all[0], now.name[0], all[r], now.name[r], name);
            free(all);
            return st;
        }
    return ORR_OK;
}

static orr_status get_memory(orr__site at)
{
    now.who = orr__alloc_n((size_t)now.ranks, sizeof *now.who);
    now.name = orr__alloc_n((size_t)now.ranks, sizeof *now.name);
    now.all = orr__alloc_n((size_t)now.ranks, sizeof *now.all);
    return now.who && now.name && now.all ? ORR_OK
                                          : orr__fail(at, ORR_ENOMEM, "no memory for the names of %d ranks", now.ranks);
}

static orr_status meet(orr__site at)
{
    orr_status st = all_well(at, get_memory(at));
    if (st != ORR_OK)
        return st;
    orr__identity me = identity();
    const char *error = now.transport->gather(&me, (int)sizeof me, now.who);
    if (error)
        return orr__fail(at, ORR_EDEVICE, "the ranks cannot meet: %s", error);
    for (int i = 0; i < now.ranks; i++) {
        (void)snprintf(now.name[i], sizeof now.name[i], "rank %d of %d (process %d on %.63s)", i, now.ranks,
                       now.who[i].pid, now.who[i].host);
        now.all[i] = i;
    }
    everyone = (orr__group){ now.ranks, now.rank, now.all };
    return compare_settings(at);
}

/* The number of each rank's machine: that of its first rank. Ranks of one machine are mostly neighbours. */
static orr_status start_exchanges(orr__site at)
{
    int *node = orr__alloc_n((size_t)now.ranks, sizeof *node);
    for (int i = 1; node && i < now.ranks; i++) {
        bool as_before = strcmp(now.who[i].host, now.who[i - 1].host) == 0;
        node[i] = as_before ? node[i - 1] : 0;
        while (!as_before && strcmp(now.who[node[i]].host, now.who[i].host) != 0)
            node[i]++;
    }
    orr_status st = orr__exchanges_prepare(at, now.transport, now.callers, node);
    if ((st = all_well(at, st)) == ORR_OK && (st = all_well(at, orr__exchanges_start(at, node))) != ORR_OK)
        orr__exchanges_stop();
    free(node);
    return st;
}

static void forget(void)
{
    everyone = (orr__group){ 1, 0, &only_rank };
    free(now.all);
    now.all = NULL;
}

/* True if a process without MPI is an error. */
static bool is_asked_for(orr__ranks_of of)
{
    return of.communicator || of.fortran || orr__env.ranks == ORR__RANKS_WORLD;
}

static bool has_ranks(orr__ranks_of of)
{
    return orr__env.ranks != ORR__RANKS_OFF && (is_asked_for(of) || orr__ranks_launched());
}

static const char *begin(const orr__transport *t, orr__ranks_of of, int *rank, int *ranks, orr__callers *callers,
                         bool *heard)
{
    if (!now.transport) {
        now.pid = (int)getpid();
        (void)atexit(end_of_process);
    }
    now.transport = t;
    /* A rank that has not begun is no silent one: it may have work of its own before. */
    of.patience = 10 * (double)orr__env.rank_timeout; /* limit of patience */
    t->at_end(now.at_end);
    orr__signals signals;
    orr__signals_note(&signals);
    const char *error = t->start(of, rank, ranks, callers, heard);
    orr__signals_restore(&signals);
    return error;
}

orr_status orr__ranks_refuse(orr__ranks_of of, orr_status st)
{
    char text[1024], why[512];
    int rank, ranks;
    orr__callers callers;
    bool heard;
    (void)snprintf(text, sizeof text, "%s", orr_error_message());
    of.refusal = text;
    bool forked = now.transport && now.pid != (int)getpid();
    const orr__transport *t = has_ranks(of) && !forked ? orr__transport_open(why, sizeof why) : NULL;
    if (t)
        (void)begin(t, of, &rank, &ranks, &callers, &heard);
    return orr__fail_text(st, text);
}

static orr_status open_mpi(orr__site at, orr__ranks_of of)
{
    char why[512];
    const orr__transport *t = orr__transport_open(why, sizeof why);
    if (!t && is_asked_for(of))
        return orr__fail(
            at, ORR_EDEVICE, "%s, but MPI cannot be used: %s",
            of.communicator || of.fortran ? "the program gives a communicator" : "ORRERY_RANKS=world is set", why);
    if (!t) {
        orr__log(1, "this process is one of several, but MPI cannot be used, and each runs alone: %s", why);
        return ORR_OK;
    }
    bool heard;
    const char *error = begin(t, of, &now.rank, &now.ranks, &now.callers, &heard);
    if (error)
        return heard ? orr__fail(at, ORR_ERANK, "%s", error)
                     : orr__fail(at, ORR_EDEVICE, "MPI does not start: %s", error);
    now.joined = true;
    return ORR_OK;
}

static bool spent; /* a session of this process has failed */

static void end_of_session(void)
{
    now.running = false;
    forget();
}

void orr__ranks_at_end(void (*f)(void))
{
    now.at_end = f;
}

void orr__ranks_leave(void)
{
    if (now.joined && !spent) /* after a failure, messages may be under way */
        now.transport->stop();
    now.joined = false;
}

orr_status orr__ranks_start(orr__site at, orr__ranks_of of)
{
    now.rank = 0;
    now.ranks = 1;
    if (!has_ranks(of))
        return ORR_OK;
    if (of.communicator && of.fortran)
        return orr__ranks_refuse(
            of, orr__fail(at, ORR_EINVAL, "communicator and communicator_fortran are both set: give one of them"));
    if (spent) /* MPI may still access memory that has been freed */
        return orr__ranks_refuse(
            of,
            orr__fail(at, ORR_ERANK, "a rank has failed in this process's earlier session: start the program again"));
    orr_status st = open_mpi(at, of);
    if (st != ORR_OK || now.ranks == 1)
        return st;
    free(now.who);
    free(now.name);
    now.who = NULL;
    now.name = NULL;
    if ((st = meet(at)) == ORR_OK && (st = start_exchanges(at)) == ORR_OK) {
        now.running = true;
        if ((st = orr__watch_start(now.transport, now.callers, now.who)) != ORR_OK)
            orr__exchanges_stop();
    }
    now.running = st == ORR_OK;
    if (st != ORR_OK)
        end_of_session();
    return st;
}

void orr__ranks_stop(void)
{
    char text[256];
    if (!now.running)
        return;
    orr__ranks_take_turn();
    orr__exchanges_drain();
    orr__watch_stop();
    spent = orr__ranks_failed(text, sizeof text) != ORR_OK; /* another rank may say so until it has left */
    orr__exchanges_stop();
    orr__joint_forget();
    end_of_session();
}
