/* What orr_explain says of time: predicted per device, taken, and the difference.
 * Must not know: how a kernel computes. */
#include "config.h"

#include "runtime/api/explain.h"
#include "runtime/engine/exec.h"

static const char *basis_of(orr__basis b)
{
    return b == ORR__MEASURED ? "measured" : b == ORR__FITTED ? "fitted" : "estimated";
}

static bool can(const orr__step *s, orr__on on)
{
    return on == ORR__ON_CPU      ? !orr__region_needs_device(s->region)
           : on == ORR__ON_OPENCL ? s->opencl != NULL
                                  : s->cuda != NULL;
}

/* Bytes that a task moves when nothing of it is where it runs. */
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

void orr__explain_cost(FILE *to, const orr__step *s)
{
    int64_t rows = s->ntiles > 1 ? s->rows : s->region->dim[0];
    double best = -1;
    if (s->graph)
        return;
    fprintf(to, "    a task: ");
    for (int on = 0; on < ORR__ON_COUNT; on++) {
        if (!can(s, (orr__on)on))
            continue;
        orr__guess g = orr__model_guess(s, rows, (orr__on)on);
        fprintf(to, "%s%s %.3g us (%s)", best < 0 ? "" : "; ", orr__on_name[on], g.us, basis_of(g.basis));
        if (on != ORR__ON_CPU)
            fprintf(to, " and %.3g kB to bring", moved(s) / 1000);
        best = best < 0 || g.us < best ? g.us : best;
    }
    fputc('\n', to);
    for (int on = 0; on < ORR__ON_COUNT; on++) {
        uint64_t n = __atomic_load_n(&s->took_n[on], __ATOMIC_RELAXED),
                 ns = __atomic_load_n(&s->took_ns[on], __ATOMIC_RELAXED);
        double us = n ? 1e-3 * (double)ns / (double)n : 0;
        if (n)
            fprintf(to, "    ran %llu times on %s: %.3g us each, regret %.3g us\n", (unsigned long long)n,
                    orr__on_name[on], us, us > best ? us - best : 0);
    }
}

void orr__explain_placed(FILE *to, const orr__plan *plan)
{
    char text[160];
    orr__guard_say(plan, text, sizeof text);
    if (text[0])
        fprintf(to, "placed on %s\n", text);
}
