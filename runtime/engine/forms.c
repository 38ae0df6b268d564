/* Leaves in the form of the only call that reads them: a weight of inference exists once, in the form of its kernel.
 * Must not know: StarPU, which form that is. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/form.h"
#include "runtime/engine/execution.h"

/* True if the leaf had the same value in the previous run. A leaf is converted at once if it is the first value in its memory, otherwise
 * from the second run with the same value on: a weight in training has another value in each run. */
static bool stays(const orr__plan *plan, const orr__step *s, uint64_t number)
{
    orr__plan_state *state = orr__plan_state_of(plan);
    return state &&
           atomic_exchange_explicit(&state->step[s - plan->step].constant, number, memory_order_relaxed) == number;
}

typedef struct {
    orr__value_form *form;
    bool turn;
} request;

static request request_of(const orr__plan *plan, const orr__value *v, const orr__buffer *b, uint64_t number, bool tasks)
{
    const orr__step *s = &plan->step[v->form_step];
    bool constant = number && (stays(plan, s, number) || !b->changed) && (!b->run || orr__run_done(b->run));
    bool has = atomic_load_explicit(&b->form, memory_order_relaxed) != NULL;
    if (!orr__exec_cpu->form || s->region->nin > ORR__KNOWN_MOST || b->bytes != orr__value_bytes(v))
        return (request){ NULL, false };
    return (request){ has || (constant && !b->stays_plain)
                          ? orr__exec_cpu->form(s->cpu, s->region, orr__exec_rows(s, tasks))
                          : NULL,
                      constant };
}

static bool any(const orr__plan *plan, orr__buffer *const *leaf, const orr__known *known)
{
    bool some = known && plan->nforms > 0;
    for (int i = 0; !some && i < plan->nleaf; i++)
        some = leaf[i] && !orr__form_none(leaf[i]);
    return some;
}

orr_status orr__exec_enter(const orr__plan *plan, orr__buffer *const *leaf, orr__known *known, bool tasks)
{
    enum { FEW = 32 };
    if (!any(plan, leaf, known))
        return ORR_OK;
    int n = plan->nleaf;
    orr__value_form *few_form[FEW], **form = orr__array_begin(few_form, sizeof few_form, (size_t)n, sizeof *form);
    const orr__value_form *few_lies[FEW], **lies = orr__array_begin(few_lies, sizeof few_lies, (size_t)n, sizeof *lies);
    bool few_turn[FEW], *turn = orr__array_begin(few_turn, sizeof few_turn, (size_t)n, sizeof *turn);
    orr_status st = form && lies && turn ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < n; i++)
        form[i] = NULL;
    for (int i = 0; st == ORR_OK && known && i < plan->nvalue; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf < 0 || v->form_step < 0)
            continue;
        request q = request_of(plan, v, leaf[v->leaf], known[i].content, tasks);
        form[v->leaf] = q.form;
        turn[v->leaf] = q.turn;
    }
    if (st == ORR_OK)
        st = orr__forms_enter(leaf, form, turn, lies, n);
    for (int i = 0; form && lies && i < n; i++)
        orr__form_unref(form[i]);
    for (int i = 0; st == ORR_OK && known && i < plan->nvalue; i++)
        if (plan->value[i].leaf >= 0)
            known[i].form = lies[plan->value[i].leaf];
    orr__array_end(form, few_form);
    orr__array_end(lies, few_lies);
    orr__array_end(turn, few_turn);
    return st;
}
