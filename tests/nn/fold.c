/* Folding: the same results as the network with batch normalisation, but without its variables.
 * Must not know: how weights are folded. */
#include "config.h"
#include "tests/nn/near.h"

static orr_module *conv(int64_t in, int64_t out, orr_initialiser bias, const orr_conv_options *o)
{
    return orr_conv_layer(in, out, ORR_SHAPE(3, 3), o, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_HE_NORMAL, bias);
}

/* Convolutions with and without bias, groups, a plain normalisation, nested, in a residual, and two normalisations that
 * remain. */
static orr_module *network(void)
{
    orr_conv_options same = { .padding = { 1, 1 } }, groups = { .padding = { 1, 1 }, .groups = 2 };
    orr_norm_options plain = { .plain = true, .eps = 1e-3 };
    return orr_sequential(ORR_MODULES(
        orr_sequential(ORR_MODULES(conv(2, 6, ORR_INITIALISER_NONE, &same), orr_batch_norm_layer(6, NULL))),
        orr_activation_layer(ORR_ACTIVATION_RELU),
        orr_residual(orr_sequential(
            ORR_MODULES(conv(6, 6, ORR_INITIALISER_DEFAULT, &groups), orr_batch_norm_layer(6, &plain),
                        orr_activation_layer(ORR_ACTIVATION_RELU), conv(6, 6, ORR_INITIALISER_NONE, &same)))),
        orr_batch_norm_layer(6, NULL), orr_sequential(ORR_MODULES(conv(6, 4, ORR_INITIALISER_DEFAULT, &same))),
        orr_batch_norm_layer(4, NULL), orr_activation_layer(ORR_ACTIVATION_RELU), orr_flatten_layer(),
        orr_dense(4 * 5 * 6, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT), orr_batch_norm_layer(3, NULL)));
}

static void folded_networks_give_the_same_results(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(4);
    orr_module *m = network();
    ORR_REQUIRE(m != NULL);
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.02;
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_SGD, m, &o);
    for (int i = 0; i < 8; i++) { /* statistics and weights other than the initial ones */
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(16, 2, 5, 6), 0.5, 2.0);
        double loss;
        orr_tensor *l = orr_mse(orr_forward(m, x), orr_randn(ORR_F32, ORR_SHAPE(16, 3), 0.0, 1.0));
        ORR_CHECK(orr_optim_step(opt, l) == ORR_OK && orr_item(l, &loss) == ORR_OK);
    }
    orr_optim_free(opt);
    int params = orr_module_parameters(m, NULL, 0), states = orr_module_states(m, NULL, 0);
    orr_module_train(m, false);
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(7, 2, 5, 6), 0.0, 1.0), *before = orr_forward(m, x);
    ORR_REQUIRE(orr_eval(before) == ORR_OK);
    orr_module_train(m, true);
    const char *whole = orr_test_tmp("whole.npz"), *folded = orr_test_tmp("folded.npz");
    ORR_CHECK(orr_module_save(m, whole) == ORR_OK);
    ORR_CHECK_MSG(orr_module_fold(m) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(!orr_module_training(m));
    near_same(orr_forward(m, x), before, 1e-6, "folded");
    /* Three of five normalisations are folded: two with weight and bias, of which one layer got a bias. */
    ORR_CHECK_MSG(orr_module_parameters(m, NULL, 0) == params - 4 + 1, "%d of %d", orr_module_parameters(m, NULL, 0),
                  params);
    ORR_CHECK(orr_module_states(m, NULL, 0) == states - 6);
    ORR_CHECK(orr_module_variable(m, "0.0.bias") && !orr_module_variable(m, "0.1.weight") &&
              orr_module_variable(m, "3.weight"));
    ORR_CHECK(orr_module_fold(m) == ORR_OK); /* again: nothing is left to fold */
    near_same(orr_forward(m, x), before, 1e-6, "folded twice");
    /* Its file has another structure than the unfolded network's. */
    ORR_CHECK(orr_module_save(m, folded) == ORR_OK);
    ORR_CHECK(orr_module_load(m, whole) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "another network") && strstr(orr_error_message(), "0.0.bias"), "%s",
                  orr_error_message());
    ORR_CHECK(orr_module_load(m, folded) == ORR_OK);
    near_same(orr_forward(m, x), before, 1e-6, "loaded");
    orr_module_free(m);
    (void)orr_scope_end(s);
}

static void no_statistics_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_norm_options none = { .no_statistics = true };
    orr_conv_options same = { .padding = { 1, 1 } };
    orr_module *m = orr_sequential(ORR_MODULES(conv(2, 3, ORR_INITIALISER_NONE, &same), orr_batch_norm_layer(3, NULL),
                                               orr_batch_norm_layer(3, &none)));
    ORR_REQUIRE(m != NULL);
    ORR_CHECK(orr_module_fold(m) == ORR_EINVAL && strstr(orr_error_message(), "keeps no statistics"));
    ORR_CHECK(orr_module_parameters(m, NULL, 0) == 5 && orr_module_training(m));
    orr_module_train(m, false);
    near_poison(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(1, 2, 4, 4))), ORR_EINVAL, "there are no statistics");
    orr_module_free(m);
    ORR_CHECK(orr_module_fold(NULL) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(folded_networks_give_the_same_results),
                                      ORR_TEST(no_statistics_are_refused),
                                      { 0 } };
    return near_main(argc, argv, "nn.fold", tests);
}
