/* Small steps become bundles: how many tasks, which order, which memory, the same values.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "runtime/base/env.h"
#include "runtime/plan/make.h"
#include "tests/harness.h"

enum { LAYERS = 20 };
static orr__site here = { "t.c", 1, "test" };

static orr_tensor *values(int64_t m, int64_t n)
{
    orr_tensor *t = orr_rand(ORR_F32, ORR_SHAPE(m, n), -1.0, 1.0);
    ORR_CHECK(orr_eval(t) == ORR_OK);
    return t;
}

/* A fresh plan for `workers` workers, verified by its making. The first nfirst outputs are waited for. */
static orr__plan *plan_of_first(orr_tensor *const *t, int n, int nfirst, int workers)
{
    orr__plan *plan = NULL;
    orr__prog p;
    orr__node *node[64];
    orr__machine before = orr__plan_machine;
    for (int i = 0; i < n; i++)
        node[i] = orr__handle_node(t[i]);
    ORR_CHECK(orr__prog_capture_roots(here, &(orr__prog_roots){ node, n, nfirst, 0 }, &p) == ORR_OK);
    orr__plan_machine = (orr__machine){ .workers = workers, .bundles = true };
    ORR_CHECK_MSG(orr__plan_make(here, &p, false, &plan) == ORR_OK, "%s", orr_error_message());
    orr__plan_machine = before;
    orr__prog_free(&p);
    return plan;
}

static orr__plan *plan_of(orr_tensor *const *t, int n, int workers)
{
    return plan_of_first(t, n, n, workers);
}

static int tasks_of(const orr__plan *p)
{
    int n = 0;
    for (int i = 0; i < p->nstep; i++)
        n += orr__plan_tasks(p, i);
    return n;
}

static double us_of(const orr__plan *p, int head)
{
    double us = 0;
    for (int i = head; i < head + (p->step[head].members > 1 ? p->step[head].members : 1); i++)
        us += p->step[i].us;
    return us;
}

/* Tasks, each after those whose values it reads, strips side by side: when the last one ends if every worker is wanted at
 * once. */
static double critical_path(const orr__plan *p)
{
    double *end = calloc((size_t)p->nstep + 1, sizeof *end), longest = 0;
    for (int i = 0; i < p->nstep; i++) {
        int head = orr__plan_head(p, i), n = p->step[head].members > 1 ? p->step[head].members : 1;
        double begin = 0;
        if (head != i)
            continue;
        for (int m = i; m < i + n; m++)
            for (int k = 0; k < p->step[m].region->nin; k++) {
                const orr__value *v = &p->value[p->step[m].in[k]];
                int from = v->leaf < 0 ? orr__plan_head(p, v->first) : i;
                ORR_CHECK(from <= i);
                begin = from != i && end[from] > begin ? end[from] : begin;
            }
        end[i] = begin + us_of(p, i) / p->step[i].ntiles;
        longest = end[i] > longest ? end[i] : longest;
    }
    free(end);
    ORR_CHECK_MSG(p->nearly > 0 || fabs(p->way_us - longest) <= 1e-9 * longest, "%g us, counted %g", p->way_us,
                  longest);
    return longest;
}

static void independent_steps_are_a_task_for_each_worker(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *t[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        t[i] = orr_sum(values(100, 100 + i), ORR_AXES(1), false);
    for (int workers = 1; workers <= 4; workers *= 2) {
        orr__plan *p = plan_of(t, LAYERS, workers);
        ORR_REQUIRE(p != NULL);
        ORR_CHECK(p->nstep >= LAYERS);
        ORR_CHECK_MSG(tasks_of(p) < LAYERS / 2, "%d tasks", tasks_of(p));
        double most = 0;
        for (int i = 0; i < p->nstep; i++)
            if (orr__plan_head(p, i) == i && us_of(p, i) > most)
                most = us_of(p, i);
        if (p->us > workers * orr__task_worth() / 8)
            ORR_CHECK_MSG(tasks_of(p) >= workers && most < 1.5 * p->us / workers, "%d tasks, %g of %g us", tasks_of(p),
                          most, p->us);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void a_chain_of_small_steps_is_one_task(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = values(8, 8), *y = x;
    for (int i = 0; i < LAYERS; i++)
        y = orr_matmul(y, x);
    orr__plan *p = plan_of(&y, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK(p->nstep == LAYERS && tasks_of(p) == 1);
    int local = 0;
    for (int i = 0; i < p->nvalue; i++)
        local += p->value[i].local;
    ORR_CHECK(local == LAYERS - 1 && p->nslot == 0 && p->step[0].nuse == 2);
    ORR_CHECK_MSG(p->scratch_bytes == 2 * 8 * 8 * sizeof(float), "%zu", p->scratch_bytes);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void small_steps_behind_each_large_one_come_together(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    enum { N = 6 };
    orr_tensor *out[N], *w = values(512, 512), *y = values(512, 512);
    for (int i = 0; i < N; i++) { /* the products take long; each feeds the next, and one small step */
        y = orr_matmul(y, w);
        out[i] = orr_sum(orr_slice(y, ORR_IDX(0, 0), ORR_IDX(8, 8), ORR_NO_IDX), ORR_AXES(0), false);
    }
    orr__plan *p = plan_of(out, N, 2);
    ORR_REQUIRE(p != NULL);
    int bundles = 0;
    for (int i = 0; i < p->nstep; i++) {
        bundles += p->step[i].members > 1;
        if (p->step[i].region->kind == ORR__G_MATMUL)
            ORR_CHECK(p->step[i].members <= 1 && orr__plan_head(p, i) == i);
    }
    ORR_CHECK_MSG(bundles == 1, "%d bundles", bundles);
    (void)critical_path(p); /* nobody reads what is written behind it */
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Parallel chains that meet in the end: bundles must not lay them across each other. */
static void parallel_chains_stay_parallel(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *sum = NULL, *w = values(128, 128);
    for (int c = 0; c < 4; c++) {
        orr_tensor *y = values(128, 128);
        for (int i = 0; i < 4; i++)
            y = orr_matmul(y, w);
        sum = sum ? orr_matmul(sum, y) : y;
    }
    orr__plan *p = plan_of(&sum, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK_MSG(tasks_of(p) < p->nstep && critical_path(p) <= 0.8 * p->us, "%d tasks of %d steps, %g of %g us",
                  tasks_of(p), p->nstep, critical_path(p), p->us);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* As in the backward pass of a network: what hangs on a chain does not become part of it. */
static void what_hangs_on_a_chain_runs_beside_it(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    enum { N = 16 };
    orr_tensor *out[N], *w = values(96, 96), *y = values(96, 96);
    for (int i = 0; i < N; i++) {
        y = orr_matmul(y, w);
        out[i] = orr_matmul(orr_transpose(y), y);
    }
    orr__plan *p = plan_of(out, N, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK_MSG(tasks_of(p) < p->nstep / 2 && critical_path(p) <= 0.7 * p->us, "%d tasks of %d steps, %g of %g us",
                  tasks_of(p), p->nstep, critical_path(p), p->us);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The strips of a plan: their head, -1: none. */
static int strips_of(const orr__plan *p)
{
    int at = -1;
    for (int i = 0; i < p->nstep; i++)
        if (p->step[i].members > 1 && p->step[i].ntiles > 1) {
            ORR_CHECK(at < 0);
            at = i;
        }
    return at;
}

/* A network's forward pass: `depth` layers over `rows` rows, what each gave in y. */
static orr_tensor *layers(int64_t rows, int depth, orr_tensor **y)
{
    orr_tensor *x = values(rows, 192), *w = values(192, 192), *b = values(1, 192);
    for (int i = 0; i < depth; i++)
        x = y[i] = orr_relu(orr_add(orr_matmul(x, w), b));
    return x;
}

static void a_chain_over_the_same_rows_is_cut_into_strips(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    enum { DEPTH = 6 };
    orr_tensor *y[DEPTH], *out[2] = { orr_softmax(layers(101, DEPTH, y), -1) };
    out[1] = orr_matmul(orr_transpose(y[2]), y[1]); /* reads all rows: behind the strips */
    for (int workers = 1; workers <= 8; workers *= 2) {
        orr__plan *p = plan_of(out, 2, workers);
        ORR_REQUIRE(p != NULL);
        int at = strips_of(p), n = workers < 101 / 32 ? workers : 101 / 32;
        ORR_CHECK((at >= 0) == (workers > 1));
        if (at >= 0) {
            const orr__step *s = &p->step[at];
            ORR_CHECK_MSG(s->members >= DEPTH + 1 && s->ntiles == n && tasks_of(p) <= n + 1,
                          "%d steps, %d strips, %d tasks", s->members, s->ntiles, tasks_of(p));
            ORR_CHECK(critical_path(p) < 0.75 * p->us);
            for (int i = at; i < at + s->members; i++)
                ORR_CHECK(p->step[i].region->rank < 3 || p->step[i].region->dim[0] == 101);
        }
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Thin or tiny chains, and those that cross their rows, stay as they are. */
static void strips_are_worth_their_tasks(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *y[4], *x = values(8, 8), *cross = values(192, 192);
    orr_tensor *thin = layers(63, 4, y), *tiny = orr_matmul(orr_matmul(values(128, 8), x), x);
    for (int i = 0; i < 4; i++)
        cross = orr_matmul(cross, orr_transpose(cross));
    orr_tensor *one[] = { thin, tiny, cross };
    for (int i = 0; i < 3; i++) {
        orr__plan *p = plan_of(&one[i], 1, 2);
        ORR_REQUIRE(p != NULL);
        ORR_CHECK_MSG(strips_of(p) < 0, "%d", i);
        orr__plan_unref(p);
    }
    ORR_REQUIRE(setenv("ORRERY_DETERMINISTIC", "1", 1) == 0 && orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
    orr_tensor *deep = layers(128, 4, y);
    orr__plan *p = plan_of(&deep, 1, 2);
    ORR_CHECK(p != NULL && strips_of(p) < 0); /* the cut must not depend on the workers */
    if (p)
        orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_DETERMINISTIC") == 0);
}

static void without_fusion_every_step_is_a_task(void)
{
    ORR_REQUIRE(setenv("ORRERY_FUSE", "off", 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_tensor *x = values(8, 8), *y = orr_matmul(orr_matmul(x, x), x);
    orr__plan *p = plan_of(&y, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK(p->nstep == 2 && tasks_of(p) == 2 && p->ntasks == 2);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0);
}

/* Else a task waits for who read the memory that it writes. On the calling thread the same plan has two places, in turn. */
static void little_values_of_tasks_have_memory_of_their_own(void)
{
    for (int inline_us = 0; inline_us <= 1000; inline_us += 1000) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", inline_us);
        ORR_REQUIRE(setenv("ORRERY_FUSE", "off", 1) == 0 && setenv("ORRERY_INLINE_US", text, 1) == 0 &&
                    orr_init(NULL) == ORR_OK);
        orr_tensor *x = values(8, 8), *y = x;
        for (int i = 0; i < LAYERS; i++)
            y = orr_matmul(y, x);
        orr__plan *p = plan_of(&y, 1, 2);
        ORR_REQUIRE(p != NULL);
        ORR_CHECK_MSG(p->nslot == (inline_us ? 2 : LAYERS - 1), "%d slots", p->nslot);
        orr__plan_unref(p);
        ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0 && unsetenv("ORRERY_INLINE_US") == 0);
    }
}

static void the_plan_prints_its_bundles(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = values(8, 8), *y = orr_matmul(orr_matmul(x, x), x);
    orr__plan *p = plan_of(&y, 1, 2);
    char text[4096] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    ORR_REQUIRE(p != NULL && to != NULL);
    orr__plan_print(to, p);
    (void)fclose(to);
    ORR_CHECK(strstr(text, "2 steps, 1 tasks") && strstr(text, "bundle of 2 steps, one task"));
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Twenty parameters, their moments and new values, all tasks by force: the same numbers with and without bundles. */
static void update(float *to, const char *fuse, const char *inline_us)
{
    ORR_REQUIRE(setenv("ORRERY_FUSE", fuse, 1) == 0 && setenv("ORRERY_INLINE_US", inline_us, 1) == 0 &&
                orr_init(NULL) == ORR_OK);
    orr_seed(7);
    orr_tensor *p[LAYERS], *x = values(16, 16);
    for (int i = 0; i < LAYERS; i++) {
        p[i] = orr_variable(values(16, 16));
        x = orr_tanh(orr_matmul(x, p[i]));
    }
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < LAYERS; i++)
            ORR_CHECK(orr_assign(p[i], orr_sub(p[i], orr_mul(orr_matmul(p[i], x), orr_scalar(0.01)))) == ORR_OK);
        ORR_CHECK(orr_eval_all(p, LAYERS) == ORR_OK);
    }
    for (int i = 0; i < LAYERS; i++)
        ORR_CHECK(orr_read(p[i], to + 256 * i, 256 * sizeof *to) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0 && unsetenv("ORRERY_INLINE_US") == 0);
}

/* Loss and gradients of a network, all of it tasks by force. */
static void gradients(float *to, const char *fuse, const char *inline_us)
{
    enum { DEPTH = 5, ROWS = 99, WIDTH = 96 };
    ORR_REQUIRE(setenv("ORRERY_FUSE", fuse, 1) == 0 && setenv("ORRERY_INLINE_US", inline_us, 1) == 0 &&
                setenv("ORRERY_TILE_US", "20", 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_seed(11);
    orr_tensor *x = values(ROWS, WIDTH), *w[DEPTH], *g[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        w[i] = orr_variable(orr_mul(values(WIDTH, WIDTH), orr_scalar(0.2)));
        x = orr_relu(orr_matmul(x, w[i]));
    }
    orr_tensor *loss = orr_mean(orr_square(orr_softmax(x, -1)), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(loss, w, DEPTH, g) == ORR_OK && orr_eval_all(g, DEPTH) == ORR_OK);
    for (int i = 0; i < DEPTH; i++)
        ORR_CHECK(orr_read(g[i], to + i * WIDTH * WIDTH, WIDTH * WIDTH * sizeof *to) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0 && unsetenv("ORRERY_INLINE_US") == 0 &&
              unsetenv("ORRERY_TILE_US") == 0);
}

static void strips_give_the_same_gradients(void)
{
    static float strips[5 * 96 * 96], apart[5 * 96 * 96], here_and_now[5 * 96 * 96];
    gradients(strips, "on", "0");
    gradients(apart, "off", "0");
    gradients(here_and_now, "on", "1000000");
    float most = 0.0f;
    for (int i = 0; i < 5 * 96 * 96; i++)
        most = fabsf(apart[i]) > most ? fabsf(apart[i]) : most;
    ORR_CHECK(most > 0.0f);
    for (int i = 0; i < 5 * 96 * 96; i++)
        ORR_CHECK_MSG(fabsf(strips[i] - apart[i]) <= 1e-5f * most && fabsf(strips[i] - here_and_now[i]) <= 1e-5f * most,
                      "%d: %g %g %g", i, (double)strips[i], (double)apart[i], (double)here_and_now[i]);
}

/* A loss, what is left of its step, and a step more that may fail. */
static void what_is_waited_for_goes_first(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = values(300, 400), *y = orr_matmul(x, values(400, 500)),
               *index = orr_randint(ORR_I64, ORR_SHAPE(9), 0, 9);
    ORR_CHECK(orr_eval(index) == ORR_OK);
    orr_tensor *loss = orr_add(orr_sum(orr_slice_axis(y, 0, 0, 1, 1), ORR_ALL_AXES, false), orr_scalar(1));
    orr_tensor *rest = orr_matmul(orr_transpose(x), orr_square(y)), *taken = orr_take(rest, index, 0);
    orr_tensor *t[] = { loss, rest, taken };
    orr__plan *p = plan_of_first(t, 2, 1, 2);
    int made = p->value[p->out[0]].first, later = p->value[p->out[1]].first, early = 0;
    for (int i = 0; i < p->nstep; i++)
        early += p->step[i].early ? orr__plan_tasks(p, i) : 0;
    ORR_CHECK(p->nearly > 0 && p->nearly == early && p->value[p->out[0]].awaited && !p->value[p->out[1]].awaited);
    made = orr__plan_head(p, made);
    later = orr__plan_head(p, later);
    ORR_CHECK(made < later && p->step[made].early && !p->step[later].early);
    ORR_CHECK(p->step[made].way_us >
              p->step[later].way_us); /* though nothing is behind it, and a product is more work */
    orr__plan_unref(p);
    for (int k = 0; k < 2; k++) { /* all are waited for; what is left may fail */
        p = plan_of_first(t, k ? 3 : 2, k ? 1 : 2, 2);
        ORR_CHECK(p->nearly == 0);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void values_are_the_same(void)
{
    static float bundled[256 * LAYERS], apart[256 * LAYERS], here_and_now[256 * LAYERS];
    update(bundled, "on", "0");
    update(apart, "off", "0");
    update(here_and_now, "on", "1000000");
    for (int i = 0; i < 256 * LAYERS; i++)
        ORR_CHECK_MSG(bundled[i] == here_and_now[i] && bundled[i] - apart[i] < 1e-5f && apart[i] - bundled[i] < 1e-5f,
                      "%d: %g %g %g", i, (double)bundled[i], (double)apart[i], (double)here_and_now[i]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(independent_steps_are_a_task_for_each_worker),
                                      ORR_TEST(a_chain_of_small_steps_is_one_task),
                                      ORR_TEST(small_steps_behind_each_large_one_come_together),
                                      ORR_TEST(parallel_chains_stay_parallel),
                                      ORR_TEST(what_hangs_on_a_chain_runs_beside_it),
                                      ORR_TEST(a_chain_over_the_same_rows_is_cut_into_strips),
                                      ORR_TEST(strips_are_worth_their_tasks),
                                      ORR_TEST(strips_give_the_same_gradients),
                                      ORR_TEST(without_fusion_every_step_is_a_task),
                                      ORR_TEST(little_values_of_tasks_have_memory_of_their_own),
                                      ORR_TEST(the_plan_prints_its_bundles),
                                      ORR_TEST(what_is_waited_for_goes_first),
                                      ORR_TEST(values_are_the_same),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.bundles", tests);
}
