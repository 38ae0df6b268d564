/* Derivatives of the reductions. The reduced axes are still there, as length 1, so g and the result broadcast.
 * Must not know: how a graph is walked. */
#include "config.h"

#include "ops/vjp.h"

#define AT b->at.file, b->at.line

static orr_axes axes_of(uint32_t mask)
{
    orr_axes a = { 0, { 0 } };
    for (int i = 0; i < ORR_MAX_RANK; i++)
        if (mask >> i & 1)
            a.axis[a.n++] = i;
    return a;
}

/* g to all that equal the result, in equal parts. */
static orr_tensor *of_extremum(const orr__back *b, orr_tensor *x, orr_tensor *g)
{
    orr_tensor *hit = orr_equal_at(AT, x, b->out);
    orr_tensor *n = orr_sum_at(AT, orr_cast_at(AT, hit, orr_tensor_dtype(x)), axes_of(b->node->attr.mask), true);
    return orr_where_at(AT, hit, orr_div_at(AT, g, n), orr_scalar_at(AT, 0));
}

/* g times the product of the others. With one zero only its own element has one that is not 0; with several none. */
static orr_tensor *of_product(const orr__back *b, orr_tensor *x, orr_tensor *g)
{
    orr_axes axes = axes_of(b->node->attr.mask);
    orr_tensor *one = orr_scalar_at(AT, 1), *none = orr_scalar_at(AT, 0);
    orr_tensor *zero = orr_equal_at(AT, x, none);
    orr_tensor *zeros = orr_sum_at(AT, zero, axes, true);
    orr_tensor *rest = orr_where_at(AT, zero, one, x);
    orr_tensor *p = orr_mul_at(AT, g, orr_prod_at(AT, rest, axes, true));
    orr_tensor *alone = orr_logical_and_at(AT, zero, orr_equal_at(AT, zeros, one));
    orr_tensor *some = orr_where_at(AT, alone, p, none);
    return orr_where_at(AT, orr_equal_at(AT, zeros, none), orr_div_at(AT, p, rest), some);
}

orr_tensor *orr__vjp_reduce(const orr__back *b)
{
    orr_tensor *x = b->in[0];
    orr_dtype dtype = orr_tensor_dtype(x);
    orr_tensor *g = orr_cast_at(AT, b->g, dtype);
    switch (b->node->attr.rop) {
    case ORR__RSUM: return orr_broadcast_to_at(AT, g, orr_tensor_shape(x));
    case ORR__RPROD: return of_product(b, x, g);
    case ORR__RMAX:
    case ORR__RMIN: return of_extremum(b, x, g);
    default: return NULL;
    }
}
