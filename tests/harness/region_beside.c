/* For tests of codelets: several folds of one region, and accesses that read only in a box of the iteration.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_tests.h"

void several_reductions_at_once(void)
{
    static rb b;
    const unsigned long long before = rc_state; /* restored later: the random numbers of later cases must not change */
    static const struct {
        int rank;
        int64_t dim[3];
        uint32_t mask;
    } of[] = { { 2, { 37, 21 }, 1 },    { 2, { 21, 1037 }, 2 }, { 2, { 70, 2100 }, 1 },
               { 1, { 5000 }, 1 },      { 3, { 6, 5, 9 }, 5 },  { 3, { 6, 5, 9 }, 2 },
               { 3, { 3, 700, 4 }, 6 }, { 2, { 3, 1 }, 2 },     { 3, { 2, 150, 3 }, 3 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int outs = 2; outs <= ORR__REGION_OUTS; outs++) {
            char what[64];
            rb_begin(&b, RB_REDUCE, of[i].rank, of[i].dim);
            b.r.rmask = of[i].mask;
            int64_t n = 1;
            for (int d = 0; d < of[i].rank; d++)
                n *= of[i].dim[d];
            int x = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n)));
            int y = rb_cast(&b, ORR_F64, rb_ew(&b, "square", x, -1, -1));
            int big = rb_ew(&b, "greater", x, rb_scalar(&b, ORR_F32, (orr__scalar){ .f = 0.5 }), -1);
            const int reg[ORR__REGION_OUTS] = { x, y, x, big }, rop[] = { ORR__RSUM, ORR__RMIN, ORR__RMAX, ORR__RSUM };
            for (int k = 0; k < outs; k++) {
                b.r.rop[k] = rop[k];
                rb_out(&b, k == 0 && i % 2 ? ORR_F16 : k == 3 ? ORR_U64 : k == 1 ? ORR_F64 : ORR_F32, reg[k]);
            }
            (void)snprintf(what, sizeof what, "%d folds, shape %d,", outs, (int)i);
            rc_check(what, &b, i % 3 == 2 ? 2 : 1, -3, 3, 0);
        }
    rc_state = before;
}

void parts_of_the_iteration(void)
{
    static rb b;
    const unsigned long long before = rc_state;
    static const orr_dtype type[] = { ORR_F32, ORR_F16, ORR_I64, ORR_U8 };
    for (int fold = 0; fold < 4; fold++)
        for (size_t t = 0; t < sizeof type / sizeof *type; t++) {
            rb_begin(&b, fold ? RB_REDUCE : RB_MAP, 2, (int64_t[]){ 7, 2100 });
            b.r.rmask = (uint32_t)fold;
            b.r.rop[0] = ORR__RMAX;
            int a =
                rb_box(&b, rb_access(&b, rb_input(&b, type[t], 4 * 60), -1 * 60 - 3, (int64_t[]){ 60, 1 }), 0, 1, 5);
            int x = rb_load(&b, rb_box(&b, a, 1, 3, 63));
            int y = rb_load(
                &b, rb_box(&b, rb_access(&b, rb_input(&b, type[t], 5000), 4199, (int64_t[]){ 0, -2 }), 1, 60, 2100));
            rb_access(&b, -1, 0, (int64_t[]){ 0, 0 });
            int in = rb_push(&b, ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1, rb_box(&b, 2, 1, 50, 1000), -1);
            int seven = rb_scalar(&b, type[t], orr__scalar_cast((orr__scalar){ .f = 7 }, ORR_F64, type[t]));
            int z = rb_ew(&b, "where", in, rb_ew(&b, "add", x, y, -1), seven);
            rb_out(&b, type[t], rb_ew(&b, "add", z, x, -1));
            rc_check(fold ? "fold of parts" : "parts", &b, fold & 1 ? 1 : 3, 0, 9, 0);
        }
    rc_state = before;
}
