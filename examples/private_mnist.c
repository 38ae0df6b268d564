/* Trains a network on Fashion-MNIST with differential privacy, and prints ε at δ = 1e-5 after each epoch.
 * Must not know: anything but the public headers.
 *
 * usage: private_mnist [--epochs N] [--batch N] [--lr X] [--clip X] [--epsilon X] [--secure 0|1] [--seed N] [--data DIR]
 *
 * The noise is the least that keeps all epochs within --epsilon. A step sees each image with probability batch/60000, so a
 * batch is about --batch images. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <orrery/privacy.h>
#include "fashion_mnist.h"
#include "options.h"

#define DELTA 1e-5

typedef struct settings {
    int64_t epochs, batch, secure, seed; /* the seed of the weights; the noise has none */
    double lr, clip, epsilon;
    const char *data;
} settings;

/* Scales bytes to about −1 … 1, with bounds that do not depend on the data. As the first layer of the network, it computes
 * only the images of a sample. */
static orr_tensor *scale(orr_tensor *pixels, void *unused)
{
    (void)unused;
    orr_tensor *x = orr_reshape(orr_cast(pixels, ORR_F32), ORR_SHAPE(-1, 784));
    return orr_sub(orr_div(x, orr_scalar(127.5)), orr_scalar(1.0));
}

/* -- training -------------------------------------------------------------------------------------------- */

/* The loss is only for the person who trains: ε does not cover it. */
static orr_status train_epoch(orr_dp_sgd *sgd, const dataset *d, progress *p)
{
    orr_status st = ORR_OK;
    while (st == ORR_OK && p->step < p->steps) {
        double loss = 0.0;
        st = orr_dp_sgd_step(sgd, d->images, d->labels, &loss);
        progress_step(p, isnan(loss) ? 0.0 : loss); /* of an empty sample */
    }
    return st;
}

static orr_status accuracy(const orr_module *net, const dataset *d, double *result)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = share_right(orr_forward(net, d->images), d->labels, result);
    (void)orr_scope_end(s);
    return st;
}

static orr_status train(const settings *o, const orr_module *net, orr_dp_sgd *sgd, orr_dp_budget *budget,
                        const dataset *d, const dataset *test)
{
    double acc = 0.0, spent = 0.0;
    orr_status st = accuracy(net, test, &acc);
    for (int64_t epoch = 1; st == ORR_OK && epoch <= o->epochs; epoch++) {
        progress p = progress_begin(epoch, o->epochs, d->n / o->batch, o->batch);
        st = train_epoch(sgd, d, &p);
        double used = seconds() - p.start;
        char note[64];
        if (st == ORR_OK)
            st = accuracy(net, test, &acc);
        if (st == ORR_OK)
            st = orr_dp_budget_spent(budget, &spent);
        (void)snprintf(note, sizeof note, "   epsilon %.3f at delta 1e-5", spent);
        if (st == ORR_OK)
            progress_end(&p, note, acc, used);
    }
    if (st == ORR_OK) {
        printf("\n");
        orr_stats_print(stdout);
        printf("\nepsilon: %.3f at delta 1e-5\ntest accuracy: %.4f\n", spent, acc);
    }
    return st;
}

static orr_status run(const settings *o, const orr_module *net, orr_optim *opt)
{
    dataset d, test;
    double sigma = 0.0;
    orr_status st = load_dataset(o->data, o->batch, &d, &test);
    double q = st == ORR_OK ? (double)o->batch / (double)d.n : 1.0;
    if (st == ORR_OK && o->epochs > 0)
        st = orr_dp_find_noise(ORR_DP_PLD, ORR_DP_GAUSSIAN, q, o->epochs * (d.n / o->batch), o->epsilon, DELTA, &sigma);
    if (st != ORR_OK)
        return st;
    orr_dp_options options = orr_dp_defaults();
    options.clip = o->clip;
    options.sigma = o->epochs > 0 ? sigma : 1.0;
    options.q = q;
    options.secure = o->secure;
    options.budget = orr_dp_budget_new(ORR_DP_PLD, o->epsilon, DELTA);
    orr_dp_sgd *sgd = options.budget ? orr_dp_sgd_new(net, opt, &options) : NULL;
    st = sgd ? ORR_OK : orr_error_status();
    if (st == ORR_OK) {
        printf("%s\n%lld images, %lld to test on; %lld parameters; samples of about %lld; seed %lld\n"
               "noise %.4f times the clipping norm %g (%s); budget: epsilon %g at delta 1e-5\n",
               orr_engine_name(), (long long)d.n, (long long)test.n, (long long)orr_module_size(net),
               (long long)o->batch, (long long)o->seed, options.sigma, o->clip, o->secure ? "exact" : "in floats",
               o->epsilon);
        st = train(o, net, sgd, options.budget, &d, &test);
    }
    orr_dp_sgd_free(sgd);
    orr_dp_budget_free(options.budget);
    return st;
}

/* -- command line ---------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    settings o = {
        .epochs = 10, .batch = 1024, .lr = 2e-3, .clip = 0.5, .epsilon = 3.0, .seed = 3, .data = FASHION_MNIST
    };
    const option table[] = {
        { "--epochs", .whole = &o.epochs, .most = 1e9 },
        { "--batch", .whole = &o.batch, .least = 1, .most = 1e9 },
        { "--lr", .real = &o.lr, .most = 1e9 },
        { "--clip", .real = &o.clip, .least = 1e-9, .most = 1e9 },
        { "--epsilon", .real = &o.epsilon, .least = 1e-9, .most = 1e9 },
        { "--secure", .whole = &o.secure, .most = 1 },
        { "--seed", .whole = &o.seed, .most = 1e9 },
        { "--data", .text = &o.data },
        { 0 },
    };
    int done = read_options(
        argc, argv,
        "usage: private_mnist [--epochs N] [--batch N] [--lr X] [--clip X] [--epsilon X] [--secure 0|1] [--seed N]\n"
        "                     [--data DIR]\n"
        "DIR holds the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n",
        table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed((uint64_t)o.seed);
    orr_scope *s = orr_scope_begin();
    orr_module *net = orr_sequential(ORR_MODULES(orr_function(scale, NULL),
                                                 orr_dense(784, 128, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(128, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = o.lr;
    orr_optim *opt = net ? orr_optim_of_module(ORR_OPTIM_ADAM, net, &options) : NULL;

    int rc = opt && run(&o, net, opt) == ORR_OK ? 0 : 1;
    if (rc != 0 && orr_error_status() != ORR_OK)
        (void)orr_error_print(stderr);
    orr_optim_free(opt);
    orr_module_free(net);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
