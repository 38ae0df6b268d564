/* CPU tasks whose data StarPU has moved away from home, in one piece or in several (several memory nodes).
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include "runtime/engine/star.h"
#include "tests/engine_plans.h"

enum { N = 100, TILES = 4, TILE = N / TILES };

/* z[i] = y[i + 1], tile t of z; y comes in four tiles. */
static hand *shifted(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, N), y = hand_step(h, N, TILES, false, 1, &x);

    hand_output(h, hand_step(h, N - 1, TILES, false, 1, &y));
    h->access[1][0].offset = 1;
    return h;
}

/* What a worker of another node would get: the tiles at other addresses, `gap` elements apart. */
static void run_elsewhere(hand *h, int t, int gap)
{
    static double y[2 * N], z[N];
    orr__scalar s = { .f = 0 };
    orr__run *r = orr__run_new(&h->plan, &s);
    orr__task task = { .run = r, .step = &h->step[1], .work = orr__work_of(&h->region[1]), .tile = t };
    struct starpu_variable_interface part[1 + TILES];
    void *buffers[1 + TILES];
    orr__span in;

    memset(part, 0, sizeof part);
    for (int v = 0; v < 3; v++)
        r->value[v] = orr__tiles_new((size_t)h->value[v].count * 8, (size_t)(v ? TILE : N) * 8);
    in = orr__star_span(r, task.step, t, 1);
    ORR_CHECK(in.n == (t < TILES - 1 ? 2 : 1) && in.first == t);
    for (int i = 0; i < TILES; i++)
        for (int k = 0; k < TILE; k++)
            y[i * (TILE + gap) + k] = i * TILE + k;
    for (int i = 0; i < N; i++)
        z[i] = -1;
    for (int k = 0; k <= in.n; k++) {
        part[k].id = STARPU_VARIABLE_INTERFACE_ID;
        part[k].ptr = k == 0 ? (uintptr_t)z : (uintptr_t)&y[(in.first + k - 1) * (TILE + gap)];
        part[k].elemsize = TILE * 8;
        buffers[k] = &part[k];
    }
    orr__star_wake(true);
    r->ended = NULL;
    orr__star_cpu(buffers, &task);
    ORR_CHECK_MSG(orr__run_status(r) == ORR_OK, "%s", r->text);
    for (int i = 0; i < TILE; i++)
        ORR_CHECK(z[i] == (t * TILE + i < N - 1 ? t * TILE + i + 1 : -1));
    orr__star_rest(true);
    orr__run_task_done(r);
    orr__run_unref(r);
}

static void tiles_elsewhere_are_found_or_gathered(void)
{
    hand *h = shifted();

    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    orr__star.numa = true; /* as on a machine with several memory nodes */
    orr__star.one_memory = false;
    for (int t = 0; t < TILES; t++) {
        run_elsewhere(h, t, 0);
        run_elsewhere(h, t, 3);
    }
    orr__engine_stop();
    free(h);
}

static void tiles_at_home_are_found_by_the_long_way_too(void)
{
    hand *h = shifted();
    orr__buf *leaf = ramp(N, 0), *out;

    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    orr__star.numa = true; /* as on a machine with several memory nodes */
    orr__star.one_memory = false;
    for (int k = 0; k < 10; k++) {
        ORR_REQUIRE(hand_run(h, &leaf, 0, &out) == ORR_OK);
        ORR_CHECK(is_ramp(out, N - 1, 1, 1));
        orr__buf_unref(out);
    }
    orr__buf_unref(leaf);
    orr__engine_stop();
    free(h);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tiles_elsewhere_are_found_or_gathered),
                                      ORR_TEST(tiles_at_home_are_found_by_the_long_way_too),
                                      { 0 } };
    int failed = orr_test_main(argc, argv, "engine.places", tests);

    orr__pool_trim();
    return failed;
}
