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

/* RING: 2 (P − 1) messages of 1/P of the array in sequence. TREE: to the root and back, the whole array each time. DIRECT:
 * every rank sends 1/P to each other rank, and its sum to each other rank. */
double scale_reduce_seconds(const scale_machine *m, scale_reduce how, int ranks, double bytes)
{
    double p = ranks, handle = 1e-6 * m->message_us;
    double far = m->latency_us * 1e-6;
    double second = m->gbytes > 0 ? bytes / (m->gbytes * 1e9) : 0;
    double staged = m->device_gbytes > 0 ? 2 * bytes / (m->device_gbytes * 1e9) : 0;
    if (ranks < 2)
        return 0;
    switch (how) {
    case SCALE_RING: return staged + 2 * (p - 1) * (2 * handle + far + second / p);
    case SCALE_TREE: return staged + 2 * steps_of_tree(ranks) * (2 * handle + far + second);
    default: return staged + 2 * (far + (p - 1) * (2 * handle + second / p));
    }
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

/* The backward pass takes two thirds of a step's work, divided among the layers in proportion to their gradients. */
bool scale_training_run(const scale_machine *m, const scale_training *t, scale_result *r)
{
    double threads = m->nodes_ranks * (m->workers + (t->ranks > 1)), slow = 1, all = 0, total = 0, messages = 0,
           reduced = 0;
    uint64_t state = t->seed;
    double thread_steps = t->reduce == SCALE_TREE ? 2 * steps_of_tree(t->ranks) : 2.0 * (t->ranks - 1);

    if (m->cores > 0 && m->nodes_ranks * m->workers > m->cores)
        slow = m->nodes_ranks * m->workers / m->cores;
    if (m->cores > 0 && threads > m->cores && t->ranks > 1)
        slow *= scale_polled(m);
    for (int l = 0; l < t->layers; l++)
        all += t->bytes[l];
    double work = slow * 1e-6 * (m->step_us + m->sample_us * t->samples), seconds = 0;
    for (int step = 0; step < t->steps; step++) {
        double late = 1 + longest_delay(m, t->ranks, &state), now = work * late / 3, free_at = 0, bucket = 0;
        for (int l = t->layers - 1; l >= 0; l--) {
            now += work * late * 2 / 3 * (all > 0 ? t->bytes[l] / all : 1.0 / t->layers);
            bucket += t->bytes[l];
            if (t->ranks < 2 || (bucket < t->bucket && l > 0))
                continue;
            double took = scale_reduce_seconds(m, t->reduce, t->ranks, bucket);
            double begin = t->overlap ? now : 0; /* without overlap, the reductions follow the pass: below */
            if (t->overlap) {
                free_at = (free_at > begin ? free_at : begin) + took;
                if (m->cores > 0 && threads > m->cores) /* the communication thread runs on the workers' cores */
                    now += thread_steps * 2 * m->message_us * 1e-6;
            } else {
                free_at += took;
            }
            reduced += took;
            messages += thread_steps * t->ranks;
            bucket = 0;
        }
        double end = t->overlap ? (free_at > now ? free_at : now) : now + free_at;
        seconds = end + slow * m->update_us * 1e-6;
        total += seconds;
    }
    *r = (scale_result){ .seconds = total / t->steps,
                         .busy = work * t->steps / total,
                         .communicating = reduced / total,
                         .messages = messages / t->steps,
                         .bytes = 2.0 * (t->ranks - 1) * all };
    return true;
}
