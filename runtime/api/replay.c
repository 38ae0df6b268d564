/* Repeats dumps: as a whole, step by step, and two beside each other.
 * Must not know: the form of the file, kernels. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/dump.h>
#include "ops/exchange.h"
#include "ops/ops.h"
#include "ops/record.h"
#include "runtime/api/dump.h"
#include "runtime/api/eval.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/sha256.h"
#include "runtime/base/signals.h"

/* -- nodes ------------------------------------------------------------------------------------------------- */

/* Plans and nodes refer to names of files as long as the process lives. NULL: "", or no memory. */
static const char *interned(const char *s)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct name {
        struct name *next;
        char text[];
    } * all;
    size_t n = s ? strlen(s) : 0;
    if (n == 0)
        return NULL;
    (void)pthread_mutex_lock(&lock);
    struct name *x = all;
    while (x && strcmp(x->text, s) != 0)
        x = x->next;
    if (!x && (x = malloc(sizeof *x + n + 1))) {
        memcpy(x->text, s, n + 1);
        x->next = all;
        all = x;
    }
    (void)pthread_mutex_unlock(&lock);
    return x ? x->text : NULL;
}

static const orr__op *op_of(const char *name)
{
    for (int i = 0; i < orr__structural_count(); i++)
        if (strcmp(orr__structural[i]->name, name) == 0)
            return orr__structural[i];
    const orr__ewrow *row = orr__ew_find(name);
    return row ? &row->op : NULL;
}

/* The dtypes of an element-wise operation, about which the verifier of captures has no rule. */
static bool dtypes_fit(const orr__op *op, const orr__dump *d, const orr__dump_node *n)
{
    const orr__ewrow *row = orr__ew(op->id);
    if (!row)
        return true;
    if (n->nin != row->arity)
        return false;
    orr_dtype t = d->node[n->arg[row->cond]].dtype;
    for (int k = 0; k < n->nin; k++)
        if (d->node[n->arg[k]].dtype != (row->cond && k == 0 ? ORR_BOOL : t))
            return false;
    return orr__ew_takes(row, t) && orr__ew_result(row, t) == n->dtype;
}

static orr__node *leaf_node(orr__site at, const orr__dump *d, const orr__dump_node *n)
{
    const orr__dump_leaf *l = &d->leaf[n->leaf];
    if (!l->data && l->bytes) {
        (void)orr__fail(at, ORR_EGRAPH, "the dump has only the digest of this input");
        return NULL;
    }
    for (size_t i = 0; n->dtype == ORR_BOOL && i < l->bytes; i++)
        if (((const unsigned char *)l->data)[i] > 1) {
            (void)orr__fail(at, ORR_EFORMAT, "an element of a bool input is neither 0 nor 1");
            return NULL;
        }
    orr__buffer *b = orr__buffer_new(l->bytes);
    if (b && l->bytes)
        memcpy(b->host, l->data, l->bytes);
    return b ? orr__rec_leaf(at, n->dtype, &n->shape, b) : NULL;
}

static orr__node *computed_node(orr__site at, const orr__dump *d, const orr__dump_node *n, orr__node *const *nodes)
{
    const orr__op *op = op_of(n->op);
    orr__node **in = orr__alloc_n((size_t)n->nin + 1, sizeof *in);
    bool stands = op && (op->flags & ORR__OP_PLACES) && n->nin == 1;
    if (stands && orr__shape_equal(&nodes[n->arg[0]]->shape, &n->shape) && nodes[n->arg[0]]->dtype == n->dtype) {
        free(in);
        return orr__node_ref(nodes[n->arg[0]]);
    }
    if (!op || orr__is_exchange(op) || (op->flags & ORR__OP_PLACES))
        (void)orr__fail(at, ORR_EGRAPH, "%s is %s; it cannot be replayed", n->op,
                        op ? "an operation of several ranks" : "a kernel of the program, or of another version");
    else if (!dtypes_fit(op, d, n))
        (void)orr__fail(at, ORR_EFORMAT, "%s has operands of wrong dtypes", n->op);
    else if (in) {
        for (int k = 0; k < n->nin; k++)
            in[k] = orr__node_ref(nodes[n->arg[k]]);
        orr__node *x = orr__node_of(at, op, n->dtype, &n->shape, n->nin, in);
        if (x) {
            x->nscalar = (uint8_t)n->nscalar;
            memcpy(x->s, n->s, sizeof x->s);
            x->attr = n->attr;
            x->weak = n->weak;
            x->as = interned(n->as);
        }
        free(in);
        return x;
    }
    free(in);
    return NULL;
}

orr_status orr__dump_nodes(orr__site at, const orr__dump *d, orr__node ***nodes)
{
    (void)at;
    *nodes = orr__alloc_n((size_t)d->n + 1, sizeof **nodes);
    for (int i = 0; i < d->n && *nodes; i++) {
        const orr__dump_node *n = &d->node[i];
        const orr__op *op = n->leaf >= 0 ? NULL : op_of(n->op);
        orr__site place = ORR__SITE(interned(n->file), n->line, op ? op->name : "input");
        (*nodes)[i] = n->leaf >= 0 ? leaf_node(place, d, n) : computed_node(place, d, n, *nodes);
        if ((*nodes)[i])
            continue;
        orr__dump_undo(d, *nodes);
        *nodes = NULL;
        return orr__fail_place(place, ORR_EGRAPH);
    }
    return *nodes ? ORR_OK : ORR_ENOMEM;
}

void orr__dump_undo(const orr__dump *d, orr__node **nodes)
{
    for (int i = 0; nodes && i < d->n; i++)
        orr__node_unref(nodes[i]);
    free(nodes);
}

orr_status orr__dump_value(orr__site at, orr__node *n, orr__buffer **value)
{
    orr_status st = orr__node_value_ref(at, n, value);
    if (st != ORR_OK)
        return st;
    st = orr__run_wait_within((*value)->run);
    st = st == ORR_OK ? orr__buffer_sync(*value) : st;
    if (st != ORR_OK)
        orr__buffer_unref(*value);
    return st;
}

static orr_status digest_of(orr__site at, orr__node *n, unsigned char digest[32])
{
    orr__buffer *b;
    orr_status st = orr__dump_value(at, n, &b);
    if (st != ORR_OK)
        return st;
    orr__dump_digest(b->host, orr__node_bytes(n), digest);
    orr__buffer_unref(b);
    return ORR_OK;
}

/* -- receipts ---------------------------------------------------------------------------------------------- */

/* Of all that decides the values, without source lines. */
static void graph_digest(const orr__dump *d, unsigned char digest[32])
{
    orr__sha256 h;
    orr__sha256_begin(&h);
    for (int i = 0; i < d->n; i++) {
        const orr__dump_node *n = &d->node[i];
        orr__sha256_text(&h, n->op);
        orr__sha256_text(&h, orr_dtype_name(n->dtype));
        orr__sha256_add(&h, &n->shape.rank, sizeof n->shape.rank);
        orr__sha256_add(&h, n->shape.dim, (size_t)n->shape.rank * sizeof *n->shape.dim);
        orr__sha256_add(&h, &n->attr, sizeof n->attr);
        orr__sha256_add(&h, n->s, (size_t)n->nscalar * sizeof *n->s);
        orr__sha256_add(&h, &n->leaf, sizeof n->leaf);
        orr__sha256_add(&h, n->arg, (size_t)n->nin * sizeof *n->arg);
    }
    for (int k = 0; k < d->nout; k++)
        orr__sha256_add(&h, &d->out[k].node, sizeof d->out[k].node);
    orr__sha256_end(&h, digest);
}

static void print_digest(FILE *to, const char *name, const unsigned char digest[32])
{
    fprintf(to, "%-9s", name);
    for (int i = 0; i < 32; i++)
        fprintf(to, "%02x", digest[i]);
    (void)fputc('\n', to);
}

static void print_receipt(FILE *to, const orr__dump *d)
{
    unsigned char digest[32];
    orr__sha256 h;
    bool known = true;
    graph_digest(d, digest);
    print_digest(to, "graph", digest);
    orr__sha256_begin(&h);
    for (int k = 0; k < d->nleaf; k++)
        orr__sha256_add(&h, d->leaf[k].digest, sizeof d->leaf[k].digest);
    orr__sha256_end(&h, digest);
    print_digest(to, "inputs", digest);
    orr__dump_digest(d->settings, strlen(d->settings), digest);
    print_digest(to, "settings", digest);
    orr__sha256_begin(&h);
    for (int k = 0; k < d->nout; k++) {
        known = known && d->out[k].known;
        orr__sha256_add(&h, d->out[k].digest, sizeof d->out[k].digest);
    }
    orr__sha256_end(&h, digest);
    if (known)
        print_digest(to, "result", digest);
    else
        fprintf(to, "result   not known: the evaluation failed\n");
}

static orr_status begin(orr__site at, FILE *to, const char *path, orr__dump *d)
{
    return to ? orr__dump_read(at, path, d) : orr__fail(at, ORR_EINVAL, "the file is NULL");
}

orr_status orr_dump_print(FILE *to, const char *path)
{
    orr__site at = ORR__SITE(NULL, 0, "dump_print");
    orr__dump d;
    char text[1200], digest[17];
    orr_status st = begin(at, to, path, &d);
    if (st != ORR_OK)
        return st;
    ORR__GUARD_WRITES;
    fprintf(to, "%s\n%d nodes, %d inputs, %d results; Orrery %s, %s\n", d.reason, d.n, d.nleaf, d.nout, d.version,
            d.machine);
    for (int i = 0; i < d.n; i++)
        fprintf(to, "%5d  %s%s%s\n", i, orr__dump_step(&d.node[i], text, sizeof text), d.node[i].known ? "  " : "",
                d.node[i].known ? orr__dump_short(d.node[i].digest, digest) : "");
    if (*d.plan)
        fprintf(to, "plan:\n%s", d.plan);
    fprintf(to, "settings:\n%s", d.settings);
    print_receipt(to, &d);
    orr__dump_free(&d);
    return orr__printed(at, to);
}

/* -- as a whole -------------------------------------------------------------------------------------------- */

/* Compares the values of the results with the dump's digests. */
static orr_status compare_results(orr__site at, FILE *to, const orr__dump *d, orr__node *const *nodes, bool *same)
{
    orr_status st = ORR_OK;
    char text[1200];
    for (int k = 0; k < d->nout && st == ORR_OK; k++) {
        unsigned char digest[32];
        const orr__dump_result *r = &d->out[k];
        if ((st = digest_of(at, nodes[r->node], digest)) != ORR_OK)
            break;
        bool equal = !r->known || memcmp(digest, r->digest, sizeof digest) == 0;
        *same = *same && equal;
        fprintf(to, "result %d, %s: %s\n", k, orr__dump_step(&d->node[r->node], text, sizeof text),
                !r->known ? "computed; the dump has no value"
                : equal   ? "the same bits"
                          : "other bits");
    }
    return st;
}

orr_status orr_replay(FILE *to, const char *path, bool *same)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(NULL, 0, "replay");
    orr__dump d;
    orr__node **nodes = NULL;
    bool all = true;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = begin(at, to, path, &d)) != ORR_OK)
        return st;
    ORR__GUARD_WRITES;
    orr__node **out = orr__alloc_n((size_t)d.nout + 1, sizeof *out);
    st = out ? orr__dump_nodes(at, &d, &nodes) : ORR_ENOMEM;
    for (int k = 0; k < d.nout && st == ORR_OK; k++)
        out[k] = nodes[d.out[k].node];
    if (st == ORR_OK)
        st = orr__eval_nodes(at, out, d.nout, NULL);
    if (st == ORR_OK)
        st = compare_results(at, to, &d, nodes, &all);
    if (st == ORR_OK)
        print_receipt(to, &d);
    orr__dump_undo(&d, nodes);
    free(out);
    orr__dump_free(&d);
    if (same)
        *same = st == ORR_OK && all;
    return st == ORR_OK ? orr__printed(at, to) : st;
}

/* -- step by step ------------------------------------------------------------------------------------------ */

/* True if the step's line is "FILE:LINE", where FILE may have folders. */
static bool is_at(const orr__dump_node *n, const char *place)
{
    const char *colon = place ? strrchr(place, ':') : NULL;
    size_t length = colon ? (size_t)(colon - place) : 0, all = n->file ? strlen(n->file) : 0;
    return colon && atoi(colon + 1) == n->line && length <= all &&
           strncmp(n->file + all - length, place, length) == 0 && (length == all || n->file[all - length - 1] == '/');
}

/* The value, by a handle of a scope that ends here. */
static orr_status print_value(orr__site at, FILE *to, const char *name, orr__node *n)
{
    orr_scope *scope = orr_scope_begin();
    fprintf(to, "%s ", name);
    orr_status st = orr_print_at(at.file, at.line, to, orr__handle_new(orr__node_ref(n)));
    orr_status end = orr_scope_end(scope);
    return st == ORR_OK ? end : st;
}

static orr_status print_step(orr__site at, FILE *to, const orr__dump *d, int i, orr__node *const *nodes)
{
    char name[32];
    orr_status st = ORR_OK;
    for (int k = 0; k < d->node[i].nin && st == ORR_OK; k++) {
        (void)snprintf(name, sizeof name, "operand %d, of step %d:", k, d->node[i].arg[k]);
        st = print_value(at, to, name, nodes[d->node[i].arg[k]]);
    }
    return st == ORR_OK ? print_value(at, to, "value:", nodes[i]) : st;
}

/* Evaluates the steps up to `stop_at` in turn; each value is released after its last reader. to NULL: nothing is printed. *stopped: a step
 * of that line was reached. */
static orr_status run_steps(orr__site at, FILE *to, orr__dump *d, const char *stop_at, bool *stopped)
{
    orr__node **nodes;
    char text[1200], digest[17];
    int *last = orr__alloc_n((size_t)d->n + 1, sizeof *last);
    orr_status st = last ? orr__dump_nodes(at, d, &nodes) : ORR_ENOMEM;
    if (st != ORR_OK) {
        free(last);
        return st;
    }
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < d->node[i].nin; k++)
            last[d->node[i].arg[k]] = i;
    for (int i = 0; i < d->n && st == ORR_OK && !*stopped; i++) {
        orr__dump_node *n = &d->node[i];
        if (n->leaf >= 0)
            continue;
        if ((st = orr__eval_nodes(at, &nodes[i], 1, NULL)) == ORR_OK)
            st = digest_of(at, nodes[i], n->digest);
        n->known = st == ORR_OK;
        if (to && n->known)
            fprintf(to, "%5d  %s  %s\n", i, orr__dump_step(n, text, sizeof text), orr__dump_short(n->digest, digest));
        *stopped = n->known && is_at(n, stop_at);
        if (*stopped && to)
            st = print_step(at, to, d, i, nodes);
        for (int k = 0; k < n->nin && !*stopped; k++)
            if (last[n->arg[k]] == i) {
                orr__node_unref(nodes[n->arg[k]]);
                nodes[n->arg[k]] = NULL;
                last[n->arg[k]] = -1;
            }
    }
    d->steps = st == ORR_OK && !*stopped;
    orr__dump_undo(d, nodes);
    free(last);
    return st;
}

orr_status orr_replay_steps(FILE *to, const char *path, const char *stop_at, const char *record)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(NULL, 0, "replay_steps");
    orr__dump d;
    bool stopped = false;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = begin(at, to, path, &d)) != ORR_OK)
        return st;
    ORR__GUARD_WRITES;
    st = run_steps(at, to, &d, stop_at, &stopped);
    if (st == ORR_OK && stop_at && !stopped)
        st = orr__fail(at, ORR_EINVAL, "no step of %s is at %s; a place is FILE:LINE, as orr_dump_print shows it", path,
                       stop_at);
    if (st == ORR_OK && record) {
        d.machine = orr__engine_name();
        d.version = orr_version();
        st = orr__dump_write(at, record, &d);
    }
    orr__dump_free(&d);
    return st == ORR_OK ? orr__printed(at, to) : st;
}

/* -- two dumps --------------------------------------------------------------------------------------------- */

/* The respect in which step i of two dumps differs, other than by its value; NULL: none. */
static const char *difference(const orr__dump_node *a, const orr__dump_node *b)
{
    if (strcmp(a->op, b->op) != 0)
        return "another operation";
    if (a->dtype != b->dtype || !orr__shape_equal(&a->shape, &b->shape))
        return "another dtype or shape";
    if (memcmp(&a->attr, &b->attr, sizeof a->attr) != 0)
        return "another attribute";
    if (a->nscalar != b->nscalar || memcmp(a->s, b->s, (size_t)a->nscalar * sizeof *a->s) != 0)
        return "another number of the program";
    if (a->leaf != b->leaf || a->nin != b->nin || memcmp(a->arg, b->arg, (size_t)a->nin * sizeof *a->arg) != 0)
        return "other operands";
    return NULL;
}

static const char *first_difference(const orr__dump *a, const orr__dump *b, int *step)
{
    for (*step = 0; *step < a->n && *step < b->n; ++*step) {
        const orr__dump_node *x = &a->node[*step], *y = &b->node[*step];
        const char *why = difference(x, y);
        if (!why && x->leaf >= 0 && memcmp(a->leaf[x->leaf].digest, b->leaf[y->leaf].digest, 32) != 0)
            why = "another input";
        if (!why && x->leaf < 0 && memcmp(x->digest, y->digest, sizeof x->digest) != 0)
            why = "another value from equal operands";
        if (why)
            return why;
    }
    return a->n != b->n ? "one of the graphs has no such step" : NULL;
}

static orr_status compare(orr__site at, FILE *to, orr__dump *a, orr__dump *b, bool *same)
{
    char text[1200];
    bool stopped = false;
    int step;
    orr_status st = a->steps && b->steps ? ORR_OK : orr__need_running(at);
    if (st == ORR_OK && !a->steps)
        st = run_steps(at, NULL, a, NULL, &stopped);
    if (st == ORR_OK && !b->steps)
        st = run_steps(at, NULL, b, NULL, &stopped);
    if (st != ORR_OK)
        return st;
    const char *why = first_difference(a, b, &step);
    *same = !why;
    if (!why)
        fprintf(to, "%d steps are the same\n", a->n);
    else
        fprintf(to, "the first difference is step %d, %s: %s\n", step,
                orr__dump_step(step < a->n ? &a->node[step] : &b->node[step], text, sizeof text), why);
    return orr__printed(at, to);
}

orr_status orr_dump_compare(FILE *to, const char *path, const char *other, bool *same)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(NULL, 0, "dump_compare");
    orr__dump a, b;
    bool equal = false;
    orr_status st = begin(at, to, path, &a);
    if (st != ORR_OK)
        return st;
    ORR__GUARD_WRITES;
    if ((st = begin(at, to, other, &b)) == ORR_OK) {
        st = compare(at, to, &a, &b, &equal);
        orr__dump_free(&b);
    }
    orr__dump_free(&a);
    if (same)
        *same = equal;
    return st;
}
