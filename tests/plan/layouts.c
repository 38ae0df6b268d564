/* Values between convolutions are in blocks of channels, and maps become epilogues: their places, and the same
 * values as without.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include <orrery/conv.h>
#include <orrery/nn.h>
#include <stdlib.h>
#include "codelets/codelet.h"
#include "tests/harness/plan_help.h"

enum { OUTPUTS = 7 };

/* Images by planes (n, c, side, side). */
typedef struct {
    const char *name;
    int64_t n, c, side, groups, stride;
    bool normalised; /* by statistics of the batch, folds that keep only the channels */
} net;

static const net nets[] = { { "batch", 17, 16, 14, 1, 1, false },        { "few", 3, 32, 14, 1, 1, false },
                            { "one", 1, 32, 14, 1, 2, false },           { "groups", 18, 32, 13, 2, 1, false },
                            { "few groups", 2, 32, 13, 2, 2, false },    { "depthwise", 16, 24, 20, 24, 1, false },
                            { "odd channels", 16, 12, 14, 1, 1, false }, { "normalised", 16, 64, 14, 1, 1, true },
                            { "normalised, few", 3, 32, 15, 1, 1, true } };
enum { NETS = sizeof nets / sizeof *nets };

static orr_tensor *number(double v)
{
    return orr_full(ORR_F32, ORR_SHAPE(1), v);
}

static orr_tensor *weights(int64_t o, int64_t c, double phase)
{
    orr_tensor *w = orr_reshape(orr_arange(ORR_F32, 0, (double)(o * c * 9), 1), ORR_SHAPE(o, c, 3, 3));
    return orr_variable(orr_mul(orr_sin(orr_add(w, number(phase))), number(1 / sqrt(9.0 * (double)c))));
}

static orr_tensor *per_channel(int64_t c, double phase)
{
    return orr_variable(orr_cos(orr_add(orr_arange(ORR_F32, 0, (double)c, 1), number(phase))));
}

/* A residual block between a first convolution and means: all of its values stay in blocks. */
static void build(const net *k, orr_tensor *out[OUTPUTS])
{
    int64_t c = k->c, n = k->n, side = k->side;
    orr_tensor *x =
        orr_sin(orr_reshape(orr_arange(ORR_F32, 0, (double)(n * 3 * side * side), 1), ORR_SHAPE(n, 3, side, side)));
    orr_tensor *w0 = weights(c, 3, 0), *w1 = weights(c, c / k->groups, 1), *w2 = weights(c, c / k->groups, 2);
    orr_tensor *b0 = per_channel(c, 0), *scale = per_channel(c, 1), *shift = per_channel(c, 2);
    orr_conv_options first = { .padding = { 1, 1 }, .stride = { k->stride, k->stride } },
                     o = { .padding = { 1, 1 }, .groups = (int)k->groups };
    orr_shape column = ORR_SHAPE(c, 1, 1);
    orr_tensor *h = orr_conv(x, w0, b0, &first);
    if (k->normalised) {
        orr_tensor *far = orr_add(orr_var(h, ORR_AXES(0, 2, 3), 0, true), number(0.1));
        h = orr_mul(orr_sub(h, orr_mean(h, ORR_AXES(0, 2, 3), true)), orr_rsqrt(far));
    }
    h = orr_relu(h);
    orr_tensor *z = orr_tanh(orr_conv(h, w1, NULL, &o));
    z = orr_add(orr_mul(orr_conv(z, w2, NULL, &o), orr_reshape(scale, column)), orr_reshape(shift, column));
    orr_tensor *y = orr_relu(orr_add(z, h)), *in[] = { w0, w1, w2, b0, scale };
    out[0] = orr_mean(y, ORR_AXES(2, 3), false);
    out[1] = y;
    ORR_CHECK(orr_grad(orr_sum(orr_square(out[0]), ORR_ALL_AXES, false), in, 5, out + 2) == ORR_OK);
}

static size_t count_of(const orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    return (size_t)orr__shape_count(&s);
}

static float *values(orr_tensor *const *t, int n, size_t *count)
{
    size_t all = 0, at = 0;
    ORR_CHECK_MSG(orr_eval_all(t, n) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < n; i++)
        all += count_of(t[i]);
    float *to = malloc(all * sizeof *to);
    for (int i = 0; to && i < n; at += count_of(t[i++]))
        ORR_CHECK(orr_read(t[i], to + at, count_of(t[i]) * sizeof *to) == ORR_OK);
    *count = all;
    return to;
}

static float *computed(const net *k, const char *ablate, const char *workers, int n, size_t *count)
{
    orr_tensor *out[OUTPUTS];
    ORR_CHECK(setenv("ORRERY_ABLATE", ablate, 1) == 0 && setenv("STARPU_NCPU", workers, 1) == 0);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    build(k, out);
    float *v = values(out, n, count);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_ABLATE");
    return v;
}

static void same(const net *k, const char *without, const char *workers, int n)
{
    size_t na = 0, nb = 0;
    float *a = computed(k, "", workers, n, &na), *b = computed(k, without, workers, n, &nb);
    double off = 0, most = 0;
    for (size_t i = 0; a && b && i < na; i++) {
        most = fmax(most, fabs((double)b[i]));
        off = fmax(off, fabs((double)a[i] - (double)b[i]));
    }
    ORR_CHECK_MSG(a && b && na == nb && off <= 2e-5 * most, "%s without %s: %g off, of %g", k->name, without, off,
                  most);
    free(a);
    free(b);
}

static void values_are_those_of_rows(void)
{
    for (int k = 0; k < NETS; k++) {
        same(&nets[k], "layouts,epilogues,onednn", "2", OUTPUTS);
        same(&nets[k], "layouts,epilogues", "1", 2);
    }
}

/* Counts calls with arrays in blocks, and with an epilogue. */
static void count(const orr__plan *p, int *blocked, int *epilogues)
{
    *blocked = *epilogues = 0;
    for (int i = 0; i < p->nstep; i++) {
        *blocked += p->step[i].region->call.blocked != 0;
        *epilogues += p->step[i].region->epilogue != NULL;
    }
}

static void chains_lie_in_blocks_and_have_epilogues(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int k = 0; k < NETS; k++) {
        orr_tensor *out[OUTPUTS];
        int blocked, epilogues;
        build(&nets[k], out);
        orr__plan *p = plan_of(out, 1, 2);
        ORR_REQUIRE(p != NULL);
        count(p, &blocked, &epilogues);
        int convolutions = 0, library = 0;
        for (int i = 0; i < p->nstep; i++) {
            convolutions += p->step[i].region->call.op != NULL;
            library += p->step[i].region->call.op &&
                       (orr__cpu.blocks(p->step[i].region, 8) || orr__cpu.blocks(p->step[i].region, 16));
        }
        bool whole =
            nets[k].n == 1 || nets[k].n >= 16; /* else rows of calls are planes, and images for maps with parameters */
        whole = whole && !nets[k].normalised;  /* the first is read by statistics */
        ORR_CHECK_MSG(convolutions == 3 && epilogues >= 1 + whole, "%s: %d of %d have epilogues", nets[k].name,
                      epilogues, convolutions); /* the last is read by a mean */
        if (library == 3)
            ORR_CHECK_MSG(blocked == 3, "%s: %d lie in blocks", nets[k].name, blocked);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A reordered kernel is reordered again after its variable gets another value, in the same memory or not. */
static void a_new_value_of_the_weights_is_seen(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *w = weights(32, 32, 0);
    orr_conv_options o = { .padding = { 1, 1 } };
    orr_tensor *b = orr_keep(orr_tanh(orr_reshape(orr_arange(ORR_F32, 0, 32 * 14 * 14, 1), ORR_SHAPE(1, 32, 14, 14))));
    double first = 0;
    for (int i = 0; i < 6; i++) {
        orr_scope *s = orr_scope_begin();
        double got = 0, again = 0;
        orr_tensor *sum = orr_sum(orr_square(orr_relu(orr_conv(b, w, NULL, &o))), ORR_ALL_AXES, false);
        ORR_CHECK(orr_item(sum, &got) == ORR_OK);
        sum = orr_sum(orr_square(orr_relu(orr_conv(b, w, NULL, &o))), ORR_ALL_AXES, false);
        ORR_CHECK(orr_item(sum, &again) == ORR_OK && again == got);
        first = i ? first : got;
        ORR_CHECK_MSG(fabs(got / first / pow(4, i) - 1) < 1e-4, "step %d: %g, first %g", i, got, first);
        ORR_CHECK(orr_assign(w, orr_mul(w, number(2))) == ORR_OK && orr_eval(w) == ORR_OK);
        (void)orr_scope_end(s);
    }
    orr_free(b);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(values_are_those_of_rows),
                                      ORR_TEST(chains_lie_in_blocks_and_have_epilogues),
                                      ORR_TEST(a_new_value_of_the_weights_is_seen),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.layouts", tests);
}
