/* For tests of codelets: the tested behaviours of backends of generated kernels; the program defines rc_launch and rc_ulp.
 * Must not know: which backend. */
#ifndef ORR_TESTS_REGION_TESTS_H
#define ORR_TESTS_REGION_TESTS_H

#include "tests/harness/region_cases.h"

/* region_basic.c */
/* a(5, 7, 6) transposed and flipped, b a row, c a column, d one element; two outputs of different dtypes. */
void strided_broadcast_and_negative_accesses(void);
/* Positions along axes of awkward sizes: each is computed by a multiplication instead of a division. */
void axes_of_any_size_are_told_apart(void);
void more_arguments_than_fit_by_value(void);
/* The memory object holds only a range of the array. */
void arrays_that_begin_at_an_offset(void);
void reductions_over_any_axes(void);
void reductions_of_any_dtype(void);
/* mean of squares along a chain, with the reduced axis broadcast in one input */
void chains_into_reductions(void);
void arg_reductions_take_the_first_of_equals(void);
void nan_wins_in_max_and_argmax(void);
void iota_in_every_dtype(void);
void random_numbers_are_the_same_bits(void);
void normal_random_numbers_are_close(void);
/* Four targets per kernel. An omitted target gives the result of its neighbour. */
void casts_between_dtypes(void);
void empty_ranges_are_nothing(void);
void long_sums_are_compensated(void);

/* region_beside.c */
/* Several folds of a value that is read once: of x itself, of values computed from it, of one register twice, with other dtypes. */
void several_reductions_at_once(void);
/* A frame of 7 around a(4, 6), beside b(7, 3), with the box on the last axis, in steps of 2, in halves of a byte more. */
void parts_of_the_iteration(void);

/* region_rows.c */
void every_row_on_f32(void);
void every_row_on_f64(void);
void every_row_on_f16_and_bf16(void);
void every_row_on_ints_and_bool(void);

/* region_nan.c */
void nan_of_any_payload_stays_nan(void);
/* maximum, minimum and clip between scalars, including NaN. */
void nan_bounds_win_in_clip(void);

/* region_draws.c */
void random_numbers_of_long_runs(void);

/* region_shapes.c */
int64_t rsh_draw(int64_t below);
/* Values with few digits: the order of a sum does not change it. */
void reductions_of_every_shape(void);
/* Few columns of many rows: of each dtype and fold, with lengths around those of groups of rows. */
void folds_of_narrow_columns(void);
void folds_of_joined_rows(void);
void maps_across_lines(void);
void maps_of_permuted_operands(void);
void sums_of_small_integers(void);
/* An access with a random order of axes, broadcasts and flips. */
int rsh_access(rb *b, orr_dtype t);
void maps_of_any_accesses(void);
/* Softmax, scaled by the mean of the previous row, beside the interpreter, which has tests of its own. */
void rows_see_their_folds(void);
/* Each value's difference from its row's sum, beside the sum of the squares of these differences. They are folded as they are
 * computed if columns are equally long, else from a block. */
void rows_fold_computed_values(void);
/* Random numbers that a fold reads, and others that only the outputs read, beside the interpreter, to the last bit. */
void rows_draw_their_numbers(void);

/* region_boxes.c */
/* ORR_TEST_FULL: 300 regions instead of 24. ORR_TEST_SEED: other ones. */
void boxes_of_any_place(void);
void more_boxes_than_a_set_holds(void);
void a_box_of_an_outer_axis_beside_joined_rows(void);
void folds_of_concatenated_arrays(void);
void indices_beside_joined_rows(void);

/* region_stages.c */
void bodies_too_long_for_one_loop(void);

/* region_takes.c */
/* Rows and columns of a table in maps, folds, rows and products. */
void takes_in_every_kind_of_kernel(void);
/* Views of the source and of the result; computed indices; a take of a take. */
void takes_through_views_and_computed_indices(void);
void takes_of_many_short_rows(void);
void takes_of_elements_of_many_rows(void);
void takes_of_any_dtype_by_any_index(void);
/* Index 3 of five, which the kernel computes, is out of range: nothing is read by it, and the other results are right. */
void wrong_indices_in_kernels_are_found(void);

/* region_lengths.c */
void rows_of_any_length(void);

/* region_wide.c */
void row_graphs_see_their_folds(void);
/* Max, sum and NaN: special values affect only their own row. */
void special_values_stay_in_their_row(void);
void long_folds_are_shared_out(void);
void matrix_products(void);
void whole_arrays_are_moved(void);
void sequences_are_aligned_together(void);
void scores_are_shared_by_tiles(void);

#define RT_TESTS                                                                                                       \
    ORR_TEST(every_row_on_f32), ORR_TEST(every_row_on_f64), ORR_TEST(every_row_on_f16_and_bf16),                       \
        ORR_TEST(every_row_on_ints_and_bool), ORR_TEST(strided_broadcast_and_negative_accesses),                       \
        ORR_TEST(axes_of_any_size_are_told_apart), ORR_TEST(more_arguments_than_fit_by_value),                         \
        ORR_TEST(arrays_that_begin_at_an_offset), ORR_TEST(reductions_over_any_axes),                                  \
        ORR_TEST(reductions_of_any_dtype), ORR_TEST(several_reductions_at_once), ORR_TEST(parts_of_the_iteration),     \
        ORR_TEST(chains_into_reductions), ORR_TEST(arg_reductions_take_the_first_of_equals),                           \
        ORR_TEST(nan_wins_in_max_and_argmax), ORR_TEST(iota_in_every_dtype),                                           \
        ORR_TEST(random_numbers_are_the_same_bits), ORR_TEST(normal_random_numbers_are_close),                         \
        ORR_TEST(casts_between_dtypes), ORR_TEST(empty_ranges_are_nothing), ORR_TEST(boxes_of_any_place),              \
        ORR_TEST(more_boxes_than_a_set_holds), ORR_TEST(a_box_of_an_outer_axis_beside_joined_rows),                    \
        ORR_TEST(folds_of_concatenated_arrays), ORR_TEST(indices_beside_joined_rows)

#define ORR_TEST_OF(test) ORR_TEST(test),

#define TK_TESTS(X)                                                                                                    \
    X(takes_in_every_kind_of_kernel)                                                                                   \
    X(takes_through_views_and_computed_indices)                                                                        \
    X(takes_of_any_dtype_by_any_index) X(takes_of_many_short_rows) X(takes_of_elements_of_many_rows)

#define RW_TESTS                                                                                                       \
    ORR_TEST(row_graphs_see_their_folds), ORR_TEST(special_values_stay_in_their_row),                                  \
        ORR_TEST(long_folds_are_shared_out), ORR_TEST(matrix_products), ORR_TEST(whole_arrays_are_moved)

/* Kernels of operations whose groups share memory. */
#define GROUP_TESTS ORR_TEST(sequences_are_aligned_together), ORR_TEST(scores_are_shared_by_tiles)

#endif
