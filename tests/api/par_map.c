/* orr_par_map beside the same work done item by item.
 * Must not know: how work is divided. */
#include "config.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/pool.h"
#include "tests/harness/harness.h"

enum { N = 300 };

static orr_tensor *norm_of_product(orr_tensor *x, int64_t i, void *user)
{
    orr_tensor *w = user;
    return orr_sum(orr_tanh(orr_mul(orr_matmul(x, w), orr_scalar((double)(i % 7)))), ORR_ALL_AXES, false);
}

static void results_are_those_of_one_by_one_in_order(void)
{
    static orr_tensor *item[N], *got[N];
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_rand(ORR_F32, ORR_SHAPE(20, 30), -1.0, 1.0);
    for (int i = 0; i < N; i++) /* shapes of five kinds */
        item[i] = orr_rand(ORR_F32, ORR_SHAPE(3 + i % 5, 20), -1.0, 1.0);
    ORR_CHECK(orr_eval_all(item, N) == ORR_OK && orr_eval(w) == ORR_OK);
    ORR_CHECK_MSG(orr_par_map(N, norm_of_product, item, w, got) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < N; i++) {
        double a = 0, b = 0;
        ORR_CHECK(orr_item(got[i], &a) == ORR_OK && orr_item(norm_of_product(item[i], i, w), &b) == ORR_OK);
        ORR_CHECK_MSG(a == b, "item %d: %.9g, alone %.9g", i, a, b);
    }
    (void)orr_scope_end(s);
}

static orr_tensor *heavy(orr_tensor *x, int64_t i, void *user)
{
    (void)i;
    (void)user;
    return orr_matmul(x, orr_transpose(x));
}

static void heavy_items_are_right_too(void)
{
    orr_tensor *item[12], *got[12];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 12; i++)
        item[i] = orr_full(ORR_F32, ORR_SHAPE(400, 300), (double)i);
    ORR_CHECK(orr_par_map(12, heavy, item, NULL, got) == ORR_OK);
    for (int i = 0; i < 12; i++) {
        const float *v = orr_data(got[i]);
        ORR_CHECK(v && v[0] == 300.0f * (float)(i * i) && v[400 * 400 - 1] == v[0]);
    }
    (void)orr_scope_end(s);
}

static orr_tensor *by_number(orr_tensor *x, int64_t i, void *user)
{
    ORR_CHECK(x == NULL);
    return orr_add(orr_full(ORR_F64, ORR_SHAPE(4), (double)i), (orr_tensor *)user);
}

static void par_map_items_are_optional(void)
{
    orr_tensor *got[50];
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_par_map(50, by_number, NULL, orr_scalar(0.5), got) == ORR_OK);
    for (int i = 0; i < 50; i++) {
        const double *v = orr_data(got[i]);
        ORR_CHECK(v && v[3] == i + 0.5);
    }
    ORR_CHECK(orr_par_map(0, NULL, NULL, NULL, NULL) == ORR_OK);
    (void)orr_scope_end(s);
}

static orr_tensor *same(orr_tensor *x, int64_t i, void *user)
{
    (void)i;
    (void)user;
    return x;
}

static void par_map_may_return_the_item(void)
{
    orr_tensor *got[3];
    orr_scope *s = orr_scope_begin();
    orr_tensor *item[3] = { orr_ones(ORR_F32, ORR_SHAPE(2)), orr_zeros(ORR_I32, ORR_SHAPE(3)),
                            orr_ones(ORR_BOOL, ORR_SHAPE(1)) };
    orr_scope *inner = orr_scope_begin();
    ORR_CHECK(orr_par_map(3, same, item, NULL, got) == ORR_OK);
    ORR_CHECK(orr_tensor_size(got[1]) == 3);
    (void)orr_scope_end(inner);
    ORR_CHECK(orr_tensor_status(item[0]) == ORR_OK); /* still owned by its owner */
    (void)orr_scope_end(s);
}

static orr_tensor *some_fail(orr_tensor *x, int64_t i, void *user)
{
    (void)user;
    if (i == 5)
        return NULL;
    return i == 3 ? orr_matmul(x, x) : orr_exp(x);
}

static void par_map_failed_item_leaves_others(void)
{
    orr_tensor *item[8], *got[8];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 8; i++)
        item[i] = orr_zeros(ORR_F32, ORR_SHAPE(2, 3));
    int line = __LINE__ + 1;
    ORR_CHECK(orr_par_map(8, some_fail, item, NULL, got) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "matmul"), "line %d: %s", line, orr_error_message());
    for (int i = 0; i < 8; i++) {
        const float *v = i == 3 || i == 5 ? NULL : orr_data(got[i]);
        ORR_CHECK(i == 3 ? orr_tensor_status(got[i]) == ORR_ESHAPE : i == 5 ? got[i] == NULL : v && v[5] == 1.0f);
    }
    (void)orr_scope_end(s);
}

static orr_tensor *some_fail_late(orr_tensor *x, int64_t i, void *user)
{
    (void)user;
    if (i == 2)
        return orr_take(x, orr_full(ORR_I32, ORR_SHAPE(1), 9), 0);
    if (i == 4)
        return orr_cholesky(orr_full(ORR_F64, ORR_SHAPE(2, 2), -1));
    return i == 6 ? orr_matmul(x, x) : orr_exp(x);
}

/* The failing item shares an evaluation with others; the first failure ends it. */
static void failing_evaluation_leaves_others(void)
{
    orr_tensor *item[8], *got[8];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 8; i++)
        item[i] = orr_zeros(ORR_F32, ORR_SHAPE(2, 3));
    for (int k = 0; k < 5; k++) {
        ORR_CHECK(orr_par_map(8, some_fail_late, item, NULL, got) == ORR_EINDEX);
        ORR_CHECK_MSG(strstr(orr_error_message(), "index 9"), "not the first item's: %s", orr_error_message());
    }
    orr_stats_reset();
    for (int i = 0; i < 8; i++)
        if (i % 2 == 1 || i == 0) {
            const float *v = orr_data(got[i]);
            ORR_CHECK(v && v[5] == 1.0f);
        }
    ORR_CHECK_MSG(orr_stats(NULL, 0) == 0, "%s", "the others were not evaluated yet");
    double v;
    ORR_CHECK(orr_item(got[2], &v) != ORR_OK && orr_eval(got[4]) == ORR_ENUMERIC && orr_eval(got[6]) == ORR_ESHAPE);
    (void)orr_scope_end(s);
}

static void misuse_is_reported(void)
{
    orr_tensor *got[1];
    ORR_CHECK(orr_par_map(-1, same, NULL, NULL, got) == ORR_EINVAL);
    ORR_CHECK(orr_par_map(1, NULL, NULL, NULL, got) == ORR_EINVAL);
    ORR_CHECK(orr_par_map(1, same, NULL, NULL, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_par_map(1, same, NULL, NULL, got) == ORR_EINVAL && got[0] == NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_par_map(0, same, NULL, NULL, got) == ORR_ESTATE);
}

static orr_tensor *twice(orr_tensor *item, int64_t i, void *user)
{
    (void)item, (void)user;
    return orr_full(ORR_F64, ORR_SHAPE(), 2.0 * (double)i);
}

static void *map_in_little_memory(void *arg)
{
    orr_tensor *r[3] = { NULL };
    orr_scope *s = orr_scope_begin(); /* the thread's first: no other can be reused */
    orr__pool_fail_after(*(long *)arg);
    orr_status st = orr_par_map(3, twice, NULL, NULL, r);
    orr__pool_fail_after(-1);
    ORR_CHECK_MSG(st == ORR_OK || st == ORR_ENOMEM, "%ld: %s", *(long *)arg, orr_error_message());
    for (int i = 0; i < 3; i++) {
        orr_status one = orr_tensor_status(r[i]);
        ORR_CHECK_MSG(one == ORR_OK || one == ORR_ENOMEM, "%ld: %s", *(long *)arg, orr_status_name(one));
    }
    (void)orr_scope_end(s);
    return NULL;
}

static void define_without_memory_reports_enomem(void)
{
    for (long n = 0; n < 12; n++) {
        pthread_t t;
        if (pthread_create(&t, NULL, map_in_little_memory, &n) == 0)
            (void)pthread_join(t, NULL);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(results_are_those_of_one_by_one_in_order),
                                      ORR_TEST(heavy_items_are_right_too),
                                      ORR_TEST(par_map_items_are_optional),
                                      ORR_TEST(par_map_may_return_the_item),
                                      ORR_TEST(par_map_failed_item_leaves_others),
                                      ORR_TEST(failing_evaluation_leaves_others),
                                      ORR_TEST(define_without_memory_reports_enomem),
                                      ORR_TEST(misuse_is_reported),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    return orr_test_main(argc, argv, "api.par_map", tests);
}
