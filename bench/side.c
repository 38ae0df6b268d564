/* Peers that take turns with a case.
 * Must not know: their work. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/side.h"

static char names[2 * BENCH_MOST_PEERS][48]; /* records point to them */

static const char *lasting(const char *name)
{
    int i = 0;
    while (i < 2 * BENCH_MOST_PEERS - 1 && names[i][0] && strcmp(names[i], name) != 0)
        i++;
    (void)snprintf(names[i], sizeof names[i], "%s", name);
    return names[i];
}

int side_start(side_peers *p, const char *isa, int workers, int rounds)
{
    memset(p, 0, sizeof *p);
    p->rounds = rounds;
    for (int i = 0; i < bench_opt.npeer; i++)
        if (fusion_start_peer(&p->child[p->n], bench_opt.peer[i], isa, workers, true) == 0) {
            p->name[p->n] = lasting(p->child[p->n].name);
            if (!(p->time[p->n++] = calloc((size_t)rounds, sizeof(double))))
                return 1;
        }
    return 0;
}

void side_end(side_peers *p)
{
    for (int i = 0; i < p->n; i++) {
        fusion_child_end(&p->child[i]);
        free(p->time[i]);
    }
    p->n = 0;
}

void side_prepare(side_peers *p, const char *what, int n, double expected, double tolerance)
{
    for (int i = 0; i < p->n; i++) {
        char line[96], answer[256] = "";
        double sum = 0.0;
        (void)snprintf(line, sizeof line, "prepare %s float32 %d\n", what, n);
        if (p->child[i].pid > 0 && fusion_child_ask(&p->child[i], line, answer, sizeof answer) != 0)
            (void)snprintf(answer, sizeof answer, "ended unasked");
        p->there[i] = sscanf(answer, "ok %lf", &sum) == 1;
        if (p->there[i] && tolerance >= 0.0 && !(fabs(sum - expected) <= tolerance * fabs(expected))) {
            (void)snprintf(answer, sizeof answer, "its result is %g, ours %g", sum, expected);
            p->there[i] = false;
        }
        if (!p->there[i])
            (void)fprintf(stderr, "orrery-bench: %s: %s left out: %s\n", p->name[i], what,
                          strncmp(answer, "no ", 3) == 0 ? answer + 3 : answer);
    }
}

void side_round(side_peers *p, int r, double seconds)
{
    char line[32], answer[256];
    (void)snprintf(line, sizeof line, "run %g\n", seconds);
    for (int i = 0; i < p->n; i++) {
        if (!p->there[i])
            continue;
        p->there[i] = fusion_child_ask(&p->child[i], line, answer, sizeof answer) == 0;
        p->time[i][r] = p->there[i] ? strtod(answer, NULL) : -1.0;
        p->there[i] = p->time[i][r] >= 0.0;
    }
}

void side_add(const side_peers *p, bench_record *r, double scale)
{
    int k = 0;
    while (k < BENCH_PEERS && r->peer[k].name)
        k++;
    for (int i = 0; i < p->n && k < BENCH_PEERS; i++)
        if (p->there[i]) {
            r->peer[k].name = p->name[i];
            r->peer[k++].value = scale * bench_typical(p->time[i], p->rounds);
        }
}
