/* Random numbers of distributions with parameters.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "runtime/base/variate.h"

static orr_status refused(const orr__launch *l, const char *rule, double a, double b, int64_t i)
{
    return orr__fail(orr__cpu_site(l), ORR_EINVAL, "parameters %g and %g (number %lld): %s", a, b, (long long)i, rule);
}

orr_status orr__cpu_kernel_variate(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    int kind = r->call.attr.dist;
    uint64_t seed = l->scalar[r->call.slot].u;
    int64_t per = r->dim[0] ? r->out_count / r->dim[0] : 0;
    const double *a = l->in[0], *b = l->in[1];
    const int64_t *number = l->in[2];
    double *y = l->out[0];
    for (int64_t i = l->lo * per; i < l->hi * per; i++) {
        const char *rule = orr__variate_refuses(kind, a[i], b[i]);
        if (rule)
            return refused(l, rule, a[i], b[i], number[i]);
        y[i] = orr__variate(kind, seed, (uint64_t)number[i], a[i], b[i]);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_multinomial(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    int64_t many = r->dim[1], trials = l->scalar[r->call.slot + 1].i;
    uint64_t seed = l->scalar[r->call.slot].u;
    for (int64_t row = l->lo; row < l->hi; row++) {
        const double *w = (const double *)l->in[0] + row * many;
        int64_t *y = (int64_t *)l->out[0] + row * many;
        int64_t number = ((const int64_t *)l->in[1])[row];
        double left = (double)trials, rest = 0;
        for (int64_t k = many; k-- > 0;)
            rest += w[k];
        for (int64_t k = 0; k < many; k++) {
            if (!(w[k] >= 0) || !(rest >= 0))
                return refused(l, "a weight from 0 on is needed", w[k], rest, number + k);
            double p = k + 1 == many || w[k] >= rest ? 1 : w[k] / rest;
            double n = left > 0 ? orr__variate(ORR__VBINOMIAL, seed, (uint64_t)(number + k), left, p) : 0;
            y[k] = (int64_t)n;
            left -= n;
            rest -= w[k];
        }
    }
    return ORR_OK;
}
