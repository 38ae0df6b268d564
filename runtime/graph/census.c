/* Counts new nodes by line, for a warning that names the line that records most.
 * Must not know: how a value is computed. */
#include "config.h"
#include "runtime/graph/census.h"

#include <stdlib.h>
#include "runtime/base/env.h"

enum { COUNTED = 4096, LINES = 64 /* further lines are not told apart */ }; /* limit of memory */

struct orr__census {
    int counted, lines;
    struct {
        const char *file, *op;
        int line, n;
    } at[LINES];
};

/* Nodes since the thread's last evaluation. */
static uint64_t recorded_by(const orr__tls *tls)
{
    return tls->born - tls->pile_born;
}

/* The next census comes after twice as many nodes. */
void orr__census_begin(orr__tls *tls)
{
    uint64_t recorded = recorded_by(tls), least = (uint64_t)orr__env.nodes;
    if (least == 0 || recorded < least || recorded < tls->census_next || tls->census)
        return;
    tls->census = calloc(1, sizeof *tls->census);
    tls->census_next = 2 * recorded;
}

static void report(const struct orr__census *c, uint64_t recorded)
{
    int most = 0;
    for (int i = 1; i < c->lines; i++)
        most = c->at[i].n > c->at[most].n ? i : most;
    orr__log(
        1,
        "a thread has recorded %llu nodes without an evaluation, and holds them: of the last %d, %d are of %s:%d (%s). "
        "Evaluate now and then, or end the scope of values that are not needed (ORRERY_NODES)",
        (unsigned long long)recorded, COUNTED, c->at[most].n, c->at[most].file, c->at[most].line, c->at[most].op);
}

void orr__census_add(orr__tls *tls, const orr__node *n)
{
    struct orr__census *c = tls->census;
    int i = 0;
    while (i < c->lines && (c->at[i].line != n->line || c->at[i].file != n->file))
        i++;
    if (i == c->lines && i < LINES && n->file) {
        c->at[i].file = n->file;
        c->at[i].line = n->line;
        c->at[i].op = n->op->name;
        c->lines++;
    }
    if (i < c->lines)
        c->at[i].n++;
    if (++c->counted < COUNTED)
        return;
    tls->census = NULL;
    if (c->lines > 0 && recorded_by(tls) >= COUNTED) /* else it has evaluated meanwhile */
        report(c, recorded_by(tls));
    free(c);
}
