/* C loops compiled by each compiler that is there, beside the reference and, to the last bit, beside the interpreter.
 * Must not know: the JIT, StarPU. */
#include "config.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include "codelets/cpu/cpu.h"
#include "codelets/emit/cloop.h"
#include "tests/region_graphs.h"
#include "tests/region_draws.h"
#include "tests/region_stages.h"
#include "tests/region_nan.h"
#include "tests/region_takes.h"
#include "tests/region_tests.h"

extern char **environ;

/* As tests/test_codelets_cpu.c: both tiers have the same functions. */
static double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_half(t) ? (row->ulp > 0 ? 1 : 0) : row->ulp;
}

/* -- compilers --------------------------------------------------------------------------------------------- */

enum { CC, CLANG, COMPILERS, KERNELS = 400, JOBS = 2 };
static const char *const compiler[COMPILERS] = { "cc", "clang" };

static pid_t start(const char *const *argv)
{
    pid_t pid;
    char *copy[KERNELS + 32];
    int n = 0;
    for (; argv[n]; n++)
        memcpy(&copy[n], &argv[n], sizeof copy[n]); /* posix_spawn changes nothing, says POSIX */
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

/* -- many kernels in one run of a compiler -------------------------------------------------------------------- */

static int given_up; /* launches that compiled kernels left to the interpreter */

/* A test runs twice: first its kernels' texts are collected, with the interpreter computing; then they are there. */
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

/* Every JOBS-th kernel from number `job` on. */
static pid_t compile(int cc, int job, const char *object)
{
    static char path[KERNELS][600];
    const char *argv[KERNELS + 16] = { compiler[cc],
                                       "-std=c99",
                                       "-O3",
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
    if (ok)
        test();
    forget();
}

/* -- launches ------------------------------------------------------------------------------------------------ */

/* Arrays are given by where element 0 would be. */
static bool interpret(const rc_run *run, void *const *to)
{
    const orr__region *r = &run->b->r;
    void *in[RB_INPUTS] = { NULL }, *out[ORR__REGION_OUTS] = { NULL };
    orr__kernel *k = NULL;
    for (int i = 0; i < r->nin; i++)
        in[i] = (char *)run->in[i] - run->in_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[i]);
    for (int i = 0; i < r->nout; i++)
        out[i] = (char *)to[i] - run->out_off[i] * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[i]);
    orr__launch l = { .region = r, .lo = run->lo, .hi = run->hi, .in = in, .out = out, .scalar = run->b->scalar };
    bool ok = orr__cpu.prepare(r, &k) == ORR_OK && orr__cpu.launch(k, &l) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    orr__cpu.release(k);
    return ok;
}

/* Float sums and products of more than one run may be taken in another order; normal random numbers are close. */
static double may_differ(const orr__region *r, orr_dtype t)
{
    bool order = r->kind == ORR__G_REDUCE && r->rop[0] <= ORR__RPROD, normal = false;
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
    ok = interpret(run, want);
    for (int i = 0; i < r->nout && ok; i++) {
        orr_dtype t = (orr_dtype)r->out_dtype[i];
        ok = rc_same(who, t, got[i], want[i], run->out_n[i], may_differ(r, t));
    }
    ORR_CHECK_MSG(ok, "of %s", all.text[n]);
    for (int i = 0; i < r->nout; i++)
        free(want[i]);
    return ok;
}

/* A kernel that gives up has written nothing. */
static bool compute(const rc_run *run, orr__cfn *fn, const int64_t *word)
{
    bool gave_up = fn(run->in, run->out, word) != 0;
    given_up += gave_up;
    return !gave_up || interpret(run, run->out);
}

static bool run_compiled(const rc_run *run, int n)
{
    const orr__region *r = &run->b->r;
    bool ok = true;
    int64_t *word = calloc((size_t)orr__emit_c_words(r), sizeof *word);
    orr__launch l = { .region = r,
                      .lo = run->lo,
                      .hi = run->hi,
                      .in_off = run->in_off,
                      .out_off = run->out_off,
                      .scalar = run->b->scalar };
    if (!word)
        return false;
    orr__emit_c_args(&l, word);
    for (int cc = 0; cc < COMPILERS; cc++)
        for (int reach = 0; all.fn[cc][n] && reach < ORR__CLOOP_REACHES && ok; reach++) {
            word[ORR__CLOOP_REACH_AT] = reach;
            ok = compute(run, all.fn[cc][n], word) && beside_interpreter(run, n, run->out, compiler[cc]);
        }
    free(word);
    return ok;
}

static bool rc_launch(const rc_run *run)
{
    const orr__region *r = &run->b->r;
    if (!orr__emit_c_can(r))
        return interpret(run, run->out);
    char *text = orr__emit_c(r);
    ORR_CHECK_MSG(text != NULL, "%s", orr_error_message());
    if (!text)
        return false;
    int n = find(text);
    if (n < 0 && all.collecting && all.n < KERNELS) {
        n = all.n++;
        all.text[n] = text;
        text = NULL;
    }
    free(text);
    ORR_CHECK_MSG(n >= 0, "a text that was not there the first time, or too many");
    if (n < 0)
        return false;
    return all.collecting ? interpret(run, run->out) : run_compiled(run, n);
}

/* -- more than the shared tests ---------------------------------------------------------------------------------- */

static int64_t draw(int64_t below)
{
    return (int64_t)(orr_test_rand(&rc_state) % (uint64_t)below);
}

/* Values of few digits: any order of a sum gives the same. */
static void reductions_of_every_shape(void)
{
    static rb b;
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_I16, ORR_BF16 };
    static const int64_t shape[][3] = { { 3, 5, 2100 }, { 2, 1500, 3 }, { 40, 1, 70 }, { 2, 33, 64 } };
    for (int s = 0; s < 4; s++)
        for (uint32_t mask = 1; mask < 8; mask++) {
            orr_dtype t = type[(s + (int)mask) % 4];
            int64_t n = shape[s][0] * shape[s][1] * shape[s][2];
            rb_begin(&b, ORR__G_REDUCE, 3, shape[s]);
            b.r.rmask = mask;
            b.r.rop[0] = mask % 3 == 0 ? ORR__RMAX : ORR__RSUM;
            int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I8, n)));
            int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_I8, shape[s][1]), 0, (int64_t[]){ 0, 1, 0 }));
            int v = rb_ew(&b, "add", rb_cast(&b, t, x), rb_cast(&b, t, y), -1);
            rb_out(&b, t == ORR_I16 && b.r.rop[0] == ORR__RSUM ? ORR_I64 : t, v);
            rc_check("reduction", &b, mask & 1u ? 1 : 2, -3, 4, 0);
        }
}

/* An access of random order, broadcasts and flips. */
static int any_access(rb *b, orr_dtype t)
{
    int64_t stride[ORR_MAX_RANK], offset = draw(4), count = 1;
    int order[ORR_MAX_RANK], rank = b->r.rank;
    for (int d = 0; d < rank; d++)
        order[d] = d;
    for (int d = rank - 1; d > 0 && draw(3) == 0; d--) {
        int k = (int)draw(d + 1), o = order[d];
        order[d] = order[k];
        order[k] = o;
    }
    for (int d = rank - 1; d >= 0; d--) {
        int a = order[d];
        int64_t n = b->r.dim[a], kind = draw(8);
        stride[a] = kind == 0 ? 0 : count;
        count *= kind == 0 ? 1 : n + (kind == 1);
        if (kind == 2) {
            offset += (n - 1) * stride[a];
            stride[a] = -stride[a];
        }
    }
    return rb_access(b, rb_input(b, t, offset + count + 4), offset, stride);
}

static void maps_of_any_accesses(void)
{
    static rb b;
    static const orr_dtype dtype[] = { ORR_F32, ORR_I32, ORR_F64, ORR_I8, ORR_F16, ORR_U16, ORR_I64, ORR_BF16 };
    static const char *const binary[] = { "add", "sub", "maximum", "minimum" };
    for (int i = 0; i < 60; i++) {
        int64_t dim[ORR_MAX_RANK];
        int rank = 1 + (int)draw(8);
        for (int d = 0; d < rank; d++)
            dim[d] = draw(5) == 0 ? 1 : 1 + draw(rank > 4 ? 4 : rank > 2 ? 14 : 200);
        rb_begin(&b, ORR__G_MAP, rank, dim);
        orr_dtype t = dtype[draw(8)];
        int x = rb_load(&b, any_access(&b, t)), y = rb_load(&b, any_access(&b, t));
        int z = rb_ew(&b, binary[draw(4)], x, y, -1);
        rb_out(&b, t, z);
        rb_out(&b, ORR_BOOL, rb_ew(&b, "less", z, y, -1));
        rb_out(&b, t, x);
        rc_check("any map", &b, 1 + (int)draw(3), 0, 4, 0);
    }
}

/* Softmax, scaled by the mean of the row before: beside the interpreter, which is tested by itself. */
static void rows_see_their_folds(void)
{
    static rb b;
    static const int64_t shape[][3] = { { 2, 3, 2100 }, { 5, 1, 64 }, { 1, 1, 7 } };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16 };
    for (int s = 0; s < 9; s++) {
        const int64_t *dim = shape[s % 3], n = dim[0] * dim[1] * dim[2];
        orr_dtype t = type[s / 3];
        rb_begin(&b, ORR__G_MAP, 3, dim);
        b.r.rows = true;
        int x = rb_load(&b, rb_linear(&b, rb_input(&b, t, n)));
        int most = rb_push(&b, ORR__RI_FOLD, t, ORR__RMAX, x, -1, -1, -1, -1);
        int e = rb_ew(&b, "exp", rb_ew(&b, "sub", x, most, -1), -1, -1);
        int sum = rb_push(&b, ORR__RI_FOLD, t, ORR__RSUM, e, -1, -1, -1, -1);
        int all_of_it = rb_push(&b, ORR__RI_FOLD, t, ORR__RSUM, x, -1, -1, -1, -1);
        rb_out(&b, t, rb_ew(&b, "div", e, rb_ew(&b, "add", sum, rb_ew(&b, "abs", all_of_it, -1, -1), -1), -1));
        rb_out(&b, t, most);
        rc_run run = { .b = &b, .hi = dim[0], .in_n = { n }, .out_n = { n, n } };
        run.in[0] = rc_new(t, n);
        run.out[0] = rc_new(t, n);
        run.out[1] = rc_new(t, n);
        rc_fill(run.in[0], t, n, -2, 2);
        (void)rc_launch(&run);
        ORR_CHECK(orr__scalar_load(run.out[0], t).f > 0);
        free(run.in[0]);
        free(run.out[0]);
        free(run.out[1]);
    }
}

/* How far each value is from its row's sum, beside the sum of the squares of these: folded as they are computed, where columns
 * are equally long, else from a block. */
static void rows_fold_what_they_compute(void)
{
    static rb b;
    static const int64_t length[] = { 96, 1120, 1024, 2100, 64, 33 };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16 };
    for (int s = 0; s < 18; s++) {
        const int64_t dim[] = { 3, length[s % 6] }, n = dim[0] * dim[1];
        orr_dtype t = type[s / 6];
        rb_begin(&b, ORR__G_MAP, 2, dim);
        b.r.rows = true;
        int x = rb_load(&b, rb_linear(&b, rb_input(&b, t, n)));
        int sum = rb_push(&b, ORR__RI_FOLD, t, ORR__RSUM, x, -1, -1, -1, -1);
        int away = rb_ew(&b, "sub", x, sum, -1);
        int squares = rb_push(&b, ORR__RI_FOLD, t, ORR__RSUM, rb_ew(&b, "mul", away, away, -1), -1, -1, -1, -1);
        rb_out(&b, t, away);
        rb_out(&b, t, squares);
        rc_run run = { .b = &b, .hi = dim[0], .in_n = { n }, .out_n = { n, n } };
        run.in[0] = rc_new(t, n);
        run.out[0] = rc_new(t, n);
        run.out[1] = rc_new(t, n);
        rc_fill(run.in[0], t, n, 1, 2);
        (void)rc_launch(&run);
        ORR_CHECK(orr__scalar_load(run.out[1], t).f > 0);
        free(run.in[0]);
        free(run.out[0]);
        free(run.out[1]);
    }
}

/* Numbers that a fold sees too, and others that only the outputs see: beside the interpreter, to the last bit. */
static void rows_draw_their_numbers(void)
{
    static rb b;
    static const int64_t shape[][2] = { { 3, 2100 }, { 5, 64 }, { 4, 7 } };
    for (int s = 0; s < 3; s++) {
        const int64_t *dim = shape[s], n = dim[0] * dim[1];
        rb_begin(&b, ORR__G_MAP, 2, dim);
        b.r.rows = true;
        int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n)));
        int u = rb_random(&b, ORR__DUNIFORM, ORR_F32, rb_linear(&b, -1), 5, 0, 0);
        int v = rb_random(&b, ORR__DINTEGERS, ORR_I32, rb_linear(&b, -1), 6, (uint64_t)-9, 100);
        int most = rb_push(&b, ORR__RI_FOLD, ORR_F32, ORR__RMAX, rb_ew(&b, "mul", x, u, -1), -1, -1, -1, -1);
        rb_out(&b, ORR_F32, rb_ew(&b, "sub", u, most, -1));
        rb_out(&b, ORR_I32, v);
        float in[6300], to[6300];
        int32_t whole[6300];
        rc_run run = { .b = &b, .hi = dim[0], .in = { in }, .in_n = { n }, .out = { to, whole }, .out_n = { n, n } };
        rc_fill(in, ORR_F32, n, 1, 2);
        (void)rc_launch(&run);
        ORR_CHECK(whole[n - 1] == orr__rand_integers(6, (uint64_t)n - 1, -9, 100));
    }
}

/* Regions that differ in sizes alone have one text. */
static void sizes_are_not_in_the_text(void)
{
    static rb b;
    char *text[2];
    for (int i = 0; i < 2; i++) {
        const int64_t dim[2] = { 10 + i, 20 * i + 3 };
        rb_begin(&b, ORR__G_MAP, 2, dim);
        int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 9999), i, (int64_t[]){ 100 + i, 1 }));
        rb_out(&b, ORR_F32, rb_ew(&b, "mul", x, rb_scalar(&b, ORR_F32, (orr__scalar){ .f = i }), -1));
        text[i] = orr__emit_c(&b.r);
    }
    ORR_CHECK(text[0] && text[1] && !strcmp(text[0], text[1]));
    free(text[0]);
    free(text[1]);
}

static void what_it_cannot_is_refused(void)
{
    static rb b;
    rb_begin(&b, ORR__G_ARGREDUCE, 1, (const int64_t[]){ 5 });
    b.r.rmask = 1;
    rb_out(&b, ORR_I64, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 5))));
    ORR_CHECK(!orr__emit_c_can(&b.r));
    ORR_CHECK(orr__emit_c(&b.r) == NULL);
}

#define SHARED(X)                                                                                                      \
    X(every_row_on_f32)                                                                                                \
    X(every_row_on_f64)                                                                                                \
    X(every_row_on_f16_and_bf16)                                                                                       \
    X(every_row_on_ints_and_bool)                                                                                      \
    X(strided_broadcast_and_negative_accesses) X(axes_of_any_size_are_told_apart) X(more_arguments_than_fit_by_value)  \
        X(arrays_that_begin_at_an_offset) X(reductions_over_any_axes) X(reductions_of_any_dtype)                       \
            X(several_reductions_at_once) X(parts_of_the_iteration) X(chains_into_reductions)                          \
                X(arg_reductions_take_the_first_of_equals) X(nan_wins_in_max_and_argmax) X(iota_in_every_dtype)        \
                    X(random_numbers_are_the_same_bits) X(normal_random_numbers_are_close) X(casts_between_dtypes)     \
                        X(empty_ranges_are_nothing) X(graphs_compute_what_the_reference_does)                          \
                            X(reductions_of_every_shape) X(long_sums_lose_nothing) X(maps_of_any_accesses)             \
                                X(rows_see_their_folds) X(rows_fold_what_they_compute) X(nan_of_any_payload_stays_nan) \
                                    X(random_numbers_of_long_runs) X(rows_draw_their_numbers)                          \
                                        X(bounds_that_are_nan_win) X(bodies_too_long_for_one_loop)
#define WRAP(test)                                                                                                     \
    static void compiled_##test(void)                                                                                  \
    {                                                                                                                  \
        twice(test);                                                                                                   \
    }
SHARED(WRAP)
/* Indices that are in range are no reason to give up. */
#define WRAP_TAKES(test)                                                                                               \
    static void compiled_##test(void)                                                                                  \
    {                                                                                                                  \
        twice(test);                                                                                                   \
        ORR_CHECK_MSG(given_up == 0, "%d kernels gave up", given_up);                                                  \
    }
TK_TESTS(WRAP_TAKES)

/* Of 36 pairs of bounds 11 have a NaN, in four dtypes, with each compiler, for each reach. */
static void compiled_kernels_give_up_for_nan_alone(void)
{
    twice(bounds_that_are_nan_win);
    ORR_CHECK(given_up == 4 * 11 * ORR__CLOOP_REACHES * (have(CC) + have(CLANG)));
    twice(every_row_on_f16_and_bf16);
    ORR_CHECK(given_up == 0);
}
#define ROW(test) ORR_TEST(compiled_##test),

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        SHARED(ROW) TK_TESTS(ROW) ORR_TEST(compiled_kernels_give_up_for_nan_alone),
        ORR_TEST(sizes_are_not_in_the_text),
        ORR_TEST(what_it_cannot_is_refused),
        { 0 },
    };
    return orr_test_main(argc, argv, "codelets.cloop", tests);
}
