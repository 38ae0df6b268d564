/* Compiled kernels, one per text and index width, loaded into each context that launches them.
 * Must not know: regions, files. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"

enum { IDLE = 64 }; /* limit of memory: units without a reference that stay loaded */

typedef struct loaded {
    struct loaded *next;
    void *context, *module, *function;
} loaded;

struct orr__cu_unit {
    orr__cu_unit *next;
    int refs;      /* guarded by the lock of the list, as is the next one */
    uint64_t idle; /* the time at which the last reference ended          */
    char *text;
    bool wide;
    pthread_mutex_t lock; /* guards all below */
    orr__cu_image image;  /* data NULL: not compiled yet */
    int arch;             /* the architecture of the image */
    loaded *loaded;
    char *broken; /* the error's text of a failed compilation, for later launches    */
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static orr__cu_unit *list;
static uint64_t now; /* ends of references so far */

static orr__cu_unit *make(const char *text, bool wide)
{
    orr__cu_unit *u = orr__alloc(sizeof *u);
    if (!u)
        return NULL;
    u->text = strdup(text);
    u->wide = wide;
    if (!u->text || pthread_mutex_init(&u->lock, NULL) != 0) {
        free(u->text);
        free(u);
        return NULL;
    }
    u->next = list;
    list = u;
    return u;
}

orr__cu_unit *orr__cu_unit_get(orr__site at, const char *text, bool wide)
{
    (void)pthread_mutex_lock(&list_lock);
    orr__cu_unit *u = list;
    while (u && !(u->wide == wide && strcmp(u->text, text) == 0))
        u = u->next;
    if (!u)
        u = make(text, wide);
    if (u)
        u->refs++;
    (void)pthread_mutex_unlock(&list_lock);
    if (!u)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a CUDA kernel");
    return u;
}

/* Modules belong to contexts: a context that is not current in the thread is entered for the call. A launch that was enqueued reads its
 * module until it has ended. */
static void unload(orr__cu_unit *u)
{
    const orr__cu_driver *d = orr__cu(NULL);
    for (loaded *m = u->loaded, *next; m; m = next) {
        void *before;
        next = m->next;
        if (d && d->push(m->context) == ORR__CU_OK) {
            orr__cu_captures_pause();
            (void)d->finish();
            orr__cu_captures_go_on();
            (void)d->unload(m->module);
            (void)d->pop(&before);
        }
        free(m);
    }
    u->loaded = NULL;
}

static void end(orr__cu_unit *u)
{
    unload(u);
    (void)pthread_mutex_destroy(&u->lock);
    free(u->image.data);
    free(u->broken);
    free(u->text);
    free(u);
}

/* Takes a unit off the list that is not to be kept: one whose text does not compile, or the oldest of too many idle ones. */
static orr__cu_unit *surplus(void)
{
    orr__cu_unit **at = NULL, *u;
    int idle = 0;
    for (orr__cu_unit **p = &list; *p; p = &(*p)->next) {
        if ((*p)->refs > 0)
            continue;
        idle++;
        if (!at || ((*p)->idle < (*at)->idle && !(*at)->broken) || (*p)->broken)
            at = p;
    }
    if (!at || (idle <= IDLE && !(*at)->broken))
        return NULL;
    u = *at;
    *at = u->next;
    return u;
}

/* A unit that is no longer in use stays loaded for a while: its launches may be under way, and unloading waits for the device. */
void orr__cu_unit_put(orr__cu_unit *u)
{
    if (!u)
        return;
    (void)pthread_mutex_lock(&list_lock);
    if (--u->refs == 0)
        u->idle = ++now;
    u = surplus();
    (void)pthread_mutex_unlock(&list_lock);
    if (u)
        end(u);
}

void orr__cu_units_stop(void)
{
    (void)pthread_mutex_lock(&list_lock);
    for (orr__cu_unit **p = &list; *p;) {
        orr__cu_unit *u = *p;
        if (u->refs == 0) {
            *p = u->next;
            end(u);
            continue;
        }
        (void)pthread_mutex_lock(&u->lock);
        unload(u);
        (void)pthread_mutex_unlock(&u->lock);
        p = &u->next;
    }
    (void)pthread_mutex_unlock(&list_lock);
}

/* The driver reports more facts on the code than the compiler. */
static void describe(const orr__cu_driver *d, orr__cu_unit *u, void *function, int device)
{
    int registers = 0, shared = 0, local = 0, blocks = 0, threads = 0;
    if (d->function_attribute(&registers, ORR__CU_REGISTERS, function) != ORR__CU_OK ||
        d->function_attribute(&shared, ORR__CU_SHARED, function) != ORR__CU_OK ||
        d->function_attribute(&local, ORR__CU_LOCAL, function) != ORR__CU_OK ||
        d->occupancy(&blocks, function, ORR__EMIT_GROUP, 0) != ORR__CU_OK ||
        d->device_attribute(&threads, ORR__CU_THREADS_PER_MULTIPROCESSOR, device) != ORR__CU_OK || threads <= 0)
        return;
    (void)snprintf(u->image.facts, sizeof u->image.facts, "%d registers, %d B shared, %d B local, occupancy %d %%",
                   registers, shared, local, 100 * blocks * ORR__EMIT_GROUP / threads);
}

/* One architecture at a time: with devices of several kinds, the unit is compiled for each in turn. */
static orr_status compile(orr__site at, orr__cu_unit *u, int arch)
{
    if (u->broken)
        return orr__fail_text(ORR_EDEVICE, u->broken);
    if (u->image.data && u->arch == arch)
        return ORR_OK;
    free(u->image.data);
    orr_status st = orr__cu_image_get(at, u->text, arch, u->wide, &u->image);
    u->arch = arch;
    if (st == ORR_EDEVICE)
        u->broken = strdup(orr_error_message());
    return st;
}

void orr__cu_unit_compile(orr__site at, orr__cu_unit *u, int arch)
{
    (void)pthread_mutex_lock(&u->lock);
    (void)compile(at, u, arch);
    (void)pthread_mutex_unlock(&u->lock);
    orr_error_clear();
}

static orr_status load(orr__site at, const orr__cu_driver *d, orr__cu_unit *u, void *context, loaded **out)
{
    int device, major = 0, minor = 0, code = d->context_device(&device);
    if (code == ORR__CU_OK)
        code = d->device_attribute(&major, ORR__CU_MAJOR, device);
    if (code == ORR__CU_OK)
        code = d->device_attribute(&minor, ORR__CU_MINOR, device);
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuDeviceGetAttribute", code);
    orr_status st = orr__cu_record_refuse(at, "a kernel that is not loaded yet");
    if (st == ORR_OK)
        st = compile(at, u, 10 * major + minor);
    if (st != ORR_OK)
        return st;
    loaded *m = orr__alloc(sizeof *m);
    if (!m)
        return ORR_ENOMEM;
    m->context = context;
    if ((code = d->load(&m->module, u->image.data)) != ORR__CU_OK) {
        free(m);
        return orr__cu_fail(at, "cuModuleLoadData", code);
    }
    if ((code = d->function(&m->function, m->module, "orr_kernel")) != ORR__CU_OK) {
        (void)d->unload(m->module);
        free(m);
        return orr__cu_fail(at, "cuModuleGetFunction", code);
    }
    if (!u->image.cached) {
        describe(d, u, m->function, device);
        orr__cu_image_keep(at.op, u->text, u->arch, u->wide, &u->image);
        u->image.cached = true;
    }
    m->next = u->loaded;
    u->loaded = *out = m;
    return ORR_OK;
}

orr_status orr__cu_unit_function(orr__site at, orr__cu_unit *u, void **function)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *context = NULL;
    int code = d ? d->context(&context) : ORR__CU_OK;
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuCtxGetCurrent", code);
    if (!context)
        return orr__fail(at, ORR_EDEVICE, "CUDA: the thread has no context");
    (void)pthread_mutex_lock(&u->lock);
    loaded *m = u->loaded;
    while (m && m->context != context)
        m = m->next;
    orr_status st = m ? ORR_OK : load(at, d, u, context, &m);
    if (st == ORR_OK)
        *function = m->function;
    (void)pthread_mutex_unlock(&u->lock);
    return st;
}
