/* orr_einsum: sums of products over named axes. Pairs of operands are multiplied in the order of least cost, each by
 * one product.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ops/array/array.h"

enum {
    OPERANDS = 16, /* most operands                                                 */
    EXACT = 8,     /* up to so many operands, all orders are compared; else greedy */
    LETTERS = 52,  /* limit of a format: a … z, A … Z                                                   */
    LABELS = LETTERS + ORR_MAX_RANK /* … and the axes of an ellipsis, the last one first     */
};

/* A set of labels. */
typedef uint64_t labels;
#define LABEL(k) ((labels)1 << (k))

/* A tensor with a label for each axis. */
typedef struct {
    orr_tensor *t;
    int n;
    int8_t of[ORR_MAX_RANK];
} term;

typedef struct {
    orr__site at;
    const char *text;
    int n;
    term term[OPERANDS];
    labels out;
    int nout;
    int8_t order[LABELS]; /* labels of the result, in order */
    double size[LABELS];
    int64_t length[LABELS];
    bool summed_first; /* of intermediate products: first the term with labels that are summed later */
    double *moved;     /* not NULL: a dry run, which adds up the elements that would be moved             */
} einsum;

static labels set_of(const term *t)
{
    labels s = 0;
    for (int d = 0; d < t->n; d++)
        s |= LABEL(t->of[d]);
    return s;
}

static double elements(const einsum *e, labels s)
{
    double n = 1;
    for (int k = 0; k < LABELS; k++)
        n *= s >> k & 1 ? e->size[k] : 1;
    return n;
}

static int label_of(char c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

/* -- the text ------------------------------------------------------------------------------------------------------ */

static bool refuse(const einsum *e, orr_tensor **bad, orr_status st, const char *what)
{
    *bad = orr__poison(e->at, st, "\"%.200s\": %s", e->text, what);
    return false;
}

/* The labels of one operand or of the result, up to ',', '-' or the end; dots: the place of an ellipsis, −1: none. */
static bool read_labels(const einsum *e, const char **p, int8_t *of, int *n, int *dots, orr_tensor **bad)
{
    *n = 0;
    *dots = -1;
    for (; **p && **p != ',' && **p != '-'; (*p)++) {
        int k = label_of(**p);
        if (isspace((unsigned char)**p))
            continue;
        if (**p == '.' && *dots < 0 && strncmp(*p, "...", 3) == 0) {
            *dots = *n;
            *p += 2;
        } else if (k < 0) {
            return refuse(e, bad, ORR_EINVAL, "only letters, one \"...\" a tensor, \",\" and \"->\" are possible");
        } else if (*n == ORR_MAX_RANK) {
            return refuse(e, bad, ORR_ESHAPE, "a tensor has more than 8 axes");
        } else {
            of[(*n)++] = (int8_t)k;
        }
    }
    return true;
}

/* Inserts the labels of an ellipsis of `wide` axes at place `dots`. */
static bool widen(const einsum *e, int8_t *of, int *n, int dots, int wide, int most, orr_tensor **bad)
{
    if (wide < 0 || *n + wide > most)
        return refuse(e, bad, ORR_ESHAPE, "an operand has another number of axes than letters");
    memmove(of + dots + wide, of + dots, (size_t)(*n - dots));
    for (int k = 0; k < wide; k++)
        of[dots + k] = (int8_t)(LETTERS + wide - 1 - k);
    *n += wide;
    return true;
}

/* Checks the lengths of an operand: one length for each label. An axis of length 1 fits any length and is left out. */
static bool fit(einsum *e, term *t, orr_tensor **bad)
{
    orr_shape s = orr_tensor_shape(t->t);
    for (int d = 0; d < t->n; d++) {
        int k = t->of[d];
        if (e->length[k] > 1 && s.dim[d] != 1 && s.dim[d] != e->length[k]) {
            *bad = orr__poison(e->at, ORR_ESHAPE, "\"%.200s\": an axis '%c' has length %lld and %lld", e->text,
                               k < 26        ? 'a' + k /* limit of a format */
                               : k < LETTERS ? 'A' + k - 26
                                             : '.',
                               (long long)e->length[k], (long long)s.dim[d]);
            return false;
        }
        if (e->length[k] < 0 || s.dim[d] != 1) {
            if (e->length[k] == 0 && s.dim[d] > 1)
                return refuse(e, bad, ORR_ESHAPE, "an axis is empty in one operand and longer in another");
            e->length[k] = s.dim[d];
        }
    }
    return true;
}

static bool read_text(einsum *e, orr_tensor *const *x, int n, orr_tensor **bad)
{
    const char *p = e->text;
    int count[LABELS] = { 0 }, widest = 0, dots;
    for (int i = 0; i < n; i++) {
        term *t = &e->term[i];
        int rank = orr_tensor_shape(x[i]).rank;
        t->t = x[i];
        if (!read_labels(e, &p, t->of, &t->n, &dots, bad))
            return false;
        int wide = dots < 0 ? 0 : rank - t->n;
        if (!widen(e, t->of, &t->n, dots < 0 ? 0 : dots, wide, ORR_MAX_RANK, bad))
            return false;
        widest = wide > widest ? wide : widest;
        if (t->n != rank)
            return refuse(e, bad, ORR_ESHAPE, "an operand has another number of axes than letters");
        if (i + 1 < n && *p++ != ',')
            return refuse(e, bad, ORR_EINVAL, "there are more operands than terms");
        for (int d = 0; d < t->n; d++)
            count[t->of[d]]++;
        if (!fit(e, t, bad))
            return false;
    }
    if (*p == ',')
        return refuse(e, bad, ORR_EINVAL, "there are fewer operands than terms");
    if (*p == '-') {
        if (*++p != '>')
            return refuse(e, bad, ORR_EINVAL, "\"-\" is no part of \"->\"");
        p++;
        if (!read_labels(e, &p, e->order, &e->nout, &dots, bad) ||
            (dots >= 0 && !widen(e, e->order, &e->nout, dots, widest, ORR_MAX_RANK, bad)))
            return false;
        if (*p)
            return refuse(e, bad, ORR_EINVAL, "something follows the result");
    } else { /* NumPy's rule: the ellipsis, then the letters that occur once, A … Z, a … z */
        if (!widen(e, e->order, &e->nout, 0, widest, ORR_MAX_RANK, bad))
            return false;
        for (int c = 'A'; c <= 'z'; c++)
            if (label_of((char)c) >= 0 && count[label_of((char)c)] == 1) {
                if (e->nout == ORR_MAX_RANK)
                    return refuse(e, bad, ORR_ESHAPE, "the result has more than 8 axes");
                e->order[e->nout++] = (int8_t)label_of((char)c);
            }
    }
    for (int d = 0; d < e->nout; d++) {
        if (e->out >> e->order[d] & 1)
            return refuse(e, bad, ORR_EINVAL, "a letter occurs twice in the result");
        if (e->length[e->order[d]] < 0)
            return refuse(e, bad, ORR_EINVAL, "a letter of the result is in no operand");
        e->out |= LABEL(e->order[d]);
    }
    for (int k = 0; k < LABELS; k++)
        e->size[k] = e->length[k] < 0 ? 1 : (double)e->length[k];
    return true;
}

/* -- one term ------------------------------------------------------------------------------------------------------ */

#define AT e->at.file, e->at.line

static void drop(term *t, int d)
{
    memmove(t->of + d, t->of + d + 1, (size_t)(t->n - d - 1));
    t->n--;
}

/* Removes axes of length 1 whose label is longer in another term, and replaces two axes of the same label by their
 * diagonal. */
static void simplify(const einsum *e, term *t)
{
    for (int d = t->n - 1; d >= 0; d--)
        if (orr_tensor_shape(t->t).dim[d] == 1 && e->length[t->of[d]] != 1) {
            t->t = orr_squeeze_at(AT, t->t, ORR_AXES(d));
            drop(t, d);
        }
    for (int a = 0; a < t->n; a++)
        for (int b = a + 1; b < t->n; b++)
            if (t->of[a] == t->of[b]) {
                int8_t k = t->of[a];
                t->t = orr_diagonal_at(AT, orr_moveaxis_at(AT, t->t, ORR_AXES(a, b), ORR_AXES(-2, -1)), 0);
                drop(t, b);
                drop(t, a);
                t->of[t->n++] = k;
                a = -1;
                break;
            }
}

/* The term summed over the labels that are not in `rest`; the dtype stays. */
static void sum_out(const einsum *e, term *t, labels rest)
{
    orr_axes axes = { 0, { 0 } };
    orr_dtype dtype = orr_tensor_dtype(t->t);
    int kept = 0;
    for (int d = 0; d < t->n; d++)
        if (rest >> t->of[d] & 1)
            t->of[kept++] = t->of[d];
        else
            axes.axis[axes.n++] = d;
    t->n = kept;
    if (axes.n)
        t->t = orr_cast_at(AT, orr_sum_at(AT, t->t, axes, false), dtype);
}

/* -- pairs --------------------------------------------------------------------------------------------------------- */

/* The labels of t that are in s, in t's order. */
static int pick(const term *t, labels s, int8_t *of)
{
    int n = 0;
    for (int d = 0; d < t->n; d++)
        if (s >> t->of[d] & 1)
            of[n++] = t->of[d];
    return n;
}

static int64_t length_of(const einsum *e, const int8_t *of, int n)
{
    int64_t c = 1;
    for (int d = 0; d < n; d++)
        c *= e->length[of[d]];
    return c;
}

/* t as (first, second, third), where each axis joins a group of labels. */
static orr_tensor *grouped(const einsum *e, const term *t, const int8_t *const group[3], const int n[3])
{
    orr_axes perm = { t->n, { 0 } };
    int to = 0;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < n[g]; i++)
            for (int d = 0; d < t->n; d++)
                if (t->of[d] == group[g][i])
                    perm.axis[to++] = d;
    return orr_reshape_at(
        AT, orr_permute_at(AT, t->t, perm),
        ORR_SHAPE(length_of(e, group[0], n[0]), length_of(e, group[1], n[1]), length_of(e, group[2], n[2])));
}

/* True if the first label of b is before the first of a in t: the matrix is transposed in memory. */
static bool turned(const term *t, const int8_t *a, int na, const int8_t *b, int nb)
{
    for (int d = 0; d < t->n; d++) {
        if (na && t->of[d] == a[0])
            return false;
        if (nb && t->of[d] == b[0])
            return true;
    }
    return false;
}

/* True if the labels of t are in the order of these groups. */
static bool in_order(const term *t, const int8_t *const group[3], const int n[3])
{
    int d = 0;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < n[g]; i++)
            if (t->of[d++] != group[g][i])
                return false;
    return true;
}

/* The elements of t that matrix() must copy. */
static double copied(const einsum *e, const term *t, const int8_t *batch, int nb, const int8_t *rows, int nr,
                     const int8_t *cols, int nc)
{
    bool lies = turned(t, rows, nr, cols, nc)
                    ? in_order(t, (const int8_t *const[]){ batch, cols, rows }, (int[]){ nb, nc, nr })
                    : in_order(t, (const int8_t *const[]){ batch, rows, cols }, (int[]){ nb, nr, nc });
    return lies ? 0 : elements(e, set_of(t));
}

/* t as (batch, rows, cols), transposed by a view if t is in that order. */
static orr_tensor *matrix(const einsum *e, const term *t, const int8_t *batch, int nb, const int8_t *rows, int nr,
                          const int8_t *cols, int nc)
{
    if (turned(t, rows, nr, cols, nc))
        return orr_transpose_at(AT, grouped(e, t, (const int8_t *const[]){ batch, cols, rows }, (int[]){ nb, nc, nr }));
    return grouped(e, t, (const int8_t *const[]){ batch, rows, cols }, (int[]){ nb, nr, nc });
}

/* The first place in the result that has one of these labels; e->nout if none. */
static int place_of(const einsum *e, labels s)
{
    int k = 0;
    while (k < e->nout && !(s >> e->order[k] & 1))
        k++;
    return k;
}

/* True if b is the first factor of a and b. The first factor is the term whose own labels are first in the result, so that the last
 * product has the result's order if either order has. In intermediate products, with summed_first, it is the term with labels that
 * are summed later: these then precede the labels of the result, and the next product reads them without a copy. */
static bool comes_first(const einsum *e, const term *a, const term *b)
{
    labels own_a = set_of(a) & ~set_of(b), own_b = set_of(b) & ~set_of(a);
    bool later_a = (own_a & ~e->out) != 0, later_b = (own_b & ~e->out) != 0;
    return e->summed_first && later_a != later_b ? later_b : place_of(e, own_b) < place_of(e, own_a);
}

/* The product of two terms; the labels that are in `rest` stay. */
static bool contract(const einsum *e, const term *a, const term *b, labels rest, term *r, orr_tensor **bad)
{
    if (comes_first(e, a, b)) {
        const term *other = a;
        a = b;
        b = other;
    }
    int8_t batch[ORR_MAX_RANK] = { 0 }, k[ORR_MAX_RANK] = { 0 }, m[ORR_MAX_RANK] = { 0 }, n[ORR_MAX_RANK] = { 0 };
    labels both = set_of(a) & set_of(b);
    int nb = pick(a, both & rest, batch), nk = pick(a, both & ~rest, k), nm = pick(a, ~both, m), nn = pick(b, ~both, n);
    orr_shape s = { nb + nm + nn, { 0 } };
    if (s.rank > ORR_MAX_RANK && e->moved)
        return false;
    if (s.rank > ORR_MAX_RANK)
        return refuse(e, bad, ORR_ESHAPE, "a product in between has more than 8 axes");
    r->n = 0;
    for (int i = 0; i < s.rank; i++) {
        r->of[r->n] = i < nb ? batch[i] : i < nb + nm ? m[i - nb] : n[i - nb - nm];
        s.dim[i] = e->length[r->of[r->n++]];
    }
    if (e->moved) { /* every worker packs the second operand */
        *e->moved += copied(e, a, batch, nb, m, nm, k, nk) + elements(e, set_of(b));
        *e->moved += copied(e, b, batch, nb, k, nk, n, nn);
        r->t = NULL;
        return true;
    }
    orr_tensor *x = matrix(e, a, batch, nb, m, nm, k, nk), *y, *p;
    if (nm == 0 && nn == 0 && nk) { /* no matrix: a sum of products of elements */
        y = matrix(e, b, batch, nb, n, nn, k, nk);
        p = orr_cast_at(AT, orr_sum_at(AT, orr_mul_at(AT, x, y), ORR_AXES(2), false), orr_tensor_dtype(a->t));
    } else {
        y = matrix(e, b, batch, nb, k, nk, n, nn);
        p = nk ? orr_matmul_at(AT, x, y) : orr_mul_at(AT, x, y);
    }
    r->t = orr_reshape_at(AT, p, s);
    return true;
}

/* -- the order of least cost --------------------------------------------------------------------------------------- */

/* The choice for a set of terms: its division into two sets; left 0: a single term. */
typedef struct {
    double cost;
    labels have; /* labels of the set */
    uint32_t left;
} choice;

/* The labels of a set's product: those that other terms, or the result, need. */
static labels left_of(const einsum *e, uint32_t set, const labels *of)
{
    labels in = 0, out = e->out;
    for (int i = 0; i < e->n; i++)
        *(set >> i & 1 ? &in : &out) |= of[i];
    return in & out;
}

static bool product_of(const einsum *e, const choice *w, uint32_t set, term *r, orr_tensor **bad)
{
    term a, b;
    if (!w[set].left) {
        for (int i = 0; i < e->n; i++)
            if (set >> i & 1)
                *r = e->term[i];
        return true;
    }
    return product_of(e, w, w[set].left, &a, bad) && product_of(e, w, set & ~w[set].left, &b, bad) &&
           contract(e, &a, &b, w[set].have, r, bad);
}

/* For each set of terms the cheapest division by the number of multiplications; of equal ones the first or the last. */
static void choose(const einsum *e, bool last, choice *w)
{
    labels of[OPERANDS];
    uint32_t all = (1u << e->n) - 1;
    for (int i = 0; i < e->n; i++)
        of[i] = set_of(&e->term[i]);
    for (uint32_t set = 1; set <= all; set++) {
        w[set].have = left_of(e, set, of);
        w[set].cost = (set & (set - 1)) ? INFINITY : 0;
        for (uint32_t a = (set - 1) & set; a > (set & ~a); a = (a - 1) & set) {
            uint32_t b = set & ~a;
            double cost = w[a].cost + w[b].cost + elements(e, w[a].have | w[b].have);
            if (cost < w[set].cost || (last && cost <= w[set].cost)) {
                w[set].cost = cost;
                w[set].left = a;
            }
        }
    }
}

/* The elements that these choices move. */
static double moved_by(einsum *e, const choice *w)
{
    double moved = 0;
    term r = { 0 };
    orr_tensor *bad = NULL;
    e->moved = &moved;
    bool done = product_of(e, w, (1u << e->n) - 1, &r, &bad);
    e->moved = NULL;
    for (int d = 0, a = 0; done && d < e->nout; d++)
        if (set_of(&r) >> e->order[d] & 1 && r.of[a++] != e->order[d])
            return moved + elements(e, e->out);
    return done ? moved : INFINITY;
}

/* Computes the result in the order with the fewest multiplications that moves the fewest elements. */
static bool best(einsum *e, term *r, orr_tensor **bad)
{
    const uint32_t all = (1u << e->n) - 1;
    double least = INFINITY;
    int way = 0;
    choice *w = orr__alloc_n((size_t)all + 1, sizeof *w);
    if (!w)
        return refuse(e, bad, ORR_ENOMEM, "no memory for its orders");
    for (int k = 0; k < 4 && e->n > 2; k++) { /* two terms have only one product */
        e->summed_first = (k & 2) != 0;
        choose(e, k & 1, w);
        double moved = moved_by(e, w);
        way = moved < least ? k : way;
        least = moved < least ? moved : least;
    }
    e->summed_first = (way & 2) != 0;
    choose(e, way & 1, w);
    bool done = product_of(e, w, all, r, bad);
    free(w);
    return done;
}

/* Greedy: multiplies the cheapest pair until one term is left. */
static bool next_best(einsum *e, term *r, orr_tensor **bad)
{
    while (e->n > 1) {
        double least = INFINITY;
        int a = 0, b = 1;
        labels of[OPERANDS], rest = e->out;
        for (int i = 0; i < e->n; i++)
            of[i] = set_of(&e->term[i]);
        for (int i = 0; i < e->n; i++)
            for (int j = i + 1; j < e->n; j++) {
                labels have = left_of(e, 1u << i | 1u << j, of);
                double cost = elements(e, of[i] | of[j]) + elements(e, have) - elements(e, of[i]) - elements(e, of[j]);
                if (cost < least) {
                    least = cost;
                    a = i;
                    b = j;
                }
            }
        rest = left_of(e, 1u << a | 1u << b, of);
        term both;
        if (!contract(e, &e->term[a], &e->term[b], rest, &both, bad))
            return false;
        e->term[a] = both;
        e->term[b] = e->term[--e->n];
    }
    *r = e->term[0];
    return true;
}

orr_tensor *orr_einsum_at(const char *file, int line, const char *text, orr_tensor *const *x, int n)
{
    einsum e = { .at = ORR__SITE(file, line, "einsum"), .text = text, .n = n };
    orr__node *node[OPERANDS];
    orr_tensor *bad = NULL;
    orr_dtype t;
    term r;
    if (!text || !x)
        return orr__poison(e.at, ORR_EINVAL, "the %s is NULL", text ? "list of operands" : "text");
    if (n < 1 || n > OPERANDS)
        return orr__poison(e.at, ORR_EINVAL, "1 to %d operands are possible, not %d", OPERANDS, n);
    if (!orr__operands(e.at, n, (const orr_tensor *const *)x, NULL, node, &bad))
        return bad;
    if (!orr__promote_nodes(e.at, n, node, &t))
        return orr__handle_new(NULL);
    if (t == ORR_BOOL)
        return orr__poison(e.at, ORR_EDTYPE, "bool does not add: write orr_cast(…, ORR_I32)");
    for (int k = 0; k < LABELS; k++)
        e.length[k] = -1;
    orr_scope *scope = orr__compose_begin(e.at);
    bool done = read_text(&e, x, n, &bad);
    for (int i = 0; i < n && done; i++) {
        labels others = e.out;
        e.term[i].t = orr_cast_at(file, line, x[i], t);
        simplify(&e, &e.term[i]);
        for (int j = 0; j < n; j++)
            others |= j == i ? 0 : set_of(&e.term[j]);
        sum_out(&e, &e.term[i], others);
    }
    done = done && (n <= EXACT ? best(&e, &r, &bad) : next_best(&e, &r, &bad));
    if (!done)
        return orr__compose_end(e.at, scope, bad);
    /* Labels that have length 1 in all operands are not in r; their axes are added to the result. */
    orr_axes perm = { 0, { 0 } };
    for (int d = 0; d < e.nout; d++)
        for (int a = 0; a < r.n; a++)
            if (r.of[a] == e.order[d])
                perm.axis[perm.n++] = a;
    return orr__compose_end(e.at, scope, orr_permute_at(file, line, r.t, perm));
}
