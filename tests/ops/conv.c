/* Convolutions: goldens of PyTorch, refusals.
 * Must not know: how a convolution is computed. */
#include "config.h"

#include <orrery/conv.h>
#include "tests/harness/ops_help.h"

static void convolutions_agree_with_pytorch(void)
{
    help_numpy("conv/convolution.txt", NULL);
}

static orr_tensor *ones(orr_shape s)
{
    return orr_ones(ORR_F32, s);
}

static void wrong_use_names_both_shapes_and_the_rule(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = ones(ORR_SHAPE(2, 4, 5, 6)), *w = ones(ORR_SHAPE(6, 4, 3, 3));
    orr_conv_options one = { .padding = { 1, 1 } };
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(6, 4, 8, 3)), NULL, &one), ORR_ESHAPE,
                "(2, 4, 5, 6) by (6, 4, 8, 3): the kernel reaches over 8 elements of spatial axis 0, and the padded "
                "input has 7");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .groups = 3 }), ORR_ESHAPE, "(2, 4, 5, 6) by (6, 4, 3, 3)");
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(5, 2, 3, 3)), NULL, &(orr_conv_options){ .groups = 2 }), ORR_ESHAPE,
                "in 2 groups");
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(6, 4, 3)), NULL, NULL), ORR_ESHAPE, "spatial axes");
    HELP_POISON(orr_conv(ones(ORR_SHAPE(2, 4)), ones(ORR_SHAPE(6, 4)), NULL, NULL), ORR_ESHAPE, "spatial axes");
    HELP_POISON(orr_conv(x, w, ones(ORR_SHAPE(4)), NULL), ORR_ESHAPE, "the bias (4,) is not (6)");
    HELP_POISON(orr_conv(orr_ones(ORR_I32, ORR_SHAPE(1, 1, 3)), orr_ones(ORR_I32, ORR_SHAPE(1, 1, 2)), NULL, NULL),
                ORR_EDTYPE, "floats");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .stride = { -1, 1 } }), ORR_EINVAL, "stride -1");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .padding = { 0, -2 } }), ORR_EINVAL, "negative");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .before = { INT64_MAX, 2 } }), ORR_EINVAL, "padding");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .groups = -1 }), ORR_EINVAL, "groups");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .same = true, .stride = { 2, 1 } }), ORR_EINVAL, "same");
    HELP_POISON(orr_conv_transpose(x, w, NULL, NULL), ORR_ESHAPE, "(2, 4, 5, 6) by (6, 4, 3, 3)");
    orr_tensor *t = ones(ORR_SHAPE(4, 6, 3, 3));
    HELP_POISON(orr_conv_transpose(x, t, NULL, &(orr_conv_options){ .output_padding = { 0, 1 } }), ORR_EINVAL,
                "output padding 1");
    HELP_POISON(orr_conv_transpose(x, t, NULL, &(orr_conv_options){ .padding = { 9, 0 } }), ORR_ESHAPE,
                "leaves nothing");
    HELP_POISON(orr_conv_weights(x, ones(ORR_SHAPE(2, 6, 4, 4)), ORR_SHAPE(3, 3), NULL), ORR_ESHAPE, "beyond");
    HELP_POISON(orr_conv(NULL, w, NULL, NULL), ORR_EINVAL, "x");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(convolutions_agree_with_pytorch),
                                      ORR_TEST(wrong_use_names_both_shapes_and_the_rule),
                                      { 0 } };
    return help_main(argc, argv, "ops.conv", tests);
}
