/* Case conv: convolutions and pooling in f32, forward and backward, beside the same without oneDNN, oneDNN's own primitives, and peers.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/side.h"

/* CHAIN: LINKS forward passes in a row; the time of one. */
enum { FORWARD, DATA, WEIGHTS, CHAIN, PASSES, LINKS = 8 };

/* Images (n, c, side, side) and a square kernel, or a pooling window if there are no output channels. */
typedef struct {
    const char *name;
    peer_conv_shape of;
} shape;

typedef struct {
    const shape *s;
    int pass;
    orr_tensor *x, *w, *g;
} job;

static orr_tensor *convolution(const peer_conv_shape *s, orr_tensor *x, orr_tensor *w)
{
    return orr_conv(x, w, NULL,
                    &(orr_conv_options){ .stride = { s->stride, s->stride },
                                         .padding = { s->padding, s->padding },
                                         .dilation = { s->dilation, s->dilation },
                                         .groups = s->groups });
}

static orr_tensor *result(const job *j, bool back)
{
    const peer_conv_shape *s = &j->s->of;
    orr_tensor *in[2] = { j->x, j->w }, *d[2], *y;
    if (s->o == 0)
        y = orr_max_pool(j->x,
                         &(orr_pool_options){ .window = { s->kernel, s->kernel }, .stride = { s->stride, s->stride } });
    else
        y = convolution(s, j->x, j->w);
    for (int k = 1; back && j->pass == CHAIN && k < LINKS; k++)
        y = convolution(s, y, j->w);
    if (!back || j->pass == FORWARD || j->pass == CHAIN)
        return y;
    if (orr_vjp(y, j->g, in, s->o ? 2 : 1, d) != ORR_OK)
        return NULL;
    return d[j->pass - DATA];
}

static int start(job *j, const char *ablate)
{
    const peer_conv_shape *s = &j->s->of;
    bench_settle();
    if (ablate)
        (void)setenv("ORRERY_ABLATE", ablate, 1);
    else
        (void)unsetenv("ORRERY_ABLATE");
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("conv");
    j->x = orr_variable(orr_randn(ORR_F32, ORR_SHAPE(s->n, s->c, s->side, s->side), 0, 1));
    j->w =
        s->o ? orr_variable(orr_randn(ORR_F32, ORR_SHAPE(s->o, s->c / s->groups, s->kernel, s->kernel), 0, 1)) : NULL;
    j->g = orr_variable(orr_randn(ORR_F32, orr_tensor_shape(result(j, false)), 0, 1));
    return orr_eval_all(ORR_TENSORS(j->x, j->g, s->o ? j->w : j->g)) == ORR_OK ? 0 : bench_failed("conv");
}

static int with_start(void *user)
{
    return start(user, NULL);
}

static int without_start(void *user)
{
    return start(user, "onednn");
}

static int once(void *user)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(result(user, true));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("conv");
}

static void stop(void *user)
{
    (void)user;
    (void)orr_shutdown();
    (void)unsetenv("ORRERY_ABLATE");
}

/* Runs the primitive for `seconds`; < 0: there is none. */
static double primitive_round(peer_conv *primitive, double seconds)
{
    if (!primitive)
        return -1.0;
    bench_settle();
    double warm = peer_onednn_once(primitive);
    return warm < 0.0 ? warm : fusion_time(peer_onednn_once, primitive, seconds);
}

static int one(bench_sink *out, const shape *s, int pass, const char *pass_name, side_peers *peers)
{
    static const bench_side with = { with_start, once, stop }, without = { without_start, once, stop };
    enum { MOST = 1000 };
    static double a[MOST], b[MOST], c[MOST];
    const peer_conv_shape *of = &s->of;
    job j = { .s = s, .pass = pass };
    int rounds = peers->rounds < MOST ? peers->rounds : MOST, rc = 0;
    char name[64];
    bool chain = pass == CHAIN;
    double share = chain ? LINKS : 1;
    peer_conv *primitive = of->o ? peer_onednn_conv(chain ? FORWARD : pass, of, bench_cores()) : NULL;
    (void)snprintf(name, sizeof name, "conv:%s:%d,%d,%d,%d,%d,%d,%d,%d,%d", pass_name, of->n, of->c, of->side, of->o,
                   of->kernel, of->stride, of->padding, of->dilation, of->groups);
    if (!chain)
        side_prepare(peers, name, of->n, 0, -1);
    for (int r = 0; r < rounds && rc == 0; r++) {
        rc = bench_interleave(&with, &without, &j, 1, 0.2, &a[r], &b[r]);
        c[r] = primitive_round(primitive, 0.2);
        if (!chain)
            side_round(peers, r, 0.2);
    }
    peer_onednn_free(primitive);
    if (rc != 0)
        return rc;
    bench_record record = { .name = "conv",
                            .metric = "time",
                            .unit = "ms",
                            .value = 1e3 * bench_typical(a, rounds) / share,
                            .reference = "the same without oneDNN",
                            .reference_value = 1e3 * bench_typical(b, rounds) / share };
    (void)snprintf(record.params, sizeof record.params, "\"shape\": \"%s\", \"pass\": \"%s\", \"dtype\": \"float32\"",
                   s->name, pass_name);
    record.ratio = bench_ratio(&record, false);
    if (primitive && bench_typical(c, rounds) > 0.0) {
        record.peer[0].name = "oneDNN's primitive";
        record.peer[0].value = 1e3 * bench_typical(c, rounds);
    }
    if (!chain)
        side_add(peers, &record, 1e3);
    return bench_add(out, &record);
}

/* The passes for a shape. Images of a chain keep their size and channels. */
static int passes_of(const peer_conv_shape *s)
{
    return s->o == 0 ? WEIGHTS : s->o == s->c && s->stride == 1 ? PASSES : CHAIN;
}

int bench_conv(bench_sink *out, int rounds)
{
    static const char *const pass_name[PASSES] = { "forward", "data", "weights", "chain" };
    static const shape shapes[] = { { "128x1-32-3-28", { 128, 1, 28, 32, 3, 1, 1, 1, 1 } },
                                    { "128x32-64-3-14", { 128, 32, 14, 64, 3, 1, 1, 1, 1 } },
                                    { "32x64-64-3-56", { 32, 64, 56, 64, 3, 1, 1, 1, 1 } },
                                    { "32x3-64-7s2-224", { 32, 3, 224, 64, 7, 2, 3, 1, 1 } },
                                    { "1x256-256-3-14", { 1, 256, 14, 256, 3, 1, 1, 1, 1 } },
                                    { "depthwise", { 32, 96, 56, 96, 3, 1, 1, 1, 96 } },
                                    { "groups", { 32, 64, 28, 64, 3, 1, 1, 1, 4 } },
                                    { "dilated", { 32, 64, 28, 64, 3, 1, 2, 2, 1 } },
                                    { "max-pool", { 32, 64, 56, 0, 2, 2, 0, 1, 1 } } };
    side_peers peers;
    int rc = side_start(&peers, NULL, bench_cores(), rounds);
    if (rc != 0)
        return 1;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int pass = 0; pass < passes_of(&shapes[k].of) && rc == 0; pass++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s/%s", shapes[k].name, pass_name[pass]);
            if (!bench_opt.filter || strncmp(name, bench_opt.filter, strlen(bench_opt.filter)) == 0)
                rc = one(out, &shapes[k], pass, pass_name[pass], &peers);
        }
    side_end(&peers);
    return rc;
}
