/* An optimiser's state to and from .npz files.
 * Must not know: the update rules, the file format. */
#include "config.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/io.h>
#include <orrery/tensor.h>
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buffer.h"

/* The array "optimiser" of a file: the kind, the number of state variables of each variable, the number of variables. */
enum { HEAD = 3 };
static const char head_name[] = "optimiser";

static void head_of(const orr_optim *o, int64_t head[HEAD])
{
    head[0] = o->kind;
    head[1] = o->nstate;
    head[2] = o->n;
}

/* Entries for the state, with space for two more: the step count and the head. NULL on ENOMEM. */
static orr_parameter *entries(const orr_optim *o, int *n)
{
    *n = orr_optim_state(o, NULL, 0);
    orr_parameter *p = orr__alloc_n((size_t)*n + 2, sizeof *p);
    if (p) {
        (void)orr_optim_state(o, p, *n);
        memcpy(p[*n].name, "steps", sizeof "steps");
        memcpy(p[*n + 1].name, head_name, sizeof head_name);
    }
    return p;
}

/* Checks that the file is of an optimiser of this kind with as many variables. */
static orr_status check_head(orr__site at, const orr_optim *o, const char *path)
{
    int64_t want[HEAD], have[HEAD] = { 0 };
    orr_tensor *t = orr_load_npz_at(at.file, at.line, path, head_name);
    orr_status st = orr_tensor_status(t);
    orr_shape s = orr_tensor_shape(t);
    if (st == ORR_OK && (orr_tensor_dtype(t) != ORR_I64 || s.rank != 1 || s.dim[0] != HEAD))
        return orr__fail(at, ORR_EFORMAT, "%s: \"%s\" was not written by orr_optim_save", path, head_name);
    st = orr_read_at(at.file, at.line, t, have, sizeof have); /* fails for a wrong file, too */
    if (st != ORR_OK)
        return orr__fail_as(at, st);
    head_of(o, want);
    const orr__rule *rule = have[0] >= 0 && have[0] <= INT_MAX ? orr__optim_rule((orr_optim_kind)have[0]) : NULL;
    if (have[0] != want[0])
        return orr__fail(at, ORR_EINVAL, "%s is the state of %s, this is %s", path,
                         rule ? rule->name : "an optimiser that is not known here", o->rule->name);
    if (memcmp(have, want, sizeof have) != 0)
        return orr__fail(
            at, ORR_EINVAL,
            "%s is the state of %s with %lld variables and %lld tensors for each, this has %lld and %lld: its "
            "options or its variables are others",
            path, o->rule->name, (long long)have[2], (long long)have[1], (long long)want[2], (long long)want[1]);
    return ORR_OK;
}

orr_status orr_optim_save_at(const char *file, int line, const orr_optim *o, const char *path)
{
    orr__site at = ORR__SITE(file, line, "optim_save");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    int n;
    orr_parameter *p = entries(o, &n);
    orr_scope *s = p ? orr_scope_begin() : NULL;
    orr_status st = ORR_ENOMEM;
    if (s) {
        int64_t head[HEAD];
        head_of(o, head);
        p[n].variable = orr_from_at(file, line, ORR_I64, ORR_SHAPE_0D, &o->t);
        p[n + 1].variable = orr_from_at(file, line, ORR_I64, ORR_SHAPE(HEAD), head);
        st = orr__nn_save(at, p, n + 2, path);
        (void)orr_scope_end(s);
    }
    free(p);
    return st;
}

orr_status orr_optim_load_at(const char *file, int line, orr_optim *o, const char *path)
{
    orr__site at = ORR__SITE(file, line, "optim_load");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    int n;
    orr_parameter *p = entries(o, &n);
    orr_scope *s = p ? orr_scope_begin() : NULL;
    orr_status st = ORR_ENOMEM;
    if (s) {
        double steps = 0.0;
        st = orr__fail_as(at, orr_item_at(file, line, orr_load_npz_at(file, line, path, "steps"), &steps));
        if (st == ORR_OK && !(steps >= 0.0 && steps <= 9e15 && steps == floor(steps))) /* limit of arithmetic */
            st = orr__fail(at, ORR_EFORMAT, "%s: steps is %g, not a number of steps", path, steps);
        if (st == ORR_OK)
            st = check_head(at, o, path);
        st = orr__nn_load(at, st, o, p, n, path);
        if (st == ORR_OK)
            o->t = (int64_t)steps;
        (void)orr_scope_end(s);
    }
    free(p);
    return st;
}
