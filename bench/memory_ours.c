/* The cases of peak-memory, computed by Orrery, and this process's resident memory.
 * Must not know: its references. */
#include "config.h"
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <orrery.h>
#include <orrery/optim.h>
#include "bench/memory.h"

enum {
    BATCH = 8192,
    IN = 784,
    WIDE = 1024,
    OUT = 10,
    LAYERS = 3,
    STEPS = 3,
    CHAIN = 32,
    SMALL = 64,
    ROWS = 64,
    SIDE = 2048
};
#define LENGTH ((int64_t)1 << 24)
#define RATE 0.01

const memory_case memory_cases[] = {
    { "mlp", "three steps of SGD, 784-1024-1024-10, ReLU, batch 8192",
      4.0 * (BATCH * (IN + 2.0 * WIDE + OUT) + 2.0 * (IN * WIDE + (double)WIDE * WIDE + WIDE * OUT)) },
    { "adam", "three steps of Adam, three layers of 2048 × 2048, ReLU, batch 64",
      4.0 * (3.0 * LAYERS * SIDE * SIDE + (LAYERS + 1.0) * ROWS * SIDE) },
    { "chain", "32 element-wise operations on 16 Mi f32", 8.0 * LENGTH },
    { 0 },
};

/* The value of "VmRSS" or "VmHWM" in /proc/self/status, in bytes; < 0: missing. */
static double status_of(const char *key)
{
    char line[128];
    double kib = -1.0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && kib < 0.0 && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            (void)sscanf(line + strlen(key), ": %lf", &kib);
    if (f)
        (void)fclose(f);
    return kib < 0.0 ? -1.0 : 1024.0 * kib;
}

/* Resets VmHWM to the present size (Linux, proc(5)). */
static int forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "we");
    if (!f)
        return 1;
    int bad = fputs("5", f) < 0;
    return fclose(f) != 0 || bad;
}

/* Values in [-½, ½) that every side can reproduce: multiples of 1/1021. */
static orr_tensor *values(int64_t m, int64_t n, double scale)
{
    orr_tensor *i = orr_remainder(orr_arange(ORR_I64, 0, (double)(m * n), 1), orr_scalar(1021));
    orr_tensor *x = orr_sub(orr_div(orr_cast(i, ORR_F32), orr_scalar(1021.0)), orr_scalar(0.5));
    x = orr_reshape(orr_mul(x, orr_scalar(scale)), ORR_SHAPE(m, n));
    return orr_eval(x) == ORR_OK ? x : NULL;
}

static orr_tensor *loss_of(orr_tensor *x, orr_tensor *const *w)
{
    for (int i = 0; i < LAYERS; i++)
        x = i + 1 < LAYERS ? orr_relu(orr_matmul(x, w[i])) : orr_matmul(x, w[i]);
    return orr_mean(orr_mul(x, x), ORR_ALL_AXES, false);
}

/* A variable that alone holds its value. */
static orr_tensor *weight(int64_t m, int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(values(m, n, 0.05));
    w = orr_eval(w) == ORR_OK ? orr_scope_return(s, w) : NULL;
    return orr_scope_end(s) == ORR_OK ? w : NULL;
}

static int mlp(int64_t scale, double *checksum)
{
    int64_t width[LAYERS + 1] = { IN, WIDE, WIDE, OUT };
    orr_tensor *w[LAYERS], *x = values(BATCH / scale, IN, 1.0);
    for (int i = 0; i < LAYERS; i++)
        w[i] = weight(width[i], width[i + 1]);
    *checksum = 0.0;
    for (int k = 0; k < STEPS; k++) {
        orr_tensor *grad[LAYERS];
        double now = 0.0;
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = loss_of(x, w);
        orr_status st = orr_grad(loss, w, LAYERS, grad);
        for (int i = 0; i < LAYERS && st == ORR_OK; i++)
            st = orr_assign(w[i], orr_sub(w[i], orr_mul(grad[i], orr_scalar(RATE))));
        if (st != ORR_OK || orr_item(loss, &now) != ORR_OK || orr_scope_end(s) != ORR_OK)
            return 1;
        *checksum += now / STEPS;
    }
    return 0;
}

/* Few rows: most of the memory holds parameters and Adam's state. */
static int adam(int64_t scale, double *checksum)
{
    int64_t n = scale > 1 ? SIDE / 8 : SIDE;
    orr_tensor *w[LAYERS], *x = values(ROWS, n, 1.0);
    for (int i = 0; i < LAYERS; i++)
        w[i] = weight(n, n);
    orr_optim *opt = orr_optim_new(ORR_OPTIM_ADAM, w, LAYERS, NULL);
    orr_status st = opt ? ORR_OK : orr_error_status();
    *checksum = 0.0;
    for (int k = 0; k < STEPS && st == ORR_OK; k++) {
        double now = 0.0;
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = loss_of(x, w);
        st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_item(loss, &now);
        (void)orr_scope_end(s);
        *checksum += now / STEPS;
    }
    orr_optim_free(opt);
    return st != ORR_OK;
}

static int chain(int64_t scale, double *checksum)
{
    int64_t n = LENGTH / scale;
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(n), 0.5), *y = x;
    if (orr_eval(x) != ORR_OK)
        return 1;
    for (int i = 0; i < CHAIN; i++)
        y = i % 2 ? orr_add(y, orr_scalar(0.25)) : orr_mul(y, orr_scalar(0.75));
    if (orr_eval(y) != ORR_OK)
        return 1;
    return orr_item(orr_mean(y, ORR_ALL_AXES, false), checksum) != ORR_OK;
}

static int compute(const char *name, int64_t scale, double *checksum)
{
    orr_scope *s = orr_scope_begin();
    int rc = 1;
    if (!strcmp(name, "mlp"))
        rc = mlp(scale, checksum);
    else if (!strcmp(name, "adam"))
        rc = adam(scale, checksum);
    else if (!strcmp(name, "chain"))
        rc = chain(scale, checksum);
    return orr_scope_end(s) != ORR_OK || rc;
}

double memory_of(int (*work)(void *user), void *user)
{
    orr_memory_trim();
    (void)malloc_trim(0); /* as on the peers' side */
    double before = status_of("VmRSS");
    if (before < 0.0 || forget_peak() != 0 || work(user) != 0)
        return -1.0;
    return status_of("VmHWM") - before;
}

typedef struct {
    const char *name;
    double *checksum;
} whole;

static int compute_whole(void *user)
{
    const whole *w = user;
    return compute(w->name, 1, w->checksum);
}

double memory_ours(const char *name, double *checksum)
{
    whole w = { name, checksum };
    return compute(name, SMALL, checksum) == 0 ? memory_of(compute_whole, &w) : -1.0;
}
