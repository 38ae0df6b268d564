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

static float work_times(int times)
{
    enum { N = 512 };
    float x[N], sum = 0;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    for (int k = 0; k < times; k++)
        for (int i = 0; i < N; i++)
            x[i] = x[i] * 0.999f + 1.0f;
    for (int i = 0; i < N; i++)
        sum += x[i];
    return sum;
}

double own_region(int times, bool team)
{
    double sum = 0;
    (void)team;
#ifdef _OPENMP
#pragma omp parallel reduction(+ : sum) if (team)
#endif
    sum += (double)work_times(times);
    return sum;
}

void own_triad(double *a, const double *b, const double *c, int n)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
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
