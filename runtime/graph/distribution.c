/* The table of distributions, and the arithmetic of block-cyclic sharding.
 * Must not know: operations, how a distribution changes. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include "runtime/graph/distribution.h"
#include "runtime/graph/node.h"

enum { MOST = 4096, GRIDS = 64 };

atomic_bool orr__distributed;
static struct {
    pthread_mutex_t lock;
    atomic_int n, ngrid;
    orr__distribution at[MOST];
    orr_grid *grid[GRIDS];
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool orr__distribution_equal(const orr__distribution *a, const orr__distribution *b)
{
    if (orr__distribution_whole(a) || orr__distribution_whole(b))
        return orr__distribution_whole(a) && orr__distribution_whole(b);
    bool same = a->grid == b->grid;
    for (int g = 0; same && g < a->grid->axes; g++)
        same = orr__spread_equal(a->along[g], b->along[g]);
    return same;
}

int orr__distribution_number(orr__site at, const orr__distribution *d)
{
    int i = 0;
    if (orr__distribution_whole(d))
        return 0;
    if (orr__grid_number(at, d->grid) < 0) /* the table of grids references it */
        return -1;
    pthread_mutex_lock(&table.lock);
    int n = atomic_load(&table.n);
    while (i < n && !orr__distribution_equal(&table.at[i], d))
        i++;
    if (i == n && n < MOST) {
        table.at[i] = *d;
        atomic_store(&table.n, n + 1);
        atomic_store(&orr__distributed, true);
    }
    pthread_mutex_unlock(&table.lock);
    if (i < MOST)
        return i + 1;
    (void)orr__fail(at, ORR_ENOMEM, "more than %d distributions in one process", MOST);
    return -1;
}

orr__distribution orr__distribution_of(int number)
{
    return number > 0 ? table.at[number - 1] : (orr__distribution){ .grid = NULL };
}

int orr__grid_number(orr__site at, orr_grid *g)
{
    int i = 0;
    pthread_mutex_lock(&table.lock);
    int n = atomic_load(&table.ngrid);
    while (i < n && table.grid[i] != g)
        i++;
    if (i == n && n < GRIDS) {
        table.grid[i] = orr__grid_as_rank(at, g->axes, g->extent, g->rank); /* a reference of the table's */
        atomic_store(&table.ngrid, n + 1);
    }
    pthread_mutex_unlock(&table.lock);
    if (i < GRIDS)
        return i;
    (void)orr__fail(at, ORR_ENOMEM, "tensors are distributed over more than %d process grids", GRIDS);
    return -1;
}

orr_grid *orr__grid_of(int number)
{
    return table.grid[number];
}

int64_t orr__spread_places(orr__spread s, int64_t length, int64_t coordinate, int64_t extent)
{
    if (s.kind != ORR__SHARDED)
        return length;
    int64_t cycle = s.block * extent, rest = length % cycle - coordinate * s.block;
    return length / cycle * s.block + (rest < 0 ? 0 : rest > s.block ? s.block : rest);
}

orr_shape orr__distribution_local(const orr__distribution *d, const orr_shape *global)
{
    orr_shape s = *global;
    for (int g = 0; d->grid && g < d->grid->axes; g++)
        if (d->along[g].kind == ORR__SHARDED)
            s.dim[d->along[g].axis] = orr__spread_places(d->along[g], global->dim[d->along[g].axis],
                                                         d->grid->coordinate[g], d->grid->extent[g]);
    return s;
}

bool orr__distribution_of_blocks(const orr__distribution *d, int *rows, int *cols)
{
    *rows = *cols = -1;
    for (int g = 0; d->grid && g < d->grid->axes; g++)
        if (d->along[g].kind == ORR__SHARDED)
            *(d->along[g].axis == 0 ? rows : cols) = g;
        else if (d->along[g].kind == ORR__PARTIAL)
            return false;
    return *rows >= 0 || *cols >= 0;
}

const char *orr__distribution_text(const orr__distribution *d, char *text, size_t size)
{
    static const char *const by[] = { [ORR__RSUM] = "sums", [ORR__RMAX] = "maxima", [ORR__RMIN] = "minima" };
    size_t n = 0;
    if (orr__distribution_whole(d)) {
        (void)snprintf(text, size, "replicated");
        return text;
    }
    for (int g = 0; g < d->grid->axes && n < size; g++) {
        const orr__spread *s = &d->along[g];
        const char *comma = n ? ", " : "";
        int p = (int)d->grid->extent[g];
        if (s->kind == ORR__SHARDED)
            n += (size_t)snprintf(text + n, size - n, "%saxis %d over %d ranks in blocks of %lld", comma, s->axis, p,
                                  (long long)s->block);
        else if (s->kind == ORR__PARTIAL)
            n += (size_t)snprintf(text + n, size - n, "%spartial %s over %d ranks", comma, by[s->rop], p);
    }
    return text;
}
