/* Random graphs: the operations of networks, on the first elements of a value: windows, normalisation, attention, scans,
 * gathered rows, losses.
 * Must not know: engines. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/conv.h>
#include <orrery/loss.h>
#include <orrery/norm.h>
#include <orrery/recurrent.h>
#include <orrery/sequence.h>
#include <stdlib.h>
#include "tests/harness/random_graph.h"

enum {
    CONVOLUTION,
    TURNED,
    WEIGHTS,
    MAX,
    AVERAGE,
    RESIZE,
    LAYER,
    GROUP,
    BATCH,
    LOCAL,
    ATTENTION,
    SCAN,
    ROTARY,
    ALONG,
    SCATTER,
    GATHER,
    LOSS
};
enum { KINDS = LOSS + 1, PLACES = 3 /* spatial axes at most */, WIDE = 10 /* channels: more than other values have */ };

/* The first elements of x as a tensor of this shape. */
static orr_tensor *piece(orr_tensor *x, orr_shape s)
{
    orr_tensor *flat = orr_reshape(x, ORR_SHAPE(orr_tensor_size(x)));
    return orr_reshape(orr_slice_axis(flat, 0, 0, orr__shape_count(&s), 1), s);
}

/* The same elements, mapped to between −1 and 1. */
static orr_tensor *tame(orr_tensor *x, orr_shape s)
{
    return orr_sin(piece(x, s));
}

/* -- windows: lengths in p->a, dilations in p->b, strides in p->c, paddings in p->axes, groups in p->x ------------------- */

static orr_conv_options conv_options(const rg_param *p)
{
    orr_conv_options o = { .groups = (int64_t)p->x };
    for (int d = 0; d < PLACES; d++) {
        o.stride[d] = p->c.v[d];
        o.dilation[d] = p->b.v[d];
        o.padding[d] = p->axes.axis[d];
    }
    return o;
}

static orr_pool_options pool_options(const rg_param *p)
{
    orr_pool_options o = { .round_up = p->keep, .exclude_padding = p->y > 0 };
    for (int d = 0; d < PLACES; d++) {
        o.window[d] = p->a.v[d];
        o.stride[d] = p->c.v[d];
        o.padding[d] = p->axes.axis[d];
    }
    return o;
}

static orr_tensor *apply_window(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_conv_options c = conv_options(p);
    orr_pool_options o = pool_options(p);
    orr_tensor *x = piece(in[0], p->shape);
    orr_shape to = { p->shape.rank - 2, { p->a.v[0], p->a.v[1], p->a.v[2] } };
    (void)n;
    switch (p->axis) {
    case CONVOLUTION: return orr_conv(x, in[1], NULL, &c);
    case TURNED: return orr_conv_transpose(x, in[1], NULL, &c);
    case WEIGHTS: return orr_conv_weights(x, orr_tanh(orr_conv(x, in[1], NULL, &c)), to, &c);
    case MAX: return orr_max_pool(x, &o);
    case AVERAGE: return orr_average_pool(x, &o);
    default: return orr_resize(x, to, (orr_resize_mode)p->seed, p->keep && p->seed - 1 < 2);
    }
}

static bool choose_window(rg_graph *g, rg_step *s, orr_dtype d)
{
    rg_param *p = &s->p;
    orr_shape *x = &p->shape, w = *x;
    int64_t channels = x->dim[1], groups = 1, taps = 1;
    bool pools = p->axis == MAX || p->axis == AVERAGE, turned = p->axis == TURNED;
    p->keep = rg_pick(g, 2);
    p->y = rg_pick(g, 2);
    p->seed = (uint64_t)rg_pick(g, 5);
    for (int k = 0; k + 2 < x->rank; k++) {
        int64_t length = x->dim[k + 2], window = 1 + rg_pick(g, 3);
        p->b.v[k] = 1 + rg_pick(g, 2);
        p->c.v[k] = 1 + rg_pick(g, 2);
        if (pools)
            window = window < length ? window : length;
        int64_t span = pools ? window : p->b.v[k] * (window - 1) + 1,
                need = span > length ? (span - length + 1) / 2 : 0;
        p->a.v[k] = p->axis == RESIZE ? 1 + rg_pick(g, 7) : window;
        p->axes.axis[k] = turned ? 0 : pools ? rg_pick(g, (int)window / 2 + 1) : (int)need + rg_pick(g, 2);
        w.dim[k + 2] = window;
        taps *= window;
    }
    if (rg_pick(g, 2))
        groups = channels % 2 == 0 && rg_pick(g, 2) ? 2 : channels; /* depthwise */
    p->x = (double)groups;
    int64_t more = 1 + rg_pick(g, p->axis == CONVOLUTION && channels > WIDE ? 8 : 2);
    w.dim[0] = turned ? channels : groups * more;
    w.dim[1] = turned ? more : channels / groups;
    s->nin = 1;
    if (p->axis <= WEIGHTS) {
        s->in[s->nin++] = rg_leaf(g, d, w);
        double terms = (double)(taps * channels) * (p->axis == WEIGHTS ? (double)orr__shape_count(x) : 1);
        s->slack = 8 * terms;
        s->square = true;
    } else if (p->axis != MAX) {
        s->slack = 64;
    }
    if (orr__is_half(d)) { /* computed in f32 and rounded once */
        s->slack *= 0x1p-13;
        s->ulps = 2;
    }
    s->apply = apply_window;
    return s->in[s->nin - 1] >= 0;
}

/* -- normalisation, attention, scans, losses: (outer, rows, columns) ------------------------------------------------------- */

static void gated(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    carry[0] = orr_add(orr_mul(orr_sigmoid(orr_mul(carry[0], user)), carry[0]), orr_tanh(x[0]));
    y[0] = orr_square(carry[0]);
}

static orr_tensor *scanned(orr_tensor *x, orr_tensor *w, bool reverse)
{
    orr_tensor *carry = orr_select(x, 0, 0), *y = NULL;
    orr_scan_lists l = { .carry = &carry, .x = &x, .y = &y, .n_carry = 1, .n_x = 1, .n_y = 1 };
    (void)orr_scan(gated, &l, orr_select(w, 0, 0), &(orr_scan_options){ .reverse = reverse });
    return orr_add(y, carry);
}

/* Heads are the outer axis; there are as many keys as queries; the mask is a row of the leaf. */
static orr_tensor *attended(orr_tensor *x, orr_tensor *w, const rg_param *p)
{
    orr_attention_options o = { .causal = p->keep, .window = p->keep && p->y > 0 ? 2 : 0, .scale = p->y };
    orr_tensor *k = orr_add(x, w), *v = orr_mul(x, w), *mask = NULL;
    if (p->x > 0) /* neighbouring queries share keys and values */
        k = orr_slice_axis(k, 0, 0, 1, 1), v = orr_slice_axis(v, 0, 0, 1, 1);
    if (p->seed == 1)
        mask = orr_transpose(orr_slice_axis(w, -1, 0, 1, 1));
    if (p->seed == 2)
        mask = orr_greater(orr_transpose(orr_slice_axis(w, -1, 0, 1, 1)), orr_scalar(-0.5));
    return orr_attention(x, k, v, mask, &o);
}

static orr_tensor *apply_rows(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_shape s = p->shape;
    orr_tensor *x = tame(in[0], s), *w = orr_sin(in[1]);
    orr_tensor *of_channels = orr_reshape(
        orr_slice(w, ORR_INDEX(0, 0, 0), ORR_INDEX(1, s.dim[1], 1), ORR_INDEX(1, 1, 1)), ORR_SHAPE(s.dim[1]));
    (void)n;
    switch (p->axis) {
    case LAYER: return orr_layer_norm(x, p->keep ? 2 : 1, p->keep ? orr_select(w, 0, 0) : NULL, NULL, 0.1);
    case GROUP: return orr_group_norm(x, p->keep ? 1 : s.dim[1], of_channels, NULL, 0.1);
    case BATCH: return orr_batch_norm_training(x, of_channels, of_channels, 0.1, NULL, NULL);
    case LOCAL: return orr_local_response_norm(x, 2, 0.5, 0.75, 1);
    case ATTENTION: return attended(x, w, p);
    case SCAN: return scanned(x, w, p->keep);
    case ROTARY: return orr_rotary(orr_concat(ORR_TENSORS(x, w), -1), 3, 100, p->keep);
    default:
        return p->seed == 0   ? orr_huber_loss(x, w, 0.5, ORR_REDUCTION_NONE)
               : p->seed == 1 ? orr_binary_cross_entropy_with_logits(x, orr_sigmoid(w), NULL, NULL, ORR_REDUCTION_MEAN)
                              : orr_kl_loss(orr_log_softmax(x, -1), orr_softmax(w, -1), false, ORR_REDUCTION_SUM);
    }
}

static bool choose_rows(rg_graph *g, rg_step *s, orr_dtype d)
{
    s->p.keep = rg_pick(g, 2);
    s->p.x = rg_pick(g, 2);
    s->p.y = rg_pick(g, 2);
    s->p.seed = (uint64_t)rg_pick(g, 3);
    s->in[1] = rg_leaf(g, d, s->p.shape);
    s->nin = 2;
    s->apply = apply_rows;
    s->slack = s->p.axis == LOSS   ? 16 + 4 * (double)orr__shape_count(&s->p.shape)
               : s->p.axis == SCAN ? 64 + 16 * (double)s->p.shape.dim[0]
                                   : 64;
    if (s->p.axis == BATCH && s->p.shape.dim[0] * s->p.shape.dim[2] < 2)
        return false;
    return s->in[1] >= 0;
}

/* -- rows that indices name -------------------------------------------------------------------------------------------------- */

static orr_tensor *apply_places(orr_tensor *const *in, int n, const rg_param *p)
{
    orr_tensor *x = piece(in[0], p->shape);
    int64_t rows = p->shape.dim[1];
    orr_tensor *at = orr_remainder(orr_cast(in[1], ORR_I64), orr_scalar((double)rows));
    (void)n;
    if (p->axis == ALONG)
        return orr_take_along_axis(x, at, 1);
    if (p->axis == GATHER) /* (rows, 2) */
        return orr_gather_nd(orr_select(x, 0, 0), orr_stack(ORR_TENSORS(at, orr_mul(at, orr_scalar(0))), -1));
    orr_tensor *updates = orr_take(x, at, 1);
    return orr_scatter(x, at, p->keep ? orr_neg(updates) : updates, 1, (orr_scatter_mode)p->seed);
}

static bool choose_places(rg_graph *g, rg_step *s)
{
    orr_shape at = ORR_SHAPE(1 + rg_pick(g, 5));
    if (s->p.axis == ALONG)
        at = ORR_SHAPE(s->p.shape.dim[0], 1 + rg_pick(g, 4), s->p.shape.dim[2]);
    s->p.keep = rg_pick(g, 2);
    s->p.seed = (uint64_t)rg_pick(g, ORR_SCATTER_MAX + 1);
    s->in[1] = rg_leaf(g, rg_pick(g, 2) ? ORR_I32 : ORR_U8, at);
    s->nin = 2;
    s->apply = apply_places;
    if (s->p.axis == SCATTER && s->p.seed == ORR_SCATTER_ADD)
        s->slack = 16;
    if (s->p.axis == SCATTER && s->p.seed == ORR_SCATTER_MUL)
        s->ulps = 8;
    return s->in[1] >= 0;
}

static bool large(void)
{
    return getenv("ORR_TEST_LARGE") != NULL;
}

/* Lengths of `rank` axes with at most `count` elements; with ORR_TEST_LARGE the outermost axis has several tiles. */
static orr_shape lengths(rg_graph *g, int rank, int64_t count)
{
    orr_shape s = { rank, { 0 } };
    for (int d = 0; d < rank; d++)
        s.dim[d] = !large() ? 1 + rg_pick(g, d ? 6 : 2) : d ? 1 + rg_pick(g, 10) : 20 + rg_pick(g, 40);
    while (orr__shape_count(&s) > count) {
        int longest = 1;
        for (int d = 2; d < rank; d++)
            longest = s.dim[d] > s.dim[longest] ? d : longest;
        s.dim[s.dim[longest] > 1 ? longest : 0]--;
    }
    return s;
}

static bool choose(rg_graph *g, rg_step *s, int kind)
{
    static const char *const names[] = { "conv",         "conv_transpose",  "conv_weights", "max_pool",
                                         "average_pool", "resize",          "layer_norm",   "group_norm",
                                         "batch_norm",   "local_norm",      "attention",    "scan",
                                         "rotary",       "take_along_axis", "scatter",      "gather_nd",
                                         "loss" };
    int i = g->last;
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    orr_shape shape = orr_tensor_shape(g->v[i].t);
    int64_t count = orr__shape_count(&shape);
    bool plain = (kind <= RESIZE && kind != WEIGHTS) || (kind >= ALONG && kind <= GATHER);
    if (!(orr__is_half(d) && plain) && d != ORR_F32 && d != ORR_F64)
        count = 0;
    if (count < 2 || !g->v[i].finite) { /* a value that fits */
        static const orr_dtype dtypes[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
        d = dtypes[rg_pick(g, plain ? 4 : 2)];
        shape = ORR_SHAPE((large() ? 400 : 2) + rg_pick(g, 4), 3 + rg_pick(g, 20));
        count = orr__shape_count(&shape);
        i = rg_leaf(g, d, shape);
    }
    if (i < 0)
        return false;
    s->in[0] = i;
    s->smooth = true;
    s->name = names[kind];
    s->p.axis = kind;
    s->p.shape = lengths(g, kind <= RESIZE ? 3 + rg_pick(g, PLACES) : 3, count);
    return kind <= RESIZE                    ? choose_window(g, s, d)
           : kind >= ALONG && kind <= GATHER ? choose_places(g, s)
                                             : choose_rows(g, s, d);
}

bool rg_choose_network(rg_graph *g, rg_step *s)
{
    return choose(g, s, rg_pick(g, KINDS));
}

bool rg_choose_convolution(rg_graph *g, rg_step *s)
{
    return choose(g, s, CONVOLUTION);
}

bool rg_choose_wide_convolution(rg_graph *g, rg_step *s)
{
    orr_dtype d = rg_pick(g, 2) ? ORR_F32 : ORR_F64;
    s->p.shape = ORR_SHAPE(12 + rg_pick(g, 8), WIDE + 1 + rg_pick(g, 6), 8 + rg_pick(g, 3), 8 + rg_pick(g, 3));
    s->in[0] = rg_leaf(g, d, s->p.shape);
    s->smooth = true;
    s->name = "wide_conv";
    s->p.axis = CONVOLUTION;
    return s->in[0] >= 0 && choose_window(g, s, d);
}
