/* C loops whose functions have a near form (codelets/cpu/vmath_near.h). A block is computed by it, and again by the
 * form for all arguments if one argument was large.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include <string.h>
#include "codelets/nest/internal.h"
#include "ops/ops.h"
#include "runtime/base/ablation.h"

/* Table formulas that have a near form, and its name. */
static const char *const forms[][2] = { { "sin(x)", "sin" }, { "cos(x)", "cos" } };

const char *orr__emit_near(const orr__region *r, const orr__rinstr *in)
{
    if (in->kind != ORR__RI_EW || !orr__is_float((orr_dtype)in->dtype))
        return NULL;
    const char *value = orr__ew_value(orr__ew(in->op), orr__emit_operand(r, in));
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (!strcmp(value, forms[k][0]))
            return forms[k][1];
    return NULL;
}

bool orr__cloop_has_near(const orr__cloop *c)
{
    bool any = false;
    int inner = c->r->rank - (c->side >= 0 ? 2 : 1); /* rows side by side also have loops over row values */
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || (c->at[n] >= inner && orr__emit_near(c->r, &c->r->instr[n]));
    return any && !orr__ablated(ORR__OFF_NEAR);
}

static bool be_near(orr__part *part, void *unused)
{
    (void)unused;
    part->around.near = true;
    return true;
}

void orr__cloop_sure(const orr__cloop *c, orr__part **mark)
{
    orr__nest *n = c->n;
    if (!orr__cloop_has_near(c))
        return;
    orr__part *list = orr__nest_take(n, mark), *near = orr__nest_clone(n, list);
    orr__nest_each(&near, be_near, NULL);
    orr__nest_block(n);
    orr__nest_set(n, "int far = 0");
    orr__nest_block(n);
    orr__nest_put(n, near);
    orr__nest_close(n, 1);
    (void)orr__nest_if(n, "far");
    orr__nest_put(n, list);
    orr__nest_close(n, 2);
}
