/* Distributed tensors with 1 to 4 ranks under mpirun: random graphs, the calls that read a value, random numbers, variables,
 * errors. The results are those of the reference evaluation, which is of one process.
 * Must not know: how a value moves. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/distribute/local_graph.h"
#include "runtime/engine/block_cyclic.h"
#include "tests/harness/random_graph.h"
#include "tests/harness/ranks.h"

static orr_config engine = { .engine = NULL };

static bool up(void)
{
    bool ok = orr_init(&engine) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void down(void)
{
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
}

static orr_grid *line_of_ranks(void)
{
    return orr_grid_make(1, ((int64_t[]){ -1 }));
}

/* -- values ------------------------------------------------------------------------------------------------------------ */

static void a_sharded_tensor_reads_as_the_whole(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    float data[7 * 3], got[7 * 3];
    for (int i = 0; i < 21; i++)
        data[i] = (float)i;
    orr_tensor *x = orr_shard(orr_from(ORR_F32, ORR_SHAPE(7, 3), data), g, ORR_AXES(0));
    orr_tensor *y = orr_mul(x, orr_scalar(2));
    ORR_CHECK_MSG(orr_eval(y) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_ranks() == 1 ? !strcmp(orr_distribution(y), "replicated")
                               : strstr(orr_distribution(y), "axis 0 over") != NULL);
    ORR_CHECK_MSG(orr_read(y, got, sizeof got) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 21; i++)
        ORR_CHECK(got[i] == 2 * data[i]);
    const float *p = orr_data(y);
    ORR_REQUIRE(p);
    for (int i = 0; i < 21; i++)
        ORR_CHECK(p[i] == 2 * data[i]);
    double sum = 0;
    ORR_CHECK(orr_item(orr_sum(y, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 420);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Elements of a field are exchanged between ranks like others. */
static void elements_of_fields_lie_over_ranks(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    uint64_t want[35][4], got[35][4];
    orr_tensor *x = orr_cast(orr_reshape(orr_arange(ORR_I64, 1, 36, 1), ORR_SHAPE(7, 5)), ORR_FR254);
    ORR_CHECK_MSG(orr_read(orr_field_limbs(orr_field_inverse(x)), want, sizeof want) == ORR_OK, "%s",
                  orr_error_message());
    for (int axis = 0; axis < 2; axis++) {
        orr_tensor *y = orr_field_inverse(orr_shard(x, g, ORR_AXES(axis)));
        ORR_CHECK_MSG(orr_eval(y) == ORR_OK, "%s", orr_error_message());
        y = orr_replicate(orr_redistribute(y, orr_shard(x, g, ORR_AXES(1 - axis))));
        ORR_CHECK_MSG(orr_read(orr_field_limbs(y), got, sizeof got) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(memcmp(want, got, sizeof want) == 0);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

static void random_numbers_do_not_depend_on_the_ranks(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_randn_keyed(ORR_F64, ORR_SHAPE(13, 5), 0, 1, 7);
    double want[65], got[65];
    ORR_CHECK(orr_read(x, want, sizeof want) == ORR_OK);
    orr_tensor *y = orr_shard_cyclic(orr_randn_keyed(ORR_F64, ORR_SHAPE(13, 5), 0, 1, 7), g, ORR_AXES(0), ORR_INDEX(2));
    ORR_CHECK_MSG(orr_read(y, got, sizeof got) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(memcmp(want, got, sizeof got) == 0);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Gradient descent with the batch sharded over the ranks and replicated weights: the losses of one process. */
static void variables_learn_alike(void)
{
    double loss[2][4];
    ORR_REQUIRE(up());
    orr_grid *g = line_of_ranks();
    for (int sharded = 0; sharded < 2; sharded++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(22, 6), 0, 1, 1);
        orr_tensor *y = orr_randn_keyed(ORR_F32, ORR_SHAPE(22, 2), 0, 1, 2);
        orr_tensor *w = orr_variable(orr_randn_keyed(ORR_F32, ORR_SHAPE(6, 2), 0, 0.3, 3));
        orr_tensor *b = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(2)));
        if (sharded) {
            x = orr_shard(x, g, ORR_AXES(0));
            y = orr_shard(y, g, ORR_AXES(0));
        }
        for (int step = 0; step < 4; step++) {
            orr_scope *in = orr_scope_begin();
            orr_tensor *d = orr_sub(orr_add(orr_matmul(x, w), b), y), *grad[2];
            orr_tensor *l = orr_mean(orr_mul(d, d), ORR_ALL_AXES, false);
            ORR_CHECK(orr_grad(l, (orr_tensor *const[]){ w, b }, 2, grad) == ORR_OK);
            ORR_CHECK(orr_assign(w, orr_sub(w, orr_mul(grad[0], orr_scalar(0.1)))) == ORR_OK);
            ORR_CHECK(orr_assign(b, orr_sub(b, orr_mul(grad[1], orr_scalar(0.1)))) == ORR_OK);
            ORR_CHECK_MSG(orr_item(l, &loss[sharded][step]) == ORR_OK, "%s", orr_error_message());
            (void)orr_scope_end(in);
        }
        ORR_CHECK(!strcmp(orr_distribution(w), "replicated"));
        (void)orr_scope_end(s);
    }
    for (int step = 0; step < 4; step++)
        ORR_CHECK_MSG(fabs(loss[0][step] - loss[1][step]) < 1e-5 * loss[0][step], "step %d: %g, %g", step,
                      loss[0][step], loss[1][step]);
    orr_grid_free(g);
    down();
}

/* -- steps that repeat ------------------------------------------------------------------------------------------------ */

static orr_tensor *loss_of(orr_tensor *x, orr_tensor *w, double rate)
{
    orr_tensor *y = orr_matmul(x, w), *l = orr_mean(orr_mul(y, y), ORR_ALL_AXES, false), *g;
    ORR_CHECK(orr_grad(l, &w, 1, &g) == ORR_OK);
    ORR_CHECK(orr_assign(w, orr_sub(w, orr_mul(g, orr_scalar(rate)))) == ORR_OK);
    return l;
}

/* Also with other values of leaves and scalars, and with other buffers. */
static void steps_are_partitioned_once(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *v[2] = { orr_variable(orr_randn_keyed(ORR_F64, ORR_SHAPE(6, 2), 0, 0.3, 3)),
                         orr_variable(orr_randn_keyed(ORR_F64, ORR_SHAPE(6, 2), 0, 0.3, 3)) };
    uint64_t made = 0;
    for (int step = 0; step < 6; step++) {
        orr_scope *in = orr_scope_begin();
        orr_tensor *x = orr_randn_keyed(ORR_F64, ORR_SHAPE(22, 6), 0, 1, (uint64_t)step);
        double loss[2] = { 0 }, rate = 0.1 / (1 + step);
        orr_tensor *part = orr_shard(x, g, ORR_AXES(0));
        ORR_CHECK(orr_eval(part) == ORR_OK);
        ORR_CHECK_MSG(orr_item(loss_of(part, v[0], rate), &loss[0]) == ORR_OK, "%s", orr_error_message());
        if (step == 1)
            made = orr__local_graph_count().made;
        ORR_CHECK(step < 1 || orr__local_graph_count().made == made);
        ORR_CHECK(orr_item(loss_of(x, v[1], rate), &loss[1]) == ORR_OK);
        ORR_CHECK_MSG(fabs(loss[0] - loss[1]) <= 1e-12 * loss[1], "step %d: %.17g, %.17g", step, loss[0], loss[1]);
        (void)orr_scope_end(in);
    }
    double w[2][12];
    ORR_CHECK(orr_read(v[0], w[0], sizeof w[0]) == ORR_OK && orr_read(v[1], w[1], sizeof w[1]) == ORR_OK);
    for (int i = 0; i < 12; i++)
        ORR_CHECK(fabs(w[0][i] - w[1][i]) < 1e-12);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* In a repeated step one rank has another scalar, then another operation. */
static void another_graph_is_noticed_in_a_later_step(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_shard(orr_ones(ORR_F64, ORR_SHAPE(8)), g, ORR_AXES(0));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int step = 0; step < 9; step++) {
        bool other = step % 3 == 2 && orr_rank() == orr_ranks() - 1 && orr_ranks() > 1;
        double by = other && step < 6 ? 3 : 2, sum = 0;
        orr_tensor *y = orr_mul(x, orr_scalar(by));
        y = other && step > 6 ? orr_exp(y) : orr_abs(y);
        orr_status st = orr_item(orr_sum(y, ORR_ALL_AXES, false), &sum);
        if (step % 3 == 2 && orr_ranks() > 1)
            ORR_CHECK_MSG(st == ORR_ERANK && strstr(orr_error_message(), "tensors.c"), "%s", orr_error_message());
        else
            ORR_CHECK_MSG(st == ORR_OK && sum == 16, "step %d: %g %s", step, sum, orr_error_message());
    }
    orr_error_clear();
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Captured values, submitted values and variables that are distributed over ranks, in changing ways. */
static void a_built_graph_takes_what_lies_over_ranks(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *a = orr_randn_keyed(ORR_F64, ORR_SHAPE(10, 6), 0, 1, 1),
               *b = orr_randn_keyed(ORR_F64, ORR_SHAPE(6, 4), 0, 1, 2);
    orr_tensor *w = orr_variable(b), *x = orr_placeholder(ORR_F64, ORR_SHAPE(10, 6));
    orr_tensor *c = orr_shard(orr_arange(ORR_F64, 0, 10, 1), g, ORR_AXES(0));
    orr_tensor *plain_c = orr_reshape(orr_arange(ORR_F64, 0, 10, 1), ORR_SHAPE(10, 1));
    for (int captured = 0; captured < 2; captured++) {
        orr_tensor *out = orr_matmul(x, w); /* the variable's present value */
        if (captured)
            out = orr_add(out, orr_reshape(c, ORR_SHAPE(10, 1)));
        orr_graph *graph = orr_graph_build(&x, 1, &out, 1);
        ORR_REQUIRE(graph);
        for (int step = 0; step < 8; step++) {
            orr_tensor *v = orr_mul(a, orr_scalar(step + 1)), *r;
            v = step % 3 == 0 ? v : step % 3 == 1 ? orr_shard(v, g, ORR_AXES(0)) : orr_shard(v, g, ORR_AXES(1));
            orr_tensor *now = orr_mul(b, orr_scalar(step + 0.5));
            ORR_CHECK(orr_assign(w, step < 5 ? now : orr_shard(now, g, ORR_AXES(step % 2))) == ORR_OK);
            double got[40], want[40];
            orr_event *event = NULL;
            ORR_CHECK_MSG(orr_graph_submit(graph, &v, 1, &r, 1, step % 2 ? &event : NULL) == ORR_OK, "%s",
                          orr_error_message());
            ORR_CHECK(!event || orr_wait(event) == ORR_OK);
            orr_tensor *same = orr_matmul(orr_mul(a, orr_scalar(step + 1)), now);
            ORR_CHECK(orr_read(captured ? orr_add(same, plain_c) : same, want, sizeof want) == ORR_OK);
            ORR_CHECK_MSG(orr_read(r, got, sizeof got) == ORR_OK, "%s", orr_error_message());
            for (int i = 0; i < 40; i++)
                ORR_CHECK_MSG(fabs(got[i] - want[i]) < 1e-12 * (1 + fabs(want[i])), "%d %d: %g %g", captured, step,
                              got[i], want[i]);
            if (captured && step == 1 && orr_ranks() > 1)
                ORR_CHECK_MSG(strstr(orr_distribution(r), "axis 0 over"), "%s", orr_distribution(r));
        }
        ORR_CHECK(orr_graph_free(graph) == ORR_OK);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- errors ----------------------------------------------------------------------------------------------------------- */

static void different_graphs_are_reported_with_both_lines(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_shard(orr_ones(ORR_F32, ORR_SHAPE(8)), g, ORR_AXES(0)), *y;
    int first = __LINE__ + 2;
    if (orr_rank() == 0)
        y = orr_exp(x);
    else
        y = orr_sin(x);
    orr_status st = orr_eval(y);
    if (orr_ranks() == 1) {
        ORR_CHECK(st == ORR_OK);
    } else {
        char a[64], b[64];
        (void)snprintf(a, sizeof a, "tensors.c:%d: exp", first);
        (void)snprintf(b, sizeof b, "tensors.c:%d: sin", first + 2);
        ORR_CHECK(st == ORR_ERANK);
        ORR_CHECK_MSG(strstr(orr_error_message(), a) && strstr(orr_error_message(), b) &&
                          strstr(orr_error_message(), "rank 1 has"),
                      "%s", orr_error_message());
    }
    double v = 0; /* the next evaluation works */
    ORR_CHECK_MSG(orr_item(orr_sum(x, ORR_ALL_AXES, false), &v) == ORR_OK && v == 8, "%s", orr_error_message());
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Rank 0 evaluates a whole tensor, which the ranks then use together, has a variable of its own, and reads values while an assignment over ranks
 * is pending; the sums are right on all ranks. Numbers that differ in what the ranks compute alone are noticed. */
static void rank_0_evaluates_and_assigns_alone(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    bool first = orr_rank() == 0;
    double got = 0, mine = 0;
    orr_tensor *a = orr_mul(orr_arange(ORR_F64, 0, 10, 1), orr_scalar(2)), *b = orr_add(a, orr_scalar(1));
    orr_tensor *x = orr_shard(orr_ones(ORR_F64, ORR_SHAPE(10)), g, ORR_AXES(0)), *w = orr_variable(x);
    orr_tensor *log = first ? orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1))) : NULL;
    if (first)
        ORR_CHECK(orr_eval(b) == ORR_OK);
    for (int step = 1; step < 5; step++) {
        ORR_CHECK(orr_assign(w, orr_add(w, x)) == ORR_OK);
        if (first) {
            ORR_CHECK(orr_assign(log, orr_add(log, orr_scalar(1))) == ORR_OK);
            if (step > 2)
                ORR_CHECK_MSG(orr_item(log, &mine) == ORR_OK && mine == step, "%g %s", mine, orr_error_message());
            if (step == 4)
                ORR_CHECK_MSG(orr_eval(a) == ORR_OK, "%s", orr_error_message());
        }
        orr_tensor *l = orr_sum(orr_mul(w, orr_add(a, b)), ORR_ALL_AXES, false);
        ORR_CHECK_MSG(orr_item(l, &got) == ORR_OK && got == 190 * (step + 1), "step %d: %g %s", step, got,
                      orr_error_message());
    }
    for (int time = 0; time < 2 && orr_ranks() > 1; time++) {
        orr_tensor *l = orr_mul(x, orr_exp(orr_scalar(first ? 3 : 4)));
        ORR_CHECK_MSG(orr_eval(l) == ORR_ERANK && strstr(orr_error_message(), "rank 0 has ") &&
                          strstr(orr_error_message(), "const of 20.08") &&
                          strstr(orr_error_message(), "const of 54.59"),
                      "%s", orr_error_message());
    }
    orr_error_clear();
    ORR_CHECK_MSG(orr_item(orr_sum(w, ORR_ALL_AXES, false), &got) == ORR_OK && got == 50, "%s", orr_error_message());
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Printing, reading and saving are collective calls: a call by rank 0 alone meets another call of the others. All ranks
 * continue. */
static void ranks_at_different_calls_are_told_where(void)
{
    if (orr_test_ranks() < 2)
        return;
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    double sum = 0;
    orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0, 10, 1), g, ORR_AXES(0));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int way = 0; way < 3; way++) {
        char file[64];
        (void)snprintf(file, sizeof file, "%s/alone.npy", getenv("ORR_TEST_RANKS"));
        orr_status st = orr_rank() > 0 ? orr_barrier()
                        : way == 0     ? orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum)
                        : way == 1     ? orr_save(file, x)
                                       : orr_print(stdout, x);
        const char *text = orr_error_message(), *name = way == 1 ? "save" : ": ";
        ORR_CHECK_MSG(st == ORR_ERANK && strstr(text, "at different calls: rank 0 at ") && strstr(text, name) &&
                          strstr(text, ": barrier"),
                      "%s", text);
        ORR_CHECK_MSG(orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 45, "%s",
                      orr_error_message());
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

static void a_failure_of_one_rank_is_told_to_all(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    int64_t n = 4 * orr_ranks();
    double *a = calloc((size_t)n * 4, sizeof *a); /* one of the last rank's matrices is not positive definite */
    for (int64_t i = 0; i < n; i++)
        a[4 * i] = a[4 * i + 3] = i == n - 1 ? -1 : 1;
    orr_tensor *x = orr_shard(orr_from(ORR_F64, ORR_SHAPE(n, 2, 2), a), g, ORR_AXES(0));
    orr_status st = orr_eval(orr_sum(orr_cholesky(x), ORR_ALL_AXES, false));
    bool mine = orr_rank() == orr_ranks() - 1;
    ORR_CHECK_MSG(st == (mine ? ORR_ENUMERIC : ORR_ERANK), "%s: %s", orr_status_name(st), orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), "positive"), "%s", orr_error_message());
    free(a);
    double all = 0;
    ORR_CHECK(orr_item(orr_sum(orr_shard(orr_ones(ORR_F64, ORR_SHAPE(n)), g, ORR_AXES(0)), ORR_ALL_AXES, false),
                       &all) == ORR_OK &&
              all == (double)n);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- matrices in blocks over a grid: by tiles of all ranks if the engine has them, else gathered ---------------------------- */

static void blocks_on(int64_t rows, int64_t n, int64_t block)
{
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ rows, -1 }));
    orr_tensor *a = orr_randn_keyed(ORR_F64, ORR_SHAPE(n, n), 0, 1, 5);
    orr_tensor *spd =
        orr_add(orr_matmul(a, orr_transpose(a)), orr_mul(orr_eye(ORR_F64, n, n, 0), orr_scalar((double)n)));
    double *want = malloc(2 * (size_t)(n * n) * sizeof *want), *got = want + n * n;
    orr_tensor *x = orr_shard_cyclic(spd, g, ORR_AXES(0, 1), ORR_INDEX(block, block));
    orr_tensor *y = orr_shard_cyclic(a, g, ORR_AXES(0, 1), ORR_INDEX(block, 5));
    /* Values before and after; sums over ranks before a factorisation; factorisations in sequence. */
    orr_tensor *plain[] = { orr_matmul(spd, a), orr_exp(orr_cholesky(spd)),
                            orr_cholesky(orr_div(spd, orr_mean(orr_abs(spd), ORR_ALL_AXES, false))),
                            orr_sum(orr_matmul(orr_cholesky(spd), orr_cholesky(orr_mul(spd, orr_scalar(2)))),
                                    ORR_AXES(1), true) };
    orr_tensor *over[] = {
        orr_matmul(x, y), orr_exp(orr_cholesky(x)), orr_cholesky(orr_div(x, orr_mean(orr_abs(x), ORR_ALL_AXES, false))),
        orr_sum(orr_matmul(orr_cholesky(x), orr_cholesky(orr_mul(x, orr_scalar(2)))), ORR_AXES(1), true)
    };
    for (size_t k = 0; k < sizeof over / sizeof *over; k++) {
        double most = 0;
        int64_t count = k == 3 ? n : n * n;
        ORR_CHECK_MSG(orr_read(plain[k], want, (size_t)count * sizeof *want) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(orr_read(over[k], got, (size_t)count * sizeof *got) == ORR_OK, "%s", orr_error_message());
        for (int64_t i = 0; i < count; i++)
            most = fmax(most, fabs(got[i] - want[i]) / (1 + fabs(want[i])));
        ORR_CHECK_MSG(most < 1e-10, "graph %zu on %lld rows of ranks: %g", k, (long long)rows, most);
    }
    free(want);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ORR_REQUIRE(f);
    ORR_CHECK_MSG(orr_explain(f, orr_exp(orr_cholesky(x))) == ORR_OK, "%s", orr_error_message());
    (void)fclose(f);
    ORR_CHECK_MSG((strstr(text, "by all ranks together") != NULL) == (orr_ranks() > 1 && orr__block_cyclic_can()), "%s",
                  text);
    free(text);
    orr_grid_free(g);
    (void)orr_scope_end(s);
}

/* Cumulative sums along the sharded axis, and along the other. */
static void explanations_tell_what_every_rank_computes(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_shard(orr_ones(ORR_F64, ORR_SHAPE(8, 6)), g, ORR_AXES(0));
    for (int axis = 0; axis < 2; axis++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        ORR_REQUIRE(f);
        ORR_CHECK_MSG(orr_explain(f, orr_cumulative_sum(x, axis, false)) == ORR_OK, "%s", orr_error_message());
        (void)fclose(f);
        const char *line = strstr(text, "cumulative_sum float64 (8, 6): replicated, every rank computes all of it");
        ORR_CHECK_MSG((line != NULL) == (orr_ranks() > 1 && axis == 0), "%s", text);
        free(text);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

static void matrices_in_blocks_multiply_and_factorise(void)
{
    ORR_REQUIRE(up());
    for (int64_t rows = 1; rows <= orr_ranks(); rows++)
        if (orr_ranks() % rows == 0) {
            blocks_on(rows, 37, 8);
            blocks_on(rows, 3, 2);
        }
    down();
}

/* The same error on every rank, and the ranks continue. */
static void an_indefinite_matrix_is_an_error_on_all_ranks(void)
{
    ORR_REQUIRE(up());
    for (int64_t rows = 1; rows <= 2 && orr_ranks() % rows == 0; rows++) {
        orr_scope *s = orr_scope_begin();
        orr_grid *g = orr_grid_make(2, ((int64_t[]){ rows, -1 }));
        orr_tensor *i = orr_arange(ORR_F64, 0, 20, 1),
                   *d = orr_where(orr_equal(i, orr_scalar(13)), orr_scalar(-1), orr_add(i, orr_scalar(1)));
        orr_tensor *x = orr_shard_cyclic(orr_mul(orr_eye(ORR_F64, 20, 20, 0), d), g, ORR_AXES(0, 1), ORR_INDEX(3, 3));
        ORR_CHECK(orr_eval(orr_cholesky(x)) == ORR_ENUMERIC);
        ORR_CHECK_MSG(strstr(orr_error_message(), "order 14") != NULL, "%s", orr_error_message());
        double sum = 0;
        ORR_CHECK_MSG(orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 195, "%g %s", sum,
                      orr_error_message());
        orr_grid_free(g);
        (void)orr_scope_end(s);
    }
    down();
}

/* -- files ------------------------------------------------------------------------------------------------------------- */

/* Rank 0's path: it writes the file, which the others could not. */
static const char *of_rank_0(const char *path)
{
    return orr_rank() == 0 ? path : "/nowhere/at/all.npy";
}

static void a_sharded_tensor_is_saved_by_one_rank(void)
{
    static const char *const name[] = { "npy", "npz", "safetensors", "csv" };
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    double got[35], sum = 0;
    orr_tensor *x = orr_shard(orr_reshape(orr_arange(ORR_F64, 0, 35, 1), ORR_SHAPE(7, 5)), g, ORR_AXES(0));
    for (int f = 0; f < 4; f++) {
        char path[1024], file[64];
        (void)snprintf(file, sizeof file, "saved%d.%s", orr_ranks(), name[f]);
        (void)snprintf(path, sizeof path, "%s", orr_test_tmp(file));
        const char *to = f == 0 ? of_rank_0(path) : path;
        ORR_CHECK_MSG(orr_save(to, x) == ORR_OK, "%s: %s", name[f], orr_error_message());
        if (orr_rank() == 0) {
            ORR_CHECK_MSG(orr_read(orr_load(path), got, sizeof got) == ORR_OK, "%s", orr_error_message());
            for (int i = 0; i < 35; i++)
                ORR_CHECK(got[i] == i);
            (void)remove(path);
        }
        (void)snprintf(path, sizeof path, "/nowhere/at/all.%s", name[f]);
        ORR_CHECK(orr_save(path, x) == ORR_EIO && strstr(orr_error_message(), "/nowhere/at/all") != NULL);
        ORR_CHECK(orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 595);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Formats whose writers need the whole value. */
static void images_and_hdf5_files_are_written_by_one_rank(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_cast(orr_reshape(orr_arange(ORR_I32, 0, 105, 1), ORR_SHAPE(7, 5, 3)), ORR_U8);
    orr_tensor *y = orr_shard(x, g, ORR_AXES(0));
    for (int f = 0; f < 2; f++) {
        char path[1024], file[64];
        uint8_t want[105], got[105] = { 0 };
        (void)snprintf(file, sizeof file, "picture%d.%s", orr_ranks(), f ? "h5" : "png");
        (void)snprintf(path, sizeof path, "%s", orr_test_tmp(file));
        const char *name = "x", *to = of_rank_0(path);
        if (f == 0)
            to = orr_rank() == 0 ? path : "/nowhere/at/all.png";
        orr_status st = f ? orr_save_hdf5(to, &name, 1, &y, 1) : orr_save_image(to, y, 0);
        if (st == ORR_EDEVICE) /* without the library */
            continue;
        ORR_CHECK_MSG(st == ORR_OK, "%s: %s", file, orr_error_message());
        if (orr_rank() == 0) {
            ORR_CHECK(orr_read(x, want, sizeof want) == ORR_OK);
            ORR_CHECK_MSG(orr_read(f ? orr_load_hdf5(path, "x") : orr_load(path), got, sizeof got) == ORR_OK, "%s",
                          orr_error_message());
            ORR_CHECK(!memcmp(want, got, sizeof got));
            (void)remove(path);
        }
        st = f ? orr_save_hdf5("/nowhere/at/all.h5", &name, 1, &y, 1) : orr_save_image("/nowhere/at/all.png", y, 0);
        ORR_CHECK(st == ORR_EIO && strstr(orr_error_message(), "/nowhere/at/all") != NULL);
    }
    orr_error_clear();
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

static bool file_is(const char *path, const void *want, size_t bytes)
{
    FILE *f = fopen(path, "rbe");
    char *got = malloc(bytes + 1);
    bool ok = f && got && fseek(f, -(long)bytes, SEEK_END) == 0 && fread(got, 1, bytes, f) == bytes &&
              !memcmp(got, want, bytes);
    if (f)
        (void)fclose(f);
    free(got);
    return ok;
}

/* Arrays of several pieces in block-cyclic distributions over a grid, some of whose ranks have equal pieces. */
static void large_arrays_are_saved_piece_by_piece(void)
{
    enum { ROWS = 700, COLS = 901, BYTES = ROWS * COLS * 16 };
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    int n = orr_ranks();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ n % 2 ? 1 : 2, -1 }));
    orr_tensor *re = orr_reshape(orr_arange(ORR_F64, 0, ROWS * COLS, 1), ORR_SHAPE(ROWS, COLS));
    orr_tensor *z = orr_complex(re, orr_neg(re));
    orr_tensor *over[] = { orr_shard_cyclic(z, g, ORR_AXES(1, 0), ORR_INDEX(3, 5)),
                           orr_shard_cyclic(z, g, ORR_AXES(ORR_WHOLE, 1), ORR_INDEX(0, 7)),
                           orr_shard(z, g, ORR_AXES(0)) };
    double *want = malloc(BYTES);
    ORR_REQUIRE(want && orr_read(z, want, BYTES) == ORR_OK);
    for (int k = 0; k < 3; k++) {
        char path[1024], file[64];
        ORR_CHECK_MSG(orr_eval(over[k]) == ORR_OK, "%s", orr_error_message());
        if (!strcmp(orr_distribution(over[k]), "replicated")) /* over an axis of one rank */
            continue;
        (void)snprintf(file, sizeof file, "pieces%d.npy", n);
        (void)snprintf(path, sizeof path, "%s", orr_test_tmp(file));
        ORR_CHECK_MSG(orr_save(of_rank_0(path), over[k]) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(orr_rank() != 0 || file_is(path, want, BYTES), "way %d", k);
        if (orr_rank() == 0)
            (void)remove(path);
        (void)snprintf(file, sizeof file, "pieces%d.npz", n);
        (void)snprintf(path, sizeof path, "%s", orr_test_tmp(file));
        const char *name[] = { "a", "b" };
        orr_tensor *both[] = { over[k], orr_reshape(re, ORR_SHAPE(COLS, ROWS)) };
        ORR_CHECK_MSG(orr_save_npz(of_rank_0(path), name, 2, both, 2) == ORR_OK, "%s", orr_error_message());
        double *got = calloc(1, BYTES);
        if (orr_rank() == 0) {
            ORR_CHECK_MSG(got && orr_read(orr_load_npz(path, "a"), got, BYTES) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK_MSG(got && !memcmp(got, want, BYTES), "way %d", k);
            ORR_CHECK_MSG(got && orr_read(orr_load_npz(path, "b"), got, BYTES / 2) == ORR_OK, "%s",
                          orr_error_message());
            (void)remove(path);
        }
        free(got);
    }
    free(want);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* No rank has memory for the whole array. */
static void a_save_needs_no_room_for_the_whole(void)
{
    enum { MB = 48 };
    if (orr_test_ranks() < 3)
        return;
    (void)setenv("ORRERY_MEMORY_LIMIT", "40M", 1);
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0, MB << 17, 1), g, ORR_AXES(0));
    static const char *const suffix[] = { "npy", "safetensors" };
    ORR_CHECK_MSG(orr_eval(x) == ORR_OK, "%s", orr_error_message());
    for (int f = 0; f < 2; f++) {
        char path[1024], file[64];
        double last[1000];
        (void)snprintf(file, sizeof file, "large%d.%s", orr_ranks(), suffix[f]);
        (void)snprintf(path, sizeof path, "%s", orr_test_tmp(file));
        for (int i = 0; i < 1000; i++)
            last[i] = (MB << 17) - 1000 + i;
        ORR_CHECK_MSG(orr_save(path, x) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_rank() != 0 || file_is(path, last, sizeof last));
        if (orr_rank() == 0)
            (void)remove(path);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_MEMORY_LIMIT");
}

/* Kilobytes of the file that are resident in this process. */
static long resident(const char *path)
{
    char line[4096];
    long sum = 0;
    bool ours = false;
    FILE *f = fopen("/proc/self/smaps", "re");
    while (f && fgets(line, sizeof line, f))
        if (line[0] >= 'A' && line[0] <= 'Z') /* a number of the mapping in the previous line */
            sum += ours && !strncmp(line, "Rss:", 4) ? strtol(line + 4, NULL, 10) : 0;
        else
            ours = strstr(line, path) != NULL;
    if (f)
        (void)fclose(f);
    return sum;
}

static void a_rank_reads_its_part_of_a_mapped_file(void)
{
    enum { ROWS = 4096, COLS = 1024 };
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    char head[ORR_NPY_HEADER], path[1024];
    const char *all_ranks = getenv("ORR_TEST_RANKS");
    (void)snprintf(path, sizeof path, "%s/part.npy", all_ranks ? all_ranks : orr_test_tmp("."));
    size_t n = orr_npy_header(ORR_F64, ORR_SHAPE(ROWS, COLS), head);
    if (orr_rank() == 0) { /* a sparse file of zeros, and the last element */
        double last = 7;
        FILE *f = fopen(path, "wbe");
        ORR_CHECK(f && fwrite(head, 1, n, f) == n);
        ORR_CHECK(f && fseek(f, (long)sizeof last * (ROWS * COLS - 1), SEEK_CUR) == 0 &&
                  fwrite(&last, sizeof last, 1, f) == 1 && fclose(f) == 0);
    }
    ORR_CHECK(orr_barrier() == ORR_OK);
    for (int load = 0; load < 2; load++) {
        orr_scope *one = orr_scope_begin();
        orr_tensor *x = orr_shard(load ? orr_load(path) : orr_map_npy(path), g, ORR_AXES(0));
        ORR_CHECK_MSG(orr_eval(x) == ORR_OK, "%s", orr_error_message());
        long kb = resident(path), all = ROWS * COLS * 8 / 1024;
        ORR_CHECK_MSG(kb <= all / orr_ranks() + all / 16, "%ld of %ld kB", kb, all);
        double sum = 0;
        ORR_CHECK(orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 7);
        (void)orr_scope_end(one);
    }
    ORR_CHECK(orr_barrier() == ORR_OK);
    if (orr_rank() == 0)
        (void)remove(path);
    ORR_CHECK(orr_tensor_status(orr_map_npy("/no/such/file.npy")) == ORR_EIO);
    orr_error_clear();
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- random graphs ----------------------------------------------------------------------------------------------------- */

static bool near(orr_dtype d, orr__scalar got, orr__scalar want, double err)
{
    if (!orr__is_float(d))
        return got.u == want.u;
    if (!isfinite(want.f) || !isfinite(got.f))
        return isnan(want.f) ? isnan(got.f) : got.f == want.f;
    return fabs(got.f - want.f) <= err;
}

/* Every leaf has a random distribution; the seed draws the same for all ranks. */
static bool one_graph(unsigned long long seed, orr_grid *const *grids, int ngrids)
{
    rg_graph g;
    orr_scope *s = orr_scope_begin();
    rg_build(&g, seed, RG_VALUES);
    int last = g.n - 1;
    orr_grid *grid = grids[rg_pick(&g, ngrids)];
    orr_tensor *t = g.v[last].t, *out = t;
    if (orr_tensor_shape(t).rank > 0)
        out = orr_shard_cyclic(t, grid, ORR_AXES(rg_pick(&g, orr_tensor_shape(t).rank)), ORR_INDEX(rg_pick(&g, 3)));
    orr_tensor *half = g.v[last / 2].t;
    if (orr_tensor_shape(half).rank > 0) /* evaluated before, and a slice of it */
        (void)orr_eval(orr_shard(half, grid, ORR_AXES(0)));
    orr__scalar *got = help_engine(out);
    bool ok = got != NULL;
    orr_dtype d = orr_tensor_dtype(t);
    for (int64_t k = 0; ok && k < orr_tensor_size(t) * help_parts(d); k++)
        ok = near(orr__part_dtype(d), got[k], g.v[last].v[k], g.v[last].err ? g.v[last].err[k] : 0);
    free(got);
    rg_end(&g);
    (void)orr_scope_end(s);
    return ok;
}

static void random_graphs_agree_with_the_reference(void)
{
    ORR_REQUIRE(up());
    int64_t n = orr_ranks();
    orr_grid *grids[2] = { line_of_ranks(), orr_grid_make(2, ((int64_t[]){ n % 2 ? 1 : 2, -1 })) };
    int failures = 0, count = atoi(rg_count("60"));
    for (unsigned long long seed = 5000; seed < 5000 + (unsigned long long)count && failures < 3; seed++) {
        orr_test_alarm();
        bool ok = one_graph(seed, grids, 2);
        failures += !ok;
        ORR_CHECK_MSG(ok, "seed %llu: %s", seed, orr_error_message());
    }
    orr_grid_free(grids[0]);
    orr_grid_free(grids[1]);
    down();
}

static void the_serial_engine_does_the_same(void)
{
    engine.engine = "serial";
    random_graphs_agree_with_the_reference();
    variables_learn_alike();
    engine.engine = NULL;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_sharded_tensor_reads_as_the_whole),
                                      ORR_TEST(elements_of_fields_lie_over_ranks),
                                      ORR_TEST(random_numbers_do_not_depend_on_the_ranks),
                                      ORR_TEST(variables_learn_alike),
                                      ORR_TEST(different_graphs_are_reported_with_both_lines),
                                      ORR_TEST(rank_0_evaluates_and_assigns_alone),
                                      ORR_TEST(ranks_at_different_calls_are_told_where),
                                      ORR_TEST(explanations_tell_what_every_rank_computes),
                                      ORR_TEST(matrices_in_blocks_multiply_and_factorise),
                                      ORR_TEST(a_sharded_tensor_is_saved_by_one_rank),
                                      ORR_TEST(images_and_hdf5_files_are_written_by_one_rank),
                                      ORR_TEST(large_arrays_are_saved_piece_by_piece),
                                      ORR_TEST(a_save_needs_no_room_for_the_whole),
                                      ORR_TEST(a_rank_reads_its_part_of_a_mapped_file),
                                      ORR_TEST(steps_are_partitioned_once),
                                      ORR_TEST(another_graph_is_noticed_in_a_later_step),
                                      ORR_TEST(a_built_graph_takes_what_lies_over_ranks),
                                      ORR_TEST(an_indefinite_matrix_is_an_error_on_all_ranks),
                                      ORR_TEST(random_graphs_agree_with_the_reference),
                                      ORR_TEST(the_serial_engine_does_the_same),
                                      ORR_TEST(a_failure_of_one_rank_is_told_to_all),
                                      { 0 } };
    static const int sizes[] = { 1, 2, 3, 4, 0 };
    return orr_test_ranks_main(argc, argv, "distribute.tensors", tests, sizes);
}
