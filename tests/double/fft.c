/* cuFFT's double: transforms by their definition.
 * Must not know: Orrery. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include "tests/double/double.h"

enum { OK = 0, WRONG = 4, PLANS = 64 };
enum { C2C = 0x29, R2C = 0x2a, Z2Z = 0x69, D2Z = 0x6a };

static struct {
    bool used;
    int type, n, rows, in, out;
} plans[PLANS];

API int cufftPlanMany(int *plan, int rank, int *n, int *inembed, int in_step, int in_row, int *onembed, int out_step,
                      int out_row, int type, int rows)
{
    if (rank != 1 || !inembed || !onembed || in_step != 1 || out_step != 1 || n[0] < 1 || rows < 1)
        return WRONG;
    for (*plan = 0; *plan < PLANS; ++*plan)
        if (!plans[*plan].used) {
            plans[*plan].used = true;
            plans[*plan].type = type;
            plans[*plan].n = n[0];
            plans[*plan].rows = rows;
            plans[*plan].in = in_row;
            plans[*plan].out = out_row;
            cuda_double.handles++;
            return cuda_double.matmul_code;
        }
    return WRONG;
}

API int cufftDestroy(int plan)
{
    cuda_double.handles -= plans[plan].used;
    plans[plan].used = false;
    return OK;
}

API int cufftSetStream(int plan, void *stream)
{
    cuda_double_library(stream);
    return plans[plan].used ? OK : WRONG;
}

static double complex power(int t, int n, int direction)
{
    return cexp(direction * 6.283185307179586476925 * I * t / n);
}

#define TRANSFORM(name, code, FROM, TO, arguments, direction, most)                                                    \
    API int cufftExec##name(int plan, FROM *in, TO *out arguments)                                                     \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        int n = plans[plan].n;                                                                                         \
        if (!plans[plan].used || plans[plan].type != code)                                                             \
            return WRONG;                                                                                              \
        if (cuda_double_align(in, sizeof(TO)) != 0) /* real rows are read as complex numbers */                        \
            return WRONG;                                                                                              \
        __atomic_add_fetch(&cuda_double.factors, 1, __ATOMIC_RELAXED);                                                 \
        for (int r = 0; r < plans[plan].rows; r++)                                                                     \
            for (int k = 0; k < most; k++) {                                                                           \
                double complex sum = 0;                                                                                \
                for (int t = 0; t < n; t++)                                                                            \
                    sum += in[(size_t)r * (size_t)plans[plan].in + (size_t)t] *                                        \
                           power((int)((long long)k * t % n), n, direction);                                           \
                out[(size_t)r * (size_t)plans[plan].out + (size_t)k] = (TO)sum;                                        \
            }                                                                                                          \
        return cuda_double.launch_code;                                                                                \
    }
#define WITH_DIRECTION , int direction
#define WITHOUT
TRANSFORM(C2C, C2C, float complex, float complex, WITH_DIRECTION, direction, n)
TRANSFORM(Z2Z, Z2Z, double complex, double complex, WITH_DIRECTION, direction, n)
TRANSFORM(R2C, R2C, float, float complex, WITHOUT, -1, n / 2 + 1)
TRANSFORM(D2Z, D2Z, double, double complex, WITHOUT, -1, n / 2 + 1)
