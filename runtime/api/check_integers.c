/* Integers that are not the true value of their operation, and indices out of range: the bit of an evaluation, and the line to blame.
 * Must not know: single operations, plans. */
#include "config.h"

#include <stdlib.h>
#include <orrery/eval.h>
#include "ops/exchange.h"
#include "ops/record.h"
#include "ops/wrapped.h"
#include "runtime/api/check_integers.h"
#include "runtime/base/env.h"

/* Elements of node i of the capture that may be wrong. */
typedef struct orr__doubt {
    int i;
    bool index;       /* an index out of range                    */
    orr__node *bits;  /* of each element                          */
    orr__node *found; /* a scalar, whether one of the bits is set */
} doubt;

/* The node with its value on every rank. Takes over the reference. */
static orr__node *whole(orr__site at, const orr__integers *c, orr__node *n)
{
    return n && c->over_ranks ? orr__rec_distribute(at, n, 0) : n;
}

/* Room for two doubts of a node is there. */
static void add(orr__site at, orr__integers *c, int i, bool index, orr__node *bits)
{
    if (!bits)
        return;
    orr__node *found = whole(at, c, orr__blame_any(at, orr__node_ref(bits)));
    c->doubt[c->n++] = (doubt){ i, index, bits, found };
    c->bit = c->bit ? orr__rec_or(at, c->bit, orr__node_ref(found)) : orr__node_ref(found);
}

static void add_node(orr__site at, orr__integers *c, int i)
{
    const orr__op *op = c->p.node[i]->op;
    unsigned check = orr__env.check;
    if (c->p.leaf_of[i] >= 0)
        return;
    if (op->outside && check & ORR__CHECK_BOUNDS)
        add(at, c, i, true, op->outside(at, &c->p, i));
    if (op->wrapped && check & ORR__CHECK_OVERFLOW)
        add(at, c, i, false, op->wrapped(at, &c->p, i));
}

static void forget(orr__integers *c)
{
    for (int k = 0; k < c->n; k++) {
        orr__node_unref(c->doubt[k].bits);
        orr__node_unref(c->doubt[k].found);
    }
    free(c->doubt);
    orr__node_unref(c->bit);
    orr__capture_free(&c->p);
    *c = (orr__integers){ .n = 0 };
}

orr_status orr__integers_begin(orr__site at, const orr__capture_roots *roots, bool over_ranks, orr__integers *c)
{
    orr__capture_roots again = *roots;
    again.counts = false;
    *c = (orr__integers){ .over_ranks = over_ranks };
    if (!(orr__env.check & (ORR__CHECK_BOUNDS | ORR__CHECK_OVERFLOW)))
        return ORR_OK;
    orr_status st = orr__capture_make_roots(at, &again, &c->p);
    if (st != ORR_OK)
        return st;
    c->doubt = orr__alloc_n(2 * (size_t)c->p.n + 1, sizeof *c->doubt);
    for (int i = 0; i < c->p.n && c->doubt; i++)
        add_node(at, c, i);
    if (c->doubt)
        return ORR_OK;
    forget(c);
    return ORR_ENOMEM;
}

/* -- blame ----------------------------------------------------------------------------------------------- */

/* The recorded order is that of the program. */
static bool earlier(const orr__integers *c, const doubt *a, const doubt *b)
{
    return !b || c->p.node[a->i]->born < c->p.node[b->i]->born;
}

/* Of an evaluation that has ended well: all bits at once. */
static const doubt *first_of_all(orr__site at, const orr__integers *c, orr__check_eval *eval)
{
    const doubt *first = NULL;
    orr__node **found = orr__alloc_n((size_t)c->n + 1, sizeof(orr__node *));
    for (int k = 0; k < c->n && found; k++)
        found[k] = c->doubt[k].found;
    bool known = found && eval(at, found, c->n) == ORR_OK;
    for (int k = 0; k < c->n && known; k++)
        if (orr__blame_is_set(found[k]) && earlier(c, &c->doubt[k], first))
            first = &c->doubt[k];
    free(found);
    return first;
}

/* An index that ends an evaluation: those before it are computed by themselves. */
static const doubt *first_index(orr__site at, const orr__integers *c, orr__check_eval *eval)
{
    for (int k = 0; k < c->n; k++)
        if (c->doubt[k].index && eval(at, &c->doubt[k].found, 1) == ORR_OK && orr__blame_is_set(c->doubt[k].found))
            return &c->doubt[k];
    return NULL;
}

static int operand_of_indices(const orr__node *n)
{
    return n->op->arity > 1;
}

static orr__node *input(const orr__integers *c, int i, int k)
{
    return c->p.node[c->p.arg[c->p.arg0[i] + k]];
}

/* The elements at place e of node i and, if it is element-wise, of its operands; of another, its true value. */
enum { SEEN = 4 };
static int elements(orr__site at, const orr__integers *c, const doubt *d, int64_t e, orr__node **seen)
{
    orr__node *n = c->p.node[d->i];
    if (d->index) {
        seen[0] = whole(at, c, orr__blame_elements(at, input(c, d->i, operand_of_indices(n)), e, 1));
        return seen[0] != NULL;
    }
    bool one = n->op->pattern == ORR__PATTERN_ELEMENT;
    orr__node *truth = one ? NULL : orr__wrapped_true(at, &c->p, d->i);
    int nin = one ? orr__capture_nin(&c->p, d->i) : truth != NULL, count = 0;
    seen[count++] = whole(at, c, orr__blame_elements(at, n, e, 1));
    for (int k = 0; k < nin && count < SEEN; k++)
        seen[count++] = whole(at, c, orr__blame_elements(at, one ? input(c, d->i, k) : truth, e, 1));
    orr__node_unref(truth);
    for (int k = 0; k < count; k++)
        if (!seen[k])
            return 0;
    return count;
}

/* True for an index that a composition found out of range before it made a flat place of it: its value is no more known. */
static bool is_replaced(const orr__node *index)
{
    bool known;
    int64_t v = orr__blame_number(index, &known).i;
    return index->dtype == ORR_I64 && known && v <= ORR__NO_PLACE / 2 && v >= ORR__NO_PLACE * 16;
}

static void say_index(const orr__integers *c, const doubt *d, orr__node *const *seen, char *text, size_t size)
{
    const orr__node *n = c->p.node[d->i];
    if (is_replaced(seen[0])) {
        orr__blame_append(text, size, " of the indices is out of range");
        return;
    }
    orr__blame_append(text, size, " of the indices is ");
    orr__blame_value(text, size, seen[0]);
    if (operand_of_indices(n))
        orr__blame_append(text, size, ", out of range for axis %d of length %lld", n->attr.axis,
                          (long long)input(c, d->i, 0)->shape.dim[n->attr.axis]);
    else
        orr__blame_append(text, size, ", which names none of %lld classes", (long long)n->attr.start[0]);
}

static void say_integer(const orr__integers *c, const doubt *d, orr__node *const *seen, int count, char *text,
                        size_t size)
{
    const orr__node *n = c->p.node[d->i];
    bool one = n->op->pattern == ORR__PATTERN_ELEMENT;
    orr__blame_append(text, size, " is ");
    orr__blame_value(text, size, seen[0]);
    for (int k = 1; k < count; k++) {
        orr__blame_append(text, size, k > 1 ? " and " : one ? ", made from " : ", and not about ");
        orr__blame_value(text, size, seen[k]);
    }
    orr__blame_append(text, size, ": %s has no such value", orr_dtype_name((orr_dtype)n->dtype));
}

/* The doubt's first element in words. */
static void describe(orr__site at, const orr__integers *c, const doubt *d, orr__check_eval *eval, char *text,
                     size_t size)
{
    bool known;
    orr__node *seen[SEEN] = { NULL }, *first = whole(at, c, orr__blame_first(at, orr__node_ref(d->bits)));
    const orr_shape *shape = &d->bits->shape;
    *text = '\0';
    known = first && eval(at, &first, 1) == ORR_OK;
    int64_t e = known ? orr__blame_number(first, &known).i : 0;
    orr__node_unref(first);
    int count = known && e < orr__shape_count(shape) ? elements(at, c, d, e, seen) : 0;
    known = count > 0 && eval(at, seen, count) == ORR_OK;
    if (known)
        orr__blame_place(text, size, shape, e);
    else
        orr__blame_append(text, size, "%s", d->index ? "an index is out of range" : "an integer is not the true value");
    if (known && d->index)
        say_index(c, d, seen, text, size);
    else if (known)
        say_integer(c, d, seen, count, text, size);
    for (int k = 0; k < SEEN; k++)
        orr__node_unref(seen[k]);
}

static void blame(orr__site at, const orr__integers *c, bool failed, orr__check_eval *eval)
{
    const doubt *d = !orr__blame_may_repeat(&c->p) ? NULL
                     : failed                      ? first_index(at, c, eval)
                                                   : first_of_all(at, c, eval);
    const orr__node *n = d ? c->p.node[d->i] : NULL;
    const char *file = n ? n->file : at.file;
    int line = n ? n->line : at.line;
    char text[400] = "an integer is not the true value, or an index out of range; the graph cannot be computed again";
    if ((failed && !d) || !orr__blame_is_new(file, line))
        return;
    if (d)
        describe(at, c, d, eval, text, sizeof text);
    orr__log(1, "%s:%d: %s: %s", file ? file : "?", line, n ? orr__blame_name(&c->p, d->i) : at.op, text);
}

bool orr__integers_end(orr__site at, orr__integers *c, orr_status st, orr__check_eval *eval)
{
    char error[1024];
    bool failed = st != ORR_OK, later = c->bit && c->over_ranks;
    bool hit = !failed && (!later || eval(at, &c->bit, 1) == ORR_OK) && orr__blame_is_set(c->bit);
    (void)snprintf(error, sizeof error, "%s", failed ? orr_error_message() : "");
    if (hit || (st == ORR_EINDEX && !c->over_ranks)) /* ranks fail one by one */
        blame(at, c, failed, eval);
    forget(c);
    if (failed)
        (void)orr__fail_text(st, error);
    return hit;
}
