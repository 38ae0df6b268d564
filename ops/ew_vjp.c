/* Cotangents of element-wise rows: their derivative expressions, parsed once, recorded as nodes.
 * Must not know: the walk over the graph that calls this. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "ops/ew_id.h"
#include "ops/expr.h"
#include "ops/ops.h"

/* Published once, never freed: there is one entry per derivative of the table. */
static _Atomic(const orr__expr *) cache[2][ORR__EW_END - ORR__OP_EW][3];

/* `own`: the derivative for complex operands, where that differs from the one for floats. */
static const orr__expr *derivative(orr__site at, const orr__ewrow *row, int operand, bool own)
{
    const char *text = own ? row->cderiv[operand] : row->deriv[operand];
    _Atomic(const orr__expr *) *slot = &cache[own][row->op.id - ORR__OP_EW][operand];
    const orr__expr *known = atomic_load_explicit(slot, memory_order_acquire);
    if (known)
        return known;
    char message[160];
    orr__expr *e = orr__alloc(sizeof *e);
    if (!e)
        return NULL;
    if (orr__expr_parse(text, e, message, sizeof message) != ORR_OK) {
        (void)orr__fail(at, ORR_EINTERNAL, "derivative %d of %s: %s", operand, row->op.name, message);
        free(e);
        return NULL;
    }
    e = orr__expr_shrink(e);
    if (atomic_compare_exchange_strong_explicit(slot, &known, e, memory_order_acq_rel, memory_order_acquire))
        return e;
    free(e); /* another thread was first */
    return known;
}

orr_tensor *orr__ew_vjp(orr__site at, const orr__ewrow *row, int operand, orr_tensor *x, orr_tensor *y, orr_tensor *z,
                        orr_tensor *r, orr_tensor *g)
{
    if (operand < 0 || operand >= row->arity)
        return NULL;
    bool own = orr__is_complex(orr_tensor_dtype(row->cond ? y : x)) && strcmp(row->cderiv[operand], "=") != 0;
    const char *text = own ? row->cderiv[operand] : row->deriv[operand];
    if (!text || !text[0])
        return NULL;
    const orr__expr *e = derivative(at, row, operand, own);
    return e ? orr__expr_record(at, e, x, y, z, r, g) : orr__handle_new(NULL);
}
