/* Fourier transforms by cuFFT: rows of complex numbers, and forward transforms of real ones. Plans are kept with their
 * stream, the only user of their memory.
 * Must not know: StarPU, plans of graphs. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
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
        if (++count == KEPT) {
            orr__cu_transforms_free(k->next);
            k->next = NULL;
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
    return make(at, memory, like, plan);
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

/* cuFFT reads real rows as complex numbers, whose alignment a row in the middle of an array need not have: they are copied then. */
static orr_status align(orr__site at, orr__cu_stream_memory *memory, size_t bytes, size_t number, char **x)
{
    if ((uintptr_t)*x % number == 0)
        return ORR_OK;
    orr_status st = orr__cu_stream_memory_grow(at, &memory->scratch, &memory->scratch_bytes, bytes);
    if (st != ORR_OK)
        return st;
    int code = orr__cu(NULL)->within(memory->scratch, (orr__cu_address)(uintptr_t)*x, bytes, memory->stream);
    *x = (char *)(uintptr_t)memory->scratch;
    return code == ORR__CU_OK ? ORR_OK : orr__cu_fail(at, "cuMemcpyDtoDAsync", code);
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
    char *x = (char *)l->in[0] + (l->lo * n - (l->in_off ? l->in_off[0] : 0)) * (int64_t)in;
    char *y = (char *)l->out[0] + (l->lo * to - (l->out_off ? l->out_off[0] : 0)) * (int64_t)out;
    if (real && (st = align(at, memory, (size_t)rows * (size_t)n * in, out, &x)) != ORR_OK)
        return st;
    return say(at, "cufftExec",
               real ? f->real[wide](t->plan, x, y)
                    : f->complex_[wide](t->plan, x, y, r->call.attr.mask & 1u ? ORR__FFT_INVERSE : ORR__FFT_FORWARD));
}

const orr__cu_library orr__cu_library_fft = { can, launch };
const orr__cu_library orr__cu_library_rfft = { can, launch };
