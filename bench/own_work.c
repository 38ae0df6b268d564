/* Work of a program's own between evaluations: arithmetic on data of its own.
 * Must not know: what is evaluated. */
#include "config.h"
#include "bench/bench.h"
#include "bench/own_work.h"

static void work_until(double end)
{
    enum { N = 512 };
    float x[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    do
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < N; i++)
                x[i] = x[i] * 0.999f + 1.0f;
    while (bench_now() < end && x[0] >= 0.0f);
}

bool own_work_has_team(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

void own_work(double seconds, bool team)
{
    double end = bench_now() + seconds;
    if (!team) {
        work_until(end);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel
#endif
    work_until(end);
}
