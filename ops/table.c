/* The ops' table: rows of the element-wise functions and of the primitives.
 * Must not know: how a value is computed, devices. */
#include "config.h"

#include <string.h>
#include "ops/ew_id.h"
#include "ops/ops.h"

enum { RESULT_SAME, RESULT_TRUTH, RESULT_COND };

/* clang-format off */
#define ROW(name, n, types, result, flops, text, dx, dy, dz, lo, hi, ulp, doc)                              \
    { { ORR__EW_##name, #name }, n, ORR__T##types, RESULT_##result == RESULT_TRUTH,                         \
      RESULT_##result == RESULT_COND, flops, text, { dx, dy, dz }, lo, hi, ulp, doc },
/* clang-format on */

const orr__ewrow orr__ew_rows[] = {
#define UNARY(name, types, result, flops, value, dx, lo, hi, ulp, doc)                                                 \
    ROW(name, 1, types, result, flops, #value, dx, NULL, NULL, lo, hi, ulp, doc)
#define BINARY(name, types, result, flops, value, dx, dy, lo, hi, ulp, doc)                                            \
    ROW(name, 2, types, result, flops, #value, dx, dy, NULL, lo, hi, ulp, doc)
#define TERNARY(name, types, result, flops, value, dx, dy, dz, lo, hi, ulp, doc)                                       \
    ROW(name, 3, types, result, flops, #value, dx, dy, dz, lo, hi, ulp, doc)
#include "ops/elementwise.def"
};

const orr__op orr__prims[ORR__OP_EW] = {
#define PRIM(id, name, operands, doc) [ORR__OP_##id] = { ORR__OP_##id, name },
#include "ops/structural.def"
};

int orr__ew_count(void)
{
    return (int)(sizeof orr__ew_rows / sizeof *orr__ew_rows);
}

const orr__ewrow *orr__ew(int id)
{
    return id < ORR__OP_EW || id >= ORR__EW_END ? NULL : &orr__ew_rows[id - ORR__OP_EW];
}

const orr__ewrow *orr__ew_find(const char *name)
{
    for (int i = 0; i < orr__ew_count(); i++)
        if (!strcmp(orr__ew_rows[i].op.name, name))
            return &orr__ew_rows[i];
    return NULL;
}
