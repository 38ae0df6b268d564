/* Case network: training steps and inference of whole networks, and their layers, beside the same without the layouts and the
 * library of convolutions, and beside peers.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/memory.h"
#include "bench/side.h"

enum { TRAIN, INFER, FORWARD, GRADIENT, KINDS };
static const char *const kind_name[KINDS] = { "train", "infer", "forward", "gradient" };

/* A network with its batch, or a layer. A network has a module and classes, a layer a function of its inputs. */
typedef struct {
    const char *name;
    orr_module *(*net)(void);
    orr_shape in;            /* of a batch; inference uses one sample of it */
    int64_t classes, tokens; /* tokens: input values are below this number */
    orr_tensor *(*layer)(orr_tensor *const *x);
    int inputs;
    orr_shape more[6]; /* the other inputs' shapes */
    bool asked;        /* measured only on request by name */
} subject;

typedef struct {
    const subject *s;
    int kind;
    orr_module *m;
    orr_optim *opt;
    orr_tensor *x[8], *label;
} job;

/* -- networks --------------------------------------------------------------------------------------------------------- */

static orr_module *conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding)
{
    return orr_conv_layer(in, out, ORR_SHAPE(kernel, kernel),
                          &(orr_conv_options){ .stride = { stride, stride }, .padding = { padding, padding } },
                          ORR_ACTIVATION_LINEAR, ORR_INITIALISER_HE_NORMAL, ORR_INITIALISER_NONE);
}

static orr_module *conv_norm(int64_t in, int64_t out, int64_t kernel, int64_t stride, bool active)
{
    orr_module *m[] = { conv(in, out, kernel, stride, kernel / 2), orr_batch_norm_layer(out, NULL),
                        active ? orr_activation_layer(ORR_ACTIVATION_RELU) : NULL };
    return orr_sequential(m, active ? 3 : 2);
}

static orr_tensor *block_apply(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n, (void)user;
    orr_module *shorter = orr_module_part(m, 2);
    orr_tensor *y = orr_forward(orr_module_part(m, 1), orr_forward(orr_module_part(m, 0), x[0]));
    return orr_relu(orr_add(y, shorter ? orr_forward(shorter, x[0]) : x[0]));
}

static orr_module *block(int64_t in, int64_t out, int64_t stride)
{
    orr_module *m = orr_module_new("block", block_apply, NULL, NULL);
    bool ok = m && orr_module_add_part(m, "0", conv_norm(in, out, 3, stride, true)) &&
              orr_module_add_part(m, "1", conv_norm(out, out, 3, 1, false)) &&
              (in == out || orr_module_add_part(m, "2", conv_norm(in, out, 1, stride, false)));
    return ok ? m : NULL;
}

static orr_module *resnet(bool large)
{
    static const orr_pool_options three = { .window = { 3, 3 }, .stride = { 2, 2 }, .padding = { 1, 1 } },
                                  whole = { .size = { 1, 1 } };
    orr_module *m[13];
    int n = 0;
    m[n++] = conv_norm(3, 64, large ? 7 : 3, large ? 2 : 1, true);
    if (large)
        m[n++] = orr_max_pool_layer(&three);
    for (int64_t k = 0, in = 64; k < 4; k++)
        for (int b = 0; b < 2; b++, in = (int64_t)64 << k)
            m[n++] = block(in, (int64_t)64 << k, k > 0 && b == 0 ? 2 : 1);
    m[n++] = orr_average_pool_layer(&whole);
    m[n++] = orr_flatten_layer();
    m[n++] = orr_dense(512, large ? 1000 : 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    return orr_sequential(m, n);
}

static orr_module *resnet_small(void)
{
    return resnet(false);
}

static orr_module *resnet_large(void)
{
    return resnet(true);
}

static orr_module *lenet(void)
{
    static const orr_pool_options two = { .window = { 2, 2 } };
    orr_conv_options same = { .padding = { 2, 2 } };
    orr_module *m[] = { orr_conv_layer(1, 6, ORR_SHAPE(5, 5), &same, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT,
                                       ORR_INITIALISER_DEFAULT),
                        orr_max_pool_layer(&two),
                        orr_conv_layer(6, 16, ORR_SHAPE(5, 5), NULL, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT,
                                       ORR_INITIALISER_DEFAULT),
                        orr_max_pool_layer(&two),
                        orr_flatten_layer(),
                        orr_dense(400, 120, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                        orr_dense(120, 84, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                        orr_dense(84, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT) };
    return orr_sequential(m, sizeof m / sizeof *m);
}

enum { WIDTH = 128, CONTEXT = 128, CHARACTERS = 128 };

static orr_tensor *gpt_apply(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)n, (void)user;
    orr_parameter p[1];
    (void)orr_module_parameters(m, p, 1);
    orr_tensor *h = orr_add(orr_forward(orr_module_part(m, 0), x[0]), p[0].variable);
    for (int i = 1; i < 4; i++)
        h = orr_forward(orr_module_part(m, i), h);
    return h;
}

static orr_module *gpt(void)
{
    orr_heads_options o = { .causal = true, .norm_first = true, .activation = ORR_ACTIVATION_GELU };
    orr_module *m = orr_module_new("gpt", gpt_apply, NULL, NULL), *b[4];
    for (int i = 0; i < 4; i++)
        b[i] = orr_encoder_block(WIDTH, 4, 4 * WIDTH, &o);
    bool ok = m && orr_module_add_parameter(m, "positions", orr_randn(ORR_F32, ORR_SHAPE(CONTEXT, WIDTH), 0.0, 0.02)) &&
              orr_module_add_part(m, "tokens", orr_embedding_layer(CHARACTERS, WIDTH, -1)) &&
              orr_module_add_part(m, "blocks", orr_sequential(b, 4)) &&
              orr_module_add_part(m, "norm", orr_layer_norm_layer(ORR_SHAPE(WIDTH), NULL)) &&
              orr_module_add_part(m, "head",
                                  orr_dense_with(ORR_F32, WIDTH, CHARACTERS, ORR_ACTIVATION_LINEAR,
                                                 ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE));
    return ok ? m : NULL;
}

static orr_module *bert(void)
{
    return orr_encoder_block(768, 12, 3072, &(orr_heads_options){ .activation = ORR_ACTIVATION_GELU });
}

/* -- layers ----------------------------------------------------------------------------------------------------------- */

static orr_tensor *attention(orr_tensor *const *x)
{
    return orr_attention(x[0], x[1], x[2], NULL, NULL);
}

static orr_tensor *causal_attention(orr_tensor *const *x)
{
    return orr_attention(x[0], x[1], x[2], NULL, &(orr_attention_options){ .causal = true });
}

static orr_tensor *batch_norm(orr_tensor *const *x)
{
    orr_tensor *mean, *variance;
    return orr_batch_norm_training(x[0], x[1], x[2], 1e-5, &mean, &variance);
}

static orr_tensor *group_norm(orr_tensor *const *x)
{
    return orr_group_norm(x[0], 8, x[1], x[2], 1e-5);
}

static orr_tensor *layer_norm(orr_tensor *const *x)
{
    return orr_layer_norm(x[0], 1, x[1], x[2], 1e-5);
}

static orr_tensor *average_pool(orr_tensor *const *x)
{
    return orr_average_pool(x[0], &(orr_pool_options){ .window = { 3, 3 }, .stride = { 2, 2 } });
}

static orr_module *lstm(void)
{
    return orr_recurrent(ORR_CELL_LSTM, 256, 256, NULL);
}

#define HEADS                                                                                                          \
    {                                                                                                                  \
        4,                                                                                                             \
        {                                                                                                              \
            8, 8, 256, 64                                                                                              \
        }                                                                                                              \
    }
#define LONG_HEADS                                                                                                     \
    {                                                                                                                  \
        4,                                                                                                             \
        {                                                                                                              \
            1, 12, 1024, 64                                                                                            \
        }                                                                                                              \
    }
static const subject subjects[] = {
    { .name = "lenet5", .net = lenet, .in = { 4, { 128, 1, 28, 28 } }, .classes = 10 },
    { .name = "resnet18-32", .net = resnet_small, .in = { 4, { 32, 3, 32, 32 } }, .classes = 10 },
    { .name = "resnet18-224", .net = resnet_large, .in = { 4, { 16, 3, 224, 224 } }, .classes = 1000, .asked = true },
    { .name = "tiny-gpt", .net = gpt, .in = { 2, { 8, CONTEXT } }, .classes = CHARACTERS, .tokens = CHARACTERS },
    { .name = "bert-block", .net = bert, .in = { 3, { 8, 128, 768 } } },
    { .name = "lstm", .net = lstm, .in = { 3, { 32, 100, 256 } } },
    { .name = "attention-8x8x256x64", .layer = attention, .inputs = 3, .in = HEADS, .more = { HEADS, HEADS } },
    { .name = "attention-1x12x1024x64-causal",
      .layer = causal_attention,
      .inputs = 3,
      .in = LONG_HEADS,
      .more = { LONG_HEADS, LONG_HEADS } },
    { .name = "batch-norm",
      .layer = batch_norm,
      .inputs = 3,
      .in = { 4, { 32, 64, 56, 56 } },
      .more = { { 1, { 64 } }, { 1, { 64 } } } },
    { .name = "group-norm",
      .layer = group_norm,
      .inputs = 3,
      .in = { 4, { 32, 64, 56, 56 } },
      .more = { { 1, { 64 } }, { 1, { 64 } } } },
    { .name = "layer-norm",
      .layer = layer_norm,
      .inputs = 3,
      .in = { 2, { 4096, 768 } },
      .more = { { 1, { 768 } }, { 1, { 768 } } } },
    { .name = "average-pool", .layer = average_pool, .inputs = 1, .in = { 4, { 32, 64, 56, 56 } } },
};

/* -- one measurement ---------------------------------------------------------------------------------------------------- */

static orr_tensor *random_values(orr_shape s)
{
    return orr_variable(orr_randn(ORR_F32, s, 0, 1));
}

/* An array of numbers below `most`. */
static orr_tensor *numbers(orr_shape s, int64_t most)
{
    int64_t n = 1;
    for (int d = 0; d < s.rank; d++)
        n *= s.dim[d];
    orr_tensor *i =
        orr_remainder(orr_mul(orr_arange(ORR_I64, 0, (double)n, 1), orr_scalar(40503)), orr_scalar((double)most));
    return orr_variable(orr_reshape(orr_cast(i, ORR_I64), s));
}

/* Makes the network and its inputs. */
static int make(job *j)
{
    const subject *s = j->s;
    orr_shape in = s->in;
    orr_seed(1);
    in.dim[0] = j->kind == INFER ? 1 : in.dim[0];
    j->x[0] = s->tokens ? numbers(in, s->tokens) : random_values(in);
    for (int i = 1; i < s->inputs; i++)
        j->x[i] = random_values(s->more[i - 1]);
    j->m = NULL;
    j->opt = NULL;
    if (s->net && !(j->m = s->net()))
        return bench_failed("network");
    if (s->net && j->kind == TRAIN) {
        orr_optim_kind kind = s->tokens ? ORR_OPTIM_ADAMW : ORR_OPTIM_SGD;
        orr_optim_options o = orr_optim_defaults(kind);
        o.lr = 1e-4;
        if (!(j->opt = orr_optim_of_module(kind, j->m, &o)))
            return bench_failed("network");
    }
    if (s->net)
        orr_module_train(j->m, j->kind == TRAIN);
    j->label = s->classes ? numbers(s->tokens ? in : ORR_SHAPE(in.dim[0]), s->classes) : j->x[0];
    for (int i = 0; i < (s->net ? 1 : s->inputs); i++)
        if (orr_eval(j->x[i]) != ORR_OK)
            return bench_failed("network");
    return orr_eval(j->label) == ORR_OK ? 0 : bench_failed("network");
}

static int start(job *j, const char *ablate)
{
    bench_settle();
    if (ablate)
        (void)setenv("ORRERY_ABLATE", ablate, 1);
    else
        (void)unsetenv("ORRERY_ABLATE");
    return orr_init(NULL) == ORR_OK ? make(j) : bench_failed("network");
}

static int with_start(void *user)
{
    return start(user, NULL);
}

static int without_start(void *user)
{
    return start(user, "onednn,layouts,epilogues");
}

static orr_status step(const job *j)
{
    double loss;
    orr_tensor *y = orr_forward(j->m, j->x[0]);
    y = j->s->classes ? orr_cross_entropy(y, j->label) : orr_mean(orr_square(y), ORR_ALL_AXES, false);
    orr_status st = orr_optim_step(j->opt, y);
    return st == ORR_OK ? orr_item(y, &loss) : st;
}

/* The gradients of the sum of squares with respect to all inputs. */
static orr_status gradient(const job *j)
{
    orr_tensor *g[8], *y = orr_sum(orr_square(j->s->layer(j->x)), ORR_ALL_AXES, false);
    orr_status st = orr_grad(y, j->x, j->s->inputs, g);
    return st == ORR_OK ? orr_eval_all(g, j->s->inputs) : st;
}

static int once(void *user)
{
    const job *j = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = j->kind == TRAIN      ? step(j)
                    : j->kind == INFER    ? orr_eval(orr_forward(j->m, j->x[0]))
                    : j->kind == GRADIENT ? gradient(j)
                                          : orr_eval(j->s->layer(j->x));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("network");
}

static void stop(void *user)
{
    job *j = user;
    orr_optim_free(j->opt);
    orr_module_free(j->m);
    (void)orr_shutdown();
    (void)unsetenv("ORRERY_ABLATE");
}

static int one(bench_sink *out, const subject *s, int kind, side_peers *peers)
{
    static const bench_side with = { with_start, once, stop }, without = { without_start, once, stop };
    enum { MOST = 100 };
    static double a[MOST], b[MOST];
    const double seconds = 0.5;
    job j = { .s = s, .kind = kind };
    int rounds = peers->rounds < MOST ? peers->rounds : MOST, rc = 0;
    char name[64];
    (void)snprintf(name, sizeof name, "network:%s/%s", s->name, kind_name[kind]);
    side_prepare(peers, name, 1, 0, -1);
    for (int r = 0; r < rounds && rc == 0; r++) {
        rc = bench_interleave(&with, &without, &j, 1, seconds, &a[r], &b[r]);
        side_round(peers, r, seconds);
    }
    if (rc != 0)
        return rc;
    bench_record record = { .name = "network",
                            .metric = "time",
                            .unit = "ms",
                            .value = 1e3 * bench_typical(a, rounds),
                            .reference = "without oneDNN, layouts, epilogues",
                            .reference_value = 1e3 * bench_typical(b, rounds) };
    (void)snprintf(record.params, sizeof record.params, "\"network\": \"%s\", \"pass\": \"%s\", \"dtype\": \"float32\"",
                   s->name, kind_name[kind]);
    record.ratio = bench_ratio(&record, false);
    side_add(peers, &record, 1e3);
    return bench_add(out, &record);
}

/* Calls `did` for each requested case. Returns the number of cases, −1 if one failed. */
static int each(int (*did)(bench_sink *out, const subject *s, int kind, side_peers *peers), bench_sink *out,
                side_peers *peers)
{
    int n = 0, rc = 0;
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        for (int i = 0; i < 2 && rc == 0; i++) {
            int kind = subjects[k].net ? i : FORWARD + i;
            char name[64];
            (void)snprintf(name, sizeof name, "%s/%s", subjects[k].name, kind_name[kind]);
            if (bench_opt.filter ? strncmp(name, bench_opt.filter, strlen(bench_opt.filter)) == 0
                                 : !subjects[k].asked) {
                n++;
                rc = did(out, &subjects[k], kind, peers);
            }
        }
    if (!n)
        (void)fprintf(stderr, "orrery-bench: network has no case '%s'\n", bench_opt.filter);
    return rc == 0 ? n : -1;
}

int bench_network(bench_sink *out, int rounds)
{
    side_peers peers;
    if (side_start(&peers, NULL, bench_cores(), rounds) != 0)
        return 1;
    bench_await_kernels(true);
    int n = each(one, out, &peers);
    bench_await_kernels(false);
    side_end(&peers);
    return n <= 0;
}

/* -- memory ----------------------------------------------------------------------------------------------------------- */

static int some_calls(void *user)
{
    enum { CALLS = 3 };
    int rc = make(user);
    for (int i = 0; i < CALLS && rc == 0; i++)
        rc = once(user);
    return rc;
}

/* LeNet-5 runs first, so that one-time allocations of libraries are not counted. */
double network_peak(const char *name)
{
    job first = { .s = &subjects[0], .kind = TRAIN }, j = { .s = NULL };
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            char have[64];
            (void)snprintf(have, sizeof have, "%s/%s", subjects[k].name, kind_name[kind]);
            if (!strcmp(have, name))
                j = (job){ .s = &subjects[k], .kind = kind };
        }
    bench_await_kernels(true);
    return j.s && some_calls(&first) == 0 ? memory_of(some_calls, &j) : -1.0;
}

static int one_peak(bench_sink *out, const subject *s, int kind, side_peers *peers)
{
    char name[64];
    bench_record r = { .name = "network-memory", .reference = "inputs" };
    for (int i = 0; i < (s->inputs ? s->inputs : 1); i++) {
        const orr_shape *of = i ? &s->more[i - 1] : &s->in;
        double bytes = s->tokens ? 8 : 4;
        for (int d = kind == INFER; d < of->rank; d++)
            bytes *= (double)of->dim[d];
        r.reference_value += 1e-6 * bytes;
    }
    (void)snprintf(name, sizeof name, "network:%s/%s", s->name, kind_name[kind]);
    (void)snprintf(r.params, sizeof r.params, "\"network\": \"%s\", \"pass\": \"%s\", \"dtype\": \"float32\"", s->name,
                   kind_name[kind]);
    return memory_measure(&r, name, peers->rounds) || bench_add(out, &r);
}

int bench_network_memory(bench_sink *out, int rounds)
{
    side_peers none = { .rounds = rounds < 3 ? rounds : 3 };
    return each(one_peak, out, &none) <= 0;
}
