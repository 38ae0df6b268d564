/* Kernel sources: all rows in all dialects; C99 sources compiled by cc and run.
 * Must not know: OpenCL, StarPU. */
#include "config.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include "codelets/emit/emit.h"
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_rows.h"
#include "tests/harness/region_tests.h"

/* glibc's functions are off by one or two units in the last place; f32 rows are compared with f64 values, f64 with
 * themselves. */
double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    if (t == ORR_F16 || t == ORR_BF16)
        return row->ulp > 0 ? 1 : 0;
    return row->ulp;
}

/* -- C99: a stand-in for the compiled CPU tier ------------------------------------------------------------------ */

typedef void c_kernel(void *const *in, void *const *out, const int64_t *word);
typedef void c_kernel_most(void *const *in, void *const *out, void *flag, void *scratch, const int64_t *word);
typedef void c_kernel_more(void *const *in, void *const *out, void *more, const int64_t *word);

static bool cc_works(void)
{
    return system("cc --version >/dev/null 2>&1") == 0;
}

/* Compiles the kernel to a shared object of its own; the caller closes *lib. */
static c_kernel *c_compile(const char *text, bool wide, void **lib)
{
    static int number;
    char source[600], object[600], command[1500], name[32];
    (void)snprintf(name, sizeof name, "k%d.c", ++number);
    (void)snprintf(source, sizeof source, "%s", orr_test_tmp(name));
    (void)snprintf(name, sizeof name, "k%d.so", number);
    (void)snprintf(object, sizeof object, "%s", orr_test_tmp(name));
    FILE *f = fopen(source, "w");
    if (!f)
        return NULL;
    bool written = fputs(text, f) >= 0;
    if (fclose(f) != 0 || !written)
        return NULL;
    (void)snprintf(command, sizeof command,
                   "cc -std=c99 -O1 -ffp-contract=off -fwrapv -Werror=implicit -fPIC -shared %s -o '%s' '%s' -lm",
                   wide ? "-DORR_WIDE" : "", object, source);
    if (system(command) != 0 || !(*lib = dlopen(object, RTLD_NOW | RTLD_LOCAL)))
        return NULL;
    c_kernel *k;
    void *p = dlsym(*lib, "orr_kernel");
    memcpy(&k, &p, sizeof k); /* ISO C has no cast from void * to a function */
    return k;
}

/* The first macro of a text that lasts beyond it, and may meet another kernel's; empty: there is none. Helpers have prefixes. */
static void lasting_macro(const char *text, char *name, size_t size)
{
    static const char *const kept[] = { "ORR_", "orr_", "EW_", "RAND_", "W(" }, define[] = "#define ";
    for (const char *p = text; (p = strstr(p, define)) != NULL;) {
        p += sizeof define - 1;
        bool prefixed = false;
        char undo[96];
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            prefixed = prefixed || strncmp(p, kept[i], strlen(kept[i])) == 0;
        (void)snprintf(name, size, "%.*s", (int)strcspn(p, "( \n"), p);
        (void)snprintf(undo, sizeof undo, "#undef %s\n", name);
        if (!prefixed && !strstr(p, undo))
            return;
    }
    name[0] = '\0';
}

bool rc_launch(const rc_run *run)
{
    const orr__region *r = &run->b->r;
    orr__layout lay;
    int64_t word[512];
    void *lib = NULL;
    if (!orr__emit_can(r, true) || orr__layout_make(r, &orr__dialect_c, &lay) != ORR_OK || lay.nword > 512) {
        ORR_CHECK_MSG(false, "a region that cannot be emitted");
        return false;
    }
    orr__launch l = { .region = r,
                      .lo = run->lo,
                      .hi = run->hi,
                      .in_off = run->in_off,
                      .out_off = run->out_off,
                      .scalar = run->b->scalar };
    bool wide = !orr__emit_words(&l, &lay, true, word);
    char *text = orr__emit(r, &orr__dialect_c, &lay, true);
    c_kernel *k = text ? c_compile(text, wide, &lib) : NULL;
    ORR_CHECK_MSG(k != NULL, "of %s", text ? text : orr_error_message());
    char macro[64] = "";
    if (text && (r->call.op || r->loops == ORR__LOOPS_PRODUCT))
        lasting_macro(text, macro, sizeof macro);
    ORR_CHECK_MSG(!macro[0], "%s is still defined behind the text of %s", macro, r->label);
    int32_t bad[8 * ORR__FLAG_INTS];
    for (int i = 0; i < 8 * ORR__FLAG_INTS; i++)
        bad[i] = i % ORR__FLAG_INTS == ORR__FLAG_LEAST ? INT32_MAX : -1;
    c_kernel_more *more;
    memcpy(&more, &k, sizeof more);
    if (k && lay.flag && lay.scratch && word[0] > 0) {
        c_kernel_most *most;
        char scratch[4096];
        memcpy(&most, &k, sizeof most);
        ORR_CHECK(orr__emit_scratch(&l, &lay, word) == 0);
        most(run->in, run->out, bad, scratch, word);
    } else if (k && lay.flag && word[0] > 0) {
        more(run->in, run->out, bad, word);
    } else if (k && lay.scratch && word[0] > 0) {
        size_t bytes = orr__emit_scratch(&l, &lay, word);
        void *scratch = malloc(bytes + 1);
        more(run->in, run->out, scratch, word);
        while (orr__emit_next(&l, &lay, word))
            more(run->in, run->out, scratch, word);
        free(scratch);
    } else if (k && word[0] > 0)
        k(run->in, run->out, word);
    rc_bad_index = bad[ORR__FLAG_LEAST] == INT32_MAX ? -1 : bad[ORR__FLAG_LEAST];
    if (lib)
        (void)dlclose(lib);
    free(text);
    orr__layout_free(&lay);
    return k != NULL;
}

/* Two elements at a distance beyond 32-bit indices. */
static void far_elements_take_64_bit_indices(void)
{
    static rb b;
    const int64_t far = (int64_t)3 << 30, dim[2] = { 2, 3 };
    uint8_t *x =
        mmap(NULL, (size_t)far + 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED)
        ORR_SKIP("no address space for 3 GB");
    for (int i = 0; i < 3; i++) {
        x[i] = (uint8_t)(i + 1);
        x[far + i] = (uint8_t)(i + 11);
    }
    rb_begin(&b, RB_MAP, 2, dim);
    rb_out(&b, ORR_U8, rb_load(&b, rb_access(&b, rb_input(&b, ORR_U8, far + 8), 0, (int64_t[]){ far, 1 })));
    uint8_t got[6] = { 0 };
    static const uint8_t want[6] = { 1, 2, 3, 11, 12, 13 };
    rc_run run = { .b = &b, .lo = 0, .hi = 2, .in = { x }, .out = { got }, .out_n = { 6 } };
    if (rc_launch(&run))
        (void)rc_same("far", ORR_U8, got, want, 6, 0);
    (void)munmap(x, (size_t)far + 8);
}

/* -- text ----------------------------------------------------------------------------------------------------- */

static char *text_of(const orr__region *r, const orr__dialect *d, bool fp64)
{
    orr__layout lay;
    if (orr__layout_make(r, d, &lay) != ORR_OK)
        return NULL;
    char *s = orr__emit(r, d, &lay, fp64);
    orr__layout_free(&lay);
    return s;
}

static void every_row_has_text_in_every_dialect(void)
{
    static const orr__dialect *const dialect[] = { &orr__dialect_opencl, &orr__dialect_cuda, &orr__dialect_c };
    static rb b;
    int n = 0;
    for (int i = 0; i < orr__ew_count(); i++)
        for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
            const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
            if (!orr__ew_takes_scalars(row, (orr_dtype)t))
                continue;
            rt_group(&b, (orr_dtype)t, &row, 1);
            for (int d = 0; d < 3; d++) {
                char call[64], *s = text_of(&b.r, dialect[d], true);
                (void)snprintf(call, sizeof call, "orr_%s_%s(", row->op.name,
                               orr__emit_suffix(orr__compute_dtype((orr_dtype)t)));
                ORR_CHECK_MSG(s && strstr(s, call) && strstr(s, "orr_kernel(") && !strstr(s, "(null)"), "%s %s %s",
                              dialect[d]->name, row->op.name, orr_dtype_name((orr_dtype)t));
                n += s != NULL;
                free(s);
            }
        }
    ORR_CHECK_MSG(n > 1000, "%d texts", n);
}

/* A kernel's key must not contain values that change from step to step. */
static void sizes_and_scalars_are_not_in_the_text(void)
{
    static rb b;
    char *text[2];
    for (int k = 0; k < 2; k++) {
        const int64_t dim[2] = { k ? 77 : 12, k ? 1234567 : 40 };
        rb_begin(&b, RB_MAP, 2, dim);
        int in = rb_input(&b, ORR_F32, dim[0] * dim[1] * 3);
        int x = rb_load(&b, rb_access(&b, in, k ? 99 : 1, (int64_t[]){ dim[1] * 3, 3 }));
        int s = rb_scalar(&b, ORR_F32, (orr__scalar){ .f = k ? 0.987 : -1 });
        rb_out(&b, ORR_F32, rb_ew(&b, "mul", x, s, -1));
        text[k] = text_of(&b.r, &orr__dialect_opencl, true);
    }
    ORR_CHECK(text[0] && text[1] && strcmp(text[0], text[1]) == 0);
    free(text[0]);
    free(text[1]);
}

static void regions_of_f64_need_double(void)
{
    static rb b;
    const int64_t n = 10;
    rb_begin(&b, RB_MAP, 1, &n);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F16, n)));
    rb_out(&b, ORR_BF16, rb_cast(&b, ORR_BF16, rb_ew(&b, "gelu", x, -1, -1)));
    ORR_CHECK(orr__emit_can(&b.r, false));
    char *s = text_of(&b.r, &orr__dialect_opencl, false);
    ORR_REQUIRE(s != NULL);
    const char *after = strstr(s, "#endif\ntypedef char"); /* after the lines that enable double */
    ORR_CHECK(after && !strstr(after, "orr_f64 ") && !strstr(after, "double"));
    free(s);
    int y = rb_iota(&b, ORR_F32, rb_linear(&b, -1), (orr__scalar){ .f = 0 }, (orr__scalar){ .f = 1 });
    rb_out(&b, ORR_F32, y);
    ORR_CHECK(!orr__emit_can(&b.r, false)); /* a float range is computed in f64 */
    ORR_CHECK(orr__emit_can(&b.r, true));
}

/* The text of each language has a bound on its steps. It is no error: the kernel is computed elsewhere. */
static void texts_take_a_bounded_number_of_steps(void)
{
    static const orr__dialect *const language[] = { &orr__dialect_c, &orr__dialect_opencl, &orr__dialect_cuda };
    static rb b;
    rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 20, 33 });
    rb_out(&b, ORR_F32, rb_ew(&b, "exp", rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 660))), -1, -1));
    for (int k = 0; k < 3; k++)
        for (int few = 0; few < 2; few++) {
            orr__layout lay;
            ORR_REQUIRE(orr__layout_make(&b.r, language[k], &lay) == ORR_OK);
            orr__text_steps = few ? 50 : ORR__TEXT_STEPS;
            char *text = orr__emit(&b.r, language[k], &lay, true);
            ORR_CHECK((text == NULL) == few);
            free(text);
            orr__layout_free(&lay);
        }
    orr__text_steps = ORR__TEXT_STEPS;
}

int main(int argc, char **argv)
{
#define TEXT_TESTS                                                                                                     \
    ORR_TEST(every_row_has_text_in_every_dialect), ORR_TEST(sizes_and_scalars_are_not_in_the_text),                    \
        ORR_TEST(regions_of_f64_need_double)
    static const orr_test tests[] = { TEXT_TESTS,
                                      RT_TESTS,
                                      ORR_TEST(texts_take_a_bounded_number_of_steps),
                                      ORR_TEST(far_elements_take_64_bit_indices),
                                      ORR_TEST(graphs_equal_reference),
                                      RW_TESTS,
                                      TK_TESTS(ORR_TEST_OF) ORR_TEST(wrong_indices_in_kernels_are_found),
                                      { 0 } };
    static const orr_test text_only[] = { TEXT_TESTS, { 0 } };
    bool cc = cc_works();
    if (!cc)
        printf("  no cc: C99 text is not compiled\n");
    orr_test_draw_one_in(2); /* a process of the compiler each */
    return orr_test_main(argc, argv, "codelets.emit", cc ? tests : text_only);
}
