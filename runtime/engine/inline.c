/* Runs a plan on the calling thread: a value gets memory when it is written, and the memory returns to the pool after the last read.
 * Must not know: StarPU, how a kernel computes, the program's floating-point mode (its callers set the default). */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/base/progress.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/execution.h"
#include "runtime/graph/donation.h"

enum { FEW = 64 };

/* The memory of the values. Temporaries that are small in total are on the stack, with a block for each slot. */
typedef struct {
    _Alignas(64) char near[2048];
    const orr__plan *plan;
    orr__buffer *const *leaf;
    void *const *into; /* as in execute */
    bool on_stack, spills, firm;
    int worker, begun; /* the last step whose outputs have memory */
    const orr__crew_of *crew;
    orr__buffer *scratch; /* of bundles, which use it in turn */
    orr__buffer *few_buf[FEW], **buf;
    void *few_host[FEW], **host;
    orr__known few_known[FEW], *known; /* NULL: not requested */
} place;

static size_t padded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Sets the addresses of the scratch memory, and of all temporaries if they are on the stack. On an error there are no buffers yet. */
static orr_status lay_out(place *p)
{
    const orr__plan *plan = p->plan;
    orr__buffer *const *leaf = p->leaf;
    size_t all = padded(plan->memory.scratch_bytes), at[sizeof p->near / 64];
    char *inside = p->near;

    for (int k = 0; k < plan->memory.nslot && all <= sizeof p->near; k++) {
        if (k < (int)(sizeof at / sizeof *at))
            at[k] = all;
        all += padded(plan->memory.slot_bytes[k]);
    }
    p->on_stack = all <= sizeof p->near && plan->memory.nslot <= (int)(sizeof at / sizeof *at);
    if (!p->on_stack && plan->memory.scratch_bytes > sizeof p->near) {
        if (!(p->scratch = orr__buffer_new(plan->memory.scratch_bytes)))
            return ORR_ENOMEM;
        inside = p->scratch->host;
    }
    for (int i = 0; i < plan->nvalue; i++) {
        const orr__value *v = &plan->value[i];
        p->buf[i] = v->leaf >= 0 && p->spills ? orr__buffer_ref(leaf[v->leaf]) : NULL;
        p->host[i] = NULL;
        if (v->leaf >= 0)
            p->host[i] = leaf[v->leaf]->host;
        else if (v->local)
            p->host[i] = inside + v->scratch;
        else if (p->on_stack && v->output < 0 && v->slot >= 0)
            p->host[i] = p->near + at[v->slot];
    }
    return ORR_OK;
}

/* The leaf whose memory value v may use: the evaluation owns it, and no run under way uses it. NULL: none. */
static orr__buffer *leaf_donor(const place *p, const orr__value *v)
{
    int donor = orr__leaf_donor(p->plan, v);
    orr__buffer *b = donor >= 0 ? p->leaf[p->plan->value[donor].leaf] : NULL;
    return b && p->firm && orr__donor_mine(b) && atomic_load(&b->ordered) == 0 && b->bytes == orr__value_bytes(v)
               ? b
               : NULL;
}

static orr__buffer *fresh(const place *p, int n)
{
    size_t bytes = orr__value_bytes(&p->plan->value[n]);
    void *memory = orr__exec_into(p->plan, p->into, n);
    return memory ? orr__buffer_wrap(memory, bytes, NULL, NULL) : orr__buffer_new(bytes);
}

/* Memory for the outputs of step i: from a donor, of the program or from the pool. */
static orr_status get(place *p, int i)
{
    const orr__step *s = &p->plan->step[i];

    for (int k = 0; k < s->region->nout; k++) {
        int n = s->out[k];
        const orr__value *v = &p->plan->value[n];
        if (p->host[n])
            continue;
        bool own = orr__exec_into(p->plan, p->into, n);
        int donor = own ? -1 : orr__temporary_donor(p->plan, v);
        orr__buffer *b = own ? NULL : leaf_donor(p, v);
        if (b) {
            p->buf[n] = orr__buffer_ref(b);
        } else if (donor >= 0 && p->buf[donor]) {
            p->buf[n] = p->buf[donor];
            p->buf[donor] = NULL;
        } else if (!(p->buf[n] = fresh(p, n))) {
            return ORR_ENOMEM;
        }
        p->host[n] = p->buf[n]->host;
    }
    return ORR_OK;
}

static void put_if_last(place *p, int n, int i)
{
    if (!p->buf[n] || p->plan->value[n].output >= 0 || p->plan->value[n].last != i)
        return;
    orr__buffer_unref(p->buf[n]);
    p->buf[n] = NULL;
}

static void put(place *p, int i)
{
    const orr__step *s = &p->plan->step[i];

    for (int k = 0; k < s->region->nin; k++)
        put_if_last(p, s->in[k], i);
    for (int k = 0; k < s->region->nout; k++)
        put_if_last(p, s->out[k], i);
}

static const orr__crew_of *crew_now(place *p)
{
    if (p->crew && p->crew->until < HUGE_VAL && orr__now() >= p->crew->until)
        p->crew = NULL;
    return p->crew;
}

static orr_status run(place *p, const orr__scalar *scalar)
{
    orr__progress progress = { 0 };
    orr_status st = ORR_OK;

    for (int i = 0; i < p->plan->nstep && st == ORR_OK; i++) {
        if (orr__progress_wanted())
            orr__progress_tell(&progress, i, p->plan->nstep);
        if ((st = orr__stop_check(orr__stop_mine)) != ORR_OK || (st = get(p, i)) != ORR_OK)
            break;
        p->begun = i;
        st = orr__exec_step(p->plan, &p->plan->step[i], -1, p->host, scalar, p->known, p->worker, crew_now(p));
        for (int k = 0; p->spills && k < p->plan->step[i].ntiles; k++)
            orr__exec_rest(&p->plan->step[i], k, p->buf);
        if (!p->on_stack)
            put(p, i);
    }
    if (st == ORR_OK)
        orr__progress_end(&progress, p->plan->nstep);
    return st;
}

/* After a failure, overwritten leaves are no longer values. */
static void spoil(place *p)
{
    for (int i = 0; p->plan->ndonors > 0 && i < p->plan->nvalue; i++) {
        int donor = orr__leaf_donor(p->plan, &p->plan->value[i]);
        if (donor >= 0 && p->plan->value[i].first <= p->begun && p->buf[i] &&
            p->buf[i] == p->leaf[p->plan->value[donor].leaf])
            atomic_store(&p->buf[i]->overwritten, true);
    }
}

/* Passes new values to the caller. A leaf, and a value that is an output twice, get one more reference. */
static void outputs(place *p, orr__buffer **out)
{
    for (int k = 0; k < p->plan->nout; k++) {
        int n = p->plan->out[k];
        const orr__value *v = &p->plan->value[n];
        if (v->leaf < 0 && v->output == k) {
            out[k] = p->buf[n];
            p->buf[n] = NULL;
        } else {
            out[k] = orr__buffer_ref(v->leaf >= 0 ? p->leaf[v->leaf] : out[v->output]);
        }
    }
}

/* Runs the steps, passes the outputs, and releases all other memory. */
static orr_status compute(place *p, const orr__scalar *scalar, orr__buffer **out)
{
    orr_status st = lay_out(p);

    if (st != ORR_OK)
        return st;
    if ((st = run(p, scalar)) == ORR_OK)
        outputs(p, out);
    else
        spoil(p);
    for (int i = 0; i < p->plan->nvalue; i++)
        if (p->buf[i])
            orr__buffer_unref(p->buf[i]);
    orr__buffer_unref(p->scratch);
    return st;
}

static bool some_may_have_a_form(const orr__plan *plan, orr__buffer *const *leaf)
{
    bool some = false;

    for (int i = 0; i < plan->nleaf; i++)
        some = some || leaf[i]->bytes >= ORR__LARGE_VALUE;
    return some;
}

/* Leaves that are worth a form are referenced while they are read, so that no other thread converts them. */
static orr_status enter(const place *p)
{
    for (int i = 0; i < p->plan->nleaf; i++)
        if (p->leaf[i]->bytes >= ORR__LARGE_VALUE)
            (void)atomic_fetch_add(&p->leaf[i]->refs, 1);
    return orr__exec_enter(p->plan, p->leaf, p->known, false);
}

static void leave(const place *p)
{
    for (int i = 0; p->known && i < p->plan->nvalue; i++)
        if (p->known[i].form)
            orr__form_leave(p->leaf[p->plan->value[i].leaf]);
    for (int i = 0; i < p->plan->nleaf; i++)
        if (p->leaf[i]->bytes >= ORR__LARGE_VALUE)
            orr__buffer_unref(p->leaf[i]);
}

orr_status orr__exec_inline(orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar, void *const *into,
                            orr__buffer **out, int worker, const orr__crew_of *crew)
{
    place p;
    size_t n = (size_t)plan->nvalue;
    orr_status st = ORR_ENOMEM;

    p.plan = plan;
    p.leaf = leaf;
    p.into = into;
    p.worker = worker;
    p.begun = -1;
    p.crew = crew;
    p.spills = orr__spill_on();
    p.firm = plan->ndonors > 0 && orr__exec_is_firm(plan, leaf);
    p.scratch = NULL;
    p.buf = n <= FEW ? p.few_buf : orr__alloc_n(n, sizeof *p.buf);
    p.host = n <= FEW ? p.few_host : orr__alloc_n(n, sizeof *p.host);
    p.known = !plan->calls ? NULL : n <= FEW ? p.few_known : orr__alloc_n(n, sizeof *p.known);
    if (p.known)
        orr__exec_number(plan, leaf, p.known);
    if (p.buf && p.host) {
        bool forms = some_may_have_a_form(plan, leaf);
        st = forms ? enter(&p) : ORR_OK;
        if (st == ORR_OK)
            st = compute(&p, scalar, out);
        if (forms)
            leave(&p);
    }
    if (p.buf != p.few_buf)
        free(p.buf);
    if (p.host != p.few_host)
        free(p.host);
    if (p.known != p.few_known)
        free(p.known);
    return st;
}
