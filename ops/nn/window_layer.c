/* Layers of convolution, pooling, resizing, and flattening of images to rows.
 * Must not know: other layers. */
#include "config.h"

#include <math.h>
#include <orrery/conv.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include <stdlib.h>
#include <string.h>
#include "ops/nn/module.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"

typedef orr_tensor *convolution(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_tensor *bias,
                                const orr_conv_options *o);

static orr_tensor *convolve(convolution *f, const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr_scope *s = m->activation != ORR_ACTIVATION_LINEAR ? orr_scope_begin() : NULL;
    orr_tensor *y = f(file, line, x, m->param[0], m->nparam > 1 ? m->param[1] : NULL, m->user);
    if (f == orr_conv_at)
        orr__module_seen(m, x, y);
    if (m->activation != ORR_ACTIVATION_LINEAR)
        y = orr_activate_at(file, line, y, m->activation);
    if (s) {
        y = orr_scope_return(s, y);
        (void)orr_scope_end(s);
    }
    return y;
}
static orr_tensor *conv_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return convolve(orr_conv_at, file, line, m, x);
}
static orr_tensor *conv_transpose_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return convolve(orr_conv_transpose_at, file, line, m, x);
}
const orr_conv_options *orr__module_conv(const orr_module *m)
{
    return m->forward == conv_forward ? m->user : NULL;
}
static orr_tensor *max_pool_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_max_pool_at(file, line, x, m->user);
}
static orr_tensor *average_pool_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_average_pool_at(file, line, x, m->user);
}
static orr_tensor *lp_pool_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_lp_pool_at(file, line, x, m->real[0], m->user);
}
static orr_tensor *resize_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    const orr_shape *size = m->user;
    return orr_resize_at(file, line, x, *size, (orr_resize_mode)m->whole[0], m->whole[1] != 0);
}
static orr_tensor *unpool_forward(orr__site at, const orr_module *m, orr_tensor *const *x, int n)
{
    const orr_shape *size = m->user;
    (void)n;
    return orr_max_unpool_at(at.file, at.line, x[0], x[1], *size);
}
static orr_tensor *flatten_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    int64_t n = 1;
    (void)m;
    for (int d = 1; d < s.rank; d++)
        n *= s.dim[d];
    return orr_reshape_at(file, line, x, s.rank < 2 ? s : ORR_SHAPE(s.dim[0], n));
}

/* A layer with a copy of its options. It has one input, or two if `forward` is NULL. */
static orr_module *layer(orr__site at, const char *kind, orr__forward *forward, orr__forward_many *both,
                         const void *options, size_t size)
{
    int inputs = forward ? 1 : 2;
    void *copy = malloc(size);
    orr_module *m = copy ? orr__module_of(kind, forward, both, inputs, inputs) : NULL;
    if (!m) {
        free(copy);
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a layer");
        return NULL;
    }
    memcpy(copy, options, size);
    m->user = copy;
    m->release = free;
    return m;
}

/* Options are checked by recording the operation on a large image, so that a mistake is found when the layer is made. Windows and
 * steps for even larger images are checked when the layer is applied. */
enum { LARGE = 1 << 12, STEP = 16 }; /* limit of a format */

static bool fits_large(int64_t window, int64_t stride, int64_t dilation)
{
    return window <= LARGE && stride <= STEP && (window < 1 || dilation < 1 || dilation <= LARGE / window);
}

static orr_status accepts(orr__site at, orr__forward *forward, const orr_conv_options *o, int64_t in, orr_tensor *w,
                          orr_shape kernel)
{
    orr_shape image = { kernel.rank + 2, { 1, in } };
    for (int d = 0; d < kernel.rank; d++) {
        if (!fits_large(kernel.dim[d], o->stride[d], o->dilation[d]))
            return ORR_OK;
        image.dim[2 + d] = LARGE;
    }
    orr_tensor *x = orr_zeros_at(at.file, at.line, ORR_F32, image);
    return orr__nn_check(
        at, (forward == conv_forward ? orr_conv_at : orr_conv_transpose_at)(at.file, at.line, x, w, NULL, o));
}

static orr_status check(orr__site at, int64_t in, int64_t out, orr_shape kernel, int64_t groups, orr_activation f)
{
    bool empty = false;
    for (int d = 0; d < kernel.rank && d < ORR_MAX_RANK; d++)
        empty = empty || kernel.dim[d] < 1;
    if (in < 1 || out < 1 || groups < 1 || in % groups || out % groups)
        return orr__fail(
            at, ORR_ESHAPE,
            "%lld to %lld channels in %lld group%s: all are at least 1, and the groups divide the channels",
            (long long)in, (long long)out, (long long)groups, groups == 1 ? "" : "s");
    if (kernel.rank < 1 || kernel.rank > 3 || empty)
        return orr__fail(at, ORR_ESHAPE, "a kernel of %d axes: one, two or three of at least 1 element are needed",
                         kernel.rank);
    if ((int)f < ORR_ACTIVATION_LINEAR || f > ORR_ACTIVATION_LOG_SOFTMAX)
        return orr__fail(at, ORR_EINVAL, "no activation has number %d", (int)f);
    return ORR_OK;
}

/* Fills the shape (kernel…, in, out), whose fans the initialiser uses, and permutes the channels to the front. */
static orr_tensor *filled(orr__site at, orr_initialiser how, orr_shape kernel, int64_t first, int64_t second)
{
    orr_shape s = { kernel.rank + 2, { 0 } };
    orr_axes perm = { s.rank, { s.rank - 1, s.rank - 2 } };
    memcpy(s.dim, kernel.dim, (size_t)kernel.rank * sizeof *s.dim);
    s.dim[kernel.rank] = second;
    s.dim[kernel.rank + 1] = first;
    for (int d = 0; d < kernel.rank; d++)
        perm.axis[2 + d] = d;
    return orr_permute_at(at.file, at.line, orr_initialiser_apply_at(at.file, at.line, how, ORR_F32, s), perm);
}

static orr_module *conv_layer(orr__site at, const char *kind, orr__forward *forward, int64_t in, int64_t out,
                              orr_shape kernel, const orr_conv_options *o, orr_activation f, orr_initialiser weight,
                              orr_initialiser bias)
{
    static const orr_conv_options none = { .groups = 1 };
    o = o ? o : &none;
    int64_t groups = o->groups ? o->groups : 1, n = 1;
    bool turned = forward == conv_transpose_forward;
    if (check(at, in, out, kernel, groups, f) != ORR_OK)
        return NULL;
    orr_module *m = layer(at, kind, forward, NULL, o, sizeof *o);
    orr_scope *s = m ? orr_scope_begin() : NULL;
    if (!s)
        return orr__module_end(m, ORR_ENOMEM);
    m->activation = f;
    for (int d = 0; d < kernel.rank; d++)
        n *= kernel.dim[d];
    orr_status st =
        orr__module_add(at, m, "weight", filled(at, weight, kernel, turned ? in : out, (turned ? out : in) / groups));
    if (st == ORR_OK)
        st = accepts(at, forward, o, in, m->param[0], kernel);
    if (st == ORR_OK && bias.kind != ORR_INITIALISER_KIND_NONE) {
        ORR__IN_DEFAULT_FPMODE;
        double d = sqrt(1.0 / ((double)n * (double)(turned ? out : in) / (double)groups));
        if (bias.kind == ORR_INITIALISER_KIND_DEFAULT)
            bias = ORR_INITIALISER_UNIFORM(-d, d);
        st = orr__module_add(at, m, "bias", orr_initialiser_apply_at(at.file, at.line, bias, ORR_F32, ORR_SHAPE(out)));
    }
    (void)orr_scope_end(s);
    return orr__module_end(m, st);
}

orr_module *orr_conv_layer_at(const char *file, int line, int64_t in, int64_t out, orr_shape kernel,
                              const orr_conv_options *o, orr_activation f, orr_initialiser weight, orr_initialiser bias)
{
    ORR__IN_DEFAULT_FPMODE;
    return conv_layer(ORR__SITE(file, line, "conv_layer"), "conv", conv_forward, in, out, kernel, o, f, weight, bias);
}

orr_module *orr_conv_transpose_layer_at(const char *file, int line, int64_t in, int64_t out, orr_shape kernel,
                                        const orr_conv_options *o, orr_activation f, orr_initialiser weight,
                                        orr_initialiser bias)
{
    ORR__IN_DEFAULT_FPMODE;
    return conv_layer(ORR__SITE(file, line, "conv_transpose_layer"), "conv_transpose", conv_transpose_forward, in, out,
                      kernel, o, f, weight, bias);
}

static orr_module *pool_layer(orr__site at, const char *kind, orr__forward *forward, const orr_pool_options *o)
{
    orr_shape image = { 2, { 1, 1 } };
    if (!o) {
        (void)orr__fail(at, ORR_EINVAL, "the options are NULL: a window or a size is needed");
        return NULL;
    }
    bool usual = true;
    for (int d = 0; d < 3 && (o->window[d] || o->size[d]); d++) {
        image.dim[image.rank++] = LARGE;
        usual = usual && fits_large(o->window[d], o->stride[d], o->dilation[d]);
    }
    if (image.rank == 2) {
        (void)orr__fail(at, ORR_EINVAL,
                        "the options have no window and no size: a length for each spatial axis is needed");
        return NULL;
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_zeros_at(at.file, at.line, ORR_F32, image);
    orr_status st = !s ? ORR_ENOMEM : usual ? orr__nn_check(at, orr_max_pool_at(at.file, at.line, x, o)) : ORR_OK;
    (void)orr_scope_end(s);
    return st == ORR_OK ? layer(at, kind, forward, NULL, o, sizeof *o) : NULL;
}

orr_module *orr_max_pool_layer_at(const char *file, int line, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    return pool_layer(ORR__SITE(file, line, "max_pool_layer"), "max_pool", max_pool_forward, o);
}

orr_module *orr_average_pool_layer_at(const char *file, int line, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    return pool_layer(ORR__SITE(file, line, "average_pool_layer"), "average_pool", average_pool_forward, o);
}

orr_module *orr_lp_pool_layer_at(const char *file, int line, double p, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "lp_pool_layer");
    if (!(p > 0.0) || !isfinite(p)) {
        (void)orr__fail(at, ORR_EINVAL, "the power %g is not finite and above 0", p);
        return NULL;
    }
    orr_module *m = pool_layer(at, "lp_pool", lp_pool_forward, o);
    if (m)
        m->real[0] = p;
    return m;
}

/* True for the lengths of one to three spatial axes. */
static bool fits(orr__site at, const orr_shape *size)
{
    bool ok = size->rank >= 1 && size->rank <= 3;
    for (int d = 0; ok && d < size->rank; d++)
        ok = size->dim[d] >= 1;
    if (!ok)
        (void)orr__fail(at, ORR_ESHAPE, "a size of %d axes: one, two or three lengths of at least 1 are needed",
                        size->rank);
    return ok;
}

orr_module *orr_max_unpool_layer_at(const char *file, int line, orr_shape size)
{
    orr__site at = ORR__SITE(file, line, "max_unpool_layer");
    return fits(at, &size) ? layer(at, "max_unpool", NULL, unpool_forward, &size, sizeof size) : NULL;
}

orr_module *orr_resize_layer_at(const char *file, int line, orr_shape size, orr_resize_mode mode, bool align_corners)
{
    orr__site at = ORR__SITE(file, line, "resize_layer");
    if ((int)mode < ORR_RESIZE_NEAREST || mode > ORR_RESIZE_NEAREST_CENTRE) {
        (void)orr__fail(at, ORR_EINVAL, "no way of resizing has number %d", (int)mode);
        return NULL;
    }
    orr_module *m = fits(at, &size) ? layer(at, "resize", resize_forward, NULL, &size, sizeof size) : NULL;
    if (m) {
        m->whole[0] = mode;
        m->whole[1] = align_corners;
    }
    return m;
}

orr_module *orr_flatten_layer_at(const char *file, int line)
{
    orr__site at = ORR__SITE(file, line, "flatten_layer");
    orr_module *m = orr__module_of("flatten", flatten_forward, NULL, 1, 1);
    if (!m)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a layer");
    return m;
}
