/* Normalisation, dropout and positions beside PyTorch's values and gradients (tests/golden/torch/make_norm.py), and the
 * layers on them.
 * Must not know: how a function is composed. */
#include "config.h"
#include "tests/harness/explain_help.h"
#include "tests/nn/near.h"

static const char file[] = "torch/norm.npz";

static orr_tensor *input(const char *name, const char *which, orr_dtype dtype)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s.%s", name, which);
    orr_tensor *t = near_load(file, text);
    return orr_tensor_dtype(t) == ORR_F64 ? orr_cast(t, dtype) : t;
}

static const char *const xwb[] = { "x", "w", "b" };

/* Compares y and its gradients by the n first of x, w, b. */
static void compare(const char *name, orr_tensor *y, orr_tensor *const *in, const char *const *names, int n)
{
    char text[96];
    orr_tensor *g[3];
    orr_dtype dtype = orr_tensor_dtype(y);
    double bound = dtype == ORR_F64 ? 1e-11 : 3e-5;
    orr_status st = orr_vjp(y, input(name, "c", dtype), in, n, g);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", name, orr_error_message());
    near_same(y, input(name, "y", ORR_F64), bound, name);
    for (int i = 0; st == ORR_OK && i < n; i++) {
        (void)snprintf(text, sizeof text, "%s.d%s", name, names[i]);
        near_golden(g[i], file, text, bound);
    }
}

static void normalisations_are_pytorchs(void)
{
    for (int k = 0; k < 2; k++) {
        orr_dtype dtype = k ? ORR_F32 : ORR_F64;
        orr_scope *s = orr_scope_begin();
        orr_tensor *in[3];
#define CASE(name, n, y)                                                                                               \
    for (int i = 0; i < (n); i++)                                                                                      \
        in[i] = input(name, xwb[i], dtype);                                                                            \
    compare(name, y, in, xwb, n)
        CASE("layer1", 3, orr_layer_norm(in[0], 1, in[1], in[2], 1e-5));
        CASE("layer2", 3, orr_layer_norm(in[0], 2, in[1], in[2], 1e-3));
        CASE("rms", 2, orr_rms_norm(in[0], 1, in[1], 1e-5));
        CASE("group", 3, orr_group_norm(in[0], 3, in[1], in[2], 1e-5));
        CASE("instance", 3, orr_instance_norm(in[0], in[1], in[2], 1e-5));
        CASE("batch", 3, orr_batch_norm_training(in[0], in[1], in[2], 1e-5, NULL, NULL));
        orr_tensor *mean = near_load(file, "mean"), *var = near_load(file, "var");
        CASE("inference", 3, orr_batch_norm(in[0], mean, var, in[1], in[2], 1e-5));
        CASE("local", 1, orr_local_response_norm(in[0], 3, 0.3, 0.75, 1.5));
        CASE("local4", 1, orr_local_response_norm(in[0], 4, 0.3, 0.75, 1.5));
        CASE("rotary", 1, orr_rotary(in[0], 3, 10000, true));
        CASE("rotary_halves", 1, orr_rotary(in[0], 3, 10000, false));
        in[0] = input("embedding", "table", dtype);
        compare("embedding", orr_embedding(in[0], input("embedding", "x", dtype), 1), in,
                (const char *const[]){ "table" }, 1);
        (void)orr_scope_end(s);
    }
}

static void halves_are_computed_in_f32(void)
{
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < 2; k++) {
        orr_dtype dtype = k ? ORR_F16 : ORR_BF16;
        orr_tensor *x = input("layer1", "x", dtype), *y = orr_layer_norm(x, 1, NULL, NULL, 1e-5);
        ORR_CHECK(orr_tensor_dtype(y) == dtype);
        near_same(y, orr_cast(orr_layer_norm(orr_cast(x, ORR_F32), 1, NULL, NULL, 1e-5), dtype), 0, "half");
    }
    (void)orr_scope_end(s);
}

static void positions_are_their_formulas(void)
{
    orr_scope *s = orr_scope_begin();
    near_golden(orr_sinusoidal_positions(ORR_F64, 2, 5, 8), file, "sines", 1e-13);
    near_golden(orr_alibi(ORR_F64, 6, 3, 5), file, "alibi", 1e-15);
    near_golden(orr_alibi(ORR_F32, 6, 3, 5), file, "alibi", 1e-6);
    (void)orr_scope_end(s);
}

/* The sum of the squares of the gradients of y²·y by all of x. */
static orr_tensor *squares_of_gradients(orr_tensor *y, orr_tensor *const *x, int n)
{
    orr_tensor *g[3], *sum = orr_scalar(0);
    if (orr_grad(orr_sum(orr_mul(y, orr_square(y)), ORR_ALL_AXES, false), x, n, g) != ORR_OK)
        return orr_scalar(NAN);
    for (int i = 0; i < n; i++)
        sum = orr_add(sum, orr_sum(orr_square(g[i]), ORR_ALL_AXES, false));
    return sum;
}

static orr_tensor *layer(orr_tensor *const *x, void *user)
{
    (void)user;
    return squares_of_gradients(orr_layer_norm(x[0], 2, NULL, NULL, 1e-3), x, 1);
}

static orr_tensor *group(orr_tensor *const *x, void *user)
{
    (void)user;
    return squares_of_gradients(orr_group_norm(x[0], 2, x[1], x[2], 1e-3), x, 3);
}

static orr_tensor *batch(orr_tensor *const *x, void *user)
{
    (void)user;
    return squares_of_gradients(orr_batch_norm_training(x[0], x[1], x[2], 1e-3, NULL, NULL), x, 3);
}

static orr_tensor *rms(orr_tensor *const *x, void *user)
{
    (void)user;
    return squares_of_gradients(orr_rms_norm(x[0], 1, NULL, 1e-3), x, 1);
}

static void second_derivatives_agree_with_differences(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[3] = { orr_sin(orr_reshape(orr_arange(ORR_F64, 0, 24, 1), ORR_SHAPE(2, 4, 3))),
                         orr_cos(orr_arange(ORR_F64, 0, 4, 1)), orr_sin(orr_arange(ORR_F64, 1, 5, 1)) };
    near_differences(layer, x, 1, NULL, 1e-5, "layer_norm");
    near_differences(rms, x, 1, NULL, 1e-5, "rms_norm");
    near_differences(group, x, 3, NULL, 1e-5, "group_norm");
    near_differences(batch, x, 3, NULL, 1e-5, "batch_norm");
    (void)orr_scope_end(s);
}

/* The bytes that an evaluation of t moves, relative to those of x. */
static double passes_of(orr_tensor *t, orr_shape x)
{
    char *text = explained_text(t), unit[3] = "";
    const char *found = text ? strstr(text, "bytes moved: ") : NULL;
    double bytes = 0, count = 4;
    if (!found || sscanf(found, "bytes moved: %lf %2s", &bytes, unit) != 2)
        bytes = INFINITY;
    free(text);
    for (int d = 0; d < x.rank; d++)
        count *= (double)x.dim[d];
    return bytes * (!strcmp(unit, "MB") ? 1e6 : !strcmp(unit, "kB") ? 1e3 : INFINITY) / count;
}

/* Forward: the statistics and the result read x. Backward: the statistics, the sums and dx read x. */
static void normalisation_reads_its_operand_once_for_all_statistics(void)
{
    orr_scope *s = orr_scope_begin();
    orr_shape shape = ORR_SHAPE(16, 32, 20, 20);
    orr_tensor *x[3] = { orr_variable(orr_randn(ORR_F32, shape, 0, 1)),
                         orr_variable(orr_randn(ORR_F32, ORR_SHAPE(32), 0, 1)),
                         orr_variable(orr_randn(ORR_F32, ORR_SHAPE(32), 0, 1)) };
    for (int i = 0; i < 3; i++)
        ORR_CHECK(orr_eval(x[i]) == ORR_OK);
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "group norm" : "batch norm";
        orr_tensor *y =
            k ? orr_group_norm(x[0], 4, x[1], x[2], 1e-5) : orr_batch_norm_training(x[0], x[1], x[2], 1e-5, NULL, NULL);
        orr_tensor *g[3], *as[2];
        double forward = passes_of(y, shape);
        ORR_CHECK_MSG(forward > 2.9 && forward < 3.15, "%s moves %g times its operand", name, forward);
        ORR_REQUIRE(orr_grad(orr_sum(orr_square(y), ORR_ALL_AXES, false), x, 3, g) == ORR_OK);
        for (int i = 0; i < 2; i++)
            as[i] = orr_reshape(g[i + 1], ORR_SHAPE(32, 1, 1));
        double backward = passes_of(orr_add(g[0], orr_mul(as[0], as[1])), shape);
        ORR_CHECK_MSG(backward > 3.9 && backward < 4.25, "the gradient of %s moves %g times its operand", name,
                      backward);
    }
    (void)orr_scope_end(s);
}

/* Elements far from 0: one pass is as exact as their rounding to f32 allows. */
static void statistics_of_far_elements_are_exact(void)
{
    enum { N = 4096 };
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < 3; k++) {
        double offset = k == 0 ? 0 : k == 1 ? 3e3 : 1e5, var = 0, exact = 0;
        orr_tensor *x = orr_add(orr_sin(orr_arange(ORR_F64, 0, N, 1)), orr_scalar(offset)), *v;
        x = orr_reshape(orr_cast(x, ORR_F32), ORR_SHAPE(4, 1, 32, 32));
        (void)orr_batch_norm_training(x, NULL, NULL, 1e-5, NULL, &v);
        ORR_CHECK(orr_item(v, &var) == ORR_OK &&
                  orr_item(orr_var(orr_cast(x, ORR_F64), ORR_ALL_AXES, 1, false), &exact) == ORR_OK);
        ORR_CHECK_MSG(fabs(var - exact) <= 1e-6 * exact, "offset %g: variance %.9g, not %.9g", offset, var, exact);
    }
    (void)orr_scope_end(s);
}

static void batch_norm_layer_moves_its_statistics(void)
{
    orr_norm_options o = { .momentum = 0.2 };
    char path[4096]; /* the harness has two paths, which the goldens use */
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("norm.npz"));
    orr_module *m = orr_batch_norm_layer(4, &o), *other = orr_batch_norm_layer(4, &o);
    ORR_REQUIRE(m && other);
    ORR_CHECK(orr_module_parameters(m, NULL, 0) == 2 && orr_module_states(m, NULL, 0) == 2 && orr_module_size(m) == 8);
    orr_scope *s = orr_scope_begin();
    orr_tensor *batches = orr_cast(near_load(file, "batches"), ORR_F32);
    for (int i = 0; i < 3; i++)
        ORR_CHECK_MSG(orr_eval(orr_forward(m, orr_select(batches, 0, i))) == ORR_OK, "%s", orr_error_message());
    near_golden(orr_module_variable(m, "running_mean"), file, "running_mean", 1e-6);
    near_golden(orr_module_variable(m, "running_var"), file, "running_var", 1e-6);
    orr_module_train(m, false);
    near_golden(orr_forward(m, orr_select(batches, 0, 0)), file, "running_y", 1e-5);
    near_golden(orr_module_variable(m, "running_mean"), file, "running_mean", 1e-6);
    ORR_CHECK_MSG(orr_module_save(m, path) == ORR_OK && orr_module_load(other, path) == ORR_OK, "%s",
                  orr_error_message());
    near_golden(orr_module_variable(other, "running_var"), file, "running_var", 1e-6);
    orr_norm_options none = { .no_statistics = true };
    orr_module *without = orr_batch_norm_layer(4, &none);
    orr_module_train(without, false);
    near_poison(orr_forward(without, orr_select(batches, 0, 0)), ORR_EINVAL,
                "no statistics|no_statistics|orr_module_train(m, true)");
    (void)orr_scope_end(s);
    orr_module_free(without);
    orr_module_free(other);
    orr_module_free(m);
}

static void dropout_keeps_the_mean_and_is_reproducible(void)
{
    enum { N = 20000 };
    static float a[N], b[N], d[N];
    orr_module *m = orr_sequential(ORR_MODULES(orr_dropout_layer(0.25), orr_layer_norm_layer(ORR_SHAPE(N), NULL)));
    orr_module *drop = orr_module_part(m, 0);
    ORR_REQUIRE(m && drop);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(N)), *g;
    for (int k = 0; k < 2; k++) {
        orr_seed(5);
        orr_tensor *y = orr_forward(drop, x);
        ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK);
        ORR_CHECK(orr_read(y, k ? b : a, sizeof a) == ORR_OK && orr_read(g, d, sizeof d) == ORR_OK);
    }
    int dropped = 0;
    for (int i = 0; i < N; i++) {
        dropped += a[i] == 0.0f;
        ORR_CHECK(a[i] == 0.0f || fabsf(a[i] - 4.0f / 3.0f) < 1e-6f);
    }
    ORR_CHECK_MSG(abs(dropped - N / 4) < 200, "%d dropped", dropped);
    ORR_CHECK(!memcmp(a, b, sizeof a) && !memcmp(a, d, sizeof a));
    ORR_CHECK(orr_read(orr_forward(drop, x), b, sizeof b) == ORR_OK && memcmp(a, b, sizeof a)); /* the next stream */
    orr_module_train(m, false);
    ORR_CHECK(!orr_module_training(drop) && orr_read(orr_forward(drop, x), b, sizeof b) == ORR_OK && b[7] == 1.0f);
    near_poison(orr_dropout(x, 1.5), ORR_EINVAL, "1.5");
    double sum;
    ORR_CHECK(orr_item(orr_sum(orr_dropout(x, 1.0), ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 0);
    (void)orr_scope_end(s);
    orr_module_free(m);
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 6, 3)), *w = orr_ones(ORR_F32, ORR_SHAPE(4));
    near_poison(orr_layer_norm(x, 1, w, NULL, 1e-5), ORR_ESHAPE, "weight|(4,)|(2, 6, 3)|(3,)");
    near_poison(orr_layer_norm(x, 4, NULL, NULL, 1e-5), ORR_EAXIS, "(2, 6, 3)");
    near_poison(orr_group_norm(x, 4, NULL, NULL, 1e-5), ORR_ESHAPE, "4 groups|6 channels");
    near_poison(orr_batch_norm(x, NULL, NULL, NULL, NULL, 1e-5), ORR_EINVAL, "no statistics");
    near_poison(orr_batch_norm(x, w, w, NULL, NULL, 1e-5), ORR_ESHAPE, "mean|(4,)|(2, 6, 3)");
    near_poison(orr_batch_norm_training(orr_ones(ORR_F32, ORR_SHAPE(1, 6)), NULL, NULL, 1e-5, NULL, NULL), ORR_ESHAPE,
                "(1, 6)|two or more");
    near_poison(orr_layer_norm(x, 1, NULL, NULL, -1), ORR_EINVAL, "eps");
    near_poison(orr_embedding(x, w, -1), ORR_ESHAPE, "(rows, width)");
    near_poison(orr_embedding(orr_ones(ORR_F32, ORR_SHAPE(4, 2)), w, -1), ORR_EDTYPE, "indices");
    near_poison(orr_rotary(x, 0, 10000, true), ORR_ESHAPE, "even");
    ORR_CHECK(!orr_group_norm_layer(6, 4, NULL) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK(!orr_dropout_layer(-0.1) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_embedding_layer(0, 4, -1) && orr_error_status() == ORR_ESHAPE);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(normalisations_are_pytorchs),
        ORR_TEST(halves_are_computed_in_f32),
        ORR_TEST(positions_are_their_formulas),
        ORR_TEST(second_derivatives_agree_with_differences),
        ORR_TEST(normalisation_reads_its_operand_once_for_all_statistics),
        ORR_TEST(statistics_of_far_elements_are_exact),
        ORR_TEST(batch_norm_layer_moves_its_statistics),
        ORR_TEST(dropout_keeps_the_mean_and_is_reproducible),
        ORR_TEST(wrong_use_is_refused),
        { 0 },
    };
    return near_main(argc, argv, "nn.norm", tests);
}
