/* The end of an evaluation that the ranks make together: if one rank fails or stops it, all do, and none takes a value of it.
 * Must not know: what is evaluated. */
#include "config.h"
#include "runtime/ranks/joint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/dtype.h"
#include "runtime/base/pool.h"
#include "runtime/ranks/ranks.h"
#include "runtime/ranks/reserve.h"
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

/* -- the vote ------------------------------------------------------------------------------------------------ */

/* A ballot has the least duty that its rank has not carried out, since the rank that failed first has carried out the fewest; whether it has
 * failed or stops; and its number. The greatest of all ballots decides; 0: the rank has its values. */
typedef int64_t ballot;
static const int64_t most_duties = INT32_MAX; /* limit of a number */

typedef struct {
    int64_t at;
    bool fails; /* else it stops */
    int by;
} verdict;

static ballot ballot_of(verdict v)
{
    return ((most_duties - v.at) * 2 + v.fails) * orr__ranks() + (orr__ranks() - 1 - v.by);
}

static verdict verdict_of(ballot b)
{
    int64_t ranks = orr__ranks();
    return (verdict){ most_duties - b / ranks / 2, b / ranks % 2, (int)(ranks - 1 - b % ranks) };
}

typedef struct vote {
    orr__duties due;
    int64_t at; /* the next duty */
    void *zeros;
    orr_status mine, status;
    ballot own, all[2]; /* all: in, out */
    enum { TO_DO, TO_VOTE, TO_HEAR, TO_END } phase;
    char why[1016], text[1016];
    void (*done)(void *argument, orr_status st, const char *text);
    void *argument;
    orr__exchange x[]; /* of the duties, if they may outlive the caller's */
} vote;

static void copy_text(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text ? text : "");
}

/* A rank that another one has told to stop votes for that one. */
static void begin(vote *v, const orr__stop *s, orr_status mine, const char *why)
{
    int by = orr__rank();
    pthread_mutex_lock(&joint.lock);
    if (mine == ORR_ECANCELLED && s && joint.heard == s->joint)
        by = joint.by;
    pthread_mutex_unlock(&joint.lock);
    if (mine == ORR_ECANCELLED && s && s->joint)
        orr__watch_stopped(s->joint);
    v->mine = mine;
    v->at = (int64_t)(orr__exchanges_of_values() - v->due.before);
    v->own = mine == ORR_OK ? 0 : ballot_of((verdict){ v->at, mine != ORR_ECANCELLED, by });
    v->at = mine == ORR_OK ? v->due.n : v->at;
    copy_text(v->why, sizeof v->why, mine == ORR_OK ? "" : why);
}

/* The elements of the operand and the result of an exchange of values. */
static int64_t elements_of(const orr__exchange *x)
{
    int64_t ranks = x->group->ranks, in = x->count;
    in = x->kind == ORR__EXCHANGE_REDUCE_SCATTER ? in * ranks : x->kind == ORR__EXCHANGE_ALL_GATHER ? in / ranks : in;
    return in + x->count;
}

/* Zeros for a duty are not in the pool, whose limit may be the reason of the failure. */
static bool zeros_for(vote *v, orr__exchange *x)
{
    static const char text[] = "no memory for an exchange of an evaluation that has failed";
    size_t size = orr_dtype_size(x->dtype), n = (size_t)elements_of(x);
    free(v->zeros);
    if (!(v->zeros = orr__reserve_alloc(n + 1, size))) {
        orr__ranks_fail(text);
        v->status = ORR_ENOMEM;
        copy_text(v->text, sizeof v->text, text);
        return false;
    }
    x->out = v->zeros;
    x->in = (char *)v->zeros + (size_t)x->count * size;
    return true;
}

/* The verdict, as an error of this rank. */
static void conclude(vote *v)
{
    verdict all = verdict_of(v->all[1]), own = verdict_of(v->own);
    bool agrees = v->own && own.fails == all.fails && (own.at == all.at || !all.fails);
    v->status = !v->all[1] ? ORR_OK : !all.fails ? ORR_ECANCELLED : agrees ? v->mine : ORR_ERANK;
    if (v->all[1] && agrees)
        copy_text(v->text, sizeof v->text, v->why);
    else if (v->status == ORR_ERANK) {
        char heard[sizeof v->text];
        memcpy(heard, v->text, sizeof heard);
        (void)snprintf(v->text, sizeof v->text, "%s has failed: %.800s", orr__rank_name(all.by), heard);
    } else if (v->status == ORR_ECANCELLED)
        (void)snprintf(v->text, sizeof v->text,
                       "%s has ended the evaluation, by orr_cancel or a time limit: work that had begun has ended, the "
                       "rest was not computed",
                       orr__rank_name(all.by));
}

/* The next exchange after one that has ended with status st; false: all have ended, and v has the result. */
static bool next(vote *v, orr_status st, const char *text, orr__exchange *x)
{
    verdict all = verdict_of(v->all[1]);
    *x = (orr__exchange){ .group = orr__group_all(), .name = "agreement" };
    if (v->phase == TO_HEAR && st == ORR_OK && !(v->all[1] && all.fails))
        v->phase = TO_END;
    if (st != ORR_OK) { /* the session of the ranks has ended */
        v->status = v->mine == ORR_OK ? st : v->mine;
        copy_text(v->text, sizeof v->text, v->mine == ORR_OK ? text : v->why);
        v->phase = TO_END;
    } else if (v->phase == TO_DO && v->at < v->due.n) {
        *x = v->due.x[v->at++];
        return zeros_for(v, x);
    } else if (v->phase <= TO_VOTE) {
        v->phase = TO_HEAR;
        v->all[0] = v->own;
        x->reduction = ORR__REDUCTION_MAX;
        x->dtype = ORR_I64;
        x->in = &v->all[0];
        x->out = &v->all[1];
        x->count = 1;
        return true;
    } else if (v->phase == TO_HEAR) {
        v->phase = TO_END;
        copy_text(v->text, sizeof v->text, v->why);
        x->kind = ORR__EXCHANGE_BROADCAST;
        x->dtype = ORR_U8;
        x->in = x->out = v->text;
        x->count = sizeof v->text;
        x->root = all.by;
        return true;
    } else {
        conclude(v);
    }
    free(v->zeros);
    v->zeros = NULL;
    return false;
}

orr_status orr__joint_end(orr__site at, const orr__stop *s, orr__duties due, orr_status mine)
{
    vote v = { .due = due };
    orr__exchange x;
    orr_status st = ORR_OK;
    if (orr__ranks() == 1)
        return mine;
    begin(&v, s, mine, orr_error_message());
    while (next(&v, st, orr_error_message(), &x))
        st = x.values ? orr__exchange_values(at, &x) : orr__exchange_wait(at, &x);
    return v.status == ORR_OK   ? ORR_OK
           : v.status == v.mine ? orr__fail_text(v.status, v.text)
                                : orr__fail(at, v.status, "%s", v.text);
}

bool orr__joint_expect(orr__stop *s, orr__duties due)
{
    vote *v = orr__alloc(sizeof *v + (size_t)due.n * sizeof *v->x);
    free(s->vote);
    if (!(s->vote = v))
        return false;
    if (due.n)
        memcpy(v->x, due.x, (size_t)due.n * sizeof *v->x);
    v->due = (orr__duties){ v->x, due.n, due.before };
    return true;
}

static void go_on(void *argument, orr_status st, const char *text)
{
    vote *v = argument;
    orr__exchange x;
    if (!next(v, st, text, &x)) {
        v->done(v->argument, v->status, v->text);
        return;
    }
    x.done = go_on;
    x.argument = v;
    if (!x.values)
        orr__exchange_post(&x);
    else if ((st = orr__exchange_values(ORR__SITE(NULL, 0, "exchange"), &x)) != ORR_OK)
        go_on(v, st, orr_error_message());
}

void orr__joint_post(orr__stop *s, orr_status mine, const char *why,
                     void (*done)(void *argument, orr_status st, const char *text), void *argument)
{
    vote *v = s->vote;
    begin(v, s, mine, why);
    v->done = done;
    v->argument = argument;
    go_on(v, ORR_OK, NULL);
}
