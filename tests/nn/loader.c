/* Loaders: every example once an epoch, the same batches for the same seed, crop and flip, bounded reading ahead.
 * Must not know: threads. */
#include "config.h"
#include "tests/nn/near.h"

enum { N = 23, H = 4, W = 5 };

/* One epoch's labels in their order; returns their number. The first pixel of an image tells its label. */
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

/* Does pixel (y, x) of an image come from (y + dy, x + dx), mirrored or not? */
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
    ORR_CHECK(orr_loader_next(NULL, &x) == -1 && orr_loader_batches(NULL) == 0);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(an_epoch_has_every_example_once),
                                      ORR_TEST(images_are_moved_and_mirrored),
                                      ORR_TEST(wrong_use_is_refused),
                                      { 0 } };
    return near_main(argc, argv, "nn.loader", tests);
}
