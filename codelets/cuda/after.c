/* A copy on the device of a value that is available only after another value.
 * Must not know: which value that is. */
#include "config.h"

#include "codelets/cuda/cuda.h"

static bool can(const orr__region *r)
{
    return r->ninstr == 0;
}

static orr_status launch(const orr__launch *l)
{
    const orr__region *r = l->region;
    int64_t size = (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[0]),
            row = r->dim[0] > 0 ? r->out_count / r->dim[0] * size : 0, from = l->in_off ? l->in_off[0] * size : 0,
            to = l->out_off ? l->out_off[0] * size : 0;
    const struct {
        orr__cu_address to, from;
        size_t bytes;
    } copy = { (orr__cu_address)(uintptr_t)((char *)l->out[0] + l->lo * row - to),
               (orr__cu_address)(uintptr_t)((char *)l->in[0] + l->lo * row - from), (size_t)((l->hi - l->lo) * row) };
    if (l->hi <= l->lo || row == 0 || !orr__cu_record_call(&copy, sizeof copy))
        return ORR_OK;
    int code = orr__cu(NULL)->within(copy.to, copy.from, copy.bytes, l->queue);
    return code == ORR__CU_OK ? ORR_OK : orr__cu_fail(orr__cu_site(r), "cuMemcpyDtoDAsync", code);
}

const orr__cu_library orr__cu_library_after = { can, launch, true };
