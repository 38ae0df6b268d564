/* Layers of normalisation, dropout and embedding: parameters, running statistics and modes.
 * Must not know: other layers. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/layer.h>
#include <orrery/norm.h>
#include <orrery/ops.h>
#include <orrery/random.h>
#include <orrery/sequence.h>
#include "ops/nn/again.h"
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/shape.h"

#define AT at.file, at.line

static orr_tensor *weight(const orr_module *m)
{
    return m->nparam > 0 ? m->param[0] : NULL;
}

static orr_tensor *bias(const orr_module *m)
{
    return m->nparam > 1 ? m->param[1] : NULL;
}

static orr_tensor *layer_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_layer_norm_at(file, line, x, (int)m->whole[0], weight(m), bias(m), m->real[0]);
}

static orr_tensor *rms_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_rms_norm_at(file, line, x, (int)m->whole[0], weight(m), m->real[0]);
}

static orr_tensor *group_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_group_norm_at(file, line, x, m->whole[0], weight(m), bias(m), m->real[0]);
}

/* Assigns old + momentum·(new − old) to old; computed by the next evaluation. */
static orr_status move(orr__site at, orr_tensor *old, orr_tensor *new, double momentum)
{
    new = orr_cast_at(AT, new, orr_tensor_dtype(old));
    return orr_assign_at(AT, old, orr_fma_at(AT, orr_sub_at(AT, new, old), orr_scalar_at(AT, momentum), old));
}

static orr_tensor *batch_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "batch_norm");
    if (!m->training && !m->nstate)
        return orr__poison(at, ORR_EINVAL,
                           "there are no statistics of the layer for inference: make it without no_statistics of "
                           "orr_norm_options, or normalise by the batch after orr_module_train(m, true)");
    if (!m->training)
        return orr_batch_norm_at(AT, x, m->state[0], m->state[1], weight(m), bias(m), m->real[0]);
    orr_scope *s = orr_scope_begin();
    orr_tensor *mean, *var, *y;
    y = orr_batch_norm_training_at(AT, x, weight(m), bias(m), m->real[0], m->nstate ? &mean : NULL,
                                   m->nstate ? &var : NULL);
    if (m->nstate && orr_tensor_status(y) == ORR_OK && !orr__module_recomputes())
        (void)(move(at, m->state[0], mean, m->real[1]) == ORR_OK && move(at, m->state[1], var, m->real[1]) == ORR_OK);
    y = orr_scope_return_at(AT, s, y);
    (void)orr_scope_end(s);
    return y;
}

bool orr__module_is_batch_norm(const orr_module *m)
{
    return m->forward == batch_forward;
}

static orr_tensor *response_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    const double *alpha_beta_k = m->user;
    return orr_local_response_norm_at(file, line, x, m->whole[0], alpha_beta_k[0], alpha_beta_k[1], alpha_beta_k[2]);
}

static orr_tensor *dropout_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_dropout_at(file, line, x, m->training ? m->real[0] : 0.0);
}

static orr_tensor *embedding_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_embedding_at(file, line, m->param[0], x, m->whole[0]);
}

/* -- making them ------------------------------------------------------------------------------------------- */

/* A layer with eps and momentum, a weight and, if `biased`, a bias of `shape`. */
static orr_module *norm(orr__site at, const char *kind, orr__forward *forward, orr_shape shape, bool biased,
                        const orr_norm_options *options)
{
    orr_norm_options o = options ? *options : (orr_norm_options){ 0 };
    if (!orr__shape_valid(&shape) || shape.rank < 1 || orr__shape_count(&shape) < 1) {
        (void)orr__fail(at, ORR_ESHAPE, "sizes must be at least 1, not %s", orr__str(shape).s);
        return NULL;
    }
    if (!(o.eps >= 0.0) || !isfinite(o.eps) || !(o.momentum >= 0.0 && o.momentum <= 1.0)) {
        (void)orr__fail(at, ORR_EINVAL, "eps %g must be ≥ 0, and momentum %g in [0, 1]", o.eps, o.momentum);
        return NULL;
    }
    orr_module *m = orr__module_of(kind, forward, NULL, 1, 1);
    orr_scope *s = m ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : ORR_ENOMEM;
    if (m) {
        m->real[0] = o.eps > 0.0 ? o.eps : 1e-5;
        m->real[1] = o.momentum > 0.0 ? o.momentum : 0.1;
    }
    if (st == ORR_OK && !o.plain)
        st = orr__module_add(at, m, "weight", orr_ones_at(AT, ORR_F32, shape));
    if (st == ORR_OK && !o.plain && biased)
        st = orr__module_add(at, m, "bias", orr_zeros_at(AT, ORR_F32, shape));
    if (s)
        (void)orr_scope_end(s);
    return orr__module_end(m, st);
}

orr_module *orr_layer_norm_layer_at(const char *file, int line, orr_shape shape, const orr_norm_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_module *m = norm(ORR__SITE(file, line, "layer_norm_layer"), "layer_norm", layer_forward, shape, true, options);
    if (m) {
        m->whole[0] = shape.rank;
        m->apart = shape.rank == 1; /* more axes may have the places among them */
    }
    return m;
}

orr_module *orr_rms_norm_layer_at(const char *file, int line, orr_shape shape, const orr_norm_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_module *m = norm(ORR__SITE(file, line, "rms_norm_layer"), "rms_norm", rms_forward, shape, false, options);
    if (m) {
        m->whole[0] = shape.rank;
        m->apart = shape.rank == 1; /* more axes may have the places among them */
    }
    return m;
}

orr_module *orr_group_norm_layer_at(const char *file, int line, int64_t channels, int64_t groups,
                                    const orr_norm_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "group_norm_layer");
    if (groups < 1 || channels % groups != 0) {
        (void)orr__fail(at, ORR_ESHAPE, "%lld groups do not divide %lld channels", (long long)groups,
                        (long long)channels);
        return NULL;
    }
    orr_module *m = norm(at, "group_norm", group_forward, ORR_SHAPE(channels), true, options);
    if (m)
        m->whole[0] = groups;
    return m;
}

orr_module *orr_instance_norm_layer_at(const char *file, int line, int64_t channels, const orr_norm_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_module *m = norm(ORR__SITE(file, line, "instance_norm_layer"), "instance_norm", group_forward,
                         ORR_SHAPE(channels), true, options);
    if (m)
        m->whole[0] = channels;
    return m;
}

orr_module *orr_local_response_norm_layer_at(const char *file, int line, int64_t size, double alpha, double beta,
                                             double k)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "local_response_norm_layer");
    if (size < 1 || !isfinite(alpha) || !isfinite(beta) || !isfinite(k)) {
        (void)orr__fail(at, ORR_EINVAL, "size %lld must be at least 1, and alpha %g, beta %g and k %g finite",
                        (long long)size, alpha, beta, k);
        return NULL;
    }
    double *numbers = orr__alloc_n(3, sizeof *numbers);
    orr_module *m = numbers ? orr__module_of("local_response_norm", response_forward, NULL, 1, 1) : NULL;
    if (!m) {
        free(numbers);
        return NULL;
    }
    numbers[0] = alpha;
    numbers[1] = beta;
    numbers[2] = k;
    m->whole[0] = size;
    m->user = numbers;
    m->release = free;
    return m;
}

orr_module *orr_batch_norm_layer_at(const char *file, int line, int64_t channels, const orr_norm_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "batch_norm_layer");
    orr_module *m = norm(at, "batch_norm", batch_forward, ORR_SHAPE(channels), true, options);
    if (!m || (options && options->no_statistics))
        return m;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr__module_add_state(at, m, "running_mean", orr_zeros_at(AT, ORR_F32, ORR_SHAPE(channels)));
    if (st == ORR_OK)
        st = orr__module_add_state(at, m, "running_var", orr_ones_at(AT, ORR_F32, ORR_SHAPE(channels)));
    if (s)
        (void)orr_scope_end(s);
    return orr__module_end(m, st);
}

orr_module *orr_dropout_layer_at(const char *file, int line, double p)
{
    ORR__IN_DEFAULT_FPMODE;
    if (!(p >= 0.0 && p <= 1.0)) {
        (void)orr__fail(ORR__SITE(file, line, "dropout_layer"), ORR_EINVAL, "%g is no probability", p);
        return NULL;
    }
    orr_module *m = orr__module_of("dropout", dropout_forward, NULL, 1, 1);
    if (m) {
        m->real[0] = p;
        m->apart = true;
    }
    return m;
}

orr_module *orr_embedding_layer_at(const char *file, int line, int64_t rows, int64_t width, int64_t padding)
{
    orr__site at = ORR__SITE(file, line, "embedding_layer");
    if (rows < 1 || width < 1 || padding < -1 || padding >= rows) {
        (void)orr__fail(at, ORR_ESHAPE, "rows %lld and width %lld must be at least 1, and padding %lld a row or -1",
                        (long long)rows, (long long)width, (long long)padding);
        return NULL;
    }
    orr_module *m = orr__module_of("embedding", embedding_forward, NULL, 1, 1);
    orr_scope *s = m ? orr_scope_begin() : NULL;
    if (!s)
        return orr__module_end(m, ORR_ENOMEM);
    m->whole[0] = padding;
    m->apart = true;
    orr_tensor *table = orr_randn_at(AT, ORR_F32, ORR_SHAPE(rows, width), 0.0, 1.0);
    if (padding >= 0) {
        orr_tensor *row = orr_arange_at(AT, ORR_F64, 0, (double)rows, 1);
        orr_tensor *pads = orr_equal_at(AT, row, orr_scalar_at(AT, (double)padding));
        table = orr_where_at(AT, orr_expand_dims_at(AT, pads, 1), orr_scalar_at(AT, 0), table);
    }
    orr_status st = orr__module_add(at, m, "weight", table);
    (void)orr_scope_end(s);
    return orr__module_end(m, st);
}
