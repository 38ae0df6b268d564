/* orr_det and orr_slogdet: determinants, by one operation whose result is the triple determinant, sign, log |determinant|.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

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
    orr__wide_real *a = orr__plain(e.n * e.n);
    int64_t *p = orr__alloc_n((size_t)e.n + 1, sizeof *p), bad;
    for (int64_t q = 0; q < e.batch && a && p; q++) {
        orr__plain_load(j, 0, q, e.n * e.n, a);
        orr__wide_real sign = orr__plain_lu(a, e.n, e.n, p, &bad), det = sign, log = 0;
        for (int64_t i = 0; i < e.n; i++) {
            orr__wide_real d = a[i * (e.n + 1)];
            det *= d;
            sign = d == 0 || isnan(d) ? d : d < 0 ? -sign : sign;
            log += logl(fabsl(d));
        }
        orr__reference_set(&j->out, q * LENGTH + DET, det);
        orr__reference_set(&j->out, q * LENGTH + SIGN, sign);
        orr__reference_set(&j->out, q * LENGTH + LOG, log);
    }
    orr_status st = a && p ? ORR_OK : ORR_ENOMEM;
    free(a);
    free(p);
    return st;
}

/* d det = det·tr(A⁻¹·dA), d log |det| = tr(A⁻¹·dA). */
static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    orr_tensor *det = orr_mul_at(AT, orr_select_at(AT, b->g, -1, DET), orr_select_at(AT, b->out, -1, DET));
    orr_tensor *g = orr_add_at(AT, det, orr_select_at(AT, b->g, -1, LOG));
    g = orr_expand_dims_at(AT, orr_expand_dims_at(AT, g, -1), -1);
    return orr_mul_at(AT, g, orr__tr(b, orr_inv_at(AT, b->in[0])));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double n = (double)e.n;
    return (orr__workload){ .flops = (double)e.batch * 2 * n * n * n / 3, .product = true };
}

const orr__op orr__op_det = {
    .id = ORR__OP_det,
    .name = "det",
    .arity = 1,
    .form = ORR__FORM_KERNEL,
    .flags = ORR__OP_MAY_FAIL,
    .verify = verify,
    .reference = reference,
    .vjp = vjp,
    .work = work,
    .space = orr__packed_space,
};

static orr_tensor *triple(orr__site at, orr_tensor *a)
{
    orr__node *n;
    orr_tensor *bad;
    return orr__square_operand(at, a, "a", &n, &bad) ? orr__packed(at, &orr__op_det, 1, &n, LENGTH, 0) : bad;
}

orr_tensor *orr_det_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "det");
    orr_scope *scope = orr_scope_begin();
    return orr__compose_end(at, scope, orr_select_at(file, line, triple(at, a), -1, DET));
}

orr_slogdet_result orr_slogdet_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "slogdet");
    orr_scope *scope = orr_scope_begin();
    orr_tensor *all = triple(at, a);
    orr_slogdet_result r = { .sign = orr_scope_return_at(file, line, scope, orr_select_at(file, line, all, -1, SIGN)) };
    r.logabsdet = orr__compose_end(at, scope, orr_select_at(file, line, all, -1, LOG));
    return r;
}
