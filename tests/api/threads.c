/* 128 threads record, evaluate, assign and submit at once, on the calling threads and by tasks; each has its own
 * values. One thread assigns a variable that others read; several threads evaluate tensors of one graph.
 * ThreadSanitizer finds no race (configure --enable-tsan).
 * Must not know: engines. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/harness/harness.h"

enum { THREADS = 128, TURNS = 12, SIDE = 24 };

static orr_graph *shared; /* x -> x · 2 + 1 */
static atomic_int wrong;
static pthread_barrier_t together;

static void note(bool ok, const char *what)
{
    if (!ok && atomic_fetch_add(&wrong, 1) < 5)
        printf("    %s: %s\n", what, orr_error_message());
}

/* A sum of a product of constant matrices of a few sizes, and a chain of element-wise work: all threads share the
 * plans. */
static void record_and_evaluate(int id, int turn)
{
    int n = SIDE + 8 * (turn % 3);
    double got = -1.0, c = (double)(id % 16);
    orr_tensor *x = orr_full(ORR_F64, ORR_SHAPE(n, n), c), *y = orr_add(orr_matmul(x, x), orr_scalar(1.0));
    orr_status st = orr_item(orr_sum(orr_maximum(y, orr_scalar(0.5)), ORR_AXES(0, 1), false), &got);
    note(st == ORR_OK && got == (double)n * n * (n * c * c + 1.0), "sum of a product");
}

static void assign(orr_tensor *v, int turn)
{
    double got = -1.0;
    orr_status st = orr_assign(v, orr_add(v, orr_scalar(1.0)));
    note(st == ORR_OK && orr_item(v, &got) == ORR_OK && got == turn + 1.0, "a variable");
}

static void submit(int id)
{
    orr_tensor *x = orr_full(ORR_F64, ORR_SHAPE(SIDE), (double)id), *y = NULL;
    orr_event *e = NULL;
    orr_status st = orr_graph_submit(shared, &x, 1, &y, 1, &e);
    if (st == ORR_OK)
        st = orr_wait(e);
    const double *v = st == ORR_OK ? orr_data(y) : NULL;
    note(v && v[0] == 2.0 * id + 1.0 && v[SIDE - 1] == v[0], "a shared graph");
}

static void *work(void *arg)
{
    int id = (int)(size_t)arg;
    orr_tensor *v = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE_0D));
    (void)pthread_barrier_wait(&together);
    for (int turn = 0; turn < TURNS; turn++) {
        orr_scope *s = orr_scope_begin();
        record_and_evaluate(id, turn);
        assign(v, turn);
        submit(id);
        note(orr_scope_end(s) == ORR_OK, "end of a scope");
    }
    (void)orr_free(v);
    return NULL;
}

static void all_at_once(const char *inline_us)
{
    pthread_t thread[THREADS];
    (void)setenv("ORRERY_INLINE_US", inline_us, 1);
    (void)setenv("ORRERY_TILE_US", "1", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *in = orr_placeholder(ORR_F64, ORR_SHAPE(SIDE));
    orr_tensor *out = orr_add(orr_mul(in, orr_scalar(2.0)), orr_scalar(1.0));
    shared = orr_graph_build(&in, 1, &out, 1);
    ORR_CHECK_MSG(shared != NULL, "%s", orr_error_message());
    atomic_store(&wrong, 0);
    ORR_CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        ORR_CHECK(pthread_join(thread[i], NULL) == 0);
    (void)pthread_barrier_destroy(&together);
    ORR_CHECK_MSG(wrong == 0, "%d wrong results", wrong);
    ORR_CHECK(orr_graph_free(shared) == ORR_OK && orr_shutdown() == ORR_OK);
}

static void on_the_calling_threads(void)
{
    all_at_once("1000000");
}

static void by_tasks(void)
{
    all_at_once("0");
}

/* -- one variable, assigned by one thread and read by others ------------------------------------------------------ */

enum { READERS = 3, LOOKS = 40, CHANGES = 6000 };
static orr_tensor *watched;
static atomic_bool over;

/* All elements of the variable are the same integer at any time, and it never decreases. */
static void *read_it(void *arg)
{
    int id = (int)(size_t)arg;
    double v[SIDE], last = 0.0;
    while (!atomic_load(&over)) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = id == 0   ? watched
                        : id == 1 ? orr_mul(watched, orr_scalar(1.0))
                                  : orr_flip(watched, ORR_AXES(0));
        bool ok = orr_read(t, v, sizeof v) == ORR_OK && v[0] >= last && v[0] == floor(v[0]);
        for (int i = 1; i < SIDE && ok; i++)
            ok = v[i] == v[0];
        note(ok && orr_tensor_size(watched) == SIDE, "a watched variable");
        last = ok ? v[0] : last;
        (void)orr_scope_end(s);
    }
    return NULL;
}

static void variable_reader_sees_one_of_its_values(void)
{
    pthread_t thread[READERS];
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    atomic_store(&wrong, 0);
    atomic_store(&over, false);
    watched = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(SIDE)));
    ORR_CHECK(orr_eval(watched) == ORR_OK);
    for (size_t i = 0; i < READERS; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, read_it, (void *)i) == 0);
    for (int i = 0; i < CHANGES; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *next = i % 3 ? orr_full(ORR_F64, ORR_SHAPE(SIDE), i + 1.0) : orr_add(watched, orr_scalar(1.0));
        note(orr_assign(watched, next) == ORR_OK, "an assignment");
        note(i % 5 != 0 || orr_eval(watched) == ORR_OK, "its evaluation");
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_eval(watched) == ORR_OK);
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++)
        (void)pthread_join(thread[i], NULL);
    const double *v = orr_data(watched);
    ORR_CHECK(v && v[0] == CHANGES && v[SIDE - 1] == CHANGES);
    ORR_CHECK_MSG(atomic_load(&wrong) == 0, "%d were wrong", atomic_load(&wrong));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- one graph, of which all evaluate something ------------------------------------------------------------------- */

enum { SHARERS = 3, ROUNDS = 3000, LINKS = 6 };
static orr_tensor *middle;

/* Thread 0 evaluates the middle tensor, which releases its inputs, while the others compute with them. */
static void *share(void *arg)
{
    int id = (int)(size_t)arg;
    double v[SIDE];
    for (int i = 0; i < ROUNDS; i++) {
        (void)pthread_barrier_wait(&together); /* the middle has its value */
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = id == 0 ? middle : orr_add(orr_mul(middle, orr_scalar(id)), orr_sqrt(middle));
        double m = (i % 7) + LINKS, want = id == 0 ? m : m * id + sqrt(m);
        note(orr_read(y, v, sizeof v) == ORR_OK && fabs(v[0] - want) < 1e-12 && v[SIDE - 1] == v[0], "a shared middle");
        (void)orr_scope_end(s);
        (void)pthread_barrier_wait(&together);
    }
    return NULL;
}

/* The inputs of the middle tensor have no other references. Every graph but the first has a plan. */
static void threads_evaluate_parts_of_one_graph(void)
{
    pthread_t thread[SHARERS];
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    atomic_store(&wrong, 0);
    (void)pthread_barrier_init(&together, NULL, SHARERS + 1);
    for (size_t i = 0; i < SHARERS; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, share, (void *)i) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        orr_scope *s = orr_scope_begin();
        middle = orr_full(ORR_F64, ORR_SHAPE(SIDE), i % 7);
        for (int k = 0; k < LINKS; k++)
            middle = orr_add(middle, orr_scalar(1.0));
        middle = orr_keep(middle);
        (void)orr_scope_end(s);
        (void)pthread_barrier_wait(&together);
        (void)pthread_barrier_wait(&together);
        note(orr_free(middle) == ORR_OK, "the middle's end");
    }
    for (int i = 0; i < SHARERS; i++)
        (void)pthread_join(thread[i], NULL);
    (void)pthread_barrier_destroy(&together);
    ORR_CHECK_MSG(atomic_load(&wrong) == 0, "%d were wrong", atomic_load(&wrong));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(on_the_calling_threads),
                                      ORR_TEST(by_tasks),
                                      ORR_TEST(variable_reader_sees_one_of_its_values),
                                      ORR_TEST(threads_evaluate_parts_of_one_graph),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.threads", tests);
}
