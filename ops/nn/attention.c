/* orr_attention: softmax(scale·q·kᵀ + mask)·v without the matrix of scores in memory, forward and backward.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/random.h>
#include <orrery/sequence.h>
#include "ops/back.h"
#include "ops/nn/attention.h"
#include "ops/random.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/philox.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

static int64_t bits_of(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static double of_bits(int64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

orr__attend orr__attend_of(const orr__attr *a, const orr_shape *q, const orr_shape *k, const orr_shape *v,
                           const orr_shape *mask)
{
    bool drops = (a->mask & ORR__ATTEND_DROPS) != 0, masked = (a->mask & ORR__ATTEND_MASK) != 0;
    orr__attend w = { .batch = q->dim[0],
                      .heads = q->dim[1],
                      .kv = k->dim[1],
                      .queries = q->dim[2],
                      .keys = k->dim[2],
                      .width = q->dim[3],
                      .value = v->dim[3],
                      .group = k->dim[1] ? q->dim[1] / k->dim[1] : 1,
                      .causal = (a->mask & ORR__ATTEND_CAUSAL) != 0,
                      .window = a->start[0],
                      .scale = of_bits(a->start[1]),
                      .drop = of_bits(a->start[2]),
                      .key_operand = drops ? 3 : -1,
                      .number_operand = drops ? 4 : -1,
                      .mask_operand = masked ? 3 + 2 * drops : -1 };
    int64_t step = 1;
    for (int d = 3; masked && d >= 0; d--) {
        w.step[d] = mask->dim[d] == 1 ? 0 : step;
        step *= mask->dim[d];
    }
    return w;
}

/* -- the rule ---------------------------------------------------------------------------------------------- */

static int operands_of(uint32_t bits)
{
    return 3 + 2 * ((bits & ORR__ATTEND_DROPS) != 0) + ((bits & ORR__ATTEND_MASK) != 0);
}

static const char *operands_fit(const orr__node *n, const orr__node *const *in, int nin)
{
    if (nin < operands_of(n->attr.mask))
        return "attention has too few operands";
    const orr_shape *q = &in[0]->shape, *k = &in[1]->shape, *v = &in[2]->shape;
    if (q->rank != 4 || k->rank != 4 || v->rank != 4 || (n->dtype != ORR_F32 && n->dtype != ORR_F64))
        return "attention is of rank 4, in f32 or f64";
    for (int i = 0; i < 3; i++)
        if (in[i]->dtype != in[0]->dtype || orr__wide((orr_dtype)in[i]->dtype) != (orr_dtype)n->dtype)
            return "attention changes the dtype";
    if (k->dim[0] != q->dim[0] || v->dim[0] != q->dim[0] || k->dim[3] != q->dim[3] || v->dim[1] != k->dim[1] ||
        v->dim[2] != k->dim[2] || (k->dim[1] ? q->dim[1] % k->dim[1] : q->dim[1]))
        return "q, k and v of attention do not fit";
    bool drops = (n->attr.mask & ORR__ATTEND_DROPS) != 0;
    if (drops && (in[4]->dtype != ORR_I64 || !orr__shape_equal(&in[4]->shape, &ORR_SHAPE(q->dim[0], q->dim[1]))))
        return "a number is missing for a head of attention";
    if (n->attr.mask & ORR__ATTEND_MASK) {
        const orr__node *m = in[3 + 2 * drops];
        const int64_t whole[4] = { q->dim[0], q->dim[1], q->dim[2], k->dim[2] };
        for (int d = 0; d < 4; d++)
            if (m->shape.rank != 4 || m->dtype != n->dtype || (m->shape.dim[d] != 1 && m->shape.dim[d] != whole[d]))
                return "the mask of attention does not fit";
    }
    return NULL;
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const char *bad = operands_fit(n, in, nin);
    if (bad)
        return bad;
    const orr_shape *q = &in[0]->shape, *s = &n->shape;
    return s->rank == 4 && s->dim[0] == q->dim[0] && s->dim[1] == q->dim[1] && s->dim[2] == q->dim[2] &&
                   s->dim[3] == in[2]->shape.dim[3] + 1
               ? NULL
               : "attention has a row for each query";
}

/* The gradient has two more operands before those of attention: the packed result and its cotangent. A row of its result
 * holds the gradients by q, k and v, which end at end[0 … 2]. */
typedef struct {
    int64_t end[3];
} grad_row;

static grad_row grad_row_of(const orr__attend *w)
{
    int64_t queries = w->group * w->queries * w->width, keys = w->keys * w->width;
    return (grad_row){ { queries, queries + keys, queries + keys + w->keys * w->value } };
}

static int64_t grad_length(const orr__attend *w)
{
    return grad_row_of(w).end[2];
}

static orr__attend attend_of_nodes(const orr__attr *a, const orr__node *const *in)
{
    bool drops = (a->mask & ORR__ATTEND_DROPS) != 0, masked = (a->mask & ORR__ATTEND_MASK) != 0;
    return orr__attend_of(a, &in[0]->shape, &in[1]->shape, &in[2]->shape, masked ? &in[3 + 2 * drops]->shape : NULL);
}

static const char *verify_grad(const orr__node *n, const orr__node *const *in, int nin)
{
    if (nin < 5)
        return "attention_grad has too few operands";
    const orr__node *front[6] = { NULL };
    for (int i = 0; i < 6 && i < nin - 2; i++)
        front[i] = in[2 + i];
    const char *bad = operands_fit(n, front, nin - 2);
    if (bad)
        return bad;
    orr__attend w = attend_of_nodes(&n->attr, front);
    return n->shape.rank == 2 && n->shape.dim[0] == w.batch * w.kv && n->shape.dim[1] == grad_length(&w)
               ? NULL
               : "attention_grad has a row for each head of k and v";
}

/* -- the reference ----------------------------------------------------------------------------------------- */

/* Operand number k of the reference evaluation. */
static const orr__array *operand(const orr__reference *j, int k)
{
    return &j->all[j->arg[k]];
}

static orr__attend attend_of_arrays(const orr__reference *j, int first)
{
    const orr__attr *a = &j->node->attr;
    bool drops = (a->mask & ORR__ATTEND_DROPS) != 0, masked = (a->mask & ORR__ATTEND_MASK) != 0;
    return orr__attend_of(a, &operand(j, first)->shape, &operand(j, first + 1)->shape, &operand(j, first + 2)->shape,
                          masked ? &operand(j, first + 3 + 2 * drops)->shape : NULL);
}

/* The score of query i and key c of head h of example b. */
static long double score(const orr__reference *j, const orr__attend *w, int first, int64_t b, int64_t h, int64_t i,
                         int64_t c)
{
    if (c < orr__attend_lo(w, i) || c >= orr__attend_hi(w, i))
        return -INFINITY;
    long double s = 0;
    int64_t q = ((b * w->heads + h) * w->queries + i) * w->width;
    int64_t k = ((b * w->kv + h / w->group) * w->keys + c) * w->width;
    for (int64_t d = 0; d < w->width; d++)
        s += orr__reference_get(operand(j, first), q + d) * orr__reference_get(operand(j, first + 1), k + d);
    s *= (long double)w->scale;
    if (w->mask_operand >= 0)
        s += orr__reference_get(operand(j, first + w->mask_operand),
                                b * w->step[0] + h * w->step[1] + i * w->step[2] + c * w->step[3]);
    return s;
}

/* The factor of dropout: 0, or 1/(1 − p). It is drawn by the place in the whole tensor. The operands may be a part of that, so the
 * number of the head is an operand. */
static long double kept(const orr__reference *j, const orr__attend *w, int first, int64_t b, int64_t h, int64_t i,
                        int64_t c)
{
    if (w->key_operand < 0)
        return 1;
    uint64_t key = orr__array_get(operand(j, first + w->key_operand), 0).u;
    int64_t head = orr__array_get(operand(j, first + w->number_operand), b * w->heads + h).i;
    uint64_t at = (uint64_t)((head * w->queries + i) * w->keys + c);
    return orr__u01_f32(orr__rand_bits32(key, at)) < (float)(1.0 - w->drop) ? 1 / (1 - (long double)w->drop) : 0;
}

static orr_status reference(const orr__reference *j)
{
    orr__attend w = attend_of_arrays(j, 0);
    for (int64_t b = 0; b < w.batch; b++)
        for (int64_t h = 0; h < w.heads; h++)
            for (int64_t i = 0; i < w.queries; i++) {
                int64_t row = ((b * w.heads + h) * w.queries + i) * (w.value + 1);
                long double most = -INFINITY, sum = 0;
                for (int64_t c = 0; c < w.keys; c++) { /* NaN is the greatest */
                    long double s = score(j, &w, 0, b, h, i, c);
                    most = s > most || isnan(s) ? s : most;
                }
                for (int64_t c = 0; most != -INFINITY && c < w.keys; c++)
                    sum += expl(score(j, &w, 0, b, h, i, c) - most);
                for (int64_t d = 0; d < w.value; d++) {
                    long double o = 0;
                    for (int64_t c = 0; sum != 0 && c < w.keys; c++)
                        o += expl(score(j, &w, 0, b, h, i, c) - most) / sum * kept(j, &w, 0, b, h, i, c) *
                             orr__reference_get(operand(j, 2), ((b * w.kv + h / w.group) * w.keys + c) * w.value + d);
                    orr__reference_set(&j->out, row + d, o);
                }
                orr__reference_set(&j->out, row + w.value, sum != 0 ? most + logl(sum) : -INFINITY);
            }
    return ORR_OK;
}

static void accumulate(const orr__array *a, int64_t i, long double v)
{
    orr__reference_set(a, i, orr__reference_get(a, i) + v);
}

static orr_status reference_grad(const orr__reference *j)
{
    enum { FIRST = 2 };
    orr__attend w = attend_of_arrays(j, FIRST);
    const orr__array *o = operand(j, 0), *g = operand(j, 1), *q = operand(j, 2), *k = operand(j, 3), *v = operand(j, 4);
    int64_t length = grad_length(&w), wide = w.value + 1;
    for (int64_t i = 0; i < j->out.count; i++)
        orr__reference_set(&j->out, i, 0);
    for (int64_t b = 0; b < w.batch; b++)
        for (int64_t h = 0; h < w.heads; h++)
            for (int64_t i = 0; i < w.queries; i++) {
                int64_t head = b * w.kv + h / w.group, row = ((b * w.heads + h) * w.queries + i) * wide;
                int64_t dq = head * length + ((h % w.group) * w.queries + i) * w.width;
                int64_t dk = head * length + w.group * w.queries * w.width, dv = dk + w.keys * w.width;
                long double lse = orr__reference_get(o, row + w.value), mean = -orr__reference_get(g, row + w.value);
                for (int64_t d = 0; d < w.value; d++)
                    mean += orr__reference_get(g, row + d) * orr__reference_get(o, row + d);
                for (int64_t c = orr__attend_lo(&w, i); lse != -INFINITY && c < orr__attend_hi(&w, i); c++) {
                    long double p = expl(score(j, &w, FIRST, b, h, i, c) - lse), z = kept(j, &w, FIRST, b, h, i, c);
                    long double dp = 0;
                    for (int64_t d = 0; d < w.value; d++) {
                        long double gd = orr__reference_get(g, row + d);
                        dp += gd * orr__reference_get(v, (head * w.keys + c) * w.value + d);
                        accumulate(&j->out, dv + c * w.value + d, p * z * gd);
                    }
                    long double ds = p * (dp * z - mean) * (long double)w.scale;
                    for (int64_t d = 0; d < w.width; d++) {
                        int64_t qd = ((b * w.heads + h) * w.queries + i) * w.width + d,
                                kd = (head * w.keys + c) * w.width + d;
                        accumulate(&j->out, dq + d, ds * orr__reference_get(k, kd));
                        accumulate(&j->out, dk + c * w.width + d, ds * orr__reference_get(q, qd));
                    }
                }
            }
    return ORR_OK;
}

/* -- derivatives ------------------------------------------------------------------------------------------- */

/* Operands of a node as tensors. */
typedef struct {
    orr_tensor *q, *k, *v, *mask;
    const orr__node *key;
} operands;

/* Copies of the operands from number `first` on, of which halves are f32. An operand may be computed from another one; none is computed from a
 * copy, so the derivative by a copy is that by one operand alone. */
static operands copies(const orr__back *b, int first)
{
    orr__site at = b->at;
    uint32_t bits = b->node->attr.mask;
    bool drops = (bits & ORR__ATTEND_DROPS) != 0;
    orr_dtype wide = orr__wide((orr_dtype)b->node->in[first]->dtype);
    operands t = { .q = orr_cast_at(AT, orr_positive_at(AT, b->in[first]), wide),
                   .k = orr_cast_at(AT, orr_positive_at(AT, b->in[first + 1]), wide),
                   .v = orr_cast_at(AT, orr_positive_at(AT, b->in[first + 2]), wide) };
    if (drops)
        t.key = b->node->in[first + 3];
    if (bits & ORR__ATTEND_MASK)
        t.mask = orr_positive_at(AT, b->in[first + 3 + 2 * drops]);
    return t;
}

/* The packed result of public operations, with all scores in memory: for derivatives that the kernels do not compute. */
static orr_tensor *composed(orr__site at, const orr__attr *a, const operands *t)
{
    orr_shape qs = orr_tensor_shape(t->q), ks = orr_tensor_shape(t->k), vs = orr_tensor_shape(t->v), ms = { 0 };
    if (t->mask)
        ms = orr_tensor_shape(t->mask);
    orr__attend w = orr__attend_of(a, &qs, &ks, &vs, t->mask ? &ms : NULL);
    orr_shape all = ORR_SHAPE(w.batch, w.heads, w.queries, w.keys);
    orr_tensor *kv[2] = { t->k, t->v };
    for (int i = 0; i < 2; i++) {
        int64_t width = i ? w.value : w.width;
        orr_tensor *each = orr_reshape_at(AT, kv[i], ORR_SHAPE(w.batch, w.kv, 1, w.keys, width));
        each = orr_broadcast_to_at(AT, each, ORR_SHAPE(w.batch, w.kv, w.group, w.keys, width));
        kv[i] = orr_reshape_at(AT, each, ORR_SHAPE(w.batch, w.heads, w.keys, width));
    }
    orr_tensor *s = orr_mul_at(AT, orr_matmul_at(AT, t->q, orr_transpose_at(AT, kv[0])), SCALAR(w.scale));
    if (t->mask)
        s = orr_add_at(AT, s, t->mask);
    orr_tensor *far = orr__diagonals(at, w.queries, w.keys), *hidden = NULL; /* key − query */
    int64_t off = w.keys - w.queries;
    if (w.causal)
        hidden = orr_greater_at(AT, far, SCALAR((double)off));
    if (w.window) {
        orr_tensor *early = orr_less_equal_at(AT, far, SCALAR((double)(off - w.window)));
        hidden = hidden ? orr_logical_or_at(AT, hidden, early) : early;
        if (!w.causal)
            hidden = orr_logical_or_at(AT, hidden, orr_greater_equal_at(AT, far, SCALAR((double)(off + w.window))));
    }
    if (hidden)
        s = orr_where_at(AT, hidden, SCALAR(-INFINITY), s);
    /* A query that sees no key has scores 0 and weights 0, so that its derivatives are 0 and not a difference of infinities. */
    orr_tensor *none =
        orr_equal_at(AT, orr_logsumexp_at(AT, orr_detach_at(AT, s), ORR_AXES(-1), true), SCALAR(-INFINITY));
    orr_tensor *zero = SCALAR(0);
    s = orr_where_at(AT, none, zero, s);
    orr_tensor *lse = orr_logsumexp_at(AT, s, ORR_AXES(-1), true);
    orr_tensor *p = orr_where_at(AT, none, zero, orr_exp_at(AT, orr_sub_at(AT, s, lse)));
    lse = orr_where_at(AT, none, SCALAR(-INFINITY), lse);
    if (t->key) {
        orr_tensor *u = orr_rand_keyed_at(AT, ORR_F32, all, 0, 1, t->key->s[0].u);
        orr_tensor *keeps = orr_less_at(AT, u, SCALAR(1.0 - w.drop));
        p = orr_where_at(AT, keeps, orr_mul_at(AT, p, SCALAR(1.0 / (1.0 - w.drop))), zero);
    }
    return orr_concat_at(AT, ORR_TENSORS(orr_matmul_at(AT, p, kv[1]), lse), 3);
}

static orr_tensor *record(orr__site at, const orr__op *op, const orr_shape *shape, const orr__attr *a, int n,
                          orr__node *const *in)
{
    orr__node *r = orr__node_new(at, op, orr__wide((orr_dtype)in[0]->dtype), shape, n, in);
    if (r)
        r->attr = *a;
    return orr__handle_new(r);
}

/* The gradient by the mask holds all scores in memory, as the mask does. One kernel computes the gradients by q, k
 * and v. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr__site at = b->at;
    const orr__attr *a = &b->node->attr;
    orr__attend w = attend_of_nodes(a, (const orr__node *const *)b->node->in);
    if (k == w.key_operand || k == w.number_operand)
        return NULL;
    if (k == w.mask_operand) {
        operands t = copies(b, 0);
        orr_tensor *g;
        (void)orr_vjp_at(AT, composed(at, a, &t), b->g, &t.mask, 1, &g);
        return g;
    }
    orr__node *in[8], *out = orr__handle_node(b->out), *g = orr__handle_node(b->g);
    if (!out || !g)
        return orr__handle_new(NULL);
    in[0] = out;
    in[1] = g;
    for (int i = 0; i < b->nin; i++)
        in[2 + i] = b->node->in[i];
    orr_tensor *all =
        record(at, &orr__op_attention_grad, &ORR_SHAPE(w.batch * w.kv, grad_length(&w)), a, b->nin + 2, in);
    grad_row r = grad_row_of(&w);
    orr_tensor *own = orr_slice_axis_at(AT, all, 1, k ? r.end[k - 1] : 0, r.end[k], 1);
    return orr_cast_at(AT, orr_reshape_at(AT, own, b->node->in[k]->shape), (orr_dtype)b->node->in[k]->dtype);
}

/* Differentiates the gradient as a composition. The composition recomputes the packed result, so no gradient flows
 * to that operand. */
static orr_tensor *vjp_grad(const orr__back *b, int k)
{
    orr__site at = b->at;
    bool drops = (b->node->attr.mask & ORR__ATTEND_DROPS) != 0;
    if (k == 0 || (drops && (k == 5 || k == 6)))
        return NULL;
    operands t = copies(b, 2);
    orr_tensor *seed = orr_positive_at(AT, b->in[1]), *x[3] = { t.q, t.k, t.v }, *g[3], *r = NULL;
    if (orr_vjp_at(AT, composed(at, &b->node->attr, &t), seed, x, 3, g) != ORR_OK)
        return g[0];
    orr__attend w = attend_of_nodes(&b->node->attr, (const orr__node *const *)b->node->in + 2);
    grad_row row = grad_row_of(&w);
    for (int i = 0; i < 3; i++)
        g[i] = orr_reshape_at(AT, g[i], ORR_SHAPE(b->node->shape.dim[0], row.end[i] - (i ? row.end[i - 1] : 0)));
    orr_tensor *by = k == 1 ? seed : k < 5 ? x[k - 2] : t.mask;
    (void)orr_vjp_at(AT, orr_concat_at(AT, g, 3, 1), b->g, &by, 1, &r);
    return orr_cast_at(AT, r, (orr_dtype)b->node->in[k]->dtype);
}

/* -- the contracts ----------------------------------------------------------------------------------------- */

static double pairs(const orr_shape *q, const orr_shape *k, const orr__attr *a)
{
    double all = (double)q->dim[0] * (double)q->dim[1] * (double)q->dim[2] * (double)k->dim[2];
    return a->mask & ORR__ATTEND_CAUSAL ? all / 2 : all;
}

static orr__workload work(const orr__call *c)
{
    double each = 2.0 * (double)(c->in[0].dim[3] + c->in[2].dim[3]) + 8;
    return (orr__workload){ .flops = pairs(&c->in[0], &c->in[1], &c->attr) * each, .product = true };
}

static orr__workload work_grad(const orr__call *c)
{
    double each = 6.0 * (double)c->in[2].dim[3] + 4.0 * (double)c->in[4].dim[3] + 16;
    return (orr__workload){ .flops = pairs(&c->in[2], &c->in[3], &c->attr) * each, .product = true };
}

/* Rows of queries. */
static int space(const orr__call *c, int64_t *dim)
{
    dim[0] = c->out.dim[0] * c->out.dim[1] * c->out.dim[2];
    dim[1] = c->out.dim[3];
    return 2;
}

/* -- over ranks -------------------------------------------------------------------------------------------------- */

/* Axes that may be cut: examples; heads, together with their heads of k and v; queries, unless causality, a window or dropout
 * depend on their places. */
static bool distribute(orr__spread_rule *r)
{
    const orr__attr *a = &r->node->attr;
    bool drops = (a->mask & ORR__ATTEND_DROPS) != 0;
    int mask = a->mask & ORR__ATTEND_MASK ? 3 + 2 * drops : -1, axis = r->from.axis;
    int64_t group = r->in[1]->shape.dim[1] ? r->in[0]->shape.dim[1] / r->in[1]->shape.dim[1] : 1;
    bool of_k = r->k == 1 || r->k == 2;
    if (r->from.kind != ORR__SHARDED || axis > 2 || (drops && (r->k == 3 || r->k == 4)))
        return false;
    if (r->k == mask && r->in[mask]->shape.dim[axis] == 1)
        return false; /* broadcast along this axis */
    if (axis == 2 && (of_k || drops || a->mask & ORR__ATTEND_CAUSAL || a->start[0] > 0))
        return false;
    if (axis == 1 && group > 1 && (r->empty || (!of_k && r->from.block % group)))
        return false;
    orr__spread q = r->from, k = r->from;
    if (axis == 1 && of_k)
        q.block *= group;
    else if (axis == 1)
        k.block /= group;
    r->need[0] = r->out = q;
    for (int i = 1; i < 3; i++)
        r->need[i] = axis < 2 ? k : (orr__spread){ .kind = ORR__WHOLE };
    if (drops)
        r->need[4] = q;
    if (mask > 0)
        r->need[mask] = r->in[mask]->shape.dim[axis] > 1 ? q : (orr__spread){ .kind = ORR__WHOLE };
    return true;
}

/* Each example has as many rows as heads of k and v. */
static bool distribute_grad(orr__spread_rule *r)
{
    const orr__attr *a = &r->node->attr;
    bool drops = (a->mask & ORR__ATTEND_DROPS) != 0;
    int mask = a->mask & ORR__ATTEND_MASK ? 5 + 2 * drops : -1;
    if (r->from.kind != ORR__SHARDED || r->from.axis != 0 || r->empty || (drops && (r->k == 5 || r->k == 6)))
        return false;
    if (r->k == mask && r->in[mask]->shape.dim[0] == 1)
        return false;
    for (int i = 0; i < 5; i++)
        r->need[i] = r->from;
    if (drops)
        r->need[6] = r->from;
    if (mask > 0)
        r->need[mask] = r->in[mask]->shape.dim[0] > 1 ? r->from : (orr__spread){ .kind = ORR__WHOLE };
    r->out = r->from;
    r->out.block *= r->in[3]->shape.dim[1];
    return r->out.block > 0;
}

const orr__op orr__op_attention = {
    .id = ORR__OP_attention,
    .name = "attention",
    .arity = -1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_START,
    .flags = ORR__OP_BLAS | ORR__OP_SUMS,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .work = work,
    .space = space,
};

const orr__op orr__op_attention_grad = {
    .id = ORR__OP_attention_grad,
    .name = "attention_grad",
    .arity = -1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_START,
    .flags = ORR__OP_BLAS | ORR__OP_SUMS,
    .verify = verify_grad,
    .reference = reference_grad,
    .distribute = distribute_grad,
    .vjp = vjp_grad,
    .work = work_grad,
};

/* -- the public function ----------------------------------------------------------------------------------- */

/* q (…, heads, queries, width), k (…, kv, keys, width), v (…, kv, keys, value). */
static bool shapes_fit(orr__site at, orr__node *const *n, orr_tensor **bad)
{
    const orr_shape *q = &n[0]->shape, *k = &n[1]->shape, *v = &n[2]->shape;
    const char *rule = NULL;
    int r = q->rank;
    if (r < 3 || k->rank != r || v->rank != r)
        rule = "all must be (…, heads, length, width), of one rank";
    for (int d = 0; !rule && d < r - 3; d++)
        if (k->dim[d] != q->dim[d] || v->dim[d] != q->dim[d])
            rule = "the axes before the heads must be equal";
    if (!rule && k->dim[r - 1] != q->dim[r - 1])
        rule = "q and k must have one width";
    if (!rule && (v->dim[r - 2] != k->dim[r - 2] || v->dim[r - 3] != k->dim[r - 3]))
        rule = "k and v must have the same heads and length";
    if (!rule && (k->dim[r - 3] < 1 || q->dim[r - 3] % k->dim[r - 3] != 0))
        rule = "the heads of k and v must divide those of q";
    if (rule)
        *bad = orr__poison(at, ORR_ESHAPE, "q %s, k %s and v %s: %s", orr__str(*q).s, orr__str(*k).s, orr__str(*v).s,
                           rule);
    return !rule;
}

static bool options_fit(orr__site at, const orr_attention_options *o, orr_tensor **bad)
{
    if (o->window < 0)
        *bad = orr__poison(at, ORR_EINVAL, "window must be ≥ 0, not %lld", (long long)o->window);
    else if (!isfinite(o->scale))
        *bad = orr__poison(at, ORR_EINVAL, "scale must be finite, not %g", o->scale);
    else if (!(o->dropout >= 0.0 && o->dropout < 1.0))
        *bad = orr__poison(at, ORR_EINVAL, "dropout must be in [0, 1), not %g", o->dropout);
    else
        return true;
    return false;
}

/* `mask` with rank 4 and dtype t, to be added to scores of shape `all`; NULL: return *bad. */
static orr_tensor *mask_as(orr__site at, orr_tensor *mask, orr_shape all, orr_dtype t, orr_tensor **bad)
{
    orr__node *n;
    if (!orr__operand(at, mask, "mask", &n, bad))
        return NULL;
    orr_dtype dtype = (orr_dtype)n->dtype;
    orr_shape have = n->shape, wide = { .rank = all.rank };
    bool fits = have.rank <= all.rank, whole = false;
    for (int d = 0; d < all.rank && fits; d++) {
        int from = have.rank - all.rank + d;
        wide.dim[d] = from < 0 ? 1 : have.dim[from];
        fits = wide.dim[d] == 1 || wide.dim[d] == all.dim[d];
        whole = whole || (d < all.rank - 3 && wide.dim[d] != 1);
    }
    bool keys = all.rank == 4 && have.rank == 2 && have.dim[0] == all.dim[0] && have.dim[1] == all.dim[3];
    const char *remedy =
        keys ? ": one of (batch, keys) needs axes for heads and queries, orr_expand_dims twice at 1, or orr_reshape to "
               "(batch, 1, 1, keys)"
             : ": each axis, from the last on, is 1 or that of (batch, heads, queries, keys); orr_reshape or "
               "orr_expand_dims adds axes of 1, as in (batch, 1, 1, keys)";
    if (!fits || (dtype != ORR_BOOL && !orr__is_float(dtype))) {
        *bad = fits ? orr__poison(at, ORR_EDTYPE, "the mask is %s: bool (true: seen) or a float (added) is needed",
                                  orr_dtype_name(dtype))
                    : orr__poison(at, ORR_ESHAPE, "the mask %s does not broadcast to the scores %s%s", orr__str(have).s,
                                  orr__str(all).s, remedy);
        return NULL;
    }
    for (int d = 0; d < all.rank - 3 && whole; d++) /* the axes before the heads are joined */
        wide.dim[d] = all.dim[d];
    int64_t batch = 1;
    for (int d = 0; d < all.rank - 3; d++)
        batch *= wide.dim[d];
    mask = dtype == ORR_BOOL ? orr_where_at(AT, mask, orr_full_at(AT, t, ORR_SHAPE_0D, 0.0),
                                            orr_full_at(AT, t, ORR_SHAPE_0D, -INFINITY))
                             : orr_cast_at(AT, mask, t);
    mask = orr_broadcast_to_at(AT, mask, wide);
    return orr_reshape_at(AT, mask,
                          ORR_SHAPE(batch, wide.dim[all.rank - 3], wide.dim[all.rank - 2], wide.dim[all.rank - 1]));
}

/* The numbers of the heads of all examples. */
static orr_tensor *head_numbers(orr__site at, int64_t batch, int64_t heads)
{
    orr__node *line =
        orr__rec_iota(at, ORR_I64, &ORR_SHAPE(batch * heads), 0, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = 1 });
    return orr__handle_new(orr__rec_reshape(at, line, &ORR_SHAPE(batch, heads)));
}

orr_tensor *orr_attention_at(const char *file, int line, orr_tensor *q, orr_tensor *k, orr_tensor *v, orr_tensor *mask,
                             const orr_attention_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "attention");
    orr_attention_options o = options ? *options : (orr_attention_options){ 0 };
    orr__node *n[3], *in[6];
    orr_tensor *bad, *t[6] = { q, k, v };
    if (!orr__operand_float(at, q, "q", &n[0], &bad) || !orr__operand_float(at, k, "k", &n[1], &bad) ||
        !orr__operand_float(at, v, "v", &n[2], &bad) || !shapes_fit(at, n, &bad) || !options_fit(at, &o, &bad))
        return bad;
    orr_dtype dtype;
    if (!orr__promote_nodes(at, 3, n, &dtype))
        return orr__handle_new(NULL);
    orr_dtype wide = orr__wide(dtype);
    orr_shape shape = n[0]->shape, all = n[0]->shape, ks = n[1]->shape;
    int r = shape.rank, many = 3;
    int64_t batch = 1;
    for (int d = 0; d < r - 3; d++)
        batch *= shape.dim[d];
    all.dim[r - 1] = ks.dim[r - 2];
    shape.dim[r - 1] = n[2]->shape.dim[r - 1];
    double width = (double)ks.dim[r - 1];
    orr__attr a = { .mask = o.causal ? ORR__ATTEND_CAUSAL : 0 };
    a.start[0] = o.window;
    a.start[1] = bits_of(o.scale != 0.0 ? o.scale : width > 0 ? 1.0 / sqrt(width) : 1.0);
    a.start[2] = bits_of(o.dropout);
    orr_shape flat[3];
    for (int i = 0; i < 3; i++)
        flat[i] = ORR_SHAPE(batch, n[i]->shape.dim[r - 3], n[i]->shape.dim[r - 2], n[i]->shape.dim[r - 1]);
    orr_scope *scope = orr__compose_begin(at);
    for (int i = 0; i < 3; i++)
        t[i] = orr_reshape_at(AT, orr_cast_at(AT, t[i], dtype), flat[i]);
    if (o.dropout > 0.0) {
        a.mask |= ORR__ATTEND_DROPS;
        t[many++] =
            orr__handle_new(orr__rec_const(at, ORR_U64, &ORR_SHAPE(1), (orr__scalar){ .u = orr__next_stream() }));
        t[many++] = head_numbers(at, batch, shape.dim[r - 3]);
    }
    if (mask) {
        a.mask |= ORR__ATTEND_MASK;
        if (!(t[many++] = mask_as(at, mask, all, wide, &bad)))
            return orr__compose_end(at, scope, bad);
    }
    static const char *const drop_names[] = { "q", "k", "v", "key", "numbers", "mask" };
    static const char *const plain_names[] = { "q", "k", "v", "mask" };
    const char *const *names = o.dropout > 0.0 ? drop_names : plain_names;
    if (!orr__operands(at, many, (const orr_tensor *const *)t, names, in, &bad))
        return orr__compose_end(at, scope, bad);
    orr_shape packed = flat[0];
    packed.dim[3] = flat[2].dim[3] + 1;
    orr_tensor *both = record(at, &orr__op_attention, &packed, &a, many, in);
    orr_tensor *y = orr_reshape_at(AT, orr_slice_axis_at(AT, both, 3, 0, packed.dim[3] - 1, 1), shape);
    return orr__compose_end(at, scope, orr_cast_at(AT, y, dtype));
}
