/* The contract that all element-wise rows share: reference, derivative, instruction, identities.
 * Must not know: any single row, except in the identities below. */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include "ops/back.h"
#include "ops/ew_id.h"
#include "ops/ew_op.h"
#include "ops/lowering.h"
#include "ops/reference.h"
#include "ops/rule.h"

orr_status orr__ew_reference(const orr__reference *j)
{
    const orr__ewrow *row = orr__ew(j->node->op->id);
    orr_dtype dtype = j->in[row->cond ? 1 : 0].dtype;
    if (orr__ew_is_compound(row, dtype)) {
        for (int64_t i = 0; i < j->out.count; i++)
            orr__ew_eval_at(row, dtype, orr__array_at(&j->out, i), orr__array_at(&j->in[0], i),
                            j->nin > 1 ? orr__array_at(&j->in[1], i) : NULL,
                            j->nin > 2 ? orr__array_at(&j->in[2], i) : NULL);
        return ORR_OK;
    }
    for (int64_t i = 0; i < j->out.count; i++) {
        orr__scalar v[3] = { { .u = 0 }, { .u = 0 }, { .u = 0 } };
        for (int k = 0; k < j->nin; k++)
            v[k] = orr__array_get(&j->in[k], i);
        orr__array_set(&j->out, i, orr__ew_eval(row, dtype, v[0], v[1], v[2]));
    }
    return ORR_OK;
}

orr_tensor *orr__ew_back(const orr__back *b, int k)
{
    orr_tensor *x = b->in[0], *y = b->nin > 1 ? b->in[1] : NULL, *z = b->nin > 2 ? b->in[2] : NULL;
    return orr__ew_vjp(b->at, orr__ew(b->node->op->id), k, x, y, z, b->out, b->g);
}

int orr__ew_lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__node *n = c->p->node[i];
    bool excess = c->excess && c->excess[i] && orr__is_half((orr_dtype)n->dtype);
    orr__rinstr in = { ORR__RI_EW, excess ? ORR_F32 : n->dtype, (int16_t)n->op->id, -1, -1, -1, -1, -1 };
    int16_t *arg[3] = { &in.x, &in.y, &in.z };
    for (int k = 0; k < n->op->arity; k++)
        *arg[k] = orr__lower_operand(c, i, k, v);
    return c->instr(c, in);
}

/* True if the text names r or an operand in the mask. Names of more letters are functions. */
static bool mentions(const char *text, unsigned mask)
{
    for (const char *c = text; *c; c++) {
        bool name = isalpha((unsigned char)*c) || *c == '_';
        const char *end = c;
        while (name && (isalnum((unsigned char)end[1]) || end[1] == '_'))
            end++;
        if (name && end == c && (*c == 'r' || (*c >= 'x' && *c <= 'z' && mask >> (*c - 'x') & 1)))
            return true;
        c = end;
    }
    return false;
}

/* The row's value for scale · (k + 1) as operand k of the mask and `other` as the other operands. */
static double probe(const orr__ewrow *row, unsigned mask, double scale, int other)
{
    orr__scalar v[3];
    for (int k = 0; k < 3; k++)
        v[k].f = mask >> k & 1 ? scale * (k + 1) : other;
    if (row->cond)
        v[0].u = (uint64_t)other - 1;
    return orr__ew_eval(row, ORR_F64, v[0], v[1], v[2]).f;
}

/* True if the row is linear in the operands of the mask, whatever the others are. It is affine if the derivatives by these
 * operands do not depend on them. Values at a few points confirm this, and that the constant is 0. */
static bool linear(const orr__ewrow *row, unsigned mask)
{
    for (int k = 0; k < row->arity; k++)
        if (mask >> k & 1 && (!row->deriv[k] || !row->deriv[k][0] || mentions(row->deriv[k], mask)))
            return false;
    for (int other = 1; other <= 2; other++)
        if (probe(row, mask, 0, other) != 0 || fabs(probe(row, mask, 1.375, other) + probe(row, mask, -2.5625, other) -
                                                    probe(row, mask, -1.1875, other)) > 1e-9)
            return false;
    return true;
}

/* Elements stay at their places. A row accepts partial sums in operands in which it is linear. */
bool orr__ew_distribute(orr__spread_rule *r)
{
    const orr__ewrow *row = orr__ew(r->node->op->id);
    unsigned all = (1u << row->arity) - 1u, alone = 1u << r->k;
    if (r->from.kind == ORR__SHARDED)
        return orr__rule_elements(r);
    if (row->cond)
        all &= ~1u;
    if (r->from.rop != ORR__RSUM || !(all & alone) || !orr__is_float((orr_dtype)r->node->dtype) ||
        r->in[r->k]->dtype != r->node->dtype)
        return false;
    unsigned mask = linear(row, alone) ? alone : linear(row, all) ? all : 0;
    if (!mask)
        return false;
    for (int k = 0; k < row->arity; k++)
        r->need[k] = mask >> k & 1 ? r->from : r->need[k];
    r->out = r->from;
    return true;
}

/* Rows whose second application changes nothing, and rows that are their own inverse. Both hold for every value,
 * NaN, infinities, signed zeros and wrapping integers included. */
static const int16_t idempotent[] = { ORR__EW_abs,   ORR__EW_relu,  ORR__EW_floor, ORR__EW_ceil,
                                      ORR__EW_trunc, ORR__EW_round, ORR__EW_sign };
static const int16_t involution[] = { ORR__EW_neg, ORR__EW_logical_not };
/* Rows that choose among, or join the bits of, two operands: equal operands are the result. */
static const int16_t choosing[] = { ORR__EW_maximum,    ORR__EW_minimum,     ORR__EW_logical_and,
                                    ORR__EW_logical_or, ORR__EW_bitwise_and, ORR__EW_bitwise_or };
/* Rows whose value of a real number is +0, more, or NaN. */
static const int16_t positive[] = { ORR__EW_abs, ORR__EW_square, ORR__EW_exp, ORR__EW_sigmoid };

bool orr__ew_is_positive(int id)
{
    bool any = false;
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        any = any || positive[k] == id;
    return any;
}

int orr__ew_identity(const orr__capture *p, int i)
{
    int id = p->node[i]->op->id, x = orr__arg(p, i, 0);
    if (id == ORR__EW_positive)
        return x;
    for (size_t k = 0; k < sizeof choosing / sizeof *choosing; k++)
        if (choosing[k] == id && orr__arg(p, i, 1) == x && p->node[x]->dtype == p->node[i]->dtype)
            return x;
    if (p->leaf_of[x] >= 0 || p->node[x]->op->id != id)
        return i;
    for (size_t k = 0; k < sizeof idempotent / sizeof *idempotent; k++)
        if (idempotent[k] == id)
            return x;
    for (size_t k = 0; k < sizeof involution / sizeof *involution; k++)
        if (involution[k] == id)
            return orr__arg(p, x, 0);
    return i;
}
