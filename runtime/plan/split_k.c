/* The number of parts into which a product is cut along its terms: for workers that its rows do not keep busy, for a device that cannot
 * hold a factor, or for memory that cannot.
 * Must not know: how the region of a part looks, values, StarPU. */
#include "config.h"

#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

/* For few rows, few columns and many terms. Parts keep all workers busy where rows cannot. All parts together pack the right factor
 * once, while each tile of few rows packs all of it. The sums of the parts must be small compared with the factors. Devices compute such
 * a product as a whole. */
static int parts_for_workers(const orr__region *r, double us, int tiles)
{
    if (r->loops != ORR__LOOPS_PRODUCT || r->rank != 3 || !orr__is_float((orr_dtype)r->in_dtype[r->access[0].input]) ||
        orr__machine_here.devices > 0)
        return 1;
    const orr__profile *now = orr__profile_now();
    int64_t m = r->dim[0], n = r->dim[1], k = r->dim[2];
    int64_t most = orr__plan_workers(), parts = (int64_t)(us / orr__plan_task_us() + 0.5);
    parts = ORR__MIN(parts, most);
    double packed = (double)k * (double)n * (double)orr_dtype_size((orr_dtype)r->in_dtype[r->access[1].input]);
    if (tiles > 1 && m / tiles < ORR__T_PART_ROWS && orr__profile_move(now, packed) > now->latency_us)
        tiles--; /* as many parts will do: they save a copy of the right factor, which takes longer than to join them */
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
    const orr__machine *m = &orr__machine_here;
    return (m->opencl && orr__opencl.can(r)) || (m->cuda > 0 && orr__cuda.can(r));
}

/* A tile's task has its rows of the left factor, one part of the right factor, and the sum before and after. Each is at most an eighth
 * of a device's memory, so that the data of the next task arrive meanwhile. The order of sums affects bits alone; with
 * ORRERY_DETERMINISTIC it does not depend on the devices present. */
static int parts_for_device(const orr__region *r, int *tiles)
{
    double all = (double)orr__machine_here.device_bytes, share = all / 8;
    if (all <= 0 || orr__ablated(ORR__OFF_DEVICE_PARTS) || orr__env.deterministic || r->loops != ORR__LOOPS_PRODUCT ||
        r->rank != 3 || !orr__is_float((orr_dtype)r->in_dtype[r->access[0].input]) || !on_some_device(r))
        return 1;
    double left = factor_bytes(r, 0), right = factor_bytes(r, 1), sum = 4.0 * (double)r->out_count;
    if (left / *tiles + right + 2 * sum / *tiles <= all / 10 * 8)
        return 1;
    bool by_terms = orr__product_factor_order(r, 0) == ORR__FACTOR_BY_TERMS;
    double rows = (by_terms ? sum : left + sum) / share, parts = (by_terms ? left + right : right) / share + 1;
    if (orr__product_factor_order(r, 1) != ORR__FACTOR_BY_TERMS || parts > ORR__PARTS_MOST ||
        rows > (double)r->dim[0] / 16)
        return 1;
    *tiles = rows + 1 > *tiles ? (int)rows + 1 : *tiles;
    return (int)parts;
}

/* Sixteen parts, or more parts of 16 MB each. */
static int parts_for_memory(const orr__region *r, double bytes)
{
    enum { LEAST_TERMS = 2 * ORR__T_TILE_ROWS, PART = ORR__T_LAST_CACHE / 2 };
    int64_t parts = ORR__MAX((int64_t)(bytes / PART), ORR__T_FEW_LINES), most = r->dim[2] / LEAST_TERMS;
    parts = ORR__MIN(parts, most);
    parts = ORR__MIN(parts, ORR__PARTS_MOST);
    return bytes < ORR__CACHE_SHARE || parts < 2 ? 1 : (int)parts;
}

/* The number of parts of product j whose factors are made for one part alone; 1: there are no such factors. */
static int parts_of_made_factors(const orr__planner *p, int j)
{
    const orr__region *map[2] = { NULL, NULL };
    double bytes = 0;
    for (int o = 0; o < 2 && p->regions.region[j].loops == ORR__LOOPS_PRODUCT; o++)
        if ((map[o] = orr__factor_by_parts(p, j, o)) && map[o] != map[1 - o])
            bytes += (double)map[o]->out_count * (double)orr_dtype_size((orr_dtype)map[o]->out_dtype[0]);
    return bytes > 0 ? parts_for_memory(&p->regions.region[j], bytes) : 1;
}

/* Marks the factors of product j that are made for the terms of one part alone. */
static void find_made_factors(orr__planner *p, const orr__readers *readers, int j)
{
    int i[2];
    const orr__region *w = &p->regions.region[j];
    for (int o = 0; o < 2; o++)
        i[o] = orr__factor_maker(p->capture, &p->regions, readers, j, o);
    if (w->loops == ORR__LOOPS_PRODUCT && w->in[w->access[0].input] == w->in[w->access[1].input])
        i[0] = i[1] = i[0] >= 0 ? i[0] : i[1];
    for (int o = 0; o < 2; o++)
        p->cut[j].made[o] = i[o] + 1;
    bool worth = parts_of_made_factors(p, j) > 1;
    for (int o = 0; o < 2; o++) {
        p->cut[j].made[o] = worth ? i[o] + 1 : 0;
        if (worth && i[o] >= 0)
            p->cut[i[o]].made_for = j + 1;
    }
}

orr_status orr__pass_split_k(orr__planner *p)
{
    bool made = p->low_memory && !orr__ablated(ORR__OFF_MADE_FACTORS);
    orr__readers readers = { NULL, NULL };
    if (made && !orr__readers_find(p->capture, &p->regions, &readers)) {
        orr__readers_free(&readers);
        return orr__plan_enomem(p);
    }
    for (int j = 0; j < p->regions.n; j++) {
        const orr__region *r = &p->regions.region[j];
        orr__cut *c = &p->cut[j];
        if (made)
            find_made_factors(p, &readers, j);
        int tiles = c->tiles, parts = parts_of_made_factors(p, j);
        if (parts > 1 || (parts = parts_for_device(r, &tiles)) > 1) {
            c->parts = parts;
            c->in_turn = tiles;
        } else if (!p->low_memory) {
            c->parts = parts_for_workers(r, c->us, c->tiles);
        }
    }
    orr__readers_free(&readers);
    return ORR_OK;
}
