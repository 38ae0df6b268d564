/* The targets of the fuzzers in the suite: their seeds, and repeatable changes of them. The long form, by libFuzzer, is tests/fuzz/run.
 * Must not know: what a target reads. */
#include "config.h"
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/seeds.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

/* ORR_TEST_FULL=1: ALL_ROUNDS. */
enum { ROUNDS = 5000, ALL_ROUNDS = 100000, ROOM = 1 << 16 };

typedef struct {
    const fuzz_target *target;
    int seeds, rounds;
} job;

static bool replay(const unsigned char *data, size_t size, int i, void *user)
{
    const job *j = user;
    unsigned char *changed = malloc(ROOM);
    bool fits = changed && size < ROOM / 2;
    if (fits)
        j->target->run(data, size);
    for (int k = 0; fits && k < j->rounds / (j->seeds ? j->seeds : 1); k++) {
        unsigned long long r = (unsigned long long)(i * 1000003 + k);
        size_t m = size;
        memcpy(changed, data, size);
        for (int n = 1 + (int)(orr_test_rand(&r) % 3); n > 0; n--)
            m = orr_test_change(changed, m, ROOM, &r);
        if (j->target->seal && k % 2)
            j->target->seal(changed, m);
        unsigned char *exact = malloc(m ? m : 1); /* the sanitizer knows where it ends */
        fits = exact != NULL;
        if (fits) {
            memcpy(exact, changed, m);
            j->target->run(exact, m);
        }
        free(exact);
    }
    free(changed);
    return fits;
}

static bool count(const unsigned char *data, size_t size, int i, void *user)
{
    (void)data;
    (void)size;
    (void)i;
    (void)user;
    return true;
}

static void readers_keep_to_their_contract(void)
{
    const char *only = getenv("ORR_FUZZ");
    for (const fuzz_target *t = fuzz_targets; t->name; t++) {
        if (only && strcmp(only, t->name) != 0)
            continue;
        job j = { t, fuzz_seeds(t, count, NULL), t->rounds ? t->rounds : ROUNDS };
        if (getenv("ORR_TEST_FULL"))
            j.rounds = ALL_ROUNDS;
        ORR_CHECK_MSG(j.seeds > 0 && fuzz_seeds(t, replay, &j) == j.seeds, "%s: %d seeds", t->name, j.seeds);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(readers_keep_to_their_contract), { 0 } };
    if (!fuzz_begin())
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "fuzz.replay", tests);
    fuzz_end();
    return rc;
}
