/* Clipping gradients by their global norm.
 * Must not know: optimisers. */
#include "config.h"
#include <math.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include <orrery/optim.h>
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"
#include "runtime/graph/node.h"

/* Σ g² over all gradients; halves in f32, since their squares would overflow f16. */
static orr_tensor *sum_of_squares(const char *file, int line, orr_tensor *const *grads, int n)
{
    orr_tensor *sum = NULL;
    for (int i = 0; i < n; i++) {
        orr_tensor *g = grads[i];
        orr_dtype dtype = orr_tensor_dtype(g);
        if (dtype != ORR_DTYPE_COUNT && orr__is_half(dtype))
            g = orr_cast_at(file, line, g, ORR_F32);
        orr_tensor *s = orr_sum_at(file, line, orr_square_at(file, line, g), ORR_ALL_AXES, false);
        sum = sum ? orr_add_at(file, line, sum, s) : s;
    }
    return sum;
}

orr_tensor *orr_clip_grad_norm_at(const char *file, int line, orr_tensor **grads, int n, double max_norm)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "clip_grad_norm");
    if (!grads || n < 1)
        return orr__poison(at, ORR_EINVAL, "there are no gradients");
    if (isnan(max_norm) || max_norm < 0.0)
        return orr__poison(at, ORR_EINVAL, "max_norm must be ≥ 0, not %g", max_norm);
    for (int i = 0; i < n; i++) {
        orr_dtype dtype = orr_tensor_dtype(grads[i]);
        if (dtype != ORR_DTYPE_COUNT && !orr__is_float(dtype))
            return orr__poison(at, ORR_EDTYPE, "gradient %d must be float, not %s", i, orr_dtype_name(dtype));
    }
    orr_tensor *norm = orr_sqrt_at(file, line, sum_of_squares(file, line, grads, n));
    if (orr_tensor_status(norm) != ORR_OK)
        return norm;
    orr_tensor *most = orr_scalar_at(file, line, max_norm), *one = orr_scalar_at(file, line, 1.0);
    orr_tensor *factor = orr_div_at(file, line, most, orr_add_at(file, line, norm, orr_scalar_at(file, line, 1e-6)));
    factor = orr_minimum_at(file, line, factor, one);
    for (int i = 0; i < n; i++) {
        orr_dtype dtype = orr_tensor_dtype(grads[i]);
        orr_tensor *g = orr_mul_at(file, line, grads[i], factor);
        grads[i] = orr_tensor_dtype(g) == dtype ? g : orr_cast_at(file, line, g, dtype);
    }
    return norm;
}
