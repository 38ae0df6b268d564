/* Images in the subfolders of a folder: the list of files, and the conversion of a file to an example of a given size.
 * Must not know: formats of images, batches. */
#include "config.h"
#include "ops/nn/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <orrery/conv.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/io.h>
#include <orrery/ops.h>
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"

#define AT at.file, at.line

/* -- the list ------------------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_image(const char *path)
{
    static const char *const suffixes[] = { ".png", ".jpg", ".jpeg" };
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i]);
        if (n > k && strcasecmp(path + n - k, suffixes[i]) == 0)
            return !is_folder(path);
    }
    return false;
}

/* The sorted paths in `path` for which `wanted` is true; hidden files are left out. */
static orr_status list(orr__site at, const char *path, bool (*wanted)(const char *), char ***paths, int64_t *n)
{
    DIR *d = opendir(path);
    int64_t capacity = 0;
    *paths = NULL;
    *n = 0;
    if (!d)
        return orr__fail(at, ORR_EIO, "%s: %s", path, strerror(errno));
    orr_status st = ORR_OK;
    for (const struct dirent *e; st == ORR_OK && (e = readdir(d)) != NULL;) {
        size_t size = strlen(path) + strlen(e->d_name) + 2;
        char *full = *e->d_name == '.' ? NULL : malloc(size);
        if (!full) {
            st = *e->d_name == '.' ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
            continue;
        }
        (void)snprintf(full, size, "%s/%s", path, e->d_name);
        if (!wanted(full)) {
            free(full);
            continue;
        }
        if (*n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            char **more = orr__realloc_n(*paths, (size_t)capacity, sizeof *more);
            if (!more) {
                free(full);
                st = ORR_ENOMEM;
                continue;
            }
            *paths = more;
        }
        (*paths)[(*n)++] = full;
    }
    (void)closedir(d);
    if (*n > 0)
        qsort(*paths, (size_t)*n, sizeof **paths, by_name);
    return st;
}

/* Adds the files of class k to the examples. */
static orr_status add_class(orr__site at, orr__folder *f, int k)
{
    char **paths;
    int64_t n;
    orr_status st = list(at, f->name[k], is_image, &paths, &n);
    size_t all = (size_t)(f->examples + n);
    char **file = st == ORR_OK && n ? orr__realloc_n(f->file, all, sizeof *file) : NULL;
    f->file = file ? file : f->file;
    int *label = file ? orr__realloc_n(f->label, all, sizeof *label) : NULL;
    f->label = label ? label : f->label;
    for (int64_t i = 0; label && i < n; i++) {
        f->label[f->examples] = k;
        f->file[f->examples++] = paths[i];
    }
    for (int64_t i = 0; !label && i < n; i++)
        free(paths[i]);
    free(paths);
    return st == ORR_OK && n && !label ? ORR_ENOMEM : st;
}

orr__folder *orr__folder_open(orr__site at, const char *path, int64_t channels, int64_t height, int64_t width)
{
    enum { MOST = 1 << 16 }; /* limit of a format: pixels per side */
    int64_t classes = 0;
    orr_status st = ORR_EINVAL;
    if (!path)
        (void)orr__fail(at, ORR_EINVAL, "the path is NULL");
    else if (channels != 1 && channels != 3)
        (void)orr__fail(at, ORR_EINVAL, "channels is %lld: 1 (grey) or 3 (colours) is needed", (long long)channels);
    else if (height < 1 || width < 1 || height > MOST || width > MOST)
        (void)orr__fail(at, ORR_EINVAL, "height is %lld and width %lld: both are 1 to %d", (long long)height,
                        (long long)width, MOST);
    else
        st = ORR_OK;
    if (st != ORR_OK)
        return NULL;
    orr__folder *f = orr__alloc(sizeof *f);
    if (!f)
        return NULL;
    f->channels = channels;
    f->height = height;
    f->width = width;
    st = list(at, path, is_folder, &f->name, &classes);
    f->classes = (int)classes;
    for (int k = 0; st == ORR_OK && k < f->classes; k++)
        st = add_class(at, f, k);
    for (int k = 0; k < f->classes; k++) { /* the path of a class becomes its name */
        const char *name = strrchr(f->name[k], '/') + 1;
        memmove(f->name[k], name, strlen(name) + 1);
    }
    if (st == ORR_OK && f->examples == 0)
        st = orr__fail(at, ORR_EINVAL, "%s has no subfolder with .png, .jpg or .jpeg files", path);
    if (st == ORR_OK)
        return f;
    orr__folder_free(f);
    return NULL;
}

void orr__folder_free(orr__folder *f)
{
    if (!f)
        return;
    for (int k = 0; k < f->classes; k++)
        free(f->name[k]);
    for (int64_t i = 0; i < f->examples; i++)
        free(f->file[i]);
    free(f->name);
    free(f->file);
    free(f->label);
    free(f);
}

/* -- one example ----------------------------------------------------------------------------------------------- */

/* f32 (height, width, channels): alpha is left out; grey becomes three equal colours, colours become their luma (ITU-R BT.601). */
static orr_tensor *with_channels(orr__site at, orr_tensor *x, int64_t channels)
{
    static const float luma[] = { 0.299F, 0.587F, 0.114F };
    orr_shape s = orr_tensor_shape(x);
    int64_t colours = s.dim[2] < 3 ? 1 : 3;
    x = orr_slice_axis_at(AT, x, 2, 0, colours, 1);
    if (colours == channels)
        return x;
    if (channels == 3)
        return orr_broadcast_to_at(AT, x, ORR_SHAPE(s.dim[0], s.dim[1], 3));
    return orr_matmul_at(AT, x, orr_from_at(AT, ORR_F32, ORR_SHAPE(3, 1), luma));
}

orr_status orr__folder_read(orr__site at, const orr__folder *f, int64_t example, unsigned char *to)
{
    orr_scope *scope = orr_scope_begin();
    orr_tensor *image = orr_load_image_at(AT, f->file[example]);
    orr_status st = scope ? orr__nn_check(at, image) : ORR_ENOMEM;
    if (st == ORR_OK) {
        orr_shape s = orr_tensor_shape(image);
        orr_tensor *x = orr_cast_at(AT, image, ORR_F32);
        if (orr_tensor_dtype(image) == ORR_U16)
            x = orr_div_at(AT, x, orr_scalar_at(AT, 257.0));
        x = orr_permute_at(AT, with_channels(at, x, f->channels), ORR_AXES(2, 0, 1));
        if (s.dim[0] != f->height || s.dim[1] != f->width) {
            x = orr_resize_at(AT, orr_expand_dims_at(AT, x, 0), ORR_SHAPE(f->height, f->width), ORR_RESIZE_LINEAR,
                              false);
        }
        x = orr_cast_at(AT, orr_round_at(AT, x), ORR_U8);
        st = orr_read_at(AT, x, to, (size_t)(f->channels * f->height * f->width));
    }
    (void)orr_scope_end(scope);
    return st;
}
