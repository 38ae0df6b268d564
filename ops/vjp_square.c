/* Derivatives of cholesky and solve_triangular.
 * Must not know: how a graph is walked. */
#include "config.h"

#include "ops/vjp.h"

#define AT b->at.file, b->at.line

static orr_tensor *half(const orr__back *b, orr_tensor *x)
{
    return orr_mul_at(AT, x, orr_scalar_at(AT, 0.5));
}

static orr_tensor *plus_transpose(const orr__back *b, orr_tensor *x)
{
    return orr_add_at(AT, x, orr_transpose_at(AT, x));
}

/* Murray, "Differentiation of the Cholesky decomposition" (2016), equation 10: ½ L⁻ᵀ (P + Pᵀ) L⁻¹, where P is the lower
 * triangle of Lᵀg with its diagonal halved. It is symmetric but for rounding, which the last step takes away. */
orr_tensor *orr__vjp_cholesky(const orr__back *b)
{
    orr_tensor *p = orr_matmul_at(AT, orr_transpose_at(AT, b->out), b->g);
    orr_tensor *both = orr_add_at(AT, orr_tril_at(AT, p, 0), orr_transpose_at(AT, orr_tril_at(AT, p, -1)));
    orr_tensor *right = orr__solve_right(b->at, b->out, both, ORR__TRI_LOWER);
    orr_tensor *all = orr__solve_right(b->at, b->out, orr_transpose_at(AT, right), ORR__TRI_LOWER);
    return half(b, plus_transpose(b, half(b, all)));
}

/* Y = B·M⁻¹ with M = op(A): dB = g·M⁻ᵀ, dM = −Yᵀ·dB, of which only what was read of A counts. */
orr_tensor *orr__vjp_solve(const orr__back *b, int k)
{
    unsigned mask = b->node->attr.mask;
    int64_t edge = mask & ORR__TRI_UNIT ? 1 : 0;
    orr_tensor *db = orr__solve_right(b->at, b->in[0], b->g, mask ^ ORR__TRI_TRANSPOSE);
    if (k == 1)
        return db;
    orr_tensor *x = mask & ORR__TRI_TRANSPOSE ? db : b->out, *y = mask & ORR__TRI_TRANSPOSE ? b->out : db;
    orr_tensor *da = orr_neg_at(AT, orr_matmul_at(AT, orr_transpose_at(AT, x), y));
    return mask & ORR__TRI_LOWER ? orr_tril_at(AT, da, -edge) : orr_triu_at(AT, da, edge);
}
