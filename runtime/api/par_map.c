/* orr_par_map: one function applied to many items; their graphs are submitted in batches, several at a time.
 * Must not know: how a graph becomes tasks. */
#include "config.h"

#include <stdlib.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "runtime/api/eval.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/threshold.h"

/* A batch of items is one evaluation, large enough to be worth its tasks, whatever one item costs. The plan of a batch is one graph,
 * which is found again for each batch of the same structure. */
#define HANDFUL_US (ORR__T_LONG_PLAN / 10.0)
enum { HANDFUL_MOST = 64, AHEAD_MOST = 64 };

typedef struct {
    const char *file;
    int line;
    orr_map_fn *fn;
    orr_tensor *const *items;
    void *user;
    orr_tensor **results;
    orr_event *event[AHEAD_MOST];
    int ahead, first, most; /* evaluations under way; the oldest; their limit */
    bool failed;            /* an item, or one of its batch; look() finds it          */
    orr_status st;          /* the first evaluation that failed, or scope */
    char text[640];
} map;

static void note(map *m, orr_status st)
{
    m->failed = m->failed || st != ORR_OK;
    if (st == ORR_OK || m->st != ORR_OK)
        return;
    m->st = st;
    (void)snprintf(m->text, sizeof m->text, "%s", orr_error_message());
}

/* Records item i; false: the result is no tensor that can be evaluated. */
static bool record(map *m, int64_t i)
{
    orr_tensor *item = m->items ? m->items[i] : NULL;
    orr_scope *s = orr_scope_begin();
    m->results[i] = NULL;
    if (!s) {
        note(m, ORR_ENOMEM);
        m->results[i] = orr__handle_new(NULL);
        return false;
    }
    orr_tensor *r = m->fn(item, i, m->user);
    if (r && r == item) /* the caller's own tensor, which another scope owns */
        r = orr_reshape_at(m->file, m->line, r, orr_tensor_shape(r));
    m->results[i] = r ? orr_scope_return_at(m->file, m->line, s, r) : NULL;
    note(m, orr_scope_end_at(m->file, m->line, s));
    bool good = r && orr_tensor_status(r) == ORR_OK;
    m->failed = m->failed || !good;
    return good;
}

static void wait_oldest(map *m)
{
    note(m, orr_wait_at(m->file, m->line, m->event[m->first]));
    m->first = (m->first + 1) % AHEAD_MOST;
    m->ahead--;
}

static void submit(map *m, orr_tensor *const *t, int n)
{
    if (m->ahead == m->most)
        wait_oldest(m);
    orr_event **e = &m->event[(m->first + m->ahead) % AHEAD_MOST];
    orr_status st = n ? orr_eval_async_at(m->file, m->line, t, n, e) : ORR_OK;
    note(m, st);
    m->ahead += n && st == ORR_OK;
}

/* The predicted time of one item, from the plan of the first. */
static double cost_of(map *m, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(m->file, m->line, "par_map");
    orr__node *node;
    orr__capture p;
    orr__plan *plan;
    double us = 0;
    if (orr__tensor_nodes(at, &t, 1, NULL, &node) != ORR_OK)
        return 0;
    if (orr__node_value(node) || orr__capture_make(at, &node, 1, &p) != ORR_OK)
        return 0;
    if (orr__plan_get(at, &p, &plan) == ORR_OK) {
        us = plan->us;
        orr__plan_unref(plan);
    }
    orr__capture_free(&p);
    return us;
}

static void run(map *m, int64_t n)
{
    orr_tensor *hand[HANDFUL_MOST];
    int full = 1, got = 0;
    for (int64_t i = 0; i < n; i++) {
        if (record(m, i))
            hand[got++] = m->results[i];
        if (i == 0 && got) {
            double us = cost_of(m, hand[0]);
            full = us < HANDFUL_US / HANDFUL_MOST ? HANDFUL_MOST : us < HANDFUL_US ? (int)(HANDFUL_US / us) : 1;
        }
        if (got < full && i < n - 1)
            continue;
        submit(m, hand, got);
        got = 0;
    }
    while (m->ahead > 0)
        wait_oldest(m);
}

/* Finds the error after a failed evaluation, which computes none or some of its batch: evaluates each item by itself, in order. Returns
 * the first error; if no item has one, that of an assignment beside them. Items that did not fit into memory together may fit one by
 * one. */
static orr_status look(map *m, int64_t n)
{
    orr_status first = ORR_OK;
    char text[sizeof m->text] = "";
    for (int64_t i = 0; i < n; i++) {
        orr_status st = m->results[i] ? orr_eval_at(m->file, m->line, m->results[i])
                                      : orr__fail(ORR__SITE(m->file, m->line, "par_map"), ORR_EINVAL,
                                                  "the function gave NULL for item %lld", (long long)i);
        if (st != ORR_OK && first == ORR_OK) {
            first = st;
            (void)snprintf(text, sizeof text, "%s", orr_error_message());
        }
    }
    if (first == ORR_OK && m->st != ORR_OK && m->st != ORR_ENOMEM)
        return orr__fail_text(m->st, m->text);
    return first == ORR_OK ? ORR_OK : orr__fail_text(first, text);
}

orr_status orr_par_map_at(const char *file, int line, int64_t n, orr_map_fn *fn, orr_tensor *const *items, void *user,
                          orr_tensor **results)
{
    orr__site at = ORR__SITE(file, line, "par_map");
    orr_status st = orr__need_running(at);
    if (st != ORR_OK)
        return st;
    if (n < 0)
        return orr__fail(at, ORR_EINVAL, "the number of items is negative");
    if (n > 0 && (!fn || !results))
        return orr__fail(at, ORR_EINVAL, "%s is NULL", !fn ? "the function" : "the list of results");
    map m = { .file = file, .line = line, .fn = fn, .items = items, .user = user, .results = results };
    m.most = 2 * orr__machine_here.workers + 2;
    m.most = m.most < AHEAD_MOST ? m.most : AHEAD_MOST;
    run(&m, n);
    return m.failed ? look(&m, n) : ORR_OK;
}
