/* Optimisers against PyTorch: a small network's parameters after 1 and 20 steps (tests/golden/torch/make_optim.py).
 * Must not know: how a step is recorded. */
#include "config.h"
#include <math.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { W1 = 15, B1 = 5, W2 = 10, B2 = 2, ALL = W1 + B1 + W2 + B2 };

typedef struct golden {
    const char *name;
    orr_dtype dtype;
    int step;
    double value[ALL];
} golden;

static const golden goldens[] = {
#include "tests/golden/torch/optim.inc"
};

/* The problem of make_optim.py. */
typedef struct problem {
    orr_tensor *x, *y, *p[4];
    orr_optim *opt;
} problem;

static orr_tensor *ramp(orr_dtype dtype, orr_shape shape, int a, int m, double scale)
{
    double v[32];
    int n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= (int)shape.dim[i];
    for (int i = 0; i < n; i++)
        v[i] = ((i * a) % m - m / 2) * scale;
    return orr_cast(orr_from(ORR_F64, shape, v), dtype);
}

static problem problem_new(orr_dtype dtype, orr_optim_kind kind, const orr_optim_options *options)
{
    static const int64_t labels[6] = { 0, 1, 1, 0, 1, 0 };
    static const double b2[2] = { 0.125, -0.25 };
    problem q = { .x = ramp(dtype, ORR_SHAPE(6, 3), 7, 11, 0.25), .y = orr_from(ORR_I64, ORR_SHAPE(6), labels) };
    q.p[0] = orr_variable(ramp(dtype, ORR_SHAPE(3, 5), 5, 13, 0.125));
    q.p[1] = orr_variable(ramp(dtype, ORR_SHAPE(5), 3, 7, 0.0625));
    q.p[2] = orr_variable(ramp(dtype, ORR_SHAPE(5, 2), 7, 9, 0.25));
    q.p[3] = orr_variable(orr_cast(orr_from(ORR_F64, ORR_SHAPE(2), b2), dtype));
    q.opt = orr_optim_new(kind, q.p, 4, options);
    return q;
}

static orr_tensor *problem_loss(const problem *q)
{
    orr_tensor *h = orr_tanh(orr_add(orr_matmul(q->x, q->p[0]), q->p[1]));
    return orr_cross_entropy(orr_add(orr_matmul(h, q->p[2]), q->p[3]), q->y);
}

static orr_status problem_step(const problem *q)
{
    double loss;
    orr_scope *s = orr_scope_begin();
    orr_tensor *l = problem_loss(q);
    orr_status st = orr_optim_step(q->opt, l);
    if (st == ORR_OK)
        st = orr_item(l, &loss);
    (void)orr_scope_end(s);
    return st;
}

static orr_status problem_read(const problem *q, double *v)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *flat[4];
    for (int i = 0; i < 4; i++)
        flat[i] = orr_cast(orr_reshape(q->p[i], ORR_SHAPE(-1)), ORR_F64);
    orr_status st = orr_read(orr_concat(flat, 4, 0), v, sizeof(double) * ALL);
    (void)orr_scope_end(s);
    return st;
}

static const golden *find(const char *name, orr_dtype dtype, int step)
{
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        if (!strcmp(goldens[i].name, name) && goldens[i].dtype == dtype && goldens[i].step == step)
            return &goldens[i];
    return NULL;
}

static void compare(const problem *q, const char *name, orr_dtype dtype, int step)
{
    double v[ALL], worst = 0.0, bound = dtype == ORR_F64 ? 1e-11 : 5e-5;
    const golden *g = find(name, dtype, step);
    ORR_REQUIRE(g);
    ORR_CHECK_MSG(problem_read(q, v) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < ALL; i++)
        worst = fmax(worst, isnan(v[i]) ? INFINITY : fabs(v[i] - g->value[i]));
    ORR_CHECK_MSG(worst <= bound, "%s %s step %d: off by %g", name, orr_dtype_name(dtype), step, worst);
}

static void run_dtype(const char *name, orr_dtype dtype, orr_optim_kind kind, const orr_optim_options *o)
{
    orr_scope *s = orr_scope_begin();
    problem q = problem_new(dtype, kind, o);
    ORR_CHECK_MSG(q.opt, "%s: %s", name, orr_error_message());
    orr_status st = q.opt ? ORR_OK : ORR_EINVAL;
    for (int step = 1; st == ORR_OK && step <= 20; step++) {
        st = problem_step(&q);
        ORR_CHECK_MSG(st == ORR_OK, "%s step %d: %s", name, step, orr_error_message());
        if (st == ORR_OK && (step == 1 || step == 20))
            compare(&q, name, dtype, step);
    }
    ORR_CHECK(!q.opt || orr_optim_steps(q.opt) == 20);
    orr_optim_free(q.opt);
    (void)orr_scope_end(s);
}

static void run(const char *name, orr_optim_kind kind, const orr_optim_options *o)
{
    run_dtype(name, ORR_F64, kind, o);
    run_dtype(name, ORR_F32, kind, o);
}

static void sgd_agrees_with_pytorch(void)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.1;
    run("sgd", ORR_OPTIM_SGD, &o);
    o.weight_decay = 0.05;
    run("sgd_decay", ORR_OPTIM_SGD, &o);
    o = (orr_optim_options){ .lr = 0.05, .momentum = 0.9 };
    run("sgd_momentum", ORR_OPTIM_SGD, &o);
    o.weight_decay = 0.01;
    o.nesterov = true;
    run("sgd_nesterov", ORR_OPTIM_SGD, &o);
    o.nesterov = false;
    o.dampening = 0.3;
    run("sgd_dampened", ORR_OPTIM_SGD, &o);
}

static void adam_agrees_with_pytorch(void)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAM);
    o.lr = 0.01;
    run("adam", ORR_OPTIM_ADAM, &o);
    o = (orr_optim_options){ .lr = 0.02, .beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.1 };
    run("adam_decay", ORR_OPTIM_ADAM, &o);
}

static void adamw_agrees_with_pytorch(void)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAMW);
    ORR_CHECK(o.weight_decay == 1e-2);
    o.lr = 0.01;
    o.weight_decay = 0.1;
    run("adamw", ORR_OPTIM_ADAMW, &o);
}

static void rmsprop_agrees_with_pytorch(void)
{
    run("rmsprop", ORR_OPTIM_RMSPROP, NULL);
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_RMSPROP);
    o.alpha = 0.9;
    o.momentum = 0.5;
    o.centred = true;
    o.weight_decay = 0.05;
    run("rmsprop_all", ORR_OPTIM_RMSPROP, &o);
}

static void adagrad_agrees_with_pytorch(void)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAGRAD);
    o.lr = 0.05;
    run("adagrad", ORR_OPTIM_ADAGRAD, &o);
    o = (orr_optim_options){ .lr = 0.05, .lr_decay = 0.1, .weight_decay = 0.05, .initial = 0.2, .eps = 1e-8 };
    run("adagrad_all", ORR_OPTIM_ADAGRAD, &o);
}

static void clipping_agrees_with_pytorch(void)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAM);
    o.lr = 0.01;
    o.clip_norm = 0.25;
    run("adam_clipped", ORR_OPTIM_ADAM, &o);
    o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.1;
    o.clip_norm = 0.25;
    run("sgd_clipped", ORR_OPTIM_SGD, &o);
}

/* -- other documented properties --------------------------------------------------------------------------- */

static void clip_grad_norm_scales_and_returns_the_norm(void)
{
    orr_scope *s = orr_scope_begin();
    static const float a[2] = { 3, 0 }, b[3] = { 0, 4, 0 };
    orr_tensor *g[2] = { orr_from(ORR_F32, ORR_SHAPE(2), a), orr_from(ORR_F32, ORR_SHAPE(3), b) };
    orr_tensor *norm = orr_clip_grad_norm(g, 2, 1.0);
    double value = 0.0;
    float x[2], y[3];
    ORR_CHECK(orr_item(norm, &value) == ORR_OK && fabs(value - 5.0) < 1e-6);
    ORR_CHECK(orr_read(g[0], x, sizeof x) == ORR_OK && fabs((double)x[0] - 0.6) < 1e-5);
    ORR_CHECK(orr_read(g[1], y, sizeof y) == ORR_OK && fabs((double)y[1] - 0.8) < 1e-5);
    /* within the bound: not changed */
    ORR_CHECK(orr_tensor_status(orr_clip_grad_norm(g, 2, 10.0)) == ORR_OK);
    ORR_CHECK(orr_read(g[0], x, sizeof x) == ORR_OK && fabs((double)x[0] - 0.6) < 1e-5);
    ORR_CHECK(orr_tensor_status(orr_clip_grad_norm(g, 0, 1.0)) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_clip_grad_norm(g, 2, -1.0)) == ORR_EINVAL);
    orr_tensor *ints[1] = { orr_ones(ORR_I32, ORR_SHAPE(2)) };
    ORR_CHECK(orr_tensor_status(orr_clip_grad_norm(ints, 1, 1.0)) == ORR_EDTYPE);
    (void)orr_scope_end(s);
}

static void half_variables_learn_with_single_state(void)
{
    orr_scope *s = orr_scope_begin();
    problem q = problem_new(ORR_BF16, ORR_OPTIM_ADAM, NULL);
    ORR_REQUIRE(q.opt);
    orr_parameter state[8];
    ORR_CHECK(orr_optim_state(q.opt, state, 8) == 8 && !strcmp(state[3].name, "1.square"));
    ORR_CHECK(orr_tensor_dtype(state[0].variable) == ORR_F32);
    ORR_CHECK_MSG(problem_step(&q) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_tensor_dtype(q.p[0]) == ORR_BF16);
    orr_optim_free(q.opt);
    (void)orr_scope_end(s);
}

static void learning_rate_changes_from_next_step(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(1))), *g = orr_ones(ORR_F64, ORR_SHAPE(1));
    orr_optim_options o = { .lr = 0.5 };
    orr_optim *opt = orr_optim_new(ORR_OPTIM_SGD, &v, 1, &o);
    double x = 0.0;
    ORR_CHECK(orr_optim_apply(opt, &g, 1) == ORR_OK && orr_item(v, &x) == ORR_OK && fabs(x - 0.5) < 1e-15);
    ORR_CHECK(orr_optim_set_lr(opt, 0.25) == ORR_OK && fabs(orr_optim_lr(opt) - 0.25) < 1e-15);
    ORR_CHECK(orr_optim_apply(opt, &g, 1) == ORR_OK && orr_item(v, &x) == ORR_OK && fabs(x - 0.25) < 1e-15);
    ORR_CHECK(orr_optim_set_lr(opt, -1.0) == ORR_EINVAL && orr_optim_set_lr(opt, NAN) == ORR_EINVAL);
    orr_optim_free(opt);
    (void)orr_scope_end(s);
}

static void failed_step_changes_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[2] = { orr_variable(orr_ones(ORR_F64, ORR_SHAPE(2))), orr_variable(orr_ones(ORR_F64, ORR_SHAPE(3))) };
    orr_optim *opt = orr_optim_new(ORR_OPTIM_ADAM, v, 2, NULL);
    orr_tensor *wrong[2] = { orr_ones(ORR_F64, ORR_SHAPE(2)), orr_ones(ORR_F64, ORR_SHAPE(4)) };
    double x[2];
    ORR_CHECK(orr_optim_apply(opt, wrong, 2) == ORR_ESHAPE && strstr(orr_error_message(), "(4"));
    ORR_CHECK(orr_optim_step(opt, orr_matmul(v[0], v[1])) == ORR_ESHAPE);
    ORR_CHECK(orr_optim_step(opt, NULL) != ORR_OK && orr_optim_apply(opt, NULL, 2) == ORR_EINVAL);
    ORR_CHECK(orr_optim_apply(opt, wrong, 1) == ORR_EINVAL &&
              strstr(orr_error_message(), "1 gradients for an optimiser of 2 variables"));
    ORR_CHECK(orr_optim_steps(opt) == 0);
    ORR_CHECK(orr_read(v[0], x, sizeof x) == ORR_OK && x[0] == 1.0);
    orr_optim_free(opt);
    (void)orr_scope_end(s);
}

/* Zeros in the options are the defaults of the kind, except for the fields in which 0 is a choice. */
static void zeros_in_options_are_defaults(void)
{
    for (orr_optim_kind kind = ORR_OPTIM_SGD; kind <= ORR_OPTIM_LAMB; kind++) {
        orr_scope *s = orr_scope_begin();
        orr_optim_options some = { .lr = 0.01 }, all = orr_optim_defaults(kind);
        all.lr = 0.01;
        all.weight_decay = 0.0;
        problem a = problem_new(ORR_F32, kind, &some), b = problem_new(ORR_F32, kind, &all);
        ORR_REQUIRE(a.opt && b.opt);
        for (int i = 0; i < 5; i++) {
            double x = NAN, y = NAN;
            orr_tensor *la = problem_loss(&a), *lb = problem_loss(&b);
            ORR_CHECK(orr_optim_step(a.opt, la) == ORR_OK && orr_item(la, &x) == ORR_OK);
            ORR_CHECK(orr_optim_step(b.opt, lb) == ORR_OK && orr_item(lb, &y) == ORR_OK);
            ORR_CHECK_MSG(isfinite(x) && memcmp(&x, &y, sizeof x) == 0, "kind %d, step %d: %.9g and %.9g", (int)kind, i,
                          x, y);
        }
        orr_optim_free(a.opt);
        orr_optim_free(b.opt);
        (void)orr_scope_end(s);
    }
    /* A number near 0 has the effect of 0: with it the mean is the gradient, and the step of Adam is lr·sign(g). */
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1))), *g = orr_full(ORR_F64, ORR_SHAPE(1), 3.0);
    orr_optim_options tiny = { .lr = 0.5, .beta1 = 1e-300, .beta2 = 1e-300, .eps = 1e-300 };
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, &v, 1, &tiny);
    double x = NAN;
    ORR_CHECK(orr_optim_apply(o, &g, 1) == ORR_OK && orr_optim_apply(o, &g, 1) == ORR_OK && orr_item(v, &x) == ORR_OK);
    ORR_CHECK_MSG(fabs(x + 1.0) < 1e-15, "%.17g", x);
    orr_optim_free(o);
    (void)orr_scope_end(s);
}

static void invalid_options_make_no_optimiser(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(2))),
               *ints = orr_variable(orr_ones(ORR_I64, ORR_SHAPE(2)));
    orr_optim_options o = { .lr = -1.0 };
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &v, 1, &o) && orr_error_status() == ORR_EINVAL);
    o = (orr_optim_options){ .lr = 0.1, .nesterov = true };
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &v, 1, &o) && orr_error_status() == ORR_EINVAL);
    o = orr_optim_defaults(ORR_OPTIM_ADAM);
    o.beta1 = 1.0;
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_ADAM, &v, 1, &o) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_optim_new((orr_optim_kind)99, &v, 1, NULL) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &v, 0, NULL) && !orr_optim_new(ORR_OPTIM_SGD, NULL, 1, NULL));
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &ints, 1, NULL) && orr_error_status() == ORR_EDTYPE);
    orr_tensor *plain = orr_ones(ORR_F64, ORR_SHAPE(2)), *twice[2] = { v, v };
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &plain, 1, NULL) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, twice, 2, NULL) && orr_error_status() == ORR_EINVAL);
    orr_tensor *none = NULL;
    ORR_CHECK(!orr_optim_new(ORR_OPTIM_SGD, &none, 1, NULL));
    ORR_CHECK(!orr_optim_of_module(ORR_OPTIM_SGD, NULL, NULL) && orr_optim_steps(NULL) == 0);
    orr_optim_free(NULL);
    (void)orr_scope_end(s);
}

static void state_survives_a_file(void)
{
    orr_scope *s = orr_scope_begin();
    const char *path = orr_test_tmp("optim.npz");
    problem a = problem_new(ORR_F64, ORR_OPTIM_ADAM, NULL);
    ORR_REQUIRE(a.opt);
    for (int i = 0; i < 3; i++)
        ORR_CHECK(problem_step(&a) == ORR_OK);
    ORR_CHECK_MSG(orr_optim_save(a.opt, path) == ORR_OK, "%s", orr_error_message());
    problem b = a;
    b.opt = orr_optim_new(ORR_OPTIM_ADAM, b.p, 4, NULL);
    ORR_CHECK_MSG(orr_optim_load(b.opt, path) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_optim_steps(b.opt) == 3);
    orr_parameter x[8], y[8];
    double u[15], v[15];
    ORR_CHECK(orr_optim_state(a.opt, x, 8) == 8 && orr_optim_state(b.opt, y, 8) == 8);
    ORR_CHECK(orr_read(x[1].variable, u, sizeof u) == ORR_OK && orr_read(y[1].variable, v, sizeof v) == ORR_OK);
    ORR_CHECK(memcmp(u, v, sizeof u) == 0);
    ORR_CHECK(orr_optim_load(b.opt, orr_test_tmp("absent.npz")) != ORR_OK);
    orr_optim_free(a.opt);
    orr_optim_free(b.opt);
    (void)orr_scope_end(s);
}

/* The number of steps is an exponent in a divisor: fractions of a step and values that are no numbers are refused. */
static void state_file_has_whole_steps(void)
{
    static const double steps[] = { 1.5, -1, NAN, INFINITY, 1e300 };
    const char *path = orr_test_tmp("steps.npz"), *name = "steps";
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3)));
    orr_optim *o = orr_optim_new(ORR_OPTIM_SGD, &v, 1, NULL);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        orr_tensor *t = orr_full(ORR_F64, ORR_SHAPE_0D, steps[k]);
        ORR_REQUIRE(orr_save_npz(path, &name, 1, &t, 1) == ORR_OK);
        ORR_CHECK_MSG(orr_optim_load(o, path) == ORR_EFORMAT && orr_optim_steps(o) == 0, "%g: %lld", steps[k],
                      (long long)orr_optim_steps(o));
    }
    orr_optim_free(o);
    (void)orr_scope_end(s);
}

/* Adam and AdamW keep arrays of the same names; SGD without momentum keeps none, and so any file has all of them. */
static void state_file_of_other_kind_is_refused(void)
{
    static const char *const name[] = { "SGD", "Adam", "AdamW", "RMSProp", "Adagrad" };
    const char *path = orr_test_tmp("kind.npz");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[2] = { orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3))), orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3))) };
    for (int k = 0; k < 5; k++) {
        orr_optim *of = orr_optim_new((orr_optim_kind)k, v, 1, NULL);
        ORR_REQUIRE(of && orr_optim_save(of, path) == ORR_OK);
        for (int j = 0; j < 5; j++) {
            orr_optim *o = orr_optim_new((orr_optim_kind)j, v, 1, NULL);
            orr_status st = orr_optim_load(o, path);
            bool says = st != ORR_OK && strstr(orr_error_message(), name[k]) && strstr(orr_error_message(), name[j]);
            ORR_CHECK_MSG(st == (j == k ? ORR_OK : ORR_EINVAL) && (j == k || says), "%s's file into %s: %s", name[k],
                          name[j], orr_error_message());
            orr_optim_free(o);
        }
        orr_optim *two = orr_optim_new((orr_optim_kind)k, v, 2, NULL);
        ORR_CHECK(orr_optim_load(two, path) == ORR_EINVAL && strstr(orr_error_message(), "1 variables"));
        orr_optim_free(two);
        orr_optim_free(of);
    }
    orr_optim *o = orr_optim_new(ORR_OPTIM_SGD, v, 1, NULL);
    ORR_CHECK(orr_optim_load(o, "no/such.npz") == ORR_EIO && strstr(orr_error_message(), ": optim_load: no/such.npz"));
    orr_optim_free(o);
    orr_optim_options heavy = { .lr = 0.1, .momentum = 0.9 };
    orr_optim *with = orr_optim_new(ORR_OPTIM_SGD, v, 1, &heavy), *without = orr_optim_new(ORR_OPTIM_SGD, v, 1, NULL);
    ORR_CHECK(orr_optim_save(with, path) == ORR_OK && orr_optim_load(without, path) == ORR_EINVAL);
    orr_optim_free(with);
    orr_optim_free(without);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(sgd_agrees_with_pytorch),
        ORR_TEST(adam_agrees_with_pytorch),
        ORR_TEST(adamw_agrees_with_pytorch),
        ORR_TEST(rmsprop_agrees_with_pytorch),
        ORR_TEST(adagrad_agrees_with_pytorch),
        ORR_TEST(clipping_agrees_with_pytorch),
        ORR_TEST(clip_grad_norm_scales_and_returns_the_norm),
        ORR_TEST(half_variables_learn_with_single_state),
        ORR_TEST(learning_rate_changes_from_next_step),
        ORR_TEST(failed_step_changes_nothing),
        ORR_TEST(state_file_has_whole_steps),
        ORR_TEST(state_file_of_other_kind_is_refused),
        ORR_TEST(zeros_in_options_are_defaults),
        ORR_TEST(invalid_options_make_no_optimiser),
        ORR_TEST(state_survives_a_file),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "nn.optim", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
