/* Tier 1 of a CPU kernel: when it is requested, and a launch through it.
 * Must not know: how anything is compiled or interpreted. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product_map.h"
#include "codelets/nest/cloop.h"
#include "codelets/emit/emit.h"
#include "codelets/jit/jit.h"
#include "codelets/variants.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/notes.h"

/* WORDS, INPUTS: of a launch, on the stack. TWICE: the power of 2 of the prefetch distance. */
enum { WORDS = 256, INPUTS = 64, TWICE = 1 };

/* The variants of a kernel at the size of a launch. Times of an older text do not apply to this one. */
static orr__variants *ways_of(const orr__kernel *k, const orr__launch *l, uint64_t of, int64_t apart, int n)
{
    const orr__region *r = l->region;
    const char *isa = orr__cpu_vec()->isa;
    int64_t points = 1;
    for (int d = 0; d < r->rank; d++)
        points *= r->dim[d];
    return orr__variants_of(orr__hash(isa, strlen(isa), orr__jit_text(k->jit) ^ of),
                            orr__octave(points) * ORR__CLOOP_REACHES + (uint32_t)apart, n);
}

/* The rows of a launch that a trial does: few if they can be cut off, so that a slow way costs little. */
static int64_t rows_of_trial(const orr__launch *l)
{
    enum { PARTS = 8 };
    const orr__region *r = l->region;
    int64_t rows = l->hi - l->lo;
    bool cuts = !r->call.op && r->loops != ORR__LOOPS_PRODUCT && !(orr__region_rows(r) && r->rank == 1) &&
                !(r->rmask & 1u) && rows >= 2 * PARTS;
    return cuts ? rows / PARTS : rows;
}

/* Divides a launch: its first rows are for a trial. False: all are. */
static bool cut_off(orr__launch *first, orr__launch *rest, const orr__pick *t)
{
    int64_t rows = t->trial ? rows_of_trial(first) : first->hi - first->lo;
    *rest = *first;
    first->hi = rest->lo = first->lo + rows;
    return rest->lo < rest->hi;
}

static bool is_whole(const orr__launch *l)
{
    return l->lo == 0 && l->hi == l->region->dim[0];
}

/* True if the kept words are those of the launch. */
static bool keeps_words(const orr__kernel *k, const orr__launch *l)
{
    return k->word && is_whole(l);
}

static void fill_words(const orr__kernel *k, const orr__launch *l, int64_t *word)
{
    if (!keeps_words(k, l)) {
        orr__emit_c_args(l, false, word);
        return;
    }
    memcpy(word, k->word, (size_t)k->nword * sizeof *word);
    (void)orr__emit_scalar_words(l, true, word + k->nword);
}

/* Calls the function. False: tier 0 must do the launch. */
static bool call(const orr__kernel *k, orr__jit_fn *fn, const orr__launch *l, const int64_t *word)
{
    const int rc = fn(l->in, l->out, word);
    if (rc & 1)
        return false;
    if (l->seen && k->watches && l->seen->region == l->region) {
        l->seen->elements += l->region->out_count / l->region->dim[0] * (l->hi - l->lo);
        l->seen->odd |= (unsigned)rc >> 1;
    }
    return true;
}

/* Launches of data that caches do not hold: measurements decide whether to store past the caches, whether to prefetch,
 * and how far ahead. The bits are the same. */
static bool launch_far(const orr__kernel *k, orr__jit_fn *fn, const orr__launch *l, int64_t *word)
{
    const int64_t reach = word[ORR__CLOOP_REACH_AT];
    orr__variants *v = ways_of(k, l, 0, reach, (int)reach + 2);
    orr__launch first = *l, rest = *l;
    for (bool more = true; more; first = rest) {
        orr__pick t = orr__variants_begin(v, (double)rows_of_trial(&first));
        more = cut_off(&first, &rest, &t);
        if (more || first.lo > l->lo)
            fill_words(k, &first, word);
        word[ORR__CLOOP_REACH_AT] = t.way > reach ? reach : reach - t.way;
        if (t.way > reach)
            word[ORR__CLOOP_AHEAD_AT] = TWICE;
        bool done = call(k, fn, &first, word);
        orr__variants_end(&t, done ? (double)(first.hi - first.lo) : 0);
        if (!done)
            return false;
    }
    return true;
}

static bool launch_words(const orr__kernel *k, orr__jit_fn *fn, const orr__launch *l)
{
    int64_t word[WORDS];
    if (k->packs)
        return orr__cpu_packed_launch(fn, l, word);
    if (k->nscalar == 0 && keeps_words(k, l) && k->word[ORR__CLOOP_REACH_AT] == ORR__CLOOP_NEAR)
        return call(k, fn, l, k->word);
    fill_words(k, l, word);
    return word[ORR__CLOOP_REACH_AT] == ORR__CLOOP_NEAR ? call(k, fn, l, word) : launch_far(k, fn, l, word);
}

/* Passes memory for values of long rows after the inputs. */
static bool launch_compiled(const orr__kernel *k, orr__jit_fn *fn, const orr__launch *l)
{
    void *in[INPUTS];
    int nin = l->region->nin;
    if (!k->keeps)
        return launch_words(k, fn, l);
    if (nin >= INPUTS || !(in[nin] = orr__scratch_for_rows(k->keeps)))
        return false;
    memcpy(in, l->in, (size_t)nin * sizeof *in);
    orr__launch keeps = *l;
    keeps.in = in;
    return launch_words(k, fn, &keeps);
}

/* The interpreter converts all f16 by the processor's instructions; compiled code converts only contiguous elements so.
 * The faster tier is found by measurement. The bits are the same. *l: the rows that remain for a call of the interpreter; the next rows, if
 * any, are in *rest. */
static bool launch_either(orr__kernel *k, orr__jit_fn *fn, orr__launch *l, orr__launch *rest, orr__pick *turn)
{
    enum { COMPILED, INTERPRETED, TIERS };
    static const uint64_t of_tiers = 0x7135;
    orr__variants *v = ways_of(k, l, of_tiers, 0, TIERS);
    for (bool more = true; more; *l = *rest) {
        *turn = orr__variants_begin(v, (double)rows_of_trial(l));
        more = cut_off(l, rest, turn);
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

static bool keep_words(orr__kernel *k, const orr__region *r, int words)
{
    const orr__launch all = { .region = r, .hi = r->dim[0] };
    if (!(k->word = orr__alloc_n((size_t)words + 1, sizeof *k->word)))
        return false;
    k->nword = (int)(orr__emit_c_places(&all, false, k->word) - k->word);
    k->nscalar = words - k->nword;
    return true;
}

orr_status orr__cpu_tier_prepare(orr__kernel *k, const orr__region *r)
{
    k->jit = NULL;
    if (orr__env.jit == ORR__JIT_OFF || !orr__emit_c_can(r))
        return ORR_OK;
    int words = orr__emit_c_words(r);
    if (words < 0 || words > WORDS)
        return ORR_OK;
    k->packs = orr__emit_c_packs(r) > 0;
    k->keeps = orr__emit_c_keeps(r);
    k->watches = orr__emit_c_watches(r);
    k->halves = computes_f16(r);
    if (!k->packs && !keep_words(k, r, words))
        return ORR_ENOMEM;
    if (orr__env.print & ORR__PRINT_KERNELS)
        orr__emit_c_print(stderr, r);
    size_t size = 0;
    void *content = orr__emit_c_content(r, &size);
    k->jit = orr__jit_of(content, size, r->key, r->label);
    if (k->jit)
        orr__jit_look(k->jit);
    return k->jit ? ORR_OK : ORR_ENOMEM;
}

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
static void ask(orr__jit *j, const orr__region *r)
{
    bool at_once = orr__env.jit == ORR__JIT_WAIT || orr__jit_seen(j);
    orr__region *copy = at_once ? NULL : orr__region_copy(r);
    if (copy)
        orr__jit_ask_later(j, (orr__jit_source){ make_text, drop_region, copy });
    else
        orr__jit_ask(j, orr__emit_c(r));
}

/* The compiled function; NULL: not yet, or never. */
static orr__jit_fn *compiled(orr__jit *j, const orr__launch *l)
{
    orr__jit_fn *fn = atomic_load_explicit(&j->fn, memory_order_acquire);
    if (fn)
        return fn;
    if (orr__jit_hot(j))
        ask(j, l->region);
    if (orr__env.jit == ORR__JIT_WAIT) {
        double t0 = orr__now();
        orr__jit_wait(j); /* even if another thread has asked */
        if (orr__noting())
            orr__notes_wait(orr__now() - t0);
    }
    return atomic_load_explicit(&j->fn, memory_order_acquire);
}

bool orr__cpu_tier_launch(orr__kernel *k, const orr__launch *l)
{
    orr__jit_fn *fn = compiled(k->jit, l);
    return fn && l->lo < l->hi && launch_compiled(k, fn, l);
}

bool orr__cpu_tier_parts(orr__kernel *k, orr__launch *l, orr__launch *rest, orr__pick *turn)
{
    orr__jit_fn *fn = compiled(k->jit, l);
    return fn && l->lo < l->hi && launch_either(k, fn, l, rest, turn);
}

/* A time counts for 1 ms at most: a thread that was descheduled does not make a kernel look hot, and kernels that run
 * once or twice are not compiled. */
void orr__cpu_tier_spent(orr__kernel *k, double seconds)
{
    seconds = seconds < 1e-3 ? seconds : 1e-3;
    atomic_fetch_add_explicit(&k->jit->ns, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

uint32_t orr__cpu_tier_counts(const orr__kernel *k)
{
    orr__jit *j = k->jit;
    int state = atomic_load_explicit(&j->state, memory_order_relaxed);
    if (state != ORR__JIT_COLD && state != ORR__JIT_ASKED)
        return 0;
    uint64_t n = atomic_load_explicit(&j->launches, memory_order_relaxed);
    atomic_store_explicit(&j->launches, n + 1, memory_order_relaxed);
    return orr__time_stands_for(n, atomic_load_explicit(&j->ns, memory_order_relaxed));
}

const char *orr__cpu_tier(const orr__kernel *k)
{
    if (!k->jit)
        return "tier 0";
    switch (atomic_load(&k->jit->state)) {
    case ORR__JIT_READY:
        return atomic_load_explicit(&k->interpreted, memory_order_relaxed) ? "tier 0, faster here than compiled"
                                                                           : "tier 1, compiled";
    case ORR__JIT_ASKED:
        return atomic_load(&k->jit->looks) == ORR__JIT_LOOKS ? "tier 0, not compiled yet" : "tier 0, being compiled";
    case ORR__JIT_NEVER: return "tier 0, could not be compiled";
    default: return "tier 0, not compiled yet";
    }
}

bool orr__cpu_settled(const orr__kernel *k)
{
    const orr__region *r;
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (!k->jit || orr__env.jit == ORR__JIT_OFF)
        return true;
    int state = atomic_load_explicit(&k->jit->state, memory_order_relaxed);
    return state == ORR__JIT_READY || state == ORR__JIT_NEVER;
}

void orr__cpu_tier_release(orr__kernel *k)
{
    orr__jit_unref(k->jit);
    free(k->word);
}

void orr__cpu_compile(orr__kernel *k, const orr__region *r)
{
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (k->epilogue)
        orr__cpu_compile(k->epilogue, r->epilogue);
    if (k->jit && orr__jit_wants(k->jit))
        ask(k->jit, r);
}

void orr__cpu_compiled(orr__kernel *k)
{
    const orr__region *r;
    if (k->tail)
        k = orr__tail_kernel(k->tail, &r);
    if (k->epilogue)
        orr__cpu_compiled(k->epilogue);
    if (k->jit)
        orr__jit_wait(k->jit);
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
