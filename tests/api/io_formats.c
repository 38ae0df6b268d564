/* safetensors, CSV, HDF5 and DLPack: files of other libraries, round trips, refusals.
 * Must not know: how a file is parsed. */
#include "config.h"
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"

#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_HDF5
enum { HDF5 = 1 };
#else
enum { HDF5 = 0 };
#endif

/* Element k of the golden files. */
static double element(orr_dtype t, int64_t k)
{
    double v = (double)(k * 7 % 23);
    return t == ORR_BOOL ? k % 3 == 0 : orr__is_float(t) ? (v - 5) / 4 : orr__is_signed(t) ? v - 5 : v;
}

static void check_values(orr_tensor *t, orr_dtype dtype, orr_shape shape, const char *what)
{
    int64_t n = orr__shape_count(&shape);
    double *v = calloc((size_t)n + 1, sizeof *v);
    orr_shape s = orr_tensor_shape(t);
    ORR_CHECK_MSG(orr_tensor_dtype(t) == dtype && orr__shape_equal(&s, &shape), "%s: %s", what, orr_error_message());
    ORR_CHECK_MSG(orr_read(orr_cast(t, ORR_F64), v, (size_t)n * sizeof *v) == ORR_OK, "%s: %s", what,
                  orr_error_message());
    for (int64_t k = 0; k < n; k++)
        ORR_CHECK_MSG(v[k] == element(dtype, k), "%s: element %lld is %g", what, (long long)k, v[k]);
    free(v);
}

static void fails(orr_tensor *t, orr_status st, const char *part)
{
    ORR_CHECK_MSG(orr_tensor_status(t) == st, "%s: %s", part, orr_error_message());
    (void)orr_eval(t);
    ORR_CHECK_MSG(strstr(orr_error_message(), part) != NULL, "%s, not: %s", orr_error_message(), part);
    orr_error_clear();
}

static const char *golden(const char *name)
{
    return orr_test_golden(name);
}

static const char *const kinds[] = { "bool",   "int8",   "int16",  "int32",   "int64",   "uint8",
                                     "uint16", "uint32", "uint64", "float16", "float32", "float64" };
static orr_dtype dtype_of(const char *name)
{
    int d = 0;
    while (d < ORR_DTYPE_COUNT && strcmp(orr_dtype_name((orr_dtype)d), name) != 0)
        d++;
    return (orr_dtype)d;
}

static void safetensors_of_its_library_are_read_and_mapped(void)
{
    char path[1024];
    char **names;
    int n;
    snprintf(path, sizeof path, "%s", golden("io/peer.safetensors"));
    ORR_REQUIRE(orr_safetensors_names(path, &names, &n) == ORR_OK);
    ORR_CHECK(n == 15);
    orr_npz_names_free(names);
    orr_scope *s = orr_scope_begin();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_values(orr_load_safetensors(path, kinds[i]), dtype_of(kinds[i]), ORR_SHAPE(3, 5), kinds[i]);
        check_values(orr_map_safetensors(path, kinds[i]), dtype_of(kinds[i]), ORR_SHAPE(3, 5), kinds[i]);
    }
    check_values(orr_load_safetensors(path, "scalar"), ORR_F32, ORR_SHAPE_0D, "scalar");
    check_values(orr_map_safetensors(path, "empty"), ORR_F64, ORR_SHAPE(0, 4), "empty");
    check_values(orr_map_safetensors(path, "layer.0/w\xc3\xa9ight \"q\" \xe6\xbc\xa2"), ORR_F32, ORR_SHAPE(2, 3, 4),
                 "letters");
    fails(orr_load_safetensors(path, "nothing"), ORR_EINVAL, "has no tensor 'nothing'; it has: ");
    fails(orr_load(path), ORR_EINVAL, "holds 15 tensors, not one: load it with orr_load_safetensors");
    fails(orr_load_safetensors(path, NULL), ORR_EINVAL, "name is NULL");
    fails(orr_load_safetensors("/no/such/file", "x"), ORR_EIO, "/no/such/file");
    (void)orr_scope_end(s);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

/* A mapped tensor has no memory of its own, keeps its values if the file is renamed or removed, and is never written back. */
static void a_mapped_safetensors_tensor_is_the_files_pages(void)
{
    enum { COUNT = 1 << 19 };
    const char *path = orr_test_tmp("large.safetensors"), *name = "x";
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F64, 0, COUNT, 1), *y;
    double last = 0;
    ORR_REQUIRE(orr_save_safetensors(path, &name, 1, &x, 1) == ORR_OK);
    size_t before = orr__pool_get_stats().live;
    y = orr_map_safetensors(path, name);
    ORR_CHECK(orr__pool_get_stats().live < before + (64 << 10));
    orr_tensor *v = orr_variable(y), *other = orr_neg(x);
    ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK &&
              orr_item(orr_max(v, ORR_ALL_AXES, false), &last) == ORR_OK && last == COUNT);
    ORR_CHECK(orr_item(orr_max(orr_map_safetensors(path, name), ORR_ALL_AXES, false), &last) == ORR_OK &&
              last == COUNT - 1);
    ORR_CHECK(orr_save_safetensors(path, &name, 1, &other, 1) == ORR_OK);
    ORR_CHECK(orr_item(orr_min(y, ORR_ALL_AXES, false), &last) == ORR_OK && last == 0);
    ORR_CHECK(remove(path) == 0);
    ORR_CHECK(orr_item(orr_max(y, ORR_ALL_AXES, false), &last) == ORR_OK && last == COUNT - 1);
    (void)orr_scope_end(s);
}

/* An access to pages that are gone would end the process. */
static void a_mapped_file_that_was_truncated_is_an_error(void)
{
    enum { COUNT = 1 << 14 };
    char path[1024], array[1024];
    const char *name = "x";
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F64, 0, COUNT, 1);
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("short.safetensors"));
    (void)snprintf(array, sizeof array, "%s", orr_test_tmp("short.npy"));
    ORR_REQUIRE(orr_save_safetensors(path, &name, 1, &x, 1) == ORR_OK && orr_save(array, x) == ORR_OK);
    for (int k = 0; k < 2; k++) {
        const char *file = k ? array : path;
        orr_tensor *y = k ? orr_map_npy(array) : orr_map_safetensors(path, name), *z = orr_add(y, orr_scalar(1)),
                   *p = orr_placeholder(ORR_F64, ORR_SHAPE(COUNT)), *out = orr_mul(p, orr_scalar(2)), *r = NULL;
        orr_graph *g = orr_graph_build(&p, 1, &out, 1);
        double *got = malloc(COUNT * sizeof *got);
        ORR_REQUIRE(got && g && orr_eval(orr_sum(y, ORR_ALL_AXES, false)) == ORR_OK);
        ORR_REQUIRE(truncate(file, 4096 + 16) == 0);
        for (int n = 0; n < 5; n++) {
            orr_status st = n == 0   ? orr_eval(z)
                            : n == 1 ? orr_read(y, got, COUNT * sizeof *got)
                            : n == 2 ? orr_eval(orr_sum(y, ORR_ALL_AXES, false))
                            : n == 3 ? orr_save(orr_test_tmp("copy.npy"), y)
                                     : orr_graph_submit(g, &y, 1, &r, 1, NULL);
            ORR_CHECK_MSG(st == ORR_EIO && strstr(orr_error_message(), file) &&
                              strstr(orr_error_message(), "truncated since it was mapped"),
                          "way %d: %s: %s", n, orr_status_name(st), orr_error_message());
        }
        ORR_CHECK(orr_data(y) == NULL);
        ORR_REQUIRE(truncate(file, COUNT * 8 + 512) == 0);
        ORR_CHECK(orr_eval(z) == ORR_OK);
        ORR_CHECK(orr_graph_free(g) == ORR_OK);
        free(got);
    }
    orr_error_clear();
    (void)orr_scope_end(s);
}

/* Makes a tensor of each dtype under its name; returns their number. */
static int one_of_each(orr_tensor *t[ORR_DTYPE_COUNT], const char *names[ORR_DTYPE_COUNT], bool bf16)
{
    int n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double v[6];
        for (int k = 0; k < 6; k++)
            v[k] = element(dtype_of(kinds[i]), k);
        names[n] = kinds[i];
        t[n++] = orr_cast(orr_from(ORR_F64, ORR_SHAPE(2, 3), v), dtype_of(kinds[i]));
    }
    names[n] = "bfloat16";
    t[n] = bf16 ? orr_cast(t[n - 1], ORR_BF16) : NULL;
    return bf16 ? n + 1 : n;
}

static void every_dtype_comes_back_from_safetensors(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[ORR_DTYPE_COUNT];
    const char *names[ORR_DTYPE_COUNT], *path = orr_test_tmp("all.safetensors");
    int n = one_of_each(t, names, true);
    ORR_REQUIRE(orr_save_safetensors(path, names, n, t, n) == ORR_OK);
    for (int i = 0; i < n; i++)
        check_values(orr_map_safetensors(path, names[i]), dtype_of(names[i]), ORR_SHAPE(2, 3), names[i]);
    /* A mapped tensor may outlive the file's name and be an operand. */
    orr_tensor *x = orr_map_safetensors(path, "float32");
    ORR_CHECK(remove(path) == 0);
    double sum = 0;
    ORR_CHECK(orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == (-5 + 2 + 9 + 16 + 0 + 7) / 4.0);
    names[0] = "a\\b\"\n\xe6\xbc\xa2";
    ORR_REQUIRE(orr_save_safetensors(path, names, 1, t, 1) == ORR_OK);
    check_values(orr_load_safetensors(path, names[0]), ORR_BOOL, ORR_SHAPE(2, 3), "letters");
    check_values(orr_load(path), ORR_BOOL, ORR_SHAPE(2, 3), "by suffix");
    names[1] = names[0];
    ORR_CHECK(orr_save_safetensors(path, names, 2, t, 2) == ORR_EINVAL);
    names[0] = "__metadata__";
    ORR_CHECK(orr_save_safetensors(path, names, 1, t, 1) == ORR_EINVAL);
    ORR_CHECK(orr_save_safetensors(path, names, 0, t, 0) == ORR_OK);
    (void)orr_scope_end(s);
}

/* The file is truncated, then removed: loaded values belong to this process. Several threads read the 40 MB. */
static void a_file_that_is_cut_leaves_loaded_values_alone(void)
{
    enum { FEW = 1 << 20, MANY = 10000019 };
    for (int turn = 0; turn < 2; turn++) {
        const int64_t n = turn ? MANY : FEW;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_arange(ORR_I32, 0, (double)n, 1);
        const char *name = "x", *path = orr_test_tmp("cut.safetensors");
        ORR_REQUIRE(orr_save_safetensors(path, &name, 1, &x, 1) == ORR_OK);
        orr_tensor *y = turn ? orr_load(path) : orr_load_safetensors(path, name);
        ORR_CHECK(orr_eval(y) == ORR_OK && truncate(path, 100) == 0);
        const int32_t *v = orr_data(y);
        int64_t wrong = 0;
        for (int64_t i = 0; v && i < n; i++)
            wrong += v[i] != i;
        ORR_CHECK_MSG(v && wrong == 0, "%lld of %lld values: %s", (long long)wrong, (long long)n, orr_error_message());
        fails(orr_load_safetensors(path, name), ORR_EFORMAT, "than there are");
        ORR_CHECK(remove(path) == 0);
        (void)orr_scope_end(s);
    }
}

static void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    ORR_REQUIRE(f && fwrite(data, 1, n, f) == n && fclose(f) == 0);
}

static void headers_that_lie_are_refused(void)
{
    static const struct {
        const char *header, *message;
        orr_status st;
    } bad[] = {
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", "do not fit", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", "belong to none", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "follow the last", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"y\":{\"dtype\":\"U8\",\"shape\":[6],"
          "\"data_offsets\":[2,8]}}",
          "or to two", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[9007199254740991,9007199254740991],\"data_offsets\":[0,8]}}",
          "overflows", ORR_ESHAPE },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,8]}}", "no JSON object", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}}", "F8_E4M3, which does not exist",
          ORR_EDTYPE },
        { "{\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},\"x\":{\"dtype\":\"F64\",\"shape\":[0],"
          "\"data_offsets\":[8,8]}}",
          "there twice", ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}} rest", "no JSON object of tensors",
          ORR_EFORMAT },
        { "{\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8],\"more\":1}}", "unknown", ORR_EFORMAT },
        { "[]", "no JSON object", ORR_EFORMAT },
        { "{\"__metadata__\":{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}",
          "no JSON object", ORR_EFORMAT },
    };
    const char *path = orr_test_tmp("lies.safetensors");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned char file[1024] = { 0 };
        size_t n = strlen(bad[i].header);
        for (int k = 0; k < 8; k++)
            file[k] = (unsigned char)(n >> 8 * k);
        memcpy(file + 8, bad[i].header, n);
        write_file(path, file, 8 + n + 8);
        fails(orr_load_safetensors(path, "x"), bad[i].st, bad[i].message);
    }
    write_file(path, "\xff\xff\xff\xff\0\0\0\0{}", 10);
    fails(orr_load_safetensors(path, "x"), ORR_EFORMAT, "claims more bytes");
    write_file(path, "{}", 2);
    fails(orr_load_safetensors(path, "x"), ORR_EFORMAT, "at least 8 bytes");
}

static void csv_is_read_and_written(void)
{
    orr_scope *s = orr_scope_begin();
    char path[1024];
    snprintf(path, sizeof path, "%s", golden("io/peer.csv"));
    check_values(orr_load(path), ORR_F64, ORR_SHAPE(4, 3), "peer.csv");
    const char *mine = orr_test_tmp("mine.csv");
    static const char text[] = "name;value\r\n# a comment\n 1 ;\"2\"\n\n-3;4\r\n";
    write_file(mine, text, sizeof text - 1);
    int32_t want[] = { 1, 2, -3, 4 }, got[4];
    orr_tensor *t = orr_load_csv(mine, ORR_I32, ';', 1);
    ORR_CHECK(orr_read(t, got, sizeof got) == ORR_OK && memcmp(got, want, sizeof got) == 0);
    fails(orr_load_csv(mine, ORR_I32, ';', 0), ORR_EFORMAT, "line 1, field 1: 'name' is no int32");
    fails(orr_load_csv(mine, ORR_U8, ';', 1), ORR_EFORMAT, "line 5, field 1: '-3' is no uint8");
    fails(orr_load_csv(mine, ORR_F32, '5', 1), ORR_EINVAL, "no delimiter: '5' occurs in numbers");
    fails(orr_load_csv(mine, ORR_F32, ';', 99), ORR_EFORMAT, "fewer than the 99 to skip");
    write_file(mine, "\" -5\"\n", 6);
    fails(orr_load_csv(mine, ORR_U64, ',', 0), ORR_EFORMAT, "line 1, field 1: '\" -5\"' is no uint64");
    write_file(mine, "\" 5 \",+6\n", 9);
    uint64_t five[2];
    ORR_CHECK(orr_read(orr_load_csv(mine, ORR_U64, ',', 0), five, sizeof five) == ORR_OK && five[0] == 5 &&
              five[1] == 6);
    write_file(mine, "1\t2\n\t\n \n\t3\n", 11); /* a line of delimiters alone has empty fields; one of blanks is none */
    float tabs[6];
    ORR_CHECK(orr_read(orr_load_csv(mine, ORR_F32, '\t', 0), tabs, sizeof tabs) == ORR_OK && tabs[0] == 1 &&
              tabs[1] == 2 && isnan(tabs[2]) && isnan(tabs[3]) && isnan(tabs[4]) && tabs[5] == 3);
    static const char holes[] = "1,,inf\nnan,-1e-3,\n";
    write_file(mine, holes, sizeof holes - 1);
    double v[6];
    ORR_CHECK(orr_read(orr_load(mine), v, sizeof v) == ORR_OK);
    ORR_CHECK(v[0] == 1 && isnan(v[1]) && v[2] == INFINITY && isnan(v[3]) && v[4] == -1e-3 && isnan(v[5]));
    fails(orr_load_csv(mine, ORR_I64, 0, 0), ORR_EFORMAT, "line 1, field 2");
    write_file(mine, "1,2\n3\n", 6);
    fails(orr_load(mine), ORR_EFORMAT, "line 2 has 1 fields, and the first one has 2");
    write_file(mine, "", 0);
    check_values(orr_load(mine), ORR_F64, ORR_SHAPE(0, 0), "empty");
    double third[] = { 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308 }, back[4];
    ORR_CHECK(orr_save(mine, orr_from(ORR_F64, ORR_SHAPE(2, 2), third)) == ORR_OK);
    ORR_CHECK(orr_read(orr_load(mine), back, sizeof back) == ORR_OK && memcmp(third, back, sizeof back) == 0);
    orr_tensor *each[ORR_DTYPE_COUNT];
    const char *names[ORR_DTYPE_COUNT];
    for (int i = one_of_each(each, names, true); i-- > 0;) {
        ORR_CHECK(orr_save_csv(mine, each[i], '\t') == ORR_OK);
        check_values(orr_load_csv(mine, dtype_of(names[i]), '\t', 0), dtype_of(names[i]), ORR_SHAPE(2, 3), names[i]);
    }
    ORR_CHECK(orr_save(mine, orr_ones(ORR_F32, ORR_SHAPE(2, 2, 2))) == ORR_ESHAPE);
    (void)orr_scope_end(s);
}

static void hdf5_is_read_and_written(void)
{
    orr_scope *s = orr_scope_begin();
    char path[1024], name[32], **names;
    int n;
    snprintf(path, sizeof path, "%s", golden("io/peer.h5"));
    if (!HDF5) {
        fails(orr_load_hdf5(path, "x"), ORR_EDEVICE, "built without HDF5");
        (void)orr_scope_end(s);
        orr_test_skip("built without HDF5");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(name, sizeof name, "all/%s", kinds[i]);
        check_values(orr_load_hdf5(path, name), dtype_of(kinds[i]), ORR_SHAPE(3, 5), name);
    }
    check_values(orr_load_hdf5(path, "big"), ORR_F64, ORR_SHAPE(3, 5), "big");
    check_values(orr_load_hdf5(path, "scalar"), ORR_F32, ORR_SHAPE_0D, "scalar");
    check_values(orr_load_hdf5(path, "packed"), ORR_I32, ORR_SHAPE(40, 50), "packed");
    fails(orr_load_hdf5(path, "text"), ORR_EDTYPE, "does not exist here");
    fails(orr_load_hdf5(path, "nothing"), ORR_EINVAL, "no data set 'nothing'");
    fails(orr_load_hdf5(golden("io/peer.csv"), "x"), ORR_EFORMAT, "not an HDF5 file");
    ORR_CHECK(orr_hdf5_names(path, &names, &n) == ORR_OK && n == 16);
    orr_npz_names_free(names);
    orr_tensor *each[ORR_DTYPE_COUNT];
    const char *keys[ORR_DTYPE_COUNT], *mine = orr_test_tmp("mine.h5");
    int count = one_of_each(each, keys, false);
    keys[0] = "deep/er/bool";
    ORR_CHECK_MSG(orr_save_hdf5(mine, keys, count, each, count) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < count; i++)
        check_values(orr_load_hdf5(mine, keys[i]), orr_tensor_dtype(each[i]), ORR_SHAPE(2, 3), keys[i]);
    ORR_CHECK(orr_save(mine, each[3]) == ORR_OK);
    check_values(orr_load(mine), orr_tensor_dtype(each[3]), ORR_SHAPE(2, 3), "by suffix");
    orr_tensor *bf16 = orr_cast(each[1], ORR_BF16);
    ORR_CHECK(orr_save(mine, bf16) == ORR_EDTYPE);
    (void)orr_scope_end(s);
}

/* h5py's complex numbers are compounds of the parts r and i; other compounds are not complex numbers. */
static void hdf5_has_complex_numbers(void)
{
    static const struct {
        const char *name;
        orr_dtype dtype;
    } read[] = { { "complex64", ORR_C64 }, { "complex128", ORR_C128 }, { "big", ORR_C128 }, { "packed", ORR_C64 } };
    char path[1024];
    const char *key = "deep/z", *mine = orr_test_tmp("complex.h5");
    if (!HDF5) {
        orr_test_skip("built without HDF5");
        return;
    }
    orr_scope *s = orr_scope_begin();
    snprintf(path, sizeof path, "%s", golden("io/complex.h5"));
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        for (int again = 0; again < 2; again++) {
            orr_tensor *z = orr_load_hdf5(again ? mine : path, again ? key : read[i].name);
            orr_shape shape = orr_tensor_shape(z), pairs = ORR_SHAPE(3, 5);
            ORR_CHECK_MSG(orr_tensor_dtype(z) == read[i].dtype && orr__shape_equal(&shape, &pairs), "%s: %s",
                          read[i].name, orr_error_message());
            orr_tensor *both = orr_stack(ORR_TENSORS(orr_real(z), orr_imag(z)), 2);
            check_values(orr_reshape(both, ORR_SHAPE(3, 10)), read[i].dtype == ORR_C64 ? ORR_F32 : ORR_F64,
                         ORR_SHAPE(3, 10), read[i].name);
            ORR_CHECK(again || orr_save_hdf5(mine, &key, 1, &z, 1) == ORR_OK);
        }
    double part = 0;
    orr_tensor *scalar = orr_load_hdf5(path, "scalar");
    ORR_CHECK(orr_item(orr_real(scalar), &part) == ORR_OK && part == -1.25);
    ORR_CHECK(orr_item(orr_imag(scalar), &part) == ORR_OK && part == 0.5);
    fails(orr_load_hdf5(path, "other"), ORR_EDTYPE, "does not exist here");
    fails(orr_load_hdf5(path, "mixed"), ORR_EDTYPE, "does not exist here");
    fails(orr_load_hdf5(path, "gap"), ORR_EDTYPE, "does not exist here");
    fails(orr_load_hdf5(path, "turned"), ORR_EDTYPE, "does not exist here");
    (void)orr_scope_end(s);
}

/* A copy of a file in which each pair of lengths 7 and `from` is replaced by 7 and `to`. */
static void stretch(const char *path, const unsigned char *file, size_t n, uint64_t from, uint64_t to)
{
    const uint64_t was[2] = { 7, from }, is[2] = { 7, to };
    unsigned char *copy = malloc(n);
    ORR_REQUIRE(copy != NULL);
    memcpy(copy, file, n);
    int found = 0;
    for (size_t i = 0; i + sizeof was <= n; i++)
        if (memcmp(copy + i, was, sizeof was) == 0 && ++found)
            memcpy(copy + i, is, sizeof is);
    ORR_CHECK(found > 0);
    write_file(path, (const char *)copy, n);
    free(copy);
}

/* Lengths beyond the stored elements are refused before libhdf5 reads; so are elements in other files, and filters that declare
 * their own memory need. */
static void hdf5_elements_are_those_that_are_stored(void)
{
    static const struct {
        const char *name;
        int columns;
    } read[] = { { "compact", 13 }, { "contiguous", 11 }, { "checked", 9 } };
    char path[1024];
    size_t n;
    snprintf(path, sizeof path, "%s", golden("io/layouts.h5"));
    if (!HDF5)
        ORR_SKIP("built without HDF5");
    orr_scope *s = orr_scope_begin();
    unsigned char *file = orr_test_slurp(path, &n);
    const char *changed = orr_test_tmp("stretched.h5");
    ORR_REQUIRE(file != NULL);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        orr_tensor *t = orr_load_hdf5(path, read[i].name);
        orr_tensor *want = orr_arange(ORR_I32, 0, 7 * read[i].columns, 1);
        double same = 0;
        want = orr_reshape(want, ORR_SHAPE(7, read[i].columns));
        ORR_CHECK(orr_item(orr_all(orr_equal(t, want), ORR_ALL_AXES, false), &same) == ORR_OK && same == 1);
        for (int k = 0; k < 3; k++) {
            const uint64_t lengths[] = { i == 2 ? (uint64_t)1 << 45 : 100000, /* chunks may be missing */
                                         (uint64_t)1 << 50, (uint64_t)1 << 61 };
            stretch(changed, file, n, (uint64_t)read[i].columns, lengths[k]);
            orr_status st = orr_tensor_status(orr_load_hdf5(changed, read[i].name));
            ORR_CHECK_MSG(st == ORR_EFORMAT || st == ORR_ESHAPE, "%s: %s", read[i].name, orr_error_message());
        }
    }
    int masks = 0; /* the entry of the chunk at (0, 4): its bytes, the mask of skipped filters, its place */
    for (size_t i = 0; i + 32 <= n; i++) {
        uint32_t head[2];
        uint64_t at[3];
        memcpy(head, file + i, sizeof head);
        memcpy(at, file + i + sizeof head, sizeof at);
        if (head[0] > 8 && head[0] < 64 && head[1] == 0 && at[0] == 0 && at[1] == 4 && at[2] == 0) {
            file[i + 4] = 2; /* deflate */
            masks++;
        }
    }
    write_file(changed, (const char *)file, n);
    ORR_CHECK(masks > 0);
    fails(orr_load_hdf5(changed, "checked"), ORR_EFORMAT, "more elements than");
    fails(orr_load_hdf5(path, "scaled"), ORR_EFORMAT, "filter");
    fails(orr_load_hdf5(path, "twice"), ORR_EFORMAT, "filter");
    fails(orr_load_hdf5(path, "outside"), ORR_EFORMAT, "other files");
    fails(orr_load_hdf5(path, "virtual"), ORR_EFORMAT, "other files");
    fails(orr_load_hdf5(path, "odd"), ORR_EDTYPE, "does not exist here");
    free(file);
    (void)orr_scope_end(s);
}

/* Elements that were never written have the fill value, as h5py reads them. */
static void hdf5_elements_that_were_not_written_have_the_fill_value(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", golden("io/unwritten.h5"));
    if (!HDF5)
        ORR_SKIP("built without HDF5");
    orr_scope *s = orr_scope_begin();
    int32_t partial[48];
    double grown[28], count;
    float never[4];
    uint8_t none[16];
    ORR_CHECK_MSG(orr_read(orr_load_hdf5(path, "partial"), partial, sizeof partial) == ORR_OK, "%s",
                  orr_error_message());
    for (int i = 0; i < 48; i++)
        ORR_CHECK(partial[i] == (i / 8 / 2 == 1 && i % 8 >= 4 ? (i / 8 - 2) * 4 + i % 8 - 4 : -1));
    ORR_CHECK_MSG(orr_read(orr_load_hdf5(path, "grown"), grown, sizeof grown) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 28; i++)
        ORR_CHECK(grown[i] == (i < 12 ? i : 0));
    ORR_CHECK(orr_read(orr_load_hdf5(path, "never"), never, sizeof never) == ORR_OK && never[0] == 2.5f &&
              never[3] == 2.5f);
    ORR_CHECK(orr_read(orr_load_hdf5(path, "none"), none, sizeof none) == ORR_OK && none[0] == 0 && none[15] == 0);
    orr_tensor *sparse = orr_load_hdf5(path, "inner/sparse");
    ORR_CHECK(orr_item(orr_sum(orr_cast(sparse, ORR_F64), ORR_ALL_AXES, false), &count) == ORR_OK &&
              count == 7. * 2000000 + 35);
    ORR_CHECK(orr_item(orr_select(orr_select(sparse, 0, 12345), 0, 67), &count) == ORR_OK && count == 42);
    fails(orr_load_hdf5(path, "endless"), ORR_EFORMAT, "more elements than");
    fails(orr_load_hdf5(path, "grwn"), ORR_EINVAL,
          "has no data set 'grwn'; it has: endless, grown, inner/sparse, never");
    (void)orr_scope_end(s);
}

/* -- DLPack ---------------------------------------------------------------------------------------------------------------- */

static int deleted;
static void delete_mine(orr_dlpack_versioned *self)
{
    (void)self;
    deleted++;
}

static void dlpack_has_the_layout_of_its_specification(void)
{
    ORR_CHECK(sizeof(orr_dlpack_array) == 48 && offsetof(orr_dlpack_array, shape) == 24);
    ORR_CHECK(sizeof(orr_dlpack_unversioned) == 64 && offsetof(orr_dlpack_unversioned, manager) == 48);
    ORR_CHECK(sizeof(orr_dlpack_versioned) == 80 && offsetof(orr_dlpack_versioned, array) == 32);
}

static void values_go_out_by_dlpack_without_a_copy(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *each[ORR_DTYPE_COUNT];
    const char *names[ORR_DTYPE_COUNT];
    orr_dlpack_versioned *v;
    for (int i = one_of_each(each, names, true); i-- > 0;) {
        ORR_REQUIRE(orr_to_dlpack(each[i], &v) == ORR_OK);
        ORR_CHECK(v->major == 1 && v->flags == ORR_DLPACK_READ_ONLY && v->array.device_type == ORR_DLPACK_CPU);
        ORR_CHECK(v->array.data == orr_data(each[i]) && v->array.bits == 8 * orr_dtype_size(dtype_of(names[i])));
        orr_tensor *again = orr_from_dlpack(v); /* its deleter is called when it is freed */
        check_values(again, dtype_of(names[i]), ORR_SHAPE(2, 3), names[i]);
        ORR_CHECK(dtype_of(names[i]) == ORR_BOOL || orr_data(again) == orr_data(each[i]));
    }
    orr_dlpack_unversioned *u;
    ORR_REQUIRE(orr_to_dlpack_unversioned(orr_mul(each[10], orr_scalar(1)), &u) == ORR_OK);
    ORR_CHECK(u->array.ndim == 2 && u->array.shape[1] == 3 && u->array.strides[0] == 3 && u->array.lanes == 1);
    (void)orr_scope_end(s); /* the value outlives its tensor */
    ORR_CHECK(((const float *)u->array.data)[1] == 0.5F);
    u->deleter(u);
    ORR_CHECK(orr_to_dlpack(NULL, &v) == ORR_EINVAL && !v);
    ORR_CHECK(orr_to_dlpack(NULL, NULL) == ORR_EINVAL);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

/* kDLComplex is 5 in dlpack.h; bits are those of both parts. */
static void complex_numbers_go_both_ways_by_dlpack(void)
{
    orr_scope *s = orr_scope_begin();
    double part[6] = { 1, -2, 3, 0.5, 0, 8 };
    for (int wide = 0; wide < 2; wide++) {
        orr_tensor *t = orr_cast(orr_from(ORR_C128, ORR_SHAPE(3), part), wide ? ORR_C128 : ORR_C64);
        orr_dlpack_versioned *v;
        ORR_REQUIRE(orr_to_dlpack(t, &v) == ORR_OK);
        ORR_CHECK(v->array.code == 5 && v->array.bits == (wide ? 128 : 64) && v->array.ndim == 1);
        orr_tensor *again = orr_from_dlpack(v);
        ORR_CHECK(orr_tensor_dtype(again) == (wide ? ORR_C128 : ORR_C64) && orr_data(again) == orr_data(t));
        double got[6];
        ORR_CHECK(orr_read(orr_cast(again, ORR_C128), got, sizeof got) == ORR_OK && !memcmp(got, part, sizeof got));
    }
    int64_t two = 2, back = -1;
    orr_dlpack_versioned a = { .major = 1, .deleter = delete_mine };
    a.array = (orr_dlpack_array){ .data = part,
                                  .device_type = 1,
                                  .ndim = 1,
                                  .code = 5,
                                  .bits = 128,
                                  .lanes = 1,
                                  .shape = &two,
                                  .strides = &back,
                                  .byte_offset = 16 };
    double got[4]; /* backwards: a copy */
    ORR_CHECK(orr_read(orr_from_dlpack(&a), got, sizeof got) == ORR_OK && got[0] == 3 && got[1] == 0.5 && got[2] == 1 &&
              got[3] == -2);
    (void)orr_scope_end(s);
}

static void arrays_come_in_by_dlpack(void)
{
    static double data[24];
    int64_t shape[] = { 2, 3 }, strides[] = { 1, 2 };
    orr_dlpack_versioned a = { .major = 1, .minor = 7, .deleter = delete_mine };
    for (int i = 0; i < 24; i++)
        data[i] = i;
    a.array = (orr_dlpack_array){
        .data = data, .device_type = 1, .ndim = 2, .code = 2, .bits = 64, .lanes = 1, .shape = shape
    };
    orr_scope *s = orr_scope_begin();
    deleted = 0;
    orr_tensor *t = orr_from_dlpack(&a);
    ORR_CHECK(orr_data(t) == data && deleted == 0);
    (void)orr_scope_end(s);
    ORR_CHECK(deleted == 1);
    s = orr_scope_begin();
    a.array.strides = strides; /* columns first, from element 2 on: copied, and the array is released at once */
    a.array.byte_offset = 16;
    double v[6];
    ORR_CHECK(orr_read(orr_from_dlpack(&a), v, sizeof v) == ORR_OK && deleted == 2);
    ORR_CHECK(v[0] == 2 && v[1] == 4 && v[2] == 6 && v[3] == 3 && v[5] == 7);
    strides[0] = -1; /* backwards */
    ORR_CHECK(orr_read(orr_from_dlpack(&a), v, sizeof v) == ORR_OK && v[0] == 2 && v[3] == 1 && v[5] == 5);
    a.array.strides = NULL;
    a.array.byte_offset = 4; /* misaligned */
    ORR_CHECK(orr_tensor_status(orr_from_dlpack(&a)) == ORR_OK && deleted == 4);
    a.array.device_type = ORR_DLPACK_CUDA;
    fails(orr_from_dlpack(&a), ORR_EDEVICE, "type 2, CUDA): copy it to host memory");
    a.array.device_type = 1;
    a.array.code = 5;
    a.array.bits = 32;
    fails(orr_from_dlpack(&a), ORR_EDTYPE, "type code 5 with 32 bits");
    a.array.code = 2;
    a.array.bits = 64;
    a.array.lanes = 4;
    fails(orr_from_dlpack(&a), ORR_EINVAL, "4 lanes");
    a.array.lanes = 1;
    a.array.ndim = 9;
    fails(orr_from_dlpack(&a), ORR_ESHAPE, "9 axes");
    a.array.ndim = 2;
    shape[0] = -2;
    fails(orr_from_dlpack(&a), ORR_ESHAPE, "length -2");
    shape[0] = INT64_MAX / 2;
    fails(orr_from_dlpack(&a), ORR_ESHAPE, "too many elements");
    shape[0] = 2;
    a.array.data = NULL;
    fails(orr_from_dlpack(&a), ORR_EINVAL, "data is NULL");
    a.major = 2;
    fails(orr_from_dlpack(&a), ORR_EINVAL, "DLPack 2.7, and 1.x is needed");
    fails(orr_from_dlpack(NULL), ORR_EINVAL, "NULL");
    fails(orr_from_dlpack_unversioned(NULL), ORR_EINVAL, "NULL");
    ORR_CHECK(deleted == 4);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(safetensors_of_its_library_are_read_and_mapped),
        ORR_TEST(every_dtype_comes_back_from_safetensors),
        ORR_TEST(a_file_that_is_cut_leaves_loaded_values_alone),
        ORR_TEST(headers_that_lie_are_refused),
        ORR_TEST(csv_is_read_and_written),
        ORR_TEST(a_mapped_safetensors_tensor_is_the_files_pages),
        ORR_TEST(a_mapped_file_that_was_truncated_is_an_error),
        ORR_TEST(hdf5_is_read_and_written),
        ORR_TEST(hdf5_has_complex_numbers),
        ORR_TEST(hdf5_elements_are_those_that_are_stored),
        ORR_TEST(hdf5_elements_that_were_not_written_have_the_fill_value),
        ORR_TEST(dlpack_has_the_layout_of_its_specification),
        ORR_TEST(values_go_out_by_dlpack_without_a_copy),
        ORR_TEST(arrays_come_in_by_dlpack),
        ORR_TEST(complex_numbers_go_both_ways_by_dlpack),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io_formats", tests);
    (void)orr_shutdown();
    return rc;
}
