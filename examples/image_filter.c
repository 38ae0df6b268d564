/* Filters of an image: blur, edges, sharpen, by convolutions.
 *
 *   image_filter [IN.png] [FOLDER]     without IN.png or IN.jpg, a picture of rings; results in FOLDER, "." if none is given */
#include <math.h>
#include <stdio.h>
#include <orrery.h>

/* Grey values 0 … 1 as a tensor (rows, columns). */
static orr_tensor *picture(const char *path)
{
    enum { ROWS = 512, COLS = 768 };
    if (!path) {
        orr_tensor *y = orr_expand_dims(orr_arange(ORR_F32, -ROWS / 2, ROWS / 2, 1), 1),
                   *x = orr_arange(ORR_F32, -COLS / 2, COLS / 2, 1);
        orr_tensor *outer = orr_less(orr_remainder(orr_hypot(y, x), orr_scalar(64)), orr_scalar(32));
        return orr_where(outer, orr_full(ORR_F32, ORR_SHAPE_0D, 208.0 / 255), orr_scalar(48.0 / 255));
    }
    static const float weights[] = { 0.299F, 0.587F, 0.114F }; /* of red, green, blue: ITU-R BT.601 */
    orr_tensor *t = orr_load(path);
    orr_tensor *x = orr_div(orr_cast(t, ORR_F32), orr_scalar(orr_tensor_dtype(t) == ORR_U16 ? 65535 : 255));
    if (orr_tensor_shape(t).dim[2] < 3)
        return orr_squeeze(orr_slice_axis(x, 2, 0, 1, 1), ORR_AXES(2));
    return orr_matmul(orr_slice_axis(x, 2, 0, 3, 1), orr_from(ORR_F32, ORR_SHAPE(3), weights));
}

static int save(const char *folder, const char *name, orr_tensor *t)
{
    char path[1024];
    orr_shape s = orr_tensor_shape(t);
    double mean = 0;
    orr_tensor *bytes =
        orr_cast(orr_round(orr_clip(orr_mul(t, orr_scalar(255)), orr_scalar(0), orr_scalar(255))), ORR_U8);
    (void)snprintf(path, sizeof path, "%s/%s.png", folder, name);
    if (orr_save(path, bytes) != ORR_OK || orr_item(orr_mean(t, ORR_ALL_AXES, false), &mean) != ORR_OK)
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
    /* A Gaussian of 15 × 15 has rank 1: two convolutions along one axis each give the same result. */
    float gauss[15][15], sum = 0;
    for (int i = 0; i < 225; i++)
        sum += gauss[i / 15][i % 15] = expf(-(float)((i / 15 - 7) * (i / 15 - 7) + (i % 15 - 7) * (i % 15 - 7)) / 18);
    for (int i = 0; i < 225; i++)
        gauss[i / 15][i % 15] /= sum;
    static const float down[3][3] = { { 1, 2, 1 }, { 0, 0, 0 }, { -1, -2, -1 } };
    orr_tensor *v = orr_from(ORR_F32, ORR_SHAPE(3, 3), down), *h = orr_transpose(v);
    orr_tensor *blur = filtered(x, orr_from(ORR_F32, ORR_SHAPE(15, 15), gauss));
    orr_tensor *edges = orr_hypot(filtered(x, v), filtered(x, h));
    orr_tensor *sharp = orr_add(x, orr_sub(x, blur));
    int rc = save(folder, "blur", blur) || save(folder, "edges", edges) || save(folder, "sharpen", sharp);
    (void)orr_scope_end(s);
    (void)orr_shutdown();
    return rc;
}
