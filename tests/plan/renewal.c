/* Plans that differ from the measured times are made again, a few times at most, and never where plans use fixed
 * numbers.
 * Must not know: StarPU, how times are measured. */
#include "config.h"

#include "tests/harness/plan_help.h"

static const orr__site here = { "t.c", 1, "test" };
enum { ROWS = 64, COLUMNS = 4000, SAMPLES = 4 };

/* Two steps, the first of which is slow: a map that a product reads. */
static orr_tensor *graph(void)
{
    return orr_matmul(orr_add(fresh_values(ROWS, COLUMNS), orr_scalar(1)), fresh_values(COLUMNS, 4));
}

static orr__machine two_workers(void)
{
    orr__machine before = orr__machine_here;
    orr__machine_here = (orr__machine){ .workers = 2, .bundles = true };
    return before;
}

static orr__plan *plan_for(orr__capture *p)
{
    orr__plan *plan = NULL;
    ORR_CHECK_MSG(orr__plan_get(here, p, &plan) == ORR_OK, "%s", orr_error_message());
    return plan;
}

/* Sets the measured time of the tasks of the first step's kernel. */
static void measure(const orr__plan *p, double us)
{
    const orr__step *s = &p->step[0];
    for (int i = 0; i < SAMPLES; i++)
        orr__model_add(s->cost.class, orr__task_size(&s->cost, s->rows, s->region->dim[0]), ORR__ON_CPU, us);
}

static void measured_times_cut_a_plan_anew(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr__capture c;
    orr_tensor *t = graph();
    orr__node *node = orr__handle_node(t);
    ORR_REQUIRE(orr__capture_make_roots(here, &ORR__ROOTS(&node, 1, 1), &c) == ORR_OK);
    int machine = (int)orr__env.machine;
    bool deterministic = orr__env.deterministic;
    orr__env.machine = 0;
    orr__env.deterministic = false;
    (void)orr__models_forget();
    orr__machine before = two_workers();

    orr__plan *first = plan_for(&c), *again = plan_for(&c);
    ORR_CHECK(first && first == again && !orr__plan_overtaken(first));
    orr__plan_unref(again);
    ORR_CHECK_MSG(first->step[0].ntiles == 1, "%d tiles of %g us", first->step[0].ntiles, first->step[0].cost.us);

    measure(first, 4 * first->step[0].cost.us);
    bool overtaken = orr__plan_overtaken(first);
    again = plan_for(&c);
    ORR_CHECK(again != NULL);
    if (overtaken)
        ORR_CHECK_MSG(again != first && again->step[0].ntiles == 2 && again->renewal.count == 1,
                      "%d tiles of %g us, %g before", again->step[0].ntiles, again->step[0].cost.us,
                      first->step[0].cost.us);
    if (overtaken && again) { /* the same tiles, at another time */
        double planned = again->us;
        for (int i = 0; i < 4; i++)
            measure(first, 2 * planned);
        measure(again, planned);
        ORR_CHECK_MSG(!orr__plan_overtaken(again) && again->us > 1.25 * planned, "%d renewals, %g us, planned %g",
                      again->renewal.count, (double)again->us, planned);
    }
    orr__plan_unref(again);
    orr__env.deterministic = true; /* fixed numbers: measurements do not change plans */
    ORR_CHECK(!orr__plan_overtaken(first));
    orr__env.deterministic = false;
    ORR_CHECK_MSG(overtaken, "a step of %g us", first->step[0].cost.us);
    orr__plan_unref(first);

    orr__machine_here = before;
    orr__env.machine = machine;
    orr__env.deterministic = deterministic;
    (void)orr__models_forget();
    orr__capture_free(&c);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void a_plan_is_renewed_a_few_times_at_most(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *t = graph();
    orr__plan *p = plan_of(&t, 1, 2);
    ORR_REQUIRE(p != NULL);
    p->renewal.count = ORR__PLAN_RENEWALS;
    measure(p, 1e5);
    ORR_CHECK(!orr__plan_overtaken(p));
    orr__plan_unref(p);
    (void)orr__models_forget();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static orr_status submit(orr_graph *g, orr_tensor *x, float *sum)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = NULL;
    orr_status st = orr_graph_submit(g, ORR_TENSORS(x), &y, 1, NULL);
    double all = 0;
    if (st == ORR_OK)
        st = orr_item(orr_sum(y, ORR_ALL_AXES, false), &all);
    *sum = (float)all;
    (void)orr_scope_end(s);
    return st;
}

/* An explicit graph uses the new plan; values stay. */
static void a_built_graph_follows(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = fresh_values(ROWS, COLUMNS), *in = orr_placeholder(ORR_F32, ORR_SHAPE(ROWS, COLUMNS)),
               *out = orr_exp(orr_sin(in));
    orr_graph *g = orr_graph_build(&in, 1, &out, 1);
    ORR_REQUIRE(g != NULL);
    float first, then;
    ORR_CHECK(submit(g, x, &first) == ORR_OK);
    for (int i = 0; i < 200; i++)
        ORR_CHECK(submit(g, x, &then) == ORR_OK && fabsf(then - first) <= 1e-4f * fabsf(first));
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(measured_times_cut_a_plan_anew),
                                      ORR_TEST(a_plan_is_renewed_a_few_times_at_most),
                                      ORR_TEST(a_built_graph_follows),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.renewal", tests);
}
