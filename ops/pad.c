/* orr_pad: the operand with a border of one scalar.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/exchange.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape;
    (void)nin;
    if (s->rank != n->shape.rank || n->nscalar != 1)
        return "pad changes the rank, or has no value";
    for (int d = 0; d < s->rank; d++)
        if (n->attr.start[d] < 0 || n->attr.start[d] > n->shape.dim[d] - s->dim[d])
            return "pad leaves its result";
    return NULL;
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->in[0].shape;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        bool inside = true;
        orr__array_unravel(&j->out.shape, i, index);
        for (int d = 0; d < s->rank; d++) {
            index[d] -= j->node->attr.start[d];
            inside = inside && index[d] >= 0 && index[d] < s->dim[d];
        }
        orr__array_set(&j->out, i, inside ? orr__array_get(&j->in[0], orr__array_ravel(s, index)) : j->s[0]);
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    orr_index start = { s.rank, { 0 } }, stop = { s.rank, { 0 } };
    for (int i = 0; i < s.rank; i++) {
        start.v[i] = b->node->attr.start[i];
        stop.v[i] = start.v[i] + s.dim[i];
    }
    return orr_slice_at(AT, b->g, start, stop, ORR_NO_INDEX);
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__node *n = c->p->node[i];
    const orr_shape *s = &c->p->node[orr__arg(c->p, i, 0)]->shape;
    orr__view w = *v;
    bool some = true;
    for (int a = 0; a < s->rank; a++) {
        w.off[a] -= n->attr.start[a];
        some = some && orr__view_narrow(c->dim, &w, a, s->dim[a]);
    }
    int in = some ? orr__lower_operand(c, i, 0, &w) : -1;
    if (some && orr__view_same_box(&w, v))
        return in;
    int value = c->instr(c, (orr__rinstr){ ORR__RI_SCALAR, n->dtype, 0, -1, -1, -1, -1, c->p->scalar0[i] });
    return some ? orr__lower_choose(c, (orr_dtype)n->dtype, &w, in, value) : value;
}

/* Places behind the last one of an axis are behind the last one of each rank. */
static bool distribute(orr__spread_rule *r)
{
    int a = r->from.axis;
    if (r->from.kind == ORR__PARTIAL && !(r->from.rop == ORR__RSUM && r->node->s[0].u == 0))
        return false;
    return orr__rule_view(r, r->node->attr.start[a] == 0 ? a : -1);
}

const orr__op orr__op_pad = {
    .id = ORR__OP_pad,
    .name = "pad",
    .arity = 1,
    .pattern = ORR__PATTERN_CHOICE,
    .attrs = ORR__ATTR_START,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .lower = lower,
};

orr__node *orr__rec_pad(orr__site at, orr__node *n, const orr_shape *shape, const int64_t *start, orr__scalar v)
{
    if (!n || orr__shape_equal(&n->shape, shape))
        return n;
    orr__node *r = orr__rec_one(at, &orr__op_pad, (orr_dtype)n->dtype, shape, n);
    if (r) {
        r->nscalar = 1;
        r->s[0] = v;
        for (int i = 0; i < shape->rank; i++)
            r->attr.start[i] = start[i];
    }
    return r;
}

/* -- the terms of a sum over ranks ------------------------------------------------------------------------------------ */

/* The operand as row 0, and rows of zeros. Of a partial sum each rank has its own term as its row instead: the sum over the rows is
 * the same. */
static bool distribute_terms(orr__spread_rule *r)
{
    if (r->from.kind == ORR__SHARDED)
        return r->from.axis > 0 && orr__rule_view(r, r->from.axis);
    r->out = (orr__spread){ .kind = ORR__SHARDED, .block = 1 };
    return r->from.rop == ORR__RSUM && r->node->shape.dim[0] == r->ranks;
}

const orr__op orr__op_terms = {
    .id = ORR__OP_terms,
    .name = "terms",
    .arity = 1,
    .pattern = ORR__PATTERN_CHOICE,
    .attrs = ORR__ATTR_START,
    .verify = verify,
    .reference = reference,
    .distribute = distribute_terms,
    .vjp = vjp,
    .lower = lower,
};

orr_tensor *orr__terms(orr__site at, orr_tensor *t, int64_t ranks)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, t, "the tensor", &n, &bad))
        return bad;
    orr_shape row = ORR_SHAPE(1, orr__shape_count(&n->shape)), all = row;
    all.dim[0] = ranks;
    orr__node *x = orr__rec_reshape(at, orr__node_ref(n), &row);
    orr__node *r = x ? orr__rec_one(at, &orr__op_terms, (orr_dtype)x->dtype, &all, x) : NULL;
    if (r) {
        r->nscalar = 1;
        r->s[0] = (orr__scalar){ .u = 0 };
    }
    return orr__handle_new(r);
}

/* -- the public function ---------------------------------------------------------------------------------------------- */

/* The shape of x padded; *any: true if an axis is padded. */
static bool padded(orr__site at, const orr_shape *s, const orr_index *lo, const orr_index *hi, orr_shape *out,
                   bool *any, orr_tensor **bad)
{
    *out = *s;
    *any = false;
    *bad = NULL;
    if (lo->n < 0 || hi->n < 0 || lo->n > s->rank || hi->n > s->rank) {
        *bad = orr__poison(at, ORR_EAXIS, "%d and %d numbers for shape %s", lo->n, hi->n, orr__str(*s).s);
        return false;
    }
    for (int i = 0; i < s->rank && !*bad; i++) {
        int64_t a = i < lo->n ? lo->v[i] : 0, z = i < hi->n ? hi->v[i] : 0;
        if (a < 0 || z < 0)
            *bad = orr__poison(at, ORR_EINVAL, "negative padding along axis %d", i);
        else if (a > INT64_MAX - z || a + z > INT64_MAX - s->dim[i])
            *bad = orr__poison(at, ORR_ESHAPE, "the lengths along axis %d overflow", i);
        else
            out->dim[i] += a + z;
        *any = *any || a || z;
    }
    return !*bad && orr__shape_ok(at, out, bad);
}

/* Elements of a field: joins blocks of one value before and after x, axis by axis. */
static orr_tensor *pad_field(orr__site at, orr_tensor *x, const orr_index *lo, const orr_index *hi, double value)
{
    orr_scope *scope = orr__compose_begin(at);
    orr_dtype dtype = orr_tensor_dtype(x);
    for (int d = 0; d < orr_tensor_shape(x).rank; d++) {
        orr_shape before = orr_tensor_shape(x), after = before;
        before.dim[d] = d < lo->n ? lo->v[d] : 0;
        after.dim[d] = d < hi->n ? hi->v[d] : 0;
        if (!before.dim[d] && !after.dim[d])
            continue;
        orr_tensor *part[3] = { orr_full_at(at.file, at.line, dtype, before, value), x,
                                orr_full_at(at.file, at.line, dtype, after, value) };
        x = orr_concat_at(at.file, at.line, part, 3, d);
    }
    return orr__compose_end(at, scope, x);
}

orr_tensor *orr_pad_at(const char *file, int line, orr_tensor *x, orr_index lo, orr_index hi, double value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "pad");
    orr__node *n;
    orr_tensor *bad;
    orr_shape shape;
    orr__scalar v;
    bool any;
    if (!orr__operand(at, x, "x", &n, &bad) || !padded(at, &n->shape, &lo, &hi, &shape, &any, &bad))
        return bad;
    orr_dtype dtype = (orr_dtype)n->dtype;
    if (orr__is_complex(dtype)) {
        orr_scope *s = orr__compose_begin(at);
        orr_tensor *re = orr_pad_at(file, line, orr_real_at(file, line, x), lo, hi, value);
        orr_tensor *im = orr_pad_at(file, line, orr_imag_at(file, line, x), lo, hi, 0);
        return orr__compose_end(at, s, orr_complex_at(file, line, re, im));
    }
    if (orr__is_field(dtype))
        return pad_field(at, x, &lo, &hi, value);
    if (!orr__scalar_from(at, dtype, value, &v))
        return orr__handle_new(NULL);
    if (!any)
        return orr__handle_new(orr__node_ref(n));
    int64_t start[ORR_MAX_RANK];
    for (int i = 0; i < shape.rank; i++)
        start[i] = i < lo.n ? lo.v[i] : 0;
    return orr__handle_new(orr__rec_pad(at, orr__node_ref(n), &shape, start, v));
}
