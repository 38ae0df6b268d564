/* Clipped gradients against PyTorch and Opacus (tests/golden/private/make_privacy.py) and against a plain loop over examples;
 * private training: its noise, its budget, its clipping norm, and an audit by membership.
 * Must not know: how gradients are clipped. */
#include "config.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "tests/harness/harness.h"

#include "tests/golden/private/clipped.inc"
#include "tests/golden/private/convolutions.inc"

enum { BATCH = 6, IN = 3, OUT = 2 };

static bool full(void)
{
    const char *env = getenv("ORR_TEST_FULL");
    return env && env[0] == '1';
}

/* -- the problem of make_privacy.py ------------------------------------------------------------------------------- */

static orr_tensor *ramp(orr_shape shape, int a, int m, double scale)
{
    double v[256];
    int n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= (int)shape.dim[i];
    for (int i = 0; i < n; i++)
        v[i] = ((i * a) % m - m / 2) * scale;
    return orr_from(ORR_F64, shape, v);
}

/* 0: rows without positions. */
static int positions_of(const clipped_case *c)
{
    return !strcmp(c->name, "rows") ? 0 : !strcmp(c->name, "positions") ? 2 : 5;
}

typedef struct problem {
    orr_module *net;
    orr_tensor *x, *target;
    orr_parameter p[4];
} problem;

static problem problem_new(int positions)
{
    int hidden = positions ? 4 : 5, count = BATCH * (positions ? positions : 1);
    int64_t label[64];
    problem q;
    q.net = orr_sequential(ORR_MODULES(
        orr_dense_with(ORR_F64, IN, hidden, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT),
        orr_dense_with(ORR_F64, hidden, OUT, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT)));
    (void)orr_module_parameters(q.net, q.p, 4);
    (void)orr_assign(q.p[0].variable, ramp(ORR_SHAPE(IN, hidden), 5, 13, 0.125));
    (void)orr_assign(q.p[1].variable, ramp(ORR_SHAPE(hidden), 3, 7, 0.0625));
    (void)orr_assign(q.p[2].variable, ramp(ORR_SHAPE(hidden, OUT), 7, 13, 0.125));
    (void)orr_assign(q.p[3].variable, ramp(ORR_SHAPE(OUT), 3, 7, 0.0625));
    for (int i = 0; i < count; i++)
        label[i] = i * 3 % 4 % 2;
    q.x = ramp(positions ? ORR_SHAPE(BATCH, positions, IN) : ORR_SHAPE(BATCH, IN), 7, 11, 0.25);
    q.target = orr_from(ORR_I64, positions ? ORR_SHAPE(BATCH, positions) : ORR_SHAPE(BATCH), label);
    return q;
}

/* The same network as a function of its parameters, with a copy for each example. */
static orr_tensor *losses_of(orr_tensor *const *params, int n, orr_tensor *x, orr_tensor *target, void *user)
{
    (void)n, (void)user;
    bool rows = orr_tensor_shape(x).rank == 2;
    orr_tensor *y = rows ? orr_expand_dims(x, 1) : x;
    y = orr_tanh(orr_add(orr_matmul(y, params[0]), orr_expand_dims(params[1], 1)));
    y = orr_add(orr_matmul(y, params[2]), orr_expand_dims(params[3], 1));
    return orr_dp_cross_entropy(rows ? orr_squeeze(y, ORR_AXES(1)) : y, target, NULL);
}

/* The largest difference of the tensors, in sequence, from v; NAN if they cannot be read. */
static double worst_of(orr_tensor *const *t, int n, const double *v)
{
    double worst = 0.0, buf[4096];
    for (int i = 0; i < n; i++) {
        int64_t size = orr_tensor_size(t[i]);
        if (size < 0 || size > 4096 || orr_read(orr_cast(t[i], ORR_F64), buf, sizeof(double) * (size_t)size) != ORR_OK)
            return NAN;
        for (int64_t k = 0; k < size; k++)
            worst = fmax(worst, isnan(buf[k]) ? INFINITY : fabs(buf[k] - *v++));
    }
    return worst;
}

static void clipped_gradients_agree_with_pytorch_and_opacus(void)
{
    for (size_t i = 0; i < sizeof clipped / sizeof *clipped; i++)
        for (int way = 0; way < 2; way++) {
            const clipped_case *c = &clipped[i];
            orr_scope *s = orr_scope_begin();
            problem q = problem_new(positions_of(c));
            orr_tensor *sum[4], *norm = NULL, *params[4];
            for (int k = 0; k < 4; k++)
                params[k] = q.p[k].variable;
            if (way && c->clipping == ORR_DP_PER_LAYER) { /* a function's layers are its parameters */
                (void)orr_scope_end(s);
                orr_module_free(q.net);
                continue;
            }
            orr_status st = way ? orr_dp_clipped_grads_of_function(losses_of, NULL, params, 4, q.x, q.target, NULL,
                                                                   c->clipping, c->clip, sum, &norm)
                                : orr_dp_clipped_grads(q.net, orr_dp_cross_entropy, NULL, q.x, q.target, NULL,
                                                       c->clipping, c->clip, sum, &norm);
            ORR_CHECK_MSG(st == ORR_OK, "%s: %s", c->name, orr_error_message());
            if (st == ORR_OK) {
                double off = worst_of(sum, 4, c->sum), apart = worst_of(&norm, 1, c->norm);
                ORR_CHECK_MSG(off < 1e-13 && apart < 1e-13, "%s, clip %g, way %d: sums off by %g, norms by %g", c->name,
                              c->clip, way, off, apart);
            }
            (void)orr_scope_end(s);
            orr_module_free(q.net);
        }
}

/* -- beside a plain loop --------------------------------------------------------------------------------------------- */

static void clipped_gradients_agree_with_a_loop(void)
{
    enum { N = 37, WIDE = 19, CLASSES = 4, P = 5 };
    const double clip = 0.7;
    static double want[4096], norm[N];
    orr_seed(3);
    for (int positions = 0; positions <= 8; positions += 4) {
        orr_scope *s = orr_scope_begin();
        orr_module *net = orr_sequential(ORR_MODULES(
            orr_dense_with(ORR_F32, 11, WIDE, ORR_ACTIVATION_GELU, ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE),
            orr_sequential(ORR_MODULES(orr_dense(WIDE, 8, ORR_ACTIVATION_SIGMOID, ORR_INITIALISER_DEFAULT),
                                       orr_dense(8, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)))));
        orr_parameter p[P];
        orr_tensor *v[P], *g[P], *sum[P], *norms = NULL;
        ORR_CHECK(orr_module_parameters(net, p, P) == P);
        for (int i = 0; i < P; i++)
            v[i] = p[i].variable;
        orr_tensor *x = orr_randn(ORR_F32, positions ? ORR_SHAPE(N, positions, 11) : ORR_SHAPE(N, 11), 0.0, 2.0);
        orr_tensor *y = orr_randint(ORR_I64, positions ? ORR_SHAPE(N, positions) : ORR_SHAPE(N), 0, CLASSES);
        memset(want, 0, sizeof want);
        for (int k = 0; k < N; k++) {
            orr_tensor *l = orr_dp_cross_entropy(orr_forward(net, orr_slice_axis(x, 0, k, k + 1, 1)),
                                                 orr_slice_axis(y, 0, k, k + 1, 1), NULL);
            ORR_CHECK(orr_grad(orr_sum(l, ORR_ALL_AXES, false), v, P, g) == ORR_OK);
            double square = 0.0, buf[4096];
            int at = 0;
            for (int i = 0; i < P; i++) {
                int size = (int)orr_tensor_size(g[i]);
                ORR_CHECK(orr_read(orr_cast(g[i], ORR_F64), buf + at, sizeof(double) * (size_t)size) == ORR_OK);
                at += size;
            }
            for (int i = 0; i < at; i++)
                square += buf[i] * buf[i];
            norm[k] = sqrt(square);
            for (int i = 0; i < at; i++)
                want[i] += buf[i] * fmin(1.0, clip / norm[k]) * (k % 3); /* weights 0, 1, 2 */
        }
        float weight[N];
        for (int k = 0; k < N; k++)
            weight[k] = (float)(k % 3);
        orr_status st = orr_dp_clipped_grads(net, orr_dp_cross_entropy, NULL, x, y,
                                             orr_from(ORR_F32, ORR_SHAPE(N), weight), ORR_DP_FLAT, clip, sum, &norms);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        if (st == ORR_OK) {
            double off = worst_of(sum, P, want), apart = worst_of(&norms, 1, norm);
            ORR_CHECK_MSG(off < 2e-5 && apart < 2e-5, "%d positions: sums off by %g, norms by %g", positions, off,
                          apart);
        }
        orr_module_free(net);
        (void)orr_scope_end(s);
    }
}

/* -- convolutions ------------------------------------------------------------------------------------------------------ */

enum { MOST_NUMBERS = 4096, MOST_PARAMETERS = 8 };

/* Sums and norms of a network beside a loop over its examples. */
static void check_beside_a_loop(const char *what, orr_module *net, orr_tensor *x, orr_tensor *y,
                                orr_dp_clipping clipping, double clip)
{
    static double want[MOST_NUMBERS], buf[MOST_NUMBERS];
    double norm[16];
    orr_parameter p[MOST_PARAMETERS];
    orr_tensor *v[MOST_PARAMETERS], *g[MOST_PARAMETERS], *sum[MOST_PARAMETERS], *norms = NULL;
    int n = orr_module_parameters(net, p, MOST_PARAMETERS), layer[MOST_PARAMETERS], layers = 0;
    int64_t batch = orr_tensor_shape(x).dim[0];
    ORR_REQUIRE(n > 0 && n <= MOST_PARAMETERS && batch <= 16);
    for (int i = 0; i < n; i++) {
        v[i] = p[i].variable;
        layers += strstr(p[i].name, "weight") != NULL;
        layer[i] = layers - 1;
    }
    memset(want, 0, sizeof want);
    for (int64_t k = 0; k < batch; k++) {
        orr_tensor *l = orr_dp_cross_entropy(orr_forward(net, orr_slice_axis(x, 0, k, k + 1, 1)),
                                             orr_slice_axis(y, 0, k, k + 1, 1), NULL);
        double square[MOST_PARAMETERS] = { 0 }, all = 0.0;
        int size[MOST_PARAMETERS], at = 0;
        ORR_REQUIRE(orr_grad(orr_sum(l, ORR_ALL_AXES, false), v, n, g) == ORR_OK);
        for (int i = 0; i < n; at += size[i++]) {
            size[i] = (int)orr_tensor_size(g[i]);
            ORR_REQUIRE(at + size[i] <= MOST_NUMBERS &&
                        orr_read(orr_cast(g[i], ORR_F64), buf + at, sizeof(double) * (size_t)size[i]) == ORR_OK);
            for (int j = at; j < at + size[i]; j++)
                square[layer[i]] += buf[j] * buf[j];
        }
        for (int i = 0; i < layers; i++)
            all += square[i];
        norm[k] = sqrt(all);
        at = 0;
        for (int i = 0; i < n; at += size[i++]) {
            double c = clipping == ORR_DP_PER_LAYER ? fmin(1.0, clip / sqrt(layers) / sqrt(square[layer[i]]))
                                                    : fmin(1.0, clip / norm[k]);
            for (int j = at; j < at + size[i]; j++)
                want[j] += buf[j] * c;
        }
    }
    orr_status st = orr_dp_clipped_grads(net, orr_dp_cross_entropy, NULL, x, y, NULL, clipping, clip, sum, &norms);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", what, orr_error_message());
    if (st == ORR_OK) {
        double off = worst_of(sum, n, want), apart = worst_of(&norms, 1, norm);
        ORR_CHECK_MSG(off < 2e-5 && apart < 2e-5, "%s: sums off by %g, norms by %g", what, off, apart);
    }
}

static void clipped_gradients_of_convolutions_agree_with_a_loop(void)
{
    static const struct {
        const char *name;
        int64_t in, out, kernel, length;
        int rank;
        orr_conv_options o;
        bool bias;
    } cases[] = {
        { "plain", 2, 3, 3, 7, 2, { .groups = 1 }, true },
        { "few positions", 4, 5, 3, 4, 2, { .groups = 1 }, true }, /* products of these, instead of the gradient */
        { "stride and padding", 3, 4, 3, 8, 2, { .stride = { 2, 3 }, .padding = { 1, 2 } }, true },
        { "one side", 2, 3, 2, 6, 2, { .before = { 1, 0 }, .after = { 0, 1 }, .stride = { 2, 1 } }, false },
        { "same", 2, 4, 4, 6, 2, { .same = true, .dilation = { 1, 2 } }, true },
        { "groups", 6, 4, 3, 6, 2, { .groups = 2, .padding = { 1, 1 } }, true },
        { "depthwise", 4, 4, 3, 5, 2, { .groups = 4, .dilation = { 2, 1 }, .padding = { 2, 0 } }, false },
        { "one axis", 3, 4, 5, 20, 1, { .stride = { 2 } }, true },
        { "three axes", 2, 3, 2, 5, 3, { .padding = { 1, 0, 1 } }, true },
    };
    enum { N = 9, CLASSES = 3 };
    orr_seed(9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_scope *s = orr_scope_begin();
        int r = cases[i].rank;
        orr_shape kernel = { r, { 0 } }, shape = { r + 2, { N, cases[i].in } };
        for (int d = 0; d < r; d++) {
            kernel.dim[d] = cases[i].kernel;
            shape.dim[d + 2] = cases[i].length + d;
        }
        orr_module *net = orr_sequential(ORR_MODULES(
            orr_conv_layer(cases[i].in, cases[i].out, kernel, &cases[i].o, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT,
                           cases[i].bias ? ORR_INITIALISER_DEFAULT : ORR_INITIALISER_NONE),
            orr_average_pool_layer(&(orr_pool_options){ .size = { 2, 2, 2 } }), orr_flatten_layer(),
            orr_dense(cases[i].out << r, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
        ORR_REQUIRE(net != NULL);
        orr_tensor *x = orr_randn(ORR_F32, shape, 0.0, 2.0), *y = orr_randint(ORR_I64, ORR_SHAPE(N), 0, CLASSES);
        check_beside_a_loop(cases[i].name, net, x, y, ORR_DP_FLAT, 0.6);
        check_beside_a_loop(cases[i].name, net, x, y, ORR_DP_PER_LAYER, 0.6);
        orr_module_free(net);
        (void)orr_scope_end(s);
    }
}

static void losses_of_nothing_are_refused(void)
{
    static const char *const word[] = { "dp_cross_entropy: the output is NULL", "dp_cross_entropy: the target is NULL",
                                        "dp_squared_error: the output is NULL",
                                        "dp_squared_error: the target is NULL" };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3));
    for (int k = 0; k < 4; k++) {
        orr_tensor *y = (k < 2 ? orr_dp_cross_entropy : orr_dp_squared_error)(k % 2 ? x : NULL, k % 2 ? NULL : x, NULL);
        ORR_CHECK(orr_eval(y) == ORR_EINVAL);
        ORR_CHECK_MSG(strstr(orr_error_message(), word[k]), "%s", orr_error_message());
    }
    (void)orr_scope_end(s);
}

/* The problem of make_convolutions.py; layers of convolution are f32. */
static void clipped_gradients_of_convolutions_agree_with_opacus(void)
{
    orr_scope *s = orr_scope_begin();
    orr_conv_options padded = { .padding = { 1, 1 } }, strided = { .stride = { 2, 2 } };
    orr_module *net = orr_sequential(ORR_MODULES(orr_conv_layer(1, 3, ORR_SHAPE(3, 3), &padded, ORR_ACTIVATION_TANH,
                                                                ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT),
                                                 orr_conv_layer(3, 4, ORR_SHAPE(2, 2), &strided, ORR_ACTIVATION_TANH,
                                                                ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE),
                                                 orr_flatten_layer(),
                                                 orr_dense(16, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_parameter p[5];
    orr_tensor *sum[5], *norm = NULL;
    ORR_REQUIRE(orr_module_parameters(net, p, 5) == 5);
    const orr_shape shape[5] = { ORR_SHAPE(3, 1, 3, 3), ORR_SHAPE(3), ORR_SHAPE(4, 3, 2, 2), ORR_SHAPE(16, 2),
                                 ORR_SHAPE(2) };
    for (int i = 0; i < 5; i++) {
        bool bias = shape[i].rank == 1;
        orr_tensor *v = ramp(shape[i], bias ? 3 : i ? 7 : 5, bias ? 7 : 13, bias ? 0.0625 : 0.125);
        ORR_CHECK(orr_assign(p[i].variable, orr_cast(v, ORR_F32)) == ORR_OK);
    }
    int64_t label[BATCH];
    for (int i = 0; i < BATCH; i++)
        label[i] = i * 3 % 4 % 2;
    orr_tensor *x = orr_cast(ramp(ORR_SHAPE(BATCH, 1, 5, 5), 7, 11, 0.25), ORR_F32),
               *y = orr_from(ORR_I64, ORR_SHAPE(BATCH), label);
    for (size_t i = 0; i < sizeof conv_clipped / sizeof *conv_clipped; i++) {
        orr_status st = orr_dp_clipped_grads(net, orr_dp_cross_entropy, NULL, x, y, NULL, conv_clipped[i].clipping,
                                             conv_clipped[i].clip, sum, &norm);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        if (st == ORR_OK) {
            double off = worst_of(sum, 5, conv_clipped[i].sum), apart = worst_of(&norm, 1, conv_norm);
            ORR_CHECK_MSG(off < 1e-5 && apart < 1e-5, "%zu: sums off by %g, norms by %g", i, off, apart);
        }
    }
    orr_module_free(net);
    (void)orr_scope_end(s);
}

static orr_module *conv3(int64_t in, int64_t out, orr_activation f)
{
    return orr_conv_layer(in, out, ORR_SHAPE(3, 3), &(orr_conv_options){ .padding = { 1, 1 } }, f,
                          ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT);
}

/* A composition is applied as a whole: the input of a residual is added. */
static void residual_networks_have_clipped_gradients(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(10);
    orr_module *net = orr_sequential(ORR_MODULES(
        conv3(1, 4, ORR_ACTIVATION_RELU),
        orr_residual(orr_sequential(ORR_MODULES(conv3(4, 4, ORR_ACTIVATION_TANH), conv3(4, 4, ORR_ACTIVATION_LINEAR)))),
        orr_max_pool_layer(&(orr_pool_options){ .window = { 4, 4 } }), orr_flatten_layer(),
        orr_dense(16, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    ORR_REQUIRE(net != NULL);
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(10, 1, 8, 8), 0.0, 1.0),
               *y = orr_randint(ORR_I64, ORR_SHAPE(10), 0, 3);
    check_beside_a_loop("residual", net, x, y, ORR_DP_FLAT, 0.5);
    check_beside_a_loop("residual", net, x, y, ORR_DP_PER_LAYER, 0.5);
    orr_module_free(net);
    (void)orr_scope_end(s);
}

static orr_tensor *twice(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n, (void)user;
    return orr_forward(orr_module_part(m, 0), orr_forward(orr_module_part(m, 0), x[0]));
}

static void layers_without_gradients_of_single_examples_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 3)), *y = orr_zeros(ORR_I64, ORR_SHAPE(2)), *sum[4];
    orr_norm_options plain = { .plain = true };
    orr_module *const bad[] = {
        orr_sequential(ORR_MODULES(orr_dense(3, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT),
                                   orr_batch_norm_layer(3, &plain))),
        orr_sequential(ORR_MODULES(orr_dense(3, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT),
                                   orr_layer_norm_layer(ORR_SHAPE(3), NULL))),
        orr_module_new("twice", twice, NULL, NULL),
    };
    static const char *const why[] = { "batch normalisation makes", "(layer_norm)", "applied twice" };
    (void)orr_module_add_part(bad[2], NULL, orr_dense(3, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT));
    for (int i = 0; i < 3; i++) {
        ORR_CHECK(orr_dp_clipped_grads(bad[i], orr_dp_cross_entropy, NULL, x, y, NULL, ORR_DP_FLAT, 1.0, sum, NULL) ==
                  ORR_EINVAL);
        ORR_CHECK_MSG(strstr(orr_error_message(), why[i]), "%s", orr_error_message());
        orr_module_free(bad[i]);
    }
    (void)orr_scope_end(s);
}

static void an_example_that_is_not_finite_counts_as_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    problem q = problem_new(0);
    orr_tensor *sum[4], *good[4], *norm = NULL;
    double bad[BATCH * OUT] = { 0 }, v[3][64];
    float weight[BATCH] = { 1, 1, 0, 1, 1, 1 };
    bad[2 * OUT] = NAN; /* its loss */
    orr_tensor *target = orr_from(ORR_F64, ORR_SHAPE(BATCH, OUT), bad),
               *zero = orr_zeros(ORR_F64, ORR_SHAPE(BATCH, OUT));
    ORR_CHECK(orr_dp_clipped_grads(q.net, orr_dp_squared_error, NULL, q.x, target, NULL, ORR_DP_FLAT, 0.1, sum,
                                   &norm) == ORR_OK);
    ORR_CHECK(orr_dp_clipped_grads(q.net, orr_dp_squared_error, NULL, q.x, zero,
                                   orr_from(ORR_F32, ORR_SHAPE(BATCH), weight), ORR_DP_FLAT, 0.1, good,
                                   NULL) == ORR_OK);
    for (int i = 0; i < 4; i++) {
        size_t bytes = sizeof(double) * (size_t)orr_tensor_size(sum[i]);
        ORR_CHECK(orr_read(sum[i], v[0], bytes) == ORR_OK && orr_read(good[i], v[1], bytes) == ORR_OK);
        for (size_t k = 0; k < bytes / sizeof(double); k++)
            ORR_CHECK(fabs(v[0][k] - v[1][k]) < 1e-15);
    }
    ORR_CHECK(orr_read(norm, v[2], BATCH * sizeof(double)) == ORR_OK && isnan(v[2][2]) && !isnan(v[2][1]));
    orr_module_free(q.net);
    (void)orr_scope_end(s);
}

/* -- training ---------------------------------------------------------------------------------------------------- */

/* A network of one layer whose loss pushes every weight of an example with x = 1 up as hard as possible. */
static orr_tensor *push(orr_tensor *output, orr_tensor *target, void *user)
{
    (void)target, (void)user;
    return orr_mul(orr_sum(output, ORR_AXES(-1), false), orr_scalar(-100.0));
}

typedef struct trainer {
    orr_module *net;
    orr_optim *opt;
    orr_dp_sgd *sgd;
    orr_parameter w;
    orr_tensor *x;
} trainer;

/* `width` weights that start at 0, SGD with lr 1; records: the n numbers. */
static trainer trainer_new(int width, const double *records, int n, orr_dp_options o)
{
    trainer t = { 0 };
    orr_optim_options plain = orr_optim_defaults(ORR_OPTIM_SGD);
    plain.lr = 1.0;
    t.net = orr_dense_with(ORR_F64, 1, width, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_ZEROS, ORR_INITIALISER_NONE);
    (void)orr_module_parameters(t.net, &t.w, 1);
    t.opt = orr_optim_of_module(ORR_OPTIM_SGD, t.net, &plain);
    o.loss = push;
    t.sgd = orr_dp_sgd_new(t.net, t.opt, &o);
    t.x = orr_from(ORR_F64, ORR_SHAPE(n, 1), records);
    return t;
}

static void trainer_free(trainer *t)
{
    orr_dp_sgd_free(t->sgd);
    orr_optim_free(t->opt);
    orr_module_free(t->net);
}

static void noise_has_the_deviation_that_is_paid_for(void)
{
    enum { WIDTH = 50000 };
    static double w[WIDTH];
    double zero[4] = { 0 };
    for (int secure = 0; secure < 2; secure++) {
        orr_scope *s = orr_scope_begin();
        orr_dp_options o = orr_dp_defaults();
        o.q = 0.5;
        o.sigma = 1.7;
        o.clip = 0.3;
        o.secure = secure;
        orr_dp_seed(5);
        trainer t = trainer_new(WIDTH, zero, 4, o);
        ORR_REQUIRE(t.sgd);
        ORR_CHECK_MSG(orr_dp_sgd_step(t.sgd, t.x, NULL, NULL) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_read(t.w.variable, w, sizeof w) == ORR_OK);
        double mean = 0.0, two = 0.0, four = 0.0, want = 1.7 * 0.3 / (0.5 * 4);
        for (int i = 0; i < WIDTH; i++) {
            double z = w[i] / want;
            mean += z / WIDTH;
            two += z * z / WIDTH;
            four += z * z * z * z / WIDTH;
        }
        ORR_CHECK_MSG(fabs(mean) < 4.0 / sqrt(WIDTH), "mean %g", mean);
        /* the grid of the exact noise increases the sensitivity a little, and never decreases it */
        ORR_CHECK_MSG(two > 1.0 - 4.0 * sqrt(2.0 / WIDTH) && two < 1.001 + 4.0 * sqrt(2.0 / WIDTH), "variance %g", two);
        ORR_CHECK_MSG(fabs(four / (two * two) - 3.0) < 4.0 * sqrt(96.0 / WIDTH), "kurtosis %g", four);
        trainer_free(&t);
        orr_dp_unseed();
        (void)orr_scope_end(s);
    }
}

/* With all records and almost no noise a step is the mean of the clipped gradients; also in parts. */
static void a_step_is_the_mean_of_clipped_gradients(void)
{
    double x[200], w[3];
    for (int i = 0; i < 200; i++)
        x[i] = i < 50 ? 0.0 : i < 150 ? 1.0 : 0.001 / 100.0; /* norm of the last: √3·0.001 */
    for (int64_t most = 1; most <= 4096; most *= 33) {
        orr_scope *s = orr_scope_begin();
        orr_dp_options o = orr_dp_defaults();
        o.q = 1.0;
        o.sigma = 0.01;
        o.clip = 0.01;
        o.most = most;
        trainer t = trainer_new(3, x, 200, o);
        ORR_REQUIRE(t.sgd);
        double want = (100.0 * 0.01 / sqrt(3.0) + 50.0 * 0.001) / 200.0, loss = 0.0;
        ORR_CHECK_MSG(orr_dp_sgd_step(t.sgd, t.x, NULL, &loss) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_read(t.w.variable, w, sizeof w) == ORR_OK && loss == 0.0);
        for (int i = 0; i < 3; i++)
            ORR_CHECK_MSG(fabs(w[i] - want) < 6.0 * 0.01 * 0.01 / 200.0, "%g, not %g", w[i], want);
        ORR_CHECK(orr_dp_sgd_steps(t.sgd) == 1 && orr_dp_sgd_clip(t.sgd) == 0.01);
        trainer_free(&t);
        (void)orr_scope_end(s);
    }
}

static void a_spent_budget_stops_training(void)
{
    double x[4] = { 1, 1, 1, 1 }, w[2], after[2], e = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_dp_options o = orr_dp_defaults();
    o.q = 0.5;
    o.sigma = 2.0;
    o.budget = orr_dp_budget_new(ORR_DP_RDP, 3.0, 1e-5);
    trainer t = trainer_new(2, x, 4, o);
    ORR_REQUIRE(t.sgd && o.budget);
    int64_t left = 0;
    orr_status st = ORR_OK;
    ORR_CHECK(orr_dp_budget_left(o.budget, ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, 2.0, 0.5), &left) == ORR_OK && left > 2);
    for (int64_t i = 0; i < left; i++)
        ORR_CHECK((st = orr_dp_sgd_step(t.sgd, t.x, NULL, NULL)) == ORR_OK);
    ORR_CHECK(orr_read(t.w.variable, w, sizeof w) == ORR_OK);
    ORR_CHECK(orr_dp_sgd_step(t.sgd, t.x, NULL, NULL) == ORR_ESTATE && strstr(orr_error_message(), "budget of ε 3"));
    ORR_CHECK(orr_read(t.w.variable, after, sizeof after) == ORR_OK && !memcmp(w, after, sizeof w));
    ORR_CHECK(orr_dp_sgd_steps(t.sgd) == left && orr_dp_budget_spent(o.budget, &e) == ORR_OK && e <= 3.0 && e > 2.5);
    trainer_free(&t);
    orr_dp_budget_free(o.budget);
    (void)orr_scope_end(s);
}

static void adaptive_clipping_finds_the_quantile(void)
{
    enum { N = 1000 };
    static double x[N];
    for (int i = 0; i < N; i++)
        x[i] = (i + 0.5) / N; /* norms: 100·x */
    orr_scope *s = orr_scope_begin();
    orr_dp_options o = orr_dp_defaults();
    o.clipping = ORR_DP_ADAPTIVE;
    o.q = 0.4;
    o.sigma = 1.0;
    o.clip = 0.5;
    o.count_sigma = 10.0;
    o.quantile = 0.7;
    orr_dp_seed(6);
    trainer t = trainer_new(1, x, N, o);
    ORR_REQUIRE(t.sgd);
    double sum = 0.0;
    for (int i = 0; i < 120; i++) {
        ORR_REQUIRE(orr_dp_sgd_step(t.sgd, t.x, NULL, NULL) == ORR_OK);
        sum += i >= 80 ? orr_dp_sgd_clip(t.sgd) / 40.0 : 0.0;
    }
    ORR_CHECK_MSG(fabs(sum - 70.0) < 4.0, "C is %g", sum);
    trainer_free(&t);
    orr_dp_unseed();
    (void)orr_scope_end(s);
}

static void a_function_and_a_module_train_alike(void)
{
    orr_scope *s = orr_scope_begin();
    problem a = problem_new(0), b = problem_new(0);
    orr_tensor *params[4];
    double v[2][64];
    orr_dp_options o = orr_dp_defaults();
    o.q = 0.9;
    o.clip = 0.2;
    for (int i = 0; i < 4; i++)
        params[i] = b.p[i].variable;
    orr_optim *oa = orr_optim_of_module(ORR_OPTIM_ADAM, a.net, NULL),
              *ob = orr_optim_new(ORR_OPTIM_ADAM, params, 4, NULL);
    orr_dp_sgd *ta = orr_dp_sgd_new(a.net, oa, &o), *tb = orr_dp_sgd_of_function(losses_of, params, 4, ob, &o);
    ORR_REQUIRE(ta && tb);
    orr_dp_seed(8);
    double la = 0.0, lb = 0.0;
    for (int i = 0; i < 5; i++)
        ORR_CHECK_MSG(orr_dp_sgd_step(ta, a.x, a.target, &la) == ORR_OK, "%s", orr_error_message());
    orr_dp_seed(8);
    for (int i = 0; i < 5; i++)
        ORR_CHECK_MSG(orr_dp_sgd_step(tb, b.x, b.target, &lb) == ORR_OK, "%s", orr_error_message());
    orr_dp_unseed();
    ORR_CHECK(fabs(la - lb) < 1e-12);
    for (int i = 0; i < 4; i++) {
        size_t bytes = sizeof(double) * (size_t)orr_tensor_size(params[i]);
        ORR_CHECK(orr_read(a.p[i].variable, v[0], bytes) == ORR_OK && orr_read(params[i], v[1], bytes) == ORR_OK);
        for (size_t k = 0; k < bytes / sizeof(double); k++)
            ORR_CHECK(fabs(v[0][k] - v[1][k]) < 1e-12);
    }
    orr_dp_sgd_free(ta);
    orr_dp_sgd_free(tb);
    orr_optim_free(oa);
    orr_optim_free(ob);
    orr_module_free(a.net);
    orr_module_free(b.net);
    (void)orr_scope_end(s);
}

/* -- an audit: is the pushing record among them? -------------------------------------------------------------------------- */

enum { STEPS = 3, MOST_RUNS = 40000 };

/* Weights after training in which the second record exists (1) or has no influence (0). */
static bool train_often(double second, double sigma, double *result, int runs)
{
    double x[2] = { 0.0, second };
    orr_scope *s = orr_scope_begin();
    orr_dp_options o = orr_dp_defaults();
    o.q = 0.6;
    o.sigma = sigma;
    trainer t = trainer_new(1, x, 2, o);
    bool ok = t.sgd != NULL;
    for (int i = 0; ok && i < runs; i++) {
        orr_scope *each = orr_scope_begin();
        ok = orr_assign(t.w.variable, orr_zeros(ORR_F64, ORR_SHAPE(1, 1))) == ORR_OK;
        for (int k = 0; ok && k < STEPS; k++)
            ok = orr_dp_sgd_step(t.sgd, t.x, NULL, NULL) == ORR_OK;
        ok = ok && orr_item(t.w.variable, &result[i]) == ORR_OK;
        (void)orr_scope_end(each);
    }
    trainer_free(&t);
    (void)orr_scope_end(s);
    return ok;
}

/* A lower bound of ε at δ, true with probability above 0.99: shares of "weight ≥ edge", Hoeffding for all edges. */
static double lower_bound(const double *with, const double *without, int n, double delta)
{
    double best = 0.0, slack = sqrt(log(2.0 * 41.0 / 0.01) / (2.0 * n));
    for (int k = 0; k <= 40; k++) {
        double edge = -2.0 + 0.1 * k * 1.2, p = 0.0, q = 0.0;
        for (int i = 0; i < n; i++) {
            p += with[i] >= edge;
            q += without[i] >= edge;
        }
        p = p / n - slack - delta;
        if (p > 0.0)
            best = fmax(best, log(p / (q / n + slack)));
        p = 1.0 - (q / n + slack) - delta; /* the other side */
        q = 0.0;
        for (int i = 0; i < n; i++)
            q += with[i] < edge;
        if (p > 0.0)
            best = fmax(best, log(p / (q / n + slack)));
    }
    return best;
}

static void membership_tells_no_more_than_the_accountant_says(void)
{
    static double with[MOST_RUNS], without[MOST_RUNS];
    int runs = full() ? MOST_RUNS : 2000;
    const double delta = 1e-5;
    double bound[2] = { 0.0, 0.0 }, stated[2] = { 0.0, 0.0 };
    const double sigma[2] = { 1.5, 0.4 };
    orr_dp_seed(21);
    for (int i = 0; i < 2; i++) {
        ORR_REQUIRE(train_often(1.0, sigma[i], with, runs) && train_often(0.0, sigma[i], without, runs));
        bound[i] = lower_bound(with, without, runs, delta);
        ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, sigma[i], 0.6), STEPS, delta,
                                 &stated[i]) == ORR_OK);
        ORR_CHECK_MSG(bound[i] <= stated[i] && bound[i] > 0.05 * stated[i], "σ %g: sure of ε %g, stated %g", sigma[i],
                      bound[i], stated[i]);
    }
    /* The audit would detect noise of a fifth of the stated size. */
    double claimed = 0.0;
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, 5.0 * sigma[1], 0.6), STEPS, delta,
                             &claimed) == ORR_OK);
    ORR_CHECK_MSG(bound[1] > claimed || !full(), "sure of ε %g; %g is stated for σ %g", bound[1], claimed,
                  5.0 * sigma[1]);
    if (full())
        (void)printf("    audit: sure of ε %.3f of %.3f, and %.3f of %.3f\n", bound[0], stated[0], bound[1], stated[1]);
    orr_dp_unseed();
}

/* -- errors ---------------------------------------------------------------------------------------------------------- */

static orr_tensor *summed(orr_tensor *output, orr_tensor *target, void *user)
{
    (void)target, (void)user;
    return orr_sum(output, ORR_ALL_AXES, false);
}

static bool says(const char *part)
{
    bool yes = strstr(orr_error_message(), part) != NULL;
    if (!yes)
        (void)fprintf(stderr, "message: %s\n", orr_error_message());
    return yes;
}

static void settings_that_make_no_sense_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    problem q = problem_new(0);
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_SGD, q.net, NULL);
    orr_dp_options good = orr_dp_defaults(), o = good;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("q is 0"));
    good.q = o.q = 0.5;
    o.q = 1.5;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("q must be in [0, 1]"));
    o = good;
    o.sigma = -1.0;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("σ"));
    o.sigma = NAN;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o));
    o = good;
    o.clip = 0.0;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("clipping norm"));
    o = good;
    o.most = 0;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o));
    o = good;
    o.clipping = (orr_dp_clipping)7;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o));
    o.clipping = ORR_DP_ADAPTIVE;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("count_sigma"));
    o.count_sigma = 5.0;
    o.quantile = 1.0;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("quantile"));
    o = good;
    o.loss = NULL;
    ORR_CHECK(!orr_dp_sgd_new(q.net, opt, &o) && says("loss is NULL"));
    ORR_CHECK(!orr_dp_sgd_new(NULL, opt, &good) && !orr_dp_sgd_new(q.net, NULL, &good) &&
              !orr_dp_sgd_new(q.net, opt, NULL));
    ORR_CHECK(!orr_dp_sgd_of_function(NULL, &q.x, 1, opt, &good) &&
              !orr_dp_sgd_of_function(losses_of, NULL, 1, opt, &good));
    orr_dp_sgd *t = orr_dp_sgd_new(q.net, opt, &good);
    ORR_REQUIRE(t);
    ORR_CHECK(orr_dp_sgd_step(t, q.x, orr_slice_axis(q.target, 0, 0, 3, 1), NULL) == ORR_ESHAPE);
    ORR_CHECK(orr_dp_sgd_step(t, q.x, orr_zeros(ORR_I64, ORR_SHAPE(BATCH, 7)), NULL) == ORR_ESHAPE && says("logits"));
    ORR_CHECK(orr_dp_sgd_step(NULL, q.x, q.target, NULL) == ORR_EINVAL &&
              orr_dp_sgd_step(t, NULL, q.target, NULL) != ORR_OK);
    ORR_CHECK(orr_dp_sgd_step(t, orr_zeros(ORR_F64, ORR_SHAPE(0, 3)), NULL, NULL) == ORR_ESHAPE);
    ORR_CHECK(orr_dp_sgd_steps(t) == 0);
    orr_tensor *sum[4] = { q.x, q.x, q.x, q.x }, *norm = NULL;
    ORR_CHECK(orr_dp_clipped_grads(q.net, summed, NULL, q.x, q.target, NULL, ORR_DP_FLAT, 1.0, sum, &norm) ==
              ORR_ESHAPE);
    ORR_CHECK(says("one element for each of 6 examples") && !sum[0] && !sum[3]);
    ORR_CHECK(orr_dp_clipped_grads(q.net, push, NULL, q.x, NULL, NULL, ORR_DP_FLAT, NAN, sum, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_clipped_grads(q.net, push, NULL, q.x, NULL, q.target, ORR_DP_FLAT, 1.0, NULL, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_clipped_grads(q.net, push, NULL, q.x, NULL, orr_ones(ORR_F32, ORR_SHAPE(5)), ORR_DP_FLAT, 1.0, sum,
                                   NULL) == ORR_ESHAPE);
    orr_dp_sgd_free(t);
    orr_dp_sgd_free(NULL);
    orr_optim_free(opt);
    orr_module_free(q.net);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(clipped_gradients_agree_with_pytorch_and_opacus),
        ORR_TEST(clipped_gradients_agree_with_a_loop),
        ORR_TEST(losses_of_nothing_are_refused),
        ORR_TEST(clipped_gradients_of_convolutions_agree_with_opacus),
        ORR_TEST(clipped_gradients_of_convolutions_agree_with_a_loop),
        ORR_TEST(residual_networks_have_clipped_gradients),
        ORR_TEST(layers_without_gradients_of_single_examples_are_refused),
        ORR_TEST(an_example_that_is_not_finite_counts_as_nothing),
        ORR_TEST(noise_has_the_deviation_that_is_paid_for),
        ORR_TEST(a_step_is_the_mean_of_clipped_gradients),
        ORR_TEST(a_spent_budget_stops_training),
        ORR_TEST(adaptive_clipping_finds_the_quantile),
        ORR_TEST(a_function_and_a_module_train_alike),
        ORR_TEST(membership_tells_no_more_than_the_accountant_says),
        ORR_TEST(settings_that_make_no_sense_are_refused),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "privacy.sgd", tests);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
