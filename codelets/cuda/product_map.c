/* A product with an epilogue in two launches: the library's product, into the memory of one of the results, then the
 * epilogue as a map over it.
 * Must not know: cuBLASLt. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/array.h"
#include "runtime/base/buffer.h"

struct orr__cu_tail {
    orr__cu_product plain;
    int home;        /* the output whose memory holds the product meanwhile */
    orr__region map; /* over (batch…, m, n); its last input is the product */
    orr__kernel *kernel;
};

static int home_of(const orr__region *r, orr_dtype t)
{
    for (int k = 0; k < r->nout; k++)
        if (r->out_dtype[k] == t)
            return k;
    return -1;
}

static bool copy_arrays(const orr__region *r, orr__region *m)
{
    size_t nin = (size_t)r->nin;
    m->instr = orr__alloc_n((size_t)r->ninstr, sizeof *m->instr);
    m->access = orr__alloc_n((size_t)r->naccess, sizeof *m->access);
    m->in = orr__alloc_n(nin + 1, sizeof *m->in);
    m->in_dtype = orr__alloc_n(nin + 1, sizeof *m->in_dtype);
    m->in_count = orr__alloc_n(nin + 1, sizeof *m->in_count);
    m->call.in = NULL;
    if (!m->instr || !m->access || !m->in || !m->in_dtype || !m->in_count)
        return false;
    memcpy(m->instr, r->instr, (size_t)r->ninstr * sizeof *m->instr);
    memcpy(m->access, r->access, (size_t)r->naccess * sizeof *m->access);
    memcpy(m->in, r->in, nin * sizeof *m->in);
    memcpy(m->in_dtype, r->in_dtype, nin * sizeof *m->in_dtype);
    memcpy(m->in_count, r->in_count, nin * sizeof *m->in_count);
    return true;
}

/* The product's axes except the last; both of its accesses become that of the product's elements. */
static bool make_map(const orr__region *r, orr_dtype t, orr__region *m)
{
    *m = *r;
    if (!copy_arrays(r, m))
        return false;
    m->loops = ORR__LOOPS_MAP;
    m->rank = r->rank - 1;
    m->nin = r->nin + 1;
    m->in[r->nin] = -1;
    m->in_dtype[r->nin] = (uint8_t)t;
    m->in_count[r->nin] = r->out_count;
    orr__access a = { .input = r->nin };
    int64_t step = 1;
    for (int d = m->rank - 1; d >= 0; d--) {
        a.stride[d] = step;
        step *= r->dim[d];
    }
    m->access[0] = m->access[1] = a;
    m->instr[0] = (orr__rinstr){
        .kind = ORR__RI_LOAD, .dtype = (uint8_t)t, .op = -1, .x = -1, .y = -1, .z = -1, .a = 0, .slot = -1
    };
    return true;
}

orr_status orr__cu_tail_make(const orr__region *r, orr__cu_tail **out)
{
    orr_dtype t = (orr_dtype)(r->ninstr > 0 ? r->instr[0].dtype : r->out_dtype[0]);
    int home = home_of(r, t);
    *out = NULL;
    if (r->ninstr < 2 || home < 0)
        return ORR_OK;
    orr__cu_tail *tail = orr__alloc(sizeof *tail);
    if (!tail)
        return ORR_ENOMEM;
    tail->plain = (orr__cu_product){ .epilogue = ORR__LT_PLAIN, .bias = -1 };
    tail->home = home;
    orr_status st = make_map(r, t, &tail->map) ? orr__cuda.prepare(&tail->map, &tail->kernel) : ORR_ENOMEM;
    if (st != ORR_OK) {
        orr__cu_tail_free(tail);
        return st;
    }
    *out = tail;
    return ORR_OK;
}

void orr__cu_tail_free(orr__cu_tail *tail)
{
    if (!tail)
        return;
    orr__cuda.release(tail->kernel);
    orr__region_free(&tail->map);
    free(tail);
}

void orr__cu_tail_compile(const orr__cu_tail *tail)
{
    orr__cuda.compile(tail->kernel, &tail->map);
}

static orr_status launch_map(const orr__cu_tail *tail, const orr__launch *l)
{
    enum { FEW = 32 };
    int nin = l->region->nin;
    void *few[FEW], **in = orr__array_begin(few, sizeof few, (size_t)nin + 1, sizeof *in);
    int64_t few_off[FEW] = { 0 }, *off = orr__array_begin(few_off, sizeof few_off, (size_t)nin + 1, sizeof *off);
    orr_status st = in && off ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        orr__launch m = *l;
        for (int i = 0; i < nin; i++) {
            in[i] = l->in[i];
            off[i] = l->in_off ? l->in_off[i] : 0;
        }
        in[nin] = l->out[tail->home];
        off[nin] = l->out_off ? l->out_off[tail->home] : 0;
        m.region = &tail->map;
        m.in = in;
        m.in_off = off;
        st = orr__cuda.launch(tail->kernel, &m);
    }
    orr__array_end(in, few);
    orr__array_end(off, few_off);
    return st;
}

orr_status orr__cu_tail_launch(const orr__cu_tail *tail, const orr__launch *l, bool *done)
{
    orr_status st =
        orr__cu_product_launch(&tail->plain, l, l->out[tail->home], l->out_off ? l->out_off[tail->home] : 0, done);
    return st == ORR_OK && *done ? launch_map(tail, l) : st;
}
