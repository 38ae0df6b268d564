/* All-reductions beside MPI_Allreduce: the same sums, and the ratio of the times, in turns in one run.
 * Must not know: how an exchange is made. */
#include "config.h"

#include <mpi.h>
#include <orrery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/ranks.h"

static const orr__site here = { NULL, 0, "test" };

/* Seconds of a sum, on average over `times` in sequence. */
static double time_of_ours(float *in, float *out, int64_t n, int times)
{
    orr__exchange x = {
        .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F32, .group = orr__group_all(), .in = in, .out = out, .count = n
    };
    (void)orr_barrier();
    double t = orr__now();
    for (int i = 0; i < times; i++)
        ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    return (orr__now() - t) / times;
}

static double time_of_mpi(float *in, float *out, int64_t n, int times)
{
    (void)orr_barrier();
    double t = orr__now();
    for (int i = 0; i < times; i++)
        ORR_CHECK(MPI_Allreduce(in, out, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    return (orr__now() - t) / times;
}

/* Prints a row of the table; returns the ratio of the times on rank 0. */
static double compare(int64_t n, int rounds)
{
    float *in = malloc((size_t)n * sizeof *in), *ours = malloc((size_t)n * sizeof *in),
          *theirs = malloc((size_t)n * sizeof *in);
    ORR_CHECK(in && ours && theirs);
    if (!in || !ours || !theirs) {
        free(in);
        free(ours);
        free(theirs);
        return NAN;
    }
    for (int64_t i = 0; i < n; i++) {
        in[i] = (float)(i % 1000) * 0.001f + (float)orr_rank();
        ours[i] = theirs[i] = 0;
    }
    int times = n < 16384 ? 50 : n < 1 << 20 ? 5 : 1;
    double best[2] = { INFINITY, INFINITY }, worst = 0;
    for (int i = 0; i < rounds; i++) {
        best[0] = fmin(best[0], time_of_ours(in, ours, n, times));
        best[1] = fmin(best[1], time_of_mpi(in, theirs, n, times));
    }
    for (int64_t i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)ours[i] - (double)theirs[i]));
    ORR_CHECK_MSG(worst <= 4e-6, "%g", worst);
    if (orr_rank() == 0)
        printf("  %9.3f kB, %d ranks: %9.2f us, MPI_Allreduce %9.2f us: time %.2f of it\n", (double)n * 4e-3,
               orr_ranks(), best[0] * 1e6, best[1] * 1e6, best[0] / best[1]);
    free(in);
    free(ours);
    free(theirs);
    return best[0] / best[1];
}

static void sums_are_those_of_mpi(void)
{
    orr_config c = { .engine = "serial" };
    ORR_REQUIRE(orr_init(&c) == ORR_OK);
    int rounds = getenv("ORR_TEST_FULL") ? 100 : 10, slower = 0, sizes = 0;
    double most = 0;
    if (orr_ranks() > 1)
        for (int64_t n = 1; n <= (getenv("ORR_TEST_FULL") ? 16 << 20 : 1 << 20); n *= 4, sizes++) {
            double ratio = compare(n, n < 1 << 20 ? rounds : (rounds + 9) / 10);
            most = fmax(most, ratio);
            slower += ratio > 1.1;
        }
    if (orr_rank() == 0 && sizes > 0)
        printf("  %d ranks: %d of %d sizes above 1.1 of MPI_Allreduce, at most %.2f\n", orr_ranks(), slower, sizes,
               most);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(sums_are_those_of_mpi), { 0 } };
    return orr_test_ranks_main(argc, argv, "allreduce", tests, (const int[]){ 2, 3, 4, 0 });
}
