/* Modules: composition, parameters, ownership.
 * Must not know: layers. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/elementwise.h>
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
    v = orr_keep_at(at.file, at.line, v);
    orr__handle_lend(v, true);
    return v;
}

void orr__nn_drop(orr_tensor *v)
{
    if (!v || orr_tensor_status(v) == ORR_EHANDLE)
        return;
    orr__handle_lend(v, false);
    (void)orr_free(v);
}

const orr__object_kind orr__kind_module = { "module", sizeof(orr_module) };

static bool there(const char *op, const orr_module *m)
{
    return orr__object_there(op, &orr__kind_module, m);
}

orr_module *orr__module_of(const char *kind, orr__forward *forward, orr__forward_many *many, int least, int most)
{
    orr_module *m = orr__object_new(&orr__kind_module);
    if (m) {
        m->kind = kind;
        m->forward = forward;
        m->many = many;
        m->least = least;
        m->most = most;
        m->training = true;
    }
    return m;
}

/* The error of a part that could not be added, as the last one. */
static orr_status spoilt(const orr_module *m)
{
    return m->st == ORR_OK ? ORR_OK
                           : orr__fail_text(m->st, m->error ? m->error : "a part could not be added to the module");
}

orr_status orr__module_check(orr__site at, const orr_module *m)
{
    orr_status st = orr__object_check(at, &orr__kind_module, m);
    if (st == ORR_OK)
        st = spoilt(m);
    for (int i = 0; st == ORR_OK && i < m->npart; i++)
        st = orr__module_check(at, m->part[i]);
    return st;
}

void orr__module_spoil(orr_module *m, orr_status st)
{
    if (st == ORR_OK || !orr__object_is(&orr__kind_module, m) || m->st != ORR_OK)
        return;
    const char *text = orr_error_message();
    size_t bytes = strlen(text) + 1;
    m->st = st;
    m->error = orr__alloc(bytes);
    if (m->error)
        memcpy(m->error, text, bytes);
}

orr_module *orr__module_end(orr_module *m, orr_status st)
{
    if (st == ORR_OK)
        return m;
    orr_module_free(m);
    return NULL;
}

static bool listed(char (*names)[ORR__MODULE_NAME], int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Checks that a path may contain the name and that the module does not have it yet. */
static orr_status check_name(orr__site at, const orr_module *m, const char *name)
{
    orr_status st = orr__object_check(at, &orr__kind_module, m);
    if (st != ORR_OK)
        return st;
    if (!name || !*name)
        return orr__fail(at, ORR_EINVAL, "the name is NULL or empty");
    if (strlen(name) >= ORR__MODULE_NAME || strchr(name, '.'))
        return orr__fail(at, ORR_EINVAL, "\"%s\" is no name: it has a dot, or more than %d bytes", name,
                         ORR__MODULE_NAME - 1);
    if (listed(m->name, m->nparam, name) || listed(m->state_name, m->nstate, name) ||
        listed(m->part_name, m->npart, name))
        return orr__fail(at, ORR_EINVAL, "the module has a \"%s\" already", name);
    return ORR_OK;
}

/* Appends a variable and its name to the lists. */
static orr_status append(orr__site at, char (**names)[ORR__MODULE_NAME], orr_tensor ***list, int *n, const char *name,
                         orr_tensor *value)
{
    void *more = orr__realloc_n(*list, (size_t)*n + 1, sizeof **list);
    if (!more)
        return ORR_ENOMEM;
    *list = more;
    if (!(more = orr__realloc_n(*names, (size_t)*n + 1, sizeof **names)))
        return ORR_ENOMEM;
    *names = more;
    orr_tensor *v = orr__nn_variable(at, value);
    if (!v)
        return orr_error_status();
    (void)snprintf((*names)[*n], sizeof(*names)[*n], "%s", name);
    (*list)[(*n)++] = v;
    return ORR_OK;
}

orr_status orr__module_add(orr__site at, orr_module *m, const char *name, orr_tensor *value)
{
    orr_status st = check_name(at, m, name);
    return st == ORR_OK ? append(at, &m->name, &m->param, &m->nparam, name, value) : st;
}

orr_status orr__module_add_state(orr__site at, orr_module *m, const char *name, orr_tensor *value)
{
    orr_status st = check_name(at, m, name);
    return st == ORR_OK ? append(at, &m->state_name, &m->state, &m->nstate, name, value) : st;
}

enum { PATH = sizeof((orr_parameter *)0)->name };

/* The bytes of part number i in a path, with the dot; name NULL: its number. */
static size_t step_length(const char *name, int i)
{
    return name && *name ? strlen(name) + 1 : (size_t)snprintf(NULL, 0, "%d.", i);
}

/* The bytes of the longest path of a variable. */
static size_t longest_path(const orr_module *m)
{
    size_t most = 0;
    for (int i = 0; i < m->nparam + m->nstate; i++) {
        size_t n = strlen(i < m->nparam ? m->name[i] : m->state_name[i - m->nparam]);
        most = n > most ? n : most;
    }
    for (int i = 0; i < m->npart; i++) {
        size_t inside = longest_path(m->part[i]), n = inside ? inside + step_length(m->part_name[i], i) : 0;
        most = n > most ? n : most;
    }
    return most;
}

static orr_status add_part(orr__site at, orr_module *m, const char *name, orr_module *part)
{
    if (!part)
        return orr_error_status() != ORR_OK ? orr_error_status() : orr__fail(at, ORR_EINVAL, "the part is NULL");
    if (!orr__object_is(&orr__kind_module, part))
        return orr__fail(at, ORR_EHANDLE, "the part is no module: it was freed, or never was one");
    if (part->owned || part == m)
        return orr__fail(at, ORR_EINVAL, "the part belongs to another composition");
    orr_status st = name ? check_name(at, m, name) : ORR_OK;
    if (st != ORR_OK)
        return st;
    size_t path = longest_path(part) + step_length(name, m->npart);
    if (path >= PATH)
        return orr__fail(at, ORR_EINVAL,
                         "the path of a variable would have %zu bytes, and %d are the most: nest less deep", path,
                         PATH - 1);
    void *more = orr__realloc_n(m->part, (size_t)m->npart + 1, sizeof *m->part);
    if (!more)
        return ORR_ENOMEM;
    m->part = more;
    if (!(more = orr__realloc_n(m->part_name, (size_t)m->npart + 1, sizeof *m->part_name)))
        return ORR_ENOMEM;
    m->part_name = more;
    (void)snprintf(m->part_name[m->npart], sizeof m->part_name[0], "%s", name ? name : "");
    m->part[m->npart++] = part;
    part->owned = true;
    m->users = m->users || part->users;
    return ORR_OK;
}

orr_status orr__module_add_part(orr__site at, orr_module *m, const char *name, orr_module *part)
{
    orr_status st = add_part(at, m, name, part);
    if (st != ORR_OK && orr__object_is(&orr__kind_module, part) && !part->owned)
        orr_module_free(part);
    return st;
}

static void release(orr_module *m)
{
    for (int i = 0; i < m->nparam; i++)
        orr__nn_drop(m->param[i]);
    for (int i = 0; i < m->nstate; i++)
        orr__nn_drop(m->state[i]);
    for (int i = 0; i < m->npart; i++)
        release(m->part[i]);
    if (m->release)
        m->release(m->user);
    free(m->name);
    free(m->param);
    free(m->state_name);
    free(m->state);
    free(m->part_name);
    free(m->part);
    free(m->error);
    orr__object_end(&orr__kind_module, m);
}

void orr_module_free(orr_module *m)
{
    if (!there("module_free", m))
        return;
    if (m->owned)
        (void)orr__fail(ORR__SITE(NULL, 0, "module_free"), ORR_ESTATE,
                        "the module %s is part of another, which alone frees it", m->kind);
    else
        release(m);
}

/* -- application ------------------------------------------------------------------------------------------ */

/* The modules under way on this thread, the innermost first. */
typedef struct under_way {
    const orr_module *m;
    const struct under_way *outer;
} under_way;
static _Thread_local const under_way *innermost;

/* Writes the path of the module from the outermost one that it is a part of, "1.0.attention"; returns its bytes. */
static int path_under_way(const under_way *u, char *to, int size)
{
    const orr_module *outer = u->outer ? u->outer->m : NULL;
    for (int i = 0; outer && i < outer->npart; i++)
        if (outer->part[i] == u->m) {
            int n = path_under_way(u->outer, to, size);
            const char *name = outer->part_name[i], *dot = n ? "." : "";
            int more = *name ? snprintf(to + n, (size_t)(size - n), "%s%s", dot, name)
                             : snprintf(to + n, (size_t)(size - n), "%s%d", dot, i);
            return more > 0 && more < size - n ? n + more : n;
        }
    to[0] = '\0';
    return 0;
}

/* y, or where an error arose in the module, the same error with the path of the module added. A module around it leaves that path as
 * it is. refused: the module was not applied; then the message names the kind already. */
static orr_tensor *with_path(const under_way *u, orr_tensor *const *x, int n, orr_tensor *y, bool refused)
{
    static const char mark[] = ", in layer ";
    const orr__node *to = orr__handle_node(y);
    if (!to || !to->poison || to->poison->status == ORR_ENOMEM || strstr(to->poison->text, mark))
        return y;
    for (int i = 0; x && i < n; i++) {
        const orr__node *from = orr__handle_node(x[i]);
        if (from && from->poison)
            return y;
    }
    enum { MOST = sizeof to->poison->text - 1 };
    char path[PATH + 64], place[PATH + 160], text[MOST + 1];
    int used = path_under_way(u, path, sizeof path);
    if (!used && refused)
        return y;
    int bytes = used ? snprintf(place, sizeof place, "%s%s (%.40s)", mark, path, u->m->kind)
                     : snprintf(place, sizeof place, ", in %.40s", u->m->kind);
    (void)snprintf(text, sizeof text, "%.*s%s", MOST - bytes, to->poison->text,
                   place); /* a long message is cut before it */
    (void)orr__fail_text(to->poison->status, text);
    if (!u->m->users)
        (void)orr_free(y);
    return orr__handle_new(NULL);
}

/* Poison if the module does not take these inputs, else NULL. */
static orr_tensor *check_inputs(orr__site at, const orr_module *m, orr_tensor *const *x, int n)
{
    const char *s = m->most == 1 ? "" : "s";
    if ((n < m->least || n > m->most || (n > 0 && !x)) && m->least == m->most)
        return orr__poison(at, ORR_EINVAL, "%s takes %d input%s, not %d", m->kind, m->least, s, n);
    if (n < m->least || n > m->most || (n > 0 && !x))
        return orr__poison(at, ORR_EINVAL, "%s takes %d to %d inputs, not %d", m->kind, m->least, m->most, n);
    if (n > 0 && !x[0] && !m->users)
        return orr__poison(at, ORR_EINVAL, "x is NULL: %s needs a tensor", m->kind);
    return NULL;
}

static orr_tensor *apply(orr__site at, const orr_module *m, orr_tensor *const *x, int n)
{
    if (orr__object_check(at, &orr__kind_module, m) != ORR_OK)
        return orr__handle_new(NULL);
    if (spoilt(m) != ORR_OK)
        return orr__handle_new(NULL);
    under_way u = { m, innermost };
    orr_tensor *bad = check_inputs(at, m, x, n), *y = bad;
    if (!bad) {
        innermost = &u;
        y = m->many ? m->many(at, m, x, n) : m->forward(at.file, at.line, m, x[0]);
        innermost = u.outer;
    }
    return with_path(&u, x, n, y, bad != NULL);
}

orr_tensor *orr_forward_at(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return apply(ORR__SITE(file, line, "forward"), m, &x, 1);
}

orr_tensor *orr_forward_all_at(const char *file, int line, const orr_module *m, orr_tensor *const *x, int n)
{
    return apply(ORR__SITE(file, line, "forward"), m, x, n);
}

static _Thread_local const orr__tap *listener;

const orr__tap *orr__module_tap(const orr__tap *tap)
{
    const orr__tap *before = listener;
    listener = tap;
    return before;
}

void orr__module_seen(const orr_module *m, orr_tensor *x, orr_tensor *z)
{
    if (listener)
        listener->see(listener->user, m, x, z);
}

void orr_module_train(orr_module *m, bool training)
{
    if (!there("module_train", m))
        return;
    m->training = training;
    for (int i = 0; i < m->npart; i++)
        orr_module_train(m->part[i], training);
}

bool orr_module_training(const orr_module *m)
{
    return there("module_training", m) && m->training;
}

orr_module *orr_module_part(const orr_module *m, int i)
{
    return there("module_part", m) && i >= 0 && i < m->npart ? m->part[i] : NULL;
}

/* -- parameters ------------------------------------------------------------------------------------------ */

static int list(const orr_module *m, bool states, const char *prefix, orr_parameter *out, int max, int n)
{
    for (int i = 0; i < (states ? m->nstate : m->nparam); i++, n++)
        if (n < max) {
            (void)snprintf(out[n].name, sizeof out[n].name, "%s%s", prefix, states ? m->state_name[i] : m->name[i]);
            out[n].variable = states ? m->state[i] : m->param[i];
        }
    for (int i = 0; i < m->npart; i++) {
        char longer[PATH];
        int used = m->part_name[i][0] ? snprintf(longer, sizeof longer, "%s%s.", prefix, m->part_name[i])
                                      : snprintf(longer, sizeof longer, "%s%d.", prefix, i);
        n = list(m->part[i], states, used > 0 ? longer : "", out, max, n);
    }
    return n;
}

int orr_module_parameters(const orr_module *m, orr_parameter *out, int max)
{
    return there("module_parameters", m) ? list(m, false, "", out, out ? max : 0, 0) : 0;
}

int orr_module_states(const orr_module *m, orr_parameter *out, int max)
{
    return there("module_states", m) ? list(m, true, "", out, out ? max : 0, 0) : 0;
}

orr_parameter *orr__module_list(const orr_module *m, int *n)
{
    int np = orr_module_parameters(m, NULL, 0), ns = orr_module_states(m, NULL, 0);
    orr_parameter *p = orr__alloc_n((size_t)np + (size_t)ns + 1, sizeof *p);
    *n = np + ns;
    if (p) {
        (void)orr_module_parameters(m, p, np);
        (void)orr_module_states(m, p + np, ns);
    }
    return p;
}

const orr_module *orr__module_mixes(const orr_module *m, char *path, size_t size)
{
    if (!m->apart || m->least > 1) {
        if (size > 0)
            path[0] = 0;
        return m;
    }
    for (int i = 0; i < m->npart && !m->fn && !m->apply; i++) {
        char inside[PATH] = "";
        const orr_module *found = orr__module_mixes(m->part[i], inside, sizeof inside);
        if (!found)
            continue;
        const char *dot = inside[0] ? "." : "";
        (void)(m->part_name[i][0] ? snprintf(path, size, "%s%s%s", m->part_name[i], dot, inside)
                                  : snprintf(path, size, "%d%s%s", i, dot, inside));
        return found;
    }
    return NULL;
}

orr_tensor *orr_module_variable(const orr_module *m, const char *path)
{
    int n = 0;
    if (orr__object_check(ORR__SITE(NULL, 0, "module_variable"), &orr__kind_module, m) != ORR_OK)
        return NULL;
    orr_parameter *p = path ? orr__module_list(m, &n) : NULL;
    bool listed_all = p != NULL;
    orr_tensor *found = NULL;
    for (int i = 0; p && i < n && !found; i++)
        if (!strcmp(p[i].name, path))
            found = p[i].variable;
    free(p);
    if (!path)
        (void)orr__fail(ORR__SITE(NULL, 0, "module_variable"), ORR_EINVAL, "the path is NULL");
    else if (!found && listed_all)
        (void)orr__fail(ORR__SITE(NULL, 0, "module_variable"), ORR_EINVAL,
                        "the %s has no \"%s\": orr_module_parameters and orr_module_states list the paths of its %d "
                        "variables",
                        m->kind, path, n);
    return found;
}

int64_t orr_module_size(const orr_module *m)
{
    int64_t sum = 0;
    if (!there("module_size", m))
        return 0;
    for (int i = 0; i < m->nparam; i++) {
        int64_t n = orr_tensor_size(m->param[i]);
        sum += n > 0 ? n : 0;
    }
    for (int i = 0; i < m->npart; i++)
        sum += orr_module_size(m->part[i]);
    return sum;
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

bool orr__module_is_sequence(const orr_module *m)
{
    return m->forward == sequential_forward;
}

/* Checks that each part is not NULL, has no owner and occurs once. A NULL part has set the last error already. */
static orr_status check_parts(orr__site at, orr_module *const *m, int n)
{
    if (!m || n < 1)
        return orr__fail(at, ORR_EINVAL, "there are no modules");
    for (int i = 0; i < n; i++) {
        if (!m[i])
            return orr_error_status() != ORR_OK ? orr_error_status()
                                                : orr__fail(at, ORR_EINVAL, "module %d is NULL", i);
        if (!orr__object_is(&orr__kind_module, m[i]))
            return orr__fail(at, ORR_EHANDLE, "module %d is none: it was freed, or never was one", i);
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
        if (!again && orr__object_is(&orr__kind_module, m[i]) && !m[i]->owned)
            orr_module_free(m[i]);
    }
}

orr_module *orr_sequential_at(const char *file, int line, orr_module *const *m, int n)
{
    orr__site at = ORR__SITE(file, line, "sequential");
    orr_module *all = NULL;
    orr_status st = check_parts(at, m, n);
    if (st == ORR_OK && !(all = orr__module_of("sequential", sequential_forward, NULL, 1, 1)))
        st = ORR_ENOMEM;
    if (all)
        all->apart = true;
    for (int i = 0; st == ORR_OK && i < n; i++)
        st = add_part(at, all, NULL, m[i]);
    if (st == ORR_OK)
        return all;
    free_parts(m, n); /* parts that `all` owns are freed with it */
    orr_module_free(all);
    return NULL;
}

/* The result leaves the scope before the intermediate tensors are freed: it may be a tensor of the user's. */
static orr_tensor *residual_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    orr_scope *s = m->users ? NULL : orr_scope_begin();
    orr_tensor *y = orr_add_at(file, line, x, orr_forward_at(file, line, m->part[0], x));
    if (s) {
        y = orr_scope_return(s, y);
        (void)orr_scope_end(s);
    }
    return y;
}

orr_module *orr_residual_at(const char *file, int line, orr_module *part)
{
    orr__site at = ORR__SITE(file, line, "residual");
    bool live = orr__object_is(&orr__kind_module, part);
    orr_module *m = live ? orr__module_of("residual", residual_forward, NULL, 1, 1) : NULL;
    if (!m) {
        if (!live && (part || orr_error_status() == ORR_OK))
            (void)orr__object_check(at, &orr__kind_module, part);
        if (live && !part->owned)
            orr_module_free(part);
        return NULL;
    }
    m->apart = true;
    return orr__module_end(m, orr__module_add_part(at, m, NULL, part));
}
