/* Numbers that are not finite: the engine's doubt about the results of an evaluation, and the search for the line to blame. The ancestors of
 * the results alone are computed again: of element-wise operations the one element, of others the operands up to the first such number.
 * Must not know: plans, the way in which launches look at results. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include "codelets/codelet.h"
#include "ops/exchange.h"
#include "ops/record.h"
#include "runtime/api/check.h"
#include "runtime/api/eval.h"
#include "runtime/api/part.h"
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/cost/machine.h"
#include "runtime/engine/finite.h"

_Thread_local orr_status *orr__check_asked __attribute__((tls_model("initial-exec")));

/* -- bits ------------------------------------------------------------------------------------------------ */

static bool is_inexact(const orr__node *n)
{
    return orr__is_float((orr_dtype)n->dtype) || orr__is_complex((orr_dtype)n->dtype);
}

/* A scalar: is an element of n not finite? */
static orr__node *bit_of(orr__site at, orr__node *n)
{
    return orr__blame_any(at, orr__rec_not_finite(at, orr__node_ref(n)));
}

void orr__check_begin(orr__check *c, const orr__capture_roots *roots)
{
    *c = (orr__check){ .roots = *roots, .doubts = orr__finite_doubts() };
}

/* The evaluation may return before new values of variables are written. */
orr_status orr__check_wait(const orr__capture_roots *roots)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < roots->nout && st == ORR_OK; i++) {
        const orr__buffer *b = orr__node_value(roots->out[i]);
        orr__run *run = b && b->run ? orr__run_ref(b->run) : NULL;
        st = orr__run_wait(run);
        orr__run_unref(run);
    }
    return st;
}

/* -- search ---------------------------------------------------------------------------------------------- */

/* Element `place` of node i is not finite. */
typedef struct {
    int i;
    int64_t place;
} suspect;

/* The way from a result back to the culprit. */
typedef struct {
    const orr__capture *p;
    int nout; /* results that are checked: the first outputs of p */
    orr__site at;
    orr__check_eval *eval;
    bool over_ranks;
    struct {
        const orr__node *node; /* whose first such element is known */
        int64_t place;
    } known;
    orr__parts parts;
    suspect *todo; /* each node at most once */
    int ntodo;
    bool *seen;
    orr__node **small;       /* by node: its element at the place of the suspect, NULL: not needed */
    suspect made, odd, data; /* i −1: none. odd: NaN, made from infinities that stand in the program */
    suspect given;           /* such an infinity itself */
} search;

static bool is_element(const search *s, int i)
{
    const orr__node *n = s->p->node[i];
    return s->p->leaf_of[i] < 0 && n->op->pattern == ORR__PATTERN_ELEMENT && orr__capture_nin(s->p, i) > 0 &&
           !(n->op->flags & ORR__OP_BY_PLACE);
}

static int input(const search *s, int i, int k)
{
    return s->p->arg[s->p->arg0[i] + k];
}

static bool is_nan(const orr__node *small)
{
    bool known;
    orr__scalar v = orr__blame_number(small, &known);
    return known && !orr__is_complex((orr_dtype)small->dtype) && isnan(orr__scalar_f64(v, (orr_dtype)small->dtype));
}

static bool is_bad(const orr__node *small)
{
    bool known;
    double v[2] = { 0, 0 };
    if (!small || !is_inexact(small))
        return false;
    orr_dtype part = orr__part_dtype((orr_dtype)small->dtype);
    (void)orr__blame_number(small, &known);
    const char *host = known ? orr__node_value(small)->host : NULL;
    for (int k = 0; host && k < (part == small->dtype ? 1 : 2); k++)
        v[k] = orr__scalar_f64(orr__scalar_load(host + (size_t)k * orr_dtype_size(part), part), part);
    return !isfinite(v[0]) || !isfinite(v[1]);
}

/* The node with its value on every rank. Takes over the reference. */
static orr__node *whole(const search *s, orr__node *n)
{
    return n && s->over_ranks ? orr__rec_distribute(s->at, n, 0) : n;
}

/* The greatest divisor of n up to ROW; n itself if that is small. */
enum { ROW = 2 * ORR__NEAR_ROW, ROW_LEAST = 4 * ORR__VECTOR };
static int64_t row_length(int64_t n)
{
    int64_t d = n < ROW ? n : ROW;
    while (d >= ROW_LEAST && n % d != 0)
        d--;
    return d < ROW_LEAST ? n : d;
}

/* The first row of n elements each, of those that node x has, with an element that is not finite; false: there is none. */
static bool find_row(const search *s, orr__node *x, int64_t n, int64_t *row)
{
    const orr_shape rows = ORR_SHAPE(orr__shape_count(&x->shape) / n, n);
    orr__node *bad = orr__rec_not_finite(s->at, orr__rec_reshape(s->at, orr__node_ref(x), &rows)),
              *any = whole(s, orr__rec_reduce(s->at, bad, ORR__RANY, 2, ORR_BOOL));
    bool found = false, known = false;
    if (any && s->eval(s->at, &any, 1) == ORR_OK)
        (void)orr__blame_number(any, &known); /* brings the value to the host */
    const uint8_t *bit = known ? orr__node_value(any)->host : NULL;
    for (int64_t r = 0; bit && r < rows.dim[0] && !found; r++)
        if ((found = bit[r]))
            *row = r;
    orr__node_unref(any);
    return found;
}

/* The first element that is not finite of a value in the memory of the processors, where one pass costs less than a kernel and the values
 * that it needs. False: another way is needed. *place −1: all are finite. */
static bool find_in_memory(const search *s, const orr__node *x, int64_t *place)
{
    enum { BLOCK = ORR__NEAR_ROW / 2 };
    orr__buffer *b = s->over_ranks || !orr__machine_here.one_memory ? NULL : orr__node_value(x);
    orr_dtype t = (orr_dtype)x->dtype, part = orr__part_dtype(t);
    int64_t n = orr__shape_count(&x->shape), parts = part == t ? 1 : 2, at = 0;
    if (!b || x->placed || orr__buffer_sync(b) != ORR_OK || atomic_load(&b->form))
        return false;
    for (int64_t each = ORR__MIN(BLOCK, n); at < n;) {
        if (orr__cpu_finite(part, (const char *)b->host + (size_t)at * orr_dtype_size(t), each * parts)) {
            at += each;
            each = ORR__MIN(each, n - at);
        } else if (each > 1) {
            each = 1; /* it is in this block */
        } else {
            break;
        }
    }
    *place = at < n ? at : -1;
    return true;
}

/* Adds the folds that parts need whole to the n nodes that are evaluated with them, so that they are computed once. Returns the new number. */
static int add_whole(const search *s, orr__node **all, int n)
{
    for (int k = 0; k < s->parts.nwhole; k++)
        if (!orr__node_value(s->p->node[s->parts.whole[k]]))
            all[n++] = s->p->node[s->parts.whole[k]];
    return n;
}

/* The first element of x that is not finite; false: there is none, or it cannot be known. Of many elements the row is found first, by a
 * fold that costs no more than the sum of the elements. */
static bool find_in(const search *s, orr__node *x, int64_t *place)
{
    int64_t count = orr__shape_count(&x->shape), n = row_length(count), row = 0;
    if (!is_inexact(x) || count == 0)
        return false;
    if (s->known.node == x || find_in_memory(s, x, place)) {
        *place = s->known.node == x ? s->known.place : *place;
        return *place >= 0;
    }
    if (n < count && !find_row(s, x, n, &row))
        return false;
    orr__node *some = orr__blame_elements(s->at, x, row * n, n),
              *first = some ? whole(s, orr__blame_first(s->at, orr__rec_not_finite(s->at, orr__node_ref(some)))) : NULL;
    bool known = first && s->eval(s->at, &first, 1) == ORR_OK;
    int64_t at = known ? orr__blame_number(first, &known).i : n;
    orr__node_unref(first);
    orr__node_unref(some);
    *place = row * n + at;
    return known && at < n;
}

/* A constant of the program. */
static bool is_constant(const search *s, int i)
{
    return s->p->leaf_of[i] < 0 && orr__capture_nin(s->p, i) == 0;
}

static bool find_place(const search *s, int i, int64_t *place)
{
    return !is_constant(s, i) && find_in(s, s->p->node[i], place);
}

/* Is the fold of this part of the operand of node i not finite? *known: false without a value. */
static bool is_bad_fold(search *s, int i, const orr__box *of, bool *known)
{
    const orr__node *n = s->p->node[i];
    orr_shape one = n->shape;
    for (int d = 0; d < one.rank; d++)
        one.dim[d] = 1;
    orr__node *x = orr__part_in_box(&s->parts, input(s, i, 0), of), *all[1 + ORR__PARTS_WHOLE];
    all[0] = x ? whole(s, orr__rec_like(s->at, n, (orr_dtype)n->dtype, &one, 1, &x)) : NULL;
    int count = add_whole(s, all, 1);
    *known = all[0] && s->eval(s->at, all, count) == ORR_OK;
    bool bad = *known && is_bad(all[0]);
    orr__node_unref(all[0]);
    return bad;
}

/* Makes the box of the operand of node i, a fold, one of its PIECES, as long as it is large: the first one whose fold is not finite, else the
 * last one. The kernel that has computed the node computes these folds; a kernel that finds a place is new, and not compiled. */
static void narrow(search *s, int i, orr__box *of)
{
    enum { SMALL = 4 * ORR__LONG_LINE, PIECES = 8 };
    bool known = true;
    while (orr__shape_count(&of->shape) > SMALL) {
        orr__box piece = *of;
        int d = 0;
        while (of->shape.dim[d] == 1)
            d++;
        int64_t end = of->start[d] + of->shape.dim[d], each = (of->shape.dim[d] + PIECES - 1) / PIECES;
        for (piece.shape.dim[d] = each; piece.start[d] + each < end; piece.start[d] += each) {
            if (is_bad_fold(s, i, &piece, &known))
                break;
            if (!known)
                return;
        }
        piece.shape.dim[d] = end - piece.start[d] < each ? end - piece.start[d] : each;
        *of = piece;
    }
}

/* The first such element of node i among those in the box. */
static bool find_in_box(search *s, int i, const orr__box *of, int64_t *place)
{
    orr__node *part = orr__part_in_box(&s->parts, i, of);
    bool found = part && find_in(s, part, place);
    orr__node_unref(part);
    if (found)
        *place = orr__box_place(of, &s->p->node[i]->shape, *place);
    return found;
}

/* Such an element of operand k of node j, which is no element-wise operation: one of those from which element e is computed. */
static bool find_before(search *s, int j, int k, int64_t e, int64_t *place)
{
    const orr__node *n = s->p->node[j];
    int from = input(s, j, k), pattern = n->op->pattern;
    if (pattern == ORR__PATTERN_VIEW)
        return k == 0 && (*place = orr__part_source(s->p, j, e)) >= 0;
    if (pattern != ORR__PATTERN_FOLD && pattern != ORR__PATTERN_PRODUCT)
        return find_place(s, from, place);
    if (is_constant(s, from) || !is_inexact(s->p->node[from]))
        return false;
    orr__box one = orr__box_of_element(&n->shape, e), all = orr__box_of_operand(s->p, j, k, &one), of = all;
    if (pattern == ORR__PATTERN_FOLD && !orr__node_value(s->p->node[from]))
        narrow(s, j, &of);
    bool narrower = !orr__shape_equal(&of.shape, &all.shape);
    return find_in_box(s, from, &of, place) || (narrower && find_in_box(s, from, &all, place));
}

/* An infinity that stands in the program, as that of a mask. */
static bool is_given(const search *s, int i)
{
    const orr__node *n = s->p->node[i];
    return s->p->leaf_of[i] < 0 && (n->op->flags & ORR__OP_UNIFORM) && is_inexact(n) && !isfinite(n->s[0].f);
}

static void add(search *s, int i, int64_t place)
{
    if (!s->seen[i])
        s->todo[s->ntodo++] = (suspect){ i, place };
    s->seen[i] = true;
}

/* Node j, which is not element-wise, has a number that is not finite at this place: was it so already in an operand? */
static void look_before(search *s, int j, int64_t e)
{
    const orr__capture *p = s->p;
    const orr__node *n = p->node[j];
    int nin = orr__capture_nin(p, j);
    bool bad = false;
    if (p->leaf_of[j] >= 0) {
        s->data = s->data.i < 0 ? (suspect){ j, e } : s->data;
        return;
    }
    if (is_given(s, j)) {
        s->given = (suspect){ j, e };
        return;
    }
    for (int k = 0; k < nin; k++) {
        int64_t place;
        if (is_given(s, input(s, j, k))) {
            bad = true;
            s->given = (suspect){ input(s, j, k), 0 };
        }
        if (find_before(s, j, k, e, &place)) {
            bad = true;
            add(s, input(s, j, k), place);
        }
    }
    if (!bad && nin > 0 && n->op->pattern != ORR__PATTERN_VIEW)
        s->made = (suspect){ j, e };
}

/* Makes the element at this place of each node from which node i computes its own, element by element, and evaluates all of them. */
static bool make_small(search *s, int i, int64_t e)
{
    static const orr_shape one = { .rank = 1, .dim = { 1 } };
    const orr__capture *p = s->p;
    bool *needed = calloc((size_t)i + 1, sizeof *needed);
    orr__node **all = calloc((size_t)i + 1 + ORR__PARTS_WHOLE, sizeof(orr__node *));
    int n = 0;
    bool ok = needed && all;
    if (ok)
        needed[i] = true;
    for (int j = i; j >= 0 && ok; j--)
        for (int k = 0; needed[j] && is_element(s, j) && k < orr__capture_nin(p, j); k++)
            needed[input(s, j, k)] = true;
    for (int j = 0; j <= i && ok; j++) {
        orr__node *in[8];
        bool there = orr__node_value(p->node[j]) != NULL; /* an old value below may have been overwritten with it */
        int nin = needed[j] && !there && is_element(s, j) ? orr__capture_nin(p, j) : 0;
        if (!needed[j])
            continue;
        ok = nin <= 8;
        for (int k = 0; k < nin && ok; k++)
            in[k] = orr__node_ref(s->small[input(s, j, k)]);
        orr__box at = orr__box_of_element(&p->node[j]->shape, e);
        s->small[j] = !ok   ? NULL
                      : nin ? orr__rec_like(s->at, p->node[j], (orr_dtype)p->node[j]->dtype, &one, nin, in)
                            : whole(s, orr__rec_reshape(s->at, orr__part_in_box(&s->parts, j, &at), &one));
        ok = s->small[j] != NULL;
        if (ok && !orr__node_value(s->small[j]))
            all[n++] = s->small[j];
    }
    ok = ok && (n == 0 || s->eval(s->at, all, add_whole(s, all, n)) == ORR_OK);
    free(all);
    free(needed);
    return ok;
}

static void forget_small(search *s, int i)
{
    for (int j = 0; j <= i; j++) {
        orr__node_unref(s->small[j]);
        s->small[j] = NULL;
    }
}

/* Looks at the elements from which the suspect is computed: the first recorded culprit among them, or more suspects. */
static void follow(search *s, suspect at)
{
    const orr__capture *p = s->p;
    if (!is_element(s, at.i)) {
        look_before(s, at.i, at.place);
        return;
    }
    bool ok = make_small(s, at.i, at.place);
    for (int j = 0; j <= at.i && ok && s->made.i < 0; j++) {
        bool before = false, nan_before = false;
        if (!is_bad(s->small[j]))
            continue;
        if (!is_element(s, j)) {
            look_before(s, j, at.place);
            continue;
        }
        for (int k = 0; k < orr__capture_nin(p, j); k++) {
            before = before || is_bad(s->small[input(s, j, k)]);
            nan_before = nan_before || is_nan(s->small[input(s, j, k)]);
        }
        for (int k = 0; k < p->node[j]->nscalar; k++) /* it stands in the program */
            if (!isfinite(p->node[j]->s[k].f)) {
                before = true;
                s->given = (suspect){ j, at.place };
            }
        if (!before)
            s->made = (suspect){ j, at.place };
        else if (is_nan(s->small[j]) && !nan_before && s->odd.i < 0)
            s->odd = (suspect){ j, at.place };
    }
    forget_small(s, at.i);
}

/* The culprit: what made such a number from finite ones; else what made NaN from infinities of the program; else the data; else such an
 * infinity. */
static suspect culprit_of(search *s)
{
    const orr__capture *p = s->p;
    int64_t place;
    for (int k = 0; k < s->nout && s->made.i < 0; k++) {
        if (is_given(s, p->out[k]))
            s->given = (suspect){ p->out[k], 0 };
        if (s->seen[p->out[k]] || !find_place(s, p->out[k], &place))
            continue;
        add(s, p->out[k], place);
        while (s->ntodo > 0 && s->made.i < 0)
            follow(s, s->todo[--s->ntodo]);
    }
    return s->made.i >= 0 ? s->made : s->odd.i >= 0 ? s->odd : s->data.i >= 0 ? s->data : s->given;
}

/* -- blame ----------------------------------------------------------------------------------------------- */

/* The element in words, with the operands of an element-wise operation. */
static void describe(search *s, suspect of, char *text, size_t size)
{
    const orr__capture *p = s->p;
    const orr__node *n = p->node[of.i];
    bool known, made = p->leaf_of[of.i] < 0;
    *text = '\0';
    orr__blame_place(text, size, &n->shape, of.place);
    orr__blame_append(text, size, " is ");
    if (orr__is_complex((orr_dtype)n->dtype) || !make_small(s, of.i, of.place))
        (void)snprintf(text + strlen(text), size - strlen(text), "not finite");
    else
        (void)snprintf(text + strlen(text), size - strlen(text), "%.9g",
                       orr__scalar_f64(orr__blame_number(s->small[of.i], &known), (orr_dtype)n->dtype));
    int nin = s->small[of.i] && is_element(s, of.i) ? orr__capture_nin(p, of.i) : 0;
    for (int k = 0; k < nin; k++) {
        const orr__node *one = s->small[input(s, of.i, k)];
        size_t at = strlen(text);
        (void)snprintf(text + at, size - at, "%s%.9g", k ? " and " : ", made from ",
                       orr__scalar_f64(orr__blame_number(one, &known), (orr_dtype)one->dtype));
    }
    if (of.i == s->given.i)
        (void)snprintf(text + strlen(text), size - strlen(text), ", which stands in the program");
    else if (made && nin == 0)
        (void)snprintf(text + strlen(text), size - strlen(text), ", made from finite numbers");
    forget_small(s, of.i);
}

static void say(search *s, suspect of)
{
    int i = of.i >= 0 ? of.i : s->p->out[0];
    orr__site at = ORR__SITE(s->p->node[i]->file, s->p->node[i]->line, orr__blame_name(s->p, i));
    char text[256] =
        "the result, or one evaluated with it, is not finite; what it was made from cannot be computed again";
    if (!orr__check_asked && !orr__blame_is_new(at.file, at.line))
        return;
    if (of.i >= 0)
        describe(s, of, text, sizeof text);
    if (orr__check_asked)
        *orr__check_asked = orr__fail(at, ORR_ENUMERIC, "%s", text);
    else
        orr__log(1, "%s:%d: %s: %s", at.file ? at.file : "?", at.line, at.op, text);
}

static void blame(search *s)
{
    int n = s->p->n;
    s->todo = malloc((size_t)n * sizeof *s->todo);
    s->seen = calloc((size_t)n, sizeof *s->seen);
    s->small = calloc((size_t)n, sizeof(orr__node *));
    s->made.i = s->odd.i = s->data.i = s->given.i = -1;
    suspect none = { -1, 0 };
    bool ready = orr__parts_begin(&s->parts, s->at, s->p) && s->todo && s->seen && s->small,
         may = ready && orr__blame_may_repeat(s->p);
    if (ready)
        say(s, may ? culprit_of(s) : none);
    orr__parts_end(&s->parts);
    free(s->todo);
    free(s->seen);
    free(s->small);
}

/* Is a value of the roots not finite? */
static bool is_hit(search *s, const orr__capture_roots *roots)
{
    orr__node *bit = NULL;
    int64_t place;
    for (int i = 0; i < roots->nout; i++)
        if (is_inexact(roots->out[i]) && find_in_memory(s, roots->out[i], &place)) {
            if (place < 0)
                continue;
            s->known.node = roots->out[i]; /* the search begins there */
            s->known.place = place;
            orr__node_unref(bit);
            return true;
        } else if (is_inexact(roots->out[i]))
            bit = bit ? orr__rec_or(s->at, bit, bit_of(s->at, roots->out[i])) : bit_of(s->at, roots->out[i]);
    bit = whole(s, bit);
    bool hit = bit && s->eval(s->at, &bit, 1) == ORR_OK && orr__blame_is_set(bit);
    orr__node_unref(bit);
    return hit;
}

bool orr__check_end(const orr__check *c, const orr__capture *p, orr__check_eval *eval)
{
    search s = {
        .p = p, .nout = c->roots.nout, .at = ORR__SITE(NULL, 0, "check"), .eval = eval, .over_ranks = c->over_ranks
    };
    bool asked = orr__env.check & ORR__CHECK_NONFINITE || orr__check_asked;
    bool hit = asked && (c->over_ranks || orr__finite_doubts() != c->doubts) && is_hit(&s, &c->roots);
    if (hit)
        blame(&s);
    return hit;
}

/* A value that an earlier evaluation has computed. */
static orr_status check_value(orr__site at, orr_tensor *t)
{
    orr__node *n = orr__handle_node(t), *bit = n && is_inexact(n) ? bit_of(at, n) : NULL;
    orr_status st = bit ? orr__eval_nodes(at, &bit, 1, NULL) : ORR_OK;
    bool bad = st == ORR_OK && bit && orr__blame_is_set(bit);
    orr__node_unref(bit);
    orr__calls_over();
    return bad ? orr__fail(at, ORR_ENUMERIC,
                           "a value is not finite; it was evaluated before, so that the line that made it is not "
                           "known; check "
                           "the tensor before its first evaluation, or set ORRERY_CHECK=nonfinite")
               : st;
}

orr_status orr_check_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "check");
    if (!t)
        return orr__fail(at, ORR_EINVAL, "the tensor is NULL");
    orr_status found = ORR_OK;
    orr__check_asked = &found;
    atomic_fetch_add(&orr__finite_asked, 1);
    orr_status st = orr_eval_at(file, line, t);
    atomic_fetch_sub(&orr__finite_asked, 1);
    orr__check_asked = NULL;
    return st == ORR_OK ? found != ORR_OK ? found : check_value(at, t) : st;
}
