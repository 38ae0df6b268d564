/* orr_load and orr_save: the suffix of a path selects the format.
 * Must not know: the layout of any format. */
#include "config.h"
#include <orrery/io.h>

#include <string.h>
#include <strings.h>
#include "runtime/api/formats.h"
#include "runtime/api/image.h"
#include "runtime/graph/node.h"

typedef orr_status names_of(const char *file, int line, const char *path, char ***names, int *n);
typedef orr_tensor *load_named(const char *file, int line, const char *path, const char *name);
typedef orr_status save_named(const char *file, int line, const char *path, const char *const *names, int n_names,
                              orr_tensor *const *t, int n);

/* The only tensor of a file that may hold several. */
static orr_tensor *only(orr__site at, const char *path, const char *other, names_of *list, load_named *load)
{
    char **names;
    int n;
    if (list(at.file, at.line, path, &names, &n) != ORR_OK)
        return orr__handle_new(NULL);
    orr_tensor *t = n == 1
                        ? load(at.file, at.line, path, names[0])
                        : orr__poison(at, ORR_EINVAL, "%s holds %d tensors, not one: load it with %s", path, n, other);
    orr_npz_names_free(names);
    return t;
}

static orr_status save_one(orr__site at, const char *path, orr_tensor *t, save_named *save)
{
    return save(at.file, at.line, path, (const char *const[]){ ORR__ONE_NAME }, 1, &t, 1);
}

static orr_tensor *load_npz(orr__site at, const char *path)
{
    return only(at, path, "orr_load_npz", orr_npz_names_at, orr_load_npz_at);
}

static orr_status save_npz(orr__site at, const char *path, orr_tensor *t)
{
    return save_one(at, path, t, orr_save_npz_at);
}

static orr_tensor *load_safetensors(orr__site at, const char *path)
{
    return only(at, path, "orr_load_safetensors", orr_safetensors_names_at, orr_load_safetensors_at);
}

static orr_status save_safetensors(orr__site at, const char *path, orr_tensor *t)
{
    return save_one(at, path, t, orr_save_safetensors_at);
}

static orr_tensor *load_hdf5(orr__site at, const char *path)
{
    return only(at, path, "orr_load_hdf5", orr_hdf5_names_at, orr_load_hdf5_at);
}

static orr_status save_hdf5(orr__site at, const char *path, orr_tensor *t)
{
    return save_one(at, path, t, orr_save_hdf5_at);
}

typedef struct {
    const char *suffix;
    orr_tensor *(*load)(orr__site at, const char *path);
    orr_status (*save)(orr__site at, const char *path, orr_tensor *t);
} format;

/* The first format also serves paths with other suffixes. */
static const format formats[] = {
    { ".npy", orr__npy_load, orr__npy_save },
    { ".npz", load_npz, save_npz },
    { ".safetensors", load_safetensors, save_safetensors },
    { ".csv", orr__csv_load, orr__csv_save },
    { ".h5", load_hdf5, save_hdf5 },
    { ".hdf5", load_hdf5, save_hdf5 },
    { ".png", orr__image_load, orr__image_save },
    { ".jpg", orr__image_load, orr__image_save },
    { ".jpeg", orr__image_load, orr__image_save },
};

static const format *format_of(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t k = strlen(formats[i].suffix);
        if (n > k && strcasecmp(path + n - k, formats[i].suffix) == 0)
            return &formats[i];
    }
    return formats;
}

orr_tensor *orr_load_at(const char *file, int line, const char *path)
{
    orr__site at = ORR__SITE(file, line, "load");
    return path ? format_of(path)->load(at, path) : orr__poison(at, ORR_EINVAL, "the path is NULL");
}

orr_status orr_save_at(const char *file, int line, const char *path, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "save");
    return path ? format_of(path)->save(at, path, t) : orr__fail(at, ORR_EINVAL, "the path is NULL");
}
