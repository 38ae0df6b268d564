/* Modules: composition, parameters, ownership.
 * Must not know: layers. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"

orr_status orr__nn_check(orr__site at, const orr_tensor *t)
{
    orr_status st = orr_tensor_status(t);
    if (st == ORR_OK)
        return ORR_OK;
    const orr__node *n = orr__handle_node(t);
    if (n && n->poison)
        return orr__fail_text(n->poison->status, n->poison->text);
    return orr__fail(at, st, t ? "a tensor was freed, or its scope has ended" : "a tensor is NULL");
}

orr_tensor *orr__nn_variable(orr__site at, orr_tensor *value)
{
    if (orr__nn_check(at, value) != ORR_OK)
        return NULL;
    orr_tensor *v = orr_variable_at(at.file, at.line, value);
    if (orr__nn_check(at, v) != ORR_OK)
        return NULL;
    return orr_keep_at(at.file, at.line, v);
}

void orr__nn_drop(orr_tensor *v)
{
    if (v && orr_tensor_status(v) != ORR_EHANDLE)
        (void)orr_free(v);
}

orr_module *orr__module_new(orr_tensor *(*forward)(const char *file, int line, const orr_module *m, orr_tensor *x))
{
    orr_module *m = orr__alloc(sizeof *m);
    if (m)
        m->forward = forward;
    return m;
}

orr_status orr__module_add(orr__site at, orr_module *m, const char *name, orr_tensor *value)
{
    if (m->nparam == ORR__MODULE_PARAMETERS)
        return orr__fail(at, ORR_EINTERNAL, "a module has too many parameters");
    orr_tensor *v = orr__nn_variable(at, value);
    if (!v)
        return orr_error_status();
    m->name[m->nparam] = name;
    m->param[m->nparam++] = v;
    return ORR_OK;
}

void orr_module_free(orr_module *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->nparam; i++)
        orr__nn_drop(m->param[i]);
    for (int i = 0; i < m->npart; i++)
        orr_module_free(m->part[i]);
    free(m->part);
    free(m);
}

orr_tensor *orr_forward_at(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    if (!m)
        return orr__poison(ORR__SITE(file, line, "forward"), ORR_EINVAL, "the module is NULL");
    return m->forward(file, line, m, x);
}

/* -- parameters ------------------------------------------------------------------------------------------ */

static int list(const orr_module *m, const char *prefix, orr_parameter *out, int max, int n)
{
    for (int i = 0; i < m->nparam; i++, n++)
        if (n < max) {
            (void)snprintf(out[n].name, sizeof out[n].name, "%s%s", prefix, m->name[i]);
            out[n].variable = m->param[i];
        }
    for (int i = 0; i < m->npart; i++) {
        char longer[64];
        int used = snprintf(longer, sizeof longer, "%.40s%d.", prefix, i);
        n = list(m->part[i], used > 0 ? longer : "", out, max, n);
    }
    return n;
}

int orr_module_parameters(const orr_module *m, orr_parameter *out, int max)
{
    return m ? list(m, "", out, out ? max : 0, 0) : 0;
}

int64_t orr_module_size(const orr_module *m)
{
    int64_t sum = 0;
    for (int i = 0; m && i < m->nparam; i++) {
        int64_t n = orr_tensor_size(m->param[i]);
        sum += n > 0 ? n : 0;
    }
    for (int i = 0; m && i < m->npart; i++)
        sum += orr_module_size(m->part[i]);
    return sum;
}

/* -- a function of the user's ---------------------------------------------------------------------------- */

static orr_tensor *function_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    (void)file, (void)line;
    return m->fn(x, m->user);
}

orr_module *orr_function_at(const char *file, int line, orr_tensor *(*fn)(orr_tensor *x, void *user), void *user)
{
    if (!fn) {
        (void)orr__fail(ORR__SITE(file, line, "function"), ORR_EINVAL, "the function is NULL");
        return NULL;
    }
    orr_module *m = orr__module_new(function_forward);
    if (m) {
        m->users = true;
        m->fn = fn;
        m->user = user;
    }
    return m;
}

/* -- composition ----------------------------------------------------------------------------------------- */

static orr_tensor *sequential_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr_scope *s = m->users ? NULL : orr_scope_begin();
    for (int i = 0; i < m->npart; i++)
        x = orr_forward_at(file, line, m->part[i], x);
    if (s) {
        x = orr_scope_return(s, x);
        (void)orr_scope_end(s);
    }
    return x;
}

/* Each part is there, free to be owned, and named once. A NULL part has left its own last error. */
static orr_status check_parts(orr__site at, orr_module *const *m, int n)
{
    if (!m || n < 1)
        return orr__fail(at, ORR_EINVAL, "there are no modules");
    for (int i = 0; i < n; i++) {
        if (!m[i])
            return orr_error_status() != ORR_OK ? orr_error_status()
                                                : orr__fail(at, ORR_EINVAL, "module %d is NULL", i);
        if (m[i]->owned)
            return orr__fail(at, ORR_EINVAL, "module %d is part of another composition", i);
        for (int k = 0; k < i; k++)
            if (m[k] == m[i])
                return orr__fail(at, ORR_EINVAL, "modules %d and %d are the same one", k, i);
    }
    return ORR_OK;
}

static void free_parts(orr_module *const *m, int n)
{
    for (int i = 0; m && i < n; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || m[k] == m[i];
        if (m[i] && !again && !m[i]->owned)
            orr_module_free(m[i]);
    }
}

orr_module *orr_sequential_at(const char *file, int line, orr_module *const *m, int n)
{
    orr_module *all = NULL;
    if (check_parts(ORR__SITE(file, line, "sequential"), m, n) == ORR_OK && (all = orr__module_new(sequential_forward)))
        all->part = orr__alloc_n((size_t)n, sizeof(orr_module *));
    if (!all || !all->part) {
        orr_module_free(all);
        free_parts(m, n);
        return NULL;
    }
    memcpy(all->part, m, (size_t)n * sizeof *m);
    all->npart = n;
    for (int i = 0; i < n; i++) {
        m[i]->owned = true;
        all->users = all->users || m[i]->users;
    }
    return all;
}
