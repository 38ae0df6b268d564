/* For tests of user-defined kernels: a kernel that uses every feature, y = p·x + row number, and a check of it.
 * Must not know: engines. */
#ifndef ORR_TESTS_DEFINE_AFFINE_H
#define ORR_TESTS_DEFINE_AFFINE_H

#include <stdatomic.h>
#include "tests/harness/define_help.h"

static atomic_int calls, rows_done;

static inline int64_t per_row(const orr_kernel_args *a)
{
    int64_t n = 1;
    for (int d = 1; d < a->out_shape.rank; d++)
        n *= a->out_shape.dim[d];
    return n;
}

/* Computes y = p·x + row number for rows lo … hi. */
static inline int affine(const orr_kernel_args *a)
{
    const float *x = a->in[0].data;
    float *y = a->out;
    int64_t n = per_row(a);
    atomic_fetch_add(&calls, 1);
    atomic_fetch_add(&rows_done, (int)(a->hi - a->lo));
    for (int64_t i = a->lo; i < a->hi; i++)
        for (int64_t k = 0; k < n; k++)
            y[i * n + k] = (float)a->param[0] * x[i * n + k] + (float)i;
    return 0;
}

static inline orr_tensor *affine_vjp(const orr_kernel_back *b, int k)
{
    return k == 0 ? orr_mul(b->g, orr_scalar(b->param[0])) : NULL;
}

/* One source for both languages. */
static const char affine_text[] =
    "ORR_KERNEL affine(ORR_GLOBAL const ORR_IN0 *x, ORR_GLOBAL ORR_OUT *y, const orr_args a)\n"
    "{\n"
    "    orr_int i = ORR_ITEM, n = a.out.count / a.out.dim[0], e = a.lo * n + i;\n"
    "    if (i < a.items)\n"
    "        y[i] = (ORR_OUT)a.param[0] * x[e] + (ORR_OUT)(e / n);\n"
    "}\n";

static const orr_kernel_def affine_def = { .name = "affine",
                                           .version = 1,
                                           .n_inputs = 1,
                                           .n_params = 1,
                                           .dtypes = { 1u << ORR_F32 },
                                           .rows = true,
                                           .cpu = affine,
                                           .opencl = affine_text,
                                           .cuda = affine_text,
                                           .vjp = affine_vjp,
                                           .flops = 2 };

static inline bool affine_is_right(int64_t rows, int64_t cols, double p)
{
    orr_scope *s = orr_scope_begin();
    double *got = malloc((size_t)(rows * cols) * sizeof *got);
    orr_tensor *x = orr_mul(orr_arange(ORR_F32, 0, (double)(rows * cols), 1), orr_scalar(0.5));
    orr_op *op = orr_define_kernel(&affine_def);
    orr_tensor *y = orr_apply_with(op, ORR_TENSORS(orr_reshape(x, ORR_SHAPE(rows, cols))), ORR_PARAMS(p));
    bool ok = got && dh_read(orr_add(y, orr_scalar(1)), got, rows * cols);
    for (int64_t i = 0; ok && i < rows * cols; i++)
        ok = got[i] == (double)((float)p * (float)(0.5 * (double)i) + (float)(i / cols) + 1.0F);
    free(got);
    (void)orr_scope_end(s);
    return ok;
}

#endif
