/* The table of shared kernels: equal regions, of one plan or of several, have one.
 * Must not know: how a kernel is made, or launched. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/sha256.h"

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__kernel *bucket[BUCKETS];

static orr__kernel **bucket_of(const unsigned char content[32])
{
    return &bucket[(content[0] | content[1] << 8) % BUCKETS];
}

static void guard(void)
{
    orr__fork_guard(&lock);
}

/* All that text depends on, the functions of this processor, the mode of the compiler, and the lines that messages name. */
bool orr__kernel_content(const orr__region *r, unsigned char content[32])
{
    size_t size;
    orr__sha256 s;
    void *bytes = orr__emit_c_content(r, &size);
    if (!bytes)
        return false;
    orr__sha256_begin(&s);
    const orr__vec *vec = orr__cpu_vec();
    orr__sha256_add(&s, &vec, sizeof vec);
    orr__sha256_add(&s, &orr__env.jit, sizeof orr__env.jit);
    orr__sha256_add(&s, bytes, size);
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].placed) {
            orr__sha256_add(&s, &r->access[a].file, sizeof r->access[a].file);
            orr__sha256_add(&s, &r->access[a].line, sizeof r->access[a].line);
            orr__sha256_add(&s, &r->access[a].as, sizeof r->access[a].as);
        }
    orr__sha256_end(&s, content);
    free(bytes);
    return true;
}

static orr__kernel *find(const unsigned char content[32])
{
    orr__kernel *k = *bucket_of(content);
    while (k && memcmp(k->content, content, sizeof k->content) != 0)
        k = k->next_known;
    if (k)
        k->refs++;
    return k;
}

orr__kernel *orr__kernel_find(const unsigned char content[32])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
    orr__kernel *k = find(content);
    pthread_mutex_unlock(&lock);
    return k;
}

orr__kernel *orr__kernel_share(orr__kernel *k, const unsigned char content[32])
{
    pthread_mutex_lock(&lock);
    orr__kernel *there = find(content);
    if (!there) {
        memcpy(k->content, content, sizeof k->content);
        k->next_known = *bucket_of(content);
        *bucket_of(content) = k;
        k->shared = true;
        there = k;
    }
    pthread_mutex_unlock(&lock);
    return there;
}

bool orr__kernel_drop(orr__kernel *k)
{
    pthread_mutex_lock(&lock);
    bool last = --k->refs == 0;
    if (last && k->shared) {
        orr__kernel **at = bucket_of(k->content);
        while (*at != k)
            at = &(*at)->next_known;
        *at = k->next_known;
    }
    pthread_mutex_unlock(&lock);
    return last;
}
