/* Modules of the program's own: functions, parameters that the program adds, and the search for variables that are not saved.
 * Must not know: layers. */
#include "config.h"
#include <stdlib.h>
#include "ops/nn/module.h"
#include "runtime/graph/node.h"

/* -- variables that a function uses ----------------------------------------------------------------------- */

enum { SEEN = 512 }; /* nodes of a function that are searched; variables beyond them are not found */

static bool owns(const orr_module *m, const orr__node *n)
{
    for (int i = 0; i < m->nparam + m->nstate; i++)
        if (orr__handle_node(i < m->nparam ? m->param[i] : m->state[i - m->nparam]) == n)
            return true;
    for (int i = 0; i < m->npart; i++)
        if (owns(m->part[i], n))
            return true;
    return false;
}

/* A variable that is not the module's and that nodes recorded since `start` for `y` use; 0: none. */
static uint64_t stranger(const orr_module *m, const orr__node *y, uint64_t start)
{
    const orr__node *list[SEEN];
    int n = 0;
    uint64_t found = 0;
    list[n++] = y;
    orr__graph_lock();
    for (int at = 0; at < n && !found; at++) {
        const orr__node *node = list[at];
        if (node->var) {
            found = owns(m, node) ? 0 : node->var;
            continue;
        }
        for (int i = 0; node->born >= start && i < node->nin && n < SEEN; i++) {
            bool known = false;
            for (int k = 0; k < n && !known; k++)
                known = list[k] == node->in[i];
            if (!known)
                list[n++] = node->in[i];
        }
    }
    orr__graph_unlock();
    return found;
}

/* Searches the nodes between x and y; a variable x is the caller's and does not count. */
static void search(const orr_module *m, orr_tensor *x, orr_tensor *y, uint64_t start)
{
    const orr__node *from = orr__handle_node(x), *to = orr__handle_node(y);
    if (from == to || !to || !(to->tracked & ORR__TRACKED))
        return;
    uint64_t var = stranger(m, to, start);
    if (var && !(from && from->var == var))
        ((orr_module *)(uintptr_t)m)->stranger = var;
}

bool orr__module_stranger(const orr_module *m, const orr_parameter *p, int n)
{
    uint64_t var = m->stranger;
    bool found = var != 0;
    for (int i = 0; found && i < n; i++)
        found = (uint64_t)(uintptr_t)p[i].variable != var;
    for (int i = 0; !found && i < m->npart; i++)
        found = orr__module_stranger(m->part[i], p, n);
    return found;
}

/* -- functions -------------------------------------------------------------------------------------------- */

/* A number later than all nodes that this thread has recorded. */
static uint64_t now(const char *file, int line)
{
    orr_tensor *mark = orr_scalar_at(file, line, 0);
    const orr__node *n = orr__handle_node(mark);
    uint64_t born = n ? n->born : 0;
    (void)orr_free_at(file, line, mark);
    return born;
}

static orr_tensor *no_result(orr__site at)
{
    return orr__poison(at, ORR_EINVAL, "the module's function returned NULL, and a tensor is needed");
}

static orr_tensor *function_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    uint64_t start = m->stranger ? 0 : now(file, line);
    orr_tensor *y = m->fn(x, m->user);
    if (!y)
        return no_result(ORR__SITE(file, line, "forward"));
    if (start)
        search(m, x, y, start);
    return y;
}

orr_module *orr_function_at(const char *file, int line, orr_tensor *(*fn)(orr_tensor *x, void *user), void *user)
{
    if (!fn) {
        (void)orr__fail(ORR__SITE(file, line, "function"), ORR_EINVAL, "the function is NULL");
        return NULL;
    }
    orr_module *m = orr__module_of("function", function_forward, NULL, 1, 1);
    if (m) {
        m->users = true;
        m->apart = true; /* the program's word: layer.h */
        m->fn = fn;
        m->user = user;
    }
    return m;
}

static orr_tensor *own_forward(orr__site at, const orr_module *m, orr_tensor *const *x, int n)
{
    uint64_t start = m->stranger ? 0 : now(at.file, at.line);
    orr_tensor *y = m->apply(m, x, n, m->user);
    if (!y)
        return no_result(at);
    if (start && n > 0)
        search(m, x[0], y, start);
    return y;
}

orr_module *orr_module_new_at(const char *file, int line, const char *kind, orr_module_fn *fn, void *user,
                              void (*release)(void *user))
{
    if (!fn) {
        (void)orr__fail(ORR__SITE(file, line, "module_new"), ORR_EINVAL, "the function is NULL");
        return NULL;
    }
    orr_module *m = orr__module_of(kind ? kind : "module", NULL, own_forward, 0, 64);
    if (m) {
        m->users = true;
        m->apart = true; /* the program's word: layer.h */
        m->apply = fn;
        m->user = user;
        m->release = release;
    }
    return m;
}

/* -- additions of the program ----------------------------------------------------------------------------- */

orr_tensor *orr_module_add_parameter_at(const char *file, int line, orr_module *m, const char *name, orr_tensor *value)
{
    orr_status st = orr__module_add(ORR__SITE(file, line, "module_add_parameter"), m, name, value);
    return st == ORR_OK ? m->param[m->nparam - 1] : NULL;
}

orr_tensor *orr_module_add_state_at(const char *file, int line, orr_module *m, const char *name, orr_tensor *value)
{
    orr_status st = orr__module_add_state(ORR__SITE(file, line, "module_add_state"), m, name, value);
    return st == ORR_OK ? m->state[m->nstate - 1] : NULL;
}

orr_module *orr_module_add_part_at(const char *file, int line, orr_module *m, const char *name, orr_module *part)
{
    orr__site at = ORR__SITE(file, line, "module_add_part");
    if (orr__object_check(at, &orr__kind_module, m) != ORR_OK) {
        if (orr__object_is(&orr__kind_module, part) && !part->owned)
            orr_module_free(part);
        return NULL;
    }
    orr_status st = orr__module_add_part(at, m, name, part);
    orr__module_spoil(m, st);
    return st == ORR_OK ? part : NULL;
}
