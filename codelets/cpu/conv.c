/* Convolutions as products: the windows of an image become columns of a matrix, one block of columns at a time. Groups with one channel use
 * a direct loop.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/conv_onednn.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "ops/conv.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* The fewest columns of a block, and their multiple: whole vectors. */
enum { LINE = ORR__VECTOR, BLOCK_LEAST = 4 * LINE };

typedef struct {
    const orr__launch *l;
    orr__own *own;
    orr__conv v;
    bool wide; /* f64, else f32 */
    size_t z;
    int64_t nx, nw, ny;    /* elements per channel of x, of w, of y          */
    const char *x, *w, *y; /* NULL: the result, which is `to`                */
    char *to;
} work;

static work work_of(const orr__kernel *kernel, const orr__launch *l, const orr_shape *x, const orr_shape *w,
                    const orr_shape *y)
{
    const orr__call *c = &l->region->call;
    work k = {
        .l = l, .own = kernel->own, .v = orr__conv_of(&c->attr, x, w, y), .wide = l->region->out_dtype[0] == ORR_F64
    };
    k.z = orr_dtype_size((orr_dtype)l->region->out_dtype[0]);
    k.nx = orr__conv_count(k.v.x);
    k.nw = orr__conv_count(k.v.w);
    k.ny = orr__conv_count(k.v.y);
    k.to = l->out ? l->out[0] : NULL;
    return k;
}

/* -- the product ----------------------------------------------------------------------------------------------------- */

/* c (m × n) = op(a) (m × k) · op(b) (k × n), + c with `add`. */
typedef struct {
    int64_t m, n, k, lda, ldb, ldc;
    bool ta, tb, add;
} gemm;

static void multiply(const work *k, const gemm *g, const char *a, const char *b, char *c)
{
    orr__mat left = { .p = a, .rows = g->m, .cols = g->k }, right = { .p = b, .rows = g->k, .cols = g->n };
    orr__gemm_scaled(k->wide ? ORR_F64 : ORR_F32, 1, &left, g->ta, g->lda, &right, g->tb, g->ldb, g->add, c, g->ldc);
}

/* -- windows as columns ------------------------------------------------------------------------------------------------ */

/* Columns [p0, p1) of the positions of y, rows of channels [c0, c1) of an image's group. Row (c, k), column i. */
typedef struct {
    int64_t c0, c1, p0, p1;
} block;

/* One row of the last axis: elements i in [a, b) of y read from x, or add to x, from `at` on with a stride. */
#define RUNS(T)                                                                                                        \
    static void gather_##T(const T *x, int64_t stride, T *to, int64_t n)                                               \
    {                                                                                                                  \
        if (stride == 1)                                                                                               \
            memcpy(to, x, (size_t)n * sizeof *to);                                                                     \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i] = x[i * stride];                                                                                 \
    }                                                                                                                  \
    static void scatter_##T(const T *from, int64_t stride, T *x, int64_t n)                                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            x[i * stride] += from[i];                                                                                  \
    }
RUNS(float)
RUNS(double)

/* `x`: channel 0 of the group. add: the columns are added to x; otherwise they are read from it. */
static void columns(const work *k, block b, char *x, char *col, bool add)
{
    const orr__conv *v = &k->v;
    size_t z = k->z;
    int64_t wide = b.p1 - b.p0, s = v->stride[2];
    for (int64_t c = b.c0; c < b.c1; c++)
        for (int64_t t = 0; t < k->nw; t++, col += (size_t)wide * z) {
            int64_t k2 = t % v->w[2], k1 = t / v->w[2] % v->w[1], k0 = t / v->w[2] / v->w[1], lo, hi;
            orr__conv_inside(v, 2, k2, &lo, &hi);
            for (int64_t p = b.p0; p < b.p1;) {
                int64_t row = p / v->y[2], first = p - row * v->y[2], i1 = row % v->y[1], i0 = row / v->y[1];
                int64_t end = b.p1 - row * v->y[2] < v->y[2] ? b.p1 - row * v->y[2] : v->y[2];
                int64_t j0 = i0 * v->stride[0] - v->before[0] + k0 * v->dilation[0];
                int64_t j1 = i1 * v->stride[1] - v->before[1] + k1 * v->dilation[1];
                bool inside = j0 >= 0 && j0 < v->x[0] && j1 >= 0 && j1 < v->x[1];
                int64_t a = ORR__MAX(lo, first), e = ORR__MIN(hi, end);
                a = inside && a < e ? a : end;
                e = inside && a < e ? e : end;
                char *to = col + (size_t)(p - b.p0) * z;
                char *from = x + ((c * v->x[0] + j0) * v->x[1] + j1) * v->x[2] * (int64_t)z +
                             (a * s - v->before[2] + k2 * v->dilation[2]) * (int64_t)z;
                if (!add) {
                    memset(to, 0, (size_t)(a - first) * z);
                    memset(to + (size_t)(e - first) * z, 0, (size_t)(end - e) * z);
                }
                char *mid = to + (size_t)(a - first) * z;
                if (a >= e)
                    ;
                else if (add && k->wide)
                    scatter_double((void *)mid, s, (void *)from, e - a);
                else if (add)
                    scatter_float((void *)mid, s, (void *)from, e - a);
                else if (k->wide)
                    gather_double((void *)from, s, (void *)mid, e - a);
                else
                    gather_float((void *)from, s, (void *)mid, e - a);
                p = row * v->y[2] + end;
            }
        }
}

/* True if the windows are the elements of x themselves. */
static bool plain(const orr__conv *v)
{
    bool same = true;
    for (int d = 0; d < ORR__CONV_AXES; d++)
        same = same && v->w[d] == 1 && v->stride[d] == 1 && v->before[d] == 0 && v->x[d] == v->y[d];
    return same;
}

/* The number of columns in a block of `rows` rows. */
static int64_t block_columns(const work *k, int64_t rows)
{
    int64_t n = ORR__CACHE_SHARE / (rows * (int64_t)k->z) / LINE * LINE;
    n = ORR__MAX(BLOCK_LEAST, n);
    return ORR__MIN(n, k->ny);
}

/* Channels [lo, hi) of the result in one group of one image. add: to the present contents. */
typedef struct {
    int64_t n, g, lo, hi;
} part;

/* y[lo … hi) = w · columns. */
static orr_status forward(const work *k, part q)
{
    const orr__conv *v = &k->v;
    int64_t rows = v->c * k->nw, step = plain(v) ? k->ny : block_columns(k, rows);
    char *x = (char *)(uintptr_t)k->x + (q.n * v->groups + q.g) * v->c * k->nx * (int64_t)k->z;
    const char *w = k->w + (q.g * v->o + q.lo) * rows * (int64_t)k->z;
    char *y = k->to + ((q.n * v->groups + q.g) * v->o + q.lo) * k->ny * (int64_t)k->z;
    char *col = plain(v) ? x : orr__scratch((size_t)(rows * step) * k->z);
    if (!col)
        return ORR_ENOMEM;
    for (int64_t p = 0; p < k->ny; p += step) {
        int64_t n = k->ny - p < step ? k->ny - p : step;
        if (!plain(v))
            columns(k, (block){ 0, v->c, p, p + n }, x, col, false);
        multiply(k, &(gemm){ .m = q.hi - q.lo, .n = n, .k = rows, .lda = rows, .ldb = n, .ldc = k->ny }, w, col,
                 y + p * (int64_t)k->z);
    }
    return ORR_OK;
}

/* x[lo … hi) = the columns w[:, lo … hi)ᵀ · y, added to the elements that their windows read. */
static orr_status backward(const work *k, part q)
{
    const orr__conv *v = &k->v;
    int64_t rows = (q.hi - q.lo) * k->nw, all = v->c * k->nw, step = plain(v) ? k->ny : block_columns(k, rows);
    char *x = k->to + (q.n * v->groups + q.g) * v->c * k->nx * (int64_t)k->z;
    const char *w = k->w + (q.g * v->o * all + q.lo * k->nw) * (int64_t)k->z;
    const char *y = k->y + (q.n * v->groups + q.g) * v->o * k->ny * (int64_t)k->z;
    char *mine = x + q.lo * k->nx * (int64_t)k->z;
    char *col = plain(v) ? mine : orr__scratch((size_t)(rows * step) * k->z);
    if (!col)
        return ORR_ENOMEM;
    if (!plain(v))
        memset(mine, 0, (size_t)((q.hi - q.lo) * k->nx) * k->z);
    for (int64_t p = 0; p < k->ny; p += step) {
        int64_t n = k->ny - p < step ? k->ny - p : step;
        multiply(k, &(gemm){ .m = rows, .n = n, .k = v->o, .lda = all, .ldb = k->ny, .ldc = n, .ta = true }, w,
                 y + p * (int64_t)k->z, col);
        if (!plain(v))
            columns(k, (block){ q.lo, q.hi, p, p + n }, x, col, true);
    }
    return ORR_OK;
}

/* w[lo … hi) += y[lo … hi) · columnsᵀ of one image. */
static orr_status weights(const work *k, part q)
{
    const orr__conv *v = &k->v;
    int64_t rows = v->c * k->nw, step = plain(v) ? k->ny : block_columns(k, rows);
    char *x = (char *)(uintptr_t)k->x + (q.n * v->groups + q.g) * v->c * k->nx * (int64_t)k->z;
    char *w = k->to + (q.g * v->o + q.lo) * rows * (int64_t)k->z;
    const char *y = k->y + ((q.n * v->groups + q.g) * v->o + q.lo) * k->ny * (int64_t)k->z;
    char *col = plain(v) ? x : orr__scratch((size_t)(rows * step) * k->z);
    if (!col)
        return ORR_ENOMEM;
    for (int64_t p = 0; p < k->ny; p += step) {
        int64_t n = k->ny - p < step ? k->ny - p : step;
        if (!plain(v))
            columns(k, (block){ 0, v->c, p, p + n }, x, col, false);
        multiply(
            k,
            &(gemm){
                .m = q.hi - q.lo, .n = rows, .k = n, .lda = k->ny, .ldb = n, .ldc = rows, .tb = true, .add = true },
            y + p * (int64_t)k->z, col, w);
    }
    return ORR_OK;
}

/* -- one channel in, one out -------------------------------------------------------------------------------------------- */

/* The rows of x and y that pair up for one element of the kernel, from the first axis to the last: y[i] and x[j] for i in [lo, hi), where j
 * advances by the stride. */
#define DIRECT(T)                                                                                                      \
    static void direct_y_##T(T w, const T *x, T *y, int64_t n, int64_t s)                                              \
    {                                                                                                                  \
        if (s == 1)                                                                                                    \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] += w * x[i];                                                                                      \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] += w * x[i * s];                                                                                  \
    }                                                                                                                  \
    static void direct_x_##T(T w, T *x, const T *y, int64_t n, int64_t s)                                              \
    {                                                                                                                  \
        if (s == 1)                                                                                                    \
            for (int64_t i = 0; i < n; i++)                                                                            \
                x[i] += w * y[i];                                                                                      \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                x[i * s] += w * y[i];                                                                                  \
    }                                                                                                                  \
    static T direct_w_##T(const T *x, const T *y, int64_t n, int64_t s)                                                \
    {                                                                                                                  \
        T sums[8] = { 0 }, sum = 0;                                                                                    \
        int64_t i = 0;                                                                                                 \
        for (; i + 8 <= n; i += 8)                                                                                     \
            for (int k = 0; k < 8; k++)                                                                                \
                sums[k] += x[(i + k) * s] * y[i + k];                                                                  \
        for (; i < n; i++)                                                                                             \
            sum += x[i * s] * y[i];                                                                                    \
        for (int k = 0; k < 8; k++)                                                                                    \
            sum += sums[k];                                                                                            \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void direct_##T(const orr__conv *v, char of, T *x, T *w, T *y)                                              \
    {                                                                                                                  \
        int64_t a[ORR__CONV_AXES], e[ORR__CONV_AXES];                                                                  \
        for (int64_t k0 = 0; k0 < v->w[0]; k0++)                                                                       \
            for (int64_t k1 = 0; k1 < v->w[1]; k1++)                                                                   \
                for (int64_t k2 = 0; k2 < v->w[2]; k2++, w++) {                                                        \
                    orr__conv_inside(v, 0, k0, &a[0], &e[0]);                                                          \
                    orr__conv_inside(v, 1, k1, &a[1], &e[1]);                                                          \
                    orr__conv_inside(v, 2, k2, &a[2], &e[2]);                                                          \
                    T sum = 0;                                                                                         \
                    for (int64_t i0 = a[0]; i0 < e[0] && a[2] < e[2]; i0++)                                            \
                        for (int64_t i1 = a[1]; i1 < e[1]; i1++) {                                                     \
                            int64_t j0 = i0 * v->stride[0] - v->before[0] + k0 * v->dilation[0];                       \
                            int64_t j1 = i1 * v->stride[1] - v->before[1] + k1 * v->dilation[1];                       \
                            int64_t j2 = a[2] * v->stride[2] - v->before[2] + k2 * v->dilation[2];                     \
                            T *xs = x + (j0 * v->x[1] + j1) * v->x[2] + j2;                                            \
                            T *ys = y + (i0 * v->y[1] + i1) * v->y[2] + a[2];                                          \
                            int64_t n = e[2] - a[2], s = v->stride[2];                                                 \
                            if (of == 'y')                                                                             \
                                direct_y_##T(*w, xs, ys, n, s);                                                        \
                            else if (of == 'x')                                                                        \
                                direct_x_##T(*w, xs, ys, n, s);                                                        \
                            else                                                                                       \
                                sum += direct_w_##T(xs, ys, n, s);                                                     \
                        }                                                                                              \
                    if (of == 'w')                                                                                     \
                        *w += sum;                                                                                     \
                }                                                                                                      \
    }
DIRECT(float)
DIRECT(double)

/* The same for whole rows of the result where neighbours in x are neighbours in y: all terms at once, by vector loops. With a stride along
 * the row the sums between are computed and discarded. One channel; false: too many terms, or too many discarded sums. */
enum { TERMS_MOST = 256, ROWS_MOST = 64, STRIDE_MOST = 4, FINE_MOST = 2048 };

#define WINDOWS(T, of)                                                                                                 \
    static bool windows_##T(const orr__conv *v, const T *x, const T *w, T *y)                                          \
    {                                                                                                                  \
        T some[TERMS_MOST], fine[FINE_MOST];                                                                           \
        const void *row[ROWS_MOST];                                                                                    \
        int64_t at[ROWS_MOST], taps = v->w[2], reach = v->dilation[2] * (taps - 1), left = v->before[2];               \
        int64_t s = v->stride[2], n = (v->y[2] - 1) * s + 1;                                                           \
        if (v->w[0] * v->w[1] > ROWS_MOST || v->w[0] * v->w[1] * taps > TERMS_MOST ||                                  \
            (s > 1 && (s > STRIDE_MOST || n > FINE_MOST)))                                                             \
            return false;                                                                                              \
        int64_t lo = left > 0 ? left : 0, hi = v->x[2] + left - reach;                                                 \
        hi = hi < n ? hi : n;                                                                                          \
        if (lo >= hi) /* no window is inside as a whole */                                                             \
            lo = hi = 0;                                                                                               \
        for (int64_t i0 = 0; i0 < v->y[0]; i0++)                                                                       \
            for (int64_t i1 = 0; i1 < v->y[1]; i1++, y += v->y[2]) {                                                   \
                int64_t rows = 0;                                                                                      \
                for (int64_t k0 = 0; k0 < v->w[0]; k0++)                                                               \
                    for (int64_t k1 = 0; k1 < v->w[1]; k1++) {                                                         \
                        int64_t j0 = i0 * v->stride[0] - v->before[0] + k0 * v->dilation[0];                           \
                        int64_t j1 = i1 * v->stride[1] - v->before[1] + k1 * v->dilation[1];                           \
                        if (j0 < 0 || j0 >= v->x[0] || j1 < 0 || j1 >= v->x[1])                                        \
                            continue;                                                                                  \
                        at[rows] = (k0 * v->w[1] + k1) * taps;                                                         \
                        row[rows++] = x + (j0 * v->x[1] + j1) * v->x[2];                                               \
                    }                                                                                                  \
                for (int64_t r = 0; r < rows && rows < v->w[0] * v->w[1]; r++)                                         \
                    memcpy(some + r * taps, w + at[r], (size_t)taps * sizeof *w);                                      \
                const T *weight = rows < v->w[0] * v->w[1] ? some : w;                                                 \
                for (int64_t i = 0; i < v->y[2]; i++) { /* at the borders some terms are outside */                    \
                    T sum = 0;                                                                                         \
                    int64_t c = i * s;                                                                                 \
                    if (c >= lo && c < hi) {                                                                           \
                        i = (hi - 1) / s;                                                                              \
                        continue;                                                                                      \
                    }                                                                                                  \
                    for (int64_t t = 0; t < taps; t++) {                                                               \
                        int64_t j = c - left + t * v->dilation[2];                                                     \
                        for (int64_t r = 0; j >= 0 && j < v->x[2] && r < rows; r++)                                    \
                            sum += weight[r * taps + t] * ((const T *)row[r])[j];                                      \
                    }                                                                                                  \
                    y[i] = sum;                                                                                        \
                }                                                                                                      \
                for (int64_t r = 0; r < rows && hi > lo; r++)                                                          \
                    row[r] = (const T *)row[r] - left + lo;                                                            \
                if (hi > lo)                                                                                           \
                    orr__cpu_vec()->taps[of]((s > 1 ? fine : y) + lo, row, rows, weight, taps, v->dilation[2],         \
                                             hi - lo);                                                                 \
                for (int64_t i = (lo + s - 1) / s; s > 1 && i * s < hi; i++)                                           \
                    y[i] = fine[i * s];                                                                                \
            }                                                                                                          \
        return true;                                                                                                   \
    }
WINDOWS(float, 0)
WINDOWS(double, 1)

/* The backward pass is a convolution of y with the reversed kernel. False: its windows have strides, or there are too many terms. */
static bool windows(const work *k, char of, const char *x, const char *w, const char *y, char *to)
{
    orr__conv v = k->v;
    char turned[TERMS_MOST * sizeof(double)];
    if (of == 'w' || (size_t)k->nw * k->z > sizeof turned)
        return false;
    if (of == 'x') {
        for (int d = 0; d < ORR__CONV_AXES; d++) {
            if (v.stride[d] != 1)
                return false;
            v.x[d] = k->v.y[d];
            v.y[d] = k->v.x[d];
            v.before[d] = v.dilation[d] * (v.w[d] - 1) - v.before[d];
        }
        for (int64_t i = 0; i < k->nw; i++)
            memcpy(turned + (size_t)i * k->z, w + (size_t)(k->nw - 1 - i) * k->z, k->z);
        w = turned;
        x = y;
    }
    return k->wide ? windows_double(&v, (const void *)x, (const void *)w, (void *)to)
                   : windows_float(&v, (const void *)x, (const void *)w, (void *)to);
}

/* Channel by channel; the result must be zero before. */
static void direct(const work *k, char of, part q)
{
    const orr__conv *v = &k->v;
    int64_t z = (int64_t)k->z, at = q.n * v->groups + q.g;
    char *x = of == 'x' ? k->to : (char *)(uintptr_t)k->x, *y = of == 'y' ? k->to : (char *)(uintptr_t)k->y,
         *w = of == 'w' ? k->to : (char *)(uintptr_t)k->w;
    x += at * k->nx * z;
    y += at * k->ny * z;
    w += q.g * k->nw * z;
    if (windows(k, of, x, w, y, of == 'x' ? x : y))
        return;
    if (of != 'w')
        memset(of == 'x' ? x : y, 0, (size_t)((of == 'x' ? k->nx : k->ny) * z));
    if (k->wide)
        direct_double(v, of, (void *)x, (void *)w, (void *)y);
    else
        direct_float(v, of, (void *)x, (void *)w, (void *)y);
}

/* -- launches --------------------------------------------------------------------------------------------------------- */

static orr_status one(const work *k, char of, part q)
{
    if (k->v.c == 1 && k->v.o == 1) {
        direct(k, of, q);
        return ORR_OK;
    }
    return of == 'y' ? forward(k, q) : of == 'x' ? backward(k, q) : weights(k, q);
}

/* True if the dimensions fit into BLAS's int. */
static bool counts(const work *k)
{
    return k->v.c * k->nw <= INT_MAX && k->ny <= INT_MAX && k->v.o <= INT_MAX && k->nx <= INT_MAX;
}

/* Bits of orr__call.blocked for x and y, which are operands or the result. */
enum { FIRST = 1, SECOND = 2 };
static bool lies_in_blocks(const orr__call *c, char of, char which)
{
    uint32_t bit = which == of ? ORR__CALL_RESULT : of == 'w' && which == 'y' ? SECOND : FIRST;
    return c->blocked & bit;
}

static orr__conv_job job(const work *k, char of)
{
    const orr__call *c = &k->l->region->call;
    const orr__known *w = of != 'w' && k->l->known ? &k->l->known[1] : NULL;
    return (orr__conv_job){ .v = &k->v,
                            .of = of,
                            .x = k->x,
                            .w = k->w,
                            .y = k->y,
                            .to = k->to,
                            .block = c->block,
                            .block_x = lies_in_blocks(c, of, 'x'),
                            .block_y = lies_in_blocks(c, of, 'y'),
                            .content = w ? w->content : 0,
                            .form = w ? w->form : NULL,
                            .once = w && (w->content || w->form) };
}

/* The next job after that of j, up to channel hi. The library accepts whole images; of one image, or of the weights, it accepts whole
 * groups, or some channels of a group. */
static bool next(const work *k, orr__conv_job *j, int64_t hi)
{
    int64_t per = j->of == 'x' ? k->v.c : k->v.o, all = per * k->v.groups;
    j->lo = j->hi;
    int64_t left = hi - j->lo, before = j->lo % all, some = left < all - before ? left : all - before;
    if (j->of != 'w' && before == 0 && left >= all) {
        int64_t images = left / all, most = orr__conv_onednn_images(j);
        int64_t jobs = (images + most - 1) / most;
        some = (images + jobs - 1) / jobs * all;
    } else if (before % per)
        some = some < per - before % per ? some : per - before % per;
    else if (some > per)
        some = some / per * per;
    j->hi = j->lo + some;
    return j->lo < hi;
}

static bool jobs_by_library(const work *k, char of, int64_t lo, int64_t hi)
{
    orr__conv_job j = job(k, of);
    j.hi = lo;
    while (next(k, &j, hi))
        if (!orr__conv_onednn(k->own, &j))
            return false;
    return true;
}

/* The gradient of the weights as a sum over a few images at a time, whose copies stay in the second cache. */
static bool weights_by_library(const work *k, int64_t lo, int64_t hi)
{
    orr__conv_job j = job(k, 'w');
    const orr__conv *v = &k->v;
    int64_t most = orr__conv_onednn_images(&j), size = v->c * k->nw, z = (int64_t)k->z;
    int64_t jobs = (v->n + most - 1) / most, step = (v->n + jobs - 1) / jobs;
    float *more = jobs > 1 ? malloc((size_t)(v->groups * v->o * size) * sizeof *more) : NULL, *to = (void *)k->to;
    bool ok = more || jobs < 2;
    for (int64_t at = 0; at < v->n && ok; at += step) {
        work some = *k;
        some.v.n = v->n - at < step ? v->n - at : step;
        some.x += at * v->groups * v->c * k->nx * z;
        some.y += at * v->groups * v->o * k->ny * z;
        some.to = at ? (char *)more : k->to;
        ok = jobs_by_library(&some, 'w', lo, hi);
        for (int64_t i = lo * size; i < hi * size && at && ok; i++)
            to[i] += more[i];
    }
    free(more);
    return ok;
}

static bool by_library(const work *k, char of, int64_t lo, int64_t hi)
{
    return of == 'w' ? weights_by_library(k, lo, hi) : jobs_by_library(k, of, lo, hi);
}

static bool is_empty(const work *k)
{
    return k->v.c == 0 || k->v.o == 0 || k->v.n == 0 || k->ny == 0 || k->nx == 0;
}

/* Computes channels [lo, hi) of all images, or of the weights, group by group. */
static orr_status run(const work *k, char of, int64_t lo, int64_t hi)
{
    const orr__conv *v = &k->v;
    int64_t per = of == 'x' ? v->c : v->o, all = per * v->groups, inner = of == 'x' ? k->nx : k->ny;
    int64_t size = of == 'w' ? v->c * k->nw : inner;
    bool empty = is_empty(k);
    if (hi <= lo || size == 0)
        return ORR_OK;
    if (!empty && !k->wide && by_library(k, of, lo, hi))
        return ORR_OK;
    if (k->l->region->call.blocked || job(k, of).form)
        return orr__fail(orr__cpu_site(k->l), ORR_ENOMEM, "oneDNN has no memory for the convolution");
    if (of == 'w' || empty)
        memset(k->to + (size_t)(lo * size) * k->z, 0, (size_t)((hi - lo) * size) * k->z);
    if (empty)
        return ORR_OK;
    if (!counts(k))
        return orr__fail(orr__cpu_site(k->l), ORR_ESHAPE,
                         "an image of %lld elements, or a kernel of %lld, is too large", (long long)k->nx,
                         (long long)(v->c * k->nw));
    int place = orr__cpu_blas_enter();
    if (!place)
        return orr__fail(orr__cpu_site(k->l), ORR_ENOMEM, "no memory for the buffers of BLAS");
    orr_status st = ORR_OK;
    for (int64_t at = lo; at < hi && st == ORR_OK;) {
        int64_t n = at / all, g = at % all / per, first = at % per;
        int64_t last = hi - at < per - first ? first + hi - at : per;
        if (of == 'w')
            for (int64_t i = 0; i < v->n && st == ORR_OK; i++)
                st = one(k, of, (part){ i, g, first, last });
        else
            st = one(k, of, (part){ n, g, first, last });
        at += last - first;
    }
    orr__cpu_blas_leave(place, true);
    return st;
}

/* Rows [lo, hi) of the iteration, as channels of the result. */
static orr_status channels(const work *k, char of)
{
    const orr__region *r = k->l->region;
    if (r->out_count == 0)
        return ORR_OK;
    if (r->call.parts)
        return run(k, of, 0, k->v.groups * k->v.o);
    int64_t per = r->dim[1] / (of == 'w' ? k->v.c : 1);
    return run(k, of, k->l->lo * per, k->l->hi * per);
}

orr_status orr__cpu_kernel_conv(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    work k = work_of(kernel, l, &c->in[0], &c->in[1], &c->out);
    k.x = l->in[0];
    k.w = l->in[1];
    return channels(&k, 'y');
}

orr_status orr__cpu_kernel_conv_data(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    work k = work_of(kernel, l, &c->out, &c->in[1], &c->in[0]);
    k.y = l->in[0];
    k.w = l->in[1];
    return channels(&k, 'x');
}

orr_status orr__cpu_kernel_conv_weights(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    work k = work_of(kernel, l, &c->in[0], &c->out, &c->in[1]);
    int64_t first = 0, all = k.v.groups * (int64_t)k.z;
    orr__conv_images(c, l->lo, l->hi, &first, &k.v.n);
    k.x = (const char *)l->in[0] + first * k.nx * k.v.c * all;
    k.y = (const char *)l->in[1] + first * k.ny * k.v.o * all;
    return channels(&k, 'w');
}

/* -- forms ------------------------------------------------------------------------------------------------------------ */

static bool add(const work *k, char of, orr__value_form **f)
{
    const orr__region *r = k->l->region;
    orr__conv_job j = job(k, of);
    j.hi = k->l->lo * r->dim[1];
    j.once = true;
    if (k->wide || is_empty(k))
        return false;
    while (next(k, &j, k->l->hi * r->dim[1]))
        if (!orr__conv_onednn_form(k->own, &j, f))
            return false;
    return k->l->hi < r->dim[0] || orr__conv_onednn_formed(*f, &k->v);
}

bool orr__cpu_form_conv(const orr__kernel *kernel, const orr__launch *l, orr__value_form **f)
{
    const orr__call *c = &l->region->call;
    work k = work_of(kernel, l, &c->in[0], &c->in[1], &c->out);
    return add(&k, 'y', f);
}

bool orr__cpu_form_conv_data(const orr__kernel *kernel, const orr__launch *l, orr__value_form **f)
{
    const orr__call *c = &l->region->call;
    work k = work_of(kernel, l, &c->out, &c->in[1], &c->in[0]);
    return add(&k, 'x', f);
}

/* No form: both operands have other values in each run. */
bool orr__cpu_form_conv_weights(const orr__kernel *kernel, const orr__launch *l, orr__value_form **f)
{
    (void)kernel, (void)l, (void)f;
    return false;
}

/* -- blocks ------------------------------------------------------------------------------------------------------------ */

static uint32_t blocks_of(const orr__region *r, char of, int lanes, const orr_shape *x, const orr_shape *w,
                          const orr_shape *y)
{
    orr__conv v = orr__conv_of(&r->call.attr, x, w, y);
    if (r->out_dtype[0] != ORR_F32 || r->out_count == 0 || r->in_count[0] == 0 || r->in_count[1] == 0)
        return 0;
    unsigned bits = orr__conv_onednn_blocks(&v, of, lanes);
    uint32_t xs = bits & 1 ? (of == 'x' ? ORR__CALL_RESULT : FIRST) : 0;
    uint32_t ys = bits & 2 ? (of == 'y' ? ORR__CALL_RESULT : of == 'w' ? SECOND : FIRST) : 0;
    return xs | ys;
}

uint32_t orr__cpu_blocks_conv(const orr__region *r, int lanes)
{
    return blocks_of(r, 'y', lanes, &r->call.in[0], &r->call.in[1], &r->call.out);
}

uint32_t orr__cpu_blocks_conv_data(const orr__region *r, int lanes)
{
    return blocks_of(r, 'x', lanes, &r->call.out, &r->call.in[1], &r->call.in[0]);
}

uint32_t orr__cpu_blocks_conv_weights(const orr__region *r, int lanes)
{
    return blocks_of(r, 'w', lanes, &r->call.in[0], &r->call.out, &r->call.in[1]);
}
