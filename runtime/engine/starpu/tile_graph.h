/* Operations on matrices over ranks as graphs of tasks on tiles: all ranks insert the same panels in the same order.
 * Must not know: what an operation computes, how tensors are distributed. */
#ifndef ORR_ENGINE_STARPU_TILE_GRAPH_H
#define ORR_ENGINE_STARPU_TILE_GRAPH_H

#include "codelets/cholesky.h"
#include "runtime/engine/block_cyclic.h"
#include "runtime/engine/starpu/mpi.h"

/* Kinds of task in addition to those of a Cholesky factorisation. */
enum {
    ORR__TILE_PRODUCT = ORR__TILE_KINDS,
    ORR__TILE_CLEAR,
    ORR__TILE_LOAD,
    ORR__TILE_STORE,
    ORR__TILE_LU_PANEL,
    ORR__TILE_LU_CLOSE,
    ORR__TILE_LU_SAVE,
    ORR__TILE_LU_TAKE,
    ORR__TILE_LU_TOP,
    ORR__TILE_LU_UPDATE,
    ORR__TILE_LU_SOLVE,
    ORR__TILE_LU_BACK,
    ORR__TILE_ALL_KINDS
};

/* An axis cut into tiles: tile i has elements [at[i], at[i + 1]). */
typedef struct {
    int n;
    int64_t *at;
} orr__cuts;

/* Cuts at every change of owner in either distribution, and into pieces of at most `most` in between. false: no memory. */
bool orr__cuts_make(orr__cuts *c, int64_t n, const int64_t block[2], const int parts[2], int64_t most);
static inline int64_t orr__cut_length(const orr__cuts *c, int i)
{
    return c->at[i + 1] - c->at[i];
}

/* Tiles of a matrix, or of an operation's own: those have no elements in a rank's part. */
typedef struct orr__tile_matrix {
    int rows, cols; /* of tiles */
    const orr__block_cyclic *d;
    const orr__cuts *row, *col;
    /* Of the operation's own: the owner and the extent of a tile; with `of`. */
    int (*owner)(const void *of, int i, int j, int64_t extent[2]);
    const void *of;
    starpu_mpi_tag_t tag;       /* of tile (0, 0); the others follow */
    starpu_data_handle_t *tile; /* row by row; NULL: not registered  */
} orr__tile_matrix;

bool orr__tile_matrix_make(orr__tile_matrix *m, const orr__block_cyclic *d, const orr__cuts *row, const orr__cuts *col);
bool orr__tile_matrix_own(orr__tile_matrix *m, int rows, int cols, int (*owner)(const void *, int, int, int64_t *),
                          const void *of);
/* The number of the part that has element `at` of an axis. */
static inline int orr__tile_part(int64_t at, int64_t block, int parts)
{
    return parts == 1 ? 0 : (int)(at / block % parts);
}
/* The place of element `at` of an axis in its part. */
static inline int64_t orr__tile_place_along(int64_t at, int64_t block, int parts)
{
    return parts == 1 ? at : at / block / parts * block + at % block;
}
int orr__tile_owner(const orr__tile_matrix *m, int i, int j);
/* The index of the first element of tile (i, j), within this rank's part. */
int64_t orr__tile_place(const orr__tile_matrix *m, int i, int j);

struct orr__tile_job;
/* An operation under way. */
enum { ORR__TILE_MATRICES = 6 };
typedef struct orr__tile_graph {
    orr__site at;
    int rank;
    orr_dtype dtype;
    orr__cuts axis[3];
    orr__tile_matrix mat[ORR__TILE_MATRICES];
    int panels, window;
    const char *from; /* of a factorisation: the matrix, stored as its factor is */
    bool apart;       /* tiles have memory of their own, without gaps between rows: StarPU-MPI sends them as they are */
    orr_status (*compute)(const struct orr__tile_job *a, const orr__tileat *at);
    orr_status (*finish)(
        struct orr__tile_graph *o); /* after the last task, on all ranks if it has no error; NULL: nothing */
    const char *irregular[2];       /* the message about the number in `minor`: the text before it and after it */
    pthread_mutex_t lock;
    pthread_cond_t room;
    int *left;          /* by panel: unfinished tasks of this rank; last: tasks of no panel; under the lock */
    atomic_int status;  /* of this rank's tasks: the first error          */
    atomic_llong minor; /* of this rank's tiles: the least order of a minor that is not regular, LLONG_MAX: none */
    char text[256];     /* the message of the first error, written by the thread that set `status` */
} orr__tile_graph;

/* The arguments of a task; StarPU frees them. */
typedef struct orr__tile_job {
    orr__tile_graph *o;
    int kind, panel, buffers;
    int writes;              /* so many tiles, from the first on, are written, or 0: one */
    int64_t extent[3];       /* of a factorisation: rows of tile rows i, j, k; else m, n, k */
    int64_t first;           /* of a factorisation: order of the leading minor before the tile */
    bool ta, tb, add, opens; /* opens: the tile's first task, which copies the matrix there */
    int64_t place;           /* of the tile in this rank's part, in elements */
    int mat, i, j, part;     /* the tile that is written, as the operation numbers it */
} orr__tile_job;

/* A tile that a task uses; the first ones are written. */
typedef struct {
    orr__tile_matrix *m;
    int i, j;
} orr__tile_use;

/* Inserts a task. Returns 0 or an error number. */
int orr__tile_insert(orr__tile_graph *o, const orr__tile_job *a, const orr__tile_use *tiles, int n, int priority);
/* Inserts a task of this rank without tiles. */
int orr__tile_insert_here(orr__tile_graph *o, const orr__tile_job *a, int priority);
/* Waits until panel k may be inserted: this rank's tasks of the panel one window before it are done. Those tasks wait only for earlier
 * panels, which all ranks have inserted or will insert, so no two ranks wait for each other. */
void orr__tile_room(orr__tile_graph *o, int k);
/* Declares that no later task reads tile (i, j): ranks forget that they sent or received it, and a copy is freed after its last task. */
void orr__tile_last_use(const orr__tile_graph *o, orr__tile_matrix *m, int i, int j);
/* The same for the readers so far: the tile is written or read again later. */
void orr__tile_forget(orr__tile_matrix *m, int i, int j);
/* Tasks of early columns have priority, and among them the path to the next diagonal tile. */
int orr__tile_urgency(int done_panels, int panels, int32_t steps);
/* From the graph's tiles, if there was `memory` for them, to the status of all ranks; insert: inserts all tasks. Frees the tiles. */
orr_status orr__tile_run(orr__tile_graph *o, bool memory, int (*insert)(orr__tile_graph *o));

orr_status orr__star_lu(orr__site at, orr_dtype t, const orr__block_cyclic_lu *lu); /* lu_over_ranks.c */

#endif
