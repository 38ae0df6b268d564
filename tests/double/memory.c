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
#include <ucontext.h>
#include <unistd.h>
#include "tests/double/double.h"

enum { LINE = 256, PIECES = 1 << 14, OPENED = 256, PAGE = 4096, PATTERN = 0xa5, BLOCK = 16384, READERS = 4 };

/* A part of a piece, as fine as StarPU divides memory that it has allocated. */
typedef struct {
    char *
        before; /* a launch in two orders: the content that it found, then that of the first order; NULL: not written */
    struct {
        int stream;
        long number;
    } write, read[READERS]; /* the last work that wrote it, and that has read it since; number 0: none */
} block;

typedef struct {
    char *p;     /* NULL: this entry is free */
    char *pages; /* strict: the first page of its own, then those of its content, then one that is always closed */
    block *blocks;
    size_t bytes, length;
    bool freed, open, kept;
} piece;

static piece pieces[PIECES];
static int used;              /* entries from here on have never been in use */
static piece *opened[OPENED]; /* by the work that goes on */
static int nopened;           /* more than fit: all entries are looked at */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool strict;
static int working;   /* device functions that are at work, in all threads */
static int libraries; /* of these those of libraries, which may have threads of their own on a processor */
static _Thread_local int inside;
static struct sigaction before;

void cuda_double_quit(const char *what, const void *p, size_t bytes, long at)
{
    char line[200];
    int n = snprintf(line, sizeof line, "cuda double: %s: byte %ld of %zu at %p\n", what, at, bytes, p);
    (void)!write(STDERR_FILENO, line, n > 0 ? (size_t)n : 0);
    _exit(99);
}

static bool after(const cuda_double_place *now, int stream, long number)
{
    return stream == now->stream || now->seen[stream] >= number;
}

/* Work must come after the work that wrote the block, and if it writes after the block's readers: in one stream, or because the host had
 * seen the other's end. */
static void check_order(const piece *k, block *b, bool write)
{
    const cuda_double_place *now = cuda_double_now;
    int mine = 0;
    bool fault = now && !after(now, b->write.stream, b->write.number);
    for (int i = 0; now && i < READERS; i++) {
        fault = fault || (write && !after(now, b->read[i].stream, b->read[i].number));
        mine = b->read[i].number == 0 || b->read[i].stream == now->stream ? i : mine;
    }
    if (fault)
        cuda_double_quit("work in a stream touches memory that another stream's work may still use", k->p, k->bytes,
                         k->pages + (b - k->blocks) * BLOCK - k->p);
    if (!now)
        return;
    b->read[mine].stream = now->stream;
    b->read[mine].number = now->number;
    if (write) {
        b->write.stream = now->stream;
        b->write.number = now->number;
    }
}

static size_t length_of(const piece *k, const block *b)
{
    size_t left = k->length - PAGE - (size_t)(b - k->blocks) * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static _Thread_local bool keeping;

void cuda_double_keep(bool on)
{
    keeping = on;
}

static void keep(piece *k, block *b, const char *content)
{
    size_t n = length_of(k, b);
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* in a handler: not malloc */
    if (p == MAP_FAILED)
        return;
    memcpy(p, content, n);
    b->before = p;
    k->kept = true;
}

static void exchange(char *a, char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* Calls `each` for all blocks that are kept. */
static void kept(void (*each)(piece *k, block *b, char *content, size_t n))
{
    for (piece *k = pieces; k < pieces + used; k++)
        for (size_t i = 0; k->p && k->kept && i * BLOCK < k->length - PAGE; i++)
            if (k->blocks[i].before)
                each(k, &k->blocks[i], k->pages + i * BLOCK, length_of(k, &k->blocks[i]));
}

static void turn_back(piece *k, block *b, char *content, size_t n)
{
    (void)k;
    exchange(b->before, content, n);
}

static void compare(piece *k, block *b, char *content, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b->before[i] != content[i])
            cuda_double_quit("a result depends on the order of the threads: a barrier is missing", k->p, k->bytes,
                             content + i - k->p);
}

static void forget(piece *k, block *b, char *content, size_t n)
{
    (void)k, (void)content;
    (void)munmap(b->before, n);
    b->before = NULL;
}

void cuda_double_exchange(void)
{
    kept(turn_back);
}

void cuda_double_compare(bool same)
{
    kept(same ? compare : turn_back);
    kept(forget);
    for (piece *k = pieces; k < pieces + used; k++)
        k->kept = false;
}

static bool is_write(const void *context)
{
#ifdef __x86_64__
    return (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return true;
#endif
}

/* The only writer of a piece's pages while the lock is held; the handler of a thread that does a device's work opens them. */
static void touched(int sig, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    for (piece *k = pieces + __atomic_load_n(&used, __ATOMIC_SEQ_CST); k-- > pieces;) {
        if (!k->p || at < k->pages || at >= k->pages + k->length)
            continue;
        if (k->freed)
            cuda_double_quit(cuda_double_in_graph() ? "a node of a graph touches freed memory: its arguments are stale"
                             : inside               ? "device work touches freed memory"
                                                    : "the host touches freed device memory",
                             k->p, k->bytes, at - k->p);
        if (!inside && !__atomic_load_n(&libraries, __ATOMIC_SEQ_CST))
            cuda_double_quit("the host touches device memory", k->p, k->bytes, at - k->p);
        if (at >= k->pages + k->length - PAGE)
            cuda_double_quit("device work touches memory behind the end", k->p, k->bytes, at - k->p);
        int n = __atomic_exchange_n(&k->open, true, __ATOMIC_SEQ_CST)
                    ? OPENED
                    : __atomic_fetch_add(&nopened, 1, __ATOMIC_SEQ_CST);
        if (n < OPENED)
            opened[n] = k;
        size_t i = (size_t)(at - k->pages) / BLOCK;
        block *b = &k->blocks[i];
        bool write = is_write(context), keeps = keeping && write && !b->before;
        check_order(k, b, write);
        if (mprotect(k->pages + i * BLOCK, length_of(k, b), write ? PROT_READ | PROT_WRITE : PROT_READ) == 0) {
            if (keeps)
                keep(k, b, k->pages + i * BLOCK);
            return;
        }
    }
    (void)sigaction(SIGSEGV, &before, NULL); /* the fault is repeated, and is another's */
    (void)sig;
}

static void choose(void)
{
    const char *v = getenv("CUDA_DOUBLE_STRICT");
    strict = v && strcmp(v, "1") == 0;
}

/* StarPU and MPI take the signal for themselves when they start, so it is taken again before each function of a device. */
static void take_signal(void)
{
    struct sigaction now, a = { .sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_NODEFER };
    if (sigaction(SIGSEGV, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO && now.sa_sigaction == touched))
        return;
    before = now;
    (void)sigaction(SIGSEGV, &a, NULL);
}

int cuda_double_strict(void)
{
    (void)pthread_once(&once, choose);
    return strict;
}

int cuda_double_begin(void)
{
    if (cuda_double_strict() && inside == 0)
        cuda_double_begin_library();
    if (cuda_double_strict() && inside++ == 0) {
        take_signal();
        __atomic_add_fetch(&working, 1, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&libraries, cuda_double_in_library(), __ATOMIC_SEQ_CST);
    }
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
    __atomic_sub_fetch(&libraries, cuda_double_in_library(), __ATOMIC_SEQ_CST);
    cuda_double_end_library();
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
    take_signal();
    size_t pages = (all + PAGE - 1) / PAGE * PAGE;
    k->length = pages + PAGE;
    k->pages = mmap(NULL, k->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    k->blocks = calloc(pages / BLOCK + 1, sizeof *k->blocks);
    if (k->pages == MAP_FAILED || !k->blocks)
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
            k->kept = false;
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
            cuda_double_quit("device work wrote behind the end", k->p, k->bytes, (long)i);
}

void cuda_double_free(void *p)
{
    if (!p)
        return;
    cuda_double_drain(NULL); /* as the driver does */
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
            free(k->blocks);
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
