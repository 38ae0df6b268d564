/* Products and Cholesky factorisations over ranks as graphs of tasks on tiles.
 * Must not know: how a tile is computed, how tensors are distributed, how tiles are sent. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "codelets/tile_product.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/tile_graph.h"

/* -- on a worker -------------------------------------------------------------------------------------------------- */

/* Copies the rows of a tile from the matrix to the tile; in a diagonal tile, writes zeros above the diagonal. */
static void open_tile(const orr__tile_job *a, const orr__tileat *tile)
{
    const orr__block_cyclic *d = a->o->mat[0].d;
    size_t z = orr_dtype_size(a->o->dtype);
    bool diagonal = a->kind == ORR__SYRK || a->kind == ORR__POTRF;

    for (int64_t r = 0; r < a->extent[0]; r++) {
        const char *from = a->o->from + (size_t)(a->place + r * d->ld) * z;
        char *to = (char *)tile->p + (size_t)(r * tile->ld) * z;
        size_t kept = (size_t)(diagonal ? r + 1 : a->extent[1]) * z;
        if (to != from)
            memcpy(to, from, kept);
        memset(to + kept, 0, (size_t)a->extent[1] * z - kept);
    }
}

/* Copies a finished tile to its place in the factor. */
static void close_tile(const orr__tile_job *a, const orr__tileat *tile)
{
    const orr__block_cyclic *d = a->o->mat[0].d;
    size_t z = orr_dtype_size(a->o->dtype);

    for (int64_t r = 0; r < a->extent[0]; r++)
        memcpy((char *)d->local + (size_t)(a->place + r * d->ld) * z,
               (const char *)tile->p + (size_t)(r * tile->ld) * z, (size_t)a->extent[1] * z);
}

/* Clears a tile above the diagonal. */
static void clear_tile(const orr__tile_job *a)
{
    const orr__block_cyclic *d = a->o->mat[0].d;
    size_t z = orr_dtype_size(a->o->dtype);

    for (int64_t r = 0; r < a->extent[0]; r++)
        memset((char *)d->local + (size_t)(a->place + r * d->ld) * z, 0, (size_t)a->extent[1] * z);
}

static orr_status compute(const orr__tile_job *a, const orr__tileat *at)
{
    int64_t minor = 0;
    orr_status st;

    if (a->kind == ORR__TILE_CLEAR) {
        clear_tile(a);
        return ORR_OK;
    }
    if (a->opens)
        open_tile(a, &at[0]);
    if (a->kind == ORR__TILE_PRODUCT)
        return orr__tile_product(&(orr__tileproduct){ a->extent[0], a->extent[1], a->extent[2], a->ta, a->tb, a->add },
                                 a->o->dtype, at);
    st = orr__cholesky_apply((orr__tilekind)a->kind, a->o->dtype, a->extent, at, &minor);
    if (minor) {
        long long was = atomic_load(&a->o->minor), is = a->first + minor;
        while (is < was && !atomic_compare_exchange_weak(&a->o->minor, &was, is))
            continue;
    }
    if (a->o->apart && (a->kind == ORR__POTRF || a->kind == ORR__TRSM)) /* no later task writes the tile */
        close_tile(a, &at[0]);
    return st;
}

/* -- insertion ---------------------------------------------------------------------------------------------------- */

/* Inserts tasks that clear this rank's tiles of row i above the diagonal. No task waits for them, so they run while a worker would wait
 * for tiles. They are counted after the last panel. */
static int insert_clear(orr__tile_graph *o, int i)
{
    const orr__tile_matrix *m = &o->mat[0];
    const int64_t *at = o->axis[0].at;
    int err = 0;

    for (int j = i + 1; j < o->axis[0].n && err == 0; j++) {
        orr__tile_job a = {
            .o = o, .kind = ORR__TILE_CLEAR, .panel = o->panels, .extent = { at[i + 1] - at[i], at[j + 1] - at[j] }
        };
        if (orr__tile_owner(m, i, j) != o->rank)
            continue;
        a.place = orr__tile_place(m, i, j);
        err = orr__tile_insert_here(o, &a, orr__star_policy_priority(STARPU_CPU, 0));
    }
    return err;
}

static int insert_cholesky(orr__tile_graph *o)
{
    orr__tile_matrix *m = &o->mat[0];
    const int64_t *at = o->axis[0].at;
    int n = o->axis[0].n, err = 0;

    for (int k = 0; k < n; k++) {
        orr__tile_job a = { .o = o, .panel = k, .add = true, .opens = k == 0, .first = at[k] };
        a.extent[2] = at[k + 1] - at[k];
        orr__tile_room(o, k);
        for (int j = k; j < n; j++) /* in each column, the tasks that the next panel waits for come first */
            for (int i = j; i < n && err == 0; i++) {
                orr__tile_use t[3] = { { m, i, j }, { m, i, k }, { m, j, k } };
                a.kind = j > k ? (i > j ? ORR__GEMM : ORR__SYRK) : i > k ? ORR__TRSM : ORR__POTRF;
                a.extent[0] = at[i + 1] - at[i];
                a.extent[1] = at[j + 1] - at[j];
                if (a.kind == ORR__TRSM)
                    t[1] = (orr__tile_use){ m, k, k };
                err = orr__tile_insert(o, &a, t,
                                       a.kind == ORR__POTRF  ? 1
                                       : a.kind == ORR__GEMM ? 3
                                                             : 2,
                                       orr__tile_urgency(j, n,
                                                         a.kind == ORR__POTRF  ? 0
                                                         : a.kind == ORR__TRSM ? 1
                                                                               : 2));
            }
        for (int i = k; i < n; i++)
            orr__tile_last_use(o, m, i, k);
        if (err == 0)
            err = insert_clear(o, k);
    }
    return err;
}

static int insert_product(orr__tile_graph *o)
{
    bool ta = o->mat[1].row == &o->axis[2], tb = o->mat[2].row == &o->axis[1];
    orr__tile_matrix *c = &o->mat[0], *a = &o->mat[1], *b = &o->mat[2];
    const orr__cuts *mi = &o->axis[0], *nj = &o->axis[1], *kk = &o->axis[2];
    bool empty = kk->n == 0; /* empty sums: there are no tiles to read */
    int err = 0;

    for (int k = 0; k < o->panels; k++) {
        orr__tile_room(o, k);
        for (int i = 0; i < mi->n; i++)
            for (int j = 0; j < nj->n && err == 0; j++) {
                orr__tile_job w = { .o = o, .kind = ORR__TILE_PRODUCT, .panel = k, .ta = ta, .tb = tb, .add = k > 0 };
                orr__tile_use t[3] = { { c, i, j }, { a, ta ? k : i, ta ? i : k }, { b, tb ? j : k, tb ? k : j } };
                w.extent[0] = mi->at[i + 1] - mi->at[i];
                w.extent[1] = nj->at[j + 1] - nj->at[j];
                w.extent[2] = empty ? 0 : kk->at[k + 1] - kk->at[k];
                err = orr__tile_insert(o, &w, t, empty ? 1 : 3, orr__tile_urgency(k, o->panels, 0));
            }
        if (empty)
            break;
        for (int i = 0; i < mi->n; i++)
            orr__tile_last_use(o, a, ta ? k : i, ta ? i : k);
        for (int j = 0; j < nj->n; j++)
            orr__tile_last_use(o, b, tb ? j : k, tb ? k : j);
    }
    return err;
}

/* -- from the call to the status ---------------------------------------------------------------------------------- */

static orr_status product(orr__site at, orr_dtype t, const orr__block_cyclic *c, const orr__block_cyclic *a, bool ta,
                          const orr__block_cyclic *b, bool tb)
{
    orr__tile_graph o = { .at = at, .rank = orr__rank(), .dtype = t, .compute = compute };
    int64_t k = ta ? a->rows : a->cols;
    int64_t row[2] = { c->block_rows, ta ? a->block_cols : a->block_rows };
    int64_t col[2] = { c->block_cols, tb ? b->block_rows : b->block_cols };
    int64_t in[2] = { ta ? a->block_rows : a->block_cols, tb ? b->block_cols : b->block_rows };
    int rows[2] = { c->grid_rows, ta ? a->grid_cols : a->grid_rows };
    int cols[2] = { c->grid_cols, tb ? b->grid_rows : b->grid_cols };
    int ins[2] = { ta ? a->grid_rows : a->grid_cols, tb ? b->grid_cols : b->grid_rows };

    bool memory = orr__cuts_make(&o.axis[0], c->rows, row, rows, ORR__T_PART_ROWS) &&
                  orr__cuts_make(&o.axis[1], c->cols, col, cols, ORR__T_PART_ROWS) &&
                  orr__cuts_make(&o.axis[2], k, in, ins, ORR__T_PART_ROWS);
    const orr__cuts *ra = &o.axis[ta ? 2 : 0], *ca = &o.axis[ta ? 0 : 2], *rb = &o.axis[tb ? 1 : 2],
                    *cb = &o.axis[tb ? 2 : 1];
    o.panels = o.axis[2].n > 0 ? o.axis[2].n : 1;
    memory = memory && orr__tile_matrix_make(&o.mat[0], c, &o.axis[0], &o.axis[1]) &&
             orr__tile_matrix_make(&o.mat[1], a, ra, ca) && orr__tile_matrix_make(&o.mat[2], b, rb, cb) &&
             (o.left = calloc((size_t)o.panels + 1, sizeof *o.left));
    return orr__tile_run(&o, memory, insert_product);
}

static orr_status cholesky(orr__site at, orr_dtype t, const orr__block_cyclic *a, const void *from)
{
    orr__tile_graph o = { .at = at,
                          .rank = orr__rank(),
                          .dtype = t,
                          .from = from,
                          .apart = orr__ranks() > 1,
                          .compute = compute,
                          .irregular = { "the matrix is not positive definite: its leading minor of order",
                                         "is not positive" } };
    int64_t block[2] = { a->block_rows, a->block_cols };
    int parts[2] = { a->grid_rows, a->grid_cols };

    bool memory = orr__cuts_make(&o.axis[0], a->rows, block, parts, orr__cholesky_block(a->rows)) &&
                  orr__tile_matrix_make(&o.mat[0], a, &o.axis[0], &o.axis[0]) &&
                  (o.left = calloc((size_t)o.axis[0].n + 1, sizeof *o.left));
    o.panels = o.axis[0].n;
    return orr__tile_run(&o, memory, insert_cholesky);
}

static bool can(void)
{
    return orr__star.cpus > 0 && (orr__ranks() == 1 || orr__star_mpi_found());
}

const orr__block_cyclic_impl orr__star_block_cyclic = { can, product, cholesky, orr__star_lu, orr__star_mpi_long_naps };
