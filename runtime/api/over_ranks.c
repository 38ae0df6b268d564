/* Evaluations of values over ranks: the ranks agree on the graph, each computes its part, and the exchanges of one evaluation end before
 * those of the next begin.
 * Must not know: devices, StarPU. */
#include "config.h"

#include <pthread.h>
#include "runtime/api/eval.h"
#include "runtime/api/over_ranks.h"
#include "runtime/base/array.h"
#include "runtime/base/callback.h"
#include "runtime/distribute/local_graph.h"
#include "runtime/engine/block_cyclic.h"
#include "runtime/graph/former.h"
#include "runtime/graph/thread_state.h"
#include "runtime/ranks/joint.h"

/* The last evaluation with exchanges. The next one begins after its end, so that all ranks exchange in the same order. The lock also
 * guards the local graphs. */
static struct {
    pthread_mutex_t lock;
    orr__run *run;
} turn = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void take_turn(void)
{
    pthread_mutex_lock(&turn.lock);
    orr__run_await(turn.run); /* its own waiter reports an error */
    orr__run_unref(turn.run);
    turn.run = NULL;
}

static void wait_for_turn(void)
{
    take_turn();
    pthread_mutex_unlock(&turn.lock);
}

void orr__over_ranks_start(void)
{
    orr__ranks_turn_by(wait_for_turn);
}

void orr__over_ranks_stop(void)
{
    take_turn();
    orr__local_graphs_clear();
    pthread_mutex_unlock(&turn.lock);
}

/* -- graphs that every rank computes by itself, between exchanges ----------------------------------------------------------- */

static orr_status plan_of(orr__site at, const orr__capture *p, orr__plan **plan)
{
    size_t left = orr__engine_left();
    *plan = orr__plan_known(p, left);
    return *plan ? ORR_OK : orr__plan_get_within(at, p, left, plan);
}

/* out: the outputs of the local graph. */
static orr_status execute(orr__site at, const orr__local_graph *g, orr__plan *plan, const orr__capture *p,
                          orr__buffer **out, orr__run **run)
{
    orr__buffer *few_leaf[64], **leaf = orr__array_begin(few_leaf, sizeof few_leaf, (size_t)g->p.nleaf, sizeof *leaf);
    orr__scalar few[64], *scalar = orr__array_begin(few, sizeof few, (size_t)g->p.nscalar, sizeof *scalar);
    orr_status st = leaf && scalar ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        orr__local_graph_bind(g, p, leaf, scalar);
        st = orr__engine_execute(at, plan, leaf, scalar, out, run);
    }
    orr__array_end(leaf, few_leaf);
    orr__array_end(scalar, few);
    return st;
}

static orr_status evaluate_graph(orr__site at, const orr__local_graph *g, orr__plan *plan, const orr__capture *p,
                                 orr__buffer **out, uint16_t *placed, orr__run **run)
{
    orr__buffer *few[32], **all = orr__array_begin(few, sizeof few, (size_t)g->p.nout, sizeof *all);
    orr_status st = all ? execute(at, g, plan, p, all, run) : ORR_ENOMEM;
    for (int o = 0; st == ORR_OK && o < g->nout; o++) {
        out[o] = all[o];
        placed[o] = (uint16_t)g->placed[o];
    }
    if (st == ORR_OK && g->p.nout > g->nout)
        orr__buffer_unref(all[g->nout]);
    orr__array_end(all, few);
    return st;
}

/* -- graphs with nodes that the ranks compute together ------------------------------------------------------------------------ */

/* A local array as the engine's part of a block-cyclic matrix. The ranks of a grid are numbered row by row. */
static orr__block_cyclic blocks_of(const orr__distribution *d, const orr_shape *global, orr__buffer *b)
{
    int cut[2], step = 1;
    orr_shape s = orr__distribution_local(d, global);
    orr__block_cyclic m = { .rows = global->dim[0],
                            .cols = global->dim[1],
                            .block_rows = global->dim[0],
                            .block_cols = global->dim[1],
                            .grid_rows = 1,
                            .grid_cols = 1,
                            .first = d->grid->rank,
                            .local = b->host,
                            .ld = s.dim[1] };
    (void)orr__distribution_of_blocks(d, &cut[0], &cut[1]);
    for (int g = d->grid->axes - 1; g >= 0; g--) {
        bool rows = g == cut[0];
        if (rows || g == cut[1]) {
            *(rows ? &m.block_rows : &m.block_cols) = d->along[g].block;
            *(rows ? &m.grid_rows : &m.grid_cols) = (int)d->grid->extent[g];
            *(rows ? &m.row_step : &m.col_step) = step;
            m.first -= step * (int)d->grid->coordinate[g];
        }
        step *= (int)d->grid->extent[g];
    }
    return m;
}

static void write_number(orr_dtype t, void *to, int i, double value)
{
    if (t == ORR_F64)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

/* The factors and their order, the solution, or the determinant, its sign and its logarithm. */
static orr_status compute_lu(orr__site at, const orr__joint *j, orr__buffer *const *in, orr__buffer *out)
{
    orr_dtype t = (orr_dtype)j->out->dtype;
    orr__block_cyclic a = blocks_of(&j->lies[0], &j->global[0], in[0]), b, c;
    orr__block_cyclic_lu lu = { .a = &a, .from = in[0]->host, .from_ld = a.ld };
    double det[3];
    if (j->node->op->joint == ORR__JOINT_LU) {
        c = blocks_of(&j->as, &j->node->shape, out);
        lu.a = &c;
    } else if (j->node->op->joint == ORR__JOINT_SOLVE) {
        b = blocks_of(&j->lies[1], &j->global[1], in[1]);
        c = blocks_of(&j->as, &j->node->shape, out);
        lu.x = &c;
        lu.b = b.local;
    } else {
        lu.det = det;
    }
    orr_status st = orr__block_cyclic_lu_of(at, t, &lu);
    for (int i = 0; lu.det && i < 3; i++)
        write_number(t, out->host, i, det[i]);
    return st;
}

/* A product or a factorisation. */
static orr_status compute_jointly(orr__site at, const orr__joint *j, orr__buffer *const *in, orr__buffer *out)
{
    orr_dtype t = (orr_dtype)j->out->dtype;
    orr__block_cyclic m[2], c;
    if (j->node->op->joint > ORR__JOINT_CHOLESKY)
        return compute_lu(at, j, in, out);
    c = blocks_of(&j->as, &j->node->shape, out);
    for (int k = 0; k < j->nin && k < 2; k++)
        m[k] = blocks_of(&j->lies[k], &j->global[k], in[k]);
    if (j->node->op->joint == ORR__JOINT_PRODUCT)
        return orr__block_cyclic_product(at, t, &c, &m[0], false, &m[1], false);
    return orr__block_cyclic_cholesky(at, t, &c, in[0]->host);
}

/* Evaluates the operands of a joint node and the exchanges before it. Each exchange takes place once, so the values are kept. */
static orr_status evaluate_operands(orr__site at, const orr__partition *q, const orr__joint *j)
{
    int n = 0, most = j->nin + j->after;
    orr__node *few[32], **need = orr__array_begin(few, sizeof few, (size_t)most, sizeof *need);
    if (!need)
        return ORR_ENOMEM;
    for (int k = 0; k < j->nin; k++)
        need[n++] = j->in[k];
    for (int k = 0; k < j->after; k++)
        if (!orr__node_value(q->exchanges.node[k]))
            need[n++] = q->exchanges.node[k];
    orr_status st = orr__evaluate_here(at, ORR__ROOTS(need, n, n), NULL);
    for (int k = 0; k < n && st == ORR_OK; k++) {
        orr__buffer *b = orr__node_value(need[k]);
        if ((st = orr__run_wait(b->run)) == ORR_OK)
            st = orr__buffer_sync(b);
    }
    orr__array_end(need, few);
    return st;
}

/* The memory for the result, and the operands: all that may fail on one rank alone before the ranks compute the node. */
static orr_status prepare_joint(orr__site at, const orr__partition *q, const orr__joint *j, orr__buffer **out)
{
    *out = orr__buffer_new(orr__node_bytes(j->out));
    return *out ? evaluate_operands(at, q, j) : ORR_ENOMEM;
}

static orr_status evaluate_joint(const orr__joint *j, orr__buffer *out)
{
    orr__buffer *in[2];
    for (int k = 0; k < j->nin; k++)
        in[k] = orr__node_value(j->in[k]);
    orr_status st = compute_jointly(ORR__SITE(j->node->file, j->node->line, j->node->op->name), j, in, out);
    if (st == ORR_OK)
        (void)orr__node_publish(j->out, out, ORR__PUBLISH_ASKED, false);
    else
        orr__buffer_unref(out);
    return st;
}

/* Evaluates the local graph and its last exchange: other ranks wait also for exchanges that no output needs. */
static orr_status evaluate_local(orr__site at, const orr__capture_roots *roots, const orr__partition *q, orr__run **run)
{
    int n = q->nroot;
    orr__node *few[32], **all = orr__array_begin(few, sizeof few, (size_t)n + 1, sizeof *all);
    if (!all)
        return ORR_ENOMEM;
    orr__node *last = q->exchanges.n ? q->exchanges.node[q->exchanges.n - 1] : NULL;
    if (last && orr__node_value(last)) /* already evaluated for a joint node */
        last = NULL;
    memcpy(all, q->root, (size_t)n * sizeof *all);
    all[n] = last;
    orr__capture_roots local = ORR__ROOTS(all, last ? n + 1 : n, roots->nfirst);
    if (roots->nfirst == n)
        local.nfirst = local.nout;
    orr_status st = orr__evaluate_here(at, local, run);
    orr__array_end(all, few);
    return st;
}

/* -- the graph of all ranks -------------------------------------------------------------------------------------------------- */

/* Replaces a light capture by a full one. */
static orr_status in_full(orr__site at, const orr__capture_roots *roots, orr__capture *p)
{
    if (!roots)
        return ORR_OK;
    orr__capture_free(p);
    return orr__capture_make_roots(at, roots, p);
}

/* Finds the local graph of the ranks' evaluation, or makes the capture full and writes its structure to s. */
static orr_status find(orr__site at, const orr__capture_roots *roots, orr__capture *p, const orr__local_graph **g,
                       orr__structure *s)
{
    orr_status st = ORR_OK;
    *g = orr__local_graph_find(p);
    if (!*g && (st = in_full(at, roots, p)) == ORR_OK)
        return orr__agree_structure(p, s);
    if (*g)
        *s = (*g)->structure;
    return st;
}

/* The part of a rank in an evaluation. */
typedef struct {
    orr__structure s;
    const orr__local_graph *g; /* NULL: it is new, or has nodes that the ranks compute together */
    orr__plan *plan;           /* of g */
    orr__partition q;          /* if the graph is new */
    orr__exchange *own;        /* of q, if there is no g */
    orr__duties due;
    orr_status mine;    /* of what this rank does before the others know */
    bool is_new, ended; /* ended: by the ranks together */
} part;

static orr_status plan(orr__site at, part *w)
{
    return w->g && !w->plan ? plan_of(at, &w->g->p, &w->plan) : ORR_OK;
}

/* Partitions a new graph. */
static orr_status prepare(orr__site at, const orr__capture *p, part *w)
{
    if (w->mine != ORR_OK)
        return w->mine;
    if (w->g)
        return plan(at, w);
    orr_status st = orr__partition_make(at, p, orr__block_cyclic_can(), &w->q);
    if (st != ORR_OK)
        return st;
    w->is_new = true;
    if (!w->q.njoint && !(w->g = orr__local_graph_keep(at, p, w->s, &w->q)))
        return ORR_ENOMEM;
    if (!w->g && !(w->own = orr__exchanges_list(&w->q.exchanges)))
        return ORR_ENOMEM;
    return plan(at, w);
}

static void forget(part *w)
{
    if (w->plan)
        orr__plan_done(w->plan);
    if (w->is_new)
        orr__partition_free(&w->q);
    free(w->own);
}

/* A search for a difference makes the capture full, and finds the graph once more. */
static orr_status agree(orr__site at, const orr__capture_roots *roots, orr__capture *p, part *w, bool waits, int *flags)
{
    orr__difference d;
    *flags = (orr__stop_mine || !waits ? ORR__AGREE_STOPS : 0) | (w->g ? 0 : ORR__AGREE_NEW);
    orr_status st = orr__agree(at, w->s, p, &d, flags);
    if (st != ORR_OK || !d.rank)
        return st;
    *flags |= ORR__AGREE_NEW;
    if (w->plan)
        orr__plan_done(w->plan);
    w->plan = NULL;
    st = orr__agree_tell(at, p, &d, w->g ? in_full(at, roots, p) : ORR_OK);
    if (st == ORR_OK && w->g)
        w->mine = find(at, NULL, p, &w->g, &w->s);
    return st;
}

/* The ranks agree on the end of the first n exchanges. */
static orr_status end(orr__site at, part *w, int n, orr_status st)
{
    orr__duties due = w->due;
    due.n = n;
    st = orr__joint_end(at, orr__stop_mine && orr__stop_mine->joint ? orr__stop_mine : NULL, due, st);
    w->ended = st != ORR_OK;
    return st;
}

/* The run, if there is one, ends by an agreement of its own. */
static orr_status expect(const part *w, orr__run **run)
{
    if (!run || !orr__stop_mine)
        return ORR_OK;
    orr__stop_mine->votes = true;
    return orr__joint_expect(orr__stop_mine, w->due) ? ORR_OK : ORR_ENOMEM;
}

static orr_status evaluate_partition(orr__site at, part *w, const orr__capture *p, orr__buffer **out, uint16_t *placed,
                                     orr__run **run)
{
    orr__partition *q = &w->q;
    orr_status st = ORR_OK;
    orr__partition_fill(q, p);
    for (int j = 0; j < q->njoint; j++) {
        orr__buffer *to = NULL;
        st = st == ORR_OK ? prepare_joint(at, q, &q->joint[j], &to) : st;
        if ((st = end(at, w, q->joint[j].after, st)) != ORR_OK) {
            orr__buffer_unref(to);
            return st;
        }
        st = evaluate_joint(&q->joint[j], to);
    }
    if (st == ORR_OK)
        st = expect(w, run);
    if (st == ORR_OK)
        st = evaluate_local(at, &ORR__ROOTS(q->root, q->nroot, p->nfirst), q, run);
    for (int o = 0; st == ORR_OK && o < q->nroot; o++) {
        out[o] = orr__buffer_ref(orr__node_value(q->root[o]));
        placed[o] = (uint16_t)q->placed[o];
    }
    return st;
}

/* A failure of one rank from here on is that of all, and the ranks go on. */
static orr_status evaluate(orr__site at, part *w, const orr__capture *p, orr__buffer **out, uint16_t *placed,
                           orr__run **run)
{
    orr_status st = ORR_OK, own;
    w->due = w->g ? (orr__duties){ w->g->exchange, w->g->exchanges, 0 } : (orr__duties){ w->own, w->q.exchanges.n, 0 };
    w->due.before = orr__exchanges_of_values();
    if (!w->g)
        own = evaluate_partition(at, w, p, out, placed, run);
    else if ((own = expect(w, run)) == ORR_OK)
        own = evaluate_graph(at, w->g, w->plan, p, out, placed, run);
    st = own;
    if (!w->ended && !(run && *run))
        st = end(at, w, w->due.n, own);
    for (int o = 0; o < p->nout && own == ORR_OK && st != ORR_OK; o++)
        orr__buffer_unref(out[o]);
    if (st == ORR_OK && run && *run) /* its end has an exchange, too */
        turn.run = orr__run_ref(*run);
    return st;
}

/* The same, which the ranks can stop together. */
static orr_status evaluate_jointly(orr__site at, part *w, const orr__capture *p, orr__buffer **out, uint16_t *placed,
                                   orr__run **run)
{
    orr__stop *stop = orr__joint_begin(at);
    if (!stop || orr__ranks_in_calls()) /* only a caller can vote */
        run = NULL;
    orr__stop *outer = orr__stop_begins(stop);
    orr_status st = evaluate(at, w, p, out, placed, run);
    orr__stop_ends(outer);
    orr__stop_unref(stop);
    return st;
}

/* A function of the program that an evaluation calls is no call of all ranks: its thread may hold the turn. */
orr_status orr__over_ranks_absent(orr__site at, orr_status st, bool told)
{
    if (orr__callback)
        return st;
    take_turn();
    st = orr__ranks_can(at, st, told ? ORR__MEETING_TOLD : 0);
    orr__tls_get()->met++;
    pthread_mutex_unlock(&turn.lock);
    return st;
}

orr_status orr__evaluate_over_ranks(orr__site at, const orr__capture_roots *roots, orr__capture *p, orr__buffer **out,
                                    uint16_t *placed, orr__run **run)
{
    part w = { .g = NULL };
    int flags = 0;
    orr_status st = orr__no_placeholder(at, p);
    if (st == ORR_OK)
        st = orr__may_wait(at);
    if (st == ORR_OK)
        st = orr__exchange_here(at);
    if (st != ORR_OK)
        return st;
    take_turn();
    st = find(at, roots, p, &w.g, &w.s);
    if (st == ORR_OK)
        st = plan(at, &w);
    if (st != ORR_OK)
        st = orr__ranks_can(at, st, 0);
    else if ((st = agree(at, roots, p, &w, !run, &flags)) == ORR_OK && (flags & ORR__AGREE_NEW))
        st = orr__ranks_can(at, prepare(at, p, &w), 0);
    orr__tls_get()->met++;
    if (st == ORR_OK) {
        orr__tls_get()->met++;
        bool stops = (flags & ORR__AGREE_STOPS) && orr__ranks() > 1;
        if (roots && roots->final && !stops)
            orr__pending_final();
        st = (stops ? evaluate_jointly : evaluate)(at, &w, p, out, placed, run);
    }
    forget(&w);
    pthread_mutex_unlock(&turn.lock);
    return st;
}
