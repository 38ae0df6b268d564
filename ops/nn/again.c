/* The contracts of recomputation: a value whose gradient records the value's computation again.
 * Must not know: modules, devices, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/nn/again.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/graph/thread_state.h"

#define AT at.file, at.line

static _Thread_local bool again; /* a module is recorded again for a gradient: its states were updated already */

bool orr__module_recomputes(void)
{
    return again;
}

orr_tensor *(*orr__recompute_forward)(orr__site at, uint64_t what, orr_tensor *x);

/* -- a value that is computed only after another ------------------------------------------------------------ */

static const char *verify_after(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->dtype == in[0]->dtype ? NULL
                                                                                  : "after changes shape or dtype";
}

static orr_tensor *vjp_after(const orr__back *b, int k)
{
    return k == 0 ? b->g : NULL;
}

/* Operand 1 may have any distribution, since its values are not used. Where possible it has that of operand 0, as a cotangent of
 * the same batch does. */
static bool distribute_after(orr__spread_rule *r)
{
    int axis = r->from.axis;
    const orr_shape *other = &r->in[1 - r->k]->shape;
    bool both = r->from.kind == ORR__SHARDED && axis < other->rank && other->dim[axis] == r->in[r->k]->shape.dim[axis];
    if (both)
        r->need[1 - r->k] = r->from;
    if (both || r->k == 0)
        r->out = r->from;
    return true;
}

/* A copy, so that nodes on it differ from the nodes on the operand, whose values then need not be kept. */
const orr__op orr__op_after = {
    .id = ORR__OP_after,
    .name = "after",
    .arity = 2,
    .pattern = ORR__PATTERN_KERNEL,
    .flops = 1,
    .verify = verify_after,
    .reference = orr__reference_copy,
    .distribute = distribute_after,
    .vjp = vjp_after,
};

/* -- the node ----------------------------------------------------------------------------------------------- */

orr__again_grads *orr__again_last(orr__site at)
{
    orr__again_grads *last = orr__own_memory_of(ORR__OWN_GRADIENTS, sizeof *last);
    if (!last)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for gradients");
    return last;
}

static orr_status record_again(const orr__back *b, int n, orr_tensor **grads)
{
    orr__site at = b->at;
    const orr__node *node = b->node;
    orr__node *in[2] = { orr__handle_node(b->in[0]), orr__handle_node(b->g) };
    if (!in[0] || !in[1])
        return ORR_EHANDLE;
    orr_tensor *by[ORR__AGAIN_MOST];
    by[0] = orr__handle_new(orr__node_new(at, &orr__op_after, (orr_dtype)in[0]->dtype, &in[0]->shape, 2, in));
    for (int i = 1; i < n; i++)
        by[i] = b->in[i];
    uint64_t now[2], then[2] = { node->s[ORR__AGAIN_SEED].u, node->s[ORR__AGAIN_STREAM].u };
    orr__random_state(now);
    orr__random_restore(then);
    again = true;
    orr_tensor *y = orr__recompute_forward(at, node->s[ORR__AGAIN_WHAT].u, by[0]);
    again = false;
    orr__random_restore(now);
    return orr__vjp(at, y, b->g, by, n, grads);
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    int n = b->node->nin - 1;
    if (k >= n || n > ORR__AGAIN_MOST)
        return NULL;
    orr__again_grads *last = orr__again_last(b->at);
    if (!last)
        return orr__handle_new(NULL);
    if (last->node != b->node || last->g != b->g || last->n != n || orr_tensor_status(last->grads[k]) != ORR_OK) {
        last->node = NULL;
        orr_status st = record_again(b, n, last->grads);
        if (st != ORR_OK)
            return orr__handle_new(NULL);
        last->node = b->node;
        last->g = b->g;
        last->n = n;
    }
    return last->grads[k];
}

const orr__op orr__op_recompute = {
    .id = ORR__OP_recompute, .name = "recompute", .arity = -1, .role = ORR__ROLE_THROUGH, .vjp = vjp
};
