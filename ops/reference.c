/* Reference evaluation: node by node and element by element, without optimisation. The engines are tested against it.
 * Must not know: fusion, plans, speed. */
#include "config.h"

#include <stdlib.h>
#include "ops/reference.h"

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

long double orr__reference_get(const orr__array *a, int64_t i)
{
    return (long double)orr__array_get(a, i).f;
}

void orr__reference_set(const orr__array *a, int64_t i, long double v)
{
    orr__array_set(a, i, orr__scalar_cast((orr__scalar){ .f = (double)v }, ORR_F64, a->dtype));
}

orr_status orr__reference_copy(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_copy(&j->out, i, &j->in[0], i);
    return ORR_OK;
}

/* The array of node i: the memory of a leaf, or new memory that is computed now. */
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
    orr__reference j = { .node = n,
                         .s = p->scalar + p->scalar0[i],
                         .nin = orr__capture_nin(p, i),
                         .all = all,
                         .arg = p->arg + p->arg0[i],
                         .out = all[i] };
    for (int k = 0; k < j.nin && k < 3; k++)
        j.in[k] = all[j.arg[k]];
    if (!n->op->reference)
        return orr__fail(ORR__SITE(n->file, n->line, n->op->name), ORR_EINTERNAL, "the operation has no reference");
    return n->op->reference(&j);
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
