/* NCCL's double: processes of one machine exchange through shared memory. A thread for each communicator performs the enqueued
 * work, and the stream is not ready until then. Sums round after each addition, like NCCL's.
 * Must not know: Orrery. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "tests/double/double.h"

enum { OK = 0, SYSTEM = 2, INVALID = 4, IN_PROGRESS = 7 };
enum { I8, U8, I32, U32, I64, U64, F16, F32, F64, BF16, TYPES };
enum { SUM, PROD, MAX, MIN };
enum { MOST = 8, SLOT = 1 << 18 };
static const size_t size_of[TYPES] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };

typedef struct {
    char bytes[128];
} unique_id;

typedef struct {
    size_t size;
    unsigned magic, version;
    int blocking;
} config;

/* The memory shared by the ranks. */
typedef struct {
    atomic_int joined, arrived, turn;
    size_t bytes[MOST][MOST]; /* sent by each to each */
    char slot[MOST][SLOT];
} shared;

typedef enum { ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, POINT_TO_POINT } kind;
typedef struct work {
    struct work *next;
    kind kind;
    const void *in;
    void *out;
    size_t count;
    int type, op, root;
    struct {
        const char *in;
        char *out;
        size_t sent, received;
    } peer[MOST]; /* POINT_TO_POINT */
    void *stream;
} work;

typedef struct comm {
    shared *s;
    int ranks, rank;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    work *first, **last;
    atomic_bool ending, aborted, met; /* all ranks have joined */
} comm;

/* -- numbers ----------------------------------------------------------------------------------------------- */

static float from_bf16(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint16_t to_bf16(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if (f != f)
        return 0x7fc0;
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float from_f16(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(1024 + m), e - 25) : ldexpf((float)m, -24);
    return h & 0x8000 ? -v : v;
}

/* Rounds to nearest, ties to even, as rint does. */
static uint16_t to_f16(float f)
{
    uint16_t sign = signbit(f) ? 0x8000 : 0;
    float a = fabsf(f);
    if (f != f)
        return 0x7e00;
    if (a < 0x1p-14f)
        return (uint16_t)(sign | (uint16_t)rintf(a * 0x1p24f));
    if (isinf(a))
        return (uint16_t)(sign | 0x7c00);
    int e;
    float m = rintf(frexpf(a, &e) * 2048); /* 1024 … 2048 */
    uint32_t bits = (uint32_t)((e + 13) << 10) + ((uint32_t)m - 1024) + (1u << 10);
    return (uint16_t)(sign | (bits >= 0x7c00 ? 0x7c00 : bits));
}

#define FOLD(T, LOAD, STORE, PLUS)                                                                                     \
    {                                                                                                                  \
        T *a = acc;                                                                                                    \
        const T *b = p;                                                                                                \
        for (size_t i = 0; i < n; i++)                                                                                 \
            a[i] = STORE(op == SUM   ? PLUS(LOAD(a[i]), LOAD(b[i]))                                                    \
                         : op == MAX ? (LOAD(b[i]) > LOAD(a[i]) ? LOAD(b[i]) : LOAD(a[i]))                             \
                                     : (LOAD(b[i]) < LOAD(a[i]) ? LOAD(b[i]) : LOAD(a[i])));                           \
    }                                                                                                                  \
    break
#define SAME(x) (x)
#define ADD(x, y) ((x) + (y))
#define ADD_INT8(x, y) ((int8_t)((uint8_t)(x) + (uint8_t)(y)))
#define ADD_BYTE(x, y) ((uint8_t)((x) + (y)))
#define ADD_INT(x, y) ((int32_t)((uint32_t)(x) + (uint32_t)(y)))
#define ADD_LONG(x, y) ((int64_t)((uint64_t)(x) + (uint64_t)(y)))

static void fold(int type, int op, void *acc, const void *p, size_t n)
{
    switch (type) {
    case I8: FOLD(int8_t, SAME, SAME, ADD_INT8);
    case U8: FOLD(uint8_t, SAME, SAME, ADD_BYTE);
    case I32: FOLD(int32_t, SAME, SAME, ADD_INT);
    case U32: FOLD(uint32_t, SAME, SAME, ADD);
    case I64: FOLD(int64_t, SAME, SAME, ADD_LONG);
    case U64: FOLD(uint64_t, SAME, SAME, ADD);
    case F16: FOLD(uint16_t, from_f16, to_f16, ADD);
    case F32: FOLD(float, SAME, SAME, ADD);
    case F64: FOLD(double, SAME, SAME, ADD);
    case BF16: FOLD(uint16_t, from_bf16, to_bf16, ADD);
    default: break;
    }
}

/* -- meetings ---------------------------------------------------------------------------------------------- */

static void nap(int *looks)
{
    struct timespec t = { 0, 100000 };
    if (++*looks < 200)
        (void)sched_yield();
    else
        (void)nanosleep(&t, NULL);
}

/* Waits until all ranks are here; 0: this one was told to give up. */
static int meet(comm *c)
{
    int turn = atomic_load(&c->s->turn), looks = 0;
    if (atomic_fetch_add(&c->s->arrived, 1) + 1 == c->ranks) {
        atomic_store(&c->s->arrived, 0);
        atomic_fetch_add(&c->s->turn, 1);
        return 1;
    }
    while (atomic_load(&c->s->turn) == turn) {
        if (atomic_load(&c->aborted))
            return 0;
        nap(&looks);
    }
    return 1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int reduce(comm *c, const work *w)
{
    size_t size = size_of[w->type], piece = SLOT / size;
    size_t all = w->kind == ALL_REDUCE ? w->count : w->count * (size_t)c->ranks;
    size_t lo = w->kind == ALL_REDUCE ? 0 : w->count * (size_t)c->rank, hi = lo + w->count;
    char *sum = malloc(SLOT);
    int ok = sum != NULL;
    for (size_t at = 0; ok && at < all; at += piece) {
        size_t n = least(piece, all - at);
        memcpy(c->s->slot[c->rank], (const char *)w->in + at * size, n * size);
        if (!(ok = meet(c)))
            break;
        memcpy(sum, c->s->slot[0], n * size);
        for (int k = 1; k < c->ranks; k++)
            fold(w->type, w->op, sum, c->s->slot[k], n);
        size_t from = at > lo ? at : lo, to = least(at + n, hi);
        if (from < to)
            memcpy((char *)w->out + (from - lo) * size, sum + (from - at) * size, (to - from) * size);
        ok = meet(c);
    }
    free(sum);
    return ok;
}

static int spread(comm *c, const work *w)
{
    size_t bytes = w->count * size_of[w->type];
    for (size_t at = 0; at < bytes; at += SLOT) {
        size_t n = least(SLOT, bytes - at);
        if (w->kind == ALL_GATHER || c->rank == w->root)
            memcpy(c->s->slot[c->rank], (const char *)w->in + at, n);
        if (!meet(c))
            return 0;
        for (int k = 0; k < c->ranks; k++)
            if (w->kind == ALL_GATHER)
                memcpy((char *)w->out + (size_t)k * bytes + at, c->s->slot[k], n);
            else if (k == w->root)
                memcpy((char *)w->out + at, c->s->slot[k], n);
        if (!meet(c))
            return 0;
    }
    return 1;
}

static int point_to_point(comm *c, const work *w)
{
    size_t most = 0, lane = SLOT / (size_t)c->ranks;
    for (int k = 0; k < c->ranks; k++)
        c->s->bytes[c->rank][k] = w->peer[k].sent;
    if (!meet(c))
        return 0;
    for (int i = 0; i < c->ranks; i++)
        for (int k = 0; k < c->ranks; k++)
            most = c->s->bytes[i][k] > most ? c->s->bytes[i][k] : most;
    for (size_t at = 0; at < most; at += lane) {
        for (int k = 0; k < c->ranks; k++)
            if (at < w->peer[k].sent)
                memcpy(c->s->slot[c->rank] + (size_t)k * lane, w->peer[k].in + at, least(lane, w->peer[k].sent - at));
        if (!meet(c))
            return 0;
        for (int k = 0; k < c->ranks; k++)
            if (at < w->peer[k].received)
                memcpy(w->peer[k].out + at, c->s->slot[k] + (size_t)c->rank * lane,
                       least(lane, w->peer[k].received - at));
        if (!meet(c))
            return 0;
    }
    return meet(c);
}

static void carry_out(comm *c, const work *w)
{
    DEVICE_WORK;
    int looks = 0;
    while (__atomic_load_n(&cuda_double.nccl_stuck, __ATOMIC_RELAXED) && !atomic_load(&c->aborted))
        nap(&looks);
    if (atomic_load(&c->aborted))
        return;
    if (w->kind == POINT_TO_POINT)
        (void)point_to_point(c, w);
    else if (w->kind == ALL_REDUCE || w->kind == REDUCE_SCATTER)
        (void)reduce(c, w);
    else
        (void)spread(c, w);
}

static void *serve(void *arg)
{
    comm *c = arg;
    int looks = 0;
    atomic_fetch_add(&c->s->joined, 1);
    while (atomic_load(&c->s->joined) < c->ranks && !atomic_load(&c->aborted))
        nap(&looks);
    atomic_store(&c->met, true);
    for (;;) {
        pthread_mutex_lock(&c->lock);
        while (!c->first && !atomic_load(&c->ending))
            pthread_cond_wait(&c->wake, &c->lock);
        work *w = c->first;
        if (w && !(c->first = w->next))
            c->last = &c->first;
        pthread_mutex_unlock(&c->lock);
        if (!w)
            return NULL;
        carry_out(c, w);
        cuda_double_busy(w->stream, -1);
        free(w);
    }
}

/* -- communicators ----------------------------------------------------------------------------------------- */

API int ncclGetVersion(int *v)
{
    *v = cuda_double.nccl_version ? cuda_double.nccl_version : 22809;
    return OK;
}

API const char *ncclGetErrorString(int code)
{
    return code == SYSTEM ? "unhandled system error" : code == INVALID ? "invalid argument" : "an error of the double";
}

/* An unnamed file, which the other ranks open through this process. */
API int ncclGetUniqueId(unique_id *id)
{
    int fd = cuda_double.nccl_id_code ? -1 : memfd_create("nccl-double", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof(shared)) != 0)
        return cuda_double.nccl_id_code ? cuda_double.nccl_id_code : SYSTEM;
    memset(id, 0, sizeof *id);
    (void)snprintf(id->bytes, sizeof id->bytes, "/proc/%d/fd/%d", (int)getpid(), fd);
    return OK;
}

static int begin(void **out, int ranks, unique_id id, int rank)
{
    if (cuda_double.nccl_init_code || ranks < 1 || ranks > MOST || rank < 0 || rank >= ranks)
        return cuda_double.nccl_init_code ? cuda_double.nccl_init_code : INVALID;
    int fd = open(id.bytes, O_RDWR | O_CLOEXEC);
    void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    comm *c = p == MAP_FAILED ? NULL : calloc(1, sizeof *c);
    if (!c)
        return SYSTEM;
    c->s = p;
    c->ranks = ranks;
    c->rank = rank;
    c->last = &c->first;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->wake, NULL);
    if (pthread_create(&c->thread, NULL, serve, c) != 0) {
        (void)munmap(c->s, sizeof(shared));
        free(c);
        return SYSTEM;
    }
    __atomic_add_fetch(&cuda_double.nccl_comms, 1, __ATOMIC_RELAXED);
    *out = c;
    return OK;
}

API int ncclCommInitRank(void **out, int ranks, unique_id id, int rank)
{
    int code = begin(out, ranks, id, rank), looks = 0;
    while (code == OK && !atomic_load(&((comm *)*out)->met))
        nap(&looks);
    return code;
}

API int ncclCommInitRankConfig(void **out, int ranks, unique_id id, int rank, const config *how)
{
    if (how->size < sizeof *how || how->magic != 0xcafebeefu || how->version < 21400 || how->blocking != 0)
        return INVALID;
    int code = begin(out, ranks, id, rank);
    return code == OK ? IN_PROGRESS : code;
}

static int end(comm *c)
{
    atomic_store(&c->ending, true);
    pthread_mutex_lock(&c->lock);
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    (void)munmap(c->s, sizeof(shared));
    free(c);
    __atomic_sub_fetch(&cuda_double.nccl_comms, 1, __ATOMIC_RELAXED);
    return OK;
}

API int ncclCommDestroy(void *c)
{
    return end(c);
}

API int ncclCommAbort(void *p)
{
    comm *c = p;
    atomic_store(&c->aborted, true);
    __atomic_add_fetch(&cuda_double.nccl_aborts, 1, __ATOMIC_RELAXED);
    return end(c);
}

API int ncclCommGetAsyncError(void *c, int *code)
{
    *code =
        !atomic_load(&((comm *)c)->met) ? IN_PROGRESS : __atomic_load_n(&cuda_double.nccl_async_code, __ATOMIC_RELAXED);
    return OK;
}

/* -- calls ------------------------------------------------------------------------------------------------- */

static _Thread_local int depth;
static _Thread_local work *group; /* of sends and receipts */
static _Thread_local comm *group_comm;

static void enqueue(comm *c, work *w)
{
    cuda_double_busy(w->stream, 1);
    __atomic_add_fetch(&cuda_double.nccl_calls, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&c->lock);
    *c->last = w;
    c->last = &w->next;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

static int call(comm *c, const work *given, size_t in, size_t out)
{
    work *w = cuda_double.nccl_call_code ? NULL : malloc(sizeof *w);
    if (!w || given->type < 0 || given->type >= TYPES) {
        free(w);
        return cuda_double.nccl_call_code ? cuda_double.nccl_call_code : INVALID;
    }
    size_t size = size_of[given->type];
    if (!cuda_double_owns(given->in, in * size) || !cuda_double_owns(given->out, out * size))
        __atomic_add_fetch(&cuda_double.nccl_foreign, 1, __ATOMIC_RELAXED);
    *w = *given;
    enqueue(c, w);
    return OK;
}

API int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, void *c, void *stream)
{
    work w = { .kind = ALL_REDUCE, .in = in, .out = out, .count = n, .type = type, .op = op, .stream = stream };
    return call(c, &w, n, n);
}

API int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, void *c, void *stream)
{
    work w = { .kind = REDUCE_SCATTER, .in = in, .out = out, .count = n, .type = type, .op = op, .stream = stream };
    return call(c, &w, n * (size_t)((comm *)c)->ranks, n);
}

API int ncclAllGather(const void *in, void *out, size_t n, int type, void *c, void *stream)
{
    work w = { .kind = ALL_GATHER, .in = in, .out = out, .count = n, .type = type, .stream = stream };
    return call(c, &w, n, n * (size_t)((comm *)c)->ranks);
}

API int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, void *c, void *stream)
{
    work w = { .kind = BROADCAST, .in = in, .out = out, .count = n, .type = type, .root = root, .stream = stream };
    return call(c, &w, ((comm *)c)->rank == root ? n : 0, n);
}

API int ncclGroupStart(void)
{
    depth++;
    return OK;
}

static work *group_of(comm *c, void *stream)
{
    if (depth == 0 || (group && group_comm != c))
        return NULL;
    if (!group && (group = calloc(1, sizeof *group))) {
        group->kind = POINT_TO_POINT;
        group->stream = stream;
        group_comm = c;
    }
    return group;
}

API int ncclSend(const void *in, size_t n, int type, int to, void *c, void *stream)
{
    work *w = cuda_double.nccl_call_code ? NULL : group_of(c, stream);
    if (!w || type < 0 || type >= TYPES)
        return cuda_double.nccl_call_code ? cuda_double.nccl_call_code : INVALID;
    if (!cuda_double_owns(in, n * size_of[type]))
        __atomic_add_fetch(&cuda_double.nccl_foreign, 1, __ATOMIC_RELAXED);
    w->peer[to].in = in;
    w->peer[to].sent = n * size_of[type];
    return OK;
}

API int ncclRecv(void *out, size_t n, int type, int from, void *c, void *stream)
{
    work *w = cuda_double.nccl_call_code ? NULL : group_of(c, stream);
    if (!w || type < 0 || type >= TYPES)
        return cuda_double.nccl_call_code ? cuda_double.nccl_call_code : INVALID;
    if (!cuda_double_owns(out, n * size_of[type]))
        __atomic_add_fetch(&cuda_double.nccl_foreign, 1, __ATOMIC_RELAXED);
    w->peer[from].out = out;
    w->peer[from].received = n * size_of[type];
    return OK;
}

API int ncclGroupEnd(void)
{
    if (--depth > 0 || !group)
        return OK;
    enqueue(group_comm, group);
    group = NULL;
    return OK;
}
