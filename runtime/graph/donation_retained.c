/* Retained outputs: held values that an evaluation computes anyway become outputs, so that their holders need no old values of variables.
 * An example is the prediction of a training step, which a later read would compute from the old weights.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/donation_search.h"

/* cost[i]: the most bytes that make node i independent of old values that could be overwritten: its own, or the costs of its inputs. The
 * cost of an old value is its own bytes, since it is then not overwritten. 0: node i is independent, or will be published. */
typedef struct {
    orr__search *s;
    double *cost;
    int *order, norder, *left; /* order: readers first; left[i]: readers of node i that are not in it yet */
    bool *queued;
    orr__node **retained;
    int nretained;
} chooser;

/* True for the replaced value of a variable. A value to which a handle refers stays. */
static bool is_old(const orr__reached *p)
{
    return p->needed && p->node->var && !orr__reached_held(p) && orr__donor_possible(orr__node_value(p->node));
}

static bool any_old(const orr__search *s)
{
    bool any = false;
    for (int i = 0; i < s->n && !any; i++)
        any = is_old(&s->at[i]);
    return any;
}

/* Orders the needed nodes, each after all its readers that will be computed. False: some are left, because the graph has a cycle, which
 * the capture reports. */
static bool find_order(chooser *c)
{
    const orr__search *s = c->s;
    int needed = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; s->at[i].needed && !s->at[i].out && k < orr__node_needs(s->at[i].node); k++)
            c->left[s->at[i].node->in[k]->index]++;
    for (int i = 0; i < s->n; i++) {
        needed += s->at[i].needed;
        if (s->at[i].needed && c->left[i] == 0)
            c->order[c->norder++] = i;
    }
    for (int i = 0; i < c->norder; i++) {
        const orr__reached *p = &s->at[c->order[i]];
        for (int k = 0; !p->out && k < orr__node_needs(p->node); k++)
            if (--c->left[p->node->in[k]->index] == 0)
                c->order[c->norder++] = p->node->in[k]->index;
    }
    return c->norder == needed;
}

static double cost_of_inputs(const chooser *c, const orr__node *n)
{
    double sum = 0;
    for (int k = 0; k < orr__node_needs(n); k++)
        sum += c->cost[n->in[k]->index];
    return sum;
}

/* True if n itself is cheaper to publish than its inputs. A view of the same size is not worth a copy. */
static bool rather_itself(const orr__node *n, double inputs)
{
    double own = (double)orr__node_bytes(n);
    return n->op->pattern == ORR__PATTERN_VIEW ? own < inputs : own <= inputs;
}

/* Makes node i independent at its cost: retains it, or nodes from which it is computed. */
static void settle(chooser *c, int i)
{
    int *stack = c->s->stack, depth = 0;
    stack[depth++] = i;
    c->queued[i] = true;
    while (depth > 0) {
        int at = stack[--depth];
        orr__node *n = c->s->at[at].node;
        double inputs = cost_of_inputs(c, n);
        c->cost[at] = 0;
        if (inputs > 0 && rather_itself(n, inputs)) {
            c->retained[c->nretained++] = n;
            continue;
        }
        for (int k = 0; k < orr__node_needs(n); k++) {
            int j = n->in[k]->index;
            if (c->cost[j] > 0 && !c->queued[j]) {
                c->queued[j] = true;
                stack[depth++] = j;
            }
        }
    }
}

/* Computes the cost of each node, from the leaves on, and retains nodes for those that are held. */
static void choose(chooser *c)
{
    for (int k = c->norder; k-- > 0;) {
        int i = c->order[k];
        const orr__reached *p = &c->s->at[i];
        bool value = orr__node_value(p->node) != NULL;
        if (p->out || (value && !is_old(p)))
            continue;
        double inputs = cost_of_inputs(c, p->node), own = (double)orr__node_bytes(p->node);
        c->cost[i] = value || own < inputs ? own : inputs;
        if (c->cost[i] > 0 && orr__reached_held(p))
            settle(c, i);
    }
}

/* References the retained nodes, and marks the nodes that are needed then. False: none, or no memory. */
static bool publish_too(chooser *c, orr__donors *d)
{
    if (c->nretained == 0 || !(d->retained = malloc((size_t)c->nretained * sizeof *d->retained)))
        return false;
    for (int i = 0; i < c->nretained; i++) {
        d->retained[i] = orr__node_ref(c->retained[i]);
        c->s->at[c->retained[i]->index].out = true;
        c->s->at[orr__search_behind(c->retained[i])->index].out = true;
    }
    d->nretained = c->nretained;
    orr__search_needed(c->s);
    return true;
}

bool orr__retained_choose(orr__search *s, orr__donors *d)
{
    size_t n = (size_t)s->n;
    if (!any_old(s))
        return false;
    chooser c = { .s = s,
                  .cost = calloc(n, sizeof *c.cost),
                  .order = malloc(n * sizeof *c.order),
                  .left = calloc(n, sizeof *c.left),
                  .queued = calloc(n, sizeof *c.queued),
                  .retained = malloc(n * sizeof(orr__node *)) };
    bool ok = c.cost && c.order && c.left && c.queued && c.retained && find_order(&c);
    if (ok) {
        choose(&c);
        ok = publish_too(&c, d);
    }
    free(c.cost);
    free(c.order);
    free(c.left);
    free(c.queued);
    free(c.retained);
    return ok;
}

void orr__retained_drop(orr__donors *d)
{
    for (int i = 0; i < d->nretained; i++)
        orr__node_unref(d->retained[i]);
    free(d->retained);
    d->retained = NULL;
    d->nretained = 0;
}
