/* orr_place: places the parts of a model on devices under memory limits, by branch and bound.
 * Must not know: tensors, the engine. */
#include "config.h"
#include <orrery/place.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/buffer.h"
#include "runtime/base/status.h"

enum { MOST_SHARDS = 1024, MOST_DEVICES = 64, PRICE_ROUNDS = 200 }; /* limit of search */
#define MOST_NODES 20000000                                         /* limit of search */

typedef struct {
    const orr_shard *shard;
    const orr_place_device *device;
    int n, m;
    bool contiguous;
    orr_place_goal goal;
    double *ahead;              /* [n + 1][m]: least time from part i on, with part i − 1 on device d */
    double *priced;             /* the same with prices of memory                                      */
    double price[MOST_DEVICES]; /* seconds per byte                                                     */
    double *flops;              /* [n + 1]: of parts from i on                                          */
    double speed;               /* sum over all devices                                                 */
    int64_t left[MOST_DEVICES]; /* free memory                                                          */
    int64_t *bytes;             /* [n + 1]: of parts from i on                                          */
    double load[MOST_DEVICES];  /* time of each device so far: throughput                              */
    bool closed[MOST_DEVICES];  /* contiguous: its run of parts has ended                               */
    int *now, *best;
    double seconds; /* of the best */
    double cut;     /* a subtree with a bound of at least this is skipped */
    int64_t nodes;
} search;

static double work_of(const search *s, int i, int d)
{
    return s->shard[i].flops / s->device[d].flops_per_second;
}

/* The transfer time of the result of part i from device a to b. */
static double transfer(const search *s, int i, int a, int b)
{
    const orr_place_device *x = &s->device[a], *y = &s->device[b];
    double rate = fmin(x->bytes_per_second, y->bytes_per_second);
    return a == b ? 0.0 : fmax(x->latency, y->latency) + (double)s->shard[i].out_bytes / rate;
}

/* The least times to the end, where only single parts must fit into memory; price: of each byte on a device. If `on` is given, the
 * path's bytes are added to it by device. Returns the least time of all. */
static double look_ahead(const search *s, double *ahead, const double *price, double *on)
{
    int m = s->m;
    for (int d = 0; d < m; d++)
        ahead[s->n * m + d] = 0.0;
    for (int i = s->n - 1; i >= 0; i--)
        for (int a = 0; a < m; a++) {
            double least = HUGE_VAL;
            for (int d = 0; d < m; d++) {
                double t = work_of(s, i, d) + (i ? transfer(s, i - 1, a, d) : 0.0) +
                           price[d] * (double)s->shard[i].bytes + ahead[(i + 1) * m + d];
                if (s->shard[i].bytes <= s->device[d].bytes && t < least)
                    least = t;
            }
            ahead[i * m + a] = least;
        }
    for (int i = 0, a = 0; on && i < s->n; i++) {
        int at = 0;
        double least = HUGE_VAL;
        for (int d = 0; d < m; d++) {
            double t = work_of(s, i, d) + (i ? transfer(s, i - 1, a, d) : 0.0) + price[d] * (double)s->shard[i].bytes +
                       ahead[(i + 1) * m + d];
            if (s->shard[i].bytes <= s->device[d].bytes && t < least) {
                least = t;
                at = d;
            }
        }
        on[at] += (double)s->shard[i].bytes;
        a = at;
    }
    return ahead[0];
}

/* Lagrange prices of memory that raise the bound: steps along each device's excess, shorter in each round. */
static double find_prices(search *s, double plain)
{
    double price[MOST_DEVICES] = { 0 }, best = plain;
    for (int round = 0; round < PRICE_ROUNDS; round++) {
        double on[MOST_DEVICES] = { 0 }, norm = 0.0, bound = look_ahead(s, s->priced, price, on);
        for (int d = 0; d < s->m; d++) {
            double over = on[d] - (double)s->device[d].bytes;
            bound -= price[d] * (double)s->device[d].bytes;
            norm += price[d] > 0.0 || over > 0.0 ? over * over : 0.0;
        }
        if (bound > best) {
            best = bound;
            memcpy(s->price, price, sizeof s->price);
        }
        if (norm <= 0.0)
            break;
        double step = 0.5 * fabs(best) / norm / (1.0 + 0.1 * round);
        for (int d = 0; d < s->m; d++)
            price[d] = fmax(0.0, price[d] + step * (on[d] - (double)s->device[d].bytes));
    }
    (void)look_ahead(s, s->priced, s->price, NULL);
    return best;
}

/* A lower bound for all placements that continue from here, with part i − 1 on device a. */
static double bound_latency(const search *s, int i, int a, double seconds)
{
    double priced = seconds + s->priced[i * s->m + a];
    for (int d = 0; d < s->m; d++)
        priced -= s->price[d] * (double)s->left[d];
    return fmax(seconds + s->ahead[i * s->m + a], priced);
}

static double bound_throughput(const search *s, int i)
{
    double most = 0.0, done = 0.0;
    for (int d = 0; d < s->m; d++) {
        most = fmax(most, s->load[d]);
        done += s->load[d] * s->device[d].flops_per_second;
    }
    return fmax(most, (done + s->flops[i]) / s->speed);
}

static bool fits_in_all(const search *s, int i)
{
    int64_t room = 0;
    for (int d = 0; d < s->m; d++)
        if (!s->closed[d])
            room += s->left[d];
    return s->bytes[i] <= room;
}

/* True if an earlier device equals d, also in its state: only one of them is tried. */
static bool is_twin(const search *s, int i, int d)
{
    const orr_place_device *x = &s->device[d];
    for (int e = 0; e < d; e++) {
        const orr_place_device *y = &s->device[e];
        if (s->left[e] == y->bytes && s->left[d] == x->bytes && x->bytes == y->bytes && !s->closed[e] &&
            !s->closed[d] && x->flops_per_second == y->flops_per_second && x->bytes_per_second == y->bytes_per_second &&
            x->latency == y->latency && (i == 0 || (s->now[i - 1] != e && s->now[i - 1] != d)))
            return true;
    }
    return false;
}

static void visit(search *s, int i, double seconds)
{
    double key[MOST_DEVICES];
    int order[MOST_DEVICES], count = 0, a = i ? s->now[i - 1] : 0;
    if (++s->nodes > MOST_NODES)
        return;
    if (i == s->n) {
        double is = s->goal == ORR_PLACE_LATENCY ? seconds : bound_throughput(s, i);
        if (is < s->seconds) {
            s->seconds = is;
            s->cut = is * (1.0 - 1e-9);
            memcpy(s->best, s->now, (size_t)s->n * sizeof *s->best);
        }
        return;
    }
    if (!fits_in_all(s, i))
        return;
    for (int d = 0; d < s->m; d++) {
        if (s->shard[i].bytes > s->left[d] || s->closed[d] || is_twin(s, i, d))
            continue;
        double step = work_of(s, i, d) + (i ? transfer(s, i - 1, a, d) : 0.0);
        double by = s->goal == ORR_PLACE_LATENCY
                        ? step + fmax(s->ahead[(i + 1) * s->m + d],
                                      s->price[d] * (double)s->shard[i].bytes + s->priced[(i + 1) * s->m + d])
                        : s->load[d] + step;
        int at = count++;
        for (; at > 0 && key[at - 1] > by; at--) {
            key[at] = key[at - 1];
            order[at] = order[at - 1];
        }
        key[at] = by;
        order[at] = d;
    }
    for (int k = 0; k < count; k++) {
        int d = order[k];
        double step = work_of(s, i, d) + (i ? transfer(s, i - 1, a, d) : 0.0), load = s->load[d];
        bool ends = s->contiguous && i > 0 && a != d;
        s->now[i] = d;
        s->left[d] -= s->shard[i].bytes;
        s->load[d] += step;
        if (ends)
            s->closed[a] = true;
        double bound =
            s->goal == ORR_PLACE_LATENCY ? bound_latency(s, i + 1, d, seconds + step) : bound_throughput(s, i + 1);
        if (bound < s->cut)
            visit(s, i + 1, seconds + step);
        if (ends)
            s->closed[a] = false;
        s->load[d] = load;
        s->left[d] += s->shard[i].bytes;
    }
}

/* -- refusals ---------------------------------------------------------------------------------------------- */

static const char *name_of(const char *name, int i, char text[32])
{
    (void)snprintf(text, 32, "%d", i);
    return name ? name : text;
}

static orr_status check(orr__site at, const orr_shard *s, int n, const orr_place_device *d, int m)
{
    char text[32];
    if (n < 1 || n > MOST_SHARDS || m < 1 || m > MOST_DEVICES)
        return orr__fail(at, ORR_EINVAL, "%d parts and %d devices: 1 to %d and 1 to %d are possible", n, m, MOST_SHARDS,
                         MOST_DEVICES);
    for (int i = 0; i < n; i++)
        if (s[i].bytes < 0 || s[i].out_bytes < 0 || !(s[i].flops >= 0.0) || isinf(s[i].flops))
            return orr__fail(at, ORR_EINVAL, "part %s has a number that is negative or not finite",
                             name_of(s[i].name, i, text));
    for (int i = 0; i < m; i++)
        if (d[i].bytes < 0 || !(d[i].flops_per_second > 0.0) || !(d[i].bytes_per_second > 0.0) ||
            !(d[i].latency >= 0.0) || isinf(d[i].flops_per_second) || isinf(d[i].bytes_per_second) ||
            isinf(d[i].latency))
            return orr__fail(at, ORR_EINVAL,
                             "device %s has a number that makes no sense: rates are above 0, and all numbers finite",
                             name_of(d[i].name, i, text));
    return ORR_OK;
}

/* Names the limit that is too small: of one part, of all together, or of the pieces. */
static orr_status refuse(orr__site at, const search *s)
{
    int64_t room = 0, most = 0;
    int largest = 0, roomiest = 0;
    char a[32], b[32];
    for (int d = 0; d < s->m; d++) {
        room += s->device[d].bytes;
        if (s->device[d].bytes > most) {
            most = s->device[d].bytes;
            roomiest = d;
        }
    }
    for (int i = 0; i < s->n; i++)
        if (s->shard[i].bytes > s->shard[largest].bytes)
            largest = i;
    if (s->shard[largest].bytes > most)
        return orr__fail(at, ORR_ENOMEM, "part %s needs %lld bytes, and the largest limit is %lld, of device %s",
                         name_of(s->shard[largest].name, largest, a), (long long)s->shard[largest].bytes,
                         (long long)most, name_of(s->device[roomiest].name, roomiest, b));
    if (s->bytes[0] > room)
        return orr__fail(at, ORR_ENOMEM,
                         "the parts need %lld bytes, and the limits of all devices sum up to %lld: %lld are short",
                         (long long)s->bytes[0], (long long)room, (long long)(s->bytes[0] - room));
    if (s->nodes > MOST_NODES)
        return orr__fail(at, ORR_ENOMEM, "no placement was found among %d: the parts need %lld bytes of %lld",
                         MOST_NODES, (long long)s->bytes[0], (long long)room);
    return orr__fail(
        at, ORR_ENOMEM,
        "the parts fit in sum (%lld bytes of %lld) but not in pieces%s: raise the limit of device %s, or cut part %s "
        "(%lld bytes)",
        (long long)s->bytes[0], (long long)room, s->contiguous ? " of neighbours" : "",
        name_of(s->device[roomiest].name, roomiest, b), name_of(s->shard[largest].name, largest, a),
        (long long)s->shard[largest].bytes);
}

orr_status orr_place_at(const char *file, int line, const orr_shard *shard, int n, const orr_place_device *device,
                        int m, bool contiguous, orr_place_goal goal, int *device_of, orr_placement *out)
{
    orr__site at = ORR__SITE(file, line, "place");
    if (!shard || !device || !device_of || !out)
        return orr__fail(at, ORR_EINVAL, "the list of %s is NULL", !shard ? "parts" : !device ? "devices" : "results");
    orr_status st = check(at, shard, n, device, m);
    if (st != ORR_OK)
        return st;
    search *s = orr__alloc(sizeof *s);
    size_t cells = (size_t)(n + 1) * (size_t)m;
    if (!s)
        return ORR_ENOMEM;
    *s = (search){ .shard = shard, .device = device, .n = n, .m = m, .contiguous = contiguous, .goal = goal };
    s->ahead = orr__alloc_n(cells, sizeof *s->ahead);
    s->priced = orr__alloc_n(cells, sizeof *s->priced);
    s->flops = orr__alloc_n((size_t)n + 1, sizeof *s->flops);
    s->bytes = orr__alloc_n((size_t)n + 1, sizeof *s->bytes);
    s->now = orr__alloc_n((size_t)n, sizeof *s->now);
    s->best = orr__alloc_n((size_t)n, sizeof *s->best);
    if (s->ahead && s->priced && s->flops && s->bytes && s->now && s->best) {
        for (int i = n - 1; i >= 0; i--) {
            s->flops[i] = s->flops[i + 1] + shard[i].flops;
            s->bytes[i] = s->bytes[i + 1] + shard[i].bytes;
        }
        for (int d = 0; d < m; d++) {
            s->left[d] = device[d].bytes;
            s->speed += device[d].flops_per_second;
        }
        double bound = look_ahead(s, s->ahead, s->price, NULL);
        bound = goal == ORR_PLACE_LATENCY ? find_prices(s, bound) : bound_throughput(s, 0);
        s->seconds = s->cut = HUGE_VAL;
        visit(s, 0, 0.0);
        bool all = s->nodes <= MOST_NODES, found = s->seconds < HUGE_VAL;
        *out = (orr_placement){ s->seconds, all ? s->seconds : fmin(bound, s->seconds), all, s->nodes };
        if (found)
            memcpy(device_of, s->best, (size_t)n * sizeof *device_of);
        st = found ? ORR_OK : refuse(at, s);
    } else {
        st = ORR_ENOMEM;
    }
    free(s->ahead);
    free(s->priced);
    free(s->flops);
    free(s->bytes);
    free(s->now);
    free(s->best);
    free(s);
    return st;
}
