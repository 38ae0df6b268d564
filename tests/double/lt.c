/* cuBLASLt's double: column-major products by plain loops, according to the descriptors.
 * Must not know: Orrery. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/double/double.h"

typedef struct {
    int type;
    uint64_t rows, cols;
    int64_t ld, stride;
    int32_t batches;
} layout;

typedef struct {
    int32_t compute, scale, trans_a, trans_b, epilogue;
    const void *bias;
} desc;

typedef struct {
    size_t workspace;
    uint32_t align[4], reductions;
} pref;

typedef struct {
    uint64_t algo[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} choice;

API int cublasLtCreate(void **h)
{
    static char handle;
    *h = &handle;
    cuda_double.handles++;
    return 0;
}

API int cublasLtDestroy(void *h)
{
    (void)h;
    cuda_double.handles--;
    return 0;
}

API int cublasLtMatmulDescCreate(void **d, int compute, int scale)
{
    desc *q = calloc(1, sizeof *q);
    *d = q;
    if (q)
        *q = (desc){ .compute = compute, .scale = scale, .epilogue = 1 };
    return q ? 0 : 3;
}

API int cublasLtMatmulDescDestroy(void *d)
{
    free(d);
    return 0;
}

API int cublasLtMatmulDescSetAttribute(void *p, int what, const void *v, size_t size)
{
    desc *d = p;
    switch (what) {
    case 3: memcpy(&d->trans_a, v, 4); return size == 4 ? 0 : 7;
    case 4: memcpy(&d->trans_b, v, 4); return size == 4 ? 0 : 7;
    case 7: memcpy(&d->epilogue, v, 4); return size == 4 ? 0 : 7;
    case 8: memcpy(&d->bias, v, sizeof d->bias); return size == sizeof d->bias ? 0 : 7;
    default: return 7;
    }
}

API int cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
    layout *l = calloc(1, sizeof *l);
    *out = l;
    if (l)
        *l = (layout){ .type = type, .rows = rows, .cols = cols, .ld = ld, .batches = 1 };
    return !l ? 3 : ld >= (int64_t)rows ? 0 : 7;
}

API int cublasLtMatrixLayoutSetAttribute(void *p, int what, const void *v, size_t size)
{
    layout *l = p;
    if (what == 5 && size == 4)
        memcpy(&l->batches, v, size);
    else if (what == 6 && size == 8)
        memcpy(&l->stride, v, size);
    else
        return 7;
    return 0;
}

API int cublasLtMatrixLayoutDestroy(void *l)
{
    free(l);
    return 0;
}

API int cublasLtMatmulPreferenceCreate(void **p)
{
    *p = calloc(1, sizeof(pref));
    return *p ? 0 : 3;
}

API int cublasLtMatmulPreferenceSetAttribute(void *q, int what, const void *v, size_t size)
{
    pref *p = q;
    if (what == 1 && size == sizeof p->workspace)
        memcpy(&p->workspace, v, size);
    else if (what == 3 && size == 4)
        memcpy(&p->reductions, v, size);
    else if (what >= 5 && what <= 8 && size == 4)
        memcpy(&p->align[what - 5], v, size);
    else
        return 7;
    return 0;
}

API int cublasLtMatmulPreferenceDestroy(void *p)
{
    free(p);
    return 0;
}

API int cublasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c, void *dd, void *q, int want,
                                       void *out, int *got)
{
    const pref *p = q;
    choice *r = out;
    const layout *la = a, *lb = b, *lc = c;
    const desc *what = d;
    (void)h;
    (void)dd;
    memset(r, 0, sizeof *r);
    *got = 0;
    cuda_double.heuristics++;
    cuda_double.alignment = p->align[0];
    cuda_double.reductions = p->reductions;
    if (what->epilogue & 4 && !what->bias)
        return 7; /* like some versions */
    if (cuda_double.heuristic_code || want < 1 || la->batches != lb->batches || la->batches != lc->batches)
        return cuda_double.heuristic_code;
    r->algo[0] = 0x600d + p->align[0];
    *got = 1;
    return 0;
}

static double half(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexp(1024 + m, e - 25);
    return h >> 15 ? -v : v;
}

static uint16_t to_half(double v)
{
    uint16_t s = signbit(v) ? 0x8000 : 0;
    int e;
    v = fabs(v);
    if (isnan(v))
        return 0x7e00;
    if (v >= 65520)
        return s | 0x7c00;
    (void)frexp(v, &e);
    e = e < -13 ? -13 : e;
    double m = rint(ldexp(v, 11 - e)); /* ties to even */
    if (m >= 2048) {
        m = 1024;
        e++;
    }
    return (uint16_t)(s | (m < 1024 ? (int)m : (e + 14) << 10 | ((int)m & 1023)));
}

static double at(const void *p, int type, int64_t i)
{
    if (type == 1)
        return ((const double *)p)[i];
    if (type == 0)
        return ((const float *)p)[i];
    if (type == 2)
        return half(((const uint16_t *)p)[i]);
    uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void put(void *p, int type, int64_t i, double v)
{
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (type == 1)
        ((double *)p)[i] = v;
    else if (type == 0)
        ((float *)p)[i] = f;
    else if (type == 2)
        ((uint16_t *)p)[i] = to_half(f);
    else
        ((uint16_t *)p)[i] = (uint16_t)(isnan(v) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double finish(const desc *d, const layout *l, double v, uint64_t row)
{
    if (d->epilogue & 4)
        v += at(d->bias, l->type, (int64_t)row);
    if (d->epilogue & 2)
        v = v <= 0 ? 0 : v;
    if (d->epilogue & 32)
        v = 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
    return v;
}

/* A product in its stream, or as the node of a graph. */
typedef struct {
    desc d;
    layout la, lb, ld;
    const void *a, *b;
    void *out;
} product;

static int multiply(void *arg)
{
    DEVICE_WORK;
    const product *p = arg;
    const desc *d = &p->d;
    const layout *la = &p->la, *lb = &p->lb, *ld = &p->ld;
    uint64_t m = ld->rows, n = ld->cols, k = d->trans_a ? la->rows : la->cols;
    for (int64_t z = 0; z < ld->batches && !cuda_double.no_execution; z++)
        for (uint64_t j = 0; j < n; j++)
            for (uint64_t i = 0; i < m; i++) {
                double sum = 0;
                for (uint64_t l = 0; l < k; l++) {
                    int64_t ia = d->trans_a ? (int64_t)(l + i * (uint64_t)la->ld) : (int64_t)(i + l * (uint64_t)la->ld);
                    int64_t ib = d->trans_b ? (int64_t)(j + l * (uint64_t)lb->ld) : (int64_t)(l + j * (uint64_t)lb->ld);
                    sum += at(p->a, la->type, z * la->stride + ia) * at(p->b, lb->type, z * lb->stride + ib);
                }
                put(p->out, ld->type, z * ld->stride + (int64_t)(i + j * (uint64_t)ld->ld), finish(d, ld, sum, i));
            }
    return 0;
}

API int cublasLtMatmul(void *h, void *dp, const void *alpha, const void *a, void *lap, const void *b, void *lbp,
                       const void *beta, const void *c, void *lcp, void *out, void *ldp, const void *algo,
                       void *workspace, size_t workspace_size, void *stream)
{
    const desc *d = dp;
    const layout *la = lap, *lb = lbp, *ld = ldp;
    uint64_t m = d->trans_a ? la->cols : la->rows, k = d->trans_a ? la->rows : la->cols;
    uint64_t kb = d->trans_b ? lb->cols : lb->rows, n = d->trans_b ? lb->rows : lb->cols;
    double one = d->scale == 1 ? *(const double *)alpha : *(const float *)alpha;
    double zero = d->scale == 1 ? *(const double *)beta : *(const float *)beta;
    (void)h;
    cuda_double.matmuls += !cuda_double_capturing(stream);
    cuda_double.compute = d->compute;
    cuda_double.scale = d->scale;
    cuda_double.epilogue = d->epilogue;
    cuda_double.trans_a = d->trans_a;
    cuda_double.trans_b = d->trans_b;
    cuda_double.batches = ld->batches;
    cuda_double.workspace = workspace_size;
    if (cuda_double.matmul_code)
        return cuda_double.matmul_code;
    if (one != 1 || zero != 0 || c != out || lcp != ldp || k != kb || ld->rows != m || ld->cols != n || !algo ||
        *(const uint64_t *)algo < 0x600d || (workspace_size && !workspace) || la->type != ld->type)
        return 7;
    if ((d->epilogue & 4) && cuda_double_align(d->bias, 16) != 0)
        return 14;
    uintptr_t align = (uintptr_t)(*(const uint64_t *)algo - 0x600d), all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)out;
    if (align && all % align)
        return 7;
    product p = { .d = *d, .la = *la, .lb = *lb, .ld = *ld, .a = a, .b = b, .out = out };
    if (cuda_double_capturing(stream))
        return cuda_double_add_node(stream, multiply, NULL, &p, sizeof p);
    cuda_double_library(stream);
    return multiply(&p);
}
