/* The joint end of an evaluation: if one rank stops it, all do, and none takes a value of it.
 * Must not know: what is evaluated. */
#include "config.h"
#include "runtime/ranks/joint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/ranks/ranks.h"
#include "runtime/ranks/watch.h"

static struct {
    pthread_mutex_t lock;
    orr__stop *now;         /* of the last evaluation that has begun */
    uint64_t number, heard; /* of that evaluation; the last one of which a rank has said that it stops */
    int by;                 /* that rank */
} joint = { .lock = PTHREAD_MUTEX_INITIALIZER };

orr__stop *orr__joint_begin(orr__site at)
{
    orr__stop *s = orr__stop_new(at, HUGE_VAL);
    pthread_mutex_lock(&joint.lock);
    orr__stop_unref(joint.now);
    joint.number++;
    joint.now = orr__stop_ref(s);
    if (s) {
        s->joint = joint.number;
        s->by = joint.by;
        atomic_store(&s->asked, joint.heard >= joint.number);
    }
    pthread_mutex_unlock(&joint.lock);
    return s;
}

void orr__joint_hear(uint64_t number, int by)
{
    pthread_mutex_lock(&joint.lock);
    if (number > joint.heard) {
        joint.heard = number;
        joint.by = by;
        if (joint.now && number == joint.number) {
            joint.now->by = by;
            atomic_store(&joint.now->asked, true);
        }
    }
    pthread_mutex_unlock(&joint.lock);
}

void orr__joint_forget(void)
{
    pthread_mutex_lock(&joint.lock);
    orr__stop_unref(joint.now);
    joint.now = NULL;
    joint.number = joint.heard = 0;
    pthread_mutex_unlock(&joint.lock);
}

void orr__joint_tell(const orr__stop *s)
{
    orr__watch_stopped(s->joint);
}

/* -- the vote ------------------------------------------------------------------------------------------------ */

typedef struct vote {
    int64_t mine, all; /* 0: no stop; else the number of ranks, less the rank that has stopped */
    void (*done)(void *argument, orr_status st, const char *text);
    void *argument;
} vote;

/* A rank that another one has told to stop votes for that one. */
static void begin(vote *v, const orr__stop *s, orr_status mine)
{
    pthread_mutex_lock(&joint.lock);
    int by = s && joint.heard == s->joint ? joint.by : orr__rank();
    pthread_mutex_unlock(&joint.lock);
    v->mine = mine == ORR_ECANCELLED ? orr__ranks() - by : 0;
}

static orr__exchange exchange_of(vote *v)
{
    return (orr__exchange){ .kind = ORR__EXCHANGE_ALL_REDUCE,
                            .reduction = ORR__REDUCTION_MAX,
                            .dtype = ORR_I64,
                            .group = orr__group_all(),
                            .in = &v->mine,
                            .out = &v->all,
                            .count = 1,
                            .name = "agreement" };
}

static orr_status count(const vote *v, char *text, size_t size)
{
    if (v->all)
        (void)snprintf(text, size,
                       "%s has ended the evaluation, by orr_cancel or a time limit: work that had begun has ended, the "
                       "rest was not computed",
                       orr__rank_name((int)(orr__ranks() - v->all)));
    return v->all ? ORR_ECANCELLED : ORR_OK;
}

orr_status orr__joint_agree(orr__site at, const orr__stop *s, orr_status mine)
{
    vote v;
    char text[256];
    begin(&v, s, mine);
    orr__exchange x = exchange_of(&v);
    orr_status st = orr__exchange_wait(at, &x);
    if (st != ORR_OK || mine != ORR_OK)
        return st != ORR_OK ? st : mine;
    return count(&v, text, sizeof text) == ORR_OK ? ORR_OK : orr__fail(at, ORR_ECANCELLED, "%s", text);
}

static void counted(void *argument, orr_status st, const char *text)
{
    vote v = *(vote *)argument;
    char said[256];
    free(argument);
    if (st == ORR_OK && (st = count(&v, said, sizeof said)) != ORR_OK)
        text = said;
    v.done(v.argument, st, text);
}

void orr__joint_post(const orr__stop *s, orr_status mine, void (*done)(void *argument, orr_status st, const char *text),
                     void *argument)
{
    static const char text[] = "no memory for an agreement of the ranks";
    vote *v = malloc(sizeof *v);
    if (!v) {
        orr__ranks_fail(text);
        done(argument, ORR_ENOMEM, text);
        return;
    }
    begin(v, s, mine);
    v->done = done;
    v->argument = argument;
    orr__exchange x = exchange_of(v);
    x.done = counted;
    x.argument = v;
    orr__exchange_post(&x);
}
