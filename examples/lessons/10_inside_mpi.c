/* Lesson 10: a program with MPI of its own gives Orrery one of its communicators.
 * Must not know: anything but the public headers. */
#include <mpi.h>
#include <orrery.h>
#include <orrery/distribute.h>

/* Σ i for i < 1000, in parts on the ranks of the communicator. */
static int compute(MPI_Comm part, double *sum)
{
    if (orr_init(&(orr_config){ .communicator = &part }) != ORR_OK) /* collective over `part` */
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0, 1000, 1), line, ORR_AXES(0));
    int rc = orr_item(orr_sum(x, ORR_ALL_AXES, false), sum) == ORR_OK ? 0 : orr_error_print(stderr);
    orr_grid_free(line);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}

int main(int argc, char **argv)
{
    int rank, size, level, rc = 0;
    double sum = 0, all;
    MPI_Comm part;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* messages of several threads */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    if (rank % 2 == 0) /* the odd ranks do other work, and call nothing of Orrery */
        rc = compute(part, &sum);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of %d processes: the sum is %.0f\n", (size + 1) / 2, size, all);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return rc;
}
