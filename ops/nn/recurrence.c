/* Recurrences: the states of a cell after each step of weighted inputs, and the cotangents of the sums.
 * Must not know: layers, devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include "ops/back.h"
#include "ops/nn/recurrence.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/base/threshold.h"

#define AT at.file, at.line

/* PANEL: sequences computed side by side, which share reads of the packed weights. */
enum { OPERANDS = 9, PANEL = ORR__VECTOR };

orr__recur orr__recur_of(const orr__attr *a, int64_t steps, const orr_shape *h, bool gradient)
{
    bool lstm = a->index == ORR_CELL_LSTM, gru = a->index == ORR_CELL_GRU;
    int at = gradient ? (lstm ? 4 : 3) : 2;
    orr__recur r = { .cell = a->index,
                     .gates = lstm  ? 4
                              : gru ? 3
                                    : 1,
                     .kept = lstm || gru ? 4 : 0,
                     .back = lstm || gru ? 4 : 1,
                     .states = lstm ? 2 : 1,
                     .batch = h->dim[0],
                     .steps = steps,
                     .hidden = h->dim[1],
                     .keeps = gradient || (a->mask & ORR__RECUR_KEEPS) != 0,
                     .reverse = (a->mask & ORR__RECUR_REVERSE) != 0,
                     .first = (a->mask & ORR__RECUR_FIRST) != 0,
                     .w = at - 1,
                     .h = at,
                     .c = lstm ? at + 1 : -1,
                     .bias = -1,
                     .length = -1 };
    r.planes = steps + (!lstm ? 0 : r.keeps ? steps : 1) + (r.keeps ? r.kept * steps : 0);
    at += r.states;
    if (!gradient && a->mask & ORR__RECUR_BIAS)
        r.bias = at++;
    if (a->mask & ORR__RECUR_LENGTHS)
        r.length = at;
    return r;
}

/* -- the rule ---------------------------------------------------------------------------------------------- */

static int operands_of(const orr__recur *r)
{
    int n = r->h + r->states;
    return n + (r->bias >= 0) + (r->length >= 0);
}

static bool is(const orr__node *n, orr_dtype dtype, orr_shape s)
{
    return n->dtype == dtype && orr__shape_equal(&n->shape, &s);
}

static const char *states_fit(const orr__node *n, const orr__node *const *in, const orr__recur *r)
{
    orr_dtype t = (orr_dtype)n->dtype;
    orr_shape state = ORR_SHAPE(r->batch, r->hidden);
    if (t != ORR_F32 && t != ORR_F64)
        return "a recurrence is of f32 or f64";
    if (!is(in[r->w], t, ORR_SHAPE(r->hidden, r->gates * r->hidden)))
        return "the weights of a recurrence do not fit";
    if (!is(in[r->h], t, state) || (r->c >= 0 && !is(in[r->c], t, state)))
        return "the first states of a recurrence do not fit";
    if (r->length >= 0 && !is(in[r->length], ORR_I64, ORR_SHAPE(r->batch)))
        return "a length is missing for a sequence of a recurrence";
    return NULL;
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    if (nin < 3 || in[0]->shape.rank != 3 || in[2]->shape.rank != 2)
        return "a recurrence is of weighed inputs, weights and a first state";
    orr__recur r = orr__recur_of(&n->attr, in[0]->shape.dim[1], &in[2]->shape, false);
    if (nin != operands_of(&r))
        return "a recurrence has another number of operands";
    if (!is(in[0], (orr_dtype)n->dtype, ORR_SHAPE(r.batch, r.steps, r.gates * r.hidden)))
        return "the weighed inputs of a recurrence do not fit";
    if (r.bias >= 0 && !is(in[r.bias], (orr_dtype)n->dtype, ORR_SHAPE(r.gates * r.hidden)))
        return "the bias of a recurrence does not fit";
    const char *bad = states_fit(n, in, &r);
    return bad ? bad
           : orr__shape_equal(&n->shape, &ORR_SHAPE(r.batch, r.planes, r.hidden))
               ? NULL
               : "a recurrence has a plane for each step";
}

static orr__recur gradient_of(const orr__attr *a, const orr_shape *g, const orr_shape *w)
{
    return orr__recur_of(a, g->dim[1], &ORR_SHAPE(g->dim[0], w->dim[0]), true);
}

static orr_shape gradient_shape(const orr__recur *r)
{
    return r->first ? ORR_SHAPE(r->batch, r->states, r->hidden) : ORR_SHAPE(r->batch, r->steps, r->back * r->hidden);
}

static const char *verify_grad(const orr__node *n, const orr__node *const *in, int nin)
{
    bool lstm = n->attr.index == ORR_CELL_LSTM;
    if (nin < 4 + lstm || in[1]->shape.rank != 3 || in[2 + lstm]->shape.rank != 2)
        return "the gradient of a recurrence has too few operands";
    orr__recur r = gradient_of(&n->attr, &in[1]->shape, &in[2 + lstm]->shape);
    orr_dtype t = (orr_dtype)n->dtype;
    if (nin != operands_of(&r))
        return "the gradient of a recurrence has another number of operands";
    if (!is(in[0], t, ORR_SHAPE(r.batch, r.planes, r.hidden)) || !is(in[1], t, ORR_SHAPE(r.batch, r.steps, r.hidden)) ||
        (lstm && !is(in[2], t, ORR_SHAPE(r.batch, r.hidden))))
        return "the cotangents of a recurrence do not fit";
    const char *bad = states_fit(n, in, &r);
    orr_shape s = gradient_shape(&r);
    return bad ? bad : orr__shape_equal(&n->shape, &s) ? NULL : "the gradient of a recurrence has a row for each step";
}

/* -- the reference ----------------------------------------------------------------------------------------- */

static const orr__array *operand(const orr__reference *j, int k)
{
    return &j->all[j->arg[k]];
}

static long double value(const orr__reference *j, int k, int64_t i)
{
    return orr__reference_get(operand(j, k), i);
}

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

static bool within(const orr__reference *j, const orr__recur *r, int64_t b, int64_t t)
{
    return r->length < 0 || t < orr__array_get(operand(j, r->length), b).i;
}

/* The sum of unit k of gate g over the state at h[at …], with the bias of the product. */
static long double product(const orr__reference *j, const orr__recur *r, const orr__array *h, int64_t at, int g,
                           int64_t k)
{
    long double sum = r->bias >= 0 ? value(j, r->bias, g * r->hidden + k) : 0;
    for (int64_t q = 0; q < r->hidden; q++)
        sum += orr__reference_get(h, at + q) * value(j, r->w, (q * r->gates + g) * r->hidden + k);
    return sum;
}

/* Computes unit k of sequence b at step t. The states before it are from[h …] and, for an LSTM, c. */
static void reference_unit(const orr__reference *j, const orr__recur *r, int64_t b, int64_t t, int64_t k,
                           const orr__array *from, int64_t h, long double c)
{
    int64_t n = r->hidden, row = b * r->planes * n, last = r->keeps ? r->steps + t : r->steps;
    long double s[4] = { 0 }, x[4] = { 0 }, kept[4] = { 0 }, y;
    for (int g = 0; g < r->gates; g++) {
        x[g] = value(j, 0, ((b * r->steps + t) * r->gates + g) * n + k);
        s[g] = product(j, r, from, h, g, k);
    }
    if (!within(j, r, b, t)) {
        y = orr__reference_get(from, h + k);
    } else if (r->cell == ORR_CELL_LSTM) {
        for (int g = 0; g < 4; g++)
            kept[g] = g == 2 ? tanhl(x[g] + s[g]) : sigmoid(x[g] + s[g]);
        c = kept[1] * c + kept[0] * kept[2];
        y = kept[3] * tanhl(c);
    } else if (r->cell == ORR_CELL_GRU) {
        kept[0] = sigmoid(x[0] + s[0]);
        kept[1] = sigmoid(x[1] + s[1]);
        kept[2] = tanhl(x[2] + kept[0] * s[2]);
        kept[3] = s[2];
        y = (1 - kept[1]) * kept[2] + kept[1] * orr__reference_get(from, h + k);
    } else {
        y = x[0] + s[0];
        y = r->cell == ORR_CELL_RNN ? tanhl(y) : y <= 0 ? 0 : y;
    }
    orr__reference_set(&j->out, row + t * n + k, y);
    if (r->cell == ORR_CELL_LSTM)
        orr__reference_set(&j->out, row + last * n + k, c);
    for (int g = 0; r->keeps && g < r->kept; g++)
        orr__reference_set(&j->out, row + (r->steps * r->states + r->kept * t + g) * n + k, kept[g]);
}

static orr_status reference(const orr__reference *j)
{
    orr__recur r = orr__recur_of(&j->node->attr, operand(j, 0)->shape.dim[1], &operand(j, 2)->shape, false);
    int64_t n = r.hidden;
    for (int64_t b = 0; b < r.batch; b++)
        for (int64_t s = 0; s < r.steps; s++) {
            int64_t t = orr__recur_step(&r, s), before = orr__recur_step(&r, s - 1);
            const orr__array *from = s ? &j->out : operand(j, r.h);
            int64_t h = s ? (b * r.planes + before) * n : b * n;
            for (int64_t k = 0; k < n; k++) {
                long double c = 0;
                if (r.c >= 0 && s == 0)
                    c = value(j, r.c, b * n + k);
                else if (r.c >= 0)
                    c = orr__reference_get(&j->out, (b * r.planes + r.steps + (r.keeps ? before : 0)) * n + k);
                reference_unit(j, &r, b, t, k, from, h, c);
            }
        }
    return ORR_OK;
}

/* Writes the cotangents of the sums of unit k to d, in the order of a gradient's result; y is the cotangent of its h. *dc is replaced
 * by that of the step before. Returns the direct part, without the product, of the cotangent of h before the step. */
static long double reference_back(const orr__reference *j, const orr__recur *r, int64_t b, int64_t s, int64_t k,
                                  long double y, long double *dc, long double d[4])
{
    int64_t n = r->hidden, t = orr__recur_step(r, s), before = orr__recur_step(r, s - 1), row = b * r->planes * n;
    const orr__array *kept = operand(j, 0);
    long double g[4], h0 = s ? orr__reference_get(kept, row + before * n + k) : value(j, r->h, b * n + k);
    for (int q = 0; q < r->kept; q++)
        g[q] = orr__reference_get(kept, row + (r->steps * r->states + r->kept * t + q) * n + k);
    if (r->cell == ORR_CELL_LSTM) {
        long double c = orr__reference_get(kept, row + (r->steps + t) * n + k), by = tanhl(c), all = *dc;
        long double c0 = s ? orr__reference_get(kept, row + (r->steps + before) * n + k) : value(j, r->c, b * n + k);
        all += y * g[3] * (1 - by * by);
        d[0] = all * g[2] * g[0] * (1 - g[0]);
        d[1] = all * c0 * g[1] * (1 - g[1]);
        d[2] = all * g[0] * (1 - g[2] * g[2]);
        d[3] = y * by * g[3] * (1 - g[3]);
        *dc = all * g[1];
        return 0;
    }
    if (r->cell == ORR_CELL_GRU) {
        d[3] = y * (1 - g[1]) * (1 - g[2] * g[2]);
        d[2] = d[3] * g[0];
        d[1] = y * (h0 - g[2]) * g[1] * (1 - g[1]);
        d[0] = d[3] * g[3] * g[0] * (1 - g[0]);
        return y * g[1];
    }
    long double h = orr__reference_get(kept, row + t * n + k);
    d[0] = r->cell == ORR_CELL_RNN ? y * (1 - h * h) : h > 0 ? y : 0;
    return 0;
}

static orr_status reference_grad(const orr__reference *j)
{
    const orr__attr *a = &j->node->attr;
    bool lstm = a->index == ORR_CELL_LSTM;
    orr__recur r = gradient_of(a, &operand(j, 1)->shape, &operand(j, 2 + lstm)->shape);
    int64_t n = r.hidden;
    long double *dh = calloc((size_t)n * 7 + 1, sizeof *dh), *dc = dh + n, *next = dc + n, *d = next + n;
    if (!dh)
        return ORR_ENOMEM;
    for (int64_t b = 0; b < r.batch; b++) {
        for (int64_t k = 0; k < n; k++) {
            dh[k] = 0;
            dc[k] = lstm ? value(j, 2, b * n + k) : 0;
        }
        for (int64_t s = r.steps - 1; s >= 0; s--) {
            int64_t t = orr__recur_step(&r, s);
            bool in = within(j, &r, b, t);
            for (int64_t k = 0; k < n; k++) {
                long double y = dh[k] + value(j, 1, (b * r.steps + t) * n + k);
                for (int q = 0; q < 4; q++)
                    d[k * 4 + q] = 0;
                next[k] = in ? reference_back(j, &r, b, s, k, y, &dc[k], d + k * 4) : y;
                for (int q = 0; q < r.back && !r.first; q++)
                    orr__reference_set(&j->out, ((b * r.steps + t) * r.back + q) * n + k, d[k * 4 + q]);
            }
            for (int64_t q = 0; q < n; q++) {
                for (int g = 0; g < r.gates; g++)
                    for (int64_t k = 0; k < n; k++)
                        next[q] += d[k * 4 + g] * value(j, r.w, (q * r.gates + g) * n + k);
                dh[q] = next[q];
            }
        }
        for (int64_t k = 0; r.first && k < n; k++) {
            orr__reference_set(&j->out, b * r.states * n + k, dh[k]);
            if (lstm)
                orr__reference_set(&j->out, (b * r.states + 1) * n + k, dc[k]);
        }
    }
    free(dh);
    return ORR_OK;
}

/* -- by public operations ------------------------------------------------------------------------------------ */

static orr_tensor *gate(orr__site at, orr_tensor *all, int i, int64_t n)
{
    return orr_slice_axis_at(AT, all, 1, i * n, (i + 1) * n, 1);
}

static void lstm_step(orr__site at, orr_tensor **carry, orr_tensor *all, int64_t n)
{
    orr_tensor *in = orr_sigmoid_at(AT, gate(at, all, 0, n)), *keep = orr_sigmoid_at(AT, gate(at, all, 1, n));
    orr_tensor *new = orr_tanh_at(AT, gate(at, all, 2, n)), *out = orr_sigmoid_at(AT, gate(at, all, 3, n));
    carry[1] = orr_fma_at(AT, keep, carry[1], orr_mul_at(AT, in, new));
    carry[0] = orr_mul_at(AT, out, orr_tanh_at(AT, carry[1]));
}

static void gru_step(orr__site at, orr_tensor **carry, orr_tensor *x, orr_tensor *b, int64_t n)
{
    orr_tensor *r = orr_sigmoid_at(AT, orr_add_at(AT, gate(at, x, 0, n), gate(at, b, 0, n)));
    orr_tensor *z = orr_sigmoid_at(AT, orr_add_at(AT, gate(at, x, 1, n), gate(at, b, 1, n)));
    orr_tensor *new = orr_tanh_at(AT, orr_fma_at(AT, r, gate(at, b, 2, n), gate(at, x, 2, n)));
    carry[0] = orr_fma_at(AT, z, orr_sub_at(AT, carry[0], new), new);
}

/* The recurrence step by step, for derivatives that the kernels do not compute: (batch, steps, hidden), for an LSTM followed by the
 * last c. more: NULL, or (batch, steps, hidden), which is added to the product of n of a GRU. */
static orr_tensor *composed(orr__site at, const orr__recurs *w, orr_tensor *more)
{
    orr_shape s = orr_tensor_shape(w->x);
    int64_t n = orr_tensor_shape(w->h).dim[1], steps = s.dim[1];
    orr_tensor *carry[2] = { w->h, w->c }, **y = orr__alloc_n((size_t)steps + 1, sizeof *y), *result;
    orr_tensor *lengths = w->lengths ? orr_expand_dims_at(AT, w->lengths, 1) : NULL;
    if (!y)
        return orr__handle_new(NULL);
    for (int64_t k = 0; k < steps; k++) {
        int64_t t = w->reverse ? steps - 1 - k : k;
        orr_tensor *old[2] = { carry[0], carry[1] }, *x = orr_select_at(AT, w->x, 1, t);
        orr_tensor *b = orr_matmul_at(AT, carry[0], w->w);
        if (w->bias)
            b = orr_add_at(AT, b, w->bias);
        if (more) {
            orr_tensor *none = orr_zeros_at(AT, orr_tensor_dtype(w->x), ORR_SHAPE(s.dim[0], 2 * n));
            b = orr_add_at(AT, b, orr_concat_at(AT, ORR_TENSORS(none, orr_select_at(AT, more, 1, t)), 1));
        }
        if (w->cell == ORR_CELL_GRU)
            gru_step(at, carry, x, b, n);
        else if (w->cell == ORR_CELL_LSTM)
            lstm_step(at, carry, orr_add_at(AT, x, b), n);
        else
            carry[0] =
                w->cell == ORR_CELL_RNN ? orr_tanh_at(AT, orr_add_at(AT, x, b)) : orr_relu_at(AT, orr_add_at(AT, x, b));
        orr_tensor *in = lengths ? orr_greater_at(AT, lengths, orr_scalar_at(AT, (double)t)) : NULL;
        for (int i = 0; in && i < 1 + (w->cell == ORR_CELL_LSTM); i++)
            carry[i] = orr_where_at(AT, in, carry[i], old[i]);
        y[t] = carry[0];
    }
    y[steps] = carry[1];
    result = orr_stack_at(AT, y, (int)steps + (w->cell == ORR_CELL_LSTM), 1);
    free(y);
    return result;
}

/* -- derivatives ------------------------------------------------------------------------------------------- */

static orr_tensor *record(orr__site at, const orr__op *op, const orr_shape *shape, const orr__attr *a, int n,
                          orr_tensor *const *t)
{
    orr__node *in[OPERANDS + 2] = { NULL };
    for (int i = 0; i < n; i++)
        if (!(in[i] = orr__handle_node(t[i])) || orr_tensor_status(t[i]) != ORR_OK)
            return orr_tensor_status(t[i]) != ORR_OK ? t[i] : orr__handle_new(NULL);
    orr__node *r = orr__node_new(at, op, (orr_dtype)in[0]->dtype, shape, n, in);
    if (r)
        r->attr = *a;
    return orr__handle_new(r);
}

/* Operands t of a node as a recurrence. */
static orr__recurs recurs_of(const orr__attr *a, orr_tensor *const *t)
{
    orr__recurs r = { .cell = (orr_cell)a->index,
                      .reverse = (a->mask & ORR__RECUR_REVERSE) != 0,
                      .keeps = (a->mask & ORR__RECUR_KEEPS) != 0 };
    r.x = *t++;
    r.w = *t++;
    r.h = *t++;
    r.c = a->index == ORR_CELL_LSTM ? *t++ : NULL;
    r.bias = a->mask & ORR__RECUR_BIAS ? *t++ : NULL;
    r.lengths = a->mask & ORR__RECUR_LENGTHS ? *t++ : NULL;
    return r;
}

static int list(const orr__recurs *r, orr_tensor **t)
{
    int n = 0;
    orr_tensor *const all[] = { r->x, r->w, r->h, r->c, r->bias, r->lengths };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            t[n++] = all[i];
    return n;
}

static orr_tensor *steps_of(orr__site at, const orr__recurs *r, const orr__attr *a)
{
    orr_tensor *t[OPERANDS];
    orr_shape x = orr_tensor_shape(r->x), h = orr_tensor_shape(r->h);
    orr__recur f = orr__recur_of(a, x.dim[1], &h, false);
    return record(at, &orr__op_recurrence, &ORR_SHAPE(f.batch, f.planes, f.hidden), a, list(r, t), t);
}

/* The cotangents of the sums or of the first states. The kernel does not read x. The result is a node around it that has x as an
 * operand, from which second derivatives recompute; x need not be kept for the kernel. */
static orr_tensor *cotangents(orr__site at, const orr__attr *attr, const orr__recurs *r, orr_tensor *result,
                              orr_tensor *gh, orr_tensor *gc)
{
    orr__attr a = *attr;
    orr_shape x = orr_tensor_shape(r->x), h = orr_tensor_shape(r->h);
    orr_tensor *t[OPERANDS + 2] = { result, gh, gc };
    int n = gc ? 3 : 2;
    t[n++] = r->w;
    t[n++] = r->h;
    if (r->c)
        t[n++] = r->c;
    if (r->lengths)
        t[n++] = r->lengths;
    orr__attr own = a;
    own.mask &= ~(uint32_t)(ORR__RECUR_BIAS | ORR__RECUR_KEEPS);
    orr__recur f = orr__recur_of(&own, x.dim[1], &h, true);
    orr_shape s = gradient_shape(&f);
    orr_tensor *d = record(at, &orr__op_recurrence_grad, &s, &own, n, t);
    n = 0;
    t[n++] = gh;
    if (gc)
        t[n++] = gc;
    n += list(r, t + n);
    t[n++] = d;
    return record(at, &orr__op_recurrence_back, &s, &a, n, t);
}

/* The states before each step: the first state, and the states after all steps but the last. */
static orr_tensor *states_before(orr__site at, const orr__recurs *r, orr_tensor *result)
{
    int64_t steps = orr_tensor_shape(r->x).dim[1];
    orr_tensor *first = orr_expand_dims_at(AT, r->h, 1);
    orr_tensor *most = orr_slice_axis_at(AT, result, 1, r->reverse, steps - 1 + r->reverse, 1);
    return r->reverse ? orr_concat_at(AT, ORR_TENSORS(most, first), 1) : orr_concat_at(AT, ORR_TENSORS(first, most), 1);
}

/* From the cotangents of a GRU's sums: those of x, or of the product. */
static orr_tensor *part_of(orr__site at, orr_tensor *d, int64_t n, bool product)
{
    orr_tensor *both = orr_slice_axis_at(AT, d, 2, 0, (2 + product) * n, 1);
    return product ? both : orr_concat_at(AT, ORR_TENSORS(both, orr_slice_axis_at(AT, d, 2, 3 * n, 4 * n, 1)), 2);
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr__site at = b->at;
    orr__attr a = b->node->attr;
    orr__recurs r = recurs_of(&a, b->in);
    if (b->in[k] == r.lengths)
        return NULL;
    orr_shape s = orr_tensor_shape(r.x);
    int64_t n = orr_tensor_shape(r.h).dim[1], steps = s.dim[1], wide = s.dim[2];
    bool lstm = r.cell == ORR_CELL_LSTM, gru = r.cell == ORR_CELL_GRU;
    int64_t last = !r.keeps ? steps : steps + (r.reverse ? 0 : steps - 1);
    orr_tensor *gh = orr_slice_axis_at(AT, b->g, 1, 0, steps, 1), *gc = lstm ? orr_select_at(AT, b->g, 1, last) : NULL;
    a.mask |= lstm || gru ? ORR__RECUR_KEEPS : 0;
    orr_tensor *result = r.keeps || !(lstm || gru) ? b->out : steps_of(at, &r, &a);
    if (b->in[k] == r.h || b->in[k] == r.c) {
        a.mask |= ORR__RECUR_FIRST;
        return orr_select_at(AT, cotangents(at, &a, &r, result, gh, gc), 1, b->in[k] != r.h);
    }
    orr_tensor *d = cotangents(at, &a, &r, result, gh, gc);
    if (k == 0)
        return gru ? part_of(at, d, n, false) : d;
    d = orr_reshape_at(AT, gru ? part_of(at, d, n, true) : d, ORR_SHAPE(s.dim[0] * steps, wide));
    if (b->in[k] == r.bias)
        return orr_sum_at(AT, d, ORR_AXES(0), false);
    orr_tensor *before = orr_reshape_at(AT, states_before(at, &r, result), ORR_SHAPE(s.dim[0] * steps, n));
    return orr_matmul_at(AT, orr_transpose_at(AT, before), d);
}

/* Differentiates the cotangents step by step. Operands may be computed from each other, so the derivative by one alone is taken
 * by a copy of it. */
static orr_tensor *vjp_back(const orr__back *b, int k)
{
    orr__site at = b->at;
    const orr__attr *a = &b->node->attr;
    bool lstm = a->index == ORR_CELL_LSTM, gru = a->index == ORR_CELL_GRU, first = (a->mask & ORR__RECUR_FIRST) != 0;
    int operands = b->nin - 1, lengths = a->mask & ORR__RECUR_LENGTHS ? operands - 1 : -1;
    if (k == b->nin - 1 || k == lengths)
        return NULL;
    orr_tensor *t[OPERANDS + 2];
    for (int i = 0; i < operands; i++)
        t[i] = i == lengths ? b->in[i] : orr_positive_at(AT, b->in[i]);
    orr__recurs r = recurs_of(a, t + 1 + lstm);
    orr_shape s = orr_tensor_shape(r.x);
    int64_t n = orr_tensor_shape(r.h).dim[1];
    orr_tensor *more = gru ? orr_zeros_at(AT, orr_tensor_dtype(r.x), ORR_SHAPE(s.dim[0], s.dim[1], n)) : NULL;
    orr_tensor *seed = lstm ? orr_concat_at(AT, ORR_TENSORS(t[0], orr_expand_dims_at(AT, t[1], 1)), 1) : t[0];
    orr_tensor *by[2] = { first ? r.h : r.x, first ? r.c : more }, *g[2], *d, *y;
    if (orr_vjp_at(AT, composed(at, &r, more), seed, by, by[1] ? 2 : 1, g) != ORR_OK)
        return g[0];
    if (first)
        d = orr_stack_at(AT, g, by[1] ? 2 : 1, 1);
    else if (gru)
        d = orr_concat_at(AT,
                          ORR_TENSORS(orr_slice_axis_at(AT, g[0], 2, 0, 2 * n, 1), g[1],
                                      orr_slice_axis_at(AT, g[0], 2, 2 * n, 3 * n, 1)),
                          2);
    else
        d = g[0];
    (void)orr_vjp_at(AT, d, b->g, &t[k], 1, &y);
    return y;
}

/* -- the contracts ----------------------------------------------------------------------------------------- */

static orr__workload work_of(const orr__recur *r)
{
    double units = (double)r->batch * (double)r->steps * (double)r->hidden;
    return (orr__workload){ .flops = units * r->gates * (2.0 * (double)r->hidden + 40), .product = true };
}

static orr__workload work(const orr__call *c)
{
    orr__recur r = orr__recur_of(&c->attr, c->in[0].dim[1], &c->in[2], false);
    return work_of(&r);
}

static orr__workload work_grad(const orr__call *c)
{
    orr__recur r = gradient_of(&c->attr, &c->in[1], &c->in[2 + (c->attr.index == ORR_CELL_LSTM)]);
    return work_of(&r);
}

/* The sequences may be cut; weights and bias are whole. */
static bool by_sequence(orr__spread_rule *r, const orr__recur *f)
{
    if (r->from.kind != ORR__SHARDED || r->from.axis != 0 || r->k == f->w || r->k == f->bias)
        return false;
    for (int i = 0; i < r->nin; i++)
        if (i != f->w && i != f->bias)
            r->need[i] = r->from;
    r->out = r->from;
    return true;
}

static bool distribute(orr__spread_rule *r)
{
    orr__recur f = orr__recur_of(&r->node->attr, r->in[0]->shape.dim[1], &r->in[2]->shape, false);
    return by_sequence(r, &f);
}

static bool distribute_grad(orr__spread_rule *r)
{
    const orr__attr *a = &r->node->attr;
    orr__recur f = gradient_of(a, &r->in[1]->shape, &r->in[2 + (a->index == ORR_CELL_LSTM)]->shape);
    return by_sequence(r, &f);
}

const orr__op orr__op_recurrence = {
    .id = ORR__OP_recurrence,
    .name = "recurrence",
    .arity = -1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX,
    .flags = ORR__OP_SUMS,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .work = work,
    .panel = PANEL,
};

const orr__op orr__op_recurrence_grad = {
    .id = ORR__OP_recurrence_grad,
    .name = "recurrence_grad",
    .arity = -1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX,
    .flags = ORR__OP_SUMS,
    .verify = verify_grad,
    .reference = reference_grad,
    .distribute = distribute_grad,
    .work = work_grad,
    .panel = PANEL,
};

const orr__op orr__op_recurrence_back = {
    .id = ORR__OP_recurrence_back,
    .name = "recurrence_back",
    .arity = -1,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX,
    .role = ORR__ROLE_THROUGH,
    .vjp = vjp_back,
};

/* -- recording one ----------------------------------------------------------------------------------------- */

orr_tensor *orr__recurrence(orr__site at, const orr__recurs *given, orr_tensor **last)
{
    orr__recurs r = *given;
    orr_dtype dtype = orr_tensor_dtype(r.x), wide = orr__wide(dtype);
    bool lstm = r.cell == ORR_CELL_LSTM;
    orr_tensor **each[] = { &r.x, &r.w, &r.h, &r.c, &r.bias };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (*each[i])
            *each[i] = orr_cast_at(AT, *each[i], wide);
    orr__attr a = { .index = (int32_t)r.cell };
    a.mask = (r.reverse ? ORR__RECUR_REVERSE : 0) | (r.bias ? ORR__RECUR_BIAS : 0) |
             (r.lengths ? ORR__RECUR_LENGTHS : 0) |
             (r.keeps && (lstm || r.cell == ORR_CELL_GRU) ? ORR__RECUR_KEEPS : 0);
    orr_tensor *all = steps_of(at, &r, &a);
    if (orr_tensor_status(all) != ORR_OK)
        return last[0] = last[1] = all;
    int64_t steps = orr_tensor_shape(r.x).dim[1], end = r.reverse ? 0 : steps - 1;
    all = orr_cast_at(AT, all, dtype);
    last[0] = orr_select_at(AT, all, 1, end);
    if (lstm)
        last[1] = orr_select_at(AT, all, 1, a.mask & ORR__RECUR_KEEPS ? steps + end : steps);
    return orr_slice_axis_at(AT, all, 1, 0, steps, 1);
}
