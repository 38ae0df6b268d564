/* orr_eval and its relatives: capture, plan, execute, publish.
 * Must not know: devices, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/api/check.h"
#include "runtime/api/check_integers.h"
#include "runtime/api/dump.h"
#include "runtime/api/eval.h"
#include "runtime/api/event.h"
#include "runtime/api/over_ranks.h"
#include "runtime/api/piles.h"
#include "runtime/base/ablation.h"
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/held.h"
#include "runtime/base/mapped_file.h"
#include "runtime/base/notes.h"
#include "runtime/base/stop.h"
#include "runtime/base/trace.h"
#include "runtime/base/signals.h"
#include "runtime/distribute/common.h"
#include "runtime/distribute/partition.h"
#include "runtime/graph/donation.h"
#include "runtime/graph/former.h"
#include "runtime/graph/kept_again.h"
#include "runtime/graph/slice_copy.h"
#include "runtime/graph/thread_state.h"
#include "runtime/ranks/ranks.h"

orr_status orr__need_running(orr__site at)
{
    if (orr__engine_running())
        return ORR_OK;
    return orr__fail(at, ORR_ESTATE, "Orrery is not running: %s",
                     orr__engine_orphaned()
                         ? "this process was forked after orr_init, and the workers are the parent's; fork "
                           "before, or call orr_shutdown and orr_init here, for the serial engine"
                         : "call orr_init first");
}

/* Values of nodes that are still being written: their end may be awaited, or their failure reported if it is known already. */
typedef enum { IGNORED, REPORTED, AWAITED } written;

/* -- what fails on this rank before the ranks agree ------------------------------------------------------------ */

/* True if the ranks evaluate this together: a requested node that they compute in common, or a pending one beside a request for a value over
 * ranks, or for nothing. NULL: a tensor that this rank does not know; npending < 0: no memory to tell. */
static bool is_together(orr__node *const *node, int n, orr__node *const *pending, int npending)
{
    bool requests = n == 0, together = false;
    for (int i = 0; i < n; i++) {
        bool common = !node[i] || orr__node_is_common(node[i]);
        requests = requests || common;
        together = together || (common && !(node[i] && orr__node_value(node[i])));
    }
    for (int i = 0; i < npending && requests; i++)
        together = together || (orr__node_is_common(pending[i]) && !orr__node_value(pending[i]));
    return together || (requests && npending < 0);
}

static uint32_t times_met(void)
{
    return orr__tls_get()->met;
}

/* Of an evaluation that has failed with status st: if the ranks make it together, and this rank has not met the others since `met`, the
 * others wait for it. */
static orr_status tell_others(orr__site at, orr_status st, uint32_t met, orr__node *const *node, int n,
                              orr__node *const *pending, int npending)
{
    bool waits = st != ORR_OK && orr__ranks() > 1 && orr__distributions_exist() && times_met() == met;
    return waits && is_together(node, n, pending, npending) ? orr__over_ranks_absent(at, st, false) : st;
}

/* Moves the nodes that this rank computes alone to the front; returns their number. */
static int alone(orr__node **node, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (!orr__node_is_common(node[i]))
            node[left++] = node[i];
    return left;
}

/* -- evaluations ------------------------------------------------------------------------------------------------ */

/* Appends the nodes of `from` without a value to `to`, with a reference each. */
static orr_status select_nodes(orr__node *const *from, int n, orr__node **to, int *count, written others)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < n; i++) {
        const orr__buffer *b = orr__node_value(from[i]);
        if (!b) {
            to[(*count)++] = orr__node_ref(from[i]);
        } else if (b->run && (others == AWAITED || (others == REPORTED && orr__run_done(b->run)))) {
            orr__run *busy = orr__run_ref(b->run);
            /* Over ranks all wait, since a stop ends an evaluation on all of them. */
            orr_status s = orr__ranks() > 1 ? orr__run_wait(busy) : orr__run_wait_within(busy);
            orr__run_unref(busy);
            st = st == ORR_OK ? s : st;
        }
    }
    return st;
}

/* Gives every requested node its value, and the same value to the node behind a DETACH. A value that nobody requested, but that is computed
 * again and again, keeps its history. */
static void publish(const orr__capture_roots *roots, bool early, const orr__capture *p, orr__buffer **out)
{
    for (int i = 0, n = roots->nout; i < n; i++) {
        orr__publishing how = early || i >= n - roots->nagain ? ORR__PUBLISH_EARLY
                              : i >= n - roots->nretained     ? ORR__PUBLISH_KEPT
                                                              : ORR__PUBLISH_ASKED;
        bool again = p->behind[i] && orr__node_publish(p->behind[i], orr__buffer_ref(out[i]), how, false);
        (void)orr__node_publish(roots->out[i], out[i], how, again);
    }
}

orr_status orr__no_placeholder(orr__site at, const orr__capture *p)
{
    for (int k = 0; k < p->nleaf; k++)
        if (!p->leaf[k])
            return orr__fail(at, ORR_EGRAPH, "a placeholder has no value here; submit the graph that it belongs to");
    return ORR_OK;
}

/* True if an evaluation may give values to nodes that nobody requested. Their choice depends on references, memory and runs under way, which
 * each rank has of its own; a node that has a value on one rank alone would be another graph. */
static bool may_add(void)
{
    return orr__ranks() <= 1;
}

/* Adds to the roots the held values that are computed again and again. *all: the array of the new roots, NULL: there are none. */
static orr_status add_kept(orr__site at, orr__capture_roots *roots, size_t left, bool full, orr__capture *p,
                           orr__node ***all)
{
    orr__node **chosen;
    roots->counts = false;
    orr__capture_free(p);
    orr_status st = orr__capture_make_roots(at, roots, p);
    int more = st == ORR_OK ? orr__kept_again(p, left / 4, &chosen) : 0, n = roots->nout;
    if (more == 0)
        return st;
    *all = malloc(((size_t)n + (size_t)more) * sizeof **all);
    for (int i = 0; i < more && !*all; i++)
        orr__node_unref(chosen[i]);
    if (*all) {
        memcpy(*all, roots->out, (size_t)n * sizeof **all);
        memcpy(*all + n, chosen, (size_t)more * sizeof **all);
        *roots = (orr__capture_roots){ .out = *all,
                                       .nout = n + more,
                                       .nfirst = roots->nfirst < n ? roots->nfirst : n + more,
                                       .nretained = roots->nretained + more,
                                       .nagain = more };
        orr__capture_free(p);
        st = full ? orr__capture_make_roots(at, roots, p) : orr__capture_make_light(at, roots, p);
    }
    free(chosen);
    return st;
}

/* For a capture of slices whose plan is unknown: captures small slices of values as leaves. Such a plan is for all places of the slices.
 * It is made when a few plans have been made for some of them, since a plan for the place reads the value without a copy. On an error,
 * and if *plan is NULL, the capture does not exist. */
static orr_status plan_with_slices(orr__site at, orr__capture_roots *roots, size_t left, orr__capture *p,
                                   orr__plan **plan)
{
    roots->slices = true;
    orr_status st = orr__capture_make_light(at, roots, p);
    if (st == ORR_OK && orr__slices_agree(p) && !(*plan = orr__plan_known(p, left)) && orr__plan_repeats(p)) {
        orr__capture_free(p);
        st = orr__capture_make_roots(at, roots, p);
        if (st == ORR_OK && (st = orr__plan_get_within(at, p, left, plan)) != ORR_OK)
            orr__capture_free(p);
    }
    roots->slices = false;
    if (st != ORR_OK)
        return st;
    if (*plan && (st = orr__slices_copy(p)) != ORR_OK)
        orr__plan_done(*plan);
    if (!*plan || st != ORR_OK)
        orr__capture_free(p);
    return st;
}

/* Captures the nodes, and finds or makes the plan. If a plan exists, a light capture suffices, unless the caller needs a full one. On an
 * error neither exists. *all: as add_kept. */
static orr_status capture_and_plan(orr__site at, orr__capture_roots *roots, bool full, orr__capture *p,
                                   orr__plan **plan, orr__node ***all)
{
    bool shown = orr__env.print & ORR__PRINT_GRAPH;
    size_t left = orr__engine_left();
    orr_status st = full ? orr__capture_make_roots(at, roots, p) : orr__capture_make_light(at, roots, p);
    if (st == ORR_OK && p->again && may_add())
        st = add_kept(at, roots, left, full, p, all);
    if (st != ORR_OK)
        return st;
    st = orr__no_placeholder(at, p);
    if (st == ORR_OK && !shown && (*plan = orr__plan_known(p, left)))
        return ORR_OK;
    bool slices = p->flags & ORR__OP_SLICES && orr__machine_here.one_memory && !orr__ablated(ORR__OFF_SLICE_COPIES);
    orr__capture_free(p);
    roots->counts = false;
    *plan = NULL;
    if (st == ORR_OK && slices && !shown && !full &&
        ((st = plan_with_slices(at, roots, left, p, plan)) != ORR_OK || *plan))
        return st;
    if (st == ORR_OK)
        st = orr__capture_make_roots(at, roots, p);
    if (st != ORR_OK)
        return st;
    if (shown) {
        ORR__GUARD_WRITES;
        orr__capture_print(stderr, p);
    }
    if ((st = orr__plan_get_within(at, p, left, plan)) != ORR_OK)
        orr__capture_free(p);
    return st;
}

/* early: no caller asked for it. Work that its data could make fail is waited for: after an error nothing is published. full: receives a
 * full capture after ORR_OK; NULL: not requested. */
static orr_status evaluate_unchecked(orr__site at, orr__capture_roots *roots, orr__donors *donors, bool early,
                                     orr__run **run, orr__capture *full)
{
    orr__capture p;
    orr__plan *plan;
    orr__node **all = NULL;
    roots->counts = !early;
    orr_status st = capture_and_plan(at, roots, full != NULL, &p, &plan, &all);
    if (st == ORR_OK) {
        bool noting = orr__noting();
        double t0 = noting ? orr__now() : 0;
        uint64_t *content = noting ? orr__plan_note_inputs(at, plan, p.leaf, p.scalar) : NULL;
        if (noting)
            (void)orr__notes_took(orr__now() - t0, false);
        if (donors && plan->ndonors == 0) /* no output can use them, so other threads need not wait */
            orr__donors_release(donors);
        orr__buffer *few[32], **out = orr__array_begin(few, sizeof few, (size_t)roots->nout, sizeof *out);
        if (early && (!orr__engine_certain(plan, p.leaf) || orr__engine_in_turn(plan, true)))
            run = NULL;
        st = out ? orr__engine_execute(at, plan, p.leaf, p.scalar, out, run) : ORR_ENOMEM;
        if (st == ORR_OK)
            publish(roots, early, &p, out);
        if (st == ORR_OK && content) {
            t0 = orr__now();
            orr__plan_note_results(at, plan, roots, content);
            (void)orr__notes_took(orr__now() - t0, false);
        } else {
            free(content);
        }
        orr__array_end(out, few);
        orr__plan_done(plan);
        if (full && st == ORR_OK)
            *full = p;
        else
            orr__capture_free(&p);
    }
    for (int i = roots->nout - roots->nagain; i < roots->nout; i++)
        orr__node_unref(roots->out[i]);
    free(all);
    return st;
}

static orr_status for_the_check(orr__site at, orr__node *const *node, int n)
{
    orr__capture_roots roots = ORR__ROOTS(node, n, n);
    return evaluate_unchecked(at, &roots, NULL, false, NULL, NULL);
}

/* The roots with one more, before those that nobody asked for. */
static orr__node **add_root(const orr__capture_roots *roots, orr__node *more, orr__capture_roots *all)
{
    int n = roots->nout, at = n - roots->nretained;
    orr__node **out = malloc(((size_t)n + 1) * sizeof(orr__node *));
    for (int i = 0; i <= n && out; i++)
        out[i] = i == at ? more : roots->out[i - (i > at)];
    *all = *roots;
    all->out = out;
    all->nout = n + 1;
    all->nfirst = roots->nfirst < n ? roots->nfirst : n + 1;
    return out;
}

/* The old values that an evaluation of this thread may overwrite. The search for a number that is not finite repeats the work, except that
 * of element-wise operations, whose results are there; the other searches and a dump need all old values. */
static orr__donation may_overwrite(void)
{
    bool all = orr__dump_wanted() || (orr__env.check & ~(unsigned)ORR__CHECK_NONFINITE);
    return all ? ORR__DONATE_NONE : orr__check_wanted() ? ORR__DONATE_ELEMENTS : ORR__DONATE_ALL;
}

static orr_status evaluate_checked(orr__site at, const orr__capture_roots *roots, orr__donors *donors, bool early,
                                   bool *hit)
{
    orr__check c;
    orr__capture p;
    orr__integers integers;
    orr__capture_roots all = *roots;
    orr_status st = orr__integers_begin(at, roots, false, &integers);
    if (st != ORR_OK)
        return st;
    orr__node **out = integers.bit ? add_root(roots, integers.bit, &all) : NULL;
    orr__check_begin(&c, &all);
    st = integers.bit && !out ? ORR_ENOMEM : evaluate_unchecked(at, &all, donors, early, NULL, &p);
    if (st == ORR_OK) {
        st = orr__check_wait(&c.roots);
        if (donors)
            orr__donors_release(donors); /* the search captures them */
        *hit = st == ORR_OK && orr__check_end(&c, &p, for_the_check);
        orr__capture_free(&p);
    }
    *hit = orr__integers_end(at, &integers, st, for_the_check) || *hit;
    free(out);
    return st;
}

/* A check and a dump wait for the results. */
static orr_status evaluate_with(orr__site at, orr__capture_roots roots, orr__donors *donors, bool early, orr__run **run)
{
    orr__dumping d;
    bool checks = orr__check_wanted(), dumps = orr__dump_wanted(), hit = false;
    if (!checks && !dumps)
        return evaluate_unchecked(at, &roots, donors, early, run, NULL);
    if (dumps)
        orr__dump_begin(at, &roots, &d);
    orr_status st = checks ? evaluate_checked(at, &roots, donors, early, &hit)
                           : evaluate_unchecked(at, &roots, donors, early, NULL, NULL);
    if (dumps)
        orr__dump_end(at, &d, st, hit);
    return st;
}

orr_status orr__evaluate_here(orr__site at, orr__capture_roots roots, orr__run **run)
{
    return evaluate_unchecked(at, &roots, NULL, false, run, NULL);
}

orr_status orr__evaluate_early(orr__site at, orr__node *const *node, int n, orr__run **run)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__donors donors = { 0 };
    *run = NULL;
    if (orr__machine_here.one_memory)
        orr__donors_find(node, n, false, may_overwrite(), &donors);
    orr_status st = evaluate_with(at, ORR__ROOTS(node, n, n), &donors, true, run);
    orr__donors_release(&donors);
    return st;
}

/* The outputs of a capture become the values of its roots, which are distributed over ranks. */
static void publish_placed(const orr__capture_roots *roots, const orr__capture *p, orr__buffer **out,
                           const uint16_t *placed)
{
    for (int i = 0; i < roots->nout; i++) {
        if (!orr__node_value(roots->out[i]))
            roots->out[i]->placed = placed[i];
        if (p->behind[i] && !orr__node_value(p->behind[i]))
            p->behind[i]->placed = placed[i];
    }
    publish(roots, false, p, out);
}

static orr_status over_ranks(orr__site at, const orr__capture_roots *roots, orr__capture *p, orr__run **run)
{
    int n = roots->nout;
    orr__buffer *few[32], **out = orr__array_begin(few, sizeof few, (size_t)n, sizeof *out);
    uint16_t few_placed[32], *placed = orr__array_begin(few_placed, sizeof few_placed, (size_t)n, sizeof *placed);
    orr_status st = out && placed ? orr__evaluate_over_ranks(at, roots, p, out, placed, run) : ORR_ENOMEM;
    if (st == ORR_OK)
        publish_placed(roots, p, out, placed);
    orr__array_end(out, few);
    orr__array_end(placed, few_placed);
    return st;
}

static orr_status for_the_check_of_ranks(orr__site at, orr__node *const *node, int n)
{
    orr__capture p;
    orr__capture_roots roots = ORR__ROOTS(node, n, n);
    uint32_t met = times_met();
    orr_status st = orr__capture_make_light(at, &roots, &p);
    if (st != ORR_OK)
        return tell_others(at, st, met, node, n, NULL, 0);
    st = orr__partition_needed(&p) ? over_ranks(at, &roots, &p, NULL) : for_the_check(at, node, n);
    orr__capture_free(&p);
    return st;
}

/* All ranks do the same: they look at values that are whole on each of them. */
static orr_status over_ranks_checked(orr__site at, const orr__capture_roots *roots, orr__capture *p, bool *hit)
{
    orr__check c;
    orr__capture all;
    orr__integers integers;
    orr__capture_roots again = *roots;
    again.counts = false;
    orr_status st = orr__capture_make_roots(at, &again, &all);
    if (st != ORR_OK)
        return st;
    if ((st = orr__integers_begin(at, roots, true, &integers)) == ORR_OK) {
        orr__check_begin(&c, roots);
        c.over_ranks = true;
        st = over_ranks(at, roots, p, NULL);
        st = st == ORR_OK ? orr__check_wait(roots) : st;
        if (st == ORR_OK)
            *hit = orr__check_end(&c, &all, for_the_check_of_ranks);
        *hit = orr__integers_end(at, &integers, st, for_the_check_of_ranks) || *hit;
    }
    orr__capture_free(&all);
    return st;
}

/* A check and a dump wait for the results. */
static orr_status over_ranks_with(orr__site at, const orr__capture_roots *roots, orr__capture *p, orr__run **run)
{
    orr__dumping d;
    bool checks = orr__check_wanted(), dumps = orr__dump_wanted(), hit = false;
    if (dumps)
        orr__dump_begin_over_ranks(at, roots, &d, for_the_check_of_ranks);
    orr_status st = checks ? over_ranks_checked(at, roots, p, &hit) : over_ranks(at, roots, p, dumps ? NULL : run);
    if (dumps)
        orr__dump_end(at, &d, st, hit);
    return st;
}

static orr_status evaluate(orr__site at, const orr__capture_roots *roots, orr__donors *donors, orr__run **run)
{
    if (!orr__distributions_exist())
        return evaluate_with(at, *roots, donors, false, run);
    orr__capture p;
    uint32_t met = times_met();
    bool placed = false;
    orr_status st = orr__capture_make_light(at, roots, &p);
    if (st == ORR_OK) {
        placed = orr__partition_needed(&p);
        if (placed && donors)
            orr__donors_release(donors);
        if (placed)
            st = over_ranks_with(at, roots, &p, run);
        orr__capture_free(&p);
    }
    if (st == ORR_OK && !placed) {
        if (roots->final)
            orr__pending_final();
        return evaluate_with(at, *roots, donors, false, run);
    }
    return tell_others(at, st, met, roots->out, roots->nout, NULL, 0);
}

orr__capture_roots orr__eval_roots(orr__node *const *node, int n, int nfirst, orr__donors *donors, orr__node ***all)
{
    orr__donors_find(node, n, may_add(), may_overwrite(), donors);
    int more = donors->nretained;
    *all = more ? malloc(((size_t)n + (size_t)more) * sizeof **all) : NULL;
    if (more && !*all)
        orr__donors_release(donors);
    if (!*all)
        return ORR__ROOTS(node, n, nfirst);
    memcpy(*all, node, (size_t)n * sizeof **all);
    memcpy(*all + n, donors->retained, (size_t)more * sizeof **all);
    return (orr__capture_roots){
        .out = *all, .nout = n + more, .nfirst = nfirst < n ? nfirst : n + more, .nretained = more
    };
}

/* The first nfirst nodes are waited for. Old values of variables may be overwritten. */
static orr_status evaluate_in_place(orr__site at, orr__node *const *node, int n, int nfirst, bool final, orr__run **run)
{
    orr__donors donors;
    orr__node **all;
    orr__capture_roots roots = orr__eval_roots(node, n, nfirst, &donors, &all);
    roots.final = final;
    orr_status st = evaluate(at, &roots, &donors, run);
    orr__donors_release(&donors);
    free(all);
    return st;
}

/* Pending assignments of what was recorded from undone values are undone, too. Keeps the last error. */
static void forget_undone(orr__node *const *pending, int n)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", orr_error_message());
    orr__stop *outer = orr__stop_begins(NULL);
    for (int i = 0; i < n; i++) {
        orr__capture p;
        orr__node *node = orr__node_value(pending[i]) ? NULL : orr__node_ref(pending[i]);
        orr_status st = node ? orr__capture_make_light(ORR__SITE(NULL, 0, NULL), &ORR__ROOTS(&node, 1, 1), &p) : ORR_OK;
        if (node && st == ORR_OK)
            orr__capture_free(&p);
        orr__node *old = st == ORR_ECANCELLED ? orr__former_of(node) : NULL;
        orr__former f = { node, old ? orr__node_ref(old) : NULL };
        if (st == ORR_ECANCELLED)
            orr__pending_forget(node);
        orr__formers_revert(&f, old != NULL);
        orr__node_unref(f.old);
        orr__node_unref(node);
    }
    orr__stop_ends(outer);
    (void)orr__fail_text(ORR_ECANCELLED, text);
}

/* After a failure: evaluates each pending assignment separately, so that a wrong one affects only its own variable. If memory was
 * refused, or the evaluation cancelled, all stay pending for the next evaluation. Ranks may have different errors, or other assignments
 * pending: after all but a cancellation, values that they compute in common are pending no more, and are computed when they are needed.
 * Keeps the last error. */
static void settle_pending(orr__site at, orr_status st, orr__node **pending, int n, orr__node *const *stay, int nstay)
{
    ORR__IN_DEFAULT_FPMODE;
    char text[1024];
    int all = n;
    if (st == ORR_ECANCELLED)
        forget_undone(pending, n);
    else if (orr__ranks() > 1 && nstay == 0 && (n = alone(pending, n)) < all)
        orr__pending_clear_but(pending, n);
    if (!n || st == ORR_ENOMEM || st == ORR_ECANCELLED || st == ORR_ESTATE)
        return;
    snprintf(text, sizeof text, "%s", orr_error_message());
    for (int i = 0; i < n; i++) {
        orr__node *todo[1];
        int count = 0;
        (void)select_nodes(&pending[i], 1, todo, &count, IGNORED);
        if (!count)
            continue;
        (void)evaluate(at, &ORR__ROOTS(todo, 1, 1), NULL, NULL);
        orr__node_unref(todo[0]);
    }
    orr__pending_clear_but(stay, nstay);
    (void)orr__fail_text(st, text);
}

/* Traces the evaluation as a span of the user's line, and the memory after it. */
static void trace(orr__site at, double t0)
{
    double now = orr__now();
    orr__pool_stats m = orr__pool_get_stats();
    size_t held = orr__engine_held();
    orr__trace_span("call", at.op, (orr__trace_at){ at.file, at.line, ORR__TRACE_SELF, t0, now }, NULL, 0);
    orr__trace_count("memory in use", now, (double)(m.live > held ? m.live - held : 0));
    orr__trace_count("memory pooled", now, (double)(m.pooled + held));
    if (m.spills)
        orr__trace_count("memory spilled", now, (double)m.spilled);
    for (int i = ORR_MEMORY_POOL + 1; i < ORR_MEMORY_OWNERS; i++)
        if (orr__held((orr_memory_owner)i))
            orr__trace_count(orr_memory_owner_name((orr_memory_owner)i), now, (double)orr__held((orr_memory_owner)i));
}

/* Bytes of the values in memory. */
static size_t live_now(void)
{
    size_t live = orr__pool_get_stats().live, held = orr__engine_held();
    return live > held ? live - held : 0;
}

/* The moment at which an evaluation began, and the seconds of kernels and of notes before it. */
typedef struct {
    double t0, kernels, ideal, notes;
    size_t live;
} beginning;

static beginning begin_notes(void)
{
    beginning b = { .t0 = orr__now(), .live = live_now(), .notes = orr__notes_took(0, false) };
    orr__notes_kernels(&b.kernels, &b.ideal);
    return b;
}

static void note(orr__site at, const beginning *b)
{
    beginning now = begin_notes();
    orr__notes_add(&(orr__note){ .kind = ORR__NOTE_CALL,
                                 .file = at.file,
                                 .line = at.line,
                                 .n = 1,
                                 .seconds = now.t0 - b->t0 - (now.notes - b->notes),
                                 .content = 1 + now.live,
                                 .flops = (double)now.live - (double)b->live,
                                 .a = now.kernels - b->kernels,
                                 .b = now.ideal - b->ideal });
}

/* -- evaluations of events that compute new values of variables ------------------------------------------------ */

/* A stop ends an evaluation that waits before anything is published, and its assignments stay pending. Without a wait, new values of
 * variables are published at once; if the evaluation is stopped or fails, the variables have their old values again. So old values that such
 * an evaluation needs are not overwritten. An old value may be that of an evaluation under way: if that is stopped, too, its end gives the
 * variable the value before. */
static void end_of_event(void *argument, orr_status st)
{
    orr__undo *u = argument;
    (st == ORR_OK ? orr__undo_free : orr__undo_failed)(u);
}

/* Old values that no evaluation has asked for yet, as those of a variable's first assignment: computed in any case. So are new values of which
 * the old ones are gone, after an evaluation without an event that has failed. */
static orr_status evaluate_old(orr__site at, const orr__undo *u, orr__node *const *pending, int npending)
{
    orr__node **old = orr__alloc_n((size_t)u->n + (size_t)npending + 1, sizeof(orr__node *));
    orr__run *run = NULL;
    int n = 0;
    for (int i = 0; old && i < u->n; i++)
        if (!orr__node_value(u->former[i].old))
            old[n++] = u->former[i].old;
    for (int i = 0; old && i < npending; i++)
        if (!orr__former_of(pending[i]))
            old[n++] = pending[i];
    orr__stop *outer = orr__stop_begins(NULL);
    orr_status st = !old ? ORR_ENOMEM : n ? evaluate(at, &ORR__ROOTS(old, n, n), NULL, &run) : ORR_OK;
    orr__stop_ends(outer);
    orr__run_unref(run);
    free(old);
    return st;
}

static orr_status evaluate_for_event(orr__site at, orr__node *const *todo, int count, int first, orr__run **run)
{
    orr__undo *u = orr__undo_new(todo + first, count - first);
    if (!u)
        return ORR_ENOMEM;
    orr_status st = evaluate_old(at, u, todo + first, count - first);
    uint32_t met = times_met();
    if (st == ORR_OK)
        st = evaluate(at, &ORR__ROOTS(todo, count, count), NULL, run);
    if (st == ORR_OK && *run) {
        u->of = *run;
        orr__run_then(*run, end_of_event, u);
        return ORR_OK;
    }
    if (st != ORR_OK && times_met() - met > 1) /* other ranks may have begun a run, whose end undoes it */
        orr__formers_revert(u->former, u->n);
    orr__undo_free(u);
    return st;
}

/* Several ranks and requested nodes that a rank computes alone: the pending assignments that the ranks compute in common stay pending until all
 * ranks evaluate, since another rank may request nothing now. Moves them to stay, in their order. */
static orr_status leave_common(orr__site at, orr__node *const *nodes, int n, orr__node **pending, int *npending,
                               orr__node **stay, int *nstay)
{
    orr__capture p;
    bool any = false;
    int left = 0;
    *nstay = 0;
    for (int i = 0; i < n && !any; i++)
        any = nodes[i]->placed != 0;
    orr_status st = any ? ORR_OK : orr__capture_make_light(at, &ORR__ROOTS(nodes, n, n), &p);
    if (any || st != ORR_OK)
        return st;
    any = orr__partition_needed(&p);
    orr__capture_free(&p);
    if (any || (st = orr__capture_make(at, pending, *npending, &p)) != ORR_OK)
        return st;
    bool *common = orr__alloc_n((size_t)p.n + 1, sizeof *common);
    if (common)
        orr__common_find(&p, common);
    for (int i = 0; i < *npending && common; i++)
        if (common[p.out[i]])
            stay[(*nstay)++] = pending[i];
        else
            pending[left++] = pending[i];
    *npending = common ? left : *npending;
    free(common);
    orr__capture_free(&p);
    return common ? ORR_OK : ORR_ENOMEM;
}

static int earlier(const void *a, const void *b)
{
    orr__node *const *x = a, *const *y = b;
    return ((*x)->born > (*y)->born) - ((*x)->born < (*y)->born);
}

/* stay: nodes of pending assignments that stay pending. Over ranks, new values are outputs in the order of the assignments: a rank that has
 * evaluated some before has them in another order among the pending ones. */
static orr_status eval_with(orr__site at, orr__node *const *nodes, int n, orr__node **pending, int npending,
                            orr__node *const *stay, int nstay, orr__run **run)
{
    orr__node *few[32];
    int count = 0;
    orr_status st = ORR_OK;
    orr__node **todo = orr__array_begin(few, sizeof few, (size_t)n + (size_t)npending, sizeof *todo);
    if (!todo) {
        st = tell_others(at, ORR_ENOMEM, times_met(), nodes, n, pending, npending);
        settle_pending(at, st, pending, npending, stay, nstay);
        return st;
    }
    bool tracing = orr__tracing();
    bool noting = orr__noting();
    uint32_t met = times_met();
    beginning begun = noting ? begin_notes() : (beginning){ .t0 = tracing ? orr__now() : 0 };
    /* Whether a failure is known already depends on time, which each rank has of its own: an event reports it. */
    written others = !run ? AWAITED : orr__ranks() > 1 ? IGNORED : REPORTED;
    st = select_nodes(nodes, n, todo, &count, others);
    int first = count; /* the caller waits for these, not for new values of variables; an event waits for all */
    if (st == ORR_OK)
        st = select_nodes(pending, npending, todo, &count, IGNORED);
    if (orr__ranks() > 1)
        qsort(todo + first, (size_t)(count - first), sizeof(orr__node *), earlier);
    if (st == ORR_OK && count) {
        ORR__IN_DEFAULT_FPMODE;
        int nfirst = first && !run ? first : count;
        bool in_place = count > first && orr__machine_here.one_memory && !orr__stop_mine;
        bool final = !run && !nstay && !orr__stop_mine; /* a stopped one leaves them pending */
        if (final && !(orr__ranks() > 1 && orr__distributions_exist())) {
            orr__pending_final();
            final = false;
        }
        orr__capture_roots roots = ORR__ROOTS(todo, count, nfirst);
        roots.final = final;
        st = run && count > first ? evaluate_for_event(at, todo, count, first, run)
             : in_place           ? evaluate_in_place(at, todo, count, nfirst, final, run)
                                  : evaluate(at, &roots, NULL, run);
    }
    if (st == ORR_OK) {
        orr__pending_clear_but(stay, nstay);
    } else {
        st = tell_others(at, st, met, nodes, n, pending, npending);
        settle_pending(at, st, pending, npending, stay, nstay);
    }
    for (int i = 0; i < count; i++)
        orr__node_unref(todo[i]);
    orr__array_end(todo, few);
    if (tracing && count)
        trace(at, begun.t0);
    if (noting && count)
        note(at, &begun);
    return st;
}

/* Failed assignments: those of all ranks have been reported by the calls that made them. If one has failed on some ranks only, the others hear
 * of it now. */
static orr_status tell_failed(orr__site at, orr__node *const *nodes, int n, orr__node **pending, int *npending)
{
    const orr__poison_info *failed = NULL;
    int left = 0;
    for (int i = 0; i < *npending && !failed; i++)
        failed = pending[i]->poison;
    if (!failed || !is_together(nodes, n, pending, *npending))
        return ORR_OK;
    orr_status st = orr__over_ranks_absent(at, orr__fail_text(failed->status, failed->text), true);
    for (int i = 0; i < *npending && st == ORR_OK; i++)
        if (!pending[i]->poison)
            pending[left++] = pending[i];
    *npending = st == ORR_OK ? left : *npending;
    return st;
}

static orr_status eval_apart(orr__site at, orr__node *const *nodes, int n, orr__node **pending, int npending,
                             orr__run **run)
{
    orr__node *few[32], **stay = few;
    int nstay = 0;
    bool over_ranks = npending > 0 && orr__ranks() > 1 && orr__distributions_exist();
    uint32_t met = times_met();
    orr_status st = over_ranks ? tell_failed(at, nodes, n, pending, &npending) : ORR_OK;
    if (st == ORR_OK && n > 0 && npending > 0 && over_ranks) {
        stay = orr__array_begin(few, sizeof few, (size_t)npending, sizeof *stay);
        st = stay ? leave_common(at, nodes, n, pending, &npending, stay, &nstay) : ORR_ENOMEM;
    }
    if (st == ORR_OK) {
        st = eval_with(at, nodes, n, pending, npending, stay, nstay, run);
    } else {
        st = tell_others(at, st, met, nodes, n, pending, npending);
        settle_pending(at, st, pending, npending, NULL, 0);
    }
    orr__array_end(stay, few);
    return st;
}

/* True if all nodes have values that are completely written. */
static bool settled(orr__node *const *nodes, int n)
{
    bool all = true;
    for (int i = 0; i < n && all; i++) {
        const orr__buffer *b = orr__node_value(nodes[i]);
        all = b && !b->run;
    }
    return all;
}

/* True if nothing but the value is asked of an evaluation: no trace, no check, no other rank. */
static bool is_plain(void)
{
    return !orr__tracing() && !orr__noting() && !orr__check_wanted() && !orr__dump_wanted() &&
           !orr__distributions_exist();
}

/* The usual case: one value, and no new values of variables beside it. */
static orr_status eval_one(orr__site at, orr__node *node)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__capture_roots roots = ORR__ROOTS(&node, 1, 1);
    (void)orr__node_ref(node);
    orr_status st = evaluate_unchecked(at, &roots, NULL, false, NULL, NULL);
    orr__node_unref(node);
    if (st == ORR_OK)
        orr__pending_clear();
    return st;
}

orr_status orr__eval_nodes(orr__site at, orr__node *const *nodes, int n, orr__run **run)
{
    orr__node **pending;
    int npending = orr__pending(&pending);
    if (run)
        *run = NULL;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK)
        return st;
    if (npending < 0)
        return tell_others(at, ORR_ENOMEM, times_met(), nodes, n, NULL, npending);
    if (npending == 0 && settled(nodes, n))
        orr__pending_clear(); /* assignments of poison */
    else if (npending == 0 && n == 1 && !run && !orr__node_value(nodes[0]) && is_plain())
        st = eval_one(at, nodes[0]);
    else
        st = eval_apart(at, nodes, n, pending, npending, run);
    /* A caller that names no nodes waits for all new values of variables, those of piles included. */
    return st == ORR_OK && n == 0 && !run ? orr__piles_wait() : st;
}

orr_status orr__tensor_nodes(orr__site at, orr_tensor *const *t, int n, const char *noun, orr__node **node)
{
    for (int i = 0; i < n; i++) {
        orr_tensor *bad;
        const orr_tensor *c = t[i];
        char name[32];
        node[i] = c ? orr__handle_node(c) : NULL;
        if (node[i] && !node[i]->poison)
            continue;
        if (noun)
            snprintf(name, sizeof name, "%s %d", noun, i);
        if (orr__operands(at, 1, &c, (const char *const[]){ noun ? name : "the tensor" }, &node[i], &bad))
            continue;
        const orr__node *p = orr__handle_node(bad);
        orr_status st = p && p->poison ? orr__fail_text(p->poison->status, p->poison->text) : ORR_EHANDLE;
        (void)orr_free_at(NULL, 0, bad);
        return st;
    }
    return ORR_OK;
}

/* A call fails with status st before it evaluates the nodes. */
static orr_status refuse(orr__site at, orr_status st, orr__node *const *node, int n)
{
    orr__node **pending;
    uint32_t met = times_met();
    if (orr__ranks() == 1)
        return st;
    int npending = orr__pending(&pending);
    st = tell_others(at, st, met, node, n, pending, npending);
    if (times_met() != met)
        orr__pending_clear_but(pending, npending < 0 ? 0 : alone(pending, npending));
    return st;
}

orr_status orr__nodes_to_eval(orr__site at, orr_tensor *const *t, int n, const char *noun, orr__node **node)
{
    orr_status st = orr__tensor_nodes(at, t, n, noun, node);
    if (st == ORR_OK)
        return ORR_OK;
    for (int i = 0; i < n; i++)
        node[i] = t[i] ? orr__handle_node(t[i]) : NULL;
    return refuse(at, st, node, n);
}

orr_status orr__not_read(orr__site at, orr_status st, orr_tensor *t)
{
    orr__node *n = t ? orr__handle_node(t) : NULL;
    if (n && orr__node_is_common(n)) /* the ranks gather a value that exists */
        n = NULL;
    return refuse(at, st, &n, 1);
}

/* A call fails by itself before it evaluates n tensors. The one that the ranks are the likeliest to evaluate together stands for all. */
static orr_status not_evaluated(orr__site at, orr_status st, orr_tensor *const *t, int n)
{
    orr__node *node = NULL;
    int most = -1;
    for (int i = 0; i < n && t; i++) {
        orr__node *one = t[i] ? orr__handle_node(t[i]) : NULL;
        int weight = !one ? 3 : !orr__node_is_common(one) ? 0 : orr__node_value(one) ? 1 : 2;
        node = weight > most ? one : node;
        most = weight > most ? weight : most;
    }
    return refuse(at, st, &node, n != 0);
}

/* event NULL: waits. */
static orr_status eval_tensors(orr__site at, orr_tensor *const *t, int n, orr_event *event)
{
    orr__node *few[16];
    orr__run *run = NULL;
    orr__calls_over();
    if (n < 0 || (n > 0 && !t))
        return not_evaluated(
            at, orr__fail(at, ORR_EINVAL, n < 0 ? "the number of tensors is negative" : "the list of tensors is NULL"),
            t, n);
    orr__node **node = orr__array_begin(few, sizeof few, (size_t)n, sizeof *node);
    if (!node)
        return orr__fail_place(at, not_evaluated(at, ORR_ENOMEM, t, n));
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__nodes_to_eval(at, t, n, n > 1 ? "tensor" : NULL, node);
    if (st == ORR_OK)
        st = orr__eval_nodes(at, node, n, event ? &run : NULL);
    if (event)
        orr__event_adopt(event, run);
    for (int i = 0; i < n && event && st == ORR_OK; i++)
        st = orr__event_awaits(event, orr__node_value(node[i]));
    orr__array_end(node, few);
    orr__calls_over();
    return orr__fail_place(at, st);
}

orr_status orr_eval_at(const char *file, int line, orr_tensor *t)
{
    return eval_tensors(ORR__SITE(file, line, "eval"), &t, 1, NULL);
}

/* The node is borrowed: the handle, which nobody ends meanwhile, has the reference. */
static bool eval_briefly(orr__site at, orr__node *node)
{
    orr__capture p;
    orr__buffer *out;
    orr__capture_roots roots = ORR__ROOTS(&node, 1, 1);
    bool done = false;
    roots.at_once = true;
    if (orr__capture_make_light(at, &roots, &p) == ORR_OK) {
        orr__plan *plan = orr__plan_known(&p, orr__engine_left());
        done = plan && orr__engine_briefly(at, plan, p.leaf, p.scalar, &out);
        if (done)
            publish(&roots, false, &p, &out);
        if (plan)
            orr__plan_done(plan);
        orr__capture_free(&p);
    }
    return done;
}

bool orr_eval_brief_at(const char *file, int line, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "eval");
    orr__calls_over();
    orr__node *n = t ? orr__handle_node(t) : NULL, **pending;
    bool able = n && !n->poison && orr__pending(&pending) == 0 && is_plain() && !(orr__env.print & ORR__PRINT_GRAPH) &&
                orr__engine_running();
    bool done = able && (orr__node_value(n) ? settled(&n, 1) : eval_briefly(at, n));
    if (done)
        orr__pending_clear();
    orr__calls_over();
    return done;
}

orr_status orr_eval_all_at(const char *file, int line, orr_tensor *const *t, int n)
{
    return eval_tensors(ORR__SITE(file, line, "eval_all"), t, n, NULL);
}

orr_status orr_eval_for_at(const char *file, int line, orr_tensor *t, double seconds)
{
    orr__site at = ORR__SITE(file, line, "eval_for");
    orr__stop *limit;
    orr_status st = orr__limit_new(at, seconds, &limit);
    if (st != ORR_OK)
        return not_evaluated(at, st, &t, 1);
    orr__stop *outer = orr__stop_begins(limit);
    st = eval_tensors(at, &t, 1, NULL);
    orr__stop_ends(outer);
    orr__stop_unref(limit);
    return st;
}

orr_status orr_eval_async_at(const char *file, int line, orr_tensor *const *t, int n, orr_event **event)
{
    orr__site at = ORR__SITE(file, line, "eval_async");
    if (!event)
        return not_evaluated(at, orr__fail(at, ORR_EINVAL, "event is NULL"), t, n);
    *event = NULL;
    orr_event *e = orr__event_new(at, HUGE_VAL);
    if (!e)
        return orr__fail_place(at, not_evaluated(at, ORR_ENOMEM, t, n));
    orr__stop *outer = orr__event_enter(e);
    orr_status st = eval_tensors(at, t, n, e);
    orr__stop_ends(outer);
    orr__run *pile[ORR__PILES] = { NULL }; /* piles that the thread has submitted before */
    if (st == ORR_OK)
        orr__piles_under_way(pile);
    for (int i = 0; i < ORR__PILES; i++) {
        st = st == ORR_OK ? orr__event_awaits_run(e, pile[i]) : st;
        orr__run_unref(pile[i]);
    }
    if (st == ORR_OK)
        *event = e;
    else
        orr__event_drop(e);
    return st;
}

/* Gathers the value of a node from all ranks, of which this rank has a part. */
static orr_status gathered(orr__site at, orr__node *node, orr__buffer **buf)
{
    orr__node *whole = orr__rec_distribute(at, orr__node_ref(node), 0);
    if (!whole)
        return tell_others(at, ORR_ENOMEM, times_met(), &whole, 1, NULL, 0);
    orr_status st = orr__eval_nodes(at, &whole, 1, NULL);
    if (st == ORR_OK)
        st = orr__node_value_ref(at, whole, buf);
    orr__node_unref(whole);
    return st;
}

/* One reference to the tensor's buffer, evaluated, perhaps still being written. placed, if not NULL, receives the number of the
 * distribution, and the buffer is this rank's part; otherwise it is the whole. */
static orr_status buffer_of(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what, int *placed)
{
    orr__node *node;
    orr_status st = orr__nodes_to_eval(at, &t, 1, NULL, &node);
    if (st == ORR_OK)
        st = orr__need_running(at);
    if (st == ORR_OK && !orr__node_value(node))
        st = orr__eval_nodes(at, &node, 1, NULL);
    if (st == ORR_OK)
        st = node->placed && !placed ? gathered(at, node, buf) : orr__node_value_ref(at, node, buf);
    if (st == ORR_OK && what)
        *what = (orr__content){ (orr_dtype)node->dtype, node->shape };
    if (st == ORR_OK && placed)
        *placed = node->placed;
    return st;
}

static orr_status finished(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what, int *placed)
{
    orr__calls_over();
    orr_status st = buffer_of(at, t, buf, what, placed);
    orr__calls_over();
    if (st != ORR_OK)
        return orr__fail_place(at, st);
    st = orr__run_wait_within((*buf)->run);
    if (st == ORR_OK)
        st = orr__mapped_whole(at, buf, 1);
    if (st == ORR_OK)
        st = orr__buffer_sync(*buf);
    if (st != ORR_OK) {
        orr__buffer_unref(*buf);
        *buf = NULL;
    }
    return orr__fail_place(at, st);
}

orr_status orr__content_of(orr__site at, orr_tensor *t, orr__content *what)
{
    orr__node *node;
    orr_status st = orr__nodes_to_eval(at, &t, 1, NULL, &node);
    if (st == ORR_OK)
        *what = (orr__content){ (orr_dtype)node->dtype, node->shape };
    return st;
}

orr_status orr__value_of(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what)
{
    return finished(at, t, buf, what, NULL);
}

orr_status orr__part_of(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what, int *placed)
{
    return finished(at, t, buf, what, placed);
}

bool orr__over_ranks(orr_tensor *const *t, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        const orr__node *node = t[i] ? orr__handle_node(t[i]) : NULL;
        any = any || (node && node->placed);
    }
    return any && orr__ranks() > 1;
}
