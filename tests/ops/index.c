/* Indexing, joining, softmax and losses, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include "tests/harness/ops_help.h"

static void take_and_scatter_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "take", "scatter_add", "one_hot", "tril", "triu", NULL });
}

static void joins_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "concat", "stack", "pad", NULL });
}

static void softmax_and_losses_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "softmax", "log_softmax", "cross_entropy", "mse", NULL });
}

static void index_out_of_range_is_found_by_evaluation(void)
{
    for (int k = 0; k < 2; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_arange(ORR_F32, 0, 4, 1);
        orr_tensor *i = orr_full(ORR_I64, ORR_SHAPE(2), k ? -5 : 4);
        orr_tensor *t = orr_take(x, i, 0);
        orr_tensor *u = orr_scatter_add(x, i, orr_scalar(1), 0);
        float v[4];
        ORR_CHECK(orr_read(t, v, 2 * sizeof *v) == ORR_EINDEX);
        ORR_CHECK(orr_read(u, v, sizeof v) == ORR_EINDEX);
        ORR_CHECK(orr_read(x, v, sizeof v) == ORR_OK && v[3] == 3);
        (void)orr_scope_end(s);
    }
}

static void huge_unsigned_index_does_not_turn_negative(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 4, 1);
    float v[1];
    uint64_t huge = UINT64_MAX;
    orr_tensor *t = orr_take(x, orr_from(ORR_U64, ORR_SHAPE(1), &huge), 0);
    ORR_CHECK(orr_read(t, v, sizeof v) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "index 9223372036854775807 or more"), "%s", orr_error_message());
    (void)orr_scope_end(s);
}

/* 1000 updates of one element, each too small to change the sum of the others in halves. */
static void halves_lose_none_of_many_updates(void)
{
    enum { N = 1000 };
    static const orr_dtype half[] = { ORR_BF16, ORR_F16 };
    for (int d = 0; d < 2; d++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *i = orr_zeros(ORR_I64, ORR_SHAPE(N)), *x = orr_zeros(half[d], ORR_SHAPE(2)), *g = NULL;
        orr_tensor *y = orr_scatter_add(x, i, orr_full(half[d], ORR_SHAPE(N), 0.25), 0);
        ORR_CHECK(orr_grad(orr_sum(orr_cast(orr_take(x, i, 0), ORR_F32), ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
        float v[2] = { 0 }, w[2] = { 0 };
        ORR_CHECK(orr_tensor_dtype(y) == half[d] && orr_tensor_dtype(g) == half[d]);
        ORR_CHECK(orr_read(orr_cast(y, ORR_F32), v, sizeof v) == ORR_OK && v[0] == 250 && v[1] == 0);
        ORR_CHECK(orr_read(orr_cast(g, ORR_F32), w, sizeof w) == ORR_OK && w[0] == 1000 && w[1] == 0);
        (void)orr_scope_end(s);
    }
}

static void windows_of_a_reshaped_value_overlap(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x =
        orr_matmul(orr_ones(ORR_F32, ORR_SHAPE(2)), orr_reshape(orr_arange(ORR_F32, 0, 6, 1), ORR_SHAPE(2, 3)));
    help_check_values(orr_sliding_window(x, 0, 2, 1), ORR_F32, ORR_SHAPE(2, 2), (double[]){ 3, 5, 5, 7 });
    (void)orr_scope_end(s);
}

/* Windows of up to three axes in sequence, also of the same axis, of views, after takes; compared by element with the definition:
 * element (…, i, …, j) of windows of x is x(…, step·i + j, …). */
typedef struct {
    int rank;
    int64_t dim[ORR_MAX_RANK], value[20000]; /* the flat index into the array of which all are views */
} shown;

static void show_windows(const shown *x, int axis, int64_t length, int64_t step, shown *y)
{
    int64_t index[ORR_MAX_RANK] = { 0 }, n = 1;
    y->rank = x->rank + 1;
    memcpy(y->dim, x->dim, sizeof y->dim);
    y->dim[axis] = (x->dim[axis] - length) / step + 1;
    y->dim[x->rank] = length;
    for (int d = 0; d < y->rank; d++)
        n *= y->dim[d];
    ORR_REQUIRE(n <= 20000);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0, rest = i;
        for (int d = y->rank - 1; d >= 0; d--) {
            index[d] = rest % y->dim[d];
            rest /= y->dim[d];
        }
        for (int d = 0; d < x->rank; d++)
            at = at * x->dim[d] + (d == axis ? step * index[d] + index[x->rank] : index[d]);
        y->value[i] = x->value[at];
    }
}

static void windows_of_windows_are_those_of_the_definition(void)
{
    static shown a, b, next;
    static double want[20000];
    unsigned long long seed = 3;
    for (int k = 0; k < 600; k++) {
        orr_scope *s = orr_scope_begin();
        const int64_t h = 4 + (int64_t)(orr_test_rand(&seed) % 7), w = 4 + (int64_t)(orr_test_rand(&seed) % 7);
        orr_tensor *x = orr_reshape(orr_arange(ORR_F32, 0, (double)(h * w), 1), ORR_SHAPE(h, w));
        shown *now = &a, *other = &b;
        *now = (shown){ .rank = 2, .dim = { h, w } };
        for (int64_t i = 0; i < h * w; i++)
            now->value[i] = i;
        if (k % 3 == 1) { /* an operation below the view */
            x = orr_mul(orr_sub(orr_add(x, orr_scalar(1)), orr_scalar(1)),
                        orr_broadcast_to(orr_ones(ORR_F32, ORR_SHAPE(w)), ORR_SHAPE(h, w)));
        } else if (k % 3 == 2) { /* flipped, from the last row on */
            x = orr_flip(orr_transpose(x), ORR_AXES(1));
            next = (shown){ .rank = 2, .dim = { w, h } };
            for (int64_t i = 0; i < w; i++)
                for (int64_t j = 0; j < h; j++)
                    next.value[i * h + j] = (h - 1 - j) * w + i;
            *now = next;
        }
        for (int sets = 1 + (int)(orr_test_rand(&seed) % 3); sets > 0; sets--) {
            const int axis = (int)(orr_test_rand(&seed) % (unsigned)now->rank);
            const int64_t length =
                1 + (int64_t)(orr_test_rand(&seed) % (uint64_t)(now->dim[axis] < 4 ? now->dim[axis] : 4));
            const int64_t step = 1 + (int64_t)(orr_test_rand(&seed) % 3);
            x = orr_sliding_window(x, axis, length, step);
            show_windows(now, axis, length, step, other);
            shown *turn = now;
            now = other;
            other = turn;
        }
        int64_t n = 1;
        orr_shape shape = { .rank = now->rank };
        for (int d = 0; d < now->rank; d++)
            n *= shape.dim[d] = now->dim[d];
        const int taken = (int)(orr_test_rand(&seed) % (unsigned)now->rank);
        if (k % 2) { /* an axis from its last element on, by index */
            const int64_t length = now->dim[taken];
            x = orr_take(x, orr_sub(orr_scalar((double)(length - 1)), orr_arange(ORR_I64, 0, (double)length, 1)),
                         taken);
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t inner = 1, at = i;
            for (int d = taken + 1; d < now->rank; d++)
                inner *= now->dim[d];
            const int64_t place = i / inner % now->dim[taken];
            if (k % 2)
                at += (now->dim[taken] - 1 - 2 * place) * inner;
            want[i] = (double)now->value[at];
        }
        help_check_values(x, ORR_F32, shape, want);
        (void)orr_scope_end(s);
    }
}

static void take_reads_elements_of_windows(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 7, 1), *at = orr_from(ORR_I64, ORR_SHAPE(2), (int64_t[]){ 2, 0 });
    orr_tensor *y = orr_take(orr_sliding_window(x, 0, 3, 2), at, 1);
    help_check_values(y, ORR_F32, ORR_SHAPE(3, 2), (double[]){ 2, 0, 4, 2, 6, 4 });
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(take_and_scatter_agree_with_numpy),
                                      ORR_TEST(joins_agree_with_numpy),
                                      ORR_TEST(softmax_and_losses_agree_with_numpy),
                                      ORR_TEST(index_out_of_range_is_found_by_evaluation),
                                      ORR_TEST(huge_unsigned_index_does_not_turn_negative),
                                      ORR_TEST(halves_lose_none_of_many_updates),
                                      ORR_TEST(take_reads_elements_of_windows),
                                      ORR_TEST(windows_of_a_reshaped_value_overlap),
                                      ORR_TEST(windows_of_windows_are_those_of_the_definition),
                                      { 0 } };
    return help_main(argc, argv, "ops.index", tests);
}
