/* Ranks, barriers and process grids of the public interface.
 * Must not know: how messages travel. */
#include "config.h"
#include "runtime/ranks/ranks.h"

#include "runtime/graph/handle_slot.h"

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
    uint8_t one = 1;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_U8,
                        .group = orr__group_all(),
                        .in = &one,
                        .out = &one,
                        .count = 1,
                        .name = "barrier" };
    return orr__exchange_wait(ORR__SITE(file, line, "barrier"), &x);
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
