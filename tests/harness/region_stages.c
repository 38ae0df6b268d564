/* For tests of codelets: bodies too long for one loop, with a late use of early values, masks and numbers.
 * Must not know: where they are cut. */
#include "config.h"
#include "tests/harness/region_tests.h"

static void rs_long_body(orr_dtype t, double ulp)
{
    static rb b;
    const int64_t dim[2] = { 3, 701 };
    rb_begin(&b, RB_MAP, 2, dim);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, t, 3 * 701)));
    int y = rb_load(&b, rb_access(&b, rb_input(&b, t, 3 * 701), 700, (int64_t[]){ 701, -1 })); /* reversed */
    int row = rb_load(&b, rb_access(&b, rb_input(&b, t, 3), 0, (int64_t[]){ 1, 0 }));
    int drawn = rb_random(&b, ORR__DUNIFORM, t, rb_access(&b, -1, 3, (int64_t[]){ 701, 1 }), 7, 5, 0);
    int mask = rb_ew(&b, "less", x, y, -1);
    int early = rb_ew(&b, "log", x, -1, -1);
    int v = rb_ew(&b, "add", early, row, -1);
    for (int i = 0; i < 4; i++) {
        v = rb_ew(&b, "erf", rb_ew(&b, "add", v, i == 2 ? drawn : y, -1), -1, -1);
        v = rb_ew(&b, "log", rb_ew(&b, "add", rb_ew(&b, "abs", v, -1, -1), x, -1), -1, -1);
    }
    rb_out(&b, t, rb_ew(&b, "where", mask, v, rb_ew(&b, "mul", early, row, -1)));
    rb_out(&b, t, early);
    rb_out(&b, ORR_BOOL, mask);
    rc_check("long body", &b, 2, 1, 2, ulp);
}

void bodies_too_long_for_one_loop(void)
{
    rs_long_body(ORR_F32, 200);
    rs_long_body(ORR_F64, 200);
    rs_long_body(ORR_BF16, 30);
    rs_long_body(ORR_F16, 30);
}
