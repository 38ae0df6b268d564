/* Exchanges among the CUDA devices of ranks, by NCCL. One thread, with a stream of its own beside those of the workers,
 * performs them in the order of posting.
 * Must not know: tensors, plans, StarPU; when a rank counts as dead. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "codelets/cuda/cuda.h"
#include "codelets/exchange.h"
#include "runtime/base/buffer.h"
#include "runtime/base/clock.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/minmax.h"
#include "runtime/ranks/ranks.h"
#include "runtime/ranks/thread.h"

/* An exchange that waits or is under way. */
typedef struct item {
    struct item *next;
    orr__exchange x;
    int64_t part;     /* of each rank */
    int64_t counts[]; /* `part` for each rank */
} item;

/* The communicator of a group: some ranks in an order. */
typedef struct circle {
    struct circle *next;
    void *comm;
    int ranks;
    int rank[];
} circle;

static struct {
    const orr__cu_driver *cu;
    const orr__nccl *nccl;
    int device, version;
    void *context, *stream;
    orr__thread thread;
    item *posted, **posted_end;
    circle *circles; /* used by the thread only; by start and stop while it does not run */
    orr__cu_address in, out;
    size_t in_bytes, out_bytes;
    char broken[256]; /* the failure after which nothing is exchanged; "": none */
    char text[200];   /* how values are exchanged, for users */
} line = { .thread = ORR__THREAD_INITIALIZER };

/* -- the operations of NCCL ----------------------------------------------------------------------------------------- */

/* True if values are moved without being added: they are sent as bytes. */
static bool moves(const orr__exchange *x)
{
    return x->kind != ORR__EXCHANGE_ALL_REDUCE && x->kind != ORR__EXCHANGE_REDUCE_SCATTER;
}

/* The type and the operation of a reduction, and how many NCCL elements make one of ours. False: NCCL has none with our
 * result. Its maximum of floats drops NaN. Complex numbers are added by parts. A bool is 0 or 1; its sum is `or`,
 * computed as the maximum. */
static bool operation(const orr__exchange *x, int *type, int *op, int64_t *parts)
{
    static const int ops[] = { ORR__NCCL_SUM, ORR__NCCL_MAX, ORR__NCCL_MIN };
    bool sum = x->reduction == ORR__REDUCTION_SUM;
    *op = ops[x->reduction];
    *parts = 1;
    switch (x->dtype) {
    case ORR_BOOL:
        *type = ORR__NCCL_U8;
        *op = sum ? ORR__NCCL_MAX : *op;
        return true;
    case ORR_I8: *type = ORR__NCCL_I8; return true;
    case ORR_U8: *type = ORR__NCCL_U8; return true;
    case ORR_I32: *type = ORR__NCCL_I32; return true;
    case ORR_U32: *type = ORR__NCCL_U32; return true;
    case ORR_I64: *type = ORR__NCCL_I64; return true;
    case ORR_U64: *type = ORR__NCCL_U64; return true;
    case ORR_F16: *type = ORR__NCCL_F16; return sum;
    case ORR_BF16: *type = ORR__NCCL_BF16; return sum && line.version >= ORR__NCCL_BF16_SINCE;
    case ORR_F32: *type = ORR__NCCL_F32; return sum;
    case ORR_F64: *type = ORR__NCCL_F64; return sum;
    case ORR_C64: *type = ORR__NCCL_F32; break;
    case ORR_C128: *type = ORR__NCCL_F64; break;
    default: return false;
    }
    *parts = 2;
    return sum;
}

/* NCCL chooses the order of its sums. */
static bool takes(const orr__exchange *x)
{
    int type, op;
    int64_t parts;
    return moves(x) || (!orr__env.deterministic && operation(x, &type, &op, &parts));
}

/* -- failures ---------------------------------------------------------------------------------------------- */

/* Writes the last error of NCCL or CUDA to `text`; for NCCL the name of the code. */
static orr_status say(char *text, size_t size, const char *call, int code)
{
    if (code == 0)
        return ORR_OK;
    const char *name = line.nccl->error(code);
    (void)snprintf(text, size, "NCCL: %s: %s (%d)", call, name ? name : "unknown code", code);
    return ORR_EDEVICE;
}

static orr_status say_cuda(char *text, size_t size, const char *call, int code)
{
    if (code == ORR__CU_OK)
        return ORR_OK;
    orr_status st = orr__cu_fail(ORR__SITE(NULL, 0, "exchange"), call, code);
    (void)snprintf(text, size, "%s", orr_error_message());
    orr_error_clear();
    return st;
}

static void forget_circles(bool abort)
{
    while (line.circles) {
        circle *c = line.circles;
        line.circles = c->next;
        if (c->comm)
            (void)(abort ? line.nccl->abort(c->comm) : line.nccl->destroy(c->comm));
        free(c);
    }
}

/* A nap is a share of the wait so far, that of the noise of a time: a long wait does not notice it. */
static void nap(double since)
{
    double idle = 1e6 * (orr__now() - since);
    double length = ORR__MIN(idle, ORR__T_SLEEP_AFTER) * ORR__T_NOISE / 100;
    struct timespec t = { 0, (long)(1e3 * length) };
    if (idle < ORR__CREW_SPIN)
        (void)sched_yield();
    else
        (void)nanosleep(&t, NULL);
}

/* Waits for a call that NCCL performs in the background, as newer versions perform all calls: a missing rank blocks no
 * caller. limit: seconds, 0: for ever. */
static orr_status accept(void *comm, const char *call, int code, double limit, char *text, size_t size)
{
    double since = orr__now();
    while (code == ORR__NCCL_IN_PROGRESS) {
        orr_status st = orr__ranks_failed(text, size);
        if (st != ORR_OK)
            return st;
        if (limit > 0 && orr__now() - since > limit) {
            (void)snprintf(text, size, "NCCL: %s: the other ranks do not come within %.0f s", call, limit);
            return ORR_EDEVICE;
        }
        nap(since);
        int state = 0, asked = line.nccl->async_error(comm, &state);
        code = asked ? asked : state;
    }
    return say(text, size, call, code);
}

static orr_status enqueued(const circle *c, const char *call, int code, char *text, size_t size)
{
    return accept(c->comm, call, code, 0, text, size);
}

/* Waits for the stream. A failure of NCCL or of a rank meanwhile aborts all communicators. Work that does not end in
 * time after that may still write. */
static orr_status settle(const circle *c, char *text, size_t size)
{
    double since = orr__now();
    for (;;) {
        int code = line.cu->stream_query(line.stream), error = 0;
        if (code == ORR__CU_OK)
            return ORR_OK;
        orr_status st = code == ORR__CU_NOT_READY ? ORR_OK : say_cuda(text, size, "cuStreamQuery", code);
        if (st == ORR_OK && line.nccl->async_error(c->comm, &error) == 0 && error != ORR__NCCL_IN_PROGRESS)
            st = say(text, size, "ncclCommGetAsyncError", error);
        if (st == ORR_OK)
            st = orr__ranks_failed(text, size);
        if (st == ORR_OK) {
            nap(since);
            continue;
        }
        forget_circles(true);
        for (double until = orr__now() + 5; line.cu->stream_query(line.stream) == ORR__CU_NOT_READY;) {
            if (orr__now() > until)
                break;
            nap(since);
        }
        return st;
    }
}

/* -- communicators ----------------------------------------------------------------------------------------- */

/* Collective: every rank of the group calls it at the same position among its exchanges. The answer is the same on all
 * ranks. */
static orr_status all_agree(const orr__group *g, orr_status mine)
{
    int32_t worst = (int32_t)mine;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_I32,
                        .group = g,
                        .in = &worst,
                        .out = &worst,
                        .count = 1 };
    orr_status st = orr__exchange_wait(ORR__SITE(NULL, 0, "exchange"), &x);
    if (st != ORR_OK)
        orr_error_clear();
    return st != ORR_OK ? st : (orr_status)worst;
}

/* The id of the communicator, from the group's first rank. */
static orr_status share_id(const orr__group *g, orr__nccl_id *id, char *text, size_t size)
{
    struct {
        orr__nccl_id id;
        char failed[256];
    } word = { .failed = "" };
    if (g->self == 0)
        (void)say(word.failed, sizeof word.failed, "ncclGetUniqueId", line.nccl->unique_id(&word.id));
    orr__exchange x = { .kind = ORR__EXCHANGE_BROADCAST,
                        .dtype = ORR_U8,
                        .group = g,
                        .in = &word,
                        .out = &word,
                        .count = (int64_t)sizeof word };
    orr_status st = orr__exchange_wait(ORR__SITE(NULL, 0, "exchange"), &x);
    if (st != ORR_OK) {
        (void)snprintf(text, size, "%s", orr_error_message());
        orr_error_clear();
    } else if (word.failed[0]) {
        (void)snprintf(text, size, "%s", word.failed);
        st = ORR_EDEVICE;
    }
    *id = word.id;
    return st;
}

static orr_status all_to_all(const circle *c, const char *in, char *out, size_t bytes, char *text, size_t size)
{
    const orr__nccl *n = line.nccl;
    int code = n->group_start();
    for (int k = 0; k < c->ranks && code == 0; k++) {
        code = n->send(in + (size_t)k * bytes, bytes, ORR__NCCL_U8, k, c->comm, line.stream);
        code = code ? code : n->receive(out + (size_t)k * bytes, bytes, ORR__NCCL_U8, k, c->comm, line.stream);
    }
    int end = n->group_end();
    return enqueued(c, "ncclSend, ncclRecv", code ? code : end, text, size);
}

/* Ensures at least `bytes` bytes of device memory. */
static orr_status room(orr__cu_address *p, size_t *have, size_t bytes, char *text, size_t size)
{
    orr_status st = orr__cu_stream_memory_grow(ORR__SITE(NULL, 0, "exchange"), p, have, bytes);
    if (st != ORR_OK) {
        (void)snprintf(text, size, "%s", orr_error_message());
        orr_error_clear();
    }
    return st;
}

/* NCCL connects the ranks in the first call of each kind, and older versions wait there for all ranks without a means
 * of interruption. At this point all ranks are present. */
static orr_status connect(const circle *c, char *text, size_t size)
{
    size_t bytes = (size_t)c->ranks;
    orr_status st = room(&line.in, &line.in_bytes, bytes, text, size);
    if (st == ORR_OK)
        st = room(&line.out, &line.out_bytes, bytes, text, size);
    char *in = (char *)(uintptr_t)line.in, *out = (char *)(uintptr_t)line.out;
    if (st == ORR_OK)
        st = enqueued(c, "ncclAllReduce",
                      line.nccl->all_reduce(in, out, bytes, ORR__NCCL_U8, ORR__NCCL_MAX, c->comm, line.stream), text,
                      size);
    if (st == ORR_OK)
        st = all_to_all(c, in, out, 1, text, size);
    return st == ORR_OK ? settle(c, text, size) : st;
}

/* Opens a communicator; in the background if the version supports that. */
static orr_status join(circle *c, const orr__group *g, const orr__nccl_id *id, char *text, size_t size)
{
    orr__nccl_config config = { sizeof config, ORR__NCCL_MAGIC, ORR__NCCL_CONFIG_SINCE, 0 };
    bool background = line.version >= ORR__NCCL_CONFIG_SINCE && line.nccl->init_config;
    int code = background ? line.nccl->init_config(&c->comm, g->ranks, *id, g->self, &config)
                          : line.nccl->init(&c->comm, g->ranks, *id, g->self);
    if (code != 0 && code != ORR__NCCL_IN_PROGRESS)
        c->comm = NULL;
    /* In the background the communicator's state is the result, even if the call returns success. */
    if (background && code == 0)
        code = ORR__NCCL_IN_PROGRESS;
    return accept(c->comm, "ncclCommInitRank", code, (double)orr__env.rank_timeout, text, size);
}

static orr_status open_circle(circle *c, const orr__group *g, char *text, size_t size)
{
    orr__nccl_id id;
    orr_status st = share_id(g, &id, text, size);
    if (st != ORR_OK)
        return st;
    double t0 = orr__now();
    st = join(c, g, &id, text, size);
    orr_status all = all_agree(g, st);
    if (st == ORR_OK && all == ORR_OK) {
        st = connect(c, text, size);
        all = all_agree(g, st);
    }
    if (st == ORR_OK && all != ORR_OK) {
        (void)snprintf(text, size, "NCCL: another rank cannot open the communicator");
        st = all;
    }
    orr__log(2, "NCCL: a communicator of %d ranks: %s, %.0f ms", g->ranks, st == ORR_OK ? "open" : text,
             (orr__now() - t0) * 1e3);
    return st;
}

static circle *circle_of(const orr__group *g, char *text, size_t size)
{
    size_t bytes = (size_t)g->ranks * sizeof *g->rank;
    for (circle *c = line.circles; c; c = c->next)
        if (c->ranks == g->ranks && memcmp(c->rank, g->rank, bytes) == 0)
            return c;
    circle *c = calloc(1, sizeof *c + bytes);
    if (!c) {
        (void)snprintf(text, size, "no memory for a group of %d ranks", g->ranks);
        orr__ranks_fail(text); /* the other ranks are about to open it */
        return NULL;
    }
    c->ranks = g->ranks;
    memcpy(c->rank, g->rank, bytes);
    c->next = line.circles;
    line.circles = c;
    if (open_circle(c, g, text, size) == ORR_OK)
        return c;
    forget_circles(true);
    return NULL;
}

/* -- exchanges --------------------------------------------------------------------------------------------- */

static orr_status enqueue(const circle *c, const item *m, const void *in, void *out, char *text, size_t size)
{
    const orr__exchange *x = &m->x;
    const orr__nccl *n = line.nccl;
    size_t bytes = orr__dtype_size(x->dtype), count = (size_t)x->count, part = (size_t)m->part;
    int type = ORR__NCCL_U8, op = 0;
    int64_t parts = 1;
    if (!moves(x))
        (void)operation(x, &type, &op, &parts);
    size_t each = (size_t)parts;
    switch (x->kind) {
    case ORR__EXCHANGE_ALL_REDUCE:
        return enqueued(c, "ncclAllReduce", n->all_reduce(in, out, count * each, type, op, c->comm, line.stream), text,
                        size);
    case ORR__EXCHANGE_REDUCE_SCATTER:
        return enqueued(c, "ncclReduceScatter", n->reduce_scatter(in, out, part * each, type, op, c->comm, line.stream),
                        text, size);
    case ORR__EXCHANGE_ALL_GATHER:
        return enqueued(c, "ncclAllGather", n->all_gather(in, out, part * bytes, type, c->comm, line.stream), text,
                        size);
    case ORR__EXCHANGE_BROADCAST:
        return enqueued(c, "ncclBroadcast", n->broadcast(in, out, count * bytes, type, x->root, c->comm, line.stream),
                        text, size);
    default: return all_to_all(c, in, out, part * bytes, text, size);
    }
}

static size_t bytes_in(const item *m)
{
    const orr__exchange *x = &m->x;
    bool whole = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_BROADCAST;
    bool one = x->kind == ORR__EXCHANGE_ALL_GATHER;
    return (size_t)(whole ? x->count : one ? m->part : m->part * x->group->ranks) * orr__dtype_size(x->dtype);
}

static size_t bytes_out(const item *m)
{
    const orr__exchange *x = &m->x;
    bool whole = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_BROADCAST;
    bool one = x->kind == ORR__EXCHANGE_REDUCE_SCATTER;
    return (size_t)(whole ? x->count : one ? m->part : m->part * x->group->ranks) * orr__dtype_size(x->dtype);
}

/* Arrays in host memory are copied through device memory. The copy back begins after the exchange has ended: earlier
 * the driver might wait for it without a means of interruption. */
static orr_status carry_out(const item *m, char *text, size_t size)
{
    const orr__cu_driver *d = line.cu;
    const orr__exchange *x = &m->x;
    size_t n_in = bytes_in(m), n_out = bytes_out(m);
    const void *in = x->in;
    void *out = x->out;
    orr_status st = orr__ranks_failed(text, size);
    const circle *c = st == ORR_OK ? circle_of(x->group, text, size) : NULL;
    if (!c)
        return st == ORR_OK ? ORR_EDEVICE : st;
    if (!x->on_device) {
        st = room(&line.in, &line.in_bytes, n_in, text, size);
        if (st == ORR_OK)
            st = room(&line.out, &line.out_bytes, n_out, text, size);
        if (st == ORR_OK && in && n_in > 0)
            st = say_cuda(text, size, "cuMemcpyHtoDAsync", d->to_device(line.in, x->in, n_in, line.stream));
        in = (const void *)(uintptr_t)line.in;
        out = (void *)(uintptr_t)line.out;
    }
    if (st == ORR_OK)
        st = enqueue(c, m, in, out, text, size);
    if (st == ORR_OK)
        st = settle(c, text, size);
    if (st == ORR_OK && !x->on_device && n_out > 0) {
        st = say_cuda(text, size, "cuMemcpyDtoHAsync", d->to_host(x->out, line.out, n_out, line.stream));
        if (st == ORR_OK)
            st = say_cuda(text, size, "cuStreamSynchronize", d->wait(line.stream));
    }
    return st;
}

/* After a failure nothing is exchanged any more, and all ranks are told. */
static void serve_one(item *m)
{
    char text[256] = "";
    double t0 = orr__now();
    orr_status st = line.broken[0] ? ORR_ERANK : ORR_OK;
    if (st != ORR_OK)
        memcpy(text, line.broken, sizeof text);
    else if (bytes_out(m) + bytes_in(m) > 0 && (st = carry_out(m, text, sizeof text)) != ORR_OK) {
        if (st != ORR_ERANK)
            orr__ranks_fail(text);
        memcpy(line.broken, text, sizeof text);
        forget_circles(true);
        st = ORR_ERANK;
    }
    orr__exchange_trace(&m->x, t0, orr__exchange_bytes(&m->x));
    m->x.done(m->x.argument, st, st == ORR_OK ? NULL : text);
    free(m);
}

static void *serve(void *unused)
{
    (void)unused;
    void *before;
    (void)line.cu->push(line.context);
    for (;;) {
        pthread_mutex_lock(&line.thread.lock);
        while (!line.posted && !line.thread.ending)
            pthread_cond_wait(&line.thread.wake, &line.thread.lock);
        item *m = line.posted;
        if (m && !(line.posted = m->next))
            line.posted_end = &line.posted;
        pthread_mutex_unlock(&line.thread.lock);
        if (!m)
            break;
        orr__work_begins(ORR__WORK_DEVICE);
        serve_one(m);
        orr__work_ends(ORR__WORK_DEVICE);
    }
    (void)line.cu->pop(&before);
    return NULL;
}

static void post(const orr__exchange *x)
{
    item *m = calloc(1, sizeof *m + (size_t)x->group->ranks * sizeof *m->counts);
    if (!m) {
        static const char *const text = "an exchange between ranks cannot be posted: no memory";
        orr__ranks_fail(text);
        x->done(x->argument, ORR_ENOMEM, text);
        return;
    }
    m->x = *x;
    m->part = x->part ? x->part[0] : 0;
    for (int k = 0; k < x->group->ranks; k++)
        m->counts[k] = m->part;
    m->x.part = m->x.from = m->counts;
    pthread_mutex_lock(&line.thread.lock);
    *line.posted_end = m;
    line.posted_end = &m->next;
    pthread_cond_signal(&line.thread.wake);
    pthread_mutex_unlock(&line.thread.lock);
}

/* -- start and end ----------------------------------------------------------------------------------------- */

static void leave_device(void)
{
    void *before = NULL;
    if (line.context && line.cu->push(line.context) == ORR__CU_OK) {
        forget_circles(line.broken[0] != '\0');
        if (line.in)
            (void)line.cu->free(line.in);
        if (line.out)
            (void)line.cu->free(line.out);
        if (line.stream)
            (void)line.cu->stream_destroy(line.stream);
        (void)line.cu->pop(&before);
        (void)line.cu->retire(line.device);
    }
    line.in = line.out = 0;
    line.in_bytes = line.out_bytes = 0;
    line.stream = line.context = NULL;
}

static void stop(void)
{
    orr__thread_stop(&line.thread);
    leave_device();
}

/* A rank's device and library, as reported to the other ranks. */
typedef struct fact {
    int32_t version;       /* 0: no library, or no device */
    int32_t deterministic; /* reductions go through the host */
    char host[64], address[32], why[120];
} fact;

static void look(fact *f, int device)
{
    const char *why = "";
    int handle = 0;
    line.cu = orr__cu(NULL);
    line.nccl = NULL;
    line.device = device;
    f->deterministic = orr__env.deterministic;
    if (device < 0)
        (void)snprintf(f->why, sizeof f->why, "no CUDA device");
    else if (!orr__env.nccl)
        (void)snprintf(f->why, sizeof f->why, "ORRERY_NCCL=off");
    else if (orr__ranks_in_calls())
        (void)snprintf(f->why, sizeof f->why, "MPI has fewer threads than MPI_THREAD_MULTIPLE");
    else if (!line.cu)
        (void)snprintf(f->why, sizeof f->why, "no CUDA driver");
    else if (!(line.nccl = orr__cu_nccl(&why)))
        (void)snprintf(f->why, sizeof f->why, "no NCCL: %.100s", why);
    else if (line.nccl->version(&f->version) != 0 || f->version <= 0)
        (void)snprintf(f->why, sizeof f->why, "NCCL does not report its version");
    else if (line.cu->device(&handle, device) != ORR__CU_OK ||
             line.cu->device_address(f->address, (int)sizeof f->address, handle) != ORR__CU_OK) {
        (void)snprintf(f->why, sizeof f->why, "CUDA device %d has no address", device);
        f->version = 0;
    }
    (void)gethostname(f->host, sizeof f->host - 1);
}

/* Can all ranks exchange by NCCL? Two ranks with the same device cannot. */
static bool judge(const fact *f, int n)
{
    int with = 0, without = -1;
    for (int i = 0; i < n; i++) {
        with += f[i].version > 0;
        without = f[i].version > 0 || without >= 0 ? without : i;
    }
    if (with == 0 && strcmp(f[0].why, "no CUDA device") == 0) {
        (void)snprintf(line.text, sizeof line.text, "MPI: there are no CUDA devices");
        return false;
    }
    if (without >= 0) {
        (void)snprintf(line.text, sizeof line.text, "MPI, through host memory; the reason on rank %d: %.120s", without,
                       f[without].why);
        return false;
    }
    for (int i = 1; i < n; i++) {
        if (f[i].version != f[0].version) {
            (void)snprintf(line.text, sizeof line.text,
                           "MPI, through host memory: rank 0 has version %d of NCCL, rank %d version %d", f[0].version,
                           i, f[i].version);
            return false;
        }
        if (f[i].deterministic != f[0].deterministic) {
            (void)snprintf(line.text, sizeof line.text,
                           "MPI, through host memory: ORRERY_DETERMINISTIC differs between ranks 0 and %d", i);
            return false;
        }
        for (int k = 0; k < i; k++)
            if (!strcmp(f[i].host, f[k].host) && !strcmp(f[i].address, f[k].address)) {
                (void)snprintf(line.text, sizeof line.text,
                               "MPI, through host memory: ranks %d and %d share the device %s", k, i, f[i].address);
                return false;
            }
    }
    line.version = f[0].version;
    return true;
}

/* Afterwards the device's context is current in the calling thread, unless *inside is false. */
static orr_status enter_device(bool *inside, char *text, size_t size)
{
    int handle = 0;
    const orr__cu_driver *d = line.cu;
    orr_status st = say_cuda(text, size, "cuDeviceGet", d->device(&handle, line.device));
    if (st == ORR_OK)
        st = say_cuda(text, size, "cuDevicePrimaryCtxRetain", d->retain(&line.context, handle));
    if (st == ORR_OK)
        st = say_cuda(text, size, "cuCtxPushCurrent", d->push(line.context));
    *inside = st == ORR_OK;
    if (st == ORR_OK)
        st = say_cuda(text, size, "cuStreamCreate", d->stream_create(&line.stream, ORR__CU_STREAM_APART));
    return st;
}

/* Opens the communicator of all ranks. If that fails, exchanges go by MPI. */
static orr_status open_line(char *text, size_t size)
{
    void *before = NULL;
    bool inside = false;
    orr_status st = enter_device(&inside, text, size), all = all_agree(orr__group_all(), st);
    if (st == ORR_OK && all != ORR_OK) {
        (void)snprintf(text, size, "another rank cannot use its device");
        st = all;
    }
    if (st == ORR_OK && !circle_of(orr__group_all(), text, size))
        st = ORR_EDEVICE;
    if (inside)
        (void)line.cu->pop(&before);
    return st;
}

static void write_version(int v, char *text, size_t size)
{
    int scale = v / 1000 > 9 ? 10000 : 1000; /* until 2.8: 2708 */
    (void)snprintf(text, size, "%d.%d.%d", v / scale, v % scale / 100, v % 100);
}

void orr__cu_exchanges_library(char *text, size_t size)
{
    const char *why = "";
    int v = 0;
    const orr__nccl *n = orr__cu_nccl(&why);
    if (n && n->version(&v) == 0)
        write_version(v, text, size);
    else
        (void)snprintf(text, size, "not there: %s", n ? "it does not report its version" : why);
}

orr_status orr__cu_exchanges_start(orr__site at, int device)
{
    static const orr__device_exchanges by_nccl = { takes, post, stop };
    int n = orr__ranks();
    fact mine = { 0 }, *all = orr__alloc_n((size_t)n, sizeof *all);
    if (!all)
        return orr__fail_place(at, ORR_ENOMEM);
    line.broken[0] = '\0';
    look(&mine, device);
    int64_t part[1] = { (int64_t)sizeof mine }, *parts = orr__alloc_n((size_t)n, sizeof *parts);
    for (int i = 0; parts && i < n; i++)
        parts[i] = part[0];
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_GATHER,
                        .dtype = ORR_U8,
                        .group = orr__group_all(),
                        .in = &mine,
                        .out = all,
                        .part = parts };
    orr_status st = parts ? orr__exchange_wait(at, &x) : orr__fail_place(at, ORR_ENOMEM);
    bool can = st == ORR_OK && judge(all, n);
    free(all);
    free(parts);
    if (!can)
        return st;
    char text[160] = "";
    orr_status opened = open_line(text, sizeof text);
    if (opened == ORR_OK) {
        line.posted = NULL;
        line.posted_end = &line.posted;
        if (!orr__thread_start(&line.thread, serve)) {
            (void)snprintf(text, sizeof text, "no thread for exchanges");
            opened = ORR_ENOMEM;
        }
    }
    if (all_agree(orr__group_all(), opened) != ORR_OK) {
        (void)snprintf(line.text, sizeof line.text, "MPI, through host memory: %s",
                       text[0] ? text : "NCCL does not start on another rank");
        orr__log(1, "values are exchanged by %s", line.text);
        stop();
        return ORR_OK;
    }
    char name[32];
    write_version(line.version, name, sizeof name);
    (void)snprintf(line.text, sizeof line.text, "NCCL %s, from CUDA device %d", name, line.device);
    orr__exchanges_on_devices(&by_nccl);
    return ORR_OK;
}

const char *orr__cu_exchanges_text(void)
{
    return line.text;
}

/* -- the kernel -------------------------------------------------------------------------------------------- */

static orr_status launch(const orr__launch *l)
{
    return orr__exchange_launch(l, true);
}

const orr__cu_library orr__cu_library_exchange = { orr__exchange_region_on_devices, launch, false };
