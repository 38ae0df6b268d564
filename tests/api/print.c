/* orr_print against NumPy's own text, character by character.
 * Must not know: how numbers are formatted. */
#include "config.h"
#include <orrery.h>
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

static char *printed(orr_tensor *t)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    orr_status st = orr_print(f, t);
    fclose(f);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    return text;
}

static void print_equals_numpy(void)
{
#ifndef HAVE_ZLIB
    ORR_SKIP("built without zlib");
#else
    size_t n;
    int cases = 0;
    char *all = (char *)orr_test_slurp(orr_test_golden("io/print.txt"), &n);
    ORR_REQUIRE(all != NULL);
    for (char *p = all, *next; (next = strstr(p + 1, "\n==")); p = next + 1) {
        char name[4] = { p[3], p[4], p[5], 0 };
        const char *want = p + 7;
        size_t len = (size_t)(next + 1 - want);
        orr_tensor *t = orr_load_npz(orr_test_golden("io/print.npz"), name);
        char *got = printed(t);
        ORR_CHECK_MSG(got && strlen(got) == len && memcmp(got, want, len) == 0, "%s\n%s\nand not\n%.*s", name, got,
                      (int)len, want);
        free(got);
        orr_free(t);
        cases++;
    }
    ORR_CHECK(cases > 25);
    free(all);
#endif
}

static void check_text(orr_tensor *t, const char *want)
{
    char *got = printed(t);
    ORR_CHECK_MSG(got && strcmp(got, want) == 0, "%s and not %s", got, want);
    free(got);
    orr_free(t);
}

static void one_number_has_its_shortest_digits(void)
{
    check_text(orr_from(ORR_F32, ORR_SHAPE_0D, &(float){ 0.1f }), "float32 ()\n0.1\n");
    check_text(orr_from(ORR_F64, ORR_SHAPE_0D, &(double){ 1.0 / 3 }), "float64 ()\n0.3333333333333333\n");
    check_text(orr_from(ORR_F64, ORR_SHAPE_0D, &(double){ 3 }), "float64 ()\n3.0\n");
    check_text(orr_from(ORR_F64, ORR_SHAPE_0D, &(double){ -1e-7 }), "float64 ()\n-1e-07\n");
    check_text(orr_from(ORR_F64, ORR_SHAPE_0D, &(double){ 1e300 }), "float64 ()\n1e+300\n");
    check_text(orr_from(ORR_F64, ORR_SHAPE_0D, &(double){ 123456.5 }), "float64 ()\n123456.5\n");
    check_text(orr_from(ORR_BOOL, ORR_SHAPE_0D, &(char){ 1 }), "bool ()\nTrue\n");
    check_text(orr_from(ORR_I64, ORR_SHAPE_0D, &(int64_t){ INT64_MIN }), "int64 ()\n-9223372036854775808\n");
    check_text(orr_from(ORR_BF16, ORR_SHAPE_0D, &(uint16_t){ 0x4049 }), "bfloat16 ()\n3.14\n");
    check_text(orr_from(ORR_BF16, ORR_SHAPE(2), ((uint16_t[]){ 0x4049, 0x3f80 })), "bfloat16 (2,)\n[3.14 1.  ]\n");
}

static void invalid_call_gets_a_status(void)
{
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE_0D, &(float){ 1 });
    ORR_CHECK(orr_print(NULL, t) == ORR_EINVAL);
    ORR_CHECK(orr_print(stdout, NULL) != ORR_OK);
    orr_free(t);
    ORR_CHECK(orr_print(stdout, t) == ORR_EHANDLE);
}

/* A buffered file fails when it is closed: too late for a caller that got ORR_OK before. */
static void write_to_full_disk_is_reported(void)
{
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE_0D, &(float){ 1 }), *sum = orr_add(t, t);
    for (int i = 0; i < 7; i++) {
        FILE *full = fopen("/dev/full", "w");
        if (!full)
            ORR_SKIP("no /dev/full here");
        orr_status st = i == 0   ? orr_print(full, t)
                        : i == 1 ? orr_explain(full, sum)
                        : i == 2 ? orr_explain_dot(full, sum, false)
                        : i == 3 ? orr_explain_dot(full, sum, true)
                        : i == 4 ? orr_metrics_json(full)
                        : i == 5 ? orr_devices_json(full)
                                 : orr_env_print(full, true);
        ORR_CHECK_MSG(st == ORR_EIO && strstr(orr_error_message(), "cannot be written"), "writer %d: %s, \"%s\"", i,
                      orr_status_name(st), orr_error_message());
        (void)fclose(full);
    }
    orr_free(sum);
    orr_free(t);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(print_equals_numpy),
        ORR_TEST(one_number_has_its_shortest_digits),
        ORR_TEST(invalid_call_gets_a_status),
        ORR_TEST(write_to_full_disk_is_reported),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.print", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
