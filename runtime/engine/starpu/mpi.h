/* StarPU-MPI: its functions, found at the first operation over ranks.
 * Must not know: operations. */
#ifndef ORR_ENGINE_STARPU_MPI_H
#define ORR_ENGINE_STARPU_MPI_H

#include "runtime/engine/starpu/starpu.h"
#include "runtime/ranks/ranks.h"
#include <starpu_mpi.h>

/* Each function has the signature of its name. Complete after orr__star_mpi_start. */
typedef struct {
    MPI_Comm all; /* private communicator of all ranks */
    int (*init_comm)(int *argc, char ***argv, int initialize_mpi, MPI_Comm comm);
    int (*shutdown)(void);
    int (*shutdown_comm)(MPI_Comm comm); /* NULL: not in this version */
    int (*task_insert)(MPI_Comm comm, struct starpu_codelet *codelet, ...);
    void (*data_register)(starpu_data_handle_t handle, starpu_mpi_tag_t tag, int rank, MPI_Comm comm);
    void (*cache_flush)(MPI_Comm comm, starpu_data_handle_t handle);
    bool started;
    bool alone; /* one rank: nothing is sent, and StarPU itself inserts the tasks */
} orr__star_mpi_calls;
extern orr__star_mpi_calls orr__star_mpi;

bool orr__star_mpi_found(void); /* true if the functions exist: the same on all ranks */
/* Collective at its first call; later ones do nothing. */
orr_status orr__star_mpi_start(orr__site at);
/* mpi_room.c: to be called around an operation, after orr__star_mpi_start. */
void orr__star_mpi_room(bool wanted);
/* The worker has done a task that is not a nap, so its next nap is short. */
void orr__star_mpi_worked(void);
long long orr__star_mpi_long_naps(void); /* naps of full length so far */

#endif
