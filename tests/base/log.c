/* Lines of the log that a program's function takes: with their levels, from several threads one at a time, until it is replaced.
 * Must not know: the library's messages. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/base/env.h"
#include "tests/harness/harness.h"

static char last[1100];
static orr_log_level last_level;
static atomic_int calls, inside, together;

static void take(orr_log_level level, const char *text, void *user)
{
    if (atomic_fetch_add(&inside, 1) > 0)
        atomic_fetch_add(&together, 1);
    last_level = level;
    (void)snprintf(last, sizeof last, "%s%s", (const char *)user, text);
    atomic_fetch_add(&calls, 1);
    atomic_fetch_sub(&inside, 1);
}

static void lines_go_to_the_function(void)
{
    int before = orr__env.log;
    orr__env.log = 2;
    orr_log_to(take, "> ");
    orr__log(1, "a warning of %d", 5);
    ORR_CHECK(last_level == ORR_LOG_WARNING && strcmp(last, "> a warning of 5") == 0);
    orr__log(2, "%s", "for information");
    ORR_CHECK(last_level == ORR_LOG_INFO && strcmp(last, "> for information") == 0);
    int n = atomic_load(&calls);
    orr__log(3, "not admitted");
    ORR_CHECK(atomic_load(&calls) == n);
    orr_log_to(NULL, NULL);
    orr__env.log = 0;
    orr__log(1, "nobody takes it");
    ORR_CHECK(atomic_load(&calls) == n);
    orr__env.log = before;
}

/* It logs, evaluates and replaces itself: the lines go to stderr, the evaluation is refused, and nothing hangs. */
static void nested(orr_log_level level, const char *text, void *user)
{
    take(level, text, user);
    orr__log(1, "a line of the function itself, which belongs on stderr");
    ORR_CHECK(orr_eval(orr_full(ORR_F32, ORR_SHAPE(2), 1)) == ORR_ESTATE);
    orr_log_to(take, user);
}

static void the_function_may_not_wait_for_the_library(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    int before = orr__env.log, n = atomic_load(&calls);
    orr__env.log = 1;
    orr_log_to(nested, "");
    orr__log(1, "first");
    ORR_CHECK(atomic_load(&calls) == n + 1 && strcmp(last, "first") == 0);
    orr__log(1, "second");
    ORR_CHECK(atomic_load(&calls) == n + 2 && strcmp(last, "second") == 0);
    orr_log_to(NULL, NULL);
    orr__env.log = before;
    ORR_CHECK(orr_eval(orr_full(ORR_F32, ORR_SHAPE(2), 1)) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

enum { THREADS = 4, EACH = 2000 };

static void *log_many(void *arg)
{
    for (int i = 0; i < EACH; i++)
        orr__log(1, "line %d", i);
    return arg;
}

static void threads_call_it_one_at_a_time(void)
{
    pthread_t t[THREADS];
    int before = orr__env.log, n = atomic_load(&calls);
    orr__env.log = 1;
    orr_log_to(take, "");
    for (int i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, log_many, NULL) == 0);
    pid_t pid = fork(); /* another thread may hold the lock */
    if (pid == 0) {
        orr__log(1, "in the child");
        _exit(strcmp(last, "in the child") == 0 ? 0 : 1);
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(t[i], NULL);
    int how = 1;
    ORR_CHECK(waitpid(pid, &how, 0) == pid && how == 0);
    ORR_CHECK(atomic_load(&calls) == n + THREADS * EACH && atomic_load(&together) == 0);
    orr_log_to(NULL, NULL);
    orr__env.log = before;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(lines_go_to_the_function),
                                      ORR_TEST(the_function_may_not_wait_for_the_library),
                                      ORR_TEST(threads_call_it_one_at_a_time),
                                      { 0 } };
    return orr_test_main(argc, argv, "base.log", tests);
}
