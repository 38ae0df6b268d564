/* LU factorisations with row exchanges over ranks, and solves by them, as graphs of tasks on tiles. The owner of a diagonal tile gathers the
 * column below it and factors it as a panel, so that pivots are those of LAPACK. In each other column of tiles the ranks of that column
 * send the rows that go up to the owner of the top tile, which sends its former rows to them; then the tiles are updated. The column of
 * the next panel comes first, so that its panel does not wait for the other columns.
 * Must not know: how a tile is computed, how tensors are distributed, how tiles are sent. */
#include "config.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/lu_tiles.h"
#include "runtime/engine/starpu/tile_graph.h"

/* The matrices of tiles. PANEL: factored panels; MOVES: their row exchanges; OLD: top tiles before the exchanges; TAKEN: the rows that go up,
 * of each row of the grid. */
enum { A, X, PANEL, MOVES, OLD, TAKEN };
enum { SOURCE = ORR__LU_SOURCE, TARGET = ORR__LU_TARGET, TOP = ORR__LU_TOP };

typedef struct {
    orr__tile_graph g; /* first */
    const orr__block_cyclic_lu *in;
    int n, columns;   /* tiles along A; along A and X */
    bool keeps;       /* both triangles */
    int64_t *move;    /* of all panels, ORR__LU_MOVES rows; −1: of a panel of another rank */
    double *diagonal; /* −∞: on another rank */
} factorisation;

/* -- tiles ---------------------------------------------------------------------------------------------------------- */

static const orr__cuts *rows_of(const factorisation *f)
{
    return &f->g.axis[0];
}

static int64_t length(const factorisation *f, int i)
{
    return orr__cut_length(rows_of(f), i);
}

/* Tile i of column j of [A X]. */
static orr__tile_use tile_of(const factorisation *f, int i, int j)
{
    const orr__tile_matrix *m = &f->g.mat[j < f->n ? A : X];
    return (orr__tile_use){ (orr__tile_matrix *)(uintptr_t)m, i, j < f->n ? j : j - f->n };
}

static int64_t width(const factorisation *f, int j)
{
    return j < f->n ? length(f, j) : orr__cut_length(&f->g.axis[1], j - f->n);
}

static int owner_of(orr__tile_use u)
{
    return orr__tile_owner(u.m, u.i, u.j);
}

static int grid_row_of(const factorisation *f, int64_t row)
{
    return orr__tile_part(row, f->in->a->block_rows, f->in->a->grid_rows);
}

static int owner_of_panel(const void *of, int i, int k, int64_t extent[2])
{
    const factorisation *f = of;
    extent[0] = length(f, i);
    extent[1] = length(f, k);
    return owner_of(tile_of(f, k, k));
}

static int owner_of_moves(const void *of, int i, int k, int64_t extent[2])
{
    const factorisation *f = of;
    (void)i;
    extent[0] = ORR__LU_MOVES;
    extent[1] = length(f, k);
    return owner_of(tile_of(f, k, k));
}

static int owner_of_old(const void *of, int k, int j, int64_t extent[2])
{
    const factorisation *f = of;
    extent[0] = length(f, k);
    extent[1] = width(f, j);
    return owner_of(tile_of(f, k, j));
}

/* j: of the column and the row of the grid. */
static int owner_of_taken(const void *of, int k, int j, int64_t extent[2])
{
    const factorisation *f = of;
    const orr__block_cyclic *d = f->in->a;
    int column = j / d->grid_rows, top = owner_of_old(of, k, column, extent);
    return top + (j % d->grid_rows - grid_row_of(f, rows_of(f)->at[k])) * d->row_step;
}

/* True if a row of the grid has tiles in rows k … of a column. */
static bool has_rows(const factorisation *f, int k, int grid_row)
{
    for (int i = k; i < f->n; i++)
        if (grid_row_of(f, rows_of(f)->at[i]) == grid_row)
            return true;
    return false;
}

/* -- on a worker ---------------------------------------------------------------------------------------------------- */

static char *element(const orr__block_cyclic *d, const void *p, int64_t ld, int64_t row, int64_t col, size_t size)
{
    return (char *)(uintptr_t)p + (size_t)(orr__tile_place_along(row, d->block_rows, d->grid_rows) * ld +
                                           orr__tile_place_along(col, d->block_cols, d->grid_cols)) *
                                      size;
}

static void load(const factorisation *f, const orr__tile_job *a, const orr__tileat *tile)
{
    const orr__block_cyclic *d = a->mat == A ? f->in->a : f->in->x;
    const void *from = a->mat == A ? f->in->from : f->in->b;
    int64_t ld = a->mat == A ? f->in->from_ld : d->ld;
    size_t z = orr_dtype_size(f->g.dtype);
    const char *p = element(d, from, ld, rows_of(f)->at[a->i], f->g.mat[a->mat].col->at[a->j], z);
    for (int64_t r = 0; r < a->extent[0]; r++)
        memcpy((char *)tile->p + (size_t)(r * tile->ld) * z, p + (size_t)(r * ld) * z, (size_t)a->extent[1] * z);
}

static void store(const factorisation *f, const orr__tile_job *a, const orr__tileat *tile)
{
    const orr__block_cyclic *d = a->mat == A ? f->in->a : f->in->x;
    size_t z = orr_dtype_size(f->g.dtype);
    char *to = element(d, d->local, d->ld, rows_of(f)->at[a->i], f->g.mat[a->mat].col->at[a->j], z);
    for (int64_t r = 0; r < a->extent[0]; r++)
        memcpy(to + (size_t)(r * d->ld) * z, (const char *)tile->p + (size_t)(r * tile->ld) * z,
               (size_t)a->extent[1] * z);
}

static orr_status panel(factorisation *f, const orr__tile_job *a, const orr__tileat *at)
{
    int tiles = f->n - a->i;
    int64_t *rows = calloc((size_t)tiles, sizeof *rows), bad = 0;
    if (!rows)
        return orr__fail(f->g.at, ORR_ENOMEM, "no memory for a panel of %d tiles", tiles);
    for (int i = 0; i < tiles; i++)
        rows[i] = length(f, a->i + i);
    orr_status st = orr__lu_panel(f->g.dtype, tiles, rows, rows[0], at + 1 + tiles, at + 1, at, &bad);
    free(rows);
    if (bad && f->in->x) { /* panels follow one another: the first one with such a pivot is the least */
        long long none = LLONG_MAX;
        (void)atomic_compare_exchange_strong(&f->g.minor, &none, rows_of(f)->at[a->i] + bad);
    }
    return st;
}

/* Copies a panel's tile; the owner of the panel also notes its row exchanges and its diagonal. */
static void close_tile(factorisation *f, const orr__tile_job *a, const orr__tileat *at)
{
    int64_t first = rows_of(f)->at[a->i], order = rows_of(f)->at[f->n];
    orr_dtype t = f->g.dtype;
    for (int64_t r = 0; r < a->extent[0]; r++)
        orr__lu_copy_row(t, &at[1], r, &at[0], r, a->extent[1]);
    for (int64_t c = 0; a->i == a->j && c < a->extent[1]; c++) {
        for (int which = 0; which < ORR__LU_MOVES; which++)
            f->move[which * order + first + c] = orr__lu_move(t, &at[2], which, c);
        const char *p = (const char *)at[1].p + (size_t)(c * at[1].ld + c) * orr_dtype_size(t);
        f->diagonal[first + c] =
            t == ORR_F64 ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p;
    }
}

static void take(const factorisation *f, const orr__tile_job *a, const orr__tileat *at)
{
    const int64_t *row = rows_of(f)->at;
    const orr__tileat *tile = at + 2;
    for (int i = a->i; i < f->n; i++) {
        if (grid_row_of(f, row[i]) != a->part)
            continue;
        for (int64_t c = 0; c < a->extent[0]; c++) {
            int64_t from = row[a->i] + orr__lu_move(f->g.dtype, &at[1], SOURCE, c) - row[i];
            if (from >= 0 && from < length(f, i))
                orr__lu_copy_row(f->g.dtype, tile, from, &at[0], c, a->extent[1]);
        }
        tile++;
    }
}

/* at: the tile, the moves, with `add` the diagonal tile of the panel, then the rows of each row of the grid that has some. */
static orr_status top(const factorisation *f, const orr__tile_job *a, const orr__tileat *at)
{
    for (int64_t c = 0; c < a->extent[0]; c++) {
        int from = grid_row_of(f, rows_of(f)->at[a->i] + orr__lu_move(f->g.dtype, &at[1], SOURCE, c));
        const orr__tileat *taken = at + 2 + a->ta;
        for (int r = 0; r < from; r++)
            taken += has_rows(f, a->i, r);
        orr__lu_copy_row(f->g.dtype, taken, c, &at[0], c, a->extent[1]);
    }
    return a->ta ? orr__lu_solve(f->g.dtype, false, a->extent[0], a->extent[1], &at[2], &at[0]) : ORR_OK;
}

/* at: the tile, the moves, the former rows of the top; right of the panel also the panel's tile and the top. */
static orr_status update(const factorisation *f, const orr__tile_job *a, const orr__tileat *at)
{
    int64_t first = rows_of(f)->at[a->i] - rows_of(f)->at[a->part];
    orr__lu_place(f->g.dtype, &at[1], a->extent[2], first, a->extent[0], a->extent[1], &at[2], &at[0]);
    return a->ta ? orr__lu_update(f->g.dtype, a->extent[0], a->extent[1], a->extent[2], &at[0], &at[3], &at[4])
                 : ORR_OK;
}

static orr_status compute(const orr__tile_job *a, const orr__tileat *at)
{
    factorisation *f = (factorisation *)a->o;
    orr_dtype t = f->g.dtype;
    switch (a->kind) {
    case ORR__TILE_LOAD: load(f, a, at); return ORR_OK;
    case ORR__TILE_STORE: store(f, a, at); return ORR_OK;
    case ORR__TILE_LU_PANEL: return panel(f, a, at);
    case ORR__TILE_LU_CLOSE: close_tile(f, a, at); return ORR_OK;
    case ORR__TILE_LU_SAVE:
        for (int64_t r = 0; r < a->extent[0]; r++)
            orr__lu_copy_row(t, &at[1], r, &at[0], r, a->extent[1]);
        return ORR_OK;
    case ORR__TILE_LU_TAKE: take(f, a, at); return ORR_OK;
    case ORR__TILE_LU_TOP: return top(f, a, at);
    case ORR__TILE_LU_UPDATE: return update(f, a, at);
    case ORR__TILE_LU_SOLVE: return orr__lu_solve(t, true, a->extent[0], a->extent[1], &at[1], &at[0]);
    default: return orr__lu_update(t, a->extent[0], a->extent[1], a->extent[2], &at[0], &at[1], &at[2]);
    }
}

/* -- insertion ------------------------------------------------------------------------------------------------------ */

/* A task that writes row i of column j of [A X]; k: the panel. */
static orr__tile_job job_of(factorisation *f, int kind, int k, int i, int j)
{
    return (orr__tile_job){ .o = &f->g,
                            .kind = kind,
                            .panel = k,
                            .mat = j < f->n ? A : X,
                            .i = i,
                            .j = j < f->n ? j : j - f->n,
                            .extent = { length(f, i), width(f, j), length(f, k < f->n ? k : 2 * f->n - 1 - k) } };
}

static int urgency(const factorisation *f, int k, int j, int step)
{
    return orr__tile_urgency(j < k || j > f->n ? f->n : j, f->n, step);
}

/* Each tile of A and X is loaded by its owner, or stored. */
static int insert_copies(factorisation *f, int kind, int panel, int from)
{
    int err = 0;
    for (int j = from; j < f->columns; j++)
        for (int i = 0; i < f->n && err == 0; i++) {
            orr__tile_use u = tile_of(f, i, j);
            orr__tile_job a = job_of(f, kind, 0, i, j);
            a.panel = panel;
            a.add = kind == ORR__TILE_STORE; /* the tile stays as it is */
            err = orr__tile_insert(&f->g, &a, &u, 1, urgency(f, 0, j, 0));
        }
    return err;
}

static int insert_panel(factorisation *f, int k)
{
    int tiles = f->n - k, n = 0;
    orr__tile_use *u = calloc(1 + 2 * (size_t)tiles, sizeof *u);
    orr__tile_job a = job_of(f, ORR__TILE_LU_PANEL, k, k, k);
    if (!u)
        return -ENOMEM;
    u[n++] = (orr__tile_use){ &f->g.mat[MOVES], 0, k };
    for (int i = k; i < f->n; i++)
        u[n++] = (orr__tile_use){ &f->g.mat[PANEL], i, k };
    for (int i = k; i < f->n; i++)
        u[n++] = tile_of(f, i, k);
    a.writes = 1 + tiles;
    int err = orr__tile_insert(&f->g, &a, u, n, urgency(f, k, k, 0));
    free(u);
    for (int i = k; i < f->n; i++)
        orr__tile_forget(&f->g.mat[A], i, k);
    return err;
}

static int insert_close(factorisation *f, int k)
{
    int err = 0;
    for (int i = k; i < (f->keeps ? f->n : k + 1) && err == 0; i++) {
        orr__tile_use u[3] = { tile_of(f, i, k), { &f->g.mat[PANEL], i, k }, { &f->g.mat[MOVES], 0, k } };
        orr__tile_job a = job_of(f, ORR__TILE_LU_CLOSE, k, i, k);
        err = orr__tile_insert(&f->g, &a, u, i == k ? 3 : 2, urgency(f, k, f->n, 0));
    }
    return err;
}

static int insert_take(factorisation *f, int k, int j, int grid_row)
{
    orr__tile_use *u = calloc(2 + (size_t)(f->n - k), sizeof *u);
    orr__tile_job a = job_of(f, ORR__TILE_LU_TAKE, k, k, j);
    int n = 0;
    if (!u)
        return -ENOMEM;
    u[n++] = (orr__tile_use){ &f->g.mat[TAKEN], k, j * f->in->a->grid_rows + grid_row };
    u[n++] = (orr__tile_use){ &f->g.mat[MOVES], 0, k };
    for (int i = k; i < f->n; i++)
        if (grid_row_of(f, rows_of(f)->at[i]) == grid_row)
            u[n++] = tile_of(f, i, j);
    a.part = grid_row;
    int err = orr__tile_insert(&f->g, &a, u, n, urgency(f, k, j, 0));
    free(u);
    return err;
}

/* The rows of the top tile: taken, and right of the panel solved by its lower triangle. */
static int insert_top(factorisation *f, int k, int j)
{
    int grid_rows = f->in->a->grid_rows, n = 0, err = 0;
    orr__tile_use *u = calloc(3 + (size_t)grid_rows, sizeof *u),
                  old[2] = { { &f->g.mat[OLD], k, j }, tile_of(f, k, j) };
    orr__tile_job a = job_of(f, ORR__TILE_LU_SAVE, k, k, j);
    if (!u)
        return -ENOMEM;
    err = orr__tile_insert(&f->g, &a, old, 2, urgency(f, k, j, 0));
    u[n++] = tile_of(f, k, j);
    u[n++] = (orr__tile_use){ &f->g.mat[MOVES], 0, k };
    if (j > k)
        u[n++] = (orr__tile_use){ &f->g.mat[PANEL], k, k };
    for (int r = 0; r < grid_rows && err == 0; r++)
        if (has_rows(f, k, r)) {
            err = insert_take(f, k, j, r);
            u[n++] = (orr__tile_use){ &f->g.mat[TAKEN], k, j * grid_rows + r };
        }
    a.kind = ORR__TILE_LU_TOP;
    a.ta = j > k;
    if (err == 0)
        err = orr__tile_insert(&f->g, &a, u, n, urgency(f, k, j, 1));
    free(u);
    for (int r = 0; r < grid_rows; r++)
        orr__tile_last_use(&f->g, &f->g.mat[TAKEN], k, j * grid_rows + r);
    return err;
}

/* The row exchanges of panel k in column j, and right of the panel the elimination. */
static int insert_column(factorisation *f, int k, int j)
{
    int err = insert_top(f, k, j);
    for (int i = k + 1; i < f->n && err == 0; i++) {
        orr__tile_use u[5] = { tile_of(f, i, j),
                               { &f->g.mat[MOVES], 0, k },
                               { &f->g.mat[OLD], k, j },
                               { &f->g.mat[PANEL], i, k },
                               tile_of(f, k, j) };
        orr__tile_job a = job_of(f, ORR__TILE_LU_UPDATE, k, i, j);
        a.add = true;
        a.ta = j > k;
        a.part = k;
        err = orr__tile_insert(&f->g, &a, u, j > k ? 5 : 3, urgency(f, k, j, 2));
    }
    orr__tile_last_use(&f->g, &f->g.mat[OLD], k, j);
    orr__tile_forget(tile_of(f, k, j).m, k, tile_of(f, k, j).j);
    return err;
}

static int insert_factorisation(factorisation *f)
{
    int err = 0;
    for (int k = 0; k < f->n && err == 0; k++) {
        orr__tile_room(&f->g, k);
        err = insert_panel(f, k);
        for (int j = k + 1; j < f->columns && err == 0; j++)
            err = insert_column(f, k, j);
        for (int j = 0; j < k && f->keeps && err == 0; j++)
            err = insert_column(f, k, j);
        if (err == 0)
            err = insert_close(f, k);
        for (int i = k; i < f->n; i++)
            orr__tile_last_use(&f->g, &f->g.mat[PANEL], i, k);
        orr__tile_last_use(&f->g, &f->g.mat[MOVES], 0, k);
    }
    return err;
}

/* From the last row of tiles of X to the first. */
static int insert_back(factorisation *f)
{
    int err = 0;
    for (int k = f->n - 1; k >= 0 && f->in->x && err == 0; k--) {
        int number = 2 * f->n - 1 - k;
        orr__tile_room(&f->g, number);
        for (int j = f->n; j < f->columns; j++)
            for (int i = k; i >= 0 && err == 0; i--) {
                orr__tile_use u[3] = { tile_of(f, i, j), tile_of(f, i, k), tile_of(f, k, j) };
                orr__tile_job a = job_of(f, i == k ? ORR__TILE_LU_SOLVE : ORR__TILE_LU_BACK, number, i, j);
                a.add = true;
                err = orr__tile_insert(&f->g, &a, u, i == k ? 2 : 3, orr__tile_urgency(f->n - 1 - i, f->n, i < k));
            }
        for (int i = 0; i <= k; i++)
            orr__tile_forget(&f->g.mat[A], i, k);
        for (int j = f->n; j < f->columns; j++)
            orr__tile_forget(&f->g.mat[X], k, j - f->n);
    }
    return err;
}

static int insert_all(orr__tile_graph *o)
{
    factorisation *f = (factorisation *)o;
    int err = insert_copies(f, ORR__TILE_LOAD, 0, 0);
    if (err == 0)
        err = insert_factorisation(f);
    if (err == 0)
        err = insert_back(f);
    return err ? err : insert_copies(f, ORR__TILE_STORE, o->panels, f->keeps ? 0 : f->n);
}

/* -- the row exchanges of all panels ------------------------------------------------------------------------------------ */

/* All ranks get the numbers of all panels. */
static orr_status gather(orr__site at, factorisation *f, int64_t order)
{
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_I64,
                        .group = orr__group_all(),
                        .in = f->move,
                        .out = f->move,
                        .count = ORR__LU_MOVES * order,
                        .name = "row exchanges" };
    orr_status st = orr__ranks() > 1 ? orr__exchange_wait(at, &x) : ORR_OK;
    x.dtype = ORR_F64;
    x.in = x.out = f->diagonal;
    x.count = order;
    return st == ORR_OK && orr__ranks() > 1 ? orr__exchange_wait(at, &x) : st;
}

/* order[i]: the number of the matrix row at position i. */
static void compose(const factorisation *f, int64_t *order, int64_t *was, int64_t n)
{
    const int64_t *at = rows_of(f)->at;
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < f->n; k++) {
        memcpy(was, order, (size_t)n * sizeof *was);
        for (int64_t c = at[k]; c < at[k + 1]; c++) {
            order[c] = was[at[k] + f->move[SOURCE * n + c]];
            if (f->move[TARGET * n + c] >= 0)
                order[at[k] + f->move[TARGET * n + c]] = was[at[k] + f->move[TOP * n + c]];
        }
    }
}

/* Writes the order to the rank's part of column n. */
static void write_order(const factorisation *f, const int64_t *order, int64_t n)
{
    const orr__block_cyclic *d = f->in->a;
    int rank = orr__rank() - d->first;
    size_t z = orr_dtype_size(f->g.dtype);
    for (int64_t i = 0; i < n; i++) {
        int owner = grid_row_of(f, i) * d->row_step + orr__tile_part(n, d->block_cols, d->grid_cols) * d->col_step;
        char *p = owner == rank ? element(d, d->local, d->ld, i, n, z) : NULL;
        if (p && f->g.dtype == ORR_F64)
            *(double *)(void *)p = (double)order[i];
        else if (p)
            *(float *)(void *)p = (float)order[i];
    }
}

/* Each cycle of even length changes the sign. order is used up. */
static void determinant(const factorisation *f, int64_t *order, int64_t n)
{
    double det = 1, sign = 1, log_size = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = f->diagonal[i];
        for (; order[i] != i; d = -d) {
            int64_t next = order[i];
            order[i] = order[next];
            order[next] = next;
        }
        det *= d;
        sign *= d > 0 ? 1 : d < 0 ? -1 : d;
        log_size += log(fabs(d));
    }
    f->in->det[0] = det;
    f->in->det[1] = sign;
    f->in->det[2] = log_size;
}

static orr_status finish(orr__tile_graph *o)
{
    factorisation *f = (factorisation *)o;
    orr__site at = o->at;
    int64_t n = rows_of(f)->at[f->n];
    if (!f->keeps && !f->in->det)
        return ORR_OK;
    int64_t *order = calloc(2 * (size_t)n + 1, sizeof *order);
    orr_status st = gather(at, f, n);
    if (st == ORR_OK && !order)
        st = orr__fail(at, ORR_ENOMEM, "no memory for the order of %lld rows", (long long)n);
    if (st == ORR_OK) {
        compose(f, order, order + n, n);
        if (f->keeps)
            write_order(f, order, n);
        if (f->in->det)
            determinant(f, order, n);
    }
    free(order);
    return st;
}

orr_status orr__star_lu(orr__site at, orr_dtype t, const orr__block_cyclic_lu *lu)
{
    int64_t n = lu->a->rows, block[2] = { lu->a->block_rows, lu->a->block_cols };
    int parts[2] = { lu->a->grid_rows, lu->a->grid_cols };
    factorisation f = { .g = { .at = at,
                               .rank = orr__rank(),
                               .dtype = t,
                               .apart = true,
                               .compute = compute,
                               .finish = finish,
                               .irregular = { "the matrix is singular: pivot", "is 0" } },
                        .in = lu,
                        .keeps = lu->a->cols > n };
    f.move = malloc((size_t)n * (ORR__LU_MOVES * sizeof *f.move + sizeof *f.diagonal) + 1);
    f.diagonal = f.move ? (double *)(f.move + ORR__LU_MOVES * n) : NULL;
    for (int64_t i = 0; f.move && i < n; i++) {
        f.move[SOURCE * n + i] = f.move[TARGET * n + i] = f.move[TOP * n + i] = -1;
        f.diagonal[i] = -INFINITY;
    }
    bool memory =
        f.move && orr__cuts_make(&f.g.axis[0], n, block, parts, orr__cholesky_block(n)) &&
        (!lu->x || orr__cuts_make(&f.g.axis[1], lu->x->cols, (int64_t[]){ lu->x->block_cols, lu->x->block_cols },
                                  (int[]){ lu->x->grid_cols, lu->x->grid_cols }, orr__cholesky_block(n)));
    f.n = f.g.axis[0].n;
    f.columns = f.n + f.g.axis[1].n;
    f.g.panels = lu->x ? 2 * f.n : f.n;
    memory = memory && orr__tile_matrix_make(&f.g.mat[A], lu->a, &f.g.axis[0], &f.g.axis[0]) &&
             (!lu->x || orr__tile_matrix_make(&f.g.mat[X], lu->x, &f.g.axis[0], &f.g.axis[1])) &&
             orr__tile_matrix_own(&f.g.mat[PANEL], f.n, f.n, owner_of_panel, &f) &&
             orr__tile_matrix_own(&f.g.mat[MOVES], 1, f.n, owner_of_moves, &f) &&
             orr__tile_matrix_own(&f.g.mat[OLD], f.n, f.columns, owner_of_old, &f) &&
             orr__tile_matrix_own(&f.g.mat[TAKEN], f.n, f.columns * parts[0], owner_of_taken, &f) &&
             (f.g.left = calloc((size_t)f.g.panels + 1, sizeof *f.g.left));
    orr_status st = orr__tile_run(&f.g, memory, insert_all);
    free(f.move);
    return st;
}
