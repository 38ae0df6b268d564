/* Plain meaning of cholesky and solve_triangular, in long double.
 * Must not know: tiles, BLAS. */
#include "config.h"

#include <math.h>
#include "ops/reference.h"

static long double get(const orr__array *a, int64_t i)
{
    return (long double)orr__array_get(a, i).f;
}

static void set(const orr__array *a, int64_t i, long double v)
{
    orr__array_set(a, i, orr__scalar_cast((orr__scalar){ .f = (double)v }, ORR_F64, a->dtype));
}

orr_status orr__ref_cholesky(const orr__refjob *j)
{
    const orr__array *a = &j->in[0], *l = &j->out;
    int64_t n = l->shape.dim[l->shape.rank - 1];
    for (int64_t at = 0; at < l->count; at += n * n)
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c <= r; c++) {
                long double v = get(a, at + r * n + c);
                for (int64_t k = 0; k < c; k++)
                    v -= get(l, at + r * n + k) * get(l, at + c * n + k);
                if (r == c && !(v > 0 && v <= 0x1.fffffffffffffp1023L))
                    return orr__fail(ORR__SITE(j->node->file, j->node->line, j->node->op->name), ORR_ENUMERIC,
                                     "the leading minor of order %lld is not positive", (long long)(r + 1));
                set(l, at + r * n + c, r == c ? sqrtl(v) : v / get(l, at + c * n + c));
            }
    return ORR_OK;
}

/* x·M = b, one row after the other. */
orr_status orr__ref_solve(const orr__refjob *j)
{
    const orr__array *a = &j->in[0], *x = &j->out;
    unsigned mask = j->node->attr.mask;
    bool turned = (mask & ORR__TRI_TRANSPOSE) != 0, upper = ((mask & ORR__TRI_LOWER) != 0) == turned;
    int64_t n = x->shape.dim[x->shape.rank - 1], m = x->shape.dim[x->shape.rank - 2];
    for (int64_t row = 0; n > 0 && row < x->count / n; row++) {
        int64_t at = row / m * n * n;
        for (int64_t s = 0; s < n; s++) {
            int64_t c = upper ? s : n - 1 - s;
            long double v = get(&j->in[1], row * n + c), d = get(a, at + c * (n + 1));
            for (int64_t k = upper ? 0 : c + 1; k < (upper ? c : n); k++)
                v -= get(x, row * n + k) * get(a, at + (turned ? c * n + k : k * n + c));
            if (d == 0 && !(mask & ORR__TRI_UNIT))
                return orr__fail(ORR__SITE(j->node->file, j->node->line, j->node->op->name), ORR_ENUMERIC,
                                 "element %lld of the diagonal is 0", (long long)c);
            set(x, row * n + c, mask & ORR__TRI_UNIT ? v : v / d);
        }
    }
    return ORR_OK;
}
