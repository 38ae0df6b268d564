/* Valid files with random changes: every read returns a status and never crashes (run it under the address sanitizer).
 * Must not know: how a file is parsed. */
#include "config.h"
#include <orrery/dlpack.h>
#include <orrery/eval.h>
#include <orrery/io.h>
#include "runtime/base/buffer.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ORR_TEST_FULL=1: ALL_ROUNDS. */
enum { ROUNDS = 1000, ALL_ROUNDS = 10000, FORKED_ROUNDS = 100, IMAGE = 7, MAPPED };
/* Memory per byte of a file: elements of 8 bytes from text of two, and copies; the largest expansion of deflate, each bit of
 * which may be a pixel. */
enum { PER_BYTE = 16, PER_DEFLATED = 9 * 1032, LITTLE = 1 << 17 };
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

/* Changes a file as a careless or malicious writer might. Returns the new length. */
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
    case 2: /* a run of one special byte */
        memset(p + at, edges[orr_test_rand(r) % sizeof edges], at + k <= n ? k : n - at);
        return n;
    case 3: /* random bytes */
        for (size_t i = at; i < n && i < at + k; i++)
            p[i] = (unsigned char)orr_test_rand(r);
        return n;
    case 4: /* an insertion */
        k = n + k <= room ? k : 0;
        memmove(p + at + k, p + at, n - at);
        return n + k;
    default: /* a removal */
        k = at + k <= n ? k : n - at;
        memmove(p + at, p + at + k, n - at - k);
        return n - k;
    }
}

/* Corrects the checksums of a PNG's chunks, so that changes reach the code after that check. */
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

static int rounds_of(int usual)
{
    return getenv("ORR_TEST_FULL") ? ALL_ROUNDS : usual;
}

static bool is_deflated(const char *name)
{
    return strstr(name, ".gz") || strstr(name, ".npz") || strstr(name, ".png") || strstr(name, ".jpg");
}

static bool is_refusal(orr_status st)
{
    return st == ORR_EFORMAT || st == ORR_EDTYPE || st == ORR_ESHAPE || st == ORR_EINVAL;
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
    int good = 0, rounds = rounds_of(ROUNDS);
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
        orr__pool_peak_reset();
        orr_tensor *t = kind == IMAGE ? orr_load_image_bytes(changed, m) : load(path, kind);
        orr_status st = orr_tensor_status(t);
        good += st == ORR_OK;
        size_t peak = orr__pool_get_stats().peak;
        ORR_CHECK_MSG(peak <= LITTLE + m * (is_deflated(golden) ? PER_DEFLATED : PER_BYTE),
                      "%s, change %d: %zu bytes of memory for %zu of the file", golden, i, peak, m);
        if (st == ORR_OK)
            ORR_CHECK_MSG(orr_data(t) != NULL, "%s, change %d", golden, i);
        else
            ORR_CHECK_MSG(orr_error_status() == st && strstr(orr_error_message(), "tests/api/io_fuzz.c:"),
                          "%s, change %d: %s", golden, i, orr_error_message());
        ORR_CHECK_MSG(st == ORR_OK || is_refusal(st), "%s, change %d: %s", golden, i, orr_error_message());
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

/* Each file in a process of its own, since libhdf5 is responsible for its own reading; a wrong result of Orrery is the
 * process's exit status. */
enum { WRONG_STATUS = 77, SECONDS = 20 };

static void read_hdf5(const char *path)
{
    static const char *const sets[] = { "packed", "big", "float32", "scalar", "complex64" };
    char **names = NULL;
    int n = 0;
    bool right = true;
    (void)alarm(SECONDS);
    for (int k = 0; k < 5; k++) {
        orr_tensor *t = orr_load_hdf5(path, sets[k]);
        orr_status st = orr_tensor_status(t);
        right = right && (st == ORR_OK ? orr_data(t) != NULL : is_refusal(st));
        orr_free(t);
    }
    orr_status st = orr_hdf5_names(path, &names, &n);
    right = right && (st == ORR_OK || is_refusal(st));
    orr_npz_names_free(names);
    _exit(right && orr__pool_get_stats().live == 0 ? 0 : WRONG_STATUS);
}

static void fuzz_hdf5(const char *name, int seed)
{
    static unsigned char changed[1 << 17];
    size_t n;
    char from[600], path[600];
    int ended = 0;
    snprintf(from, sizeof from, "%s", orr_test_golden(name));
    snprintf(path, sizeof path, "%s", orr_test_tmp("fuzz.h5"));
    orr_tensor *t = orr_load_hdf5(from, "big");
    orr_status st = orr_tensor_status(t);
    orr_free(t);
    if (st == ORR_EDEVICE)
        ORR_SKIP("built without HDF5");
    unsigned char *file = orr_test_slurp(from, &n);
    ORR_REQUIRE(file != NULL && n < sizeof changed / 2);
    for (int i = 0; i < rounds_of(FORKED_ROUNDS); i++) {
        unsigned long long r = (unsigned long long)seed * 1000003 + (unsigned long long)i;
        size_t m = n;
        int status = 0;
        memcpy(changed, file, n);
        for (int k = 1 + (int)(orr_test_rand(&r) % 3); k > 0; k--)
            m = change(changed, m, sizeof changed, &r);
        write_file(path, changed, m);
        pid_t child = fork();
        ORR_REQUIRE(child >= 0);
        if (child == 0)
            read_hdf5(path);
        ORR_REQUIRE(waitpid(child, &status, 0) == child);
        ORR_CHECK_MSG(!WIFEXITED(status) || WEXITSTATUS(status) != WRONG_STATUS, "change %d: a wrong status", i);
        ended += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    if (ended)
        printf("# libhdf5 ended the process for %d files\n", ended);
    free(file);
}

static void mutated_hdf5_gets_a_status(void)
{
    fuzz_hdf5("io/peer.h5", 20);
}

static void mutated_complex_hdf5_gets_a_status(void)
{
    fuzz_hdf5("io/complex.h5", 22);
}

static void deleted(orr_dlpack_versioned *v)
{
    ++*(int *)v->manager;
}

/* Changes the fields of an array. The address of its data must be trusted. */
static void mutated_dlpack_gets_a_status(void)
{
    enum { ELEMENTS = 1 << 12 };
    static double data[ELEMENTS];
    int deletions = 0, good = 0;
    for (int i = 0; i < rounds_of(ROUNDS); i++) {
        unsigned long long r = 21 * 1000003 + (unsigned long long)i;
        int64_t shape[4] = { 2, 3, 4, 5 }, strides[4] = { 60, 20, 5, 1 };
        static const int64_t lengths[] = { 0, 1, -1, INT64_MAX, INT64_MIN, (int64_t)1 << 62, (int64_t)1 << 32 };
        orr_dlpack_versioned v = { .major = 1, .manager = &deletions, .deleter = deleted };
        v.array = (orr_dlpack_array){ .data = data,
                                      .device_type = ORR_DLPACK_CPU,
                                      .ndim = 4,
                                      .code = 2,
                                      .bits = 64,
                                      .lanes = 1,
                                      .shape = shape,
                                      .strides = strides };
        for (int k = 1 + (int)(orr_test_rand(&r) % 3); k > 0; k--)
            switch (orr_test_rand(&r) % 10) {
            case 0: v.array.ndim = (int)(orr_test_rand(&r) % 5); break;
            case 1: v.array.ndim = orr_test_rand(&r) % 2 ? -1 : 9 + (int)(orr_test_rand(&r) % 1000); break;
            case 2: v.array.code = (uint8_t)orr_test_rand(&r); break;
            case 3: v.array.bits = (uint8_t)(1u << orr_test_rand(&r) % 8); break;
            case 4: v.array.lanes = (uint16_t)(orr_test_rand(&r) % 3); break;
            case 5: v.array.device_type = (int)(orr_test_rand(&r) % 20) - 2; break;
            case 6: shape[orr_test_rand(&r) % 4] = lengths[orr_test_rand(&r) % 3]; break;
            case 7: /* too many for any memory, for any lengths of the other axes */
                for (int d = 0; d < 4; d++)
                    shape[d] = lengths[3 + orr_test_rand(&r) % 4];
                break;
            case 8: strides[orr_test_rand(&r) % 4] = (int64_t)(orr_test_rand(&r) % 61); break;
            default: *(orr_test_rand(&r) % 2 ? &v.array.shape : &v.array.strides) = NULL;
            }
        int before = deletions;
        orr_error_clear();
        orr_tensor *t = orr_from_dlpack(&v);
        orr_status st = orr_tensor_status(t);
        good += st == ORR_OK;
        ORR_CHECK_MSG(st == ORR_OK || is_refusal(st) || st == ORR_EDEVICE || st == ORR_ENOMEM, "change %d: %s", i,
                      orr_error_message());
        ORR_CHECK_MSG(st != ORR_OK || orr_tensor_size(t) == 0 || orr_data(t), "change %d", i);
        orr_free(t);
        ORR_CHECK_MSG(deletions == before + (st == ORR_OK), "change %d: deleted %d times", i, deletions - before);
    }
    ORR_CHECK(good > 0 && good < rounds_of(ROUNDS));
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

/* Each allocation fails in turn: an error, no leak, and the next load works. */
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
            orr__pool_trim(); /* so that headers of buffers are allocated, too */
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
        ORR_TEST(mutated_hdf5_gets_a_status),
        ORR_TEST(mutated_complex_hdf5_gets_a_status),
        ORR_TEST(mutated_dlpack_gets_a_status),
        ORR_TEST(loads_survive_memory_that_is_refused),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io_fuzz", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
