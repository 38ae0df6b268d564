/* Loops of a row's softmax: the greatest element, exponentials and their sum.
 * Must not know: the meaning of a row. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"

enum { SIDE = 16 }; /* maxima and sums side by side */

#define LOOPS(t, REAL)                                                                                                 \
    double ORR__V(orr__vec_greatest_##t)(const void *row, int64_t n)                                                   \
    {                                                                                                                  \
        const REAL *x = row;                                                                                           \
        REAL most[SIDE], all = -INFINITY;                                                                              \
        for (int i = 0; i < SIDE; i++)                                                                                 \
            most[i] = -INFINITY;                                                                                       \
        int64_t k = 0;                                                                                                 \
        for (; k + SIDE <= n; k += SIDE)                                                                               \
            for (int i = 0; i < SIDE; i++)                                                                             \
                most[i] = x[k + i] > most[i] ? x[k + i] : most[i];                                                     \
        for (; k < n; k++)                                                                                             \
            most[0] = x[k] > most[0] ? x[k] : most[0];                                                                 \
        for (int i = 0; i < SIDE; i++)                                                                                 \
            all = most[i] > all ? most[i] : all;                                                                       \
        return (double)all;                                                                                            \
    }                                                                                                                  \
    double ORR__V(orr__vec_exp_##t)(void *row, int64_t n, double shift)                                                \
    {                                                                                                                  \
        REAL *x = row, less = (REAL)shift, sum[SIDE] = { 0 };                                                          \
        double all = 0;                                                                                                \
        for (int64_t k = 0; k < n; k++)                                                                                \
            x[k] = vm_exp_##t(x[k] - less);                                                                            \
        int64_t k = 0;                                                                                                 \
        for (; k + SIDE <= n; k += SIDE)                                                                               \
            for (int i = 0; i < SIDE; i++)                                                                             \
                sum[i] += x[k + i];                                                                                    \
        for (; k < n; k++)                                                                                             \
            sum[0] += x[k];                                                                                            \
        for (int i = 0; i < SIDE; i++)                                                                                 \
            all += (double)sum[i];                                                                                     \
        return all;                                                                                                    \
    }

LOOPS(f32, float)
LOOPS(f64, double)
