/* The last rank fails alone: what tests of it have in common. The includer has defined N, the order of its matrices.
 * Must not know: why it fails. */
#ifndef ORR_TESTS_ODD_RANK_H
#define ORR_TESTS_ODD_RANK_H

#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/ranks.h"

static inline int odd(void)
{
    return orr_test_ranks() - 1;
}

static inline bool mine(void)
{
    return orr_test_rank() == odd();
}

static inline void down(void)
{
    orr_error_clear();
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
    (void)alarm(300);
}

static inline orr_grid *line_of_ranks(void)
{
    return orr_grid_make(1, ((int64_t[]){ -1 }));
}

/* 0 … N·N − 1 over the ranks. */
static inline orr_tensor *ramp(orr_grid *g)
{
    return orr_shard(orr_reshape(orr_arange(ORR_F64, 0, N * N, 1), ORR_SHAPE(N, N)), g, ORR_AXES(0));
}

static inline bool is_sum(orr_tensor *t, double right)
{
    double got = NAN;
    orr_status st = orr_item(orr_sum(t, ORR_ALL_AXES, false), &got);
    ORR_CHECK_MSG(st == ORR_OK && fabs(got - right) < 1e-6, "%g, not %g: %s", got, right, orr_error_message());
    return st == ORR_OK && fabs(got - right) < 1e-6;
}

enum { RAMP = N * N * (N * N - 1) / 2 };

/* The status of a call that fails on the odd rank for the reason `own`, whose message has the words. */
static inline bool is_told(orr_status st, orr_status own, const char *words, const char *call)
{
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d of ", odd());
    bool well = st == (mine() ? own : ORR_ERANK) && strstr(orr_error_message(), words) &&
                (mine() || strstr(orr_error_message(), name));
    ORR_CHECK_MSG(well, "%s: %s: %s", call, orr_status_name(st), orr_error_message());
    return well;
}

#endif
