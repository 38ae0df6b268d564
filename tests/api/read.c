/* Reading values back: orr_read, orr_data, orr_item, and their errors for wrong calls.
 * Must not know: how a value is computed. */
#include "config.h"
#include <math.h>
#include <string.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include <orrery/elementwise.h>
#include "tests/harness/harness.h"

static const float six[] = { 1, 2, 3, 4, 5, 6 };

static void read_evaluates_and_copies(void)
{
    orr_scope *s = orr_scope_begin();
    float got[6] = { 0 };
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), six);
    ORR_CHECK_MSG(orr_read(orr_mul(x, orr_scalar(2.0)), got, sizeof got) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 6; i++)
        ORR_CHECK(got[i] == 2 * six[i]);
    orr_scope_end(s);
}

/* A buffer of doubles for a tensor of f32 would keep half of its values without a word. */
static void read_into_a_larger_buffer_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), six), *none = orr_from(ORR_F32, ORR_SHAPE(0, 3), six);
    double wide[6] = { -1, -1, -1, -1, -1, -1 };
    ORR_CHECK(orr_read(x, wide, sizeof wide) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "48 bytes") && strstr(orr_error_message(), "float32") &&
                      strstr(orr_error_message(), "(2, 3)") && strstr(orr_error_message(), "needs 24") &&
                      strstr(orr_error_message(), "orr_cast"),
                  "%s", orr_error_message());
    for (int i = 0; i < 6; i++)
        ORR_CHECK(wide[i] == -1);
    ORR_CHECK(orr_read(x, wide, 25) == ORR_EINVAL && orr_read(none, wide, 1) == ORR_EINVAL);
    ORR_CHECK(orr_read(none, wide, 0) == ORR_OK);
    ORR_CHECK(orr_read(orr_cast(x, ORR_F64), wide, sizeof wide) == ORR_OK);
    for (int i = 0; i < 6; i++)
        ORR_CHECK(wide[i] == (double)six[i]);
    orr_scope_end(s);
}

static void read_into_a_short_buffer_writes_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    float got[6] = { -1, -1, -1, -1, -1, -1 };
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), six);
    ORR_CHECK(orr_read(x, got, 23) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "23 bytes") && strstr(orr_error_message(), "needs 24"), "%s",
                  orr_error_message());
    ORR_CHECK(got[0] == -1 && got[5] == -1);
    ORR_CHECK(orr_read(x, NULL, 24) == ORR_EINVAL);
    ORR_CHECK(orr_read(NULL, got, 24) != ORR_OK);
    orr_tensor *none = orr_from(ORR_F32, ORR_SHAPE(0, 3), six);
    ORR_CHECK(orr_read(none, NULL, 0) == ORR_OK);
    orr_scope_end(s);
}

static void data_stays_while_the_tensor_lives(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(6), six), *y = orr_add(x, x);
    const float *p = orr_data(y);
    ORR_REQUIRE(p != NULL);
    orr_free(x);
    for (int i = 0; i < 20; i++)
        (void)orr_data(orr_mul(y, y));
    for (int i = 0; i < 6; i++)
        ORR_CHECK(p[i] == 2 * six[i]);
    ORR_CHECK(orr_data(y) == p);
    orr_scope_end(s);
    ORR_CHECK(orr_data(y) == NULL && orr_error_status() == ORR_EHANDLE);
    ORR_CHECK(orr_data(NULL) == NULL && orr_error_status() != ORR_OK);
}

static void wrapped_memory_is_read_in_place(void)
{
    float mine[3] = { 1, 2, 3 };
    orr_tensor *x = orr_wrap(ORR_F32, ORR_SHAPE(3), mine, NULL, NULL);
    ORR_CHECK(orr_data(x) == mine);
    orr_free(x);
}

static void item_converts_every_dtype(void)
{
    orr_scope *s = orr_scope_begin();
    double v = 0;
    ORR_CHECK(orr_item(orr_from(ORR_BOOL, ORR_SHAPE_0D, &(char){ 1 }), &v) == ORR_OK && v == 1);
    ORR_CHECK(orr_item(orr_from(ORR_I8, ORR_SHAPE(1, 1), &(int8_t){ -7 }), &v) == ORR_OK && v == -7);
    ORR_CHECK(orr_item(orr_from(ORR_U64, ORR_SHAPE_0D, &(uint64_t){ UINT64_MAX }), &v) ==
              ORR_EDTYPE); /* no double represents it */
    ORR_CHECK(orr_item(orr_from(ORR_U64, ORR_SHAPE_0D, &(uint64_t){ (uint64_t)1 << 63 }), &v) == ORR_OK && v == 0x1p63);
    ORR_CHECK(orr_item(orr_from(ORR_F16, ORR_SHAPE_0D, &(uint16_t){ 0x3e00 }), &v) == ORR_OK && v == 1.5);
    ORR_CHECK(orr_item(orr_from(ORR_BF16, ORR_SHAPE_0D, &(uint16_t){ 0x3fc0 }), &v) == ORR_OK && v == 1.5);
    ORR_CHECK(orr_item(orr_from(ORR_F32, ORR_SHAPE_0D, &(float){ 0.5f }), &v) == ORR_OK && v == 0.5);
    ORR_CHECK(orr_item(orr_scalar(2.25), &v) == ORR_OK && v == 2.25);
    ORR_CHECK(orr_item(orr_sum(orr_from(ORR_F32, ORR_SHAPE(6), six), ORR_ALL_AXES, false), &v) == ORR_OK && v == 21);
    orr_scope_end(s);
}

static void item_requires_one_element(void)
{
    orr_scope *s = orr_scope_begin();
    double v = 5;
    ORR_CHECK(orr_item(orr_from(ORR_F32, ORR_SHAPE(2, 3), six), &v) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(2, 3)"), "%s", orr_error_message());
    ORR_CHECK(orr_item(orr_from(ORR_F32, ORR_SHAPE(0), six), &v) == ORR_ESHAPE && v == 5);
    ORR_CHECK(orr_item(orr_scalar(1.0), NULL) == ORR_EINVAL);
    ORR_CHECK(orr_item(NULL, &v) != ORR_OK && v == 5);
    orr_scope_end(s);
}

static void poison_arrives_with_its_own_message(void)
{
    orr_scope *s = orr_scope_begin();
    float got[6];
    double v;
    orr_tensor *bad = orr_add(orr_from(ORR_F32, ORR_SHAPE(2, 3), six), orr_from(ORR_F32, ORR_SHAPE(2), six));
    orr_tensor *later = orr_mul(bad, orr_scalar(2.0));
    orr_error_clear();
    ORR_CHECK(orr_read(later, got, sizeof got) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "add") && strstr(orr_error_message(), "tests/api/read.c:"), "%s",
                  orr_error_message());
    orr_error_clear();
    ORR_CHECK(orr_item(later, &v) == ORR_ESHAPE && strstr(orr_error_message(), "add"));
    ORR_CHECK(orr_data(later) == NULL && orr_error_status() == ORR_ESHAPE);
    orr_scope_end(s);
}

static void reading_before_init_is_a_state_error(void)
{
    ORR_REQUIRE(orr_shutdown() == ORR_OK);
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(6), six);
    float got[6];
    orr_status st = orr_read(x, got, sizeof got);
    ORR_CHECK_MSG(st == ORR_ESTATE && strstr(orr_error_message(), "orr_init"), "%s: %s", orr_status_name(st),
                  orr_error_message());
    orr_free(x);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(read_evaluates_and_copies),
        ORR_TEST(read_into_a_larger_buffer_is_refused),
        ORR_TEST(read_into_a_short_buffer_writes_nothing),
        ORR_TEST(data_stays_while_the_tensor_lives),
        ORR_TEST(wrapped_memory_is_read_in_place),
        ORR_TEST(item_converts_every_dtype),
        ORR_TEST(item_requires_one_element),
        ORR_TEST(poison_arrives_with_its_own_message),
        ORR_TEST(reading_before_init_is_a_state_error),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.read", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
