/* Calls that all ranks make: if the ranks are at different calls, each gets an error; else the call may have one status on all ranks.
 * Must not know: what the calls do. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/callback.h"
#include "runtime/base/hash.h"
#include "runtime/base/pool.h"
#include "runtime/ranks/ranks.h"
#include "runtime/ranks/reserve.h"

enum { FEW = 64, TEXT = 1016 };

/* The others wait for this rank: the session of all ends. */
static orr_status lacks_memory(orr__site at, orr_status st)
{
    st = st == ORR_OK ? orr__fail(at, ORR_ENOMEM, "no memory for a call of all ranks") : st;
    orr__ranks_fail(orr_error_message());
    return st;
}

static orr_status gather(orr__site at, const void *mine, size_t bytes, void *all)
{
    int64_t few[FEW], *part = few, ranks = orr__ranks();
    if (ranks > FEW && !(part = orr__reserve_alloc((size_t)ranks, sizeof *part)))
        return lacks_memory(at, ORR_OK);
    for (int64_t r = 0; r < ranks; r++)
        part[r] = (int64_t)bytes;
    orr_status st = orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_ALL_GATHER,
                                                             .dtype = ORR_U8,
                                                             .group = orr__group_all(),
                                                             .in = mine,
                                                             .out = all,
                                                             .part = part,
                                                             .name = "agreement" });
    if (part != few)
        free(part);
    return st;
}

/* -- meetings ------------------------------------------------------------------------------------------------ */

typedef struct {
    char text[160];
} place;

/* Every rank is here, and rank `other` is at another call than rank 0. */
static orr_status tell_places(orr__site at, int other)
{
    place mine, *all = orr__reserve_alloc((size_t)orr__ranks(), sizeof *all);
    (void)snprintf(mine.text, sizeof mine.text, "%.120s:%d: %.30s", at.file ? at.file : "?", at.line,
                   at.op ? at.op : "?");
    orr_status st = all ? gather(at, &mine, sizeof mine, all) : lacks_memory(at, ORR_OK);
    if (st == ORR_OK)
        st = orr__fail(
            at, ORR_ERANK,
            "the ranks are at different calls: rank 0 at %s, rank %d at %s. All ranks must make the same calls on "
            "distributed tensors, in the same order",
            all[0].text, other, all[other].text);
    free(all);
    return st;
}

static void (*_Atomic turn)(void);

void orr__ranks_turn_by(void (*f)(void))
{
    atomic_store(&turn, f);
}

void orr__ranks_take_turn(void)
{
    void (*f)(void) = atomic_load(&turn);
    if (f && orr__ranks() > 1)
        f();
}

uint64_t orr__ranks_call(const char *name)
{
    return orr__hash(name, strlen(name), 1) | 1;
}

/* The message of one rank. */
static orr_status hear(orr__site at, int rank, char text[TEXT])
{
    orr__exchange x = { .kind = ORR__EXCHANGE_BROADCAST,
                        .dtype = ORR_U8,
                        .group = orr__group_all(),
                        .in = text,
                        .out = text,
                        .count = TEXT,
                        .root = rank,
                        .name = "status" };
    return orr__exchange_wait(at, &x);
}

/* A rank cannot make the call. */
static orr_status tell_absence(orr__site at, int rank, const orr__meeting *all, char text[TEXT])
{
    orr_status mine = (orr_status)all[orr__rank()].status;
    char own[TEXT];
    memcpy(own, text, TEXT);
    orr_status st = hear(at, rank, text);
    if (mine != ORR_OK)
        return orr__fail_text(mine, own);
    if (st != ORR_OK)
        return st;
    return orr__fail(at, all[rank].status == ORR_ECANCELLED ? ORR_ECANCELLED : ORR_ERANK, "%s has failed: %s",
                     orr__rank_name(rank), text);
}

orr_status orr__ranks_meet(orr__site at, orr__meeting mine, orr__meeting *all)
{
    char text[TEXT] = "";
    if (mine.call && orr__may_wait(at) != ORR_OK)
        return ORR_ESTATE;
    if (mine.call)
        orr__ranks_take_turn();
    if (!all)
        return orr__ranks_can(at, orr__fail(at, ORR_ENOMEM, "no memory for a call of all ranks"), 0);
    if (!orr__reserve_hold() && mine.status == ORR_OK)
        mine.status = orr__fail(at, ORR_ENOMEM, "no memory for the messages of the ranks");
    if (mine.status != ORR_OK)
        (void)snprintf(text, TEXT, "%s", orr_error_message());
    orr_status st = gather(at, &mine, sizeof mine, all);
    if (st != ORR_OK && mine.status != ORR_OK)
        return orr__fail_text((orr_status)mine.status, text);
    bool told = true;
    for (int r = 0; st == ORR_OK && r < orr__ranks(); r++)
        told = told && all[r].status != ORR_OK && all[r].flags & ORR__MEETING_TOLD;
    for (int r = 0; st == ORR_OK && !told && r < orr__ranks(); r++)
        if (all[r].status != ORR_OK)
            return tell_absence(at, r, all, text);
    for (int r = 1; st == ORR_OK && r < orr__ranks(); r++)
        if (all[r].call != all[0].call)
            return tell_places(at, r);
    return st;
}

orr_status orr__ranks_can(orr__site at, orr_status st, int32_t flags)
{
    orr__meeting few[FEW], *all = few;
    if (orr__ranks() > FEW && !(all = orr__reserve_alloc((size_t)orr__ranks(), sizeof *all)))
        return lacks_memory(at, st);
    st = orr__ranks_meet(at, (orr__meeting){ .status = (int32_t)st, .flags = flags }, all);
    if (all != few)
        free(all);
    return st;
}

/* -- a status ------------------------------------------------------------------------------------------------- */

/* The first of the ranks 0 … of − 1 with an error, its status and message; *rank < 0: none. */
static orr_status first_error(orr__site at, orr_status st, int of, int *rank, orr_status *its, char text[TEXT])
{
    orr__meeting few[FEW], *all = few;
    int ranks = orr__ranks();
    *rank = -1;
    text[0] = '\0';
    if (st != ORR_OK)
        (void)snprintf(text, TEXT, "%s", orr_error_message());
    if (ranks > FEW)
        all = orr__alloc_n((size_t)ranks, sizeof *all);
    orr_status met = orr__ranks_meet(at, (orr__meeting){ .call = orr__ranks_call(at.op), .n = st }, all);
    for (int r = of; met == ORR_OK && r-- > 0;)
        if (all[r].n) {
            *rank = r;
            *its = (orr_status)all[r].n;
        }
    if (all != few)
        free(all);
    return *rank < 0 ? met : hear(at, *rank, text);
}

orr_status orr__ranks_agree(orr__site at, orr_status st)
{
    char text[TEXT];
    int rank;
    orr_status its;
    if (orr__ranks() == 1)
        return st;
    orr_status sent = first_error(at, st, orr__ranks(), &rank, &its, text);
    if (st != ORR_OK || sent != ORR_OK)
        return st != ORR_OK ? st : sent;
    return rank < 0 ? ORR_OK : orr__fail(at, ORR_ERANK, "%s has failed: %s", orr__rank_name(rank), text);
}

orr_status orr__ranks_first(orr__site at, orr_status st)
{
    char text[TEXT];
    int rank;
    orr_status its;
    if (orr__ranks() == 1)
        return st;
    orr_status sent = first_error(at, st, 1, &rank, &its, text);
    if (sent != ORR_OK || orr__rank() == 0)
        return sent != ORR_OK ? sent : st;
    return rank < 0 ? st : orr__fail_text(its, text);
}
