/* Kernels on batches of dense matrices by LAPACK, one matrix at a time, and the message for a matrix without a result.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/dense.h"

#ifdef HAVE_LAPACK
/* so: the message for a matrix without a result; NULL: there is always a result. */
typedef struct {
    const orr__dense_call *call;
    orr__dense_job job;
    const char *so;
} work;

static int64_t count_of(const orr_shape *s, int64_t batch)
{
    return batch ? orr__shape_count(s) / batch : 0;
}

static orr_status fail(const orr__launch *l, int64_t q, int64_t info, const char *so)
{
    orr__site at = orr__cpu_site(l);
    orr__which which = orr__cpu_which(l->region, q);
    if (info == ORR__NOT_FINITE)
        return orr__fail(at, ORR_ENUMERIC, "%s has an element that is not finite", which.s);
    return orr__fail(at, ORR_ENUMERIC, so, which.s, (long long)info);
}

/* Matrices [lo, hi) of the batch. */
static orr_status each(const orr__launch *l, const work *w)
{
    const orr__region *r = l->region;
    size_t z = orr_dtype_size((orr_dtype)r->in_dtype[0]), to = orr_dtype_size((orr_dtype)r->out_dtype[0]),
           ints = sizeof(int);
    int64_t batch = r->dim[0], a = count_of(&r->call.in[0], batch), out = count_of(&r->call.out, batch);
    int64_t b = r->nin > 1 ? count_of(&r->call.in[1], batch) : 0;
    orr__dense_job job = w->job;
    orr_status st = ORR_OK;
    if (l->lo >= l->hi || out == 0)
        return ORR_OK;
    size_t room = w->call->lanes.room ? w->call->lanes.room(&job) : 0;
    if (room) {
        int64_t q = 0;
        void *lanes = orr__scratch(room);
        int64_t info =
            !lanes ? 0
                   : w->call->lanes.compute(&job, (const char *)l->in[0] + (size_t)(l->lo * a) * z,
                                            b ? (const char *)l->in[1] + (size_t)(l->lo * b) * z : NULL,
                                            (char *)l->out[0] + (size_t)(l->lo * out) * to, l->hi - l->lo, lanes, &q);
        return !lanes ? ORR_ENOMEM : info ? fail(l, l->lo + q, info, w->so) : ORR_OK;
    }
    orr__dense_need need = w->call->need(&job);
    job.work = need.work;
    char *memory = orr__scratch((size_t)need.reals * z + (size_t)need.ints * ints + 64);
    int place = memory ? orr__cpu_blas_enter() : 0;
    if (!place)
        return memory ? orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the buffers of BLAS") : ORR_ENOMEM;
    for (int64_t q = l->lo; q < l->hi && st == ORR_OK; q++) {
        const char *second = b ? (const char *)l->in[1] + (size_t)(q * b) * z : NULL;
        int64_t info = w->call->compute(&job, (const char *)l->in[0] + (size_t)(q * a) * z, second,
                                        (char *)l->out[0] + (size_t)(q * out) * to, memory,
                                        (int *)(void *)(memory + (size_t)need.reals * z));
        st = info ? fail(l, q, info, w->so) : ORR_OK;
    }
    orr__cpu_blas_leave(place, true);
    return st;
}

/* limited: the call has a scalar. */
static orr__dense_job job_of(const orr__launch *l, bool limited)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.in[0], *b = r->nin > 1 ? &r->call.in[1] : NULL;
    return (orr__dense_job){ .m = s->dim[s->rank - 2],
                             .n = s->dim[s->rank - 1],
                             .k = b ? b->dim[b->rank - 1] : 0,
                             .mask = r->call.attr.mask,
                             .limit = limited ? l->scalar[r->call.slot].f : -1 };
}

#define KERNEL(name, limited, words)                                                                                   \
    orr_status orr__cpu_kernel_##name(const orr__kernel *kernel, const orr__launch *l)                                 \
    {                                                                                                                  \
        (void)kernel;                                                                                                  \
        /* The operand's dtype selects the table: eigenvalues of real matrices are complex. */                         \
        const orr__dense *t = orr__dense_of((orr_dtype)l->region->in_dtype[0]);                                        \
        return each(l, &(work){ &t->name, job_of(l, limited), words });                                                \
    }
#else
#define KERNEL(name, limited, words) ORR__NO_LAPACK(name)
#endif

KERNEL(solve, false, "%s is singular: pivot %lld is 0")
KERNEL(det, false, "%s has no determinant (LAPACK info %lld)")
KERNEL(lu, false, "%s has no factors (LAPACK info %lld)")
KERNEL(qr, false, "%s has no factors (LAPACK info %lld)")
KERNEL(svd, false, "the singular values of %s did not converge (LAPACK info %lld)")
KERNEL(eigh, false, "the eigenvalues of %s did not converge (LAPACK info %lld)")
KERNEL(eig, false, "the eigenvalues of %s did not converge: LAPACK found none of numbers 1 to %lld")
KERNEL(lstsq, true, "the singular values of %s did not converge (LAPACK info %lld)")
KERNEL(expm, false, "the exponential of %s has no denominator: pivot %lld is 0")
