/* Launches of a user's OpenCL C.
 * Must not know: how its text is made, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/opencl/opencl.h"
#include "codelets/user/user.h"

/* Requires the unit's lock. */
static orr_status enqueue(orr__site at, const orr__cl_unit *u, const orr__launch *l, const int64_t *word, size_t bytes)
{
    const orr__region *r = l->region;
    size_t group = orr__define_op(r->call.op)->k.group > 0 ? (size_t)orr__define_op(r->call.op)->k.group : u->group;
    size_t global = ((size_t)word[0] + group - 1) / group * group;
    cl_int code = CL_SUCCESS;
    for (int i = 0; i <= r->nin && code == CL_SUCCESS; i++) {
        cl_mem m = i < r->nin ? l->in[i] : l->out[0];
        code = clSetKernelArg(u->kernel, (cl_uint)i, sizeof m, &m);
    }
    if (code == CL_SUCCESS)
        code = clSetKernelArg(u->kernel, (cl_uint)r->nin + 1, bytes, word);
    if (code != CL_SUCCESS)
        return orr__fail(at, ORR_EDEVICE, "the kernel %s does not take %d inputs, one output and an orr_args: %s",
                         r->call.op->name, r->nin, orr__cl_name(code));
    code = clEnqueueNDRangeKernel(l->queue, u->kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    return code == CL_SUCCESS ? ORR_OK : orr__cl_fail(at, "clEnqueueNDRangeKernel", code);
}

orr_status orr__cl_user(orr__cl_unit *u, const orr__launch *l)
{
    const orr__region *r = l->region;
    orr__site at = orr__region_site(r);
    int64_t word[ORR__USER_WORDS];
    int n = orr__user_words(l, orr__cl_look()->fp64, word);
    if (word[0] <= 0)
        return ORR_OK;
    if (!orr__user_in_place(l))
        return orr__fail(at, ORR_EDEVICE, "an operand of the kernel %s is not contiguous in the memory of the device",
                         r->call.op->name);
    (void)pthread_mutex_lock(&u->lock);
    orr_status st = orr__cl_unit_build(at, u);
    if (st == ORR_OK)
        st = enqueue(at, u, l, word, (size_t)n * sizeof *word);
    (void)pthread_mutex_unlock(&u->lock);
    return st;
}
