/* StarPU-MPI: its functions, found when the first operation over ranks begins.
 * Must not know: operations. */
#ifndef ORR_ENGINE_STARPU_MPI_H
#define ORR_ENGINE_STARPU_MPI_H

#include "runtime/engine/starpu/starpu.h"
#include "runtime/ranks/ranks.h"
#include <starpu_mpi.h>

/* The functions have their names' signatures. Complete after orr__star_mpi_start. */
typedef struct {
    MPI_Comm all; /* all ranks; ours alone */
    int (*init_comm)(int *argc, char ***argv, int initialize_mpi, MPI_Comm comm);
    int (*shutdown)(void);
    int (*task_insert)(MPI_Comm comm, struct starpu_codelet *codelet, ...);
    void (*data_register)(starpu_data_handle_t handle, starpu_mpi_tag_t tag, int rank, MPI_Comm comm);
    void (*cache_flush)(MPI_Comm comm, starpu_data_handle_t handle);
    bool started;
    bool alone; /* one rank: nothing is sent, and StarPU itself inserts the tasks */
} orr__star_mpi_calls;
extern orr__star_mpi_calls orr__star_mpi;

bool orr__star_mpi_found(void); /* whether the functions are there: the same on all ranks */
/* Collective at its first call; later ones do nothing. */
orr_status orr__star_mpi_start(orr__site at);
/* mpi_room.c: around an operation, after that. */
void orr__star_mpi_room(bool wanted);
/* The worker has done a task that is no nap: its next nap is short. */
void orr__star_mpi_worked(void);
long long orr__star_mpi_long_naps(void); /* naps of full length so far */

#endif
