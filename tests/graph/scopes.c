/* Scopes, handles and variables: ownership, and the behaviour of a handle after its end.
 * Must not know: how values are computed. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/graph/node.h"
#include "runtime/graph/thread_state.h"
#include "tests/harness/harness.h"

static orr_tensor *zeros(void)
{
    return orr_zeros(ORR_F32, ORR_SHAPE(2, 3));
}

static void scope_end_frees_what_was_made_inside(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = zeros();
    ORR_CHECK(orr_tensor_status(t) == ORR_OK);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    ORR_CHECK(orr_tensor_status(t) == ORR_EHANDLE);
    ORR_CHECK(orr_tensor_size(t) == -1);
    ORR_CHECK(orr_tensor_shape(t).rank == -1);
}

/* A program that forgot its scopes is told so, with the line that makes most tensors. */
static void many_tensors_of_no_scope_are_noticed(void)
{
    enum { MANY = 150000 };
    static orr_tensor *t[MANY];
    const char *path = orr_test_tmp("stderr.txt");
    char text[4096] = "", want[64];
    (void)fflush(stderr);
    int keep = dup(2), to = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    ORR_REQUIRE(keep >= 0 && to >= 0 && dup2(to, 2) == 2);
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < MANY / 2; i++)
        t[i] = zeros();
    (void)orr_scope_end(s); /* these are no leak */
    for (int i = 0; i < MANY; i++)
        t[i] = i % 3 ? orr_ones(ORR_F32, ORR_SHAPE(1)) : zeros();
    (void)snprintf(want, sizeof want, "scopes.c:%d: put", __LINE__ - 1);
    (void)fflush(stderr);
    (void)dup2(keep, 2);
    ssize_t n = pread(to, text, sizeof text - 1, 0);
    ORR_CHECK_MSG(n > 0 && strstr(text, "belong to no scope") && strstr(text, want), "%s, %s", text, want);
    const char *first = strstr(text, "belong to no scope");
    ORR_CHECK(first && !strstr(first + 1, "belong to no scope")); /* the next one at twice as many */
    for (int i = 0; i < MANY; i++)
        ORR_CHECK(orr_free(t[i]) == ORR_OK);
    (void)close(keep);
    (void)close(to);
}

static void an_ended_scope_is_not_taken_for_a_later_one(void)
{
    orr_scope *old = orr_scope_begin();
    ORR_CHECK(orr_scope_end(old) == ORR_OK);
    for (int i = 0; i < 100; i++) { /* memory is reused, names are not */
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = zeros();
        ORR_CHECK(s != old && orr_scope_end(old) == ORR_EINVAL && orr_tensor_status(t) == ORR_OK);
        ORR_CHECK(orr_tensor_status(orr_scope_return(old, t)) == ORR_EINVAL);
        ORR_CHECK(orr_scope_end(s) == ORR_OK);
    }
}

static void stale_operand_is_poison_with_file_and_line(void)
{
    orr_scope *outer = orr_scope_begin(), *s = orr_scope_begin();
    orr_tensor *t = zeros();
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    orr_tensor *y = orr_add(t, zeros());
    ORR_CHECK(orr_tensor_status(y) == ORR_EHANDLE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/graph/scopes.c:") != NULL, "message: %s", orr_error_message());
    ORR_CHECK_MSG(strstr(orr_error_message(), "add: ") != NULL, "message: %s", orr_error_message());
    ORR_CHECK(orr_scope_end(outer) == ORR_OK);
}

static void a_reused_slot_does_not_revive_old_handles(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *old = zeros();
    ORR_CHECK(orr_free(old) == ORR_OK);
    for (int i = 0; i < 10000; i++) {
        orr_tensor *t = zeros();
        ORR_CHECK(t != old);
        ORR_CHECK(orr_free(t) == ORR_OK);
    }
    ORR_CHECK(orr_tensor_status(old) == ORR_EHANDLE);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void freeing_twice_is_an_error_and_null_is_not(void)
{
    orr_tensor *t = zeros();
    ORR_CHECK(orr_free(t) == ORR_OK);
    ORR_CHECK(orr_free(t) == ORR_EHANDLE);
    ORR_CHECK(orr_free(NULL) == ORR_OK);
}

static void foreign_pointers_are_recognised(void)
{
    int local = 0;
    uintptr_t garbage[] = { 1, 2, 0x7fff, (uintptr_t)&local, ~(uintptr_t)0, 0x0000000300000005u, 0xffffffff00000001u };
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        orr_tensor *t = (orr_tensor *)garbage[i];
        ORR_CHECK(orr_tensor_status(t) == ORR_EHANDLE);
        ORR_CHECK(orr_free(t) == ORR_EHANDLE);
        orr_tensor *y = orr_neg(t);
        ORR_CHECK(orr_tensor_status(y) == ORR_EHANDLE);
        (void)orr_free(y);
    }
}

static void keep_outlives_all_scopes(void)
{
    orr_scope *a = orr_scope_begin(), *b = orr_scope_begin();
    orr_tensor *t = orr_keep(zeros());
    ORR_CHECK(orr_scope_end(b) == ORR_OK);
    ORR_CHECK(orr_scope_end(a) == ORR_OK);
    ORR_CHECK(orr_tensor_status(t) == ORR_OK);
    ORR_CHECK(orr_free(t) == ORR_OK);
}

static void scope_return_hands_to_the_outer_scope(void)
{
    orr_scope *a = orr_scope_begin(), *b = orr_scope_begin();
    orr_tensor *t = orr_scope_return(b, zeros());
    ORR_CHECK(orr_scope_end(b) == ORR_OK);
    ORR_CHECK(orr_tensor_status(t) == ORR_OK);
    ORR_CHECK(orr_scope_end(a) == ORR_OK);
    ORR_CHECK(orr_tensor_status(t) == ORR_EHANDLE);
}

static void closing_an_outer_scope_closes_inner_ones(void)
{
    orr_scope *a = orr_scope_begin(), *b = orr_scope_begin();
    orr_tensor *t = zeros();
    ORR_CHECK(orr_scope_end(a) == ORR_OK);
    ORR_CHECK(orr_tensor_status(t) == ORR_EHANDLE);
    ORR_CHECK(orr_scope_end(b) == ORR_EINVAL);
    ORR_CHECK(orr_scope_end(NULL) == ORR_EINVAL);
}

static void a_long_lived_scope_stays_small(void)
{
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 100000; i++)
        (void)orr_free(zeros());
    ORR_CHECK(orr__tls_now()->scope->cap <= 256);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void chains_of_any_length_are_freed_without_recursion(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_keep(zeros());
    for (int i = 0; i < 300000; i++) {
        orr_tensor *next = orr_neg(t);
        (void)orr_keep(next);
        (void)orr_free(t);
        t = next;
    }
    ORR_CHECK(orr_free(t) == ORR_OK);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void an_assigned_variable_reads_as_its_new_value(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(zeros());
    const orr__node *before = orr__handle_node(v);
    orr_tensor *read_before = orr_neg(v);
    ORR_CHECK(orr_assign(v, orr_ones(ORR_F32, ORR_SHAPE(2, 3))) == ORR_OK);
    ORR_CHECK(orr__handle_node(v) != before);
    ORR_CHECK(orr__handle_node(read_before)->in[0] == before);
    ORR_CHECK(orr__handle_node(orr_neg(v))->tracked);
    orr__node **pending;
    ORR_CHECK(orr__pending(&pending) == 1 && pending[0] == orr__handle_node(v));
    orr__pending_clear();
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void assign_refuses_what_does_not_fit(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(zeros());
    ORR_CHECK(orr_assign(v, orr_zeros(ORR_F32, ORR_SHAPE(3, 2))) == ORR_ESHAPE);
    ORR_CHECK(orr_assign(v, orr_zeros(ORR_F64, ORR_SHAPE(2, 3))) == ORR_EDTYPE);
    ORR_CHECK(orr_assign(zeros(), zeros()) == ORR_EINVAL);
    ORR_CHECK(orr_assign(NULL, zeros()) == ORR_EINVAL);
    ORR_CHECK(orr_assign(v, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_variable(NULL)) == ORR_EINVAL);
    orr__pending_clear();
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void *make_and_free(void *arg)
{
    long bad = 0;
    for (int i = 0; i < 20000; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = orr_add(zeros(), zeros());
        bad += orr_tensor_status(t) != ORR_OK;
        bad += orr_scope_end(s) != ORR_OK;
        bad += orr_tensor_status(t) != ORR_EHANDLE;
    }
    *(long *)arg = bad;
    return NULL;
}

static void threads_make_and_free_at_once(void)
{
    enum { N = 8 };
    pthread_t thread[N];
    long bad[N];
    for (int i = 0; i < N; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, make_and_free, &bad[i]) == 0);
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        ORR_CHECK(bad[i] == 0);
    }
}

enum { MANY = 2000 };
static orr_tensor *many[MANY];
static atomic_int released;

static void count(void *host, void *user)
{
    (void)host;
    (void)user;
    atomic_fetch_add(&released, 1);
}

static orr_tensor *counted(void)
{
    static float x[2];
    return orr_wrap(ORR_F32, ORR_SHAPE(2), x, count, NULL);
}

static void *free_all(void *arg)
{
    int *ok = arg;
    for (int i = 0; i < MANY; i++)
        *ok += orr_free(many[i]) == ORR_OK;
    return NULL;
}

/* Two threads free the tensors of a third one, whose scope ends meanwhile or stays. */
static void free_from_all_sides(bool ends)
{
    int ok[2] = { 0, 0 };
    pthread_t thread[2];
    orr_scope *s = orr_scope_begin();
    atomic_store(&released, 0);
    for (int i = 0; i < MANY; i++)
        many[i] = counted();
    for (int i = 0; i < 2; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, free_all, &ok[i]) == 0);
    if (ends)
        ORR_CHECK(orr_scope_end(s) == ORR_OK);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(thread[i], NULL);
    ORR_CHECK(ends ? ok[0] + ok[1] <= MANY : ok[0] + ok[1] == MANY);
    ORR_CHECK(atomic_load(&released) == MANY);
    if (!ends)
        ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void of_threads_that_free_a_handle_one_wins(void)
{
    for (int i = 0; i < 20; i++)
        free_from_all_sides(i % 2 == 0);
}

static void *make_kept(void *unused)
{
    (void)unused;
    for (int i = 0; i < MANY; i++)
        many[i] = orr_keep(counted());
    return NULL;
}

static void a_scope_frees_what_another_thread_made(void)
{
    pthread_t thread;
    atomic_store(&released, 0);
    ORR_CHECK(pthread_create(&thread, NULL, make_kept, NULL) == 0);
    (void)pthread_join(thread, NULL);
    orr_scope *outer = orr_scope_begin(), *inner = orr_scope_begin();
    for (int i = 0; i < MANY; i += 2)
        ORR_CHECK(orr_scope_return(inner, many[i]) == many[i] && orr_tensor_status(counted()) == ORR_OK);
    ORR_CHECK(orr_scope_end(inner) == ORR_OK && atomic_load(&released) == MANY / 2);
    ORR_CHECK(orr_scope_end(outer) == ORR_OK && atomic_load(&released) == MANY);
    for (int i = 0; i < MANY; i++)
        ORR_CHECK(orr_free(many[i]) == (i % 2 ? ORR_OK : ORR_EHANDLE));
    ORR_CHECK(atomic_load(&released) == MANY / 2 * 3);
}

static void a_node_keeps_nothing_of_the_one_before_it(void)
{
    static const orr__attr none;
    static const int64_t zero[ORR_MAX_RANK];
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(2, 3, 4, 5, 6, 7), 2.0);
    (void)orr_slice_axis(orr_permute(x, ORR_AXES(5, 4, 3, 2, 1, 0)), 1, 5, 1, -2);
    (void)orr_pad(x, ORR_INDEX(1, 1, 1, 1, 1, 1), ORR_INDEX(1, 1, 1, 1, 1, 1), 3.0);
    (void)orr_argmax(orr_sum(x, ORR_AXES(5, 4), true), 3, false);
    (void)orr_randn(ORR_F32, ORR_SHAPE(2, 3, 4, 5, 6), 0.0, 1.0);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    s = orr_scope_begin();
    for (int i = 0; i < 64; i++) {
        const orr__node *n = orr__handle_node(orr_add(zeros(), zeros()));
        ORR_CHECK(memcmp(&n->attr, &none, sizeof none) == 0);
        ORR_CHECK(memcmp(&n->shape.dim[4], zero, 4 * sizeof *zero) == 0);
        ORR_CHECK(n->nscalar == 0 && n->var == 0 && !n->as && !n->poison);
    }
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static atomic_bool recording;

static void *record_on(void *unused)
{
    (void)unused;
    while (atomic_load(&recording)) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = zeros();
        for (int i = 0; i < 1000; i++) /* more than a thread keeps for itself: shared pools are used */
            t = orr_add(t, t);
        (void)orr_scope_end(s);
    }
    return NULL;
}

static void a_fork_finds_no_lock_taken(void)
{
#ifdef __SANITIZE_THREAD__
    ORR_SKIP("ThreadSanitizer does not go through forks of threaded programs");
#endif
    pthread_t thread[3];
    int started = 0, hung = 0;
    atomic_store(&recording, true);
    while (started < 3 && pthread_create(&thread[started], NULL, record_on, NULL) == 0)
        started++;
    for (int i = 0; i < 100; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(120);
            orr_scope *s = orr_scope_begin();
            for (int k = 0; k < 2000; k++)
                (void)zeros();
            _exit(orr_scope_end(s) == ORR_OK ? 0 : 1);
        }
        ORR_REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        hung += status != 0;
        if (hung)
            break;
    }
    atomic_store(&recording, false);
    for (int i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
    ORR_CHECK_MSG(started == 3 && hung == 0, "%d threads, a child did not end by itself", started);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(many_tensors_of_no_scope_are_noticed),
                                      ORR_TEST(scope_end_frees_what_was_made_inside),
                                      ORR_TEST(an_ended_scope_is_not_taken_for_a_later_one),
                                      ORR_TEST(a_fork_finds_no_lock_taken),
                                      ORR_TEST(stale_operand_is_poison_with_file_and_line),
                                      ORR_TEST(a_reused_slot_does_not_revive_old_handles),
                                      ORR_TEST(freeing_twice_is_an_error_and_null_is_not),
                                      ORR_TEST(foreign_pointers_are_recognised),
                                      ORR_TEST(keep_outlives_all_scopes),
                                      ORR_TEST(scope_return_hands_to_the_outer_scope),
                                      ORR_TEST(closing_an_outer_scope_closes_inner_ones),
                                      ORR_TEST(a_long_lived_scope_stays_small),
                                      ORR_TEST(chains_of_any_length_are_freed_without_recursion),
                                      ORR_TEST(an_assigned_variable_reads_as_its_new_value),
                                      ORR_TEST(assign_refuses_what_does_not_fit),
                                      ORR_TEST(threads_make_and_free_at_once),
                                      ORR_TEST(of_threads_that_free_a_handle_one_wins),
                                      ORR_TEST(a_scope_frees_what_another_thread_made),
                                      ORR_TEST(a_node_keeps_nothing_of_the_one_before_it),
                                      { 0 } };
    return orr_test_main(argc, argv, "graph.scopes", tests);
}
