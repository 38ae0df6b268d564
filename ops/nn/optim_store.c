/* An optimiser's state to and from .npz files.
 * Must not know: the update rules, the file format. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/io.h>
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buf.h"

/* State and, as the last entry, room for the step count. NULL on ENOMEM. */
static orr_parameter *entries(const orr_optim *o, int *n)
{
    *n = orr_optim_state(o, NULL, 0);
    orr_parameter *p = orr__alloc_n((size_t)*n + 1, sizeof *p);
    if (p) {
        (void)orr_optim_state(o, p, *n);
        memcpy(p[*n].name, "steps", sizeof "steps");
    }
    return p;
}

orr_status orr_optim_save_at(const char *file, int line, const orr_optim *o, const char *path)
{
    orr__site at = ORR__SITE(file, line, "optim_save");
    if (!o)
        return orr__fail(at, ORR_EINVAL, "the optimiser is NULL");
    int n;
    orr_parameter *p = entries(o, &n);
    orr_scope *s = p ? orr_scope_begin() : NULL;
    orr_status st = ORR_ENOMEM;
    if (s) {
        p[n].variable = orr_from_at(file, line, ORR_I64, ORR_SCALAR, &o->t);
        st = orr__nn_save(at, p, n + 1, path);
        (void)orr_scope_end(s);
    }
    free(p);
    return st;
}

orr_status orr_optim_load_at(const char *file, int line, orr_optim *o, const char *path)
{
    orr__site at = ORR__SITE(file, line, "optim_load");
    if (!o || !path)
        return orr__fail(at, ORR_EINVAL, "the %s is NULL", o ? "path" : "optimiser");
    int n;
    orr_parameter *p = entries(o, &n);
    orr_scope *s = p ? orr_scope_begin() : NULL;
    orr_status st = ORR_ENOMEM;
    if (s) {
        double steps = 0.0;
        st = orr_item_at(file, line, orr_load_npz_at(file, line, path, "steps"), &steps);
        if (st == ORR_OK && !(steps >= 0.0 && steps <= 9e15 && steps == floor(steps)))
            st = orr__fail(at, ORR_EFORMAT, "%s: steps is %g, not a number of steps", path, steps);
        if (st == ORR_OK)
            st = orr__nn_load(at, p, n, path);
        if (st == ORR_OK)
            o->t = (int64_t)steps;
        (void)orr_scope_end(s);
    }
    free(p);
    return st;
}
