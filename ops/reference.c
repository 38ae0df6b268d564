/* Reference evaluation: node by node, one element after the other, nothing clever. What the engines are tested against.
 * Must not know: fusion, plans, speed. */
#include "config.h"

#include <stdlib.h>
#include "ops/define.h"
#include "runtime/base/philox.h"

orr__scalar orr__array_get(const orr__array *a, int64_t i)
{
    return orr__scalar_load(a->data + (size_t)i * orr_dtype_size(a->dtype), a->dtype);
}

void orr__array_set(const orr__array *a, int64_t i, orr__scalar v)
{
    orr__scalar_store(a->data + (size_t)i * orr_dtype_size(a->dtype), a->dtype, v);
}

void orr__array_unravel(const orr_shape *s, int64_t i, int64_t index[ORR_MAX_RANK])
{
    for (int d = s->rank - 1; d >= 0; d--) {
        index[d] = i % s->dim[d];
        i /= s->dim[d];
    }
}

int64_t orr__array_ravel(const orr_shape *s, const int64_t index[ORR_MAX_RANK])
{
    int64_t i = 0;
    for (int d = 0; d < s->rank; d++)
        i = i * s->dim[d] + index[d];
    return i;
}

static orr_status constant(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, j->s[0]);
    return ORR_OK;
}

static orr_status iota(const orr__refjob *j)
{
    orr_dtype d = j->out.dtype;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, index);
        int64_t k = index[j->node->attr.axis];
        orr__scalar v;
        if (orr__is_float(d)) {
            v.f = j->s[0].f + j->s[1].f * (double)k;
            v = orr__scalar_cast(v, ORR_F64, d);
        } else {
            v.u = j->s[0].u + j->s[1].u * (uint64_t)k;
            v = orr__scalar_cast(v, orr__is_signed(d) ? ORR_I64 : ORR_U64, d);
        }
        orr__array_set(&j->out, i, v);
    }
    return ORR_OK;
}

static orr_status random_numbers(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i,
                       orr__rand_value(j->node->attr.dist, j->out.dtype, j->s[0].u, j->s[1], j->s[2], (uint64_t)i));
    return ORR_OK;
}

static orr_status cast(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__scalar_cast(orr__array_get(&j->in[0], i), j->in[0].dtype, j->out.dtype));
    return ORR_OK;
}

static orr_status copy(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], i));
    return ORR_OK;
}

static orr_status elementwise(const orr__refjob *j)
{
    const orr__ewrow *row = orr__ew(j->node->op->id);
    orr_dtype dtype = j->in[row->cond ? 1 : 0].dtype;
    for (int64_t i = 0; i < j->out.count; i++) {
        orr__scalar v[3] = { { .u = 0 }, { .u = 0 }, { .u = 0 } };
        for (int k = 0; k < j->nin; k++)
            v[k] = orr__array_get(&j->in[k], i);
        orr__array_set(&j->out, i, orr__ew_eval(row, dtype, v[0], v[1], v[2]));
    }
    return ORR_OK;
}

static orr_status evaluate(const orr__refjob *j)
{
    int id = j->node->op->id;
    switch (id) {
    case ORR__OP_CONST: return constant(j);
    case ORR__OP_IOTA: return iota(j);
    case ORR__OP_RANDOM: return random_numbers(j);
    case ORR__OP_CAST: return cast(j);
    case ORR__OP_DETACH:
    case ORR__OP_RESHAPE: return copy(j);
    case ORR__OP_PERMUTE: return orr__ref_permute(j);
    case ORR__OP_BROADCAST: return orr__ref_broadcast(j);
    case ORR__OP_SLICE: return orr__ref_slice(j);
    case ORR__OP_PAD: return orr__ref_pad(j);
    case ORR__OP_REDUCE: return orr__ref_reduce(j);
    case ORR__OP_ARGREDUCE: return orr__ref_argreduce(j);
    case ORR__OP_MATMUL: return orr__ref_matmul(j);
    case ORR__OP_TAKE: return orr__ref_take(j);
    case ORR__OP_SCATTER_ADD: return orr__ref_scatter_add(j);
    case ORR__OP_CONCAT: return orr__ref_concat(j);
    case ORR__OP_CHOLESKY: return orr__ref_cholesky(j);
    case ORR__OP_SOLVE: return orr__ref_solve(j);
    case ORR__OP_USER: return orr__ref_user(j);
    default: break;
    }
    if (id >= ORR__OP_EW)
        return elementwise(j);
    return orr__fail(ORR__SITE(j->node->file, j->node->line, j->node->op->name), ORR_EINTERNAL,
                     "the reference evaluation does not know this op");
}

/* Node i's array: a leaf's memory, or a fresh one that is computed. */
static orr_status node_value(const orr__capture *p, const void *const *leaf, orr__array *all, int i)
{
    const orr__node *n = p->node[i];
    all[i] = (orr__array){ (orr_dtype)n->dtype, n->shape, orr__shape_count(&n->shape), NULL };
    if (p->leaf_of[i] >= 0) {
        all[i].data = (uint8_t *)(uintptr_t)leaf[p->leaf_of[i]]; /* read only */
        return ORR_OK;
    }
    all[i].data = orr__alloc_n((size_t)all[i].count + 1, orr_dtype_size(all[i].dtype));
    if (!all[i].data)
        return ORR_ENOMEM;
    orr__refjob j = { .node = n,
                      .s = p->scalar + p->scalar0[i],
                      .nin = orr__capture_nin(p, i),
                      .all = all,
                      .arg = p->arg + p->arg0[i],
                      .out = all[i] };
    for (int k = 0; k < j.nin && k < 3; k++)
        j.in[k] = all[j.arg[k]];
    return evaluate(&j);
}

orr_status orr__reference_eval(const orr__capture *p, const void *const *leaf, void *const *out)
{
    orr__array *all = orr__alloc_n((size_t)p->n + 1, sizeof *all);
    orr_status st = all ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; i < p->n && st == ORR_OK; i++)
        st = node_value(p, leaf, all, i);
    for (int k = 0; k < p->nout && st == ORR_OK; k++) {
        const orr__array *a = &all[p->out[k]];
        if (a->count)
            memcpy(out[k], a->data, (size_t)a->count * orr_dtype_size(a->dtype));
    }
    for (int i = 0; all && i < p->n; i++)
        if (p->leaf_of[i] < 0)
            free(all[i].data);
    free(all);
    return st;
}
