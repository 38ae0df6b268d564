/* Reverse mode: visits the ancestors of y from y down and adds up cotangents. No recursion.
 * Must not know: the derivative of any single op. */
#include "config.h"

#include <stdlib.h>
#include <orrery/eval.h>
#include "ops/grad_walk.h"
#include "ops/back.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/text.h"

/* One walk. Arrays have an entry per node of the ancestry. */
typedef struct {
    orr__site at;
    orr__ancestry a;
    bool *leads;         /* the node is an x or has one among its ancestors  */
    orr_tensor **cot;    /* cotangent so far, NULL: none                     */
    orr_tensor **handle; /* the node as a tensor, made when first needed     */
    orr_tensor **args;   /* for the operands of one node, as many as the most */
} walk;

orr_tensor *orr_detach_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "detach");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, t, "t", &n, &bad))
        return bad;
    return orr__handle_new(orr__rec_one(at, &orr__op_detach, (orr_dtype)n->dtype, &n->shape, orr__node_ref(n)));
}

static int arity(const walk *w, int i)
{
    return w->a.arg0[i + 1] - w->a.arg0[i];
}

static bool walk_begin(walk *w, orr__node *y, orr__node *const *x, int nx)
{
    if (orr__ancestry_make(w->at, y, x, nx, &w->a) != ORR_OK)
        return false;
    int most = 1;
    for (int i = 0; i < w->a.n; i++)
        most = arity(w, i) > most ? arity(w, i) : most;
    size_t n = (size_t)w->a.n;
    w->leads = orr__alloc_n(n, sizeof *w->leads);
    w->cot = orr__alloc_n(n, sizeof(orr_tensor *));
    w->handle = orr__alloc_n(n, sizeof(orr_tensor *));
    w->args = orr__alloc_n((size_t)most, sizeof(orr_tensor *));
    return w->leads && w->cot && w->handle && w->args;
}

static void walk_end(walk *w)
{
    orr__ancestry_free(&w->a);
    free(w->leads);
    free(w->cot);
    free(w->handle);
    free(w->args);
}

/* Inputs precede their users, so one pass finds all nodes that lead to an x. */
static void mark_leads(walk *w, orr__node *const *x, int n)
{
    for (int k = 0; k < n; k++) {
        int i = orr__ancestry_find(&w->a, x[k]);
        if (i >= 0)
            w->leads[i] = true;
    }
    for (int i = 0; i < w->a.n; i++) {
        const orr__node *node = w->a.node[i];
        if ((node->op->flags & ORR__OP_STOPS) || !orr__is_inexact((orr_dtype)node->dtype))
            continue;
        for (int k = 0; k < arity(w, i) && !w->leads[i]; k++)
            w->leads[i] = w->leads[w->a.arg[w->a.arg0[i] + k]];
    }
}

/* True if x, or a former value of the variable x, may be an ancestor of a node that has lost its inputs. */
static bool may_hide(const orr__node *node, const orr__node *x)
{
    return x->var ? (node->tracked & ORR__FLOWS) != 0 : orr__node_may_descend(node, x);
}

static orr_status tell_forgotten(orr__site at, const orr__node *n)
{
    if (n->op == &orr__op_result)
        return orr__fail(at, ORR_EGRAPH,
                         "a result of %s (%s:%d) holds a value and not its history, since a graph computed it: for a "
                         "gradient record the operations instead (orr_scan without loop, or calls in place of "
                         "orr_graph_submit), or orr_detach the result if it is a constant",
                         n->as ? n->as : n->op->name, n->file ? n->file : "?", n->line);
    return orr__fail(at, ORR_EGRAPH,
                     "the result of %s (%s:%d) has been evaluated%s, and its operands were released: take the gradient "
                     "before the evaluation, or orr_detach the result if it is a constant",
                     n->op->name, n->file ? n->file : "?", n->line,
                     n->kept ? ", because variables that it depends on were assigned" : "");
}

/* ORR_EGRAPH if n is a former value of an x that is a variable: its gradient is not that by the present value. */
static orr_status check_former(orr__site at, const orr__node *n, orr__node *const *x, int nx)
{
    for (int k = 0; n->var && k < nx; k++)
        if (x[k]->var == n->var)
            return orr__fail(at, ORR_EGRAPH,
                             "x[%d] is a variable that was assigned (%s:%d) after its former value was used: take the "
                             "gradient before the assignment, or orr_detach the results of the former value",
                             k, x[k]->file ? x[k]->file : "?", x[k]->line);
    return ORR_OK;
}

/* ORR_EGRAPH if a gradient would reach a node that has lost its inputs and may descend from an x, or a former value of an x: the
 * result must not be a silent zero. */
static orr_status check_forgotten(walk *w, orr__node *const *x, int n)
{
    bool *flows = orr__alloc_n((size_t)w->a.n, sizeof *flows);
    orr_status st = flows ? ORR_OK : ORR_ENOMEM;
    if (flows)
        flows[w->a.n - 1] = n > 0;
    for (int i = w->a.n - 1; i >= 0 && st == ORR_OK; i--) {
        const orr__node *node = w->a.node[i];
        if (flows[i] && node->var && !w->leads[i])
            st = check_former(w->at, node, x, n);
        if (!flows[i] || (node->op->flags & ORR__OP_STOPS) || !orr__is_inexact((orr_dtype)node->dtype))
            continue;
        bool hides = false;
        for (int k = 0; k < n && !hides && w->a.lost[i] && !w->leads[i]; k++)
            hides = may_hide(node, x[k]);
        if (hides)
            st = tell_forgotten(w->at, node);
        int through = arity(w, i) - (node->op->role == ORR__ROLE_THROUGH); /* all inputs but the value, the last one */
        for (int k = 0; k < through; k++)
            flows[w->a.arg[w->a.arg0[i] + k]] = true;
    }
    free(flows);
    return st;
}

/* The node that makes whole numbers or truth values of what depends on x, so that y depends on x through these alone; NULL: y does not.
 * x is no ancestor by which a gradient flows. An evaluated node may have been computed from x. */
static const orr__node *whole_between(const orr__ancestry *a, const orr__node *x, bool *leads)
{
    int at = orr__ancestry_find(a, x);
    for (int i = 0; i < a->n; i++) {
        const orr__node *n = a->node[i];
        leads[i] = i == at || (at < 0 && a->lost[i] && !n->derived && orr__node_may_descend(n, x));
        for (int k = a->arg0[i]; k < a->arg0[i + 1] && !leads[i]; k++)
            leads[i] = leads[a->arg[k]];
        if (leads[i] && !orr__is_inexact((orr_dtype)n->dtype))
            return n;
    }
    return NULL;
}

static orr_status tell_unused(orr__site at, const orr__node *y, const orr__node *x, int k, const orr__node *whole)
{
    if (whole)
        return orr__fail(
            at, ORR_EGRAPH,
            "y depends on x[%d] through %s (%s:%d) alone, whose results are whole numbers or truth values, "
            "and no gradient flows through these: leave x[%d] out, or write orr_grad_or_zeros",
            k, whole->op->name, whole->file ? whole->file : "?", whole->line, k);
    return orr__fail(
        at, ORR_EGRAPH,
        "y (%s, %s:%d) does not depend on x[%d] (%s, %s:%d), which was computed: record y from x[%d], as a "
        "part of a tensor is another tensor, or write orr_grad_or_zeros",
        y->op->name, y->file ? y->file : "?", y->line, k, x->op->name, x->file ? x->file : "?", x->line, k);
}

/* ORR_EGRAPH if y does not depend on an x that was computed, or on an x through whole numbers alone. Arrays, variables and
 * constants that y does not use have a gradient of zeros. */
static orr_status check_unused(const walk *w, orr__node *y, orr__node *const *x, int n)
{
    orr__ancestry a = { 0 };
    bool *leads = NULL, derived = false;
    orr_status st = ORR_OK;
    for (int k = 0; k < n && y->op->arity != 0 && st == ORR_OK; k++) {
        bool computed = x[k]->op->arity != 0 && !x[k]->var;
        if (orr__ancestry_find(&w->a, x[k]) >= 0 || (!computed && (x[k]->kin & ~y->kin)))
            continue;
        if (!leads) {
            st = orr__ancestry_whole(w->at, y, x, n, &a);
            leads = st == ORR_OK ? orr__alloc_n((size_t)a.n, sizeof *leads) : NULL;
            for (int i = 0; i < a.n && !derived; i++)
                derived = a.node[i]->derived;
        }
        if (!leads)
            st = st == ORR_OK ? ORR_ENOMEM : st;
        const orr__node *whole = leads ? whole_between(&a, x[k], leads) : NULL;
        if (whole || (leads && computed && !derived))
            st = tell_unused(w->at, y, x[k], k, whole);
    }
    free(leads);
    orr__ancestry_free(&a);
    return st;
}

static orr_tensor *handle_of(walk *w, int i)
{
    if (!w->handle[i])
        w->handle[i] = orr__handle_new(orr__node_ref(w->a.node[i]));
    return w->handle[i];
}

static orr_status step_back(walk *w, int i)
{
    int nin = arity(w, i);
    const int32_t *arg = w->a.arg + w->a.arg0[i];
    for (int k = 0; k < nin; k++)
        w->args[k] = handle_of(w, arg[k]);
    const orr__node *node = w->a.node[i];
    if (node->op->flags & ORR__OP_STOPS)
        return ORR_OK; /* an x */
    if (!node->op->vjp && nin > 0)
        return orr__fail(w->at, ORR_EGRAPH, "%s (%s:%d) has no derivative: orr_detach its result if it is a constant",
                         node->op->name, node->file ? node->file : "?", node->line);
    orr__passed passed = { 0, 0 };
    orr__back b = { w->at, node, nin, w->args, handle_of(w, i), w->cot[i], &passed };
    for (int k = 0; k < nin; k++) {
        if (!w->leads[arg[k]])
            continue;
        orr_tensor *g = node->op->vjp(&b, k);
        if (!g)
            continue;
        orr_tensor *sum = w->cot[arg[k]];
        w->cot[arg[k]] = sum ? orr_add_at(w->at.file, w->at.line, sum, g) : g;
        orr_status st = orr_tensor_status(w->cot[arg[k]]);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

/* Computes the cotangent of every node that leads to an x. y is the last node. */
static orr_status walk_back(walk *w, orr_tensor *seed)
{
    int y = w->a.n - 1;
    if (w->leads[y])
        w->cot[y] = seed;
    for (int i = y; i >= 0; i--) {
        orr_status st = w->cot[i] && w->leads[i] ? step_back(w, i) : ORR_OK;
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

/* The gradient by x under a handle of its own, since cotangents may be shared. */
static orr_tensor *result_for(walk *w, const orr__node *x)
{
    int i = orr__ancestry_find(&w->a, x);
    if (i < 0 || !w->cot[i])
        return orr_zeros_at(w->at.file, w->at.line, (orr_dtype)x->dtype, x->shape);
    return orr__handle_new(orr__node_ref(orr__handle_node(w->cot[i])));
}

/* *reached: the number of x on which y depends; NULL: an x that the caller gave by mistake is an error. */
static orr_status run(orr__site at, orr__node *y, orr_tensor *seed, orr__node *const *x, int n, orr_tensor **grads,
                      int *reached)
{
    walk w = { .at = at };
    orr_scope *scope = orr_scope_begin();
    orr_status st = scope && walk_begin(&w, y, x, n) ? ORR_OK : orr_error_status();
    if (st == ORR_OK) {
        mark_leads(&w, x, n);
        st = check_forgotten(&w, x, n);
    }
    if (st == ORR_OK && !reached)
        st = check_unused(&w, y, x, n);
    bool before = orr__node_deriving(true);
    if (st == ORR_OK)
        st = walk_back(&w, seed);
    (void)orr__node_deriving(before);
    for (int i = 0; i < n && st == ORR_OK; i++) {
        orr_tensor *r = result_for(&w, x[i]);
        int k = orr__ancestry_find(&w.a, x[i]);
        if (reached)
            *reached += k >= 0 && w.cot[k];
        st = orr_tensor_status(r);
        if (st == ORR_OK)
            st = orr_tensor_status(grads[i] = orr_scope_return_at(at.file, at.line, scope, r));
    }
    if (scope)
        (void)orr_scope_end_at(at.file, at.line, scope);
    walk_end(&w);
    return st;
}

static orr_status failed(orr_status st, int n, orr_tensor **grads)
{
    for (int i = 0; grads && i < n; i++)
        grads[i] = orr__handle_new(NULL);
    return st;
}

/* Checks the list x, then differentiates. */
static orr_status differentiate(orr__site at, orr__node *y, orr_tensor *seed, orr_tensor *const *x, int n,
                                orr_tensor **grads, int *reached)
{
    orr_tensor *bad;
    orr__node **node = orr__alloc_n((size_t)n + 1, sizeof(orr__node *));
    if (!node)
        return failed(ORR_ENOMEM, n, grads);
    orr_status st = ORR_OK;
    for (int i = 0; i < n && st == ORR_OK; i++) {
        char name[32];
        orr__text_numbered(name, sizeof name, "x[", i, "]");
        if (!orr__operand_inexact(at, x[i], name, &node[i], &bad))
            st = orr_tensor_status(bad);
        else if (node[i]->weak)
            st = orr__fail(at, ORR_EINVAL,
                           "%s is a scalar without a dtype (%s:%d), which operations take as a number of their own: "
                           "make it by orr_full(dtype, ORR_SHAPE_0D, value)",
                           name, node[i]->file ? node[i]->file : "?", node[i]->line);
    }
    if (st == ORR_OK)
        st = run(at, y, seed, node, n, grads, reached);
    free(node);
    return st == ORR_OK ? ORR_OK : failed(st, n, grads);
}

/* ORR_EGRAPH if an x was computed later than y, as by an assignment after y had read the former value: the zeros would be silent. Variables
 * have check_former, and constants derivatives of zero. */
static orr_status check_later(orr__site at, const orr_tensor *y, orr_tensor *const *x, int n)
{
    const orr__node *ny = y ? orr__handle_node(y) : NULL;
    for (int k = 0; ny && !ny->poison && ny->op->arity != 0 && x && k < n; k++) {
        const orr__node *nx = x[k] ? orr__handle_node(x[k]) : NULL;
        if (!nx || nx == ny || nx->poison || nx->var || nx->op->arity == 0 || nx->born < ny->born)
            continue;
        return orr__fail(at, ORR_EGRAPH,
                         "y (%s, %s:%d) was recorded before x[%d] (%s, %s:%d) and does not depend on it: record y anew "
                         "from the present x[%d], or take the gradient before x[%d] is assigned or computed again",
                         ny->op->name, ny->file ? ny->file : "?", ny->line, k, nx->op->name, nx->file ? nx->file : "?",
                         nx->line, k, k);
    }
    return ORR_OK;
}

static orr_status from_seed(orr__site at, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n,
                            orr_tensor **grads, int *reached)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__node *ny, *ns;
    orr_tensor *bad;
    if (n < 0 || (n && (!x || !grads)))
        return orr__fail(at, ORR_EINVAL, n < 0 ? "n is negative" : "x or grads is NULL");
    if (!orr__operand_inexact(at, y, "y", &ny, &bad) || !orr__operand(at, seed, "seed", &ns, &bad))
        return failed(orr_tensor_status(bad), n, grads);
    if (ns->dtype != ny->dtype || !orr__shape_equal(&ns->shape, &ny->shape))
        return failed(orr__fail(at, ns->dtype != ny->dtype ? ORR_EDTYPE : ORR_ESHAPE,
                                "the seed is %s %s and y is %s %s", orr_dtype_name((orr_dtype)ns->dtype),
                                orr__str(ns->shape).s, orr_dtype_name((orr_dtype)ny->dtype), orr__str(ny->shape).s),
                      n, grads);
    return differentiate(at, ny, seed, x, n, grads, reached);
}

orr_status orr__vjp(orr__site at, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n, orr_tensor **grads)
{
    return from_seed(at, y, seed, x, n, grads, &(int){ 0 });
}

orr_status orr_vjp_at(const char *file, int line, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n,
                      orr_tensor **grads)
{
    orr__site at = ORR__SITE(file, line, "vjp");
    orr_status st = check_later(at, y, x, n);
    return st == ORR_OK ? from_seed(at, y, seed, x, n, grads, NULL) : failed(st, n, grads);
}

orr_status orr__grad(orr__site at, orr_tensor *y, orr_tensor *const *x, int n, orr_tensor **grads, int *reached)
{
    ORR__IN_DEFAULT_FPMODE;
    const char *file = at.file;
    int line = at.line;
    orr__node *ny;
    orr_tensor *bad;
    if (n < 0 || (n && (!x || !grads)))
        return orr__fail(at, ORR_EINVAL, n < 0 ? "n is negative" : "x or grads is NULL");
    if (!orr__operand_inexact(at, y, "y", &ny, &bad))
        return failed(orr_tensor_status(bad), n, grads);
    orr_scope *scope = orr_scope_begin();
    orr_tensor *seed = orr_ones_at(file, line, (orr_dtype)ny->dtype, ny->shape);
    orr_status st = scope ? orr_tensor_status(seed) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = differentiate(at, ny, seed, x, n, grads, reached);
    for (int i = 0; i < n && st == ORR_OK; i++)
        st = orr_tensor_status(grads[i] = orr_scope_return_at(file, line, scope, grads[i]));
    if (scope)
        (void)orr_scope_end_at(file, line, scope);
    return st == ORR_OK ? ORR_OK : failed(st, n, grads);
}

orr_status orr_grad_at(const char *file, int line, orr_tensor *y, orr_tensor *const *x, int n, orr_tensor **grads)
{
    orr__site at = ORR__SITE(file, line, "grad");
    orr_status st = check_later(at, y, x, n);
    return st == ORR_OK ? orr__grad(at, y, x, n, grads, NULL) : failed(st, n, grads);
}

orr_status orr_grad_or_zeros_at(const char *file, int line, orr_tensor *y, orr_tensor *const *x, int n,
                                orr_tensor **grads)
{
    return orr__grad(ORR__SITE(file, line, "grad_or_zeros"), y, x, n, grads, &(int){ 0 });
}
