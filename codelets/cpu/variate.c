/* Random numbers of distributions with parameters.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "runtime/base/variate.h"

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
            return orr__variate_refused(orr__cpu_site(l), rule, kind, a[i], b[i], number[i]);
        y[i] = orr__variate(kind, seed, (uint64_t)number[i], a[i], b[i]);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_weights(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    int64_t many = r->dim[1], positive = l->scalar[r->call.slot].i, bad;
    for (int64_t row = l->lo; row < l->hi; row++) {
        const double *w = (const double *)l->in[0] + row * many;
        const char *rule = orr__weights(w, many, positive, (double *)l->out[0] + row * many, &bad);
        if (rule)
            return orr__weights_refused(orr__cpu_site(l), rule, w, many, row, bad, positive);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_multinomial(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    int64_t many = r->dim[1], trials = l->scalar[r->call.slot + 1].i;
    const int64_t *number = l->in[1];
    for (int64_t row = l->lo; row < l->hi; row++)
        orr__multinomial(l->scalar[r->call.slot].u, (uint64_t)number[row], trials,
                         (const double *)l->in[0] + row * many, many, (int64_t *)l->out[0] + row * many);
    return ORR_OK;
}
