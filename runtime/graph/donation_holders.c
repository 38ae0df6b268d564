/* Values that an evaluation gives to those who hold them, so that they need no old values of variables any more: the prediction of
 * a training step, say, which is computed for the loss anyway, and would be computed from the old weights if it were asked for later.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/donation_search.h"

/* cost[i]: bytes that it takes to make node i independent of old values that could be written over, at most: its own, or those of
 * what it is made from. An old value's are its own: then it is not written over. 0: it is independent, or will be published. */
typedef struct {
    orr__search *s;
    double *cost;
    int *order, norder, *left; /* readers first, and how many of each there are still to come */
    bool *queued;
    orr__node **kept;
    int nkept;
} chooser;

/* The value of a variable that was replaced. Who holds it by name cannot lose it. */
static bool is_old(const orr__place *p)
{
    return p->wanted && p->node->var && !orr__place_held(p) && orr__take_could(orr__node_value(p->node));
}

static bool any_old(const orr__search *s)
{
    bool any = false;
    for (int i = 0; i < s->n && !any; i++)
        any = is_old(&s->at[i]);
    return any;
}

/* Those who are wanted, each after all that read it and are wanted for more than their value. Not all: a cycle, which the capture
 * reports. */
static bool find_order(chooser *c)
{
    const orr__search *s = c->s;
    int wanted = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; s->at[i].wanted && !s->at[i].out && k < s->at[i].node->nin; k++)
            c->left[s->at[i].node->in[k]->index]++;
    for (int i = 0; i < s->n; i++) {
        wanted += s->at[i].wanted;
        if (s->at[i].wanted && c->left[i] == 0)
            c->order[c->norder++] = i;
    }
    for (int i = 0; i < c->norder; i++) {
        const orr__place *p = &s->at[c->order[i]];
        for (int k = 0; !p->out && k < p->node->nin; k++)
            if (--c->left[p->node->in[k]->index] == 0)
                c->order[c->norder++] = p->node->in[k]->index;
    }
    return c->norder == wanted;
}

static double cost_of_inputs(const chooser *c, const orr__node *n)
{
    double sum = 0;
    for (int k = 0; k < n->nin; k++)
        sum += c->cost[n->in[k]->index];
    return sum;
}

/* A view of the same size is not worth a copy. */
static bool rather_itself(const orr__node *n, double inputs)
{
    double own = (double)orr__node_bytes(n);
    return n->op->form == ORR__FORM_VIEW ? own < inputs : own <= inputs;
}

/* Node i will be independent, as cheaply as its cost says. */
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
            c->kept[c->nkept++] = n;
            continue;
        }
        for (int k = 0; k < n->nin; k++) {
            int j = n->in[k]->index;
            if (c->cost[j] > 0 && !c->queued[j]) {
                c->queued[j] = true;
                stack[depth++] = j;
            }
        }
    }
}

/* From the leaves on: what a node costs, and, where it is held, who pays. */
static void choose(chooser *c)
{
    for (int k = c->norder; k-- > 0;) {
        int i = c->order[k];
        const orr__place *p = &c->s->at[i];
        bool value = orr__node_value(p->node) != NULL;
        if (p->out || (value && !is_old(p)))
            continue;
        double inputs = cost_of_inputs(c, p->node), own = (double)orr__node_bytes(p->node);
        c->cost[i] = value || own < inputs ? own : inputs;
        if (c->cost[i] > 0 && orr__place_held(p))
            settle(c, i);
    }
}

/* References to them, and what is wanted then. */
static bool publish_too(chooser *c, orr__takes *t)
{
    if (c->nkept == 0 || !(t->kept = malloc((size_t)c->nkept * sizeof *t->kept)))
        return false;
    for (int i = 0; i < c->nkept; i++) {
        t->kept[i] = orr__node_ref(c->kept[i]);
        c->s->at[c->kept[i]->index].out = true;
        c->s->at[orr__search_behind(c->kept[i])->index].out = true;
    }
    t->nkept = c->nkept;
    orr__search_wanted(c->s);
    return true;
}

bool orr__keep_choose(orr__search *s, orr__takes *t)
{
    size_t n = (size_t)s->n;
    if (!any_old(s))
        return false;
    chooser c = { .s = s,
                  .cost = calloc(n, sizeof *c.cost),
                  .order = malloc(n * sizeof *c.order),
                  .left = calloc(n, sizeof *c.left),
                  .queued = calloc(n, sizeof *c.queued),
                  .kept = malloc(n * sizeof(orr__node *)) };
    bool ok = c.cost && c.order && c.left && c.queued && c.kept && find_order(&c);
    if (ok) {
        choose(&c);
        ok = publish_too(&c, t);
    }
    free(c.cost);
    free(c.order);
    free(c.left);
    free(c.queued);
    free(c.kept);
    return ok;
}

void orr__keep_drop(orr__takes *t)
{
    for (int i = 0; i < t->nkept; i++)
        orr__node_unref(t->kept[i]);
    free(t->kept);
    t->kept = NULL;
    t->nkept = 0;
}
