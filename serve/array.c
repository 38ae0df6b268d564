/* Reads arrays from JSON and .npy, and writes them.
 * Must not know: what is computed with them. */
#include "config.h"
#include "serve/array.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

orr_dtype serve_dtype(const char *name)
{
    int d = 0;
    const unsigned numbers = ORR_KIND_BOOL | ORR_KIND_NUMERIC; /* arrays of field elements have their own works */
    while (d < ORR_DTYPE_COUNT && strcmp(orr_dtype_name((orr_dtype)d), name) != 0)
        d++;
    return orr_isdtype((orr_dtype)d, numbers) ? (orr_dtype)d : ORR_DTYPE_COUNT;
}

bool serve_whole(const json_t *v, int64_t *to)
{
    const double exact = 0x1p53, x = json_real_value(v);
    if (!json_is_integer(v) && !(json_is_real(v) && fabs(x) < exact && x == floor(x)))
        return false;
    *to = json_is_integer(v) ? (int64_t)json_integer_value(v) : (int64_t)x;
    return true;
}

/* -- reading JSON ------------------------------------------------------------------------------------------ */

/* The destination of the elements. Halves are read as float32 and cast at the end. */
typedef struct filling {
    const char *name;
    orr_dtype dtype, raw;
    int64_t n, most;
    char *data;
    serve_reply *wrong;
} filling;

/* An array of the form that is described, whose parts do not fit. */
static bool refuse(filling *f, const char *why)
{
    *f->wrong = serve_problem(422, "array", "%s: %s", f->name, why);
    return false;
}

/* Another form. */
static bool malformed(filling *f, const char *why)
{
    *f->wrong = serve_problem(400, "array", "%s: %s", f->name, why);
    return false;
}

/* NaN and the infinities, which JSON writes as texts. */
static bool special(const json_t *v, double *x)
{
    const char *s = json_string_value(v);
    if (!s)
        return false;
    *x = strcmp(s, "NaN") == 0         ? (double)NAN
         : strcmp(s, "Infinity") == 0  ? (double)INFINITY
         : strcmp(s, "-Infinity") == 0 ? -(double)INFINITY
                                       : 0.0;
    return *x != 0.0;
}

static bool put_integer(filling *f, int64_t i)
{
    static const int64_t least[] = {
        [ORR_I8] = INT8_MIN, [ORR_I16] = INT16_MIN, [ORR_I32] = INT32_MIN, [ORR_I64] = INT64_MIN,
        [ORR_U8] = 0,        [ORR_U16] = 0,         [ORR_U32] = 0,         [ORR_U64] = 0
    };
    static const int64_t most[] = {
        [ORR_I8] = INT8_MAX,  [ORR_I16] = INT16_MAX,  [ORR_I32] = INT32_MAX,  [ORR_I64] = INT64_MAX,
        [ORR_U8] = UINT8_MAX, [ORR_U16] = UINT16_MAX, [ORR_U32] = UINT32_MAX, [ORR_U64] = INT64_MAX
    };
    if (i < least[f->raw] || i > most[f->raw])
        return refuse(f, "a number is out of its dtype's range");
    uint64_t bits = (uint64_t)i;
    size_t size = orr_dtype_size(f->raw);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    memcpy(f->data + f->n * (int64_t)size, (char *)&bits + 8 - size, size);
#else
    memcpy(f->data + f->n * (int64_t)size, &bits, size);
#endif
    f->n++;
    return true;
}

static bool put(filling *f, const json_t *v)
{
    double x = 0.0;
    int64_t i;
    if (f->raw == ORR_BOOL) {
        if (!json_is_boolean(v))
            return refuse(f, "an element is no truth value");
        f->data[f->n++] = (char)json_is_true(v);
        return true;
    }
    if (f->raw != ORR_F32 && f->raw != ORR_F64)
        return serve_whole(v, &i) ? put_integer(f, i) : refuse(f, "an element is no integer");
    if (!json_is_number(v) && !special(v, &x))
        return refuse(f, "an element is no number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    if (json_is_number(v))
        x = json_number_value(v);
    if (f->raw == ORR_F32)
        ((float *)(void *)f->data)[f->n++] = (float)x;
    else
        ((double *)(void *)f->data)[f->n++] = x;
    return true;
}

/* The shape, read from the first element of each nested list. */
static bool shape_of(filling *f, const json_t *a, int rank, orr_shape *s)
{
    for (s->rank = 0; json_is_array(a); a = json_array_get(a, 0)) {
        if (s->rank == rank) {
            *f->wrong = serve_problem(422, "limit", "%s: the rank is more than %d", f->name, rank);
            return false;
        }
        s->dim[s->rank++] = (int64_t)json_array_size(a);
    }
    if (json_is_boolean(a))
        f->dtype = f->raw = ORR_BOOL;
    return true;
}

static bool fill(filling *f, const json_t *a, const orr_shape *s, int axis)
{
    if (axis == s->rank)
        return json_is_array(a) ? refuse(f, "lists are not of equal length") : put(f, a);
    if (!json_is_array(a) || (int64_t)json_array_size(a) != s->dim[axis])
        return refuse(f, "lists are not of equal length");
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!fill(f, json_array_get(a, i), s, axis + 1))
            return false;
    return true;
}

/* {"dtype", "shape", "data"}. The data are nested lists, as the service sends them, or a flat list. */
static const json_t *described(filling *f, const json_t *a, int rank, orr_shape *s, bool *flat)
{
    const json_t *shape = json_object_get(a, "shape"), *data = json_object_get(a, "data");
    const json_t *dtype = json_object_get(a, "dtype");
    const char *name = json_string_value(dtype);
    if (json_object_size(a) != (dtype ? 3 : 2) || !json_is_array(shape) || !data || (dtype && !name)) {
        (void)malformed(f, "an array is nested lists, or {\"dtype\", \"shape\", \"data\"}");
        return NULL;
    }
    if (name && (f->dtype = serve_dtype(name)) == ORR_DTYPE_COUNT) {
        (void)malformed(f, "there is no such dtype");
        return NULL;
    }
    if (json_array_size(shape) > (size_t)rank) {
        *f->wrong = serve_problem(422, "limit", "%s: the rank is more than %d", f->name, rank);
        return NULL;
    }
    s->rank = (int)json_array_size(shape);
    int64_t n = 1;
    for (int k = 0; k < s->rank; k++) {
        if (!serve_whole(json_array_get(shape, (size_t)k), &s->dim[k]) || s->dim[k] < 0 || s->dim[k] > f->most ||
            (n *= s->dim[k]) > f->most) {
            (void)refuse(f, "the shape and the number of elements differ");
            return NULL;
        }
    }
    const json_t *first = data;
    while (json_is_array(first))
        first = json_array_get(first, 0);
    if (!dtype && json_is_boolean(first))
        f->dtype = ORR_BOOL;
    *flat = json_is_array(data) && !json_is_array(json_array_get(data, 0));
    if (*flat && n != (int64_t)json_array_size(data)) {
        (void)refuse(f, "the shape and the number of elements differ");
        return NULL;
    }
    return data;
}

static int64_t count(const orr_shape *s, int64_t most)
{
    int64_t n = 1;
    for (int k = 0; k < s->rank; k++)
        if (__builtin_mul_overflow(n, s->dim[k], &n) || n > most)
            return most + 1;
    return n;
}

static orr_tensor *checked(orr_tensor *t, serve_reply *wrong)
{
    if (orr_tensor_status(t) == ORR_OK)
        return t;
    *wrong = serve_problem_last();
    (void)orr_free(t);
    return NULL;
}

orr_tensor *serve_array_json(const json_t *a, const char *name, orr_dtype dtype, const serve_array_limits *most,
                             serve_reply *wrong)
{
    /* upper bound on the elements in a text of `json` bytes */
    filling f = { .name = name, .dtype = dtype, .raw = dtype, .most = most->json, .wrong = wrong };
    orr_shape s = { 0 };
    bool flat = false;
    const json_t *data = json_is_object(a) ? described(&f, a, most->rank, &s, &flat) : a;
    if (!data || (data == a && !shape_of(&f, a, most->rank, &s)))
        return NULL;
    if (orr_isdtype(f.dtype, ORR_KIND_COMPLEX))
        return malformed(&f, "a complex dtype is sent as " SERVE_NPY), NULL;
    f.raw = f.dtype == ORR_F16 || f.dtype == ORR_BF16 ? ORR_F32 : f.dtype;
    int64_t n = count(&s, f.most);
    if (n > f.most)
        return refuse(&f, "lists are not of equal length"), NULL;
    if (!(f.data = malloc((size_t)n * orr_dtype_size(f.raw) + 8))) {
        *wrong = serve_problem(503, "ORR_ENOMEM", "there is no memory for an array");
        return NULL;
    }
    orr_shape row = ORR_SHAPE(n);
    orr_tensor *t = NULL;
    if (fill(&f, data, flat ? &row : &s, 0)) {
        t = orr_from(f.raw, s, f.data);
        if (f.raw != f.dtype) {
            orr_tensor *half = orr_cast(t, f.dtype);
            (void)orr_free(t);
            t = half;
        }
        t = checked(t, wrong);
    }
    free(f.data);
    return t;
}

static void let_go(void *elements, void *user)
{
    (void)elements;
    serve_body_unref(user);
}

orr_tensor *serve_array_npy(serve_body *body, char *data, size_t bytes, size_t *used, const serve_array_limits *most,
                            serve_reply *wrong)
{
    if (body)
        serve_body_ref(body);
    orr_tensor *t =
        checked(body ? orr_wrap_bytes(data, bytes, used, let_go, body) : orr_load_bytes(data, bytes, used), wrong);
    if (!t)
        serve_body_unref(body);
    if (t && orr_tensor_shape(t).rank > most->rank) {
        *wrong = serve_problem(422, "limit", "the rank of an array is %d, and %d is the limit",
                               orr_tensor_shape(t).rank, most->rank);
        (void)orr_free(t);
        return NULL;
    }
    return t;
}

/* -- writing ----------------------------------------------------------------------------------------------- */

/* A growing text buffer. */
typedef struct text {
    char *p;
    size_t n, room;
} text;

static bool reserve(text *t, size_t n)
{
    if (t->n + n < t->room)
        return true;
    size_t room = 2 * (t->n + n);
    char *p = realloc(t->p, room);
    if (!p)
        return false;
    t->p = p;
    t->room = room;
    return true;
}

/* The shortest of three precisions whose digits read back as the same number. */
static int real(char *to, double x, bool single)
{
    static const int digits[2][3] = { { 15, 16, 17 }, { 6, 8, 9 } };
    int n = 0;
    if (isnan(x) || isinf(x))
        return sprintf(to, "\"%s\"", isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity");
    for (int k = 0; k < 3; k++) {
        n = sprintf(to, "%.*g", digits[single][k], x);
        if (single ? strtof(to, NULL) == (float)x : strtod(to, NULL) == x)
            break;
    }
    if (!strpbrk(to, ".e"))
        n += sprintf(to + n, ".0");
    return n;
}

static int element(char *to, const void *data, orr_dtype dtype, int64_t i)
{
    switch (dtype) {
    case ORR_BOOL: return sprintf(to, "%s", ((const uint8_t *)data)[i] ? "true" : "false");
    case ORR_I8: return sprintf(to, "%d", ((const int8_t *)data)[i]);
    case ORR_I16: return sprintf(to, "%d", ((const int16_t *)data)[i]);
    case ORR_I32: return sprintf(to, "%d", ((const int32_t *)data)[i]);
    case ORR_I64: return sprintf(to, "%lld", (long long)((const int64_t *)data)[i]);
    case ORR_U8: return sprintf(to, "%u", ((const uint8_t *)data)[i]);
    case ORR_U16: return sprintf(to, "%u", ((const uint16_t *)data)[i]);
    case ORR_U32: return sprintf(to, "%u", ((const uint32_t *)data)[i]);
    case ORR_U64: return sprintf(to, "%llu", (unsigned long long)((const uint64_t *)data)[i]);
    case ORR_F32: return real(to, (double)((const float *)data)[i], true);
    default: return real(to, ((const double *)data)[i], false);
    }
}

static bool write_axis(text *t, const char *data, orr_dtype dtype, const orr_shape *s, int axis, int64_t *at)
{
    if (!reserve(t, 64))
        return false;
    if (axis == s->rank) {
        t->n += (size_t)element(t->p + t->n, data, dtype, (*at)++);
        return true;
    }
    t->p[t->n++] = '[';
    for (int64_t i = 0; i < s->dim[axis]; i++) {
        if (!write_axis(t, data, dtype, s, axis + 1, at) || !reserve(t, 8))
            return false;
        if (i + 1 < s->dim[axis]) {
            t->p[t->n++] = ',';
            if (axis + 1 == s->rank)
                t->p[t->n++] = ' ';
            else
                t->p[t->n++] = '\n';
        }
    }
    t->p[t->n++] = ']';
    return true;
}

static serve_reply as_json(const void *data, orr_dtype dtype, orr_dtype as_dtype, const orr_shape *s)
{
    text t = { 0 };
    int64_t at = 0;
    bool ok = reserve(&t, 512);
    if (ok) {
        t.n += (size_t)sprintf(t.p, "{\"dtype\": \"%s\", \"shape\": [", orr_dtype_name(as_dtype));
        for (int k = 0; k < s->rank; k++)
            t.n += (size_t)sprintf(t.p + t.n, "%s%lld", k ? ", " : "", (long long)s->dim[k]);
        t.n += (size_t)sprintf(t.p + t.n, "],\n\"data\": ");
        ok = write_axis(&t, data, dtype, s, 0, &at) && reserve(&t, 8);
    }
    if (ok) {
        memcpy(t.p + t.n, "}\n", 3);
        return serve_reply_text(200, SERVE_JSON, t.p, t.n + 2);
    }
    free(t.p);
    return serve_reply_text(200, SERVE_JSON, NULL, 0);
}

bool serve_array_fits_json(orr_dtype dtype, orr_shape shape, const serve_array_limits *most, serve_reply *wrong)
{
    enum { SHORTEST = 8 };                                /* bytes of an element, about */
    int64_t n = count(&shape, INT64_MAX / 16), lists = 1; /* empty lists of an axis of length 0 count, too */
    for (int k = 0; k < shape.rank && lists <= most->json; k++)
        lists *= shape.dim[k] > 0 ? shape.dim[k] : 1;
    bool complex = orr_isdtype(dtype, ORR_KIND_COMPLEX);
    if (lists > most->json / SHORTEST || n > most->json / SHORTEST)
        *wrong = serve_problem(406, "limit",
                               "a result of %lld elements is too long as JSON, %lld bytes of which are the limit: "
                               "accept " SERVE_NPY,
                               (long long)n, (long long)most->json);
    else if (complex)
        *wrong = serve_problem(406, "array", "complex numbers are sent as " SERVE_NPY);
    else
        return true;
    return false;
}

serve_reply serve_array_reply(serve_value *v, const void *data, orr_dtype dtype, orr_dtype as_dtype, orr_shape shape,
                              bool npy, const serve_array_limits *most)
{
    serve_reply wrong;
    char *head;
    if (!npy)
        return serve_array_fits_json(dtype, shape, most, &wrong) ? as_json(data, dtype, as_dtype, &shape) : wrong;
    if (!(head = malloc(ORR_NPY_HEADER)))
        return serve_reply_text(200, SERVE_NPY, NULL, 0);
    serve_reply r = serve_reply_text(200, SERVE_NPY, head, orr_npy_header(dtype, shape, head));
    if (r.n_text == 0) {
        serve_reply_free(&r);
        return serve_problem_last();
    }
    r.tail = data;
    r.n_tail = (size_t)count(&shape, INT64_MAX / 16) * orr_dtype_size(dtype);
    r.value = v;
    atomic_fetch_add(&v->refs, 1);
    return r;
}
