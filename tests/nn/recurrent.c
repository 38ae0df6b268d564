/* Scans, and recurrent layers beside PyTorch's values and gradients.
 * Must not know: how a scan runs. */
#include "config.h"
#include "tests/nn/recurrent_cases.h"

static void layers_are_pytorchs(void)
{
    recurrent_every_layer(true);
}

static void dropout_between_layers_is_for_training(void)
{
    orr_recurrent_options o = { .layers = 2, .dropout = 0.5, .no_bias = true };
    orr_module *m = orr_recurrent(ORR_CELL_RNN_RELU, 3, 8, &o);
    ORR_REQUIRE(m && orr_module_parameters(m, NULL, 0) == 4);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2, 4, 3));
    double d[2];
    for (int k = 0; k < 2; k++) {
        orr_module_train(m, k == 0);
        orr_tensor *off = orr_abs(orr_sub(orr_forward(m, x), orr_forward(m, x)));
        ORR_CHECK(orr_item(orr_sum(off, ORR_ALL_AXES, false), &d[k]) == ORR_OK);
    }
    ORR_CHECK_MSG(d[0] > 0 && d[1] == 0, "%g %g", d[0], d[1]);
    (void)orr_scope_end(s);
    orr_module_free(m);
}

/* carry = carry·decay + x, y = 2·carry. */
static void decays(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    carry[0] = orr_add(orr_mul(carry[0], user), x[0]);
    y[0] = orr_mul(carry[0], orr_scalar(2));
}

static void scan_is_its_recurrence(void)
{
    static const double in[4] = { 1, 2, 3, 4 }, forward[4] = { 7, 7.5, 9.75, 12.875 }, back[4] = { 8.5, 13, 18, 24 };
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < 4; k++) {
        orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(4), in), *y = NULL, *decay = orr_full(ORR_F64, ORR_SHAPE_0D, 0.5);
        orr_tensor *carry = orr_full(ORR_F64, ORR_SHAPE_0D, k % 2 ? 16.0 : 5.0);
        orr_scan_options o = { .reverse = k % 2, .loop = k > 1 };
        orr_scan_lists l = { .carry = &carry, .x = &x, .y = &y, .n_carry = 1, .n_x = 1, .n_y = 1 };
        ORR_CHECK_MSG(orr_scan(decays, &l, decay, &o) == ORR_OK, "%s", orr_error_message());
        near_same(y, orr_from(ORR_F64, ORR_SHAPE(4), k % 2 ? back : forward), 1e-15, "scan");
        double last;
        ORR_CHECK(orr_item(carry, &last) == ORR_OK && last == (k % 2 ? 4.25 : 6.4375));
    }
    (void)orr_scope_end(s);
}

static orr_tensor *through_time(orr_tensor *const *x, void *user)
{
    (void)user;
    orr_tensor *carry = x[0], *y;
    orr_scan_lists l = { .carry = &carry, .x = &x[1], .y = &y, .n_carry = 1, .n_x = 1, .n_y = 1 };
    if (orr_scan(decays, &l, x[2], NULL) != ORR_OK)
        return orr_scalar(NAN);
    return orr_sum(orr_mul(y, orr_square(y)), ORR_ALL_AXES, false);
}

static void gradients_go_through_time(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[3] = { orr_full(ORR_F64, ORR_SHAPE(2), 0.3),
                         orr_sin(orr_reshape(orr_arange(ORR_F64, 0, 8, 1), ORR_SHAPE(4, 2))),
                         orr_full(ORR_F64, ORR_SHAPE(2), 0.7) };
    near_differences(through_time, x, 3, NULL, 1e-7, "scan");
    (void)orr_scope_end(s);
}

static void grows(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    (void)x, (void)y, (void)user;
    carry[0] = orr_concat(ORR_TENSORS(carry[0], carry[0]), 0);
}

/* Lengths are clipped to 0 … steps. */
static void lengths_beyond_the_steps_are_clipped(void)
{
    static const int64_t given[4] = { -3, 0, 9, INT64_MIN }, clipped[4] = { 0, 0, 5, 0 };
    for (int cell = ORR_CELL_RNN; cell <= ORR_CELL_GRU; cell++) {
        orr_scope *s = orr_scope_begin();
        orr_recurrent_options o = { .bidirectional = true };
        orr_module *m = orr_recurrent((orr_cell)cell, 3, 4, &o);
        ORR_REQUIRE(m);
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(4, 5, 3), 0, 1), *a[2] = { NULL, NULL }, *b[2] = { NULL, NULL };
        ORR_CHECK(orr_eval(x) == ORR_OK);
        orr_tensor *y = orr_recurrent_forward(m, x, orr_from(ORR_I64, ORR_SHAPE(4), given), a);
        near_same(y, orr_recurrent_forward(m, x, orr_from(ORR_I64, ORR_SHAPE(4), clipped), b), 0, "outputs");
        near_same(a[0], b[0], 0, "states");
        near_same(orr_slice_axis(y, 0, 0, 2, 1), orr_zeros(ORR_F32, ORR_SHAPE(2, 5, 8)), 0, "no step");
        orr_module_free(m);
        (void)orr_scope_end(s);
    }
}

/* Alone a sequence is multiplied by pairs of panels of the weights, among others by tiles; 70 units end in a part of a panel. */
static void a_sequence_has_equal_bits_alone_and_among_others(void)
{
    for (int cell = ORR_CELL_RNN; cell <= ORR_CELL_GRU; cell++) {
        orr_scope *s = orr_scope_begin();
        orr_module *m = orr_recurrent((orr_cell)cell, 3, 70, NULL);
        ORR_REQUIRE(m);
        orr_module_train(m, false);
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(5, 4, 3), 0, 1), *all = orr_forward(m, x);
        ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(all) == ORR_OK);
        for (int64_t i = 0; i < 5; i += 4) {
            orr_tensor *one = orr_forward(m, orr_slice_axis(x, 0, i, i + 1, 1));
            ORR_CHECK(orr_eval(one) == ORR_OK);
            near_same(one, orr_slice_axis(all, 0, i, i + 1, 1), 0, "a sequence");
        }
        orr_module_free(m);
        (void)orr_scope_end(s);
    }
}

static void forgets(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    (void)x, (void)y;
    if (user)
        carry[0] = NULL;
}

/* Each list entry has the error, with the caller's line once. */
static void a_body_that_gives_nothing_is_named(void)
{
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < 4; k++) {
        orr_tensor *carry[2] = { orr_ones(ORR_F32, ORR_SHAPE(2)), orr_ones(ORR_F32, ORR_SHAPE(3)) }, *y[2] = { NULL };
        orr_scan_lists l = { .carry = carry, .y = y, .n_carry = 2, .n_y = 2, .steps = 3 };
        ORR_CHECK(orr_scan(forgets, &l, k & 1 ? &l : NULL, &(orr_scan_options){ .loop = k > 1 }) == ORR_EINVAL);
        const char *said = orr_error_message(), *line = strstr(said, "recurrent.c:");
        ORR_CHECK_MSG(strstr(said, k & 1 ? "carry[0] NULL" : "y[0]"), "%s", said);
        ORR_CHECK_MSG(line && !strstr(line + 1, "recurrent.c:"), "%s", said);
        for (int i = 0; i < 4; i++)
            ORR_CHECK(orr_tensor_status(i < 2 ? carry[i] : y[i - 2]) == ORR_EINVAL);
    }
    (void)orr_scope_end(s);
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *carry = orr_ones(ORR_F32, ORR_SHAPE(2)),
               *x[2] = { orr_ones(ORR_F32, ORR_SHAPE(3)), orr_ones(ORR_F32, ORR_SHAPE(4)) };
    orr_scan_lists l = { .carry = &carry, .x = x, .n_carry = 1, .n_x = 2 };
    ORR_CHECK(orr_scan(grows, &l, NULL, NULL) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(3,)") && strstr(orr_error_message(), "(4,)"), "%s",
                  orr_error_message());
    carry = orr_ones(ORR_F32, ORR_SHAPE(2));
    l.n_x = 1;
    ORR_CHECK(orr_scan(grows, &l, NULL, NULL) == ORR_ESHAPE && orr_tensor_status(carry) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(2,) becomes (4,)"), "%s", orr_error_message());
    ORR_CHECK(orr_scan(NULL, &l, NULL, NULL) == ORR_EINVAL);
    orr_module *m = orr_recurrent(ORR_CELL_GRU, 3, 4, NULL),
               *d = orr_dense(3, 3, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT);
    ORR_REQUIRE(m && d);
    near_poison(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(2, 5, 4))), ORR_ESHAPE, "(2, 5, 4)|(batch, steps, 3)");
    orr_tensor *y = orr_ones(ORR_F32, ORR_SHAPE(2, 5, 3));
    near_poison(orr_forward_all(m, ORR_TENSORS(y, orr_ones(ORR_I64, ORR_SHAPE(3)))), ORR_ESHAPE, "(3,)|(2, 5, 3)");
    near_poison(orr_forward_all(m, ORR_TENSORS(y, orr_ones(ORR_F32, ORR_SHAPE(2)))), ORR_EDTYPE, "orr_cast(lengths");
    orr_tensor *state = orr_ones(ORR_F32, ORR_SHAPE(2, 4));
    near_poison(orr_recurrent_forward(m, y, NULL, &state), ORR_ESHAPE, "(2, 4)|(1, 2, 4)");
    near_poison(orr_recurrent_forward(d, y, NULL, NULL), ORR_EINVAL, "no recurrent layer");
    ORR_CHECK(!orr_recurrent((orr_cell)9, 3, 4, NULL) && orr_error_status() == ORR_EINVAL);
    orr_recurrent_options deep = { .layers = 1000000 };
    ORR_CHECK(!orr_recurrent(ORR_CELL_GRU, 3, 4, &deep) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_recurrent(ORR_CELL_GRU, 0, 4, NULL) && orr_error_status() == ORR_ESHAPE);
    orr_module_free(d);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

static void drops(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    (void)x;
    (void)y;
    (void)user;
    carry[0] = orr_dropout(carry[0], 0.3);
}

/* A loop would use one mask for all steps, and its gradient, which records the steps again, others. */
static void a_loop_does_not_repeat_random_numbers(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *carry = orr_ones(ORR_F32, ORR_SHAPE(8));
    orr_scan_lists l = { .carry = &carry, .n_carry = 1, .steps = 3 };
    ORR_CHECK(orr_scan(drops, &l, NULL, &(orr_scan_options){ .loop = true }) == ORR_EGRAPH);
    ORR_CHECK(strstr(orr_error_message(), "draws random numbers") && orr_tensor_status(carry) == ORR_EGRAPH);
    carry = orr_ones(ORR_F32, ORR_SHAPE(8));
    ORR_CHECK(orr_scan(drops, &l, NULL, NULL) == ORR_OK && orr_eval(carry) == ORR_OK);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(layers_are_pytorchs),
        ORR_TEST(dropout_between_layers_is_for_training),
        ORR_TEST(scan_is_its_recurrence),
        ORR_TEST(a_loop_does_not_repeat_random_numbers),
        ORR_TEST(gradients_go_through_time),
        ORR_TEST(lengths_beyond_the_steps_are_clipped),
        ORR_TEST(wrong_use_is_refused),
        ORR_TEST(a_body_that_gives_nothing_is_named),
        ORR_TEST(a_sequence_has_equal_bits_alone_and_among_others),
        { 0 },
    };
    return near_main(argc, argv, "nn.recurrent", tests);
}
