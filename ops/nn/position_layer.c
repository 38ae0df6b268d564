/* The layer that adds positions to a sequence.
 * Must not know: other layers. */
#include "config.h"

#include <orrery/elementwise.h>
#include <orrery/sequence.h>
#include "ops/nn/cache.h"
#include "ops/nn/module.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

static orr_tensor *sinusoidal_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "sinusoidal_layer");
    orr_shape s = orr_tensor_shape(x);
    orr_dtype dtype = orr_tensor_dtype(x);
    int64_t first = orr__cache_place();
    (void)m;
    if (orr__nn_check(at, x) != ORR_OK)
        return orr__handle_new(NULL);
    if (s.rank < 2)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s is not (…, length, width)", orr__str(s).s);
    orr_scope *scope = orr_scope_begin();
    orr_tensor *p = orr_sinusoidal_positions_at(AT, dtype, first > 0 ? first : 0, s.dim[s.rank - 2], s.dim[s.rank - 1]);
    orr_tensor *y = orr_scope_return_at(AT, scope, orr_add_at(AT, x, p));
    (void)orr_scope_end(scope);
    return y;
}

orr_module *orr_sinusoidal_layer_at(const char *file, int line)
{
    (void)file, (void)line;
    orr_module *m = orr__module_of("sinusoidal", sinusoidal_forward, NULL, 1, 1);
    if (m)
        m->apart = true; /* places continue from the cache's length */
    return m;
}
