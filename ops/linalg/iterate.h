/* Shared by the iterations: settings, calls of the program's operator.
 * Must not know: any single iteration. */
#ifndef ORR_OPS_ITERATE_H
#define ORR_OPS_ITERATE_H

#include <float.h>
#include <math.h>
#include "ops/linalg/linalg.h"

/* The settings with defaults for zeros; ORR_EINVAL for wrong ones. */
static inline orr_status orr__iteration_settings(orr__site at, const orr_iteration_options *given, orr_dtype t,
                                                 int most, orr_iteration_options *o)
{
    *o = given ? *given : (orr_iteration_options){ 0 };
    if (!(o->tolerance >= 0) || o->most < 0)
        return orr__fail(at, ORR_EINVAL, "tolerance %g and most %d must be ≥ 0", o->tolerance, o->most);
    o->tolerance = o->tolerance > 0 ? o->tolerance : sqrt(t == ORR_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
    o->most = o->most ? o->most : most;
    return ORR_OK;
}

/* f(x), which must have the shape and dtype of x; else poison. f NULL: x. */
static inline orr_tensor *orr__operator(orr__site at, orr_linear_fn *f, void *user, orr_tensor *x)
{
    if (!f)
        return x;
    orr_tensor *y = f(x, user);
    orr_shape sx = orr_tensor_shape(x), sy = orr_tensor_shape(y);
    if (!y)
        return orr__poison(at, ORR_EINVAL, "the operator returned NULL");
    if (orr_tensor_status(y) != ORR_OK || orr_tensor_status(x) != ORR_OK)
        return y;
    if (!orr__shape_equal(&sx, &sy) || orr_tensor_dtype(x) != orr_tensor_dtype(y))
        return orr__poison(at, ORR_ESHAPE, "the operator made %s of %s from %s of %s", orr__str(sy).s,
                           orr_dtype_name(orr_tensor_dtype(y)), orr__str(sx).s, orr_dtype_name(orr_tensor_dtype(x)));
    return y;
}

/* Checks an operand of f32 or f64. */
static inline bool orr__iterates(orr__site at, const orr_tensor *t, const char *name, orr__node **n, orr_tensor **bad)
{
    if (!orr__operand(at, t, name, n, bad))
        return false;
    if ((*n)->dtype == ORR_F32 || (*n)->dtype == ORR_F64)
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and f32 or f64 is needed: write orr_cast", name,
                       orr_dtype_name((orr_dtype)(*n)->dtype));
    return false;
}

#endif
