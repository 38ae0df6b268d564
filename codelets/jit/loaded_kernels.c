/* Compiled kernels in memory: loaded from verified bytes, shared, counted, bounded.
 * Must not know: where the bytes come from. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/fork.h"
#include "runtime/base/held.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int orr__memory_most = 512;

/* All kernels in the cache, in the order of use; the cache has one reference to each. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__code *newest, *oldest;
static int held;
static atomic_int loaded;
static atomic_size_t loaded_bytes;

void orr__memory_guard(void)
{
    orr__fork_guard(&lock);
}

void orr__text_key(const char *text, unsigned char key[32])
{
    orr__text_key_of(text, strlen(text), key);
}

void orr__text_key_of(const char *text, size_t size, unsigned char key[32])
{
    uint64_t n = size;
    orr__sha256 s;
    orr__sha256_begin(&s);
    orr__sha256_add(&s, &n, sizeof n);
    orr__sha256_add(&s, text, size);
    orr__sha256_end(&s, key);
}

uint64_t orr__jit_text(const orr__jit *j)
{
    uint64_t number = 0;
    if (j->code)
        memcpy(&number, j->code->text_key, sizeof number);
    return number;
}

static void take_out(orr__code *c)
{
    *(c->newer ? &c->newer->older : &newest) = c->older;
    *(c->older ? &c->older->newer : &oldest) = c->newer;
    c->newer = c->older = NULL;
    held--;
}

static void put_first(orr__code *c)
{
    c->newer = NULL;
    c->older = newest;
    *(newest ? &newest->newer : &oldest) = c;
    newest = c;
    held++;
}

void orr__code_unref(orr__code *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    if (c->handle) {
        (void)dlclose(c->handle);
        orr__held_sub(ORR_MEMORY_KERNELS, c->bytes);
        atomic_fetch_sub(&loaded, 1);
        atomic_fetch_sub(&loaded_bytes, c->bytes);
    }
    free(orr__unhold(ORR_MEMORY_KERNELS, c));
}

static orr__code *find(const unsigned char key[32])
{
    orr__code *c = newest;
    while (c && memcmp(c->text_key, key, 32) != 0)
        c = c->older;
    return c;
}

orr__code *orr__memory_find(const unsigned char text_key[32])
{
    pthread_mutex_lock(&lock);
    orr__code *c = find(text_key);
    if (c) {
        take_out(c);
        put_first(c);
        atomic_fetch_add(&c->refs, 1);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

/* The loader identifies files by name, and the number of a closed fd is reused. Each name is therefore spelt
 * differently: the bits of a counter as "./" and "/". */
static void spell(char *out, size_t size, int fd)
{
    static atomic_uint number;
    char bits[64] = "";
    size_t n = 0;
    for (unsigned v = atomic_fetch_add(&number, 1) + 1; v; v >>= 1) {
        if (v & 1)
            bits[n++] = '.';
        bits[n++] = '/';
        if (n > 60) /* limit of a format */
            break;
    }
    bits[n] = '\0';
    (void)snprintf(out, size, "/proc/self/fd/%s%d", bits, fd);
}

static void *from_memory(const unsigned char *code, size_t size)
{
    void *handle = NULL;
#ifdef HAVE_MEMFD_CREATE
    char name[128];
    int fd = memfd_create("orrery", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return NULL;
    if (orr__write_all(fd, code, size) && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0) {
        spell(name, sizeof name, fd);
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    close(fd);
#else
    (void)code;
    (void)size;
#endif
    return handle;
}

/* Without memory files: a file with a unique name in the verified directory, removed as soon as it is loaded. */
static void *from_file(const unsigned char *code, size_t size, const char *dir)
{
    char name[1200];
    if (!dir || dir[0] != '/' || (size_t)snprintf(name, sizeof name, "%s/tmp.so.XXXXXX", dir) >= sizeof name)
        return NULL;
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *handle = orr__write_all(fd, code, size) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    close(fd);
    (void)unlink(name);
    return handle;
}

static bool load(orr__code *c, const unsigned char *code, size_t size, const char *dir)
{
    if (!orr__elf_whole(code, size)) {
        orr__say(ORR__SAY_LOAD, "a compiled kernel cannot be loaded: it is no whole shared object");
        return false;
    }
    errno = 0;
    c->handle = from_memory(code, size);
    if (!c->handle)
        c->handle = from_file(code, size, dir);
    void *symbol = c->handle ? dlsym(c->handle, "orr_kernel") : NULL;
    if (!symbol) {
        int error = errno;
        const char *why = dlerror();
        orr__say(ORR__SAY_LOAD, "a compiled kernel cannot be loaded: %.300s", why ? why : strerror(error));
        if (c->handle)
            (void)dlclose(c->handle);
        c->handle = NULL;
        return false;
    }
    memcpy(&c->fn, &symbol, sizeof symbol);
    c->bytes = size;
    orr__held_add(ORR_MEMORY_KERNELS, size);
    atomic_fetch_add(&loaded, 1);
    atomic_fetch_add(&loaded_bytes, size);
    return true;
}

orr__code *orr__memory_load(const unsigned char text_key[32], const unsigned char *code, size_t size, const char *dir)
{
    orr__code *c = calloc(1, sizeof *c), *drop = NULL;
    if (!c || (code && !load(c, code, size, dir))) {
        free(c);
        return NULL;
    }
    (void)orr__hold(ORR_MEMORY_KERNELS, c);
    memcpy(c->text_key, text_key, sizeof c->text_key);
    atomic_init(&c->refs, 2);
    pthread_mutex_lock(&lock);
    orr__code *old = find(text_key);
    if (old)
        take_out(old);
    put_first(c);
    if (held > orr__memory_most && oldest != c) {
        drop = oldest;
        take_out(drop);
    }
    pthread_mutex_unlock(&lock);
    orr__code_unref(old);
    orr__code_unref(drop);
    return c;
}

void orr__memory_clear(void)
{
    pthread_mutex_lock(&lock);
    orr__code *c = newest;
    newest = oldest = NULL;
    held = 0;
    pthread_mutex_unlock(&lock);
    while (c) {
        orr__code *older = c->older;
        orr__code_unref(c);
        c = older;
    }
}

void orr__memory_count(int *kernels, size_t *bytes)
{
    *kernels = atomic_load(&loaded);
    *bytes = atomic_load(&loaded_bytes);
}
