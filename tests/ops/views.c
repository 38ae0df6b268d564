/* Creation, dtypes and views, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "ops/ops.h"
#include "tests/harness/ops_help.h"

static void creation_agrees_with_numpy(void)
{
    help_numpy("numpy/views.txt", (const char *const[]){ "arange", "linspace", "eye", NULL });
}

static void casts_agree_with_numpy(void)
{
    help_numpy("numpy/views.txt", (const char *const[]){ "cast", NULL });
}

static void shapes_agree_with_numpy(void)
{
    help_numpy("numpy/views.txt", (const char *const[]){ "reshape", "permute", "transpose", "broadcast_to", "squeeze",
                                                         "expand_dims", NULL });
}

static void slices_agree_with_numpy(void)
{
    help_numpy("numpy/views.txt", (const char *const[]){ "slice", "slice_axis", "select", "flip", NULL });
}

static void constants_of_every_dtype(void)
{
    for (int d = 0; d < ORR__SCALAR_DTYPES; d++) {
        orr_scope *s = orr_scope_begin();
        help_check_values(orr_zeros((orr_dtype)d, ORR_SHAPE(2)), (orr_dtype)d, ORR_SHAPE(2), (double[]){ 0, 0 });
        help_check_values(orr_ones((orr_dtype)d, ORR_SHAPE_0D), (orr_dtype)d, ORR_SHAPE_0D, (double[]){ 1 });
        help_check_values(orr_full((orr_dtype)d, ORR_SHAPE(1, 2), 1), (orr_dtype)d, ORR_SHAPE(1, 2),
                          (double[]){ 1, 1 });
        help_check_values(orr_zeros((orr_dtype)d, ORR_SHAPE(2, 0)), (orr_dtype)d, ORR_SHAPE(2, 0), NULL);
        (void)orr_scope_end(s);
    }
}

static void scalar_alone_is_f64(void)
{
    orr_scope *s = orr_scope_begin();
    help_check_values(orr_scalar(2.5), ORR_F64, ORR_SHAPE_0D, (double[]){ 2.5 });
    help_check_values(orr_reshape(orr_scalar(2.5), ORR_SHAPE(1, 1)), ORR_F64, ORR_SHAPE(1, 1), (double[]){ 2.5 });
    help_check_values(orr_cast(orr_scalar(2.5), ORR_I32), ORR_I32, ORR_SHAPE_0D, (double[]){ 2 });
    help_check_values(orr_sum(orr_scalar(2.5), ORR_ALL_AXES, false), ORR_F64, ORR_SHAPE_0D, (double[]){ 2.5 });
    (void)orr_scope_end(s);
}

static void from_copies(void)
{
    orr_scope *s = orr_scope_begin();
    float v[2] = { 1, 2 };
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(2), v);
    v[0] = 9;
    help_check_values(t, ORR_F32, ORR_SHAPE(2), (double[]){ 1, 2 });
    (void)orr_scope_end(s);
}

static int released;

static void release(void *data, void *user)
{
    released += data == user;
}

static void wrap_releases_once_when_the_last_use_ends(void)
{
    static double v[2] = { 3, 4 };
    released = 0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_wrap(ORR_F64, ORR_SHAPE(2), v, release, v);
    orr_tensor *flipped = orr_flip(t, ORR_ALL_AXES);
    ORR_CHECK(orr_free(t) == ORR_OK);
    ORR_CHECK(released == 0);
    help_check_values(flipped, ORR_F64, ORR_SHAPE(2), (double[]){ 4, 3 });
    (void)orr_scope_end(s);
    ORR_CHECK(released == 1);
}

static void views_that_change_nothing_are_the_same_node(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 6, 1);
    const orr__node *n = orr__handle_node(x);
    ORR_CHECK(orr__handle_node(orr_reshape(x, ORR_SHAPE(6))) == n);
    ORR_CHECK(orr__handle_node(orr_cast(x, ORR_F32)) == n);
    ORR_CHECK(orr__handle_node(orr_slice_axis(x, 0, 0, ORR_END, 1)) == n);
    ORR_CHECK(orr__handle_node(orr_broadcast_to(x, ORR_SHAPE(6))) == n);
    ORR_CHECK(orr__handle_node(orr_permute(x, ORR_AXES(0))) == n);
    ORR_CHECK(orr__handle_node(orr_pad(x, ORR_NO_INDEX, ORR_NO_INDEX, 0)) == n);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(creation_agrees_with_numpy),
                                      ORR_TEST(casts_agree_with_numpy),
                                      ORR_TEST(shapes_agree_with_numpy),
                                      ORR_TEST(slices_agree_with_numpy),
                                      ORR_TEST(constants_of_every_dtype),
                                      ORR_TEST(scalar_alone_is_f64),
                                      ORR_TEST(from_copies),
                                      ORR_TEST(wrap_releases_once_when_the_last_use_ends),
                                      ORR_TEST(views_that_change_nothing_are_the_same_node),
                                      { 0 } };
    return help_main(argc, argv, "ops.views", tests);
}
