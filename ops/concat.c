/* orr_concat and orr_stack: the operands joined along an axis.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/text.h"

static orr_status reference(const orr__reference *j)
{
    int axis = j->node->attr.axis;
    int64_t first = 0;
    for (int k = 0; k < j->nin; k++) {
        const orr__array *a = &j->all[j->arg[k]];
        for (int64_t i = 0; i < a->count; i++) {
            int64_t index[ORR_MAX_RANK];
            orr__array_unravel(&a->shape, i, index);
            index[axis] += first;
            orr__array_copy(&j->out, orr__array_ravel(&j->out.shape, index), a, i);
        }
        first += a->shape.dim[axis];
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    int axis = b->node->attr.axis;
    orr__passed *p = b->passed;
    for (*p = p->n > k ? (orr__passed){ 0, 0 } : *p; p->n < k; p->n++)
        p->length += orr_tensor_shape(b->in[p->n]).dim[axis];
    return orr_slice_axis_at(b->at.file, b->at.line, b->g, axis, p->length,
                             p->length + orr_tensor_shape(b->in[k]).dim[axis], 1);
}

/* Selects the operand, from the last visible one to the first. */
static int lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__node *n = c->p->node[i];
    int reg = -1, axis = n->attr.axis;
    int64_t at = n->shape.dim[axis];
    for (int k = orr__capture_nin(c->p, i) - 1; k >= 0; k--) {
        int64_t length = c->p->node[orr__arg(c->p, i, k)]->shape.dim[axis];
        orr__view w = *v;
        at -= length;
        w.off[axis] -= at;
        if (!orr__view_narrow(c->dim, &w, axis, length))
            continue;
        int in = orr__lower_operand(c, i, k, &w);
        reg = reg < 0 || orr__view_same_box(&w, v) ? in : orr__lower_choose(c, (orr_dtype)n->dtype, &w, in, reg);
    }
    if (reg >= 0)
        return reg;
    /* No operand is visible in this view: the element does not exist. */
    orr_dtype part = orr__part_dtype((orr_dtype)n->dtype);
    reg =
        c->instr(c, (orr__rinstr){ ORR__RI_CAST, (uint8_t)part, 0, (int16_t)orr__lower_inside(c, v), -1, -1, -1, -1 });
    return part == (orr_dtype)n->dtype ? reg : orr__lower_complex(c, part, reg, reg);
}

const orr__op orr__op_concat = {
    .id = ORR__OP_concat,
    .name = "concat",
    .arity = -1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_CHOICE,
    .attrs = ORR__ATTR_AXIS,
    .reference = reference,
    .distribute = orr__rule_but_axis,
    .vjp = vjp,
    .lower = lower,
};

/* Returns the nodes of the operands (borrowed) and their common dtype. NULL: return *bad. */
static orr__node **gather(orr__site at, orr_tensor *const *t, int n, orr_dtype *dtype, orr_tensor **bad)
{
    if (!t || n < 1) {
        *bad = orr__poison(at, ORR_EINVAL, t ? "no tensors: n is %d" : "the list of tensors is NULL", n);
        return NULL;
    }
    orr__node **node = orr__alloc_n((size_t)n, sizeof(orr__node *));
    if (!node) {
        *bad = orr__poison(at, ORR_ENOMEM, "no memory for a list of %d operands", n);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        char name[32];
        orr__text_numbered(name, sizeof name, "operand ", i, "");
        if (!orr__operand(at, t[i], name, &node[i], bad)) {
            free(node);
            return NULL;
        }
    }
    if (!orr__promote_nodes(at, n, node, dtype)) {
        *bad = orr__handle_new(NULL);
        free(node);
        return NULL;
    }
    return node;
}

orr__node *orr__rec_concat(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, int n, orr__node **node)
{
    if (n == 1)
        return node[0];
    orr__node *r = orr__node_of(at, &orr__op_concat, dtype, shape, n, node);
    if (r)
        r->attr.axis = axis;
    return r;
}

/* The shape of operands 0 … n−1 joined along axis k. */
static bool joined(orr__site at, orr__node *const *node, int n, int k, orr_shape *out, orr_tensor **bad)
{
    *out = node[0]->shape;
    for (int i = 1; i < n; i++) {
        orr_shape s = node[i]->shape, like = s;
        like.dim[k] = out->dim[k];
        if (s.rank != out->rank || !orr__shape_equal(&like, out)) {
            *bad = orr__poison(at, ORR_ESHAPE, "operand %d of shape %s does not join %s along axis %d", i,
                               orr__str(s).s, orr__str(node[0]->shape).s, k);
            return false;
        }
        if (out->dim[k] > INT64_MAX - s.dim[k]) {
            *bad = orr__poison(at, ORR_ESHAPE, "the lengths along axis %d overflow", k);
            return false;
        }
        out->dim[k] += s.dim[k];
    }
    return orr__shape_ok(at, out, bad);
}

orr_tensor *orr_concat_at(const char *file, int line, orr_tensor *const *t, int n, int axis)
{
    orr__site at = ORR__SITE(file, line, "concat");
    orr_tensor *bad;
    orr_dtype dtype;
    orr_shape shape;
    orr__node **node = gather(at, t, n, &dtype, &bad);
    if (!node)
        return bad;
    int k = orr__axis(axis, node[0]->shape.rank);
    if (k < 0)
        bad = orr__axis_poison(at, axis, &node[0]->shape);
    if (k < 0 || !joined(at, node, n, k, &shape, &bad)) {
        free(node);
        return bad;
    }
    for (int i = 0; i < n; i++)
        node[i] = orr__rec_cast(at, orr__node_ref(node[i]), dtype);
    orr__node *r = orr__rec_concat(at, dtype, &shape, k, n, node);
    free(node);
    return orr__handle_new(r);
}

orr_tensor *orr_stack_at(const char *file, int line, orr_tensor *const *t, int n, int axis)
{
    orr__site at = ORR__SITE(file, line, "stack");
    orr_tensor *bad = NULL;
    orr_dtype dtype;
    orr__node **node = gather(at, t, n, &dtype, &bad);
    if (!node)
        return bad;
    orr_shape one = node[0]->shape, all;
    int k = orr__axis(axis, one.rank + 1);
    if (one.rank == ORR_MAX_RANK)
        bad = orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(one).s, one.rank);
    else if (k < 0)
        bad = orr__poison(at, ORR_EAXIS, "axis %d is not in %d to %d", axis, -one.rank - 1, one.rank);
    for (int i = 1; i < n && !bad; i++)
        if (!orr__shape_equal(&node[i]->shape, &one))
            bad = orr__poison(at, ORR_ESHAPE, "operand %d has shape %s and operand 0 has %s", i,
                              orr__str(node[i]->shape).s, orr__str(one).s);
    if (!bad) {
        for (int i = one.rank++; i > k; i--)
            one.dim[i] = one.dim[i - 1];
        one.dim[k] = 1;
        all = one;
        all.dim[k] = n;
        (void)orr__shape_ok(at, &all, &bad);
    }
    if (bad) {
        free(node);
        return bad;
    }
    for (int i = 0; i < n; i++)
        node[i] = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(node[i]), dtype), &one);
    orr__node *r = orr__rec_concat(at, dtype, &all, k, n, node);
    free(node);
    return orr__handle_new(r);
}
