/* orr_det and orr_slogdet: determinants, by one operation with the result (determinant, sign, log |determinant|).
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"

#define AT b->at.file, b->at.line

enum { DET, SIGN, LOG, LENGTH };

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape;
    (void)nin;
    return s->rank < 2 || s->dim[s->rank - 1] != s->dim[s->rank - 2] ? "a determinant of what is not square"
                                                                     : orr__packed_verify(n, in[0], LENGTH);
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    orr__number *a = orr__plain(e.n * e.n);
    int64_t *p = orr__alloc_n((size_t)e.n + 1, sizeof *p), bad;
    for (int64_t q = 0; q < e.batch && a && p; q++) {
        orr__plain_load(j, 0, q, e.n * e.n, a);
        orr__number sign = orr__plain_lu(a, e.n, e.n, p, &bad), det = sign;
        long double log = 0;
        for (int64_t i = 0; i < e.n; i++) {
            orr__number d = a[i * (e.n + 1)];
            long double size = cabsl(d);
            det *= d;
            sign *= size > 0 ? d / size : d;
            log += logl(size);
        }
        orr__plain_set(&j->out, q * LENGTH + DET, det);
        orr__plain_set(&j->out, q * LENGTH + SIGN, sign);
        orr__plain_set(&j->out, q * LENGTH + LOG, log);
    }
    orr_status st = a && p ? ORR_OK : ORR_ENOMEM;
    free(a);
    free(p);
    return st;
}

/* d det = det·t, d log |det| = Re t, d sign = sign·i·Im t with t = tr(A⁻¹·dA). */
static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    orr_tensor *of = orr_select_at(AT, b->g, -1, DET), *none = orr_equal_at(AT, of, orr_scalar_at(AT, 0));
    /* a determinant that overflows does not affect the gradient of its logarithm */
    orr_tensor *det = orr_where_at(AT, none, orr_scalar_at(AT, 0), orr_select_at(AT, b->out, -1, DET));
    det = orr_mul_at(AT, of, det);
    orr_tensor *g = orr_add_at(AT, det, orr_select_at(AT, b->g, -1, LOG));
    if (orr__is_complex(orr_tensor_dtype(g))) {
        orr_tensor *sign = orr_mul_at(AT, orr_select_at(AT, b->g, -1, SIGN), orr_select_at(AT, b->out, -1, SIGN));
        orr_tensor *turn = orr_imag_at(AT, sign);
        g = orr_add_at(AT, g, orr_complex_at(AT, orr_mul_at(AT, turn, orr_scalar_at(AT, 0)), turn));
    }
    g = orr_expand_dims_at(AT, orr_expand_dims_at(AT, g, -1), -1);
    return orr_mul_at(AT, g, orr__tr(b, orr_inv_at(AT, b->in[0])));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double n = (double)e.n;
    return (orr__workload){ .flops = (double)e.batch * 2 * n * n * n / 3, .product = true };
}

static bool jointly(const orr__node *n, const orr_shape *of, orr__distribution *in, orr__distribution *out)
{
    int rows, cols;
    (void)out;
    return orr__blocks_over_ranks(of, (orr_dtype)n->dtype, in, &rows, &cols);
}

const orr__op orr__op_det = { ORR__FACTORISATION(det, 1), .jointly = jointly, .joint = ORR__JOINT_DET };

static orr_tensor *triple(orr__site at, orr_tensor *a)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    orr__extent e = orr__extent_of(&n->shape);
    return orr__panels_pay(&e, n) ? orr__panels_det(at, n) : orr__packed(at, &orr__op_det, n, LENGTH, 0);
}

orr_tensor *orr_det_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "det");
    orr_scope *scope = orr__compose_begin(at);
    return orr__compose_end(at, scope, orr_select_at(file, line, triple(at, a), -1, DET));
}

orr_slogdet_result orr_slogdet_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "slogdet");
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *all = triple(at, a);
    orr_slogdet_result r = { .sign = orr_scope_return_at(file, line, scope, orr_select_at(file, line, all, -1, SIGN)) };
    orr_tensor *log = orr_select_at(file, line, all, -1, LOG);
    if (orr__is_complex(orr_tensor_dtype(log)))
        log = orr_real_at(file, line, log);
    r.logabsdet = orr__compose_end(at, scope, log);
    return r;
}
