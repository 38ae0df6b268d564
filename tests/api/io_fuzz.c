/* Valid files, changed at random: a status each time, never a crash (run it under the address sanitizer).
 * Must not know: how a file is parsed. */
#include "config.h"
#include <orrery/eval.h>
#include <orrery/io.h>
#include "runtime/base/buffer.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ORR_TEST_FULL=1: all. */
enum { ROUNDS = 1000, ALL_ROUNDS = 10000, IMAGE = 7, MAPPED };
#if defined(HAVE_PNG) && defined(HAVE_JPEG)
enum { IMAGES = 1 };
#else
enum { IMAGES = 0 };
#endif

static orr_tensor *load(const char *path, int kind)
{
    switch (kind) {
    case 0: return orr_load(path);
    case MAPPED: return orr_map_npy(path);
    case 1: return orr_load_npz(path, "a");
    case 2: return orr_load_idx(path);
    case 3: return orr_load_safetensors(path, "float32");
    case 4: return orr_map_safetensors(path, "float64");
    case IMAGE: return orr_load_image(path);
    case 5: return orr_load_csv(path, ORR_F64, ',', 0);
    default: return orr_load_csv(path, ORR_I16, ',', 0);
    }
}

/* A change that a careless or hostile writer might make. Returns the new length. */
static size_t change(unsigned char *p, size_t n, size_t room, unsigned long long *r)
{
    static const unsigned char edges[] = { 0x00, 0xff, 0x7f, 0x80, 0x01, '(', ')', ',', '\'', '9', ' ', 'O' };
    size_t at = n ? orr_test_rand(r) % n : 0, k = 1 + orr_test_rand(r) % 8;
    switch (orr_test_rand(r) % 6) {
    case 0: return at; /* cut */
    case 1:
        if (n)
            p[at] ^= (unsigned char)(1u << orr_test_rand(r) % 8);
        return n;
    case 2: /* a run of one telling byte */
        memset(p + at, edges[orr_test_rand(r) % sizeof edges], at + k <= n ? k : n - at);
        return n;
    case 3: /* random bytes */
        for (size_t i = at; i < n && i < at + k; i++)
            p[i] = (unsigned char)orr_test_rand(r);
        return n;
    case 4: /* something is put in */
        k = n + k <= room ? k : 0;
        memmove(p + at + k, p + at, n - at);
        return n + k;
    default: /* something is taken out */
        k = at + k <= n ? k : n - at;
        memmove(p + at, p + at + k, n - at - k);
        return n - k;
    }
}

/* The chunks of a PNG get the checksums that they should have, so that changes reach what is behind that check. */
static void reseal(unsigned char *p, size_t n)
{
    for (size_t at = 8; at + 12 <= n;) {
        size_t size = (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | (size_t)p[at + 3];
        if (size > n - at - 12)
            return;
        uint32_t c = orr_test_crc32(p + at + 4, size + 4);
        for (int k = 0; k < 4; k++)
            p[at + 8 + size + (size_t)k] = (unsigned char)(c >> (24 - 8 * k));
        at += size + 12;
    }
}

static void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    ORR_REQUIRE(f != NULL);
    fwrite(data, 1, n, f);
    fclose(f);
}

static void fuzz(const char *golden, int kind, unsigned long long seed)
{
    static unsigned char changed[1 << 16];
    size_t n;
    char from[600], path[600];
    snprintf(from, sizeof from, "%s", orr_test_golden(golden));
    snprintf(path, sizeof path, "%s", orr_test_tmp("fuzz"));
    unsigned char *file = orr_test_slurp(from, &n);
    ORR_REQUIRE(file != NULL && n < sizeof changed / 2);
    int good = 0, rounds = getenv("ORR_TEST_FULL") ? ALL_ROUNDS : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        unsigned long long r = seed * 1000003 + (unsigned long long)i;
        size_t m = n;
        memcpy(changed, file, n);
        for (int k = 1 + (int)(orr_test_rand(&r) % 3); k > 0; k--)
            m = change(changed, m, sizeof changed, &r);
        if (kind == IMAGE && i % 2)
            reseal(changed, m);
        if (kind != IMAGE)
            write_file(path, changed, m);
        orr_error_clear();
        orr_tensor *t = kind == IMAGE ? orr_load_image_bytes(changed, m) : load(path, kind);
        orr_status st = orr_tensor_status(t);
        good += st == ORR_OK;
        if (st == ORR_OK)
            ORR_CHECK_MSG(orr_data(t) != NULL, "%s, change %d", golden, i);
        else
            ORR_CHECK_MSG(orr_error_status() == st && strstr(orr_error_message(), "tests/api/io_fuzz.c:"),
                          "%s, change %d: %s", golden, i, orr_error_message());
        ORR_CHECK_MSG(st == ORR_OK || st == ORR_EFORMAT || st == ORR_EDTYPE || st == ORR_ESHAPE || st == ORR_EINVAL,
                      "%s, change %d: %s", golden, i, orr_error_message());
        orr_free(t);
        char **names = NULL;
        int count = 0;
        if (kind == 1 && orr_npz_names(path, &names, &count) == ORR_OK)
            orr_npz_names_free(names);
    }
    ORR_CHECK_MSG(good < rounds, "%s: no change was seen", golden);
    ORR_CHECK_MSG(orr__pool_get_stats().live == 0, "%s: %zu bytes stay", golden, orr__pool_get_stats().live);
    free(file);
}

static void mutated_npy_gets_a_status(void)
{
    fuzz("io/c_f4_le.npy", 0, 1);
    fuzz("io/c_f4_le.npy", MAPPED, 31);
    fuzz("io/fortran_f4_be.npy", 0, 2);
    fuzz("io/version2_f4.npy", 0, 3);
}

static void mutated_npz_gets_a_status(void)
{
    fuzz("io/stored.npz", 1, 4);
    fuzz("io/other.npz", 1, 5);
    fuzz("io/deflated.npz", 1, 6);
}

static void mutated_idx_gets_a_status(void)
{
    fuzz("io/i4.idx", 2, 7);
    fuzz("io/u1.idx.gz", 2, 8);
}

static void mutated_safetensors_gets_a_status(void)
{
    fuzz("io/peer.safetensors", 3, 9);
    fuzz("io/peer.safetensors", 4, 10);
}

static void mutated_csv_gets_a_status(void)
{
    fuzz("io/peer.csv", 5, 11);
    fuzz("io/peer.csv", 6, 12);
}

static void mutated_images_get_a_status(void)
{
    if (!IMAGES)
        ORR_SKIP("built without libpng or libjpeg");
    fuzz("images/rgb8.png", IMAGE, 13);
    fuzz("images/palette_alpha.png", IMAGE, 14);
    fuzz("images/grey1_interlaced.png", IMAGE, 15);
    fuzz("images/rgba16_interlaced.png", IMAGE, 16);
    fuzz("images/colour.jpg", IMAGE, 17);
    fuzz("images/progressive.jpg", IMAGE, 18);
    fuzz("images/grey.jpg", IMAGE, 19);
}

/* Memory refused at each allocation in turn: an error, nothing lost, and the next load works. */
static void loads_survive_memory_that_is_refused(void)
{
    static const struct {
        const char *file;
        int kind;
    } files[] = {
        { "io/fortran_f4_be.npy", 0 },
        { "io/stored.npz", 1 },
        { "io/u1.idx.gz", 2 },
        { "io/peer.safetensors", 3 },
        { "io/peer.safetensors", 4 },
        { "io/peer.csv", 5 },
        { "images/rgba16_interlaced.png", IMAGE },
        { "images/colour.jpg", IMAGE },
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        if (files[f].kind == IMAGE && !IMAGES)
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s", orr_test_golden(files[f].file));
        int failures = 0;
        for (long n = 0; n < 40; n++) {
            orr__pool_trim(); /* so that buffers' headers are allocated, too */
            orr__pool_fail_after(n);
            orr_tensor *t = load(path, files[f].kind);
            orr__pool_fail_after(-1);
            orr_status st = orr_tensor_status(t);
            ORR_CHECK_MSG(st == ORR_OK || st == ORR_ENOMEM, "%s, %ld: %s", files[f].file, n, orr_error_message());
            failures += st == ORR_ENOMEM;
            orr_free(t);
            ORR_CHECK(orr__pool_get_stats().live == 0);
        }
        ORR_CHECK_MSG(failures >= 2 && failures < 40, "%s: %d", files[f].file, failures);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(mutated_npy_gets_a_status),
        ORR_TEST(mutated_npz_gets_a_status),
        ORR_TEST(mutated_idx_gets_a_status),
        ORR_TEST(mutated_safetensors_gets_a_status),
        ORR_TEST(mutated_csv_gets_a_status),
        ORR_TEST(mutated_images_get_a_status),
        ORR_TEST(loads_survive_memory_that_is_refused),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io_fuzz", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
