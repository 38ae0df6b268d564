/* Plans of a user's graph for a number of workers, and their measures.
 * Must not know: StarPU. */
#include "config.h"

#include "tests/harness/plan_help.h"

static const orr__site here = { "t.c", 1, "test" };

orr_tensor *fresh_values(int64_t m, int64_t n)
{
    orr_tensor *t = orr_rand(ORR_F32, ORR_SHAPE(m, n), -1.0, 1.0);
    ORR_CHECK(orr_eval(t) == ORR_OK);
    return t;
}

orr__plan *plan_of_first(orr_tensor *const *t, int n, int nfirst, int workers)
{
    orr__plan *plan = NULL;
    orr__capture p;
    orr__node *node[64];
    orr__machine before = orr__machine_here;
    for (int i = 0; i < n; i++)
        node[i] = orr__handle_node(t[i]);
    ORR_CHECK(orr__capture_make_roots(here, &ORR__ROOTS(node, n, nfirst), &p) == ORR_OK);
    orr__machine_here = (orr__machine){ .workers = workers, .bundles = true };
    ORR_CHECK_MSG(orr__plan_make(here, &p, false, &plan) == ORR_OK, "%s", orr_error_message());
    orr__machine_here = before;
    orr__capture_free(&p);
    return plan;
}

orr__plan *plan_of(orr_tensor *const *t, int n, int workers)
{
    return plan_of_first(t, n, n, workers);
}

int tasks_of(const orr__plan *p)
{
    int n = 0;
    for (int i = 0; i < p->nstep; i++)
        n += orr__plan_tasks(p, i);
    return n;
}

double us_of(const orr__plan *p, int head)
{
    double us = 0;
    for (int i = head; i < head + orr__bundle_size(&p->step[head]); i++)
        us += p->step[i].cost.us;
    return us;
}

double critical_path(const orr__plan *p)
{
    double *end = calloc((size_t)p->nstep + 1, sizeof *end), longest = 0;
    for (int i = 0; i < p->nstep; i++) {
        int head = orr__plan_head(p, i), n = orr__bundle_size(&p->step[head]);
        double begin = 0;
        if (head != i)
            continue;
        for (int m = i; m < i + n; m++)
            for (int k = 0; k < p->step[m].region->nin; k++) {
                const orr__value *v = &p->value[p->step[m].in[k]];
                int from = v->leaf < 0 ? orr__plan_head(p, v->first) : i;
                ORR_CHECK(from <= i);
                begin = from != i && end[from] > begin ? end[from] : begin;
            }
        end[i] = begin + us_of(p, i) / p->step[i].ntiles;
        longest = end[i] > longest ? end[i] : longest;
    }
    free(end);
    ORR_CHECK_MSG(p->waited_tasks > 0 || fabs(p->urgency.longest - longest) <= 1e-9 * longest, "%g us, counted %g",
                  p->urgency.longest, longest);
    return longest;
}
