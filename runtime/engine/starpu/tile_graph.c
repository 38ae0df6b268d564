/* Operations on matrices over ranks as graphs of tasks: the tiles, their owners, the insertion of tasks, the end on all ranks. StarPU-MPI
 * sends the tiles that a task reads to the rank that owns the tile it writes.
 * All ranks insert the same panels in the same order; a rank leaves out the tasks of which it owns no tile. Few panels are unfinished at
 * a time, so tiles of other ranks occupy bounded memory.
 * Must not know: what an operation computes, how tensors are distributed. */
#include "config.h"
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/hash.h"
#include "runtime/engine/starpu/tile_graph.h"

enum {
    WINDOW = 4, /* panels under way, at least */
    FEW = 8     /* tiles of a task without memory of their own */
};

/* -- the owners of elements ------------------------------------------------------------------------------------ */

static int64_t next_cut(int64_t from, int64_t n, int64_t block, int parts)
{
    int64_t to = parts == 1 ? n : (from / block + 1) * block;
    return to < n ? to : n;
}

bool orr__cuts_make(orr__cuts *c, int64_t n, const int64_t block[2], const int parts[2], int64_t most)
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

/* -- tiles ------------------------------------------------------------------------------------------------------ */

int orr__tile_owner(const orr__tile_matrix *m, int i, int j)
{
    int64_t extent[2];
    if (m->owner)
        return m->owner(m->of, i, j, extent);
    return m->d->first + orr__tile_part(m->row->at[i], m->d->block_rows, m->d->grid_rows) * m->d->row_step +
           orr__tile_part(m->col->at[j], m->d->block_cols, m->d->grid_cols) * m->d->col_step;
}

int64_t orr__tile_place(const orr__tile_matrix *m, int i, int j)
{
    return orr__tile_place_along(m->row->at[i], m->d->block_rows, m->d->grid_rows) * m->d->ld +
           orr__tile_place_along(m->col->at[j], m->d->block_cols, m->d->grid_cols);
}

static bool get_handles(orr__tile_matrix *m, int rows, int cols)
{
    m->rows = rows;
    m->cols = cols;
    m->tile = calloc((size_t)rows * (size_t)cols + 1, sizeof *m->tile);
    return m->tile;
}

bool orr__tile_matrix_make(orr__tile_matrix *m, const orr__block_cyclic *d, const orr__cuts *row, const orr__cuts *col)
{
    m->d = d;
    m->row = row;
    m->col = col;
    return get_handles(m, row->n, col->n);
}

bool orr__tile_matrix_own(orr__tile_matrix *m, int rows, int cols, int (*owner)(const void *, int, int, int64_t *),
                          const void *of)
{
    m->owner = owner;
    m->of = of;
    return get_handles(m, rows, cols);
}

/* Tile (i, j), registered at its first use. A tile of another rank, or apart, has no memory until it is received or written. */
static starpu_data_handle_t tile(const orr__tile_graph *o, orr__tile_matrix *m, int i, int j)
{
    int64_t at = (int64_t)i * m->cols + j, extent[2];
    size_t z = orr_dtype_size(o->dtype);
    starpu_data_handle_t *h = &m->tile[at];

    if (*h)
        return *h;
    int whose = m->owner ? m->owner(m->of, i, j, extent) : orr__tile_owner(m, i, j);
    if (!m->owner) {
        extent[0] = orr__cut_length(m->row, i);
        extent[1] = orr__cut_length(m->col, j);
    }
    if (whose == o->rank && !o->apart) {
        uintptr_t p = (uintptr_t)m->d->local + (size_t)orr__tile_place(m, i, j) * z;
        starpu_matrix_data_register(h, STARPU_MAIN_RAM, p, (uint32_t)m->d->ld, (uint32_t)extent[1], (uint32_t)extent[0],
                                    z);
    } else {
        starpu_matrix_data_register(h, -1, 0, (uint32_t)extent[1], (uint32_t)extent[1], (uint32_t)extent[0], z);
    }
    if (!orr__star_mpi.alone)
        orr__star_mpi.data_register(*h, m->tag + at, whose, orr__star_mpi.all);
    return *h;
}

/* -- on a worker -------------------------------------------------------------------------------------------------- */

static orr__work *work_of[ORR__TILE_ALL_KINDS];

/* After a failure the other tasks of this rank do nothing, so that the graph ends on all ranks. */
static void on_worker(void *buffers[], void *arg)
{
    static const orr__region nowhere = { .key = 0 };
    static const orr__step part = { .region = (orr__region *)&nowhere, .graph = true };
    const orr__tile_job *a = arg;
    orr__tile_graph *o = a->o;
    orr__tileat few[FEW] = { { NULL, 0 } }, *at = a->buffers > FEW ? malloc((size_t)a->buffers * sizeof *at) : few;
    double t0 = orr__now();

    if (atomic_load(&o->status) == ORR_OK && atomic_load(&o->minor) == LLONG_MAX) {
        for (int k = 0; at && k < a->buffers; k++)
            at[k] =
                (orr__tileat){ (void *)STARPU_MATRIX_GET_PTR(buffers[k]), (int64_t)STARPU_MATRIX_GET_LD(buffers[k]) };
        orr__work_begins(ORR__WORK_COMPUTES);
        orr_status st = at ? o->compute(a, at) : orr__fail(o->at, ORR_ENOMEM, "no memory for the tiles of a task");
        orr__work_ends(ORR__WORK_COMPUTES);
        int none = ORR_OK;
        if (st != ORR_OK && atomic_compare_exchange_strong(&o->status, &none, st))
            snprintf(o->text, sizeof o->text, "%s", orr_error_message());
        orr_error_clear();
        (void)orr__work_done(work_of[a->kind], &part, -1, ORR__ON_CPU, 1 + starpu_worker_get_id(), t0);
    }
    if (at != few)
        free(at);
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
static struct starpu_perfmodel model[ORR__TILE_ALL_KINDS] = {
    ROW("potrf"),  ROW("trsm"),      ROW("syrk"),     ROW("gemm"),     ROW("product"), ROW("clear"),
    ROW("load"),   ROW("store"),     ROW("lu_panel"), ROW("lu_close"), ROW("lu_save"), ROW("lu_take"),
    ROW("lu_top"), ROW("lu_update"), ROW("lu_solve"), ROW("lu_back")
};
#define KIND(label)                                                                                                    \
    {                                                                                                                  \
        .where = STARPU_CPU, .cpu_funcs = { on_worker }, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = label           \
    }
static struct starpu_codelet kind_of[ORR__TILE_ALL_KINDS] = {
    KIND("cholesky potrf, over ranks"), KIND("cholesky trsm, over ranks"), KIND("cholesky syrk, over ranks"),
    KIND("cholesky gemm, over ranks"),  KIND("matmul, over ranks"),        KIND("cholesky clear, over ranks"),
    KIND("load, over ranks"),           KIND("store, over ranks"),         KIND("lu panel, over ranks"),
    KIND("lu close, over ranks"),       KIND("lu save, over ranks"),       KIND("lu take, over ranks"),
    KIND("lu top, over ranks"),         KIND("lu update, over ranks"),     KIND("lu solve, over ranks"),
    KIND("lu back, over ranks")
};

void orr__star_block_cyclic_models(bool use)
{
    for (int i = 0; i < ORR__TILE_ALL_KINDS; i++)
        kind_of[i].model = use ? &model[i] : NULL;
}

static void name_work(void)
{
    for (int i = 0; i < ORR__TILE_ALL_KINDS; i++) {
        orr__region r = { .key = orr__hash(kind_of[i].name, strlen(kind_of[i].name), 0) };
        snprintf(r.label, sizeof r.label, "%s", kind_of[i].name);
        work_of[i] = orr__work_of(&r);
    }
}

/* -- insertion ---------------------------------------------------------------------------------------------------- */

static void count(orr__tile_graph *o, int panel)
{
    pthread_mutex_lock(&o->lock);
    o->left[panel]++;
    pthread_mutex_unlock(&o->lock);
}

/* The arguments of a task of this rank. */
static orr__tile_job *keep(orr__tile_graph *o, const orr__tile_job *a)
{
    orr__tile_job *own = malloc(sizeof *own);
    if (!own)
        return NULL;
    *own = *a;
    count(o, a->panel);
    return own;
}

int orr__tile_insert_here(orr__tile_graph *o, const orr__tile_job *a, int priority)
{
    orr__tile_job *own = keep(o, a);
    return own ? starpu_task_insert(&kind_of[a->kind], STARPU_CL_ARGS, own, sizeof *own, STARPU_PRIORITY, priority, 0)
               : -ENOMEM;
}

static int insert(orr__tile_graph *o, const orr__tile_job *a, const orr__tile_use *tiles, struct starpu_data_descr *d,
                  int n, int priority)
{
    int executes = orr__tile_owner(tiles[0].m, tiles[0].i, tiles[0].j);
    bool writes = !a->add || (a->opens && o->apart);
    for (int k = 0; k < n; k++)
        d[k] =
            (struct starpu_data_descr){ tile(o, tiles[k].m, tiles[k].i, tiles[k].j), k > 0 && k >= a->writes ? STARPU_R
                                                                                     : writes                ? STARPU_W
                                                                                              : STARPU_RW };
    if (executes != o->rank)
        return orr__star_mpi.task_insert(orr__star_mpi.all, &kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n,
                                         STARPU_EXECUTE_ON_NODE, executes, STARPU_PRIORITY, priority, 0);
    orr__tile_job *own = keep(o, a);
    if (!own)
        return -ENOMEM;
    own->buffers = n;
    own->place = tiles[0].m->owner ? 0 : orr__tile_place(tiles[0].m, tiles[0].i, tiles[0].j);
    if (orr__star_mpi.alone)
        return starpu_task_insert(&kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n, STARPU_CL_ARGS, own, sizeof *own,
                                  STARPU_PRIORITY, priority, 0);
    return orr__star_mpi.task_insert(orr__star_mpi.all, &kind_of[a->kind], STARPU_DATA_MODE_ARRAY, d, n, STARPU_CL_ARGS,
                                     own, sizeof *own, STARPU_EXECUTE_ON_NODE, executes, STARPU_PRIORITY, priority, 0);
}

int orr__tile_insert(orr__tile_graph *o, const orr__tile_job *a, const orr__tile_use *tiles, int n, int priority)
{
    struct starpu_data_descr few[FEW], *d = few;
    bool part = false;

    for (int k = 0; k < n && !part; k++)
        part = orr__tile_owner(tiles[k].m, tiles[k].i, tiles[k].j) == o->rank;
    if (!part)
        return 0;
    if (n > FEW && !(d = malloc((size_t)n * sizeof *d)))
        return -ENOMEM;
    int err = insert(o, a, tiles, d, n, priority);
    if (d != few)
        free(d);
    return err;
}

/* Waits until this rank's tasks of panel k are done. */
static void wait_for_panel(orr__tile_graph *o, int k)
{
    pthread_mutex_lock(&o->lock);
    while (o->left[k] > 0)
        pthread_cond_wait(&o->room, &o->lock);
    pthread_mutex_unlock(&o->lock);
}

void orr__tile_room(orr__tile_graph *o, int k)
{
    if (k >= o->window)
        wait_for_panel(o, k - o->window);
}

void orr__tile_forget(orr__tile_matrix *m, int i, int j)
{
    starpu_data_handle_t h = m->tile[(int64_t)i * m->cols + j];

    if (h && !orr__star_mpi.alone)
        orr__star_mpi.cache_flush(orr__star_mpi.all, h);
}

void orr__tile_last_use(const orr__tile_graph *o, orr__tile_matrix *m, int i, int j)
{
    starpu_data_handle_t *h = &m->tile[(int64_t)i * m->cols + j];

    orr__tile_forget(m, i, j);
    if (*h && (m->owner || orr__tile_owner(m, i, j) != o->rank)) {
        starpu_data_unregister_submit(*h);
        *h = NULL;
    }
}

int orr__tile_urgency(int done_panels, int panels, int32_t steps)
{
    int all = 3 * panels + 3, way = all - 3 * done_panels - steps;
    return orr__star_policy_priority(STARPU_CPU, (int)((int64_t)orr__star.urgencies * (way > 0 ? way : 0) / all));
}

/* -- from the call to the status ---------------------------------------------------------------------------------- */

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
static orr_status begin(orr__tile_graph *o, bool memory)
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
    for (int k = 0; k < ORR__TILE_MATRICES; k++) {
        o->mat[k].tag = tell[0];
        tell[0] += (int64_t)o->mat[k].rows * o->mat[k].cols;
    }
    next_tag = tell[0];
    name_work();
    return ORR_OK;
}

/* Waits for this rank's tasks and messages. */
static void let_go(orr__tile_graph *o)
{
    for (int k = 0; k < ORR__TILE_MATRICES; k++)
        for (int64_t i = 0; i < (int64_t)o->mat[k].rows * o->mat[k].cols; i++)
            if (o->mat[k].tile[i])
                starpu_data_unregister(o->mat[k].tile[i]);
    wait_for_panel(o, o->panels); /* tasks without a tile */
}

/* The greatest status, and the least minor, over all ranks. */
static orr_status end(orr__tile_graph *o, int err)
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
        return orr__fail(o->at, ORR_ENUMERIC, "%s %lld %s", o->irregular[0], (long long)-tell[1], o->irregular[1]);
    return ORR_OK;
}

static void free_all(orr__tile_graph *o)
{
    for (int k = 0; k < 3; k++)
        free(o->axis[k].at);
    for (int k = 0; k < ORR__TILE_MATRICES; k++)
        free(o->mat[k].tile);
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

orr_status orr__tile_run(orr__tile_graph *o, bool memory, int (*insert_all)(orr__tile_graph *o))
{
    orr_status st = begin(o, memory);

    if (st == ORR_OK) {
        o->window = window_of(o->mat[0].d);
        (void)orr__star_wake(true);
        orr__star_mpi_room(true);
        int err = insert_all(o);
        let_go(o);
        orr__star_mpi_room(false);
        orr__star_rest(true);
        st = end(o, err);
        if (st == ORR_OK && o->finish)
            st = o->finish(o);
    }
    free_all(o);
    return st;
}
