/* A thousand random graphs, whose leaves and inner values have random distributions over grids of 2 to 6 ranks, agree with
 * the reference evaluation. All ranks are in this process. ORR_TEST_GRAPHS: their number; ORR_TEST_SEED: a single one.
 * Must not know: how a value is computed, how it moves. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/exchange.h"
#include "tests/harness/random_graph.h"
#include "tests/harness/simulate.h"

enum { MOST_LIES = 64 };

static const sim_grid grids[] = { { 1, { 2 } },    { 1, { 3 } },    { 1, { 4 } },       { 2, { 2, 2 } },
                                  { 2, { 3, 2 } }, { 2, { 2, 1 } }, { 3, { 2, 1, 3 } }, { 1, { 6 } } };

static int exchanges;

/* Draws a distribution; false: whole. */
static bool draw(rg_graph *g, const sim_grid *grid, orr__node *n, sim_lies *s)
{
    bool any = false;
    unsigned used = 0;
    *s = (sim_lies){ .node = n, .axis = { -1, -1, -1 } };
    for (int a = 0; a < grid->axes && n->shape.rank > 0; a++) {
        int axis = rg_pick(g, n->shape.rank);
        if (rg_pick(g, 4) == 0 || used >> axis & 1)
            continue;
        int64_t even = (n->shape.dim[axis] + grid->extent[a] - 1) / grid->extent[a];
        used |= 1u << axis;
        s->axis[a] = axis;
        s->block[a] = rg_pick(g, 2) && even ? even : 1 + rg_pick(g, 3);
        any = true;
    }
    return any;
}

/* Distributes some leaves over the grid, and requests that of some operands of nodes. */
static int spread(rg_graph *g, const sim_grid *grid, orr__node *const *out, int nout, sim_lies *lies)
{
    orr__capture p;
    int n = 0;
    if (orr__capture_make(ORR__SITE(__FILE__, __LINE__, "spread"), out, nout, &p) != ORR_OK)
        return 0;
    for (int i = 0; i < p.n && n < MOST_LIES; i++) {
        orr__node *x = p.node[i];
        if (p.leaf_of[i] >= 0)
            n += rg_pick(g, 3) > 0 && draw(g, grid, x, &lies[n]);
        for (int k = 0; p.leaf_of[i] < 0 && k < x->nin && n < MOST_LIES; k++) {
            if (rg_pick(g, 8))
                continue;
            orr__node *asked = orr__rec_distribute(ORR__SITE(__FILE__, __LINE__, "spread"), orr__node_ref(x->in[k]), 0);
            if (!draw(g, grid, asked, &lies[n])) {
                lies[n] = (sim_lies){ .node = asked, .axis = { -1, -1, -1 } };
            }
            n++;
            orr__node_unref(x->in[k]);
            x->in[k] = asked;
        }
    }
    orr__capture_free(&p);
    return n;
}

static bool near(orr_dtype d, orr__scalar got, orr__scalar want, double err)
{
    if (!orr__is_float(d))
        return got.u == want.u;
    if (!isfinite(want.f) || !isfinite(got.f))
        return isnan(want.f) ? isnan(got.f) : got.f == want.f;
    return fabs(got.f - want.f) <= err;
}

/* Each partial sum of halves is rounded once. */
static double slack(const rg_value *x, double size)
{
    orr_dtype d = orr_tensor_dtype(x->t);
    return !x->sums ? 0 : d == ORR_F16 ? 0x1p-8 * size : d == ORR_BF16 ? 0x1p-5 * size : 0;
}

static bool right(const rg_graph *g, int i, const char *got)
{
    const rg_value *x = &g->v[i];
    orr_dtype d = orr__part_dtype(orr_tensor_dtype(x->t));
    double most = 0;
    int64_t n = orr_tensor_size(x->t) * help_parts(orr_tensor_dtype(x->t));
    for (int64_t k = 0; k < n && orr__is_float(d); k++)
        most = isfinite(x->v[k].f) ? fmax(most, fabs(x->v[k].f)) : most;
    for (int64_t k = 0; k < n; k++) {
        orr__scalar v = orr__scalar_load(got + (size_t)k * orr_dtype_size(d), d);
        if (near(d, v, x->v[k], (x->err ? x->err[k] : 0) + slack(x, most)))
            continue;
        printf("%s, element %lld: ranks %.17g, reference %.17g, bound %g\n", g->log[i], (long long)k,
               orr__scalar_f64(v, d), orr__scalar_f64(x->v[k], d), x->err ? x->err[k] : 0);
        return false;
    }
    return true;
}

static bool one_graph(unsigned long long seed, int ops)
{
    rg_graph g;
    orr_scope *s = orr_scope_begin();
    rg_build(&g, seed, ops);
    const sim_grid *grid = &grids[rg_pick(&g, (int)(sizeof grids / sizeof *grids))];
    int which[3], n = ops < RG_VALUES ? 1 : 1 + rg_pick(&g, 3);
    orr__node *out[3];
    sim_lies lies[MOST_LIES];
    void *value[3] = { NULL };
    for (int k = 0; k < n; k++) {
        which[k] = k == 0 ? g.n - 1 : rg_pick(&g, g.n);
        out[k] = orr__handle_node(g.v[which[k]].t);
    }
    int nlies = spread(&g, grid, out, n, lies);
    bool ok = sim_run(out, n, grid, lies, nlies, value);
    exchanges += sim_exchanges;
    for (int k = 0; k < n; k++) {
        ok = ok && right(&g, which[k], value[k]);
        free(value[k]);
    }
    if (!ok && ops < RG_VALUES)
        for (int i = 0; i < g.n; i++)
            printf("  %d: %s\n", i, g.log[i]);
    rg_end(&g);
    (void)orr_scope_end(s);
    return ok;
}

static void random_graphs_agree_with_the_reference(void)
{
    const char *alone = getenv("ORR_TEST_SEED");
    unsigned long long first = alone ? strtoull(alone, NULL, 10) : 0;
    unsigned long long end = alone ? first + 1 : strtoull(rg_count("1000"), NULL, 10);
    int failures = 0;
    if (getenv("ORR_TEST_OPS")) {
        ORR_CHECK(one_graph(first, atoi(getenv("ORR_TEST_OPS"))));
        return;
    }
    for (unsigned long long seed = first; seed < end && failures < 5; seed++) {
        orr_test_alarm();
        if (one_graph(seed, RG_VALUES))
            continue;
        failures++;
        ORR_CHECK_MSG(false, "seed %llu", seed);
        for (int ops = 0; ops < RG_VALUES; ops++)
            if (!one_graph(seed, ops)) {
                printf("seed %llu is wrong after %d ops\n", seed, ops);
                break;
            }
    }
    printf("    %d exchanges\n", exchanges);
    ORR_CHECK(alone || exchanges > 1000);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(random_graphs_agree_with_the_reference), { 0 } };
    return help_main(argc, argv, "distribute.simulated", tests);
}
