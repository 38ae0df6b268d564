/* Libraries that are opened at their first use: functions by name.
 * Must not know: which libraries there are. */
#include "config.h"

#include "runtime/base/fork.h"
#include "runtime/base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((constructor)) static void guard(void)
{
    orr__fork_guard(&lock);
}

static void open_now(orr__library *l)
{
    l->state.handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!l->state.handle) {
        const char *why = dlerror();
        (void)snprintf(l->state.why, sizeof l->state.why, "%s", why ? why : l->file);
        return;
    }
    for (size_t i = 0; i < l->symbols; i++) {
        void *p = dlsym(l->state.handle, l->symbol[i].name);
        if (!p) {
            (void)snprintf(l->state.why, sizeof l->state.why, "%s has no %s", l->file, l->symbol[i].name);
            return;
        }
        memcpy(l->symbol[i].pointer, &p, sizeof p);
    }
    l->state.there = true;
}

const char *orr__library_open(orr__library *l)
{
    (void)pthread_mutex_lock(&lock);
    if (!l->state.tried)
        open_now(l);
    l->state.tried = true;
    bool there = l->state.there;
    (void)pthread_mutex_unlock(&lock);
    return there ? NULL : l->state.why;
}

void *orr__library_find(const orr__library *l, const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    return p || !l->state.handle ? p : dlsym(l->state.handle, name);
}
