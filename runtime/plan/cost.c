/* What a region costs on one core, and into how many tiles it is worth cutting.
 * Must not know: buffers, StarPU. */
#include "config.h"

#include "ops/define.h"
#include "runtime/base/env.h"
#include "runtime/plan/make.h"

orr__machine orr__plan_machine = { .workers = 1 };

/* Rates of one present-day core, deliberately round; measured rates replace them in the planning work to come. */
#define BYTES_PER_US 8000.0   /* streaming                         */
#define OPS_PER_US 2000.0     /* one flop of the block interpreter */
#define GEMM32_PER_US 50000.0
#define GEMM64_PER_US 25000.0
#define PLAIN_PER_US 1000.0   /* a matmul without BLAS             */

double orr__plan_predict(const orr__region *r)
{
    double us = r->bytes / BYTES_PER_US;
    if (r->kind == ORR__G_MATMUL) {
        orr_dtype t = (orr_dtype)r->in_dtype[r->access[0].input];
        double rate = t == ORR_F64 ? GEMM64_PER_US : orr__is_float(t) ? GEMM32_PER_US : PLAIN_PER_US;
        double product = 2.0 * (double)r->out_count * (double)r->dim[r->rank - 1];
        return us + product / rate + (r->flops > product ? (r->flops - product) / OPS_PER_US : 0);
    }
    return us + r->flops / OPS_PER_US;
}

/* May a user's kernel be called for some of its rows? */
static bool user_rows(const orr__region *r)
{
    return r->kind != ORR__G_USER || r->user->k.rows;
}

/* With ORRERY_DETERMINISTIC plans are made for so many workers, however many there are: cuts decide the order of sums. */
enum { ASSUMED_WORKERS = 16 };

/* A task must be worth its overhead; more tiles than workers only where that evens out the load. */
int orr__region_tiles(const orr__region *r, double us)
{
    int64_t rows = r->dim[0];
    int workers = orr__env.deterministic ? ASSUMED_WORKERS : orr__plan_machine.workers;
    double aim = orr__env.tile_us > 0 ? (double)orr__env.tile_us : 1;
    if (rows < 2 || workers < 2 || r->kind == ORR__G_SCATTER_ADD || !user_rows(r) || (r->rows && r->rank == 1))
        return 1;
    int64_t n = (int64_t)(us / aim), most = us / (4.0 * workers) > 10 * aim ? 4 * (int64_t)workers : workers;
    if (n > most)
        n = most;
    if (r->kind == ORR__G_MATMUL && r->rank == 3) {
        if (n > rows / 32)
            n = rows / 32; /* thin panels starve the BLAS kernels */
        if (n > workers && n > rows / 512)
            n = rows / 512 > workers ? rows / 512 : workers; /* each tile packs the other operand anew */
    }
    if (n > rows)
        n = rows;
    return n < 1 ? 1 : (int)n;
}
