/* Filters of an image: blur, edges, sharpen, by convolutions; PNG in, PNG out where libpng is there, else PGM out.
 *
 *   image_filter [IN.png] [FOLDER]     without IN.png, a picture of rings; results in FOLDER, "." if none is given */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#ifdef HAVE_PNG
#include <png.h>
#endif

/* Grey values 0 … 1 as a tensor (rows, columns); NULL: there is no such picture. */
static orr_tensor *picture(const char *path)
{
    unsigned char *grey = NULL;
    int64_t rows = 512, cols = 768;
    if (path) {
#ifdef HAVE_PNG
        png_image image;
        memset(&image, 0, sizeof image);
        image.version = PNG_IMAGE_VERSION;
        if (!png_image_begin_read_from_file(&image, path)) {
            fprintf(stderr, "%s: %s\n", path, image.message);
            return NULL;
        }
        image.format = PNG_FORMAT_GRAY;
        grey = malloc(PNG_IMAGE_SIZE(image));
        if (!grey || !png_image_finish_read(&image, NULL, grey, 0, NULL)) {
            fprintf(stderr, "%s: %s\n", path, grey ? image.message : "no memory");
            png_image_free(&image);
            free(grey);
            return NULL;
        }
        rows = image.height;
        cols = image.width;
#else
        fprintf(stderr, "%s: built without libpng\n", path);
        return NULL;
#endif
    } else {
        grey = malloc((size_t)(rows * cols));
        for (int64_t i = 0; grey && i < rows * cols; i++) {
            double r = hypot((double)(i / cols - rows / 2), (double)(i % cols - cols / 2));
            grey[i] = fmod(r, 64) < 32 ? 208 : 48;
        }
    }
    orr_tensor *t = grey ? orr_from(ORR_U8, ORR_SHAPE(rows, cols), grey) : NULL;
    free(grey);
    return t ? orr_div(orr_cast(t, ORR_F32), orr_scalar(255)) : NULL;
}

static int save(const char *folder, const char *name, orr_tensor *t)
{
    char path[1024];
    orr_shape s = orr_tensor_shape(t);
    orr_tensor *bytes =
        orr_cast(orr_round(orr_clip(orr_mul(t, orr_scalar(255)), orr_scalar(0), orr_scalar(255))), ORR_U8);
    const unsigned char *grey = orr_data(bytes);
    if (!grey)
        return orr_error_print(stderr);
#ifdef HAVE_PNG
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.format = PNG_FORMAT_GRAY;
    image.height = (png_uint_32)s.dim[0];
    image.width = (png_uint_32)s.dim[1];
    (void)snprintf(path, sizeof path, "%s/%s.png", folder, name);
    if (!png_image_write_to_file(&image, path, 0, grey, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return 1;
    }
#else
    (void)snprintf(path, sizeof path, "%s/%s.pgm", folder, name);
    FILE *f = fopen(path, "wb");
    size_t n = (size_t)(s.dim[0] * s.dim[1]);
    int bad = !f || fprintf(f, "P5\n%lld %lld\n255\n", (long long)s.dim[1], (long long)s.dim[0]) < 0 ||
              fwrite(grey, 1, n, f) != n;
    if ((f && fclose(f)) || bad) {
        perror(path);
        return 1;
    }
#endif
    double mean = 0;
    if (orr_item(orr_mean(t, ORR_ALL_AXES, false), &mean) != ORR_OK)
        return orr_error_print(stderr);
    printf("%s: %lld x %lld, mean %.3f\n", path, (long long)s.dim[1], (long long)s.dim[0], mean);
    return 0;
}

static orr_tensor *filtered(orr_tensor *x, orr_tensor *kernel)
{
    return orr_convolve(x, kernel, ORR_CONV_SAME, ORR_CONV_REFLECT);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 ? argv[2] : ".";
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = picture(argc > 1 && argv[1][0] ? argv[1] : NULL);
    int rc = x ? 0 : 1;
    if (x) {
        /* A Gaussian of 15 × 15 has rank 1: two convolutions of one axis. */
        float gauss[15][15], sum = 0;
        for (int i = 0; i < 225; i++)
            sum += gauss[i / 15][i % 15] =
                expf(-(float)((i / 15 - 7) * (i / 15 - 7) + (i % 15 - 7) * (i % 15 - 7)) / 18);
        for (int i = 0; i < 225; i++)
            gauss[i / 15][i % 15] /= sum;
        static const float down[3][3] = { { 1, 2, 1 }, { 0, 0, 0 }, { -1, -2, -1 } };
        orr_tensor *v = orr_from(ORR_F32, ORR_SHAPE(3, 3), down), *h = orr_transpose(v);
        orr_tensor *blur = filtered(x, orr_from(ORR_F32, ORR_SHAPE(15, 15), gauss));
        orr_tensor *edges = orr_hypot(filtered(x, v), filtered(x, h));
        orr_tensor *sharp = orr_add(x, orr_sub(x, blur));
        rc = save(folder, "blur", blur) || save(folder, "edges", edges) || save(folder, "sharpen", sharp);
    }
    (void)orr_scope_end(s);
    (void)orr_shutdown();
    return rc;
}
