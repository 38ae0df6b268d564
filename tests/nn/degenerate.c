/* Networks at the ends of what numbers and shapes can be: NaN, zeros, large vectors, batches of none. The values are
 * PyTorch's (2.x) unless a comment says otherwise.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/ops_help.h"

#define INF ((double)INFINITY)

static orr_tensor *line(const double *v, int64_t n)
{
    return orr_from(ORR_F64, ORR_SHAPE(n), v);
}

/* Counts the NaN in the rows of the last axis; a row has all or none. */
static int64_t nan_rows(orr_tensor *t, int64_t *first)
{
    int64_t n = orr_tensor_size(t), width = orr_tensor_shape(t).dim[3], rows = 0;
    double *v = malloc((size_t)n * sizeof *v);
    *first = -1;
    if (v && orr_read(orr_cast(t, ORR_F64), v, (size_t)n * sizeof *v) == ORR_OK)
        for (int64_t r = 0; r < n / width; r++) {
            int64_t k = 0;
            for (int64_t d = 0; d < width; d++)
                k += isnan(v[r * width + d]) != 0;
            ORR_CHECK_MSG(k == 0 || k == width, "row %lld: %lld of %lld", (long long)r, (long long)k, (long long)width);
            *first = k && *first < 0 ? r : *first;
            rows += k > 0;
        }
    free(v);
    return rows;
}

/* A query that is NaN, and the keys of one head: the rows that depend on them are NaN, as are their gradients; hidden
 * keys stay hidden. */
static void attention_passes_nan_on(void)
{
    enum { HEADS = 3, QUERIES = 70, KEYS = 150, WIDTH = 8 };
    static const orr_dtype each[] = { ORR_F32, ORR_F64, ORR_F16 };
    for (int i = 0; i < 6; i++) {
        orr_dtype t = each[i / 2];
        orr_scope *s = orr_scope_begin();
        orr_seed(3);
        orr_tensor *q = orr_randn(ORR_F32, ORR_SHAPE(1, HEADS, QUERIES, WIDTH), 0, 1);
        orr_tensor *k = orr_randn(ORR_F32, ORR_SHAPE(1, HEADS, KEYS, WIDTH), 0, 1);
        orr_tensor *row = orr_reshape(orr_arange(ORR_I64, 0, HEADS * QUERIES, 1), ORR_SHAPE(1, HEADS, QUERIES, 1));
        orr_tensor *head = orr_reshape(orr_arange(ORR_I64, 0, HEADS, 1), ORR_SHAPE(1, HEADS, 1, 1));
        q = orr_cast(orr_where(orr_equal(row, orr_scalar(5)), orr_scalar(NAN), q), t);
        k = orr_cast(orr_where(orr_equal(head, orr_scalar(2)), orr_scalar(NAN), k), t);
        orr_tensor *v = orr_ones(t, ORR_SHAPE(1, HEADS, KEYS, WIDTH)), *x[3] = { q, k, v }, *g[3];
        orr_attention_options o = { .causal = i % 2 };
        orr_tensor *y = orr_attention(q, k, v, NULL, &o);
        ORR_CHECK(orr_grad(orr_sum(y, ORR_ALL_AXES, false), x, 3, g) == ORR_OK);
        ORR_CHECK_MSG(orr_eval_all((orr_tensor *const[]){ y, g[0], g[1], g[2] }, 4) == ORR_OK, "%s",
                      orr_error_message());
        int64_t first, rows = nan_rows(y, &first);
        ORR_CHECK_MSG(rows == 1 + QUERIES && first == 5, "%s: %lld rows from %lld on", orr_dtype_name(t),
                      (long long)rows, (long long)first);
        ORR_CHECK(nan_rows(g[0], &first) == 1 + QUERIES && first == 5);
        /* The gradients of the keys that the query sees, and of the head's own; of hidden keys 0·NaN may be NaN. */
        int64_t seen = o.causal ? 5 + 1 + KEYS - QUERIES : KEYS;
        rows = nan_rows(g[1], &first);
        ORR_CHECK_MSG(rows >= seen + KEYS && rows <= 2 * KEYS && first == 0, "%lld rows", (long long)rows);
        (void)orr_scope_end(s);
    }
}

static void losses_keep_nan_and_have_limits(void)
{
    static const double logq[4] = { -1, -1, -1, -INF }, t[4] = { NAN, -1, 0, 0 }, logt[4] = { -INF, NAN, 0, -INF };
    orr_scope *s = orr_scope_begin();
    double v[4], g[8];
    orr_tensor *x = line(logq, 4), *y = line(t, 4);
    ORR_CHECK(orr_read(orr_kl_loss(x, y, false, ORR_REDUCTION_NONE), v, sizeof v) == ORR_OK);
    ORR_CHECK(isnan(v[0]) && isnan(v[1]) && v[2] == 0 &&
              v[3] == 0); /* 0·log 0 = 0 also at log q = −inf; PyTorch: NaN */
    y = line(logt, 4);
    orr_tensor *loss = orr_kl_loss(x, y, true, ORR_REDUCTION_NONE), *of[2] = { x, y }, *grad[2];
    ORR_CHECK(orr_grad(orr_sum(loss, ORR_ALL_AXES, false), of, 2, grad) == ORR_OK);
    ORR_CHECK(orr_read(loss, v, sizeof v) == ORR_OK && v[0] == 0 && isnan(v[1]) && v[2] == 1 && v[3] == 0);
    ORR_CHECK(orr_read(grad[0], g, sizeof v) == ORR_OK && orr_read(grad[1], g + 4, sizeof v) == ORR_OK);
    ORR_CHECK(g[0] == 0 && g[2] == -1 && g[3] == 0 && g[4] == 0 && g[6] == 2 && g[7] == 0);
    (void)orr_scope_end(s);
}

static void directions_of_large_and_small_vectors_are_compared(void)
{
    static const double size[] = { 1, 1e30, 1e-30, 1e38 };
    orr_scope *s = orr_scope_begin();
    const double huge[3] = { 1e200, 2e200, 2e200 }, tiny[3] = { 2e-200, 1e-200, 2e-200 };
    double cosine = 0;
    ORR_CHECK(orr_item(orr_cosine_similarity(line(huge, 3), line(tiny, 3), 0, 0), &cosine) == ORR_OK);
    ORR_CHECK_MSG(fabs(cosine - 8. / 9) < 1e-15, "%g", cosine);
    for (int i = 0; i < 16; i++) {
        const double a[4] = { 1, 2, 2, 4 }, b[4] = { 2, 1, 4, 2 }; /* 20 / 25 */
        orr_tensor *x = orr_cast(orr_mul(line(a, 4), orr_scalar(size[i / 4] / 4)), ORR_F32);
        orr_tensor *y = orr_cast(orr_mul(line(b, 4), orr_scalar(size[i % 4] / 4)), ORR_F32);
        double c = 0, loss = 0;
        ORR_CHECK(orr_item(orr_cosine_similarity(x, y, 0, 0), &c) == ORR_OK);
        ORR_CHECK_MSG(fabs(c - 0.8) < 2e-7, "%g and %g: %g", size[i / 4], size[i % 4], c);
        if (size[i / 4] > 1e-3 && size[i % 4] > 1e-3) { /* the loss adds 1e-12 to the squares */
            ORR_CHECK(orr_item(orr_cosine_loss(orr_reshape(x, ORR_SHAPE(1, 4)), orr_reshape(y, ORR_SHAPE(1, 4)),
                                               orr_ones(ORR_F32, ORR_SHAPE(1)), 0, ORR_REDUCTION_MEAN),
                               &loss) == ORR_OK);
            ORR_CHECK_MSG(fabs(loss - 0.2) < 3e-7, "%g and %g: %g", size[i / 4], size[i % 4], loss);
        }
    }
    (void)orr_scope_end(s);
}

static void recurrent_layers_take_batches_of_none(void)
{
    static const orr_cell cells[] = { ORR_CELL_RNN, ORR_CELL_GRU, ORR_CELL_LSTM };
    for (int i = 0; i < 6; i++) {
        orr_recurrent_options o = { .layers = 2, .bidirectional = i % 2 };
        orr_module *m = orr_recurrent(cells[i / 2], 3, 4, &o);
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(0, 5, 3)), *g = NULL, *y = orr_forward(m, x);
        ORR_CHECK_MSG(orr_grad(orr_sum(y, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(orr_eval(y) == ORR_OK && orr_eval(g) == ORR_OK, "%s", orr_error_message());
        orr_shape of = orr_tensor_shape(y);
        ORR_CHECK(of.rank == 3 && of.dim[0] == 0 && of.dim[1] == 5 && of.dim[2] == 4 * (1 + i % 2));
        (void)orr_scope_end(s);
        orr_module_free(m);
    }
}

static void a_first_loss_of_nan_is_no_best(void)
{
    orr_plateau p = { .factor = 0.5, .patience = 1, .threshold = 1e-4 };
    static const double loss[] = { NAN, 3, 2, 1, 1, 1, 1 }, lr[] = { 1, 1, 1, 1, 1, 0.5, 0.5 };
    double now = 1;
    for (int i = 0; i < 7; i++) {
        now = orr_plateau_lr(&p, now, loss[i]);
        ORR_CHECK_MSG(now == lr[i], "step %d: %g", i, now);
    }
    ORR_CHECK(p.best == 1);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(attention_passes_nan_on),
                                      ORR_TEST(losses_keep_nan_and_have_limits),
                                      ORR_TEST(directions_of_large_and_small_vectors_are_compared),
                                      ORR_TEST(recurrent_layers_take_batches_of_none),
                                      ORR_TEST(a_first_loss_of_nan_is_no_best),
                                      { 0 } };
    return help_main(argc, argv, "nn.degenerate", tests);
}
