/* The header of a .npy file: a Python dictionary with three keys, read strictly.
 * Must not know: where the bytes are. */
#include "config.h"
#include "runtime/api/npy.h"

#include <string.h>
#include "runtime/base/shape.h"

typedef struct {
    orr__source *s;
    const char *p, *end;
} text;

static bool skip(text *t, char c)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t' || *t->p == '\r'))
        t->p++;
    if (c == '\0' || t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

static orr_status malformed(text *t, const char *what)
{
    return orr__source_fail(t->s, ORR_EFORMAT, "the .npy header is malformed: %s", what);
}

/* Parses 'text' or "text", without escapes. */
static bool quoted(text *t, char *to, size_t size)
{
    char q = skip(t, '\'') ? '\'' : skip(t, '"') ? '"' : '\0';
    size_t n = 0;
    if (!q)
        return false;
    for (; t->p < t->end && *t->p != q; t->p++) {
        if (n + 1 == size || *t->p == '\\' || (unsigned char)*t->p < ' ' || (unsigned char)*t->p > '~')
            return false;
        to[n++] = *t->p;
    }
    to[n] = '\0';
    return skip(t, q);
}

static bool word(text *t, const char *w)
{
    size_t n = strlen(w);
    skip(t, '\0');
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, w, n) != 0)
        return false;
    t->p += n;
    return true;
}

/* "<f4": byte order, kind, bytes. */
static orr_status element_type(text *t, const char *d, orr__npy *h)
{
    static const struct {
        char kind;
        const char *size;
        orr_dtype dtype;
    } known[] = {
        { 'b', "1", ORR_BOOL }, { 'i', "1", ORR_I8 },    { 'i', "2", ORR_I16 }, { 'i', "4", ORR_I32 },
        { 'i', "8", ORR_I64 },  { 'u', "1", ORR_U8 },    { 'u', "2", ORR_U16 }, { 'u', "4", ORR_U32 },
        { 'u', "8", ORR_U64 },  { 'f', "2", ORR_F16 },   { 'f', "4", ORR_F32 }, { 'f', "8", ORR_F64 },
        { 'c', "8", ORR_C64 },  { 'c', "16", ORR_C128 },
    };
    bool big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    if (!*d || !strchr("<>|=", *d))
        return orr__source_fail(t->s, ORR_EFORMAT, "element type '%s' has no byte order", d);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (d[1] == known[i].kind && strcmp(d + 2, known[i].size) == 0) {
            h->dtype = known[i].dtype;
            h->swapped = orr_dtype_size(h->dtype) > 1 && ((*d == '<' && big_host) || (*d == '>' && !big_host));
            return ORR_OK;
        }
    }
    const char *what = d[1] == 'O'                  ? "Python objects, which are never loaded"
                       : d[1] == 'S' || d[1] == 'U' ? "strings"
                       : d[1] == 'M' || d[1] == 'm' ? "dates or times"
                       : d[1] == 'V'                ? "raw bytes (bfloat16 is saved so: save it as float32)"
                                                    : "of no type known here";
    return orr__source_fail(t->s, ORR_EDTYPE,
                            "its elements, '%s', are %s; there are bool, int8…int64, uint8…uint64, float16, float32, "
                            "float64, complex64, complex128",
                            d, what);
}

static orr_status element_type_value(text *t, orr__npy *h)
{
    char d[32];
    if (skip(t, '['))
        return orr__source_fail(t->s, ORR_EDTYPE, "its elements are records; save the fields as arrays");
    if (!quoted(t, d, sizeof d))
        return malformed(t, "'descr' is no string");
    return element_type(t, d, h);
}

static orr_status dimension(text *t, int64_t *d)
{
    const char *from = t->p;
    int64_t n = 0;
    for (; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *t->p - '0', &n))
            return orr__source_fail(t->s, ORR_ESHAPE, "a dimension exceeds 64 bits");
    if (t->p == from)
        return malformed(t, "'shape' is no tuple of sizes");
    if (t->p < t->end && *t->p == 'L') /* as written by Python 2 */
        t->p++;
    *d = n;
    return ORR_OK;
}

static orr_status shape_value(text *t, orr_shape *shape)
{
    int rank = 0;
    bool comma = true;
    if (!skip(t, '('))
        return malformed(t, "'shape' is no tuple");
    while (!skip(t, ')')) {
        int64_t d = 0;
        if (!comma)
            return malformed(t, "'shape' lacks a comma");
        orr_status st = dimension(t, &d);
        if (st != ORR_OK)
            return st;
        if (rank < ORR_MAX_RANK)
            shape->dim[rank] = d;
        rank++;
        comma = skip(t, ',');
    }
    if (rank == 1 && !comma)
        return malformed(t, "'shape' is a number, no tuple");
    if (rank > ORR_MAX_RANK)
        return orr__source_fail(t->s, ORR_ESHAPE, "it has rank %d; tensors have at most %d", rank, ORR_MAX_RANK);
    shape->rank = rank;
    if (!orr__shape_valid(shape))
        return orr__source_fail(t->s, ORR_ESHAPE, "its shape %s has too many elements to count", orr__str(*shape).s);
    return ORR_OK;
}

static orr_status value_of(text *t, int key, orr__npy *h)
{
    if (key == 0)
        return element_type_value(t, h);
    if (key == 2)
        return shape_value(t, &h->shape);
    h->fortran = word(t, "True");
    return h->fortran || word(t, "False") ? ORR_OK : malformed(t, "'fortran_order' is neither True nor False");
}

orr_status orr__npy_dict(orr__source *s, const char *chars, size_t n, orr__npy *h)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    text t = { s, chars, chars + n };
    unsigned seen = 0;
    if (!skip(&t, '{'))
        return malformed(&t, "it is no dictionary");
    for (bool more = true; !skip(&t, '}'); more = skip(&t, ',')) {
        char name[32];
        int key = 0;
        if (!more || !quoted(&t, name, sizeof name) || !skip(&t, ':'))
            return malformed(&t, "a key is broken");
        while (key < 3 && strcmp(name, keys[key]) != 0)
            key++;
        if (key == 3 || (seen & 1u << key))
            return malformed(&t, "a key is unknown or comes twice");
        seen |= 1u << key;
        orr_status st = value_of(&t, key, h);
        if (st != ORR_OK)
            return st;
    }
    skip(&t, '\0');
    if (seen != 7 || t.p != t.end)
        return malformed(&t, seen != 7 ? "a key is missing" : "something follows the dictionary");
    return ORR_OK;
}
