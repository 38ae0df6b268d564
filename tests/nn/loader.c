/* Loaders: every example once an epoch, the same batches for the same seed, crop and flip, bounded prefetching.
 * Must not know: threads. */
#include "config.h"
#include <sys/stat.h>
#include "tests/nn/near.h"

enum { N = 23, H = 4, W = 5 };

/* One epoch's labels in their order; returns their number. The first pixel of an image encodes its label. */
static int epoch(orr_loader *l, int64_t *labels, float *pixels)
{
    int n = 0;
    for (;;) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *b[2];
        int64_t count = orr_loader_next(l, b);
        if (count > 0 && n + count <= N) {
            ORR_CHECK_MSG(orr_read(b[1], labels + n, (size_t)count * 8) == ORR_OK &&
                              orr_read(b[0], pixels + n * H * W, (size_t)count * H * W * 4) == ORR_OK,
                          "%s", orr_error_message());
            n += (int)count;
        }
        (void)orr_scope_end(s);
        ORR_CHECK(count >= 0);
        if (count <= 0)
            return n;
    }
}

static orr_loader *make(orr_loader_options o)
{
    orr_tensor *label = orr_arange(ORR_I64, 0, N, 1);
    orr_tensor *image =
        orr_cast(orr_add(orr_reshape(orr_mul(label, orr_full(ORR_I64, ORR_SHAPE_0D, 100)), ORR_SHAPE(N, 1, 1, 1)),
                         orr_reshape(orr_arange(ORR_I64, 1, H * W + 1, 1), ORR_SHAPE(1, H, W))),
                 ORR_F32);
    return orr_loader_new(ORR_TENSORS(image, label), &o);
}

static void an_epoch_has_every_example_once(void)
{
    orr_scope *s = orr_scope_begin();
    static int64_t a[N], b[N], c[N];
    static float p[N * H * W];
    orr_loader *l = make((orr_loader_options){ .batch = 5, .shuffle = true, .seed = 7, .ahead = 1 });
    ORR_REQUIRE(l && orr_loader_batches(l) == 5);
    int seen[N] = { 0 };
    ORR_CHECK(epoch(l, a, p) == N && epoch(l, b, p) == N);
    for (int i = 0; i < N; i++) {
        seen[b[i]]++;
        ORR_CHECK(p[i * H * W] == (float)(b[i] * 100 + 1) && p[(i + 1) * H * W - 1] == (float)(b[i] * 100 + H * W));
    }
    for (int i = 0; i < N; i++)
        ORR_CHECK(seen[i] == 1);
    ORR_CHECK(memcmp(a, b, sizeof a) != 0);
    orr_loader_free(l);
    l = make((orr_loader_options){ .batch = 9, .shuffle = true, .seed = 7, .ahead = 3 });
    ORR_CHECK(epoch(l, c, p) == N && !memcmp(a, c, sizeof a));
    orr_loader_free(l); /* in the middle of an epoch */
    l = make((orr_loader_options){ .batch = 5, .drop_last = true });
    ORR_CHECK(epoch(l, c, p) == 20 && orr_loader_batches(l) == 4 && c[0] == 0 && c[19] == 19);
    orr_loader_free(l);
    orr_loader_free(NULL);
    (void)orr_scope_end(s);
}

/* True if pixel (y, x) of an image comes from (y + dy, x + dx), mirrored or not. */
static bool fits(const float *p, int64_t label, int dy, int dx, bool mirror)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int sy = y + dy, sx = (mirror ? W - 1 - x : x) + dx;
            bool inside = sy >= 0 && sy < H && sx >= 0 && sx < W;
            if (p[y * W + x] != (inside ? (float)(label * 100 + 1 + sy * W + sx) : 0.0f))
                return false;
        }
    return true;
}

static void images_are_moved_and_mirrored(void)
{
    orr_scope *s = orr_scope_begin();
    static int64_t label[N];
    static float p[N * H * W], again[N * H * W];
    int mirrored = 0, moved = 0;
    orr_loader_options o = { .batch = 4, .crop = 2, .flip = true, .seed = 3 };
    orr_loader *l = make(o), *m = make(o);
    ORR_REQUIRE(l && m && epoch(l, label, p) == N && epoch(m, label, again) == N);
    ORR_CHECK(!memcmp(p, again, sizeof p));
    for (int i = 0; i < N; i++) {
        int found = 0;
        for (int k = 0; k < 50; k++)
            if (fits(p + i * H * W, label[i], k / 10 - 2, k / 2 % 5 - 2, k % 2)) {
                found++;
                mirrored += k % 2;
                moved += k / 10 != 2 || k / 2 % 5 != 2;
            }
        ORR_CHECK_MSG(found == 1, "example %d: %d ways", i, found);
    }
    ORR_CHECK_MSG(mirrored > 4 && mirrored < 19 && moved > 15, "%d mirrored, %d moved", mirrored, moved);
    orr_loader_free(m);
    orr_loader_free(l);
    (void)orr_scope_end(s);
}

/* -- folders ------------------------------------------------------------------------------------------------- */

static const char *in_folder(char path[1024], const char *folder, const char *name)
{
    (void)snprintf(path, 1024, "%s/%s", folder, name);
    return path;
}

/* Makes classes ant (two images), bee (one) and cow (none), and files that are not images. */
static void make_folder(const char *folder)
{
    static const char *const sub[] = { "bee", "ant", "cow", "ant/folder.png" };
    char path[1024];
    ORR_CHECK(mkdir(folder, 0700) == 0);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(mkdir(in_folder(path, folder, sub[i]), 0700) == 0);
    orr_tensor *k = orr_arange(ORR_I64, 0, 2 * 3 * 3, 1);
    orr_tensor *rgb = orr_reshape(orr_cast(orr_mul(k, orr_scalar(13)), ORR_U8), ORR_SHAPE(2, 3, 3));
    ORR_CHECK(orr_save(in_folder(path, folder, "ant/b.png"), rgb) == ORR_OK);
    ORR_CHECK(orr_save(in_folder(path, folder, "ant/a.PNG"), orr_full(ORR_U16, ORR_SHAPE(2, 3), 257 * 7)) == ORR_OK);
    ORR_CHECK(orr_save(in_folder(path, folder, "bee/c.png"), orr_full(ORR_U8, ORR_SHAPE(4, 6, 4), 200)) == ORR_OK);
    FILE *f = fopen(in_folder(path, folder, "bee/note.txt"), "w");
    ORR_CHECK(f && fclose(f) == 0);
}

static void a_folder_of_images_has_its_subfolders_as_labels(void)
{
#ifdef HAVE_PNG
    orr_scope *s = orr_scope_begin();
    char folder[600], path[1024];
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp("images"));
    make_folder(folder);
    orr_loader_options o = { .batch = 2, .ahead = 1 };
    orr_loader *l = orr_loader_of_folder(folder, 3, 2, 3, &o);
    ORR_REQUIRE(l != NULL);
    ORR_CHECK(orr_loader_classes(l) == 3 && !strcmp(orr_loader_class(l, 0), "ant") &&
              !strcmp(orr_loader_class(l, 2), "cow") && !orr_loader_class(l, 3) && !orr_loader_class(l, -1));
    orr_tensor *b[2];
    unsigned char v[36];
    int64_t label[2];
    for (int turn = 0; turn < 2; turn++) {
        ORR_REQUIRE(orr_loader_next(l, b) == 2);
        ORR_CHECK(orr_tensor_dtype(b[0]) == ORR_U8 && orr_read(b[0], v, sizeof v) == ORR_OK);
        for (int i = 0; i < 36; i++) /* a.PNG is grey in 16 bits; b.png has its colours last */
            ORR_CHECK(v[i] == (i < 18 ? 7 : (i % 6 * 3 + (i - 18) / 6) * 13));
        ORR_CHECK(orr_read(b[1], label, sizeof label) == ORR_OK && label[0] == 0 && label[1] == 0);
        ORR_REQUIRE(orr_loader_next(l, b) == 1);
        ORR_CHECK(orr_read(b[0], v, 18) == ORR_OK && v[0] == 200 && v[17] == 200); /* RGBA, and resized */
        ORR_CHECK(orr_read(b[1], label, 8) == ORR_OK && label[0] == 1);
        ORR_CHECK(orr_loader_next(l, b) == 0);
    }
    orr_loader_free(l);
    l = orr_loader_of_folder(folder, 1, 2, 3, &o);
    ORR_REQUIRE(l && orr_loader_next(l, b) == 2 && orr_read(b[0], v, 12) == ORR_OK);
    for (int i = 0; i < 6; i++)
        ORR_CHECK(v[6 + i] == (int)(39 * i + 13 * (0.587 + 2 * 0.114) + 0.5)); /* the luma of 39i + (0, 13, 26) */
    orr_loader_free(l);
    /* A damaged image is an error of its batch, and the others are read. */
    FILE *f = fopen(in_folder(path, folder, "bee/a.jpg"), "w");
    ORR_CHECK(f && fputs("\xff\xd8\xff\xe0 no image", f) >= 0 && fclose(f) == 0);
    o.batch = 1;
    l = orr_loader_of_folder(folder, 1, 2, 3, &o);
    int64_t want[] = { 1, 1, -1, 1, 0, 1 };
    for (int i = 0; l && i < 6; i++)
        ORR_CHECK_MSG(orr_loader_next(l, b) == want[i], "%d: %s", i, orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), "bee/a.jpg"), "%s", orr_error_message());
    orr_loader_free(l);
    o.batch = 4;
    o.shuffle = true;
    o.crop = 1;
    o.flip = true;
    ORR_CHECK(remove(path) == 0);
    l = orr_loader_of_folder(folder, 3, 8, 8, &o);
    ORR_CHECK(l && orr_loader_next(l, b) == 3);
    orr_loader_free(l);
    ORR_CHECK(!orr_loader_of_folder(folder, 2, 8, 8, &o) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_loader_of_folder(folder, 3, 0, 8, &o) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_loader_of_folder("/no/such/folder", 3, 8, 8, &o) && orr_error_status() == ORR_EIO);
    ORR_CHECK(!orr_loader_of_folder(in_folder(path, folder, "cow"), 3, 8, 8, &o) &&
              strstr(orr_error_message(), "has no subfolder with"));
    (void)orr_scope_end(s);
#else
    ORR_SKIP("built without libpng");
#endif
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_loader_options o = { .batch = 2 }, crop = { .batch = 2, .crop = 1 }, none = { 0 };
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(4, 3)), *y = orr_ones(ORR_F32, ORR_SHAPE(5));
    ORR_CHECK(!orr_loader_new(ORR_TENSORS(x, y), &o) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(5,)") && strstr(orr_error_message(), "(4, 3)"), "%s",
                  orr_error_message());
    ORR_CHECK(!orr_loader_new(ORR_TENSORS(x), &crop) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK(!orr_loader_new(ORR_TENSORS(x), &none) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "batch 0 must be at least 1"), "%s", orr_error_message());
    orr_loader_options all = { .batch = 5, .drop_last = true }, far = { .batch = 2, .crop = 9 };
    ORR_CHECK(!orr_loader_new(ORR_TENSORS(x), &all) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "4 examples"), "%s", orr_error_message());
    ORR_CHECK(!orr_loader_new(ORR_TENSORS(orr_ones(ORR_U8, ORR_SHAPE(4, 9, 8))), &far) &&
              orr_error_status() == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "9 x 8"), "%s", orr_error_message());
    ORR_CHECK(orr_loader_next(NULL, &x) == -1 && orr_loader_batches(NULL) == 0);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(an_epoch_has_every_example_once),
                                      ORR_TEST(images_are_moved_and_mirrored),
                                      ORR_TEST(a_folder_of_images_has_its_subfolders_as_labels),
                                      ORR_TEST(wrong_use_is_refused),
                                      { 0 } };
    return near_main(argc, argv, "nn.loader", tests);
}
