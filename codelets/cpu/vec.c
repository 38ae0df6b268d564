/* One instruction set's table of inner loops. Compiled once per set, as are all files vec_*.c.
 * Must not know: the loops' work. */
#include "config.h"

#include "codelets/cpu/vec.h"

#define NAME_(isa) #isa
#define NAME(isa) NAME_(isa)

const orr__vec ORR__V(orr__vec) = {
    .isa = NAME(ORR__ISA),
    .row[ORR_FR254] = orr__vec_rows_fr254,
    .row[ORR_FQ254] = orr__vec_rows_fq254,
#define VEC_ROW(dtype, name) .row[dtype] = ORR__V(orr__vec_rows_##name),
#define VEC_FUNCTION(field, type) .field = ORR__V(orr__vec_##field),
#define VEC_PAIR(field, type, first, second) .field = { ORR__V(orr__vec_##first), ORR__V(orr__vec_##second) },
#define VEC_REALS(field, type) VEC_PAIR(field, type, field##_f32, field##_f64)
#define VEC_TABLE(field, type) VEC_FUNCTION(field, type)
#define VEC_TABLES(field, type, n) VEC_FUNCTION(field, type)
#include "codelets/cpu/vec.def"
};
