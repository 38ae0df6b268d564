/* The times in orr_explain: predicted per device, measured, and the difference.
 * Must not know: how a kernel computes. */
#include "config.h"

#include "codelets/nest/cloop.h"
#include "runtime/api/explain.h"
#include "runtime/base/regret.h"
#include "runtime/engine/execution.h"

static const char *basis_of(orr__basis b)
{
    return b == ORR__MEASURED ? "measured" : b == ORR__FITTED ? "fitted" : "estimated";
}

/* Bytes that a task moves if all of its data is elsewhere. */
static double moved(const orr__step *s)
{
    double bytes = 0;
    int64_t first, end;
    for (int i = 0; i < s->region->nin; i++) {
        orr__step_reads(s, 0, i, &first, &end);
        bytes += (double)(end - first) * (double)orr_dtype_size((orr_dtype)s->region->in_dtype[i]);
    }
    return bytes;
}

void orr__explain_nests(FILE *to, const orr__region *r, const orr__kernel *k)
{
    orr__nest_offer offer[ORR__NEST_OFFERS];
    int measured = k ? orr__cpu_nest(k) - 1 : -1;
    orr__cloop_offers(r, offer);
    fputs("    rows in compiled loops:", to);
    for (int n = 0; n < ORR__NEST_OFFERS; n++) {
        fprintf(to, "%s %s: ", n ? ";" : "", offer[n].name);
        if (offer[n].no)
            fprintf(to, "no, %s", offer[n].no);
        else
            fprintf(to, "%.3g additions a row%s", offer[n].cost,
                    measured >= 0     ? n == measured ? ", measured to be the fastest" : ""
                    : offer[n].chosen ? ", chosen"
                                      : "");
    }
    fputc('\n', to);
}

void orr__explain_cost(FILE *to, const orr__plan *plan, const orr__step *s)
{
    const orr__plan_state *state = orr__plan_state_of(plan);
    orr__guess g[ORR__ON_COUNT];
    double best = s->graph ? 0 : orr__step_guesses(s, 0, g);
    const char *between = "    a task: ";
    if (s->graph)
        return;
    for (int on = 0; on < ORR__ON_COUNT; on++) {
        if (g[on].us < 0)
            continue;
        fprintf(to, "%s%s %.3g us (%s)", between, orr__on_name[on], g[on].us, basis_of(g[on].basis));
        if (on != ORR__ON_CPU)
            fprintf(to, " and %.3g kB to transfer", moved(s) / 1000);
        between = "; ";
    }
    fputc('\n', to);
    for (int on = 0; state && on < ORR__ON_COUNT; on++) {
        const orr__step_state *of = &state->step[s - plan->step];
        uint64_t n = atomic_load_explicit(&of->n[on], memory_order_relaxed),
                 ns = atomic_load_explicit(&of->ns[on], memory_order_relaxed);
        double us = n ? 1e-3 * (double)ns / (double)n : 0;
        if (n)
            fprintf(to, "    ran %llu times on %s: %.3g us each, regret %.3g us\n", (unsigned long long)n,
                    orr__on_name[on], us, us > best ? us - best : 0);
    }
}

void orr__explain_placed(FILE *to, const orr__plan *plan)
{
    char text[160];
    orr__placement_describe(plan, text, sizeof text);
    if (text[0])
        fprintf(to, "placed on %s\n", text);
}

void orr__explain_regret(FILE *to)
{
    orr__regret r = orr__regret_now();
    if (r.trials > 0)
        fprintf(to, "trials of this process: %llu, regret %.3g ms of at most %.3g ms; evaluations: %llu, %.3g ms\n",
                (unsigned long long)r.trials, r.excess * 1e3, r.bound * 1e3, (unsigned long long)r.evaluations,
                r.seconds * 1e3);
}
