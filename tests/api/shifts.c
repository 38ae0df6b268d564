/* Sums and joins of arrays that are shifted, joined and padded at different places: their kernels are written and compiled, and every
 * evaluation, before and after, gives the values of plain loops. All values are small whole numbers, so that sums are exact.
 * Must not know: how loops are split. */
#include "config.h"

#include <fcntl.h>
#include <orrery.h>
#include <orrery/array.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "codelets/emit/text.h"
#include "codelets/jit/jit.h"
#include "tests/harness/harness.h"

enum { ROWS = 130, COLS = 260, N = ROWS * COLS, TURNS = 20 };
static float x[3][N], want[3 * N + 2];

static bool start(const char *jit)
{
    unsigned long long state = 5;
    for (int i = 0; i < 3 * N; i++)
        x[i / N][i % N] = (float)(orr_test_rand(&state) % 201) - 100;
    setenv("ORRERY_CACHE_DIR", orr_test_tmp("cache"), 1);
    setenv("ORRERY_JIT", jit, 1);
    orr_test_alarm();
    return orr_init(NULL) == ORR_OK;
}

/* The element `down` rows and `right` columns from (i, j) on a torus. */
static float around(int k, int i, int j, int down, int right)
{
    return x[k][(i + down + ROWS) % ROWS * COLS + (j + right + COLS) % COLS];
}

static orr_tensor *leaf(int k)
{
    return orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x[k]);
}

static orr_tensor *roll(orr_tensor *t, int64_t down, int64_t right)
{
    return orr_roll(t, ORR_INDEX(down, right), ORR_AXES(0, 1));
}

static void check(orr_tensor *t, const char *what, int turn)
{
    int64_t n = orr_tensor_size(t);
    const float *got = orr_data(t);
    int64_t wrong = got ? 0 : n;
    for (int64_t i = 0; i < n && got; i++)
        wrong += got[i] != want[i];
    ORR_CHECK_MSG(wrong == 0 && n > 0, "%s, turn %d: %lld of %lld are wrong; %s", what, turn, (long long)wrong,
                  (long long)n, got ? "" : orr_error_message());
}

/* -- what is computed: a case records its tensor and fills in `want` ------------------------------------------- */

static orr_tensor *rows_both_ways(void)
{
    for (int i = 0; i < N; i++)
        want[i] = around(0, i / COLS, i % COLS, -1, 0) + around(0, i / COLS, i % COLS, 1, 0);
    orr_tensor *t = leaf(0);
    return orr_add(orr_roll(t, ORR_INDEX(1), ORR_AXES(0)), orr_roll(t, ORR_INDEX(-1), ORR_AXES(0)));
}

static orr_tensor *both_axes(void)
{
    for (int i = 0; i < N; i++)
        want[i] = around(0, i / COLS, i % COLS, -1, 0) + around(1, i / COLS, i % COLS, 0, 1);
    return orr_add(orr_roll(leaf(0), ORR_INDEX(1), ORR_AXES(0)), orr_roll(leaf(1), ORR_INDEX(-1), ORR_AXES(1)));
}

/* The number of neighbours of each cell of a torus. */
static orr_tensor *eight_neighbours(void)
{
    orr_tensor *t = leaf(0), *sum = NULL;
    memset(want, 0, sizeof want);
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            if (!down && !right)
                continue;
            for (int i = 0; i < N; i++)
                want[i] += around(0, i / COLS, i % COLS, down, right);
            orr_tensor *part = roll(t, -down, -right);
            sum = sum ? orr_add(sum, part) : part;
        }
    return sum;
}

static orr_tensor *one_axis_flat(void)
{
    static const int by[] = { 1, -1, 2 };
    orr_tensor *t = orr_reshape(leaf(0), ORR_SHAPE(N)), *sum = orr_zeros(ORR_F32, ORR_SHAPE(N));
    memset(want, 0, sizeof want);
    for (int k = 0; k < 3; k++) {
        sum = orr_add(sum, orr_roll(t, ORR_INDEX(by[k]), ORR_AXES(0)));
        for (int i = 0; i < N; i++)
            want[i] += x[0][(i - by[k] + N) % N];
    }
    return sum;
}

static orr_tensor *stack_of_rolls(void)
{
    orr_tensor *part[3];
    for (int k = 0; k < 3; k++) {
        part[k] = roll(leaf(0), k + 1, -k);
        for (int i = 0; i < N; i++)
            want[i * 3 + k] = around(0, i / COLS, i % COLS, -k - 1, k);
    }
    return orr_stack(part, 3, 2);
}

static orr_tensor *joins_and_borders(void)
{
    enum { CUT = 30, BORDER = 17 };
    orr_tensor *a = orr_slice_axis(leaf(0), 0, 0, CUT, 1), *b = orr_slice_axis(leaf(1), 0, CUT, ROWS, 1);
    orr_tensor *c = orr_pad(orr_slice_axis(leaf(2), 0, 0, ROWS - BORDER, 1), ORR_INDEX(BORDER, 0), ORR_INDEX(0, 0), 7);
    for (int i = 0; i < N; i++)
        want[i] = x[i < CUT * COLS ? 0 : 1][i] + (i < BORDER * COLS ? 7 : x[2][i - BORDER * COLS]);
    return orr_add(orr_concat(ORR_TENSORS(a, b), 0), c);
}

static orr_tensor *joins_in_short_rows(void)
{
    enum { SHORT = 20, CUT = 7, OTHER = 12 };
    orr_tensor *t[2];
    for (int k = 0; k < 2; k++)
        t[k] = orr_reshape(leaf(k), ORR_SHAPE(N / SHORT, SHORT));
    orr_tensor *a =
        orr_concat(ORR_TENSORS(orr_slice_axis(t[0], 1, 0, CUT, 1), orr_slice_axis(t[1], 1, CUT, SHORT, 1)), 1);
    orr_tensor *b =
        orr_concat(ORR_TENSORS(orr_slice_axis(t[1], 1, 0, OTHER, 1), orr_slice_axis(t[0], 1, OTHER, SHORT, 1)), 1);
    for (int i = 0; i < N; i++)
        want[i] = x[i % SHORT < CUT ? 0 : 1][i] + x[i % SHORT < OTHER ? 1 : 0][i];
    return orr_add(a, b);
}

/* Most of the rows are outside of the box of an array that ends with a page. */
static orr_tensor *mostly_border(void)
{
    orr_tensor *t = orr_pad(orr_slice_axis(leaf(0), 0, 0, 40, 1), ORR_INDEX(ROWS - 40, 0), ORR_INDEX(0, 0), 0);
    for (int i = 0; i < N; i++)
        want[i] = x[1][i] + (i < (ROWS - 40) * COLS ? 0 : x[0][i - (ROWS - 40) * COLS]);
    return orr_add(leaf(1), t);
}

static orr_tensor *diff_with_both_ends(void)
{
    orr_tensor *first = orr_full(ORR_F32, ORR_SHAPE(1), 9), *last = orr_full(ORR_F32, ORR_SHAPE(1), -4);
    for (int i = 0; i <= N; i++)
        want[i] = (i < N ? x[0][i] : -4) - (i > 0 ? x[0][i - 1] : 9);
    return orr_diff(orr_reshape(leaf(0), ORR_SHAPE(N)), 0, 1, first, last);
}

static orr_tensor *gradient_of_roll(void)
{
    orr_tensor *t = leaf(0), *g = NULL;
    ORR_CHECK(orr_grad(orr_mul(roll(t, 3, 5), t), ORR_TENSORS(t), &g) == ORR_OK);
    for (int i = 0; i < N; i++)
        want[i] = around(0, i / COLS, i % COLS, -3, -5) + around(0, i / COLS, i % COLS, 3, 5);
    return g;
}

static const struct {
    const char *name;
    orr_tensor *(*make)(void);
} cases[] = {
    { "rows, both ways", rows_both_ways },          { "both axes", both_axes },
    { "eight neighbours", eight_neighbours },       { "one axis", one_axis_flat },
    { "stack of rolls", stack_of_rolls },           { "joins and borders", joins_and_borders },
    { "joins in short rows", joins_in_short_rows }, { "mostly border", mostly_border },
    { "diff with both ends", diff_with_both_ends }, { "gradient of roll", gradient_of_roll },
};
enum { CASES = sizeof cases / sizeof *cases };

static void in_turns(const char *jit, int turns)
{
    ORR_REQUIRE(start(jit));
    for (int k = 0; k < CASES; k++)
        for (int turn = 0; turn < turns; turn++) {
            orr_scope *s = orr_scope_begin();
            check(cases[k].make(), cases[k].name, turn);
            (void)orr_scope_end(s);
        }
}

static void shifted_sums_are_interpreted(void)
{
    in_turns("off", 1);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void shifted_sums_are_compiled(void)
{
    ORR_NEED_COMPILER();
    in_turns("wait", TURNS);
    orr__jit_stats s = orr__jit_get_stats();
    ORR_CHECK(s.failures == 0 && s.compiled >= CASES);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void hot_shifted_sums_are_compiled_beside(void)
{
    ORR_NEED_COMPILER();
    in_turns("on", TURNS);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The place of each value among the different ones comes from comparisons of neighbours at both ends. */
static void places_of_a_million_unique_values(void)
{
    enum { MANY = 1048583, KINDS = 1000 };
    ORR_NEED_COMPILER();
    ORR_REQUIRE(start("wait"));
    int32_t *data = calloc(MANY, sizeof *data);
    ORR_REQUIRE(data != NULL);
    for (int i = 0; i < MANY; i++)
        data[i] = (int32_t)((int64_t)i * 7919 % KINDS) * 3 - 1000;
    for (int turn = 0; turn < 2; turn++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *values, *inverse;
        ORR_CHECK(orr_unique_all(orr_from(ORR_I32, ORR_SHAPE(MANY), data), &values, NULL, &inverse, NULL) == ORR_OK);
        const int64_t *at = orr_data(inverse);
        const int32_t *v = orr_data(values);
        int64_t wrong = !at || !v || orr_tensor_size(values) != KINDS;
        for (int i = 0; i < MANY && !wrong; i++)
            wrong += at[i] < 0 || at[i] >= KINDS || v[at[i]] != data[i];
        ORR_CHECK_MSG(wrong == 0, "turn %d: %s", turn, orr_error_message());
        (void)orr_scope_end(s);
    }
    free(data);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The text of a kernel takes a bounded number of steps. Beyond, the interpreter computes it, and one line of log says so. */
static void texts_that_take_too_long_are_given_up(void)
{
    ORR_NEED_COMPILER();
    char log[4096] = "";
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("log"));
    fflush(stderr);
    int was = dup(STDERR_FILENO), file = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ORR_REQUIRE(was >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    orr__text_steps = 100;
    orr__jit_stats before = orr__jit_get_stats();
    in_turns("wait", 2);
    orr__jit_stats s = orr__jit_get_stats();
    orr__text_steps = ORR__TEXT_STEPS;
    (void)dup2(was, STDERR_FILENO);
    (void)close(was);
    ORR_CHECK(s.compiled == before.compiled && s.disk_hits == before.disk_hits);
    ssize_t n = pread(file, log, sizeof log - 1, 0);
    (void)close(file);
    log[n > 0 ? n : 0] = '\0';
    int lines = 0;
    for (const char *at = log; (at = strstr(at, "takes more than 100 steps")) != NULL; at++)
        lines++;
    ORR_CHECK_MSG(lines >= 1 && lines <= 2 * CASES, "%d lines: %s", lines, log);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(shifted_sums_are_interpreted),          ORR_TEST(shifted_sums_are_compiled),
        ORR_TEST(hot_shifted_sums_are_compiled_beside),  ORR_TEST(places_of_a_million_unique_values),
        ORR_TEST(texts_that_take_too_long_are_given_up), { 0 }
    };
    (void)setenv("ORR_TEST_ALARM", "120", 0);
    return orr_test_main(argc, argv, "api.shifts", tests);
}
