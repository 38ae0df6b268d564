/* First and second derivatives of the operations of networks beside differences in f64; derivatives that do not exist are
 * refused.
 * Must not know: how a derivative is made. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/conv.h>
#include <orrery/loss.h>
#include <orrery/norm.h>
#include <orrery/recurrent.h>
#include <orrery/sequence.h>
#include "tests/harness/differences.h"

#define F(name, expr)                                                                                                  \
    static orr_tensor *name(orr_tensor *const *x)                                                                      \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
#define CONV(...) (&(orr_conv_options){ __VA_ARGS__ })
#define POOL(...) (&(orr_pool_options){ __VA_ARGS__ })
#define S ORR_SHAPE

/* -- convolution ------------------------------------------------------------------------------------------------------- */

F(f_conv, orr_conv(x[0], x[1], x[2], NULL))
F(f_conv_steps, orr_conv(x[0], x[1], x[2], CONV(.stride = { 2, 1 }, .dilation = { 1, 2 }, .padding = { 1, 2 })))
F(f_conv_groups, orr_conv(x[0], x[1], x[2], CONV(.groups = 2, .before = { 1 }, .after = { 2 }, .dilation = { 2 })))
F(f_conv_same, orr_conv(x[0], x[1], NULL, CONV(.same = true, .groups = 3)))
F(f_conv_3d, orr_conv(x[0], x[1], x[2], CONV(.stride = { 1, 2, 1 }, .padding = { 1, 0, 1 })))
F(f_turned, orr_conv_transpose(x[0], x[1], x[2], NULL))
F(f_turned_steps,
  orr_conv_transpose(x[0], x[1], x[2], CONV(.stride = { 2, 2 }, .padding = { 1 }, .output_padding = { 1 })))
F(f_turned_groups, orr_conv_transpose(x[0], x[1], x[2], CONV(.groups = 2, .dilation = { 2 })))
F(f_weights, orr_conv_weights(x[0], x[1], S(2, 2), CONV(.stride = { 2, 1 }, .padding = { 1 })))

/* -- pooling and resizing --------------------------------------------------------------------------------------------- */

F(f_max, orr_square(orr_max_pool(x[0], POOL(.window = { 2, 3 }, .stride = { 1, 2 }, .padding = { 1, 1 }))))
F(f_max_adaptive, orr_square(orr_max_pool(x[0], POOL(.size = { 2, 3 }))))
F(f_max_dilated, orr_square(orr_max_pool(x[0], POOL(.window = { 2 }, .dilation = { 2 }, .round_up = true))))
F(f_unpool, orr_square(orr_max_unpool(x[0], orr_max_pool_indices(x[1], POOL(.window = { 2 })), S(6))))
F(f_average, orr_square(orr_average_pool(x[0], POOL(.window = { 2, 2 }, .padding = { 1, 0 }))))
F(f_average_alone, orr_square(orr_average_pool(x[0], POOL(.window = { 3, 2 }, .stride = { 2, 2 }, .padding = { 1, 1 },
                                                          .exclude_padding = true, .round_up = true))))
F(f_average_adaptive, orr_square(orr_average_pool(x[0], POOL(.size = { 3, 1 }))))
F(f_lp, orr_lp_pool(orr_add(orr_square(x[0]), orr_scalar(0.5)), 3, POOL(.window = { 2, 2 })))

static orr_tensor *resized(orr_tensor *x, orr_resize_mode mode, bool corners)
{
    orr_tensor *up = orr_resize(x, S(5, 7), mode, corners);
    return orr_square(orr_resize(up, S(2, 3), mode, corners));
}
F(f_nearest, resized(x[0], ORR_RESIZE_NEAREST, false))
F(f_linear, resized(x[0], ORR_RESIZE_LINEAR, false))
F(f_linear_corners, resized(x[0], ORR_RESIZE_LINEAR, true))
F(f_cubic, resized(x[0], ORR_RESIZE_CUBIC, false))
F(f_cubic_corners, resized(x[0], ORR_RESIZE_CUBIC, true))
F(f_area, resized(x[0], ORR_RESIZE_AREA, false))
F(f_centre, resized(x[0], ORR_RESIZE_NEAREST_CENTRE, false))

/* -- normalisation ------------------------------------------------------------------------------------------------------ */

F(f_layer_norm, orr_layer_norm(x[0], 1, x[1], x[2], 1e-3))
F(f_layer_norm_plain, orr_layer_norm(x[0], 2, NULL, NULL, 1e-3))
F(f_rms_norm, orr_rms_norm(x[0], 1, x[1], 1e-3))
F(f_group_norm, orr_group_norm(x[0], 2, x[1], x[2], 1e-3))
F(f_instance_norm, orr_instance_norm(x[0], x[1], x[2], 1e-3))
F(f_batch_norm, orr_batch_norm(x[0], x[1], orr_exp(x[2]), x[3], x[4], 1e-3))
F(f_batch_norm_training, orr_batch_norm_training(x[0], x[1], x[2], 1e-3, NULL, NULL))
F(f_local_response_norm, orr_local_response_norm(x[0], 3, 0.5, 0.75, 1))

static orr_tensor *f_dropout(orr_tensor *const *x)
{
    orr_seed(5);
    return orr_square(orr_dropout(x[0], 0.4));
}

/* -- sequences ---------------------------------------------------------------------------------------------------------- */

#define ATTEND(...) (&(orr_attention_options){ __VA_ARGS__ })
F(f_attention, orr_attention(x[0], x[1], x[2], NULL, NULL))
F(f_attention_causal, orr_attention(x[0], x[1], x[2], NULL, ATTEND(.causal = true, .scale = 0.7)))
F(f_attention_unseeing, orr_attention(x[0], x[1], x[2], orr_tril(orr_ones(ORR_BOOL, S(3, 4)), -1), NULL))
F(f_attention_window, orr_attention(x[0], x[1], x[2], NULL, ATTEND(.causal = true, .window = 2)))
F(f_attention_mask, orr_attention(x[0], x[1], x[2], x[3], NULL))
F(f_attention_truths, orr_attention(x[0], x[1], x[2], orr_tril(orr_ones(ORR_BOOL, S(3, 4)), 1), NULL))
F(f_rotary, orr_square(orr_rotary(x[0], 3, 10000, true)))
F(f_rotary_halves, orr_square(orr_rotary(x[0], 1, 100, false)))
F(f_embedding, orr_square(orr_embedding(x[0], orr_from(ORR_I64, S(2, 2), (int64_t[]){ 0, 2, 2, 1 }), -1)))

static orr_tensor *f_attention_dropout(orr_tensor *const *x)
{
    orr_seed(9);
    return orr_attention(x[0], x[1], x[2], NULL, ATTEND(.dropout = 0.4));
}

/* A cell with a gate: c' = σ(c·w)·c + tanh(x), y = c'². */
static void gated(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    carry[0] = orr_add(orr_mul(orr_sigmoid(orr_matmul(carry[0], user)), carry[0]), orr_tanh(x[0]));
    y[0] = orr_square(carry[0]);
}

static orr_tensor *scanned(orr_tensor *const *x, bool reverse)
{
    orr_tensor *carry = x[0], *y = NULL;
    orr_scan_lists l = { .carry = &carry, .x = &x[1], .y = &y, .n_carry = 1, .n_x = 1, .n_y = 1 };
    (void)orr_scan(gated, &l, x[2], &(orr_scan_options){ .reverse = reverse });
    return orr_concat(ORR_TENSORS(y, orr_expand_dims(carry, 0)), 0);
}
F(f_scan, scanned(x, false))
F(f_scan_back, scanned(x, true))

/* -- losses ------------------------------------------------------------------------------------------------------------- */

static orr_tensor *labels(void)
{
    return orr_from(ORR_I64, S(3), (int64_t[]){ 1, 3, 0 });
}

static orr_tensor *signs(void)
{
    return orr_from(ORR_F64, S(2, 3), (double[]){ 1, -1, 1, 1, -1, -1 });
}
#define CLASSES(...) (&(orr_class_options){ __VA_ARGS__ })
F(f_nll, orr_nll_loss(orr_log_softmax(x[0], -1), labels(), CLASSES(.weight = orr_exp(x[1]))))
F(f_cross,
  orr_cross_entropy_with(x[0], labels(),
                         CLASSES(.weight = orr_exp(x[1]), .label_smoothing = 0.2, .ignores = true, .ignored = 3)))
F(f_cross_none, orr_cross_entropy_with(x[0], labels(), CLASSES(.reduction = ORR_REDUCTION_NONE)))
F(f_cross_shares, orr_cross_entropy_with(x[0], orr_softmax(x[1], -1), CLASSES(.label_smoothing = 0.1)))
F(f_cross_short, orr_cross_entropy(x[0], labels()))
F(f_binary,
  orr_binary_cross_entropy_with_logits(x[0], orr_sigmoid(x[1]), orr_exp(x[2]), orr_exp(x[3]), ORR_REDUCTION_MEAN))
F(f_mse, orr_mse_loss(x[0], x[1], ORR_REDUCTION_BATCH_MEAN))
F(f_l1, orr_l1_loss(orr_square(x[0]), x[1], ORR_REDUCTION_SUM))
F(f_huber, orr_huber_loss(x[0], x[1], 0.5, ORR_REDUCTION_NONE))
F(f_kl, orr_kl_loss(orr_log_softmax(x[0], -1), orr_softmax(x[1], -1), false, ORR_REDUCTION_BATCH_MEAN))
F(f_kl_logarithm, orr_kl_loss(orr_log_softmax(x[0], -1), orr_log_softmax(x[1], -1), true, ORR_REDUCTION_SUM))
F(f_similarity, orr_cosine_similarity(x[0], x[1], -1, 1e-8))
F(f_cosine, orr_cosine_loss(x[0], x[1], orr_from(ORR_F64, S(2), (double[]){ 1, -1 }), -0.9, ORR_REDUCTION_NONE))
F(f_hinge, orr_hinge_loss(orr_square(x[0]), signs(), 1, ORR_REDUCTION_SUM))
F(f_hinge_embedding, orr_hinge_embedding_loss(orr_square(x[0]), signs(), 1, ORR_REDUCTION_MEAN))
F(f_ctc, orr_ctc_loss(orr_log_softmax(x[0], -1), orr_from(ORR_I64, S(2, 2), (int64_t[]){ 1, 2, 2, 2 }),
                      orr_from(ORR_I64, S(2), (int64_t[]){ 4, 3 }), orr_from(ORR_I64, S(2), (int64_t[]){ 2, 1 }), 0,
                      false, ORR_REDUCTION_NONE))

/* -- activations -------------------------------------------------------------------------------------------------------- */

static orr_activation activation;
F(f_activation, orr_activate(orr_mul(x[0], orr_scalar(2)), activation))
F(f_prelu, orr_prelu(x[0], x[1]))
F(f_elu_with, orr_elu_with(x[0], x[1]))

static const differences_row rows[] = {
    { "conv, one axis", f_conv, 3, { S(2, 2, 5), S(3, 2, 2), S(3) }, 2 },
    { "conv, steps", f_conv_steps, 3, { S(1, 2, 4, 3), S(2, 2, 2, 2), S(2) }, 2 },
    { "conv, groups", f_conv_groups, 3, { S(2, 4, 4), S(2, 2, 3), S(2) }, 2 },
    { "conv, depthwise", f_conv_same, 2, { S(1, 3, 3, 4), S(3, 1, 2, 3) }, 2 },
    { "conv, three axes", f_conv_3d, 3, { S(1, 1, 2, 3, 3), S(2, 1, 2, 2, 2), S(2) }, 2 },
    { "conv_transpose", f_turned, 3, { S(2, 2, 3), S(2, 3, 2), S(3) }, 2 },
    { "conv_transpose, steps", f_turned_steps, 3, { S(1, 2, 3, 2), S(2, 1, 2, 3), S(1) }, 2 },
    { "conv_transpose, groups", f_turned_groups, 3, { S(1, 4, 3), S(4, 1, 2), S(2) }, 2 },
    { "conv_weights", f_weights, 2, { S(2, 1, 4, 3), S(2, 2, 3, 2) }, 2 },
    { "max_pool", f_max, 1, { S(1, 2, 4, 5) }, 2 },
    { "max_pool, adaptive", f_max_adaptive, 1, { S(1, 2, 5, 4) }, 2 },
    { "max_pool, dilated", f_max_dilated, 1, { S(1, 2, 8) }, 2 },
    { "max_unpool", f_unpool, 2, { S(1, 2, 3), S(1, 2, 6) }, 2 },
    { "average_pool", f_average, 1, { S(1, 2, 4, 5) }, 2 },
    { "average_pool, its elements alone", f_average_alone, 1, { S(1, 1, 4, 5) }, 2 },
    { "average_pool, adaptive", f_average_adaptive, 1, { S(1, 2, 5, 3) }, 2 },
    { "lp_pool", f_lp, 1, { S(1, 1, 4, 4) }, 2 },
    { "resize, nearest", f_nearest, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, linear", f_linear, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, linear, corners", f_linear_corners, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, cubic", f_cubic, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, cubic, corners", f_cubic_corners, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, area", f_area, 1, { S(1, 1, 3, 4) }, 2 },
    { "resize, nearest centre", f_centre, 1, { S(1, 1, 3, 4) }, 2 },
    { "layer_norm", f_layer_norm, 3, { S(2, 4), S(4), S(4) }, 2 },
    { "layer_norm of two axes", f_layer_norm_plain, 1, { S(2, 2, 3) }, 2 },
    { "rms_norm", f_rms_norm, 2, { S(2, 4), S(4) }, 2 },
    { "group_norm", f_group_norm, 3, { S(2, 4, 3), S(4), S(4) }, 2 },
    { "instance_norm", f_instance_norm, 3, { S(2, 2, 4), S(2), S(2) }, 2 },
    { "batch_norm", f_batch_norm, 5, { S(2, 3, 2), S(3), S(3), S(3), S(3) }, 2 },
    { "batch_norm_training", f_batch_norm_training, 3, { S(3, 2, 2), S(2), S(2) }, 2 },
    { "local_response_norm", f_local_response_norm, 1, { S(1, 4, 3) }, 2 },
    { "dropout", f_dropout, 1, { S(3, 4) }, 2 },
    { "attention", f_attention, 3, { S(1, 2, 3, 2), S(1, 2, 4, 2), S(1, 2, 4, 3) }, 2 },
    { "attention, causal", f_attention_causal, 3, { S(2, 3, 2), S(1, 4, 2), S(1, 4, 3) }, 2 },
    { "attention, unseeing", f_attention_unseeing, 3, { S(2, 3, 2), S(2, 4, 2), S(2, 4, 2) }, 2 },
    { "attention, no batch", f_attention, 3, { S(0, 2, 3, 2), S(0, 2, 4, 2), S(0, 2, 4, 3) }, 2 },
    { "attention, window", f_attention_window, 3, { S(1, 4, 2), S(1, 4, 2), S(1, 4, 2) }, 2 },
    { "attention, mask", f_attention_mask, 4, { S(2, 2, 3, 2), S(2, 1, 4, 2), S(2, 1, 4, 2), S(2, 1, 3, 4) }, 2 },
    { "attention, truths", f_attention_truths, 3, { S(2, 3, 2), S(2, 4, 2), S(2, 4, 2) }, 2 },
    { "attention, dropout", f_attention_dropout, 3, { S(1, 2, 3, 2), S(1, 1, 4, 2), S(1, 1, 4, 2) }, 2 },
    { "rotary", f_rotary, 1, { S(3, 4) }, 2 },
    { "rotary, halves", f_rotary_halves, 1, { S(3, 4) }, 2 },
    { "embedding", f_embedding, 1, { S(3, 2) }, 2 },
    { "scan", f_scan, 3, { S(2, 2), S(3, 2, 2), S(2, 2) }, 2 },
    { "scan, backwards", f_scan_back, 3, { S(2, 2), S(3, 2, 2), S(2, 2) }, 2 },
    { "nll_loss", f_nll, 2, { S(3, 4), S(4) }, 2 },
    { "cross_entropy, weights", f_cross, 2, { S(3, 4), S(4) }, 2 },
    { "cross_entropy, each", f_cross_none, 1, { S(3, 4) }, 2 },
    { "cross_entropy, shares", f_cross_shares, 2, { S(3, 4), S(3, 4) }, 2 },
    { "cross_entropy", f_cross_short, 1, { S(3, 4) }, 2 },
    { "binary_cross_entropy", f_binary, 4, { S(2, 3), S(2, 3), S(2, 3), S(2, 3) }, 2 },
    { "mse_loss", f_mse, 2, { S(2, 3), S(2, 3) }, 2 },
    { "l1_loss", f_l1, 2, { S(2, 3), S(2, 3) }, 2 },
    { "huber_loss", f_huber, 2, { S(2, 3), S(2, 3) }, 2 },
    { "kl_loss", f_kl, 2, { S(2, 3), S(2, 3) }, 2 },
    { "kl_loss, logarithm", f_kl_logarithm, 2, { S(2, 3), S(2, 3) }, 2 },
    { "cosine_similarity", f_similarity, 2, { S(2, 3), S(2, 3) }, 2 },
    { "cosine_loss", f_cosine, 2, { S(2, 3), S(2, 3) }, 2 },
    { "hinge_loss", f_hinge, 1, { S(2, 3) }, 2 },
    { "hinge_embedding_loss", f_hinge_embedding, 1, { S(2, 3) }, 2 },
    { "ctc_loss", f_ctc, 1, { S(4, 2, 3) }, 1 },
    { "prelu", f_prelu, 2, { S(2, 3), S(3) }, 2 },
    { "elu_with", f_elu_with, 2, { S(2, 3), S(3) }, 2 },
};

static void derivatives_agree_with_differences(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_test_alarm();
        help_differences(&rows[i], ORR_F64);
    }
}

static void derivatives_of_activations_agree_with_differences(void)
{
    static const differences_row row = { "activation", f_activation, 1, { S(3, 4) }, 2 };
    for (int f = ORR_ACTIVATION_LINEAR; f <= ORR_ACTIVATION_LOG_SOFTMAX; f++) {
        activation = (orr_activation)f;
        help_differences(&row, ORR_F64);
    }
}

static void derivatives_that_do_not_exist_are_refused(void)
{
    static const differences_row ctc = { "ctc_loss", f_ctc, 1, { S(4, 2, 3) }, 2 };
    help_no_derivative(&ctc, ORR_F64, "no second derivative");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(derivatives_agree_with_differences),
                                      ORR_TEST(derivatives_of_activations_agree_with_differences),
                                      ORR_TEST(derivatives_that_do_not_exist_are_refused),
                                      { 0 } };
    return help_main(argc, argv, "nn.derivatives", tests);
}
