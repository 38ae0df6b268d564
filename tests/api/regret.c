/* Trials of a program: a chain with a softmax and a sum, and steps of the heat equation. Their excess stays below the bound of the ledger,
 * and a second start with the models of the first tries no variant again.
 * Must not know: lanes, variants. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/base/regret.h"
#include "tests/harness/harness.h"

static char dir[] = "/tmp/orr-regret-XXXXXX";

static orr_tensor *chain(orr_tensor *x)
{
    return orr_sum(orr_softmax(orr_tanh(orr_mul(orr_add(x, orr_scalar(1)), x)), 1), ORR_ALL_AXES, false);
}

static orr_tensor *heat(orr_tensor *u)
{
    orr_tensor *rows = orr_add(orr_roll(u, ORR_INDEX(1), ORR_AXES(0)), orr_roll(u, ORR_INDEX(-1), ORR_AXES(0)));
    orr_tensor *columns = orr_add(orr_roll(u, ORR_INDEX(1), ORR_AXES(1)), orr_roll(u, ORR_INDEX(-1), ORR_AXES(1)));
    return orr_add(orr_mul(u, orr_scalar(0.6)), orr_mul(orr_add(rows, columns), orr_scalar(0.1)));
}

/* An f16 chain has two tiers to compare. */
static orr_tensor *half(orr_tensor *x)
{
    return orr_add(orr_mul(orr_cast(x, ORR_F16), orr_scalar(0.5)), orr_scalar(1));
}

static orr__regret evaluations(int n)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(4096, 512), 0, 1),
               *u = orr_keep(orr_zeros(ORR_F32, ORR_SHAPE(256, 256)));
    for (int i = 0; i < n; i++) {
        orr_scope *step = orr_scope_begin();
        orr_tensor *next = orr_keep(heat(u));
        ORR_CHECK(orr_eval(chain(x)) == ORR_OK && orr_eval(next) == ORR_OK && orr_eval(half(u)) == ORR_OK);
        (void)orr_free(u);
        u = next;
        (void)orr_scope_end(step);
    }
    orr__regret now = orr__regret_now();
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ORR_CHECK(f && orr_explain(f, chain(x)) == ORR_OK && fclose(f) == 0);
    ORR_CHECK((text && strstr(text, "trials of this process") != NULL) == (now.trials > 0));
    free(text);
    orr_stat row[64];
    int rows = orr_stats(row, 64), found = 0;
    for (int i = 0; i < rows && i < 64; i++)
        if (!strcmp(row[i].kind, "trials: regret")) {
            found++;
            ORR_CHECK(row[i].tasks == now.trials && row[i].seconds == now.excess);
        }
    ORR_CHECK(found == (now.trials > 0));
    (void)orr_free(u);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    return now;
}

/* Other load may slow a run on several threads down, which counts as regret but is no trial: the bound gets some room for it. */
static void trials_stay_below_the_bound(void)
{
    orr__regret first = { 0 };
    for (int i = 0; i < 3 && (i == 0 || first.excess > first.bound + 0.02); i++) {
        char cache[64]; /* without models */
        (void)snprintf(cache, sizeof cache, "%s/%d", dir, i);
        ORR_REQUIRE(setenv("ORRERY_CACHE_DIR", cache, 1) == 0);
        first = evaluations(300);
    }
    ORR_CHECK_MSG(first.evaluations >= 600, "%d evaluations", (int)first.evaluations);
    ORR_CHECK_MSG(first.excess <= first.bound + 0.02, "%g s of at most %g", first.excess, first.bound);
    ORR_CHECK_MSG(first.trials > 0, "%s", "nothing was tried");
    /* Load on the machine may make a known lane look slow, and the caller alone worth a try. */
    ORR_REQUIRE(setenv("ORRERY_ABLATE", "trial", 1) == 0);
    orr__regret last = evaluations(100);
    for (int i = 0; i < 5 && last.trials > 0; i++)
        last = evaluations(100);
    ORR_CHECK_MSG(last.trials == 0, "%d trials by known models", (int)last.trials);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(trials_stay_below_the_bound), { 0 } };
    if (!mkdtemp(dir) || setenv("ORRERY_CACHE_DIR", dir, 1) != 0 || setenv("ORRERY_MACHINE", "measured", 1) != 0 ||
        setenv("ORRERY_JIT", "wait", 1) != 0)
        return 1;
    int rc = orr_test_main(argc, argv, "api.regret", tests);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? rc : 1;
}
