/* safetensors files: a length, a JSON header that names tensors and their bytes, and the bytes.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ops/ops.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/json.h"
#include "runtime/api/named.h"
#include "runtime/api/npy.h"
#include "runtime/api/stored.h"
#include "runtime/base/mapped_file.h"
#include "runtime/ranks/ranks.h"

/* HEADER_MOST: the specification's limit of a header. ALIGNED: the alignment of files that we write. Limits of a format. */
enum { HEADER_MOST = 100000000, ALIGNED = 64, SWAPPED = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static const struct {
    const char *name;
    orr_dtype dtype;
} dtypes[] = {
    { "BOOL", ORR_BOOL }, { "U8", ORR_U8 },     { "I8", ORR_I8 },   { "I16", ORR_I16 }, { "U16", ORR_U16 },
    { "F16", ORR_F16 },   { "BF16", ORR_BF16 }, { "I32", ORR_I32 }, { "U32", ORR_U32 }, { "F32", ORR_F32 },
    { "F64", ORR_F64 },   { "I64", ORR_I64 },   { "U64", ORR_U64 },
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

typedef struct {
    const char *name;
    char type[16];
    orr_dtype dtype; /* ORR_DTYPE_COUNT: not supported */
    orr_shape shape;
    uint64_t begin, end; /* offsets in the data */
} entry;

/* A file whose header has been read and checked. */
typedef struct {
    orr__site at;
    const char *path;
    int fd;
    uint64_t data, size; /* offset of the data; their bytes */
    char *text, *names;  /* the header; decoded names, never longer than it */
    entry *e;
    int n, room;
} archive;

static orr_status fail(const archive *f, const char *what)
{
    return orr__fail(f->at, ORR_EFORMAT, "%s: %s", f->path, what);
}

static void shut(archive *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
    free(f->text);
    free(f->names);
    free(f->e);
}

/* Reads a whole number that a double holds exactly. */
static uint64_t whole(orr__json *j)
{
    double v = orr__json_number(j);
    if (!(v >= 0 && v <= 0x1p53) || v != (double)(uint64_t)v)
        j->bad = true;
    return j->bad ? 0 : (uint64_t)v;
}

static void read_shape(orr__json *j, orr_shape *s, bool *deep)
{
    orr__json_want(j, '[');
    for (*s = (orr_shape){ 0, { 0 } }; orr__json_element(j);) {
        uint64_t d = whole(j);
        *deep = *deep || s->rank == ORR_MAX_RANK;
        if (!*deep)
            s->dim[s->rank++] = (int64_t)d;
    }
}

/* Reads the members of one tensor, each of which must occur once. */
static orr_status read_entry(const archive *f, orr__json *j, entry *e)
{
    char key[16];
    int seen = 0;
    bool deep = false;
    orr__json_want(j, '{');
    while (orr__json_member(j, key, sizeof key)) {
        int bit = strcmp(key, "dtype") == 0          ? 1
                  : strcmp(key, "shape") == 0        ? 2
                  : strcmp(key, "data_offsets") == 0 ? 4
                                                     : 0;
        if (!bit || seen & bit)
            return fail(f, "a tensor's header has a member that is unknown or there twice");
        seen |= bit;
        if (bit == 1) {
            orr__json_string(j, e->type, sizeof e->type);
        } else if (bit == 2) {
            read_shape(j, &e->shape, &deep);
        } else {
            orr__json_want(j, '[');
            e->begin = whole(j);
            orr__json_want(j, ',');
            e->end = whole(j);
            orr__json_want(j, ']');
        }
    }
    if (j->bad || seen != 7)
        return fail(f, "a tensor's header is no JSON object with dtype, shape and data_offsets");
    e->dtype = ORR_DTYPE_COUNT;
    for (int i = 0; i < DTYPES; i++)
        if (strcmp(e->type, dtypes[i].name) == 0)
            e->dtype = dtypes[i].dtype;
    if (deep || orr__shape_count(&e->shape) < 0)
        return orr__fail(f->at, ORR_ESHAPE, "%s: tensor '%.100s' has more than %d axes, or a size that overflows",
                         f->path, e->name, ORR_MAX_RANK);
    if (e->begin > e->end || e->end > f->size ||
        (e->dtype != ORR_DTYPE_COUNT &&
         e->end - e->begin != (uint64_t)orr__shape_count(&e->shape) * orr_dtype_size(e->dtype)))
        return orr__fail(f->at, ORR_EFORMAT,
                         "%s: tensor '%.100s' has bytes %llu to %llu of %llu, which its shape and dtype do not fit",
                         f->path, e->name, (unsigned long long)e->begin, (unsigned long long)e->end,
                         (unsigned long long)f->size);
    return ORR_OK;
}

static bool more_entries(archive *f)
{
    if (f->n < f->room)
        return true;
    int room = f->room ? 2 * f->room : 16;
    entry *e = orr__realloc_n(f->e, (size_t)room, sizeof *e);
    if (!e)
        return false;
    f->e = e;
    f->room = room;
    return true;
}

static int by_begin(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : a->end != b->end ? (a->end < b->end ? -1 : 1) : 0;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const entry *)x)->name, ((const entry *)y)->name);
}

/* Checks that every byte of the data belongs to one tensor, and that names are unique. Sorts the entries by their offsets. */
static orr_status check_layout(archive *f)
{
    uint64_t at = 0;
    if (f->n)
        qsort(f->e, (size_t)f->n, sizeof *f->e, by_name);
    for (int i = 1; i < f->n; i++)
        if (strcmp(f->e[i - 1].name, f->e[i].name) == 0)
            return orr__fail(f->at, ORR_EFORMAT, "%s: tensor '%.100s' is there twice", f->path, f->e[i].name);
    if (f->n)
        qsort(f->e, (size_t)f->n, sizeof *f->e, by_begin);
    for (int i = 0; i < f->n; at = f->e[i++].end)
        if (f->e[i].begin != at)
            return orr__fail(f->at, ORR_EFORMAT, "%s: the bytes before tensor '%.100s' belong to none, or to two",
                             f->path, f->e[i].name);
    return at == f->size ? ORR_OK : fail(f, "bytes follow the last tensor");
}

static orr_status read_header(archive *f, size_t length)
{
    orr__json j = { f->text, false };
    char *name = f->names;
    orr_status st = ORR_OK;
    if (f->text[0] != '{')
        return fail(f, "not a safetensors file: the header is no JSON object");
    orr__json_want(&j, '{');
    while (st == ORR_OK && orr__json_member(&j, name, length + 1 - (size_t)(name - f->names))) {
        if (strcmp(name, "__metadata__") == 0) {
            orr__json_skip(&j);
            continue;
        }
        if (!more_entries(f))
            return ORR_ENOMEM;
        f->e[f->n] = (entry){ .name = name };
        st = read_entry(f, &j, &f->e[f->n++]);
        name += strlen(name) + 1;
    }
    (void)orr__json_take(&j, 0);
    if (st == ORR_OK && (j.bad || j.at != f->text + length))
        st = fail(f, "the header is no JSON object of tensors");
    return st == ORR_OK ? check_layout(f) : st;
}

static orr_status start(orr__site at, const char *path, archive *f)
{
    unsigned char head[8];
    int64_t size;
    uint64_t length = 0;
    *f = (archive){ .at = at, .path = path, .fd = -1 };
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__file_open(at, path, &f->fd, &size);
    if (st != ORR_OK)
        return st;
    if (size < 8 || orr__file_read(f->fd, head, 8, 0) != 8)
        return fail(f, "not a safetensors file: it is no regular file of at least 8 bytes");
    for (int i = 8; i-- > 0;)
        length = length << 8 | head[i];
    if (length > HEADER_MOST || length > (uint64_t)size - 8)
        return fail(f, "not a safetensors file: the header claims more bytes than there are");
    f->data = 8 + length;
    f->size = (uint64_t)size - f->data;
    f->text = orr__alloc((size_t)length + 1);
    f->names = orr__alloc((size_t)length + 1);
    if (!f->text || !f->names)
        return ORR_ENOMEM;
    if (orr__file_read(f->fd, f->text, (size_t)length, 8) != (int64_t)length)
        return fail(f, "the header cannot be read");
    return read_header(f, (size_t)length);
}

static const char **name_list(const archive *f)
{
    const char **names = orr__alloc_n((size_t)f->n + 1, sizeof *names);
    for (int i = 0; names && i < f->n; i++)
        names[i] = f->e[i].name;
    return names;
}

static orr_status find(const archive *f, const char *name, const entry **e)
{
    char all[300] = "";
    *e = NULL;
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->e[i].name, name) == 0)
            *e = &f->e[i];
    if (!*e) {
        const char **names = name_list(f);
        if (names)
            orr__names_text(names, f->n, all, sizeof all);
        free(names);
        return orr__fail(f->at, ORR_EINVAL, "%s has no tensor '%.100s'; it has: %s", f->path, name, all);
    }
    if ((*e)->dtype == ORR_DTYPE_COUNT)
        return orr__fail(f->at, ORR_EDTYPE, "%s: tensor '%.100s' has the dtype %s, which does not exist here", f->path,
                         name, (*e)->type);
    return ORR_OK;
}

/* -- reading ------------------------------------------------------------------------------------------------------------ */

static orr_tensor *copied(const archive *f, const entry *e)
{
    size_t bytes = (size_t)(e->end - e->begin);
    orr__buffer *b = orr__buffer_new(bytes);
    if (!b)
        return orr__handle_new(NULL);
    if (orr__file_read_large(f->fd, b->host, bytes, (int64_t)(f->data + e->begin)) != (int64_t)bytes) {
        orr__buffer_unref(b);
        (void)fail(f, "the data cannot be read");
        return orr__handle_new(NULL);
    }
    for (size_t i = 0; e->dtype == ORR_BOOL && i < bytes; i++)
        ((uint8_t *)b->host)[i] = ((uint8_t *)b->host)[i] != 0;
    if (SWAPPED)
        orr__swap_bytes(b->host, orr__shape_count(&e->shape), orr_dtype_size(e->dtype));
    return orr__io_leaf(f->at, ORR_OK, e->dtype, &e->shape, b);
}

/* A tensor over the file's own pages. NULL: misaligned elements, or a system without mmap; these are copied. */
static orr_tensor *mapped(const archive *f, const entry *e)
{
    uint64_t from = f->data + e->begin, page = (uint64_t)sysconf(_SC_PAGESIZE), base = from / page * page;
    size_t bytes = (size_t)(f->data + e->end - base);
    if (SWAPPED || e->dtype == ORR_BOOL || e->begin == e->end || from % orr_dtype_size(e->dtype))
        return NULL;
    orr__mapping *m = orr__map(f->fd, f->path, (int64_t)base, bytes);
    if (!m)
        return NULL;
    orr_tensor *t = orr_wrap_at(f->at.file, f->at.line, e->dtype, e->shape,
                                (char *)orr__mapping_base(m) + (from - base), orr__unmap, m);
    if (orr_tensor_status(t) != ORR_OK)
        orr__unmap(NULL, m);
    return t;
}

/* A tensor that is not mapped is a copy: later changes of the file do not reach it. */
static orr_tensor *load(orr__site at, const char *path, const char *name, bool map)
{
    archive f;
    const entry *e;
    if (!name)
        return orr__poison(at, ORR_EINVAL, "the name is NULL");
    orr_status st = start(at, path, &f);
    if (st == ORR_OK)
        st = find(&f, name, &e);
    orr_tensor *t = st == ORR_OK && map ? mapped(&f, e) : NULL;
    if (!t)
        t = st == ORR_OK ? copied(&f, e) : orr__handle_new(NULL);
    shut(&f);
    return t;
}

/* Maps the file: each of several ranks may need only a part, and untouched pages are not read. */
orr_tensor *orr_load_safetensors_at(const char *file, int line, const char *path, const char *name)
{
    return load(ORR__SITE(file, line, "load_safetensors"), path, name, orr__ranks() > 1);
}

orr_tensor *orr_map_safetensors_at(const char *file, int line, const char *path, const char *name)
{
    return load(ORR__SITE(file, line, "map_safetensors"), path, name, true);
}

orr_status orr_safetensors_names_at(const char *file, int line, const char *path, char ***names, int *n)
{
    orr__site at = ORR__SITE(file, line, "safetensors_names");
    archive f;
    if (names)
        *names = NULL;
    if (n)
        *n = 0;
    if (!names || !n)
        return orr__fail(at, ORR_EINVAL, "the place for the %s is NULL", names ? "number" : "names");
    orr_status st = start(at, path, &f);
    if (st == ORR_OK) {
        const char **list = name_list(&f);
        *names = list ? orr__names_copy(list, f.n) : NULL;
        *n = *names ? f.n : 0;
        st = *names ? ORR_OK : ORR_ENOMEM;
        free(list);
    }
    shut(&f);
    return st;
}

/* -- writing ------------------------------------------------------------------------------------------------------------- */

/* The header for tensors in the given order, padded with blanks. The caller frees it; NULL: no memory. */
static char *header(const orr__stored *v, const char *const *names, const int *order, int n, size_t *length)
{
    char *text = NULL;
    unsigned long long at = 0;
    FILE *to = open_memstream(&text, length);
    if (!to)
        return NULL;
    (void)putc('{', to);
    for (int i = 0; i < n; i++) {
        int k = order[i], d = 0;
        while (dtypes[d].dtype != v[k].what.dtype)
            d++;
        if (i)
            (void)putc(',', to);
        orr__json_put(to, names[k]);
        (void)fprintf(to, ":{\"dtype\":\"%s\",\"shape\":[", dtypes[d].name);
        for (int a = 0; a < v[k].what.shape.rank; a++)
            (void)fprintf(to, "%s%lld", a ? "," : "", (long long)v[k].what.shape.dim[a]);
        (void)fprintf(to, "],\"data_offsets\":[%llu,%llu]}", at, at + orr__stored_bytes(&v[k]));
        at += orr__stored_bytes(&v[k]);
    }
    (void)putc('}', to);
    (void)fflush(to);
    while ((*length + 8) % ALIGNED)
        (void)putc(' ', to), (void)fflush(to);
    bool ok = !ferror(to);
    if (fclose(to) != 0 || !ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* Larger elements first: all are then aligned without a gap, which the format does not allow. */
static void put_in_order(const orr__stored *v, int n, int *order)
{
    int at = 0;
    for (size_t size = 8; size; size /= 2)
        for (int i = 0; i < n; i++)
            if (orr_dtype_size(v[i].what.dtype) == size)
                order[at++] = i;
}

static orr_status write_all(orr__site at, const char *path, bool shared, const orr__stored *v, const char *const *names,
                            const int *order, int n)
{
    orr__sink sink;
    size_t length = 0;
    unsigned char head[8];
    char *text = header(v, names, order, n, &length);
    if (!text)
        return orr__fail(at, ORR_ENOMEM, "no memory for the header");
    for (int i = 0; i < 8; i++)
        head[i] = (unsigned char)(length >> 8 * i & 0xff);
    orr_status st = orr__sink_open(at, path, shared, &sink);
    if (st == ORR_OK) {
        st = orr__sink_write(&sink, head, 8);
        if (st == ORR_OK)
            st = orr__sink_write(&sink, text, length);
        for (int i = 0; i < n; i++) { /* also after an error: other ranks send their parts */
            const orr__stored *x = &v[order[i]];
            orr_status wrote = st == ORR_OK || x->placed ? orr__stored_write(&sink, x) : st;
            st = st == ORR_OK ? wrote : st;
        }
        st = orr__sink_close(&sink, st);
    }
    free(text);
    return st;
}

orr_status orr_save_safetensors_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                                   orr_tensor *const *t, int n)
{
    orr__site at = ORR__SITE(file, line, "save_safetensors");
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    if (SWAPPED)
        return orr__fail(at, ORR_EFORMAT, "safetensors files are written on little-endian machines alone");
    orr_status st = orr__names_check(at, names, n_names, t, n);
    for (int i = 0; i < n && st == ORR_OK; i++)
        if (strcmp(names[i], "__metadata__") == 0)
            st = orr__fail(at, ORR_EINVAL, "the name __metadata__ has a meaning of its own in the format");
    if (st == ORR_OK)
        st = orr_eval_all_at(file, line, t, n);
    if (st != ORR_OK)
        return st;
    orr__stored *v = orr__alloc_n((size_t)n + 1, sizeof *v);
    int *order = orr__alloc_n((size_t)n + 1, sizeof *order);
    st = v && order ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; i < n && st == ORR_OK; i++)
        st = orr__stored_of(at, t[i], &v[i]);
    for (int i = 0; i < n && st == ORR_OK; i++) {
        bool known = false;
        for (int d = 0; d < DTYPES; d++)
            known = known || dtypes[d].dtype == v[i].what.dtype;
        if (!known)
            st = orr__fail(at, ORR_EDTYPE, "%s has no safetensors type", orr_dtype_name(v[i].what.dtype));
    }
    if (st == ORR_OK) {
        put_in_order(v, n, order);
        st = write_all(at, path, orr__over_ranks(t, n), v, names, order, n);
    }
    for (int i = 0; v && i < n; i++)
        orr__stored_free(&v[i]);
    free(v);
    free(order);
    return st;
}
