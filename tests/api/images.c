/* PNG and JPEG images: those of other programs, round trips, refusals.
 * Must not know: how an image is decoded. */
#include "config.h"
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PNG
enum { PNG = 1 };
#else
enum { PNG = 0 };
#endif
#ifdef HAVE_JPEG
enum { JPEG = 1 };
#else
enum { JPEG = 0 };
#endif

static bool is_png(const char *name)
{
    return strstr(name, "grey") == name  ? strcmp(name, "grey") != 0
           : strstr(name, "rgb") == name ? true
                                         : strstr(name, "palette") == name;
}

static void path_of(char path[1024], const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "images/%s.%s", name, is_png(name) ? "png" : "jpg");
    snprintf(path, 1024, "%s", orr_test_golden(file));
}

/* The largest difference of two images; −1: their shapes or dtypes differ. */
static double difference(orr_tensor *a, orr_tensor *b)
{
    orr_shape s = orr_tensor_shape(a), t = orr_tensor_shape(b);
    double d = -1;
    if (!orr__shape_equal(&s, &t) || orr_tensor_dtype(a) != orr_tensor_dtype(b))
        return -1;
    orr_tensor *x = orr_abs(orr_sub(orr_cast(a, ORR_I32), orr_cast(b, ORR_I32)));
    return orr_item(orr_max(x, ORR_ALL_AXES, false), &d) == ORR_OK ? d : -1;
}

static void fails(orr_tensor *t, orr_status st, const char *part)
{
    ORR_CHECK_MSG(orr_tensor_status(t) == st, "%s: %s", part, orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), part) != NULL, "%s, not: %s", orr_error_message(), part);
    orr_error_clear();
}

static void images_of_other_programs_are_read(void)
{
    char values[1024], path[1024], **names;
    int n = 0, seen = 0;
    if (!PNG || !JPEG)
        ORR_SKIP("built without libpng or libjpeg");
    snprintf(values, sizeof values, "%s", orr_test_golden("images/values.npz"));
    ORR_REQUIRE(orr_npz_names(values, &names, &n) == ORR_OK && n > 30);
    for (int i = 0; i < n; i++) {
        orr_scope *s = orr_scope_begin();
        path_of(path, names[i]);
        double d = difference(orr_load(path), orr_load_npz(values, names[i]));
        ORR_CHECK_MSG(d >= 0 && d <= (is_png(names[i]) ? 0 : 2), "%s: %g: %s", names[i], d, orr_error_message());
        size_t bytes;
        unsigned char *file = orr_test_slurp(path, &bytes);
        ORR_REQUIRE(file != NULL);
        ORR_CHECK(difference(orr_load_image_bytes(file, bytes), orr_load_image(path)) == 0);
        seen++;
        free(file);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(seen == n);
    orr_npz_names_free(names);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

/* Elements that all differ, over the whole range. */
static orr_tensor *pattern(orr_dtype t, orr_shape s)
{
    orr_tensor *k = orr_arange(ORR_I64, 0, (double)orr__shape_count(&s), 1);
    return orr_reshape(orr_cast(orr_remainder(orr_mul(k, orr_scalar(40503)), orr_scalar(t == ORR_U8 ? 256 : 65536)), t),
                       s);
}

static void png_keeps_every_bit(void)
{
    if (!PNG)
        ORR_SKIP("built without libpng");
    char path[1024];
    snprintf(path, sizeof path, "%s", orr_test_tmp("there.PNG"));
    for (int64_t c = 1; c <= 4; c++)
        for (int wide = 0; wide < 2; wide++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *t = pattern(wide ? ORR_U16 : ORR_U8, ORR_SHAPE(37, 53, c));
            ORR_CHECK_MSG(orr_save(path, t) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(difference(orr_load(path), t) == 0);
            orr_tensor *bytes = orr_encode_image(t, ORR_IMAGE_PNG, 0);
            ORR_CHECK(orr_tensor_dtype(bytes) == ORR_U8);
            ORR_CHECK(difference(orr_load_image_bytes(orr_data(bytes), (size_t)orr_tensor_size(bytes)), t) == 0);
            (void)orr_scope_end(s);
        }
    orr_scope *s = orr_scope_begin();
    orr_tensor *grey = pattern(ORR_U8, ORR_SHAPE(5, 7)), *view = orr_transpose(grey);
    ORR_CHECK(orr_save_image(path, grey, 0) == ORR_OK);
    ORR_CHECK(difference(orr_load(path), orr_expand_dims(grey, 2)) == 0);
    ORR_CHECK(orr_save_image(path, view, 0) == ORR_OK);
    ORR_CHECK(difference(orr_load(path), orr_expand_dims(view, 2)) == 0);
    ORR_CHECK(orr_save_image(path, orr_ones(ORR_U16, ORR_SHAPE(1, 1, 1)), 0) == ORR_OK);
    ORR_CHECK(difference(orr_load(path), orr_ones(ORR_U16, ORR_SHAPE(1, 1, 1))) == 0);
    (void)orr_scope_end(s);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

static void jpeg_is_near_and_nearer_with_quality(void)
{
    if (!JPEG)
        ORR_SKIP("built without libjpeg");
    char path[1024];
    for (int64_t c = 1; c <= 3; c += 2) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = orr_expand_dims(orr_arange(ORR_F32, 0, 48, 1), 1), *x = orr_arange(ORR_F32, 0, 64, 1);
        orr_tensor *t =
            orr_mul(orr_add(orr_sin(orr_div(x, orr_scalar(9))), orr_cos(orr_div(y, orr_scalar(7)))), orr_scalar(60));
        t = orr_cast(orr_add(t, orr_scalar(128)), ORR_U8);
        t = orr_broadcast_to(orr_expand_dims(t, 2), ORR_SHAPE(48, 64, c));
        snprintf(path, sizeof path, "%s", orr_test_tmp("there.jpeg"));
        double best = 256, size = 0;
        for (int quality = 30; quality <= 100; quality += 35) {
            ORR_CHECK(orr_save_image(path, t, quality) == ORR_OK);
            double d = difference(orr_load(path), t);
            int64_t bytes = orr_tensor_size(orr_encode_image(t, ORR_IMAGE_JPEG, quality));
            ORR_CHECK_MSG(d >= 0 && d <= best && (double)bytes > size, "%lld channels, quality %d: %g", (long long)c,
                          quality, d);
            best = d;
            size = (double)bytes;
        }
        ORR_CHECK_MSG(best <= 3, "%g", best);
        ORR_CHECK(orr_save(path, t) == ORR_OK && difference(orr_load(path), t) <= 16);
        (void)orr_scope_end(s);
    }
}

static void files_that_are_no_image_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    char png[1024], jpg[1024];
    snprintf(png, sizeof png, "%s", orr_test_tmp("a.png"));
    snprintf(jpg, sizeof jpg, "%s", orr_test_tmp("a.jpg"));
    static const struct {
        orr_dtype t;
        int64_t dim[3];
        int rank, quality;
        orr_status png, jpeg;
    } bad[] = {
        { ORR_F32, { 4, 4, 3 }, 3, 0, ORR_EDTYPE, ORR_EDTYPE }, { ORR_U16, { 4, 4, 3 }, 3, 0, ORR_OK, ORR_EDTYPE },
        { ORR_I8, { 4, 4, 1 }, 3, 0, ORR_EDTYPE, ORR_EDTYPE },  { ORR_U8, { 4, 4, 2 }, 3, 0, ORR_OK, ORR_ESHAPE },
        { ORR_U8, { 4, 4, 4 }, 3, 0, ORR_OK, ORR_ESHAPE },      { ORR_U8, { 4, 4, 5 }, 3, 0, ORR_ESHAPE, ORR_ESHAPE },
        { ORR_U8, { 4, 4, 0 }, 3, 0, ORR_ESHAPE, ORR_ESHAPE },  { ORR_U8, { 0, 4, 1 }, 3, 0, ORR_ESHAPE, ORR_ESHAPE },
        { ORR_U8, { 16 }, 1, 0, ORR_ESHAPE, ORR_ESHAPE },       { ORR_U8, { 4, 4 }, 2, 101, ORR_EINVAL, ORR_EINVAL },
        { ORR_U8, { 4, 4 }, 2, -1, ORR_EINVAL, ORR_EINVAL },    { ORR_U8, { 1, 66000 }, 2, 0, ORR_OK, ORR_ESHAPE },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        orr_shape shape = { bad[i].rank, { bad[i].dim[0], bad[i].dim[1], bad[i].dim[2] } };
        orr_tensor *t = orr_zeros(bad[i].t, shape);
        orr_status a = orr_save_image(png, t, bad[i].quality), b = orr_save_image(jpg, t, bad[i].quality);
        ORR_CHECK_MSG(a == bad[i].png || (!PNG && a == ORR_EDEVICE), "%zu: %d: %s", i, (int)a, orr_error_message());
        ORR_CHECK_MSG(b == bad[i].jpeg || (!JPEG && b == ORR_EDEVICE), "%zu: %d: %s", i, (int)b, orr_error_message());
    }
    ORR_CHECK(orr_save_image("a.gif", orr_zeros(ORR_U8, ORR_SHAPE(2, 2)), 0) == ORR_EINVAL);
    ORR_CHECK(orr_save_image(NULL, orr_zeros(ORR_U8, ORR_SHAPE(2, 2)), 0) == ORR_EINVAL);
    fails(orr_encode_image(orr_zeros(ORR_U8, ORR_SHAPE(2, 2)), (orr_image_format)7, 0), ORR_EINVAL, "has number 7");
    fails(orr_load_image(orr_test_golden("io/peer.csv")), ORR_EFORMAT, "does not begin as a PNG or a JPEG");
    fails(orr_load("/no/such/image.png"), ORR_EIO, "/no/such/image.png");
    fails(orr_load_image_bytes(NULL, 3), ORR_EINVAL, "NULL");
    fails(orr_load_image_bytes("", 0), ORR_EFORMAT, "image in memory: it does not begin");
    if (JPEG)
        fails(orr_load_image(orr_test_golden("images/cmyk.jpg")), ORR_EFORMAT, "neither grey nor RGB");
    (void)orr_scope_end(s);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

static void truncated_images_are_refused(void)
{
    static const char *const files[] = { "rgb8",   "palette4", "rgba16_interlaced", "grey1_interlaced",
                                         "colour", "grey",     "progressive" };
    if (!PNG || !JPEG)
        ORR_SKIP("built without libpng or libjpeg");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[1024];
        size_t bytes;
        path_of(path, files[f]);
        unsigned char *file = orr_test_slurp(path, &bytes);
        ORR_REQUIRE(file != NULL);
        for (size_t n = 0; n < bytes; n++) {
            unsigned char *cut = malloc(n + 1); /* lets the address sanitizer see a read beyond the end */
            memcpy(cut, file, n);
            orr_tensor *t = orr_load_image_bytes(cut, n);
            ORR_CHECK_MSG(orr_tensor_status(t) == ORR_EFORMAT, "%s: %zu of %zu bytes", files[f], n, bytes);
            orr_free(t);
            free(cut);
        }
        free(file);
    }
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

static void put32(unsigned char *p, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        p[k] = (unsigned char)(v >> (24 - 8 * k));
}

/* An impossible size in a header allocates no memory. */
static void lies_about_the_size_cost_no_memory(void)
{
    static const uint32_t sizes[][2] = {
        { 1000000, 1000000 }, { 0x7fffffff, 0x7fffffff }, { 0x7fffffff, 1 }, { 1, 0x7fffffff }, { 65500, 65500 }
    };
    size_t bytes;
    if (!PNG || !JPEG)
        ORR_SKIP("built without libpng or libjpeg");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char path[1024];
        path_of(path, "rgba16");
        unsigned char *file = orr_test_slurp(path, &bytes);
        ORR_REQUIRE(file != NULL);
        put32(file + 16, sizes[k][0]);
        put32(file + 20, sizes[k][1]);
        put32(file + 29, orr_test_crc32(file + 12, 17));
        orr__pool_peak_reset();
        fails(orr_load_image_bytes(file, bytes), ORR_EFORMAT, "bytes can hold");
        free(file);
        path_of(path, k % 2 ? "progressive" : "colour");
        file = orr_test_slurp(path, &bytes);
        ORR_REQUIRE(file != NULL);
        size_t at = 2;
        while (at + 9 < bytes && file[at + 1] != 0xc0 && file[at + 1] != 0xc2)
            at += 2 + (size_t)file[at + 2] * 256 + file[at + 3];
        ORR_REQUIRE(at + 9 < bytes);
        for (int i = 0; i < 4; i += 2) {
            file[at + 5 + (size_t)i] = 0xff;
            file[at + 6 + (size_t)i] = 0xd0;
        }
        fails(orr_load_image_bytes(file, bytes), ORR_EFORMAT, "bytes can hold");
        ORR_CHECK_MSG(orr__pool_get_stats().peak < 4096, "%zu", orr__pool_get_stats().peak);
        free(file);
    }
}

/* A small file may hold, or claim, an image that takes minutes and gigabytes: the limit is for the header. */
static void larger_images_than_the_limit_are_refused_from_the_header(void)
{
    enum { BYTES = 1 << 20 };
    size_t bytes;
    char path[1024];
    if (!PNG || !JPEG)
        ORR_SKIP("built without libpng or libjpeg");
    path_of(path, "grey1");
    unsigned char *file = orr_test_slurp(path, &bytes), *padded = calloc(1, BYTES);
    ORR_REQUIRE(file && padded && bytes < BYTES);
    memcpy(padded, file, bytes);
    put32(padded + 16, 60000);
    put32(padded + 20, 60000);
    put32(padded + 29, orr_test_crc32(padded + 12, 17));
    orr__pool_peak_reset();
    fails(orr_load_image_bytes(padded, BYTES), ORR_EFORMAT,
          "60000 x 60000 pixels, and the limit is 256 million of them (ORRERY_IMAGE_LIMIT)");
    ORR_CHECK_MSG(orr__pool_get_stats().peak < 4096, "%zu", orr__pool_get_stats().peak);
    free(file);
    free(padded);
    int64_t usual = orr__env.image_limit;
    orr_scope *s = orr_scope_begin();
    for (int format = ORR_IMAGE_PNG; format <= ORR_IMAGE_JPEG; format++) {
        orr_tensor *data = orr_encode_image(orr_zeros(ORR_U8, ORR_SHAPE(1001, 1000, 1)), (orr_image_format)format, 0);
        orr_tensor *of_file = orr_keep(data);
        const void *p = orr_data(of_file);
        bytes = (size_t)orr_tensor_size(of_file);
        orr__env.image_limit = 1;
        fails(orr_load_image_bytes(p, bytes), ORR_EFORMAT, "1001 x 1000 pixels, and the limit is 1 million");
        orr__env.image_limit = 2;
        ORR_CHECK(orr_eval(orr_load_image_bytes(p, bytes)) == ORR_OK);
        orr__env.image_limit = 0;
        ORR_CHECK(orr_eval(orr_load_image_bytes(p, bytes)) == ORR_OK);
        orr__env.image_limit = usual;
        orr_free(of_file);
    }
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(images_of_other_programs_are_read),
        ORR_TEST(png_keeps_every_bit),
        ORR_TEST(jpeg_is_near_and_nearer_with_quality),
        ORR_TEST(files_that_are_no_image_are_refused),
        ORR_TEST(truncated_images_are_refused),
        ORR_TEST(lies_about_the_size_cost_no_memory),
        ORR_TEST(larger_images_than_the_limit_are_refused_from_the_header),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.images", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
