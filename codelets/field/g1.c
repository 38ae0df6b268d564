/* The kernels of points of G1, over Fq. Compiled per instruction set.
 * Must not know: the other curve. */
#include "config.h"

#include <string.h>
#include "codelets/field/fq2_pack.h"
#include "codelets/field/msm.h"

#define F orr__fe
#define P pk
#define AFFINE orr__g1
#define XYZZ orr__g1x
#define CURVE_B orr__g1_b
#define p_add q_add
#define p_sub q_sub
#define p_mul q_mul
#define p_square q_square
#define p_gather q_gather
#define p_scatter q_scatter
#define f_add fq_add
#define f_sub fq_sub
#define f_mul fq_mul
#define f_neg fq_neg
#define f_root fq_root
#define f_is_larger fq_is_larger
#define f_is_zero fe_is_zero
#define f_equal fe_equal
#define f_square(x) fe_square(x, &orr__fq)
#define f_one() orr__fq.one
#define f_invert(x) ORR__FK(invert_one)(x, &orr__fq)

#include "codelets/field/group.h"
#include "codelets/field/group_pairs.h"
#include "codelets/field/group_rows.h"
#include "codelets/field/group_msm.h"

const orr__curvekit ORR__FK(g1) = {
    .point = sizeof(AFFINE),
    .sum = sizeof(XYZZ),
    .coordinate = sizeof(F),
    /* measured; in products of coordinates */
    .cost = PACK > 1 ? 5 : 9,
    .add = rows_add,
    .neg = rows_neg,
    .multiply = rows_multiply,
    .check = rows_check,
    .check_order = rows_check_order,
    .compress = rows_compress,
    .decompress = rows_decompress,
    .msm_work = msm_work,
    .msm_window = msm_window,
    .msm_join = msm_join,
};
