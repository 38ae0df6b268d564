/* Fusion's cases in Orrery, as a user writes them: each call records the graph and frees it.
 * Must not know: their references. */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include <orrery/optim.h>
#include "bench/bench.h"
#include "bench/fusion.h"

static struct {
    fusion_work w;
    orr_tensor *in[4]; /* the arrays, followed by gain and bias of the norms */
    orr_tensor *param;
    orr_optim *adam;
} g;

#define NUM(x) orr_scalar(x)

static orr_tensor *affine(orr_tensor *x)
{
    return orr_add(orr_mul(x, NUM(HAND_A)), NUM(HAND_B));
}

static orr_tensor *poly6(orr_tensor *x)
{
    orr_tensor *t = affine(x);
    orr_tensor *q = orr_add(orr_mul(orr_add(orr_mul(t, NUM(HAND_C2)), NUM(HAND_C1)), t), NUM(HAND_C0));
    return orr_leaky_relu(q, HAND_ALPHA);
}

static orr_tensor *normal_cdf(orr_tensor *x)
{
    return orr_add(orr_mul(orr_erf(orr_mul(x, NUM(0.7071067811865476))), NUM(0.5)), NUM(0.5));
}

static int black_scholes(orr_tensor *price, orr_tensor *strike, orr_tensor *t, orr_tensor **out)
{
    orr_tensor *root = orr_mul(orr_sqrt(t), NUM(HAND_SIGMA));
    orr_tensor *drift = orr_mul(t, NUM(HAND_RATE + 0.5 * HAND_SIGMA * HAND_SIGMA));
    orr_tensor *d1 = orr_div(orr_add(orr_log(orr_div(price, strike)), drift), root);
    orr_tensor *paid = orr_mul(strike, orr_exp(orr_mul(t, NUM(-HAND_RATE))));
    out[0] = orr_sub(orr_mul(price, normal_cdf(d1)), orr_mul(paid, normal_cdf(orr_sub(d1, root))));
    out[1] = orr_add(orr_sub(out[0], price), paid);
    return 2;
}

/* bf16 is computed in f32 and rounded once, as in PyTorch's own layer norm and by JAX's compiler. */
static orr_tensor *layer_norm(orr_tensor *x, orr_tensor *gain, orr_tensor *bias)
{
    orr_dtype given = orr_tensor_dtype(x);
    orr_tensor *wide = given == ORR_BF16 ? orr_cast(x, ORR_F32) : x;
    orr_tensor *centred = orr_sub(wide, orr_mean(wide, ORR_AXES(-1), true));
    orr_tensor *var = orr_mean(orr_square(centred), ORR_AXES(-1), true);
    orr_tensor *y = orr_add(orr_mul(orr_mul(centred, orr_rsqrt(orr_add(var, NUM(HAND_EPS)))), gain), bias);
    return given == ORR_BF16 ? orr_cast(y, given) : y;
}

static orr_tensor *dropout(orr_tensor *x)
{
    orr_tensor *mask = orr_bernoulli(orr_tensor_shape(x), 1.0 - HAND_DROP);
    return orr_where(mask, orr_mul(x, NUM(1.0 / (1.0 - HAND_DROP))), NUM(0.0));
}

static orr_tensor *chain(orr_tensor *x, int ops)
{
    orr_tensor *t = x;
    for (int i = 0; i < ops; i += 4) {
        t = orr_add(orr_mul(t, NUM(HAND_MUL)), x);
        t = orr_sub(orr_maximum(t, NUM(HAND_FLOOR)), NUM(HAND_SUB));
    }
    return t;
}

/* Records the case and returns the number of outputs. Adam's outputs are assigned, not returned. */
static int record(orr_tensor **out)
{
    orr_tensor *const *in = g.in;
    switch (g.w.c->id) {
    case HAND_POLY6: return out[0] = poly6(in[0]), 1;
    case HAND_SILU: return out[0] = orr_silu(affine(in[0])), 1;
    case HAND_GELU: return out[0] = orr_gelu_tanh(affine(in[0])), 1;
    case HAND_BLACK_SCHOLES: return black_scholes(in[0], in[1], in[2], out);
    case HAND_COMPARE:
        out[0] = orr_greater(orr_sub(orr_mul(in[0], in[1]), orr_mul(in[0], NUM(4.1))), orr_mul(in[1], NUM(2.5)));
        return 1;
    case HAND_SOFTMAX: return out[0] = orr_softmax(in[0], -1), 1;
    case HAND_LAYER_NORM: return out[0] = layer_norm(in[0], in[2], in[3]), 1;
    case HAND_DROPOUT_NORM: return out[0] = layer_norm(orr_add(dropout(in[0]), in[1]), in[2], in[3]), 1;
    case HAND_EMBEDDING: return out[0] = layer_norm(orr_mul(orr_take(in[0], in[1], 0), NUM(HAND_A)), in[2], in[3]), 1;
    case HAND_SUM_SQUARES: return out[0] = orr_sum(orr_square(in[0]), ORR_ALL_AXES, false), 1;
    case HAND_COLUMNS:
        out[0] = orr_mean(in[0], ORR_AXES(0), false);
        out[1] = orr_std(in[0], ORR_AXES(0), 0.0, false);
        return 2;
    case HAND_ADAM: return (void)orr_optim_apply(g.adam, &in[1], 1), 0;
    case HAND_CHAIN4:
    case HAND_CHAIN8:
    case HAND_CHAIN16:
    case HAND_CHAIN32: return out[0] = chain(in[0], g.w.c->ops), 1;
    case HAND_IDS: break;
    }
    return 0;
}

int fusion_ours_once(void *unused)
{
    (void)unused;
    orr_tensor *out[2];
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval_all(out, record(out));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("fusion");
}

static bool rows(hand_id id)
{
    return id == HAND_SOFTMAX || id == HAND_LAYER_NORM || id == HAND_DROPOUT_NORM || id == HAND_EMBEDDING ||
           id == HAND_COLUMNS;
}

static orr_tensor *row_numbers(int64_t n)
{
    int32_t *number = malloc((size_t)n * sizeof *number);
    for (int64_t r = 0; number && r < n; r++)
        number[r] = hand_row_of(r, n);
    orr_tensor *t = number ? orr_keep(orr_from(ORR_I32, ORR_SHAPE(n), number)) : NULL;
    free(number);
    return t;
}

static orr_tensor *input(const fusion_work *w, int k)
{
    static const orr_dtype dtype[HAND_DTYPES] = { ORR_F32, ORR_F64, ORR_BF16 };
    float *x = malloc((size_t)w->n * sizeof *x);
    if (!x)
        return NULL;
    fusion_fill(x, w->n, k, w->c->lo[k], w->c->hi[k]);
    orr_scope *s = orr_scope_begin();
    orr_shape shape = rows(w->c->id) ? ORR_SHAPE(w->n / HAND_COLS, HAND_COLS) : ORR_SHAPE(w->n);
    orr_tensor *t = orr_cast(orr_from(ORR_F32, shape, x), dtype[w->dtype]);
    free(x);
    if (orr_eval(t) == ORR_OK)
        (void)orr_keep(t);
    (void)orr_scope_end(s);
    return t;
}

static int prepare_inputs(const fusion_work *w)
{
    for (int i = 0; i < w->c->nin; i++)
        g.in[i] = input(w, i);
    orr_dtype d = orr_tensor_dtype(g.in[0]);
    if (w->c->id == HAND_EMBEDDING)
        g.in[1] = row_numbers(w->n / HAND_COLS);
    if (w->c->id == HAND_LAYER_NORM || w->c->id == HAND_DROPOUT_NORM || w->c->id == HAND_EMBEDDING) {
        g.in[2] = orr_keep(orr_full(d, ORR_SHAPE(HAND_COLS), HAND_A));
        g.in[3] = orr_keep(orr_full(d, ORR_SHAPE(HAND_COLS), HAND_B));
        return orr_eval_all(g.in + 2, 2) == ORR_OK ? 0 : bench_failed("fusion");
    }
    if (w->c->id == HAND_ADAM) {
        g.param = orr_keep(orr_variable(g.in[0]));
        g.adam = orr_optim_new(ORR_OPTIM_ADAM, &g.param, 1, NULL);
        return g.adam ? 0 : bench_failed("fusion");
    }
    return orr_tensor_status(g.in[0]) == ORR_OK ? 0 : bench_failed("fusion");
}

int fusion_ours_prepare(const fusion_work *w, double *checksum)
{
    g.w = *w;
    if (prepare_inputs(w) != 0)
        return 1;
    orr_tensor *out[2];
    orr_scope *s = orr_scope_begin();
    int n = record(out);
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < n; i++)
        st = orr_warmup(out[i]);
    if (st == ORR_OK)
        st = orr_eval_all(out, n);
    if (w->c->id == HAND_ADAM)
        out[n++] = g.param;
    *checksum = 0.0;
    for (int i = 0; st == ORR_OK && i < n; i++) {
        double mean = 0.0;
        st = orr_item(orr_mean(orr_abs(orr_cast(out[i], ORR_F64)), ORR_ALL_AXES, false), &mean);
        *checksum += mean;
    }
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("fusion");
}

void fusion_ours_drop(void)
{
    orr_optim_free(g.adam);
    (void)orr_free(g.param);
    for (int i = 0; i < 4; i++)
        (void)orr_free(g.in[i]);
    g.adam = NULL;
    g.param = NULL;
    for (int i = 0; i < 4; i++)
        g.in[i] = NULL;
}
