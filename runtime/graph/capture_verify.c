/* The rules that every capture keeps, checked before anything is planned.
 * Must not know: how it is computed. */
#include "config.h"

#include <string.h>
#include "runtime/graph/capture.h"

/* The most operands that an operation's `verify` sees; further ones are not passed. */
enum { SEEN = 8 };

/* True if the node has an attribute that its operation's row does not name: it would be in no key. */
static bool undescribed(const orr__node *n)
{
    orr__attr rest = n->attr;
#define ATTR(bit, type, field, length)                                                                                 \
    if (n->op->attrs & ORR__ATTR_##bit)                                                                                \
        memset(&rest.field, 0, sizeof rest.field);
    ORR__ATTRS(ATTR)
#undef ATTR
    static const orr__attr none;
    return memcmp(&rest, &none, sizeof rest) != 0;
}

/* The rule that node i breaks, or NULL. */
static const char *check(const orr__capture *p, int i, int nin)
{
    const orr__node *n = p->node[i], *few[SEEN];
    if (p->leaf_of[i] >= 0)
        return nin ? "a leaf with inputs" : NULL;
    if (n->op->role != ORR__ROLE_COMPUTED)
        return "a node that an evaluation cannot compute";
    if (undescribed(n))
        return "an attribute that its operation does not describe";
    if (n->op->arity >= 0 ? nin != n->op->arity : nin < 1)
        return "wrong number of inputs";
    for (int k = 0; k < nin && k < SEEN; k++)
        few[k] = p->node[p->arg[p->arg0[i] + k]];
    for (int k = 0; k < nin && n->op->pattern == ORR__PATTERN_ELEMENT && !(n->op->flags & ORR__OP_SEVERAL); k++)
        if (!orr__shape_equal(&p->node[p->arg[p->arg0[i] + k]]->shape, &n->shape))
            return "operands differ in shape";
    return n->op->verify ? n->op->verify(n, few, nin < SEEN ? nin : SEEN) : NULL;
}

orr_status orr__capture_verify(const orr__capture *p)
{
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        int nin = orr__capture_nin(p, i);
        orr__site at = ORR__SITE(n->file, n->line, n->op->name);
        for (int k = 0; k < nin; k++)
            if (p->arg[p->arg0[i] + k] < 0 || p->arg[p->arg0[i] + k] >= i)
                return orr__fail(at, ORR_EINTERNAL, "node %d uses node %d before it", i, p->arg[p->arg0[i] + k]);
        const char *why = orr__shape_valid(&n->shape) ? check(p, i, nin) : "an invalid shape";
        if (why)
            return orr__fail(at, ORR_EINTERNAL, "node %d: %s", i, why);
    }
    return ORR_OK;
}
