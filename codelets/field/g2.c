/* The kernels of points of G2, over Fq2. Compiled per instruction set.
 * Must not know: the other curve. */
#include "config.h"

#include <string.h>
#include "codelets/field/fq2_pack.h"
#include "codelets/field/msm.h"

#define F orr__fq2
#define P pk2
#define AFFINE orr__g2
#define XYZZ orr__g2x
#define CURVE_B orr__g2_b
#define p_add q2_add
#define p_sub q2_sub
#define p_mul q2_mul
#define p_square q2_square
#define p_gather q2_gather
#define p_scatter q2_scatter
#define f_add fq2_add
#define f_sub fq2_sub
#define f_mul fq2_mul
#define f_neg fq2_neg
#define f_root fq2_root
#define f_is_larger fq2_is_larger
#define f_is_zero fq2_is_zero
#define f_equal fq2_equal
#define f_square fq2_square
#define f_one() ((orr__fq2){ { orr__fq.one, { { 0 } } } })
#define f_invert fq2_invert

#include "codelets/field/group.h"
#include "codelets/field/group_pairs.h"
#include "codelets/field/group_rows.h"
#include "codelets/field/group_msm.h"

const orr__curvekit ORR__FK(g2) = {
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
