/* A long transform as a graph: the numbers are a matrix, whose columns, then rows, are transformed in blocks, some per task (D. H.
 * Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990). A length with a large prime factor takes two such
 * transforms. Also the steps before and after that transforms of real numbers need.
 * Must not know: devices, plans of transforms. */
#include "config.h"

#include <math.h>
#include "ops/fft/fft.h"
#include "ops/linalg/linalg.h"
#include "runtime/base/threshold.h"

#define AT at.file, at.line

/* With a large prime factor a graph needs several times the memory. It is used for few rows; workers share many rows without it. */
/* PRIME: the largest factor with a stage of its own, a limit of the format. */
enum { LONG = ORR__NEAR_ALL, PRIME = 13, BLOCK_BYTES = 2 * ORR__CACHE_LINE };

static int64_t block_of(orr_dtype z)
{
    return BLOCK_BYTES / (int64_t)orr__dtype_size(z);
}

/* Complex numbers may be pairs of real ones. */
static int per_number(orr_dtype t)
{
    return orr__is_complex(t) ? 1 : 2;
}

/* e^(∓2πi·t/n) */
static orr__number power(const orr__node *n, int64_t t, int64_t of)
{
    long double angle =
        (n->attr.mask & 1u ? 2 : -2) * 3.14159265358979323846264338327950288L * (long double)(t % of) / (long double)of;
    return CMPLXL(cosl(angle), sinl(angle));
}

static orr__number pair_get(const orr__array *a, int64_t i)
{
    return orr__is_complex(a->dtype) ? orr__plain_get(a, i)
                                     : CMPLXL(orr__reference_get(a, 2 * i), orr__reference_get(a, 2 * i + 1));
}

static void pair_set(const orr__array *a, int64_t i, orr__number v)
{
    if (orr__is_complex(a->dtype)) {
        orr__plain_set(a, i, v);
    } else {
        orr__reference_set(a, 2 * i, creall(v));
        orr__reference_set(a, 2 * i + 1, cimagl(v));
    }
}

/* -- columns: (lines, n1 · n2) to (lines, n2, n1), transformed and multiplied by the twiddle factors of the rows -------- */

static const char *verify_columns(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    int64_t count = n->shape.rank == 3 ? n->shape.dim[1] * n->shape.dim[2] : -1;
    return in[0]->shape.rank == 2 && in[0]->shape.dim[0] == n->shape.dim[0] && orr__is_complex((orr_dtype)n->dtype) &&
                   in[0]->shape.dim[1] == count * per_number((orr_dtype)in[0]->dtype)
               ? NULL
               : "the columns of a transform are not those of its operand";
}

static orr_status reference_columns(const orr__reference *j)
{
    int64_t cols = j->out.shape.dim[1], n = j->out.shape.dim[2];
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t line = i / n / cols, c = i / n % cols, k = i % n;
        orr__number sum = 0;
        for (int64_t t = 0; t < n; t++)
            sum += pair_get(&j->in[0], (line * n + t) * cols + c) * power(j->node, t * k, n);
        orr__plain_set(&j->out, i, sum * power(j->node, c * k, n * cols));
    }
    return ORR_OK;
}

static int space_columns(const orr__call *c, int64_t *dim)
{
    dim[0] = c->out.dim[0] * c->out.dim[1];
    dim[1] = c->out.dim[2];
    return 2;
}

static orr__workload work_columns(const orr__call *c)
{
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * 2 * log2((double)c->out.dim[2] + 2) };
}

const orr__op orr__op_fft_columns = {
    .id = ORR__OP_fft_columns,
    .name = "fft_columns",
    .arity = 1,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .verify = verify_columns,
    .reference = reference_columns,
    .distribute = orr__rule_first,
    .work = work_columns,
    .space = space_columns,
};

/* -- rows, which are now columns: (lines, n2, n1) to (lines, blocks of rows, n2, a block), 0 after the last row --------- */

static const char *verify_rows(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape, *to = &n->shape;
    (void)nin;
    bool fits = s->rank == 3 && to->rank == 4 && to->dim[0] == s->dim[0] && to->dim[2] == s->dim[1] &&
                orr__is_complex((orr_dtype)in[0]->dtype);
    int64_t block = fits ? block_of((orr_dtype)in[0]->dtype) : 1;
    return fits && to->dim[1] == (s->dim[2] + block - 1) / block &&
                   to->dim[3] == block * per_number((orr_dtype)n->dtype)
               ? NULL
               : "the rows of a transform are not those of its columns";
}

static orr_status reference_rows(const orr__reference *j)
{
    int64_t n = j->in[0].shape.dim[1], cols = j->in[0].shape.dim[2], blocks = j->out.shape.dim[1];
    int64_t block = block_of(j->in[0].dtype);
    for (int64_t i = 0; i < j->out.shape.dim[0] * blocks * n * block; i++) {
        int64_t line = i / (blocks * n * block), k = i / block % n, c = i / (n * block) % blocks * block + i % block;
        orr__number sum = 0;
        for (int64_t t = 0; t < n && c < cols; t++)
            sum += orr__plain_get(&j->in[0], (line * n + t) * cols + c) * power(j->node, t * k, n);
        pair_set(&j->out, i, sum);
    }
    return ORR_OK;
}

static int space_rows(const orr__call *c, int64_t *dim)
{
    dim[0] = c->out.dim[0] * c->out.dim[1];
    dim[1] = c->out.dim[2] * c->out.dim[3];
    return 2;
}

const orr__op orr__op_fft_rows = {
    .id = ORR__OP_fft_rows,
    .name = "fft_rows",
    .arity = 1,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .verify = verify_rows,
    .reference = reference_rows,
    .distribute = orr__rule_first,
    .work = work_columns,
    .space = space_rows,
};

/* -- a large prime factor: (lines, numbers) to (lines, numbers, parts of each) ------------------------------------------------
 *
 * With b = e^(πi·k²/n) the transform is b*·((x·b*) ∗ b), b* its conjugate (L. I. Bluestein, "A linear filtering approach to
 * the computation of discrete Fourier transform", 1970). The convolution has the period l ≥ 2n − 1. attr.index is n. */

enum {
    BEFORE,
    FILTER,
    BEHIND
}; /* times b*, of n numbers, then 0; times the transform of b / l, of l; times b*, n of l */

static const char *verify_chirp(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape, *to = &n->shape;
    int step = (int)(n->attr.mask >> 1);
    (void)nin;
    if (s->rank != 2 || to->rank != 3 || to->dim[0] != s->dim[0] || to->dim[2] != per_number((orr_dtype)n->dtype) ||
        step > BEHIND || n->attr.index < 1)
        return "a chirp is for rows of numbers";
    int64_t have = s->dim[1] / per_number((orr_dtype)in[0]->dtype), most = step == BEFORE ? to->dim[1] : have;
    return have == (step == BEFORE ? n->attr.index : most) && to->dim[1] == (step == BEHIND ? n->attr.index : most) &&
                   most >= 2 * (int64_t)n->attr.index - 1
               ? NULL
               : "the convolution with a chirp has twice as many numbers, less one";
}

static orr__number chirp(int64_t k, int64_t n)
{
    int64_t t = (int64_t)((__extension__(unsigned __int128) k) * (unsigned __int128)k % (unsigned __int128)(2 * n));
    long double angle = -3.14159265358979323846264338327950288L * (long double)t / (long double)n;
    return CMPLXL(cosl(angle), sinl(angle));
}

/* The filter is symmetric. */
static orr__number filter(int64_t k, int64_t n, int64_t l)
{
    orr__number sum = 1;
    for (int64_t t = 1; t < n; t++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)(t * k % l) / (long double)l;
        sum += 2 * conjl(chirp(t, n)) * cosl(angle);
    }
    return sum / (long double)l;
}

static orr_status reference_chirp(const orr__reference *j)
{
    int step = (int)(j->node->attr.mask >> 1);
    int64_t n = j->node->attr.index, to = j->out.shape.dim[1];
    int64_t have = j->in[0].shape.dim[1] / per_number(j->in[0].dtype);
    for (int64_t i = 0; i < j->out.shape.dim[0] * to; i++) {
        int64_t k = i % to;
        orr__number w = k >= have ? 0 : step == FILTER ? filter(k, n, to) : chirp(k, n);
        w = j->node->attr.mask & 1u ? conjl(w) : w;
        pair_set(&j->out, i, k >= have ? 0 : pair_get(&j->in[0], i / to * have + k) * w);
    }
    return ORR_OK;
}

static int space_chirp(const orr__call *c, int64_t *dim)
{
    dim[0] = c->out.dim[0] * c->out.dim[1];
    dim[1] = c->out.dim[2];
    return 2;
}

const orr__op orr__op_fft_chirp = {
    .id = ORR__OP_fft_chirp,
    .name = "fft_chirp",
    .arity = 1,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX,
    .verify = verify_chirp,
    .reference = reference_chirp,
    .distribute = orr__rule_first,
    .space = space_chirp,
    .flops = 6,
};

/* -- halves ---------------------------------------------------------------------------------------------------------- */

static const char *verify_unpack(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->shape.rank == 2 && in[0]->shape.rank == 2 && n->shape.dim[0] == in[0]->shape.dim[0] &&
                   n->dtype == in[0]->dtype && n->shape.dim[1] == in[0]->shape.dim[1] + 1
               ? NULL
               : "half a transform of real numbers has one element more";
}

static const char *verify_pack(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return verify_unpack(in[0], &n, 1);
}

static orr_status reference_unpack(const orr__reference *j)
{
    int64_t h = j->in[0].shape.dim[1];
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t row = i / (h + 1) * h, k = i % (h + 1);
        orr__number a = orr__plain_get(&j->in[0], row + k % h), b = conjl(orr__plain_get(&j->in[0], row + (h - k) % h));
        orr__plain_set(&j->out, i, (a + b) / 2 + power(j->node, k, 2 * h) * (a - b) / CMPLXL(0, 2));
    }
    return ORR_OK;
}

static orr_status reference_pack(const orr__reference *j)
{
    int64_t h = j->out.shape.dim[1];
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t row = i / h * (h + 1), k = i % h;
        orr__number a = orr__plain_get(&j->in[0], row + k), b = conjl(orr__plain_get(&j->in[0], row + h - k));
        if (k == 0) {
            a = creall(a);
            b = creall(b);
        }
        orr__plain_set(&j->out, i, a + b + CMPLXL(0, 1) * power(j->node, k, 2 * h) * (a - b));
    }
    return ORR_OK;
}

static int space_elements(const orr__call *c, int64_t *dim)
{
    dim[0] = orr__shape_count(&c->out);
    dim[1] = 1;
    return 2;
}

#define HALF(word)                                                                                                     \
    const orr__op orr__op_fft_##word = { .id = ORR__OP_fft_##word,                                                     \
                                         .name = "fft_" #word,                                                         \
                                         .arity = 1,                                                                   \
                                         .kinds = ORR__TAKES_COMPLEX,                                                  \
                                         .pattern = ORR__PATTERN_KERNEL,                                               \
                                         .attrs = ORR__ATTR_MASK,                                                      \
                                         .verify = verify_##word,                                                      \
                                         .reference = reference_##word,                                                \
                                         .distribute = orr__rule_first,                                                \
                                         .space = space_elements,                                                      \
                                         .flops = 8 }
HALF(unpack);
HALF(pack);

/* -- graphs ------------------------------------------------------------------------------------------------------------- */

/* n1 of a matrix of n1 × n2 = n numbers; 0: n has a large prime factor. */
static int64_t cut(int64_t n)
{
    int64_t rest = n, n1 = 1;
    for (int p = 2; p <= PRIME; p++)
        while (rest % p == 0)
            rest /= p;
    for (int64_t d = 1; rest == 1 && d * d <= n; d++)
        n1 = n % d == 0 ? d : n1;
    return rest == 1 ? n1 : 0;
}

int64_t orr__fft_smooth(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t five = 1; five < best; five *= 5) {
        for (int64_t three = five; three < best; three *= 3) {
            int64_t v = three;
            while (v < n)
                v *= 2;
            best = v < best ? v : best;
            if (three >= n)
                break;
        }
        if (five >= n)
            break;
    }
    return best;
}

bool orr__fft_is_long(int64_t lines, int64_t n)
{
    return n >= LONG && (cut(n) || (lines > 0 && lines < ORR__T_FEW_LINES && n < INT32_MAX / 4));
}

static orr_tensor *node_on(orr__site at, const orr__op *op, orr_tensor *x, orr_dtype dtype, orr_shape s, uint32_t mask,
                           int64_t index)
{
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    orr__node *r = orr__rec_one(at, op, dtype, &s, orr__node_ref(orr__handle_node(x)));
    if (r) {
        r->attr.mask = mask;
        r->attr.index = (int32_t)index;
    }
    return orr__handle_new(r);
}

orr_tensor *orr__fft_half(orr__site at, orr_tensor *x, bool inverse)
{
    orr_shape s = orr_tensor_shape(x);
    s.dim[1] += inverse ? -1 : 1;
    return node_on(at, inverse ? &orr__op_fft_pack : &orr__op_fft_unpack, x, orr_tensor_dtype(x), s, inverse, 0);
}

static orr_tensor *by_matrix(orr__site at, orr_tensor *x, bool inverse, bool real)
{
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    orr_dtype t = orr_tensor_dtype(x), z = orr__is_complex(t) ? t : orr__complex_of(t),
              to = real ? orr__part_dtype(z) : z;
    int64_t lines = orr_tensor_shape(x).dim[0], n = orr_tensor_shape(x).dim[1] / per_number(t), n1 = cut(n),
            n2 = n / n1;
    int64_t each = per_number(to), block = block_of(z), blocks = (n1 + block - 1) / block;
    x = node_on(at, &orr__op_fft_columns, x, z, ORR_SHAPE(lines, n2, n1), inverse, 0);
    x = node_on(at, &orr__op_fft_rows, x, to, ORR_SHAPE(lines, blocks, n2, block * each), inverse, 0);
    x = orr_reshape_at(AT, orr_permute_at(AT, x, ORR_AXES(0, 2, 1, 3)), ORR_SHAPE(lines, n2, blocks * block * each));
    x = orr_slice_axis_at(AT, x, 2, 0, n1 * each, 1);
    return orr_reshape_at(AT, x, ORR_SHAPE(lines, n * each));
}

static orr_tensor *chirped(orr__site at, orr_tensor *x, int step, int64_t n, int64_t to, orr_dtype dtype, bool inverse)
{
    int64_t lines = orr_tensor_status(x) == ORR_OK ? orr_tensor_shape(x).dim[0] : 0, each = per_number(dtype);
    x = node_on(at, &orr__op_fft_chirp, x, dtype, ORR_SHAPE(lines, to, each), (uint32_t)(2 * step + inverse), n);
    return orr_reshape_at(AT, x, ORR_SHAPE(lines, to * each));
}

/* The inverse differs from the transform only in the chirp and the filter. */
static orr_tensor *by_convolution(orr__site at, orr_tensor *x, bool inverse, bool real)
{
    orr_dtype t = orr_tensor_dtype(x), z = orr__is_complex(t) ? t : orr__complex_of(t);
    int64_t n = orr_tensor_shape(x).dim[1] / per_number(t), length = orr__fft_smooth(2 * n - 1);
    x = by_matrix(at, chirped(at, x, BEFORE, n, length, z, inverse), false, false);
    x = by_matrix(at, chirped(at, x, FILTER, n, length, z, inverse), true, false);
    return chirped(at, x, BEHIND, n, n, real ? orr__part_dtype(z) : z, inverse);
}

orr_tensor *orr__fft_long(orr__site at, orr_tensor *x, bool inverse, bool real)
{
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    int64_t n = orr_tensor_shape(x).dim[1] / per_number(orr_tensor_dtype(x));
    return cut(n) ? by_matrix(at, x, inverse, real) : by_convolution(at, x, inverse, real);
}
