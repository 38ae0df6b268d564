/* The file of a dump: numbers in the byte order of the machine, which the head names, texts with their lengths, and a SHA-256 of all of it
 * at the end. Version 1.
 * Must not know: the meaning of an operation. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "ops/ops.h"
#include "runtime/api/dump.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/file_source.h"
#include "runtime/base/array.h"
#include "runtime/base/sha256.h"

static const char magic[16] = "orrery-dump";
enum { FORMAT = 1, ORDER = 0x01020304, DIGEST = 32, NAMES_MOST = 4096, NODE_LEAST = 32 }; /* limit of a format */

void orr__dump_digest(const void *data, size_t bytes, unsigned char digest[32])
{
    orr__sha256 h;
    orr__sha256_begin(&h);
    if (bytes)
        orr__sha256_add(&h, data, bytes);
    orr__sha256_end(&h, digest);
}

/* -- writing ----------------------------------------------------------------------------------------------- */

typedef struct {
    orr__sink sink;
    orr__sha256 hash;
    orr_status st;
} writer;

static void put(writer *w, const void *data, size_t n)
{
    if (n == 0 || w->st != ORR_OK)
        return;
    orr__sha256_add(&w->hash, data, n);
    w->st = orr__sink_write(&w->sink, data, n);
}

static void put_i32(writer *w, int32_t v)
{
    put(w, &v, sizeof v);
}

/* The length, the text, and a 0. NULL is "". */
static void put_text(writer *w, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    put_i32(w, (int32_t)n);
    put(w, n ? s : "", n + 1);
}

static void put_node(writer *w, const orr__dump_node *n)
{
    put_text(w, n->op);
    put_text(w, orr_dtype_name(n->dtype));
    put_text(w, n->file);
    put_text(w, n->as);
    put_i32(w, n->line);
    put_i32(w, n->leaf);
    put_i32(w, n->weak);
    put_i32(w, n->shape.rank);
    for (int d = 0; d < n->shape.rank; d++)
        put(w, &n->shape.dim[d], sizeof n->shape.dim[d]);
#define ATTR(bit, type, field, length) put(w, &n->attr.field, sizeof n->attr.field);
    ORR__ATTRS(ATTR)
#undef ATTR
    put_i32(w, n->nscalar);
    for (int k = 0; k < n->nscalar; k++)
        put(w, &n->s[k], sizeof n->s[k]);
    put_i32(w, n->nin);
    for (int k = 0; k < n->nin; k++)
        put_i32(w, n->arg[k]);
    put_i32(w, n->known);
    put(w, n->digest, n->known ? DIGEST : 0);
}

static void put_all(writer *w, const orr__dump *d)
{
    put(w, magic, sizeof magic);
    put_i32(w, FORMAT);
    put_i32(w, ORDER);
    for (int i = 0; i < ORR__DUMP_TEXTS; i++)
        put_text(w, d->text[i]);
    put_i32(w, d->n);
    put_i32(w, d->nleaf);
    put_i32(w, d->nout);
    put_i32(w, d->steps);
    for (int i = 0; i < d->n; i++)
        put_node(w, &d->node[i]);
    for (int i = 0; i < d->nout; i++) {
        put_i32(w, d->out[i].node);
        put_i32(w, d->out[i].known);
        put(w, d->out[i].digest, d->out[i].known ? DIGEST : 0);
    }
    for (int i = 0; i < d->nleaf; i++) {
        const orr__dump_leaf *l = &d->leaf[i];
        int64_t bytes = (int64_t)l->bytes;
        put_i32(w, l->node);
        put_i32(w, l->data != NULL || bytes == 0);
        put(w, &bytes, sizeof bytes);
        put(w, l->digest, DIGEST);
        put(w, l->data, l->data ? l->bytes : 0);
    }
}

orr_status orr__dump_write(orr__site at, const char *path, const orr__dump *d)
{
    writer w = { .st = ORR_OK };
    unsigned char digest[DIGEST];
    orr_status st = orr__sink_open(at, path, false, &w.sink);
    if (st != ORR_OK)
        return st;
    orr__sha256_begin(&w.hash);
    put_all(&w, d);
    orr__sha256_end(&w.hash, digest);
    if (w.st == ORR_OK)
        w.st = orr__sink_write(&w.sink, digest, DIGEST);
    return orr__sink_close(&w.sink, w.st);
}

/* -- reading ----------------------------------------------------------------------------------------------- */

typedef struct {
    const char *p, *end;
    const char *bad; /* what is wrong; NULL: nothing so far */
} reader;

static const void *take(reader *r, size_t n)
{
    if (!r->bad && (size_t)(r->end - r->p) < n)
        r->bad = "it ends too early";
    if (r->bad)
        return NULL;
    const char *at = r->p;
    r->p += n;
    return at;
}

static void get(reader *r, void *to, size_t n)
{
    const void *from = take(r, n);
    if (from && n)
        memcpy(to, from, n);
    else
        memset(to, 0, n);
}

/* A number from low to high. */
static int32_t get_i32(reader *r, int32_t low, int32_t high)
{
    int32_t v;
    get(r, &v, sizeof v);
    if (!r->bad && (v < low || v > high))
        r->bad = "a number is out of its range";
    return r->bad ? low : v;
}

/* The most pieces of so many bytes that may follow. */
static int32_t at_most(const reader *r, size_t size)
{
    size_t n = (size_t)(r->end - r->p) / size;
    return n < INT32_MAX ? (int32_t)n : INT32_MAX;
}

static const char *get_text(reader *r, int32_t most)
{
    int32_t n = get_i32(r, 0, most);
    const char *s = take(r, (size_t)n + 1);
    if (s && (s[n] != '\0' || memchr(s, 0, (size_t)n)))
        r->bad = "a text has no end";
    return s && !r->bad ? s : "";
}

static orr_dtype get_dtype(reader *r)
{
    const char *name = get_text(r, NAMES_MOST);
    for (int t = 0; t < ORR_DTYPE_COUNT; t++)
        if (strcmp(name, orr_dtype_name((orr_dtype)t)) == 0)
            return (orr_dtype)t;
    r->bad = r->bad ? r->bad : "a dtype is unknown";
    return ORR_F32;
}

/* Node i; its operands are numbers below i, appended to d->arg. */
static void get_node(reader *r, orr__dump *d, int i, int *narg, int *capacity)
{
    orr__dump_node *n = &d->node[i];
    n->op = get_text(r, NAMES_MOST);
    n->dtype = get_dtype(r);
    n->file = get_text(r, NAMES_MOST);
    n->as = get_text(r, NAMES_MOST);
    n->line = get_i32(r, 0, INT32_MAX);
    n->leaf = get_i32(r, -1, d->nleaf - 1);
    n->weak = get_i32(r, 0, 1);
    n->shape.rank = get_i32(r, 0, ORR_MAX_RANK);
    for (int k = 0; k < n->shape.rank; k++)
        get(r, &n->shape.dim[k], sizeof n->shape.dim[k]);
    if (!r->bad && !orr__shape_valid(&n->shape))
        r->bad = "a shape is impossible";
#define ATTR(bit, type, field, length) get(r, &n->attr.field, sizeof n->attr.field);
    ORR__ATTRS(ATTR)
#undef ATTR
    n->nscalar = get_i32(r, 0, 3);
    for (int k = 0; k < n->nscalar; k++)
        get(r, &n->s[k], sizeof n->s[k]);
    n->nin = get_i32(r, 0, i ? at_most(r, sizeof(int32_t)) : 0); /* one node may be several operands */
    if (!r->bad && n->nin > INT32_MAX - 1 - *narg)
        r->bad = "it has too many operands";
    int32_t *more = r->bad ? NULL : orr__array_reserve(d->arg, capacity, *narg + n->nin + 1, sizeof *more);
    d->arg = more ? more : d->arg;
    for (int k = 0; k < n->nin && more; k++)
        d->arg[(*narg)++] = get_i32(r, 0, i - 1);
    n->known = get_i32(r, 0, 1);
    get(r, n->digest, n->known ? DIGEST : 0);
    if (!r->bad && !more)
        r->bad = "there is no memory for it";
    if (!r->bad && (n->leaf >= 0) != (strcmp(n->op, "leaf") == 0 && n->nin == 0))
        r->bad = "an input is computed";
}

static void get_leaf(reader *r, orr__dump *d, int i)
{
    orr__dump_leaf *l = &d->leaf[i];
    int64_t bytes;
    l->node = get_i32(r, 0, d->n - 1);
    bool there = get_i32(r, 0, 1);
    get(r, &bytes, sizeof bytes);
    get(r, l->digest, DIGEST);
    if (r->bad)
        return;
    const orr__dump_node *n = &d->node[l->node];
    if (n->leaf != i || bytes < 0 || orr__shape_count(&n->shape) > INT64_MAX / 32 ||
        bytes != orr__shape_count(&n->shape) * (int64_t)orr_dtype_size(n->dtype)) {
        r->bad = "an input has another size";
        return;
    }
    l->bytes = (size_t)bytes;
    l->data = there ? take(r, l->bytes) : NULL;
}

static void get_graph(reader *r, orr__dump *d)
{
    int narg = 0, capacity = 0;
    for (int i = 0; i < d->n && !r->bad; i++)
        get_node(r, d, i, &narg, &capacity);
    for (int i = 0, at = 0; i < d->n && !r->bad; at += d->node[i++].nin)
        d->node[i].arg = d->arg + at;
    for (int i = 0; i < d->nout && !r->bad; i++) {
        d->out[i].node = get_i32(r, 0, d->n - 1);
        d->out[i].known = get_i32(r, 0, 1);
        get(r, d->out[i].digest, d->out[i].known ? DIGEST : 0);
    }
    for (int i = 0; i < d->nleaf && !r->bad; i++)
        get_leaf(r, d, i);
    if (!r->bad && r->p != r->end)
        r->bad = "it is longer than its content";
}

static void get_all(reader *r, orr__dump *d)
{
    char head[sizeof magic];
    get(r, head, sizeof head);
    if (r->bad || memcmp(head, magic, sizeof magic) != 0) {
        r->bad = "it is no dump of Orrery";
        return;
    }
    int32_t version, order;
    get(r, &version, sizeof version);
    get(r, &order, sizeof order);
    if (r->bad || order != ORDER || version != FORMAT) {
        r->bad = order == ORDER ? "it has another version of the format" : "it is of a machine with another byte order";
        return;
    }
    for (int i = 0; i < ORR__DUMP_TEXTS; i++)
        d->text[i] = get_text(r, INT32_MAX - 1);
    d->n = get_i32(r, 0, at_most(r, NODE_LEAST));
    d->nleaf = get_i32(r, 0, d->n);
    d->nout = get_i32(r, 0, at_most(r, sizeof(int32_t)));
    d->steps = get_i32(r, 0, 1);
    d->node = orr__alloc_n((size_t)d->n + 1, sizeof *d->node);
    d->leaf = orr__alloc_n((size_t)d->nleaf + 1, sizeof *d->leaf);
    d->out = orr__alloc_n((size_t)d->nout + 1, sizeof *d->out);
    if (!d->node || !d->leaf || !d->out)
        r->bad = "there is no memory for it";
    get_graph(r, d);
}

/* The digest at the end is checked first. */
static const char *check(orr__dump *d, size_t size)
{
    unsigned char digest[DIGEST];
    reader r = { d->bytes, d->bytes + size - DIGEST, NULL };
    if (size < sizeof magic + DIGEST || memcmp(d->bytes, magic, sizeof magic) != 0)
        return "it is no dump of Orrery";
    orr__dump_digest(d->bytes, size - DIGEST, digest);
    if (memcmp(digest, r.end, DIGEST) != 0)
        return "it is damaged";
    get_all(&r, d);
    return r.bad;
}

orr_status orr__dump_read(orr__site at, const char *path, orr__dump *d)
{
    orr__source *s;
    size_t size;
    memset(d, 0, sizeof *d);
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__source_open(at, path, false, &s);
    if (st != ORR_OK)
        return st;
    st = orr__source_all(s, &d->bytes, &size);
    const char *bad = st == ORR_OK ? check(d, size) : NULL;
    if (bad)
        st = orr__source_fail(s, ORR_EFORMAT, "%s", bad);
    s->close(s);
    if (st != ORR_OK)
        orr__dump_free(d);
    return st;
}

void orr__dump_free(orr__dump *d)
{
    free(d->node);
    free(d->leaf);
    free(d->out);
    free(d->arg);
    free(d->bytes);
    memset(d, 0, sizeof *d);
}

const char *orr__dump_short(const unsigned char digest[32], char text[17])
{
    for (int i = 0; i < 8; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

const char *orr__dump_step(const orr__dump_node *n, char *text, size_t size)
{
    const char *slash = n->file ? strrchr(n->file, '/') : NULL;
    (void)snprintf(text, size, "%s:%d: %s %s %s",
                   slash                 ? slash + 1
                   : n->file && *n->file ? n->file
                                         : "?",
                   n->line, n->op, orr_dtype_name(n->dtype), orr__str(n->shape).s);
    return text;
}
