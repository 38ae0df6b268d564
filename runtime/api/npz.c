/* .npz files: archives of .npy arrays.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>
#include "runtime/api/npy.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/api/named.h"
#include "runtime/api/stored.h"
#include "runtime/api/zip.h"

/* Length of a member's name without ".npy". */
static size_t stem(const char *name)
{
    size_t n = strlen(name);
    return n >= 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

/* The last of equal names counts, as with NumPy; a member's whole name is accepted too. */
static orr_status find(const orr__zip *z, const char *name, int *found)
{
    size_t n = strlen(name);
    for (int i = z->n; i-- > 0;) {
        const char *e = z->entry[i].name;
        if (strcmp(e, name) == 0 || (stem(e) == n && memcmp(e, name, n) == 0)) {
            *found = i;
            return ORR_OK;
        }
    }
    char all[300] = "";
    size_t used = 0;
    for (int i = 0; i < z->n && used < sizeof all; i++) {
        size_t k = stem(z->entry[i].name);
        /* limit of a format */
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%.*s", i ? ", " : "", (int)(k < 80 ? k : 80),
                                 z->entry[i].name);
    }
    return orr__fail(z->at, ORR_EINVAL, "%s has no array '%.100s'; it has: %s%s", z->path, name, z->n ? all : "none",
                     used >= sizeof all ? " …" : "");
}

orr_tensor *orr_load_npz_at(const char *file, int line, const char *path, const char *name)
{
    orr__site at = ORR__SITE(file, line, "load_npz");
    orr__zip z;
    orr__source *s;
    int i = 0;
    if (!name)
        return orr__poison(at, ORR_EINVAL, "the name is NULL");
    orr_status st = orr__zip_open(at, path, &z);
    if (st != ORR_OK)
        return orr__handle_new(NULL);
    st = find(&z, name, &i);
    if (st == ORR_OK)
        st = orr__zip_source(&z, i, &s);
    orr_tensor *t = st == ORR_OK ? orr__npy_tensor(s) : orr__handle_new(NULL);
    orr__zip_close(&z);
    return t;
}

/* One block: the pointers, then the text. */
orr_status orr_npz_names_at(const char *file, int line, const char *path, char ***names, int *n)
{
    orr__site at = ORR__SITE(file, line, "npz_names");
    orr__zip z;
    if (names)
        *names = NULL;
    if (n)
        *n = 0;
    if (!names || !n)
        return orr__fail(at, ORR_EINVAL, "the place for the %s is NULL", names ? "number" : "names");
    orr_status st = orr__zip_open(at, path, &z);
    if (st != ORR_OK)
        return st;
    size_t bytes = ((size_t)z.n + 1) * sizeof(char *);
    for (int i = 0; i < z.n; i++)
        bytes += stem(z.entry[i].name) + 1;
    char **list = orr__alloc(bytes);
    if (list) {
        char *text = (char *)(list + z.n + 1);
        for (int i = 0; i < z.n; i++) {
            size_t k = stem(z.entry[i].name);
            list[i] = memcpy(text, z.entry[i].name, k);
            text += k + 1;
        }
        *names = list;
        *n = z.n;
    }
    orr__zip_close(&z);
    return list ? ORR_OK : ORR_ENOMEM;
}

void orr_npz_names_free(char **names)
{
    free(names);
}

static orr_status leave(void *to, const void *data, size_t bytes)
{
    (void)to, (void)data, (void)bytes;
    return ORR_OK;
}

static orr_status write_part(void *to, const void *data, size_t bytes)
{
    return orr__zip_part(to, data, bytes);
}

/* The checksum is known if this rank has the content; otherwise it is patched into the file after the content. */
static orr_status write_array(orr__site at, orr__zip_writer *w, const char *name, const orr__stored *v,
                              orr_status before)
{
    char head[ORR__NPY_HEADER], full[4096 + 8];
    size_t bytes = orr__stored_bytes(v), n = orr__npy_format(at, v->what.dtype, &v->what.shape, head);
    orr_status st = before != ORR_OK ? before : n ? ORR_OK : ORR_EDTYPE;
    if (st == ORR_OK) {
        uint32_t crc = v->placed ? 0 : orr__crc32(orr__crc32(0, head, n), v->part->host, bytes);
        (void)snprintf(full, sizeof full, "%s.npy", name);
        st = orr__zip_begin(w, full, n + bytes, v->placed ? NULL : &crc);
        if (st == ORR_OK)
            st = orr__zip_part(w, head, n);
    }
    orr_status written = st == ORR_OK || v->placed ? orr__stored_each(at, v, st == ORR_OK ? write_part : leave, w) : st;
    st = st == ORR_OK ? written : st;
    return before == ORR_OK && n ? orr__zip_end(w, st) : st;
}

/* After an error nothing is written, but the parts of a value that lies over ranks are still gathered, as on the other ranks. */
static orr_status add_tensor(orr__site at, orr__zip_writer *w, const char *name, orr_tensor *t, orr_status before)
{
    orr__stored v;
    orr_status st = orr__stored_of(at, t, &v);
    if (st == ORR_OK)
        st = write_array(at, w, name, &v, before);
    orr__stored_free(&v);
    return before != ORR_OK ? before : st;
}

static orr_status save(orr__site at, const char *path, const char *const *names, int n_names, orr_tensor *const *t,
                       int n, bool deflated)
{
    orr__sink sink;
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__names_check(at, names, n_names, t, n);
    if (st == ORR_OK)
        st = orr_eval_all_at(at.file, at.line, t, n);
    if (st == ORR_OK)
        st = orr__sink_open(at, path, orr__over_ranks(t, n), &sink);
    if (st != ORR_OK)
        return st;
    orr__zip_writer w = { .sink = &sink, .deflate = deflated };
    for (int i = 0; i < n; i++)
        st = add_tensor(at, &w, names[i], t[i], st);
    return orr__sink_close(&sink, orr__zip_finish(&w, st));
}

orr_status orr_save_npz_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                           orr_tensor *const *t, int n)
{
    return save(ORR__SITE(file, line, "save_npz"), path, names, n_names, t, n, false);
}

orr_status orr_save_npz_deflated_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                                    orr_tensor *const *t, int n)
{
    return save(ORR__SITE(file, line, "save_npz_deflated"), path, names, n_names, t, n, true);
}
