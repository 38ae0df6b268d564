/* Losses and gradients of label sequences, one sequence at a time.
 * Must not know: plans, StarPU, how one sequence is computed. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "ops/nn/ctc.h"

static orr_status sequences(const orr__launch *l, bool gradient)
{
    const orr__region *r = l->region;
    const orr_shape *p = &r->call.in[0];
    orr__ctc c = { .at = orr__cpu_site(l),
                   .dtype = (orr_dtype)r->out_dtype[0],
                   .time = p->dim[0],
                   .batch = p->dim[1],
                   .classes = p->dim[2],
                   .longest = r->call.in[1].dim[1],
                   .blank = r->call.attr.index,
                   .logp = l->in[0],
                   .target = l->in[1],
                   .input_length = l->in[2],
                   .target_length = l->in[3] };
    orr_status st = ORR_OK;
    for (int64_t n = l->lo; st == ORR_OK && n < l->hi; n++)
        st = orr__ctc_sequence(&c, n, gradient ? NULL : l->out[0], gradient ? l->out[0] : NULL);
    return st;
}

orr_status orr__cpu_kernel_ctc_loss(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return sequences(l, false);
}

orr_status orr__cpu_kernel_ctc_grad(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return sequences(l, true);
}
