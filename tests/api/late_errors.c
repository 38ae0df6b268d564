/* Errors that evaluation finds: each names the user's call, its line and the user's index, also where an equal graph was evaluated before.
 * Must not know: plans. */
#include "config.h"
#include <orrery.h>
#include <orrery/array.h>
#include <orrery/nn.h>
#include <stdio.h>
#include <string.h>
#include "tests/harness/ops_help.h"

static void check(orr_tensor *t, int line, orr_status want, const char *says)
{
    char place[64];
    (void)snprintf(place, sizeof place, "late_errors.c:%d: %s", line, says);
    orr_status st = orr_eval(t);
    ORR_CHECK_MSG(st == want, "line %d: %s", line, orr_status_name(st));
    ORR_CHECK_MSG(strstr(orr_error_message(), place), "\"%s\" does not have \"%s\"", orr_error_message(), place);
}

#define LATE(t, want, says) check(t, __LINE__, want, says)
#define INDICES(...) orr_from(ORR_I64, ORR_SHAPE(3), ((int64_t[]){ __VA_ARGS__ }))

static void an_equal_graph_before_has_another_line(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(4, 3));
    ORR_CHECK(orr_eval(orr_take(x, INDICES(0, 1, 3), 0)) == ORR_OK);
    LATE(orr_take(x, INDICES(0, 1, 9), 0), ORR_EINDEX,
         "take: index 9 (number 2) is out of range for axis 0 of length 4");
    LATE(orr_take(x, INDICES(0, -5, 1), 0), ORR_EINDEX, "take: index -5 (number 1) is out of range for axis 0");
    for (int i = 0; i < 3; i++)
        LATE(orr_embedding(x, INDICES(7, 0, 0), -1), ORR_EINDEX, "embedding: index 7 (number 0) is out of range");
    LATE(orr_embedding(x, INDICES(7, 0, 0), 1), ORR_EINDEX, "embedding: index 7 (number 0) is out of range");
    orr_tensor *singular = orr_zeros(ORR_F64, ORR_SHAPE(2, 2));
    LATE(orr_inv(singular), ORR_ENUMERIC, "inv: ");
    LATE(orr_inv(singular), ORR_ENUMERIC, "inv: ");
    LATE(orr_solve(singular, orr_ones(ORR_F64, ORR_SHAPE(2, 1))), ORR_ENUMERIC, "solve: ");
    LATE(orr_cholesky(singular), ORR_ENUMERIC, "cholesky: ");
    LATE(orr_cholesky(singular), ORR_ENUMERIC, "cholesky: ");
    (void)orr_scope_end(s);
}

static void a_composition_names_itself(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(4, 3)), *line = orr_ones(ORR_F32, ORR_SHAPE(4));
    orr_tensor *wide = orr_reshape(INDICES(0, 7, 1), ORR_SHAPE(1, 3)),
               *pair = orr_from(ORR_I64, ORR_SHAPE(1, 2), ((int64_t[]){ 9, 9 }));
    LATE(orr_take_along_axis(x, wide, 0), ORR_EINDEX, "take_along_axis: index number 1 is out of range");
    LATE(orr_gather_nd(x, pair), ORR_EINDEX, "gather_nd: index number 0 is out of range");
    LATE(orr_bincount(INDICES(0, 1, -1), NULL, 3), ORR_EINDEX, "bincount: index number 2 is out of range");
    LATE(orr_bincount(INDICES(0, 5, 1), NULL, 3), ORR_EINDEX, "bincount: index 5 (number 1) is out of range");
    LATE(orr_categorical(ORR_SHAPE(2), orr_full(ORR_F32, ORR_SHAPE(3), -1)), ORR_EINVAL, "categorical: weight 0");
    LATE(orr_multinomial(ORR_SHAPE(2), 4, orr_full(ORR_F32, ORR_SHAPE(3), -1)), ORR_EINVAL, "multinomial: weight 0");
    LATE(orr_scatter_nd(x, pair, orr_ones(ORR_F32, ORR_SHAPE(1)), ORR_SCATTER_SET), ORR_EINDEX,
         "scatter_nd: index number 0");
    LATE(orr_take(orr_add(line, line), INDICES(0, 8, 0), 0), ORR_EINDEX, "take: index 8 (number 1)");
    (void)orr_scope_end(s);
}

/* An axis of length 0 has no place at all. */
static void every_index_of_nothing_is_out_of_range(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *none = orr_zeros(ORR_F32, ORR_SHAPE(0, 3)), *wide = orr_zeros(ORR_I64, ORR_SHAPE(1, 3));
    LATE(orr_take_along_axis(none, wide, 0), ORR_EINDEX, "take_along_axis: index ");
    LATE(orr_take(none, INDICES(0, 0, 0), 0), ORR_EINDEX, "take: index 0 (number 0)");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(an_equal_graph_before_has_another_line),
                                      ORR_TEST(a_composition_names_itself),
                                      ORR_TEST(every_index_of_nothing_is_out_of_range),
                                      { 0 } };
    return help_main(argc, argv, "api.late_errors", tests);
}
