/* PNG by libpng.
 * Must not know: files. */
#include "config.h"
#include "runtime/api/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PNG
#include <png.h>
#include <setjmp.h>

/* The state that must survive an error: local variables between setjmp and longjmp do not. */
typedef struct {
    png_structp png;
    png_infop info;
    jmp_buf failed;
    char message[160];
    const orr__encoded *from; /* reading */
    size_t used;
    orr__image *image;
    orr__bytes *to; /* writing */
    orr_status st;  /* of a failure */
} state;

static PNG_FUNCTION(void, on_error, (png_structp png, png_const_charp message), PNG_NORETURN)
{
    state *s = png_get_error_ptr(png);
    (void)snprintf(s->message, sizeof s->message, "%s", message);
    longjmp(s->failed, 1);
}

/* Allocates memory for libpng; tests that refuse allocations reach it, too. */
static PNG_FUNCTION(png_voidp, get_memory, (png_structp png, png_alloc_size_t n), PNG_ALLOCATED)
{
    void *p = orr__alloc(n);
    if (!p)
        ((state *)png_get_mem_ptr(png))->st = ORR_ENOMEM;
    return p;
}

static void free_memory(png_structp png, png_voidp p)
{
    (void)png;
    free(p);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void swap_words(png_structp png, orr_dtype dtype)
{
    if (dtype == ORR_U16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
}

static png_bytep row_of(const orr__image *i, int64_t y)
{
    size_t bytes = (size_t)(i->shape.dim[1] * i->shape.dim[2]) * orr_dtype_size(i->dtype);
    return (png_bytep)i->b->host + (size_t)y * bytes;
}

/* -- reading ----------------------------------------------------------------------------------------------------- */

/* Deflate makes at most this many bytes of one, so an image that claims more is wrong. */
static const uint64_t deflate_most = 1032; /* limit of a format */

static void take(png_structp png, png_bytep to, size_t n)
{
    state *s = png_get_io_ptr(png);
    if (n > s->from->bytes - s->used)
        png_error(png, "truncated");
    memcpy(to, s->from->data + s->used, n);
    s->used += n;
}

static orr_status read_image(state *s)
{
    png_structp png = s->png;
    orr__image *to = s->image;
    png_set_read_fn(png, s, take);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* the size of the data is the limit, see below */
    png_set_chunk_malloc_max(png, s->from->bytes + 64);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* except size, palette, transparency, data */
    png_read_info(png, s->info);
    uint64_t height = png_get_image_height(png, s->info), width = png_get_image_width(png, s->info);
    size_t row = png_get_rowbytes(png, s->info);
    if (!row || height > deflate_most * s->from->bytes / row) {
        orr__image_too_large(s->from, height, width, s->message, sizeof s->message);
        longjmp(s->failed, 1);
    }
    if (orr__image_check(s->from, height, width) != ORR_OK)
        return ORR_EFORMAT;
    png_set_expand(png); /* palettes to colours, bits to bytes, transparency to alpha */
    to->dtype = png_get_bit_depth(png, s->info) == 16 ? ORR_U16 : ORR_U8;
    swap_words(png, to->dtype);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, s->info);
    orr_status st = orr__image_new(to, to->dtype, (int64_t)height, (int64_t)width, png_get_channels(png, s->info));
    if (st != ORR_OK)
        return st;
    if (png_get_rowbytes(png, s->info) != (size_t)(row_of(to, 1) - row_of(to, 0)))
        png_error(png, "its rows have an unexpected length");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < (int64_t)height; y++)
            png_read_row(png, row_of(to, y), NULL);
    png_read_end(png, NULL);
    return ORR_OK;
}

static orr_status guarded_read(state *s)
{
    if (setjmp(s->failed))
        return orr__encoded_fail(s->from, s->st, s->message);
    return read_image(s);
}

orr_status orr__png_decode(const orr__encoded *from, orr__image *to)
{
    state s = { .from = from, .image = to, .st = ORR_EFORMAT };
    s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, get_memory, free_memory);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    orr_status st = s.info ? guarded_read(&s) : orr__encoded_fail(from, ORR_ENOMEM, "no memory to read it");
    png_destroy_read_struct(&s.png, &s.info, NULL);
    if (st != ORR_OK) {
        orr__buffer_unref(to->b);
        to->b = NULL;
    }
    return st;
}

/* -- writing ------------------------------------------------------------------------------------------------------- */

static void give(png_structp png, png_bytep data, size_t n)
{
    state *s = png_get_io_ptr(png);
    if (!orr__bytes_add(s->to, data, n)) {
        s->st = ORR_ENOMEM;
        png_error(png, "no memory for the file");
    }
}

static void flush(png_structp png)
{
    (void)png;
}

static void write_image(state *s)
{
    static const int color[] = { 0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA };
    const orr__image *i = s->image;
    png_set_write_fn(s->png, s, give, flush);
    png_set_user_limits(s->png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(s->png, s->info, (png_uint_32)i->shape.dim[1], (png_uint_32)i->shape.dim[0],
                 i->dtype == ORR_U16 ? 16 : 8, color[i->shape.dim[2]], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(s->png, s->info);
    swap_words(s->png, i->dtype);
    for (int64_t y = 0; y < i->shape.dim[0]; y++)
        png_write_row(s->png, row_of(i, y));
    png_write_end(s->png, s->info);
}

static orr_status guarded_write(state *s, orr__site at)
{
    if (setjmp(s->failed))
        return orr__fail(at, s->st, "PNG: %s", s->message);
    write_image(s);
    return ORR_OK;
}

orr_status orr__png_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to)
{
    orr__image image = *from;
    state s = { .image = &image, .to = to, .st = ORR_ESHAPE };
    (void)quality;
    s.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, get_memory, free_memory);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    orr_status st = s.info ? guarded_write(&s, at) : orr__fail(at, ORR_ENOMEM, "no memory to write the image");
    png_destroy_write_struct(&s.png, &s.info);
    return st;
}
#else

static const char absent[] = "this library was built without libpng: install libpng-dev and configure it again";

orr_status orr__png_decode(const orr__encoded *from, orr__image *to)
{
    to->b = NULL;
    return orr__encoded_fail(from, ORR_EDEVICE, absent);
}

orr_status orr__png_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to)
{
    (void)from;
    (void)quality;
    (void)to;
    return orr__fail(at, ORR_EDEVICE, "%s", absent);
}
#endif
