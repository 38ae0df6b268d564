/* Kernels of networks on OpenCL devices, or on CUDA (ORRERY_BACKEND=cuda): attention and recurrences beside PyTorch's values, and beside processors; also resizing
 * and the loss of sequences without alignments beside processors.
 * Must not know: tiles, how a kernel is launched. */
#include "config.h"
#include "codelets/codelet.h"
#include "ops/nn/recurrence.h"
#include "runtime/fuse/region.h"
#include "tests/harness/define_help.h"
#include "tests/nn/attention_cases.h"
#include "tests/nn/recurrent_cases.h"

enum { MOST = 8 };

/* Checks that devices have a kernel for each call that the values need. */
static void has_kernels(orr_tensor *const *y, int n, const char *what)
{
    orr__node *node[MOST];
    orr__site at = ORR__SITE(NULL, 0, "test");
    orr__capture p;
    orr__regions rs;
    int calls = 0;
    for (int i = 0; i < n; i++)
        node[i] = orr__handle_node(y[i]);
    ORR_REQUIRE(orr__capture_make(at, node, n, &p) == ORR_OK && orr__fuse(at, &p, ORR__FUSE_MAPS, &rs) == ORR_OK);
    for (int j = 0; j < rs.n; j++) {
        calls += rs.region[j].call.op != NULL;
        ORR_CHECK_MSG((dh_is_cuda() ? &orr__cuda : &orr__opencl)->can(&rs.region[j]), "%s: %s", what,
                      rs.region[j].label);
    }
    ORR_CHECK_MSG(calls > 0, "%s: no kernel of its own", what);
    orr__regions_free(&rs);
    orr__capture_free(&p);
}

static void attention_is_pytorchs(void)
{
    if (!DH_START_DEVICE())
        return;
    attention_every_option(ORR_F32, 2);
    if (orr_test_full())
        attention_every_option(ORR_F64, 1);
    ORR_CHECK(DH_DEVICE_WORKED());
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void recurrent_layers_are_pytorchs(void)
{
    if (!DH_START_DEVICE())
        return;
    recurrent_every_layer(false);
    ORR_CHECK(DH_DEVICE_WORKED());
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A case: values and gradients, all of which are computed. */
typedef int device_case(orr_tensor **y);

static int attends(orr_tensor **y, const int64_t size[6], orr_shape mask, const orr_attention_options *o)
{
    int64_t batch = size[0], heads = size[1], kv = size[2], queries = size[3], keys = size[4], width = size[5];
    orr_tensor *x[4] = { orr_randn(ORR_F32, ORR_SHAPE(batch, heads, queries, width), 0, 1),
                         orr_randn(ORR_F32, ORR_SHAPE(batch, kv, keys, width), 0, 1),
                         orr_randn(ORR_F32, ORR_SHAPE(batch, kv, keys, width + 5), 0, 1),
                         mask.rank ? orr_randn(ORR_F32, mask, 0, 1) : NULL };
    if (orr_eval_all(x, mask.rank ? 4 : 3) != ORR_OK)
        return 0;
    y[0] = orr_attention(x[0], x[1], x[2], x[3], o);
    return orr_grad(orr_sum(orr_mul(y[0], orr_sin(y[0])), ORR_ALL_AXES, false), x, 3, y + 1) == ORR_OK ? 4 : 0;
}

static int tiles(orr_tensor **y)
{
    return attends(y, (int64_t[]){ 2, 3, 3, 75, 133, 21 }, (orr_shape){ 0 }, NULL);
}
static int causal_groups(orr_tensor **y)
{
    orr_attention_options o = { .causal = true };
    return attends(y, (int64_t[]){ 2, 6, 2, 70, 90, 16 }, (orr_shape){ 0 }, &o);
}
static int first_queries_see_nothing(orr_tensor **y)
{
    orr_attention_options o = { .causal = true };
    return attends(y, (int64_t[]){ 1, 2, 1, 90, 40, 8 }, (orr_shape){ 0 }, &o);
}
static int window_and_mask(orr_tensor **y)
{
    orr_attention_options o = { .window = 9, .scale = 0.3 };
    return attends(y, (int64_t[]){ 2, 4, 2, 65, 100, 12 }, ORR_SHAPE(2, 1, 65, 100), &o);
}
static int dropped(orr_tensor **y)
{
    orr_attention_options o = { .causal = true, .window = 50, .dropout = 0.3 };
    return attends(y, (int64_t[]){ 1, 4, 2, 140, 140, 33 }, ORR_SHAPE(140, 1), &o);
}
static int narrow(orr_tensor **y)
{
    return attends(y, (int64_t[]){ 3, 1, 1, 1, 200, 1 }, (orr_shape){ 0 }, NULL);
}

static int resized(orr_tensor **y, orr_resize_mode mode, bool corners, orr_shape to)
{
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(2, 3, 13, 10), 0, 1);
    if (orr_eval(x) != ORR_OK)
        return 0;
    y[0] = orr_resize(x, to, mode, corners);
    return orr_grad(orr_sum(orr_mul(y[0], orr_sin(y[0])), ORR_ALL_AXES, false), &x, 1, y + 1) == ORR_OK ? 2 : 0;
}

#define RESIZED(name, mode, corners, a, b)                                                                             \
    static int name(orr_tensor **y)                                                                                    \
    {                                                                                                                  \
        return resized(y, mode, corners, ORR_SHAPE(a, b));                                                             \
    }
RESIZED(nearest, ORR_RESIZE_NEAREST, false, 31, 4)
RESIZED(centre, ORR_RESIZE_NEAREST_CENTRE, false, 3, 37)
RESIZED(linear, ORR_RESIZE_LINEAR, false, 40, 3)
RESIZED(linear_corners, ORR_RESIZE_LINEAR, true, 5, 33)
RESIZED(cubic, ORR_RESIZE_CUBIC, false, 29, 6)
RESIZED(cubic_corners, ORR_RESIZE_CUBIC, true, 1, 50)
RESIZED(area, ORR_RESIZE_AREA, false, 5, 21)

/* Sequences of 12 classes: full time and labels, fewer, repeated labels, none, more than fit, no time at all. */
static int sequences(orr_tensor **y, orr_dtype dtype, int64_t time, int64_t longest)
{
    enum { BATCH = 6, CLASSES = 12, BLANK = 3 };
    const int64_t in[BATCH] = { time, time - 7, time / 2, time, longest / 2, 0 },
                  out[BATCH] = { longest, longest / 2, longest / 3, 0, longest, 0 };
    orr_tensor *x = orr_randn(dtype, ORR_SHAPE(time, BATCH, CLASSES), 0, 3),
               *place = orr_reshape(orr_arange(ORR_I64, 0, (double)(BATCH * longest), 1), ORR_SHAPE(BATCH, longest)),
               *label = orr_add(orr_remainder(orr_floor_divide(place, orr_scalar(2)), orr_scalar(8)), orr_scalar(4));
    if (orr_eval(x) != ORR_OK)
        return 0;
    y[0] = orr_ctc_loss(orr_log_softmax(x, -1), label, orr_from(ORR_I64, ORR_SHAPE(BATCH), in),
                        orr_from(ORR_I64, ORR_SHAPE(BATCH), out), BLANK, true, ORR_REDUCTION_NONE);
    orr_tensor *each = orr_mul(y[0], orr_arange(dtype, 1, BATCH + 1, 1));
    return orr_grad(orr_sum(each, ORR_ALL_AXES, false), &x, 1, y + 1) == ORR_OK ? 2 : 0;
}

static int few_labels(orr_tensor **y)
{
    return sequences(y, ORR_F32, 40, 9);
}
static int more_states_than_items(orr_tensor **y)
{
    return sequences(y, ORR_F32, 400, 150);
}
static int in_double(orr_tensor **y)
{
    return sequences(y, ORR_F64, 33, 12);
}

/* More sequences and units than in a tile; without lengths, the gates are computed again for the gradient. */
static int recurs(orr_tensor **y, orr_dtype dtype, orr_cell cell, bool lengths, bool reverse)
{
    enum { BATCH = 19, STEPS = 7, HIDDEN = 43 };
    bool lstm = cell == ORR_CELL_LSTM, gru = cell == ORR_CELL_GRU;
    int64_t wide = (lstm ? 4 : gru ? 3 : 1) * HIDDEN;
    orr_tensor *last[2], *all,
        *x[5] = { orr_randn(dtype, ORR_SHAPE(BATCH, STEPS, wide), 0, 1),
                  orr_randn(dtype, ORR_SHAPE(HIDDEN, wide), 0, 0.15), orr_randn(dtype, ORR_SHAPE(BATCH, HIDDEN), 0, 1),
                  lstm  ? orr_randn(dtype, ORR_SHAPE(BATCH, HIDDEN), 0, 1)
                  : gru ? orr_randn(dtype, ORR_SHAPE(wide), 0, 1)
                        : NULL };
    int n = lstm || gru ? 4 : 3;
    if (orr_eval_all(x, n) != ORR_OK)
        return 0;
    orr_tensor *some = orr_remainder(orr_arange(ORR_I64, 0, BATCH, 1), orr_scalar(STEPS + 1));
    orr__recurs r = { cell, reverse, lengths, x[0], x[1], x[2], lstm ? x[3] : NULL, gru ? x[3] : NULL, NULL };
    r.lengths = lengths ? some : NULL;
    y[0] = all = orr__recurrence(ORR__SITE(NULL, 0, "recurrence"), &r, last);
    y[1] = last[lstm];
    all = orr_add(orr_sum(orr_mul(all, orr_sin(all)), ORR_ALL_AXES, false),
                  orr_sum(orr_square(last[lstm]), ORR_ALL_AXES, false));
    return orr_grad(all, x, n, y + 2) == ORR_OK ? 2 + n : 0;
}

#define RECURS(name, dtype, cell, lengths, reverse)                                                                    \
    static int name(orr_tensor **y)                                                                                    \
    {                                                                                                                  \
        return recurs(y, dtype, cell, lengths, reverse);                                                               \
    }
RECURS(rnn, ORR_F32, ORR_CELL_RNN, false, false)
RECURS(rnn_lengths, ORR_F64, ORR_CELL_RNN, true, true)
RECURS(rnn_relu, ORR_F64, ORR_CELL_RNN_RELU, true, false)
RECURS(lstm, ORR_F32, ORR_CELL_LSTM, false, true)
RECURS(lstm_lengths, ORR_F32, ORR_CELL_LSTM, true, true)
RECURS(lstm_double, ORR_F64, ORR_CELL_LSTM, true, false)
RECURS(gru, ORR_F32, ORR_CELL_GRU, false, false)
RECURS(gru_lengths, ORR_F64, ORR_CELL_GRU, true, true)

/* Computes the values by the present engine; the caller frees them. */
static int values_of(device_case *make, const char *what, bool device, double **v, int64_t *count)
{
    orr_tensor *y[MOST];
    orr_scope *s = orr_scope_begin();
    orr_seed(11);
    int n = make(y);
    ORR_CHECK_MSG(n > 0, "%s: %s", what, orr_error_message());
    if (device && n > 0)
        has_kernels(y, n, what);
    for (int i = 0; i < n; i++)
        v[i] = near_values(y[i], &count[i]);
    (void)orr_scope_end(s);
    return n;
}

static void kernels_agree_with_processors(void)
{
    static const struct {
        const char *name;
        device_case *make;
    } all[] = { { "tiles", tiles },
                { "groups", causal_groups },
                { "nothing seen", first_queries_see_nothing },
                { "window and mask", window_and_mask },
                { "dropout", dropped },
                { "one query, one column", narrow },
                { "nearest", nearest },
                { "nearest centre", centre },
                { "linear", linear },
                { "linear, corners", linear_corners },
                { "cubic", cubic },
                { "cubic, corners", cubic_corners },
                { "area", area },
                { "few labels", few_labels },
                { "more states than items", more_states_than_items },
                { "sequences in f64", in_double },
                { "RNN", rnn },
                { "RNN, lengths", rnn_lengths },
                { "RNN of relu", rnn_relu },
                { "LSTM", lstm },
                { "LSTM, lengths", lstm_lengths },
                { "LSTM in f64", lstm_double },
                { "GRU", gru },
                { "GRU, lengths", gru_lengths } };
    enum { CASES = sizeof all / sizeof *all };
    static double *v[2][CASES][MOST];
    static int64_t count[CASES][MOST];
    int n[CASES];
    bool drawn[CASES];
    for (int c = 0; c < CASES; c++)
        drawn[c] = orr_test_drawn();
    for (int device = 1; device >= 0; device--) {
        if (!(device ? DH_START_DEVICE() : DH_START(DH_SERIAL)))
            return;
        for (int c = 0; c < CASES; c++)
            n[c] = drawn[c] ? values_of(all[c].make, all[c].name, device, v[device][c], count[c]) : 0;
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    for (int c = 0; c < CASES; c++)
        for (int i = 0; i < n[c]; i++) {
            double worst = 0, *a = v[0][c][i], *b = v[1][c][i];
            for (int64_t e = 0; a && b && e < count[c][i]; e++) {
                double off = a[e] == b[e] ? 0 : fabs(a[e] - b[e]) / (1 + fabs(a[e]));
                worst = off <= worst ? worst : off;
            }
            ORR_CHECK_MSG(worst < 1e-5, "%s, value %d: off by %g", all[c].name, i, worst);
            free(a);
            free(b);
        }
}

static void refused(const int64_t *label, const int64_t *in, const int64_t *out, const char *words)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(5, 2, 3));
    orr_tensor *y = orr_ctc_loss(x, orr_from(ORR_I64, ORR_SHAPE(2, 2), label), orr_from(ORR_I64, ORR_SHAPE(2), in),
                                 orr_from(ORR_I64, ORR_SHAPE(2), out), 0, false, ORR_REDUCTION_SUM);
    ORR_CHECK(orr_eval(y) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), words), "%s", orr_error_message());
    (void)orr_scope_end(s);
}

static void wrong_sequences_are_refused(void)
{
    if (!DH_START_DEVICE())
        return;
    const int64_t good[] = { 1, 2, 1, 1 }, blank[] = { 1, 2, 1, 0 }, far[] = { 1, 7, 1, 1 }, five[] = { 5, 5 },
                  two[] = { 2, 2 }, six[] = { 5, 6 }, less[] = { -1, 2 };
    refused(good, six, two, "input length of sequence 1 is not in 0 … 5");
    refused(good, five, less, "target length of sequence 0 is not in 0 … 2");
    refused(blank, five, two, "label 1 of sequence 1 is no class of 3, or the blank 0");
    refused(far, five, two, "label 1 of sequence 0");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(attention_is_pytorchs),
                                      ORR_TEST(recurrent_layers_are_pytorchs),
                                      ORR_TEST(kernels_agree_with_processors),
                                      ORR_TEST(wrong_sequences_are_refused),
                                      { 0 } };
    orr_test_draw_one_in(2);
    return orr_test_main(argc, argv, "nn.devices", tests);
}
