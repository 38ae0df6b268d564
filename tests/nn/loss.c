/* Losses beside PyTorch's values and gradients (tests/golden/torch/make_loss.py), and their refusals.
 * Must not know: how a loss is composed. */
#include "config.h"
#include "tests/nn/near.h"

static const char file[] = "torch/loss.npz";

static orr_tensor *input(const char *name, const char *which, orr_dtype dtype)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s.%s", name, which);
    orr_tensor *t = near_load(file, text);
    return orr_tensor_dtype(t) == ORR_F64 ? orr_cast(t, dtype) : t;
}

/* Compares the value and the gradients by the n tensors x with the golden arrays named in `which`. */
static void compare(const char *name, orr_tensor *loss, orr_tensor *const *x, const char *const *which, int n)
{
    char text[96];
    double bound = orr_tensor_dtype(loss) == ORR_F64 ? 1e-12 : 2e-5;
    orr_tensor *g[4];
    ORR_CHECK_MSG(orr_grad(loss, x, n, g) == ORR_OK, "%s: %s", name, orr_error_message());
    (void)snprintf(text, sizeof text, "%s.loss", name);
    near_golden(loss, file, text, bound);
    for (int i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%s.d%s", name, which[i]);
        near_golden(g[i], file, text, bound);
    }
}

static const char *const xy[] = { "x", "y", "w", "p" };
static const struct {
    const char *name;
    orr_reduction how;
} reductions[] = { { "mean", ORR_REDUCTION_MEAN }, { "sum", ORR_REDUCTION_SUM }, { "none", ORR_REDUCTION_NONE } };

static void losses_over_classes_are_pytorchs(void)
{
    static const char *const names[] = { "x", "weight", "label" };
    for (int k = 0; k < 6; k++) {
        orr_scope *s = orr_scope_begin();
        orr_dtype dtype = k % 2 ? ORR_F32 : ORR_F64;
        orr_reduction how = reductions[k / 2].how;
        char name[32];
        (void)snprintf(name, sizeof name, "ce_%s", reductions[k / 2].name);
        orr_tensor *in[3];
        for (int i = 0; i < 3; i++)
            in[i] = input(name, names[i], dtype);
        orr_class_options o = {
            .weight = in[1], .label_smoothing = 0.1, .ignores = true, .ignored = 2, .reduction = how
        };
        compare(name, orr_cross_entropy_with(in[0], in[2], &o), in, names, 1);
        (void)snprintf(name, sizeof name, "nll_%s", reductions[k / 2].name);
        for (int i = 0; i < 3; i++)
            in[i] = input(name, names[i], dtype);
        o = (orr_class_options){ .weight = in[1], .ignores = true, .ignored = 6, .reduction = how };
        compare(name, orr_nll_loss(in[0], in[2], &o), in, names, 1);
        (void)snprintf(name, sizeof name, "soft_%s", reductions[k / 2].name);
        for (int i = 0; i < 3; i++)
            in[i] = input(name, names[i], dtype);
        o = (orr_class_options){ .weight = in[1], .label_smoothing = 0.2, .reduction = how };
        compare(name, orr_cross_entropy_with(in[0], in[2], &o), &in[2], &names[2], 1);
        (void)orr_scope_end(s);
    }
}

static void cross_entropy_ignores_and_smooths(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = input("ce_ignored", "x", ORR_F64), *label = input("ce_ignored", "label", ORR_F64);
    orr_class_options o = { .ignores = true, .ignored = 2 };
    compare("ce_ignored", orr_cross_entropy_with(x, label, &o), &x, xy, 1);
    o = (orr_class_options){ .label_smoothing = 0.3 };
    compare("ce_smooth", orr_cross_entropy_with(x, label, &o), &x, xy, 1);
    near_same(orr_cross_entropy_with(x, label, NULL), orr_cross_entropy(x, label), 0, "the short form");
    /* −100, PyTorch's default, is no class */
    static const int64_t some[5] = { -100, 1, -100, 3, 9 };
    o = (orr_class_options){ .ignores = true, .ignored = -100, .reduction = ORR_REDUCTION_NONE };
    double each[5];
    ORR_CHECK(orr_read(orr_cross_entropy_with(x, orr_from(ORR_I64, ORR_SHAPE(5), some), &o), each, sizeof each) ==
              ORR_OK);
    ORR_CHECK(each[0] == 0 && each[2] == 0 && each[1] > 0 && isnan(each[4]));
    (void)orr_scope_end(s);
}

static void losses_of_pairs_are_pytorchs(void)
{
    for (int k = 0; k < 2; k++) {
        orr_dtype dtype = k ? ORR_F32 : ORR_F64;
        orr_scope *s = orr_scope_begin();
        orr_tensor *in[4];
#define PAIR(name, loss)                                                                                               \
    in[0] = input(name, "x", dtype), in[1] = input(name, "y", dtype);                                                  \
    compare(name, loss, in, xy, 2)
        PAIR("mse", orr_mse_loss(in[0], in[1], ORR_REDUCTION_SUM));
        PAIR("l1", orr_l1_loss(in[0], in[1], ORR_REDUCTION_MEAN));
        PAIR("huber", orr_huber_loss(in[0], in[1], 0.7, ORR_REDUCTION_NONE));
        PAIR("kl", orr_kl_loss(in[0], in[1], false, ORR_REDUCTION_BATCH_MEAN));
        PAIR("kl_log", orr_kl_loss(in[0], in[1], true, ORR_REDUCTION_SUM));
        PAIR("bce_plain", orr_binary_cross_entropy_with_logits(in[0], in[1], NULL, NULL, ORR_REDUCTION_SUM));
        PAIR("similarity", orr_cosine_similarity(in[0], in[1], 1, 1e-8));
        static const int64_t alike[6] = { 1, -1, 1, -1, -1, 1 };
        PAIR("cosine", orr_cosine_loss(in[0], in[1], orr_from(ORR_I64, ORR_SHAPE(6), alike), -0.1, ORR_REDUCTION_MEAN));
        in[0] = input("hinge_embedding", "x", dtype), in[1] = input("hinge_embedding", "y", dtype);
        compare("hinge_embedding", orr_hinge_embedding_loss(in[0], in[1], 0.8, ORR_REDUCTION_MEAN), in, xy, 1);
        for (int i = 0; i < 4; i++)
            in[i] = input("bce", xy[i], dtype);
        compare("bce", orr_binary_cross_entropy_with_logits(in[0], in[1], in[2], in[3], ORR_REDUCTION_MEAN), in, xy, 2);
        (void)orr_scope_end(s);
    }
}

static void hinge_is_its_formula(void)
{
    static const double x[4] = { 0.5, -2.0, 3.0, 0.25 }, y[4] = { 1, 1, -1, -1 }, want[4] = { 0.5, 3, 4, 1.25 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(4), x), *b = orr_from(ORR_F64, ORR_SHAPE(4), y);
    near_same(orr_hinge_loss(a, b, 1.0, ORR_REDUCTION_NONE), orr_from(ORR_F64, ORR_SHAPE(4), want), 0, "hinge");
    (void)orr_scope_end(s);
}

static void kl_of_a_zero_target_is_finite(void)
{
    static const double q[2] = { -INFINITY, -1 }, t[2] = { 0, 0.5 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[2] = { orr_from(ORR_F64, ORR_SHAPE(2), q), orr_from(ORR_F64, ORR_SHAPE(2), t) }, *g[2];
    orr_tensor *loss = orr_kl_loss(x[0], x[1], false, ORR_REDUCTION_SUM);
    double v = 0, d[2];
    ORR_CHECK(orr_grad(loss, x, 2, g) == ORR_OK && orr_item(loss, &v) == ORR_OK);
    ORR_CHECK_MSG(fabs(v - 0.5 * (log(0.5) + 1)) < 1e-15, "%g", v);
    ORR_CHECK(orr_read(g[0], d, sizeof d) == ORR_OK && d[0] == 0 && d[1] == -0.5);
    (void)orr_scope_end(s);
}

static orr_tensor *weighted(orr_tensor *const *x, void *user)
{
    (void)user;
    static const int64_t label[3] = { 1, 0, 2 };
    orr_class_options o = { .weight = x[1], .label_smoothing = 0.2 };
    return orr_cross_entropy_with(x[0], orr_from(ORR_I64, ORR_SHAPE(3), label), &o);
}

static orr_tensor *factors(orr_tensor *const *x, void *user)
{
    (void)user;
    return orr_binary_cross_entropy_with_logits(x[0], orr_scalar(0.3), x[1], x[2], ORR_REDUCTION_SUM);
}

static void gradients_by_weights_agree_with_differences(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_sin(orr_reshape(orr_arange(ORR_F64, 0, 9, 1), ORR_SHAPE(3, 3)));
    orr_tensor *w = orr_linspace(ORR_F64, 0.5, 1.5, 3);
    near_differences(weighted, (orr_tensor *[]){ x, w }, 2, NULL, 1e-7, "cross_entropy");
    near_differences(factors, (orr_tensor *[]){ x, w, orr_linspace(ORR_F64, 2, 0.25, 3) }, 3, NULL, 1e-7,
                     "binary_cross_entropy_with_logits");
    (void)orr_scope_end(s);
}

static orr_tensor *ctc(const char *name, orr_tensor *x, bool zero, orr_reduction how)
{
    return orr_ctc_loss(orr_log_softmax(x, -1), input(name, "target", ORR_I64), input(name, "il", ORR_I64),
                        input(name, "tl", ORR_I64), 0, zero, how);
}

static void ctc_is_pytorchs(void)
{
    for (int k = 0; k < 6; k++) {
        orr_scope *s = orr_scope_begin();
        char name[32];
        (void)snprintf(name, sizeof name, "ctc_%s", reductions[k / 2].name);
        orr_tensor *x = input(name, "x", k % 2 ? ORR_F32 : ORR_F64);
        compare(name, ctc(name, x, true, reductions[k / 2].how), &x, xy, 1);
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    double each[4];
    orr_tensor *x = input("ctc_none", "x", ORR_F64);
    ORR_CHECK(orr_read(ctc("ctc_none", x, false, ORR_REDUCTION_NONE), each, sizeof each) == ORR_OK);
    ORR_CHECK_MSG(isinf(each[3]) && each[3] > 0 && isfinite(each[0]), "%g %g", each[3], each[0]);
    (void)orr_scope_end(s);
}

static orr_tensor *ctc_of(orr_tensor *const *x, void *user)
{
    (void)user;
    static const int64_t target[4] = { 1, 2, 2, 0 }, in[2] = { 5, 4 }, out[2] = { 2, 1 };
    return orr_ctc_loss(x[0], orr_from(ORR_I64, ORR_SHAPE(2, 2), target), orr_from(ORR_I64, ORR_SHAPE(2), in),
                        orr_from(ORR_I64, ORR_SHAPE(2), out), 0, false, ORR_REDUCTION_MEAN);
}

static void ctc_gradient_agrees_with_differences(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_log_softmax(orr_sin(orr_reshape(orr_arange(ORR_F64, 0, 30, 1), ORR_SHAPE(5, 2, 3))), -1);
    near_differences(ctc_of, &x, 1, NULL, 1e-7, "ctc");
    (void)orr_scope_end(s);
}

static void ctc_of_a_nan_is_nan(void)
{
    orr_scope *s = orr_scope_begin();
    for (int time = 0; time < 5; time++) {
        double each[2];
        orr_tensor *at = orr_equal(orr_arange(ORR_I64, 0, 30, 1), orr_scalar(6 * time)),
                   *x = orr_where(at, orr_scalar(NAN), orr_full(ORR_F64, ORR_SHAPE(30), -1));
        x = orr_reshape(x, ORR_SHAPE(5, 2, 3));
        static const int64_t target[4] = { 1, 2, 2, 1 }, in[2] = { 5, 5 }, out[2] = { 2, 2 };
        orr_tensor *y = orr_ctc_loss(x, orr_from(ORR_I64, ORR_SHAPE(2, 2), target), orr_from(ORR_I64, ORR_SHAPE(2), in),
                                     orr_from(ORR_I64, ORR_SHAPE(2), out), 0, false, ORR_REDUCTION_NONE);
        ORR_CHECK(orr_read(y, each, sizeof each) == ORR_OK);
        ORR_CHECK_MSG(isnan(each[0]) && isfinite(each[1]), "NaN at time %d: %g, %g", time, each[0], each[1]);
    }
    (void)orr_scope_end(s);
}

static void wrong_use_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(4, 3)), *y = orr_ones(ORR_F32, ORR_SHAPE(4, 1));
    orr_tensor *label = orr_zeros(ORR_I64, ORR_SHAPE(4)), *three = orr_zeros(ORR_I64, ORR_SHAPE(3));
    near_poison(orr_l1_loss(x, y, ORR_REDUCTION_MEAN), ORR_ESHAPE, "l1_loss|(4, 3)|(4, 1)");
    near_poison(orr_l1_loss(x, x, (orr_reduction)9), ORR_EINVAL, "reduction");
    near_poison(orr_hinge_loss(x, x, (double)NAN, ORR_REDUCTION_MEAN), ORR_EINVAL, "margin");
    near_poison(orr_hinge_embedding_loss(x, x, (double)NAN, ORR_REDUCTION_MEAN), ORR_EINVAL, "margin");
    near_poison(orr_cosine_loss(x, x, label, (double)NAN, ORR_REDUCTION_MEAN), ORR_EINVAL, "margin");
    near_poison(orr_local_response_norm(orr_ones(ORR_F32, ORR_SHAPE(1, 4, 3)), 3, (double)NAN, 0.75, 1), ORR_EINVAL,
                "alpha nan");
    near_poison(orr_huber_loss(x, x, 0.0, ORR_REDUCTION_MEAN), ORR_EINVAL, "delta");
    near_poison(orr_mse_loss(label, label, ORR_REDUCTION_MEAN), ORR_EDTYPE, "orr_cast");
    near_poison(orr_nll_loss(x, three, NULL), ORR_ESHAPE, "(4, 3)|(3,)");
    near_poison(orr_nll_loss(x, x, NULL), ORR_EDTYPE, "labels");
    near_poison(orr_cross_entropy(x, three), ORR_ESHAPE, "labels of shape (4,), not (3,)");
    near_poison(orr_cross_entropy(x, x), ORR_EDTYPE, "(4, 3)|(4,)|orr_cross_entropy_with");
    near_poison(orr_cross_entropy(x, orr_ones(ORR_F32, ORR_SHAPE(4))), ORR_EDTYPE, "orr_cast(labels, ORR_I64)");
    near_poison(orr_cross_entropy(orr_ones(ORR_F32, ORR_SHAPE(2, 5, 4, 3)), orr_ones(ORR_I64, ORR_SHAPE(2, 4, 3))),
                ORR_ESHAPE, "labels of shape (2, 5, 4), not (2, 4, 3)|classes are the last axis|orr_permute");
    near_poison(orr_cosine_similarity(x, x, -3, 0), ORR_EAXIS, "cosine_similarity: axis -3|(4, 3)");
    orr_class_options o = { .weight = y };
    near_poison(orr_cross_entropy_with(x, label, &o), ORR_ESHAPE, "(4, 1)|3 classes");
    o = (orr_class_options){ .label_smoothing = 1.5 };
    near_poison(orr_cross_entropy_with(x, label, &o), ORR_EINVAL, "label_smoothing");
    o = (orr_class_options){ .ignores = true };
    near_poison(orr_cross_entropy_with(x, x, &o), ORR_EINVAL, "ignore");
    near_poison(orr_cross_entropy_with(x, y, NULL), ORR_ESHAPE, "probabilities|(4, 1)");
    near_poison(orr_binary_cross_entropy_with_logits(x, x, orr_ones(ORR_F32, ORR_SHAPE(2)), NULL, ORR_REDUCTION_SUM),
                ORR_ESHAPE, "weight|(2,)|(4, 3)");
    near_poison(orr_cosine_loss(x, x, three, 0, ORR_REDUCTION_MEAN), ORR_ESHAPE, "(4, 3)|(3,)");
    orr_tensor *p = orr_zeros(ORR_F32, ORR_SHAPE(5, 2, 3)), *t = orr_ones(ORR_I64, ORR_SHAPE(2, 2)),
               *n = orr_full(ORR_I64, ORR_SHAPE(2), 2), *far = orr_full(ORR_I64, ORR_SHAPE(2), 6);
    near_poison(orr_ctc_loss(x, t, n, n, 0, false, ORR_REDUCTION_SUM), ORR_ESHAPE, "(4, 3)|(time, batch, classes)");
    near_poison(orr_ctc_loss(p, t, n, n, 3, false, ORR_REDUCTION_SUM), ORR_EINVAL, "blank 3");
    near_poison(orr_ctc_loss(p, t, three, n, 0, false, ORR_REDUCTION_SUM), ORR_ESHAPE,
                "input_lengths|(3,)|2 sequences");
    near_poison(orr_ctc_loss(p, p, n, n, 0, false, ORR_REDUCTION_SUM), ORR_EDTYPE, "targets");
    ORR_CHECK(orr_eval(orr_ctc_loss(p, t, far, n, 0, false, ORR_REDUCTION_SUM)) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "input length 6") || /* the value is on the device, if that computes */
                      strstr(orr_error_message(), "input length of sequence 0"),
                  "%s", orr_error_message());
    ORR_CHECK(orr_eval(orr_ctc_loss(p, t, n, n, 1, false, ORR_REDUCTION_SUM)) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "blank 1"), "%s", orr_error_message());
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(losses_over_classes_are_pytorchs),
        ORR_TEST(cross_entropy_ignores_and_smooths),
        ORR_TEST(losses_of_pairs_are_pytorchs),
        ORR_TEST(hinge_is_its_formula),
        ORR_TEST(kl_of_a_zero_target_is_finite),
        ORR_TEST(gradients_by_weights_agree_with_differences),
        ORR_TEST(ctc_is_pytorchs),
        ORR_TEST(ctc_gradient_agrees_with_differences),
        ORR_TEST(ctc_of_a_nan_is_nan),
        ORR_TEST(wrong_use_is_refused),
        { 0 },
    };
    return near_main(argc, argv, "nn.loss", tests);
}
