/* Parameters to and from .npz files, by name.
 * Must not know: the file format. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery/distribute.h>
#include <orrery/eval.h>
#include <orrery/io.h>
#include "ops/nn/data_parallel.h"
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"
#include "runtime/ranks/ranks.h"

static bool lies_over_ranks(orr_tensor *const *t, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        const orr__node *x = orr__handle_node(t[i]);
        any = any || (x && x->placed);
    }
    return any;
}

static orr_status write_file(orr__site at, const char *path, const char *const *name, orr_tensor *const *t, int n)
{
    return orr__fail_as(at, orr_save_npz_at(at.file, at.line, path, name, n, t, n));
}

orr_status orr__nn_write(orr__site at, orr_status st, const char *path, const char *const *name, orr_tensor *const *t,
                         int n)
{
    if (orr__ranks() == 1)
        return st == ORR_OK ? write_file(at, path, name, t, n) : st;
    st = orr__ranks_agree(at, st == ORR_OK ? orr_eval_all_at(at.file, at.line, t, n) : st);
    if (st != ORR_OK)
        return st;
    if (lies_over_ranks(t, n)) /* all ranks must send their parts */
        return write_file(at, path, name, t, n);
    return orr__ranks_first(at, orr__rank() == 0 ? write_file(at, path, name, t, n) : ORR_OK);
}

orr_status orr__nn_save(orr__site at, const orr_parameter *p, int n, const char *path)
{
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    const char **name = orr__alloc_n((size_t)n + 1, sizeof *name);
    orr_tensor **t = orr__alloc_n((size_t)n + 1, sizeof *t);
    orr_status st = name && t ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < n; i++) {
        name[i] = p[i].name;
        t[i] = p[i].variable;
    }
    st = orr__nn_write(at, st, path, name, t, n);
    free(t);
    free(name);
    return st;
}

static orr_status check_fit(orr__site at, const orr_parameter *p, const char *path, orr_tensor *t)
{
    orr_status st = orr__nn_check(at, t);
    if (st != ORR_OK)
        return orr__fail_as(at, st);
    orr_shape have = orr_tensor_shape(t), want = orr_tensor_shape(p->variable);
    if (!orr__shape_equal(&have, &want))
        return orr__fail(at, ORR_ESHAPE, "%s: %s: the file has shape %s, the variable %s", path, p->name,
                         orr__str(have).s, orr__str(want).s);
    if (orr_tensor_dtype(t) != orr_tensor_dtype(p->variable))
        return orr__fail(at, ORR_EDTYPE, "%s: %s: the file has %s, the variable %s", path, p->name,
                         orr_dtype_name(orr_tensor_dtype(t)), orr_dtype_name(orr_tensor_dtype(p->variable)));
    return ORR_OK;
}

orr_status orr__nn_part(orr__site at, orr_status st, orr_tensor **t, orr_tensor *variable)
{
    st = orr__ranks_agree(at, st);
    if (st != ORR_OK)
        return st;
    *t = orr_redistribute_at(at.file, at.line, *t, variable);
    return orr_eval_at(at.file, at.line, *t);
}

/* Sets *t to the array for a variable, owned by the current scope. The array has the distribution of the variable, and its whole is
 * not kept: a rank needs memory for one whole array and its parts of all. shared: all ranks return the same status. */
static orr_status load_one(orr__site at, const orr_optim *o, const orr_parameter *p, const char *path, bool shared,
                           orr_tensor **t)
{
    orr_scope *s = orr_scope_begin();
    *t = s ? orr__optim_fit(at, o, p->variable, orr_load_npz_at(at.file, at.line, path, p->name)) : NULL;
    orr_status st = s ? check_fit(at, p, path, *t) : ORR_ENOMEM;
    if (shared)
        st = orr__nn_part(at, st, t, p->variable);
    if (st == ORR_OK)
        *t = orr_scope_return_at(at.file, at.line, s, *t);
    if (s)
        (void)orr_scope_end(s);
    return st;
}

orr_status orr__nn_load(orr__site at, orr_status st, const orr_optim *o, const orr_parameter *p, int n,
                        const char *path)
{
    orr_tensor **t = orr__alloc_n(2 * ((size_t)n + 1), sizeof *t), **v = t ? t + n : NULL;
    orr_scope *s = t ? orr_scope_begin() : NULL;
    bool shared = false;
    for (int i = 0; i < n; i++)
        shared = shared || lies_over_ranks((orr_tensor *[]){ p[i].variable }, 1);
    st = st != ORR_OK || s ? st : ORR_ENOMEM;
    if (shared)
        st = orr__ranks_agree(at, st);
    for (int i = 0; st == ORR_OK && i < n; i++) {
        v[i] = p[i].variable;
        st = load_one(at, o, &p[i], path, shared, &t[i]);
    }
    if (st == ORR_OK)
        st = orr_assign_all_at(at.file, at.line, v, t, n);
    if (s)
        (void)orr_scope_end(s);
    free(t);
    return st;
}

/* Reports the first difference between the network and the file: a missing name, or else a name too many. */
static orr_status check_names(orr__site at, const orr_parameter *p, int n, const char *path)
{
    char **name;
    int have;
    orr_status st = orr_npz_names_at(at.file, at.line, path, &name, &have);
    if (st != ORR_OK)
        return orr__fail_as(at, st);
    for (int i = 0; st == ORR_OK && i < (n > have ? n : have); i++) {
        bool known = i >= n, used = i >= have;
        for (int k = 0; i < n && k < have; k++)
            known = known || !strcmp(name[k], p[i].name);
        for (int k = 0; i < have && k < n; k++)
            used = used || !strcmp(name[i], p[k].name);
        if (!known)
            st = orr__fail(at, ORR_EINVAL, "%s is of another network: it has no \"%s\" %s", path, p[i].name,
                           orr__str(orr_tensor_shape(p[i].variable)).s);
        else if (!used)
            st = orr__fail(at, ORR_EINVAL, "%s is of another network: this one has no \"%s\"", path, name[i]);
    }
    orr_npz_names_free(name);
    return st;
}

orr_status orr_module_save_at(const char *file, int line, const orr_module *m, const char *path)
{
    orr__site at = ORR__SITE(file, line, "module_save");
    orr_status st = orr__module_check(at, m);
    if (st != ORR_OK)
        return st;
    int n;
    orr_parameter *p = orr__module_list(m, &n);
    if (!p)
        return ORR_ENOMEM;
    if (orr__module_stranger(m, p, n))
        st = orr__fail(at, ORR_ESTATE,
                       "a function uses a variable that would not be saved: add it by orr_module_add_parameter");
    if (st == ORR_OK)
        st = orr__nn_save(at, p, n, path);
    free(p);
    return st;
}

orr_status orr_module_load_at(const char *file, int line, orr_module *m, const char *path)
{
    orr__site at = ORR__SITE(file, line, "module_load");
    orr_status st = orr__module_check(at, m);
    if (st != ORR_OK)
        return st;
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    int n;
    orr_parameter *p = orr__module_list(m, &n);
    if (!p)
        return ORR_ENOMEM;
    st = check_names(at, p, n, path);
    st = orr__nn_load(at, st, NULL, p, n, path);
    free(p);
    return st;
}
