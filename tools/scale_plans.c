/* The plans of products, Cholesky and LU factorisations over ranks, tile by tile, for the simulation.
 * Must not know: time, links, workers. */
#include "config.h"
#include <stdlib.h>
#include "tools/scale_tiles.h"

static int row_of(const scale_sim *s, int rank)
{
    return rank / s->q;
}

static int col_of(const scale_sim *s, int rank)
{
    return rank % s->q;
}

/* Adds the ranks of grid row `row` that have columns in [from, to) of the matrix to s->list, but for `without`. Returns the length. */
static int add_row(scale_sim *s, int n, int row, int from, int to, int without)
{
    for (int c = 0; c < s->q; c++)
        if (row * s->q + c != without && scale_first(from, s->q, c) < to)
            s->list[n++] = row * s->q + c;
    return n;
}

/* The same for a column of the grid and rows of the matrix. */
static int add_col(scale_sim *s, int n, int col, int from, int to, int without)
{
    for (int r = 0; r < s->p; r++)
        if (r * s->q + col != without && scale_first(from, s->p, r) < to)
            s->list[n++] = r * s->q + col;
    return n;
}

/* -- tiles that panels update in order: products, Cholesky ---------------------------------------------------------- */

/* A tile's state: twice the number of panels that have updated it; odd while a task is under way. */
enum { TILE, RIGHT }; /* of a product: TILE of the left operand */

static double elements_of_tile(const scale_sim *s, int what)
{
    (void)what;
    return (double)(s->g->tile * s->g->tile);
}

static void no_end(scale_sim *s)
{
    (void)s;
}

static scale_kind kind_of(const scale_sim *s, scale_item t)
{
    return s->g->which == SCALE_PRODUCT || t.j > t.step
               ? (s->g->which == SCALE_PRODUCT || t.i > t.j ? SCALE_GEMM : SCALE_SYRK)
           : t.i > t.j ? SCALE_TRSM
                       : SCALE_POTRF;
}

static double seconds_of_tile(const scale_sim *s, scale_item t)
{
    return s->kind_seconds[kind_of(s, t)];
}

/* Makes the next task of tile (i, j) ready if its panel is inserted and its inputs have arrived. A factored diagonal tile counts as an array for
 * the columns of its panel. */
static void consider(scale_sim *s, int rank, int i, int j, int *state)
{
    static const int late[SCALE_KINDS] = { 0, 1, 2, 2 };
    bool product = s->g->which == SCALE_PRODUCT;
    int k = *state >> 1, last = product ? s->nt - 1 : j;
    if (*state & 1 || k > last || k >= s->rank[rank].open)
        return;
    bool can = product || k < j ? scale_bit(s, rank, k, scale_of_row(s, i)) && scale_bit(s, rank, k, scale_of_col(s, j))
                                : i == j || scale_bit(s, rank, k, scale_of_col(s, k));
    if (!can)
        return;
    *state |= 1;
    scale_item t = { TILE, i, j, k };
    scale_push(s, rank, t, product ? 3 * k : 3 * j + late[kind_of(s, t)]);
}

/* The tasks of panel k in row i, or column j, of the matrix. */
static void consider_row(scale_sim *s, int rank, int i, int k, int from, int to)
{
    int *state = scale_state(s, rank, i, 0);
    for (int j = scale_first(from, s->q, col_of(s, rank)); j < to; j += s->q)
        if (state[j / s->q] == 2 * k)
            consider(s, rank, i, j, &state[j / s->q]);
}

static void consider_col(scale_sim *s, int rank, int j, int k, int from)
{
    int i = scale_first(from, s->p, row_of(s, rank)), *state = scale_state(s, rank, i < s->nt ? i : 0, j);
    for (; i < s->nt; i += s->p, state += s->local_cols)
        if (*state == 2 * k)
            consider(s, rank, i, j, state);
}

/* -- Cholesky --------------------------------------------------------------------------------------------------------- */

static bool cholesky_begin(scale_sim *s)
{
    for (int r = 0; r < s->ranks; r++)
        for (int i = row_of(s, r); i < s->nt; i += s->p)
            for (int j = col_of(s, r); j <= i; j += s->q)
                s->rank[r].left[j]++;
    for (int r = 0; r < s->ranks; r++) /* a tile has a task in each panel up to its column's */
        for (int k = s->nt - 2; k >= 0; k--)
            s->rank[r].left[k] += s->rank[r].left[k + 1];
    return true;
}

static void cholesky_opened(scale_sim *s, int rank, int k)
{
    for (int i = scale_first(k, s->p, row_of(s, rank)); i < s->nt; i += s->p)
        consider_row(s, rank, i, k, k, i + 1);
}

static void cholesky_came(scale_sim *s, int rank, scale_item a)
{
    int i = a.i, k = a.j;
    if (i == k) {
        if (k % s->q != col_of(s, rank))
            return;
        scale_bit_set(s, rank, k, scale_of_col(s, k));
        consider_col(s, rank, k, k, k + 1);
        return;
    }
    bool row = i % s->p == row_of(s, rank), col = i % s->q == col_of(s, rank);
    if (row)
        scale_bit_set(s, rank, k, scale_of_row(s, i));
    if (col)
        scale_bit_set(s, rank, k, scale_of_col(s, i));
    if (row)
        consider_row(s, rank, i, k, k + 1, i + 1);
    if (col)
        consider_col(s, rank, i, k, i);
}

static void cholesky_ended(scale_sim *s, int rank, scale_item t)
{
    int *state = scale_state(s, rank, t.i, t.j);
    *state = 2 * (t.step + 1);
    if (t.step == t.j)
        scale_spread(s, rank, t, true);
    else
        consider(s, rank, t.i, t.j, state);
}

static int cholesky_readers(scale_sim *s, scale_item a)
{
    int i = a.i, k = a.j, self = scale_owner(s, i, k);
    if (i == k)
        return add_col(s, 0, k % s->q, k + 1, s->nt, self);
    int n = add_row(s, 0, i % s->p, k + 1, i + 1, self);
    for (int r = 0; r < s->p; r++) /* readers of column i, without those of row i */
        if (r * s->q + i % s->q != self && scale_first(i, s->p, r) < s->nt &&
            !(r == i % s->p && scale_first(k + 1, s->q, i % s->q) <= i))
            s->list[n++] = r * s->q + i % s->q;
    return n;
}

const scale_plan scale_plan_cholesky = { cholesky_begin, no_end,           cholesky_opened, cholesky_ended,
                                         cholesky_came,  cholesky_readers, seconds_of_tile, elements_of_tile };

/* -- products --------------------------------------------------------------------------------------------------------- */

static bool product_begin(scale_sim *s)
{
    for (int r = 0; r < s->ranks; r++) {
        int rows = (s->nt - row_of(s, r) + s->p - 1) / s->p, cols = (s->nt - col_of(s, r) + s->q - 1) / s->q;
        for (int k = 0; k < s->nt; k++)
            s->rank[r].left[k] = rows > 0 && cols > 0 ? rows * cols : 0;
    }
    return true;
}

/* A rank sends its tiles of both operands when it inserts the panel. */
static void product_opened(scale_sim *s, int rank, int k)
{
    if (k % s->q == col_of(s, rank))
        for (int i = row_of(s, rank); i < s->nt; i += s->p)
            scale_spread(s, rank, (scale_item){ TILE, i, k, k }, true);
    if (k % s->p == row_of(s, rank))
        for (int j = col_of(s, rank); j < s->nt; j += s->q)
            scale_spread(s, rank, (scale_item){ RIGHT, k, j, k }, true);
    for (int i = row_of(s, rank); i < s->nt; i += s->p)
        consider_row(s, rank, i, k, 0, s->nt);
}

static void product_came(scale_sim *s, int rank, scale_item a)
{
    scale_bit_set(s, rank, a.step, a.what == TILE ? scale_of_row(s, a.i) : scale_of_col(s, a.j));
    if (a.what == TILE)
        consider_row(s, rank, a.i, a.step, 0, s->nt);
    else
        consider_col(s, rank, a.j, a.step, 0);
}

static void product_ended(scale_sim *s, int rank, scale_item t)
{
    int *state = scale_state(s, rank, t.i, t.j);
    *state = 2 * (t.step + 1);
    consider(s, rank, t.i, t.j, state);
}

static int product_readers(scale_sim *s, scale_item a)
{
    int self = scale_owner(s, a.i, a.j);
    return a.what == TILE ? add_row(s, 0, a.i % s->p, 0, s->nt, self) : add_col(s, 0, a.j % s->q, 0, s->nt, self);
}

const scale_plan scale_plan_product = { product_begin, no_end,          product_opened,  product_ended,
                                        product_came,  product_readers, seconds_of_tile, elements_of_tile };

/* -- LU ----------------------------------------------------------------------------------------------------------------- */

/* Tasks and arrays of panel k, by the words of lu_over_ranks.c. An array has the name of the task that makes it: the panel's tile, the
 * former top of a column, its rows that go up, its new top. GATHER: a tile on its way to the owner of the diagonal. */
enum { LOAD, PANEL, SAVE, TAKE, TOP, UPDATE, CLOSE, STORE, MOVES = UPDATE, GATHER = CLOSE };

/* A rank's part of a column of tiles. All its tiles pass a panel before the next one takes rows. */
typedef struct {
    int panel;                  /* the next one that takes rows */
    int ready;                  /* tiles that all panels before have updated */
    bool saving, taking, taken; /* the former top is or will be saved; rows are or will be taken; they have been */
} column;

typedef struct {
    column *column;       /* by rank, then by local column */
    int *gathered;        /* by panel: tiles of its column that have come to its owner */
    int *top;             /* as the states: of a top, the arrays that have come for it, and its former rows */
    unsigned char *moves; /* by rank, then by panel: the row exchanges are there */
} lu_state;

static lu_state *lu_of(const scale_sim *s)
{
    return s->own;
}

static column *column_of(const scale_sim *s, int rank, int j)
{
    return &lu_of(s)->column[(size_t)rank * (size_t)s->local_cols + (size_t)(j / s->q)];
}

/* The number of a grid row's tiles at row k of the matrix or below. */
static int rows_from(const scale_sim *s, int grid_row, int k)
{
    int first = scale_first(k, s->p, grid_row);
    return first < s->nt ? (s->nt - 1 - first) / s->p + 1 : 0;
}

/* True if panel k exchanges rows in column j. */
static bool exchanges(const scale_sim *s, int k, int j)
{
    return j > k || (s->g->keeps && j < k);
}

static int lu_urgency(const scale_sim *s, int k, int j, int late)
{
    return 3 * (j < k ? s->nt : j) + late;
}

static void try_panel(scale_sim *s, int k)
{
    int rank = scale_owner(s, k, k);
    if (k < s->rank[rank].open && lu_of(s)->gathered[k] == s->nt - k)
        scale_push(s, rank, (scale_item){ PANEL, k, k, k }, lu_urgency(s, k, k, 0));
}

/* The former top is saved when all tiles of this rank have had the panel before. Rows are taken when the exchanges are there, too. */
static void try_take(scale_sim *s, int rank, int j)
{
    column *c = column_of(s, rank, j);
    int k = c->panel, r = row_of(s, rank), rows = k < s->nt ? rows_from(s, r, k) : 0;
    if (rows == 0 || !exchanges(s, k, j) || k >= s->rank[rank].open || c->taking || c->ready < rows)
        return;
    if (k % s->p == r && !c->saving) {
        c->saving = true;
        scale_push(s, rank, (scale_item){ SAVE, k, j, k }, lu_urgency(s, k, j, 0));
    }
    if (lu_of(s)->moves[(size_t)rank * (size_t)s->nt + (size_t)k]) {
        c->taking = true;
        c->ready = 0;
        scale_push(s, rank, (scale_item){ TAKE, r, j, k }, lu_urgency(s, k, j, 0));
    }
}

static int *top_of(const scale_sim *s, int k, int j)
{
    return lu_of(s)->top + (scale_state(s, scale_owner(s, k, j), k, j) - s->state);
}

static void try_top(scale_sim *s, int k, int j)
{
    int rank = scale_owner(s, k, j), want = 1;
    for (int r = 0; r < s->p; r++)
        want += rows_from(s, r, k) > 0;
    if (*top_of(s, k, j) == want && (j < k || scale_bit(s, rank, k, scale_of_row(s, k))))
        scale_push(s, rank, (scale_item){ TOP, k, j, k }, lu_urgency(s, k, j, 1));
}

/* Right of the panel a column's bit says that the new top is there, left of it that the former one is. */
static void try_update(scale_sim *s, int rank, int i, int j, int k)
{
    int *state = scale_state(s, rank, i, j);
    if (i <= k || *state != 2 * k || !scale_bit(s, rank, k, scale_of_col(s, j)) ||
        (j > k && !scale_bit(s, rank, k, scale_of_row(s, i))))
        return;
    *state |= 1;
    scale_push(s, rank, (scale_item){ UPDATE, i, j, k }, lu_urgency(s, k, j, 2));
}

static void store(scale_sim *s, int rank, int i, int j)
{
    int *state = scale_state(s, rank, i, j);
    if (s->g->keeps && s->nt < s->rank[rank].open && *state == 2 * (s->nt + 1))
        scale_push(s, rank, (scale_item){ STORE, i, j, s->nt }, lu_urgency(s, 0, j, 0));
}

/* No panel writes the tile again. */
static void finish(scale_sim *s, int rank, int i, int j)
{
    *scale_state(s, rank, i, j) = 2 * (s->nt + 1);
    store(s, rank, i, j);
}

/* The tile has had all panels before k. In column k it goes to the panel, else the column waits for the others of its rank. */
static void passed(scale_sim *s, int rank, int i, int j, int k)
{
    *scale_state(s, rank, i, j) = 2 * k;
    if (k == j) {
        scale_spread(s, rank, (scale_item){ GATHER, i, j, k }, rank == scale_owner(s, k, k));
        return;
    }
    column_of(s, rank, j)->ready++;
    try_take(s, rank, j);
}

static bool lu_begin(scale_sim *s)
{
    size_t columns = (size_t)s->ranks * (size_t)s->local_cols, n = (size_t)s->nt;
    lu_state *l = calloc(1, sizeof *l);
    if (!(s->own = l))
        return false;
    l->column = calloc(columns, sizeof *l->column);
    l->gathered = calloc(n, sizeof *l->gathered);
    l->top = calloc(columns * (size_t)s->local_rows, sizeof *l->top);
    l->moves = calloc((size_t)s->ranks * n, 1);
    if (!l->column || !l->gathered || !l->top || !l->moves)
        return false;
    for (int k = 0; k < s->nt; k++) {
        s->rank[scale_owner(s, k, k)].left[k]++;
        for (int i = k; i < (s->g->keeps ? s->nt : k + 1); i++)
            s->rank[scale_owner(s, i, k)].left[k]++; /* CLOSE */
        for (int j = 0; j < s->nt; j++) {
            if (!exchanges(s, k, j))
                continue;
            s->rank[scale_owner(s, k, j)].left[k] += 2;
            for (int r = 0; r < s->p; r++) {
                int take = rows_from(s, r, k) > 0;
                s->rank[r * s->q + j % s->q].left[k] += take + rows_from(s, r, k + 1);
            }
        }
    }
    for (int r = 0; r < s->ranks; r++) {
        int tiles = rows_from(s, row_of(s, r), 0) * ((s->nt - col_of(s, r) + s->q - 1) / s->q);
        s->rank[r].left[0] += tiles;
        if (s->g->keeps)
            s->rank[r].left[s->nt] += tiles;
    }
    return true;
}

static void lu_end(scale_sim *s)
{
    lu_state *l = s->own;
    if (!l)
        return;
    free(l->column);
    free(l->gathered);
    free(l->top);
    free(l->moves);
    free(l);
}

static void lu_opened(scale_sim *s, int rank, int k)
{
    int r = row_of(s, rank), c = col_of(s, rank);
    for (int i = r; k == 0 && i < s->nt; i += s->p)
        for (int j = c; j < s->nt; j += s->q)
            scale_push(s, rank, (scale_item){ LOAD, i, j, 0 }, lu_urgency(s, 0, j, 0));
    for (int i = r; k == s->nt && i < s->nt; i += s->p)
        for (int j = c; j < s->nt; j += s->q)
            store(s, rank, i, j);
    if (k == s->nt)
        return;
    if (scale_owner(s, k, k) == rank)
        try_panel(s, k);
    for (int j = c; j < s->nt; j += s->q)
        if (column_of(s, rank, j)->panel == k)
            try_take(s, rank, j);
}

/* The tiles below the top of panel k may be written. */
static void column_goes_on(scale_sim *s, int rank, int j)
{
    column *c = column_of(s, rank, j);
    int k = c->panel++;
    c->saving = c->taking = c->taken = false;
    for (int i = scale_first(k + 1, s->p, row_of(s, rank)); i < s->nt; i += s->p)
        try_update(s, rank, i, j, k);
    try_take(s, rank, j);
}

/* Left of the panel that takes the former rows of the top, when this rank's have been taken. */
static void try_left(scale_sim *s, int rank, int j)
{
    const column *c = column_of(s, rank, j);
    if (c->taken && scale_bit(s, rank, c->panel, scale_of_col(s, j)))
        column_goes_on(s, rank, j);
}

static void lu_ended(scale_sim *s, int rank, scale_item t)
{
    int k = t.step;
    switch (t.what) {
    case LOAD: passed(s, rank, t.i, t.j, 0); break;
    case PANEL:
        scale_spread(s, rank, (scale_item){ MOVES, k, k, k }, true);
        for (int i = k; i < s->nt; i++)
            scale_spread(s, rank, (scale_item){ PANEL, i, k, k }, true);
        break;
    case SAVE:
        ++*top_of(s, k, t.j);
        scale_spread(s, rank, (scale_item){ SAVE, k, t.j, k }, true);
        try_top(s, k, t.j);
        break;
    case TAKE:
        column_of(s, rank, t.j)->taken = true;
        scale_spread(s, rank, (scale_item){ TAKE, t.i, t.j, k }, rank == scale_owner(s, k, t.j));
        if (t.j < k)
            try_left(s, rank, t.j);
        break;
    case TOP:
        finish(s, rank, k, t.j);
        scale_spread(s, rank, (scale_item){ TOP, k, t.j, k }, true);
        break;
    case UPDATE: passed(s, rank, t.i, t.j, k + 1); break;
    case CLOSE:
        if (t.i > k && s->g->keeps) { /* the exchanges of later panels follow */
            column *c = column_of(s, rank, t.j);
            c->panel = k + 1;
            passed(s, rank, t.i, t.j, k + 1);
        } else if (s->g->keeps) {
            finish(s, rank, t.i, t.j);
        }
        break;
    default: break;
    }
}

static void lu_came(scale_sim *s, int rank, scale_item a)
{
    int k = a.step, col = col_of(s, rank);
    switch (a.what) {
    case GATHER:
        lu_of(s)->gathered[k]++;
        try_panel(s, k);
        break;
    case MOVES:
        lu_of(s)->moves[(size_t)rank * (size_t)s->nt + (size_t)k] = 1;
        for (int j = col; j < s->nt; j += s->q)
            if (column_of(s, rank, j)->panel == k)
                try_take(s, rank, j);
        break;
    case PANEL:
        if (a.i % s->p == row_of(s, rank)) {
            scale_bit_set(s, rank, k, scale_of_row(s, a.i));
            for (int j = scale_first(k + 1, s->q, col); j < s->nt; j += s->q)
                if (a.i == k)
                    try_top(s, k, j);
                else
                    try_update(s, rank, a.i, j, k);
        }
        if ((s->g->keeps || a.i == k) && rank == scale_owner(s, a.i, k))
            scale_push(s, rank, (scale_item){ CLOSE, a.i, k, k }, 3 * s->nt);
        break;
    case TAKE:
        ++*top_of(s, k, a.j);
        try_top(s, k, a.j);
        break;
    case SAVE:
        if (a.j < k) {
            scale_bit_set(s, rank, k, scale_of_col(s, a.j));
            try_left(s, rank, a.j);
        }
        break;
    case TOP:
        if (a.j > k) {
            scale_bit_set(s, rank, k, scale_of_col(s, a.j));
            column_goes_on(s, rank, a.j);
        }
        break;
    default: break;
    }
}

static int lu_readers(scale_sim *s, scale_item a)
{
    int k = a.step, diagonal = scale_owner(s, k, k), n = 0;
    switch (a.what) {
    case GATHER: s->list[0] = diagonal; return scale_owner(s, a.i, k) != diagonal;
    case PANEL:
        n = add_row(s, 0, a.i % s->p, k + 1, s->nt, diagonal);
        if (s->g->keeps && scale_owner(s, a.i, k) != diagonal && scale_first(k + 1, s->q, k % s->q) >= s->nt)
            s->list[n++] = scale_owner(s, a.i, k);
        return n;
    case MOVES:
        for (int r = 0; r < s->p; r++)
            for (int c = 0; c < s->q; c++) {
                bool right = scale_first(k + 1, s->q, c) < s->nt, left = s->g->keeps && scale_first(0, s->q, c) < k;
                if (r * s->q + c != diagonal && rows_from(s, r, k) > 0 && (right || left))
                    s->list[n++] = r * s->q + c;
            }
        return n;
    case TAKE: s->list[0] = scale_owner(s, k, a.j); return a.i != k % s->p;
    case SAVE: return add_col(s, 0, a.j % s->q, k + 1, s->nt, scale_owner(s, k, a.j));
    case TOP: return a.j > k ? add_col(s, 0, a.j % s->q, k + 1, s->nt, scale_owner(s, k, a.j)) : 0;
    default: return 0;
    }
}

static double lu_seconds(const scale_sim *s, scale_item t)
{
    double work = s->kind_seconds[SCALE_PANEL] - s->m->task_us * 1e-6;
    switch (t.what) {
    case PANEL: return s->m->task_us * 1e-6 + work * (1.5 * (s->nt - t.step) - 0.5); /* b² (m − b / 3) */
    case TOP: return t.j > t.step ? s->kind_seconds[SCALE_TRSM] + s->copy_seconds : s->copy_seconds;
    case UPDATE: return t.j > t.step ? s->kind_seconds[SCALE_GEMM] : s->copy_seconds;
    default: return s->copy_seconds;
    }
}

static double lu_elements(const scale_sim *s, int what)
{
    double b = (double)s->g->tile;
    return what == MOVES ? 3 * b : b * b;
}

const scale_plan scale_plan_lu = {
    lu_begin, lu_end, lu_opened, lu_ended, lu_came, lu_readers, lu_seconds, lu_elements
};
