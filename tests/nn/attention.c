/* Attention beside PyTorch's values and gradients (tests/golden/torch/make_attention.py), beside a composition with all scores
 * in memory, and its memory.
 * Must not know: tiles. */
#include "config.h"
#include "tests/nn/attention_cases.h"

static void attention_is_pytorchs(void)
{
    attention_every_option(ORR_F64, 1);
    attention_every_option(ORR_F32, 1);
}

/* softmax(q·kᵀ/√width + mask)·v by public operations. */
static orr_tensor *plainly(orr_tensor *q, orr_tensor *k, orr_tensor *v, double keep, orr_tensor *kept)
{
    double width = (double)orr_tensor_shape(q).dim[3];
    orr_tensor *p = orr_softmax(orr_div(orr_matmul(q, orr_transpose(k)), orr_scalar(sqrt(width))), -1);
    if (kept)
        p = orr_where(kept, orr_div(p, orr_scalar(keep)), orr_scalar(0));
    return orr_matmul(p, v);
}

static void large_attention_agrees_with_a_composition(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(1);
    orr_tensor *x[3] = { orr_randn(ORR_F32, ORR_SHAPE(2, 3, 300, 32), 0, 1),
                         orr_randn(ORR_F32, ORR_SHAPE(2, 3, 517, 32), 0, 1),
                         orr_randn(ORR_F32, ORR_SHAPE(2, 3, 517, 24), 0, 1) };
    ORR_CHECK(orr_eval_all(x, 3) == ORR_OK);
    orr_tensor *a = orr_attention(x[0], x[1], x[2], NULL, NULL), *b = plainly(x[0], x[1], x[2], 1, NULL), *g[3], *h[3];
    ORR_CHECK(orr_grad(orr_square(a), x, 3, g) == ORR_OK && orr_grad(orr_square(b), x, 3, h) == ORR_OK);
    near_same(a, b, 3e-6, "attention");
    for (int i = 0; i < 3; i++)
        near_same(g[i], h[i], 1e-5, "its gradient");
    (void)orr_scope_end(s);
}

static orr_tensor *halved(orr_tensor *const *x, void *user)
{
    orr_attention_options o = { .causal = true, .dropout = 0.4 };
    orr_seed(9);
    orr_tensor *y = orr_attention(x[0], x[1], x[2], user, &o);
    return orr_sum(orr_mul(y, orr_square(y)), ORR_ALL_AXES, false);
}

static void dropout_agrees_with_its_differences(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(2);
    orr_tensor *x[3] = { orr_randn(ORR_F64, ORR_SHAPE(1, 2, 4, 3), 0, 1),
                         orr_randn(ORR_F64, ORR_SHAPE(1, 1, 4, 3), 0, 1),
                         orr_randn(ORR_F64, ORR_SHAPE(1, 1, 4, 2), 0, 1) };
    orr_tensor *mask = orr_randn(ORR_F64, ORR_SHAPE(4, 4), 0, 1);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x[0], x[1], x[2], mask)) == ORR_OK);
    near_differences(halved, x, 3, mask, 1e-7, "dropout");
    (void)orr_scope_end(s);
}

static orr_tensor *slope(orr_tensor *const *x, void *user)
{
    orr_tensor *g[3], *sum = NULL;
    if (orr_grad(halved(x, user), x, 3, g) != ORR_OK)
        return orr_scalar(NAN);
    for (int i = 0; i < 3; i++) {
        orr_tensor *part = orr_sum(orr_square(g[i]), ORR_ALL_AXES, false);
        sum = sum ? orr_add(sum, part) : part;
    }
    return sum;
}

static void second_derivatives_agree_with_differences(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(4);
    orr_tensor *x[3] = { orr_randn(ORR_F64, ORR_SHAPE(1, 2, 3, 2), 0, 1),
                         orr_randn(ORR_F64, ORR_SHAPE(1, 1, 3, 2), 0, 1),
                         orr_randn(ORR_F64, ORR_SHAPE(1, 1, 3, 2), 0, 1) };
    ORR_CHECK(orr_eval_all(x, 3) == ORR_OK);
    near_differences(slope, x, 3, NULL, 1e-5, "second derivative");
    (void)orr_scope_end(s);
}

static void a_query_that_sees_nothing_is_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *q = orr_ones(ORR_F32, ORR_SHAPE(1, 3, 2)), *k = orr_ones(ORR_F32, ORR_SHAPE(1, 2, 2)), *g;
    orr_attention_options o = { .causal = true };
    float y[6], d[6];
    orr_tensor *r = orr_attention(q, k, k, NULL, &o); /* three queries, two keys: the first query precedes them */
    ORR_CHECK(orr_grad(r, &q, 1, &g) == ORR_OK && orr_read(r, y, sizeof y) == ORR_OK &&
              orr_read(g, d, sizeof d) == ORR_OK);
    ORR_CHECK(y[0] == 0 && y[1] == 0 && y[2] == 1 && y[5] == 1 && d[0] == 0 && isfinite(d[5]));
    orr_tensor *none = orr_attention(orr_ones(ORR_F32, ORR_SHAPE(0, 1, 3, 2)), orr_ones(ORR_F32, ORR_SHAPE(0, 1, 2, 2)),
                                     orr_ones(ORR_F32, ORR_SHAPE(0, 1, 2, 2)), NULL, NULL);
    ORR_CHECK(orr_eval(none) == ORR_OK && orr_tensor_size(none) == 0);
    (void)orr_scope_end(s);
}

static void halves_are_computed_in_f32(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_cast(orr_randn(ORR_F32, ORR_SHAPE(2, 9, 4), 0, 1), ORR_BF16), *w = orr_cast(x, ORR_F32);
    orr_tensor *y = orr_attention(x, x, x, NULL, NULL);
    ORR_CHECK(orr_tensor_dtype(y) == ORR_BF16);
    near_same(y, orr_cast(orr_attention(w, w, w, NULL, NULL), ORR_BF16), 0, "bf16");
    (void)orr_scope_end(s);
}

/* Gradients are of the operands' dtype, and equal those of f32 operands with the same values, rounded; so are second ones, by the mask too. */
static void gradients_of_halves_are_those_of_f32_rounded(void)
{
    static const orr_dtype types[] = { ORR_F16, ORR_BF16 };
    for (int t = 0; t < 2; t++) {
        orr_scope *s = orr_scope_begin();
        orr_attention_options o = { .causal = true };
        orr_tensor *x[2][4], *g[2][4], *second[2];
        for (int i = 0; i < 4; i++) {
            orr_shape shape = i == 3 ? ORR_SHAPE(7, 9) : ORR_SHAPE(2, i ? 2 : 4, i ? 9 : 7, 5);
            x[0][i] = orr_cast(orr_randn(ORR_F32, shape, 0, 1), i == 3 ? ORR_F32 : types[t]);
            x[1][i] = orr_cast(x[0][i], ORR_F32);
        }
        for (int k = 0; k < 2; k++) {
            orr_tensor *y = orr_cast(orr_attention(x[k][0], x[k][1], x[k][2], x[k][3], &o), ORR_F32);
            ORR_CHECK_MSG(orr_grad(orr_sum(y, ORR_ALL_AXES, false), x[k], 4, g[k]) == ORR_OK, "%s",
                          orr_error_message());
            orr_tensor *again = orr_sum(orr_square(orr_cast(g[k][2], ORR_F32)), ORR_ALL_AXES, false);
            ORR_CHECK_MSG(orr_grad(again, x[k], 1, &second[k]) == ORR_OK, "%s", orr_error_message());
        }
        for (int i = 0; i < 4; i++) {
            ORR_CHECK(orr_tensor_dtype(g[0][i]) == (i == 3 ? ORR_F32 : types[t]));
            near_same(g[0][i], orr_cast(g[1][i], orr_tensor_dtype(g[0][i])), 0, "gradient");
        }
        ORR_CHECK(orr_tensor_dtype(second[0]) == types[t]);
        near_same(orr_cast(second[0], ORR_F32), second[1], t ? 0.1 : 0.01, "second derivative");
        (void)orr_scope_end(s);
    }
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *q = orr_ones(ORR_F32, ORR_SHAPE(2, 4, 5, 8)), *k = orr_ones(ORR_F32, ORR_SHAPE(2, 4, 6, 8)),
               *three = orr_ones(ORR_F32, ORR_SHAPE(2, 3, 6, 8)), *thin = orr_ones(ORR_F32, ORR_SHAPE(2, 4, 6, 7));
    near_poison(orr_attention(q, thin, k, NULL, NULL), ORR_ESHAPE, "(2, 4, 5, 8)|(2, 4, 6, 7)|one width");
    near_poison(orr_attention(q, three, three, NULL, NULL), ORR_ESHAPE, "(2, 3, 6, 8)|divide");
    near_poison(orr_attention(q, k, q, NULL, NULL), ORR_ESHAPE, "same heads and length");
    near_poison(orr_attention(q, k, k, orr_ones(ORR_F32, ORR_SHAPE(5, 7)), NULL), ORR_ESHAPE, "(5, 7)|(2, 4, 5, 6)");
    near_poison(orr_attention(q, k, k, orr_ones(ORR_I32, ORR_SHAPE(5, 6)), NULL), ORR_EDTYPE, "mask");
    orr_attention_options o = { .dropout = 1 };
    near_poison(orr_attention(q, k, k, NULL, &o), ORR_EINVAL, "dropout");
    o = (orr_attention_options){ .window = -1 };
    near_poison(orr_attention(q, k, k, NULL, &o), ORR_EINVAL, "window");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(attention_is_pytorchs),
        ORR_TEST(large_attention_agrees_with_a_composition),
        ORR_TEST(dropout_agrees_with_its_differences),
        ORR_TEST(second_derivatives_agree_with_differences),
        ORR_TEST(a_query_that_sees_nothing_is_zero),
        ORR_TEST(halves_are_computed_in_f32),
        ORR_TEST(gradients_of_halves_are_those_of_f32_rounded),
        ORR_TEST(wrong_use_is_refused),
        { 0 },
    };
    return near_main(argc, argv, "nn.attention", tests);
}
