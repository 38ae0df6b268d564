/* Training under faults: failed allocations, a device that fails and dies, full disks. The results are those of an undisturbed
 * run, and memory stays constant. Seconds in the suite, an hour with ORR_TEST_FULL=1, ORR_TEST_SECONDS in between.
 * Must not know: how the library recovers from a fault. */
#include "config.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"
#include "tests/harness/failing_device.h"
#include "tests/harness/harness.h"
#include "tests/harness/watch.h"

enum { STEPS = 24, BATCH = 32, SIDE = 12, PROBE = 8, CLASSES = 4, MODELS = 2, TRIES = 1000, SAMPLES = 60 };
extern double orr__device_first_rest, orr__device_longest_rest;

static const char *const model_name[MODELS] = { "MLP", "CNN" };
static struct {
    long episodes, refused, kernels, deaths, disk;        /* done; injected faults */
    long failed_steps, failed_saves, failed_loads, saves; /* faults that the program saw */
    atomic_long steps;                                    /* also loads: a run that resumes makes progress */
} count;
static unsigned long long seed = 20260101;
static bool disturbed;

static int chance(int of)
{
    return disturbed && orr_test_rand(&seed) % (unsigned)of == 0;
}

/* -- faults ---------------------------------------------------------------------------------------------------------- */

/* Limits the size of a file, as a full disk would. */
static void disk(rlim_t bytes)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_FSIZE, &r) == 0) {
        r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
        (void)setrlimit(RLIMIT_FSIZE, &r);
    }
}

static void no_faults(void)
{
    orr__pool_fail_after(-1);
    disk(RLIM_INFINITY);
    atomic_store(&orr_test_device.dead, false);
    atomic_store(&orr_test_device.kernels, false);
    atomic_store(&orr_test_device.life, -1);
}

static void inject(void)
{
    orr__pool_fail_after(-1);
    disk(RLIM_INFINITY);
    if (chance(5)) {
        orr__pool_fail_after((long)(orr_test_rand(&seed) % 80));
        count.refused++;
    }
    if (chance(4)) {
        disk((rlim_t)(orr_test_rand(&seed) % 3000));
        count.disk++;
    }
    if (atomic_load(&orr_test_device.dead) || atomic_load(&orr_test_device.kernels)) {
        if (chance(3)) {
            atomic_store(&orr_test_device.dead, false);
            atomic_store(&orr_test_device.kernels, false);
        }
    } else if (chance(8)) {
        bool kernels = chance(2);
        count.kernels += kernels;
        count.deaths += !kernels;
        if (kernels)
            atomic_store(&orr_test_device.kernels, true);
        else
            atomic_store(&orr_test_device.life, (int)(orr_test_rand(&seed) % 40));
    }
}

/* -- the program -------------------------------------------------------------------------------------------------------- */

typedef struct {
    int model;
    orr_module *m;
    orr_optim *o;
    orr_checkpoint *c;
    int64_t step;
} program;

static orr_tensor *flat(orr_tensor *x, void *unused)
{
    (void)unused;
    int64_t n = 8 * (SIDE / 2) * (SIDE / 2);
    return orr_reshape(x, ORR_SHAPE(-1, n));
}

static orr_module *make(int model)
{
    int64_t n = SIDE * SIDE, after = 8 * (SIDE / 2) * (SIDE / 2);
    if (model == 0)
        return orr_sequential(ORR_MODULES(orr_dense(n, 64, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                          orr_dense(64, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_conv_options o = { .padding = { 1, 1 } };
    return orr_sequential(ORR_MODULES(orr_conv_layer(1, 8, ORR_SHAPE(3, 3), &o, ORR_ACTIVATION_TANH,
                                                     ORR_INITIALISER_DEFAULT, ORR_INITIALISER_DEFAULT),
                                      orr_max_pool_layer(&(orr_pool_options){ .window = { 2, 2 } }),
                                      orr_function(flat, NULL),
                                      orr_dense(after, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
}

static orr_tensor *inputs(int model, int n, double freq)
{
    orr_tensor *x = orr_cos(orr_mul(orr_arange(ORR_F32, 0, (double)n * SIDE * SIDE, 1), orr_scalar(freq)));
    return model ? orr_reshape(x, ORR_SHAPE(n, 1, SIDE, SIDE)) : orr_reshape(x, ORR_SHAPE(n, SIDE * SIDE));
}

static bool begin(program *p, int model, const char *path)
{
    char file[1100];
    for (int g = 0; g < 2; g++) {
        (void)snprintf(file, sizeof file, "%s.%d.npz", path, g);
        (void)unlink(file);
    }
    orr_seed(7);
    *p = (program){ .model = model, .m = make(model) };
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.05;
    o.momentum = 0.9;
    p->o = orr_optim_of_module(ORR_OPTIM_SGD, p->m, &o);
    p->c = orr_checkpoint_new(path);
    return p->o && p->c && orr_checkpoint_add_module(p->c, "network", p->m) == ORR_OK &&
           orr_checkpoint_add_optim(p->c, "sgd", p->o) == ORR_OK &&
           orr_checkpoint_add_bytes(p->c, "step", &p->step, sizeof p->step) == ORR_OK &&
           orr_checkpoint_save(p->c) == ORR_OK;
}

static orr_status one_step(program *p)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = inputs(p->model, BATCH, 0.37 + 0.01 * (double)p->step);
    orr_tensor *y = orr_randn(ORR_F32, ORR_SHAPE(BATCH, CLASSES), 0.0, 1.0);
    orr_tensor *error = orr_sub(orr_forward(p->m, x), y), *loss = orr_mean(orr_mul(error, error), ORR_ALL_AXES, false);
    orr_status st = orr_optim_step(p->o, loss);
    if (st == ORR_OK)
        st = orr_eval(loss);
    (void)orr_scope_end(s);
    return st;
}

static bool known(orr_status st)
{
    return st == ORR_ENOMEM || st == ORR_EDEVICE || st == ORR_EIO;
}

/* Loads the last checkpoint, as a program does after a failed step. */
static bool go_back(program *p)
{
    for (int tries = 0; tries < TRIES; tries++) {
        bool found = false;
        orr_status st = orr_checkpoint_load(p->c, &found);
        if (st == ORR_OK)
            return found;
        ORR_CHECK_MSG(known(st), "load: %s", orr_error_message());
        orr_error_clear();
        count.failed_loads++;
        atomic_fetch_add(&count.steps, 1);
        inject();
    }
    return false;
}

/* Trains; answer: the network's outputs for some inputs at the end. */
static bool train(int model, const char *path, bool faults, float *answer)
{
    program p;
    disturbed = false;
    no_faults();
    bool ok = begin(&p, model, path);
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int tries = 0; ok && p.step < STEPS && tries < TRIES; tries++) {
        disturbed = faults;
        inject();
        orr_status st = one_step(&p);
        atomic_fetch_add(&count.steps, 1);
        if (st != ORR_OK) {
            ORR_CHECK_MSG(known(st), "step: %s", orr_error_message());
            orr_error_clear();
            count.failed_steps++;
            ok = go_back(&p);
            continue;
        }
        if (++p.step % 4 == 0) {
            count.saves++;
            if ((st = orr_checkpoint_save(p.c)) != ORR_OK) {
                ORR_CHECK_MSG(known(st), "save: %s", orr_error_message());
                orr_error_clear();
                count.failed_saves++;
                ok = go_back(&p);
            }
        }
    }
    no_faults();
    ok = ok && p.step == STEPS;
    orr_scope *s = orr_scope_begin();
    if (ok)
        ok = orr_read(orr_forward(p.m, inputs(model, PROBE, 0.11)), answer, PROBE * CLASSES * sizeof *answer) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s ends at step %d: %s", model_name[model], (int)p.step, orr_error_message());
    (void)orr_scope_end(s);
    orr_checkpoint_free(p.c);
    orr_optim_free(p.o);
    orr_module_free(p.m);
    return ok;
}

static double resident_mib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        (void)!fscanf(f, "%*d %ld", &pages);
        (void)fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static double wanted_seconds(void)
{
    const char *s = getenv("ORR_TEST_SECONDS");
    return s ? atof(s) : getenv("ORR_TEST_FULL") ? 3600 : 2;
}

/* Resident memory at equal intervals of time. */
static struct {
    double mib[SAMPLES + 1];
    int n;
} memory;

static void sample_memory(double part)
{
    while (memory.n <= part * SAMPLES && memory.n <= SAMPLES)
        memory.mib[memory.n++] = resident_mib();
}

static void report(double seconds, double worst)
{
    orr__device_state d = { .retired = 0 };
    (void)orr__engine_device(0, &d);
    printf(
        "  %.0f s: %ld trainings, %ld steps; injected: %ld refused allocations, %ld times kernels fail, %ld deaths of "
        "the device, %ld full disks;\n"
        "  seen: %ld failed steps, %ld of %ld failed saves, %ld failed loads; device: %d launches, %d calls failed, "
        "%llu times retired;\n"
        "  worst difference %.2g; resident MiB:",
        seconds, count.episodes, atomic_load(&count.steps), count.refused, count.kernels, count.deaths, count.disk,
        count.failed_steps, count.failed_saves, count.saves, count.failed_loads, atomic_load(&orr_test_device.launches),
        atomic_load(&orr_test_device.failures), (unsigned long long)d.retired, worst);
    for (int i = 0; i < memory.n; i++)
        printf(" %.1f", memory.mib[i]);
    printf("\n");
    (void)fflush(stdout);
}

static void training_survives_faults(void)
{
    enum { STANDS_STILL = 240 /* s */ };
    static float want[MODELS][PROBE * CLASSES], got[PROBE * CLASSES];
    char path[1024];
    double worst = 0, until = wanted_seconds(), reported = 0;
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("state"));
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_tmp("kernels"), 1);
    (void)setenv("ORRERY_DEVICE_COPIES", "on", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("STARPU_NCPU", "1", 0);
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    (void)setenv("STARPU_SCHED", "random", 1); /* the device does its share, although it is slower */
    orr__device_first_rest = 0.02;
    orr__device_longest_rest = 0.1; /* it fails often and must return often */
    orr_test_device_use();
    orr_test_watch(&count.steps, STANDS_STILL);
    /* A device that is not requested by name gets no more of a plan after the processors were found faster. */
    if (orr_init(&(orr_config){ .backend = "opencl" }) != ORR_OK) {
        orr_error_clear();
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    }
    orr__env.log = 0;
    for (int m = 0; m < MODELS; m++)
        ORR_REQUIRE(train(m, path, false, want[m]));
    double begun = orr__now();
    size_t live = 0;
    for (; orr__now() < begun + until; count.episodes++) {
        int m = (int)(count.episodes % MODELS);
        ORR_REQUIRE(train(m, path, true, got));
        for (int i = 0; i < PROBE * CLASSES; i++) {
            double e = fabs((double)got[i] - (double)want[m][i]);
            worst = e > worst || isnan(e) ? e : worst;
        }
        ORR_CHECK_MSG(worst < 2e-4, "%s, episode %ld: %g beside the undisturbed run", model_name[m], count.episodes,
                      worst);
        double part = (orr__now() - begun) / until;
        sample_memory(part);
        if (live == 0 && part >= 0.25) /* by then all kernels and pools have their sizes */
            live = orr__pool_get_stats().live;
        if (orr__now() - begun > reported + 300) {
            reported = orr__now() - begun;
            report(reported, worst);
        }
    }
    sample_memory(1);
    report(orr__now() - begun, worst);
    ORR_CHECK(count.refused > 0 && count.kernels + count.deaths > 0 && count.disk > 0);
    double mid = memory.mib[SAMPLES / 4], last = memory.mib[SAMPLES];
    ORR_CHECK_MSG(last < mid + 24, "resident: %.1f MiB, then %.1f MiB", mid, last);
    ORR_CHECK_MSG(orr__pool_get_stats().live <= live + (4U << 20), "live: %zu bytes, then %zu", live,
                  orr__pool_get_stats().live);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(training_survives_faults), { 0 } };
    return orr_test_main(argc, argv, "nn.faults", tests);
}
