/* Chooses the small steps of a run that share a bundle: first steps that feed each other, while all workers keep work.
 * Must not know: the steps before and after the run, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/heap.h"
#include "runtime/base/minmax.h"
#include "runtime/plan/passes.h"

/* A step of the run. */
typedef struct {
    int step, late;      /* the last position before the run for which it, or a producer of its inputs, waits */
    int waits, ready;    /* producers in the run that are in no bundle yet; last bundle with a producer, 0: none */
    int consumer0;       /* first of its consumers in the list                                    */
    double us, from, to; /* its own; of the longest path to its end; of that from its begin on    */
} item;

/* A heap of items, the next one at its top. */
typedef struct {
    int *at, n;
} heap;

typedef struct {
    item *it;
    int n, *consumer, nbundle, workers;
    double worth;   /* µs that are worth a task */
    heap near, far; /* ready items; near ones read values of the bundle that is being filled */
} choice;

/* Orders items by an early start, then by a long path to the end. */
static bool before(const void *user, int a, int b)
{
    const choice *c = user;
    const item *x = &c->it[a], *y = &c->it[b];
    if (x->late != y->late)
        return x->late < y->late;
    if (x->ready != y->ready)
        return x->ready < y->ready;
    return x->to != y->to ? x->to > y->to : a < b;
}

static void push(const choice *c, heap *h, int x)
{
    orr__heap_push(h->at, h->n++, x, before, c);
}

static int pop(const choice *c, heap *h)
{
    return orr__heap_pop(h->at, h->n--, before, c);
}

/* Loops over the inputs of step i that the run makes; x is the producer's number there. An input read twice counts
 * twice. */
#define EACH_PRODUCER(p, run, i, x)                                                                                    \
    for (int k_ = 0, x; k_ < (p)->step[i].region->nin; k_++)                                                           \
        if ((x = producer_in(p, run, i, k_)) >= 0)

static int position(const orr__plan *p, const orr__run_of_steps *run, int i, int k)
{
    int from = run->producer[p->step[i].in[k]];
    return from < 0 ? -1 : run->where[from];
}

static int producer_in(const orr__plan *p, const orr__run_of_steps *run, int i, int k)
{
    return position(p, run, i, k) - run->first;
}

static void look_at(choice *c, const orr__plan *p, const orr__run_of_steps *run)
{
    item *it = c->it;
    int edges = 0;
    for (int i = 0; i < c->n; i++) {
        int s = run->order[run->first + i];
        double longest = 0;
        it[i] = (item){ .step = s, .late = -1, .us = orr__bundled_us(&p->step[s]) };
        for (int k = 0; k < p->step[s].region->nin; k++) {
            int at = position(p, run, s, k);
            if (at < run->first && at > it[i].late)
                it[i].late = at;
        }
        EACH_PRODUCER(p, run, s, x)
        {
            it[i].late = ORR__MAX(it[x].late, it[i].late);
            longest = ORR__MAX(it[x].from, longest);
            it[i].waits++;
            it[x].consumer0++;
        }
        it[i].from = longest + it[i].us;
    }
    for (int i = 0; i < c->n; i++) { /* counts become end positions, filled backwards */
        edges += it[i].consumer0;
        it[i].consumer0 = edges;
    }
    for (int i = c->n; i-- > 0;) {
        it[i].to += it[i].us;
        EACH_PRODUCER(p, run, it[i].step, x)
        {
            it[x].to = ORR__MAX(it[i].to, it[x].to);
            c->consumer[--it[x].consumer0] = i;
        }
    }
}

/* The µs of a bundle to aim at: enough to be worth a task, yet few enough to leave work for all workers. */
static double target(const choice *c)
{
    double sum = 0, path = 0, worth = c->worth, least = worth / 8;
    int workers = c->workers;
    for (int i = 0; i < c->n; i++) {
        sum += c->it[i].us;
        path = ORR__MAX(c->it[i].from, path);
    }
    double side_by_side = sum / path;
    int parts = (int)(sum / worth);
    parts += sum > worth * parts;
    int wish = sum / least < workers ? (int)(sum / least) : workers;
    wish = ORR__MIN(wish, (int)side_by_side);
    parts = ORR__MAX(wish, parts);
    int even = (parts + workers - 1) / workers * workers;
    if (parts > 1 && even <= (int)side_by_side && sum / even >= least)
        parts = even;
    return sum / ORR__MAX(parts, 1);
}

/* Puts item x into the bundle under construction. Consumers whose producers are all in bundles become ready. */
static void take(choice *c, int x, int edges)
{
    int end = x + 1 < c->n ? c->it[x + 1].consumer0 : edges;
    for (int k = c->it[x].consumer0; k < end; k++) {
        item *y = &c->it[c->consumer[k]];
        y->ready = c->nbundle;
        if (--y->waits == 0)
            push(c, &c->near, c->consumer[k]);
    }
}

/* Fills the bundles in order: each depends only on earlier ones. */
static void fill(choice *c, const orr__run_of_steps *run, int edges)
{
    double aim = target(c), sum = 0;
    int head = run->first, at = run->first;
    c->nbundle = 1;
    for (int i = 0; i < c->n; i++)
        if (c->it[i].waits == 0)
            push(c, &c->far, i);
    while (c->near.n + c->far.n > 0) {
        int x = pop(c, c->near.n > 0 ? &c->near : &c->far);
        if (at > head && sum + c->it[x].us / 2 > aim) {
            push(c, &c->far, x);
            while (c->near.n > 0)
                push(c, &c->far, c->near.at[--c->near.n]);
            head = at;
            sum = 0;
            c->nbundle++;
            x = pop(c, &c->far);
        }
        run->order[at] = c->it[x].step;
        run->members[at] = head - at;
        at++;
        run->members[head]++;
        sum += c->it[x].us;
        take(c, x, edges);
    }
}

orr_status orr__bundle_run(orr__site at, const orr__plan *p, const orr__run_of_steps *run)
{
    size_t n = (size_t)run->n, edges = 0;
    for (int i = 0; i < run->n; i++)
        EACH_PRODUCER(p, run, run->order[run->first + i], x)
    edges++;
    choice c = { .n = run->n, .it = malloc(n * sizeof *c.it), .consumer = malloc((edges + 1) * sizeof *c.consumer) };
    orr_status st = ORR_OK;
    bool on_device = p->step[run->order[run->first]].cuda;
    c.workers = on_device ? orr__machine_here.cuda : orr__machine_here.workers;
    c.worth = orr__bundle_worth(on_device);
    c.near.at = malloc(n * sizeof *c.near.at);
    c.far.at = malloc(n * sizeof *c.far.at);
    if (!c.it || !c.consumer || !c.near.at || !c.far.at) {
        st = orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
    } else {
        look_at(&c, p, run);
        fill(&c, run, (int)edges);
    }
    free(c.it);
    free(c.consumer);
    free(c.near.at);
    free(c.far.at);
    return st;
}
