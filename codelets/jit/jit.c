/* The queue of kernels to be compiled, the compiler threads, and the switch of a kernel to tier 1.
 * Must not know: regions, launches, the format of files. */
#include "config.h"
#include "codelets/jit/compile_job.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/fork.h"
#include "runtime/base/hash.h"
#include "runtime/base/held.h"
#include "runtime/base/minmax.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A kernel is compiled after it ran for so long that the compiler's time may be repaid: less is noise beside it. Another text for the same
 * work is compiled when that time is as small a part of the kernel's as trials may take. */
static uint64_t hot_ns(void)
{
    return orr__job_ns() / 100 * ORR__T_NOISE;
}

static uint64_t repays_ns(void)
{
    return orr__job_ns() / ORR__REGRET_SHARE * 100;
}

enum { QUEUE_MOST = 512, THREADS_MOST = 4, HINTS = 4096 }; /* limit of memory */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static orr__jit *first, **end = &first;
static int queued, idle, nthread, most_threads; /* of those that compile; one more may look at the index beside them */
static atomic_int compiling;                    /* threads; written under the lock */
static int pauses, awaiting;                    /* callers that wait for a kernel */
static int writing;                             /* threads that write a kernel to the cache */
static pthread_t thread[THREADS_MOST + 1];
static atomic_bool accepting;
/* Hints of compiled kernels: equal kernels are then requested at once. */
static atomic_uint_least64_t hint[HINTS];

/* -- one kernel ------------------------------------------------------------------------------------------- */

orr__jit *orr__jit_new(uint64_t seen, const char *label)
{
    orr__jit *j = calloc(1, sizeof *j);
    if (!j) {
        (void)orr__fail(ORR__SITE(NULL, 0, "jit"), ORR_ENOMEM, "no memory for a kernel");
        return NULL;
    }
    (void)orr__hold(ORR_MEMORY_KERNELS, j);
    atomic_init(&j->refs, 1);
    j->seen = seen;
    (void)snprintf(j->label, sizeof j->label, "%s", label);
    return j;
}

static struct {
    pthread_mutex_t lock;
    orr__jit *bucket[512];
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static orr__jit **bucket_of(uint64_t hash)
{
    return &known.bucket[hash % (sizeof known.bucket / sizeof *known.bucket)];
}

/* Skips a kernel whose last reference is gone: it is about to leave the table. Called under the table's lock. */
static orr__jit *find_known(const void *content, size_t size, uint64_t hash)
{
    for (orr__jit *j = *bucket_of(hash); j; j = j->next_known) {
        if (j->content_hash != hash || j->content_size != size || memcmp(j->content, content, size) != 0)
            continue;
        int refs = atomic_load(&j->refs);
        while (refs > 0 && !atomic_compare_exchange_weak(&j->refs, &refs, refs + 1))
            ;
        if (refs > 0)
            return j;
    }
    return NULL;
}

static void put_known(orr__jit *j, void *content, size_t size, uint64_t hash)
{
    orr__jit **at = bucket_of(hash);
    j->content = orr__hold(ORR_MEMORY_KERNELS, content);
    j->content_size = size;
    j->content_hash = hash;
    j->next_known = *at;
    *at = j;
}

static void take_known(orr__jit *j)
{
    pthread_mutex_lock(&known.lock);
    orr__jit **at = bucket_of(j->content_hash);
    while (*at != j)
        at = &(*at)->next_known;
    *at = j->next_known;
    pthread_mutex_unlock(&known.lock);
}

orr__jit *orr__jit_of(void *content, size_t size, uint64_t seen, const char *label)
{
    if (!content)
        return NULL;
    uint64_t hash = orr__hash(content, size, 0);
    pthread_mutex_lock(&known.lock);
    orr__jit *j = find_known(content, size, hash);
    orr__jit *made = j ? NULL : orr__jit_new(seen, label);
    if (made)
        put_known(made, content, size, hash);
    pthread_mutex_unlock(&known.lock);
    if (!made)
        free(content);
    return j ? j : made;
}

static void drop_text(orr__jit *j)
{
    if (j->source.of)
        j->source.drop(j->source.of);
    j->source.of = NULL;
    free(j->text);
    j->text = NULL;
}

void orr__jit_unref(orr__jit *j)
{
    if (!j || atomic_fetch_sub(&j->refs, 1) != 1)
        return;
    if (j->content)
        take_known(j);
    orr__code_unref(j->code);
    free(orr__unhold(ORR_MEMORY_KERNELS, j->content));
    drop_text(j);
    free(orr__unhold(ORR_MEMORY_KERNELS, j));
}

bool orr__jit_open(const orr__jit *j)
{
    if (orr__env.jit == ORR__JIT_OFF || !atomic_load_explicit(&accepting, memory_order_relaxed) || !orr__jit_wants(j))
        return false;
    uint64_t retry = atomic_load_explicit(&j->retry, memory_order_relaxed);
    return !retry || (uint64_t)(orr__now() * 1e9) >= retry;
}

bool orr__jit_hot(const orr__jit *j)
{
    if (!orr__jit_open(j))
        return false;
    if (orr__env.jit == ORR__JIT_WAIT)
        return true;
    if (orr__env.deterministic) /* otherwise the first launch in tier 1 would depend on timing */
        return false;
    return atomic_load_explicit(&j->ns, memory_order_relaxed) >= hot_ns() || orr__jit_seen(j);
}

bool orr__jit_repays(const orr__jit *j)
{
    return atomic_load_explicit(&j->ns, memory_order_relaxed) >= repays_ns() && orr__jit_open(j);
}

bool orr__jit_seen(const orr__jit *j)
{
    return atomic_load_explicit(&hint[j->seen % HINTS], memory_order_relaxed) == j->seen;
}

bool orr__jit_wants(const orr__jit *j)
{
    int state = atomic_load(&j->state);
    return state == ORR__JIT_COLD || (state == ORR__JIT_ASKED && atomic_load(&j->looks) == ORR__JIT_LOOKS);
}

/* Takes over a reference to c. A remembered failure makes the kernel NEVER. */
void orr__jit_install(orr__jit *j, orr__code *c)
{
    if (c && c->fn) {
        j->code = c;
        atomic_store_explicit(&j->fn, c->fn, memory_order_release);
        atomic_store_explicit(&hint[j->seen % HINTS], j->seen, memory_order_relaxed);
    } else {
        orr__code_unref(c);
    }
    atomic_store_explicit(&j->state, c && c == j->code ? ORR__JIT_READY : ORR__JIT_NEVER, memory_order_release);
}

/* -- threads ------------------------------------------------------------------------------------------------ */

/* A look at the index first, since it is short; then the kernel with the most time spent; of equals the one requested first. */
static orr__jit *pop(void)
{
    orr__jit **best = NULL;
    bool compiles = compiling < most_threads;
    for (orr__jit **at = &first; *at; at = &(*at)->next) {
        bool looks = atomic_load(&(*at)->looks) != ORR__JIT_NO_LOOK;
        if (looks || (compiles && (!best || atomic_load_explicit(&(*at)->ns, memory_order_relaxed) >
                                                atomic_load_explicit(&(*best)->ns, memory_order_relaxed))))
            best = at;
        if (looks)
            break;
    }
    orr__jit *j = best ? *best : NULL;
    if (j) {
        *best = j->next;
        end = j->next ? end : best;
        j->next = NULL;
        queued--;
    }
    return j;
}

static void push(orr__jit *j)
{
    *end = j;
    end = &j->next;
    queued++;
}

/* Back to tier 0: the kernel will be requested again. */
static void cool(orr__jit *j)
{
    drop_text(j);
    atomic_store(&j->looks, ORR__JIT_NO_LOOK);
    atomic_store(&j->state, ORR__JIT_COLD);
}

/* The thread that started this one may be bound to one core; the compiler must not be. */
static void unbind(void)
{
    cpu_set_t all;
    if (sched_getaffinity(getpid(), sizeof all, &all) == 0)
        (void)sched_setaffinity(0, sizeof all, &all);
}

/* Called under the lock, which it leaves for the work. If the index has no such kernel, a request that came meanwhile goes on. */
static void look(orr__jit *j)
{
    pthread_mutex_unlock(&lock);
    orr__code *c = orr__job_look(j);
    if (c)
        orr__jit_install(j, c);
    pthread_mutex_lock(&lock);
    if (!c && atomic_load(&j->looks) == ORR__JIT_JOINED) {
        atomic_store(&j->looks, ORR__JIT_NO_LOOK);
        push(j);
        return;
    }
    if (!c)
        cool(j);
    pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
    orr__jit_unref(j);
    pthread_mutex_lock(&lock);
}

/* The same. A kernel is in use before it is written to the cache, which takes long if the disk is busy. */
static void compile(orr__jit *j)
{
    compiling++;
    pthread_mutex_unlock(&lock);
    orr__code *c = NULL;
    orr__unwritten *u = NULL;
    orr__work_begins(ORR__WORK_FILES);
    if (!j->text)
        j->text = j->source.make(j->source.of);
    orr__job_end how = j->text ? orr__job_on(j, &c, &u) : ORR__JOB_DONE;
    if (how == ORR__JOB_DONE)
        orr__jit_install(j, c);
    else
        cool(j);
    pthread_mutex_lock(&lock);
    compiling--;
    writing += u != NULL;
    pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
    if (u)
        orr__job_write(u);
    orr__work_ends(ORR__WORK_FILES);
    orr__jit_unref(j);
    pthread_mutex_lock(&lock);
    writing -= u != NULL;
    pthread_cond_broadcast(&done);
}

static void *serve(void *unused)
{
    (void)unused;
    unbind();
    pthread_mutex_lock(&lock);
    while (atomic_load(&accepting)) {
        orr__jit *j = pauses && !awaiting ? NULL : pop();
        if (!j) {
            idle++;
            pthread_cond_broadcast(&done);
            pthread_cond_wait(&more, &lock);
            idle--;
        } else if (atomic_load(&j->looks) != ORR__JIT_NO_LOOK) {
            look(j);
        } else {
            compile(j);
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Signals go to the program's own threads. Called under the lock. */
static bool start_thread(void)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread[nthread], NULL, serve, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        orr__say(ORR__SAY_THREAD, "no kernels are compiled: no thread for it: %s", strerror(rc));
    else
        nthread++;
    return rc == 0;
}

/* Queues a kernel that has become ASKED. False: there is no thread or no room for it. Called under the lock. */
static bool enqueue(orr__jit *j)
{
    bool take = atomic_load(&accepting) && queued < QUEUE_MOST;
    if (take && queued >= idle && nthread < most_threads + (atomic_load(&j->looks) == ORR__JIT_LOOKS))
        take = start_thread() || nthread > 0;
    if (!take)
        return false;
    atomic_fetch_add(&j->refs, 1);
    push(j);
    pthread_cond_signal(&more);
    return true;
}

/* A request while a look at the index is under way joins it. Takes over the text or the source. Called under the lock. */
static void request(orr__jit *j, char *text, orr__jit_source source)
{
    int cold = ORR__JIT_COLD, alone = ORR__JIT_LOOKS;
    bool asks = atomic_compare_exchange_strong(&j->state, &cold, ORR__JIT_ASKED),
         joins = !asks && cold == ORR__JIT_ASKED && atomic_compare_exchange_strong(&j->looks, &alone, ORR__JIT_JOINED);
    if (!asks && !joins) {
        if (source.of)
            source.drop(source.of);
        free(text);
        return;
    }
    j->text = text;
    j->source = source;
    if (!asks || enqueue(j))
        return;
    drop_text(j);
    atomic_store(&j->ns, 0); /* another 3 ms until the next try */
    atomic_store(&j->state, nthread ? ORR__JIT_COLD : ORR__JIT_NEVER);
    pthread_cond_broadcast(&done);
}

/* The kernel is in memory, or has no text. */
static void install_at_once(orr__jit *j, orr__code *c)
{
    int cold = ORR__JIT_COLD;
    if (!atomic_compare_exchange_strong(&j->state, &cold, ORR__JIT_ASKED)) {
        orr__code_unref(c);
        return;
    }
    if (c && c->fn)
        orr__job_count(ORR__COUNT_MEMORY);
    orr__jit_install(j, c);
    pthread_mutex_lock(&lock); /* another thread may have seen the request, and wait */
    pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
}

void orr__jit_ask(orr__jit *j, char *text)
{
    unsigned char key[32];
    orr__code *c = NULL;
    if (text) {
        orr__text_key(text, key);
        c = orr__memory_find(key);
    }
    if (!text || c) {
        free(text);
        install_at_once(j, c);
        return;
    }
    pthread_mutex_lock(&lock);
    request(j, text, (orr__jit_source){ .of = NULL });
    pthread_mutex_unlock(&lock);
}

void orr__jit_ask_later(orr__jit *j, orr__jit_source source)
{
    pthread_mutex_lock(&lock);
    request(j, NULL, source);
    pthread_mutex_unlock(&lock);
}

/* Where the time at which compiled code is first used must not vary, or is not wanted, kernels wait for a request. */
void orr__jit_look(orr__jit *j)
{
    int cold = ORR__JIT_COLD;
    if (orr__env.jit != ORR__JIT_ON || orr__env.deterministic || !atomic_load(&accepting) || !orr__env.cache_dir[0] ||
        !j->content || !orr__job_may_find() || atomic_exchange(&j->looked, true))
        return;
    pthread_mutex_lock(&lock);
    if (atomic_compare_exchange_strong(&j->state, &cold, ORR__JIT_ASKED)) {
        atomic_store(&j->looks, ORR__JIT_LOOKS);
        if (!enqueue(j))
            cool(j);
    }
    pthread_mutex_unlock(&lock);
}

bool orr__jit_compiles(void)
{
    return atomic_load_explicit(&compiling, memory_order_relaxed) > 0;
}

void orr__jit_wait(orr__jit *j)
{
    if (atomic_load(&j->state) != ORR__JIT_ASKED)
        return;
    pthread_mutex_lock(&lock);
    awaiting++;
    if (pauses)
        pthread_cond_broadcast(&more);
    while (atomic_load(&j->state) == ORR__JIT_ASKED && atomic_load(&accepting))
        pthread_cond_wait(&done, &lock);
    awaiting--;
    pthread_mutex_unlock(&lock);
}

void orr__jit_pause(bool begins)
{
    pthread_mutex_lock(&lock);
    pauses += begins ? 1 : -1;
    while (begins && idle < nthread && awaiting == 0 && atomic_load(&accepting))
        pthread_cond_wait(&done, &lock);
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

void orr__jit_written(void)
{
    pthread_mutex_lock(&lock);
    while (writing && atomic_load(&accepting))
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
}

/* -- start and stop ------------------------------------------------------------------------------------------ */

/* A child of fork has none of our threads: it uses tier 0, or kernels that are compiled already. */
static void forked(void)
{
    atomic_store(&accepting, false);
    orr__job_orphan();
    nthread = idle = compiling = writing = pauses = awaiting = 0;
    (void)pthread_mutex_init(&lock, NULL);
    (void)pthread_cond_init(&more, NULL);
    (void)pthread_cond_init(&done, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forked);
    orr__fork_guard(&known.lock);
    orr__memory_guard();
}

/* At the exit: ends the compiler under way, whose files its thread removes. */
static void ask_to_stop(void)
{
    atomic_store(&accepting, false);
    orr__job_interrupt();
}

void orr__jit_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cpu_set_t set;
    (void)pthread_once(&once, watch_forks);
    orr__say_again();
    if (orr__env.jit == ORR__JIT_OFF || !orr__job_start())
        return;
    orr__exit_asks(ask_to_stop);
    pthread_mutex_lock(&lock);
    int cores = sched_getaffinity(getpid(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    most_threads = ORR__MAX(ORR__MIN(cores / 4, THREADS_MOST), 1);
    pauses = 0;
    atomic_store(&accepting, true);
    pthread_mutex_unlock(&lock);
}

void orr__jit_stop(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&accepting, false);
    orr__job_interrupt();
    pthread_cond_broadcast(&more);
    pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < nthread; i++)
        (void)pthread_join(thread[i], NULL);
    nthread = 0;
    for (orr__jit *j; (j = pop());) {
        cool(j);
        orr__jit_unref(j);
    }
    for (int i = 0; i < HINTS; i++)
        atomic_store_explicit(&hint[i], 0, memory_order_relaxed);
    orr__job_stop();
    orr__memory_clear();
}
