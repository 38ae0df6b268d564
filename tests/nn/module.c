/* Modules: forward, composition, parameters, initialisers, files.
 * Must not know: optimisers. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

static orr_module *small(void)
{
    return orr_sequential(orr_dense(3, 4, ORR_RELU, ORR_DEFAULT_INIT),
                          orr_sequential(orr_dense_of(ORR_F32, 4, 2, ORR_TANH, ORR_GLOROT_NORMAL_INIT, ORR_NO_BIAS)));
}

static void parameters_have_paths_and_shapes(void)
{
    orr_module *m = small();
    orr_parameter p[4] = { 0 };
    ORR_REQUIRE(m);
    ORR_CHECK(orr_module_parameters(m, NULL, 0) == 3 && orr_module_parameters(m, p, 4) == 3);
    ORR_CHECK(!strcmp(p[0].name, "0.weight") && !strcmp(p[1].name, "0.bias") && !strcmp(p[2].name, "1.0.weight"));
    ORR_CHECK(orr_tensor_shape(p[0].variable).dim[0] == 3 && orr_tensor_shape(p[0].variable).dim[1] == 4);
    ORR_CHECK(orr_tensor_shape(p[1].variable).rank == 1 && orr_module_size(m) == 12 + 4 + 8);
    orr_module_free(m);
}

static void dense_is_activation_of_affine(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_dense_of(ORR_F64, 2, 2, ORR_RELU, ORR_CONSTANT_INIT(0.5), ORR_CONSTANT_INIT(-1.0));
    static const double x[4] = { 1, 2, -3, 1 };
    double y[4];
    orr_status st = orr_read(orr_forward(m, orr_from(ORR_F64, ORR_SHAPE(2, 2), x)), y, sizeof y);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(y[0] == 0.5 && y[1] == 0.5 && y[2] == 0.0 && y[3] == 0.0);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

static void parameters_outlive_the_scope_that_made_them(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = small();
    (void)orr_scope_end(s);
    ORR_REQUIRE(m);
    s = orr_scope_begin();
    orr_tensor *y = orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(5, 3)));
    ORR_CHECK_MSG(orr_eval(y) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_tensor_shape(y).dim[0] == 5 && orr_tensor_shape(y).dim[1] == 2);
    (void)orr_scope_end(s);
    orr_module_free(m);
}

static void a_wrong_input_names_the_call(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = small();
    orr_tensor *y = orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(5, 7)));
    ORR_CHECK(orr_tensor_status(y) == ORR_ESHAPE && orr_eval(y) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/nn/module.c:"), "%s", orr_error_message());
    ORR_CHECK(orr_tensor_status(orr_forward(NULL, y)) == ORR_EINVAL);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

static void a_bad_part_frees_the_others(void)
{
    ORR_CHECK(
        !orr_sequential(orr_dense(3, 4, ORR_RELU, ORR_DEFAULT_INIT), orr_dense(0, 2, ORR_RELU, ORR_DEFAULT_INIT)));
    ORR_CHECK_MSG(orr_error_status() == ORR_ESHAPE, "%s", orr_error_message());
    ORR_CHECK(!orr_dense(3, 4, (orr_activation)77, ORR_DEFAULT_INIT) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_dense(3, 4, ORR_RELU, ORR_NO_BIAS) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_dense_of(ORR_I32, 3, 4, ORR_RELU, ORR_DEFAULT_INIT, ORR_NO_BIAS) &&
              orr_error_status() == ORR_EDTYPE);
    ORR_CHECK(!orr_function(NULL, NULL) && !orr_sequential_at(ORR_HERE, NULL, 0));
    orr_module *m = orr_dense(3, 3, ORR_RELU, ORR_DEFAULT_INIT);
    ORR_CHECK(!orr_sequential(m, m) && orr_error_status() == ORR_EINVAL); /* frees m, once */
    orr_module *part = orr_dense(3, 3, ORR_RELU, ORR_DEFAULT_INIT), *whole = orr_sequential(part);
    ORR_CHECK(whole && !orr_sequential(part) && orr_error_status() == ORR_EINVAL);
    orr_module_free(whole);
    orr_module_free(NULL);
}

static orr_tensor *scale(orr_tensor *x, void *user)
{
    return orr_mul(x, orr_scalar(*(double *)user));
}

static void a_function_is_a_module(void)
{
    double two = 2.0, y = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_sequential(orr_function(scale, &two), orr_function(scale, &two));
    ORR_CHECK(orr_item(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(1))), &y) == ORR_OK && y == 4.0);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

/* y of each activation at a few points, by its formula. */
static double by_formula(orr_activation f, double x)
{
    double sig = 1.0 / (1.0 + exp(-x)), soft = log1p(exp(x));
    switch (f) {
    case ORR_RELU: return fmax(x, 0.0);
    case ORR_LEAKY_RELU: return x < 0.0 ? 0.01 * x : x;
    case ORR_ELU: return x < 0.0 ? expm1(x) : x;
    case ORR_GELU: return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
    case ORR_GELU_TANH: return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
    case ORR_SILU: return x * sig;
    case ORR_SIGMOID: return sig;
    case ORR_TANH: return tanh(x);
    case ORR_SOFTPLUS: return soft;
    case ORR_MISH: return x * tanh(soft);
    case ORR_HARDSWISH: return x * fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0;
    default: return x;
    }
}

static void activations_are_their_formulas(void)
{
    static const double x[5] = { -4.0, -0.5, 0.0, 0.75, 3.5 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F64, ORR_SHAPE(5), x);
    for (int f = ORR_LINEAR; f <= ORR_HARDSWISH; f++) {
        double y[5];
        ORR_CHECK_MSG(orr_read(orr_activate(t, (orr_activation)f), y, sizeof y) == ORR_OK, "%s", orr_error_message());
        for (int i = 0; i < 5; i++) {
            double want = by_formula((orr_activation)f, x[i]);
            ORR_CHECK_MSG(fabs(y[i] - want) < 1e-14, "activation %d at %g: %.17g, not %.17g", f, x[i], y[i], want);
        }
    }
    double y[5], sum = 0.0;
    ORR_CHECK(orr_read(orr_activate(t, ORR_SOFTMAX), y, sizeof y) == ORR_OK);
    for (int i = 0; i < 5; i++)
        sum += y[i];
    ORR_CHECK(fabs(sum - 1.0) < 1e-14);
    ORR_CHECK(orr_read(orr_activate(t, ORR_LOG_SOFTMAX), y, sizeof y) == ORR_OK && y[4] < 0.0);
    ORR_CHECK(orr_tensor_status(orr_activate(t, (orr_activation)-1)) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

/* Least, greatest, mean and deviation of 200 × 300 drawn values. */
static void check_spread(const char *name, orr_initialiser how, double lo, double hi, double std)
{
    enum { N = 200 * 300 };
    static double v[N];
    double least = INFINITY, most = -INFINITY, sum = 0.0, square = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_read(orr_initialise(how, ORR_F64, ORR_SHAPE(200, 300)), v, sizeof v);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", name, orr_error_message());
    for (int i = 0; i < N; i++) {
        least = fmin(least, v[i]);
        most = fmax(most, v[i]);
        sum += v[i];
        square += v[i] * v[i];
    }
    double mean = sum / N, dev = sqrt(square / N - mean * mean);
    ORR_CHECK_MSG(least >= lo && most <= hi, "%s: %g … %g", name, least, most);
    ORR_CHECK_MSG(fabs(mean) < 0.02 * std && fabs(dev - std) < 0.02 * std, "%s: mean %g, deviation %g, not %g", name,
                  mean, dev, std);
    (void)orr_scope_end(s);
}

static void initialisers_have_their_spread(void)
{
    double d = sqrt(1.0 / 200), g = sqrt(6.0 / 500), h = sqrt(6.0 / 200), r = sqrt(3.0);
    orr_seed(3);
    check_spread("default", ORR_DEFAULT_INIT, -d, d, d / r);
    check_spread("uniform", ORR_UNIFORM_INIT(-2.0, 2.0), -2.0, 2.0, 2.0 / r);
    check_spread("normal", ORR_NORMAL_INIT(0.0, 0.5), -10.0, 10.0, 0.5);
    check_spread("glorot uniform", ORR_GLOROT_UNIFORM_INIT, -g, g, g / r);
    check_spread("glorot normal", ORR_GLOROT_NORMAL_INIT, -10.0, 10.0, sqrt(2.0 / 500));
    check_spread("he uniform", ORR_HE_UNIFORM_INIT, -h, h, h / r);
    check_spread("he normal", ORR_HE_NORMAL_INIT, -10.0, 10.0, sqrt(2.0 / 200));
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_tensor_status(orr_initialise(ORR_ZEROS_INIT, ORR_I32, ORR_SHAPE(2))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_initialise(ORR_NO_BIAS, ORR_F32, ORR_SHAPE(2))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_initialise(ORR_NORMAL_INIT(NAN, 1.0), ORR_F32, ORR_SHAPE(2))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_initialise(ORR_HE_NORMAL_INIT, ORR_F32, ORR_SHAPE(-2, 2))) == ORR_ESHAPE);
    ORR_CHECK(orr_tensor_size(orr_initialise(ORR_HE_NORMAL_INIT, ORR_F32, ORR_SHAPE(0, 2))) == 0);
    (void)orr_scope_end(s);
}

static void equal_seeds_make_equal_modules(void)
{
    float a[12], b[12];
    orr_parameter p;
    for (int i = 0; i < 2; i++) {
        orr_seed(42);
        orr_module *m = small();
        ORR_REQUIRE(m);
        (void)orr_module_parameters(m, &p, 1);
        ORR_CHECK(orr_read(p.variable, i ? b : a, sizeof a) == ORR_OK);
        orr_module_free(m);
    }
    ORR_CHECK(memcmp(a, b, sizeof a) == 0);
}

static void parameters_survive_a_file(void)
{
    const char *path = orr_test_tmp("module.npz");
    orr_module *a = small(), *b = small(), *other = orr_dense(3, 4, ORR_RELU, ORR_DEFAULT_INIT);
    orr_parameter p[3], q[3];
    float u[12], v[12];
    ORR_REQUIRE(a && b && other);
    ORR_CHECK_MSG(orr_module_save(a, path) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(orr_module_load(b, path) == ORR_OK, "%s", orr_error_message());
    (void)orr_module_parameters(a, p, 3);
    (void)orr_module_parameters(b, q, 3);
    ORR_CHECK(orr_read(p[0].variable, u, sizeof u) == ORR_OK && orr_read(q[0].variable, v, sizeof v) == ORR_OK);
    ORR_CHECK(memcmp(u, v, sizeof u) == 0);
    ORR_CHECK(orr_module_load(other, path) != ORR_OK); /* "weight" is not in it */
    ORR_CHECK(orr_module_load(b, orr_test_tmp("absent.npz")) != ORR_OK);
    ORR_CHECK(orr_module_load(b, NULL) == ORR_EINVAL && orr_module_save(NULL, path) == ORR_EINVAL);
    orr_module_free(other);
    orr_module_free(b);
    orr_module_free(a);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(parameters_have_paths_and_shapes),
        ORR_TEST(dense_is_activation_of_affine),
        ORR_TEST(parameters_outlive_the_scope_that_made_them),
        ORR_TEST(a_wrong_input_names_the_call),
        ORR_TEST(a_bad_part_frees_the_others),
        ORR_TEST(a_function_is_a_module),
        ORR_TEST(activations_are_their_formulas),
        ORR_TEST(initialisers_have_their_spread),
        ORR_TEST(equal_seeds_make_equal_modules),
        ORR_TEST(parameters_survive_a_file),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "nn.module", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
