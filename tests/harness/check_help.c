/* Starts the library with ORRERY_CHECK, and keeps its lines of log about elements.
 * Must not know: what is checked. */
#include "config.h"
#include "tests/harness/check_help.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

struct orr_test_heard orr_test_heard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void hear(orr_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    (void)pthread_mutex_lock(&orr_test_heard.lock);
    if (strstr(line, "element")) {
        orr_test_heard.n++;
        (void)snprintf(orr_test_heard.last, sizeof orr_test_heard.last, "%s", line);
    }
    (void)pthread_mutex_unlock(&orr_test_heard.lock);
}

void orr_test_unhear(void)
{
    orr_test_heard.n = 0;
    orr_test_heard.last[0] = '\0';
}

void orr_test_check_begin(const char *check, const char *lane, const char *jit)
{
    orr_test_unhear();
    (void)setenv("ORRERY_CHECK", check, 1);
    (void)setenv("ORRERY_JIT", jit, 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    if (lane)
        (void)setenv("ORRERY_INLINE_US", lane, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_log_to(hear, NULL);
}

void orr_test_check_end(void)
{
    orr_log_to(NULL, NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_CHECK");
    (void)unsetenv("ORRERY_JIT");
    (void)unsetenv("ORRERY_INLINE_US");
}
