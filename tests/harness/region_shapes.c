/* For tests of codelets: regions of many shapes: reductions over any axes, maps with any accesses, rows that read their
 * folds.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_tests.h"

int64_t rsh_draw(int64_t below)
{
    return (int64_t)(orr_test_rand(&rc_state) % (uint64_t)below);
}

void reductions_of_every_shape(void)
{
    static rb b;
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_I16, ORR_BF16 };
    static const int64_t shape[][3] = { { 3, 5, 2100 }, { 2, 1500, 3 }, { 40, 1, 70 }, { 2, 33, 64 } };
    for (int s = 0; s < 4; s++)
        for (uint32_t mask = 1; mask < 8; mask++) {
            orr_dtype t = type[(s + (int)mask) % 4];
            int64_t n = shape[s][0] * shape[s][1] * shape[s][2];
            rb_begin(&b, RB_REDUCE, 3, shape[s]);
            b.r.rmask = mask;
            b.r.rop[0] = mask % 3 == 0 ? ORR__RMAX : ORR__RSUM;
            int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I8, n)));
            int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_I8, shape[s][1]), 0, (int64_t[]){ 0, 1, 0 }));
            int v = rb_ew(&b, "add", rb_cast(&b, t, x), rb_cast(&b, t, y), -1);
            rb_out(&b, t == ORR_I16 && b.r.rop[0] == ORR__RSUM ? ORR_I64 : t, v);
            rc_check("reduction", &b, mask & 1u ? 1 : 2, -3, 4, 0);
        }
}

void folds_of_narrow_columns(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    static const struct {
        int64_t dim[3];
        orr_dtype t;
        int rop;
    } of[] = { { { 1, 64, 63 }, ORR_F32, ORR__RSUM },   { { 1, 1025, 13 }, ORR_F32, ORR__RMAX },
               { { 3, 700, 5 }, ORR_F16, ORR__RSUM },   { { 2, 2100, 2 }, ORR_F64, ORR__RSUM },
               { { 2, 1023, 33 }, ORR_I8, ORR__RSUM },  { { 1, 65, 17 }, ORR_I32, ORR__RPROD },
               { { 4, 130, 7 }, ORR_BOOL, ORR__RANY },  { { 1, 3000, 3 }, ORR_BF16, ORR__RMIN },
               { { 2, 2049, 15 }, ORR_F32, ORR__RSUM }, { { 1, 79, 31 }, ORR_U16, ORR__RMAX },
               { { 2, 1100, 16 }, ORR_U8, ORR__RSUM },  { { 1, 1039, 48 }, ORR_F32, ORR__RSUM },
               { { 1, 130, 32 }, ORR_F16, ORR__RMAX },  { { 3, 2100, 20 }, ORR_BF16, ORR__RSUM },
               { { 2, 141, 26 }, ORR_F32, ORR__RMIN },  { { 1, 1300, 49 }, ORR_F16, ORR__RSUM } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int outs = 1; outs <= 2; outs++) {
            const int64_t *dim = of[i].dim, n = dim[0] * dim[1] * dim[2];
            bool sums = of[i].rop == ORR__RSUM || of[i].rop == ORR__RPROD;
            orr_dtype wide = orr__is_float(of[i].t) ? ORR_F64 : ORR_I64;
            rb_begin(&b, RB_REDUCE, 3, dim);
            b.r.rmask = 2;
            int x = rb_load(&b, rb_linear(&b, rb_input(&b, of[i].t == ORR_F64 ? ORR_I8 : of[i].t, n)));
            x = of[i].t == ORR_F64 ? rb_cast(&b, ORR_F64, x)
                                   : x; /* few digits: the order of a sum does not change it */
            int y =
                outs == 1 ? x : rb_load(&b, rb_access(&b, rb_input(&b, of[i].t, dim[2]), 0, (int64_t[]){ 0, 0, 1 }));
            for (int k = 0; k < outs; k++) {
                b.r.rop[k] = of[i].rop;
                rb_out(&b, sums ? wide : of[i].t,
                       k && of[i].t != ORR_BOOL && of[i].t != ORR_F64 ? rb_ew(&b, "maximum", x, y, -1) : x);
            }
            char what[64];
            (void)snprintf(what, sizeof what, "columns %d, %d folds,", (int)i, outs);
            rc_check(what, &b, dim[0] > 1 ? 2 : 1, of[i].rop == ORR__RMIN ? 1 : -2, of[i].rop == ORR__RMAX ? -1 : 3, 0);
        }
    rc_state = before;
}

/* Rows of costly values whose operands are of each kind: contiguous, apart, of each row, of each column. All nests. */
void folds_of_joined_rows(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    enum { WORK = 16, NESTS = 3 }; /* additions: more than a store */
    static const struct {
        int64_t dim[3];
        orr_dtype t;
        int rop;
    } of[] = { { { 1, 64, 63 }, ORR_F32, ORR__RSUM },   { { 2, 90, 33 }, ORR_F32, ORR__RMAX },
               { { 3, 35, 41 }, ORR_F64, ORR__RMAX },   { { 1, 300, 7 }, ORR_F32, ORR__RSUM },
               { { 2, 41, 100 }, ORR_F16, ORR__RSUM },  { { 1, 37, 256 }, ORR_F32, ORR__RSUM },
               { { 1, 50, 129 }, ORR_BF16, ORR__RMIN }, { { 2, 99, 48 }, ORR_I32, ORR__RPROD },
               { { 1, 130, 31 }, ORR_I16, ORR__RSUM },  { { 2, 65, 65 }, ORR_U8, ORR__RMAX },
               { { 1, 513, 2 }, ORR_F64, ORR__RPROD },  { { 1, 40, 200 }, ORR_I64, ORR__RSUM },
               { { 5, 20, 128 }, ORR_F32, ORR__RSUM },  { { 1, 70, 64 }, ORR_F16, ORR__RMIN } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int nest = 0; nest < NESTS; nest++) {
            const int64_t *dim = of[i].dim, rows = dim[0] * dim[1], len = dim[2];
            orr_dtype t = of[i].t;
            bool sums = of[i].rop == ORR__RSUM || of[i].rop == ORR__RPROD;
            rb_begin(&b, RB_REDUCE, 3, dim);
            b.r.rmask = 4;
            b.r.nest = nest + 1;
            int x[] = { rb_load(&b, rb_linear(&b, rb_input(&b, t, rows * len))),
                        rb_load(&b, rb_access(&b, rb_input(&b, t, rows * (len + 2)), 1,
                                              (int64_t[]){ dim[1] * (len + 2), len + 2, 1 })),
                        rb_load(&b, rb_access(&b, rb_input(&b, t, rows), 0, (int64_t[]){ dim[1], 1, 0 })),
                        rb_load(&b, rb_access(&b, rb_input(&b, t, len), 0, (int64_t[]){ 0, 0, 1 })) };
            int y = x[0];
            for (int k = 1; k < WORK; k++)
                y = rb_ew(&b, k & 1 ? "maximum" : "minimum", y, x[k % 4], -1);
            b.r.rop[0] = b.r.rop[1] = of[i].rop;
            for (int k = 0; k < 2; k++)
                rb_out(&b, !sums ? t : orr__is_float(t) ? ORR_F64 : ORR_I64, k ? x[1] : y);
            char what[64];
            (void)snprintf(what, sizeof what, "joined rows %d, nest %d,", (int)i, nest);
            rc_check(what, &b, dim[0] > 1 ? 2 : 1, of[i].rop == ORR__RPROD ? 1 : 0, of[i].rop == ORR__RPROD ? 2 : 5, 0);
        }
    rc_state = before;
}

/* Rows whose elements are in lines of their own, which rows beside share: a transposed and reversed operand, read too few times to be copied first. */
void maps_across_lines(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    static const orr_dtype type[] = { ORR_F32, ORR_U8, ORR_F64, ORR_F16 };
    for (int t = 0; t < 4; t++) {
        int64_t size = (int64_t)orr_dtype_size(type[t]), beside = 64 / size, length = 16500;
        rb_begin(&b, RB_MAP, 3, (const int64_t[]){ 2, 2, length });
        int x = rb_load(&b, rb_access(&b, rb_input(&b, type[t], (beside + 9) * length), (length - 1) * (beside + 9) + 2,
                                      (int64_t[]){ 2, -1, -beside - 9 }));
        int y = rb_load(&b, rb_linear(&b, rb_input(&b, type[t], 4 * length)));
        rb_out(&b, type[t], rb_ew(&b, "maximum", x, y, -1));
        rb_out(&b, type[t], rb_ew(&b, "minimum", x, y, -1));
        rc_check("lines", &b, 1 + t % 2, 0, 90, 0);
    }
    rc_state = before;
}

/* Integers of one and two bytes, and truth values, are counted as they are, even if floats are made of them first. */
void sums_of_small_integers(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    static const struct {
        int64_t dim[2];
        orr_dtype t, as;
    } of[] = { { { 5, 2100 }, ORR_U16, ORR_F32 }, { { 300, 33 }, ORR_I8, ORR_F32 },  { { 700, 7 }, ORR_BOOL, ORR_F32 },
               { { 9, 1055 }, ORR_I16, ORR_I16 }, { { 40, 70 }, ORR_BOOL, ORR_F16 }, { { 64, 100 }, ORR_U8, ORR_F64 },
               { { 100, 50 }, ORR_U8, ORR_BF16 }, { { 3, 97 }, ORR_I16, ORR_F16 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        orr_dtype t = of[i].t, as = of[i].as;
        int64_t n = of[i].dim[0] * of[i].dim[1];
        rb_begin(&b, RB_REDUCE, 2, of[i].dim);
        b.r.rmask = 2;
        int x = rb_load(&b, rb_linear(&b, rb_input(&b, t == ORR_BOOL ? ORR_I8 : t, n)));
        int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_I8, of[i].dim[1]), 0, (int64_t[]){ 0, 1 }));
        x = t == ORR_BOOL ? rb_ew(&b, "less", x, y, -1) : x;
        b.r.rop[0] = b.r.rop[1] = ORR__RSUM;
        rb_out(&b, orr__is_float(as) ? as : ORR_I64, as == t ? x : rb_cast(&b, as, x));
        rb_out(&b, ORR_F32, rb_cast(&b, ORR_F32, y));
        char what[64];
        (void)snprintf(what, sizeof what, "small integers %d,", (int)i);
        rc_check(what, &b, 1, t == ORR_U8 || t == ORR_U16 ? 0 : -100, 100, 0);
    }
    rc_state = before;
}

int rsh_access(rb *b, orr_dtype t)
{
    int64_t stride[ORR_MAX_RANK], offset = rsh_draw(4), count = 1;
    int order[ORR_MAX_RANK], rank = b->r.rank;
    for (int d = 0; d < rank; d++)
        order[d] = d;
    for (int d = rank - 1; d > 0 && rsh_draw(3) == 0; d--) {
        int k = (int)rsh_draw(d + 1), o = order[d];
        order[d] = order[k];
        order[k] = o;
    }
    for (int d = rank - 1; d >= 0; d--) {
        int a = order[d];
        int64_t n = b->r.dim[a], kind = rsh_draw(8);
        stride[a] = kind == 0 ? 0 : count;
        count *= kind == 0 ? 1 : n + (kind == 1);
        if (kind == 2) {
            offset += (n - 1) * stride[a];
            stride[a] = -stride[a];
        }
    }
    return rb_access(b, rb_input(b, t, offset + count + 4), offset, stride);
}

void maps_of_any_accesses(void)
{
    static rb b;
    static const orr_dtype dtype[] = { ORR_F32, ORR_I32, ORR_F64, ORR_I8, ORR_F16, ORR_U16, ORR_I64, ORR_BF16 };
    static const char *const binary[] = { "add", "sub", "maximum", "minimum" };
    for (int i = 0; i < 60; i++) {
        int64_t dim[ORR_MAX_RANK];
        int rank = 1 + (int)rsh_draw(8);
        for (int d = 0; d < rank; d++)
            dim[d] = rsh_draw(5) == 0 ? 1 : 1 + rsh_draw(rank > 4 ? 4 : rank > 2 ? 14 : 200);
        rb_begin(&b, RB_MAP, rank, dim);
        orr_dtype t = dtype[rsh_draw(8)];
        int x = rb_load(&b, rsh_access(&b, t)), y = rb_load(&b, rsh_access(&b, t));
        int z = rb_ew(&b, binary[rsh_draw(4)], x, y, -1);
        rb_out(&b, t, z);
        rb_out(&b, ORR_BOOL, rb_ew(&b, "less", z, y, -1));
        rb_out(&b, t, x);
        rc_check("any map", &b, 1 + (int)rsh_draw(3), 0, 4, 0);
    }
}

void rows_see_their_folds(void)
{
    static rb b;
    static const int64_t shape[][3] = { { 2, 3, 2100 }, { 5, 1, 64 }, { 1, 1, 7 } };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16 };
    for (int s = 0; s < 9; s++) {
        const int64_t *dim = shape[s % 3], n = dim[0] * dim[1] * dim[2];
        orr_dtype t = type[s / 3];
        rb_begin(&b, RB_MAP, 3, dim);
        b.r.loops = ORR__LOOPS_ROWS;
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

void rows_fold_computed_values(void)
{
    static rb b;
    static const int64_t length[] = { 96, 1120, 1024, 2100, 64, 33 };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16 };
    for (int s = 0; s < 18; s++) {
        const int64_t dim[] = { 3, length[s % 6] }, n = dim[0] * dim[1];
        orr_dtype t = type[s / 6];
        rb_begin(&b, RB_MAP, 2, dim);
        b.r.loops = ORR__LOOPS_ROWS;
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

void rows_draw_their_numbers(void)
{
    static rb b;
    static const int64_t shape[][2] = { { 3, 2100 }, { 5, 64 }, { 4, 7 } };
    for (int s = 0; s < 3; s++) {
        const int64_t *dim = shape[s], n = dim[0] * dim[1];
        rb_begin(&b, RB_MAP, 2, dim);
        b.r.loops = ORR__LOOPS_ROWS;
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

/* Operands whose axes are permuted: transposed by tiles, read in blocks of rows, or both beside one in order. */
void maps_of_permuted_operands(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_U8, ORR_I32, ORR_F16 };
    static const struct {
        int64_t dim[4];
        int from[4]; /* the axes in the order of memory */
    } of[] = { { { 37, 5, 130, 1 }, { 2, 1, 0, 3 } },  { { 20, 66, 70, 1 }, { 1, 2, 0, 3 } },
               { { 70, 90, 61, 1 }, { 1, 0, 2, 3 } },  { { 16, 17, 18, 65 }, { 3, 2, 1, 0 } },
               { { 9, 40, 30, 33 }, { 0, 2, 1, 3 } },  { { 3, 33, 1, 4000 }, { 0, 3, 1, 2 } },
               { { 257, 129, 1, 1 }, { 1, 0, 2, 3 } }, { { 8, 50, 40, 21 }, { 2, 0, 3, 1 } } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int t = 0; t < 5; t++) {
            int64_t stride[4], n = 1;
            for (int d = 3; d >= 0; d--) {
                stride[of[i].from[d]] = of[i].dim[of[i].from[d]] > 1 ? n : 0;
                n *= of[i].dim[of[i].from[d]];
            }
            rb_begin(&b, RB_MAP, 4, of[i].dim);
            int x = rb_load(&b, rb_access(&b, rb_input(&b, type[t], n), 0, stride));
            int y = rb_load(&b, rb_linear(&b, rb_input(&b, type[t], n)));
            int z = rb_load(&b, rb_access(&b, rb_input(&b, type[t], of[i].dim[0]), 0, (int64_t[]){ 1, 0, 0, 0 }));
            int m = rb_ew(&b, "maximum", x, z, -1);
            rb_out(&b, type[t], i & 1 ? m : rb_ew(&b, "minimum", m, y, -1));
            if (i % 3 == 0)
                rb_out(&b, type[t], x);
            rc_check("permuted", &b, 1 + (int)i % 2, 0, 90, 0);
        }
    rc_state = before;
}
