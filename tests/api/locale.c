/* Numbers in files and texts have a decimal point in every locale of the program, which remains in force.
 * Must not know: how a number is read or written. */
#include "config.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { TEXTS = 8 };
static char *text[2][TEXTS]; /* in the locale "C", in one with a comma */
static size_t size[2][TEXTS];

static FILE *stream(int of, int k)
{
    FILE *f = open_memstream(&text[of][k], &size[of][k]);
    if (!f)
        abort();
    return f;
}

/* The content of a file that was just written. */
static void keep(int of, int k, const char *path)
{
    text[of][k] = (char *)orr_test_slurp(path, &size[of][k]);
    ORR_CHECK_MSG(text[of][k] != NULL, "%s", path);
}

static void texts(int of)
{
    orr_scope *s = orr_scope_begin();
    static const double v[6] = { 0.5, -1.25, 3e-200, 1e17, INFINITY, 2.0 / 3 };
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2, 3), v), *y = orr_cast(x, ORR_F32);
    const char *path = orr_test_tmp("x.csv");
    ORR_CHECK_MSG(orr_save_csv(path, x, ',') == ORR_OK, "%s", orr_error_message());
    keep(of, 0, path);
    double back[6];
    ORR_CHECK(orr_read(orr_load_csv(path, ORR_F64, ',', 0), back, sizeof back) == ORR_OK &&
              memcmp(back, v, sizeof v) == 0);
    path = orr_test_tmp("x.safetensors");
    const char *names[2] = { "wide", "narrow" };
    orr_tensor *both[2] = { x, y };
    ORR_CHECK_MSG(orr_save_safetensors(path, names, 2, both, 2) == ORR_OK, "%s", orr_error_message());
    keep(of, 1, path);
    memset(back, 0, sizeof back);
    ORR_CHECK_MSG(orr_read(orr_load_safetensors(path, "wide"), back, sizeof back) == ORR_OK &&
                      memcmp(back, v, sizeof v) == 0,
                  "%s", orr_error_message());
    FILE *f = stream(of, 2);
    ORR_CHECK(orr_print(f, x) == ORR_OK && orr_print(f, y) == ORR_OK &&
              orr_print(f, orr_full(ORR_F32, ORR_SHAPE_0D, 0.1)) == ORR_OK);
    (void)fclose(f);
    f = stream(of, 3);
    (void)fputs(orr_tensor_status(orr_full(ORR_I32, ORR_SHAPE(1), 0.5)) != ORR_OK ? orr_error_message() : "none", f);
    (void)fclose(f);
    f = stream(of, 4);
    ORR_CHECK(orr_explain(f, orr_mul(x, orr_scalar(0.125))) == ORR_OK);
    (void)fclose(f);
    f = stream(of, 5);
    orr_op *op = orr_define_elementwise(of ? "with_comma" : "with_point", 1, "x*0.5 + 1.25e-1");
    double d = 0;
    ORR_CHECK(orr_item(orr_apply(op, ORR_TENSORS(orr_ones(ORR_F64, ORR_SHAPE(1)))), &d) == ORR_OK);
    (void)fputs(d == 0.625 ? "right" : "wrong", f);
    (void)fclose(f);
    (void)orr_scope_end(s);
}

static void everything_has_a_point(void)
{
    setenv("ORRERY_CACHE_DIR", orr_test_tmp("cache"), 1);
    for (int of = 0; of < 2; of++) {
        if (of && !orr_test_comma())
            ORR_SKIP("localedef is missing");
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        texts(of);
        ORR_CHECK(orr_shutdown() == ORR_OK);
        ORR_CHECK(localeconv()->decimal_point[0] == (of ? ',' : '.'));
    }
    (void)setlocale(LC_ALL, "C");
    for (int k = 0; k < 6; k++) {
        bool same = size[0][k] == size[1][k] && memcmp(text[0][k], text[1][k], size[0][k]) == 0;
        ORR_CHECK_MSG(k == 4 ? strstr(text[1][k], "flop") && !strstr(text[1][k], "0,1") : same, "text %d: %s\n%s", k,
                      k == 1 ? "" : text[0][k], k == 1 ? "" : text[1][k]);
    }
    for (int k = 0; k < 6; k++)
        for (int of = 0; of < 2; of++)
            free(text[of][k]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(everything_has_a_point), { 0 } };
    return orr_test_main(argc, argv, "api.locale", tests);
}
