/* The table of one instruction set's kernels.
 * Must not know: which table is best. */
#include "config.h"

#include "codelets/field/kit.h"

#define NAME2(isa) #isa
#define NAME(isa) NAME2(isa)

const orr__fieldkit ORR__FK(kit) = {
    .name = NAME(ORR__FIELD_ISA),
    .read = ORR__FK(read),
    .write = ORR__FK(write),
    .map = ORR__FK(map),
    .axpy = ORR__FK(axpy),
    .invert = ORR__FK(invert),
    .power = ORR__FK(power),
    .sum = ORR__FK(sum),
    .dot = ORR__FK(dot),
    .powers = ORR__FK(powers),
    .ntt_columns = ORR__FK(ntt_columns),
    .ntt_rows = ORR__FK(ntt_rows),
    .evaluate = ORR__FK(evaluate),
    .divide_linear = ORR__FK(divide_linear),
    .divide = ORR__FK(divide),
    .poseidon = ORR__FK(poseidon),
    .pairing = ORR__FK(pairing),
    .g1 = &ORR__FK(g1),
    .g2 = &ORR__FK(g2),
};
