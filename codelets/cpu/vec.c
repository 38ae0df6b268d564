/* One instruction set's table of inner loops. Compiled once per set, as are all files vec_*.c.
 * Must not know: the loops' work. */
#include "config.h"

#include "codelets/cpu/vec.h"

#define NAME_(isa) #isa
#define NAME(isa) NAME_(isa)
#define ROWS(t, name) [t] = ORR__V(orr__vec_rows_##name)
#define EACH_ROP(table)                                                                                                \
    {                                                                                                                  \
        ORR__V(table)                                                                                                  \
        [ORR__RSUM], ORR__V(table)[ORR__RPROD], ORR__V(table)[ORR__RMAX], ORR__V(table)[ORR__RMIN],                    \
            ORR__V(table)[ORR__RANY], ORR__V(table)[ORR__RALL]                                                         \
    }

const orr__vec ORR__V(orr__vec) = {
    .isa = NAME(ORR__ISA),
    .row = { ROWS(ORR_BOOL, bool8), ROWS(ORR_I8, i8), ROWS(ORR_I16, i16), ROWS(ORR_I32, i32), ROWS(ORR_I64, i64),
             ROWS(ORR_U8, u8), ROWS(ORR_U16, u16), ROWS(ORR_U32, u32), ROWS(ORR_U64, u64), ROWS(ORR_F32, f32),
             ROWS(ORR_F64, f64), ROWS(ORR_C64, c64),
             ROWS(ORR_C128, c128), [ORR_FR254] = orr__vec_rows_fr254, [ORR_FQ254] = orr__vec_rows_fq254 },
    .cast = ORR__V(orr__vec_casts),
    .round_f16 = ORR__V(orr__vec_round_f16),
    .round_bf16 = { ORR__V(orr__vec_round_bf16), ORR__V(orr__vec_fit_bf16) },
    .fold = EACH_ROP(orr__vec_folds),
    .foldrow = EACH_ROP(orr__vec_foldrows),
    .arg = { ORR__V(orr__vec_args)[0], ORR__V(orr__vec_args)[1] },
    .argrow = { ORR__V(orr__vec_argrows)[0], ORR__V(orr__vec_argrows)[1] },
    .axpy = ORR__V(orr__vec_axpys),
    .add = { ORR__V(orr__vec_add_f32), ORR__V(orr__vec_add_f64) },
    .set = ORR__V(orr__vec_sets),
    .update = ORR__V(orr__vec_updates),
    .random = ORR__V(orr__vec_randoms),
    .gather = ORR__V(orr__vec_gathers),
    .index = ORR__V(orr__vec_index),
    .place = { ORR__V(orr__vec_place_i32), ORR__V(orr__vec_place_i64) },
    .take = ORR__V(orr__vec_takes),
    .affine_f64 = ORR__V(orr__vec_affine_f64),
    .affine_u64 = ORR__V(orr__vec_affine_u64),
    .solve = { ORR__V(orr__vec_solve_f32), ORR__V(orr__vec_solve_f64) },
    .potrf = { ORR__V(orr__vec_potrf_f32), ORR__V(orr__vec_potrf_f64) },
    .lanes_solve = { ORR__V(orr__vec_lanes_solve_f32), ORR__V(orr__vec_lanes_solve_f64) },
    .transpose = { ORR__V(orr__vec_transpose_f32), ORR__V(orr__vec_transpose_f64) },
    .lanes_lu = { ORR__V(orr__vec_lanes_lu_f32), ORR__V(orr__vec_lanes_lu_f64) },
    .lanes_qr = { ORR__V(orr__vec_lanes_qr_f32), ORR__V(orr__vec_lanes_qr_f64) },
    .small = { ORR__V(orr__vec_small_f32), ORR__V(orr__vec_small_f64) },
    .large = { ORR__V(orr__vec_large_f32), ORR__V(orr__vec_large_f64) },
    .pack = { ORR__V(orr__vec_pack_f32), ORR__V(orr__vec_pack_f64) },
    .packed = { ORR__V(orr__vec_packed_f32), ORR__V(orr__vec_packed_f64) },
    .cell = ORR__V(orr__vec_cells),
    .cell_back = ORR__V(orr__vec_cells_back),
    .fft = { ORR__V(orr__vec_fft_row_f32), ORR__V(orr__vec_fft_row_f64) },
    .fft_lanes = { ORR__V(orr__vec_fft_lanes_f32), ORR__V(orr__vec_fft_lanes_f64) },
    .fft_half = { ORR__V(orr__vec_fft_half_f32), ORR__V(orr__vec_fft_half_f64) },
    .fft_times = { ORR__V(orr__vec_fft_times_f32), ORR__V(orr__vec_fft_times_f64) },
    .sort = ORR__V(orr__vec_sorts),
    .keys = ORR__V(orr__vec_keys),
    .values = ORR__V(orr__vec_values),
    .greatest = { ORR__V(orr__vec_greatest_f32), ORR__V(orr__vec_greatest_f64) },
    .exp = { ORR__V(orr__vec_exp_f32), ORR__V(orr__vec_exp_f64) },
    .taps = { ORR__V(orr__vec_taps_f32), ORR__V(orr__vec_taps_f64) },
    .box = { ORR__V(orr__vec_box_f32), ORR__V(orr__vec_box_f64) },
    .windows = { ORR__V(orr__vec_windows_f32), ORR__V(orr__vec_windows_f64) },
    .spread = { ORR__V(orr__vec_spread_f32), ORR__V(orr__vec_spread_f64) },
    .finite = ORR__V(orr__vec_finites),
};
