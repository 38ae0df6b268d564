/* What a region costs on one core, and into how many tiles it is worth cutting.
 * Must not know: buffers, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/cholesky.h"
#include "codelets/emit/emit.h"
#include "codelets/rounding.h"
#include "ops/define.h"
#include "ops/ops.h"
#include "runtime/base/env.h"
#include "runtime/plan/make.h"

orr__machine orr__plan_machine = { .workers = 1 };

/* Work is counted in additions of f32 in a compiled loop; what is not measured by itself goes with what is like it. */
#define MOVES 0.4    /* of the rate of a stream: everything that is no element-wise region or fold */
#define BLOCKS 0.1   /* of compiled arithmetic: the block interpreter                            */
#define USER 0.025   /* … flops of users' kernels                                                */
#define PLAIN 0.0125 /* … flops of a matmul without BLAS                                         */

/* In additions of f32. Functions in f64 cost more than twice: their polynomials are longer. */
enum { FUNCTION = 20, STRIDED = 8, DRAW = 40, DRAW_NORMAL = 150, FOLD = 4, ROUND = 6, ROUND_ANY = 9 };
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
        return stride == 0 || stride == 1 ? 0 : STRIDED * wide;
    }
    if (in->kind == ORR__RI_RANDOM)
        return in->op == ORR__DNORMAL ? DRAW_NORMAL : in->op == ORR__DPERMUTATION ? 10 * DRAW : DRAW * wide;
    if (in->kind == ORR__RI_FOLD)
        return FOLD * wide;
    if (in->kind != ORR__RI_EW)
        return in->kind == ORR__RI_SCALAR ? 0 : wide;
    double flops = orr__ew(in->op)->flops;
    orr__rounding rounding = orr__is_half(t) ? orr__ew_rounding(in->op) : ORR__ROUND_NONE;
    if (orr__emit_operand(r, in) == ORR_F64)
        flops *= flops >= FUNCTION ? F64_FUNCTION : F64_PLAIN;
    return flops + (rounding == ORR__ROUND_FIT ? ROUND : rounding == ORR__ROUND_ANY ? ROUND_ANY : 0);
}

/* Memory and arithmetic overlap. */
static double loops(const orr__profile *now, const orr__region *r)
{
    double points = 1, work = r->kind == ORR__G_MAP ? 0 : FOLD * r->nout;
    bool compiled = r->kind != ORR__G_ARGREDUCE && orr__env.jit != ORR__JIT_OFF;
    for (int d = 0; d < r->rank; d++)
        points *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr; i++)
        work += work_of(r, &r->instr[i]);
    work *= points / (now->math * (compiled ? 1 : BLOCKS));
    double stream = orr__profile_move(now, r->bytes);
    return work > stream ? work : stream;
}

static double predict(const orr__profile *now, const orr__region *r)
{
    if (r->kind == ORR__G_MAP || r->kind == ORR__G_REDUCE || r->kind == ORR__G_ARGREDUCE)
        return loops(now, r);
    double us = orr__profile_move(now, r->bytes) / MOVES;
    if (r->kind == ORR__G_MATMUL) {
        orr_dtype t = (orr_dtype)r->in_dtype[r->access[0].input];
        double rate = t == ORR_F64 ? now->gemm64 : orr__is_float(t) ? now->gemm32 : now->math * PLAIN;
        double product = 2.0 * (double)r->out_count * (double)r->dim[r->rank - 1];
        return us + product / rate + (r->flops > product ? (r->flops - product) / (now->math * BLOCKS) : 0);
    }
    if (r->kind == ORR__G_CHOLESKY || r->kind == ORR__G_SOLVE) /* triangles are slower than products */
        return us + 2 * r->flops / (r->out_dtype[0] == ORR_F64 ? now->gemm64 : now->gemm32);
    return us + r->flops / (now->math * USER);
}

double orr__plan_predict(const orr__region *r)
{
    return predict(orr__profile_now(), r);
}

double orr__plan_size(const orr__region *r)
{
    return predict(&orr__profile_fixed, r);
}

bool orr__region_cuttable(const orr__region *r)
{
    if (r->kind == ORR__G_USER)
        return r->user->k.rows;
    return r->kind != ORR__G_SCATTER_ADD && !(r->kind == ORR__G_CHOLESKY && r->rank == 2) && !(r->rows && r->rank == 1);
}

/* Few large matrices. The bits are the same either way. */
bool orr__region_graph(const orr__region *r, double us)
{
    if (r->kind != ORR__G_CHOLESKY || !orr__plan_machine.graphs)
        return false;
    int64_t n = r->dim[r->rank - 1], batch = r->rank > 2 ? r->dim[0] : 1;
    return batch > 0 && batch < 4 * orr__plan_machine.workers && orr__cholesky_tiles(n) > 2 &&
           us > (double)batch * orr__task_worth() * 4;
}

/* With ORRERY_DETERMINISTIC plans are made for so many workers and tasks of so many microseconds, whatever there is and
 * ORRERY_TILE_US says: cuts decide the order of sums. */
enum { ASSUMED_WORKERS = 16, ASSUMED_TILE_US = 200 };

/* A GPU does the work of many cores, and its libraries want large tasks: a tile for each, or as many as make four tiles
 * fit into its memory. */
static int64_t device_tiles(const orr__region *r, int64_t n)
{
    const orr__machine *m = &orr__plan_machine;
    int64_t enough = m->cuda;
    if (orr__env.deterministic || m->cuda == 0 || (orr__cuda.can && !orr__cuda.can(r)))
        return n;
    if (m->device_bytes > 0 && r->bytes / ((double)m->device_bytes / 4) > (double)enough)
        enough = 1 + (int64_t)(r->bytes / ((double)m->device_bytes / 4));
    return n < enough ? n : enough;
}

/* ORRERY_TILE_US=number is obeyed, up to so many tiles for each worker; but a graph's tasks stay countable. */
enum { TILES_ASKED = 64 };

/* Rows of a product's tile, at least, where there are more tiles than workers: each packs the other operand anew, which
 * takes as long as some forty rows. Where devices take a part, that part is to be small. */
static int64_t panel_rows(void)
{
    return orr__plan_machine.devices > 0 && !orr__env.deterministic ? 512 : 2048;
}

/* Few rows, few columns, and many terms: what rows cannot keep all workers busy with, terms can; and as many parts pack the right
 * factor once, where as many tiles of few rows each pack all of it. The sums of the parts must be little beside the factors.
 * Devices take such a product whole. */
int orr__product_parts(const orr__region *r, double us, int tiles)
{
    enum { LEAST_TERMS = 256, MOST = 32, FEW_ROWS = 512, MANY_TERMS = 16384 };
    if (r->kind != ORR__G_MATMUL || r->rank != 3 || !orr__is_float((orr_dtype)r->in_dtype[r->access[0].input]) ||
        orr__plan_machine.devices > 0)
        return 1;
    int64_t m = r->dim[0], n = r->dim[1], k = r->dim[2];
    int64_t most = orr__env.deterministic ? ASSUMED_WORKERS : orr__plan_machine.workers;
    int64_t parts = (int64_t)(us / (orr__env.deterministic ? ASSUMED_TILE_US : orr__task_worth()) + 0.5);
    parts = parts < most ? parts : most;
    parts = parts < k / LEAST_TERMS ? parts : k / LEAST_TERMS;
    parts = parts < MOST ? parts : MOST;
    if (tiles > 1 && m / tiles < FEW_ROWS && k >= MANY_TERMS)
        tiles--; /* as many will do; what has fewer terms may be one of a chain over the same rows */
    while (parts > tiles && (double)parts * (double)m * (double)n * 4 > (double)(m + n) * (double)k)
        parts--;
    return parts > tiles ? (int)parts : 1;
}

static double factor_bytes(const orr__region *r, int o)
{
    int input = r->access[o].input;
    return (double)r->in_count[input] * (double)orr_dtype_size((orr_dtype)r->in_dtype[input]);
}

static bool on_some_device(const orr__region *r)
{
    const orr__machine *m = &orr__plan_machine;
    return (m->opencl && orr__opencl.can(r)) || (m->cuda > 0 && orr__cuda.can(r));
}

/* A tile's task has its rows of the left factor, of the right one a part's, and the sum before and after: each at most an
 * eighth of a device's memory, so that the next task's come meanwhile. Sums decide nothing but bits; with ORRERY_DETERMINISTIC
 * they do not depend on which devices there are. */
int orr__device_parts(const orr__region *r, int *tiles)
{
    double all = (double)orr__plan_machine.device_bytes, share = all / 8;
    if (all <= 0 || orr__env.deterministic || r->kind != ORR__G_MATMUL || r->rank != 3 ||
        !orr__is_float((orr_dtype)r->in_dtype[r->access[0].input]) || !on_some_device(r))
        return 1;
    double left = factor_bytes(r, 0), right = factor_bytes(r, 1), sum = 4.0 * (double)r->out_count;
    if (left / *tiles + right + 2 * sum / *tiles <= all / 10 * 8)
        return 1;
    bool by_terms = orr__product_lies(r, 0) == ORR__LIES_BY_TERMS;
    double rows = (by_terms ? sum : left + sum) / share, parts = (by_terms ? left + right : right) / share + 1;
    if (orr__product_lies(r, 1) != ORR__LIES_BY_TERMS || parts > ORR__PARTS_MOST || rows > (double)r->dim[0] / 16)
        return 1;
    *tiles = rows + 1 > *tiles ? (int)rows + 1 : *tiles;
    return (int)parts;
}

/* Sixteen parts, or more of 16 MB. */
int orr__lean_parts(const orr__region *r, double bytes)
{
    enum { FEW = 16, LEAST_TERMS = 64, LEAST_BYTES = 1 << 18, PART = 16 << 20 };
    int64_t parts = bytes / PART > FEW ? (int64_t)(bytes / PART) : FEW, most = r->dim[2] / LEAST_TERMS;
    parts = parts < most ? parts : most;
    parts = parts < ORR__PARTS_MOST ? parts : ORR__PARTS_MOST;
    return bytes < LEAST_BYTES || parts < 2 ? 1 : (int)parts;
}

/* Of work that nothing is done beside: what n tiles take is latency + us/n + n · task, least where n² = us/task. */
static int64_t soonest(double us, int workers, int64_t otherwise)
{
    const orr__profile *now = orr__profile_now();
    int64_t n = (int64_t)sqrt(us / now->task_us);
    n = n < workers ? n : workers;
    return n > otherwise && now->latency_us + us / (double)n + (double)n * now->task_us < us ? n : otherwise;
}

/* A task must be worth its overhead, the nearest number of tasks counts: two that fall a little short finish before one
 * alone. More tiles than workers only where that evens out the load, or when asked. */
int orr__region_tiles(const orr__region *r, double us, bool alone)
{
    int64_t rows = r->dim[0];
    int workers = orr__env.deterministic ? ASSUMED_WORKERS : orr__plan_machine.workers;
    double aim = orr__env.deterministic ? ASSUMED_TILE_US : orr__task_worth();
    if (rows < 2 || workers < 2 || !orr__region_cuttable(r))
        return 1;
    bool asked = orr__env.tile_us >= 0 && !orr__env.deterministic;
    int64_t n = (int64_t)(us / aim + 0.5), most = us / (4.0 * workers) > 10 * aim ? 4 * (int64_t)workers : workers;
    if (asked)
        most = TILES_ASKED * (int64_t)workers;
    if (n > most)
        n = most;
    if (alone && !asked && !orr__env.deterministic && n < workers)
        n = soonest(us, workers, n);
    if (r->kind == ORR__G_SOLVE && r->rank == 2 && n > rows / 32)
        n = rows / 32;
    if (r->kind == ORR__G_MATMUL && r->rank == 3) {
        if (n > rows / 32)
            n = rows / 32; /* thin panels starve the BLAS kernels */
        if (!asked && n > workers && n > rows / panel_rows())
            n = rows / panel_rows() > workers ? rows / panel_rows() / workers * workers : workers;
    }
    n = device_tiles(r, n < rows ? n : rows);
    return n < 1 ? 1 : (int)n;
}
