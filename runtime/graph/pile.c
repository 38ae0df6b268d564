/* The values that the submission of a pile computes.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/donation_search.h"
#include "runtime/graph/pile.h"
#include "runtime/graph/thread_state.h"

void (*_Atomic orr__pile_submit)(orr__site at);

void orr__pile_refuse(void)
{
    orr__tls_get()->pile_off = true;
}

/* bytes[1]: of held nodes that depend on no variable; bytes[0]: of all others. */
typedef struct {
    orr__search s;
    orr__pile *p;
    double bytes[2];
} finder;

static bool is_former_value(const orr__node *n)
{
    return n->var && (n->op->flags & ORR__OP_STOPS) && n->op->role == ORR__ROLE_THROUGH;
}

/* True if the value of n is worth its memory: views and constants are as cheap as a read. */
static bool is_worth(const orr__node *n)
{
    return n->op->role == ORR__ROLE_COMPUTED && n->op->pattern != ORR__PATTERN_VIEW &&
           !(n->op->flags & ORR__OP_UNIFORM);
}

static void add(finder *f, orr__reached *p)
{
    p->out = true;
    f->bytes[!(p->node->tracked & ORR__TRACKED)] += (double)orr__node_bytes(p->node);
    f->p->node[f->p->n++] = orr__node_ref(p->node);
}

/* Adds the former values of variables from which node i is computed. Each node is visited once for all i. */
static void end_history(finder *f, int i)
{
    orr__search *s = &f->s;
    int depth = 0;
    s->stack[depth++] = i;
    s->at[i].needed = true;
    while (depth > 0) {
        orr__reached *p = &s->at[s->stack[--depth]];
        if (is_former_value(p->node) && !p->out && !orr__node_value(p->node))
            add(f, p);
        if (is_former_value(p->node) || !(p->node->tracked & ORR__TRACKED))
            continue;
        for (int k = 0; k < orr__node_needs(p->node); k++) {
            int j = p->node->in[k]->index;
            if (!s->at[j].needed)
                s->stack[depth++] = j;
            s->at[j].needed = true;
        }
    }
}

/* Under the graph lock. False: no memory. */
static bool find(finder *f, orr__node *const *pending, int n)
{
    orr__search *s = &f->s;
    s->epoch = orr__walk_epoch();
    orr__search_spread(s, pending, n);
    if (s->oom || !(s->stack = malloc(((size_t)s->n + 1) * sizeof *s->stack)) ||
        !(f->p->node = malloc(((size_t)s->n + (size_t)n) * sizeof(orr__node *))))
        return false;
    for (int i = 0; i < s->n; i++)
        s->at[i].out = false;
    for (int i = 0; i < n; i++) {
        orr__reached *p = &s->at[pending[i]->index];
        if (!orr__node_value(p->node) && !p->out)
            f->p->node[f->p->n++] = orr__node_ref(p->node);
        p->out = true;
    }
    for (int i = 0; i < s->n; i++) {
        orr__reached *p = &s->at[i];
        if (p->out || orr__node_value(p->node) || !orr__reached_held(p))
            continue;
        if (is_worth(p->node))
            add(f, p);
        if (!p->needed)
            end_history(f, i);
    }
    return true;
}

bool orr__pile_find(orr__node *const *pending, int n, size_t most, orr__pile *p)
{
    const orr__tls *tls = orr__tls_get();
    finder f = { .p = p };
    *p = (orr__pile){ NULL, 0 };
    orr__graph_lock();
    bool ok = find(&f, pending, n);
    orr__graph_unlock();
    free(f.s.at);
    free(f.s.stack);
    ok = ok && f.bytes[0] <= (double)(tls->born - tls->pile_born) * sizeof(orr__node) && f.bytes[1] <= (double)most;
    if (!ok)
        orr__pile_free(p);
    return ok;
}

void orr__pile_free(orr__pile *p)
{
    for (int i = 0; i < p->n; i++)
        orr__node_unref(p->node[i]);
    free(p->node);
    *p = (orr__pile){ NULL, 0 };
}
