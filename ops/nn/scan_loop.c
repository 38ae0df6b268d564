/* The history of a scan that ran in a loop: a result remembers what the scan read, and its gradient records the steps again. An evaluated
 * result forgets, as every node does, so scans that continue each other keep one scan's tensors alive.
 * Must not know: cells, how the loop runs. */
#include "config.h"

#include <pthread.h>
#include <orrery/eval.h>
#include "ops/back.h"
#include "ops/grad_walk.h"
#include "ops/nn/again.h"
#include "ops/nn/scan_loop.h"
#include "ops/record.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fork.h"

#define AT at.file, at.line

enum { SERIAL, WHICH }; /* scalars of the node: the scan, and the number of its result */

typedef struct {
    uint64_t serial; /* 0: none */
    orr_scan_fn *fn;
    void *user;
    int n_carry, n_x, n_y;
    bool reverse;
    int64_t steps;
    uint64_t random[2];
} past;

/* The latest scans. A gradient through an older one is an error. */
enum { KEPT = 4096 };
static struct {
    pthread_mutex_t lock;
    uint64_t serial;
    past scan[KEPT];
} latest = { .lock = PTHREAD_MUTEX_INITIALIZER };
ORR__GUARDED_IN_FORKS(latest.lock)

static void add(orr__scan_reads *r, orr__node *n)
{
    r->tracked = r->tracked || (n->tracked & ORR__TRACKED);
    r->full = r->full || r->n == ORR__SCAN_MOST;
    if (!r->full)
        r->node[r->n++] = orr__node_ref(n);
}

void orr__scan_reads_operand(orr__scan_reads *r, orr_tensor *t)
{
    orr__node *n = orr__handle_node(t);
    if (n)
        add(r, n);
}

orr_status orr__scan_reads_body(orr__site at, orr__scan_reads *r, orr_tensor *const *result, int n)
{
    orr__ancestry a;
    orr__node *node[ORR__SCAN_MOST];
    for (int i = 0; i < n; i++)
        if (i == ORR__SCAN_MOST || !(node[i] = orr__handle_node(result[i])))
            return r->full = true, ORR_OK;
    orr_status st = orr__ancestry_all(at, node, n, &a);
    for (int i = 0; st == ORR_OK && i < a.n; i++)
        if (a.arg0[i] == a.arg0[i + 1] && (a.node[i]->tracked & ORR__TRACKED))
            add(r, a.node[i]);
    if (st == ORR_OK)
        orr__ancestry_free(&a);
    return st;
}

void orr__scan_reads_free(orr__scan_reads *r)
{
    for (int i = 0; i < r->n; i++)
        orr__node_unref(r->node[i]);
    r->n = 0;
}

/* -- the gradient ------------------------------------------------------------------------------------------------------ */

static bool recall(uint64_t serial, past *p)
{
    (void)pthread_mutex_lock(&latest.lock);
    *p = latest.scan[serial % KEPT];
    (void)pthread_mutex_unlock(&latest.lock);
    return p->serial == serial;
}

/* A variable that was assigned since has another value: the steps recorded now are then not those that ran. */
static orr_status check_same(const orr__back *b, orr_tensor *const *result, int n, int first, int last)
{
    orr__node *node[ORR__SCAN_MOST];
    orr__ancestry a;
    for (int i = 0; i < n; i++)
        if (!(node[i] = orr__handle_node(result[i])))
            return ORR_EHANDLE;
    orr_status st = orr__ancestry_all(b->at, node, n, &a);
    if (st != ORR_OK)
        return st;
    for (int i = first; i < last && st == ORR_OK; i++)
        if (orr__ancestry_find(&a, orr__handle_node(b->in[i])) < 0)
            st = orr__fail(
                b->at, ORR_EGRAPH,
                "a variable that the scan at %s:%d reads was assigned since: record the gradient before, or scan "
                "without loop",
                b->node->file ? b->node->file : "?", b->node->line);
    orr__ancestry_free(&a);
    return st;
}

static orr_status record_again(const orr__back *b, int n, orr_tensor **to)
{
    orr__site at = b->at;
    past p;
    if (!recall(b->node->s[SERIAL].u, &p))
        return orr__fail(at, ORR_EGRAPH, "more than %d scans ran in a loop since that at %s:%d: scan without loop",
                         KEPT, b->node->file ? b->node->file : "?", b->node->line);
    orr_tensor *result[2 * ORR__SCAN_MOST] = { NULL }, *by[ORR__SCAN_MOST], *grads[ORR__SCAN_MOST];
    for (int i = 0; i < p.n_carry; i++)
        result[i] = b->in[i];
    uint64_t now[2];
    orr__random_state(now);
    orr__random_restore(p.random);
    orr_status st = orr_scan_at(AT, p.fn,
                                &(orr_scan_lists){ .carry = result,
                                                   .x = b->in + p.n_carry,
                                                   .y = result + p.n_carry,
                                                   .n_carry = p.n_carry,
                                                   .n_x = p.n_x,
                                                   .n_y = p.n_y,
                                                   .steps = p.steps },
                                p.user, &(orr_scan_options){ .reverse = p.reverse });
    orr__random_restore(now);
    if (st == ORR_OK)
        st = check_same(b, result, p.n_carry + p.n_y, p.n_carry + p.n_x, n);
    int m = 0;
    for (int i = 0; i < n; i++)
        if (orr__is_inexact(orr_tensor_dtype(b->in[i])))
            by[m++] = b->in[i];
    if (st == ORR_OK)
        st = orr__vjp(at, result[b->node->s[WHICH].u], b->g, by, m, grads);
    for (int i = n - 1; i >= 0; i--)
        to[i] = orr__is_inexact(orr_tensor_dtype(b->in[i])) ? grads[--m] : NULL;
    return st;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    int n = b->node->nin - 1;
    if (k >= n)
        return NULL;
    orr__again_grads *last = orr__again_last(b->at);
    if (!last)
        return orr__handle_new(NULL);
    if (last->node != b->node || last->g != b->g || (last->grads[k] && orr_tensor_status(last->grads[k]) != ORR_OK)) {
        last->node = NULL;
        if (record_again(b, n, last->grads) != ORR_OK)
            return orr__handle_new(NULL);
        last->node = b->node;
        last->g = b->g;
    }
    return last->grads[k];
}

const orr__op orr__op_scan_loop = {
    .id = ORR__OP_scan_loop, .name = "scan_loop", .arity = -1, .role = ORR__ROLE_THROUGH, .vjp = vjp
};

/* -- results -------------------------------------------------------------------------------------------------------------- */

static uint64_t keep(past p)
{
    (void)pthread_mutex_lock(&latest.lock);
    p.serial = ++latest.serial;
    latest.scan[p.serial % KEPT] = p;
    (void)pthread_mutex_unlock(&latest.lock);
    return p.serial;
}

orr_status orr__scan_remember(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, void *user, bool reverse,
                              int64_t steps, const orr__scan_reads *reads, const uint64_t random[2])
{
    orr__node *in[ORR__SCAN_MOST + 1];
    if (!reads->tracked || reads->full)
        return ORR_OK;
    for (int i = 0; i < reads->n; i++)
        in[i] = reads->node[i];
    past p = { 0, fn, user, l->n_carry, l->n_x, l->n_y, reverse, steps, { random[0], random[1] } };
    uint64_t serial = keep(p);
    for (int i = 0; i < l->n_carry + l->n_y; i++) {
        orr_tensor **to = i < l->n_carry ? &l->carry[i] : &l->y[i - l->n_carry];
        orr__node *value = orr__handle_node(*to);
        if (!value || value->poison)
            continue;
        in[reads->n] = value;
        orr__node *n = orr__node_new(at, &orr__op_scan_loop, (orr_dtype)value->dtype, &value->shape, reads->n + 1, in);
        if (!n)
            return ORR_ENOMEM;
        n->nscalar = 2;
        n->s[SERIAL].u = serial;
        n->s[WHICH].u = (uint64_t)i;
        *to = orr__handle_new(n);
    }
    return ORR_OK;
}
