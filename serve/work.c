/* Reads the request in a body and computes it: one work, or equal small ones stacked along a new first axis.
 * Must not know: who asked, and when it runs. */
#include "config.h"
#include "serve/work.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "serve/budget.h"
#include "serve/field.h"
#include "serve/ledger.h"
#include "serve/queue.h"

const char *serve_kind_name(serve_kind k)
{
    static const char *const names[] = { "gemm", "elementwise", "reduce", "field", "msm", "predict", "keep", "show" };
    return (unsigned)k < SERVE_KINDS ? names[k] : "?";
}

/* -- parameters -------------------------------------------------------------------------------------------- */

/* The operands of each kind: the least and the largest number, and their names. */
static const struct {
    int least, most;
    const char *operand[SERVE_OPERANDS];
    const char *parameters;
} kinds[SERVE_KINDS] = {
    [SERVE_GEMM] = { 2, 3, { "a", "b", "c" }, " a b c dtype transpose_a transpose_b alpha beta result " },
    [SERVE_ELEMENTWISE] = { 1, 3, { "x", "y", "z" }, " x y z dtype expression result " },
    [SERVE_REDUCE] = { 1, 1, { "x" }, " x dtype op axes keepdims result " },
    [SERVE_FIELD] = { 1, 2, { "x", "y" }, " op field x y exponent shift result " },
    [SERVE_MSM] = { 2, 2, { "points", "scalars" }, " curve points scalars result " },
    [SERVE_PREDICT] = { 1, 1, { "x" }, " x dtype result " },
    [SERVE_KEEP] = { 1, 1, { "the body" }, " " },
    [SERVE_SHOW] = { 1, 1, { "array" }, " " },
};

typedef orr_tensor *reducer(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
typedef orr_tensor *picker(const char *file, int line, orr_tensor *x, int axis, bool keepdims);

static const struct {
    const char *name;
    reducer *over; /* any axes                     */
    picker *along; /* one axis, or all axes as one */
} reductions[] = {
    { "sum", orr_sum_at, NULL },       { "prod", orr_prod_at, NULL },     { "mean", orr_mean_at, NULL },
    { "min", orr_min_at, NULL },       { "max", orr_max_at, NULL },       { "any", orr_any_at, NULL },
    { "all", orr_all_at, NULL },       { "norm", orr_norm_at, NULL },     { "logsumexp", orr_logsumexp_at, NULL },
    { "argmax", NULL, orr_argmax_at }, { "argmin", NULL, orr_argmin_at },
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static bool refuse(serve_work *w, const char *name, const char *why)
{
    w->reply = serve_problem(400, "parameter", "\"%.40s\" %s", name, why);
    return false;
}

/* A parameter of the form that is described, which does not fit the others. */
static bool misfit(serve_work *w, const char *name, const char *why)
{
    w->reply = serve_problem(422, "parameter", "\"%.40s\" %s", name, why);
    return false;
}

/* Truth values of JSON, or their names in a query. */
static bool get_truth(serve_work *w, const json_t *p, const char *name, bool *to)
{
    const json_t *v = json_object_get(p, name);
    const char *s = json_string_value(v);
    if (!v)
        return true;
    if (!json_is_boolean(v) && !(s && (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)))
        return refuse(w, name, "is true or false");
    *to = json_is_true(v) || (s && *s == 't');
    return true;
}

static bool get_number(serve_work *w, const json_t *p, const char *name, double *to)
{
    const json_t *v = json_object_get(p, name);
    const char *s = json_string_value(v);
    char *end = NULL;
    if (!v)
        return true;
    double x = s ? strtod(s, &end) : json_number_value(v);
    if (!json_is_number(v) && !(s && end != s && *end == '\0' && x - x == 0.0))
        return refuse(w, name, "is a number");
    *to = x;
    return true;
}

static bool add_axis(serve_work *w, int64_t k)
{
    if (w->axes.n == ORR_MAX_RANK || k < -ORR_MAX_RANK || k >= ORR_MAX_RANK)
        return refuse(w, "axes", "is a list of axes, -8 to 7");
    w->axes.axis[w->axes.n++] = (int)k;
    return true;
}

/* Axes: [0, -1] in JSON, 0,-1 in a query. Missing: all axes. */
static bool get_axes(serve_work *w, const json_t *p)
{
    const json_t *v = json_object_get(p, "axes");
    const char *s = json_string_value(v);
    int64_t axis;
    w->axes = ORR_ALL_AXES;
    if (!v)
        return true;
    if (!s && !json_is_array(v))
        return refuse(w, "axes", "is a list of axes, -8 to 7");
    w->axes.n = 0;
    for (size_t i = 0; i < json_array_size(v); i++)
        if (!serve_whole(json_array_get(v, i), &axis) || !add_axis(w, axis))
            return w->reply.status ? false : refuse(w, "axes", "is a list of axes, -8 to 7");
    while (s && *s) {
        char *end;
        long k = strtol(s, &end, 10);
        if (end == s || (*end && *end != ','))
            return refuse(w, "axes", "is axes with commas between them");
        if (!add_axis(w, k))
            return false;
        s = *end ? end + 1 : end;
    }
    return true;
}

static bool get_reduction(serve_work *w, const json_t *p)
{
    const char *op = json_string_value(json_object_get(p, "op"));
    w->op = 0;
    while (op && w->op < REDUCTIONS && strcmp(reductions[w->op].name, op) != 0)
        w->op++;
    if (!op || w->op == REDUCTIONS)
        return refuse(w, "op", "is sum, prod, mean, min, max, any, all, norm, logsumexp, argmax or argmin");
    if (!get_axes(w, p) || !get_truth(w, p, "keepdims", &w->keepdims))
        return false;
    if (reductions[w->op].along && w->axes.n >= 0 && w->axes.n != 1)
        return misfit(w, "axes", "is one axis here, or missing");
    return true;
}

static bool get_parameters(serve_work *w, const json_t *p)
{
    const char *text = json_string_value(json_object_get(p, "expression"));
    w->alpha = w->beta = 1.0;
    switch (w->kind) {
    case SERVE_GEMM:
        return get_truth(w, p, "transpose_a", &w->transpose_a) && get_truth(w, p, "transpose_b", &w->transpose_b) &&
               get_number(w, p, "alpha", &w->alpha) && get_number(w, p, "beta", &w->beta);
    case SERVE_ELEMENTWISE:
        if (!text)
            return refuse(w, "expression", "is a text, as of orr_define_elementwise: x*sigmoid(2*x)");
        if ((w->expression = strdup(text)))
            return true;
        w->reply = serve_problem(503, "ORR_ENOMEM", "there is no memory for an expression");
        return false;
    case SERVE_REDUCE: return get_reduction(w, p);
    default: return true;
    }
}

static bool get_result(serve_work *w, const json_t *p)
{
    const json_t *v = json_object_get(p, "result");
    const char *name = json_string_value(v);
    if (!v)
        return true;
    if (!name || !serve_store_is_name(name))
        return refuse(w, "result", "is a name: 1 to 64 letters, digits, \"_\", \"-\" and \".\", the first no \".\"");
    memcpy(w->result, name, strlen(name) + 1);
    return true;
}

/* Refuses unknown parameters: a misspelt one would be ignored silently. */
static bool all_known(serve_work *w, json_t *p)
{
    const char *name;
    json_t *value;
    json_object_foreach(p, name, value)
    {
        char word[64];
        if (strlen(name) > 40 || strchr(name, ' ') || snprintf(word, sizeof word, " %s ", name) < 0 ||
            !strstr(kinds[w->kind].parameters, word))
            return refuse(w, name, "is no parameter here");
    }
    return true;
}

/* -- operands ---------------------------------------------------------------------------------------------- */

static bool too_few(serve_work *w)
{
    if (w->n >= kinds[w->kind].least)
        return false;
    w->reply =
        serve_problem(400, "array", "%s takes %d array%s at least, and there %s %d", serve_kind_name(w->kind),
                      kinds[w->kind].least, kinds[w->kind].least == 1 ? "" : "s", w->n == 1 ? "is" : "are", w->n);
    return true;
}

static bool no_others(serve_work *w, const json_t *p)
{
    for (int i = w->n; i < kinds[w->kind].most; i++)
        if (json_object_get(p, kinds[w->kind].operand[i])) {
            w->reply = serve_problem(422, "parameter", "\"%s\" is given, and \"%s\" before it is missing",
                                     kinds[w->kind].operand[i], kinds[w->kind].operand[w->n]);
            return false;
        }
    return true;
}

bool serve_work_is_kept(const json_t *a, const char **name)
{
    const json_t *v = json_object_get(a, "array");
    *name = json_string_value(v);
    return v && json_object_size(a) == 1;
}

orr_tensor *serve_work_take(serve_work *w, const char *operand, const char *name)
{
    serve_value *v = name ? serve_store_get(w->store, w->client, name) : NULL;
    if (!v) {
        w->reply = serve_store_none(operand);
        return NULL;
    }
    w->kept[w->n] = v;
    return w->x[w->n++] = v->t;
}

/* Takes a kept array as an operand of a work on numbers. */
static bool take_numbers(serve_work *w, const char *operand, const char *name)
{
    const orr_tensor *t = serve_work_take(w, operand, name);
    return t && (orr_isdtype(orr_tensor_dtype(t), ORR_KIND_BOOL | ORR_KIND_NUMERIC) ||
                 misfit(w, operand, "is an array of a finite field's elements"));
}

static bool operands_json(serve_work *w, const json_t *p)
{
    const json_t *d = json_object_get(p, "dtype");
    orr_dtype dtype = d ? serve_dtype(json_is_string(d) ? json_string_value(d) : "") : ORR_F64;
    if (dtype == ORR_DTYPE_COUNT)
        return refuse(w, "dtype", "is the name of a dtype: float32, float64, int64, …");
    for (int i = 0; i < kinds[w->kind].most; i++) {
        const char *name = kinds[w->kind].operand[i];
        const json_t *a = json_object_get(p, name);
        const char *kept;
        if (!a)
            break;
        if (serve_work_is_kept(a, &kept)) {
            if (!take_numbers(w, name, kept))
                return false;
            continue;
        }
        if (!(w->x[i] = serve_array_json(a, name, dtype, w->most, &w->reply)))
            return false;
        w->n++;
    }
    return no_others(w, p) && !too_few(w);
}

/* Takes the operands that the query names from the store, and the others from the body, in their order. */
static bool operands_npy(serve_work *w, const json_t *p)
{
    size_t at = 0, used = 0;
    while (w->n < kinds[w->kind].most) {
        const char *operand = kinds[w->kind].operand[w->n];
        const char *kept = json_string_value(json_object_get(p, operand));
        if (kept) {
            if (!take_numbers(w, operand, kept))
                return false;
            continue;
        }
        if (at == w->bytes)
            break;
        /* a kept array is copied to the library's memory, which suits its kernels and outlives the body */
        serve_body *body = w->kind == SERVE_KEEP ? NULL : w->held;
        if (!(w->x[w->n] = serve_array_npy(body, w->body + at, w->bytes - at, &used, w->most, &w->reply)))
            return false;
        w->n++;
        at += used;
    }
    if (!no_others(w, p))
        return false;
    if (at < w->bytes) {
        w->reply =
            serve_problem(400, "array", "bytes follow the %d arrays that %s takes", w->n, serve_kind_name(w->kind));
        return false;
    }
    return !too_few(w);
}

/* -- keys -------------------------------------------------------------------------------------------------- */

static size_t bytes_of(const orr_tensor *t)
{
    return (size_t)orr_tensor_size(t) * orr_dtype_size(orr_tensor_dtype(t));
}

static orr_tensor *record(const serve_work *w, orr_tensor *const *x, bool stacked);
static bool is_sample(serve_work *w);

/* True if the result is small, too: an outer product of small operands may be large. */
static bool small_result(const serve_work *w)
{
    if (w->kind == SERVE_PREDICT)
        return true; /* the memory of the model's layers is planned before the run */
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = record(w, w->x, false);
    bool ok = orr_tensor_status(y) != ORR_OK || (int64_t)bytes_of(y) <= w->small;
    (void)orr_scope_end(s);
    orr_error_clear();
    return ok;
}

/* True if the work, stacked along a new first axis, computes the same. */
static bool can_stack(const serve_work *w)
{
    size_t bytes = 0;
    for (int i = 0; i < w->n; i++) {
        int rank = orr_tensor_shape(w->x[i]).rank;
        orr_dtype d = orr_tensor_dtype(w->x[i]);
        if (rank == ORR_MAX_RANK || orr_tensor_size(w->x[i]) == 0 || d == ORR_F16 || d == ORR_BF16 ||
            (w->kind == SERVE_GEMM && i < 2 && rank < 2))
            return false;
        bytes += bytes_of(w->x[i]);
    }
    if (w->kind == SERVE_REDUCE)
        for (int k = 0, rank = orr_tensor_shape(w->x[0]).rank; k < w->axes.n; k++)
            if (w->axes.axis[k] < -rank || w->axes.axis[k] >= rank)
                return false;
    if (w->kind == SERVE_REDUCE && reductions[w->op].along && w->axes.n != 1)
        return false;
    return (int64_t)bytes <= w->small && small_result(w);
}

static char *key_of(const serve_work *w)
{
    char *key = NULL;
    size_t size = 0;
    FILE *f = can_stack(w) ? open_memstream(&key, &size) : NULL;
    if (!f)
        return NULL;
    (void)fprintf(f, "%s|%p|%d|%d%d%d|%.17g|%.17g", serve_kind_name(w->kind), (const void *)w->model, w->op,
                  w->keepdims, w->transpose_a, w->transpose_b, w->alpha, w->beta);
    for (int k = -1; k < w->axes.n; k++)
        (void)fprintf(f, "|%d", k < 0 ? w->axes.n : w->axes.axis[k]);
    for (int i = 0; i < w->n; i++) {
        char shape[256];
        (void)fprintf(f, "|%s%s", orr_dtype_name(orr_tensor_dtype(w->x[i])),
                      orr_shape_format(orr_tensor_shape(w->x[i]), shape, sizeof shape));
    }
    (void)fprintf(f, "|%s", w->expression ? w->expression : "");
    if (fclose(f) == 0)
        return key;
    free(key);
    return NULL;
}

static bool is_field(const serve_work *w)
{
    return w->kind == SERVE_FIELD || w->kind == SERVE_MSM;
}

/* Reads the request. p: the JSON body, or the query beside a .npy body. */
static bool understand(serve_work *w, const json_t *p)
{
    if (!get_result(w, p))
        return false;
    if (is_field(w))
        return serve_field_understand(w, p);
    return get_parameters(w, p) && (w->body_npy ? operands_npy(w, p) : operands_json(w, p));
}

/* Reads the body of an array to keep, of numbers or of a field's elements. */
static bool understand_array(serve_work *w, const json_t *a)
{
    if (json_object_get(a, "field"))
        return serve_field_array(w, a);
    if (!(w->x[0] = serve_array_json(a, "the body", ORR_F64, w->most, &w->reply)))
        return false;
    w->n = 1;
    return true;
}

/* The most bytes that a JSON text takes once it is parsed, with the operands made of it: an object, a list, an element of a list and a member
 * take as much each, whatever is in them. Characters in texts that look like these count too. */
static int64_t parsed_bytes(const char *text, size_t n)
{
    enum { OBJECT = 256, LIST = 128, ELEMENT = 72, MEMBER = 160 };
    int64_t bytes = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        bytes += text[i] == '{'   ? OBJECT
                 : text[i] == '[' ? LIST
                 : text[i] == ',' ? ELEMENT
                 : text[i] == ':' ? MEMBER
                                  : 0;
    return bytes;
}

bool serve_work_book(serve_work *w, int64_t bytes)
{
    if (!serve_ledger_take(w->client, SERVE_MEMORY, bytes, &w->reply))
        return false;
    w->booked += bytes;
    return true;
}

static void unbook(serve_work *w, int64_t bytes)
{
    serve_ledger_give(w->client, SERVE_MEMORY, bytes);
    w->booked -= bytes;
}

/* Gives back the memory of the parsed text, except for the operands that were made of it. */
static void unbook_parsed(serve_work *w, int64_t parsed)
{
    int64_t kept = 0;
    for (int i = 0; i < w->n; i++)
        kept += w->kept[i] || !w->x[i] ? 0 : (int64_t)bytes_of(w->x[i]);
    unbook(w, kept < parsed ? parsed - kept : 0);
}

/* Elements of the operands' common shape by broadcasting, without the last `skip` axes. */
static double common_size(const serve_work *w, int skip)
{
    double all = 1;
    for (int k = skip; k < ORR_MAX_RANK; k++) {
        int64_t longest = 1;
        for (int i = 0; i < w->n; i++) {
            orr_shape s = orr_tensor_shape(w->x[i]);
            if (k < s.rank && s.dim[s.rank - 1 - k] > longest)
                longest = s.dim[s.rank - 1 - k];
        }
        all *= (double)longest;
    }
    return all;
}

/* Multiplications of a product: those of each pair of matrices. */
static double products(const serve_work *w)
{
    orr_shape a = orr_tensor_shape(w->x[0]), b = orr_tensor_shape(w->x[1]);
    double n = common_size(w, 2);
    for (int k = 0; k < 2 && k < a.rank; k++)
        n *= (double)a.dim[a.rank - 1 - k];
    return n * (double)(b.rank > 1 ? b.dim[b.rank - (w->transpose_b ? 2 : 1)] : 1);
}

/* Elements that a reduction leaves. */
static double reduced_size(const serve_work *w)
{
    orr_shape s = orr_tensor_shape(w->x[0]);
    double n = w->axes.n < 0 ? 1 : common_size(w, 0);
    for (int k = 0; k < w->axes.n; k++) {
        int axis = w->axes.axis[k] < 0 ? w->axes.axis[k] + s.rank : w->axes.axis[k];
        n /= axis >= 0 && axis < s.rank && s.dim[axis] > 0 ? (double)s.dim[axis] : 1;
    }
    return n;
}

/* Samples of a prediction. */
static double samples(const serve_work *w)
{
    double n = 1;
    for (int k = 0; k < w->model->input.rank; k++)
        n *= (double)w->model->input.dim[k];
    return n > 0 ? common_size(w, 0) / n : 0;
}

/* Elements of the result. */
static double result_size(const serve_work *w)
{
    if (is_field(w))
        return serve_field_result(w);
    switch (w->kind) {
    case SERVE_GEMM: {
        orr_shape a = orr_tensor_shape(w->x[0]);
        double terms = a.rank ? (double)a.dim[w->transpose_a && a.rank > 1 ? a.rank - 2 : a.rank - 1] : 1;
        return terms > 0 ? products(w) / terms : 0;
    }
    case SERVE_REDUCE: return reduced_size(w);
    case SERVE_PREDICT: return samples(w) * (double)w->model->result;
    case SERVE_KEEP: return 0; /* the answer has its shape */
    default: return common_size(w, 0);
    }
}

/* Seconds to write an element as text, about. */
static const double text_seconds = 1e-6;

double serve_work_seconds(const serve_work *w)
{
    /* a second's bytes of JSON and .npy, elements, operations, rather too few */
    const double parse = w->body_npy ? 1e9 : 2e7, touch = 1e8, flops = 4e9;
    enum { OPERATION = 4 }; /* characters of an expression */
    if (w->body)
        return (double)w->bytes / parse; /* to read it: then more is known */
    const double text = w->npy || w->result[0] ? 0 : text_seconds * result_size(w);
    if (is_field(w))
        return serve_field_seconds(w) + text;
    if (w->kind == SERVE_GEMM)
        return 2 * products(w) / flops + text;
    if (w->kind == SERVE_PREDICT)
        return samples(w) * w->model->seconds + text;
    double operations = w->expression ? 1 + (double)(strlen(w->expression) / OPERATION) : 1;
    return common_size(w, 0) * operations / touch + text;
}

/* The JSON of a body. With an integer beyond 64 bits all of them are read as floats, and those that are not exact as such are no integers. */
static json_t *parse(const serve_work *w, size_t flags, json_error_t *error)
{
    json_t *p = json_loadb(w->body, w->bytes, flags, error);
    if (p || json_error_code(error) != json_error_numeric_overflow)
        return p;
    return json_loadb(w->body, w->bytes, flags | JSON_DECODE_INT_AS_REAL, error);
}

bool serve_work_understand(serve_work *w)
{
    json_error_t error;
    json_t *p = w->query;
    bool ok = true, array = w->kind == SERVE_KEEP && !w->body_npy;
    int64_t parsed = w->body_npy ? 0 : parsed_bytes(w->body, w->bytes);
    if (!serve_work_book(w, parsed)) {
        p = w->query;
        ok = false;
    } else if (!w->body_npy) {
        p = parse(w, JSON_REJECT_DUPLICATES | (array ? JSON_DECODE_ANY : 0), &error);
        if (!p)
            w->reply = serve_problem(400, "json", "line %d, column %d: %s", error.line, error.column, error.text);
        else if (!array && !json_is_object(p))
            w->reply = serve_problem(400, "json", "the body is no object");
        ok = array ? p != NULL : json_is_object(p);
    }
    if (ok && is_field(w) && (w->body_npy || w->npy)) {
        w->reply = serve_problem(w->body_npy ? 415 : 406, "array", "%s takes and gives JSON", serve_kind_name(w->kind));
        ok = false;
    }
    ok = ok && (array ? understand_array(w, p) : all_known(w, p) && understand(w, p));
    if (p != w->query)
        json_decref(p);
    json_decref(w->query);
    w->query = NULL;
    if (w->booked >= parsed)
        unbook_parsed(w, parsed);
    serve_body_unref(w->held);
    w->held = NULL;
    w->body = NULL;
    if (ok && w->small > 0 && w->kind < SERVE_KEEP && !w->result[0] && !is_field(w))
        w->key = key_of(w);
    return ok;
}

/* -- recording --------------------------------------------------------------------------------------------- */

static orr_tensor *record_gemm(const serve_work *w, orr_tensor *const *x)
{
    orr_tensor *a = w->transpose_a ? orr_transpose(x[0]) : x[0], *b = w->transpose_b ? orr_transpose(x[1]) : x[1];
    orr_tensor *c = orr_matmul(a, b);
    if (w->alpha != 1.0)
        c = orr_mul(orr_scalar(w->alpha), c);
    if (w->n < 3)
        return c;
    return orr_add(c, w->beta != 1.0 ? orr_mul(orr_scalar(w->beta), x[2]) : x[2]);
}

static bool is_whole(orr_dtype d)
{
    switch (d) {
    case ORR_BOOL:
    case ORR_I8:
    case ORR_I16:
    case ORR_I32:
    case ORR_I64:
    case ORR_U8:
    case ORR_U16:
    case ORR_U32:
    case ORR_U64: return true;
    default: return false;
    }
}

/* The expression language has floats only: integers and truth values become float64. */
static orr_tensor *record_elementwise(const serve_work *w, orr_tensor *const *x)
{
    orr_tensor *f[SERVE_OPERANDS];
    for (int i = 0; i < w->n; i++)
        f[i] = is_whole(orr_tensor_dtype(x[i])) ? orr_cast(x[i], ORR_F64) : x[i];
    return orr_expression_at(ORR_HERE, w->expression, f, w->n);
}

/* The axes of one work; the stacked array has one more before them. */
static orr_axes axes_of(const serve_work *w, int rank, bool stacked)
{
    orr_axes axes = w->axes;
    if (!stacked)
        return axes;
    if (axes.n < 0) {
        axes.n = rank;
        for (int k = 0; k < rank; k++)
            axes.axis[k] = k;
    }
    for (int k = 0; k < axes.n; k++)
        axes.axis[k] += axes.axis[k] < 0 ? rank + 1 : 1;
    return axes;
}

static orr_tensor *record_reduce(const serve_work *w, orr_tensor *x, bool stacked)
{
    orr_axes axes = axes_of(w, orr_tensor_shape(w->x[0]).rank, stacked);
    if (reductions[w->op].over)
        return reductions[w->op].over(ORR_HERE, x, axes, w->keepdims);
    bool flat = axes.n < 0;
    orr_tensor *y = flat ? orr_reshape(x, ORR_SHAPE(orr_tensor_size(x))) : x;
    y = reductions[w->op].along(ORR_HERE, y, flat ? 0 : axes.axis[0], w->keepdims && !flat);
    if (!flat || !w->keepdims)
        return y;
    orr_shape ones = orr_tensor_shape(x);
    for (int k = 0; k < ones.rank; k++)
        ones.dim[k] = 1;
    return orr_reshape(y, ones);
}

/* The samples of all works become rows of the module's input. */
static orr_tensor *record_predict(const serve_work *w, orr_tensor *x)
{
    const serve_model *m = w->model;
    orr_shape s = orr_tensor_shape(x), rows = { .rank = m->input.rank + 1, .dim = { 1 } };
    int lead = s.rank - m->input.rank; /* the axes before the sample's */
    for (int k = 0; k < s.rank; k++) {
        if (k < lead)
            rows.dim[0] *= s.dim[k];
        else
            rows.dim[k - lead + 1] = s.dim[k];
    }
    orr_tensor *y = orr_forward(m->module, orr_reshape(orr_cast(x, m->dtype), rows));
    orr_shape out = orr_tensor_shape(y);
    if (out.rank < 1 || out.rank - 1 + lead > ORR_MAX_RANK)
        return y; /* poison: the evaluation reports the error */
    orr_shape all = { .rank = lead + out.rank - 1 };
    for (int k = 0; k < all.rank; k++)
        all.dim[k] = k < lead ? s.dim[k] : out.dim[k - lead + 1];
    return orr_reshape(y, all);
}

static orr_tensor *record(const serve_work *w, orr_tensor *const *x, bool stacked)
{
    switch (w->kind) {
    case SERVE_GEMM: return record_gemm(w, x);
    case SERVE_ELEMENTWISE: return record_elementwise(w, x);
    case SERVE_REDUCE: return record_reduce(w, x[0], stacked);
    default: return record_predict(w, x[0]);
    }
}

/* True if x of a prediction is one sample; false for a list of samples. */
static bool is_sample(serve_work *w)
{
    orr_shape s = orr_tensor_shape(w->x[0]);
    int lead = s.rank - w->model->input.rank;
    bool ok = lead == 0 || lead == 1;
    for (int k = 0; ok && k < w->model->input.rank; k++)
        ok = s.dim[lead + k] == w->model->input.dim[k];
    if (!ok) {
        char is[256], one[256];
        w->reply =
            serve_problem(422, "ORR_ESHAPE", "x is %s, and a sample is %s: send one, or samples along a first axis",
                          orr_shape_format(s, is, sizeof is), orr_shape_format(w->model->input, one, sizeof one));
    }
    return ok;
}

/* -- running ----------------------------------------------------------------------------------------------- */

/* A dtype that JSON and .npy cannot represent is sent as float32. */
static orr_tensor *sendable(const serve_work *w, orr_tensor *t)
{
    orr_dtype d = orr_tensor_dtype(t);
    return d == ORR_BF16 || (d == ORR_F16 && !w->npy) ? orr_cast(t, ORR_F32) : t;
}

/* The shape of the result of one of n stacked works. */
static orr_shape shape_of_one(const orr_tensor *t, int n)
{
    orr_shape s = orr_tensor_shape(t);
    if (n > 1) {
        s.rank--;
        memmove(s.dim, s.dim + 1, (size_t)s.rank * sizeof *s.dim);
    }
    return s;
}

/* True if the result t of n works is within the limits. */
static bool allowed(serve_work *w, const orr_tensor *t, int n)
{
    int rank = orr_tensor_shape(t).rank - (n > 1);
    int64_t size = orr_tensor_size(t);
    if (size < 0)
        return true; /* poison: the evaluation reports the error */
    if (rank > w->most->rank)
        w->reply =
            serve_problem(422, "limit", "the rank of the result would be %d, and %d is the limit", rank, w->most->rank);
    else if (size / n > w->most->bytes / (int64_t)orr_dtype_size(orr_tensor_dtype(t)))
        w->reply = serve_problem(413, "limit", "the result would have %lld elements, and %lld bytes are the limit",
                                 (long long)(size / n), (long long)w->most->bytes);
    else if (!w->npy && !w->result[0])
        (void)serve_array_fits_json(orr_tensor_dtype(t), shape_of_one(t, n), w->most, &w->reply);
    return w->reply.status == 0;
}

/* The ratio of the time taken to the time predicted, by kind: the cost model does not know the machine's other work, and knows some
 * operations roughly. */
static struct {
    pthread_mutex_t lock;
    double ratio[SERVE_KINDS];
} learned = { .lock = PTHREAD_MUTEX_INITIALIZER };

static double slowness(serve_kind k)
{
    (void)pthread_mutex_lock(&learned.lock);
    double r = learned.ratio[k];
    (void)pthread_mutex_unlock(&learned.lock);
    return r < 1 ? 1 : r;
}

static void learn(serve_kind k, double predicted, double took)
{
    const double least = 1e-2, most = 10,
                 share = 0.2; /* seconds; a prediction is at most so wrong; of the newest time */
    if (predicted < least)
        return;
    double r = took / predicted < most ? took / predicted : most;
    (void)pthread_mutex_lock(&learned.lock);
    learned.ratio[k] += share * (r - learned.ratio[k]);
    (void)pthread_mutex_unlock(&learned.lock);
}

enum { TEXT = 3 * 27 }; /* the most bytes of an element of an answer: as text it is grown by copying */

static int64_t answer_bytes(const serve_work *w, const orr_tensor *t)
{
    return w->npy || w->result[0] || orr_tensor_size(t) < 0 ? 0 : TEXT * orr_tensor_size(t);
}

bool serve_work_afford(serve_work *w, orr_tensor *t, int64_t answer, int n)
{
    orr_memory_plan plan;
    if (orr_plan_memory(&t, 1, &plan) != ORR_OK) {
        orr_error_clear(); /* the evaluation reports it */
        return true;
    }
    double formula = is_field(w) ? serve_field_seconds(w) : 0;
    w->predicted = (formula > plan.seconds ? formula : plan.seconds) / n + text_seconds * (double)(answer / TEXT);
    double seconds = w->predicted * n * slowness(w->kind);
    if (seconds > w->longest) {
        w->reply = serve_problem(413, "limit", "the work would take some %.3g s, and the time limit is %.3g s", seconds,
                                 w->longest);
        return false;
    }
    return serve_work_book(w, (n > 1 ? plan.host : plan.work + plan.scratch) / n + answer);
}

/* The answer takes over the part of the work's memory that it holds until it is sent. */
static void hold_answer(serve_work *w)
{
    serve_reply *r = &w->reply;
    int64_t bytes = (int64_t)(r->n_text + (r->value ? r->n_tail : 0));
    if (r->room || r->status >= 300)
        return;
    r->client = w->client;
    r->room = bytes < w->booked ? bytes : w->booked;
    w->booked -= r->room;
}

/* Sets the replies of n works, whose results are adjacent in t, which has space for `of` results. */
static bool answer(serve_work *const *w, int n, int of, orr_tensor *t, orr_dtype as_dtype)
{
    const char *data = orr_data(t);
    serve_value *v = data ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return false;
    orr_shape shape = shape_of_one(t, of);
    v->t = orr_keep(t);
    atomic_init(&v->refs, 1);
    for (int i = 0; i < n; i++)
        w[i]->reply = serve_array_reply(v, data + (size_t)i * (bytes_of(t) / (size_t)of), orr_tensor_dtype(t),
                                        w[i]->npy ? orr_tensor_dtype(t) : as_dtype, shape, w[i]->npy, w[i]->most);
    serve_value_unref(v);
    return true;
}

void serve_work_drop(serve_work *w)
{
    atomic_store(&w->dropped, true);
    orr_event *stretch = atomic_load(&w->stretch);
    if (stretch)
        (void)orr_cancel(stretch); /* it may have ended meanwhile: its name is checked */
}

bool serve_work_eval(serve_work *w, orr_tensor *t)
{
    orr_event *stretch = orr_cancellable_begin(INFINITY);
    atomic_store(&w->stretch, stretch);
    bool dropped = atomic_load(&w->dropped), ok = !dropped && orr_eval(t) == ORR_OK;
    atomic_store(&w->stretch, NULL);
    if (stretch)
        (void)orr_cancellable_end(stretch);
    if (ok && !(dropped = atomic_load(&w->dropped)))
        return true;
    dropped = dropped || atomic_load(&w->dropped);
    w->reply = dropped ? serve_problem(409, "cancelled", "nobody waits for the work any more") : serve_problem_last();
    return false;
}

bool serve_work_keep(serve_work *w, orr_tensor *t)
{
    size_t room = orr_tensor_size(t) > 0 ? bytes_of(t) : 0;
    if (!serve_store_allows(w->store, w->client, w->result, (int64_t)room, &w->reply) ||
        !serve_ledger_take(w->client, SERVE_MEMORY, (int64_t)room, &w->reply))
        return false;
    serve_value *v = serve_work_eval(w, t) ? calloc(1, sizeof *v) : NULL;
    if (!v) {
        serve_ledger_give(w->client, SERVE_MEMORY, (int64_t)room);
        if (!w->reply.status)
            w->reply = serve_problem(503, "ORR_ENOMEM", "there is no memory");
        return false;
    }
    *v = (serve_value){ .t = orr_keep(t), .room = room, .client = w->client };
    atomic_init(&v->refs, 1);
    w->reply = serve_store_put(w->store, w->client, w->result, v);
    serve_value_unref(v);
    return true;
}

/* Sends a kept array as the answer. */
static void show(serve_work *w)
{
    orr_tensor *t = w->x[0], *sent = sendable(w, t);
    orr_dtype d = orr_tensor_dtype(t);
    if ((!w->npy && !serve_array_fits_json(d, orr_tensor_shape(t), w->most, &w->reply)) ||
        !serve_work_book(w, answer_bytes(w, t) + (sent != t ? (int64_t)bytes_of(sent) : 0)) ||
        !serve_work_eval(w, sent))
        return;
    bool ok = true;
    if (sent != t)
        ok = answer(&w, 1, 1, sent, d);
    else if ((ok = orr_data(t) != NULL))
        w->reply = serve_array_reply(w->kept[0], orr_data(t), d, d, orr_tensor_shape(t), w->npy, w->most);
    if (!ok)
        w->reply = serve_problem_last();
}

/* Runs a SERVE_KEEP or a SERVE_SHOW, which compute nothing. */
static void run_array(serve_work *w)
{
    orr_scope *s = orr_scope_begin();
    if (w->kind == SERVE_KEEP)
        w->n = serve_work_keep(w, w->x[0]) ? 0 : w->n;
    else if (orr_isdtype(orr_tensor_dtype(w->x[0]), ORR_KIND_BOOL | ORR_KIND_NUMERIC))
        show(w);
    else
        serve_field_show(w);
    (void)orr_scope_end(s);
}

static void run_one(serve_work *w)
{
    if (w->kind == SERVE_KEEP || w->kind == SERVE_SHOW) {
        run_array(w);
        return;
    }
    if (is_field(w)) {
        serve_field_run(w);
        return;
    }
    if (w->kind == SERVE_PREDICT && !is_sample(w))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = record(w, w->x, false), *t = w->result[0] ? y : sendable(w, y);
    if (!allowed(w, t, 1) || !serve_work_afford(w, t, answer_bytes(w, t), 1))
        ; /* the reply holds the reason */
    else if (w->result[0])
        (void)serve_work_keep(w, t);
    else if (serve_work_eval(w, t) && !answer(&w, 1, 1, t, orr_tensor_dtype(y)))
        w->reply = serve_problem_last();
    (void)orr_scope_end(s);
}

/* Operand i of all works, stacked. Entries up to `of` repeat the last, so that few sizes, and few plans, suffice. */
static orr_tensor *stack(serve_work *const *w, int n, int of, int i, int rank)
{
    orr_shape s = orr_tensor_shape(w[0]->x[i]), all = { .rank = rank + 1, .dim = { of } };
    size_t bytes = bytes_of(w[0]->x[i]);
    char *data = malloc(bytes * (size_t)of);
    if (!data)
        return NULL;
    for (int k = 0; k < rank; k++)
        all.dim[k + 1] = k < rank - s.rank ? 1 : s.dim[k - (rank - s.rank)];
    for (int k = 0; k < of; k++)
        if (orr_read(w[k < n ? k : n - 1]->x[i], data + (size_t)k * bytes, bytes) != ORR_OK) {
            free(data);
            return NULL;
        }
    orr_tensor *t = orr_from(orr_tensor_dtype(w[0]->x[i]), all, data);
    free(data);
    return t;
}

/* Computes n works as one. False if that is impossible; each work then runs alone and reports its error. */
static bool run_stacked(serve_work *const *w, int n)
{
    int rank = 0, of = 1;
    bool ok = true;
    while (of < n)
        of *= 2;
    for (int i = 0; i < w[0]->n; i++)
        if (orr_tensor_shape(w[0]->x[i]).rank > rank)
            rank = orr_tensor_shape(w[0]->x[i]).rank;
    if (w[0]->kind == SERVE_PREDICT && !is_sample(w[0])) {
        serve_reply_free(&w[0]->reply);
        return false;
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[SERVE_OPERANDS];
    for (int i = 0; ok && i < w[0]->n; i++)
        ok = (x[i] = stack(w, n, of, i, rank)) != NULL;
    orr_tensor *t = ok ? record(w[0], x, true) : NULL;
    ok = ok && allowed(w[0], t, of);
    for (int i = 0; ok && i < n; i++)
        if (!serve_work_afford(w[i], t, answer_bytes(w[i], t) / of, n)) {
            serve_reply_free(&w[i]->reply); /* alone it may be possible, or is refused with its own figures */
            ok = false;
        }
    ok = ok && orr_eval(t) == ORR_OK && answer(w, n, of, t, orr_tensor_dtype(t));
    if (!ok)
        serve_reply_free(&w[0]->reply);
    (void)orr_scope_end(s);
    return ok;
}

void serve_work_run(serve_work *const *w, int n)
{
    bool together = n > 1 && run_stacked(w, n);
    for (int i = 0; i < n; i++) {
        double from = serve_now();
        if (!together) {
            run_one(w[i]);
            learn(w[i]->kind, w[i]->predicted, serve_now() - from);
        }
        hold_answer(w[i]);
    }
}

void serve_work_clear(serve_work *w)
{
    for (int i = 0; i < w->n; i++) {
        if (w->kept[i])
            serve_value_unref(w->kept[i]);
        else
            (void)orr_free(w->x[i]);
        w->kept[i] = NULL;
    }
    w->n = 0;
    unbook(w, w->booked);
    serve_body_unref(w->held);
    free(w->expression);
    free(w->key);
    json_decref(w->query);
    w->held = NULL;
    w->body = w->expression = w->key = NULL;
    w->query = NULL;
}
