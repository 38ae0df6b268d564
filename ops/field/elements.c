/* Element-wise functions of field elements: sums, products, inverses, powers.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->out, 1), dim);
}

static orr__workload work(const orr__call *c)
{
    static const float products[] = { 0.5f, 0.5f, 2, 0.5f, 2, 6, 380 };
    double n = (double)orr__batch_count(&c->out, 1);
    return (orr__workload){ .flops = n * (double)products[c->attr.index] * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_elements, -1, space, work);

static orr_tensor *map(orr__site at, orr_field f, int what, orr_tensor *x, orr_tensor *y, const uint64_t *e)
{
    orr_tensor *bad, *in[2] = { x, y };
    orr_shape s[2], both;
    int nin = what <= ORR__ELEMENTS_MUL ? 2 : 1;
    if (!orr__field_known(at, f, &bad))
        return bad;
    for (int i = 0; i < nin; i++)
        if (!orr__field_operand(at, in[i], i ? "y" : "x", 1, &s[i], &bad))
            return bad;
    both = s[0];
    if (nin == 2 && !orr__batches(at, &s[0], &s[1], &both, &bad))
        return bad;
    orr__attr a = { .axis = (int32_t)f, .index = what };
    for (int i = 0; e && i < ORR__LIMBS; i++)
        a.start[i] = (int64_t)e[i];
    orr_scope *scope = orr_scope_begin();
    for (int i = 0; i < nin; i++)
        in[i] = orr_broadcast_to_at(at.file, at.line, in[i], both);
    return orr__compose_end(at, scope, orr__field_node(at, &orr__op_field_elements, ORR_U64, both, nin, in, &a));
}

#define BINARY(word, what)                                                                                             \
    orr_tensor *orr_field_##word##_at(const char *file, int line, orr_field field, orr_tensor *x, orr_tensor *y)       \
    {                                                                                                                  \
        return map(ORR__SITE(file, line, "field_" #word), field, what, x, y, NULL);                                    \
    }
BINARY(add, ORR__ELEMENTS_ADD)
BINARY(sub, ORR__ELEMENTS_SUB)
BINARY(mul, ORR__ELEMENTS_MUL)

#define UNARY(word, what)                                                                                              \
    orr_tensor *orr_field_##word##_at(const char *file, int line, orr_field field, orr_tensor *x)                      \
    {                                                                                                                  \
        return map(ORR__SITE(file, line, "field_" #word), field, what, x, NULL, NULL);                                 \
    }
UNARY(neg, ORR__ELEMENTS_NEG)
UNARY(square, ORR__ELEMENTS_SQUARE)
UNARY(inverse, ORR__ELEMENTS_INVERSE)

orr_tensor *orr_field_pow_at(const char *file, int line, orr_field field, orr_tensor *x, const uint64_t e[4])
{
    orr__site at = ORR__SITE(file, line, "field_pow");
    if (!e)
        return orr__poison(at, ORR_EINVAL, "the exponent is NULL");
    return map(at, field, ORR__ELEMENTS_POW, x, NULL, e);
}
