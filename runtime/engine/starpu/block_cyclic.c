/* Products and Cholesky factorisations over ranks as graphs of tasks: StarPU-MPI sends the tiles that a task reads to the rank that owns
 * the tile it writes.
 * All ranks insert the same panels in the same order; a rank leaves out the tasks of which it owns no tile. Few panels are unfinished at
 * a time, so tiles of other ranks occupy bounded memory.
 * Must not know: how a tile is computed, how tensors are distributed. */
#include "config.h"
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/tile_product.h"
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/hash.h"
#include "runtime/engine/block_cyclic.h"
#include "runtime/engine/starpu/mpi.h"

enum {
    WINDOW = 4,                /* panels under way, at least */
    PRODUCT_TILE = 512,        /* rows and columns of a tile, at most */
    PRODUCT = ORR__TILE_KINDS, /* kinds of task in addition to those of a factorisation */
    CLEAR,
    KINDS
};

/* -- the owners of elements ------------------------------------------------------------------------------------ */

/* An axis cut into tiles: tile i has elements [at[i], at[i + 1]). */
typedef struct {
    int n;
    int64_t *at;
} cuts;

static int64_t next_cut(int64_t from, int64_t n, int64_t block, int parts)
{
    int64_t to = parts == 1 ? n : (from / block + 1) * block;
    return to < n ? to : n;
}

/* Cuts at every change of owner in either distribution, and into pieces of at most `most` in between. false: no memory. */
static bool cut(cuts *c, int64_t n, const int64_t block[2], const int parts[2], int64_t most)
{
    for (int pass = 0; pass < 2; pass++) {
        c->n = 0;
        for (int64_t from = 0, to; from < n; from = to) {
            int64_t b = next_cut(from, n, block[1], parts[1]);
            to = next_cut(from, n, block[0], parts[0]);
            to = b < to ? b : to;
            int64_t pieces = (to - from + most - 1) / most, step = (to - from + pieces - 1) / pieces;
            for (int64_t p = from; p < to; p += step, c->n++)
                if (pass)
                    c->at[c->n] = p;
        }
        if (pass == 0 && !(c->at = malloc(((size_t)c->n + 1) * sizeof *c->at)))
            return false;
    }
    c->at[c->n] = n;
    return true;
}

/* -- an operation under way --------------------------------------------------------------------------------------- */

typedef struct {
    const orr__block_cyclic *d;
    const cuts *row, *col;
    starpu_mpi_tag_t tag;       /* of tile (0, 0); the others follow */
    starpu_data_handle_t *tile; /* row by row; NULL: not registered  */
} matrix;

typedef struct {
    orr__site at;
    int rank;
    orr_dtype dtype;
    cuts axis[3];
    matrix mat[3];
    int panels, window;
    const char *from; /* of a factorisation: the matrix, stored as its factor is */
    bool apart;       /* tiles have memory of their own, without gaps between rows: StarPU-MPI sends them as they are */
    pthread_mutex_t lock;
    pthread_cond_t room;
    int *left;          /* by panel: unfinished tasks of this rank; last: tasks of no panel; under the lock */
    atomic_int status;  /* of this rank's tasks: the first error          */
    atomic_llong minor; /* of this rank's tiles: the least order of a minor that is not positive, LLONG_MAX: none */
    char text[256];     /* the message of the first error, written by the thread that set `status` */
} operation;

/* The arguments of a task; StarPU frees them. */
typedef struct {
    operation *o;
    int kind, panel, buffers;
    int64_t extent[3];       /* of a factorisation: rows of tile rows i, j, k; else m, n, k */
    int64_t first;           /* of a factorisation: order of the leading minor before the tile */
    bool ta, tb, add, opens; /* opens: the tile's first task, which copies the matrix there */
    int64_t place;           /* of the tile in this rank's part, in elements */
} job;

static int part_of(int64_t at, int64_t block, int parts)
{
    return parts == 1 ? 0 : (int)(at / block % parts);
}

static int64_t place_of(int64_t at, int64_t block, int parts)
{
    return parts == 1 ? at : at / block / parts * block + at % block;
}

static int owner(const matrix *m, int i, int j)
{
    return m->d->first + part_of(m->row->at[i], m->d->block_rows, m->d->grid_rows) * m->d->row_step +
           part_of(m->col->at[j], m->d->block_cols, m->d->grid_cols) * m->d->col_step;
}

/* The index of the first element of tile (i, j), within this rank's part. */
static int64_t place_of_tile(const matrix *m, int i, int j)
{
    return place_of(m->row->at[i], m->d->block_rows, m->d->grid_rows) * m->d->ld +
           place_of(m->col->at[j], m->d->block_cols, m->d->grid_cols);
}

/* Tile (i, j), registered at its first use. A tile of another rank, or apart, has no memory until it is received or written. */
static starpu_data_handle_t tile(const operation *o, matrix *m, int i, int j)
{
    int64_t at = (int64_t)i * m->col->n + j, rows = m->row->at[i + 1] - m->row->at[i];
    int64_t cols = m->col->at[j + 1] - m->col->at[j];
    size_t z = orr_dtype_size(o->dtype);
    int whose = owner(m, i, j);
    starpu_data_handle_t *h = &m->tile[at];

    if (*h)
        return *h;
    if (whose == o->rank && !o->apart) {
        uintptr_t p = (uintptr_t)m->d->local + (size_t)place_of_tile(m, i, j) * z;
        starpu_matrix_data_register(h, STARPU_MAIN_RAM, p, (uint32_t)m->d->ld, (uint32_t)cols, (uint32_t)rows, z);
    } else {
        starpu_matrix_data_register(h, -1, 0, (uint32_t)cols, (uint32_t)cols, (uint32_t)rows, z);
    }
    if (!orr__star_mpi.alone)
        orr__star_mpi.data_register(*h, m->tag + at, whose, orr__star_mpi.all);
    return *h;
}

/* -- on a worker -------------------------------------------------------------------------------------------------- */

/* Copies the rows of a tile from the matrix to the tile; in a diagonal tile, writes zeros above the diagonal. */
static void open_tile(const job *a, const orr__tileat *tile)
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
static void close_tile(const job *a, const orr__tileat *tile)
{
    const orr__block_cyclic *d = a->o->mat[0].d;
    size_t z = orr_dtype_size(a->o->dtype);

    for (int64_t r = 0; r < a->extent[0]; r++)
        memcpy((char *)d->local + (size_t)(a->place + r * d->ld) * z,
               (const char *)tile->p + (size_t)(r * tile->ld) * z, (size_t)a->extent[1] * z);
}

/* Clears a tile above the diagonal. */
static void clear_tile(const job *a)
{
    const orr__block_cyclic *d = a->o->mat[0].d;
    size_t z = orr_dtype_size(a->o->dtype);

    for (int64_t r = 0; r < a->extent[0]; r++)
        memset((char *)d->local + (size_t)(a->place + r * d->ld) * z, 0, (size_t)a->extent[1] * z);
}

static orr_status compute(const job *a, const orr__tileat *at)
{
    int64_t minor = 0;
    orr_status st;

    if (a->kind == CLEAR) {
        clear_tile(a);
        return ORR_OK;
    }
    if (a->opens)
        open_tile(a, &at[0]);
    if (a->kind == PRODUCT)
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

static orr__work *work_of[KINDS];

/* After a failure the other tasks of this rank do nothing, so that the graph ends on all ranks. */
static void on_worker(void *buffers[], void *arg)
{
    static const orr__region nowhere = { .key = 0 };
    static const orr__step part = { .region = (orr__region *)&nowhere, .graph = true };
    const job *a = arg;
    operation *o = a->o;
    orr__tileat at[3] = { { NULL, 0 } };
    double t0 = orr__now();

    if (atomic_load(&o->status) == ORR_OK && atomic_load(&o->minor) == LLONG_MAX) {
        for (int k = 0; k < a->buffers; k++)
            at[k] =
                (orr__tileat){ (void *)STARPU_MATRIX_GET_PTR(buffers[k]), (int64_t)STARPU_MATRIX_GET_LD(buffers[k]) };
        orr__work_begins(ORR__WORK_COMPUTES);
        orr_status st = compute(a, at);
        orr__work_ends(ORR__WORK_COMPUTES);
        int none = ORR_OK;
        if (st != ORR_OK && atomic_compare_exchange_strong(&o->status, &none, st))
            snprintf(o->text, sizeof o->text, "%s", orr_error_message());
        orr_error_clear();
        (void)orr__work_done(work_of[a->kind], &part, -1, ORR__ON_CPU, 1 + starpu_worker_get_id(), t0);
    }
    pthread_mutex_lock(&o->lock);
    if (--o->left[a->panel] == 0)
        pthread_cond_signal(&o->room);
    pthread_mutex_unlock(&o->lock);
    if (!orr__star_mpi.alone) { /* StarPU-MPI's thread may share this core: it polls for messages between tasks */
        orr__star_mpi_worked();
        sched_yield();
    }
}

#define ROW(label)                                                                                                     \
    {                                                                                                                  \
        .type = STARPU_HISTORY_BASED, .symbol = ORR__STAR_MODEL("ranks_" label)                                        \
    }
static struct starpu_perfmodel model[KINDS] = { ROW("potrf"), ROW("trsm"),    ROW("syrk"),
                                                ROW("gemm"),  ROW("product"), ROW("clear") };
#define KIND(label)                                                                                                    \
    {                                                                                                                  \
        .where = STARPU_CPU, .cpu_funcs = { on_worker }, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = label           \
    }
static struct starpu_codelet kind_of[KINDS] = {
    KIND("cholesky potrf, over ranks"), KIND("cholesky trsm, over ranks"), KIND("cholesky syrk, over ranks"),
    KIND("cholesky gemm, over ranks"),  KIND("matmul, over ranks"),        KIND("cholesky clear, over ranks")
};

void orr__star_block_cyclic_models(bool use)
{
    for (int i = 0; i < KINDS; i++)
        kind_of[i].model = use ? &model[i] : NULL;
}

static void name_work(void)
{
    for (int i = 0; i < KINDS; i++) {
        orr__region r = { .key = orr__hash(kind_of[i].name, strlen(kind_of[i].name), 0) };
        snprintf(r.label, sizeof r.label, "%s", kind_of[i].name);
        work_of[i] = orr__work_of(&r);
    }
}

/* -- insertion ---------------------------------------------------------------------------------------------------- */

/* The tiles of a task: the first one is written. */
typedef struct {
    matrix *m;
    int i, j;
} use;

static void count(operation *o, int panel)
{
    pthread_mutex_lock(&o->lock);
    o->left[panel]++;
    pthread_mutex_unlock(&o->lock);
}

static int insert(operation *o, const job *a, const use *tiles, int n, int priority)
{
    struct starpu_data_descr d[3];
    int executes = owner(tiles[0].m, tiles[0].i, tiles[0].j);
    bool mine = executes == o->rank, part = mine;

    for (int k = 1; k < n; k++)
        part |= owner(tiles[k].m, tiles[k].i, tiles[k].j) == o->rank;
    if (!part)
        return 0;
    bool writes = !a->add || (a->opens && o->apart);
    for (int k = 0; k < n; k++)
        d[k] = (struct starpu_data_descr){ tile(o, tiles[k].m, tiles[k].i, tiles[k].j), k        ? STARPU_R
                                                                                        : writes ? STARPU_W
                                                                                                 : STARPU_RW };
    if (!mine)
        return orr__star_mpi.task_insert(orr__star_mpi.all, &kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n,
                                         STARPU_EXECUTE_ON_NODE, executes, STARPU_PRIORITY, priority, 0);
    job *own = malloc(sizeof *own);
    if (!own)
        return -ENOMEM;
    *own = *a;
    own->buffers = n;
    own->place = place_of_tile(tiles[0].m, tiles[0].i, tiles[0].j);
    count(o, a->panel);
    if (orr__star_mpi.alone)
        return starpu_task_insert(&kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n, STARPU_CL_ARGS, own, sizeof *own,
                                  STARPU_PRIORITY, priority, 0);
    return orr__star_mpi.task_insert(orr__star_mpi.all, &kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n, STARPU_CL_ARGS,
                                     own, sizeof *own, STARPU_EXECUTE_ON_NODE, executes, STARPU_PRIORITY, priority, 0);
}

/* Waits until this rank's tasks of panel k are done. */
static void wait_for_panel(operation *o, int k)
{
    pthread_mutex_lock(&o->lock);
    while (o->left[k] > 0)
        pthread_cond_wait(&o->room, &o->lock);
    pthread_mutex_unlock(&o->lock);
}

/* Waits until panel k may be inserted: this rank's tasks of the panel one window before it are done. Those tasks wait only for earlier
 * panels, which all ranks have inserted or will insert, so no two ranks wait for each other. */
static void wait_for_room(operation *o, int k)
{
    if (k >= o->window)
        wait_for_panel(o, k - o->window);
}

/* Declares that no later task reads tile (i, j): ranks forget that they sent or received it, and a copy is freed after its last task. */
static void last_use(const operation *o, matrix *m, int i, int j)
{
    starpu_data_handle_t *h = &m->tile[(int64_t)i * m->col->n + j];

    if (!*h)
        return;
    if (!orr__star_mpi.alone)
        orr__star_mpi.cache_flush(orr__star_mpi.all, *h);
    if (owner(m, i, j) != o->rank) {
        starpu_data_unregister_submit(*h);
        *h = NULL;
    }
}

/* Tasks of early columns have priority, and among them the path to the next diagonal tile. */
static int urgency(int done_panels, int panels, int32_t steps)
{
    int all = 3 * panels + 3, way = all - 3 * done_panels - steps;
    return orr__star_policy_priority(STARPU_CPU, (int)((int64_t)orr__star.urgencies * (way > 0 ? way : 0) / all));
}

/* Inserts tasks that clear this rank's tiles of row i above the diagonal. No task waits for them, so they run while a worker would wait
 * for tiles. They are counted after the last panel. */
static int insert_clear(operation *o, int i)
{
    const matrix *m = &o->mat[0];
    const int64_t *at = o->axis[0].at;
    int err = 0;

    for (int j = i + 1; j < o->axis[0].n && err == 0; j++) {
        job a = { .o = o, .kind = CLEAR, .panel = o->panels, .extent = { at[i + 1] - at[i], at[j + 1] - at[j] } };
        if (owner(m, i, j) != o->rank)
            continue;
        job *own = malloc(sizeof *own);
        if (!own)
            return -ENOMEM;
        a.place = place_of_tile(m, i, j);
        *own = a;
        count(o, a.panel);
        err = starpu_task_insert(&kind_of[CLEAR], STARPU_CL_ARGS, own, sizeof *own, STARPU_PRIORITY,
                                 orr__star_policy_priority(STARPU_CPU, 0), 0);
    }
    return err;
}

static int insert_cholesky(operation *o)
{
    matrix *m = &o->mat[0];
    const int64_t *at = o->axis[0].at;
    int n = o->axis[0].n, err = 0;

    for (int k = 0; k < n; k++) {
        job a = { .o = o, .panel = k, .add = true, .opens = k == 0, .first = at[k] };
        a.extent[2] = at[k + 1] - at[k];
        wait_for_room(o, k);
        for (int j = k; j < n; j++) /* in each column, the tasks that the next panel waits for come first */
            for (int i = j; i < n && err == 0; i++) {
                use t[3] = { { m, i, j }, { m, i, k }, { m, j, k } };
                a.kind = j > k ? (i > j ? ORR__GEMM : ORR__SYRK) : i > k ? ORR__TRSM : ORR__POTRF;
                a.extent[0] = at[i + 1] - at[i];
                a.extent[1] = at[j + 1] - at[j];
                if (a.kind == ORR__TRSM)
                    t[1] = (use){ m, k, k };
                err = insert(o, &a, t,
                             a.kind == ORR__POTRF  ? 1
                             : a.kind == ORR__GEMM ? 3
                                                   : 2,
                             urgency(j, n,
                                     a.kind == ORR__POTRF  ? 0
                                     : a.kind == ORR__TRSM ? 1
                                                           : 2));
            }
        for (int i = k; i < n; i++)
            last_use(o, m, i, k);
        if (err == 0)
            err = insert_clear(o, k);
    }
    return err;
}

static int insert_product(operation *o, bool ta, bool tb)
{
    matrix *c = &o->mat[0], *a = &o->mat[1], *b = &o->mat[2];
    const cuts *mi = &o->axis[0], *nj = &o->axis[1], *kk = &o->axis[2];
    bool empty = kk->n == 0; /* empty sums: there are no tiles to read */
    int err = 0;

    for (int k = 0; k < o->panels; k++) {
        wait_for_room(o, k);
        for (int i = 0; i < mi->n; i++)
            for (int j = 0; j < nj->n && err == 0; j++) {
                job w = { .o = o, .kind = PRODUCT, .panel = k, .ta = ta, .tb = tb, .add = k > 0 };
                use t[3] = { { c, i, j }, { a, ta ? k : i, ta ? i : k }, { b, tb ? j : k, tb ? k : j } };
                w.extent[0] = mi->at[i + 1] - mi->at[i];
                w.extent[1] = nj->at[j + 1] - nj->at[j];
                w.extent[2] = empty ? 0 : kk->at[k + 1] - kk->at[k];
                err = insert(o, &w, t, empty ? 1 : 3, urgency(k, o->panels, 0));
            }
        if (empty)
            break;
        for (int i = 0; i < mi->n; i++)
            last_use(o, a, ta ? k : i, ta ? i : k);
        for (int j = 0; j < nj->n; j++)
            last_use(o, b, tb ? j : k, tb ? k : j);
    }
    return err;
}

/* -- from the call to the status ---------------------------------------------------------------------------------- */

static bool place_matrix(matrix *m, const orr__block_cyclic *d, const cuts *row, const cuts *col)
{
    m->d = d;
    m->row = row;
    m->col = col;
    m->tile = calloc((size_t)row->n * (size_t)col->n + 1, sizeof *m->tile);
    return m->tile;
}

/* The maximum over all ranks of each number. */
static orr_status agree(orr__site at, int64_t tell[2])
{
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_I64,
                        .group = orr__group_all(),
                        .in = tell,
                        .out = tell,
                        .count = 2,
                        .name = "agree" };
    return orr__ranks() > 1 ? orr__exchange_wait(at, &x) : ORR_OK;
}

/* This rank's status as one number, whose maximum over the ranks has the greatest status and the rank with it. */
static int64_t tell_status(int st)
{
    return st == ORR_OK ? 0 : (int64_t)st << 32 | orr__rank();
}

static orr_status status_told(int64_t told)
{
    return (orr_status)(told >> 32);
}

static const char *rank_told(int64_t told)
{
    return orr__rank_name((int)(told & INT32_MAX));
}

/* The ranks agree that all can begin, and on tags that none of them has used. */
static orr_status begin(operation *o, bool memory)
{
    static int64_t next_tag;
    int64_t tell[2] = { next_tag, tell_status(!memory ? ORR_ENOMEM : orr__star.cpus == 0 ? ORR_EDEVICE : ORR_OK) };

    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->room, NULL);
    atomic_init(&o->status, ORR_OK);
    atomic_init(&o->minor, LLONG_MAX);
    orr_status st = orr__star_mpi_start(o->at);
    if (st == ORR_OK)
        st = agree(o->at, tell);
    if (st != ORR_OK)
        return st;
    if (tell[1] != 0)
        return orr__fail(o->at, status_told(tell[1]),
                         status_told(tell[1]) == ORR_ENOMEM
                             ? "%s has no memory for the graph of its tiles"
                             : "%s has no CPU worker: set STARPU_NCPU to 1 or more there",
                         rank_told(tell[1]));
    for (int k = 0; k < 3; k++)
        if (o->mat[k].d) {
            o->mat[k].tag = tell[0];
            tell[0] += (int64_t)o->mat[k].row->n * o->mat[k].col->n;
        }
    next_tag = tell[0];
    name_work();
    return ORR_OK;
}

/* Waits for this rank's tasks and messages. */
static void let_go(operation *o)
{
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; o->mat[k].d && i < (int64_t)o->mat[k].row->n * o->mat[k].col->n; i++)
            if (o->mat[k].tile[i])
                starpu_data_unregister(o->mat[k].tile[i]);
    wait_for_panel(o, o->panels); /* tasks without a tile */
}

/* The greatest status, and the least minor, over all ranks. */
static orr_status end(operation *o, int err)
{
    long long minor = atomic_load(&o->minor);
    int mine = atomic_load(&o->status);
    int64_t tell[2] = { tell_status(err ? ORR_EDEVICE : mine), minor == LLONG_MAX ? INT64_MIN : -minor };
    orr_status st = agree(o->at, tell);

    if (st != ORR_OK)
        return st;
    if (err)
        return orr__fail(o->at, ORR_EDEVICE, "StarPU-MPI does not accept a task (error %d)", err);
    if (mine != ORR_OK)
        return orr__fail(o->at, (orr_status)mine, "%s", o->text);
    if (tell[0] != 0)
        return orr__fail(o->at, status_told(tell[0]), "a task failed on %s; the error of that rank has the reason",
                         rank_told(tell[0]));
    if (tell[1] != INT64_MIN)
        return orr__fail(o->at, ORR_ENUMERIC,
                         "the matrix is not positive definite: its leading minor of order %lld is not positive",
                         (long long)-tell[1]);
    return ORR_OK;
}

static void free_all(operation *o)
{
    for (int k = 0; k < 3; k++) {
        free(o->axis[k].at);
        free(o->mat[k].tile);
    }
    free(o->left);
    pthread_cond_destroy(&o->room);
    pthread_mutex_destroy(&o->lock);
}

/* The tiles of a panel are on one column of the grid, so one panel would use the links of that column only: the window holds enough
 * panels for two rounds over the grid. */
static int window_of(const orr__block_cyclic *d)
{
    int side = d->grid_rows > d->grid_cols ? d->grid_rows : d->grid_cols;
    return 2 * side > WINDOW ? 2 * side : WINDOW;
}

static orr_status run(operation *o, bool memory, bool ta, bool tb, bool is_product)
{
    orr_status st = begin(o, memory);

    if (st == ORR_OK) {
        o->apart = !is_product && !orr__star_mpi.alone;
        o->window = window_of(o->mat[0].d);
        (void)orr__star_wake(true);
        orr__star_mpi_room(true);
        int err = is_product ? insert_product(o, ta, tb) : insert_cholesky(o);
        let_go(o);
        orr__star_mpi_room(false);
        orr__star_rest(true);
        st = end(o, err);
    }
    free_all(o);
    return st;
}

static orr_status product(orr__site at, orr_dtype t, const orr__block_cyclic *c, const orr__block_cyclic *a, bool ta,
                          const orr__block_cyclic *b, bool tb)
{
    operation o = { .at = at, .rank = orr__rank(), .dtype = t };
    int64_t k = ta ? a->rows : a->cols;
    int64_t row[2] = { c->block_rows, ta ? a->block_cols : a->block_rows };
    int64_t col[2] = { c->block_cols, tb ? b->block_rows : b->block_cols };
    int64_t in[2] = { ta ? a->block_rows : a->block_cols, tb ? b->block_cols : b->block_rows };
    int rows[2] = { c->grid_rows, ta ? a->grid_cols : a->grid_rows };
    int cols[2] = { c->grid_cols, tb ? b->grid_rows : b->grid_cols };
    int ins[2] = { ta ? a->grid_rows : a->grid_cols, tb ? b->grid_cols : b->grid_rows };

    bool memory = cut(&o.axis[0], c->rows, row, rows, PRODUCT_TILE) &&
                  cut(&o.axis[1], c->cols, col, cols, PRODUCT_TILE) && cut(&o.axis[2], k, in, ins, PRODUCT_TILE);
    const cuts *ra = &o.axis[ta ? 2 : 0], *ca = &o.axis[ta ? 0 : 2], *rb = &o.axis[tb ? 1 : 2],
               *cb = &o.axis[tb ? 2 : 1];
    o.panels = o.axis[2].n > 0 ? o.axis[2].n : 1;
    memory = memory && place_matrix(&o.mat[0], c, &o.axis[0], &o.axis[1]) && place_matrix(&o.mat[1], a, ra, ca) &&
             place_matrix(&o.mat[2], b, rb, cb) && (o.left = calloc((size_t)o.panels + 1, sizeof *o.left));
    return run(&o, memory, ta, tb, true);
}

static orr_status cholesky(orr__site at, orr_dtype t, const orr__block_cyclic *a, const void *from)
{
    operation o = { .at = at, .rank = orr__rank(), .dtype = t, .from = from };
    int64_t block[2] = { a->block_rows, a->block_cols };
    int parts[2] = { a->grid_rows, a->grid_cols };

    bool memory = cut(&o.axis[0], a->rows, block, parts, orr__cholesky_block(a->rows)) &&
                  place_matrix(&o.mat[0], a, &o.axis[0], &o.axis[0]) &&
                  (o.left = calloc((size_t)o.axis[0].n + 1, sizeof *o.left));
    o.panels = o.axis[0].n;
    return run(&o, memory, false, false, false);
}

static bool can(void)
{
    return orr__star.cpus > 0 && (orr__ranks() == 1 || orr__star_mpi_found());
}

const orr__block_cyclic_impl orr__star_block_cyclic = { can, product, cholesky, orr__star_mpi_long_naps };
