/* Case peak-memory: each side in a process of its own, which reports the growth of its resident memory.
 * Must not know: how a side computes. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/memory.h"

/* Returns the peak in bytes; < 0 after a printed error. */
static double ask(fusion_child *side, const char *name, double *checksum)
{
    char line[96], answer[256];
    double bytes = -1.0;
    (void)snprintf(line, sizeof line, "peak %s\n", name);
    if (fusion_child_ask(side, line, answer, sizeof answer) != 0)
        (void)fprintf(stderr, "orrery-bench: %s: ended unasked in %s\n", side->name, name);
    else if (sscanf(answer, "ok %lf %lf", &bytes, checksum) != 2)
        (void)fprintf(stderr, "orrery-bench: %s: %s left out: %s\n", side->name, name, answer);
    return bytes;
}

static double one_side(const char *peer, const char *name, char *who, size_t size, double *checksum)
{
    fusion_child side;
    int rc = peer ? fusion_start_peer(&side, peer, NULL, bench_cores(), false)
                  : fusion_start_ours(&side, bench_cores(), true);
    if (rc != 0)
        return -1.0;
    double bytes = ask(&side, name, checksum);
    (void)snprintf(who, size, "%s", side.name);
    fusion_child_end(&side);
    return bytes;
}

static char names[BENCH_MOST_PEERS][48]; /* records point to them */

int memory_measure(bench_record *r, const char *name, int rounds)
{
    double ours[64], checksum = 0.0, theirs = 0.0;
    char me[48];
    rounds = rounds < 64 ? rounds : 64;
    for (int i = 0; i < rounds; i++)
        if ((ours[i] = one_side(NULL, name, me, sizeof me, &checksum)) < 0.0)
            return 1;
    r->metric = "peak";
    r->unit = "MB";
    r->value = 1e-6 * bench_median(ours, rounds);
    r->ratio = bench_ratio(r, false);
    for (int i = 0, k = 0; i < bench_opt.npeer && k < BENCH_PEERS; i++) {
        double bytes = one_side(bench_opt.peer[i], name, names[i], sizeof names[i], &theirs);
        if (bytes >= 0.0 && !(fabs(theirs - checksum) <= 1e-3 * fabs(checksum)))
            (void)fprintf(stderr, "orrery-bench: %s: %s: %.9g, ours %.9g\n", names[i], name, theirs, checksum);
        else if (bytes >= 0.0) {
            r->peer[k].name = names[i];
            r->peer[k++].value = 1e-6 * bytes;
        }
    }
    return 0;
}

static int measure(bench_sink *out, const memory_case *c, int rounds)
{
    bench_record r = { .name = "peak-memory",
                       .reference = "inputs, values kept, results",
                       .reference_value = 1e-6 * c->least };
    (void)snprintf(r.params, sizeof r.params, "\"computation\": \"%s\"", c->name);
    return memory_measure(&r, c->name, rounds) || bench_add(out, &r);
}

int bench_memory(bench_sink *out, int rounds)
{
    int did = 0, rc = 0;
    for (const memory_case *c = memory_cases; c->name; c++)
        if (!bench_opt.filter || !strcmp(bench_opt.filter, c->name)) {
            did++;
            rc |= measure(out, c, rounds);
        }
    if (!did)
        (void)fprintf(stderr, "orrery-bench: peak-memory has no case '%s'; mlp, adam and chain are there\n",
                      bench_opt.filter);
    return rc || !did;
}
