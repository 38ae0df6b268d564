/* Fourier transforms by cuFFT: rows of complex numbers, and forward transforms of real ones. Plans are kept with their
 * stream, the only user of their memory.
 * Must not know: StarPU, plans of graphs. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/buffer.h"

enum { KEPT = 8 };

/* A plan; the list begins with the most recently used ones. */
typedef struct orr__cu_transform {
    struct orr__cu_transform *next;
    int plan, type, n, rows, in, out; /* in, out: from one row to the next */
} transform;

void orr__cu_transforms_free(transform *t)
{
    for (transform *next; t; t = next) {
        next = t->next;
        (void)orr__cu_fft(NULL)->destroy(t->plan);
        free(t);
    }
}

static orr_status say(orr__site at, const char *call, int code)
{
    return code == 0 ? ORR_OK : orr__fail(at, ORR_EDEVICE, "CUDA: %s: status %d", call, code);
}

static orr_status make(orr__site at, orr__cu_stream_memory *memory, transform like, transform **made)
{
    const orr__cu_fft_library *f = orr__cu_fft(NULL);
    int length[1] = { like.n };
    transform *t = orr__alloc(sizeof *t);
    if (!t)
        return orr__fail_place(at, ORR_ENOMEM);
    *t = like;
    orr_status st =
        say(at, "cufftPlanMany",
            f->plan_many(&t->plan, 1, length, length, 1, like.in, length, 1, like.out, like.type, like.rows));
    if (st != ORR_OK) {
        free(t);
        return st;
    }
    st = say(at, "cufftSetStream", f->set_stream(t->plan, memory->stream));
    t->next = memory->transforms;
    memory->transforms = *made = t;
    int count = 0;
    for (transform *k = t; k; k = k->next)
        if (++count == KEPT && k->next) {
            orr__cu_transforms_free(k->next);
            k->next = NULL;
            memory->transforms_ended++;
        }
    return st;
}

static bool alike(const transform *a, const transform *b)
{
    return a->type == b->type && a->n == b->n && a->rows == b->rows && a->in == b->in && a->out == b->out;
}

static orr_status plan_of(orr__site at, orr__cu_stream_memory *memory, transform like, transform **plan)
{
    for (transform **t = &memory->transforms; *t; t = &(*t)->next)
        if (alike(*t, &like)) {
            *plan = *t;
            *t = (*t)->next;
            (*plan)->next = memory->transforms;
            memory->transforms = *plan;
            return ORR_OK;
        }
    orr_status st = orr__cu_record_refuse(at, "a transform without a plan yet");
    return st == ORR_OK ? make(at, memory, like, plan) : st;
}

static int64_t last(const orr_shape *s)
{
    return s->dim[s->rank - 1];
}

static bool can(const orr__region *r)
{
    orr_dtype t = (orr_dtype)r->out_dtype[0];
    return r->ninstr == 0 && (t == ORR_C64 || t == ORR_C128) && last(&r->call.in[0]) > 0 &&
           last(&r->call.in[0]) < INT_MAX && orr__cu_fft(NULL);
}

/* All that the library is told. */
typedef struct {
    const transform *plan;
    char *x, *y;
    orr__cu_address aside; /* of rows that are copied first */
    size_t bytes;          /* of these                      */
    bool real, wide;
    int direction;
} call;

static orr_status run(orr__site at, const call *c, void *stream)
{
    const orr__cu_fft_library *f = orr__cu_fft(NULL);
    char *x = c->bytes > 0 ? (char *)(uintptr_t)c->aside : c->x;
    int code =
        c->bytes > 0 ? orr__cu(NULL)->within(c->aside, (orr__cu_address)(uintptr_t)c->x, c->bytes, stream) : ORR__CU_OK;
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuMemcpyDtoDAsync", code);
    return say(at, "cufftExec",
               c->real ? f->real[c->wide](c->plan->plan, x, c->y)
                       : f->complex_[c->wide](c->plan->plan, x, c->y, c->direction));
}

static orr_status launch(const orr__launch *l)
{
    const orr__region *r = l->region;
    const orr__cu_fft_library *f = orr__cu_fft(NULL);
    orr__site at = orr__cu_site(r);
    bool real = !orr__is_complex((orr_dtype)r->in_dtype[0]), wide = r->out_dtype[0] == ORR_C128;
    int64_t n = last(&r->call.in[0]), to = last(&r->call.out), rows = l->hi - l->lo;
    size_t in = orr_dtype_size((orr_dtype)r->in_dtype[0]), out = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    orr__cu_stream_memory *memory = NULL;
    transform *t = NULL;
    if (rows <= 0)
        return ORR_OK;
    if (!f || rows > INT_MAX)
        return orr__fail(at, ORR_EDEVICE, "CUDA: there is no cuFFT, or there are too many rows: %lld", (long long)rows);
    orr_status st = orr__cu_stream_memory_of(at, l->queue, &memory);
    int type = real ? wide ? ORR__FFT_D2Z : ORR__FFT_R2C : wide ? ORR__FFT_Z2Z : ORR__FFT_C2C;
    if (st == ORR_OK)
        st = plan_of(at, memory,
                     (transform){ .type = type, .n = (int)n, .rows = (int)rows, .in = (int)n, .out = (int)to }, &t);
    if (st != ORR_OK)
        return st;
    call c;
    memset(&c, 0, sizeof c); /* it is compared as bytes */
    c.plan = t;
    c.x = (char *)l->in[0] + (l->lo * n - (l->in_off ? l->in_off[0] : 0)) * (int64_t)in;
    c.y = (char *)l->out[0] + (l->lo * to - (l->out_off ? l->out_off[0] : 0)) * (int64_t)out;
    c.real = real;
    c.wide = wide;
    c.direction = r->call.attr.mask & 1u ? ORR__FFT_INVERSE : ORR__FFT_FORWARD;
    /* cuFFT reads real rows as complex numbers, whose alignment a row in the middle of an array need not have: they are copied then. */
    if (real && (uintptr_t)c.x % out != 0)
        c.bytes = (size_t)rows * (size_t)n * in;
    st = orr__cu_stream_memory_grow(at, &memory->scratch, &memory->scratch_bytes, c.bytes);
    c.aside = memory->scratch;
    return st == ORR_OK && orr__cu_record_call(&c, sizeof c) ? run(at, &c, l->queue) : st;
}

const orr__cu_library orr__cu_library_fft = { can, launch, true };
const orr__cu_library orr__cu_library_rfft = { can, launch, true };
