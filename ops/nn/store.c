/* Parameters to and from .npz files, by name.
 * Must not know: the file format. */
#include "config.h"
#include <stdlib.h>
#include <orrery/io.h>
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"

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
    if (st == ORR_OK)
        st = orr_save_npz_at(at.file, at.line, path, name, t, n);
    free(t);
    free(name);
    return st;
}

static orr_status check_fit(orr__site at, const orr_parameter *p, orr_tensor *t)
{
    orr_status st = orr__nn_check(at, t);
    if (st != ORR_OK)
        return st;
    orr_shape have = orr_tensor_shape(t), want = orr_tensor_shape(p->variable);
    if (!orr__shape_equal(&have, &want))
        return orr__fail(at, ORR_ESHAPE, "%s: the file has shape %s, the variable %s", p->name, orr__str(have).s,
                         orr__str(want).s);
    if (orr_tensor_dtype(t) != orr_tensor_dtype(p->variable))
        return orr__fail(at, ORR_EDTYPE, "%s: the file has %s, the variable %s", p->name,
                         orr_dtype_name(orr_tensor_dtype(t)), orr_dtype_name(orr_tensor_dtype(p->variable)));
    return ORR_OK;
}

orr_status orr__nn_load(orr__site at, const orr_parameter *p, int n, const char *path)
{
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_tensor **t = orr__alloc_n(2 * ((size_t)n + 1), sizeof *t), **v = t ? t + n : NULL;
    orr_scope *s = t ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < n; i++) {
        v[i] = p[i].variable;
        t[i] = orr_load_npz_at(at.file, at.line, path, p[i].name);
        st = check_fit(at, &p[i], t[i]);
    }
    if (st == ORR_OK)
        st = orr_assign_all_at(at.file, at.line, v, t, n);
    if (s)
        (void)orr_scope_end(s);
    free(t);
    return st;
}

typedef orr_status mover(orr__site at, const orr_parameter *p, int n, const char *path);

static orr_status move_module(orr__site at, const orr_module *m, const char *path, mover *move)
{
    if (!m)
        return orr__fail(at, ORR_EINVAL, "the module is NULL");
    int n = orr_module_parameters(m, NULL, 0);
    orr_parameter *p = orr__alloc_n((size_t)n + 1, sizeof *p);
    if (!p)
        return ORR_ENOMEM;
    (void)orr_module_parameters(m, p, n);
    orr_status st = move(at, p, n, path);
    free(p);
    return st;
}

orr_status orr_module_save_at(const char *file, int line, const orr_module *m, const char *path)
{
    return move_module(ORR__SITE(file, line, "module_save"), m, path, orr__nn_save);
}

orr_status orr_module_load_at(const char *file, int line, orr_module *m, const char *path)
{
    return move_module(ORR__SITE(file, line, "module_load"), m, path, orr__nn_load);
}
