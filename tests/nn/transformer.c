/* Blocks of transformers beside PyTorch's (tests/golden/torch/make_transformer.py), and generation with a cache.
 * Must not know: how a block is composed. */
#include "config.h"
#include "tests/nn/near.h"

static const char file[] = "torch/transformer.npz";

static void blocks_are_pytorchs(void)
{
    for (int first = 0; first < 2; first++) {
        char name[32];
        orr_scope *s = orr_scope_begin();
        orr_heads_options o = { .norm_first = first, .activation = ORR_ACTIVATION_GELU }, c = o,
                          d = { .norm_first = first };
        c.causal = true;
        orr_module *encoder = orr_encoder_block(8, 2, 12, &o), *causal = orr_encoder_block(8, 2, 12, &c),
                   *decoder = orr_decoder_block(8, 2, 12, &d);
        ORR_REQUIRE(encoder && causal && decoder);
        ORR_CHECK_MSG(orr_module_load(encoder, orr_test_golden("torch/encoder.npz")) == ORR_OK, "%s",
                      orr_error_message());
        ORR_CHECK(orr_module_load(causal, orr_test_golden("torch/encoder.npz")) == ORR_OK);
        ORR_CHECK_MSG(orr_module_load(decoder, orr_test_golden("torch/decoder.npz")) == ORR_OK, "%s",
                      orr_error_message());
        orr_tensor *x = near_load(file, "x"), *memory = near_load(file, "memory"), *g;
        orr_tensor *y = orr_forward(encoder, x);
        ORR_CHECK(orr_grad(orr_square(y), &x, 1, &g) == ORR_OK);
        (void)snprintf(name, sizeof name, "encoder%d", first);
        near_golden(y, file, name, 3e-6);
        (void)snprintf(name, sizeof name, "encoder%d.dx", first);
        near_golden(g, file, name, 2e-5);
        (void)snprintf(name, sizeof name, "causal%d", first);
        near_golden(orr_forward(causal, x), file, name, 3e-6);
        near_golden(orr_forward_all(encoder, ORR_TENSORS(x, orr_tril(orr_ones(ORR_BOOL, ORR_SHAPE(5, 5)), 0))), file,
                    name, 3e-6);
        (void)snprintf(name, sizeof name, "decoder%d", first);
        near_golden(orr_forward_all(decoder, ORR_TENSORS(x, memory)), file, name, 3e-6);
        orr_module_free(encoder);
        orr_module_free(causal);
        orr_module_free(decoder);
        (void)orr_scope_end(s);
    }
}

static void a_cache_gives_what_the_whole_sequence_gives(void)
{
    for (int k = 0; k < 4; k++) {
        orr_heads_options o = { .causal = true,
                                .kv_heads = 2,
                                .rotary = k == 1 || k == 2 ? 10000 : 0,
                                .window = k == 2 ? 3 : 0,
                                .alibi = k == 3 };
        orr_module *m = orr_sequential(
            ORR_MODULES(orr_sinusoidal_layer(), orr_encoder_block(16, 4, 32, &o), orr_encoder_block(16, 4, 32, &o)));
        ORR_REQUIRE(m);
        orr_module_train(m, false);
        orr_kv_cache *cache = orr_kv_cache_new(m, 2, 9);
        orr_scope *s = orr_scope_begin();
        orr_seed(6);
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(2, 8, 16), 0, 1);
        ORR_CHECK(orr_eval(x) == ORR_OK);
        orr_tensor *whole = orr_forward(m, x);
        static const int cut[] = { 0, 3, 4, 5, 7, 8 };
        for (int again = 0; again < 2; again++) {
            for (int i = 0; i + 1 < (int)(sizeof cut / sizeof *cut); i++) {
                orr_tensor *y = orr_forward_cached(cache, orr_slice_axis(x, 1, cut[i], cut[i + 1], 1));
                near_same(y, orr_slice_axis(whole, 1, cut[i], cut[i + 1], 1), 2e-6, "a cached step");
            }
            ORR_CHECK(orr_kv_cache_length(cache) == 8);
            if (again == 0)
                orr_kv_cache_clear(cache);
        }
        near_poison(orr_forward_cached(cache, orr_slice_axis(x, 1, 0, 2, 1)), ORR_ESHAPE, "2 places|(2, 2, 16)|1 that");
        near_poison(orr_forward_cached(cache, orr_slice_axis(x, 0, 0, 1, 1)), ORR_ESHAPE, "batch of 2");
        orr_module_train(m, true);
        near_poison(orr_forward_cached(cache, x), ORR_EINVAL, "orr_module_train");
        (void)orr_scope_end(s);
        orr_kv_cache_free(cache);
        orr_module_free(m);
    }
}

/* Linear biases are a mask, to which the program's own mask is added. */
static void heads_have_linear_biases(void)
{
    orr_scope *s = orr_scope_begin();
    orr_heads_options o = { .causal = true, .alibi = true }, plain = { .causal = true };
    orr_module *m = orr_multi_head_attention(12, 3, &o), *other = orr_multi_head_attention(12, 3, &plain);
    const char *path = orr_test_tmp("heads.npz");
    ORR_REQUIRE(m && other);
    ORR_CHECK(orr_module_save(m, path) == ORR_OK && orr_module_load(other, path) == ORR_OK);
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(2, 7, 12), 0, 1), *bias = orr_alibi(ORR_F32, 3, 7, 7);
    orr_tensor *near = orr_triu(orr_ones(ORR_BOOL, ORR_SHAPE(7, 7)), -2),
               *far = orr_where(near, orr_scalar(0), orr_full(ORR_F32, ORR_SHAPE(7, 7), -INFINITY));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    near_same(orr_forward(m, x), orr_forward_all(other, ORR_TENSORS(x, NULL, NULL, bias)), 1e-6, "biases");
    orr_tensor *want = orr_forward_all(other, ORR_TENSORS(x, NULL, NULL, orr_add(bias, far)));
    near_same(orr_forward_all(m, ORR_TENSORS(x, NULL, NULL, near)), want, 1e-6, "a mask of truths");
    near_same(orr_forward_all(m, ORR_TENSORS(x, NULL, NULL, far)), want, 1e-6, "a mask of numbers");
    o.causal = false;
    ORR_CHECK(!orr_multi_head_attention(12, 3, &o) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "causal"), "%s", orr_error_message());
    orr_module_free(other);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

/* Checks that a cache of `m` is refused with `part` and `rule` in the message; frees m. */
static void no_cache(orr_module *m, const char *part, const char *rule)
{
    ORR_REQUIRE(m);
    orr_kv_cache *cache = orr_kv_cache_new(m, 1, 8);
    ORR_CHECK_MSG(!cache, "%s", part);
    ORR_CHECK_MSG(!cache && orr_error_status() == ORR_EINVAL && strstr(orr_error_message(), part) &&
                      strstr(orr_error_message(), rule),
                  "%s: %s", part, orr_error_message());
    orr_kv_cache_free(cache);
    orr_module_free(m);
}

static void a_cache_refuses_layers_that_mix_places(void)
{
    static const char rule[] = "mixes the places";
    orr_heads_options causal = { .causal = true };
    orr_pool_options pool = { .window = { 3 }, .stride = { 1 } };
    orr_conv_options same = { .same = true };
    no_cache(orr_multi_head_attention(8, 2, NULL), "the module (multi_head_attention)", ".causal = true");
    no_cache(orr_encoder_block(8, 2, 8, NULL), "layer attention (multi_head_attention)", rule);
    no_cache(orr_sequential(ORR_MODULES(orr_embedding_layer(9, 8, -1), orr_encoder_block(8, 2, 8, NULL))),
             "layer 1.attention (multi_head_attention)", rule);
    no_cache(orr_recurrent(ORR_CELL_LSTM, 8, 8, NULL), "the module (recurrent)", rule);
    no_cache(orr_residual(orr_recurrent(ORR_CELL_GRU, 8, 8, NULL)), "layer 0 (recurrent)", rule);
    no_cache(orr_conv_layer(8, 8, ORR_SHAPE(3), &same, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT,
                            ORR_INITIALISER_DEFAULT),
             "(conv)", rule);
    no_cache(orr_max_pool_layer(&pool), "(max_pool)", rule);
    no_cache(orr_resize_layer(ORR_SHAPE(4), ORR_RESIZE_NEAREST, false), "(resize)", rule);
    no_cache(orr_flatten_layer(), "(flatten)", rule);
    no_cache(orr_batch_norm_layer(8, NULL), "(batch_norm)", rule);
    no_cache(orr_instance_norm_layer(8, NULL), "(instance_norm)", rule);
    no_cache(orr_layer_norm_layer(ORR_SHAPE(4, 8), NULL), "(layer_norm)", rule);
    no_cache(orr_decoder_block(8, 2, 8, NULL), "the module (decoder_block)", "2 inputs");
    no_cache(orr_sequential(ORR_MODULES(orr_decoder_block(8, 2, 8, NULL))), "layer 0 (decoder_block)", "2 inputs");
    orr_module *m = orr_sequential(ORR_MODULES(
        orr_embedding_layer(9, 8, -1), orr_dropout_layer(0.5), orr_residual(orr_multi_head_attention(8, 2, &causal)),
        orr_rms_norm_layer(ORR_SHAPE(8), NULL), orr_activation_layer(ORR_ACTIVATION_TANH),
        orr_dense(8, 4, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)));
    orr_kv_cache *cache = orr_kv_cache_new(m, 1, 8);
    ORR_CHECK_MSG(cache, "%s", orr_error_message());
    orr_kv_cache_free(cache);
    orr_module_free(m);
}

/* A module of the program's own that has a memory for its part. */
static orr_tensor *with_memory(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n;
    return orr_forward_all(orr_module_part(m, 0), ORR_TENSORS(x[0], user));
}

static orr_tensor *part_alone(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n, (void)user;
    return orr_forward(orr_module_part(m, 0), x[0]);
}

static void a_cache_takes_modules_of_the_programs_own(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(8);
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(2, 6, 8), 0, 1),
               *memory = orr_randn(ORR_F32, ORR_SHAPE(2, 5, 8), 0, 1);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, memory)) == ORR_OK);
    orr_module *decoder = orr_module_new("decoder", with_memory, memory, NULL);
    ORR_REQUIRE(decoder && orr_module_add_part(decoder, "block", orr_decoder_block(8, 2, 12, NULL)));
    orr_module_train(decoder, false);
    orr_kv_cache *cache = orr_kv_cache_new(decoder, 2, 6);
    ORR_REQUIRE(cache);
    orr_tensor *whole = orr_forward(decoder, x);
    for (int i = 0; i < 6; i += 2)
        near_same(orr_forward_cached(cache, orr_slice_axis(x, 1, i, i + 2, 1)), orr_slice_axis(whole, 1, i, i + 2, 1),
                  2e-6, "a decoder's step");
    orr_kv_cache_free(cache);
    orr_module_free(decoder);
    orr_module *own = orr_module_new("own", part_alone, NULL, NULL);
    ORR_REQUIRE(own && orr_module_add_part(own, "part", orr_multi_head_attention(8, 2, NULL)));
    orr_module_train(own, false);
    cache = orr_kv_cache_new(own, 2, 6);
    near_poison(orr_forward_cached(cache, x), ORR_EINVAL, "must be causal");
    orr_kv_cache_free(cache);
    orr_module_free(own);
    (void)orr_scope_end(s);
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(!orr_multi_head_attention(10, 4, NULL) && orr_error_status() == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "4 heads must divide the width 10"), "%s", orr_error_message());
    ORR_CHECK(!orr_encoder_block(8, 2, 0, NULL) && orr_error_status() == ORR_ESHAPE);
    orr_heads_options o = { .dropout = 1 };
    ORR_CHECK(!orr_encoder_block(8, 2, 8, &o) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(!orr_kv_cache_new(NULL, 1, 1) && orr_error_status() == ORR_EINVAL);
    orr_module *m = orr_multi_head_attention(8, 2, NULL), *d = orr_decoder_block(8, 2, 8, NULL);
    ORR_REQUIRE(m && d);
    near_poison(orr_forward(m, orr_ones(ORR_F32, ORR_SHAPE(5, 8))), ORR_ESHAPE, "(5, 8)|(batch, length, width)");
    near_poison(orr_forward(d, orr_ones(ORR_F32, ORR_SHAPE(1, 5, 8))), ORR_EINVAL, "decoder_block takes 2 to 4");
    near_poison(orr_forward_all(d, ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(1, 5, 8)), NULL)), ORR_EINVAL,
                "memory is NULL");
    near_poison(orr_forward(m, NULL), ORR_EINVAL, "forward: x is NULL");
    orr_module_free(d);
    orr_module_free(m);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(blocks_are_pytorchs),
        ORR_TEST(a_cache_gives_what_the_whole_sequence_gives),
        ORR_TEST(a_cache_refuses_layers_that_mix_places),
        ORR_TEST(a_cache_takes_modules_of_the_programs_own),
        ORR_TEST(heads_have_linear_biases),
        ORR_TEST(wrong_use_is_refused),
        { 0 },
    };
    return near_main(argc, argv, "nn.transformer", tests);
}
