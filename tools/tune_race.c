/* Successive halving (Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", 2013): all points
 * run, the slower half leaves, and the rest run again.
 * Must not know: the meaning of the settings. */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "tools/tune.h"

typedef struct {
    const tune_options *o;
    tune_point *p;
    int n, done, all;
    uint64_t random;
} race;

/* The class of a point, the better first: still in the race, beaten (with fewer runs), failed, never run. */
static int rank_of(const tune_point *a)
{
    return a->why[0] ? 2 : a->runs == 0 ? 3 : a->out ? 1 : 0;
}

static int better(const tune_point *a, const tune_point *b)
{
    if (rank_of(a) != rank_of(b))
        return rank_of(a) - rank_of(b);
    return (a->median > b->median) - (a->median < b->median);
}

void tune_sort(const tune_point *p, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && better(&p[i], &p[order[k - 1]]) < 0; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static void progress(const race *r, const tune_point *p)
{
    enum { WIDTH = 30 };
    char name[96];
    if (!isatty(STDERR_FILENO))
        return;
    int full = r->all > 0 ? WIDTH * r->done / r->all : 0;
    full = full > WIDTH ? WIDTH : full;
    tune_name(r->o, p, name, sizeof name);
    (void)fprintf(stderr, "\r[%.*s%*s] %d of about %d: %-50.50s", full, "##############################", WIDTH - full,
                  "", r->done, r->all, name);
}

/* Runs each remaining setting once, in a new random order, so that a slow period of the machine affects all alike.
 * The very first run has the environment as it is: if the program fails there, nothing can be compared. */
static bool lap(race *r)
{
    int *order = malloc((size_t)r->n * sizeof *order), n = 0;
    if (!order)
        return false;
    for (int i = 0; i < r->n; i++)
        if (!r->p[i].out)
            order[n++] = i;
    for (int i = n - 1; i > 0; i--) {
        r->random = r->random * 6364136223846793005u + 1442695040888963407u;
        int k = (int)((r->random >> 33) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < n && r->done == 0; i++)
        if (order[i] == 0) {
            order[i] = order[0];
            order[0] = 0;
        }
    for (int i = 0; i < n && !tune_stop && !r->p[0].why[0]; i++) {
        progress(r, &r->p[order[i]]);
        (void)tune_run(r->o, &r->p[order[i]]);
        r->done++;
    }
    free(order);
    return !tune_stop;
}

/* Removes the slower half; the environment as it is stays. */
static int halve(race *r, int *order, int least)
{
    int in = 0, keep;
    tune_sort(r->p, r->n, order);
    while (in < r->n && !r->p[order[in]].out)
        in++;
    keep = in / 2 > least ? in / 2 : in < least ? in : least;
    for (int i = keep; i < in; i++)
        r->p[order[i]].out = order[i] != 0;
    int left = 0;
    for (int i = 0; i < r->n; i++)
        left += !r->p[i].out;
    return left;
}

static int laps_expected(int n, int least, int runs)
{
    int all = 0, laps = 0;
    for (; n > least + 1; n = n / 2 > least ? n / 2 : least, laps++)
        all += n;
    return all + (runs > laps ? runs - laps : 0) * (least + 1);
}

bool tune_race(const tune_options *o, tune_point *p, int n, int least, int runs)
{
    race r = { .o = o, .p = p, .n = n, .all = laps_expected(n, least, runs), .random = (uint64_t)time(NULL) };
    int left = n, *order = malloc((size_t)n * sizeof *order);
    bool on = order != NULL;
    do {
        on = on && lap(&r);
        if (p[0].why[0])
            break;
        left = on ? halve(&r, order, least) : 0;
    } while (left > least + 1);
    for (int k = p[0].runs; on && !p[0].why[0] && k < runs; k++)
        on = lap(&r);
    free(order);
    return on;
}
