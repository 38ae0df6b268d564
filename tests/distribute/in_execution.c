/* Failures of one rank while the ranks compute: all ranks have an error that names it, and go on; the next evaluation is right. A test that takes
 * too long ends the rank.
 * Must not know: how the ranks agree. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/pool.h"
#include "tests/harness/cancel_help.h"
#include "tests/harness/ranks.h"

enum { N = 24, DEADLINE = 60 /* seconds of one test */ };

#include "tests/distribute/odd_rank.h"

static orr_tensor *sum(orr_tensor *t)
{
    return orr_sum(t, ORR_ALL_AXES, false);
}

/* -- what fails ---------------------------------------------------------------------------------------------------------------- */

static int refuses(const orr_kernel_args *a)
{
    size_t n = 1;
    for (int i = 0; i < a->in[0].shape.rank; i++)
        n *= (size_t)a->in[0].shape.dim[i];
    memcpy(a->out, a->in[0].data, n * sizeof(double));
    (void)snprintf(a->message, a->message_size, "no licence");
    return mine() ? 7 : 0;
}

static orr_tensor *refused(orr_tensor *x)
{
    static const orr_kernel_def def = { .name = "refuses", .n_inputs = 1, .cpu = refuses };
    static const orr_op *op;
    op = op ? op : orr_define_kernel(&def);
    return orr_apply(op, ORR_TENSORS(x));
}

static orr_tensor *before_the_first(orr_grid *g)
{
    return orr_add(sum(orr_add(ramp(g), refused(orr_ones(ORR_F64, ORR_SHAPE(N, N))))), sum(orr_sin(ramp(g))));
}

/* Exchanges before and behind it. */
static orr_tensor *between(orr_grid *g)
{
    orr_tensor *x = ramp(g);
    for (int k = 0; k < 6; k++) {
        orr_tensor *all = orr_mul(sum(x), orr_scalar(1e-3));
        x = orr_add(orr_matmul(orr_cos(x), orr_transpose(x)), k == 3 ? refused(all) : all);
    }
    return x;
}

static orr_tensor *after_the_last(orr_grid *g)
{
    return refused(orr_mul(sum(ramp(g)), orr_scalar(2)));
}

/* The ranks have other values: on the odd one the matrix is not positive definite. */
static orr_tensor *indefinite(orr_grid *g)
{
    double a[4] = { 2, 1, 1, mine() ? -2 : 2 };
    orr_tensor *l = orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(2, 2), a));
    return orr_add(sum(ramp(g)), orr_mul(sum(l), sum(orr_sin(ramp(g)))));
}

/* The odd rank's file is truncated after the record. */
static orr_tensor *truncated(orr_grid *g)
{
    char path[1100], header[ORR_NPY_HEADER];
    double row[N * N];
    (void)snprintf(path, sizeof path, "%s/own%d.npy", getenv("ORR_TEST_RANKS"), orr_rank());
    size_t n = orr_npy_header(ORR_F64, ORR_SHAPE(64, N * N), header);
    FILE *f = fopen(path, "w");
    ORR_CHECK(f && fwrite(header, 1, n, f) == n);
    for (int i = 0; i < N * N; i++)
        row[i] = i;
    for (int i = 0; f && i < 64; i++)
        ORR_CHECK(fwrite(row, sizeof row, 1, f) == 1);
    ORR_CHECK(f && fclose(f) == 0);
    orr_tensor *x = orr_load(path);
    ORR_CHECK(truncate(path, mine() ? 100 : (off_t)(n + 64 * sizeof row)) == 0);
    return orr_add(orr_mul(sum(orr_cos(ramp(g))), sum(x)), sum(orr_sin(ramp(g))));
}

/* No exchange at all. */
static orr_tensor *apart(orr_grid *g)
{
    return orr_add(orr_mul(ramp(g), orr_scalar(3)), refused(orr_ones(ORR_F64, ORR_SHAPE(1))));
}

static const struct {
    orr_tensor *(*of)(orr_grid *g);
    orr_status own;
    const char *words;
} reasons[] = { { before_the_first, ORR_EDEVICE, "no licence" },
                { between, ORR_EDEVICE, "no licence" },
                { after_the_last, ORR_EDEVICE, "no licence" },
                { indefinite, ORR_ENUMERIC, "positive definite" },
                { truncated, ORR_EIO, "truncated" },
                { apart, ORR_EDEVICE, "no licence" } };
enum { REASONS = sizeof reasons / sizeof *reasons };

/* -- calls that evaluate ------------------------------------------------------------------------------------------------------- */

typedef orr_status way(orr_tensor *t, orr_grid *g);

static orr_status by_eval(orr_tensor *t, orr_grid *g)
{
    (void)g;
    return orr_eval(t);
}

static orr_status by_list(orr_tensor *t, orr_grid *g)
{
    return orr_eval_all(ORR_TENSORS(ramp(g), t));
}

static orr_status by_read(orr_tensor *t, orr_grid *g)
{
    double got;
    (void)g;
    return orr_item(sum(t), &got);
}

static orr_status by_event(orr_tensor *t, orr_grid *g)
{
    orr_event *e = NULL;
    orr_status st = orr_eval_async(&t, 1, &e);
    (void)g;
    return st == ORR_OK ? orr_wait(e) : st;
}

static orr_status by_limit(orr_tensor *t, orr_grid *g)
{
    (void)g;
    return orr_eval_for(t, 20);
}

static orr_status by_limit_of_one(orr_tensor *t, orr_grid *g)
{
    (void)g;
    return orr_rank() == 0 ? orr_eval_for(t, 20) : orr_eval(t);
}

static orr_status by_graph(orr_tensor *t, orr_grid *g)
{
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(N, N)), *out = orr_add(t, p), *r = NULL, *x = ramp(g);
    orr_graph *graph = orr_graph_build(&p, 1, &out, 1);
    orr_event *e = NULL;
    orr_status st = graph ? orr_graph_submit(graph, &x, 1, &r, 1, &e) : orr_error_status();
    st = st == ORR_OK ? orr_wait(e) : st;
    if (graph)
        (void)orr_graph_free(graph);
    return st;
}

static const struct {
    way *of;
    const char *name;
} ways[] = { { by_eval, "eval" },   { by_list, "list" },   { by_read, "read" },
             { by_event, "event" }, { by_limit, "limit" }, { by_limit_of_one, "limit of one" },
             { by_graph, "graph" } };
enum { WAYS = sizeof ways / sizeof *ways };

static void a_failure_while_the_ranks_compute_is_told_to_all_and_they_go_on(void)
{
    for (int k = 0; k < CANCEL_LANES; k++) {
        (void)alarm(DEADLINE);
        if (!cancel_up(&cancel_lanes[k], "1"))
            continue;
        orr_scope *all = orr_scope_begin();
        orr_grid *g = line_of_ranks();
        orr_tensor *v = orr_variable(ramp(g));
        int n = 0;
        for (int i = 0; i < REASONS; i++)
            for (int j = 0; j < WAYS; j++) {
                orr_scope *s = orr_scope_begin();
                ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
                n += ways[j].of != by_event; /* an event that fails leaves the old values */
                bool well = is_told(ways[j].of(reasons[i].of(g), g), reasons[i].own, reasons[i].words, ways[j].name);
                well = is_sum(ramp(g), RAMP) && well;
                well = ((i + j) % 3 || is_sum(v, RAMP + n * N * N)) && well;
                if (!well)
                    printf("    reason %d, way %s, lane %d\n", i, ways[j].name, k);
                (void)orr_scope_end(s);
            }
        orr_grid_free(g);
        (void)orr_scope_end(all);
        down();
    }
}

/* Each rank alone goes on with the value of an event before it knows that another rank has failed. */
static void a_value_of_an_event_that_fails_is_used_by_no_rank(void)
{
    (void)alarm(DEADLINE);
    if (!cancel_up(&cancel_lanes[1], "1"))
        ORR_SKIP("there is no StarPU");
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    for (int i = 0; i < 30; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = before_the_first(g);
        orr_event *e = NULL;
        double got = 0;
        ORR_CHECK_MSG(orr_eval_async(&loss, 1, &e) == ORR_OK, "%s", orr_error_message());
        orr_status st = orr_item(orr_mul(loss, orr_scalar(2)), &got);
        ORR_CHECK_MSG(is_told(st, ORR_EDEVICE, "no licence", "item"), "turn %d: %g", i, got);
        ORR_CHECK(is_told(orr_wait(e), ORR_EDEVICE, "no licence", "wait"));
        ORR_CHECK(is_sum(ramp(g), RAMP));
        (void)orr_scope_end(s);
    }
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

/* -- what was recorded from a value that was not computed ---------------------------------------------------------------------------- */

static int dozes(const orr_kernel_args *a)
{
    (void)usleep(2000);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

static void sleep_a_little(unsigned long long *own)
{
    if (orr_test_rand(own) % 3 == 0)
        (void)usleep((useconds_t)(orr_test_rand(own) % 3000));
}

static bool is_cancelled(orr_status st, int line)
{
    char words[64];
    (void)snprintf(words, sizeof words, "in_execution.c:%d assigned", line);
    bool well = st == ORR_ECANCELLED && (line == 0 || strstr(orr_error_message(), words));
    ORR_CHECK_MSG(well, "%s: %s", orr_status_name(st), orr_error_message());
    return well;
}

/* How a new value of a variable is not computed, and what else the ranks do before they wait for its event. */
enum { FAILS = 1, ASSIGNS = 2, EVALUATES = 4, SECOND = 8, WHOLE = 16, HOWS = 32 };

static void recorded_from_failed(orr_grid *g, const orr_op *op, int how, unsigned long long *own)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *first = how & WHOLE ? sum(ramp(g)) : ramp(g), *slow = orr_ones(ORR_F64, ORR_SHAPE(1)), *y, *last;
    orr_tensor *v = orr_variable(first), *w = orr_variable(ramp(g)),
               *other = orr_variable(orr_sub(ramp(g), orr_scalar(1)));
    orr_event *e = NULL, *second = NULL;
    double n = how & WHOLE ? 1 : N * N;
    for (int k = 0; k < 10; k++)
        slow = orr_apply(op, ORR_TENSORS(slow));
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    fprintf(stderr, "HOW %d\n", how);
    slow = how & FAILS ? refused(slow) : slow;
    ORR_CHECK(orr_assign(v, orr_add(v, orr_add(orr_sum(slow, ORR_ALL_AXES, false), sum(orr_sin(ramp(g)))))) == ORR_OK);
    int line = __LINE__ - 1;
    ORR_CHECK_MSG(orr_eval_async(NULL, 0, &e) == ORR_OK, "%s", orr_error_message());
    if (orr_rank() == 0 && !(how & FAILS))
        ORR_CHECK(orr_cancel(e) == ORR_OK);
    sleep_a_little(own);
    y = orr_mul(v, orr_scalar(2));
    if (how & ASSIGNS) {
        ORR_CHECK(orr_assign(other, orr_add(other, orr_scalar(1))) == ORR_OK);
        sleep_a_little(own);
        ORR_CHECK(orr_assign(w, orr_sub(w, sum(y))) == ORR_OK && orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(orr_assign(v, orr_add(v, sum(w))) == ORR_OK);
    }
    last = orr_add(v, orr_scalar(0));
    sleep_a_little(own);
    if (how & SECOND)
        (void)orr_eval_async(ORR_TENSORS(last), &second); /* over ranks it begins after the end of the first */
    else if (how & EVALUATES)
        ORR_CHECK(orr_eval(y) != ORR_OK && strstr(orr_error_message(), how & FAILS ? "no licence" : "cancel"));
    sleep_a_little(own);
    orr_status st = orr_wait(e);
    if (how & FAILS)
        ORR_CHECK(is_told(st, ORR_EDEVICE, "no licence", "wait"));
    else
        (void)is_cancelled(st, 0);
    sleep_a_little(own);
    if (second)
        ORR_CHECK(orr_wait(second) != ORR_OK);
    bool both = how & ASSIGNS && how & SECOND;
    bool lost = how & FAILS && how & EVALUATES && how & ASSIGNS; /* that evaluation says that the assignments fail */
    if (how & ASSIGNS && !both && !lost) {
        sleep_a_little(own);
        (void)is_cancelled(orr_eval_all(NULL, 0), line);
    }
    for (int k = 0; k < 2 && !lost; k++) {
        (void)is_cancelled(orr_eval(orr_neg(y)), both ? 0 : line);
        ORR_CHECK(orr_eval(last) != ORR_OK);
    }
    if (lost)
        (void)orr_eval_all(NULL, 0);
    orr_error_clear();
    bool well = lost || (is_sum(v, RAMP) && is_sum(w, RAMP));
    well = is_sum(other, RAMP - N * N + (how & ASSIGNS && !both ? N * N : 0)) && well;
    if (!lost) {
        well = is_sum(orr_mul(v, orr_scalar(2)), 2 * RAMP) && orr_eval_all(NULL, 0) == ORR_OK && well;
        well = orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK && is_sum(v, RAMP + n) && well;
    }
    if (!well)
        printf("    how %d\n", how);
    (void)orr_scope_end(s);
}

/* Each rank hears of the end at a time of its own; from the wait on, all record from the old value again. */
static void what_was_recorded_from_a_failed_value_is_not_computed_from_the_old_one(void)
{
    static const orr_kernel_def def = { .name = "dozes", .n_inputs = 1, .cpu = dozes };
    (void)alarm(DEADLINE);
    if (!cancel_up(&cancel_lanes[1], "1"))
        ORR_SKIP("there is no StarPU");
    unsigned long long own = 100 + (unsigned long long)orr_rank();
    const orr_op *op = orr_define_kernel(&def);
    orr_grid *g = line_of_ranks();
    for (int how = 0; how < HOWS; how++)
        recorded_from_failed(g, op, how, &own);
    orr_grid_free(g);
    down();
}

/* -- calls within an evaluation ---------------------------------------------------------------------------------------------------- */

static orr_tensor *asked_for;
static orr_status said[3];

static int asks(const orr_kernel_args *a)
{
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/within.npy", getenv("ORR_TEST_RANKS"));
    said[0] = orr_eval(asked_for);
    said[1] = orr_barrier();
    said[2] = orr_save(path, asked_for);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

/* Such a call would wait for the evaluation in which it is made. */
static void a_function_of_the_program_cannot_evaluate_over_ranks(void)
{
    static const orr_kernel_def def = { .name = "asks", .n_inputs = 1, .cpu = asks };
    for (int k = 0; k < CANCEL_LANES; k++) {
        (void)alarm(DEADLINE);
        if (!cancel_up(&cancel_lanes[k], "1"))
            continue;
        orr_scope *s = orr_scope_begin();
        orr_grid *g = line_of_ranks();
        orr_tensor *x = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_ones(ORR_F64, ORR_SHAPE(1))));
        asked_for = ramp(g);
        memset(said, 0, sizeof said);
        ORR_CHECK_MSG(orr_eval(orr_add(sum(orr_cos(ramp(g))), x)) == ORR_OK, "%s", orr_error_message());
        for (int i = 0; i < 3; i++)
            ORR_CHECK_MSG(said[i] == ORR_ESTATE, "call %d: %s", i, orr_status_name(said[i]));
        ORR_CHECK(is_sum(ramp(g), RAMP) && is_sum(asked_for, RAMP) && orr_barrier() == ORR_OK);
        orr_grid_free(g);
        (void)orr_scope_end(s);
        down();
    }
}

/* -- matrices that the ranks compute together ------------------------------------------------------------------------------------- */

static orr_tensor *blocks(orr_tensor *t, orr_grid *g)
{
    return orr_shard_cyclic(t, g, ORR_AXES(0, 1), ORR_INDEX(2, 2));
}

/* The operand of the first or of the second factorisation fails on the odd rank. */
static void a_factorisation_over_ranks_goes_on_after_a_failure(void)
{
    (void)alarm(DEADLINE);
    if (!cancel_up(&cancel_lanes[2], "1"))
        ORR_SKIP("there is no StarPU");
    orr_scope *all = orr_scope_begin();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ 1, -1 }));
    for (int i = 0; i < 6; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_mul(orr_eye(ORR_F64, N, N, 0), orr_scalar(4));
        orr_tensor *l = orr_cholesky(blocks(i % 2 ? a : refused(a), g)), *b = orr_matmul(l, orr_transpose(l));
        orr_tensor *m = orr_cholesky(
            orr_mul(b, i % 2 ? refused(orr_ones(ORR_F64, ORR_SHAPE(1))) : orr_ones(ORR_F64, ORR_SHAPE(1))));
        ORR_CHECK(is_told(i < 4 ? orr_eval(m) : by_event(m, g), ORR_EDEVICE, "no licence", "eval"));
        ORR_CHECK(is_sum(orr_cholesky(blocks(a, g)), 2 * N));
        (void)orr_scope_end(s);
    }
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

/* -- assignments -------------------------------------------------------------------------------------------------------------------- */

static void an_assignment_that_fails_on_all_ranks_is_told_once(void)
{
    (void)alarm(DEADLINE);
    if (!cancel_up(&cancel_lanes[0], "1"))
        return;
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *v = orr_variable(ramp(g)), *w = orr_variable(ramp(g));
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    for (int i = 1; i <= 3; i++) {
        orr_event *e = NULL;
        ORR_CHECK(orr_assign(w, orr_add(w, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(orr_assign(v, orr_reshape(v, ORR_SHAPE(3, 7))) == ORR_ESHAPE);
        orr_status st = i == 1 ? orr_eval_all(NULL, 0) : i == 2 ? orr_eval(v) : orr_eval_async(NULL, 0, &e);
        st = e ? orr_wait(e) : st;
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(is_sum(v, RAMP) && is_sum(w, RAMP + i * N * N));
    }
    /* The odd rank's alone. */
    orr_status st = orr_assign(v, mine() ? orr_reshape(v, ORR_SHAPE(3, 7)) : orr_add(v, orr_scalar(0)));
    ORR_CHECK(st == (mine() ? ORR_ESHAPE : ORR_OK));
    ORR_CHECK(is_told(orr_eval_all(NULL, 0), ORR_ESHAPE, "reshape", "eval_all"));
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK && is_sum(w, RAMP + 3 * N * N));
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- calls beside an event -------------------------------------------------------------------------------------------------------- */

/* All ranks make the same random calls, each with pauses of its own, while an event with exchanges is under way. */
static void calls_of_all_ranks_beside_an_event_are_told_apart(void)
{
    for (int k = 0; k < CANCEL_LANES; k++) {
        (void)alarm(DEADLINE);
        if (!cancel_up(&cancel_lanes[k], "1"))
            continue;
        unsigned long long seed = 7, own = 100 + (unsigned long long)orr_rank();
        char path[1100];
        (void)snprintf(path, sizeof path, "%s/beside%d.npz", getenv("ORR_TEST_RANKS"), orr_ranks());
        orr_scope *s = orr_scope_begin();
        orr_grid *g = line_of_ranks();
        orr_tensor *kept = ramp(g), *v = orr_variable(ramp(g));
        orr_checkpoint *c = orr_checkpoint_new(path);
        ORR_CHECK(orr_checkpoint_add_variable(c, "v", v) == ORR_OK && orr_eval_all(ORR_TENSORS(kept, v)) == ORR_OK);
        for (int i = 0; i < 40; i++) {
            orr_scope *inner = orr_scope_begin();
            orr_event *e = NULL;
            orr_tensor *x = kept, *many = NULL;
            for (int n = 0; n < 5; n++)
                x = orr_add(orr_sub(orr_matmul(x, orr_eye(ORR_F64, N, N, 0)), orr_max(x, ORR_ALL_AXES, false)),
                            orr_scalar(N * N - 1));
            many = orr_add(sum(x), sum(orr_zeros(ORR_F64, ORR_SHAPE(2))));
            ORR_CHECK(orr_eval_async(&many, 1, &e) == ORR_OK);
            for (int n = (int)(orr_test_rand(&seed) % 3); n >= 0; n--) {
                sleep_a_little(&own);
                orr_status st = ORR_OK;
                orr_tensor *back = NULL;
                switch (orr_test_rand(&seed) % 7) {
                case 0: st = orr_barrier(); break;
                case 1: st = orr_save(path, kept); break;
                case 2:
                    st = orr_save(path, kept);
                    back = st == ORR_OK ? orr_load(path) : NULL;
                    ORR_CHECK(!back || is_sum(back, RAMP));
                    st = st == ORR_OK ? orr_barrier() : st;
                    break;
                case 3: ORR_CHECK(is_sum(kept, RAMP)); break;
                case 4: st = orr_checkpoint_save(c); break;
                case 5: st = orr_checkpoint_load(c, NULL); break;
                default: st = orr_eval_all(NULL, 0); break;
                }
                ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
            }
            sleep_a_little(&own);
            ORR_CHECK_MSG(orr_wait(e) == ORR_OK, "%s", orr_error_message());
            double got = NAN;
            ORR_CHECK(orr_item(many, &got) == ORR_OK && fabs(got - RAMP) < 1e-6);
            (void)orr_scope_end(inner);
        }
        orr_checkpoint_free(c);
        orr_grid_free(g);
        (void)orr_scope_end(s);
        down();
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_failure_while_the_ranks_compute_is_told_to_all_and_they_go_on),
                                      ORR_TEST(a_value_of_an_event_that_fails_is_used_by_no_rank),
                                      ORR_TEST(what_was_recorded_from_a_failed_value_is_not_computed_from_the_old_one),
                                      ORR_TEST(a_factorisation_over_ranks_goes_on_after_a_failure),
                                      ORR_TEST(an_assignment_that_fails_on_all_ranks_is_told_once),
                                      ORR_TEST(a_function_of_the_program_cannot_evaluate_over_ranks),
                                      ORR_TEST(calls_of_all_ranks_beside_an_event_are_told_apart),
                                      { 0 } };
    return orr_test_ranks_main(argc, argv, "in_execution", tests, (const int[]){ 2, 4, 0 });
}
