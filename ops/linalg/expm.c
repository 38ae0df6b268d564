/* orr_expm: the exponential of a square matrix.
 * Must not know: devices, BLAS, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &n->shape;
    (void)nin;
    return s->rank < 2 || s->dim[s->rank - 1] != s->dim[s->rank - 2] || !orr__shape_equal(s, &in[0]->shape) ||
                   in[0]->dtype != n->dtype
               ? "the exponential of what is not square"
               : NULL;
}

/* Taylor series of A/2^s, whose norm is ≤ ½, squared s times. */
static void exponential(const orr__number *a, int64_t n, orr__number *sum, orr__number *term, orr__number *next)
{
    enum { TERMS = 22 }; /* limit of arithmetic */
    long double norm = 0, scale = 1;
    int squarings = 0;
    for (int64_t i = 0; i < n * n; i++)
        norm += cabsl(a[i]);
    for (; norm > 0.5L; norm /= 2, scale /= 2)
        squarings++;
    for (int64_t i = 0; i < n * n; i++)
        sum[i] = term[i] = i % (n + 1) == 0;
    for (int k = 1; k <= TERMS; k++) {
        orr__plain_product(term, a, next, n, n, n);
        for (int64_t i = 0; i < n * n; i++)
            sum[i] += term[i] = next[i] * scale / k;
    }
    for (int k = 0; k < squarings; k++) {
        orr__plain_product(sum, sum, next, n, n, n);
        for (int64_t i = 0; i < n * n; i++)
            sum[i] = next[i];
    }
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->out.shape);
    int64_t size = e.n * e.n;
    orr__number *a = orr__plain(size), *sum = orr__plain(size), *term = orr__plain(size), *next = orr__plain(size);
    orr_status st = a && sum && term && next ? ORR_OK : ORR_ENOMEM;
    for (int64_t q = 0; q < e.batch && st == ORR_OK; q++) {
        orr__plain_load(j, 0, q, size, a);
        for (int64_t i = 0; i < size && st == ORR_OK; i++)
            st = orr__plain_finite(a[i]) ? ORR_OK : orr__plain_fail(j, q, "has an element that is not finite");
        if (st != ORR_OK)
            break;
        exponential(a, e.n, sum, term, next);
        for (int64_t i = 0; i < size; i++)
            orr__plain_set(&j->out, q * size + i, sum[i]);
    }
    free(a);
    free(sum);
    free(term);
    free(next);
    return st;
}

/* The derivative at Aᵀ in the direction g is the upper right block of exp [Aᵀ g; 0 Aᵀ] (Mathias, 1996). */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[0]);
    int64_t n = s.dim[s.rank - 1];
    (void)k;
    orr_tensor *a = orr__tr(b, b->in[0]), *none = orr_zeros_at(AT, orr_tensor_dtype(a), s);
    orr_tensor *above = orr_concat_at(AT, (orr_tensor *[]){ a, b->g }, 2, -1),
               *below = orr_concat_at(AT, (orr_tensor *[]){ none, a }, 2, -1);
    orr_tensor *all = orr_expm_at(AT, orr_concat_at(AT, (orr_tensor *[]){ above, below }, 2, -2));
    return orr_slice_axis_at(AT, orr_slice_axis_at(AT, all, -2, 0, n, 1), -1, n, 2 * n, 1);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->out);
    double n = (double)e.n;
    return (orr__workload){ .flops = (double)e.batch * 25 * n * n * n, .product = true };
}

const orr__op orr__op_expm = { ORR__FACTORISATION(expm, 1) };

orr_tensor *orr_expm_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "expm");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    return orr__handle_new(orr__rec_one(at, &orr__op_expm, (orr_dtype)n->dtype, &n->shape, orr__node_ref(n)));
}
