/* The double's device memory: sizes, owners, and in strict mode pages that only a device's work can touch.
 * Must not know: Orrery. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/double/double.h"

enum { LINE = 256, PIECES = 1 << 14, OPENED = 256, PAGE = 4096, PATTERN = 0xa5 };

typedef struct {
    char *p;     /* NULL: this entry is free */
    char *pages; /* strict: the first page of its own, then those of its content, then one that is always closed */
    size_t bytes, length;
    bool freed, open;
} piece;

static piece pieces[PIECES];
static int used;              /* entries from here on have never been in use */
static piece *opened[OPENED]; /* by the work that goes on */
static int nopened;           /* more than fit: all entries are looked at */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool strict;
static int working; /* device functions that are at work, in all threads */
static _Thread_local int inside;
static struct sigaction before;

static void quit(const char *what, const char *p, size_t bytes, long at)
{
    char line[200];
    int n = snprintf(line, sizeof line, "cuda double: %s: byte %ld of %zu at %p\n", what, at, bytes, (const void *)p);
    (void)!write(STDERR_FILENO, line, n > 0 ? (size_t)n : 0);
    _exit(99);
}

/* The only writer of a piece's pages while the lock is held; the handler of a thread that does a device's work opens them. */
static void touched(int sig, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    for (piece *k = pieces + __atomic_load_n(&used, __ATOMIC_SEQ_CST); k-- > pieces;) {
        if (!k->p || at < k->pages || at >= k->pages + k->length)
            continue;
        if (k->freed)
            quit(inside ? "device work touches freed memory" : "the host touches freed device memory", k->p, k->bytes,
                 at - k->p);
        if (!inside)
            quit("the host touches device memory", k->p, k->bytes, at - k->p);
        if (at >= k->pages + k->length - PAGE)
            quit("device work touches memory behind the end", k->p, k->bytes, at - k->p);
        int n = __atomic_exchange_n(&k->open, true, __ATOMIC_SEQ_CST)
                    ? OPENED
                    : __atomic_fetch_add(&nopened, 1, __ATOMIC_SEQ_CST);
        if (n < OPENED)
            opened[n] = k;
        if (mprotect(k->pages, k->length - PAGE, PROT_READ | PROT_WRITE) == 0)
            return;
    }
    (void)sigaction(SIGSEGV, &before, NULL); /* the fault is repeated, and is another's */
    (void)sig, (void)context;
}

static void choose(void)
{
    const char *v = getenv("CUDA_DOUBLE_STRICT");
    struct sigaction a = { .sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_NODEFER };
    strict = v && strcmp(v, "1") == 0 && sigaction(SIGSEGV, &a, &before) == 0;
}

int cuda_double_strict(void)
{
    (void)pthread_once(&once, choose);
    return strict;
}

int cuda_double_begin(void)
{
    if (cuda_double_strict() && inside++ == 0)
        __atomic_add_fetch(&working, 1, __ATOMIC_SEQ_CST);
    return 0;
}

static void shut(piece *k)
{
    if (!k || !k->p || !k->open)
        return;
    (void)mprotect(k->pages, k->length, PROT_NONE);
    k->open = false;
}

/* Memory is closed when no function of a device is at work: another may still need what it has opened. */
void cuda_double_end(const int *work)
{
    (void)work;
    if (!cuda_double_strict() || --inside > 0)
        return;
    pthread_mutex_lock(&lock);
    if (__atomic_sub_fetch(&working, 1, __ATOMIC_SEQ_CST) == 0) {
        bool all = nopened > OPENED;
        for (int i = 0; i < (all ? used : nopened); i++)
            shut(all ? &pieces[i] : opened[i]);
        nopened = 0;
    }
    pthread_mutex_unlock(&lock);
}

static char *get(piece *k, size_t bytes)
{
    size_t all = (bytes + LINE - 1) / LINE * LINE;
    k->bytes = bytes;
    if (!cuda_double_strict()) {
        k->length = all ? all : LINE;
        k->pages = aligned_alloc(LINE, k->length);
        if (k->pages)
            memset(k->pages, PATTERN, k->length);
        return k->pages;
    }
    size_t pages = (all + PAGE - 1) / PAGE * PAGE;
    k->length = pages + PAGE;
    k->pages = mmap(NULL, k->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (k->pages == MAP_FAILED)
        return NULL;
    memset(k->pages, PATTERN, pages);
    (void)mprotect(k->pages, k->length, PROT_NONE);
    return k->pages + pages - all; /* its end, rounded to the alignment, is the closed page */
}

void *cuda_double_alloc(size_t bytes)
{
    piece *k = NULL;
    char *p = NULL;
    if (__atomic_add_fetch(&cuda_double.used, bytes, __ATOMIC_RELAXED) <= cuda_double.memory) {
        pthread_mutex_lock(&lock);
        for (int i = cuda_double_strict() ? used : 0; i < PIECES && !k; i++)
            k = pieces[i].p ? NULL : &pieces[i];
        if (k) {
            k->freed = k->open = false;
            p = get(k, bytes);
            __atomic_store_n(&k->p, p, __ATOMIC_SEQ_CST);
            if (k - pieces >= used)
                __atomic_store_n(&used, (int)(k - pieces) + 1, __ATOMIC_SEQ_CST);
        }
        pthread_mutex_unlock(&lock);
    }
    if (p)
        __atomic_add_fetch(&cuda_double.allocs, 1, __ATOMIC_RELAXED);
    else
        __atomic_sub_fetch(&cuda_double.used, bytes, __ATOMIC_RELAXED);
    return p;
}

/* The bytes between the end and the closed page keep their pattern. */
static void check_end(const piece *k)
{
    size_t all = (k->bytes + LINE - 1) / LINE * LINE;
    if (mprotect(k->pages, k->length - PAGE, PROT_READ | PROT_WRITE) != 0)
        return;
    for (size_t i = k->bytes; i < all; i++)
        if ((unsigned char)k->p[i] != PATTERN)
            quit("device work wrote behind the end", k->p, k->bytes, (long)i);
}

void cuda_double_free(void *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&lock);
    for (piece *k = pieces + used; k-- > pieces;) {
        if (k->p != p || k->freed)
            continue;
        __atomic_sub_fetch(&cuda_double.used, k->bytes, __ATOMIC_RELAXED);
        __atomic_add_fetch(&cuda_double.frees, 1, __ATOMIC_RELAXED);
        if (strict) { /* its addresses are not used again */
            check_end(k);
            (void)madvise(k->pages, k->length, MADV_DONTNEED);
            (void)mprotect(k->pages, k->length, PROT_NONE);
            k->freed = true;
        } else {
            free(k->pages);
            k->p = NULL;
        }
        break;
    }
    pthread_mutex_unlock(&lock);
}

int cuda_double_owns(const void *q, size_t bytes)
{
    const char *p = q;
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < used && !found; i++)
        found = pieces[i].p && !pieces[i].freed && p >= pieces[i].p && p + bytes <= pieces[i].p + pieces[i].bytes;
    pthread_mutex_unlock(&lock);
    return found;
}
