/* Training steps of a small network, for tests that run them under many settings.
 * Must not know: settings. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/harness/steps.h"

enum { BATCH = 128, OUT = 10, PARAMETERS = 6 };

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

typedef struct {
    orr_module *net;
    orr_optim *opt;
    orr_tensor *x, *label;
} training;

static bool start(training *t)
{
    bool large = getenv("ORR_TEST_LARGE") != NULL;
    int in = large ? 784 : 96, h1 = large ? 512 : 128, h2 = large ? 256 : 64;
    orr_seed(7);
    t->net = orr_sequential(ORR_MODULES(orr_dense(in, h1, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(h1, h2, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                        orr_dense(h2, OUT, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    t->opt = t->net ? orr_optim_of_module(ORR_OPTIM_ADAM, t->net, NULL) : NULL;
    t->x = orr_keep(orr_randn(ORR_F32, ORR_SHAPE(BATCH, in), 0.0, 1.0));
    t->label = orr_keep(orr_randint(ORR_I64, ORR_SHAPE(BATCH), 0, OUT));
    return t->opt && orr_eval_all(ORR_TENSORS(t->x, t->label)) == ORR_OK;
}

static orr_status one_step(training *t, double *loss)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *l = orr_cross_entropy(orr_forward(t->net, t->x), t->label);
    orr_status st = orr_optim_step(t->opt, l);
    if (st == ORR_OK)
        st = orr_item(l, loss);
    (void)orr_scope_end(s);
    return st;
}

static uint64_t mix_parameters(const training *t, uint64_t h)
{
    orr_parameter p[PARAMETERS];
    int n = orr_module_parameters(t->net, p, PARAMETERS);
    ORR_CHECK(n == PARAMETERS);
    for (int i = 0; i < n && i < PARAMETERS; i++) {
        size_t bytes = (size_t)orr_tensor_size(p[i].variable) * sizeof(float);
        const void *data = orr_data(p[i].variable);
        ORR_CHECK_MSG(data != NULL, "%s", orr_error_message());
        h = data ? mix(h, data, bytes) : h;
    }
    return h;
}

bool steps_run(int steps, double *first, double *last, uint64_t *bits)
{
    training t = { 0 };
    bool ok = start(&t);
    uint64_t h = 0xcbf29ce484222325u;
    for (int k = 0; k < steps && ok; k++) {
        orr_test_alarm();
        ok = one_step(&t, last) == ORR_OK;
        *first = k ? *first : *last;
        h = mix(h, last, sizeof *last);
    }
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    *bits = ok ? mix_parameters(&t, h) : 0;
    orr_optim_free(t.opt);
    orr_module_free(t.net);
    (void)orr_free(t.x);
    (void)orr_free(t.label);
    return ok;
}

void steps_child(void)
{
    const char *count = getenv("ORR_TEST_STEPS"), *file = getenv("ORR_TEST_BITS");
    double first = 0, last = 0;
    uint64_t bits = 0;
    if (!steps_run(count ? atoi(count) : 10, &first, &last, &bits))
        return;
    ORR_CHECK_MSG(isfinite(last) && last < first, "the loss went from %g to %g", first, last);
    FILE *f = file ? fopen(file, "ae") : NULL;
    ORR_CHECK(!file || f);
    if (f) {
        (void)fprintf(f, "training %.9g %.9g %016llx\n", first, last, (unsigned long long)bits);
        ORR_CHECK(fclose(f) == 0);
    }
}
