/* Regions of small graphs: their number, their reads, and the reasons of refusals.
 * Must not know: how kernels compute. */
#include "config.h"

#include <stdlib.h>
#include <orrery.h>
#include <sys/resource.h>
#include "codelets/jit/internal.h"
#include "codelets/jit/jit.h"
#include "ops/ops.h"
#include "runtime/base/env.h"
#include "runtime/fuse/region.h"
#include "tests/harness/harness.h"

static orr__site here = { "t.c", 1, "test" };

static orr_tensor *leaf(orr_shape shape)
{
    static const float data[4096];
    return orr_from(ORR_F32, shape, data);
}

/* The regions of the graph of t; the caller frees them. */
static orr__regions regions_of(orr_tensor *const *t, int n, bool fuse)
{
    orr__capture p;
    orr__regions rs;
    orr__moved moved = { .any = false };
    orr__node *node[8];
    memset(&rs, 0, sizeof rs);
    for (int i = 0; i < n; i++)
        node[i] = orr__handle_node(t[i]);
    ORR_CHECK(orr__capture_make(here, node, n, &p) == ORR_OK);
    ORR_CHECK(orr__capture_verify(&p) == ORR_OK);
    ORR_CHECK(!fuse || orr__move_reshapes(here, &p, &moved) == ORR_OK);
    ORR_CHECK_MSG(orr__fuse(here, moved.any ? &moved.q : &p, fuse ? ORR__FUSE_TILES : ORR__FUSE_NONE, &rs) == ORR_OK,
                  "%s", orr_error_message());
    orr__moved_free(&moved);
    orr__capture_free(&p);
    return rs;
}

static bool has_reason(const orr__regions *rs, const char *text)
{
    for (int i = 0; i < rs->nreason; i++)
        if (strstr(rs->reason[i], text))
            return true;
    return false;
}

static void a_chain_is_one_region(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(8, 16)), *y = orr_relu(orr_add(orr_mul(x, orr_scalar(2)), orr_scalar(1)));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && orr__region_is_map(&rs.region[0]));
    ORR_CHECK(rs.region[0].rank == 1 && rs.region[0].dim[0] == 128); /* axes merged */
    ORR_CHECK(rs.region[0].nin == 1);
    ORR_CHECK(!strcmp(rs.region[0].label, "mul+add+relu"));
    orr__regions_free(&rs);
    rs = regions_of(&y, 1, false);
    ORR_CHECK(rs.n == 3);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void a_value_used_twice_is_computed_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *e = orr_exp(leaf(ORR_SHAPE(64))), *y = orr_div(e, orr_add(orr_scalar(1), e));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1);
    ORR_CHECK(rs.region[0].ninstr == 5); /* load exp scalar add div */
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* `between` is numbered before `shared`, but depends on it: its region also has `wide`, through which it reads `shared`
 * transposed. If `last` computed `shared` itself, the two regions would wait for one another. */
static void a_region_that_is_read_may_have_later_roots(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *first = orr_exp(leaf(ORR_SHAPE(16, 16)));
    orr_tensor *between = orr_sum(first, ORR_AXES(0), true), *shared = orr_tanh(leaf(ORR_SHAPE(16, 16)));
    orr_tensor *wide = orr_mul(orr_transpose(shared), first), *last = orr_mul(between, shared);
    orr__regions rs = regions_of((orr_tensor *[]){ last, wide }, 2, true);
    ORR_CHECK_MSG(rs.n == 4 || rs.n == 3, "%d regions", rs.n);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void views_are_index_maps(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(8, 16));
    orr_tensor *y = orr_add(orr_transpose(x), orr_flip(orr_transpose(x), ORR_AXES(0)));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].nin == 1 && rs.region[0].naccess == 2);
    ORR_CHECK(rs.region[0].access[0].stride[0] == 1 && rs.region[0].access[0].stride[1] == 16);
    ORR_CHECK(rs.region[0].access[1].offset == 15 && rs.region[0].access[1].stride[0] == -1);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* Windows of windows are one view: the viewed array is stored once, and the windows are copied in one pass. */
static void views_of_views_that_overlap_read_one_buffer(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_exp(leaf(ORR_SHAPE(2, 20, 24)));
    orr_tensor *rows = orr_slice_axis(orr_sliding_window(x, 1, 5, 2), -1, 0, 5, 2); /* (2, 8, 24, 3) */
    orr_tensor *all = orr_sliding_window(rows, 2, 4, 3);                            /* (2, 8, 7, 3, 4) */
    orr_tensor *y = orr_reshape(orr_permute(all, ORR_AXES(0, 1, 2, 4, 3)), ORR_SHAPE(2, 56, 12));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_REQUIRE(rs.n == 2 && rs.region[1].nin == 1 && rs.region[1].in[0] == rs.region[0].out[0]);
    ORR_CHECK(rs.region[0].out_count == 2 * 20 * 24);
    const orr__access *a = &rs.region[1].access[0];
    const int64_t *stride = a->stride;
    ORR_CHECK(rs.region[1].rank == 5 && stride[0] == 480 && stride[1] == 48 && stride[2] == 3 && stride[3] == 1 &&
              stride[4] == 48);
    orr__regions_free(&rs);
    /* Windows of the elements of windows are not a view of the operand: the first windows are stored, and the two sets after
     * them are one. */
    y = orr_sliding_window(orr_sliding_window(orr_sliding_window(x, 2, 9, 1), 3, 4, 1), 2, 3, 1);
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 3 && rs.region[1].out_count == 2 * 20 * 16 * 9);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* A fold of few rows of memory, element by element, is a map. A fold along rows, of many rows, or of values that another fold shares, is
 * none; a result that is repeated is stored. */
static void a_fold_across_few_rows_is_a_map(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(6, 3, 40)), *turned = orr_permute(x, ORR_AXES(0, 2, 1));
    const struct {
        orr_tensor *y;
        bool map;
    } of[] = { { orr_sum(x, ORR_AXES(1), false), true },
               { orr_max(orr_relu(x), ORR_AXES(1), false), true },
               { orr_sum(turned, ORR_AXES(2), false), true },
               { orr_sum(turned, ORR_AXES(1), false), false },
               { orr_sum(x, ORR_AXES(-1), false), false },
               { orr_sum(leaf(ORR_SHAPE(6, 30, 40)), ORR_AXES(1), false), false },
               { orr_var(x, ORR_AXES(1), 0, false), false } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        orr_tensor *y = of[i].y;
        orr__regions rs = regions_of(&y, 1, true);
        ORR_REQUIRE(rs.n >= 1);
        ORR_CHECK_MSG((rs.region[0].rmask == 0) == of[i].map && (rs.n == 1 || !of[i].map), "%zu: %d regions", i, rs.n);
        orr__regions_free(&rs);
    }
    orr_tensor *y = orr_sub(x, orr_mean(x, ORR_AXES(1), true));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 2 && rs.region[0].out_count == 6 * 40);
    orr__regions_free(&rs);
    y = orr_sum(leaf(ORR_SHAPE(3, 50, 19)), ORR_AXES(0, 2), false); /* across three rows first, then along them */
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 2 && rs.region[0].dim[0] == 50 && rs.region[0].dim[1] == 19);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void a_fold_of_two_to_four_neighbours_is_a_map(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(300, 3)), *sum = orr_sum(x, ORR_AXES(1), true);
    const struct {
        orr_tensor *y;
        bool map;
    } of[] = { { sum, true },
               { orr_sqrt(orr_sum(orr_square(x), ORR_AXES(1), false)), true },
               { orr_max(leaf(ORR_SHAPE(300, 2, 2)), ORR_AXES(1, 2), false), true },
               { orr_sub(x, sum), false }, /* the sum is needed again for each element */
               { orr_sum(leaf(ORR_SHAPE(300, 5)), ORR_AXES(1), false), false },
               { orr_sum(orr_slice(leaf(ORR_SHAPE(300, 7)), ORR_INDEX(0, 0), ORR_INDEX(ORR_END, 3), ORR_INDEX(1, 1)),
                         ORR_AXES(1), false),
                 false } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        orr_tensor *y = of[i].y;
        orr__regions rs = regions_of(&y, 1, true);
        ORR_REQUIRE(rs.n == 1);
        bool folds = rs.region[0].rmask != 0;
        for (int n = 0; n < rs.region[0].ninstr; n++)
            folds = folds || rs.region[0].instr[n].kind == ORR__RI_FOLD;
        ORR_CHECK_MSG(folds != of[i].map, "%zu", i);
        orr__regions_free(&rs);
    }
    (void)orr_scope_end(s);
}

static void a_fold_on_both_sides_of_an_axis_begins_along_rows(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_max(orr_placeholder(ORR_F32, ORR_SHAPE(2000, 26, 13)), ORR_AXES(0, 2), false);
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 2 && rs.region[0].rmask == 2u && rs.region[0].out_count == 2000 * 26);
    orr__regions_free(&rs);
    y = orr_sum(orr_placeholder(ORR_F32, ORR_SHAPE(9, 30, 4000)), ORR_AXES(0, 2), false);
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 2 && rs.region[0].out_count == 9 * 30);
    orr__regions_free(&rs);
    y = orr_sum(orr_placeholder(ORR_F32, ORR_SHAPE(9, 30, 400)), ORR_AXES(0, 2), false); /* in the caches */
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1);
    orr__regions_free(&rs);
    y = orr_sum(orr_placeholder(ORR_F32, ORR_SHAPE(37, 90000, 2)), ORR_AXES(0, 2),
                false); /* a chain, in the fold of columns */
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 2 && rs.region[0].dim[0] == 37 && rs.region[0].dim[1] == 90000);
    orr__regions_free(&rs);
    y = orr_sum(orr_placeholder(ORR_F32, ORR_SHAPE(1, 4, 0)), ORR_AXES(1, 2),
                true); /* a chain of no elements is none */
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && (rs.region[0].rmask || rs.region[0].ninstr <= 1));
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* relu(x) and x are one load: two folds compute the minimum of both again, and no buffer has it. x and y are two. */
static void what_reads_one_buffer_twice_is_light(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_placeholder(ORR_F32, ORR_SHAPE(9, 6000)), *y = orr_placeholder(ORR_F32, ORR_SHAPE(9, 6000));
    for (int two = 0; two < 2; two++) {
        orr_tensor *t = orr_minimum(orr_relu(x), two ? y : x);
        orr_tensor *out[] = { orr_sum(t, ORR_AXES(1), false), orr_max(t, ORR_AXES(0), false) };
        orr__regions rs = regions_of(out, 2, true);
        ORR_CHECK_MSG(rs.n == 2 + two, "%d regions", rs.n);
        orr__regions_free(&rs);
    }
    (void)orr_scope_end(s);
}

/* Each value has two readers, so 2 to the 60 paths lead from a fold to its leaf. */
static void the_search_below_a_fold_ends(void)
{
    static const uint32_t folded[] = { 1, 2, 4, 5, 6, 7 };
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++)
        for (int turned = 0; turned < 2; turned++) {
            orr_scope *s = orr_scope_begin();
            orr_axes axes = { .n = 0 };
            orr_tensor *y = orr_placeholder(ORR_F32, ORR_SHAPE(100000, 3, 3));
            for (int k = 0; k < 60; k++)
                y = orr_add(y, turned ? orr_permute(y, ORR_AXES(0, 2, 1)) : y);
            for (int d = 0; d < 3; d++)
                if (folded[i] >> d & 1u)
                    axes.axis[axes.n++] = d;
            y = orr_max(y, axes, false);
            orr__regions rs = regions_of(&y, 1, true);
            ORR_CHECK(rs.n >= 1);
            orr__regions_free(&rs);
            (void)orr_scope_end(s);
        }
}

static void a_chain_runs_inside_its_reduction(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_sum(orr_square(leaf(ORR_SHAPE(8, 16))), ORR_AXES(1), false);
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rmask == 2u);
    ORR_CHECK(rs.region[0].out_count == 8);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* The first axis of a transposed operand is contiguous: its folds are folds of rows. That of any other operand stays. */
static void folds_of_a_transposed_operand_are_folds_of_rows(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(8, 16)), *y = orr_sum(orr_exp(orr_transpose(x)), ORR_AXES(0), false);
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 2 && rs.region[0].rmask == 2u);
    ORR_CHECK(rs.region[0].dim[0] == 8 && rs.region[0].dim[1] == 16 && rs.region[0].access[0].stride[1] == 1);
    orr__regions_free(&rs);
    y = orr_sum(orr_exp(x), ORR_AXES(0), false);
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rmask == 1u && rs.region[0].dim[0] == 8);
    orr__regions_free(&rs);
    y = orr_sum(orr_add(orr_transpose(x), leaf(ORR_SHAPE(16, 8))), ORR_AXES(0), false); /* one of each kind */
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rmask == 1u);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void expensive_shared_values_get_a_buffer_and_cheap_ones_do_not(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(8, 16));
    orr_tensor *e = orr_exp(x), *y[2] = { orr_sum(e, ORR_ALL_AXES, false), orr_add(e, orr_scalar(1)) };
    orr__regions rs = regions_of(y, 2, true);
    /* the sum reads a buffer, which the other region writes beside its own result */
    ORR_CHECK(rs.n == 2 && has_reason(&rs, "several regions read it"));
    ORR_CHECK(rs.region[0].nout == 2 && rs.region[1].rmask);
    orr__regions_free(&rs);
    orr_tensor *n = orr_neg(x), *z[2] = { orr_sum(n, ORR_ALL_AXES, false), orr_add(n, orr_scalar(1)) };
    rs = regions_of(z, 2, true);
    ORR_CHECK(rs.n == 2);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void a_broadcast_does_not_multiply_expensive_work(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_add(leaf(ORR_SHAPE(32, 16)), orr_exp(leaf(ORR_SHAPE(16))));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 2 && has_reason(&rs, "times over by the view"));
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void matmul_reads_transposed_operands_in_place(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_matmul(orr_transpose(leaf(ORR_SHAPE(8, 4))), leaf(ORR_SHAPE(8, 5)));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].loops == ORR__LOOPS_PRODUCT);
    const orr__region *r = &rs.region[0];
    ORR_CHECK(r->rank == 3 && r->dim[0] == 4 && r->dim[1] == 5 && r->dim[2] == 8);
    ORR_CHECK(r->access[0].stride[0] == 1 && r->access[0].stride[2] == 4);
    ORR_CHECK(r->access[1].stride[1] == 1 && r->access[1].stride[2] == 5);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void a_reshape_of_a_buffer_costs_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_neg(orr_reshape(leaf(ORR_SHAPE(8, 16)), ORR_SHAPE(4, 32)));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 1);
    orr__regions_free(&rs);
    orr_tensor *z = orr_neg(orr_reshape(orr_transpose(leaf(ORR_SHAPE(8, 16))), ORR_SHAPE(4, 32)));
    rs = regions_of(&z, 1, true);
    ORR_CHECK(rs.n == 2 && has_reason(&rs, "view mixes axes"));
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void a_region_has_a_limited_size(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = leaf(ORR_SHAPE(64));
    for (int i = 0; i < 200; i++)
        y = orr_sin(y);
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n >= 3 && rs.n <= 8 && has_reason(&rs, "region is full"));
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void equal_content_has_equal_keys_whatever_the_size(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_mul(leaf(ORR_SHAPE(10)), orr_scalar(2)), *b = orr_mul(leaf(ORR_SHAPE(20)), orr_scalar(3));
    orr_tensor *c = orr_add(leaf(ORR_SHAPE(10)), orr_scalar(2));
    orr__regions ra = regions_of(&a, 1, true), rb = regions_of(&b, 1, true), rc = regions_of(&c, 1, true);
    ORR_CHECK(ra.region[0].key == rb.region[0].key);
    ORR_CHECK(ra.region[0].key != rc.region[0].key);
    orr__regions_free(&ra);
    orr__regions_free(&rb);
    orr__regions_free(&rc);
    (void)orr_scope_end(s);
}

static void equal_subexpressions_are_computed_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(64)), *y = orr_add(orr_exp(x), orr_sin(orr_exp(x)));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].ninstr == 4); /* load exp sin add */
    orr__regions_free(&rs);
    orr_tensor *m[2] = { orr_sum(orr_exp(x), ORR_ALL_AXES, false), orr_sum(orr_exp(x), ORR_ALL_AXES, false) };
    rs = regions_of(m, 2, true);
    ORR_CHECK(rs.n == 1);
    orr__regions_free(&rs);
    /* scalars may differ at the plan's next use: they keep expressions distinct */
    orr_tensor *z = orr_mul(orr_mul(x, orr_scalar(2)), orr_mul(x, orr_scalar(2)));
    rs = regions_of(&z, 1, true);
    ORR_CHECK(rs.region[0].ninstr == 6);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static void exact_identities_vanish(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(64));
    orr_tensor *y = orr_add(orr_neg(orr_neg(x)), orr_abs(orr_abs(orr_positive(x))));
    orr__regions rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].ninstr == 3); /* load abs add */
    orr__regions_free(&rs);
    y = orr_exp(orr_maximum(orr_minimum(x, x), orr_positive(x)));
    rs = regions_of(&y, 1, true);
    ORR_CHECK(rs.n == 1 && rs.region[0].ninstr == 2); /* load exp */
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* Does a chain for this sum have a number in f64? */
static bool sums_in_f64(orr_tensor *y)
{
    orr__regions rs = regions_of(&y, 1, true);
    bool wide = false;
    ORR_CHECK(rs.n == 1 && rs.region[0].rmask == 0);
    for (int i = 0; i < rs.region[0].ninstr; i++)
        wide = wide || rs.region[0].instr[i].dtype == ORR_F64;
    orr__regions_free(&rs);
    return wide;
}

static void few_numbers_that_cannot_cancel_are_summed_in_f32(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(20, 3, 40)), *half = orr_placeholder(ORR_BF16, ORR_SHAPE(20, 3, 40));
    ORR_CHECK(!sums_in_f64(orr_sum(orr_square(x), ORR_AXES(1), false)));
    ORR_CHECK(!sums_in_f64(orr_mean(orr_abs(x), ORR_AXES(1), false)));
    ORR_CHECK(!sums_in_f64(orr_sum(half, ORR_AXES(1), false)));
    ORR_CHECK(sums_in_f64(orr_sum(x, ORR_AXES(1), false)));
    ORR_CHECK(sums_in_f64(orr_sum(orr_mul(x, x), ORR_AXES(1), false)));
    (void)orr_scope_end(s);
}

/* True if the graph is one region that folds rows. */
static bool is_one_row_kernel(orr_tensor *t)
{
    orr__regions rs = regions_of(&t, 1, true);
    bool one = rs.n == 1 && orr__region_rows(&rs.region[0]) && orr__region_is_map(&rs.region[0]);
    orr__regions_free(&rs);
    return one;
}

static void rows_are_folded_in_place(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(32, 16));
    ORR_CHECK(is_one_row_kernel(orr_softmax(x, -1)));
    ORR_CHECK(is_one_row_kernel(orr_log_softmax(x, -1)));
    orr_tensor *m = orr_mean(x, ORR_AXES(1), true), *v = orr_var(x, ORR_AXES(1), 0, true);
    ORR_CHECK(is_one_row_kernel(orr_div(orr_sub(x, m), orr_sqrt(orr_add(v, orr_scalar(1e-5))))));
    ORR_CHECK(is_one_row_kernel(orr_softmax(leaf(ORR_SHAPE(16)), 0)));
    (void)orr_scope_end(s);
}

static void rows_that_cannot_be_folded_in_place_are_not(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(16, 16)), *sum = orr_sum(x, ORR_AXES(1), true);
    ORR_CHECK(!is_one_row_kernel(orr_sub(x, orr_transpose(sum)))); /* the sums belong to other rows */
    ORR_CHECK(!is_one_row_kernel(orr_softmax(x, 0)));              /* columns                       */
    ORR_CHECK(!is_one_row_kernel(orr_sub(x, orr_sum(sum, ORR_AXES(0), true))));
    orr_tensor *both[2] = { orr_sub(x, sum), sum }; /* the sum is an output itself */
    orr__regions rs = regions_of(both, 2, true);
    ORR_CHECK(rs.n == 2);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

static int regions_in(orr_tensor *t)
{
    orr__regions rs = regions_of(&t, 1, true);
    int n = rs.n;
    orr__regions_free(&rs);
    return n;
}

/* Masks, one-hot rows and random numbers are computed where they are used: they have no buffer. */
static void values_made_of_indices_need_no_memory(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(16, 16)), *label = orr_cast(leaf(ORR_SHAPE(16)), ORR_I64);
    orr_tensor *zero = orr_zeros(ORR_F32, ORR_SHAPE_0D);
    orr_tensor *keep = orr_bernoulli(ORR_SHAPE(16, 16), 0.5);
    ORR_CHECK(regions_in(orr_exp(orr_tril(x, 1))) == 1);
    ORR_CHECK(regions_in(orr_mul(orr_triu(x, 0), orr_tril(x, 0))) == 1);
    ORR_CHECK(regions_in(orr_sum(orr_mul(x, orr_one_hot(label, 16, ORR_F32)), ORR_AXES(1), false)) == 1);
    ORR_CHECK(regions_in(orr_mul(orr_where(keep, x, zero), orr_scalar(2))) == 1);
    ORR_CHECK(regions_in(orr_cast(orr_flip(orr_sin(x), ORR_AXES(0)), ORR_F16)) == 1);
    (void)orr_scope_end(s);
}

/* Forward and backward of a dropout: the mask is no output of any kernel. */
static void a_dropout_mask_is_made_again_rather_than_stored(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(16, 16)), *keep = orr_bernoulli(ORR_SHAPE(16, 16), 0.5), *g;
    orr_tensor *y = orr_where(keep, orr_exp(x), orr_zeros(ORR_F32, ORR_SHAPE_0D));
    ORR_CHECK(orr_grad(orr_sum(orr_square(y), ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
    orr__regions rs = regions_of((orr_tensor *[]){ y, g }, 2, true);
    for (int i = 0; i < rs.n; i++)
        for (int k = 0; k < rs.region[i].nout; k++)
            ORR_CHECK_MSG(rs.region[i].out_dtype[k] != ORR_BOOL, "region %d \"%s\" stores a mask", i,
                          rs.region[i].label);
    ORR_CHECK(rs.n == 1);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* Processor seconds of the child processes of this one. */
static double spent_by_children(void)
{
    struct rusage r = { .ru_utime = { 0 } };
    (void)getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* As many different expensive rows as a region holds, in f64: the compiler ends before its time limit, on a core of its own. */
static void a_full_region_of_heavy_rows_compiles_in_time(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_cast(orr_ones(ORR_F32, ORR_SHAPE(4096)), ORR_F64), *y = x;
    int jit = orr__env.jit;
    orr__jit_stats was = orr__jit_get_stats();
    for (int i = 0; i < 4; i++) {
        y = orr_pow(orr_gelu_tanh(orr_gelu(y)), x);
        y = orr_atan2(orr_tanh(orr_cos(orr_sin(orr_erf(y)))), x);
        y = orr_silu(orr_softplus(orr_mish(orr_log(orr_exp(y)))));
    }
    ORR_CHECK(regions_in(y) == 1);
    orr__env.jit = jit == ORR__JIT_OFF ? jit : ORR__JIT_WAIT;
    orr__patience limit = orr__compile_limit;
    double before = spent_by_children();
    orr__compile_limit = (orr__patience){ 30 * limit.work, 30 * limit.rest };
    ORR_CHECK_MSG(orr_eval(y) == ORR_OK, "%s", orr_error_message());
    orr__compile_limit = limit;
    orr__env.jit = jit;
    double spent = spent_by_children() - before;
    ORR_CHECK_MSG(spent < limit.work, "%g s of %g", spent, limit.work);
    orr__jit_stats now = orr__jit_get_stats();
    (void)orr_scope_end(s);
    ORR_CHECK(now.failures == was.failures);
    if (now.compiled + now.disk_hits + now.memory_hits == was.compiled + was.disk_hits + was.memory_hits)
        ORR_SKIP("nothing is compiled here");
}

static void explain_names_calls_lines_and_reasons(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_add(leaf(ORR_SHAPE(32, 16)), orr_exp(leaf(ORR_SHAPE(16))));
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    ORR_REQUIRE(to != NULL);
    ORR_CHECK(orr_explain(to, y) == ORR_OK);
    ORR_CHECK(orr_explain_dot(to, y, true) == ORR_OK);
    ORR_CHECK(fclose(to) == 0);
    ORR_CHECK_MSG(strstr(text, "regions.c:") && strstr(text, "not fused: ") && strstr(text, "bytes moved"), "%s", text);
    ORR_CHECK(strstr(text, "digraph") && strstr(text, "cluster_1"));
    free(text);
    ORR_CHECK(orr_explain(stderr, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_explain(NULL, y) == ORR_EINVAL);
    ORR_CHECK(orr__handle_node(y)->value == NULL);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_chain_is_one_region),
                                      ORR_TEST(a_value_used_twice_is_computed_once),
                                      ORR_TEST(a_region_that_is_read_may_have_later_roots),
                                      ORR_TEST(views_are_index_maps),
                                      ORR_TEST(views_of_views_that_overlap_read_one_buffer),
                                      ORR_TEST(a_fold_across_few_rows_is_a_map),
                                      ORR_TEST(a_fold_of_two_to_four_neighbours_is_a_map),
                                      ORR_TEST(a_fold_on_both_sides_of_an_axis_begins_along_rows),
                                      ORR_TEST(what_reads_one_buffer_twice_is_light),
                                      ORR_TEST(the_search_below_a_fold_ends),
                                      ORR_TEST(a_chain_runs_inside_its_reduction),
                                      ORR_TEST(expensive_shared_values_get_a_buffer_and_cheap_ones_do_not),
                                      ORR_TEST(a_broadcast_does_not_multiply_expensive_work),
                                      ORR_TEST(matmul_reads_transposed_operands_in_place),
                                      ORR_TEST(a_reshape_of_a_buffer_costs_nothing),
                                      ORR_TEST(a_region_has_a_limited_size),
                                      ORR_TEST(equal_content_has_equal_keys_whatever_the_size),
                                      ORR_TEST(equal_subexpressions_are_computed_once),
                                      ORR_TEST(exact_identities_vanish),
                                      ORR_TEST(few_numbers_that_cannot_cancel_are_summed_in_f32),
                                      ORR_TEST(rows_are_folded_in_place),
                                      ORR_TEST(rows_that_cannot_be_folded_in_place_are_not),
                                      ORR_TEST(values_made_of_indices_need_no_memory),
                                      ORR_TEST(a_dropout_mask_is_made_again_rather_than_stored),
                                      ORR_TEST(a_full_region_of_heavy_rows_compiles_in_time),
                                      ORR_TEST(folds_of_a_transposed_operand_are_folds_of_rows),
                                      ORR_TEST(explain_names_calls_lines_and_reasons),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "fuse.regions", tests);
    (void)orr_shutdown();
    return rc;
}
