/* The cost of one instruction of a region, in additions of f32: one table for the fuser, the planner, the cost of regions and
 * the emitter. Element-wise functions have theirs in the column flops of ops/elementwise.def.
 * Must not know: machines, texts. */
#ifndef ORR_OPS_INSTRUCTION_COST_H
#define ORR_OPS_INSTRUCTION_COST_H

#include "ops/lowering.h"
#include "ops/rounding.h"

/* X(name, additions, reason). Estimates: tests/cost/cost.c compares predictions made of draws, rounding and functions with recorded
 * times, within a factor of 2; TURN to HALVES were fitted to the times of nests of rows (orrery-bench lengths); the others were never
 * measured alone. */
#define ORR__COSTS(X)                                                                                                  \
    X(FUNCTION, 20, "the least flops of a function that is a polynomial")                                              \
    X(STRIDED, 8, "a load whose neighbour in the loop is not its neighbour in memory")                                 \
    X(DRAW, 40, "32 or 64 random bits, with their conversion")                                                         \
    X(DRAW_NORMAL, 150, "logarithm, root, sine and cosine in f64")                                                     \
    X(DRAW_PERMUTATION, 400, "some ten draws")                                                                         \
    X(STORE, 12, "writing an element and reading it again")                                                            \
    X(TAKE, 3, "checking an index and forming an address")                                                             \
    X(CHOICE, 2, "comparing a place and choosing a value")                                                             \
    X(TURN, 2, "transposing an element in a block of short rows, by squares")                                          \
    X(TURN_2, 4, "the same one by one, of two bytes or more")                                                          \
    X(TURN_1, 12, "the same of one byte")                                                                              \
    X(ROW, 8, "finding a gathered row; half of starting the copy of a row")                                            \
    X(BOX, 16, "finding out whether a piece of a row, or an element of rows side by side, is inside of a box")         \
    X(LOOP, 24, "starting the loop of a row")                                                                          \
    X(SIDE, 48, "starting the loop over rows side by side")                                                            \
    X(PASS, 100, "another pass over a row: its loops, and what is kept")                                               \
    X(TREE, 256, "joining the columns of a fold")                                                                      \
    X(SOME, 96, "joining the columns of a fold of some values")                                                        \
    X(MASK, 8, "a masked vector at the end of a row")                                                                  \
    X(HALVES, 40, "starting the conversion of a row of f16")                                                           \
    X(LINE, 64, "reading a line again, because no cache holds it until the next row or plane needs it")                \
    X(FOLD, 4, "a step of a fold waits for the former one")                                                            \
    X(ROUND_FIT, 6, "rounding to f16 or bf16, if NaN needs no care")                                                   \
    X(ROUND_ANY, 9, "rounding to f16 or bf16 of any value")

#define ORR__COST_OF(name, additions, reason) ORR__COST_##name = (additions),
enum { ORR__COSTS(ORR__COST_OF) };
#undef ORR__COST_OF

static inline int orr__rounding_cost(const orr__rinstr *in)
{
    if (!orr__is_half((orr_dtype)in->dtype))
        return 0;
    /* A cast is in the middle: the loops of rows with casts were measured with it as light work. */
    orr__rounding rounding = in->kind == ORR__RI_EW     ? orr__ew_rounding(in->op)
                             : in->kind == ORR__RI_CAST ? ORR__ROUND_FIT
                                                        : ORR__ROUND_NONE;
    return rounding == ORR__ROUND_FIT ? ORR__COST_ROUND_FIT : rounding == ORR__ROUND_ANY ? ORR__COST_ROUND_ANY : 0;
}

/* Of arithmetic in f32; loads count as one addition, scalars as none. */
static inline int orr__instruction_cost(const orr__rinstr *in)
{
    switch (in->kind) {
    case ORR__RI_SCALAR: return 0;
    case ORR__RI_EW: return orr__ew(in->op)->flops + orr__rounding_cost(in);
    case ORR__RI_RANDOM:
        return in->op == ORR__DNORMAL        ? ORR__COST_DRAW_NORMAL
               : in->op == ORR__DPERMUTATION ? ORR__COST_DRAW_PERMUTATION
                                             : ORR__COST_DRAW;
    default: return 1 + orr__rounding_cost(in);
    }
}

#endif
