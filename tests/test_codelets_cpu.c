/* The block interpreter on every kind of region, with each instruction set, beside values computed one at a time.
 * Must not know: StarPU, plans. */
#include "config.h"

#include <pthread.h>
#include "tests/region_tests.h"
#include "codelets/cpu/cpu.h"

static double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_half(t) ? (row->ulp > 0 ? 1 : 0) : row->ulp;
}

static bool rc_launch(const rc_run *run)
{
    const orr__region *r = &run->b->r;
    char *in[RB_INPUTS] = { NULL }, *out[ORR__REGION_OUTS] = { NULL };
    orr__kernel *k = NULL;
    for (int i = 0; i < r->nin; i++)
        in[i] = (char *)run->in[i] - run->in_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[i]);
    for (int i = 0; i < r->nout; i++)
        out[i] = (char *)run->out[i] - run->out_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[i]);
    orr__launch l = { .region = r, .lo = run->lo, .hi = run->hi, .in = (void **)in, .out = (void **)out,
                      .scalar = run->b->scalar };
    bool ok = orr__cpu.prepare(r, &k) == ORR_OK && orr__cpu.launch(k, &l) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    orr__cpu.release(k);
    return ok;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { RT_TESTS, { 0 } };
    return orr_test_main(argc, argv, "codelets.cpu", tests);
}
