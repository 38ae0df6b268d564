/* Learning rates and optimisers beside PyTorch (tests/golden/torch/make_train.py), accumulated gradients,
 * recomputation, half precision, averages.
 * Must not know: how a step is recorded. */
#include "config.h"
#include "tests/nn/near.h"

static const char file[] = "torch/train.npz";

static void rates(const char *name, orr_schedule s)
{
    int64_t n = 0;
    double *want = near_values(near_load(file, name), &n);
    for (int64_t t = 0; want && t < n; t++)
        ORR_CHECK_MSG(fabs(orr_schedule_lr(&s, t) - want[t]) < 1e-12, "%s, step %lld: %g, not %g", name, (long long)t,
                      orr_schedule_lr(&s, t), want[t]);
    free(want);
}

static void learning_rates_are_pytorchs(void)
{
    orr_scope *scope = orr_scope_begin();
    rates("step", (orr_schedule){ .kind = ORR_SCHEDULE_STEP, .lr = 0.5, .every = 3, .factor = 0.4 });
    rates("cosine", (orr_schedule){ .kind = ORR_SCHEDULE_COSINE, .lr = 0.5, .steps = 8, .least = 0.05 });
    rates("one_cycle", (orr_schedule){ .kind = ORR_SCHEDULE_ONE_CYCLE, .lr = 0.5, .steps = 20 });
    orr_schedule warm = { .lr = 2, .warm_up = 4 };
    ORR_CHECK(orr_schedule_lr(&warm, 0) == 0.5 && orr_schedule_lr(&warm, 2) == 1.5 && orr_schedule_lr(&warm, 9) == 2);
    orr_schedule none = { .kind = ORR_SCHEDULE_COSINE, .lr = 1 };
    ORR_CHECK(isnan(orr_schedule_lr(&none, 0)) && isnan(orr_schedule_lr(NULL, 0)));
    int64_t n = 0, m = 0;
    double *loss = near_values(near_load(file, "losses"), &n), *want = near_values(near_load(file, "plateau"), &m);
    orr_plateau p = { .factor = 0.5, .patience = 2, .threshold = 1e-4, .least = 0.1 };
    double lr = 0.5;
    for (int64_t t = 0; loss && want && t < n; t++) {
        lr = orr_plateau_lr(&p, lr, loss[t]);
        ORR_CHECK_MSG(lr == want[t], "plateau, value %lld: %g, not %g", (long long)t, lr, want[t]);
    }
    free(loss);
    free(want);
    orr_early_stop e = { .patience = 2 };
    static const double losses[] = { 3, 2, 2.5, 2.1, 1.9, 2, 1.95, 2 };
    for (int i = 0; i < 8; i++)
        ORR_CHECK(orr_early_stop_update(&e, losses[i]) == (i == 7));
    ORR_CHECK(e.best == 1.9 && e.at == 4);
    (void)orr_scope_end(scope);
}

/* The loss of step k in make_train.py. */
static orr_tensor *loss_of(orr_tensor *p, int k)
{
    static const double by[3] = { 1, 10, 0.1 };
    orr_tensor *d = orr_mul(orr_sub(p, near_load(file, "target")), orr_from(ORR_F64, ORR_SHAPE(3), by));
    return orr_mul(orr_sum(orr_square(d), ORR_ALL_AXES, false), orr_scalar(k % 3 ? 1 : 5));
}

/* parts: the number of fractions of the loss over which each step's gradient is accumulated; 0: plain steps. */
static void optimiser(const char *name, orr_optim_kind kind, orr_optim_options o, int parts)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_variable(near_load(file, "p"));
    orr_optim *opt = orr_optim_new(kind, &p, 1, &o);
    ORR_REQUIRE(opt);
    for (int k = 0; k < 12; k++) {
        orr_status st = ORR_OK;
        for (int i = 0; i < parts && st == ORR_OK; i++)
            st = orr_optim_accumulate(opt, orr_div(loss_of(p, k), orr_scalar(parts)));
        st = st != ORR_OK ? st : parts ? orr_optim_step_accumulated(opt) : orr_optim_step(opt, loss_of(p, k));
        ORR_CHECK_MSG(st == ORR_OK && orr_eval_all(NULL, 0) == ORR_OK, "%s: %s", name, orr_error_message());
    }
    near_golden(p, file, name, 1e-11);
    ORR_CHECK(orr_optim_steps(opt) == 12);
    ORR_CHECK(orr_optim_step_accumulated(opt) == ORR_ESTATE);
    orr_optim_free(opt);
    (void)orr_scope_end(s);
}

static void steps_are_those_of_pytorch_and_the_paper(void)
{
    orr_optim_options a = orr_optim_defaults(ORR_OPTIM_ADAM), l = orr_optim_defaults(ORR_OPTIM_LAMB);
    a.lr = l.lr = 0.05;
    a.amsgrad = true;
    optimiser("amsgrad", ORR_OPTIM_ADAM, a, 0);
    optimiser("lamb", ORR_OPTIM_LAMB, l, 0);
    optimiser("amsgrad", ORR_OPTIM_ADAM, a, 4);
}

static orr_module *network(void)
{
    orr_seed(12);
    return orr_sequential(ORR_MODULES(orr_dense(6, 16, ORR_ACTIVATION_GELU, ORR_INITIALISER_DEFAULT),
                                      orr_dropout_layer(0.3), orr_batch_norm_layer(16, NULL),
                                      orr_dense(16, 4, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT)));
}

static void recomputation_has_the_same_gradients(void)
{
    orr_module *m[2] = { network(), network() };
    ORR_REQUIRE(m[0] && m[1]);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[7], *g[2][7], *y[2], *mean[2];
    orr_tensor *in = orr_sin(orr_reshape(orr_arange(ORR_F32, 0, 30, 1), ORR_SHAPE(5, 6)));
    ORR_CHECK(orr_eval(in) == ORR_OK);
    for (int k = 0; k < 2; k++) {
        orr_parameter p[6];
        ORR_CHECK(orr_module_parameters(m[k], p, 6) == 6);
        for (int i = 0; i < 6; i++)
            x[i] = p[i].variable;
        x[6] = in;
        orr_seed(3);
        y[k] = k ? orr_recompute(m[k], in) : orr_forward(m[k], in);
        ORR_CHECK_MSG(orr_grad(orr_square(y[k]), x, 7, g[k]) == ORR_OK, "%s", orr_error_message());
        mean[k] = orr_module_variable(m[k], "2.running_mean");
        ORR_CHECK(orr_eval_all(g[k], 7) == ORR_OK && orr_eval(y[k]) == ORR_OK);
        /* The random streams continue as without it. */
        double next;
        ORR_CHECK(orr_item(orr_rand(ORR_F64, ORR_SHAPE_0D, 0, 1), &next) == ORR_OK);
        static double first;
        if (k == 0)
            first = next;
        ORR_CHECK(next == first);
    }
    near_same(y[1], y[0], 0, "value");
    near_same(mean[1], mean[0], 0, "running mean");
    for (int i = 0; i < 7; i++)
        near_same(g[1][i], g[0][i], 1e-6, "gradient");
    near_poison(orr_recompute(NULL, in), ORR_EINVAL, "NULL");
    (void)orr_scope_end(s);
    orr_module_free(m[0]);
    orr_module_free(m[1]);
}

static void half_products_train_like_f32(void)
{
    static const orr_dtype dtypes[] = { ORR_F32, ORR_BF16, ORR_F16 };
    double end[3];
    for (int k = 0; k < 3; k++) {
        orr_seed(5);
        orr_module *m = orr_sequential(ORR_MODULES(orr_dense(6, 16, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                                   orr_dense(16, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
        orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAM);
        o.lr = 0.01;
        orr_optim *opt = orr_optim_of_module(ORR_OPTIM_ADAM, m, &o);
        ORR_REQUIRE(m && opt);
        orr_loss_scale scale = { 0 };
        ORR_CHECK(orr_autocast(dtypes[k]) == ORR_F32);
        for (int step = 0; step < 60; step++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *x = orr_sin(orr_reshape(orr_arange(ORR_F32, 0, 192, 1), ORR_SHAPE(32, 6)));
            orr_tensor *y = orr_sum(x, ORR_AXES(1), true), *loss = orr_mse(orr_forward(m, x), y);
            ORR_CHECK(orr_tensor_dtype(loss) == ORR_F32);
            bool made = true;
            orr_status st = k < 2 ? orr_optim_step(opt, loss) : orr_optim_step_scaled(opt, loss, &scale, &made);
            ORR_CHECK_MSG(st == ORR_OK && made && orr_item(loss, &end[k]) == ORR_OK, "%s", orr_error_message());
            (void)orr_scope_end(s);
        }
        ORR_CHECK(orr_autocast(ORR_F32) == dtypes[k] && orr_autocast(ORR_I8) == ORR_F32);
        ORR_CHECK_MSG(fabs(end[k] - end[0]) < 0.05 * end[0], "%g, not %g", end[k], end[0]);
        orr_optim_free(opt);
        orr_module_free(m);
    }
}

static void an_overflow_is_no_step(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3)));
    orr_optim *opt = orr_optim_new(ORR_OPTIM_ADAM, &v, 1, NULL);
    orr_loss_scale scale = { .interval = 2 };
    bool made = true;
    float now[3];
    orr_status st = orr_optim_step_scaled(opt, orr_mul(v, orr_scalar(INFINITY)), &scale, &made);
    ORR_CHECK_MSG(st == ORR_OK && !made && scale.scale == 32768 && scale.skipped == 1, "%s", orr_error_message());
    ORR_CHECK(orr_read(v, now, sizeof now) == ORR_OK && now[0] == 1 && orr_optim_steps(opt) == 0);
    for (int i = 0; i < 2; i++)
        ORR_CHECK(orr_optim_step_scaled(opt, orr_square(v), &scale, &made) == ORR_OK && made);
    ORR_CHECK(scale.scale == 65536 && orr_read(v, now, sizeof now) == ORR_OK && now[0] < 1 &&
              orr_optim_steps(opt) == 2);
    orr_optim_free(opt);
    (void)orr_scope_end(s);
}

static void averages_move_and_change_places(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m =
        orr_dense_with(ORR_F32, 1, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_CONSTANT(1), ORR_INITIALISER_NONE);
    orr_average *a = orr_average_new(m, 0.75);
    ORR_REQUIRE(m && a && !orr_average_new(m, 1));
    orr_tensor *w = orr_module_variable(m, "weight");
    double v;
    ORR_CHECK(orr_assign(w, orr_full(ORR_F32, ORR_SHAPE(1, 1), 5)) == ORR_OK && orr_average_update(a) == ORR_OK);
    ORR_CHECK(orr_average_swap(a) == ORR_OK && orr_item(w, &v) == ORR_OK && v == 2);
    ORR_CHECK(orr_average_swap(a) == ORR_OK && orr_item(w, &v) == ORR_OK && v == 5);
    orr_average_free(a);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(learning_rates_are_pytorchs),
        ORR_TEST(steps_are_those_of_pytorch_and_the_paper),
        ORR_TEST(recomputation_has_the_same_gradients),
        ORR_TEST(half_products_train_like_f32),
        ORR_TEST(an_overflow_is_no_step),
        ORR_TEST(averages_move_and_change_places),
        { 0 },
    };
    return near_main(argc, argv, "nn.train", tests);
}
