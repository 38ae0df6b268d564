/* The dense layer: y = f(x·W + b).
 * Must not know: other layers. */
#include "config.h"
#include <math.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include "ops/nn/module.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"

/* x·w of operands in a half dtype, as f32. */
static orr_tensor *product_in(const char *file, int line, orr_dtype half, orr_tensor *x, orr_tensor *w)
{
    orr_tensor *y = orr_matmul_at(file, line, orr_cast_at(file, line, x, half), orr_cast_at(file, line, w, half));
    return orr_cast_at(file, line, y, ORR_F32);
}

/* The intermediate tensors are freed here, so that a training step may compute them in registers. */
static orr_tensor *dense_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr_dtype half = orr__autocast(), own = orr_tensor_dtype(m->param[0]);
    bool half_product = half != ORR_DTYPE_COUNT && own == ORR_F32;
    orr_scope *s = half_product || m->nparam > 1 || m->activation != ORR_ACTIVATION_LINEAR ? orr_scope_begin() : NULL;
    orr_tensor *y =
        half_product ? product_in(file, line, half, x, m->param[0]) : orr_matmul_at(file, line, x, m->param[0]);
    if (m->nparam > 1)
        y = orr_add_at(file, line, y, m->param[1]);
    orr__module_seen(m, x, y);
    if (m->activation != ORR_ACTIVATION_LINEAR)
        y = orr_activate_at(file, line, y, m->activation);
    if (s) {
        y = orr_scope_return(s, y);
        (void)orr_scope_end(s);
    }
    return y;
}

bool orr__module_is_dense(const orr_module *m)
{
    return m->forward == dense_forward;
}

static orr_status check(orr__site at, orr_dtype dtype, int64_t in, int64_t out, orr_activation f)
{
    if (in < 1 || out < 1)
        return orr__fail(at, ORR_ESHAPE, "sizes must be at least 1, not in %lld, out %lld", (long long)in,
                         (long long)out);
    if (dtype < ORR_F16 || dtype > ORR_F64)
        return orr__fail(at, ORR_EDTYPE, "a float dtype is needed, not %s", orr_dtype_name(dtype));
    if ((int)f < ORR_ACTIVATION_LINEAR || f > ORR_ACTIVATION_LOG_SOFTMAX)
        return orr__fail(at, ORR_EINVAL, "no activation has number %d", (int)f);
    return ORR_OK;
}

orr_module *orr_dense_with_at(const char *file, int line, orr_dtype dtype, int64_t in, int64_t out, orr_activation f,
                              orr_initialiser weight, orr_initialiser bias)
{
    orr__site at = ORR__SITE(file, line, "dense");
    if (check(at, dtype, in, out, f) != ORR_OK)
        return NULL;
    orr_module *m = orr__module_of("dense", dense_forward, NULL, 1, 1);
    orr_scope *s = m ? orr_scope_begin() : NULL;
    if (!s) {
        orr_module_free(m);
        return NULL;
    }
    m->activation = f;
    m->apart = true;
    orr_status st =
        orr__module_add(at, m, "weight", orr_initialiser_apply_at(file, line, weight, dtype, ORR_SHAPE(in, out)));
    if (st == ORR_OK && bias.kind != ORR_INITIALISER_KIND_NONE) {
        ORR__IN_DEFAULT_FPMODE;
        double d = sqrt(1.0 / (double)in);
        if (bias.kind == ORR_INITIALISER_KIND_DEFAULT)
            bias = ORR_INITIALISER_UNIFORM(-d, d);
        st = orr__module_add(at, m, "bias", orr_initialiser_apply_at(file, line, bias, dtype, ORR_SHAPE(out)));
    }
    (void)orr_scope_end(s);
    if (st == ORR_OK)
        return m;
    orr_module_free(m);
    return NULL;
}

orr_module *orr_dense_at(const char *file, int line, int64_t in, int64_t out, orr_activation f, orr_initialiser init)
{
    return orr_dense_with_at(file, line, ORR_F32, in, out, f, init, ORR_INITIALISER_DEFAULT);
}
