/* The cases of orrery-bench train: whole training steps, the same network, data and start values for every side.
 * Must not know: how a side computes. */
#ifndef ORR_BENCH_TRAIN_H
#define ORR_BENCH_TRAIN_H

#include <stdbool.h>

enum { TRAIN_LAYERS = 6, TRAIN_STEPS = 100, TRAIN_IMAGES = 784 };
#define TRAIN_DATA "/usr/share/datasets/fashion-mnist"

typedef struct train_case {
    const char *name, *what;
    int layers, width[TRAIN_LAYERS]; /* width[0] inputs, then one width per layer; ReLU between them */
    int batch;
    bool adam; /* Adam; else plain SGD */
    double lr;
    double tolerance; /* between the sides' mean losses; Adam divides by gradients near 0, whose rounding matters */
} train_case;

extern const train_case train_cases[]; /* ends with name NULL */
const train_case *train_find(const char *name);

/* Orrery, in this process. prepare: TRAIN_STEPS steps from the start values, on the first TRAIN_STEPS batches of the
 * training set; *losses: the mean of their losses. once: one more step, with its loss read back. 0, or 1. */
int train_ours_prepare(const char *name, double *losses);
int train_ours_once(void *unused);
void train_ours_drop(void);

#endif
