/* The kernels of fields on OpenCL, or on CUDA (ORRERY_BACKEND=cuda), beside those of processors: sums, products, matrices, integers,
 * powers, transforms, points, sums of multiples.
 * Must not know: how an engine computes. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

#ifndef HAVE_STARPU
static void devices(void)
{
    ORR_SKIP("built without StarPU");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(devices), { 0 } };
    return orr_test_main(argc, argv, "field.devices", tests);
}
#else

static orr_tensor *elements(orr_dtype f, orr_shape s, unsigned long long seed)
{
    int64_t n = 1;
    for (int d = 0; d < s.rank; d++)
        n *= s.dim[d];
    unsigned char *v = calloc((size_t)n + 1, 32);
    if (!v)
        exit(99);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 32 && orr_test_rand(&seed) % 50; k++) /* some are short */
            v[32 * i + k] = (unsigned char)(k == 31 ? orr_test_rand(&seed) % 0x30 : orr_test_rand(&seed));
    orr_tensor *t = orr_from(f, s, v);
    free(v);
    return t;
}

static orr_tensor *shift(void)
{
    return orr_reshape(orr_field_parse(ORR_FR254, (const char *[]){ "7777777777777777777777777" }, 1), ORR_SHAPE_0D);
}

/* Points of G1, most of them sums of others, which need no kernel for multiples; infinity, equal and opposite points are among them. */
static orr_tensor *points(int64_t n)
{
    orr_tensor *p = orr_reshape(orr_curve_generator(ORR_G1), ORR_SHAPE(1, 2));
    p = orr_concat(ORR_TENSORS(p, orr_curve_double(ORR_G1, p), orr_zeros(ORR_FQ254, ORR_SHAPE(1, 2))), 0);
    for (int64_t have = 3; have < n; have = have * 2 + 1) {
        orr_tensor *twice = orr_curve_double(ORR_G1, p), *first = orr_slice_axis(p, 0, 0, 1, 1);
        orr_tensor *more = orr_curve_add(ORR_G1, have % 4 == 1 ? twice : orr_curve_neg(ORR_G1, twice), first);
        p = orr_concat(ORR_TENSORS(p, more, first), 0);
    }
    return orr_slice_axis(p, 0, 0, n, 1);
}

enum { FOLDS = 12, MATRICES = 4, ODDS = 21, TRANSFORMS = 4 * 7, SUMS = 4 };
enum { TRACE = 1 << 22 };
enum { CASES = FOLDS + MATRICES + ODDS + TRANSFORMS + SUMS };

static orr_tensor *fold(int i)
{
    static const orr_shape shape[] = { { 2, { 3, 4 } }, { 2, { 1, 20000 } }, { 3, { 20, 70, 3 } } };
    orr_tensor *x = elements(i % 2 ? ORR_FQ254 : ORR_FR254, shape[i / 4], 11 + (unsigned)i);
    return i % 4 < 2 ? orr_sum(x, ORR_AXES(1), false) : orr_prod(x, ORR_AXES(1), true);
}

static orr_tensor *matrix(int i)
{
    static const int64_t size[][4] = { { 1, 5, 7, 3 }, { 3, 8, 40, 9 }, { 1, 1, 9000, 1 }, { 2, 30, 20, 30 } };
    const int64_t *s = size[i];
    orr_dtype f = i % 2 ? ORR_FQ254 : ORR_FR254;
    return orr_matmul(elements(f, ORR_SHAPE(s[0], s[1], s[2]), 5), elements(f, ORR_SHAPE(s[0], s[2], s[3]), 6));
}

static orr_tensor *ones_for_zeros(orr_tensor *x)
{
    return orr_where(orr_equal(x, orr_scalar(0)), orr_scalar(1), x);
}

static orr_tensor *odd(int i)
{
    static const int8_t tiny[] = { -128, 127, 0, -1 };
    static const int32_t small[] = { 0, 1, -1, 77, -2147483647 - 1, 2147483647 };
    static const uint64_t large[] = { 0, 1, UINT64_MAX, 1ull << 63, 12345, 99 };
    orr_tensor *x = elements(ORR_FR254, ORR_SHAPE(300), 8), *y = elements(ORR_FQ254, ORR_SHAPE(20, 30), 9);
    switch (i) {
    case 0: return orr_field_limbs(y);
    case 1: return orr_field_pow(x, (uint64_t[4]){ 5 });
    case 2: return orr_field_pow(y, (uint64_t[4]){ 0, 1, UINT64_MAX, 3 });
    case 3: return orr_cast(orr_from(ORR_I32, ORR_SHAPE(6), small), ORR_FR254);
    case 4: return orr_cast(orr_from(ORR_U64, ORR_SHAPE(6), large), ORR_FQ254);
    case 5: return orr_cast(orr_equal(x, orr_scalar(0)), ORR_FR254);
    case 6:
        return orr_curve_contains(ORR_G1, orr_concat(ORR_TENSORS(points(40), orr_reshape(y, ORR_SHAPE(300, 2))), 0));
    case 7: return orr_curve_neg(ORR_G1, points(60));
    case 8: return orr_poseidon(orr_reshape(x, ORR_SHAPE(150, 2)));
    case 9: return orr_poseidon(orr_reshape(x, ORR_SHAPE(5, 10, 6)));
    case 10: return orr_field_inverse(orr_slice_axis(ones_for_zeros(x), 0, 0, 1, 1));
    case 11: return orr_field_inverse(ones_for_zeros(y));
    case 12: /* an item has several elements, the last one fewer */
        return orr_field_inverse(ones_for_zeros(elements(ORR_FR254, ORR_SHAPE(3, 5003), 10)));
    case 13: return orr_field_from_limbs(ORR_FQ254, orr_field_limbs(y));
    case 14: return orr_cast(orr_cast(orr_from(ORR_I32, ORR_SHAPE(6), small), ORR_FQ254), ORR_I32);
    case 15: return orr_cast(orr_cast(orr_from(ORR_U64, ORR_SHAPE(6), large), ORR_FR254), ORR_U64);
    case 16: return orr_cast(orr_cast(orr_from(ORR_I8, ORR_SHAPE(4), tiny), ORR_FR254), ORR_I8);
    case 17: return orr_field_poly_eval(x, elements(ORR_FR254, ORR_SHAPE(7, 11), 12));
    case 18: return orr_field_poly_eval(elements(ORR_FQ254, ORR_SHAPE(1), 13), orr_reshape(y, ORR_SHAPE(600)));
    case 19: return orr_field_poly_eval(elements(ORR_FR254, ORR_SHAPE(20000), 14), shift());
    default: return orr_merkle_tree(orr_slice_axis(x, 0, 0, 256, 1), 4);
    }
}

/* Lengths with one stage, several, and two halves; batches; cosets. */
static orr_tensor *transform(int i)
{
    static const int length[] = { 0, 1, 4, 5, 9, 13, 15 };
    const int log = length[i / 4];
    const int64_t n = (int64_t)1 << log;
    orr_shape s = log % 3 ? ORR_SHAPE(n) : ORR_SHAPE(2, n);
    orr_tensor *x = elements(ORR_FR254, s, (unsigned)i), *by = i % 4 / 2 ? shift() : NULL;
    return i % 2 ? orr_field_ntt_inverse(x, by) : orr_field_ntt(x, by);
}

static orr_tensor *multiples(int i)
{
    static const int64_t size[SUMS] = { 1, 3, 40, 2000 };
    const int64_t n = i == SUMS - 1 && getenv("ORR_TEST_FULL") ? 70000 : size[i];
    return orr_curve_msm(ORR_G1, points(n), elements(ORR_FR254, ORR_SHAPE(n), (unsigned)i));
}

static orr_tensor *result(int i, const char **what)
{
    static const struct {
        const char *name;
        int n;
        orr_tensor *(*make)(int);
    } group[] = { { "fold", FOLDS, fold },
                  { "matrix product", MATRICES, matrix },
                  { "function", ODDS, odd },
                  { "transform", TRANSFORMS, transform },
                  { "sum of multiples", SUMS, multiples } };
    for (int g = 0; g < 5; i -= group[g++].n)
        if (i < group[g].n) {
            *what = group[g].name;
            return group[g].make(i);
        }
    return NULL;
}

static unsigned char *kept[CASES];
static size_t size[CASES];

static void set(const char *const settings[][2], bool on)
{
    for (int i = 0; settings[i][0]; i++)
        if (on)
            (void)setenv(settings[i][0], settings[i][1], 1);
        else
            (void)unsetenv(settings[i][0]);
}

/* Values outside of a function's domain are reported by the number of the first one, on a device as on a processor. */
static void wrong_elements_are_named(void)
{
    static const uint64_t large[3][4] = { { 5, 0, 0, 0 }, { 0, 0, 0, UINT64_MAX }, { 0, 0, 0, 1ull << 63 } };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_add(orr_zeros(ORR_FR254, ORR_SHAPE(9000)), orr_scalar(3));
    orr_tensor *at = orr_arange(ORR_I64, 0, 9000, 1);
    x = orr_where(orr_logical_or(orr_equal(at, orr_scalar(8999)), orr_equal(at, orr_scalar(4321))), orr_scalar(0), x);
    orr_tensor *big = orr_cast(orr_from(ORR_I32, ORR_SHAPE(3), (const int32_t[]){ 5, 300, -200 }), ORR_FQ254);
    orr_tensor *bad[] = { orr_field_inverse(x),
                          orr_field_from_limbs(ORR_FR254, orr_from(ORR_U64, ORR_SHAPE(3, 4), large)),
                          orr_cast(big, ORR_U8), orr_cast(big, ORR_I8),
                          orr_field_ntt(elements(ORR_FR254, ORR_SHAPE(4), 3), orr_zeros(ORR_FR254, ORR_SHAPE_0D)) };
    static const char *const says[] = { "field_inverse: element 4321 is 0 and has no inverse",
                                        "element 1 is not below the modulus of fr254", "element 1 is no value of uint8",
                                        "element 1 is no value of int8", "the shift of a coset is 0" };
    for (int i = 0; i < 5; i++) {
        ORR_CHECK(orr_eval(bad[i]) != ORR_OK);
        ORR_CHECK_MSG(strstr(orr_error_message(), says[i]), "%s", orr_error_message());
    }
    (void)orr_scope_end(s);
}

/* Keeps the results, or compares them. */
static void each_case(bool keep)
{
    for (int i = 0; i < CASES; i++) {
        if (!orr_test_due((unsigned)i, 2))
            continue;
        const char *what = "";
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = result(i, &what);
        orr_shape shape = orr_tensor_shape(t);
        size_t bytes = orr_dtype_size(orr_tensor_dtype(t));
        for (int d = 0; d < shape.rank; d++)
            bytes *= (size_t)shape.dim[d];
        unsigned char *v = malloc(bytes + 1);
        ORR_REQUIRE(v);
        orr_status st = orr_read(t, v, bytes);
        ORR_CHECK_MSG(st == ORR_OK, "%s, case %d: %s", what, i, orr_error_message());
        if (keep && st == ORR_OK) {
            kept[i] = v;
            size[i] = bytes;
        } else {
            ORR_CHECK_MSG(st != ORR_OK || (kept[i] && size[i] == bytes && memcmp(v, kept[i], bytes) == 0),
                          "%s, case %d differs", what, i);
            free(v);
            free(kept[i]);
        }
        (void)orr_scope_end(s);
    }
}

/* Checks by the log that the device did all work itself. */
static void none_was_done_again(const char *log)
{
    char line[1024];
    FILE *f = fopen(log, "re");
    ORR_REQUIRE(f);
    while (fgets(line, sizeof line, f))
        ORR_CHECK_MSG(!strstr(line, "done again on the host"), "%s", line);
    (void)fclose(f);
    (void)remove(log);
}

static bool cuda; /* the device's backend */

/* The numbers of tasks of operation `name` on the device and on processors, by the trace: an event a line, its name before its device. */
static void tasks_of(const char *trace, const char *name, int *device, int *processor)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\"", name);
    *device = *processor = 0;
    for (const char *at = strstr(trace, key); at; at = strstr(at + 1, key)) {
        const char *where = strstr(at, "\"device\""), *end = strchr(at, '\n');
        where = where && (!end || where < end) ? where : NULL;
        *device += where && !strncmp(where + 9, cuda ? "\"CUDA" : "\"OpenCL", cuda ? 5 : 7);
        *processor += where && !strncmp(where + 9, "\"CPU", 4);
    }
}

static void devices_took_part(const char *path)
{
    static const char *const name[] = { "field_elements", "field_values", "field_transform", "field_points",
                                        "field_hash" };
    size_t n = 0;
    char *text = malloc(TRACE);
    FILE *f = fopen(path, "re");
    ORR_REQUIRE(f && text);
    n = fread(text, 1, TRACE - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    for (int i = 0; i < 5; i++) {
        int device, processor;
        tasks_of(text, name[i], &device, &processor);
        (void)printf("  %s: %d tasks on the device, %d on processors\n", name[i], device, processor);
        ORR_CHECK_MSG(device > 0, "no %s of %d on the device", name[i], processor);
    }
    free(text);
}

/* Operations without a kernel for devices run on the processor; none of the tested operations is one of them. */
static void results_are_those_of_processors(void)
{
    const char *const device[][2] = { { "ORRERY_BACKEND", cuda ? "cuda" : "opencl" },
                                      { "ORRERY_INLINE_US", "0" },
                                      { "STARPU_NCPU", "0" },
                                      { "STARPU_NCUDA", cuda ? "1" : "0" },
                                      { "STARPU_OPENCL_ON_CPUS", "1" },
                                      { "STARPU_OPENCL_ONLY_ON_CPUS", "1" },
                                      { "ORRERY_MACHINE", "fixed" },
                                      { "ORRERY_LOG", "debug" },
                                      { NULL, NULL } };
#ifndef HAVE_OPENCL
    if (!cuda)
        ORR_SKIP("built without OpenCL");
#endif
    static const char *const serial[][2] = { { "ORRERY_ENGINE", "serial" }, { NULL, NULL } };
    char log[2048], trace[2048];
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("log"));
    (void)snprintf(trace, sizeof trace, "%s", orr_test_tmp("trace.json"));
    set(device, true);
    (void)setenv("ORRERY_TRACE", trace, 1);
    ORR_REQUIRE(freopen(log, "we", stderr));
    orr_status st = orr_init(NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st == ORR_OK) {
        each_case(true);
        wrong_elements_are_named();
        (void)orr_shutdown();
    }
    set(device, false);
    (void)unsetenv("ORRERY_TRACE");
    (void)fflush(stderr);
    none_was_done_again(log);
    devices_took_part(trace);
    set(serial, true);
    st = orr_init(NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st == ORR_OK) {
        each_case(false);
        wrong_elements_are_named();
        (void)orr_shutdown();
    }
    set(serial, false);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(results_are_those_of_processors), { 0 } };
    const char *backend = getenv("ORRERY_BACKEND");
    cuda = backend && strcmp(backend, "cuda") == 0;
    return orr_test_main(argc, argv, "field.devices", tests);
}
#endif
