/* The life of modules, optimisers, loaders and other objects: uses after their end, what they own, and what they lack.
 * Must not know: how objects are checked. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include "tests/harness/ops_help.h"

static bool says(orr_status want, const char *part)
{
    bool ok = orr_error_status() == want && strstr(orr_error_message(), part) != NULL;
    if (!ok)
        printf("    %s: %s\n", orr_status_name(orr_error_status()), orr_error_message());
    orr_error_clear();
    return ok;
}

static orr_module *dense(int64_t in, int64_t out)
{
    return orr_dense(in, out, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
}

static orr_tensor *ones(int64_t n)
{
    return orr_ones(ORR_F32, ORR_SHAPE(1, n));
}

static void freed_modules_are_errors(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = dense(2, 3), *part = dense(2, 2), *all = orr_sequential(ORR_MODULES(part));
    orr_kv_cache *cache = orr_kv_cache_new(m, 1, 4);
    orr_checkpoint *c = orr_checkpoint_new("no-such-checkpoint");
    ORR_REQUIRE(m && all && cache && c && orr_checkpoint_add_module(c, "m", m) == ORR_OK);
    orr_tensor *y = orr_forward(m, ones(2)), *x = ones(2), *again = orr_recompute(m, x), *g;
    orr_module_free(m);
    ORR_CHECK(orr_eval(y) == ORR_OK); /* recorded before: tensors do not need the module */
    ORR_CHECK(orr_tensor_status(orr_forward(m, ones(2))) == ORR_EHANDLE && says(ORR_EHANDLE, "the module is none"));
    ORR_CHECK(orr_grad(orr_sum(again, ORR_ALL_AXES, false), &x, 1, &g) == ORR_EHANDLE &&
              says(ORR_EHANDLE, "the module is none"));
    ORR_CHECK(orr_tensor_status(orr_forward_cached(cache, orr_ones(ORR_F32, ORR_SHAPE(1, 1, 2)))) == ORR_EHANDLE &&
              says(ORR_EHANDLE, "the module is none"));
    ORR_CHECK(orr_checkpoint_save(c) == ORR_EHANDLE && says(ORR_EHANDLE, "\"m\" was freed before the checkpoint"));
    orr_module_free(m);
    ORR_CHECK(says(ORR_EHANDLE, "module_free: the module is none"));
    ORR_CHECK(orr_module_parameters(m, NULL, 0) == 0 && says(ORR_EHANDLE, "the module is none"));
    ORR_CHECK(!orr_module_part(m, 0) && says(ORR_EHANDLE, "module_part"));
    ORR_CHECK(!orr_module_variable(m, "weight") && says(ORR_EHANDLE, "module_variable"));
    ORR_CHECK(orr_module_size(m) == 0 && says(ORR_EHANDLE, "module_size"));
    ORR_CHECK(!orr_module_training(m) && says(ORR_EHANDLE, "module_training"));
    orr_module_train(m, true);
    ORR_CHECK(says(ORR_EHANDLE, "module_train"));
    ORR_CHECK(orr_module_save(m, "none.npz") == ORR_EHANDLE && orr_module_load(m, "none.npz") == ORR_EHANDLE);
    ORR_CHECK(orr_module_fold(m) == ORR_EHANDLE && !orr_residual(m) && says(ORR_EHANDLE, "the module is none"));
    ORR_CHECK(!orr_optim_of_module(ORR_OPTIM_ADAM, m, NULL) && says(ORR_EHANDLE, "optim_of_module"));
    ORR_CHECK(!orr_average_new(m, 0.9) && !orr_kv_cache_new(m, 1, 1) && says(ORR_EHANDLE, "the module is none"));
    orr_module *live = dense(2, 2);
    ORR_CHECK(!orr_sequential(ORR_MODULES(live, m)) && says(ORR_EHANDLE, "module 1 is none")); /* live is freed */
    orr_module_free(part);
    ORR_CHECK(says(ORR_ESTATE, "part of another"));
    ORR_CHECK(orr_eval(orr_forward(all, ones(2))) == ORR_OK);
    orr_module_free(all);
    orr_module_free(part);
    ORR_CHECK(says(ORR_EHANDLE, "module_free"));
    char no_module[256] = "";
    ORR_CHECK(orr_tensor_status(orr_forward((orr_module *)(void *)no_module, ones(2))) == ORR_EHANDLE);
    orr_module_free((orr_module *)(void *)no_module);
    ORR_CHECK(says(ORR_EHANDLE, "module_free"));
    orr_module_free(NULL);
    ORR_CHECK(orr_error_status() == ORR_OK);
    orr_kv_cache_free(cache);
    orr_kv_cache_free(cache);
    ORR_CHECK(says(ORR_EHANDLE, "the cache is none"));
    orr_checkpoint_free(c);
    orr_checkpoint_free(c);
    ORR_CHECK(says(ORR_EHANDLE, "the checkpoint is none"));
    (void)orr_scope_end(s);
}

static void other_freed_objects_are_errors(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(4))), *loss = orr_sum(v, ORR_ALL_AXES, false);
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, &v, 1, NULL);
    ORR_REQUIRE(o != NULL);
    orr_optim_free(o);
    ORR_CHECK(orr_optim_step(o, loss) == ORR_EHANDLE && says(ORR_EHANDLE, "optim_step: the optimiser is none"));
    ORR_CHECK(orr_optim_apply(o, &v, 1) == ORR_EHANDLE && orr_optim_accumulate(o, loss) == ORR_EHANDLE);
    ORR_CHECK(orr_optim_step_accumulated(o) == ORR_EHANDLE && orr_optim_set_lr(o, 1) == ORR_EHANDLE);
    ORR_CHECK(orr_optim_save(o, "none.npz") == ORR_EHANDLE && orr_optim_load(o, "none.npz") == ORR_EHANDLE);
    ORR_CHECK(orr_optim_lr(o) == 0 && says(ORR_EHANDLE, "optim_lr"));
    ORR_CHECK(orr_optim_steps(o) == 0 && orr_optim_state(o, NULL, 0) == 0 && says(ORR_EHANDLE, "optim_state"));
    orr_optim_free(o);
    ORR_CHECK(says(ORR_EHANDLE, "optim_free"));
    orr_loader *l = orr_loader_new(ORR_TENSORS(v), &(orr_loader_options){ .batch = 2 });
    orr_tensor *batch;
    ORR_REQUIRE(l != NULL);
    orr_loader_free(l);
    ORR_CHECK(orr_loader_next(l, &batch) == -1 && says(ORR_EHANDLE, "the loader is none"));
    ORR_CHECK(orr_loader_batches(l) == 0 && orr_loader_classes(l) == 0 && says(ORR_EHANDLE, "loader_classes"));
    orr_loader_free(l);
    ORR_CHECK(says(ORR_EHANDLE, "loader_free"));
    ORR_CHECK(orr_optim_set_lr((orr_optim *)(void *)l, 1) == ORR_EHANDLE); /* an object of another kind */
    orr_dp_budget *b = orr_dp_budget_new(ORR_DP_RDP, 1, 1e-5);
    double spent;
    ORR_REQUIRE(b != NULL);
    orr_dp_budget_free(b);
    ORR_CHECK(orr_dp_budget_spent(b, &spent) == ORR_EHANDLE && says(ORR_EHANDLE, "the budget is none"));
    orr_dp_budget_free(b);
    ORR_CHECK(says(ORR_EHANDLE, "dp_budget_free"));
    orr_module *m = dense(2, 2);
    orr_average *a = orr_average_new(m, 0.9);
    orr_module_free(m);
    ORR_CHECK(orr_average_update(a) == ORR_EHANDLE && says(ORR_EHANDLE, "no live tensor"));
    orr_average_free(a);
    orr_average_free(a);
    ORR_CHECK(says(ORR_EHANDLE, "average_free"));
    (void)orr_scope_end(s);
}

/* Addresses of ended objects do not name new ones. */
static void a_new_object_is_not_taken_for_an_old_one(void)
{
    orr_module *old = orr_activation_layer(ORR_ACTIVATION_RELU);
    orr_module_free(old);
    for (int i = 0; i < 1000; i++) {
        orr_module *m = orr_activation_layer(ORR_ACTIVATION_RELU);
        ORR_REQUIRE(m != NULL && m != old);
        orr_module_free(m);
    }
    ORR_CHECK(orr_module_size(old) == 0 && says(ORR_EHANDLE, "module_size"));
}

static void variables_of_a_module_are_not_freed_by_others(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = dense(2, 2);
    orr_tensor *w = orr_module_variable(m, "weight");
    ORR_CHECK(orr_free(w) == ORR_ESTATE && says(ORR_ESTATE, "belongs to the module"));
    orr_scope *inner = orr_scope_begin();
    ORR_CHECK(orr_keep(w) == w && orr_scope_return(inner, w) == w);
    (void)orr_scope_end(inner);
    (void)orr_scope_end(s);
    s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_forward(m, ones(2))) == ORR_OK);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_ADAM, m, NULL);
    orr_parameter state;
    ORR_CHECK(orr_optim_state(o, &state, 1) > 0 && orr_free(state.variable) == ORR_ESTATE);
    orr_error_clear();
    orr_optim_free(o);
    ORR_CHECK(orr_tensor_status(state.variable) == ORR_EHANDLE);
    orr_module_free(m);
    ORR_CHECK(orr_tensor_status(w) == ORR_EHANDLE);
    (void)orr_scope_end(s);
}

static orr_tensor *second_of_first(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n;
    (void)user;
    return orr_forward(orr_module_part(m, 1), orr_forward(orr_module_part(m, 0), x[0]));
}

/* The part that could not be made, or added, is not left out without a word. */
static void a_module_without_an_intended_part_carries_the_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_module_new("net", second_of_first, NULL, NULL);
    ORR_CHECK(!orr_module_add_part(m, "a", orr_encoder_block(64, 5, 128, NULL))); /* 5 heads do not divide 64 */
    ORR_CHECK(orr_module_add_part(m, "b", dense(64, 10)) != NULL);
    orr_error_clear();
    ORR_CHECK(orr_tensor_status(orr_forward(m, ones(64))) == ORR_ESHAPE && says(ORR_ESHAPE, "5 heads must divide"));
    ORR_CHECK(!orr_optim_of_module(ORR_OPTIM_ADAM, m, NULL) && says(ORR_ESHAPE, "5 heads must divide"));
    ORR_CHECK(orr_module_save(m, "none.npz") == ORR_ESHAPE && says(ORR_ESHAPE, "5 heads must divide"));
    orr_module *outer = orr_sequential(ORR_MODULES(m));
    ORR_CHECK(orr_tensor_status(orr_forward(outer, ones(64))) == ORR_ESHAPE && says(ORR_ESHAPE, "5 heads must divide"));
    ORR_CHECK(!orr_average_new(outer, 0.5) && says(ORR_ESHAPE, "5 heads must divide"));
    orr_module_free(outer);
    (void)orr_scope_end(s);
}

static void an_optimiser_that_would_train_nothing_is_an_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[2] = { orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3))), orr_variable(orr_ones(ORR_F64, ORR_SHAPE(2))) };
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_ADAM, v, 2, &(orr_optim_options){ .lr = 1 / 1000 }) &&
              says(ORR_EINVAL, "lr is 0"));
    orr_optim *o = orr_optim_new(ORR_OPTIM_SGD, v, 2, &(orr_optim_options){ .lr = 0.5 });
    orr_tensor *other = orr_variable(v[0]), *loss = orr_sum(orr_square(other), ORR_ALL_AXES, false);
    double value;
    ORR_CHECK(orr_optim_step(o, loss) == ORR_EGRAPH && says(ORR_EGRAPH, "none of the optimiser's 2 variables"));
    ORR_CHECK(orr_optim_step(o, orr_detach(orr_sum(v[0], ORR_ALL_AXES, false))) == ORR_EGRAPH);
    ORR_CHECK(orr_optim_accumulate(o, loss) == ORR_EGRAPH && says(ORR_EGRAPH, "optim_accumulate: the loss depends"));
    orr_loss_scale scale = { 0 };
    bool stepped;
    ORR_CHECK(orr_optim_step_scaled(o, loss, &scale, &stepped) == ORR_EGRAPH && says(ORR_EGRAPH, "optim_step_scaled"));
    ORR_CHECK(orr_optim_steps(o) == 0);
    loss = orr_sum(orr_square(v[1]), ORR_ALL_AXES, false); /* some, but not all: the others have gradients of zeros */
    ORR_CHECK(orr_optim_step(o, loss) == ORR_OK && orr_item(orr_sum(v[0], ORR_ALL_AXES, false), &value) == ORR_OK);
    ORR_CHECK(value == 3);
    ORR_CHECK(orr_item(orr_sum(v[1], ORR_ALL_AXES, false), &value) == ORR_OK && value == 0);
    ORR_CHECK(orr_optim_step(o, loss) == ORR_EGRAPH && says(ORR_EGRAPH, "assigned (")); /* the loss of the first step */
    ORR_CHECK(orr_optim_set_lr(o, 0) == ORR_OK && orr_optim_lr(o) == 0);
    orr_optim_free(o);
    (void)orr_scope_end(s);
}

/* PyTorch's ReduceLROnPlateau of the same losses. */
static void a_first_loss_of_nan_is_no_best_one(void)
{
    orr_plateau p = { .factor = 0.1, .patience = 1 };
    static const double loss[] = { NAN, 3, 2, NAN, 1, 1, 1 }, want[] = { 1, 1, 1, 1, 1, 1, 0.1 };
    double lr = 1;
    for (int i = 0; i < 7; i++) {
        lr = orr_plateau_lr(&p, lr, loss[i]);
        ORR_CHECK_MSG(fabs(lr - want[i]) < 1e-12, "loss %d: %g", i, lr);
    }
    p = (orr_plateau){ .factor = 0.1, .patience = 1 };
    for (int i = 0; i < 3; i++)
        lr = orr_plateau_lr(&p, 1, NAN);
    ORR_CHECK(fabs(lr - 1) < 1e-12 && p.waited == 1);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(freed_modules_are_errors),
                                      ORR_TEST(other_freed_objects_are_errors),
                                      ORR_TEST(a_new_object_is_not_taken_for_an_old_one),
                                      ORR_TEST(variables_of_a_module_are_not_freed_by_others),
                                      ORR_TEST(a_module_without_an_intended_part_carries_the_error),
                                      ORR_TEST(an_optimiser_that_would_train_nothing_is_an_error),
                                      ORR_TEST(a_first_loss_of_nan_is_no_best_one),
                                      { 0 } };
    return help_main(argc, argv, "nn.ownership", tests);
}
