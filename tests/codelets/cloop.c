/* C loops compiled by each available compiler, beside the reference and, to the last bit, beside the interpreter.
 * Must not know: the JIT, StarPU. */
#include "config.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include "codelets/cpu/cpu.h"
#include "codelets/nest/cloop.h"
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"
#include "tests/harness/region_interpret.h"

extern char **environ;

/* As in tests/codelets/cpu.c: both tiers have the same functions. */
double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_half(t) ? (row->ulp > 0 ? 1 : 0) : row->ulp;
}

/* -- compilers --------------------------------------------------------------------------------------------- */

enum { CC, CLANG, COMPILERS, KERNELS = 1200, JOBS = 2 };
static const char *const compiler[COMPILERS] = { "cc", "clang" };

static pid_t start(const char *const *argv)
{
    pid_t pid;
    char *copy[KERNELS + 32];
    int n = 0;
    for (; argv[n]; n++)
        memcpy(&copy[n], &argv[n], sizeof copy[n]); /* POSIX: posix_spawn does not modify it */
    copy[n] = NULL;
    return posix_spawnp(&pid, copy[0], NULL, NULL, copy, environ) == 0 ? pid : -1;
}

static bool ends_well(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool have(int cc)
{
    static int known[COMPILERS]; /* 1 yes, -1 no */
    const char *argv[] = { compiler[cc], "-xc", "-fsyntax-only", "/dev/null", NULL };
    if (!known[cc])
        known[cc] = ends_well(start(argv)) ? 1 : -1;
    return known[cc] > 0;
}

/* The second compiler takes each third kernel of a job; all with ORR_TEST_FULL=1, or without the first. */
static bool takes(int cc, int kernel)
{
    return cc == CC || !have(CC) || kernel / JOBS % 3 == 0 || orr_test_full();
}

/* -- many kernels in one run of a compiler -------------------------------------------------------------------- */

static int given_up; /* launches that compiled kernels left to the interpreter */

/* A test runs twice: the first run collects its kernels' sources, while the interpreter computes; the second one
 * uses the compiled kernels. */
static struct {
    bool collecting;
    int n;
    char *text[KERNELS];
    orr__cfn *fn[COMPILERS][KERNELS];
    void *lib[COMPILERS][JOBS];
} all;

static int find(const char *text)
{
    for (int i = 0; i < all.n; i++)
        if (!strcmp(all.text[i], text))
            return i;
    return -1;
}

static const char *path_of(const char *fmt, int number, char *buf, size_t size)
{
    char name[32];
    (void)snprintf(name, sizeof name, fmt, number);
    (void)snprintf(buf, size, "%s", orr_test_tmp(name));
    return buf;
}

static bool write_sources(void)
{
    bool ok = true;
    for (int i = 0; i < all.n && ok; i++) {
        char path[600];
        FILE *f = fopen(path_of("k%d.c", i, path, sizeof path), "w");
        ok = f && fprintf(f, "#define orr_kernel orr_kernel_%d\n%s", i, all.text[i]) > 0;
        ok = f && fclose(f) == 0 && ok;
    }
    return ok;
}

static bool as_the_jit_does; /* a test whose subject is what gcc makes of a loop */

/* -O3 takes many seconds for a long text; the JIT then uses -O1, too. */
static const char *optimisation(int job)
{
    enum { LONG_TEXT = 40000 };
    bool long_text = false;
    for (int i = job; i < all.n; i += JOBS)
        long_text = long_text || strlen(all.text[i]) > LONG_TEXT;
    return long_text && !as_the_jit_does && !orr_test_full() ? "-O1" : "-O3";
}

/* Compiles every JOBS-th of the compiler's kernels from number `job` on. */
static pid_t compile(int cc, int job, const char *object)
{
    static char path[KERNELS][600];
    const char *argv[KERNELS + 16] = { compiler[cc],
                                       "-std=c99",
                                       optimisation(job),
                                       "-march=native",
                                       "-ffp-contract=off",
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-fwrapv",
                                       "-fPIC",
                                       "-shared",
                                       "-Werror=implicit",
                                       "-w",
                                       "-o",
                                       object };
    int n = 14;
    for (int i = job; i < all.n; i += JOBS)
        if (takes(cc, i))
            argv[n++] = path_of("k%d.c", i, path[i], sizeof path[i]);
    argv[n++] = "-lm";
    return start(argv);
}

static bool compile_all(int cc)
{
    static int number;
    char object[JOBS][600];
    pid_t pid[JOBS];
    bool ok = true;
    for (int j = 0; j < JOBS && j < all.n; j++)
        pid[j] = compile(cc, j, path_of("l%d.so", number++, object[j], sizeof object[j]));
    for (int j = 0; j < JOBS && j < all.n; j++) {
        ok = ends_well(pid[j]) && ok;
        all.lib[cc][j] = ok ? dlopen(object[j], RTLD_NOW | RTLD_LOCAL) : NULL;
        ok = ok && all.lib[cc][j];
    }
    for (int i = 0; i < all.n && ok; i++) {
        char name[32];
        if (!takes(cc, i))
            continue;
        (void)snprintf(name, sizeof name, "orr_kernel_%d", i);
        void *p = dlsym(all.lib[cc][i % JOBS], name);
        memcpy(&all.fn[cc][i], &p, sizeof p); /* ISO C has no cast from void * to a function */
        ok = p != NULL;
    }
    return ok;
}

static void forget(void)
{
    for (int cc = 0; cc < COMPILERS; cc++)
        for (int j = 0; j < JOBS; j++)
            if (all.lib[cc][j])
                (void)dlclose(all.lib[cc][j]);
    for (int i = 0; i < all.n; i++)
        free(all.text[i]);
    memset(&all, 0, sizeof all);
}

static void twice(void (*test)(void))
{
    if (!have(CC) && !have(CLANG))
        ORR_SKIP("no C compiler");
    all.collecting = true;
    rc_state = 1;
    orr_test_draw_again();
    test();
    all.collecting = false;
    bool ok = write_sources();
    for (int cc = 0; cc < COMPILERS && ok; cc++)
        if (have(cc)) {
            ok = compile_all(cc);
            ORR_CHECK_MSG(ok, "%s", compiler[cc]);
        }
    rc_state = 1;
    given_up = 0;
    orr_test_draw_again();
    if (ok)
        test();
    forget();
}

/* -- launches ------------------------------------------------------------------------------------------------ */

/* The allowed difference: float sums and products of more than one range may be in another order; normal random
 * numbers are close. */
static double may_differ(const orr__region *r, orr_dtype t)
{
    bool order = r->rmask && !r->search && r->rop[0] <= ORR__RPROD, normal = false;
    for (int i = 0; i < r->ninstr; i++) {
        order = order || r->instr[i].kind == ORR__RI_FOLD;
        normal = normal || (r->instr[i].kind == ORR__RI_RANDOM && r->instr[i].op == ORR__DNORMAL);
    }
    return !orr__is_float(t) || (!order && !normal) ? 0 : t == ORR_F64 ? 16 : 1;
}

static bool beside_interpreter(const rc_run *run, int n, void *const *got, const char *who)
{
    const orr__region *r = &run->b->r;
    void *want[ORR__REGION_OUTS] = { NULL };
    bool ok = true;
    for (int i = 0; i < r->nout; i++) {
        size_t bytes = (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]);
        want[i] = rc_new((orr_dtype)r->out_dtype[i], run->out_n[i]);
        memcpy(want[i], got[i], bytes);
    }
    ok = rc_interpret(run, want);
    for (int i = 0; i < r->nout && ok; i++) {
        orr_dtype t = (orr_dtype)r->out_dtype[i];
        ok = rc_same(who, t, got[i], want[i], run->out_n[i], may_differ(r, t));
    }
    ORR_CHECK_MSG(ok, "of %s", all.text[n]);
    for (int i = 0; i < r->nout; i++)
        free(want[i]);
    return ok;
}

/* Runs the compiled kernel. A kernel that gives up has written nothing. One that reads copies is launched by the
 * code that makes them. */
static bool compute(const rc_run *run, orr__cfn *fn, const orr__launch *l, int64_t *word)
{
    bool copies = orr__emit_c_packs(l->region) > 0;
    bool gave_up = copies ? !orr__cpu_packed_launch(fn, l, word) : fn(run->in, run->out, word) != 0;
    given_up += gave_up;
    return !gave_up || rc_interpret(run, run->out);
}

static bool run_compiled(const rc_run *run, const orr__region *r, int n)
{
    bool ok = true;
    int64_t *word = calloc((size_t)orr__emit_c_words(r), sizeof *word);
    orr__launch l = { .region = r,
                      .lo = run->lo,
                      .hi = run->hi,
                      .in = run->in,
                      .out = run->out,
                      .in_off = run->in_off,
                      .out_off = run->out_off,
                      .scalar = run->b->scalar };
    if (!word)
        return false;
    orr__emit_c_args(&l, true, word);
    for (int cc = 0; cc < COMPILERS; cc++)
        for (int reach = 0; all.fn[cc][n] && reach < ORR__CLOOP_REACHES && ok; reach++) {
            word[ORR__CLOOP_REACH_AT] = reach;
            ok = compute(run, all.fn[cc][n], &l, word) && beside_interpreter(run, n, run->out, compiler[cc]);
        }
    free(word);
    return ok;
}

/* The number of a region's text; -1: it was not there the first time, or they are too many. */
static int number_of(const orr__region *r)
{
    char *text = orr__emit_c(r);
    ORR_CHECK_MSG(text != NULL, "%s", orr_error_message());
    int n = text ? find(text) : -1;
    if (text && n < 0 && all.collecting && all.n < KERNELS) {
        n = all.n++;
        all.text[n] = text;
        text = NULL;
    }
    free(text);
    ORR_CHECK_MSG(n >= 0, "a text that was not there the first time, or too many");
    return n;
}

/* The same by another nest: to the last bit what is in run->out. */
static bool same_by(const rc_run *run, const orr__region *r, int n)
{
    void *want[ORR__REGION_OUTS] = { NULL };
    for (int i = 0; i < r->nout; i++) {
        want[i] = rc_new((orr_dtype)r->out_dtype[i], run->out_n[i]);
        memcpy(want[i], run->out[i], (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]));
    }
    bool ok = run_compiled(run, r, n);
    for (int i = 0; i < r->nout; i++) {
        ok = ok && rc_same("nests", (orr_dtype)r->out_dtype[i], run->out[i], want[i], run->out_n[i], 0);
        free(want[i]);
    }
    ORR_CHECK_MSG(ok, "of %s", all.text[n]);
    return ok;
}

/* By the chosen nest, then by all others that can compute it, of each third kernel. */
bool rc_launch(const rc_run *run)
{
    orr__region r = run->b->r;
    orr__nest_offer offer[ORR__NEST_OFFERS];
    if (!orr__emit_c_can(&r))
        return rc_interpret(run, run->out);
    int n = number_of(&r);
    bool ok = n >= 0 && (all.collecting || run_compiled(run, &r, n)), others = n % 3 == 0 || orr_test_full();
    orr__cloop_offers(&r, offer);
    for (int k = 0; k < ORR__NEST_OFFERS && ok && others; k++) {
        r.nest = k + 1;
        n = offer[k].no || offer[k].chosen ? -1 : number_of(&r);
        ok = n < 0 || all.collecting || same_by(run, &r, n);
    }
    return ok && all.collecting ? rc_interpret(run, run->out) : ok;
}

/* -- more than the shared tests ---------------------------------------------------------------------------------- */

/* An operand of f16 that is packed first, and then widened in a loop of its own. */
static void halves_that_are_packed_first(void)
{
    static rb b;
    const int64_t dim[2] = { 256, 256 };
    rb_begin(&b, RB_MAP, 2, dim);
    int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F16, 65536), 0, (int64_t[]){ 1, 256 }));
    int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F16, 65536), 0, (int64_t[]){ 256, 1 }));
    rb_out(&b, ORR_F16, rb_ew(&b, "minimum", x, y, -1));
    char *text = orr__emit_c(&b.r);
    ORR_CHECK(orr__emit_c_packs(&b.r) == 1);
    ORR_CHECK_MSG(text && strstr(text, "orr_widen(wide0_0, pack0"), "%s", orr_error_message());
    free(text);
}

/* Columns of two operands beside each other: no element is inside of both boxes, and each part of a row is a loop of its own. */
static void parts_of_rows_beside_each_other_are_loops(void)
{
    static rb b;
    const int64_t dim[2] = { 500, 125 };
    orr__nest_offer offer[ORR__NEST_OFFERS];
    rb_begin(&b, RB_MAP, 2, dim);
    int x = rb_load(&b, rb_box(&b, rb_access(&b, rb_input(&b, ORR_F32, 500 * 32), 0, (int64_t[]){ 32, 1 }), 1, 0, 32));
    int y =
        rb_load(&b, rb_box(&b, rb_access(&b, rb_input(&b, ORR_F32, 500 * 93), -32, (int64_t[]){ 93, 1 }), 1, 32, 125));
    rb_out(&b, ORR_F32, rb_ew(&b, "silu", rb_ew(&b, "add", x, y, -1), -1, -1));
    ORR_CHECK(orr__cloop_offers(&b.r, offer) == ORR__NEST_EACH);
    ORR_CHECK(offer[ORR__NEST_SIDE].no || offer[ORR__NEST_SIDE].cost > 4 * offer[ORR__NEST_EACH].cost);
}

/* Regions that differ only in sizes have one source. */
static void sizes_are_not_in_the_text(void)
{
    static rb b;
    char *text[2];
    for (int i = 0; i < 2; i++) {
        const int64_t dim[2] = { 10 + i, 20 * i + 3 };
        rb_begin(&b, RB_MAP, 2, dim);
        int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 9999), i, (int64_t[]){ 100 + i, 1 }));
        rb_out(&b, ORR_F32, rb_ew(&b, "mul", x, rb_scalar(&b, ORR_F32, (orr__scalar){ .f = i }), -1));
        text[i] = orr__emit_c(&b.r);
    }
    ORR_CHECK(text[0] && text[1] && !strcmp(text[0], text[1]));
    free(text[0]);
    free(text[1]);
}

/* With one condition for both, GCC leaves the elements beyond the row undefined, and the division of a denormal one takes a hundred cycles. */
static void masked_loads_and_stores_have_conditions_of_their_own(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 20, 33 });
    int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F64, 9999), 0, (int64_t[]){ 100, 1 }));
    rb_out(&b, ORR_F64, rb_ew(&b, "div", x, rb_scalar(&b, ORR_F64, (orr__scalar){ .f = 3 }), -1));
    char *text = orr__emit_c(&b.r);
    ORR_REQUIRE(text != NULL);
    ORR_CHECK(strstr(text, "__asm__(\"\" : \"+r\"(live))") && strstr(text, "lane < left ? "));
    ORR_CHECK(strstr(text, "lane < live) ") && !strstr(text, "lane < left) "));
    free(text);
}

/* Full blocks and shorter ones, the interior and the borders, near arguments and far ones have a loop each. All read the same numbers, since
 * a number costs several times as much alone as beside its neighbours. */
static void no_loop_draws_its_numbers_one_by_one(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 20, 1000 });
    int a = rb_access(&b, rb_input(&b, ORR_F32, 19000), 0, (int64_t[]){ 950, 1 });
    int x = rb_load(&b, rb_box(&b, a, 1, 20, 950));
    int drawn = rb_random(&b, ORR__DUNIFORM, ORR_F32, rb_access(&b, -1, 0, (int64_t[]){ 1000, 1 }), 7, 0, 0);
    rb_out(&b, ORR_F32, rb_ew(&b, "mul", rb_ew(&b, "sin", x, -1, -1), drawn, -1));
    char *text = orr__emit_c(&b.r);
    ORR_REQUIRE(text != NULL);
    const char *kernel = strstr(text, "int orr_kernel(");
    ORR_REQUIRE(kernel != NULL);
    ORR_CHECK(strstr(kernel, "drawn") && !strstr(kernel, "orr__rand_bits"));
    free(text);
}

/* Two non-temporal stores of 32 bytes are a line only if it begins there: otherwise rows of 10,745 elements take three times as long. */
static void whole_lines_are_stored_past_the_caches(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 1299, 10745 });
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 1299 * 10745)));
    rb_out(&b, ORR_F32, rb_ew(&b, "neg", x, -1, -1));
    char *text = orr__emit_c(&b.r);
    ORR_REQUIRE(text != NULL);
    ORR_CHECK(strstr(text, "orr_idx k = -(orr_i64)t & 63;") && strstr(text, "for (; k + 64 <= n; k += 64)"));
    free(text);
}

static void unsupported_region_is_refused(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 1, (const int64_t[]){ 5 });
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 5))));
    b.r.loops = ORR__LOOPS_PRODUCT;
    ORR_CHECK(!orr__emit_c_can(&b.r));
    ORR_CHECK(orr__emit_c(&b.r) == NULL);
}

#define SHARED(X)                                                                                                      \
    X(every_row_on_f32)                                                                                                \
    X(every_row_on_f64)                                                                                                \
    X(every_row_on_ints_and_bool)                                                                                      \
    X(strided_broadcast_and_negative_accesses)                                                                         \
    X(axes_of_any_size_are_told_apart)                                                                                 \
    X(more_arguments_than_fit_by_value)                                                                                \
    X(arrays_that_begin_at_an_offset)                                                                                  \
    X(reductions_over_any_axes)                                                                                        \
    X(reductions_of_any_dtype)                                                                                         \
    X(several_reductions_at_once)                                                                                      \
    X(parts_of_the_iteration)                                                                                          \
    X(chains_into_reductions)                                                                                          \
    X(arg_reductions_take_the_first_of_equals)                                                                         \
    X(nan_wins_in_max_and_argmax)                                                                                      \
    X(iota_in_every_dtype)                                                                                             \
    X(random_numbers_are_the_same_bits)                                                                                \
    X(normal_random_numbers_are_close)                                                                                 \
    X(casts_between_dtypes)                                                                                            \
    X(empty_ranges_are_nothing)                                                                                        \
    X(graphs_equal_reference)                                                                                          \
    X(reductions_of_every_shape)                                                                                       \
    X(folds_of_narrow_columns)                                                                                         \
    X(folds_of_joined_rows)                                                                                            \
    X(maps_across_lines)                                                                                               \
    X(maps_of_permuted_operands)                                                                                       \
    X(sums_of_small_integers) X(long_sums_are_compensated) X(maps_of_any_accesses) X(rows_see_their_folds)             \
        X(rows_fold_computed_values) X(nan_of_any_payload_stays_nan) X(random_numbers_of_long_runs)                    \
            X(rows_draw_their_numbers) X(nan_bounds_win_in_clip) X(bodies_too_long_for_one_loop) X(boxes_of_any_place) \
                X(more_boxes_than_a_set_holds) X(a_box_of_an_outer_axis_beside_joined_rows)                            \
                    X(folds_of_concatenated_arrays) X(indices_beside_joined_rows) X(rows_of_any_length)
#define WRAP(test)                                                                                                     \
    static void compiled_##test(void)                                                                                  \
    {                                                                                                                  \
        twice(test);                                                                                                   \
    }
SHARED(WRAP)
/* Neither numbers nor indices in range make a kernel give up. */
#define WRAP_WHOLE(test)                                                                                               \
    static void compiled_##test(void)                                                                                  \
    {                                                                                                                  \
        twice(test);                                                                                                   \
        ORR_CHECK_MSG(given_up == 0, "%d kernels gave up", given_up);                                                  \
    }

/* gcc 12 fails on a masked extremum of bytes or words whose operand is in an array, as those of reversed rows are. */
static void choices_of_narrow_extrema(void)
{
    static const orr_dtype type[] = { ORR_I8, ORR_U8, ORR_I16, ORR_U16 };
    static const char *const extremum[] = { "minimum", "maximum" };
    static rb b;
    for (size_t t = 0; t < sizeof type / sizeof *type; t++)
        for (int k = 0; k < 4; k++) {
            rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 300, 19 });
            int x = rb_load(&b, rb_access(&b, rb_input(&b, type[t], 300 * 19), 18, (int64_t[]){ 19, -1 }));
            int y = rb_load(&b, rb_access(&b, rb_input(&b, type[t], 300 * 19), 18, (int64_t[]){ 19, -1 }));
            int z = rb_load(&b, rb_linear(&b, rb_input(&b, type[t], 300 * 19)));
            int m = rb_ew(&b, extremum[k & 1], x, y, -1);
            int w = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I32, 300 * 19)));
            int by = rb_ew(&b, "less", w, rb_scalar(&b, ORR_I32, (orr__scalar){ .i = 4 }), -1);
            rb_out(&b, type[t], k & 2 ? rb_ew(&b, "where", by, z, m) : rb_ew(&b, "where", by, m, z));
            rc_check("choice of extrema", &b, 2, 0, 9, 0);
        }
}

static void compiled_choices_of_narrow_extrema(void)
{
    as_the_jit_does = true;
    twice(choices_of_narrow_extrema);
    as_the_jit_does = false;
}
TK_TESTS(WRAP_WHOLE)
WRAP_WHOLE(every_row_on_f16_and_bf16)

/* 11 of 36 pairs of bounds contain a NaN, in four dtypes, with each compiler that takes the kernel, for each reach. */
static void compiled_kernels_differ_for_nan_only(void)
{
    enum { DTYPES = 4, PAIRS = 11 };
    int kernels = 0;
    for (int k = 0; k < DTYPES; k++)
        for (int cc = 0; cc < COMPILERS; cc++)
            kernels += have(cc) && takes(cc, k);
    twice(nan_bounds_win_in_clip);
    ORR_CHECK(given_up == PAIRS * ORR__CLOOP_REACHES * kernels);
}
#define ROW(test) ORR_TEST(compiled_##test),

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        SHARED(ROW) TK_TESTS(ROW) ROW(every_row_on_f16_and_bf16) ROW(choices_of_narrow_extrema)
            ORR_TEST(compiled_kernels_differ_for_nan_only),
        ORR_TEST(sizes_are_not_in_the_text),
        ORR_TEST(halves_that_are_packed_first),
        ORR_TEST(parts_of_rows_beside_each_other_are_loops),
        ORR_TEST(masked_loads_and_stores_have_conditions_of_their_own),
        ORR_TEST(no_loop_draws_its_numbers_one_by_one),
        ORR_TEST(whole_lines_are_stored_past_the_caches),
        ORR_TEST(unsupported_region_is_refused),
        { 0 },
    };
    orr_test_draw_one_in(6); /* two compilers, and several lengths of vectors */
    return orr_test_main(argc, argv, "codelets.cloop", tests);
}
