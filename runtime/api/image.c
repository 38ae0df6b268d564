/* Images in files and in memory: their formats, and the bounds of an image.
 * Must not know: the layout of any format beyond its first bytes. */
#include "config.h"
#include "runtime/api/image.h"

#include <orrery/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runtime/api/eval.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/file_source.h"
#include "runtime/api/npy.h"
#include "runtime/api/stored.h"
#include "runtime/base/env.h"

enum { DEFAULT_QUALITY = 90 }; /* limit of a format */

typedef struct {
    const char *name, *magic;
    size_t magic_bytes;
    orr_status (*decode)(const orr__encoded *from, orr__image *to);
    orr_status (*encode)(orr__site at, const orr__image *from, int quality, orr__bytes *to);
    const char *suffix[2];
    bool words;        /* supports u16 */
    unsigned channels; /* bit c: supports images of c channels */
} codec;

/* Indexed by orr_image_format. */
static const codec codecs[] = {
    { "PNG", "\x89PNG\r\n\x1a\n", 8, orr__png_decode, orr__png_encode, { ".png", ".png" }, true, 0x1e },
    { "JPEG", "\xff\xd8\xff", 3, orr__jpeg_decode, orr__jpeg_encode, { ".jpg", ".jpeg" }, false, 0xa },
};
enum { CODECS = sizeof codecs / sizeof *codecs };

/* -- shared by the formats ---------------------------------------------------------------------------------- */

orr_status orr__image_check(const orr__encoded *from, uint64_t height, uint64_t width)
{
    uint64_t most = (uint64_t)orr__env.image_limit * 1000000;
    if (most == 0 || width == 0 || height <= most / width)
        return ORR_OK;
    return orr__fail(from->at, ORR_EFORMAT,
                     "%s: it claims %llu x %llu pixels, and the limit is %lld million of them (ORRERY_IMAGE_LIMIT)",
                     from->name, (unsigned long long)height, (unsigned long long)width,
                     (long long)orr__env.image_limit);
}

void orr__image_too_large(const orr__encoded *from, uint64_t height, uint64_t width, char *to, size_t size)
{
    (void)snprintf(to, size, "it claims %llu x %llu pixels, more than its %zu bytes can hold",
                   (unsigned long long)height, (unsigned long long)width, from->bytes);
}

orr_status orr__image_new(orr__image *to, orr_dtype dtype, int64_t height, int64_t width, int64_t channels)
{
    to->dtype = dtype;
    to->shape = ORR_SHAPE(height, width, channels);
    to->b = orr__buffer_new((size_t)(height * width * channels) * orr_dtype_size(dtype));
    return to->b ? ORR_OK : orr_error_status();
}

orr_status orr__encoded_fail(const orr__encoded *from, orr_status st, const char *text)
{
    return orr__fail(from->at, st, "%s: %s", from->name, text);
}

bool orr__bytes_add(orr__bytes *to, const void *data, size_t n)
{
    enum { FIRST = 1 << 14 }; /* limit of memory */
    if (n > to->capacity - to->size) {
        size_t capacity = to->capacity + (n > to->capacity ? n + FIRST : to->capacity);
        void *more = orr__realloc_n(to->data, capacity, 1);
        if (!more)
            return false;
        to->data = more;
        to->capacity = capacity;
    }
    memcpy(to->data + to->size, data, n);
    to->size += n;
    return true;
}

/* -- reading --------------------------------------------------------------------------------------------------- */

static orr_tensor *decode(const orr__encoded *from)
{
    orr__image image = { .dtype = ORR_U8, .b = NULL };
    orr_status st = ORR_EFORMAT;
    int f = 0;
    while (f < CODECS &&
           (from->bytes < codecs[f].magic_bytes || memcmp(from->data, codecs[f].magic, codecs[f].magic_bytes) != 0))
        f++;
    st = f < CODECS ? codecs[f].decode(from, &image)
                    : orr__encoded_fail(from, ORR_EFORMAT, "it does not begin as a PNG or a JPEG image does");
    return orr__io_leaf(from->at, st, image.dtype, &image.shape, image.b);
}

static orr_tensor *load(orr__site at, const char *path)
{
    orr__source *s;
    char *data = NULL;
    size_t size = 0;
    if (orr__source_open(at, path, false, &s) != ORR_OK)
        return orr__handle_new(NULL);
    orr_status st = orr__source_all(s, &data, &size);
    s->close(s);
    orr_tensor *t =
        st == ORR_OK ? decode(&(orr__encoded){ at, path, (const unsigned char *)data, size }) : orr__handle_new(NULL);
    free(data);
    return t;
}

orr_tensor *orr_load_image_at(const char *file, int line, const char *path)
{
    return load(ORR__SITE(file, line, "load_image"), path);
}

orr_tensor *orr__image_load(orr__site at, const char *path)
{
    return load(at, path);
}

orr_tensor *orr_load_image_bytes_at(const char *file, int line, const void *data, size_t bytes)
{
    orr__site at = ORR__SITE(file, line, "load_image_bytes");
    if (!data)
        return orr__poison(at, ORR_EINVAL, "the data is NULL");
    return decode(&(orr__encoded){ at, "the image in memory", data, bytes });
}

/* -- writing ------------------------------------------------------------------------------------------------------ */

/* Checks an image before writing. Grey values may lack the axis of channels. */
static orr_status check(orr__site at, const codec *f, orr__image *i, int quality)
{
    orr_shape s = i->shape;
    if (i->dtype != ORR_U8 && !(f->words && i->dtype == ORR_U16))
        return orr__fail(at, ORR_EDTYPE, "a %s image has elements of uint8%s, not %s: scale and cast them", f->name,
                         f->words ? " or uint16" : "", orr_dtype_name(i->dtype));
    if (s.rank == 2)
        i->shape = ORR_SHAPE(s.dim[0], s.dim[1], 1);
    if (i->shape.rank != 3 || s.dim[0] < 1 || s.dim[1] < 1 || s.dim[0] > INT32_MAX || s.dim[1] > INT32_MAX ||
        i->shape.dim[2] < 1 || i->shape.dim[2] > 4 || !(f->channels >> i->shape.dim[2] & 1))
        return orr__fail(at, ORR_ESHAPE,
                         "a %s image is (height, width) or (height, width, channels) with %s channels, not %s", f->name,
                         f->words ? "1 to 4" : "1 or 3", orr__str(s).s);
    if (quality < 0 || quality > 100) /* limit of a format */
        return orr__fail(at, ORR_EINVAL, "the quality %d is not in 1 … 100", quality);
    return ORR_OK;
}

static orr_status encode(orr__site at, const codec *f, const orr__image *i, int quality, orr__bytes *to)
{
    return f->encode(at, i, quality ? quality : DEFAULT_QUALITY, to);
}

static const codec *codec_of(const char *path)
{
    size_t n = strlen(path);
    for (int f = 0; f < CODECS; f++)
        for (int k = 0; k < 2; k++) {
            size_t z = strlen(codecs[f].suffix[k]);
            if (n > z && strcasecmp(path + n - z, codecs[f].suffix[k]) == 0)
                return &codecs[f];
        }
    return NULL;
}

/* Only the rank that writes the file has the image. */
static orr_status write_image(orr__site at, const char *path, const codec *f, const orr__stored *v, orr__image *i,
                              int quality)
{
    orr__bytes data = { 0 };
    orr__sink sink;
    orr_status st = orr__sink_open(at, path, v->placed != 0, &sink);
    if (st != ORR_OK)
        return st;
    st = orr__stored_whole(at, v, &i->b);
    if (st == ORR_OK && i->b)
        st = encode(at, f, i, quality, &data);
    if (st == ORR_OK)
        st = orr__sink_write(&sink, data.data, data.size);
    orr__buffer_unref(i->b);
    free(data.data);
    return orr__sink_close(&sink, st);
}

static orr_status save(orr__site at, const char *path, orr_tensor *t, int quality)
{
    const codec *f = path ? codec_of(path) : NULL;
    orr__stored v;
    if (!f)
        return path ? orr__fail(at, ORR_EINVAL, "%s: an image's suffix is .png, .jpg or .jpeg", path)
                    : orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__stored_of(at, t, &v);
    if (st != ORR_OK)
        return st;
    orr__image i = { .dtype = v.what.dtype, .shape = v.what.shape };
    st = check(at, f, &i, quality);
    if (st == ORR_OK)
        st = write_image(at, path, f, &v, &i, quality);
    orr__stored_free(&v);
    return st;
}

orr_status orr_save_image_at(const char *file, int line, const char *path, orr_tensor *t, int quality)
{
    return save(ORR__SITE(file, line, "save_image"), path, t, quality);
}

orr_status orr__image_save(orr__site at, const char *path, orr_tensor *t)
{
    return save(at, path, t, 0);
}

static void release(void *data, void *user)
{
    (void)user;
    free(data);
}

orr_tensor *orr_encode_image_at(const char *file, int line, orr_tensor *t, orr_image_format format, int quality)
{
    orr__site at = ORR__SITE(file, line, "encode_image");
    orr__bytes data = { 0 };
    if ((unsigned)format >= CODECS)
        return orr__poison(at, ORR_EINVAL, "no format of images has number %d", (int)format);
    orr__content what;
    orr__image i;
    orr_status st = orr__value_of(at, t, &i.b, &what);
    if (st != ORR_OK)
        return orr__handle_new(NULL);
    i.dtype = what.dtype;
    i.shape = what.shape;
    st = check(at, &codecs[format], &i, quality);
    if (st == ORR_OK)
        st = encode(at, &codecs[format], &i, quality, &data);
    orr__buffer_unref(i.b);
    orr__buffer *b = st == ORR_OK ? orr__buffer_wrap(data.data, data.size, release, NULL) : NULL;
    if (!b)
        free(data.data);
    orr_shape s = ORR_SHAPE((int64_t)data.size);
    return orr__io_leaf(at, st == ORR_OK && !b ? ORR_ENOMEM : st, ORR_U8, &s, b);
}
