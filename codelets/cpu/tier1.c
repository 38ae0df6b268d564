/* The compiled form of a region by one nest, and a launch through it.
 * Must not know: how anything is compiled or interpreted, when a form is requested. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/emit/emit.h"
#include "codelets/jit/jit.h"
#include "codelets/variants.h"
#include "runtime/base/hash.h"

/* WORDS, INPUTS: of a launch, on the stack. TWICE: the power of 2 of the prefetch distance. */
enum { WORDS = 256, INPUTS = 64, TWICE = 1 };

/* Times of an older text do not apply to this one. */
orr__variants *orr__tier1_ways(const orr__tier1 *c, const orr__launch *l, uint64_t of, int64_t apart, int n)
{
    const orr__region *r = l->region;
    const char *isa = orr__cpu_vec()->isa;
    int64_t points = 1;
    for (int d = 0; d < r->rank; d++)
        points *= r->dim[d];
    return orr__variants_of(orr__hash(isa, strlen(isa), orr__jit_text(c->jit) ^ of),
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

orr__pick orr__tier1_turn(orr__variants *v, orr__launch *l, orr__launch *rest, bool *more)
{
    int64_t rows = rows_of_trial(l);
    orr__pick t = orr__variants_begin(v, (double)rows);
    *rest = *l;
    if (t.trial)
        l->hi = rest->lo = l->lo + rows;
    else
        rest->lo = rest->hi;
    *more = rest->lo < rest->hi;
    return t;
}

static bool is_whole(const orr__launch *l)
{
    return l->lo == 0 && l->hi == l->region->dim[0];
}

static void fill_words(const orr__tier1 *c, const orr__launch *l, int64_t *word)
{
    if (!c->word || !is_whole(l)) {
        orr__emit_c_args(l, false, word);
        return;
    }
    memcpy(word, c->word, (size_t)c->nword * sizeof *word);
    (void)orr__emit_scalar_words(l, true, word + c->nword);
}

/* Calls the function. False: tier 0 must do the launch. */
static bool call(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l, const int64_t *word)
{
    const int rc = fn(l->in, l->out, word);
    if (rc & 1)
        return false;
    if (l->seen && c->watches) {
        l->seen->elements += l->region->out_count / l->region->dim[0] * (l->hi - l->lo);
        l->seen->odd |= (unsigned)rc >> 1;
    }
    return true;
}

/* Launches of data that caches do not hold: measurements decide whether to store past the caches, whether to prefetch,
 * and how far ahead. The bits are the same. */
static bool launch_far(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l, int64_t *word)
{
    const int64_t reach = word[ORR__CLOOP_REACH_AT];
    orr__variants *v = orr__tier1_ways(c, l, 0, reach, (int)reach + 2);
    orr__launch first = *l, rest = *l;
    for (bool more = true; more; first = rest) {
        orr__pick t = orr__tier1_turn(v, &first, &rest, &more);
        if (more || first.lo > l->lo)
            fill_words(c, &first, word);
        word[ORR__CLOOP_REACH_AT] = t.way > reach ? reach : reach - t.way;
        if (t.way > reach)
            word[ORR__CLOOP_AHEAD_AT] = TWICE;
        bool done = call(c, fn, &first, word);
        orr__variants_end(&t, done ? (double)(first.hi - first.lo) : 0);
        if (!done)
            return false;
    }
    return true;
}

static bool launch_words(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l)
{
    int64_t word[WORDS];
    if (c->packs)
        return orr__cpu_packed_launch(fn, l, word);
    if (c->nscalar == 0 && c->word && is_whole(l) && c->word[ORR__CLOOP_REACH_AT] == ORR__CLOOP_NEAR)
        return call(c, fn, l, c->word);
    fill_words(c, l, word);
    return word[ORR__CLOOP_REACH_AT] == ORR__CLOOP_NEAR ? call(c, fn, l, word) : launch_far(c, fn, l, word);
}

/* Passes memory for values of long rows after the inputs. */
static bool launch_keeping(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l)
{
    void *in[INPUTS];
    int nin = l->region->nin;
    if (!c->keeps)
        return launch_words(c, fn, l);
    if (nin >= INPUTS || !(in[nin] = orr__scratch_for(ORR__FOR_ROWS, c->keeps)))
        return false;
    memcpy(in, l->in, (size_t)nin * sizeof *in);
    orr__launch keeps = *l;
    keeps.in = in;
    return launch_words(c, fn, &keeps);
}

/* A launch by another nest than the region's own, or one whose elements another region counts. */
static bool launch_apart(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l)
{
    orr__launch by = *l;
    orr__region r = *l->region;
    if (l->seen && l->seen->region != l->region)
        by.seen = NULL;
    r.nest = c->nest;
    by.region = &r;
    return launch_keeping(c, fn, &by);
}

bool orr__tier1_launch(const orr__tier1 *c, orr__cfn *fn, const orr__launch *l)
{
    bool apart = c->nest != l->region->nest || (l->seen && l->seen->region != l->region);
    return (apart ? launch_apart : launch_keeping)(c, fn, l);
}

static bool keep_words(orr__tier1 *c, const orr__region *r, int words)
{
    const orr__launch all = { .region = r, .hi = r->dim[0] };
    if (!(c->word = orr__alloc_n((size_t)words + 1, sizeof *c->word)))
        return false;
    c->nword = (int)(orr__emit_c_places(&all, false, c->word) - c->word);
    c->nscalar = words - c->nword;
    return true;
}

orr_status orr__tier1_prepare(orr__tier1 *c, const orr__region *of, int nest)
{
    orr__region r = *of;
    r.nest = c->nest = nest;
    int words = orr__emit_c_words(&r);
    if (words < 0 || words > WORDS)
        return ORR_OK;
    c->packs = orr__emit_c_packs(&r) > 0;
    c->keeps = orr__emit_c_keeps(&r);
    c->watches = orr__emit_c_watches(&r);
    if (!c->packs && !keep_words(c, &r, words))
        return ORR_ENOMEM;
    size_t size = 0;
    void *content = orr__emit_c_content(&r, &size);
    c->jit = orr__jit_of(content, size, r.key ^ (uint64_t)nest, r.label);
    return c->jit ? ORR_OK : ORR_ENOMEM;
}

void orr__tier1_release(orr__tier1 *c)
{
    orr__jit_unref(c->jit);
    free(c->word);
}
