/* Initialisers: the first values of parameters.
 * Must not know: modules. */
#include "config.h"
#include <math.h>
#include <orrery/nn.h>
#include <orrery/random.h>
#include "ops/record.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"
#include "runtime/graph/node.h"

static void fans(orr_shape s, double *in, double *out)
{
    double field = 1.0;
    for (int i = 0; i + 2 < s.rank; i++)
        field *= (double)s.dim[i];
    *in = s.rank == 0 ? 1.0 : s.rank == 1 ? (double)s.dim[0] : field * (double)s.dim[s.rank - 2];
    *out = s.rank < 2 ? *in : field * (double)s.dim[s.rank - 1];
}

/* Half the width of a uniform distribution, or the deviation of a normal one; 0 for other kinds. */
static double spread(orr_initialiser how, double in, double out)
{
    switch (how.kind) {
    case ORR_INITIALISER_KIND_DEFAULT: return sqrt(1.0 / in);
    case ORR_INITIALISER_KIND_GLOROT_UNIFORM: return how.a * sqrt(6.0 / (in + out));
    case ORR_INITIALISER_KIND_GLOROT_NORMAL: return how.a * sqrt(2.0 / (in + out));
    case ORR_INITIALISER_KIND_HE_UNIFORM: return how.a * sqrt(3.0 / in);
    case ORR_INITIALISER_KIND_HE_NORMAL: return how.a / sqrt(in);
    default: return 0.0;
    }
}

orr_tensor *orr_initialiser_apply_at(const char *file, int line, orr_initialiser how, orr_dtype dtype, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "initialiser_apply");
    if (dtype < ORR_F16 || dtype > ORR_F64)
        return orr__poison(at, ORR_EDTYPE, "a float dtype is needed, not %s", orr_dtype_name(dtype));
    orr_tensor *bad;
    if (!orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!isfinite(how.a) || !isfinite(how.b))
        return orr__poison(at, ORR_EINVAL, "the parameters %g and %g are not both finite", how.a, how.b);
    ORR__IN_DEFAULT_FPMODE;
    double in, out;
    fans(shape, &in, &out);
    double d = spread(how, in, out);
    if (!isfinite(d)) {
        if (orr__shape_count(&shape) == 0)
            return orr_zeros_at(file, line, dtype, shape);
        return orr__poison(at, ORR_ESHAPE, "fan_in of %s is 0", orr__str(shape).s);
    }
    switch (how.kind) {
    case ORR_INITIALISER_KIND_ZEROS: return orr_zeros_at(file, line, dtype, shape);
    case ORR_INITIALISER_KIND_CONSTANT: return orr_full_at(file, line, dtype, shape, how.a);
    case ORR_INITIALISER_KIND_UNIFORM: return orr_rand_at(file, line, dtype, shape, how.a, how.b);
    case ORR_INITIALISER_KIND_NORMAL: return orr_randn_at(file, line, dtype, shape, how.a, how.b);
    case ORR_INITIALISER_KIND_DEFAULT:
    case ORR_INITIALISER_KIND_GLOROT_UNIFORM:
    case ORR_INITIALISER_KIND_HE_UNIFORM: return orr_rand_at(file, line, dtype, shape, -d, d);
    case ORR_INITIALISER_KIND_GLOROT_NORMAL:
    case ORR_INITIALISER_KIND_HE_NORMAL: return orr_randn_at(file, line, dtype, shape, 0.0, d);
    case ORR_INITIALISER_KIND_NONE: break;
    }
    return orr__poison(at, ORR_EINVAL, "no initialiser has number %d (ORR_INITIALISER_NONE is for biases only)",
                       (int)how.kind);
}
