/* Trains a 784-512-256-10 network on Fashion-MNIST and prints its accuracy on the test images.
 * Must not know: anything but the public headers.
 *
 * usage: fashion_mnist_mlp [--epochs N] [--batch N] [--lr X] [--seed N] [--data DIR] */
#define _POSIX_C_SOURCE 200809L
#include "fashion_mnist.h"
#include "options.h"

typedef struct settings {
    int64_t epochs, batch, seed;
    double lr;
    const char *data;
} settings;

/* -- training -------------------------------------------------------------------------------------------- */

static orr_status train_step(const orr_module *net, orr_optim *opt, const dataset *d, const int64_t *index,
                             int64_t count, double *loss)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *which = orr_from(ORR_I64, ORR_SHAPE(count), index);
    orr_tensor *x = scaled(orr_take(d->images, which, 0));
    orr_tensor *l = orr_cross_entropy(orr_forward(net, x), orr_take(d->labels, which, 0));
    orr_status st = orr_optim_step(opt, l);
    if (st == ORR_OK)
        st = orr_item(l, loss); /* evaluates loss, gradients and the step together */
    (void)orr_scope_end(s);
    return st;
}

/* One pass over the images in a new order, without a short last batch. */
static orr_status train_epoch(const orr_module *net, orr_optim *opt, const dataset *d, progress *p)
{
    orr_scope *s = orr_scope_begin();
    const int64_t *order = orr_data(orr_permutation(d->n));
    orr_status st = order ? ORR_OK : orr_error_status();
    while (st == ORR_OK && p->step < p->steps) {
        double loss = 0.0;
        st = train_step(net, opt, d, order + p->step * p->batch, p->batch, &loss);
        progress_step(p, loss);
    }
    (void)orr_scope_end(s);
    return st;
}

static orr_status accuracy(const orr_module *net, const dataset *d, double *result)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = share_right(orr_forward(net, scaled(d->images)), d->labels, result);
    (void)orr_scope_end(s);
    return st;
}

static orr_status run(const settings *o, const orr_module *net, orr_optim *opt)
{
    dataset train, test;
    double acc = 0.0;
    orr_status st = load_dataset(o->data, o->batch, &train, &test);
    if (st == ORR_OK)
        printf("%s\n%lld images, %lld to test on; %lld parameters; batches of %lld; seed %lld\n", orr_engine_name(),
               (long long)train.n, (long long)test.n, (long long)orr_module_size(net), (long long)o->batch,
               (long long)o->seed);
    for (int64_t epoch = 1; st == ORR_OK && epoch <= o->epochs; epoch++) {
        progress p = progress_begin(epoch, o->epochs, train.n / o->batch, o->batch);
        st = train_epoch(net, opt, &train, &p);
        double used = seconds() - p.start;
        if (st == ORR_OK)
            st = accuracy(net, &test, &acc);
        if (st == ORR_OK)
            progress_end(&p, "", acc, used);
    }
    if (st == ORR_OK && o->epochs == 0)
        st = accuracy(net, &test, &acc);
    if (st == ORR_OK) {
        printf("\n");
        orr_stats_print(stdout);
        printf("\ntest accuracy: %.4f\n", acc);
    }
    return st;
}

/* -- command line ---------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    settings o = { .epochs = 3, .batch = 128, .lr = 1e-3, .seed = 3, .data = FASHION_MNIST };
    const option table[] = {
        { "--epochs", .whole = &o.epochs, .most = 1e9 },
        { "--batch", .whole = &o.batch, .least = 1, .most = 1e9 },
        { "--lr", .real = &o.lr, .most = 1e9 },
        { "--seed", .whole = &o.seed, .most = 1e9 },
        { "--data", .text = &o.data },
        { 0 },
    };
    int done = read_options(
        argc, argv,
        "usage: fashion_mnist_mlp [--epochs N] [--batch N] [--lr X] [--seed N] [--data DIR]\n"
        "DIR holds the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n",
        table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed((uint64_t)o.seed);
    orr_scope *s = orr_scope_begin();
    orr_module *net = orr_sequential(ORR_MODULES(orr_dense(784, 512, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(512, 256, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(256, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
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
