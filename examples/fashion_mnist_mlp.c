/* Trains a 784-512-256-10 network on Fashion-MNIST and says how well it does on the test images.
 * Must not know: anything but the public headers.
 *
 * usage: fashion_mnist_mlp [--epochs N] [--batch N] [--lr X] [--seed N] [--data DIR] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>

typedef struct settings {
    int epochs;
    int64_t batch;
    double lr;
    uint64_t seed;
    const char *data;
} settings;

typedef struct dataset {
    orr_tensor *images; /* u8 (n, 784): stays small; a batch is taken, cast and scaled */
    orr_tensor *labels; /* u8 (n)                                                      */
    int64_t n;
} dataset;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- data ------------------------------------------------------------------------------------------------ */

static orr_tensor *load(const char *dir, const char *name)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s.gz", dir, name) < (int)sizeof path && access(path, R_OK) != 0)
        path[strlen(path) - 3] = 0; /* unpacked, then */
    return orr_load_idx(path);
}

static orr_status load_dataset(const char *dir, const char *images, const char *labels, dataset *d)
{
    d->images = load(dir, images);
    d->n = orr_tensor_shape(d->images).dim[0];
    d->images = orr_reshape(d->images, ORR_SHAPE(-1, 784));
    d->labels = load(dir, labels);
    orr_status st = orr_eval_all(ORR_TENSORS(d->images, d->labels));
    if (st == ORR_OK && (d->n < 1 || orr_tensor_size(d->labels) != d->n)) {
        fprintf(stderr, "%s: %lld images, %lld labels\n", dir, (long long)d->n, (long long)orr_tensor_size(d->labels));
        return ORR_EFORMAT;
    }
    return st;
}

/* Mean and deviation of the training pixels, as published for this data set. */
static orr_tensor *scaled(orr_tensor *pixels)
{
    orr_tensor *x = orr_cast(pixels, ORR_F32);
    return orr_div(orr_sub(x, orr_scalar(0.2860 * 255.0)), orr_scalar(0.3530 * 255.0));
}

/* -- progress -------------------------------------------------------------------------------------------- */

typedef struct progress {
    int epoch, epochs;
    int64_t step, steps, batch;
    double start, shown, loss;
} progress;

static void show_progress(progress *p, int terminal)
{
    double now = seconds(), used = now - p->start;
    if (!terminal || (now - p->shown < 0.1 && p->step < p->steps))
        return;
    p->shown = now;
    char bar[31];
    int filled = (int)(30 * p->step / p->steps);
    for (int i = 0; i < 30; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[30] = 0;
    double rate = (double)(p->step * p->batch) / used;
    double left = (double)(p->steps - p->step) * used / (double)p->step;
    printf("\repoch %d/%d [%s] %6.0f images/s   loss %.4f   %4.1f s left ", p->epoch, p->epochs, bar, rate, p->loss,
           left);
    fflush(stdout);
}

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

/* One pass over the images in a new order; a last short batch is left out. */
static orr_status train_epoch(const settings *o, const orr_module *net, orr_optim *opt, const dataset *d, int epoch,
                              int terminal, double *mean_loss)
{
    progress p = {
        .epoch = epoch, .epochs = o->epochs, .steps = d->n / o->batch, .batch = o->batch, .start = seconds()
    };
    orr_scope *s = orr_scope_begin();
    const int64_t *order = orr_data(orr_permutation(d->n));
    orr_status st = order ? ORR_OK : orr_error_status();
    double sum = 0.0;
    while (st == ORR_OK && p.step < p.steps) {
        double loss = 0.0;
        st = train_step(net, opt, d, order + p.step * o->batch, o->batch, &loss);
        p.step++;
        sum += loss;
        p.loss = p.step == 1 ? loss : 0.95 * p.loss + 0.05 * loss;
        show_progress(&p, terminal);
    }
    (void)orr_scope_end(s);
    *mean_loss = sum / (double)p.steps;
    return st;
}

static orr_status accuracy(const orr_module *net, const dataset *d, double *result)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *best = orr_argmax(orr_forward(net, scaled(d->images)), -1, false);
    orr_tensor *right = orr_equal(best, orr_cast(d->labels, ORR_I64));
    orr_status st = orr_item(orr_mean(orr_cast(right, ORR_F64), ORR_ALL_AXES, false), result);
    (void)orr_scope_end(s);
    return st;
}

static orr_status run(const settings *o, const orr_module *net, orr_optim *opt)
{
    dataset train, test;
    orr_status st = load_dataset(o->data, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", &train);
    if (st == ORR_OK)
        st = load_dataset(o->data, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", &test);
    if (st == ORR_OK && train.n < o->batch) {
        fprintf(stderr, "a batch of %lld is more than the %lld images\n", (long long)o->batch, (long long)train.n);
        return ORR_EINVAL;
    }
    int terminal = isatty(STDOUT_FILENO);
    double acc = 0.0;
    if (st == ORR_OK)
        printf("%s\n%lld images, %lld to test on; %lld parameters; batches of %lld; seed %llu\n", orr_engine_name(),
               (long long)train.n, (long long)test.n, (long long)orr_module_size(net), (long long)o->batch,
               (unsigned long long)o->seed);
    for (int epoch = 1; st == ORR_OK && epoch <= o->epochs; epoch++) {
        double loss, start = seconds();
        st = train_epoch(o, net, opt, &train, epoch, terminal, &loss);
        double used = seconds() - start;
        if (st == ORR_OK)
            st = accuracy(net, &test, &acc);
        if (st == ORR_OK)
            printf("%sepoch %d/%d   loss %.4f   test accuracy %.4f   %.1f s   %.0f images/s%s\n", terminal ? "\r" : "",
                   epoch, o->epochs, loss, acc, used, (double)(train.n / o->batch * o->batch) / used,
                   terminal ? "\033[K" : "");
        fflush(stdout);
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

static int usage(FILE *to, int rc)
{
    fputs("usage: fashion_mnist_mlp [--epochs N] [--batch N] [--lr X] [--seed N] [--data DIR]\n"
          "DIR holds the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n",
          to);
    return rc;
}

/* One option and its value; 0: neither known nor sound. */
static int option(settings *o, const char *name, const char *value)
{
    char *end = NULL;
    double x = strtod(value, &end);
    int number = end != value && !*end && x >= 0.0 && x < 1e9, whole = number && floor(x) == x;
    if (!strcmp(name, "--data"))
        o->data = value;
    else if (whole && !strcmp(name, "--epochs"))
        o->epochs = (int)x;
    else if (whole && x >= 1.0 && !strcmp(name, "--batch"))
        o->batch = (int64_t)x;
    else if (number && !strcmp(name, "--lr"))
        o->lr = x;
    else if (whole && !strcmp(name, "--seed"))
        o->seed = (uint64_t)x;
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    settings o = { .epochs = 3, .batch = 128, .lr = 1e-3, .seed = 3, .data = "/usr/share/datasets/fashion-mnist" };
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return usage(stdout, 0);
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !option(&o, argv[i], argv[i + 1]))
            return usage(stderr, 2);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(o.seed);
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
