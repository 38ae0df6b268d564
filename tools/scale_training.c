/* A simulation of data-parallel training: the backward pass, the buckets of gradients, their reductions, the optimiser.
 * Must not know: where a machine's numbers come from. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "tools/scale.h"

static double steps_of_tree(int ranks)
{
    int n = 0;
    for (int reach = 1; reach < ranks; reach *= 2)
        n++;
    return n;
}

/* A sum of `messages` messages in sequence, each sent and received, in `starts` rounds, with `moved` times the array on the link. */
static scale_sum sum_of(const scale_machine *m, double messages, double starts, double moved, double bytes)
{
    double second = m->gbytes > 0 ? bytes / (m->gbytes * 1e9) : 0;
    double staged = m->device_gbytes > 0 ? 2 * bytes / (m->device_gbytes * 1e9) : 0;
    double busy = staged + messages * 2e-6 * m->message_us + moved * second;
    return (scale_sum){ busy + starts * 1e-6 * m->latency_us, busy, messages };
}

/* RING: 2 (P − 1) messages of 1/P of the array in sequence. TREE: to the root and back, the whole array each time. DIRECT: every rank
 * sends 1/P to each other rank, and its sum to each other rank. DOUBLING: the whole array in each of q = ⌈log₂ P⌉ rounds, and one round
 * more if P is no power of two. HALVING: 2 q rounds that move as much as DIRECT. */
scale_sum scale_reduction(const scale_machine *m, scale_reduce how, int ranks, double bytes)
{
    double p = ranks, q = steps_of_tree(ranks), more = (ranks & (ranks - 1)) != 0;
    if (ranks < 2)
        return (scale_sum){ 0, 0, 0 };
    switch (how) {
    case SCALE_RING: return sum_of(m, 2 * (p - 1), 2 * (p - 1), 2 * (p - 1) / p, bytes);
    case SCALE_TREE: return sum_of(m, 2 * q, 2 * q, 2 * q, bytes);
    case SCALE_DIRECT: return sum_of(m, 2 * (p - 1), 2, 2 * (p - 1) / p, bytes);
    case SCALE_DOUBLING: return sum_of(m, q + more, q + more, q + more, bytes);
    case SCALE_HALVING: return sum_of(m, 2 * q, 2 * q, 2 * (p - 1) / p, bytes);
    default: break;
    }
    static const scale_reduce candidate[] = { SCALE_DIRECT, SCALE_DOUBLING, SCALE_HALVING, SCALE_RING };
    scale_sum least = scale_reduction(m, candidate[0], ranks, bytes);
    for (int k = 1; k < 4; k++) {
        scale_sum s = scale_reduction(m, candidate[k], ranks, bytes);
        least = s.seconds < least.seconds ? s : least;
    }
    return least;
}

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* The relative delay of a rank's step, at least 0 and `jitter` on average; delays by other load are exponential. */
static double delay(const scale_machine *m, uint64_t *state)
{
    return m->jitter > 0 ? -m->jitter * log(uniform(state)) : 0;
}

/* The longest delay of all ranks: a reduction begins when the last rank has its gradients. */
static double longest_delay(const scale_machine *m, int ranks, uint64_t *state)
{
    double most = 0;
    for (int r = 0; r < ranks; r++) {
        double d = delay(m, state);
        most = d > most ? d : most;
    }
    return most;
}

/* Sums of one step. As in the library, an array of two pieces or more is summed piece by piece, and a few sums are under way at a time:
 * their latencies overlap, and the thread and the link do one after the other. */
enum { PIECE = 4 << 20, UNDER_WAY = 4 };
typedef struct {
    double free_at, end[UNDER_WAY]; /* of the thread and the link; of the last sums */
    int sums;
    double reduced, messages;
} chain;

static void sum_piece(chain *c, const scale_machine *m, const scale_training *t, double now, double bytes)
{
    scale_sum s = scale_reduction(m, t->reduce, t->ranks, bytes);
    double *slot = &c->end[c->sums++ % UNDER_WAY], begin = now;
    begin = begin > c->free_at ? begin : c->free_at;
    begin = begin > *slot ? begin : *slot;
    c->free_at = begin + s.busy;
    *slot = begin + s.seconds;
    c->reduced += s.busy;
    c->messages += s.messages;
}

/* A piece of the library: PIECE, or as many as take as long as the starts of a piece's messages. */
static double piece_of(const scale_machine *m, int ranks)
{
    double starts = scale_reduction(m, SCALE_HALVING, ranks, 0).seconds,
           all = scale_reduction(m, SCALE_HALVING, ranks, PIECE).seconds;
    double pieces = all > starts ? starts / (all - starts) : 1;
    return pieces > 1 ? PIECE * fmin(ceil(pieces), 64) : PIECE;
}

static void sum_bucket(chain *c, const scale_machine *m, const scale_training *t, double now, double bytes)
{
    double piece = piece_of(m, t->ranks);
    bool cut = bytes >= 2 * piece;
    for (; cut && bytes > piece; bytes -= piece)
        sum_piece(c, m, t, now, piece);
    sum_piece(c, m, t, now, bytes);
}

static double end_of(const chain *c)
{
    double last = c->free_at;
    for (int i = 0; i < UNDER_WAY; i++)
        last = c->end[i] > last ? c->end[i] : last;
    return last;
}

/* The factor by which a pass slows down where ranks share cores. */
static double slow_down(const scale_machine *m, int ranks, bool *shared)
{
    double threads = m->nodes_ranks * (m->workers + (ranks > 1)), slow = 1;
    if (m->cores > 0 && m->nodes_ranks * m->workers > m->cores)
        slow = m->nodes_ranks * m->workers / m->cores;
    *shared = m->cores > 0 && threads > m->cores && ranks > 1;
    return *shared ? slow * scale_polled(m) : slow;
}

/* The backward pass takes two thirds of a step's work, divided among the layers in proportion to their gradients. Without overlap the
 * sums follow the pass. A communication thread on the workers' cores takes its time from the pass. */
bool scale_training_run(const scale_machine *m, const scale_training *t, scale_result *r)
{
    bool shared;
    double slow = slow_down(m, t->ranks, &shared), all = 0, total = 0, messages = 0, reduced = 0;
    uint64_t state = t->seed;
    for (int l = 0; l < t->layers; l++)
        all += t->bytes[l];
    double work = slow * 1e-6 * t->work_us;
    for (int step = 0; step < t->steps; step++) {
        double late = 1 + longest_delay(m, t->ranks, &state), now = work * late / 3, bucket = 0;
        chain c = { 0 };
        for (int l = t->layers - 1; l >= 0; l--) {
            now += work * late * 2 / 3 * (all > 0 ? t->bytes[l] / all : 1.0 / t->layers);
            bucket += t->bytes[l];
            if (t->ranks < 2 || (bucket < t->bucket && l > 0))
                continue;
            double before = c.messages;
            sum_bucket(&c, m, t, t->overlap ? now : 0, bucket);
            now += shared && t->overlap ? (c.messages - before) * 2 * m->message_us * 1e-6 : 0;
            bucket = 0;
        }
        double end = t->overlap ? fmax(end_of(&c), now) : now + end_of(&c);
        total += end + slow * m->update_us * 1e-6;
        reduced += c.reduced;
        messages += c.messages * t->ranks;
    }
    *r = (scale_result){ .seconds = total / t->steps,
                         .busy = work * t->steps / total,
                         .communicating = reduced / total,
                         .messages = messages / t->steps,
                         .bytes = 2.0 * (t->ranks - 1) * all };
    return true;
}
