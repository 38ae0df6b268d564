/* Shape arithmetic: counts that cannot overflow, broadcasting, axes, text.
 * Must not know: tensors. */
#include "config.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"

#include <string.h>

static int64_t count(orr_shape s)
{
    return orr__shape_count(&s);
}

static bool valid(orr_shape s)
{
    return orr__shape_valid(&s);
}

static void count_never_overflows(void)
{
    ORR_CHECK(count(ORR_SHAPE_0D) == 1);
    ORR_CHECK(count(ORR_SHAPE(2, 3)) == 6);
    ORR_CHECK(count(ORR_SHAPE(2, 0, 3)) == 0);
    ORR_CHECK(count(ORR_SHAPE((int64_t)1 << 31, (int64_t)1 << 32)) == -1);
    ORR_CHECK(count(ORR_SHAPE((int64_t)1 << 29, (int64_t)1 << 30)) == (int64_t)1 << 59);
    ORR_CHECK(count(ORR_SHAPE(INT64_MAX / 8 + 1)) == -1);
    ORR_CHECK(count(ORR_SHAPE(0, INT64_MAX, INT64_MAX)) == -1);
}

static void invalid_shape_is_detected(void)
{
    orr_shape s = ORR_SHAPE(1, -1);
    ORR_CHECK(!valid(s));
    s.rank = 9;
    ORR_CHECK(!valid(s));
    s.rank = -1;
    ORR_CHECK(!valid(s));
    ORR_CHECK(valid(ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 0)) && valid(ORR_SHAPE_0D));
}

static bool broadcasts(orr_shape a, orr_shape b, orr_shape want)
{
    orr_shape r;
    return orr__shape_broadcast(&a, &b, &r) && orr__shape_equal(&r, &want) && orr__shape_broadcast(&b, &a, &r) &&
           orr__shape_equal(&r, &want);
}

static void broadcasting_is_numpys(void)
{
    orr_shape r, a = ORR_SHAPE(2, 3), b = ORR_SHAPE(2), c = ORR_SHAPE(0, 3);
    ORR_CHECK(broadcasts(ORR_SHAPE(2, 3), ORR_SHAPE(3), ORR_SHAPE(2, 3)));
    ORR_CHECK(broadcasts(ORR_SHAPE(2, 1), ORR_SHAPE(1, 3), ORR_SHAPE(2, 3)));
    ORR_CHECK(broadcasts(ORR_SHAPE_0D, ORR_SHAPE(4, 0), ORR_SHAPE(4, 0)));
    ORR_CHECK(broadcasts(ORR_SHAPE(1), ORR_SHAPE(0), ORR_SHAPE(0)));
    ORR_CHECK(broadcasts(ORR_SHAPE(8, 1, 6, 1), ORR_SHAPE(7, 1, 5), ORR_SHAPE(8, 7, 6, 5)));
    ORR_CHECK(!orr__shape_broadcast(&a, &b, &r));
    ORR_CHECK(!orr__shape_broadcast(&a, &c, &r));
    orr_shape tall = ORR_SHAPE((int64_t)1 << 40, 1), wide = ORR_SHAPE((int64_t)1 << 40);
    ORR_CHECK(!orr__shape_broadcast(&tall, &wide, &r));
}

static void strides_are_row_major(void)
{
    orr_shape s = ORR_SHAPE(2, 3, 4);
    int64_t st[ORR_MAX_RANK];
    orr__shape_strides(&s, st);
    ORR_CHECK(st[0] == 12 && st[1] == 4 && st[2] == 1);
}

static void axes_count_from_both_ends_and_once(void)
{
    uint32_t m = 0;
    ORR_CHECK(orr__axis(-1, 3) == 2 && orr__axis(0, 3) == 0 && orr__axis(3, 3) == -1 && orr__axis(-4, 3) == -1);
    ORR_CHECK(orr__axis(0, 0) == -1);
    ORR_CHECK(orr__axes_mask(ORR_AXES(0, -1), 3, &m) && m == 5);
    ORR_CHECK(orr__axes_mask(ORR_ALL_AXES, 3, &m) && m == 7);
    ORR_CHECK(orr__axes_mask(ORR_ALL_AXES, 0, &m) && m == 0);
    ORR_CHECK(!orr__axes_mask(ORR_AXES(0, -3), 3, &m));
    ORR_CHECK(!orr__axes_mask(ORR_AXES(3), 3, &m));
    orr_axes broken = { 9, { 0 } };
    ORR_CHECK(!orr__axes_mask(broken, 8, &m));
    broken.n = -2;
    ORR_CHECK(!orr__axes_mask(broken, 8, &m));
}

static void shape_text_equals_python(void)
{
    char b[16], tiny[4];
    ORR_CHECK(strcmp(orr_shape_format(ORR_SHAPE(2, 3), b, sizeof b), "(2, 3)") == 0);
    ORR_CHECK(strcmp(orr_shape_format(ORR_SHAPE(5), b, sizeof b), "(5,)") == 0);
    ORR_CHECK(strcmp(orr_shape_format(ORR_SHAPE_0D, b, sizeof b), "()") == 0);
    orr_shape_format(ORR_SHAPE(12345, 678), tiny, sizeof tiny);
    ORR_CHECK(strlen(tiny) <= 3);
    orr_shape s = ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1);
    for (int k = 0; k < 8; k++)
        s.dim[k] = INT64_MAX;
    orr__shape_str full = orr__str(s);
    ORR_CHECK(full.s[strlen(full.s) - 1] == ')');
    s.rank = 77;
    ORR_CHECK(strstr(orr__str(s).s, "77") != NULL);
}

static void multiplication_is_checked(void)
{
    int64_t r;
    ORR_CHECK(orr__mul64(3, 5, &r) && r == 15);
    ORR_CHECK(!orr__mul64(INT64_MAX, 2, &r));
    ORR_CHECK(orr__mul64(INT64_MAX, 0, &r) && r == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(count_never_overflows),
        ORR_TEST(invalid_shape_is_detected),
        ORR_TEST(broadcasting_is_numpys),
        ORR_TEST(strides_are_row_major),
        ORR_TEST(axes_count_from_both_ends_and_once),
        ORR_TEST(shape_text_equals_python),
        ORR_TEST(multiplication_is_checked),
        { 0 },
    };
    return orr_test_main(argc, argv, "base.shape", tests);
}
