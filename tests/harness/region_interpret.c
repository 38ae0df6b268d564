/* For tests of codelets: a run of a region on the block interpreter.
 * Must not know: which backend is tested. */
#include "config.h"

#include "tests/harness/region_interpret.h"

bool rc_interpret(const rc_run *run, void *const *to)
{
    const orr__region *r = &run->b->r;
    void *in[RB_INPUTS] = { NULL }, *out[ORR__REGION_OUTS] = { NULL };
    orr__kernel *k = NULL;
    for (int i = 0; i < r->nin; i++)
        in[i] = (char *)run->in[i] - run->in_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[i]);
    for (int i = 0; i < r->nout; i++)
        out[i] = (char *)to[i] - run->out_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[i]);
    orr__launch l = { .region = r, .lo = run->lo, .hi = run->hi, .in = in, .out = out, .scalar = run->b->scalar };
    bool ok = orr__cpu.prepare(r, &k) == ORR_OK && orr__cpu.launch(k, &l) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    orr__cpu.release(k);
    return ok;
}
