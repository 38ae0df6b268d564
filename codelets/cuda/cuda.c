/* The CUDA backend: regions through generated CUDA C, products through cuBLASLt if it is available.
 * Must not know: StarPU, plans, tensors. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "codelets/user/user.h"
#include "ops/ops.h"
#include "runtime/base/buffer.h"

enum { STACK_WORDS = 128, NO_INDEX = INT32_MAX };

struct orr__kernel {
    const orr__region *region; /* the region it was prepared for: compared, never dereferenced */
    orr__layout layout;
    char *text;
    orr__cu_records *records;
    pthread_mutex_t lock;  /* guards unit and the list of records */
    orr__cu_unit *unit[2]; /* by index width; NULL: not yet requested */
    bool library;          /* a product of floats in two layouts that cuBLASLt may accept */
    orr__cu_product product;
    orr__cu_tail *tail; /* the epilogue of a product, as a map over it; NULL: none, or the library's own      */
};

orr__site orr__cu_site(const orr__region *r)
{
    return orr__region_site(r);
}

static bool probe(char *why, size_t size)
{
    const orr__cu_machine *m = orr__cu_look();
    if (!m->devices && why && size > 0)
        (void)snprintf(why, size, "%s", m->why);
    return m->devices > 0;
}

static const orr__cu_library *const libraries[ORR__OP_EW] = {
#define OP_NONE(name)
#define OP_KERNEL(name)
#define OP_LIBRARY(name) [ORR__OP_##name] = &orr__cu_library_##name,
#define OP(name, cpu, emit, doc) OP_##emit(name)
#include "ops/structural.def"
};

static const orr__cu_library *library_of(const orr__region *r)
{
    return r->call.op && r->call.op->id < ORR__OP_EW ? libraries[r->call.op->id] : NULL;
}

static bool can(const orr__region *r)
{
    if (library_of(r))
        return library_of(r)->can(r);
    if (orr__region_is_users(r))
        return orr__user_text_can(r, true, true);
    return orr__emit_can(r, true) && orr__emit_flags(r) * ORR__FLAG_INTS <= ORR__CU_FLAG;
}

static void release(orr__kernel *k)
{
    if (!k)
        return;
    orr__cu_records_free(k->records);
    orr__cu_unit_put(k->unit[0]);
    orr__cu_unit_put(k->unit[1]);
    orr__cu_tail_free(k->tail);
    (void)pthread_mutex_destroy(&k->lock);
    orr__layout_free(&k->layout);
    free(k->text);
    free(k);
}

static orr_status prepare(const orr__region *r, orr__kernel **out)
{
    *out = NULL;
    if (!can(r))
        return orr__fail(orr__cu_site(r), ORR_EINTERNAL, "CUDA cannot run this region");
    orr__kernel *k = orr__alloc(sizeof *k);
    if (!k)
        return ORR_ENOMEM;
    if (pthread_mutex_init(&k->lock, NULL) != 0) {
        free(k);
        return orr__fail(orr__cu_site(r), ORR_ENOMEM, "no memory for a lock");
    }
    k->region = r;
    if (library_of(r)) {
        *out = k;
        return ORR_OK;
    }
    bool user = orr__region_is_users(r);
    orr_status st = user ? ORR_OK : orr__layout_make(r, &orr__dialect_cuda, &k->layout);
    if (st == ORR_OK &&
        !(k->text = user ? orr__user_text(r, true, true) : orr__emit(r, &orr__dialect_cuda, &k->layout, true)))
        st = ORR_ENOMEM;
    if (st == ORR_OK && r->loops == ORR__LOOPS_PRODUCT) {
        k->library = orr__cu_product_is(r, &k->product);
        st = orr__cu_tail_make(r, &k->tail);
    }
    if (st != ORR_OK) {
        release(k);
        return st;
    }
    *out = k;
    return ORR_OK;
}

static orr__cu_unit *unit_for(orr__kernel *k, const orr__region *r, bool wide)
{
    (void)pthread_mutex_lock(&k->lock);
    orr__cu_unit *u = k->unit[wide];
    if (!u)
        u = k->unit[wide] = orr__cu_unit_get(orr__cu_site(r), k->text, wide);
    (void)pthread_mutex_unlock(&k->lock);
    return u;
}

/* Compiles with 32-bit indices, which most launches use. */
static void compile(orr__kernel *k, const orr__region *r)
{
    if (!k->text)
        return;
    bool library = k->library && orr__cu_lt(NULL), tail = k->tail && orr__cu_lt(NULL);
    orr__cu_unit *u = library || tail ? NULL : unit_for(k, r, false);
    if (u)
        orr__cu_unit_compile(orr__cu_site(r), u, orr__cu_look()->arch);
    else if (tail && !library)
        orr__cu_tail_compile(k->tail);
}

/* After the device has finished: was an index out of range? Its value is on the device, and may be lost. */
static orr_status check_index(orr__after *a)
{
    const volatile int32_t *flag = a->arg;
    int n = 0, all = orr__emit_flags(a->region), axis;
    while (n < all && flag[n * ORR__FLAG_INTS + ORR__FLAG_LEAST] == NO_INDEX)
        n++;
    int64_t number = n < all ? flag[n * ORR__FLAG_INTS + ORR__FLAG_LEAST] : 0, length;
    orr__cu_flag_put(a->arg);
    if (n == all)
        return ORR_OK;
    orr_status st = orr__emit_refused(a->region, number);
    if (st != ORR_OK)
        return st;
    orr__site at = orr__emit_flag_of(a->region, n, &axis, &length);
    return orr__fail(at, ORR_EINDEX, "an index (number %lld) is out of range for axis %d of length %lld",
                     (long long)number, axis, (long long)length);
}

typedef struct {
    orr__kernel *k;
    const orr__launch *l;
    orr__cu_stream_memory *memory;
    void *function;
    int64_t *word;
} call;

/* Words that do not fit by value are copied through the stream before the kernel; the driver has read them on
 * return. */
static orr_status enqueue(const call *c, const orr__cu_address *extra, int n)
{
    const orr__cu_driver *d = orr__cu(NULL);
    orr__site at = orr__cu_site(c->l->region);
    const orr__layout *lay = &c->k->layout;
    orr__geometry g = orr__emit_geometry(lay, c->word);
    const void *words = c->word;
    size_t bytes = (size_t)lay->nword * sizeof *c->word;
    if (!lay->by_value) {
        orr_status st = orr__cu_record_refuse(at, "a copy of arguments from the host");
        if (st == ORR_OK)
            st = orr__cu_stream_memory_grow(at, &c->memory->words, &c->memory->words_bytes, bytes);
        if (st != ORR_OK)
            return st;
        int code = d->to_device(c->memory->words, c->word, bytes, c->l->queue);
        if (code != ORR__CU_OK)
            return orr__cu_fail(at, "cuMemcpyHtoDAsync", code);
        words = &c->memory->words;
        bytes = sizeof c->memory->words;
    }
    return orr__cu_enqueue(at, c->function, c->l, extra, n, words, bytes, g.items, g.group);
}

/* All launches of a kernel. Further kernel parameters: the flag, then scratch memory. */
static orr_status stages(const call *c, const orr__cu_address *flag)
{
    orr__site at = orr__cu_site(c->l->region);
    size_t bytes = orr__emit_scratch(c->l, &c->k->layout, c->word);
    orr__cu_address extra[2];
    int n = 0;
    if (flag)
        extra[n++] = *flag;
    orr_status st = orr__cu_stream_memory_grow(at, &c->memory->scratch, &c->memory->scratch_bytes, bytes);
    if (c->k->layout.scratch)
        extra[n++] = c->memory->scratch;
    if (st == ORR_OK)
        st = enqueue(c, extra, n);
    while (st == ORR_OK && orr__emit_next(c->l, &c->k->layout, c->word))
        st = enqueue(c, extra, n);
    return st;
}

static orr_status with_flag(const call *c)
{
    const orr__cu_driver *d = orr__cu(NULL);
    orr__site at = orr__cu_site(c->l->region);
    orr__cu_address address = 0;
    orr__after own = { 0 }, *after = c->l->after ? c->l->after : &own;
    orr_status st = orr__cu_record_refuse(at, "a launch that data can make fail");
    int32_t *flag = st == ORR_OK ? orr__cu_flag_take(&address) : NULL;
    if (st != ORR_OK)
        return st;
    if (!flag)
        return orr__fail(at, ORR_ENOMEM, "CUDA: no host memory that the device can write");
    for (int i = 0; i < ORR__CU_FLAG; i++)
        flag[i] = i % ORR__FLAG_INTS == ORR__FLAG_LEAST ? NO_INDEX : -1;
    st = stages(c, &address);
    if (st != ORR_OK) {
        (void)d->wait(c->l->queue); /* an earlier stage may still write it */
        orr__cu_flag_put(flag);
        return st;
    }
    *after = (orr__after){ .check = check_index, .arg = flag, .region = c->l->region };
    if (c->l->after)
        return ORR_OK;
    int code = d->wait(c->l->queue);
    st = after->check(after);
    return code == ORR__CU_OK ? st : orr__cu_fail(at, "cuStreamSynchronize", code);
}

static orr_status generated(orr__kernel *k, const orr__launch *l, int64_t *word)
{
    orr__site at = orr__cu_site(l->region);
    call c = { .k = k, .l = l, .word = word };
    bool wide = !orr__emit_words(l, &k->layout, true, word);
    if (word[0] <= 0)
        return ORR_OK;
    orr__cu_unit *u = unit_for(k, l->region, wide);
    orr_status st = u ? orr__cu_unit_function(at, u, &c.function) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = orr__cu_stream_memory_of(at, l->queue, &c.memory);
    if (st != ORR_OK)
        return st;
    return k->layout.flag ? with_flag(&c) : stages(&c, NULL);
}

static orr_status same_layout(const orr__kernel *k, const orr__region *r)
{
    orr__layout other;
    orr_status st = orr__layout_make(r, &orr__dialect_cuda, &other);
    if (st != ORR_OK)
        return st;
    bool equal = orr__layout_equal(&other, &k->layout, r);
    orr__layout_free(&other);
    return equal ? ORR_OK
                 : orr__fail(orr__cu_site(r), ORR_EINTERNAL, "a CUDA kernel made for a region with other accesses");
}

/* Runs the library with its own epilogue, or the library and then a map over its result. *done stays false if neither
 * applies. */
static orr_status by_library(const orr__kernel *k, const orr__launch *l, bool *done)
{
    orr_status st = ORR_OK;
    *done = false;
    if (k->library)
        st = orr__cu_product_launch(&k->product, l, l->out[0], l->out_off ? l->out_off[0] : 0, done);
    if (st == ORR_OK && !*done && k->tail && l->region == k->region)
        st = orr__cu_tail_launch(k->tail, l, done);
    return st;
}

static orr_status launch_one(orr__kernel *k, const orr__launch *l)
{
    int64_t stack[STACK_WORDS], *word = stack;
    orr_status st = ORR_OK;
    bool done = false;
    if (l->after)
        *l->after = (orr__after){ 0 };
    if (!orr__cu(NULL))
        return orr__fail(orr__cu_site(l->region), ORR_EDEVICE, "CUDA: there is no driver");
    const orr__cu_library *library = library_of(l->region);
    if (library && !library->captured)
        st = orr__cu_record_refuse(orr__cu_site(l->region), "a call of a library that the host waits for");
    if (library)
        return st == ORR_OK ? library->launch(l) : st;
    if (orr__region_is_users(l->region)) {
        orr__cu_unit *u = unit_for(k, l->region, false);
        return u ? orr__cu_user(u, l) : ORR_ENOMEM;
    }
    if (l->region != k->region)
        st = same_layout(k, l->region);
    if (st == ORR_OK && l->region->loops == ORR__LOOPS_PRODUCT)
        st = by_library(k, l, &done);
    if (st == ORR_OK && l->region->call.op)
        st = orr__cu_conv_launch(l, &done);
    if (st != ORR_OK || done)
        return st;
    if (k->layout.nword > STACK_WORDS && !(word = orr__alloc_n((size_t)k->layout.nword, sizeof *word)))
        return ORR_ENOMEM;
    st = generated(k, l, word);
    if (word != stack)
        free(word);
    return st;
}

static orr_status launch(orr__kernel *k, const orr__launch *l)
{
    orr_status st = launch_one(k, l);
    if (st == ORR_OK)
        orr__cu_record_launch();
    return st;
}

static orr_status repeat(orr__kernel *k, const orr__sequence *s)
{
    return orr__cu_repeat(&k->records, s);
}

static orr_status tile(orr__tilejob *j)
{
    orr_status st = orr__cu_tile(j);
    if (st == ORR_OK)
        atomic_fetch_add_explicit(&orr__device_did.launches, 1, memory_order_relaxed);
    return st;
}

const orr__backend orr__cuda = {
    .name = "cuda",
    .probe = probe,
    .can = can,
    .prepare = prepare,
    .compile = compile,
    .launch = launch,
    .repeat = repeat,
    .release = release,
    .read = orr__cu_read,
    .write = orr__cu_write,
    .finish = orr__cu_finish,
    .gone = orr__cu_gone,
    .room = orr__cu_room,
    .tiles = orr__cu_tiles,
    .tile = tile,
    .stop = orr__cu_stop,
};
