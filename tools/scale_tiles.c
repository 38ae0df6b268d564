/* A discrete-event simulation of graphs of tasks on tiles over ranks: each task and each message, in the order of time.
 * Must not know: which graph, where a machine's numbers come from. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "tools/scale_tiles.h"

double scale_task_seconds(const scale_machine *m, scale_kind kind, int64_t b)
{
    static const double part[SCALE_KINDS] = { 1.0 / 3, 1, 1, 2, 2.0 / 3 };
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
    ARRAY_IS_THERE /* the communication thread has handed it over */
} event_kind;

struct scale_event {
    event_kind kind;
    int rank;
    scale_item item;
    int to, end;       /* of a message that is forwarded along a tree: readers [to, end) */
    int slot, version; /* of a task that ends */
};

/* An entry of the heap: small, so that the heap stays in the caches. order: the event that was made first comes first. */
typedef struct scale_moment {
    double time;
    uint32_t order, event;
} moment;

/* Ends of tasks that all take the same time come in the order in which the tasks began: a ring, without a search. */
struct scale_lane {
    double seconds;
    moment *at;
    size_t first, n, room; /* room: a power of two */
};
enum { LANES = 8 };

/* A running task. Where ranks share cores, its end moves when other tasks begin or end. */
typedef struct {
    scale_item item;
    int rank, version;
    bool runs;
    double began, left; /* left: remaining seconds on a core of its own, as of the domain's last change */
} running;

/* A domain: ranks of a node that share the same cores. */
struct scale_domain {
    running *task;
    int *unused; /* slots without a task */
    int tasks, slots;
    double changed;
};

/* -- queues --------------------------------------------------------------------------------------------------- */

static bool before(const moment *a, const moment *b)
{
    return a->time < b->time || (a->time == b->time && (int32_t)(a->order - b->order) < 0);
}

/* A place for an event; UINT32_MAX: no memory. A free place holds the next free one in `version`. */
static uint32_t place(scale_sim *s)
{
    if (s->unused == UINT32_MAX) {
        uint32_t more = s->events ? s->events : 1024;
        scale_event *to = more < UINT32_MAX / 4 ? realloc(s->event, 2 * (size_t)more * sizeof *to) : NULL;
        if (!to)
            return UINT32_MAX;
        s->event = to;
        for (uint32_t k = s->events; k < 2 * more; k++)
            to[k].version = (int)(k + 1 < 2 * more ? k + 1 : UINT32_MAX);
        s->unused = s->events;
        s->events = 2 * more;
    }
    uint32_t at = s->unused;
    s->unused = (uint32_t)s->event[at].version;
    return at;
}

/* Four children a node: half as many levels as with two. */
static void post_at(scale_sim *s, double time, uint32_t event)
{
    if (s->moments == s->room) {
        size_t room = s->room ? 2 * s->room : 4096;
        moment *more = realloc(s->heap, room * sizeof *more);
        if (!more) {
            s->ok = false;
            return;
        }
        s->heap = more;
        s->room = room;
    }
    size_t k = s->moments++;
    moment m = { time, s->order++, event };
    for (; k > 0 && before(&m, &s->heap[(k - 1) / 4]); k = (k - 1) / 4)
        s->heap[k] = s->heap[(k - 1) / 4];
    s->heap[k] = m;
}

static void post(scale_sim *s, double time, scale_event e)
{
    uint32_t at = place(s);
    if (at == UINT32_MAX) {
        s->ok = false;
        return;
    }
    s->event[at] = e;
    post_at(s, time, at);
}

/* The lane of such tasks; NULL: there are too many, or no memory. */
static scale_lane *lane_of(scale_sim *s, double seconds)
{
    int k = 0;
    while (k < s->lanes && s->lane[k].seconds != seconds)
        k++;
    if (k == LANES)
        return NULL;
    scale_lane *l = &s->lane[k];
    if (k == s->lanes)
        s->lane[s->lanes++].seconds = seconds;
    if (l->n < l->room)
        return l;
    size_t room = l->room ? 2 * l->room : 1024;
    moment *more = malloc(room * sizeof *more);
    if (!more)
        return NULL;
    for (size_t i = 0; i < l->n; i++)
        more[i] = l->at[(l->first + i) & (l->room - 1)];
    free(l->at);
    l->at = more;
    l->room = room;
    l->first = 0;
    return l;
}

/* After that many seconds of a task, if its end stays. */
static void post_in(scale_sim *s, double seconds, scale_event e)
{
    scale_lane *l = s->shared ? NULL : lane_of(s, seconds);
    uint32_t at = l ? place(s) : UINT32_MAX;
    if (at == UINT32_MAX) {
        post(s, s->now + seconds, e);
        return;
    }
    s->event[at] = e;
    l->at[(l->first + l->n++) & (l->room - 1)] = (moment){ s->now + seconds, s->order++, at };
}

/* True if there is another moment: *to is the next one, taken out. */
static bool next(scale_sim *s, moment *to)
{
    const moment *soonest = s->moments ? &s->heap[0] : NULL;
    scale_lane *from = NULL;
    for (int k = 0; k < s->lanes; k++) {
        scale_lane *l = &s->lane[k];
        if (l->n && (!soonest || before(&l->at[l->first], soonest))) {
            soonest = &l->at[l->first];
            from = l;
        }
    }
    if (!soonest)
        return false;
    *to = *soonest;
    if (from) {
        from->first = (from->first + 1) & (from->room - 1);
        from->n--;
        return true;
    }
    moment last = s->heap[--s->moments];
    size_t k = 0;
    for (size_t child; (child = 4 * k + 1) < s->moments; k = child) {
        size_t end = child + 4 < s->moments ? child + 4 : s->moments, least = child;
        while (++child < end)
            least = before(&s->heap[child], &s->heap[least]) ? child : least;
        child = least;
        if (!before(&s->heap[child], &last))
            break;
        s->heap[k] = s->heap[child];
    }
    if (s->moments)
        s->heap[k] = last;
    return true;
}

void scale_push(scale_sim *s, int rank, scale_item item, int urgency)
{
    scale_rank *r = &s->rank[rank];
    uint64_t place = (uint64_t)item.i << SCALE_PLACE_BITS | (uint64_t)item.j;
    scale_ready t = { (uint64_t)urgency << 2 * SCALE_PLACE_BITS | place, item.what, item.step };
    if (r->n == r->room) {
        int room = r->room ? 2 * r->room : 64;
        scale_ready *more = realloc(r->at, (size_t)room * sizeof *more);
        if (!more) {
            s->ok = false;
            return;
        }
        r->at = more;
        r->room = room;
    }
    int k = r->n++;
    for (; k > 0 && t.key < r->at[(k - 1) / 4].key; k = (k - 1) / 4)
        r->at[k] = r->at[(k - 1) / 4];
    r->at[k] = t;
}

static scale_item pop(scale_rank *r)
{
    scale_ready first = r->at[0], last = r->at[--r->n];
    int k = 0;
    for (int child; (child = 4 * k + 1) < r->n; k = child) {
        int end = child + 4 < r->n ? child + 4 : r->n, least = child;
        while (++child < end)
            least = r->at[child].key < r->at[least].key ? child : least;
        child = least;
        if (r->at[child].key >= last.key)
            break;
        r->at[k] = r->at[child];
    }
    if (r->n)
        r->at[k] = last;
    const uint64_t mask = (UINT64_C(1) << SCALE_PLACE_BITS) - 1;
    return (scale_item){ first.what, (int)(first.key >> SCALE_PLACE_BITS & mask), (int)(first.key & mask), first.step };
}

/* -- tasks ---------------------------------------------------------------------------------------------------- */

static scale_domain *domain_of(const scale_sim *s, int rank)
{
    int node = rank / (int)s->m->nodes_ranks, place = rank % (int)s->m->nodes_ranks;
    return &s->domain[node * s->domains_of_node + place % s->domains_of_node];
}

/* The fraction of a core that each running task of the domain has. */
static double speed(const scale_sim *s, const scale_domain *d)
{
    return !s->shared || d->tasks <= s->cores ? 1 : s->cores / d->tasks;
}

static void advance(const scale_sim *s, scale_domain *d)
{
    for (int k = 0; k < d->slots; k++)
        if (d->task[k].runs)
            d->task[k].left -= (s->now - d->changed) * speed(s, d);
    d->changed = s->now;
}

static void post_end(scale_sim *s, const scale_domain *d, int slot)
{
    running *t = &d->task[slot];
    post_in(
        s, (t->left > 0 ? t->left : 0) / speed(s, d),
        (scale_event){ .kind = TASK_ENDS, .rank = t->rank, .item = t->item, .slot = slot, .version = ++t->version });
}

/* Updates the end events after a change of the number of tasks, or of their work. */
static void post_ends(scale_sim *s, const scale_domain *d)
{
    for (int k = 0; k < d->slots; k++)
        if (d->task[k].runs)
            post_end(s, d, k);
}

void scale_start(scale_sim *s, int rank)
{
    scale_rank *r = &s->rank[rank];
    scale_domain *d = domain_of(s, rank);
    while (r->idle > 0 && r->n > 0) {
        scale_item t = pop(r);
        if (s->shared)
            advance(s, d);
        int slot = d->unused[d->slots - ++d->tasks];
        r->idle--;
        running *to = &d->task[slot];
        *to = (running){ t, rank, to->version, true, s->now, s->plan->seconds(s, t) };
        if (s->shared)
            post_ends(s, d);
        else
            post_end(s, d, slot);
    }
}

static void open_panels(scale_sim *s, int rank)
{
    scale_rank *r = &s->rank[rank];
    while (r->open < s->panels && (s->window == 0 || r->open < s->window || r->left[r->open - s->window] == 0))
        s->plan->opened(s, rank, r->open++);
}

/* -- messages ------------------------------------------------------------------------------------------------- */

/* The rank's communication thread handles a message, at `from` at the earliest. Returns the end. */
static double handle(scale_sim *s, int rank, double from, double seconds)
{
    scale_rank *r = &s->rank[rank];
    r->thread = (r->thread > from ? r->thread : from) + seconds;
    scale_domain *d = domain_of(s, rank);
    if (s->shared && seconds > 0 && d->tasks >= s->cores && d->tasks > 0) { /* it takes a core from the tasks */
        advance(s, d);
        for (int k = 0; k < d->slots; k++)
            d->task[k].left += d->task[k].runs ? seconds / d->tasks : 0;
        post_ends(s, d);
    }
    s->communicated += seconds;
    return r->thread;
}

static void send(scale_sim *s, int from, scale_item a, int receiver, int to, int end)
{
    scale_rank *r = &s->rank[from];
    double start = handle(s, from, s->now + s->staged[a.what], s->handle[a.what]);
    start = start > r->link_out ? start : r->link_out;
    r->link_out = start + s->wire[a.what];
    s->messages++;
    s->sent += s->bytes[a.what];
    post(s, start + s->m->latency_us * 1e-6,
         (scale_event){ .kind = MESSAGE_COMES, .rank = receiver, .item = a, .to = to, .end = end });
}

/* Sends an array from a rank that has it to readers [to, end). Along a tree, the first reader of the farther half forwards it to that half. */
static void forward(scale_sim *s, int from, scale_item a, int to, int end)
{
    while (to < end) {
        int first = s->g->tree ? to + (end - to) / 2 : to;
        send(s, from, a, s->list[first], first + 1, s->g->tree ? end : first + 1);
        if (s->g->tree)
            end = first;
        else
            to++;
    }
}

void scale_spread(scale_sim *s, int from, scale_item array, bool here)
{
    forward(s, from, array, 0, s->plan->readers(s, array));
    if (here)
        s->plan->came(s, from, array);
}

static void task_ends(scale_sim *s, const scale_event *e)
{
    scale_rank *r = &s->rank[e->rank];
    scale_domain *d = domain_of(s, e->rank);
    running *task = &d->task[e->slot];
    if (e->version != task->version)
        return; /* the event is out of date: the end has moved */
    if (s->shared)
        advance(s, d);
    task->runs = false;
    d->unused[d->slots - d->tasks--] = e->slot;
    if (s->shared)
        post_ends(s, d);
    s->worked += s->now - task->began;
    r->idle++;
    r->left[e->item.step]--;
    s->plan->ended(s, e->rank, e->item);
    open_panels(s, e->rank);
    scale_start(s, e->rank);
}

/* The next stage of a message keeps its place. */
static void message(scale_sim *s, uint32_t at)
{
    scale_event *e = &s->event[at];
    scale_rank *r = &s->rank[e->rank];
    if (e->kind == MESSAGE_COMES) {
        r->link_in = (r->link_in > s->now ? r->link_in : s->now) + s->wire[e->item.what];
        e->kind = MESSAGE_IS_IN;
        post_at(s, r->link_in, at);
        return;
    }
    if (e->kind == MESSAGE_IS_IN) {
        int what = e->item.what;
        double end = handle(s, e->rank, s->now, s->handle[what]) + s->staged[what]; /* may move the events */
        s->event[at].kind = ARRAY_IS_THERE;
        post_at(s, end, at);
        return;
    }
    scale_event was = *e;
    e->version = (int)s->unused;
    s->unused = at;
    if (was.to < was.end) {
        (void)s->plan->readers(s, was.item);
        forward(s, was.rank, was.item, was.to, was.end);
    }
    s->plan->came(s, was.rank, was.item);
    scale_start(s, was.rank);
}

/* -- a run ---------------------------------------------------------------------------------------------------- */

static bool begin(scale_sim *s)
{
    double threads = s->m->nodes_ranks * s->m->workers;
    size_t ranks = (size_t)s->ranks;
    s->unused = UINT32_MAX;
    s->local_rows = (s->nt + s->p - 1) / s->p;
    s->local_cols = (s->nt + s->q - 1) / s->q;
    s->words = (s->local_rows + s->local_cols + 63) / 64;
    s->state = calloc(ranks * (size_t)s->local_rows * (size_t)s->local_cols, sizeof *s->state);
    s->there = calloc(ranks * (size_t)s->panels * (size_t)s->words, sizeof *s->there);
    s->rank = calloc(ranks, sizeof *s->rank);
    s->list = calloc((size_t)s->ranks + 1, sizeof *s->list);
    s->lane = calloc(LANES, sizeof *s->lane);
    if (!s->state || !s->there || !s->rank || !s->list || !s->lane)
        return false;
    for (int k = 0; k < SCALE_KINDS; k++)
        s->kind_seconds[k] = scale_task_seconds(s->m, (scale_kind)k, s->g->tile);
    s->copy_seconds = 1e-9 * s->m->element_ns * (double)(s->g->tile * s->g->tile) + s->m->task_us * 1e-6;
    for (int w = 0; w < SCALE_WHATS; w++) {
        double bytes = s->plan->elements(s, w) * (double)s->g->element;
        s->bytes[w] = bytes;
        s->wire[w] = s->m->gbytes > 0 ? bytes / (s->m->gbytes * 1e9) : 0;
        s->staged[w] = s->m->device_gbytes > 0 ? bytes / (s->m->device_gbytes * 1e9) : 0;
        s->handle[w] = scale_handle_seconds(s->m, bytes);
    }
    int on_node = (int)s->m->nodes_ranks;
    s->shared = s->m->cores > 0 && threads + s->m->nodes_ranks > s->m->cores;
    s->domains_of_node = !s->shared || s->m->cores >= on_node ? on_node : s->m->bound > 0 ? (int)s->m->cores : 1;
    s->domains_of_node = s->domains_of_node > 0 ? s->domains_of_node : 1;
    s->cores = s->m->cores / s->domains_of_node;
    s->domains = (s->ranks + on_node - 1) / on_node * s->domains_of_node;
    if (!(s->domain = calloc((size_t)s->domains, sizeof *s->domain)))
        return false;
    for (int k = 0; k < s->domains; k++) {
        scale_domain *d = &s->domain[k];
        d->slots = (int)s->m->workers * ((on_node + s->domains_of_node - 1) / s->domains_of_node);
        d->task = calloc((size_t)d->slots, sizeof *d->task);
        d->unused = calloc((size_t)d->slots, sizeof *d->unused);
        if (!d->task || !d->unused)
            return false;
        for (int i = 0; i < d->slots; i++)
            d->unused[i] = d->slots - 1 - i;
    }
    for (int k = 0; s->shared && s->ranks > 1 && k < SCALE_KINDS; k++)
        s->kind_seconds[k] *= scale_polled(s->m);
    for (int r = 0; r < s->ranks; r++) {
        s->rank[r].idle = (int)s->m->workers;
        if (!(s->rank[r].left = calloc((size_t)s->panels + 1, sizeof *s->rank[r].left)))
            return false;
    }
    return s->plan->begin(s);
}

static void end(scale_sim *s)
{
    for (int r = 0; s->rank && r < s->ranks; r++) {
        free(s->rank[r].at);
        free(s->rank[r].left);
    }
    for (int k = 0; s->domain && k < s->domains; k++) {
        free(s->domain[k].task);
        free(s->domain[k].unused);
    }
    for (int k = 0; k < s->lanes; k++)
        free(s->lane[k].at);
    s->plan->end(s);
    free(s->lane);
    free(s->domain);
    free(s->rank);
    free(s->state);
    free(s->there);
    free(s->list);
    free(s->heap);
    free(s->event);
}

/* The time before the tasks in which a rank copies its tiles of a matrix that is to be factored, on one core. */
static double copying(const scale_machine *m, double n, int ranks)
{
    double on_node = ranks < m->nodes_ranks ? ranks : m->nodes_ranks;
    double turns = m->cores > 0 && on_node > m->cores ? on_node / m->cores : 1;
    return 1e-9 * m->element_ns * n * n / ranks * turns;
}

bool scale_graph_run(const scale_machine *m, const scale_graph *g, scale_result *r)
{
    static const scale_plan *const plan[SCALE_GRAPHS] = { &scale_plan_cholesky, &scale_plan_product, &scale_plan_lu };
    static const double flops[SCALE_GRAPHS] = { 1.0 / 3, 2, 2.0 / 3 };
    int64_t tiles = (g->n + g->tile - 1) / g->tile;
    scale_sim s = { .m = m,
                    .g = g,
                    .plan = plan[g->which],
                    .nt = (int)tiles,
                    .panels = (int)tiles + (g->which == SCALE_LU && g->keeps),
                    .ranks = g->p * g->q,
                    .p = g->p,
                    .q = g->q,
                    .ok = true };
    int side = g->p > g->q ? g->p : g->q;
    s.window = g->window >= 0 ? g->window : 2 * side > 4 ? 2 * side : 4;
    s.ok = tiles > 0 && tiles < 1 << SCALE_PLACE_BITS && begin(&s);
    for (int k = 0; s.ok && k < s.ranks; k++) {
        open_panels(&s, k);
        scale_start(&s, k);
    }
    moment now;
    while (s.ok && next(&s, &now)) {
        s.now = now.time;
        if (s.event[now.event].kind == TASK_ENDS) {
            scale_event e = s.event[now.event];
            s.event[now.event].version = (int)s.unused;
            s.unused = now.event;
            task_ends(&s, &e);
        } else {
            message(&s, now.event);
        }
    }
    double n = (double)tiles * (double)g->tile;
    s.now += g->which == SCALE_CHOLESKY ? copying(m, (double)g->n, s.ranks) : 0;
    *r = (scale_result){ .seconds = s.now,
                         .flops = flops[g->which] * n * n * n,
                         .busy = s.worked / (s.now * s.ranks * m->workers),
                         .communicating = s.communicated / (s.now * s.ranks),
                         .messages = s.messages,
                         .bytes = s.sent };
    end(&s);
    return s.ok;
}
