/* orr_cholesky and its compositions: the factor of symmetric and Hermitian positive definite matrices.
 * Must not know: devices, LAPACK, tiles. */
#include "config.h"

#include <math.h>
#include "ops/linalg/linalg.h"
#include "ops/matrix.h"
#include "runtime/graph/distribution.h"

#define AT b->at.file, b->at.line

/* Operand: (b…, n, n), of which only the lower triangles are read. The result has zeros above the diagonal. */
static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__matrix_verify(n, in[0], in[0]);
}

static orr_status reference(const orr__reference *j)
{
    const orr__array *a = &j->in[0], *l = &j->out;
    int64_t n = l->shape.dim[l->shape.rank - 1];
    for (int64_t at = 0; at < l->count; at += n * n)
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c <= r; c++) {
                orr__number v = orr__plain_get(a, at + r * n + c);
                for (int64_t k = 0; k < c; k++)
                    v -= orr__plain_get(l, at + r * n + k) * conjl(orr__plain_get(l, at + c * n + k));
                if (r == c && !(creall(v) > 0 && creall(v) <= 0x1.fffffffffffffp1023L))
                    return orr__fail(orr__reference_site(j), ORR_ENUMERIC,
                                     "the leading minor of order %lld is not positive", (long long)(r + 1));
                orr__plain_set(l, at + r * n + c, r == c ? sqrtl(creall(v)) : v / orr__plain_get(l, at + c * n + c));
            }
    return ORR_OK;
}

static orr_tensor *half(const orr__back *b, orr_tensor *x)
{
    return orr_mul_at(AT, x, orr_scalar_at(AT, 0.5));
}

/* Murray, "Differentiation of the Cholesky decomposition" (2016), equation 10: ½ L⁻ᴴ (P + Pᴴ) L⁻¹, where P is the lower
 * triangle of Lᴴg with its diagonal halved, and g the conjugate of the cotangent. It is Hermitian up to rounding; the last step
 * makes it exactly so. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    orr_tensor *p = orr_matmul_at(AT, orr__adjoint(b, b->out), orr__conj(b, b->g)), *low = orr_tril_at(AT, p, -1);
    orr_tensor *diagonal = orr__real_part(b, orr_tril_at(AT, orr_triu_at(AT, p, 0), 0));
    orr_tensor *both = orr_add_at(AT, orr_add_at(AT, low, orr__adjoint(b, low)), diagonal);
    orr_tensor *right = orr__solve_right(b->at, b->out, both, ORR__TRI_LOWER);
    orr_tensor *all = half(b, orr__solve_right(b->at, b->out, orr__adjoint(b, right), ORR__TRI_LOWER));
    return orr__conj(b, half(b, orr_add_at(AT, all, orr__adjoint(b, all))));
}

static orr__workload work(const orr__call *c)
{
    double n = (double)c->out.dim[c->out.rank - 1];
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * n / 3, .product = true };
}

static int space(const orr__call *c, int64_t *dim)
{
    return orr__matrix_space(&c->out, dim);
}

/* Tiles are whole matrices: within a matrix, tiles would depend on each other. */
static bool cuts(const orr__call *c)
{
    int64_t dim[ORR_MAX_RANK];
    return orr__matrix_space(&c->out, dim) > 2;
}

/* A matrix in blocks over a grid, along one of its axes or both. Its factor is distributed in the same way. */
static bool jointly(const orr__node *n, const orr_shape *of, orr__distribution *in, orr__distribution *out)
{
    (void)of;
    int rows, cols;
    if (n->shape.rank != 2 || (n->dtype != ORR_F32 && n->dtype != ORR_F64) || !orr__shape_count(&n->shape) ||
        !orr__distribution_of_blocks(in, &rows, &cols))
        return false;
    *out = *in;
    return true;
}

const orr__op orr__op_cholesky = {
    .id = ORR__OP_cholesky,
    .name = "cholesky",
    .arity = 1,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_TILES,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_matrices,
    .jointly = jointly,
    .joint = ORR__JOINT_CHOLESKY,
    .vjp = vjp,
    .work = work,
    .space = space,
    .cuts = cuts,
};

orr_tensor *orr_cholesky_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "cholesky");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    return orr__handle_new(orr__rec_one(at, &orr__op_cholesky, (orr_dtype)n->dtype, &n->shape, orr__node_ref(n)));
}

/* det A = det(L)², and a triangle's determinant is the product of its diagonal, which is every (n + 1)-th element. */
orr_tensor *orr_logdet_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "logdet");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    orr_shape flat = n->shape;
    int last = flat.rank - 2;
    int64_t order = flat.dim[last];
    flat.dim[last] = order * order;
    flat.rank--;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *l = orr_reshape_at(file, line, orr_cholesky_at(file, line, a), flat);
    orr_tensor *diagonal = orr_slice_axis_at(file, line, l, last, 0, order * order, order + 1);
    if (orr__is_complex(orr_tensor_dtype(diagonal)))
        diagonal = orr_real_at(file, line, diagonal);
    orr_tensor *half = orr_sum_at(file, line, orr_log_at(file, line, diagonal), ORR_AXES(last), false);
    return orr__compose_end(at, scope, orr_mul_at(file, line, half, orr_scalar(2)));
}

orr_tensor *orr_solve_cholesky_at(const char *file, int line, orr_tensor *l, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "solve_cholesky");
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = orr_solve_triangular_at(file, line, l, b, true, false, false);
    orr_tensor *adjoint = orr__is_complex(orr_tensor_dtype(l)) ? orr_conj_at(file, line, l) : l;
    return orr__compose_end(at, scope, orr_solve_triangular_at(file, line, adjoint, y, true, true, false));
}
