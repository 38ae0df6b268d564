/* orr_recompute: a module's value whose gradient computes the module again.
 * Must not know: what the module computes, devices, plans. */
#include "config.h"

#include <orrery/train.h>
#include "ops/nn/again.h"
#include "ops/nn/module.h"
#include "ops/record.h"

#define AT at.file, at.line

static orr_tensor *forward(orr__site at, uint64_t what, orr_tensor *x)
{
    return orr_forward_at(AT, (const orr_module *)(uintptr_t)what, x);
}

orr_tensor *orr_recompute_at(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "recompute");
    orr__node *n;
    orr_tensor *bad;
    if (orr__module_check(at, m) != ORR_OK)
        return orr__handle_new(NULL);
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr__recompute_forward = forward;
    int np = orr_module_parameters(m, NULL, 0);
    if (np > ORR__AGAIN_MOST - 2)
        return orr__poison(at, ORR_EINVAL, "the module has %d parameters: 62 at most, recompute its parts", np);
    orr_parameter p[ORR__AGAIN_MOST];
    (void)orr_module_parameters(m, p, np);
    orr_scope *scope = orr__compose_begin(at);
    uint64_t now[2];
    orr__random_state(now);
    orr_tensor *y = orr_forward_at(AT, m, x);
    orr__node *in[ORR__AGAIN_MOST], *value = orr__handle_node(y);
    if (orr_tensor_status(y) != ORR_OK || !value)
        return orr__compose_end(at, scope, y);
    in[0] = n;
    for (int i = 0; i < np; i++)
        if (!(in[1 + i] = orr__handle_node(p[i].variable)))
            return orr__compose_end(at, scope, orr__poison(at, ORR_EHANDLE, "parameter %s is gone", p[i].name));
    in[1 + np] = value;
    orr__node *r = orr__node_new(at, &orr__op_recompute, (orr_dtype)value->dtype, &value->shape, np + 2, in);
    if (r) {
        r->nscalar = 3;
        r->s[ORR__AGAIN_WHAT].u = (uint64_t)(uintptr_t)m;
        r->s[ORR__AGAIN_SEED].u = now[0];
        r->s[ORR__AGAIN_STREAM].u = now[1];
    }
    return orr__compose_end(at, scope, orr__handle_new(r));
}
