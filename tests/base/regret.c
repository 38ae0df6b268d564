/* The ledger of regret, with times of the test: leave, reserved and reported excess, the bound of the first evaluations.
 * Must not know: what is tried. */
#include "config.h"
#include <math.h>
#include "runtime/base/regret.h"
#include "tests/harness/harness.h"

static bool near(double x, double y)
{
    return fabs(x - y) < 1e-6;
}

static void nothing_is_tried_before_anything_is_evaluated(void)
{
    orr__regret_clear();
    ORR_CHECK(!orr__regret_leave(1e-6));
    ORR_CHECK(orr__regret_leave(0));
    orr__regret_return(0);
    orr__regret r = orr__regret_now();
    ORR_CHECK(r.trials == 0 && r.refused == 1 && r.excess == 0 && r.bound == 0);
}

static void excess_stays_below_five_percent(void)
{
    orr__regret_clear();
    orr__regret_evaluated(1000, 2.0);
    ORR_CHECK(near(orr__regret_now().bound, 0.1));
    int n = 0;
    while (n < 100 && orr__regret_leave(0.015)) {
        orr__regret_report(0.015, 0.012);
        n++;
    }
    orr__regret r = orr__regret_now();
    ORR_CHECK_MSG(n == 8 && near(r.excess, 8 * 0.012) && r.trials == 8, "%d trials, %g s", n, r.excess);
    orr__regret_evaluated(1, 0.3);
    ORR_CHECK(orr__regret_leave(0.015) && !orr__regret_leave(0.015));
    orr__regret_return(0.015);
}

static void trials_under_way_are_counted(void)
{
    orr__regret_clear();
    orr__regret_evaluated(1000, 1.0);
    ORR_CHECK(orr__regret_leave(0.03));
    ORR_CHECK(!orr__regret_leave(0.03));
    orr__regret_return(0.03);
    ORR_CHECK(orr__regret_leave(0.03));
    orr__regret_report(0.03, -1); /* a gain pays for nothing */
    ORR_CHECK(orr__regret_now().excess == 0 && orr__regret_leave(0.05) && !orr__regret_leave(0.001));
    orr__regret_return(0.05);
}

static void the_first_evaluations_have_ten_milliseconds(void)
{
    orr__regret_clear();
    orr__regret_evaluated(50, 10.0);
    ORR_CHECK(near(orr__regret_now().bound, 0.010));
    ORR_CHECK(!orr__regret_leave(0.011) && orr__regret_leave(0.009));
    orr__regret_report(0.009, 0.009);
    ORR_CHECK(!orr__regret_leave(0.002));
    orr__regret_evaluated(1, 0.1);
    ORR_CHECK(near(orr__regret_now().bound, 0.505) && orr__regret_leave(0.002));
    orr__regret_return(0.002);
}

/* One trial may take longer than it was expected to: the next ones wait until the bound has grown past it. */
static void an_unexpected_excess_is_paid_off(void)
{
    orr__regret_clear();
    orr__regret_evaluated(1000, 1.0);
    ORR_CHECK(orr__regret_leave(0.01));
    orr__regret_report(0.01, 0.2);
    ORR_CHECK(!orr__regret_leave(0) && !orr__regret_leave(0.01));
    orr__regret_evaluated(1000, 3.5);
    ORR_CHECK(orr__regret_leave(0.01));
    orr__regret_return(0.01);
    orr__regret_add(1);
    ORR_CHECK(orr__regret_now().trials == 1 && !orr__regret_leave(0));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(nothing_is_tried_before_anything_is_evaluated),
                                      ORR_TEST(excess_stays_below_five_percent),
                                      ORR_TEST(trials_under_way_are_counted),
                                      ORR_TEST(the_first_evaluations_have_ten_milliseconds),
                                      ORR_TEST(an_unexpected_excess_is_paid_off),
                                      { 0 } };
    return orr_test_main(argc, argv, "base.regret", tests);
}
