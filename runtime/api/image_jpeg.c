/* JPEG by libjpeg-turbo.
 * Must not know: files. */
#include "config.h"
#include "runtime/api/image.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_JPEG
/* clang-format off */
#include <jpeglib.h>
#include <jerror.h>
/* clang-format on */
#include <setjmp.h>

enum { SCANS = 100 }; /* limit of a format: most scans: each scan of a progressive image passes over all of it */

/* The state that must survive an error: local variables between setjmp and longjmp do not. */
typedef struct {
    struct jpeg_error_mgr error;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    char message[JMSG_LENGTH_MAX];
    orr_status st; /* of a failure that is not caused by the data */
    const orr__encoded *from;
    orr__image *image;
    unsigned char *data; /* allocated by libjpeg when writing */
    unsigned long size;
} state;

static void fail(j_common_ptr c)
{
    state *s = c->client_data;
    s->error.format_message(c, s->message);
    if (s->error.msg_code == JERR_OUT_OF_MEMORY)
        s->st = ORR_ENOMEM;
    longjmp(s->failed, 1);
}

/* A warning about damaged or missing data is an error; warnings about a complete image are not. */
static void on_message(j_common_ptr c, int level)
{
    int code = c->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
        fail(c);
}

static void quiet(j_common_ptr c)
{
    (void)c;
}

static void prepare(state *s, j_common_ptr c)
{
    c->err = jpeg_std_error(&s->error);
    s->error.error_exit = fail;
    s->error.emit_message = on_message;
    s->error.output_message = quiet;
    s->st = ORR_EFORMAT;
}

static JSAMPROW row_of(const orr__image *i, int64_t y)
{
    return (JSAMPROW)i->b->host + y * i->shape.dim[1] * i->shape.dim[2];
}

static void refuse(state *s, const char *why)
{
    (void)snprintf(s->message, sizeof s->message, "%s", why);
    longjmp(s->failed, 1);
}

/* -- reading ----------------------------------------------------------------------------------------------------- */

static void count_scans(j_common_ptr c)
{
    if (((j_decompress_ptr)c)->input_scan_number > SCANS)
        refuse(c->client_data, "it has more than 100 scans");
}

/* Bounds the size of the image: a block of 8 × 8 elements takes at least one bit of Huffman's code. */
static void check(state *s, const struct jpeg_decompress_struct *c)
{
    uint64_t blocks = 0;
    for (int i = 0; i < c->num_components; i++)
        blocks += (uint64_t)c->comp_info[i].width_in_blocks * c->comp_info[i].height_in_blocks;
    if (c->arith_code)
        refuse(s, "its arithmetic code is not supported");
    if (c->data_precision != 8)
        refuse(s, "its elements have more than 8 bits, which is not supported");
    if (c->num_components != 1 && c->num_components != 3)
        refuse(s, "it is neither grey nor RGB: convert it first");
    if (blocks / 8 > s->from->bytes) {
        orr__image_too_large(s->from, c->image_height, c->image_width, s->message, sizeof s->message);
        longjmp(s->failed, 1);
    }
    if (orr__image_check(s->from, c->image_height, c->image_width) != ORR_OK)
        refuse(s, ""); /* the last error has the numbers */
}

static void read_image(state *s, struct jpeg_decompress_struct *c)
{
    jpeg_create_decompress(c); /* keeps the error manager and the client data */
    c->progress = &s->progress;
    s->progress.progress_monitor = count_scans;
    jpeg_mem_src(c, s->from->data, (unsigned long)s->from->bytes);
    (void)jpeg_read_header(c, TRUE);
    check(s, c);
    c->out_color_space = c->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    (void)jpeg_start_decompress(c);
    orr_status st = orr__image_new(s->image, ORR_U8, c->output_height, c->output_width, c->num_components);
    if (st != ORR_OK) {
        s->st = st; /* the last error has the numbers */
        refuse(s, "");
    }
    while (c->output_scanline < c->output_height) {
        JSAMPROW row = row_of(s->image, c->output_scanline);
        (void)jpeg_read_scanlines(c, &row, 1);
    }
    (void)jpeg_finish_decompress(c);
}

static orr_status guarded_read(state *s, struct jpeg_decompress_struct *c)
{
    if (setjmp(s->failed))
        return *s->message ? orr__encoded_fail(s->from, s->st, s->message) : s->st;
    read_image(s, c);
    return ORR_OK;
}

orr_status orr__jpeg_decode(const orr__encoded *from, orr__image *to)
{
    state s = { .from = from, .image = to };
    struct jpeg_decompress_struct c = { .client_data = &s };
    prepare(&s, (j_common_ptr)&c);
    orr_status st = guarded_read(&s, &c);
    jpeg_destroy_decompress(&c);
    if (st != ORR_OK) {
        orr__buffer_unref(to->b);
        to->b = NULL;
    }
    return st;
}

/* -- writing ------------------------------------------------------------------------------------------------------- */

static void write_image(state *s, struct jpeg_compress_struct *c, int quality)
{
    const orr__image *i = s->image;
    jpeg_create_compress(c);
    jpeg_mem_dest(c, &s->data, &s->size);
    c->image_height = (JDIMENSION)i->shape.dim[0];
    c->image_width = (JDIMENSION)i->shape.dim[1];
    c->input_components = (int)i->shape.dim[2];
    c->in_color_space = i->shape.dim[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(c);
    jpeg_set_quality(c, quality, TRUE);
    jpeg_start_compress(c, TRUE);
    while (c->next_scanline < c->image_height) {
        JSAMPROW row = row_of(i, c->next_scanline);
        (void)jpeg_write_scanlines(c, &row, 1);
    }
    jpeg_finish_compress(c);
}

static orr_status guarded_write(state *s, struct jpeg_compress_struct *c, orr__site at, int quality)
{
    if (setjmp(s->failed))
        return orr__fail(at, s->st == ORR_ENOMEM ? ORR_ENOMEM : ORR_ESHAPE, "JPEG: %s", s->message);
    write_image(s, c, quality);
    return ORR_OK;
}

orr_status orr__jpeg_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to)
{
    orr__image image = *from;
    state s = { .image = &image };
    struct jpeg_compress_struct c = { .client_data = &s };
    prepare(&s, (j_common_ptr)&c);
    orr_status st = guarded_write(&s, &c, at, quality);
    jpeg_destroy_compress(&c);
    if (st == ORR_OK && !orr__bytes_add(to, s.data, s.size))
        st = ORR_ENOMEM;
    free(s.data);
    return st;
}
#else

static const char absent[] =
    "this library was built without libjpeg: install libjpeg62-turbo-dev (or libjpeg-dev) and configure it again";

orr_status orr__jpeg_decode(const orr__encoded *from, orr__image *to)
{
    to->b = NULL;
    return orr__encoded_fail(from, ORR_EDEVICE, absent);
}

orr_status orr__jpeg_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to)
{
    (void)from;
    (void)quality;
    (void)to;
    return orr__fail(at, ORR_EDEVICE, "%s", absent);
}
#endif
