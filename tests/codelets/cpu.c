/* The block interpreter on every kind of region, with each instruction set, beside values computed one at a time.
 * Must not know: StarPU, plans. */
#include "config.h"

#include <pthread.h>
#include "tests/harness/region_tests.h"
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_interpret.h"

double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_half(t) ? (row->ulp > 0 ? 1 : 0) : row->ulp;
}

/* Instruction sets with fused multiply-adds agree to the last bit. Without these, functions take other steps, within
 * the row's bound.
 */
static double rc_between(const char *isa, const orr__region *r, orr_dtype t)
{
    double most = 0;
    for (int i = 0; i < r->ninstr && !strcmp(isa, "base") && orr__is_float(t); i++)
        if (r->instr[i].kind == ORR__RI_EW)
            most = fmax(most, 2 * rc_ulp(orr__ew(r->instr[i].op), t));
    return most;
}

bool rc_launch(const rc_run *run)
{
    static const char *const isa[] = { "base", "v3", "v4", "sve" };
    const orr__region *r = &run->b->r;
    void *copy[ORR__REGION_OUTS] = { NULL };
    bool ok = true;
    for (int i = 0; i < r->nout; i++) {
        copy[i] = rc_new((orr_dtype)r->out_dtype[i], run->out_n[i]);
        memcpy(copy[i], run->out[i], (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]));
    }
    ok = rc_interpret(run, run->out);
    for (int s = 0; s < (int)(sizeof isa / sizeof *isa) && ok; s++) {
        if (!orr__cpu_use(isa[s]))
            continue;
        ok = rc_interpret(run, copy);
        for (int i = 0; i < r->nout && ok; i++)
            ok = rc_same(isa[s], (orr_dtype)r->out_dtype[i], copy[i], run->out[i], run->out_n[i],
                         rc_between(isa[s], r, (orr_dtype)r->out_dtype[i]));
    }
    (void)orr__cpu_use(NULL);
    for (int i = 0; i < r->nout; i++)
        free(copy[i]);
    return ok;
}

/* -- functions ----------------------------------------------------------------------------------------------- */

/* A row on all kinds of f32 (its domain, and bit patterns), beside the same row in f64. */
static void check_function(const orr__ewrow *row)
{
    static rb b;
    enum { N = 20000 };
    const int64_t n = N;
    float *x = rc_new(ORR_F32, N), *got = rc_new(ORR_F32, N);
    rb_begin(&b, RB_MAP, 1, &n);
    rb_out(&b, ORR_F32, rb_row(&b, row, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, N))), -1, -1));
    for (int i = 0; i < N; i++) {
        uint32_t bits = (uint32_t)orr_test_rand(&rc_state);
        memcpy(&x[i], &bits, sizeof bits);
        if (i % 2)
            x[i] = (float)rc_uniform(row->lo, row->hi);
    }
    rc_run run = { .b = &b, .hi = N, .in = { x }, .in_n = { N }, .out = { got }, .out_n = { N } };
    double worst = 0, at = 0;
    for (int i = rc_launch(&run) ? 0 : N; i < N; i++) {
        orr__scalar none = { .u = 0 }, v = { .f = (double)x[i] }, g = { .f = (double)got[i] };
        double d =
            rc_distance(g, orr__scalar_cast(orr__ew_eval(row, ORR_F64, v, none, none), ORR_F64, ORR_F32), ORR_F32);
        at = d > worst ? (double)x[i] : at;
        worst = d > worst ? d : worst;
    }
    ORR_CHECK_MSG(worst <= row->ulp, "%s(%a) is %g places off", row->op.name, at, worst);
    free(x);
    free(got);
}

static void f32_functions_meet_promised_ulp(void)
{
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        if (row->arity == 1 && row->ulp > 0 && orr__ew_takes_scalars(row, ORR_F32) && !row->to_bool)
            check_function(row);
    }
}

/* -- shapes ------------------------------------------------------------------------------------------------ */

static void blocks_end_with_the_data(void)
{
    static rb b;
    static const int64_t n[] = { 1, 2, 63, 64, 65, 1023, 1024, 1025, 2048, 5000 };
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int cuts = 1; cuts <= 3; cuts += 2) {
            rb_begin(&b, RB_MAP, 1, &n[i]);
            int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n[i])));
            int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, n[i]), n[i] - 1, (int64_t[]){ -1 }));
            int s = rb_ew(&b, "mul", x, rb_scalar(&b, ORR_F32, (orr__scalar){ .f = 0.5 }), -1);
            rb_out(&b, ORR_F32, rb_ew(&b, "add", s, y, -1));
            rb_out(&b, ORR_F32, x); /* an output that is a plain load */
            rb_out(&b, ORR_F32, y);
            rb_out(&b, ORR_BOOL, rb_ew(&b, "less", s, y, -1));
            rc_check("ends", &b, cuts, -9, 9, 0);
        }
}

/* Numbers with so few digits that the order of a sum does not change it. */
static void any_region(rb *b, rb_kind kind)
{
    static const char *const binary[] = { "add", "sub", "maximum", "minimum" };
    static const orr_dtype dtype[] = { ORR_F32, ORR_I32, ORR_F64, ORR_I8, ORR_F16, ORR_U16, ORR_I64, ORR_BF16 };
    int64_t dim[ORR_MAX_RANK], points = 1;
    int rank = 1 + (int)rsh_draw(8);
    for (int d = 0; d < rank; d++) {
        dim[d] = rsh_draw(5) == 0 ? 1 : 1 + rsh_draw(rank > 4 ? 4 : rank > 2 ? 14 : 200);
        points *= dim[d];
    }
    if (points > 60000)
        dim[0] = 1;
    rb_begin(b, kind, rank, dim);
    orr_dtype t = dtype[rsh_draw(8)];
    int reg[12], n = 0, loads = 1 + (int)rsh_draw(3);
    for (int i = 0; i < loads; i++)
        reg[n++] = t == ORR_F64 ? rb_cast(b, t, rb_load(b, rsh_access(b, ORR_I8))) : rb_load(b, rsh_access(b, t));
    if (rsh_draw(2))
        reg[n++] = rb_scalar(b, t, orr__scalar_cast((orr__scalar){ .f = 2 }, ORR_F64, t));
    for (int i = (int)rsh_draw(5); i > 0; i--, n++)
        reg[n] = rb_ew(b, binary[rsh_draw(4)], reg[rsh_draw(n)], reg[rsh_draw(n)], -1);
    if (kind == RB_MAP) {
        for (int o = 1 + (int)rsh_draw(4); o > 0; o--)
            rb_out(b, t, reg[rsh_draw(n)]);
        return;
    }
    b->r.rmask = kind == RB_REDUCE ? 1 + (uint32_t)rsh_draw((1 << rank) - 1) : 1u << rsh_draw(rank);
    b->r.rop[0] = kind == RB_REDUCE && rsh_draw(2) ? ORR__RSUM : ORR__RMAX + (int)rsh_draw(2);
    rb_out(b, kind == RB_ARGREDUCE ? ORR_I64 : t == ORR_I8 && b->r.rop[0] == ORR__RSUM ? ORR_I64 : t, reg[n - 1]);
}

static void many(rb_kind kind, const char *what)
{
    static rb b;
    for (int i = 0; i < 300; i++) {
        any_region(&b, kind);
        rc_check(what, &b, b.r.rmask & 1u ? 1 : 1 + (int)rsh_draw(3), 0, 4, 0);
    }
}

static void any_map(void)
{
    many(RB_MAP, "any map");
}
static void any_reduction(void)
{
    many(RB_REDUCE, "any reduction");
}
static void any_position(void)
{
    many(RB_ARGREDUCE, "any argreduce");
}

/* -- reductions ---------------------------------------------------------------------------------------------- */

static void infinite_sums_are_infinite(void)
{
    static rb b;
    const int64_t dim[2] = { 3, 2000 };
    float *x = rc_new(ORR_F32, 6000), got[3];
    rb_begin(&b, RB_REDUCE, 2, dim);
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 2;
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 6000))));
    x[1999] = INFINITY;
    x[2500] = INFINITY;
    x[3900] = -INFINITY;
    x[4000] = NAN;
    rc_run run = { .b = &b, .hi = 3, .in = { x }, .in_n = { 6000 }, .out = { got }, .out_n = { 3 } };
    if (rc_launch(&run))
        ORR_CHECK(got[0] == INFINITY && isnan(got[1]) && isnan(got[2]));
    free(x);
}

static void partial_folds_begin_afresh(void)
{
    static rb b;
    const int64_t dim[2] = { 10, 6 };
    int32_t x[60];
    int64_t got[6];
    for (int i = 0; i < 60; i++)
        x[i] = i;
    rb_begin(&b, RB_REDUCE, 2, dim);
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 1;
    rb_out(&b, ORR_I64, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I32, 60))));
    for (int64_t lo = 0; lo < 10; lo += 5) {
        memset(got, 0x55, sizeof got);
        rc_run run = { .b = &b, .lo = lo, .hi = lo + 5, .in = { x }, .in_n = { 60 }, .out = { got }, .out_n = { 6 } };
        if (rc_launch(&run))
            for (int c = 0; c < 6; c++)
                ORR_CHECK(got[c] == 5 * c + 6 * (lo ? 35 : 10));
    }
}

static void empty_folds_are_the_identity(void)
{
    static rb b;
    static const struct {
        int rop;
        double want;
    } row[] = {
        { ORR__RSUM, 0 },
        { ORR__RPROD, 1 },
        { ORR__RMAX, -INFINITY },
        { ORR__RMIN, INFINITY },
    };
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0; i < 4; i++) {
            const int64_t dim[2] = { axis ? 3 : 0, axis ? 0 : 3 };
            double got[3] = { 7, 7, 7 };
            rb_begin(&b, RB_REDUCE, 2, dim);
            b.r.rop[0] = row[i].rop;
            b.r.rmask = 1u << axis;
            rb_out(&b, ORR_F64, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F64, 0))));
            rc_run run = { .b = &b, .hi = dim[0], .in = { got }, .out = { got }, .out_n = { 3 } };
            if (rc_launch(&run))
                ORR_CHECK(got[0] == row[i].want && got[2] == row[i].want);
        }
}

/* -- the backend itself --------------------------------------------------------------------------------------- */

typedef struct {
    orr__kernel *k;
    const rb *b;
    float value;
    bool ok;
} worker;

static void *work(void *p)
{
    worker *w = p;
    enum { N = 5000, TIMES = 200 };
    float *x = rc_new(ORR_F32, N), *y = rc_new(ORR_F32, N);
    w->ok = true;
    for (int t = 0; t < TIMES && w->ok; t++) {
        for (int i = 0; i < N; i++)
            x[i] = w->value + (float)t;
        orr__launch l = {
            .region = &w->b->r, .hi = N, .in = (void *[]){ x }, .out = (void *[]){ y }, .scalar = w->b->scalar
        };
        w->ok = orr__cpu.launch(w->k, &l) == ORR_OK;
        for (int i = 0; i < N && w->ok; i++)
            w->ok = y[i] == 2 * x[i] * x[i];
    }
    free(x);
    free(y);
    return NULL;
}

static void several_threads_launch_one_kernel(void)
{
    static rb b;
    enum { THREADS = 4 };
    const int64_t n = 5000;
    pthread_t thread[THREADS];
    worker w[THREADS];
    orr__kernel *k = NULL;
    int started = 0;
    rb_begin(&b, RB_MAP, 1, &n);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n))), y = rb_ew(&b, "mul", x, x, -1);
    rb_out(&b, ORR_F32, rb_ew(&b, "add", y, y, -1));
    ORR_REQUIRE(orr__cpu.prepare(&b.r, &k) == ORR_OK);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){ k, &b, (float)i * 16, false };
        started += pthread_create(&thread[i], NULL, work, &w[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < started; i++)
        ORR_CHECK(w[i].ok);
    orr__cpu.release(k);
}

/* More live registers than a cache holds blocks of. */
static void many_registers_at_once(void)
{
    static rb b;
    const int64_t n = 3000;
    int reg[60];
    rb_begin(&b, RB_MAP, 1, &n);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F64, n)));
    for (int i = 0; i < 60; i++)
        reg[i] = rb_ew(&b, i % 2 ? "mul" : "add", x, rb_scalar(&b, ORR_F64, (orr__scalar){ .f = i }), -1);
    for (int i = 1; i < 60; i++)
        reg[i] = rb_ew(&b, i % 3 ? "sub" : "maximum", reg[i], reg[i - 1], -1);
    rb_out(&b, ORR_F64, reg[59]);
    rc_check("many registers", &b, 2, -2, 2, 0);
}

static void refused_device_memory_is_error(void)
{
    static rb b;
    const int64_t n = 10;
    orr_status st = ORR_ENOMEM;
    rb_begin(&b, RB_MAP, 1, &n);
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n))));
    for (long after = 0; after < 20 && st != ORR_OK; after++) {
        orr__kernel *k = NULL;
        orr__pool_fail_after(after);
        st = orr__cpu.prepare(&b.r, &k);
        orr__pool_fail_after(-1);
        ORR_CHECK(st == ORR_OK ? k != NULL : st == ORR_ENOMEM && !k);
        orr__cpu.release(k);
    }
    ORR_CHECK(st == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        RT_TESTS,
        ORR_TEST(nan_of_any_payload_stays_nan),
        ORR_TEST(random_numbers_of_long_runs),
        ORR_TEST(nan_bounds_win_in_clip),
        ORR_TEST(reductions_of_every_shape),
        ORR_TEST(folds_of_narrow_columns),
        ORR_TEST(folds_of_joined_rows),
        ORR_TEST(maps_across_lines),
        ORR_TEST(maps_of_permuted_operands),
        ORR_TEST(sums_of_small_integers),
        ORR_TEST(maps_of_any_accesses),
        ORR_TEST(rows_see_their_folds),
        ORR_TEST(rows_fold_computed_values),
        ORR_TEST(rows_draw_their_numbers),
        TK_TESTS(ORR_TEST_OF) ORR_TEST(graphs_equal_reference),
        ORR_TEST(f32_functions_meet_promised_ulp),
        ORR_TEST(blocks_end_with_the_data),
        ORR_TEST(any_map),
        ORR_TEST(any_reduction),
        ORR_TEST(any_position),
        ORR_TEST(long_sums_are_compensated),
        ORR_TEST(infinite_sums_are_infinite),
        ORR_TEST(partial_folds_begin_afresh),
        ORR_TEST(empty_folds_are_the_identity),
        ORR_TEST(several_threads_launch_one_kernel),
        ORR_TEST(many_registers_at_once),
        ORR_TEST(refused_device_memory_is_error),
        { 0 },
    };
    return orr_test_main(argc, argv, "codelets.cpu", tests);
}
