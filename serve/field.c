/* Works on finite fields and curves: elements as decimal or 0x texts in JSON.
 * Must not know: who asked, and when it runs. */
#include "config.h"
#include "serve/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef orr_tensor *unary(const char *file, int line, orr_tensor *x);
typedef orr_tensor *binary(const char *file, int line, orr_tensor *x, orr_tensor *y);

static orr_tensor *total(const char *file, int line, orr_tensor *x)
{
    return orr_field_sum_at(file, line, x, -1);
}

/* Operations with more or other parameters. Transforms and hashes are over r. */
enum { NTT, NTT_INVERSE, POSEIDON, POW };
static const struct {
    const char *name;
    unary *one;
    binary *two;
    int other;
    bool row; /* x is a list of elements */
} ops[] = {
    { "add", NULL, orr_add_at, -1, false },
    { "sub", NULL, orr_sub_at, -1, false },
    { "mul", NULL, orr_mul_at, -1, false },
    { "neg", orr_neg_at, NULL, -1, false },
    { "square", orr_square_at, NULL, -1, false },
    { "inverse", orr_field_inverse_at, NULL, -1, false },
    { "sum", total, NULL, -1, true },
    { "dot", NULL, orr_field_dot_at, -1, true },
    { "poly_eval", NULL, orr_field_poly_eval_at, -1, true },
    { "pow", NULL, NULL, POW, false },
    { "ntt", NULL, NULL, NTT, true },
    { "ntt_inverse", NULL, NULL, NTT_INVERSE, true },
    { "poseidon", NULL, NULL, POSEIDON, true },
};
enum { OPS = sizeof ops / sizeof *ops };

static bool refuse(serve_work *w, const char *name, const char *why)
{
    w->reply = serve_problem(400, "parameter", "\"%s\" %s", name, why);
    return false;
}

/* An operand of the form that is described, which does not fit the operation or the others. */
static bool misfit(serve_work *w, const char *name, const char *why)
{
    w->reply = serve_problem(422, "parameter", "\"%s\" %s", name, why);
    return false;
}

/* -- operands ---------------------------------------------------------------------------------------------------------- */

enum { LONGEST = 400, DIGITS = 24, ELEMENT = 32 }; /* of a text, of an integer as text; bytes of an element */

/* The leaves of nested lists, in order. */
typedef struct leaves {
    const char **text;
    char (*digits)[DIGITS];
    int64_t n, most;
    bool wrong;
} leaves;

static void collect(leaves *l, const json_t *a, const int *dim, int rank)
{
    if (rank > 0) {
        l->wrong = l->wrong || !json_is_array(a) || (*dim >= 0 && (int)json_array_size(a) != *dim);
        for (size_t i = 0; !l->wrong && i < json_array_size(a); i++)
            collect(l, json_array_get(a, i), dim + 1, rank - 1);
        return;
    }
    int64_t i;
    if (serve_whole(a, &i) && i >= 0) {
        (void)snprintf(l->digits[l->n], sizeof *l->digits, "%lld", (long long)i);
        l->text[l->n] = l->digits[l->n];
    } else {
        l->text[l->n] = json_string_value(a);
        l->wrong = l->wrong || !l->text[l->n] || strlen(l->text[l->n]) > LONGEST;
    }
    l->n++;
}

static int64_t count(const json_t *a)
{
    if (!json_is_array(a))
        return 1;
    int64_t n = 0;
    for (size_t i = 0; i < json_array_size(a); i++)
        n += count(json_array_get(a, i));
    return n;
}

/* Takes a kept array as the next operand. */
static bool take(serve_work *w, orr_dtype f, const char *operand, const char *name, const int *dim, int rank,
                 const char *form)
{
    const orr_tensor *t = serve_work_take(w, operand, name);
    if (!t)
        return false;
    orr_shape s = orr_tensor_shape(t);
    bool ok = orr_tensor_dtype(t) == f && s.rank == rank;
    for (int k = 0; ok && k < rank; k++)
        ok = dim[k] < 0 || s.dim[k] == dim[k];
    return ok || misfit(w, operand, orr_tensor_dtype(t) == f ? form : "is an array of another field");
}

/* Reads nested lists with dimensions dim (-1: any length) as the next operand, (dim…). */
static bool operand(serve_work *w, orr_dtype f, const json_t *p, const char *name, const int *dim, int rank,
                    const char *form)
{
    const json_t *a = json_object_get(p, name);
    const char *kept;
    if (!a)
        return refuse(w, name, "is missing");
    if (serve_work_is_kept(a, &kept))
        return take(w, f, name, kept, dim, rank, form);
    enum { LEAF = sizeof(char *) + DIGITS + ELEMENT }; /* bytes of a number while it is read */
    leaves l = { .most = count(a) };
    if (l.most > w->most->bytes / ELEMENT) {
        w->reply = serve_problem(413, "limit", "\"%s\" has %lld numbers, and %lld bytes are the limit", name,
                                 (long long)l.most, (long long)w->most->bytes);
        return false;
    }
    if (!serve_work_book(w, l.most * LEAF))
        return false;
    l.text = calloc((size_t)l.most + 1, sizeof *l.text);
    l.digits = calloc((size_t)l.most + 1, sizeof *l.digits);
    orr_scope *s = orr_scope_begin();
    bool ok = false;
    if (!l.text || !l.digits || !s) {
        w->reply = serve_problem(503, "ORR_ENOMEM", "there is no memory");
    } else {
        collect(&l, a, dim, rank);
        ok = !l.wrong || misfit(w, name, form);
    }
    if (ok) {
        orr_shape shape = { .rank = rank };
        for (int k = 0; k < rank; k++)
            shape.dim[k] = dim[k] < 0 ? (int64_t)json_array_size(a) : dim[k];
        orr_tensor *t = orr_reshape(orr_field_parse(f, l.text, l.n), shape);
        ok = orr_tensor_status(t) == ORR_OK;
        if (ok)
            w->x[w->n++] = orr_keep(t);
        else
            w->reply = serve_problem_last();
    }
    if (s)
        (void)orr_scope_end(s);
    free(l.text);
    free(l.digits);
    return ok;
}

static bool numbers(serve_work *w, const json_t *p, const char *name, bool list)
{
    static const int any[] = { -1 };
    const json_t *a = json_object_get(p, name);
    const char *kept;
    bool row = json_is_array(a);
    if (serve_work_is_kept(a, &kept)) { /* a list, unless it turns out to be a number */
        serve_value *v = kept ? serve_store_get(w->store, w->client, kept) : NULL;
        row = !v || orr_tensor_shape(v->t).rank > 0;
        serve_value_unref(v);
    }
    if (list && !row && a)
        return misfit(w, name, "is a list of numbers here");
    return operand(w, (orr_dtype)w->axes.axis[0], p, name, any, row,
                   "is a number or a list of them: texts of decimal digits or 0x…, or integers that are not negative");
}

static bool understand_field(serve_work *w, const json_t *p)
{
    static const int none[] = { 0 };
    const char *op = json_string_value(json_object_get(p, "op"));
    const json_t *field = json_object_get(p, "field");
    const char *name = field ? json_string_value(field) : "fr254";
    bool fq = name && strcmp(name, "fq254") == 0;
    for (w->op = 0; op && w->op < OPS && strcmp(op, ops[w->op].name) != 0;)
        w->op++;
    if (!op || w->op == OPS)
        return refuse(w, "op",
                      "is add, sub, mul, neg, square, inverse, pow, sum, dot, poly_eval, ntt, ntt_inverse or poseidon");
    if (!name || (!fq && strcmp(name, "fr254") != 0))
        return refuse(w, "field", "is fr254 or fq254");
    const int other = ops[w->op].other;
    if (fq && other >= 0 && other != POW)
        return refuse(w, "field", "is fr254 for this operation");
    w->axes.axis[0] = fq ? ORR_FQ254 : ORR_FR254;
    if (!ops[w->op].two && json_object_get(p, "y"))
        return refuse(w, "y", "is no operand of this operation");
    if (other != POW && json_object_get(p, "exponent"))
        return refuse(w, "exponent", "is a parameter of pow");
    if (other != NTT && other != NTT_INVERSE && json_object_get(p, "shift"))
        return refuse(w, "shift", "is a parameter of ntt and ntt_inverse");
    if (!numbers(w, p, "x", ops[w->op].row))
        return false;
    if (ops[w->op].two)
        return numbers(w, p, "y", strcmp(op, "dot") == 0);
    if (other == POW) /* an exponent is below r, like an element */
        return operand(w, ORR_FR254, p, "exponent", none, 0, "is a number below r");
    return !json_object_get(p, "shift") || operand(w, ORR_FR254, p, "shift", none, 0, "is a number");
}

static bool understand_msm(serve_work *w, const json_t *p)
{
    static const int any[] = { -1 }, g1[] = { -1, 2 }, g2[] = { -1, 2, 2 };
    const json_t *curve = json_object_get(p, "curve");
    const char *name = curve ? json_string_value(curve) : "g1";
    bool second = name && strcmp(name, "g2") == 0;
    if (!name || (!second && strcmp(name, "g1") != 0))
        return refuse(w, "curve", "is g1 or g2");
    w->op = second ? ORR_G2 : ORR_G1;
    return operand(w, ORR_FQ254, p, "points", second ? g2 : g1, second ? 3 : 2,
                   second ? "is a list of points [[a, b], [c, d]] for x = a + b·u and y = c + d·u"
                          : "is a list of points [x, y]") &&
           operand(w, ORR_FR254, p, "scalars", any, 1, "is a list of numbers");
}

bool serve_field_understand(serve_work *w, const json_t *p)
{
    return w->kind == SERVE_FIELD ? understand_field(w, p) : understand_msm(w, p);
}

/* The shape of the array is read from its first elements. */
bool serve_field_array(serve_work *w, const json_t *p)
{
    const json_t *data = json_object_get(p, "data"), *a = data;
    const char *field = json_string_value(json_object_get(p, "field"));
    bool fq = field && strcmp(field, "fq254") == 0;
    int dim[3], rank = 0;
    for (; json_is_array(a) && rank < 3; a = json_array_get(a, 0))
        dim[rank++] = (int)json_array_size(a);
    if (!field || (!fq && strcmp(field, "fr254") != 0))
        return refuse(w, "field", "is fr254 or fq254");
    if (json_object_size(p) != 2)
        return refuse(w, "data", "and \"field\" must be the only members of an array of a finite field");
    return operand(w, fq ? ORR_FQ254 : ORR_FR254, p, "data", dim, rank,
                   "is numbers, or lists of equal length of them, to three axes");
}

/* -- running -------------------------------------------------------------------------------------------------------------- */

static orr_tensor *record(const serve_work *w)
{
    if (w->kind == SERVE_MSM)
        return orr_curve_msm((orr_curve)w->op, w->x[0], w->x[1]);
    if (ops[w->op].one)
        return ops[w->op].one(ORR_HERE, w->x[0]);
    if (ops[w->op].two)
        return ops[w->op].two(ORR_HERE, w->x[0], w->x[1]);
    uint64_t e[4];
    switch (ops[w->op].other) {
    case NTT: return orr_field_ntt(w->x[0], w->n > 1 ? w->x[1] : NULL);
    case NTT_INVERSE: return orr_field_ntt_inverse(w->x[0], w->n > 1 ? w->x[1] : NULL);
    case POSEIDON: return orr_poseidon(w->x[0]);
    default: return orr_read(w->x[1], e, sizeof e) == ORR_OK ? orr_field_pow(w->x[0], e) : NULL;
    }
}

/* Nested lists of texts of the elements along axis k and later axes, from number `at` on. NULL: an error, or no memory. */
static json_t *texts(orr_tensor *t, const orr_shape *s, int k, int64_t *at)
{
    if (k == s->rank) {
        char text[ORR_FIELD_TEXT];
        return orr_field_text(t, (*at)++, text) == ORR_OK ? json_string(text) : NULL;
    }
    json_t *list = json_array();
    for (int64_t i = 0; list && i < s->dim[k]; i++)
        if (json_array_append_new(list, texts(t, s, k + 1, at)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* {"field", "data"}, or {"curve", "point"} for a sum of points. */
static serve_reply written(const serve_work *w, orr_tensor *t)
{
    orr_shape shape = orr_tensor_shape(t);
    bool point = w->kind == SERVE_MSM;
    const char *set = point ? (w->op == ORR_G2 ? "g2" : "g1") : orr_tensor_dtype(t) == ORR_FQ254 ? "fq254" : "fr254";
    int64_t at = 0;
    json_t *data = texts(t, &shape, 0, &at);
    return serve_reply_json(
        200, data ? json_pack("{s:s,s:o}", point ? "curve" : "field", set, point ? "point" : "data", data) : NULL);
}

double serve_field_result(const serve_work *w)
{
    enum { COORDINATES = 4 };
    double n = w->n > 0 ? (double)orr_tensor_size(w->x[0]) : 0, m = w->n > 1 ? (double)orr_tensor_size(w->x[1]) : 0;
    if (w->kind == SERVE_MSM)
        return COORDINATES;
    if (ops[w->op].one == total || ops[w->op].two == orr_field_dot_at)
        return 1;
    if (ops[w->op].two == orr_field_poly_eval_at)
        return m;
    return ops[w->op].two && m > n ? m : n;
}

/* Seconds of one multiplication and its additions on one core, about. */
static const double multiply = 3e-8;

double serve_field_seconds(const serve_work *w)
{
    enum {
        POWER = 400,
        HASH = 2000,
        BY_POINT = 600,
        TWICE = 3
    }; /* multiplications: of a power, a hash, a term of a curve's sum; in G2 */
    double n = w->n > 0 ? (double)orr_tensor_size(w->x[0]) : 0, m = w->n > 1 ? (double)orr_tensor_size(w->x[1]) : 1,
           log = 1;
    if (w->kind == SERVE_MSM)
        return multiply * m * BY_POINT * (w->op == ORR_G2 ? TWICE : 1);
    for (double k = 2; k < n; k *= 2)
        log++;
    switch (ops[w->op].other) {
    case NTT:
    case NTT_INVERSE: return multiply * n * log;
    case POSEIDON: return multiply * n * HASH;
    case POW: return multiply * n * POWER;
    default: break;
    }
    if (ops[w->op].two == orr_field_poly_eval_at)
        return multiply * n * m;
    return multiply * n * (ops[w->op].one == orr_field_inverse_at ? POWER : 1);
}

/* The limits of results hold for elements and their text, too. True: they and the memory of the texts suffice. */
static bool allowed(serve_work *w, const orr_tensor *t)
{
    enum {
        TEXT = ORR_FIELD_TEXT + 4,
        PARSED = 160,
        GROWTH = 3
    }; /* bytes of an element's text, and of its node in the tree */
    int64_t n = orr_tensor_size(t) > 0 ? orr_tensor_size(t) : 0, of = 32;
    if (n > w->most->bytes / of || n > w->most->json / TEXT) {
        w->reply = serve_problem(
            413, "limit", "the result has %lld elements, and %lld are the limit", (long long)n,
            (long long)(w->most->bytes / of < w->most->json / TEXT ? w->most->bytes / of : w->most->json / TEXT));
        return false;
    }
    return serve_work_book(w, n * (PARSED + GROWTH * TEXT));
}

void serve_field_show(serve_work *w)
{
    if (w->npy)
        w->reply = serve_problem(406, "array", "elements of fields are sent as JSON");
    else if (allowed(w, w->x[0]))
        w->reply = written(w, w->x[0]);
}

void serve_field_run(serve_work *w)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = record(w);
    if ((!w->result[0] && !allowed(w, t)) || !serve_work_afford(w, t, 0, 1))
        ; /* the reply holds the reason */
    else if (w->result[0])
        (void)serve_work_keep(w, t);
    else if (serve_work_eval(w, t))
        w->reply = written(w, t);
    if (s)
        (void)orr_scope_end(s);
}
