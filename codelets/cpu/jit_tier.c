/* Tier 1 of a CPU kernel: when it is requested, and a launch through it.
 * Must not know: how anything is compiled or interpreted. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product_map.h"
#include "codelets/nest/cloop.h"
#include "codelets/emit/emit.h"
#include "codelets/jit/jit.h"
#include "codelets/variants.h"
#include "runtime/base/ablation.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/notes.h"

/* The kinds of choices between compiled forms: of the faster tier, of the fastest nest. */
static const uint64_t of_tiers = 0x7135, of_nests = 0x7136;

static char *make_text(const void *region)
{
    return orr__emit_c(region);
}

static void drop_region(void *of)
{
    orr__region *r = of;
    orr__region_free(r);
    free(r);
}

/* The text takes longer than many launches, so the thread that compiles makes it. If an equal text may be in memory, it is worth that. */
static void ask(const orr__tier1 *c, const orr__region *r)
{
    bool at_once = (orr__env.jit == ORR__JIT_WAIT && !c->nest) || orr__jit_seen(c->jit);
    orr__region by = *r, *copy = at_once ? NULL : orr__region_copy(r);
    by.nest = c->nest;
    if (copy) {
        copy->nest = c->nest;
        orr__jit_ask_later(c->jit, (orr__jit_source){ make_text, drop_region, copy });
    } else {
        orr__jit_ask(c->jit, orr__emit_c(&by));
    }
}

/* The compiled function; NULL: not yet, or never. */
static orr__jit_fn *compiled(const orr__tier1 *c, const orr__launch *l)
{
    orr__jit *j = c->jit;
    orr__jit_fn *fn = atomic_load_explicit(&j->fn, memory_order_acquire);
    if (fn)
        return fn;
    if (orr__jit_hot(j))
        ask(c, l->region);
    if (orr__env.jit == ORR__JIT_WAIT) {
        double t0 = orr__now();
        orr__jit_wait(j); /* even if another thread has asked */
        if (orr__noting())
            orr__notes_wait(orr__now() - t0);
    }
    return atomic_load_explicit(&j->fn, memory_order_acquire);
}

/* -- nests that are near ------------------------------------------------------------------------------------- */

/* Finds the functions of the best nest, or, if it is not known, of all. One that is missing is requested: the best one at once, others when
 * they may repay the compiler. */
static bool have_others(const orr__kernel *k, const orr__launch *l, int best, orr__jit_fn *fn[ORR__NEST_OFFERS])
{
    bool all = true;
    for (int i = 1; i < k->ncompiled; i++) {
        const orr__tier1 *c = &k->compiled[i];
        if (best >= 0 && i != best)
            continue;
        fn[i] = atomic_load_explicit(&c->jit->fn, memory_order_acquire);
        if (!fn[i] && (i == best ? orr__jit_open(c->jit) : orr__jit_repays(c->jit)))
            ask(c, l->region);
        all = all && fn[i];
    }
    return all;
}

/* A launch by the first nest, whose time may show that others are to be compiled. */
static bool launch_first(const orr__kernel *k, orr__jit_fn *fn, const orr__launch *l, bool open)
{
    uint32_t stands_for = 0;
    for (int i = 1; i < k->ncompiled && open && !stands_for; i++)
        stands_for = orr__cpu_tier_counts(&k->compiled[i]);
    double t0 = stands_for ? orr__cpu_time() : 0;
    bool done = orr__tier1_launch(&k->compiled[0], fn, l);
    double spent = stands_for ? stands_for * (orr__cpu_time() - t0) : 0;
    for (int i = 1; i < k->ncompiled && stands_for; i++)
        atomic_fetch_add_explicit(&k->compiled[i].jit->ns, (uint64_t)(spent * 1e9), memory_order_relaxed);
    return done;
}

/* The choice holds for rows of one length, on which the costs depend, and for these nests in this order. */
orr__variants *orr__cpu_nests(const orr__kernel *k, const orr__launch *l)
{
    uint64_t of = of_nests;
    for (int i = 0; i < k->ncompiled; i++)
        of = of * ORR__NEST_OFFERS + (uint64_t)k->compiled[i].nest;
    return orr__tier1_ways(&k->compiled[0], l, of ^ (uint64_t)l->region->dim[l->region->rank - 1] << 32, 0,
                           k->ncompiled);
}

/* Nests whose costs are near each other: measurements decide. The bits are the same. */
static bool launch_raced(orr__kernel *k, orr__jit_fn *first, const orr__launch *l)
{
    orr__jit_fn *fn[ORR__NEST_OFFERS] = { first };
    orr__variants *v = orr__cpu_nests(k, l);
    int best = orr__variants_settled(v);
    if (best == 0 || !have_others(k, l, best, fn))
        return launch_first(k, first, l, best < 0);
    orr__launch part = *l, rest = *l;
    for (bool more = true; more; part = rest) {
        orr__pick t = orr__tier1_turn(v, &part, &rest, &more);
        bool done = fn[t.way] && orr__tier1_launch(&k->compiled[t.way], fn[t.way], &part);
        orr__variants_end(&t, done ? (double)(part.hi - part.lo) : 0);
        if (!t.timed)
            atomic_store_explicit(&k->nest, t.way, memory_order_relaxed);
        if (!done)
            return false;
    }
    return true;
}

static bool launch_compiled(orr__kernel *k, orr__jit_fn *fn, const orr__launch *l)
{
    return k->ncompiled == 1 ? orr__tier1_launch(&k->compiled[0], fn, l) : launch_raced(k, fn, l);
}

/* -- the tiers ------------------------------------------------------------------------------------------------ */

/* The interpreter converts all f16 by the processor's instructions; compiled code converts only contiguous elements so.
 * The faster tier is found by measurement. The bits are the same. *l: the rows that remain for a call of the interpreter; the next rows, if
 * any, are in *rest. */
static bool launch_either(orr__kernel *k, orr__jit_fn *fn, orr__launch *l, orr__launch *rest, orr__pick *turn)
{
    enum { COMPILED, INTERPRETED, TIERS };
    orr__variants *v = orr__tier1_ways(&k->compiled[0], l, of_tiers, 0, TIERS);
    for (bool more = true; more; *l = *rest) {
        *turn = orr__tier1_turn(v, l, rest, &more);
        if (!turn->timed)
            atomic_store_explicit(&k->interpreted, turn->way == INTERPRETED, memory_order_relaxed);
        if (turn->way == INTERPRETED)
            return false;
        bool done = launch_compiled(k, fn, l);
        orr__variants_end(turn, done ? (double)(l->hi - l->lo) : 0);
        if (!done) {
            *turn = (orr__pick){ .v = NULL };
            return false;
        }
    }
    return true;
}

static bool computes_f16(const orr__region *r)
{
    bool any = false;
    for (int i = 0; i < r->ninstr; i++)
        any = any || r->instr[i].dtype == ORR_F16;
    return any;
}

/* Measurements may decide between nests: bits are equal, times are not. */
static bool may_race(void)
{
    return orr__env.machine != ORR__MACHINE_FIXED && !orr__env.deterministic && !orr__ablated(ORR__OFF_VARIANTS);
}

orr_status orr__cpu_tier_prepare(orr__kernel *k, const orr__region *r)
{
    int nest[ORR__NEST_OFFERS], n;
    if (orr__env.jit == ORR__JIT_OFF || !orr__emit_c_can(r))
        return ORR_OK;
    orr_status st = orr__tier1_prepare(&k->compiled[0], r, r->nest);
    if (st != ORR_OK || !k->compiled[0].jit)
        return st;
    k->ncompiled = 1;
    k->halves = computes_f16(r);
    if (orr__env.print & ORR__PRINT_KERNELS)
        orr__emit_c_print(stderr, r);
    orr__jit_look(k->compiled[0].jit);
    n = may_race() && !r->nest ? orr__cloop_near(r, nest) : 1;
    for (int i = 1; i < n && st == ORR_OK; i++) {
        st = orr__tier1_prepare(&k->compiled[k->ncompiled], r, nest[i] + 1);
        k->ncompiled += k->compiled[k->ncompiled].jit != NULL;
    }
    return st;
}

bool orr__cpu_tier_launch(orr__kernel *k, const orr__launch *l)
{
    orr__jit_fn *fn = compiled(&k->compiled[0], l);
    return fn && l->lo < l->hi && launch_compiled(k, fn, l);
}

bool orr__cpu_tier_parts(orr__kernel *k, orr__launch *l, orr__launch *rest, orr__pick *turn)
{
    orr__jit_fn *fn = compiled(&k->compiled[0], l);
    return fn && l->lo < l->hi && launch_either(k, fn, l, rest, turn);
}

/* A time counts for 1 ms at most: a thread that was descheduled does not make a kernel look hot, and kernels that run
 * once or twice are not compiled. */
void orr__cpu_tier_spent(const orr__tier1 *c, double seconds)
{
    seconds = seconds < 1e-3 ? seconds : 1e-3;
    atomic_fetch_add_explicit(&c->jit->ns, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

uint32_t orr__cpu_tier_counts(const orr__tier1 *c)
{
    orr__jit *j = c->jit;
    int state = atomic_load_explicit(&j->state, memory_order_relaxed);
    if (state != ORR__JIT_COLD && state != ORR__JIT_ASKED)
        return 0;
    uint64_t n = atomic_load_explicit(&j->launches, memory_order_relaxed);
    atomic_store_explicit(&j->launches, n + 1, memory_order_relaxed);
    return orr__time_stands_for(n, atomic_load_explicit(&j->ns, memory_order_relaxed));
}

const char *orr__cpu_tier(const orr__kernel *k)
{
    const orr__jit *j = k->compiled[0].jit;
    if (!j)
        return "tier 0";
    switch (atomic_load(&j->state)) {
    case ORR__JIT_READY:
        return atomic_load_explicit(&k->interpreted, memory_order_relaxed) ? "tier 0, faster here than compiled"
                                                                           : "tier 1, compiled";
    case ORR__JIT_ASKED:
        return atomic_load(&j->looks) == ORR__JIT_LOOKS ? "tier 0, not compiled yet" : "tier 0, being compiled";
    case ORR__JIT_NEVER: return "tier 0, could not be compiled";
    default: return "tier 0, not compiled yet";
    }
}

bool orr__cpu_settled(const orr__kernel *k)
{
    const orr__region *r;
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (!k->ncompiled || orr__env.jit == ORR__JIT_OFF)
        return true;
    int state = atomic_load_explicit(&k->compiled[0].jit->state, memory_order_relaxed);
    return state == ORR__JIT_READY || state == ORR__JIT_NEVER;
}

void orr__cpu_tier_release(orr__kernel *k)
{
    for (int i = 0; i < ORR__NEST_OFFERS; i++)
        orr__tier1_release(&k->compiled[i]);
}

void orr__cpu_compile(orr__kernel *k, const orr__region *r)
{
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (k->epilogue)
        orr__cpu_compile(k->epilogue, r->epilogue);
    if (k->ncompiled && orr__jit_wants(k->compiled[0].jit))
        ask(&k->compiled[0], r);
}

void orr__cpu_compiled(orr__kernel *k)
{
    const orr__region *r;
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (k->epilogue)
        orr__cpu_compiled(k->epilogue);
    if (k->ncompiled)
        orr__jit_wait(k->compiled[0].jit);
}

void orr__cpu_start(void)
{
    orr__jit_start();
}

void orr__cpu_stop(void)
{
    orr__jit_stop();
}

void orr__cpu_pause(bool begins)
{
    orr__jit_pause(begins);
}

int orr__cpu_nest(const orr__kernel *k)
{
    return k->compiled[atomic_load_explicit(&k->nest, memory_order_relaxed)].nest;
}
