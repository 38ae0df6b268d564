/* Products, Cholesky and LU factorisations over ranks, by the running engine.
 * Must not know: how ranks exchange data. */
#include "config.h"
#include "runtime/engine/block_cyclic.h"
#include "runtime/engine/execution.h"
#include "runtime/ranks/ranks.h"

int64_t orr__block_cyclic_extent(int64_t n, int64_t block, int parts, int part)
{
    if (parts == 1)
        return part == 0 ? n : 0;
    int64_t whole = n / block, rest = n % block, more = whole % parts;
    return whole / parts * block + (part < more ? block : part == more ? rest : 0);
}

static bool all_can; /* the engines of all ranks */

static bool engine_can(void)
{
    const orr__engine_impl *e = orr__engine_now();
    return e && e->block_cyclic && e->block_cyclic->can();
}

bool orr__block_cyclic_can(void)
{
    return engine_can() && (orr__ranks() == 1 || all_can);
}

orr_status orr__block_cyclic_agree(orr__site at)
{
    int64_t can = engine_can();
    orr_status st = orr__exchange_wait(at, &(orr__exchange){ .kind = ORR__EXCHANGE_ALL_REDUCE,
                                                             .reduction = ORR__REDUCTION_MIN,
                                                             .dtype = ORR_I64,
                                                             .group = orr__group_all(),
                                                             .in = &can,
                                                             .out = &can,
                                                             .count = 1,
                                                             .name = "agreement" });
    all_can = st == ORR_OK && can;
    return st;
}

long long orr__block_cyclic_long_naps(void)
{
    return orr__block_cyclic_can() ? orr__engine_now()->block_cyclic->long_naps() : 0;
}

static orr_status check(orr__site at, orr_dtype t, bool fits)
{
    if (!orr__block_cyclic_can())
        return orr__fail(
            at, ORR_EDEVICE,
            "tiles over ranks need StarPU with a CPU worker, and StarPU-MPI (libstarpu-dev) with MPI_THREAD_MULTIPLE");
    if (t != ORR_F32 && t != ORR_F64)
        return orr__fail(at, ORR_EINTERNAL, "tiles over ranks are f32 or f64, not %s", orr_dtype_name(t));
    return fits ? ORR_OK : orr__fail(at, ORR_EINTERNAL, "the extents of the matrices over ranks do not fit");
}

orr_status orr__block_cyclic_product(orr__site at, orr_dtype t, const orr__block_cyclic *c, const orr__block_cyclic *a,
                                     bool ta, const orr__block_cyclic *b, bool tb)
{
    int64_t m = ta ? a->cols : a->rows, k = ta ? a->rows : a->cols, n = tb ? b->rows : b->cols;
    orr_status st = check(at, t, c->rows == m && c->cols == n && k == (tb ? b->cols : b->rows));
    return st == ORR_OK ? orr__engine_now()->block_cyclic->product(at, t, c, a, ta, b, tb) : st;
}

orr_status orr__block_cyclic_cholesky(orr__site at, orr_dtype t, const orr__block_cyclic *a, const void *from)
{
    orr_status st = check(at, t, a->rows == a->cols);
    return st == ORR_OK ? orr__engine_now()->block_cyclic->cholesky(at, t, a, from) : st;
}

/* True if X has its rows on the ranks of A's rows, and its columns on the grid. */
static bool lies_beside(const orr__block_cyclic *a, const orr__block_cyclic *x)
{
    return x->rows == a->rows && x->block_rows == a->block_rows && x->grid_rows == a->grid_rows &&
           x->grid_cols == a->grid_cols && x->first == a->first && x->row_step == a->row_step &&
           x->col_step == a->col_step;
}

orr_status orr__block_cyclic_lu_of(orr__site at, orr_dtype t, const orr__block_cyclic_lu *lu)
{
    int64_t n = lu->a->rows;
    orr_status st = check(at, t, (lu->a->cols == n || lu->a->cols == n + 1) && (!lu->x || lies_beside(lu->a, lu->x)));
    return st == ORR_OK ? orr__engine_now()->block_cyclic->lu(at, t, lu) : st;
}
