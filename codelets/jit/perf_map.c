/* Names of compiled kernels for `perf`: /tmp/perf-PID.map. perf reads it for code in memory without a file alone, so the pages of a kernel
 * are replaced by such memory with the same content.
 * Must not know: what a kernel computes. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "codelets/jit/internal.h"
#include "runtime/base/env.h"

/* Replaces the pages with [from, from + bytes), in which nothing runs yet. False: they are as before, or cannot be executed. */
static bool replace(char *from, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = from - (uintptr_t)from % page;
    size_t n = ((size_t)(from - at) + bytes + page - 1) / page * page;
    char *copy = malloc(n);
    if (!copy)
        return false;
    memcpy(copy, at, n);
    bool ok = mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
    if (ok) {
        memcpy(at, copy, n);
        ok = mprotect(at, n, PROT_READ | PROT_EXEC) == 0; /* perf learns of the memory by this call */
    }
    free(copy);
    return ok;
}

/* The name has no spaces at its end, and no line breaks: one line of the file is one function. */
static void add(const void *from, size_t bytes, const char *label)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)pthread_mutex_lock(&lock);
    FILE *f = fopen(path, "ae");
    bool ok = f && fprintf(f, "%lx %lx orrery: %s\n", (unsigned long)(uintptr_t)from, (unsigned long)bytes, label) > 0;
    ok = (f && fclose(f) == 0) && ok;
    (void)pthread_mutex_unlock(&lock);
    if (!ok)
        orr__log(1, "ORRERY_PERF_MAP: %s cannot be written: %s", path, strerror(errno));
}

void orr__perf_map(const orr__code *c, const char *label)
{
    void *from, *symbol = NULL;
    Dl_info info;
    if (!orr__env.perf_map || !c || !c->fn)
        return;
    memcpy(&from, &c->fn, sizeof from);
    const ElfW(Sym) *s = dladdr1(from, &info, &symbol, RTLD_DL_SYMENT) ? symbol : NULL;
    if (s && s->st_size && replace(from, s->st_size))
        add(from, s->st_size, label);
}
