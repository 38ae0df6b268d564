/* Graphs of nine shapes: chains, sums, trees, ladders, joins, recurrences, mixtures, many outputs, many variables.
 * Must not know: the limits of tests, the form of a benchmark's records. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "bench/graph_shapes.h"

const char *const graph_stages[GRAPH_STAGES] = { "record", "gradient", "plan", "run" };
const char *const graph_shapes[] = { "chain",      "wide sum", "tree",    "ladder",    "stack",
                                     "recurrence", "mixed",    "outputs", "optimiser", NULL };
enum { CHAIN, WIDE, TREE, LADDER, STACK, RECURRENCE, MIXED, OUTPUTS, OPTIMISER };

/* The tensors of one turn. list: space for `nodes` tensors. */
typedef struct {
    orr_tensor *x, *v, *w; /* variables: 8 numbers, (4, 8), (8, 8) */
    orr_tensor **list;
} ground;

static orr_tensor *times(orr_tensor *x, int i)
{
    return orr_mul(x, orr_scalar(1.0 / (1 + i % 97)));
}

static orr_tensor *chain(const ground *g, int n)
{
    orr_tensor *y = g->x;
    for (int i = 0; i < n; i++)
        y = i % 2 ? orr_tanh(y) : orr_sin(y);
    return y;
}

static orr_tensor *wide_sum(const ground *g, int n)
{
    orr_tensor *y = g->x;
    for (int i = 0; i < n / 4; i++)
        y = orr_add(y, orr_square(times(g->x, i)));
    return y;
}

static orr_tensor *tree(const ground *g, int n)
{
    orr_tensor **at = g->list;
    int leaves = n / 4;
    for (int i = 0; i < leaves; i++)
        at[i] = orr_sin(times(g->x, i));
    for (int m = leaves; m > 1; m = (m + 1) / 2)
        for (int i = 0; i < m; i += 2)
            at[i / 2] = i + 1 < m ? orr_add(at[i], at[i + 1]) : at[i];
    return at[0];
}

/* Each rung reads both values of the rung below twice. */
static orr_tensor *ladder(const ground *g, int n)
{
    orr_tensor *a = g->x, *b = g->x;
    for (int i = 0; i < n / 5; i++) {
        orr_tensor *sum = orr_add(a, b), *product = orr_tanh(orr_mul(a, b));
        a = orr_mul(sum, orr_scalar(0.5));
        b = product;
    }
    return orr_add(a, b);
}

static orr_tensor *stack(const ground *g, int n)
{
    int many = n / 4;
    for (int i = 0; i < many; i++)
        g->list[i] = times(g->x, i);
    return orr_stack(g->list, many, 0);
}

static orr_tensor *recurrence(const ground *g, int n)
{
    orr_tensor *y = g->v;
    for (int i = 0; i < n / 2; i++)
        y = orr_tanh(orr_matmul(y, g->w));
    return y;
}

/* Products, reductions, slices and joins in turn. */
static orr_tensor *mixed(const ground *g, int n)
{
    orr_tensor *y = g->v;
    for (int i = 0; i < n / 12; i++) {
        y = orr_matmul(y, g->w);
        y = orr_sub(y, orr_mean(y, ORR_AXES(1), true));
        y = orr_div(y, orr_sqrt(orr_add(orr_mean(orr_square(y), ORR_AXES(1), true), orr_scalar(0.125))));
        orr_tensor *part[2] = { orr_slice_axis(y, 1, 1, 8, 1), orr_tanh(orr_slice_axis(y, 1, 0, 1, 1)) };
        y = orr_concat(part, 2, 1);
    }
    return y;
}

/* Processor seconds of this thread, which records and plans. */
static double spent(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The sum of y, and its gradient by one variable, are evaluated. */
static orr_status turn_of_loss(const ground *g, orr_tensor *(*shape)(const ground *g, int n), int n, double *at,
                               double *value)
{
    orr_tensor *by = shape == recurrence || shape == mixed ? g->w : g->x, *grad, *both[2];
    at[0] = spent();
    orr_tensor *loss = orr_sum(shape(g, n), ORR_ALL_AXES, false);
    at[1] = spent();
    orr_status st = orr_grad(loss, &by, 1, &grad);
    at[2] = spent();
    both[0] = loss;
    both[1] = orr_sum(grad, ORR_ALL_AXES, false);
    st = st == ORR_OK ? orr_eval_all(both, 2) : st;
    at[3] = spent();
    double part[2] = { 0 };
    for (int k = 0; k < 2 && st == ORR_OK; k++)
        st = orr_item(both[k], &part[k]);
    *value = part[0] + part[1];
    return st;
}

static orr_status turn_of_outputs(const ground *g, int n, double *at, double *value)
{
    int many = n / 3;
    at[0] = spent();
    for (int i = 0; i < many; i++)
        g->list[i] = orr_sin(times(g->x, i));
    at[1] = at[2] = spent();
    orr_status st = orr_eval_all(g->list, many);
    at[3] = spent();
    double first = 0, last = 0;
    if (st == ORR_OK)
        st = orr_item(orr_select(g->list[0], 0, 0), &first);
    if (st == ORR_OK)
        st = orr_item(orr_select(g->list[many - 1], 0, 0), &last);
    *value = first + last;
    return st;
}

static orr_status turn_of_optimiser(const ground *g, int n, double *at, double *value)
{
    int many = n / 16;
    at[0] = spent();
    for (int i = 0; i < many; i++)
        g->list[i] = orr_variable(times(g->x, i));
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, g->list, many, &(orr_optim_options){ .lr = 0.25 });
    orr_tensor *loss = orr_sum(orr_square(orr_stack(g->list, many, 0)), ORR_ALL_AXES, false);
    at[1] = spent();
    orr_status st = o ? orr_optim_step(o, loss) : orr_error_status();
    at[2] = spent();
    st = st == ORR_OK ? orr_eval_all(NULL, 0) : st;
    at[3] = spent();
    if (st == ORR_OK)
        st = orr_item(orr_select(g->list[many - 1], 0, 0), value);
    orr_optim_free(o);
    return st;
}

static orr_status turn(ground *g, int shape, int n, double at[4], double *value)
{
    static orr_tensor *(*const losses[])(const ground *g, int n) = { chain, wide_sum,   tree, ladder,
                                                                     stack, recurrence, mixed };
    orr_scope *s = orr_scope_begin();
    orr_status st = shape == OUTPUTS     ? turn_of_outputs(g, n, at, value)
                    : shape == OPTIMISER ? turn_of_optimiser(g, n, at, value)
                                         : turn_of_loss(g, losses[shape], n, at, value);
    (void)orr_scope_end(s);
    return st;
}

static orr_status two_turns(ground *g, int shape, int n, double seconds[GRAPH_STAGES], double *value)
{
    double first[4], later[4], again = 0;
    orr_status st = turn(g, shape, n, first, value);
    if (st == ORR_OK)
        st = turn(g, shape, n, later, &again);
    if (st != ORR_OK)
        return st;
    for (int k = 0; k < 2; k++) {
        double a = first[k + 1] - first[k], b = later[k + 1] - later[k];
        seconds[k] = a < b ? a : b;
    }
    seconds[GRAPH_RUN] = later[3] - later[2];
    seconds[GRAPH_PLAN] = fmax(first[3] - first[2] - seconds[GRAPH_RUN], 0);
    return fabs(again - *value) <= 1e-5 * fabs(*value) ? ORR_OK : ORR_EINTERNAL;
}

orr_status graph_shape_measure(int shape, int nodes, double seconds[GRAPH_STAGES], double *value)
{
    orr_scope *s = orr_scope_begin();
    double values[64];
    for (int i = 0; i < 64; i++)
        values[i] = 0.25 * sin(3.0 * i + 1);
    orr_tensor *w = orr_from(ORR_F64, ORR_SHAPE(8, 8), values);
    ground g = { .list = malloc((size_t)nodes * sizeof *g.list) };
    g.x = orr_variable(orr_cast(orr_slice_axis(orr_reshape(w, ORR_SHAPE(64)), 0, 0, 8, 1), ORR_F32));
    g.v = orr_variable(orr_cast(orr_slice_axis(w, 0, 0, 4, 1), ORR_F32));
    g.w = orr_variable(orr_cast(w, ORR_F32));
    orr_status st = g.list ? orr_eval_all(ORR_TENSORS(g.x, g.v, g.w)) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = two_turns(&g, shape, nodes, seconds, value);
    free(g.list);
    (void)orr_scope_end(s);
    return st;
}

double graph_slope(int n, const double *nodes, const double *seconds)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        mx += log(nodes[i]) / n;
        my += log(seconds[i] + 1e-9) / n;
    }
    for (int i = 0; i < n; i++) {
        xy += (log(nodes[i]) - mx) * (log(seconds[i] + 1e-9) - my);
        xx += (log(nodes[i]) - mx) * (log(nodes[i]) - mx);
    }
    return xx > 0 ? xy / xx : 0;
}
