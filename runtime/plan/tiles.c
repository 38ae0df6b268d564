/* The number of tiles of a region: enough work in each for a task, and work for all workers.
 * Must not know: buffers, values, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/cholesky.h"
#include "codelets/emit/emit.h"
#include "ops/define.h"
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

/* With ORRERY_DETERMINISTIC plans assume so many workers and tasks of so many µs, regardless of the machine and of
 * ORRERY_TILE_US: tiles determine the order of sums. */
enum { ASSUMED_WORKERS = 16, ASSUMED_TILE_US = 200 }; /* limit of order */

int orr__plan_workers(void)
{
    return orr__env.deterministic ? ASSUMED_WORKERS : orr__machine_here.workers;
}

double orr__plan_task_us(void)
{
    return orr__env.deterministic ? ASSUMED_TILE_US : orr__task_worth();
}

bool orr__region_cuttable(const orr__region *r)
{
    return r->call.op ? orr__call_cuts(&r->call) : !(orr__region_rows(r) && r->rank == 1);
}

/* True for few large matrices. The bits are the same with and without a graph. */
bool orr__region_graph(const orr__region *r, double us)
{
    if (!r->call.op || !(r->call.op->flags & ORR__OP_TILES) || !orr__machine_here.graphs ||
        orr__is_complex((orr_dtype)r->out_dtype[0]))
        return false;
    int64_t n = r->dim[r->rank - 1], batch = r->rank > 2 ? r->dim[0] : 1;
    return batch > 0 && batch < 4 * orr__machine_here.workers && orr__cholesky_tiles(n) > 2 &&
           us > (double)batch * orr__task_worth() * 4;
}

/* True for a long call. A shorter one loses more by its threads' waits than it gains. */
bool orr__region_borrows(const orr__region *r, double us, int tiles)
{
    return tiles == 1 && us >= ORR__T_LONG_PLAN && r->call.op && r->call.op->flags & ORR__OP_BORROWS &&
           orr__machine_here.workers > 1 && !orr__env.deterministic && !orr__ablated(ORR__OFF_BORROW);
}

/* Limits the tiles for GPUs, which do the work of many cores and whose libraries need large tasks: one tile for each
 * GPU, or as many as let four tiles fit into its memory. */
static int64_t device_tiles(const orr__region *r, int64_t n)
{
    const orr__machine *m = &orr__machine_here;
    int64_t enough = m->cuda;
    if (orr__env.deterministic || m->cuda == 0 || (orr__cuda.can && !orr__cuda.can(r)))
        return n;
    if (m->device_bytes > 0 && r->bytes / ((double)m->device_bytes / 4) > (double)enough)
        enough = 1 + (int64_t)(r->bytes / ((double)m->device_bytes / 4));
    return ORR__MIN(n, enough);
}

/* The most tiles per worker that ORRERY_TILE_US=number can request, so that the number of tasks stays bounded. */
enum { TILES_ASKED = 64 }; /* limit of a promise */

/* The least rows of a product's tile if there are more tiles than workers: each packs the other operand, which takes
 * as long as some forty rows. Fewer with devices, so that their part of the work is small. */
static int64_t panel_rows(void)
{
    return orr__machine_here.devices > 0 && !orr__env.deterministic ? ORR__T_PART_ROWS : ORR__T_PANEL_ROWS;
}

/* The number of tiles, at most n, so that each has the rows of a panel, but not fewer tiles than workers if n is
 * more. */
static int64_t by_panels(int64_t n, int64_t rows, int64_t panel, int workers)
{
    if (n <= workers || n <= rows / panel)
        return n;
    return rows / panel > workers ? rows / panel / workers * workers : workers;
}

/* The fastest number of tiles of a plan's only step. n tiles take latency + us/n + n · task, which is least at n² =
 * us/task. */
static int64_t soonest(double us, int workers, int64_t otherwise)
{
    const orr__profile *now = orr__profile_now();
    int64_t n = (int64_t)sqrt(us / now->task_us);
    n = ORR__MIN(n, workers);
    return n > otherwise && now->latency_us + us / (double)n + (double)n * now->task_us < us ? n : otherwise;
}

/* A task must be worth its overhead. The number of tasks is rounded to the nearest: two that fall a little short
 * finish before one alone. More tiles than workers only if that balances the load, or on request. */
int orr__region_tiles(const orr__region *r, double us, bool alone)
{
    int64_t rows = r->dim[0];
    int workers = orr__plan_workers();
    double aim = orr__plan_task_us();
    if (rows < 2 || workers < 2 || orr__machine_here.whole || !orr__region_cuttable(r))
        return 1;
    bool asked = orr__env.tile_us >= 0 && !orr__env.deterministic;
    int64_t n = (int64_t)(us / aim + 0.5),
            most = us / (4.0 * workers) > ORR__T_CUT_AMONG * aim ? 4 * (int64_t)workers : workers;
    if (asked)
        most = TILES_ASKED * (int64_t)workers;
    if (n > most)
        n = most;
    bool soon = alone || us > ORR__T_CUT_AMONG * orr__profile_now()->latency_us;
    if (soon && !orr__ablated(ORR__OFF_CUT_ALONE) && !asked && !orr__env.deterministic && n < workers)
        n = soonest(us, workers, n);
    if (r->call.op && r->call.op->flags & ORR__OP_BLAS && r->rank == 2 && n > rows / ORR__T_TILE_ROWS)
        n = rows / ORR__T_TILE_ROWS;
    if (r->loops == ORR__LOOPS_PRODUCT && r->rank == 3) {
        if (n > rows / ORR__T_TILE_ROWS)
            n = rows / ORR__T_TILE_ROWS; /* thin panels starve the BLAS kernels */
        n = by_panels(n, rows, asked ? 1 : panel_rows(), workers);
    }
    if (r->call.op && r->call.op->panel && !asked)
        n = by_panels(n, rows, r->call.op->panel, workers);
    n = device_tiles(r, ORR__MIN(n, rows));
    return n < 1 ? 1 : (int)n;
}

void orr__step_cut(orr__plan *pl, orr__step *s, int64_t tile)
{
    const orr__region *r = s->region;
    int64_t rows = r->dim[0];
    s->rows = tile;
    s->ntiles = rows ? (int)((rows + s->rows - 1) / s->rows) : 1;
    for (int k = 0; k < r->nout; k++) {
        orr__value *v = &pl->value[s->out[k]];
        v->ntiles = s->ntiles;
        v->tile = s->partial ? r->out_count : s->ntiles > 1 ? s->rows * (v->count / rows) : v->count;
    }
}

/* The number of parts of a fold along axis 0 for a crew, which can share such a fold only by the parts of its plan. */
static int crew_parts(double us)
{
    const orr__machine *m = &orr__machine_here;
    if (m->workers < 2 || m->devices > 0 || orr__env.deterministic || orr__env.tile_us >= 0 ||
        orr__ablated(ORR__OFF_CREW))
        return 1;
    return us < 2 * ORR__T_SHARE ? 1 : us < ORR__T_SHARE * m->workers ? (int)(us / ORR__T_SHARE) : m->workers;
}

/* A reduction of axis 0 has one tile; its shares are for split_reduction. */
orr_status orr__pass_tiles(orr__planner *p)
{
    p->plan->renewal.alone = p->regions.n == 1 && !p->low_memory;
    for (int j = 0; j < p->regions.n; j++) {
        const orr__region *r = &p->regions.region[j];
        bool across = (r->rmask & 1u) != 0;
        double us = orr__model_expect(r);
        int n = orr__region_tiles(r, us, p->plan->renewal.alone), parts = across ? crew_parts(us) : 1;
        n = ORR__MAX(parts, n);
        p->cut[j] = (orr__cut){ .us = us, .tiles = across ? 1 : n, .shares = across ? n : 1, .parts = 1 };
    }
    return ORR_OK;
}
