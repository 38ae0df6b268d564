/* Fashion-MNIST, and a progress bar for an epoch: shared by the examples that train on it.
 * Must not know: networks. */
#ifndef EXAMPLES_FASHION_MNIST_H
#define EXAMPLES_FASHION_MNIST_H

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>

/* The folder of Debian's package dataset-fashion-mnist. */
#define FASHION_MNIST "/usr/share/datasets/fashion-mnist"

typedef struct dataset {
    orr_tensor *images; /* u8 (n, 28, 28), which is small; batches are cast and scaled */
    orr_tensor *labels; /* u8 (n)                                                      */
    int64_t n;
} dataset;

/* Loads the IDX file `name` in `dir`, gzip or unpacked. */
static inline orr_tensor *load_idx(const char *dir, const char *name)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s.gz", dir, name) < (int)sizeof path && access(path, R_OK) != 0)
        path[strlen(path) - 3] = 0;
    return orr_load_idx(path);
}

static inline orr_status load_part(const char *dir, const char *part, dataset *d)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s-images-idx3-ubyte", part);
    d->images = load_idx(dir, name);
    d->n = orr_tensor_shape(d->images).dim[0];
    (void)snprintf(name, sizeof name, "%s-labels-idx1-ubyte", part);
    d->labels = load_idx(dir, name);
    orr_status st = orr_eval_all(ORR_TENSORS(d->images, d->labels));
    if (st == ORR_OK && (d->n < 1 || orr_tensor_size(d->labels) != d->n)) {
        fprintf(stderr, "%s: %lld images, %lld labels\n", dir, (long long)d->n, (long long)orr_tensor_size(d->labels));
        return ORR_EFORMAT;
    }
    return st;
}

/* Loads 60,000 images for training, which must be a batch at least, and 10,000 for tests. */
static inline orr_status load_dataset(const char *dir, int64_t batch, dataset *train, dataset *test)
{
    orr_status st = load_part(dir, "train", train);
    if (st == ORR_OK)
        st = load_part(dir, "t10k", test);
    if (st == ORR_OK && train->n < batch) {
        fprintf(stderr, "a batch of %lld is more than the %lld images\n", (long long)batch, (long long)train->n);
        return ORR_EINVAL;
    }
    return st;
}

/* Images as rows of 784, normalised by the published mean and deviation of the training pixels. */
static inline orr_tensor *scaled(orr_tensor *images)
{
    orr_tensor *x = orr_reshape(orr_cast(images, ORR_F32), ORR_SHAPE(-1, 784));
    return orr_div(orr_sub(x, orr_scalar(0.2860 * 255.0)), orr_scalar(0.3530 * 255.0));
}

/* The share of rows whose largest output is at the label's place. */
static inline orr_status share_right(orr_tensor *output, orr_tensor *labels, double *share)
{
    orr_tensor *right = orr_equal(orr_argmax(output, -1, false), orr_cast(labels, ORR_I64));
    return orr_item(orr_mean(orr_cast(right, ORR_F64), ORR_ALL_AXES, false), share);
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- progress -------------------------------------------------------------------------------------------- */

typedef struct progress {
    int64_t epoch, epochs, step, steps, batch;
    double start, shown;
    double loss, sum; /* loss: smoothed; sum: of all steps */
    int terminal;
} progress;

static inline progress progress_begin(int64_t epoch, int64_t epochs, int64_t steps, int64_t batch)
{
    return (progress){ .epoch = epoch,
                       .epochs = epochs,
                       .steps = steps,
                       .batch = batch,
                       .start = seconds(),
                       .terminal = isatty(STDOUT_FILENO) };
}

/* Counts a step. On a terminal the bar is drawn at most ten times a second. */
static inline void progress_step(progress *p, double loss)
{
    p->sum += loss;
    p->loss = p->step++ == 0 ? loss : 0.95 * p->loss + 0.05 * loss;
    double now = seconds(), used = now - p->start;
    if (!p->terminal || (now - p->shown < 0.1 && p->step < p->steps))
        return;
    p->shown = now;
    char bar[31];
    int filled = (int)(30 * p->step / p->steps);
    for (int i = 0; i < 30; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[30] = 0;
    printf("\repoch %lld/%lld [%s] %6.0f images/s   loss %.4f   %4.1f s left ", (long long)p->epoch,
           (long long)p->epochs, bar, (double)(p->step * p->batch) / used, p->loss,
           (double)(p->steps - p->step) * used / (double)p->step);
    fflush(stdout);
}

/* Prints the line of an epoch that took `used` seconds; `note` follows its number. */
static inline void progress_end(const progress *p, const char *note, double accuracy, double used)
{
    printf("%sepoch %lld/%lld%s   loss %.4f   test accuracy %.4f   %.1f s   %.0f images/s%s\n", p->terminal ? "\r" : "",
           (long long)p->epoch, (long long)p->epochs, note, p->sum / (double)p->steps, accuracy, used,
           (double)(p->steps * p->batch) / used, p->terminal ? "\033[K" : "");
    fflush(stdout);
}

#endif
