/* Ranks, barriers and process grids of the public interface.
 * Must not know: how messages travel. */
#include "config.h"
#include "runtime/ranks/ranks.h"

#include <stdlib.h>
#include "runtime/api/eval.h"
#include "runtime/base/pool.h"

int orr_rank(void)
{
    return orr__rank();
}

int orr_ranks(void)
{
    return orr__ranks();
}

orr_status orr_barrier_at(const char *file, int line)
{
    orr__site at = ORR__SITE(file, line, "barrier");
    orr_status st = orr__need_running(at);
    if (st != ORR_OK)
        return st;
    orr__meeting *all = orr__alloc_n((size_t)orr__ranks(), sizeof *all);
    st = orr__ranks_meet(at, (orr__meeting){ .call = orr__ranks_call("barrier") }, all);
    free(all);
    return st;
}

orr_grid *orr_grid_make_at(const char *file, int line, int axes, const int64_t *extent)
{
    return orr__grid_make(ORR__SITE(file, line, "grid_make"), axes, extent);
}

void orr_grid_free(orr_grid *g)
{
    orr__grid_free(g);
}

int64_t orr_grid_place(const orr_grid *g, int axis)
{
    return g && axis >= 0 && axis < g->axes ? g->coordinate[axis] : -1;
}
