/* Attention by tiles of queries and keys, forward and backward: besides operands and results, only one tile is in
 * memory.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "ops/nn/attention.h"
#include "runtime/base/minmax.h"
#include "runtime/base/philox.h"

typedef struct {
    orr__attend a;
    const orr__vec *vec;
    const void *q, *k, *v, *mask, *o, *g;
    void *out;
    double *sum; /* of each row of a tile, or of all queries */
    uint64_t key;
    const int64_t *number; /* the number of each head among all heads */
    int64_t rows, cols;    /* of a tile, at most */
    int64_t row0, kv0;     /* the first row of q, and head of k and v, in their arrays */
} job;

#define REAL float
#define WIDE 0
#define EXP expf
#define F(name) name##_f32
#include "codelets/cpu/attention_real.h"
#undef REAL
#undef WIDE
#undef EXP
#undef F

#define REAL double
#define WIDE 1
#define EXP exp
#define F(name) name##_f64
#include "codelets/cpu/attention_real.h"
#include "runtime/base/threshold.h"

/* The operands from number `first` on: q, k, v, key, numbers, mask. */
static job job_of(const orr__kernel *kernel, const orr__launch *l, int first)
{
    const orr__region *r = l->region;
    const orr__attr *attr = &r->call.attr;
    bool drops = (attr->mask & ORR__ATTEND_DROPS) != 0, masked = (attr->mask & ORR__ATTEND_MASK) != 0;
    job w = { .a = orr__attend_of(attr, &r->call.in[first], &r->call.in[first + 1], &r->call.in[first + 2],
                                  masked ? &r->call.in[first + 3 + 2 * drops] : NULL),
              .vec = kernel->vec,
              .q = l->in[first],
              .k = l->in[first + 1],
              .v = l->in[first + 2],
              .out = l->out[0] };
    if (drops) {
        w.key = *(const uint64_t *)l->in[first + w.a.key_operand];
        w.number = l->in[first + w.a.number_operand];
    }
    if (masked)
        w.mask = l->in[first + w.a.mask_operand];
    int64_t edge = ORR__T_TILE / 2; /* half of each tile on the diagonal is lost */
    w.rows = ORR__MIN(w.a.causal ? edge : ORR__T_TILE, w.a.queries);
    w.cols = ORR__MIN(w.a.causal ? edge : ORR__KEPT_BYTES / (int64_t)sizeof(float) / ORR__T_TILE, w.a.keys);
    return w;
}

/* Scratch memory for `tiles` tiles, a row, the maxima of a tile's rows, and `sums` sums. */
static void *memory_for(job *w, int tiles, int64_t sums, size_t size)
{
    size_t bytes = (size_t)(tiles * w->rows * w->cols + w->cols + w->rows) * size;
    bytes = (bytes + 63) / 64 * 64;
    char *p = orr__scratch(bytes + (size_t)sums * sizeof *w->sum + 64);
    if (p)
        w->sum = (double *)(void *)(p + bytes);
    return p;
}

/* Halves become f32: the rows [lo, hi) of q, and the heads of k and v that they read.
 * The caller frees *copy, which may be NULL. */
static orr_status widen(const orr__launch *l, int first, int64_t lo, int64_t hi, job *w, float **copy)
{
    const orr__attend *a = &w->a;
    orr_dtype t = (orr_dtype)l->region->in_dtype[first];
    *copy = NULL;
    if (!orr__is_half(t) || hi <= lo)
        return ORR_OK;
    int64_t head0 = lo / a->queries, head1 = (hi - 1) / a->queries;
    w->row0 = lo;
    w->kv0 = head0 / a->heads * a->kv + head0 % a->heads / a->group;
    int64_t heads = head1 / a->heads * a->kv + head1 % a->heads / a->group + 1 - w->kv0;
    const int64_t at[3] = { lo * a->width, w->kv0 * a->keys * a->width, w->kv0 * a->keys * a->value },
                  n[3] = { (hi - lo) * a->width, heads * a->keys * a->width, heads * a->keys * a->value };
    float *to = *copy = orr__alloc_n((size_t)(n[0] + n[1] + n[2] + 1), sizeof *to);
    if (!to)
        return ORR_ENOMEM;
    for (int k = 0; k < 3; to += n[k++]) {
        *(k == 0 ? &w->q : k == 1 ? &w->k : &w->v) = to;
        w->vec->cast[t * ORR_DTYPE_COUNT + ORR_F32](to, (const uint16_t *)l->in[first + k] + at[k], n[k]);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_attention(const orr__kernel *kernel, const orr__launch *l)
{
    job w = job_of(kernel, l, 0);
    bool wide = l->region->out_dtype[0] == ORR_F64;
    if (l->hi <= l->lo || w.a.queries == 0)
        return ORR_OK;
    float *copy;
    orr_status st = widen(l, 0, l->lo, l->hi, &w, &copy);
    if (st != ORR_OK)
        return st;
    void *p = memory_for(&w, 1, w.rows, wide ? sizeof(double) : sizeof(float));
    int place = p ? orr__cpu_blas_enter() : 0;
    if (!place) {
        free(copy);
        return p ? orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the buffers of BLAS") : ORR_ENOMEM;
    }
    for (int64_t at = l->lo; at < l->hi;) {
        int64_t head = at / w.a.queries, i0 = at % w.a.queries;
        int64_t i1 = ORR__MIN(ORR__MIN(i0 + w.rows, w.a.queries), i0 + l->hi - at);
        (wide ? forward_f64 : forward_f32)(&w, head, i0, i1, p);
        at += i1 - i0;
    }
    orr__cpu_blas_leave(place, true);
    free(copy);
    return ORR_OK;
}

orr_status orr__cpu_kernel_attention_grad(const orr__kernel *kernel, const orr__launch *l)
{
    job w = job_of(kernel, l, 2);
    bool wide = l->region->out_dtype[0] == ORR_F64;
    w.o = l->in[0];
    w.g = l->in[1];
    if (l->hi <= l->lo || l->region->out_count == 0)
        return ORR_OK;
    float *copy;
    int64_t rows = w.a.group * w.a.queries;
    orr_status st = widen(l, 2, l->lo * rows, l->hi * rows, &w, &copy);
    if (st != ORR_OK)
        return st;
    void *p = memory_for(&w, 2, w.a.queries, wide ? sizeof(double) : sizeof(float));
    int place = p ? orr__cpu_blas_enter() : 0;
    if (!place) {
        free(copy);
        return p ? orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the buffers of BLAS") : ORR_ENOMEM;
    }
    for (int64_t kv = l->lo; kv < l->hi; kv++)
        (wide ? backward_f64 : backward_f32)(&w, kv, p);
    orr__cpu_blas_leave(place, true);
    free(copy);
    return ORR_OK;
}
