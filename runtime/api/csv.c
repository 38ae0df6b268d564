/* CSV files: lines of numbers with a delimiter between them.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "ops/ops.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/file_source.h"
#include "runtime/api/formats.h"
#include "runtime/api/npy.h"
#include "runtime/api/stored.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"

enum { TEXT = 1 << 16, LONGEST = 64 }; /* TEXT: bytes written at a time; LONGEST: of one written number */

/* A text and the current position in it. Lines count from 1. */
typedef struct {
    orr__source *s;
    char *at;
    int64_t line;
    char delimiter;
    orr_dtype dtype;
} reader;

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The end of the line at p. */
static char *line_end(char *p)
{
    return p + strcspn(p, "\n");
}

/* Skips empty lines and comments; false: no line is left. */
static bool next_line(reader *r)
{
    while (*r->at) {
        char *p = r->at;
        while (blank(*p) && *p != r->delimiter)
            p++;
        if (*p && *p != '\n' && *p != '#')
            return true;
        r->at = line_end(p);
        if (*r->at)
            r->at++;
        r->line++;
    }
    return false;
}

static int64_t fields_of(const reader *r)
{
    int64_t n = 1;
    for (const char *p = r->at; *p && *p != '\n'; p++)
        n += *p == r->delimiter;
    return n;
}

/* Parses the number in [from, to), ignoring blanks and one pair of quotes around it; false: not a number of the dtype. */
static bool number(orr_dtype t, char *from, char *to, orr__scalar *v)
{
    char *end = to;
    while (from < to && blank(*from))
        from++;
    while (to > from && blank(to[-1]))
        to--;
    bool quoted = to - from >= 2 && *from == '"' && to[-1] == '"';
    from += quoted;
    to -= quoted;
    while (quoted && from < to && blank(*from))
        from++;
    while (quoted && to > from && blank(to[-1]))
        to--;
    char was = *to;
    *to = 0;
    errno = 0;
    if (t == ORR_BOOL && (strcasecmp(from, "true") == 0 || strcasecmp(from, "false") == 0)) {
        v->u = strcasecmp(from, "true") == 0;
        end = to;
    } else if (orr__is_float(t)) {
        double d = from == to ? NAN : orr__decimal(from, &end);
        end = from == to ? to : end;
        errno = 0; /* an overflow becomes inf, an underflow 0 */
        *v = orr__scalar_cast((orr__scalar){ .f = d }, ORR_F64, t);
    } else if (orr__is_signed(t)) {
        v->i = strtoll(from, &end, 10);
        end = orr__scalar_cast(*v, ORR_I64, t).i == v->i ? end : NULL;
    } else {
        v->u = strtoull(from, &end, 10);
        bool fits = t == ORR_BOOL ? v->u < 2 : orr__scalar_cast(*v, ORR_U64, t).u == v->u;
        end = *from != '-' && fits ? end : NULL;
    }
    *to = was;
    return errno == 0 && end == to && (from < to || orr__is_float(t));
}

/* Reads one line into `cols` elements. */
static orr_status read_line(reader *r, int64_t cols, char *to)
{
    char *p = r->at, *end = line_end(p);
    for (int64_t c = 0; c < cols; c++) {
        char *stop = memchr(p, r->delimiter, (size_t)(end - p));
        orr__scalar v = { .u = 0 };
        stop = stop ? stop : end;
        if (!number(r->dtype, p, stop, &v))
            return orr__source_fail(r->s, ORR_EFORMAT, "line %lld, field %lld: '%.*s' is no %s", (long long)r->line,
                                    (long long)c + 1, (int)(stop - p < 40 ? stop - p : 40), p, /* limit of a format */
                                    orr_dtype_name(r->dtype));
        orr__scalar_store(to, r->dtype, v);
        to += orr_dtype_size(r->dtype);
        p = stop + (stop < end);
    }
    r->at = *end ? end + 1 : end;
    r->line++;
    return ORR_OK;
}

/* Determines rows and columns; all lines must have as many fields as the first. */
static orr_status measure(reader r, orr_shape *s)
{
    *s = ORR_SHAPE(0, 0);
    while (next_line(&r)) {
        int64_t n = fields_of(&r);
        if (s->dim[0]++ == 0)
            s->dim[1] = n;
        if (n != s->dim[1])
            return orr__source_fail(r.s, ORR_EFORMAT, "line %lld has %lld fields, and the first one has %lld",
                                    (long long)r.line, (long long)n, (long long)s->dim[1]);
        r.at = line_end(r.at);
        if (*r.at)
            r.at++;
        r.line++;
    }
    return ORR_OK;
}

static orr_status parse(reader *r, int skip, orr_shape *shape, orr__buffer **b)
{
    for (; skip > 0 && *r->at; skip--, r->line++) {
        r->at = line_end(r->at);
        r->at += *r->at != 0;
    }
    if (skip > 0)
        return orr__source_fail(r->s, ORR_EFORMAT, "it has %lld lines, fewer than the %lld to skip",
                                (long long)r->line - 1, (long long)r->line - 1 + skip);
    orr_status st = measure(*r, shape);
    if (st != ORR_OK)
        return st;
    size_t z = orr_dtype_size(r->dtype);
    if (!(*b = orr__buffer_new((size_t)orr__shape_count(shape) * z)))
        return ORR_ENOMEM;
    for (int64_t i = 0; st == ORR_OK && next_line(r); i++)
        st = read_line(r, shape->dim[1], (char *)(*b)->host + (size_t)(i * shape->dim[1]) * z);
    if (st != ORR_OK) {
        orr__buffer_unref(*b);
        *b = NULL;
    }
    return st;
}

/* ORR_EINVAL for a character that may be a part of a number, of a comment, of quotes or of a line end. */
static orr_status check_delimiter(orr__site at, char c)
{
    if (!strchr("\n\r\"#.+-0123456789", c))
        return ORR_OK;
    return orr__fail(at, ORR_EINVAL,
                     "no delimiter: '%s' occurs in numbers, quotes, comments or line ends; use ',', ';' or a tab",
                     c == '\n'   ? "\\n"
                     : c == '\r' ? "\\r"
                                 : (char[]){ c, '\0' });
}

static orr_tensor *load(orr__site at, const char *path, orr_dtype dtype, char delimiter, int skip)
{
    orr__source *s;
    char *text = NULL;
    size_t size;
    orr_shape shape = { 0, { 0 } };
    orr__buffer *b = NULL;
    if ((unsigned)dtype >= ORR_DTYPE_COUNT)
        return orr__poison(at, ORR_EDTYPE, "%d is no dtype", (int)dtype);
    if (orr__is_field(dtype))
        return orr__poison(at, ORR_EDTYPE, "CSV has no %s: write orr_field_parse", orr_dtype_name(dtype));
    if (skip < 0)
        return orr__poison(at, ORR_EINVAL, "the number of lines to skip is negative");
    if (check_delimiter(at, delimiter) != ORR_OK)
        return orr__handle_new(NULL);
    orr_status st = orr__source_open(at, path, false, &s);
    if (st == ORR_OK) {
        st = orr__source_all(s, &text, &size);
        if (st == ORR_OK && strlen(text) != size)
            st = orr__source_fail(s, ORR_EFORMAT, "it is no text: it has a byte 0");
        reader r = { s, text, 1, delimiter, dtype };
        if (st == ORR_OK)
            st = parse(&r, skip, &shape, &b);
        free(text);
        s->close(s);
    }
    return orr__io_leaf(at, st, dtype, &shape, b);
}

orr_tensor *orr_load_csv_at(const char *file, int line, const char *path, orr_dtype dtype, char delimiter, int skip)
{
    orr__site at = ORR__SITE(file, line, "load_csv");
    return path ? load(at, path, dtype, delimiter ? delimiter : ',', skip)
                : orr__poison(at, ORR_EINVAL, "the path is NULL");
}

orr_tensor *orr__csv_load(orr__site at, const char *path)
{
    return load(at, path, ORR_F64, ',', 0);
}

/* -- writing ------------------------------------------------------------------------------------------------------------ */

/* Writes as many digits as are needed to read the number back. */
static int text_of(orr_dtype t, const void *p, char to[LONGEST])
{
    ORR__IN_DEFAULT_FPMODE;
    orr__scalar v = orr__scalar_load(p, t);
    if (orr__is_float(t))
        return snprintf(to, LONGEST, t == ORR_F64 ? "%.17g" : "%.9g", v.f);
    return orr__is_signed(t) ? snprintf(to, LONGEST, "%lld", (long long)v.i)
                             : snprintf(to, LONGEST, "%llu", (unsigned long long)v.u);
}

typedef struct {
    orr__sink *sink;
    orr_dtype dtype;
    int64_t cols, done; /* elements */
    char delimiter;
} writer;

static orr_status write_elements(void *to, const void *data, size_t bytes)
{
    writer *w = to;
    char text[TEXT];
    size_t used = 0, z = orr_dtype_size(w->dtype);
    orr_status st = ORR_OK;
    for (const char *p = data, *end = p + bytes; p < end && st == ORR_OK; p += z) {
        used += (size_t)text_of(w->dtype, p, text + used);
        text[used++] = ++w->done % w->cols ? w->delimiter : '\n';
        if (used + LONGEST + 1 > sizeof text) {
            st = orr__sink_write(w->sink, text, used);
            used = 0;
        }
    }
    return st == ORR_OK ? orr__sink_write(w->sink, text, used) : st;
}

static orr_status save(orr__site at, const char *path, orr_tensor *t, char delimiter)
{
    orr__stored v;
    orr__sink sink;
    orr_shape s = orr_tensor_shape(t);
    orr_status fits = check_delimiter(at, delimiter);
    if (fits != ORR_OK)
        return fits;
    orr_dtype dtype = orr_tensor_dtype(t);
    if (dtype != ORR_DTYPE_COUNT && orr__is_compound(dtype))
        return orr__fail(at, ORR_EDTYPE, "a CSV file has no %s: save its parts or limbs", orr_dtype_name(dtype));
    if (s.rank > 2)
        return orr__fail(at, ORR_ESHAPE, "a CSV file has two axes at most, not %s: reshape it", orr__str(s).s);
    orr_status st = orr__stored_of(at, t, &v);
    if (st == ORR_OK) {
        st = orr__sink_open(at, path, v.placed != 0, &sink);
        if (st == ORR_OK) {
            writer w = { &sink, dtype, s.rank > 1 ? s.dim[1] : 1, 0, delimiter };
            locale_t was = orr__point_begin();
            st = orr__stored_each(at, &v, write_elements, &w);
            orr__point_end(was);
            st = orr__sink_close(&sink, st);
        }
        orr__stored_free(&v);
    }
    return st;
}

orr_status orr_save_csv_at(const char *file, int line, const char *path, orr_tensor *t, char delimiter)
{
    orr__site at = ORR__SITE(file, line, "save_csv");
    return path ? save(at, path, t, delimiter ? delimiter : ',') : orr__fail(at, ORR_EINVAL, "the path is NULL");
}

orr_status orr__csv_save(orr__site at, const char *path, orr_tensor *t)
{
    return save(at, path, t, ',');
}
