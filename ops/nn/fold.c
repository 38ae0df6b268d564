/* orr_module_fold: batch normalisation with fixed statistics, multiplied into the convolution before it.
 * Must not know: how an op computes. */
#include "config.h"

#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/nn/module.h"
#include "runtime/base/shape.h"

#define AT at.file, at.line

static orr_tensor *identity_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    (void)m;
    return orr_reshape_at(file, line, x, orr_tensor_shape(x));
}

/* Turns m into the identity and frees its variables. The part keeps its place, so that the names of other parts
 * stay. */
static void become_identity(orr_module *m)
{
    for (int i = 0; i < m->nparam; i++)
        orr__nn_drop(m->param[i]);
    for (int i = 0; i < m->nstate; i++)
        orr__nn_drop(m->state[i]);
    m->nparam = m->nstate = 0;
    m->forward = identity_forward;
    m->kind = "identity";
    m->apart = true;
}

static orr_tensor *wide(orr__site at, const orr_module *m, int param, double otherwise)
{
    return param < m->nparam ? orr_cast_at(AT, m->param[param], ORR_F64) : orr_scalar_at(AT, otherwise);
}

/* conv(x)·s + t with s = weight/√(var + eps), t = bias − mean·s, as a convolution; computed in f64. */
static orr_status fold_pair(orr__site at, orr_module *conv, orr_module *norm)
{
    orr_scope *scope = orr_scope_begin();
    orr_tensor *w = conv->param[0];
    orr_shape by_channel = { orr_tensor_shape(w).rank, { orr_tensor_shape(w).dim[0], 1, 1, 1, 1, 1, 1, 1 } };
    orr_tensor *var = orr_cast_at(AT, norm->state[1], ORR_F64), *mean = orr_cast_at(AT, norm->state[0], ORR_F64);
    orr_tensor *s =
        orr_mul_at(AT, wide(at, norm, 0, 1.0), orr_rsqrt_at(AT, orr_add_at(AT, var, orr_scalar_at(AT, norm->real[0]))));
    orr_tensor *t = orr_mul_at(AT, orr_sub_at(AT, wide(at, conv, 1, 0.0), mean), s);
    t = orr_cast_at(AT, orr_add_at(AT, t, wide(at, norm, 1, 0.0)), ORR_F32);
    orr_tensor *folded = orr_mul_at(AT, orr_cast_at(AT, w, ORR_F64), orr_reshape_at(AT, s, by_channel));
    folded = orr_cast_at(AT, folded, ORR_F32);
    orr_status st = orr_eval_all_at(AT, ORR_TENSORS(folded, t));
    if (st == ORR_OK)
        st = conv->nparam > 1 ? orr_assign_at(AT, conv->param[1], t) : orr__module_add(at, conv, "bias", t);
    if (st == ORR_OK)
        st = orr_assign_at(AT, w, folded);
    if (st == ORR_OK)
        become_identity(norm);
    (void)orr_scope_end(scope);
    return st;
}

/* *last: the convolution whose result is the input of m, into which m may be folded; NULL: none. On return the same
 * for the layer after m. */
static orr_status fold(orr__site at, orr_module *m, orr_module **last)
{
    orr_status st = ORR_OK;
    orr_module *before = *last;
    *last = NULL;
    if (orr__module_is_sequence(m)) {
        for (int i = 0; st == ORR_OK && i < m->npart; i++) {
            st = fold(at, m->part[i], &before);
            *last = before;
        }
        return st;
    }
    for (int i = 0; st == ORR_OK && i < m->npart; i++) {
        orr_module *none = NULL; /* other compositions may apply their parts in any way */
        st = fold(at, m->part[i], &none);
    }
    if (st == ORR_OK && orr__module_conv(m) && m->activation == ORR_ACTIVATION_LINEAR)
        *last = m;
    if (st == ORR_OK && before && orr__module_is_batch_norm(m) &&
        orr_tensor_size(m->state[0]) == orr_tensor_shape(before->param[0]).dim[0]) {
        st = fold_pair(at, before, m);
        *last = before; /* another normalisation may follow */
    }
    return st;
}

static orr_status check(orr__site at, const orr_module *m)
{
    orr_status st = ORR_OK;
    if (orr__module_is_batch_norm(m) && m->nstate == 0)
        return orr__fail(at, ORR_EINVAL, "a batch normalisation of the module keeps no statistics");
    for (int i = 0; st == ORR_OK && i < m->npart; i++)
        st = check(at, m->part[i]);
    return st;
}

orr_status orr_module_fold_at(const char *file, int line, orr_module *m)
{
    orr__site at = ORR__SITE(file, line, "module_fold");
    orr_module *last = NULL;
    orr_status st = orr__module_check(at, m);
    if (st == ORR_OK)
        st = check(at, m);
    if (st != ORR_OK)
        return st;
    orr_module_train(m, false);
    return fold(at, m, &last);
}
