/* Chains over the same rows are cut into strips: which, into how many, and the same values.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "tests/harness/plan_help.h"

/* The strips of a plan: their head, -1: none. */
static int strips_of(const orr__plan *p)
{
    int at = -1;
    for (int i = 0; i < p->nstep; i++)
        if (p->step[i].bundle.members > 1 && p->step[i].ntiles > 1) {
            ORR_CHECK(at < 0);
            at = i;
        }
    return at;
}

/* A network's forward pass: `depth` layers over `rows` rows, what each gave in y. */
static orr_tensor *layers(int64_t rows, int depth, orr_tensor **y)
{
    orr_tensor *x = fresh_values(rows, 192), *w = fresh_values(192, 192), *b = fresh_values(1, 192);
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
            ORR_CHECK_MSG(s->bundle.members >= DEPTH + 1 && s->ntiles == n && tasks_of(p) <= n + 1,
                          "%d steps, %d strips, %d tasks", s->bundle.members, s->ntiles, tasks_of(p));
            ORR_CHECK(critical_path(p) < 0.75 * p->us);
            for (int i = at; i < at + s->bundle.members; i++)
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
    orr_tensor *y[4], *x = fresh_values(8, 8), *cross = fresh_values(192, 192);
    orr_tensor *thin = layers(63, 4, y), *tiny = orr_matmul(orr_matmul(fresh_values(128, 8), x), x);
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

/* Loss and gradients of a network, all of it tasks by force. */
static void gradients(float *to, const char *fuse, const char *inline_us)
{
    enum { DEPTH = 5, ROWS = 99, WIDTH = 96 };
    ORR_REQUIRE(setenv("ORRERY_FUSE", fuse, 1) == 0 && setenv("ORRERY_INLINE_US", inline_us, 1) == 0 &&
                setenv("ORRERY_TILE_US", "20", 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_seed(11);
    orr_tensor *x = fresh_values(ROWS, WIDTH), *w[DEPTH], *g[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        w[i] = orr_variable(orr_mul(fresh_values(WIDTH, WIDTH), orr_scalar(0.2)));
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

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_chain_over_the_same_rows_is_cut_into_strips),
                                      ORR_TEST(strips_are_worth_their_tasks),
                                      ORR_TEST(strips_give_the_same_gradients),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.strips", tests);
}
