/* C loops whose functions have a near form (codelets/cpu/vmath_near.h). A block is computed by it, and again by the
 * form for all arguments if one argument was large.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

bool orr__cloop_has_near(const orr__cloop *c)
{
    bool any = false;
    int inner = c->r->rank - (c->side >= 0 ? 2 : 1); /* rows side by side also have loops over row values */
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || (c->at[n] >= inner && orr__emit_near(&c->r->instr[n]));
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
