/* Case privacy: a step of private training beside the plain step; noise in values per second per core, beside peers.
 * Must not know: how a side computes. */
#include "config.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/private_dp.h"
#include "bench/train.h"

#define TURN_SECONDS 0.5

enum { RECORDS = 60000, BATCH = 256, NOISE = 1 << 22, EXACT = 1 << 16 };

/* -- ours ---------------------------------------------------------------------------------------------------- */

static struct {
    char name[32];
    orr_module *net;
    orr_optim *opt;
    orr_dp_sgd *sgd;
    orr_tensor *x, *labels, *zero;
    int64_t *index;
    int step;
} g;

/* Loads Fashion-MNIST, or arbitrary bytes if it is not installed. */
static orr_status load_records(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x, *l;
    if (access(TRAIN_DATA "/train-images-idx3-ubyte.gz", R_OK) == 0) {
        x = orr_reshape(orr_load_idx(TRAIN_DATA "/train-images-idx3-ubyte.gz"), ORR_SHAPE(RECORDS, TRAIN_IMAGES));
        l = orr_load_idx(TRAIN_DATA "/train-labels-idx1-ubyte.gz");
    } else {
        x = orr_randint(ORR_U8, ORR_SHAPE(RECORDS, TRAIN_IMAGES), 0, 256);
        l = orr_randint(ORR_U8, ORR_SHAPE(RECORDS), 0, 10);
    }
    g.x = orr_keep(x);
    g.labels = orr_keep(l);
    orr_status st = orr_eval_all(ORR_TENSORS(g.x, g.labels));
    (void)orr_scope_end(s);
    return st;
}

static orr_tensor *scale(orr_tensor *pixels, void *image)
{
    orr_tensor *x = image ? orr_reshape(pixels, ORR_SHAPE(-1, 1, 28, 28)) : pixels;
    return orr_div(orr_cast(x, ORR_F32), orr_scalar(255.0));
}

static orr_module *dense_network(void)
{
    return orr_sequential(ORR_MODULES(orr_function(scale, NULL),
                                      orr_dense(784, 512, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                      orr_dense(512, 256, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                      orr_dense(256, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
}

/* The network of Opacus' example for MNIST, after Papernot et al. 2019. */
static orr_module *convolutions(void)
{
    static char image;
    orr_conv_options first = { .stride = { 2, 2 }, .padding = { 3, 3 } }, second = { .stride = { 2, 2 } };
    orr_pool_options pool = { .window = { 2, 2 }, .stride = { 1, 1 } };
    return orr_sequential(ORR_MODULES(orr_function(scale, &image),
                                      orr_conv_layer(1, 16, ORR_SHAPE(8, 8), &first, ORR_ACTIVATION_RELU,
                                                     ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT),
                                      orr_max_pool_layer(&pool),
                                      orr_conv_layer(16, 32, ORR_SHAPE(4, 4), &second, ORR_ACTIVATION_RELU,
                                                     ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT),
                                      orr_max_pool_layer(&pool), orr_flatten_layer(),
                                      orr_dense(512, 32, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                      orr_dense(32, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
}

static orr_status make_network(bool private_step, bool cnn)
{
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 1e-4;
    orr_seed(1);
    g.net = cnn ? convolutions() : dense_network();
    g.opt = g.net ? orr_optim_of_module(ORR_OPTIM_ADAM, g.net, &options) : NULL;
    orr_status st = g.opt ? load_records() : orr_error_status();
    if (st != ORR_OK || !private_step)
        return st;
    orr_dp_options o = orr_dp_defaults();
    o.q = (double)BATCH / RECORDS;
    o.sigma = 1.1;
    g.sgd = orr_dp_sgd_new(g.net, g.opt, &o);
    return g.sgd ? ORR_OK : orr_error_status();
}

/* A plain step with as many records, in a fixed order that jumps through the data. */
static orr_status plain_step(void)
{
    int64_t index[BATCH];
    double loss;
    for (int i = 0; i < BATCH; i++)
        index[i] = ((int64_t)(g.step * BATCH + i) * 7919) % RECORDS;
    g.step++;
    orr_scope *s = orr_scope_begin();
    orr_tensor *rows = orr_from(ORR_I64, ORR_SHAPE(BATCH), index);
    orr_tensor *l = orr_cross_entropy(orr_forward(g.net, orr_take(g.x, rows, 0)), orr_take(g.labels, rows, 0));
    orr_status st = orr_optim_step(g.opt, l);
    if (st == ORR_OK)
        st = orr_item(l, &loss);
    (void)orr_scope_end(s);
    return st;
}

static orr_status noise(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = !strcmp(g.name, "gaussian")            ? orr_dp_gaussian(g.zero, 1.0, 1.0)
                    : !strcmp(g.name, "laplace")           ? orr_dp_laplace(g.zero, 1.0, 1.0)
                    : !strcmp(g.name, "discrete-gaussian") ? orr_dp_discrete_gaussian(g.zero, 1.0, 1000.0)
                                                           : orr_dp_discrete_laplace(g.zero, 1000, 1.0);
    orr_status st = orr_eval(y);
    (void)orr_scope_end(s);
    return st;
}

int private_dp_ours_prepare(const char *name)
{
    (void)snprintf(g.name, sizeof g.name, "%s", name);
    bool exact = !strncmp(name, "discrete-", 9);
    orr_status st;
    if (!strncmp(name, "plain", 5) || !strncmp(name, "private", 7))
        st = make_network(!strncmp(name, "private", 7), strstr(name, "-cnn") != NULL);
    else {
        g.zero = exact ? orr_zeros(ORR_I64, ORR_SHAPE(EXACT)) : orr_zeros(ORR_F32, ORR_SHAPE(NOISE));
        st = orr_eval(g.zero);
    }
    for (int i = 0; i < (exact ? 3 : 100) && st == ORR_OK; i++)
        st = private_dp_ours_once(NULL) == 0 ? ORR_OK : orr_error_status();
    return st == ORR_OK ? 0 : bench_failed("privacy");
}

int private_dp_ours_once(void *unused)
{
    (void)unused;
    double loss;
    orr_status st = g.sgd ? orr_dp_sgd_step(g.sgd, g.x, g.labels, &loss) : g.net ? plain_step() : noise();
    return st == ORR_OK ? 0 : bench_failed("privacy");
}

void private_dp_ours_drop(void)
{
    orr_dp_sgd_free(g.sgd);
    orr_optim_free(g.opt);
    orr_module_free(g.net);
    if (g.x)
        (void)orr_free(g.x);
    if (g.labels)
        (void)orr_free(g.labels);
    if (g.zero)
        (void)orr_free(g.zero);
    memset(&g, 0, sizeof g);
}

/* -- the case ------------------------------------------------------------------------------------------------ */

enum { MOST = BENCH_MOST_PEERS + 2 };
static char names[MOST][48]; /* records point to them */

typedef struct turn {
    fusion_child child;
    char line[64]; /* the argument of "prepare" */
    bool there;
    double *t;
} turn;

static bool prepare(turn *s)
{
    char question[96], answer[256];
    (void)snprintf(question, sizeof question, "prepare %s float32 %d\n", s->line, NOISE);
    if (fusion_child_ask(&s->child, question, answer, sizeof answer) != 0)
        return false;
    if (!strncmp(answer, "ok ", 3))
        return true;
    (void)fprintf(stderr, "orrery-bench: %s: %s left out: %s\n", s->child.name, s->line, answer);
    return false;
}

/* Rounds of all sides in turn. 0, or 1 if the first side is missing. */
static int run(turn *side, int n, int rounds)
{
    for (int i = 0; i < n; i++)
        side[i].there = side[i].child.pid > 0 && prepare(&side[i]);
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            char question[32], answer[256];
            (void)snprintf(question, sizeof question, "run %g\n", TURN_SECONDS);
            side[i].there = side[i].there && fusion_child_ask(&side[i].child, question, answer, sizeof answer) == 0;
            side[i].t[r] = side[i].there ? strtod(answer, NULL) : -1.0;
            side[i].there = side[i].there && side[i].t[r] > 0.0;
        }
    return !side[0].there;
}

static int start(turn *side, int cores, bool twice, int rounds)
{
    int n = 0;
    memset(side, 0, MOST * sizeof *side);
    for (int i = 0; i < 1 + twice; i++, n++)
        if (fusion_start_ours(&side[n].child, cores, true) != 0)
            return 0;
    for (int i = 0; i < bench_opt.npeer; i++)
        n += fusion_start_peer(&side[n].child, bench_opt.peer[i], NULL, cores, true) == 0;
    for (int i = 0; i < n; i++) {
        memcpy(names[i], side[i].child.name, sizeof names[i]);
        side[i].t = calloc((size_t)rounds, sizeof(double));
        if (!side[i].t)
            return 0;
    }
    return n;
}

static void end(turn *side)
{
    for (int i = 0; i < MOST; i++) {
        if (side[i].child.pid > 0)
            fusion_child_end(&side[i].child);
        free(side[i].t);
    }
}

static int steps(bench_sink *out, int rounds, const char *cnn)
{
    turn side[MOST];
    int n = start(side, bench_cores(), true, rounds), rc = n < 2;
    for (int i = 0; i < n; i++)
        (void)snprintf(side[i].line, sizeof side[i].line, "private:%s%s", i == 1 ? "plain" : "private", cnn);
    if (rc == 0)
        rc = run(side, n, rounds) || !side[1].there;
    if (rc == 0) {
        bench_record r = { .name = "privacy",
                           .metric = "time",
                           .unit = "ms",
                           .value = 1e3 * bench_median(side[0].t, rounds),
                           .reference = "the plain step",
                           .reference_value = 1e3 * bench_median(side[1].t, rounds) };
        (void)snprintf(r.params, sizeof r.params, "\"step\": \"%s\", \"batch\": %d",
                       *cnn ? "conv 16 8x8/2, conv 32 4x4/2, 512-32-10" : "784-512-256-10", BATCH);
        r.ratio = bench_ratio(&r, false);
        for (int i = 2, k = 0; i < n; i++)
            if (side[i].there && k < BENCH_PEERS) {
                r.peer[k].name = names[i];
                r.peer[k++].value = 1e3 * bench_median(side[i].t, rounds);
            }
        rc = bench_add(out, &r);
    }
    end(side);
    return rc;
}

/* Rates on one core, in millions of values per second; the reference is the fastest peer. */
static int rates(bench_sink *out, int rounds, const char *kind)
{
    bool exact = !strncmp(kind, "discrete-", 9);
    turn side[MOST];
    int n = start(side, 1, false, rounds), rc = n < 1;
    for (int i = 0; i < n; i++)
        (void)snprintf(side[i].line, sizeof side[i].line, "private:%s", kind);
    if (rc == 0)
        rc = run(side, exact ? 1 : n, rounds);
    if (rc == 0) {
        bench_record r = { .name = "privacy",
                           .metric = "rate",
                           .unit = "1e6/s",
                           .value = 1e-6 * (exact ? EXACT : NOISE) / bench_median(side[0].t, rounds) };
        (void)snprintf(r.params, sizeof r.params, "\"noise\": \"%s\", \"cores\": 1", kind);
        for (int i = 1, k = 0; i < n; i++)
            if (side[i].there && k < BENCH_PEERS) {
                r.peer[k].name = names[i];
                r.peer[k].value = 1e-6 * NOISE / bench_median(side[i].t, rounds);
                if (r.peer[k].value > r.reference_value) {
                    r.reference = names[i];
                    r.reference_value = r.peer[k].value;
                }
                k++;
            }
        if (!r.reference) {
            r.reference = "no peer";
            r.reference_value = r.value;
        }
        r.ratio = bench_ratio(&r, true);
        rc = bench_add(out, &r);
    }
    end(side);
    return rc;
}

int bench_privacy(bench_sink *out, int rounds)
{
    static const char *const kinds[] = { "gaussian", "laplace", "discrete-gaussian", "discrete-laplace" };
    int rc = 0, did = 0;
    if (!bench_opt.filter || !strcmp(bench_opt.filter, "step")) {
        did++;
        rc |= steps(out, rounds, "");
    }
    if (!bench_opt.filter || !strcmp(bench_opt.filter, "step-cnn")) {
        did++;
        rc |= steps(out, rounds, "-cnn");
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!bench_opt.filter || !strcmp(bench_opt.filter, kinds[i])) {
            did++;
            rc |= rates(out, rounds, kinds[i]);
        }
    if (!did)
        (void)fprintf(stderr,
                      "orrery-bench: privacy has no case '%s'; step, step-cnn and the kinds of noise are there\n",
                      bench_opt.filter);
    return rc | !did;
}
