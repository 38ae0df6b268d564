/* Lesson 7: one program on several processes, each of which has a part of the rows.
 * Must not know: anything but the public headers. */
#include <orrery.h>
#include <orrery/distribute.h>

enum { ROWS = 1000, COLUMNS = 4 };

int main(void)
{
    if (orr_init(NULL) != ORR_OK) /* mpirun or srun decides on the number of ranks */
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 })); /* all ranks, in a line */
    orr_tensor *x = orr_reshape(orr_arange(ORR_F64, 0, ROWS * COLUMNS, 1), ORR_SHAPE(ROWS, COLUMNS));
    x = orr_shard(x, line, ORR_AXES(0));             /* rows over the ranks     */
    orr_tensor *y = orr_sqrt(x);                     /* no message              */
    orr_tensor *m = orr_mean(y, ORR_AXES(0), false); /* one sum over the ranks  */
    double mean[COLUMNS];
    if (orr_read(m, mean, sizeof mean) != ORR_OK) /* collective: every rank calls it */
        return orr_error_print(stderr);
    if (orr_rank() == 0)
        printf("%d rank%s: %.6f %.6f %.6f %.6f\n", orr_ranks(), orr_ranks() == 1 ? "" : "s", mean[0], mean[1], mean[2],
               mean[3]);
    orr_grid_free(line);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
