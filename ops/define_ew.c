/* Element-wise functions that users define: texts parsed once, then recorded as nodes of built-in rows.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "ops/define.h"
#include "ops/ew_record.h"
#include "runtime/base/fpmode.h"

enum { TEXT_MOST = 16384 }; /* limit of a format */

/* -- definition -------------------------------------------------------------------------------------------- */

static const struct orr__define *find(const char *name, int *arity, bool *truth)
{
    const orr__define *d = orr__define_find(name);
    if (!d || d->kernel)
        return NULL;
    *arity = d->arity;
    *truth = d->truth;
    return d;
}

/* The text around a column, with a mark at it. */
static void excerpt(char *to, size_t size, const char *text, int column)
{
    int at = column - 1, from = at > 24 ? at - 24 : 0, len = (int)strlen(text); /* limit of a format */
    (void)snprintf(to, size, "%s%.*s>>> %.24s%s", from ? "…" : "", at - from, text + from, text + at,
                   len - at > 24 ? "…" : ""); /* limit of a format */
    for (char *c = to; *c; c++)
        if ((*c > 0 && *c < ' ') || *c == 0x7f)
            *c = ' ';
}

static orr__expr *parse(orr__site at, const orr__define *d, int which)
{
    static const char *const what[4] = { "the expression", "the derivative by x", "the derivative by y",
                                         "the derivative by z" };
    orr__expr_lang lang = { d->arity, which > 0, find, orr__ew_nearest };
    orr__expr *e = orr__alloc(sizeof *e);
    char message[192], where[128] = "";
    int column = 1;
    if (!e)
        return NULL;
    if (orr__expr_parse_in(&lang, d->text[which], e, message, sizeof message) == ORR_OK)
        return orr__expr_shrink(e);
    free(e);
    if (sscanf(message, "column %d", &column) == 1) /* NOLINT(cert-err34-c): our own number */
        excerpt(where, sizeof where, d->text[which], column);
    (void)orr__fail(at, ORR_EINVAL, "%s: %s, %s: %s", d->op.name, what[which], message, where);
    return NULL;
}

static int size_of(const orr__expr *e)
{
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += e->node[i].def ? e->node[i].def->size : e->node[i].kind == ORR__EXPR_ROW;
    return n;
}

static int depth_of(const orr__expr *e)
{
    int most = 0;
    for (int i = 0; i < e->n; i++)
        if (e->node[i].def && e->node[i].def->depth > most)
            most = e->node[i].def->depth;
    return most + 1;
}

/* Parses the texts into expressions and checks the limits. */
static orr_status understand(orr__site at, orr__define *d)
{
    orr__expr **to[4] = { &d->value, &d->deriv[0], &d->deriv[1], &d->deriv[2] };
    for (int i = 0; i < d->ntext; i++) {
        if (i && strspn(d->text[i], " \t\n") == strlen(d->text[i]))
            continue;
        orr__expr *e = *to[i] = parse(at, d, i);
        if (!e)
            return orr_error_status();
        int size = size_of(e), depth = depth_of(e);
        d->size = i == 0 ? size : d->size;
        d->depth = depth > d->depth ? depth : d->depth;
        if (size > ORR__DEFINE_SIZE || depth > ORR__DEFINE_DEPTH)
            return orr__fail(at, ORR_EINVAL,
                             "%s: the expression, its calls included, has %d operations and is %d calls deep; the "
                             "limits are %d operations and %d calls",
                             d->op.name, size, depth, ORR__DEFINE_SIZE, ORR__DEFINE_DEPTH);
        bool truth = e->node[e->n - 1].truth;
        if (i == 0)
            d->truth = truth;
        else if (truth || d->truth)
            return orr__fail(at, ORR_EINVAL, "%s: %s", d->op.name,
                             truth ? "a derivative is a number, not a truth value"
                                   : "a truth value has no derivative: give none, or \"\"");
    }
    return ORR_OK;
}

static bool same(const orr__define *a, const orr__define *b)
{
    if (a->arity != b->arity || a->ntext != b->ntext)
        return false;
    for (int i = 0; i < a->ntext; i++)
        if (strcmp(a->text[i], b->text[i]) != 0)
            return false;
    return true;
}

static orr_status check_text(orr__site at, const char *name, const char *text, int number)
{
    if (!text)
        return orr__fail(at, ORR_EINVAL, "%s: derivative %d is NULL; \"\" means that no gradient flows", name, number);
    if (strnlen(text, TEXT_MOST + 1) > TEXT_MOST)
        return orr__fail(at, ORR_EINVAL, "%s: an expression is longer than %d bytes", name, TEXT_MOST);
    return ORR_OK;
}

static orr_status check(orr__site at, const char *name, int arity, const char *expression,
                        const char *const *derivatives, int n)
{
    const char *why = name ? orr__define_bad_name(name) : NULL;
    if (!name || !expression || (n && !derivatives))
        return orr__fail(at, ORR_EINVAL, "the %s is NULL",
                         !name         ? "name"
                         : !expression ? "expression"
                                       : "list of derivatives");
    if (why)
        return orr__fail(at, ORR_EINVAL, "the name \"%.40s\" %s", name, why);
    if (arity < 1 || arity > 3)
        return orr__fail(at, ORR_EINVAL, "%s: %d operands; there may be 1 to 3", name, arity);
    if (n != 0 && n != arity)
        return orr__fail(at, ORR_EINVAL, "%s: %d derivatives for %d operands; give one for each, or none", name, n,
                         arity);
    orr_status st = check_text(at, name, expression, 0);
    for (int i = 0; i < n && st == ORR_OK; i++)
        st = check_text(at, name, derivatives[i], i);
    return st;
}

orr_op *orr_define_elementwise_at(const char *file, int line, const char *name, int arity, const char *expression,
                                  const char *const *derivatives, int n_derivatives)
{
    orr__site at = ORR__SITE(file, line, "define_elementwise");
    if (check(at, name, arity, expression, derivatives, n_derivatives) != ORR_OK)
        return NULL;
    orr__define *d = orr__alloc(sizeof *d);
    if (!d)
        return NULL;
    d->op = orr__op_defined;
    d->op.name = strdup(name);
    d->arity = arity;
    d->file = file;
    d->line = line;
    d->ntext = 1 + n_derivatives;
    bool there = d->op.name != NULL;
    for (int i = 0; i < d->ntext; i++)
        there = (d->text[i] = strdup(i == 0 ? expression : derivatives[i - 1])) && there;
    if (!there)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a definition");
    if (!there || understand(at, d) != ORR_OK) {
        orr__define_free(d);
        return NULL;
    }
    return orr__define_add(at, d, same);
}

/* -- recording ----------------------------------------------------------------------------------------------- */

static orr__node *number(orr__site at, double v, orr_dtype dtype, const orr_shape *shape)
{
    ORR__IN_DEFAULT_FPMODE;
    return orr__rec_const(at, dtype, shape, orr__scalar_cast((orr__scalar){ .f = v }, ORR_F64, dtype));
}

static orr__node *one(orr__site at, const orr__expr_node *v, orr_dtype dtype, const orr_shape *shape,
                      orr__node *const *named, orr__node *const *t)
{
    orr__node *arg[3] = { NULL, NULL, NULL };
    if (v->kind == ORR__EXPR_NUMBER)
        return number(at, v->number, dtype, shape);
    if (v->kind == ORR__EXPR_NAME)
        return orr__node_ref(named[v->name]);
    for (int k = 0; k < 3 && v->arg[k] >= 0; k++)
        arg[k] = t[v->arg[k]];
    return v->def ? orr__define_expand(at, v->def, arg) : orr__ew_node(at, v->row, arg);
}

static void mark_needed(const orr__expr *e, bool *needed)
{
    memset(needed, 0, (size_t)e->n);
    needed[e->n - 1] = true;
    for (int i = e->n; i-- > 0;)
        for (int k = 0; needed[i] && e->node[i].kind == ORR__EXPR_ROW && k < 3 && e->node[i].arg[k] >= 0; k++)
            needed[e->node[i].arg[k]] = true;
}

/* Records the expression on nodes of one dtype and shape, named x y z r g. The new nodes carry the name of d. */
static orr__node *record(orr__site at, const orr__define *d, const orr__expr *e, orr__node *const *named)
{
    orr__node *t[ORR__EXPR_NODES], *out = NULL;
    bool needed[ORR__EXPR_NODES];
    int i;
    mark_needed(e, needed);
    for (i = 0; i < e->n; i++) {
        t[i] = NULL;
        if (!needed[i])
            continue;
        if (!(t[i] = one(at, &e->node[i], (orr_dtype)named[0]->dtype, &named[0]->shape, named, t)))
            break;
        if (e->node[i].kind == ORR__EXPR_NUMBER || e->node[i].row) /* a new node without another reference */
            t[i]->as = d->op.name;
    }
    if (i == e->n)
        out = orr__node_ref(t[e->n - 1]);
    while (i-- > 0)
        orr__node_unref(t[i]);
    return out;
}

static orr__node *cast_to(orr__site at, const orr__define *d, orr__node *n, orr_dtype dtype)
{
    if (!n || n->dtype == dtype)
        return n;
    n = orr__rec_cast(at, n, dtype);
    if (n)
        n->as = d->op.name;
    return n;
}

/* Records in f32 if the dtype is a half, and rounds once. Truth values stay. */
static orr__node *record_wide(orr__site at, const orr__define *d, const orr__expr *e, orr__node *const *named)
{
    orr_dtype dtype = (orr_dtype)named[0]->dtype;
    orr__node *wide[5] = { NULL }, *out = NULL;
    bool ok = true;
    if (!orr__is_half(dtype))
        return record(at, d, e, named);
    for (int i = 0; i < 5 && ok; i++)
        ok = !named[i] || (wide[i] = cast_to(at, d, orr__node_ref(named[i]), ORR_F32));
    if (ok)
        out = record(at, d, e, wide);
    for (int i = 0; i < 5; i++)
        orr__node_unref(wide[i]);
    return out && out->dtype == ORR_F32 ? cast_to(at, d, out, dtype) : out;
}

static orr__scalar value_of(const orr__define *d, const orr__scalar *v)
{
    const orr__expr *e = d->value;
    orr__scalar t[ORR__EXPR_NODES], arg[3] = { { .f = 0 }, { .f = 0 }, { .f = 0 } };
    for (int i = 0; i < e->n; i++) {
        const orr__expr_node *n = &e->node[i];
        for (int k = 0; n->kind == ORR__EXPR_ROW && k < 3 && n->arg[k] >= 0; k++)
            arg[k] = t[n->arg[k]];
        if (n->kind == ORR__EXPR_NUMBER)
            t[i].f = n->number;
        else if (n->kind == ORR__EXPR_NAME)
            t[i] = v[n->name];
        else if (n->def)
            t[i] = value_of(n->def, arg);
        else
            t[i] = orr__ew_eval(n->row, e->node[n->arg[n->row->arity - 1]].truth ? ORR_BOOL : ORR_F64, arg[0], arg[1],
                                arg[2]);
    }
    return t[e->n - 1];
}

/* All operands are scalars without a dtype: the result is one too, and is computed now, as for a built-in row. */
static orr__node *fold(orr__site at, const orr__define *d, orr__node *const *node)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__scalar v[3] = { { .f = 0 }, { .f = 0 }, { .f = 0 } };
    for (int i = 0; i < d->arity; i++)
        v[i] = node[i]->s[0];
    orr__node *n = orr__rec_const(at, d->truth ? ORR_BOOL : ORR_F64, &node[0]->shape, value_of(d, v));
    if (n)
        n->weak = !d->truth;
    return n;
}

/* If d has derivatives of its own, the result is a node of d, in whose place a capture uses its last input, the
 * value. in[0 … arity) are the operands, which the derivatives need. */
orr__node *orr__define_expand(orr__site at, const orr__define *d, orr__node *const *node)
{
    orr__node *in[5] = { NULL }, *r;
    bool weak = true;
    at.op = d->op.name;
    for (int i = 0; i < d->arity; i++)
        weak = weak && node[i]->weak == ORR__WEAK_REAL;
    if (weak)
        return fold(at, d, node);
    if (!orr__ew_floats(at, d->arity, node, in))
        return NULL;
    r = record_wide(at, d, d->value, in);
    if (r && d->ntext > 1) {
        orr__node *body = r;
        in[d->arity] = body;
        r = orr__node_new(at, &d->op, (orr_dtype)body->dtype, &body->shape, d->arity + 1, in);
        orr__node_unref(body);
    }
    for (int i = 0; i < d->arity; i++)
        orr__node_unref(in[i]);
    return r;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    const orr__define *d = orr__define_node(b->node);
    orr__node *named[5] = { NULL };
    if (k >= d->arity || !d->deriv[k])
        return NULL;
    for (int i = 0; i < d->arity; i++)
        named[i] = orr__handle_node(b->in[i]);
    named[3] = orr__handle_node(b->out);
    named[4] = orr__handle_node(b->g);
    for (int i = 0; i < 5; i++)
        if (!named[i] && (i > 2 || i < d->arity))
            return orr__poison(b->at, ORR_EINTERNAL, "an operand of %s is gone", d->op.name);
    return orr__handle_new(record_wide(b->at, d, d->deriv[k], named));
}

/* The node's value is its last operand; the others are the operands of the derivatives. */
const orr__op orr__op_defined = {
    .id = ORR__OP_defined, .name = "defined", .arity = -1, .role = ORR__ROLE_THROUGH, .vjp = vjp
};

/* -- without a definition ------------------------------------------------------------------------------------ */

/* The definition need not outlive the call: the recorded nodes are of built-in rows and refer to its label alone. */
orr_tensor *orr_expression_at(const char *file, int line, const char *text, orr_tensor *const *x, int n)
{
    static const char label[] = "expression";
    static const char *const names[3] = { "x", "y", "z" };
    orr__site at = ORR__SITE(file, line, label);
    const orr_tensor *t[3] = { NULL };
    orr__node *node[3];
    orr_tensor *bad;
    if (check(at, label, n, text, NULL, 0) != ORR_OK || !x)
        return x ? orr__handle_new(NULL) : orr__poison(at, ORR_EINVAL, "the list of operands is NULL");
    for (int i = 0; i < n; i++)
        t[i] = x[i];
    if (!orr__operands(at, n, t, names, node, &bad))
        return bad;
    orr__define d = { .op = orr__op_defined, .arity = n, .file = file, .line = line, .ntext = 1 };
    d.op.name = label;
    d.text[0] = (char *)(uintptr_t)text; /* only read */
    at.op = NULL;                        /* the definition adds the label to messages */
    orr_tensor *y = orr__handle_new(understand(at, &d) == ORR_OK ? orr__define_expand(at, &d, node) : NULL);
    free(d.value);
    return y;
}
