/* Modules: forward, composition, parameters, initialisers, files.
 * Must not know: optimisers. */
#include "config.h"
#include "tests/nn/near.h"

static orr_module *small(void)
{
    return orr_sequential(
        ORR_MODULES(orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                    orr_sequential(ORR_MODULES(orr_dense_with(ORR_F32, 4, 2, ORR_ACTIVATION_TANH,
                                                              ORR_INITIALISER_GLOROT_NORMAL, ORR_INITIALISER_NONE)))));
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
    orr_module *m = orr_dense_with(ORR_F64, 2, 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_CONSTANT(0.5),
                                   ORR_INITIALISER_CONSTANT(-1.0));
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

/* Values by mpmath: 0.7·(e^−1.5 − 1) and its derivative 0.7·e^−1.5; 1.25·Φ(1.25). */
static void activations_take_their_parameter_as_a_number(void)
{
    orr_scope *s = orr_scope_begin();
    static const double at[2] = { -1.5, 1.25 };
    double y[2], slope[2];
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), at), *elu = orr_elu(x, 0.7), *g;
    ORR_CHECK(orr_grad(elu, &x, 1, &g) == ORR_OK);
    ORR_CHECK(orr_read(elu, y, sizeof y) == ORR_OK && orr_read(g, slope, sizeof slope) == ORR_OK);
    ORR_CHECK(fabs(y[0] + 0.543808887896099120) < 1e-15 && y[1] == 1.25);
    ORR_CHECK(fabs(slope[0] - 0.156191112103900880) < 1e-15 && slope[1] == 1);
    ORR_CHECK(orr_read(orr_leaky_relu(x, 0.25), y, sizeof y) == ORR_OK && y[0] == -0.375 && y[1] == 1.25);
    ORR_CHECK(orr_read(orr_gelu(x), y, sizeof y) == ORR_OK && fabs(y[1] - 1.11793778291643093) < 1e-15);
    ORR_CHECK(orr_tensor_status(orr_elu(orr_ones(ORR_I32, ORR_SHAPE(1)), 1.0)) == ORR_EDTYPE);
    (void)orr_scope_end(s);
}

static void forward_error_names_the_call(void)
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

static void sequential_error_frees_all_modules(void)
{
    ORR_CHECK(!orr_sequential(ORR_MODULES(orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                          orr_dense(0, 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT))));
    ORR_CHECK_MSG(orr_error_status() == ORR_ESHAPE, "%s", orr_error_message());
    ORR_CHECK(!orr_dense(3, 4, (orr_activation)77, ORR_INITIALISER_DEFAULT) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_NONE) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_dense_with(ORR_I32, 3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE) &&
              orr_error_status() == ORR_EDTYPE);
    ORR_CHECK(!orr_function(NULL, NULL) && !orr_sequential_at(ORR_HERE, NULL, 0));
    orr_module *m = orr_dense(3, 3, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT);
    ORR_CHECK(!orr_sequential(ORR_MODULES(m, m)) && orr_error_status() == ORR_EINVAL); /* frees m, once */
    orr_module *part = orr_dense(3, 3, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
               *whole = orr_sequential(ORR_MODULES(part));
    ORR_CHECK(whole && !orr_sequential(ORR_MODULES(part)) && orr_error_status() == ORR_EINVAL);
    orr_module_free(whole);
    orr_module_free(NULL);
}

static void mistake_in_options_is_found_where_the_layer_is_made(void)
{
    static const orr_conv_options back = { .stride = { -1 } }, far = { .dilation = { 1, -2 } },
                                  more = { .stride = { 2 }, .output_padding = { 2 } };
    static const orr_pool_options none = { 0 }, wide = { .window = { 2, 2 }, .padding = { 3 } };
    orr_initialiser usual = ORR_INITIALISER_DEFAULT;
    ORR_CHECK(!orr_conv_layer(3, 4, ORR_SHAPE(3), &back, ORR_ACTIVATION_LINEAR, usual, usual));
    ORR_CHECK_MSG(strstr(orr_error_message(), "stride -1"), "%s", orr_error_message());
    ORR_CHECK(!orr_conv_layer(3, 4, ORR_SHAPE(3, 3), &far, ORR_ACTIVATION_LINEAR, usual, usual));
    ORR_CHECK_MSG(strstr(orr_error_message(), "dilation -2 of spatial axis 1"), "%s", orr_error_message());
    ORR_CHECK(!orr_conv_transpose_layer(3, 4, ORR_SHAPE(3), &more, ORR_ACTIVATION_LINEAR, usual, usual));
    ORR_CHECK_MSG(strstr(orr_error_message(), "output padding 2"), "%s", orr_error_message());
    ORR_CHECK(!orr_max_pool_layer(&none) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "no window"), "%s", orr_error_message());
    ORR_CHECK(!orr_average_pool_layer(&wide));
    ORR_CHECK_MSG(strstr(orr_error_message(), "padding"), "%s", orr_error_message());
    /* An option that fits only a very large image is no mistake. */
    static const orr_pool_options song = { .window = { 8000 }, .stride = { 4000 } }, four = { .size = { 4, 4 } };
    static const orr_conv_options far_apart = { .stride = { 1000, 1000, 1000 }, .dilation = { 5000 } };
    orr_module *m[] = { orr_average_pool_layer(&song), orr_max_pool_layer(&four),
                        orr_conv_layer(3, 4, ORR_SHAPE(3), &far_apart, ORR_ACTIVATION_LINEAR, usual, usual),
                        orr_conv_transpose_layer(3, 4, ORR_SHAPE(3, 3, 3), &far_apart, ORR_ACTIVATION_LINEAR, usual,
                                                 usual) };
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
        ORR_CHECK_MSG(m[i], "layer %d: %s", (int)i, orr_error_message());
        orr_module_free(m[i]);
    }
}

static orr_tensor *scale(orr_tensor *x, void *user)
{
    return orr_mul(x, orr_scalar(*(double *)user));
}

static void function_is_a_module(void)
{
    double two = 2.0, y = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_sequential(ORR_MODULES(orr_function(scale, &two), orr_function(scale, &two)));
    ORR_CHECK(orr_item(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(1))), &y) == ORR_OK && y == 4.0);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

/* The value of each activation at a few points, by its formula. */
static double by_formula(orr_activation f, double x)
{
    double sig = 1.0 / (1.0 + exp(-x)), soft = log1p(exp(x));
    switch (f) {
    case ORR_ACTIVATION_RELU: return fmax(x, 0.0);
    case ORR_ACTIVATION_LEAKY_RELU: return x < 0.0 ? 0.01 * x : x;
    case ORR_ACTIVATION_ELU: return x < 0.0 ? expm1(x) : x;
    case ORR_ACTIVATION_GELU: return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
    case ORR_ACTIVATION_GELU_TANH: return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
    case ORR_ACTIVATION_SILU: return x * sig;
    case ORR_ACTIVATION_SIGMOID: return sig;
    case ORR_ACTIVATION_TANH: return tanh(x);
    case ORR_ACTIVATION_SOFTPLUS: return soft;
    case ORR_ACTIVATION_MISH: return x * tanh(soft);
    case ORR_ACTIVATION_HARDSWISH: return x * fmin(fmax(x + 3.0, 0.0), 6.0) / 6.0;
    default: return x;
    }
}

static void activations_are_their_formulas(void)
{
    static const double x[5] = { -4.0, -0.5, 0.0, 0.75, 3.5 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F64, ORR_SHAPE(5), x);
    for (int f = ORR_ACTIVATION_LINEAR; f <= ORR_ACTIVATION_HARDSWISH; f++) {
        double y[5];
        ORR_CHECK_MSG(orr_read(orr_activate(t, (orr_activation)f), y, sizeof y) == ORR_OK, "%s", orr_error_message());
        for (int i = 0; i < 5; i++) {
            double want = by_formula((orr_activation)f, x[i]);
            ORR_CHECK_MSG(fabs(y[i] - want) < 1e-14, "activation %d at %g: %.17g, not %.17g", f, x[i], y[i], want);
        }
    }
    double y[5], sum = 0.0;
    ORR_CHECK(orr_read(orr_activate(t, ORR_ACTIVATION_SOFTMAX), y, sizeof y) == ORR_OK);
    for (int i = 0; i < 5; i++)
        sum += y[i];
    ORR_CHECK(fabs(sum - 1.0) < 1e-14);
    ORR_CHECK(orr_read(orr_activate(t, ORR_ACTIVATION_LOG_SOFTMAX), y, sizeof y) == ORR_OK && y[4] < 0.0);
    ORR_CHECK(orr_tensor_status(orr_activate(t, (orr_activation)-1)) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

/* Checks minimum, maximum, mean and deviation of 200 × 300 drawn values. */
static void check_spread(const char *name, orr_initialiser how, double lo, double hi, double std)
{
    enum { N = 200 * 300 };
    static double v[N];
    double least = INFINITY, most = -INFINITY, sum = 0.0, square = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_read(orr_initialiser_apply(how, ORR_F64, ORR_SHAPE(200, 300)), v, sizeof v);
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
    check_spread("default", ORR_INITIALISER_DEFAULT, -d, d, d / r);
    check_spread("uniform", ORR_INITIALISER_UNIFORM(-2.0, 2.0), -2.0, 2.0, 2.0 / r);
    check_spread("normal", ORR_INITIALISER_NORMAL(0.0, 0.5), -10.0, 10.0, 0.5);
    check_spread("glorot uniform", ORR_INITIALISER_GLOROT_UNIFORM, -g, g, g / r);
    check_spread("glorot normal", ORR_INITIALISER_GLOROT_NORMAL, -10.0, 10.0, sqrt(2.0 / 500));
    check_spread("he uniform", ORR_INITIALISER_HE_UNIFORM, -h, h, h / r);
    check_spread("he normal", ORR_INITIALISER_HE_NORMAL, -10.0, 10.0, sqrt(2.0 / 200));
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_tensor_status(orr_initialiser_apply(ORR_INITIALISER_ZEROS, ORR_I32, ORR_SHAPE(2))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_initialiser_apply(ORR_INITIALISER_NONE, ORR_F32, ORR_SHAPE(2))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_initialiser_apply(ORR_INITIALISER_NORMAL(NAN, 1.0), ORR_F32, ORR_SHAPE(2))) ==
              ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_initialiser_apply(ORR_INITIALISER_HE_NORMAL, ORR_F32, ORR_SHAPE(-2, 2))) ==
              ORR_ESHAPE);
    ORR_CHECK(orr_tensor_size(orr_initialiser_apply(ORR_INITIALISER_HE_NORMAL, ORR_F32, ORR_SHAPE(0, 2))) == 0);
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
    orr_module *a = small(), *b = small(), *other = orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT);
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

/* y = x·scale + table[0], with a state that counts applications. */
typedef struct own {
    orr_tensor *scale, *count;
    bool freed;
} own;

static orr_tensor *own_apply(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    own *o = user;
    ORR_CHECK(n == 1 && orr_module_part(m, 0) && !orr_module_part(m, 1));
    (void)orr_assign(o->count, orr_add(o->count, orr_scalar(1)));
    return orr_mul(orr_forward(orr_module_part(m, 0), x[0]), o->scale);
}

static void own_release(void *user)
{
    ((own *)user)->freed = true;
}

static void own_module_has_parameters_states_and_parts(void)
{
    own o = { 0 };
    const char *path = orr_test_tmp("own.npz");
    orr_parameter p[4];
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_module_new("scaled", own_apply, &o, own_release);
    ORR_REQUIRE(m);
    o.scale = orr_module_add_parameter(m, "scale", orr_full(ORR_F32, ORR_SHAPE(4), 2));
    o.count = orr_module_add_state(m, "count", orr_zeros(ORR_F32, ORR_SHAPE_0D));
    ORR_CHECK(orr_module_add_part(m, "inner", orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)) != NULL);
    ORR_CHECK(!orr_module_add_parameter(m, "scale", orr_scalar(1)) && strstr(orr_error_message(), "\"scale\" already"));
    ORR_CHECK(!orr_module_add_parameter(m, "a.b", orr_scalar(1)) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(orr_module_parameters(m, p, 4) == 3 && !strcmp(p[0].name, "scale") && !strcmp(p[1].name, "inner.weight"));
    ORR_CHECK(orr_module_states(m, p, 4) == 1 && !strcmp(p[0].name, "count") && orr_module_size(m) == 20);
    orr_tensor *y = orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(5, 3)));
    ORR_CHECK_MSG(orr_eval(y) == ORR_OK && orr_tensor_shape(y).dim[1] == 4, "%s", orr_error_message());
    double count = 0;
    ORR_CHECK(orr_item(o.count, &count) == ORR_OK && count == 1);
    ORR_CHECK_MSG(orr_module_save(m, path) == ORR_OK && orr_module_load(m, path) == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
    orr_module_free(m);
    ORR_CHECK(o.freed);
}

static orr_tensor *hides(orr_tensor *x, void *user)
{
    return orr_add(orr_square(x), orr_mul(x, (orr_tensor *)user));
}

static void a_variable_that_would_not_be_saved_is_found(void)
{
    const char *path = orr_test_tmp("hidden.npz");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(4)));
    orr_module *f = orr_function(hides, v);
    orr_module *m = orr_sequential(ORR_MODULES(orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT), f));
    ORR_REQUIRE(m);
    ORR_CHECK(orr_eval(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(2, 3)))) == ORR_OK);
    ORR_CHECK(orr_module_save(m, path) == ORR_ESTATE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "orr_module_add_parameter"), "%s", orr_error_message());
    orr_module_free(m);
    /* A function that uses its own parameter, and one of another module of the same composition. */
    f = orr_function(hides, NULL);
    m = orr_sequential(ORR_MODULES(f));
    orr_module *tied = orr_sequential(ORR_MODULES(orr_function(hides, orr_module_add_parameter(f, "v", v)), m));
    ORR_REQUIRE(tied);
    orr_tensor *y = orr_forward(orr_module_part(tied, 0), orr_ones(ORR_F32, ORR_SHAPE(4)));
    ORR_CHECK_MSG(orr_eval(y) == ORR_OK && orr_module_save(tied, path) == ORR_OK, "%s", orr_error_message());
    orr_module_free(tied);
    (void)orr_scope_end(s);
}

static void checkpoint_of_another_network_names_the_first_difference(void)
{
    const char *path = orr_test_tmp("other.npz");
    orr_module *a = small(),
               *b = orr_sequential(ORR_MODULES(orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                               orr_dense(4, 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)));
    orr_module *c = orr_sequential(ORR_MODULES(orr_dense(3, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)));
    orr_module *d = orr_sequential(ORR_MODULES(orr_dense(3, 5, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)));
    ORR_REQUIRE(a && b && c && d && orr_module_save(a, path) == ORR_OK);
    ORR_CHECK(orr_module_load(b, path) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "another network: it has no \"1.weight\" (4, 2)"), "%s",
                  orr_error_message());
    ORR_CHECK(orr_module_load(c, path) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "this one has no \"1.0.weight\""), "%s", orr_error_message());
    ORR_CHECK(orr_module_save(c, path) == ORR_OK && orr_module_load(d, path) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "module_load: ") && strstr(orr_error_message(), path) &&
                      strstr(orr_error_message(), "0.weight: the file has shape (3, 4), the variable (3, 5)"),
                  "%s", orr_error_message());
    ORR_CHECK(orr_module_load(d, "/nowhere/w.npz") == ORR_EIO);
    ORR_CHECK_MSG(strstr(orr_error_message(), "module_load: /nowhere/w.npz"), "%s", orr_error_message());
    ORR_CHECK(orr_module_save(d, "/nowhere/w.npz") == ORR_EIO);
    ORR_CHECK_MSG(strstr(orr_error_message(), "module_save: /nowhere/w.npz"), "%s", orr_error_message());
    ORR_CHECK(!orr_module_variable(d, "nope") && strstr(orr_error_message(), "module_variable") &&
              strstr(orr_error_message(), "\"nope\""));
    orr_module_free(d);
    orr_module_free(c);
    orr_module_free(b);
    orr_module_free(a);
}

static void residual_adds_its_input(void)
{
    double two = 2.0, y = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_residual(orr_function(scale, &two));
    ORR_CHECK(orr_item(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(1))), &y) == ORR_OK && y == 3.0);
    near_poison(orr_forward_all(m, ORR_TENSORS(orr_scalar(1), orr_scalar(2))), ORR_EINVAL,
                "residual takes 1 input, not 2");
    ORR_CHECK(!orr_residual(NULL));
    orr_module_free(m);
    (void)orr_scope_end(s);
}

static void a_path_that_would_be_cut_is_refused(void)
{
    orr_module *m = orr_dense(1, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT), *deeper;
    int depth = 0;
    ORR_CHECK(m != NULL);
    while (m && (deeper = orr_residual(m)) != NULL && depth < 100) {
        m = deeper;
        depth++;
    }
    ORR_CHECK_MSG(depth == 28 && orr_error_status() == ORR_EINVAL, "depth %d", depth); /* 28 · "0." + "weight" */
    ORR_CHECK_MSG(strstr(orr_error_message(), "64 bytes, and 63 are the most"), "%s", orr_error_message());
}

static orr_tensor *inner(orr_tensor *x, void *user)
{
    return orr_forward(user, x);
}

static void error_in_a_layer_has_its_path(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3));
    orr_module *deep =
        orr_sequential(ORR_MODULES(orr_flatten_layer(), orr_dense(4, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)));
    orr_module *m = orr_sequential(ORR_MODULES(orr_flatten_layer(), orr_residual(deep), orr_flatten_layer()));
    orr_tensor *y = orr_forward(m, x);
    near_poison(y, ORR_ESHAPE, "tests/nn/module.c:|matmul|(2, 3)|, in layer 1.0.1 (dense)");
    near_poison(orr_forward(m, y), ORR_ESHAPE, "1.0.1 (dense)"); /* its input has the error: no second path */
    ORR_CHECK(!strstr(strstr(orr_error_message(), "in layer") + 1, "in layer"));
    near_poison(orr_forward(orr_module_part(m, 1), x), ORR_ESHAPE, ", in layer 0.1 (dense)");
    near_poison(orr_forward(m, NULL), ORR_EINVAL, "forward: x is NULL: sequential");
    orr_module_free(m);
    m = orr_residual(orr_dense(3, 5, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT));
    near_poison(orr_forward(m, x), ORR_ESHAPE, "add|(2, 3)|(2, 5)|, in residual");
    orr_module_free(m);
    /* a module that a function calls is no part: the function's own path follows */
    orr_module *user = orr_dense(4, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT);
    m = orr_sequential(ORR_MODULES(orr_flatten_layer(), orr_function(inner, user)));
    near_poison(orr_forward(m, x), ORR_ESHAPE, ", in dense, in layer 1 (function)");
    orr_module_free(m);
    orr_module_free(user);
    (void)orr_scope_end(s);
}

/* Compares a layer with its function, and frees it. */
static void layer_is(orr_module *m, orr_tensor *const *x, int n, orr_tensor *want, const char *what)
{
    ORR_REQUIRE(m != NULL);
    ORR_CHECK_MSG(orr_module_parameters(m, NULL, 0) == 0, "%s has parameters", what);
    near_same(n == 1 ? orr_forward(m, x[0]) : orr_forward_all(m, x, n), want, 1e-6, what);
    orr_module_free(m);
}

static void layers_without_parameters_are_their_functions(void)
{
    orr_scope *s = orr_scope_begin();
    orr_norm_options plain = { .plain = true };
    orr_pool_options two = { .window = { 2, 3 }, .padding = { 1, 1 } }, whole = { .size = { 1, 1 } };
    orr_tensor *x = orr_add(orr_rand(ORR_F32, ORR_SHAPE(2, 4, 6, 10), -1, 1), orr_scalar(2));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *pooled = orr_max_pool(x, &two), *at = orr_max_pool_indices(x, &two);
    layer_is(orr_activation_layer(ORR_ACTIVATION_MISH), &x, 1, orr_mish(x), "activation");
    layer_is(orr_max_pool_layer(&two), &x, 1, pooled, "max_pool");
    layer_is(orr_average_pool_layer(&whole), &x, 1, orr_mean(x, ORR_AXES(2, 3), true), "average_pool");
    layer_is(orr_lp_pool_layer(3, &two), &x, 1, orr_lp_pool(x, 3, &two), "lp_pool");
    layer_is(orr_max_unpool_layer(ORR_SHAPE(6, 10)), (orr_tensor *[]){ pooled, at }, 2,
             orr_max_unpool(pooled, at, ORR_SHAPE(6, 10)), "max_unpool");
    layer_is(orr_resize_layer(ORR_SHAPE(9, 4), ORR_RESIZE_CUBIC, true), &x, 1,
             orr_resize(x, ORR_SHAPE(9, 4), ORR_RESIZE_CUBIC, true), "resize");
    layer_is(orr_instance_norm_layer(4, &plain), &x, 1, orr_instance_norm(x, NULL, NULL, 1e-5), "instance_norm");
    layer_is(orr_local_response_norm_layer(3, 1e-2, 0.75, 2), &x, 1, orr_local_response_norm(x, 3, 1e-2, 0.75, 2),
             "local_response_norm");
    layer_is(orr_sinusoidal_layer(), &x, 1, orr_add(x, orr_sinusoidal_positions(ORR_F32, 0, 6, 10)), "sinusoidal");
    (void)orr_scope_end(s);
}

static void layers_refuse_wrong_numbers(void)
{
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(!orr_activation_layer((orr_activation)99) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_lp_pool_layer(0, &(orr_pool_options){ .window = { 2 } }) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_lp_pool_layer(2, NULL) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_resize_layer(ORR_SHAPE(3, 0), ORR_RESIZE_LINEAR, false) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK(!orr_resize_layer(ORR_SHAPE(3), (orr_resize_mode)9, false) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_max_unpool_layer(ORR_SHAPE(1, 2, 3, 4)) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK(!orr_local_response_norm_layer(0, 1, 1, 1) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_instance_norm_layer(0, NULL) && orr_error_status() == ORR_ESHAPE);
    orr_module *m = orr_max_unpool_layer(ORR_SHAPE(4)), *p = orr_sinusoidal_layer();
    ORR_REQUIRE(m && p);
    near_poison(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(1, 1, 2))), ORR_EINVAL, "max_unpool takes 2 inputs, not 1");
    near_poison(orr_forward(p, orr_ones(ORR_F32, ORR_SHAPE(4))), ORR_ESHAPE, "(4,)|(…, length, width)");
    near_poison(orr_forward(p, orr_ones(ORR_F32, ORR_SHAPE(4, 3))), ORR_ESHAPE, "even");
    orr_module_free(p);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(parameters_have_paths_and_shapes),
        ORR_TEST(dense_is_activation_of_affine),
        ORR_TEST(parameters_outlive_the_scope_that_made_them),
        ORR_TEST(activations_take_their_parameter_as_a_number),
        ORR_TEST(forward_error_names_the_call),
        ORR_TEST(sequential_error_frees_all_modules),
        ORR_TEST(mistake_in_options_is_found_where_the_layer_is_made),
        ORR_TEST(function_is_a_module),
        ORR_TEST(activations_are_their_formulas),
        ORR_TEST(initialisers_have_their_spread),
        ORR_TEST(equal_seeds_make_equal_modules),
        ORR_TEST(parameters_survive_a_file),
        ORR_TEST(own_module_has_parameters_states_and_parts),
        ORR_TEST(a_variable_that_would_not_be_saved_is_found),
        ORR_TEST(checkpoint_of_another_network_names_the_first_difference),
        ORR_TEST(residual_adds_its_input),
        ORR_TEST(error_in_a_layer_has_its_path),
        ORR_TEST(layers_without_parameters_are_their_functions),
        ORR_TEST(layers_refuse_wrong_numbers),
        ORR_TEST(a_path_that_would_be_cut_is_refused),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "nn.module", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
