/* Start and stop of StarPU-MPI beside StarPU.
 * Must not know: operations. */
#include "config.h"
#include <string.h>
#include "runtime/engine/starpu/mpi.h"

orr__star_mpi_calls orr__star_mpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A function's address as data: allowed by POSIX, not by ISO C. */
static bool find(const char *name, void *function)
{
    void *p = orr__ranks_symbol(name);

    memcpy(function, &p, sizeof p);
    return p;
}

bool orr__star_mpi_found(void)
{
    orr__star_mpi_calls *c = &orr__star_mpi;

    /* Without a function that ends a communicator's part, the end waits for all processes of MPI (StarPU 1.3). */
    (void)find("starpu_mpi_shutdown_comm", &c->shutdown_comm);
    return orr__ranks_communicator() && (c->shutdown_comm || orr__ranks_are_world()) &&
           find("starpu_mpi_init_comm", &c->init_comm) && find("starpu_mpi_shutdown", &c->shutdown) &&
           find("starpu_mpi_task_insert", &c->task_insert) &&
           find("starpu_mpi_data_register_comm", &c->data_register) && find("starpu_mpi_cache_flush", &c->cache_flush);
}

static orr_status start(orr__site at)
{
    orr__star_mpi_calls *c = &orr__star_mpi;

    if ((c->alone = orr__ranks() == 1))
        return ORR_OK;
    if (!orr__star_mpi_found())
        return orr__fail(
            at, ORR_EDEVICE,
            "StarPU-MPI is not there (libstarpu-dev), or cannot serve a part of the processes (StarPU 1.3), or MPI has "
            "fewer threads than MPI_THREAD_MULTIPLE");
    memcpy(&c->all, orr__ranks_communicator(), sizeof c->all);
    int err = c->init_comm(NULL, NULL, 0, c->all);
    if (err)
        return orr__fail(at, ORR_EDEVICE, "StarPU-MPI does not start (error %d)", err);
    c->started = true;
    return ORR_OK;
}

orr_status orr__star_mpi_start(orr__site at)
{
    pthread_mutex_lock(&lock);
    orr_status st = orr__star_mpi.started ? ORR_OK : start(at);
    pthread_mutex_unlock(&lock);
    return st;
}

void orr__star_mpi_stop(void)
{
    if (orr__star_mpi.started)
        (void)(orr__star_mpi.shutdown_comm ? orr__star_mpi.shutdown_comm(orr__star_mpi.all) : orr__star_mpi.shutdown());
    orr__star_mpi.started = false;
}
