/* Moving averages of a module's parameters.
 * Must not know: optimisers, layers. */
#include "config.h"

#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include <orrery/train.h>
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line

struct orr_average {
    double decay;
    int n;
    orr_tensor **parameter, **average; /* borrowed; own variables */
};

static const orr__object_kind kind = { "average", sizeof(orr_average) };

orr_average *orr_average_new_at(const char *file, int line, const orr_module *m, double decay)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "average_new");
    if (orr__module_check(at, m) != ORR_OK)
        return NULL;
    if (!(decay >= 0.0 && decay < 1.0)) {
        (void)orr__fail(at, ORR_EINVAL, "decay %g must be in [0, 1)", decay);
        return NULL;
    }
    int n = orr_module_parameters(m, NULL, 0);
    orr_average *a = orr__object_new(&kind);
    orr_parameter *p = orr__alloc_n((size_t)n + 1, sizeof *p);
    orr_scope *s = a && p ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        a->decay = decay;
        a->parameter = orr__alloc_n((size_t)n + 1, sizeof *a->parameter);
        a->average = orr__alloc_n((size_t)n + 1, sizeof *a->average);
        st = a->parameter && a->average ? ORR_OK : ORR_ENOMEM;
        (void)orr_module_parameters(m, p, n);
    }
    for (int i = 0; st == ORR_OK && i < n; i++) {
        orr_dtype wide = orr__compute_dtype(orr_tensor_dtype(p[i].variable));
        a->parameter[i] = p[i].variable;
        a->average[i] = orr__nn_variable(at, orr_cast_at(AT, p[i].variable, wide));
        st = a->average[i] ? ORR_OK : orr_error_status();
        a->n += st == ORR_OK;
    }
    if (s)
        (void)orr_scope_end(s);
    free(p);
    if (st == ORR_OK)
        return a;
    orr_average_free(a);
    return NULL;
}

void orr_average_free(orr_average *a)
{
    if (!orr__object_there("average_free", &kind, a))
        return;
    for (int i = 0; i < a->n; i++)
        orr__nn_drop(a->average[i]);
    free(a->parameter);
    free(a->average);
    orr__object_end(&kind, a);
}

/* Updates all averages, or exchanges averages and parameters. */
static orr_status assign(orr__site at, orr_average *a, bool swap)
{
    orr_status there = orr__object_check(at, &kind, a);
    if (there != ORR_OK)
        return there;
    orr_tensor **v = orr__alloc_n(4 * (size_t)a->n + 1, sizeof *v), **t = v ? v + 2 * a->n : NULL;
    orr_scope *s = v ? orr_scope_begin() : NULL;
    int n = 0;
    for (int i = 0; s && i < a->n; i++) {
        orr_tensor *p = a->parameter[i], *old = a->average[i];
        orr_dtype narrow = orr_tensor_dtype(p), wide = orr_tensor_dtype(old);
        orr_tensor *now = orr_cast_at(AT, p, wide);
        v[n] = old;
        t[n++] = swap ? now : orr_fma_at(AT, orr_sub_at(AT, now, old), orr_scalar_at(AT, 1.0 - a->decay), old);
        if (swap) {
            v[n] = p;
            t[n++] = orr_cast_at(AT, old, narrow);
        }
    }
    orr_status st = s ? orr_assign_all_at(AT, v, t, n) : ORR_ENOMEM;
    if (s)
        (void)orr_scope_end(s);
    free(v);
    return st;
}

orr_status orr_average_update_at(const char *file, int line, orr_average *a)
{
    return assign(ORR__SITE(file, line, "average_update"), a, false);
}

orr_status orr_average_swap_at(const char *file, int line, orr_average *a)
{
    return assign(ORR__SITE(file, line, "average_swap"), a, true);
}
