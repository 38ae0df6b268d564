/* The cost of a region on one core: bytes at the rates of memory, arithmetic counted in additions of f32.
 * Must not know: tiles, buffers, StarPU. */
#include "config.h"

#include "codelets/emit/emit.h"
#include "ops/instruction_cost.h"
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/cost/cost.h"
#include "runtime/cost/profile.h"

/* Rates that a profile does not have, as fractions of those that it has: limits of a measurement. */
#define MOVES 0.4    /* of the rate of a stream: all but element-wise regions and folds */
#define BLOCKS 0.1   /* of compiled arithmetic: the block interpreter                            */
#define USER 0.025   /* … flops of users' kernels                                                */
#define PLAIN 0.0125 /* … flops of a matmul without BLAS                                         */

/* ROW: one pass of the loop around the innermost one, in additions of f32. Functions in f64 cost more than twice: their polynomials
 * are longer. */
enum { ROW = 150 }; /* limit of a measurement */
#define F64_FUNCTION 4.5
#define F64_PLAIN 2.5

static double work_of(const orr__region *r, const orr__rinstr *in)
{
    orr_dtype t = (orr_dtype)in->dtype;
    double wide = orr_dtype_size(t) == 8 ? F64_PLAIN : 1;
    if (in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER) {
        int64_t stride = r->access[in->a].stride[r->rank - 1];
        bool jumps = in->kind == ORR__RI_GATHER && r->access[r->instr[in->x].a].stride[r->rank - 1] != 0;
        stride = jumps ? INT64_MAX : stride;
        return stride == 0 || stride == 1 ? 0 : ORR__COST_STRIDED * wide;
    }
    double cost = orr__instruction_cost(in);
    if (in->kind == ORR__RI_FOLD)
        return ORR__COST_FOLD * wide;
    if (in->kind == ORR__RI_RANDOM)
        return in->op == ORR__DNORMAL || in->op == ORR__DPERMUTATION ? cost : cost * wide;
    if (in->kind != ORR__RI_EW)
        return cost * wide;
    return cost * (orr__emit_operand(r, in) != ORR_F64 ? 1 : cost >= ORR__COST_FUNCTION ? F64_FUNCTION : F64_PLAIN);
}

/* The larger of the times of memory and arithmetic, which overlap. Where results are reproducible, they depend on no setting of the compiler:
 * the plan is that for compiled kernels. */
static double loops(const orr__profile *now, const orr__region *r)
{
    double points = 1, work = r->rmask ? ORR__COST_FOLD * r->nout : 0;
    bool compiled = !r->search && (orr__env.jit != ORR__JIT_OFF || orr__env.deterministic);
    for (int d = 0; d < r->rank; d++)
        points *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr; i++)
        work += work_of(r, &r->instr[i]);
    work = work * points + (r->dim[r->rank - 1] > 0 ? ROW * points / (double)r->dim[r->rank - 1] : 0);
    work /= now->math * (compiled ? 1 : BLOCKS);
    double stream = orr__profile_move(now, r->bytes);
    return ORR__MAX(work, stream);
}

static double predict(const orr__profile *now, const orr__region *r)
{
    if (orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT)
        return loops(now, r);
    double us = orr__profile_move(now, r->bytes) / MOVES;
    if (r->loops == ORR__LOOPS_PRODUCT) {
        orr_dtype t = (orr_dtype)r->in_dtype[r->access[0].input];
        double rate = orr__is_complex(t) ? (t == ORR_C64 ? now->gemm32 : now->gemm64) / 4
                      : t == ORR_F64     ? now->gemm64
                      : orr__is_float(t) ? now->gemm32
                                         : now->math * PLAIN;
        double product = 2.0 * (double)r->out_count * (double)r->dim[r->rank - 1];
        return us + product / rate + (r->flops > product ? (r->flops - product) / (now->math * BLOCKS) : 0);
    }
    if (orr__call_work(&r->call).product) /* factorisations are slower than products */
        return us + 2 * r->flops / (r->out_dtype[0] == ORR_F64 ? now->gemm64 : now->gemm32);
    return us + r->flops / (now->math * USER);
}

double orr__cost_predict(const orr__region *r)
{
    return predict(orr__profile_now(), r);
}

double orr__cost_size(const orr__region *r)
{
    return predict(&orr__profile_fixed, r);
}
