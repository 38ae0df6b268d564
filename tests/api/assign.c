/* Assignments of many variables: all of them or none, for every wrong input and every failed allocation.
 * Must not know: how a list of assignments is kept. */
#include "config.h"
#include <pthread.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/pool.h"
#include "tests/harness/harness.h"

static double item(orr_tensor *t)
{
    double v = -1;
    ORR_CHECK_MSG(orr_item(t, &v) == ORR_OK, "%s", orr_error_message());
    return v;
}

static orr_tensor *number(double v)
{
    return orr_variable(orr_full(ORR_F64, ORR_SHAPE(), v));
}

static void assign_all_uses_values_before_the_call(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[3] = { number(1), number(2), number(3) };
    ORR_CHECK(orr_assign_all(v, (orr_tensor *[]){ v[1], orr_add(v[0], v[2]), v[0] }, 3) == ORR_OK);
    ORR_CHECK(item(v[0]) == 2 && item(v[1]) == 4 && item(v[2]) == 1);
    ORR_CHECK(orr_assign_all((orr_tensor *[]){ v[0], v[0] }, (orr_tensor *[]){ v[1], v[2] }, 2) == ORR_OK);
    ORR_CHECK(item(v[0]) == 1);
    ORR_CHECK(orr_assign_all(NULL, NULL, 0) == ORR_OK);
    (void)orr_scope_end(s);
}

static void assign_all_with_wrong_pair_changes_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[3] = { number(1), number(2), number(3) }, *plain = orr_scalar(7), *x = orr_scalar(9);
    orr_tensor *nine = orr_full(ORR_F64, ORR_SHAPE(), 9), *wide = orr_zeros(ORR_F64, ORR_SHAPE(2));
    orr_tensor *single = orr_zeros(ORR_F32, ORR_SHAPE()), *poison = orr_add(wide, orr_zeros(ORR_F64, ORR_SHAPE(3)));
    const struct {
        orr_tensor *variable, *value;
        orr_status st;
    } wrong[] = { { v[2], wide, ORR_ESHAPE },    { v[2], single, ORR_EDTYPE }, { v[2], poison, ORR_ESHAPE },
                  { plain, x, ORR_EINVAL },      { NULL, nine, ORR_EINVAL },   { v[2], NULL, ORR_EINVAL },
                  { single, single, ORR_EINVAL } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        orr_status st = orr_assign_all((orr_tensor *[]){ v[0], v[1], wrong[i].variable },
                                       (orr_tensor *[]){ nine, nine, wrong[i].value }, 3);
        ORR_CHECK_MSG(st == wrong[i].st, "%zu: %s", i, orr_error_message());
        if (wrong[i].value != poison) /* poison reports where it began */
            ORR_CHECK_MSG(strstr(orr_error_message(), " 2"), "%s", orr_error_message());
        ORR_CHECK(item(v[0]) == 1 && item(v[1]) == 2 && item(v[2]) == 3);
    }
    ORR_CHECK(orr_assign_all(v, NULL, 3) == ORR_EINVAL && orr_assign_all(NULL, v, 3) == ORR_EINVAL);
    ORR_CHECK(orr_assign_all(v, v, -1) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

enum { MANY = 100 };

/* True if all variables have the value `want`. A partial step would leave weights that are neither the old nor the
 * new ones. */
static bool all_are(orr_tensor *const *v, double want)
{
    for (int i = 0; i < MANY; i++)
        if (item(v[i]) != want)
            return false;
    return true;
}

/* A step on a thread of its own, whose list of assignments is empty at first and grows during the step. */
typedef struct {
    orr_optim *opt;
    orr_tensor *const *v;
    long n; /* the allocation that fails */
    orr_status st;
    bool met; /* that allocation was reached */
    char text[200];
} attempt;

static void *step(void *arg)
{
    attempt *a = arg;
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = orr_mul(a->v[0], a->v[0]);
    for (int i = 1; i < MANY; i++)
        loss = orr_add(loss, orr_mul(a->v[i], a->v[i]));
    orr__pool_fail_after(a->n);
    a->st = orr_optim_step(a->opt, loss);
    a->met = !orr__pool_may_fail();
    orr__pool_fail_after(-1);
    (void)snprintf(a->text, sizeof a->text, "%s", orr_error_message());
    if (a->st == ORR_OK)
        a->st = orr_eval_all(NULL, 0);
    (void)orr_scope_end(s);
    return NULL;
}

static void step_without_memory_changes_nothing(void)
{
    orr_tensor *v[MANY];
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.25;
    o.momentum = 0.5;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < MANY; i++)
        v[i] = number(1);
    orr_optim *opt = orr_optim_new(ORR_OPTIM_SGD, v, MANY, &o);
    attempt a = { .opt = opt, .v = v, .met = true };
    int64_t steps = 0;
    double x = 1, m = 0;
    for (; opt && a.met && a.n < 1000; a.n++) {
        pthread_t t;
        if (pthread_create(&t, NULL, step, &a) != 0)
            break;
        (void)pthread_join(t, NULL);
        ORR_CHECK_MSG(a.st == ORR_OK || (a.st == ORR_ENOMEM && *a.text), "%ld: %s", a.n, a.text);
        if (a.st == ORR_OK) {
            m = 0.5 * m + 2 * x;
            x -= 0.25 * m;
            steps++;
        }
        ORR_CHECK_MSG(orr_optim_steps(opt) == steps && all_are(v, x), "%ld: %s", a.n, orr_status_name(a.st));
    }
    ORR_CHECK_MSG(a.n > 10 && !a.met && a.st == ORR_OK, "%ld: %s", a.n, orr_status_name(a.st));
    orr_optim_free(opt);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(assign_all_uses_values_before_the_call),
        ORR_TEST(assign_all_with_wrong_pair_changes_nothing),
        ORR_TEST(step_without_memory_changes_nothing),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.assign", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
