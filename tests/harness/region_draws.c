/* For tests of codelets: random numbers in ranges with any begin and end, longer than a block of a loop.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_tests.h"

static void rd_draws(rb_kind kind, int dist, orr_dtype t, int64_t offset, double ulp)
{
    static rb b;
    const int64_t dim[2] = { 3, 2100 + offset }, stride[2] = { 2307, 1 };
    rb_begin(&b, kind, 2, dim);
    b.r.rmask = kind == RB_REDUCE ? 2 : 0;
    b.r.rop[0] = ORR__RMAX;
    int x = rb_random(&b, dist, t, rb_access(&b, -1, offset, stride), 0x123456789abcdefu, (uint64_t)-50, 1000);
    rb_out(&b, t, x);
    if (kind == RB_MAP)
        rb_out(&b, ORR_BOOL, rb_ew(&b, "less", x, rb_random(&b, dist, t, rb_access(&b, -1, 5, stride), 77, 3, 90), -1));
    rc_check("draws", &b, 2, 0, 1, ulp);
}

void random_numbers_of_long_runs(void)
{
    static const struct {
        int dist;
        orr_dtype t;
    } of[] = { { ORR__DBITS, ORR_U32 },    { ORR__DBITS, ORR_U64 },     { ORR__DBITS, ORR_U8 },
               { ORR__DUNIFORM, ORR_F16 }, { ORR__DUNIFORM, ORR_BF16 }, { ORR__DUNIFORM, ORR_F32 },
               { ORR__DUNIFORM, ORR_F64 }, { ORR__DINTEGERS, ORR_I16 }, { ORR__DINTEGERS, ORR_I64 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int64_t offset = 0; offset < 4; offset++)
            rd_draws(offset == 2 ? RB_REDUCE : RB_MAP, of[i].dist, of[i].t, offset, 0);
    for (int64_t offset = 0; offset < 3; offset++) {
        rd_draws(RB_REDUCE, ORR__DNORMAL, ORR_F64, offset, 16);
        rd_draws(RB_REDUCE, ORR__DNORMAL, ORR_F32, offset, 1);
    }
}
