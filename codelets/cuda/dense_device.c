/* Linear algebra's work that no library has, for groups of matrices: copies in another order, triangles, checks, products of reflections.
 * Must not know: cuSOLVER, cuBLAS. */
#include "config.h"

#include "codelets/cuda/dense.h"

#define HEAD(type, arguments)                                                                                          \
    "extern \"C\" __global__ void orr_kernel(" arguments ", long long count)\n{\n"                                     \
    "    typedef " type " real;\n"                                                                                     \
    "    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"                                      \
    "    if (e >= count)\n        return;\n"
/* [0] for f32, [1] for f64 and its complex type. */
#define BOTH(text)                                                                                                     \
    {                                                                                                                  \
        text("float"), text("double")                                                                                  \
    }

#define ARRANGE(type)                                                                                                  \
    HEAD(type, "const " type " *from, " type " *to, int op, int in, int out, long long rows, long long cols, "         \
               "long long ldf, long long ldt, long long each, long long each_to")                                      \
    "    const long long r = e % rows, c = e / rows % cols, q = e / rows / cols;\n"                                    \
    "    const real *x = from + (q * each + (op ? r * ldf + c : c * ldf + r)) * in;\n"                                 \
    "    real *y = to + (q * each_to + c * ldt + r) * out;\n"                                                          \
    "    y[0] = x[0];\n"                                                                                               \
    "    if (out == 2)\n"                                                                                              \
    "        y[1] = in < 2 ? 0 : op == 2 ? -x[1] : x[1];\n}\n"
#define TRIANGLE(type)                                                                                                 \
    HEAD(type, "const " type " *f, " type " *to, int parts, int lower, long long rows, long long cols, long long fc, " \
               "long long fi, long long row, long long each, long long each_to")                                       \
    "    const long long c = e % cols, i = e / cols % rows, q = e / cols / rows;\n"                                    \
    "    const int kept = lower ? c <= i : c >= i;\n"                                                                  \
    "    for (int p = 0; p < parts; p++)\n"                                                                            \
    "        to[(q * each_to + i * row + c) * parts + p] = kept ? f[(q * each + c * fc + i * fi) * parts + p] : 0;\n"  \
    "}\n"
/* Rows of `row` numbers. If `half`, the numbers of an element, is not 0, only elements up to the diagonal count. */
#define FINITE(type)                                                                                                   \
    HEAD(type, "const " type " *p, int *bad, int half, long long row, long long each")                                 \
    "    const long long i = e % each;\n"                                                                              \
    "    if ((half == 0 || i % row / half <= i / row) && !(p[e] - p[e] == 0))\n"                                       \
    "        bad[e / each] = 1;\n}\n"
/* A thread computes a column, from the last reflection that changes it. */
#define REFLECTIONS(type)                                                                                              \
    HEAD(type, "const " type " *f, const " type " *tau, " type " *to, int parts, long long m, long long w, "           \
               "long long k, long long each, long long each_tau, long long row, long long each_to")                    \
    "    const long long c = e % w, q = e / w;\n"                                                                      \
    "    const real *v = f + q * each * parts, *t = tau + q * each_tau * parts;\n"                                     \
    "    real *y = to + (q * each_to + c * row) * parts;\n"                                                            \
    "    for (long long r = 0; r < m * parts; r++)\n"                                                                  \
    "        y[r] = r == c * parts;\n"                                                                                 \
    "    for (long long i = (c < k ? c : k - 1); i >= 0; i--) {\n"                                                     \
    "        real re = y[i * parts], im = parts > 1 ? y[i * 2 + 1] : 0, ti = parts > 1 ? t[i * 2 + 1] : 0;\n"          \
    "        for (long long r = i + 1; r < m; r++) {\n"                                                                \
    "            const real *a = v + (i * m + r) * parts, *b = y + r * parts;\n"                                       \
    "            re += a[0] * b[0] + (parts > 1 ? a[1] * b[1] : 0);\n"                                                 \
    "            im += parts > 1 ? a[0] * b[1] - a[1] * b[0] : 0;\n"                                                   \
    "        }\n"                                                                                                      \
    "        const real x = t[i * parts] * re - ti * im, z = t[i * parts] * im + ti * re;\n"                           \
    "        for (long long r = i; r < m; r++) {\n"                                                                    \
    "            const real a = r > i ? v[(i * m + r) * parts] : 1, b = r > i && parts > 1 ? v[(i * m + r) * 2 + 1] "  \
    ": 0;\n"                                                                                                           \
    "            y[r * parts] -= a * x - b * z;\n"                                                                     \
    "            if (parts > 1)\n"                                                                                     \
    "                y[r * 2 + 1] -= a * z + b * x;\n"                                                                 \
    "        }\n"                                                                                                      \
    "    }\n}\n"
#define POSITIVE(type)                                                                                                 \
    HEAD(type, "const " type " *f, int *info, long long n, long long step, long long each")                            \
    "    for (long long i = 0; i < n; i++) {\n"                                                                        \
    "        const real x = f[e * each + i * step];\n"                                                                 \
    "        if (x > 0 && x - x == 0)\n            continue;\n"                                                        \
    "        if (info[e] == 0 || info[e] > i + 1)\n            info[e] = (int)i + 1;\n"                                \
    "        return;\n    }\n}\n"

static const char *const arrange[] = BOTH(ARRANGE), *const triangle[] = BOTH(TRIANGLE),
                         *const is_finite[] = BOTH(FINITE), *const reflections[] = BOTH(REFLECTIONS),
                         *const positive[] = BOTH(POSITIVE);

void orr__cu_dense_driver_ok(orr__cu_job *j, const char *call, int code)
{
    if (j->st == ORR_OK && code != ORR__CU_OK)
        j->st = orr__cu_fail(j->at, call, code);
}

/* `param` ends with the number of threads. */
static void run(orr__cu_job *j, const char *const text[2], void **param, long long threads)
{
    void *function = NULL;
    if (j->st != ORR_OK || threads < 1)
        return;
    orr__cu_unit *u = orr__cu_unit_get(j->at, text[j->type % 2], false);
    j->st = u ? orr__cu_unit_function(j->at, u, &function) : ORR_ENOMEM;
    if (j->st == ORR_OK)
        orr__cu_dense_driver_ok(j, "cuLaunchKernel",
                                j->cu->launch(function, (unsigned)((threads + ORR__EMIT_GROUP - 1) / ORR__EMIT_GROUP),
                                              1, 1, ORR__EMIT_GROUP, 1, 1, 0, j->l->queue, param, NULL));
    orr__cu_unit_put(u); /* it stays loaded until the launch has ended */
}

void orr__cu_arrange(orr__cu_job *j, int op, int64_t rows, int64_t cols, orr__cu_block from, orr__cu_block to)
{
    int in = from.parts ? from.parts : j->parts, out = to.parts ? to.parts : j->parts;
    long long size[] = { rows, cols, from.ld, to.ld, from.each, to.each }, count = rows * cols * j->c;
    run(j, arrange,
        (void *[]){ &from.p, &to.p, &op, &in, &out, &size[0], &size[1], &size[2], &size[3], &size[4], &size[5],
                    &count },
        count);
}

void orr__cu_triangle(orr__cu_job *j, bool lower, int64_t rows, int64_t cols, int64_t fc, int64_t fi, int64_t row,
                      orr__cu_address to)
{
    int low = lower;
    long long size[] = { rows, cols, fc, fi, row, j->ef, j->eo }, count = rows * cols * j->c;
    run(j, triangle,
        (void *[]){ &j->f, &to, &j->parts, &low, &size[0], &size[1], &size[2], &size[3], &size[4], &size[5], &size[6],
                    &count },
        count);
}

void orr__cu_check_finite(orr__cu_job *j, orr__cu_address a, bool half)
{
    int numbers = half ? j->parts : 0;
    long long row = (long long)j->n * j->parts, each = (long long)j->ea * j->parts, count = each * j->c;
    orr__cu_address bad = j->bad + (size_t)j->q * sizeof(int);
    run(j, is_finite, (void *[]){ &a, &bad, &numbers, &row, &each, &count }, count);
}

void orr__cu_reflections(orr__cu_job *j, int64_t w, int64_t row, orr__cu_address to)
{
    long long size[] = { j->m, w, j->least, j->ef, j->least, row, j->eo }, count = w * j->c;
    run(j, reflections,
        (void *[]){ &j->f, &j->tau, &to, &j->parts, &size[0], &size[1], &size[2], &size[3], &size[4], &size[5],
                    &size[6], &count },
        count);
}

void orr__cu_check_positive(orr__cu_job *j)
{
    orr__cu_address info = j->info + (size_t)j->q * sizeof(int);
    long long size[] = { j->n, (j->n + 1) * j->parts, j->ef * j->parts }, count = j->c;
    run(j, positive, (void *[]){ &j->f, &info, &size[0], &size[1], &size[2], &count }, count);
}
