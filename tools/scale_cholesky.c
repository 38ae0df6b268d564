/* A discrete-event simulation of a Cholesky factorisation over ranks: the tasks and messages of its graph, tile by tile.
 * Must not know: where a machine's numbers come from. */
#include "config.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tools/scale.h"

double scale_task_seconds(const scale_machine *m, scale_kind kind, int64_t b)
{
    static const double part[SCALE_KINDS] = { 1.0 / 3, 1, 1, 2 };
    double n = (double)b;
    return part[kind] * n * n * n / (m->gflops[kind] * 1e9) + m->task_us * 1e-6;
}

double scale_handle_seconds(const scale_machine *m, double bytes)
{
    return m->message_us * 1e-6 + (m->copy_gbytes > 0 ? bytes / (m->copy_gbytes * 1e9) : 0);
}

/* Polling threads take a part of the cores' time; the workers keep at least a twentieth. */
double scale_polled(const scale_machine *m)
{
    double part = m->cores > 0 ? m->poll * m->nodes_ranks / m->cores : 0;
    return 1 / (1 - (part < 0.95 ? part : 0.95));
}

typedef enum {
    TASK_ENDS,
    MESSAGE_COMES, /* its first byte reaches the receiver's link  */
    MESSAGE_IS_IN, /* its last byte has arrived                   */
    TILE_IS_THERE  /* the communication thread has handed it over */
} event_kind;

typedef struct {
    double time;
    uint64_t order; /* ties: the event that was made first */
    event_kind kind;
    int rank, i, j;
    int to, end;       /* of a message that is forwarded along a tree: readers [to, end) */
    int slot, version; /* of a task that ends */
} event;

typedef struct {
    int urgency, i, j;
} ready;

/* A running task. Where ranks share cores, its end moves when other tasks begin or end. */
typedef struct {
    int rank, i, j, version;
    bool runs;
    double began, left; /* left: remaining seconds on a core of its own, as of the domain's last change */
} running;

/* A domain: ranks of a node that share the same cores. */
typedef struct {
    running *task;
    int tasks, slots;
    double changed;
} domain;

typedef struct {
    ready *at; /* a heap; the most urgent task is first */
    int n, room;
    int idle, open; /* idle: workers without a task; open: inserted panels */
    double link_out, link_in, thread;
    int *left; /* by panel: tasks of this rank                          */
} rank_state;

typedef struct {
    const scale_machine *m;
    const scale_cholesky *c;
    int nt, ranks, window;
    double now, seconds[SCALE_KINDS], wire, handle, staged;
    bool shared;  /* fewer cores than workers and threads */
    double cores; /* of a domain */
    int domains_of_node, domains;
    domain *domain;
    event *heap;
    size_t events, room;
    uint64_t order;
    int *applied; /* updates that tile (i, j) has received; j + 1: final */
    unsigned char *queued, *there;
    rank_state *rank;
    int *list;
    bool ok;
    double worked, communicated, messages;
} sim;

/* -- queues --------------------------------------------------------------------------------------------------- */

static bool before(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void post(sim *s, event e)
{
    if (s->events == s->room) {
        size_t room = s->room ? 2 * s->room : 4096;
        event *more = realloc(s->heap, room * sizeof *more);
        if (!more) {
            s->ok = false;
            return;
        }
        s->heap = more;
        s->room = room;
    }
    size_t k = s->events++;
    e.order = s->order++;
    for (; k > 0 && before(&e, &s->heap[(k - 1) / 2]); k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = e;
}

static event next(sim *s)
{
    event first = s->heap[0], last = s->heap[--s->events];
    size_t k = 0;
    for (size_t child; (child = 2 * k + 1) < s->events; k = child) {
        child += child + 1 < s->events && before(&s->heap[child + 1], &s->heap[child]);
        if (!before(&s->heap[child], &last))
            break;
        s->heap[k] = s->heap[child];
    }
    if (s->events)
        s->heap[k] = last;
    return first;
}

static bool sooner(const ready *a, const ready *b)
{
    return a->urgency != b->urgency ? a->urgency < b->urgency : a->i != b->i ? a->i < b->i : a->j < b->j;
}

static void push(sim *s, rank_state *r, ready t)
{
    if (r->n == r->room) {
        int room = r->room ? 2 * r->room : 64;
        ready *more = realloc(r->at, (size_t)room * sizeof *more);
        if (!more) {
            s->ok = false;
            return;
        }
        r->at = more;
        r->room = room;
    }
    int k = r->n++;
    for (; k > 0 && sooner(&t, &r->at[(k - 1) / 2]); k = (k - 1) / 2)
        r->at[k] = r->at[(k - 1) / 2];
    r->at[k] = t;
}

static ready pop(rank_state *r)
{
    ready first = r->at[0], last = r->at[--r->n];
    int k = 0;
    for (int child; (child = 2 * k + 1) < r->n; k = child) {
        child += child + 1 < r->n && sooner(&r->at[child + 1], &r->at[child]);
        if (!sooner(&r->at[child], &last))
            break;
        r->at[k] = r->at[child];
    }
    if (r->n)
        r->at[k] = last;
    return first;
}

/* -- tasks ---------------------------------------------------------------------------------------------------- */

static int owner(const sim *s, int i, int j)
{
    return i % s->c->p * s->c->q + j % s->c->q;
}

static size_t at(const sim *s, int i, int j)
{
    return (size_t)i * (size_t)s->nt + (size_t)j;
}

static bool has(const sim *s, int rank, int i, int j)
{
    size_t bit = (size_t)rank * (size_t)s->nt * (size_t)s->nt + at(s, i, j);
    return s->there[bit / 8] >> bit % 8 & 1;
}

static scale_kind kind_of(int i, int j, int k)
{
    return j > k ? (i > j ? SCALE_GEMM : SCALE_SYRK) : i > j ? SCALE_TRSM : SCALE_POTRF;
}

static domain *domain_of(const sim *s, int rank)
{
    int node = rank / (int)s->m->nodes_ranks, place = rank % (int)s->m->nodes_ranks;
    return &s->domain[node * s->domains_of_node + place % s->domains_of_node];
}

/* The fraction of a core that each running task of the domain has. */
static double speed(const sim *s, const domain *d)
{
    return !s->shared || d->tasks <= s->cores ? 1 : s->cores / d->tasks;
}

static void advance(const sim *s, domain *d)
{
    for (int k = 0; k < d->slots; k++)
        if (d->task[k].runs)
            d->task[k].left -= (s->now - d->changed) * speed(s, d);
    d->changed = s->now;
}

static void post_end(sim *s, const domain *d, int slot)
{
    running *t = &d->task[slot];
    post(s, (event){ .time = s->now + (t->left > 0 ? t->left : 0) / speed(s, d),
                     .kind = TASK_ENDS,
                     .rank = t->rank,
                     .i = t->i,
                     .j = t->j,
                     .slot = slot,
                     .version = ++t->version });
}

/* Updates the end events after a change of the number of tasks, or of their work. */
static void post_ends(sim *s, const domain *d)
{
    for (int k = 0; k < d->slots; k++)
        if (d->task[k].runs)
            post_end(s, d, k);
}

static void start_tasks(sim *s, int rank)
{
    rank_state *r = &s->rank[rank];
    domain *d = domain_of(s, rank);
    while (r->idle > 0 && r->n > 0) {
        ready t = pop(r);
        int slot = 0;
        while (d->task[slot].runs)
            slot++;
        r->idle--;
        if (s->shared)
            advance(s, d);
        running *to = &d->task[slot];
        *to = (running){
            rank, t.i, t.j, to->version, true, s->now, s->seconds[kind_of(t.i, t.j, s->applied[at(s, t.i, t.j)])]
        };
        d->tasks++;
        if (s->shared)
            post_ends(s, d);
        else
            post_end(s, d, slot);
    }
}

/* Makes the next task of tile (i, j) ready if its panel is inserted and its inputs have arrived. */
static void consider(sim *s, int rank, int i, int j)
{
    size_t t = at(s, i, j);
    int k = s->applied[t];
    bool can = !s->queued[t] && k <= j && k < s->rank[rank].open;
    if (can && k == j)
        can = i == j || has(s, rank, k, k);
    else if (can)
        can = has(s, rank, i, k) && (i == j || has(s, rank, j, k));
    if (!can)
        return;
    s->queued[t] = 1;
    static const int late[SCALE_KINDS] = { 0, 1, 2, 2 };
    push(s, &s->rank[rank], (ready){ 3 * j + late[kind_of(i, j, k)], i, j });
}

/* The least index ≥ from that equals part modulo parts. */
static int first_of(int from, int parts, int part)
{
    return from + ((part - from) % parts + parts) % parts;
}

static void open_panels(sim *s, int rank)
{
    rank_state *r = &s->rank[rank];
    while (r->open < s->nt && (s->window == 0 || r->open < s->window || r->left[r->open - s->window] == 0)) {
        int k = r->open++;
        for (int i = first_of(k, s->c->p, rank / s->c->q); i < s->nt; i += s->c->p)
            for (int j = first_of(k, s->c->q, rank % s->c->q); j <= i; j += s->c->q)
                if (s->applied[at(s, i, j)] == k)
                    consider(s, rank, i, j);
    }
}

/* Marks tile (i, k) as readable on the rank. */
static void arrive(sim *s, int rank, int i, int k)
{
    size_t bit = (size_t)rank * (size_t)s->nt * (size_t)s->nt + at(s, i, k);
    int p = s->c->p, q = s->c->q, row = rank / q, col = rank % q;
    s->there[bit / 8] |= (unsigned char)(1 << bit % 8);
    if (i == k) {
        if (k % q == col)
            for (int j = first_of(k + 1, p, row); j < s->nt; j += p)
                if (s->applied[at(s, j, k)] == k)
                    consider(s, rank, j, k);
        return;
    }
    if (i % p == row)
        for (int j = first_of(k + 1, q, col); j <= i; j += q)
            if (s->applied[at(s, i, j)] == k)
                consider(s, rank, i, j);
    if (i % q == col)
        for (int j = first_of(i, p, row); j < s->nt; j += p)
            if (s->applied[at(s, j, i)] == k)
                consider(s, rank, j, i);
}

/* -- messages ------------------------------------------------------------------------------------------------- */

/* The rank's communication thread handles a message, at `from` at the earliest. Returns the end. */
static double handle(sim *s, int rank, double from)
{
    rank_state *r = &s->rank[rank];
    r->thread = (r->thread > from ? r->thread : from) + s->handle;
    domain *d = domain_of(s, rank);
    if (s->shared && s->handle > 0 && d->tasks >= s->cores && d->tasks > 0) { /* it takes a core from the tasks */
        advance(s, d);
        for (int k = 0; k < d->slots; k++)
            d->task[k].left += d->task[k].runs ? s->handle / d->tasks : 0;
        post_ends(s, d);
    }
    s->communicated += s->handle;
    return r->thread;
}

/* The ranks that read tile (i, k), each once, without its owner, in a fixed order. */
static int readers(sim *s, int i, int k)
{
    int p = s->c->p, q = s->c->q, n = 0, self = owner(s, i, k);
    if (i == k) {
        for (int r = 0; r < p; r++)
            if (r * q + k % q != self && first_of(k + 1, p, r) < s->nt)
                s->list[n++] = r * q + k % q;
        return n;
    }
    for (int c = 0; c < q; c++) /* readers of row i of the matrix */
        if (i % p * q + c != self && first_of(k + 1, q, c) <= i)
            s->list[n++] = i % p * q + c;
    for (int r = 0; r < p; r++) /* readers of column i */
        if (r * q + i % q != self && first_of(i, p, r) < s->nt && !(r == i % p && first_of(k + 1, q, i % q) <= i))
            s->list[n++] = r * q + i % q;
    return n;
}

static void send(sim *s, int from, int i, int k, int receiver, int to, int end)
{
    rank_state *r = &s->rank[from];
    double start = handle(s, from, s->now + s->staged);
    start = start > r->link_out ? start : r->link_out;
    r->link_out = start + s->wire;
    s->messages++;
    post(s, (event){ .time = start + s->m->latency_us * 1e-6,
                     .kind = MESSAGE_COMES,
                     .rank = receiver,
                     .i = i,
                     .j = k,
                     .to = to,
                     .end = end });
}

/* Sends tile (i, k) from a rank that has it to readers [to, end). Along a tree, the first reader of the farther half forwards it
 * to that half. */
static void spread(sim *s, int from, int i, int k, int to, int end)
{
    if (to < end)
        (void)readers(s, i, k);
    while (to < end) {
        int first = s->c->tree ? to + (end - to) / 2 : to;
        send(s, from, i, k, s->list[first], first + 1, s->c->tree ? end : first + 1);
        if (s->c->tree)
            end = first;
        else
            to++;
    }
}

static void task_ends(sim *s, const event *e)
{
    rank_state *r = &s->rank[e->rank];
    domain *d = domain_of(s, e->rank);
    running *task = &d->task[e->slot];
    if (e->version != task->version)
        return; /* the event is out of date: the end has moved */
    if (s->shared)
        advance(s, d);
    task->runs = false;
    d->tasks--;
    if (s->shared)
        post_ends(s, d);
    size_t t = at(s, e->i, e->j);
    int k = s->applied[t]++;
    s->worked += s->now - task->began;
    s->queued[t] = 0;
    r->idle++;
    r->left[k]--;
    if (k == e->j) {
        spread(s, e->rank, e->i, k, 0, readers(s, e->i, k));
        arrive(s, e->rank, e->i, k);
    } else {
        consider(s, e->rank, e->i, e->j);
    }
    open_panels(s, e->rank);
    start_tasks(s, e->rank);
}

static void message(sim *s, event e)
{
    rank_state *r = &s->rank[e.rank];
    if (e.kind == MESSAGE_COMES) {
        r->link_in = (r->link_in > s->now ? r->link_in : s->now) + s->wire;
        e.time = r->link_in;
        e.kind = MESSAGE_IS_IN;
        post(s, e);
    } else if (e.kind == MESSAGE_IS_IN) {
        e.time = handle(s, e.rank, s->now) + s->staged;
        e.kind = TILE_IS_THERE;
        post(s, e);
    } else {
        spread(s, e.rank, e.i, e.j, e.to, e.end);
        arrive(s, e.rank, e.i, e.j);
        start_tasks(s, e.rank);
    }
}

/* -- a run ---------------------------------------------------------------------------------------------------- */

static bool begin(sim *s)
{
    size_t tiles = (size_t)s->nt * (size_t)s->nt, bits = (size_t)s->ranks * tiles;
    double threads = s->m->nodes_ranks * s->m->workers;
    s->applied = calloc(tiles, sizeof *s->applied);
    s->queued = calloc(tiles, 1);
    s->there = calloc(bits / 8 + 1, 1);
    s->rank = calloc((size_t)s->ranks, sizeof *s->rank);
    s->list = calloc((size_t)(s->c->p + s->c->q), sizeof *s->list);
    if (!s->applied || !s->queued || !s->there || !s->rank || !s->list)
        return false;
    for (int k = 0; k < SCALE_KINDS; k++)
        s->seconds[k] = scale_task_seconds(s->m, (scale_kind)k, s->c->tile);
    double bytes = (double)(s->c->tile * s->c->tile * s->c->element);
    s->wire = s->m->gbytes > 0 ? bytes / (s->m->gbytes * 1e9) : 0;
    s->staged = s->m->device_gbytes > 0 ? bytes / (s->m->device_gbytes * 1e9) : 0;
    s->handle = scale_handle_seconds(s->m, bytes);
    int on_node = (int)s->m->nodes_ranks;
    s->shared = s->m->cores > 0 && threads + s->m->nodes_ranks > s->m->cores;
    s->domains_of_node = !s->shared || s->m->cores >= on_node ? on_node : s->m->bound > 0 ? (int)s->m->cores : 1;
    s->domains_of_node = s->domains_of_node > 0 ? s->domains_of_node : 1;
    s->cores = s->m->cores / s->domains_of_node;
    s->domains = (s->ranks + on_node - 1) / on_node * s->domains_of_node;
    if (!(s->domain = calloc((size_t)s->domains, sizeof *s->domain)))
        return false;
    for (int k = 0; k < s->domains; k++) {
        s->domain[k].slots = (int)s->m->workers * ((on_node + s->domains_of_node - 1) / s->domains_of_node);
        if (!(s->domain[k].task = calloc((size_t)s->domain[k].slots, sizeof(running))))
            return false;
    }
    for (int k = 0; s->shared && s->ranks > 1 && k < SCALE_KINDS; k++)
        s->seconds[k] *= scale_polled(s->m);
    for (int r = 0; r < s->ranks; r++) {
        rank_state *a = &s->rank[r];
        a->idle = (int)s->m->workers;
        if (!(a->left = calloc((size_t)s->nt + 1, sizeof *a->left)))
            return false;
    }
    for (int i = 0; i < s->nt; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k <= j; k++)
                s->rank[owner(s, i, j)].left[k]++;
    return true;
}

static void end(sim *s)
{
    for (int r = 0; s->rank && r < s->ranks; r++) {
        free(s->rank[r].at);
        free(s->rank[r].left);
    }
    for (int k = 0; s->domain && k < s->domains; k++)
        free(s->domain[k].task);
    free(s->domain);
    free(s->rank);
    free(s->applied);
    free(s->queued);
    free(s->there);
    free(s->list);
    free(s->heap);
}

/* The time before the tasks in which a rank copies its tiles of the matrix, on one core. */
static double copying(const scale_machine *m, double n, int ranks)
{
    double on_node = ranks < m->nodes_ranks ? ranks : m->nodes_ranks;
    double turns = m->cores > 0 && on_node > m->cores ? on_node / m->cores : 1;
    return 1e-9 * m->element_ns * n * n / ranks * turns;
}

bool scale_cholesky_run(const scale_machine *m, const scale_cholesky *c, scale_result *r)
{
    int64_t tiles = (c->n + c->tile - 1) / c->tile;
    sim s = { .m = m, .c = c, .nt = (int)tiles, .ranks = c->p * c->q, .ok = true };
    int side = c->p > c->q ? c->p : c->q;
    s.window = c->window >= 0 ? c->window : 2 * side > 4 ? 2 * side : 4;
    s.ok = tiles > 0 && tiles < INT_MAX && begin(&s);
    for (int k = 0; s.ok && k < s.ranks; k++) {
        open_panels(&s, k);
        start_tasks(&s, k);
    }
    while (s.ok && s.events > 0) {
        event e = next(&s);
        s.now = e.time;
        if (e.kind == TASK_ENDS)
            task_ends(&s, &e);
        else
            message(&s, e);
    }
    double n = (double)tiles * (double)c->tile, bytes = (double)(c->tile * c->tile * c->element);
    s.now += copying(m, (double)c->n, s.ranks);
    *r = (scale_result){ .seconds = s.now,
                         .flops = n * n * n / 3,
                         .busy = s.worked / (s.now * s.ranks * m->workers),
                         .communicating = s.communicated / (s.now * s.ranks),
                         .messages = s.messages,
                         .bytes = s.messages * bytes };
    end(&s);
    return s.ok;
}
