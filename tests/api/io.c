/* .npy, .npz and IDX files: NumPy's files are read back, bad files are refused.
 * Must not know: how a file is parsed. */
#include "config.h"
#include <stdlib.h>
#include <orrery/eval.h>
#include "tests/harness/io_help.h"

static void npy_of_every_dtype_and_byte_order(void)
{
    static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", NULL, "f4", "f8" };
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
        for (int big = 0; codes[t] && big < 2; big++) {
            char name[40];
            snprintf(name, sizeof name, "c_%s_%s.npy", codes[t], big ? "be" : "le");
            orr_tensor *x = orr_load(golden_io(name));
            check_golden(name, x, (orr_dtype)t, ORR_SHAPE(3, 5));
            check_golden(name, orr_map_npy(golden_io(name)), (orr_dtype)t, ORR_SHAPE(3, 5));
            orr_free(x);
        }
    }
}

static void npy_of_every_shape_and_version(void)
{
    orr_scope *s = orr_scope_begin();
    check_golden("fortran be", orr_load(golden_io("fortran_f4_be.npy")), ORR_F32, ORR_SHAPE(3, 4, 5));
    check_golden("fortran be, mapped", orr_map_npy(golden_io("fortran_f4_be.npy")), ORR_F32, ORR_SHAPE(3, 4, 5));
    check_golden("scalar, mapped", orr_map_npy(golden_io("scalar_f8.npy")), ORR_F64, ORR_SHAPE_0D);
    check_golden("empty, mapped", orr_map_npy(golden_io("empty_f4.npy")), ORR_F32, ORR_SHAPE(0, 3));
    check_golden("fortran 40x3", orr_load(golden_io("fortran_i2.npy")), ORR_I16, ORR_SHAPE(40, 3));
    check_golden("fortran rank 5", orr_load(golden_io("fortran_u1_rank5.npy")), ORR_U8, ORR_SHAPE(2, 3, 2, 2, 3));
    check_golden("scalar", orr_load(golden_io("scalar_f8.npy")), ORR_F64, ORR_SHAPE_0D);
    check_golden("empty", orr_load(golden_io("empty_f4.npy")), ORR_F32, ORR_SHAPE(0, 3));
    check_golden("rank 8", orr_load(golden_io("rank8_i4.npy")), ORR_I32, ORR_SHAPE(1, 2, 1, 2, 1, 2, 1, 2));
    check_golden("version 2", orr_load(golden_io("version2_f4.npy")), ORR_F32, ORR_SHAPE(3, 5));
    check_golden("version 3", orr_load(golden_io("version3_f4.npy")), ORR_F32, ORR_SHAPE(3, 5));
    check_golden("Python 2", orr_load(golden_io("python2_i4.npy")), ORR_I32, ORR_SHAPE(3, 5));
    unsigned char b[4] = { 9, 9, 9, 9 };
    ORR_CHECK(orr_read(orr_load(golden_io("odd_bool.npy")), b, 4) == ORR_OK);
    ORR_CHECK(b[0] == 0 && b[1] == 1 && b[2] == 1 && b[3] == 1); /* a bool is 0 or 1 for every byte of the file */
    orr_scope_end(s);
}

static void refused(orr_tensor *t, orr_status st, const char *says)
{
    ORR_CHECK_MSG(orr_tensor_status(t) == st, "%s, not %s: %s", orr_status_name(orr_tensor_status(t)),
                  orr_status_name(st), orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), says), "'%s' is not in: %s", says, orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/api/io.c:"), "%s", orr_error_message());
    orr_free(t);
}

static void npy_of_foreign_types_is_refused_by_name(void)
{
    refused(orr_load(golden_io("no_object.npy")), ORR_EDTYPE, "Python objects");
    refused(orr_load(golden_io("no_text.npy")), ORR_EDTYPE, "strings");
    refused(orr_load(golden_io("no_dates.npy")), ORR_EDTYPE, "dates");
    refused(orr_load(golden_io("no_records.npy")), ORR_EDTYPE, "records");
    refused(orr_load(golden_io("no_longdouble.npy")), ORR_EDTYPE, "'<f16'");
    refused(orr_load(golden_io("rank9_u1.npy")), ORR_ESHAPE, "rank 9");
}

/* Two of NumPy's files in sequence in memory, and every truncation of them. */
static void npy_bytes_read_back_one_behind_the_other(void)
{
    size_t n = 0, m = 0, used = 0, more = 0;
    unsigned char *a = orr_test_slurp(golden_io("c_f4_be.npy"), &n),
                  *b = orr_test_slurp(golden_io("fortran_i2.npy"), &m);
    unsigned char *both = malloc(n + m);
    ORR_REQUIRE(a && b && both);
    memcpy(both, a, n);
    memcpy(both + n, b, m);
    orr_scope *s = orr_scope_begin();
    check_golden("the first", orr_load_bytes(both, n + m, &used), ORR_F32, ORR_SHAPE(3, 5));
    ORR_CHECK(used == n);
    check_golden("the second", orr_load_bytes(both + n, m, &more), ORR_I16, ORR_SHAPE(40, 3));
    ORR_CHECK(more == m);
    check_golden("alone", orr_load_bytes(a, n, NULL), ORR_F32, ORR_SHAPE(3, 5));
    refused(orr_load_bytes(both, n + m, NULL), ORR_EFORMAT, "bytes follow");
    refused(orr_load_bytes(NULL, 4, &used), ORR_EINVAL, "NULL");
    ORR_CHECK(used == 0);
    for (size_t k = 0; k < n; k++) {
        unsigned char *cut = malloc(k ? k : 1); /* a sanitizer sees a read beyond the end */
        ORR_REQUIRE(cut);
        memcpy(cut, a, k);
        ORR_CHECK_MSG(orr_tensor_status(orr_load_bytes(cut, k, &used)) == ORR_EFORMAT && used == 0, "%zu bytes", k);
        free(cut);
    }
    orr_scope_end(s);
    free(both);
    free(b);
    free(a);
}

static void let_go(void *elements, void *user)
{
    (void)elements;
    ++*(int *)user;
}

/* Aligned arrays are not copied; others are copied, and released at once. */
static void npy_bytes_are_wrapped_where_they_lie_well(void)
{
    size_t n = 0, used = 0;
    int gone = 0;
    unsigned char *a = orr_test_slurp(golden_io("c_f4_le.npy"), &n);
    ORR_REQUIRE(a);
    orr_tensor *t = orr_wrap_bytes(a, n, &used, let_go, &gone);
    check_golden("wrapped", t, ORR_F32, ORR_SHAPE(3, 5));
    ORR_CHECK(used == n && gone == 0 && (const unsigned char *)orr_data(t) == a + n - 60);
    ORR_CHECK(orr_free(t) == ORR_OK && gone == 1);
    free(a);
    static const char *const others[] = { "c_f4_be.npy", "c_b1_le.npy" };
    for (int i = 0; i < 2; i++) {
        gone = 0;
        a = orr_test_slurp(golden_io(others[i]), &n);
        t = orr_wrap_bytes(a, n, NULL, let_go, &gone);
        ORR_CHECK(gone == 1);
        free(a);
        check_golden(others[i], t, i ? ORR_BOOL : ORR_F32, ORR_SHAPE(3, 5));
        orr_free(t);
    }
    gone = 0;
    a = orr_test_slurp(golden_io("c_f4_le.npy"), &n);
    refused(orr_wrap_bytes(a, n - 1, &used, let_go, &gone), ORR_EFORMAT, "npy");
    refused(orr_wrap_bytes(a, n, &used, NULL, NULL), ORR_EINVAL, "release");
    ORR_CHECK(gone == 0 && used == 0);
    free(a);
}

static void npy_header_is_that_of_the_file(void)
{
    char head[ORR_NPY_HEADER];
    float x[6] = { 1, 2, 3, 4, 5, 6 };
    const char *path = orr_test_tmp("head.npy");
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_save(path, orr_from(ORR_F32, ORR_SHAPE(2, 3), x)) == ORR_OK);
    size_t n = 0, m = orr_npy_header(ORR_F32, ORR_SHAPE(2, 3), head);
    unsigned char *file = orr_test_slurp(path, &n);
    ORR_CHECK(file && m % 64 == 0 && n == m + sizeof x && memcmp(file, head, m) == 0);
    free(file);
    ORR_CHECK(orr_npy_header(ORR_BF16, ORR_SHAPE(2), head) == 0 && orr_error_status() == ORR_EDTYPE);
    ORR_CHECK(orr_npy_header(ORR_DTYPE_COUNT, ORR_SHAPE(2), head) == 0 && orr_error_status() == ORR_EDTYPE);
    ORR_CHECK(orr_npy_header(ORR_F32, ORR_SHAPE(-2), head) == 0 && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK(orr_npy_header(ORR_F32, ORR_SHAPE(2), NULL) == 0 && orr_error_status() == ORR_EINVAL);
    orr_scope_end(s);
}

static const char *write_file(const char *name, const void *data, size_t n)
{
    const char *path = orr_test_tmp(name);
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(data, 1, n, f);
        fclose(f);
    }
    return path;
}

/* A .npy file with this dictionary and `n` bytes of data. */
static const char *npy_file(const char *dict, size_t n)
{
    static unsigned char file[4096];
    size_t h = strlen(dict);
    memset(file, 0, sizeof file);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (unsigned char)(h & 0xff);
    file[9] = (unsigned char)(h >> 8);
    memcpy(file + 10, dict, h);
    return write_file("x.npy", file, 10 + h + n);
}

static void npy_header_with_false_size_is_refused(void)
{
    static const struct {
        const char *dict;
        size_t data;
        orr_status st;
        const char *says;
    } cases[] = {
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }", 8, ORR_EFORMAT, "at most 8" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 8, ORR_EFORMAT, "truncated" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8, ORR_EFORMAT, "follow" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 8, ORR_ESHAPE, "too many" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4), }", 0, ORR_ESHAPE,
          "too many" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8, ORR_ESHAPE, "64 bits" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, ORR_EFORMAT, "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", 8, ORR_EFORMAT, "tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }", 8, ORR_EFORMAT, "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,", 8, ORR_EFORMAT, "shape" },
        { "{'descr': '<f4', 'fortran_order': Perhaps, 'shape': (2,), }", 8, ORR_EFORMAT, "fortran_order" },
        { "{'descr': '<f4', 'fortran_order': False, }", 8, ORR_EFORMAT, "missing" },
        { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EFORMAT, "twice" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8, ORR_EFORMAT, "unknown" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } print(1)", 8, ORR_EFORMAT, "follows" },
        { "{'descr': '<f4, 'fortran_order': False, 'shape': (2,), }", 8, ORR_EDTYPE, "'<f4, '" },
        { "{'descr': '<f4\\n', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EFORMAT, "no string" },
        { "{'descr: '<f4', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EFORMAT, "malformed" },
        { "{'descr': 'f4', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EFORMAT, "byte order" },
        { "{'descr': '', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EFORMAT, "byte order" },
        { "{'descr': '<f3', 'fortran_order': False, 'shape': (2,), }", 8, ORR_EDTYPE, "'<f3'" },
        { "__import__('os')", 8, ORR_EFORMAT, "dictionary" },
        { "", 8, ORR_EFORMAT, "dictionary" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(orr_load(npy_file(cases[i].dict, cases[i].data)), cases[i].st, cases[i].says);
}

static void npz_read_leaves_no_error(void)
{
    orr_error_clear();
    orr_tensor *t = orr_load_npz(golden_io("stored.npz"), "a");
    ORR_CHECK(orr_tensor_status(t) == ORR_OK && orr_error_status() == ORR_OK && !*orr_error_message());
    (void)orr_free(t);
}

static void foreign_files_are_refused(void)
{
    refused(orr_load(NULL), ORR_EINVAL, "NULL");
    refused(orr_load("/nowhere/x.npy"), ORR_EIO, "/nowhere/x.npy");
    refused(orr_load("/"), ORR_EIO, "directory");
    refused(orr_load(write_file("empty", "", 0)), ORR_EFORMAT, "truncated");
    refused(orr_load(write_file("short", "\x93NUM", 4)), ORR_EFORMAT, "truncated");
    refused(orr_load(write_file("text", "hello, tensor world", 19)), ORR_EFORMAT, "first bytes");
    refused(orr_load(write_file("v9", "\x93NUMPY\x09\x00\x00\x00\x00\x00", 12)), ORR_EFORMAT, "version 9.0");
    refused(orr_load(write_file("long", "\x93NUMPY\x02\x00\xff\xff\xff\x7f{}", 14)), ORR_EFORMAT, "claims");
    refused(orr_load_npz("/nowhere/x.npz", "a"), ORR_EIO, "/nowhere");
    refused(orr_load_npz(write_file("text", "hello, tensor world", 19), "a"), ORR_EFORMAT, "no end record");
    refused(orr_load_npz(write_file("empty", "", 0), "a"), ORR_EFORMAT, "no end record");
    refused(orr_load_npz(NULL, "a"), ORR_EINVAL, "NULL");
    refused(orr_load_npz(golden_io("stored.npz"), NULL), ORR_EINVAL, "NULL");
    refused(orr_load_idx(write_file("text", "hello, tensor world", 19)), ORR_EFORMAT, "not an IDX");
    refused(orr_load_idx(write_file("r9", "\0\0\x08\x09", 4)), ORR_ESHAPE, "rank 9");
    refused(orr_load_idx(write_file("lie",
                                    "\0\0\x08\x01\xff\xff\xff\xff"
                                    "abc",
                                    11)),
            ORR_EFORMAT, "at most 3");
    refused(orr_load_idx(write_file("huge", "\0\0\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16)),
            ORR_ESHAPE, "too many");
    refused(orr_load_idx(write_file("more", "\0\0\x08\x01\0\0\0\1ab", 10)), ORR_EFORMAT, "follow");
}

static void idx_plain_and_gzip(void)
{
    static const struct {
        const char *name;
        orr_dtype t;
    } files[] = {
        { "u1.idx", ORR_U8 },  { "i1.idx", ORR_I8 },  { "i2.idx", ORR_I16 },   { "i4.idx", ORR_I32 },
        { "f4.idx", ORR_F32 }, { "f8.idx", ORR_F64 }, { "u1.idx.gz", ORR_U8 }, { "f4.idx.gz", ORR_F32 },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        orr_tensor *t = orr_load_idx(golden_io(files[i].name));
#ifndef HAVE_ZLIB
        if (strstr(files[i].name, ".gz")) {
            refused(t, ORR_EINVAL, "zlib");
            continue;
        }
#endif
        check_golden(files[i].name, t, files[i].t, ORR_SHAPE(3, 5));
        orr_free(t);
    }
}

static void gzip_that_is_cut_or_changed_is_refused(void)
{
#ifndef HAVE_ZLIB
    ORR_SKIP("built without zlib");
#else
    size_t n;
    unsigned char *file = orr_test_slurp(golden_io("u1.idx.gz"), &n);
    ORR_REQUIRE(file != NULL);
    for (size_t cut = 4; cut < n; cut++)
        refused(orr_load_idx(write_file("cut.gz", file, cut)), ORR_EFORMAT, "");
    for (size_t i = n - 8; i < n; i++) { /* checksum and length */
        file[i] ^= 1;
        refused(orr_load_idx(write_file("bad.gz", file, n)), ORR_EFORMAT, "");
        file[i] ^= 1;
    }
    free(file);
#endif
}

static void npz_stored_deflated_and_from_others(void)
{
    orr_scope *s = orr_scope_begin();
    check_golden("stored a", orr_load_npz(golden_io("stored.npz"), "a"), ORR_F32, ORR_SHAPE(3, 5));
    check_golden("stored b", orr_load_npz(golden_io("stored.npz"), "b"), ORR_I64, ORR_SHAPE(4));
    check_golden("stored c", orr_load_npz(golden_io("stored.npz"), "c.npy"), ORR_BOOL, ORR_SHAPE_0D);
    refused(orr_load_npz(golden_io("stored.npz"), "weights"), ORR_EINVAL, "'weights'; it has: a, b, c");
    refused(orr_load_npz(golden_io("stored.npz"), ""), ORR_EINVAL, "it has: a, b, c");
#ifdef HAVE_ZLIB
    check_golden("deflated a", orr_load_npz(golden_io("deflated.npz"), "a"), ORR_F32, ORR_SHAPE(3, 5));
    check_golden("deflated c", orr_load_npz(golden_io("deflated.npz"), "c"), ORR_BOOL, ORR_SHAPE_0D);
    check_golden("with a comment", orr_load_npz(golden_io("other.npz"), "a"), ORR_F32, ORR_SHAPE(3, 5));
    check_golden("in a folder", orr_load_npz(golden_io("other.npz"), "folder/b"), ORR_I64, ORR_SHAPE(4));
    orr_tensor *big = orr_load_npz(golden_io("deflated.npz"), "big");
    ORR_CHECK(orr_tensor_size(big) == 10000);
#endif
    refused(orr_load_npz(golden_io("other.npz"), "readme.txt"), ORR_EFORMAT, "other.npz[readme.txt]");
    refused(orr_load_npz(golden_io("twice.npz"), "a"), ORR_EFORMAT, "two members have the name a.npy");
    orr_scope_end(s);
}

static void npz_names_are_listed(void)
{
    char **names;
    int n = -1;
    ORR_REQUIRE(orr_npz_names(golden_io("stored.npz"), &names, &n) == ORR_OK);
    ORR_CHECK(n == 3 && strcmp(names[0], "a") == 0 && strcmp(names[2], "c") == 0);
    orr_npz_names_free(names);
    ORR_REQUIRE(orr_npz_names(golden_io("other.npz"), &names, &n) == ORR_OK);
    ORR_CHECK(n == 3 && strcmp(names[1], "folder/b") == 0 && strcmp(names[2], "readme.txt") == 0);
    orr_npz_names_free(names);
    ORR_CHECK(orr_npz_names("/nowhere", &names, &n) == ORR_EIO && names == NULL && n == 0);
    ORR_CHECK(orr_npz_names(golden_io("stored.npz"), NULL, &n) == ORR_EINVAL);
    orr_npz_names_free(NULL);
}

/* A changed byte in stored data passes every length check: only the checksum detects it. */
static void npz_with_a_wrong_checksum_is_refused(void)
{
    size_t n, at = 0;
    unsigned char *file = orr_test_slurp(golden_io("stored.npz"), &n);
    ORR_REQUIRE(file != NULL);
    static const float first[2] = { -1.25f, 0.5f };
    while (at + 8 < n && memcmp(file + at, first, 8) != 0)
        at++;
    file[at + 5] ^= 0x10;
    refused(orr_load_npz(write_file("crc.npz", file, n), "a"), ORR_EFORMAT, "checksum");
    orr_tensor *b = orr_load_npz(orr_test_tmp("crc.npz"), "b"); /* the others are intact */
    ORR_CHECK(orr_tensor_status(b) == ORR_OK);
    orr_free(b);
    free(file);
}

/* Deflated data that claims an impossible length allocates no memory. */
static void npz_bomb_is_refused(void)
{
#ifndef HAVE_ZLIB
    ORR_SKIP("built without zlib");
#else
    size_t n;
    unsigned char *file = orr_test_slurp(golden_io("deflated.npz"), &n);
    ORR_REQUIRE(file != NULL);
    for (size_t i = 0; i + 46 < n; i++) {
        if (memcmp(file + i, "PK\1\2", 4) == 0) {
            memset(file + i + 24, 0xfe, 4); /* 4.2 GB unpacked */
            break;
        }
    }
    refused(orr_load_npz(write_file("bomb.npz", file, n), "a"), ORR_EFORMAT, "contradict");
    free(file);
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(npz_read_leaves_no_error),
        ORR_TEST(npy_of_every_dtype_and_byte_order),
        ORR_TEST(npy_of_every_shape_and_version),
        ORR_TEST(npy_bytes_read_back_one_behind_the_other),
        ORR_TEST(npy_bytes_are_wrapped_where_they_lie_well),
        ORR_TEST(npy_header_is_that_of_the_file),
        ORR_TEST(npy_of_foreign_types_is_refused_by_name),
        ORR_TEST(npy_header_with_false_size_is_refused),
        ORR_TEST(foreign_files_are_refused),
        ORR_TEST(idx_plain_and_gzip),
        ORR_TEST(gzip_that_is_cut_or_changed_is_refused),
        ORR_TEST(npz_stored_deflated_and_from_others),
        ORR_TEST(npz_names_are_listed),
        ORR_TEST(npz_with_a_wrong_checksum_is_refused),
        ORR_TEST(npz_bomb_is_refused),

        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
