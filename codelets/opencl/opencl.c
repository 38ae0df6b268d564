/* The OpenCL backend: regions through generated OpenCL C.
 * Must not know: StarPU, plans, tensors. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/emit.h"
#include "codelets/opencl/opencl.h"
#include "codelets/user/user.h"

enum { STACK_WORDS = 128, NO_INDEX = INT32_MAX, FLAG_BYTES = ORR__FLAG_INTS * sizeof(cl_int) };

static const cl_int no_flag[ORR__FLAG_INTS] = { [ORR__FLAG_LEAST] = NO_INDEX, [ORR__FLAG_WANTED] = -1 };

/* The units that a kernel was launched through: one per device and index width. */
typedef struct used {
    struct used *next;
    orr__cl_unit *unit;
} used;

struct orr__kernel {
    const orr__region *region; /* the region it was prepared for: compared, never dereferenced */
    orr__layout layout;
    char *text;
    bool fp64;
    pthread_mutex_t lock; /* guards used */
    used *used;
};

static bool probe(char *why, size_t size)
{
    const orr__cl_machine *m = orr__cl_look();
    if (!m->devices && why && size > 0)
        (void)snprintf(why, size, "%s", m->why);
    return m->devices > 0;
}

static bool can(const orr__region *r)
{
    const orr__cl_machine *m = orr__cl_look();
    if (orr__region_is_users(r))
        return m->devices > 0 && orr__user_text_can(r, false, m->fp64);
    return m->devices > 0 && (!orr__emit_groups(r) || m->group >= (size_t)orr__dialect_opencl.group) &&
           orr__emit_can(r, m->fp64);
}

static orr__site site(const orr__region *r)
{
    return orr__region_site(r);
}

static void release(orr__kernel *k)
{
    if (!k)
        return;
    for (used *u = k->used, *next; u; u = next) {
        next = u->next;
        orr__cl_unit_put(u->unit);
        free(u);
    }
    (void)pthread_mutex_destroy(&k->lock);
    orr__layout_free(&k->layout);
    free(k->text);
    free(k);
}

static orr_status prepare(const orr__region *r, orr__kernel **out)
{
    *out = NULL;
    if (!can(r))
        return orr__fail(site(r), ORR_EINTERNAL, "OpenCL cannot run this region");
    orr__kernel *k = orr__alloc(sizeof *k);
    if (!k)
        return ORR_ENOMEM;
    if (pthread_mutex_init(&k->lock, NULL) != 0) {
        free(k);
        return orr__fail(site(r), ORR_ENOMEM, "no memory for a lock");
    }
    k->region = r;
    k->fp64 = orr__cl_look()->fp64;
    bool user = orr__region_is_users(r);
    orr_status st = user ? ORR_OK : orr__layout_make(r, &orr__dialect_opencl, &k->layout);
    if (st == ORR_OK &&
        !(k->text = user ? orr__user_text(r, false, k->fp64) : orr__emit(r, &orr__dialect_opencl, &k->layout, k->fp64)))
        st = ORR_ENOMEM;
    if (st != ORR_OK) {
        release(k);
        return st;
    }
    k->layout.alone = orr__cl_look()->processors && !orr__cl_fold_together;
    *out = k;
    return ORR_OK;
}

/* The unit for this launch's device; the kernel keeps a reference to it. */
static orr__cl_unit *unit_for(orr__kernel *k, const orr__launch *l, bool wide)
{
    (void)pthread_mutex_lock(&k->lock);
    used *u = k->used;
    while (u && !(u->unit->context == (cl_context)l->context && u->unit->device == (cl_device_id)l->device &&
                  u->unit->wide == wide))
        u = u->next;
    if (!u && (u = orr__alloc(sizeof *u)) != NULL) {
        u->unit = orr__cl_unit_get(site(l->region), k->text, l->context, l->device, wide);
        if (u->unit) {
            u->next = k->used;
            k->used = u;
        } else {
            free(u);
            u = NULL;
        }
    }
    (void)pthread_mutex_unlock(&k->lock);
    return u ? u->unit : NULL;
}

static cl_int set_pointers(cl_kernel kernel, const orr__launch *l, cl_uint *next)
{
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < l->region->nin && code == CL_SUCCESS; i++) {
        cl_mem m = l->in[i];
        code = clSetKernelArg(kernel, (*next)++, sizeof m, &m);
    }
    for (int i = 0; i < l->region->nout && code == CL_SUCCESS; i++) {
        cl_mem m = l->out[i];
        code = clSetKernelArg(kernel, (*next)++, sizeof m, &m);
    }
    return code;
}

/* Creates a small buffer with a copy of *p. */
static orr_status small_buffer(const orr__cl_unit *u, const orr__launch *l, cl_mem_flags flags, const void *p,
                               size_t bytes, cl_mem *m)
{
    cl_int code;
    *m = clCreateBuffer(u->context, flags | CL_MEM_COPY_HOST_PTR, bytes, (void *)(uintptr_t)p, &code);
    return *m ? ORR_OK : orr__cl_fail(site(l->region), "clCreateBuffer", code);
}

/* The kernel's parameters before the words; NULL for a missing one. */
typedef struct {
    cl_mem flag, scratch;
} extra;

/* Requires the unit's lock: arguments belong to the cl_kernel until it is enqueued. */
static orr_status enqueue(orr__kernel *k, const orr__launch *l, orr__cl_unit *u, const int64_t *word, const extra *x)
{
    orr__site at = site(l->region);
    cl_int code;
    cl_uint next = 0;
    cl_mem words = NULL;
    size_t bytes = (size_t)k->layout.nword * sizeof *word;
    orr__geometry g = orr__emit_geometry(&k->layout, word);
    size_t group = g.group ? (size_t)g.group : u->group, global = ((size_t)g.items + group - 1) / group * group;
    orr_status st = ORR_OK;
    code = set_pointers(u->kernel, l, &next);
    if (code == CL_SUCCESS && k->layout.flag)
        code = clSetKernelArg(u->kernel, next++, sizeof x->flag, &x->flag);
    if (code == CL_SUCCESS && k->layout.scratch)
        code = clSetKernelArg(u->kernel, next++, sizeof x->scratch, &x->scratch);
    if (code == CL_SUCCESS && k->layout.by_value)
        code = clSetKernelArg(u->kernel, next, bytes, word);
    else if (code == CL_SUCCESS) {
        st = small_buffer(u, l, CL_MEM_READ_ONLY, word, bytes, &words);
        if (st != ORR_OK)
            return st;
        code = clSetKernelArg(u->kernel, next, sizeof words, &words);
    }
    if (code != CL_SUCCESS)
        st = orr__cl_fail(at, "clSetKernelArg", code);
    else {
        code = clEnqueueNDRangeKernel(l->queue, u->kernel, 1, NULL, &global, &group, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            st = orr__cl_fail(at, "clEnqueueNDRangeKernel", code);
    }
    if (words) /* the queue retains it while it is used */
        (void)clReleaseMemObject(words);
    return st;
}

static orr_status make_extra(const orr__kernel *k, const orr__launch *l, const orr__cl_unit *u, const int64_t *word,
                             extra *x)
{
    size_t bytes = orr__emit_scratch(l, &k->layout, word);
    cl_int code = CL_SUCCESS;
    *x = (extra){ NULL, NULL };
    if (k->layout.flag) {
        x->flag =
            clCreateBuffer(u->context, CL_MEM_READ_WRITE, (size_t)orr__emit_flags(l->region) * FLAG_BYTES, NULL, &code);
        for (int i = 0; i < orr__emit_flags(l->region) && code == CL_SUCCESS; i++)
            code = clEnqueueWriteBuffer(l->queue, x->flag, CL_TRUE, (size_t)i * FLAG_BYTES, FLAG_BYTES, no_flag, 0,
                                        NULL, NULL);
    }
    if (bytes > 0 && code == CL_SUCCESS)
        x->scratch = clCreateBuffer(u->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return code == CL_SUCCESS ? ORR_OK : orr__cl_fail(site(l->region), "clCreateBuffer", code);
}

/* The queue retains them while they are used. */
static void drop_extra(const extra *x)
{
    if (x->flag)
        (void)clReleaseMemObject(x->flag);
    if (x->scratch)
        (void)clReleaseMemObject(x->scratch);
}

static orr_status run(orr__kernel *k, const orr__launch *l, orr__cl_unit *u, int64_t *word, const extra *x)
{
    (void)pthread_mutex_lock(&u->lock);
    orr_status st = orr__cl_unit_build(site(l->region), u);
    if (st == ORR_OK)
        st = enqueue(k, l, u, word, x);
    while (st == ORR_OK && orr__emit_next(l, &k->layout, word))
        st = enqueue(k, l, u, word, x);
    (void)pthread_mutex_unlock(&u->lock);
    return st;
}

/* The error that flag number n of the launch stands for. */
static orr_status wrong_index(const orr__launch *l, int n, const cl_int *flag)
{
    const orr__region *r = l->region;
    int64_t index = (int64_t)((uint64_t)(uint32_t)flag[ORR__FLAG_HIGH] << 32 | (uint32_t)flag[ORR__FLAG_LOW]);
    int axis;
    int64_t length;
    orr_status st = orr__emit_refused(r, flag[ORR__FLAG_WANTED]);
    if (st != ORR_OK)
        return st;
    orr__site at = orr__emit_flag_of(r, n, &axis, &length);
    return orr__no_place(at, index, flag[ORR__FLAG_WANTED], axis, length);
}

/* Waits for the launch. An index out of range gives the same error as on the host. The kernel runs once more to report
 * its value. */
static orr_status check_indices(orr__kernel *k, const orr__launch *l, orr__cl_unit *u, int64_t *word, const extra *x)
{
    cl_int flag[ORR__FLAG_INTS], code = CL_SUCCESS;
    for (int n = 0; n < orr__emit_flags(l->region); n++) {
        size_t at = (size_t)n * FLAG_BYTES;
        code = clEnqueueReadBuffer(l->queue, x->flag, CL_TRUE, at, FLAG_BYTES, flag, 0, NULL, NULL);
        if (code == CL_SUCCESS && flag[ORR__FLAG_LEAST] == NO_INDEX)
            continue;
        flag[ORR__FLAG_WANTED] = flag[ORR__FLAG_LEAST];
        if (code == CL_SUCCESS)
            code = clEnqueueWriteBuffer(l->queue, x->flag, CL_TRUE, at, FLAG_BYTES, flag, 0, NULL, NULL);
        (void)orr__emit_words(l, &k->layout, k->fp64, word);
        orr_status st = code == CL_SUCCESS ? run(k, l, u, word, x) : ORR_OK;
        if (st != ORR_OK)
            return st;
        if (code == CL_SUCCESS)
            code = clEnqueueReadBuffer(l->queue, x->flag, CL_TRUE, at, FLAG_BYTES, flag, 0, NULL, NULL);
        return code == CL_SUCCESS ? wrong_index(l, n, flag)
                                  : orr__cl_fail(site(l->region), "clEnqueueReadBuffer", code);
    }
    return ORR_OK;
}

static orr_status launch_unit(orr__kernel *k, const orr__launch *l, orr__cl_unit *u, int64_t *word)
{
    extra x;
    orr_status st = make_extra(k, l, u, word, &x);
    if (st == ORR_OK)
        st = run(k, l, u, word, &x);
    if (st == ORR_OK && k->layout.flag)
        st = check_indices(k, l, u, word, &x);
    drop_extra(&x);
    return st;
}

static orr_status launch(orr__kernel *k, const orr__launch *l)
{
    orr__site at = site(l->region);
    int64_t stack[STACK_WORDS], *word = stack;
    orr_status st = ORR_OK;
    if (orr__region_is_users(l->region)) {
        orr__cl_unit *u = unit_for(k, l, false);
        return u ? orr__cl_user(u, l) : ORR_ENOMEM;
    }
    if (l->region != k->region) {
        orr__layout other;
        st = orr__layout_make(l->region, &orr__dialect_opencl, &other);
        if (st != ORR_OK)
            return st;
        bool equal = orr__layout_equal(&other, &k->layout, l->region);
        orr__layout_free(&other);
        if (!equal)
            return orr__fail(at, ORR_EINTERNAL, "an OpenCL kernel made for a region with other accesses");
    }
    if (k->layout.nword > STACK_WORDS && !(word = orr__alloc_n((size_t)k->layout.nword, sizeof *word)))
        return ORR_ENOMEM;
    bool wide = !orr__emit_words(l, &k->layout, k->fp64, word);
    if (word[0] > 0) {
        orr__cl_unit *u = unit_for(k, l, wide);
        st = u ? launch_unit(k, l, u, word) : ORR_ENOMEM;
    }
    if (word != stack)
        free(word);
    return st;
}

static orr_status read_back(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes)
{
    cl_int code = clEnqueueReadBuffer(l->queue, from, CL_TRUE, byte, bytes, host, 0, NULL, NULL);
    return code == CL_SUCCESS ? ORR_OK : orr__cl_fail(site(l->region), "clEnqueueReadBuffer", code);
}

static orr_status write_to(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes)
{
    cl_int code = clEnqueueWriteBuffer(l->queue, to, CL_TRUE, byte, bytes, host, 0, NULL, NULL);
    return code == CL_SUCCESS ? ORR_OK : orr__cl_fail(site(l->region), "clEnqueueWriteBuffer", code);
}

static orr_status finish(const orr__launch *l)
{
    cl_int code = clFinish(l->queue);
    return code == CL_SUCCESS ? ORR_OK : orr__cl_fail(site(l->region), "clFinish", code);
}

const orr__backend orr__opencl = {
    .name = "opencl",
    .probe = probe,
    .can = can,
    .prepare = prepare,
    .launch = launch,
    .release = release,
    .read = read_back,
    .write = write_to,
    .finish = finish,
};
