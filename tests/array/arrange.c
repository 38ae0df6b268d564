/* Creation by example, rearranging and choosing by index, against NumPy; facts about dtypes.
 * Must not know: how a value is computed. */
#include "config.h"

#include <float.h>
#include <orrery/array.h>
#include "tests/harness/ops_help.h"

static void all_cases_agree_with_numpy(void)
{
    help_numpy("numpy/array.txt", NULL);
}

static void rank_eight_repeats_too(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_reshape(orr_arange(ORR_I32, 0, 6, 1), ORR_SHAPE(1, 1, 1, 1, 1, 1, 2, 3));
    help_check_values(orr_repeat(x, 2, 6), ORR_I32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 4, 3),
                      (double[]){ 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5 });
    help_check_values(orr_tile(x, ORR_INDEX(2, 1)), ORR_I32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 4, 3),
                      (double[]){ 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 });
    (void)orr_scope_end(s);
}

static void dtypes_have_the_facts_of_float_h(void)
{
    orr_float_facts f;
    orr_integer_facts i;
    ORR_CHECK(orr_finfo(ORR_F64, &f) == ORR_OK && f.bits == 64 && f.eps == DBL_EPSILON && f.max == DBL_MAX &&
              f.min == -DBL_MAX && f.smallest_normal == DBL_MIN);
    ORR_CHECK(orr_finfo(ORR_F32, &f) == ORR_OK && f.bits == 32 && f.eps == (double)FLT_EPSILON &&
              f.max == (double)FLT_MAX && f.smallest_normal == (double)FLT_MIN);
    ORR_CHECK(orr_finfo(ORR_F16, &f) == ORR_OK && f.max == 65504 && f.eps == 0x1p-10 && f.smallest_normal == 0x1p-14);
    ORR_CHECK(orr_finfo(ORR_BF16, &f) == ORR_OK && f.max == 0x1.fep127 && f.eps == 0x1p-7);
    ORR_CHECK(orr_finfo(ORR_I8, &f) == ORR_EDTYPE && orr_finfo(ORR_F32, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_iinfo(ORR_I8, &i) == ORR_OK && i.bits == 8 && i.min == -128 && i.max == 127);
    ORR_CHECK(orr_iinfo(ORR_I64, &i) == ORR_OK && i.min == INT64_MIN && i.max == INT64_MAX);
    ORR_CHECK(orr_iinfo(ORR_U64, &i) == ORR_OK && i.min == 0 && i.max == UINT64_MAX);
    ORR_CHECK(orr_iinfo(ORR_U16, &i) == ORR_OK && i.min == 0 && i.max == UINT16_MAX);
    ORR_CHECK(orr_iinfo(ORR_BOOL, &i) == ORR_EDTYPE && orr_iinfo((orr_dtype)99, &i) == ORR_EDTYPE);
}

static void dtypes_promote_as_the_standard_says(void)
{
    orr_dtype t;
    ORR_CHECK(orr_result_type(&(orr_dtype){ ORR_I8 }, 1, &t) == ORR_OK && t == ORR_I8);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_I8, ORR_U8, ORR_I32 }, 3, &t) == ORR_OK && t == ORR_I32);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_F32, ORR_F64 }, 2, &t) == ORR_OK && t == ORR_F64);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_I64, ORR_U64 }, 2, &t) == ORR_EDTYPE);
    ORR_CHECK(orr_result_type(NULL, 0, &t) == ORR_EINVAL);
    ORR_CHECK(orr_can_cast(ORR_U8, ORR_I16) && !orr_can_cast(ORR_I16, ORR_U8) && !orr_can_cast(ORR_I8, ORR_U64));
    ORR_CHECK(orr_can_cast(ORR_F32, ORR_F64) && !orr_can_cast(ORR_F64, ORR_F32) && !orr_can_cast(ORR_I32, ORR_F64));
    ORR_CHECK(orr_isdtype(ORR_BOOL, ORR_KIND_BOOL) && !orr_isdtype(ORR_BOOL, ORR_KIND_NUMERIC));
    ORR_CHECK(orr_isdtype(ORR_U8, ORR_KIND_INTEGRAL) && !orr_isdtype(ORR_U8, ORR_KIND_SIGNED));
    ORR_CHECK(orr_isdtype(ORR_BF16, ORR_KIND_FLOAT | ORR_KIND_BOOL) && !orr_isdtype(ORR_DTYPE_COUNT, 31));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(all_cases_agree_with_numpy),
                                      ORR_TEST(rank_eight_repeats_too),
                                      ORR_TEST(dtypes_have_the_facts_of_float_h),
                                      ORR_TEST(dtypes_promote_as_the_standard_says),
                                      { 0 } };
    return help_main(argc, argv, "array.arrange", tests);
}
