/* Process grids: all ranks as the places of an array; groups of ranks along its axes.
 * Must not know: messages, tensors. */
#include "config.h"
#include "runtime/ranks/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr_grid *grids;

static void place_of(const orr_grid *g, int rank, int64_t *place)
{
    for (int k = g->axes - 1; k >= 0; k--) {
        place[k] = rank % g->extent[k];
        rank = (int)(rank / g->extent[k]);
    }
}

static int rank_at(const orr_grid *g, const int64_t *place)
{
    int64_t rank = 0;
    for (int k = 0; k < g->axes; k++)
        rank = rank * g->extent[k] + place[k];
    return (int)rank;
}

/* Lists the ranks that differ from g->rank along the axes of the mask only; returns their number. */
static int list_group(orr_grid *g, unsigned mask, int *list)
{
    int64_t size = 1;
    for (int k = 0; k < g->axes; k++)
        size *= mask >> k & 1u ? g->extent[k] : 1;
    for (int64_t i = 0; i < size; i++) {
        int64_t place[ORR__GRID_AXES], rest = i;
        memcpy(place, g->coordinate, sizeof place);
        for (int k = g->axes - 1; k >= 0; k--)
            if (mask >> k & 1u) {
                place[k] = rest % g->extent[k];
                rest /= g->extent[k];
            }
        list[i] = rank_at(g, place);
        if (list[i] == g->rank)
            g->group[mask].self = (int)i;
    }
    g->group[mask].rank = list;
    g->group[mask].ranks = (int)size;
    return (int)size;
}

/* Checks the extents and computes the one that is −1. */
static orr_status extents_of(orr__site at, int axes, const int64_t *extent, int ranks, int64_t *out)
{
    if (axes < 1 || axes > ORR_GRID_AXES || !extent)
        return orr__fail(at, ORR_EINVAL, "a process grid has 1 to %d axes, not %d", ORR_GRID_AXES, axes);
    int64_t known = 1;
    int open = -1;
    for (int k = 0; k < axes; k++) {
        if (extent[k] == -1 && open < 0)
            open = k;
        else if (extent[k] < 1 || extent[k] > ranks)
            return orr__fail(at, ORR_EINVAL,
                             "extent %lld of axis %d: with %d ranks it is from 1 to %d, and one may be -1",
                             (long long)extent[k], k, ranks, ranks);
        else
            known *= extent[k];
        out[k] = extent[k];
    }
    if (open >= 0)
        out[open] = ranks / known;
    if ((open >= 0 ? known * out[open] : known) != ranks)
        return orr__fail(at, ORR_EINVAL, "the extents of the grid make %lld places, and there are %d ranks",
                         (long long)known, ranks);
    return ORR_OK;
}

static orr_grid *make(orr__site at, int axes, const int64_t *extent, int rank, int ranks)
{
    orr_grid *g = calloc(1, sizeof *g);
    int *list = calloc(((size_t)ranks << axes) + 1, sizeof *list);
    if (!g || !list) {
        free(g);
        free(list);
        (void)orr__fail(at, ORR_ENOMEM, "a process grid of %d ranks cannot be had", ranks);
        return NULL;
    }
    g->axes = axes;
    g->rank = rank;
    g->list = list;
    g->users = 1;
    memcpy(g->extent, extent, (size_t)axes * sizeof *extent);
    place_of(g, rank, g->coordinate);
    for (unsigned mask = 0; mask < 1u << axes; mask++)
        list += list_group(g, mask, list);
    return g;
}

static bool same(const orr_grid *g, int axes, const int64_t *extent, int rank)
{
    return g->axes == axes && g->rank == rank && memcmp(g->extent, extent, (size_t)axes * sizeof *extent) == 0;
}

static orr_grid *find_or_make(orr__site at, int axes, const int64_t *wanted, int rank, int ranks)
{
    int64_t extent[ORR__GRID_AXES];
    if (extents_of(at, axes, wanted, ranks, extent) != ORR_OK)
        return NULL;
    pthread_mutex_lock(&lock);
    orr_grid *g = grids;
    while (g && !same(g, axes, extent, rank))
        g = g->next;
    if (g)
        g->users++;
    else if ((g = make(at, axes, extent, rank, ranks))) {
        g->next = grids;
        grids = g;
    }
    pthread_mutex_unlock(&lock);
    return g;
}

orr_grid *orr__grid_make(orr__site at, int axes, const int64_t *extent)
{
    return find_or_make(at, axes, extent, orr__rank(), orr__ranks());
}

orr_grid *orr__grid_as_rank(orr__site at, int axes, const int64_t *extent, int rank)
{
    int64_t ranks = 1;
    for (int k = 0; k < axes && k < ORR_GRID_AXES; k++)
        ranks *= extent[k];
    return find_or_make(at, axes, extent, rank, (int)ranks);
}

void orr__grid_free(orr_grid *g)
{
    if (!g)
        return;
    pthread_mutex_lock(&lock);
    bool last = --g->users == 0;
    for (orr_grid **p = &grids; last && *p; p = &(*p)->next)
        if (*p == g) {
            *p = g->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (last) {
        free(g->list);
        free(g);
    }
}

const orr__group *orr__grid_group(const orr_grid *g, unsigned mask)
{
    return &g->group[mask & ((1u << g->axes) - 1)];
}
