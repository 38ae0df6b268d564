/* cuFFT's double: transforms by their definition.
 * Must not know: Orrery. */
#include <complex.h>
#include <stddef.h>
#include "tests/double/double.h"

enum { OK = 0, WRONG = 4, PLANS = 64 };
enum { C2C = 0x29, R2C = 0x2a, Z2Z = 0x69, D2Z = 0x6a };

static struct {
    long serial; /* 0: free */
    int type, n, rows, in, out;
    void *stream;
} plans[PLANS];
static long made;

API int cufftPlanMany(int *plan, int rank, int *n, int *inembed, int in_step, int in_row, int *onembed, int out_step,
                      int out_row, int type, int rows)
{
    if (rank != 1 || !inembed || !onembed || in_step != 1 || out_step != 1 || n[0] < 1 || rows < 1)
        return WRONG;
    for (*plan = 0; *plan < PLANS; ++*plan)
        if (!plans[*plan].serial) {
            plans[*plan].serial = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
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
    cuda_double.handles -= plans[plan].serial != 0;
    plans[plan].serial = 0;
    return OK;
}

API int cufftSetStream(int plan, void *stream)
{
    plans[plan].stream = stream;
    return plans[plan].serial ? OK : WRONG;
}

static double complex power(int t, int n, int direction)
{
    return cexp(direction * 6.283185307179586476925 * I * t / n);
}

/* A transform in its stream, or as the node of a graph. */
typedef struct {
    long serial;
    int plan, type, direction;
    const void *in;
    void *out;
} transform;

static double complex number(const transform *t, size_t at)
{
    return t->type == C2C   ? ((const float complex *)t->in)[at]
           : t->type == Z2Z ? ((const double complex *)t->in)[at]
           : t->type == R2C ? ((const float *)t->in)[at]
                            : ((const double *)t->in)[at];
}

static int compute(void *arg)
{
    DEVICE_WORK;
    const transform *t = arg;
    int n = plans[t->plan].n, most = t->type == C2C || t->type == Z2Z ? n : n / 2 + 1;
    if (plans[t->plan].serial != t->serial)
        cuda_double_quit("a graph has a transform whose plan has ended", t->in, 0, 0);
    for (int r = 0; r < plans[t->plan].rows && !cuda_double.no_execution; r++)
        for (int k = 0; k < most; k++) {
            size_t to = (size_t)r * (size_t)plans[t->plan].out + (size_t)k;
            double complex sum = 0;
            for (int i = 0; i < n; i++)
                sum += number(t, (size_t)r * (size_t)plans[t->plan].in + (size_t)i) *
                       power((int)((long long)k * i % n), n, t->direction);
            if (t->type == C2C || t->type == R2C)
                ((float complex *)t->out)[to] = (float complex)sum;
            else
                ((double complex *)t->out)[to] = sum;
        }
    return OK;
}

static int execute(int plan, int type, int direction, const void *in, void *out)
{
    transform t = { plans[plan].serial, plan, type, direction, in, out };
    void *stream = plans[plan].stream;
    if (!t.serial || plans[plan].type != type)
        return WRONG;
    if (cuda_double_align(in, type == C2C || type == R2C ? 8 : 16) != 0) /* real rows are read as complex numbers */
        return WRONG;
    if (cuda_double.launch_code)
        return cuda_double.launch_code;
    __atomic_add_fetch(&cuda_double.factors, !cuda_double_capturing(stream), __ATOMIC_RELAXED);
    if (cuda_double_capturing(stream))
        return cuda_double_add_node(stream, compute, NULL, &t, sizeof t);
    cuda_double_library(stream);
    return compute(&t);
}

API int cufftExecC2C(int plan, float complex *in, float complex *out, int direction)
{
    return execute(plan, C2C, direction, in, out);
}

API int cufftExecZ2Z(int plan, double complex *in, double complex *out, int direction)
{
    return execute(plan, Z2Z, direction, in, out);
}

API int cufftExecR2C(int plan, float *in, float complex *out)
{
    return execute(plan, R2C, -1, in, out);
}

API int cufftExecD2Z(int plan, double *in, double complex *out)
{
    return execute(plan, D2Z, -1, in, out);
}
