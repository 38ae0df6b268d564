/* The numerical X-ray: planted cancellations are named at their line, clean programs are not.
 * Must not know: how digits are counted. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "ops/reference_wide.h"
#include "tests/harness/harness.h"

enum { N = 4000 };
/* Differences of f64 may cancel altogether. */
#define WIDEST (ORR__WIDE_BITS > 100)

static char output[1 << 16];

/* The X-ray of t; returns the number of steps that lose digits. */
static int xray(orr_tensor *t)
{
    int found = -1;
    const char *path = orr_test_tmp("dump"), *text = orr_test_tmp("text");
    size_t size = 0;
    ORR_CHECK_MSG(orr_dump(path, &t, 1) == ORR_OK, "%s", orr_error_message());
    FILE *f = fopen(text, "w");
    ORR_CHECK_MSG(f && orr_xray(f, path, &found) == ORR_OK, "%s", orr_error_message());
    if (f)
        (void)fclose(f);
    char *all = (char *)orr_test_slurp(text, &size);
    (void)snprintf(output, sizeof output, "%s", all ? all : "");
    free(all);
    return found;
}

static bool names(int line, const char *what)
{
    char want[200];
    (void)snprintf(want, sizeof want, "xray.c:%d: ", line);
    const char *at = strstr(output, want);
    return at && strstr(at, what) && strstr(at, what) < strchr(at, '\n');
}

static void start(void)
{
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
}

/* Numbers of mean m and deviation 1. */
static orr_tensor *numbers(orr_dtype t, double m)
{
    return orr_add(orr_randn(t, ORR_SHAPE(N), 0, 1), orr_cast(orr_scalar(m), t));
}

/* var = E[x²] − E[x]² loses about log10(m²) digits. */
static void the_textbook_variance_cancels(void)
{
    static const struct {
        orr_dtype t;
        double m;
    } of[] = { { ORR_F32, 1e3 }, { ORR_F64, 1e6 }, { ORR_F64, WIDEST ? 3e9 : 1e7 } };
    start();
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = numbers(of[k].t, of[k].m), *m = orr_mean(x, ORR_ALL_AXES, false);
        orr_tensor *mean2 = orr_mean(orr_mul(x, x), ORR_ALL_AXES, false);
        orr_tensor *var = orr_sub(mean2, orr_mul(m, m));
        int line = __LINE__ - 1, found = xray(var);
        ORR_CHECK_MSG(found == 1 && names(line, "cancellation"), "%s: %d\n%s", orr_dtype_name(of[k].t), found, output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The small root of x² + b x + 1 by −b + √(b² − 4), for large b. */
static void the_quadratic_formula_cancels(void)
{
    start();
    for (int k = 0; k < 2 + WIDEST; k++) {
        orr_dtype t = k ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *b = orr_mul(orr_add(orr_arange(t, 0, N, 1), orr_scalar(N)), orr_scalar(k == 2 ? 1e8 : k ? 1e4 : 1));
        orr_tensor *root = orr_sqrt(orr_sub(orr_square(b), orr_scalar(4)));
        orr_tensor *small = orr_div(orr_sub(root, b), orr_scalar(2));
        int line = __LINE__ - 1, found = xray(small);
        ORR_CHECK_MSG(found == 1 && names(line, "cancellation"), "%d\n%s", found, output);
        orr_tensor *stable = orr_div(orr_scalar(-2), orr_add(b, root));
        found = xray(stable);
        ORR_CHECK_MSG(found == 0, "%d\n%s", found, output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Differences of neighbours of 1 lose about half of the digits or more; the functions made for them do not, nor does the difference of two
 * products that lie a multiple of their unit apart. */
static void other_cancellations_are_named_and_their_cures_are_silent(void)
{
    start();
    for (int k = 0; k < 2; k++) {
        orr_dtype t = k ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_rand(t, ORR_SHAPE(N), 0.5, 1.5), *one = orr_cast(orr_scalar(1), t);
        orr_tensor *e = orr_mul(x, orr_scalar(k ? 1e-10 : 1e-5)), *near = orr_add(one, e);
        int line = __LINE__ + 1;
        orr_tensor *bad[] = { orr_sub(orr_exp(e), one), orr_log(near), orr_sub(orr_sqrt(near), one) };
        for (int i = 0; i < 3; i++) {
            int found = xray(bad[i]);
            ORR_CHECK_MSG(found == 1 && names(line, "cancellation"), "%d: %d\n%s", i, found, output);
        }
        orr_tensor *a = orr_add(x, orr_scalar(k ? 1e7 : 3e3));
        orr_tensor *apart = orr_mul(orr_add(a, orr_scalar(1)), orr_sub(a, orr_scalar(1)));
        orr_tensor *good[] = { orr_expm1(e), orr_log1p(e), orr_sub(orr_mul(a, a), apart),
                               orr_log_softmax(orr_reshape(orr_mul(x, orr_scalar(20)), ORR_SHAPE(40, N / 40)), 1) };
        for (int i = 0; i < 4; i++)
            ORR_CHECK_MSG(xray(good[i]) == 0, "%d\n%s", i, output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* e⁻ˣ by its series loses a few digits in each of many terms; the same series for e⁺ˣ loses none. */
static void a_sum_of_many_terms_is_named_once(void)
{
    start();
    for (int k = 0; k < 4; k++) {
        orr_dtype t = k & 1 ? ORR_F64 : ORR_F32;
        double far = t == ORR_F64 ? 24 : 12;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_rand(t, ORR_SHAPE(N / 4), far - 1, far), *term = orr_ones(t, ORR_SHAPE(N / 4)), *y = term;
        int line = __LINE__ + 3;
        for (int i = 1; i < 4 * (int)far; i++) {
            term = orr_div(orr_mul(term, k & 2 ? x : orr_neg(x)), orr_scalar(i));
            y = orr_add(y, term);
        }
        int found = xray(y);
        ORR_CHECK_MSG(k & 2 ? found == 0 : found == 1 && names(line, "cancellation"), "%d: %d\n%s", k, found, output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A softmax that is not relative to the maximum; a root of squares. Large numbers that a result does not have are no fault, nor are those that
 * are infinite in any precision. */
static void steps_beyond_the_range_of_the_dtype_are_named(void)
{
    start();
    for (int k = 0; k < 2; k++) {
        orr_dtype t = k ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *z = orr_rand(t, ORR_SHAPE(N / 4, 4), k ? 720 : 95, k ? 800 : 120), *e = orr_exp(z);
        int line = __LINE__ - 1, found = xray(orr_div(e, orr_sum(e, ORR_AXES(1), true)));
        ORR_CHECK_MSG(found == 1 && names(line, "overflow: 1e+02 %"), "%d\n%s", found, output);
        ORR_CHECK_MSG(xray(orr_softmax(z, 1)) == 0, "%s", output);
        orr_tensor *large = orr_rand(t, ORR_SHAPE(N / 4, 4), k ? 1e160 : 1e25, k ? 1e170 : 1e30),
                   *square = orr_mul(large, large);
        line = __LINE__ - 1, found = xray(orr_sqrt(orr_add(square, square)));
        ORR_CHECK_MSG(found == 1 && names(line, "overflow"), "%d\n%s", found, output);
        orr_tensor *one = orr_add(orr_div(large, large), z);
        ORR_CHECK_MSG(xray(one) == 0, "%s", output);
        ORR_CHECK_MSG(xray(orr_where(orr_greater(z, orr_scalar(0)), z, square)) == 0, "%s", output);
        ORR_CHECK_MSG(xray(orr_log(orr_sub(z, z))) == 0, "%s", output);
        orr_tensor *near = orr_add(z, orr_mul(z, orr_scalar(k ? 1e-17 : 1e-8))), *gap = orr_sub(near, z);
        line = __LINE__ - 1, found = xray(orr_div(orr_scalar(1), gap)); /* 1/0 for the difference's sake */
        ORR_CHECK_MSG(found == 1 && names(line, "cancellation"), "%d\n%s", found, output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void clean_programs_are_silent(void)
{
    start();
    for (int k = 0; k < 2; k++) {
        orr_dtype t = k ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = numbers(t, 1e3), *d = orr_sub(x, orr_mean(x, ORR_ALL_AXES, false));
        orr_tensor *var = orr_mean(orr_square(d), ORR_ALL_AXES, false);
        ORR_CHECK_MSG(xray(var) == 0, "%s", output);
        orr_tensor *a = orr_randn(t, ORR_SHAPE(30, 40), 0, 1), *b = orr_randn(t, ORR_SHAPE(40, 20), 0, 1);
        orr_tensor *p = orr_softmax(orr_matmul(a, b), -1),
                   *w = orr_where(orr_greater(p, orr_scalar(0.1)), p, orr_exp(p));
        orr_tensor *y =
            orr_sum(orr_sqrt(orr_slice(w, ORR_INDEX(1, 0), ORR_INDEX(30, 20), ORR_INDEX(1, 1))), ORR_AXES(1), false);
        ORR_CHECK_MSG(xray(y) == 0 && strstr(output, "digits of the median"), "%s", output);
        ORR_CHECK_MSG(strstr(output, k ? "cast: all steps in float32" : "cast: all steps in bfloat16"), "%s", output);
        /* log(1 + e⁻³⁰) has lost its digits; its sum with 100 has all. */
        const double far[] = { 100, 70 };
        orr_tensor *u = orr_cast(orr_from(ORR_F64, ORR_SHAPE(2), far), t);
        ORR_CHECK_MSG(xray(orr_logsumexp(u, ORR_ALL_AXES, false)) == 0, "%s", output);
        ORR_CHECK_MSG(xray(orr_log(orr_sum(orr_exp(orr_sub(u, orr_scalar(100))), ORR_ALL_AXES, false))) == 1, "%s",
                      output);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_xray(stdout, "/nowhere", NULL) == ORR_EIO && orr_xray(NULL, "/nowhere", NULL) == ORR_EINVAL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int tool(const char *arguments)
{
    char line[3000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%.1000s' && tools/orrery-xray %.1500s 2>&1", build ? build : ".", arguments);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_tool_looks_at_a_program(void)
{
    int rc = tool("--brief examples/ten_lines");
    ORR_CHECK_MSG(rc == 0 && strstr(output, "(4, 10)"), "%d\n%s", rc, output);
    ORR_CHECK(tool("") == 2 && strstr(output, "SYNOPSIS"));
    ORR_CHECK(tool("/nowhere/program") == 1 && strstr(output, "cannot run"));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(the_textbook_variance_cancels),
        ORR_TEST(the_quadratic_formula_cancels),
        ORR_TEST(other_cancellations_are_named_and_their_cures_are_silent),
        ORR_TEST(a_sum_of_many_terms_is_named_once),
        ORR_TEST(steps_beyond_the_range_of_the_dtype_are_named),
        ORR_TEST(clean_programs_are_silent),
        ORR_TEST(the_tool_looks_at_a_program),
        { 0 },
    };
    return orr_test_main(argc, argv, "xray", tests);
}
